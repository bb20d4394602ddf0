"""Where a model rests: Nᵀ ID(q, 0, 0) = 0 in independent coordinates, by Newton's method.

A step divides the forces by the absolute values of the stiffnesses along their principal
directions, so that it goes downhill also where the stiffness is negative; it is cut to a part of a
radian, or of the size of the model, and halved until the energy falls (where forces have none:
until the residual does). What is unstable is left along its softest direction, unless any
equilibrium will do.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations, start_of
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.report import follow_with_closing_joints, replace_start
from hamiltree.errors import AccuracyWarning, OptionError, StepError
from hamiltree.model.model import Model
from hamiltree.run.simulate import simulate

Array = np.ndarray
LONGEST_STEP = 0.25  # rad, or parts of the size
SADDLE_STEP = 0.05
NEUTRAL = 1e-9  # of the largest stiffness: what is softer costs nothing
MAX_HALVINGS = 40
MAX_UNHELD_STEPS = 20
STANDSTILL = 1e-12  # of the natural rate: slower rows stand still
REACTION_STEP = 2.0**-20  # of the natural time, of a run whose first sample has the reactions
POLISHING = 3  # Newton steps after the tolerance is met
ROUNDING = 64.0 * float(np.finfo(float).eps)


@dataclass(frozen=True)
class MechanismEquilibrium:
    """A position at which a model rests."""

    q: xr.DataArray  # by coordinate
    energy: float  # potential energy, J
    residual: float  # the largest force left, in parts of `stiffness`
    stiffness: float  # the largest stiffness, J: torques per radian, forces times the size per size
    lowest: float  # the lowest stiffness, J
    unstable: int  # how many are below zero
    iterations: int
    model: Model = field(repr=False)  # the model that starts here, at rest

    @property
    def is_stable(self) -> bool:
        """No direction has a negative stiffness; neutral ones are allowed."""
        return self.unstable == 0

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain ones, for JSON."""
        names = [str(name) for name in self.q["coordinate"].values]
        return {
            "model": self.model.name,
            "q": dict(zip(names, self.q.values.tolist(), strict=True)),
            "energy": self.energy,
            "residual": self.residual,
            "stiffness": self.stiffness,
            "lowest": self.lowest,
            "unstable": self.unstable,
            "iterations": self.iterations,
        }

    def reactions(self, name: str | int) -> xr.Dataset:
        """Static force and moment of a joint or constraint, as `run.reactions` has them."""
        step = REACTION_STEP * assemble_at_start(self.model).scales.time
        with warnings.catch_warnings():  # nothing moves, as it should
            warnings.simplefilter("ignore", AccuracyWarning)
            run = simulate(self.model, until=step, step=step, progress=False)
        return run.reactions(name).isel(t=0)


def find_rest(
    model: Model, start: Any, tolerance: float, kind: str, t: float, iterations: int
) -> MechanismEquilibrium:
    """The equilibrium near `start` of a tree or a mechanism."""
    search = RestSearch(SpeedEquations(model, t), start_of(model, start))
    return search.run(tolerance, kind, iterations)


class RestSearch:
    """The state of a search."""

    def __init__(self, equations: SpeedEquations, q: Array):
        """At q, with its loops closed; drives must stand still."""
        self.equations = equations
        mechanism = equations.mechanism(q)
        if equations.model.has_rows:
            q = mechanism.closed_positions(q, frozenset())
            self.check_drives(q)
        self.has_energy = all(f.is_conservative for f in equations.model.forces)
        self.iterations = 0
        self.unheld = 0  # steps along directions without any stiffness
        self.set_position(q)
        self.chart.check()

    def check_drives(self, q: Array) -> None:
        """Rows must not move by themselves."""
        place = self.equations.mechanism(q)
        found = place.at(q, np.zeros(len(self.equations.speeds)))[0]
        limit = STANDSTILL / self.equations.natural_time
        moving = np.flatnonzero(np.abs(found.rate / place.row_scale) > limit)
        if len(moving):
            spec = place.specs[int(moving[0])]
            raise OptionError(
                f"{spec.part[0]} {spec.part[1]!r} moves at t = {self.equations.t:g}, so that "
                "nothing rests there; give a time at which it stands still, or leave it out"
            )

    def set_position(self, q: Array) -> None:
        """A chart there; forces and stiffnesses without units of length."""
        self.chart = Chart(self.equations, q)
        self.scale = self.chart.weights[self.chart.chosen]
        self.still = np.zeros(len(self.scale))
        self.force = -self.chart.residual(q, self.still) / self.scale
        self.level = self.merit(q, self.force)
        self.matrix: Array | None = None

    def merit(self, q: Array, force: Array) -> float:
        """What must fall: the energy, or the forces where they have none."""
        return self.equations.potential_energy(q) if self.has_energy else float(force @ force)

    def principal(self) -> tuple[Array, Array]:
        """Stiffnesses, ascending, and their directions."""
        if self.matrix is None:
            K = self.chart.stiffness(self.still)[0]
            self.matrix = K / self.scale[:, None] / self.scale[None]
        return np.linalg.eigh(0.5 * (self.matrix + self.matrix.T))

    def run(self, tolerance: float, kind: str, iterations: int) -> MechanismEquilibrium:
        """Steps until the forces vanish; what is unstable is left unless any kind will do."""
        while self.iterations < iterations and self.unheld < MAX_UNHELD_STEPS:
            values, vectors = self.principal()
            largest = float(np.abs(values).max()) if len(values) else 0.0
            if self.is_converged(tolerance, largest):
                unstable = int(np.count_nonzero(values < -NEUTRAL * largest))
                if not unstable or kind == "any":
                    self.polish()
                    self.chart.check()
                    return self.result(values, unstable)
                self.leave(vectors[:, 0])
            elif not self.step(values, vectors, kind):
                break
            self.iterations += 1
        raise StepError(self.failure())

    def is_converged(self, tolerance: float, largest: float) -> bool:
        size = float(np.abs(self.force).max()) if len(self.force) else 0.0
        return size <= tolerance * largest or size == 0.0

    def step(self, values: Array, vectors: Array, kind: str) -> bool:
        """One step that lowers the merit; False if there is none."""
        largest = float(np.abs(values).max())
        along = vectors.T @ self.force
        softest = NEUTRAL * largest or float(np.abs(self.force).max())
        is_soft = np.abs(values) < softest
        self.unheld += int(np.abs(along[is_soft]).max(initial=0.0) > softest)
        sized = np.maximum(np.abs(values), softest)
        if kind == "any":
            sized = np.where(values < 0.0, -sized, sized)
        z = vectors @ (along / sized)
        z *= min(1.0, LONGEST_STEP / float(np.abs(z).max()))
        before = float(np.abs(self.force).max())
        for _ in range(MAX_HALVINGS):
            q = self.chart.moved(z / self.scale)
            force = -self.chart.residual(q, self.still) / self.scale
            if self.is_better(q, force, before, kind):
                self.set_position(q)
                return True
            z *= 0.5
        return False

    def is_better(self, q: Array, force: Array, before: float, kind: str) -> bool:
        """Whether the merit falls; where rounding hides that, or any equilibrium will do, whether
        the forces do.
        """
        if kind == "any" or not self.has_energy:
            return float(np.abs(force).max()) < before
        change = self.merit(q, force) - self.level
        noise = ROUNDING * abs(self.level)
        return change < -noise or (change <= noise and float(np.abs(force).max()) < before)

    def leave(self, direction: Array) -> None:
        """Step off an unstable equilibrium, to the side where the energy is lower."""
        sides = [
            self.chart.moved(sign * SADDLE_STEP * direction / self.scale / np.abs(direction).max())
            for sign in (1.0, -1.0)
        ]
        levels = [self.equations.potential_energy(q) for q in sides]
        self.set_position(sides[int(levels[1] < levels[0])])

    def polish(self) -> None:
        """Plain Newton steps with the last matrix, as long as they halve the forces."""
        values, vectors = self.principal()
        is_stiff = np.abs(values) > NEUTRAL * np.abs(values).max(initial=0.0)
        inverse = np.where(is_stiff, 1.0 / np.where(is_stiff, values, 1.0), 0.0)
        for _ in range(POLISHING):
            q = self.chart.moved(vectors @ (inverse * (vectors.T @ self.force)) / self.scale)
            force = -self.chart.residual(q, self.still) / self.scale
            if not np.abs(force).max(initial=0.0) < 0.5 * np.abs(self.force).max(initial=0.0):
                return
            kept = self.matrix
            self.set_position(q)
            self.matrix = kept

    def result(self, values: Array, unstable: int) -> MechanismEquilibrium:
        """What was found, and the model that starts there."""
        model, q = self.equations.model, self.chart.q
        largest = float(np.abs(values).max()) if len(values) else 0.0
        left = float(np.abs(self.force).max()) if len(values) else 0.0
        rest = np.zeros(len(model.speeds))
        start = follow_with_closing_joints(replace_start(model, q, rest), q, rest)
        coords = {"coordinate": list(model.coordinates)}
        return MechanismEquilibrium(
            xr.DataArray(q, coords, ("coordinate",), "q", {"units": "rad or m"}),
            self.equations.potential_energy(q),
            left / largest if largest > 0.0 else left,
            largest,
            float(values[0]) if len(values) else 0.0,
            unstable,
            self.iterations,
            start,
        )

    def failure(self) -> str:
        """What stopped the search, and where the largest force is left."""
        worst = int(np.argmax(np.abs(self.force)))
        name = self.equations.speeds[self.chart.chosen[worst]]
        return (
            f"no equilibrium after {self.iterations} steps: the largest force left is "
            f"{self.force[worst] * self.scale[worst]:.3g} along {name!r}, and no step makes it "
            "smaller; start nearer, or check that something holds the bodies"
        )
