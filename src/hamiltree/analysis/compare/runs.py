"""The same motion by every formulation: runs with the same integrator to one end, each with an
estimate of its own error.

A run is made twice, with a coarser and a finer step (or tolerance); how far their ends are apart is
the estimate.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import StepError
from hamiltree.formulations import FORMULATIONS
from hamiltree.integrators import find_integrator
from hamiltree.model import Model
from hamiltree.run.cautions import without_warnings
from hamiltree.run.choices import is_compatible
from hamiltree.run.simulate import simulate

INTEGRATOR = "dop853"
COARSE, FINE = 1e-10, 1e-12  # rtol of an integrator that chooses its steps
STEP_REDUCTION = 8.0  # times, a step that is tried after one that was too long
ANGLE_PER_STEP = 0.02  # rad that anything turns by in a step, about


class End(NamedTuple):
    """Where a run ended."""

    t: float
    pose: np.ndarray  # (bodies, 7)
    energy: float  # more than at the start


class ComparedRun(NamedTuple):
    """A run by one formulation: its end, and the estimated errors of position (m), attitude (rad)
    and energy (J).
    """

    integrator: str
    end: End
    errors: tuple[float, float, float]


class RunPlan(NamedTuple):
    """What all runs have in common."""

    model: Model
    q: Any
    qdot: Any
    until: float
    step: float
    integrator: str
    tries: int = 1  # with shorter and shorter steps where one is too long

    def integrator_for(self, formulation: str) -> str:
        """The integrator, or where it does not fit, the formulation's own."""
        made = FORMULATIONS[formulation]
        return (
            self.integrator
            if is_compatible(made, find_integrator(self.integrator))
            else made.default_integrator
        )

    def run(self, formulation: str) -> ComparedRun:
        """Run twice, coarser and finer; with a shorter step if that fails and may be tried."""
        name = self.integrator_for(formulation)
        try:
            coarse, fine = (
                self.run_to_end(formulation, name, is_fine) for is_fine in (False, True)
            )
        except StepError:
            if self.tries <= 1:
                raise
            return self._replace(step=self.step / STEP_REDUCTION, tries=self.tries - 1).run(
                formulation
            )
        return ComparedRun(name, fine, tuple(map(float, end_differences(coarse, fine))))  # type: ignore[arg-type]

    def run_to_end(self, formulation: str, integrator: str, is_fine: bool) -> End:
        """One run; finer is half the step, or a smaller tolerance."""
        options: dict[str, Any] = {}
        if "rtol" in find_integrator(integrator).options:
            step, options["rtol"] = self.until, FINE if is_fine else COARSE
        else:
            step = self.step * (0.5 if is_fine else 1.0)
        every = max(1, round(self.until / step))
        with without_warnings():  # the table shows how far runs are off
            run = simulate(
                self.model,
                self.until,
                step,
                formulation,
                integrator,
                every,
                q=self.q,
                qdot=self.qdot,
                progress=False,
                **options,
            )
        return End(float(run.t[-1]), run.poses.values[-1], float(run.energy[-1] - run.energy[0]))


def end_differences(a: End, b: End) -> np.ndarray:
    """Largest distance of two origins, largest angle between two attitudes, difference of the
    energies.
    """
    place, angle = distances(a.pose, b.pose)
    return np.array([place.max(initial=0.0), angle.max(initial=0.0), abs(a.energy - b.energy)])


def distances(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of poses (…, 7): distance of the origins, and angle 4 asin(|p − p'|/2) between the
    attitudes.
    """
    chord = np.minimum(
        np.linalg.norm(a[..., 3:] - b[..., 3:], axis=-1),
        np.linalg.norm(a[..., 3:] + b[..., 3:], axis=-1),
    )
    angle = 4.0 * np.arcsin(np.minimum(1.0, 0.5 * chord))
    return np.linalg.norm(a[..., :3] - b[..., :3], axis=-1), angle
