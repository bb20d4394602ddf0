"""Models in MuJoCo's format, MJCF.

The package `mujoco` compiles the file; what it compiled is put into our own parts.

pose(body) = pose(parent) · (pos, quat) · exp(s₁ q₁) exp(s₂ q₂) …, q = qpos − ref on hinges and
slides, a quaternion last for a ball;
the order of q and of qdot is that of qpos and qvel. What has no part here is refused by name, or
left out by name.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path, PureWindowsPath
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import FileError, ModelError, OptionError, suggest
from hamiltree.files.xml_text import Element, quote, read_xml
from hamiltree.model import (
    GROUND,
    Axes,
    Ball,
    Body,
    Box,
    Capsule,
    Cylinder,
    Force,
    Frame,
    Free,
    Joint,
    JointDamper,
    JointSpring,
    Model,
    Prismatic,
    Revolute,
    Shape,
    Sphere,
    Torsion,
    Weld,
)
from hamiltree.model.values import IDENTITY, ORIGIN

FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint
SAME_FRAME, SAME_AXES = 1, 3  # mjtSameFrame: of the inertia and of the body
SPHERE, CAPSULE, CYLINDER, BOX = 2, 3, 5, 6  # mjtGeom
DEFAULT_RGBA = [0.5, 0.5, 0.5, 1.0]  # of a geom that leaves its colour to the material
ASSET_FOLDERS = ("assetdir", "meshdir", "texturedir")
DEFAULT_NAME = "MuJoCo Model"
BODY_BITS = 16  # a signature of two bodies: the first shifted by these, plus the second


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    drop: str | Iterable[str] = (),
    keyframe: str | int | None = None,
) -> Model:
    """The model in an MJCF file; it starts at qpos0 and at rest, or at a keyframe, by name or by
    number from 0.

    `drop` names what may be left out ("contact", "limits", … or "all"); anything else that cannot
    be kept is refused.
    """
    source, dropped = os.fspath(path), _parse_drop(drop)
    compiled = _compile(source)
    _refuse_unsupported(compiled, dropped, source)
    try:
        return _ModelBuilder(compiled, *_start(compiled, keyframe, source)).model(source)
    except ModelError as error:
        raise FileError(f"{source}: {error}") from None


# ---- which files may be read ---------------------------------------------------------------------
class _FileReference(NamedTuple):
    """An attribute that names a file or a folder, and where it stands."""

    source: str
    element: Element
    attribute: str

    @property
    def value(self) -> str:
        return self.element.attributes[self.attribute]

    def refusal(self, problem: str) -> FileError:
        what = f"<{self.element.tag} {self.attribute}={quote(self.value)}>"
        return FileError(
            f"{self.source}:{self.element.line}: {what} {problem}; keep what the model needs in "
            "its own folder"
        )


def check_files(source: str) -> int:
    """Refuse a document type, and every file or folder outside the model's own folder, named by
    whatever way: `..`, a root, a link.

    Gives the number of documents, one and those that are included.

    Every place is checked where MuJoCo might look: from the main file's folder and from that of the
    file itself, in any asset folder.
    """
    root = read_xml(source)
    if root.tag != "mujoco":
        raise FileError(
            f"{source}:{root.line}: the outermost element is <{quote(root.tag)[1:-1]}>; an MJCF "
            "file has <mujoco>"
        )
    home, mentions, seen = (
        Path(source).parent,
        _find_file_references(source, root),
        {os.path.realpath(source)},
    )
    for mention in mentions:  # grows while it is walked
        _check_plain(mention)
        for place in (
            _candidate_paths(mention, ("",), home)
            if mention.element.tag in ("include", "model")
            else ()
        ):
            if os.path.realpath(place) not in seen and place.is_file():
                seen.add(os.path.realpath(place))
                mentions += _find_file_references(str(place), read_xml(place))
    folders = ("", *(mention.value for mention in mentions if mention.attribute in ASSET_FOLDERS))
    for mention in mentions:
        _candidate_paths(mention, folders, home)
    return len(seen)


def _find_file_references(source: str, root: Element) -> list[_FileReference]:
    found, waiting = [], [root]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        names = [
            name for name in element.attributes if name.startswith("file") or name in ASSET_FOLDERS
        ]
        found += [
            _FileReference(source, element, name) for name in names if element.attributes[name]
        ]
    return found


def _check_plain(mention: _FileReference) -> None:
    path = PureWindowsPath(mention.value)  # knows both slashes, and drives
    if path.drive or path.root or ":" in mention.value:
        raise mention.refusal("is no path relative to the model")
    if ".." in path.parts:
        raise mention.refusal("leads out of a folder")


def _candidate_paths(mention: _FileReference, folders: Iterable[str], home: Path) -> list[Path]:
    """Where the file may lie; inside `home` after all links are followed, or it is refused.

    The bare name is for strippath.
    """
    names = {mention.value, PureWindowsPath(mention.value).name}
    places = [
        base / folder / name
        for base in {home, Path(mention.source).parent}
        for folder in folders
        for name in names
    ]
    inside = Path(os.path.realpath(home))
    for place in places:
        if not Path(os.path.realpath(place)).is_relative_to(inside):
            raise mention.refusal("is a link that leads out of the folder of the model")
    return places


# ---- compiling -----------------------------------------------------------------------------------
class _CompiledModel(NamedTuple):
    """The package and the MjModel that it made of a file."""

    mujoco: Any
    mj: Any

    def is_off(self, *names: str) -> bool:
        """Whether the file itself disables one of these; PASSIVE stands for springs and dampers in
        older versions.
        """
        known = self.mujoco.mjtDisableBit.__members__
        bits = [int(known[f"mjDSBL_{name}"]) for name in names if f"mjDSBL_{name}" in known]
        return any(self.mj.opt.disableflags & bit for bit in bits)

    def count_entries(self, *fields: str) -> int:
        """How many entries have a number other than zero in one of these fields; a field that this
        version lacks has none.
        """
        tables = [
            np.asarray(getattr(self.mj, field)) for field in fields if hasattr(self.mj, field)
        ]
        marks = [
            np.any(table.reshape(len(table), -1) != 0, axis=1) for table in tables if len(table)
        ]
        return int(np.count_nonzero(np.any(marks, axis=0))) if marks else 0

    def name(self, kind: str, index: int) -> str:
        return getattr(self.mj, kind)(index).name


def _compile(source: str) -> _CompiledModel:
    documents = check_files(source)
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise OptionError(
            f"{source}: MJCF is compiled by the package mujoco, which is not here; pip install "
            "'hamiltree[mjcf]'"
        ) from None
    with _warnings_of(mujoco, source):
        try:
            return _CompiledModel(mujoco, mujoco.MjModel.from_xml_path(source))
        except ValueError as error:
            raise FileError(_locate_message(source, str(error), documents)) from None


@contextmanager
def _warnings_of(mujoco: Any, source: str) -> Iterator[None]:
    """MuJoCo's warnings as Python's; without this it would write MUJOCO_LOG.TXT into the folder one
    works in.
    """
    before = mujoco.get_mju_user_warning()
    told: list[str] = []
    mujoco.set_mju_user_warning(told.append)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
    for message in told:
        warnings.warn(f"{source}: mujoco: {' '.join(message.split())}", stacklevel=5)


def _locate_message(source: str, message: str, documents: int) -> str:
    """MuJoCo's message on one line, its line number in front unless it may be that of an included
    file.
    """
    at = re.search(r", line (\d+)", message)
    text = " ".join(message.replace(at[0] if at else "", "").split())
    text = re.sub(r"^((XML |ParseXML: )?Error: )+", "", text)
    text = re.sub(r" Element (?:name )?('[^']*')(, id \d+)?$", r" (element \1)", text).replace(
        " (element '')", ""
    )
    return (
        f"{source}:{at[1]}: mujoco: {text}"
        if at and documents == 1
        else f"{source}: mujoco: {text}"
    )


# ---- what has no part here -----------------------------------------------------------------------
def _contact(found: _CompiledModel) -> str:
    pair = None if found.is_off("CONTACT", "CONSTRAINT") else colliding_bodies(found)
    names = [repr(found.name("body", body) or f"body{body}") for body in pair or ()]
    return f"e.g. {names[0]} with {names[1]}" if pair else ""


def colliding_bodies(found: _CompiledModel) -> tuple[int, int] | None:
    """Two bodies that MuJoCo's filters let touch: contype & conaffinity, not welded together, not
    parent and child, not excluded.
    """
    mj = found.mj
    if mj.npair:
        return int(mj.geom_bodyid[mj.pair_geom1[0]]), int(mj.geom_bodyid[mj.pair_geom2[0]])
    body, kind, wants = np.unique(
        np.stack([mj.geom_bodyid, mj.geom_contype, mj.geom_conaffinity]), axis=1
    )
    weld = mj.body_weldid[body]
    above = mj.body_weldid[mj.body_parentid[weld]]
    keeps_parents = found.is_off("FILTERPARENT")
    for i in range(len(body)):
        touch = ((kind[i] & wants) | (kind & wants[i])) != 0
        touch &= weld != weld[i]
        touch &= keeps_parents | ~(
            ((above == weld[i]) & (weld[i] != 0)) | ((above[i] == weld) & (weld != 0))
        )
        low, high = np.minimum(body, body[i]), np.maximum(body, body[i])
        touch &= ~np.isin((low << BODY_BITS) + high, mj.exclude_signature)
        if touch.any():
            return int(body[i]), int(body[np.argmax(touch)])
    return None


def _limits(found: _CompiledModel) -> str:
    return (
        ""
        if found.is_off("LIMIT", "CONSTRAINT")
        else _plural(found.count_entries("jnt_limited"), "joint")
    )


def _frictionloss(found: _CompiledModel) -> str:
    return (
        ""
        if found.is_off("FRICTIONLOSS", "CONSTRAINT")
        else _plural(found.count_entries("dof_frictionloss"), "coordinate")
    )


def _equality(found: _CompiledModel) -> str:
    return (
        ""
        if found.is_off("EQUALITY", "CONSTRAINT")
        else _plural(found.count_entries("eq_active0"), "constraint")
    )


def _tendons(found: _CompiledModel) -> str:
    """A tendon that neither pulls nor limits nor weighs is only a measure."""
    fields = (
        "stiffness",
        "stiffnesspoly",
        "damping",
        "dampingpoly",
        "frictionloss",
        "armature",
        "limited",
    )
    return _plural(found.count_entries(*(f"tendon_{field}" for field in fields)), "tendon")


def _actuators(found: _CompiledModel) -> str:
    """Also at ctrl = 0: a position servo is a spring.

    Rotors and dampers of actuators act even where actuation is off.
    """
    passive = found.count_entries("actuator_armature", "actuator_damping", "actuator_dampingpoly")
    return _plural(
        passive if found.is_off("ACTUATION") else len(found.mj.actuator_gear), "actuator"
    )


def _fluid(found: _CompiledModel) -> str:
    option = found.mj.opt
    return (
        f"density {option.density:g}, viscosity {option.viscosity:g}"
        if option.density or option.viscosity
        else ""
    )


def _ball_armatures(found: _CompiledModel) -> str:
    is_turning = np.isin(found.mj.jnt_type, (FREE, BALL))
    return _plural(
        np.count_nonzero(found.mj.dof_armature[found.mj.jnt_dofadr[is_turning]]), "joint"
    )


def _nonlinear_springs(found: _CompiledModel) -> str:
    return (
        ""
        if found.is_off("SPRING", "PASSIVE")
        else _plural(found.count_entries("jnt_stiffnesspoly", "jnt_springyield"), "joint")
    )


def _nonlinear_dampers(found: _CompiledModel) -> str:
    return (
        ""
        if found.is_off("DAMPER", "PASSIVE")
        else _plural(found.count_entries("dof_dampingpoly"), "coordinate")
    )


def _plural(count: Any, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}" if count else ""


FEATURES: dict[str, Callable[[_CompiledModel], str]] = {
    "contact": _contact,
    "limits": _limits,
    "frictionloss": _frictionloss,
    "equality": _equality,
    "tendons": _tendons,
    "actuators": _actuators,
    "fluid": _fluid,
    "gravcomp": lambda found: _plural(found.count_entries("body_gravcomp"), "body"),
    "mocap": lambda found: _plural(found.mj.nmocap, "body"),
    "flex": lambda found: _plural(found.mj.nflex, "flex"),
    "plugins": lambda found: _plural(found.mj.nplugin, "plugin"),
    "ball armature": _ball_armatures,
    "nonlinear springs": _nonlinear_springs,
    "nonlinear dampers": _nonlinear_dampers,
}


def _parse_drop(drop: str | Iterable[str]) -> Collection[str]:
    """The names in `drop`; a text is "all", or names with commas between them, as a shell gives
    them.
    """
    names = [name.strip() for name in drop.split(",")] if isinstance(drop, str) else list(drop)
    for name in names:
        if name not in ("all", "", *FEATURES):
            raise OptionError(
                f"drop: {name!r} is nothing that an MJCF file can have; "
                f"{suggest(name, ('all', *FEATURES))}"
            )
    return FEATURES if "all" in names else names


def features_of(path: str | os.PathLike[str]) -> dict[str, str]:
    """What an MJCF file has that a Model cannot keep: name → how much of it."""
    return _features(_compile(os.fspath(path)))


def _features(found: _CompiledModel) -> dict[str, str]:
    told = {name: tell(found) for name, tell in FEATURES.items()}
    return {name: text for name, text in told.items() if text}


def _refuse_unsupported(found: _CompiledModel, dropped: Collection[str], source: str) -> None:
    left = {name: text for name, text in _features(found).items() if name not in dropped}
    if not left:
        return
    listed = ", ".join(f"{name} ({text})" for name, text in left.items())
    names = [*(name for name in dropped if name), *left]
    raise FileError(
        f"{source}: it has what a model cannot keep: {listed}; to leave it out give drop={names!r} "
        "or drop='all' "
        f"(in a shell --drop '{','.join(names)}')"
    )


# ---- what is kept --------------------------------------------------------------------------------
def _start(
    found: _CompiledModel, keyframe: str | int | None, source: str
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


class _ModelBuilder:
    """The parts of a Model, made body by body; parents come before their children in an MjModel,
    and coordinates follow the bodies.
    """

    def __init__(self, found: _CompiledModel, qpos: list[float], qvel: list[float]) -> None:
        self.found, self.mj, self.qpos, self.qvel = found, found.mj, qpos, qvel
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.forces: list[Force] = []
        self.body_names = _unique_names(
            [found.name("body", k) for k in range(1, self.mj.nbody)], "body", {GROUND}
        )
        self.joint_names = _unique_names(
            [found.name("joint", k) for k in range(self.mj.njnt)], "joint", set(), start=0
        )
        self.taken = {GROUND, *self.body_names}
        self.joints_taken = set(self.joint_names)

    def model(self, source: str) -> Model:
        for body in range(1, self.mj.nbody):
            self.add_body(body)
        title = self.mj.names[: self.mj.names.index(b"\0")].decode()
        name = Path(source).stem if title in ("", DEFAULT_NAME) else title
        gravity = ORIGIN if self.found.is_off("GRAVITY") else self.mj.opt.gravity.tolist()
        return Model(self.bodies, self.joints, self.forces, gravity, name)

    def name_of_body(self, body: int) -> str:
        return self.body_names[body - 1] if body else GROUND

    def add_body(self, body: int) -> None:
        """Its joints, with a massless body between those that are not one joint here; then
        itself.
        """
        mj, parent, base = (
            self.mj,
            self.name_of_body(self.mj.body_parentid[body]),
            self.frame("body", body),
        )
        groups = _groups(
            range(mj.body_jntadr[body], mj.body_jntadr[body] + mj.body_jntnum[body]), mj.jnt_type
        )
        for k, group in enumerate(groups):
            child = (
                self.name_of_body(body)
                if k == len(groups) - 1
                else _unused_name(f"{self.name_of_body(body)}_carrier", self.taken)
            )
            if child != self.name_of_body(body):
                self.bodies.append(Body(child))
            self.add_joint(group, parent, child, base)
            parent, base = child, IDENTITY
        if not groups:
            self.joints.append(
                Weld(
                    _unused_name(f"{self.name_of_body(body)}_weld", self.joints_taken),
                    parent,
                    self.name_of_body(body),
                    base,
                )
            )
        self.bodies.append(self.make_body(body))

    def make_body(self, body: int) -> Body:
        """Inertia about the centre of mass in body axes: R diag Rᵀ with R of iquat."""
        mj, place = self.mj, self.inertial_frame(body)
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
        )

    def inertial_frame(self, body: int) -> Frame:
        """What MuJoCo takes for the body's own frame, though a mesh in single precision left it
        some 1e-9 off, is that frame.
        """
        alike = int(self.mj.body_sameframe[body])
        position = ORIGIN if alike == SAME_FRAME else self.mj.body_ipos[body].tolist()
        return (
            Frame(position)
            if alike in (SAME_FRAME, SAME_AXES)
            else Frame(position, self.mj.body_iquat[body].tolist())
        )

    def shape(self, geom: int) -> Shape | None:
        """None for what is not drawn: planes, height fields, ellipsoids, meshes, and the wholly
        transparent.
        """
        mj, (a, b, c) = self.mj, self.mj.geom_size[geom].tolist()
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
        """Where a body sits in its parent at qpos0, or a geom in its body."""
        return Frame(
            getattr(self.mj, f"{kind}_pos")[index].tolist(),
            getattr(self.mj, f"{kind}_quat")[index].tolist(),
        )

    def add_joint(self, group: list[int], parent: str, child: str, base: Frame) -> None:
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
        name, at = self.joint_names[joint], Frame(self.mj.jnt_pos[joint].tolist())
        if self.mj.jnt_type[joint] == FREE:
            made = Free(name, parent, child, q=self.qpos_of(joint, 7), qdot=self.qvel_of(joint, 6))
        else:
            made = Ball(
                name,
                parent,
                child,
                base @ at,
                at,
                q=self.qpos_of(joint, 4),
                qdot=self.qvel_of(joint, 3),
            )
        self.joints.append(made)
        self.add_rotational_spring(joint, made)
        self.add_damper(joint, name)

    def add_rotational_spring(self, joint: int, made: Joint) -> None:
        """Along x, y and z if it is free, and about all axes: torque −k θ n, θ n the turn from
        where the spring rests.
        """
        stiffness, rest = (
            self.stiffness(joint),
            self.mj.qpos_spring[self.mj.jnt_qposadr[joint] :][: made.coordinates].tolist(),
        )
        if stiffness:
            self.forces += [
                JointSpring(f"{made.name}.{axis}", stiffness, x)
                for axis, x in zip("xyz", rest[:-4], strict=False)
            ]
            turn = made.on_parent @ Frame(rotation=rest[-4:])
            self.forces.append(
                Torsion(made.parent, made.child, stiffness=stiffness, rest=turn.rotation)
            )

    def add_axis(self, joint: int, parent: str, child: str, base: Frame) -> None:
        is_hinge = self.mj.jnt_type[joint] == HINGE
        make, at = (
            (Revolute, Frame(self.mj.jnt_pos[joint].tolist()))
            if is_hinge
            else (Prismatic, IDENTITY)
        )
        x, y, z = self.mj.jnt_axis[joint].tolist()
        name, start = self.joint_names[joint], (self.angle(joint), self.rate(joint))
        self.joints.append(
            make(name, parent, child, base @ at, at, (x, y, z), *start, self.armature(joint))
        )
        self.add_spring_and_damper(joint, name)

    def add_axes(self, group: list[int], parent: str, child: str, base: Frame) -> None:
        """Several axes are one joint, called by all their names; its coordinates are name.1, name.2
        …
        """
        name = _unused_name("_".join(self.joint_names[joint] for joint in group), self.joints_taken)
        q, qdot, armature = (
            tuple(map(value, group)) for value in (self.angle, self.rate, self.armature)
        )
        self.joints.append(
            Axes(
                name,
                parent,
                child,
                base,
                axes=tuple(map(self.motion, group)),
                q=q,
                qdot=qdot,
                armature=armature,
            )
        )
        for k, joint in enumerate(group):
            self.add_spring_and_damper(joint, f"{name}.{k + 1}")

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
        """q = qpos − ref: zero where the file draws the model."""
        at = self.mj.jnt_qposadr[joint]
        return float(self.qpos[at] - self.mj.qpos0[at])

    def rate(self, joint: int) -> float:
        return self.qvel[self.mj.jnt_dofadr[joint]]

    def armature(self, joint: int) -> float:
        return float(self.mj.dof_armature[self.mj.jnt_dofadr[joint]])

    def stiffness(self, joint: int) -> float:
        return (
            0.0 if self.found.is_off("SPRING", "PASSIVE") else float(self.mj.jnt_stiffness[joint])
        )

    def add_spring_and_damper(self, joint: int, coordinate: str) -> None:
        at, stiffness = self.mj.jnt_qposadr[joint], self.stiffness(joint)
        if stiffness:
            self.forces.append(
                JointSpring(
                    coordinate, stiffness, float(self.mj.qpos_spring[at] - self.mj.qpos0[at])
                )
            )
        self.add_damper(joint, coordinate)

    def add_damper(self, joint: int, target: str) -> None:
        # one number a joint, whatever it has of coordinates
        damping = float(self.mj.dof_damping[self.mj.jnt_dofadr[joint]])
        if damping and not self.found.is_off("DAMPER", "PASSIVE"):
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
    """The file's names where there are any; the others by number, apart from those that are
    there.
    """
    taken = forbidden | set(names)
    return [
        name
        if name and name not in forbidden
        else _unused_name(f"{name}_{kind}" if name else f"{kind}{k}", taken)
        for k, name in enumerate(names, start)
    ]


def _unused_name(wanted: str, taken: set[str]) -> str:
    """`wanted`, or wanted_2, wanted_3 … if that is taken; taken from here on."""
    name, count = wanted, 2
    while name in taken:
        name, count = f"{wanted}_{count}", count + 1
    taken.add(name)
    return name
