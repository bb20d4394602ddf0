"""Particles fixed in bodies that attract and repel each other: tables, places, and sums over pairs.

Particles stand in clusters of four of one body, the last filled up with ghosts that are too far away to be seen; a row of pairs is one
particle against a cluster, four pairs in the lanes of a register. Each state has a room of its own (Bodies in lanes have four), so that
one piece of code serves all: particles are placed, rows are summed into forces, and forces gathered into wrenches. Rows that are within
the cut-off only (lists.py) are looked up in lists with a skin; others stand in the table.
"""

from typing import NamedTuple

import numpy as np
from numba.extending import overload

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.number import WIDTH, fma, load, load_block, nearest, part, store_block, where_less
from hamiltree.algebra.vec3 import Vec3
from hamiltree.forces.lists import begin_rows, end_of_rows, holds_all, renew_lists
from hamiltree.forces.potentials import cut_off, total_of_lanes
from hamiltree.kernel import INLINE, inlined, outlined

FAR = 1e160  # a ghost: its distance² is not finite, its force zero
SMALL_CHANGE = 1e-3  # of s, in parts of it: below, ΔV/Δs is taken as the mean of dV/ds


class PairTable(NamedTuple):
    """One PairForce. Bodies, clusters and particles (four a cluster, ghosts among them) are those that it acts on."""

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
    code: np.ndarray  # (2,) Code of a user's formula
    start: np.ndarray  # (particles + 1,) first row of each particle; all zero where lists are made
    cluster: np.ndarray  # (rows,)
    limits: np.ndarray  # cut-off², s₁, 1/(s₂ − s₁), reach of a list, (skin/2)², largest radius
    is_switched: bool
    has_lists: bool
    box: np.ndarray  # (3,) periodic lengths, 0 where there is none
    inverse_box: np.ndarray
    excluded_first: np.ndarray  # (bodies + 1,)
    excluded: np.ndarray  # bodies of a higher number that a body does not interact with, ascending


class PairRoom(NamedTuple):
    """Of one state."""

    x: np.ndarray  # (particles,) world
    y: np.ndarray
    z: np.ndarray
    fx: np.ndarray
    fy: np.ndarray
    fz: np.ndarray
    ux: np.ndarray  # where particles were when the lists were made; of `push_between`, where they end
    uy: np.ndarray
    uz: np.ndarray
    centre: np.ndarray  # (3 clusters,)
    start: np.ndarray  # (particles + 1,) rows of each particle
    cluster: np.ndarray  # (capacity,)
    head: np.ndarray  # (cells,) the first cluster of a cell, −1 for none
    after: np.ndarray  # (clusters,) the next one in the cell
    near: np.ndarray  # (clusters,) candidates of one cluster, ascending
    facts: np.ndarray  # whether the lists hold, cells in each direction, how often they were made: see lists.py
    corner: np.ndarray  # (6,) of the cells, and 1/edge
    lines: np.ndarray  # (12,)


def pair_rooms(table: PairTable, width: int) -> PairRoom:
    """One room a state."""
    particles, clusters = len(table.x), len(table.owner)
    many = clusters if table.has_lists else 0
    capacity = max(4 * clusters, min(64 * particles, particles * clusters)) if table.has_lists else 1
    places = [np.zeros((width, particles)) for _ in range(9)]
    for place in places[:3]:
        place[:] = FAR
    whole = [(particles + 1, np.int32), (capacity, np.int32), (2 * many + 1, np.int32), (many + 1, np.int32), (many + 1, np.int32)]
    lists = [np.zeros((width, n), dtype) for n, dtype in whole]
    return PairRoom(*places, np.zeros((width, 3 * clusters)), *lists, np.zeros((width, 8), np.int64), np.zeros((width, 6)), np.zeros((width, 12)))


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


# ---- bodies of one state, whether they stand in floats or in lanes -----------------------------------------------------------------
def number_at(array, i, j, k):
    """Number j of row i, of state k."""
    return array[i, j] if array.ndim == 2 else array[i, j, k]


@overload(number_at, jit_options=INLINE)
def compiled_number_at(array, i, j, k):
    if array.ndim == 2:
        return lambda array, i, j, k: array[i, j]
    return lambda array, i, j, k: array[i, j, k]


def add_number(array, i, j, k, x):
    array[(i, j) if array.ndim == 2 else (i, j, k)] += x


@overload(add_number, jit_options=INLINE)
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


@overload(states_in, jit_options=INLINE)
def compiled_states_in(array):
    count = 1 if array.ndim == 2 else WIDTH
    return lambda array: count


@inlined
def vector_of(array, i, first, k):
    return Vec3(number_at(array, i, first, k), number_at(array, i, first + 1, k), number_at(array, i, first + 2, k))


@inlined
def matrix_of(array, i, k):
    return Mat3(vector_of(array, i, 0, k), vector_of(array, i, 3, k), vector_of(array, i, 6, k))


# ---- places ------------------------------------------------------------------------------------------------------------------------
@outlined
def place_particles(table, bodies, k, x, y, z):
    """x = r + R X of every particle; ghosts stay where they are."""
    for b in range(table.row.shape[0]):
        R, r = matrix_of(bodies.rotation, table.row[b], k), vector_of(bodies.position, table.row[b], 0, k)
        for c in range(table.first[b], table.first[b + 1]):
            at = R @ Vec3(load_block(table.x, c), load_block(table.y, c), load_block(table.z, c))
            store_block(x, c, at.x + r.x)
            store_block(y, c, at.y + r.y)
            store_block(z, c, at.z + r.z)
            for ghost in range(4 * c + table.real[c], 4 * c + 4):
                x[ghost], y[ghost], z[ghost] = FAR, FAR, FAR


@inlined
def clear_forces(room):
    for i in range(room.fx.shape[0]):
        room.fx[i], room.fy[i], room.fz[i] = 0.0, 0.0, 0.0


@outlined
def gather_wrenches(table, room, bodies, k):
    """Force, and torque Σ (x − r) × f about the origin of the row."""
    for b in range(table.row.shape[0]):
        i = table.row[b]
        r = vector_of(bodies.position, i, 0, k)
        fx, fy, fz, tx, ty, tz = (load_block(room.fx, table.first[b]) * 0.0,) * 6
        for c in range(table.first[b], table.first[b + 1]):
            gx, gy, gz = load_block(room.fx, c), load_block(room.fy, c), load_block(room.fz, c)
            ax, ay, az = load_block(room.x, c) - r.x, load_block(room.y, c) - r.y, load_block(room.z, c) - r.z
            fx, fy, fz = fx + gx, fy + gy, fz + gz
            tx = tx + fma(ay, gz, -az * gy)
            ty = ty + fma(az, gx, -ax * gz)
            tz = tz + fma(ax, gy, -ay * gx)
        add_number(bodies.wrench, i, 0, k, total_of_lanes(tx))
        add_number(bodies.wrench, i, 1, k, total_of_lanes(ty))
        add_number(bodies.wrench, i, 2, k, total_of_lanes(tz))
        add_number(bodies.wrench, i, 3, k, total_of_lanes(fx))
        add_number(bodies.wrench, i, 4, k, total_of_lanes(fy))
        add_number(bodies.wrench, i, 5, k, total_of_lanes(fz))


# ---- sums over rows ------------------------------------------------------------------------------------------------------------------
@inlined
def separation(table, x, from_x, axis):
    """x − x′, of the nearest image."""
    d = x - from_x
    return fma(-table.box[axis], nearest(d * table.inverse_box[axis]), d)


@inlined
def add_row(table, room, i, c, x, y, z):
    """The forces of particle i and a cluster on each other: those on the cluster are added, that on i is given back, in lanes."""
    dx = separation(table, x, load_block(room.x, c), 0)
    dy = separation(table, y, load_block(room.y, c), 1)
    dz = separation(table, z, load_block(room.z, c), 2)
    pull = -2.0 * cut_off(table, room, i, c, fma(dx, dx, fma(dy, dy, dz * dz))).slope
    fx, fy, fz = pull * dx, pull * dy, pull * dz
    store_block(room.fx, c, load_block(room.fx, c) - fx)
    store_block(room.fy, c, load_block(room.fy, c) - fy)
    store_block(room.fz, c, load_block(room.fz, c) - fz)
    return Vec3(fx, fy, fz)


@outlined
def add_rows(table, room, start, cluster, first, last):
    """Forces of the rows of particles first … last − 1."""
    for i in range(first, last):
        if start[i] == start[i + 1]:
            continue
        x, y, z = room.x[i], room.y[i], room.z[i]
        nothing = load_block(room.fx, 0) * 0.0
        total = Vec3(nothing, nothing, nothing)
        for k in range(start[i], start[i + 1]):
            total = total + add_row(table, room, i, cluster[k], x, y, z)
        room.fx[i] += total_of_lanes(total.x)
        room.fy[i] += total_of_lanes(total.y)
        room.fz[i] += total_of_lanes(total.z)


@inlined
def row_energy(table, room, i, c, x, y, z):
    dx = separation(table, x, load_block(room.x, c), 0)
    dy = separation(table, y, load_block(room.y, c), 1)
    dz = separation(table, z, load_block(room.z, c), 2)
    return cut_off(table, room, i, c, fma(dx, dx, fma(dy, dy, dz * dz))).value


@outlined
def energy_of_rows(table, room, start, cluster, first, last):
    total = 0.0
    for i in range(first, last):
        if start[i] == start[i + 1]:
            continue
        x, y, z = room.x[i], room.y[i], room.z[i]
        own = load_block(room.fx, 0) * 0.0
        for k in range(start[i], start[i + 1]):
            own = own + row_energy(table, room, i, cluster[k], x, y, z)
        total += total_of_lanes(own)
    return total


@inlined
def push_state(table, bodies, room, k):
    place_particles(table, bodies, k, room.x, room.y, room.z)
    clear_forces(room)
    if table.has_lists:
        renew_lists(table, room)
        first = 0
        while first < table.owner.shape[0]:
            begin_rows(table, room, first)
            last = end_of_rows(room)
            add_rows(table, room, room.start, room.cluster, 4 * first, 4 * last)
            first = last
    else:
        add_rows(table, room, table.start, table.cluster, 0, room.x.shape[0])
    gather_wrenches(table, room, bodies, k)


@inlined
def energy_of_state(table, bodies, room, k):
    place_particles(table, bodies, k, room.x, room.y, room.z)
    if not table.has_lists:
        return energy_of_rows(table, room, table.start, table.cluster, 0, room.x.shape[0])
    renew_lists(table, room)
    total, first = 0.0, 0
    while first < table.owner.shape[0]:
        begin_rows(table, room, first)
        last = end_of_rows(room)
        total += energy_of_rows(table, room, room.start, room.cluster, 4 * first, 4 * last)
        first = last
    return total


def push_pairs(table, t, bodies, rooms):
    for k in range(states_in(bodies.wrench)):
        push_state(table, bodies, room_of_state(rooms, k), k)
