"""Surfaces of the marks of joint forces: a spiral spring, a curved and a straight arrow, about the
z axis and in units of the radius of a link.
"""

from __future__ import annotations

import numpy as np

from hamiltree.view.scene.parts import MeshData

SIDES = 8  # of a tube
IN_FRONT = 2.0  # height of a spiral and a curved arrow above the joint: past the end of its pin
WIRE = 0.18  # radius of the wire
HEAD = 0.65  # radius of the head of an arrow
INNER, OUTER, TURNS = 1.5, 3.6, 2  # of a spiral
RING = 4.5  # radius of a curved arrow
SWEEP, HEAD_SWEEP = 1.5 * np.pi, 0.4  # rad, of its shaft and of its head
REACH, HEAD_LENGTH = 5.0, 1.6  # of a straight arrow, from the joint


def spiral() -> MeshData:
    """A flat spiral spring: r grows with the angle."""
    s = np.linspace(0.0, 1.0, 24 * TURNS + 1)
    path = around(INNER + (OUTER - INNER) * s, 2.0 * np.pi * TURNS * s)
    return tube(path, np.full(len(path), WIRE), np.array([0.0, 0.0, 1.0]))


def curved_arrow() -> MeshData:
    """An arc that turns anticlockwise about z, with a head."""
    shaft = np.linspace(0.0, SWEEP, 28)
    head = SWEEP + HEAD_SWEEP * np.linspace(0.0, 1.0, 4)
    path = around(RING, np.concatenate([shaft, head]))
    radii = np.concatenate([np.full(len(shaft), WIRE), HEAD * np.linspace(1.0, 0.0, len(head))])
    return tube(path, radii, np.array([0.0, 0.0, 1.0]))


def straight_arrow() -> MeshData:
    """From the origin along z, with a head."""
    heights = np.array([0.0, REACH - HEAD_LENGTH, REACH - HEAD_LENGTH, REACH])
    path = np.column_stack([np.zeros((len(heights), 2)), heights])
    return tube(path, np.array([WIRE, WIRE, HEAD, 0.0]), np.array([1.0, 0.0, 0.0]))


def around(radius: float | np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Points about the z axis in front of a joint."""
    height = np.full(len(angle), IN_FRONT)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), height])


def tube(path: np.ndarray, radii: np.ndarray, side: np.ndarray) -> MeshData:
    """A closed tube of given radii along a path that is nowhere parallel to `side`."""
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross(along, side)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    upward = np.cross(across, along)
    angle = 2.0 * np.pi * np.arange(SIDES) / SIDES
    ring = np.cos(angle)[:, None] * across[:, None] - np.sin(angle)[:, None] * upward[:, None]
    vertices = path[:, None] + radii[:, None, None] * ring
    a = (np.arange(len(path) - 1)[:, None] * SIDES + np.arange(SIDES)).ravel()
    b = (np.arange(len(path) - 1)[:, None] * SIDES + np.roll(np.arange(SIDES), -1)).ravel()
    sides = np.concatenate(
        [np.column_stack([a, b, b + SIDES]), np.column_stack([a, b + SIDES, a + SIDES])]
    )
    fan = np.column_stack([np.zeros(SIDES - 2), np.arange(2, SIDES), np.arange(1, SIDES - 1)])
    end = fan[:, ::-1] + (len(path) - 1) * SIDES
    triangles = np.concatenate([sides, fan, end]).astype(np.uint32)
    return MeshData(vertices.reshape(-1, 3).astype(np.float32), triangles)
