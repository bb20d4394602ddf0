"""Models as TOML files.

Keys and defaults are those of the dataclasses, kinds those of the registries (GROUPS, SHAPES,
POTENTIALS): a new kind needs nothing here.
Every error starts with "file:line: ".
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, replace
from functools import cache, cached_property
from typing import Any, get_args, get_type_hints

from hamiltree.errors import FileError, ModelError, OptionError, PartError, suggest
from hamiltree.files.missing import describe_unreadable
from hamiltree.files.safe_write import check_absent, write_text
from hamiltree.files.toml_lines import Place, line_numbers
from hamiltree.model.bodies import Body
from hamiltree.model.constraints import CONSTRAINTS
from hamiltree.model.couplings import COUPLINGS
from hamiltree.model.forces import FORCES, NamedNumbers
from hamiltree.model.joints import JOINTS
from hamiltree.model.model import Model
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import POTENTIALS, Potential, PotentialTable
from hamiltree.model.shapes import SHAPES, MassProperties, Shape
from hamiltree.model.values import ORIGIN, Frame

SCHEMA = 1
SIZE_LIMIT = 256 * 2**20  # bytes
GROUPS: dict[
    str, tuple[str, Mapping[str, type]]
] = {  # key of the file -> field of the model and its kinds
    "joint": ("joints", JOINTS),
    "force": ("forces", FORCES),
    "coupling": ("couplings", COUPLINGS),
    "constraint": ("constraints", CONSTRAINTS),
}
MASS_KEYS = ("mass", "com", "inertia")  # of a body; where none is given its particles say them
NO_MASS = MassProperties()
TOP_KEYS = ("hamiltree", "name", "gravity", "body", *GROUPS)
Table = dict[str, Any]
PartName = tuple[str, str | int]  # (kind, name), or (kind, number from 1) of a part without a name


# ---- reading


def read_model(path: str | os.PathLike[str]) -> Model:
    """The model in a TOML file."""
    return model_from_toml(read_text(path), os.fspath(path))


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file in UTF-8 of a size that fits memory."""
    source = os.fspath(path)
    try:
        with open(path, "rb") as file:
            content = file.read(SIZE_LIMIT + 1)
    except OSError as error:
        raise FileError(describe_unreadable(path, error)) from error
    if len(content) > SIZE_LIMIT:
        raise FileError(
            f"{source}: larger than {SIZE_LIMIT // 2**20} MB; build a model of this size in Python"
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileError(
            f"{source}:{line}: not UTF-8 (byte 0x{content[error.start]:02x}); save the file as "
            "UTF-8"
        ) from None


def model_from_toml(text: str, source: str = "<text>") -> Model:
    """The model that a TOML text describes; `source` is how errors call the text."""
    data = _parse(text, source)
    where = _TomlSource(source, text, data)
    _check_version(data, where)
    _check_keys(data, TOP_KEYS, (), "model", where)
    bodies = [
        _body(table, place, where) for place, table in _tables(data, "body", (), "model", where)
    ]
    parts = {field: _kind_parts(kinds, key, data, where) for key, (field, kinds) in GROUPS.items()}
    top = {key: data[key] for key in ("name", "gravity") if key in data}
    try:
        return Model(bodies=tuple(bodies), **parts, **top)
    except ModelError as error:
        raise where.error(
            _place_of(error, data), str(error), part=error.part, field=error.field
        ) from None


def _parse(text: str, source: str) -> Table:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FileError(f"{source}:1: nested too deeply for a model") from None
    except ValueError as error:  # TOMLDecodeError, or a number with too many digits
        message = str(error)
        found = re.search(r" \(at line (\d+), column \d+\)$", message)
        line = int(found[1]) if found else max(1, text.rstrip("\n").count("\n") + 1)
        raise FileError(f"{source}:{line}: not valid TOML: {message}") from None


def _check_version(data: Table, where: _TomlSource) -> None:
    version = data.get("hamiltree")
    if type(version) is int and version == SCHEMA:
        return
    at = f"{where.source}:{where.line(('hamiltree',))}"
    if version is None:
        raise FileError(
            f"{at}: the line 'hamiltree = {SCHEMA}' is missing; put it at the top, it says that "
            "this is a model file"
        )
    if type(version) is not int or version < SCHEMA:
        raise FileError(
            f"{at}: hamiltree = {version!r} is no version of the schema; write hamiltree = {SCHEMA}"
        )
    if version > SCHEMA:
        raise FileError(
            f"{at}: hamiltree = {version}: this file needs a newer hamiltree; this one reads "
            f"{SCHEMA}"
        )


def _check_keys(
    table: Table, known: Collection[str], place: Place, label: str, where: _TomlSource
) -> None:
    for key in table:
        if key not in known:
            raise where.error(
                (*place, key), f"unknown key {key!r}; {suggest(key, known)}", label, field=key
            )


def _tables(
    table: Table, key: str, place: Place, label: str, where: _TomlSource
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
    registry: Mapping[str, type], key: str, data: Table, where: _TomlSource
) -> tuple[Any, ...]:
    return tuple(
        _kind_part(registry, table, place, where)
        for place, table in _tables(data, key, (), "model", where)
    )


def _kind_part(registry: Mapping[str, type], table: Table, place: Place, where: _TomlSource) -> Any:
    """A joint, a force, a coupling or a constraint."""
    label = _label(str(place[-2]), table, int(place[-1]))
    cls = _choose(registry, table, "kind", place, label, where)
    values = _values(cls, table, ("kind",), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


def _body(table: Table, place: Place, where: _TomlSource) -> Body:
    label = _label("body", table, int(place[-1]))
    values = _values(Body, table, ("visual", "part"), place, label, where, hidden=("visuals",))
    parts = [_solid(*entry, label, where) for entry in _tables(table, "part", place, label, where)]
    visuals = tuple(
        _visual(*entry, label, where) for entry in _tables(table, "visual", place, label, where)
    )
    particles = values.get("particles")
    if particles is not None and not parts and not any(key in values for key in MASS_KEYS):
        return replace(
            where.guard(lambda: Body.of_particles(values["name"], particles), place, label),
            visuals=visuals,
        )
    if not parts:
        return where.guard(lambda: Body(**values, visuals=visuals), place, label)
    for key in MASS_KEYS:
        if key in values:
            raise where.error(
                (*place, key),
                f"{key!r} and [[body.part]] both say what the body weighs; keep one of them",
                label,
                field=key,
            )
    whole = where.guard(lambda: Body.solid(values["name"], *parts), place, label)
    return replace(whole, visuals=whole.visuals + visuals, particles=particles)


def _visual(
    place: Place, table: Table, label: str, where: _TomlSource, extra: tuple[str, ...] = ()
) -> Shape:
    label = f"{label}, {place[-2]} {int(place[-1]) + 1}"
    cls = _choose(SHAPES, table, "shape", place, label, where)
    values = _values(cls, table, ("shape", *extra), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


def _solid(place: Place, table: Table, label: str, where: _TomlSource) -> tuple[Shape, float]:
    """A shape and its mass, kg."""
    shape = _visual(place, table, label, where, extra=("mass", "density"))
    label = f"{label}, part {int(place[-1]) + 1}"
    given = {key: table[key] for key in ("mass", "density") if key in table}
    return shape, where.guard(lambda: shape.mass_properties(**given).mass, place, label)


def _choose(
    registry: Mapping[str, type],
    table: Table,
    key: str,
    place: Place,
    label: str,
    where: _TomlSource,
) -> type:
    name = table.get(key)
    if name is None:
        raise where.error(
            place,
            f"the key {key!r} is missing; give one of {', '.join(map(repr, registry))}",
            label,
            field=key,
        )
    if not isinstance(name, str) or name not in registry:
        raise where.error(
            (*place, key),
            f"{key} = {name!r} is unknown; {suggest(name, registry)}",
            label,
            field=key,
        )
    return registry[name]


def _values(
    cls: type,
    table: Table,
    extra: tuple[str, ...],
    place: Place,
    label: str,
    where: _TomlSource,
    hidden: tuple[str, ...] = (),
) -> Table:
    """The arguments of `cls` in a table; `extra` keys of the file are left out, `hidden` fields
    have no key.
    """
    known = {field.name: field for field in fields(cls) if field.init and field.name not in hidden}
    _check_keys(table, (*extra, *known), place, label, where)
    for name, field in known.items():
        if name not in table and field.default is MISSING and field.default_factory is MISSING:
            raise where.error(place, f"the key {name!r} is missing", label, field=name)
    readers = _readers(cls)
    return {
        key: readers[key](value, (*place, key), label, where) if key in readers else value
        for key, value in table.items()
        if key in known
    }


@cache
def _readers(cls: type) -> dict[str, Callable[[Any, Place, str, _TomlSource], Any]]:
    """How the fields that are tables in a file are read; the others are left to the part itself."""
    by_type = {Frame: _frame, Particles: _particles, Potential: _potential}
    hints = {name: (hint, *get_args(hint)) for name, hint in get_type_hints(cls).items()}
    return {
        name: by_type[kind]
        for name, kinds in hints.items()
        for kind in kinds[:2]
        if kind in by_type
    }


def _particles(value: Any, place: Place, label: str, where: _TomlSource) -> Any:
    if not isinstance(value, dict):
        return value
    label = f"{label}, particles"
    values = _values(Particles, value, (), place, label, where)
    return where.guard(lambda: Particles(**values), place, label)


def _potential(value: Any, place: Place, label: str, where: _TomlSource) -> Any:
    """The table of a potential, with its kind, or one of such tables by pairs of types."""
    if not isinstance(value, dict):
        return value
    if value and all(isinstance(entry, dict) for entry in value.values()):
        return {
            types: _one_potential(entry, (*place, types), label, where)
            for types, entry in value.items()
        }
    return _one_potential(value, place, label, where)


def _one_potential(table: Table, place: Place, label: str, where: _TomlSource) -> Potential:
    label = f"{label}, {'.'.join(map(str, place[2:]))}"
    cls = _choose(POTENTIALS, table, "kind", place, label, where)
    values = _values(cls, table, ("kind",), place, label, where)
    return where.guard(lambda: cls(**values), place, label)


def _frame(value: Any, place: Place, label: str, where: _TomlSource) -> Any:
    """A frame's table; a plain position is left to the part itself."""
    if not isinstance(value, dict):
        return value
    label = f"{label}, {place[-1]}"
    _check_keys(value, ("position", "rotation", "rpy"), place, label, where)
    position, turn = value.get("position", ORIGIN), value.get("rotation", (1.0, 0.0, 0.0, 0.0))
    if "rpy" in value and "rotation" in value:
        raise where.error(
            (*place, "rpy"),
            "'rotation' and 'rpy' both say how it is turned; keep one of them",
            label,
        )
    if "rpy" in value:
        return where.guard(lambda: _from_rpy(value["rpy"], position), place, label, "rpy")
    if isinstance(turn, dict):
        _check_keys(turn, ("axis", "angle"), (*place, "rotation"), label, where)
        if len(turn) != 2:
            raise where.error(
                (*place, "rotation"), "a rotation of this form needs both 'axis' and 'angle'", label
            )
        return where.guard(
            lambda: Frame.about(turn["axis"], turn["angle"], position), place, label, "rotation"
        )
    return where.guard(lambda: Frame(position, turn), place, label)


def _from_rpy(angles: Any, position: Any) -> Frame:
    if not isinstance(angles, list) or len(angles) != 3:
        raise ModelError(
            f"rpy = {angles!r} is not three angles; give [roll, pitch, yaw] in rad", None, "rpy"
        )
    return Frame.rpy(*angles, position=position)


def located(error: PartError, path: str | os.PathLike[str]) -> str:
    """The message of an error about a part of a file's model that came up after reading, with
    "file:line: " in front.
    """
    if error.part is None:
        return str(error)
    text = read_text(path)
    data = _parse(text, os.fspath(path))
    return str(_TomlSource(os.fspath(path), text, data).error(_place_of(error, data), str(error)))


def _place_of(error: PartError, data: Table) -> Place:
    """Where the part that a Model complains about stands in the file; of equal names the last."""
    kind, name = error.part or ("model", "")
    entries = data.get(kind, []) if kind in ("body", *GROUPS) else []
    found = [i for i, entry in enumerate(entries) if name in (entry.get("name"), i + 1)]
    last = () if error.field is None else (error.field,)
    return (kind, found[-1], *last) if found else last


class _TomlSource:
    """The text, its name and its data; finds lines and words errors."""

    def __init__(self, source: str, text: str, data: Table) -> None:
        self.source = source
        self.text = text
        self.data = data

    @cached_property
    def lines(self) -> dict[Place, int]:
        return line_numbers(self.text)

    def line(self, place: Place) -> int:
        """The line of a place, else of the innermost known place around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)

    def error(
        self,
        place: Place,
        message: str,
        label: str = "",
        part: PartName | None = None,
        field: str | None = None,
    ) -> ModelError:
        if label and not message.startswith(label):
            message = f"{label}: {message}"
        return ModelError(
            f"{self.source}:{self.line(place)}: {message}", part or self._part(place), field
        )

    def guard(
        self, make: Callable[[], Any], place: Place, label: str, key: str | None = None
    ) -> Any:
        """make(), with the errors of a part turned into errors of the file, at the field at fault
        or at `key`.
        """
        try:
            return make()
        except (ModelError, OptionError) as error:
            field = getattr(error, "field", None)
            # "positions[3]" is an entry of a field
            whole, _, index = (field or "").rstrip("]").partition("[")
            entry = (int(index),) if index.isdecimal() else ()
            steps = [step for step in (key, whole) if step]
            inner = [
                (*place, *steps, *entry),
                (*place, *steps),
                *((*place, step) for step in reversed(steps)),
                place,
            ]
            raise self.error(
                next((at for at in inner if at in self.lines), place),
                str(error),
                label,
                field=field,
            ) from None

    def _part(self, place: Place) -> PartName | None:
        """(kind, name), or (kind, number from 1) where there is no name."""
        if len(place) < 2 or not isinstance(place[1], int):
            return None
        kind, index = str(place[0]), place[1]
        name = self.data[kind][index].get("name")
        return kind, name if name and isinstance(name, str) else index + 1


# ---- writing


def write_model(model: Model, path: str | os.PathLike[str], force: bool = False) -> None:
    """Writes the model as TOML, whole or not at all; an existing file is kept unless `force`."""
    check_absent(path, force)
    write_text(path, model_to_toml(model), force)


def model_to_toml(model: Model) -> str:
    """The model as TOML text, from which model_from_toml makes an equal one."""
    lines = [
        f"hamiltree = {SCHEMA}",
        f"name = {_quote(model.name)}",
        f"gravity = {_text(model.gravity)}",
    ]
    for body in model.bodies:
        _write_body(body, lines)
    for kind, (group, registry) in GROUPS.items():
        for i, part in enumerate(getattr(model, group)):
            lines += [
                "",
                f"[[{kind}]]",
                _kind_line(part, registry, "kind", (kind, part.name or i + 1)),
            ]
            lines += _field_lines(part, (kind, part.name or i + 1))
    return "\n".join(lines) + "\n"


def _write_body(body: Body, lines: list[str]) -> None:
    who = ("body", body.name)
    lines += ["", "[[body]]", *_field_lines(body, who, hidden=("visuals",))]
    if body.particles is not None and body.mass_properties == NO_MASS:
        lines.append("mass = 0.0")  # said, because it would follow from the particles
    for shape in body.visuals:
        lines += [
            "[[body.visual]]",
            _kind_line(shape, SHAPES, "shape", who),
            *_field_lines(shape, who),
        ]


def _kind_line(part: Any, registry: Mapping[str, type], key: str, who: PartName) -> str:
    if registry.get(part.kind) is not type(part):
        _refuse_functions(part, who)
        raise ModelError(
            f"{_describe_part(who)}: {type(part).__name__} is not a registered kind, a file could "
            "not be "
            "read back; "
            f"register it, or keep the model in Python",
            who,
            key,
        )
    return f"{key} = {_quote(part.kind)}"


def _field_lines(part: Any, who: PartName, hidden: tuple[str, ...] = ()) -> list[str]:
    """key = value for every field that is not at its default."""
    lines = []
    for field in fields(part):
        value = getattr(part, field.name)
        if field.name in hidden or _is_default(value, field):
            continue
        if field.name == "inertia":
            value = _shorten_inertia(value)
        try:
            lines.append(f"{field.name} = {_text(value)}")
        except TypeError:
            _refuse_functions(part, who)
            raise ModelError(
                f"{_describe_part(who)}: {field.name} holds a {type(value).__name__}, which a file "
                "cannot",
                who,
                field.name,
            ) from None
    return lines


def _is_default(value: Any, field: Field[Any]) -> bool:
    return value is field.default or (type(value) is type(field.default) and value == field.default)


def _shorten_inertia(tensor: Any) -> Any:
    """The three principal values of a diagonal inertia."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return tensor if xy or xz or yz else (xx, yy, zz)


def _refuse_functions(part: Any, who: PartName) -> None:
    for field in fields(part):
        value = getattr(part, field.name)
        if callable(value):
            called = getattr(value, "__name__", type(value).__name__)
            raise ModelError(
                f"{_describe_part(who)}: {field.name} is the Python function {called!r}, which a "
                "file cannot "
                "hold; "
                "keep the model in Python, or remove this part before writing",
                who,
                field.name,
            )


def _describe_part(who: PartName) -> str:
    return f"{who[0]} {who[1]!r}"


def _text(value: Any) -> str:
    """A value in TOML; floats by repr, which reads back exactly."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (float, int)):
        return repr(value)
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join([_text(item) for item in value]) + "]"
    if isinstance(value, Frame):
        return _frame_text(value)
    if isinstance(value, Particles):
        return _table_text(value)
    if isinstance(value, Potential):
        return _table_text(value, kind=value.kind)
    if isinstance(value, (NamedNumbers, PotentialTable)):
        return (
            "{ "
            + ", ".join([f"{_key(name)} = {_text(item)}" for name, item in value.items()])
            + " }"
        )
    raise TypeError


def _table_text(part: Any, **more: str) -> str:
    """A part within a part as an inline table of its fields that are not at their defaults."""
    given = {
        field.name: getattr(part, field.name)
        for field in fields(part)
        if not _is_default(getattr(part, field.name), field)
    }
    return (
        "{ "
        + ", ".join([f"{key} = {_text(value)}" for key, value in (more | given).items()])
        + " }"
    )


def _frame_text(frame: Frame) -> str:
    if frame.rotation == (1.0, 0.0, 0.0, 0.0):
        return _text(frame.position)
    place = "" if frame.position == ORIGIN else f"position = {_text(frame.position)}, "
    return f"{{ {place}rotation = {_text(frame.rotation)} }}"


SPECIAL = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}
ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f]')


BARE = re.compile("[A-Za-z0-9_-]+")


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _quote(name)


def _quote(text: str) -> str:
    return (
        '"'
        + ESCAPED.sub(lambda match: SPECIAL.get(match[0], f"\\u{ord(match[0]):04x}"), text)
        + '"'
    )
