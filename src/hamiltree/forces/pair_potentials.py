"""Pair potentials V(r) and dV/ds of four pairs at once, as functions of s = r²: forces are −2 dV/ds
(x − x′), and most need no root.

A table of pairs (pairs.py) is typed by its potential. Up to three numbers describe one for a pair
of types, the fourth is what is taken off V so that it ends at zero; beyond the cut-off nothing is
seen of a pair, whatever stands there.
"""

from typing import NamedTuple

from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.functions import exp, log, minimum
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import (
    broadcast_like,
    fma,
    lane,
    load_block,
    maximum,
    part,
    root,
    store,
    store_block,
    where_less,
)
from hamiltree.compiled.stack import stack_array
from hamiltree.forces.laws import element_verb
from hamiltree.forces.user_code import evaluate_code

COEFFICIENTS_PER_PAIR = 4  # of a pair of types
SMALLEST_DISTANCE = 1e-300  # a distance


class PairPotential(NamedTuple):
    """Of one pair, or of four side by side."""

    value: float  # V
    slope: float  # dV/ds


class Coefficients(NamedTuple):
    a: float
    b: float
    c: float
    shift: float


pair_potential = element_verb(
    "pair_potential", "bond(table, numbers, s): V and dV/ds of the potential alone"
)
pair_potential_at = element_verb(
    "pair_potential_at",
    "pair_potential_at(table, state, i, c, s): the same for particle i and the four of cluster c",
)


@inlined
def load_coefficients(table, i, c):
    """Of particle i with each of the four of cluster c."""
    at = COEFFICIENTS_PER_PAIR * (table.kind[i] * table.patterns + table.pattern[c])
    of_pair = table.numbers
    return Coefficients(
        load_block(of_pair, at),
        load_block(of_pair, at + 1),
        load_block(of_pair, at + 2),
        load_block(of_pair, at + 3),
    )


@pair_potential_at.fallback(pair_potential)
def pair_potential_by_types(table, law_state, i, c, s):
    numbers = load_coefficients(table, i, c)
    plain = pair_potential(table, numbers, s)
    return PairPotential(plain.value - numbers.shift, plain.slope)


def lennard_jones(table, numbers, s):
    """4ε (σ¹²/s⁶ − σ⁶/s³) = a/s⁶ − b/s³"""
    inverse = 1.0 / s
    cube = inverse * inverse * inverse
    return PairPotential(
        cube * fma(numbers.a, cube, -numbers.b),
        -inverse * cube * fma(6.0 * numbers.a, cube, -3.0 * numbers.b),
    )


def morse(table, numbers, s):
    """D e (e − 2), e = exp(−a (r − r₀))"""
    r = root(s)
    e = exp(-numbers.b * (r - numbers.c))
    return PairPotential(numbers.a * e * (e - 2.0), numbers.a * numbers.b * e * (1.0 - e) / r)


def coulomb(table, numbers, s):
    """a / r"""
    inverse = 1.0 / root(s)
    value = numbers.a * inverse
    return PairPotential(value, -0.5 * value * inverse * inverse)


def screened_coulomb(table, numbers, s):
    """a e^(−b r) / r"""
    r = root(s)
    inverse = 1.0 / r
    value = numbers.a * inverse * exp(-numbers.b * r)
    return PairPotential(value, -0.5 * value * inverse * (inverse + numbers.b))


def buckingham(table, numbers, s):
    """a e^(−b r) − c / s³"""
    r, inverse = root(s), 1.0 / s
    wall, well = numbers.a * exp(-numbers.b * r), numbers.c * inverse * inverse * inverse
    return PairPotential(wall - well, fma(3.0 * well, inverse, -0.5 * numbers.b * wall / r))


def harmonic(table, numbers, s):
    """½ a (r − b)²; of b = 0 smooth at r = 0"""
    r = root(s)
    stretch = r - numbers.b
    return PairPotential(
        0.5 * numbers.a * stretch * stretch,
        0.5 * numbers.a * (1.0 - numbers.b / maximum(r, broadcast_like(SMALLEST_DISTANCE, s))),
    )


def fene(table, numbers, s):
    """−½ a R² ln(1 − s/R²), b = 1/R²; past R it is not real, and the run says so"""
    left = 1.0 - s * numbers.b
    return PairPotential(-0.5 * numbers.a / numbers.b * log(left), 0.5 * numbers.a / left)


# ---- a user's V(r) -------------------------------------------------------------------------------
def formula_at(table, law_state, i, c, s):
    """V and dV/dr by the user's code, one pair after the other: every pair of types has its own
    parameters.
    """
    r = root(s)
    store_block(law_state.lines, 0, r)
    inputs, out = stack_array(0.0, 1), stack_array(0.0, 2)
    for k in range(4):
        types = table.kind[i] * table.types + table.kind[4 * c + k]
        store(inputs, 0, law_state.lines[k])
        evaluate_code(table.code, types, 0, part(table.parameters, types), 0.0, inputs, out)
        law_state.lines[4 + k], law_state.lines[8 + k] = out[0] - table.shift[types], out[1]
    return PairPotential(load_block(law_state.lines, 1), 0.5 * load_block(law_state.lines, 2) / r)


# ---- the cut-off ---------------------------------------------------------------------------------
class CutoffRange(NamedTuple):
    """The range of a potential, read once for many rows: nothing that is stored meanwhile can
    change it.
    """

    end: float  # cut-off²
    begin: float  # s₁, where switching begins
    steepness: float  # 1/(s₂ − s₁)
    is_switched: bool
    is_periodic: bool
    box: Vec3
    inverse_box: Vec3


@inlined
def cutoff_range(table):
    """The limits and the box of a table as numbers."""
    limits = table.limits
    box = table.box
    inverse = table.inverse_box
    return CutoffRange(
        limits[0],
        limits[1],
        limits[2],
        table.is_switched,
        table.is_periodic,
        Vec3(box[0], box[1], box[2]),
        Vec3(inverse[0], inverse[1], inverse[2]),
    )


@inlined
def apply_cutoff(table, law_state, reach, i, c, s):
    """V and its slope within the cut-off, of particle i and the four of cluster c."""
    return switch_off(reach, pair_potential_at(table, law_state, i, c, s), s)


@inlined
def switch_off(reach, whole, s):
    """S V and its slope, S = 1 − x³ (10 − 15 x + 6 x²), x = (s − s₁)/(s₂ − s₁) from 0 to 1: two
    derivatives are continuous.
    """
    value, slope = whole.value, whole.slope
    if reach.is_switched:
        x = minimum(
            maximum((s - reach.begin) * reach.steepness, broadcast_like(0.0, s)),
            broadcast_like(1.0, s),
        )
        share = fma(-x * x * x, fma(x, fma(x, 6.0, -15.0), 10.0), 1.0)
        steep = -30.0 * reach.steepness * x * x * (1.0 - x) * (1.0 - x)
        value, slope = value * share, fma(slope, share, value * steep)
    return PairPotential(where_less(s, reach.end, value, 0.0), where_less(s, reach.end, slope, 0.0))


@inlined
def sum_over_lanes(x):
    return (lane(x, 0) + lane(x, 1)) + (lane(x, 2) + lane(x, 3))
