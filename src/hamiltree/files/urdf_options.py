"""The options of the URDF reader, checked."""

from __future__ import annotations

from dataclasses import dataclass

from hamiltree.errors import OptionError, spell_option
from hamiltree.model.values import positive

WORDS = {
    "mimic": ("follow", "ignore"),
    "dynamics": ("keep", "drop"),
    "limits": ("keep", "spring", "drop"),
    "inertia": ("check", "repair"),
}


@dataclass(frozen=True)
class ReaderOptions:
    """The options of a reader, checked."""

    floating_base: bool = False
    merge_fixed: bool = False
    mimic: str = "follow"
    dynamics: str = "keep"
    limits: str = "keep"
    limit_stiffness: float | None = None
    inertia: str = "check"

    def __post_init__(self) -> None:
        """Refuse unknown words, switches that are not True or False, and limits without their
        stiffness.
        """
        for name, words in WORDS.items():
            given = getattr(self, name)
            if given not in words:
                choices = " or ".join(map(repr, words))
                raise OptionError(f"{name} = {given!r} is unknown; give {choices}")
        for name in ("floating_base", "merge_fixed"):
            if not isinstance(getattr(self, name), bool):
                raise OptionError(f"{name} = {getattr(self, name)!r}; give True or False")
        if (self.limits == "spring") != (self.limit_stiffness is not None):
            raise OptionError(
                f"{spell_option('limits', 'spring')} and a stiffness, e.g. "
                f"{spell_option('limit_stiffness', 1e4)} (N m/rad or N/m), need each other; URDF "
                "has none"
            )
        if self.limit_stiffness is not None:
            positive(self.limit_stiffness, ("limits", ""), "limit_stiffness")
