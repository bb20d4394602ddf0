"""(q̇, ṗ) at given states, without a run: for one state, or for many in one call."""

import weakref
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

import numpy as np

from hamiltree.algorithms.queries import check_states, refuse_singular_mass_matrix
from hamiltree.assembly.assembly import Assembly, assemble_at_start
from hamiltree.compiled.direct_calls import direct_rates, is_available, kernel_for
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import StructPointer, compile_for
from hamiltree.compiled.threads import Team
from hamiltree.errors import OptionError
from hamiltree.formulations import FORMULATIONS, phase_space
from hamiltree.formulations.batch import rates_of_state, rates_of_states
from hamiltree.formulations.formulation import ROWS, Formulation
from hamiltree.formulations.phase_space import PhaseStart
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree
from hamiltree.formulations.tree.regularity import with_inertia_bounds
from hamiltree.formulations.verb_pointers import indirect_rates
from hamiltree.model import Model
from hamiltree.model.many_parts import collect_garbage_later
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.run.choices import check_threads, imposes_constraints, require_formulation

Pair = tuple[np.ndarray, np.ndarray]


def evaluator(
    model: Model | Hamiltonian, formulation: str | None = None, threads: int = 1
) -> Callable[..., Pair]:
    """A model, or an H(q, p), bound to its compiled equations: `f(q, p)` gives (q̇, ṗ), arrays of
    the shapes of q and p; `f(q, p, out=(qdot, pdot))` writes them to these arrays and returns them.

    One state is (n,); k states are (k, n) and are computed four at a time. Numbers are in the order
    of model.coordinates; of another formulation than hamiltonian_tree, q and p are the two parts of
    its state (docs/formulations.md), and (q̇, ṗ) their rates.
    Threads may share it; they wait for each other. With `threads` above 1 that many compute the
    branches of one large tree at the same time, with the same bits.
    """
    binding = BoundEquations(model, formulation, threads)
    return fast_call(binding, model)  # kept: messages name its parts


# by the identity of the model: hashing a model looks at all of it
EVALUATORS: dict[int, Callable[..., Pair]] = {}


def evaluate(model: Model | Hamiltonian, q, p, out: Pair | None = None) -> Pair:
    """(q̇, ṗ) of a model at positions q and momenta p: (n,) for one state, (k, n) for k states; in
    the arrays of `out`, if it is given.

    A model is bound on first use.
    """
    try:
        found = EVALUATORS[id(model)]
    except KeyError:
        found = EVALUATORS[id(model)] = fast_call(BoundEquations(model, None))
        weakref.finalize(model, EVALUATORS.pop, id(model), None)
    return found(q, p) if out is None else found(q, p, out)


class BoundEquations:
    """A system, its workspace for one state and for four, and the checks of what is given to it."""

    def __init__(self, model: Model | Hamiltonian, formulation: str | None, threads: int = 1):
        """Assemble and compile; refused for equations that have constraints."""
        if not isinstance(model, (Model, Hamiltonian)):
            raise OptionError(
                f"a Model or a Hamiltonian is evaluated, not a {type(model).__name__}; read a file "
                "with hamiltree.load(path)"
            )
        chosen = formulation_of(model, formulation)
        if imposes_constraints(chosen):
            raise OptionError(
                f"formulation = {chosen.name!r}: its equations have constraints, which (q̇, ṗ) of "
                "a state leaves out; "
                "for accelerations and constraint forces ask ht.accelerations(model, q, qdot)"
            )
        threads = check_threads(threads, chosen, None)
        with collect_garbage_later():
            system = chosen.assemble(assembly_for(model, chosen))
        if isinstance(system, HamiltonianTree):
            system = with_inertia_bounds(system)
        check_windings(chosen, system)
        self.reference = weakref.ref(model)  # what is bound on first use goes with its model
        self.what = word_for_owners(model, chosen)
        self.formulation = chosen
        self.positions, self.momenta = system.layout
        self.make_team: Callable[..., Team] | None = None
        if threads > 1 and chosen.share is not None:
            system, self.make_team = chosen.share(model, system, threads)
        self.system = system
        self.workspace = chosen.workspace
        self.float_pointer, team = self.pointer(1)
        self.call = call_in_threads(compile_for(rates_of_state, *self.samples()), team)

    def samples(self) -> tuple[Any, ...]:
        """Arguments of the compiled function, for their types."""
        state = np.zeros(self.positions), np.zeros(self.momenta)
        return (self.float_pointer, *state, *state)

    def pointer(self, width: int) -> tuple[StructPointer, Team | None]:
        """(system, work, y, ydot), for floats or for lanes, and the threads that compute with it.
        For lanes the equations are compiled into the loop, which is faster for many states; for one
        state, and for several threads, an indirect call is.
        """
        length = self.positions + self.momenta
        work = self.workspace(self.system, width)
        team = None if self.make_team is None else self.make_team(work, width)
        is_indirect = width == 1 or team is not None
        parts = (
            indirect_rates(self.system, work, width, team) if is_indirect else (self.system, work)
        )
        arrays = rows(float, length, width), rows(float, length, width)
        return StructPointer(*parts, *arrays), team

    @property
    def model(self) -> Model | Hamiltonian:
        model = self.reference()
        assert model is not None
        return model

    @cached_property
    def names(self) -> dict[str, list[str]]:
        return row_names(self.model, self.formulation, self.system)

    @cached_property
    def call_in_lanes(self) -> Callable[..., None]:
        """Of (q, p, qdot, pdot), arrays with a row for each state."""
        pointer, team = self.pointer(WIDTH)
        return partial(call_in_threads(rates_of_states, team), pointer)

    def evaluate_state(self, q: np.ndarray, p: np.ndarray) -> Pair:
        """(q̇, ṗ) at one state; refused if a number is not finite."""
        qdot, pdot = np.empty(self.positions, float), np.empty(self.momenta, float)
        if not self.call(self.float_pointer, q, p, qdot, pdot):
            self.refuse(q, p, qdot, pdot)
        return qdot, pdot

    def evaluate_into(self, q: Any, p: Any, out: Any = None) -> Pair:
        """Whatever can be made into states, and arrays for the rates if they are given."""
        if out is None:
            return self.evaluate_states(q, p)
        pair = check_out(out)
        found = self.evaluate_states(q, p)
        for name, array, rates in zip(("qdot", "pdot"), pair, found, strict=True):
            if array.shape != rates.shape:
                raise OptionError(
                    f"out: {name} has shape {array.shape}; expected {rates.shape}, as {name[0]} has"
                )
        for array, rates in zip(pair, found, strict=True):
            array[...] = rates
        return pair

    def evaluate_states(self, q: Any, p: Any) -> Pair:
        """Whatever can be made into states; refused with the expected shape if it cannot."""
        q, p = self.check_states(q, "q", self.positions), self.check_states(p, "p", self.momenta)
        if q.ndim == p.ndim == 1:
            return self.evaluate_state(q, p)
        if q.ndim != p.ndim or len(q) != len(p):
            raise OptionError(
                f"q has shape {q.shape} and p has shape {p.shape}; give as many states of one as "
                "of the other"
            )
        qdot, pdot = np.empty_like(q), np.empty_like(p)
        self.call_in_lanes(q, p, qdot, pdot)
        if not (np.isfinite(qdot).all() and np.isfinite(pdot).all()):
            self.refuse(q, p, qdot, pdot)
        return qdot, pdot

    def check_states(self, values: Any, name: str, length: int) -> np.ndarray:
        return check_states(values, name, list(dict.fromkeys(self.names[name])), length)

    def refuse(self, q, p, qdot, pdot) -> None:
        """Say which number is not finite, or which joint moves no inertia."""
        self.refuse_first({"q": q, "p": p}, "")
        if isinstance(self.model, Model) and isinstance(self.system, HamiltonianTree):
            rates = np.atleast_2d(np.hstack([qdot, pdot]))
            first = int((~np.isfinite(rates).all(axis=1)).argmax())
            refuse_singular_mass_matrix(
                self.model, np.atleast_2d(q), first if q.ndim == 2 else None
            )
        found = {"the rate of q": qdot, "the rate of p": pdot}
        self.refuse_first(found, "; the mass matrix is singular there, or the rates overflow")

    def refuse_first(self, numbers: dict[str, np.ndarray], why: str) -> None:
        """Refuse the first number that is not finite."""
        for name, values in numbers.items():
            bad = np.argwhere(~np.isfinite(np.atleast_2d(values)))
            if len(bad):
                state = f" in state {bad[0][0]}" if values.ndim == 2 else ""
                raise OptionError(
                    f"{name} of {self.what}'{self.names[name[-1]][bad[0][1]]}' is not "
                    f"finite{state}{why}"
                )


def call_in_threads(kernel: Callable, team: Team | None) -> Callable:
    """A kernel, with helpers as long as it runs."""
    return kernel if team is None else partial(team.call, kernel)


def formulation_of(model: Model | Hamiltonian, name: str | None) -> Formulation:
    """That of an H(q, p); of a model the one that is named, or the first of the catalogue."""
    if isinstance(model, Hamiltonian):
        return phase_space.formulation_of(model)
    return next(iter(FORMULATIONS.values())) if name is None else require_formulation(model, name)


def assembly_for(model: Model | Hamiltonian, formulation: Formulation) -> Assembly | PhaseStart:
    """Any start will do; loops are closed at the model's own, and elsewhere a start may be singular
    where other positions are not.
    """
    if isinstance(model, Hamiltonian):
        return PhaseStart(model)
    generic = np.random.default_rng(0).normal(size=len(model.coordinates))
    return (
        assemble_at_start(model)
        if ROWS in formulation.supports
        else assemble_at_start(model, generic)
    )


def check_windings(formulation: Formulation, system: Any) -> None:
    """Angles of laws and couplings count their turns from state to state where positions do not
    hold them: no state alone tells them.
    """
    counts = system.facts.rows_count_windings or system.facts.laws_count_windings
    if counts and not formulation.has_coordinates:
        raise OptionError(
            f"formulation = {formulation.name!r}: forces along joints and couplings count the "
            "turns of angles from state to state; "
            "evaluate by hamiltonian_tree or kane_relative, or simulate"
        )


def word_for_owners(model: Model | Hamiltonian, formulation: Formulation) -> str:
    """The word before the name of a row in messages."""
    if isinstance(model, Hamiltonian):
        return ""
    return "joint " if formulation.has_coordinates else "body "


def row_names(
    model: Model | Hamiltonian, formulation: Formulation, system: Any
) -> dict[str, list[str]]:
    """What each row of the two parts of a state belongs to."""
    positions, momenta = system.layout
    owners = [formulation.owner(system, model, row) for row in range(positions + momenta)]
    return {"q": owners[:positions], "p": owners[positions:]}


def check_out(out: Any) -> Pair:
    """A pair of arrays that rates can be written to."""
    is_pair = isinstance(out, (tuple, list)) and len(out) == 2
    if not is_pair or not all(
        isinstance(array, np.ndarray) and array.dtype == float and array.flags.writeable
        for array in out
    ):
        raise OptionError("out must be a pair of arrays of floats that can be written to")
    if np.shares_memory(out[0], out[1]):
        raise OptionError(
            "out: the arrays for qdot and pdot share memory, so that one would overwrite the "
            "other; give each its own"
        )
    return out if isinstance(out, tuple) else (out[0], out[1])


DOCUMENTATION = """evaluate_state(q, p, out=None)
--

(q̇, ṗ) at positions q and momenta p: (n,) for one state, (k, n) for k states; in the arrays of
`out`, if it is given."""


def fast_call(binding: BoundEquations, *kept: Any) -> Callable[..., Pair]:
    """The shortest way for one state in two ready arrays (a microsecond counts here); everything
    else goes through the checks. `kept` lives as long as the function.
    """
    if not is_available() or binding.make_team is not None:
        return python_call(binding, *kept)
    kernel = kernel_for(rates_of_state, *binding.samples())
    layout = binding.positions, binding.momenta

    def evaluate_state(q: Any, p: Any, out: Any = None) -> Pair:
        return binding.evaluate_into(q, p, out)

    checked = under_its_own_name(evaluate_state)
    return direct_rates("evaluate_state", DOCUMENTATION, checked, kernel, layout, *kept)


def under_its_own_name(function: Any) -> Callable[..., Pair]:
    """Without the name of what has made it, which Python's messages would show."""
    function.__qualname__ = function.__name__
    return function


def python_call(binding: BoundEquations, *kept: Any) -> Callable[..., Pair]:
    """The same where calls cannot be direct."""
    call = binding.call
    pointer = binding.float_pointer
    evaluate_into = binding.evaluate_into
    positions, momenta = binding.positions, binding.momenta
    q_shape, p_shape = (positions,), (momenta,)
    empty = np.empty
    number = np.dtype(float)
    packed = (8,)

    def evaluate_state(q: Any, p: Any, out: Any = None) -> Pair:
        """(q̇, ṗ); through the checks where q or p is no ready array or a rate is not finite."""
        try:
            if (
                out is None
                and (q.shape == q_shape and p.shape == p_shape)
                and (q.dtype is number and p.dtype is number)
                and (q.strides == packed and p.strides == packed)
                and call(pointer, q, p, qdot := empty(positions), pdot := empty(momenta))
            ):
                return qdot, pdot
        except AttributeError:
            pass
        return evaluate_into(q, p, out)

    evaluate_state.kept = kept  # type: ignore[attr-defined]
    return under_its_own_name(evaluate_state)
