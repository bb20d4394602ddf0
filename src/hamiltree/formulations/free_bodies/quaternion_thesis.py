"""The quaternion form of seed 002 (3.21)–(3.32), kept to show what is wrong with it: J₀ about the
fourth direction and λ put in.

H = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀ + V(r, A(q)) + λ (q·q − 1), A(q) homogeneous of degree two
(ERRATA 2-17, 2-18), and instead of a constraint λ = −½ q·V_q (3.32): ġ = −T_q − V_q + (q·V_q) q.
x = ‖q‖² − 1 then obeys ẍ ≈ (q·V_q/2J₀) x: the unit sphere is unstable wherever q·V_q > 0, and no
method keeps it (ERRATA 2-25, 2-26). free_bodies_quaternion is the form to use.
V is that of pair forces without lists; gravity at the centre of mass has no part in q, and other
laws act as in free_bodies_quaternion.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, store
from hamiltree.errors import FitError, OptionError
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    DiscreteGradientLaws,
    add_all_discrete_gradient_forces,
    add_all_wrenches,
    select_discrete_gradient_laws,
    select_remaining_laws,
)
from hamiltree.formulations.absolute.bodies import add_vector, quat_at, quaternion_dot
from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import (
    clear_wrenches,
    compute_body_frame,
    compute_body_frames,
    free_bodies_poses,
    free_bodies_power,
    free_bodies_workspace,
    free_body,
)
from hamiltree.formulations.free_bodies.discrete_gradient import momentum_offset
from hamiltree.formulations.free_bodies.quaternion import (
    FreeBodiesQuaternion,
    add_gyroscopic_force,
    assembler_of,
    canonical_state,
    compute_quaternion_frame,
    norm_errors,
    owner,
    quaternion_energies,
    quaternion_velocity,
    write_force,
    write_velocity,
)
from hamiltree.verbs import energies, force, poses, power, rates, velocity

FICTITIOUS_INERTIA_COLUMN = 5  # the column of ChainBody that holds 1/J₀
NO_MOMENT = Mat3(ZERO, ZERO, ZERO)


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
    """A(q) = ‖q‖² R, which stretches a body whose quaternion is no unit one."""
    compute_quaternion_frame(system, work, y, i)
    q = quat_at(y, 7 * i + 3)
    store(work.bodies.rotation, i, load(work.bodies.rotation, i, Mat3) * quaternion_dot(q, q))


@inlined
def apply_laws_and_pair_forces(system, work, t):
    """Wrenches of the other laws; force and M = Σ f Xᵀ of pair forces."""
    clear_wrenches(system, work.bodies)
    if system.others.has_any:
        add_all_wrenches(system.others, t, work.bodies)
    for i in range(system.body.shape[0]):
        store(work.force, i, ZERO)
        store(work.moment, i, NO_MOMENT)
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
    """f, and −V_q − 2λ q = −V_q + (q·V_q) q, of what is free to move and to turn."""
    body, at, q = free_body(system, i), momentum_offset(system, i), quat_at(y, 7 * i + 3)
    if body.inverse_mass != 0.0:
        add_vector(ydot, at, load(work.force, i, Vec3))
    if body.inverse_fictitious_inertia != 0.0:
        generalised_force = pair_generalised_force(work, q, i)
        generalised_force = generalised_force + q * -quaternion_dot(q, generalised_force)
        add(ydot, at + 3, generalised_force.w)
        add_vector(
            ydot, at + 4, Vec3(generalised_force.x, generalised_force.y, generalised_force.z)
        )


@rates.method(FreeBodiesQuaternionThesis)
def thesis_rates(system, work, t, y, ydot):
    compute_body_frames(system, work, t, y)
    apply_laws_and_pair_forces(system, work, t)
    for i in range(system.body.shape[0]):
        write_velocity(system, y, ydot, i)
        write_force(system, work, y, ydot, i)
        add_gyroscopic_force(system, y, ydot, i)
        add_pair_forces(system, work, y, ydot, i)


@force.method(FreeBodiesQuaternionThesis)
def thesis_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


velocity.method(FreeBodiesQuaternionThesis)(quaternion_velocity)
energies.method(FreeBodiesQuaternionThesis)(quaternion_energies)
power.method(FreeBodiesQuaternionThesis)(free_bodies_power)


@poses.method(FreeBodiesQuaternionThesis)
def thesis_poses(system, work, t, y, pose, twist):
    """Of the rotations alone."""
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        store(
            work.bodies.rotation,
            i,
            load(work.bodies.rotation, i, Mat3) * (1.0 / quaternion_dot(q, q)),
        )
    free_bodies_poses(system, work, t, y, pose, twist)


# ---- assembly ------------------------------------------------------------------------------------
def assemble(assembly) -> FreeBodiesQuaternionThesis:
    plain = assembler_of(
        FreeBodiesQuaternion, "free_bodies_quaternion_thesis", lambda moments: np.ones(len(moments))
    )(assembly)
    between = select_discrete_gradient_laws(plain.body_laws, (1, 4))
    if between.has_lists:
        raise FitError(
            "free_bodies_quaternion_thesis takes pair forces without lists of neighbours: leave "
            "out the "
            "cut-off of those between all bodies, name "
            "their pairs, or take free_bodies_quaternion"
        )
    return FreeBodiesQuaternionThesis(
        *plain, between, select_remaining_laws(plain.body_laws, between)
    )


def with_fictitious_inertia(
    system: FreeBodiesQuaternionThesis, value
) -> FreeBodiesQuaternionThesis:
    """Another J₀, kg m²."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < np.inf:
        raise OptionError(
            f"fictitious_inertia = {value!r}; it must be finite and above zero (kg m²)"
        )
    body = np.array(system.body)
    body[:, FICTITIOUS_INERTIA_COLUMN] = np.where(
        body[:, FICTITIOUS_INERTIA_COLUMN] > 0.0, 1.0 / value, 0.0
    )
    body.flags.writeable = False
    return system._replace(body=body)


FORMULATION = Formulation(
    name="free_bodies_quaternion_thesis",
    system=FreeBodiesQuaternionThesis,
    assemble=assemble,
    workspace=free_bodies_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=canonical_state,
    owner=owner,
    check_start=accept_any_start,
    reference="seed 002, chapter 3, (3.21)–(3.32); ERRATA 2-22 … 2-26",
    summary=(
        "the same with J₀ and the multiplier of seed 002 put in: ‖q‖ = 1 is unstable; to show "
        "that, not to use"
    ),
    traits=Traits(
        "showing why free_bodies_quaternion has no multiplier",
        "as free_bodies_quaternion",
        "nothing: ‖q‖ drifts away",
        "O(N)",
    ),
    norm_errors=norm_errors,
    options={"fictitious_inertia": with_fictitious_inertia},
)
