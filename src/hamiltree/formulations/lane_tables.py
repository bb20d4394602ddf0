"""Systems whose tables differ from lane to lane: four members of an ensemble with other numbers.

`load` is typed by the axes of a table, so a table (n, k, 4) in the place of (n, k) is all that a
kernel needs. All numbers lie in one array (K, 4), of which the tables are parts: a member is put
into a lane by copying its K numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.callback import (
    Addresses,
    Callback,
    callback_table,
    make_callbacks,
    pointer_table,
    struct_type,
    type_of,
)
from hamiltree.compiled.callback import Request as LawRequest
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.user_code import code_table, with_lane_parameters
from hamiltree.forces.dispatch import (
    BODY_LAW_ENTRIES,
    JOINT_LAW_ENTRIES,
    BodyLawDispatch,
    JointLawDispatch,
    argument_types,
    tables_of,
)
from hamiltree.formulations.phase_space import PhaseSpace, SeparablePhaseSpace

Laws = JointLawDispatch | BodyLawDispatch
LAW_TABLES = (JointLawDispatch, BodyLawDispatch)


class LaneSystem(NamedTuple):
    """A System with tables in lanes, and the memory behind them."""

    system: Any
    numbers: np.ndarray  # (K, 4)

    def put(self, member: np.ndarray) -> None:
        """The numbers of one member into all lanes."""
        self.numbers[...] = member[:, None]


def is_table(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype == np.float64 and value.size > 0


def numbers_of(system: Any, laws: frozenset) -> np.ndarray:
    """All numbers of the tables that are put into lanes, one after the other; `laws`: which tables
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
                is_in_lanes = (name, k) in laws
                parts = [part for part in table if not (is_in_lanes and is_table(part))]
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
            others = [tables_of(getattr(system, name)) for system in systems[1:]]
            same = all(
                len(other) > k and comparable(tuple(other[k])) == comparable(tuple(table))
                for other in others
            )
            if not same:
                found.add((name, k))
    return frozenset(found)


# ---- tables in lanes -----------------------------------------------------------------------------
class Room:
    """Memory for tables, given out one after the other."""

    def __init__(self, count: int):
        self.numbers = rows(float, count, WIDTH)
        self.at = 0

    def table(self, like: np.ndarray) -> np.ndarray:
        """A read-only part of the memory in the shape of a table."""
        part = self.numbers[self.at : self.at + like.size].reshape(*like.shape, WIDTH)
        self.at += like.size
        part.flags.writeable = False
        return part


def lane_system(system: Any, laws: frozenset) -> LaneSystem:
    """The System with its tables in lanes, filled with its own numbers."""
    member = numbers_of(system, laws)
    room = Room(len(member))
    changed: dict[str, Any] = {}
    for name, value in zip(system._fields, system, strict=True):
        if is_table(value):
            changed[name] = room.table(value)
        elif isinstance(value, LAW_TABLES):
            chosen = {k for field, k in laws if field == name}
            if chosen:
                changed[name] = laws_in_lanes(value, chosen, room)
    if isinstance(system, (PhaseSpace, SeparablePhaseSpace)):
        changed["code"] = code_table([with_lane_parameters(system.code.targets[0])])
    made = LaneSystem(system._replace(**changed), room.numbers)
    made.put(member)
    return made


def laws_in_lanes(laws: Laws, chosen: set[int], room: Room) -> Laws:
    """The laws with the chosen tables in lanes, called by code that is compiled for them."""
    is_joint = isinstance(laws, JointLawDispatch)
    entries = JOINT_LAW_ENTRIES if is_joint else BODY_LAW_ENTRIES
    tables, code = [], []
    for k, table in enumerate(tables_of(laws)):
        if k not in chosen:
            tables.append(table)
            code.append(list(laws.code.targets[k]))
            continue
        made = type(table)(*(room.table(part) if is_table(part) else part for part in table))
        tables.append(made)
        code.append(lane_callbacks(entries, made, table, is_joint))
    addresses: Addresses = pointer_table([(table,) for table in tables])
    return type(laws)(callback_table(code, 6), addresses, laws.has_any)


def lane_callbacks(entries: tuple, made: Any, table: Any, is_joint: bool) -> list[Callback]:
    """Each function for lanes, in both places: nothing asks for floats."""
    own = struct_type(type_of(made))
    arguments = argument_types(is_joint, WIDTH, table)
    requests = [
        LawRequest(function, (own, struct_type(*types)))
        for function, types in zip(entries, arguments, strict=True)
    ]
    (found,) = make_callbacks([requests])
    return [each for one in found for each in (one, one)]
