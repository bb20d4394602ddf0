"""Hamilton's equations of bodies by quaternions and their momenta, without a multiplier: METHODS 2,
seed 002 (3.14)–(3.21) corrected.

r and p = m ṙ of the centre of mass; q and g = 2 L(q)ᵀ J'ω', body to world, in principal axes:
H = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + V(r, A(q)/‖q‖²)
  ṙ = p/m      q̇ = ¼ L(q)ᵀ J'⁻¹ L(q) g
  ṗ = f        ġ = −¼ L(g)ᵀ J'⁻¹ L(g) q + 2 L(q)ᵀ n'/‖q‖²
‖q‖² and q · g are quadratic first integrals, because V has no part along q: Gauss methods keep them
to rounding, at their full order.

`chain_quaternion_constrained` is the same with 1/J₀ = 2/tr J' about the fourth direction and
(‖q‖² − 1)/2 = 0 for RATTLE, SPARK (METHODS 4) and quat_em (METHODS 5): T + (q · g)²/8J₀.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.summation import accumulate
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, read_only, store
from hamiltree.forces.packed import LawsOfBodies
from hamiltree.formulations.absolute.bodies import (
    add_vector,
    dot4,
    gathered,
    put_quat,
    put_vector,
    quat_at,
    spread,
    vector_at,
)
from hamiltree.formulations.absolute.tables import spread as spread_rows
from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import (
    Motions,
    chain_body,
    chain_poses,
    chain_power,
    chain_workspace,
    force_on,
    kinetic_of_moved,
    load_all,
    only_about,
    place,
    place_body,
    potential_energy,
    power_at_frames,
    scaled,
    torque_on,
)
from hamiltree.formulations.free_bodies.discrete_gradient import momenta_at, quaternion_between
from hamiltree.formulations.free_bodies.free_rotation import couplings_of, shapes_of, turn_freely
from hamiltree.formulations.free_bodies.tables import ChainTables, chain_start
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    constrain,
    constraint,
    constraint_rate,
    discrete_rates,
    energies,
    factor_multipliers,
    flow,
    force,
    kick,
    poses,
    power,
    rates,
    solve_multipliers,
    velocity,
)


class ChainQuaternion(NamedTuple):
    layout: Layout
    facts: Facts
    body: np.ndarray  # ChainBody
    frame: np.ndarray  # ChainFrame
    moments: np.ndarray  # Vec3
    shape: np.ndarray  # (n,) which moments are equal: free_rotation.py
    coupling: np.ndarray  # Vec3 2 κ
    turning: np.ndarray  # bodies that turn, a constraint each
    gravity: np.ndarray
    motions: Motions
    body_laws: LawsOfBodies
    is_isolated: bool  # nothing is held, and V is of relative positions only


# The same tables; their types choose the methods.
ChainQuaternionConstrained = NamedTuple(
    "ChainQuaternionConstrained", list(ChainQuaternion.__annotations__.items())
)


@inlined
def place_quaternion(system, work, y, i):
    """ω' = 2 L q̇/‖q‖² = ½ J'⁻¹ L g"""
    body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
    R, w = rotation_matrix(q), scaled(body.turn, gathered(q, quat_at(y, at + 3)) * 0.5)
    store(work.bodies.rotation, i, R)
    store(work.bodies.position, i, vector_at(y, 7 * i))
    store(work.bodies.twist, i, Twist(R @ w, vector_at(y, at) * body.move))


@inlined
def give_velocity(system, y, ydot, i):
    body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
    g = quat_at(y, at + 3)
    put_vector(ydot, 7 * i, vector_at(y, at) * body.move)
    turn = spread(q, scaled(body.turn, gathered(q, g) * 0.25))
    put_quat(ydot, 7 * i + 3, turn + q * (0.25 * body.spare * dot4(q, g)))


@inlined
def give_push(system, work, y, ydot, i):
    """−∂V/∂q of body i, and the wrenches of loads."""
    body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
    force = force_on(system, work, i, body.mass)
    put_vector(ydot, at, force if body.move != 0.0 else force * 0.0)
    put_quat(
        ydot, at + 3, spread(q, only_about(body.turn, torque_on(work, i)) * (2.0 / dot4(q, q)))
    )


@inlined
def add_turning(system, y, ydot, i):
    """−∂T/∂q of body i."""
    body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
    g = quat_at(y, at + 3)
    turn = spread(g, scaled(body.turn, gathered(g, q) * -0.25)) + g * (
        -0.25 * body.spare * dot4(q, g)
    )
    add(ydot, at + 3, turn.w)
    add_vector(ydot, at + 4, Vec3(turn.x, turn.y, turn.z))


def quaternion_rates(system, work, t, y, ydot):
    place(system, work, t, y)
    load_all(system, work, t)
    for i in range(system.body.shape[0]):
        give_velocity(system, y, ydot, i)
        give_push(system, work, y, ydot, i)
        add_turning(system, y, ydot, i)


def quaternion_velocity(system, work, t, y, ydot):
    for i in range(system.body.shape[0]):
        give_velocity(system, y, ydot, i)


def quaternion_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


def quaternion_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    place(system, work, t, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
        p, g = vector_at(y, at), quat_at(y, at + 3)
        turn, along = gathered(q, g), dot4(q, g)
        kinetic = fma(
            0.5 * body.move, dot(p, p), fma(0.125, dot(turn, scaled(body.turn, turn)), kinetic)
        )
        kinetic = fma(0.125 * body.spare * along, along, kinetic)
    if system.motions.row.shape[0] > 0:
        kinetic = kinetic + kinetic_of_moved(system, work, t)
    return Energies(kinetic, potential_energy(system, work, t))


def quaternion_kick(system, work, t, y, ydot):
    """(f, 2 Lᵀ n'/‖q‖²) into the momentum rows."""
    place(system, work, t, y)
    load_all(system, work, t)
    for i in range(system.body.shape[0]):
        give_push(system, work, y, ydot, i)


for _kind in (ChainQuaternion, ChainQuaternionConstrained):
    place_body.method(_kind)(place_quaternion)
    rates.method(_kind)(quaternion_rates)
    velocity.method(_kind)(quaternion_velocity)
    force.method(_kind)(quaternion_force)
    energies.method(_kind)(quaternion_energies)
    poses.method(_kind)(chain_poses)


power.method(ChainQuaternion)(chain_power)
kick.method(ChainQuaternion)(quaternion_kick)


@flow.method(ChainQuaternion)
def fly_and_turn(system, work, t, y, lost, h):
    """Every body by itself: r + h p/m, and the exact free rotation."""
    for i in range(system.body.shape[0]):
        body, at = chain_body(system, i), momenta_at(system, i)
        if body.move != 0.0:
            for k in range(3):
                accumulate(y, lost, 7 * i + k, h * body.move * load(y, at + k))
        coupling = load(system.coupling, i, Vec3)
        turn_freely(
            work.series, y, lost, 7 * i + 3, at + 3, body.turn, coupling, system.shape[i], h
        )


@power.method(ChainQuaternionConstrained)
def power_by_rates(system, work, t, y, ydot):
    """With ω' = 2 L(q) q̇/‖q‖² of ydot: then h times it is what loads do along Δq, whatever
    discrete rates have made of the momenta;
    arms are those of quaternion_discrete.py.
    """
    if system.facts.is_conservative:
        return 0.0 * t
    place(system, work, t, y)
    for i in range(system.body.shape[0]):
        body, q, V = chain_body(system, i), quat_at(y, 7 * i + 3), load(work.bodies.twist, i, Twist)
        R, size = load(work.bodies.rotation, i, Mat3), dot4(q, q)
        w = R @ (gathered(q, quat_at(ydot, 7 * i + 3)) * (2.0 / size))
        store(work.bodies.rotation, i, R * size)
        moved = Twist(
            w if body.spare != 0.0 else V.w, vector_at(ydot, 7 * i) if body.move != 0.0 else V.v
        )
        store(work.bodies.twist, i, moved)
    return power_at_frames(system, work, t, y)


# ---- the constraints of the constrained form -----------------------------------------------------
@constraint.method(ChainQuaternionConstrained)
def norm_constraint(system, work, t, y, out):
    """(‖q‖² − 1)/2 of each body that turns."""
    for k in range(system.turning.shape[0]):
        q = quat_at(y, 7 * system.turning[k] + 3)
        store(out, k, 0.5 * dot4(q, q) - 0.5)


@constraint_rate.method(ChainQuaternionConstrained)
def norm_rate(system, work, t, y, ydot, out):
    for k in range(system.turning.shape[0]):
        at = 7 * system.turning[k] + 3
        store(out, k, dot4(quat_at(y, at), quat_at(ydot, at)))


@constrain.method(ChainQuaternionConstrained)
def norm_pull(system, work, t, y, multipliers, ydot):
    """λ q"""
    for k in range(system.turning.shape[0]):
        i = system.turning[k]
        pull, at = quat_at(y, 7 * i + 3) * load(multipliers, k), momenta_at(system, i) + 3
        add(ydot, at, pull.w)
        add_vector(ydot, at + 1, Vec3(pull.x, pull.y, pull.z))


@factor_multipliers.method(ChainQuaternionConstrained)
def nothing_to_factor(system, work, t, y):
    """W = 1/4J₀ at ‖q‖ = 1."""
    return True


@solve_multipliers.method(ChainQuaternionConstrained)
def solve_norms(system, work, x):
    for k in range(system.turning.shape[0]):
        x[k] *= 4.0 / chain_body(system, system.turning[k]).spare


discrete_rates.method(ChainQuaternionConstrained)(quaternion_between)


# ---- assembly ------------------------------------------------------------------------------------
def tabulated(kind: type, name: str, spare_of):
    def assemble(assembly):
        """The tables of bodies on the ground; positions do not matter."""
        model, tables = assembly.model, ChainTables(assembly.model, name)
        n, turn = len(model.bodies), tables.inverse(tables.moments)
        spare = np.where(tables.turns, spare_of(tables.moments), 0.0)
        return kind(
            Layout(7 * n, 7 * n),
            tables.facts(int(tables.turns.sum()) if kind is ChainQuaternionConstrained else 0),
            tables.bodies(turn, spare),
            tables.frames(),
            read_only(tables.moments),
            read_only(shapes_of(turn)),
            read_only(couplings_of(turn)),
            tables.turning,
            read_only([model.gravity]),
            tables.motions,
            tables.laws(),
            tables.is_isolated,
        )

    return assemble


def state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    start = chain_start(system, assembly)
    g = 2.0 * spread_rows(start.q, system.moments * start.w)
    return np.concatenate(
        [
            np.column_stack([start.r, start.q]).ravel(),
            np.column_stack([system.body[:, :1] * start.v, g]).ravel(),
        ]
    )


def owner(system, model, row: int) -> str:
    """The body whose position or momentum a row of the state is."""
    return model.bodies[row % system.layout.positions // 7].name


def half_trace(moments: np.ndarray) -> np.ndarray:
    """1/J₀ = 2/tr J', as director coordinates have it."""
    trace = moments.sum(axis=1)
    return np.divide(2.0, trace, out=np.zeros_like(trace), where=trace > 0.0)


def norm_errors(states: np.ndarray) -> np.ndarray:
    """‖q‖² − 1 of every body in every state."""
    positions = states[:, : states.shape[1] // 2].reshape(len(states), -1, 7)
    return (positions[:, :, 3:] ** 2).sum(axis=2) - 1.0


CONSTRAINED_FORM = Formulation(
    name="chain_quaternion_constrained",
    system=ChainQuaternionConstrained,
    assemble=tabulated(ChainQuaternionConstrained, "chain_quaternion_constrained", half_trace),
    workspace=chain_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=state,
    owner=owner,
    check_start=accept_any_start,
    norm_errors=norm_errors,
    reference="seed 002, chapter 3; METHODS 4, 5",
    summary="bodies on the ground one by one: r, quaternion and momenta, ‖q‖ = 1 as a constraint",
    traits=Traits(
        "RATTLE, SPARK and energy–momentum steps of chain_quaternion, which takes it for them by "
        "itself",
        "r and a unit quaternion of every body, and their canonical momenta",
        "‖q‖ to rounding",
        "O(N)",
    ),
    default_integrator="spark6",
)
FORMULATION = Formulation(
    name="chain_quaternion",
    system=ChainQuaternion,
    assemble=tabulated(ChainQuaternion, "chain_quaternion", lambda moments: np.zeros(len(moments))),
    workspace=chain_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=state,
    owner=owner,
    check_start=accept_any_start,
    norm_errors=norm_errors,
    reference="seed 002, chapter 3 with ERRATA 2-17 … 2-32; METHODS 2",
    summary=(
        "bodies on the ground one by one, joined by forces: r, quaternion and momenta, no "
        "multiplier; molecules, grains"
    ),
    traits=Traits(
        "molecules, strings of grains: many bodies that only forces join; explicit splittings of "
        "long runs, Gauss methods",
        "r and a quaternion of every body, and their canonical momenta",
        "‖q‖, q · g and all momenta to rounding (Gauss, midpoint, Sun; splittings)",
        "O(N)",
    ),
    is_default_candidate=True,
    constrained_variant=CONSTRAINED_FORM,
)
FORMULATIONS = (FORMULATION, CONSTRAINED_FORM)
