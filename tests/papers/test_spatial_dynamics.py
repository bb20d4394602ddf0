"""The chapter "Spatial Dynamics" (11): Table 11.1, moments, and the spatial slider-crank by
formulations I, II and III against another program.

Its numbers are in data/seed001_*.json. Derivatives by (r, p) are those of A(p) = G Lᵀ for any p in
R⁴, not of unit ones only: by complex steps, which round but do not truncate, and along straight
lines by differences that are exact for polynomials of their degree.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.vec3 import Vec3
from hamiltree.analysis.cartesian.notation import to_latex
from hamiltree.analysis.cartesian.table import ROWS, table_11_1
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.joint_rows import RowSpec, TermSpec
from hamiltree.assembly.row_tables import evaluate_rows_and_rates, make_row_table
from hamiltree.assembly.rows import ANGLE, N1, N2, P1, P2, SS, S, rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.absolute import augmented_matrix as cartesian_matrix
from hamiltree.formulations.absolute import bodies as cartesian_bodies
from hamiltree.formulations.absolute import cartesian, quaternions
from hamiltree.formulations.absolute.tables import CartesianTables
from hamiltree.formulations.batch import rates_of_state
from hamiltree.formulations.verb_pointers import indirect_rates
from hamiltree.model import library
from hamiltree.model.constraints import Drive
from hamiltree.model.values import IDENTITY
from hamiltree.verbs import rates
from tests.papers.printed_symbols import compute, from_latex

DATA = Path(__file__).parents[1] / "data"
KINDS = {"n1": N1, "n2": N2, "p1": P1, "p2": P2, "s": S, "ss": SS}
TINY = 1e-30  # of complex steps
SECOND_OFFSETS = np.arange(-4, 5)
# exact up to degree 9
SECOND_WEIGHTS = np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / 5040


def read(name):
    return json.loads((DATA / f"seed001_{name}.json").read_text(encoding="utf-8"))


TABLE = {case["kind"]: case for case in read("table11_1")["cases"]}
LENGTH = TABLE["ss"]["params_body"]["l"]
PROBLEM = read("problem11_6")
CRANKS = {name: read(f"slidercrank_{name}") for name in "ac"}


# ---- Euler parameters, written out ---------------------------------------------------------------
def skew(v):
    x, y, z = v
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def G(p):
    return np.column_stack([-p[1:], skew(p[1:]) + p[0] * np.eye(3)])


def L(p):
    return np.column_stack([-p[1:], -skew(p[1:]) + p[0] * np.eye(3)])


def A(p):
    """Homogeneous of degree 2; a rotation where p is a unit quaternion."""
    return G(p) @ L(p).T


def turned(p, half):
    """p ∘ exp(half): a constant angular velocity in body axes."""
    size = np.linalg.norm(half)
    return np.cos(size) * p + np.sinc(size / np.pi) * L(p).T @ half


def second_derivative(function, h):
    return (
        sum(
            weight * function(h * k)
            for k, weight in zip(SECOND_OFFSETS, SECOND_WEIGHTS, strict=True)
        )
        / h**2
    )


# ---- two bodies and the rows between them --------------------------------------------------------
class Pair(NamedTuple):
    """Positions, Euler parameters, velocities and angular velocities (body axes) of bodies i and
    j.
    """

    r: np.ndarray
    p: np.ndarray
    v: np.ndarray
    w: np.ndarray

    @property
    def q(self):
        return np.concatenate([self.r[0], self.p[0], self.r[1], self.p[1]])

    @property
    def rate(self):
        """q̇, ṗ = ½ Lᵀ ω'"""
        return np.concatenate(
            [part for k in range(2) for part in (self.v[k], 0.5 * L(self.p[k]).T @ self.w[k])]
        )

    def after(self, t):
        """q after a time of uniform motion: no velocity and no body-fixed angular velocity
        changes.
        """
        return np.concatenate(
            [
                part
                for k in range(2)
                for part in (self.r[k] + t * self.v[k], turned(self.p[k], 0.5 * t * self.w[k]))
            ]
        )


def pair_of(case):
    return Pair(
        *(
            np.array([case[f"{name}_i"], case[f"{name}_j"]])
            for name in ("r", "p", "rd", "omega_body")
        )
    )


def vectors_of(case):
    """a, b, at, to of a term."""
    return {
        key: tuple(map(float, case["params_body"][name]))
        for key, name in (("a", "si"), ("b", "sj"), ("at", "sBi"), ("to", "sBj"))
    }


def terms_of(kind):
    """The terms of a kind at the vectors of Table 11.1: one, or one for each axis of the world."""
    vectors = vectors_of(TABLE["n1" if kind == "angle" else kind])
    if kind == "angle":
        return [TermSpec(ANGLE, "i", "j", e=(-0.3, 0.8, 0.4), **vectors)]
    axes = (
        [tuple(e) for e in np.eye(3).tolist()] if kind in ("s", "p1", "p2") else [(0.0, 0.0, 0.0)]
    )
    return [TermSpec(KINDS[kind], "i", "j", e=e, **vectors) for e in axes]


def values_of(kind, q):
    """Φ of Table 11.1 by its definition, for complex q too."""
    case = TABLE["n1" if kind == "angle" else kind]
    a, b, at, to = (np.array(v) for v in vectors_of(case).values())
    Ai, Aj = A(q[3:7]), A(q[10:14])
    si, sj, d = Ai @ a, Aj @ b, q[7:10] + Aj @ to - q[:3] - Ai @ at
    if kind == "angle":
        c, s = si @ sj, Ai @ (-0.3, 0.8, 0.4) @ sj
        return np.array([np.arctan2(s, c) if np.isrealobj(q) else np.arctan(s / c)])
    whole = {
        "n1": si @ sj,
        "n2": si @ d,
        "p1": np.cross(si, sj),
        "p2": np.cross(si, d),
        "s": -d,
        "ss": d @ d - case["params_body"]["l"] ** 2,
    }
    return np.atleast_1d(whole[kind])


class Evaluated(NamedTuple):
    value: np.ndarray
    rate: np.ndarray
    gamma_sharp: np.ndarray
    row_jacobian: np.ndarray  # (terms, 12): torque and force on i, on j
    stretch: np.ndarray  # (terms, 2)


def evaluated(specs, pair, t=0.0):
    table = make_row_table(specs, lambda name: ("ij".index(name), IDENTITY))
    turn = [A(p) for p in pair.p]
    twist = np.array(
        [np.concatenate([R @ w, v]) for R, w, v in zip(turn, pair.w, pair.v, strict=True)]
    )
    bodies = Bodies(
        np.array([R.T.ravel() for R in turn]),
        pair.r.copy(),
        twist,
        np.zeros((2, 6)),
        np.zeros(1, dtype=np.int64),
    )
    work = rows_workspace(table, 1)
    evaluate_rows_and_rates(StructPointer(table, work, bodies), t)
    return Evaluated(
        work.value, work.rate, work.gamma, work.row_jacobian, work.stretch.reshape(-1, 2)
    )


def rows_of(kind, **options):
    constant = LENGTH**2 if kind == "ss" else 0.0
    return [
        RowSpec(("joint", "row"), kind, (term,), constant, **options) for term in terms_of(kind)
    ]


def by_parameters(found, pair):
    """Φ_q from wrenches and stretches: Φ_p = 2 n'ᵀ L + (Φ_p p) pᵀ."""
    sides = []
    for k, p in enumerate(pair.p):
        torque, force = (
            found.row_jacobian[:, 6 * k : 6 * k + 3],
            found.row_jacobian[:, 6 * k + 3 : 6 * k + 6],
        )
        sides += [force, 2 * torque @ A(p) @ L(p) + np.outer(found.stretch[:, k], p)]
    return np.column_stack(sides)


# ---- Table 11.1 ----------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", KINDS)
def test_the_rows_of_table_11_1(kind):
    """With the corrections of ERRATA 1-1 to 1-5."""
    case, pair = TABLE[kind], pair_of(TABLE[kind])
    found, (Ri, Rj) = evaluated(rows_of(kind), pair), map(A, pair.p)
    assert found.value == pytest.approx(case["phi"], abs=1e-12)
    for name, columns in {"ri": slice(3, 6), "rj": slice(9, 12)}.items():
        assert found.row_jacobian[:, columns] == pytest.approx(
            np.array(case[f"J_{name}"]), abs=1e-12
        )
    assert found.row_jacobian[:, 0:3] @ Ri == pytest.approx(np.array(case["J_wi"]), abs=1e-12)
    assert found.row_jacobian[:, 6:9] @ Rj == pytest.approx(np.array(case["J_wj"]), abs=1e-12)
    assert found.gamma_sharp == pytest.approx(case["gamma_sharp"], abs=1e-12)


@pytest.mark.parametrize("kind", [*KINDS, "angle"])
def test_the_gradient_by_any_euler_parameters_is_that_of_the_definition(kind):
    pair = pair_of(TABLE["n1" if kind == "angle" else kind])
    steps = TINY * 1j * np.eye(14)
    expected = np.array([values_of(kind, pair.q + step).imag / TINY for step in steps]).T
    found = evaluated(rows_of(kind), pair)
    assert found.value == pytest.approx(values_of(kind, pair.q), abs=1e-12)
    assert by_parameters(found, pair) == pytest.approx(expected, abs=1e-12 * abs(expected).max())
    assert found.rate == pytest.approx(expected @ pair.rate, abs=1e-12 * abs(expected).max())


@pytest.mark.parametrize("kind", KINDS)
def test_gamma_is_the_second_derivative_along_a_straight_line_of_euler_parameters(kind):
    """Φ̈ = Φ_q q̈ − γ, and γ = γ# − ¼ Σ ω² Φ_p p (ERRATA 1-9); on a straight line Φ is a polynomial
    of degree 4.
    """
    pair = pair_of(TABLE[kind])
    found = evaluated(rows_of(kind), pair)
    gamma = found.gamma_sharp - 0.25 * found.stretch @ (pair.w**2).sum(1)
    expected = -second_derivative(lambda t: values_of(kind, pair.q + t * pair.rate), 0.25)
    assert gamma == pytest.approx(expected, abs=1e-11 * abs(expected).max())
    assert abs(gamma - found.gamma_sharp).max() > 1e-3 * abs(expected).max()


@pytest.mark.parametrize("kind", [*KINDS, "angle"])
def test_gamma_sharp_is_the_second_derivative_along_uniform_motion(kind):
    """Φ̈ = Σ wrench · twist rate − γ#."""
    pair = pair_of(TABLE["n1" if kind == "angle" else kind])
    expected = -second_derivative(lambda t: values_of(kind, pair.after(t)), 0.01)
    assert evaluated(rows_of(kind), pair).gamma_sharp == pytest.approx(
        expected, abs=1e-9 * abs(expected).max()
    )


def test_rows_that_share_their_points_are_what_each_is_by_itself():
    """In one table, in an order in which points are shared, change and come again."""
    pair = pair_of(TABLE["n2"])
    specs = [row for kind in ("n1", "s", "p2", "ss", "p1", "n2", "angle") for row in rows_of(kind)]
    points = {"to": (0.3, -0.2, 0.7)}, {"at": (0.1, 0.9, -0.4)}
    changes = points[0], {}, points[1], {}, {"i": "j", "j": "i"}, {}
    specs = [
        replace(spec, terms=tuple(replace(term, **change) for term in spec.terms))
        for spec in specs
        for change in changes
    ] + specs
    together = evaluated(specs, pair)
    alone = [evaluated([spec], pair) for spec in specs]
    for name in Evaluated._fields:
        each = np.concatenate([getattr(found, name) for found in alone])
        np.testing.assert_array_equal(getattr(together, name), each)


PRINTED = {kind: ROWS[number] for kind, number in KINDS.items()}


def symbols_of_pair(kind, pair):
    """The vectors of the two bodies, 1 and 2, written out."""
    a, b, at, to = (np.array(v) for v in vectors_of(TABLE[kind]).values())
    point = "P" if kind in ("s", "ss") else "B"
    found = {"I": np.eye(3), "l": np.array(LENGTH)}
    ends = []
    for k, axis, place in ((0, a, at), (1, b, to)):
        R, name = A(pair.p[k]), f"{k + 1}"
        omega = R @ pair.w[k]
        found |= {f"A{name}": R, f"ω̃{name}": skew(omega), f"r{name}": pair.r[k]}
        for symbol, v in ((f"s{name}", R @ axis), (f"s{name}^{point}", R @ place)):
            rate = np.cross(omega, v)
            found |= {symbol: v, f"ṡ{symbol[1:]}": rate}
            found |= {f"s̃{symbol[1:]}": skew(v), f"ṡ̃{symbol[1:]}": skew(rate)}
        ends.append((pair.r[k] + R @ place, pair.v[k] + np.cross(omega, R @ place)))
    d, rate = ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]
    return found | {"d": d, "ḋ": rate, "d̃": skew(d)}


@pytest.mark.parametrize("is_latex", [False, True], ids=["text", "latex"])
@pytest.mark.parametrize("kind", KINDS)
def test_table_11_1_as_it_is_printed_gives_the_numbers_of_its_rows(kind, is_latex):
    """`ht.cartesian.table_11_1()` read back: all six rows, at the state of the numbers."""
    case, pair = TABLE[kind], pair_of(TABLE[kind])
    symbols = symbols_of_pair(kind, pair)
    names = ("phi", "J_ri", "J_wi", "J_rj", "J_wj", "gamma_sharp")
    for name, pattern in zip(names, PRINTED[kind], strict=True):
        text = pattern.format(i=1, j=2)
        assert pattern.format(i="i", j="j") in table_11_1()
        assert to_latex(pattern.format(i="i", j="j")) in table_11_1(latex=True)
        found = compute(from_latex(to_latex(text)) if is_latex else text, symbols)
        expected = np.squeeze(case[name])
        assert np.squeeze(found) == pytest.approx(expected, abs=1e-12), name


# ---- drives --------------------------------------------------------------------------------------
def swinging(t, out):
    out[0], out[1], out[2] = 0.4 * np.sin(3 * t), 1.2 * np.cos(3 * t), -3.6 * np.sin(3 * t)


DRIVES = {
    "formula": (Drive("x", "a*sin(3*t) + b*t**2", parameters={"a": 0.4, "b": 0.7}), (0.4, 0.7)),
    "speed": (
        Drive("x", speed="3*a*cos(3*t) + 2*b*t", parameters={"a": 0.4, "b": 0.7}),
        (0.4, 0.7),
    ),
    "function": (Drive("x", swinging), (0.4, 0.0)),
}


@pytest.mark.parametrize("kind", ["n2", "angle"])
@pytest.mark.parametrize("name", DRIVES)
def test_a_drive_takes_its_function_and_two_derivatives_from_the_row(name, kind):
    pair, t, (drive, (a, b)) = pair_of(TABLE["n1" if kind == "angle" else kind]), 0.37, DRIVES[name]
    still, moved = evaluated(rows_of(kind), pair, t), evaluated(rows_of(kind, drive=drive), pair, t)
    f = [
        a * np.sin(3 * t) + b * t**2,
        3 * a * np.cos(3 * t) + 2 * b * t,
        -9 * a * np.sin(3 * t) + 2 * b,
    ]
    assert [
        still.value - moved.value,
        still.rate - moved.rate,
        moved.gamma_sharp - still.gamma_sharp,
    ] == pytest.approx(f, abs=1e-13)
    assert np.array_equal(still.row_jacobian, moved.row_jacobian)


# ---- moments -------------------------------------------------------------------------------------
def test_problem_11_6_moments_in_body_and_world_axes_and_along_euler_parameters():
    """n' = s × f', n = A n', n* = 2 Lᵀ n' and back (11.1–11.4)."""
    p, moment = Quat(*map(float, PROBLEM["p"])), np.cross(PROBLEM["s"], PROBLEM["f_local"])
    starred = quaternions.l_transpose_times(p, Vec3(*moment.tolist()) * 2.0)
    assert moment.tolist() == PROBLEM["n_local"]
    assert starred == pytest.approx(PROBLEM["n_star"], abs=1e-14)
    assert quaternions.l_times(p, Quat(*PROBLEM["n_star"])) == pytest.approx(2 * moment, abs=1e-14)
    assert rotation_matrix(p) @ Vec3(*moment.tolist()) == pytest.approx(
        PROBLEM["n_global"], abs=1e-14
    )
    assert rotation_matrix(p) @ Vec3(*map(float, PROBLEM["f_local"])) == pytest.approx(
        PROBLEM["f_global"], abs=1e-14
    )


def test_l_and_its_transpose_are_products_of_quaternions():
    rng = np.random.default_rng(1)
    p, a, v = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
    assert quaternions.l_transpose_times(Quat(*p), Vec3(*v)) == pytest.approx(L(p).T @ v, abs=1e-15)
    assert quaternions.l_times(Quat(*p), Quat(*a)) == pytest.approx(L(p) @ a, abs=1e-15)


# ---- the spatial slider-crank --------------------------------------------------------------------
def chapter_rows(numbers):
    """The sixteen rows of the numbers, in their order; those of one joint carry its name."""
    parts = {
        key: tuple(map(float, value))
        for key, value in numbers["params"].items()
        if np.ndim(value) == 1
    }
    ground, unit = "ground", [tuple(e) for e in np.eye(3).tolist()]
    x, y, z = unit

    def together(joint, i, at, j, to):
        return [(joint, TermSpec(S, i, j, at=at, to=to, e=e)) for e in unit]

    terms = [
        *together("hinge", "crank", parts["crank_ground_pt_sA"], ground, (0.0, 0.0, 0.0)),
        *(("hinge", TermSpec(N1, ground, "crank", a=a, b=y)) for a in (x, z)),
        *together("pin", "crank", parts["crank_pin_sP"], "coupler", parts["coupler_P"]),
        *together("slider_pin", "coupler", parts["coupler_S"], "slider", parts["slider_pin_sS"]),
        *(("slide", TermSpec(N1, ground, "slider", a=a, b=b)) for a, b in ((y, x), (z, x), (y, z))),
        *(
            (
                "slide",
                TermSpec(
                    N2, ground, "slider", a=a, at=parts["line_offset"], to=parts["slider_pin_sS"]
                ),
            )
            for a in (y, z)
        ),
    ]
    return [RowSpec(("joint", joint), str(k), (term,)) for k, (joint, term) in enumerate(terms)]


def model_of(numbers):
    return library.spatial_slider_crank(torque=numbers["params"]["driving_torque_about_crank_axis"])


def state_of(number, numbers):
    """y of formulation I, II or III at the numbers' state."""
    q, v = np.array(numbers["q"]), np.array(numbers["v_rdot_omegabody"]).reshape(-1, 6)
    if number == 3:
        return np.concatenate([q, v.ravel()])
    p = q.reshape(-1, 7)[:, 3:]
    return np.concatenate(
        [
            q,
            *(
                np.concatenate([row[:3], 0.5 * L(own).T @ row[3:]])
                for row, own in zip(v, p, strict=True)
            ),
        ]
    )


class Solved(NamedTuple):
    acceleration: np.ndarray  # (bodies, 6): r̈, ω̇'
    multipliers: np.ndarray  # λ
    sigma: np.ndarray  # of formulation I
    gamma: np.ndarray
    gamma_sharp: np.ndarray


def solved(number, system, y):
    """Interpreted `rates` and what they leave in work."""
    work, ydot = cartesian_bodies.cartesian_workspace(system), np.zeros_like(y)
    rates(system, work, 0.0, y, ydot)
    rows, n = range(len(system.rows.row)), len(system.body)
    gamma = [cartesian_matrix.constraint_right_side(system, work, y, row) for row in rows]
    multipliers = [-work.solution[cartesian_matrix.multiplier_index(system, row)] for row in rows]
    sigma = [work.solution[system.plan.at[i] + 7] for i in range(n)] if number == 1 else []
    found = ydot[7 * n :].reshape(n, -1)
    turning = (
        found[:, 3:]
        if number == 3
        else [
            2 * L(p) @ a for p, a in zip(y[: 7 * n].reshape(n, 7)[:, 3:], found[:, 3:], strict=True)
        ]
    )
    return Solved(
        *map(
            np.array,
            (np.column_stack([found[:, :3], turning]), multipliers, sigma, gamma, work.rows.gamma),
        )
    )


def with_chapter_rows(number, numbers):
    """The library's system with the rows of the numbers in place of those of its joints."""
    model = model_of(numbers)
    tables = CartesianTables(assemble_at_start(model), f"cartesian_{number}")
    tables.specs = chapter_rows(numbers)
    plan, group, place, slot = tables.blocks(cartesian.KINDS[number][1])
    return (
        cartesian.FORMULATIONS[number - 1]
        .assemble(assemble_at_start(model))
        ._replace(rows=tables.rows, plan=plan, group=group, place=place, slot=slot)
    )


def close(got, expected, tolerance):
    expected = np.array(expected)
    return abs(np.ravel(got) - expected).max() <= tolerance * abs(expected).max()


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("numbers", CRANKS.values(), ids=CRANKS)
def test_accelerations_of_the_slider_crank_by_the_joints_of_the_library(numbers, number):
    system = cartesian.FORMULATIONS[number - 1].assemble(assemble_at_start(model_of(numbers)))
    assert close(
        solved(number, system, state_of(number, numbers)).acceleration,
        numbers["accel_rdd_omegadot"],
        1e-12,
    )


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("numbers", CRANKS.values(), ids=CRANKS)
def test_accelerations_and_multipliers_of_the_slider_crank_by_rows_of_the_chapter(numbers, number):
    """Constraint forces are +Φ_qᵀ λ (ERRATA 1-15); γ# on the right of III, γ on that of I and II
    (ERRATA 1-7, 1-9).
    """
    found = solved(number, with_chapter_rows(number, numbers), state_of(number, numbers))
    assert close(found.acceleration, numbers["accel_rdd_omegadot"], 1e-12)
    assert close(found.multipliers, numbers["lam"], 1e-12)
    assert close(found.gamma_sharp, numbers["gamma_sharp"], 1e-13)
    assert close(found.gamma, numbers["gamma_sharp" if number == 3 else "gamma"], 1e-13)


@pytest.mark.parametrize("numbers", CRANKS.values(), ids=CRANKS)
def test_sigma_of_formulation_i_is_that_of_the_chapter(numbers):
    """κ p (pᵀp̈ + ṗᵀṗ) vanishes, so σ is as in (11.42) without it."""
    assert close(
        solved(1, with_chapter_rows(1, numbers), state_of(1, numbers)).sigma,
        numbers["sigma_formI"],
        1e-12,
    )


def test_sigma_of_a_body_that_nothing_holds_is_twice_omega_j_omega():
    """(11.13), of an unconstrained body only (ERRATA 1-8)."""
    model, w = (
        library.free_body(inertia=(1.0, 2.0, 3.0), omega=(0.3, -0.5, 0.7)),
        np.array([0.3, -0.5, 0.7]),
    )
    system = cartesian.CARTESIAN_1.assemble(assemble_at_start(model))
    y = cartesian.CARTESIAN_1.initial_state(system, assemble_at_start(model))
    assert solved(1, system, y).sigma == pytest.approx(
        [2 * w @ (np.array([1.0, 2.0, 3.0]) * w)], rel=1e-14
    )


def test_the_start_of_the_library_is_that_of_the_numbers():
    model, numbers = library.spatial_slider_crank(), CRANKS["a"]
    y = cartesian.CARTESIAN_3.initial_state(None, assemble_at_start(model))
    assert y == pytest.approx(state_of(3, numbers), abs=1e-13)
    assert [body.mass for body in model.bodies] == numbers["params"]["m"] and list(
        model.gravity
    ) == numbers["params"]["gravity"]


@pytest.mark.parametrize("numbers", CRANKS.values(), ids=CRANKS)
def test_the_motion_of_the_slider_crank_by_formulation_iii_after_a_second(numbers):
    """By a method that knows no constraints: they hold to the accuracy of the run."""
    system = cartesian.CARTESIAN_3.assemble(assemble_at_start(model_of(numbers)))
    y0, n = state_of(3, numbers), system.layout.positions
    parts = indirect_rates(system, cartesian_bodies.cartesian_workspace(system))
    handle = StructPointer(*parts, np.zeros_like(y0), np.zeros_like(y0))

    def slope(t, y):
        ydot = np.zeros_like(y)
        rates_of_state(handle, y[:n].copy(), y[n:].copy(), ydot[:n], ydot[n:])
        return ydot

    end = solve_ivp(slope, (0.0, numbers["t_end"]), y0, method="DOP853", rtol=1e-11, atol=1e-12).y[
        :, -1
    ]
    assert end == pytest.approx(
        np.concatenate([numbers["q_end"], numbers["v_end"]]), abs=20 * numbers["accuracy"]
    )
