"""Finding an entry of a catalogue by the name that a person types."""

from collections.abc import Mapping
from typing import TypeVar

from hamiltree.errors import OptionError, nearest

Entry = TypeVar("Entry")
MANY = 20  # entries that are no longer listed in a message


def plain(name: object) -> str:
    """A name without case, dashes, underscores and spaces: "Gauss-8" and "gauss8" are the same."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


def find(catalogue: Mapping[str, Entry], name: object, what: str, aliases: Mapping[str, str] | None = None) -> Entry:
    """The entry of this name or alias; an unknown one is refused with the nearest, or with the list."""
    spelled = {plain(key): key for key in catalogue} | {plain(alias): key for alias, key in (aliases or {}).items()}
    if plain(name) not in spelled:
        hint = nearest(name, catalogue)
        every = f"`hamiltree list {what}s` shows all" if len(catalogue) > MANY else f"{what}s: {', '.join(catalogue)}"
        raise OptionError(f"unknown {what} {name!r}; {hint}" + (f" ({every})" if "did you mean" in hint or len(catalogue) > MANY else ""))
    return catalogue[spelled[plain(name)]]
