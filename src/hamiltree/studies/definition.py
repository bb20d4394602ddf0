"""A study before it runs: the problem, what varies, what is kept, and the settings of its runs, all
checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model import Model
from hamiltree.model.model_state import state_from
from hamiltree.problems.events import Event, compile_events, events_from
from hamiltree.problems.numbers import TEXTS, Target, find_target, with_numbers
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.plan import Plan, Setup, make_plan, set_up
from hamiltree.run.settings import inputs_from
from hamiltree.run.start import Start
from hamiltree.studies.design import Design
from hamiltree.studies.keeping import KeepPlan, make_keep_plan, observables_of

DEFAULT_SAMPLES = 100  # samples of a member that are kept, unless save_every says otherwise
START_GROUPS = ("q", "qdot", "p", "y")
# Settings that change the times of samples, and so cannot vary where samples are kept.
TIMES = ("step", "until", "t", "save_every")


class Case(NamedTuple):
    """One member: a problem, a method and a run."""

    problem: Any
    method: tuple[Any, ...]  # step, formulation, integrator
    options: dict[str, Any]
    run: dict[str, Any]  # until, t, save_every
    start: dict[str, Any]  # q, qdot, p, y
    inputs: dict[str, Any]
    is_changed: bool  # the problem is this member's own


@dataclass
class Definition:
    """Of a whole study."""

    problem: Any
    design: Design
    settings: dict[str, Any]  # until, step, integrator, formulation, t, save_every, assemble
    start: dict[str, Any]  # of all members: q, qdot, p, y
    inputs: dict[str, Any]
    options: dict[str, Any]  # of formulation and integrator
    keep: Any
    events: tuple[Event, ...]
    about: dict[str, Any] = field(default_factory=dict)  # for the file: what was asked for

    def __post_init__(self) -> None:
        """Find what varies, and check methods, starts and what is kept, before anything runs."""
        columns = self.design.columns
        setups = self.setups = self.check_methods(columns)
        first = setups[0]
        options = [*first.integrator.options, *first.equations.formulation.options]
        inputs = list(first.equations.inputs.labels)
        self.targets = {name: find_target(self.problem, name, inputs, options) for name in columns}
        for name, target in self.targets.items():
            check_column(name, target, columns[name])
        self.check_starts()
        self.keep_plan = self.make_keep_plan(setups)
        if "samples" in self.keep_plan.whole:
            self.check_times(setups)
        case = self.case(0, has_numbers=False)
        plan = self.plan_of(case, first)
        self.sample_times = self.times_of(plan)
        if isinstance(self.problem, TypedProblem):
            first.equations.assembly_at(self.start_of(case, plan))  # a start value may be missing
        if self.events:
            compile_events(self.events, first.equations.names)  # refused before anything runs

    # ---- checks ----------------------------------------------------------------------------------
    def check_methods(self, columns: Mapping[str, np.ndarray]) -> list[Setup]:
        """A setup for each pair of formulation and integrator that occurs."""
        names = [columns.get(name, [self.settings.get(name)]) for name in TEXTS]
        integrators, formulations = ([*dict.fromkeys(each)] for each in names)
        step = self.settings.get("step")
        if "step" in columns:
            step = float(np.asarray(columns["step"], dtype=float)[0])
        return [
            set_up(self.problem, step, formulation, integrator, self.options)
            for formulation in formulations
            for integrator in integrators
        ]

    def make_keep_plan(self, setups: Sequence[Setup]) -> KeepPlan:
        """By the equations that have least to observe, so that all members have it."""
        every = [setup.equations for setup in setups]
        least = min(every, key=lambda equations: len(observables_of(equations).places))
        return make_keep_plan(least, self.keep, self.events)

    def check_starts(self) -> None:
        """Refuse a start that does not fit, or is given twice."""
        varied = {target.group for target in self.targets.values() if target.kind == "start"}
        given = {name for name in self.start if self.start[name] is not None}
        if isinstance(self.problem, Model):
            groups = {"q": self.problem.coordinates, "qdot": self.problem.speeds}
            for what, names in groups.items():
                state_from(self.problem, self.start.get(what), np.zeros(len(names)), what, names)
        if isinstance(self.problem, Model) and {"qdot", "p"} <= varied | given:
            raise OptionError("give qdot or p, not both: each follows from the other")
        for name in varied:
            if name in given and not isinstance(self.start[name], Mapping):
                raise OptionError(f"{name} varies, so give its other values by name: {name}={{…}}")
        self.check_starts_of_joints(given)

    def check_starts_of_joints(self, given: set[str]) -> None:
        """Refuse a start value that varies by its joint and is given, or varies, by its name."""
        for target in self.targets.values():
            is_start = target.kind == "part" and target.path in (("q",), ("qdot",))
            if not is_start or target.group != "joints":
                continue
            group, joint = target.path[0], self.problem.joints[target.key].name
            other = Target("start", group, joint) in self.targets.values()
            own = self.start.get(group) if group in given else {}
            if other or not isinstance(own, Mapping) or joint in own:
                raise OptionError(
                    f"joints.{joint}.{group} varies, and {group} of that joint is given too; vary "
                    f"{group}.{joint} alone"
                )

    def check_times(self, setups: Sequence[Setup]) -> None:
        """Samples of all members must be at the same times."""
        varied = next((name for name in TIMES if name in self.targets), None)
        if varied is not None:
            raise OptionError(
                f"keep: 'samples' of all members have the same times; {varied} varies"
            )
        own = next((each.integrator for each in setups if each.integrator.samples_at_steps), None)
        if own is not None:
            raise OptionError(
                f"keep: {own.name} chooses the times of its samples; leave out 'samples'"
            )

    # ---- members ---------------------------------------------------------------------------------
    @property
    def count(self) -> int:
        return self.design.count

    @cached_property
    def by_kind(self) -> dict[str, list[tuple[str, Target]]]:
        """Names and targets of what varies, by kind of target."""
        found: dict[str, list[tuple[str, Target]]] = {}
        for name, target in self.targets.items():
            found.setdefault(target.kind, []).append((name, target))
        return found

    @property
    def changes_problem(self) -> bool:
        return any(kind in self.by_kind for kind in ("part", "gravity", "parameter"))

    def value(self, name: str, member: int) -> Any:
        value = self.design.columns[name][member]
        return value.item() if isinstance(value, np.generic) else value

    def case(self, member: int, has_numbers: bool = True) -> Case:
        """One member with its own numbers; without those of the problem where they may be wrong
        and only the settings are asked for.
        """
        changes = {
            target: self.value(name, member)
            for kind in ("part", "gravity", "parameter")
            for name, target in self.by_kind.get(kind, ())
        }
        settings, options, inputs = dict(self.settings), dict(self.options), dict(self.inputs)
        start = {name: self.start.get(name) for name in START_GROUPS}
        for name, target in self.by_kind.get("setting", ()):
            settings[target.key] = self.value(name, member)
        for name, target in self.by_kind.get("option", ()):
            options[target.key] = self.value(name, member)
        for name, target in self.by_kind.get("input", ()):
            inputs[target.key] = self.value(name, member)
        for name, target in self.by_kind.get("start", ()):
            own = {**(start[target.group] or {}), target.key: self.value(name, member)}
            start[target.group] = own
        method = settings.get("step"), settings.get("formulation"), settings.get("integrator")
        run = {name: settings.get(name) for name in ("until", "t", "save_every")}
        problem = with_numbers(self.problem, changes) if has_numbers else self.problem
        return Case(problem, method, options, run, start, inputs, bool(changes))

    def plan_of(self, case: Case, setup: Setup) -> Plan:
        """What one member will do; only the end is sampled where nothing else is looked at."""
        run = case.run
        plan = make_plan(setup, run["until"], run["t"], 1, (None, self.events))
        every = run["save_every"]
        if every is not None:
            if isinstance(every, float) and every.is_integer():
                every = int(every)
            return make_plan(setup, run["until"], run["t"], every, (None, self.events))
        keep = self.keep_plan
        if keep.looks_at_every_step:
            return plan
        wanted = DEFAULT_SAMPLES if "samples" in keep.whole else 1
        return plan._replace(save_every=max(1, math.ceil(plan.steps / wanted)))

    def times_of(self, plan: Plan) -> np.ndarray:
        """The times of the samples of a run that goes to its end, as a run gives them."""
        steps = np.arange(0, plan.steps + 1, plan.save_every)
        times = plan.origin + steps * plan.step
        if plan.steps % plan.save_every == 0 and plan.rest == 0:
            times[-1] = plan.until
            return times
        return np.append(times, plan.until)

    def start_of(self, case: Case, plan: Plan) -> Start:
        """Where a member starts."""
        is_anchored = bool(plan.events) and plan.equations.is_fixed_in_space(plan.events)
        own = case.start
        assemble = self.settings.get("assemble")
        return Start(plan.begin, own["q"], own["qdot"], own["p"], assemble, is_anchored, own["y"])

    def inputs_of(self, case: Case, setup: Setup) -> np.ndarray:
        """What the inputs of a member are, all the time."""
        inputs = setup.equations.inputs
        if not inputs.labels:
            return inputs.values
        values = inputs_from(
            inputs, {k: v for k, v in case.inputs.items() if k in inputs.parts}, None
        )
        for label, value in case.inputs.items():
            if label in inputs.labels:
                values[inputs.labels.index(label)] = value
        setup.equations.check_inputs(values)
        return values


def check_column(name: str, target: Target, column: np.ndarray) -> None:
    """Numbers where numbers are needed, names where names are."""
    if target.kind == "setting" and target.key in TEXTS:
        if not all(isinstance(value, str) for value in column):
            raise OptionError(f"vary {name!r}: give names as texts")
        return
    if target.kind == "option":
        return
    if column.dtype != float or not np.isfinite(column).all():
        bad = next(
            value
            for value in column.tolist()
            if isinstance(value, (str, bool)) or not is_finite(value)
        )
        raise OptionError(f"vary {name!r}: {bad!r} is no finite number")


def is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value)
    except TypeError:
        return False


def events_of(given: Any) -> tuple[Event, ...]:
    return () if given is None else events_from(given)
