"""Mechanisms in the form of index 3, with references by other coordinates: a double pendulum in
Cartesian coordinates, a heavy top with its centre and its orientation as unknowns, a mass on a
spring.
"""

from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.values import cross, transpose
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, root, sincos
from hamiltree.verbs import Facts, Layout, displace, index3_residual, power, rates

CHAIN, TOP, SPRING = range(3)
M1, M2, L1, L2 = 1.0, 2.0, 0.8, 1.3  # of the double pendulum
MASS, ARM, J1, J2, J3 = 1.5, 0.7, 0.2, 0.35, 0.5  # of the top, about its centre at (0, ARM, 0)
O1, O3 = J1 + MASS * ARM**2, J3 + MASS * ARM**2  # about its fixed point; J2 stays


class Mechanism(NamedTuple):
    """One type for all, so that the integrator is compiled once."""

    layout: Layout
    facts: Facts
    kind: int
    gravity: float
    drag: float  # N s/m on each mass
    stiffness: float  # N/m of the spring, whose mass is 1 and whose length at rest is 1


def chain(drag=0.0, multipliers=2):
    """A third multiplier belongs to a mixture of the two rods: then they are not independent."""
    return Mechanism(
        Layout(4, 4), Facts(multipliers=multipliers, balanced=4), CHAIN, 9.81, drag, 0.0
    )


def top():
    return Mechanism(Layout(7, 6), Facts(multipliers=3, balanced=6), TOP, 9.81, 0.0, 0.0)


def spring(stiffness, gravity=0.0):
    return Mechanism(Layout(2, 2), Facts(balanced=2), SPRING, gravity, 0.0, stiffness)


# ---- verbs ---------------------------------------------------------------------------------------
@displace.method(Mechanism)
def displace_mechanism(system, work, y, increment, out):
    if system.kind == TOP:
        for i in range(3):
            out[i] = y[i] + increment[i]
        turn_by(y, increment, out)
    else:
        for i in range(system.layout.positions):
            out[i] = y[i] + increment[i]


@inlined
def turn_by(y, increment, out):
    """Quaternion times the exponential of the rotation vector."""
    a, b, c = increment[3], increment[4], increment[5]
    angle = root(fma(a, a, fma(b, b, fma(c, c, 1e-60))))
    sine, cosine = sincos(0.5 * angle)
    s = sine / angle
    turned = Quat(y[3], y[4], y[5], y[6]) @ Quat(cosine, a * s, b * s, c * s)
    out[3], out[4], out[5], out[6] = turned.w, turned.x, turned.y, turned.z


@index3_residual.method(Mechanism)
def balance_mechanism(system, work, t, y, acceleration, multipliers, out):
    if system.kind == CHAIN:
        balance_chain(system, y, acceleration, multipliers, out)
    elif system.kind == TOP:
        balance_top(system, y, acceleration, multipliers, out)
    else:
        pull = spring_pull(system, y)
        for i in range(2):
            out[i] = acceleration[i] + pull * y[i] + (system.gravity if i == 1 else 0.0)


@inlined
def spring_pull(system, y):
    """Force over length."""
    return system.stiffness * (1.0 - 1.0 / root(y[0] * y[0] + y[1] * y[1]))


@inlined
def balance_chain(system, y, acceleration, multipliers, out):
    """g = (|x₁|² − L₁²)/2, (|x₂ − x₁|² − L₂²)/2"""
    mixed = multipliers[2] if system.facts.multipliers == 3 else 0.0
    first, second = multipliers[0] + 0.3 * mixed, multipliers[1] + 0.7 * mixed
    for i in range(2):
        far, weight = y[2 + i] - y[i], system.gravity if i == 1 else 0.0
        out[i] = (
            M1 * (acceleration[i] + weight) + system.drag * y[4 + i] - y[i] * first + far * second
        )
        out[2 + i] = M2 * (acceleration[2 + i] + weight) + system.drag * y[6 + i] - far * second
    out[4] = 0.5 * (y[0] * y[0] + y[1] * y[1] - L1 * L1)
    out[5] = 0.5 * ((y[2] - y[0]) * (y[2] - y[0]) + (y[3] - y[1]) * (y[3] - y[1]) - L2 * L2)
    if system.facts.multipliers == 3:
        out[6] = 0.3 * out[4] + 0.7 * out[5]


@inlined
def balance_top(system, y, acceleration, multipliers, out):
    """m ẍ = m g + λ,  J Ω̇ + Ω × J Ω = −X × Rᵀλ (body axes),  g = x − R X"""
    R, X = rotation_matrix(Quat(y[3], y[4], y[5], y[6])), Vec3(0.0, ARM, 0.0)
    spin, reaction = Vec3(y[10], y[11], y[12]), Vec3(multipliers[0], multipliers[1], multipliers[2])
    torque = cross(spin, Vec3(J1 * spin.x, J2 * spin.y, J3 * spin.z)) + cross(
        X, transpose(R) @ reaction
    )
    place = R @ X
    out[0] = MASS * acceleration[0] - reaction.x
    out[1] = MASS * acceleration[1] - reaction.y
    out[2] = MASS * (acceleration[2] + system.gravity) - reaction.z
    out[3] = J1 * acceleration[3] + torque.x
    out[4] = J2 * acceleration[4] + torque.y
    out[5] = J3 * acceleration[5] + torque.z
    out[6], out[7], out[8] = y[0] - place.x, y[1] - place.y, y[2] - place.z


@rates.method(Mechanism)
def rates_of_mechanism(system, work, t, y, ydot):
    """Position rows of the top are left alone: nobody asks for them."""
    if system.kind == CHAIN:
        rates_of_chain(system, y, ydot)
    elif system.kind == TOP:
        rates_of_top(system, y, ydot)
    else:
        pull = spring_pull(system, y)
        for i in range(2):
            ydot[i] = y[2 + i]
            ydot[2 + i] = -pull * y[i] - (system.gravity if i == 1 else 0.0)


@inlined
def rates_of_chain(system, y, ydot):
    """λ from g̈ = 0; gravity moves both masses alike and falls out of the second row."""
    x, z, u, v = y[0], y[1], y[2] - y[0], y[3] - y[1]
    drag1, drag2 = system.drag / M1, system.drag / M2
    a11, a12, a22 = L1 * L1 / M1, -(x * u + z * v) / M1, L2 * L2 * (1.0 / M1 + 1.0 / M2)
    speed1, speed2 = (
        y[4] * y[4] + y[5] * y[5],
        (y[6] - y[4]) * (y[6] - y[4]) + (y[7] - y[5]) * (y[7] - y[5]),
    )
    b1 = -speed1 + z * system.gravity + drag1 * (x * y[4] + z * y[5])
    b2 = -speed2 + drag2 * (u * y[6] + v * y[7]) - drag1 * (u * y[4] + v * y[5])
    det = a11 * a22 - a12 * a12
    first, second = (b1 * a22 - b2 * a12) / det, (a11 * b2 - a12 * b1) / det
    for i in range(2):
        weight, far = system.gravity if i == 1 else 0.0, y[2 + i] - y[i]
        ydot[i], ydot[2 + i] = y[4 + i], y[6 + i]
        ydot[4 + i] = (y[i] * first - far * second) / M1 - drag1 * y[4 + i] - weight
        ydot[6 + i] = far * second / M2 - drag2 * y[6 + i] - weight


@inlined
def rates_of_top(system, y, ydot):
    """J_O Ω̇ + Ω × J_O Ω = X × Rᵀ m g about the fixed point, ẍ = R (Ω̇ × X + Ω × (Ω × X))"""
    R, X, spin = (
        rotation_matrix(Quat(y[3], y[4], y[5], y[6])),
        Vec3(0.0, ARM, 0.0),
        Vec3(y[10], y[11], y[12]),
    )
    weight = transpose(R) @ Vec3(0.0, 0.0, -MASS * system.gravity)
    torque = cross(X, weight) - cross(spin, Vec3(O1 * spin.x, J2 * spin.y, O3 * spin.z))
    turning = Vec3(torque.x / O1, torque.y / J2, torque.z / O3)
    moving = R @ (cross(turning, X) + cross(spin, cross(spin, X)))
    ydot[7], ydot[8], ydot[9] = moving.x, moving.y, moving.z
    ydot[10], ydot[11], ydot[12] = turning.x, turning.y, turning.z


@power.method(Mechanism)
def power_of_mechanism(system, work, t, y, ydot):
    total = 0.0
    for i in range(system.layout.positions, system.layout.positions + system.layout.momenta):
        total -= system.drag * y[i] * y[i]
    return total


# ---- references ----------------------------------------------------------------------------------
class Reference(NamedTuple):
    y: np.ndarray
    multipliers: np.ndarray


def integrated(slope, z, t):
    return (
        solve_ivp(slope, (0.0, t), z, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        if t > 0
        else np.asarray(z)
    )


def chain_at(t, angles, gravity=9.81):
    """By the two angles from the downward vertical; rods pull with what the masses' accelerations
    leave over.
    """

    def slope(_, z):
        a, b, u, v = z
        M = np.array(
            [
                [(M1 + M2) * L1**2, M2 * L1 * L2 * np.cos(a - b)],
                [M2 * L1 * L2 * np.cos(a - b), M2 * L2**2],
            ]
        )
        twist = M2 * L1 * L2 * np.sin(a - b)
        Q = [
            -twist * v**2 - (M1 + M2) * gravity * L1 * np.sin(a),
            twist * u**2 - M2 * gravity * L2 * np.sin(b),
        ]
        return [u, v, *np.linalg.solve(M, Q)]

    a, b, u, v = z = integrated(slope, angles, t)
    _, _, da, db = slope(t, z)
    along1, across1 = L1 * np.array([np.sin(a), -np.cos(a)]), L1 * np.array([np.cos(a), np.sin(a)])
    along2, across2 = L2 * np.array([np.sin(b), -np.cos(b)]), L2 * np.array([np.cos(b), np.sin(b)])
    x1, v1, a1 = along1, u * across1, da * across1 - u**2 * along1
    x2, v2, a2 = along1 + along2, v1 + v * across2, a1 + db * across2 - v**2 * along2
    up = np.array([0.0, gravity])
    second = M2 * (a2 + up) @ along2 / L2**2
    first = (M1 * (a1 + up) + second * along2) @ along1 / L1**2
    return Reference(np.concatenate([x1, x2, v1, v2]), np.array([first, second]))


def top_at(t, spin, gravity=9.81):
    """By the rotation matrix and the spin, about the fixed point."""
    J, X = np.diag([O1, J2, O3]), np.array([0.0, ARM, 0.0])

    def turning(R, w):
        return np.linalg.solve(
            J, np.cross(X, R.T @ [0.0, 0.0, -MASS * gravity]) - np.cross(w, J @ w)
        )

    def slope(_, z):
        R, w = z[:9].reshape(3, 3), z[9:]
        return np.concatenate([np.cross(R, w).ravel(), turning(R, w)])

    z = integrated(slope, [*np.eye(3).ravel(), *spin], t)
    R, w = z[:9].reshape(3, 3), z[9:]
    push = MASS * R @ (np.cross(turning(R, w), X) + np.cross(w, np.cross(w, X))) + [
        0.0,
        0.0,
        MASS * gravity,
    ]
    return R, np.concatenate([R @ X, R @ np.cross(w, X), w]), push
