"""Many members of an ensemble, four side by side in lanes, each as if it were alone.

Methods that never look at the size of a number (explicit Runge–Kutta methods, splittings) take
their steps in lanes as they take them in floats: `step` is the same, and so are the bits. Implicit
Runge–Kutta methods have a step of their own for members in lanes (member_stages.py). A member that
is not finite any more stays so and disturbs no other.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.integrators.integrator import FRESH, RUNNING, Integrator, State, step
from hamiltree.integrators.member_stages import (
    enter_guess,
    leave_guess,
    member_stages,
    new_member_state,
)
from hamiltree.integrators.runge_kutta import ExplicitMethod
from hamiltree.integrators.splitting import SplittingMethod
from hamiltree.integrators.stages import StageMethod

SAME_IN_LANES = (ExplicitMethod, SplittingMethod)


class LaneMethod(NamedTuple):
    """How a method steps members in lanes."""

    method: Any
    initial_state: Callable  # (y, method) -> State
    carried: int  # numbers per row of the state that a member carries from call to call


def lane_method(integrator: Integrator, is_short: bool) -> LaneMethod | None:
    """None where members are quicker one by one: stages that fill all lanes are, but in runs so
    short that beginning each of them takes longer than its steps.
    """
    method = integrator.method
    if isinstance(method, SAME_IN_LANES) and integrator.width == 1:
        return LaneMethod(method, integrator.initial_state, 0)
    if not isinstance(method, StageMethod) or (method.stages % WIDTH == 0 and not is_short):
        return None
    made = member_stages(method)
    return None if made is None else LaneMethod(made, new_member_state, 2 * len(made.b))


class Members(NamedTuple):
    """Where members are: a row for each."""

    y: np.ndarray  # (members, m)
    compensation: np.ndarray  # (members, m)
    work: np.ndarray  # (members, 2) work of dampers and loads, and its compensation
    # (members, K) numbers of the tables that differ between members; K = 0 if none do
    numbers: np.ndarray
    # (members, m) natural sizes of the rows, if they are not all one
    scales: np.ndarray
    # (members, 2) how fast natural forces change positions and momenta: of implicit methods
    natural_rates: np.ndarray
    carried: np.ndarray  # (members, …) first guesses of implicit methods


class Tables(NamedTuple):
    """Memory of the tables that differ between members."""

    numbers: np.ndarray  # (K,), or (K, lanes)


def new_members(
    y: np.ndarray, numbers: np.ndarray, scales: np.ndarray, natural_rates: np.ndarray, carried: int
) -> Members:
    """At their starts; `carried`: numbers that a method carries per row of the state."""
    guess = np.zeros((len(y), carried * y.shape[1]))
    sums = np.zeros_like(y), np.zeros((len(y), 2))
    return Members(y.copy(), *sums, numbers, scales, natural_rates, guess)


def state_of_members(made: LaneMethod, length: int, width: int) -> State:
    """The state of a method for one member or for four."""
    return made.initial_state(rows(float, length, width), made.method)


@inlined
def enter_lanes(method, members, tables, state, member, first):
    """Four members into the lanes, before step `first`; past the last one it is repeated."""
    last = members.y.shape[0] - 1
    state.counts[FRESH] = 1
    for k in range(WIDTH):
        row = min(member + k, last)
        for i in range(members.y.shape[1]):
            state.y[i, k] = members.y[row, i]
            state.compensation[i, k] = members.compensation[row, i]
        state.work[0, k] = members.work[row, 0]
        state.work_compensation[0, k] = members.work[row, 1]
        for j in range(members.numbers.shape[1]):
            tables.numbers[j, k] = members.numbers[row, j]
        for i in range(members.scales.shape[1]):
            state.scale[i, k] = members.scales[row, i]
        enter_guess(method, state, members, row, k, first)


@inlined
def leave_lanes(method, members, state, member):
    """Four members out of the lanes."""
    for k in range(min(WIDTH, members.y.shape[0] - member)):
        for i in range(members.y.shape[1]):
            members.y[member + k, i] = state.y[i, k]
            members.compensation[member + k, i] = state.compensation[i, k]
        members.work[member + k, 0] = state.work[0, k]
        members.work[member + k, 1] = state.work_compensation[0, k]
        leave_guess(method, state, members.carried, member + k, k)


@inlined
def save_samples(state, samples, row, first):
    """State and work of four members: samples (row, member, m + 1)."""
    n = state.y.shape[0]
    for k in range(min(WIDTH, samples.shape[1] - first)):
        for i in range(n):
            samples[row, first + k, i] = state.y[i, k]
        samples[row, first + k, n] = state.work[0, k]


@kernel
def advance_members(handle, method, state, members, tables, t0, first, h, steps, every, samples):
    """Steps first … first + steps of the grid t0 + k h for all members, four at a time; every
    `every`-th state goes into samples.
    """
    system, work, _ = unpack(handle)
    method_, state_ = in_memory(method), in_memory(state)
    for member in range(0, members.y.shape[0], WIDTH):
        enter_lanes(method_, members, tables, state, member, first)
        saved = 0
        for k in range(first, first + steps):
            status = step(method_, system, work, state_, t0 + k * h, h)
            if status != RUNNING:  # all four have failed: no number is left
                for row in range(saved, samples.shape[0]):
                    save_samples(state, samples, row, member)
                break
            if (k + 1) % every == 0:
                save_samples(state, samples, saved, member)
                saved += 1
        leave_lanes(method_, members, state, member)


# ---- one at a time -------------------------------------------------------------------------------
@inlined
def enter(members, tables, state, member):
    """One member into the state, and its numbers into the tables."""
    for i in range(members.y.shape[1]):
        state.y[i] = members.y[member, i]
        state.compensation[i] = members.compensation[member, i]
    state.work[0] = members.work[member, 0]
    state.work_compensation[0] = members.work[member, 1]
    for j in range(members.numbers.shape[1]):
        tables.numbers[j] = members.numbers[member, j]
    state.counts[FRESH] = 1


@inlined
def leave(members, state, member):
    for i in range(members.y.shape[1]):
        members.y[member, i] = state.y[i]
        members.compensation[member, i] = state.compensation[i]
    members.work[member, 0] = state.work[0]
    members.work[member, 1] = state.work_compensation[0]


@inlined
def save_sample_of(state, samples, row, member):
    n = state.y.shape[0]
    for i in range(n):
        samples[row, member, i] = state.y[i]
    samples[row, member, n] = state.work[0]


@inlined
def mark_failed(state, samples, row, member):
    """Not a number from this sample on, and at the end."""
    state.y[0] = np.nan
    for later in range(row, samples.shape[0]):
        samples[later, member, 0] = np.nan


@kernel
def advance_one_by_one(handle, method, state, members, tables, t0, first, h, steps, every, samples):
    """The same with members one after the other, whose tables must be of floats."""
    system, work, _ = unpack(handle)
    method_, state_ = in_memory(method), in_memory(state)
    for member in range(members.y.shape[0]):
        enter(members, tables, state, member)
        saved = 0
        for k in range(first, first + steps):
            if step(method_, system, work, state_, t0 + k * h, h) != RUNNING:
                mark_failed(state, samples, saved, member)
                break
            if (k + 1) % every == 0:
                save_sample_of(state, samples, saved, member)
                saved += 1
        leave(members, state, member)
