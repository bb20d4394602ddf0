"""Findings of a comparison at one start, quantity by quantity: how far each formulation is from the
reference, and on which scale.

Positions, velocities, momenta and kinetic energies are measured against the start itself, which no
formulation has computed.
Accelerations of one formulation are right if they balance the forces and break no joint: the
reference is the median of those that do both. If all do or none does, it is the median of all; of
two that cannot be distinguished by this, both are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.analysis.compare.causes import find_causes
from hamiltree.analysis.compare.forces import MAX_BODIES, Balance, JointForces, movable_bodies
from hamiltree.analysis.compare.joints import JointRows
from hamiltree.analysis.compare.localise import armature_of
from hamiltree.analysis.compare.row import ERROR_FACTOR, MAX_TOLERANCE_FACTOR, Row
from hamiltree.analysis.compare.runs import ComparedRun, distances
from hamiltree.analysis.compare.states import Masses, Scales, Start, StateEvaluation
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError
from hamiltree.model import Model

SMALL = 1e-3  # of v²/r: accelerations that small beside the speeds are measured against that
# of the largest acceleration of any body: smaller ones are measured against it
ACCELERATION_SHARE = 1e-2
# of the usual acceleration of a body, by its speed and the forces: smaller ones are measured by it
LEAST_ACCELERATION = 1e-3
ANGULAR, LINEAR = slice(0, 3), slice(3, 6)  # parts of a twist, a momentum or an acceleration


@dataclass(eq=False)
class Findings:
    """Formulations that fit a model, with what each of them found at the start."""

    model: Model
    start: Start
    masses: Masses
    bare: Scales  # of the start, without the accelerations that were found
    joint_rows: JointRows | None
    found: dict[str, StateEvaluation]
    tolerance: float
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.names = list(self.found)
        self.bodies = [body.name for body in self.model.bodies]
        self.joints = [joint.name for joint in self.model.joints]

    def stack(self, part: Callable[[StateEvaluation], Any]) -> np.ndarray:
        return np.array([part(evaluation) for evaluation in self.found.values()])

    # ---- references ------------------------------------------------------------------------------
    @cached_property
    def right(self) -> dict[str, bool]:
        """Whose accelerations balance the forces and break no joint, as far as that can be said."""
        worst = [
            row.excess(self.tolerance)
            for row in (*self.balance_rows(), *self.joint_acceleration_rows())
        ]
        passed = np.ones(len(self.names), dtype=bool)
        if worst:
            passed = np.array(worst).max(0, initial=0.0) <= 1.0
        return dict(zip(self.names, passed.tolist(), strict=True))

    def trusted(self, names: Sequence[str]) -> list[int]:
        """Numbers of the formulations whose median is the reference; of two of which it is not
        known which is right, the first.
        """
        passed = [k for k, name in enumerate(names) if self.right[name]]
        if len(names) == 2 and len(passed) != 1:
            return [0]
        return passed or list(range(len(names)))

    def ambiguous_names(self, names: Sequence[str]) -> str:
        """Both, where there are two and it is not known which is wrong; else empty."""
        is_ambiguous = len(names) == 2 and sum(self.right[name] for name in names) != 1
        return " or ".join(names) if is_ambiguous else ""

    def reference(self, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return np.median(values[self.trusted(names)], axis=0)

    def deviation(self, values: np.ndarray) -> np.ndarray:
        """(formulations, items) of values (formulations, items, components)."""
        return np.linalg.norm(values - self.reference(values, self.names), axis=-1)

    # ---- scales ----------------------------------------------------------------------------------
    @cached_property
    def accelerations(self) -> np.ndarray:
        """(bodies,) m/s² that each body is judged by: its own, gravity's, shares of those of its
        turning, of the usual and of the largest.
        """
        own = np.median(self.stack(lambda m: np.linalg.norm(m.acceleration[:, 3:], axis=1)), axis=0)
        gravity = float(np.linalg.norm(self.model.gravity))
        least = max(gravity, ACCELERATION_SHARE * own.max(initial=0.0))
        usual = LEAST_ACCELERATION * self.bare.usual
        return np.maximum.reduce([own, SMALL * self.bare.turning, usual, np.full_like(own, least)])

    @cached_property
    def angular(self) -> np.ndarray:
        """(bodies,) rad/s², in the same way."""
        own = np.median(self.stack(lambda m: np.linalg.norm(m.acceleration[:, :3], axis=1)), axis=0)
        spin = SMALL * (self.start.twist[:, :3] ** 2).sum(1)
        by_size = self.accelerations / self.bare.size
        share = np.full(len(own), ACCELERATION_SHARE * own.max(initial=0.0))
        return np.maximum.reduce([own, spin, by_size, share])

    @cached_property
    def scales(self) -> Scales:
        """With accelerations as they are, and the speeds that they would make."""
        bare = self.bare
        acceleration = float(self.accelerations.max(initial=0.0)) or bare.natural.acceleration
        speed = max(bare.speed, (acceleration * bare.size) ** 0.5)
        return bare._replace(acceleration=acceleration, speed=speed)

    @cached_property
    def turning(self) -> float:
        """rad/s, of what turns or will soon."""
        angular = self.stack(
            lambda m: np.linalg.norm(m.acceleration[:, :3], axis=1).max(initial=0.0)
        )
        largest = float(np.median(angular))
        return max(self.scales.spin, self.scales.speed / self.scales.size, largest**0.5)

    @property
    def energy_scale(self) -> float:
        return max(
            self.scales.mass * self.scales.acceleration * self.scales.size, abs(self.kinetic[0])
        )

    # ---- rows ------------------------------------------------------------------------------------
    def rows(self) -> list[Row]:
        return [*self.motion_rows(), *self.energy_rows(), *self.force_rows()]

    def motion_rows(self) -> list[Row]:
        """Poses, twists and momenta against those of the start; accelerations."""
        scales = self.scales
        bodies = self.bodies
        start = self.start
        place, angle = distances(self.stack(lambda m: m.pose), start.pose[None])
        twist = self.stack(lambda m: m.twist) - start.twist
        spin = np.linalg.norm(twist[..., ANGULAR], axis=-1)
        speed = np.linalg.norm(twist[..., LINEAR], axis=-1)
        return [
            Row("position", "m", place, scales.size, bodies, self.rounding, True),
            Row("attitude", "rad", angle, 1.0, bodies, 0.0, True),
            Row("angular velocity", "rad/s", spin, self.turning, bodies, 0.0, True),
            Row("velocity", "m/s", speed, scales.speed, bodies, 0.0, True),
            *self.acceleration_rows(),
            *self.joint_acceleration_rows(),
            *self.momentum_rows(),
        ]

    def momentum_rows(self) -> list[Row]:
        """Momenta of each body about the world's origin against those of the start."""
        scales = self.scales
        right = self.masses.momenta(self.start.pose, self.start.twist)
        wrong = self.stack(lambda m: m.momentum) - right
        moment = np.linalg.norm(wrong[..., ANGULAR], axis=-1)
        linear = np.linalg.norm(wrong[..., LINEAR], axis=-1)
        least = SMALL * scales.mass * scales.speed
        whole_moment = float(np.linalg.norm(right[:, ANGULAR], axis=1).sum())
        whole_linear = float(np.linalg.norm(right[:, LINEAR], axis=1).sum())
        moment_scale = max(whole_moment, least * scales.size)
        linear_scale = max(whole_linear, least)
        bodies = self.bodies
        return [
            Row("angular momentum", "kg m²/s", moment, moment_scale, bodies, 0.0, True),
            Row("linear momentum", "kg m/s", linear, linear_scale, bodies, 0.0, True),
        ]

    @property
    def rounding(self) -> float:
        """Of positions far from the world's origin, m."""
        return float(4.0 * np.finfo(float).eps * np.abs(self.start.pose[:, :3]).max(initial=0.0))

    def acceleration_rows(self) -> list[Row]:
        """α and a of each body against the reference."""
        found = self.stack(lambda m: m.acceleration)
        errors = self.stack(lambda m: m.acceleration_error)
        both = errors + np.median(errors, axis=0)
        angular = self.deviation(found[..., ANGULAR])
        linear = self.deviation(found[..., LINEAR])
        bodies = self.bodies
        return [
            Row("angular acceleration", "rad/s²", angular, self.angular, bodies, both[..., 0]),
            Row("acceleration", "m/s²", linear, self.accelerations, bodies, both[..., 1]),
        ]

    def joint_acceleration_rows(self) -> list[Row]:
        """Second derivatives of all rows along each flow."""
        made = self.joint_rows
        if made is None or not made.specs:
            return []
        broken = np.array([made.by_owner(m.rows.value) for m in self.found.values()])
        error = np.array([made.by_owner(m.rows.error) for m in self.found.values()])
        scale = self.scales.acceleration
        return [Row("joint accelerations", "m/s²", broken, scale, made.labels, error, True)]

    @cached_property
    def kinetic(self) -> tuple[float, float]:
        """T at the start: with armature, and of the masses alone."""
        masses = self.masses.kinetic_energy(self.start.pose, self.start.twist)
        armature = armature_of(Mechanism(self.model, self.start.q))
        return masses + 0.5 * float(armature @ self.start.speeds**2), masses

    def energy_rows(self) -> list[Row]:
        """T by the formulation and by the model's masses; V; the energy rate by the formulation's
        account and along its flow.
        """
        scale = self.energy_scale
        energy = self.stack(lambda m: m.energy)
        of_masses = self.stack(lambda m: np.array(m.kinetic))
        kinetic = np.abs(np.column_stack([energy[:, 0], of_masses]) - np.array(self.kinetic))
        potential = self.without_fixed_bodies(energy[:, 1])[:, None, None]
        potential_change = np.linalg.norm(potential - self.middle(potential), axis=-1)
        power = self.stack(lambda m: m.power)
        is_ambiguous = self.ambiguous_names(self.names)
        reference = np.median(power if is_ambiguous else power[self.trusted(self.names)])
        rate = np.abs(power - float(reference))
        rate_scale = scale * max(self.scales.speed / self.scales.size, self.scales.spin * SMALL)
        errors = self.stack(lambda m: np.array(m.power_error))[:, None]
        both = errors + np.median(errors)
        accounts = ("by power", "along the flow")
        return [
            Row("kinetic energy", "J", kinetic, scale, ("", "of masses"), 0.0, True),
            Row("potential energy", "J", potential_change, scale, ("",)),
            Row("energy rate", "W", rate, rate_scale, accounts, both, True),
        ]

    def middle(self, values: np.ndarray) -> np.ndarray:
        """The reference where accelerations do not decide: the median, of two the first."""
        return np.median(values, axis=0) if len(values) > 2 else values[0]

    def without_fixed_bodies(self, potential: np.ndarray) -> np.ndarray:
        """V less that of bodies which cannot move, where it is counted: formulations of trees leave
        it out.
        """
        centre = self.masses.centres(self.start.pose, self.start.twist)[0]
        held = self.masses.mass * ~movable_bodies(self.model, self.start.q)
        still = -float(held @ (centre @ np.array(self.model.gravity)))
        lowest = potential.min() if still > 0 else potential.max()
        counted = np.abs(potential - lowest - still) < np.abs(potential - lowest)
        return np.where(counted, potential - still, potential)

    # ---- reactions -------------------------------------------------------------------------------
    @cached_property
    def balance(self) -> Balance | None:
        """Reactions by the balance of forces; None, with a note, where there are none."""
        if len(self.bodies) > MAX_BODIES:
            self.notes.append(f"reactions are compared for up to {MAX_BODIES} bodies")
            return None
        try:
            made = Balance(self.model, self.masses, self.start)
        except (FitError, ModelError) as error:
            self.notes.append(f"reactions are not compared: {error}")
            return None
        self.notes += [made.note] if made.note else []
        return made

    @cached_property
    def forces(self) -> dict[str, JointForces]:
        if self.balance is None:
            return {}
        return dict(
            zip(self.found, self.balance.solve_reactions(list(self.found.values())), strict=True)
        )

    def of_forces(self, part: str) -> np.ndarray:
        return np.array([getattr(made, part) for made in self.forces.values()])

    @cached_property
    def weights(self) -> tuple[float, float]:
        """Of moments and forces: N m, N."""
        least, size = self.scales.mass * self.scales.acceleration, self.scales.size
        moment, force = (
            float(np.linalg.norm(np.median(self.of_forces(x), axis=0), axis=-1).max(initial=0.0))
            for x in ("moment", "force")
        )
        return max(least * size, moment), max(least, force)

    @cached_property
    def force_errors(self) -> np.ndarray:
        """(formulations, 1) N, of M a with the errors of a: of the body where it is most."""
        inertia = np.trace(self.masses.inertia, axis1=1, axis2=2) / self.scales.size
        errors = self.stack(
            lambda m: (
                inertia * m.acceleration_error[:, 0] + self.masses.mass * m.acceleration_error[:, 1]
            )
        )
        return errors.max(1, initial=0.0)[:, None]

    def balance_rows(self) -> list[Row]:
        """Force on each body that neither loads nor reactions explain; moments by the size."""
        if not self.forces:
            return []
        lengths = [self.scales.size] * 3 + [1.0] * 3
        left = np.linalg.norm(self.of_forces("left") / lengths, axis=-1)
        scale, error = self.weights[1], self.force_errors
        return [Row("balance of forces", "N", left, scale, self.bodies, error, True)]

    def force_rows(self) -> list[Row]:
        """Reactions of each joint against the reference, multipliers, and the balance of forces."""
        if not self.forces:
            return []
        torque, weight = self.weights
        errors = self.force_errors + np.median(self.force_errors)
        moment = self.deviation(self.of_forces("moment"))
        force = self.deviation(self.of_forces("force"))
        moment_errors = errors * self.scales.size
        return [
            Row("reaction moment", "N m", moment, torque, self.joints, moment_errors),
            Row("reaction force", "N", force, weight, self.joints, errors),
            *self.multiplier_rows(weight),
            *self.balance_rows(),
        ]

    def multiplier_rows(self, weight: float) -> list[Row]:
        """Reactions by a formulation's own λ against those of its accelerations, joint by joint."""
        deviation = np.zeros((len(self.names), len(self.joints)))
        for k, (name, evaluation) in enumerate(self.found.items()):
            if len(evaluation.multipliers) and self.balance is not None:
                own = self.balance.reactions_from_multipliers(evaluation.multipliers)
                by_balance = self.forces[name]
                moment = (own.moment - by_balance.moment) / self.scales.size
                force = own.force - by_balance.force
                both = np.hypot(np.linalg.norm(moment, axis=1), np.linalg.norm(force, axis=1))
                deviation[k] = np.nan_to_num(both, nan=np.inf)
        if not any(len(evaluation.multipliers) for evaluation in self.found.values()):
            return []
        return [Row("multipliers", "N", deviation, weight, self.joints, self.force_errors, True)]

    @cached_property
    def discrepancy_causes(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """Of each formulation whose accelerations differ: the bodies at which that may begin, and a
        sentence.
        """
        return find_causes(self) if len(self.bodies) <= MAX_BODIES else {}

    # ---- trajectories ----------------------------------------------------------------------------
    def run_scales(self) -> tuple[float, float, float]:
        return self.scales.size, 1.0, self.energy_scale

    def undecided(self, ran: ComparedRun, tolerance: float) -> bool:
        """Whether a run's own error is beyond the most that is allowed."""
        return any(
            ERROR_FACTOR * error > MAX_TOLERANCE_FACTOR * tolerance * scale
            for error, scale in zip(ran.errors, self.run_scales(), strict=True)
        )

    def run_rows(self, runs: dict[str, ComparedRun]) -> list[Row]:
        """Poses and energies at the ends of the runs against the reference."""
        names = list(runs)
        pose = np.array([ran.end.pose for ran in runs.values()])
        energy = np.array([ran.end.energy for ran in runs.values()])
        errors = np.array([ran.errors for ran in runs.values()])
        place, angle = distances(pose, self.pose_reference(pose, names)[None])
        both = (errors + np.median(errors[self.trusted(names)], axis=0))[:, None, :]
        energies = np.abs(energy - self.reference(energy, names))[:, None]
        size, radian, work = self.run_scales()
        return [
            Row("position at the end", "m", place, size, self.bodies, both[..., 0]),
            Row("attitude at the end", "rad", angle, radian, self.bodies, both[..., 1]),
            Row("energy at the end", "J", energies, work, ("",), both[..., 2]),
        ]

    def pose_reference(self, pose: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """The median pose of each body, (bodies, 7); quaternions of opposite signs are aligned."""
        signs = np.where((pose[..., 3:] * pose[:1, :, 3:]).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
        middle = self.reference(
            np.concatenate([pose[..., :3], signs * pose[..., 3:]], axis=-1), names
        ).copy()
        middle[:, 3:] /= np.linalg.norm(middle[:, 3:], axis=-1, keepdims=True)
        return middle
