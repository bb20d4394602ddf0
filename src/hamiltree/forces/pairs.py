"""Particles fixed in bodies that attract and repel each other: tables, places, and sums over pairs.

Particles stand in clusters of four of one body, the last filled up with ghosts that are too far
away to be seen; a row of pairs is one particle against a cluster, four pairs in the lanes of a
register. Each state has a room of its own (Bodies in lanes have four), so that one piece of code
serves all: particles are placed, rows are summed into forces, and forces gathered into wrenches.
Rows that are within the cut-off only (lists.py) are looked up in lists with a skin; others stand in
the table.
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
    alike,
    fma,
    load,
    load_block,
    part,
    store_block,
    where_less,
)
from hamiltree.compiled.pointer import as_kind
from hamiltree.compiled.stack import room_for, store_lane
from hamiltree.forces.lists import (
    FAR,
    begin_rows,
    end_of_rows,
    nearest_image,
    renew_lists,
    separation,
)
from hamiltree.forces.potentials import cut_off, range_of, total_of_lanes

ROWS_A_PARTICLE = 64  # of a list, on average; more are used in portions
SMALL_CHANGE = 1e-3  # of s, in parts of it: below, ΔV/Δs is taken as the mean of dV/ds


class PairTable(NamedTuple):
    """One PairForce.

    Bodies, clusters and particles (four a cluster, ghosts among them) are those that it acts on.
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
    jumps: bool  # V ends at the cut-off with a jump
    box: np.ndarray  # (3,) periodic lengths, 0 where there is none
    inverse_box: np.ndarray
    excluded_first: np.ndarray  # (bodies + 1,)
    excluded: np.ndarray  # bodies of a higher number that a body does not interact with, ascending


@inlined
def plain(table):
    """Without its potential: what asks for none is compiled once for all."""
    return as_kind(table, PairTable)


class PairRoom(NamedTuple):
    """Of one state."""

    x: np.ndarray  # (particles,) world
    y: np.ndarray
    z: np.ndarray
    fx: np.ndarray
    fy: np.ndarray
    fz: np.ndarray
    # where particles were when the lists were made; of `push_between`, where they end
    ux: np.ndarray
    uy: np.ndarray
    uz: np.ndarray
    centre: np.ndarray  # (3 clusters,)
    start: np.ndarray  # (particles + 1,) rows of each particle
    cluster: np.ndarray  # (capacity,)
    head: np.ndarray  # (cells,) the first cluster of a cell, −1 for none
    after: np.ndarray  # (clusters,) the next one in the cell
    near: np.ndarray  # (clusters,) candidates of one cluster, ascending
    # whether the lists hold, cells in each direction, how often they were made: see lists.py
    facts: np.ndarray
    corner: np.ndarray  # (6,) of the cells, and 1/edge
    lines: np.ndarray  # (12,)


def pair_rooms(table: PairTable, width: int) -> PairRoom:
    """One room a state."""
    particles, clusters = len(table.x), len(table.owner)
    many = clusters if table.has_lists else 0
    capacity = (
        max(WIDTH * clusters, min(ROWS_A_PARTICLE * particles, particles * clusters))
        if table.has_lists
        else 1
    )
    places = [np.zeros((width, particles)) for _ in range(9)]
    for place in places[:3]:
        place[:] = FAR
    whole = (particles + 1, capacity, 2 * many + 1, many + 1, many + 1)
    lists = [np.zeros((width, n), np.int32) for n in whole]
    rest = np.zeros((width, 8), np.int64), np.zeros((width, 6)), np.zeros((width, 3 * WIDTH))
    return PairRoom(*places, np.zeros((width, 3 * clusters)), *lists, *rest)


@inlined
def room_of_state(rooms, k):
    """Number k of the rooms of `pair_rooms`."""
    return PairRoom(
        part(rooms.x, k),
        part(rooms.y, k),
        part(rooms.z, k),
        part(rooms.fx, k),
        part(rooms.fy, k),
        part(rooms.fz, k),
        part(rooms.ux, k),
        part(rooms.uy, k),
        part(rooms.uz, k),
        part(rooms.centre, k),
        part(rooms.start, k),
        part(rooms.cluster, k),
        part(rooms.head, k),
        part(rooms.after, k),
        part(rooms.near, k),
        part(rooms.facts, k),
        part(rooms.corner, k),
        part(rooms.lines, k),
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
    if array.ndim == 2:

        def add_to_float(array, i, j, k, x):
            array[i, j] += x

        return add_to_float

    def add_to_lane(array, i, j, k, x):
        array[i, j, k] += x

    return add_to_lane


def states_in(array):
    """How many states the rows of an array hold: one, or as many as there are lanes."""
    return 1 if array.ndim == 2 else WIDTH


@compiled_as(states_in)
def compiled_states_in(array):
    count = 1 if array.ndim == 2 else WIDTH
    return lambda array: count


@inlined
def vector_of(array, i, first, k):
    return Vec3(
        number_at(array, i, first, k),
        number_at(array, i, first + 1, k),
        number_at(array, i, first + 2, k),
    )


@inlined
def matrix_of(array, i, k):
    return Mat3(vector_of(array, i, 0, k), vector_of(array, i, 3, k), vector_of(array, i, 6, k))


# ---- places --------------------------------------------------------------------------------------
@inlined
def vector_block(x, y, z, c):
    """Of the four particles of a cluster."""
    return Vec3(load_block(x, c), load_block(y, c), load_block(z, c))


@outlined
def place_particles(table, bodies, k, x, y, z):
    """x = r + R X of every particle; ghosts stay where they are."""
    for b in range(table.row.shape[0]):
        R, r = (
            matrix_of(bodies.rotation, table.row[b], k),
            vector_of(bodies.position, table.row[b], 0, k),
        )
        for c in range(table.first[b], table.first[b + 1]):
            at = R @ vector_block(table.x, table.y, table.z, c)
            store_block(x, c, at.x + r.x)
            store_block(y, c, at.y + r.y)
            store_block(z, c, at.z + r.z)
            for ghost in range(4 * c + table.real[c], 4 * c + 4):
                x[ghost], y[ghost], z[ghost] = FAR, FAR, FAR


@inlined
def clear_forces(room):
    for i in range(room.fx.shape[0]):
        room.fx[i], room.fy[i], room.fz[i] = 0.0, 0.0, 0.0


@inlined
def no_vector(room):
    """Zero, in lanes."""
    nothing = alike(0.0, load_block(room.x, 0))
    return Vec3(nothing, nothing, nothing)


@inlined
def add_vector_of(array, i, first, k, v):
    add_number(array, i, first, k, total_of_lanes(v.x))
    add_number(array, i, first + 1, k, total_of_lanes(v.y))
    add_number(array, i, first + 2, k, total_of_lanes(v.z))


@outlined
def gather_wrenches(table, room, bodies, k):
    """Force, and torque Σ (x − r) × f about the origin of the row."""
    for b in range(table.row.shape[0]):
        r = vector_of(bodies.position, table.row[b], 0, k)
        force, torque = no_vector(room), no_vector(room)
        for c in range(table.first[b], table.first[b + 1]):
            f, x = (
                vector_block(room.fx, room.fy, room.fz, c),
                vector_block(room.x, room.y, room.z, c),
            )
            force, torque = force + f, torque + cross(Vec3(x.x - r.x, x.y - r.y, x.z - r.z), f)
        add_vector_of(bodies.wrench, table.row[b], 0, k, torque)
        add_vector_of(bodies.wrench, table.row[b], 3, k, force)


# ---- sums over rows ------------------------------------------------------------------------------
@inlined
def subtract_force(room, c, f):
    """f taken off the forces on a cluster."""
    store_block(room.fx, c, load_block(room.fx, c) - f.x)
    store_block(room.fy, c, load_block(room.fy, c) - f.y)
    store_block(room.fz, c, load_block(room.fz, c) - f.z)


@inlined
def add_force(room, i, f):
    room.fx[i] += total_of_lanes(f.x)
    room.fy[i] += total_of_lanes(f.y)
    room.fz[i] += total_of_lanes(f.z)


@outlined
def add_rows(table, room, start, cluster, first, last):
    """Forces −2 dV/ds d of the rows of particles first … last − 1, and the opposite ones on the
    clusters.
    """
    reach = range_of(table)
    for i in range(first, last):
        x, total = Vec3(room.x[i], room.y[i], room.z[i]), no_vector(room)
        for k in range(start[i], start[i + 1]):
            d = separation(room, reach, cluster[k], x)
            f = d * (-2.0 * cut_off(table, room, reach, i, cluster[k], dot(d, d)).slope)
            subtract_force(room, cluster[k], f)
            total = total + f
        add_force(room, i, total)


@outlined
def energy_of_rows(table, room, start, cluster, first, last, total):
    """Added to a total, pair after pair: portions make no difference."""
    reach = range_of(table)
    for i in range(first, last):
        x, own = Vec3(room.x[i], room.y[i], room.z[i]), no_vector(room).x
        for k in range(start[i], start[i + 1]):
            d = separation(room, reach, cluster[k], x)
            own = own + cut_off(table, room, reach, i, cluster[k], dot(d, d)).value
        total += total_of_lanes(own)
    return total


@inlined
def push_state(table, bodies, room, k):
    any_table = plain(table)
    place_particles(any_table, bodies, k, room.x, room.y, room.z)
    clear_forces(room)
    if table.has_lists:
        renew_lists(any_table, room)
        first = 0
        while first < table.owner.shape[0]:
            begin_rows(any_table, room, first)
            last = end_of_rows(room)
            add_rows(table, room, room.start, room.cluster, 4 * first, 4 * last)
            first = last
    else:
        add_rows(table, room, table.start, table.cluster, 0, room.x.shape[0])
    gather_wrenches(any_table, room, bodies, k)


@inlined
def energy_of_state(table, bodies, room, k):
    any_table = plain(table)
    place_particles(any_table, bodies, k, room.x, room.y, room.z)
    if not table.has_lists:
        return energy_of_rows(table, room, table.start, table.cluster, 0, room.x.shape[0], 0.0)
    renew_lists(any_table, room)
    total, first = 0.0, 0
    while first < table.owner.shape[0]:
        begin_rows(any_table, room, first)
        last = end_of_rows(room)
        total = energy_of_rows(table, room, room.start, room.cluster, 4 * first, 4 * last, total)
        first = last
    return total


def push_pairs(table, t, bodies, rooms):
    for k in range(states_in(bodies.wrench)):
        push_state(table, bodies, room_of_state(rooms, k), k)


def total_of_states(table, t, bodies, rooms):
    """The energy of every state: a number, floats or lanes."""
    total = room_for(t, 1)
    for k in range(states_in(bodies.wrench)):
        store_lane(total, 0, k, energy_of_state(table, bodies, room_of_state(rooms, k), k))
    return load(total, 0)


# ---- between two states: a discrete gradient -----------------------------------------------------
@inlined
def mean_slope(table, room, reach, i, c, before, after):
    """ΔV/Δs; where Δs is small its quotient has no digits, and it is the mean of dV/ds by Gauss'
    three points.
    """
    change, middle = after - before, 0.5 * (before + after)
    spread = 0.3872983346207417 * change  # √(3/5)/2
    inner = cut_off(table, room, reach, i, c, middle).slope
    outer = (
        cut_off(table, room, reach, i, c, middle - spread).slope
        + cut_off(table, room, reach, i, c, middle + spread).slope
    )
    mean = fma(inner, 4.0 / 9.0, outer * (5.0 / 18.0))
    rise = (
        cut_off(table, room, reach, i, c, after).value
        - cut_off(table, room, reach, i, c, before).value
    )
    excess = absolute(change) - SMALL_CHANGE * middle
    # Over the cut-off, or where switching begins, V has no more derivatives: there only the
    # quotient is exact.
    excess = where_less((before - reach.end) * (after - reach.end), 0.0, 1.0, excess)
    excess = where_less((before - reach.begin) * (after - reach.begin), 0.0, 1.0, excess)
    return where_less(excess, 0.0, mean, rise / where_less(excess, 0.0, 1.0, change))


@inlined
def separation_at_end(room, reach, c, x):
    d = Vec3(
        x.x - load_block(room.ux, c), x.y - load_block(room.uy, c), x.z - load_block(room.uz, c)
    )
    return nearest_image(reach, d) if reach.is_periodic else d


@outlined
def add_rows_between(table, room):
    """Forces −ΔV/Δs (d + d′) of two separations: Δs = (d + d′)·(d′ − d), so that their work is
    −ΔV.
    """
    reach = range_of(table)
    for i in range(room.x.shape[0]):
        x, end, total = (
            Vec3(room.x[i], room.y[i], room.z[i]),
            Vec3(room.ux[i], room.uy[i], room.uz[i]),
            no_vector(room),
        )
        for k in range(table.start[i], table.start[i + 1]):
            c = table.cluster[k]
            d, e = separation(room, reach, c, x), separation_at_end(room, reach, c, end)
            f = (d + e) * -mean_slope(table, room, reach, i, c, dot(d, d), dot(e, e))
            subtract_force(room, c, f)
            total = total + f
        add_force(room, i, total)


@outlined
def gather_moments(table, room, force, moment, k):
    """Σ f of every body, and Σ f Xᵀ by columns: what a matrix R in x = r + R X feels."""
    for b in range(table.row.shape[0]):
        for c in range(table.first[b], table.first[b + 1]):
            f = vector_block(room.fx, room.fy, room.fz, c)
            add_vector_of(force, table.row[b], 0, k, f)
            add_vector_of(moment, table.row[b], 0, k, f * load_block(table.x, c))
            add_vector_of(moment, table.row[b], 3, k, f * load_block(table.y, c))
            add_vector_of(moment, table.row[b], 6, k, f * load_block(table.z, c))


def push_between_pairs(table, t, begin, end, rooms, force, moment):
    for k in range(states_in(force)):
        room, any_table = room_of_state(rooms, k), plain(table)
        place_particles(any_table, begin, k, room.x, room.y, room.z)
        place_particles(any_table, end, k, room.ux, room.uy, room.uz)
        clear_forces(room)
        add_rows_between(table, room)
        gather_moments(any_table, room, force, moment, k)
