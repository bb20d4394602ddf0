"""Advice about attributes that a Trajectory does not have."""

from __future__ import annotations

from collections.abc import Iterable

from hamiltree.errors import suggest

# Old attribute → its name now.
RENAMED = {"openings": "constraint_residuals"}


def missing_attribute(name: str, known: Iterable[str]) -> AttributeError:
    """The error about an attribute that a Trajectory does not have, with the one that was probably
    meant.
    """
    if name.startswith("_"):
        return AttributeError(f"a Trajectory has no {name!r}")
    if name in RENAMED:
        return AttributeError(f"a Trajectory has no {name!r} any more; use {RENAMED[name]!r}")
    public = [attribute for attribute in known if not attribute.startswith("_")]
    return AttributeError(f"a Trajectory has no {name!r}; {suggest(name, public)}")
