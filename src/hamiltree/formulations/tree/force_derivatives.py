"""Derivatives of a tree's dynamics with forces of any law.

The laws run on Bodies of duals (forces/derivatives.py), four directions at a time: the speeds of
the tree first as changes of position, then as changes of speed. With X the motion of a link along a
direction, V its twist and W the wrench on it, all about the world's origin,

  ∂V/∂q = X × V + Ψ,   Ψ = Σ v_parent × S along the path,   ∂V/∂u = X
  ∂Q_r/∂q = S_r · Σ (∂W − X ×* W),   ∂Q_r/∂u = S_r · Σ ∂W,   S_r the screw of a column r,

summed over the links that r carries. The rest of ∂Q/∂q, as if wrenches were fixed to their links,
is what the wrenches of inertia have too, and is found with theirs (derivatives.py).
States in lanes are taken one by one.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import ZERO_TWIST, ZERO_WRENCH, Twist, Wrench
from hamiltree.algebra.turning import values_of
from hamiltree.algebra.values import dot, plus_cross, plus_scaled
from hamiltree.algebra.vec3 import ZERO, Vec3
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
from hamiltree.compiled.duals import ARITHMETIC, slopes_of, with_slopes
from hamiltree.compiled.kernel import inlined
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
from hamiltree.compiled.triples import zero_like
from hamiltree.forces.derivatives import LawSlopes
from hamiltree.forces.dispatch import BodyLawDispatch
from hamiltree.formulations.tree.algorithms import AlgorithmTables, run_query
from hamiltree.formulations.tree.body_forces import clear_wrenches
from hamiltree.formulations.tree.derivatives import (
    accelerate_links,
    add_derivatives,
    clear_matrices,
    keep_accelerations,
    prepare_columns,
    solve_forward_derivatives,
    twist_cross,
    write_inverse_derivatives,
)
from hamiltree.formulations.tree.dynamics import (
    evaluate_body_laws,
    propagate_inertial_wrenches,
    solve_under_wrenches,
    subtract_wrenches,
)
from hamiltree.formulations.tree.force_passes import (
    AGAIN,
    FIRST,
    POSITIONS,
    SPEEDS,
    Passes,
    make_passes,
)
from hamiltree.formulations.tree.link_rows import (
    ColumnRow,
    OriginRow,
    PairRow,
    axes_of,
    to_triple,
    to_twist,
)
from hamiltree.formulations.tree.one_of_many import (
    add_to_lane,
    lane_of_twist,
    lane_of_vector,
    subtract_from_lane,
)
from hamiltree.formulations.tree.sweeps import forward_kinematics


class Changes(NamedTuple):
    """Of a wrench about the world's origin, for an observer on the link."""

    by_position: Wrench
    by_speed: Wrench


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
    twist: np.ndarray  # of each link about the world's origin
    motion: np.ndarray  # Twist of lanes: X of each link along four directions
    turning: np.ndarray  # Twist of lanes: Ψ
    slopes: np.ndarray  # Changes of lanes, of each branch
    wrench: np.ndarray  # Wrench of the laws on each link, about its origin
    by_twist: np.ndarray  # Wrench of lanes: the slopes of laws.speeding
    by_position: np.ndarray  # (speeds, padded speeds): ∂Q/∂q
    by_speed: np.ndarray
    flat: np.ndarray  # (2, …) the same numbers in rows


def make_force_slopes(tables: AlgorithmTables, laws: LawSlopes) -> ForceSlopes:
    """Scratch for a tree; the ground is the last row."""
    tree, speeds = tables.tree, tables.speeds
    n, columns = len(tree.parent) + 1, max(1, len(tables.column_link))
    speed = np.full(max(1, tree.layout.positions), -1, dtype=np.int64)
    axes = tree.ball < 0
    speed[tree.coordinate[axes]] = tree.speed[axes]
    matrices = np.zeros((2, max(1, speeds), padded_length(max(1, speeds))))
    return ForceSlopes(
        laws,
        make_passes(tables, laws),
        read_only(speed),
        read_only(np.eye(WIDTH).ravel()),
        *(rows(float, len(speed), 1) for _ in range(2)),
        *(rows(Twist, columns, 1) for _ in range(2)),
        rows(Twist, n, 1),
        *(rows(Twist, n, WIDTH) for _ in range(2)),
        rows(Changes, n, WIDTH),
        rows(Wrench, n, 1),
        laws.speeding.wrench.view(float).reshape(n, -1, WIDTH),
        *matrices,
        matrices.reshape(2, -1),
    )


# ---- one state of many ---------------------------------------------------------------------------
@inlined
def read_state(query, tables, work, y, l):
    """Lane l of what prepare_columns has left, as floats."""
    tree, inner, inward = tables.tree, work.tree, query.passes.inward
    for place in range(inward.shape[0]):
        i = inward[place]
        R = axes_of(inner, i)
        store(
            query.laws.speeding.rotation,
            i,
            Mat3(lane_of_vector(R.x, l), lane_of_vector(R.y, l), lane_of_vector(R.z, l)),
        )
        store(query.laws.speeding.position, i, lane_of_vector(load(inner.position, i, Vec3), l))
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


# ---- bodies of duals -----------------------------------------------------------------------------
@inlined
def dual_vector(v, slopes):
    return Vec3(with_slopes(v.x, slopes.x), with_slopes(v.y, slopes.y), with_slopes(v.z, slopes.z))


@inlined
def propagate_motions(query, tables, first):
    """Outward: X and Ψ of every link along the speeds from `first` on."""
    tree = tables.tree
    n = tree.parent.shape[0]
    inward = query.passes.inward
    store(query.motion, n, ZERO_TWIST)
    store(query.turning, n, ZERO_TWIST)
    last, X, turning = n, load(query.motion, n, Twist), load(query.turning, n, Twist)
    for place in range(inward.shape[0]):
        i = inward[place]
        if tree.parent[i] != last:
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
        last = i


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
        at = load(query.laws.speeding.position, i, Vec3)
        moved = plus_cross(X.v, X.w, at)
        change = twist_cross(X, V) + load(query.turning, i, Twist)
        velocity = plus_cross(plus_cross(change.v, change.w, at), V.w, moved)
        store(query.laws.moving.position, i, dual_vector(at, moved))
        store(query.laws.moving.rotation.turn, i, dual_vector(ZERO, X.w))
        store(
            query.laws.moving.twist,
            i,
            Twist(dual_vector(V.w, change.w), dual_vector(plus_cross(V.v, V.w, at), velocity)),
        )
        store(query.laws.moving.wrench, i, ZERO_WRENCH)


@inlined
def place_speeding_links(query, p):
    """Twists as duals: the speeds change along the directions. Their values are there, and points
    change their velocities as they changed their places.
    """
    begin, end = query.passes.first[p, SPEEDS, 0], query.passes.first[p, SPEEDS, 1]
    for place in range(begin, end):
        i = query.passes.links[place]
        V, moved = (
            load(query.laws.moving.twist, i, Twist),
            load(query.laws.moving.position, i, Vec3),
        )
        turn, velocity = load(query.motion, i, Twist).w, slopes_of_vector(moved)
        store(
            query.laws.speeding.twist, i, Twist(dual_vector(V.w, turn), dual_vector(V.v, velocity))
        )
        store(query.by_twist, i, ZERO_WRENCH)


# ---- back to the speeds --------------------------------------------------------------------------
@inlined
def clear_changes(query):
    for place in range(query.passes.inward.shape[0]):
        store(query.slopes, query.passes.inward[place], Changes(ZERO_WRENCH, ZERO_WRENCH))


@inlined
def slopes_of_vector(v):
    return Vec3(slopes_of(v.x), slopes_of(v.y), slopes_of(v.z))


@inlined
def about_world_origin(at, W):
    return Wrench(plus_cross(W.torque, at, W.force), W.force)


@inlined
def read_slopes_by_position(query, p):
    """Of the links that laws were asked for: ∂W − X ×* W, how wrenches change for an observer on
    the link.
    """
    for place in range(query.passes.first[p, POSITIONS, 0], query.passes.first[p, POSITIONS, 1]):
        i = query.passes.links[place]
        W, turn = load(query.laws.moving.wrench, i, Wrench), load(query.motion, i, Twist).w
        seen = Wrench(
            plus_cross(slopes_of_vector(W.torque), values_of(W.torque), turn),
            plus_cross(slopes_of_vector(W.force), values_of(W.force), turn),
        )
        at = load(query.laws.speeding.position, i, Vec3)
        store(query.slopes, i, Changes(about_world_origin(at, seen), ZERO_WRENCH))


@inlined
def read_slopes_by_speed(query, p):
    """The same where speeds change; what is asked here was asked for positions too."""
    for place in range(query.passes.first[p, SPEEDS, 0], query.passes.first[p, SPEEDS, 1]):
        i = query.passes.links[place]
        dW, at = load(query.by_twist, i, Wrench), load(query.laws.speeding.position, i, Vec3)
        add(query.slopes, i, Changes(ZERO_WRENCH, about_world_origin(at, dW)))


@inlined
def add_projections(query, tables, p):
    """Inward: changes of wrenches of branches, and what they do along the speeds; that of a branch
    is in registers where its parent comes next.
    """
    tree, inward = tables.tree, query.passes.inward
    by_position, by_speed = query.flat[POSITIONS], query.flat[SPEEDS]
    blocks = query.by_position.shape[1] // WIDTH
    store(query.slopes, tree.parent.shape[0], Changes(ZERO_WRENCH, ZERO_WRENCH))
    last, branch = -1, load(query.slopes, tree.parent.shape[0], Changes)
    for place in range(inward.shape[0] - 1, -1, -1):
        i = inward[place]
        change = load(query.slopes, i, Changes)
        if last >= 0 and tree.parent[last] == i:
            change = sum_of_changes(change, branch)
        elif last >= 0:
            add(query.slopes, tree.parent[last], branch)
        last, branch = i, change
        for c in range(tables.first_column[i], tables.first_column[i + 1]):
            S, block = load(query.S, c, Twist), tables.column_row[c] * blocks + p
            add_block(by_position, block, dot(change.by_position, S))
            add_block(by_speed, block, dot(change.by_speed, S))


@inlined
def sum_of_changes(a, b):
    by_position, by_speed = a.by_position + b.by_position, a.by_speed + b.by_speed
    return Changes(by_position, by_speed)


@inlined
def add_block(array, block, x):
    store_block(array, block, load_block(array, block) + x)


@inlined
def ask_laws(query, p, side, how, t):
    laws = query.laws
    for k in range(laws.by_speed.shape[0]):
        if query.passes.asked[p, side, k] == how:
            call(laws.body_code, k, side, laws.body_table, 2 * k + side, (t,))


@inlined
def ask_laws_with_values(query, p, t):
    """Those that were not asked before come first: all wrenches that are there are theirs."""
    ask_laws(query, p, POSITIONS, FIRST, t)
    for place in range(query.passes.first[p, POSITIONS, 0], query.passes.first[p, POSITIONS, 1]):
        i = query.passes.links[place]
        W = load(query.laws.moving.wrench, i, Wrench)
        add(query.wrench, i, Wrench(values_of(W.torque), values_of(W.force)))
    ask_laws(query, p, POSITIONS, AGAIN, t)


@inlined
def evaluate_force_slopes(query, tables, t):
    """∂Q/∂q and ∂Q/∂u of the state that was read, and the wrenches of the laws."""
    laws, first = query.laws, query.passes.first
    for i in range(query.wrench.shape[0]):
        store(query.wrench, i, ZERO_WRENCH)
    for k in range(query.flat.shape[1] // WIDTH):
        store_block(query.flat[POSITIONS], k, 0.0)
        store_block(query.flat[SPEEDS], k, 0.0)
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
            ask_laws_with_values(query, p, t)
            clear_changes(query)
            read_slopes_by_position(query, p)
            if first[p, SPEEDS, 0] < first[p, SPEEDS, 1]:
                place_speeding_links(query, p)
                ask_laws(query, p, SPEEDS, AGAIN, t)
                read_slopes_by_speed(query, p)
            add_projections(query, tables, p)


@entry
def evaluate_force_slopes_of(context, arguments):
    """Compiled by itself, once for all models; ARITHMETIC is read as a part of its key."""
    query, tables = unpack(context)
    if len(ARITHMETIC) > 0:
        evaluate_force_slopes(query, tables, unpack(arguments)[0])


class SlopesQuery(NamedTuple):
    """Scratch and laws, and the code that fills their matrices, behind addresses."""

    slopes: ForceSlopes
    code: Addresses  # (1, 1)
    context: Addresses  # (1,): ForceSlopes, AlgorithmTables
    others: BodyLawDispatch  # the laws on bodies whose derivatives are constant


def make_slopes_query(
    tables: AlgorithmTables, laws: LawSlopes, others: BodyLawDispatch
) -> SlopesQuery:
    """Scratch, and the code that is compiled once for all models."""
    slopes = make_force_slopes(tables, laws)
    signature = (
        struct_type(type_of(slopes), type_of(tables)),
        struct_type(number_type(1)),
    )
    code = make_callbacks([[Request(evaluate_force_slopes_of, signature)]])
    return SlopesQuery(slopes, callback_table(code, 1), pointer_table([(slopes, tables)]), others)


@inlined
def subtract_force_slopes(asked, tables, work, t, y):
    """From ∂τ/∂q and ∂τ/∂u in work.wide, state by state; wrenches of the laws into work.tree. The
    columns are prepared.
    """
    query, speeds = asked.slopes, tables.speeds
    clear_wrenches(tables.tree, work.tree.wrench)
    for l in range(lane_count(load(y, 0))):
        read_state(query, tables, work, y, l)
        call(asked.code, 0, 0, asked.context, 0, (lane(t, l),))
        subtract_matrix(tables, work, query.flat[POSITIONS], 0, l)
        subtract_matrix(tables, work, query.flat[SPEEDS], speeds, l)
        for i in range(tables.tree.parent.shape[0]):
            add_to_lane(work.tree.wrench, i, l, query.wrench)
    prepare_loads(tables.tree, work)


@inlined
def subtract_matrix(tables, work, matrix, first, l):
    """From the columns `first` … of work.wide, in lane l; rows of `matrix` are padded."""
    speeds = tables.speeds
    for r in range(speeds):
        row = r * (matrix.shape[0] // speeds)
        for c in range(speeds):
            subtract_from_lane(work.wide, r * tables.stride + first + c, l, load(matrix, row + c))


@inlined
def prepare_loads(tree, work):
    """The wrenches of the laws, opposite, where accelerate_links adds those of inertia."""
    for i in range(tree.parent.shape[0]):
        own, at = load(work.tree.wrench, i, Wrench), load(work.tree.position, i, Vec3)
        W = about_world_origin(at, own)
        torque, force = to_triple(-W.torque), to_triple(-W.force)
        none = zero_like(torque)
        store(work.origin, i, OriginRow(none, none, none, none, none, none, none, torque, force))


class InverseDerivativesWithForces(NamedTuple):
    forces: SlopesQuery


@run_query.method(InverseDerivativesWithForces)
def inverse_derivatives_with_forces(query, tables, work, t, y, out):
    """As InverseDerivatives, with forces of any law."""
    forward_kinematics(tables.tree, work.tree, y)
    clear_matrices(work)
    prepare_columns(tables, work, y)
    subtract_force_slopes(query.forces, tables, work, t, y)
    accelerate_links(tables, work, y, tables.tree.layout.positions + tables.speeds, True)
    add_derivatives(tables, work)
    write_inverse_derivatives(tables, work, out)


class ForwardDerivativesWithForces(NamedTuple):
    forces: SlopesQuery


@run_query.method(ForwardDerivativesWithForces)
def forward_derivatives_with_forces(query, tables, work, t, y, out):
    """As ForwardDerivatives, with forces of any law, whose wrenches come with their derivatives."""
    tree = tables.tree
    forward_kinematics(tree, work.tree, y)
    clear_matrices(work)
    prepare_columns(tables, work, y)
    subtract_force_slopes(query.forces, tables, work, t, y)
    propagate_inertial_wrenches(tree, work, y, -1)
    if query.forces.others.has_any:
        evaluate_body_laws(tree, work, query.forces.others, t)
    subtract_wrenches(tree, work)
    solve_under_wrenches(tables, work, t, y, True)
    loss = keep_accelerations(tables, work, y)
    accelerate_links(tables, work, y, tree.layout.positions + tables.speeds, True)
    add_derivatives(tables, work)
    solve_forward_derivatives(tables, work, out, loss)
