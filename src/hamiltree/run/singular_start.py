"""A run that begins in a singular position, on the branch that its speeds determine.

Constraints cannot be solved at such a start. So a step is taken across it, from before the start to
after it, as in singular_crossing.py: its beginning is corrected until the state at the time of the
start is the one that was given. The run then begins where that step has ended.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.kinematics import retract
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import HamiltreeError, ModelError
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import (
    AHEAD,
    NATURAL_TIME,
    RUNNING,
    SINE,
    SINE_BEFORE,
    SINE_TIME,
    SINE_TIME_BEFORE,
    STATUS,
    State,
)
from hamiltree.integrators.singular_crossing import (
    MIN_CHANGE,
    SHOWN,
    WORK_BEGIN,
    WORK_END,
    can_pass,
    state_inside,
)
from hamiltree.run.equations import ModelEquations

if TYPE_CHECKING:
    from hamiltree.run.loop import Run

MAX_ITERATIONS, MIN_ITERATIONS = 40, 6
# in natural sizes: a correction that stays above it solves nothing. Across the constraints, where
# the beginning of a step says nothing, it stays at the error of the method
SOLVED = 1e-3


def leave_singular_start(run: Run) -> None:
    """If the start is a singular position, let the run begin after a step across it."""
    equations = run.plan.equations
    if not (isinstance(equations, ModelEquations) and equations.has_rows):
        return
    if not run.assembly.mechanism.is_on_branch:
        return
    if not can_pass(run.state):
        raise singular_start_error(
            run,
            "only hamiltonian_loops or cartesian_hamiltonian with rattle, spark4 or spark6 go on",
        )
    with run.engine.preserve_workspaces():
        across = step_across(run)
    begin_after(run, across)


def singular_start_error(run: Any, why: str) -> ModelError:
    """Of the part that is singular."""
    parts = run.assembly.mechanism.singular_parts
    names = ", ".join(f"'{name}'" for name in parts)
    return ModelError(f"the start is a singular position of {names}: {why}; start elsewhere")


def step_across(run: Run) -> State:
    """The state after a step whose state at the time of the start is that of the run."""
    gap, wanted = run.method.method.gap, run.state.y.copy()
    natural = run.plan.equations.row_scales(run.engine.system, run.assembly)
    h = step_length(run)
    t = run.plan.begin - gap.place * h
    y, least = state_before(run, t), np.inf
    for iteration in range(MAX_ITERATIONS):
        state = run.engine.initial_state(y)
        state.scale[...] = run.state.scale
        state.clock[NATURAL_TIME:SINE] = run.state.clock[NATURAL_TIME:SINE]
        state.clock[[SINE, SINE_BEFORE]] = gap.place, gap.place + 1.0
        state.clock[[SINE_TIME, SINE_TIME_BEFORE]] = t, t - h
        monitor, samples = empty_monitor(len(y)), run.new_sample_buffer(1)
        run.method.advance(run.handle, run.method.method, state, monitor, t, 0, h, 1, 1, samples)
        if state.counts[STATUS] != RUNNING:
            break
        off = wanted - state_inside(state, gap, gap.place)
        change = float(np.abs(off / natural).max())
        if not np.isfinite(change):
            break
        if iteration >= MIN_ITERATIONS and change > 0.5 * least and change <= SOLVED:
            return state
        least = min(least, change)
        y = y + off
    raise singular_start_error(run, "no step of this length leads through it along the speeds")


def step_length(run: Run) -> float:
    """That of the run, or so much longer that constraints change by more than rounding."""
    fastest = np.abs(run.assembly.speeds * run.assembly.mechanism.weights).max()
    return max(run.plan.step, MIN_CHANGE / float(fastest))


def state_before(run: Run, t: float) -> np.ndarray:
    """A state of the branch before the start, to begin with: along the speeds as they are."""
    assembly, equations = run.assembly, run.plan.equations
    q, speeds = assembly.q, assembly.speeds
    try:
        back = retract(assembly.tree, q, (t - assembly.t) * speeds)
        q = Mechanism(assembly.model, q, t).closed_positions(back, frozenset())
        speeds = Mechanism(assembly.model, q, t).project_speeds(speeds, frozenset())
    except HamiltreeError as error:
        raise singular_start_error(
            run, f"no position leads to it along the speeds ({error})"
        ) from None
    before = replace(assembly, q=q, speeds=speeds, t=t)
    pointer = run.engine.observe.pointer
    return equations.formulation.initial_state(run.engine.system, before, pointer)


def begin_after(run: Run, across: State) -> None:
    """The run shows its start, and goes on from where the step across it has ended."""
    own, other = run.state.scratch.crossing, across.scratch.crossing
    for kept, found in zip(own, other, strict=True):
        kept[...] = found
    gap = run.method.method.gap
    at_start = float(
        np.dot(other.works, [np.polyval([*w[::-1], 0.0], gap.place) for w in gap.weights])
    )
    own.ahead_work[[WORK_BEGIN, WORK_END]] -= at_start
    own.ahead[SHOWN] = run.state.y
    run.state.clock[SINE:] = across.clock[SINE:]
    run.state.clock[AHEAD] = (1.0 - gap.place) * step_length(run)
