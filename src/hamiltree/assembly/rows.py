"""Primitive constraint rows between two bodies: "Spatial Dynamics", Table 11.1, with the
corrections of ERRATA 1-1 to 1-6.

A row is a sum of terms of rows of Bodies (i, j), less a constant, less a function of time. With
s_i = R_i a, s_j = R_j b and the points A = R_i at, B = R_j to, d = r_j + B − r_i − A:
  N1  s_i · s_j         N2  s_i · d           S   e · (r_i + A − r_j − B)
  P1  e · (s_i × s_j)   P2  e · (s_i × d)     SS  d · d
      (N1, N2: orthogonality conditions; S: points that coincide; P1, P2: parallelism; SS: distance)
      e fixed in the world: components of the rows of three
  ANGLE  atan2(y_i · s_j, s_i · s_j), y_i = R_i e: how far b has turned about a × e, for drives,
         gears and screws
The Jacobian of a row is a wrench on either body, about its origin: Φ̇ = Σ wrench · twist + Φ_t, and
Φ̈ = Σ wrench · twist rate − γ#.
`stretch` is Φ_p p of either body, as A(p) = G Lᵀ extends off ‖p‖ = 1: γ = γ# − ¼ Σ ω² Φ_p p (ERRATA
1-9).
"""

from typing import NamedTuple

import numpy as np

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import cross, dot, method, value
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.functions import atan2
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, load, part, round_to_nearest, rows, store
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import HAS_CODE
from hamiltree.forces.user_code import evaluate_code

N1, N2, S, P1, P2, SS, ANGLE = range(7)
KINDS_WITH_POINTS = N2, S, P2, SS
TWO_PI = 6.283185307179586


@value
class RowJacobian(NamedTuple):
    """The Jacobian of a term: wrenches on its two bodies."""

    i: Wrench
    j: Wrench


class Term(NamedTuple):
    """The constants of a term, in the axes of its two rows of Bodies."""

    a: Vec3  # in i
    b: Vec3  # in j
    at: Vec3  # in i
    to: Vec3  # in j
    e: Vec3  # in the world; of an angle, in i
    weight: float
    start: float  # of an angle whose turns are counted: where it starts


class Row(NamedTuple):
    constant: float
    period: float  # of the row's value: full turns of an angle do not count; 0: it has none


class Drive(NamedTuple):
    """f(t) and its two derivatives."""

    f: float
    rate: float
    second: float


class Rows(NamedTuple):
    kind: np.ndarray  # (terms,) N1, N2, …
    ends: np.ndarray  # (terms, 2) rows of Bodies
    # (terms,) number of an angle among those whose turns are counted (windings.py), −1: it has none
    winding: np.ndarray
    term: np.ndarray  # Term
    first: np.ndarray  # (rows + 1,) first term of each row
    row: np.ndarray  # Row
    code: np.ndarray  # (rows, 2) Code of f, f', f''; zeros where the row is not driven
    parameters: np.ndarray  # (rows, p) of the code
    has_new_points: np.ndarray  # (terms,) 1 where A, B, d are needed and are not those used last


class RowsWork(NamedTuple):
    # evaluate_rows
    value: np.ndarray  # (rows,) Φ
    row_jacobian: np.ndarray  # RowJacobian of each term, weighted
    stretch: np.ndarray  # (2 terms,) Φ_p p of i and of j, weighted
    drive: np.ndarray  # Drive of each row
    # evaluate_row_rates
    rate: np.ndarray  # (rows,) Φ̇
    gamma: np.ndarray  # (rows,) γ#
    angle: np.ndarray  # (terms,) of angles whose turns are counted: with these
    windings: np.ndarray  # of floats, see windings.py


def rows_workspace(table: Rows, width: int, windings: np.ndarray | None = None) -> RowsWork:
    """The workspace of floats (width 1) or lanes; counted angles are those of `windings`, or begin
    where they start.
    """
    n = max(1, len(table.row))
    terms = len(table.kind)
    return RowsWork(
        value=rows(float, n, width),
        row_jacobian=rows(RowJacobian, max(1, terms), width),
        stretch=rows(float, max(1, 2 * terms), width),
        drive=rows(Drive, n, width),
        rate=rows(float, n, width),
        gamma=rows(float, n, width),
        angle=rows(float, max(1, terms), width),
        windings=start_windings(table) if windings is None else windings,
    )


def start_windings(table: Rows) -> np.ndarray:
    """Windings of a table by itself: every counted angle where it starts, at rest."""
    counted = np.flatnonzero(table.winding >= 0)
    windings = np.zeros(1 + 2 * (1 + int(table.winding.max())) if len(counted) else 0)
    for k in counted:
        windings[1 + 2 * table.winding[k]] = table.term[k, -1]
    return windings


def has_drives(table: Rows) -> bool:
    """Whether some row follows a function of time."""
    return any(table.code.targets)


# ---- value and gradient --------------------------------------------------------------------------
@method("mul", RowJacobian, float)
def scale_jacobian(row_jacobian, s):
    return RowJacobian(
        Wrench(row_jacobian.i.torque * s, row_jacobian.i.force * s),
        Wrench(row_jacobian.j.torque * s, row_jacobian.j.force * s),
    )


@inlined
def opposite_torques(torque):
    """A torque on i and the opposite one on j."""
    nothing = torque * 0.0  # of the kind of the others: floats, or lanes
    return RowJacobian(Wrench(torque, nothing), Wrench(-torque, nothing))


@inlined
def forces(u, A, B):
    """u at B of j and −u at A of i: the gradient of u · d for a fixed u."""
    return RowJacobian(Wrench(cross(u, A), -u), Wrench(cross(B, u), u))


@inlined
def add_torque(row_jacobian, torque):
    """The same with another torque added on i."""
    return RowJacobian(Wrench(row_jacobian.i.torque + torque, row_jacobian.i.force), row_jacobian.j)


class EvaluatedTerm(NamedTuple):
    value: float
    row_jacobian: RowJacobian
    stretch_i: float
    stretch_j: float


class Directions(NamedTuple):
    """s_i and s_j of a term in the world."""

    si: Vec3
    sj: Vec3


class Points(NamedTuple):
    """A, B and d of a term in the world."""

    A: Vec3
    B: Vec3
    d: Vec3


@inlined
def direction_on_i(table, bodies, k):
    """s_i of term k."""
    return load(bodies.rotation, table.ends[k, 0], Mat3) @ load(table.term, k, Term).a


@inlined
def directions_of(table, bodies, k):
    """s_i and s_j of term k."""
    sj = load(bodies.rotation, table.ends[k, 1], Mat3) @ load(table.term, k, Term).b
    return Directions(direction_on_i(table, bodies, k), sj)


@inlined
def points_of(table, bodies, k):
    """A, B and d of term k."""
    i, j = table.ends[k, 0], table.ends[k, 1]
    A = load(bodies.rotation, i, Mat3) @ load(table.term, k, Term).at
    B = load(bodies.rotation, j, Mat3) @ load(table.term, k, Term).to
    return Points(A, B, (load(bodies.position, j, Vec3) + B) - (load(bodies.position, i, Vec3) + A))


@inlined
def evaluate_n1(s):
    """s_i · s_j"""
    along = dot(s.si, s.sj)
    return EvaluatedTerm(along, opposite_torques(cross(s.si, s.sj)), 2.0 * along, 2.0 * along)


@inlined
def evaluate_n2(si, x):
    """s_i · d"""
    along = dot(si, x.d)
    return EvaluatedTerm(
        along,
        add_torque(forces(si, x.A, x.B), cross(si, x.d)),
        2.0 * (along - dot(si, x.A)),
        2.0 * dot(si, x.B),
    )


@inlined
def evaluate_s(x, e):
    """−e · d"""
    u = x.d * 0.0 - e  # of the kind of d
    return EvaluatedTerm(dot(u, x.d), forces(u, x.A, x.B), 2.0 * dot(e, x.A), -2.0 * dot(e, x.B))


@inlined
def evaluate_p1(s, e):
    """e · (s_i × s_j)"""
    along = dot(e, cross(s.si, s.sj))
    on_i, on_j = cross(s.si, cross(s.sj, e)), cross(s.sj, cross(e, s.si))
    return EvaluatedTerm(
        along,
        RowJacobian(Wrench(on_i, on_i * 0.0), Wrench(on_j, on_j * 0.0)),
        2.0 * along,
        2.0 * along,
    )


@inlined
def evaluate_p2(si, x, e):
    """e · (s_i × d)"""
    u, along = cross(e, si), dot(e, cross(si, x.d))
    row_jacobian = add_torque(forces(u, x.A, x.B), cross(si, cross(x.d, e)))
    return EvaluatedTerm(along, row_jacobian, 2.0 * (along - dot(u, x.A)), 2.0 * dot(u, x.B))


@inlined
def evaluate_ss(x):
    """d · d"""
    return EvaluatedTerm(
        dot(x.d, x.d), forces(x.d * 2.0, x.A, x.B), -4.0 * dot(x.d, x.A), 4.0 * dot(x.d, x.B)
    )


@inlined
def evaluate_angle(s, yi):
    """atan2(y_i · s_j, s_i · s_j)"""
    c, sine = dot(s.si, s.sj), dot(yi, s.sj)
    torque = (cross(yi, s.sj) * c - cross(s.si, s.sj) * sine) * (1.0 / fma(sine, sine, c * c))
    return EvaluatedTerm(atan2(sine, c), opposite_torques(torque), 0.0 * c, 0.0 * c)


@inlined
def evaluate_term(table, bodies, k, x):
    """Value, Jacobian and stretch of term k, not weighted, with the points x that it shares with
    others.
    """
    s, e, kind = directions_of(table, bodies, k), load(table.term, k, Term).e, table.kind[k]
    if kind == N1:
        return evaluate_n1(s)
    if kind == N2:
        return evaluate_n2(s.si, x)
    if kind == S:
        return evaluate_s(x, e)
    if kind == P1:
        return evaluate_p1(s, e)
    if kind == P2:
        return evaluate_p2(s.si, x, e)
    if kind == SS:
        return evaluate_ss(x)
    return evaluate_angle(s, load(bodies.rotation, table.ends[k, 0], Mat3) @ e)


@inlined
def no_points(bodies):
    """Zeros of the kind of numbers of the bodies."""
    nothing = load(bodies.position, 0, Vec3) * 0.0
    return Points(nothing, nothing, nothing)


@inlined
def unwrap_angle(table, work, k, angle, t):
    """The angle, a multiple of full turns away, that is nearest to where the last one would have
    come to by its rate.
    """
    if table.winding[k] < 0:
        return angle
    at = 1 + 2 * table.winding[k]
    since = t - load(work.windings, 0)
    expected = since * load(work.windings, at + 1) + load(work.windings, at)
    near = fma(TWO_PI, round_to_nearest((expected - angle) * (1.0 / TWO_PI)), angle)
    store(work.angle, k, near)
    return near


@outlined
def evaluate_rows(table, work, bodies, t):
    """Φ, its Jacobian and the drives, from the positions of Bodies at time t."""
    x = no_points(bodies)
    for row in range(table.row.shape[0]):
        store(work.value, row, 0.0)
        for k in range(table.first[row], table.first[row + 1]):
            if table.has_new_points[k] != 0:
                x = points_of(table, bodies, k)
            graded, weight = evaluate_term(table, bodies, k, x), load(table.term, k, Term).weight
            store(
                work.value,
                row,
                fma(weight, unwrap_angle(table, work, k, graded.value, t), load(work.value, row)),
            )
            store(work.row_jacobian, k, graded.row_jacobian * weight)
            store(work.stretch, 2 * k, graded.stretch_i * weight)
            store(work.stretch, 2 * k + 1, graded.stretch_j * weight)
        subtract_constant_and_drive(table, work, row, t)


@inlined
def subtract_constant_and_drive(table, work, row, t):
    """Less the constant and the drive; whole periods do not count."""
    constants = load(table.row, row, Row)
    found = load(work.value, row) - constants.constant
    if table.code[row, HAS_CODE] != 0:
        drive = evaluate_drive(table, row, t, found)
        store(work.drive, row, drive)
        found = found - drive.f
    if constants.period > 0.0:
        found = fma(-constants.period, round_to_nearest(found * (1.0 / constants.period)), found)
    store(work.value, row, found)


@inlined
def evaluate_drive(table, row, t, like):
    """f, f', f'' of the row's function of time."""
    inputs, out = stack_array(like, 1), stack_array(like, 3)
    store(inputs, 0, 0.0 * like)
    evaluate_code(table.code, row, 0, part(table.parameters, row), t, inputs, out)
    return Drive(load(out, 0), load(out, 1), load(out, 2))


# ---- rates ---------------------------------------------------------------------------------------
class VectorRates(NamedTuple):
    """The first derivative of a vector, and the second one while no body accelerates."""

    first: Vec3
    second: Vec3


@inlined
def rates_of_direction(table, bodies, k, side, s):
    """Of s_i (side 0) or s_j of term k."""
    w = load(bodies.twist, table.ends[k, side], Twist).w
    first = cross(w, s)
    return VectorRates(first, cross(w, first))


@inlined
def rates_of_distance(table, bodies, k, x):
    """Of d of term k."""
    Vi = load(bodies.twist, table.ends[k, 0], Twist)
    Vj = load(bodies.twist, table.ends[k, 1], Twist)
    A, B = cross(Vi.w, x.A), cross(Vj.w, x.B)
    return VectorRates((Vj.v + B) - (Vi.v + A), cross(Vj.w, B) - cross(Vi.w, A))


@inlined
def second_of_product(a, b, da, db):
    """d²(a · b)/dt²"""
    return dot(da.second, b) + 2.0 * dot(da.first, db.first) + dot(a, db.second)


@inlined
def second_of_triple_product(e, a, b, da, db):
    """d²(e · (a × b))/dt²"""
    middle = cross(da.first, db.first) * 2.0
    return dot(e, (cross(da.second, b) + middle) + cross(a, db.second))


@inlined
def second_of_angle(table, bodies, k, s, dsi, dsj):
    """θ̈ = (c s̈ − s c̈)/n − θ̇ ṅ/n with θ̇ = (c ṡ − s ċ)/n, n = c² + s²."""
    yi = load(bodies.rotation, table.ends[k, 0], Mat3) @ load(table.term, k, Term).e
    dyi = rates_of_direction(table, bodies, k, 0, yi)
    c, sine = dot(s.si, s.sj), dot(yi, s.sj)
    dc = dot(dsi.first, s.sj) + dot(s.si, dsj.first)
    ds = dot(dyi.first, s.sj) + dot(yi, dsj.first)
    c2 = second_of_product(s.si, s.sj, dsi, dsj)
    s2 = second_of_product(yi, s.sj, dyi, dsj)
    n = fma(sine, sine, c * c)
    return ((c * s2 - sine * c2) - 2.0 * (c * dc + sine * ds) * ((c * ds - sine * dc) / n)) / n


@inlined
def second_of_directions(table, bodies, k):
    """Of N1, P1 and angles."""
    s, kind = directions_of(table, bodies, k), table.kind[k]
    dsi = rates_of_direction(table, bodies, k, 0, s.si)
    dsj = rates_of_direction(table, bodies, k, 1, s.sj)
    if kind == N1:
        return second_of_product(s.si, s.sj, dsi, dsj)
    if kind == P1:
        return second_of_triple_product(load(table.term, k, Term).e, s.si, s.sj, dsi, dsj)
    return second_of_angle(table, bodies, k, s, dsi, dsj)


@inlined
def second_of_points(table, bodies, k, x, dd):
    """Of S, SS, N2 and P2."""
    kind, e = table.kind[k], load(table.term, k, Term).e
    if kind == S:
        return -dot(e, dd.second)
    if kind == SS:
        return 2.0 * dot(dd.first, dd.first) + 2.0 * dot(x.d, dd.second)
    si = direction_on_i(table, bodies, k)
    dsi = rates_of_direction(table, bodies, k, 0, si)
    if kind == N2:
        return second_of_product(si, x.d, dsi, dd)
    return second_of_triple_product(e, si, x.d, dsi, dd)


@inlined
def second_of_term(table, bodies, k, x, dd):
    """Φ̈ while no body accelerates: −γ#, Table 11.1."""
    kind = table.kind[k]
    if kind in (N1, P1, ANGLE):
        return second_of_directions(table, bodies, k)
    return second_of_points(table, bodies, k, x, dd)


@inlined
def evaluate_row_rate(table, work, bodies, row):
    """Φ̇ = Σ wrench · twist − f'(t); the Jacobian is in work."""
    evaluate_undriven_rate(table, work, bodies, row)
    if table.code[row, HAS_CODE] != 0:
        store(work.rate, row, load(work.rate, row) - load(work.drive, row, Drive).rate)


@inlined
def evaluate_undriven_rate(table, work, bodies, row):
    """Σ wrench · twist, without what a drive asks for."""
    store(work.rate, row, 0.0)
    for k in range(table.first[row], table.first[row + 1]):
        row_jacobian = load(work.row_jacobian, k, RowJacobian)
        along = dot(row_jacobian.i, load(bodies.twist, table.ends[k, 0], Twist)) + dot(
            row_jacobian.j, load(bodies.twist, table.ends[k, 1], Twist)
        )
        store(work.rate, row, load(work.rate, row) + along)


@outlined
def evaluate_row_rates(table, work, bodies):
    """Φ̇ and γ# from the twists of Bodies; after `evaluate_rows`."""
    x = no_points(bodies)
    dd = VectorRates(x.d, x.d)
    for row in range(table.row.shape[0]):
        evaluate_row_rate(table, work, bodies, row)
        store(work.gamma, row, 0.0)
        for k in range(table.first[row], table.first[row + 1]):
            if table.has_new_points[k] != 0:
                x = points_of(table, bodies, k)
                dd = rates_of_distance(table, bodies, k, x)
            store(
                work.gamma,
                row,
                fma(
                    -load(table.term, k, Term).weight,
                    second_of_term(table, bodies, k, x, dd),
                    load(work.gamma, row),
                ),
            )
        if table.code[row, HAS_CODE] != 0:
            store(work.gamma, row, load(work.gamma, row) + load(work.drive, row, Drive).second)


@inlined
def add_row_wrenches(table, work, bodies, multipliers, first):
    """Add the wrenches +Φ_qᵀ λ to Bodies, λ in rows `first` and on of multipliers (ERRATA 1-15)."""
    for row in range(table.row.shape[0]):
        strength = load(multipliers, first + row)
        for k in range(table.first[row], table.first[row + 1]):
            row_jacobian = load(work.row_jacobian, k, RowJacobian) * strength
            add_wrench(bodies, table.ends[k, 0], row_jacobian.i)
            add_wrench(bodies, table.ends[k, 1], row_jacobian.j)


@inlined
def add_wrench(bodies, i, wrench):
    store(bodies.wrench, i, load(bodies.wrench, i, Wrench) + wrench)
