"""Finding an entry of a catalogue by the name that a person types."""

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from hamiltree.errors import OptionError, suggest
from hamiltree.renamed import FORMULATIONS

Entry = TypeVar("Entry")
MAX_LISTED_ENTRIES = 20  # entries that are no longer listed in a message


class LazyCatalogue(MutableMapping[str, Any]):
    """A catalogue whose entries are imported when they are asked for: name -> "module:attribute" of
    a package.
    """

    def __init__(self, package: str, places: Mapping[str, str]):
        self.package, self.places, self.found = package, dict(places), {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.found:
            module, _, attribute = self.places[name].partition(":")
            self.found[name] = getattr(
                importlib.import_module(f"{self.package}.{module}"), attribute
            )
        return self.found[name]

    def __setitem__(self, name: str, entry: Any) -> None:
        self.places.setdefault(name, "")
        self.found[name] = entry

    def __delitem__(self, name: str) -> None:
        del self.places[name]
        self.found.pop(name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def normalise_name(name: object) -> str:
    """A name without case, dashes, underscores and spaces: "Gauss-8" and "gauss8" are the same."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


def find(
    catalogue: Mapping[str, Entry],
    name: object,
    what: str,
    aliases: Mapping[str, str] | None = None,
) -> Entry:
    """The entry of this name or alias; an unknown one is refused with the nearest, or with the
    list.
    """
    spelled = {normalise_name(key): key for key in catalogue} | {
        normalise_name(alias): key for alias, key in (aliases or {}).items()
    }
    if normalise_name(name) not in spelled:
        raise OptionError(f"unknown {what} {name!r}; {describe_known(catalogue, name, what)}")
    return catalogue[spelled[normalise_name(name)]]


def describe_known(catalogue: Mapping[str, Any], name: object, what: str) -> str:
    """The remedy for an unknown name: its new name, the nearest one, or all that are known."""
    if what == "formulation" and name in FORMULATIONS:
        return f"it is now called {FORMULATIONS[str(name)]!r}"
    hint = suggest(name, catalogue)
    if len(catalogue) > MAX_LISTED_ENTRIES:
        return f"{hint} (`hamiltree list {what}s` shows all)"
    if "did you mean" in hint:
        return f"{hint} ({what}s: {', '.join(catalogue)})"
    return hint
