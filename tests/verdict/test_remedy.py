"""Remedies that were tried on a window: what they promise holds for the whole run, and all tries
together cost no more than the run.
"""

import math
from types import SimpleNamespace

import pytest

import hamiltree as ht
from hamiltree import StepError
from hamiltree.trajectory.lines import DETERMINED, GOOD, Line, Thresholds, worst_verdict
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.verdict import remedy
from hamiltree.verdict.answer import answer_line
from hamiltree.verdict.repetition import Repetition

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
DOUBLE = ht.library.n_pendulum(2, angles=1.0)
ORBIT = ht.hamiltonian("p**2/2 - cos(q)")
POOR = {
    "rk4": (DOUBLE, 10.0, 1e-2, {"integrator": "rk4"}),
    "midpoint": (DOUBLE, 10.0, 1e-2, {"integrator": "implicit_midpoint"}),
    "drift": (ht.library.pendulum(angle=2.0), 100.0, 5e-2, {"integrator": "rk4"}),
    "loops": (ht.library.four_bar(), 2.0, 1e-2, {"integrator": "rattle"}),
    "hamiltonian": (ORBIT, 200.0, 0.1, {"integrator": "stormer_verlet", "q": [1.0], "p": [0.0]}),
    "very bad": (ht.library.n_pendulum(2, angles=2.0), 20.0, 4e-2, {"integrator": "rk4"}),
    "adaptive": (DOUBLE, 10.0, 1e-2, {"integrator": "dormand_prince5", "rtol": 1e-5}),
}


def simulate(problem, until, step, **rest):
    return ht.simulate(problem, until, **{"step": step, **rest}, progress=False)


def lines_of(run):
    return [
        *recorded_lines(run, Thresholds()),
        answer_line(run.error_estimate(), Thresholds()),
    ]


@pytest.mark.parametrize("name", POOR)
def test_what_was_tried_makes_the_whole_run_good(name):
    problem, until, step, rest = POOR[name]
    run = simulate(problem, until, step, **rest)
    found = remedy.tried_remedy(run)
    assert found is not None and found.works, found
    assert found.after < found.before
    assert found.words.startswith(next(iter(found.arguments)))
    better = simulate(problem, until, **{"step": step, **rest, **found.arguments})
    lines = lines_of(better)
    assert worst_verdict(lines) == GOOD
    number, verdict = next((line.number, line.verdict) for line in lines if line.name == found.line)
    good = getattr(Thresholds(), remedy.MEASURED[found.line])[0]
    assert number < good or verdict == DETERMINED


@pytest.mark.parametrize("angle", [1.6, 2.0, 2.6])
def test_a_method_must_do_where_the_motion_is_fast_too(angle):
    """Gauss-8 with the same step is good at the calm beginning, and not where these pendulums turn
    over.
    """
    model = ht.library.n_pendulum(2, angles=angle)
    run = simulate(model, 20.0, 2e-2, integrator="rk4")
    run.remedy = None
    found = remedy.tried_remedy(run)
    assert found.works and "step" in found.arguments
    advised = {"integrator": "rk4", **found.arguments}
    assert worst_verdict(recorded_lines(simulate(model, 20.0, **advised), Thresholds())) == GOOD
    same_step = simulate(model, 20.0, 2e-2, integrator="gauss8")
    assert worst_verdict(recorded_lines(same_step, Thresholds())) != GOOD


def test_a_good_run_needs_no_remedy():
    assert remedy.tried_remedy(simulate(DOUBLE, 1.0, 1e-3)) is None


def count_evaluations(monkeypatch):
    """A list that receives the evaluations of every run that is made again."""
    counted, again, beside = [], Repetition.again, Repetition.beside

    def counting_again(*arguments, **rest):
        try:
            made = again(*arguments, **rest)
        except StepError as error:
            counted.append(error.trajectory.statistics["evaluations"])
            raise
        counted.append(made.statistics["evaluations"])
        return made

    def counting_beside(self, factor, every, place, use):
        def used(other):
            found = use(other)
            counted.append(other.evaluations)
            return found

        return beside(self, factor, every, place, used)

    monkeypatch.setattr(Repetition, "again", counting_again)
    monkeypatch.setattr(Repetition, "beside", counting_beside)
    return counted


@pytest.mark.parametrize("part", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("name", POOR)
def test_all_tries_of_warning_and_report_together_take_no_more_evaluations_than_the_run(
    monkeypatch, name, part
):
    problem, until, step, rest = POOR[name]
    counted = count_evaluations(monkeypatch)
    run = simulate(problem, part * until, step, **rest)  # with the tries of its warning
    estimate = run.error_estimate()
    warned = sum(counted) - estimate.cost * run.statistics["evaluations"]
    counted.clear()
    lines = [*recorded_lines(run, Thresholds()), answer_line(estimate, Thresholds())]
    found = remedy.tried_remedy(run, lines, estimate)
    evaluations = warned + sum(counted)
    assert evaluations <= run.statistics["evaluations"]
    if found is not None:
        assert found.cost == pytest.approx(evaluations / run.statistics["evaluations"])
        assert (found.cost > 0.0) != found.words.startswith("no remedy was tried")


def test_a_run_too_short_for_a_try_says_so():
    with pytest.warns(ht.AccuracyWarning, match="no remedy was tried: a run of 20 steps is too"):
        simulate(ht.library.pendulum(angle=2.0), 1.0, 5e-2, integrator="rk4")


def test_a_method_that_needs_much_shorter_steps_is_not_tried_with_them():
    with pytest.warns(ht.AccuracyWarning, match=r"would need steps shorter than 1/64 of these"):
        simulate(ht.library.four_bar(), 2.0, 1e-2, integrator="rattle")


def test_nothing_is_claimed_of_a_window_that_does_not_show_what_is_wrong():
    """A body that meets a stop half a second before the end."""
    body = ht.Body("mass", mass=1.0, inertia=(1, 1, 1))
    slider = ht.Prismatic("slider", "ground", "mass", axis=(0, 0, 1), q=11.0)
    stop = ht.JointLimit("slider", lower=0.0, stiffness=9e4)
    model = ht.Model([body], [slider], forces=[stop], gravity=(0, 0, -9.81))
    with pytest.warns(ht.AccuracyWarning, match=r"does not show in the first 0\.252 s"):
        run = simulate(model, 2.0, 1e-3)
    assert run.remedy.cost == 0.0 and not run.remedy.works


def test_the_report_tells_the_remedy_of_the_warning(monkeypatch):
    with pytest.warns(ht.AccuracyWarning) as told:
        run = simulate(ht.library.pendulum(angle=2.0), 100.0, 5e-2, integrator="rk4")
    counted = count_evaluations(monkeypatch)
    line = run.report(error=False)["remedy"]
    assert line.sentence.rstrip(".") in str(told[0].message)
    assert not counted
    assert "remedy" not in [line.name for line in run.report(error=False, remedy=False)]


def test_what_was_tried_in_vain_is_told():
    run = simulate(DOUBLE, 10.0, 1e-2, integrator="rk4")
    asked = {"answer": (1e-30, 1e-29)}
    line = Line("error of the answer", 1e-4, "of the motion", "bad", "", {"own_error": 1e-4})
    found = remedy.tried_remedy(run, [line], thresholds=Thresholds(**asked))
    assert found is not None and not found.works
    assert "not enough" in found.words and "gauss8" in found.words
    assert found.arguments == {}


def test_a_run_that_cannot_be_made_again_has_no_remedy():
    motor = ht.JointInput("hinge1", name="motor")
    sim = ht.simulator(DOUBLE.with_(forces={"motor": motor}), step=5e-2, integrator="rk4")
    for torque in (1.0, -1.0):
        sim.set(inputs={"motor": torque})
        sim.step(40)
    run = sim.trajectory()
    assert any(line.verdict != GOOD for line in lines_of(run))
    assert remedy.tried_remedy(run) is None


def test_a_try_that_goes_wrong_altogether_is_not_told_by_a_number_that_is_none():
    window = SimpleNamespace(window=2.0, unit=" s")
    candidate = remedy.Candidate({"step": 0.01}, 0.5, 2.0)
    told = remedy.Tries.describe(window, candidate, 0.1, math.nan)
    assert told == "step=0.01 (goes wrong altogether in 2 s)"
