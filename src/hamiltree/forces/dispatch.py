"""The laws of a model behind addresses: code and table of each law that it has.

A System is handed to every compiled function, array by array, and whatever a function may call is
compiled with it; twenty laws would be most of both. So each law is compiled by itself, when a model
first uses it, and called by its address with the address of its table:
a law that nobody uses costs nothing, and one more law compiles nothing else.
"""

from typing import Any, NamedTuple

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
    entry,
    integers_type,
    make_callbacks,
    number_type,
    pointer_table,
    record_type,
    select_rows,
    struct_type,
    type_of,
    unpack_one,
)
from hamiltree.compiled.compile_errors import explain_failures
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, broadcast_like, load, store, width_index
from hamiltree.compiled.pointer import unpack
from hamiltree.forces.laws import (
    BODY_LAWS,
    JOINT_LAWS,
    LAW_STATE_ALLOCATORS,
    Bodies,
    Law,
    add_discrete_gradient_forces,
    add_load_wrenches,
    add_no_load_wrenches,
    add_wrenches_as_load,
    add_wrenches_with_state,
    add_wrenches_without_state,
    body_potential_energy_with_state,
    dissipated_power,
    generalised_force_at_state,
    joint_potential_energy,
    tabulate,
)


class JointLawDispatch(NamedTuple):
    # (laws, 6) of generalised forces, energy, power, each for floats and for lanes
    code: Addresses
    table: Addresses  # (laws,)
    has_any: bool


class BodyLawDispatch(NamedTuple):
    code: Addresses  # (laws, 6) of wrenches, energy, wrenches of loads
    table: Addresses
    has_any: bool


class DiscreteGradientLaws(NamedTuple):
    """The laws on bodies that know a discrete gradient between two states."""

    code: Addresses  # (laws, 2) for floats and lanes
    table: Addresses
    law: np.ndarray  # (laws,) which of BodyLawDispatch
    is_whole: bool  # whether these are all that have a potential, and none of it jumps
    has_lists: bool  # whether some were left out because they have lists of neighbours


# ---- what is compiled for each law ---------------------------------------------------------------
@entry
def add_generalised_forces_of(table, arguments):
    (law,) = unpack(table)
    t, y, ydot, momenta = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(ydot, momenta + law.at[k], generalised_force_at_state(law, k, t, y, ydot))


@entry
def add_joint_energy_of(table, arguments):
    (law,) = unpack(table)
    t, y, total = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, joint_potential_energy(law, k, t, load(y, law.at[k])))


@entry
def add_joint_power_of(table, arguments):
    (law,) = unpack(table)
    t, y, ydot, total = unpack(arguments)
    for k in range(law.at.shape[0]):
        add(total, 0, dissipated_power(law, k, t, y, ydot))


@entry
def add_wrenches_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, law_state = unpack(arguments)
    add_wrenches_with_state(law, t, bodies, unpack_one(law_state))


@entry
def add_body_energy_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, law_state, total = unpack(arguments)
    add(total, 0, body_potential_energy_with_state(law, t, bodies, unpack_one(law_state)))


@entry
def add_load_wrenches_of(table, arguments):
    (law,) = unpack(table)
    t, bodies, _ = unpack(arguments)
    add_load_wrenches(law, t, bodies)


@entry
def add_nothing(table, arguments):
    """In the place of a function that does nothing, whatever the law: compiled once for all."""


@entry
def add_discrete_gradient_forces_of(table, arguments):
    (law,) = unpack(table)
    t, begin, end, law_state, force, moment = unpack(arguments)
    add_discrete_gradient_forces(law, t, begin, end, unpack_one(law_state), force, moment)


GENERALISED_FORCE, JOINT_ENERGY, JOINT_POWER = WRENCHES, BODY_ENERGY, LOAD_WRENCHES = range(3)
JOINT_LAW_ENTRIES = (add_generalised_forces_of, add_joint_energy_of, add_joint_power_of)
BODY_LAW_ENTRIES = (add_wrenches_of, add_body_energy_of, add_load_wrenches_of)


# ---- making addresses ----------------------------------------------------------------------------
def bodies_type(width: int):
    return record_type(Bodies, [*[array_type(2, width)] * 4, integers_type()])


def law_state_type(table, width: int):
    """Of what a law keeps from call to call; of one that keeps nothing, nothing."""
    maker = LAW_STATE_ALLOCATORS.get(type(table))
    return struct_type() if maker is None else struct_type(type_of(maker(table, width)))


def argument_types(is_joint: bool, width: int, table) -> tuple[tuple, ...]:
    """Of the three functions of a law."""
    t, y = number_type(width), array_type(1, width)
    if is_joint:
        return (t, y, y, type_of(0)), (t, y, y), (t, y, y, y)
    bodies, law_state = bodies_type(width), law_state_type(table, width)
    return (t, bodies, law_state), (t, bodies, law_state, y), (t, bodies, law_state)


def law_request(function, table, arguments: tuple) -> Request:
    return Request(function, (struct_type(type_of(table)), struct_type(*arguments)))


def law_callback(function, table, arguments: tuple) -> Callback:
    return callback(function, *law_request(function, table, arguments).signature)


def make_dispatch_tables(tables, functions, is_joint: bool) -> tuple[Addresses, Addresses, bool]:
    """Addresses of the laws' functions and of their tables, which are kept behind them."""
    requests = [law_requests(functions, table, is_joint) for table in tables]
    code = compile_laws(tables, requests)
    return callback_table(code, 6), pointer_table([(table,) for table in tables]), len(tables) > 0


def compile_laws(tables, requests: list[list[Request]]) -> list[list[Callback]]:
    """Of laws with these tables, a row each."""
    named = {
        each: f"{each.dispatcher.__name__} {type(table).__name__}"
        for table, row in zip(tables, requests, strict=True)
        for each in row
    }
    with explain_failures(named):
        return make_callbacks(requests)


def law_requests(functions, table, is_joint: bool) -> list[Request]:
    """Of each function of a law, for floats and for lanes."""
    of_floats, of_lanes = (argument_types(is_joint, width, table) for width in (1, 4))
    own = struct_type(type_of(table))
    pairs = zip(functions, of_floats, of_lanes, strict=True)
    made = [
        Request(function, (own, struct_type(*types))) for function, *both in pairs for types in both
    ]
    return made if is_joint else share_load_wrenches(made, table)


def share_load_wrenches(requests: list[Request], table) -> list[Request]:
    """Requests of a law on bodies, without code of their own for its loads where it has none, or
    where they are all that it does.
    """
    wrenches, loads = 2 * WRENCHES, 2 * LOAD_WRENCHES
    does_all = add_wrenches_with_state.generic.find(type(table)) is add_wrenches_without_state
    if load_method(table) is add_no_load_wrenches:
        requests[loads:] = 2 * [Request(add_nothing, (struct_type(), struct_type()))]
    elif load_method(table) is add_wrenches_as_load and does_all:
        requests[loads:] = requests[wrenches : wrenches + 2]
    return requests


def with_lane_tables(laws: Any, own: list[int]) -> Any:
    """The laws with code for tables of lanes where they have such; it is for lanes alone."""
    is_joint = isinstance(laws, JointLawDispatch)
    functions = JOINT_LAW_ENTRIES if is_joint else BODY_LAW_ENTRIES
    tables, code = tables_of(laws), [list(row) for row in laws.code.targets]
    filled = [tables[k] for k in own]
    requests = [law_requests(functions, table, is_joint)[1::2] for table in filled]
    for k, made in zip(own, compile_laws(filled, requests), strict=True):
        code[k][1::2] = made
    return laws._replace(code=callback_table(code, 6))


def tables_of(laws: JointLawDispatch | BodyLawDispatch) -> list:
    """The Python tables of the laws."""
    return [pointer.parts[0] for pointer in laws.table.targets]


def laws_in_use(laws: list[Law], forces) -> list[Law]:
    """Those that some force asks for."""
    kinds = set(map(type, forces))
    return [law for law in laws if law.part in kinds]


def make_joint_laws(forces, placement) -> JointLawDispatch:
    found = tabulate(laws_in_use(JOINT_LAWS, forces), forces, placement) if forces else ()
    tables = [table for table in found if len(table.at)]
    return JointLawDispatch(*make_dispatch_tables(tables, JOINT_LAW_ENTRIES, True))


def make_body_laws(forces, placement) -> BodyLawDispatch:
    found = tabulate(laws_in_use(BODY_LAWS, forces), forces, placement) if forces else ()
    tables = [table for table in found if len(table.row)]
    return BodyLawDispatch(*make_dispatch_tables(tables, BODY_LAW_ENTRIES, False))


def load_method(table):
    """What answers `add_load_wrenches` of a law."""
    return add_load_wrenches.generic.find(type(table))


def select_discrete_gradient_laws(
    laws: BodyLawDispatch, widths=(1,), *, with_loads: bool = True
) -> DiscreteGradientLaws:
    """Those of the laws that answer `add_discrete_gradient_forces`; for lanes only where asked
    for. Without loads: only those that have a potential and nothing else.
    """
    tables = tables_of(laws)
    known = [
        k
        for k, table in enumerate(tables)
        if add_discrete_gradient_forces.answers(type(table))
        and (with_loads or load_method(table) is add_no_load_wrenches)
    ]
    able = [k for k in known if not getattr(tables[k], "has_lists", False)]
    code = [
        [
            discrete_gradient_callback(tables[k], width if width in widths else widths[0])
            for width in (1, 4)
        ]
        for k in able
    ]
    is_load = [load_method(table) is add_wrenches_as_load for table in tables]
    is_whole = all(
        is_load[k] or (k in able and not getattr(table, "has_jump", False))
        for k, table in enumerate(tables)
    )
    return DiscreteGradientLaws(
        callback_table(code, 2),
        select_rows(laws.table, able),
        np.array(able, dtype=np.int64),
        is_whole,
        len(able) < len(known),
    )


def discrete_gradient_callback(table, width: int) -> Callback:
    """The discrete gradient of a law, compiled for floats or for lanes."""
    t = number_type(width)
    bodies = bodies_type(width)
    plain = array_type(2, width)
    return law_callback(
        add_discrete_gradient_forces_of,
        table,
        (t, bodies, bodies, law_state_type(table, width), plain, plain),
    )


def select_remaining_laws(laws: BodyLawDispatch, between: DiscreteGradientLaws) -> BodyLawDispatch:
    """The laws that are not among those of `between`."""
    others = [k for k in range(len(laws.table)) if k not in between.law]
    return BodyLawDispatch(
        select_rows(laws.code, others), select_rows(laws.table, others), len(others) > 0
    )


def allocate_law_states(laws: BodyLawDispatch, width: int) -> Addresses:
    """Addresses of what each law keeps from call to call, for `Bodies.law_state` of a Work."""
    made = [
        (LAW_STATE_ALLOCATORS[type(table)](table, width),)
        if type(table) in LAW_STATE_ALLOCATORS
        else ()
        for table in tables_of(laws)
    ]
    return pointer_table(made or [()])


# ---- calling them --------------------------------------------------------------------------------
@inlined
def call_law(laws, k, function, number, arguments):
    """Function GENERALISED_FORCE, WRENCHES, … of law k, for floats or lanes as `number` is."""
    call(laws.code, k, 2 * function + width_index(number), laws.table, k, arguments)


@inlined
def add_all_generalised_forces(laws, t, y, ydot, momenta):
    """Add every generalised force to the momentum rows of ydot, which begin at row `momenta`."""
    number = broadcast_like(t, load(y, 0))
    for k in range(laws.table.shape[0]):
        call_law(laws, k, GENERALISED_FORCE, number, (number, y, ydot, momenta))


@inlined
def potential_energy_of_joints(laws, t, y, total):
    """Potential energy of the laws along joints; total is scratch for one number."""
    number = broadcast_like(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call_law(laws, k, JOINT_ENERGY, number, (number, y, total))
    return load(total, 0)


@inlined
def dissipated_power_of_joints(laws, t, y, ydot, total):
    """Power of dampers and loads along joints; total is scratch for one number."""
    number = broadcast_like(t, load(y, 0))
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        call_law(laws, k, JOINT_POWER, number, (number, y, ydot, total))
    return load(total, 0)


@inlined
def add_wrenches_by(laws, function, t, bodies):
    """Add the wrenches of every law, by its function WRENCHES or LOAD_WRENCHES."""
    number = broadcast_like(t, load(bodies.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        law_state = address_at(bodies.law_state, k)
        call_law(laws, k, function, number, (number, bodies, law_state))


@inlined
def add_all_wrenches(laws, t, bodies):
    """Add every wrench."""
    add_wrenches_by(laws, WRENCHES, t, bodies)


@inlined
def potential_energy_of_bodies(laws, t, bodies, total):
    """Potential energy of the laws on bodies; total is scratch for one number."""
    number = broadcast_like(t, load(bodies.position, 0, Vec3).x)
    store(total, 0, 0.0)
    for k in range(laws.table.shape[0]):
        law_state = address_at(bodies.law_state, k)
        call_law(laws, k, BODY_ENERGY, number, (number, bodies, law_state, total))
    return load(total, 0)


@inlined
def add_all_load_wrenches(laws, t, bodies):
    """Add every wrench that is no change of potential energy."""
    add_wrenches_by(laws, LOAD_WRENCHES, t, bodies)


@inlined
def add_all_discrete_gradient_forces(laws, t, begin, end, force, moment):
    """Add force and Σ f Xᵀ of every law between two states; of one with itself, those of that
    state.
    """
    number = broadcast_like(t, load(begin.position, 0, Vec3).x)
    for k in range(laws.table.shape[0]):
        arguments = (number, begin, end, address_at(begin.law_state, laws.law[k]), force, moment)
        call(laws.code, k, width_index(number), laws.table, k, arguments)
