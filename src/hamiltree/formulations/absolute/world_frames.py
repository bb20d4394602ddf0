"""Frames, twists and wrenches of bodies about their centres of mass, in world axes (`Bodies`): what
every formulation that places centres of mass does with them.
"""

from hamiltree.algebra.mat3 import IDENTITY, Mat3
from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.spatial import ZERO_TWIST, ZERO_WRENCH, Pose, Twist, Wrench
from hamiltree.algebra.values import cross, dot, transpose
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, rows, store
from hamiltree.forces.dispatch import add_all_load_wrenches, add_all_wrenches, allocate_law_states
from hamiltree.forces.laws import Bodies


def bodies_workspace(system, width: int, law_state=None) -> Bodies:
    """Frames, twists and wrenches of all bodies; the ground, which stays at rest, is the last
    row.
    """
    n = len(system.body)
    if law_state is None:
        law_state = allocate_law_states(system.body_laws, width)
    bodies = Bodies(*(rows(kind, n + 1, width) for kind in (Mat3, Vec3, Twist, Wrench)), law_state)
    store(bodies.rotation, n, IDENTITY)
    store(bodies.position, n, ZERO)
    store(bodies.twist, n, ZERO_TWIST)
    return bodies


@inlined
def store_frame(bodies, i, R, r, twist):
    """Rotation, centre of mass and twist of body i."""
    store(bodies.rotation, i, R)
    store(bodies.position, i, r)
    store(bodies.twist, i, twist)


@inlined
def clear_wrenches(system, bodies):
    """Zero wrenches on all bodies and on the ground."""
    for i in range(system.body.shape[0] + 1):
        store(bodies.wrench, i, ZERO_WRENCH)


@inlined
def apply_body_laws(system, laws, bodies, t):
    """Wrenches of these laws alone, about the centres of mass."""
    clear_wrenches(system, bodies)
    if laws.has_any:
        add_all_wrenches(laws, t, bodies)


@inlined
def torque_on(work, i):
    """n' of body i, in its own axes."""
    return (
        transpose(load(work.bodies.rotation, i, Mat3)) @ load(work.bodies.wrench, i, Wrench).torque
    )


@inlined
def add_power_of_loads(system, work, t, total):
    """total + Σ wrench · twist of the loads on bodies."""
    if system.body_laws.has_any:
        clear_wrenches(system, work.bodies)
        add_all_load_wrenches(system.body_laws, t, work.bodies)
        for i in range(system.body.shape[0]):
            total = total + dot(
                load(work.bodies.wrench, i, Wrench), load(work.bodies.twist, i, Twist)
            )
    return total


@inlined
def store_pose_of_origin(bodies, i, R, arm, pose, twist):
    """Pose and twist of the point of body i at −arm from its centre of mass; R: its own axes."""
    V = load(bodies.twist, i, Twist)
    store(pose, i, Pose(load(bodies.position, i, Vec3) - arm, quaternion_from_matrix(R)))
    store(twist, i, Twist(V.w, V.v - cross(V.w, arm)))
