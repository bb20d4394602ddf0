"""What is kept of each member: which variables of the result, of what dimensions, from what.

end                   state and energies at the end
samples               state and energies at every sample
energy_error, constraint_error, verdict, events      of the whole run
max(elbow)            a reduction of a formula, or of a whole group: max(q)
Reduction(…)          a user's own
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.user_code import code_table
from hamiltree.errors import OptionError, suggest
from hamiltree.integrators.event_monitor import evaluate_samples
from hamiltree.problems.events import Event, formula_names
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.run.equations import Equations, ModelEquations
from hamiltree.studies.reductions import LAST, REDUCTIONS, CompiledUpdate, Reduction
from hamiltree.symbolic.calculus import compile_expressions
from hamiltree.symbolic.grammar import TIME, parse, parse_conditions

WHOLE = ("end", "samples", "energy_error", "constraint_error", "verdict", "events")
ONE_NUMBER = ("energy_error", "constraint_error", "verdict")  # the others keep several variables
DEFAULT = ("end", "energy_error")
CALL = re.compile(r"\s*(\w+)\s*\((.*)\)\s*", re.DOTALL)
PLAIN_NAME = re.compile(r"\w+")


class Place(NamedTuple):
    """Where a number stands in what is observed."""

    variable: str
    row: int | None


class Output(NamedTuple):
    """A variable of the result; its dimensions come after `member`."""

    dimensions: tuple[str, ...]
    is_text: bool = False


@dataclass(frozen=True)
class Observables:
    """What a motion in a formulation can be asked for, by the names of formulas."""

    places: dict[str, Place]
    groups: dict[str, str]  # q, p, … and their dimension; "" of single numbers
    labels: dict[str, list[str]]  # of the dimensions
    parameters: tuple[str, ...]

    @property
    def known(self) -> tuple[str, ...]:
        return (*self.places, *self.parameters, TIME)


def observables_of(equations: Equations) -> Observables:
    """Names and groups of a problem in a formulation."""
    problem = equations.problem
    rows: dict[str, tuple[str, Sequence[str]]]
    if isinstance(equations, ModelEquations):
        names = formula_names(problem.coordinates)
        rows = {"q": ("coordinate", names), "qdot": ("coordinate", [f"{x}_dot" for x in names])}
        if equations.formulation.has_momenta:
            rows["p"] = ("coordinate", [f"p_{x}" for x in names])
        labels = {"coordinate": list(problem.coordinates)}
        singles = ("energy", "kinetic_energy", "potential_energy", "work")
    elif isinstance(problem, Ode):
        rates = [f"{x}_dot" for x in problem.rows]
        rows = {"y": ("variable", problem.rows), "ydot": ("variable", rates)}
        labels, singles = {"variable": list(problem.rows)}, ()
    else:
        assert isinstance(problem, Hamiltonian)
        rows = {"q": ("coordinate", problem.coordinates), "p": ("momentum", problem.momenta)}
        rows["qdot"] = ("coordinate", [f"{x}_dot" for x in problem.coordinates])
        rows["pdot"] = ("momentum", [f"{x}_dot" for x in problem.momenta])
        labels = {"coordinate": list(problem.coordinates), "momentum": list(problem.momenta)}
        singles = ("energy", "work")
    places = {
        name: Place(group, k) for group, (_, own) in rows.items() for k, name in enumerate(own)
    }
    # a coordinate that is called as one of the energies is meant
    places = {name: Place(name, None) for name in singles} | places
    groups = {group: dimension for group, (dimension, _) in rows.items()}
    return Observables(
        places,
        groups | dict.fromkeys(singles, ""),
        labels,
        tuple(getattr(problem, "parameters", ())),
    )


class Column(NamedTuple):
    """A number that is reduced: a place, or a formula."""

    place: Place | None
    formula: Any = None


@dataclass
class KeepPlan:
    """What is kept, checked against the equations."""

    observables: Observables
    whole: tuple[str, ...]
    has_energy: bool
    events: tuple[Event, ...] = ()
    named: dict[str, str] = field(default_factory=dict)  # word of ONE_NUMBER → its variable
    columns: list[Column] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)  # of the reduction of each column
    # variable → its columns, and its dimension ("" of one number)
    reduced: dict[str, tuple[slice, str]] = field(default_factory=dict)
    own: list[CompiledUpdate] = field(default_factory=list)
    own_columns: list[list[Column]] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)  # variable → what was asked for

    # ---- what was asked for ----------------------------------------------------------------------
    def add_whole(self, name: str, word: str) -> None:
        """What is kept by one word; a name is given to what is one variable."""
        if word in self.texts.values():
            raise OptionError(f"keep: {word!r} is there twice; leave one out")
        if word not in ONE_NUMBER and name != word:
            raise OptionError(
                f"keep: {word!r} keeps several variables, which have names of their own; write "
                f"{word!r}: {word!r} in the place of {name!r}: {word!r}"
            )
        self.take_name(name, word)
        if word in ONE_NUMBER:
            self.named[word] = name

    def add(self, name: str, text: Any) -> None:
        """One more variable."""
        if isinstance(text, Reduction):
            self.take_name(text.name, "Reduction")
            self.own.append(CompiledUpdate(text))
            self.own_columns.append([self.column_of(formula, False) for formula in text.of])
            return
        called = CALL.fullmatch(text) if isinstance(text, str) else None
        if called is None or called[1] not in REDUCTIONS:
            known = [*WHOLE, *(f"{word}(…)" for word in REDUCTIONS)]
            word = called[1] + "(…)" if called else text
            raise OptionError(f"keep: {text!r} is unknown; {suggest(word, known)}")
        self.take_name(name, text)
        kind, argument = REDUCTIONS[called[1]][0], called[2].strip()
        first = len(self.columns)
        dimension = self.observables.groups.get(argument, "")
        if dimension:
            count = len(self.observables.labels[dimension])
            self.columns += [Column(Place(argument, k)) for k in range(count)]
        else:
            self.columns.append(self.column_of(argument, called[1] in ("first", "count")))
        self.kinds += [kind] * (len(self.columns) - first)
        self.reduced[name] = slice(first, len(self.columns)), dimension

    def take_name(self, name: str, text: str) -> None:
        """A variable has a name that a file can hold, and that no other has."""
        if "/" in name:
            raise OptionError(
                f"keep: {name!r} cannot be the name of a variable in a file, because of its /; "
                "name it: keep={'ratio': …}"
            )
        if name in self.texts:
            raise OptionError(f"keep: {name!r} is there twice; give each a name of its own")
        self.texts[name] = text

    def column_of(self, text: str, is_passage: bool) -> Column:
        """A name, or a formula; a > b of a passage is a − b."""
        if text in self.observables.places:
            return Column(self.observables.places[text])
        what = f"keep {text!r}"
        known = self.observables.known
        if is_passage and ("<" in text or ">" in text):
            found = parse_conditions(text, known, what)
            if len(found) != 1:
                raise OptionError(f"{what}: give one comparison; there are {len(found)}")
            return Column(None, found[0])
        return Column(None, parse(text, known, what))

    @property
    def looks_at_every_step(self) -> bool:
        """Whether more is kept than samples and what is at the end."""
        every = set(ONE_NUMBER) & set(self.whole)
        return bool(every or self.own or set(self.kinds) - {LAST})

    @property
    def needs_trajectory(self) -> bool:
        return "verdict" in self.whole

    # ---- variables of the result -----------------------------------------------------------------
    @cached_property
    def state_groups(self) -> list[str]:
        """The parts of a state, and energies, that `end` and `samples` keep."""
        groups = self.observables.groups
        first = [name for name in ("q", "p", "y") if name in groups]
        if "p" not in first and "q" in first:
            first.append("qdot")
        return first + [name for name in groups if not groups[name]]

    def several_outputs(self) -> dict[str, Output]:
        """Variables of a word that keeps several: end, samples, events."""
        found: dict[str, Output] = {}
        groups = self.observables.groups
        if "end" in self.whole:
            found["t_end"] = Output(())
            for name in self.state_groups:
                found[f"{name}_end"] = Output((groups[name],) if groups[name] else ())
        if "samples" in self.whole:
            for name in self.state_groups:
                found[name] = Output(("time", *((groups[name],) if groups[name] else ())))
        if "events" in self.whole:
            found |= {"event_count": Output(("event",)), "event_first": Output(("event",))}
        return found

    def outputs(self) -> dict[str, Output]:
        """All variables of the result but the parameters and the status, in the order in which they
        were asked for after what keeps several.
        """
        found: dict[str, Output] = {}
        for word, name in self.named.items():
            found[name] = Output((), is_text=word == "verdict")
        for name, (_, dimension) in self.reduced.items():
            found[name] = Output((dimension,) if dimension else ())
        for each in self.own:
            name, size = each.reduction.name, len(each.reduction.initial)
            found[name] = Output((f"{name}_part",) if size > 1 else ())
        asked = {name: found[name] for name in self.texts if name in found}
        return self.several_outputs() | asked

    def sizes(self, times: int) -> dict[str, int]:
        """Lengths of the dimensions."""
        own = {f"{u.reduction.name}_part": len(u.reduction.initial) for u in self.own}
        labels = {name: len(values) for name, values in self.observables.labels.items()}
        return {"time": times, "event": len(self.events), **labels, **own}

    # ---- numbers of samples ----------------------------------------------------------------------
    @cached_property
    def formulas(self) -> list[Any]:
        """Of all columns, one after the other."""
        every = [*self.columns, *(column for own in self.own_columns for column in own)]
        return [column.formula for column in every if column.formula is not None]

    @cached_property
    def code(self) -> Any:
        """The formulas compiled: of places, then parameters."""
        inputs, parameters = tuple(self.observables.places), self.observables.parameters
        return code_table([compile_expressions((self.formulas,), inputs, parameters).code])

    def formula_values(self, chunk: Mapping[str, np.ndarray], parameters: np.ndarray) -> np.ndarray:
        """(samples, members, formulas) of what was observed; parameters (k,), or (members, k)."""
        shape = chunk["t"].shape
        if parameters.ndim == 2 and self.formulas:
            each = [
                self.formula_values({name: v[:, m : m + 1] for name, v in chunk.items()}, own)
                for m, own in enumerate(parameters)
            ]
            return np.concatenate(each, axis=1)
        if not self.formulas:
            return np.zeros((*shape, 0))
        inputs = [value_at(chunk, place) for place in self.observables.places.values()]
        states = np.stack([each.reshape(-1) for each in inputs], axis=1)
        count = len(self.formulas)
        out = np.zeros((len(states), count))
        width = states.shape[1]
        scratch = np.zeros(width), np.zeros(count), out, np.zeros(1 + width + count)
        numbers = parameters if len(parameters) else np.zeros(1)
        times = np.ascontiguousarray(chunk["t"]).reshape(-1)
        evaluate_samples(self.code, 0, numbers, times, states, *scratch)
        return out.reshape(*shape, count)


def value_at(chunk: Mapping[str, np.ndarray], place: Place) -> np.ndarray:
    """(samples, members) of one place."""
    values = chunk[place.variable]
    return values if place.row is None else values[..., place.row]


def make_keep_plan(equations: Equations, keep: Any, events: Sequence[Event]) -> KeepPlan:
    """Check what is to be kept; a mapping names the variables."""
    observables = observables_of(equations)
    given = list(DEFAULT[: 1 + equations.has_energy]) if keep is None else keep
    if isinstance(given, (str, Reduction)):
        given = [given]
    items = given.items() if isinstance(given, Mapping) else [(each, each) for each in given]
    asked = list(items)
    whole = tuple(text for _, text in asked if isinstance(text, str) and text in WHOLE)
    if events and "events" not in whole:
        whole = (*whole, "events")
    check_whole(whole, equations, events)
    plan = KeepPlan(observables, whole, equations.has_energy, tuple(events))
    for name, text in asked:
        if isinstance(text, str) and text in WHOLE:
            plan.add_whole(str(name), text)
        elif isinstance(text, Reduction) and isinstance(given, Mapping):
            plan.add(str(name), replace(text, name=str(name)))
        else:
            plan.add(str(name), text)
    check_own_names(plan)
    return plan


def check_own_names(plan: KeepPlan) -> None:
    """Refuse a name that a variable of `end`, `samples`, … has already."""
    own = [*plan.named.values(), *plan.reduced, *(each.reduction.name for each in plan.own)]
    wrong = next((name for name in own if name in plan.several_outputs()), None)
    if wrong is not None:
        words = " and ".join(f"{word!r}" for word in plan.whole)
        raise OptionError(
            f"keep: {wrong!r} is the name of a variable that {words} keeps; give another one: "
            f"keep={{'my_{wrong}': …}}"
        )


def check_whole(whole: Sequence[str], equations: Equations, events: Sequence[Event]) -> None:
    """Refuse what the equations do not have."""
    if "energy_error" in whole and not equations.has_energy:
        raise OptionError("keep: an ode has no energy, and so no 'energy_error'")
    has_residuals = isinstance(equations, ModelEquations) and equations.has_residuals
    if "constraint_error" in whole and not has_residuals:
        raise OptionError(
            f"keep: {equations.name} has no constraints, and so no 'constraint_error'"
        )
    if "events" in whole and not events:
        raise OptionError("keep: 'events' without events; give events=[…]")
