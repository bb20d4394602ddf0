"""What is computed beside the steps of a run (samples, crossings, openings) counts turns of its
own, run after run alike.
"""

import copy
import pickle

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import Assembly


def turning_pin(stiffness=0.005):
    """A four-bar whose closing joint turns fully, against a spring that counts its turns."""
    made = ht.library.four_bar(speed=40.0)
    joints = [
        made.joint(name) for name in ("rocker_pivot", "coupler_pin", "crank_pin", "crank_pivot")
    ]
    model = ht.Model(
        made.bodies,
        joints,
        [ht.JointSpring("crank_pivot", stiffness=stiffness)],
        name="turning pin",
    )
    assert model.closing == ("crank_pivot",)
    return model


def energies_of(run):
    return np.asarray(run.kinetic_energy) + np.asarray(run.potential_energy)


@pytest.mark.parametrize(
    ("formulation", "integrator", "most"),
    [("hamiltonian_loops", "spark6", 1e-9), ("cartesian_3", "rk4", 1e-4)],
)
def test_the_energy_of_a_spring_that_counts_turns_is_recorded_right_however_the_run_is_cut(
    formulation, integrator, most
):
    sim = ht.simulator(turning_pin(), step=5e-4, formulation=formulation, integrator=integrator)
    whole, again = sim.run(until=1.0), sim.run(until=1.0)
    assert np.ptp(energies_of(whole)) < most
    assert (energies_of(again) == energies_of(whole)).all()
    rest = sim.run(until=1.0, resume=sim.run(until=0.4))
    assert np.asarray(rest.potential_energy)[-1] == np.asarray(whole.potential_energy)[-1]
    for _ in range(20):
        sim.step(100)
        assert sim.state.energy == pytest.approx(energies_of(whole)[0], abs=most)


def test_crossings_of_two_equal_runs_are_equal_where_turns_are_counted():
    sim = ht.simulator(turning_pin(0.05), step=5e-4)
    first, second = (sim.run(until=1.0, sections=["p_rocker_pivot"]).sections for _ in range(2))
    name = next(iter(first))
    assert len(first[name]["t"]) > 2
    for key in ("t", "q", "p"):
        assert (np.asarray(first[name][key]) == np.asarray(second[name][key])).all()


def geared_loop():
    """A flywheel geared to a joint that closes a loop: a row whose angles count turns."""
    made = ht.library.four_bar(speed=40.0)
    joints = [
        made.joint(name) for name in ("rocker_pivot", "coupler_pin", "crank_pin", "crank_pivot")
    ]
    wheel = ht.Body("wheel", 0.1, inertia=(1e-3, 1e-3, 1e-3))
    hinge = ht.Revolute("wheel_pivot", "ground", "wheel", axis=made.joint("crank_pivot").axis)
    gear = ht.Mimic("wheel_pivot", "crank_pivot", 0.37)
    return ht.Model([*made.bodies, wheel], [*joints, hinge], couplings=[gear], name="geared loop")


def test_openings_of_a_second_run_do_not_remember_the_turns_of_the_first():
    sim = ht.simulator(geared_loop(), step=1e-3)
    first, second = (sim.run(until=1.0, assemble=True) for _ in range(2))
    assert first.status == second.status == "complete"
    own = ht.simulator(ht.assemble(geared_loop()), step=1e-3)
    runs = [own.run(until=1.0) for _ in range(2)]
    assert runs[0].constraint_error == runs[1].constraint_error < 1e-8


@pytest.mark.parametrize(
    ("formulation", "integrator"), [("hamiltonian_loops", "spark6"), ("cartesian_3", "rk4")]
)
def test_a_trajectory_of_a_loop_can_be_pickled_copied_and_resumed(formulation, integrator):
    model = ht.library.four_bar()
    sim = ht.simulator(model, step=1e-3, formulation=formulation, integrator=integrator)
    run, whole = sim.run(until=0.05), sim.run(until=0.1)
    for other in (pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        rest = ht.simulator(other.model, 1e-3, formulation, integrator).run(until=0.1, resume=other)
        assert (np.asarray(rest.q)[-1] == np.asarray(whole.q)[-1]).all()


def test_bodies_that_hang_apart_and_follow_each_other_are_placed_by_the_tree():
    bodies = [ht.Body(name, 1.0, inertia=(1.0, 1.0, 1.0)) for name in "abc"]
    joints = [ht.Free(f"free_{name}", "ground", name) for name in "abc"]
    model = ht.Model(bodies, joints, couplings=[ht.Mimic("free_a.x", "free_b.x", 2.0)])
    made = Assembly(model, model.q_from({"free_b.x": 1.0, "free_c.y": 1.0}), model.qdot_from())
    assert made.bodies_to_rounding.origin[:, 0].tolist() == [2.0, 1.0, 0.0]


def test_an_option_that_nobody_has_is_refused_by_name():
    for call in (ht.simulate, ht.simulator):
        with pytest.raises(ht.OptionError, match="has no option 'caller'"):
            call(ht.library.four_bar(), caller="x")
