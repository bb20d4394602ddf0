"""Speed numbering of kane_relative: speeds are counted outwards for the partial-velocity columns,
and each axis has its place among them.
"""

import numpy as np

from hamiltree.formulations.kane.joints import Connections
from hamiltree.formulations.kane.partial_velocities import PartialVelocityColumns


def speed_rows(joint: Connections, e: int) -> list[int]:
    """Rows of u of axis e."""
    return [int(joint.speed[e]) + m for m in range(3 if joint.is_ball[e] else 1)]


def number_speeds(model, topology, joint: Connections) -> np.ndarray:
    """Number of each speed, counted outwards; a leader counts at its own joint, not at its
    followers.
    """
    found = np.full(len(model.speeds), -1, dtype=np.int64)
    is_own = np.array(
        [joint.axis[e, -2] == 1.0 and joint.axis[e, -1] == 0.0 for e in range(len(joint.axis))],
        dtype=bool,
    )
    count = 0
    for wanted in (is_own, ~is_own):
        for b in topology.order:
            for e in range(joint.first[b], joint.first[b + 1]):
                for row in speed_rows(joint, e) if wanted[e] else []:
                    if found[row] < 0:
                        found[row], count = count, count + 1
    return found


def own_speed_numbers(joint: Connections, number: np.ndarray, b: int) -> list[int]:
    """Numbers of the speeds of the joint of body b."""
    return [
        int(number[row])
        for e in range(joint.first[b], joint.first[b + 1])
        for row in speed_rows(joint, e)
    ]


def columns_of_axes(
    joint: Connections, columns: PartialVelocityColumns, number: np.ndarray
) -> np.ndarray:
    """Place of each axis in the list of columns of its body."""
    found = np.zeros(len(joint.axis), dtype=np.int64)
    for b in range(len(joint.parent)):
        numbers = list(columns.speed[columns.first[b] : columns.first[b + 1]])
        for e in range(joint.first[b], joint.first[b + 1]):
            found[e] = numbers.index(number[joint.speed[e]])
    return found


def speed_of_coordinates(model, joint: Connections, number: np.ndarray) -> np.ndarray:
    """Number of the speed of each coordinate of one axis; −1 for those of balls."""
    found = np.full(len(model.coordinates), -1, dtype=np.int64)
    for e in range(len(joint.axis)):
        if not joint.is_ball[e]:
            found[joint.coordinate[e]] = number[joint.speed[e]]
    return found
