"""Finding an entry of a catalogue by the name that a person types."""

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, TypeVar

from hamiltree.errors import OptionError, normalise_name, suggest
from hamiltree.renamed import FORMULATIONS

__all__ = ["LazyCatalogue", "find", "normalise_name"]

Entry = TypeVar("Entry")
MAX_LISTED_ENTRIES = 20  # a longer catalogue is not listed in a message


class LazyCatalogue(MutableMapping[str, Any]):
    """A catalogue whose entries are imported when they are asked for: name -> "module:attribute" of
    a package.
    """

    def __init__(self, package: str, places: Mapping[str, str]):
        self.package = package
        self.places = dict(places)
        self.found: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.found:
            module, _, attribute = self.places[name].partition(":")
            imported = importlib.import_module(f"{self.package}.{module}")
            self.found[name] = getattr(imported, attribute)
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


def find(
    catalogue: Mapping[str, Entry],
    name: object,
    what: str,
    aliases: Mapping[str, str] | None = None,
    command: str = "",
) -> Entry:
    """The entry of this name or alias; an unknown name is refused with a similar one, or with the
    list.

    `command` lists a catalogue that is too long for a message; `hamiltree list …` if not given.
    """
    spelled = {normalise_name(key): key for key in catalogue} | {
        normalise_name(alias): key for alias, key in (aliases or {}).items()
    }
    if normalise_name(name) not in spelled:
        raise OptionError(f"unknown {what} {name!r}; {remedy(catalogue, name, what, command)}")
    return catalogue[spelled[normalise_name(name)]]


def remedy(catalogue: Mapping[str, Any], name: object, what: str, command: str) -> str:
    """Its new name, or a similar name and the names of a short catalogue or the command that lists
    a long one.
    """
    if what == "formulation" and name in FORMULATIONS:
        return f"it is now called {FORMULATIONS[str(name)]!r}"
    hint = suggest(name, catalogue)
    is_similar = "did you mean" in hint
    if len(catalogue) > MAX_LISTED_ENTRIES:
        shows_all = f"(`{command or f'hamiltree list {what}s'}` shows all)"
        return f"{hint} {shows_all}"
    return f"{hint} ({what}s: {', '.join(catalogue)})" if is_similar else hint
