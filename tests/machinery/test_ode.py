"""Any y' = f(t, y): formulas and functions, methods that fit, events, files, refusals."""

import sys

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree.cli import app as cli
from hamiltree.errors import FileError, FitError, OptionError
from hamiltree.integrators import INTEGRATORS
from hamiltree.run.problem_files import load_problem

QUIET = {"progress": False}
ROTOR = "x' = y*z*a; y' = z*x*b; z' = x*y*c"  # Euler's equations of a free body
MOMENTS = {"a": -0.5, "b": 2.0 / 3.0, "c": -1.0 / 3.0}
SPIN = {"x": 0.7, "y": 0.4, "z": 0.9}
CONSTANTS = {"E": "x**2/a - y**2/b", "L": "y**2/b - z**2/c"}


def rotor(**options):
    return ht.ode(ROTOR, y=SPIN, **MOMENTS, **options)


def van_der_pol(mu=5.0):
    return ht.ode("x' = v; v' = mu*(1 - x**2)*v - x", y={"x": 2.0, "v": 0.0}, mu=mu)


def scipy_van_der_pol(mu, times, **options):
    made = solve_ivp(
        lambda t, y: [y[1], mu * (1 - y[0] ** 2) * y[1] - y[0]],
        (0.0, times[-1]),
        [2.0, 0.0],
        t_eval=times,
        rtol=1e-12,
        atol=1e-13,
        **options,
    )
    return made.y.T


# ---- what is typed -------------------------------------------------------------------------------
def by_function(t, y):
    return [y[1], -np.sin(y[0]) + 0.1 * np.cos(t)]


def by_parameters(t, y, k):
    return np.array([y[1], -k[0] * np.sin(y[0]) + k[1] * np.cos(t)])


def by_writing(t, y, k, out):
    out[0] = y[1]
    out[1] = -k[0] * np.sin(y[0]) + k[1] * np.cos(t)


SWING = {"g": 1.0, "a": 0.1}
WAYS = {
    "equations": ht.ode("x' = v; v' = -g*sin(x) + a*cos(t)", **SWING),
    "lines": ht.ode("x_dot = v\ndv/dt = -g*sin(x) + a*cos(t)\n", **SWING),
    "mapping": ht.ode({"x": "v", "v": "-g*sin(x) + a*cos(t)"}, parameters=SWING),
    "right-hand sides": ht.ode("v, -g*sin(x) + a*cos(t)", "x v", **SWING),
    "list": ht.ode(["v", "-g*sin(x) + a*cos(t)"], ["x", "v"], **SWING),
    "other order": ht.ode({"v": "-g*sin(x) + a*cos(t)", "x": "v"}, "x v", **SWING),
    "SymPy": ht.ode([sympy.Symbol("v"), sympy.sympify("-g*sin(x) + a*cos(t)")], "x v", **SWING),
    "function": ht.ode(by_function, "x v"),
    "function of parameters": ht.ode(by_parameters, "x v", **SWING),
    "compiled function": ht.ode(by_writing, "x v", **SWING),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_type_an_ode_give_the_same_run(way):
    run = ht.simulate(WAYS[way], until=3.0, step=0.1, y=[1.0, 0.2], **QUIET)
    expected = ht.simulate(WAYS["equations"], until=3.0, step=0.1, y=[1.0, 0.2], **QUIET)
    assert run.y.values == pytest.approx(expected.y.values, abs=1e-12)
    assert run.ydot.values == pytest.approx(expected.ydot.values, abs=1e-12)
    assert [str(name) for name in run.y["variable"].values] == ["x", "v"]


def test_parameters_change_without_compiling():
    other = van_der_pol().with_(mu=2.0)
    assert other.code is van_der_pol().code
    run = ht.simulate(other, until=5.0, step=0.5, integrator="dop853", rtol=1e-12, **QUIET)
    assert run.y.values == pytest.approx(scipy_van_der_pol(2.0, run.t.values), abs=1e-8)


# ---- methods -------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["rk4", "gauss4", "gauss8", "dop853", "radau5"])
def test_runs_agree_with_scipy(method):
    options = {"rtol": 1e-11} if INTEGRATORS[method].is_adaptive else {}
    run = ht.simulate(
        van_der_pol(), until=3.0, step=2e-3, save_every=50, integrator=method, **options, **QUIET
    )
    assert run.y.values == pytest.approx(
        scipy_van_der_pol(5.0, run.t.values, method="DOP853"), abs=3e-7
    )


@pytest.mark.parametrize(
    ("method", "order", "step"),
    [
        ("explicit_euler", 1, 0.01),
        ("heun3", 3, 0.1),
        ("rk4", 4, 0.1),
        ("implicit_euler", 1, 0.01),
        ("gauss4", 4, 0.2),
        ("radau_iia5", 5, 0.4),
    ],
)
def test_methods_keep_their_order_on_a_nonlinear_ode_with_time(method, order, step):
    problem = ht.ode("x' = y*z + sin(t)/3; y' = -x*z; z' = -x*y/2 + x**2/(2 + z)", y=SPIN)
    exact = ht.simulate(
        problem, until=4.0, step=4.0, integrator="dop853", rtol=1e-13, **QUIET
    ).y.values[-1]
    errors = []
    for h in (step, step / 2, step / 4):
        end = ht.simulate(problem, until=4.0, step=h, integrator=method, **QUIET).y.values[-1]
        errors.append(np.abs(end - exact).max())
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    assert measured == pytest.approx([order] * 2, abs=0.35)


def test_radau5_passes_the_stiff_van_der_pol_oscillator():
    """Reference: Hairer, Wanner II, IV.10 (mu² as a factor): y(2) there is x(2000) here."""
    run = ht.simulate(
        van_der_pol(1000.0), until=2000.0, step=100.0, integrator="radau5", rtol=1e-9, **QUIET
    )
    assert run.y.values[-1] == pytest.approx([1.706167732170483, -8.928097010247975e-4], rel=1e-6)
    assert run.statistics["steps"] < 2000


def test_gauss_keeps_quadratic_invariants_and_explicit_methods_do_not():
    runs = {
        method: ht.simulate(
            rotor(invariants=CONSTANTS), until=20.0, step=0.1, integrator=method, **QUIET
        )
        for method in ("gauss4", "rk4")
    }
    assert max(runs["gauss4"].invariant_errors.values()) < 1e-13
    assert min(runs["rk4"].invariant_errors.values()) > 1e-9
    assert list(runs["rk4"].invariant_errors) == ["E", "L"]


def test_the_methods_that_fit_are_those_that_ask_for_rates_alone():
    with pytest.raises(FitError, match="neither positions and momenta nor an H") as refused:
        ht.simulate(rotor(), until=1.0, integrator="stormer_verlet", **QUIET)
    message = str(refused.value)
    listed = message.partition("fit first_order: ")[2].partition(";")[0].split(", ")
    assert {"rk4", "gauss8", "radau5", "dop853", "implicit_euler"} <= {*listed}
    assert not {"stormer_verlet", "euler_b", "tao4", "discrete_gradient", "rattle"} & {*listed}
    for method in ("discrete_gradient", "ruth3", "generalised_alpha"):
        with pytest.raises(FitError, match="does not fit first_order"):
            ht.simulate(rotor(), until=1.0, integrator=method, **QUIET)


# ---- events and dense output ---------------------------------------------------------------------
def test_events_are_located_and_end_a_run():
    """A stone with drag: highest where its speed vanishes, at v(t) = 0, and down at z = 0."""
    stone = ht.ode("z' = v; v' = -g - c*v", y={"z": 0.0, "v": 4.0}, g=9.81, c=0.5)
    run = ht.simulate(
        stone,
        until=5.0,
        step=0.01,
        events=["v", ht.Event("z", -1, terminal=True)],
        **QUIET,
    )
    top = np.log(1 + 0.5 * 4.0 / 9.81) / 0.5
    assert run.sections["v"]["t"].values == pytest.approx([top], abs=1e-9)
    assert run.status.startswith("ended by event 'z'") and abs(run.y.values[-1, 0]) < 1e-9
    assert run.section("v").t.values == pytest.approx([top], abs=1e-7)
    assert run.sections["v"]["y"].sel(variable="v").values == pytest.approx([0.0], abs=1e-12)


def test_samples_between_steps_are_as_good_as_the_steps():
    """Dense output of methods that choose their steps, against a run with many more of them."""
    fine = ht.simulate(rotor(), until=5.0, step=0.01, integrator="gauss8", **QUIET)
    for method in ("dop853", "radau5"):
        run = ht.simulate(rotor(), until=5.0, step=0.01, integrator=method, rtol=1e-10, **QUIET)
        assert run.statistics["steps"] < 250
        assert run.y.values == pytest.approx(fine.y.values, abs=2e-8)


def test_a_simulator_steps_an_ode_by_hand_and_a_run_goes_on():
    sim = ht.simulator(rotor(), step=0.1, integrator="gauss8")
    sim.step(10)
    whole = sim.run(until=2.0)
    assert sim.state.y == pytest.approx(whole.y.values[10], abs=1e-14)
    sim.set(y={"x": 0.0})
    assert sim.state.y.tolist() == [0.0, *whole.y.values[10, 1:].tolist()]
    half = sim.run(until=1.0)
    on = sim.run(until=2.0, resume=half)
    assert np.array_equal(on.y.values[-1], whole.y.values[-1])


# ---- files ---------------------------------------------------------------------------------------
def test_an_ode_and_its_run_read_back_from_their_files(tmp_path):
    problem = rotor(invariants=CONSTANTS, name="rotor")
    ht.save(problem, tmp_path / "rotor.toml")
    again = ht.load(tmp_path / "rotor.toml")
    assert again == problem and str(again) == str(problem)
    run = ht.simulate(problem, until=1.0, step=0.1, output=tmp_path / "run.nc", **QUIET)
    stored = ht.Trajectory.load(tmp_path / "run.nc")
    assert stored.ode == problem and np.array_equal(stored.y.values, run.y.values)
    assert stored.names.rows == ("x", "y", "z")
    traced = ht.ode(by_parameters, {"x": 1.0, "v": 0.0}, **SWING)
    ht.save(traced, tmp_path / "traced.toml")
    assert ht.load(tmp_path / "traced.toml").formulas == traced.formulas
    with pytest.raises(FileError, match="has no text"):
        ht.save(WAYS["compiled function"], tmp_path / "compiled.toml")


FILE = """hamiltree = 1
[ode]
rates = { x = "v", v = "-k*x" }
y = { x = 1.0, v = 0.0 }
parameters = { k = 4.0 }

[[section]]
expression = "x"
"""
BROKEN = {
    'v = "-k*x"': ('v = "-j*x"', ":3: rate of v: unknown symbol 'j'"),
    "x = 1.0": ("z = 1.0", r":3: rates: 'z' has no equation"),
    "k = 4.0": ("k = inf", ":5: k = inf; it must be finite"),
    "parameters =": ("constants =", ":5: unknown key 'constants'"),
    'expression = "x"': ('expression = "w"', ":7: section 'w': unknown symbol 'w'"),
}


@pytest.mark.parametrize("old", BROKEN)
def test_a_fault_in_a_file_is_said_with_its_line(tmp_path, old):
    new, message = BROKEN[old]
    path = tmp_path / "broken.toml"
    path.write_text(FILE)
    assert load_problem(path)[0].parameters == {"k": 4.0}
    path.write_text(FILE.replace(old, new))
    with pytest.raises(FileError, match=message):
        ht.load(path)


# ---- refusals ------------------------------------------------------------------------------------
def branching(t, y):
    return [1.0 if y[0] > 0 else -1.0]


REFUSED = {
    "unknown name": (lambda: ht.ode("x' = k*x"), "rate of x: unknown symbol 'k'"),
    "no names": (lambda: ht.ode("-x"), "y is missing"),
    "too few": (lambda: ht.ode("v", "x v"), "1 rates for 2 names"),
    "no equation": (lambda: ht.ode("x' = x", "x v"), "'v' has no equation"),
    "one too many": (lambda: ht.ode("x' = x; v' = x", "x"), "'v' is not among the rows"),
    "twice": (lambda: ht.ode("x' = x; x' = 1"), "two equations"),
    "mixed": (lambda: ht.ode("x' = x; 1"), "is no equation"),
    "a number": (lambda: ht.ode(3.0, "x"), "give formulas"),
    "names that meet": (lambda: ht.ode("x' = x", x=1.0), "'x' is also a variable"),
    "time as a name": (lambda: ht.ode("t' = 1"), "is the time in formulas"),
    "function without names": (lambda: ht.ode(by_function), "need the names of y"),
    "equality": (
        lambda: ht.ode(lambda t, y: [1.0 if y[0] == 0 else y[0]], "x"),
        "it decides by .* f\\(t, y, k, out\\)",
    ),
    "branch": (lambda: ht.ode(branching, "x"), "it decides by .* f\\(t, y, k, out\\)"),
    "wrong length": (lambda: ht.ode(by_function, "x"), "has no formula: IndexError"),
    "one number": (lambda: ht.ode(lambda t, y: y[0], "x v"), "returns 1 numbers for 2 names"),
    "invariants of a function": (
        lambda: ht.ode(by_writing, "x v", **SWING, invariants={"E": "x"}),
        "named invariants are expressions",
    ),
    "no start": (lambda: run_of(WAYS["equations"]), "needs a start value of x: give y={'x': …}"),
    "q": (lambda: run_of(rotor(), q=[1, 2, 3]), "an ode starts from y, not from q"),
    "short start": (lambda: run_of(rotor(), y=[1, 2]), "expected 3 numbers"),
    "y of a model": (lambda: run_of(ht.library.pendulum(), y=[1]), "y is of an ode"),
    "y of an H": (lambda: run_of(ht.hamiltonian("p**2"), y=[1]), "starts from q and p, not from y"),
    "not real": (
        lambda: run_of(ht.ode("x' = log(x)", {"x": -1.0})),
        r"x' is not real and finite at the start \(x = -1\)",
    ),
    "formulation": (
        lambda: run_of(rotor(), formulation="phase_space"),
        "is an ode, whose equations are first_order",
    ),
    "of a model": (
        lambda: run_of(ht.library.pendulum(), formulation="first_order"),
        "first_order is for an ode",
    ),
    "compare": (lambda: ht.compare(rotor()), "an ode has one formulation only"),
    "energy": (lambda: run_of(rotor()).energy, "a run of an ode has no energy"),
    "energy plot": (lambda: run_of(rotor()).plot.energy(), "an ode has no energy"),
}


def run_of(problem, **options):
    return ht.simulate(problem, until=0.1, step=0.1, **options, **QUIET)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_ode_is_refused_by_name(name):
    make, message = REFUSED[name]
    with pytest.raises(OptionError, match=message):
        make()


# ---- the shell and plots -------------------------------------------------------------------------
def test_the_shell_runs_an_ode_shows_it_and_lists_what_fits(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "swing.toml").write_text(FILE)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, capsys.readouterr()

    code, printed = call("run", "swing.toml", "--until", "3.5", "--step", "0.1", "-p", "run.png")
    assert code == 0 and "first_order" in printed.out and "section x" in printed.out
    assert "energy" not in printed.out and (tmp_path / "run.png").stat().st_size > 1000
    times = ht.Trajectory.load(tmp_path / "swing.nc").sections["x"].t.values
    assert times == pytest.approx([np.pi / 4, 3 * np.pi / 4], abs=1e-7)
    code, printed = call("info", "swing.toml")
    assert code == 0 and "x' = v; v' = -k*x" in printed.out and "k = 4.0" in printed.out
    code, printed = call("run", "swing.toml", "-i", "ruth3", "--output", "no.nc")
    assert code == 2 and "does not fit first_order" in printed.err
    assert not (tmp_path / "no.nc").exists()
    code, printed = call("list", "formulations")
    assert code == 0 and "first_order" in printed.out


def test_plots_of_an_ode_show_its_variables():
    run = ht.simulate(rotor(invariants=CONSTANTS), until=2.0, step=0.1, sections=["x"], **QUIET)
    labels = [axes.get_ylabel() for axes in run.plot.values().axes]
    assert labels == ["x", "y", "z"]
    assert run.plot.phase("y").axes[0].get_ylabel() == "y'"
    changes = [axes.get_ylabel() for axes in run.plot.invariants().axes]
    assert changes == ["change of E", "change of L"]
    assert run.plot.section().axes[0].get_xlabel() == "x"
    with pytest.raises(OptionError, match="no invariants were named"):
        run_of(rotor()).plot.invariants()


def test_arguments_with_a_default_keep_it():
    assert ht.ode(lambda t, y, rate=3.0: [-rate * y[0]], "x").formulas == ("((-3) * x)",)
