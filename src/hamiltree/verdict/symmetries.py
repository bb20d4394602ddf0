"""How well a run kept what its symmetries keep: linear and angular momentum of a model, in the
components that its parts allow (kept_momenta.py), and the invariants that were named with an
H(q, p) or an ode.

A change is measured by the momentum that is moved: Σ m |v| of all that moves, as seen by an
observer who moves along where the model is the same for every such observer. A satellite is
measured by what goes on within it, not by its 7.5 km/s; an orbit about a fixed centre by itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError
from hamiltree.model.model import Model
from hamiltree.rotations import cross, rotate, rotate_back, rotation_matrix
from hamiltree.trajectory.errors import kinetic_scale
from hamiltree.trajectory.lines import GOOD, NOTE, Line, Thresholds, thresholds_from
from hamiltree.verdict.kept_momenta import (
    KeptGroup,
    KeptMomenta,
    KeptRotation,
    direction_text,
    idle_inputs,
    kept_momenta,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

__all__ = ["KeptMomenta", "invariant_lines", "kept_momenta", "momentum_line"]

Array = np.ndarray
EPSILON = float(np.finfo(float).eps)
ROUNDINGS = 64.0  # of each sum, and one more for the square root of the steps
MAX_BODY_SAMPLES = 2**12  # of bodies times samples; of more, samples are left out evenly
FEWEST_SAMPLES = 32
LINEAR, ANGULAR = "linear", "angular"
UNITS = {LINEAR: "N s", ANGULAR: "N m s"}


@dataclass(frozen=True)
class Component:
    """One momentum of one group: how much it changed, and what that is measured by."""

    kind: str
    words: str  # "x", "about z through (0, 0, 0)"
    group: str
    change: float
    rounding: float  # how much of a change the numbers alone may make
    scale: float

    @property
    def number(self) -> float:
        """The change beyond rounding, of the momentum that is moved."""
        excess = self.change - self.rounding
        if excess <= 0.0:
            return 0.0
        return excess / self.scale if self.scale > 0.0 else float("inf")

    def as_dict(self) -> dict[str, Any]:
        names = ("kind", "words", "group", "number", "change", "rounding", "scale")
        return {name: getattr(self, name) for name in names}


# ---- lines ---------------------------------------------------------------------------------------
def momentum_line(
    run: Trajectory, thresholds: Thresholds | Mapping[str, Any] | None = None
) -> list[Line]:
    """A line of linear and one of angular momentum, as far as the model keeps any; else a note. Of
    an H(q, p) or an ode none.
    """
    if not run.has_bodies:
        return []
    limits = thresholds_from(thresholds)
    try:
        model: Model = run.model
    except FileError as error:
        return [Line("momentum", None, "", NOTE, f"Momenta are not judged: {error}.")]
    kept = kept_momenta(model, idle_inputs(run))
    if not kept.count:
        return [no_momentum(kept)]
    found = momentum_components(run, kept)
    lines = []
    for kind in (LINEAR, ANGULAR):
        own = [each for each in found if each.kind == kind]
        if own:
            lines.append(line_of(kind, own, limits, len(kept.groups)))
    return lines


def no_momentum(kept: KeptMomenta) -> Line:
    """The note of a model that keeps none."""
    parts = list(dict.fromkeys(part for group in kept.groups for part in group.fixed_by))
    listed = ", ".join(parts[:3]) + (f" and {len(parts) - 3} more" if len(parts) > 3 else "")
    sentence = f"The model keeps no component of linear or angular momentum, because of {listed}."
    return Line("momentum", None, "", NOTE, sentence, {"parts": parts[:32]})


def line_of(kind: str, own: Sequence[Component], limits: Thresholds, groups: int) -> Line:
    """The line of linear or of angular momentum: the worst of its components."""
    worst = max(own, key=lambda each: (each.number, each.change))
    verdict = limits.judge("momentum", worst.number)
    what = list_words(own)
    whose = f" of {worst.group}" if groups > 1 else ""
    scale = f"of {worst.scale:.3g} {UNITS[kind]} moved" if worst.scale else "nothing moves within"
    if worst.number == 0.0:
        sentence = f"The {kind} momentum {what} is kept to rounding."
    elif verdict == GOOD:
        sentence = f"The {kind} momentum {what} is kept to {worst.number:.1e} of what is moved."
    else:
        sentence = (
            f"The {kind} momentum {worst.words}{whose} changes by {worst.number:.1e} of what is "
            "moved, although nothing in the model may change it."
        )
    details = {"components": [each.as_dict() for each in own]}
    return Line(f"{kind} momentum {what}", worst.number, scale, verdict, sentence, details)


def list_words(own: Sequence[Component]) -> str:
    """x, y; about x, y, z through (0, 0, 0)"""
    places: dict[str, list[str]] = {}
    for each in own:
        axis, through, place = each.words.removeprefix("about ").partition(" through ")
        places.setdefault(through + place, []).append(axis)
    about = "about " * (own[0].kind == ANGULAR)
    texts = [f"{about}{', '.join(dict.fromkeys(axes))}{place}" for place, axes in places.items()]
    return "; ".join(texts)


# ---- momenta -------------------------------------------------------------------------------------
def momentum_components(run: Trajectory, kept: KeptMomenta) -> list[Component]:
    """The components that each group keeps, at the samples of a run."""
    steps = float(run.statistics.get("steps", 0) or len(run._values("t")))
    found = []
    for group in kept.groups:
        if group.components:
            motion = GroupMotion(run, group)
            rounding = EPSILON * (ROUNDINGS + math.sqrt(steps))
            found += motion.components(kept.group_name(group), rounding)
    return found


class GroupMotion:
    """Centres of mass, their velocities and the spins of the bodies of a group, world axes."""

    def __init__(self, run: Trajectory, group: KeptGroup):
        """Positions r, velocities v and spins R J Rᵀ ω at the samples."""
        self.run = run
        self.group = group
        model: Model = run.model
        some = list(group.bodies)
        self.samples = thin(len(run._values("t")), len(some))
        is_whole = len(some) == len(model.bodies)
        pose, twist = (
            run._rows(name, self.samples) if is_whole else run._rows(name, self.samples)[:, some]
            for name in ("pose", "twist")
        )
        bodies = [model.bodies[k] for k in some]
        self.t = run._values("t")[self.samples]
        self.mass = np.array([body.mass for body in bodies])
        inertia = np.array([body.inertia for body in bodies])
        com = np.array([body.com for body in bodies], dtype=float)
        R = rotation_matrix(pose[..., 3:])
        omega = twist[..., :3]
        arm = rotate(R, com)
        self.place = pose[..., :3] + arm
        self.velocity = twist[..., 3:] + cross(omega, arm)
        self.spin = rotate(R, rotate(inertia, rotate_back(R, omega)))
        trace = np.trace(inertia, axis1=1, axis2=2)
        # m |ω| times the radius of gyration, and what the arm of the centre of mass adds to |m v|
        self.turning = size(omega) * np.sqrt(0.5 * self.mass * trace)
        self.swinging = self.mass * size(omega) * size(com)
        self.known_moments: dict[bytes | None, tuple[Array, Array, Array]] = {}

    @cached_property
    def along(self) -> Array:
        """(3, 3): the part of a vector along the translations that are symmetries."""
        directions = self.group.translations
        basis = np.linalg.qr(directions.T)[0] if len(directions) else np.zeros((3, 0))
        return basis @ basis.T

    @cached_property
    def relative_velocity(self) -> Array:
        """v less that of the centre of mass, along the translations that are symmetries."""
        return self.velocity - self.mean(self.velocity)[:, None] @ self.along

    def mean(self, values: Array) -> Array:
        """(samples, 3): weighted by mass; zero of bodies without mass."""
        total = float(self.mass.sum())
        return self.weighed(values) / total if total > 0.0 else 0.0 * values[:, 0]

    def weighed(self, values: Array) -> Array:
        """Σ m x over the bodies."""
        return np.einsum("n,tn...->t...", self.mass, values)

    def rotor_momentum(self, motion: Array) -> Array:
        """Σ a q̇ along ξ of armatures of joints to the ground."""
        rotors = self.group.rotors
        if not rotors:
            return np.zeros(len(self.t))
        from hamiltree.verdict.element_work import RecordedStates

        axes = RecordedStates(self.run).axes
        rates = axes.qdot[self.samples]
        return sum(
            (
                rotor.inertia
                * (rotor.along @ motion)
                * rates[:, axes.labels.index(rotor.coordinate)]
                for rotor in rotors
            ),
            np.zeros(len(self.t)),
        )

    def components(self, name: str, rounding: float) -> Iterator[Component]:
        """Every momentum that the group keeps."""
        for direction in self.group.translations:
            words = direction_text(direction)
            yield self.judge(LINEAR, words, name, rounding, self.linear(direction))
        for rotation in self.group.rotations:
            parts = self.angular(rotation)
            yield self.judge(ANGULAR, rotation.words, name, rounding, parts)

    def judge(
        self, kind: str, words: str, name: str, rounding: float, parts: tuple[Array, Array, Array]
    ) -> Component:
        """From the value, what is moved, and what the value is a sum of."""
        value, moved, magnitude = parts
        change = value - value[0]
        scale = kinetic_scale(self.t, moved, change)
        worst = float(np.abs(change).max())
        return Component(kind, words, name, worst, rounding * float(magnitude.max()), scale)

    @cached_property
    def linear_sizes(self) -> tuple[Array, Array]:
        """What is moved, and what rounding is a part of."""
        within = self.weighed(size(self.relative_velocity)) + self.turning.sum(axis=1)
        return within, self.weighed(size(self.velocity)) + self.swinging.sum(axis=1)

    def linear(self, direction: Array) -> tuple[Array, Array, Array]:
        """n·Σ m v"""
        rotor = self.rotor_momentum(np.concatenate([np.zeros(3), direction]))
        value = self.weighed(self.velocity) @ direction + rotor
        within, magnitude = self.linear_sizes
        return value, within + np.abs(rotor), magnitude + np.abs(rotor)

    @cached_property
    def spins(self) -> tuple[Array, Array]:
        """Σ R J Rᵀ ω and the sum of its sizes."""
        return self.spin.sum(axis=1), size(self.spin).sum(axis=1)

    def angular(self, rotation: KeptRotation) -> tuple[Array, Array, Array]:
        """n·Σ (r − x) × m v + spin, about the centre of mass or about a fixed line."""
        n = rotation.axis
        spin, spin_size = self.spins
        moment, arm, velocity = self.moments(rotation.point)
        rotor = np.zeros(len(self.t))
        if rotation.point is not None:
            rotor = self.rotor_momentum(rotation.motion)
        value = (moment + spin) @ n + rotor
        lever, speed = size_across(arm, n), size_across(velocity, n)
        moved = self.weighed(lever * speed) + spin_size + np.abs(rotor)
        rounded = size_across(self.place, n) * speed + lever * size_across(self.velocity, n)
        if rotation.advance:
            carried = rotation.advance * self.weighed(self.velocity) @ n
            value, moved = value + carried, moved + np.abs(carried)
        return value, moved, self.weighed(rounded) + moved

    def moments(self, point: Array | None) -> tuple[Array, Array, Array]:
        """Σ arm × m v, arms and velocities: about a point, or about the centre of mass (None)."""
        key = None if point is None else point.tobytes()
        if key not in self.known_moments:
            if point is None:
                arm = self.place - self.mean(self.place)[:, None]
                velocity = self.relative_velocity
            else:
                arm, velocity = self.place - point, self.velocity
            self.known_moments[key] = self.weighed(cross(arm, velocity)), arm, velocity
        return self.known_moments[key]


def size(vectors: Array) -> Array:
    return np.sqrt(np.einsum("...i,...i->...", vectors, vectors))


def size_across(vectors: Array, axis: Array) -> Array:
    """How long vectors are across a unit vector."""
    return size(vectors - (vectors @ axis)[..., None] * axis)


def thin(samples: int, bodies: int) -> Array:
    """Which samples are looked at: all, or as many as MAX_BODY_SAMPLES allows, the last one too."""
    most = max(FEWEST_SAMPLES, MAX_BODY_SAMPLES // bodies)
    if samples <= most:
        return np.arange(samples)
    return np.unique(np.linspace(0, samples - 1, most).astype(int))


# ---- named invariants ----------------------------------------------------------------------------
def invariant_lines(
    run: Trajectory, thresholds: Thresholds | Mapping[str, Any] | None = None
) -> list[Line]:
    """A line for each invariant that was named with an H(q, p) or an ode."""
    if not run._has("invariants"):
        return []
    limits = thresholds_from(thresholds)
    lines = []
    problem = run.hamiltonian if run.has_energy else run.ode
    names = run._names("invariant")
    for k, name in enumerate(names):
        values = run._values("invariants")[:, k]
        change = values - values[0]
        parts = sum_of_parts(run, problem, problem.invariants.get(name, ""))
        whole = np.maximum(np.abs(values), parts)
        scale = kinetic_scale(run._values("t"), whole, change)
        worst = float(np.abs(change).max())
        number = worst / scale if scale > 0.0 else float("inf") if worst > 0.0 else 0.0
        verdict = limits.judge("invariant", number)
        how = "is kept to" if verdict == GOOD else "changes by"
        sentence = f"The invariant {name} {how} {number:.1e} of the sum of its parts."
        details = {"value": float(values[0]), "change": worst, "scale": scale}
        scale_text = f"of {scale:.3g}"
        lines.append(Line(f"invariant {name}", number, scale_text, verdict, sentence, details))
    return lines


def sum_of_parts(run: Trajectory, problem: Any, text: str) -> Array:
    """What an invariant is a sum of, at the samples: x*py - y*px is measured by |x py| + |y px|.
    0 where its formula cannot be read in terms of the record.
    """
    from hamiltree.errors import OptionError
    from hamiltree.symbolic.grammar import to_expression
    from hamiltree.symbolic.jets import Jet

    nothing = np.zeros(len(run._values("t")))
    known = {name: Jet(values) for name, values in recorded_rows(run).items()}
    known |= {name: Jet(np.float64(value)) for name, value in problem.parameters.items()}
    try:
        tree = to_expression(text, known, "invariant").tree
    except OptionError:
        return nothing
    with np.errstate(all="ignore"):
        total = nothing + magnitude(tree, known)
    return np.where(np.isfinite(total), total, 0.0)


def recorded_rows(run: Trajectory) -> dict[str, Array]:
    """Time and the variables of an H(q, p) or an ode, by name."""
    pairs = (("q", "coordinate"), ("p", "momentum")) if run.has_energy else (("y", "variable"),)
    found = {"t": run._values("t")}
    for values, labels in pairs:
        found |= dict(zip(run._names(labels), run._values(values).T, strict=True))
    return found


def magnitude(tree: Any, known: Mapping[str, Any]) -> Array:
    """A formula with all its sums of absolute values."""
    from hamiltree.symbolic.jets import evaluate

    operation, *parts = tree
    if operation == "+":
        return np.sum(np.broadcast_arrays(*(magnitude(part, known) for part in parts)), axis=0)
    if operation == "*":
        return np.prod(np.broadcast_arrays(*(magnitude(part, known) for part in parts)), axis=0)
    if operation == "/":
        return magnitude(parts[0], known) / np.abs(evaluate(parts[1], known).value)
    if operation == "**" and parts[1][0] == "number" and parts[1][1] > 0:
        return magnitude(parts[0], known) ** float(parts[1][1])
    return np.abs(evaluate(tree, known).value)
