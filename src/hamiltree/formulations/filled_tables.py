"""Systems whose tables are filled anew for each member of an ensemble.

All numbers lie in one array, of which the tables are parts: a member is put there by copying its K
numbers, and nothing is assembled or compiled anew. With lanes it is (K, 4): `load` is typed by the
axes of a table, so a table (n, k, 4) in the place of (n, k) is all that a kernel needs, because
kernels do not branch on numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.callback import pointer_table
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.user_code import code_table, with_lane_parameters
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    JointLawDispatch,
    tables_of,
    with_lane_tables,
)

LAW_TABLES = (JointLawDispatch, BodyLawDispatch)


class FilledSystem(NamedTuple):
    """A System whose tables are filled anew, and the memory behind them."""

    system: Any
    numbers: np.ndarray  # (K,), or (K, 4)

    def put(self, member: np.ndarray) -> None:
        """The numbers of one member, into all lanes."""
        self.numbers[...] = member if self.numbers.ndim == 1 else member[:, None]


def is_table(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.size > 0


def numbers_of(system: Any, laws: frozenset) -> np.ndarray:
    """All numbers of the tables that are filled, one after the other; `laws`: which tables
    of laws are among them, as (field, number).
    """
    found = []
    for name, value in zip(system._fields, system, strict=True):
        if is_table(value):
            found.append(value.ravel())
        elif isinstance(value, LAW_TABLES):
            for k, table in enumerate(tables_of(value)):
                if (name, k) in laws:
                    found += [part.ravel() for part in table if is_table(part)]
    return np.concatenate(found) if found else np.zeros(0)


def rest_of(system: Any, laws: frozenset) -> tuple:
    """What must be the same in all members: everything else, to be compared."""
    found: list[Any] = [system.layout, system.facts]
    for name, value in zip(system._fields, system, strict=True):
        if isinstance(value, LAW_TABLES):
            for k, table in enumerate(tables_of(value)):
                is_filled = (name, k) in laws
                parts = [part for part in table if not (is_filled and is_table(part))]
                found.append((type(table), *map(comparable, parts)))
        elif is_table(value):
            found.append(value.shape)
        elif name not in ("layout", "facts"):
            found.append(comparable(value))
    return tuple(found)


def comparable(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.shape, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(comparable, value))
    return value


def differing_laws(systems: list[Any]) -> frozenset:
    """The tables of laws that are not the same in all of these Systems."""
    found = set()
    first = systems[0]
    for name, value in zip(first._fields, first, strict=True):
        if not isinstance(value, LAW_TABLES):
            continue
        for k, table in enumerate(tables_of(value)):
            others = [tables_of(system._asdict()[name]) for system in systems[1:]]
            same = all(
                len(other) > k and comparable(tuple(other[k])) == comparable(tuple(table))
                for other in others
            )
            if not same:
                found.add((name, k))
    return frozenset(found)


# ---- tables that are filled ----------------------------------------------------------------------
class Room:
    """Memory for tables, given out one after the other."""

    def __init__(self, count: int, width: int):
        self.numbers = rows(float, count, width)
        self.at = 0

    def table(self, like: np.ndarray) -> np.ndarray:
        """A read-only part of the memory in the shape of a table."""
        part = self.numbers[self.at : self.at + like.size]
        part = part.reshape(*like.shape, *self.numbers.shape[1:])
        self.at += like.size
        part.flags.writeable = False
        return part


def filled_system(system: Any, laws: frozenset, width: int) -> FilledSystem:
    """The System with tables that are filled anew, at first with its own numbers: of floats, or of
    lanes, for which other code is made.
    """
    member = numbers_of(system, laws)
    room = Room(len(member), width)
    changed: dict[str, Any] = {}
    for name, value in zip(system._fields, system, strict=True):
        if is_table(value):
            changed[name] = room.table(value)
        elif isinstance(value, LAW_TABLES):
            own = [k for field, k in sorted(laws) if field == name]
            changed[name] = fill_laws(value, own, room) if own else value
    made = FilledSystem(system._replace(**changed), room.numbers)
    made.put(member)
    return made


def fill_laws(laws: Any, own: list[int], room: Room) -> Any:
    """Laws of which some have tables that are filled."""
    tables = tables_of(laws)
    for k in own:
        parts = (room.table(part) if is_table(part) else part for part in tables[k])
        tables[k] = type(tables[k])(*parts)
    found = laws._replace(table=pointer_table([(table,) for table in tables]))
    return found if room.numbers.ndim == 1 else with_lane_tables(found, own)


def lane_parameters(system: Any) -> FilledSystem:
    """What is typed in, with parameters of its own in each lane."""
    room = Room(len(system.parameters), WIDTH)
    code = code_table([with_lane_parameters(system.code.targets[0])])
    made = system._replace(parameters=room.table(system.parameters), code=code)
    filled = FilledSystem(made, room.numbers)
    filled.put(np.asarray(system.parameters))
    return filled
