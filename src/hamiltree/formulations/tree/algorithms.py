"""Tables, workspace and entry points of the rigid-body algorithms of a tree, in speeds: inverse and
forward dynamics, the mass matrix and its factor, momenta, Jacobians, derivatives.

A query is a NamedTuple whose type says what is asked; `run_query(query, tables, work, t, y, out)`
answers it in O(N) (matrices O(N depth)).
y holds q, then the speeds u, then a third vector (accelerations, forces); out is flat. World axes;
six-vectors with the angular part first.
A column is one speed as it moves one link: an axis has one, a ball three. Couplings add columns of
several links into one speed.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.quat import rotation_matrix
from hamiltree.algebra.rows import store_vector, vector_at
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.summation import are_finite
from hamiltree.algebra.values import transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.links import build_links
from hamiltree.compiled.kernel import Generic, guarded_kernel, inlined
from hamiltree.compiled.number import (
    WIDTH,
    add,
    broadcast_like,
    load,
    padded_length,
    read_only,
    rows,
    store,
)
from hamiltree.compiled.pointer import unpack
from hamiltree.compiled.triples import zero_like
from hamiltree.forces.laws import on_leader
from hamiltree.formulations.batch import read_lanes, write_lanes
from hamiltree.formulations.tree.balls import ball_quaternion
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree, make_tree_tables
from hamiltree.formulations.tree.hamiltonian_tree import workspace as tree_workspace
from hamiltree.formulations.tree.link_rows import (
    ColumnRow,
    FrameRow,
    InertiaRow,
    OriginRow,
    PairRow,
    TreeWork,
    axes_of,
    link,
    store_vector_row,
    to_triple,
    vector_row,
)
from hamiltree.formulations.tree.regularity import with_inertia_bounds
from hamiltree.model.forces import JointDamper, JointEffort, JointInput, JointSpring
from hamiltree.model.joints import axis_labels, speed_labels

run_query = Generic(
    "run_query", "run_query(query, tables, work, t, y, out): the answer to a query, flat", leading=1
).call


class AlgorithmTables(NamedTuple):
    tree: HamiltonianTree
    speeds: int
    stride: int  # of the rows of three matrices beside each other
    column_link: np.ndarray  # (columns,) the link that a column moves
    column_row: np.ndarray  # (columns,) its speed
    first_column: np.ndarray  # (links + 1,) of each link
    stiffness: np.ndarray  # (speeds,) of springs along them, for derivatives
    damping: np.ndarray
    row_order: np.ndarray  # (speeds,) outward
    row_parent: np.ndarray  # (speeds,) the next one inward, −1 at a root


class AlgorithmWork(NamedTuple):
    tree: TreeWork
    G: np.ndarray  # PairRow: twist of each column about the origin of its link
    #                                                                   evaluate_column_screws
    a: np.ndarray  # PairRow: acceleration of each link                 propagate_accelerations
    ydot: np.ndarray  # rates and efforts of joint laws                 evaluate_joint_forces
    third: np.ndarray  # (speeds,)                                      forward derivatives
    accumulator: np.ndarray  # one number
    # about the world's origin: prepare_derivatives
    column: np.ndarray  # ColumnRow
    twist: np.ndarray  # PairRow of each link
    acceleration: np.ndarray  # PairRow
    origin: np.ndarray  # OriginRow of each branch
    inertia: np.ndarray  # InertiaRow of each branch                    gather_composite_inertias
    moment: np.ndarray  # Vec3, one row: a sum
    wrench: np.ndarray  # Wrench, one row: a sum
    wide: np.ndarray  # matrices beside each other, rows of `stride` numbers
    square: np.ndarray  # the mass matrix, then its factor


# ---- assembly ------------------------------------------------------------------------------------
def assemble_algorithm_tables(model) -> AlgorithmTables:
    """The tree, and its columns and sparsity; a model with loops is refused."""
    links = build_links(model, "ht.dynamics")
    tree = with_inertia_bounds(make_tree_tables(model, links))
    n = len(links.parent)
    count = np.where(links.is_ball, 3, 1)
    first = np.concatenate([[0], np.cumsum(count)])
    column_link = np.repeat(np.arange(n), count)
    column_row = links.speed[column_link] + (np.arange(first[-1]) - first[column_link])
    order, parent = sparsity_tree(links, first, column_row, len(model.speeds))
    return AlgorithmTables(
        tree,
        len(model.speeds),
        padded_length(3 * len(model.speeds)),
        read_only(column_link),
        read_only(column_row),
        read_only(first),
        *map(read_only, joint_stiffness_and_damping(model)),
        read_only(order),
        read_only(parent),
    )


def joint_stiffness_and_damping(model) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and damping along each speed, of the springs and dampers on joints."""
    rows = {name: row for row, name in enumerate(model.speeds)}
    speeds = {joint.name: speed_labels(joint) for joint in model.joints}
    speed_of = dict(pair for joint in model.joints for pair in axis_labels(joint))
    stiffness, damping = np.zeros(len(rows)), np.zeros(len(rows))
    for position, force in enumerate(model.forces):
        if not isinstance(force, DIFFERENTIABLE_FORCES):
            continue
        force = on_leader(force, position, model.followers)
        for speed in [speed_of[force.joint]] if force.joint in speed_of else speeds[force.joint]:
            stiffness[rows[speed]] += getattr(force, "stiffness", 0.0)
            damping[rows[speed]] += getattr(force, "damping", 0.0)
    return stiffness, damping


DIFFERENTIABLE_FORCES = (
    JointSpring,
    JointDamper,
    JointEffort,
    JointInput,
)  # whose derivatives are known


def sparsity_tree(links, first, column_row, speeds) -> tuple[np.ndarray, np.ndarray]:
    """Speeds outward and the tree that the mass matrix has as its sparsity; with couplings it may
    be full.
    """
    order = np.array(list(dict.fromkeys(column_row.tolist())), dtype=np.int64).reshape(-1)
    parent = np.full(speeds, -1, dtype=np.int64)
    if (links.leader != np.arange(len(links.parent))).any():
        parent[order[1:]] = order[:-1]
        return order, parent
    for i, inner in enumerate(links.parent):
        own = column_row[first[i] : first[i + 1]]
        parent[own[1:]] = own[:-1]
        parent[own[0]] = column_row[first[inner + 1] - 1] if inner < len(links.parent) else -1
    return order, parent


def algorithm_workspace(tables: AlgorithmTables, width: int, has_matrices: bool) -> AlgorithmWork:
    """The workspace for one state (width 1) or four; matrices only for the queries that need
    them.
    """
    wide, square = (tables.speeds * tables.stride, tables.speeds**2) if has_matrices else (0, 0)
    n = len(tables.tree.parent) + 1
    columns = max(1, len(tables.column_link))
    size = sum(tables.tree.layout)
    tree = tree_workspace(
        tables.tree._replace(body_laws=tables.tree.body_laws._replace(has_any=True)), width
    )._replace(bias=rows(PairRow, n, width))
    return AlgorithmWork(
        tree,
        rows(PairRow, columns, width),
        rows(PairRow, n, width),
        rows(float, max(1, size), width),
        rows(float, max(1, tables.speeds), width),
        rows(float, 1, width),
        rows(ColumnRow, columns, width),
        *(rows(PairRow, n, width) for _ in range(2)),
        rows(OriginRow, n, width),
        rows(InertiaRow, n, width),
        rows(Vec3, 1, width),
        rows(Wrench, 1, width),
        rows(float, max(WIDTH, wide), width),
        rows(float, max(1, square), width),
    )


# ---- entry points --------------------------------------------------------------------------------
@guarded_kernel
def query_state(pointer, t, q, u, x, out):
    """One state; pointer = (query, tables, work, y). True if all of the answer is finite."""
    query, tables, work, y = unpack(pointer)
    positions, speeds = q.shape[0], u.shape[0]
    for i in range(positions):
        y[i] = q[i]
    for i in range(speeds):
        y[positions + i] = u[i]
    for i in range(x.shape[0]):
        y[positions + speeds + i] = x[i]
    run_query(query, tables, work, t, y, out)
    return are_finite(out)


@guarded_kernel
def query_states(pointer, t, q, u, x, out):
    """Many states, four at a time; pointer = (query, tables, work, y, answer) with lanes."""
    query, tables, work, y, answer = unpack(pointer)
    for first in range(0, q.shape[0], WIDTH):
        read_lanes(q, first, y, 0)
        read_lanes(u, first, y, q.shape[1])
        read_lanes(x, first, y, q.shape[1] + u.shape[1])
        run_query(query, tables, work, broadcast_like(t, load(y, 0)), y, answer)
        write_lanes(answer, 0, first, out)


# ---- between speeds and links --------------------------------------------------------------------
@inlined
def ball_axes(tree, work, y, b):
    """The axes in which the speeds of a ball are given, so that ω = axes u, world: the child's
    joint axes.
    """
    R = axes_of(work, tree.ball_link[b])
    if tree.ball_sign[b] > 0.0:
        return R
    return (R @ transpose(rotation_matrix(ball_quaternion(tree, y, b, 0)))) * -1.0


@inlined
def ball_vector(tree, work, y, first, b):
    """The three numbers of ball b among those from row `first` of y on, as a vector of the
    world.
    """
    return ball_axes(tree, work, y, b) @ vector_at(y, first + tree.speed[tree.ball_link[b]])


@inlined
def read_speeds(tree, work, y, first):
    """Rates of links from the speeds that begin at row `first` of y."""
    for i in range(tree.parent.shape[0]):
        store(work.rate, i, load(y, first + tree.speed[i]))
    for b in range(tree.ball_link.shape[0]):
        store_vector_row(work.ball_rate, b, ball_vector(tree, work, y, first, b))


@inlined
def read_forces(tree, work, y, first):
    """π of links from forces along speeds; a follower has none of its own."""
    for i in range(tree.parent.shape[0]):
        store(work.pi, i, load(y, first + tree.speed[i]))
    for k in range(tree.follower.shape[0]):
        store(work.pi, tree.follower[k], 0.0)
    for b in range(tree.ball_link.shape[0]):
        store_vector_row(work.ball_pi, b, ball_vector(tree, work, y, first, b))


@inlined
def write_speeds(tree, work, y, out):
    """Rates of links into speeds; of a ball on the axes of the child."""
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(out, tree.speed[i], load(work.rate, i))
    for b in range(tree.ball_link.shape[0]):
        w = transpose(ball_axes(tree, work, y, b)) @ vector_row(work.ball_rate, b)
        store_vector(out, tree.speed[tree.ball_link[b]], w)


@inlined
def write_forces(tree, work, y, out, sign):
    """sign·π of links into forces along speeds; those of a follower add to its leader's."""
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            store(out, tree.speed[i], 0.0)
    for i in range(tree.parent.shape[0]):
        if tree.ball[i] < 0:
            add(out, tree.speed[i], load(work.pi, i) * sign)
    for b in range(tree.ball_link.shape[0]):
        torque = transpose(ball_axes(tree, work, y, b)) @ vector_row(work.ball_pi, b)
        store_vector(out, tree.speed[tree.ball_link[b]], torque * sign)


@inlined
def evaluate_column_screws(tables, work, y):
    """G of every column, about the origin of its link. After forward_kinematics."""
    tree = tables.tree
    for i in range(tree.parent.shape[0]):
        first = tables.first_column[i]
        if tree.ball[i] < 0:
            g = load(work.tree.frame, i, FrameRow).z.a
            store(work.G, first, PairRow(g * link(tree, i).spin, g * link(tree, i).slide))
        else:
            axes = ball_axes(tree, work.tree, y, tree.ball[i])
            x = to_triple(axes.x)
            store(work.G, first, PairRow(x, zero_like(x)))
            store(work.G, first + 1, PairRow(to_triple(axes.y), zero_like(x)))
            store(work.G, first + 2, PairRow(to_triple(axes.z), zero_like(x)))


@inlined
def add_column(out, row, size, a, b):
    """(a, b) added to a column of a flat (6, size) matrix."""
    add(out, row, a.x)
    add(out, size + row, a.y)
    add(out, 2 * size + row, a.z)
    add(out, 3 * size + row, b.x)
    add(out, 4 * size + row, b.y)
    add(out, 5 * size + row, b.z)
