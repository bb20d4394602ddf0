"""Checks of a model as a whole: names, ends of joints, targets of forces, couplings, drives.

A part alone is checked where it is made.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hamiltree.errors import ModelError, suggest
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import CONSTRAINTS, Constraint, Drive, Motion
from hamiltree.model.couplings import COUPLINGS, Coupling
from hamiltree.model.forces import FORCES, Force
from hamiltree.model.frames import NO_FRAMES
from hamiltree.model.joints import (
    JOINTS,
    Free,
    Joint,
    axis_labels,
    coordinate_labels,
    speed_labels,
)
from hamiltree.model.labels import are_labels_names, joint_labels
from hamiltree.model.pair_force import PairForce
from hamiltree.model.pair_force_checks import check_pair_force
from hamiltree.model.topology import closing_joints, find_root, is_declared_tree

if TYPE_CHECKING:
    from hamiltree.model.model import Model

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

SAME_START = 1e-9  # of the numbers compared: starts that differ by less differ by rounded digits


def count_parts(n: int, group: str) -> str:
    return f"{n} {SINGULAR_NAMES[group] if n == 1 else group}"


def check_parts(values: Any, group: str, kind: type) -> tuple[Any, ...]:
    """The parts of a group as a tuple, each of its class."""
    if isinstance(values, kind):
        values = (values,)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise ModelError(
            f"model: {group} = {values!r} is not a sequence; give a list of {group}", None, group
        )
    parts = tuple(values)
    abstract = (Joint, Force, Coupling, Constraint)
    if all(issubclass(made, kind) and made not in abstract for made in set(map(type, parts))):
        return parts
    for i, part in enumerate(parts):
        if not isinstance(part, kind) or type(part) in abstract:
            raise ModelError(
                f"model: {group}[{i}] is a {type(part).__name__}; give {_examples(kind)}",
                (SINGULAR_NAMES[group], i + 1),
                None,
            )
    return parts


def _examples(kind: type) -> str:
    """What may stand in a group, for a message."""
    registry = {Joint: JOINTS, Force: FORCES, Coupling: COUPLINGS, Constraint: CONSTRAINTS}.get(
        kind
    )
    return (
        "one of " + ", ".join(cls.__name__ for cls in registry.values())
        if registry
        else f"a {kind.__name__}"
    )


def check_names(model: Model) -> None:
    """Every name of a group is used once."""
    for group in KINDS:
        if group == "bodies" and has_joint_ends(model):  # found by the names of all bodies
            continue
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
    if any(body.frames is not NO_FRAMES for body in model.bodies):
        check_frame_names(model)


def check_frame_names(model: Model) -> None:
    """Bodies and frames have names of their own: both are asked for by name."""
    seen = {GROUND, *(body.name for body in model.bodies)}
    for body in model.bodies:
        for name in body.frames:
            if name in seen:
                raise ModelError(
                    f"body {body.name!r}: the name of its frame {name!r} is used twice; give every "
                    "body and every frame a name of its own",
                    ("body", body.name),
                    "frames",
                )
            seen.add(name)


def has_joint_ends(model: Model) -> bool:
    """Whether every end of a joint is one body of the model, or the ground."""
    with suppress(KeyError):
        return bool(model.joint_ends)
    return False


def check_joint_ends(model: Model) -> None:
    """Every joint connects bodies of the model or the ground."""
    if has_joint_ends(model):
        return
    names = dict.fromkeys([GROUND, *(body.name for body in model.bodies)])  # in their order
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


def check_targets(model: Model) -> None:
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
    """The joints and bodies that a force or a constraint names are there."""
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


def check_drives(model: Model) -> None:
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


def check_motions(model: Model) -> None:
    """A body of a prescribed motion has one free joint to the ground and no other, and is moved
    once.
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


def check_pair_forces(model: Model) -> None:
    for i, force in enumerate(model.forces):
        if isinstance(force, PairForce):
            check_pair_force(force, model, force.describe(i), ("force", force.name or i + 1))


def check_connected(model: Model) -> None:
    """A chain of joints connects every body to the ground."""
    n, ends = len(model.bodies), model.joint_ends
    if is_declared_tree(n, *ends):
        return
    parents, children = ends[0].tolist(), ends[1].tolist()
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
        f"({count_parts(len(cut_off), 'bodies')} cut off); "
        f"join one of them to {GROUND!r} or to a body that is",
        ("body", name),
        None,
    )


def check_couplings(model: Model) -> None:
    """Every coupling names two coordinates of one axis, and a coordinate follows one other at
    most.
    """
    _check_labels(model)
    if not model.couplings:
        return
    axes = {
        label for joint in model.joints for label in coordinate_labels(joint)[: len(joint.screws())]
    }
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
    _check_starts_of_followers(model, followed)


def _check_labels(model: Model) -> None:
    """No two coordinates, and no two speeds, are called the same."""
    if are_labels_names(model.joints):  # which were checked
        return
    for kind, names in (("coordinates", coordinate_labels), ("speeds", speed_labels)):
        labels = joint_labels(model.joints, names)
        if len(set(labels)) == len(labels):
            continue
        counts = Counter(labels)
        twice = next((label for label, count in counts.items() if count > 1), "")
        if twice:
            raise ModelError(
                f"two {kind} are called {twice!r}; rename a joint",
                ("joint", twice.rpartition(".")[0]),
                "name",
            )


def _check_starts_of_followers(model: Model, followed: dict[str, str]) -> None:
    """A coordinate that follows another has no start values of its own: a joint of one axis leaves
    them out; of several axes they are zero, or what the coupling says.
    """
    for joint in model.joints if model.followers else ():
        if joint.name in model.followers and any(x for part in joint.start() for x in part):
            leader = followed[joint.name]
            raise ModelError(
                f"joint {joint.name!r} follows {leader!r}, so it cannot have a start of its own; "
                "leave its q and qdot out",
                ("joint", joint.name),
                "q",
            )
    starts: dict[str, tuple[float, float]] = {}
    if any(joint.coordinates > 1 and _follows(joint, model) for joint in model.joints):
        starts = {label: start for joint in model.joints for label, start in _axis_starts(joint)}
    for joint in model.joints if starts else ():
        for label, start in _axis_starts(joint):
            if label in model.followers:
                _refuse_contradicting_start(model, joint, label, start, starts)


def _follows(joint: Joint, model: Model) -> bool:
    """Whether an axis of the joint follows a coordinate."""
    return any(label in model.followers for label, _ in axis_labels(joint))


def _axis_starts(joint: Joint) -> list[tuple[str, tuple[float, float]]]:
    """(coordinate, (q, qdot) at the start) of each axis of a joint."""
    labels = [label for label, _ in axis_labels(joint)]
    return list(zip(labels, zip(*joint.start(), strict=False), strict=False))


def _refuse_contradicting_start(
    model: Model,
    joint: Joint,
    label: str,
    start: tuple[float, float],
    starts: dict[str, tuple[float, float]],
) -> None:
    """Refuse a start of an axis that is neither zero nor what its leader's start makes of it."""
    leader, ratio, offset = model.followers[label]
    for what, own, led, constant in zip(
        ("q", "qdot"), start, starts[leader], (offset, 0.0), strict=True
    ):
        wanted = ratio * led + constant
        size = abs(own) + abs(ratio * led) + abs(constant)
        if own and abs(own - wanted) > SAME_START * size:
            raise ModelError(
                f"joint {joint.name!r}: {what} of {label!r} starts at {own:g}, but it follows "
                f"{leader!r}, by which it starts at {wanted:g}; give zero there, and the start of "
                f"{leader!r}",
                ("joint", joint.name),
                what,
            )


def _check_cycles(model: Model, followed: dict[str, str]) -> None:
    """No coordinate may follow itself, through however many others; each is visited once."""
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
