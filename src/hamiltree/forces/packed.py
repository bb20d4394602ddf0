"""The laws of a model behind addresses: code and table of each law that it has.

A System is handed to every compiled function, array by array, and whatever a function may call is
compiled with it; twenty laws would be most of both. So each law is compiled by itself, when a model
first uses it, and called by its address with the address of its table:
a law that nobody uses costs nothing, and one more law compiles nothing else.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.callback import (
    Addresses,
    Callback,
    Request,
    address_at,
    array_type,
    call,
    callback,
    callback_table,
    callbacks,
    chosen_rows,
    entry,
    integers_type,
    number_type,
    pointer_table,
    record_type,
    struct_type,
    type_of,
    unpack_one,
)
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, alike, load, store, width_place
from hamiltree.compiled.pointer import unpack
from hamiltree.forces.laws import (
    BODY_LAWS,
    JOINT_LAWS,
    ROOMS,
    Bodies,
    Law,
    effort_of,
    held_in,
    push_between,
    push_in,
    push_load,
    spent,
    stored,
    tabulate,
    whole_push,
)


class LawsOfJoints(NamedTuple):
    code: Addresses  # (laws, 6) of efforts, energy, power, each for floats and for lanes
    table: Addresses  # (laws,)
    has_any: bool


class LawsOfBodies(NamedTuple):
    code: Addresses  # (laws, 6) of wrenches, energy, wrenches of loads
    table: Addresses
    has_any: bool


class LawsBetween(NamedTuple):
    """The laws on bodies that know a discrete gradient between two states."""

    code: Addresses  # (laws, 2) for floats and lanes
    table: Addresses
    law: np.ndarray  # (laws,) which of LawsOfBodies
    is_whole: bool  # whether these are all that have a potential, and none of it jumps
    has_lists: bool  # whether some were left out because they have lists of neighbours


# ---- what is compiled for each law ---------------------------------------------------------------
@entry
def add_efforts_of(table, arguments):
    (law,) = unpack(table)
    t, y, ydot, momenta = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(ydot, momenta + law.at[k], effort_of(law, k, t, y, ydot))


@entry
def add_joint_energy_of(table, arguments):
    (law,) = unpack(table)
    t, y, total = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, stored(law, k, t, load(y, law.at[k])))


@entry
def add_joint_power_of(table, arguments):
    (law,) = unpack(table)
    t, y, ydot, total = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, spent(law, k, t, y, ydot))


@entry
def push_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, room = unpack(arguments)
    push_in(law, t, bodies, unpack_one(room))


@entry
def add_body_energy_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, room, total = unpack(arguments)
    add(total, 0, held_in(law, t, bodies, unpack_one(room)))


@entry
def push_load_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, _ = unpack(arguments)
    push_load(law, t, bodies)


@entry
def push_between_of(table, arguments):
    (law,) = unpack(table)
    t, begin, end, room, force, moment = unpack(arguments)
    push_between(law, t, begin, end, unpack_one(room), force, moment)


EFFORT, JOINT_ENERGY, JOINT_POWER = PUSH, BODY_ENERGY, PUSH_LOAD = range(3)
OF_JOINTS = (add_efforts_of, add_joint_energy_of, add_joint_power_of)
OF_BODIES = (push_of, add_body_energy_of, push_load_of)


# ---- making addresses ----------------------------------------------------------------------------
def bodies_type(width: int):
    return record_type(Bodies, [*[array_type(2, width)] * 4, integers_type()])


def room_type(table, width: int):
    """Of what a law keeps from call to call; of one that keeps nothing, nothing."""
    maker = ROOMS.get(type(table))
    return struct_type() if maker is None else struct_type(type_of(maker(table, width)))


def argument_types(is_joint: bool, width: int, table) -> tuple[tuple, ...]:
    """Of the three functions of a law."""
    t, y = number_type(width), array_type(1, width)
    if is_joint:
        return (t, y, y, type_of(0)), (t, y, y), (t, y, y, y)
    bodies, room = bodies_type(width), room_type(table, width)
    return (t, bodies, room), (t, bodies, room, y), (t, bodies, room)


def law_request(function, table, arguments: tuple) -> Request:
    return Request(function, (struct_type(type_of(table)), struct_type(*arguments)))


def law_callback(function, table, arguments: tuple) -> Callback:
    return callback(function, *law_request(function, table, arguments).signature)


def packed(tables, functions, is_joint: bool) -> tuple[Addresses, Addresses, bool]:
    """Addresses of the laws' functions and of their tables, which are kept behind them."""
    code = callbacks([law_requests(functions, table, is_joint) for table in tables])
    return callback_table(code, 6), pointer_table([(table,) for table in tables]), len(tables) > 0


def law_requests(functions, table, is_joint: bool) -> list[Request]:
    """Of each function of a law, for floats and for lanes."""
    of_floats, of_lanes = (argument_types(is_joint, width, table) for width in (1, 4))
    own = struct_type(type_of(table))
    pairs = zip(functions, of_floats, of_lanes, strict=True)
    return [
        Request(function, (own, struct_type(*types))) for function, *both in pairs for types in both
    ]


def tables_of(laws: LawsOfJoints | LawsOfBodies) -> list:
    """The Python tables of the laws."""
    return [pointer.parts[0] for pointer in laws.table.behind]


def present(laws: list[Law], forces) -> list[Law]:
    """Those that some force asks for."""
    kinds = set(map(type, forces))
    return [law for law in laws if law.part in kinds]


def laws_of_joints(forces, placement) -> LawsOfJoints:
    found = tabulate(present(JOINT_LAWS, forces), forces, placement) if forces else ()
    tables = [table for table in found if len(table.at)]
    return LawsOfJoints(*packed(tables, OF_JOINTS, True))


def laws_of_bodies(forces, placement) -> LawsOfBodies:
    found = tabulate(present(BODY_LAWS, forces), forces, placement) if forces else ()
    tables = [table for table in found if len(table.row)]
    return LawsOfBodies(*packed(tables, OF_BODIES, False))


def laws_between(laws: LawsOfBodies, widths=(1,)) -> LawsBetween:
    """Those of the laws that answer `push_between`; for lanes only where asked for."""
    tables = tables_of(laws)
    known = [k for k, table in enumerate(tables) if push_between.answers(type(table))]
    able = [k for k in known if not tables[k].has_lists]
    code = [
        [between_callback(tables[k], width if width in widths else widths[0]) for width in (1, 4)]
        for k in able
    ]
    is_load = [push_load.generic.methods[type(table),] is whole_push for table in tables]
    is_whole = all(is_load[k] or (k in able and not table.jumps) for k, table in enumerate(tables))
    return LawsBetween(
        callback_table(code, 2),
        chosen_rows(laws.table, able),
        np.array(able, dtype=np.int64),
        is_whole,
        len(able) < len(known),
    )


def between_callback(table, width: int) -> Callback:
    t, bodies, plain = number_type(width), bodies_type(width), array_type(2, width)
    return law_callback(
        push_between_of, table, (t, bodies, bodies, room_type(table, width), plain, plain)
    )


def laws_beside(laws: LawsOfBodies, between: LawsBetween) -> LawsOfBodies:
    """The laws that are not among those of `between`."""
    others = [k for k in range(len(laws.table)) if k not in between.law]
    return LawsOfBodies(
        chosen_rows(laws.code, others), chosen_rows(laws.table, others), len(others) > 0
    )


def rooms(laws: LawsOfBodies, width: int) -> Addresses:
    """Addresses of what each law keeps from call to call, for `Bodies.room` of a Work."""
    made = [
        (ROOMS[type(table)](table, width),) if type(table) in ROOMS else ()
        for table in tables_of(laws)
    ]
    return pointer_table(made or [()])


# ---- calling them --------------------------------------------------------------------------------
@inlined
def act_on_joints(laws, t, y, ydot, momenta):
    """Add every effort to the momentum rows of ydot, which begin at row `momenta`."""
    number = alike(t, load(y, 0))
    for k in range(laws.table.shape[0]):
        call(
            laws.code,
            k,
            2 * EFFORT + width_place(number),
            laws.table,
            k,
            (number, y, ydot, momenta),
        )


@inlined
def energy_of_joints(laws, t, y, total):
    """Potential energy of the laws along joints; total is room for one number."""
    number = alike(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call(
            laws.code, k, 2 * JOINT_ENERGY + width_place(number), laws.table, k, (number, y, total)
        )
    return load(total, 0)


@inlined
def power_of_joints(laws, t, y, ydot, total):
    """Power of dampers and loads along joints."""
    number = alike(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call(
            laws.code,
            k,
            2 * JOINT_POWER + width_place(number),
            laws.table,
            k,
            (number, y, ydot, total),
        )
    return load(total, 0)


@inlined
def act_on_bodies(laws, t, bodies):
    """Add every wrench."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        call(
            laws.code,
            k,
            2 * PUSH + width_place(number),
            laws.table,
            k,
            (number, bodies, address_at(bodies.room, k)),
        )


@inlined
def energy_of_bodies(laws, t, bodies, total):
    """Potential energy of the laws on bodies."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call(
            laws.code,
            k,
            2 * BODY_ENERGY + width_place(number),
            laws.table,
            k,
            (number, bodies, address_at(bodies.room, k), total),
        )
    return load(total, 0)


@inlined
def load_bodies(laws, t, bodies):
    """Add every wrench that is no change of potential energy."""
    number = alike(t, load(bodies.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        call(
            laws.code,
            k,
            2 * PUSH_LOAD + width_place(number),
            laws.table,
            k,
            (number, bodies, address_at(bodies.room, k)),
        )


@inlined
def act_between(laws, t, begin, end, force, moment):
    """Add force and Σ f Xᵀ of every law between two states; of one with itself, those of that
    state.
    """
    number = alike(t, load(begin.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        arguments = (number, begin, end, address_at(begin.room, laws.law[k]), force, moment)
        call(laws.code, k, width_place(number), laws.table, k, arguments)
