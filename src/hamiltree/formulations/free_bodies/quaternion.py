"""Hamilton's equations of bodies by quaternions and their momenta, without a multiplier: METHODS 2,
seed 002 (3.14)–(3.21) corrected.

r and p = m ṙ of the centre of mass; q and g = 2 L(q)ᵀ J'ω', body to world, in principal axes:
H = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + V(r, A(q)/‖q‖²)
  ṙ = p/m      q̇ = ¼ L(q)ᵀ J'⁻¹ L(q) g
  ṗ = f        ġ = −¼ L(g)ᵀ J'⁻¹ L(g) q + 2 L(q)ᵀ n'/‖q‖²
‖q‖² and q · g are quadratic first integrals, because V has no part along q: Gauss methods keep them
to rounding, at their full order.

`free_bodies_quaternion_constrained` is the same with 1/J₀ = 2/tr J' about the fourth direction and
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
from hamiltree.forces.dispatch import BodyLawDispatch
from hamiltree.formulations.absolute.bodies import (
    add_vector,
    l_times,
    l_transpose_times,
    quat_at,
    quaternion_dot,
    store_quat,
    store_vector,
    vector_at,
)
from hamiltree.formulations.absolute.tables import l_transpose_times as l_transpose_rows
from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import (
    PrescribedMotions,
    apply_force_laws,
    compute_body_frame,
    compute_body_frames,
    diagonal_product,
    force_on,
    free_bodies_poses,
    free_bodies_power,
    free_bodies_workspace,
    free_body,
    kinetic_energy_of_prescribed,
    potential_energy,
    power_of_loads_and_motions,
    torque_about_free_axes,
    torque_on,
)
from hamiltree.formulations.free_bodies.discrete_gradient import (
    momentum_offset,
    quaternion_discrete_rates,
)
from hamiltree.formulations.free_bodies.free_rotation import (
    advance_free_rotation,
    euler_couplings,
    symmetry_classes,
)
from hamiltree.formulations.free_bodies.tables import FreeBodiesTables, free_bodies_start
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    add_multiplier_forces,
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


class FreeBodiesQuaternion(NamedTuple):
    layout: Layout
    facts: Facts
    body: np.ndarray  # ChainBody
    frame: np.ndarray  # ChainFrame
    moments: np.ndarray  # Vec3
    shape: np.ndarray  # (n,) which moments are equal: free_rotation.py
    coupling: np.ndarray  # Vec3 2 κ
    rotating_bodies: np.ndarray  # bodies that turn, a constraint each
    gravity: np.ndarray
    motions: PrescribedMotions
    body_laws: BodyLawDispatch
    is_isolated: bool  # nothing is held, and V is of relative positions only


# The same tables; their types choose the methods.
FreeBodiesQuaternionConstrained = NamedTuple(
    "FreeBodiesQuaternionConstrained", list(FreeBodiesQuaternion.__annotations__.items())
)


@inlined
def compute_quaternion_frame(system, work, y, i):
    """ω' = 2 L q̇/‖q‖² = ½ J'⁻¹ L g"""
    body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
    R, w = rotation_matrix(q), diagonal_product(body.turn, l_times(q, quat_at(y, at + 3)) * 0.5)
    store(work.bodies.rotation, i, R)
    store(work.bodies.position, i, vector_at(y, 7 * i))
    store(work.bodies.twist, i, Twist(R @ w, vector_at(y, at) * body.inverse_mass))


@inlined
def write_velocity(system, y, ydot, i):
    body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
    g = quat_at(y, at + 3)
    store_vector(ydot, 7 * i, vector_at(y, at) * body.inverse_mass)
    turn = l_transpose_times(q, diagonal_product(body.turn, l_times(q, g) * 0.25))
    store_quat(
        ydot, 7 * i + 3, turn + q * (0.25 * body.inverse_fictitious_inertia * quaternion_dot(q, g))
    )


@inlined
def write_force(system, work, y, ydot, i):
    """−∂V/∂q of body i, and the wrenches of loads."""
    body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
    force = force_on(system, work, i, body.mass)
    store_vector(ydot, at, force if body.inverse_mass != 0.0 else force * 0.0)
    store_quat(
        ydot,
        at + 3,
        l_transpose_times(
            q, torque_about_free_axes(body.turn, torque_on(work, i)) * (2.0 / quaternion_dot(q, q))
        ),
    )


@inlined
def add_gyroscopic_force(system, y, ydot, i):
    """−∂T/∂q of body i."""
    body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
    g = quat_at(y, at + 3)
    turn = l_transpose_times(g, diagonal_product(body.turn, l_times(g, q) * -0.25)) + g * (
        -0.25 * body.inverse_fictitious_inertia * quaternion_dot(q, g)
    )
    add(ydot, at + 3, turn.w)
    add_vector(ydot, at + 4, Vec3(turn.x, turn.y, turn.z))


def quaternion_rates(system, work, t, y, ydot):
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)
        add_gyroscopic_force(system, y, ydot, i)


def quaternion_velocity(system, work, t, y, ydot):
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)


def quaternion_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


def quaternion_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    compute_body_frames(system, work, t, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
        p, g = vector_at(y, at), quat_at(y, at + 3)
        turn, along = l_times(q, g), quaternion_dot(q, g)
        kinetic = fma(
            0.5 * body.inverse_mass,
            dot(p, p),
            fma(0.125, dot(turn, diagonal_product(body.turn, turn)), kinetic),
        )
        kinetic = fma(0.125 * body.inverse_fictitious_inertia * along, along, kinetic)
    if system.motions.row.shape[0] > 0:
        kinetic = kinetic + kinetic_energy_of_prescribed(system, work, t)
    return Energies(kinetic, potential_energy(system, work, t))


def quaternion_kick(system, work, t, y, ydot):
    """(f, 2 Lᵀ n'/‖q‖²) into the momentum rows."""
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_force(system, work, y, ydot, i)


for _kind in (FreeBodiesQuaternion, FreeBodiesQuaternionConstrained):
    compute_body_frame.method(_kind)(compute_quaternion_frame)
    rates.method(_kind)(quaternion_rates)
    velocity.method(_kind)(quaternion_velocity)
    force.method(_kind)(quaternion_force)
    energies.method(_kind)(quaternion_energies)
    poses.method(_kind)(free_bodies_poses)


power.method(FreeBodiesQuaternion)(free_bodies_power)
kick.method(FreeBodiesQuaternion)(quaternion_kick)


@flow.method(FreeBodiesQuaternion)
def flow_of_free_bodies(system, work, t, y, compensation, h):
    """Every body by itself: r + h p/m, and the exact free rotation."""
    for i in range(system.body.shape[0]):
        body, at = free_body(system, i), momentum_offset(system, i)
        if body.inverse_mass != 0.0:
            for k in range(3):
                accumulate(y, compensation, 7 * i + k, h * body.inverse_mass * load(y, at + k))
        coupling = load(system.coupling, i, Vec3)
        advance_free_rotation(
            work.series, y, compensation, 7 * i + 3, at + 3, body.turn, coupling, system.shape[i], h
        )


@power.method(FreeBodiesQuaternionConstrained)
def power_by_rates(system, work, t, y, ydot):
    """With ω' = 2 L(q) q̇/‖q‖² of ydot: then h times it is what loads do along Δq, whatever
    discrete rates have made of the momenta;
    arms are those of quaternion_discrete.py.
    """
    if system.facts.is_conservative:
        return 0.0 * t
    compute_body_frames(system, work, t, y)
    for i in range(system.body.shape[0]):
        body, q, V = free_body(system, i), quat_at(y, 7 * i + 3), load(work.bodies.twist, i, Twist)
        R, size = load(work.bodies.rotation, i, Mat3), quaternion_dot(q, q)
        w = R @ (l_times(q, quat_at(ydot, 7 * i + 3)) * (2.0 / size))
        store(work.bodies.rotation, i, R * size)
        moved = Twist(
            w if body.inverse_fictitious_inertia != 0.0 else V.w,
            vector_at(ydot, 7 * i) if body.inverse_mass != 0.0 else V.v,
        )
        store(work.bodies.twist, i, moved)
    return power_of_loads_and_motions(system, work, t, y)


# ---- the constraints of the constrained form -----------------------------------------------------
@constraint.method(FreeBodiesQuaternionConstrained)
def norm_constraint(system, work, t, y, out):
    """(‖q‖² − 1)/2 of each body that turns."""
    for k in range(system.rotating_bodies.shape[0]):
        q = quat_at(y, 7 * system.rotating_bodies[k] + 3)
        store(out, k, 0.5 * quaternion_dot(q, q) - 0.5)


@constraint_rate.method(FreeBodiesQuaternionConstrained)
def norm_rate(system, work, t, y, ydot, out):
    for k in range(system.rotating_bodies.shape[0]):
        at = 7 * system.rotating_bodies[k] + 3
        store(out, k, quaternion_dot(quat_at(y, at), quat_at(ydot, at)))


@add_multiplier_forces.method(FreeBodiesQuaternionConstrained)
def norm_constraint_force(system, work, t, y, multipliers, ydot):
    """λ q"""
    for k in range(system.rotating_bodies.shape[0]):
        i = system.rotating_bodies[k]
        constraint_force, at = (
            quat_at(y, 7 * i + 3) * load(multipliers, k),
            momentum_offset(system, i) + 3,
        )
        add(ydot, at, constraint_force.w)
        add_vector(ydot, at + 1, Vec3(constraint_force.x, constraint_force.y, constraint_force.z))


@factor_multipliers.method(FreeBodiesQuaternionConstrained)
def factor_nothing(system, work, t, y):
    """W = 1/4J₀ at ‖q‖ = 1."""
    return True


@solve_multipliers.method(FreeBodiesQuaternionConstrained)
def solve_norms(system, work, x):
    for k in range(system.rotating_bodies.shape[0]):
        x[k] *= 4.0 / free_body(system, system.rotating_bodies[k]).inverse_fictitious_inertia


discrete_rates.method(FreeBodiesQuaternionConstrained)(quaternion_discrete_rates)


# ---- assembly ------------------------------------------------------------------------------------
def assembler_of(kind: type, name: str, inverse_fictitious_inertia_of):
    def assemble(assembly):
        """The tables of bodies on the ground; positions do not matter."""
        model, tables = assembly.model, FreeBodiesTables(assembly.model, name)
        n, turn = len(model.bodies), tables.inverse(tables.moments)
        inverse_fictitious_inertia = np.where(
            tables.turns, inverse_fictitious_inertia_of(tables.moments), 0.0
        )
        return kind(
            Layout(7 * n, 7 * n),
            tables.facts(int(tables.turns.sum()) if kind is FreeBodiesQuaternionConstrained else 0),
            tables.bodies(turn, inverse_fictitious_inertia),
            tables.frames(),
            read_only(tables.moments),
            read_only(symmetry_classes(turn)),
            read_only(euler_couplings(turn)),
            tables.rotating_bodies,
            read_only([model.gravity]),
            tables.motions,
            tables.laws(),
            tables.is_isolated,
        )

    return assemble


def canonical_state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    start = free_bodies_start(system, assembly)
    g = 2.0 * l_transpose_rows(start.q, system.moments * start.w)
    return np.concatenate(
        [
            np.column_stack([start.r, start.q]).ravel(),
            np.column_stack([system.body[:, :1] * start.v, g]).ravel(),
        ]
    )


def owner(system, model, row: int) -> str:
    """The body whose position or momentum a row of the state is."""
    return model.bodies[row % system.layout.positions // 7].name


def inverse_half_trace(moments: np.ndarray) -> np.ndarray:
    """1/J₀ = 2/tr J', as director coordinates have it."""
    trace = moments.sum(axis=1)
    return np.divide(2.0, trace, out=np.zeros_like(trace), where=trace > 0.0)


def norm_errors(states: np.ndarray) -> np.ndarray:
    """‖q‖² − 1 of every body in every state."""
    positions = states[:, : states.shape[1] // 2].reshape(len(states), -1, 7)
    return (positions[:, :, 3:] ** 2).sum(axis=2) - 1.0


CONSTRAINED_FORM = Formulation(
    name="free_bodies_quaternion_constrained",
    system=FreeBodiesQuaternionConstrained,
    assemble=assembler_of(
        FreeBodiesQuaternionConstrained, "free_bodies_quaternion_constrained", inverse_half_trace
    ),
    workspace=free_bodies_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=canonical_state,
    owner=owner,
    check_start=accept_any_start,
    norm_errors=norm_errors,
    reference="seed 002, chapter 3; METHODS 4, 5",
    summary="bodies on the ground one by one: r, quaternion and momenta, ‖q‖ = 1 as a constraint",
    traits=Traits(
        "RATTLE, SPARK and energy–momentum steps of free_bodies_quaternion, which takes it for "
        "them by "
        "itself",
        "r and a unit quaternion of every body, and their canonical momenta",
        "‖q‖ to rounding",
        "O(N)",
    ),
    default_integrator="spark6",
)
FORMULATION = Formulation(
    name="free_bodies_quaternion",
    system=FreeBodiesQuaternion,
    assemble=assembler_of(
        FreeBodiesQuaternion, "free_bodies_quaternion", lambda moments: np.zeros(len(moments))
    ),
    workspace=free_bodies_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=canonical_state,
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
