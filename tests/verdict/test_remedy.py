"""Remedies that were tried on a window: what they promise holds for the whole run, and all tries
together cost no more than the run or some milliseconds.
"""

import pytest

import hamiltree as ht
from hamiltree.trajectory.lines import DETERMINED, GOOD, Line, Thresholds, worst_verdict
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.verdict import remedy
from hamiltree.verdict.answer import answer_line
from hamiltree.verdict.coarser_runs import FREE, motion_of

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
DOUBLE = ht.library.n_pendulum(2, angles=1.0)
ORBIT = ht.hamiltonian("p**2/2 - cos(q)")
POOR = {
    "rk4": (DOUBLE, 10.0, 1e-2, {"integrator": "rk4"}),
    "midpoint": (DOUBLE, 10.0, 1e-2, {"integrator": "implicit_midpoint"}),
    "drift": (ht.library.pendulum(angle=2.0), 100.0, 5e-2, {"integrator": "rk4"}),
    "loops": (ht.library.four_bar(), 2.0, 1e-2, {"integrator": "rattle"}),
    "hamiltonian": (ORBIT, 200.0, 0.1, {"integrator": "stormer_verlet", "q": [1.0], "p": [0.0]}),
    "very bad": (ht.library.n_pendulum(2, angles=2.0), 5.0, 5e-2, {"integrator": "rk4"}),
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


def test_a_good_run_needs_no_remedy():
    assert remedy.tried_remedy(simulate(DOUBLE, 1.0, 1e-3)) is None


@pytest.mark.parametrize("name", POOR)
def test_all_tries_together_cost_no_more_than_the_run_or_some_milliseconds(name):
    problem, until, step, rest = POOR[name]
    run = simulate(problem, until, step, **rest)
    poor = remedy.poor_lines(lines_of(run), Thresholds())
    tries = remedy.Tries(run, poor, run.error_estimate(), Thresholds())
    tries.make()
    beside = FREE / motion_of(run).rows / run.statistics["evaluations"]
    assert 0.0 < tries.spent <= 1.1 * max(1.0, beside)


def test_what_was_tried_in_vain_is_told():
    run = simulate(DOUBLE, 2.0, 1e-2, integrator="rk4")
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
