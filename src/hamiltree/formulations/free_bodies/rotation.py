"""Hamilton's equations of bodies by rotation matrices and P = ṘD, with RᵀR = 1 as constraints.

The thesis, (3.3)–(3.13), with ERRATA 2-11 … 2-16. R is body to world, its columns the principal
axes; D = ½ tr J' − J' the second moments of mass, diagonal: H = p²/2m + ½ tr(P D⁻¹ Pᵀ) + V(r, R),
which is separable.
  ṙ = p/m      Ṙ = P D⁻¹
  ṗ = f        Ṗ = −V_R + R Λ,   −V_R = Σ f Xᵀ up to R times a symmetric matrix,
               which Λ takes up: ½ R n'×  (METHODS 3)
The rows of a body are xx, xy, xz, yy, yz, zz: x · y = 0 of two axes, (x · x − 1)/2 = 0 of one;
where RᵀR = 1 the matrix of the multipliers is diagonal: 1/D_x + 1/D_y of two axes, 1/D_x of one.
ω' = J'⁻¹ times the spin in principal axes, the axial vector of RᵀP − PᵀR.
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.rows import (
    add_vector,
    matrix_at,
    store_matrix,
    store_vector,
    vector_at,
)
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.scales import body_row_scales
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, maximum, read_only, store
from hamiltree.errors import FitError
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    DiscreteGradientLaws,
    add_all_discrete_gradient_forces,
    add_all_load_wrenches,
    select_discrete_gradient_laws,
)
from hamiltree.formulations.absolute.tables import pack_body_state
from hamiltree.formulations.absolute.world_frames import clear_wrenches, store_frame, torque_on
from hamiltree.formulations.formulation import Traits, answers
from hamiltree.formulations.free_bodies.bodies import (
    PrescribedMotions,
    apply_force_laws,
    compute_body_frame,
    compute_body_frames,
    factor_nothing,
    follow_rotations,
    force_on,
    free_bodies_poses,
    free_bodies_power,
    free_body,
    torque_about_free_axes,
    total_energies,
)
from hamiltree.formulations.free_bodies.record import free_bodies_formulation
from hamiltree.formulations.free_bodies.tables import (
    MIN_MOMENT_RATIO,
    FreeBodiesTables,
    free_bodies_start,
)
from hamiltree.verbs import Facts, Layout

NO_INERTIA = 1e-300  # in the place of the zero moments of a point mass, which has no spin


class FreeBodiesRotation(NamedTuple):
    layout: Layout
    facts: Facts
    body: np.ndarray  # FreeBodyConstants; turn is D⁻¹
    frame: np.ndarray  # PrincipalFrame
    moments: np.ndarray  # Vec3
    rotating_bodies: np.ndarray  # bodies that rotate, six constraints per body
    gravity: np.ndarray
    motions: PrescribedMotions
    body_laws: BodyLawDispatch
    between: DiscreteGradientLaws


@inlined
def momentum_offset(system, i):
    """First row of the momenta of body i, of twelve: m ṙ, then P by its columns."""
    return system.layout.positions + 12 * i


@inlined
def scale_columns(a, d):
    """A diag(d)"""
    return Mat3(a.x * d.x, a.y * d.y, a.z * d.z)


@inlined
def angular_velocity_by_spin(system, i, R, P):
    """ω in world axes, R J'⁻¹ Rᵀ L by the spin L = Σ x × P_x, which symmetries conserve, also where
    P is not quite that of a rotation.
    """
    spin = transpose(R) @ (cross(R.x, P.x) + (cross(R.y, P.y) + cross(R.z, P.z)))
    J = load(system.moments, i, Vec3)
    return R @ Vec3(
        spin.x / maximum(J.x, NO_INERTIA),
        spin.y / maximum(J.y, NO_INERTIA),
        spin.z / maximum(J.z, NO_INERTIA),
    )


@compute_body_frame.method(FreeBodiesRotation)
def compute_rotation_frame(system, work, y, i):
    """Frame of body i, and its twist by its momenta."""
    body, at = free_body(system, i), momentum_offset(system, i)
    R = matrix_at(y, 12 * i + 3)
    w = angular_velocity_by_spin(system, i, R, matrix_at(y, at + 3))
    v = vector_at(y, at) * body.inverse_mass
    store_frame(work.bodies, i, R, vector_at(y, 12 * i), Twist(w, v))


@inlined
def write_velocity(system, y, ydot, i):
    """ṙ and Ṙ of body i."""
    body, at = free_body(system, i), momentum_offset(system, i)
    store_vector(ydot, 12 * i, vector_at(y, at) * body.inverse_mass)
    store_matrix(ydot, 12 * i + 3, scale_columns(matrix_at(y, at + 3), body.turn))


@inlined
def write_force(system, work, y, ydot, i):
    """f and ½ R n'×, whose columns are ½ n × x."""
    body, at = free_body(system, i), momentum_offset(system, i)
    R = matrix_at(y, 12 * i + 3)
    force = force_on(system, work, i, body.mass)
    store_vector(ydot, at, force if body.inverse_mass != 0.0 else force * 0.0)
    torque = R @ torque_about_free_axes(body.turn, torque_on(work, i) * 0.5)
    store_matrix(ydot, at + 3, cross(torque, R))


@verbs.rates.method(FreeBodiesRotation)
def rotation_rates(system, work, t, y, ydot):
    """(∂H/∂p, −∂H/∂q + loads) without the multipliers."""
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)


@answers(verbs.drift, FreeBodiesRotation)
@answers(verbs.velocity, FreeBodiesRotation)
def rotation_velocity(system, work, t, y, ydot):
    """∂H/∂p, which reads no positions."""
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)


@answers(verbs.kick, FreeBodiesRotation)
@answers(verbs.force, FreeBodiesRotation)
def rotation_force(system, work, t, y, ydot):
    """−∂H/∂q + loads, without the multipliers."""
    compute_body_frames(system, work, t, y)
    apply_force_laws(system, work, t)
    for i in range(system.body.shape[0]):
        write_force(system, work, y, ydot, i)


verbs.poses.method(FreeBodiesRotation)(free_bodies_poses)
verbs.follow_angles.method(FreeBodiesRotation)(follow_rotations)
verbs.power.method(FreeBodiesRotation)(free_bodies_power)


@verbs.energies.method(FreeBodiesRotation)
def rotation_energies(system, work, t, y):
    """T = p²/2m + ½ tr(P D⁻¹ Pᵀ)"""
    compute_body_frames(system, work, t, y)
    kinetic = 0.0 * t
    for i in range(system.body.shape[0]):
        body, at = free_body(system, i), momentum_offset(system, i)
        p, P = vector_at(y, at), matrix_at(y, at + 3)
        spin = fma(
            body.turn.x, dot(P.x, P.x), fma(body.turn.y, dot(P.y, P.y), body.turn.z * dot(P.z, P.z))
        )
        kinetic = fma(0.5, fma(body.inverse_mass, dot(p, p), spin), kinetic)
    return total_energies(system, work, t, kinetic)


# ---- constraints: xx, xy, xz, yy, yz, zz of each body that rotates -------------------------------
@inlined
def store_symmetric(out, first, xx, xy, xz, yy, yz, zz):
    """Six entries of a symmetric matrix into six rows."""
    store_vector(out, first, Vec3(xx, xy, xz))
    store_vector(out, first + 3, Vec3(yy, yz, zz))


@verbs.constraint.method(FreeBodiesRotation)
def orthogonality(system, work, t, y, out):
    """Constraint residuals: x · y of two axes, (x · x − 1)/2 of one."""
    for k in range(system.rotating_bodies.shape[0]):
        x, y_axis, z = matrix_at(y, 12 * system.rotating_bodies[k] + 3)
        xx, yy, zz = 0.5 * dot(x, x) - 0.5, 0.5 * dot(y_axis, y_axis) - 0.5, 0.5 * dot(z, z) - 0.5
        store_symmetric(out, 6 * k, xx, dot(x, y_axis), dot(x, z), yy, dot(y_axis, z), zz)


@verbs.constraint_rate.method(FreeBodiesRotation)
def orthogonality_rate(system, work, t, y, ydot, out):
    """Residual rates: x · ẏ + y · ẋ of two axes, x · ẋ of one."""
    for k in range(system.rotating_bodies.shape[0]):
        at = 12 * system.rotating_bodies[k] + 3
        a, b = matrix_at(y, at), matrix_at(ydot, at)
        xy = dot(a.x, b.y) + dot(a.y, b.x)
        xz = dot(a.x, b.z) + dot(a.z, b.x)
        yz = dot(a.y, b.z) + dot(a.z, b.y)
        store_symmetric(out, 6 * k, dot(a.x, b.x), xy, xz, dot(a.y, b.y), yz, dot(a.z, b.z))


@verbs.add_multiplier_forces.method(FreeBodiesRotation)
def orthogonality_constraint_force(system, work, t, y, multipliers, ydot):
    """R Λ"""
    for k in range(system.rotating_bodies.shape[0]):
        i = system.rotating_bodies[k]
        R, at = matrix_at(y, 12 * i + 3), momentum_offset(system, i) + 3
        first, last = vector_at(multipliers, 6 * k), vector_at(multipliers, 6 * k + 3)
        add_vector(ydot, at, R @ first)
        add_vector(ydot, at + 3, R @ Vec3(first.y, last.x, last.y))
        add_vector(ydot, at + 6, R @ Vec3(first.z, last.y, last.z))


verbs.factor_multipliers.method(FreeBodiesRotation)(factor_nothing)


@verbs.solve_multipliers.method(FreeBodiesRotation)
def solve_orthogonality(system, work, x):
    """x divided by 1/D_x + 1/D_y of two axes, 1/D_x of one, in place."""
    for k in range(system.rotating_bodies.shape[0]):
        turn, at = free_body(system, system.rotating_bodies[k]).turn, 6 * k
        x[at] /= turn.x
        x[at + 1] /= turn.x + turn.y
        x[at + 2] /= turn.x + turn.z
        x[at + 3] /= turn.y
        x[at + 4] /= turn.y + turn.z
        x[at + 5] /= turn.z


# ---- between two states: METHODS 5 in director coordinates ---------------------------------------
@inlined
def store_director_frame(system, bodies, y, i):
    """Rotation and position of body i, without a twist."""
    store(bodies.rotation, i, matrix_at(y, 12 * i + 3))
    store(bodies.position, i, vector_at(y, 12 * i))


@inlined
def compute_director_frames(system, work, bodies, y):
    """Frames of one of the two states; prescribed frames stay as at the middle."""
    for i in range(system.body.shape[0]):
        store_director_frame(system, bodies, y, i)
    for k in range(system.motions.row.shape[0]):
        i = system.motions.row[k]
        if system.motions.turns[k] != 0:
            store(bodies.rotation, i, load(work.middle.rotation, i, Mat3))
        if system.motions.moves[k] != 0:
            store(bodies.position, i, load(work.middle.position, i, Vec3))


@inlined
def apply_loads_at_middle(system, work, t):
    """Force and Σ f Xᵀ of loads at the middle, into the scratch of work."""
    clear_wrenches(system, work.middle)
    if system.body_laws.has_any:
        add_all_load_wrenches(system.body_laws, t, work.middle)
    for i in range(system.body.shape[0]):
        wrench = load(work.middle.wrench, i, Wrench)
        store(work.force, i, wrench.force)
        store(work.moment, i, cross(wrench.torque * 0.5, load(work.middle.rotation, i, Mat3)))


@verbs.discrete_rates.method(FreeBodiesRotation)
def rotation_discrete_rates(system, work, t, y, end, ydot):
    """Ṙ = P̄ D⁻¹; forces along distances², which are quadratic here, by the quotient of the
    differences of V and of the distance².
    """
    for i in range(system.layout.positions + system.layout.momenta):
        store(ydot, i, 0.5 * (load(y, i) + load(end, i)))
    compute_body_frames(system, work, t, ydot)
    for i in range(system.body.shape[0]):
        store(work.middle.rotation, i, load(work.bodies.rotation, i, Mat3))
        store(work.middle.position, i, load(work.bodies.position, i, Vec3))
        store(work.middle.twist, i, load(work.bodies.twist, i, Twist))
    apply_loads_at_middle(system, work, t)
    compute_director_frames(system, work, work.begin, y)
    compute_director_frames(system, work, work.bodies, end)
    add_all_discrete_gradient_forces(
        system.between, t, work.begin, work.bodies, work.force, work.moment
    )
    for i in range(system.body.shape[0]):
        write_velocity(system, ydot, ydot, i)
    for i in range(system.body.shape[0]):
        body, at = free_body(system, i), momentum_offset(system, i)
        force = load(work.force, i, Vec3) + load(system.gravity, 0, Vec3) * body.mass
        store_vector(ydot, at, force if body.inverse_mass != 0.0 else force * 0.0)
        moment = load(work.moment, i, Mat3)
        store_matrix(ydot, at + 3, moment if body.turn.x != 0.0 else moment * 0.0)


# ---- assembly ------------------------------------------------------------------------------------
def second_moments(moments: np.ndarray) -> np.ndarray:
    """D = ½ tr J' − J' (ERRATA 2-11)."""
    return 0.5 * moments.sum(axis=1, keepdims=True) - moments


def check_second_moments(tables: FreeBodiesTables, second: np.ndarray) -> None:
    """Refuse plane and straight bodies, whose D has no inverse."""
    flat = tables.turns & (second.min(axis=1) <= MIN_MOMENT_RATIO * second.max(axis=1))
    if flat.any():
        i = int(np.argmax(flat))
        name = tables.model.bodies[i].name
        shape = "straight" if (tables.moments[i] == 0.0).any() else "flat"
        raise FitError(
            f"body '{name}' is {shape}: its second moment of mass D = ½ tr J − J is singular, and "
            "P = ṘD has no inverse; use free_bodies_quaternion, or give it a thickness",
            ("body", name),
        )


def freeze_between(laws: DiscreteGradientLaws) -> DiscreteGradientLaws:
    return laws._replace(law=read_only(laws.law))


def assemble(assembly) -> FreeBodiesRotation:
    """The tables of unjoined bodies, the same for every start."""
    model, tables = assembly.model, FreeBodiesTables(assembly.model, "free_bodies_rotation")
    laws = tables.laws()
    between = freeze_between(select_discrete_gradient_laws(laws))
    second, n = second_moments(tables.moments), len(model.bodies)
    check_second_moments(tables, second)
    turning = int(tables.turns.sum())
    facts = tables.facts(6 * turning)
    facts = facts._replace(followed=n if turning or facts.followed else 0)
    return FreeBodiesRotation(
        Layout(12 * n, 12 * n),
        facts._replace(has_discrete_forces=bool(between.is_whole)),
        tables.bodies(tables.inverse(second), np.zeros(n)),
        tables.frames(),
        read_only(tables.moments),
        tables.rotating_bodies,
        read_only([model.gravity]),
        tables.motions,
        laws,
        between,
    )


def initial_state(system, assembly, pointer=None) -> np.ndarray:
    """(r, R; m v, R ω'× D), matrices by their columns."""
    start, n = free_bodies_start(system, assembly), len(assembly.model.bodies)
    columns = np.swapaxes(start.R, 1, 2)
    omega = np.einsum("kij,kj->ki", start.R, start.w)
    P = np.cross(omega[:, None], columns) * second_moments(system.moments)[:, :, None]
    mass = system.body[:, :1]
    return pack_body_state(start.r, columns.reshape(n, 9), mass * start.v, P.reshape(n, 9))


def norm_errors(states: np.ndarray) -> np.ndarray:
    """The largest entry of RᵀR − 1 of every body in every state."""
    positions = states[:, : states.shape[1] // 2].reshape(len(states), -1, 12)
    R = positions[:, :, 3:].reshape(len(states), -1, 3, 3)
    return np.abs(np.einsum("tnij,tnkj->tnik", R, R) - np.eye(3)).max(axis=(2, 3))


FORMULATION = free_bodies_formulation(
    "free_bodies_rotation",
    system=FreeBodiesRotation,
    assemble=assemble,
    initial_state=initial_state,
    row_scales=lambda system, assembly: body_row_scales(assembly, 9, 9, True),
    norm_errors=norm_errors,
    reference=(
        "the thesis, chapter 3 and appendix B with ERRATA 2-11 … 2-16, 2-37 … 2-40; METHODS 3"
    ),
    summary=(
        "free bodies without joints, connected by forces: r, rotation matrix and P = ṘD, RᵀR = 1 "
        "as constraints"
    ),
    traits=Traits(
        "symplectic RATTLE with a separable H; energy and momentum at once (director coordinates)",
        "r and the rotation matrix of every body, and their canonical momenta",
        "RᵀR = 1 and all momenta to rounding (RATTLE, SPARK)",
        "O(N)",
    ),
    default_integrator="spark6",
)
