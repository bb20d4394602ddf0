"""Derivatives of the wrenches of pairs of particles: the potentials at dual numbers, one pair after
the other, whether a table lists rows or neighbours are looked up (pair_sums.py).
"""

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Wrench
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.duals import value_of
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import WIDTH, add, load, part, root, store
from hamiltree.compiled.stack import stack_array
from hamiltree.forces.derivatives import add_wrench_slopes
from hamiltree.forces.laws import element_verb
from hamiltree.forces.neighbour_lists import nearest_image
from hamiltree.forces.pair_force import POTENTIALS, FormulaPairs
from hamiltree.forces.pair_potentials import (
    COEFFICIENTS_PER_PAIR,
    Coefficients,
    PairPotential,
    cutoff_range,
    pair_potential,
    switch_off,
)
from hamiltree.forces.user_code import evaluate_code

potential_of_two = element_verb(
    "potential_of_two", "potential_of_two(table, i, j, s): V and dV/ds of particles i and j, s = r²"
)


@potential_of_two.fallback(pair_potential)
def potential_by_types(table, i, j, s):
    """The numbers of one of the four of a cluster."""
    row = table.kind[i] * table.patterns + table.pattern[j // WIDTH]
    at, numbers = WIDTH * COEFFICIENTS_PER_PAIR * row + j % WIDTH, table.numbers
    own = Coefficients(
        numbers[at], numbers[at + WIDTH], numbers[at + 2 * WIDTH], numbers[at + 3 * WIDTH]
    )
    plain = pair_potential(table, own, s)
    return PairPotential(plain.value - own.shift, plain.slope)


@potential_of_two.method(FormulaPairs)
def potential_by_formula(table, i, j, s):
    r = root(s)
    types = table.kind[i] * table.types + table.kind[j]
    inputs, out = stack_array(r, 1), stack_array(r, 2)
    store(inputs, 0, r)
    evaluate_code(table.code, types, 0, part(table.parameters, types), 0.0, inputs, out)
    return PairPotential(load(out, 0) - table.shift[types], 0.5 * load(out, 1) / r)


@inlined
def particle_arm(table, bodies, i):
    """From the origin of its row to a particle."""
    R = load(bodies.rotation, table.row[table.owner[i // WIDTH]], Mat3)
    return R @ Vec3(table.x[i], table.y[i], table.z[i])


@inlined
def is_excluded(table, a, b):
    """Whether bodies a < b do not interact."""
    for k in range(table.excluded_first[a], table.excluded_first[a + 1]):
        if table.excluded[k] == b:
            return True
    return False


@outlined
def add_cluster_wrenches(table, bodies, i, c):
    """Of particle i with those of cluster c."""
    reach = cutoff_range(table)
    own, other = table.row[table.owner[i // WIDTH]], table.row[table.owner[c]]
    arm = particle_arm(table, bodies, i)
    x = load(bodies.position, own, Vec3) + arm - load(bodies.position, other, Vec3)
    for j in range(WIDTH * c, WIDTH * c + table.real[c]):
        far = particle_arm(table, bodies, j)
        d = x - far
        if reach.is_periodic:
            d = nearest_image(reach, d)
        s = dot(d, d)
        if value_of(s) < reach.end:
            f = d * (-2.0 * switch_off(reach, potential_of_two(table, i, j, s), s).slope)
            add(bodies.wrench, own, Wrench(cross(arm, f), f))
            add(bodies.wrench, other, Wrench(cross(f, far), -f))


def add_pair_wrench_slopes(table, t, bodies):
    """Rows of the table; without them all clusters of other bodies, as neighbours may change."""
    for i in range(table.x.shape[0]):
        if i % WIDTH < table.real[i // WIDTH]:
            for k in range(table.start[i], table.start[i + 1]):
                add_cluster_wrenches(table, bodies, i, table.cluster[k])
            body = table.owner[i // WIDTH]
            if table.has_lists:
                for c in range(table.first[body + 1], table.owner.shape[0]):
                    if not is_excluded(table, body, table.owner[c]):
                        add_cluster_wrenches(table, bodies, i, c)


for table_type in (*POTENTIALS, FormulaPairs):
    add_wrench_slopes.method(table_type)(add_pair_wrench_slopes)
