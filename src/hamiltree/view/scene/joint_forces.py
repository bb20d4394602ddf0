"""Springs, dampers, efforts and drives of joints as marks: a spiral, a dashpot or an arrow on a
hinge, a coil, a dashpot or an arrow along a slider.

Each takes the axis of the joint's coordinate, whatever its value; only an effort that is a number
says which way it acts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from hamiltree.model import actuators, elements, forces
from hamiltree.model.constraints import Drive
from hamiltree.model.joints import Joint, axis_labels, coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.values import Frame, Vector
from hamiltree.rotations import rotation_with_z_axis
from hamiltree.view.scene.mark_shapes import curved_arrow, spiral, straight_arrow
from hamiltree.view.scene.marks import describe_axis, index_of_bodies, name_some
from hamiltree.view.scene.parts import MARK, Connector, MeshData, Solid, cube

SPRING, DAMPER, ARROW = "#7d8a99", "#4a535e", "#d9534f"
SHAPES = {"spring": spiral, "turn": curved_arrow, "slide": straight_arrow}
COLORS = {"spring": SPRING, "turn": ARROW, "slide": ARROW}
# in radii of a link
DASHPOT = (2.4, 2.4, 4.2)  # of a hinge: diameter and length
DAMPED_BALL = 3.2  # diameter
BACK = 9.0  # where the coil of a slider begins, behind the joint
BESIDE = {"spring": 2.6, "damper": -2.6}  # of the axis of a slider, so that both are seen
MAX_MARKS = 400
ARROWS = (forces.JointEffort, forces.JointInput, forces.JointLaw, actuators.JointActuator, Drive)
SPRINGS = (forces.JointSpring, forces.JointPotential)
Z_AXIS: Vector = (0.0, 0.0, 1.0)


@dataclass(slots=True)
class JointForceMarks:
    """What is found; `first_mesh` meshes of the scene come before those of the marks."""

    model: Model
    thickness: float
    first_mesh: int
    solids: list[Solid] = field(default_factory=list)
    connectors: list[Connector] = field(default_factory=list)
    meshes: list[MeshData] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)  # of meshes
    left_out: int = 0
    placeless: list[str] = field(default_factory=list)  # parts without a joint to draw them at

    def collect(self) -> JointForceMarks:
        """All joint forces, torsion springs and drives of the model."""
        for part in (*self.model.forces, *self.model.constraints):
            glyphs = glyphs_of(part)
            if len(self.solids) + len(self.connectors) >= MAX_MARKS:
                self.left_out += len(glyphs)
                continue
            axes = list(axes_of(part, self.model)) if glyphs else []
            if glyphs and not axes:
                self.placeless.append(part.name or part.kind)
            for glyph, (joint, number) in product(glyphs, axes):
                self.add(glyph, part, joint, number)
        return self

    def add(self, glyph: str, part: object, joint: Joint, number: int) -> None:
        """A mark at one axis of a joint; -1 is the point of a ball."""
        index = index_of_bodies(self.model)
        is_last = number in (-1, len(joint.screws()) - 1)
        body, frame = (joint.child, joint.on_child) if is_last else (joint.parent, joint.on_parent)
        kind, axis, at = "turn", Z_AXIS, (0.0, 0.0, 0.0)
        if number >= 0:
            kind, axis, at = describe_axis(*joint.screws()[number])
        if kind == "slide" and glyph != "arrow":
            self.add_along(glyph, getattr(part, "name", ""), joint, axis)
            return
        if glyph == "arrow" and getattr(part, "effort", 1.0) == 0.0:
            return
        place = frame @ Frame(at) @ turn_to(axis, is_backward(part))
        self.add_solid(glyph, kind, index[body], place, is_ball=number < 0)

    def add_solid(self, glyph: str, kind: str, body: int, place: Frame, is_ball: bool) -> None:
        """A dashpot is a cylinder about the axis, or a ball; all others are meshes."""
        r = self.thickness
        if glyph == "damper":
            size = cube(DAMPED_BALL * r) if is_ball else tuple(r * x for x in DASHPOT)
            shape = "sphere" if is_ball else "cylinder"
            self.solids.append(Solid(body, shape, size, place, DAMPER, MARK))  # type: ignore[arg-type]
            return
        name = "spring" if glyph == "spring" else "slide" if kind == "slide" else "turn"
        if name not in self.numbers:
            self.numbers[name] = self.first_mesh + len(self.meshes)
            self.meshes.append(SHAPES[name]())
        mesh = self.numbers[name]
        self.solids.append(Solid(body, "mesh", cube(r), place, COLORS[name], MARK, mesh))

    def add_along(self, glyph: str, name: str, joint: Joint, axis: Vector) -> None:
        """A coil or a dashpot that a slider stretches: from behind its frame on the parent to its
        frame on the child, beside the axis.
        """
        index = index_of_bodies(self.model)
        r = self.thickness
        turned = turn_to(axis)
        begin = joint.on_parent @ turned @ Frame((BESIDE[glyph] * r, 0.0, -BACK * r))
        end = joint.on_child @ turned @ Frame((BESIDE[glyph] * r, 0.0, 0.0))
        bodies = index[joint.parent], index[joint.child]
        self.connectors.append(
            Connector(glyph, name, bodies[0], begin.position, bodies[1], end.position)
        )

    def notes(self) -> list[str]:
        found = []
        if self.placeless:
            named = name_some(self.placeless)
            found.append(f"Not drawn, because no joint marks their place: {named}.")
        if self.left_out:
            found.append(f"{self.left_out} springs, dampers and drives of joints are not drawn.")
        return found


# ---- what a part is drawn as, and where ----------------------------------------------------------
def glyphs_of(part: object) -> tuple[str, ...]:
    """spring, damper, arrow; nothing for parts of other kinds."""
    if isinstance(part, SPRINGS):
        return ("spring",)
    if isinstance(part, forces.JointDamper):
        return ("damper",)
    if isinstance(part, elements.Torsion):
        wanted = (("spring", part.stiffness), ("damper", part.damping))
        return tuple(glyph for glyph, value in wanted if value)
    return ("arrow",) if isinstance(part, ARROWS) else ()


def is_backward(part: object) -> bool:
    return isinstance(part, forces.JointEffort) and part.effort < 0.0


def axes_of(part: object, model: Model) -> Iterator[tuple[Joint, int]]:
    """The joint of a part with the numbers of the axes that it acts on; -1 for a ball."""
    joints = [joint for joint in model.joints if not joint.is_unanchored]
    if isinstance(part, elements.Torsion):
        pair = {part.body_a, part.body_b}
        between = [joint for joint in joints if {joint.parent, joint.child} == pair]
        for joint in between[:1]:
            turning = (k for k, screw in enumerate(joint.screws()) if any(screw[0]))
            yield joint, next(turning, -1)
        return
    name = getattr(part, "joint", "")
    for joint in joints:
        labels = axis_labels(joint)
        if not labels and name in (joint.name, *coordinate_labels(joint), *speed_labels(joint)):
            yield joint, -1
        for k, label in enumerate(labels):
            if name in (joint.name, *label):
                yield joint, k


def turn_to(axis: Vector, backward: bool = False) -> Frame:
    """The rotation that takes z to the axis, or to its opposite."""
    unit = np.array(axis, dtype=float) / np.linalg.norm(axis)
    return Frame((0.0, 0.0, 0.0), rotation_with_z_axis((-unit if backward else unit)[None])[0])
