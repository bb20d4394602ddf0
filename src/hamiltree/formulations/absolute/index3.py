"""The index-3 form of formulations I, II and III for generalised-α: the residuals M v̇ − F − Gᵀλ
and Φ (Spatial Dynamics, (11.42)–(11.49)).
"""

import numpy as np

from hamiltree.algebra.quat import Quat
from hamiltree.algebra.rows import quat_at, store_quat, store_vector, vector_at
from hamiltree.algebra.values import cross, dot
from hamiltree.assembly.rows import (
    add_row_wrenches,
    evaluate_rows,
)
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, store
from hamiltree.formulations.absolute.bodies import (
    CartesianI,
    CartesianII,
    CartesianIII,
    apply_force_laws,
    body_angular_velocity,
    body_constants,
    compute_body_frames,
    force_on,
    speed_offset,
)
from hamiltree.formulations.absolute.quaternions import l_times, l_transpose_times, norm_residual
from hamiltree.formulations.absolute.world_frames import torque_on
from hamiltree.formulations.formulation import answers
from hamiltree.verbs import displace, index3_residual


@displace.method(CartesianIII)
def displace_3(system, work, y, increment, out):
    """r + δ, p ∘ exp(δ'/2)"""
    for i in range(system.body.shape[0]):
        store_vector(out, 7 * i, vector_at(y, 7 * i) + vector_at(increment, 6 * i))
        rotation = exponential(vector_at(increment, 6 * i + 3) * 0.5)
        store_quat(out, 7 * i + 3, quat_at(y, 7 * i + 3) @ rotation)


@inlined
def exponential(half):
    """exp(h) = (cos |h|, sin |h| / |h| h); for floats, not lanes."""
    size = np.sqrt(dot(half, half))
    share = np.sin(size) / size if size > 1e-9 else 1.0 - size * size / 6.0
    return Quat(np.cos(size), half.x * share, half.y * share, half.z * share)


@answers(displace, CartesianI, CartesianII)
def displace_1_and_2(system, work, y, increment, out):
    """(r, p) + δ"""
    for k in range(system.layout.positions):
        store(out, k, load(y, k) + load(increment, k))


@inlined
def apply_laws_and_multipliers(system, work, t, y, multipliers, first):
    """Wrenches of laws and of constraints, and Φ."""
    compute_body_frames(system, work, y)
    apply_force_laws(system, work, t)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, first)


@inlined
def store_constraint_values(system, work, out, first):
    """Constraint residuals Φ into the rows of out from `first` on."""
    for row in range(system.rows.row.shape[0]):
        store(out, first + row, load(work.rows.value, row))


@inlined
def store_newton_euler_residual(system, work, y, i, r_ddot, w_dot, out):
    """m r̈ − f and J' ω̇' + ω' × J' ω' − n' of body i; f and n' with constraint forces."""
    body, w = body_constants(system, i), body_angular_velocity(system, y, i)
    store_vector(out, 6 * i, r_ddot * body.mass - force_on(system, work, i))
    spin_rate = body.inertia @ w_dot + cross(w, body.inertia @ w)
    store_vector(out, 6 * i + 3, spin_rate - torque_on(work, i))


@index3_residual.method(CartesianIII)
def balance_3(system, work, t, y, acceleration, multipliers, out):
    """Six rows of Newton and Euler per body, then Φ."""
    apply_laws_and_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        r_ddot, w_dot = vector_at(acceleration, 6 * i), vector_at(acceleration, 6 * i + 3)
        store_newton_euler_residual(system, work, y, i, r_ddot, w_dot, out)
    store_constraint_values(system, work, out, system.facts.balanced)


@inlined
def store_norm_residuals(system, y, out, first):
    """(pᵀp − 1)/2"""
    for i in range(system.body.shape[0]):
        store(out, first + i, norm_residual(quat_at(y, 7 * i + 3)))


@index3_residual.method(CartesianII)
def balance_2(system, work, t, y, acceleration, multipliers, out):
    """The same with ω̇' = 2 L p̈: six rows per body, then the norms, then Φ."""
    apply_laws_and_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        r_ddot = vector_at(acceleration, 7 * i)
        w_dot = l_times(quat_at(y, 7 * i + 3), quat_at(acceleration, 7 * i + 3)) * 2.0
        store_newton_euler_residual(system, work, y, i, r_ddot, w_dot, out)
    store_norm_residuals(system, y, out, system.facts.balanced)
    store_constraint_values(system, work, out, system.facts.balanced + system.body.shape[0])


@index3_residual.method(CartesianI)
def balance_1(system, work, t, y, acceleration, multipliers, out):
    """J* p̈ + 4 Lᵀ(ṗ) J'ω' + p σ − 2 Lᵀ n': seven rows per body, then the norms, then Φ; multipliers
    are σ of all bodies, then λ.
    """
    n = system.body.shape[0]
    apply_laws_and_multipliers(system, work, t, y, multipliers, n)
    for i in range(n):
        body, w = body_constants(system, i), body_angular_velocity(system, y, i)
        p, rate = quat_at(y, 7 * i + 3), quat_at(y, speed_offset(system, i) + 3)
        inertial = vector_at(acceleration, 7 * i) * body.mass
        store_vector(out, 7 * i, inertial - force_on(system, work, i))
        spin_rate = body.inertia @ (l_times(p, quat_at(acceleration, 7 * i + 3)) * 4.0)
        gyroscopic = l_transpose_times(rate, (body.inertia @ w) * 4.0)
        moment = l_transpose_times(p, torque_on(work, i) * -2.0)
        turned = l_transpose_times(p, spin_rate) + gyroscopic
        store_quat(out, 7 * i + 3, (turned + p * load(multipliers, i)) + moment)
    store_norm_residuals(system, y, out, system.facts.balanced)
    store_constraint_values(system, work, out, system.facts.balanced + n)
