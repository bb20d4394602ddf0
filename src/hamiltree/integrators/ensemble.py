"""Many members of an ensemble, four side by side in lanes, each as if it were alone.

Methods that never look at the size of a number (explicit Runge–Kutta methods, splittings) take
their steps in lanes as they take them in floats: `step` is the same, and so are the bits. A member
that is not finite any more stays so and disturbs no other.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined, kernel
from hamiltree.compiled.number import WIDTH, rows
from hamiltree.compiled.pointer import in_memory, unpack
from hamiltree.integrators.integrator import FRESH, RUNNING, Integrator, State, step
from hamiltree.integrators.runge_kutta import ExplicitMethod
from hamiltree.integrators.splitting import SplittingMethod

LANE_METHODS = (ExplicitMethod, SplittingMethod)


class Members(NamedTuple):
    """Where members are: a row for each."""

    y: np.ndarray  # (members, m)
    compensation: np.ndarray  # (members, m)
    work: np.ndarray  # (members, 2) work of dampers and loads, and its compensation
    # (members, K) numbers of the tables that differ between members; K = 0 if none do
    numbers: np.ndarray


class Tables(NamedTuple):
    """Memory of the tables that differ between members."""

    numbers: np.ndarray  # (K,), or (K, lanes)


def new_members(y: np.ndarray, numbers: np.ndarray) -> Members:
    return Members(y.copy(), np.zeros_like(y), np.zeros((len(y), 2)), numbers)


def state_of_members(integrator: Integrator, length: int, width: int) -> State:
    """The state of a method for one member or for four."""
    return integrator.initial_state(rows(float, length, width), integrator.method)


@inlined
def enter_lanes(members, tables, state, first):
    """Four members into the lanes; past the last one it is repeated."""
    last = members.y.shape[0] - 1
    for k in range(WIDTH):
        row = min(first + k, last)
        for i in range(members.y.shape[1]):
            state.y[i, k] = members.y[row, i]
            state.compensation[i, k] = members.compensation[row, i]
        state.work[0, k] = members.work[row, 0]
        state.work_compensation[0, k] = members.work[row, 1]
        for j in range(members.numbers.shape[1]):
            tables.numbers[j, k] = members.numbers[row, j]
    state.counts[FRESH] = 1


@inlined
def leave_lanes(members, state, first):
    """Four members out of the lanes."""
    for k in range(min(WIDTH, members.y.shape[0] - first)):
        for i in range(members.y.shape[1]):
            members.y[first + k, i] = state.y[i, k]
            members.compensation[first + k, i] = state.compensation[i, k]
        members.work[first + k, 0] = state.work[0, k]
        members.work[first + k, 1] = state.work_compensation[0, k]


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
        enter_lanes(members, tables, state, member)
        saved = 0
        for k in range(first, first + steps):
            step(method_, system, work, state_, t0 + k * h, h)
            if (k + 1) % every == 0:
                save_samples(state, samples, saved, member)
                saved += 1
        leave_lanes(members, state, member)


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
