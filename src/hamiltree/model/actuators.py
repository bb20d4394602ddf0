"""Actuators along the line between two points of two bodies, and along joints, as data. SI
units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.elements import BetweenPoints
from hamiltree.model.forces import FORCES, JointForce, refuse_parameters
from hamiltree.model.formulas import NO_PARAMETERS, Formula, check_named_numbers, formula
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import Part, nonnegative, number, part_error

UNBOUNDED = (-math.inf, math.inf)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class PointActuator(BetweenPoints):
    """Tension f(t, l, dl/dt) along the line between two points, l apart, N (negative: it pushes):
    a load, whose work is not part of H.

    `tension` is a formula of t, l and v = dl/dt and of the parameters; or a Python function
    f(t, x, out) that writes out[0], where x holds l and v. Where the points meet the line has no
    direction: no force there.
    """

    kind: ClassVar[str] = "point_actuator"
    dimensions: ClassVar[Declared] = BetweenPoints.dimensions | {"tension": "force"}

    tension: Formula | Callable[..., Any]
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        """Check the formula or the function; a function has no parameters beside it."""
        BetweenPoints.__post_init__(self)
        found = formula(self.tension, self.part, "tension", or_function=True)
        object.__setattr__(self, "tension", found)
        check_fields(self, check_named_numbers, "parameters")
        if callable(self.tension):
            refuse_parameters(self)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointActuator(JointForce):
    """Q = gain u + offset - stiffness q - damping qdot, clipped at the range `effort` (N m or N)
    and at the effort limit of the joint (Limits): a motor or a servo whose control u is set while
    a simulator runs (sim.set), zero until then, and is clipped at the range `control`.

    A motor has a gain alone. A servo of position has gain = stiffness, so that u is where it pulls
    to; one of velocity gain = damping. It is called by its name, or by that of the joint if it has
    none.
    """

    kind: ClassVar[str] = "joint_actuator"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {
        "gain": "effort",
        "offset": "effort",
        "stiffness": "joint_stiffness",
        "damping": "joint_damping",
        "control": "number",
        "effort": "effort",
        "ratio": "number",
    }

    gain: float = 1.0  # effort per unit of u
    offset: float = 0.0
    stiffness: float = 0.0
    damping: float = 0.0
    control: tuple[float, float] = UNBOUNDED
    effort: tuple[float, float] = UNBOUNDED
    # of a joint that follows another: its name, and its rate by that of its leader
    own_joint: str = field(default="", init=False, repr=False)
    ratio: float = field(default=1.0, init=False, repr=False)

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, number, "gain", "offset")
        check_fields(self, nonnegative, "stiffness", "damping")
        check_fields(self, check_range, "control", "effort")

    @property
    def key(self) -> str:
        """What a simulator calls it."""
        return self.name or self.joint

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointActuator:
        """The effort on the leader is ratio times that on this joint, at x = ratio x_leader +
        offset.
        """
        ends = ratio * self.effort[0], ratio * self.effort[1]
        moved = replace(
            self,
            joint=leader,
            name=self.key,
            gain=ratio * self.gain,
            offset=ratio * (self.offset - self.stiffness * offset),
            stiffness=ratio**2 * self.stiffness,
            damping=ratio**2 * self.damping,
            effort=(min(ends), max(ends)),
        )
        object.__setattr__(moved, "own_joint", self.joint)
        object.__setattr__(moved, "ratio", ratio)
        return moved


def check_range(value: Any, part: Part, field_name: str) -> tuple[float, float]:
    """Two numbers, infinite ones included, in order."""
    entries = value if isinstance(value, (tuple, list)) else ()
    is_number = [isinstance(x, (int, float)) and not isinstance(x, bool) for x in entries]
    if len(entries) != 2 or not all(is_number) or not entries[0] <= entries[1]:
        raise part_error(
            part, field_name, value, "is no range; give two numbers, the lower one first"
        )
    return float(entries[0]), float(entries[1])
