"""Couplings inside a tree: momenta Cᵀλ that keep every follower at the rate of its leader.

C M⁻¹ Cᵀ is the Delassus matrix of the coupling rows, made by one pass of articulated inertias per
coupling.
"""

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, load, store
from hamiltree.compiled.triples import Triple, triple
from hamiltree.formulations.tree.sweeps import gather_bias_momenta, propagate_velocities


@inlined
def solve_couplings(system, work):
    """After gather_articulated_inertias: momenta Cᵀλ that keep every follower at the rate of its
    leader, added to π, and the bias momenta gathered again.
    """
    if system.follower.shape[0] > 0:
        solve_coupling_multipliers(system, work)


@outlined
def solve_coupling_multipliers(system, work):
    """C M⁻¹ (π + Cᵀ λ) = 0; the columns of C M⁻¹ Cᵀ by one solve per coupling."""
    n, m = system.parent.shape[0], system.follower.shape[0]
    propagate_velocities(system, work)
    for j in range(m):
        store(work.multiplier, j, relative_rate(system, work, j))
    for i in range(n):
        store(work.saved_pi, i, load(work.pi, i))
    for b in range(system.ball_link.shape[0]):
        store(work.saved_ball_pi, b, load(work.ball_pi, b, Triple))
    for k in range(m):
        clear_momenta(system, work)
        add_coupling_forces(system, work, k, 1.0)
        gather_bias_momenta(system, work)
        propagate_velocities(system, work)
        for j in range(m):
            store(work.coupling_matrix, j * m + k, relative_rate(system, work, j))
    solve_coupling_matrix(work, m)
    for i in range(n):
        store(work.pi, i, load(work.saved_pi, i))
    for b in range(system.ball_link.shape[0]):
        store(work.ball_pi, b, load(work.saved_ball_pi, b, Triple))
    for k in range(m):
        add_coupling_forces(system, work, k, -load(work.multiplier, k))
    gather_bias_momenta(system, work)


@inlined
def relative_rate(system, work, k):
    return load(work.rate, system.follower[k]) - load(work.rate, system.leader[k])


@inlined
def add_coupling_forces(system, work, k, multiplier):
    """π += C_kᵀ λ_k"""
    add(work.pi, system.follower[k], multiplier)
    add(work.pi, system.leader[k], -multiplier)


@inlined
def clear_momenta(system, work):
    for i in range(system.parent.shape[0]):
        store(work.pi, i, 0.0)
    for b in range(system.ball_link.shape[0]):
        store(work.ball_pi, b, triple(0.0, 0.0, 0.0))


@inlined
def solve_coupling_matrix(work, m):
    """Elimination in place, without pivots: the matrix is symmetric and positive definite."""
    for k in range(m):
        for j in range(k + 1, m):
            factor = load(work.coupling_matrix, j * m + k) / load(work.coupling_matrix, k * m + k)
            for l in range(k, m):
                add(
                    work.coupling_matrix, j * m + l, -factor * load(work.coupling_matrix, k * m + l)
                )
            add(work.multiplier, j, -factor * load(work.multiplier, k))
    for k in range(m - 1, -1, -1):
        total = load(work.multiplier, k)
        for l in range(k + 1, m):
            total = total - load(work.coupling_matrix, k * m + l) * load(work.multiplier, l)
        store(work.multiplier, k, total / load(work.coupling_matrix, k * m + k))
