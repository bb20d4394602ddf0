"""Implicit members side by side: each converges by itself, and has the bits of the run alone."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.integrators import find_integrator
from hamiltree.integrators.ensemble import lane_method
from hamiltree.studies import uniform
from tests.studies.families import DRIVEN, FAMILIES, SPRUNG, compare

STARTS = {"k": uniform(1, 2), "q.q": uniform(-3, 3), "p.p": uniform(-1, 1)}
# an angle and a length, which are compared by their natural sizes
SLIDER = ht.Model(
    name="slider",
    bodies=[
        ht.Body("rod", mass=2.0, com=(0.0, 0.0, -0.5), inertia=(0.2, 0.2, 0.01)),
        ht.Body("ring", mass=1.0, inertia=(0.1, 0.1, 0.1)),
    ],
    joints=[
        ht.Revolute("hinge", "ground", "rod", axis=(0.0, 1.0, 0.0), q=0.5),
        ht.Prismatic("slide", "rod", "ring", axis=(0.0, 0.0, 1.0), q=-0.3),
    ],
    forces=[ht.JointSpring("slide", 40.0), ht.JointDamper("hinge", 0.3)],
)


@pytest.mark.parametrize("method", ["implicit_midpoint", "gauss4", "gauss6", "gauss10"])
@pytest.mark.parametrize("family", ["tree", "tables", "typed"])
def test_members_in_lanes_have_the_bits_of_runs_alone(family, method):
    """With damping, other tables, time in the formula, and a shorter last step."""
    problem, vary, _, _ = FAMILIES[family]
    settings = {"until": 1.21, "step": 0.05, "integrator": method}
    alone, _ = compare(problem, STARTS if family == "typed" else vary, settings)
    assert not alone


def test_a_member_has_the_bits_of_simulate():
    found = ht.study(
        SPRUNG,
        {"q.hinge1": [0.3, 2.0, -1.0]},
        keep=["end", "energy_error"],
        until=1.03,
        step=0.02,
        integrator="gauss6",
        progress=False,
    )
    for member, start in enumerate(found.data["q.hinge1"].values):
        run = ht.simulate(
            SPRUNG, 1.03, 0.02, integrator="gauss6", q={"hinge1": start}, progress=False
        )
        assert np.array_equal(run.p.values[-1], found.data["p_end"].values[member])
        assert run.energy_error == found.data["energy_error"].values[member]


@pytest.mark.parametrize("method", ["triple_jump(gauss4)", "radau_iia5", "implicit_euler"])
def test_other_implicit_methods_have_lanes(method):
    settings = {"until": 0.5, "step": 0.02, "integrator": method}
    alone, _ = compare(DRIVEN, STARTS, settings)
    assert not alone


def test_rows_of_other_units_are_compared_by_the_sizes_of_each_member():
    vary = {"bodies.ring.mass": uniform(0.01, 100.0), "q.slide": uniform(-1, 1)}
    settings = {"until": 0.5, "step": 0.02, "integrator": "gauss4"}
    alone, _ = compare(SLIDER, vary, settings)
    assert not alone
    assert not compare(SLIDER, {"qdot.slide": uniform(-9, 9)}, settings)[0]


def test_members_that_need_many_sweeps_and_few_share_lanes():
    """Frequencies from 0.01 to 8: sweeps of the fast ones are many."""
    oscillator = ht.hamiltonian("p**2/2 + w**2*q**2/2 + q**4/40", w=1.0, q={"q": 1.0}, p={"p": 0})
    settings = {"until": 4.0, "step": 0.1, "integrator": "gauss4"}
    alone, _ = compare(oscillator, {"w": [0.01, 8.0, 1.0, 0.0, 5.0, 0.1]}, settings)
    assert not alone


def test_members_that_need_newtons_method_run_alone_and_disturb_no_other():
    """A step of ω h = 3 and more is too long for sweeps."""
    oscillator = ht.hamiltonian("p**2/2 + w**2*q**2/2 + q**4/40", w=1.0, q={"q": 1.0}, p={"p": 0})
    settings = {"until": 4.0, "step": 0.1, "integrator": "gauss4"}
    starts = {"w": [1.0, 50.0, 2.0, 0.5, 60.0, 70.0, 80.0, 90.0]}
    alone, found = compare(oscillator, starts, settings)
    assert alone == [1, 4, 5, 6, 7]
    assert set(found.status) == {"complete"}


def test_a_member_that_escapes_says_why():
    escape = ht.hamiltonian("p**2/2 - q**4/4", q={"q": 0.1}, p={"p": 0.0})
    settings = {"until": 3.0, "step": 0.01, "integrator": "gauss6"}
    alone, found = compare(escape, {"q.q": [0.1, 4.0, 0.2, 0.3, 5.0]}, settings, ["end"])
    assert alone == [1, 4]
    assert found.status[1].startswith("StepError")


def test_first_guesses_are_carried_where_samples_come_in_pieces(monkeypatch):
    monkeypatch.setattr("hamiltree.studies.lanes.BATCH_NUMBERS", 200)
    settings = {"until": 2.0, "step": 0.02, "integrator": "gauss6"}
    alone, _ = compare(DRIVEN, STARTS, settings)
    assert not alone


def test_stages_that_fill_the_lanes_keep_them_in_long_runs():
    made = find_integrator("gauss8")
    assert lane_method(made, is_short=False) is None
    assert lane_method(made, is_short=True) is not None
    assert lane_method(find_integrator("gauss6"), is_short=False) is not None


def test_short_runs_of_gauss8_have_lanes():
    settings = {"until": 1.21, "step": 0.05, "integrator": "gauss8"}
    assert not compare(DRIVEN, STARTS, settings)[0]


def test_newtons_method_by_wish_has_no_lanes():
    made = find_integrator("gauss4").with_options({"solver": "newton"})
    assert lane_method(made, is_short=True) is None
