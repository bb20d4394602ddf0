"""Constraint rows over Kane's equations: A ẏ = f + Bᵀλ, B ẏ = γ by W = B A⁻¹ Bᵀ, for kane_absolute.

With A = Lᵀ D L, W = (B L⁻¹) D⁻¹ (B L⁻¹)ᵀ; a row of B L⁻¹ ends at the last speed that it depends on.
"""

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.rows import add_vector
from hamiltree.algebra.values import dot, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.assembly.independence import multiply_volume
from hamiltree.assembly.rows import RowJacobian
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import add, fma, load, store, where_less
from hamiltree.formulations.absolute.bodies import Stabilisation
from hamiltree.formulations.kane.partial_velocities import solve_l_transpose, solve_mass_matrix


@inlined
def add_moment(system, b, v, start, out):
    """Add a vector to the three rows of ω' of a body."""
    add_vector(out, start + system.first_angular_speed[b], v)


@outlined
def add_row_gradient(system, work, row, b, wrench):
    """Add the part of body b to a row of the constraint Jacobian B."""
    start = row * system.layout.momenta
    if b < system.body.shape[0]:
        for c in range(system.columns.first[b], system.columns.first[b + 1]):
            entry = dot(load(work.partial, c, Vec3), wrench.force)
            add(work.gradient, start + system.columns.speed[c], entry)
        torque = transpose(load(work.bodies.rotation, b, Mat3)) @ wrench.torque
        add_moment(system, b, torque, start, work.gradient)


@outlined
def assemble_and_factor_rows(system, work):
    """B, B L⁻¹, and the factors of W = B A⁻¹ Bᵀ."""
    table, n = system.rows, system.layout.momenta
    for row in range(table.row.shape[0]):
        for i in range(n):
            store(work.gradient, row * n + i, 0.0)
        for k in range(table.first[row], table.first[row + 1]):
            row_jacobian = load(work.rows.row_jacobian, k, RowJacobian)
            add_row_gradient(system, work, row, table.ends[k, 0], row_jacobian.i)
            add_row_gradient(system, work, row, table.ends[k, 1], row_jacobian.j)
        for i in range(n):
            store(work.half, row * n + i, load(work.gradient, row * n + i))
        solve_l_transpose(
            system.columns, work.columns.matrix, work.half, row * n, system.extent[row]
        )
    factor_row_matrix(system, work)


@outlined
def fill_row_matrix(system, work):
    """W = (B L⁻¹) D⁻¹ (B L⁻¹)ᵀ"""
    m, n = system.rows.row.shape[0], system.layout.momenta
    for i in range(m):
        for k in range(system.extent[i]):
            store(work.scaled, k, load(work.half, i * n + k) / load(work.columns.matrix, k * n + k))
        for j in range(i + 1):
            found = 0.0 * load(work.half, 0)
            for k in range(min(system.extent[i], system.extent[j])):
                found = fma(load(work.scaled, k), load(work.half, j * n + k), found)
            store(work.row_matrix, i * m + j, found)
        here, largest = load(work.row_matrix, i * m + i), load(work.largest, i)
        store(work.largest, i, where_less(largest, here, here, largest))


@outlined
def factor_row_matrix(system, work):
    """W = L D Lᵀ, in place."""
    fill_row_matrix(system, work)
    m = system.rows.row.shape[0]
    for k in range(m):
        pivot = 1.0 / load(work.row_matrix, k * m + k)
        for i in range(k + 1, m):
            here = load(work.row_matrix, i * m + k)
            share = here * pivot
            for j in range(k + 1, i):
                rest = load(work.row_matrix, i * m + j)
                rest = fma(-here, load(work.row_matrix, j * m + k), rest)
                store(work.row_matrix, i * m + j, rest)
            store(work.row_matrix, i * m + i, fma(-here, share, load(work.row_matrix, i * m + i)))
            store(work.row_matrix, i * m + k, share)


@outlined
def solve_row_matrix(system, work):
    """W⁻¹ times `multipliers`, in place."""
    m = system.rows.row.shape[0]
    for i in range(m):
        found = load(work.multipliers, i)
        for j in range(i):
            found = fma(-load(work.row_matrix, i * m + j), load(work.multipliers, j), found)
        store(work.multipliers, i, found)
    for i in range(m - 1, -1, -1):
        found = load(work.multipliers, i) / load(work.row_matrix, i * m + i)
        for j in range(i + 1, m):
            found = fma(-load(work.row_matrix, j * m + i), load(work.multipliers, j), found)
        store(work.multipliers, i, found)


@outlined
def add_constraint_response(system, work):
    """side + A⁻¹Bᵀ λ"""
    n = system.layout.momenta
    for i in range(n):
        store(work.scaled, i, 0.0)
    for row in range(system.rows.row.shape[0]):
        strength = load(work.multipliers, row)
        for i in range(system.extent[row]):
            sum_so_far = load(work.scaled, i)
            store(work.scaled, i, fma(strength, load(work.gradient, row * n + i), sum_so_far))
    solve_mass_matrix(system.columns, work.columns.matrix, work.scaled)
    for i in range(n):
        add(work.columns.side, i, load(work.scaled, i))


@inlined
def row_bias_acceleration(system, work, row):
    """Φ̈ of a row at ẏ = 0, but for γ#."""
    found, n = 0.0 * load(work.rows.gamma, row), system.body.shape[0]
    for k in range(system.rows.first[row], system.rows.first[row + 1]):
        row_jacobian = load(work.rows.row_jacobian, k, RowJacobian)
        for side in range(2):
            b = system.rows.ends[k, side]
            force = row_jacobian.i.force if side == 0 else row_jacobian.j.force
            if b < n:
                found = found + dot(force, load(work.bias_acceleration, b, Vec3))
    return found


@outlined
def impose_constraints(system, work):
    """λ, and ẏ with it: B ẏ = γ − 2 α Φ̇ − β² Φ."""
    steady, n = load(system.stabilisation, 0, Stabilisation), system.layout.momenta
    for row in range(system.rows.row.shape[0]):
        wanted = load(work.rows.gamma, row) - row_bias_acceleration(system, work, row)
        wanted = fma(-2.0 * steady.alpha, load(work.rows.rate, row), wanted)
        wanted = fma(-steady.beta * steady.beta, load(work.rows.value, row), wanted)
        free = 0.0 * wanted
        for i in range(system.extent[row]):
            free = fma(load(work.gradient, row * n + i), load(work.columns.side, i), free)
        store(work.multipliers, row, wanted - free)
    solve_row_matrix(system, work)
    add_constraint_response(system, work)


@inlined
def row_share(system, work, row):
    """What is left of a row beside those before it, as a squared sine: of the largest that it has
    been, because a row may also vanish by itself.
    """
    m = system.rows.row.shape[0]
    return load(work.row_matrix, row * m + row) / load(work.largest, row)


@inlined
def row_volume(system, work):
    """The squared volume that rows span, as parts of their first lengths, and log₂ of what was
    split off: of floats.
    """
    volume, log_volume, m = 1.0, 0.0, system.rows.row.shape[0]
    for row in range(m):
        if work.per_first[row] == 0.0:
            work.per_first[row] = 1.0 / work.largest[row]
        share = work.row_matrix[row * m + row] * work.per_first[row]
        volume, log_volume = multiply_volume(volume, log_volume, share)
    return volume, log_volume
