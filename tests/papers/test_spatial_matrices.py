"""`ht.cartesian`: the matrices of "Spatial Dynamics" against finite differences of Φ, against
Newton's and Euler's equations written out, against the solver of runs, and read back from print.
"""

import functools
import re

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.cartesian.notation import to_latex
from hamiltree.analysis.cartesian.printed import FORMS
from hamiltree.analysis.cartesian.states import situation_at
from hamiltree.assembly.row_tables import RowEvaluator
from hamiltree.formulations.absolute.tables import row_and_frame_of
from hamiltree.rotations import rotate_quaternion
from hamiltree.run.equations import bind
from hamiltree.verbs import project
from tests.papers.printed_symbols import compute, from_latex

FORMULATIONS = 1, 2, 3
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60  # of a derivative of the sixth order
TIME = 0.4
ONES = "M", "P", "b", "c", "g", "B", "Phi", "Phi_q", "modified_jacobian", "gamma", "gamma_sharp"


@functools.cache
def every_row():
    """All kinds of rows: the constraints that are rows of Table 11.1, a screw, a gear, a drive."""
    bodies = [
        ht.Body(name, 1.0 + 0.3 * k, (0.05, 0.02 * k, -0.1), (0.2, 0.01, 0.0, 0.25, 0.02, 0.3))
        for k, name in enumerate("abcdefg")
    ]
    places = {"a": (0, 0, 0), "c": (0.5, 0, 0), "d": (0, 0.6, 0.1), "e": (0, 0, -0.7)}
    joints = [ht.Free(f"free {name}", "ground", name, x) for name, x in places.items()]
    joints += [
        ht.Screw("screw", "a", "b", (0.3, 0.1, 0.0), axis=(1, 2, 0), pitch=0.2),
        ht.Revolute("f", "ground", "f", (2.0, 0.0, 0.1), axis=(0, 1, 1), qdot=0.2),
        ht.Revolute("g", "ground", "g", (3.0, 0.4, 0.0), axis=(1, 1, 0)),
    ]
    constraints = [
        ht.PerpendicularAxes("a", "c", (1, 0, 0), (0, 1, 0), name="n1"),
        ht.PointInPlane("a", "c", (0, 0, 0.2), (0.1, 0.3, 0.2), (0, 0, 1), name="n2"),
        ht.Rod("a", "c", (0.2, -0.1, 0.3), (-0.3, 0.1, 0.2), name="ss"),
        ht.ParallelAxes("a", "d", (1, 2, 2), name="p1"),
        ht.PointOnLine("a", "d", at_b=(0.2, 0, 0), axis=(2, 6, 1), name="p2"),
        ht.Coincident("a", "e", (0.3, 0, 0.2), (0.3, 0, 0.9), name="s"),
        ht.Drive("f", "0.2*t + 0.3*t**2", name="clock"),
    ]
    gear = ht.Mimic("g", "f", 1.5)
    forces = [ht.BodyLoad("c", (1.0, 2.0, -1.0), (0.1, 0.3, 0.2), (0.2, 0.0, 0.1))]
    forces += [ht.PointSpring("d", "e", (0.1, 0, 0), (0, 0.2, 0), 30.0, 0.4, 0.5)]
    return ht.Model(bodies, joints, forces, constraints=constraints, couplings=[gear])


@functools.cache
def shaken(model, seed=2):
    """A state away from the constraints, where no vector is along an axis."""
    rng = np.random.default_rng(seed)
    r, p, _, _ = ht.cartesian.matrices(model).state
    r = r + rng.uniform(-0.2, 0.2, r.shape)
    p = rotate_quaternion(p, rng.uniform(-0.4, 0.4, (len(p), 3)))
    return ht.cartesian.BodyState(r, p, *rng.normal(size=(2, len(r), 3)))


@functools.cache
def moving(name):
    """A model and a state (q, q̇) on its constraints."""
    if name == "slider-crank":
        model = ht.library.spatial_slider_crank()
        return model, None
    model = ht.library.problem_11_7()
    rng = np.random.default_rng(5)
    d = ht.dynamics(model)
    q = d.integrate(model.start()[0], rng.uniform(-0.8, 0.8, d.freedoms))
    return model, (q, rng.normal(size=d.freedoms))


MOVING = "problem 11.7", "slider-crank"


# ---- Φ_q and γ -----------------------------------------------------------------------------------
def phi_of(model):
    """Φ(t, q) of a model, q = (r, p) of all bodies with any p."""
    at = situation_at(model, None, 0.0)
    evaluator = RowEvaluator(model, at.specs, row_and_frame_of(model.bodies))

    def phi(q, t=TIME):
        q = q.reshape(-1, 7)
        return evaluator.at(ht.euler_parameters.A(q[:, 3:]), q[:, :3], t=t).value

    return phi


def derivative(function, h=2e-3):
    return np.tensordot(WEIGHTS, np.array([function(h * k) for k in STEPS]), 1) / h


def test_the_jacobian_is_the_derivative_of_phi_by_every_coordinate():
    """Off the constraints and for any p: no row is special at the start."""
    model = every_row()
    phi, state = phi_of(model), shaken(model)
    found = ht.cartesian.matrices(model, state, 1, TIME)
    assert found.Phi == pytest.approx(phi(state.q), abs=1e-15)
    by_q = [derivative(lambda s, x=x: phi(state.q + s * x)) for x in np.eye(len(state.q))]
    assert found.Phi_q == pytest.approx(np.array(by_q).T, abs=1e-9)
    assert {row.kind for row in found.rows} == {
        *("Φ^(n1,1)", "Φ^(n2,1)", "Φ^(s-s,1)", "angle"),
        "sum of Φ^(n2,1) and angle",
        "sum of angle",
    }


def test_the_modified_jacobian_is_half_phi_p_l_transposed():
    state = shaken(every_row())
    found = ht.cartesian.matrices(every_row(), state)
    expected = 0.5 * np.einsum("mbj,bij->mbi", found.Phi_p, ht.euler_parameters.L(state.p))
    assert found.half_Phi_p_L == pytest.approx(expected, abs=1e-14)
    h = np.hstack([state.v, state.w]).ravel()
    rate = found.modified_jacobian @ h
    assert rate == pytest.approx(found.Phi_q @ state.qdot, abs=1e-13)


def test_gamma_is_the_change_of_phi_q_qdot_where_no_coordinate_accelerates():
    """d/dt (Φ_q q̇) = −γ along q + q̇ t; a drive adds its second derivative to γ."""
    model, state = every_row(), shaken(every_row())

    def velocity(s):
        q = (state.q + s * state.qdot).reshape(-1, 7)
        there = state._replace(r=q[:, :3], p=q[:, 3:])
        return ht.cartesian.matrices(model, there, 1, TIME).Phi_q @ state.qdot

    found = ht.cartesian.matrices(model, state, 1, TIME)
    driven = np.array([0.6 * (row.spec.drive is not None) for row in found.rows])
    assert found.gamma - driven == pytest.approx(-derivative(velocity), abs=1e-8)


def test_gamma_sharp_is_the_change_of_the_modified_jacobian_times_h():
    """d/dt (B̂ h) = −γ# in uniform motion: ṙ and ω' stay."""
    model, state = every_row(), shaken(every_row())
    h = np.hstack([state.v, state.w]).ravel()

    def velocity(s):
        turned = rotate_quaternion(state.p, s * state.w)
        there = state._replace(r=state.r + s * state.v, p=turned)
        return ht.cartesian.matrices(model, there, 3, TIME).modified_jacobian @ h

    found = ht.cartesian.matrices(model, state, 3, TIME)
    driven = np.array([0.6 * (row.spec.drive is not None) for row in found.rows])
    assert found.gamma_sharp - driven == pytest.approx(-derivative(velocity), abs=1e-8)
    assert abs(found.gamma_sharp - found.gamma).max() > 0.1


# ---- the systems ---------------------------------------------------------------------------------
@pytest.mark.parametrize("number", FORMULATIONS)
@pytest.mark.parametrize("name", MOVING)
def test_the_solution_of_a_system_is_what_runs_use(name, number):
    model, state = moving(name)
    found = ht.cartesian.matrices(model, state, number).solve()
    q, qdot = state or (None, None)
    wanted = ht.accelerations(model, q, qdot, f"cartesian_{number}")
    for one in ("acceleration", "angular_acceleration", "multipliers"):
        expected = wanted[one].values
        assert getattr(found, one).values == pytest.approx(
            expected, abs=1e-11 * abs(expected).max()
        )
    if number == 1:
        assert found.sigma.values == pytest.approx(wanted.sigma.values, rel=1e-10)


@pytest.mark.parametrize("number", FORMULATIONS)
def test_constraints_of_every_kind_hold_in_the_next_moment(number):
    """Φ̈ = 0 along the motion that starts with the accelerations of the system; of the start of
    the model with every kind of row.
    """
    model = every_row()
    found = ht.cartesian.matrices(model, formulation=number)
    solution = found.solve()
    q = found.state.q.reshape(-1, 7)
    rate = found.state.qdot.reshape(-1, 7)
    second = np.hstack([solution.acceleration.values, solution.second_rate.values])
    phi = phi_of(model)
    path = lambda t: phi((q + rate * t + 0.5 * second * t**2).ravel(), t)
    weights = np.array([2, -27, 270, -490, 270, -27, 2]) / 180
    values = np.array([path(1e-2 * k) for k in range(-3, 4)])
    assert weights @ values / 1e-4 == pytest.approx(np.zeros(len(found.rows)), abs=1e-6)
    assert abs(found.Phi_rate).max() < 1e-12


def newton_euler_of_problem_11_7(model, state):
    """Forces and moments of both bodies summed by hand in world axes, and the ball P: r̈₁, ω̇₁, r̈₂,
    ω̇₂ and the force R on body 2 from 15 equations.
    """
    turn = ht.euler_parameters.A(state.p)
    omega = np.einsum("bij,bj->bi", turn, state.w)
    s1, s2 = turn[0] @ (0.2, 0.0, 0.0), turn[1] @ (-0.15, 0.0, 0.0)
    push, end = np.array([0.0, 5.0, 0.0]), turn[0] @ (-0.2, 0.0, 0.0)
    torque = np.array([[0.0, 0.3, 0.1], [0.2, 0.0, -0.1]])
    moments = torque + np.array([np.cross(end, push), np.zeros(3)])
    skew, one = ht.euler_parameters.skew, np.eye(3)
    matrix, right = np.zeros((15, 15)), np.zeros(15)
    for k, (body, sign, s) in enumerate(zip(model.bodies, (-1, 1), (s1, s2), strict=True)):
        J = turn[k] @ np.array(body.inertia) @ turn[k].T
        linear, angular = slice(6 * k, 6 * k + 3), slice(6 * k + 3, 6 * k + 6)
        matrix[linear, linear], matrix[linear, 12:] = body.mass * one, -sign * one
        matrix[angular, angular], matrix[angular, 12:] = J, -sign * skew(s)
        right[linear] = body.mass * np.array(model.gravity) + push * (k == 0)
        right[angular] = moments[k] - np.cross(omega[k], J @ omega[k])
        matrix[12:, linear], matrix[12:, angular] = sign * one, -sign * skew(s)
        right[12:] -= sign * np.cross(omega[k], np.cross(omega[k], s))
    return turn, np.linalg.solve(matrix, right)


@pytest.mark.parametrize("number", FORMULATIONS)
def test_problem_11_7_by_sums_of_forces_and_moments(number):
    """(a) accelerations and (c) the reaction at P on either body, against Newton and Euler."""
    model, at = moving("problem 11.7")
    found = ht.cartesian.matrices(model, at, number)
    solution = found.solve()
    turn, expected = newton_euler_of_problem_11_7(model, found.state)
    bodies, R = expected[:12].reshape(2, 6), expected[12:]
    alpha = np.einsum("bji,bj->bi", turn, bodies[:, 3:])
    assert solution.acceleration.values == pytest.approx(bodies[:, :3], abs=1e-12)
    assert solution.angular_acceleration.values == pytest.approx(alpha, abs=1e-11)
    on = solution.constraint_force.sum("row")
    assert on.sel(body="body2").values == pytest.approx(R, abs=1e-12)
    assert on.sel(body="body1").values == pytest.approx(-R, abs=1e-12)
    assert solution.multipliers.values == pytest.approx(turn[0].T @ R, abs=1e-12)
    assert [row.unit for row in found.rows] == ["N"] * 3


def test_problem_11_7_the_vector_of_forces_by_the_applied_loads():
    """(b) g = [f₁; n'₁; f₂; n'₂]."""
    model, at = moving("problem 11.7")
    found = ht.cartesian.matrices(model, at)
    A1, A2 = found.A
    push, weight = np.array([0.0, 5.0, 0.0]), np.array([0.0, 0.0, -9.81])
    first = np.cross((-0.2, 0.0, 0.0), A1.T @ push) + A1.T @ (0.0, 0.3, 0.1)
    expected = [2.0 * weight + push, first, 1.0 * weight, A2.T @ (0.2, 0.0, -0.1)]
    assert found.g == pytest.approx(np.concatenate(expected), abs=1e-14)
    starred = ht.cartesian.matrices(model, at, 1).g
    assert starred[3:7] == pytest.approx(2 * found.L[0].T @ first, abs=1e-14)


def test_the_reaction_at_p_is_that_of_a_run():
    model, at = moving("problem 11.7")
    run = ht.simulate(
        model, until=0.02, step=1e-3, q=at[0], qdot=at[1], integrator="gauss8", progress=False
    )
    found = ht.cartesian.matrices(model, ht.cartesian.state_of_run(run, -1)).solve()
    reaction = run.reactions("P").isel(t=-1)
    force = found.constraint_force.sum("row").sel(body="body2").values
    assert reaction["force"].values == pytest.approx(force, rel=1e-9)


@pytest.mark.parametrize("number", FORMULATIONS)
def test_the_projection_of_runs_puts_euler_parameters_on_the_unit_sphere(number):
    """pᵀp = 1 and, where ṗ is in the state, pᵀṗ = 0 (11.6)."""
    bound = bind(ht.library.problem_11_7(), f"cartesian_{number}")
    y = bound.y * (1.0 + 1e-4 * np.arange(len(bound.y)))
    work = bound.equations.formulation.workspace(bound.system, 1)
    assert project(bound.system, work, 0.0, y, np.zeros_like(y))
    p = y[:14].reshape(2, 7)[:, 3:]
    assert (p**2).sum(1) == pytest.approx(np.ones(2), abs=1e-15)
    if number < 3:
        pdot = y[14:].reshape(2, 7)[:, 3:]
        assert (p * pdot).sum(1) == pytest.approx(np.zeros(2), abs=1e-15)


@pytest.mark.parametrize("name", MOVING)
def test_sizes_and_symmetry_are_as_the_document_says(name):
    model, state = moving(name)
    b, sizes = len(model.bodies), []
    for number, per_body, is_symmetric in ((1, 8, True), (2, 7, False), (3, 6, True)):
        found = ht.cartesian.matrices(model, state, number)
        m = len(found.rows)
        assert found.matrix.shape == (found.size, found.size) == (per_body * b + m,) * 2
        assert found.is_symmetric == is_symmetric == FORMS[number].is_symmetric
        assert len(found.unknowns) == found.size == len(found.right_side)
        sizes.append(found.size)
    assert sizes[0] - sizes[2] == 2 * b


def test_sizes_of_single_bodies():
    """(11.16), (11.17), (11.18): five, four and three equations of rotation."""
    body = ht.library.free_body()
    sizes = [ht.cartesian.matrices(body, formulation=k).size - 3 for k in FORMULATIONS]
    assert sizes == [5, 4, 3]


@pytest.mark.parametrize("number", FORMULATIONS)
def test_matrices_of_bodies_are_those_of_the_equations(number):
    model = every_row()
    found = ht.cartesian.matrices(model, shaken(model), number)
    ep, p, w = ht.euler_parameters, found.state.p, found.state.w
    J = np.array([body.inertia for body in model.bodies])
    energy = [0.5 * x @ found.J[k] @ x for k, x in enumerate(w)]
    starred = [0.5 * x @ found.J_star[k] @ x for k, x in enumerate(found.state.pdot)]
    assert starred == pytest.approx(energy, rel=1e-13)
    assert np.array_equal(found.J, J)
    assert found.starred_moment == pytest.approx(2 * np.einsum("bij,bi->bj", ep.L(p), found.moment))
    if number == 2:  # L H ṗ = ω̃' J' ω'
        gyro = np.cross(w, np.einsum("bij,bj->bi", J, w))
        assert found.b.reshape(-1, 6)[:, 3:] == pytest.approx(gyro, abs=1e-12)
    if number < 3:
        assert found.P @ found.state.q == pytest.approx(np.ones(len(p)))
        assert found.c == pytest.approx(0.25 * (w**2).sum(1))


# ---- printed -------------------------------------------------------------------------------------
def assembled(lines, found):
    """Arrays by name from the lines `M = diag(…)`, `b = […; …]`, `B = […, …]` of a print."""
    known, b = found.symbols, len(found.bodies)
    made = {}
    for name, right in lines:
        values = [compute(text, known) for text in re.split(r"[,;]", re.sub(r"[\[\]]", "", right))]
        if name == "P":
            made[name] = np.zeros((b, 7 * b))
            for k in range(b):
                made[name][k, 7 * k + 3 : 7 * k + 7] = values[2 * k + 1]
        elif "diag" in right or name.startswith("M"):
            rows, columns = (np.cumsum([0, *(x.shape[axis] for x in values)]) for axis in (0, 1))
            made[name] = np.zeros((rows[-1], columns[-1]))
            for k, x in enumerate(values):
                made[name][rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = x
        elif ";" in right:
            zero = np.zeros(3)
            made[name] = np.concatenate([zero if x.ndim == 0 else x.ravel() for x in values])
        else:
            made[name] = np.hstack(values)
    return made


UNKNOWN = ("q̈", "σ", "ḣ")


@pytest.mark.parametrize("number", FORMULATIONS)
def test_the_printed_system_read_back_is_the_system(number):
    model, state = moving("problem 11.7")
    found = ht.cartesian.matrices(model, state, number)
    lines = re.findall(r"^(\S+) = (?:diag\()?(.*?)\)?   \(11", found.text(), re.M)
    made = assembled([line for line in lines if line[0] not in UNKNOWN], found)
    assert len(made) == len(FORMS[number].parts) - sum(x[0] in UNKNOWN for x in FORMS[number].parts)
    for name, value in made.items():
        assert value == pytest.approx(found.symbols[name], abs=1e-13), name


@pytest.mark.parametrize("number", FORMULATIONS)
def test_the_latex_of_a_system_means_what_its_text_does(number):
    model, state = moving("problem 11.7")
    found = ht.cartesian.matrices(model, state, number)
    for name, _, blocks in FORMS[number].parts:
        for text in (name, *(block.format(k=k) for block in blocks for k in (1, 2))):
            latex = to_latex(text)
            assert latex in found.latex(), latex
            if name not in UNKNOWN and "0" not in text:
                read = compute(from_latex(latex), found.symbols)
                assert np.array_equal(read, compute(text, found.symbols)), (text, latex)
    numbers = found.latex("B").removeprefix(r"\begin{bmatrix} ").removesuffix(r" \end{bmatrix}")
    values = [[float(x) for x in row.split("&")] for row in numbers.split(r"\\")]
    assert np.array(values) == pytest.approx(found.B, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("is_latex", [False, True], ids=["text", "latex"])
def test_table_11_1_of_a_model_read_back_is_its_rows(is_latex):
    """Every column by its symbols, whose numbers are computed without the kernels of rows."""
    model = every_row()
    table = ht.cartesian.table(model, shaken(model), TIME)
    found = ht.cartesian.matrices(model, shaken(model), t=TIME)
    number = {"ground": 0} | {body.name: k for k, body in enumerate(model.bodies, 1)}

    def value(text, symbols):
        return np.squeeze(compute(from_latex(to_latex(text)) if is_latex else text, symbols))

    for k, row in enumerate(table.rows):
        whole = {"turn": np.zeros((7, 3)), "force": np.zeros((7, 3))}
        for term in row.terms:
            for column, (side, part) in enumerate(
                [(term.i, "force"), (term.i, "turn"), (term.j, "force"), (term.j, "turn")], 1
            ):
                got = value(term.text[column], term.symbols)
                assert got == pytest.approx(term.jacobians[column - 1], abs=1e-13)
                if side:
                    whole[part][side - 1] += got
        assert whole["force"] == pytest.approx(found.Phi_r[k], abs=1e-13)
        assert whole["turn"] == pytest.approx(found.half_Phi_p_L[k], abs=1e-13)
        if len(row.terms) == 1 and not row.is_driven:
            term = row.terms[0]
            assert value(row.Phi_text, term.symbols) == pytest.approx(row.Phi, abs=1e-13)
            assert value(row.gamma_text, term.symbols) == pytest.approx(row.gamma_sharp, abs=1e-12)
        assert {number[row.row.i], number[row.row.j]} >= {row.terms[0].i, row.terms[0].j}
    text = table.text()
    assert all(f"λ{row.row.number} " in text and row.row.name in text for row in table.rows)
    assert table.latex().count(r"\\") == 1 + sum(len(row.terms) for row in table.rows)


def test_constraints_of_the_library_are_the_rows_of_table_11_1():
    table = ht.cartesian.table(every_row())
    kinds = {}
    for row in table.rows:
        kinds.setdefault(row.row.spec.part[1], []).append(row.row.kind)
    assert kinds["n1"] == ["Φ^(n1,1)"]  # PerpendicularAxes
    assert kinds["n2"] == ["Φ^(n2,1)"]  # PointInPlane
    assert kinds["p1"] == ["Φ^(n1,1)"] * 2  # ParallelAxes: two rows in place of Φ^(p1,2)
    assert kinds["p2"] == ["Φ^(n2,1)"] * 2  # PointOnLine: two rows in place of Φ^(p2,2)
    assert kinds["s"] == ["Φ^(n2,1)"] * 3  # Coincident: Φ^(s,3) in the axes of body i
    assert kinds["ss"] == ["Φ^(s-s,1)"]  # Rod


def test_a_positive_multiplier_acts_on_the_second_body_as_is_printed():
    model, state = moving("slider-crank")
    found = ht.cartesian.matrices(model, state)
    lines = re.findall(r"λ\d+ \((N|N m)\) .*?(force|torque) \[(.*)\]", found.text())
    place = {name: k for k, name in enumerate(found.bodies)}
    assert len(lines) == len(found.rows)
    for k, (unit, what, numbers) in enumerate(lines):
        j = place[found.rows[k].j]
        world = found.A[j] @ found.half_Phi_p_L[k, j]
        expected = found.Phi_r[k, j] if what == "force" else world
        assert [float(x) for x in numbers.split(",")] == pytest.approx(expected, abs=1e-4)
        assert (unit == "N") == (what == "force")


@pytest.fixture(scope="module")
def small():
    """A body on a ball and a free one, their axes perpendicular, a rod, loads and a spring; a state
    off the constraints.
    """
    bodies = [
        ht.Body("one", 2.0, (0.1, 0.0, 0.2), (0.2, 0.01, 0.0, 0.3, 0.0, 0.25)),
        ht.Body("two", 1.0, (0.0, 0.1, 0.0), (0.1, 0.12, 0.15)),
    ]
    joints = [
        ht.Ball("ball", "ground", "one", (0.5, 0.1, 0.0), (-0.2, 0.0, 0.1)),
        ht.Free("free", "ground", "two", (1.0, 0.5, 0.0)),
    ]
    forces = [
        ht.BodyLoad("two", (1.0, 0.0, -2.0), (0.0, 0.3, 0.0), (0.1, 0.2, 0.0)),
        ht.BodyLoad("one", (0.5, 0.0, 0.0), at=(0.0, 0.0, 0.4), axes="body"),
        ht.PointSpring("ground", "two", (1.0, 0, 0), (0.1, 0, 0), 20.0, 0.3),
    ]
    constraints = [
        ht.Rod("one", "two", (0.0, 1.0, 0.0), (0.1, 0.0, 0.0)),
        ht.PerpendicularAxes("one", "two", (1, 0, 0), (0, 1, 0)),
    ]
    model = ht.Model(bodies, joints, forces, constraints=constraints)
    return model, shaken(model)


@pytest.mark.parametrize("number", FORMULATIONS)
def test_symbolic_matrices_evaluated_are_the_numbers(small, number):
    """Φ_q and γ by SymPy's derivatives of Φ, against the rows of runs; those are the same in all
    three formulations.
    """
    model, state = small
    found = ht.cartesian.matrices(model, state, number)
    symbols = ht.cartesian.symbolic(model, state, number)
    rows = ("P", "c", "Phi", "Phi_q", "modified_jacobian", "gamma", "gamma_sharp")
    for name in ("M", "b", "g", *(rows if number == 1 else ())):
        got, expected = symbols.evaluate(name), getattr(found, name)
        assert got == pytest.approx(expected, abs=1e-12 * abs(expected).max()), name
    assert {str(x) for x in symbols.g.free_symbols} >= {"F_x1", "F_z1", "T_y1", "F_x2", "m_1"}
    assert r"\dot{e}_{0 1}" in symbols.latex("b") or number == 3


@pytest.mark.parametrize("number", FORMULATIONS)
def test_rows_that_depend_on_each_other_are_refused_by_name(number):
    """A rod whose ends meet has no direction; two rods between the same points are one."""
    bodies = [ht.Body(name, 1.0, inertia=0.1) for name in "ab"]
    joints = [ht.Free(name, "ground", name, (k, 0.0, 0.0)) for k, name in enumerate("ab")]
    rods = [ht.Rod("a", "b", name="one"), ht.Rod("a", "b", (0, 0.1, 0), name="two")]
    model = ht.Model(bodies, joints, constraints=rods)
    state = ht.cartesian.matrices(model).state
    ht.cartesian.matrices(model, state, number).solve()
    meeting = state._replace(r=np.zeros((2, 3)))
    with pytest.raises(ht.FitError, match="constraint one: length"):
        ht.cartesian.matrices(model, meeting, number).solve()
    # in one line with both points, and both rods along it
    aligned = state._replace(r=np.array([[0.0, 0, 0], [0, 1.0, 0]]))
    with pytest.raises(ht.FitError, match="depend on each other"):
        ht.cartesian.matrices(model, aligned, number).solve()


# ---- refusals ------------------------------------------------------------------------------------
def test_wrong_arguments_are_refused_by_name():
    model = ht.library.problem_11_7()
    cases = [
        (lambda: ht.cartesian.matrices(model, formulation=4), "formulation = 4"),
        (lambda: ht.cartesian.matrices(model, formulation=True), "formulation = True"),
        (lambda: ht.cartesian.matrices("crank.toml"), "hamiltree.load"),
        (lambda: ht.cartesian.matrices(model, "start"), "state"),
        (lambda: ht.cartesian.matrices(model, shaken(every_row())), "state.r"),
        (lambda: ht.cartesian.matrices(model).latex("mass"), "name = 'mass'"),
        (lambda: ht.cartesian.matrices(model).latex("P"), "formulation III has no P"),
        (lambda: ht.cartesian.symbolic(model).evaluate("c"), "formulation III has no c"),
        (lambda: ht.cartesian.state_of_run(model), "takes the run"),
    ]
    for call, words in cases:
        with pytest.raises(ht.OptionError, match=re.escape(words)):
            call()
    with pytest.raises(ht.FitError, match="7 bodies"):
        ht.cartesian.symbolic(every_row())
    hinge = ht.Revolute("hinge", "ground", "arm", qdot=0.2)
    driven = ht.Model(
        [ht.Body("arm", 1.0, (0.1, 0, 0), 0.1)], [hinge], constraints=[ht.Drive("hinge", "0.2*t")]
    )
    with pytest.raises(ht.FitError, match="follows a function of time"):
        ht.cartesian.symbolic(driven).evaluate("Phi")
