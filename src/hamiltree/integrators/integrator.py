"""What an integrator is, the state that it carries from step to step, and the step itself as a
generic function of its method.

An integrator is a record: coefficients (`method`, a NamedTuple whose type names the family) and
claims. A family answers `step` for its type of method; the loops that take steps (advance.py) are
written once, for all.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import Generic, inlined
from hamiltree.compiled.number import load
from hamiltree.errors import OptionError, suggest

# Entries of State.counts: steps taken, calls of the equations, the status, the row of the state
# that failed, whether there is no first guess yet, steps rejected by error control, the step at
# which the problem was found to be stiff (0: none), and the index of the grid point that an
# adaptive method has saved last.
STEPS, CALLS, STATUS, WORST_ROW, FRESH, REJECTED, STIFF, GRID_INDEX = range(8)
# Statuses: the messages about them are in run/diagnosis.py. NEEDS_MATRIX asks for the scratch of
# Newton's method.
# SINGULAR: the constraints are not independent there. UNANSWERED_VERB: a verb was called
# that the formulation does not have.
RUNNING, NOT_FINITE, NOT_CONVERGED, STEP_TOO_SMALL = range(4)
NEEDS_MATRIX, SINGULAR, UNANSWERED_VERB = range(4, 7)
# Entries of State.clock: the time reached, the step to try next, two numbers of a controller of the
# step, where the run ends, the natural time and energy of the problem; how fast natural forces
# change positions and momenta, in the units that these are compared in (assembly/rest.py); how
# independent the constraints are (regularity.py), and by how much a step has gone beyond the grid
# (singular_crossing.py).
TIME, NEXT_STEP, CONTROLLER_MEMORY, CONTROLLER_LAST, END_TIME = range(5)
NATURAL_TIME, NATURAL_ENERGY, POSITION_RATE, MOMENTUM_RATE = range(5, 9)
SINE, SINE_TIME, SINE_BEFORE, SINE_TIME_BEFORE, AHEAD, REGULARITY_END = range(9, 15)
ROW_VOLUME, LEAST_SINE, LEAST_SINE_TIME, LEAST_SINE_ROW = range(14, 18)


class State(NamedTuple):
    """All that the next step depends on, so that a run may be cut anywhere: results are the same to
    the bit.
    """

    y: np.ndarray  # (m,) the state
    compensation: np.ndarray  # (m,) of the sum y: its rounding error so far
    work: np.ndarray  # (1,) work of dampers and loads since the start
    work_compensation: np.ndarray  # (1,) its compensation
    counts: np.ndarray  # STEPS, CALLS, …
    clock: np.ndarray  # TIME, NEXT_STEP, … of adaptive methods, SINE, …
    # (2, m + 1) y and the work, and their compensations, where a step of several substeps began
    before: np.ndarray
    change: np.ndarray  # (m,) of each row in the last iteration of an implicit step
    # (2,) the largest that positions and momenta, or what a step adds to them, have been
    sizes: np.ndarray
    # (m,) the natural size of each row, in its own unit: what an absolute tolerance is a part of
    scale: np.ndarray
    # angles with their whole turns, which y does not tell (assembly/windings.py): an array that the
    # state shares with the workspaces of its System, since forces depend on it
    windings: np.ndarray
    scratch: Any  # a NamedTuple of the family: stage slopes, first guesses


# Of simulate: suggested where an option is mistyped.
SIMULATE_ARGUMENTS = (
    "until",
    "step",
    "formulation",
    "integrator",
    "save_every",
    "sections",
    "events",
    "progress",
    "output",
    "force",
)


def step(method, system, work, state, t, h):
    """One step of length h from time t, in place; 0, or the status that it failed with: then y is
    as before.
    """


step = Generic("step", step.__doc__, leading=1).call


@dataclass(frozen=True)
class Integrator:
    """Coefficients and claims; `needs` are the verbs it asks for, `options` what may be set by
    name.
    """

    name: str
    order: int
    reference: str
    is_explicit: bool
    is_symplectic: bool
    is_symmetric: bool
    needs: tuple
    width: int  # lanes of the Work it evaluates in
    evaluations_per_call: int  # right-hand sides computed by one call of the equations
    method: Any = field(repr=False)
    # (handle, method, state, monitor, t0, first, h, steps, save_every, samples) -> samples written
    advance: Callable = field(repr=False)
    initial_state: Callable = field(repr=False)  # (y, method) -> State
    conserves_energy: bool = False
    conserves_quadratic: bool = False  # every quadratic invariant
    # chooses its own steps, and gives samples on the grid by interpolation
    is_adaptive: bool = False
    uses_row_scales: bool = False  # compares with the natural sizes of rows in every step
    # compares positions with positions and momenta with momenta, by their natural sizes where they
    # have different units
    compares_rows: bool = False
    samples_at_steps: bool = False  # chooses its own steps, and gives its states where they are
    # option → (integrator, value) -> integrator
    options: Mapping[str, Callable] = field(default_factory=dict, repr=False)
    # (state, method) -> State with the scratch of Newton's method
    allocate_newton: Callable | None = field(default=None, repr=False)
    # the same method where H is separable
    separable_variant: "Integrator | None" = field(default=None, repr=False)
    # (integrator, system) -> integrator that knows how many unknowns there are
    bind: Callable | None = field(default=None, repr=False)
    # State -> further statistics of a run
    statistics: Callable | None = field(default=None, repr=False)
    # the tableau, splitting or composition, exactly
    coefficients: Any = field(default=None, repr=False)
    substeps: tuple = (1,)  # the parts of a step that a composition takes, exactly
    remark: str = ""

    @property
    def traits(self) -> str:
        """The claims that hold, as words for tables."""
        claims = {
            "explicit": self.is_explicit,
            "symplectic": self.is_symplectic,
            "symmetric": self.is_symmetric,
            "energy-preserving": self.conserves_energy,
            "adaptive": self.is_adaptive,
        }
        return ", ".join(word for word, holds in claims.items() if holds)

    def with_options(self, options: Mapping[str, Any]) -> "Integrator":
        """With options set by name; one that this method does not have is refused."""
        chosen = self
        for name in options:
            if name not in self.options:
                raise OptionError(f"{self.name} has no option {name!r}; {self.option_hint(name)}")
        # in their own order: a later one may refine an earlier
        for name, choose in self.options.items():
            chosen = choose(chosen, options[name]) if name in options else chosen
        return chosen

    def option_hint(self, name: str) -> str:
        """What was meant, perhaps an argument of simulate, or what there is."""
        hint = suggest(name, [*self.options, *SIMULATE_ARGUMENTS])
        takes = f"it takes {', '.join(self.options)}" if self.options else "it takes none"
        return f"{takes}; {hint}" if "did you mean" in hint else takes

    def with_method(self, **fields) -> "Integrator":
        return replace(self, method=self.method._replace(**fields))


def is_finite_number(value) -> bool:
    """Whether an option is a finite number, and no truth value."""
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    return is_number and not isinstance(value, bool) and math.isfinite(value)


def integrator_from_tableau(tableau, **rest) -> Integrator:
    """An integrator whose traits are those that its tableau derives."""
    return Integrator(
        tableau.name,
        tableau.order,
        tableau.reference,
        tableau.is_explicit,
        tableau.is_symplectic,
        tableau.is_symmetric,
        **rest,
    )


def new_state(y: np.ndarray, scratch) -> State:
    """The state before the first step, with the scratch that a family needs; y may have lanes."""
    counts = np.zeros(8, dtype=np.int64)
    counts[FRESH] = 1
    clock = np.zeros(18)
    clock[NATURAL_TIME] = clock[NATURAL_ENERGY] = 1.0
    clock[ROW_VOLUME] = np.inf
    attempt = np.zeros((2, len(y) + 1)), np.zeros_like(y), np.zeros(2), np.ones_like(y)
    one = (1, *y.shape[1:])
    sums = np.zeros_like(y), np.zeros(one), np.zeros(one)
    return State(y.copy(), *sums, counts, clock, *attempt, np.zeros(0), scratch)


# ---- scratch by declaration ----------------------------------------------------------------------
def array(*shape: str | int) -> Any:
    """The type of a field of a scratch: an array whose sizes are numbers, `m`, the rows of the
    state, or integer fields of the method.
    """
    return Annotated[np.ndarray, shape]


def zero_scratch(kind: type, sizes: Mapping[str, int], **given: Any) -> Any:
    """Zeros in the shapes that the fields of a scratch declare; a field may be given, or be a
    scratch itself.
    """

    def zeros(name: str, declared: Any) -> Any:
        if name in given:
            return given[name]
        shape = getattr(declared, "__metadata__", (None,))[0]
        if shape is None:
            return zero_scratch(declared, sizes)
        return np.zeros([sizes.get(size, size) for size in shape])

    return kind(*(zeros(*declared) for declared in kind.__annotations__.items()))


def state_with(kind: type) -> Callable[[np.ndarray, Any], State]:
    """What makes the first state of a method whose scratch is of this type."""

    def initial_state(y: np.ndarray, method: Any) -> State:
        return new_state(y, zero_scratch(kind, {"m": len(y), **method._asdict()}))

    return initial_state


@inlined
def add_increment(state, increment, work_done):
    """y⁺ = y + increment, and the work of dampers and loads, as compensated sums."""
    for i in range(state.y.shape[0]):
        accumulate(state.y, state.compensation, i, load(increment, i))
    accumulate(state.work, state.work_compensation, 0, work_done)
