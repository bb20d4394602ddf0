"""Checkpoint: all that the next step depends on, so that a later run may go on where one ended."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np

from hamiltree.integrators.integrator import State
from hamiltree.run.plan import Plan, plain_value
from hamiltree.run.start import Start
from hamiltree.run.workspaces import arrays_in, copy_arrays

# the most bytes of a state that are kept with a trajectory, so that a run may go on from there
MAX_CHECKPOINT_BYTES = 2**26
IDENTITY_LABELS = "model", "formulation", "integrator", "options", "step", "state of length"


class Checkpoint(NamedTuple):
    """All that the next step depends on: plain arrays, which a later run copies."""

    state: State
    turns: np.ndarray  # winding numbers: whole turns that were taken out of the state
    memory: Any  # Engine.memory
    assembly: Any  # the start at which the System was assembled
    inputs: np.ndarray
    origin: float  # of the grid
    time: float
    run_identity: tuple  # formulation, integrator, options, step, rows of the state
    problem: Any  # the Model or Hamiltonian
    start: Start | None  # what was given of it, if it is known


def make_checkpoint(run: Any, t: float, is_copied: bool) -> Checkpoint | None:
    """A checkpoint of a Run at time t, of its state or of a copy; None if it is too large to
    keep.
    """
    plan, state = run.plan, run.state
    identity = run_identity(plan, state)
    if sum(array.nbytes for _, array in arrays_in(state)) > MAX_CHECKPOINT_BYTES:
        return None
    return Checkpoint(
        copy_arrays(state) if is_copied else state,
        run.turns.copy(),
        run.engine.memory,
        run.assembly,
        plan.equations.inputs.values.copy(),
        plan.origin,
        t,
        identity,
        plan.equations.problem,
        run.start,
    )


def run_identity(plan: Plan, state: State) -> tuple:
    """What must be the same for a run to go on: equations, method, options, step, length of the
    state, in the order of IDENTITY_LABELS.
    """
    options = json.dumps(plan.options, default=plain_value, sort_keys=True)
    return (
        plan.equations.problem.name,
        plan.equations.formulation.name,
        plan.integrator.name,
        options,
        plan.step,
        len(state.y),
    )


def point_before(plan: Plan, t: float) -> int:
    """The last point of the grid that is not after t."""
    point = round((t - plan.origin) / plan.step)
    return point if plan.origin + point * plan.step <= t else point - 1
