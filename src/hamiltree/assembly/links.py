"""The links of a tree: a Model's bodies and joints as one-axis links and balls, which every tree
formulation starts from.

A link's origin lies on its joint and its z axis along the joint's axis; at coordinate x it has
turned by spin·x and moved by slide·x along z. A joint of several axes is a series of links, all but
the last without a body. The link of a ball has the axes of the child's joint frame. A welded body
belongs to the link of its parent; `rotation_on_link` and `position_on_link` are the frame of each
body on the link that carries it.
A coordinate that follows another one is a link with the row of that other one, its spin and slide
scaled.
The ground is row n, one past the last link.
"""

from collections.abc import Callable
from functools import cache
from itertools import compress
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.many_rows import blocks, by_blocks, collect_field
from hamiltree.assembly.segments import (
    BALL,
    WELD,
    JointSegments,
    frames_along_axes,
    joint_segments,
)
from hamiltree.errors import FitError, ModelError
from hamiltree.forces.laws import Placement
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.model_state import quaternion_rows
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.model.values import IDENTITY, Frame
from hamiltree.rotations import rotation_about_z, rotation_matrix


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


class Frames(NamedTuple):
    """Frames of all segments in others: x_outer = position + rotation x_inner."""

    rotation: np.ndarray  # (m, 3, 3)
    position: np.ndarray  # (m, 3)


def joint_frames(joints) -> tuple[Frames, Frames]:
    """The frames of joints on their parents and on their children."""
    far = frames_as_arrays([joint.on_child for joint in joints])
    return frames_as_arrays([joint.on_parent for joint in joints]), far


def frames_as_arrays(frames: list[Frame]) -> Frames:
    """Rotation matrices and positions; where all frames are the default, that is kept once."""
    if all(frame is IDENTITY for frame in frames):
        n = len(frames)
        return Frames(np.broadcast_to(np.eye(3), (n, 3, 3)), np.broadcast_to(np.zeros(3), (n, 3)))
    positions = collect_field(frames, "position", (3,))
    quaternions = collect_field(frames, "rotation", (4,))
    (rotations,) = by_blocks(lambda q: (rotation_matrix(q, 2.0 / (q**2).sum(1)),), quaternions)
    return Frames(rotations, positions)


def refuse_closed_loops(model: Model, topology: Topology, formulation: str) -> None:
    """Refuse, by name, what a tree formulation cannot honour: a closing joint, a constraint."""
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
            f"without constraints; take {others}, or remove it",
            part=("constraint", constraint.name or 1),
        )


def segment_frames(
    on_parent: Frames, on_child: Frames, backwards: np.ndarray, segments: JointSegments
) -> tuple[Frames, Frames]:
    """The joint frame on the inner body before every segment, and that on the outer body after it.

    Between two segments of a joint there is no frame.
    """
    place = segments.place
    if len(place) == len(backwards) and not backwards.any():  # as most joints: nothing to choose
        near, far = (Frames(*map(pack_rows, frames)) for frames in (on_parent, on_child))
        return near, far
    swap = backwards[:, None]
    near = Frames(
        np.where(swap[..., None], on_child.rotation, on_parent.rotation)[place],
        np.where(swap, on_child.position, on_parent.position)[place],
    )
    far = Frames(
        np.where(swap[..., None], on_parent.rotation, on_child.rotation)[place],
        np.where(swap, on_parent.position, on_child.position)[place],
    )
    for frames, is_end in ((near, segments.is_first), (far, segments.is_last)):
        frames.rotation[~is_end] = np.eye(3)
        frames.position[~is_end] = 0.0
    return near, far


def pack_rows(array: np.ndarray) -> np.ndarray:
    """A contiguous array, unless all its rows are one."""
    return array if array.strides[0] == 0 else np.ascontiguousarray(array)


def frames_beyond(to_z, points, far_rotation, far_position) -> tuple[np.ndarray, np.ndarray]:
    """The frame on its link of what comes after each segment."""
    rotation = np.swapaxes(to_z, 1, 2) @ np.swapaxes(far_rotation, 1, 2)
    position = -np.einsum("kij,kj->ki", rotation, far_position) - np.einsum(
        "kji,kj->ki", to_z, points
    )
    return rotation, position


def rows_where(chosen: np.ndarray) -> np.ndarray | slice:
    """An index of the chosen rows: of all of them, as most often, one that copies nothing."""
    return slice(None) if chosen.all() else np.flatnonzero(chosen)


def frames_on_links(
    near: Frames, far: Frames, z_frames: Frames, moves: np.ndarray, above: np.ndarray
) -> tuple[np.ndarray, Frames]:
    """The link on which each segment ends (the number of links for the ground), and the frame there
    of what comes after the segment; a weld stays on the link of its parent.
    """
    rotation, position = by_blocks(frames_beyond, *z_frames, *far)
    ground = int(moves.sum())
    link = np.where(moves, np.cumsum(moves) - 1, -1)
    for k in np.flatnonzero(~moves):
        inner = above[k]
        weld_rotation = near.rotation[k] @ far.rotation[k].T
        weld_position = near.position[k] - near.rotation[k] @ far.rotation[k].T @ far.position[k]
        if inner >= 0:
            link[k] = link[inner]
            rotation[k] = rotation[inner] @ weld_rotation
            position[k] = rotation[inner] @ weld_position + position[inner]
        else:
            link[k] = ground
            rotation[k] = weld_rotation
            position[k] = weld_position
    return link, Frames(rotation, position)


def frames_in_parents(near: Frames, z_frames: Frames, on_link: Frames, above: np.ndarray) -> Frames:
    """The frame of each segment's link in its parent link at coordinate zero."""

    def frames(above, near_rotation, near_position, to_z, points):
        """Rotations and origins."""
        is_root = above < 0
        base_rotation = np.where(is_root[:, None, None], np.eye(3), on_link.rotation[above])
        base_position = np.where(is_root[:, None], 0.0, on_link.position[above])
        near_point = near_position + np.einsum("kij,kj->ki", near_rotation, points)
        return (
            base_rotation @ near_rotation @ to_z,
            np.einsum("kij,kj->ki", base_rotation, near_point) + base_position,
        )

    return Frames(*by_blocks(frames, above, *near, *z_frames))


def parent_segments(topology: Topology, segments: JointSegments) -> np.ndarray:
    """The segment before each one; −1 where that is the ground."""
    last = np.flatnonzero(segments.is_last)  # of each body
    parent_body = np.array(topology.parent, dtype=np.int64)
    last_of_parent = np.where(parent_body >= 0, last[parent_body], -1)[segments.place]
    return np.where(segments.is_first, last_of_parent, np.arange(len(segments.place)) - 1)


def build_links(model: Model, formulation: str) -> Links:
    """The links of a model, depth first; a loop is refused by the name of the joint that closes
    it.
    """
    topology = spanning_tree(model)
    refuse_closed_loops(model, topology, formulation)
    joints = [model.joints[j] for j in topology.joint.tolist()]
    backwards = np.array(topology.reversed, dtype=bool)
    segments = joint_segments(joints, topology.reversed)
    *z_axes, spin, slide = by_blocks(frames_along_axes, segments.screw, segments.kind)
    on_parent, on_child = joint_frames(joints)
    z_frames = Frames(*z_axes)
    near, far = segment_frames(on_parent, on_child, backwards, segments)
    above = parent_segments(topology, segments)
    is_moving = segments.kind != WELD
    moves = rows_where(is_moving)
    n = int(is_moving.sum())
    link, on_link = frames_on_links(near, far, z_frames, is_moving, above)
    in_parent = frames_in_parents(near, z_frames, on_link, above)

    ends = rows_where(segments.is_last)  # the segment that carries each body, in tree order
    bodies = [model.bodies[b] for b in topology.order.tolist()]
    body_frames = Frames(on_link.rotation[ends], on_link.position[ends])
    mass, moment, inertia = sum_link_inertias(bodies, link[ends], body_frames, n)
    order = np.argsort(topology.order)
    in_model_order = slice(None) if (np.diff(order) == 1).all() else order

    joint = np.array(topology.joint, dtype=np.int64)[segments.place]
    coordinate, speed = segment_rows(model, joint, segments.axis)
    links = Links(
        parent=np.where(above < 0, n, link[above])[moves],
        coordinate=coordinate[moves],
        speed=speed[moves],
        is_ball=(segments.kind == BALL)[moves],
        is_backwards=backwards[segments.place][moves],
        leader=np.arange(n),
        joint=joint[moves],
        armature=segments.armature[moves],
        spin=spin[moves],
        slide=slide[moves],
        rotation=in_parent.rotation[moves],
        offset=in_parent.position[moves],
        mass=mass,
        moment=moment,
        inertia=inertia,
        link_of_body=link[ends][in_model_order],
        rotation_on_link=body_frames.rotation[in_model_order],
        position_on_link=body_frames.position[in_model_order],
    )
    return with_followers(model, links, segments.axis[moves]) if model.followers else links


def segment_rows(
    model: Model, joint: np.ndarray, axis: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows of q and of qdot; of a follower, its leader's."""
    if not model.followers:
        return tuple(first_rows(model, field)[joint] + axis for field in ("coordinates", "speeds"))
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


def first_rows(model: Model, field: str) -> np.ndarray:
    """The first of the rows of each joint, which has so many as its field says."""
    rows = np.fromiter(map(attrgetter(field), model.joints), np.int64, len(model.joints))
    return np.cumsum(rows) - rows


def with_followers(model: Model, links: Links, axis: np.ndarray) -> Links:
    """A follower at x = ratio·leader + offset: spin, slide and armature scaled, the offset taken
    into its frame.
    """
    names = [coordinate_labels(model.joints[j])[m] for j, m in zip(links.joint, axis, strict=True)]
    row = {name: i for i, name in enumerate(names)}
    changed = ("leader", "spin", "slide", "rotation", "offset", "armature")
    links = links._replace(**{field: getattr(links, field).copy() for field in changed})
    for name, (leader, ratio, start) in model.followers.items():
        i = row[name]
        links.leader[i] = row[leader]
        links.offset[i] += links.rotation[i] @ [0.0, 0.0, links.slide[i] * start]
        links.rotation[i] = links.rotation[i] @ rotation_about_z(links.spin[i] * start)
        links.spin[i] = ratio * links.spin[i]
        links.slide[i] = ratio * links.slide[i]
        links.armature[i] = ratio**2 * links.armature[i]
    return links


def sum_link_inertias(
    bodies, link: np.ndarray, frames: Frames, n: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, first moment and inertia about the origin of every link, summed over the bodies it
    carries; the last row, that of the ground, is dropped.
    """
    sums = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
    are_alone = np.bincount(link).max(initial=0) == 1  # each on a link of its own
    for some in blocks(len(bodies)):
        moved = inertias_on_links(bodies[some], frames.rotation[some], frames.position[some])
        for total, own in zip(sums, moved, strict=True):
            if are_alone:
                total[link[some]] += own
            else:
                np.add.at(total, link[some], own)
    mass, moment, inertia = (total[:n] for total in sums)
    return mass, moment, inertia


def inertias_on_links(bodies, rotation, position) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Masses of bodies; first moments and inertias about the origins of their links."""
    m = collect_field(bodies, "mass", ())
    com = collect_field(bodies, "com", (3,))
    centre = np.einsum("kij,kj->ki", rotation, com) + position
    about_centre = rotation @ collect_field(bodies, "inertia", (3, 3)) @ np.swapaxes(rotation, 1, 2)
    steiner = -centre[:, :, None] * centre[:, None, :]
    steiner[:, [0, 1, 2], [0, 1, 2]] += (centre**2).sum(1)[:, None]
    steiner *= m[:, None, None]
    about_centre += steiner
    return m, m[:, None] * centre, about_centre


def placement_of(model: Model, links: Links) -> Placement:
    """Where the laws of a model find their coordinates and bodies."""
    ground = len(links.parent)

    @cache
    def coordinate_rows():
        return {name: row for row, name in enumerate(model.coordinates)}

    def axes(name):
        """Rows of all one-axis coordinates that a name covers."""
        first = coordinate_rows()
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

    return Placement(
        lambda name: coordinate_rows()[name],
        body_finder(model, links),
        one_axis_coordinates(model) if model.forces else (),
        ground=ground,
        axes=axes,
        ball=ball,
        followers=model.followers,
        body=model.body,
        model=model,
    )


def body_finder(model: Model, links: Links) -> Callable[[str], tuple[int, Frame]]:
    """Finds the row of the link of a body or the ground, and the body's frame there."""
    frames: dict[bytes, Frame] = {}  # many bodies sit on their links in the same way

    @cache
    def body_rows():
        return {body.name: b for b, body in enumerate(model.bodies)}

    def link_of_body(name):
        """(row, frame)"""
        if name == GROUND:
            return len(links.parent), IDENTITY
        b = body_rows()[name]
        position, rotation = links.position_on_link[b], links.rotation_on_link[b]
        place = position.tobytes() + rotation.tobytes()
        if place not in frames:
            frames[place] = Frame(tuple(position), rotation)
        return int(links.link_of_body[b]), frames[place]

    return link_of_body


def one_axis_coordinates(model: Model) -> tuple[str, ...]:
    """The coordinates of q that are no part of a quaternion."""
    quaternions, _ = quaternion_rows(model)
    is_one_axis = np.ones(len(model.coordinates), dtype=bool)
    is_one_axis[quaternions] = False
    return tuple(compress(model.coordinates, is_one_axis.tolist()))
