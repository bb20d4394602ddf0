"""The links of a tree: a Model's bodies and joints as one-axis links and balls, which every tree
formulation starts from.

A link's origin lies on its joint and its z axis along the joint's axis; at coordinate x it has
turned by spin·x and moved by slide·x along z. A joint of several axes is a row of links, all but
the last without a body. The link of a ball has the axes of the child's joint frame. A welded body
rides on the link of its parent; `mount` is the frame of each body on the link that carries it.
A coordinate that follows another one is a link with the row of that other one, its spin and slide
scaled.
The ground is row n, one past the last link.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.errors import FitError, ModelError
from hamiltree.forces.laws import Placement
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import spanning_tree
from hamiltree.model.values import IDENTITY, Frame

WELD, AXIS, BALL = 0, 1, 2


class Links(NamedTuple):
    parent: np.ndarray  # (n,) row of the parent link; n for the ground
    coordinate: np.ndarray  # (n,) row of its coordinate in q; of a ball, the first of four
    speed: np.ndarray  # (n,) row of its speed; of a ball, the first of three
    is_ball: np.ndarray  # (n,)
    is_backwards: np.ndarray  # (n,) the joint is met from its child's side
    leader: np.ndarray  # (n,) the link whose coordinate it follows; itself if none
    joint: np.ndarray  # (n,) index in model.joints
    armature: np.ndarray  # (n,) inertia of the coordinate alone
    spin: np.ndarray  # (n,) turn about z by unit coordinate
    slide: np.ndarray  # (n,) advance along z by unit coordinate
    turn: np.ndarray  # (n, 3, 3) rotation in the parent link at x = 0
    offset: np.ndarray  # (n, 3) origin in the parent link at x = 0
    mass: np.ndarray  # (n,)
    moment: np.ndarray  # (n, 3) mass times centre of mass, in the link
    inertia: np.ndarray  # (n, 3, 3) about the link's origin, in the link
    carrier: np.ndarray  # (bodies,) link of each body, in the model's order
    mount_turn: np.ndarray  # (bodies, 3, 3) rotation of each body in its link
    mount_offset: np.ndarray  # (bodies, 3) origin of each body in its link


class Motions(NamedTuple):
    """The motions of all joints in tree order, each joint's from the ground's side; a weld is one
    that does not move.
    """

    place: np.ndarray  # (m,) of the joint in tree order
    axis: np.ndarray  # (m,) number of the axis in its joint; of a ball, how many axes it has
    kind: np.ndarray  # (m,) WELD, AXIS or BALL
    screw: np.ndarray  # (m, 2, 3)
    armature: np.ndarray  # (m,)
    is_first: np.ndarray  # (m,) of its joint
    is_last: np.ndarray


NO_SCREW = ((0.0, 0.0, 0.0), (0.0, 0.0, 1.0))


def motions_of(joints, backwards) -> Motions:
    place, axis, kind, screw, armature = [], [], [], [], []
    for k, joint in enumerate(joints):
        screws, extra = joint.screws(), joint.armatures()
        own = [(m, AXIS, screws[m], extra[m]) for m in range(len(screws))]
        own += [(len(own), BALL, NO_SCREW, 0.0)] if joint.has_ball else []
        own = own or [(0, WELD, NO_SCREW, 0.0)]
        for m, what, s, a in reversed(own) if backwards[k] else own:
            place.append(k)
            axis.append(m)
            kind.append(what)
            screw.append(s)
            armature.append(a)
    at = np.array(place, dtype=np.int64)
    changes = np.diff(at) != 0
    first, last = (
        np.concatenate([[True], changes])[: len(at)],
        np.concatenate([changes, [True]])[: len(at)],
    )
    screws = (
        np.array(screw, dtype=float).reshape(-1, 2, 3)
        * np.where(np.asarray(backwards)[at], -1.0, 1.0)[:, None, None]
    )
    return Motions(
        at,
        np.array(axis, dtype=np.int64),
        np.array(kind, dtype=np.int64),
        screws,
        np.array(armature, dtype=float),
        first,
        last,
    )


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """(k, 3, 3) rotations of (k, 4) unit quaternions, scalar first."""
    w, x, y, z = quaternions.T
    s = 2.0 / (quaternions**2).sum(1)
    rows = [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def frames_to_z(axes: np.ndarray) -> np.ndarray:
    """(k, 3, 3) rotations whose z columns are the given unit axes; exactly the identity for the z
    axis.
    """
    x, y, z = axes.T
    sign = np.where(z < 0, -1.0, 1.0)
    k = -1.0 / (sign + z)
    first = np.stack([1 + sign * x * x * k, sign * x * y * k, -sign * x], 1)
    second = np.stack([x * y * k, sign + y * y * k, -y], 1)
    return np.stack([first, second, axes], 2)


def gathered(parts, field, width) -> np.ndarray:
    return np.array([getattr(part, field) for part in parts], dtype=float).reshape(
        len(parts), *width
    )


def joint_frames(joints, side) -> tuple[np.ndarray, np.ndarray]:
    frames = [getattr(joint, side) for joint in joints]
    return rotation_matrices(gathered(frames, "rotation", (4,))), gathered(frames, "position", (3,))


def resolved(motions: Motions) -> tuple[np.ndarray, ...]:
    """Axis, a point on it, spin and slide of every screw, joint axes; of welds and balls the z axis
    at the origin.
    """
    screws = motions.screw
    turning = (screws[:, 0] != 0).any(1)
    axes = np.where(turning[:, None], screws[:, 0], screws[:, 1])
    axes = np.where((motions.kind == AXIS)[:, None], axes, [0.0, 0.0, 1.0])
    length = np.linalg.norm(axes, axis=1)
    length = np.where(abs(length - 1) <= 8e-16, 1.0, length)
    axes = axes / length[:, None]
    spin = np.where(turning, length, 0.0)
    slide = np.where(motions.kind == AXIS, (axes * screws[:, 1]).sum(1), 0.0)
    points = np.where(turning[:, None], np.cross(axes, screws[:, 1]) / length[:, None], 0.0)
    return axes, points, spin, slide


def links_of(model: Model, formulation: str) -> Links:
    """The links of a model, depth first; a loop is refused by the name of the joint that closes
    it.
    """
    topology = spanning_tree(model)
    if len(topology.closing):
        joint = model.joints[topology.closing[0]]
        raise FitError(
            f"joint '{joint.name}' (between '{joint.parent}' and '{joint.child}') closes a loop; "
            f"{formulation} is for trees: "
            "take hamiltonian_loops or a cartesian formulation, or remove one joint of the loop",
            part=("joint", joint.name),
        )
    if model.constraints:
        constraint = model.constraints[0]
        others = (
            "chain_quaternion or chain_rotation"
            if constraint.kind == "motion"
            else "hamiltonian_loops or a cartesian formulation"
        )
        raise FitError(
            f"constraint '{constraint.name or 1}' ({constraint.kind}): {formulation} is for trees "
            "without constraints; "
            f"take {others}, or remove it",
            part=("constraint", constraint.name or 1),
        )
    order, joints = topology.order, [model.joints[j] for j in topology.joint]
    bodies = [model.bodies[b] for b in order]
    motions = motions_of(joints, topology.reversed)
    place, first, last = motions.place, motions.is_first, motions.is_last
    backwards = np.array(topology.reversed, dtype=bool)
    axes, points, spin, slide = resolved(motions)
    (on_parent, at_parent), (on_child, at_child) = (
        joint_frames(joints, "on_parent"),
        joint_frames(joints, "on_child"),
    )
    swap = backwards[:, None]
    near_turn, far_turn = (
        np.where(swap[..., None], on_child, on_parent)[place],
        np.where(swap[..., None], on_parent, on_child)[place],
    )
    near_at, far_at = (
        np.where(swap, at_child, at_parent)[place],
        np.where(swap, at_parent, at_child)[place],
    )
    # between two axes of a joint there is no frame
    near_turn[~first], near_at[~first] = np.eye(3), 0.0
    far_turn[~last], far_at[~last] = np.eye(3), 0.0
    node = np.flatnonzero(last)  # of each body
    parent_of_body = np.array(topology.parent, dtype=np.int64)
    above = np.where(
        first,
        np.where(parent_of_body >= 0, node[parent_of_body], -1)[place],
        np.arange(len(place)) - 1,
    )

    # Where what comes after each motion sits on its link (axes as frames), then welds put on their
    # parent's link.
    to_z = frames_to_z(axes)
    mount_turn = np.swapaxes(to_z, 1, 2) @ np.swapaxes(far_turn, 1, 2)
    mount_at = -np.einsum("kij,kj->ki", mount_turn, far_at) - np.einsum("kji,kj->ki", to_z, points)
    moves = motions.kind != WELD
    n = int(moves.sum())
    link = np.where(moves, np.cumsum(moves) - 1, -1)
    for b in np.flatnonzero(~moves):
        inner = above[b]
        frame_turn, frame_at = (
            near_turn[b] @ far_turn[b].T,
            near_at[b] - near_turn[b] @ far_turn[b].T @ far_at[b],
        )
        link[b] = link[inner] if inner >= 0 else n
        mount_turn[b] = mount_turn[inner] @ frame_turn if inner >= 0 else frame_turn
        mount_at[b] = mount_turn[inner] @ frame_at + mount_at[inner] if inner >= 0 else frame_at

    rooted = above < 0
    base_turn = np.where(rooted[:, None, None], np.eye(3), mount_turn[above])
    base_at = np.where(rooted[:, None], 0.0, mount_at[above])
    turn = (base_turn @ near_turn @ to_z)[moves]
    near_point = near_at + np.einsum("kij,kj->ki", near_turn, points)
    offset = (np.einsum("kij,kj->ki", base_turn, near_point) + base_at)[moves]
    parent = np.where(rooted, n, link[above])[moves]

    mass, moment, inertia = carried_inertia(bodies, link[node], mount_turn[node], mount_at[node], n)
    which = np.array(topology.joint, dtype=np.int64)[place]
    coordinate, speed = rows_of_motions(model, which, motions.axis)
    back = np.empty(len(order), dtype=np.int64)
    back[np.array(order, dtype=np.int64)] = np.arange(len(order))
    links = Links(
        parent,
        coordinate[moves],
        speed[moves],
        (motions.kind == BALL)[moves],
        backwards[place][moves],
        np.arange(n),
        which[moves],
        motions.armature[moves],
        spin[moves],
        slide[moves],
        turn,
        offset,
        mass,
        moment,
        inertia,
        link[node][back],
        mount_turn[node][back],
        mount_at[node][back],
    )
    return with_followers(model, links, motions.axis[moves]) if model.followers else links


def rows_of_motions(
    model: Model, joint: np.ndarray, axis: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of q and of qdot; of a follower, its leader's."""
    if not model.followers:
        return tuple(
            np.cumsum([0, *counts])[joint] + axis
            for counts in ([j.coordinates for j in model.joints], [j.speeds for j in model.joints])
        )
    # of a ball, its first row is what counts
    names = [list(zip(labels(j), speed_labels(j), strict=False)) for j in model.joints]
    speed_of = dict(pair for pairs in names for pair in pairs)
    position = {name: row for row, name in enumerate(model.coordinates)}
    speed = {name: row for row, name in enumerate(model.speeds)}
    rows = np.zeros((2, len(joint)), dtype=np.int64)
    for k, (j, m) in enumerate(zip(joint, axis, strict=True)):
        if names[j]:  # a weld has none
            label = names[j][m][0]
            leader = model.followers[label].leader if label in model.followers else label
            rows[:, k] = position[leader], speed[speed_of[leader]]
    return rows[0], rows[1]


def with_followers(model: Model, links: Links, axis: np.ndarray) -> Links:
    """A follower at x = ratio·leader + offset: spin, slide and armature scaled, the offset taken
    into its frame.
    """
    names = [labels(model.joints[j])[m] for j, m in zip(links.joint, axis, strict=True)]
    row = {name: i for i, name in enumerate(names)}
    leader, spin, slide, turn, offset = (
        links.leader.copy(),
        links.spin.copy(),
        links.slide.copy(),
        links.turn.copy(),
        links.offset.copy(),
    )
    armature = links.armature.copy()
    for name, (of, ratio, start) in model.followers.items():
        i = row[name]
        leader[i] = row[of]
        c, s = np.cos(spin[i] * start), np.sin(spin[i] * start)
        offset[i] = offset[i] + turn[i] @ [0.0, 0.0, slide[i] * start]
        turn[i] = turn[i] @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        spin[i], slide[i], armature[i] = ratio * spin[i], ratio * slide[i], ratio**2 * armature[i]
    return links._replace(
        leader=leader, spin=spin, slide=slide, turn=turn, offset=offset, armature=armature
    )


def carried_inertia(bodies, link, turn, at, n):
    """Mass, first moment and inertia about the origin of every link, summed over the bodies it
    carries.
    """
    m = gathered(bodies, "mass", ())
    centre = np.einsum("kij,kj->ki", turn, gathered(bodies, "com", (3,))) + at
    about_centre = turn @ gathered(bodies, "inertia", (3, 3)) @ np.swapaxes(turn, 1, 2)
    steiner = (centre**2).sum(1)[:, None, None] * np.eye(3) - centre[:, :, None] * centre[
        :, None, :
    ]
    sums = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
    for total, each in zip(
        sums, (m, m[:, None] * centre, about_centre + m[:, None, None] * steiner), strict=True
    ):
        np.add.at(total, link, each)
    return tuple(total[:n] for total in sums)


def placement_of(model: Model, links: Links) -> Placement:
    """Where the laws of a model find their coordinates and bodies."""
    body_rows = {body.name: b for b, body in enumerate(model.bodies)}
    first = {name: row for row, name in enumerate(model.coordinates)}
    ground = len(links.parent)

    def carrier(name):
        if name == GROUND:
            return ground, IDENTITY
        b = body_rows[name]
        return int(links.carrier[b]), Frame(tuple(links.mount_offset[b]), links.mount_turn[b])

    def axes(name):
        """Rows of all one-axis coordinates that a name covers."""
        if name in first:
            return [first[name]]
        joint = model.joint(name)
        names = labels(joint)[: len(joint.screws())]
        for label in names:
            if label not in first:
                raise ModelError(
                    f"coordinate '{label}' follows another one; name the coordinates of '{name}' "
                    "one by one",
                    ("joint", name),
                )
        return [first[label] for label in names]

    def ball(name):
        """(parent, child) of a joint with a ball, else None."""
        joint = next((joint for joint in model.joints if joint.name == name), None)
        return (joint.parent, joint.child) if joint is not None and joint.has_ball else None

    one_axis = {label for joint in model.joints for label in labels(joint)[: len(joint.screws())]}
    movable = tuple(name for name in model.coordinates if name in one_axis)
    return Placement(
        lambda name: first[name],
        carrier,
        movable,
        ground=ground,
        axes=axes,
        ball=ball,
        followers=model.followers,
        body=model.body,
        model=model,
    )
