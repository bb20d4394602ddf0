"""What formulations say of one model at one start, quantity by quantity: how far each is from the others, and on which scale.

The reference of a number is its median over the formulations; of two, the one whose accelerations balance the forces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.compared_forces import MOST_BODIES, Balance, Culprits, JointForces, moving
from hamiltree.analysis.compared_runs import Ran, distances
from hamiltree.analysis.compared_states import Masses, Measured, Scales, scales_of
from hamiltree.analysis.compared_tables import Disagreement
from hamiltree.errors import FitError, ModelError
from hamiltree.model import Model

SMALL = 1e-3  # of v²/size: accelerations that small beside the speeds are measured against that
LEAST = 1e-2  # m/s² of a model of a metre or more: smaller accelerations are measured against it
ROOM = 5.0  # times the estimated errors of what is compared: so far apart it may be
LOOSEST = 1e3  # times the tolerance, at the start: derivatives that are not better known show nothing


class Row(NamedTuple):
    """How far each formulation is from the reference, (formulations, items)."""

    quantity: str
    unit: str
    apart: np.ndarray
    scale: float
    items: Sequence[str]
    error: float = 0.0  # of what is compared, as far as it is known
    loosest: float = LOOSEST  # times the tolerance

    def allowed(self, tolerance: float) -> float:
        return max(tolerance * self.scale, min(ROOM * self.error, self.loosest * tolerance * self.scale))

    def judged(self, names: Sequence[str], tolerance: float, blamed: str = "") -> Disagreement:
        """The largest difference, and who is behind it; `blamed` if it cannot be said which formulation."""
        worst = np.unravel_index(int(self.apart.argmax()), self.apart.shape) if self.apart.size else (0, 0)
        largest = float(self.apart[worst]) if self.apart.size else 0.0
        where = self.items[int(worst[1])] if len(self.items) else ""
        return Disagreement(self.quantity, self.unit, largest, self.scale, self.allowed(tolerance), (blamed or names[int(worst[0])]), where)


class Findings:
    """Formulations that fit a model, with what each of them found at the start."""

    def __init__(self, model: Model, q: np.ndarray, masses: Masses, found: dict[str, Measured], tolerance: float):
        self.model, self.q, self.masses, self.found, self.tolerance = model, q, masses, found, tolerance
        self.names, self.bodies, self.joints = list(found), [b.name for b in model.bodies], [j.name for j in model.joints]
        self.first = next(iter(found.values()))
        self.notes: list[str] = []

    def stacked(self, part: Callable[[Measured], Any]) -> np.ndarray:
        return np.array([part(measured) for measured in self.found.values()])

    # ---- references and scales ----
    @cached_property
    def trusted(self) -> int:
        """Of two formulations the one to measure the other against."""
        left = [np.abs(made.left).max(initial=0.0) for made in self.forces.values()]
        return int(np.argmin(left)) if left else 0

    @property
    def blamed(self) -> str:
        """Both, where there are two and nothing tells which is wrong."""
        return " or ".join(self.names) if len(self.names) == 2 and not self.forces else ""

    def reference(self, values: np.ndarray) -> np.ndarray:
        return np.median(values, axis=0) if len(values) > 2 else values[min(self.trusted, len(values) - 1)]

    def apart(self, values: np.ndarray) -> np.ndarray:
        """(formulations, items) of values (formulations, items, components)."""
        return np.linalg.norm(values - self.reference(values), axis=-1)

    @cached_property
    def scales(self) -> Scales:
        """With accelerations as they are, and the speeds that they would make."""
        made = scales_of(self.model, self.masses, self.first.pose, self.first.twist)
        linear = float(np.median(self.stacked(lambda m: np.linalg.norm(m.acceleration[:, 3:], axis=1).max())))
        gravity, turning = float(np.linalg.norm(self.model.gravity)), SMALL * made.acceleration
        acceleration = max(linear, gravity, turning, LEAST * min(1.0, made.size))
        return made._replace(acceleration=acceleration, speed=max(made.speed, (acceleration * made.size) ** 0.5))

    @cached_property
    def turning(self) -> float:
        """rad/s, of what turns or will soon."""
        largest = float(np.median(self.stacked(lambda m: np.linalg.norm(m.acceleration[:, :3], axis=1).max())))
        return max(self.scales.spin, self.scales.speed / self.scales.size, largest**0.5)

    @property
    def energy_scale(self) -> float:
        kinetic = float(np.median(self.stacked(lambda m: abs(m.energy[0]))))
        return max(self.scales.mass * self.scales.acceleration * self.scales.size, kinetic)

    # ---- rows ----
    def rows(self) -> list[Row]:
        return [*self.motion_rows(), *self.energy_rows(), *self.force_rows()]

    def motion_rows(self) -> list[Row]:
        scales, bodies, momentum = self.scales, self.bodies, self.stacked(lambda m: m.momentum)
        place, angle = self.pose_differences(self.stacked(lambda m: m.pose))
        twist, least = self.stacked(lambda m: m.twist), SMALL * scales.mass * scales.speed
        push, turn = (float(np.linalg.norm(np.median(momentum, axis=0)[:, k], axis=1).sum()) for k in (slice(3, 6), slice(0, 3)))
        return [
            Row("position", "m", place, scales.size, bodies),
            Row("attitude", "rad", angle, 1.0, bodies),
            Row("angular velocity", "rad/s", self.apart(twist[..., :3]), self.turning, bodies),
            Row("velocity", "m/s", self.apart(twist[..., 3:]), scales.speed, bodies),
            *self.acceleration_rows(),
            Row("angular momentum", "kg m²/s", self.apart(momentum[..., :3]), max(turn, least * scales.size), bodies),
            Row("linear momentum", "kg m/s", self.apart(momentum[..., 3:]), max(push, least), bodies),
        ]

    def acceleration_rows(self) -> list[Row]:
        found = self.stacked(lambda m: m.acceleration)
        errors = self.stacked(lambda m: list(m.acceleration_error)).max(0)
        largest = float(np.linalg.norm(np.median(found, axis=0)[:, :3], axis=1).max())
        scale = max(largest, self.scales.acceleration / self.scales.size, SMALL * self.turning**2)
        return [
            Row("angular acceleration", "rad/s²", self.apart(found[..., :3]), scale, self.bodies, float(errors[0])),
            Row("acceleration", "m/s²", self.apart(found[..., 3:]), self.scales.acceleration, self.bodies, float(errors[1])),
        ]

    def pose_differences(self, pose: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Distances and angles from the reference."""
        signs = np.where((pose[..., 3:] * pose[:1, :, 3:]).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
        middle = self.reference(np.concatenate([pose[..., :3], signs * pose[..., 3:]], axis=-1)).copy()
        middle[:, 3:] /= np.linalg.norm(middle[:, 3:], axis=-1, keepdims=True)
        return distances(pose, middle[None])

    def energy_rows(self) -> list[Row]:
        """T by the formulation and by the model's masses; V; the energy rate by the formulation's account and along its flow."""
        scale, energy = self.energy_scale, self.stacked(lambda m: m.energy)
        kinetic, power = energy[:, :1], self.stacked(lambda m: m.power)
        if not any(any(joint.armatures()) for joint in self.model.joints):  # a rotor has kinetic energy without being a body
            kinetic = np.column_stack([kinetic, self.stacked(lambda m: np.array(m.kinetic))])
        potential, error = self.without_still(energy[:, 1])[:, None], max(m.power_error for m in self.found.values())
        rate = scale * self.scales.speed / self.scales.size
        return [
            Row("kinetic energy", "J", np.abs(kinetic - np.median(kinetic)), scale, ("", "of masses")),
            Row("potential energy", "J", self.apart(potential[..., None]), scale, ("",)),
            Row("energy rate", "W", np.abs(power - np.median(power)), rate, ("by power", "along the flow"), error),
        ]

    def without_still(self, potential: np.ndarray) -> np.ndarray:
        """V less that of bodies which cannot move, where it is counted: formulations of trees leave it out."""
        centre = self.masses.centres(self.first.pose, self.first.twist)[0]
        held = self.masses.mass * ~moving(self.model, self.q)
        still = -float(held @ (centre @ np.array(self.model.gravity)))
        lowest = potential.min() if still > 0 else potential.max()
        counted = np.abs(potential - lowest - still) < np.abs(potential - lowest)
        return np.where(counted, potential - still, potential)

    # ---- reactions ----
    @cached_property
    def forces(self) -> dict[str, JointForces]:
        if len(self.bodies) > MOST_BODIES:
            self.notes.append(f"reactions are compared for up to {MOST_BODIES} bodies")
            return {}
        try:
            balance = Balance(self.model, self.q, self.masses, self.first.pose, self.first.twist)
        except (FitError, ModelError) as error:
            self.notes.append(f"reactions are not compared: {error}")
            return {}
        self.notes += [balance.note] if balance.note else []
        return dict(zip(self.found, balance.solved(list(self.found.values())), strict=True))

    def force_rows(self) -> list[Row]:
        if not self.forces:
            return []
        moment, force, left = (np.array([getattr(made, part) for made in self.forces.values()]) for part in ("moment", "force", "left"))
        size, least = self.scales.size, self.scales.mass * self.scales.acceleration
        weight = max(least, float(np.linalg.norm(np.median(force, axis=0), axis=-1).max(initial=0.0)))
        torque = max(least * size, float(np.linalg.norm(np.median(moment, axis=0), axis=-1).max(initial=0.0)))
        errors = self.stacked(lambda m: m.acceleration_error[1] + size * m.acceleration_error[0]).max() * self.scales.mass
        return [
            Row("reaction moment", "N m", self.apart(moment), torque, self.joints, errors * size),
            Row("reaction force", "N", self.apart(force), weight, self.joints, errors),
            Row("balance of forces", "N", np.linalg.norm(left / ([size] * 3 + [1.0] * 3), axis=-1), weight, self.bodies, errors),
        ]

    # ---- who is behind it ----
    def culprits(self) -> dict[str, tuple[str, ...]]:
        """Of each formulation whose accelerations differ: the bodies at which that may begin."""
        if len(self.bodies) > MOST_BODIES:
            return {}
        rows = self.acceleration_rows()
        judged = np.array([row.apart.max(1, initial=0.0) / row.allowed(self.tolerance) for row in rows]).max(0)
        found, wrong = self.stacked(lambda m: m.acceleration), np.flatnonzero(judged > 1.0)
        if not len(wrong):
            return {}
        culprits, middle = Culprits(self.model, self.q, self.masses, self.first.pose), self.reference(found)
        noise = {k: sum(self.found[self.names[k]].acceleration_error) / np.abs(found[k] - middle).max() for k in wrong}
        return {self.names[k]: culprits.of(found[k] - middle, noise[k]) for k in wrong}

    # ---- trajectories ----
    def run_rows(self, runs: dict[str, Ran]) -> list[Row]:
        pose, energy = (np.array([getattr(ran.end, part) for ran in runs.values()]) for part in ("pose", "energy"))
        place, angle = self.pose_differences(pose)
        errors = np.sort([ran.errors for ran in runs.values()], axis=0)[-2:].sum(0)
        return [
            Row("position at the end", "m", place, self.scales.size, self.bodies, float(errors[0]), np.inf),
            Row("attitude at the end", "rad", angle, 1.0, self.bodies, float(errors[1]), np.inf),
            Row("energy at the end", "J", self.apart(energy[:, None, None]), self.energy_scale, ("",), float(errors[2]), np.inf),
        ]
