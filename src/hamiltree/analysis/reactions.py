"""Reactions of joints and forces of drives at the samples of a run: Bᵀλ of Spatial Dynamics,
(11.49), with constraint forces +Φ_qᵀλ (ERRATA 1-15).

Every joint, constraint, coupling and drive is a set of rows Φ with multipliers λ; cartesian_3 finds
those of independent rows together with the accelerations. Where rows repeat each other (every plane
loop in space) only the sum Bᵀλ is determined: the λ given are those of the least ‖λ‖ with this sum,
rows of orthogonality conditions (N1, N2 of assembly/rows.py) in N m, and in N times the natural
length of the model.
Reactions are forces of constraints alone. What acts along the axes that a joint leaves free
(springs, dampers, motors, limits, couplings, drives) is a force of its own and no part of them.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from hamiltree.analysis.newton_euler_reactions import (
    needs_newton_euler,
    reactions_by_newton_euler,
)
from hamiltree.analysis.reaction_samples import Frames, cartesian_states, check_samples
from hamiltree.analysis.reaction_targets import (
    AXES,
    Target,
    label_reactions,
    number_or_name,
    target_of_constraint,
    target_of_joint,
)
from hamiltree.analysis.redundant_rows import Loop, redundant_loops
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.joint_rows import RowSpec, joint_and_axis
from hamiltree.assembly.row_tables import make_row_table
from hamiltree.assembly.rows import rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.formulations.absolute.cartesian import CARTESIAN_3
from hamiltree.formulations.absolute.tables import CartesianTables, check_own_inertias
from hamiltree.formulations.batch import solve_samples
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Drive
from hamiltree.model.model import Model

MAX_BATCH_NUMBERS = 2**22  # numbers in the gradients of the samples that are worked on together
# a component that redundant rows can change by less, for a unit of λ, is determined; all as moments
DETERMINED_TOLERANCE = 1e-6
# of a redundant row: the part that is independent of the others, below which it counts as redundant
REDUNDANCY_TOLERANCE = 1e-4
PIVOT_TOLERANCE = 1e-12
MAX_LISTED = 3  # times that a note names


class Solutions(NamedTuple):
    """Some samples with what cartesian_3 solves for there."""

    frames: Frames
    solutions: np.ndarray  # (n, unknowns): accelerations of bodies and −λ, as the blocks hold them
    row_jacobian: np.ndarray  # (n, terms, 12) gradients about the centres of mass


class SolvedSamples(NamedTuple):
    """Some samples with the multipliers of all rows."""

    frames: Frames
    multipliers: np.ndarray  # (n, rows)
    row_jacobian: np.ndarray  # (n, terms, 12) gradients about the centres of mass
    null_vectors: np.ndarray  # (n, rows, redundant rows): changes of λ that leave Bᵀλ as it is


class Reactions:
    """Multipliers, reactions and forces of drives of a model that starts at the positions q of its
    tree (the model's own start if None).
    """

    def __init__(self, model: Model, q: np.ndarray | None = None, given: np.ndarray | None = None):
        """Tables of cartesian_3 and the rows of all joints and constraints."""
        self.model = model
        self.inputs = Inputs(model)
        self.given = given  # (samples, numbers): the inputs of a run; None if they are zero
        self.tables = make_tables(model, q)
        self.mechanism = self.tables.mechanism
        self.specs: list[RowSpec] = [*self.tables.own_specs, *self.mechanism.specs]
        self.is_kept = np.concatenate(
            [np.ones(len(self.tables.own_specs), dtype=bool), self.mechanism.kept]
        )
        self.table = make_row_table(self.specs, self.tables.link_of_body)
        self.body_row = {**self.tables.body_row, GROUND: len(model.bodies)}
        # what rows and motions of bodies (rotation, translation) are measured in: rad, or m
        length = self.tables.assembly.scales.length
        self.row_size = np.array([1.0 if spec.is_angle else length for spec in self.specs])
        self.motion_size = np.array([1.0] * 3 + [length] * 3)

    @cached_property
    def system(self):
        with use_inputs(self.inputs):
            return CARTESIAN_3.assemble(self.tables.assembly)

    @cached_property
    def unknowns(self) -> np.ndarray:
        """Where −λ of the independent rows stands in a solution."""
        return self.system.plan.at[len(self.model.bodies) + self.system.group] + self.system.place

    @cached_property
    def loops(self) -> list[Loop]:
        return redundant_loops(self.specs, self.is_kept, self.tables.body_row)

    def rows_of(self, part) -> list[int]:
        return [row for row, spec in enumerate(self.specs) if spec.part == part]

    # ---- multipliers -----------------------------------------------------------------------------
    def solve(self, t, pose, twist, q=None) -> np.ndarray:
        """λ of all rows, (n, rows), in the order of `specs`: tree joints, their couplings, closing
        joints, constraints, other couplings.

        pose (n, bodies, 7) and twist (n, bodies, 6) are those of a Trajectory. Angles of laws along
        joints count their turns from sample to sample; with q (n, coordinates) samples of tree
        joints may lie further apart than half a turn. NaN where the position is singular.
        """
        return np.concatenate(
            [
                np.zeros((0, len(self.specs))),
                *(piece.multipliers for piece in self.solve_in_batches(t, pose, twist, q)),
            ]
        )

    def solve_in_batches(self, t, pose, twist, q=None) -> Iterator[SolvedSamples]:
        """Multipliers of the samples, as many at once as MAX_BATCH_NUMBERS allows; those of
        redundant rows by least norm.
        """
        loops = self.loops
        for piece in self.solutions_in_batches(t, pose, twist, q):
            solved = -piece.solutions[:, self.unknowns]
            yield self.complete_multipliers(piece.frames, solved, piece.row_jacobian, loops)

    def solutions_in_batches(self, t, pose, twist, q=None) -> Iterator[Solutions]:
        """What cartesian_3 solves for at the samples: accelerations and −λ."""
        t, pose, twist = check_samples(self.model, t, pose, twist)
        work = CARTESIAN_3.workspace(self.system, 1)
        y = np.zeros(sum(self.system.layout))
        pointer = StructPointer(
            self.system, work, y, np.zeros_like(y), self.table, rows_workspace(self.table, 1)
        )
        known_angles = self.known_angles(len(t), q)
        many = max(1, MAX_BATCH_NUMBERS // self.numbers_per_sample)
        for first in range(0, max(1, len(t)), many):
            some = slice(first, first + many)
            frames, states = cartesian_states(self.model, pose[some], twist[some])
            solutions = np.zeros((len(states), len(work.solution)))
            row_jacobian = np.zeros((len(states), len(self.table.kind), 12))
            for a, b in self.constant_input_ranges(some, len(states)):
                solve_samples(
                    pointer,
                    t[some][a:b],
                    states[a:b],
                    known_angles[some][a:b],
                    solutions[a:b],
                    row_jacobian[a:b],
                )
            yield Solutions(frames, solutions, row_jacobian)

    def constant_input_ranges(self, some: slice, count: int) -> Iterator[tuple[int, int]]:
        """Ranges of samples with constant inputs, which are set meanwhile."""
        if self.given is None:
            yield 0, count
            return
        given = self.given[some]
        is_change = (np.diff(given, axis=0) != 0.0).any(axis=1)
        changes = np.flatnonzero(is_change) + 1
        for a, b in pairwise([0, *changes.tolist(), count]):
            self.inputs.values[:] = given[a]
            yield a, b

    @property
    def numbers_per_sample(self) -> int:
        """Of the Jacobians that are kept for one sample."""
        loops = [6 * (len(loop.kept) + len(loop.dropped)) * len(loop.bodies) for loop in self.loops]
        return 1 + 12 * len(self.table.kind) + sum(loops)

    @property
    def operations_per_sample(self) -> int:
        """Of the null spaces of loops with redundant rows, a QR of each."""
        return sum(12 * len(loop.bodies) * len(loop.kept) ** 2 for loop in self.loops)

    def known_angles(self, count: int, q) -> np.ndarray:
        """Angles of the coordinates that laws need, where q has them; NaN for the others."""
        terms = [spec.terms[0] for spec in self.coordinate_specs]
        found = np.full((count, len(terms)), np.nan)
        columns = {name: k for k, name in enumerate(self.model.coordinates)}
        for k, (spec, term) in enumerate(zip(self.coordinate_specs, terms, strict=True)):
            leader, ratio, offset = self.model.followers.get(spec.what, (spec.what, 1.0, 0.0))
            if q is not None and leader in columns:
                found[:, k] = (
                    ratio * np.asarray(q, dtype=float)[:, columns[leader]] + offset
                ) / term.weight
        return found

    @cached_property
    def coordinate_specs(self) -> list[RowSpec]:
        self.tables.laws()
        return self.tables.coordinate_rows.specs

    def complete_multipliers(
        self, frames: Frames, solved: np.ndarray, row_jacobian: np.ndarray, loops: list[Loop]
    ) -> SolvedSamples:
        """λ of all rows from those of independent ones: λ − N μ with the least norm, N the null
        space of Bᵀ.
        """
        count = len(solved)
        dropped = int((~self.is_kept).sum())
        multipliers = np.zeros((count, len(self.specs)))
        null_vectors = np.zeros((count, len(self.specs), dropped))
        multipliers[:, self.is_kept] = solved
        column = 0
        for loop in loops:
            rows, width = [*loop.kept, *loop.dropped], len(loop.dropped)
            null, is_regular = self.null_space(loop, row_jacobian)
            size = self.row_size[rows, None]
            square = np.swapaxes(null, 1, 2) @ null
            wanted = np.swapaxes(null, 1, 2) @ (multipliers[:, rows, None] * size)
            multipliers[:, rows] -= (null @ np.linalg.solve(square, wanted) / size)[..., 0]
            multipliers[np.ix_(np.flatnonzero(~is_regular), np.array(rows))] = np.nan
            null_vectors[:, rows, column : column + width] = null / size
            column += width
        return SolvedSamples(frames, multipliers, row_jacobian, null_vectors)

    def null_space(self, loop: Loop, row_jacobian: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Changes of λ of a loop, all as moments, kept rows first, that leave Bᵀλ: −C and 1 with
        C B_kept = B_dropped; and whether B_kept has its rank.
        """
        kept, dropped = (
            np.swapaxes(self.scaled_gradient(rows, loop.bodies, row_jacobian), 1, 2)
            for rows in (loop.kept, loop.dropped)
        )
        Q, R = np.linalg.qr(kept)
        pivots = np.abs(np.diagonal(R, axis1=1, axis2=2))
        is_regular = pivots.min(axis=1) > PIVOT_TOLERANCE * pivots.max(axis=1)
        R[~is_regular] = np.eye(R.shape[1])
        along = np.swapaxes(Q, 1, 2) @ dropped
        self.check_redundancy(loop, (dropped - Q @ along)[is_regular], dropped[is_regular])
        ones = np.broadcast_to(
            np.eye(len(loop.dropped)), (len(row_jacobian), len(loop.dropped), len(loop.dropped))
        )
        return np.concatenate([-np.linalg.solve(R, along), ones], axis=1), is_regular

    def check_redundancy(self, loop: Loop, rest: np.ndarray, whole: np.ndarray) -> None:
        """Refuse samples where a dropped row is independent: the start was a singular position."""
        limit = REDUNDANCY_TOLERANCE * np.linalg.norm(whole, axis=1)
        stray = (np.linalg.norm(rest, axis=1) > limit).any(axis=0)
        if stray.any():
            kind, name = self.specs[loop.dropped[int(stray.argmax())]].part
            raise FitError(
                f"{kind} '{name}': a row that is redundant at the start is not redundant at a "
                "later sample, so the start is a singular position; start the model beside it",
                part=(kind, name),
            )

    def gradient(self, rows: list[int], bodies: list[int], row_jacobian: np.ndarray) -> np.ndarray:
        """B: (n, rows, 6 · bodies), the Jacobian of some rows by the motions of some bodies."""
        table = self.table
        found = np.zeros((len(row_jacobian), len(rows), len(bodies), 6))
        for r, row in enumerate(rows):
            for k in range(table.first[row], table.first[row + 1]):
                for side in range(2):
                    body = table.ends[k, side]
                    if body in bodies:
                        part = row_jacobian[:, k, 6 * side : 6 * side + 6]
                        found[:, r, bodies.index(body)] += part
        return found.reshape(len(row_jacobian), len(rows), 6 * len(bodies))

    def scaled_gradient(
        self, rows: list[int], bodies: list[int], row_jacobian: np.ndarray
    ) -> np.ndarray:
        """B without units: lengths in parts of the natural length of the model."""
        motions = np.tile(self.motion_size, len(bodies))
        return self.gradient(rows, bodies, row_jacobian) * motions / self.row_size[rows, None]

    # ---- reactions -------------------------------------------------------------------------------
    def of(self, name: str | int, t, pose, twist, q=None) -> xr.Dataset:
        """Force (N) and moment (N m) of a joint on its child, by (t, axis): the moment about the
        origin of the joint frame on the parent.

        `force`, `moment` and `point` in world axes, `force_in_joint` and `moment_in_joint` in the
        joint axes on the parent. Of a constraint between bodies: on body_b at its point there, and
        in the axes of body_a. The opposite acts on the parent, or body_a.
        A constraint without a name goes by its number, from 1. What is not `unique` is that of the
        least ‖λ‖, and `note` says which components are determined all the same.
        """
        target = self.target(name)
        rows = self.rows_of(target.part)
        found = [
            self.reaction_wrenches(target, rows, piece)
            for piece in self.solve_in_batches(t, pose, twist, q)
        ]
        wrench, local, point = (
            np.concatenate(parts) for parts in zip(*(f[:3] for f in found), strict=True)
        )
        is_determined = np.all([f[3] for f in found], axis=0)
        about = {"unique": bool(is_determined.all())}
        about |= self.note(is_determined, times_without_number(t, wrench))
        return label_reactions(t, wrench, local, point, target, {target.part[0]: name}, about)

    def reaction_wrenches(self, target: Target, rows: list[int], piece: SolvedSamples):
        """Moment and force in world axes and in those of the target, the point, and which of the
        latter components are determined.
        """
        rotation, at, centre = piece.frames
        point_body, place = target.at
        axes_body, axes = target.axes
        on = self.body_row[target.on]
        near = self.body_row[point_body]
        point = at[:, near] + rotation[:, near] @ np.asarray(place)
        unit = self.unit_wrenches(target.on, rows, piece.row_jacobian)
        arm = np.broadcast_to((centre[:, on] - point)[:, None], unit[..., 3:].shape)
        unit[..., :3] += np.cross(arm, unit[..., 3:])
        to_local = rotation[:, self.body_row[axes_body]] @ axes
        local = np.concatenate([unit[..., :3] @ to_local, unit[..., 3:] @ to_local], axis=2)
        wrench, seen = (
            np.einsum("nri,nr->ni", x, piece.multipliers[:, rows]) for x in (unit, local)
        )
        change = np.abs(
            np.einsum("nri,nrd->nid", local * self.motion_size, piece.null_vectors[:, rows])
        )
        return wrench, seen, point, (change < DETERMINED_TOLERANCE).all(axis=(0, 2))

    def unit_wrenches(self, body: str, rows: list[int], row_jacobian: np.ndarray) -> np.ndarray:
        """(n, rows, 6): torque about the centre of mass and force on a body for λ = 1."""
        return self.gradient(rows, [self.body_row[body]], row_jacobian)

    def note(self, is_determined: np.ndarray, unknown: str) -> dict[str, str]:
        """What is said of reactions that redundant rows leave open, or that are not known."""
        if is_determined.all():
            return {"note": unknown} if unknown else {}
        names = [f"{what}_in_joint {axis}" for what in ("moment", "force") for axis in AXES]
        sure = (
            ", ".join(name for name, yes in zip(names, is_determined, strict=True) if yes)
            or "no component"
        )
        rows = self.mechanism.describe_redundant()
        return {
            "note": (
                f"redundant rows ({rows}): of the least norm of all that move the bodies alike; "
                f"determined: {sure}" + (f"; {unknown}" if unknown else "")
            )
        }

    def target(self, name: str | int) -> Target:
        """A joint, else a constraint between bodies, of this name or number."""
        targets: dict[Any, Target] = {
            joint.name: target_of_joint(joint) for joint in self.model.joints
        }
        drives, name = self.drives, number_or_name(name)
        for k, part in enumerate(self.model.constraints):
            if not isinstance(part, Drive):
                targets.setdefault(
                    part.name or k + 1, target_of_constraint(part.name or k + 1, part)
                )
        if name in targets:
            return targets[name]
        if name in drives:
            raise OptionError(
                f"{name!r} is a drive, which holds no bodies together; "
                f"ask for its drive_force, and for the reactions of joint {drives[name].joint!r}"
            )
        raise OptionError(
            f"there is no joint or constraint {name!r} in model {self.model.name!r}; "
            f"{suggest(name, map(str, targets))}"
        )

    # ---- drives ----------------------------------------------------------------------------------
    def drive_force(self, name: str | int, t, pose, twist, q=None) -> xr.DataArray:
        """Torque (N m) or force (N) of a drive along its coordinate, positive in its direction; the
        drive by its name or coordinate.
        """
        label, drive = self.drive(name)
        (row,) = self.rows_of(("constraint", label))
        joint, axis = joint_and_axis(self.model, drive.joint)
        about = {
            "drive": label,
            "joint": drive.joint,
            "units": "N m" if any(joint.screws()[axis][0]) else "N",
        }
        # A driven row is independent of all others, or the model is refused: its λ is unique. NaN
        # where the position is singular.
        found = np.concatenate(
            [piece.multipliers[:, row] for piece in self.solve_in_batches(t, pose, twist, q)]
        )
        return xr.DataArray(found, {"t": np.asarray(t, dtype=float)}, ("t",), "drive_force", about)

    @property
    def drives(self) -> dict[Any, Drive]:
        """By name, or number if they have none."""
        return {
            part.name or k + 1: part
            for k, part in enumerate(self.model.constraints)
            if isinstance(part, Drive)
        }

    def drive(self, name: str | int) -> tuple[str | int, Drive]:
        """By its name, its number or the coordinate that it moves."""
        name = number_or_name(name)
        by_coordinate = {drive.joint: label for label, drive in self.drives.items()}
        label = name if name in self.drives else by_coordinate.get(str(name))
        if label is None:
            raise OptionError(
                f"there is no drive {name!r} in model {self.model.name!r}; "
                f"{suggest(name, [*map(str, self.drives), *by_coordinate])}"
            )
        return label, self.drives[label]


def times_without_number(t, wrench: np.ndarray) -> str:
    """At which samples the position is singular, so that reactions are not known: NaN."""
    times = np.asarray(t, dtype=float)[~np.isfinite(wrench).all(axis=1)]
    if not len(times):
        return ""
    more = f" and {len(times) - MAX_LISTED} more" if len(times) > MAX_LISTED else ""
    listed = ", ".join(f"{time:g}" for time in times[:MAX_LISTED])
    return f"not known (NaN) at t = {listed} s{more}: constraints depend on each other there"


def make_tables(model: Model, q) -> CartesianTables:
    """Tables of cartesian_3; refused with a remedy if a body does not fit it."""
    try:
        check_own_inertias(model, CARTESIAN_3.name)
    except FitError as error:
        remedy = (
            "reactions are found by cartesian_3 alone, for which a small mass and inertia, "
            "or a body for the rotor, will do"
        )
        raise FitError(f"{error}; {remedy}", error.part, error.field) from error
    return CartesianTables(assemble_at_start(model, q), CARTESIAN_3.name)


# ---- of a run ------------------------------------------------------------------------------------
def reactions_of_run(run) -> tuple[Reactions, tuple]:
    """Reactions at the start of a run, and its samples."""
    q = run.dataset.get("q")
    is_known = (
        q is not None
        and len(q) > 0
        and tuple(map(str, q["coordinate"].values)) == tuple(run.model.coordinates)
    )
    known = q.values if q is not None and is_known else None
    given = run.dataset["input"].values if "input" in run.dataset else None
    reactions = Reactions(run.model, None if known is None else known[0], given)
    return reactions, (run.t.values, run.poses.values, run.twists.values, known)


def trajectory_reactions(run, name: str | int) -> xr.Dataset:
    """Reactions of a joint or constraint at the samples of a run: `Reactions.of`; of bodies without
    inertia, of rotors and of motions by Newton's and Euler's equations.
    """
    if needs_newton_euler(run.model):
        return reactions_by_newton_euler(run, name)
    reactions, samples = reactions_of_run(run)
    return reactions.of(name, *samples)


def trajectory_drive_force(run, name: str | int) -> xr.DataArray:
    """Torque or force of a drive at the samples of a run: `Reactions.drive_force`."""
    reactions, samples = reactions_of_run(run)
    return reactions.drive_force(name, *samples)
