"""One formulation at one state, by its own verbs alone: poses, twists, accelerations, energies,
momenta, power.

An acceleration is the derivative of a twist along the flow, d/ds twist(y + s ẏ) at s = 0: a curve
that touches the flow is enough. It is found by central differences of order 8 with a ladder of
steps; for each body the step is taken at which two neighbours differ least. Their difference, or
the rounding error if that is more, is the estimated error.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hamiltree.analysis.compare.joints import JointRows
from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.kinematics import tree_of
from hamiltree.assembly.scales import Scales as NaturalScales
from hamiltree.assembly.scales import finder_of
from hamiltree.compiled.number import WIDTH
from hamiltree.errors import StepError
from hamiltree.formulations.batch import observe
from hamiltree.formulations.batch_compare import (
    add_constraint_forces,
    constraint_rates_of_states,
    power_of_drives,
    power_of_state,
)
from hamiltree.formulations.verb_pointers import multiplier_pointer, observer_pointer, power_pointer
from hamiltree.model import Model
from hamiltree.rotations import normalise, quaternion_from_matrix, rotation_matrix
from hamiltree.run.choices import imposes_constraints
from hamiltree.run.diagnosis import singular_position
from hamiltree.run.equations import bind

OFFSETS = np.array([-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
LONGEST_ANGLE = 0.1  # rad that anything turns by in the longest step of the ladder, about
DIFFERENCE_STEPS = 13  # of the ladder, each half of the one before
ROUNDING = 2.0 * np.finfo(float).eps  # of a value, with the weights of the differences


class Derivative(NamedTuple):
    value: np.ndarray
    error: np.ndarray  # of each item: its largest component


class Start(NamedTuple):
    """Where all formulations start, found without any of them: coordinates and speeds of the tree,
    poses and twists of all bodies.
    """

    q: np.ndarray
    speeds: np.ndarray
    pose: np.ndarray  # (bodies, 7)
    twist: np.ndarray  # (bodies, 6) of the origins


class Scales(NamedTuple):
    """What is large in a model at its start: m, m/s, rad/s, m/s², kg; and of each body how far it
    reaches from its joint, and v²/r.
    """

    size: float
    speed: float
    spin: float
    acceleration: float
    mass: float
    reach: np.ndarray  # (bodies,) m: to its centre of mass, at least √(tr J / 2m)
    turning: np.ndarray  # (bodies,) m/s²
    usual: np.ndarray  # (bodies,) m/s²: of its own speed, gravity and the forces of the model
    natural: NaturalScales


class Observed(NamedTuple):
    """What follows from states: (T, V), poses and twists of all bodies."""

    slopes: np.ndarray
    energy: np.ndarray
    pose: np.ndarray
    twist: np.ndarray


class Masses:
    """Mass, centre and inertia of all bodies of a model, and what follows from them at poses and
    twists.
    """

    def __init__(self, model: Model):
        n = len(model.bodies)
        self.mass = np.array([body.mass for body in model.bodies])
        self.com = np.array([body.com for body in model.bodies], dtype=float).reshape(n, 3)
        inertias = np.array([body.inertia for body in model.bodies], dtype=float)
        self.inertia = inertias.reshape(n, 3, 3)

    def centres(self, pose: np.ndarray, twist: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the centres of mass."""
        arm = np.einsum("...bij,bj->...bi", rotations_of(pose), self.com)
        return pose[..., :3] + arm, twist[..., 3:] + np.cross(twist[..., :3], arm)

    def world_inertias(self, pose: np.ndarray) -> np.ndarray:
        """Inertias about the centres of mass, world axes."""
        turn = rotations_of(pose)
        return np.einsum("...bij,bjk,...blk->...bil", turn, self.inertia, turn)

    def gyration_radii(self) -> np.ndarray:
        """(bodies,) √(tr J / 2m), m."""
        trace = np.trace(self.inertia, axis1=1, axis2=2)
        mass = np.where(self.mass > 0.0, self.mass, np.inf)
        return np.sqrt(np.maximum(trace, 0.0) / (2.0 * mass))

    def momenta(self, pose: np.ndarray, twist: np.ndarray) -> np.ndarray:
        """(…, bodies, 6): angular momentum about the world's origin, linear momentum."""
        centre, velocity = self.centres(pose, twist)
        linear = self.mass[:, None] * velocity
        spin = np.einsum("...bij,...bj->...bi", self.world_inertias(pose), twist[..., :3])
        return np.concatenate([spin + np.cross(centre, linear), linear], axis=-1)

    def kinetic_energy(self, pose: np.ndarray, twist: np.ndarray) -> float:
        """T = ½ Σ m v² + ½ Σ ωᵀ J ω, J."""
        velocity = self.centres(pose, twist)[1]
        w = twist[:, :3]
        linear = self.mass @ (velocity**2).sum(1)
        return float(0.5 * (linear + np.einsum("bi,bij,bj->", w, self.world_inertias(pose), w)))

    def inertial_forces(
        self, pose: np.ndarray, twist: np.ndarray, acceleration: np.ndarray
    ) -> np.ndarray:
        """(bodies, 6): J α + ω × J ω and m a about the centres of mass, world axes."""
        J = self.world_inertias(pose)
        w = twist[:, :3]
        alpha = acceleration[:, :3]
        torque = np.einsum("bij,bj->bi", J, alpha) + np.cross(w, np.einsum("bij,bj->bi", J, w))
        return np.concatenate([torque, self.mass[:, None] * acceleration[:, 3:]], axis=1)


def rotations_of(pose: np.ndarray) -> np.ndarray:
    return rotation_matrix(normalise(pose[..., 3:]))


def start_at(model: Model, q: np.ndarray, speeds: np.ndarray) -> Start:
    """By the kinematics of the tree in NumPy, which no formulation runs on."""
    turn, at, twist = Assembly(model, q, speeds).bodies
    return Start(q, speeds, np.concatenate([at, quaternion_from_matrix(turn)], axis=1), twist)


def lever_lengths(model: Model, masses: Masses) -> np.ndarray:
    """(bodies,) from the frame of the joint that carries a body to its centre of mass, m."""
    topology = tree_of(model).topology
    found = np.zeros(len(model.bodies))
    for place, body in enumerate(topology.order):
        joint = model.joints[topology.joint[place]]
        frame = joint.on_parent if topology.reversed[place] else joint.on_child
        found[body] = np.linalg.norm(masses.com[body] - np.array(frame.position))
    return found


def scales_of(model: Model, masses: Masses, start: Start) -> Scales:
    """Size from the positions of centres of mass and origins; accelerations of each body from its
    own spin, so that a fast rotor does not change the scales of other bodies.
    """
    centre, velocity = masses.centres(start.pose, start.twist)
    places = np.concatenate([start.pose[:, :3], centre])
    own = lever_lengths(model, masses)
    omega = start.twist[:, :3]
    spin = np.linalg.norm(omega, axis=1)
    speed = np.linalg.norm(velocity, axis=1)
    spread = float(np.ptp(places, axis=0).max()) or float(np.linalg.norm(places, axis=1).max())
    gyration_radii = masses.gyration_radii()
    reach = np.maximum(own, gyration_radii)
    natural = Assembly(model, start.q, start.speeds).scales
    size = max(spread, float(gyration_radii.max(initial=0.0))) or natural.length
    turning = np.maximum(np.linalg.norm(np.cross(omega, velocity), axis=1), spin**2 * own)
    acceleration = float(np.linalg.norm(model.gravity)) + float(turning.max(initial=0.0))
    speed = np.maximum(speed, spin * reach)
    return Scales(
        size=size,
        speed=float(speed.max(initial=0.0)),
        spin=float(spin.max(initial=0.0)),
        acceleration=acceleration,
        mass=float(masses.mass.sum()),
        reach=reach,
        turning=turning,
        usual=usual_accelerations(model, start, speed**2 / size),
        natural=natural,
    )


def usual_accelerations(model: Model, start: Start, turning: np.ndarray) -> np.ndarray:
    """(bodies,) m/s²: v²/size of each, which must not hide those of slow bodies, or what gravity
    and the numbers of forces make of a model at rest; without any, those of other bodies.
    """
    rest = finder_of(Assembly(model, start.q, np.zeros_like(start.speeds)))
    of_forces = rest.length * (rest.motion_rate or rest.fastest_rate) ** 2
    found = np.maximum(turning, of_forces)
    return np.where(found > 0.0, found, found.max(initial=0.0) or rest.scales.acceleration)


# ---- differences ---------------------------------------------------------------------------------
def difference_points(longest: float) -> np.ndarray:
    """(steps, points): how far along the flow, s."""
    return longest * 0.5 ** np.arange(DIFFERENCE_STEPS)[:, None] * OFFSETS


def differentiate(
    values: np.ndarray, longest: float, level: np.ndarray | None = None
) -> Derivative:
    """The derivative at 0 of values (steps, points, items, components…) on the ladder, per item.

    level: the size of the terms that were rounded, if it is not that of the values.
    """
    steps = longest * 0.5 ** np.arange(DIFFERENCE_STEPS)
    shape = values.shape[2:]
    flat = values.reshape(*values.shape[:2], *(shape[:1] or (1,)), math.prod(shape[1:]))
    found = np.einsum("p,spic->sic", WEIGHTS, flat) / steps[:, None, None]
    apart = np.abs(np.diff(found, axis=0)).max(-1, initial=0.0)
    size = np.abs(flat).max((0, 1, 3), initial=0.0) if level is None else level
    rounded = ROUNDING * size / steps[1:, None]
    errors = np.nan_to_num(np.maximum(apart, rounded), nan=np.inf)
    best, items = errors.argmin(0), np.arange(flat.shape[2])
    error = errors[best, items]
    value = np.where(np.isfinite(error)[:, None], found[best + 1, items], np.nan)
    return Derivative(value.reshape(shape), error.reshape(shape[:1]))


# ---- a formulation -------------------------------------------------------------------------------
class Probe:
    """A formulation of a model at the coordinates and speeds of its tree; raises as its assembly
    does where it does not fit.
    """

    def __init__(self, model: Model, name: str, start: Start, masses: Masses, scales: Scales):
        """Bind the model to the formulation at the start."""
        self.model = model
        self.masses = masses
        self.start = start
        self.scales = scales
        equations, self.assembly, self.system, self.work, self.y = bind(
            model, name, start.q, start.speeds
        )
        self.formulation = equations.formulation
        self.lanes = observer_pointer(self.system, self.work)
        rows = len(self.y)
        bodies = len(model.bodies)
        shapes = ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6))
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in shapes)

    def observe_states(self, times: np.ndarray, states: np.ndarray) -> Observed:
        n, bodies = len(states), len(self.model.bodies)
        shapes = (states.shape, (n, 2), (n, bodies, 7), (n, bodies, 6))
        out = Observed(*(np.full(shape, np.nan) for shape in shapes))
        observe(self.lanes, times, states, self.scratch, *out)
        return out

    def evaluation(self, joints: JointRows | None = None) -> StateEvaluation:
        """Everything at the state, t = 0."""
        here = self.observe_states(np.zeros(1), self.y[None].copy())
        scales = self.scales
        by_acceleration = (scales.acceleration / scales.size) ** 0.5
        fastest = max(scales.spin, scales.speed / scales.size, by_acceleration)  # rad/s
        longest = LONGEST_ANGLE / (fastest or 1.0 / scales.natural.time)
        ydot = here.slopes[0].copy()
        input_power = power_of_state(power_pointer(self.system, self.work), self.y)
        own = self.multipliers()
        if imposes_constraints(self.formulation) and self.system.facts.constraints:
            input_power += self.add_constraint_forces(ydot, longest)
        found = self.differentiate_along_flow(ydot, longest, here, input_power, joints)
        return found._replace(multipliers=own)

    def multipliers(self) -> np.ndarray:
        """λ of the independent rows as `rates` has left them, where the formulation solves for
        those of all joints; none elsewhere.
        """
        if self.formulation.multipliers is None:
            return np.zeros(0)
        return self.formulation.multipliers(self.system, self.work)

    def add_constraint_forces(self, ydot: np.ndarray, longest: float) -> float:
        """Add Gᵀλ to ydot, in place; the power of prescribed motions."""
        points = difference_points(longest)
        rows = self.system.facts.constraints
        states = self.y + points.reshape(-1, 1) * ydot
        single = self.formulation.workspace(self.system, 1)
        pointer = multiplier_pointer(self.system, single)
        found = np.full((len(states), rows), np.nan)
        spare = np.zeros_like(self.y)
        constraint_rates_of_states(
            pointer, points.ravel(), states, (self.y.copy(), spare, np.zeros(rows)), found
        )
        multipliers = -differentiate(found.reshape(*points.shape, rows), longest).value
        is_regular = add_constraint_forces(pointer, 0.0, self.y.copy(), multipliers, ydot)
        pointer.check()
        if not is_regular:
            where = singular_position(self.formulation, self.assembly, single)
            raise StepError(f"{self.formulation.name}: the start is a singular position, {where}")
        return power_of_drives(pointer, 0.0, self.y.copy(), multipliers, (spare, np.zeros(rows)))

    def differentiate_along_flow(
        self,
        ydot: np.ndarray,
        longest: float,
        here: Observed,
        input_power: float,
        joints: JointRows | None,
    ) -> StateEvaluation:
        """Derivatives along the flow."""
        points, (pose, twist) = difference_points(longest), (here.pose[0], here.twist[0])
        ahead = self.observe_states(points.ravel(), self.y + points.reshape(-1, 1) * ydot)
        _, velocity = self.masses.centres(ahead.pose, ahead.twist)
        shape = (*points.shape, len(self.model.bodies), 3)
        angular, linear = (
            differentiate(x.reshape(shape), longest) for x in (ahead.twist[..., :3], velocity)
        )
        change = differentiate(ahead.energy.sum(1).reshape(points.shape), longest)
        rows = Derivative(np.zeros(0), np.zeros(0))
        if joints is not None:
            rates = joints.rates(points.ravel(), ahead.pose, ahead.twist)
            rows = differentiate(
                rates.reshape(*points.shape, len(joints.specs)), longest, joints.level(twist)
            )
        return StateEvaluation(
            pose,
            twist,
            np.concatenate([angular.value, linear.value], axis=1),
            np.stack([angular.error, linear.error], axis=1),
            self.masses.momenta(pose, twist),
            here.energy[0],
            self.masses.kinetic_energy(pose, twist),
            np.array([input_power, float(change.value)]),
            float(change.error),
            rows,
        )


class StateEvaluation(NamedTuple):
    """What one formulation computes at one state; world axes, angular part first."""

    pose: np.ndarray  # (bodies, 7)
    twist: np.ndarray  # (bodies, 6) of the origins
    acceleration: np.ndarray  # (bodies, 6) α, and a of the centre of mass
    acceleration_error: np.ndarray  # (bodies, 2) of the differences: α, a
    momentum: np.ndarray  # (bodies, 6) about the world's origin
    energy: np.ndarray  # T, V by the formulation
    kinetic: float  # T of the model's masses at these twists
    power: np.ndarray  # by the formulation's own account; d(T + V)/dt along its flow
    power_error: float  # of the latter
    rows: Derivative  # (rows,) second derivatives of the rows of joints and constraints
    multipliers: np.ndarray = np.zeros(0)  # its own λ, where it has one of every independent row

    @property
    def is_finite(self) -> bool:
        """Whether all is known but λ, which is compared by itself."""
        return all(np.isfinite(part).all() for part in self[:9])
