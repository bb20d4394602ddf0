"""A System behind addresses: its verbs are compiled by themselves and called from integrators that know nothing of it.

Whatever a compiled loop may call is compiled and optimised with it, array by array of the System: with verbs in place, compiling is the
product of formulations and integrators, and most of a first run. A Remote has the layout of its System and the addresses of its verbs, so
one loop of each family of integrators serves every formulation, and one set of verbs each formulation: compiling is their sum.
Interpreted kernels find the Python originals by the addresses.
"""

import weakref
from typing import NamedTuple

import numpy as np
from numba import config, typeof, types

from hamiltree.algebra.code import room_for
from hamiltree.algebra.handle import Handle, HandleType, opened
from hamiltree.algebra.lanes import lanes
from hamiltree.algebra.number import alike, load, store
from hamiltree.forces.packed import ORIGINALS, call_law, forget, numbers, width_place
from hamiltree.kernel import inlined, kernel
from hamiltree.verbs import (
    Layout,
    balance,
    constrain,
    constraint,
    constraint_rate,
    discrete_rates,
    displace,
    drift,
    factor_multipliers,
    flow,
    force,
    hamiltonian,
    kick,
    power,
    project,
    rates,
    solve_multipliers,
    stays_regular,
    velocity,
)


class Remote(NamedTuple):
    layout: Layout
    constraints: int
    multipliers: int
    balanced: int
    code: np.ndarray  # (verbs, 2) addresses for floats and for lanes; 0: not answered


class RemoteWork(NamedTuple):
    target: np.ndarray  # (1,) address of (system, work)


# ---- what is compiled for each System: a verb with its arguments behind addresses ----------------------------------------------------
@kernel
def rates_there(target, arguments):
    system, work = opened(target)
    t, y, ydot = opened(arguments)
    rates(system, work, t, y, ydot)


@kernel
def velocity_there(target, arguments):
    system, work = opened(target)
    t, y, ydot = opened(arguments)
    velocity(system, work, t, y, ydot)


@kernel
def force_there(target, arguments):
    system, work = opened(target)
    t, y, ydot = opened(arguments)
    force(system, work, t, y, ydot)


@kernel
def drift_there(target, arguments):
    system, work = opened(target)
    t, y, ydot = opened(arguments)
    drift(system, work, t, y, ydot)


@kernel
def kick_there(target, arguments):
    system, work = opened(target)
    t, y, ydot = opened(arguments)
    kick(system, work, t, y, ydot)


@kernel
def hamiltonian_there(target, arguments):
    system, work = opened(target)
    t, y, out = opened(arguments)
    store(out, 0, hamiltonian(system, work, t, y))


@kernel
def power_there(target, arguments):
    system, work = opened(target)
    t, y, ydot, out = opened(arguments)
    store(out, 0, power(system, work, t, y, ydot))


@kernel
def constraint_there(target, arguments):
    system, work = opened(target)
    t, y, out = opened(arguments)
    constraint(system, work, t, y, out)


@kernel
def constraint_rate_there(target, arguments):
    system, work = opened(target)
    t, y, ydot, out = opened(arguments)
    constraint_rate(system, work, t, y, ydot, out)


@kernel
def constrain_there(target, arguments):
    system, work = opened(target)
    t, y, multipliers, ydot = opened(arguments)
    constrain(system, work, t, y, multipliers, ydot)


@kernel
def factor_multipliers_there(target, arguments):
    system, work = opened(target)
    t, y, out = opened(arguments)
    out[0] = 1.0 if factor_multipliers(system, work, t, y) else 0.0


@kernel
def solve_multipliers_there(target, arguments):
    system, work = opened(target)
    (x,) = opened(arguments)
    solve_multipliers(system, work, x)


@kernel
def stays_regular_there(target, arguments):
    system, work = opened(target)
    (out,) = opened(arguments)
    out[0] = 1.0 if stays_regular(system, work) else 0.0


@kernel
def project_there(target, arguments):
    system, work = opened(target)
    t, y, lost, out = opened(arguments)
    out[0] = 1.0 if project(system, work, t, y, lost) else 0.0


@kernel
def displace_there(target, arguments):
    system, work = opened(target)
    y, increment, out = opened(arguments)
    displace(system, work, y, increment, out)


@kernel
def balance_there(target, arguments):
    system, work = opened(target)
    t, y, acceleration, multipliers, out = opened(arguments)
    balance(system, work, t, y, acceleration, multipliers, out)


@kernel
def flow_there(target, arguments):
    system, work = opened(target)
    t, y, lost, length = opened(arguments)
    flow(system, work, t, y, lost, length[0])


@kernel
def discrete_rates_there(target, arguments):
    system, work = opened(target)
    t, y, end, ydot = opened(arguments)
    discrete_rates(system, work, t, y, end, ydot)


class Call(NamedTuple):
    """A verb, what is compiled for it, whether time comes first, and how many arrays follow."""

    verb: object
    kernel: object
    has_time: bool
    arrays: int


CALLS = (
    Call(rates, rates_there, True, 2),
    Call(velocity, velocity_there, True, 2),
    Call(force, force_there, True, 2),
    Call(drift, drift_there, True, 2),
    Call(kick, kick_there, True, 2),
    Call(hamiltonian, hamiltonian_there, True, 2),
    Call(power, power_there, True, 3),
    Call(constraint, constraint_there, True, 2),
    Call(constraint_rate, constraint_rate_there, True, 3),
    Call(constrain, constrain_there, True, 3),
    Call(factor_multipliers, factor_multipliers_there, True, 2),
    Call(solve_multipliers, solve_multipliers_there, False, 1),
    Call(stays_regular, stays_regular_there, False, 1),
    Call(project, project_there, True, 3),
    Call(displace, displace_there, False, 3),
    Call(balance, balance_there, True, 4),
    Call(flow, flow_there, True, 3),
    Call(discrete_rates, discrete_rates_there, True, 3),
)
RATES, VELOCITY, FORCE, DRIFT, KICK, ENERGY, POWER, GAP, GAP_RATE, PULL, FACTOR, SOLVE, REGULAR, PROJECT, DISPLACE, BALANCE = range(16)
FLOW, DISCRETE = range(16, 18)
ONE_BY_ONE = (FACTOR, SOLVE, REGULAR, PROJECT, FLOW, DISCRETE)  # of floats only


# ---- the verbs of a Remote -----------------------------------------------------------------------------------------------------------
@inlined
def fill_there(system, work, verb, t, y, ydot):
    number = alike(t, load(y, 0))
    call_law(system.code[verb, width_place(number)], work.target[0], (number, y, ydot))


@rates.method(Remote)
def remote_rates(system, work, t, y, ydot):
    fill_there(system, work, RATES, t, y, ydot)


@velocity.method(Remote)
def remote_velocity(system, work, t, y, ydot):
    fill_there(system, work, VELOCITY, t, y, ydot)


@force.method(Remote)
def remote_force(system, work, t, y, ydot):
    fill_there(system, work, FORCE, t, y, ydot)


@drift.method(Remote)
def remote_drift(system, work, t, y, ydot):
    fill_there(system, work, DRIFT, t, y, ydot)


@kick.method(Remote)
def remote_kick(system, work, t, y, ydot):
    fill_there(system, work, KICK, t, y, ydot)


@constraint.method(Remote)
def remote_constraint(system, work, t, y, out):
    fill_there(system, work, GAP, t, y, out)


@hamiltonian.method(Remote)
def remote_hamiltonian(system, work, t, y):
    number = alike(t, load(y, 0))
    out = room_for(number, 1)
    call_law(system.code[ENERGY, width_place(number)], work.target[0], (number, y, out))
    return load(out, 0)


@power.method(Remote)
def remote_power(system, work, t, y, ydot):
    number = alike(t, load(y, 0))
    out = room_for(number, 1)
    store(out, 0, 0.0 * number)
    if system.code[POWER, width_place(number)] != 0:
        call_law(system.code[POWER, width_place(number)], work.target[0], (number, y, ydot, out))
    return load(out, 0)


@constraint_rate.method(Remote)
def remote_constraint_rate(system, work, t, y, ydot, out):
    call_law(system.code[GAP_RATE, 0], work.target[0], (t, y, ydot, out))


@constrain.method(Remote)
def remote_constrain(system, work, t, y, multipliers, ydot):
    call_law(system.code[PULL, 0], work.target[0], (t, y, multipliers, ydot))


@factor_multipliers.method(Remote)
def remote_factor(system, work, t, y):
    out = room_for(t, 1)
    call_law(system.code[FACTOR, 0], work.target[0], (t, y, out))
    return load(out, 0) != 0.0


@solve_multipliers.method(Remote)
def remote_solve(system, work, x):
    call_law(system.code[SOLVE, 0], work.target[0], (x,))


@stays_regular.method(Remote)
def remote_stays_regular(system, work):
    out = room_for(1.0, 1)
    store(out, 0, 1.0)
    if system.code[REGULAR, 0] != 0:
        call_law(system.code[REGULAR, 0], work.target[0], (out,))
    return load(out, 0) != 0.0


@project.method(Remote)
def remote_project(system, work, t, y, lost):
    out = room_for(1.0, 1)
    store(out, 0, 1.0)
    if system.code[PROJECT, 0] != 0:
        call_law(system.code[PROJECT, 0], work.target[0], (t, y, lost, out))
    return load(out, 0) != 0.0


@displace.method(Remote)
def remote_displace(system, work, y, increment, out):
    call_law(system.code[DISPLACE, 0], work.target[0], (y, increment, out))


@balance.method(Remote)
def remote_balance(system, work, t, y, acceleration, multipliers, out):
    call_law(system.code[BALANCE, 0], work.target[0], (t, y, acceleration, multipliers, out))


@flow.method(Remote)
def remote_flow(system, work, t, y, lost, h):
    length = room_for(t, 1)
    store(length, 0, h)
    call_law(system.code[FLOW, 0], work.target[0], (t, y, lost, length))


@discrete_rates.method(Remote)
def remote_discrete_rates(system, work, t, y, end, ydot):
    call_law(system.code[DISCRETE, 0], work.target[0], (t, y, end, ydot))


# ---- making one ------------------------------------------------------------------------------------------------------------------------
def address_of(call: Call, system, work, width: int) -> int:
    """Of the compiled verb for this type of System; interpreted, of the function itself."""
    function = call.kernel
    if config.DISABLE_JIT:
        ORIGINALS[id(function)] = function
        return id(function)
    t = (lanes if width > 1 else types.float64,) if call.has_time else ()
    target = HandleType(types.Tuple((typeof(system), typeof(work))))
    signature = target, HandleType(types.Tuple((*t, *[numbers(1, width)] * call.arrays)))
    function.compile(signature)
    compiled = function.overloads[signature]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
    ORIGINALS[address] = function.py_func
    return address


def does_no_work(system) -> bool:
    """Whether nothing but potentials acts: no laws, no drives. Then its power is zero without asking."""
    tree = getattr(system, "tree", system)
    places = (tree, "joint_laws"), (tree, "body_laws"), (system, "closing_laws")
    laws = [getattr(owner, name) for owner, name in places if hasattr(owner, name)]
    is_driven = (hasattr(system, "rows") and bool(system.rows.code.any())) or (hasattr(system, "motions") and len(system.motions.row) > 0)
    return bool(laws) and not is_driven and not any(law.has_any for law in laws)


def has_own(verb, system) -> bool:
    """Whether a verb means anything for this System: a lift without needs only says what happens without it."""
    kind, generic = type(system), verb.generic
    return (kind,) in generic.methods or any(needs and all(need.answers(kind) for need in needs) for needs, _ in generic.lifts)


def is_needed(place: int, integrator_needs, width: int, asked: int) -> bool:
    """Whether verb number `place` may be called with numbers of `asked` lanes by a method of this width."""
    if place in (PROJECT, REGULAR):
        return asked == 1
    if asked == 1 and width > 1:
        return place == RATES  # by events, and by Jacobians
    return CALLS[place].verb in (rates, power, *integrator_needs)


def remote_handle(system, work, single, needs, width: int) -> Handle:
    """(Remote, RemoteWork, RemoteWork) for a loop of integrators: work of the method's width, single of floats."""
    code = np.zeros((len(CALLS), 2), dtype=np.int64)
    for place, call in enumerate(CALLS):
        for asked, scratch in dict.fromkeys(((1, 0), (width, 1))):
            if has_own(call.verb, system) and is_needed(place, needs, width, asked) and not (asked > 1 and place in ONE_BY_ONE):
                code[place, int(asked > 1)] = address_of(call, system, (single, work)[scratch], asked)
    if does_no_work(system):
        code[POWER] = 0  # compiled all the same: a model with forces is to compile its laws and nothing else
    counts = (getattr(system, name, 0) for name in ("constraints", "multipliers", "balanced"))
    return Handle(Remote(Layout(*system.layout), *counts, code), RemoteWork(target_of(system, work)), RemoteWork(target_of(system, single)))


def target_of(system, work) -> np.ndarray:
    """The address of (system, work), which live as long as the array that holds it."""
    handle = Handle(system, work)
    address = id(handle) if config.DISABLE_JIT else handle.address
    ORIGINALS[address] = handle.parts
    target = np.array([address], dtype=np.int64)
    weakref.finalize(target, forget, [address], [handle])
    return target
