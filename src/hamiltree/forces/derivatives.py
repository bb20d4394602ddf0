"""How the laws of a model change with positions and speeds: their own kernels at dual numbers.

A law on bodies is run with Bodies of duals, whose poses and twists change along four directions,
and its wrenches come with their derivatives; it writes nothing of its own for that. A law along
joint coordinates is seeded by the coordinate and the rate that it reads. Formulas are exact,
users' Python functions are differenced (compiled/dual_arrays.py).
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.turning import TurningRows
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.callback import (
    Addresses,
    Request,
    array_type,
    callback_table,
    entry,
    integers_type,
    make_callbacks,
    number_type,
    pointer_table,
    select_rows,
    struct_type,
    type_of,
)
from hamiltree.compiled.compile_errors import explain_failures
from hamiltree.compiled.dual_arrays import dual_rows, slope_rows, with_dual_code
from hamiltree.compiled.duals import ARITHMETIC, DIRECTIONS, seed, slope_of
from hamiltree.compiled.number import load, rows, store
from hamiltree.compiled.pointer import unpack
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import HAS_CODE
from hamiltree.forces.body_input import BodyInputs
from hamiltree.forces.body_law import BodyLaws
from hamiltree.forces.body_load import BodyLoads
from hamiltree.forces.bushing import Bushings
from hamiltree.forces.constant_force_spring import ConstantForceSprings
from hamiltree.forces.dispatch import BodyLawDispatch, JointLawDispatch, load_method, tables_of
from hamiltree.forces.gravitation import Attractions
from hamiltree.forces.joint_damper import BallDampers, JointDampers
from hamiltree.forces.joint_effort import JointEfforts
from hamiltree.forces.joint_input import BallInputs, JointInputs
from hamiltree.forces.joint_law import JointLaws
from hamiltree.forces.joint_spring import JointSprings
from hamiltree.forces.laws import (
    Bodies,
    add_no_load_wrenches,
    add_wrenches,
    element_verb,
    generalised_force,
)
from hamiltree.forces.orbiting_frame import OrbitingFrames
from hamiltree.forces.point_actuator import PointActuators
from hamiltree.forces.point_spring import PointSprings
from hamiltree.forces.pose_potential import PosePotentials
from hamiltree.forces.time_tables import BodyTables
from hamiltree.forces.torsion import Torsions
from hamiltree.forces.user_code import evaluate_element

# Their derivatives along the speeds are numbers, which the tables of a tree have.
CONSTANT_SLOPES = (
    JointSprings,
    JointDampers,
    JointEfforts,
    JointInputs,
    BallDampers,
    BallInputs,
)
# Loads that are the same at every speed; so are all that only change a potential energy.
LAWS_WITHOUT_SPEEDS = (BodyInputs, BodyLoads, BodyTables, OrbitingFrames)
# Between two bodies, and indifferent to a motion or a twist that both share.
RELATIVE_LAWS = (
    Attractions,
    Bushings,
    ConstantForceSprings,
    PointActuators,
    PointSprings,
    Torsions,
)

add_wrench_slopes = element_verb(
    "add_wrench_slopes",
    "add_wrench_slopes(table, t, bodies): add the wrench of every element, with its derivatives; "
    "bodies are of duals",
)
add_joint_slopes = element_verb(
    "add_joint_slopes",
    "add_joint_slopes(table, t, y, ydot, speed, by_position, by_rate): add the derivatives of "
    "every generalised force to matrices of speeds; coordinate i is along speed[i]",
)


@add_wrench_slopes.fallback(add_wrenches)
def add_wrenches_of_duals(table, t, bodies):
    add_wrenches(table, t, bodies)


@add_joint_slopes.fallback(generalised_force)
def add_slopes_along_coordinates(table, t, y, ydot, speed, by_position, by_rate):
    """Of a law that looks at its own coordinate only."""
    for k in range(table.at.shape[0]):
        at = table.at[k]
        Q = generalised_force(table, k, t, seed(load(y, at), 0), seed(load(ydot, at), 1))
        by_position[speed[at], speed[at]] += slope_of(Q, 0)
        by_rate[speed[at], speed[at]] += slope_of(Q, 1)


@add_joint_slopes.method(JointLaws)
def add_slopes_of_joint_laws(laws, t, y, ydot, speed, by_position, by_rate):
    """By every coordinate and rate that a law reads, four at a time."""
    for k in range(laws.at.shape[0]):
        begin, middle, end = laws.bounds[k, 0], laws.bounds[k, 1], laws.bounds[k, 2]
        inputs = stack_array(seed(0.0, 0), end - begin)
        out = stack_array(seed(0.0, 0), 1)
        for first in range(begin, end, DIRECTIONS):
            for j in range(begin, end):
                place, row = laws.inputs[j, 0], laws.inputs[j, 1]
                value = load(y, row) if j < middle else load(ydot, row)
                store(inputs, place, value)
                if first <= j < first + DIRECTIONS:
                    store(inputs, place, seed(value, j - first))
            evaluate_element(laws, k, 0, t, inputs, out)
            for j in range(first, min(first + DIRECTIONS, end)):
                slope = slope_of(load(out, 0), j - first)
                if j < middle:
                    by_position[speed[laws.at[k]], speed[laws.inputs[j, 1]]] += slope
                else:
                    by_rate[speed[laws.at[k]], speed[laws.inputs[j, 1]]] += slope


# ---- what is compiled for each law ---------------------------------------------------------------
@entry
def add_wrench_slopes_of(table, arguments):
    """ARITHMETIC is read, so that it is a part of the key of this code."""
    law, bodies = unpack(table)
    (t,) = unpack(arguments)
    if len(ARITHMETIC) > 0:
        add_wrench_slopes(law, t, bodies)


@entry
def add_joint_slopes_of(table, arguments):
    """As add_wrench_slopes_of."""
    (law,) = unpack(table)
    t, y, ydot, speed, by_position, by_rate = unpack(arguments)
    if len(ARITHMETIC) > 0:
        add_joint_slopes(law, t, y, ydot, speed, by_position, by_rate)


class LawSlopes(NamedTuple):
    """Code and tables of the laws that have derivatives of their own."""

    joint_code: Addresses  # (laws, 1)
    joint_table: Addresses
    body_code: Addresses  # (laws, 2): poses and twists are duals; only twists are
    body_table: Addresses  # (2 laws,): each with the bodies of either kind
    by_speed: np.ndarray  # (laws on bodies,) whether wrenches may depend on twists
    moving: Bodies  # poses and twists are duals
    speeding: Bodies  # twists are; wrenches are slopes alone


def make_bodies_of_duals(links: int) -> tuple[Bodies, Bodies]:
    """Scratch for laws, moving and speeding; the last row is the ground."""
    n = links + 1
    rotation, position = rows(Mat3, n, 1), rows(Vec3, n, 1)
    rotation[-1] = np.eye(3).ravel()
    twist, no_state = dual_rows(Twist, n), np.zeros(1, dtype=np.int64)
    turning = TurningRows(rotation, dual_rows(Vec3, n))
    return (
        Bodies(turning, dual_rows(Vec3, n), twist, dual_rows(Wrench, n), no_state),
        Bodies(rotation, position, twist, slope_rows(Wrench, n), no_state),
    )


def make_law_slopes(
    joint_laws: JointLawDispatch, body_laws: BodyLawDispatch, scales: "InputScales", links: int
) -> LawSlopes:
    """The laws of a System of so many links compiled for duals, but those whose derivatives are
    constant.
    """
    moving, speeding = make_bodies_of_duals(links)
    of_joints, of_bodies = (
        [with_dual_formulas(table, scales) for table in tables_of(laws) if has_own_slopes(table)]
        for laws in (joint_laws, body_laws)
    )
    t = number_type(1)
    matrix = array_type(2, 1)
    plain = t, array_type(1, 1), array_type(1, 1), integers_type(), matrix, matrix
    by_speed = [may_depend_on_speeds(table) for table in of_bodies]
    joint_requests = [[request(add_joint_slopes_of, (table,), plain)] for table in of_joints]
    body_requests = [
        [
            request(add_wrench_slopes_of, (table, bodies), (t,))
            for bodies in (moving, speeding if depends else moving)
        ]
        for table, depends in zip(of_bodies, by_speed, strict=True)
    ]
    named = {
        each: f"{each.dispatcher.__name__} {type(table).__name__}"
        for table, row in zip(
            (*of_joints, *of_bodies), (*joint_requests, *body_requests), strict=True
        )
        for each in row
    }
    with explain_failures(named):
        joint_code, body_code = make_callbacks(joint_requests), make_callbacks(body_requests)
    return LawSlopes(
        callback_table(joint_code, 1),
        pointer_table([(table,) for table in of_joints]),
        callback_table(body_code, 2),
        pointer_table([(table, each) for table in of_bodies for each in (moving, speeding)]),
        np.array(by_speed, dtype=np.int64),
        moving,
        speeding,
    )


def tables_on_bodies(laws: LawSlopes) -> list:
    return [pointer.parts[0] for pointer in laws.body_table.targets[::2]]


def request(function, context: tuple, arguments: tuple) -> Request:
    return Request(function, (struct_type(*map(type_of, context)), struct_type(*arguments)))


def has_own_slopes(table: Any) -> bool:
    return not isinstance(table, CONSTANT_SLOPES)


def select_constant_slopes(laws: BodyLawDispatch) -> BodyLawDispatch:
    """The laws on bodies that need no duals."""
    others = [k for k, table in enumerate(tables_of(laws)) if not has_own_slopes(table)]
    return BodyLawDispatch(
        select_rows(laws.code, others), select_rows(laws.table, others), len(others) > 0
    )


def may_depend_on_speeds(table: Any) -> bool:
    has_potential_only = load_method(table) is add_no_load_wrenches
    return not (has_potential_only or isinstance(table, LAWS_WITHOUT_SPEEDS))


def needs_direction(table: Any, moves: np.ndarray) -> bool:
    """Whether wrenches of a law may change along some directions; moves[row] says what moves a row
    of Bodies along them. Elements whose two rows move alike have nothing to add.
    """
    moved = moves[table.row.reshape(len(table.row), -1)]  # element, end, direction
    differs, is_relative = (moved[:, 0] != moved[:, -1]).any(1), relative_elements(table)
    return bool(np.where(is_relative, differs, moved.any((1, 2))).any())


def relative_elements(table: Any) -> np.ndarray:
    """Of each element, whether it is indifferent to what both of its rows share."""
    if isinstance(table, PosePotentials):
        return table.in_world == 0
    return np.full(len(table.row), isinstance(table, RELATIVE_LAWS))


# ---- formulas, and functions with the scales of their inputs -------------------------------------
class InputScales(NamedTuple):
    """By how much what a user's function reads changes, for the steps of differences."""

    length: float
    time: float
    coordinate: np.ndarray  # (coordinates,) 1 for angles, the length for slides


def body_law_scales(table, k, scales: InputScales) -> list[float]:
    length, rate = scales.length, 1.0 / scales.time
    return [*[length] * 3, *[1.0] * 4, *[rate] * 3, *[length * rate] * 3]


def actuator_scales(table, k, scales: InputScales) -> list[float]:
    return [scales.length, scales.length / scales.time]


def pose_scales(table, k, scales: InputScales) -> list[float]:
    pose = [*[scales.length] * 3, *[1.0] * 9]
    return [*pose, scales.length, *pose, *pose]


def joint_law_scales(table, k, scales: InputScales) -> list[float]:
    begin, middle, end = table.bounds[k]
    found = [1.0] * (end - begin)
    for j in range(begin, end):
        place, row = table.inputs[j]
        found[place] = float(scales.coordinate[row]) / (1.0 if j < middle else scales.time)
    return found


SCALES_OF_INPUTS: dict[type, Callable] = {
    BodyLaws: body_law_scales,
    PointActuators: actuator_scales,
    PosePotentials: pose_scales,
    JointLaws: joint_law_scales,
}


def with_dual_formulas(table: Any, scales: InputScales) -> Any:
    """The table of a law with its formulas compiled for duals; parameters of a Python function,
    which has none, are the scales of its inputs.
    """
    if not hasattr(table, "code"):
        return table
    changed = table._replace(code=with_dual_code(table.code))
    scale_inputs = SCALES_OF_INPUTS.get(type(table))
    functions = differenced_elements(table)
    if scale_inputs is None or not functions:
        return changed
    rows = {k: scale_inputs(table, k, scales) for k in functions}
    width = max(table.parameters.shape[1], *map(len, rows.values()))
    parameters = np.zeros((len(table.parameters), width))
    parameters[:, : table.parameters.shape[1]] = table.parameters
    for k, row in rows.items():
        parameters[k, : len(row)] = row
    parameters.flags.writeable = False
    return changed._replace(parameters=parameters)


def differenced_elements(table: Any) -> list[int]:
    """The elements of a law that call a user's Python function."""
    if not hasattr(table, "code"):
        return []
    return np.flatnonzero(np.asarray(table.code)[:, HAS_CODE] == 1).tolist()
