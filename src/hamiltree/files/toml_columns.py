"""Many tables of a file with the same keys as parts of a model, checked column by column.

The checks are those of the parts themselves (model/values.py), a little stricter: where a column
does not surely pass, the tables are left to be read one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from operator import eq, itemgetter
from typing import Any

import numpy as np

from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import OneAxis
from hamiltree.model.many_parts import make_many
from hamiltree.model.values import UNIT_TOLERANCE, Frame, diagonal

Table = dict[str, Any]
Columns = dict[str, Any]

AT_ONCE = 1000  # tables
FEW = 8  # tables that are quicker one by one
NAMES = ("name", "parent", "child")
FRAMES = ("on_parent", "on_child")


class NotUsual(Exception):
    """A column does not surely pass."""


def runs_alike(tables: Iterable[tuple[str, Table]]) -> Iterator[tuple[str, list[Table]]]:
    """(kind, tables) of those with the same keys that follow each other, some at once."""
    run: list[Table] = []
    signature: tuple = ()
    for header, table in tables:
        own = header, table.get("kind"), *table
        if run and (own != signature or len(run) == AT_ONCE):
            yield signature[0], run
            run = []
        signature = own
        run.append(table)
    if run:
        yield signature[0], run


def parts_by_columns(kind: type | None, tables: list[Table]) -> list[Any] | None:
    """The parts of tables with the same keys, or None where they are better read one by one."""
    if kind is None or len(tables) < FEW or len(tables[0]) < 2:
        return None
    check = _body_columns if kind is Body else _joint_columns if _has_one_axis(kind) else None
    if check is None:
        return None
    keys = list(tables[0])
    given = dict(zip(keys, zip(*map(itemgetter(*keys), tables), strict=True), strict=True))
    try:
        return make_many(kind, len(tables), **check(given))
    except (NotUsual, KeyError, TypeError):
        return None


def _has_one_axis(kind: type) -> bool:
    """Whether it is a joint without checks of its own."""
    return issubclass(kind, OneAxis) and kind.__post_init__ is OneAxis.__post_init__


def _body_columns(given: Columns) -> Columns:
    """Bodies with a mass and principal moments."""
    _require(given.keys() == {"name", "mass", "com", "inertia"})
    masses, moments = given["mass"], _tuples(given["inertia"], 3)
    weights, (x, y, z) = _array([masses]), _array(moments).T
    half = 0.5 * (x + y + z)
    # as in `_is_surely_physical`; none is a point mass
    _require(np.minimum(np.minimum(half - x, half - y), half - z).min() >= 0.0)
    _require(weights.min() > 0.0 and half.min() > 0.0)
    return {
        "name": _names(given["name"], without=GROUND),
        "mass": masses,
        "com": _points(given["com"]),
        "inertia": map(diagonal, moments),
    }


def _joint_columns(given: Columns) -> Columns:
    """Axis and start are at their defaults."""
    given.pop("kind")
    _require(given.keys() <= {*NAMES, *FRAMES})
    columns = {name: _names(given[name]) for name in NAMES}
    _require(not any(map(eq, columns["parent"], columns["child"])))
    return columns | {key: _frames(given[key]) for key in FRAMES if key in given}


def _frames(tables: tuple[Table, ...]) -> list[Frame]:
    _require(all(table.keys() == {"position", "rotation"} for table in tables))
    turns = _tuples([table["rotation"] for table in tables], 4)
    norms = np.sqrt((_array(turns) ** 2).sum(1))
    _require(abs(norms - 1.0).max() <= 0.75 * UNIT_TOLERANCE)  # NumPy may round otherwise
    positions = _points([table["position"] for table in tables])
    return make_many(Frame, len(tables), position=positions, rotation=turns)


def _names(column: tuple[str, ...], without: str = "") -> tuple[str, ...]:
    is_plain = set(map(type, column)) == {str} and all(column) and "".join(column).isascii()
    _require(is_plain and not (without and without in column))
    return column


def _points(column: Iterable[Any]) -> list[tuple]:
    points = _tuples(column, 3)
    _array(points)
    return points


def _tuples(column: Iterable[Any], length: int) -> list[tuple]:
    """Lists of so many entries as tuples."""
    made = list(map(tuple, column))
    _require(set(map(len, made)) == {length})
    return made


def _array(rows: list[tuple]) -> np.ndarray:
    """Rows of finite floats."""
    entries = list(chain.from_iterable(rows))
    _require(set(map(type, entries)) == {float})
    array = np.array(entries).reshape(len(rows), -1)
    _require(bool(np.isfinite(array).all()))
    return array


def _require(is_usual: Any) -> None:
    if not is_usual:
        raise NotUsual
