"""The quaternion form of seed 002 (3.21)–(3.32), kept to show what is wrong with it: J₀ about the
fourth direction and λ put in.

H = p²/2m + ⅛ (Lg)ᵀ J'⁻¹ Lg + (q·g)²/8J₀ + V(r, A(q)) + λ (q·q − 1), A(q) homogeneous of degree two
(ERRATA 2-17, 2-18), and instead of a constraint λ = −½ q·V_q (3.32): ġ = −T_q − V_q + (q·V_q) q.
x = ‖q‖² − 1 then obeys ẍ ≈ (q·V_q/2J₀) x: the unit sphere is unstable wherever q·V_q > 0, and no
method keeps it (ERRATA 2-25, 2-26). chain_quaternion is the form to use.
V is that of pair forces without lists; gravity at the centre of mass has no part in q, and other
laws act as in chain_quaternion.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, store
from hamiltree.errors import FitError, OptionError
from hamiltree.forces.packed import (
    LawsBetween,
    LawsOfBodies,
    act_between,
    act_on_bodies,
    laws_beside,
    laws_between,
)
from hamiltree.formulations.absolute.bodies import add_vector, dot4, quat_at
from hamiltree.formulations.formulation import (
    MOTIONS,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.formulations.free_bodies.bodies import (
    chain_body,
    chain_poses,
    chain_power,
    chain_workspace,
    clear_wrenches,
    place,
    place_body,
)
from hamiltree.formulations.free_bodies.discrete_gradient import momenta_at
from hamiltree.formulations.free_bodies.quaternion import (
    ChainQuaternion,
    add_turning,
    give_push,
    give_velocity,
    norm_errors,
    owner,
    place_quaternion,
    quaternion_energies,
    quaternion_velocity,
    state,
    tabulated,
)
from hamiltree.verbs import energies, force, poses, power, rates, velocity

SPARE = 5  # the column of ChainBody that holds 1/J₀
NO_MOMENT = Mat3(ZERO, ZERO, ZERO)


ChainQuaternionSeed = NamedTuple(
    "ChainQuaternionSeed",
    [*ChainQuaternion.__annotations__.items(), ("between", LawsBetween), ("others", LawsOfBodies)],
)


@place_body.method(ChainQuaternionSeed)
def place_homogeneous(system, work, y, i):
    """A(q) = ‖q‖² R, which stretches a body whose quaternion is no unit one."""
    place_quaternion(system, work, y, i)
    q = quat_at(y, 7 * i + 3)
    store(work.bodies.rotation, i, load(work.bodies.rotation, i, Mat3) * dot4(q, q))


@inlined
def load_apart(system, work, t):
    """Wrenches of the other laws; force and M = Σ f Xᵀ of pair forces."""
    clear_wrenches(system, work.bodies)
    if system.others.has_any:
        act_on_bodies(system.others, t, work.bodies)
    for i in range(system.body.shape[0]):
        store(work.force, i, ZERO)
        store(work.moment, i, NO_MOMENT)
    act_between(system.between, t, work.bodies, work.bodies, work.force, work.moment)


@inlined
def pair_push(work, q, i):
    """−V_q = 2 Σ f ∘ q ∘ X̄ = −2 Σ_b M_b ∘ q ∘ e_b over the three axes."""
    M = load(work.moment, i, Mat3)
    x = Quat(0.0, M.x.x, M.x.y, M.x.z) @ q @ Quat(0.0, 1.0, 0.0, 0.0)
    y = Quat(0.0, M.y.x, M.y.y, M.y.z) @ q @ Quat(0.0, 0.0, 1.0, 0.0)
    z = Quat(0.0, M.z.x, M.z.y, M.z.z) @ q @ Quat(0.0, 0.0, 0.0, 1.0)
    return (x + (y + z)) * -2.0


@inlined
def add_pairs(system, work, y, ydot, i):
    """f, and −V_q − 2λ q = −V_q + (q·V_q) q, of what is free to move and to turn."""
    body, at, q = chain_body(system, i), momenta_at(system, i), quat_at(y, 7 * i + 3)
    if body.move != 0.0:
        add_vector(ydot, at, load(work.force, i, Vec3))
    if body.spare != 0.0:
        push = pair_push(work, q, i)
        push = push + q * -dot4(q, push)
        add(ydot, at + 3, push.w)
        add_vector(ydot, at + 4, Vec3(push.x, push.y, push.z))


@rates.method(ChainQuaternionSeed)
def seed_rates(system, work, t, y, ydot):
    place(system, work, t, y)
    load_apart(system, work, t)
    for i in range(system.body.shape[0]):
        give_velocity(system, y, ydot, i)
        give_push(system, work, y, ydot, i)
        add_turning(system, y, ydot, i)
        add_pairs(system, work, y, ydot, i)


@force.method(ChainQuaternionSeed)
def seed_force(system, work, t, y, ydot):
    rates(system, work, t, y, ydot)


velocity.method(ChainQuaternionSeed)(quaternion_velocity)
energies.method(ChainQuaternionSeed)(quaternion_energies)
power.method(ChainQuaternionSeed)(chain_power)


@poses.method(ChainQuaternionSeed)
def seed_poses(system, work, t, y, pose, twist):
    """Of the rotations alone."""
    for i in range(system.body.shape[0]):
        q = quat_at(y, 7 * i + 3)
        store(work.bodies.rotation, i, load(work.bodies.rotation, i, Mat3) * (1.0 / dot4(q, q)))
    chain_poses(system, work, t, y, pose, twist)


# ---- assembly ------------------------------------------------------------------------------------
def assemble(assembly) -> ChainQuaternionSeed:
    plain = tabulated(
        ChainQuaternion, "chain_quaternion_seed", lambda moments: np.ones(len(moments))
    )(assembly)
    between = laws_between(plain.body_laws, (1, 4))
    if between.has_lists:
        raise FitError(
            "chain_quaternion_seed takes pair forces without lists of neighbours: leave out the "
            "cut-off of those between all bodies, name "
            "their pairs, or take chain_quaternion"
        )
    return ChainQuaternionSeed(*plain, between, laws_beside(plain.body_laws, between))


def with_spare_inertia(system: ChainQuaternionSeed, value) -> ChainQuaternionSeed:
    """Another J₀, kg m²."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < np.inf:
        raise OptionError(f"spare_inertia = {value!r}; it must be finite and above zero (kg m²)")
    body = np.array(system.body)
    body[:, SPARE] = np.where(body[:, SPARE] > 0.0, 1.0 / value, 0.0)
    body.flags.writeable = False
    return system._replace(body=body)


FORMULATION = Formulation(
    name="chain_quaternion_seed",
    system=ChainQuaternionSeed,
    assemble=assemble,
    workspace=chain_workspace,
    coordinates=Coordinates.BODIES,
    supports=feature_set(MOTIONS),
    initial_state=state,
    owner=owner,
    check_start=accept_any_start,
    reference="seed 002, chapter 3, (3.21)–(3.32); ERRATA 2-22 … 2-26",
    summary=(
        "the same with J₀ and the multiplier of seed 002 put in: ‖q‖ = 1 is unstable; to show "
        "that, not to use"
    ),
    traits=Traits(
        "showing why chain_quaternion has no multiplier",
        "as chain_quaternion",
        "nothing: ‖q‖ drifts away",
        "O(N)",
    ),
    norm_errors=norm_errors,
    options={"spare_inertia": with_spare_inertia},
)
