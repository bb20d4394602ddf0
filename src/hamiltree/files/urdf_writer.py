"""Models as URDF, as far as URDF can hold them.

A link's frame is the frame of its joint: a body whose `on_child` is not the identity is written in
that frame, so that every point of the robot is where it was and only the frames of links differ.
The ground is the root link "world", unless one body is welded to it without an offset, which then
is the root. What URDF cannot hold is refused by name, or left out and listed if `drop` says so.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from hamiltree.errors import FileError, ModelError, OptionError, spell_option, suggest
from hamiltree.files.safe_write import check_absent, write_text
from hamiltree.files.urdf_limits import limit_line
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.couplings import Coupling
from hamiltree.model.elements import JointLimit
from hamiltree.model.forces import Force
from hamiltree.model.joints import Free, Joint, OneAxis, Planar, Prismatic, Revolute, Weld
from hamiltree.model.limits import NO_LIMITS, Limits
from hamiltree.model.model import GRAVITY, Model
from hamiltree.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from hamiltree.model.topology import spanning_tree
from hamiltree.model.values import IDENTITY, Frame, scale

TYPES: dict[type[Joint], str] = {
    Revolute: "continuous",
    Prismatic: "prismatic",
    Weld: "fixed",
    Free: "floating",
    Planar: "planar",
}
DROPPABLE = ("forces", "couplings", "constraints", "start", "armature", "limits", "particles")
# characters that XML cannot hold
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


def write_urdf(
    model: Model, path: str | os.PathLike[str], force: bool = False, drop: Any = ()
) -> tuple[str, ...]:
    """Write the model as URDF, whole or not at all; returns a line for each thing left out."""
    check_absent(path, force)
    text, dropped = urdf_text(model, drop, os.path.dirname(os.path.realpath(path)))
    write_text(path, text, force)
    return dropped


def urdf_text(
    model: Model, drop: Any = (), folder: str | None = None
) -> tuple[str, tuple[str, ...]]:
    """The text, and a line for each thing left out.

    drop: "forces", "couplings", "constraints", "start", "armature", "limits", "particles", "all".
    Meshes are named relative to `folder`.
    """
    writing = UrdfWriter(model, parse_drop(drop), folder)
    return writing.text(), tuple(writing.dropped)


def parse_drop(drop: Any) -> frozenset[str]:
    """The kinds of things that may be left out."""
    given = ("all",) if drop is True else (drop,) if isinstance(drop, str) else tuple(drop or ())
    names = DROPPABLE if "all" in given else given
    for name in names:
        if name not in DROPPABLE:
            raise OptionError(
                f"drop = {name!r} is nothing that a URDF file could leave out; "
                f"{suggest(name, (*DROPPABLE, 'all'))}"
            )
    return frozenset(names)


@dataclass
class Edge:
    """A joint directed from the ground outward: `inner` is the parent of `outer`."""

    joint: Joint
    inner: str
    outer: str
    on_inner: Frame
    on_outer: Frame
    sign: float  # -1 where the joint is declared the other way round
    damping: float = 0.0
    friction: float = 0.0
    limits: Limits = NO_LIMITS
    mimic: Any = None


@dataclass
class UrdfWriter:
    """Writes one model."""

    model: Model
    drop: frozenset[str]
    folder: str | None
    dropped: list[str] = field(default_factory=list)
    noted: list[str] = field(default_factory=list)  # numbers that stand in comments

    def text(self) -> str:
        """The whole file: forces and couplings go into their joints, then links, then joints."""
        edges = {edge.joint.name: edge for edge in self.edges()}
        self.attach_all(edges)
        root, grounded = self.root(edges)
        lines = [
            '<?xml version="1.0" encoding="utf-8"?>',
            f"<robot name={attribute(self.model.name, 'model')}>",
            *self.notes(),
        ]
        lines += [f"  <link name={attribute(root, 'link')}/>"] if grounded else []
        frames = {edge.outer: edge.on_outer for edge in edges.values()}
        frames |= {root: IDENTITY, GROUND: IDENTITY}
        for body in self.model.bodies:
            lines += self.link(body, frames[body.name])
            lines += self.frames(body, frames[body.name])
        for edge in edges.values():
            if edge.inner != GROUND or grounded:
                parent = root if edge.inner == GROUND else edge.inner
                lines += self.joint(edge, parent, frames[edge.inner])
        return "\n".join([*lines, "</robot>"]) + "\n"

    def attach_all(self, edges: dict[str, Edge]) -> None:
        """Put forces and couplings into their joints; leave out or refuse what URDF cannot hold."""
        for position, force in enumerate(self.model.forces):
            self.attach_force(force, force.describe(position), edges)
        for coupling in self.model.couplings:
            self.attach_coupling(coupling, edges)
        for position, constraint in enumerate(self.model.constraints):
            self.leave_out("constraints", constraint.describe(position), constraint.part)
        for edge in edges.values():
            self.check_joint(edge.joint)

    def notes(self) -> list[str]:
        """Comments on numbers that URDF has no place for."""
        if self.model.gravity != GRAVITY:
            self.noted.append(f"gravity of the model: {numbers(self.model.gravity)} m/s²")
        for name, value in self.model.times.items():
            self.noted.append(f"{name} of a run: {value:g} s")
        return [
            f"  <!-- {note.replace('--', '- -')}; URDF has no place for it -->"
            for note in self.noted
        ]

    # ---- what URDF cannot hold -------------------------------------------------------------------
    def leave_out(self, kind: str, what: str, part: tuple[str, str]) -> None:
        if kind not in self.drop:
            raise ModelError(
                f"{what}, which URDF cannot hold; leave it out with {spell_option('drop', kind)}",
                part,
            )
        self.dropped.append(what)

    def check_joint(self, joint: Joint) -> None:
        """Leave out, or refuse, an armature, limits and a start that is not the default."""
        part = ("joint", joint.name)
        label = f"joint {joint.name!r}"
        if any(joint.armatures()):
            self.leave_out("armature", f"{label} has an armature", part)
        if not isinstance(joint, OneAxis) and set(joint.axis_limits()) - {NO_LIMITS}:
            self.leave_out("limits", f"{label} has limits of several axes", part)
        elif isinstance(joint, OneAxis):
            for name in ("velocity", "effort"):
                if getattr(joint.limits, name) == 0.0:
                    self.leave_out("limits", f"{label} has a largest {name} of zero", part)
        usual = type(joint)(joint.name, joint.parent, joint.child).start()
        if joint.start() != usual:
            q, qdot = joint.start()
            self.leave_out("start", f"{label} starts at q = {q}, qdot = {qdot}", part)

    def attach_force(self, force: Force, label: str, edges: dict[str, Edge]) -> None:
        """Put a damper, a friction or a limit into its joint; any other force is left out or
        refused.
        """
        edge = edges.get(getattr(force, "joint", ""))
        if edge is not None and isinstance(edge.joint, OneAxis):
            if force.kind == "joint_damper":
                edge.damping += force.damping  # type: ignore[attr-defined]
                return
            if force.kind == "joint_friction" and survives_round_trip(force):
                edge.friction += force.coulomb  # type: ignore[attr-defined]
                return
            if isinstance(force, JointLimit) and can_hold_bounds(edge.limits, force):
                lower = -math.inf if force.lower is None else force.lower
                upper = math.inf if force.upper is None else force.upper
                edge.limits = replace(edge.limits, lower=lower, upper=upper)
                self.noted.append(f"{label} has the stiffness {force.stiffness!r}")
                self.dropped.append(
                    f"{label}: its bounds are written, its stiffness and damping are not"
                )
                return
        self.leave_out("forces", f"{label} acts", force.part)

    def attach_coupling(self, coupling: Coupling, edges: dict[str, Edge]) -> None:
        """Make the joint of a coupling a mimic joint; between joints of several axes it is left out
        or refused.
        """
        follower = edges.get(coupling.joint)
        ends = (follower, edges.get(coupling.of))
        if follower and all(end and isinstance(end.joint, OneAxis) for end in ends):
            follower.mimic = coupling.follower()
            return
        kind, name = coupling.part
        what = f"{kind} {name!r} is of joints of several axes"
        self.leave_out("couplings", what, coupling.part)

    # ---- the tree --------------------------------------------------------------------------------
    def edges(self) -> Iterator[Edge]:
        """All joints, directed from the ground outward; a loop is refused."""
        tree = spanning_tree(self.model)
        if len(tree.closing):
            name = self.model.joints[int(tree.closing[0])].name
            raise ModelError(
                f"joint {name!r} closes a loop; URDF describes trees only, remove it",
                ("joint", name),
            )
        is_reversed = dict(zip(map(int, tree.joint), map(bool, tree.reversed), strict=True))
        for position, joint in enumerate(self.model.joints):
            yield self.edge(joint, is_reversed[position])

    def edge(self, joint: Joint, is_reversed: bool) -> Edge:
        """A joint directed outward; one that URDF does not have, or that cannot be reversed, is
        refused.
        """
        part = ("joint", joint.name)
        label = f"joint {joint.name!r}"
        if type(joint) not in TYPES:
            raise ModelError(
                f"{label}: URDF has no {joint.kind} joint; it has revolute, prismatic, free, "
                "planar and weld",
                part,
            )
        if is_reversed and not isinstance(joint, (OneAxis, Weld)):
            raise ModelError(
                f"{label}: its child {joint.child!r} is on the ground's side, and a {joint.kind} "
                "joint cannot be reversed",
                part,
            )
        limits = joint.limits if isinstance(joint, OneAxis) else NO_LIMITS
        if is_reversed:
            ends = (joint.child, joint.parent, joint.on_child, joint.on_parent, -1.0)
            return Edge(joint, *ends, limits=limits)
        ends = (joint.parent, joint.child, joint.on_parent, joint.on_child, 1.0)
        return Edge(joint, *ends, limits=limits)

    def root(self, edges: dict[str, Edge]) -> tuple[str, bool]:
        """The root link, and whether it stands for the ground."""
        base = [edge for edge in edges.values() if edge.inner == GROUND]
        if len(base) == 1 and is_plain_weld(base[0]):
            return base[0].outer, False
        name = "world"
        taken = {body.name for body in self.model.bodies}
        while name in taken:
            name += "_"
        return name, True

    # ---- elements --------------------------------------------------------------------------------
    def link(self, body: Body, frame: Frame) -> list[str]:
        """The lines of a body in `frame`, that of its joint."""
        name = attribute(body.name, f"body {body.name!r}")
        seen = frame.inverse()
        lines = self.inertial(body, seen)
        if body.particles is not None:
            self.leave_out("particles", f"body {body.name!r} has particles", ("body", body.name))
        for shape in body.visuals:
            for piece in split_capsule(shape):
                lines += self.visual(piece, seen @ piece.frame)
        if not lines:
            return [f"  <link name={name}/>"]
        return [f"  <link name={name}>", *lines, "  </link>"]

    def frames(self, body: Body, frame: Frame) -> list[str]:
        """The frames of a body, each a link without mass on a fixed joint."""
        lines = []
        taken = {joint.name for joint in self.model.joints}
        for name, place in body.frames.items():
            link = attribute(name, f"frame {name!r}")
            joint = f"{name}_fixed"
            while joint in taken:
                joint += "_"
            taken.add(joint)
            lines += [
                f"  <link name={link}/>",
                f'  <joint name={attribute(joint, name)} type="fixed">',
                f"    {origin(frame.inverse() @ place)}",
                f"    <parent link={attribute(body.name, name)}/>",
                f"    <child link={link}/>",
                "  </joint>",
            ]
        return lines

    def inertial(self, body: Body, seen: Frame) -> list[str]:
        """Mass, centre of mass and inertia; nothing for a body without mass."""
        if body.mass == 0.0:
            return []
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = body.inertia
        keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        entries = zip(keys, (xx, xy, xz, yy, yz, zz), strict=True)
        tensor = " ".join(f'{key}="{value!r}"' for key, value in entries)
        return [
            "    <inertial>",
            f"      {origin(seen @ Frame(body.com))}",
            f'      <mass value="{body.mass!r}"/>',
            f"      <inertia {tensor}/>",
            "    </inertial>",
        ]

    def visual(self, shape: Shape, frame: Frame) -> list[str]:
        """A shape with its colour, if it has one."""
        lines = [
            "    <visual>",
            f"      {origin(frame)}",
            f"      <geometry><{self.geometry(shape)}/></geometry>",
        ]
        if shape.color is not None:
            red, green, blue = (int(shape.color[k : k + 2], 16) / 255 for k in (1, 3, 5))
            color = f'<color rgba="{red!r} {green!r} {blue!r} 1"/>'
            lines.append(f'      <material name="{shape.color}">{color}</material>')
        return [*lines, "    </visual>"]

    def geometry(self, shape: Shape) -> str:
        """The element of a shape, without its brackets."""
        if isinstance(shape, Box):
            return f'box size="{numbers(shape.size)}"'
        if isinstance(shape, Sphere):
            return f'sphere radius="{shape.radius!r}"'
        if isinstance(shape, Cylinder):
            return f'cylinder radius="{shape.radius!r}" length="{shape.length!r}"'
        if isinstance(shape, Mesh):
            return (
                f"mesh filename={attribute(self.mesh_path(shape.filename), 'mesh')} "
                f'scale="{numbers(shape.scale)}"'
            )
        raise FileError(f"shape {shape.kind!r}: URDF has no such shape; remove it from the visuals")

    def mesh_path(self, filename: str) -> str:
        """A relative path if the mesh is in the file's folder, else a file:// address."""
        if not os.path.isabs(filename):
            return filename
        if self.folder is not None and Path(filename).is_relative_to(self.folder):
            return os.path.relpath(filename, self.folder)
        return f"file://{filename}"

    def joint(self, edge: Edge, parent: str, frame: Frame) -> list[str]:
        """The lines of a joint; `frame` is that of the parent link."""
        joint = edge.joint
        label = f"joint {joint.name!r}"
        is_bounded = isinstance(joint, Revolute) and edge.limits.bounds_position
        kind = "revolute" if is_bounded else TYPES[type(joint)]
        lines = [
            f'  <joint name={attribute(joint.name, label)} type="{kind}">',
            f"    {origin(frame.inverse() @ edge.on_inner)}",
            f"    <parent link={attribute(parent, label)}/>",
            f"    <child link={attribute(edge.outer, label)}/>",
        ]
        if isinstance(joint, (OneAxis, Planar)):
            lines.append(f'    <axis xyz="{numbers(scale(edge.sign, joint.axis))}"/>')
        return [*lines, *motion_lines(edge, kind), "  </joint>"]


def is_plain_weld(edge: Edge) -> bool:
    return isinstance(edge.joint, Weld) and edge.on_inner == edge.on_outer == IDENTITY


def motion_lines(edge: Edge, kind: str) -> list[str]:
    """The elements <dynamics>, <limit> and <mimic> of a joint."""
    lines = []
    if edge.damping or edge.friction:
        lines.append(f'    <dynamics damping="{edge.damping!r}" friction="{edge.friction!r}"/>')
    lines += limit_line(edge.limits, kind)
    if edge.mimic is not None:
        leader, ratio, offset = edge.mimic
        lines.append(
            f'    <mimic joint={attribute(leader, "joint")} multiplier="{ratio!r}" '
            f'offset="{offset!r}"/>'
        )
    return lines


def can_hold_bounds(limits: Limits, stop: JointLimit) -> bool:
    """Whether the bounds of a stop can be written: there are no others."""
    own = (limits.lower, limits.upper)
    given = (
        -math.inf if stop.lower is None else stop.lower,
        math.inf if stop.upper is None else stop.upper,
    )
    return not limits.bounds_position or own == given


def survives_round_trip(friction: Force) -> bool:
    """Whether only the strength of a friction is not the default; URDF holds nothing else."""
    return all(
        f.default == getattr(friction, f.name)
        for f in fields(friction)
        if f.name not in ("joint", "coulomb", "name")
    )


def split_capsule(shape: Shape) -> Iterable[Shape]:
    """A capsule as a cylinder and two balls, which every reader knows; other shapes as they are."""
    if not isinstance(shape, Capsule):
        return [shape]
    ends = [Frame((0.0, 0.0, side * shape.length / 2)) for side in (-1, 1)]
    balls = [Sphere(shape.radius, frame=shape.frame @ end, color=shape.color) for end in ends]
    return [Cylinder(shape.radius, shape.length, frame=shape.frame, color=shape.color), *balls]


def origin(frame: Frame) -> str:
    return f'<origin xyz="{numbers(frame.position)}" rpy="{numbers(rpy(frame))}"/>'


def rpy(frame: Frame) -> tuple[float, float, float]:
    """Roll, pitch, yaw of R = Rz Ry Rx; yaw first, then roll of Rzᵀ R, which keeps all digits where
    pitch is a right angle.
    """
    R = frame.matrix
    yaw = math.atan2(R[1, 0], R[0, 0])
    c = math.cos(yaw)
    s = math.sin(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw


def numbers(values: Iterable[float]) -> str:
    return " ".join(repr(float(np.float64(x) + 0.0)) for x in values)


def attribute(value: str, label: str) -> str:
    """A quoted attribute that reads back as it is."""
    if FORBIDDEN.search(value):
        raise ModelError(f"{label}: {value!r} holds a character that XML cannot; rename it")
    return quoteattr(value, {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
