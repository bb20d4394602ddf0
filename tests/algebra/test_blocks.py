"""Factorisation by blocks against dense matrices, on mechanisms of every shape; the order of
elimination against its definition.
"""

from types import SimpleNamespace

import numpy as np
import pytest

from hamiltree.assembly.independence import log_of_volume, multiply_volume
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, store
from hamiltree.errors import OptionError
from hamiltree.formulations.absolute.sparse_block_lu import (
    clear_blocks,
    diagonal_entry,
    factor_blocks,
    lower_entry,
    smallest_pivot,
    solve_blocks,
    upper_entry,
    workspace,
)
from hamiltree.formulations.absolute.sparse_block_plan import (
    elimination_order,
    plan_blocks,
    symmetric_plan,
)


@kernel
def solve_twice(plan, places, values, blocks, x, again, measures):
    """Fill, factor, then solve for two right-hand sides."""
    clear_blocks(plan, blocks)
    for i in range(places.shape[0]):
        store(blocks, places[i], load(values, i))
    factor_blocks(plan, blocks)
    solve_blocks(plan, blocks, x)
    solve_blocks(plan, blocks, again)
    for node in range(plan.sizes.shape[0]):
        store(measures, node, smallest_pivot(plan, blocks, node))


@kernel
def volume_of(shares):
    """As the volume of constraint rows is found, one after another."""
    volume, log_volume = 1.0, 0.0
    for i in range(shares.shape[0]):
        volume, log_volume = multiply_volume(volume, log_volume, shares[i])
    return log_of_volume(volume, log_volume)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_the_volume_of_many_rows_is_a_number(scale):
    """Of two thousand shares the product is no float; it is compared by its logarithm."""
    shares = scale * np.random.default_rng(5).uniform(0.01, 1.0, 2000)
    assert volume_of(shares) == pytest.approx(np.log2(shares).sum(), rel=1e-13)
    shares[1500] /= 1024.0
    assert volume_of(shares) == pytest.approx(np.log2(shares).sum(), rel=1e-13)
    for wrong in (0.0, np.nan):
        shares[700] = wrong
        assert volume_of(shares) == np.inf  # not known


# ---- mechanisms ----------------------------------------------------------------------------------
def chain(n):
    return [i - 1 for i in range(n)], []


def star(n):
    return [-1, *[0] * (n - 1)], []


def bush(n):
    rng = np.random.default_rng(n)
    return [int(rng.integers(max(-1, i - 5), i)) for i in range(n)], []


def ring_through_the_ground(n):
    return [i - 1 for i in range(n)], [[n - 1]]


def ring_on_a_body(n):
    return [i - 1 for i in range(n)], [[n - 1, 0]]


def rings_on_a_tree(n):
    """Rings of six bodies, each two branches that meet, hanging on bodies of others."""
    parents, loops = [-1], []
    while len(parents) + 5 <= n:
        root, first = (len(parents) * 2) // 3, len(parents)
        parents += [root, first, first + 1, root, first + 3]
        loops.append([first + 2, first + 4])
    return parents, loops


def coupled_bush(n):
    """Rows on four bodies, rows on three and the ground, loops inside loops."""
    parents, _ = bush(n)
    return parents, [
        [n - 1, n // 2, n // 3, 0],
        [-1, n - 2, n // 4],
        [n - 1, n - 3],
        [n - 4, n - 1, 1],
    ]


SHAPES = (chain, star, bush, ring_through_the_ground, ring_on_a_body, rings_on_a_tree, coupled_bush)


def mechanism(shape, n, seed=0):
    """Bodies of 6 to 8 unknowns in shuffled numbers, joints of 1 to 4 rows, loops of 1 or 2."""
    rng = np.random.default_rng(seed)
    parents, loops = shape(n)
    number = rng.permutation(len(parents)).tolist()
    name = lambda body: number[body] if body >= 0 else -1
    renamed = [name(parents[number.index(b)]) for b in range(len(parents))]
    joints = [[b, renamed[b]] if renamed[b] >= 0 else [b] for b in range(len(parents))]
    touched = joints + [[name(b) for b in loop] for loop in loops]
    groups = [*rng.integers(1, 5, len(joints)), *rng.integers(1, 3, len(loops))]
    closing = list(range(len(joints), len(touched)))
    return described(
        renamed,
        rng.integers(6, 9, len(parents)),
        groups,
        [[b] for b in range(len(parents))],
        closing,
        touched,
    )


def described(parents, sizes, groups, tree_groups, closing, touched):
    order = elimination_order(parents, tree_groups, closing, touched)
    plan = plan_blocks(sizes, groups, touched, order)
    return SimpleNamespace(**locals())


def halved(m):
    """Of a symmetric matrix only one half is filled."""
    m.plan = symmetric_plan(m.plan)
    return m


class Matrix:
    """The same random values by their places in storage and as a dense matrix; `rows(k, slot)`
    gives B, at random if it is None.
    """

    def __init__(self, m, rng, is_symmetric=True, rows=None):
        self.plan, self.places, self.values = m.plan, [], []
        self.dense = np.zeros((m.plan.unknowns, m.plan.unknowns))
        for body, size in enumerate(m.sizes):
            root = rng.normal(size=(size, size))
            skew = 0.0 if is_symmetric else 0.3 * (root - root.T)
            self.put(body, body, root @ root.T / size + np.eye(size) + skew, diagonal_entry, body)
        for k, slot, body in (
            (k, slot, body)
            for k, near in enumerate(m.touched)
            for slot, body in enumerate(near)
            if body >= 0
        ):
            lower = rows(k, slot) if rows else rng.normal(size=(m.groups[k], m.sizes[body]))
            upper = lower.T if is_symmetric else lower.T + 0.1 * rng.normal(size=lower.T.shape)
            self.put(len(m.sizes) + k, body, lower, lower_entry, k, slot)
            self.put(body, len(m.sizes) + k, upper, upper_entry, k, slot)
        self.places, self.values = np.concatenate(self.places), np.concatenate(self.values)

    def put(self, node, other, block, entry, *which):
        at, beside = self.plan.at[node], self.plan.at[other]
        self.dense[at : at + block.shape[0], beside : beside + block.shape[1]] = block
        self.places.append(entry(self.plan, *which, *np.indices(block.shape)).ravel())
        self.values.append(block.ravel())

    def solve(self, b, c, function=solve_twice):
        return solved(self.plan, self.places, self.values, b, c, function)


def solved(plan, places, values, b, c, function=solve_twice):
    """Two solutions and the measure of every node, for floats or lanes."""
    blocks, x = workspace(plan, 1 if b.ndim == 1 else WIDTH)
    blocks[:] = np.nan  # what is not cleared is seen
    x[:], again, measures = b, np.array(c), np.full((len(plan.sizes), *b.shape[1:]), np.nan)
    function(plan, places, values, blocks, x, again, measures)
    return x, again, measures


# ---- solutions -----------------------------------------------------------------------------------
CASES = [
    (shape, n)
    for shape in SHAPES
    for n in (1, 7, 30)
    if n > 1 or shape in (chain, ring_through_the_ground)
]


@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize("shape, n", CASES)
def test_the_solution_is_that_of_the_dense_matrix(shape, n, is_symmetric):
    rng = np.random.default_rng(n)
    matrix = Matrix(mechanism(shape, n, seed=n), rng, is_symmetric)
    b, c = rng.normal(size=(2, matrix.plan.unknowns))
    x, again, _ = matrix.solve(b, c)
    wanted = np.linalg.solve(matrix.dense, np.stack([b, c], 1)).T
    np.testing.assert_allclose(
        [x, again], wanted, rtol=0, atol=1e-15 * np.linalg.cond(matrix.dense) * abs(wanted).max()
    )


@pytest.mark.parametrize("shape, n", CASES)
def test_half_of_a_symmetric_matrix_is_enough(shape, n):
    rng = np.random.default_rng(n)
    matrix = Matrix(halved(mechanism(shape, n, seed=n)), rng)
    b, c = rng.normal(size=(2, matrix.plan.unknowns))
    x, again, _ = matrix.solve(b, c)
    wanted = np.linalg.solve(matrix.dense, np.stack([b, c], 1)).T
    np.testing.assert_allclose(
        [x, again], wanted, rtol=0, atol=1e-15 * np.linalg.cond(matrix.dense) * abs(wanted).max()
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_two_hundred_bodies_leave_a_residual_of_rounding(shape):
    rng = np.random.default_rng(5)
    matrix = Matrix(mechanism(shape, 200), rng, is_symmetric=False)
    b, c = rng.normal(size=(2, matrix.plan.unknowns))
    x, again, _ = matrix.solve(b, c)
    assert abs(matrix.dense @ x - b).max() < 1e-13 * abs(x).max()
    assert abs(matrix.dense @ again - c).max() < 1e-13 * abs(again).max()


@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize("shape", [rings_on_a_tree, coupled_bush])
def test_lanes_and_floats_agree_to_the_bit(shape, is_symmetric):
    m = halved(mechanism(shape, 20)) if is_symmetric else mechanism(shape, 20)
    matrices = [Matrix(m, np.random.default_rng(seed), is_symmetric) for seed in range(WIDTH)]
    b, c = np.random.default_rng(9).normal(size=(2, WIDTH, m.plan.unknowns))
    one_by_one = [matrix.solve(b[k], c[k]) for k, matrix in enumerate(matrices)]
    values = np.stack([matrix.values for matrix in matrices], 1)
    together = solved(
        m.plan, matrices[0].places, values, np.ascontiguousarray(b.T), np.ascontiguousarray(c.T)
    )
    for single, wide in zip(zip(*one_by_one, strict=True), together, strict=True):
        np.testing.assert_array_equal(np.stack(single, 1), wide)


def test_compiled_equals_interpreted():
    """Interpreted, every address is checked to lie inside its array."""
    matrix = Matrix(mechanism(coupled_bush, 9), np.random.default_rng(4), is_symmetric=False)
    b, c = np.random.default_rng(3).normal(size=(2, matrix.plan.unknowns))
    for compiled, interpreted in zip(
        matrix.solve(b, c), matrix.solve(b, c, solve_twice.py_func), strict=True
    ):
        np.testing.assert_allclose(compiled, interpreted, rtol=1e-9, atol=1e-11)


def test_a_group_without_rows_changes_nothing():
    rng, touched = np.random.default_rng(2), [[0], [1, 0], [2, 0], [2, 1]]
    m = described([-1, 0, 0], [6, 7, 8], [4, 0, 2, 0], [[0], [1], [2]], [3], touched)
    matrix = Matrix(m, rng)
    b = rng.normal(size=matrix.plan.unknowns)
    np.testing.assert_allclose(matrix.dense @ matrix.solve(b, b)[0], b, atol=1e-13)
    assert len(m.plan.pairs) == 3


# ---- pivots --------------------------------------------------------------------------------------
def rigid_loop(redundant, scale=1.0):
    """Four bodies in a ring on the first one, rows on differences of twists: only the ring as a
    whole moves freely.

    The closing rows are random; or the first of them is a sum of rows of the joints, which all hold
    already.
    """
    rng = np.random.default_rng(11)
    m = described(
        [-1, 0, 1, 2],
        [6] * 4,
        [2, 3, 3, 3, 3],
        [[0], [1], [2], [3]],
        [4],
        [[0], [1, 0], [2, 1], [3, 2], [3, 0]],
    )
    wrenches = rng.normal(size=(5, 3, 6))
    if redundant:
        # the same row in every joint: they add up to the row that closes the ring
        wrenches[1:, 0] = wrenches[1, 0]
    wrenches[4] *= scale
    matrix = Matrix(m, rng, rows=lambda k, slot: wrenches[k, : m.groups[k]] * (1.0, -1.0)[slot])
    b = rng.normal(size=matrix.plan.unknowns)
    return matrix, b, *matrix.solve(b, b)


def test_a_loop_on_a_body_that_moves_is_solved():
    """The closing group goes while the body that carries the loop remains: that costs no rank,
    because only differences count.
    """
    matrix, b, x, _, measures = rigid_loop(redundant=False)
    assert matrix.plan.steps[:, 0].tolist().index(matrix.plan.diagonal[8]) == 6
    np.testing.assert_allclose(matrix.dense @ x, b, atol=1e-12)
    assert measures.min() > 0.01 and measures.max() <= 1.0


def test_a_redundant_row_is_told_by_the_pivot_of_its_group():
    *_, measures = rigid_loop(redundant=True)
    assert measures[8] < 1e-14
    assert measures[:8].min() > 0.01


def test_the_measure_of_a_pivot_does_not_depend_on_units():
    np.testing.assert_allclose(rigid_loop(False, scale=1e7)[-1], rigid_loop(False)[-1], rtol=1e-9)


@pytest.mark.parametrize("row", [0.0, np.nan])
def test_rows_that_say_nothing_have_no_pivot(row):
    m = described([-1], [6], [2], [[0]], [], [[0]])
    matrix = Matrix(m, np.random.default_rng(1), rows=lambda k, slot: np.full((2, 6), row))
    assert np.isnan(matrix.solve(np.zeros(8), np.zeros(8))[2][1])


# ---- order and fill ------------------------------------------------------------------------------
def path(body, parents):
    """The body and all that carry it, the ground last."""
    return [body, *path(parents[body], parents)] if body >= 0 else [-1]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_closing_group_goes_as_soon_as_its_loop_is_complete(shape):
    m = mechanism(shape, 40, seed=1)
    bodies, when = len(m.parents), {node: i for i, node in enumerate(m.order)}
    assert all(when[b] < when[bodies + b] < when.get(m.parents[b], np.inf) for b in range(bodies))
    for k in m.closing:
        paths = [path(body, m.parents) for body in m.touched[k]] + [[-1]] * (len(m.touched[k]) == 1)
        shared = set.intersection(*map(set, paths))
        loop = set().union(*paths) - shared
        assert loop and max(when[bodies + b] for b in loop) < when[bodies + k]
        last = max(when[b] for b in loop)
        assert not [b for b in range(bodies) if last < when[b] < when[bodies + k]]


@pytest.mark.parametrize("shape", [chain, star, bush])
def test_trees_have_no_fill(shape):
    """One pair for each body that a joint touches, and nothing besides."""
    m = mechanism(shape, 100)
    assert len(m.plan.pairs) == sum(map(len, m.touched))


def test_storage_grows_linearly_with_a_ring_on_a_long_chain():
    """The closing group is coupled with every node of its loop as long as it waits: one pair more
    for each.
    """
    for n in (10, 100, 5_000):
        parents, loops = ring_through_the_ground(n)
        m = described(
            parents,
            [6] * n,
            [5] * n + [3],
            [[b] for b in range(n)],
            [n],
            [[b, b - 1] if b else [b] for b in range(n)] + loops,
        )
        assert len(m.plan.pairs) == 2 * n - 1 + 2 * n
        assert (
            m.plan.total
            == n * (14 * 8 + 12 * 8 + 12 * 4) + n * (12 * 8 + 10 * 4) + (n - 1) * 10 * 8 + 8 * 4
        )


# ---- refusals ------------------------------------------------------------------------------------
REFUSED = [
    ([[0, 1]], [0, 1], "names each"),
    ([[0, 1]], [0, 1, 1], "names each"),
    ([[0, 0]], [0, 1, 2], "group 0 touches"),
    ([[2]], [0, 1, 2], "group 0 touches"),
    ([], [0, 1, 2], "`touched`"),
]


@pytest.mark.parametrize("touched, order, word", REFUSED)
def test_a_graph_that_cannot_be_is_refused(touched, order, word):
    with pytest.raises(OptionError, match=word):
        plan_blocks([6, 6], [3], touched, order)


def test_bodies_that_carry_each_other_are_refused():
    with pytest.raises(OptionError, match="body 1 is not connected to the ground"):
        elimination_order([-1, 2, 1], [[], [], []], [], [])
