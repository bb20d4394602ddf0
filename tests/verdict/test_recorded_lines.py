"""Lines of a report that a run has recorded anyway: what is wrong in one way is called so there."""

import json
import warnings

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.trajectory.lines import BAD, DOUBTFUL, GOOD, NOTE, Thresholds, thresholds_from
from hamiltree.trajectory.recorded_lines import energy_line
from tests.similarity.scaling import SCALES, enlarge, units_of

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")


def verdicts(run):
    return {line.name: line.verdict for line in run.report(error=False, ledger=False)}


def falling_on_a_stop(stiffness):
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=0.1)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=stiffness)
    return ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81))


@pytest.mark.parametrize(("step", "word"), [(0.01, GOOD), (0.04, DOUBTFUL), (0.08, BAD)])
def test_the_drift_of_rk4_is_found_by_the_energy_balance_alone(step, word):
    run = ht.simulate(ht.library.pendulum(angle=2.0), 200.0, step, integrator="rk4", progress=False)
    found = verdicts(run)
    assert found.pop("energy balance") == word
    assert set(found.values()) <= {GOOD, NOTE}
    assert run.verdict == word


def test_a_loose_constraint_is_found_by_its_residual_with_the_joint():
    about = {"formulation": "cartesian_3", "integrator": "rk4", "projection": False}
    run = ht.simulate(ht.library.four_bar(), 3.0, 1e-2, **about, progress=False)
    line = run.report(error=False, ledger=False)["constraints, position"]
    assert line.verdict == BAD
    assert verdicts(run)["constraints, speed"] == BAD
    assert line.details["part"] in run.constraint_residuals["constraint"].values
    kept = ht.simulate(ht.library.four_bar(), 0.5, 1e-3, progress=False)
    assert verdicts(kept)["constraints, position"] == GOOD


def hung_by_two_rods(apart):
    """A plate in the plane x-y by two rods to one point, almost the same one."""
    plate = ht.Body("plate", mass=1.0, com=(0.3, 0, 0), inertia=(0.1, 0.1, 0.1))
    rods = [
        ht.Rod("ground", "plate", at_a=(x, 1.0, 0.0), name=name)
        for x, name in ((0.0, "left"), (apart, "right"))
    ]
    joint = ht.Planar("plane", "ground", "plate")
    return ht.Model([plate], [joint], constraints=rods, gravity=(0, -9.81, 0))


def test_constraints_that_are_almost_the_same_are_found_by_their_independence():
    run = ht.simulate(hung_by_two_rods(1e-6), 0.02, progress=False)
    line = run.report(error=False, ledger=False)["independence"]
    assert line.verdict == DOUBTFUL and "'right'" in line.sentence
    assert 1e-7 < line.number < 1e-6  # the sine between the rods is 1e-6, in any metric less
    apart = ht.simulate(hung_by_two_rods(0.1), 0.02, progress=False)
    assert verdicts(apart)["independence"] == GOOD


def test_a_spring_that_is_too_stiff_for_iterations_is_said_to_need_newton():
    model = ht.library.pendulum(angle=1.0)
    stiff = model.with_(forces=[ht.JointSpring(model.joints[0].name, 1e7)])
    soft, hard = (ht.simulate(one, 0.05, 1e-2, progress=False) for one in (model, stiff))
    lines = [run.report(error=False, ledger=False)["iterations"] for run in (soft, hard)]
    assert ["Newton's method took over" in line.sentence for line in lines] == [False, True]


def test_a_stop_that_is_too_stiff_for_the_step_is_named():
    run = ht.simulate(falling_on_a_stop(1e8), 0.05, progress=False)
    line = run.report(error=False, ledger=False)["stops and friction"]
    assert line.verdict == BAD and "slider" in line.sentence
    soft = ht.simulate(falling_on_a_stop(1e3), 0.05, progress=False)
    assert verdicts(soft)["stops and friction"] == GOOD


def test_a_stop_that_was_reached_with_steps_longer_than_advised_is_doubtful():
    model = falling_on_a_stop(9e4)  # h ω = 0.3
    lines = [
        ht.simulate(model, until, 1e-3, progress=False).report(error=False, ledger=False)
        for until in (0.05, 2.0)
    ]
    before, after = (report["stops and friction"] for report in lines)
    assert before.verdict == GOOD and before.sentence == "Steps can follow them."
    assert after.verdict == DOUBTFUL and "was reached, and loses accuracy" in after.sentence
    assert lines[1]["energy balance"].verdict != GOOD
    better = ht.simulate(model, 2.0, after.details["step"], progress=False)
    sentence = better.report(error=False, ledger=False)["stops and friction"].sentence
    assert sentence.startswith("Steps can follow them; a stop that was reached")


def test_a_stop_that_samples_do_not_show_is_not_said_to_be_reached():
    """The mass falls for 0.13 s, and would come as far as the stop after 0.143 s."""
    reports = [
        ht.simulate(falling_on_a_stop(stiffness), 0.13, 1e-3, save_every=65, progress=False).report(
            error=False, ledger=False
        )
        for stiffness in (9e4, 1e3)
    ]
    stiff, soft = (report["stops and friction"] for report in reports)
    words = "may have been reached between samples"
    assert stiff.verdict == DOUBTFUL and f"{words}, and would lose accuracy" in stiff.sentence
    assert soft.verdict == GOOD and words in soft.sentence
    assert not any("was reached" in line.sentence for line in (stiff, soft))


def test_a_step_in_which_a_body_turns_far_is_called_long():
    top = ht.library.free_body()
    fast = top.with_(joints={top.joints[0].name: {"qdot": (0, 0, 0, 900.0, 0, 0)}})
    assert verdicts(ht.simulate(fast, 0.1, 1e-3, progress=False))["step"] == DOUBTFUL
    assert verdicts(ht.simulate(fast, 0.1, 1e-4, progress=False))["step"] == GOOD
    assert verdicts(ht.simulate(fast, 0.1, 2.5e-3, progress=False))["step"] == BAD


def test_drifted_quaternions_are_found_by_their_norm():
    run = ht.simulate(ht.library.free_body(), 20.0, 0.1, integrator="rk4", progress=False)
    assert verdicts(run)["quaternion norms"] != GOOD
    good = ht.simulate(ht.library.free_body(), 1.0, progress=False)
    assert verdicts(good)["quaternion norms"] == GOOD


def test_a_model_at_rest_gets_a_note_and_is_not_bad():
    with pytest.warns(ht.AccuracyWarning, match="Nothing moves"):
        run = ht.simulate(ht.library.pendulum(), 0.1, progress=False)
    report = run.report(error=False, ledger=False)
    assert report["motion"].verdict == NOTE
    assert report.verdict == GOOD


def test_a_run_that_is_good_says_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ht.simulate(ht.library.chain(3), 0.5, progress=False)
    assert run.verdict == GOOD and repr(run).endswith("complete, good>")


@pytest.mark.parametrize("scale", SCALES)
def test_numbers_of_the_lines_are_the_same_in_all_units(scale):
    model, units = ht.library.four_bar(), units_of(*SCALES[scale])
    options = {"integrator": "rk4", "projection": False, "progress": False}
    one = ht.simulate(model, 0.25, 2.0**-9, "cartesian_3", **options)
    time = units.time
    other = ht.simulate(
        enlarge(model, units), 0.25 * time, 2.0**-9 * time, "cartesian_3", **options
    )
    lines = {line.name: line for line in one.report(error=False, ledger=False)}
    assert {"energy balance", "constraints, position", "constraints, speed"} <= lines.keys()
    assert [(line.name, line.verdict) for line in other.report(error=False, ledger=False)] == [
        (line.name, line.verdict) for line in lines.values()
    ]
    for line in other.report(error=False, ledger=False):
        same = lines[line.name].number
        assert line.number == (same if same is None else pytest.approx(same, rel=1e-9))


def test_thresholds_are_changed_by_name_and_refused_by_name():
    run = ht.simulate(ht.library.pendulum(angle=2.0), 100.0, 0.05, integrator="rk4", progress=False)
    number = run.report(error=False, ledger=False)["energy balance"].number
    strict = run.report(error=False, ledger=False, thresholds={"energy": (number / 4, number / 2)})
    loose = run.report(error=False, ledger=False, thresholds=Thresholds(energy=(2 * number, 1.0)))
    assert strict["energy balance"].verdict == BAD and loose["energy balance"].verdict == GOOD
    with pytest.raises(ht.OptionError, match="did you mean 'energy'"):
        thresholds_from({"energie": (1, 2)})
    with pytest.raises(ht.OptionError, match="energy = 3; give two numbers"):
        thresholds_from({"energy": 3})


def test_a_report_can_be_read_by_line_and_printed_in_every_form():
    report = ht.simulate(ht.library.chain(2), 0.1, progress=False).report(error=False, ledger=False)
    with pytest.raises(ht.OptionError, match="did you mean 'energy balance'"):
        report["energy balanc"]
    read = json.loads(report.json())
    assert read["verdict"] == "good" and read["about"]["integrator"] == "gauss8"
    for text in (str(report), report.markdown(), report.html()):
        assert all(line.name in text and line.verdict in text for line in report)


def test_exchanged_energy_is_what_the_motion_exchanges_not_what_a_flywheel_holds():
    """A wheel that spins fast stores energy that nobody exchanges."""
    wheel = ht.Body("wheel", mass=1.0, inertia=(1, 1, 1))
    rod = ht.Body("rod", mass=1.0, com=(0.0, -1.0, 0), inertia=(0.1, 0.1, 0.1))
    joints = [
        ht.Revolute("spin", "ground", "wheel", axis=(0, 0, 1), qdot=10.0),
        ht.Revolute("swing", "ground", "rod", axis=(0, 0, 1), q=0.5),
    ]
    model = ht.Model([wheel, rod], joints, gravity=(0, -9.81, 0))
    run = ht.simulate(model, 2.0, 1e-2, progress=False)
    line = run.report(error=False, ledger=False)["energy balance"]
    swing = 9.81 * (1 - np.cos(0.5))
    assert line.details["exchanged"] == pytest.approx(swing, rel=1e-3)


def test_the_step_of_a_run_that_ends_at_zero_is_judged_by_its_own_length():
    top = ht.library.free_body()
    fast = top.with_(joints={top.joints[0].name: {"qdot": (0, 0, 0, 900.0, 0, 0)}})
    run = ht.simulate(fast, 0.0, 1e-3, t=-0.1, progress=False)
    line = run.report(error=False, ledger=False)["step"]
    assert line.verdict == DOUBTFUL and line.number == pytest.approx(0.9, rel=1e-6)


def test_steps_of_a_simulator_are_judged_by_what_they_hold():
    """Such a run has no other end than its last step, and nobody knows how long it took."""
    sim = ht.simulator(ht.library.n_pendulum(2, angles=1.0), step=1e-3)
    sim.step(100)
    run = sim.trajectory()
    report = run.report()
    assert run.verdict == report.verdict == GOOD
    assert "it is not known how long the run took" in report["error of the answer"].sentence


@pytest.mark.parametrize(("size", "verdict"), [(50.0, BAD), (0.2, DOUBTFUL)])
def test_an_energy_that_is_off_by_half_of_what_is_exchanged_is_bad_though_it_comes_back(
    size, verdict
):
    """The error is itself a part of what seems to be exchanged."""
    model = ht.library.pendulum(angle=1.0)
    record = ht.simulate(model, 10.0, 1e-3, progress=False).dataset.copy(deep=True)
    record["potential_energy"] += size * np.sin(record.t) ** 2
    line = energy_line(ht.Trajectory(record, model), Thresholds())
    assert line.verdict == verdict and (line.number > 0.5) == (verdict == BAD)
    assert line.number > 1e-3
