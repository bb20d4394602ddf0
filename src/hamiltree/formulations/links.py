"""The links of a tree: a Model's bodies and joints as one-axis links, which every tree formulation starts from.

A link's origin lies on its joint and its z axis along the joint's axis; at coordinate x it has turned by spin·x and moved by slide·x
along z. A welded body rides on the link of its parent; `mount` is the frame of each body on the link that carries it.
The ground is row n, one past the last link.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.errors import FitError
from hamiltree.forces.laws import Placement
from hamiltree.model.model import Model
from hamiltree.model.topology import spanning_tree
from hamiltree.model.values import Frame


class Links(NamedTuple):
    parent: np.ndarray  # (n,) row of the parent link; n for the ground
    coordinate: np.ndarray  # (n,) row of its coordinate in q
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
    """(k, 3, 3) rotations whose z columns are the given unit axes; exactly the identity for the z axis."""
    x, y, z = axes.T
    sign = np.where(z < 0, -1.0, 1.0)
    k = -1.0 / (sign + z)
    first = np.stack([1 + sign * x * x * k, sign * x * y * k, -sign * x], 1)
    second = np.stack([x * y * k, sign + y * y * k, -y], 1)
    return np.stack([first, second, axes], 2)


def gathered(parts, field, width) -> np.ndarray:
    return np.array([getattr(part, field) for part in parts], dtype=float).reshape(len(parts), *width)


def joint_frames(joints, side) -> tuple[np.ndarray, np.ndarray]:
    frames = [getattr(joint, side) for joint in joints]
    return rotation_matrices(gathered(frames, "rotation", (4,))), gathered(frames, "position", (3,))


def motions(joints, backwards) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Axis, spin and slide of one-axis joints from their screws; a joint met from its child's side moves backwards."""
    screws = np.array([joint.screws()[0] if joint.coordinates else ((0, 0, 0), (0, 0, 1)) for joint in joints], dtype=float)
    screws = screws.reshape(-1, 2, 3) * np.where(backwards, -1.0, 1.0)[:, None, None]
    turning = (screws[:, 0] != 0).any(1)
    axes = np.where(turning[:, None], screws[:, 0], screws[:, 1])
    length = np.linalg.norm(axes, axis=1)
    length = np.where(abs(length - 1) <= 8e-16, 1.0, length)
    axes = axes / length[:, None]
    spin = np.where(turning, length, 0.0)
    slide = (axes * screws[:, 1]).sum(1)
    across = np.abs(screws[:, 1] - slide[:, None] * axes).max(1, initial=0.0)
    check_screws(joints, across > 1e-12 * (1 + np.abs(slide)))
    return axes, spin, slide


def check_screws(joints, is_askew: np.ndarray) -> None:
    """Refuse a motion across the axis, which a link with its origin on the axis cannot make."""
    if is_askew.any():
        joint = joints[int(is_askew.argmax())]
        raise FitError(
            f"joint '{joint.name}' ({joint.kind}) moves across its axis; put its frames on that axis",
            part=("joint", joint.name),
        )


def check_one_axis(joints) -> None:
    for joint in joints:
        if joint.coordinates > 1:
            raise FitError(
                f"joint '{joint.name}' ({joint.kind}) has {joint.coordinates} coordinates; tree formulations take joints of one axis",
                part=("joint", joint.name),
            )


def links_of(model: Model, formulation: str) -> Links:
    """The links of a model, depth first; a loop is refused by the name of the joint that closes it."""
    topology = spanning_tree(model)
    if len(topology.closing):
        joint = model.joints[topology.closing[0]]
        raise FitError(
            f"joint '{joint.name}' (between '{joint.parent}' and '{joint.child}') closes a loop; {formulation} is for trees: "
            "remove one joint of the loop",
            part=("joint", joint.name),
        )
    order, joints = topology.order, [model.joints[j] for j in topology.joint]
    check_one_axis(joints)
    bodies = [model.bodies[b] for b in order]
    backwards = np.array(topology.reversed, dtype=bool)
    above = np.array(topology.parent, dtype=np.int64)
    axes, spin, slide = motions(joints, backwards)
    (on_parent, at_parent), (on_child, at_child) = joint_frames(joints, "on_parent"), joint_frames(joints, "on_child")
    swap = backwards[:, None]
    near_turn, far_turn = np.where(swap[..., None], on_child, on_parent), np.where(swap[..., None], on_parent, on_child)
    near_at, far_at = np.where(swap, at_child, at_parent), np.where(swap, at_parent, at_child)

    # Where each body sits on the link of its own joint (axes as frames), then welds put on their parent's link.
    to_z = frames_to_z(axes)
    mount_turn = np.swapaxes(to_z, 1, 2) @ np.swapaxes(far_turn, 1, 2)
    mount_at = -np.einsum("kij,kj->ki", mount_turn, far_at)
    moves = np.array([joint.coordinates for joint in joints], dtype=np.int64) > 0
    n = int(moves.sum())
    link = np.where(moves, np.cumsum(moves) - 1, -1)
    for b in np.flatnonzero(~moves):
        inner = above[b]
        frame_turn, frame_at = near_turn[b] @ far_turn[b].T, near_at[b] - near_turn[b] @ far_turn[b].T @ far_at[b]
        link[b] = link[inner] if inner >= 0 else n
        mount_turn[b] = mount_turn[inner] @ frame_turn if inner >= 0 else frame_turn
        mount_at[b] = mount_turn[inner] @ frame_at + mount_at[inner] if inner >= 0 else frame_at

    rooted = above < 0
    base_turn = np.where(rooted[:, None, None], np.eye(3), mount_turn[above])
    base_at = np.where(rooted[:, None], 0.0, mount_at[above])
    turn = (base_turn @ near_turn @ to_z)[moves]
    offset = (np.einsum("kij,kj->ki", base_turn, near_at) + base_at)[moves]
    parent = np.where(rooted, n, link[above])[moves]

    mass, moment, inertia = carried_inertia(bodies, link, mount_turn, mount_at, n)
    rows = np.cumsum([0, *(joint.coordinates for joint in model.joints)])
    coordinate = rows[np.array(topology.joint, dtype=np.int64)][moves]
    back = np.empty(len(order), dtype=np.int64)
    back[np.array(order, dtype=np.int64)] = np.arange(len(order))
    return Links(
        parent, coordinate, spin[moves], slide[moves], turn, offset, mass, moment, inertia, link[back], mount_turn[back], mount_at[back]
    )


def carried_inertia(bodies, link, turn, at, n):
    """Mass, first moment and inertia about the origin of every link, summed over the bodies it carries."""
    m = gathered(bodies, "mass", ())
    centre = np.einsum("kij,kj->ki", turn, gathered(bodies, "com", (3,))) + at
    about_centre = turn @ gathered(bodies, "inertia", (3, 3)) @ np.swapaxes(turn, 1, 2)
    steiner = (centre**2).sum(1)[:, None, None] * np.eye(3) - centre[:, :, None] * centre[:, None, :]
    sums = np.zeros(n + 1), np.zeros((n + 1, 3)), np.zeros((n + 1, 3, 3))
    for total, each in zip(sums, (m, m[:, None] * centre, about_centre + m[:, None, None] * steiner), strict=True):
        np.add.at(total, link, each)
    return tuple(total[:n] for total in sums)


def placement_of(model: Model, links: Links) -> Placement:
    """Where the laws of a model find their coordinates and bodies."""
    body_rows = {body.name: b for b, body in enumerate(model.bodies)}
    first = dict(zip((joint.name for joint in model.joints), np.cumsum([0, *(joint.coordinates for joint in model.joints)]), strict=False))

    def carrier(name):
        b = body_rows[name]
        return int(links.carrier[b]), Frame(tuple(links.mount_offset[b]), links.mount_turn[b])

    movable = tuple(joint.name for joint in model.joints if joint.coordinates == 1)
    return Placement(lambda name: int(first[name]), carrier, movable)
