"""Where the mass of a robot is, computed twice: from the text of a URDF file by ElementTree, and
from a Model. Nothing is shared.
"""

import xml.etree.ElementTree as ElementTree
import zlib

import numpy as np
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from hamiltree.model import GROUND
from hamiltree.model.joints import Ball, Free


def position_of(name: str) -> np.ndarray:
    """Seven numbers that depend on the joint's name alone; the last four are a unit quaternion,
    scalar first.
    """
    numbers = np.random.default_rng(zlib.crc32(name.encode())).normal(size=7)
    numbers[3:] /= np.linalg.norm(numbers[3:])
    return numbers


def pose(xyz, turn) -> np.ndarray:
    whole = np.eye(4)
    whole[:3, :3], whole[:3, 3] = turn, xyz
    return whole


# ---- from the text -------------------------------------------------------------------------------
def floats(element, key, default):
    return (
        np.array([float(word) for word in element.get(key, default).split()])
        if element is not None
        else floats_of(default)
    )


def floats_of(text):
    return np.array([float(word) for word in text.split()])


def origin(element) -> np.ndarray:
    at = None if element is None else element.find("origin")
    return pose(
        floats(at, "xyz", "0 0 0"),
        Rotation.from_euler("xyz", floats(at, "rpy", "0 0 0")).as_matrix(),
    )


def coordinate(joints, name) -> float:
    mimic = joints[name].find("mimic")
    if mimic is None:
        return position_of(name)[0]
    return float(mimic.get("multiplier", 1)) * coordinate(joints, mimic.get("joint")) + float(
        mimic.get("offset", 0)
    )


def motion(joints, name) -> np.ndarray:
    joint, q = joints[name], position_of(name)
    axis = floats(joint.find("axis"), "xyz", "1 0 0")
    kind, still = joint.get("type"), np.zeros(3)
    if kind == "fixed":
        return np.eye(4)
    if kind == "floating":
        return pose(q[:3], Rotation.from_quat(q[3:], scalar_first=True).as_matrix())
    if kind == "spherical":
        return pose(still, Rotation.from_quat(q[3:], scalar_first=True).as_matrix())
    unit = axis / np.linalg.norm(axis)
    if kind == "planar":
        turn = Rotation.from_rotvec(q[2] * unit).as_matrix()
        return pose([q[0], q[1], 0.0], turn) if np.allclose(unit, [0, 0, 1]) else pose(still, turn)
    x = coordinate(joints, name)
    return (
        pose(x * unit, np.eye(3))
        if kind == "prismatic"
        else pose(still, Rotation.from_rotvec(x * unit).as_matrix())
    )


def masses_of_text(text: str | bytes) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    """For every link: mass, centre of mass and inertia about it, in world axes, the root link at
    the origin.
    """
    robot = ElementTree.fromstring(text)
    joints = {joint.get("name"): joint for joint in robot.findall("joint")}
    above = {joint.find("child").get("link"): name for name, joint in joints.items()}

    def placed(link):
        if link not in above:
            return np.eye(4)
        joint = joints[above[link]]
        return (
            placed(joint.find("parent").get("link")) @ origin(joint) @ motion(joints, above[link])
        )

    return {
        link.get("name"): mass_of(link, placed(link.get("name"))) for link in robot.findall("link")
    }


def mass_of(link, placed) -> tuple[float, np.ndarray, np.ndarray]:
    inertial = link.find("inertial")
    frame = placed @ origin(inertial)
    if inertial is None:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    entry = inertial.find("inertia")
    tensor = np.array(
        [[float(entry.get("i" + "".join(sorted(a + b)))) for a in "xyz"] for b in "xyz"]
    )
    return (
        float(inertial.find("mass").get("value")),
        frame[:3, 3],
        frame[:3, :3] @ tensor @ frame[:3, :3].T,
    )


# ---- from a model --------------------------------------------------------------------------------
def frame_pose(frame) -> np.ndarray:
    return pose(frame.position, Rotation.from_quat(frame.rotation, scalar_first=True).as_matrix())


def twist(angular, linear) -> np.ndarray:
    x, y, z = angular
    return np.array(
        [[0, -z, y, linear[0]], [z, 0, -x, linear[1]], [-y, x, 0, linear[2]], [0, 0, 0, 0]]
    )


def joint_motion(model, joint) -> np.ndarray:
    q = position_of(joint.name)
    if joint.name in model.followers:
        leader, ratio, offset = model.followers[joint.name]
        q[0] = ratio * position_of(leader)[0] + offset
    moved = np.eye(4)
    for x, screw in zip(q, joint.screws(), strict=False):
        moved = moved @ expm(x * twist(*screw))
    return (
        moved @ pose(np.zeros(3), Rotation.from_quat(q[3:], scalar_first=True).as_matrix())
        if isinstance(joint, (Ball, Free))
        else moved
    )


def poses_of_model(model) -> dict[str, np.ndarray]:
    """The pose of every body; joints may be declared either way round and in any order."""
    placed, left = {GROUND: np.eye(4)}, list(model.joints)
    while left:
        joint = next(j for j in left if j.parent in placed or j.child in placed)
        across = (
            frame_pose(joint.on_parent)
            @ joint_motion(model, joint)
            @ np.linalg.inv(frame_pose(joint.on_child))
        )
        if joint.parent in placed:
            placed[joint.child] = placed[joint.parent] @ across
        else:
            placed[joint.parent] = placed[joint.child] @ np.linalg.inv(across)
        left.remove(joint)
    return placed


def masses_of_model(model) -> dict[str, tuple[float, np.ndarray, np.ndarray]]:
    placed, found = poses_of_model(model), {}
    for body in model.bodies:
        turn = placed[body.name][:3, :3]
        found[body.name] = (
            body.mass,
            (placed[body.name] @ [*body.com, 1.0])[:3],
            turn @ np.array(body.inertia) @ turn.T,
        )
    return found


def together(masses) -> tuple[float, np.ndarray, np.ndarray]:
    """Several masses as one, inertia about the world's origin."""
    total = sum(mass for mass, _, _ in masses)
    com = sum(mass * centre for mass, centre, _ in masses) / total
    about_origin = sum(
        tensor + mass * (r @ r * np.eye(3) - np.outer(r, r)) for mass, r, tensor in masses
    )
    return total, com, about_origin
