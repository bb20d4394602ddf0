"""Whether every joint of a tree moves inertia: how near the mass matrix is to being singular, and
which joint is behind it.

The pivot of a link is its articulated inertia R = Gᵀ J G. Its scale is what R was summed from: the
link itself and its branches before their joints were eliminated, about any axis. Their ratio is a
pure number; where it is beyond LARGEST_INERTIA_LOSS, rounding alone is left of R.
"""

from math import sqrt

import numpy as np

from hamiltree.algebra.mat3 import determinant
from hamiltree.algebra.values import dot
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    add,
    broadcast_like,
    lane,
    load,
    maximum,
    read_only,
    store,
    where_less,
)
from hamiltree.errors import ModelError
from hamiltree.formulations.tree.link_rows import arm_of, ball_inverse_of, link
from hamiltree.formulations.tree.sweeps import gather_articulated_inertias
from hamiltree.rotations import rotation_about_z

# scale over inertia: what is above comes from rounding, which leaves 5e13 where ten thousand rods
# lie on the axis; a pendulum of as many rods has 5e11
LARGEST_INERTIA_LOSS = 1e13
MAX_LISTED = 3
GIMBAL_LOCK_TOLERANCE = 1e-6  # |a₁ · a₂ × a₃| of three axes below which they count as locked


# ---- kernels -------------------------------------------------------------------------------------
@inlined
def fill_inertia_losses(system, work):
    """Scale over pivot of every link into work.inertia_loss, after gather_articulated_inertias; of
    a ball, the cube of that scale over det A. Then those of coupling rows, after solve_couplings.
    Inertias are gathered once more, now with the traces of branches, which are seldom asked for.
    """
    n = system.parent.shape[0]
    work.wants_traces[0] = 1
    gather_articulated_inertias(system, work, False)
    work.wants_traces[0] = 0
    for i in range(n):
        own = link(system, i).inertia
        store(work.inertia_loss, i, own.xx + own.yy + own.zz)
    for i in range(n - 1, -1, -1):
        d = arm_of(work, i)
        spin = link(system, i).spin
        slide = link(system, i).slide
        scale = load(work.inertia_loss, i)
        if system.parent[i] < n:
            turning, moving = load(work.traces, 2 * i), load(work.traces, 2 * i + 1)
            on_parent = turning + 2.0 * dot(d, d) * moving
            add(work.inertia_loss, system.parent[i], on_parent)
        if system.ball[i] < 0:
            scale = spin * spin * scale + slide * slide * link(system, i).branch_mass
            store(work.inertia_loss, i, scale * absolute(load(work.r, i)))
        else:
            inverse = determinant(ball_inverse_of(work, system.ball[i]))
            store(work.inertia_loss, i, scale * scale * scale * absolute(inverse))
    if system.carrier.shape[0] > 0:
        fill_coupling_losses(system, work)


@inlined
def fill_coupling_losses(system, work):
    """(1/|R| of the follower + that of the leader) over the pivot of each row of C M⁻¹ Cᵀ, added to
    what the follower has: with shifted inertias this row vanishes where the coupled mass matrix is
    singular.
    """
    m = system.follower.shape[0]
    for k in range(m):
        scale = absolute(load(work.r, system.follower[k])) + absolute(
            load(work.r, system.leader[k])
        )
        loss = scale / absolute(load(work.coupling_matrix, k * m + k))
        add(work.inertia_loss, system.follower[k], loss)


@inlined
def largest_inertia_loss(system, work):
    """The largest of all links; not a number where a pivot is zero. Bounds that hold in every
    position tell at once that none is large; only where they do not, the scales are summed.
    """
    largest = largest_loss_by_bounds(system, work)
    if not is_small(largest):
        largest = largest_loss_by_scales(system, work)
    return largest


@inlined
def largest_loss_by_bounds(system, work):
    """No less than the largest loss; no number where bounds are not known."""
    largest = broadcast_like(0.0, load(work.r, 0))
    if system.inertia_bound.shape[0] < system.parent.shape[0]:
        return largest + np.nan
    for i in range(system.parent.shape[0]):
        bound = load(system.inertia_bound, i)
        if system.ball[i] < 0:
            largest = maximum(largest, bound * absolute(load(work.r, i)))
        else:
            inverse = determinant(ball_inverse_of(work, system.ball[i]))
            largest = maximum(largest, bound * bound * bound * absolute(inverse))
    return largest


@inlined
def is_small(loss):
    """Whether a loss is below the largest allowed in all lanes."""
    small = True
    for k in range(WIDTH):
        small &= lane(loss, k) < LARGEST_INERTIA_LOSS
    return small


@outlined
def largest_loss_by_scales(system, work):
    fill_inertia_losses(system, work)
    largest = broadcast_like(0.0, load(work.r, 0))
    for i in range(system.parent.shape[0]):
        largest = maximum(largest, load(work.inertia_loss, i))
    return largest


@inlined
def mark_singular(out, loss):
    """Make the first number of an answer no number where the mass matrix is singular."""
    if out.shape[0] > 0:
        add(out, 0, where_less(loss, LARGEST_INERTIA_LOSS, 0.0 * loss, np.nan))


# ---- bounds --------------------------------------------------------------------------------------
def with_inertia_bounds(system):
    """The tables of a tree with bounds of the scales of its links in every position, slides as far
    as FAR lengths; without bounds where inertia is shifted.

    tr A of a rigid branch, taken to a point d away, is at most (√tr A + √(2 m) |d|)².
    """
    if len(system.carrier):
        return system
    n = len(system.parent)
    offset, inertia = system.link_shape[:, OFFSET], system.link_shape[:, INERTIA]
    _, branch_mass, _ = system.link_mass.T
    spin, slide = system.link_screw.T
    own = inertia[:, 0] + inertia[:, 3] + inertia[:, 5]
    arm = np.linalg.norm(offset, axis=1)
    mass = max(branch_mass.max(initial=0.0), np.finfo(float).tiny)
    length = arm.sum() + np.sqrt(own.sum() / mass)
    arm = arm + np.where(slide != 0.0, FAR * length, 0.0)
    carried = (6.0 * arm**2 * branch_mass).tolist()
    shift = (np.sqrt(2.0 * branch_mass) * arm).tolist()
    parents = system.parent.tolist()
    scale, composite = [*own.tolist(), 0.0], [*own.tolist(), 0.0]  # the last is of the ground
    for i in range(n - 1, -1, -1):  # plain numbers, faster one by one
        parent = parents[i]
        scale[parent] += composite[i] + carried[i]
        moved = sqrt(composite[i]) + shift[i]
        composite[parent] += moved * moved
    scales = np.array(scale[:-1])
    along = spin**2 * scales + slide**2 * branch_mass
    return system._replace(inertia_bound=read_only(np.where(system.ball < 0, along, scales)))


FAR = 1000.0  # lengths of a tree
# columns of the table of links
OFFSET, INERTIA = slice(9, 12), slice(15, 21)


# ---- messages ------------------------------------------------------------------------------------
def singular_joint_error(model, links, i: int, q) -> ModelError:
    """The error of link i, which moves no inertia at q: by the name of its joint, with a remedy."""
    joint = model.joints[links.joint[i]]
    part = ("joint", joint.name)
    if is_gimbal_locked(links, np.flatnonzero(links.joint == links.joint[i]), q):
        return ModelError(
            f"joint '{joint.name}' ({joint.kind}): gimbal lock, two of its axes fall together "
            "there; start elsewhere, or use a ball joint",
            part=part,
        )
    if links.is_ball[i]:
        return ModelError(
            f"joint '{joint.name}' ({joint.kind}): what it turns has no inertia about some axis; "
            f"give body '{joint.child}' an inertia",
            part=part,
        )
    coupled = np.flatnonzero(links.leader == links.leader[i])
    others = list_names([model.joints[links.joint[k]].name for k in coupled if k != i])
    with_others = f" together with {others}" if others else ""
    return ModelError(
        f"joint '{joint.name}': the inertia that it moves{with_others} vanishes, so it has no "
        "equation of motion; give the bodies beyond it mass "
        "(or inertia about its axis), or weld it",
        part=part,
    )


def list_names(names: list[str]) -> str:
    """The first of them in quotes, and how many more."""
    more = f" and {len(names) - MAX_LISTED} more" if len(names) > MAX_LISTED else ""
    return ", ".join(f"'{name}'" for name in names[:MAX_LISTED]) + more


def is_gimbal_locked(links, own, q) -> bool:
    """Whether the links of a joint turn about three axes that lie in a plane."""
    frame = np.eye(3)
    axes = []
    for k, i in enumerate(own):
        before = links.rotation[i] if k else np.eye(3)
        frame = frame @ before @ rotation_about_z(links.spin[i] * q[links.coordinate[i]])
        axes += [frame[:, 2]] if links.spin[i] else []
    return len(axes) > 2 and abs(np.linalg.det(axes[:3])) < GIMBAL_LOCK_TOLERANCE
