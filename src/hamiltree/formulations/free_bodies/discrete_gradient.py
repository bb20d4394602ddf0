"""A discrete gradient of H in quaternions, for energy–momentum steps of
free_bodies_quaternion_constrained: METHODS 5.

With means q̄, ḡ of two states, π̄ = ½ (Ĝ(q)g + Ĝ(q⁺)g⁺), Ĝ(q)g = (q · g, L(q)g), and Ĵ = (J₀, J'):
  Δq = h ¼ Ĝ(q̄)ᵀ Ĵ⁻¹ π̄,   Δg = −h (¼ S(ḡ)ᵀ Ĵ⁻¹ π̄ + D̄V),   S(g)q = Ĝ(q)g
so that T changes as it should, T being a square of what is bilinear in q and g. Of V, a function of
r and of A(q) = ‖q‖² R,
  D̄V = V_x(x̄) + c M e,   c = (V⁺ − V − V_x(x̄) · Δx) / (Δx · M e),   x = (r, q), M = (m, 4 J₀)
with e = Δx, or where V is of relative positions only, what is left of Δx beside the rigid motions
of all bodies at the middle: then M e has no resultant force or torque, and total momenta are kept
as well. Of what is linear in r and A the correction vanishes: a heavy top keeps its spin about
the vertical. V_q along q̄ is left to the multipliers of ‖q‖ = 1. V of gravity is linear, and loads
do work h P.
"""

from hamiltree.algebra.mat3 import ZERO_SYMMETRIC, Mat3, Sym3, invert_symmetric
from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.rows import (
    add_vector,
    quat_at,
    store_quat,
    store_vector,
    vector_at,
)
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import absolute, fma, load, maximum, store, where_less
from hamiltree.forces.dispatch import (
    add_all_load_wrenches,
    add_all_wrenches,
    potential_energy_of_bodies,
)
from hamiltree.formulations.absolute.quaternions import (
    l_times,
    l_transpose_times,
    momentum_offset,
    quaternion_dot,
)
from hamiltree.formulations.absolute.world_frames import clear_wrenches, store_frame, torque_on
from hamiltree.formulations.free_bodies.bodies import (
    diagonal_product,
    force_on,
    free_body,
    prescribe_body_frames,
    torque_about_free_axes,
)

ENERGY_ROUNDING = 4e-16  # of V: a defect below is none
NEARLY_AT_REST = 1e-9  # rounding of V in parts of twice the kinetic energy: beyond, no correction
INERTIA_REGULARISATION = 1e-15  # of an inertia
TINY = 1e-300


# ---- two states, and the middle between them -----------------------------------------------------
@inlined
def mean_vector(a, b, at):
    """Mean of the vectors in the same rows of two states."""
    return (vector_at(a, at) + vector_at(b, at)) * 0.5


@inlined
def mean_quat(a, b, at):
    """Mean of the quaternions in the same rows of two states."""
    return (quat_at(a, at) + quat_at(b, at)) * 0.5


@inlined
def vector_change(a, b, at):
    """Change of a vector from state a to state b."""
    return vector_at(b, at) - vector_at(a, at)


@inlined
def quat_change(a, b, at):
    """Change of a quaternion from state a to state b."""
    return quat_at(b, at) + quat_at(a, at) * -1.0


@inlined
def mean_spin(system, y, end, i):
    """L(q)g of π̄."""
    at, to = 7 * i + 3, momentum_offset(system, i) + 3
    return (
        l_times(quat_at(y, at), quat_at(y, to)) + l_times(quat_at(end, at), quat_at(end, to))
    ) * 0.5


@inlined
def mean_radial_momentum(system, y, end, i):
    """q · g of π̄."""
    at, to = 7 * i + 3, momentum_offset(system, i) + 3
    return 0.5 * (
        quaternion_dot(quat_at(y, at), quat_at(y, to))
        + quaternion_dot(quat_at(end, at), quat_at(end, to))
    )


@inlined
def compute_mean_frames(system, work, t, y, end):
    """Frames at x̄, and twists of the mean momenta; A(q̄) is shorter than a rotation, so that what
    is linear in A has its exact gradient.
    """
    for i in range(system.body.shape[0]):
        body, q = free_body(system, i), mean_quat(y, end, 7 * i + 3)
        p = mean_vector(y, end, momentum_offset(system, i))
        R = rotation_matrix(q)
        w = R @ diagonal_product(body.turn, mean_spin(system, y, end, i) * 0.5)
        stretched, r = R * quaternion_dot(q, q), mean_vector(y, end, 7 * i)
        store_frame(work.bodies, i, stretched, r, Twist(w, p * body.inverse_mass))
    if system.motions.row.shape[0] > 0:
        prescribe_body_frames(system, work, t, y)


@inlined
def potential_energy_at(system, work, t, y):
    """V of the laws at the positions of y; prescribed frames stay as at the middle."""
    for i in range(system.body.shape[0]):
        store(work.begin.rotation, i, rotation_matrix(quat_at(y, 7 * i + 3)))
        store(work.begin.position, i, vector_at(y, 7 * i))
    for k in range(system.motions.row.shape[0]):
        i = system.motions.row[k]
        if system.motions.turns[k] != 0:
            store(work.begin.rotation, i, load(work.bodies.rotation, i, Mat3))
        if system.motions.moves[k] != 0:
            store(work.begin.position, i, load(work.bodies.position, i, Vec3))
    return potential_energy_of_bodies(system.body_laws, t, work.begin, work.total)


@inlined
def generalised_moment(work, body, q, i):
    """2 n'/‖q̄‖², principal axes; the frames in work are ‖q̄‖² R."""
    size = quaternion_dot(q, q)
    return torque_about_free_axes(body.turn, torque_on(work, i)) * (2.0 / (size * size))


@inlined
def work_done(system, work, y, end):
    """Σ wrench · Δx at the middle: f · Δr + n' · 2 L(q̄)Δq/‖q̄‖², of what is free."""
    done = 0.0 * load(y, 0)
    for i in range(system.body.shape[0]):
        body, q = free_body(system, i), mean_quat(y, end, 7 * i + 3)
        turn = l_times(q, quat_change(y, end, 7 * i + 3))
        done = done + dot(generalised_moment(work, body, q, i), turn)
        if body.inverse_mass != 0.0:
            done = done + dot(
                load(work.bodies.wrench, i, Wrench).force, vector_change(y, end, 7 * i)
            )
    return done


# ---- rigid motions -------------------------------------------------------------------------------
@inlined
def quaternion_weight(body):
    """4 J₀ of a body that turns."""
    return 4.0 / body.inverse_fictitious_inertia if body.inverse_fictitious_inertia != 0.0 else 0.0


@inlined
def add_point_inertia(inertia, weight, s):
    """inertia + weight (s² − s sᵀ), of a point mass at s."""
    return Sym3(
        fma(weight, fma(s.y, s.y, s.z * s.z), inertia.xx),
        fma(-weight * s.x, s.y, inertia.xy),
        fma(-weight * s.x, s.z, inertia.xz),
        fma(weight, fma(s.x, s.x, s.z * s.z), inertia.yy),
        fma(-weight * s.y, s.z, inertia.yz),
        fma(weight, fma(s.x, s.x, s.y * s.y), inertia.zz),
    )


@inlined
def spatial_rotation_part(q, change):
    """The vector w of δq · change of all δq = ½ (0, e) ∘ q: ½ times the vector part of
    change ∘ q̄.
    """
    product = change @ Quat(q.w, -q.x, -q.y, -q.z)
    return Vec3(product.x, product.y, product.z) * 0.5


@inlined
def regularise_inertia(inertia):
    """Inertia with a small addition about every axis: points on a line have none about it, and a
    rotation about it moves nothing.
    """
    little = INERTIA_REGULARISATION * (inertia.xx + (inertia.yy + inertia.zz))
    return inertia + Sym3(little, 0.0 * little, 0.0 * little, little, 0.0 * little, little)


@outlined
def nearest_rigid_motion(system, y, end):
    """(displacement, rotation, centre) of the rigid motion at the middle that is nearest to Δx in
    the metric M; zeros where V depends on more than relative positions.
    """
    nothing = ZERO + vector_at(y, 0) * 0.0
    if not system.is_isolated:
        return nothing, nothing, nothing
    mass, centre, shift = 0.0, nothing, nothing
    for i in range(system.body.shape[0]):
        m = free_body(system, i).mass
        mass = mass + m
        centre = centre + mean_vector(y, end, 7 * i) * m
        shift = shift + vector_change(y, end, 7 * i) * m
    centre, shift = centre * (1.0 / mass), shift * (1.0 / mass)
    inertia, spin = add_point_inertia(ZERO_SYMMETRIC, 0.0, nothing), nothing
    for i in range(system.body.shape[0]):
        body, q = free_body(system, i), mean_quat(y, end, 7 * i + 3)
        s = mean_vector(y, end, 7 * i) - centre
        own = 0.25 * quaternion_weight(body) * quaternion_dot(q, q)
        inertia = add_point_inertia(inertia, body.mass, s) + Sym3(
            own, 0.0 * own, 0.0 * own, own, 0.0 * own, own
        )
        turn = spatial_rotation_part(q, quat_change(y, end, 7 * i + 3)) * quaternion_weight(body)
        spin = spin + (cross(s, vector_change(y, end, 7 * i)) * body.mass + turn)
    return shift, invert_symmetric(regularise_inertia(inertia)) @ spin, centre


@inlined
def store_correction_direction(system, work, y, end):
    """e into the scratch of work; returns Δx · M e."""
    shift, turning, centre = nearest_rigid_motion(system, y, end)
    product = 0.0 * load(y, 0)
    for i in range(system.body.shape[0]):
        body, q = free_body(system, i), mean_quat(y, end, 7 * i + 3)
        dr, dq = vector_change(y, end, 7 * i), quat_change(y, end, 7 * i + 3)
        er = dr - (shift + cross(turning, mean_vector(y, end, 7 * i) - centre))
        eq = dq + Quat(0.0, -0.5 * turning.x, -0.5 * turning.y, -0.5 * turning.z) @ q
        er = er * body.mass if body.inverse_mass != 0.0 else er * 0.0
        eq = eq * quaternion_weight(body)
        store(work.force, i, er)
        store(work.quaternion_correction, i, eq)
        product = product + (dot(er, dr) + quaternion_dot(eq, dq))
    return product


# ---- the rates -----------------------------------------------------------------------------------
@inlined
def write_mean_rates(system, work, y, end, ydot, i):
    """Rates of body i but for the correction of V."""
    body, at = free_body(system, i), momentum_offset(system, i)
    q = mean_quat(y, end, 7 * i + 3)
    spin, g = mean_spin(system, y, end, i), mean_quat(y, end, at + 3)
    along = mean_radial_momentum(system, y, end, i) * (0.25 * body.inverse_fictitious_inertia)
    turn = diagonal_product(body.turn, spin * 0.25)
    store_vector(ydot, 7 * i, mean_vector(y, end, at) * body.inverse_mass)
    store_quat(ydot, 7 * i + 3, l_transpose_times(q, turn) + q * along)
    force = force_on(system, work, i, body.mass)
    store_vector(ydot, at, force if body.inverse_mass != 0.0 else force * 0.0)
    moment = l_transpose_times(q, generalised_moment(work, body, q, i))
    store_quat(ydot, at + 3, (l_transpose_times(g, turn) + g * -along) + moment)


@inlined
def add_energy_correction(system, work, y, end, ydot, defect):
    """−c M e"""
    product = store_correction_direction(system, work, y, end)
    c = where_less(0.0, product, defect, 0.0) / maximum(product, TINY)
    for i in range(system.body.shape[0]):
        at = momentum_offset(system, i)
        add_vector(ydot, at, load(work.force, i, Vec3) * -c)
        eq = load(work.quaternion_correction, i, Quat)
        store(ydot, at + 3, load(ydot, at + 3) - c * eq.w)
        add_vector(ydot, at + 4, Vec3(eq.x, eq.y, eq.z) * -c)


@inlined
def twice_kinetic(system, y, end, ydot):
    """p · q̇ with the mean momenta."""
    total, n = 0.0 * load(y, 0), system.layout.positions
    for k in range(n):
        total = fma(0.5 * (load(y, n + k) + load(end, n + k)), load(ydot, k), total)
    return total


def quaternion_discrete_rates(system, work, t, y, end, ydot):
    """ẏ without the multipliers of ‖q‖ = 1."""
    compute_mean_frames(system, work, t, y, end)
    clear_wrenches(system, work.bodies)
    load_work = 0.0 * load(y, 0)
    if system.body_laws.has_any:
        add_all_load_wrenches(system.body_laws, t, work.bodies)
        load_work = work_done(system, work, y, end)
        clear_wrenches(system, work.bodies)
        add_all_wrenches(system.body_laws, t, work.bodies)
    for i in range(system.body.shape[0]):
        write_mean_rates(system, work, y, end, ydot, i)
    if system.body_laws.has_any:
        done = work_done(system, work, y, end) - load_work
        before = potential_energy_at(system, work, t, y)
        after = potential_energy_at(system, work, t, end)
        defect = (after - before) + done
        small = ENERGY_ROUNDING * (absolute(before) + absolute(after))
        defect = where_less(absolute(defect), small, 0.0, defect)
        # Rounding of V would move bodies that are nearly at rest more than they move; the error of
        # V there is below the rounding of H.
        defect = where_less(
            small, NEARLY_AT_REST * twice_kinetic(system, y, end, ydot), defect, 0.0
        )
        add_energy_correction(system, work, y, end, ydot, defect)
