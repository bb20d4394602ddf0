"""Forces of laws on the links of a tree, as generalised forces of its joints."""

from hamiltree.algebra.spatial import ZERO_WRENCH, Wrench, wrench_about
from hamiltree.algebra.values import dot
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, load, store
from hamiltree.forces.dispatch import add_all_wrenches
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.tree.link_rows import IS_BALL, arm_of, screw, to_triple


@inlined
def gather_body_forces(system, work, t):
    """Generalised forces of the body laws (P.3b, the loads)."""
    clear_wrenches(system, work.wrench)
    add_all_wrenches(system.body_laws, t, links_as_bodies(work))
    gather_generalised_forces(system, work, work.wrench)


@inlined
def links_as_bodies(work):
    """The links as the body laws see them."""
    return Bodies(work.rotation, work.position, work.twist, work.wrench, work.law_state)


@inlined
def clear_wrenches(system, wrench):
    """Zero wrenches on all links and on the ground."""
    for i in range(system.parent.shape[0] + 1):
        store(wrench, i, ZERO_WRENCH)


@inlined
def gather_generalised_forces(system, work, wrench):
    """Inward: Gᵀ W added to the generalised force of each joint, and the wrench W on its branch to
    that on the parent.
    """
    for i in range(system.parent.shape[0] - 1, -1, -1):
        W = load(wrench, i, Wrench)
        if system.flags[i] & IS_BALL == 0:
            add(work.generalised_force, i, dot(W, screw(system, work, i)))
        else:
            add(work.ball_torque, system.ball[i], to_triple(W.torque))
        add(wrench, system.parent[i], wrench_about(W, arm_of(work, i)))
