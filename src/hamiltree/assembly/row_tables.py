"""Constraint rows of a model as tables: which rows there are, their constants in the frames of a
formulation, and their values from Python.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamiltree.assembly.joint_rows import (
    RowSpec,
    StartConfiguration,
    rows_of_constraint,
    rows_of_coupling,
    rows_of_joint,
)
from hamiltree.assembly.rows import (
    ANGLE,
    KINDS_WITH_POINTS,
    Rows,
    Term,
    evaluate_row_rate,
    evaluate_row_rates,
    evaluate_rows,
    rows_workspace,
)
from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import read_only, size
from hamiltree.compiled.pointer import StructPointer, unpack
from hamiltree.compiled.user_code import UserCallback, code_table, compile_time_function
from hamiltree.errors import ModelError, OptionError
from hamiltree.forces.laws import Bodies
from hamiltree.model.bodies import GROUND
from hamiltree.model.model import Model
from hamiltree.model.values import IDENTITY
from hamiltree.symbolic.calculus import compile_time_expression
from hamiltree.symbolic.grammar import check_names, to_expression


# ---- which rows there are ------------------------------------------------------------------------
def closing_specs(model: Model, start_configuration: StartConfiguration) -> list[RowSpec]:
    """Rows that the tree does not keep by itself: closing joints, constraints, other couplings."""
    specs = [row for name in model.closing for row in rows_of_joint(model.joint(name))]
    specs += [
        row
        for k, part in enumerate(model.constraints)
        for row in rows_of_constraint(model, k, part, start_configuration)
    ]
    return specs + [
        row
        for coupling in model.couplings_as_constraints
        for row in rows_of_coupling(model, coupling, start_configuration)
    ]


def tree_specs(model: Model, start_configuration: StartConfiguration) -> list[RowSpec]:
    """Rows that the tree keeps by itself: those of its joints and couplings."""
    specs = [row for joint in model.tree_joints for row in rows_of_joint(joint)]
    rest = set(map(id, model.couplings_as_constraints))
    return specs + [
        row
        for part in model.couplings
        if id(part) not in rest
        for row in rows_of_coupling(model, part, start_configuration)
    ]


def add_driven_starts(specs: list[RowSpec], start: StartConfiguration) -> list[RowSpec]:
    """A driven speed moves its coordinate from where it starts."""
    return [
        replace(spec, constant=spec.constant + start.start_values.get(spec.drive.joint, 0.0))
        if spec.drive is not None and spec.drive.speed is not None
        else spec
        for spec in specs
    ]


def owner_of(spec: RowSpec) -> str:
    return f"{spec.part[0]} '{spec.part[1]}'"


def amount(value: float, spec: RowSpec, rate: str = "") -> str:
    return f"{abs(value):.3g} {'rad' if spec.is_angle else 'm'}{rate}"


# ---- tables --------------------------------------------------------------------------------------
def make_row_table(
    specs: Sequence[RowSpec], link_of_body, windings: Mapping[str, int] | None = None
) -> Rows:
    """Rows in the frames of a formulation; link_of_body(name) -> (row of Bodies, frame of the body
    in it). `windings`: the number of a counted angle by its coordinate; by itself, a table numbers
    them in order.
    """
    kinds = []
    ends = []
    winding = []
    counted = 0
    terms = []
    first = [0]
    rows = []
    points, new_points = (), []
    for spec in specs:
        for term in spec.terms:
            (i, frame_i), (j, frame_j) = link_of_body(term.i), link_of_body(term.j)
            Ri, Rj = frame_i.matrix, frame_j.matrix
            point_i = np.array(frame_i.position) + Ri @ term.at
            point_j = np.array(frame_j.position) + Rj @ term.to
            kinds.append(term.kind)
            ends.append((i, j))
            own = counted if windings is None else windings.get(term.label, -1)
            winding.append(own if term.counts_windings else -1)
            counted += term.counts_windings
            used = (i, j, *point_i, *point_j) if term.kind in KINDS_WITH_POINTS else points
            new_points.append(used != points)
            points = used
            # of the other kinds it is fixed in the world
            e = Ri @ term.e if term.kind == ANGLE else term.e
            terms.append(
                [*(Ri @ term.a), *(Rj @ term.b), *point_i, *point_j, *e, term.weight, term.start]
            )
        first.append(len(kinds))
        rows.append((spec.constant, spec.period))
    codes = [(None, []) if spec.drive is None else drive_code(spec) for spec in specs]
    width = max([1, *(len(numbers) for _, numbers in codes)])
    parameters = [numbers + [0.0] * (width - len(numbers)) for _, numbers in codes]
    return Rows(
        read_only(np.array(kinds, dtype=np.int64)),
        read_only(np.array(ends, dtype=np.int64).reshape(-1, 2)),
        read_only(np.array(winding, dtype=np.int64)),
        read_only(np.array(terms, dtype=float).reshape(-1, size(Term))),
        read_only(np.array(first, dtype=np.int64)),
        read_only(np.array(rows, dtype=float).reshape(-1, 2)),
        code_table(code for code, _ in codes),
        read_only(np.array(parameters, dtype=float).reshape(-1, width)),
        read_only(np.array(new_points, dtype=np.int64)),
    )


def drive_code(spec: RowSpec) -> tuple[UserCallback, list[float]]:
    """Compiled f, f', f'' of the time of a driven row, and its parameters."""
    drive = spec.drive
    try:
        if callable(drive.position):
            return compile_time_function(drive.position, 3), []
        names = tuple(sorted(drive.parameters))
        check_names({"variable": [], "parameter": names})
        is_rate = drive.speed is not None
        field = "speed" if is_rate else "position"
        expression = to_expression(getattr(drive, field), ("t", *names), field)
        code = compile_time_expression(expression, names, is_rate=is_rate).code
        return code, [drive.parameters[name] for name in names]
    except OptionError as error:
        raise ModelError(
            f"constraint '{spec.part[1]}' (drive of '{drive.joint}'): {error}", spec.part
        ) from error


# ---- values --------------------------------------------------------------------------------------
class RowValues(NamedTuple):
    """Rows at a state: value, rate, γ# and the gradient of each term, world axes."""

    value: np.ndarray
    rate: np.ndarray
    gamma: np.ndarray
    # (terms, 12): torque and force on i, on j, about the origins of the bodies
    row_jacobian: np.ndarray
    stretch: np.ndarray  # (terms, 2): Φ_p p of i and of j


class RowEvaluator:
    """Rows on the bodies of a model, evaluated from Python."""

    def __init__(self, model: Model, specs: Sequence[RowSpec], link_of_body=None):
        """The table of the rows, and arrays for the states of all bodies and the ground;
        `link_of_body` as of `make_row_table`, by itself the frames of the bodies.
        """
        self.rows = {body.name: k for k, body in enumerate(model.bodies)} | {
            GROUND: len(model.bodies)
        }
        own = lambda name: (self.rows[name], IDENTITY)
        self.table = make_row_table(specs, link_of_body or own)
        n = len(model.bodies) + 1
        self.bodies = Bodies(
            np.zeros((n, 9)),
            np.zeros((n, 3)),
            np.zeros((n, 6)),
            np.zeros((n, 6)),
            np.zeros(1, dtype=np.int64),
        )
        self.bodies.rotation[:] = np.eye(3).ravel()
        self.work = rows_workspace(self.table, 1)
        self.handle = StructPointer(self.table, self.work, self.bodies)

    def at(
        self, turn: np.ndarray, at: np.ndarray, twist: np.ndarray | None = None, t: float = 0.0
    ) -> RowValues:
        """Row values at rotations (n, 3, 3), origins (n, 3) and twists (n, 6) of the bodies, world
        axes.
        """
        n = len(at)
        terms = len(self.table.kind)
        rows = len(self.table.row)
        self.bodies.rotation[:n] = np.swapaxes(turn, 1, 2).reshape(n, 9)
        self.bodies.position[:n] = at
        self.bodies.twist[:n] = 0.0 if twist is None else twist
        evaluate_rows_and_rates(self.handle, float(t))
        work = self.work
        return RowValues(
            work.value[:rows].copy(),
            work.rate[:rows].copy(),
            work.gamma[:rows].copy(),
            work.row_jacobian[:terms].copy(),
            work.stretch[: 2 * terms].reshape(-1, 2).copy(),
        )


# ---- compiled ------------------------------------------------------------------------------------
@kernel
def evaluate_rows_and_rates(handle, t):
    """Φ, Φ̇, γ# and Jacobians of all rows into work; handle = (rows, work, bodies)."""
    table, work, bodies = unpack(handle)
    evaluate_rows(table, work, bodies, t)
    evaluate_row_rates(table, work, bodies)
    remember_angles(table, work)


@inlined
def set_known_angles(table, work, turns, sample):
    """Angles that are known, with their turns; a NaN is not known."""
    for k in range(turns.shape[1]):
        if table.winding[k] >= 0 and turns[sample, k] == turns[sample, k]:
            set_winding(work.windings, table.winding[k], turns[sample, k])


@inlined
def remember_angles(table, work):
    """The counted angles that were evaluated last: the next ones are those nearest to them."""
    for k in range(table.winding.shape[0]):
        if table.winding[k] >= 0:
            set_winding(work.windings, table.winding[k], work.angle[k])


@inlined
def set_winding(windings, number, angle):
    """A counted angle, at rest: it is not known when the next one will be asked for."""
    windings[1 + 2 * number] = angle
    windings[2 + 2 * number] = 0.0


@kernel
def evaluate_samples(handle, times, turns, rotation, position, twist, value, rate):
    """|Φ| and |Φ̇| of all rows at every sample: (samples, bodies, …) → (samples, rows);
    handle = (rows, work, bodies).

    turns: (samples, terms) angles as far as they are known; NaN: turns are counted on from the last
    sample.
    """
    table, work, bodies = unpack(handle)
    for k in range(times.shape[0]):
        set_known_angles(table, work, turns, k)
        for b in range(position.shape[1]):
            for j in range(9):
                bodies.rotation[b, j] = rotation[k, b, j]
            for j in range(3):
                bodies.position[b, j] = position[k, b, j]
            for j in range(6):
                bodies.twist[b, j] = twist[k, b, j]
        evaluate_rows(table, work, bodies, times[k])
        remember_angles(table, work)
        for row in range(table.row.shape[0]):
            evaluate_row_rate(table, work, bodies, row)
            value[k, row], rate[k, row] = abs(work.value[row]), abs(work.rate[row])
