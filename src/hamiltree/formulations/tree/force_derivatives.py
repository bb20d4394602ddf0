"""Derivatives of a tree's dynamics with forces of any law.

The laws run on Bodies of duals (forces/derivatives.py), four directions at a time: the speeds of
the tree first as changes of position, then as changes of speed. With X the motion of a link along a
direction, V its twist and W the wrench on its branch, all about the world's origin,

  ∂V/∂q = X × V + Ψ,   Ψ = Σ v_parent × S along the path,   ∂V/∂u = X
  ∂Q_r/∂q = S_r · (∂W − X ×* W),   ∂Q_r/∂u = S_r · ∂W,   r a column of the link, S_r its screw.

States in lanes are taken one by one.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import ZERO_TWIST, ZERO_WRENCH, Twist, Wrench
from hamiltree.algebra.values import cross, dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.callback import (
    Addresses,
    Request,
    call,
    callback_table,
    entry,
    make_callbacks,
    number_type,
    pointer_table,
    struct_type,
    type_of,
)
from hamiltree.compiled.dual_arrays import dual_rows
from hamiltree.compiled.duals import ARITHMETIC, slopes_of, value_of, with_slopes
from hamiltree.compiled.kernel import compiled_as, inlined
from hamiltree.compiled.number import (
    WIDTH,
    add,
    lane,
    load,
    load_block,
    padded_length,
    read_only,
    rows,
    store,
    store_block,
)
from hamiltree.compiled.pointer import unpack
from hamiltree.compiled.stack import lane_count
from hamiltree.forces.derivatives import LawSlopes, needs_direction
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.tree.algorithms import AlgorithmTables, run_query
from hamiltree.formulations.tree.derivatives import (
    accelerate,
    differentiate_inverse_dynamics,
    solve_forward_derivatives,
    twist_cross,
    wrench_cross,
    write_inverse_derivatives,
)
from hamiltree.formulations.tree.link_rows import ColumnRow, PairRow, axes_of, to_twist

POSITIONS, SPEEDS = range(2)  # along which directions change something
NO_STATE = np.zeros(1, dtype=np.int64)  # laws keep nothing here


class Passes(NamedTuple):
    """Which laws and links are asked along each four directions."""

    # (passes, 2, laws): whether a law is asked, for changes of position and of speed
    asked: np.ndarray
    first: np.ndarray  # (passes, 2, 2): where the links of these laws begin and end in `links`
    links: np.ndarray
    inward: np.ndarray  # all links that carry one of these, outward


class ForceSlopes(NamedTuple):
    """The laws, and scratch for one state."""

    laws: LawSlopes
    passes: Passes
    speed: np.ndarray  # (coordinates,) the speed along each; −1 of a quaternion
    unit: np.ndarray  # (16,) the four directions
    y: np.ndarray  # coordinates, and their rates
    ydot: np.ndarray
    S: np.ndarray  # Twist of each column, as in AlgorithmWork
    psi: np.ndarray
    rotation: np.ndarray  # of each link
    position: np.ndarray
    twist: np.ndarray  # about the world's origin
    motion: np.ndarray  # Twist of lanes: X of each link along four directions
    turning: np.ndarray  # Twist of lanes: Ψ
    branch: np.ndarray  # Wrench on each branch, and its slopes
    slopes: np.ndarray
    moving: Bodies  # poses and twists are duals
    speeding: Bodies  # twists are
    by_position: np.ndarray  # (speeds, padded speeds): ∂Q/∂q
    by_speed: np.ndarray


def make_force_slopes(tables: AlgorithmTables, laws: LawSlopes) -> ForceSlopes:
    """Scratch for a tree; the ground is the last row."""
    tree, speeds = tables.tree, tables.speeds
    n, columns = len(tree.parent) + 1, max(1, len(tables.column_link))
    speed = np.full(max(1, tree.layout.positions), -1, dtype=np.int64)
    axes = tree.ball < 0
    speed[tree.coordinate[axes]] = tree.speed[axes]
    rotation, position = rows(Mat3, n, 1), rows(Vec3, n, 1)
    rotation[-1] = np.eye(3).ravel()
    twist, wrench = dual_rows(Twist, n), dual_rows(Wrench, n)
    of_duals = dual_rows(Mat3, n), dual_rows(Vec3, n)
    of_duals[0]["value"][-1] = rotation[-1]
    size = max(1, speeds), padded_length(max(1, speeds))
    return ForceSlopes(
        laws,
        make_passes(tables, laws),
        read_only(speed),
        read_only(np.eye(WIDTH).ravel()),
        *(rows(float, len(speed), 1) for _ in range(2)),
        *(rows(Twist, columns, 1) for _ in range(2)),
        rotation,
        position,
        rows(Twist, n, 1),
        *(rows(Twist, n, WIDTH) for _ in range(2)),
        rows(Wrench, n, 1),
        rows(Wrench, n, WIDTH),
        Bodies(*of_duals, twist, wrench, NO_STATE),
        Bodies(rotation, position, twist, wrench, NO_STATE),
        *(np.zeros(size) for _ in range(2)),
    )


def make_passes(tables: AlgorithmTables, laws: LawSlopes) -> Passes:
    """A law is left out where none of the directions changes its wrenches."""
    tree, n = tables.tree, len(tables.tree.parent)
    moves = np.zeros((n + 1, len(tables.column_link)), dtype=bool)  # column moves link
    for i in range(n):
        moves[i] = moves[tree.parent[i]]
        moves[i, tables.first_column[i] : tables.first_column[i + 1]] = True
    own = [pointer.parts[0] for pointer in laws.body_table.targets]
    count = -(-tables.speeds // WIDTH)
    asked = np.zeros((count, 2, len(own)), dtype=np.int64)
    touched, first = [], np.zeros((count, 2, 2), dtype=np.int64)
    for p in range(count):
        along = moves[:, tables.column_row // WIDTH == p]
        asked[p, 0] = [needs_direction(table, along) for table in own]
        asked[p, 1] = asked[p, 0] * laws.by_speed
        for side in range(2):
            found = [np.ravel(own[k].row) for k in np.flatnonzero(asked[p, side])]
            links = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *found]))
            first[p, side] = len(touched), len(touched) + np.count_nonzero(links < n)
            touched += links[links < n].tolist()
    is_inward = np.zeros(n + 1, dtype=bool)
    is_inward[touched] = True
    for i in range(n - 1, -1, -1):
        is_inward[tree.parent[i]] |= is_inward[i]
    inward = np.flatnonzero(is_inward[:n])
    return Passes(*map(read_only, (asked, first, np.array(touched, dtype=np.int64), inward)))


# ---- one state of many ---------------------------------------------------------------------------
@inlined
def lane_of_vector(v, l):
    return Vec3(lane(v.x, l), lane(v.y, l), lane(v.z, l))


@inlined
def lane_of_twist(a, l):
    return Twist(lane_of_vector(a.w, l), lane_of_vector(a.v, l))


@inlined
def read_state(query, tables, work, y, l):
    """Lane l of what differentiate_inverse_dynamics has left, as floats."""
    tree, inner, inward = tables.tree, work.tree, query.passes.inward
    for place in range(inward.shape[0]):
        i = inward[place]
        R = axes_of(inner, i)
        store(
            query.rotation,
            i,
            Mat3(lane_of_vector(R.x, l), lane_of_vector(R.y, l), lane_of_vector(R.z, l)),
        )
        store(query.position, i, lane_of_vector(load(inner.position, i, Vec3), l))
        store(query.twist, i, lane_of_twist(to_twist(load(work.twist, i, PairRow)), l))
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            column = load(work.column, c, ColumnRow)
            store(query.S, c, lane_of_twist(to_twist(column.S), l))
            store(query.psi, c, lane_of_twist(to_twist(column.psi), l))
    if query.laws.joint_table.shape[0] > 0:
        for i in range(tree.parent.shape[0]):
            if tree.ball[i] < 0:
                at = tree.coordinate[i]
                query.y[at] = lane(load(y, at), l)
                query.ydot[at] = lane(load(y, tree.layout.positions + tree.speed[i]), l)


def subtract_from_lane(array, i, l, x):
    array[i if array.ndim == 1 else (i, l)] -= x


@compiled_as(subtract_from_lane)
def compiled_subtract_from_lane(array, i, l, x):
    """From a float, or from one lane."""

    def from_float(array, i, l, x):
        array[i] -= x

    def from_lane(array, i, l, x):
        array[i, l] -= x

    return from_float if array.ndim == 1 else from_lane


# ---- bodies of duals -----------------------------------------------------------------------------
@inlined
def dual_vector(v, slopes):
    return Vec3(with_slopes(v.x, slopes.x), with_slopes(v.y, slopes.y), with_slopes(v.z, slopes.z))


@inlined
def values_of_vector(v):
    return Vec3(value_of(v.x), value_of(v.y), value_of(v.z))


@inlined
def slopes_of_vector(v):
    return Vec3(slopes_of(v.x), slopes_of(v.y), slopes_of(v.z))


@inlined
def propagate_motions(query, tables, first):
    """Outward: X and Ψ of every link along the speeds from `first` on."""
    tree = tables.tree
    n = tree.parent.shape[0]
    inward = query.passes.inward
    store(query.motion, n, ZERO_TWIST)
    store(query.turning, n, ZERO_TWIST)
    for place in range(inward.shape[0]):
        i = inward[place]
        X = load(query.motion, tree.parent[i], Twist)
        turning = load(query.turning, tree.parent[i], Twist)
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            k = tables.column_row[c] - first
            if 0 <= k < WIDTH:
                direction = load_block(query.unit, k)
                S, psi = load(query.S, c, Twist), load(query.psi, c, Twist)
                X = plus_scaled_by_lanes(X, S, direction)
                turning = plus_scaled_by_lanes(turning, psi, direction)
        store(query.motion, i, X)
        store(query.turning, i, turning)


@inlined
def plus_scaled_by_lanes(a, b, direction):
    """a + b of floats times lanes."""
    return Twist(plus_scaled(a.w, b.w, direction), plus_scaled(a.v, b.v, direction))


@inlined
def place_moving_links(query, p):
    """Poses and twists as duals: the tree moves along the directions."""
    links = query.passes.links
    for place in range(query.passes.first[p, POSITIONS, 0], query.passes.first[p, POSITIONS, 1]):
        i = links[place]
        X, V = load(query.motion, i, Twist), load(query.twist, i, Twist)
        R, at = load(query.rotation, i, Mat3), load(query.position, i, Vec3)
        moved = plus_cross(X.v, X.w, at)
        change = twist_cross(X, V) + load(query.turning, i, Twist)
        velocity = plus_cross(plus_cross(change.v, change.w, at), V.w, moved)
        store(query.moving.position, i, dual_vector(at, moved))
        store(
            query.moving.rotation,
            i,
            Mat3(
                dual_vector(R.x, cross(X.w, R.x)),
                dual_vector(R.y, cross(X.w, R.y)),
                dual_vector(R.z, cross(X.w, R.z)),
            ),
        )
        store(
            query.moving.twist,
            i,
            Twist(dual_vector(V.w, change.w), dual_vector(plus_cross(V.v, V.w, at), velocity)),
        )
        store(query.moving.wrench, i, ZERO_WRENCH)


@inlined
def place_speeding_links(query, p):
    """Twists as duals: the speeds change along the directions."""
    begin, end = query.passes.first[p, SPEEDS, 0], query.passes.first[p, SPEEDS, 1]
    for place in range(begin, end):
        i = query.passes.links[place]
        at, V = load(query.position, i, Vec3), load(query.twist, i, Twist)
        X = load(query.motion, i, Twist)
        velocity = dual_vector(plus_cross(V.v, V.w, at), plus_cross(X.v, X.w, at))
        store(query.speeding.twist, i, Twist(dual_vector(V.w, X.w), velocity))
        store(query.speeding.wrench, i, ZERO_WRENCH)


# ---- back to the speeds --------------------------------------------------------------------------
@inlined
def read_wrenches(query, tables, p, side):
    """Of the links that laws were asked for, about the world's origin, with their slopes."""
    inward, links = query.passes.inward, query.passes.links
    for place in range(inward.shape[0]):
        store(query.slopes, inward[place], ZERO_WRENCH)
        if side == POSITIONS:
            store(query.branch, inward[place], ZERO_WRENCH)
    for place in range(query.passes.first[p, side, 0], query.passes.first[p, side, 1]):
        i = links[place]
        W = load(query.moving.wrench, i, Wrench)
        at, X = load(query.position, i, Vec3), load(query.motion, i, Twist)
        f, df = values_of_vector(W.force), slopes_of_vector(W.force)
        torque = plus_cross(slopes_of_vector(W.torque), at, df)
        if side == POSITIONS:
            torque = plus_cross(torque, plus_cross(X.v, X.w, at), f)
            store(query.branch, i, Wrench(plus_cross(values_of_vector(W.torque), at, f), f))
        store(query.slopes, i, Wrench(torque, df))


@inlined
def add_projections(query, tables, p, side, out):
    """Inward: wrenches of branches, and what they do along the speeds."""
    tree, inward = tables.tree, query.passes.inward
    flat = out.reshape(out.size)
    for place in range(inward.shape[0] - 1, -1, -1):
        i = inward[place]
        change = load(query.slopes, i, Wrench)
        add(query.slopes, tree.parent[i], change)
        if side == POSITIONS:
            whole = load(query.branch, i, Wrench)
            add(query.branch, tree.parent[i], whole)
            carried = wrench_cross(load(query.motion, i, Twist), whole)
            change = Wrench(change.torque - carried.torque, change.force - carried.force)
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            S = load(query.S, c, Twist)
            along = dot(change.torque, S.w) + dot(change.force, S.v)
            block = tables.column_row[c] * (out.shape[1] // WIDTH) + p
            store_block(flat, block, load_block(flat, block) + along)


@inlined
def ask_laws(query, p, side, t, bodies):
    laws = query.laws
    for k in range(laws.body_table.shape[0]):
        if query.passes.asked[p, side, k] != 0:
            call(laws.body_code, k, side, laws.body_table, k, (t, bodies))


@inlined
def evaluate_force_slopes(query, tables, t):
    """∂Q/∂q and ∂Q/∂u of the state that was read."""
    laws, first = query.laws, query.passes.first
    for r in range(query.by_position.shape[0]):
        for c in range(query.by_position.shape[1]):
            query.by_position[r, c], query.by_speed[r, c] = 0.0, 0.0
    for k in range(laws.joint_table.shape[0]):
        call(
            laws.joint_code,
            k,
            0,
            laws.joint_table,
            k,
            (t, query.y, query.ydot, query.speed, query.by_position, query.by_speed),
        )
    for p in range(first.shape[0]):
        if first[p, POSITIONS, 0] < first[p, POSITIONS, 1]:
            propagate_motions(query, tables, p * WIDTH)
            place_moving_links(query, p)
            ask_laws(query, p, POSITIONS, t, query.moving)
            read_wrenches(query, tables, p, POSITIONS)
            add_projections(query, tables, p, POSITIONS, query.by_position)
        if first[p, SPEEDS, 0] < first[p, SPEEDS, 1]:
            place_speeding_links(query, p)
            ask_laws(query, p, SPEEDS, t, query.speeding)
            read_wrenches(query, tables, p, SPEEDS)
            add_projections(query, tables, p, SPEEDS, query.by_speed)


@entry
def evaluate_force_slopes_of(context, arguments):
    """Compiled by itself, once for all models; ARITHMETIC is read as a part of its key."""
    query, tables = unpack(context)
    (t,) = unpack(arguments)
    if len(ARITHMETIC) > 0:
        evaluate_force_slopes(query, tables, t)


class SlopesQuery(NamedTuple):
    """Scratch and laws, and the code that fills their matrices, behind addresses."""

    slopes: ForceSlopes
    code: Addresses  # (1, 1)
    context: Addresses  # (1,): ForceSlopes, AlgorithmTables


def make_slopes_query(tables: AlgorithmTables, laws: LawSlopes) -> SlopesQuery:
    slopes = make_force_slopes(tables, laws)
    signature = (
        struct_type(type_of(slopes), type_of(tables)),
        struct_type(number_type(1)),
    )
    code = make_callbacks([[Request(evaluate_force_slopes_of, signature)]])
    return SlopesQuery(slopes, callback_table(code, 1), pointer_table([(slopes, tables)]))


@inlined
def subtract_force_slopes(asked, tables, work, t, y):
    """From ∂τ/∂q and ∂τ/∂u in work.wide, state by state."""
    query, speeds = asked.slopes, tables.speeds
    for l in range(lane_count(load(y, 0))):
        read_state(query, tables, work, y, l)
        call(asked.code, 0, 0, asked.context, 0, (lane(t, l),))
        for r in range(speeds):
            for c in range(speeds):
                place = r * tables.stride + c
                subtract_from_lane(work.wide, place, l, query.by_position[r, c])
                subtract_from_lane(work.wide, place + speeds, l, query.by_speed[r, c])


class InverseDerivativesWithForces(NamedTuple):
    forces: SlopesQuery


@run_query.method(InverseDerivativesWithForces)
def inverse_derivatives_with_forces(query, tables, work, t, y, out):
    """As InverseDerivatives, with forces of any law."""
    third = tables.tree.layout.positions + tables.speeds
    differentiate_inverse_dynamics(tables, work, y, third)
    subtract_force_slopes(query.forces, tables, work, t, y)
    write_inverse_derivatives(tables, work, out)


class ForwardDerivativesWithForces(NamedTuple):
    forces: SlopesQuery


@run_query.method(ForwardDerivativesWithForces)
def forward_derivatives_with_forces(query, tables, work, t, y, out):
    """As ForwardDerivatives, with forces of any law."""
    loss = accelerate(tables, work, t, y)
    differentiate_inverse_dynamics(tables, work, y, tables.tree.layout.positions + tables.speeds)
    subtract_force_slopes(query.forces, tables, work, t, y)
    solve_forward_derivatives(tables, work, out, loss)
