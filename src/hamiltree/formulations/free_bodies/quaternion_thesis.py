"""The quaternion form of the thesis, (3.21)–(3.32), kept to show its defect: it has J₀ about the
fourth direction, and λ is put in.

H = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀ + V(r, A(q)) + λ (q·q − 1), A(q) homogeneous of degree two
(ERRATA 2-17, 2-18), and instead of a constraint λ = −½ q·V_q (3.32): ġ = −T_q − V_q + (q·V_q) q.
x = ‖q‖² − 1 then obeys ẍ ≈ (q·V_q/2J₀) x: the unit sphere is unstable wherever q·V_q > 0, and no
method keeps it (ERRATA 2-25, 2-26). free_bodies_quaternion is the form to use.
V is that of pair forces without lists; gravity at the centre of mass has no part in q, and other
laws act as in free_bodies_quaternion.
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.algebra.mat3 import ZERO_MATRIX, Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import add_quat, add_vector, quat_at
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, store
from hamiltree.errors import FitError, OptionError
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    DiscreteGradientLaws,
    add_all_discrete_gradient_forces,
    select_discrete_gradient_laws,
    select_remaining_laws,
)
from hamiltree.formulations.absolute.quaternions import momentum_offset, quaternion_dot
from hamiltree.formulations.absolute.world_frames import apply_body_laws
from hamiltree.formulations.formulation import Traits
from hamiltree.formulations.free_bodies.bodies import (
    compute_body_frame,
    compute_body_frames,
    follow_rotations,
    free_bodies_poses,
    free_bodies_power,
    free_body,
)
from hamiltree.formulations.free_bodies.quaternion import (
    FreeBodiesQuaternion,
    assembler_of,
    compute_quaternion_frame,
    inverse_half_trace,
    quaternion_energies,
    quaternion_formulation,
    quaternion_velocity,
    write_rates,
)
from hamiltree.verbs import rates

FICTITIOUS_INERTIA_COLUMN = 5  # the column of FreeBodyConstants that holds 1/J₀


FreeBodiesQuaternionThesis = NamedTuple(
    "FreeBodiesQuaternionThesis",
    [
        *FreeBodiesQuaternion.__annotations__.items(),
        ("between", DiscreteGradientLaws),
        ("others", BodyLawDispatch),
    ],
)


@compute_body_frame.method(FreeBodiesQuaternionThesis)
def compute_homogeneous_frame(system, work, y, i):
    """A(q) = ‖q‖² R, which stretches a body whose quaternion has not the norm one."""
    compute_quaternion_frame(system, work, y, i)
    q = quat_at(y, 7 * i + 3)
    store(work.bodies.rotation, i, load(work.bodies.rotation, i, Mat3) * quaternion_dot(q, q))


@inlined
def apply_laws_and_pair_forces(system, work, t):
    """Wrenches of the other laws; force and M = Σ f Xᵀ of pair forces."""
    apply_body_laws(system, system.others, work.bodies, t)
    for i in range(system.body.shape[0]):
        store(work.force, i, ZERO)
        store(work.moment, i, ZERO_MATRIX)
    add_all_discrete_gradient_forces(
        system.between, t, work.bodies, work.bodies, work.force, work.moment
    )


@inlined
def pair_generalised_force(work, q, i):
    """−V_q = 2 Σ f ∘ q ∘ X̄ = −2 Σ_b M_b ∘ q ∘ e_b over the three axes."""
    M = load(work.moment, i, Mat3)
    x = Quat(0.0, M.x.x, M.x.y, M.x.z) @ q @ Quat(0.0, 1.0, 0.0, 0.0)
    y = Quat(0.0, M.y.x, M.y.y, M.y.z) @ q @ Quat(0.0, 0.0, 1.0, 0.0)
    z = Quat(0.0, M.z.x, M.z.y, M.z.z) @ q @ Quat(0.0, 0.0, 0.0, 1.0)
    return (x + (y + z)) * -2.0


@inlined
def add_pair_forces(system, work, y, ydot, i):
    """f, and −V_q − 2λ q = −V_q + (q·V_q) q, of the motions of body i that are free."""
    body, at = free_body(system, i), momentum_offset(system, i)
    q = quat_at(y, 7 * i + 3)
    if body.inverse_mass != 0.0:
        add_vector(ydot, at, load(work.force, i, Vec3))
    if body.inverse_fictitious_inertia != 0.0:
        generalised_force = pair_generalised_force(work, q, i)
        generalised_force = generalised_force + q * -quaternion_dot(q, generalised_force)
        add_quat(ydot, at + 3, generalised_force)


@verbs.rates.method(FreeBodiesQuaternionThesis)
def thesis_rates(system, work, t, y, ydot):
    """(∂H/∂p, −∂H/∂q) with λ = −½ q·V_q put in (3.32)."""
    compute_body_frames(system, work, t, y)
    apply_laws_and_pair_forces(system, work, t)
    write_rates(system, work, y, ydot)
    for i in range(system.body.shape[0]):
        add_pair_forces(system, work, y, ydot, i)


@verbs.force.method(FreeBodiesQuaternionThesis)
def thesis_force(system, work, t, y, ydot):
    """−∂H/∂q, with the velocities as a by-product."""
    rates(system, work, t, y, ydot)


verbs.velocity.method(FreeBodiesQuaternionThesis)(quaternion_velocity)
verbs.energies.method(FreeBodiesQuaternionThesis)(quaternion_energies)
verbs.power.method(FreeBodiesQuaternionThesis)(free_bodies_power)
verbs.follow_angles.method(FreeBodiesQuaternionThesis)(follow_rotations)


@verbs.poses.method(FreeBodiesQuaternionThesis)
def thesis_poses(system, work, t, y, pose, twist):
    """Poses and twists by R, not by ‖q‖² R, which `rates` left in work."""
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        stretched = load(work.bodies.rotation, i, Mat3)
        store(work.bodies.rotation, i, stretched * (1.0 / quaternion_dot(q, q)))
    free_bodies_poses(system, work, t, y, pose, twist)


# ---- assembly ------------------------------------------------------------------------------------
def assemble(assembly) -> FreeBodiesQuaternionThesis:
    """The tables of free_bodies_quaternion with J₀ = ½ tr J', pair forces apart from other laws."""
    plain = assembler_of(FreeBodiesQuaternion, "free_bodies_quaternion_thesis", inverse_half_trace)(
        assembly
    )
    between = select_discrete_gradient_laws(plain.body_laws, (1, 4), with_loads=False)
    if between.has_lists:
        raise FitError(
            "free_bodies_quaternion_thesis takes pair forces without lists of neighbours: leave "
            "out the cut-off of those between all bodies, name their pairs, or take "
            "free_bodies_quaternion"
        )
    return FreeBodiesQuaternionThesis(
        *plain, between, select_remaining_laws(plain.body_laws, between)
    )


def with_fictitious_inertia(
    system: FreeBodiesQuaternionThesis, value
) -> FreeBodiesQuaternionThesis:
    """Option `fictitious_inertia`: another J₀ than ½ tr J', kg m²."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0.0 < value < np.inf:
        raise OptionError(
            f"fictitious_inertia = {value!r}; it must be finite and above zero (kg m²)"
        )
    body = np.array(system.body)
    rotates = body[:, FICTITIOUS_INERTIA_COLUMN] > 0.0
    body[:, FICTITIOUS_INERTIA_COLUMN] = np.where(rotates, 1.0 / value, 0.0)
    body.flags.writeable = False
    return system._replace(body=body)


FORMULATION = quaternion_formulation(
    "free_bodies_quaternion_thesis",
    system=FreeBodiesQuaternionThesis,
    assemble=assemble,
    reference="the thesis, chapter 3, (3.21)–(3.32); ERRATA 2-22 … 2-26",
    summary=(
        "the same with J₀ and the multiplier of the thesis put in: ‖q‖ = 1 is unstable; to show "
        "that, not to use"
    ),
    traits=Traits(
        "showing why free_bodies_quaternion has no multiplier",
        "as free_bodies_quaternion",
        "nothing: ‖q‖ drifts away",
        "O(N)",
    ),
    options={"fictitious_inertia": with_fictitious_inertia},
)
