"""The error of the answer: estimates against known answers, horizons of chaotic motion against a
precise run, and what is said where there is no estimate.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import hamiltree as ht
from hamiltree.trajectory.lines import BAD, DETERMINED, GOOD, NOTE, Thresholds, worst_verdict
from hamiltree.verdict.answer import answer_line, estimate_error
from hamiltree.verdict.coarser_runs import FREE, motion_of
from tests.verdict.estimates import damped_pendulum, true_error
from tests.verdict.horizons import departure
from tests.verdict.library import judge

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
GRAVITY = 9.81


def judged(run):
    estimate = run.error_estimate()
    return estimate, answer_line(estimate, Thresholds())


def spent_beyond(run, estimate, part):
    """Evaluations beyond that part of those of the run and what a short run may cost beside."""
    evaluations = run.statistics["evaluations"]
    return estimate.cost * evaluations - part * evaluations - FREE / motion_of(run).rows


# ---- problems with known answers -----------------------------------------------------------------
def swing(t, angle=2.0, length=1.0):
    """A point pendulum that is released at rest: elliptic functions."""
    k = np.sin(angle / 2)
    rate = np.sqrt(GRAVITY / length)
    sn = ellipj(ellipk(k * k) - rate * t, k * k)[0]
    return 2 * np.arcsin(k * sn)


def kepler(t, e=0.3):
    """x and y on an orbit with half axis 1 and GM = 1, from pericentre."""
    anomaly = np.array([brentq(lambda E, m=m: E - e * np.sin(E) - m, m - 1, m + 1) for m in t])
    return np.stack([np.cos(anomaly) - e, np.sqrt(1 - e * e) * np.sin(anomaly)], axis=1)


def oscillator(*forces):
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(1, 0, 0), q=1.0)
    spring = ht.JointSpring("slider", stiffness=4.0)
    return ht.Model([body], [slider], forces=[spring, *forces], gravity=(0, 0, 0))


def damped(t, c=0.3):
    """ẍ + 2 c ẋ + 4 x = 0."""
    w = np.sqrt(4 - c * c)
    return np.exp(-c * t) * (np.cos(w * t) + c / w * np.sin(w * t))


def driven(t):
    """ẍ + 4 x = cos 3t."""
    return 1.2 * np.cos(2 * t) - 0.2 * np.cos(3 * t)


def pendulum_on_a_rod():
    """A pendulum whose mass is kept on its circle by a constraint: x and z of a sliding body."""
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    start = (np.sin(2.0), -np.cos(2.0))
    slide = ht.Prismatic("x", "ground", "cart", axis=(1, 0, 0), q=start[0])
    lift = ht.Prismatic("z", "cart", "mass", axis=(0, 0, 1), q=start[1])
    cart = ht.Body("cart", mass=1e-9, inertia=(1, 1, 1))
    rod = ht.Rod("ground", "mass", length=1.0)
    return ht.Model([cart, body], [slide, lift], constraints=[rod], gravity=(0, 0, -GRAVITY))


def circle(t):
    angle = swing(t)
    return np.stack([np.sin(angle), -np.cos(angle)], axis=1)


def two_atoms():
    """Two particles on a spring of stiffness 2 between them, stretched by 1/2 at the start."""
    atom = ht.Particles([(0.0, 0.0, 0.0)])
    bodies = [ht.Body(name, mass=1.0, particles=atom) for name in ("a", "b")]
    joints = [
        ht.Translation(f"at_{body.name}", "ground", body.name, q=(x, 0.0, 0.0))
        for body, x in zip(bodies, (0.0, 1.5), strict=True)
    ]
    bond = ht.PairForce(ht.HarmonicBond(2.0, 1.0))
    return ht.Model(bodies, joints, forces=[bond], gravity=(0, 0, 0))


def stretch(t):
    """x of both: the reduced mass is 1/2."""
    half = 0.25 * np.cos(2 * t)
    zero = np.zeros_like(t)
    return np.stack([0.25 - half, zero, zero, 1.25 + half, zero, zero], axis=1)


PENDULUM = ht.library.pendulum(angle=2.0)
ORBIT = ht.hamiltonian("(p1**2 + p2**2)/2 - 1/sqrt(q1**2 + q2**2)")
PERICENTRE = {"q": [0.7, 0.0], "p": [0.0, np.sqrt(1.3 / 0.7)]}
DAMPER = ht.JointDamper("slider", damping=0.6)
DRIVE = ht.JointLaw("slider", "cos(3*t)")
# name: problem, arguments of the run, exact coordinates
KNOWN = {
    "pendulum, midpoint": (PENDULUM, (10.0, 5e-3, "implicit_midpoint"), {}, swing),
    "pendulum, rk4": (PENDULUM, (10.0, 1e-2, "rk4"), {}, swing),
    "driven, gauss8": (oscillator(DRIVE), (10.0, 0.1, "gauss8"), {}, driven),
    "pendulum, kane": (PENDULUM, (10.0, 1e-2, "gauss4"), {"formulation": "kane_relative"}, swing),
    "damped, rk4": (oscillator(DAMPER), (10.0, 2e-2, "rk4"), {}, damped),
    "damped, adaptive": (oscillator(DAMPER), (10.0, 2e-2, "dormand_prince5"), {}, damped),
    "driven, gauss6": (oscillator(DRIVE), (10.0, 0.1, "gauss6"), {}, driven),
    "driven, rk4": (oscillator(DRIVE), (10.0, 2e-2, "rk4"), {}, driven),
    "orbit, verlet": (ORBIT, (20.0, 1e-2, "stormer_verlet"), PERICENTRE, kepler),
    "orbit, order 6": (ORBIT, (20.0, 5e-2, "yoshida6(stormer_verlet)"), PERICENTRE, kepler),
    "atoms, midpoint": (two_atoms(), (10.0, 1e-2, "implicit_midpoint"), {}, stretch),
    "rod, rattle": (pendulum_on_a_rod(), (5.0, 2e-3, "rattle"), {}, circle),
    "rod, spark4": (pendulum_on_a_rod(), (5.0, 1e-2, "spark4"), {}, circle),
}


def simulate(problem, until, step, integrator, **rest):
    return ht.simulate(problem, until, step, integrator=integrator, progress=False, **rest)


@pytest.mark.parametrize("name", KNOWN)
def test_estimates_are_within_a_factor_of_three_of_the_true_error(name):
    problem, about, rest, exact = KNOWN[name]
    run = simulate(problem, *about, **rest)
    found = estimate_error(run)
    assert abs(found.order - found.method_order) <= 0.5, found.order
    true = np.abs(run.q.values - np.reshape(exact(run.t.values), run.q.shape))
    assert true.max() > 1e3 * 2.0**-52
    common = np.isin(run.t.values, found.dataset.t.values)
    stated = found.dataset.coordinate_error.sel(coordinate=run.q.coordinate.values).values
    moves = np.ptp(run.q.values, axis=0) > 0
    ratio = stated.max(axis=0)[moves] / true[common].max(axis=0)[moves]
    assert (ratio > 1 / 3).all() and (ratio < 3).all(), ratio
    assert spent_beyond(run, found, 0.8) < 0.0


def test_the_error_of_a_long_run_costs_three_quarters_of_it():
    """So long that what short runs may spend beside is less than a tenth."""
    run = simulate(PENDULUM, 400.0, 1e-3, "rk4", save_every=1000)
    assert FREE / motion_of(run).rows < 0.1 * run.statistics["evaluations"]
    assert 0.5 < run.error_estimate().cost < 0.775


def test_errors_of_bodies_are_those_of_their_coordinates():
    end = simulate(PENDULUM, 5.0, 1e-2, "rk4").error_estimate().at_end()
    assert end.angle_error.item() == pytest.approx(end.coordinate_error.item(), rel=1e-6)
    end = simulate(oscillator(DAMPER), 5.0, 1e-2, "rk4").error_estimate().at_end()
    assert end.position_error.item() == pytest.approx(end.coordinate_error.item(), rel=1e-6)


@pytest.mark.parametrize(
    ("model", "integrator", "step"),
    [
        (damped_pendulum(), "gauss8", 2e-2),  # longer steps show a lower order: 25 times too large
        (damped_pendulum(), "gauss6", 4e-2),  # the right one, where they are too small by three
        (ht.library.pendulum(angle=2.0), "rk4", 5e-2),  # a higher one
    ],
)
def test_an_error_whose_order_is_not_seen_is_measured_by_half_the_step(model, integrator, step):
    run = simulate(model, 5.0, step, integrator)
    estimate, line = judged(run)
    assert estimate.number == pytest.approx(true_error(model, run, step, None).max(), rel=0.05)
    assert line.sentence.endswith(f"that of the method is {estimate.method_order}.")
    assert "by half the step: longer ones show order" in line.sentence
    brief = estimate_error(run, is_brief=True)
    assert brief.cost < 1.0 and "half the step" not in brief.reason


# ---- chaotic motion ------------------------------------------------------------------------------
CHAOTIC = [
    (2.0, "gauss8", 1e-3, 40.0),  # rounding
    (2.0, "gauss8", 5e-3, 40.0),
    (2.0, "gauss6", 1e-2, 30.0),  # no clear order
    (2.0, "gauss4", 5e-3, 20.0),
    (2.0, "rk4", 5e-3, 20.0),
    (2.0, "rk4", 1e-2, 20.0),
    (2.0, "implicit_midpoint", 1e-3, 15.0),
    (2.0, "dop853", 5e-3, 30.0),
    ((1.97, 2.54), "gauss8", 5e-3, 40.0),  # errors stand still before they grow
    ((2.27, -2.04), "gauss8", 5e-3, 40.0),  # longer steps show a higher order
    ((2.18, -2.33), "gauss4", 2e-2, 20.0),  # a narrow peak of the error
]


@pytest.mark.parametrize(("angles", "integrator", "step", "until"), CHAOTIC)
def test_the_horizon_of_a_double_pendulum_is_where_a_precise_run_departs(
    angles, integrator, step, until
):
    model = ht.library.n_pendulum(2, angles=angles)
    run = simulate(model, until, step, integrator)
    estimate, line = judged(run)
    early, late = estimate.horizon_range
    assert estimate.is_chaotic
    assert estimate.horizon == pytest.approx(departure(model, run, step).of_angles, rel=0.2)
    assert early < estimate.horizon < late
    assert f"Determined until t = {estimate.horizon:.3g} s" in line.sentence
    assert line.details["horizon"] == estimate.horizon


def test_a_horizon_near_which_errors_stand_still_is_told_with_its_range():
    run = simulate(ht.library.n_pendulum(2, angles=3.0), 20.0, 1e-2, "rk4")
    estimate, line = judged(run)
    early, late = estimate.horizon_range
    assert late > 1.2 * estimate.horizon
    words = f"({early:.3g} to {late:.3g} s if the estimate is off by a factor of 3)"
    assert f"Determined until t = {estimate.horizon:.3g} s {words}" in line.sentence
    sharp = judged(simulate(ht.library.n_pendulum(2, angles=2.0), 20.0, 1e-2, "rk4"))[1]
    assert "if the estimate is off" not in sharp.sentence


def test_chaotic_errors_that_stand_still_for_long_are_not_taken_for_regular_ones():
    """From 8.8 s to 12.8 s they do not grow."""
    run = simulate(ht.library.n_pendulum(2, angles=(2.31, 0.32)), 20.0, 2e-3, "rk4")
    estimate, line = judged(run)
    assert estimate.is_chaotic and estimate.own_error < 1e-4
    assert "errors grow exponentially" in line.sentence and line.verdict != BAD


def test_errors_that_are_extrapolated_are_called_so():
    run = simulate(ht.library.n_pendulum(2, angles=(2.19, -0.87)), 40.0, 5e-3, "gauss8")
    estimate, line = judged(run)
    since = estimate.extrapolated_from
    assert since < (estimate.horizon or 40.0)
    assert f"extrapolated from t = {since:.3g} s on" in line.sentence
    coordinate = estimate.dataset.coordinate_error
    assert np.isfinite(coordinate.sel(t=since)).all() and np.isnan(coordinate.isel(t=-1)).all()


def test_a_chaotic_chain_at_defaults_is_determined_until_a_time_that_is_no_bad_verdict():
    run = ht.simulate(ht.library.chain(10), 12.0, progress=False)
    estimate, line = judged(run)
    assert line.verdict == DETERMINED and worst_verdict([line]) == GOOD
    assert 7.0 < estimate.horizon < 10.0
    assert estimate.own_error < 1e-12


def test_a_long_run_is_determined_until_the_time_that_its_beginning_says():
    """Of its own samples two lie before that time: they do not show how errors grow."""
    model = ht.library.n_pendulum(2, angles=2.0)
    short = simulate(model, 40.0, 5e-3, "gauss8")
    long = ht.simulate(model, 400.0, 5e-3, integrator="gauss8", save_every=1600, progress=False)
    estimate, line = judged(long)
    assert line.verdict == DETERMINED and estimate.own_error < 1e-6
    assert estimate.horizon == pytest.approx(judged(short)[0].horizon, rel=0.05)
    assert estimate.cost < 0.75 and estimate.end == estimate.dataset.t.values[-1] == 400.0
    errors = estimate.dataset.relative_error
    assert float(errors.sel(t=slice(0.0, 0.9 * estimate.horizon)).max()) < 0.1
    assert (
        float(errors[-1]) == estimate.number and np.isnan(estimate.at_end().coordinate_error).all()
    )


def test_a_chaotic_run_with_a_long_step_is_not_excused():
    run = simulate(ht.library.n_pendulum(2, angles=2.0), 10.0, 2e-2, "implicit_midpoint")
    assert judged(run)[1].verdict == BAD


# ---- verdicts ------------------------------------------------------------------------------------
def satellite_with_a_boom():
    bus = ht.Body("bus", mass=1000.0, inertia=(500.0, 500.0, 500.0))
    boom = ht.Body("boom", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1))
    free = ht.Free("free", "ground", "bus", qdot=(0, 0, 0, 0, 0, 0.05))
    hinge = ht.Revolute("hinge", "bus", "boom", axis=(0, 0, 1), on_parent=(1, 0, 0), q=0.5)
    spring = ht.JointSpring("hinge", stiffness=400.0)
    return ht.Model([bus, boom], [free, hinge], forces=[spring], gravity=(0, 0, 0))


def test_midpoint_on_a_boom_is_bad_where_its_energy_is_good():
    run = simulate(satellite_with_a_boom(), 20.0, 2e-3, "implicit_midpoint")
    estimate, line = judged(run)
    assert run.energy_error < 1e-6
    assert line.verdict == BAD
    assert float(estimate.dataset.coordinate_error.sel(coordinate="hinge").max()) == pytest.approx(
        0.13, rel=0.1
    )
    assert judged(simulate(satellite_with_a_boom(), 2.0, 2e-3, "gauss8"))[1].verdict == GOOD


@pytest.mark.parametrize("make", [ht.library.four_bar, ht.library.top, ht.library.free_body])
def test_models_at_defaults_are_good(make):
    assert judged(ht.simulate(make(), 1.0, progress=False))[1].verdict == GOOD


@pytest.mark.parametrize("name", ["andrews", "pendulum", "problem_11_7"])
def test_a_model_of_the_library_at_defaults_has_no_line_that_is_not_good(name):
    """All of them: python -m tests.verdict.library."""
    found = judge(name)
    assert found.is_good, found.bad_lines or found.failure


def test_a_wheel_that_turns_often_does_not_hide_a_wrong_angle():
    wheel = ht.Body("wheel", mass=1.0, inertia=(1, 1, 1))
    hinge = ht.Revolute("axle", "ground", "wheel", axis=(0, 0, 1), qdot=300.0)
    rocking = ht.JointPotential("axle", "300*cos(q)")
    model = ht.Model([wheel], [hinge], forces=[rocking], gravity=(0, 0, 0))
    run = simulate(model, 10.0, 2e-3, "implicit_midpoint")
    precise = simulate(
        model, 10.0, 2e-4, "gauss8", save_every=10 * int(run.provenance["save_every"])
    )
    estimate = run.error_estimate()
    true = float(np.abs(run.q.values - precise.q.values).max())
    assert np.ptp(run.q.values) > 1e3
    assert true / 3 < estimate.number < 3 * true


# ---- without an estimate -------------------------------------------------------------------------
def test_what_rests_has_no_estimate_and_no_bad_verdict():
    estimate, line = judged(ht.simulate(ht.library.pendulum(), 0.1, progress=False))
    assert estimate.number is None and line.verdict == NOTE
    assert "nothing moves" in line.sentence


def test_inputs_that_changed_on_the_way_are_said_to_prevent_an_estimate():
    motor = ht.JointInput("hinge1", name="motor")
    model = ht.library.n_pendulum(1, angles=0.5).with_(forces={"motor": motor})
    sim = ht.simulator(model, step=1e-2, integrator="rk4")
    held = sim.run(1.0, inputs={"motor": 1.5})
    assert held.error_estimate().number < 1e-6
    sim.set(inputs={"motor": 1.0})
    sim.step(50)
    sim.set(inputs={"motor": -1.0})
    sim.step(50)
    estimate, line = judged(sim.trajectory())
    assert line.verdict == NOTE and "inputs were changed" in estimate.reason


def test_a_stop_takes_the_order_away_and_is_named():
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=0.1)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=1e5)
    model = ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81))
    estimate, line = judged(simulate(model, 1.0, 1e-3, "gauss8"))
    assert "stops take away the order" in estimate.reason
    assert line.verdict != GOOD


def test_where_twice_the_step_is_unstable_half_of_it_is_taken_over_the_beginning():
    fast = oscillator(ht.JointSpring("slider", stiffness=1e4, name="stiff"))
    run = simulate(fast, 2.0, 0.02, "rk4")
    estimate = run.error_estimate()
    assert "twice the step does not do" in estimate.reason
    assert estimate.number > 1e-3
    assert spent_beyond(run, estimate, 1.0) < 0.0


def test_rounding_is_called_so():
    estimate, line = judged(ht.simulate(ht.library.pendulum(angle=1.0), 2.0, progress=False))
    assert "rounding" in estimate.reason and line.verdict == GOOD
    assert estimate.number < 1e-13


# ---- runs of every kind --------------------------------------------------------------------------
def test_a_run_from_a_file_has_the_estimate_of_the_run_in_memory(tmp_path):
    model = ht.library.n_pendulum(2, angles=0.5)
    run = simulate(model, 2.0, 1e-2, "rk4", q=[0.3, -0.2], save_every=3)
    run.save(tmp_path / "run.nc")
    read = ht.Trajectory.load(tmp_path / "run.nc")
    assert read.error_estimate().number == run.error_estimate().number
    assert json.dumps(answer_line(read.error_estimate(), Thresholds()).as_dict())


@pytest.mark.parametrize(
    ("until", "save_every"), [(2.0, 1), (2.0, 7), (2.0037, 4), (2.01, 1000)], ids=str
)
def test_the_end_is_compared_whatever_was_saved(until, save_every):
    model = ht.library.n_pendulum(2, angles=0.5)
    run = simulate(model, until, 1e-2, "rk4", save_every=save_every)
    whole = simulate(model, until, 1e-2, "rk4", save_every=1).error_estimate().at_end()
    end = run.error_estimate().at_end()
    assert float(end.t) == until
    np.testing.assert_allclose(end.coordinate_error, whole.coordinate_error, rtol=0.2, atol=1e-10)


def test_a_run_that_went_on_from_another_is_made_again_from_its_own_start():
    sim = ht.simulator(ht.library.n_pendulum(2, angles=0.5), step=1e-2, integrator="rk4")
    later = sim.run(3.0, resume=sim.run(1.23))
    found = later.error_estimate()
    assert found.order == pytest.approx(4.0, abs=0.5)
    assert float(found.dataset.t[0]) == 1.23


KINDS = {
    "ode": (ht.ode({"x": "y", "y": "-sin(x)"}), 5.0, 1e-2, "rk4", {"y": [1.0, 0.0]}),
    "reversible": (ORBIT, 10.0, 1e-2, "reversible(stormer_verlet)", PERICENTRE),
    "tao": (ORBIT, 5.0, 1e-2, "tao4", PERICENTRE),
    "quaternion": (ht.library.free_body(), 2.0, 1e-2, "gauss4", {}),
    "loops": (ht.library.four_bar(), 1.0, 5e-3, "spark4", {}),
    "absolute": (ht.library.four_bar(), 1.0, 1e-3, "rk4", {"formulation": "cartesian_3"}),
    "adaptive": (ht.library.n_pendulum(2, angles=0.5), 2.0, 1e-2, "dormand_prince5", {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_run_has_an_estimate_within_the_cost(kind):
    problem, until, step, integrator, rest = KINDS[kind]
    run = simulate(problem, until, step, integrator, **rest)
    found = run.error_estimate()
    assert 1e-14 < found.number < 1e-2
    assert spent_beyond(run, found, 0.85) < 0.0
    if found.order is not None and kind != "adaptive":
        assert found.order == pytest.approx(found.method_order, abs=0.6)


@pytest.mark.parametrize("kind", ["quaternion", "loops", "adaptive"])
def test_an_estimate_leaves_the_engine_that_it_shares_as_it_found_it(kind):
    problem, until, step, integrator, _ = KINDS[kind]
    first = simulate(problem, until, step, integrator)
    (kept,) = [
        sim for sim in vars(problem)["_simulators"].values()
        if (sim.setup.step, sim.setup.integrator.name) == (step, integrator)
    ]  # fmt: skip
    before = kept.setup, kept.own, kept.shared
    found, again = first.error_estimate(), first.error_estimate()
    assert (kept.setup, kept.own, kept.shared) == before and not kept.lock.locked()
    second = simulate(problem, until, step, integrator)
    np.testing.assert_array_equal(second.q.values, first.q.values)
    np.testing.assert_array_equal(again.dataset.relative_error, found.dataset.relative_error)


def test_an_estimate_does_not_depend_on_whose_engine_it_has():
    model = ht.library.n_pendulum(2, angles=0.5)
    shared = simulate(model, 2.0, 1e-2, "rk4").error_estimate()
    own = ht.simulator(model, 1e-2, integrator="rk4").run(2.0, save_every=1).error_estimate()
    np.testing.assert_array_equal(shared.dataset.relative_error, own.dataset.relative_error)


def test_inputs_of_a_run_are_those_of_its_repetitions_and_no_others():
    model = ht.library.pendulum(angle=0.5).with_(forces=[ht.JointInput("hinge", name="motor")])
    pushed = simulate(model, 2.0, 1e-2, "rk4", inputs={"motor": 2.0})
    free = simulate(model, 2.0, 1e-2, "rk4")
    assert not np.array_equal(pushed.q.values, free.q.values)
    for run in (pushed, free):
        assert run.error_estimate().order == pytest.approx(4.0, abs=0.5)
    np.testing.assert_array_equal(simulate(model, 2.0, 1e-2, "rk4").q.values, free.q.values)


def test_an_adaptive_run_goes_on_in_another_simulator_where_it_ended():
    about = {"step": 1e-2, "integrator": "dop853"}
    model = ht.library.n_pendulum(2, angles=0.5)
    first = ht.simulator(model, **about).run(1.0, save_every=7)
    later = ht.simulator(model, **about).run(2.0, save_every=7, resume=first)
    assert (np.diff(later.t.values) > 0).all()


def test_the_blocks_of_the_page_run_one_after_the_other(capsys):
    page = Path(__file__).parents[2] / "docs" / "error-of-the-answer.md"
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert len(blocks) == 3
    exec("\n".join(blocks), {})
    assert "over the first 1.28 s (error of the answer)" in capsys.readouterr().out
