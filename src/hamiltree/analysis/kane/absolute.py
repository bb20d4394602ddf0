"""Absolute speeds for the joints of a model (the second notes on Kane's equations): ω'_K of every
body, and the rates of the axes along which joints slide.

Of a joint that slides, then turns about one point, s'_K depends on its slides alone if O_K is that
point. Where the turns come first, or the joint is declared backwards, the slides are fixed to K. A
screw has the slide of its cylinder.
Rotations that joints lock, screws and couplings are held by constraint rows: [A]{ẏ} = {f} + [B]ᵀ{λ}
with [B]{y} = 0. All {y} that obey them are T{u} with the relative speeds u, so [B]T = 0, and ẏ
follows without λ from Tᵀ[A](T u̇ + Ṫ u) = Tᵀ{f}.
"""

from __future__ import annotations

import numpy as np

from hamiltree.analysis.kane.connections import (
    ROTATION,
    TRANSLATION,
    Array,
    Labels,
    Link,
    Speed,
    joint_map_of,
)
from hamiltree.analysis.kane.matrices import AbsoluteConnection, Matrices
from hamiltree.assembly.joint_rows import JointGeometry, is_screw, joint_geometry
from hamiltree.model.joints import speed_labels
from hamiltree.model.model import Model

NAME = "kane_absolute"
AXES = "xyz"


class Slides:
    """The slides of one connection: axes by the axes of the joint that move along them."""

    def __init__(self, model: Model, link: Link):
        """Axes, advance per unit of the joint's coordinate, and labels of all slides."""
        self.shape: JointGeometry = joint_geometry(link.joint)
        self.link, joint = link, link.joint
        names = speed_labels(joint)
        self.axes: list[Array] = []  # unit vectors
        self.rates: list[tuple[int, float]] = []  # axis of the joint, advance per unit of it
        self.labels: list[str] = []
        for number, (w, v) in enumerate(joint.screws()):
            w, v = np.array(w), np.array(v)
            if number in self.shape.slide_axes:
                self.add(v, number, 1.0, names[number])
            elif is_screw(self.shape):
                advance = float(w @ v) / float(np.linalg.norm(w))
                self.add(w / np.linalg.norm(w), number, advance, f"{names[number]}.advance")
        self.is_outer = self.shape.is_swapped != link.is_backwards
        self.sign = -1.0 if link.is_backwards else 1.0

    def add(self, axis: Array, number: int, advance: float, label: str) -> None:
        """One more slide."""
        self.axes.append(axis)
        self.rates.append((number, advance))
        self.labels.append(label)

    @property
    def axes_on_body(self) -> Array:
        """(3, slides) in the axes of the body to which they are fixed."""
        frame = self.link.far if self.is_outer else self.link.near
        return self.sign * frame.matrix @ np.array(self.axes).reshape(-1, 3).T

    def point(self, on_far: bool) -> Array:
        """The joint's point on K or on J, in the axes of that body."""
        frame = self.link.far if on_far else self.link.near
        return np.array(frame.position) + frame.matrix @ self.shape.point

    def along(self, values: Array) -> Array:
        """Displacements, or rates, along the slides by those of the joint's axes."""
        return np.array([advance * values[number] for number, advance in self.rates])


def absolute_speeds(model: Model, links: list[Link], slides: list[Slides]) -> list[Speed]:
    """{y1} = ω' of bodies 1 … N, {y2} = ṡ along the slides of their joints."""
    turning = [
        Speed(f"{model.bodies[link.body].name}.w{axis}", ROTATION, k + 1)
        for k, link in enumerate(links)
        for axis in AXES
    ]
    return [
        *turning,
        *(Speed(label, TRANSLATION, k + 1) for k, own in enumerate(slides) for label in own.labels),
    ]


def arms_at(
    model: Model,
    labels: Labels,
    links: list[Link],
    slides: list[Slides],
    turns: Array,
    omega: Array,
    q: Array,
    u: Array,
) -> list[AbsoluteConnection]:
    """Arms of all bodies, for the sums along paths; turns, omega: [R_K] and ω' of every body."""
    arms: list[AbsoluteConnection] = []
    first = 3 * len(links)
    for k, (link, own) in enumerate(zip(links, slides, strict=True)):
        state = labels.joint_state(link.joint, q, u)
        below = slides[link.lower - 1].point(True) if link.lower else np.zeros(3)
        shift, rate = own.axes_on_body @ own.along(state.q), own.axes_on_body @ own.along(state.u)
        centre = np.array(model.bodies[link.body].com) - own.point(True)
        arms.append(
            AbsoluteConnection(
                lower=link.lower,
                turn=turns[k],
                omega=omega[k],
                q=own.point(False) - below,
                r=centre,
                s=shift,
                speed=rate,
                axes=own.axes_on_body,
                is_outer=own.is_outer,
                slides=len(own.labels) > 0,
                first=first,
            )
        )
        first += len(own.labels)
    return arms


def speed_relation(
    labels: Labels, links: list[Link], slides: list[Slides], speeds: list[Speed], relative: Matrices
) -> tuple[Array, Array]:
    """T and Ṫ: {y} = T{u} with the relative speeds u."""
    column = {speed.label: k for k, speed in enumerate(speeds)}
    turning, turning_rate = (
        part.reshape(3 * len(links), len(speeds)) for part in (relative.omega, relative.omega_dot)
    )
    sliding = np.zeros((sum(len(own.labels) for own in slides), len(speeds)))
    row = 0
    for link, own in zip(links, slides, strict=True):
        targets = labels.leaders(link.joint)
        for number, advance in own.rates:
            label, ratio = targets[number]
            sliding[row, column[label]] = ratio * advance
            row += 1
    return np.concatenate([turning, sliding]), np.concatenate(
        [turning_rate, np.zeros_like(sliding)]
    )


def generalised_forces_of_efforts(
    labels: Labels,
    links: list[Link],
    slides: list[Slides],
    speeds: list[Speed],
    efforts: dict[str, float],
    omega: Array,
    q: Array,
    u: Array,
) -> Array:
    """{f} of efforts along joints: directly along slides; along rotations as the torque on K and
    its reaction on J that have the same power.
    """
    force = np.zeros(len(speeds))
    column = {speed.label: k for k, speed in enumerate(speeds)}
    for k, (link, own) in enumerate(zip(links, slides, strict=True)):
        names = speed_labels(link.joint)
        sliding = {names[number] for number in own.shape.slide_axes}
        for label in sliding:
            force[column[label]] += efforts.get(label, 0.0)
        turning = [number for number, label in enumerate(names) if label not in sliding]
        if not any(efforts.get(names[number], 0.0) for number in turning):
            continue
        pose, own_map = joint_map_of(link, labels.joint_state(link.joint, q, u))
        axes = own_map.angular_columns[:, turning]
        along = np.array([efforts.get(names[number], 0.0) for number in turning])
        torque = np.linalg.pinv(axes.T) @ along
        force += omega[k].T @ torque
        if link.lower:
            force -= omega[link.lower - 1].T @ pose.turn @ torque
    return force
