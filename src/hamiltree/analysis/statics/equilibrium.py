"""Where a chain of rigid bodies rests: ∂V = 0 by Newton's method on poses, down to a minimum.

A step solves (∂²V + λ) y = −∂V along the free motions, with angles in units of length (Goldfeld,
Quandt and Trotter 1966): λ ≥ 0 is the least of a few that make the matrix positive, which the
pivots of its factors show. The step is cut to a trust radius, a bound on the change of the
distances between particles, which follows from how well ∂V and ∂²V predicted V. Far away this is
descent along the gradient, near a minimum plain Newton; a saddle is left along its lowest
eigenvector. Poses move by R exp(dθ×), which has no singularities.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hamiltree.analysis.linear.rest import MechanismEquilibrium, find_rest
from hamiltree.analysis.linear.short_tables import stability
from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.poses import Poses, poses_of, start_at_rest
from hamiltree.analysis.statics.sparse import Factor, diagonal, lowest, sp
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import OptionError, StepError
from hamiltree.model import Model
from hamiltree.model.constraints import Motion
from hamiltree.model.pair_force import PairForce

KINDS = ("stable", "any")
EPSILON = float(np.finfo(float).eps)
# relative change of the distance between two particles in a step
FIRST_RADIUS, LARGEST_RADIUS = 0.1, 0.2
SADDLE_STEP = 0.05  # the same for the step that leaves a saddle
# change of V relative to the prediction: a step is taken, the radius grows, shrinks
ACCEPT_RATIO, GROW_RATIO, SHRINK_FACTOR = 1e-4, 0.75, 0.25
# of the stiffest motion: an eigenvalue nearer to zero is that of a motion that costs nothing
NEUTRAL_STIFFNESS = 1e-12
SHIFT_GROWTH = 10.0  # of the shift λ, from one trial to the next
MAX_SHIFTS, MAX_REFINEMENTS = 16, 4
ESCAPE_FACTOR = 20.0  # times as far from the origin as anything was at the start
MIN_LOAD_STEP = 1 / 64  # of the loads, by which they are raised
ROUNDING_FACTOR = 64.0  # roundings of the energy: changes below are not seen in V


@dataclass(frozen=True)
class Equilibrium:
    """Poses at which V is stationary; `residual` is the largest force (N, torques by the body's
    radius of gyration).
    """

    poses: Poses = field(repr=False)
    energy: float
    residual: float
    # the stiffest of the free motions, N/m, against which `residual` and `lowest` are judged
    stiffness: float
    lowest: float  # the lowest eigenvalue of ∂²V along the free motions, N/m
    unstable: int  # how many eigenvalues are below zero
    iterations: int
    model: Model = field(repr=False)  # the model that starts here, at rest
    t: float = 0.0  # where bodies that a Motion leads are

    def __repr__(self) -> str:
        """In a sentence: poses of many bodies are no table."""
        return (
            f"Equilibrium of {self.model.name!r}: {stability(self.unstable)}, V = "
            f"{self.energy:.6g} J, residual {self.residual:.1e} N, lowest stiffness "
            f"{self.lowest:.6g} N/m"
        )

    @property
    def is_stable(self) -> bool:
        return self.unstable == 0


def equilibrium(
    model: Model,
    start: Any = None,
    *,
    tolerance: float = 1e-11,
    kind: str = "stable",
    t: float = 0.0,
    iterations: int = 2000,
) -> Equilibrium | MechanismEquilibrium:
    """Where a model rests near `start` (q of the model; its own start if None): a minimum of V.

    `kind="any"` also returns a saddle, if that is what is nearest. A motion that costs nothing,
    such as that of a free chain as a whole, is no obstacle. Bodies of particles that are joined to
    the ground alone have an `Equilibrium` of poses: forces are below tolerance x stiffness x
    shortest distance, and bodies that a Motion moves are held where they are at `t`. All other
    models, trees and mechanisms with loops, have a `MechanismEquilibrium` of coordinates: forces
    are below tolerance x stiffness along every principal direction.
    """
    if kind not in KINDS:
        raise OptionError(f"kind = {kind!r}; give 'stable' or 'any'")
    if not 0.0 < tolerance < 1.0:
        raise OptionError(f"tolerance = {tolerance!r}; give a number between 0 and 1")
    if not is_of_poses(model):
        return find_rest(model, start, tolerance, kind, t, iterations)
    energy = PairEnergy(model, t)
    search = EquilibriumSearch(energy, poses_of(model, start, t))
    try:
        return search.run(tolerance, kind, iterations)
    except StepError:
        if not len(energy.loads[0]):
            raise
    return load_gradually(energy, poses_of(model, start, t), tolerance, kind, iterations)


def is_of_poses(model: Any) -> bool:
    """Whether every body is joined to the ground alone, and particles or a Motion are there."""
    if not isinstance(model, Model):
        return False
    has_pairs = any(isinstance(force, PairForce) for force in model.forces)
    has_motion = any(isinstance(part, Motion) for part in model.constraints)
    return model.is_unjoined and (has_pairs or has_motion)


def load_gradually(
    energy: PairEnergy, poses: Poses, tolerance: float, kind: str, iterations: int
) -> Equilibrium:
    """Without gravity and constant forces first, then with more and more of them: far from its
    equilibrium, bonds may break under a load that the equilibrium carries.
    """
    reached = 0.0
    part = 1.0
    energy.load_factor = 0.0
    found = EquilibriumSearch(energy, poses).run(tolerance, kind, iterations)
    while reached < 1.0:
        energy.load_factor = min(1.0, reached + part)
        try:
            found = EquilibriumSearch(energy, found.poses).run(tolerance, kind, iterations)
            reached = energy.load_factor
        except StepError as error:
            part *= 0.5
            if part < MIN_LOAD_STEP:
                raise StepError(f"{error}. {reached:.3g} of the loads are carried") from None
    return found


class EquilibriumSearch:
    """The state of a search: poses with V, ∂V and ∂²V there, in coordinates y that are
    displacements of particles, m.
    """

    def __init__(self, energy: PairEnergy, poses: Poses) -> None:
        """At the poses of the start; refused where V is infinite or particles coincide."""
        self.energy = energy
        self.free = energy.freedoms
        self.size, first, second = energy.shortest_distance(poses)
        if self.size == 0.0:
            names = f"{energy.particle_name(first)} and {energy.particle_name(second)}"
            raise OptionError(f"{names} are in one place at the start; move one of the bodies")
        if not np.isfinite(self.size):
            self.size = assemble_at_start(energy.model).scales.length
        self.radius = FIRST_RADIUS
        self.level = 0
        self.iterations = 0
        self.extent = float(np.abs(poses.positions).max(initial=0.0)) + self.size
        self.set_poses(poses, energy.energy(poses))
        if not np.isfinite(self.value):
            raise OptionError(
                "the energy is infinite at the start: a bond is broken or two particles coincide; "
                "start elsewhere"
            )

    def run(self, tolerance: float, kind: str, iterations: int) -> Equilibrium:
        """Newton steps until the forces vanish; a saddle is left unless any kind will do."""
        while self.iterations < iterations and not self.has_escaped:
            if self.is_converged(tolerance):
                count, value, vector = self.lowest_curvature()
                if count == 0 or kind == "any":
                    self.refine()
                    return self.result(count, value)
                self.leave_saddle(vector)
            else:
                self.step()
        raise StepError(self.failure())

    def refine(self) -> None:
        """Plain Newton steps, as long as each halves the forces at least."""
        for _ in range(MAX_REFINEMENTS):
            trial = self.moved(
                -Factor(self.matrix + NEUTRAL_STIFFNESS * self.scale * self.one).solve(self.slope)
            )
            if not self.residual_at(trial) < 0.5 * self.residual:
                return
            self.set_poses(trial, self.energy.energy(trial))

    @property
    def has_escaped(self) -> bool:
        """Whether a body is far away from where all began."""
        return bool(np.abs(self.poses.positions).max() > ESCAPE_FACTOR * self.extent)

    def set_poses(self, poses: Poses, value: float) -> None:
        """Move to new poses with the energy `value`."""
        self.poses, self.value = poses, value
        self.slope = self.energy.free_gradient(poses) / self.free.lengths
        self.residual = float(np.abs(self.slope).max())
        self.fresh = False

    @property
    def matrix(self) -> Any:
        """∂²V, computed when first asked for at these poses."""
        if not self.fresh:
            scale = diagonal(1.0 / self.free.lengths)
            self.reduced_hessian = (scale @ self.energy.free_hessian(self.poses) @ scale).tocsc()
            stiffest = float(np.abs(self.reduced_hessian.diagonal()).max())
            self.stiffness = stiffest or self.residual / self.extent or 1.0
            self.one = sp.eye_array(self.reduced_hessian.shape[0], format="csc")
            self.fresh = True
        return self.reduced_hessian

    def moved(self, y: np.ndarray) -> Poses:
        return self.poses.moved(self.free.expand(y / self.free.lengths))

    def strain(self, y: np.ndarray) -> float:
        """Largest relative change of a distance between particles by a step; without pairs,
        relative to the size of the model.
        """
        motion = self.free.expand(y / self.free.lengths)
        return self.energy.strain(self.poses, motion) or float(np.abs(y).max()) / self.extent

    # ---- one step
    def step(self) -> None:
        """Towards the minimum of the quadratic model within the trust radius; the radius shrinks
        until V falls.
        """
        matrix = self.matrix
        y = -self.positive_factor().solve(self.slope)
        largest = self.strain(y)
        while True:
            self.iterations += 1
            cut = min(1.0, self.radius / largest)
            trial = self.moved(cut * y)
            predicted = cut * self.slope @ y + 0.5 * cut**2 * (y @ (matrix @ y))
            value = self.energy.energy(trial)
            if self.is_acceptable(trial, value, predicted, cut):
                break
            self.radius = SHRINK_FACTOR * cut * largest
            if self.radius < EPSILON:
                raise StepError(self.failure())
        self.set_poses(trial, value)

    def is_acceptable(self, trial: Poses, value: float, predicted: float, cut: float) -> bool:
        """Whether V falls as predicted; where rounding hides that, whether the forces do."""
        change = value - self.value
        rounded = abs(self.value) + self.stiffness * self.size**2
        noise = ROUNDING_FACTOR * EPSILON * rounded
        if abs(predicted) <= noise and abs(change) <= 10 * noise:
            ratio = 1.0 if self.residual_at(trial) < self.residual else 0.0
        else:
            ratio = change / predicted if predicted < 0.0 else -np.inf
        if ratio > GROW_RATIO and cut < 1.0:
            self.radius = min(2.0 * self.radius, LARGEST_RADIUS)
        return bool(ratio > ACCEPT_RATIO)

    def residual_at(self, poses: Poses) -> float:
        return float(np.abs(self.energy.free_gradient(poses) / self.free.lengths).max())

    def positive_factor(self) -> Factor:
        """Factors of ∂²V + λ with the least λ of a geometric sequence that makes it positive, from
        two below the one of the last step.
        """
        levels = NEUTRAL_STIFFNESS * SHIFT_GROWTH ** np.arange(MAX_SHIFTS)
        for level in range(max(0, self.level - 2), len(levels)):
            factor = Factor(self.matrix + levels[level] * self.scale * self.one)
            if factor.is_positive:
                self.level = level
                return factor
        raise StepError(self.failure())

    @property
    def scale(self) -> float:
        _ = self.matrix
        return self.stiffness

    # ---- the end
    def is_converged(self, tolerance: float) -> bool:
        """Forces below the tolerance, or below what positions far from the origin can resolve."""
        return self.residual <= max(tolerance * self.size, 4.0 * EPSILON * self.extent) * self.scale

    def lowest_curvature(self) -> tuple[int, float, np.ndarray]:
        """(negative eigenvalues, the lowest, its vector)."""
        floor = -NEUTRAL_STIFFNESS * self.scale
        values, vectors = lowest(self.matrix, 1, floor)
        count = Factor(self.matrix - floor * self.one).negative if values[0] < floor else 0
        return (1 if count is None else count), float(values[0]), vectors[:, 0]

    def leave_saddle(self, vector: np.ndarray) -> None:
        """Step off a saddle, to the side where V is lower."""
        y = SADDLE_STEP / self.strain(vector) * vector
        trials = [self.moved(y), self.moved(-y)]
        values = [self.energy.energy(trial) for trial in trials]
        side = int(values[1] < values[0])
        self.iterations += 1
        self.radius = FIRST_RADIUS
        self.set_poses(trials[side], values[side])

    def result(self, count: int, value: float) -> Equilibrium:
        """What was found, with the model that starts there."""
        made = start_at_rest(self.energy.model, self.poses)
        return Equilibrium(
            self.poses,
            self.value,
            self.residual,
            self.scale,
            value,
            count,
            self.iterations,
            made,
            self.energy.t,
        )

    def failure(self) -> str:
        worst = int(np.argmax(np.abs(self.slope)))
        body = self.energy.model.bodies[self.free.bodies[worst]]
        return (
            f"no equilibrium after {self.iterations} steps: V = {self.value:.10g} J, the largest "
            f"force is {self.residual:.3g} N, on body "
            f"{body.name!r}; start nearer, or check that something holds the bodies together"
        )
