"""The index-3 form of formulations I, II and III for generalised-α: M v̇ − F − Gᵀλ and the
positions of the constraints (11.42–11.49).
"""

import numpy as np

from hamiltree.algebra.quat import Quat
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
    body_constants,
    dot4,
    force_on,
    gathered,
    load_all,
    place_bodies,
    put_quat,
    put_vector,
    quat_at,
    speeds_at,
    spread,
    torque_on,
    turning,
    vector_at,
)
from hamiltree.verbs import balance, displace


@displace.method(CartesianIII)
def displace_turning(system, work, y, increment, out):
    """r + δ, p ∘ exp(δ'/2)"""
    for i in range(system.body.shape[0]):
        put_vector(out, 7 * i, vector_at(y, 7 * i) + vector_at(increment, 6 * i))
        put_quat(
            out,
            7 * i + 3,
            quat_at(y, 7 * i + 3) @ exponential(vector_at(increment, 6 * i + 3) * 0.5),
        )


@inlined
def exponential(half):
    """cos |h|, sin |h| / |h| h; of floats."""
    size = np.sqrt(dot(half, half))
    share = np.sin(size) / size if size > 1e-9 else 1.0 - size * size / 6.0
    return Quat(np.cos(size), half.x * share, half.y * share, half.z * share)


def displace_parameters(system, work, y, increment, out):
    for k in range(system.layout.positions):
        store(out, k, load(y, k) + load(increment, k))


@inlined
def load_with_multipliers(system, work, t, y, multipliers, first):
    """Wrenches of laws and of constraints, and Φ."""
    place_bodies(system, work, y)
    load_all(system, work, t)
    evaluate_rows(system.rows, work.rows, work.bodies, t)
    add_row_wrenches(system.rows, work.rows, work.bodies, multipliers, first)


@inlined
def put_values(system, work, out, first):
    for row in range(system.rows.row.shape[0]):
        store(out, first + row, load(work.rows.value, row))


@balance.method(CartesianIII)
def balance_modified(system, work, t, y, acceleration, multipliers, out):
    load_with_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        body, w = body_constants(system, i), turning(system, y, i)
        put_vector(
            out, 6 * i, vector_at(acceleration, 6 * i) * body.mass - force_on(system, work, i)
        )
        turned = body.inertia @ vector_at(acceleration, 6 * i + 3) + cross(w, body.inertia @ w)
        put_vector(out, 6 * i + 3, turned - torque_on(work, i))
    put_values(system, work, out, system.facts.balanced)


@inlined
def put_norms(system, y, out, first):
    """(pᵀp − 1)/2"""
    for i in range(system.body.shape[0]):
        p = quat_at(y, 7 * i + 3)
        store(out, first + i, 0.5 * dot4(p, p) - 0.5)


@balance.method(CartesianII)
def balance_mixed(system, work, t, y, acceleration, multipliers, out):
    """Six rows a body, then the norms, then Φ."""
    load_with_multipliers(system, work, t, y, multipliers, 0)
    for i in range(system.body.shape[0]):
        body, w, p = body_constants(system, i), turning(system, y, i), quat_at(y, 7 * i + 3)
        put_vector(
            out, 6 * i, vector_at(acceleration, 7 * i) * body.mass - force_on(system, work, i)
        )
        turned = body.inertia @ (gathered(p, quat_at(acceleration, 7 * i + 3)) * 2.0) + cross(
            w, body.inertia @ w
        )
        put_vector(out, 6 * i + 3, turned - torque_on(work, i))
    put_norms(system, y, out, system.facts.balanced)
    put_values(system, work, out, system.facts.balanced + system.body.shape[0])


@balance.method(CartesianI)
def balance_starred(system, work, t, y, acceleration, multipliers, out):
    """Seven rows a body with σ, then the norms, then Φ; multipliers are the σ, then λ."""
    n = system.body.shape[0]
    load_with_multipliers(system, work, t, y, multipliers, n)
    for i in range(n):
        body, w, p, rate = (
            body_constants(system, i),
            turning(system, y, i),
            quat_at(y, 7 * i + 3),
            quat_at(y, speeds_at(system, i) + 3),
        )
        put_vector(
            out, 7 * i, vector_at(acceleration, 7 * i) * body.mass - force_on(system, work, i)
        )
        turned = spread(
            p, body.inertia @ (gathered(p, quat_at(acceleration, 7 * i + 3)) * 4.0)
        ) + spread(rate, (body.inertia @ w) * 4.0)
        put_quat(
            out,
            7 * i + 3,
            (turned + p * load(multipliers, i)) + spread(p, torque_on(work, i) * -2.0),
        )
    put_norms(system, y, out, system.facts.balanced)
    put_values(system, work, out, system.facts.balanced + n)


for _kind in (CartesianI, CartesianII):
    displace.method(_kind)(displace_parameters)
