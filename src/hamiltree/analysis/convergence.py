"""Studies of methods: errors at the end of runs with several steps, orders, and work.

The reference is a run by the default method, with fixed steps, eight times smaller than the
smallest; its error is bounded by a second run with twice these steps. An order is the slope of the
error over the step where errors are well above that of the reference and below a tenth of the
motion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import OptionError, StepError, spell_option
from hamiltree.integrators import find_integrator
from hamiltree.model import Model
from hamiltree.model.accessors import Accessor
from hamiltree.rotations import rotation_matrix
from hamiltree.run.cautions import without_warnings
from hamiltree.run.choices import choose_formulation
from hamiltree.run.simulate import simulate

Array = np.ndarray
REFINEMENT = 4  # of the smallest step, for the reference
SEEN_ABOVE = 30.0  # times the error of the reference: an error that is its own
LARGEST_ERROR = 0.1  # of the motion: beyond it a step is too long for an order
EPSILON = float(np.finfo(float).eps)
SAMPLES = 64  # of the reference, by which the motion is measured
STILL = 1e-9  # of its size: what moves less, beside something that moves, is measured by its size
DEFAULT_UNTIL = 1.0
LONGEST_NAME = 48  # in tables and legends


def convergence(
    problem: Any,
    integrators: Sequence[str] | str,
    steps: Sequence[float],
    until: float | None = None,
    reference: str | None = None,
    **options: Any,
) -> Convergence:
    """Run a Model, a Hamiltonian or an Ode by every integrator with every step, and compare the
    ends with a reference: ht.convergence(model, ["rk4", "gauss4"], [0.02, 0.01, 0.005]).

    `until`: the model's own, else one second, if None. `reference`: the integrator of the
    reference, the default of the formulation with fixed steps if None. `options` are those of
    simulate (formulation, t, q, qdot, p, y, …). A run that fails has the error NaN.
    """
    names = [integrators] if isinstance(integrators, str) else list(integrators)
    sizes = sorted(np.atleast_1d(np.asarray(steps, dtype=float)).tolist(), reverse=True)
    begin = float(options.get("t") or 0.0)
    end = default_end(problem, begin) if until is None else float(until)
    check_steps(names, sizes, begin, end)
    check_fixed("integrators", names)
    if reference is not None:
        check_fixed("reference", [reference])
    finest = reference or fixed_reference(problem, options.get("formulation"))

    def run(integrator: str, step: float, samples: int = 1) -> Any:
        """Its first and its last sample, and so many between."""
        with without_warnings():  # coarse steps are what is studied
            return simulate(
                problem,
                until=end,
                step=step,
                integrator=integrator,
                save_every=max(1, round((end - begin) / step) // samples),
                progress=False,
                **options,
            )

    coarse, fine = (run(finest, sizes[-1] / (REFINEMENT * k), SAMPLES) for k in (1, 2))
    scales, wanted = motion_scales(fine), state_at(fine, -1)
    if scales is None:
        raise OptionError(
            "nothing moves in the reference: there is nothing to converge to; give other start "
            f"values, {spell_option('q', ...)}"
        )
    floor = max(distance(state_at(coarse, -1), wanted, scales), EPSILON)
    errors, work = compare_runs(run, names, sizes, wanted, scales)
    return Convergence(names, sizes, errors, work, floor)


def compare_runs(
    run: Callable[[str, float], Any],
    names: list[str],
    steps: list[float],
    end: Array,
    scales: Array,
) -> tuple[Array, Array]:
    """(integrator, step) each: errors and evaluations of runs; NaN where one fails."""
    errors = np.full((len(names), len(steps)), np.nan)
    work = np.full_like(errors, np.nan)
    for i, name in enumerate(names):
        for k, step in enumerate(steps):
            try:
                made = run(name, step)
            except StepError:  # this step is too long: the others still say something
                continue
            errors[i, k] = distance(state_at(made, -1), end, scales)
            work[i, k] = made.statistics["evaluations"]
    return errors, work


def default_end(problem: Any, begin: float = 0.0) -> float:
    """The model's own end, else a second after the start."""
    own = problem.until if isinstance(problem, Model) else None
    return begin + (own or DEFAULT_UNTIL)


def fixed_reference(problem: Any, formulation: str | None) -> str:
    """The default method of a formulation, with the steps of the grid: two runs of a method that
    chooses its own steps would be the same run.
    """
    name = choose_formulation(problem, formulation, None).default_integrator
    return f"fixed({name})" if find_integrator(name).is_adaptive else name


def check_fixed(argument: str, names: list[str]) -> None:
    for name in names:
        if isinstance(name, str) and find_integrator(name).is_adaptive:
            raise OptionError(
                f"{argument}: {name} chooses its own steps, so that its error does not depend on "
                "the step; take one with fixed steps, such as fixed(dop853)"
            )


def check_steps(names: list[str], steps: list[float], begin: float, until: float) -> None:
    """At least one method and two steps, all of which divide the time."""
    if not names:
        raise OptionError("integrators is empty; name at least one")
    if len(set(steps)) < 2 or len(set(steps)) < len(steps):
        raise OptionError(f"steps = {steps!r}; give at least two different ones")
    for step in steps:
        if not (np.isfinite(step) and 0.0 < step <= until - begin):
            raise OptionError(f"steps: {step!r} is no step of a run until {until:g}")
        count = (until - begin) / step
        if abs(count - round(count)) > 1e-9 * count:
            raise OptionError(
                f"steps: {step:g} does not divide until = {until:g}"
                + (f" − {begin:g}" if begin else "")
                + "; the last step would be shorter, and an order not seen"
            )


# ---- what is compared ----------------------------------------------------------------------------
def state_parts(run: Any, rows: Any = slice(None)) -> list[Array]:
    """(samples, numbers) of parts that have a unit each: of bodies one, their origins and rotations
    times the natural length of the model; of an H(q, p) q and p; of an ode y.
    """
    if run.has_bodies:
        pose = run.poses.values[rows]
        size = assemble_at_start(run.model).scales.length
        turned = rotation_matrix(pose[..., 3:]) * size
        return [
            np.concatenate([each.reshape(len(pose), -1) for each in (pose[..., :3], turned)], 1)
        ]
    if run.has_energy:
        return [run.q.values[rows], run.p.values[rows]]
    return [run.y.values[rows]]


def state_at(run: Any, row: int) -> Array:
    """All parts at one sample."""
    return np.concatenate([part[0] for part in state_parts(run, [row])])


def motion_scales(run: Any) -> Array | None:
    """What a difference of states is divided by, part by part: how far it moves over the run, so
    that errors do not depend on units. None if nothing moves.
    """
    parts = state_parts(run)
    moved = [float(np.linalg.norm(np.ptp(part, axis=0))) for part in parts]
    if not any(moved):
        return None
    scales = []
    for part, length in zip(parts, moved, strict=True):
        size = float(np.linalg.norm(np.abs(part).max(axis=0)))
        is_still = len(parts) > 1 and length <= STILL * size
        scale = (size if is_still else length) or np.inf  # a part that is always zero
        scales.append(np.full(part.shape[1], scale * np.sqrt(len(parts))))
    return np.concatenate(scales)


def distance(a: Array, b: Array, scales: Array) -> float:
    """Of two states, in parts of the motion: the root mean square of those of the parts."""
    return float(np.linalg.norm((a - b) / scales))


class Convergence:
    """Errors in parts of the motion, evaluations of the equations, and orders."""

    plot = Accessor("hamiltree.view.convergence_plots:ConvergencePlots")

    def __init__(
        self, names: list[str], steps: list[float], errors: Array, work: Array, floor: float
    ):
        """Arrays (integrator, step), and the error of the reference."""
        self.floor = floor  # error of the reference
        dims = ("integrator", "step")
        coords = {"integrator": names, "step": steps}
        self.dataset = xr.Dataset(
            {"error": (dims, errors), "evaluations": (dims, work)}, coords, {"floor": floor}
        )

    @property
    def errors(self) -> xr.DataArray:
        """(integrator, step): length of the difference at the end, in parts of the motion's."""
        return self.dataset["error"]

    @property
    def evaluations(self) -> xr.DataArray:
        """(integrator, step): of the equations of motion."""
        return self.dataset["evaluations"]

    @property
    def orders(self) -> dict[str, float]:
        """By integrator: the slope between the two smallest steps whose errors show it; NaN where
        none do.
        """
        steps = self.dataset["step"].values
        found = {}
        for name, errors in zip(self.names, self.errors.values, strict=True):
            is_seen = (errors > SEEN_ABOVE * self.floor) & (errors < LARGEST_ERROR)
            pairs = [k for k in range(1, len(steps)) if is_seen[k] and is_seen[k - 1]]
            found[name] = np.nan
            if pairs:
                k = pairs[-1]
                found[name] = float(
                    np.log(errors[k - 1] / errors[k]) / np.log(steps[k - 1] / steps[k])
                )
        return found

    @property
    def names(self) -> list[str]:
        return [str(name) for name in self.dataset["integrator"].values]

    @property
    def labels(self) -> list[str]:
        """Names for tables and legends: the coefficients of one's own method can fill lines."""
        names = self.names
        return [s if len(s) <= LONGEST_NAME else f"{s[: LONGEST_NAME - 1]}…" for s in names]

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; an order that is not seen, and a run that failed, are null."""
        orders = {name: None if np.isnan(x) else x for name, x in self.orders.items()}
        return {
            "integrators": self.names,
            "steps": self.dataset["step"].values.tolist(),
            "errors": with_nulls(self.errors.values),
            "evaluations": with_nulls(self.evaluations.values),
            "orders": orders,
            "reference_error": self.floor,
        }

    def __repr__(self) -> str:
        return f"<Convergence of {', '.join(self.names)}: {self.dataset['step'].size} steps>"

    def __str__(self) -> str:
        """A table: one line for each method."""
        lines = [f"errors in parts of the motion; that of the reference {self.floor:.1e}"]
        heads = [f"{step:>10.4g}" for step in self.dataset["step"].values]
        width = max(20, *(len(label) + 1 for label in self.labels))
        lines.append(f"{'step':<{width}}{''.join(heads)}{'order':>8}")
        rows = zip(self.names, self.labels, self.errors.values, strict=True)
        for name, label, errors in rows:
            numbers = "".join(f"{error:>10.2e}" for error in errors)
            lines.append(f"{label:<{width}}{numbers}{self.orders[name]:>8.2f}")
        return "\n".join(lines)


def with_nulls(values: Array) -> list[list[float | None]]:
    return [[None if np.isnan(x) else x for x in row] for row in values.tolist()]
