"""Similar models give similar answers: lengths, masses and times by powers of two change no bit of
a run with fixed steps, and nothing that is said.

A selection of formulations, families of integrators, forces, joints and services;
`python -m tests.similarity` has all of it.
"""

from functools import cache

import pytest

from hamiltree.model.units import SI
from tests.similarity import answers, outcomes
from tests.similarity.answers import QUESTIONS
from tests.similarity.cases import CASES, LEFT_OUT
from tests.similarity.outcomes import difference
from tests.similarity.scaling import SCALES, units_of

CASE = {case.name: case for case in CASES}
QUESTION = {question.name: question for question in QUESTIONS}
TREES = (
    *("joints of all kinds", "joints of all kinds rk4", "joint free", "gimbal with armature"),
    *("rack", "mimic of a force", "inputs", "satellite", "top"),
    *("joint limit", "joint friction", "joint table cubic", "body table", "point spring"),
    *("torsion", "bushing", "drag", "gravitation", "central gravity", "quartic arm"),
    *("chain explicit_euler", "chain implicit_midpoint", "chain gauss8 newton", "chain avf3"),
    *("chain stormer_verlet", "chain lobatto_pair4", "chain tao4", "chain fixed(dop853)"),
    *("chain discrete_gradient", "chain reversible(stormer_verlet)"),
    *("tree kane_relative rk4", "tree kane_relative gauss8", "tree kane_absolute rk4"),
    *("tree cartesian_1 rk4", "tree cartesian_3 rk4", "tree cartesian_3 gauss4"),
    *("chain dop853", "chain radau5", "chain tsitouras5", "tree kane_relative dop853"),
)
LOOPS = (
    *("four bar rattle", "four bar shake", "four bar spark4", "four bar energy_momentum"),
    *("slider crank", "spatial slider crank", "governor", "stewart", "double wishbone"),
    *("constraint rod", "constraint point on line", "constraint coincident"),
    *("tree cartesian_hamiltonian spark4", "four bar cartesian_hamiltonian rattle"),
    *("four bar cartesian_3 rk4", "constraint rod cartesian_3", "governor cartesian_3"),
    *("four bar cartesian_2 generalised_alpha", "wishbone generalised_alpha"),
    *("strandbeest", "driven pendulums"),
)
APART = (
    *("pairs lennard_jones switched", "pairs coulomb screened", "pairs fene", "pairs morse"),
    *("grains gauss8", "grains splitting4", "grains rattle", "grains quat_em", "grains tao4"),
    *("grains free_bodies_rotation rattle", "grains free_bodies_quaternion_thesis rk4"),
    *("gyros free_bodies_rotation", "box splitting4", "repelling molecules"),
)
REFUSALS = (
    *("flat parallelogram", "open loop", "speeds that break a loop", "gimbal lock"),
    *("start of a closing joint",),
    *("stiff stop", "steps too long", "overlapping molecules"),
)
EVENTS = ("section of an arm", "section of a loop")
FORMULAS = ("kepler gauss6", "kepler stormer_verlet", "oscillator rk4")
SERVICES = (
    *("dynamics of a tree", "frames of a tree", "derivatives of a damped chain"),
    *("dynamics of an arm with forces", "rates of a tree", "statics of a particle chain"),
    *("constrained dynamics of a four-bar", "constrained dynamics of a suspension"),
    "constrained dynamics of bricard",
    *("reactions of a governor", "comparison of a tree", "compared runs of a chain"),
)
every_scale = pytest.mark.parametrize("scale", SCALES)


@every_scale
@pytest.mark.parametrize("name", [*TREES, *LOOPS, *APART, *FORMULAS, *REFUSALS, *EVENTS])
def test_a_similar_model_runs_with_the_same_bits(name, scale):
    case, units = CASE[name], units_of(*SCALES[scale])
    there = outcomes.outcome_of(case, units)
    assert difference(run_here(name), there, units).complaint(case.is_exact) == ""


@cache
def run_here(name):
    return outcomes.outcome_of(CASE[name], SI)


@every_scale
@pytest.mark.parametrize("name", SERVICES)
def test_a_similar_model_gives_the_same_answers(name, scale):
    question, units = QUESTION[name], units_of(*SCALES[scale])
    here, there = (answers.outcome_of(question, each) for each in (SI, units))
    assert difference(here, there, units).complaint(question.is_exact) == ""


@pytest.mark.parametrize("name", REFUSALS)
def test_what_is_refused_here_is_said_so(name):
    assert run_here(name).words != ["complete"]


def test_what_is_left_out_has_a_formula_or_a_function():
    assert all("is a" in why or "no declared dimension" in why for why in LEFT_OUT.values())
