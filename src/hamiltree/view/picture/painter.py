"""A scene at some poses as polygons, the farthest first: solids, balls, bonds and connectors.

Faces that look away are left out; the others are shaded by the cosine of their normal to the light.
Edges between a face that is seen and one that is not, and sharp edges, are dark lines, so that
bodies can be told apart without colours.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamiltree.rotations import rotation_matrix
from hamiltree.view.picture.camera import Camera
from hamiltree.view.picture.marks import bands_between, joint_solids
from hamiltree.view.picture.surfaces import Surface, surface_of, surface_of_mesh
from hamiltree.view.scene.mesh_files import simplify
from hamiltree.view.scene.parts import AUTOMATIC, MeshData, Scene, Solid

LIGHT = np.array([-0.38, 0.66, 0.65])  # right, up and back of the picture
DARKEST, RANGE = 0.52, 0.56  # of the colour of a face
SHARP = 0.8  # cosine between the normals of faces: below, their edge is drawn
OUTLINE = 0.32  # of its colour: lines around a solid
LINE_WIDTH = 0.7  # points
SEAM_WIDTH = 0.6  # points: faces overlap so much, so that no gaps show between them
PIECE = 2.0  # length of the pieces of a long solid, of the thickness of a link
SIDES = ((60, 16), (300, 10), (10**9, 6))  # of a round solid, by the number of solids
MAX_TRIANGLES = 30_000  # of all meshes
MAX_SHINING = 2000  # balls; more are plain discs
BALL_CORNERS = 20
# discs of a ball: radius, shift to the light, brightness
SHINE = ((1.0, 0.0, 0.78), (0.8, 0.14, 0.95), (0.5, 0.32, 1.08), (0.2, 0.45, 1.3))
BOND = 0.4  # radius of a bond, of that of a particle
BOND_COLOR = "#9aa3ad"
HAZE = 0.35  # of white in the colour of what is farthest away, in perspective
IN_FRONT = 1e-3  # of the model's size: a line lies so far in front of its face


@dataclass(slots=True, eq=False)
class Polygons:
    """Corners in the picture, colours of faces and edges, widths of edges; the farthest first."""

    corners: list[np.ndarray]
    faces: np.ndarray
    edges: np.ndarray
    widths: np.ndarray


class Painter:
    """Surfaces of a scene in body axes, made once, and the polygons of any pose and camera."""

    def __init__(self, scene: Scene):
        """Solids and marks of joints: spheres as balls, all others as faces."""
        self.scene = scene
        solids = [*scene.solids, *joint_solids(scene)]
        rounded = [solid for solid in solids if solid.kind == "sphere"]
        faced = [solid for solid in solids if solid.kind != "sphere"]
        sides = next(count for most, count in SIDES if len(faced) <= most)
        piece = PIECE * scene.thickness * (1.0 if sides == SIDES[0][1] else 6.0)
        meshes = [surface_of_mesh(mesh) for mesh in coarsen(scene.meshes)]
        self.join([surface_of(solid, meshes, sides, piece) for solid in faced], faced)
        self.collect_balls(rounded)

    def join(self, surfaces: list[Surface], solids: list[Solid]) -> None:
        """All surfaces as one, with the body of each vertex and the colour of each face."""
        vertex_counts = [len(surface.vertices) for surface in surfaces]
        face_counts = [len(surface.faces) for surface in surfaces]
        first_vertex = np.concatenate([[0], np.cumsum(vertex_counts)])[:-1].astype(int)
        first_face = np.concatenate([[0], np.cumsum(face_counts)])[:-1].astype(int)
        owners = np.array([solid.body for solid in solids], dtype=int)
        colors = np.array([rgb(solid.color) for solid in solids]).reshape(-1, 3)
        self.vertices = stack([surface.vertices for surface in surfaces], 3)
        self.owner = np.repeat(owners, vertex_counts)
        self.face_color = np.repeat(colors, face_counts, axis=0)
        # triangles of files are rough: of these only the outline is drawn
        is_smooth = [solid.kind != "mesh" or solid.origin == AUTOMATIC for solid in solids]
        self.has_sharp_edges = np.repeat(np.array(is_smooth, dtype=bool), face_counts)
        pairs = list(zip(surfaces, first_vertex, first_face, strict=True))
        self.faces = stack([surface.faces + v for surface, v, _ in pairs], 4).astype(int)
        edges = []
        for surface, v, f in pairs:
            *ends, one, other = surface.edges.T
            second = np.where(other < 0, -1, other + f)
            edges.append(np.column_stack([ends[0] + v, ends[1] + v, one + f, second]))
        self.edges = stack(edges, 4).astype(int)

    def collect_balls(self, solids: list[Solid]) -> None:
        """Spheres and particles."""
        cloud = self.scene.particles
        bodies = [np.array([solid.body for solid in solids], dtype=int)]
        centres = [np.array([solid.frame.position for solid in solids]).reshape(-1, 3)]
        radii = [np.array([0.5 * solid.size[0] for solid in solids])]
        colors = [np.array([rgb(solid.color) for solid in solids]).reshape(-1, 3)]
        self.first_particle = len(solids)
        if cloud is not None:
            bodies.append(cloud.body)
            centres.append(cloud.position)
            radii.append(cloud.radius)
            colors.append(np.array([rgb(color) for color in cloud.colors])[cloud.kind])
        self.ball_body = np.concatenate(bodies)
        self.ball_centre = np.concatenate(centres)
        self.ball_radius = np.concatenate(radii)
        self.ball_color = np.concatenate(colors)

    # ---- places ----------------------------------------------------------------------------------
    def points(self, poses: np.ndarray) -> np.ndarray:
        """Everything that must be seen: vertices of surfaces and the outermost points of balls."""
        centres = place(poses, self.ball_body, self.ball_centre)
        sides = np.concatenate([np.eye(3), -np.eye(3)])
        around = centres[:, None] + self.ball_radius[:, None, None] * sides
        ends = [point for connector in self.connectors(poses) for point in connector[1:]]
        found = [place(poses, self.owner, self.vertices), around.reshape(-1, 3)]
        return np.concatenate([*found, np.array(ends).reshape(-1, 3)])

    def connectors(self, poses: np.ndarray) -> list[tuple[str, np.ndarray, np.ndarray]]:
        """Kind and ends of each connector."""
        found = []
        for part in self.scene.connectors:
            bodies = np.array([part.body_a, part.body_b])
            a, b = place(poses, bodies, np.array([part.at_a, part.at_b], dtype=float))
            found.append((part.kind, a, b))
        return found

    # ---- polygons --------------------------------------------------------------------------------
    def polygons(self, poses: np.ndarray, camera: Camera) -> Polygons:
        """All that is seen, the farthest first."""
        canvas = Canvas(camera, IN_FRONT * self.scene.size)
        self.add_surfaces(canvas, place(poses, self.owner, self.vertices))
        centres = place(poses, self.ball_body, self.ball_centre)
        if self.scene.particles is not None:
            self.add_bonds(canvas, centres[self.first_particle :])
        for kind, a, b in self.connectors(poses):
            points, radii, color = bands_between(kind, a, b, self.scene.thickness)
            canvas.add_bands(points[:-1], points[1:], radii, rgb(color))
        canvas.add_balls(centres, self.ball_radius, self.ball_color)
        return canvas.finish()

    def add_surfaces(self, canvas: Canvas, vertices: np.ndarray) -> None:
        """Faces that look at the camera, and the lines around them."""
        if not len(self.faces):
            return
        corners = vertices[self.faces]
        normals = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
        lengths = np.linalg.norm(normals, axis=1, keepdims=True)
        normals = np.divide(normals, lengths, out=np.zeros_like(normals), where=lengths > 0.0)
        # three corners are two of a triangle twice: d − b of (a, b, c, c) is c − b
        middle = corners.mean(axis=1)
        is_seen = (normals * canvas.camera.towards(middle)).sum(axis=1) > 0.0
        canvas.add_faces(corners[is_seen], normals[is_seen], self.face_color[is_seen])
        a, b, one, other = self.edges.T
        has_two = other >= 0
        cosine = (normals[one] * normals[other]).sum(axis=1)
        is_outline = has_two & (is_seen[one] != is_seen[other])
        is_sharp = has_two & is_seen[one] & is_seen[other] & (cosine < SHARP)
        is_border = ~has_two & is_seen[one]
        drawn = is_outline | ((is_sharp | is_border) & self.has_sharp_edges[one])
        behind = canvas.camera.project(middle)[1]
        front = np.where(is_seen, behind, np.inf)
        nearest = np.minimum(front[one], np.where(has_two, front[other], np.inf))[drawn]
        canvas.add_lines(vertices[a[drawn]], vertices[b[drawn]], nearest,
                         OUTLINE * self.face_color[one[drawn]])  # fmt: skip

    def add_bonds(self, canvas: Canvas, particles: np.ndarray) -> None:
        cloud = self.scene.particles
        assert cloud is not None
        a, b = cloud.bonds.T
        canvas.add_bands(particles[a], particles[b], BOND * cloud.radius[a], rgb(BOND_COLOR))


class Canvas:
    """Polygons as they are added, with how far behind the target they are."""

    def __init__(self, camera: Camera, in_front: float):
        self.camera = camera
        self.in_front = in_front
        self.corners: list[np.ndarray] = []
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []

    def add(
        self,
        corners: np.ndarray,
        behind: np.ndarray,
        faces: np.ndarray,
        edges: np.ndarray,
        width: float,
    ) -> None:
        """(n, k, 2) polygons."""
        self.corners.extend(corners)
        self.parts.append((behind, faces, edges, np.full(len(corners), width)))

    def add_faces(self, corners: np.ndarray, normals: np.ndarray, colors: np.ndarray) -> None:
        camera = self.camera
        light = np.column_stack([camera.right, camera.up, camera.back]) @ LIGHT
        shaded = shade(colors, DARKEST + RANGE * np.maximum(0.0, normals @ light))
        flat, behind = camera.project(corners)
        self.add(flat, behind.mean(axis=1), shaded, shaded, SEAM_WIDTH)

    def add_lines(
        self, a: np.ndarray, b: np.ndarray, behind: np.ndarray, colors: np.ndarray
    ) -> None:
        flat, _ = self.camera.project(np.stack([a, b], axis=1))
        self.add(flat, behind - self.in_front, colors, colors, LINE_WIDTH)

    def add_bands(self, a: np.ndarray, b: np.ndarray, radii: np.ndarray, color: np.ndarray) -> None:
        """Straight pieces as wide as they are thick."""
        if not len(a):
            return
        ends, behind = self.camera.project(np.stack([a, b], axis=1))
        along = ends[:, 1] - ends[:, 0]
        length = np.linalg.norm(along, axis=1, keepdims=True)
        across = np.column_stack([-along[:, 1], along[:, 0]])
        across = np.divide(across, length, out=np.zeros_like(across), where=length > 0.0)
        wide = across[:, None] * (radii[:, None] * self.camera.magnification(behind))[..., None]
        colors = np.broadcast_to(color, (len(a), 3))
        low, high = ends - wide, ends + wide
        corners = np.stack([low[:, 0], low[:, 1], high[:, 1], high[:, 0]], axis=1)
        dark = OUTLINE * colors
        self.add(corners, behind.mean(axis=1), shade(colors, np.full(len(a), 0.9)), dark, 0.4)

    def add_balls(self, centres: np.ndarray, radii: np.ndarray, colors: np.ndarray) -> None:
        """Discs, each lighter and smaller than the one below it."""
        if not len(centres):
            return
        flat, behind = self.camera.project(centres)
        drawn = (radii * self.camera.magnification(behind))[:, None, None]
        angles = 2.0 * np.pi * np.arange(BALL_CORNERS) / BALL_CORNERS
        circle = np.column_stack([np.cos(angles), np.sin(angles)])
        for k, (size, shift, light) in enumerate(
            SHINE if len(centres) <= MAX_SHINING else SHINE[:1]
        ):
            discs = flat[:, None] + drawn * (size * circle + shift * LIGHT[:2])
            faces = shade(colors, np.full(len(centres), light))
            edges = OUTLINE * colors if k == 0 else faces
            width = LINE_WIDTH if k == 0 else 0.0
            self.add(discs, behind - k * 1e-9 * self.in_front, faces, edges, width)

    def finish(self) -> Polygons:
        """Everything in painter's order."""
        if not self.parts:
            return Polygons([], np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
        behind, faces, edges, widths = (
            np.concatenate([part[k] for part in self.parts]) for k in range(4)
        )
        if not self.camera.is_parallel:
            far = HAZE * ((behind - behind.min()) / (np.ptp(behind) or 1.0))[:, None]
            faces, edges = (colors + far * (1.0 - colors) for colors in (faces, edges))
        order = np.argsort(-behind, kind="stable")
        return Polygons([self.corners[k] for k in order], faces[order], edges[order], widths[order])


# ---- colours and places --------------------------------------------------------------------------
def rgb(color: str) -> np.ndarray:
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255.0


def shade(colors: np.ndarray, light: np.ndarray) -> np.ndarray:
    """Darker below 1; above, mixed with white."""
    light = light[:, None]
    return np.clip(
        colors * np.minimum(light, 1.0) + (1.0 - colors) * np.maximum(light - 1.0, 0), 0, 1
    )


def place(poses: np.ndarray, body: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points of bodies in the world; the ground is where it is."""
    ground = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    all_poses = np.concatenate([poses, ground])  # the ground has the index −1
    turns = rotation_matrix(all_poses[:, 3:])
    return np.einsum("nij,nj->ni", turns[body], points) + all_poses[body, :3]


def coarsen(meshes: tuple[MeshData, ...]) -> list[MeshData]:
    """Meshes with MAX_TRIANGLES altogether, each with its share."""
    total = sum(len(mesh.triangles) for mesh in meshes)
    if total <= MAX_TRIANGLES:
        return list(meshes)
    share = MAX_TRIANGLES / total
    return [simplify(mesh, max(100, int(share * len(mesh.triangles)))) for mesh in meshes]


def stack(rows: list[np.ndarray], width: int) -> np.ndarray:
    return np.concatenate(rows) if rows else np.zeros((0, width))
