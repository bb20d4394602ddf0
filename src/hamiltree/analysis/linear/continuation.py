"""Where a model rests along a parameter: `ht.continuation(model, name, (first, last))`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.family import FamilyPoint, ModelFamily, find_parameter
from hamiltree.analysis.linear.path import Located, Path
from hamiltree.analysis.linear.rest import MechanismEquilibrium, find_rest
from hamiltree.analysis.linear.short_tables import short_table
from hamiltree.analysis.linear.speed_equations import start_of
from hamiltree.errors import AccuracyWarning, OptionError, StepError, suggest
from hamiltree.model.accessors import Accessor
from hamiltree.model.model import Model

Array = np.ndarray
ITERATIONS = 2000  # of the search for the first equilibrium
KINDS = ("stable", "any")
UNITS = {"q": "rad or m", "energy": "J", "lowest": "J", "parameter": ""}


def continuation(
    model: Model,
    parameter: str,
    ends: Sequence[float],
    start: Any = None,
    *,
    kind: str = "stable",
    step: float = 0.1,
    points: int = 400,
    tolerance: float = 1e-11,
    t: float = 0.0,
) -> Branch:
    """Equilibria of a model while one of its numbers goes from one end to the other.

    `parameter` is a dotted name as of `ht.study`: forces.load.force.z, gravity.x,
    joints.elbow.on_parent.position.z, constraints.motor.position, forces.2.parameters.k. The first
    equilibrium is that near `start` at the first end (`kind="any"`: an unstable one too). `step`
    is the longest step along the branch: rad, parts of the size and of the range of the parameter
    together. The branch ends where the parameter leaves its range, at either end, or after `points`
    points.
    """
    if kind not in KINDS:
        raise OptionError(f"kind = {kind!r}; give 'stable' or 'any'")
    if not (0.0 < step <= 1.0 and points >= 2 and 0.0 < tolerance < 1e-3):
        raise OptionError(
            f"step = {step!r}, points = {points!r}, tolerance = {tolerance!r}; give a step and a "
            "tolerance between 0 and 1, and two points or more"
        )
    find_parameter(model, parameter)
    family = ModelFamily(model, parameter, ends, t, start_of(model, start))
    rest = find_rest(family.model_at(0.0), start, tolerance, kind, t, ITERATIONS)
    first = FamilyPoint(family, family.chart(rest.q.values, 0.0), 0.0)
    tangent = first.tangent(np.append(first.still, 1.0))
    if not tangent[-1] > 0.0:
        raise StepError(f"{parameter} = {family.first:g} is a fold of the branch; begin beside it")
    path = Path(first, tangent, step, tolerance)
    path.follow(points)
    return Branch(path, points)


@dataclass(frozen=True)
class SpecialPoint:
    """Where a branch turns (fold), crosses another one (bifurcation) or begins to flutter."""

    kind: str
    parameter: float
    q: xr.DataArray
    energy: float
    direction: xr.DataArray
    """(speed): the critical direction, along all speeds of the tree, the largest is one"""
    multiplicity: int  # how many stiffnesses are zero there
    after: int  # the point of the branch behind which it lies
    located: Located = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain ones."""
        return {
            "kind": self.kind,
            "parameter": self.parameter,
            "q": self.q.values.tolist(),
            "energy": self.energy,
            "direction": self.direction.values.tolist(),
            "multiplicity": self.multiplicity,
            "after": self.after,
        }


class Branch:
    """Equilibria along a parameter, with the special points between them."""

    plot = Accessor("hamiltree.view.linear_plots:BranchPlots")

    def __init__(self, path: Path, count: int):
        """The points as labelled arrays; warns if the branch ends before its range does."""
        self.path, self.count = path, count
        self.family = path.points[0].family
        self.model, self.name = self.family.model, self.family.name
        self.dataset = make_dataset(self.family, path.points)
        self.special = tuple(make_special(found) for found in path.located)
        self.stopped = path.stopped
        if path.trouble and path.stopped.startswith("no step"):
            warnings.warn(f"the branch ends early: {path.stopped}", AccuracyWarning, stacklevel=3)

    def __repr__(self) -> str:
        """A short table of the special points."""
        rows = [[found.kind, found.parameter] for found in self.special]
        return short_table(self.title, ("special point", self.name), rows)

    @property
    def title(self) -> str:
        """What it is, in a line."""
        values = self.parameter.values
        kinds = ", ".join(found.kind for found in self.special) or "no special points"
        return (
            f"Branch of {self.model.name!r}: {len(values)} equilibria, {self.name} from "
            f"{values[0]:g} to {values[-1]:g}, {kinds}; stopped by {self.stopped}"
        )

    def __len__(self) -> int:
        return len(self.path.points)

    @property
    def parameter(self) -> xr.DataArray:
        """(point): values of the parameter."""
        return self.dataset["parameter"]

    @property
    def q(self) -> xr.DataArray:
        """(point, coordinate)"""
        return self.dataset["q"]

    @property
    def energy(self) -> xr.DataArray:
        """(point): potential energy, J."""
        return self.dataset["energy"]

    @property
    def unstable(self) -> xr.DataArray:
        """(point): how many motions grow, dampers left out."""
        return self.dataset["unstable"]

    @property
    def folds(self) -> tuple[SpecialPoint, ...]:
        return tuple(found for found in self.special if found.kind == "fold")

    @property
    def bifurcations(self) -> tuple[SpecialPoint, ...]:
        return tuple(found for found in self.special if found.kind == "bifurcation")

    def equilibrium(self, point: int) -> MechanismEquilibrium:
        """The equilibrium at a point, with its model and its reactions."""
        found = self.path.points[point]
        model = self.family.model_at(found.mu)
        tolerance, t = self.path.tolerance, self.family.t
        return find_rest(model, found.chart.q, tolerance, "any", t, ITERATIONS)

    def switch(self, bifurcation: int = 0, side: int = 1) -> Branch:
        """The branch that leaves at a bifurcation, along its direction (side 1) or against it
        (side −1), from the bifurcation to an end of the range.
        """
        places = self.bifurcations
        if not 0 <= bifurcation < len(places):
            raise OptionError(
                f"bifurcation = {bifurcation!r}; this branch has {len(places)} bifurcations, "
                "counted from 0"
            )
        if side not in (1, -1):
            raise OptionError(f"side = {side!r}; give 1 or −1")
        found = places[bifurcation].located
        path = Path(found.point, side * found.direction, self.path.longest, self.path.tolerance)
        path.begin_switched()
        path.follow(self.count)
        return Branch(path, self.count)

    def find_coordinate(self, name: str | None = None) -> str:
        """The coordinate that a picture shows: the named one, or that which changes most."""
        known = [str(each) for each in self.q["coordinate"].values]
        if name is None:
            return known[int(np.argmax(np.ptp(self.q.values, axis=0)))]
        if name not in known:
            raise OptionError(f"there is no coordinate {name!r}; {suggest(name, known)}")
        return name

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain lists, for JSON."""
        return {
            "model": self.model.name,
            "name": self.name,
            "parameter": self.parameter.values.tolist(),
            "coordinates": [str(name) for name in self.q["coordinate"].values],
            "q": self.q.values.tolist(),
            "energy": self.energy.values.tolist(),
            "unstable": self.unstable.values.tolist(),
            "special": [found.to_dict() for found in self.special],
            "stopped": self.stopped,
        }


def make_dataset(family: ModelFamily, points: list[FamilyPoint]) -> xr.Dataset:
    """The points of a branch, labelled."""
    energies = [family.equations(x.mu).potential_energy(x.chart.q) for x in points]
    values: dict[str, Any] = {
        "parameter": ("point", [family.value(x.mu) for x in points]),
        "q": (("point", "coordinate"), np.array([x.chart.q for x in points])),
        "energy": ("point", energies),
        "unstable": ("point", [x.unstable for x in points]),
        "lowest": ("point", [x.directions.lowest for x in points]),
    }
    found = xr.Dataset(values, {"coordinate": list(family.model.coordinates)})
    for name, unit in UNITS.items():
        found[name].attrs["units"] = unit
    found["parameter"].attrs["name"] = family.name
    return found


def make_special(found: Located) -> SpecialPoint:
    """A located point with its labels."""
    point, family = found.point, found.point.family
    speeds = point.to_speeds(found.direction)[:-1]
    largest = np.abs(speeds * point.chart.weights).max() or 1.0
    model, q = family.model, point.chart.q
    return SpecialPoint(
        found.kind,
        family.value(point.mu),
        xr.DataArray(q, {"coordinate": list(model.coordinates)}, ("coordinate",), "q"),
        family.equations(point.mu).potential_energy(q),
        xr.DataArray(speeds / largest, {"speed": list(model.speeds)}, ("speed",), "direction"),
        found.multiplicity,
        found.after,
        found,
    )
