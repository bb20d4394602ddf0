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
    # (laws,) addresses of what laws keep from call to call (dispatch.py), 0 for those that keep
    # nothing
    law_state: np.ndarray


def element_verb(name, doc):
    """A verb that is inlined: laws are a few operations per element."""
    return Generic(name, doc, leading=1).call


generalised_force = element_verb(
    "generalised_force",
    "generalised_force(table, k, t, x, v): generalised force of element k along its coordinate",
)
generalised_force_at_state = element_verb(
    "generalised_force_at_state",
    "generalised_force_at_state(table, k, t, y, ydot): the same, for a law that looks at other "
    "coordinates too",
)
joint_potential_energy = element_verb(
    "joint_potential_energy",
    "joint_potential_energy(table, k, t, x): potential energy of element k",
)
add_wrenches = element_verb(
    "add_wrenches", "add_wrenches(table, t, bodies): add the wrench of every element"
)
body_potential_energy = element_verb(
    "body_potential_energy",
    "body_potential_energy(table, t, bodies): potential energy of all elements",
)
# The same, element by element: a law whose elements do not look at each other answers these.
add_element_wrench = element_verb(
    "add_element_wrench", "add_element_wrench(table, k, t, bodies): add the wrench of element k"
)
add_spring_damper_wrench = element_verb(
    "add_spring_damper_wrench",
    "add_spring_damper_wrench(table, k, t, bodies, share): add `share` of what the spring of "
    "element k does, and all that its damper does",
)
element_potential_energy = element_verb(
    "element_potential_energy",
    "element_potential_energy(table, k, t, bodies): potential energy of element k",
)
# Of a law that keeps something from call to call: lists of neighbours.
add_wrenches_with_state = element_verb(
    "add_wrenches_with_state",
    "add_wrenches_with_state(table, t, bodies, state): the same, with the law's state",
)
body_potential_energy_with_state = element_verb(
    "body_potential_energy_with_state",
    "body_potential_energy_with_state(table, t, bodies, state): the same, with the law's state",
)
# A discrete gradient, of laws that have one: force and Σ f Xᵀ on every row between two states, of
# which V changes by their work.
add_discrete_gradient_forces = element_verb(
    "add_discrete_gradient_forces",
    "add_discrete_gradient_forces(table, t, begin, end, state, force, moment)",
)
# Registered with a law, by whether its part is conservative: what dampers and loads do to H.
dissipated_power = element_verb(
    "dissipated_power",
    "dissipated_power(table, k, t, y, ydot): power of element k that is no change of its potential "
    "energy",
)
add_load_wrenches = element_verb(
    "add_load_wrenches",
    "add_load_wrenches(table, t, bodies): wrenches, if that is no change of potential energy",
)


@generalised_force_at_state.fallback(generalised_force)
def generalised_force_at_coordinate(table, k, t, y, ydot):
    return generalised_force(table, k, t, load(y, table.at[k]), load(ydot, table.at[k]))


@add_wrenches.fallback(add_element_wrench)
def add_wrenches_of_elements(table, t, bodies):
    for k in range(table.row.shape[0]):
        add_element_wrench(table, k, t, bodies)


@add_wrenches.fallback(add_spring_damper_wrench)
def add_wrenches_of_springs_and_dampers(table, t, bodies):
    for k in range(table.row.shape[0]):
        add_spring_damper_wrench(table, k, t, bodies, 1.0)


@add_load_wrenches.fallback(add_spring_damper_wrench)
def add_wrenches_of_dampers(table, t, bodies):
    for k in range(table.row.shape[0]):
        add_spring_damper_wrench(table, k, t, bodies, 0.0)


@add_load_wrenches.fallback(add_wrenches)
def add_wrenches_as_load(table, t, bodies):
    add_wrenches(table, t, bodies)


@body_potential_energy.fallback(element_potential_energy)
def potential_energy_of_elements(table, t, bodies):
    total = 0.0 * t
    for k in range(table.row.shape[0]):
        total = total + element_potential_energy(table, k, t, bodies)
    return total


@add_wrenches_with_state.fallback(add_wrenches)
def add_wrenches_without_state(table, t, bodies, law_state):
    add_wrenches(table, t, bodies)


@body_potential_energy_with_state.fallback(body_potential_energy)
def body_potential_energy_without_state(table, t, bodies, law_state):
    return body_potential_energy(table, t, bodies)


@dataclass(frozen=True)
class Law:
    """Which dataclass of a model becomes which table, and how."""

    part: type
    table: type
    build: Callable


JOINT_LAWS: list[Law] = []
BODY_LAWS: list[Law] = []
# table -> (table, width) -> NamedTuple of arrays: the state of a law that keeps something
LAW_STATE_ALLOCATORS: dict[type, Callable] = {}


class Placement(NamedTuple):
    """Where a formulation keeps coordinates and bodies, for laws that are being tabulated."""

    coordinate: Callable[[str], int]  # joint name → row of q
    # body name → row of Bodies, and the body's frame in that row's frame
    link_of_body: Callable[[str], tuple[int, Frame]]
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


def link_of_end(placement: Placement, name: str) -> tuple[int, Frame]:
    """Row of Bodies of a body or the ground, and its frame in that row's frame."""
    return (placement.ground, IDENTITY) if name == GROUND else placement.link_of_body(name)


class LawError(Exception):
    """What is wrong with a field of a force, found when its law is tabulated; becomes a ModelError
    that names the force.
    """

    def __init__(self, force, field: str, reason: str) -> None:
        super().__init__(reason)
        self.force, self.field = force, field


def zero_dissipated_power(table, k, t, y, ydot):
    return 0.0 * load(ydot, table.at[k])


def total_power(table, k, t, y, ydot):
    return generalised_force_at_state(table, k, t, y, ydot) * load(ydot, table.at[k])


def add_no_load_wrenches(table, t, bodies):
    pass


def joint_law(part, table):
    """Decorator for `build(parts, placement) -> table` of a law along joint coordinates; one that
    stores only a part answers `dissipated_power`.
    """
    dissipated_power.method(table)(zero_dissipated_power if part.is_conservative else total_power)
    return lambda build: JOINT_LAWS.append(Law(part, table, build)) or build


def body_law(part, table):
    """Decorator for `build(parts, placement) -> table` of a law on bodies; one that stores only a
    part answers `add_spring_damper_wrench` or `add_load_wrenches`.
    """
    if part.is_conservative:
        add_load_wrenches.method(table)(add_no_load_wrenches)
    return lambda build: BODY_LAWS.append(Law(part, table, build)) or build


def tabulate(laws: list[Law], forces, placement: Placement) -> tuple:
    """One table per law, in the order of registration, empty where the model has none; a law that
    gives a list gives one per part.
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
    except LawError as fault:
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


def tabulate_along_joints(table, parts, placement: Placement):
    """The table of parts with a `joint`: rows of their coordinates, then a column for each field of
    the table from the field of the part that has its name.
    """
    _, *names = table._fields
    numbers = (column(getattr(part, name) for part in parts) for name in names)
    return table(coordinate_column(parts, placement), *numbers)


def coordinate_column(parts, placement: Placement) -> np.ndarray:
    """Rows of the coordinates that parts with a `joint` act along."""
    return column((placement.coordinate(part.joint) for part in parts), int)


def column(values, kind=float, width=0) -> np.ndarray:
    """Read-only array of a table, also when it is empty."""
    array = np.array(list(values), dtype=np.int64 if kind is int else np.float64)
    array = array.reshape((-1, width) if width else (-1,))
    array.flags.writeable = False
    return array
