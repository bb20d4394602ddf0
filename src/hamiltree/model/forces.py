"""Forces as data; the law of each is computed elsewhere. SI units.

`references` says which fields name a joint or a body, so that a model can check them whatever the
kind.
Formulas are kept as text; they are read when the model is assembled, because only then all names
are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.formulas import NO_PARAMETERS, Formula, check_named_numbers, formula, formulas
from hamiltree.model.named_parts import NamedPart, check_fields
from hamiltree.model.values import (
    ORIGIN,
    Part,
    Vector,
    nonnegative,
    number,
    part_error,
    point,
    text,
)

AXES = ("world", "body")
MAX_INPUTS = 32
FORCES: dict[str, type[Force]] = {}  # by kind


# ---- forces with a law of their own --------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Force(NamedPart):
    """Something that acts. The name may stay empty."""

    role: ClassVar[str] = "force"
    # True: its work is a change of potential energy, whatever its fields are
    is_conservative: ClassVar[bool] = False

    @property
    def has_only_potential(self) -> bool:
        """Whether all work of this force is a change of potential energy."""
        return self.is_conservative

    def on_leader(self, ratio: float, offset: float, leader: str) -> Force:
        """The force on the joint `leader` that does the work of this one on a joint that follows
        it: x = ratio x_leader + offset.
        """
        joint = getattr(self, "joint", "")
        raise part_error(
            self.part, "joint", joint, f"follows {leader!r}; put the force on {leader!r}"
        )


@dataclass(frozen=True, slots=True)
class JointForce(Force):
    """A force along the coordinate of `joint`."""

    references: ClassVar[dict[str, str]] = {"joint": "joint"}

    joint: str


@dataclass(frozen=True, slots=True)
class BodyForce(Force):
    """A force on `body`."""

    references: ClassVar[dict[str, str]] = {"body": "body"}

    body: str


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointSpring(JointForce):
    """Q = -stiffness (q - rest): N m/rad and rad on a hinge, N/m and m on a slider."""

    kind: ClassVar[str] = "joint_spring"
    is_relative: ClassVar[bool] = True
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"stiffness": "joint_stiffness", "rest": "coordinate"}

    stiffness: float
    rest: float = 0.0

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, nonnegative, "stiffness")
        check_fields(self, number, "rest")

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointSpring:
        return replace(
            self,
            joint=leader,
            stiffness=self.stiffness * ratio**2,
            rest=(self.rest - offset) / ratio,
        )


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointDamper(JointForce):
    """Q = -damping qdot: N m s/rad on a hinge, N s/m on a slider.

    The name of a joint of several coordinates means all of them.

    On a ball it is the torque -damping omega, omega the angular velocity of the child in the
    parent.
    """

    kind: ClassVar[str] = "joint_damper"
    is_relative: ClassVar[bool] = True
    takes_whole_joints: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"damping": "joint_damping"}

    damping: float

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, nonnegative, "damping")

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointDamper:
        return replace(self, joint=leader, damping=self.damping * ratio**2)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointEffort(JointForce):
    """Q = effort, constant: a torque (N m) about or a force (N) along the joint's coordinate on the
    child, its reaction on the parent.
    """

    kind: ClassVar[str] = "joint_effort"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"effort": "effort"}

    effort: float

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, number, "effort")

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointEffort:
        return replace(self, joint=leader, effort=self.effort * ratio)


@register(FORCES)
@dataclass(frozen=True, slots=True)
class BodyLoad(BodyForce):
    """A force (N) at the point `at` of a body (m, body axes from its origin) and a torque (N m),
    constant in world or in body axes.

    A force in world axes counts in V by -force . x, x the point in the world. A torque, and a force
    in body axes, is a load: its work is counted beside H.
    """

    kind: ClassVar[str] = "body_load"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"force": "force", "torque": "torque", "at": "length"}

    force: Vector = ORIGIN
    torque: Vector = ORIGIN
    at: Vector = ORIGIN
    axes: Literal["world", "body"] = "world"

    def __post_init__(self) -> None:
        BodyForce.__post_init__(self)
        check_fields(self, point, "force", "torque", "at")
        if self.axes not in AXES:
            raise part_error(self.part, "axes", self.axes, 'is unknown; give "world" or "body"')

    @property
    def has_only_potential(self) -> bool:
        """A force that is constant in the world, and no torque."""
        return self.axes == "world" and not any(self.torque)


# ---- what a person sets while a simulator runs ---------------------------------------------------
@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointInput(JointForce):
    """Q = what is set while a simulator runs (sim.set), zero until then: N m about an axis, N along
    it.

    One number for each speed of the joint; of a ball, the torque on the child in the axes of the
    child's joint frame. It is called by its name, or by that of the joint if it has none.
    """

    kind: ClassVar[str] = "joint_input"
    is_relative: ClassVar[bool] = True
    takes_whole_joints: ClassVar[bool] = True

    ratio: float = field(default=1.0, init=False, repr=False)  # of a joint that follows another

    @property
    def key(self) -> str:
        """What a simulator calls it."""
        return self.name or self.joint

    def on_leader(self, ratio: float, offset: float, leader: str) -> JointInput:
        moved = replace(self, joint=leader, name=self.key)
        object.__setattr__(moved, "ratio", ratio)
        return moved


@register(FORCES)
@dataclass(frozen=True, slots=True)
class BodyInput(BodyForce):
    """A force (N) at the point `at` of a body (m, body axes from its origin) and a torque (N m).

    They are set while a simulator runs (sim.set), in world or in body axes, and zero until then. It
    is called by its name, or by that of the body if it has none.
    """

    kind: ClassVar[str] = "body_input"
    is_relative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"at": "length"}

    at: Vector = ORIGIN
    axes: Literal["world", "body"] = "world"

    def __post_init__(self) -> None:
        BodyForce.__post_init__(self)
        check_fields(self, point, "at")
        check_choice(self.axes, AXES, self.part, "axes")

    @property
    def key(self) -> str:
        """What a simulator calls it."""
        return self.name or self.body


# ---- laws that a user writes ---------------------------------------------------------------------
@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointLaw(JointForce):
    """Q = effort(t, q, v, ...), N m on a hinge or N on a slider: a load, whose work is not part of
    H.

    `effort` is a formula of t, q and v (position and rate of this joint), of other joints by name
    (`elbow`, `elbow_dot`) and of the parameters; or a Python function f(t, x, out) that writes
    out[0], where x holds what `inputs` name.
    """

    kind: ClassVar[str] = "joint_law"
    dimensions: ClassVar[Declared] = {"effort": "effort"}

    effort: Formula | Callable[..., Any]
    parameters: Mapping[str, float] = NO_PARAMETERS
    inputs: tuple[str, ...] = ("q", "v")

    def __post_init__(self) -> None:
        """Check the formula or the function, and what belongs to it."""
        JointForce.__post_init__(self)
        object.__setattr__(
            self, "effort", formula(self.effort, self.part, "effort", or_function=True)
        )
        check_fields(self, check_named_numbers, "parameters")
        object.__setattr__(self, "inputs", _check_input_names(self.inputs, self.part))
        if callable(self.effort):
            refuse_parameters(self)
        elif self.inputs != ("q", "v"):
            raise part_error(
                self.part,
                "inputs",
                self.inputs,
                "belongs to a Python function; a formula says by itself what it reads",
            )


@register(FORCES)
@dataclass(frozen=True, slots=True)
class JointPotential(JointForce):
    """Q = -d energy/dq of an energy(q), J, that counts in V: a formula of q and the parameters."""

    kind: ClassVar[str] = "joint_potential"
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = {"energy": "energy"}

    energy: Formula
    parameters: Mapping[str, float] = NO_PARAMETERS

    def __post_init__(self) -> None:
        JointForce.__post_init__(self)
        check_fields(self, formula, "energy")
        check_fields(self, check_named_numbers, "parameters")


@register(FORCES)
@dataclass(frozen=True, slots=True)
class BodyLaw(BodyForce):
    """A force (N) at the point `at` of a body (m, body axes from its origin) and a torque (N m), in
    world or body axes: a load.

    Each component is a formula of t, of the point x, y, z, of the attitude qw, qx, qy, qz (unit
    quaternion body -> world, qw >= 0), of the angular velocity wx, wy, wz and the velocity of the
    point vx, vy, vz, all in world axes, and of the parameters. Or `function` is one Python function
    f(t, x, out): x holds these 13 numbers in this order, out takes the force and the torque.
    """

    kind: ClassVar[str] = "body_law"
    dimensions: ClassVar[Declared] = {"force": "force", "torque": "torque", "at": "length"}

    force: tuple[Formula, Formula, Formula] = ORIGIN
    torque: tuple[Formula, Formula, Formula] = ORIGIN
    at: Vector = ORIGIN
    axes: Literal["world", "body"] = "world"
    parameters: Mapping[str, float] = NO_PARAMETERS
    function: Callable[..., Any] | None = None

    def __post_init__(self) -> None:
        """Check the formulas or the function, and what belongs to it."""
        BodyForce.__post_init__(self)
        for field_name in ("force", "torque"):
            object.__setattr__(
                self, field_name, formulas(getattr(self, field_name), 3, self.part, field_name)
            )
        check_fields(self, point, "at")
        check_fields(self, check_named_numbers, "parameters")
        check_choice(self.axes, AXES, self.part, "axes")
        if self.function is not None:
            _check_body_function(self)


# ---- checks --------------------------------------------------------------------------------------
def check_choice(value: object, known: tuple[str, ...], part: Part, field_name: str) -> None:
    if value not in known:
        raise part_error(
            part,
            field_name,
            value,
            f"is unknown; give {' or '.join(f'{word!r}' for word in known)}",
        )


def _check_input_names(value: Any, part: Part) -> tuple[str, ...]:
    """At most MAX_INPUTS names of what a Python function reads."""
    if isinstance(value, str) or not isinstance(value, (tuple, list)) or not value:
        raise part_error(
            part, "inputs", value, 'is no list of names; give e.g. ["q", "v", "elbow"]'
        )
    if len(value) > MAX_INPUTS:
        raise part_error(
            part, "inputs", value, f"has {len(value)} names; at most {MAX_INPUTS} can be read"
        )
    return tuple(text(name, part, "inputs") for name in value)


def refuse_parameters(force: Any) -> None:
    if force.parameters:
        raise part_error(
            force.part,
            "parameters",
            force.parameters,
            "belong to formulas; write the numbers into the function",
        )


def _check_body_function(law: BodyLaw) -> None:
    """A Python function stands alone: no formulas and no parameters beside it."""
    if not callable(law.function):
        raise part_error(
            law.part,
            "function",
            law.function,
            "is no Python function; give f(t, x, out), or formulas as force and torque",
        )
    for field_name in ("force", "torque"):
        if getattr(law, field_name) != ORIGIN:
            raise part_error(
                law.part,
                field_name,
                getattr(law, field_name),
                "and a function both say what acts; keep one of them",
            )
    refuse_parameters(law)
