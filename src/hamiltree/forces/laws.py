"""What a force law must answer, and how the laws of a model become tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import Generic
from hamiltree.compiled.number import load
from hamiltree.errors import FitError, ModelError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.couplings import Follower
from hamiltree.model.values import IDENTITY, Frame


class Bodies(NamedTuple):
    """What a body law sees and fills, row by row; world axes, wrenches about the row's origin."""

    rotation: np.ndarray  # Mat3
    position: np.ndarray  # Vec3: origin
    twist: np.ndarray  # Twist of the origin
    wrench: np.ndarray  # Wrench: what the laws add
    # (laws,) addresses of what laws keep from call to call (packed.py), 0 for those that keep
    # nothing
    room: np.ndarray


def element_verb(name, doc):
    """A verb that is inlined: laws are a few operations an element."""
    return Generic(name, doc, leading=1).call


effort = element_verb(
    "effort", "effort(table, k, t, x, v): generalised force of element k along its coordinate"
)
effort_of = element_verb(
    "effort_of",
    "effort_of(table, k, t, y, ydot): the same, for a law that looks at other coordinates too",
)
stored = element_verb("stored", "stored(table, k, t, x): potential energy of element k")
push = element_verb("push", "push(table, t, bodies): add the wrench of every element")
held = element_verb("held", "held(table, t, bodies): potential energy of all elements")
# Of a law that keeps something from call to call: lists of neighbours.
push_in = element_verb("push_in", "push_in(table, t, bodies, room): push, with the law's room")
held_in = element_verb("held_in", "held_in(table, t, bodies, room): held, with the law's room")
# A discrete gradient, of laws that have one: force and Σ f Xᵀ on every row between two states, of
# which V changes by their work.
push_between = element_verb(
    "push_between", "push_between(table, t, begin, end, room, force, moment)"
)
# Registered with a law, by whether its part is conservative: what dampers and loads do to H.
spent = element_verb(
    "spent",
    "spent(table, k, t, y, ydot): power of element k that is no change of its potential energy",
)
push_load = element_verb(
    "push_load", "push_load(table, t, bodies): push, if that is no change of potential energy"
)


@effort_of.lift(effort)
def effort_at_its_coordinate(table, k, t, y, ydot):
    return effort(table, k, t, load(y, table.at[k]), load(ydot, table.at[k]))


@push_in.lift(push)
def push_without_room(table, t, bodies, room):
    push(table, t, bodies)


@held_in.lift(held)
def held_without_room(table, t, bodies, room):
    return held(table, t, bodies)


@dataclass(frozen=True)
class Law:
    """Which dataclass of a model becomes which table, and how."""

    part: type
    table: type
    build: Callable


JOINT_LAWS: list[Law] = []
BODY_LAWS: list[Law] = []
# table -> (table, width) -> NamedTuple of arrays: the room of a law that keeps something
ROOMS: dict[type, Callable] = {}


class Placement(NamedTuple):
    """Where a formulation keeps coordinates and bodies, for laws that are being tabulated."""

    coordinate: Callable[[str], int]  # joint name → row of q
    # body name → row of Bodies, and the body's frame in that row's frame
    carrier: Callable[[str], tuple[int, Frame]]
    # names of all joints of one coordinate, for laws that may look at any of them
    joints: tuple[str, ...] = ()
    ground: int = -1  # row of the ground in Bodies: its twist is zero, a wrench on it has no effect
    body: Callable[[str], Body] | None = None  # body name → what it weighs
    # joint name → rows of all its coordinates but those of a ball; None: one each
    axes: Callable[[str], list[int]] | None = None
    # joint name → the two bodies, parent first, if it holds a ball
    ball: Callable[[str], tuple[str, str] | None] | None = None
    # coordinates that are none of their own
    followers: Mapping[str, Follower] = MappingProxyType({})
    model: Any = None  # for laws that act on all bodies


def end_of(placement: Placement, name: str) -> tuple[int, Frame]:
    """Row of Bodies of a body or the ground, and its frame in that row's frame."""
    return (placement.ground, IDENTITY) if name == GROUND else placement.carrier(name)


class LawFault(Exception):
    """What is wrong with a field of a force, found when its law is tabulated; becomes a ModelError
    that names the force.
    """

    def __init__(self, force, field: str, reason: str) -> None:
        super().__init__(reason)
        self.force, self.field = force, field


def no_power(table, k, t, y, ydot):
    return 0.0 * load(ydot, table.at[k])


def whole_power(table, k, t, y, ydot):
    return effort_of(table, k, t, y, ydot) * load(ydot, table.at[k])


def no_push(table, t, bodies):
    pass


def whole_push(table, t, bodies):
    push(table, t, bodies)


def joint_law(part, table):
    """Decorator for `build(parts, placement) -> table` of a law along joint coordinates; one that
    stores only a part answers `spent`.
    """
    spent.method(table)(no_power if part.is_conservative else whole_power)
    return lambda build: JOINT_LAWS.append(Law(part, table, build)) or build


def body_law(part, table):
    """Decorator for `build(parts, placement) -> table` of a law on bodies; one that stores only a
    part answers `push_load`.
    """
    push_load.method(table)(no_push if part.is_conservative else whole_push)
    return lambda build: BODY_LAWS.append(Law(part, table, build)) or build


def tabulate(laws: list[Law], forces, placement: Placement) -> tuple:
    """One table a law, in the order of registration, empty where the model has none; a law that
    gives a list gives one a part.
    """
    leading = [
        on_leader(force, position, placement.followers) for position, force in enumerate(forces)
    ]
    try:
        built = [
            law.build([part for part in leading if type(part) is law.part], placement)
            for law in laws
        ]
        return tuple(
            table
            for tables in built
            for table in (tables if isinstance(tables, list) else [tables])
        )
    except LawFault as fault:
        position = next(k for k, force in enumerate(leading) if force is fault.force)
        who = forces[position].describe(position)
        raise ModelError(
            f"{who}: {fault}", ("force", fault.force.name or position + 1), fault.field
        ) from fault.__cause__


def on_leader(force, position: int, followers: Mapping[str, Follower]):
    """The force itself, or what it is on the joint that leads its own."""
    follower = followers.get(getattr(force, "joint", ""))
    if follower is None:
        return force
    try:
        return force.on_leader(follower.ratio, follower.offset, follower.leader)
    except ModelError as error:
        error.part = error.part or ("force", position + 1)
        raise


def check_laws(forces) -> None:
    """Refuse a force that no law computes, by name: it would otherwise be accepted and then
    ignored.
    """
    known = {law.part for law in (*JOINT_LAWS, *BODY_LAWS)}
    for position, force in enumerate(forces):
        if type(force) not in known:
            raise FitError(
                f"{force.describe(position)}: no law computes a {type(force).__name__}; remove it, "
                "or register a law for it",
                part=("force", force.name or position + 1),
            )


def column(values, kind=float, width=0) -> np.ndarray:
    """Read-only array of a table, also when it is empty."""
    array = np.array(list(values), dtype=np.int64 if kind is int else np.float64)
    array = array.reshape((-1, width) if width else (-1,))
    array.flags.writeable = False
    return array
