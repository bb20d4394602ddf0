"""Attributes that upper layers give to a Model or a Trajectory: `model.plot`, `run.plot`.

The class names the place of the tool; its module is imported when the attribute is first asked for.
"""

from __future__ import annotations

import importlib
from types import MethodType
from typing import Any


def import_attribute(place: str) -> Any:
    """Import a function or class of an upper layer, given as module:name."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


class Accessor:
    """`plot = Accessor("hamiltree.view.plots:Plots")` in a class: `run.plot` is Plots(run).

    Asked of the class, it is the tool itself, with its documentation.
    """

    def __init__(self, place: str):
        self.place = place

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        tool = import_attribute(self.place)
        return tool if owner is None else tool(owner)


class Method:
    """`ledger = Method("hamiltree.verdict.ledger:make_ledger")` in a class: a method whose function
    an upper layer has.
    """

    def __init__(self, place: str):
        self.place = place

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        function = import_attribute(self.place)
        return function if owner is None else MethodType(function, owner)
