"""Where a model rests: Nᵀ ID(q, 0, 0) = 0 in independent coordinates, by Newton's method.

A step divides the forces by the absolute values of the stiffnesses along their principal
directions, so that it goes downhill also where the stiffness is negative; it is cut to a part of a
radian, or of the size of the model, and halved until the energy falls (where forces have none:
until they do work along it). What is unstable is left along its softest direction, unless any
equilibrium will do.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.directions import ROUNDING, PrincipalDirections
from hamiltree.analysis.linear.short_tables import short_table, stability
from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations, start_of
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.report import follow_with_closing_joints, replace_start
from hamiltree.errors import AccuracyWarning, StepError
from hamiltree.model.elements import JointFriction
from hamiltree.model.forces import BodyInput, JointDamper, JointInput
from hamiltree.model.model import Model
from hamiltree.run.simulate import simulate

Array = np.ndarray
LONGEST_STEP = 0.25  # rad, or parts of the size
SADDLE_STEP = 0.05
MAX_HALVINGS = 40
MAX_UNHELD_STEPS = 20
MAX_STALLED_STEPS = 100  # without less force: four turns of a hinge
STALLED = 0.999  # of the least force so far: more is not less
REACTION_STEP = 2.0**-20  # of the natural time, of a run whose first sample has the reactions
POLISHING = 3  # Newton steps after the tolerance is met
STILL = (JointDamper, JointFriction, JointInput, BodyInput)  # forces that are zero at rest


@dataclass(frozen=True)
class MechanismEquilibrium:
    """A position at which a model rests."""

    q: xr.DataArray  # by coordinate
    energy: float  # potential energy, J
    residual: float  # the longest Newton step left, rad or parts of the size
    stiffness: float  # the largest stiffness, J: torques per radian, forces times the size per size
    lowest: float  # the lowest stiffness, J
    unstable: int  # how many are below zero
    iterations: int
    model: Model = field(repr=False)  # the model that starts here, at rest
    t: float = 0.0  # the time at which it rests

    def __repr__(self) -> str:
        """A short table."""
        return short_table(
            f"Equilibrium of {self.model.name!r}: {stability(self.unstable)}, V = "
            f"{self.energy:.6g} J, residual {self.residual:.1e}",
            ("coordinate", "q"),
            list(zip(map(str, self.q["coordinate"].values), self.q.values, strict=True)),
        )

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
            "t": self.t,
        }

    def reactions(self, name: str | int) -> xr.Dataset:
        """Static force and moment of a joint or constraint, as `run.reactions` has them."""
        step = REACTION_STEP * assemble_at_start(self.model).scales.time
        with warnings.catch_warnings():  # nothing moves, as it should
            warnings.simplefilter("ignore", AccuracyWarning)
            run = simulate(self.model, t=self.t, until=self.t + step, step=step, progress=False)
        return run.reactions(name).isel(t=0)


def find_rest(
    model: Model, start: Any, tolerance: float, kind: str, t: float, iterations: int
) -> MechanismEquilibrium:
    """The equilibrium near `start` of a tree or a mechanism."""
    search = RestSearch(SpeedEquations(model, t), start_of(model, start))
    return search.result(search.run(tolerance, kind, iterations))


class RestSearch:
    """The state of a search."""

    what = "equilibrium"

    def __init__(self, equations: SpeedEquations, q: Array):
        """At q, with its loops closed; drives must stand still."""
        self.equations = equations
        if equations.model.has_rows:
            q = equations.mechanism(q).closed_positions(q, frozenset())
            equations.check_drives(q)
        self.has_energy = all(
            force.has_only_potential or isinstance(force, STILL) for force in equations.model.forces
        )
        self.best = np.inf  # the least force so far, and how many steps ago
        self.stalled = 0
        self.iterations = 0
        self.unheld = 0  # steps along directions without any stiffness
        self.set_position(q)
        self.chart.check()

    def set_position(self, q: Array) -> None:
        """A chart there; forces and stiffnesses without units of length."""
        self.chart = self.make_chart(q)
        self.scale = self.chart.weights[self.chart.chosen]
        self.still = np.zeros(len(self.scale))
        self.force = -self.chart.residual(q, self.still) / self.scale
        self.level = self.equations.potential_energy(q) if self.has_energy else 0.0
        self.found: PrincipalDirections | None = None

    def make_chart(self, q: Array) -> Chart:
        return Chart(self.equations, q)

    def principal(self) -> PrincipalDirections:
        """Stiffnesses and their directions, found once for a position."""
        if self.found is None:
            u = self.chart.speeds_at(self.chart.q, self.still)
            self.found = PrincipalDirections(self.chart, *self.chart.stiffness(self.still), u)
        return self.found

    def run(self, tolerance: float, kind: str, iterations: int) -> PrincipalDirections:
        """Steps until the forces vanish; what is unstable is left unless any kind will do."""
        while self.iterations < iterations and self.may_go_on:
            found = self.principal()
            if np.all(np.abs(found.along(self.force)) <= found.limits(tolerance)):
                if not found.unstable or kind == "any":
                    self.polish()
                    self.chart.check()
                    return found
                self.leave(found.vectors[:, int(np.argmin(found.values))])
            elif not self.step(found, found.limits(tolerance), kind):
                break
            self.iterations += 1
        raise StepError(self.failure())

    @property
    def may_go_on(self) -> bool:
        """Whether something holds the model, and forces without energy still get smaller."""
        return self.unheld < MAX_UNHELD_STEPS and self.stalled < MAX_STALLED_STEPS

    def step(self, found: PrincipalDirections, limits: Array, kind: str) -> bool:
        """One step downhill; False if there is none."""
        along = found.along(self.force)
        pushed = ~found.is_stiff & (np.abs(along) > limits)
        self.unheld += int(pushed.any())
        sized = found.values if kind == "any" else np.abs(found.values)
        newton = along / np.where(found.is_stiff, sized, 1.0)
        unheld = np.where(pushed, LONGEST_STEP * np.sign(along), 0.0)
        z = found.vectors @ np.where(found.is_stiff, newton, unheld)
        z *= min(1.0, LONGEST_STEP / float(np.abs(z).max()))
        for _ in range(MAX_HALVINGS):
            q = self.chart.moved(z / self.scale)
            force = -self.chart.residual(q, self.still) / self.scale
            if self.is_better(q, force, z, kind):
                self.set_position(q)
                self.count_stalled()
                return True
            z *= 0.5
        return False

    def is_better(self, q: Array, force: Array, z: Array, kind: str) -> bool:
        """Whether the energy falls, or forces without one do work along the step z; where rounding
        hides that, or any equilibrium will do, whether the Newton step gets shorter.
        """
        found = self.principal()
        is_nearer = found.distance(force) < found.distance(self.force)
        if kind == "any":
            return is_nearer
        if not self.has_energy:
            return float((self.force + force) @ z) > 0.0
        change = self.equations.potential_energy(q) - self.level
        noise = ROUNDING * abs(self.level)
        return change < -noise or (change <= noise and is_nearer)

    def count_stalled(self) -> None:
        """Forces without energy may drive a model round and round."""
        size = float(np.abs(self.force).max(initial=0.0))
        is_less = self.has_energy or size < STALLED * self.best
        self.stalled = 0 if is_less else self.stalled + 1
        self.best = size if is_less else self.best

    def leave(self, direction: Array) -> None:
        """Step off an unstable equilibrium, to the side where the energy is lower."""
        sides = [
            self.chart.moved(sign * SADDLE_STEP * direction / self.scale / np.abs(direction).max())
            for sign in (1.0, -1.0)
        ]
        levels = [self.equations.potential_energy(q) for q in sides]
        self.set_position(sides[int(levels[1] < levels[0])])

    def polish(self) -> None:
        """Plain Newton steps with the last matrix, as long as they halve themselves."""
        found = self.principal()
        inverse = np.where(found.is_stiff, 1.0 / np.where(found.is_stiff, found.values, 1.0), 0.0)
        for _ in range(POLISHING):
            z = found.vectors @ (inverse * found.along(self.force))
            q = self.chart.moved(z / self.scale)
            force = -self.chart.residual(q, self.still) / self.scale
            if not found.distance(force) < 0.5 * found.distance(self.force):
                return
            self.set_position(q)
            self.found = found

    def result(self, found: PrincipalDirections) -> MechanismEquilibrium:
        """What was found, and the model that starts there."""
        model, q = self.equations.model, self.chart.q
        rest = np.zeros(len(model.speeds))
        start = follow_with_closing_joints(replace_start(model, q, rest), q, rest)
        coords = {"coordinate": list(model.coordinates)}
        return MechanismEquilibrium(
            xr.DataArray(q, coords, ("coordinate",), "q", {"units": "rad or m"}),
            self.equations.potential_energy(q),
            found.distance(self.force),
            found.largest,
            found.lowest,
            found.unstable,
            self.iterations,
            start,
            self.equations.t,
        )

    def failure(self) -> str:
        """What stopped the search, and where the largest force is left."""
        worst = int(np.argmax(np.abs(self.force)))
        name = self.equations.speeds[self.chart.chosen[worst]]
        return (
            f"no {self.what} after {self.iterations} steps: the largest force left is "
            f"{self.force[worst] * self.scale[worst]:.3g} along {name!r}, and no step makes it "
            "smaller; start nearer, or check that something holds the bodies"
        )
