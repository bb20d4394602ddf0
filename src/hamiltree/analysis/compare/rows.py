"""What formulations say of one model at one start, quantity by quantity: how far each is from the
reference, and on which scale.

Positions, velocities, momenta and kinetic energies are measured against the start itself, which no
formulation has computed.
Accelerations of one formulation are right if they balance the forces and break no joint: the
reference is the median of those that do both. If all do or none does, it is the median of all; of
two of which this tells neither apart, both are named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.compare.forces import MAX_BODIES, Balance, JointForces, movable_bodies
from hamiltree.analysis.compare.joints import JointRows
from hamiltree.analysis.compare.localise import Cause, DiscrepancyLocaliser, armature_of
from hamiltree.analysis.compare.runs import ComparedRun, distances
from hamiltree.analysis.compare.states import Masses, Scales, Start, StateEvaluation
from hamiltree.analysis.compare.tables import Disagreement
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError
from hamiltree.model import Model

SMALL = 1e-3  # of v²/r: accelerations that small beside the speeds are measured against that
ACCELERATION_SHARE = (
    1e-2  # of the largest acceleration of any body: smaller ones are measured against it
)
LEAST_ACCELERATION = (
    1e-2  # m/s² of a model of a metre or more: smaller accelerations are measured against it
)
ERROR_FACTOR = 5.0  # times the estimated errors of what is compared: so far apart it may be
MAX_TOLERANCE_FACTOR = 1e3  # times the tolerance: what is not better known shows nothing
CLEAR_DIFFERENCE_FACTOR = (
    20.0  # times its own error: a smaller difference does not tell where it begins
)
BROKEN_JOINT_SHARE = (
    1e-3  # of the joint that is broken most: others that are broken less are not named
)


class Row(NamedTuple):
    """How far each formulation is from the reference, (formulations, items); scale and error are
    one number, or one for each of them.
    """

    quantity: str
    unit: str
    deviation: np.ndarray
    scale: Any
    items: Sequence[str]
    error: Any = 0.0  # of what is compared, as far as it is known
    is_absolute: bool = False  # the reference is none of the formulations

    def allowed(self, tolerance: float) -> np.ndarray:
        """(formulations, items)"""
        least = tolerance * np.asarray(self.scale, dtype=float)
        return np.broadcast_to(
            np.maximum(
                least,
                np.minimum(ERROR_FACTOR * np.asarray(self.error), MAX_TOLERANCE_FACTOR * least),
            ),
            self.deviation.shape,
        )

    def excess(self, tolerance: float) -> np.ndarray:
        """(formulations,) above 1: beyond what is allowed."""
        allowed = self.allowed(tolerance)
        return np.where(
            self.deviation > 0.0,
            self.deviation / np.where(allowed > 0.0, allowed, np.finfo(float).tiny),
            0.0,
        ).max(1, initial=0.0)

    def judge(
        self, names: Sequence[str], tolerance: float, ambiguous_names: str = ""
    ) -> Disagreement:
        """The worst difference, and who is behind it; `ambiguous_names` if it cannot be said which
        formulation.
        """
        allowed, scale = (
            self.allowed(tolerance),
            np.broadcast_to(self.scale, self.deviation.shape),
        )
        if not self.deviation.size:
            return Disagreement(
                self.quantity,
                self.unit,
                0.0,
                float(np.max(self.scale, initial=0.0)),
                0.0,
                names[0],
                "",
                (),
            )
        ratio = self.deviation / np.where(allowed > 0.0, allowed, np.finfo(float).tiny)
        k, item = np.unravel_index(int(ratio.argmax()), ratio.shape)
        beyond = tuple(
            name for name, excess in zip(names, self.excess(tolerance), strict=True) if excess > 1.0
        )
        who = ambiguous_names if ambiguous_names and not self.is_absolute else names[int(k)]
        largest, against, most = (float(x[k, item]) for x in (self.deviation, scale, allowed))
        where = self.items[int(item)] if len(self.items) else ""
        return Disagreement(self.quantity, self.unit, largest, against, most, who, where, beyond)


class Findings:
    """Formulations that fit a model, with what each of them found at the start."""

    def __init__(
        self,
        model: Model,
        start: Start,
        masses: Masses,
        scales: Scales,
        joints: JointRows | None,
        found: dict[str, StateEvaluation],
        tolerance: float,
    ):
        self.model, self.start, self.masses, self.bare, self.joint_rows = (
            model,
            start,
            masses,
            scales,
            joints,
        )
        self.found, self.tolerance = found, tolerance
        self.names, self.bodies, self.joints = (
            list(found),
            [b.name for b in model.bodies],
            [j.name for j in model.joints],
        )
        self.notes: list[str] = []

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
        passed = (
            np.array(worst).max(0, initial=0.0) <= 1.0
            if worst
            else np.ones(len(self.names), dtype=bool)
        )
        return dict(zip(self.names, passed.tolist(), strict=True))

    def trusted(self, names: Sequence[str]) -> list[int]:
        """Those that the reference is made of; of two of which nothing tells which is right, the
        first.
        """
        passed = [k for k, name in enumerate(names) if self.right[name]]
        if len(names) == 2 and len(passed) != 1:
            return [0]
        return passed or list(range(len(names)))

    def ambiguous_names(self, names: Sequence[str]) -> str:
        """Both, where there are two and nothing tells which is wrong."""
        return (
            " or ".join(names)
            if len(names) == 2 and sum(self.right[name] for name in names) != 1
            else ""
        )

    def reference(self, values: np.ndarray, names: Sequence[str]) -> np.ndarray:
        return np.median(values[self.trusted(names)], axis=0)

    def deviation(self, values: np.ndarray) -> np.ndarray:
        """(formulations, items) of values (formulations, items, components)."""
        return np.linalg.norm(values - self.reference(values, self.names), axis=-1)

    # ---- scales ----------------------------------------------------------------------------------
    @cached_property
    def accelerations(self) -> np.ndarray:
        """(bodies,) m/s² that each body is judged by: its own, gravity's, those of its turning, a
        share of the largest.
        """
        own = np.median(self.stack(lambda m: np.linalg.norm(m.acceleration[:, 3:], axis=1)), axis=0)
        least = max(
            float(np.linalg.norm(self.model.gravity)),
            LEAST_ACCELERATION * min(1.0, self.bare.size),
            ACCELERATION_SHARE * own.max(initial=0.0),
        )
        return np.maximum(np.maximum(own, SMALL * self.bare.turning), least)

    @cached_property
    def angular(self) -> np.ndarray:
        """(bodies,) rad/s², in the same way."""
        own = np.median(self.stack(lambda m: np.linalg.norm(m.acceleration[:, :3], axis=1)), axis=0)
        spin = SMALL * (self.start.twist[:, :3] ** 2).sum(1)
        return np.maximum.reduce(
            [
                own,
                spin,
                self.accelerations / self.bare.size,
                np.full(len(own), ACCELERATION_SHARE * own.max(initial=0.0)),
            ]
        )

    @cached_property
    def scales(self) -> Scales:
        """With accelerations as they are, and the speeds that they would make."""
        made, acceleration = (
            self.bare,
            float(self.accelerations.max(initial=LEAST_ACCELERATION * min(1.0, self.bare.size))),
        )
        return made._replace(
            acceleration=acceleration, speed=max(made.speed, (acceleration * made.size) ** 0.5)
        )

    @cached_property
    def turning(self) -> float:
        """rad/s, of what turns or will soon."""
        largest = float(
            np.median(
                self.stack(lambda m: np.linalg.norm(m.acceleration[:, :3], axis=1).max(initial=0.0))
            )
        )
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
        scales, bodies, start = self.scales, self.bodies, self.start
        momentum, right = (
            self.stack(lambda m: m.momentum),
            self.masses.momenta(start.pose, start.twist),
        )
        place, angle = distances(self.stack(lambda m: m.pose), start.pose[None])
        twist, least = (
            self.stack(lambda m: m.twist) - start.twist,
            SMALL * scales.mass * scales.speed,
        )
        turn, push = (
            float(np.linalg.norm(right[:, k], axis=1).sum()) for k in (slice(0, 3), slice(3, 6))
        )
        spin, speed = (np.linalg.norm(twist[..., k], axis=-1) for k in (slice(0, 3), slice(3, 6)))
        moment, linear = (
            np.linalg.norm((momentum - right)[..., k], axis=-1) for k in (slice(0, 3), slice(3, 6))
        )
        return [
            Row("position", "m", place, scales.size, bodies, self.rounding, True),
            Row("attitude", "rad", angle, 1.0, bodies, 0.0, True),
            Row("angular velocity", "rad/s", spin, self.turning, bodies, 0.0, True),
            Row("velocity", "m/s", speed, scales.speed, bodies, 0.0, True),
            *self.acceleration_rows(),
            *self.joint_acceleration_rows(),
            Row(
                "angular momentum",
                "kg m²/s",
                moment,
                max(turn, least * scales.size),
                bodies,
                0.0,
                True,
            ),
            Row("linear momentum", "kg m/s", linear, max(push, least), bodies, 0.0, True),
        ]

    @property
    def rounding(self) -> float:
        """Of positions far from the world's origin, m."""
        return float(4.0 * np.finfo(float).eps * np.abs(self.start.pose[:, :3]).max(initial=0.0))

    def acceleration_rows(self) -> list[Row]:
        found, errors = (
            self.stack(lambda m: m.acceleration),
            self.stack(lambda m: m.acceleration_error),
        )
        both = errors + np.median(errors, axis=0)
        return [
            Row(
                "angular acceleration",
                "rad/s²",
                self.deviation(found[..., :3]),
                self.angular,
                self.bodies,
                both[..., 0],
            ),
            Row(
                "acceleration",
                "m/s²",
                self.deviation(found[..., 3:]),
                self.accelerations,
                self.bodies,
                both[..., 1],
            ),
        ]

    def joint_acceleration_rows(self) -> list[Row]:
        """Second derivatives of all rows along each flow."""
        made = self.joint_rows
        if made is None or not made.specs:
            return []
        broken, error = (
            np.array([made.by_owner(m.rows[k]) for m in self.found.values()]) for k in (0, 1)
        )
        return [
            Row(
                "joint accelerations",
                "m/s²",
                broken,
                self.scales.acceleration,
                made.labels,
                error,
                True,
            )
        ]

    @cached_property
    def kinetic(self) -> tuple[float, float]:
        """T at the start: with armature, and of the masses alone."""
        start, masses = (self.start, self.masses.kinetic_energy(self.start.pose, self.start.twist))
        geared = armature_of(Mechanism(self.model, start.q))
        return masses + 0.5 * float(geared @ start.speeds**2), masses

    def energy_rows(self) -> list[Row]:
        """T by the formulation and by the model's masses; V; the energy rate by the formulation's
        account and along its flow.
        """
        scale, energy = self.energy_scale, self.stack(lambda m: m.energy)
        kinetic = np.column_stack(
            [energy[:, 0], self.stack(lambda m: np.array(m.kinetic))]
        ) - np.array(self.kinetic)
        power, errors = (
            self.stack(lambda m: m.power),
            self.stack(lambda m: np.array(m.power_error))[:, None],
        )
        potential = self.without_fixed_bodies(energy[:, 1])[:, None, None]
        middle = float(
            np.median(
                power if self.ambiguous_names(self.names) else power[self.trusted(self.names)]
            )
        )
        rate = scale * max(self.scales.speed / self.scales.size, self.scales.spin * SMALL)
        return [
            Row("kinetic energy", "J", np.abs(kinetic), scale, ("", "of masses"), 0.0, True),
            Row(
                "potential energy",
                "J",
                np.linalg.norm(potential - self.middle(potential), axis=-1),
                scale,
                ("",),
            ),
            Row(
                "energy rate",
                "W",
                np.abs(power - middle),
                rate,
                ("by power", "along the flow"),
                errors + np.median(errors),
                True,
            ),
        ]

    def middle(self, values: np.ndarray) -> np.ndarray:
        """Of what does not follow from accelerations: the median of all, of two the first."""
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
        if not self.forces:
            return []
        left = np.linalg.norm(
            self.of_forces("left") / ([self.scales.size] * 3 + [1.0] * 3), axis=-1
        )
        return [
            Row(
                "balance of forces",
                "N",
                left,
                self.weights[1],
                self.bodies,
                self.force_errors,
                True,
            )
        ]

    def force_rows(self) -> list[Row]:
        if not self.forces:
            return []
        torque, weight = self.weights
        errors = self.force_errors + np.median(self.force_errors)
        return [
            Row(
                "reaction moment",
                "N m",
                self.deviation(self.of_forces("moment")),
                torque,
                self.joints,
                errors * self.scales.size,
            ),
            Row(
                "reaction force",
                "N",
                self.deviation(self.of_forces("force")),
                weight,
                self.joints,
                errors,
            ),
            *self.multiplier_rows(weight),
            *self.balance_rows(),
        ]

    def multiplier_rows(self, weight: float) -> list[Row]:
        """Reactions by a formulation's own λ against those of its accelerations, joint by joint."""
        deviation = np.zeros((len(self.names), len(self.joints)))
        for k, (name, evaluation) in enumerate(self.found.items()):
            if len(evaluation.multipliers) and self.balance is not None:
                own, by_balance = (
                    self.balance.reactions_from_multipliers(evaluation.multipliers),
                    self.forces[name],
                )
                moment, force = (own.moment - by_balance.moment, own.force - by_balance.force)
                deviation[k] = np.nan_to_num(
                    np.hypot(
                        *(np.linalg.norm(x, axis=1) for x in (moment / self.scales.size, force))
                    ),
                    nan=np.inf,
                )
        if not any(len(evaluation.multipliers) for evaluation in self.found.values()):
            return []
        return [Row("multipliers", "N", deviation, weight, self.joints, self.force_errors, True)]

    # ---- who is behind it ------------------------------------------------------------------------
    @cached_property
    def discrepancy_causes(self) -> dict[str, tuple[tuple[str, ...], str]]:
        """Of each formulation whose accelerations differ: the bodies at which that may begin, and a
        sentence.
        """
        if len(self.bodies) > MAX_BODIES:
            return {}
        found, errors = (
            self.stack(lambda m: m.acceleration),
            self.stack(lambda m: m.acceleration_error),
        )
        wrong = np.flatnonzero(
            np.array([row.excess(self.tolerance) for row in self.acceleration_rows()]).max(0) > 1.0
        )
        if not len(wrong):
            return {}
        localiser, middle = (
            DiscrepancyLocaliser(self.model, self.masses, self.start),
            self.reference(found, self.names),
        )
        description = {}
        for k in wrong:
            cause = localiser.localise(
                found[k] - middle, errors[k] + np.median(errors[self.trusted(self.names)], axis=0)
            )
            bodies, words = self.description(int(k), cause)
            whose = self.names if self.ambiguous_names(self.names) else [self.names[k]]
            description |= {name: (bodies, words) for name in whose}
        return description

    def description(self, k: int, cause: Cause) -> tuple[tuple[str, ...], str]:
        """Bodies, and what is said of them."""
        if cause.noise * CLEAR_DIFFERENCE_FACTOR > 1.0:
            return (
                (),
                "the difference is too near the error of derivatives to say where it begins",
            )
        if cause.kind == "joint":
            return self.describe_broken_joints(k)
        several = "its equations of motion are wrong, which is not explained by one body"
        if not cause.bodies:
            return (), several
        if cause.kind == "any" and len(cause.bodies) > 1:
            return (
                cause.bodies,
                "its equations of motion are wrong at one of the bodies "
                f"{quote_names(cause.bodies)}, "
                "which cannot be told apart",
            )
        where = (
            f"body {quote_names(cause.bodies)}"
            if len(cause.bodies) == 1
            else f"one of the bodies {quote_names(cause.bodies)}, which cannot be told apart"
        )
        if cause.kind == "field":
            return (
                cause.bodies,
                f"its equations of motion are wrong at {where}: an acceleration carried outwards "
                "from it explains every difference",
            )
        return (
            cause.bodies,
            f"its equations of motion are wrong at {where}: a wrench on it explains every "
            "difference",
        )

    def describe_broken_joints(self, k: int) -> tuple[tuple[str, ...], str]:
        """Forces balance: the joints whose rows do not stay at zero."""
        made = self.joint_rows
        row = self.joint_acceleration_rows()[0] if made is not None and made.specs else None
        if made is None or row is None or not row.excess(self.tolerance)[k] > 1.0:
            return (
                (),
                "its accelerations along what joints forbid are wrong, but no joint is found that "
                "they break",
            )
        owners = np.flatnonzero(
            row.deviation[k]
            > np.maximum(
                row.allowed(self.tolerance)[k], BROKEN_JOINT_SHARE * row.deviation[k].max()
            )
        )
        bodies = tuple(dict.fromkeys(made.child(int(owner)) for owner in owners))
        return (
            bodies,
            "its accelerations break "
            f"{join_names([made.description(int(owner)) for owner in owners])}; "
            "forces are in balance",
        )

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
        names = list(runs)
        pose, energy = (
            np.array([getattr(ran.end, part) for ran in runs.values()])
            for part in ("pose", "energy")
        )
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
        signs = np.where((pose[..., 3:] * pose[:1, :, 3:]).sum(-1, keepdims=True) < 0.0, -1.0, 1.0)
        middle = self.reference(
            np.concatenate([pose[..., :3], signs * pose[..., 3:]], axis=-1), names
        ).copy()
        middle[:, 3:] /= np.linalg.norm(middle[:, 3:], axis=-1, keepdims=True)
        return middle


MAX_NAMED = 6  # bodies or joints that a line lists


def quote_names(names: Sequence[str]) -> str:
    return join_names([f"'{name}'" for name in names])


def join_names(names: Sequence[str]) -> str:
    return ", ".join(names[:MAX_NAMED]) + (
        f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    )
