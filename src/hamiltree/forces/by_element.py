"""What each force of a model stores, and the power of what it does beside, at many samples.

The laws are those of every run (dispatch.py), here with tables of one force each. Rows of Bodies
are the bodies with their own frames, then the ground; y and ydot hold coordinates of one axis.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.callback import pointer_table, select_rows, type_of
from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import rows, store
from hamiltree.compiled.pointer import StructPointer, unpack
from hamiltree.forces.dispatch import (
    BODY_ENERGY,
    BODY_LAW_ENTRIES,
    JOINT_ENERGY,
    JOINT_LAW_ENTRIES,
    JOINT_POWER,
    LOAD_WRENCHES,
    BodyLawDispatch,
    JointLawDispatch,
    address_at,
    allocate_law_states,
    call_law,
    laws_in_use,
    load_method,
    make_dispatch_tables,
)
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.forces.laws import (
    BODY_LAWS,
    JOINT_LAWS,
    Bodies,
    Placement,
    add_no_load_wrenches,
    tabulate,
)
from hamiltree.model.model import Model
from hamiltree.model.values import IDENTITY


class ElementLaws(NamedTuple):
    of_joints: JointLawDispatch
    joint_element: np.ndarray  # (laws along joints,) the force that each law belongs to
    of_bodies: BodyLawDispatch
    body_element: np.ndarray  # (laws on bodies,)
    # (laws on bodies + 1,) of `loaded`: where the rows that the loads of each law act on begin
    first: np.ndarray
    loaded: np.ndarray  # rows of Bodies


class Samples(NamedTuple):
    """States of a model, as many as there are times."""

    t: np.ndarray
    q: np.ndarray  # (samples, coordinates of one axis)
    qdot: np.ndarray
    pose: np.ndarray  # (samples, bodies, 7)
    twist: np.ndarray  # (samples, bodies, 6)
    inputs: np.ndarray  # (samples, numbers); (0, numbers): they are zero

    def at(self, order: np.ndarray, inputs: np.ndarray) -> "Samples":
        """Some of them, with other inputs."""
        given = inputs if len(self.inputs) else self.inputs
        t, q, qdot, pose, twist = (np.require(x[order], float, ["C", "W"]) for x in self[:5])
        return Samples(t, q, qdot, pose, twist, given)


class ForcesByElement:
    """The forces of a model, each by itself; `coordinates` are the columns of q."""

    def __init__(self, model: Model, forces: Sequence[Any], coordinates: Sequence[str]):
        """Tables of all forces, and arrays for one state."""
        self.count = len(forces)
        self.inputs = Inputs(model)
        n = len(model.bodies)
        with use_inputs(self.inputs):
            self.laws = tabulate_elements(forces, placement_of_bodies(model, coordinates))
        states = allocate_law_states(self.laws.of_bodies, 1)
        kinds = (Mat3, Vec3, Twist, Wrench)
        rotation, position, twist, wrench = (rows(kind, n + 1, 1) for kind in kinds)
        bodies = Bodies(rotation, position, twist, wrench, states)
        bodies.rotation[n] = np.eye(3).ravel()
        y, ydot = (rows(float, max(1, len(coordinates)), 1) for _ in range(2))
        self.pointer = StructPointer(self.laws, bodies, y, ydot, np.zeros(1), self.inputs.values)

    @property
    def loaded(self) -> np.ndarray:
        """The bodies whose poses and twists powers depend on."""
        ground = len(self.pointer.parts[1].position) - 1
        return np.setdiff1d(self.laws.loaded, [ground])

    def stored(self, samples: Samples) -> np.ndarray:
        """(samples, forces): potential energy."""
        found = np.zeros((len(samples.t), self.count))
        evaluate_elements(self.pointer, samples, found, found[:0])
        return found

    def powers(self, samples: Samples) -> np.ndarray:
        """(samples, forces): power that is no change of potential energy."""
        found = np.zeros((len(samples.t), self.count))
        evaluate_elements(self.pointer, samples, found[:0], found)
        return found


# ---- tables --------------------------------------------------------------------------------------
def placement_of_bodies(model: Model, coordinates: Sequence[str]) -> Placement:
    """Every body is a row of its own, every coordinate of one axis a column; none follows
    another.
    """
    row = {body.name: k for k, body in enumerate(model.bodies)}
    column = {label: k for k, label in enumerate(coordinates)}

    def axes(name: str) -> list[int]:
        if name in column:
            return [column[name]]
        return [k for label, k in column.items() if label.rpartition(".")[0] == name]

    def ball(name: str) -> tuple[str, str] | None:
        joint = model._joints_by_name.get(name)
        return (joint.parent, joint.child) if joint is not None and joint.has_ball else None

    return Placement(
        column.__getitem__,
        lambda name: (row[name], IDENTITY),
        tuple(coordinates),
        ground=len(model.bodies),
        body=model.body,
        axes=axes,
        ball=ball,
        model=model,
    )


def tabulate_elements(forces: Sequence[Any], placement: Placement) -> ElementLaws:
    """Tables of one force each, and which force each is of."""
    found = []
    for laws, key, functions, is_joint in (
        (JOINT_LAWS, "at", JOINT_LAW_ENTRIES, True),
        (BODY_LAWS, "row", BODY_LAW_ENTRIES, False),
    ):
        made = [
            (table, number)
            for number, force in enumerate(forces)
            for table in tabulate(laws_in_use(laws, [force]), [force], placement)
            if len(getattr(table, key))
        ]
        tables = [table for table, _ in made]
        owners = np.array([number for _, number in made], dtype=np.int64)
        found.append((tables, dispatch_elements(tables, functions, is_joint), owners))
    (_, joint_code, joint_owners), (tables, body_code, body_owners) = found
    loaded = [loaded_rows(table) for table in tables]
    first = np.cumsum([0, *map(len, loaded)])
    return ElementLaws(
        JointLawDispatch(*joint_code),
        joint_owners,
        BodyLawDispatch(*body_code),
        body_owners,
        first.astype(np.int64),
        np.concatenate([np.zeros(0, dtype=np.int64), *loaded]),
    )


def dispatch_elements(tables: Sequence[Any], functions: Sequence[Any], is_joint: bool) -> tuple:
    """Addresses of all tables, and of the functions that all tables of one type share."""
    types = [(type(table), type_of(table)) for table in tables]
    examples = dict(zip(types, tables, strict=True))
    place = {kind: k for k, kind in enumerate(examples)}
    code, _, has_any = make_dispatch_tables(list(examples.values()), functions, is_joint)
    table = pointer_table([(each,) for each in tables])
    return select_rows(code, [place[kind] for kind in types]), table, has_any


def loaded_rows(table: Any) -> np.ndarray:
    """The rows of Bodies that a law acts on, if it does more than change its potential energy."""
    if load_method(table) is add_no_load_wrenches:
        return np.zeros(0, dtype=np.int64)
    return np.unique(np.asarray(table.row, dtype=np.int64))


# ---- compiled ------------------------------------------------------------------------------------
@inlined
def read_sample(pointer, samples, s):
    """Sample s into the arrays of one state; the ground stays as it is."""
    _, bodies, y, ydot, _, values = unpack(pointer)
    for i in range(samples.q.shape[1]):
        y[i] = samples.q[s, i]
        ydot[i] = samples.qdot[s, i]
    for b in range(samples.pose.shape[1]):
        own = samples.pose[s, b]
        store(bodies.rotation, b, rotation_matrix(Quat(own[3], own[4], own[5], own[6])))
        store(bodies.position, b, Vec3(own[0], own[1], own[2]))
        for j in range(6):
            bodies.twist[b, j] = samples.twist[s, b, j]
    if samples.inputs.shape[0] > 0:
        for j in range(samples.inputs.shape[1]):
            values[j] = samples.inputs[s, j]


@kernel
def evaluate_elements(pointer, samples, energy, power):
    """Potential energy of each force at every sample, and its power less the change of that; either
    is left out if its array has no rows.
    """
    laws = unpack(pointer)[0]
    for s in range(samples.t.shape[0]):
        read_sample(pointer, samples, s)
        for k in range(laws.joint_element.shape[0]):
            add_joint_element(pointer, k, samples.t[s], s, energy, power)
        for k in range(laws.body_element.shape[0]):
            add_body_element(pointer, k, samples.t[s], s, energy, power)


@inlined
def add_joint_element(pointer, k, t, s, energy, power):
    """Law k along joints, at sample s."""
    laws, _, y, ydot, total, _ = unpack(pointer)
    element = laws.joint_element[k]
    if energy.shape[0] > 0:
        total[0] = 0.0
        call_law(laws.of_joints, k, JOINT_ENERGY, t, (t, y, total))
        energy[s, element] += total[0]
    if power.shape[0] > 0:
        total[0] = 0.0
        call_law(laws.of_joints, k, JOINT_POWER, t, (t, y, ydot, total))
        power[s, element] += total[0]


@inlined
def add_body_element(pointer, k, t, s, energy, power):
    """Law k on bodies, at sample s."""
    laws, bodies, _, _, total, _ = unpack(pointer)
    if energy.shape[0] > 0:
        total[0] = 0.0
        law_state = address_at(bodies.law_state, k)
        call_law(laws.of_bodies, k, BODY_ENERGY, t, (t, bodies, law_state, total))
        energy[s, laws.body_element[k]] += total[0]
    if power.shape[0] > 0 and laws.first[k] < laws.first[k + 1]:
        power[s, laws.body_element[k]] += power_of_loads(laws, k, t, bodies)


@inlined
def power_of_loads(laws, k, t, bodies):
    """Σ wrench · twist over the rows that a law acts on."""
    begin = laws.first[k]
    end = laws.first[k + 1]
    for place in range(begin, end):
        for j in range(6):
            bodies.wrench[laws.loaded[place], j] = 0.0
    call_law(laws.of_bodies, k, LOAD_WRENCHES, t, (t, bodies, address_at(bodies.law_state, k)))
    found = 0.0
    for place in range(begin, end):
        row = laws.loaded[place]
        for j in range(6):
            found += bodies.wrench[row, j] * bodies.twist[row, j]
    return found
