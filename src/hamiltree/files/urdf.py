"""Robots described in URDF (http://wiki.ros.org/urdf/XML) as models.

A link is a body, its frame the body's frame. A joint's frame is at `origin` in the parent and is
the child's frame at q = 0; its axis is given in that frame:
pose(child) = pose(parent) · origin · motion(q). Skipped, because they do not change the motion:
collision, calibration and safety_controller of a link or a joint; transmission, gazebo, sensor,
ros2_control and every other element of an extension. A misspelt or misplaced element of URDF itself
is refused, because leaving it out would change the motion. Every error starts with "file:line: ".
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, PartError, spell_option, suggest
from hamiltree.files.meshes import MeshFolders, ModelWarning
from hamiltree.files.urdf_elements import ATTRIBUTES, ElementReader, first, walk
from hamiltree.files.urdf_inertia import (
    clear_rounding,
    describe_remedy,
    is_physical_merged,
    repair,
    size_of,
)
from hamiltree.files.urdf_limits import read_limits
from hamiltree.files.urdf_links import LinkReader
from hamiltree.files.urdf_options import ReaderOptions
from hamiltree.files.urdf_tree import (
    Connection,
    Link,
    combine_links,
    find_root_link,
    merge_fixed_links,
    merged_frames,
    transform_shape,
)
from hamiltree.files.xml_text import Element, quote, read_xml
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.couplings import Mimic
from hamiltree.model.elements import JointFriction, JointLimit
from hamiltree.model.forces import Force, JointDamper
from hamiltree.model.joints import Ball, Free, Joint, Planar, Prismatic, Revolute, Weld
from hamiltree.model.model import GRAVITY, Model
from hamiltree.model.values import Vector

JOINT_TYPES: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "fixed": Weld,
    "floating": Free,
    "planar": Planar,
    "spherical": Ball,
}
PARTS = {"link": "body", "joint": "joint"}  # what a model calls them
WITH_AXIS = ("revolute", "continuous", "prismatic", "planar")
ONE_AXIS = ("revolute", "continuous", "prismatic")
DEFAULT_AXIS = (1.0, 0.0, 0.0)


def read_urdf(
    path: str | os.PathLike[str],
    *,
    floating_base: bool = False,
    merge_fixed: bool = False,
    mimic: str = "follow",
    dynamics: str = "keep",
    limits: str = "keep",
    limit_stiffness: float | None = None,
    inertia: str = "check",
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    gravity: Vector = GRAVITY,
) -> Model:
    """The robot of a URDF file.

    floating_base: the root link moves freely (a Free joint "root") instead of being welded to the
    ground.
    merge_fixed: links connected by fixed joints become one body, named after the link nearest to
    the root.
    mimic: "follow" keeps mimic joints as couplings, "ignore" makes them coordinates of their own.
    dynamics: "keep" makes damping a JointDamper and friction a JointFriction, "drop" leaves both
    out.
    limits: "keep" makes them data of the joints (Limits), "spring" also a JointLimit of
    `limit_stiffness` (N m/rad or N/m), because URDF has no stiffness; "drop" leaves them out.
    inertia: "check" refuses an inertia that no mass distribution has; "repair" takes the nearest
    one that some has, and warns.
    packages: folders of ROS packages with meshes that are not found near the file.
    """
    choices = ReaderOptions(
        floating_base, merge_fixed, mimic, dynamics, limits, limit_stiffness, inertia
    )
    reader = UrdfReader(os.fspath(path), choices, MeshFolders(path, packages))
    return reader.model(read_xml(path), gravity)


def merged_links(path: str | os.PathLike[str]) -> dict[str, tuple[str, ...]]:
    """Which links each body consists of when a file is read with merge_fixed=True."""
    reading = UrdfReader(os.fspath(path), ReaderOptions(merge_fixed=True), MeshFolders(path))
    reading.take(read_xml(path))
    reading.tree()
    return {top: tuple(link.name for link in links) for top, links in reading.members.items()}


def urdf_located(error: PartError, path: str | os.PathLike[str]) -> str:
    """The message of an error about a part that came up after reading, with "file:line: " in
    front.
    """
    kind, name = error.part or ("", "")
    named = [
        element
        for element in read_xml(path).all({"body": "link"}.get(kind, kind))
        if element.attributes.get("name") == name
    ]
    return f"{os.fspath(path)}:{named[0].line}: {error}" if named else f"{os.fspath(path)}: {error}"


class UrdfReader:
    """Reads one file and makes its model."""

    def __init__(self, source: str, choices: ReaderOptions, folders: MeshFolders) -> None:
        """Nothing is read yet: `take` reads the elements, `model` makes the parts."""
        self.source = source
        self.choices = choices
        self.words = ElementReader(source)
        self.link_reader = LinkReader(self.words, folders)
        self.links: dict[str, Link] = {}
        self.joints: dict[str, Connection] = {}
        self.members: dict[str, list[Link]] = {}  # the links of each body
        self.repaired: list[str] = []
        self.reversed_bounds: list[str] = []  # joints whose lower limit is above the upper one
        self.root: Element
        self.base: str  # the root link
        self.below: dict[str, list[Connection]]  # the joints of each link towards its children
        self.size: float  # the largest distance in the file

    # ---- the whole -------------------------------------------------------------------------------
    def model(self, root: Element, gravity: Vector) -> Model:
        """The model of a robot; a link called as the ground is renamed."""
        self.take(root)
        base = self.tree()
        self.size = size_of(self.links.values(), self.joints.values())
        rename = {}
        if GROUND in self.links:
            rename[GROUND] = self.unused_name("ground_link", self.links)
        bodies = [self.body(top, rename) for top in self.links.values() if top.top == top.name]
        read = self.joints.values()
        moving = [joint for joint in read if joint.type != "fixed"]
        kept = [self.joint(joint, rename) for joint in read if self.moves(joint)]
        made = self.make_located_model(
            bodies=bodies,
            joints=[self.base_joint(rename.get(base, base)), *kept],
            forces=[force for joint in moving for force in self.forces(joint)],
            couplings=[coupling for joint in moving for coupling in self.couplings(joint)],
            gravity=gravity,
            name=root.attributes.get("name", "").strip() or "robot",
        )
        self.warn()
        return made

    def make_located_model(self, **parts: Any) -> Model:
        """The model; what it refuses is looked up in the file."""
        try:
            return Model(**parts)
        except ModelError as error:
            kind, name = error.part or ("", "")
            if kind == "coupling" and isinstance(name, int):
                name = parts["couplings"][name - 1].joint
            known = (self.links if kind == "body" else self.joints).get(str(name))
            raise self.words.error(
                known.element if known else self.root, str(error), error.part, error.field
            ) from None

    def warn(self) -> None:
        """Warn of shapes, attributes, limits and inertias that are not as in the file."""
        packages = spell_option("packages", {"NAME": "FOLDER"})
        left_out = {
            f"outside the model's folder, left out; give its folder by {packages}": (
                self.link_reader.lost
            ),
            "it has no size, left out": self.link_reader.flat,
            "left out, because URDF does not know it": self.words.unknown,
        }
        messages = [
            f"{items[0]}{f' and {len(items) - 1} more' if len(items) > 1 else ''}: {why}"
            for why, items in left_out.items()
            if items
        ]
        if self.reversed_bounds:
            messages.append(
                f"{self.source}: the lower limit is above the upper one, both left out: "
                f"{', '.join(self.reversed_bounds)}"
            )
        if self.repaired:
            messages.append(f"{self.source}: inertia repaired of {', '.join(self.repaired)}")
        for message in messages:
            warnings.warn(message, ModelWarning, stacklevel=5)

    def take(self, root: Element) -> None:
        """Read links and joints, and check each by itself."""
        self.root = root
        self.check_root(root)
        self.words.check_words(root, "robot")
        self.link_reader.read_materials(root)
        for element in root.all("link"):
            link = self.link_reader.link(element)
            self.refuse_duplicate(self.links.get(link.name), element, "link", link.name)
            self.links[link.name] = link
        for element in root.all("joint"):
            joint = self.connection(element)
            self.refuse_duplicate(self.joints.get(joint.name), element, "joint", joint.name)
            self.joints[joint.name] = joint
        if not self.links:
            raise self.words.error(
                root,
                f"robot {quote(root.attributes.get('name', ''))} has no link; give at least one",
            )

    def check_root(self, root: Element) -> None:
        """Refuse a xacro file, and a document that is not a <robot>."""
        program = next(
            (element for element in walk(root) if element.tag.startswith("xacro:")), None
        )
        if program is not None:
            tag = quote(program.tag)[1:-1]
            raise self.words.error(
                program,
                f"<{tag}> belongs to a xacro file, a program; expand it first: xacro robot.xacro > "
                "robot.urdf",
            )
        if root.tag != "robot":
            raise self.words.error(
                root,
                f"the outermost element is <{quote(root.tag)[1:-1]}>, that of a URDF file is "
                "<robot>",
            )

    def refuse_duplicate(
        self, twin: Link | Connection | None, element: Element, kind: str, name: str
    ) -> None:
        """Raise an error if another link or joint has the same name."""
        if twin is not None:
            message = (
                f"{kind} {name!r}: the name is used twice, first in line {twin.element.line}; "
                f"give every {kind} its own"
            )
            raise self.words.error(element, message, (PARTS[kind], name), "name")

    # ---- joints ----------------------------------------------------------------------------------
    def connection(self, element: Element) -> Connection:
        """A joint between two links that exist."""
        name = self.words.word(element, "name", "joint")
        label = f"joint {name!r}"
        kind = self.words.word(element, "type", label)
        if kind not in JOINT_TYPES:
            raise self.words.error(
                element,
                f"{label}: type = {quote(kind)} is unknown; {suggest(kind, JOINT_TYPES)}",
                ("joint", name),
                "type",
            )
        parent = self.end(element, "parent", label)
        child = self.end(element, "child", label)
        axis = first(element, "axis")
        direction = DEFAULT_AXIS
        if axis is not None:
            direction = self.words.numbers(axis, "xyz", (3,), label, DEFAULT_AXIS)
        self.check_dynamics_numbers(element, label)
        origin = self.words.origin(element, label)
        return Connection(name, element, kind, parent, child, origin, direction)

    def end(self, element: Element, tag: str, label: str) -> str:
        """The link at one end of a joint."""
        at = self.words.required_child(element, tag, label)
        name = self.words.word(at, "link", label)
        if name not in self.links:
            raise self.words.error(
                at, f"{label}: {tag} {name!r} is no link; {suggest(name, self.links)}", None, tag
            )
        return name

    def check_dynamics_numbers(self, element: Element, label: str) -> None:
        """Every number that URDF knows must be one, whether it is used or not."""
        for tag in ("dynamics", "limit"):
            inner = first(element, tag)
            for key in ATTRIBUTES[tag] if inner is not None else ():
                self.words.number(inner, key, label, 0.0)  # type: ignore[arg-type]

    # ---- the tree --------------------------------------------------------------------------------
    def tree(self) -> str:
        """The root link; every link knows its body afterwards."""
        self.base, self.below = find_root_link(self.links, self.joints, self.words)
        if self.choices.merge_fixed:
            merge_fixed_links(self.links, self.below, self.base)
        for link in self.links.values():
            self.members.setdefault(link.top, []).append(link)
        return self.base

    def moves(self, joint: Connection) -> bool:
        """Whether it is a joint of the model."""
        return not (self.choices.merge_fixed and joint.type == "fixed")

    # ---- parts of the model ----------------------------------------------------------------------
    def body(self, top: Link, rename: Mapping[str, str]) -> Body:
        """The body of a link and of those that are merged into it."""
        members = self.members[top.name]
        mass, com, tensor = combine_links(members)
        visuals = tuple(
            transform_shape(shape, link.place) for link in members for shape in link.visuals
        )
        tensor = clear_rounding(tensor, mass, self.size)
        if self.choices.inertia == "repair":
            tensor = self.repair(tensor, mass, top.name)
        name = rename.get(top.name, top.name)
        try:
            return self.words.guard(
                lambda: Body(
                    *(name, mass, tuple(com.tolist()), tensor.tolist(), visuals),
                    frames=merged_frames(members),
                ),
                top.element,
            )
        except ModelError as error:
            if error.field != "inertia":
                raise
            could_merge = not self.choices.merge_fixed and is_physical_merged(
                self.links, self.below, self.base
            )
            message = f"{error}, {describe_remedy(could_merge)}"
            raise ModelError(message, error.part, error.field) from None

    def repair(self, tensor: np.ndarray, mass: float, name: str) -> np.ndarray:
        """The nearest physical inertia; what has changed is noted."""
        better = repair(tensor, mass)
        if better is not tensor:
            self.repaired.append(f"{name!r} (by {np.abs(better - tensor).max():.2g} kg m²)")
        return better

    def base_joint(self, base: str) -> Joint:
        name = self.unused_name("root", self.joints)
        return Free(name, GROUND, base) if self.choices.floating_base else Weld(name, GROUND, base)

    def unused_name(self, wanted: str, taken: Mapping[str, Any]) -> str:
        while wanted in taken:
            wanted += "_"
        return wanted

    def joint(self, joint: Connection, rename: Mapping[str, str]) -> Joint:
        """The joint of the model, between the bodies that its links belong to."""
        kind = JOINT_TYPES[joint.type]
        parent = self.links[joint.parent]
        ends = (rename.get(parent.top, parent.top), rename.get(joint.child, joint.child))
        more: dict[str, Any] = {"axis": joint.axis} if joint.type in WITH_AXIS else {}
        if joint.type in ONE_AXIS and self.choices.limits != "drop":
            label = f"joint {joint.name!r}"
            at = first(joint.element, "limit")
            more["limits"] = read_limits(at, joint.type, label, self.words, self.reversed_bounds)
        return self.words.guard(
            lambda: kind(joint.name, *ends, on_parent=parent.place @ joint.origin, **more),
            joint.element,
        )

    def forces(self, joint: Connection) -> list[Force]:
        return [*self.dynamics(joint), *self.limit(joint)]

    def dynamics(self, joint: Connection) -> list[Force]:
        """The damper and the friction of <dynamics>."""
        element = first(joint.element, "dynamics")
        if element is None or self.choices.dynamics == "drop":
            return []
        label = f"joint {joint.name!r}"
        damping = self.words.number(element, "damping", label, 0.0)
        friction = self.words.number(element, "friction", label, 0.0)
        if (damping or friction) and joint.type not in ONE_AXIS:
            raise self.words.error(
                element,
                f"{label}: <dynamics> of a {joint.type} joint is not defined; remove it, or load "
                f"with {spell_option('dynamics', 'drop')}",
            )
        for key, value in (("damping", damping), ("friction", friction)):
            if value < 0.0:
                raise self.words.error(
                    element,
                    f"{label}: {key} = {value!r} of <dynamics> is negative and would add energy; "
                    f"correct its sign, or load with {spell_option('dynamics', 'drop')}",
                    ("joint", joint.name),
                    key,
                )
        forces = []
        if damping:
            damper = self.words.guard(lambda: JointDamper(joint.name, damping), joint.element)
            forces.append(damper)
        if friction:
            forces.append(self.words.guard(lambda: JointFriction(joint.name, friction), element))
        return forces

    def limit(self, joint: Connection) -> list[Force]:
        """The springs of <limit>, if they are wanted."""
        element = first(joint.element, "limit")
        if element is None or joint.type not in ("revolute", "prismatic"):
            return []
        if self.choices.limits != "spring":
            return []
        label = f"joint {joint.name!r}"
        lower = self.words.number(element, "lower", label, 0.0)
        upper = self.words.number(element, "upper", label, 0.0)
        stiffness = self.choices.limit_stiffness
        return [
            self.words.guard(
                lambda: JointLimit(joint.name, lower, upper, stiffness=stiffness),  # type: ignore[arg-type]
                element,
            )
        ]

    def couplings(self, joint: Connection) -> list[Mimic]:
        """The coupling of <mimic>, if mimic joints follow."""
        element = first(joint.element, "mimic")
        if element is None or self.choices.mimic == "ignore" or joint.type == "fixed":
            return []
        label = f"joint {joint.name!r}"
        of = self.words.word(element, "joint", label)
        ratio = self.words.number(element, "multiplier", label, 1.0)
        offset = self.words.number(element, "offset", label, 0.0)
        if of not in self.joints:
            raise self.words.error(
                element,
                f"{label}: mimic of {of!r}, which is no joint; {suggest(of, self.joints)}; or load "
                f"with {spell_option('mimic', 'ignore')}",
                ("joint", joint.name),
                "mimic",
            )
        return [
            self.words.guard(lambda: Mimic(joint.name, of, ratio=ratio, offset=offset), element)
        ]
