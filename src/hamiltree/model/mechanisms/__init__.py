"""Mechanisms with closed loops, ready to run; the joint declared last in a loop closes it.

SI units, rad.

Every loop is closed at the start, in position and in velocity, by formulas.
The plane mechanisms lie in the plane x-z with gravity along -z and turn about -y: seen with x to
the right and z up, counterclockwise.
In space each loop closed by a hinge in such a plane has three equations too many (five, where the
plane needs two).
"""

from __future__ import annotations

from hamiltree.model.mechanisms.hexapod import stewart
from hamiltree.model.mechanisms.jansen import strandbeest
from hamiltree.model.mechanisms.plane import andrews, double_four_bar, four_bar, slider_crank
from hamiltree.model.mechanisms.spatial import bricard, governor, problem_11_7, spatial_slider_crank
from hamiltree.model.mechanisms.suspension import car_axis, double_wishbone

# `hamiltree.library` offers these by name
MECHANISMS = (
    four_bar, slider_crank, andrews, strandbeest, spatial_slider_crank, governor, bricard, stewart,
    double_wishbone, problem_11_7, double_four_bar, car_axis,
)  # fmt: skip
