"""A model with one number that varies: where it rests for a value of it, and the derivatives there.

Unknowns without units: x = (w z, μ). z are the independent coordinates, w their weights (rad, parts
of the size), and the number is first + (last − first) μ. Forces are torques, or forces times the
size (J), and r(x) = 0 where the model rests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.analysis.linear.directions import PrincipalDirections
from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations
from hamiltree.assembly.kinematics import retract
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model.constraints import Rod
from hamiltree.model.model import Model
from hamiltree.problems.numbers import Target, find_number, names_of, with_numbers

Array = np.ndarray
MAX_MODELS = 16  # that are kept
PARAMETER_STEP = 2.0**-12  # of the range, in differences along it
DIFFERENCE_ERROR = 1e-5  # of these differences, in parts of the largest
RANK_CUTOFF = 1e-11  # of rows whose lengths are one
CIRCULATORY = 1e-7  # of K: a larger skew part has no potential
COMPLEX = 1e-7  # of the largest ω²: a smaller imaginary part is rounding


class ModelFamily:
    """Models with the number `name` between two ends."""

    def __init__(self, model: Model, name: str, ends: Sequence[float], t: float, start: Array):
        """Refused where there is no such number; rods without a length keep that of the start."""
        self.name, self.t = name, float(t)
        self.first, self.last = check_ends(name, ends)
        model = give_rods_lengths(model, start, t)
        self.model, self.target = make_parameter(model, find_parameter(model, name))
        self.known: dict[float, SpeedEquations] = {}
        self.size = self.equations(0.0).mechanism(start).size  # m, the same along the branch

    @property
    def span(self) -> float:
        return self.last - self.first

    def value(self, mu: float) -> float:
        """The number; both ends to the bit."""
        return self.last if mu == 1.0 else self.first + self.span * mu

    def model_at(self, mu: float) -> Model:
        return with_numbers(self.model, {self.target: self.value(mu)})

    def equations(self, mu: float) -> SpeedEquations:
        """Of the model there; the last ones are kept."""
        if mu not in self.known:
            if len(self.known) >= MAX_MODELS:
                del self.known[next(iter(self.known))]
            self.known[mu] = SpeedEquations(self.model_at(mu), self.t)
        return self.known[mu]

    def chart(self, q: Array, mu: float, chosen: Array | None = None) -> Chart:
        """A chart near q for this value, loops closed with the chosen coordinates left alone."""
        equations = self.equations(mu)
        if equations.model.has_rows:
            held = frozenset() if chosen is None else frozenset(chosen.tolist())
            q = equations.mechanism(q).closed_positions(q, held)
        return Chart(equations, q, chosen, size=self.size)

    def slope_steps(self, mu: float) -> list[tuple[float, float]]:
        """(μ, factor) of a difference of second order along μ that stays between the ends."""
        h = PARAMETER_STEP
        if mu - h < 0.0 or mu + h > 1.0:
            h = h if mu < 0.5 else -h
            return [(mu, -1.5 / h), (mu + h, 2.0 / h), (mu + 2.0 * h, -0.5 / h)]
        return [(mu + h, 0.5 / h), (mu - h, -0.5 / h)]


@dataclass(frozen=True)
class Derivative:
    """∂r/∂x in rows of length one, or zero, and the directions of the rows divided by the lengths
    that they had.
    """

    unit: Array
    along: Array
    lengths: Array  # zero of rows of which nothing is known

    def newton_step(self, force: Array, is_held: bool) -> Array:
        """The shortest x with r + ∂r/∂x x = 0; with the parameter held, or not."""
        wanted = self.along @ force
        if is_held:
            return np.append(np.linalg.pinv(self.unit[:, :-1], rcond=RANK_CUTOFF) @ wanted, 0.0)
        return np.linalg.pinv(self.unit, rcond=RANK_CUTOFF) @ wanted

    def corrected(self, x: Array, force: Array) -> Derivative:
        """Broyden's correction: after the step x the forces should have been none."""
        missed = self.along @ -force
        return replace(self, unit=self.unit + np.outer(missed, x) / float(x @ x))


class FamilyPoint:
    """A position of the family with its forces, stiffness and derivative along the parameter."""

    def __init__(self, family: ModelFamily, chart: Chart, mu: float):
        """Forces at once, derivatives when they are asked for."""
        self.family, self.chart, self.mu = family, chart, mu
        self.scale = chart.weights[chart.chosen]
        self.still = np.zeros(len(self.scale))
        self.force = -chart.residual(chart.q, self.still) / self.scale

    @cached_property
    def stiffness(self) -> tuple[Array, Array]:
        """K and its errors, J."""
        K, errors = self.chart.stiffness(self.still)
        units = 1.0 / np.outer(self.scale, self.scale)
        return K * units, errors * units

    @cached_property
    def directions(self) -> PrincipalDirections:
        units = np.outer(self.scale, self.scale)
        return PrincipalDirections(self.chart, *(part * units for part in self.stiffness))

    @cached_property
    def slope(self) -> Array:
        """∂r/∂μ with the chosen coordinates left alone, J."""
        found = np.zeros(len(self.scale))
        for mu, factor in self.family.slope_steps(self.mu):
            chart = self.chart
            if mu != self.mu:
                chart = self.family.chart(chart.q, mu, chart.chosen)
            found += factor * chart.residual(chart.q, self.still) / self.scale
        return found

    @cached_property
    def derivative(self) -> Derivative:
        """∂r/∂x along the principal directions; what is not known of it is zero."""
        found, K = self.directions, self.stiffness[0]
        slope = found.along(self.slope)
        matrix = np.column_stack([found.vectors.T @ K, slope])
        largest = np.abs(self.slope).max(initial=0.0)
        noise = found.noise * (1.0 + 1.0 / PARAMETER_STEP) + DIFFERENCE_ERROR * largest
        known = found.is_stiff | (np.abs(slope) > noise)
        lengths = np.where(known, np.linalg.norm(matrix, axis=1), 1.0)
        unit = np.where(known[:, None], matrix / lengths[:, None], 0.0)
        along = np.where(known[:, None], found.vectors.T / lengths[:, None], 0.0)
        return Derivative(unit, along, np.where(known, lengths, 0.0))

    def tangent(self, near: Array) -> Array:
        """The direction of length one nearest to `near` along which nothing pushes."""
        unit = self.derivative.unit
        found = near - np.linalg.pinv(unit, rcond=RANK_CUTOFF) @ (unit @ near)
        length = float(np.linalg.norm(found))
        return found / length if length > 0.0 else found

    def is_at_rest(self, tolerance: float) -> bool:
        """No force along any direction would move it by more, with the parameter or without."""
        found = self.directions
        limits = np.maximum(found.limits(tolerance), tolerance * self.derivative.lengths)
        return bool(np.all(np.abs(found.along(self.force)) <= limits))

    def moved(self, x: Array, mu: float | None = None) -> FamilyPoint:
        """The point that is moved by x, or to a value `mu` of the parameter."""
        mu = self.mu + float(x[-1]) if mu is None else mu
        step = self.chart.N @ (x[:-1] / self.scale)
        q = retract(self.chart.place.tree, self.chart.q, step)
        return FamilyPoint(self.family, self.family.chart(q, mu, self.chart.chosen), mu)

    def with_best_choice(self) -> FamilyPoint:
        """The same point with the independent coordinates that suit it best; refused where it is
        singular, or where a drive moves.
        """
        chart = self.family.chart(self.chart.q, self.mu)
        chart.check()
        chart.equations.check_drives(chart.q)
        if np.array_equal(chart.chosen, self.chart.chosen):
            return self
        return FamilyPoint(self.family, chart, self.mu)

    def to_speeds(self, x: Array) -> Array:
        """(speeds of the tree, μ) of a direction x."""
        return np.append(self.chart.N @ (x[:-1] / self.scale), x[-1])

    def from_speeds(self, u: Array) -> Array:
        """x of (speeds of the tree, μ)."""
        return np.append(u[:-1][self.chart.chosen] * self.scale, u[-1])

    # ---- stability -------------------------------------------------------------------------------
    @cached_property
    def has_potential(self) -> bool:
        """Whether K is symmetric."""
        K = self.stiffness[0]
        return bool(np.abs(K - K.T).max(initial=0.0) <= CIRCULATORY * np.abs(K).max(initial=0.0))

    @cached_property
    def squares(self) -> Any:
        """ω² of M and K where K is not symmetric, complex, 1/s²."""
        M = self.chart.mass() / np.outer(self.scale, self.scale)
        try:
            found = np.linalg.eigvals(np.linalg.solve(M, self.stiffness[0]))
        except np.linalg.LinAlgError:
            raise FitError(
                f"forces of {self.family.model.name!r} have no potential and a direction has no "
                "inertia, so that nothing says whether it is stable; give every body one"
            ) from None
        size = np.abs(found).max(initial=0.0)
        return np.where(np.abs(found.imag) <= COMPLEX * size, found.real, found)

    @property
    def divergent(self) -> int:
        """How many directions are pushed away."""
        if self.has_potential:
            return self.directions.unstable
        size = np.abs(self.squares).max(initial=0.0)
        real = self.squares.real[self.squares.imag == 0.0]
        return int(np.count_nonzero(real < -COMPLEX * size))

    @property
    def fluttering(self) -> int:
        """How many vibrations grow: pairs of complex ω²."""
        return 0 if self.has_potential else int(np.count_nonzero(self.squares.imag > 0.0))

    @property
    def unstable(self) -> int:
        """Motions that grow, dampers left out."""
        return self.divergent + 2 * self.fluttering

    def critical(self, order: int, neutral: int) -> float:
        """The stiffness (ω² where K is not symmetric) that is `order`-th from below, without as
        many as are neutral anyway.
        """
        values = self.directions.values if self.has_potential else self.squares.real
        kept = np.sort(values[np.argsort(np.abs(values))[neutral:]])
        return float(kept[min(order, len(kept) - 1)])

    def gap(self) -> float:
        """(ω₁² − ω₂²)² of the nearest two: below zero where they are complex."""
        i, j = np.triu_indices(len(self.squares), 1)
        differences = (self.squares[i] - self.squares[j]) ** 2
        return float(differences[np.argmin(np.abs(differences))].real)


# ---- what is asked for ---------------------------------------------------------------------------
def find_parameter(model: Model, name: str) -> Target:
    """The number of a part or of gravity; others are refused with the nearest name."""
    if not isinstance(model, Model):
        raise OptionError(f"give a Model, not {type(model).__name__}")
    target = find_number(model, str(name))
    if target is None:
        known = [each for each, found in names_of(model) if found.kind != "start"]
        raise OptionError(f"{model.name} has no number {name!r}; {suggest(str(name), known)}")
    is_start = target.kind == "start" or (target.group == "joints" and target.path[0] in STARTS)
    if is_start:
        raise OptionError(
            f"{name!r} is a start value, on which no equilibrium depends; name a number of a part, "
            "such as gravity, a stiffness, a load, a length or the position of a drive"
        )
    return target


STARTS = ("q", "qdot")  # fields of joints


def make_parameter(model: Model, target: Target) -> tuple[Model, Target]:
    """A number that stands for a formula (the position of a drive) as a parameter of that formula,
    so that not every value is compiled.
    """
    if target.kind != "part" or len(target.path) != 1:
        return model, target
    parts = list(getattr(model, target.group))
    part, name = parts[target.key], str(target.path[0])
    kinds = {each.name: str(each.type) for each in fields(part)}
    if "parameters" not in kinds or "Formula" not in kinds[name]:
        return model, target
    value = {name: name, "parameters": {**part.parameters, name: getattr(part, name)}}
    parts[target.key] = replace(part, **value)
    return model.with_(**{target.group: parts}), target._replace(path=("parameters", name))


def check_ends(name: str, ends: Sequence[float]) -> tuple[float, float]:
    """Two different finite numbers."""
    try:
        first, last = (float(value) for value in ends)
    except (TypeError, ValueError):
        raise OptionError(f"{name}: give two numbers, where it begins and ends") from None
    if not (np.isfinite(first) and np.isfinite(last)) or first == last:
        raise OptionError(f"{name}: from {first:g} to {last:g} is no range; give two numbers")
    return first, last


def give_rods_lengths(model: Model, q: Array, t: float) -> Model:
    """Rods without a length get that of the start, which is the same along the whole branch."""
    parts = list(model.constraints)
    if not any(isinstance(part, Rod) and part.length is None for part in parts):
        return model
    place = Mechanism(model, q, t).start_configuration.position_of_point
    for k, part in enumerate(parts):
        if isinstance(part, Rod) and part.length is None:
            ends = place(part.body_b, part.at_b), place(part.body_a, part.at_a)
            parts[k] = replace(part, length=float(np.linalg.norm(ends[0] - ends[1])))
    return model.with_(constraints=parts)
