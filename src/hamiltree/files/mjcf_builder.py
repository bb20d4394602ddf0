"""The parts of a Model, made of an MJCF file that mujoco has compiled.

pose(body) = pose(parent) · (pos, quat) · exp(s₁ q₁) exp(s₂ q₂) …, q = qpos − ref on hinges and
slides, a quaternion last for a ball; the order of q and of qdot is that of qpos and qvel.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.files.mjcf_actuators import active_actuators, is_plain, make_actuator
from hamiltree.files.mjcf_compiled import CompiledModel
from hamiltree.files.mjcf_equality import (
    EqualityReader,
    JointLaw,
    joint_laws,
    warn_of_moved_starts,
    warn_of_redundant,
)
from hamiltree.model import (
    GROUND,
    Axes,
    Ball,
    Body,
    Box,
    Capsule,
    Constraint,
    Cylinder,
    Force,
    Frame,
    Free,
    Joint,
    JointDamper,
    JointSpring,
    Limits,
    Mimic,
    Model,
    Prismatic,
    Revolute,
    Shape,
    Sphere,
    Torsion,
    Weld,
)
from hamiltree.model.frames import NamedFrames
from hamiltree.model.values import IDENTITY, ORIGIN

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
SAME_FRAME, SAME_AXES = 1, 3  # mjtSameFrame: of the inertia and of the body
# mjtGeom
SPHERE = 2
CAPSULE = 3
CYLINDER = 5
BOX = 6
DEFAULT_RGBA = [0.5, 0.5, 0.5, 1.0]  # of a geom that leaves its colour to the material
DEFAULT_NAME = "MuJoCo Model"


def start_of(
    found: CompiledModel, keyframe: str | int | None, source: str
) -> tuple[list[float], list[float]]:
    """(qpos, qvel) of qpos0 at rest, or of a keyframe."""
    mj = found.mj
    if keyframe is None:
        return mj.qpos0.tolist(), [0.0] * mj.nv
    names = {found.name("key", k): k for k in range(mj.nkey) if found.name("key", k)}
    known: dict[str | int, int] = {**names, **{k: k for k in range(mj.nkey)}}
    if keyframe not in known:
        raise OptionError(
            f"{source}: keyframe {keyframe!r} is not there; {suggest(keyframe, map(str, known))}"
        )
    return mj.key_qpos[known[keyframe]].tolist(), mj.key_qvel[known[keyframe]].tolist()


class ModelBuilder:
    """The parts of a Model, made body by body; parents come before their children in an MjModel,
    and coordinates follow the bodies.
    """

    def __init__(
        self,
        found: CompiledModel,
        qpos: list[float],
        qvel: list[float],
        dropped: Collection[str] = (),
    ) -> None:
        """Names of all bodies and joints are chosen here, before any part is made."""
        self.dropped = dropped
        self.found = found
        self.mj = found.mj
        self.qpos = qpos
        self.qvel = qvel
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        bodies = [found.name("body", k) for k in range(1, self.mj.nbody)]
        joints = [found.name("joint", k) for k in range(self.mj.njnt)]
        self.body_names = _unique_names(bodies, "body", {GROUND})
        self.joint_names = _unique_names(joints, "joint", set(), start=0)
        self.taken = {GROUND, *self.body_names}
        self.joints_taken = set(self.joint_names)
        self.coordinates: dict[int, str] = {}  # of hinges and slides
        self.laws: dict[int, JointLaw] = {}  # of joints that others, or constants, determine
        if "equality" not in dropped:
            self.laws = joint_laws(found).laws

    def model(self, source: str) -> Model:
        """The whole model; without a title it is named after the file."""
        for body in range(1, self.mj.nbody):
            self.add_body(body)
        couplings, constraints = self.add_equalities(source)
        self.add_actuators()
        title = self.mj.names[: self.mj.names.index(b"\0")].decode()
        name = Path(source).stem if title in ("", DEFAULT_NAME) else title
        gravity = ORIGIN if self.found.is_off("GRAVITY") else self.mj.opt.gravity.tolist()
        return Model(self.bodies, self.joints, self.forces, gravity, name, couplings, constraints)

    def add_equalities(self, source: str) -> tuple[list[Mimic], list[Constraint]]:
        """Add the joints that close loops; couplings and constraints are returned."""
        if "equality" in self.dropped:
            return [], []
        warn_of_redundant(self.found, joint_laws(self.found).redundant, source)
        warn_of_moved_starts(self.laws, self.joint_names, self.given_angle, source)
        reader = EqualityReader(self.found, self.name_of_body)
        self.joints += reader.welds(lambda name: _unused_name(name, self.joints_taken), source)
        taken = {reader.name(k) for k in range(self.mj.neq)}
        points = reader.points(lambda name: _unused_name(name, taken))
        couplings = reader.couplings(self.laws, self.coordinates)
        return couplings, points + reader.holds(self.laws, self.coordinates)

    def add_actuators(self) -> None:
        """Add the plain actuators as inputs; others are refused before, unless they are dropped."""
        taken: set[str] = set()
        for k in active_actuators(self.found) if "actuators" not in self.dropped else ():
            if is_plain(self.found, k):
                name = _unused_name(self.found.name("actuator", k) or f"actuator{k}", taken)
                coordinate = self.coordinates[int(self.mj.actuator_trnid[k, 0])]
                self.forces.append(make_actuator(self.found, k, coordinate, name))

    def name_of_body(self, body: int) -> str:
        return self.body_names[body - 1] if body else GROUND

    def add_body(self, body: int) -> None:
        """Add the joints of a body, with massless bodies between those that cannot be one joint
        here, then the body.
        """
        name = self.name_of_body(body)
        parent = self.name_of_body(self.mj.body_parentid[body])
        base = self.frame("body", body)
        first = self.mj.body_jntadr[body]
        groups = _groups(range(first, first + self.mj.body_jntnum[body]), self.mj.jnt_type)
        for group in groups[:-1]:
            carrier = _unused_name(f"{name}_carrier", self.taken)
            self.bodies.append(Body(carrier))
            self.add_joint(group, parent, carrier, base)
            parent, base = carrier, IDENTITY
        if groups:
            self.add_joint(groups[-1], parent, name, base)
        else:
            weld = _unused_name(f"{name}_weld", self.joints_taken)
            self.joints.append(Weld(weld, parent, name, base))
        self.bodies.append(self.make_body(body))

    def make_body(self, body: int) -> Body:
        """Inertia about the centre of mass in body axes: R diag Rᵀ with R of iquat."""
        mj = self.mj
        place = self.inertial_frame(body)
        R = place.matrix
        inertia = (R * mj.body_inertia[body]) @ R.T
        geoms = range(mj.body_geomadr[body], mj.body_geomadr[body] + mj.body_geomnum[body])
        looks = tuple(shape for shape in map(self.shape, geoms) if shape is not None)
        return Body(
            self.name_of_body(body),
            float(mj.body_mass[body]),
            place.position,
            (0.5 * (inertia + inertia.T)).tolist(),
            looks,
            frames=NamedFrames(self.sites(body)),
        )

    def sites(self, body: int) -> dict[str, Frame]:
        """The sites of a body that have a name, as frames; NAME_site where a body has that name."""
        sites = [k for k in range(self.mj.nsite) if self.mj.site_bodyid[k] == body]
        names = {k: self.found.name("site", k) for k in sites}
        return {
            _unused_name(f"{name}_site" if name in self.taken else name, self.taken): self.frame(
                "site", k
            )
            for k, name in names.items()
            if name
        }

    def inertial_frame(self, body: int) -> Frame:
        """The frame of the inertia in the body. Where MuJoCo flags it as the body's own frame it is
        exactly that, although a mesh in single precision may be 1e-9 off.
        """
        same = int(self.mj.body_sameframe[body])
        position = ORIGIN if same == SAME_FRAME else self.mj.body_ipos[body].tolist()
        if same in (SAME_FRAME, SAME_AXES):
            return Frame(position)
        return Frame(position, self.mj.body_iquat[body].tolist())

    def shape(self, geom: int) -> Shape | None:
        """None for what is not drawn: planes, height fields, ellipsoids, meshes, and the wholly
        transparent.
        """
        mj = self.mj
        a, b, c = mj.geom_size[geom].tolist()
        rgba = mj.geom_rgba[geom]
        if mj.geom_matid[geom] >= 0 and np.allclose(rgba, DEFAULT_RGBA):
            rgba = mj.mat_rgba[mj.geom_matid[geom]]
        color = "#" + "".join(f"{round(255 * min(max(float(x), 0.0), 1.0)):02x}" for x in rgba[:3])
        make = {
            SPHERE: lambda **looks: Sphere(a, **looks),
            CAPSULE: lambda **looks: Capsule(a, 2 * b, **looks),
            CYLINDER: lambda **looks: Cylinder(a, 2 * b, **looks),
            BOX: lambda **looks: Box((2 * a, 2 * b, 2 * c), **looks),
        }.get(int(mj.geom_type[geom]))
        return make(frame=self.frame("geom", geom), color=color) if make and rgba[3] > 0 else None

    def frame(self, kind: str, index: int) -> Frame:
        """The pose of a body in its parent at qpos0, or of a geom in its body."""
        return Frame(
            getattr(self.mj, f"{kind}_pos")[index].tolist(),
            getattr(self.mj, f"{kind}_quat")[index].tolist(),
        )

    def add_joint(self, group: list[int], parent: str, child: str, base: Frame) -> None:
        """Add one joint for a group: a ball, a free joint, one axis, or several axes."""
        kind = int(self.mj.jnt_type[group[0]])
        if kind in (FREE, BALL):
            self.add_ball_or_free_joint(group[0], parent, child, base)
        elif len(group) == 1:
            self.add_axis(group[0], parent, child, base)
        else:
            self.add_axes(group, parent, child, base)

    def add_ball_or_free_joint(self, joint: int, parent: str, child: str, base: Frame) -> None:
        """A free joint's qpos is its place in the world, so its frames are the world's and the
        body's.
        """
        name = self.joint_names[joint]
        if self.mj.jnt_type[joint] == FREE:
            made = Free(name, parent, child, q=self.qpos_of(joint, 7), qdot=self.qvel_of(joint, 6))
        else:
            at = Frame(self.mj.jnt_pos[joint].tolist())
            start = {"q": self.qpos_of(joint, 4), "qdot": self.qvel_of(joint, 3)}
            made = Ball(name, parent, child, base @ at, at, **start)
        self.joints.append(made)
        self.add_rotational_spring(joint, made)
        self.add_damper(joint, name)

    def add_rotational_spring(self, joint: int, made: Joint) -> None:
        """Springs of a free joint along x, y and z, and of any ball about all axes: torque −k θ n,
        θ n the rotation from the rest attitude of the spring.
        """
        stiffness = self.stiffness(joint)
        if not stiffness:
            return
        rest = self.mj.qpos_spring[self.mj.jnt_qposadr[joint] :][: made.coordinates].tolist()
        self.forces += [
            JointSpring(f"{made.name}.{axis}", stiffness, x)
            for axis, x in zip("xyz", rest[:-4], strict=False)
        ]
        attitude = (made.on_parent @ Frame(rotation=rest[-4:])).rotation
        self.forces.append(Torsion(made.parent, made.child, stiffness=stiffness, rest=attitude))

    def add_axis(self, joint: int, parent: str, child: str, base: Frame) -> None:
        """Add a hinge or a slider with its spring and damper."""
        make = Prismatic
        at = IDENTITY
        if self.mj.jnt_type[joint] == HINGE:
            make = Revolute
            at = Frame(self.mj.jnt_pos[joint].tolist())
        name = self.joint_names[joint]
        x, y, z = self.mj.jnt_axis[joint].tolist()
        numbers = (self.angle(joint), self.rate(joint), self.armature(joint))
        limits = self.limits(joint)
        made = make(name, parent, child, base @ at, at, (x, y, z), *numbers, limits=limits)
        self.joints.append(made)
        self.coordinates[joint] = name
        self.add_spring_and_damper(joint, name)

    def add_axes(self, group: list[int], parent: str, child: str, base: Frame) -> None:
        """Add several axes as one joint, named after all of them; its coordinates are name.1,
        name.2, …
        """
        name = _unused_name("_".join(self.joint_names[joint] for joint in group), self.joints_taken)
        joint_of_axes = Axes(
            name,
            parent,
            child,
            base,
            axes=tuple(map(self.motion, group)),
            q=tuple(map(self.angle, group)),
            qdot=tuple(map(self.rate, group)),
            armature=tuple(map(self.armature, group)),
            limits=tuple(map(self.limits, group)),
        )
        self.joints.append(joint_of_axes)
        for k, joint in enumerate(group):
            self.coordinates[joint] = f"{name}.{k + 1}"
            self.add_spring_and_damper(joint, self.coordinates[joint])

    def motion(self, joint: int) -> tuple[Any, ...]:
        axis = self.mj.jnt_axis[joint].tolist()
        return (
            ("turn", axis, self.mj.jnt_pos[joint].tolist())
            if self.mj.jnt_type[joint] == HINGE
            else ("slide", axis)
        )

    def qpos_of(self, joint: int, count: int) -> tuple[float, ...]:
        at = self.mj.jnt_qposadr[joint]
        return tuple(self.qpos[at : at + count])

    def qvel_of(self, joint: int, count: int) -> tuple[float, ...]:
        at = self.mj.jnt_dofadr[joint]
        return tuple(self.qvel[at : at + count])

    def angle(self, joint: int) -> float:
        """Where a joint starts; one that follows another has no start of its own."""
        law = self.laws.get(joint)
        if law is None:
            return self.given_angle(joint)
        return 0.0 if law.leader is not None else law.offset

    def given_angle(self, joint: int) -> float:
        """q = qpos − ref: zero where the file draws the model."""
        at = self.mj.jnt_qposadr[joint]
        return float(self.qpos[at] - self.mj.qpos0[at])

    def rate(self, joint: int) -> float:
        return 0.0 if joint in self.laws else self.qvel[self.mj.jnt_dofadr[joint]]

    def armature(self, joint: int) -> float:
        return float(self.mj.dof_armature[self.mj.jnt_dofadr[joint]])

    def limits(self, joint: int) -> Limits:
        """The range of qpos, less ref, and the largest effort of its actuators; MuJoCo says no
        largest velocity.
        """
        mj = self.mj
        lower, upper, effort = -math.inf, math.inf, math.inf
        if mj.jnt_limited[joint] and "limits" not in self.dropped:
            ref = mj.qpos0[mj.jnt_qposadr[joint]]
            lower, upper = (mj.jnt_range[joint] - ref).tolist()
        if mj.jnt_actfrclimited[joint] and "limits" not in self.dropped:
            effort = float(abs(mj.jnt_actfrcrange[joint]).max())
        return Limits(lower, upper, effort=effort)

    def stiffness(self, joint: int) -> float:
        return (
            0.0 if self.found.is_off("SPRING", "PASSIVE") else float(self.mj.jnt_stiffness[joint])
        )

    def add_spring_and_damper(self, joint: int, coordinate: str) -> None:
        """Add the linear spring and damper of one coordinate, if it has any."""
        stiffness = self.stiffness(joint)
        if stiffness:
            at = self.mj.jnt_qposadr[joint]
            rest = float(self.mj.qpos_spring[at] - self.mj.qpos0[at])
            self.forces.append(JointSpring(coordinate, stiffness, rest))
        self.add_damper(joint, coordinate)

    def add_damper(self, joint: int, target: str) -> None:
        # one number per joint, however many coordinates it has
        damping = float(self.mj.dof_damping[self.mj.jnt_dofadr[joint]])
        if damping > 0.0 and not self.found.is_off("DAMPER", "PASSIVE"):
            self.forces.append(JointDamper(target, damping))


def _groups(joints: Iterable[int], kinds: Any) -> list[list[int]]:
    """Neighbouring axes together, each ball by itself."""
    groups: list[list[int]] = []
    for joint in joints:
        is_axis = kinds[joint] in (SLIDE, HINGE)
        if groups and is_axis and kinds[groups[-1][0]] in (SLIDE, HINGE):
            groups[-1].append(joint)
        else:
            groups.append([joint])
    return groups


def _unique_names(names: list[str], kind: str, forbidden: set[str], start: int = 1) -> list[str]:
    """The file's names where there are any; other parts are numbered."""
    taken = forbidden | set(names)
    unique = []
    for number, name in enumerate(names, start):
        if not name or name in forbidden:
            name = _unused_name(f"{name}_{kind}" if name else f"{kind}{number}", taken)
        unique.append(name)
    return unique


def _unused_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or wanted_2, wanted_3 … if that is taken; it is added to `taken`."""
    name = wanted
    count = 2
    while name in taken:
        name = f"{wanted}_{count}"
        count += 1
    taken.add(name)
    return name
