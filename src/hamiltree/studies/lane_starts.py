"""Members that will run in lanes at their starts: states, numbers of tables, natural sizes.

Where only start values vary, all begin at once. Where tables vary, each has an assembly of its own;
the tables of trees are made for all at once, and compared with those of one by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import HamiltreeError
from hamiltree.formulations.batch import momenta_of_states, rates_of_states
from hamiltree.formulations.filled_tables import numbers_of, rest_of
from hamiltree.formulations.initial_states import coordinate_rates
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree, evaluate_inertia_losses
from hamiltree.formulations.tree.many_trees import assemble_trees
from hamiltree.formulations.tree.regularity import LARGEST_INERTIA_LOSS
from hamiltree.integrators.ensemble import Members, new_members
from hamiltree.run.equations import equations_of

if TYPE_CHECKING:
    from hamiltree.studies.lanes import LaneRuns

TREES = 256  # whose tables are made at once
Result = TypeVar("Result")


class Unfit(Exception):
    """Members that cannot run in lanes after all."""


class Beginning(NamedTuple):
    """A member at its start."""

    y: np.ndarray
    numbers: np.ndarray  # of its tables, if they vary
    scales: np.ndarray  # natural sizes of its rows, if they are not all one
    natural_rates: np.ndarray  # (2,)
    assembly: Any


class Started(NamedTuple):
    """What a member begins with."""

    equations: Any
    start: Any
    assembly: Any


# what keeps a member from beginning in a lane: it runs alone, which says why
FAILURES = (HamiltreeError, Unfit, ArithmeticError, ValueError, np.linalg.LinAlgError)


def attempt(function: Callable[..., Result], *arguments: Any) -> Result | None:
    """What a function gives; None where it fails."""
    try:
        return function(*arguments)
    except FAILURES:
        return None


class LaneStarts:
    """Begins the members of a LaneRuns."""

    def __init__(self, runs: LaneRuns):
        self.runs = runs
        self.inertia: Any = None  # what finds the inertia that joints move

    # ---- one member ------------------------------------------------------------------------------
    def equations_of(self, problem: Any) -> Any:
        """Of the problem with the numbers of a member."""
        if problem is self.runs.equations.problem:
            return self.runs.equations
        equations = self.runs.equations
        follows = getattr(equations, "follows_orbits", False)
        return equations_of(problem, equations.formulation, equations.options, follows)

    def start_member(self, member: int) -> Started:
        """Equations, start and assembly of a member; Unfit where it is seen from moving
        origins.
        """
        case = self.runs.definition.case(member)
        start = self.runs.definition.start_of(case, self.runs.plan)
        equations = self.equations_of(case.problem)
        made = equations.assembly_at(start)
        if getattr(made, "origins", ()) or getattr(made, "orbiting_origin", None) is not None:
            raise Unfit("free bodies are seen from moving origins")
        return Started(equations, start, made)

    def system_of(self, member: int) -> Any:
        equations, _, assembly = self.start_member(member)
        return equations.system_of(assembly)

    def begin(self, started: Started, system: Any) -> Beginning:
        """A member at its start, with its System, if it has one of its own."""
        runs, numbers, scales = self.runs, np.zeros(0), np.zeros(0)
        equations, start, assembly = started
        if runs.filled is None:
            equations.check_start(assembly, system)
        else:
            if rest_of(system, runs.laws) != runs.rest:
                raise Unfit("more than numbers of tables differs")
            numbers = numbers_of(system, runs.laws)
            runs.filled.put(numbers)
            self.check_inertia(assembly.q)
        if runs.has_scales:
            scales = equations.row_scales(system, assembly)
        y = equations.state_of(runs.system, assembly, runs.observer.pointer, start)
        return Beginning(y, numbers, scales, self.natural_rates(equations), assembly)

    def natural_rates(self, equations: Any) -> np.ndarray:
        """(2,) which changes of implicit stages at rest are compared with."""
        runs = self.runs
        return np.array(
            equations.natural_rates(runs.has_scales) if runs.is_compared else (0.0, 0.0)
        )

    # ---- tables of several members ---------------------------------------------------------------
    def systems_of(self, started: Sequence[Started | None]) -> Iterator[Any]:
        """Of members that have started, None of others and of those that cannot be assembled."""
        good = [each for each in started if each is not None]
        if self.runs.filled is None:
            made: Any = [self.runs.system] * len(good)
        else:
            made = attempt(self.assemble_together, good) if self.are_trees and good else None
        rest = iter(made or [attempt(each.equations.system_of, each.assembly) for each in good])
        return (None if each is None else next(rest) for each in started)

    @property
    def are_trees(self) -> bool:
        """Whether the tables of several members can be made at once."""
        return isinstance(self.runs.system, HamiltonianTree) and not self.runs.equations.options

    def assemble_together(self, started: Sequence[Started]) -> list[HamiltonianTree]:
        """Tables of several trees at once; Unfit if the last is not the one that it is alone."""
        found = assemble_trees([each.assembly.model for each in started])
        last, laws = started[-1], self.runs.laws
        alone = last.equations.system_of(last.assembly)
        is_same = rest_of(alone, laws) == rest_of(found[-1], laws)
        if not (is_same and np.array_equal(numbers_of(alone, laws), numbers_of(found[-1], laws))):
            raise Unfit("trees have other tables when they are assembled together")
        return found

    def check_inertia(self, q: np.ndarray) -> None:
        """A joint that moves next to no inertia is left to a run of its own, which names it."""
        system = self.runs.filled.system  # type: ignore[union-attr]
        if not self.are_trees:
            return
        if self.inertia is None:
            work = self.runs.equations.formulation.workspace(system, 1)
            losses = np.zeros(len(system.parent))
            self.inertia = StructPointer(system, work), np.zeros(sum(system.layout)), losses
        pointer, y, losses = self.inertia
        y[: len(q)] = q
        evaluate_inertia_losses(pointer, y, losses)
        if not (losses < 0.5 * LARGEST_INERTIA_LOSS).all():
            raise Unfit("a joint moves next to no inertia")

    # ---- starts ----------------------------------------------------------------------------------
    def first_states(self, first: int, last: int, is_bad: np.ndarray) -> np.ndarray:
        """(members, m) of members of which only start values vary."""
        parts = self.start_values(first, last)
        if self.runs.is_typed:
            return np.hstack(list(parts.values()))
        q, qdot = parts["q"], parts["qdot"]
        n, model = self.runs.system.layout.positions, self.runs.equations.problem
        states = np.zeros((last - first, sum(self.runs.system.layout)))
        slopes = np.zeros_like(states)
        states[:, :n] = q
        for k in range(len(q)) if q.shape[1] != qdot.shape[1] else ():
            slopes[k, :n] = coordinate_rates(model, q[k], qdot[k])
        if q.shape[1] == qdot.shape[1]:
            slopes[:, :n] = qdot
        scratch = (rows(float, states.shape[1], WIDTH) for _ in range(2))
        momenta_of_states(
            self.runs.observer.pointer, self.runs.plan.begin, states, slopes, *scratch
        )
        states[:, n:] = self.with_given_momenta(states[:, n:], first, last)
        self.check_states(states, is_bad)
        return states

    def varied(self, group: str) -> list[tuple[str, Any]]:
        """Names and targets of start values of one group that vary."""
        found = self.runs.targets.items()
        return [(name, target) for name, target in found if target and target.group == group]

    def with_given_momenta(self, own: np.ndarray, first: int, last: int) -> np.ndarray:
        """Momenta that are given to all members, then those that vary; the rest as they are."""
        given, names = self.runs.definition.start.get("p"), self.runs.equations.problem.coordinates
        if given is not None:
            made = self.runs.equations.momenta_from(given, own[0])
            named = (
                [names.index(name) for name in given] if isinstance(given, Mapping) else slice(None)
            )
            own[:, named] = made[named]
        for name, target in self.varied("p"):
            own[:, names.index(target.key)] = self.runs.definition.design.columns[name][first:last]
        return own

    def parameter_values(self, first: int, last: int) -> np.ndarray:
        """(members, K) parameters of what was typed in, if they vary."""
        if not self.runs.has_tables:
            return np.zeros((last - first, 0))
        parameters = self.runs.equations.problem.parameters
        found = np.tile(np.array(list(parameters.values())), (last - first, 1))
        for name, target in self.runs.definition.by_kind["parameter"]:
            column = self.runs.definition.design.columns[name][first:last]
            found[:, list(parameters).index(target.key)] = column
        return found

    def start_values(self, first: int, last: int) -> dict[str, np.ndarray]:
        """q and qdot, q and p, or y of all members: what varies in its column."""
        problem, given, assembly = self.runs.equations.problem, self.runs.start, self.runs.assembly
        if not self.runs.is_typed:
            base = {"q": assembly.q, "qdot": assembly.speeds}
            labels = {"q": problem.coordinates, "qdot": problem.speeds}
        elif given.y is not None or not hasattr(problem, "momenta"):
            base, labels = {"y": assembly.q}, {"y": problem.rows}
        else:
            base = {"q": assembly.q, "p": assembly.p}
            labels = {"q": problem.coordinates, "p": problem.momenta}
        found = {name: np.tile(values, (last - first, 1)) for name, values in base.items()}
        for group, names in labels.items():
            for name, target in self.varied(group):
                column = self.runs.definition.design.columns[name][first:last]
                found[group][:, list(names).index(target.key)] = column
        return found

    def check_states(self, states: np.ndarray, is_bad: np.ndarray) -> None:
        """A start where the mass matrix is nearly singular is left to a run of its own."""
        if self.runs.checking is None:
            return
        n = self.runs.system.layout.positions
        parts = [np.ascontiguousarray(part) for part in (states[:, :n], states[:, n:])]
        slopes = [np.empty_like(part) for part in parts]
        rates_of_states(self.runs.checking, *parts, *slopes)
        is_bad |= ~(np.isfinite(slopes[0]).all(axis=1) & np.isfinite(slopes[1]).all(axis=1))

    def begin_members(
        self, first: int, last: int, is_bad: np.ndarray, assemblies: list[Any]
    ) -> Members:
        """Members with assemblies of their own; in the place of one that cannot begin stands the
        first member.
        """
        found: list[Beginning] = []
        for begin in range(first, last, TREES):
            members = range(begin, min(begin + TREES, last))
            started = [attempt(self.start_member, member) for member in members]
            for each, system in zip(started, self.systems_of(started), strict=True):
                made = None if system is None else attempt(self.begin, each, system)
                is_bad[len(found)] = made is None
                found.append(made or self.stand_in())
        assemblies += [each.assembly for each in found]
        y, numbers, scales, rates = (
            np.array([each[k] for each in found]).reshape(len(found), -1) for k in range(4)
        )
        return new_members(y, numbers, scales, rates, self.runs.method.carried)

    def stand_in(self) -> Beginning:
        """State and numbers that do no harm: their results are not used."""
        runs = self.runs
        numbers = np.zeros(0) if runs.filled is None else numbers_of(runs.system, runs.laws)
        length = sum(runs.system.layout)
        scales = np.ones(length if runs.has_scales else 0)
        rates = self.natural_rates(runs.equations)
        return Beginning(np.zeros(length), numbers, scales, rates, runs.assembly)
