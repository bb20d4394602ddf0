"""Attributes of a Trajectory that are looked up by name: tools of upper layers, and advice about
names that do not exist.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

from hamiltree.errors import suggest

# Tools of upper layers by name; they are imported when first asked for.
ACCESSORS = {
    "plot": "hamiltree.view.plots:Plots",
    "film": "hamiltree.view.film.film:RunFilm",
    "view": "hamiltree.view.page.view:RunView",
    "widget": "hamiltree.view.notebook.widget:RunWidget",
}
# Old attribute → its name now.
RENAMED = {"openings": "constraint_residuals"}


def import_attribute(place: str) -> Any:
    """Import a function or class of an upper layer, given as module:name."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def missing_attribute(name: str, known: Iterable[str]) -> AttributeError:
    """The error about an attribute that a Trajectory does not have, with the one that was probably
    meant.
    """
    if name.startswith("_"):
        return AttributeError(f"a Trajectory has no {name!r}")
    if name in RENAMED:
        return AttributeError(f"a Trajectory has no {name!r} any more; use {RENAMED[name]!r}")
    public = [attribute for attribute in (*known, *ACCESSORS) if not attribute.startswith("_")]
    return AttributeError(f"a Trajectory has no {name!r}; {suggest(name, public)}")
