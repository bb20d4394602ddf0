"""The scene of a model or of a run: shapes as given or automatic, marks, and how large all is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.assembly.kinematics import compute_kinematics, tree_of
from hamiltree.errors import FileError
from hamiltree.model.bodies import Body
from hamiltree.model.model import Model
from hamiltree.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from hamiltree.model.topology import GROUND_INDEX
from hamiltree.model.values import Frame, Vector
from hamiltree.rotations import quaternion_from_matrix, rotation_matrix
from hamiltree.view.scene.colors import body_colors
from hamiltree.view.scene.joint_forces import JointForceMarks
from hamiltree.view.scene.marks import (
    anchors_of,
    connectors,
    joint_marks,
    load_notes,
    loads,
    name_some,
)
from hamiltree.view.scene.mesh_files import read_mesh, simplify
from hamiltree.view.scene.outlines import Outlines
from hamiltree.view.scene.particles import bond_notes, particle_cloud
from hamiltree.view.scene.parts import STAND_IN, MeshData, ParticleCloud, Scene, Solid, cube

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

MAX_TRIANGLES = 200_000  # of all meshes of a scene; larger ones are made coarser
FRAME_MASS = 2e-3  # of the whole model: a lighter body without a shape among shapes is a frame
NO_MODEL = "The run's model holds Python functions and is not stored: bodies are drawn as balls."
LONE_BALL = 0.02  # radius of a body of which nothing is known, of the extent of the motion


def scene_of_run(run: Trajectory) -> Scene:
    """The scene of a run, at the poses of its first sample; without bodies for an H(q, p)."""
    if not run.has_bodies:
        return empty_scene(run.provenance["model_name"])
    poses = run.poses.values[0]
    try:
        model = run.model
    except FileError:
        return scene_without_model(run)
    return scene_of_model(model, poses)


def scene_of_model(model: Model, poses: np.ndarray | None = None) -> Scene:
    """The scene of a model at poses (bodies, 7), its own start unless they are given."""
    builder = SceneBuilder(model, start_poses(model) if poses is None else poses)
    return builder.build()


def start_poses(model: Model, q: np.ndarray | None = None) -> np.ndarray:
    """(bodies, 7): origin and unit quaternion of every body at positions of the tree."""
    found = compute_kinematics(tree_of(model), model.start()[0] if q is None else q)
    turns = quaternion_from_matrix(np.array(found.turn[: len(model.bodies)]))
    return np.column_stack([np.array(found.at[: len(model.bodies)]), turns])


class SceneBuilder:
    """Collects the solids of all bodies, then measures them."""

    def __init__(self, model: Model, poses: np.ndarray):
        """`poses` (bodies, 7) are those at which the size of the scene is measured."""
        self.model = model
        self.poses = poses
        self.meshes: list[MeshData] = []
        self.mesh_index: dict[str, int] = {}
        self.unread: list[str] = []  # meshes that are drawn as boxes
        own = body_colors(len(model.bodies))
        pairs = zip(model.bodies, own, strict=True)
        self.colors = tuple(first_color(body) or color for body, color in pairs)
        self.has_shapes = any(body.visuals for body in model.bodies)
        self.mass = sum(body.mass for body in model.bodies)
        self.outlines = Outlines(model.bodies, anchors_of(model), self.meshes)

    def build(self) -> Scene:
        """All parts, and what had to be left out."""
        model = self.model
        spacing = self.outlines.thickness * 6.0
        cloud = particle_cloud(model.bodies, spacing)
        solids = [solid for k, body in enumerate(model.bodies) for solid in self.solids(k, body)]
        points, owner = drawn_points(solids, self.meshes, cloud, model.bodies)
        self.coarsen_meshes()
        marks = JointForceMarks(model, self.outlines.thickness, len(self.meshes)).collect()
        return Scene(
            name=model.name,
            bodies=tuple(body.name for body in model.bodies),
            solids=(*solids, *marks.solids),
            meshes=(*self.meshes, *marks.meshes),
            particles=cloud,
            joints=joint_marks(model),
            connectors=(*connectors(model), *marks.connectors),
            loads=loads(model),
            colors=self.colors,
            centres=np.array([body.com for body in model.bodies]),
            reach=self.reach((*solids, *marks.solids), (*self.meshes, *marks.meshes), cloud),
            size=extent_of(points, owner, self.poses),
            thickness=self.outlines.thickness,
            gravity=model.gravity,
            notes=(*self.notes(), *bond_notes(cloud), *load_notes(model), *marks.notes()),
        )

    def reach(
        self, solids: Sequence[Solid], meshes: Sequence[MeshData], cloud: ParticleCloud | None
    ) -> np.ndarray:
        """How far each body is drawn, with the marks on it."""
        bodies = self.model.bodies
        own = [solid for solid in solids if solid.body != GROUND_INDEX]
        return reach_of(*drawn_points(own, meshes, cloud, bodies), len(bodies))

    def solids(self, index: int, body: Body) -> list[Solid]:
        """The shapes of the model, or automatic ones; particles are their own shape."""
        if body.visuals:
            return [self.given(index, body, shape) for shape in body.visuals]
        if body.particles is not None or self.is_frame(body):
            return []
        return self.outlines.solids(index, body, self.colors[index])

    def is_frame(self, body: Body) -> bool:
        """Whether a body of a model with shapes has none because it only marks a place: a sensor,
        the sole of a foot.
        """
        return self.has_shapes and body.mass <= FRAME_MASS * self.mass

    def given(self, index: int, body: Body, shape: Shape) -> Solid:
        """A shape of the model; a mesh that cannot be read is a box of the body's inertia."""
        color = shape.color or self.colors[index]
        if isinstance(shape, Mesh):
            return self.given_mesh(index, body, shape, color)
        kind, size = size_of(shape)
        return Solid(index, kind, size, shape.frame, color)

    def given_mesh(self, index: int, body: Body, shape: Mesh, color: str) -> Solid:
        """The surface of a file, read once however often it is used."""
        try:
            if shape.filename not in self.mesh_index:
                mesh = read_mesh(shape.filename)
                self.mesh_index[shape.filename] = len(self.meshes)
                self.meshes.append(mesh)
        except FileError as error:
            self.unread.append(f"{body.name}: {error}")
            edge = 2.0 * self.outlines.thickness
            return Solid(index, "box", cube(edge), shape.frame, color, STAND_IN)
        mesh = self.mesh_index[shape.filename]
        return Solid(index, "mesh", shape.scale, shape.frame, color, mesh=mesh)

    def coarsen_meshes(self) -> None:
        """Large meshes become coarser, each by its share, until all have MAX_TRIANGLES."""
        total = sum(len(mesh.triangles) for mesh in self.meshes)
        if total > MAX_TRIANGLES:
            share = MAX_TRIANGLES / total
            self.meshes = [
                simplify(mesh, max(200, int(share * len(mesh.triangles)))) for mesh in self.meshes
            ]

    def notes(self) -> list[str]:
        if not self.unread:
            return []
        named = name_some(self.unread, "; ")
        return [f"Drawn as boxes, because their meshes cannot be read: {named}."]


def first_color(body: Body) -> str | None:
    """The colour of the first shape that has one."""
    return next((shape.color for shape in body.visuals if shape.color), None)


def size_of(shape: Shape) -> tuple[str, Vector]:
    """Kind and size of the unit shape that a shape of the model is."""
    if isinstance(shape, Box):
        return "box", shape.size
    if isinstance(shape, Sphere):
        return "sphere", cube(2.0 * shape.radius)
    if isinstance(shape, (Cylinder, Capsule)):
        return shape.kind, (2.0 * shape.radius, 2.0 * shape.radius, shape.length)
    raise FileError(f"a shape of kind {shape.kind!r} cannot be drawn")


# ---- runs without a model ------------------------------------------------------------------------
def scene_without_model(run: Trajectory) -> Scene:
    """Balls at the origins of the bodies."""
    names = tuple(str(name) for name in run.dataset["body"].values)
    places = run.poses.values[:, :, :3]
    extent = float(np.linalg.norm(np.ptp(places.reshape(-1, 3), axis=0))) or 1.0
    colors = body_colors(len(names))
    radius = LONE_BALL * extent
    ball = cube(2.0 * radius)
    solids = [Solid(k, "sphere", ball, Frame(), color) for k, color in enumerate(colors)]
    return replace(
        empty_scene(run.provenance["model_name"]),
        bodies=names,
        solids=tuple(solids),
        colors=colors,
        centres=np.zeros((len(names), 3)),
        reach=np.full(len(names), radius),
        size=extent,
        thickness=0.5 * radius,
        notes=(NO_MODEL,),
    )


def empty_scene(name: str) -> Scene:
    nothing = np.zeros((0, 3))
    return Scene(name, (), (), (), None, (), (), (), (), nothing, np.zeros(0), 1.0, 0.02)


# ---- how large it is -----------------------------------------------------------------------------
def drawn_points(
    solids: Sequence[Solid],
    meshes: Sequence[MeshData],
    cloud: ParticleCloud | None,
    bodies: Sequence[Body],
) -> tuple[np.ndarray, np.ndarray]:
    """Corners around everything that is drawn, in body axes, and the body of each."""
    corners = np.array(list(product((-0.5, 0.5), repeat=3)))
    points = [np.array([body.com for body in bodies])]
    owner = [np.arange(len(bodies))]
    for solid in solids:
        unit = corners
        size = np.array(solid.size)
        if solid.kind == "mesh":
            vertices = meshes[solid.mesh].vertices
            middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
            unit = middle + corners * np.ptp(vertices, axis=0)
        elif solid.kind == "capsule":
            size = size + np.array([0.0, 0.0, size[0]])
        local = (unit * size) @ solid.frame.matrix.T + np.array(solid.frame.position)
        points.append(local)
        owner.append(np.full(len(local), solid.body))
    if cloud is not None:
        sides = np.concatenate([np.eye(3), -np.eye(3)])
        around = cloud.position[:, None] + cloud.radius[:, None, None] * sides
        points.append(around.reshape(-1, 3))
        owner.append(np.repeat(cloud.body, len(sides)))
    return np.concatenate(points), np.concatenate(owner)


def reach_of(points: np.ndarray, owner: np.ndarray, count: int) -> np.ndarray:
    """The largest distance of a point of each body from its origin."""
    found = np.zeros(count)
    np.maximum.at(found, owner, np.linalg.norm(points, axis=1))
    return found


def extent_of(points: np.ndarray, owner: np.ndarray, poses: np.ndarray) -> float:
    """The diagonal of the box around all points at these poses."""
    turned = np.einsum("nij,nj->ni", rotation_matrix(poses[:, 3:])[owner], points)
    placed = turned + poses[owner, :3]
    return float(np.linalg.norm(np.ptp(placed, axis=0))) or 1.0
