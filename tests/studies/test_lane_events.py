"""Events of members side by side: one that ends early waits for the others, and disturbs none."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.run.plan import make_plan
from hamiltree.studies import lane_plan, uniform
from tests.studies.families import DRIVEN, FAMILIES, KEEP, SPRUNG, compare

STARTS = {"k": uniform(1, 2), "q.q": uniform(-1, 1)}
WHOLE = [*KEEP, "samples", "first(q)"]
PUSHED = {"p": {"p": 0.9}, "step": 0.02, "integrator": "rk4"}
OUT = ht.Event("q - k/2", terminal=True, name="out")


def test_members_end_where_runs_alone_end():
    """With parameters of their own, a section on the way, samples, and a shorter last step."""
    settings = {**PUSHED, "until": 3.003, "events": [ht.Event("q"), OUT]}
    alone, found = compare(DRIVEN, STARTS, settings, WHOLE, members=9)
    assert not alone
    ended = [word.startswith("ended by event 'out'") for word in found.status]
    assert 0 < sum(ended) < 9
    assert np.isnan(found.values["q"][ended, -1]).all()


@pytest.mark.parametrize("family", ["tree", "tables"])
def test_events_of_trees(family):
    """A rate in a formula, a direction, and samples that are seven steps apart."""
    events = [ht.Event("hinge1", "falling", terminal=True), ht.Event("hinge2_dot")]
    settings = {"until": 1.0, "step": 0.02, "integrator": "rk4", "save_every": 7, "events": events}
    keep = [*KEEP, "samples"]
    alone, found = compare(SPRUNG, FAMILIES[family][1], settings, keep)
    assert not alone
    assert found.values["event_count"][:, 1].sum() > 0
    assert any(word.startswith("ended by") for word in found.status)


def test_a_member_is_the_run_that_simulate_makes():
    events = [ht.Event("p", where="q > 0"), OUT]
    settings = {"until": 6.0, "step": 0.02, "integrator": "rk4", "events": events}
    found = ht.study(DRIVEN, {"q.q": [-0.5, 0.2]}, p={"p": 0.9}, progress=False, **settings).data
    for member, start in enumerate((-0.5, 0.2)):
        run = ht.simulate(DRIVEN, q={"q": start}, p={"p": 0.9}, progress=False, **settings)
        assert run.status == found["status"].values[member]
        assert run.q.values[-1, 0] == found["q_end"].values[member, 0]
        assert float(run.dataset["t"][-1]) == found["t_end"].values[member]


def test_splittings_and_conditions():
    events = [ht.Event("p_dot*q_dot", where="q > 0"), ht.Event("sin(5*t) - 0.9")]
    settings = {**PUSHED, "until": 3.0, "integrator": "pefrl", "events": events}
    alone, found = compare(DRIVEN, STARTS, settings, WHOLE)
    assert not alone
    assert (found.values["event_count"][:, 1] == 6).all()


def test_events_at_the_start_and_at_the_end():
    """A start on an event, and an end of the run that is one of another."""
    events = [ht.Event("q"), ht.Event("t - 1"), ht.Event("t - 2", terminal=True)]
    settings = {**PUSHED, "until": 2.0, "events": events}
    alone, found = compare(DRIVEN, {"q.q": [0.0, 0.1, -0.2]}, settings, WHOLE)
    assert not alone
    assert all(word == "ended by event 't - 2' at t = 2" for word in found.status)
    assert (found.values["event_count"][:, 1:] == 1).all()


def test_an_event_that_is_too_fast_for_its_steps_is_left_to_runs_alone():
    settings = {**PUSHED, "until": 0.5, "events": [ht.Event("sin(200*t)")]}
    alone, _ = compare(DRIVEN, {"q.q": [0.0, 0.1, 0.2]}, settings, ["end"])
    assert alone == [0, 1, 2]


def test_one_that_fails_and_one_that_ends_disturb_no_other():
    """Beyond 1 the motion escapes to infinity; an event ends the third before."""
    escape = ht.hamiltonian("p**2/2 - k*q**4/4", k=1.0)
    events = [ht.Event("q - 1", terminal=True)]
    settings = {"p": {"p": 0.0}, "until": 3.0, "step": 0.01, "integrator": "rk4", "events": events}
    starts = {"q.q": [0.1, 4.0, 0.9, 0.3, 0.2]}
    alone, found = compare(escape, starts, settings, ["end", "energy_error"])
    assert alone == [1]
    assert found.status[2].startswith("ended by event")
    assert [found.status[m] for m in (0, 3, 4)] == ["complete"] * 3


def test_pieces_of_samples_change_no_bit(monkeypatch):
    monkeypatch.setattr("hamiltree.studies.lanes.BATCH_NUMBERS", 200)
    settings = {**PUSHED, "until": 3.003, "events": [ht.Event("q"), OUT]}
    assert not compare(DRIVEN, STARTS, settings, WHOLE, members=9)[0]


def test_implicit_methods_look_for_events_one_by_one():
    assert "one by one" in obstacle_of("gauss4")
    assert not obstacle_of("rk4")


def obstacle_of(method):
    events = [ht.Event("q")]
    setup = ht.simulator(DRIVEN, step=0.1, integrator=method).setup
    return lane_plan.obstacle_of_equations(make_plan(setup, 1.0, None, 1, (None, events)))
