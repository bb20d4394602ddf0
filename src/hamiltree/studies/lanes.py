"""Members four side by side in lanes, for many steps in one compiled call.

Where only start values vary, a whole batch begins and is observed at once. Where tables vary, or
bodies fly free, each member is assembled and observed by itself; its steps are taken in lanes all
the same.
Whatever goes wrong with a member, it runs once more alone, which says why.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import CompileError, HamiltreeError
from hamiltree.formulations.filled_tables import (
    FilledSystem,
    differing_laws,
    filled_system,
    lane_parameters,
    rest_of,
)
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree
from hamiltree.formulations.tree.regularity import with_inertia_bounds
from hamiltree.formulations.verb_pointers import indirect, lane_pointer
from hamiltree.integrators.ensemble import (
    LaneMethod,
    Members,
    Tables,
    advance_members,
    advance_one_by_one,
    new_members,
    state_of_members,
)
from hamiltree.model.pair_force import PairForce
from hamiltree.model.pose_potential import PosePotential
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.loop import next_chunk
from hamiltree.run.plan import Plan
from hamiltree.run.workspaces import keeps_law_state
from hamiltree.studies.alone import COMPLETE, Stop, with_energy
from hamiltree.studies.definition import Definition
from hamiltree.studies.keeper import Keeper
from hamiltree.studies.lane_events import LaneEvents
from hamiltree.studies.lane_plan import lane_method_of, obstacle_of_system, start_target
from hamiltree.studies.lane_starts import LaneStarts, Unfit
from hamiltree.studies.stopwatch import Stopwatch

BATCH_NUMBERS = 2**20  # the most numbers of samples of one compiled call
MOST_MEMBERS = 4096  # of one batch
FIRST_NUMBERS = 2**18  # of states, times steps of the first call: nothing is known of their speed
GROWTH = 4  # as much longer a chunk may be than the last one
PROBES = 8  # members whose tables are compared, to see which laws differ

Row = tuple[dict[str, np.ndarray], str]


class LaneRuns:
    """Runs batches of members in one thread."""

    def __init__(self, definition: Definition, stopwatch: Stopwatch, stop: Stop):
        """The System of the first member, workspaces, and what observes; Unfit where lanes do not
        do.
        """
        self.definition = definition
        self.stopwatch = stopwatch
        self.stop = stop
        self.setup = definition.setups[0]
        self.equations: Any = self.setup.equations
        case = definition.case(0)
        self.plan: Plan = definition.plan_of(case, self.setup)
        self.targets = {
            name: start_target(self.equations, target)
            for name, target in definition.targets.items()
        }
        self.has_tables = any(target is None for target in self.targets.values())
        self.method: LaneMethod = lane_method_of(self.plan)  # type: ignore[assignment]
        self.is_compared = self.setup.integrator.compares_rows
        self.has_scales = self.is_compared and not self.equations.has_one_unit
        self.start = definition.start_of(case, self.plan)
        self.starts = LaneStarts(self)
        _, _, self.assembly = self.starts.start_member(0)
        self.system: Any = self.equations.system_of(self.assembly)
        if obstacle_of_system(self.system):
            raise Unfit(obstacle_of_system(self.system))
        # steps of all groups of lanes that one call may take: some hundredths of a second at first
        self.chunk = max(1, FIRST_NUMBERS // max(1, sum(self.system.layout)))
        self.is_typed = isinstance(self.equations.problem, TypedProblem)
        self.laws: frozenset = frozenset()
        self.filled: FilledSystem | None = None
        if self.has_tables:
            self.fill_tables()
        try:
            self.build(WIDTH)
        except CompileError:
            if self.is_typed or not self.has_tables:
                raise
            if self.method.carried:
                raise Unfit("a law needs its numbers one by one") from None
            self.build(1)  # a law that needs its numbers one by one

    # ---- what runs -------------------------------------------------------------------------------
    def fill_tables(self) -> None:
        """The System with tables that are filled for each member; which laws differ is seen from
        some members.
        """
        if self.is_typed:
            if self.system.code.targets[0].lanes is None:
                raise Unfit("Python functions know no lanes")
            self.filled = lane_parameters(self.system)
            return
        if len(getattr(self.system, "follower", ())):
            raise Unfit("coupled joints share inertia")
        probes, count = [self.system], self.definition.count
        for member in range(1, count, max(1, count // PROBES)):
            try:
                probes.append(self.starts.system_of(member))
            except (HamiltreeError, Unfit):
                continue
        self.laws = differing_laws(probes)
        self.rest = rest_of(self.system, self.laws)
        self.filled = filled_system(self.system, self.laws, 1)

    def stepped_system(self) -> FilledSystem:
        """The System whose steps are taken: tables that differ are of lanes."""
        if self.filled is None:
            return FilledSystem(self.system, np.zeros((0, WIDTH)))
        if self.is_typed or self.width == 1:
            return self.filled
        return filled_system(self.system, self.laws, WIDTH)

    def build(self, width: int) -> None:
        """Workspaces, addresses of verbs, the observer, and the state of the method, for so many
        members side by side.
        """
        method, formulation = self.setup.integrator, self.equations.formulation
        self.width = width
        system, numbers = self.stepped_system()
        work = formulation.workspace(system, WIDTH)
        single = formulation.workspace(self.system, 1)
        if keeps_law_state((work, single)):
            raise Unfit("a law keeps lists of neighbours")
        who = f"{method.name} with {formulation.name}"
        if self.width > 1:
            self.handle = lane_pointer(system, work, single, method.needs, who)
        else:
            self.handle = indirect(system, single, single, method.needs, 1, False, who)
        self.state = state_of_members(self.method, sum(system.layout), self.width)
        self.tables = Tables(numbers)
        observed = self.system
        if self.filled is not None and not self.is_typed:
            observed = self.filled.system  # of floats
        self.observer = self.equations.observer(observed, work, single)
        self.observer.begin(self.assembly, None)
        self.work = work
        self.events: LaneEvents | None = None
        if self.plan.monitored_events:
            if self.width == 1 or self.method.carried:
                raise Unfit("events are looked for one by one")
            floats = np.zeros(0) if self.filled is None else self.filled.numbers
            if self.is_typed and self.has_tables:
                floats = np.asarray(self.system.parameters)
            self.events = LaneEvents(self, observed, single, floats)
        is_checked = isinstance(self.system, HamiltonianTree) and not self.has_tables
        self.checking = self.pointer_to_check() if is_checked else None

    def pointer_to_check(self) -> StructPointer:
        """For rates at starts that tell where the mass matrix is singular."""
        length = sum(self.system.layout)
        arrays = rows(float, length, WIDTH), rows(float, length, WIDTH)
        return StructPointer(with_inertia_bounds(self.system), self.work, *arrays)

    @cached_property
    def begins_at_once(self) -> bool:
        """Whether a batch begins as a whole: start values or parameters alone vary."""
        if self.is_typed:
            return True
        equations = self.equations
        moves = equations.has_free_groups or equations.has_orbiting_groups
        turns = any("." in str(target.key) for _, target in self.starts.varied("q"))
        is_plain = equations.formulation.has_momenta and equations.formulation.has_coordinates
        # these are looked at at every start
        checked = any(isinstance(f, (PairForce, PosePotential)) for f in equations.problem.forces)
        is_own = self.has_tables or self.has_scales
        return is_plain and not (is_own or moves or turns or checked)

    @property
    def is_observed_at_once(self) -> bool:
        """Whether a sample does not depend on the member that it is of."""
        return self.begins_at_once and not self.has_tables

    # ---- a batch ---------------------------------------------------------------------------------
    def batch_size(self) -> int:
        """How many members run in one call: their samples are bounded."""
        per_member = self.samples_per_call() * (sum(self.system.layout) + 1)
        return max(WIDTH, min(MOST_MEMBERS, BATCH_NUMBERS // per_member) // WIDTH * WIDTH)

    def samples_per_call(self) -> int:
        """Of a member, in one call: all, or as many as fit for four members."""
        limit = max(1, BATCH_NUMBERS // (WIDTH * (sum(self.system.layout) + 1)))
        return max(1, min(self.plan.steps // self.plan.save_every, limit))

    def __call__(
        self, first: int, last: int
    ) -> tuple[dict[str, np.ndarray], np.ndarray, list[str]]:
        """Results of members, which of them must run alone, and how the others ended."""
        count = last - first
        is_bad = np.zeros(count, dtype=bool)
        assemblies: list[Any] = []
        self.last_seen: dict[int, Any] = {}  # what the observer remembers of members
        with np.errstate(all="ignore"):
            if self.begins_at_once:
                states = self.starts.first_states(first, last, is_bad)
                numbers = self.starts.parameter_values(first, last)
                rates = np.tile(self.starts.natural_rates(self.equations), (count, 1))
                scales = np.zeros((0, 0))
                members = new_members(states, numbers, scales, rates, self.method.carried)
            else:
                members = self.starts.begin_members(first, last, is_bad, assemblies)
            keeper = Keeper(self.definition.keep_plan, count, len(self.definition.sample_times))
            if self.events is not None:
                self.events.begin(count)
            for times, samples in self.pieces(members):
                chunk = self.observe(times, samples, members, assemblies)
                is_bad |= not_finite(chunk)
                keeper.write(chunk, self.parameters_of(members))
            status = [""] * count
            if self.events is not None:
                status = self.events.finish(members, keeper)
                is_bad |= self.events.must_run_alone
            return keeper.results(), is_bad, [word or COMPLETE for word in status]

    def parameters_of(self, members: Members) -> np.ndarray:
        """Of formulas: (k,), or (members, k) where they vary."""
        if self.is_typed and self.has_tables:
            return members.numbers
        return np.array(list(getattr(self.equations.problem, "parameters", {}).values()))

    # ---- steps -----------------------------------------------------------------------------------
    def pieces(self, members: Members):
        """(times, samples) of the start, of pieces of the motion, and of the end."""
        plan, every = self.plan, self.plan.save_every
        times = self.definition.sample_times
        yield times[:1], self.present(members)
        done, first = 1, 0
        while first < plan.steps:
            self.stop.check()
            steps = min(self.steps_per_call(members), plan.steps - first)
            count = (first + steps) // every - first // every
            samples = np.zeros((count, len(members.y), members.y.shape[1] + 1))
            self.advance(members, plan.origin, first, plan.step, steps, every, samples)
            first += steps
            if count:
                yield times[done : done + count], samples
                done += count
        if plan.rest:
            t = plan.origin + plan.steps * plan.step
            nothing = np.empty((1, len(members.y), members.y.shape[1] + 1))
            self.advance(members, t, 0, plan.rest, 1, 1, nothing)
        if done < len(times):
            yield times[done:], self.present(members)

    def groups(self, members: Members) -> int:
        """How many times a call takes each of its steps."""
        return -(-len(members.y) // self.width)

    def steps_per_call(self, members: Members) -> int:
        """So many that their samples are bounded, and that a stop is heard soon."""
        most = self.samples_per_call() * self.plan.save_every
        return min(most, max(1, self.chunk // self.groups(members)))

    def learn(self, steps: int, seconds: float) -> None:
        """How long so many steps took; far fewer than the next call may take say nothing."""
        if GROWTH * steps >= self.chunk:
            self.chunk = next_chunk(steps, seconds)

    def advance(self, members: Members, t0, first, h, steps, every, samples) -> None:
        """Steps of all members, and how long they take."""
        about = self.handle, self.method.method, self.state, members, self.tables
        run = advance_members if self.width > 1 else advance_one_by_one
        if self.events is not None:
            run = self.events.advance
        began = time.perf_counter()
        with self.stopwatch.compiled():
            run(*about, t0, first, h, steps, every, samples)
        self.learn(steps * self.groups(members), time.perf_counter() - began)

    def present(self, members: Members) -> np.ndarray:
        return np.hstack([members.y, members.work[:, :1]])[None]

    # ---- what is observed ------------------------------------------------------------------------
    def observe(
        self, times: np.ndarray, samples: np.ndarray, members: Members, assemblies: list[Any]
    ) -> dict[str, np.ndarray]:
        """Variables by name, (samples, members, …); no number is the time of a sample after the
        end of a member.
        """
        count, width = samples.shape[:2]
        if self.events is None:
            own = np.repeat(times[:, None], width, axis=1)
        else:
            own = self.events.cut(times, samples)
        if self.is_observed_at_once:
            flat = samples.reshape(count * width, -1)
            found = self.observe_states(own.ravel(), flat)
            return with_energy(
                {name: each.reshape(count, width, *each.shape[1:]) for name, each in found.items()}
            )
        columns = []
        for m in range(width):
            self.take_member(members, assemblies[m] if assemblies else None, m)
            columns.append(self.observe_states(own[:, m], samples[:, m]))
            self.last_seen[m] = None if self.is_typed else self.observer.memory
        return with_energy(
            {name: np.stack([each[name] for each in columns], axis=1) for name in columns[0]}
        )

    def take_member(self, members: Members, assembly: Any, m: int) -> None:
        """Observe this member from now on."""
        if self.filled is not None:
            self.filled.put(members.numbers[m])
        if self.is_typed and self.has_tables:
            self.system.parameters[:] = members.numbers[m]
        elif not self.is_typed:
            self.observer.model = assembly.model
            self.observer.begin(assembly, None)
            if m in self.last_seen:  # a quaternion goes on with the sign of its last sample
                self.observer.memory = self.last_seen[m]

    def observe_states(self, times: np.ndarray, flat: np.ndarray) -> dict[str, np.ndarray]:
        """As a run observes its samples."""
        states = np.ascontiguousarray(flat[:, :-1])
        windings = np.zeros((len(flat), 0))
        return self.observer(np.ascontiguousarray(times), states, flat[:, -1].copy(), windings)


def not_finite(chunk: Mapping[str, np.ndarray]) -> np.ndarray:
    """(members,) whether something in a sample is no number."""
    is_sample = ~np.isnan(chunk["t"])
    is_bad = np.zeros(is_sample.shape[1], dtype=bool)
    for values in chunk.values():
        axes = tuple(range(2, values.ndim))
        is_bad |= (~np.isfinite(values).all(axis=axes) & is_sample).any(axis=0)
    return is_bad
