"""Linear equations of any model near a rest or a steady motion.

  M δv̇ + C δv + K δz = Q,   δż = δv + E δz

z, v are the independent coordinates and speeds (speed_equations.py), on the manifold of the
constraints. M is exact, and so are K and C of trees; with loops, or with a Python function as a
force, they are extrapolated central differences of the exact equations, whose error is estimated
(`accuracy`). C = damping (symmetric) + gyroscopic (skew), K likewise stiffness
and circulatory part. E is not zero for balls that turn: δθ̇ = δω − ω × δθ in the child's axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.directions import ROUNDING, PrincipalDirections
from hamiltree.analysis.linear.rest import MechanismEquilibrium
from hamiltree.analysis.linear.short_tables import short_table
from hamiltree.analysis.linear.speed_equations import (
    Chart,
    SpeedEquations,
    speed_units,
    start_of,
)
from hamiltree.analysis.linear.spinning import SpinningChart
from hamiltree.analysis.linear.steady import SteadyMotion, spins_of_state
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model.accessors import Accessor
from hamiltree.model.model import Model
from hamiltree.model.model_state import quaternion_rows
from hamiltree.rotations import skew

Array = np.ndarray
STEADY_TOLERANCE = 1e-7  # rad, parts of the size or of inertia forces: more is no steady motion
CONSTANT = 1e-7  # of M and K: larger changes along a steady motion are no rounding
CLOSED_SPEEDS = 1e-8  # of the fastest: named speeds that differ more do not fit each other
PER_COORDINATE = "N m or N per rad or m"
PER_SPEED = "N m or N per rad/s or m/s"
REGULAR_TOLERANCE = 1e-12  # of the inertias of single speeds: what is less moves nothing
POLE_ROUNDING = 16 * float(np.finfo(float).eps)  # of a pole: what is nearer is the pole


def linearise(
    model: Model | MechanismEquilibrium | SteadyMotion,
    at: Any = None,
    qdot: Any = None,
    *,
    t: float | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
) -> Linearisation:
    """Linear equations of a model about `at`: q by name or in order, an equilibrium, a steady
    motion, or its start; `qdot` of a steady motion (at rest if not given); `t` is that of the
    equilibrium, else 0.

    `inputs`: the model's inputs (JointInput, BodyInput) unless speeds are named, along which
    efforts then act. `outputs`: speeds of the tree whose coordinates are the outputs; the
    independent ones unless named.
    """
    if isinstance(model, SteadyMotion):
        return linearise_steady(model, qdot, t, inputs, outputs)
    if isinstance(at, SteadyMotion):
        return linearise_steady(at, qdot, t, inputs, outputs)
    if isinstance(model, MechanismEquilibrium):
        model, at = model.model, model
    if isinstance(at, MechanismEquilibrium):
        at, t = at.q.values, at.t if t is None else t
    equations = SpeedEquations(model, t or 0.0)
    q = start_of(model, at)
    if model.has_rows:
        q = equations.mechanism(q).closed_positions(q, frozenset())
        equations.check_drives(q)
    chart = Chart(equations, q)
    chart.check()
    v = close_speeds(chart, qdot)
    spins = spins_of_state(model, q, chart.N @ v) if v.any() else ()
    if spins:
        turning = SpinningChart(equations, q, {}, spins)
        v, chart = (chart.N @ v)[turning.chosen], turning
    return Linearisation(chart, v, inputs, outputs)


def linearise_steady(
    steady: SteadyMotion, qdot: Any, t: float | None, inputs: Any, outputs: Any
) -> Linearisation:
    """About a steady motion; what is driven keeps its speed."""
    if qdot is not None or t is not None:
        raise OptionError("a steady motion has its own qdot and t; leave them out")
    chart = steady.place.chart()
    chart.check()
    return Linearisation(chart, steady.place.u[chart.chosen], inputs, outputs)


def close_speeds(chart: Chart, qdot: Any) -> Array:
    """v with the named speeds N v, the least where they leave a choice; refused where loops and
    constraints do not allow them.
    """
    model = chart.equations.model
    zeros = np.zeros(len(model.speeds))
    if qdot is None:
        return zeros[chart.chosen]
    given = model.qdot_from(qdot, zeros)
    named = np.flatnonzero(given == model.qdot_from(qdot, zeros + 1.0))  # not those of the start
    weights, scale = chart.weights[named], chart.weights[chart.chosen]
    rows = chart.N[named] * weights[:, None] / scale
    v = np.linalg.lstsq(rows, given[named] * weights, rcond=None)[0] / scale
    closed = chart.N @ v
    missed = np.abs(closed - given)[named] * weights
    if missed.max(initial=0.0) > CLOSED_SPEEDS * np.abs(given * chart.weights).max():
        worst = int(named[np.argmax(missed)])
        name = model.speeds[worst]
        raise OptionError(
            f"qdot: {name!r} cannot be {given[worst]:.6g} with the others that are named: loops "
            f"and constraints leave {closed[worst]:.6g} at the nearest; name fewer speeds, or "
            "those that fit"
        )
    return v


class Linearisation:
    """M, C, K and the state space of a model near a rest or a steady motion, with names and
    units.
    """

    plot = Accessor("hamiltree.view.linear_plots:LinearPlots")

    def __init__(self, chart: Chart, v: Array, inputs: Any, outputs: Any):
        """Differences of the equations; refused where nothing is steady or inertia is singular."""
        self.chart, self.model = chart, chart.equations.model
        self.u = chart.speeds_at(chart.q, v)
        units = speed_units(chart)
        self.names = [self.model.speeds[k] for k in chart.chosen]
        self.units = [units[k] for k in chart.chosen]
        self.scale = chart.weights[chart.chosen]
        self.M = chart.mass()
        self.K, self.K_errors = chart.stiffness(v)  # ∂r/∂z
        self.velocity_matrix, errors = chart.damping(v)  # ∂r/∂v
        first = self.relative_error(self.K, self.K_errors)
        self.accuracy = max(first, self.relative_error(self.velocity_matrix, errors))
        self.mass = self.label(self.M, "kg m², kg m or kg")
        self.stiffness, self.circulatory = self.split(self.K, PER_COORDINATE)
        self.damping, self.gyroscopic = self.split(self.velocity_matrix, PER_SPEED)
        self.check_inertia()
        self.check_steady(v)
        self.check_constant(v)
        self.E = self.turning(v)
        self.input_names, self.B_forces = self.input_forces(inputs)
        self.output_rows = self.find_outputs(outputs)

    def __repr__(self) -> str:
        """A short table of the eigenvalues."""
        n, inputs = len(self.names), len(self.input_names)
        return short_table(
            f"Linearisation of {self.model.name!r}: {n} degree{'s' if n != 1 else ''} of freedom, "
            f"{inputs} input{'s' if inputs != 1 else ''}",
            ("eigenvalue", "real 1/s", "imaginary rad/s"),
            [[str(k), x.real, x.imag] for k, x in enumerate(self.eigenvalues)],
        )

    # ---- checks ----------------------------------------------------------------------------------
    def scaled(self, matrix: Array) -> Array:
        """Rows and columns without units of length: torques, and forces times the size."""
        return matrix / self.scale[:, None] / self.scale[None]

    def relative_error(self, matrix: Array, errors: Array) -> float:
        """The largest error in parts of the largest entry."""
        largest = float(np.abs(self.scaled(matrix)).max(initial=0.0))
        worst = float(np.abs(self.scaled(errors)).max(initial=0.0))
        return worst / largest if largest > 0.0 else 0.0

    def check_inertia(self) -> None:
        """Refuse a direction in which nothing has inertia, by the joint that moves most in it;
        small inertias are none only beside their own diagonal.
        """
        matrix = self.scaled(self.M)
        own = np.diag(matrix)
        if not len(own):
            return
        worst = int(np.argmin(own))
        is_regular = own[worst] > ROUNDING**2 * own.max()  # less is the rounding of a lever arm
        if is_regular:
            root = np.sqrt(own)
            values, vectors = np.linalg.eigh(matrix / root[:, None] / root)
            is_regular = values[0] > REGULAR_TOLERANCE * values[-1]
            worst = int(np.argmax(np.abs(vectors[:, 0] / root)))
        if not is_regular:
            name = self.names[worst]
            raise FitError(
                f"the linear equations are singular: joint {name!r} moves no inertia there; give "
                "its body one",
                ("joint", name.partition(".")[0]),
            )

    def check_steady(self, v: Array) -> None:
        """r = 0 there, or what is found is no small motion about it; along each principal direction
        by itself.
        """
        left = self.chart.residual(self.chart.q, v) / self.scale
        found = PrincipalDirections(self.chart, self.K, self.K_errors, self.u)
        too_large = np.abs(found.along(left)) > found.limits(STEADY_TOLERANCE)
        left = np.abs(found.vectors @ np.where(too_large, found.along(left), 0.0))
        worst = int(np.argmax(left)) if len(left) else 0
        if too_large.any():
            what = "move steadily" if v.any() else "rest"
            raise FitError(
                f"the model does not {what} there: {left[worst] * self.scale[worst]:.3g} "
                f"{'N m' if self.units[worst] == 'rad' else 'N'} along {self.names[worst]!r}; find "
                "where it does with equilibrium()",
                ("joint", self.names[worst].partition(".")[0]),
            )

    def check_constant(self, v: Array) -> None:
        """Refuse a motion in which M or K change with time, seen a radian of it later."""
        chart = self.chart
        fastest = float(np.abs(self.u * chart.weights).max(initial=0.0))
        if not fastest or getattr(chart, "spins", ()):
            return  # of free bodies that turn the axes turn with them
        later = chart.along_motion(self.u / fastest)
        inertia = np.abs(self.scaled(self.M))
        stiffness = fastest**2 * inertia + np.abs(self.scaled(self.K))
        changes = (later.mass() - self.M, inertia), (later.stiffness(v)[0] - self.K, stiffness)
        for change, scale in changes:
            size = np.abs(self.scaled(change))
            if size.max(initial=0.0) > CONSTANT * scale.max(initial=0.0):
                name = self.names[int(np.argmax(size.max(axis=1)))]
                raise FitError(
                    f"the linear equations along {name!r} change while the model turns, so that "
                    "they have no constant coefficients; see a run"
                )

    def turning(self, v: Array) -> Array:
        """E: −[ω]× of balls that turn, and of free bodies, whose displacements are in axes that
        turn with them.
        """
        found = np.zeros((len(v), len(v)))
        place = {int(row): k for k, row in enumerate(self.chart.chosen)}
        turning = [(rows, self.u[rows]) for rows in quaternion_rows(self.model)[1].tolist()]
        for spin in getattr(self.chart, "spins", ()):
            if spin.moves is not None:
                turning.append((list(range(spin.moves, spin.moves + 3)), spin.omega))
        for rows, omega in turning:
            is_driven = self.chart.held.issuperset(rows) and not place.keys() & set(rows)
            if not omega.any() or is_driven:
                continue
            if not all(row in place for row in rows):
                raise FitError(
                    f"steady motion of {self.model.speeds[rows[0]]!r}: a ball that turns and that "
                    "constraints hold in part has no constant linear equations here"
                )
            own = [place[row] for row in rows]
            found[np.ix_(own, own)] = -skew(omega)
        return found

    # ---- inputs and outputs ----------------------------------------------------------------------
    def input_forces(self, wanted: Any) -> tuple[list[str], Array]:
        """Names of the inputs, and the generalised force of a unit of each."""
        if wanted is not None:
            names = [wanted] if isinstance(wanted, str) else list(wanted)
            return names, self.chart.N[[self.speed_row("input", name) for name in names]].T
        inputs = self.chart.equations.inputs
        columns = []
        still = self.chart.residual(self.chart.q, self.u[self.chart.chosen])
        for k in range(len(inputs.labels)):
            inputs.values[k] = 1.0
            columns.append(still - self.chart.residual(self.chart.q, self.u[self.chart.chosen]))
            inputs.values[k] = 0.0
        return list(inputs.labels), np.array(columns).reshape(len(columns), len(still)).T

    def find_outputs(self, wanted: Any) -> list[int]:
        if wanted is None:
            return self.chart.chosen.tolist()
        names = [wanted] if isinstance(wanted, str) else wanted
        return [self.speed_row("output", name) for name in names]

    def speed_row(self, what: str, name: str) -> int:
        """Of a speed that is an input or an output; what is none is refused."""
        if name in self.model.speeds:
            return self.model.speeds.index(name)
        own = self.chart.equations.inputs.places
        if what == "input" and name in own:
            raise OptionError(
                f"input {name!r} is one of the model; these are taken where no speed is named"
            )
        raise OptionError(f"{what}: there is no speed {name!r}; {suggest(name, self.model.speeds)}")

    # ---- labelled matrices -----------------------------------------------------------------------
    def label(self, matrix: Array, units: str) -> xr.DataArray:
        """(equation, coordinate)"""
        coords = {
            "equation": self.names,
            "coordinate": self.names,
            "unit": ("coordinate", self.units),
        }
        return xr.DataArray(matrix, coords, ("equation", "coordinate"), attrs={"units": units})

    def split(self, matrix: Array, units: str) -> tuple[xr.DataArray, xr.DataArray]:
        """The symmetric and the skew part."""
        symmetric = 0.5 * (matrix + matrix.T)
        return self.label(symmetric, units), self.label(matrix - symmetric, units)

    @property
    def states(self) -> list[str]:
        return [*self.names, *(f"{name}_dot" for name in self.names)]

    @property
    def state_units(self) -> list[str]:
        return [*self.units, *(f"{unit}/s" for unit in self.units)]

    @cached_property
    def A(self) -> xr.DataArray:
        """ẋ = A x + B u: (state, of)."""
        n = len(self.names)
        solved = (
            -np.linalg.solve(self.M, np.hstack([self.K, self.velocity_matrix]))
            if n
            else np.zeros((0, 0))
        )
        matrix = np.vstack([np.hstack([self.E, np.eye(n)]), solved])
        coords = {"state": self.states, "of": self.states, "unit": ("state", self.state_units)}
        return xr.DataArray(matrix, coords, ("state", "of"))

    @property
    def B(self) -> xr.DataArray:
        """(state, input)"""
        below = np.linalg.solve(self.M, self.B_forces)
        matrix = np.vstack([np.zeros_like(below), below])
        return xr.DataArray(
            matrix, {"state": self.states, "input": self.input_names}, ("state", "input")
        )

    @property
    def C(self) -> xr.DataArray:
        """(output, state): displacements of the outputs."""
        rows = self.chart.N[self.output_rows]
        names = [self.model.speeds[k] for k in self.output_rows]
        units = speed_units(self.chart)
        coords = {
            "output": names,
            "state": self.states,
            "unit": ("output", [units[k] for k in self.output_rows]),
        }
        matrix = np.hstack([rows, np.zeros_like(rows)])
        return xr.DataArray(matrix, coords, ("output", "state"))

    @property
    def D(self) -> xr.DataArray:
        """(output, input): zero."""
        names = [self.model.speeds[k] for k in self.output_rows]
        matrix = np.zeros((len(names), len(self.input_names)))
        return xr.DataArray(
            matrix, {"output": names, "input": self.input_names}, ("output", "input")
        )

    # ---- answers ---------------------------------------------------------------------------------
    @cached_property
    def eigenvalues(self) -> Any:
        """Of A, 1/s: by frequency, then by growth."""
        found = np.linalg.eigvals(self.A.values)
        return found[np.lexsort((found.imag, found.real, np.abs(found.imag)))]

    @property
    def growth(self) -> float:
        """The largest real part, 1/s: above zero where small motions grow."""
        return float(self.eigenvalues.real.max(initial=-np.inf))

    @property
    def damping_ratios(self) -> Array:
        """−Re λ/|λ| of every eigenvalue; 0 where it is zero."""
        size = np.abs(self.eigenvalues)
        return np.where(size > 0.0, -self.eigenvalues.real / np.where(size > 0.0, size, 1.0), 0.0)

    def frequency_response(self, omega: Any) -> xr.DataArray:
        """(omega, output, input): C (iω − A)⁻¹ B, complex; ω in rad/s."""
        if not self.input_names:
            raise OptionError("there is no input; name speeds with linearise(…, inputs=[…])")
        values = np.atleast_1d(np.asarray(omega, dtype=float))
        found = np.array([self.response_at(w) for w in values])
        coords = {"omega": values, "output": self.C["output"].values, "input": self.input_names}
        return xr.DataArray(found, coords, ("omega", "output", "input"))

    def response_at(self, omega: float) -> Array:
        """(output, input) at one ω; refused where the response is infinite."""
        matrix = 1j * omega * np.eye(len(self.states)) - self.A.values
        poles = self.eigenvalues
        is_infinite = (np.abs(1j * omega - poles) <= POLE_ROUNDING * np.abs(poles)).any()
        try:
            found = self.C.values @ np.linalg.solve(matrix, self.B.values)
        except np.linalg.LinAlgError:
            is_infinite, found = True, np.zeros(0)
        if is_infinite:
            raise OptionError(
                f"omega = {omega:g} rad/s is an undamped natural frequency of the model (0 where "
                "something is free), at which the response is infinite; leave it out"
            )
        return found

    def to_control(self) -> Any:
        """The StateSpace of python-control, with the names of states, inputs and outputs."""
        try:
            import control  # type: ignore[import-not-found]
        except ImportError:
            raise OptionError("python-control is missing: pip install control") from None
        return control.ss(
            *(each.values for each in (self.A, self.B, self.C, self.D)),
            states=self.states,
            inputs=self.input_names,
            outputs=[str(name) for name in self.C["output"].values],
            name=self.model.name,
        )

    def to_dict(self) -> dict[str, Any]:
        """Names, units and matrices as plain lists, for JSON."""
        matrices = {"A": self.A, "B": self.B, "C": self.C, "D": self.D}
        matrices |= {"mass": self.mass, "damping": self.damping, "gyroscopic": self.gyroscopic}
        matrices |= {"stiffness": self.stiffness, "circulatory": self.circulatory}
        return {
            "model": self.model.name,
            "states": self.states,
            "state_units": self.state_units,
            "inputs": self.input_names,
            "outputs": [str(name) for name in self.C["output"].values],
            "accuracy": self.accuracy,
            **{name: matrix.values.tolist() for name, matrix in matrices.items()},
            "eigenvalues": [[value.real, value.imag] for value in self.eigenvalues.tolist()],
        }
