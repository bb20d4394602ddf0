"""What a formulation is: a record of functions and facts.

The verbs that it answers are registered for the type of its System; everything else that a run, a
comparison or an evaluation needs is a field here, so that nothing is decided by a formulation's
name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

# What a model may have that not every formulation can handle.
JOINTS = "joints"  # between bodies, or of other kinds than free, ball and weld
# joints that close loops, constraints, couplings that no tree can follow: constraint rows
ROWS = "rows"
MOTIONS = "motions"  # poses of bodies prescribed in time
FORMULA = "formula"  # an H(q, p) or ẏ = f(t, y) that is typed in, instead of a model
FEATURES = JOINTS, ROWS, MOTIONS, FORMULA


class Coordinates(Enum):
    """What the rows of a state are."""

    JOINTS_AND_MOMENTA = "positions and canonical momenta of the joints of the tree"
    JOINTS_AND_SPEEDS = "positions and speeds of the joints of the tree"
    BODIES = "poses of bodies, and their speeds or momenta"
    PHASE_SPACE = "q and p as a user has named them"
    FIRST_ORDER = "y as a user has named its rows"


class Traits(NamedTuple):
    """What helps to choose; docs/formulations.md says more, and how costs were measured."""

    use: str
    state: str
    keeps: str  # exactly, or to rounding
    cost: str  # of one evaluation


@dataclass(frozen=True)
class Formulation:
    """One set of equations of motion; docs/architecture.md shows how each answer is used."""

    # ---- required --------------------------------------------------------------------------------
    name: str
    system: type  # a NamedTuple with `layout` and `facts` (verbs.py)
    coordinates: Coordinates
    supports: frozenset[str]  # of JOINTS, ROWS, MOTIONS, FORMULA
    # (assembly) -> System, or it raises FitError with the part that does not fit
    assemble: Callable
    workspace: Callable  # (system, width) -> Work
    # (system, assembly, pointer) -> y; pointer asks verbs in lanes (batch.momentum_of_state)
    initial_state: Callable
    # (system, model, row of y) -> the joint's coordinate or the body that the row belongs to
    owner: Callable
    reference: str
    summary: str
    traits: Traits
    # ---- where the usual answer does not hold ----------------------------------------------------
    is_default_candidate: bool = False  # may be chosen for a user who names none
    default_integrator: str = "gauss8"
    # option -> (system, value) -> system
    options: Mapping[str, Callable] = field(default_factory=dict)
    # (assembly, system): refuse another start of the same System; None: every start has its own
    check_start: Callable | None = None
    # (work) -> how dependent constraint rows are, the array `trouble` of assembly/rows.py; None: it
    # has no rows
    trouble: Callable | None = None
    # (assembly) -> what the rows that `trouble` counts belong to
    constraint_names: Callable | None = None
    # (assembly) -> (coordinate, scale) of the angles that `follow_angles` follows, in their order
    winding_angles: Callable | None = None
    # (system, states, windings) -> (states, bodies, 4): continuous in time; None: states hold
    # coordinates of joints
    body_quaternions: Callable | None = None
    # (system, work) -> λ of the independent rows, as `rates` has left them
    multipliers: Callable | None = None
    # (system, assembly) -> natural size of each row of y (assembly/scales.py); None: that of joint
    # coordinates, or one where a state has none
    row_scales: Callable | None = None
    # (states) -> (states, bodies): ‖q‖² − 1 of each quaternion, or the largest entry of RᵀR − 1
    norm_errors: Callable | None = None
    # (states) -> (states, bodies): q · g of each quaternion and its momentum, zero if exact
    radial_momenta: Callable | None = None
    # (model, system, threads) -> (System cut for so many threads, (work, width) -> Team): its rates
    # by several threads; None: by one
    share: Callable | None = None
    # the same equations for integrators that impose constraints
    constrained_variant: "Formulation | None" = None

    # ---- derived ---------------------------------------------------------------------------------
    has_momenta: bool = field(init=False)  # the state is (q, p) of the tree's joints
    has_speeds: bool = field(init=False)  # it is (q, u) of them
    has_coordinates: bool = field(init=False)  # one of both

    def __post_init__(self) -> None:
        self.check()
        has_momenta = self.coordinates is Coordinates.JOINTS_AND_MOMENTA
        has_speeds = self.coordinates is Coordinates.JOINTS_AND_SPEEDS
        object.__setattr__(self, "has_momenta", has_momenta)
        object.__setattr__(self, "has_speeds", has_speeds)
        object.__setattr__(self, "has_coordinates", has_momenta or has_speeds)

    def check(self) -> None:
        """Refuse features that there are not, and a System without what every one must have."""
        unknown = sorted({*self.supports} - {*FEATURES})
        if isinstance(self.supports, str) or unknown:
            raise ValueError(
                f"formulation {self.name!r}: supports = {self.supports!r}; write "
                f"feature_set(…) of {', '.join(FEATURES)}"
            )
        lacking = [each for each in ("layout", "facts") if each not in self.system._fields]
        if lacking:
            raise ValueError(
                f"formulation {self.name!r}: its System, {self.system.__name__}, has no field "
                f"{' and no field '.join(lacking)}"
            )


def feature_set(*features: str) -> frozenset[str]:
    """What a formulation handles."""
    return frozenset(features)


def answers(verb, *kinds: type) -> Callable:
    """Decorator: the function answers `verb` for each of these types of System."""

    def register(function):
        for kind in kinds:
            verb.method(kind)(function)
        return function

    return register


def joint_of_row(system: Any, model: Any, row: int) -> str:
    """The owner of a row where states hold coordinates of joints, and then their momenta or
    speeds.
    """
    positions = system.layout.positions
    if row < positions:
        return model.coordinates[row]
    names = model.coordinates if system.layout.momenta == positions else model.speeds
    return names[row - positions]


def speed_state(system: Any, assembly: Any, pointer: Any) -> np.ndarray:
    """y = (q, u)"""
    return np.concatenate([assembly.q, assembly.speeds])


def accept_any_start(assembly: Any, system: Any) -> None:
    """`check_start` where the tables of a System are the same for every start, and every start will
    do.
    """
