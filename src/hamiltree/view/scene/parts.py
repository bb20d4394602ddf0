"""The parts of a scene. Lengths in m, points and frames in the axes of the body they belong to.

A body is known by its index in the model; GROUND_INDEX is the world.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hamiltree.model.topology import GROUND_INDEX
from hamiltree.model.values import Frame, Vector

GIVEN = "given"  # a shape of the model itself
AUTOMATIC = "automatic"  # made from joints, centre of mass and inertia
STAND_IN = "stand-in"  # a box for a shape that cannot be drawn
MARK = "mark"  # a spring, a damper or an effort of a joint


def cube(edge: float) -> Vector:
    return edge, edge, edge


@dataclass(frozen=True, slots=True)
class Solid:
    """A unit shape stretched by `size` and placed in a body by `frame`.

    The unit shapes have the extent 1 along x, y and z: a box, a sphere, a cylinder along z. Of a
    capsule, size is (diameter, diameter, length of its straight part); of a mesh, its scale.
    """

    body: int
    kind: str  # box, sphere, cylinder, capsule, mesh
    size: Vector
    frame: Frame
    color: str  # #rrggbb
    origin: str = GIVEN
    mesh: int = -1  # index in Scene.meshes


@dataclass(frozen=True, slots=True, eq=False)
class MeshData:
    """A surface of triangles."""

    vertices: np.ndarray  # (n, 3) float32
    triangles: np.ndarray  # (m, 3) uint32


@dataclass(frozen=True, slots=True, eq=False)
class ParticleCloud:
    """All particles of a model, and the bonds between particles of one body."""

    body: np.ndarray  # (n,) body of each
    position: np.ndarray  # (n, 3) in body axes
    radius: np.ndarray  # (n,)
    kind: np.ndarray  # (n,) index in kinds
    kinds: tuple[str, ...]  # types
    colors: tuple[str, ...]  # of each type
    bonds: np.ndarray  # (m, 2) particles
    hidden_bonds: int = 0  # too many to draw


@dataclass(frozen=True, slots=True)
class JointMark:
    """A joint: where it sits on either body, and the axes that it leaves free."""

    name: str
    kind: str
    parent: int
    child: int
    on_parent: Frame
    on_child: Frame
    axes: tuple[tuple[str, Vector, Vector], ...]  # turn, slide or screw; direction; a point of it
    coordinates: tuple[str, ...]
    closes_loop: bool


@dataclass(frozen=True, slots=True)
class Connector:
    """Something between two points of two bodies: a spring, damper, cable, rod, …"""

    kind: str
    name: str
    body_a: int
    at_a: Vector
    body_b: int
    at_b: Vector
    length: float | None = None  # of a cable: beyond it, it is taut


@dataclass(frozen=True, slots=True)
class Load:
    """A force and a torque at a point of a body; None where they follow from a formula."""

    kind: str
    name: str
    body: int
    at: Vector
    force: Vector | None
    torque: Vector | None
    axes: str  # world or body


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that stands still in the axes of its body, and what was left out (`notes`)."""

    name: str
    bodies: tuple[str, ...]
    solids: tuple[Solid, ...]
    meshes: tuple[MeshData, ...]
    particles: ParticleCloud | None
    joints: tuple[JointMark, ...]
    connectors: tuple[Connector, ...]
    loads: tuple[Load, ...]
    colors: tuple[str, ...]  # of each body
    centres: np.ndarray  # (bodies, 3) centres of mass
    reach: np.ndarray  # (bodies,) largest distance of a drawn point from the origin of the body
    size: float  # of the whole model at the start: diagonal of its bounding box
    thickness: float  # radius of a link of ordinary size
    gravity: Vector = (0.0, 0.0, 0.0)
    notes: tuple[str, ...] = field(default=())


__all__ = [
    "AUTOMATIC",
    "GIVEN",
    "GROUND_INDEX",
    "MARK",
    "STAND_IN",
    "Connector",
    "JointMark",
    "Load",
    "MeshData",
    "ParticleCloud",
    "Scene",
    "Solid",
    "cube",
]
