"""A Hamiltonian that is typed in: names, parameters, functions, time, provenance, every integrator,
and what is refused.
"""

import json
import math

import numpy as np
import pytest
import sympy
from numba import njit
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree.formulations import FORMULATIONS
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.problems.hamiltonian import hamiltonian_from_json
from hamiltree.run.choices import is_compatible

THESIS = "p**2/2 - cos(q)*(1 - p/6)"
PENDULUM = "p**2/2 - cos(q)"
DRIVEN = "p**2/2 - cos(q) - 0.3*q*sin(2*t)"
START = {"q": [1.0], "p": [0.7]}


def run(problem, until=1.0, step=0.1, **options):
    return ht.simulate(problem, until, step, progress=False, **{**START, **options})


def end(trajectory):
    return np.concatenate([trajectory.q.values[-1], trajectory.p.values[-1]])


def exact(slope, y=(1.0, 0.7), until=1.0):
    """By another program, to twelve digits."""
    return solve_ivp(slope, (0, until), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]


# ---- names and parameters ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "coordinates", "momenta"),
    [
        (THESIS, ("q",), ("p",)),
        ("p10**2 + p2**2 + p1**2 + q10 + q2*q1", ("q1", "q2", "q10"), ("p1", "p2", "p10")),
        ("(px**2 + p_y**2)/2 - 1/sqrt(x**2 + y**2)", ("x", "y"), ("px", "p_y")),
        ("p1**2/2 + p2**2/2 + cos(q1)", ("q1", "q2"), ("p1", "p2")),
        ("exp(-q) + cos(pi*q) + 1e3*p", ("q",), ("p",)),
    ],
)
def test_names_pair_by_their_letters(text, coordinates, momenta):
    made = ht.hamiltonian(text)
    assert (made.coordinates, made.momenta) == (coordinates, momenta)


def test_an_expression_obeys_the_equations_written_by_hand():
    slope = lambda t, y: [y[1] + np.cos(y[0]) / 6, -np.sin(y[0]) * (1 - y[1] / 6)]
    np.testing.assert_allclose(end(run(ht.hamiltonian(THESIS))), exact(slope), rtol=0, atol=1e-11)


def test_names_and_order_of_coordinates_are_the_user_s():
    kepler = ht.hamiltonian("(u**2 + v**2)/2 - k/sqrt(x**2 + y**2)", q="x, y", p=["u", "v"], k=1.0)
    done = run(kepler, q={"y": 0.0, "x": 0.4}, p=[0.0, 2.0])
    swapped = run(ht.hamiltonian(kepler.text, q="y x", p="v u", k=1.0), q=[0.0, 0.4], p=[2.0, 0.0])
    np.testing.assert_allclose(done.q.values, swapped.q.values[:, ::-1], rtol=0, atol=1e-14)
    assert list(done.q["coordinate"].values) == ["x", "y"]
    assert list(done.p["momentum"].values) == ["u", "v"]


def test_start_values_may_stand_with_the_names():
    made = ht.hamiltonian(PENDULUM, q={"q": 1.0}, p={"p": 0.7})
    np.testing.assert_array_equal(
        end(ht.simulate(made, 1.0, 0.1, progress=False)), end(run(ht.hamiltonian(PENDULUM)))
    )
    assert float(run(made, q=None, p={"p": -2.0}).p[0, 0]) == -2.0


def test_parameters_by_keyword_and_by_mapping_are_the_same():
    text = "p**2/2 - k*cos(q) + c*q"
    one, other = (
        ht.hamiltonian(text, k=4.0, c=0.1),
        ht.hamiltonian(text, parameters={"k": 4, "c": np.float64(0.1)}),
    )
    assert one.parameters == other.parameters == {"k": 4.0, "c": 0.1}
    np.testing.assert_array_equal(end(run(one)), end(run(other)))


def test_other_numbers_need_no_compiler(tmp_path):
    one = ht.hamiltonian("p**2/2 - k*cos(q)", k=4.0)
    other = one.with_(k=2.5, name="slow")
    assert other.code is one.code
    assert one.parameters == {"k": 4.0}
    assert other.name == "slow"
    np.testing.assert_allclose(
        end(run(other)), exact(lambda t, y: [y[1], -2.5 * np.sin(y[0])]), rtol=0, atol=1e-11
    )


def test_sympy_and_text_give_the_same_trajectory():
    q, p = sympy.symbols("q p")
    np.testing.assert_allclose(
        end(run(ht.hamiltonian(p**2 / 2 - sympy.cos(q) * (1 - p / 6)))),
        end(run(ht.hamiltonian(THESIS))),
        rtol=0,
        atol=1e-15,
    )


# ---- functions -----------------------------------------------------------------------------------
def energy(t, q, p, k):
    return p[0] ** 2 / 2 - k[0] * np.cos(q[0]) * (1 - p[0] / 6)


def slope_q(t, q, p, k, out):
    out[0] = k[0] * np.sin(q[0]) * (1 - p[0] / 6)


def slope_p(t, q, p, k, out):
    out[0] = p[0] + k[0] * np.cos(q[0]) / 6


@pytest.mark.parametrize("compiled", [lambda f: f, njit], ids=["plain", "jitted"])
@pytest.mark.parametrize("method", ["gauss8", "rk4"])
def test_functions_give_the_trajectory_of_the_expression(compiled, method):
    made = ht.hamiltonian(
        compiled(energy), "q", "p", dHdq=compiled(slope_q), dHdp=compiled(slope_p), k=2.0
    )
    typed = ht.hamiltonian("p**2/2 - k*cos(q)*(1 - p/6)", k=2.0)
    ours, theirs = run(made, integrator=method), run(typed, integrator=method)
    for name in ("q", "p", "qdot", "pdot", "energy"):
        np.testing.assert_allclose(
            ours.dataset[name], theirs.dataset[name], rtol=0, atol=1e-14, err_msg=name
        )
    np.testing.assert_array_equal(ours.work, 0.0)


def test_functions_that_do_not_compile_are_refused_by_name():
    with pytest.raises(ht.OptionError, match="dHdq"):
        ht.hamiltonian(
            energy, "q", "p", dHdq=lambda t, q, p, k, out: setattr(q, "x", 1), dHdp=slope_p, k=1.0
        )


def test_functions_need_gradients_and_names():
    with pytest.raises(ht.OptionError, match="needs its gradients dHdq and dHdp"):
        ht.hamiltonian(energy, "q", "p")
    with pytest.raises(ht.OptionError, match="needs the names of its coordinates"):
        ht.hamiltonian(energy, dHdq=slope_q, dHdp=slope_p)
    with pytest.raises(ht.OptionError, match="belong to an H that is a Python function"):
        ht.hamiltonian(PENDULUM, dHdq=slope_q)


# ---- time ----------------------------------------------------------------------------------------
def driven_slope(t, y):
    return [y[1], -np.sin(y[0]) + 0.3 * np.sin(2 * t), -0.6 * y[0] * np.cos(2 * t)]


def test_the_work_of_a_driven_pendulum_is_the_integral_of_its_power():
    done, reference = (
        run(ht.hamiltonian(DRIVEN), 5.0, 0.05),
        exact(driven_slope, (1.0, 0.7, 0.0), 5.0),
    )
    np.testing.assert_allclose([*end(done), float(done.work[-1])], reference, rtol=0, atol=2e-11)
    assert np.abs(done.work.values).max() > 0.1  # without work there is nothing to balance


@pytest.mark.parametrize(
    ("method", "order"),
    [("implicit_midpoint", 2), ("stormer_verlet", 2), ("gauss4", 4), ("rk4", 4), ("yoshida4", 4)],
)
def test_the_balance_of_a_driven_pendulum_closes_at_the_order_of_the_method(method, order):
    coarse, fine = (
        np.abs(run(ht.hamiltonian(DRIVEN), 5.0, h, integrator=method).energy_balance.values).max()
        for h in (0.05, 0.025)
    )
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.35)


# ---- separable or not ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "formulation"),
    [
        (PENDULUM, "separable_phase_space"),
        (THESIS, "phase_space"),
        (DRIVEN, "separable_phase_space"),
    ],
)
def test_a_separable_h_gets_the_equations_that_splittings_fit(text, formulation):
    assert run(ht.hamiltonian(text), 0.1).provenance["formulation"] == formulation


def test_a_splitting_of_what_is_not_separable_is_refused_with_those_that_fit():
    with pytest.raises(ht.FitError) as refused:
        run(ht.hamiltonian(THESIS), integrator="yoshida6")
    message = str(refused.value)
    listed = message.split("integrators that fit phase_space: ")[1].split(";")[0].split(", ")
    assert message.startswith("yoshida6 does not fit phase_space")
    assert listed == [
        name
        for name, integrator in INTEGRATORS.items()
        if is_compatible(FORMULATIONS["phase_space"], integrator)
    ]
    assert {"gauss8", "stormer_verlet", "tao4"} <= set(listed)
    assert not {"yoshida6", "ruth3", "forest_ruth", "leapfrog_dkd"} & set(listed)
    assert message.endswith("formulations that fit yoshida6: separable_phase_space")


def pendulum_energy(t, q, p, k):
    return p[0] ** 2 / 2 - np.cos(q[0])


def pendulum_slope_q(t, q, p, k, out):
    out[0] = np.sin(q[0])


def pendulum_slope_p(t, q, p, k, out):
    out[0] = p[0]


@pytest.mark.parametrize(
    ("method", "calls"),
    [("stormer_verlet", 1), ("euler_a", 1), ("euler_b", 1), ("triple_jump4(stormer_verlet)", 3)],
)
def test_where_h_is_separable_the_implicit_pair_is_explicit_and_the_same_map(method, calls):
    """Functions are not known to be separable: there the stages are iterated."""
    unknown = ht.hamiltonian(
        pendulum_energy, "q", "p", dHdq=pendulum_slope_q, dHdp=pendulum_slope_p
    )
    explicit, iterated = (
        run(ht.hamiltonian(PENDULUM), 5.0, integrator=method),
        run(unknown, 5.0, integrator=method),
    )
    assert calls <= explicit.statistics["calls_per_step"] <= calls + 0.1
    assert iterated.statistics["calls_per_step"] > calls + 1
    np.testing.assert_allclose(end(explicit), end(iterated), rtol=0, atol=2e-14)


# ---- every integrator ----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def references():
    return {
        text: run(ht.hamiltonian(text), 1.0, 0.05, integrator="gauss12")
        for text in (THESIS, PENDULUM)
    }


def names_that_fit(text):
    formulation = FORMULATIONS["separable_phase_space" if text == PENDULUM else "phase_space"]
    return [(name, text) for name, made in INTEGRATORS.items() if is_compatible(formulation, made)]


@pytest.mark.parametrize(("method", "text"), [*names_that_fit(THESIS), *names_that_fit(PENDULUM)])
def test_every_integrator_that_fits_ends_where_gauss12_ends(references, method, text):
    made, done = find_integrator(method), run(ht.hamiltonian(text), 1.0, 0.05, integrator=method)
    error = np.abs(end(done) - end(references[text])).max()
    assert done.status == "complete"
    assert float(done.t[-1]) == 1.0
    assert error < (
        1e-7 if made.is_adaptive and not made.samples_at_steps else 0.05**made.order + 1e-12
    )
    assert error > 0 or made.order >= 8  # another method takes another way


# ---- provenance ----------------------------------------------------------------------------------
X, PX, A = sympy.symbols("x px a")
STORED = {
    "text": lambda: ht.hamiltonian(
        "px**2/2 - a*cos(x)*(1 - px/6)",
        a=1 / 3,
        invariants={"twice": "px**2 - 2*a*cos(x)*(1 - px/6)"},
    ),
    "driven": lambda: ht.hamiltonian("px**2/2 - cos(x)*sin(t)**2 + 0.1*x", name="shaken"),
    "digits": lambda: ht.hamiltonian(PX**2 / 2 - sympy.Float(1 / 3) * sympy.cos(X) * (1 - PX / 6)),
    "words": lambda: ht.hamiltonian(
        PX**2 / 2 + A * sympy.Abs(X) + sympy.Max(X, PX) + sympy.exp(1) * X,
        invariants={"w": X**2 / 7},
        a=0.1,
    ),
}


@pytest.mark.parametrize("kind", STORED)
def test_a_stored_run_can_be_run_again_to_the_bit(kind, tmp_path):
    made = STORED[kind]()
    first = run(made, 1.05, 0.1, integrator="gauss6", output=tmp_path / "run.nc", q=[1.0], p=[0.7])
    loaded = ht.Trajectory.load(tmp_path / "run.nc")
    about, again = loaded.provenance, loaded.hamiltonian
    assert str(again) == str(made)
    assert again.parameters == made.parameters
    assert (again.is_separable, again.is_autonomous) == (made.is_separable, made.is_autonomous)
    second = run(
        again,
        about["until"],
        about["step"],
        integrator=about["integrator"],
        q=loaded.q[0],
        p=loaded.p[0],
    )
    for name in first.dataset.data_vars:
        np.testing.assert_array_equal(
            second.dataset[name].values, first.dataset[name].values, err_msg=name
        )


def test_start_values_are_stored_with_the_problem():
    made = ht.hamiltonian("p**2/2 - k*cos(q)", q={"q": 0.1}, p={"p": 2.0}, k=0.7)
    again = hamiltonian_from_json(made.to_json())
    assert (again.start, again.parameters, again.text) == (made.start, made.parameters, made.text)


def test_a_run_of_functions_says_that_they_are_not_stored(tmp_path):
    made = ht.hamiltonian(energy, "q", "p", dHdq=slope_q, dHdp=slope_p, k=1.0)
    done = run(made, output=tmp_path / "run.nc")
    assert done.hamiltonian is made
    with pytest.raises(ht.FileError, match="made of Python functions"):
        ht.Trajectory.load(tmp_path / "run.nc").hamiltonian  # noqa: B018


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        '{"H": "open(1)", "q": ["q"], "p": ["p"], "invariants": {}, "name": "", "parameters": {}}',
    ],
)
def test_a_damaged_record_is_a_file_error(text):
    with pytest.raises(ht.FileError, match="cannot be read"):
        hamiltonian_from_json(text)


def test_named_invariants_are_recorded(tmp_path):
    kepler = ht.hamiltonian(
        "(px**2 + py**2)/2 - 1/sqrt(x**2 + y**2)",
        invariants={"L": "x*py - y*px", "half": "px/2"},
        q={"x": 0.4, "y": 0},
        p={"px": 0, "py": 2},
    )
    done = ht.simulate(kepler, 3.0, 0.01, progress=False, output=tmp_path / "run.nc")
    q, p = done.q.values, done.p.values
    np.testing.assert_allclose(
        done.invariants.sel(invariant="L"),
        q[:, 0] * p[:, 1] - q[:, 1] * p[:, 0],
        rtol=0,
        atol=1e-15,
    )
    assert done.invariant_errors["L"] < 1e-14
    assert done.invariant_errors["half"] > 0.1


# ---- methods that choose their own steps ---------------------------------------------------------
OWN = ("dormand_prince5", "tsitouras5", "dop853", "radau5")


@pytest.mark.parametrize("method", OWN)
def test_a_pole_ends_the_run_close_to_it(method):
    """H = p q² has q̇ = q²: from 1 it is 1/(1 − t)."""
    with pytest.raises(ht.StepError) as failure:
        run(ht.hamiltonian("p*q**2"), 2.0, 0.01, integrator=method, q=[1.0], p=[1.0])
    kept = failure.value.trajectory
    last = float(kept.t[-1])
    assert 0.98 < last <= 1.0 + 1e-6
    assert f"the last good time is t = {last:.9g} (step " in str(failure.value)
    assert method in str(failure.value) or "stopped being finite" in str(failure.value)
    assert all(np.isfinite(values).all() for values in kept.dataset.data_vars.values())
    before = kept.t.values < 0.9
    np.testing.assert_allclose(kept.q.values[before, 0], 1 / (1 - kept.t.values[before]), rtol=1e-5)


@pytest.mark.parametrize("method", OWN)
def test_samples_lie_on_the_grid_and_the_end_is_met(method):
    done = run(ht.hamiltonian(THESIS), 1.05, 0.1, integrator=method)
    np.testing.assert_array_equal(done.t.values, [*(np.arange(11) * 0.1), 1.05])
    dense = run(ht.hamiltonian(THESIS), 1.05, 0.05, integrator="gauss12")
    np.testing.assert_allclose(
        done.q.values[:, 0], dense.q.values[[*range(0, 21, 2), 21], 0], rtol=0, atol=1e-7
    )


@pytest.mark.parametrize("method", OWN)
def test_a_smaller_tolerance_gives_a_smaller_error(method):
    reference = end(run(ht.hamiltonian(THESIS), 10.0, 0.05, integrator="gauss12"))

    def error(**options):
        done = run(ht.hamiltonian(THESIS), 10.0, 1.0, integrator=method, **options)
        assert json.loads(done.provenance["options"]) == options
        return np.abs(end(done) - reference).max()

    loose, middle, tight = (
        error(tolerance=1e-4),
        error(rtol=1e-7, atol=1e-7),
        error(rtol=1e-10, atol=1e-12),
    )
    assert tight < middle / 10 < loose / 100
    np.testing.assert_array_equal(error(tolerance=1e-7), middle)


def test_atol_counts_where_the_state_is_small():
    small = {"q": [1e-9], "p": [0.0], "integrator": "dop853", "rtol": 1e-3}
    coarse, fine = (
        run(ht.hamiltonian(PENDULUM), 20.0, 1.0, **small, atol=atol) for atol in (1e-3, 1e-15)
    )
    assert fine.statistics["steps"] > 1.5 * coarse.statistics["steps"]
    reference = 1e-9 * np.cos(fine.t.values)
    assert (
        np.abs(fine.q.values[:, 0] - reference).max()
        < 1e-11
        < np.abs(coarse.q.values[:, 0] - reference).max()
    )


def test_a_stiff_problem_is_said_to_be_stiff(capsys):
    """H = p · f(q) gives q̇ = f(q): a relaxes at the rate 200 to the cosine of b, which is the
    time.
    """
    stiff = ht.hamiltonian("pa*(-200*(a - cos(b))) + pb", q="a b", p="pa pb")
    start = {"q": [1.0, 0.0], "p": [0.0, 0.0]}
    explicit = run(stiff, 2.0, 0.1, integrator="dormand_prince5", tolerance=1e-4, **start)
    assert "the problem seems stiff for dormand_prince5" in capsys.readouterr().err
    assert explicit.statistics["stiff"] is True
    implicit = run(stiff, 2.0, 0.1, integrator="radau5", tolerance=1e-4, **start)
    assert capsys.readouterr().err == ""
    assert implicit.statistics["stiff"] is False
    assert implicit.statistics["steps"] < explicit.statistics["steps"] / 10
    np.testing.assert_allclose(end(explicit), end(implicit), rtol=0, atol=1e-3)


# ---- what is refused -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p**2/2 + w*q", "unknown symbol 'w' at column 10; known: q, p, t"),
        ("p**2/2 + sen(q)", "unknown function 'sen' at column 10"),
        ("__import__('os').system('x')", '"\'" at column 12: a formula has no strings'),
        ("p + __import__(q)", "unknown function '__import__' at column 5"),
        ("q.__class__ + p", "an attribute cannot stand in a formula at column 1"),
        ("p.real + q", "an attribute"),
        ("(lambda: 0)()", "':' at column 8"),
        ("q[0] + p", "'\\[' at column 2: a formula has no subscripts"),
        ("open('x')", "a formula has no strings"),
        ("open(q) + p", "unknown function 'open' at column 1"),
        ("p**2/2 + q^2", "'\\^' at column 11: write \\*\\* for a power"),
        ("", "the text is empty"),
        ("p**2/2 +", "not a formula"),
        ("sin(3)", "H names no coordinates"),
        (None, "expected a formula as text, a number or a SymPy expression, not NoneType"),
    ],
)
def test_what_is_no_formula_of_the_state_is_refused_and_nothing_runs(
    text, message, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ht.OptionError, match=message):
        ht.hamiltonian(text)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": "k", "p": "pk", "k": 1.0}, "parameter 'k': 'k' is also a coordinate"),
        ({"q": "q q", "p": "p r"}, "coordinate 'q': two are called 'q'"),
        ({"q": "t", "p": "p"}, "coordinate 't': is the time"),
        ({"q": "sin", "p": "p"}, "coordinate 'sin': is a function"),
        ({"q": "q"}, "p is missing"),
        ({"q": "q r", "p": "p"}, r"2 coordinates \(q, r\) and 1 momenta \(p\)"),
        ({"q": 5, "p": "p"}, "q = 5; give names"),
        ({"k": float("nan")}, "k = nan; it must be finite"),
        ({"k": "3"}, "k = '3'; it must be a number"),
        ({"parameters": {"k": 1.0}, "k": 2.0}, "parameter 'k' is given twice"),
        ({"parameters": 5}, "parameters = 5"),
        ({"invariants": ["p"]}, "invariants = "),
        ({"invariants": {"L": "q*z"}}, "invariant 'L': unknown symbol 'z' at column 3"),
        ({"name": 5}, "name = 5"),
    ],
)
def test_names_and_numbers_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ht.OptionError, match=message):
        ht.hamiltonian("p**2/2 + q", **options)


def test_a_parameter_that_does_not_exist_cannot_be_changed():
    with pytest.raises(ht.OptionError, match="has no parameter 'kk'; did you mean 'k'"):
        ht.hamiltonian("p**2/2 + k*q", k=1.0).with_(kk=2.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"q": None}, "needs a start value of q"),
        ({"p": {}}, "needs a start value of p"),
        ({"q": {"r": 1.0}}, "q names 'r', which hamiltonian does not have; known: 'q'"),
        ({"q": [1.0, 2.0]}, r"q has shape \(2,\); expected 1 numbers, in the order q"),
        ({"q": [[1.0], [1.0, 2.0]]}, "give numbers"),
        ({"q": [float("nan")]}, "q of q = nan; it must be finite"),
        ({"p": {"p": float("inf")}}, "p = inf; it must be finite"),
        ({"q": "1.5"}, "q = '1.5'; give numbers"),
        ({"q": ["1.5"]}, "give numbers"),
        ({"q": [None]}, "give numbers"),
        ({"qdot": [1.0]}, "starts from q and p, not from qdot"),
        ({"until": 0.0}, r"until = 0.0; it must be finite and above zero \(in the units of the "),
        ({"until": -1.0}, "until = -1.0"),
        ({"until": float("nan")}, "until = nan"),
        ({"step": 0}, "step = 0"),
        ({"step": float("nan")}, "step = nan"),
        ({"integrator": "gaus8"}, "unknown integrator 'gaus8'; did you mean 'gauss8'"),
        ({"rtol": 1e-3}, "gauss8 has no option 'rtol'; it takes solver"),
        (
            {"integrator": "dop853", "rtoll": 1e-3},
            "dop853 has no option 'rtoll'; it takes tolerance, rtol, atol, .* did you mean 'rtol'",
        ),
        (
            {"integrator": "dop853", "rtol": -1.0},
            "rtol = -1.0; it must be a number from 1e-14 to 0.1",
        ),
        ({"integrator": "radau5", "tolerance": "x"}, "tolerance = 'x'"),
        (
            {"formulation": "hamiltonian_tree"},
            "whose equations are separable_phase_space: leave it out",
        ),
        ({"sections": 5}, "sections and events are expressions as text .* not 5"),
        ({"sections": [5]}, "an event is an expression as text, not 5"),
        (
            {"sections": ["z"]},
            "event 'z': unknown symbol 'z' at column 1; known: q, p, q_dot, p_dot, t",
        ),
        (
            {"events": [{"expression": "q", "direction": 2}]},
            r"direction = 2; give \+1 \(rising\), -1 \(falling\) or 0 \(both\)",
        ),
        ({"events": [{"expression": "q", "where": "q"}]}, "a condition is a comparison"),
        ({"events": [{"expression": "q", "where": "q > 0 or p > 0"}]}, "joined by 'and'"),
        (
            {"events": [{"expression": "q", "where": "z > 0"}]},
            "where of event 'q': unknown symbol 'z' at column 1",
        ),
        ({"events": [{"expression": "q", "where": 5}]}, "where = 5"),
        (
            {"events": [{"expression": "q", "terminal": "no"}]},
            "terminal = 'no'; give True or False",
        ),
        (
            {"events": [{"expr": "q"}]},
            "its fields are expression, direction, where, terminal, name",
        ),
        ({"events": [{"expr": "q"}]}, "no field is called 'expr'"),
        ({"events": [{"name": "down"}]}, "there is no expression"),
        ({"events": ["open('x')"]}, "a formula has no strings"),
    ],
)
def test_a_bad_option_is_refused_and_nothing_is_written(options, message, tmp_path):
    with pytest.raises(ht.OptionError, match=message):
        run(
            ht.hamiltonian(PENDULUM),
            **{"until": 1.0, "step": 0.1, **options},
            output=tmp_path / "run.nc",
        )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "q", "message"),
    [
        ("p**2/2 + sqrt(q)", -1.0, r"H is not real and finite at the start \(q = -1, p = 0\): nan"),
        ("p**2/2 + log(q)", -1.0, "H is not real and finite"),
        ("p**2/2 + 1/q", 0.0, r"H is not real and finite at the start \(q = 0, p = 0\): -?inf"),
        ("p**2/2 + sqrt(q)", 0.0, "∂H/∂q is not real and finite"),
        ("p**2/2 + exp(q)", 1e3, "H is not real and finite .*: inf"),
    ],
)
def test_a_start_where_h_is_no_number_is_refused_before_anything_is_written(
    text, q, message, tmp_path
):
    with pytest.raises(ht.OptionError, match=message):
        run(ht.hamiltonian(text), q=[q], p=[0.0], output=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("lines", "options", "message"),
    [
        ('H = "p**2/2 + w*q"', (), "bad.toml:2: H: unknown symbol 'w' at column 10"),
        ("H = \"__import__('os').system('touch x')\"", (), 'bad.toml:2: H: "\'" at column 12'),
        (
            'H = "p**2/2 + sqrt(q)"\nq = {q = -1.0}\np = {p = 0.0}',
            (),
            "H is not real and finite at the start",
        ),
        ('H = "p**2/2 + q"\nq = {q = -1.0}', (), "p is missing"),
        (
            'H = "p**2/2 + q"\nq = {q = 1.0}\np = {p = 0.0}',
            ("--section", "z"),
            "event 'z': unknown symbol 'z'",
        ),
        ('H = "p**2/2 + q"\nq = {q = 1.0}\np = {p = 0.0}', ("--until", "-1"), "until = -1.0"),
        (
            'H = "p**2/2 + q"\nq = {q = 1.0}\np = {p = 0.0}\n[[section]]\nexpression = '
            '"q"\ndirection = 2',
            (),
            "direction = 2",
        ),
    ],
)
def test_the_command_line_refuses_in_the_same_words_and_writes_nothing(
    shell, tmp_path, lines, options, message
):
    (tmp_path / "bad.toml").write_text(f"[hamiltonian]\n{lines}\n", encoding="utf-8")
    done = shell("run", "bad.toml", *options)
    assert done.code == 2, done.error
    assert message in done.error
    assert "Traceback" not in done.error
    assert [path.name for path in tmp_path.iterdir()] == ["bad.toml"]


# ---- what is imported ----------------------------------------------------------------------------
def test_an_expression_that_is_known_imports_no_sympy(python, tmp_path):
    """The module of an expression is written once; later processes load it."""
    ht.hamiltonian(THESIS)
    script = (
        "import sys, hamiltree as ht\n"
        f"made = ht.hamiltonian({THESIS!r})\n"
        "assert made.coordinates == ('q',)\n"
        "print([name for name in ('sympy', 'matplotlib', 'xarray', 'netCDF4') if name in "
        "sys.modules])\n"
    )
    done = python("-c", script, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_a_run_of_a_known_expression_imports_neither_sympy_nor_matplotlib(python, tmp_path):
    run(ht.hamiltonian(THESIS), 0.1, sections=["q - 1"])
    script = (
        "import sys, hamiltree as ht\n"
        f"ht.simulate(ht.hamiltonian({THESIS!r}), 0.1, 0.1, q=[1.0], p=[0.7], sections=['q - 1'], "
        "progress=False)\n"
        "print([name for name in ('sympy', 'matplotlib') if name in sys.modules])\n"
    )
    done = python("-c", script, cwd=tmp_path)
    assert (done.stdout, done.returncode) == ("[]\n", 0), done.stderr


def test_reversible_steps_end_at_a_singularity_with_the_time_reached():
    fall = ht.hamiltonian("p**2/2 - 1/q", q={"q": 1.0}, p={"p": 0.0})
    with pytest.raises(ht.StepError, match="fell below the rounding of time"):
        ht.simulate(
            fall, until=2.0, step=0.01, integrator="reversible(implicit_midpoint)", progress=False
        )


@pytest.mark.parametrize(
    ("text", "why"), [("1 + sin(t)", "unknown symbol 't'"), ("q - 5", "above zero")]
)
def test_a_step_function_that_cannot_be_is_refused(text, why):
    H = ht.hamiltonian("p**2/2 - cos(q)", q={"q": 1.0}, p={"p": 0.0})
    with pytest.raises(ht.OptionError, match=why):
        ht.simulate(
            H,
            until=1.0,
            step=0.1,
            integrator="reversible(stormer_verlet)",
            step_function=text,
            progress=False,
        )


def test_the_balance_of_a_driven_h_made_of_functions_holds_late_too():
    def energy(t, q, p, k):
        return 0.5 * p[0] ** 2 + 0.5 * q[0] ** 2 + q[0] * np.cos(0.3 * t)

    def by_q(t, q, p, k, out):
        out[0] = q[0] + np.cos(0.3 * t)

    def by_p(t, q, p, k, out):
        out[0] = p[0]

    H = ht.hamiltonian(energy, q={"q": 1.0}, p={"p": 0.0}, dHdq=by_q, dHdp=by_p)
    done = ht.simulate(H, until=3000.0, step=0.25, integrator="gauss8", progress=False)
    assert float(np.abs(done.energy_balance).max()) < 1e-7


def test_a_long_formula_survives_its_file(tmp_path):
    text = "p**2/2 + " + " + ".join(f"{k}*q**2/{k + 1}" for k in range(1, 600))
    H = ht.hamiltonian(text, q={"q": 0.1}, p={"p": 0.0})
    ht.simulate(
        H, until=0.1, step=0.1, integrator="rk4", output=tmp_path / "run.nc", progress=False
    )
    assert ht.Trajectory.load(tmp_path / "run.nc").hamiltonian.text == text


def test_a_hamiltonian_is_saved_and_loaded_as_a_file(tmp_path):
    H = ht.hamiltonian(
        KEPLER_TEXT,
        q={"x": 0.4, "y": 0.0},
        p={"px": 0.0, "py": 2.0},
        k=1.5,
        invariants={"L": "x*py - y*px"},
        name="kepler",
    )
    ht.save(H, tmp_path / "kepler.toml")
    again = ht.load(tmp_path / "kepler.toml")
    assert (again.text, again.start, again.parameters, again.invariants, again.name) == (
        H.text,
        H.start,
        H.parameters,
        H.invariants,
        H.name,
    )
    with pytest.raises(ht.FileError, match="exists"):
        ht.save(H, tmp_path / "kepler.toml")


KEPLER_TEXT = "(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)"


def test_atol_follows_rtol_unless_it_is_set():
    pair = find_integrator("dop853")
    assert pair.with_options({"rtol": 1e-12}).method.control.atol == pytest.approx(1e-14)
    assert pair.with_options({"atol": 1e-9, "rtol": 1e-12}).method.control.atol == 1e-9


def test_a_mistyped_argument_is_guessed():
    with pytest.raises(ht.OptionError, match="did you mean 'integrator'"):
        ht.simulate(
            ht.hamiltonian("p**2/2"), until=1.0, q=0.0, p=1.0, integrater="rk4", progress=False
        )


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_the_average_vector_field_keeps_polynomials_up_to_the_degree_of_its_quadrature_only(stages):
    def error(degree):
        H = ht.hamiltonian(f"p**2/2 + q**{degree}/{degree} + q*p/5")
        done = ht.simulate(
            H,
            until=50,
            step=0.1,
            integrator=f"avf{stages}",
            q=1.1,
            p=0.2,
            save_every=1,
            progress=False,
        )
        return float(np.abs(done.energy_balance).max())

    assert error(2 * stages) < 5e-15
    assert error(2 * stages + 2) > 2e-14


def test_the_command_line_runs_a_hamiltonian_file(shell, tmp_path):
    text = '[hamiltonian]\nH = "p**2/2 + q**2/2"\nq = {q = 1.0}\np = {p = 0.0}\n'
    (tmp_path / "good.toml").write_text(text, encoding="utf-8")
    done = shell("run", "good.toml", "--until", "1", "--step", "0.01")
    assert done.code == 0, done.error
    assert (tmp_path / "good.nc").is_file()
