"""One state of many: what lies in one lane, or in floats where there is one state alone."""

from hamiltree.algebra.spatial import Twist
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import compiled_as, inlined
from hamiltree.compiled.number import lane, load, store


@inlined
def lane_of_vector(v, l):
    return Vec3(lane(v.x, l), lane(v.y, l), lane(v.z, l))


@inlined
def lane_of_twist(a, l):
    return Twist(lane_of_vector(a.w, l), lane_of_vector(a.v, l))


def subtract_from_lane(array, i, l, x):
    array[i if array.ndim == 1 else (i, l)] -= x


@compiled_as(subtract_from_lane)
def compiled_subtract_from_lane(array, i, l, x):
    """From a float, or from one lane."""

    def from_float(array, i, l, x):
        store(array, i, load(array, i) - x)

    def from_lane(array, i, l, x):
        array[i, l] -= x

    return from_float if array.ndim == 1 else from_lane


def add_to_lane(array, i, l, values):
    array[(i, ...) if array.ndim == 2 else (i, ..., l)] += values[i]


@compiled_as(add_to_lane)
def compiled_add_to_lane(array, i, l, values):
    """Row i of floats to that of floats, or to one lane."""

    def to_floats(array, i, l, values):
        for c in range(array.shape[1]):
            array[i, c] += values[i, c]

    def to_lane(array, i, l, values):
        for c in range(array.shape[1]):
            array[i, c, l] += values[i, c]

    return to_floats if array.ndim == 2 else to_lane
