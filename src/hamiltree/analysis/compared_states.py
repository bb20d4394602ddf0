"""One formulation at one state, by its own verbs alone: poses, twists, accelerations, energies, momenta, power.

An acceleration is the derivative of a twist along the flow, d/ds twist(y + s ẏ) at s = 0: a curve that touches the flow is enough. It is
found by central differences of order 8 with a ladder of steps; the step at which two neighbours differ least is taken, and by how much they
differ is the error that is told.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.algebra.handle import Handle
from hamiltree.algebra.number import WIDTH
from hamiltree.errors import StepError
from hamiltree.formulations.entries import observe
from hamiltree.formulations.entries_compare import constrain_slope, constraint_rates_of_states, power_of_drives, power_of_state
from hamiltree.formulations.kinematics import rotations
from hamiltree.model import Model
from hamiltree.plan import imposes_constraints
from hamiltree.subjects import ModelSubject

OFFSETS = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
LONGEST = 0.1  # rad that anything turns by in the longest step of the ladder, about
STEPS = 10  # of the ladder, each half of the one before


class Derivative(NamedTuple):
    value: np.ndarray
    error: float  # largest entry


class Scales(NamedTuple):
    """What is large in a model at a state: m, m/s, rad/s, m/s², kg."""

    size: float
    speed: float
    spin: float
    acceleration: float
    mass: float


class Observed(NamedTuple):
    """What follows from states: (T, V), poses and twists of all bodies."""

    slopes: np.ndarray
    energy: np.ndarray
    pose: np.ndarray
    twist: np.ndarray


class Masses:
    """Mass, centre and inertia of all bodies of a model, and what follows from them at poses and twists."""

    def __init__(self, model: Model):
        n = len(model.bodies)
        self.mass = np.array([body.mass for body in model.bodies])
        self.com = np.array([body.com for body in model.bodies], dtype=float).reshape(n, 3)
        self.inertia = np.array([body.inertia for body in model.bodies], dtype=float).reshape(n, 3, 3)

    def centres(self, pose: np.ndarray, twist: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the centres of mass."""
        arm = np.einsum("...bij,bj->...bi", turns_of(pose), self.com)
        return pose[..., :3] + arm, twist[..., 3:] + np.cross(twist[..., :3], arm)

    def turned(self, pose: np.ndarray) -> np.ndarray:
        """Inertias about the centres of mass, world axes."""
        turn = turns_of(pose)
        return np.einsum("...bij,bjk,...blk->...bil", turn, self.inertia, turn)

    def momenta(self, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
        """(…, bodies, 6): angular momentum about the world's origin, linear momentum."""
        centre, velocity = self.centres(pose, twist)
        linear = self.mass[:, None] * velocity
        spin = np.einsum("...bij,...bj->...bi", self.turned(pose), twist[..., :3])
        return np.concatenate([spin + np.cross(centre, linear), linear], axis=-1)

    def kinetic_energy(self, pose: np.ndarray, twist: np.ndarray) -> float:
        velocity, w = self.centres(pose, twist)[1], twist[:, :3]
        return float(0.5 * (self.mass @ (velocity**2).sum(1) + np.einsum("bi,bij,bj->", w, self.turned(pose), w)))

    def inertial_forces(self, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """(bodies, 6): J α + ω × J ω and m a about the centres of mass, world axes."""
        J, w, alpha = self.turned(pose), twist[:, :3], acceleration[:, :3]
        torque = np.einsum("bij,bj->bi", J, alpha) + np.cross(w, np.einsum("bij,bj->bi", J, w))
        return np.concatenate([torque, self.mass[:, None] * acceleration[:, 3:]], axis=1)


def turns_of(pose: np.ndarray) -> np.ndarray:
    return rotations(pose[..., 3:] / np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True))


def scales_of(model: Model, masses: Masses, pose: np.ndarray, twist: np.ndarray) -> Scales:
    """Size from where centres of mass and origins are; accelerations at least those of gravity and of turning."""
    centre, velocity = masses.centres(pose, twist)
    places = np.concatenate([pose[:, :3], centre])
    size = float(np.ptp(places, axis=0).max()) or float(np.linalg.norm(places, axis=1).max()) or 1.0
    spin = float(np.linalg.norm(twist[:, :3], axis=1).max())
    speed = float(np.linalg.norm(velocity, axis=1).max())
    acceleration = float(np.linalg.norm(model.gravity)) + spin**2 * size + speed * spin
    return Scales(size, speed + spin * size, spin, acceleration, float(masses.mass.sum()))


# ---- differences ---------------------------------------------------------------------------------------------------------------------
def ladder(longest: float) -> np.ndarray:
    """(steps, points): how far along the flow, s."""
    return longest * 0.5 ** np.arange(STEPS)[:, None] * OFFSETS


def differentiated(values: np.ndarray, longest: float) -> Derivative:
    """At 0, of values (steps, points, …) on the ladder."""
    steps = longest * 0.5 ** np.arange(STEPS)
    found = np.einsum("p,sp...->s...", WEIGHTS, values) / steps.reshape(-1, *(1,) * (values.ndim - 2))
    apart = np.abs(np.diff(found, axis=0)).reshape(STEPS - 1, -1).max(1, initial=0.0)
    if not np.isfinite(apart).any():
        return Derivative(np.full(values.shape[2:], np.nan), np.inf)
    best = int(np.nanargmin(apart))
    return Derivative(found[best + 1], float(apart[best]))


# ---- a formulation -------------------------------------------------------------------------------------------------------------------
class Probe:
    """A formulation of a model at the coordinates and speeds of its tree; raises as its assembly does where it does not fit."""

    def __init__(self, model: Model, name: str, q: Any, qdot: Any, masses: Masses):
        self.model, self.masses = model, masses
        self.subject = ModelSubject(model, name)
        self.system, self.y = self.subject.assembled(q, qdot, None)
        self.formulation = self.subject.formulation
        self.single = Handle(self.system, self.formulation.workspace(self.system, 1))
        self.lanes = Handle(self.system, self.formulation.workspace(self.system, WIDTH))
        rows, bodies = len(self.y), len(model.bodies)
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6)))

    def seen(self, times: np.ndarray, states: np.ndarray) -> Observed:
        n, bodies = len(states), len(self.model.bodies)
        shapes = (states.shape, (n, 2), (n, bodies, 7), (n, bodies, 6))
        out = Observed(*(np.full(shape, np.nan) for shape in shapes))
        observe(self.lanes, times, states, self.scratch, *out)
        return out

    def measured(self) -> Measured:
        """Everything at the state, t = 0."""
        here = self.seen(np.zeros(1), self.y[None].copy())
        pose, twist = here.pose[0], here.twist[0]
        scales = scales_of(self.model, self.masses, pose, twist)
        longest = LONGEST / (max(scales.spin, scales.speed / scales.size, (scales.acceleration / scales.size) ** 0.5) or 1.0)
        ydot = here.slopes[0].copy()
        brought: Any = power_of_state(self.single, 0.0, self.y.copy(), np.zeros_like(self.y))
        if imposes_constraints(self.formulation) and self.system.constraints:
            brought += self.constrained(ydot, longest)
        return self.along(ydot, longest, pose, twist, here.energy[0], brought)

    def constrained(self, ydot: np.ndarray, longest: float) -> float:
        """Gᵀλ into ydot; the power of what moves the constraints."""
        points, rows = ladder(longest), self.system.constraints
        states = self.y + points.reshape(-1, 1) * ydot
        found, spare = np.full((len(states), rows), np.nan), np.zeros_like(self.y)
        constraint_rates_of_states(self.single, points.ravel(), states, (self.y.copy(), spare, np.zeros(rows)), found)
        multipliers = -differentiated(found.reshape(*points.shape, rows), longest).value
        if not constrain_slope(self.single, 0.0, self.y.copy(), multipliers, ydot):
            raise StepError(f"{self.formulation.name}: the start is a singular position, {self.subject.singular(*self.single.parts)}")
        return power_of_drives(self.single, 0.0, self.y.copy(), multipliers, (spare, np.zeros(rows)))

    def along(self, ydot, longest, pose, twist, energy, brought) -> Measured:
        """Derivatives along the flow."""
        points = ladder(longest)
        ahead = self.seen(points.ravel(), self.y + points.reshape(-1, 1) * ydot)
        _, velocity = self.masses.centres(ahead.pose, ahead.twist)
        shape = (*points.shape, len(self.model.bodies), 3)
        angular, linear = (differentiated(x.reshape(shape), longest) for x in (ahead.twist[..., :3], velocity))
        change = differentiated(ahead.energy.sum(1).reshape(points.shape), longest)
        return Measured(
            pose,
            twist,
            np.concatenate([angular.value, linear.value], axis=1),
            (angular.error, linear.error),
            self.masses.momenta(pose, twist),
            energy,
            self.masses.kinetic_energy(pose, twist),
            np.array([brought, float(change.value)]),
            change.error,
        )


class Measured(NamedTuple):
    """What one formulation says at one state; world axes, angular part first."""

    pose: np.ndarray  # (bodies, 7)
    twist: np.ndarray  # (bodies, 6) of the origins
    acceleration: np.ndarray  # (bodies, 6) α, and a of the centre of mass
    acceleration_error: tuple[float, float]  # of the differences: α, a
    momentum: np.ndarray  # (bodies, 6) about the world's origin
    energy: np.ndarray  # T, V by the formulation
    kinetic: float  # T of the model's masses at these twists
    power: np.ndarray  # by the formulation's own account; d(T + V)/dt along its flow
    power_error: float  # of the latter

    @property
    def is_finite(self) -> bool:
        return all(np.isfinite(part).all() for part in self)
