"""Couplings: a coordinate that follows another one, by a mechanism that is not modelled itself.

The follower has no row in q, unless it or its leader is a joint that closes a loop: then the
coupling is one more equation.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import COORDINATE_RATIO, Declared
from hamiltree.model.named_parts import check_fields
from hamiltree.model.values import Part, number, part_error, positive, text

COUPLINGS: dict[str, type[Coupling]] = {}  # by kind


class Follower(NamedTuple):
    """x = ratio · leader + offset"""

    leader: str
    ratio: float
    offset: float


@dataclass(frozen=True, slots=True)
class Coupling:
    """The coordinate `joint` follows the coordinate `of`; joints of one axis by name, others as
    name.x, name.1 …
    """

    kind: ClassVar[str] = ""
    dimensions: ClassVar[Declared] = {}

    joint: str
    of: str
    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        """Check the names of two different coordinates."""
        if self.name != "":
            text(self.name, ("coupling", ""), "name")
        check_fields(self, text, "joint", "of")
        if self.joint == self.of:
            raise part_error(
                self.part, "of", self.of, "is the joint itself; name the joint that leads"
            )

    @property
    def part(self) -> Part:
        return ("coupling", self.name or self.joint if isinstance(self.joint, str) else "")

    def follower(self) -> Follower:
        raise NotImplementedError


@register(COUPLINGS)
@dataclass(frozen=True, slots=True)
class Mimic(Coupling):
    """q = ratio · q_of + offset, rad or m."""

    kind: ClassVar[str] = "mimic"
    dimensions: ClassVar[Declared] = {"ratio": COORDINATE_RATIO, "offset": "coordinate"}

    ratio: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        Coupling.__post_init__(self)
        check_fields(self, number, "ratio", "offset")
        if self.ratio == 0.0:
            raise part_error(
                self.part, "ratio", self.ratio, "holds the joint still; weld it instead"
            )

    def follower(self) -> Follower:
        return Follower(self.of, self.ratio, self.offset)


@register(COUPLINGS)
@dataclass(frozen=True, slots=True)
class Gear(Coupling):
    """Two wheels with `teeth` (of `joint`, of `of`) or any two radii:
    q = ∓ teeth_of / teeth · q_of, minus unless one is `internal`.
    """

    kind: ClassVar[str] = "gear"
    dimensions: ClassVar[Declared] = {"teeth": ("number", COORDINATE_RATIO)}

    teeth: tuple[float, float] = (1.0, 1.0)
    internal: bool = False

    def __post_init__(self) -> None:
        """Check that there are two numbers of teeth above zero."""
        Coupling.__post_init__(self)
        if not isinstance(self.teeth, (tuple, list)) or len(self.teeth) != 2:
            raise part_error(
                self.part,
                "teeth",
                self.teeth,
                "is not two numbers; give (teeth of joint, teeth of the other)",
            )
        object.__setattr__(
            self, "teeth", tuple(positive(x, self.part, "teeth") for x in self.teeth)
        )
        if not isinstance(self.internal, bool):
            raise part_error(self.part, "internal", self.internal, "is not true or false")

    def follower(self) -> Follower:
        ratio = self.teeth[1] / self.teeth[0]
        return Follower(self.of, ratio if self.internal else -ratio, 0.0)


@register(COUPLINGS)
@dataclass(frozen=True, slots=True)
class Rack(Coupling):
    """A rack `joint` on a pinion `of`: x = radius · q_of + offset, m; a negative radius: on the
    other side of the pinion.
    """

    kind: ClassVar[str] = "rack"
    dimensions: ClassVar[Declared] = {"radius": COORDINATE_RATIO, "offset": "coordinate"}

    radius: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        Coupling.__post_init__(self)
        check_fields(self, number, "radius", "offset")
        if self.radius == 0.0:
            raise part_error(
                self.part, "radius", self.radius, "holds the rack still; weld it instead"
            )

    def follower(self) -> Follower:
        return Follower(self.of, self.radius, self.offset)
