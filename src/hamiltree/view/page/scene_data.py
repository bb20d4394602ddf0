"""A scene as data of a page: short lists for what is few, arrays for what may be many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hamiltree.model.values import Frame
from hamiltree.view.page.arrays import ArrayBlock
from hamiltree.view.scene import Load, Scene
from hamiltree.view.scene.motion import ERROR_BOUND, Motion

ROUNDING_SHARE = 0.05  # of the error bound, for each of positions and velocities
LONGEST_ARROW = 0.22  # of the size of the model, as the page draws it
ARROW_HEAD, MAX_HEAD = 0.24, 3.6  # of the length of an arrow, at most so many radii of a link
KINDS = ("box", "sphere", "cylinder", "capsule", "mesh")
ORIGINS = {"given": 0, "automatic": 1, "stand-in": 2, "mark": 1}


def scene_data(scene: Scene, block: ArrayBlock) -> dict[str, Any]:
    """Everything of a scene that stands still."""
    return {
        "name": scene.name,
        "bodies": list(scene.bodies),
        "colors": list(scene.colors),
        "size": scene.size,
        "thickness": scene.thickness,
        "gravity": list(scene.gravity),
        "notes": list(scene.notes),
        "centres": block.add(scene.centres, "f8"),
        "reach": block.add(scene.reach, "f4"),
        "solids": solids_data(scene, block),
        "meshes": [
            {
                "vertices": block.add(mesh.vertices, "f4"),
                "triangles": block.add(mesh.triangles, "u4"),
            }
            for mesh in scene.meshes
        ],
        "particles": particles_data(scene, block),
        "joints": [joint_data(joint) for joint in scene.joints],
        "connectors": [
            {
                "kind": part.kind,
                "name": part.name,
                "bodies": [part.body_a, part.body_b],
                "points": [list(part.at_a), list(part.at_b)],
                "length": part.length,
            }
            for part in scene.connectors
        ],
        "loads": [load_data(load) for load in (*scene.loads, *torque_arrows(scene))],
    }


def load_data(load: Load) -> dict[str, Any]:
    """A load with its values, where it has any."""
    return {
        "kind": load.kind,
        "name": load.name,
        "body": load.body,
        "at": list(load.at),
        "force": load.force,
        "torque": load.torque,
        "axes": load.axes,
    }


def torque_arrows(scene: Scene) -> Iterator[Load]:
    """Torques of loads as arrows with two heads: one arrow on another, the largest torque as long
    as the largest force.
    """
    forces = [float(np.linalg.norm(load.force)) for load in scene.loads if load.force]
    torques = [float(np.linalg.norm(load.torque)) for load in scene.loads if load.torque]
    largest, force = max(torques, default=0.0), max(forces, default=0.0) or 1.0
    for load in scene.loads:
        if load.torque is None or not any(load.torque):
            continue
        share = float(np.linalg.norm(load.torque)) / largest
        head = min(ARROW_HEAD, MAX_HEAD * scene.thickness / (LONGEST_ARROW * scene.size * share))
        for part in (1.0, 1.0 - head):
            x, y, z = (part * force / largest * np.array(load.torque)).tolist()
            yield replace(load, kind="torque", force=(x, y, z))


def solids_data(scene: Scene, block: ArrayBlock) -> dict[str, Any]:
    """Body, kind, origin, mesh; size; position and quaternion; colour: one row per solid."""
    solids = scene.solids
    facts = [(s.body, KINDS.index(s.kind), ORIGINS[s.origin], s.mesh) for s in solids]
    frames = [(*s.frame.position, *s.frame.rotation) for s in solids]
    colors = [int(s.color[1:], 16) for s in solids]
    return {
        "facts": block.add(np.array(facts, dtype=int).reshape(-1, 4), "i4"),
        "size": block.add(np.array([s.size for s in solids]).reshape(-1, 3), "f4"),
        "frame": block.add(np.array(frames).reshape(-1, 7), "f4"),
        "color": block.add(np.array(colors, dtype=int), "u4"),
    }


def particles_data(scene: Scene, block: ArrayBlock) -> dict[str, Any] | None:
    """Particles and bonds; None if there are none."""
    cloud = scene.particles
    if cloud is None:
        return None
    return {
        "body": block.add(cloud.body, "u4"),
        "position": block.add(cloud.position, "f4"),
        "radius": block.add(cloud.radius, "f4"),
        "kind": block.add(cloud.kind, "u4"),
        "bonds": block.add(cloud.bonds, "u4"),
        "kinds": list(cloud.kinds),
        "colors": list(cloud.colors),
    }


def joint_data(joint: Any) -> dict[str, Any]:
    """A joint with its frames on both bodies and its axes."""
    return {
        "name": joint.name,
        "kind": joint.kind,
        "parent": joint.parent,
        "child": joint.child,
        "onParent": frame_data(joint.on_parent),
        "onChild": frame_data(joint.on_child),
        "axes": [{"kind": kind, "axis": axis, "at": at} for kind, axis, at in joint.axes],
        "coordinates": list(joint.coordinates),
        "closesLoop": joint.closes_loop,
    }


def frame_data(frame: Frame) -> list[float]:
    return [*frame.position, *frame.rotation]


def motion_data(motion: Motion, size: float, block: ArrayBlock) -> dict[str, Any]:
    """Frames, rounded within the error bound."""
    share = ROUNDING_SHARE * ERROR_BOUND * size
    longest = float(np.diff(motion.t).max(initial=0.0)) or 1.0
    # √3 for three channels; a rate counts by h (s (1 − s)² + s² (1 − s)) ≤ h/4
    return {
        "t": block.add(motion.t, "f8"),
        "position": block.add_rounded(motion.position, share / 3**0.5),
        "quaternion": block.add_rounded(motion.quaternion),
        "velocity": block.add_rounded(motion.velocity, 4.0 * share / 3**0.5 / longest),
        "omega": block.add_rounded(motion.omega),
        "smooth": motion.is_smooth,
        "error": motion.error,
    }
