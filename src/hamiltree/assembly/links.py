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
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import spanning_tree
from hamiltree.model.values import IDENTITY, Frame
from hamiltree.rotations import rotation_about_z, rotation_matrix, rotation_with_z_axis

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
    rotation: np.ndarray  # (n, 3, 3) rotation in the parent link at x = 0
    offset: np.ndarray  # (n, 3) origin in the parent link at x = 0
    mass: np.ndarray  # (n,)
    moment: np.ndarray  # (n, 3) mass times centre of mass, in the link
    inertia: np.ndarray  # (n, 3, 3) about the link's origin, in the link
    link_of_body: np.ndarray  # (bodies,) link of each body, in the model's order
    rotation_on_link: np.ndarray  # (bodies, 3, 3) rotation of each body in its link
    position_on_link: np.ndarray  # (bodies, 3) origin of each body in its link


class JointSegments(NamedTuple):
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


def joint_segments(joints, backwards) -> JointSegments:
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
    return JointSegments(
        at,
        np.array(axis, dtype=np.int64),
        np.array(kind, dtype=np.int64),
        screws,
        np.array(armature, dtype=float),
        first,
        last,
    )


def collect_field(parts, field, width) -> np.ndarray:
    return np.array([getattr(part, field) for part in parts], dtype=float).reshape(
        len(parts), *width
    )


def joint_frames(joints, side) -> tuple[np.ndarray, np.ndarray]:
    frames = [getattr(joint, side) for joint in joints]
    quaternions = collect_field(frames, "rotation", (4,))
    rotation = rotation_matrix(quaternions, 2.0 / (quaternions**2).sum(1))
    return rotation, collect_field(frames, "position", (3,))


def resolve_screws(segments: JointSegments) -> tuple[np.ndarray, ...]:
    """Axis, a point on it, spin and slide of every screw, joint axes; of welds and balls the z axis
    at the origin.
    """
    screws = segments.screw
    turning = (screws[:, 0] != 0).any(1)
    axes = np.where(turning[:, None], screws[:, 0], screws[:, 1])
    axes = np.where((segments.kind == AXIS)[:, None], axes, [0.0, 0.0, 1.0])
    length = np.linalg.norm(axes, axis=1)
    length = np.where(abs(length - 1) <= 8e-16, 1.0, length)
    axes = axes / length[:, None]
    spin = np.where(turning, length, 0.0)
    slide = np.where(segments.kind == AXIS, (axes * screws[:, 1]).sum(1), 0.0)
    points = np.where(turning[:, None], np.cross(axes, screws[:, 1]) / length[:, None], 0.0)
    return axes, points, spin, slide


def build_links(model: Model, formulation: str) -> Links:
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
            "free_bodies_quaternion or free_bodies_rotation"
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
    segments = joint_segments(joints, topology.reversed)
    place, first, last = segments.place, segments.is_first, segments.is_last
    backwards = np.array(topology.reversed, dtype=bool)
    axes, points, spin, slide = resolve_screws(segments)
    (on_parent, at_parent), (on_child, at_child) = (
        joint_frames(joints, "on_parent"),
        joint_frames(joints, "on_child"),
    )
    swap = backwards[:, None]
    near_rotation, far_rotation = (
        np.where(swap[..., None], on_child, on_parent)[place],
        np.where(swap[..., None], on_parent, on_child)[place],
    )
    near_position, far_position = (
        np.where(swap, at_child, at_parent)[place],
        np.where(swap, at_parent, at_child)[place],
    )
    # between two axes of a joint there is no frame
    near_rotation[~first], near_position[~first] = np.eye(3), 0.0
    far_rotation[~last], far_position[~last] = np.eye(3), 0.0
    node = np.flatnonzero(last)  # of each body
    parent_of_body = np.array(topology.parent, dtype=np.int64)
    above = np.where(
        first,
        np.where(parent_of_body >= 0, node[parent_of_body], -1)[place],
        np.arange(len(place)) - 1,
    )

    # Where what comes after each motion sits on its link (axes as frames), then welds put on their
    # parent's link.
    to_z = rotation_with_z_axis(axes)
    rotation_on_link = np.swapaxes(to_z, 1, 2) @ np.swapaxes(far_rotation, 1, 2)
    position_on_link = -np.einsum("kij,kj->ki", rotation_on_link, far_position) - np.einsum(
        "kji,kj->ki", to_z, points
    )
    moves = segments.kind != WELD
    n = int(moves.sum())
    link = np.where(moves, np.cumsum(moves) - 1, -1)
    for b in np.flatnonzero(~moves):
        inner = above[b]
        frame_rotation, frame_position = (
            near_rotation[b] @ far_rotation[b].T,
            near_position[b] - near_rotation[b] @ far_rotation[b].T @ far_position[b],
        )
        link[b] = link[inner] if inner >= 0 else n
        rotation_on_link[b] = (
            rotation_on_link[inner] @ frame_rotation if inner >= 0 else frame_rotation
        )
        position_on_link[b] = (
            rotation_on_link[inner] @ frame_position + position_on_link[inner]
            if inner >= 0
            else frame_position
        )

    rooted = above < 0
    base_rotation = np.where(rooted[:, None, None], np.eye(3), rotation_on_link[above])
    base_position = np.where(rooted[:, None], 0.0, position_on_link[above])
    rotation = (base_rotation @ near_rotation @ to_z)[moves]
    near_point = near_position + np.einsum("kij,kj->ki", near_rotation, points)
    offset = (np.einsum("kij,kj->ki", base_rotation, near_point) + base_position)[moves]
    parent = np.where(rooted, n, link[above])[moves]

    mass, moment, inertia = sum_link_inertias(
        bodies, link[node], rotation_on_link[node], position_on_link[node], n
    )
    which = np.array(topology.joint, dtype=np.int64)[place]
    coordinate, speed = segment_rows(model, which, segments.axis)
    back = np.empty(len(order), dtype=np.int64)
    back[np.array(order, dtype=np.int64)] = np.arange(len(order))
    links = Links(
        parent,
        coordinate[moves],
        speed[moves],
        (segments.kind == BALL)[moves],
        backwards[place][moves],
        np.arange(n),
        which[moves],
        segments.armature[moves],
        spin[moves],
        slide[moves],
        rotation,
        offset,
        mass,
        moment,
        inertia,
        link[node][back],
        rotation_on_link[node][back],
        position_on_link[node][back],
    )
    return with_followers(model, links, segments.axis[moves]) if model.followers else links


def segment_rows(
    model: Model, joint: np.ndarray, axis: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of q and of qdot; of a follower, its leader's."""
    if not model.followers:
        return tuple(
            np.cumsum([0, *counts])[joint] + axis
            for counts in ([j.coordinates for j in model.joints], [j.speeds for j in model.joints])
        )
    # of a ball, its first row is what counts
    names = [list(zip(coordinate_labels(j), speed_labels(j), strict=False)) for j in model.joints]
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
    names = [coordinate_labels(model.joints[j])[m] for j, m in zip(links.joint, axis, strict=True)]
    row = {name: i for i, name in enumerate(names)}
    leader, spin, slide, rotation, offset = (
        links.leader.copy(),
        links.spin.copy(),
        links.slide.copy(),
        links.rotation.copy(),
        links.offset.copy(),
    )
    armature = links.armature.copy()
    for name, (of, ratio, start) in model.followers.items():
        i = row[name]
        leader[i] = row[of]
        offset[i] = offset[i] + rotation[i] @ [0.0, 0.0, slide[i] * start]
        rotation[i] = rotation[i] @ rotation_about_z(spin[i] * start)
        spin[i], slide[i], armature[i] = ratio * spin[i], ratio * slide[i], ratio**2 * armature[i]
    return links._replace(
        leader=leader, spin=spin, slide=slide, rotation=rotation, offset=offset, armature=armature
    )


def sum_link_inertias(bodies, link, rotation, at, n):
    """Mass, first moment and inertia about the origin of every link, summed over the bodies it
    carries.
    """
    m = collect_field(bodies, "mass", ())
    centre = np.einsum("kij,kj->ki", rotation, collect_field(bodies, "com", (3,))) + at
    about_centre = rotation @ collect_field(bodies, "inertia", (3, 3)) @ np.swapaxes(rotation, 1, 2)
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

    def link_of_body(name):
        if name == GROUND:
            return ground, IDENTITY
        b = body_rows[name]
        return int(links.link_of_body[b]), Frame(
            tuple(links.position_on_link[b]), links.rotation_on_link[b]
        )

    def axes(name):
        """Rows of all one-axis coordinates that a name covers."""
        if name in first:
            return [first[name]]
        joint = model.joint(name)
        names = coordinate_labels(joint)[: len(joint.screws())]
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

    one_axis = {
        label for joint in model.joints for label in coordinate_labels(joint)[: len(joint.screws())]
    }
    movable = tuple(name for name in model.coordinates if name in one_axis)
    return Placement(
        lambda name: first[name],
        link_of_body,
        movable,
        ground=ground,
        axes=axes,
        ball=ball,
        followers=model.followers,
        body=model.body,
        model=model,
    )
