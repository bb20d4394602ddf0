"""Particles fixed in bodies that attract and repel each other: tables, places, and sums over pairs.

Particles stand in clusters of four of one body, the last filled up with ghosts beyond every
cut-off; a row of pairs is one particle against a cluster, four pairs in the lanes of a
register. Each state has memory of its own (Bodies in lanes have four), so that one piece of code
serves all: particles are placed, rows are summed into forces, and forces gathered into wrenches.
Rows that are within the cut-off only (neighbour_lists.py) are looked up in lists with a skin;
others stand in the table.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import compiled_as, inlined, outlined
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    broadcast_like,
    fma,
    load,
    load_block,
    part,
    store_block,
    where_less,
)
from hamiltree.compiled.pointer import as_type
from hamiltree.compiled.stack import stack_array, store_lane
from hamiltree.forces.neighbour_lists import (
    GHOST_COORDINATE,
    ensure_neighbour_rows,
    last_listed_cluster,
    separation,
    separation_from,
    update_neighbour_lists,
)
from hamiltree.forces.pair_potentials import apply_cutoff, cutoff_range, sum_over_lanes

ROWS_PER_PARTICLE = 64  # of a list, on average; more are used in portions
SMALL_RELATIVE_CHANGE = 1e-3  # of s, in parts of it: below, ΔV/Δs is taken as the mean of dV/ds


class PairTable(NamedTuple):
    """One PairForce.

    Bodies, clusters and particles (four per cluster, ghosts among them) are those that it acts on.
    """

    row: np.ndarray  # (bodies,) of Bodies
    first: np.ndarray  # (bodies + 1,) clusters of each body
    owner: np.ndarray  # (clusters,) body
    real: np.ndarray  # (clusters,) particles that are no ghosts
    radius: np.ndarray  # (clusters,) about the mean of its particles
    x: np.ndarray  # (particles,) in the frame of the body's row
    y: np.ndarray
    z: np.ndarray
    kind: np.ndarray  # (particles,) type
    pattern: np.ndarray  # (clusters,) which four types
    types: int
    patterns: int
    numbers: np.ndarray  # (types × patterns × NUMBERS × 4,) of a type with each type of a pattern
    parameters: np.ndarray  # (types², p) of a user's formula
    shift: np.ndarray  # (types²,)
    code: np.ndarray  # (types², 3) Code of a user's formula
    start: np.ndarray  # (particles + 1,) first row of each particle; all zero where lists are made
    cluster: np.ndarray  # (rows,)
    limits: np.ndarray  # cut-off², s₁, 1/(s₂ − s₁), reach of a list, (skin/2)², largest radius
    is_switched: bool
    has_lists: bool
    is_periodic: bool
    has_jump: bool  # V ends at the cut-off with a jump
    box: np.ndarray  # (3,) periodic lengths, 0 where there is none
    inverse_box: np.ndarray
    excluded_first: np.ndarray  # (bodies + 1,)
    excluded: np.ndarray  # bodies of a higher number that a body does not interact with, ascending


@inlined
def without_potential(table):
    """Without its potential: what asks for none is compiled once for all."""
    return as_type(table, PairTable)


class PairLawState(NamedTuple):
    """Of one state."""

    x: np.ndarray  # (particles,) world
    y: np.ndarray
    z: np.ndarray
    fx: np.ndarray
    fy: np.ndarray
    fz: np.ndarray
    # where particles were when the lists were made; of `add_discrete_gradient_forces`, where they
    # end
    ux: np.ndarray
    uy: np.ndarray
    uz: np.ndarray
    centre: np.ndarray  # (3 clusters,)
    start: np.ndarray  # (particles + 1,) rows of each particle
    cluster: np.ndarray  # (capacity,)
    head: np.ndarray  # (cells,) the first cluster of a cell, −1 for none
    after: np.ndarray  # (clusters,) the next one in the cell
    candidates: np.ndarray  # (clusters,) candidates of one cluster, ascending
    # whether the lists hold, cells in each direction, how often they were made: see
    # neighbour_lists.py
    facts: np.ndarray
    corner: np.ndarray  # (6,) of the cells, and 1/edge
    lines: np.ndarray  # (12,)


def allocate_pair_states(table: PairTable, width: int) -> PairLawState:
    """The state of the law: arrays for `width` states of the bodies."""
    particles, clusters = len(table.x), len(table.owner)
    many = clusters if table.has_lists else 0
    capacity = (
        max(WIDTH * clusters, min(ROWS_PER_PARTICLE * particles, particles * clusters))
        if table.has_lists
        else 1
    )
    places = [np.zeros((width, particles)) for _ in range(9)]
    for place in places[:3]:
        place[:] = GHOST_COORDINATE
    whole = (particles + 1, capacity, 2 * many + 1, many + 1, many + 1)
    lists = [np.zeros((width, n), np.int32) for n in whole]
    rest = np.zeros((width, 8), np.int64), np.zeros((width, 6)), np.zeros((width, 3 * WIDTH))
    return PairLawState(*places, np.zeros((width, 3 * clusters)), *lists, *rest)


@inlined
def pair_state_view(law_states, k):
    """Number k of the states of `allocate_pair_states`."""
    return PairLawState(
        part(law_states.x, k),
        part(law_states.y, k),
        part(law_states.z, k),
        part(law_states.fx, k),
        part(law_states.fy, k),
        part(law_states.fz, k),
        part(law_states.ux, k),
        part(law_states.uy, k),
        part(law_states.uz, k),
        part(law_states.centre, k),
        part(law_states.start, k),
        part(law_states.cluster, k),
        part(law_states.head, k),
        part(law_states.after, k),
        part(law_states.candidates, k),
        part(law_states.facts, k),
        part(law_states.corner, k),
        part(law_states.lines, k),
    )


# ---- bodies of one state, whether they stand in floats or in lanes -------------------------------
def number_at(array, i, j, k):
    """Number j of row i, of state k."""
    return array[i, j] if array.ndim == 2 else array[i, j, k]


@compiled_as(number_at)
def compiled_number_at(array, i, j, k):
    if array.ndim == 2:
        return lambda array, i, j, k: array[i, j]
    return lambda array, i, j, k: array[i, j, k]


def add_number(array, i, j, k, x):
    array[(i, j) if array.ndim == 2 else (i, j, k)] += x


@compiled_as(add_number)
def compiled_add_number(array, i, j, k, x):
    """An element of floats, or one lane of it."""
    if array.ndim == 2:

        def add_to_float(array, i, j, k, x):
            array[i, j] += x

        return add_to_float

    def add_to_lane(array, i, j, k, x):
        array[i, j, k] += x

    return add_to_lane


def state_count(array):
    """How many states the rows of an array hold: one, or as many as there are lanes."""
    return 1 if array.ndim == 2 else WIDTH


@compiled_as(state_count)
def compiled_state_count(array):
    count = 1 if array.ndim == 2 else WIDTH
    return lambda array: count


@inlined
def read_vector(array, i, first, k):
    return Vec3(
        number_at(array, i, first, k),
        number_at(array, i, first + 1, k),
        number_at(array, i, first + 2, k),
    )


@inlined
def read_matrix(array, i, k):
    return Mat3(
        read_vector(array, i, 0, k), read_vector(array, i, 3, k), read_vector(array, i, 6, k)
    )


# ---- places --------------------------------------------------------------------------------------
@inlined
def vector_block(x, y, z, c):
    """Of the four particles of a cluster."""
    return Vec3(load_block(x, c), load_block(y, c), load_block(z, c))


@outlined
def place_particles(table, bodies, k, x, y, z):
    """x = r + R X of every particle; ghosts stay where they are."""
    for b in range(table.row.shape[0]):
        R = read_matrix(bodies.rotation, table.row[b], k)
        r = read_vector(bodies.position, table.row[b], 0, k)
        for c in range(table.first[b], table.first[b + 1]):
            at = R @ vector_block(table.x, table.y, table.z, c)
            store_block(x, c, at.x + r.x)
            store_block(y, c, at.y + r.y)
            store_block(z, c, at.z + r.z)
            for ghost in range(4 * c + table.real[c], 4 * c + 4):
                x[ghost] = GHOST_COORDINATE
                y[ghost] = GHOST_COORDINATE
                z[ghost] = GHOST_COORDINATE


@inlined
def clear_forces(law_state):
    for i in range(law_state.fx.shape[0]):
        law_state.fx[i], law_state.fy[i], law_state.fz[i] = 0.0, 0.0, 0.0


@inlined
def zero_lanes_vector(law_state):
    """Zero, in lanes."""
    nothing = broadcast_like(0.0, load_block(law_state.x, 0))
    return Vec3(nothing, nothing, nothing)


@inlined
def add_vector_of(array, i, first, k, v):
    add_number(array, i, first, k, sum_over_lanes(v.x))
    add_number(array, i, first + 1, k, sum_over_lanes(v.y))
    add_number(array, i, first + 2, k, sum_over_lanes(v.z))


@outlined
def gather_wrenches(table, law_state, bodies, k):
    """Force, and torque Σ (x − r) × f about the origin of the row."""
    for b in range(table.row.shape[0]):
        r = read_vector(bodies.position, table.row[b], 0, k)
        force, torque = zero_lanes_vector(law_state), zero_lanes_vector(law_state)
        for c in range(table.first[b], table.first[b + 1]):
            f = vector_block(law_state.fx, law_state.fy, law_state.fz, c)
            x = vector_block(law_state.x, law_state.y, law_state.z, c)
            force, torque = force + f, torque + cross(Vec3(x.x - r.x, x.y - r.y, x.z - r.z), f)
        add_vector_of(bodies.wrench, table.row[b], 0, k, torque)
        add_vector_of(bodies.wrench, table.row[b], 3, k, force)


# ---- sums over rows ------------------------------------------------------------------------------
@inlined
def subtract_force(law_state, c, f):
    """f taken off the forces on a cluster."""
    store_block(law_state.fx, c, load_block(law_state.fx, c) - f.x)
    store_block(law_state.fy, c, load_block(law_state.fy, c) - f.y)
    store_block(law_state.fz, c, load_block(law_state.fz, c) - f.z)


@inlined
def add_force(law_state, i, f):
    law_state.fx[i] += sum_over_lanes(f.x)
    law_state.fy[i] += sum_over_lanes(f.y)
    law_state.fz[i] += sum_over_lanes(f.z)


@outlined
def add_row_forces(table, law_state, start, cluster, first, last):
    """Forces −2 dV/ds d of the rows of particles first … last − 1, and the opposite ones on the
    clusters.
    """
    reach = cutoff_range(table)
    for i in range(first, last):
        x = Vec3(law_state.x[i], law_state.y[i], law_state.z[i])
        total = zero_lanes_vector(law_state)
        for k in range(start[i], start[i + 1]):
            d = separation(law_state, reach, cluster[k], x)
            f = d * (-2.0 * apply_cutoff(table, law_state, reach, i, cluster[k], dot(d, d)).slope)
            subtract_force(law_state, cluster[k], f)
            total = total + f
        add_force(law_state, i, total)


@outlined
def energy_of_rows(table, law_state, start, cluster, first, last, total):
    """Added to a total, pair after pair: portions make no difference."""
    reach = cutoff_range(table)
    for i in range(first, last):
        x = Vec3(law_state.x[i], law_state.y[i], law_state.z[i])
        own = zero_lanes_vector(law_state).x
        for k in range(start[i], start[i + 1]):
            d = separation(law_state, reach, cluster[k], x)
            own = own + apply_cutoff(table, law_state, reach, i, cluster[k], dot(d, d)).value
        total += sum_over_lanes(own)
    return total


@inlined
def add_state_wrenches(table, bodies, law_state, k):
    """Wrenches of all pairs in state k: particles placed, forces summed, wrenches gathered."""
    any_table = without_potential(table)
    place_particles(any_table, bodies, k, law_state.x, law_state.y, law_state.z)
    clear_forces(law_state)
    if table.has_lists:
        update_neighbour_lists(any_table, law_state)
        first = 0
        while first < table.owner.shape[0]:
            ensure_neighbour_rows(any_table, law_state, first)
            last = last_listed_cluster(law_state)
            add_row_forces(
                table, law_state, law_state.start, law_state.cluster, 4 * first, 4 * last
            )
            first = last
    else:
        add_row_forces(table, law_state, table.start, table.cluster, 0, law_state.x.shape[0])
    gather_wrenches(any_table, law_state, bodies, k)


@inlined
def energy_of_state(table, bodies, law_state, k):
    """Potential energy of all pairs in state k."""
    any_table = without_potential(table)
    place_particles(any_table, bodies, k, law_state.x, law_state.y, law_state.z)
    if not table.has_lists:
        return energy_of_rows(
            table, law_state, table.start, table.cluster, 0, law_state.x.shape[0], 0.0
        )
    update_neighbour_lists(any_table, law_state)
    total, first = 0.0, 0
    while first < table.owner.shape[0]:
        ensure_neighbour_rows(any_table, law_state, first)
        last = last_listed_cluster(law_state)
        total = energy_of_rows(
            table, law_state, law_state.start, law_state.cluster, 4 * first, 4 * last, total
        )
        first = last
    return total


def add_pair_wrenches(table, t, bodies, law_states):
    for k in range(state_count(bodies.wrench)):
        add_state_wrenches(table, bodies, pair_state_view(law_states, k), k)


def pair_potential_energy(table, t, bodies, law_states):
    """The energy of every state: a number, floats or lanes."""
    total = stack_array(t, 1)
    for k in range(state_count(bodies.wrench)):
        store_lane(total, 0, k, energy_of_state(table, bodies, pair_state_view(law_states, k), k))
    return load(total, 0)


# ---- between two states: a discrete gradient -----------------------------------------------------
@inlined
def mean_slope(table, law_state, reach, i, c, before, after):
    """ΔV/Δs; where Δs is small its quotient has no digits, and it is the mean of dV/ds by Gauss'
    three points.
    """
    change, middle = after - before, 0.5 * (before + after)
    spread = 0.3872983346207417 * change  # √(3/5)/2
    inner = apply_cutoff(table, law_state, reach, i, c, middle).slope
    outer = (
        apply_cutoff(table, law_state, reach, i, c, middle - spread).slope
        + apply_cutoff(table, law_state, reach, i, c, middle + spread).slope
    )
    mean = fma(inner, 4.0 / 9.0, outer * (5.0 / 18.0))
    rise = (
        apply_cutoff(table, law_state, reach, i, c, after).value
        - apply_cutoff(table, law_state, reach, i, c, before).value
    )
    excess = absolute(change) - SMALL_RELATIVE_CHANGE * middle
    # Over the cut-off, or where switching begins, V has no more derivatives: there only the
    # quotient is exact.
    excess = where_less((before - reach.end) * (after - reach.end), 0.0, 1.0, excess)
    excess = where_less((before - reach.begin) * (after - reach.begin), 0.0, 1.0, excess)
    return where_less(excess, 0.0, mean, rise / where_less(excess, 0.0, 1.0, change))


@inlined
def separation_at_end(law_state, reach, c, x):
    """From the four of a cluster, where the step ends, to the point x."""
    return separation_from(law_state.ux, law_state.uy, law_state.uz, reach, c, x)


@outlined
def add_discrete_row_forces(table, law_state):
    """Forces −ΔV/Δs (d + d′) of two separations: Δs = (d + d′)·(d′ − d), so that their work is
    −ΔV.
    """
    reach = cutoff_range(table)
    for i in range(law_state.x.shape[0]):
        x = Vec3(law_state.x[i], law_state.y[i], law_state.z[i])
        end = Vec3(law_state.ux[i], law_state.uy[i], law_state.uz[i])
        total = zero_lanes_vector(law_state)
        for k in range(table.start[i], table.start[i + 1]):
            c = table.cluster[k]
            d, e = separation(law_state, reach, c, x), separation_at_end(law_state, reach, c, end)
            f = (d + e) * -mean_slope(table, law_state, reach, i, c, dot(d, d), dot(e, e))
            subtract_force(law_state, c, f)
            total = total + f
        add_force(law_state, i, total)


@outlined
def gather_moments(table, law_state, force, moment, k):
    """Σ f of every body, and Σ f Xᵀ by columns: what a matrix R in x = r + R X feels."""
    for b in range(table.row.shape[0]):
        for c in range(table.first[b], table.first[b + 1]):
            f = vector_block(law_state.fx, law_state.fy, law_state.fz, c)
            add_vector_of(force, table.row[b], 0, k, f)
            add_vector_of(moment, table.row[b], 0, k, f * load_block(table.x, c))
            add_vector_of(moment, table.row[b], 3, k, f * load_block(table.y, c))
            add_vector_of(moment, table.row[b], 6, k, f * load_block(table.z, c))


def add_discrete_pair_forces(table, t, begin, end, law_states, force, moment):
    for k in range(state_count(force)):
        law_state, any_table = pair_state_view(law_states, k), without_potential(table)
        place_particles(any_table, begin, k, law_state.x, law_state.y, law_state.z)
        place_particles(any_table, end, k, law_state.ux, law_state.uy, law_state.uz)
        clear_forces(law_state)
        add_discrete_row_forces(table, law_state)
        gather_moments(any_table, law_state, force, moment, k)
