"""Linear drag of a body in a medium: force −c (v − wind) at a point, torque −c_ω ω; a load, whose
power without wind is never positive.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import outlined
from hamiltree.compiled.number import load
from hamiltree.forces.ends import lever, placed, push_end, tabulated, twist_of
from hamiltree.forces.laws import body_law, held, push
from hamiltree.model.elements import Drag
from hamiltree.model.values import Frame


class Dragged(NamedTuple):
    at: Vec3
    wind: Vec3
    linear: float
    angular: float


class Drags(NamedTuple):
    row: np.ndarray  # (n, 1)
    dragged: np.ndarray  # Dragged


def dragged_of(part, placement):
    row, frame = placed(placement, part.body, Frame(part.at))
    return (row,), (*frame.position, *part.wind, part.linear, part.angular)


@body_law(Drag, Drags)
def tabulate_drags(parts, placement):
    return tabulated(Drags, Dragged, (dragged_of(part, placement) for part in parts), ends=1)


@outlined
def drag_body(drags, k, bodies):
    i, dragged = drags.row[k, 0], load(drags.dragged, k, Dragged)
    twist = twist_of(bodies, i, dragged.at)
    push_end(
        bodies,
        i,
        lever(bodies, i, dragged.at),
        (dragged.wind - twist.v) * dragged.linear,
        twist.w * -dragged.angular,
    )


@push.method(Drags)
def drag_bodies(drags, t, bodies):
    for k in range(drags.row.shape[0]):
        drag_body(drags, k, bodies)


@held.method(Drags)
def no_energy_of_drag(drags, t, bodies):
    return 0.0 * t
