"""What a formulation is: the type of its System, how it is assembled, and what it is called."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


class Traits(NamedTuple):
    """What helps to choose; docs/formulations.md says more, and how costs were measured."""

    use: str
    state: str
    keeps: str  # exactly, or to rounding
    cost: str  # of one evaluation


@dataclass(frozen=True)
class Formulation:
    """One set of equations of motion; the verbs it answers are registered for `system`."""

    name: str
    system: type
    assemble: Callable  # (model, q=None) -> System
    workspace: Callable  # (system, width) -> Work
    reference: str
    summary: str
    traits: Traits
    state: Callable | None = None  # (system, model, rotations, origins, twists of all bodies) -> y; None: y = (q, p) or (q, u) of the tree
    has_speeds: bool = False  # of the tree's joints, in the place of momenta
    owner: Callable | None = None  # (system, row of y) -> body, of a state that is made of poses and twists
    options: Mapping[str, Callable] = field(default_factory=dict)  # option -> (system, value) -> system
    has_loops: bool = False  # whether joints may close loops, and constraints be there
    placed: Callable | None = None  # (model, q, speeds) -> rotations, origins, twists: of formulations that hold bodies by themselves
    norm_errors: Callable | None = None  # (states) -> (states, bodies): ‖q‖² − 1 of each quaternion, or the largest entry of RᵀR − 1
    check_start: Callable | None = None  # (model, system, q): refuse positions; only where the System is the same for every start
    constrained_form: "Formulation | None" = None  # the same equations for integrators that impose constraints


def read_only(values) -> np.ndarray:
    """A C-contiguous table of a System: a kernel that writes to it does not compile."""
    table = np.array(values, order="C")
    table.flags.writeable = False
    return table
