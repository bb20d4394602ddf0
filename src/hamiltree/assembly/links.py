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

from collections.abc import Callable, Iterable
from dataclasses import fields
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import FitError
from hamiltree.model.joints import OneAxis, coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.model.values import IDENTITY, Frame
from hamiltree.rotations import rotation_about_z, rotation_matrix, rotation_with_z_axis

WELD = 0
AXIS = 1
BALL = 2
BLOCK = 8192  # rows; some matrices of each fit into a cache


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
    on_parent: Frames, on_child: Frames, backwards: np.ndarray, segments: "JointSegments"
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


def parent_segments(topology: Topology, segments: "JointSegments") -> np.ndarray:
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
    return links_of_topology(model, topology)


def links_of_topology(model: Any, topology: Topology) -> Links:
    """The links of a tree, or of several side by side; of the model only joints, bodies and
    followers are asked for.
    """
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


# ---- segments: screws and balls of joints one by one, joint after joint in tree order ------------
class JointSegments(NamedTuple):
    """The screws and balls of all joints in tree order, each joint's from the ground's side; a weld
    is a segment that does not move.
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
    """The segments of joints in tree order; the screws of a joint met backwards are negated and
    come last first.
    """
    if joints and all(issubclass(kind, OneAxis) for kind in set(map(type, joints))):
        return one_axis_segments(joints, backwards)
    known: dict[tuple, int] = {}  # many joints are alike
    number = [
        known.setdefault((j.screws(), j.armatures(), j.has_ball, back), len(known))
        for j, back in zip(joints, np.asarray(backwards).tolist(), strict=True)
    ]
    distinct = [segments_of_joint(*joint) for joint in known]
    lengths = np.array([len(own) for own in distinct], dtype=np.int64)
    counts = lengths[number]
    at = np.repeat(np.arange(len(joints)), counts)
    ends = np.cumsum(counts)
    # row of each segment in the segments of all distinct joints
    row = np.arange(len(at)) + np.repeat(
        (np.cumsum(lengths) - lengths)[number] - ends + counts, counts
    )
    axis, kind, screw, armature = zip(*(part for own in distinct for part in own), strict=True)
    changes = np.diff(at) != 0
    sign = np.where(np.asarray(backwards)[at], -1.0, 1.0)[:, None, None]
    return JointSegments(
        at,
        np.array(axis, dtype=np.int64)[row],
        np.array(kind, dtype=np.int64)[row],
        np.array(screw, dtype=float).reshape(-1, 2, 3)[row] * sign,
        np.array(armature, dtype=float)[row],
        is_first=np.concatenate([[True], changes]),
        is_last=np.concatenate([changes, [True]]),
    )


def segments_of_joint(screws, armatures, has_ball: bool, is_backwards: bool) -> list[tuple]:
    """(axis, kind, screw, armature) of each segment."""
    parts = enumerate(zip(screws, armatures, strict=False))
    own: list[tuple] = [(m, AXIS, screw, armature) for m, (screw, armature) in parts]
    own += [(len(own), BALL, NO_SCREW, 0.0)] if has_ball else []
    own = own or [(0, WELD, NO_SCREW, 0.0)]
    return own[::-1] if is_backwards else own


def one_axis_segments(joints, backwards) -> JointSegments:
    """The segments of joints of one axis each, many of them at once."""
    n = len(joints)
    own = joints[:1] if have_one_screw(joints) else joints
    screws = collect_numbers((joint.screws()[0] for joint in own), len(own), (2, 3))
    every = np.ones(n, dtype=bool)
    return JointSegments(
        np.arange(n),
        np.zeros(n, dtype=np.int64),
        np.full(n, AXIS, dtype=np.int64),
        screws * np.where(np.asarray(backwards), -1.0, 1.0)[:, None, None],
        collect_field(joints, "armature", ()),
        is_first=every,
        is_last=every.copy(),
    )


def have_one_screw(joints) -> bool:
    """Whether joints are of one kind and share one axis, and nothing else makes their screws."""
    kinds = set(map(type, joints))
    axes = set(map(id, map(attrgetter("axis"), joints)))
    return len(kinds) == len(axes) == 1 and len(fields(kinds.pop())) == len(fields(OneAxis))


def resolve_screws(screws: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, ...]:
    """Axis, a point on it, spin and slide of every screw, joint axes; of welds and balls the z axis
    at the origin.
    """
    turning = (screws[:, 0] != 0).any(1)
    axes = np.where(turning[:, None], screws[:, 0], screws[:, 1])
    axes = np.where((kind == AXIS)[:, None], axes, [0.0, 0.0, 1.0])
    length = np.linalg.norm(axes, axis=1)
    length = np.where(abs(length - 1) <= 8e-16, 1.0, length)
    axes = axes / length[:, None]
    spin = np.where(turning, length, 0.0)
    slide = np.where(kind == AXIS, (axes * screws[:, 1]).sum(1), 0.0)
    points = np.where(turning[:, None], np.cross(axes, screws[:, 1]) / length[:, None], 0.0)
    return axes, points, spin, slide


def frames_along_axes(screws: np.ndarray, kind: np.ndarray) -> tuple[np.ndarray, ...]:
    """Rotation and origin of a frame with its z axis along every screw; spin and slide."""
    axes, points, spin, slide = resolve_screws(screws, kind)
    return rotation_with_z_axis(axes), points, spin, slide


# ---- very many rows ------------------------------------------------------------------------------
def collect_field(parts: Any, field: str, shape: tuple[int, ...]) -> np.ndarray:
    """A field of every part, (parts, *shape)."""
    return collect_numbers(map(attrgetter(field), parts), len(parts), shape)


def collect_numbers(values: Iterable, count: int, shape: tuple[int, ...]) -> np.ndarray:
    """Nested tuples of this shape as an array (count, *shape): a fraction of what numpy.array takes
    for many small tuples.
    """
    for _ in shape:
        values = chain.from_iterable(values)
    size = count * int(np.prod(shape))
    return np.fromiter(values, dtype=float, count=size).reshape(count, *shape)


def by_blocks(function: Callable[..., tuple], *rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """The arrays function(*rows), each row of which follows from the same row of all arguments.

    Of very many rows some at a time: what is made on the way then stays small, where fresh memory
    for all rows takes longer than the arithmetic.
    """
    n = len(rows[0])
    if n <= BLOCK:
        return function(*rows)
    whole: list[np.ndarray] = []
    for some in blocks(n):
        found = function(*(array[some] for array in rows))
        whole = whole or [np.empty((n, *part.shape[1:]), part.dtype) for part in found]
        for array, part in zip(whole, found, strict=True):
            array[some] = part
    return tuple(whole)


def blocks(n: int) -> list[slice]:
    """n rows, some at a time."""
    return [slice(start, start + BLOCK) for start in range(0, n, BLOCK)]
