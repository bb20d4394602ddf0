"""Models written as TOML; reading the text back gives an equal model."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import Field, fields
from typing import Any

from hamiltree.errors import ModelError
from hamiltree.files.safe_write import check_absent, write_text
from hamiltree.files.toml_source import GROUPS, SCHEMA, PartName
from hamiltree.model.bodies import Body
from hamiltree.model.formulas import NamedNumbers
from hamiltree.model.frames import NamedFrames
from hamiltree.model.limits import Limits
from hamiltree.model.model import Model
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import Potential, PotentialTable
from hamiltree.model.shapes import SHAPES, MassProperties
from hamiltree.model.values import ORIGIN, Frame

NO_MASS = MassProperties()
BARE = re.compile("[A-Za-z0-9_-]+")  # a key that needs no quotes
ESCAPED = re.compile(r'[\x00-\x1f"\\\x7f]')
SPECIAL = {
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\f": "\\f",
    "\r": "\\r",
    '"': '\\"',
    "\\": "\\\\",
}


def write_model(model: Model, path: str | os.PathLike[str], force: bool = False) -> None:
    """Write the model as TOML, whole or not at all; an existing file is kept unless `force`."""
    check_absent(path, force)
    write_text(path, model_to_toml(model), force)


def model_to_toml(model: Model) -> str:
    """The model as TOML text, from which model_from_toml makes an equal one."""
    lines = [
        f"hamiltree = {SCHEMA}",
        f"name = {_quote(model.name)}",
        f"gravity = {_text(model.gravity)}",
        *(f"{name} = {_text(value)}" for name, value in model.times.items()),
    ]
    for body in model.bodies:
        _write_body(body, lines)
    for kind, (group, registry) in GROUPS.items():
        for number, part in enumerate(getattr(model, group), 1):
            who = (kind, part.name or number)
            lines += ["", f"[[{kind}]]", _kind_line(part, registry, "kind", who)]
            lines += _field_lines(part, who)
    return "\n".join(lines) + "\n"


def _write_body(body: Body, lines: list[str]) -> None:
    """Append the tables of a body and of its shapes to the lines."""
    who = ("body", body.name)
    lines += ["", "[[body]]", *_field_lines(body, who, hidden=("visuals",))]
    if body.particles is not None and body.mass_properties == NO_MASS:
        lines.append("mass = 0.0")  # without it the mass would be that of the particles
    for shape in body.visuals:
        lines += ["[[body.visual]]", _kind_line(shape, SHAPES, "shape", who)]
        lines += _field_lines(shape, who)


def _kind_line(part: Any, registry: Mapping[str, type], key: str, who: PartName) -> str:
    """kind = "…"; a part of no registered kind is refused, because it could not be read back."""
    if registry.get(part.kind) is not type(part):
        _refuse_functions(part, who)
        raise ModelError(
            f"{_describe_part(who)}: {type(part).__name__} is not a registered kind, so a "
            "file could not be read back; register it, or keep the model in Python",
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
                "cannot hold",
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
    """Raise an error if a field is a Python function, which has no text."""
    for field in fields(part):
        value = getattr(part, field.name)
        if callable(value):
            called = getattr(value, "__name__", type(value).__name__)
            raise ModelError(
                f"{_describe_part(who)}: {field.name} is the Python function {called!r}, which a "
                "file cannot hold; keep the model in Python, or remove this part before writing",
                who,
                field.name,
            )


def _describe_part(who: PartName) -> str:
    return f"{who[0]} {who[1]!r}"


# ---- values --------------------------------------------------------------------------------------
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
    if isinstance(value, (Particles, Limits)):
        return _table_text(value)
    if isinstance(value, Potential):
        return _table_text(value, kind=value.kind)
    if isinstance(value, (NamedNumbers, NamedFrames, PotentialTable)):
        return _inline_table(value.items())
    raise TypeError


def _table_text(part: Any, **more: str) -> str:
    """A part within a part as an inline table of its fields that are not at their defaults."""
    given = {
        field.name: getattr(part, field.name)
        for field in fields(part)
        if not _is_default(getattr(part, field.name), field)
    }
    return _inline_table((more | given).items())


def _inline_table(items: Iterable[tuple[str, Any]]) -> str:
    entries = [f"{_key(name)} = {_text(value)}" for name, value in items]
    return "{ " + ", ".join(entries) + " }"


def _frame_text(frame: Frame) -> str:
    if frame.rotation == (1.0, 0.0, 0.0, 0.0):
        return _text(frame.position)
    place = "" if frame.position == ORIGIN else f"position = {_text(frame.position)}, "
    return f"{{ {place}rotation = {_text(frame.rotation)} }}"


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _quote(name)


def _quote(text: str) -> str:
    """A TOML string with its special characters escaped."""
    escaped = ESCAPED.sub(lambda match: SPECIAL.get(match[0], f"\\u{ord(match[0]):04x}"), text)
    return f'"{escaped}"'
