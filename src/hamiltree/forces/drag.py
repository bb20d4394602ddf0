"""Linear drag of a body in a medium: force −c (v − wind) at a point, torque −c_ω ω; a load, whose
power without wind is never positive.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load
from hamiltree.forces.laws import add_element_wrench, body_law, body_potential_energy
from hamiltree.forces.two_body_elements import (
    add_wrench_at,
    frame_on_link,
    lever_arm,
    make_element_table,
    twist_at_point,
)
from hamiltree.model.elements import Drag
from hamiltree.model.values import Frame


class DragElement(NamedTuple):
    at: Vec3
    wind: Vec3
    linear: float
    angular: float


class Drags(NamedTuple):
    row: np.ndarray  # (n, 1)
    dragged: np.ndarray  # DragElement


def make_drag_element(part, placement):
    row, frame = frame_on_link(placement, part.body, Frame(part.at))
    return (row,), (*frame.position, *part.wind, part.linear, part.angular)


@body_law(Drag, Drags)
def tabulate_drags(parts, placement):
    return make_element_table(Drags, DragElement, make_drag_element, parts, placement, ends=1)


@add_element_wrench.method(Drags)
def add_drag_wrench(drags, k, t, bodies):
    """c (wind − v) at the point and −c_ω ω of element k."""
    i, dragged = drags.row[k, 0], load(drags.dragged, k, DragElement)
    twist = twist_at_point(bodies, i, dragged.at)
    add_wrench_at(
        bodies,
        i,
        lever_arm(bodies, i, dragged.at),
        (dragged.wind - twist.v) * dragged.linear,
        twist.w * -dragged.angular,
    )


@body_potential_energy.method(Drags)
def no_energy_of_drag(drags, t, bodies):
    return 0.0 * t
