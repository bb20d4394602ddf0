"""The Model: bodies, joints, forces, gravity. It is checked once, when it is made, and never changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, OptionError, nearest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.forces import FORCES, Force
from hamiltree.model.joints import JOINTS, Joint
from hamiltree.model.topology import closing_joints, find, joint_ends
from hamiltree.model.values import Vector, number, point, text, vector

GRAVITY: Vector = (0.0, 0.0, -9.81)
KINDS: dict[str, type] = {"bodies": Body, "joints": Joint, "forces": Force}
SINGULAR = {"bodies": "body", "joints": "joint", "forces": "force"}


@dataclass(frozen=True, repr=False)
class Model:
    """What exists and where it starts. Gravity in m/s², world axes. Loops of joints are legal; a body that hangs on nothing is not."""

    bodies: Sequence[Body]  # any sequence is taken, a tuple is kept
    joints: Sequence[Joint]
    forces: Sequence[Force] = ()
    gravity: Vector = GRAVITY
    name: str = "model"

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", text(self.name, ("model", ""), "name"))
        put(self, "gravity", point(self.gravity, ("model", self.name), "gravity"))
        for group, kind in KINDS.items():
            put(self, group, _parts(getattr(self, group), group, kind))
        if not self.bodies:
            raise ModelError(f"model {self.name!r}: it has no body; give at least one", ("model", self.name), "bodies")
        _check_names(self)
        _check_joint_ends(self)
        _check_force_targets(self)
        _check_connected(self)

    def __repr__(self) -> str:
        counts = ", ".join(_count(len(getattr(self, group)), group) for group in KINDS)
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
        """A changed copy. Bodies, joints and forces: a sequence replaces them all; a mapping changes some by name, each to
        a dict of field changes, to a new part, or to None to remove it; a new part under its own name is added.

        model.with_(gravity=(0, 0, 0), joints={"elbow": {"q": 0.3}})
        """
        known = [field.name for field in fields(self)]
        for key in changes:
            if key not in known:
                raise ModelError(f"model {self.name!r} has no {key!r} to change; {nearest(key, known)}", ("model", self.name), key)
        for group in KINDS:
            if isinstance(changes.get(group), Mapping):
                changes[group] = _changed(getattr(self, group), changes[group], group)
        return replace(self, **changes)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The labels of q: joints in order of declaration, a joint's name, or name.1, name.2 ... where it has several coordinates."""
        return tuple(label for joint in self.joints for label in _labels(joint))

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """(q, qdot) where the model starts, in the order of `coordinates`."""
        starts = [joint.start() for joint in self.joints]
        return np.array([x for q, _ in starts for x in q], dtype=float), np.array([x for _, qdot in starts for x in qdot], dtype=float)

    def q_from(self, values: Any = None) -> np.ndarray:
        """q from None (the start), from an array in the order of `coordinates`, or from a mapping joint name -> value."""
        return _state_from(self, values, self.start()[0], "q")

    def qdot_from(self, values: Any = None) -> np.ndarray:
        """qdot in the same ways as q_from."""
        return _state_from(self, values, self.start()[1], "qdot")


def _count(n: int, group: str) -> str:
    return f"{n} {SINGULAR[group] if n == 1 else group}"


def _parts(values: Any, group: str, kind: type) -> tuple[Any, ...]:
    if isinstance(values, kind):
        values = (values,)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ModelError(f"model: {group} = {values!r} is not a sequence; give a list of {group}", None, group)
    parts = tuple(values)
    for i, part in enumerate(parts):
        if not isinstance(part, kind) or type(part) in (Joint, Force):
            raise ModelError(f"model: {group}[{i}] is a {type(part).__name__}; give {_examples(kind)}", (SINGULAR[group], i + 1), None)
    return parts


def _examples(kind: type) -> str:
    registry = {Joint: JOINTS, Force: FORCES}.get(kind)
    return "one of " + ", ".join(cls.__name__ for cls in registry.values()) if registry else f"a {kind.__name__}"


def _check_names(model: Model) -> None:
    for group in KINDS:
        names = [part.name for part in getattr(model, group) if part.name]
        if len(set(names)) == len(names):
            continue
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        kind = SINGULAR[group]
        raise ModelError(f"{kind} {twice!r}: the name is used twice; give every {kind} a name of its own", (kind, twice), "name")


def _check_joint_ends(model: Model) -> None:
    names = {body.name for body in model.bodies}
    names.add(GROUND)
    for joint in model.joints:
        if joint.parent in names and joint.child in names:
            continue
        field = "parent" if joint.parent not in names else "child"
        wrong = getattr(joint, field)
        known = sorted(names) if len(names) < 100 else names
        raise ModelError(f"joint {joint.name!r}: {field} = {wrong!r} is not a body; {nearest(wrong, known)}", ("joint", joint.name), field)


def _check_force_targets(model: Model) -> None:
    if not model.forces:
        return
    known: dict[str, dict[str, Any]] = {
        "joint": {joint.name: joint for joint in model.joints},
        "body": {body.name: body for body in model.bodies},
    }
    for i, force in enumerate(model.forces):
        for field, kind in force.references.items():
            target, who, part = getattr(force, field), force.describe(i), ("force", force.name or i + 1)
            if target not in known[kind]:
                raise ModelError(f"{who}: {field} = {target!r} is not a {kind} of the model; {nearest(target, known[kind])}", part, field)
            if kind == "joint" and known[kind][target].coordinates == 0:
                raise ModelError(
                    f"{who}: joint {target!r} is a {known[kind][target].kind} and has no coordinate to act on; "
                    "choose another joint, or remove the force",
                    part,
                    field,
                )


def _check_connected(model: Model) -> None:
    parents, children = joint_ends(model)
    n = len(model.bodies)
    closing, root = closing_joints(n, parents, children)
    if len(parents) - len(closing) == n:  # every joint that closes no loop has brought one more body to the ground
        return
    jointed = {*parents, *children}
    ground = find(root, n)
    loose = [body for i, body in enumerate(model.bodies) if i not in jointed]
    cut_off = [body for i, body in enumerate(model.bodies) if find(root, i) != ground]
    if loose:
        name = loose[0].name
        raise ModelError(f"body {name!r}: no joint holds it; weld it to the ground or to another body", ("body", name), None)
    name = cut_off[0].name
    raise ModelError(
        f"body {name!r}: no chain of joints connects it to the ground ({_count(len(cut_off), 'bodies')} cut off); "
        f"join one of them to {GROUND!r} or to a body that is",
        ("body", name),
        None,
    )


def _look_up(parts: dict[str, Any], name: str, kind: str, model: str) -> Any:
    try:
        return parts[name]
    except (KeyError, TypeError):
        raise ModelError(f"model {model!r} has no {kind} {name!r}; {nearest(name, parts)}", (kind, str(name)), None) from None


def _changed(parts: Sequence[Any], changes: Mapping[str, Any], group: str) -> tuple[Any, ...]:
    """`parts` with the named ones changed, replaced or removed, and new ones added at the end."""
    kind = SINGULAR[group]
    known = {part.name: part for part in parts if part.name}
    new = {name: _new_part(known, name, change, group) for name, change in changes.items()}
    kept = [new[part.name] if part.name and part.name in new else part for part in parts]
    added = [part for name, part in new.items() if name not in known]
    for name, part in new.items():
        if isinstance(part, KINDS[group]) and isinstance(changes[name], KINDS[group]) and part.name != name:
            raise ModelError(f"{kind} {part.name!r} is given under the name {name!r}; use its own name as the key", (kind, name), "name")
    return tuple(part for part in (*kept, *added) if part is not None)


def _new_part(known: Mapping[str, Any], name: str, change: Any, group: str) -> Any:
    kind = SINGULAR[group]
    if isinstance(change, KINDS[group]):
        return change
    if name not in known:
        raise ModelError(f"there is no {kind} {name!r} to change; {nearest(name, known)}", (kind, name), None)
    if change is None:
        return None
    if not isinstance(change, Mapping):
        raise ModelError(f"{kind} {name!r}: the change {change!r} is no dict of fields, no {kind} and not None", (kind, name), None)
    allowed = [field.name for field in fields(known[name])]
    for field in change:
        if field not in allowed:
            raise ModelError(f"{kind} {name!r} has no field {field!r}; {nearest(field, allowed)}", (kind, name), field)
    return replace(known[name], **change)


def _labels(joint: Joint) -> tuple[str, ...]:
    if joint.coordinates == 1:
        return (joint.name,)
    return tuple(f"{joint.name}.{k + 1}" for k in range(joint.coordinates))


def _state_from(model: Model, values: Any, start: np.ndarray, what: str) -> np.ndarray:
    if values is None:
        return start
    try:
        if isinstance(values, Mapping):
            return _updated(model, values, start, what)
        return np.array(_whole(model, values, what))
    except ModelError as error:
        raise OptionError(str(error)) from None


def _whole(model: Model, values: Any, what: str) -> tuple[float, ...]:
    labels = model.coordinates
    if np.ndim(values) == 1 and len(values) != len(labels):
        names = ", ".join(labels[:20]) + (", ..." if len(labels) > 20 else "")
        raise OptionError(f"{what} has {len(values)} values, the model has {len(labels)} coordinates; give them in this order: {names}")
    return vector(values, len(labels), ("model", model.name), what)


def _updated(model: Model, values: Mapping[str, Any], start: np.ndarray, what: str) -> np.ndarray:
    places, place = {}, 0
    for joint in model.joints:
        places[joint.name] = slice(place, place + joint.coordinates)
        place += joint.coordinates
    for name, value in values.items():
        if name not in places:
            raise OptionError(f"{what}: there is no joint {name!r}; {nearest(name, places)}")
        joint = model.joint(name)
        part = ("joint", name)
        start[places[name]] = number(value, part, what) if joint.coordinates == 1 else vector(value, joint.coordinates, part, what)
    return start
