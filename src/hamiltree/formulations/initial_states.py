"""The state in which a run begins, where it holds positions and canonical momenta of joints:
p = ∂L/∂q̇ by the verb `momentum`.
"""

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.formulations.batch import momentum_of_state
from hamiltree.model import Model
from hamiltree.model.joints import coordinate_labels


def canonical_state(system, assembly: Assembly, pointer) -> np.ndarray:
    """y = (q, p)"""
    n = len(assembly.q)
    y = np.zeros(sum(system.layout))
    ydot = np.zeros(sum(system.layout))
    y[:n] = assembly.q
    ydot[:n] = coordinate_rates(assembly.model, assembly.q, assembly.speeds)
    momentum_of_state(pointer, assembly.t, y, ydot)
    pointer.check()
    return y


def coordinate_rates(model: Model, q: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """q̇ from the speeds of a model: ½ q ∘ (0, ω) for a quaternion, the speed itself for every
    other coordinate.
    """
    if not any(joint.has_ball for joint in model.tree_joints):
        return speeds
    rates = np.empty(len(q))
    speed_row = 0
    row = 0
    for joint in model.tree_joints:
        axes = len(joint.screws())
        if model.followers:
            labels = coordinate_labels(joint)[:axes]
            axes = sum(label not in model.followers for label in labels)
        rates[row : row + axes] = speeds[speed_row : speed_row + axes]
        speed_row, row = speed_row + axes, row + axes
        if joint.has_ball:
            v, omega = q[row + 1 : row + 4], speeds[speed_row : speed_row + 3]
            rates[row] = -0.5 * np.dot(v, omega)
            (x, y, z), (a, b, c) = v.tolist(), omega.tolist()  # np.cross takes ten times as long
            across = np.array([y * c - z * b, z * a - x * c, x * b - y * a])
            rates[row + 1 : row + 4] = 0.5 * (q[row] * omega + across)
            speed_row, row = speed_row + 3, row + 4
    return rates


def speeds_from_rates(model: Model, q: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """The speeds of a model from q̇: ω = 2 q̄ ∘ q̇ of a quaternion, the rate itself of every other
    coordinate.
    """
    found, at = [], 0
    for joint in model.tree_joints:
        labels = coordinate_labels(joint)[: len(joint.screws())]
        axes = sum(label not in model.followers for label in labels)
        found += rates[at : at + axes].tolist()
        at += axes
        if joint.has_ball:
            (w, *v), (dw, *dv) = q[at : at + 4], rates[at : at + 4]
            found += (2.0 * (w * np.array(dv) - dw * np.array(v) - np.cross(v, dv))).tolist()
            at += 4
    return np.array(found)
