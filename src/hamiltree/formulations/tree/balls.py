"""A ball in the sweeps of a tree: three axes at once, G = [1; 0].

Its numbers are triples in world axes: π, the angular momentum about the joint, and the angular
velocity against the parent.
"""

from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import quat_at
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, store
from hamiltree.compiled.triples import Triple, first, turn, turn_back
from hamiltree.formulations.tree.branches import (
    branch_place,
    load_branch,
    pass_point_to_parent,
)
from hamiltree.formulations.tree.link_rows import (
    MatrixRow,
    SymmetricRow,
    combine,
    times,
    turned,
)


@inlined
def quaternion_at(array, first_row, sign):
    """Four numbers as a quaternion; of the inverse rotation if sign is −1."""
    return Quat(
        load(array, first_row),
        load(array, first_row + 1) * sign,
        load(array, first_row + 2) * sign,
        load(array, first_row + 3) * sign,
    )


@inlined
def ball_quaternion(system, y, b, first_row):
    """Of ball b, in the direction in which the tree meets it."""
    return quaternion_at(y, first_row + system.ball_coordinate[b], load(system.ball_sign, b))


@inlined
def evaluate_ball_scale(system, work, y, b):
    """2 / ‖q‖²: before the sweeps, which would wait for the division."""
    q = quat_at(y, system.ball_coordinate[b])
    square = fma(q.z, q.z, fma(q.y, q.y, fma(q.x, q.x, q.w * q.w)))
    store(work.ball_scale, b, 2.0 / square)


@inlined
def turn_by_quaternion(x, y, z, q, s):
    """Axes turned by (w, v): a 1 + s (v vᵀ + w [v]×) with s = 2 / ‖q‖², a = s w² − 1, a rotation
    whatever the norm.
    """
    k = s * q.w
    a = fma(k, q.w, -1.0)
    kx, ky, kz = k * q.x, k * q.y, k * q.z
    u = combine(x, y, z, q)
    return (
        fma(u, s * q.x, fma(z, -ky, fma(y, kz, x * a))),
        fma(u, s * q.y, fma(x, -kz, fma(z, kx, y * a))),
        fma(u, s * q.z, fma(y, -kx, fma(x, ky, z * a))),
    )


@inlined
def adjugate_diagonals(A0, A1):
    """Diagonals 0 and 1 of the cofactors of a symmetric matrix, and one over its determinant."""
    A2, last = turn_back(A1), turn_back(A0)
    next_A1 = turn(A1)
    I0 = fma(turn(A0), last, -(next_A1 * next_A1))
    I1 = fma(A2, next_A1, -(A1 * last))
    determinant = first(fma(A2, turn_back(I1), fma(A1, I1, A0 * I0)))
    return I0, I1, 1.0 / determinant


@outlined
def eliminate_ball(system, work, i, has_bias):
    """U = [A; B]: what is left of the branch is the point inertia C − B A⁻¹ Bᵀ, and its momentum.
    Products are taken with the cofactors of A: what waits for its determinant comes last.
    """
    b, at = system.ball[i], branch_place(system, i)
    J = load_branch(work, at.row)
    own_I0, own_I1, scale = adjugate_diagonals(J.A0, J.A1)
    # N = B A⁻¹, then N Bᵀ: its rows times rows of B
    I0, I1 = turned(own_I0), turned(own_I1)
    N0 = fma(J.B2, I1.last, fma(J.B1, I1.a, J.B0 * I0.a))
    N1 = fma(J.B2, I1.next, fma(J.B1, I0.next, J.B0 * I1.a))
    N2 = fma(J.B2, I0.last, fma(J.B1, I1.next, J.B0 * I1.last))
    held = fma(N2, J.B2, fma(N1, J.B1, N0 * J.B0))
    C0 = fma(-held, scale, J.C0)
    held = fma(N2, turn(J.B1), fma(N1, turn(J.B0), N0 * turn(J.B2)))
    C1 = fma(-held, scale, J.C1)
    inverse = SymmetricRow(own_I0 * scale, own_I1 * scale)
    N = MatrixRow(N0 * scale, N1 * scale, N2 * scale)
    store(work.ball_inverse, b, inverse)
    store(work.ball_matrix, b, N)
    H, P = pass_bias_through_ball(system, work, i, J.H, J.P, inverse, N)
    if at.parent < system.parent.shape[0]:
        pass_point_to_parent(system, work, i, at, C0, C1, H, P, has_bias)


@inlined
def pass_bias_through_ball(system, work, i, H, P, inverse, N):
    """ν = A⁻¹(π − H); the momentum that is left is (π, P + B ν), N = B A⁻¹."""
    b = system.ball[i]
    pi = load(work.ball_pi, b, Triple)
    own_rest = pi - H
    rest = turned(own_rest)
    nu = times(inverse.M0, inverse.M1, turn_back(inverse.M1), rest)
    store(work.ball_rest, b, own_rest)
    store(work.ball_nu, b, nu)
    return pi, P + times(N.M0, N.M1, N.M2, rest)


@inlined
def twist_beyond_ball(work, b, w, v, d):
    """ω = ν − A⁻¹ Bᵀ(v + w × d) of the link beyond ball b, whose parent has the twist (w, v) and
    whose arm is d; its rate is stored. The chain waits for w alone: products with it come last, by
    a matrix that was there before.
    """
    N = load(work.ball_matrix, b, MatrixRow)
    # diagonals of Nᵀ, and of Nᵀ [d]×
    T0, T1, T2 = N.M0, turn(N.M2), turn_back(N.M1)
    Q0 = fma(T1, d.last, -(T2 * d.next))
    Q1 = fma(T2, d.a, -(T0 * d.last))
    Q2 = fma(T0, d.next, -(T1 * d.a))
    V = turned(v)
    own = fma(-T1, V.next, fma(-T0, v, load(work.ball_nu, b, Triple)))
    own = fma(Q0, w.a, fma(-T2, V.last, own))
    own = fma(Q2, w.last, fma(Q1, w.next, own))
    store(work.ball_rate, b, own - w.a)
    return own
