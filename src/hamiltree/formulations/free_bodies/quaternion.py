"""Hamilton's equations of bodies by quaternions and their momenta, without a multiplier: METHODS 2,
the thesis (3.14)–(3.21) corrected.

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

from hamiltree import verbs
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import (
    add_quat,
    quat_at,
    store_quat,
    store_vector,
    vector_at,
)
from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.summation import accumulate
from hamiltree.algebra.values import dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.scales import body_row_scales
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, read_only, store, where_less
from hamiltree.forces.dispatch import BodyLawDispatch
from hamiltree.formulations.absolute.quaternions import (
    angular_velocity_of_rate,
    generalised_torque,
    l_times,
    l_transpose_times,
    momentum_offset,
    norm_residual,
    quaternion_dot,
)
from hamiltree.formulations.absolute.tables import canonical_state
from hamiltree.formulations.absolute.world_frames import store_frame, torque_on
from hamiltree.formulations.formulation import Formulation, Traits, answers
from hamiltree.formulations.free_bodies.bodies import (
    PrescribedMotions,
    apply_force_laws,
    compute_body_frame,
    compute_body_frames,
    diagonal_product,
    factor_nothing,
    follow_rotations,
    force_on,
    free_bodies_poses,
    free_bodies_power,
    free_body,
    power_of_loads_and_motions,
    torque_about_free_axes,
    total_energies,
)
from hamiltree.formulations.free_bodies.discrete_gradient import quaternion_discrete_rates
from hamiltree.formulations.free_bodies.free_rotation import (
    advance_free_rotation,
    euler_couplings,
    symmetry_classes,
)
from hamiltree.formulations.free_bodies.record import free_bodies_formulation
from hamiltree.formulations.free_bodies.tables import FreeBodiesTables, free_bodies_start
from hamiltree.verbs import Facts, Layout, rates


class FreeBodiesQuaternion(NamedTuple):
    layout: Layout
    facts: Facts
    body: np.ndarray  # FreeBodyConstants
    frame: np.ndarray  # PrincipalFrame
    moments: np.ndarray  # Vec3
    shape: np.ndarray  # (n,) which moments are equal: free_rotation.py
    coupling: np.ndarray  # Vec3 2 κ
    rotating_bodies: np.ndarray  # bodies that rotate, one constraint per body
    gravity: np.ndarray
    motions: PrescribedMotions
    body_laws: BodyLawDispatch
    is_isolated: bool  # no body is held, and V depends on relative positions only


# The same tables; their types choose the methods.
FreeBodiesQuaternionConstrained = NamedTuple(
    "FreeBodiesQuaternionConstrained", list(FreeBodiesQuaternion.__annotations__.items())
)


@answers(compute_body_frame, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)
@inlined
def compute_quaternion_frame(system, work, y, i):
    """Frame of body i, and its twist by ω' = 2 L q̇/‖q‖² = ½ J'⁻¹ L g."""
    body, at = free_body(system, i), momentum_offset(system, i)
    q, g = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    R, w = rotation_matrix(q), diagonal_product(body.turn, l_times(q, g) * 0.5)
    v = vector_at(y, at) * body.inverse_mass
    store_frame(work.bodies, i, R, vector_at(y, 7 * i), Twist(R @ w, v))


@inlined
def write_velocity(system, y, ydot, i):
    """ṙ and q̇ of body i."""
    body, at = free_body(system, i), momentum_offset(system, i)
    q, g = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    store_vector(ydot, 7 * i, vector_at(y, at) * body.inverse_mass)
    rotation = l_transpose_times(q, diagonal_product(body.turn, l_times(q, g) * 0.25))
    along = 0.25 * body.inverse_fictitious_inertia * quaternion_dot(q, g)
    store_quat(ydot, 7 * i + 3, rotation + q * along)


@inlined
def write_force(system, work, y, ydot, i):
    """−∂V/∂q of body i, and the generalised forces of loads."""
    body, at = free_body(system, i), momentum_offset(system, i)
    force = force_on(system, work, i, body.mass)
    store_vector(ydot, at, force * where_less(0.0, body.inverse_mass, 1.0, 0.0))
    torque = torque_about_free_axes(body.turn, torque_on(work, i))
    store_quat(ydot, at + 3, generalised_torque(quat_at(y, 7 * i + 3), torque))


@inlined
def add_gyroscopic_force(system, y, ydot, i):
    """−∂T/∂q of body i."""
    body, at = free_body(system, i), momentum_offset(system, i)
    q, g = quat_at(y, 7 * i + 3), quat_at(y, at + 3)
    gyroscopic = l_transpose_times(g, diagonal_product(body.turn, l_times(g, q) * -0.25))
    along = -0.25 * body.inverse_fictitious_inertia * quaternion_dot(q, g)
    add_quat(ydot, at + 3, gyroscopic + g * along)


@inlined
def write_rates(system, work, y, ydot):
    """(∂H/∂p, −∂H/∂q + loads) of all bodies, by their frames and wrenches in work."""
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)
        add_gyroscopic_force(system, y, ydot, i)


@answers(verbs.rates, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)
def quaternion_rates(system, work, t, y, ydot):
    """(∂H/∂p, −∂H/∂q + loads); the constrained form without its multipliers."""
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    write_rates(system, work, y, ydot)


@answers(verbs.velocity, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)
def quaternion_velocity(system, work, t, y, ydot):
    """∂H/∂p"""
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)


@answers(verbs.force, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)
def quaternion_force(system, work, t, y, ydot):
    """−∂H/∂q, with the velocities as a by-product."""
    rates(system, work, t, y, ydot)


@answers(verbs.energies, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)
def quaternion_energies(system, work, t, y):
    """T = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀"""
    compute_body_frames(system, work, t, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body, at = free_body(system, i), momentum_offset(system, i)
        p, q, g = vector_at(y, at), quat_at(y, 7 * i + 3), quat_at(y, at + 3)
        spin, along = l_times(q, g), quaternion_dot(q, g)
        kinetic = fma(0.125, dot(spin, diagonal_product(body.turn, spin)), kinetic)
        kinetic = fma(0.5 * body.inverse_mass, dot(p, p), kinetic)
        kinetic = fma(0.125 * body.inverse_fictitious_inertia * along, along, kinetic)
    return total_energies(system, work, t, kinetic)


@verbs.kick.method(FreeBodiesQuaternion)
def quaternion_kick(system, work, t, y, ydot):
    """(f, 2 Lᵀ n'/‖q‖²) into the momentum rows."""
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_force(system, work, y, ydot, i)


answers(verbs.poses, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)(free_bodies_poses)
answers(verbs.follow_angles, FreeBodiesQuaternion, FreeBodiesQuaternionConstrained)(
    follow_rotations
)
verbs.power.method(FreeBodiesQuaternion)(free_bodies_power)


@verbs.flow.method(FreeBodiesQuaternion)
def flow_of_free_bodies(system, work, t, y, compensation, h):
    """r + h p/m and the exact free rotation of every body, each by itself."""
    for i in range(system.body.shape[0]):
        body, at = free_body(system, i), momentum_offset(system, i)
        if body.inverse_mass != 0.0:
            for k in range(3):
                accumulate(y, compensation, 7 * i + k, h * body.inverse_mass * load(y, at + k))
        coupling = load(system.coupling, i, Vec3)
        advance_free_rotation(
            work.series, y, compensation, 7 * i + 3, at + 3, body.turn, coupling, system.shape[i], h
        )


@verbs.power.method(FreeBodiesQuaternionConstrained)
def power_by_rates(system, work, t, y, ydot):
    """Power at the velocities ṙ and ω' = 2 L(q) q̇/‖q‖² of ydot: h times it is the work of loads
    along Δq, whatever discrete rates have made of the momenta. Frames are ‖q‖² R, as in
    discrete_gradient.py.
    """
    if system.facts.is_conservative:
        return 0.0 * t
    compute_body_frames(system, work, t, y)
    for i in range(system.body.shape[0]):
        body, q = free_body(system, i), quat_at(y, 7 * i + 3)
        R, V = load(work.bodies.rotation, i, Mat3), load(work.bodies.twist, i, Twist)
        w = R @ angular_velocity_of_rate(q, quat_at(ydot, 7 * i + 3))
        store(work.bodies.rotation, i, R * quaternion_dot(q, q))
        moved = Twist(
            w if body.inverse_fictitious_inertia != 0.0 else V.w,
            vector_at(ydot, 7 * i) if body.inverse_mass != 0.0 else V.v,
        )
        store(work.bodies.twist, i, moved)
    return power_of_loads_and_motions(system, work, t, y)


# ---- the constraints of the constrained form -----------------------------------------------------
@verbs.constraint.method(FreeBodiesQuaternionConstrained)
def norm_constraint(system, work, t, y, out):
    """(‖q‖² − 1)/2 of each body that rotates."""
    for k in range(system.rotating_bodies.shape[0]):
        store(out, k, norm_residual(quat_at(y, 7 * system.rotating_bodies[k] + 3)))


@verbs.constraint_rate.method(FreeBodiesQuaternionConstrained)
def norm_rate(system, work, t, y, ydot, out):
    """q · q̇"""
    for k in range(system.rotating_bodies.shape[0]):
        at = 7 * system.rotating_bodies[k] + 3
        store(out, k, quaternion_dot(quat_at(y, at), quat_at(ydot, at)))


@verbs.add_multiplier_forces.method(FreeBodiesQuaternionConstrained)
def norm_constraint_force(system, work, t, y, multipliers, ydot):
    """λ q"""
    for k in range(system.rotating_bodies.shape[0]):
        i = system.rotating_bodies[k]
        constraint_force = quat_at(y, 7 * i + 3) * load(multipliers, k)
        add_quat(ydot, momentum_offset(system, i) + 3, constraint_force)


verbs.factor_multipliers.method(FreeBodiesQuaternionConstrained)(factor_nothing)


@verbs.solve_multipliers.method(FreeBodiesQuaternionConstrained)
def solve_norms(system, work, x):
    """W⁻¹ x = 4 J₀ x, in place; W = 1/4J₀ at ‖q‖ = 1."""
    for k in range(system.rotating_bodies.shape[0]):
        x[k] *= 4.0 / free_body(system, system.rotating_bodies[k]).inverse_fictitious_inertia


verbs.discrete_rates.method(FreeBodiesQuaternionConstrained)(quaternion_discrete_rates)


# ---- assembly ------------------------------------------------------------------------------------
def assembler_of(kind: type, name: str, inverse_fictitious_inertia_of):
    """(assembly) -> System of this kind; 1/J₀ as a function of the principal moments."""

    def assemble(assembly):
        """The tables of unjoined bodies, the same for every start."""
        model, tables = assembly.model, FreeBodiesTables(assembly.model, name)
        n, turn = len(model.bodies), tables.inverse(tables.moments)
        inverse_fictitious_inertia = np.where(
            tables.turns, inverse_fictitious_inertia_of(tables.moments), 0.0
        )
        is_constrained = kind is FreeBodiesQuaternionConstrained
        return kind(
            Layout(7 * n, 7 * n),
            tables.facts(int(tables.turns.sum()) if is_constrained else 0),
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


def initial_state(system, assembly, pointer=None) -> np.ndarray:
    """(r, q; m v, 2 Lᵀ J' ω')."""
    start = free_bodies_start(system, assembly)
    mass = system.body[:, :1]
    return canonical_state(start.r, start.q, mass * start.v, system.moments * start.w)


def inverse_half_trace(moments: np.ndarray) -> np.ndarray:
    """1/J₀ = 2/tr J', as director coordinates have it."""
    trace = moments.sum(axis=1)
    return np.divide(2.0, trace, out=np.zeros_like(trace), where=trace > 0.0)


def norm_errors(states: np.ndarray) -> np.ndarray:
    """‖q‖² − 1 of every body in every state."""
    positions = states[:, : states.shape[1] // 2].reshape(len(states), -1, 7)
    return (positions[:, :, 3:] ** 2).sum(axis=2) - 1.0


def radial_momenta(states: np.ndarray) -> np.ndarray:
    """q · g of every body in every state, N m s: the thesis, (3.25), (3.39)."""
    q, g = (half.reshape(len(states), -1, 7)[:, :, 3:] for half in np.hsplit(states, 2))
    return (q * g).sum(axis=2)


def quaternion_formulation(name: str, **fields) -> Formulation:
    """A record whose states are r and quaternions of all bodies, and their canonical momenta."""
    return free_bodies_formulation(
        name,
        initial_state=initial_state,
        row_scales=lambda system, assembly: body_row_scales(assembly, 4, 4, True),
        norm_errors=norm_errors,
        radial_momenta=radial_momenta,
        **fields,
    )


CONSTRAINED_FORM = quaternion_formulation(
    "free_bodies_quaternion_constrained",
    system=FreeBodiesQuaternionConstrained,
    assemble=assembler_of(
        FreeBodiesQuaternionConstrained, "free_bodies_quaternion_constrained", inverse_half_trace
    ),
    reference="the thesis, chapter 3; METHODS 4, 5",
    summary="free bodies without joints: r, quaternion and momenta, ‖q‖ = 1 as a constraint",
    traits=Traits(
        "RATTLE, SPARK and energy–momentum steps of free_bodies_quaternion, which switches to it "
        "by itself",
        "r and a unit quaternion of every body, and their canonical momenta",
        "‖q‖ to rounding",
        "O(N)",
    ),
    default_integrator="spark6",
)
FORMULATION = quaternion_formulation(
    "free_bodies_quaternion",
    system=FreeBodiesQuaternion,
    assemble=assembler_of(
        FreeBodiesQuaternion, "free_bodies_quaternion", lambda moments: np.zeros(len(moments))
    ),
    reference="the thesis, chapter 3 with ERRATA 2-17 … 2-32; METHODS 2",
    summary=(
        "free bodies without joints, connected by forces: r, quaternion and momenta, no "
        "multiplier; molecules, grains"
    ),
    traits=Traits(
        "molecules, strings of grains: many bodies that only forces connect; explicit splittings "
        "of long runs, Gauss methods",
        "r and a quaternion of every body, and their canonical momenta",
        "‖q‖, q · g and all momenta to rounding (Gauss, midpoint, Sun; splittings)",
        "O(N)",
    ),
    is_default_candidate=True,
    constrained_variant=CONSTRAINED_FORM,
)
FORMULATIONS = (FORMULATION, CONSTRAINED_FORM)
