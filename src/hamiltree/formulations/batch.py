"""Entry points from Python that work for every formulation: written in verbs, over a StructPointer
of (system, work).

Arrays of states have one row per state, as a user writes them. Four rows at a time go into the
lanes.
"""

import numpy as np

from hamiltree.algebra.summation import are_finite
from hamiltree.assembly.row_tables import remember_angles, set_known_angles
from hamiltree.assembly.rows import evaluate_rows
from hamiltree.compiled.kernel import guarded_kernel, inlined, kernel
from hamiltree.compiled.number import WIDTH, broadcast_like, lane, load
from hamiltree.compiled.pointer import unpack
from hamiltree.formulations.tree.regularity import LARGEST_INERTIA_LOSS, mark_singular
from hamiltree.verbs import (
    energies,
    hamiltonian,
    inertia_loss,
    invariants,
    momentum,
    poses,
    project,
    rates,
)


@guarded_kernel
def rates_of_state(pointer, q, p, qdot, pdot):
    """(q̇, ṗ) of one state at t = 0, and whether all of it is finite and the mass matrix regular;
    pointer = (system, work, y, ydot).
    """
    system, work, y, ydot = unpack(pointer)
    positions = q.shape[0]
    for i in range(positions):
        y[i] = q[i]
    for i in range(p.shape[0]):
        y[positions + i] = p[i]
    rates(system, work, 0.0, y, ydot)
    for i in range(positions):
        qdot[i] = ydot[i]
    for i in range(p.shape[0]):
        pdot[i] = ydot[positions + i]
    return are_finite(ydot) and inertia_loss(system, work, 0.0) < LARGEST_INERTIA_LOSS


@guarded_kernel
def rates_of_states(pointer, q, p, qdot, pdot):
    """(q̇, ṗ) of many states, four at a time; pointer = (system, work, y, ydot) with lanes. Where
    the mass matrix is singular the first rate is no number.
    """
    system, work, y, ydot = unpack(pointer)
    for first in range(0, q.shape[0], WIDTH):
        read_lanes(q, first, y, 0)
        read_lanes(p, first, y, q.shape[1])
        t = broadcast_like(0.0, load(y, 0))
        rates(system, work, t, y, ydot)
        mark_singular(ydot, inertia_loss(system, work, t))
        write_lanes(ydot, 0, first, qdot)
        write_lanes(ydot, q.shape[1], first, pdot)


@inlined
def read_lanes(states, first, lanes, at):
    """Four rows of states into the lanes of row `at` and on; past the last row it is repeated, so
    that no lane computes on undefined numbers.
    """
    last = states.shape[0] - 1
    for k in range(WIDTH):
        row = min(first + k, last)
        for i in range(states.shape[1]):
            lanes[at + i, k] = states[row, i]


@inlined
def write_lanes(lanes, at, first, out):
    for k in range(min(WIDTH, out.shape[0] - first)):
        for i in range(out.shape[1]):
            out[first + k, i] = lanes[at + i, k]


def momentum_of_state(pointer, t: float, y: np.ndarray, ydot: np.ndarray) -> None:
    """p into y, from q in y and q̇ in ydot; pointer is that of an observer.

    In lanes, which the run compiles anyway.
    """
    of_lanes = broadcast_lanes(y)
    momentum_in_lanes(pointer, t, of_lanes, broadcast_lanes(ydot))
    y[:] = of_lanes[:, 0]


def broadcast_lanes(values: np.ndarray) -> np.ndarray:
    """One state in all four lanes."""
    return np.repeat(values[:, None], WIDTH, axis=1)


@kernel
def momentum_in_lanes(pointer, t, y, ydot):
    system, work, _ = unpack(pointer)
    momentum(system, work, t, y, ydot)


@kernel
def momenta_of_states(pointer, t, states, slopes, y, ydot):
    """p into many states, from q in them and q̇ in slopes; y and ydot are scratch of lanes."""
    system, work, _ = unpack(pointer)
    for first in range(0, states.shape[0], WIDTH):
        read_lanes(states, first, y, 0)
        read_lanes(slopes, first, ydot, 0)
        momentum(system, work, t, y, ydot)
        write_lanes(y, 0, first, states)


@inlined
def write_values(values, first, out):
    """Rows of lanes (bodies, numbers, lane) into (states, bodies, numbers)."""
    for k in range(min(WIDTH, out.shape[0] - first)):
        for b in range(out.shape[1]):
            for j in range(out.shape[2]):
                out[first + k, b, j] = values[b, j, k]


@kernel
def observe(pointer, times, states, scratch, slopes, energy, pose, twist):
    """What a trajectory records beside its states: ẏ, (T, V), poses and twists; pointer is an
    observer's, scratch = lanes of (t, y, ydot, pose, twist).
    """
    system, work, _ = unpack(pointer)
    lane_t, y, ydot, lane_pose, lane_twist = scratch
    for first in range(0, states.shape[0], WIDTH):
        read_lanes(states, first, y, 0)
        for k in range(WIDTH):
            lane_t[0, k] = times[min(first + k, states.shape[0] - 1)]
        t = load(lane_t, 0)
        parts = energies(system, work, t, y)
        rates(system, work, t, y, ydot)
        poses(system, work, t, y, lane_pose, lane_twist)
        write_lanes(ydot, 0, first, slopes)
        write_values(lane_pose, first, pose)
        write_values(lane_twist, first, twist)
        write_energies(parts, first, energy)


@inlined
def write_energies(parts, first, energy):
    for k in range(min(WIDTH, energy.shape[0] - first)):
        energy[first + k, 0] = lane(parts.kinetic, k)
        energy[first + k, 1] = lane(parts.potential, k)


@kernel
def observe_phase_space(pointer, times, states, scratch, slopes, energy, invariant_values):
    """What is recorded of an H(t, q, p) beside its states: ẏ, H, and the named invariants;
    scratch = (y, ydot, invariants).
    """
    system, work = unpack(pointer)
    for k in range(states.shape[0]):
        observe_sample(system, work, times[k], states, k, scratch, slopes, invariant_values)
        energy[k] = hamiltonian(system, work, times[k], scratch[0])


@inlined
def observe_sample(system, work, t, states, k, scratch, slopes, invariant_values):
    """State k into y, its ẏ and its named invariants; scratch = (y, ydot, invariants)."""
    y, ydot, values = scratch
    for i in range(states.shape[1]):
        y[i] = states[k, i]
    rates(system, work, t, y, ydot)
    for i in range(states.shape[1]):
        slopes[k, i] = ydot[i]
    if values.shape[0] > 0:
        invariants(system, work, t, y, values)
    for j in range(values.shape[0]):
        invariant_values[k, j] = values[j]


@kernel
def observe_rates(pointer, times, states, scratch, slopes, invariant_values):
    """What is recorded of an ẏ = f(t, y) beside its states: ẏ and the named invariants;
    scratch = (y, ydot, invariants).
    """
    system, work = unpack(pointer)
    for k in range(states.shape[0]):
        observe_sample(system, work, times[k], states, k, scratch, slopes, invariant_values)


@kernel
def project_states(pointer, times, states, y, compensation):
    """Every state moved to where constraints hold; pointer is `projection_pointer`.

    Returns how many could not be.
    """
    system, work, _ = unpack(pointer)
    failed = 0
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            y[i], compensation[i] = states[k, i], 0.0
        if not project(system, work, times[k], y, compensation):
            failed += 1
        for i in range(states.shape[1]):
            states[k, i] = y[i]
    return failed


@kernel
def energies_of_states(pointer, times, states, windings, y, energy):
    """(T, V) of every state, for laws that count turns; pointer = (system, work of floats), a row
    of windings for every state.
    """
    system, work = unpack(pointer)
    for k in range(states.shape[0]):
        for i in range(states.shape[1]):
            y[i] = states[k, i]
        for i in range(windings.shape[1]):
            work.windings[i] = windings[k, i]
        parts = energies(system, work, times[k], y)
        energy[k, 0], energy[k, 1] = parts.kinetic, parts.potential


@kernel
def solve_samples(pointer, t, states, turns, solutions, row_jacobians):
    """Accelerations and −λ at each state, and the Jacobians of all rows; turns: known angles of
    laws, NaN to count on from the last.
    """
    system, work, y, ydot, table, row_work = unpack(pointer)
    for s in range(t.shape[0]):
        for k in range(states.shape[1]):
            y[k] = states[s, k]
        set_known_angles(system.coordinates, work.coordinates, turns, s)
        rates(system, work, t[s], y, ydot)
        remember_angles(system.coordinates, work.coordinates)
        evaluate_rows(table, row_work, work.bodies, t[s])
        remember_angles(table, row_work)
        for k in range(solutions.shape[1]):
            solutions[s, k] = work.solution[k]
        for k in range(row_jacobians.shape[1]):
            for m in range(row_jacobians.shape[2]):
                row_jacobians[s, k, m] = row_work.row_jacobian[k, m]
