"""The coefficients of implicit Runge–Kutta methods and pairs, in blocks of four stages, and the
scratch of their steps.

μ_ij = a_ij / b_j for the rows of positions and for those of momenta, symplectic exactly in floating
point; first guesses from substep to substep.
"""

from decimal import Decimal, localcontext
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import WIDTH, rows
from hamiltree.integrators.compositions import Substeps, ratios_of, substeps_of
from hamiltree.integrators.convergence import STAGE_LIMITS, IterationLimits
from hamiltree.integrators.implicit_solver import AUTOMATIC, NEWTON
from hamiltree.integrators.integrator import State, new_state
from hamiltree.integrators.newton import NewtonScratch, no_newton
from hamiltree.integrators.quadrature_nodes import evaluate_polynomial, lagrange_basis
from hamiltree.integrators.tableau import DIGITS, PartitionedTableau, Tableau

EARLIER_STAGES = 2  # of the step before, in a first guess
# of two steps, in parts of the least distance in one: nearer ones are one node
LEAST_DISTANCE = Decimal("0.1")


class StageMethod(NamedTuple):
    """Blocks of four stages.

    Row j of block b: what the increment of stage j contributes to the four stages of that block.
    """

    mu_q: np.ndarray  # (blocks, stages, 4) to the stage values of positions
    mu_p: np.ndarray  # (blocks, stages, 4) to those of momenta
    # (substeps, blocks, stages, 4) to the first guess of the next substep's increments
    guess: np.ndarray
    # (2, blocks, stages, 4) the same from two steps: this one and the one before; none of substeps
    guess_from_two: np.ndarray
    b: np.ndarray  # (blocks, 4)
    c: np.ndarray  # (blocks, 4)
    substeps: Substeps
    stages: int
    solver: int
    limits: IterationLimits = STAGE_LIMITS


class StageScratch(NamedTuple):
    increments: np.ndarray  # (blocks, m, 4) L: the first guess of the next step
    earlier: np.ndarray  # (blocks, m, 4) L of the step before
    guessed: np.ndarray  # (blocks, m, 4)
    stages: np.ndarray  # (blocks, m, 4) Y
    slopes: np.ndarray  # (blocks, m, 4) f(Y)
    per_size: np.ndarray  # (m,) one over the natural size of each row
    has_earlier: np.ndarray  # one integer
    newton: NewtonScratch


def exact_mu(q: Tableau, p: Tableau) -> tuple[np.ndarray, np.ndarray]:
    """μ[i, j] = a_ij / b_j of both parts, with μ_ij + μ̂_ji = 1 exactly if the pair is
    symplectic.
    """
    s = q.stages
    exact_q = [[q.a[i][j] / q.b[j] for j in range(s)] for i in range(s)]
    exact_p = [[p.a[i][j] / p.b[j] for j in range(s)] for i in range(s)]
    mu_q, mu_p = np.array(exact_q, dtype=float), np.array(exact_p, dtype=float)
    if q is p and q.is_symplectic:
        np.fill_diagonal(mu_q, 0.5)
        mu_p = mu_q
    if all(
        abs(exact_q[i][j] + exact_p[j][i] - 1) < Decimal("1e-40")
        for i in range(s)
        for j in range(s)
    ):
        for i in range(s):
            for j in range(s):
                if abs(exact_q[i][j]) > abs(exact_p[j][i]):
                    mu_p[j, i] = 1.0 - mu_q[i, j]
                else:
                    mu_q[i, j] = 1.0 - mu_p[j, i]
    return mu_q, mu_p


def pack_in_blocks(matrix) -> np.ndarray:
    """[i, j] (to stage i from stage j) as (blocks, stages, 4); lanes past the last stage stay at
    y.
    """
    s = len(matrix)
    blocks = -(-s // WIDTH)
    out = np.zeros((blocks, blocks * WIDTH, WIDTH))
    for i in range(s):
        out[i // WIDTH, :s, i % WIDTH] = matrix[i]
    return out


def constant_guess_matrix(stages: int, ratio: Decimal) -> list:
    """Each stage taken for the same stage of the next substep."""
    return [[ratio * (i == j) for j in range(stages)] for i in range(stages)]


def extrapolation_matrix(tableau: Tableau, ratio: Decimal) -> list:
    """Increments of the next substep, `ratio` times as long, from the polynomial through the slopes
    of this one; with two equal nodes (no polynomial) the slopes themselves.
    """
    s = tableau.stages
    b = tableau.b
    c = tableau.c
    if len(set(c)) < s:
        return constant_guess_matrix(s, ratio)
    bases = [lagrange_basis(c, j) for j in range(s)]
    return [
        [ratio * b[i] * evaluate_polynomial(bases[j], 1 + ratio * c[i]) / b[j] for j in range(s)]
        for i in range(s)
    ]


def two_step_matrices(tableau: Tableau) -> list:
    """Increments of the next step from the polynomial through the slopes of this one and the last
    EARLIER_STAGES of the one before: a matrix for each. A node of both steps counts once. More
    nodes would make more of rounding than of the motion.
    """
    s, b, c = tableau.stages, tableau.b, tableau.c
    if len(set(c)) < s:
        return []
    least = LEAST_DISTANCE * min((abs(x - y) for x, y in combinations(c, 2)), default=Decimal(1))
    is_apart = [all(abs(x - 1 - y) > least for y in c) for x in c]
    both = [j for j in range(s) if is_apart[j]][-EARLIER_STAGES:]
    nodes = [*c, *(c[j] - 1 for j in both)]
    bases = [lagrange_basis(nodes, k) for k in range(len(nodes))]
    now, before = ([[Decimal(0)] * s for _ in range(s)] for _ in range(2))
    for i in range(s):
        weights = [b[i] * evaluate_polynomial(basis, 1 + c[i]) for basis in bases]
        now[i] = [weights[j] / b[j] for j in range(s)]
        for k, j in enumerate(both):
            before[i][j] = weights[s + k] / b[j]
    return [now, before]


def stage_method(
    tableau: Tableau | PartitionedTableau, factors=(1,), solver: int = AUTOMATIC
) -> StageMethod:
    """A tableau, or a pair, applied over substeps of these parts of a step."""
    q, p = (tableau.q, tableau.p) if isinstance(tableau, PartitionedTableau) else (tableau, tableau)
    with localcontext() as context:
        context.prec = DIGITS
        mu_q, mu_p = exact_mu(q, p)
        two_steps = two_step_matrices(q) if len(factors) == 1 else []
        guesses = [pack_in_blocks(extrapolation_matrix(q, ratio)) for ratio in ratios_of(factors)]
        blocks = -(-q.stages // WIDTH)
        b, c = np.zeros((blocks, WIDTH)), np.zeros((blocks, WIDTH))
        b.flat[: q.stages], c.flat[: q.stages] = q.b, q.c
    return StageMethod(
        pack_in_blocks(mu_q),
        pack_in_blocks(mu_p),
        np.array(guesses),
        np.array([*map(pack_in_blocks, two_steps)]).reshape(-1, *np.shape(guesses)[1:]),
        b,
        c,
        substeps_of(factors),
        q.stages,
        solver,
    )


def new_stage_state(y, method) -> State:
    """A state with five arrays of lanes, each on a cache line, and no matrix of Newton's method."""
    newton = no_newton(len(y), len(y) * method.stages, method.solver == NEWTON)
    shape = len(method.b), len(y), WIDTH
    lanes = (rows(float, shape[0] * shape[1], WIDTH).reshape(shape) for _ in range(5))
    return new_state(y, StageScratch(*lanes, np.zeros(len(y)), np.zeros(1, dtype=np.int64), newton))
