"""The Model: bodies, joints, forces, constraints, gravity.

It is checked once, when it is made, and never changes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, OptionError, suggest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.catalogues import explain_arguments
from hamiltree.model.constraints import CONSTRAINTS, Constraint, Drive, Motion
from hamiltree.model.couplings import COUPLINGS, Coupling, Follower
from hamiltree.model.forces import FORCES, Force
from hamiltree.model.joints import JOINTS, Free, Joint, axis_labels, coordinate_labels, speed_labels
from hamiltree.model.pair_force import PairForce, check_pair_force
from hamiltree.model.topology import closing_joints, find_root, joint_ends
from hamiltree.model.values import UNIT_TOLERANCE, Vector, number, point, text, vector

FREE_BODY_JOINTS = ("free", "weld", "ball")  # kinds of joints with which a body may hang apart
GRAVITY: Vector = (0.0, 0.0, -9.81)
KINDS: dict[str, type] = {
    "bodies": Body,
    "joints": Joint,
    "forces": Force,
    "couplings": Coupling,
    "constraints": Constraint,
}
SINGULAR_NAMES = {
    "bodies": "body",
    "joints": "joint",
    "forces": "force",
    "couplings": "coupling",
    "constraints": "constraint",
}
OPTIONAL_GROUPS = ("couplings", "constraints")  # named in the repr only where there are some
# a start quaternion may be this far from a unit one: rounded digits, not a mistake
UNIT_NORM_TOLERANCE = 1e-6


@explain_arguments
@dataclass(frozen=True, repr=False)
class Model:
    """What exists and where it starts. Gravity in m/s², world axes.

    Loops of joints are legal; a body that hangs on nothing is not.
    """

    bodies: Sequence[Body]  # any sequence is taken, a tuple is kept
    joints: Sequence[Joint]
    forces: Sequence[Force] = ()
    gravity: Vector = GRAVITY
    name: str = "model"
    couplings: Sequence[Coupling] = ()
    constraints: Sequence[Constraint] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, ("model", ""), "name"))
        put(self, "gravity", point(self.gravity, ("model", self.name), "gravity"))
        for group, kind in KINDS.items():
            put(self, group, _parts(getattr(self, group), group, kind))
        if not self.bodies:
            raise ModelError(
                f"model {self.name!r}: it has no body; give at least one",
                ("model", self.name),
                "bodies",
            )
        _check_names(self)
        _check_joint_ends(self)
        _check_connected(self)
        _check_couplings(self)
        _check_targets(self)
        _check_drives(self)
        _check_motions(self)
        _check_pair_forces(self)

    def __repr__(self) -> str:
        counts = ", ".join(
            _count(len(getattr(self, group)), group)
            for group in KINDS
            if group not in OPTIONAL_GROUPS or getattr(self, group)
        )
        return f"<Model {self.name!r}: {counts}>"

    @cached_property
    def _bodies_by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    def body(self, name: str) -> Body:
        """The body of that name."""
        return _look_up(self._bodies_by_name, name, "body", self.name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _look_up(self._joints_by_name, name, "joint", self.name)

    def with_(self, **changes: Any) -> Model:
        """A changed copy. Bodies, joints, forces and so on: a sequence replaces them all; a mapping
        changes some by name, each to a dict of field changes, to a new part, or to None to remove
        it; a new part under its own name is added.

        model.with_(gravity=(0, 0, 0), joints={"elbow": {"q": 0.3}})
        """
        known = [field.name for field in fields(self)]
        for key in changes:
            if key not in known:
                raise ModelError(
                    f"model {self.name!r} has no {key!r} to change; {suggest(key, known)}",
                    ("model", self.name),
                    key,
                )
        for group in KINDS:
            if isinstance(changes.get(group), Mapping):
                changes[group] = _apply_changes(getattr(self, group), changes[group], group)
        return replace(self, **changes)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The labels of q: joints in order of declaration, a joint's name, or name.x, name.1 ...
        where it has several coordinates.

        A coordinate that follows another one (couplings) is not among them, nor are those of a
        joint that closes a loop.
        """
        return tuple(
            label
            for joint in self.tree_joints
            for label in coordinate_labels(joint)
            if label not in self.followers
        )

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """The labels of qdot: those of q, but three angular velocities name.wx, name.wy, name.wz
        for a quaternion.
        """
        return tuple(
            label
            for joint in self.tree_joints
            for label in speed_labels(joint)
            if label not in self._following_speeds
        )

    @cached_property
    def closing(self) -> tuple[str, ...]:
        """The joints that close loops: of every loop the one declared last.

        How far they are moved follows from the other joints.
        """
        if len(self.joints) == len(self.bodies):  # all bodies hang together, so this is a tree
            return ()
        indices, _ = closing_joints(len(self.bodies), *joint_ends(self))
        return tuple(self.joints[index].name for index in indices)

    @cached_property
    def tree_joints(self) -> tuple[Joint, ...]:
        """The joints that close no loop: those with coordinates in q."""
        closing = set(self.closing)
        return tuple(joint for joint in self.joints if joint.name not in closing)

    @cached_property
    def _closing_labels(self) -> frozenset[str]:
        """What the coordinates and speeds of closing joints are called, and these joints
        themselves.
        """
        joints = [self.joint(name) for name in self.closing]
        return frozenset(
            label
            for joint in joints
            for label in (joint.name, *coordinate_labels(joint), *speed_labels(joint))
        )

    @cached_property
    def _following_speeds(self) -> frozenset[str]:
        """The speeds of coordinates that follow; those of a free joint have names of their own."""
        if not self.followers:
            return frozenset()
        pairs = (pair for joint in self.joints for pair in axis_labels(joint))
        return frozenset(speed for coordinate, speed in pairs if coordinate in self.followers)

    @cached_property
    def followers(self) -> dict[str, Follower]:
        """The coordinates that follow another one, each by the one that leads in the end; without
        those of `couplings_as_constraints`.
        """
        rows = set(self.couplings_as_constraints)
        direct = {
            coupling.joint: coupling.follower()
            for coupling in self.couplings
            if coupling not in rows
        }
        found: dict[str, Follower] = {}
        for label in direct:
            path = [label]
            while path[-1] in direct and path[-1] not in found:
                path.append(direct[path[-1]].leader)
            last = found.get(path[-1], Follower(path[-1], 1.0, 0.0))
            for step in reversed(path[:-1]):
                _, ratio, offset = direct[step]
                last = found[step] = Follower(
                    last.leader, ratio * last.ratio, ratio * last.offset + offset
                )
        return {label: found[label] for label in direct}

    @cached_property
    def couplings_as_constraints(self) -> tuple[Coupling, ...]:
        """The couplings of a coordinate of a closing joint, which has no row to share: each is an
        equation of its own.
        """
        return tuple(
            coupling
            for coupling in self.couplings
            if not self._closing_labels.isdisjoint((coupling.joint, coupling.of))
        )

    @cached_property
    def has_rows(self) -> bool:
        """Whether there is anything that a tree does not keep by itself: joints that close loops,
        constraints, some couplings.
        """
        return bool(self.closing or self.constraints or self.couplings_as_constraints)

    @cached_property
    def is_unjoined(self) -> bool:
        """Whether every body hangs on the ground by itself, so that only forces join bodies."""
        return all(
            GROUND in (joint.parent, joint.child) and joint.kind in FREE_BODY_JOINTS
            for joint in self.joints
        )

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, qdot) where the model starts, in the order of `coordinates` and of `speeds`."""
        q, qdot = [], []
        for joint in self.tree_joints:
            values, rates = joint.start()
            if self.followers:
                values = [
                    x
                    for x, label in zip(values, coordinate_labels(joint), strict=True)
                    if label not in self.followers
                ]
                rates = [
                    x
                    for x, label in zip(rates, speed_labels(joint), strict=True)
                    if label not in self._following_speeds
                ]
            q.extend(values)
            qdot.extend(rates)
        return np.array(q, dtype=float), np.array(qdot, dtype=float)

    def q_from(self, values: Any = None, start: np.ndarray | None = None) -> np.ndarray:
        """q from None (the start), from an array in the order of `coordinates`, or from a mapping
        of names of joints (all their coordinates) or of coordinates. A quaternion must be a unit
        one to 1e-6; it is then made so to round-off.
        What a mapping does not name is that of `start`, or where the model starts.
        """
        begin = self.start()[0] if start is None else start.copy()
        return _normalise_quaternions(self, _state_from(self, values, begin, "q", self.coordinates))

    def qdot_from(self, values: Any = None, start: np.ndarray | None = None) -> np.ndarray:
        """qdot in the same ways, in the order of `speeds`."""
        begin = self.start()[1] if start is None else start.copy()
        return begin if values is None else _state_from(self, values, begin, "qdot", self.speeds)

    def __getstate__(self) -> dict[str, Any]:
        """Simulators that were made for it (driver.py) stay in their process."""
        return {name: value for name, value in self.__dict__.items() if name != "_simulators"}


def _count(n: int, group: str) -> str:
    return f"{n} {SINGULAR_NAMES[group] if n == 1 else group}"


def _parts(values: Any, group: str, kind: type) -> tuple[Any, ...]:
    if isinstance(values, kind):
        values = (values,)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ModelError(
            f"model: {group} = {values!r} is not a sequence; give a list of {group}", None, group
        )
    parts = tuple(values)
    for i, part in enumerate(parts):
        if not isinstance(part, kind) or type(part) in (Joint, Force, Coupling, Constraint):
            raise ModelError(
                f"model: {group}[{i}] is a {type(part).__name__}; give {_examples(kind)}",
                (SINGULAR_NAMES[group], i + 1),
                None,
            )
    return parts


def _examples(kind: type) -> str:
    registry = {Joint: JOINTS, Force: FORCES, Coupling: COUPLINGS, Constraint: CONSTRAINTS}.get(
        kind
    )
    return (
        "one of " + ", ".join(cls.__name__ for cls in registry.values())
        if registry
        else f"a {kind.__name__}"
    )


def _check_names(model: Model) -> None:
    for group in KINDS:
        names = [part.name for part in getattr(model, group) if part.name]
        if len(set(names)) == len(names):
            continue
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        kind = SINGULAR_NAMES[group]
        raise ModelError(
            f"{kind} {twice!r}: the name is used twice; give every {kind} a name of its own",
            (kind, twice),
            "name",
        )


def _check_joint_ends(model: Model) -> None:
    names = {body.name for body in model.bodies}
    names.add(GROUND)
    for joint in model.joints:
        if joint.parent in names and joint.child in names:
            continue
        field = "parent" if joint.parent not in names else "child"
        wrong = getattr(joint, field)
        known = sorted(names) if len(names) < 100 else names
        raise ModelError(
            f"joint {joint.name!r}: {field} = {wrong!r} is not a body; {suggest(wrong, known)}",
            ("joint", joint.name),
            field,
        )


def _check_targets(model: Model) -> None:
    """What forces and constraints act on exists; a coordinate of a closing joint may be named as
    well.
    """
    if not model.forces and not model.constraints:
        return
    moving = {
        label: joint
        for joint in model.joints
        for label in (coordinate_labels(joint) if joint.coordinates else (joint.name,))
    }
    for joint in model.joints:
        moving.setdefault(joint.name, joint)
    bodies: dict[str, Any] = {GROUND: None, **{body.name: body for body in model.bodies}}
    known: dict[str, dict[str, Any]] = {
        "joint": moving,
        "body": {k: v for k, v in bodies.items() if k != GROUND},
        "end": bodies,
    }
    for group in ("forces", "constraints"):
        for i, element in enumerate(getattr(model, group)):
            _check_references(element, i, group, known)


def _check_references(
    element: Force | Constraint, position: int, group: str, known: dict[str, dict[str, Any]]
) -> None:
    who, part = element.describe(position), (SINGULAR_NAMES[group], element.name or position + 1)
    for field, kind in element.references.items():
        target = getattr(element, field)
        if target not in known[kind]:
            what = "body" if kind == "end" else kind
            raise ModelError(
                f"{who}: {field} = {target!r} is not a {what} of the model; "
                f"{suggest(target, known[kind])}",
                part,
                field,
            )
        if kind == "joint":
            _check_axis(element, known[kind][target], target, who, part, field)


def _check_axis(
    element: Force | Constraint,
    joint: Joint,
    target: str,
    who: str,
    part: tuple[str, Any],
    field: str,
) -> None:
    """What acts along a joint needs one coordinate, unless it knows what to do with a ball or with
    all axes.
    """
    if joint.coordinates == 0:
        raise ModelError(
            f"{who}: joint {target!r} is a {joint.kind} and has no coordinate to act on; choose "
            f"another joint, or remove the {part[0]}",
            part,
            field,
        )
    axes = coordinate_labels(joint)[: len(joint.screws())]
    if target in axes or (element.takes_whole_joints and target == joint.name):
        return
    choice = (
        f"name one of its coordinates: {', '.join(axes)}"
        if axes
        else f"it has no axis; {_suggest_axes(element)}"
    )
    raise ModelError(
        f"{who}: joint {joint.name!r} ({joint.kind}) has {joint.coordinates} coordinates; {choice}",
        part,
        field,
    )


def _suggest_axes(element: Force | Constraint) -> str:
    return (
        "use a torsion spring, or a load on its bodies"
        if isinstance(element, Force)
        else "drive a universal joint or hinges, axis by axis"
    )


def _check_drives(model: Model) -> None:
    """A coordinate is driven once, whether by its own name or by one that follows it."""
    driven: dict[str, str] = {}
    for i, drive in enumerate(model.constraints):
        if not isinstance(drive, Drive):
            continue
        leader = (
            model.followers[drive.joint].leader if drive.joint in model.followers else drive.joint
        )
        who = drive.describe(i)
        if leader in driven:
            part = ("constraint", drive.name or i + 1)
            raise ModelError(
                f"{who}: joint = {drive.joint!r} is already moved by {driven[leader]}; keep one of "
                "them",
                part,
                "joint",
            )
        driven[leader] = who


def _check_motions(model: Model) -> None:
    """A body that moves by itself hangs on a free joint of the ground and on nothing else, and is
    moved once.
    """
    moved: dict[str, str] = {}
    for i, motion in enumerate(model.constraints):
        if not isinstance(motion, Motion):
            continue
        who, part = motion.describe(i), ("constraint", motion.name or i + 1)
        held = [joint for joint in model.joints if motion.body in (joint.parent, joint.child)]
        wrong = next(
            (joint for joint in held if not (isinstance(joint, Free) and joint.parent == GROUND)),
            None,
        )
        if wrong is not None or len(held) != 1:
            name = (wrong or held[1]).name
            problem = (
                f"joint {name!r} holds body {motion.body!r} too; "
                "a body that moves by itself has one free joint to the ground only"
            )
            raise ModelError(f"{who}: {problem}", part, "body")
        if motion.body in moved:
            raise ModelError(
                f"{who}: body {motion.body!r} is already moved by {moved[motion.body]}; keep one "
                "of them",
                part,
                "body",
            )
        moved[motion.body] = who


def _check_pair_forces(model: Model) -> None:
    for i, force in enumerate(model.forces):
        if isinstance(force, PairForce):
            check_pair_force(force, model, force.describe(i), ("force", force.name or i + 1))


def _check_connected(model: Model) -> None:
    parents, children = joint_ends(model)
    n = len(model.bodies)
    closing, root = closing_joints(n, parents, children)
    # every joint that closes no loop has brought one more body to the ground
    if len(parents) - len(closing) == n:
        return
    jointed = {*parents, *children}
    ground = find_root(root, n)
    loose = [body for i, body in enumerate(model.bodies) if i not in jointed]
    cut_off = [body for i, body in enumerate(model.bodies) if find_root(root, i) != ground]
    if loose:
        name = loose[0].name
        raise ModelError(
            f"body {name!r}: no joint holds it; weld it to the ground or to another body",
            ("body", name),
            None,
        )
    name = cut_off[0].name
    raise ModelError(
        f"body {name!r}: no chain of joints connects it to the ground "
        f"({_count(len(cut_off), 'bodies')} cut off); "
        f"join one of them to {GROUND!r} or to a body that is",
        ("body", name),
        None,
    )


def _look_up(parts: dict[str, Any], name: str, kind: str, model: str) -> Any:
    try:
        return parts[name]
    except (KeyError, TypeError):
        raise ModelError(
            f"model {model!r} has no {kind} {name!r}; {suggest(name, parts)}",
            (kind, str(name)),
            None,
        ) from None


def _apply_changes(parts: Sequence[Any], changes: Mapping[str, Any], group: str) -> tuple[Any, ...]:
    """`parts` with the named ones changed, replaced or removed, and new ones added at the end."""
    kind = SINGULAR_NAMES[group]
    known = {part.name: part for part in parts if part.name}
    new = {name: _make_part(known, name, change, group) for name, change in changes.items()}
    kept = [new[part.name] if part.name and part.name in new else part for part in parts]
    added = [part for name, part in new.items() if name not in known]
    for name, part in new.items():
        if (
            isinstance(part, KINDS[group])
            and isinstance(changes[name], KINDS[group])
            and part.name != name
        ):
            raise ModelError(
                f"{kind} {part.name!r} is given under the name {name!r}; use its own name as the "
                "key",
                (kind, name),
                "name",
            )
    return tuple(part for part in (*kept, *added) if part is not None)


def _make_part(known: Mapping[str, Any], name: str, change: Any, group: str) -> Any:
    kind = SINGULAR_NAMES[group]
    if isinstance(change, KINDS[group]):
        return change
    if name not in known:
        raise ModelError(
            f"there is no {kind} {name!r} to change; {suggest(name, known)}", (kind, name), None
        )
    if change is None:
        return None
    if not isinstance(change, Mapping):
        raise ModelError(
            f"{kind} {name!r}: the change {change!r} is no dict of fields, no {kind} and not None",
            (kind, name),
            None,
        )
    allowed = [field.name for field in fields(known[name])]
    for field in change:
        if field not in allowed:
            raise ModelError(
                f"{kind} {name!r} has no field {field!r}; {suggest(field, allowed)}",
                (kind, name),
                field,
            )
    return replace(known[name], **change)


def _state_from(
    model: Model, values: Any, start: np.ndarray, what: str, names: tuple[str, ...]
) -> np.ndarray:
    if values is None:
        return start
    try:
        if isinstance(values, Mapping):
            return _update_state(model, values, start, what, names)
        return np.array(_check_full_state(model, values, what, names))
    except ModelError as error:
        raise OptionError(str(error)) from None


def _check_full_state(
    model: Model, values: Any, what: str, names: tuple[str, ...]
) -> tuple[float, ...]:
    if np.ndim(values) == 1 and len(values) != len(names):
        order = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        kind = "coordinates" if what == "q" else "speeds"
        raise OptionError(
            f"{what} has {len(values)} values, the model has {len(names)} {kind}; give them in "
            f"this order: {order}"
        )
    return vector(values, len(names), ("model", model.name), what)


def _update_state(
    model: Model, values: Mapping[str, Any], start: np.ndarray, what: str, names: tuple[str, ...]
) -> np.ndarray:
    """By the name of a coordinate, or of a joint with a list for all of its coordinates."""
    places = {name: slice(place, place + 1) for place, name in enumerate(names)}
    for joint in model.joints:
        own = [
            label
            for label in (coordinate_labels(joint) if what == "q" else speed_labels(joint))
            if label in places
        ]
        if own:
            places.setdefault(joint.name, slice(places[own[0]].start, places[own[-1]].stop))
    for name, value in values.items():
        if name not in places:
            if name in model.followers:
                raise OptionError(
                    f"{what}: joint {name!r} follows {model.followers[name].leader!r}; give that "
                    "one"
                )
            if name in model._closing_labels:
                raise OptionError(
                    f"{what}: joint {name!r} closes a loop and has no start value of its own; "
                    "where it is follows from the other joints"
                )
            speed = next(
                (
                    speed
                    for joint in model.joints
                    for label, speed in axis_labels(joint)
                    if label == name
                ),
                "",
            )
            hint = (
                f"its speed is called {speed!r}"
                if what == "qdot" and speed in places
                else suggest(name, places)
            )
            raise OptionError(f"{what}: there is no joint {name!r}; {hint}")
        part, place = ("joint", name), places[name]
        size = place.stop - place.start
        start[place] = number(value, part, what) if size == 1 else vector(value, size, part, what)
    return start


def _normalise_quaternions(model: Model, q: np.ndarray) -> np.ndarray:
    place = 0
    for joint in model.tree_joints:
        place += (
            sum(label not in model.followers for label in coordinate_labels(joint))
            if model.followers
            else joint.coordinates
        )
        if not joint.has_ball:
            continue
        norm = float(np.linalg.norm(q[place - 4 : place]))
        if abs(norm - 1.0) > UNIT_NORM_TOLERANCE:
            raise OptionError(
                f"q of joint {joint.name!r}: the quaternion {q[place - 4 : place].tolist()} has "
                f"length {norm:g}; give a unit quaternion"
            )
        if abs(norm - 1.0) > UNIT_TOLERANCE:
            q[place - 4 : place] /= norm
    return q


def _check_couplings(model: Model) -> None:
    for kind, names in (("coordinates", coordinate_labels), ("speeds", speed_labels)):
        counts = Counter(label for joint in model.joints for label in names(joint))
        twice = next((label for label, count in counts.items() if count > 1), "")
        if twice:
            raise ModelError(
                f"two {kind} are called {twice!r}; rename a joint",
                ("joint", twice.rpartition(".")[0]),
                "name",
            )
    axes = (
        {
            label
            for joint in model.joints
            for label in coordinate_labels(joint)[: len(joint.screws())]
        }
        if model.couplings
        else set()
    )
    followed: dict[str, str] = {}
    for i, coupling in enumerate(model.couplings):
        part = ("coupling", coupling.name or i + 1)
        for field in ("joint", "of"):
            label = getattr(coupling, field)
            if label not in axes:
                raise ModelError(
                    f"{_coupling_name(coupling, i)}: {field} = {label!r} is no coordinate of one "
                    f"axis; {suggest(label, axes)}",
                    part,
                    field,
                )
        if coupling.joint in followed:
            raise ModelError(
                f"{_coupling_name(coupling, i)}: joint {coupling.joint!r} already follows "
                f"{followed[coupling.joint]!r}",
                part,
                "joint",
            )
        followed[coupling.joint] = coupling.of
    _check_cycles(model, followed)
    for joint in model.joints if model.followers else ():
        if joint.name in model.followers and any(x for part in joint.start() for x in part):
            leader = followed[joint.name]
            raise ModelError(
                f"joint {joint.name!r} follows {leader!r}, so it cannot have a start of its own; "
                "leave its q and qdot out",
                ("joint", joint.name),
                "q",
            )


def _check_cycles(model: Model, followed: dict[str, str]) -> None:
    """No coordinate may follow itself, however long the way round; every one is looked at once."""
    ends: set[str] = set()
    for i, coupling in enumerate(model.couplings):
        path: dict[str, None] = {}
        label = coupling.joint
        while label in followed and label not in ends:
            if label in path:
                raise ModelError(
                    f"{_coupling_name(coupling, i)}: joint {label!r} would follow itself; remove "
                    "one of the couplings",
                    ("coupling", coupling.name or i + 1),
                    "of",
                )
            path[label] = None
            label = followed[label]
        ends.update(path)


def _coupling_name(coupling: Coupling, position: int) -> str:
    return (
        f"coupling {coupling.name!r}"
        if coupling.name
        else f"coupling {position + 1} ({coupling.kind} of {coupling.joint!r})"
    )
