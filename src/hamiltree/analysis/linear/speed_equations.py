"""The equations of motion of any model in independent speeds v of its spanning tree.

  u = N(q) v,  G N = 0,   Nᵀ (ID(q, u, u̇, t)) = 0 with u̇ = N v̇ + Ṅ v

ID is inverse dynamics of the tree (RNEA, with the model's forces), G the Jacobian of the rows of
loops and constraints; their multipliers drop out. N is one in the rows of the independent speeds.
Positions near a place are reached by moving the independent coordinates and closing the loops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.algorithms.rigid_body import Derivatives, Dynamics
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.joint_rows import RowSpec
from hamiltree.assembly.kinematics import retract
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_rank import null_space, select_independent_rows
from hamiltree.errors import FitError, OptionError
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.model.constraints import Motion
from hamiltree.model.model import Model

Array = np.ndarray
LEVELS = 4  # of the extrapolation of differences
FIRST_STEP = 2.0**-5  # rad, or parts of the size of the model
SMALLER = 2.0**-4
MAX_TRIALS = 5  # with smaller steps, where forces change faster
GOOD_ENOUGH = 1e-10
EPSILON = float(np.finfo(float).eps)
PREFERENCE = 2.0**10  # times as well determined: speeds that somebody has named
STANDSTILL = 1e-12  # of the natural rate: slower rows stand still


class SpeedEquations:
    """A model at time t; positions and speeds are those of its spanning tree."""

    def __init__(self, model: Model, t: float = 0.0):
        """The tree without its loops, bound to the rigid-body algorithms."""
        if not isinstance(model, Model):
            raise OptionError(f"give a Model, not {type(model).__name__}")
        self.model, self.t = model, float(t)
        refuse_parts(model)
        self.inputs = Inputs(model)
        with use_inputs(self.inputs):
            self.tree = Dynamics(spanning_tree_model(model))
        self.speeds = model.speeds

    def mechanism(self, q: Array) -> Mechanism:
        return Mechanism(self.model, q, self.t)

    @cached_property
    def natural_time(self) -> float:
        return assemble_at_start(self.model).scales.time

    def potential_energy(self, q: Array) -> float:
        return float(self.tree.energies(q, np.zeros(len(self.speeds)), self.t)[1])

    def check_drives(self, q: Array) -> None:
        """Rows must not move by themselves, nor begin to: nothing here knows their speeds."""
        moving = self.moving_rows(q)
        if moving:
            spec, rate = moving[0]
            does = "moves" if rate else "stands still but accelerates"
            raise OptionError(
                f"{spec.part[0]} {spec.part[1]!r} {does} at t = {self.t:g}, so that nothing rests "
                "there; give a time at which it stays, leave it out, or see steady_motion()"
            )

    def moving_rows(self, q: Array) -> list[tuple[RowSpec, float]]:
        """Rows that move or accelerate by themselves at q, with their rates (0 if they only begin
        to move).
        """
        if not self.model.has_rows:
            return []
        place = self.mechanism(q)
        found = place.at(q, np.zeros(len(self.speeds)))[0]
        rates, accelerations = found.rate / place.row_scale, found.gamma / place.row_scale
        moves = np.abs(rates) > STANDSTILL / self.natural_time
        begins = np.abs(accelerations) > STANDSTILL / self.natural_time**2
        return [
            (place.specs[k], float(found.rate[k]) if moves[k] else 0.0)
            for k in np.flatnonzero(moves | begins)
        ]

    def efforts(self, q: Array, u: Array, a: Array) -> Array:
        """ID: what must act beside the model's forces."""
        return self.tree.inverse_dynamics(q, u, a, t=self.t)


class Chart:
    """The equations near a position q: which speeds are independent there, and N."""

    def __init__(
        self,
        equations: SpeedEquations,
        q: Array,
        chosen: Array | None = None,
        preferred: Sequence[int] = (),
        size: float | None = None,
    ):
        """Rows must hold at q. The independent speeds are those `chosen`, or a well-conditioned
        choice, with those `preferred` among them if that can be. `size` of the model, m, is that at
        q unless it is given.
        """
        self.equations = equations
        self.place = equations.mechanism(q)
        if size is not None:
            self.place.size = size
        self.q = q
        self.has_rows = equations.model.has_rows
        self.weights = self.place.weights
        self.chosen = self.choose_speeds(preferred) if chosen is None else chosen
        self.held = frozenset(self.chosen.tolist())
        self.N = self.basis(q)

    def check(self) -> None:
        """Refuse a singular position: rows that depend on each other there but not beside it."""
        if self.has_rows:
            self.place.check()

    def choose_speeds(self, preferred: Sequence[int]) -> Array:
        """Rows of the speeds that determine all others best."""
        if not self.has_rows:
            return np.arange(len(self.weights))
        free = null_space(self.place.scaled_jacobian)
        free[list(preferred)] *= PREFERENCE
        chosen = np.flatnonzero(select_independent_rows(free))
        if len(chosen) != free.shape[1]:
            raise FitError("no choice of speeds determines all others there")
        return chosen

    def basis(self, q: Array) -> Array:
        """N(q)"""
        return self.basis_of(q, self.chosen)

    def basis_of(self, q: Array, chosen: Array) -> Array:
        """N(q) with these independent speeds."""
        if not self.has_rows:
            return np.eye(len(self.weights))[:, chosen]
        G = self.place.at(q)[1]
        free = null_space(self.place.scale_jacobian(G)) / self.weights[:, None]
        if free.shape[1] != len(chosen):
            self.check()  # names the parts, where it sees them
            raise FitError(
                f"a singular position of {self.place.model.name!r} is there: the number of its "
                "degrees of freedom changes beside it"
            )
        return free @ np.linalg.inv(free[chosen])

    def moved(self, z: Array) -> Array:
        """q where the independent coordinates have moved by z and the loops are closed."""
        step = np.zeros(len(self.weights))
        step[self.chosen] = z
        q = retract(self.place.tree, self.q, self.N @ z if self.has_rows else step)
        return self.place.closed_positions(q, self.held) if self.has_rows else q

    def along_motion(self, step: Array) -> Chart:
        """The chart of the same speeds at a place that a motion leads to."""
        q = retract(self.place.tree, self.q, step)
        if self.has_rows:
            q = self.place.closed_positions(q, self.held)
        return self.at(q)

    def at(self, q: Array) -> Chart:
        """The same speeds elsewhere."""
        return Chart(self.equations, q, self.chosen, size=self.place.size)

    def residual(self, q: Array, v: Array) -> Array:
        """Nᵀ ID at q, v and v̇ = 0."""
        N = self.N if q is self.q else self.basis(q)
        u = self.speeds_at(q, v)
        return N.T @ self.equations.efforts(q, u, self.accelerations_at(q, v, u))

    def speeds_at(self, q: Array, v: Array) -> Array:
        """All speeds of the tree."""
        return (self.N if q is self.q else self.basis(q)) @ v

    def accelerations_at(self, q: Array, v: Array, u: Array) -> Array:
        """Ṅ v, by differences of N along the motion."""
        size = float(np.abs(u * self.weights).max(initial=0.0))
        if not self.has_rows or size == 0.0:
            return np.zeros(len(u))
        tree = self.place.tree

        def along(step: float) -> Array:
            return self.speeds_at(retract(tree, q, u * (step / size)), v)

        return differentiate(along, FIRST_STEP)[0] * size

    # ---- matrices --------------------------------------------------------------------------------
    def mass(self) -> Array:
        return self.N.T @ self.equations.tree.mass_matrix(self.q) @ self.N

    def exact_derivatives(self, v: Array) -> Derivatives | None:
        """∂r/∂z, ∂r/∂v of a tree; None where rows close loops, or a Python function acts."""
        tree = self.equations.tree
        if self.has_rows or not tree.has_exact_derivatives:
            return None
        return tree.inverse_derivatives(self.q, v, np.zeros(len(v)), t=self.equations.t)

    def with_rounding(self, matrix: Array) -> tuple[Array, Array]:
        """An exact matrix, and how far rounding may reach: parts of the largest entry in the row
        and in the column, in units of the model.
        """
        scale = self.weights[self.chosen]
        sizes = np.abs(matrix) / np.outer(scale, scale)
        largest = np.maximum(sizes.max(axis=0, initial=0.0), sizes.max(axis=1, initial=0.0))
        root = np.sqrt(largest) * scale
        return matrix, EPSILON * np.outer(root, root)

    def stiffness(self, v: Array) -> tuple[Array, Array]:
        """∂r/∂z at v, and by how much each entry may be wrong."""
        exact = self.exact_derivatives(v)
        if exact is not None:
            return self.with_rounding(exact.q)
        steps = 1.0 / self.weights[self.chosen]
        return self.jacobian(lambda z: self.residual(self.moved(z), v), steps)

    def damping(self, v: Array) -> tuple[Array, Array]:
        """∂r/∂v"""
        exact = self.exact_derivatives(v)
        if exact is not None:
            return self.with_rounding(exact.qdot)
        steps = 1.0 / (self.weights[self.chosen] * self.equations.natural_time)
        return self.jacobian(lambda change: self.residual(self.q, v + change), steps)

    def jacobian(self, f: Callable[[Array], Array], steps: Array) -> tuple[Array, Array]:
        """Columns by extrapolated differences, and their errors; smaller steps where they do not
        agree.
        """
        count = len(steps)
        found = np.zeros((count, count))
        errors = np.zeros((count, count))
        for k in range(count):
            unit = np.zeros(count)
            unit[k] = steps[k]
            found[:, k], errors[:, k] = best_derivative(lambda x, unit=unit: f(x * unit))
        return found / steps[None], errors / steps[None]


def best_derivative(f: Callable[[float], Array]) -> tuple[Array, Array]:
    """f′(0) and its error, with the step whose extrapolation agrees best with itself."""
    best: tuple[Array, Array] | None = None
    step = FIRST_STEP
    for _ in range(MAX_TRIALS):
        value, error = differentiate(f, step)
        if best is None or np.abs(error).max() < np.abs(best[1]).max():
            best = value, error
        if np.abs(best[1]).max() <= GOOD_ENOUGH * np.abs(best[0]).max():
            break
        step *= SMALLER
    assert best is not None
    return best


def differentiate(f: Callable[[float], Array], step: float) -> tuple[Array, Array]:
    """f′(0) by central differences with halved steps and Richardson's extrapolation, and how far
    the last two extrapolations differ, with the rounding of f.
    """
    table: list[Array] = []
    error = rounding = np.zeros(0)
    for level in range(LEVELS):
        h = step * 0.5**level
        ahead, behind = f(h), f(-h)
        row = [(ahead - behind) / (2.0 * h)]
        rounding = EPSILON * (np.abs(ahead) + np.abs(behind)) / (2.0 * h)
        for k, coarser in enumerate(table, start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**k - 1.0))
        error = row[-1] - table[-1] if table else row[-1]
        table = row
    return table[-1], np.abs(error) + rounding


# ---- what is refused -----------------------------------------------------------------------------
def refuse_parts(model: Model) -> None:
    """Motions of bodies, and forces along joints that close loops."""
    for k, part in enumerate(model.constraints):
        if isinstance(part, Motion):
            raise FitError(
                f"{part.describe(k)}: a Motion leads body {part.body!r}, which has no independent "
                "speeds; hold it by a weld, or drive a joint",
                ("constraint", part.name or k + 1),
            )
    for k, force in enumerate(model.forces):
        joint = str(getattr(force, "joint", ""))
        if joint in model._closing_labels:
            raise FitError(
                f"{force.describe(k)} acts along joint {joint!r}, which closes a loop; declare "
                "another joint of the loop last, or let it act between points",
                ("force", force.name or k + 1),
            )


def spanning_tree_model(model: Model) -> Model:
    """The joints of the spanning tree, with all forces; no loops and no constraints."""
    if not model.has_rows:
        return model
    rows = model.couplings_as_constraints
    couplings = [coupling for coupling in model.couplings if coupling not in rows]
    return model.with_(joints=list(model.tree_joints), couplings=couplings, constraints=())


def speed_units(chart: Chart) -> list[str]:
    """rad or m of each speed of the tree."""
    found = ["rad"] * len(chart.weights)
    for columns in chart.place.kinematics.columns:
        for row, _, twist in columns:
            if not twist[:3].any():
                found[row] = "m"
    return found


def start_of(model: Model, at: Any) -> Array:
    """q of the model: its start if None, by name or in order."""
    return model.q_from(at)
