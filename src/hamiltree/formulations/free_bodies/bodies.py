"""Bodies without joints between them, in the principal axes at their centres of mass: what the
formulations of free bodies share.

A body is free, clamped (welded), held by a ball, or has a prescribed motion; forces connect it with
others. One that is held by a ball elsewhere than in its centre of mass turns about the ball, whose
place is then that of the centre of mass here (tables.py). A held body keeps its rows of the state,
with momenta and rates of zero; a body of prescribed motion is placed by t, whatever its rows say.
Its kinetic energy is a function of t alone: it counts in H, and its change in the power.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat, conjugate, quaternion_from_matrix, rotation_matrix
from hamiltree.algebra.rows import quat_at, store_quat
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.compiled.number import (
    fma,
    load,
    maximum,
    part,
    root,
    rows,
    sincos,
    store,
    where_less,
)
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.triples import Triple
from hamiltree.forces.dispatch import (
    allocate_law_states,
    potential_energy_of_bodies,
)
from hamiltree.forces.laws import Bodies
from hamiltree.forces.user_code import evaluate_code
from hamiltree.formulations.absolute.world_frames import (
    add_power_of_loads,
    apply_body_laws,
    bodies_workspace,
    store_frame,
    store_pose_of_origin,
    torque_on,
)
from hamiltree.verbs import Energies


class FreeBodyConstants(NamedTuple):
    mass: float
    inverse_mass: float  # 1/m; 0 of a body whose position is held or prescribed
    # inverse principal moments, or second moments; 0 about an axis without inertia, and where the
    # rotation is held or prescribed
    turn: Vec3
    # 1/J₀ of a quaternion's fourth direction; 0 where there is none
    inverse_fictitious_inertia: float


class PrincipalFrame(NamedTuple):
    """Centre of mass and principal axes, in the body's own axes."""

    com: Vec3
    axes: Mat3


class PrescribedMotions(NamedTuple):
    """Bodies whose motion is a function of time."""

    row: np.ndarray  # (n,) of Bodies
    moves: np.ndarray  # (n,) whether r(t) is given
    turns: np.ndarray  # (n,) whether θ(t) is given
    code: np.ndarray  # (6 n, 2) Code of f, f', f'' of r(t), then of θ(t)
    parameters: np.ndarray  # (n, p) of the code


class FreeBodiesWork(NamedTuple):
    bodies: Bodies  # the ground is the last row                     compute_body_frames
    total: np.ndarray  # one number: energy of laws
    series: np.ndarray  # of a free rotation: see free_rotation.py
    force: np.ndarray  # Vec3 per body                               discrete_rates
    quaternion_correction: np.ndarray  # Quat per body               discrete_rates
    moment: np.ndarray  # Mat3 per body                              discrete_rates
    begin: Bodies  # frames of one of two states                     discrete_rates
    middle: Bodies  # of the middle between them                     discrete_rates
    # of floats: a time, then quaternions whose signs are followed    follow_angles
    windings: np.ndarray


class SeriesRow(NamedTuple):
    """A term of the power series of a free rotation (free_rotation.py): of a and of d = (w, v).
    Vectors with their turns, each stored by itself: they are loaded right after.
    """

    a: Triple
    a_next: Triple
    a_last: Triple
    v: Triple
    v_next: Triple
    v_last: Triple
    w: float


MAX_SERIES_TERMS = 24  # of the power series of a free rotation


def free_bodies_workspace(system, width: int = 1) -> FreeBodiesWork:
    """Scratch of all formulations of free bodies; its three sets of frames share one law state."""
    n = len(system.body)
    law_state = allocate_law_states(system.body_laws, width)
    bodies, begin, middle = (bodies_workspace(system, width, law_state) for _ in range(3))
    return FreeBodiesWork(
        bodies,
        rows(float, 1, width),
        rows(SeriesRow, MAX_SERIES_TERMS, width),
        rows(Vec3, n, width),
        rows(Quat, n, width),
        rows(Mat3, n, width),
        begin,
        middle,
        np.zeros(1 + 4 * n if system.facts.followed else 0),
    )


compute_body_frame = Generic(
    "compute_body_frame",
    "compute_body_frame(system, work, y, i): frame and twist of a body by its own rows of y",
    leading=1,
).call


@inlined
def free_body(system, i):
    """Masses and inverse inertias of body i."""
    return load(system.body, i, FreeBodyConstants)


@inlined
def diagonal_product(a, b):
    """diag(a) b"""
    return Vec3(a.x * b.x, a.y * b.y, a.z * b.z)


# ---- forward kinematics --------------------------------------------------------------------------
@inlined
def compute_body_frames(system, work, t, y):
    """Frames and twists of all bodies at the time t."""
    for i in range(system.body.shape[0]):
        compute_body_frame(system, work, y, i)
    if system.motions.row.shape[0] > 0:
        prescribe_body_frames(system, work, t, y)


class PrescribedBodyMotion(NamedTuple):
    """Prescribed motion of a body: its centre of mass and its rotation, in world axes."""

    r: Vec3
    v: Vec3
    a: Vec3
    w: Vec3
    angular_acceleration: Vec3  # dω/dt
    rotation: Mat3  # of the body's own axes, not the principal ones


class VectorWithRates(NamedTuple):
    """A vector and its two derivatives."""

    x: Vec3
    rate: Vec3
    second: Vec3


@inlined
def evaluate_time_functions(motions, k, first, t, like):
    """Three functions of time and their two derivatives."""
    inputs = stack_array(like, 1)
    x, y, z = stack_array(like, 3), stack_array(like, 3), stack_array(like, 3)
    store(inputs, 0, 0.0 * like)
    at, numbers = 6 * k + first, part(motions.parameters, k)
    evaluate_code(motions.code, at, 0, numbers, t, inputs, x)
    evaluate_code(motions.code, at + 1, 0, numbers, t, inputs, y)
    evaluate_code(motions.code, at + 2, 0, numbers, t, inputs, z)
    return VectorWithRates(
        Vec3(load(x, 0), load(y, 0), load(z, 0)),
        Vec3(load(x, 1), load(y, 1), load(z, 1)),
        Vec3(load(x, 2), load(y, 2), load(z, 2)),
    )


class HalfAngle(NamedTuple):
    """c = cos(x/2) and k = sin(x/2)/x as functions of s = x², with k' and k'' by s; c' = −k/4."""

    c: float
    k: float
    first: float
    second: float


SERIES_BELOW = 1.0  # of s: beyond it the differences below lose no digits


@inlined
def half_angle(s):
    """k' = (c/2 − k)/2s, k'' = −(k/8 + 3k')/2s; by the power series of k where s is small."""
    x = root(s)
    sine, c = sincos(0.5 * x)
    far = maximum(s, SERIES_BELOW)
    k, first, second = 0.0 * s, 0.0 * s, 0.0 * s
    # Horner's scheme of k and its two derivatives; coefficients (−1)ⁿ / (2²ⁿ⁺¹ (2n + 1)!)
    for n in range(11, -1, -1):
        second = fma(second, s, 2.0 * first)
        first = fma(first, s, k)
        k = fma(k, s, HALF_SINE[n])
    k = where_less(s, SERIES_BELOW, k, sine / root(far))
    first = where_less(s, SERIES_BELOW, first, (0.5 * c - k) / (2.0 * far))
    second = where_less(s, SERIES_BELOW, second, -(0.125 * k + 3.0 * first) / (2.0 * far))
    return HalfAngle(c, k, first, second)


HALF_SINE = tuple(0.5 * (-0.25) ** n / float(np.prod(np.arange(1.0, 2 * n + 2))) for n in range(12))


class RotationWithRates(NamedTuple):
    """A rotation, ω and ω̇."""

    rotation: Mat3
    w: Vec3  # world axes
    rate: Vec3


@inlined
def rotation_from_vector(theta):
    """R = exp(θ×) by the quaternion (c, k θ): ω = 2 q̇ ∘ q̄, ω̇ = 2 q̈ ∘ q̄ in space."""
    s = dot(theta.x, theta.x)
    ds = 2.0 * dot(theta.x, theta.rate)
    dds = 2.0 * (dot(theta.rate, theta.rate) + dot(theta.x, theta.second))
    half = half_angle(s)
    dk, ddk = half.first * ds, fma(half.second * ds, ds, half.first * dds)
    dc, ddc = -0.25 * half.k * ds, -0.25 * fma(half.k, dds, dk * ds)
    v = theta.x * half.k
    dv = theta.rate * half.k + theta.x * dk
    ddv = theta.second * half.k + (theta.rate * (2.0 * dk) + theta.x * ddk)
    q = Quat(half.c, v.x, v.y, v.z)
    rate = Quat(dc, dv.x, dv.y, dv.z) @ conjugate(q)
    second = Quat(ddc, ddv.x, ddv.y, ddv.z) @ conjugate(q)
    return RotationWithRates(
        rotation_matrix(q),
        Vec3(rate.x, rate.y, rate.z) * 2.0,
        Vec3(second.x, second.y, second.z) * 2.0,
    )


@inlined
def prescribed_body_motion(system, work, k, t, like):
    """Motion of the k-th body of `motions`. Where r(t) alone is prescribed, the centre of mass is
    the origin; where R(t) alone is, the centre of mass moves as the state says.
    """
    motions, i = system.motions, system.motions.row[k]
    frame, V = load(system.frame, i, PrincipalFrame), load(work.bodies.twist, i, Twist)
    at, nothing = load(work.bodies.position, i, Vec3), V.w * 0.0
    R, w, rate = load(work.bodies.rotation, i, Mat3) @ transpose(frame.axes), V.w, nothing
    if motions.turns[k] != 0:
        turned = rotation_from_vector(evaluate_time_functions(motions, k, 3, t, like))
        R, w, rate = turned.rotation, turned.w, turned.rate
    v, a = V.v, nothing
    if motions.moves[k] != 0:
        origin, arm = evaluate_time_functions(motions, k, 0, t, like), R @ frame.com
        at, v = origin.x + arm, origin.rate + cross(w, arm)
        a = origin.second + (cross(rate, arm) + cross(w, cross(w, arm)))
    return PrescribedBodyMotion(at, v, a, w, rate, R)


@outlined
def prescribe_body_frames(system, work, t, y):
    """Replace the frames of bodies with a prescribed motion, which the rows of y have given."""
    for k in range(system.motions.row.shape[0]):
        i = system.motions.row[k]
        prescribed = prescribed_body_motion(system, work, k, t, load(y, 0))
        R = prescribed.rotation @ load(system.frame, i, PrincipalFrame).axes
        store_frame(work.bodies, i, R, prescribed.r, Twist(prescribed.w, prescribed.v))


# ---- loads and energies --------------------------------------------------------------------------
@inlined
def apply_force_laws(system, work, t):
    """Wrenches of all laws about the centres of mass."""
    apply_body_laws(system, system.body_laws, work.bodies, t)


@inlined
def force_on(system, work, i, mass):
    """Force of laws and gravity on body i, world axes."""
    return load(work.bodies.wrench, i, Wrench).force + load(system.gravity, 0, Vec3) * mass


@inlined
def torque_about_free_axes(turn, torque):
    """Components of a torque about the principal axes that have an inertia and are free."""
    return Vec3(
        where_less(0.0, turn.x, torque.x, 0.0),
        where_less(0.0, turn.y, torque.y, 0.0),
        where_less(0.0, turn.z, torque.z, 0.0),
    )


@inlined
def total_energies(system, work, t, kinetic):
    """T of the free motions with that of the prescribed ones, and V, at the frames in work."""
    if system.motions.row.shape[0] > 0:
        kinetic = kinetic + kinetic_energy_of_prescribed(system, work, t)
    return Energies(kinetic, potential_energy(system, work, t))


@inlined
def potential_energy(system, work, t):
    """V of gravity and laws, at the frames in work."""
    potential, gravity = 0.0 * t, load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        height = dot(gravity, load(work.bodies.position, i, Vec3))
        potential = fma(-free_body(system, i).mass, height, potential)
    if system.body_laws.has_any:
        potential = potential + potential_energy_of_bodies(
            system.body_laws, t, work.bodies, work.total
        )
    return potential


@outlined
def kinetic_energy_of_prescribed(system, work, t):
    """T of the prescribed parts of motions, after `compute_body_frames`."""
    kinetic, motions = 0.0 * t, system.motions
    for k in range(motions.row.shape[0]):
        i = motions.row[k]
        V, moments = load(work.bodies.twist, i, Twist), load(system.moments, i, Vec3)
        if motions.moves[k] != 0:
            kinetic = fma(0.5 * free_body(system, i).mass, dot(V.v, V.v), kinetic)
        if motions.turns[k] != 0:
            w = transpose(load(work.bodies.rotation, i, Mat3)) @ V.w
            kinetic = fma(0.5, dot(w, diagonal_product(moments, w)), kinetic)
    return kinetic


@outlined
def power_of_prescribed(system, work, t, y):
    """Power of prescribed motions: (m a − f) · v + (J ω̇ + ω × J ω − n) · ω of the prescribed parts;
    all wrenches are in work.
    """
    power, motions = 0.0 * t, system.motions
    for k in range(motions.row.shape[0]):
        i = motions.row[k]
        prescribed = prescribed_body_motion(system, work, k, t, load(y, 0))
        mass, moments = free_body(system, i).mass, load(system.moments, i, Vec3)
        R = load(work.bodies.rotation, i, Mat3)
        if motions.moves[k] != 0:
            power = power + dot(prescribed.a * mass - force_on(system, work, i, mass), prescribed.v)
        if motions.turns[k] != 0:
            w, rate = transpose(R) @ prescribed.w, transpose(R) @ prescribed.angular_acceleration
            power = power + dot(diagonal_product(moments, rate) - torque_on(work, i), w)
    return power


@inlined
def power_of_loads_and_motions(system, work, t, y):
    """Power of dampers, loads and prescribed motions, at the frames and twists in work."""
    total = 0.0 * t
    if system.motions.row.shape[0] > 0:
        apply_force_laws(system, work, t)
        total = total + power_of_prescribed(system, work, t, y)
    return add_power_of_loads(system, work, t, total)


def free_bodies_power(system, work, t, y, ydot):
    """Power at the momenta of y; frames are computed again, because `kick` may have been called
    last.
    """
    if system.facts.is_conservative:
        return 0.0 * t
    compute_body_frames(system, work, t, y)
    return power_of_loads_and_motions(system, work, t, y)


@inlined
def free_bodies_poses(system, work, t, y, pose, twist):
    """Poses and twists of the bodies' origins, from the frames that `rates` left in work."""
    for i in range(system.body.shape[0]):
        frame = load(system.frame, i, PrincipalFrame)
        R = load(work.bodies.rotation, i, Mat3) @ transpose(frame.axes)
        store_pose_of_origin(work.bodies, i, R, R @ frame.com, pose, twist)


def follow_rotations(system, work, t, y):
    """Quaternions of the principal axes, of two opposite ones the nearer to the last."""
    compute_body_frames(system, work, t, y)
    for i in range(system.body.shape[0]):
        q = quaternion_from_matrix(load(work.bodies.rotation, i, Mat3))
        last = quat_at(work.windings, 1 + 4 * i)
        along = q.w * last.w + q.x * last.x + q.y * last.y + q.z * last.z
        store_quat(work.windings, 1 + 4 * i, q * where_less(along, 0.0, -1.0, 1.0))
    work.windings[0] = t


def factor_nothing(system, work, t, y):
    """The matrix of the multipliers is constant and diagonal where the constraints hold."""
    return True
