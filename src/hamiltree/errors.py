"""The errors of hamiltree, one class per stage, and the suggestion of a name that was probably
meant.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, copy_context
from difflib import get_close_matches
from itertools import islice
from typing import Any

# Candidates that are compared. difflib needs about 10 us per candidate, and the error message of a
# model with a million parts must not take long.
MAX_COMPARED = 20_000
MAX_LISTED = 12
LONGEST_NAME = 200  # characters of a name that is compared with others: the cost is quadratic
# A message repeats names and texts of files, which may be of any length.
MAX_MESSAGE = 3000  # characters
LONG_WORD = re.compile(r"[^\s/]{300,}")  # no part of a path is as long
MAX_SHOWN = 60  # characters of a long word
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # would be obeyed by a terminal


def shorten_message(message: str) -> str:
    """The message with long words cut; of a very long one the beginning and the end. Control
    characters are shown, not sent.
    """
    message = CONTROL.sub(lambda found: repr(found[0])[1:-1], message)
    if len(message) < 300:
        return message
    short = LONG_WORD.sub(lambda word: f"{word[0][:MAX_SHOWN]}…{word[0][-3:]}", message)
    if len(short) <= MAX_MESSAGE:
        return short
    return f"{short[: 2 * MAX_MESSAGE // 3]} … {short[-MAX_MESSAGE // 3 :]}"


class HamiltreeError(Exception):
    """Every error that hamiltree raises on purpose; its message is never very long."""

    def __init__(self, message: object = "") -> None:
        super().__init__(shorten_message(str(message)))


class AccuracyWarning(UserWarning):
    """A run that may not be worth much: a step that does not fit the model, an energy far off."""


class PartError(HamiltreeError):
    """An error about a part of a model: `part` is (kind, name), e.g. ("joint", "elbow"), `field`
    the field at fault; both may be None.
    """

    def __init__(
        self, message: str, part: tuple[str, str | int] | None = None, field: str | None = None
    ) -> None:
        super().__init__(message)
        self.part = part
        self.field = field


class ModelError(PartError, ValueError):
    """A model that cannot exist."""


class FitError(PartError):
    """A formulation or integrator that does not fit the model or each other."""


class OptionError(HamiltreeError, ValueError):
    """An argument out of range or unknown: a step that is not positive, an integrator that does not
    exist.
    """


class MissingPackage(OptionError):
    """What needs a package that is not installed; the message says how to get it."""


class FileError(HamiltreeError):
    """A file that cannot be read, is malformed, or would be overwritten."""


class StepError(HamiltreeError):
    """A run that went wrong; `trajectory` holds what was computed before, if anything."""

    def __init__(self, message: str, trajectory: Any = None) -> None:
        super().__init__(message)
        self.trajectory = trajectory


class ClusterError(HamiltreeError):
    """Workers of a cluster that do not answer, or are lost."""


class CompileError(HamiltreeError):
    """A kernel that does not compile: a mistake in a formulation, a force law or an integrator."""


# ---- options as the user gives them --------------------------------------------------------------
IN_SHELL = ContextVar("IN_SHELL", default=False)


def call_for_shell(command: Callable[..., Any], **arguments: Any) -> Any:
    """Call a command whose messages advise options as they are typed in a shell."""
    context = copy_context()
    context.run(IN_SHELL.set, True)
    return context.run(command, **arguments)


def spell_option(name: str, value: Any = True) -> str:
    """An option for a message, as its reader gives it: merge_fixed=True and drop=['contact'] in
    Python, --merge-fixed and --drop contact in a shell; any value is left open as "…".
    """
    if not IN_SHELL.get():
        return f"{name}={'…' if value is ... else repr(value)}"
    option = f"--{name.replace('_', '-')}"
    if value is True or value is ...:
        return option if value is True else f"{option} …"
    if isinstance(value, dict):
        return " ".join(f"{option} {key}={entry}" for key, entry in value.items())
    words = ",".join(value) if isinstance(value, list) else str(value)
    return f"{option} {shlex.quote(words)}"


def spell_method_option(name: str, value: Any) -> str:
    """An option of an integrator: solver='newton' in Python, --option solver=newton in a shell."""
    return spell_option("option", {name: value}) if IN_SHELL.get() else spell_option(name, value)


def spell_options(options: Mapping[str, Any]) -> str:
    """Several options that are given together."""
    words = [spell_option(name, value) for name, value in options.items()]
    return (" " if IN_SHELL.get() else ", ").join(words)


class Advice(str):
    """Words for a reader in Python; `in_shell` are the same for one in a shell."""

    in_shell: str


def spell_both(words: Callable[[], str]) -> Advice:
    """Words that are kept and may be read in Python and in a shell; the function spells options."""
    spelled = {}
    for in_shell in (False, True):
        before = IN_SHELL.set(in_shell)
        try:
            spelled[in_shell] = words()
        finally:
            IN_SHELL.reset(before)
    advice = Advice(spelled[False])
    advice.in_shell = spelled[True]
    return advice


def as_read(words: str) -> str:
    """Words as they are spelled where they are read now."""
    return words.in_shell if IN_SHELL.get() and isinstance(words, Advice) else words


# ---- names that are probably meant ---------------------------------------------------------------
def normalise_name(name: object) -> str:
    """A name without case, dashes, underscores and spaces: "Gauss-8" and "gauss8" are the same."""
    return "".join(letter for letter in str(name).lower() if letter.isalnum())


def suggest(name: object, known: Iterable[str]) -> str:
    """The remedy for an unknown name: a similar known one, else the list of what is known."""
    names = list(islice(known, MAX_COMPARED))
    similar = find_similar(name, names)
    if similar is not None:
        return f"did you mean {similar!r}?"
    if not names:
        return "there are none"
    listed = ", ".join(repr(n) for n in names[:MAX_LISTED])
    return f"known: {listed}" + (", ..." if len(names) > MAX_LISTED else "")


def unknown_attribute(owner: str, name: str, known: Iterable[str]) -> AttributeError:
    """For `__getattr__` of what has names that people type: `raise unknown_attribute(…)`. It holds
    no object, or Python's traceback would say once more what was probably meant.
    """
    shown = [each for each in known if not each.startswith("_")]
    similar = None if name.startswith("__") else find_similar(name, shown)
    hint = "" if similar is None else f"; did you mean {similar!r}?"
    return AttributeError(f"{owner} has no attribute {name!r}{hint}", name=name)


def find_similar(name: object, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None if none is near enough."""
    wanted = normalise_name(name)
    if len(wanted) > LONGEST_NAME:
        return None
    spelled: dict[str, str] = {}
    for candidate in islice(known, MAX_COMPARED):
        if len(candidate) <= LONGEST_NAME:
            spelled.setdefault(normalise_name(candidate), candidate)
    for candidate in get_close_matches(wanted, spelled, n=3):
        if is_similar(wanted, candidate):
            return spelled[candidate]
    return None


def is_similar(wanted: str, candidate: str) -> bool:
    """Whether one contains the other, or they differ by about one edit per three letters.

    Two names that only share some letters, as 'amr' and 'car', are not similar.
    """
    if min(len(wanted), len(candidate)) >= 3 and (wanted in candidate or candidate in wanted):
        return True
    return edit_distance(wanted, candidate) <= max(1, (len(wanted) + 1) // 3)


def edit_distance(a: str, b: str) -> int:
    """The least number of insertions, deletions, substitutions and swaps of neighbours (optimal
    string alignment) that turn a into b.
    """
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
