"""Studies of methods: errors at the end of runs with several steps, orders, and work.

The reference is a run by the default method with steps eight times smaller than the smallest; its
error is bounded by a second run with twice these steps. An order is the slope of the error over
the step where errors are well above that of the reference and below a tenth of the motion.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import AccuracyWarning, OptionError
from hamiltree.model.accessors import Accessor
from hamiltree.rotations import rotation_matrix
from hamiltree.run.simulate import simulate

Array = np.ndarray
REFINEMENT = 4  # of the smallest step, for the reference
SEEN_ABOVE = 30.0  # times the error of the reference: an error that is its own
LARGEST_ERROR = 0.1  # of the motion: beyond it a step is too long for an order
EPSILON = float(np.finfo(float).eps)


def convergence(
    problem: Any,
    integrators: Sequence[str] | str,
    steps: Sequence[float],
    until: float = 1.0,
    reference: str | None = None,
    **options: Any,
) -> Convergence:
    """Run a Model, a Hamiltonian or an Ode by every integrator with every step, and compare the
    ends with a reference: ht.convergence(model, ["rk4", "gauss4"], [0.02, 0.01, 0.005]).

    `reference`: the integrator of the reference, the default of the formulation if None. `options`
    are those of simulate (formulation, q, qdot, p, y, …).
    """
    names = [integrators] if isinstance(integrators, str) else list(integrators)
    sizes = sorted((float(step) for step in steps), reverse=True)
    check_steps(names, sizes, until)

    def run(integrator: str | None, step: float) -> Any:
        """Its first and its last sample."""
        with warnings.catch_warnings():  # coarse steps are what is studied
            warnings.simplefilter("ignore", AccuracyWarning)
            every = round(until / step) + 1
            return simulate(
                problem,
                until=until,
                step=step,
                integrator=integrator,
                save_every=every,
                progress=False,
                **options,
            )

    finest = [run(reference, sizes[-1] / (REFINEMENT * k)) for k in (1, 2)]
    ends = [state_at(each, -1) for each in finest]
    scale = float(np.linalg.norm(ends[1] - state_at(finest[1], 0)))
    if scale == 0.0:
        raise OptionError("nothing moves in the reference: there is nothing to converge to")
    floor = max(float(np.linalg.norm(ends[0] - ends[1])) / scale, EPSILON)
    errors = np.zeros((len(names), len(sizes)))
    work = np.zeros_like(errors)
    for i, name in enumerate(names):
        for k, step in enumerate(sizes):
            made = run(name, step)
            errors[i, k] = np.linalg.norm(state_at(made, -1) - ends[1]) / scale
            work[i, k] = made.statistics["evaluations"]
    return Convergence(names, sizes, errors, work, floor)


def check_steps(names: list[str], steps: list[float], until: float) -> None:
    """At least one method and two steps, all of which divide the time."""
    if not names:
        raise OptionError("integrators is empty; name at least one")
    if len(set(steps)) < 2 or len(set(steps)) < len(steps):
        raise OptionError(f"steps = {steps!r}; give at least two different ones")
    for step in steps:
        if not (np.isfinite(step) and 0.0 < step <= until):
            raise OptionError(f"steps: {step!r} is no step of a run until {until:g}")
        count = until / step
        if abs(count - round(count)) > 1e-9 * count:
            raise OptionError(
                f"steps: {step:g} does not divide until = {until:g}; the last step would be "
                "shorter, and an order not seen"
            )


def state_at(run: Any, row: int) -> Array:
    """What is compared: of bodies their origins and rotations times the natural length of the
    model; of an H(q, p) q and p; of an ode y.
    """
    if run.has_bodies:
        pose = run.poses.values
        size = assemble_at_start(run.model).scales.length
        turned = rotation_matrix(pose[row, :, 3:]).ravel() * size
        return np.concatenate([pose[row, :, :3].ravel(), turned])
    if run.has_energy:
        return np.concatenate([run.q.values[row], run.p.values[row]])
    return run.y.values[row]


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

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; an order that is not seen is null."""
        orders = {name: None if np.isnan(x) else x for name, x in self.orders.items()}
        return {
            "integrators": self.names,
            "steps": self.dataset["step"].values.tolist(),
            "errors": self.errors.values.tolist(),
            "evaluations": self.evaluations.values.tolist(),
            "orders": orders,
            "reference_error": self.floor,
        }

    def __repr__(self) -> str:
        return f"<Convergence of {', '.join(self.names)}: {self.dataset['step'].size} steps>"

    def __str__(self) -> str:
        lines = [f"errors in parts of the motion; that of the reference {self.floor:.1e}"]
        heads = [f"{step:>10.4g}" for step in self.dataset["step"].values]
        lines.append(f"{'step':<20}{''.join(heads)}{'order':>8}")
        for name, errors in zip(self.names, self.errors.values, strict=True):
            numbers = "".join(f"{error:>10.2e}" for error in errors)
            lines.append(f"{name:<20}{numbers}{self.orders[name]:>8.2f}")
        return "\n".join(lines)
