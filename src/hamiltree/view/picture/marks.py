"""Joints of a scene as solids, and springs, dampers, cables and rods as lines between points."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hamiltree.model.values import Frame, Vector
from hamiltree.rotations import rotation_with_z_axis
from hamiltree.view.scene.parts import JointMark, Scene, Solid, cube

METAL, BASE, LIGHT = "#59636f", "#8b95a1", "#cfd6dd"
UNMARKED = ("free", "translation", "weld")
MAX_MARKED = 200  # joints; more are drawn without marks
COILS = 7
COIL_STEPS = 12
# what a connector looks like: radius in parts of the thickness of a link, colour
CONNECTORS = {
    "spring": (1.6, "#6b7785"),
    "constant_force_spring": (1.2, "#a5823c"),
    "damper": (0.35, "#6b7785"),
    "cable": (0.22, "#a5823c"),
    "rod": (0.5, "#9aa7b5"),
}
OTHER = (0.2, "#5d6874")
SEGMENTS = 8  # of a straight connector, so that it passes behind things


def joint_solids(scene: Scene) -> Iterator[Solid]:
    """Pins, sleeves and balls at the joints, and discs where they hold to the ground."""
    if len(scene.joints) > MAX_MARKED:
        return
    r = scene.thickness
    for joint in scene.joints:
        if joint.kind in UNMARKED:
            continue
        place = joint.on_parent
        if joint.parent < 0 and joint.kind != "planar":
            axis = next((axis for kind, axis, _ in joint.axes if kind != "slide"), (0, 0, 1))
            yield mark(joint, place, "cylinder", axis, (3.4 * r, 3.4 * r, 1.4 * r), BASE)
        if joint.kind in ("ball", "gimbal"):
            yield mark(joint, place, "sphere", (0, 0, 1), cube(2.7 * r), METAL)
        elif joint.kind == "planar":
            yield mark(joint, place, "cylinder", joint.axes[2][1], (7 * r, 7 * r, 0.3 * r), LIGHT)
        else:
            for kind, axis, at in joint.axes:
                there = place @ Frame(at)
                if kind == "slide":
                    yield mark(joint, there, "box", axis, (2.5 * r, 2.5 * r, 3.6 * r), METAL)
                else:
                    yield mark(joint, there, "cylinder", axis, (1.5 * r, 1.5 * r, 3.2 * r), METAL)


def mark(
    joint: JointMark, place: Frame, kind: str, axis: Vector, size: Vector, color: str
) -> Solid:
    """A solid along an axis of the joint."""
    unit = np.array(axis, dtype=float) / np.linalg.norm(axis)
    turn = Frame((0, 0, 0), rotation_with_z_axis(unit[None])[0])
    return Solid(joint.parent, kind, size, place @ turn, color)


def bands_between(
    kind: str, a: np.ndarray, b: np.ndarray, thickness: float
) -> tuple[np.ndarray, np.ndarray, str]:
    """Points along a connector from a to b, the radius of each piece, and its colour."""
    width, color = CONNECTORS.get(kind, OTHER)
    radius = width * thickness
    length = float(np.linalg.norm(b - a))
    if length == 0.0:
        return np.zeros((0, 3)), np.zeros(0), color
    if kind in ("spring", "constant_force_spring"):
        points = coil(a, b, min(radius, 0.2 * length))
        return points, np.full(len(points) - 1, 0.18 * radius), color
    points = a + np.linspace(0.0, 1.0, SEGMENTS + 1)[:, None] * (b - a)
    radii = np.full(SEGMENTS, radius)
    if kind == "damper":
        radii[SEGMENTS // 4 : -(SEGMENTS // 4)] *= 3.0
    return points, radii, color


def coil(a: np.ndarray, b: np.ndarray, radius: float) -> np.ndarray:
    """A helix with straight ends from a to b."""
    s = np.linspace(0.0, 1.0, COILS * COIL_STEPS + 1)
    turn = 2.0 * np.pi * COILS * s
    axes = rotation_with_z_axis(((b - a) / np.linalg.norm(b - a))[None])[0]
    across = np.cos(turn)[:, None] * axes[:, 0] + np.sin(turn)[:, None] * axes[:, 1]
    inner = a + (0.1 + 0.8 * s)[:, None] * (b - a) + radius * across
    return np.concatenate([a[None], (a + 0.1 * (b - a))[None], inner, (b - 0.1 * (b - a))[None],
                           b[None]])  # fmt: skip
