"""The Model: bodies, joints, forces, constraints, gravity.

It is checked once, when it is made, and never changes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, suggest
from hamiltree.model.accessors import Accessor, import_attribute
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.catalogues import explain_arguments
from hamiltree.model.constraints import Constraint
from hamiltree.model.couplings import Coupling, Follower
from hamiltree.model.forces import Force
from hamiltree.model.joints import Joint, axis_labels, coordinate_labels, speed_labels
from hamiltree.model.labels import joint_labels
from hamiltree.model.limits import NO_LIMITS, Limits
from hamiltree.model.model_checks import (
    KINDS,
    SINGULAR_NAMES,
    check_connected,
    check_couplings,
    check_drives,
    check_joint_ends,
    check_motions,
    check_names,
    check_pair_forces,
    check_parts,
    check_targets,
    count_parts,
)
from hamiltree.model.model_state import normalise_quaternions, state_from
from hamiltree.model.topology import closing_joints, find_joint_ends
from hamiltree.model.values import Frame, Vector, point, positive, text

FREE_BODY_JOINTS = ("free", "weld", "ball")  # kinds of joints of bodies that only forces join
GRAVITY: Vector = (0.0, 0.0, -9.81)
TIMES = ("until", "step")  # of a run, s
OPTIONAL_GROUPS = ("couplings", "constraints")  # named in the repr only where there are some


@explain_arguments
@dataclass(frozen=True, repr=False)
class Model:
    """What exists and where it starts. Gravity in m/s², world axes.

    Loops of joints are legal; a body without a joint is not. `until` and `step` (s): the end and
    the step of a run that names none.
    """

    bodies: Sequence[Body]  # any sequence is taken, a tuple is kept
    joints: Sequence[Joint]
    forces: Sequence[Force] = ()
    gravity: Vector = GRAVITY
    name: str = "model"
    couplings: Sequence[Coupling] = ()
    constraints: Sequence[Constraint] = ()
    until: float | None = None
    step: float | None = None

    plot = Accessor("hamiltree.view.model_plots:ModelPlots")

    def __post_init__(self) -> None:
        """Check the parts one by one, then the model as a whole."""
        put = object.__setattr__
        put(self, "name", text(self.name, ("model", ""), "name"))
        put(self, "gravity", point(self.gravity, ("model", self.name), "gravity"))
        for field in TIMES:
            if getattr(self, field) is not None:
                put(self, field, positive(getattr(self, field), ("model", self.name), field))
        for group, kind in KINDS.items():
            put(self, group, check_parts(getattr(self, group), group, kind))
        if not self.bodies:
            raise ModelError(
                f"model {self.name!r}: it has no body; give at least one",
                ("model", self.name),
                "bodies",
            )
        check_names(self)
        check_joint_ends(self)
        check_connected(self)
        check_couplings(self)
        check_targets(self)
        check_drives(self)
        check_motions(self)
        check_pair_forces(self)

    def __repr__(self) -> str:
        counts = ", ".join(
            count_parts(len(getattr(self, group)), group)
            for group in KINDS
            if group not in OPTIONAL_GROUPS or getattr(self, group)
        )
        return f"<Model {self.name!r}: {counts}>"

    @property
    def times(self) -> dict[str, float]:
        """`until` and `step`, as far as the model has them."""
        return {name: getattr(self, name) for name in TIMES if getattr(self, name) is not None}

    @cached_property
    def _bodies_by_name(self) -> dict[str, Body]:
        return {body.name: body for body in self.bodies}

    @cached_property
    def _joints_by_name(self) -> dict[str, Joint]:
        return {joint.name: joint for joint in self.joints}

    @cached_property
    def frames(self) -> dict[str, tuple[str, Frame]]:
        """The frames of all bodies by name: the body, and the frame in its axes."""
        return {
            name: (body.name, frame) for body in self.bodies for name, frame in body.frames.items()
        }

    def body(self, name: str) -> Body:
        """The body of that name."""
        return _look_up(self._bodies_by_name, name, "body", self.name)

    def joint(self, name: str) -> Joint:
        """The joint of that name."""
        return _look_up(self._joints_by_name, name, "joint", self.name)

    def view(self, html: Any = None, **options: Any) -> Any:
        """A page of the model at its start, with sliders for its joints: saved as the file `html`,
        or opened in the browser; the options are those of a run (docs/view.md).
        """
        return import_attribute("hamiltree.view.page.view:show")(self, html, **options)

    def widget(self, **options: Any) -> Any:
        """The same page as a widget of a notebook (docs/view.md)."""
        return import_attribute("hamiltree.view.notebook.widget:make_widget")(self, **options)

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """What a notebook shows: the widget, or the page in a frame."""
        return import_attribute("hamiltree.view.notebook.display:mimebundle")(self)

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
        followers = self.followers
        labels = joint_labels(self.tree_joints)
        return tuple([label for label in labels if label not in followers] if followers else labels)

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """The labels of qdot: those of q, but three angular velocities name.wx, name.wy, name.wz
        for a quaternion.
        """
        following = self._following_speeds
        labels = joint_labels(self.tree_joints, speed_labels)
        return tuple([label for label in labels if label not in following] if following else labels)

    @cached_property
    def joint_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """For each joint the indices of its parent and child in `bodies`, -1 for the ground."""
        return find_joint_ends(self)

    @cached_property
    def limits(self) -> dict[str, Limits]:
        """The limits of every coordinate that has some, by its label; those of coordinates that
        follow others, and of joints that close loops, included.
        """
        return {
            label: limits
            for joint in self.joints
            if any(limits is not NO_LIMITS for limits in joint.axis_limits())
            for (label, _), limits in zip(axis_labels(joint), joint.axis_limits(), strict=True)
            if limits != NO_LIMITS
        }

    @cached_property
    def closing(self) -> tuple[str, ...]:
        """The joints that close loops: of every loop the one declared last.

        How far they are moved follows from the other joints.
        """
        if len(self.joints) == len(self.bodies):  # all bodies are connected, so this is a tree
            return ()
        parents, children = self.joint_ends
        indices, _ = closing_joints(len(self.bodies), parents.tolist(), children.tolist())
        return tuple(self.joints[index].name for index in indices)

    @cached_property
    def tree_joints(self) -> tuple[Joint, ...]:
        """The joints that close no loop: those with coordinates in q."""
        closing = set(self.closing)
        if not closing:
            return tuple(self.joints)
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
        """Whether every body is joined to the ground alone: only forces act between bodies."""
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
        return normalise_quaternions(self, state_from(self, values, begin, "q", self.coordinates))

    def qdot_from(self, values: Any = None, start: np.ndarray | None = None) -> np.ndarray:
        """qdot in the same ways, in the order of `speeds`."""
        begin = self.start()[1] if start is None else start.copy()
        return begin if values is None else state_from(self, values, begin, "qdot", self.speeds)

    def __getstate__(self) -> dict[str, Any]:
        """Simulators that were made for it (driver.py) stay in their process."""
        return {name: value for name, value in self.__dict__.items() if name != "_simulators"}


def _look_up(parts: dict[str, Any], name: str, kind: str, model: str) -> Any:
    """A part by name; an unknown name is refused with the nearest."""
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
    """A new part, a part with changed fields, or None where it is removed."""
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
