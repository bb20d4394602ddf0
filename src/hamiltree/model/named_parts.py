"""What forces and constraints have in common: a name that may stay empty, fields that name joints
and bodies, how messages call them; and the checks of fields.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from hamiltree.model.dimensions import Declared
from hamiltree.model.values import Part, text


class HasPart(Protocol):
    """Whatever a message can name."""

    @property
    def part(self) -> Part: ...


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A force or a constraint of a model. The name may stay empty."""

    role: ClassVar[str] = ""  # "force" or "constraint"
    kind: ClassVar[str] = ""
    # field -> "joint" | "body" | "end" (a body or the ground)
    references: ClassVar[dict[str, str]] = {}
    # True: a joint of several coordinates may be named, and all of them are meant
    takes_whole_joints: ClassVar[bool] = False
    # True: the same wherever the bodies are and however fast they move together
    is_relative: ClassVar[bool] = False
    dimensions: ClassVar[Declared] = {}

    name: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.name != "":
            text(self.name, (self.role, ""), "name")
        check_fields(self, text, *self.references)

    @property
    def part(self) -> Part:
        """Who is at fault in a message: the part by its name, or its kind if it has none."""
        return (self.role, self.name) if self.name else (self.kind or type(self).__name__, "")

    def describe(self, position: int) -> str:
        """How a message calls the part at `position` (from 0) of a model: by name, else by number,
        kind and what it is on.
        """
        if self.name:
            return f"{self.role} {self.name!r}"
        on = "".join(f" on {getattr(self, field_name)!r}" for field_name in self.references)
        return f"{self.role} {position + 1} ({self.kind or type(self).__name__}{on})"


def check_fields(part: HasPart, check: Any, *names: str) -> None:
    """Every named field as `check(value, part, field)` gives it."""
    for name in names:
        object.__setattr__(part, name, check(getattr(part, name), part.part, name))
