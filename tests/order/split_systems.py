"""A point in the plane in polar coordinates: T = (p_r² + p_φ²/r²)/2 has coefficients that depend on
q, and its flow is a straight line.

V = r²/2 + (1 + cos(2t)/2) κ r² cos 2φ − γ r cos φ in H; a load f, a constant force along x, pushes
beside it and does work.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.verbs import Facts, Layout, flow, hamiltonian, kick, power


class Polar(NamedTuple):
    layout: Layout
    facts: Facts
    swing: float  # κ
    gravity: float  # γ
    load: float  # f


def polar(swing=0.0, gravity=0.7, load=0.0) -> Polar:
    return Polar(Layout(2, 2), Facts(), swing, gravity, load)


@inlined
def stiffness(system, t):
    return system.swing * (1.0 + 0.5 * np.cos(2.0 * t))


@flow.method(Polar)
def polar_flow(system, work, t, y, lost, h):
    """In axes along and across the first radius: (r + h ṙ, h r φ̇), and the same velocity from the
    new radius.
    """
    along, across = y[2], y[3] / y[0]
    x, z = y[0] + h * along, h * across
    r = np.sqrt(x * x + z * z)
    y[0], y[1], y[2] = r, y[1] + np.arctan2(z, x), (along * x + across * z) / r


@kick.method(Polar)
def polar_kick(system, work, t, y, ydot):
    r, phi, swing, pull = y[0], y[1], stiffness(system, t), system.gravity + system.load
    ydot[2] = -r - 2.0 * swing * r * np.cos(2.0 * phi) + pull * np.cos(phi)
    ydot[3] = 2.0 * swing * r * r * np.sin(2.0 * phi) - pull * r * np.sin(phi)


@hamiltonian.method(Polar)
def polar_hamiltonian(system, work, t, y):
    potential = (
        0.5 * y[0] ** 2
        + stiffness(system, t) * y[0] ** 2 * np.cos(2.0 * y[1])
        - system.gravity * y[0] * np.cos(y[1])
    )
    return 0.5 * (y[2] ** 2 + (y[3] / y[0]) ** 2) + potential


@power.method(Polar)
def polar_power(system, work, t, y, ydot):
    """∂V/∂t + f ẋ"""
    r, phi = y[0], y[1]
    change = -system.swing * np.sin(2.0 * t) * r * r * np.cos(2.0 * phi)
    return change + system.load * (y[2] * np.cos(phi) - y[3] / r * np.sin(phi))
