"""Links of a URDF file: inertia, shapes, colours."""

from __future__ import annotations

import numpy as np

from hamiltree.files.meshes import MeshFolders
from hamiltree.files.urdf_elements import TAGS, ElementReader, first
from hamiltree.files.urdf_tree import Link
from hamiltree.files.xml_text import Element, quote
from hamiltree.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from hamiltree.model.values import IDENTITY, SYMMETRY_TOLERANCE, Frame

MOMENTS = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
SAME_PRODUCT = {"iyx": "ixy", "izx": "ixz", "izy": "iyz"}  # below the diagonal -> above
SIZES = {"box": ("size",), "sphere": ("radius",)}  # of other shapes: radius and length


class LinkReader:
    """Reads links, and collects the meshes that lie outside the model's folder."""

    def __init__(self, words: ElementReader, folders: MeshFolders) -> None:
        self.words = words
        self.folders = folders
        self.colors: dict[str, str] = {}  # of the materials of the robot, by name
        self.lost: list[str] = []  # meshes outside
        self.flat: list[str] = []  # shapes of no size

    def read_materials(self, root: Element) -> None:
        """Take the colours of the materials that links refer to by name."""
        for material in root.all("material"):
            color = self.color(material)
            if color:
                self.colors[material.attributes.get("name", "")] = color

    def link(self, element: Element) -> Link:
        """A link with its mass, inertia and shapes."""
        name = self.words.word(element, "name", "link")
        label = f"link {name!r}"
        self.check_link_origin(element, label)
        mass, com, tensor = self.inertial(first(element, "inertial"), label)
        shapes = [self.visual(visual, label) for visual in element.all("visual")]
        visuals = [shape for shape in shapes if shape is not None]
        return Link(name, element, mass, com, tensor, visuals, top=name)

    def check_link_origin(self, element: Element, label: str) -> None:
        """URDF knows no origin of a link; one that moves nothing is harmless."""
        frame = self.words.origin(element, label)
        if frame != IDENTITY:
            raise self.words.error(
                element,
                f"{label}: <origin> of a link is not URDF and would be lost; move it into the "
                "joint or the inertial",
            )

    def inertial(self, element: Element | None, label: str) -> tuple[float, np.ndarray, np.ndarray]:
        """Mass, centre of mass, R I Rᵀ: the tensor is given on the axes of the inertial's own
        frame.
        """
        if element is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        mass = self.words.required_child(element, "mass", label)
        inertia = self.words.required_child(element, "inertia", label)
        frame = self.words.origin(element, label)
        kilograms = self.words.number(mass, "value", label)
        if kilograms < 0.0:
            raise self.words.error(
                mass, f"{label}: mass = {kilograms!r} is negative; give zero or more", None, "mass"
            )
        tensor = self.inertia_matrix(inertia, label)
        if frame.rotation != IDENTITY.rotation:
            R = frame.matrix
            tensor = R @ tensor @ R.T
        return kilograms, np.array(frame.position), tensor

    def inertia_matrix(self, inertia: Element, label: str) -> np.ndarray:
        """The symmetric matrix of six entries; those below the diagonal may stand for or beside
        those above it, but must not contradict them.
        """
        keys = (*MOMENTS, *SAME_PRODUCT)
        given = {
            key: self.words.number(inertia, key, label) for key in keys if key in inertia.attributes
        }
        slack = SYMMETRY_TOLERANCE * max(map(abs, given.values()), default=0.0)
        for below, above in SAME_PRODUCT.items():
            value = given.get(below)
            if value is not None and abs(given.setdefault(above, value) - value) > slack:
                raise self.words.error(
                    inertia,
                    f"{label}: {above} = {given[above]!r} and {below} = {value!r} of <inertia> "
                    "contradict each other; the matrix is symmetric, give one of them",
                )
        xx, xy, xz, yy, yz, zz = (
            given[key] if key in given else self.words.number(inertia, key, label)
            for key in MOMENTS
        )
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def visual(self, element: Element, label: str) -> Shape | None:
        """A shape; None for a mesh outside the model's folder, and for a shape without a size."""
        label = f"{label}, visual"
        geometry = self.words.required_child(element, "geometry", label)
        shapes = [child for child in geometry.children if child.tag in TAGS["geometry"]]
        if len(shapes) != 1:
            raise self.words.error(
                geometry,
                f"{label}: <geometry> holds {len(shapes)} shapes; give one of "
                f"{', '.join(TAGS['geometry'])}",
            )
        if self.has_no_size(shapes[0], label):
            tag = shapes[0].tag
            self.flat.append(f"{self.words.source}:{shapes[0].line}: {label}: <{tag}>")
            return None
        material = first(element, "material")
        color = None
        if material is not None:
            shared = self.colors.get(material.attributes.get("name", ""))
            color = self.color(material) or shared
        return self.words.guard(
            lambda: self.shape(shapes[0], self.words.origin(element, label), color, label),
            shapes[0],
            label,
        )

    def has_no_size(self, element: Element, label: str) -> bool:
        """Whether a length of a shape is zero or less; nothing could be drawn."""
        if element.tag == "mesh":
            return False
        counts = (3,) if element.tag == "box" else (1,)
        keys = SIZES.get(element.tag, ("radius", "length"))
        return any(min(self.words.numbers(element, key, counts, label)) <= 0.0 for key in keys)

    def shape(self, element: Element, frame: Frame, color: str | None, label: str) -> Shape | None:
        """The shape of a <geometry>; None for a mesh outside the model's folder."""

        def read(key: str) -> float:
            return self.words.number(element, key, label)

        if element.tag == "box":
            return Box(self.words.numbers(element, "size", (3,), label), frame=frame, color=color)
        if element.tag == "sphere":
            return Sphere(read("radius"), frame=frame, color=color)
        if element.tag == "cylinder":
            return Cylinder(read("radius"), read("length"), frame=frame, color=color)
        if element.tag == "capsule":
            return Capsule(read("radius"), read("length"), frame=frame, color=color)
        filename = element.attributes.get("filename", "")
        scale = self.words.numbers(element, "scale", (1, 3), label, (1.0, 1.0, 1.0))
        found = self.folders.inside(filename)
        if found is None:
            self.lost.append(f"{self.words.source}:{element.line}: {label}: mesh {quote(filename)}")
            return None
        return Mesh(found, scale * 3 if len(scale) == 1 else scale, frame=frame, color=color)

    def color(self, material: Element) -> str | None:
        """ "#rrggbb" of a material; its transparency is not kept."""
        element = first(material, "color")
        if element is None or "rgba" not in element.attributes:
            return None
        shares = self.words.numbers(element, "rgba", (3, 4), "material")[:3]
        return "#" + "".join(f"{round(255 * min(1.0, max(0.0, share))):02x}" for share in shares)
