"""Lines of a full report: what a method claims is found to hold, and a run that is wrong in one
way is called so by the line about that.
"""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.catalogue import BY_NAME
from hamiltree.trajectory.lines import BAD, DOUBTFUL, GOOD, NOTE, Thresholds
from hamiltree.verdict import full
from hamiltree.verdict.answer import AnswerError

pytestmark = pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
PENDULUM = ht.library.n_pendulum(2, angles=1.0)


@pytest.fixture
def add_integrator():
    """Adds an integrator under a name of its own for one test."""
    added = []

    def add(base, name, off=None, **claims):
        method = find_integrator(base)
        if off is not None:
            field, index, by = off
            values = getattr(method.method, field).copy()
            values[index] += by
            method = method.with_method(**{field: values})
        INTEGRATORS[name] = replace(method, name=name, **claims)
        added.append(name)
        return name

    yield add
    for name in added:
        del BY_NAME[name]


def lines_of(problem, until, step, integrator, **rest):
    run = ht.simulate(problem, until, step, integrator=integrator, progress=False, **rest)
    return {line.name: line for line in full.full_lines(run, Thresholds())}


def verdicts(found):
    return {name: line.verdict for name, line in found.items()}


def test_gauss_is_all_that_it_claims():
    found = lines_of(PENDULUM, 3.0, 1e-3, "gauss8")
    assert set(verdicts(found).values()) == {GOOD}
    assert found[full.REVERSAL].number < 1e-14
    assert found[full.SYMPLECTICITY].number < 1e-13


def test_rk4_claims_neither_symmetry_nor_symplecticity_and_its_order_is_shown():
    found = lines_of(PENDULUM, 3.0, 1e-2, "rk4")
    assert verdicts(found)[full.REVERSAL] == verdicts(found)[full.SYMPLECTICITY] == NOTE
    assert found[full.REVERSAL].number > 1e-9 and found[full.SYMPLECTICITY].number > 1e-9
    line = found[full.CONVERGENCE]
    assert line.verdict == GOOD and line.number == pytest.approx(4.0, abs=0.5)
    assert len(line.details["steps"]) == len(line.details["errors"]) == 3
    assert line.details["steps"] == [0.04, 0.02, 0.01]
    assert "▇" in line.sentence


def test_a_broken_reversal_is_found(add_integrator):
    name = add_integrator("rk4", "rk4_as_if_symmetric", is_symmetric=True)
    found = lines_of(PENDULUM, 3.0, 2e-2, name)
    assert found[full.REVERSAL].verdict in (DOUBTFUL, BAD)
    assert found[full.CONVERGENCE].verdict == GOOD


def test_a_step_that_is_not_symplectic_is_found(add_integrator):
    name = add_integrator("rk4", "rk4_as_if_symplectic", is_symplectic=True)
    found = lines_of(PENDULUM, 3.0, 1e-3, name)
    assert found[full.SYMPLECTICITY].verdict in (DOUBTFUL, BAD)
    assert found[full.AGREEMENT].verdict == found[full.CONVERGENCE].verdict == GOOD


def test_a_weight_that_is_off_by_1e_9_is_found_by_the_second_formulation(add_integrator):
    name = add_integrator("gauss8", "gauss8_weight", off=("b", (0, 0), 1e-9))
    found = lines_of(PENDULUM, 3.0, 1e-3, name)
    assert found[full.AGREEMENT].verdict in (DOUBTFUL, BAD)
    assert "more than the errors of both runs explain" in found[full.AGREEMENT].sentence
    assert verdicts(found)[full.SYMPLECTICITY] == GOOD  # a flow in another time is symplectic


def test_a_coefficient_that_is_off_by_1e_9_is_found_by_the_convergence(add_integrator):
    name = add_integrator("gauss8", "gauss8_coefficient", off=("mu_q", (0, 0, 1), 1e-9))
    found = lines_of(PENDULUM, 3.0, 1e-3, name)
    assert found[full.CONVERGENCE].verdict == DOUBTFUL


def test_an_order_that_is_not_kept_is_found(add_integrator):
    name = add_integrator("rk4", "rk4_as_if_sixth", order=6)
    found = lines_of(PENDULUM, 3.0, 1e-2, name)
    assert found[full.CONVERGENCE].verdict == DOUBTFUL
    assert "Order 4.1, that of the method is 6" in found[full.CONVERGENCE].sentence


def test_the_convergence_of_a_long_run_is_seen_in_its_first_samples():
    model = ht.library.pendulum(angle=2.0)
    run = ht.simulate(model, 1700.0, 1e-2, integrator="rk4", save_every=80, progress=False)
    line = full.convergence_line(run)
    assert line.verdict == GOOD and line.number == pytest.approx(4.0, abs=0.5)


@pytest.mark.parametrize(
    ("errors", "verdict", "words"),
    [
        ([0.0, 0.0, 0.0], GOOD, "Errors are rounding already."),
        ([None, None, None], DOUBTFUL, "Runs with these steps fail."),
        ([np.nan, np.inf, np.nan], DOUBTFUL, "Runs with these steps fail."),
        ([None, np.nan, 1e-3], DOUBTFUL, "Runs with longer steps fail."),
        ([1.6e-6, 1e-7, 8e-8], GOOD, "Order 4.0 of longer steps, that of the method is 4"),
    ],
)
def test_convergence_is_told_in_whole_sentences(errors, verdict, words):
    motion = SimpleNamespace(scales=SimpleNamespace(rounding=2.0**-52))
    method = SimpleNamespace(order=4)
    again = SimpleNamespace(step=0.01, integrator=method, is_controlled=False)
    line = full.judge_convergence(errors, (4.0, 2.0, 1.0, 0.5), again, motion)
    assert (line.verdict, line.sentence.partition(";")[0]) == (verdict, words)


def test_a_difference_by_the_error_of_the_second_run_is_no_doubt_in_the_first():
    """Where only RATTLE is left to compare with, which errs by more than the threshold."""
    motion = SimpleNamespace(scales=SimpleNamespace(rounding=2.0**-52))
    second, mine = full.Second("hamiltonian_loops", "rattle"), AnswerError(1e-12)
    asked = second, Thresholds(), mine, motion
    line = full.judge_agreement(2e-6, 6e-6, 3.0, *asked)
    assert line.verdict == NOTE and "by the error of that run (6e-06)" in line.sentence
    assert full.judge_agreement(2e-6, 1e-9, 3.0, *asked).verdict in (DOUBTFUL, BAD)
    assert full.judge_agreement(1e-9, 6e-6, 3.0, *asked).verdict == GOOD


def test_dampers_are_taken_back_too_but_are_not_symplectic():
    damper = ht.JointDamper("hinge1", damping=0.2, name="damper")
    found = lines_of(PENDULUM.with_(forces={"damper": damper}), 2.0, 1e-3, "gauss8")
    assert found[full.REVERSAL].verdict == GOOD
    assert found[full.SYMPLECTICITY].verdict == NOTE


@pytest.mark.parametrize(
    ("problem", "step", "integrator", "rest"),
    [
        (ht.library.four_bar(), 1e-3, "spark6", {}),
        (ht.library.top(), 1e-3, "gauss8", {}),
        (ht.hamiltonian("p**2/2 - cos(q)"), 1e-2, "blanes_moan4", {"q": [1.0], "p": [0.0]}),
        (ht.ode({"x": "y", "y": "-sin(x)"}), 1e-2, "gauss8", {"y": [1.0, 0.0]}),
    ],
    ids=["loop", "quaternion", "hamiltonian", "ode"],
)
def test_every_kind_of_run_has_lines_that_are_good_or_say_why_not(problem, step, integrator, rest):
    found = lines_of(problem, 0.5, step, integrator, **rest)
    assert set(verdicts(found).values()) <= {GOOD, NOTE}
    assert all(line.sentence for line in found.values())
    assert found[full.REVERSAL].verdict == found[full.AGREEMENT].verdict == GOOD


def test_what_cannot_be_made_again_has_notes():
    motor = ht.JointInput("hinge1", name="motor")
    sim = ht.simulator(PENDULUM.with_(forces={"motor": motor}), step=1e-2)
    for torque in (1.0, -1.0):
        sim.set(inputs={"motor": torque})
        sim.step(20)
    lines = full.full_lines(sim.trajectory(), Thresholds())
    assert [line.verdict for line in lines] == [NOTE] * 4
    assert all("inputs were changed" in line.sentence for line in lines)


def test_a_long_step_does_not_change_the_run():
    run = ht.simulate(PENDULUM, 1.0, progress=False)
    before = run.q.values.copy()
    full.full_lines(run, Thresholds())
    np.testing.assert_array_equal(run.q.values, before)
