"""Models read from TOML files.

Keys and defaults are those of the dataclasses, kinds those of the registries (GROUPS, SHAPES,
POTENTIALS): a new kind needs nothing here. Every error starts with "file:line: ".
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, replace
from functools import cache, lru_cache
from typing import Any, get_args, get_type_hints

from hamiltree.errors import FileError, HamiltreeError, ModelError, suggest
from hamiltree.files.magnitudes import find_huge, may_have_huge
from hamiltree.files.text import read_text
from hamiltree.files.toml_columns import parts_by_columns, runs_alike
from hamiltree.files.toml_lines import Place
from hamiltree.files.toml_plain import NotPlain, plain_tables
from hamiltree.files.toml_source import (
    GROUPS,
    SCHEMA,
    Table,
    TomlSource,
    UnlocatedSource,
    locate,
    parse,
    place_of,
)
from hamiltree.files.toml_writer import model_to_toml, write_model
from hamiltree.model.bodies import Body
from hamiltree.model.frames import NamedFrames
from hamiltree.model.limits import Limits
from hamiltree.model.many_parts import collect_garbage_later
from hamiltree.model.model import TIMES, Model
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import POTENTIALS, Potential
from hamiltree.model.shapes import SHAPES, Shape
from hamiltree.model.values import ORIGIN, Frame

__all__ = ["locate", "model_from_toml", "model_to_toml", "read_model", "read_text", "write_model"]

MASS_KEYS = ("mass", "com", "inertia")  # of a body; without them its particles give the mass
PLAIN_FRAME = {"position", "rotation"}
Source = TomlSource | UnlocatedSource
MODEL_KEYS = ("name", "gravity", *TIMES)
TOP_KEYS = ("hamiltree", *MODEL_KEYS, "body", *GROUPS)


def read_model(path: str | os.PathLike[str]) -> Model:
    """The model in a TOML file."""
    return model_from_toml(read_text(path), os.fspath(path))


def model_from_toml(text: str, source: str = "<text>") -> Model:
    """The model that a TOML text describes; `source` is how errors call the text.

    A plain text without mistakes is read quickly, part by part; any other is read with care, which
    finds the line of a mistake.
    """
    with suppress(NotPlain, HamiltreeError, ValueError, RecursionError), collect_garbage_later():
        return _plain_model(text)
    with collect_garbage_later():
        return _careful_model(text, source)


def _plain_model(text: str) -> Model:
    """The model of a plain text; an exception where anything at all is unusual."""
    where, groups = UnlocatedSource(), dict(GROUPS)
    parts: dict[str, list[Any]] = {key: [] for key in ("body", *groups)}
    top: Table = {}
    may_be_huge = may_have_huge(text)
    for kind, tables in runs_alike(plain_tables(text)):
        if may_be_huge and any(map(find_huge, tables)):
            raise NotPlain
        if kind == "body":
            parts[kind] += parts_by_columns(Body, tables) or [
                _plain_part(Body, table) or _body(table, (kind, k), where)
                for k, table in enumerate(tables, len(parts[kind]))
            ]
        elif kind in groups:
            registry = groups[kind][1]
            cls = registry.get(str(tables[0].get("kind")))
            parts[kind] += parts_by_columns(cls, tables) or [
                _plain_part(cls, table) or _kind_part(registry, table, (kind, k), where)
                for k, table in enumerate(tables, len(parts[kind]))
            ]
        elif kind:
            raise NotPlain
        else:
            (top,) = tables
    version = top.pop("hamiltree", None)
    if type(version) is not int or version != SCHEMA or top.keys() - {*MODEL_KEYS}:
        raise NotPlain
    fields = {field: tuple(parts[key]) for key, (field, _) in groups.items()}
    return Model(bodies=tuple(parts["body"]), **fields, **top)


def _plain_part(cls: type | None, table: Table) -> Any:
    """A part of numbers, words, lists and plain frames, by nothing but its own checks; None if
    anything else is in its table.
    """
    frames = None if cls is None else _plain_frames(cls, tuple(table))
    if cls is None or frames is None:
        return None
    values = table.copy() if frames else table
    for key in frames:
        frame = table[key]
        if frame.__class__ is not dict or not frame.keys() <= PLAIN_FRAME:
            return None
        values[key] = Frame(**frame)
    values.pop("kind", None)
    return cls(**values)


@lru_cache(256)  # most tables of a file have the same keys as many others
def _plain_frames(cls: type, keys: tuple[str, ...]) -> list[str] | None:
    """Which keys of a table are frames; None where one is missing or is neither plain nor a
    frame.
    """
    known, needed, _ = _fields(cls, ("visuals",), ())
    readers = _readers(cls)
    given = [key for key in keys if key != "kind" or cls is Body]
    is_plain = all(key in known and readers.get(key, _frame) is _frame for key in given)
    if not is_plain or not needed.keys() <= set(given):
        return None
    return [key for key in given if key in readers]


def _careful_model(text: str, source: str) -> Model:
    """The model of any text, or the first mistake in it with its line."""
    data = parse(text, source)
    where = TomlSource(source, text, data)
    _check_version(data, where)
    _check_keys(data, TOP_KEYS, (), "model", where)
    where.refuse_huge_numbers()
    bodies = [
        _body(table, place, where) for place, table in _tables(data, "body", (), "model", where)
    ]
    parts = {field: _kind_parts(kinds, key, data, where) for key, (field, kinds) in GROUPS.items()}
    top = {key: data[key] for key in MODEL_KEYS if key in data}
    try:
        return Model(bodies=tuple(bodies), **parts, **top)
    except ModelError as error:
        raise where.error(
            place_of(error, data), str(error), part=error.part, field=error.field
        ) from None


def _check_version(data: Table, where: TomlSource) -> None:
    """Refuse a file without `hamiltree = 1`, or of a newer schema."""
    version = data.get("hamiltree")
    if type(version) is int and version == SCHEMA:
        return
    if version is None and "study" in data:
        problem = f"this is a study; run it with: hamiltree study {where.source}"
    elif version is None:
        problem = (
            f"the line 'hamiltree = {SCHEMA}' is missing; put it at the top, it says that this is "
            "a model file"
        )
    elif type(version) is not int or version < SCHEMA:
        problem = f"hamiltree = {version!r} is no version of the schema; write hamiltree = {SCHEMA}"
    else:
        problem = (
            f"hamiltree = {version}: this file needs a newer hamiltree; this one reads {SCHEMA}"
        )
    raise FileError(f"{where.source}:{where.line(('hamiltree',))}: {problem}")


def _check_keys(
    table: Table, known: Collection[str], place: Place, label: str, where: Source
) -> None:
    for key in table:
        if key not in known:
            raise where.error(
                (*place, key), f"unknown key {key!r}; {suggest(key, known)}", label, field=key
            )


def _tables(
    table: Table, key: str, place: Place, label: str, where: Source
) -> Iterator[tuple[Place, Table]]:
    """The array of tables `key` with the place of each entry."""
    entries = table.get(key, [])
    header = ".".join([*(step for step in place if isinstance(step, str)), key])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise where.error(
            (*place, key),
            f"{key!r} is not a list of tables; write [[{header}]] above each",
            label,
            field=key,
        )
    for i, entry in enumerate(entries):
        yield (*place, key, i), entry


def _label(kind: str, table: Table, index: int) -> str:
    name = table.get("name")
    return f"{kind} {name!r}" if name and isinstance(name, str) else f"{kind} {index + 1}"


def _kind_parts(
    registry: Mapping[str, type], key: str, data: Table, where: Source
) -> tuple[Any, ...]:
    return tuple(
        _kind_part(registry, table, place, where)
        for place, table in _tables(data, key, (), "model", where)
    )


def _kind_part(registry: Mapping[str, type], table: Table, place: Place, where: Source) -> Any:
    """A joint, a force, a coupling or a constraint."""
    label = _label(str(place[-2]), table, int(place[-1]))
    cls = _choose(registry, table, "kind", place, label, where)
    values = _values(cls, table, ("kind",), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


# ---- bodies --------------------------------------------------------------------------------------
def _body(table: Table, place: Place, where: Source) -> Body:
    """A body: its mass from keys, from [[body.part]], or from its particles."""
    label = _label("body", table, int(place[-1]))
    values = _values(Body, table, ("visual", "part"), place, label, where, hidden=("visuals",))
    parts, visuals = [], ()
    if "part" in table:
        entries = _tables(table, "part", place, label, where)
        parts = [_solid(*entry, label, where) for entry in entries]
    if "visual" in table:
        entries = _tables(table, "visual", place, label, where)
        visuals = tuple(_visual(*entry, label, where) for entry in entries)
    particles = values.get("particles")

    def with_frames(body: Body) -> Body:
        return where.guard(lambda: replace(body, frames=values.get("frames")), place, label)

    mass_keys = [key for key in MASS_KEYS if key in values]
    if particles is not None and not parts and not mass_keys:
        whole = where.guard(lambda: Body.of_particles(values["name"], particles), place, label)
        return with_frames(replace(whole, visuals=visuals))
    if not parts:
        return where.guard(lambda: Body(**values, visuals=visuals), place, label)
    if mass_keys:
        key = mass_keys[0]
        message = f"{key!r} and [[body.part]] both give the mass of the body; keep one of them"
        raise where.error((*place, key), message, label, field=key)
    whole = where.guard(lambda: Body.solid(values["name"], *parts), place, label)
    return with_frames(replace(whole, visuals=whole.visuals + visuals, particles=particles))


def _visual(
    place: Place, table: Table, label: str, where: Source, extra: tuple[str, ...] = ()
) -> Shape:
    label = f"{label}, {place[-2]} {int(place[-1]) + 1}"
    cls = _choose(SHAPES, table, "shape", place, label, where)
    values = _values(cls, table, ("shape", *extra), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


def _solid(place: Place, table: Table, label: str, where: Source) -> tuple[Shape, float]:
    """A shape and its mass, kg."""
    shape = _visual(place, table, label, where, extra=("mass", "density"))
    label = f"{label}, part {int(place[-1]) + 1}"
    given = {key: table[key] for key in ("mass", "density") if key in table}
    return shape, where.guard(lambda: shape.mass_properties(**given).mass, place, label)


# ---- fields of parts -----------------------------------------------------------------------------
def _choose(
    registry: Mapping[str, type],
    table: Table,
    key: str,
    place: Place,
    label: str,
    where: Source,
) -> type:
    """The class that table[key] names in a registry."""
    name = table.get(key)
    if name is None:
        kinds = ", ".join(map(repr, registry))
        message = f"the key {key!r} is missing; give one of {kinds}"
        raise where.error(place, message, label, field=key)
    if not isinstance(name, str) or name not in registry:
        message = f"{key} = {name!r} is unknown; {suggest(name, registry)}"
        raise where.error((*place, key), message, label, field=key)
    return registry[name]


def _values(
    cls: type,
    table: Table,
    extra: tuple[str, ...],
    place: Place,
    label: str,
    where: Source,
    hidden: tuple[str, ...] = (),
) -> Table:
    """The arguments of `cls` in a table; `extra` keys of the file are left out, `hidden` fields
    have no key.
    """
    known, needed, allowed = _fields(cls, hidden, extra)
    if not table.keys() <= allowed:
        _check_keys(table, (*extra, *known), place, label, where)
    for name in needed:
        if name not in table:
            raise where.error(place, f"the key {name!r} is missing", label, field=name)
    readers = _readers(cls)
    return {
        key: readers[key](value, (*place, key), label, where) if key in readers else value
        for key, value in table.items()
        if key in known
    }


@cache
def _fields(
    cls: type, hidden: tuple[str, ...], extra: tuple[str, ...]
) -> tuple[dict[str, None], dict[str, None], frozenset[str]]:
    """The fields of a part that a file may give and those that it must give, in their order, and
    all keys that may stand in its table.
    """
    known = [field for field in fields(cls) if field.init and field.name not in hidden]
    needed = [
        field.name
        for field in known
        if field.default is MISSING and field.default_factory is MISSING
    ]
    names = dict.fromkeys(field.name for field in known)
    return names, dict.fromkeys(needed), frozenset((*names, *extra))


@cache
def _readers(cls: type) -> dict[str, Callable[[Any, Place, str, Source], Any]]:
    """How the fields that are tables in a file are read; the others are left to the part itself."""
    by_type = {
        Frame: _frame,
        Limits: _limits,
        NamedFrames: _frames,
        Particles: _particles,
        Potential: _potential,
    }
    hints = {name: (hint, *get_args(hint)) for name, hint in get_type_hints(cls).items()}
    return {
        name: by_type[kind]
        for name, kinds in hints.items()
        for kind in kinds[:2]
        if kind in by_type
    }


def _limits(value: Any, place: Place, label: str, where: Source) -> Any:
    """The table of the limits of an axis, or a list of them."""
    if isinstance(value, list):
        return [_limits(entry, (*place, k), label, where) for k, entry in enumerate(value)]
    if not isinstance(value, dict):
        return value
    values = _values(Limits, value, (), place, f"{label}, limits", where)
    return where.guard(lambda: Limits(**values), place, label)


def _particles(value: Any, place: Place, label: str, where: Source) -> Any:
    if not isinstance(value, dict):
        return value
    label = f"{label}, particles"
    values = _values(Particles, value, (), place, label, where)
    return where.guard(lambda: Particles(**values), place, label)


def _potential(value: Any, place: Place, label: str, where: Source) -> Any:
    """The table of a potential, with its kind, or one of such tables by pairs of types."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(entry, dict) for entry in value.values()):
        return {
            types: _one_potential(entry, (*place, types), label, where)
            for types, entry in value.items()
        }
    return _one_potential(value, place, label, where)


def _one_potential(table: Table, place: Place, label: str, where: Source) -> Potential:
    label = f"{label}, {'.'.join(map(str, place[2:]))}"
    cls = _choose(POTENTIALS, table, "kind", place, label, where)
    values = _values(cls, table, ("kind",), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


def _frame(value: Any, place: Place, label: str, where: Source) -> Any:
    """A frame's table; a plain position is left to the part itself."""
    if not isinstance(value, dict):
        return value
    label = f"{label}, {place[-1]}"
    _check_keys(value, ("position", "rotation", "rpy"), place, label, where)
    if "rpy" in value and "rotation" in value:
        message = "'rotation' and 'rpy' both give the orientation; keep one of them"
        raise where.error((*place, "rpy"), message, label)
    position = value.get("position", ORIGIN)
    rotation = value.get("rotation", (1.0, 0.0, 0.0, 0.0))
    if "rpy" in value:
        return where.guard(lambda: _from_rpy(value["rpy"], position), place, label, "rpy")
    if isinstance(rotation, dict):
        return _axis_angle_frame(rotation, position, place, label, where)
    return where.guard(lambda: Frame(position, rotation), place, label)


def _frames(value: Any, place: Place, label: str, where: Source) -> Any:
    """A table of frames by name."""
    if not isinstance(value, dict):
        return value
    return {name: _frame(entry, (*place, name), label, where) for name, entry in value.items()}


def _axis_angle_frame(
    rotation: Table, position: Any, place: Place, label: str, where: Source
) -> Frame:
    """A frame of rotation = { axis = […], angle = … }."""
    _check_keys(rotation, ("axis", "angle"), (*place, "rotation"), label, where)
    if len(rotation) != 2:
        message = "a rotation of this form needs both 'axis' and 'angle'"
        raise where.error((*place, "rotation"), message, label)
    return where.guard(
        lambda: Frame.about(rotation["axis"], rotation["angle"], position), place, label, "rotation"
    )


def _from_rpy(angles: Any, position: Any) -> Frame:
    if not isinstance(angles, list) or len(angles) != 3:
        raise ModelError(
            f"rpy = {angles!r} is not three angles; give [roll, pitch, yaw] in rad", None, "rpy"
        )
    return Frame.rpy(*angles, position=position)
