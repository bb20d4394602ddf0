"""A simulator: runs that leave no trace in each other, steps that are runs cut in pieces, and what
is refused before anything moves.
"""

import gc
import importlib.util
import pickle
import re
import subprocess
import sys
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import library

ROOT = Path(__file__).parents[2]
STEP, STEPS = 1e-3, 40
GRID_METHODS = ("gauss8", "implicit_midpoint", "rk4", "radau_iia5", "discrete_gradient")
PHASE_METHODS = (
    "stormer_verlet",
    "blanes_moan4",
    "tao4",
    "gauss8",
    "rk4",
    "avf4",
    "yoshida6(implicit_midpoint)",
)


def swinging():
    return library.n_pendulum(3, angles=0.6)


def assert_same(some, all_of_them):
    """Bit for bit, at the times that both have; work counts from where a record begins."""
    common = np.isin(all_of_them.t.values, some.t.values)
    assert common.sum() == some.t.size
    for name in some.dataset.data_vars:
        np.testing.assert_array_equal(
            some.dataset[name].values, all_of_them.dataset[name].values[common], err_msg=name
        )


# ---- runs leave no trace -------------------------------------------------------------------------
@pytest.mark.parametrize("make", [swinging, library.four_bar], ids=["tree", "loop"])
def test_a_second_run_gives_the_bits_of_the_first_whatever_came_between(make):
    sim = ht.simulator(make(), step=STEP)
    first = sim.run(until=STEPS * STEP, save_every=1)
    sim.step(7)
    with pytest.raises(ht.OptionError):
        sim.run(until=-1.0)
    with pytest.raises(ht.OptionError):
        sim.run(until=1.0, q={"no such joint": 1.0})
    assert_same(sim.run(until=STEPS * STEP, save_every=1), first)
    assert_same(ht.simulate(make(), STEPS * STEP, STEP, save_every=1, progress=False), first)


def gimballed(speed):
    """Turning about its second axis alone, from half a radian, without gravity: it locks at π/2."""
    body = ht.Body("rotor", 1.0, (0.0, 0.0, -0.3), inertia=(0.1, 0.2, 0.15))
    joint = ht.Gimbal(
        "wrist", "ground", "rotor", sequence="zyx", q=(0.0, 0.5, 0.0), qdot=(0.0, speed, 0.0)
    )
    return ht.Model([body], [joint], gravity=(0.0, 0.0, 0.0), name="gimballed")


def test_a_run_that_fails_leaves_no_trace():
    sim = ht.simulator(gimballed(-0.1), step=0.01)
    with pytest.raises(ht.StepError, match="gimbal lock"):
        sim.run(until=4.0, qdot={"wrist": (0.0, 1.0, 0.0)})
    assert_same(
        sim.run(until=0.2, save_every=1),
        ht.simulate(gimballed(-0.1), 0.2, 0.01, save_every=1, progress=False),
    )


def test_a_start_that_is_given_is_not_remembered():
    sim = ht.simulator(swinging(), step=STEP)
    plain = sim.run(until=0.02, save_every=1)
    other = sim.run(until=0.02, q={"hinge1": 1.0}, qdot={"hinge2": 0.5}, save_every=1)
    assert_same(
        other,
        ht.simulate(
            swinging(),
            0.02,
            STEP,
            q={"hinge1": 1.0},
            qdot={"hinge2": 0.5},
            save_every=1,
            progress=False,
        ),
    )
    assert_same(sim.run(until=0.02, save_every=1), plain)


def test_a_loop_is_checked_at_the_start_that_is_given():
    model = library.four_bar()
    sim = ht.simulator(model, step=STEP)
    sim.run(until=5 * STEP)
    with pytest.raises(ht.ModelError, match=r"constraint residual of .* at the start"):
        sim.run(until=5 * STEP, q={model.coordinates[0]: 0.3})
    moved = sim.run(
        until=5 * STEP, q={model.coordinates[0]: model.start()[0][0] + 0.05}, assemble=True
    )
    assert moved.constraint_error < 1e-12
    assert_same(
        sim.run(until=5 * STEP, save_every=1),
        ht.simulate(model, 5 * STEP, STEP, save_every=1, progress=False),
    )


def test_pair_forces_with_lists_of_neighbours_start_anew():
    model = library.particle_chain(6)
    sim = ht.simulator(model, step=STEP)
    first = sim.run(until=20 * STEP, save_every=1)
    sim.run(until=20 * STEP, qdot=0.1 * np.ones(len(model.speeds)))
    assert_same(sim.run(until=20 * STEP, save_every=1), first)


def test_turns_are_counted_anew_in_absolute_coordinates():
    model = library.chain(2).with_(forces=[ht.JointSpring("j1", 2.0)])
    sim = ht.simulator(model, step=STEP, formulation="cartesian_3")
    first = sim.run(until=0.05, qdot={"j1": 30.0})
    assert_same(sim.run(until=0.05, qdot={"j1": 30.0}), first)
    assert first.energy_error < 1e-7


# ---- steps are runs ------------------------------------------------------------------------------
@pytest.mark.parametrize("integrator", GRID_METHODS)
def test_steps_in_any_split_are_the_run(integrator):
    check_steps_and_resume(ht.simulator(swinging(), step=STEP, integrator=integrator))


@pytest.mark.parametrize("integrator", PHASE_METHODS)
def test_steps_of_a_hamiltonian_in_any_split_are_the_run(integrator):
    problem = ht.hamiltonian("p**2/2 - cos(q) + q**2*(1 + sin(3*t))/8", q={"q": 1.0}, p={"p": 0.3})
    check_steps_and_resume(ht.simulator(problem, step=STEP, integrator=integrator))


LOOP_METHODS = [
    (None, "spark6"),
    (None, "rattle"),
    (None, "energy_momentum"),
    ("cartesian_3", "generalised_alpha"),
]


@pytest.mark.parametrize(("formulation", "integrator"), LOOP_METHODS)
def test_steps_of_a_loop_in_any_split_are_the_run(formulation, integrator):
    check_steps_and_resume(ht.simulator(library.four_bar(), STEP, formulation, integrator))


@pytest.mark.parametrize("integrator", ["splitting4", "quat_em"])
def test_steps_of_a_chain_in_any_split_are_the_run(integrator):
    check_steps_and_resume(
        ht.simulator(library.particle_chain(4), STEP, "free_bodies_quaternion", integrator)
    )


def check_steps_and_resume(sim):
    whole = sim.run(until=STEPS * STEP, save_every=1)
    for n in (1, 5, 0, 1, STEPS - 7):
        sim.step(n)
    stepped = sim.trajectory()
    assert_same(stepped, whole)
    assert stepped.statistics["steps"] == STEPS
    begun = sim.run(until=13 * STEP, save_every=1)
    assert_same(sim.run(until=STEPS * STEP, save_every=1, resume=begun), whole)
    # its shorter last step is not part of a longer run
    short = sim.run(until=13.4 * STEP, save_every=1)
    assert_same(sim.run(until=STEPS * STEP, save_every=1, resume=short), whole)
    assert_same(sim.run(until=STEPS * STEP, save_every=1, resume=short), whole)  # and again
    sim.reset()
    sim.step(20)
    assert_same(sim.run(until=STEPS * STEP, save_every=1, resume=sim.trajectory()), whole)


def test_a_run_goes_on_across_the_points_where_turns_are_taken_out_of_angles():
    model = library.four_bar()
    fast = {"qdot": 40.0 * np.asarray(model.start()[1])} if np.any(model.start()[1]) else {}
    sim = ht.simulator(model, step=STEP)
    whole = sim.run(until=2.2, save_every=100, **fast)
    begun = sim.run(until=0.7, save_every=100, **fast)
    assert_same(sim.run(until=2.2, save_every=100, resume=begun), whole)
    sim.set(**fast) if fast else None
    sim.save_every = 1
    sim.step(2200)
    np.testing.assert_array_equal(sim.trajectory().q.values[::100], whole.q.values)


def test_a_run_goes_on_in_absolute_coordinates_with_its_turns():
    model = library.chain(2).with_(forces=[ht.JointSpring("j1", 2.0)])
    sim = ht.simulator(model, step=STEP, formulation="cartesian_3", integrator="rk4")
    fast = {"qdot": {"j1": 60.0}}
    whole = sim.run(until=0.3, save_every=10, **fast)
    assert whole.q.values[-1, 0] > 6.3
    assert_same(
        sim.run(until=0.3, save_every=10, resume=sim.run(until=0.15, save_every=10, **fast)), whole
    )


@pytest.mark.parametrize(
    ("integrator", "near"),
    [("dop853", 1e-7), ("radau5", 1e-6), ("reversible(implicit_midpoint)", 1e-5)],
)
def test_a_method_that_chooses_its_steps_goes_on_within_its_tolerance(integrator, near):
    sim = ht.simulator(swinging(), step=0.01, integrator=integrator)
    whole, begun = sim.run(until=0.5), sim.run(until=0.25)
    rest = sim.run(until=0.5, resume=begun)
    assert rest.t.values[0] == begun.t.values[-1] == 0.25 and rest.t.values[-1] == 0.5
    np.testing.assert_allclose(rest.q.values[-1], whole.q.values[-1], atol=near)
    assert rest.energy_error < 1e-4


@pytest.mark.parametrize("integrator", ["dop853", "radau5"])
def test_a_method_that_chooses_its_steps_ends_on_every_point_that_it_is_stepped_to(integrator):
    sims = [ht.simulator(swinging(), step=0.01, integrator=integrator) for _ in range(2)]
    sims[0].step(30)
    for n in (1, 9, 20):
        sims[1].step(n)
    assert_same(*(sim.trajectory() for sim in sims))
    assert sims[0].state.t == pytest.approx(0.3, rel=1e-14)
    np.testing.assert_allclose(
        sims[0].state.q, ht.simulate(swinging(), 0.3, 0.01, progress=False).q.values[-1], atol=1e-7
    )


def test_a_long_loop_needs_no_more_than_its_buffer(monkeypatch):
    stepper = importlib.import_module("hamiltree.run.stepper")
    whole = ht.simulate(swinging(), 0.1, STEP, save_every=1, progress=False)
    for rows, numbers in ((3, 2**22), (4, 1)):
        monkeypatch.setattr(stepper, "FIRST_ROWS", rows)
        monkeypatch.setattr(stepper, "CHUNK_NUMBERS", numbers)
        sim = ht.simulator(swinging(), step=STEP)
        for n in (1, 2, 3, 50, 44):
            sim.step(n)
        assert_same(sim.trajectory(), whole)


def test_looking_at_the_state_changes_nothing():
    whole, sim = (
        ht.simulate(swinging(), 0.02, STEP, save_every=1, progress=False),
        ht.simulator(swinging(), step=STEP),
    )
    for k in range(20):
        np.testing.assert_array_equal(sim.state.q, whole.q.values[k])
        sim.step()
    assert_same(sim.trajectory(), whole)


def test_a_record_of_some_steps_ends_where_the_state_is():
    sim = ht.simulator(swinging(), step=STEP, save_every=10)
    sim.step(25)
    done = sim.trajectory()
    np.testing.assert_allclose(done.t.values, [0.0, 0.01, 0.02, 0.025], rtol=1e-14)
    assert sim.state.t == done.t.values[-1]
    sim.step(5)
    assert sim.trajectory().t.size == 4
    assert_same(
        sim.trajectory(), ht.simulate(swinging(), 0.03, STEP, save_every=10, progress=False)
    )


# ---- time ----------------------------------------------------------------------------------------
def test_forces_see_the_time_at_which_a_run_starts():
    """q" = −sin(t) of a unit mass from rest: q(t) = sin t − sin 2 + (t − 2)(−cos 2)... in
    closed form.
    """
    slider = ht.Prismatic("rail", "ground", "block", axis=(1, 0, 0))
    model = ht.Model(
        [ht.Body("block", 1.0)], [slider], [ht.JointLaw("rail", "-sin(t)")], name="block"
    )
    done = ht.simulate(model, 3.0, 0.01, t=2.0, progress=False)
    assert done.t.values[0] == 2.0 and done.t.values[-1] == 3.0
    exact = np.sin(3.0) - np.sin(2.0) - np.cos(2.0)
    assert done.q.values[-1, 0] == pytest.approx(exact, abs=1e-14)
    assert done.energy_error < 1e-12
    sim = ht.simulator(model, step=0.01)
    sim.set(t=2.0)
    sim.step(100)
    assert_same(
        sim.trajectory(), ht.simulate(model, 3.0, 0.01, t=2.0, save_every=1, progress=False)
    )


def test_adaptive_methods_start_at_the_time_they_are_told():
    problem = ht.hamiltonian("p**2/2 + q*sin(t)", q={"q": 0.0}, p={"p": 0.0})
    done = ht.simulate(problem, 3.0, 0.1, integrator="dop853", t=2.0, rtol=1e-12, progress=False)
    assert done.q.values[-1, 0] == pytest.approx(np.sin(3.0) - np.sin(2.0) - np.cos(2.0), abs=1e-10)


def test_events_have_the_time_of_the_run():
    done = ht.simulate(swinging(), 6.0, STEP, t=5.0, events=["hinge1"], progress=False)
    plain = ht.simulate(swinging(), 1.0, STEP, events=["hinge1"], progress=False)
    np.testing.assert_allclose(
        done.sections["hinge1"].t.values, plain.sections["hinge1"].t.values + 5.0, atol=1e-9
    )


def test_a_speed_that_is_driven_counts_from_zero():
    model = library.four_bar()
    driven = model.with_(constraints=[ht.Drive(model.coordinates[0], speed=2.0)])
    with pytest.raises(ht.OptionError, match="counts from t = 0"):
        ht.simulate(driven, 2.0, STEP, t=1.0, assemble=True, progress=False)


# ---- the state -----------------------------------------------------------------------------------
def test_the_state_is_the_last_sample():
    sim = ht.simulator(library.n_pendulum(2, angles=0.4), step=STEP)
    sim.step(10)
    now, done = sim.state, sim.trajectory()
    for name in ("t", "q", "qdot", "p", "work", "kinetic_energy", "potential_energy"):
        np.testing.assert_array_equal(
            getattr(now, name), getattr(done, name).values[-1], err_msg=name
        )
    np.testing.assert_array_equal(now.poses["rod2"], done.poses.sel(body="rod2").values[-1])
    np.testing.assert_array_equal(now.twists["rod2"], done.twists.sel(body="rod2").values[-1])
    np.testing.assert_array_equal(now.speeds, done.speeds.values[-1])
    now.q[:] = 99.0
    assert_same(sim.trajectory(), done)


def test_what_is_not_set_stays_as_it_is():
    sim = ht.simulator(swinging(), step=STEP)
    sim.step(20)
    before = sim.state
    sim.set(q={"hinge2": 1.0})
    now = sim.state
    np.testing.assert_array_equal(now.q, [before.q[0], 1.0, before.q[2]])
    np.testing.assert_allclose(now.qdot, before.qdot, atol=1e-14)
    assert now.t == before.t and now.work == 0.0 and sim.trajectory().t.size == 1
    sim.set(t=7.0)
    assert sim.state.t == 7.0
    np.testing.assert_array_equal(sim.state.p, now.p)


def test_inputs_are_recorded_from_the_sample_at_which_they_are_set():
    model = swinging().with_(forces=[ht.JointInput("hinge1", name="motor")])
    sim = ht.simulator(model, step=STEP)
    sim.step(2)
    sim.set(inputs={"motor": 1.0})
    sim.step(2)
    _ = sim.state
    sim.set(inputs={"motor": 3.0})
    sim.set(inputs={"motor": 2.0})
    sim.step()
    assert sim.trajectory().inputs.values[:, 0].tolist() == [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]
    assert (sim.run(until=5 * STEP).inputs.values == 0.0).all()
    assert sim.trajectory().inputs.values[-1, 0] == 2.0
    sim.reset()
    assert sim.state.t == 0.0 and (sim.trajectory().inputs.values == 0.0).all()


# ---- what is refused -----------------------------------------------------------------------------
REFUSED = {
    "unknown input": (dict(inputs={"mtor": 1.0}), "did you mean 'motor'"),
    "wrong length": (dict(inputs={"motor": [1.0, 2.0]}), "give a number"),
    "not a number": (dict(inputs={"motor": "fast"}), "give a number"),
    "NaN": (dict(inputs={"motor": float("nan")}), "must be finite"),
    "no wrench": (dict(inputs={"push": 1.0}), "'force'"),
    "unknown part": (dict(inputs={"push": {"forc": (1, 0, 0)}}), "did you mean 'force'"),
    "short force": (dict(inputs={"push": {"force": (1, 0)}}), "give 3 numbers"),
    "no mapping": (dict(inputs=2.0), "by name"),
    "both qdot and p": (dict(qdot=[0, 0, 0], p=[0, 0, 0]), "not both"),
    "NaN in q": (dict(q={"hinge1": float("nan")}), "hinge1"),
    "unknown joint": (dict(q={"hing1": 1.0}), "did you mean 'hinge1'"),
    "too few": (dict(qdot=[1.0]), "in this order"),
    "no time": (dict(t="now"), "must be a finite number"),
    "good and bad": (dict(inputs={"motor": 1.0}, q={"hing1": 1.0}), "did you mean 'hinge1'"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_refused_changes_nothing(what):
    given, message = REFUSED[what]
    model = swinging().with_(
        forces=[ht.JointInput("hinge1", name="motor"), ht.BodyInput("rod2", name="push")]
    )
    sim = ht.simulator(model, step=STEP)
    sim.set(inputs={"motor": 0.5})
    sim.step(3)
    before = sim.trajectory()
    with pytest.raises(ht.OptionError, match=message) as caught:
        sim.set(**given)
    assert "\n" not in str(caught.value)
    assert_same(sim.trajectory(), before)
    sim.step()
    assert sim.trajectory().inputs.values[:, 0].tolist() == [0.5] * 5


@pytest.mark.parametrize("n", [-1, 1.5, True, "2", None])
def test_a_number_of_steps_must_be_one(n):
    sim = ht.simulator(swinging(), step=STEP)
    with pytest.raises(ht.OptionError, match="whole number of steps"):
        sim.step(n)
    assert sim.state.t == 0.0


def test_a_loop_cannot_be_set_where_it_does_not_close():
    model = library.four_bar()
    sim = ht.simulator(model, step=STEP)
    sim.step(2)
    before = sim.trajectory()
    with pytest.raises(ht.ModelError, match="constraint residual of"):
        sim.set(q={model.coordinates[0]: 0.3})
    assert_same(sim.trajectory(), before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(step=0.0), "step = 0.0; it must be finite and above zero"),
        (dict(step=-1.0), "above zero"),
        (dict(dt=1e-3), "simulator has no argument 'dt'; it is called 'step'"),
        (dict(integrator="gaus8"), "did you mean 'gauss8'"),
        (dict(solvr="newton"), "did you mean 'solver'"),
        (dict(save_every=0), "save_every = 0"),
    ],
)
def test_a_simulator_refuses_what_it_does_not_know(arguments, message):
    with pytest.raises(ht.OptionError, match=message):
        ht.simulator(swinging(), **arguments)


def test_a_run_ends_after_it_starts():
    sim = ht.simulator(swinging(), step=STEP)
    with pytest.raises(
        ht.OptionError,
        match=r"until = 1 s is not after the start t = 2 s; it is the time of the end",
    ):
        sim.run(until=1.0, t=2.0)
    begun = sim.run(until=0.01)
    with pytest.raises(ht.OptionError, match="is not after the start"):
        sim.run(until=0.01, resume=begun)
    with pytest.raises(ht.OptionError, match="leave out t, q, qdot, p"):
        sim.run(until=1.0, resume=begun, q=[0, 0, 0])
    with pytest.raises(ht.OptionError, match=r"made with integrator 'gauss8', this one with 'rk4'"):
        ht.simulator(swinging(), step=STEP, integrator="rk4").run(until=1.0, resume=begun)
    with pytest.raises(ht.OptionError, match="cannot be resumed"):
        sim.run(until=2.0, resume=sim.run(until=2.0, events=[ht.Event("hinge1", terminal=True)]))


# ---- failures ------------------------------------------------------------------------------------
def test_a_step_that_fails_leaves_the_state_where_it_was():
    """H has a pole at q = 1; a long step runs into it."""
    problem = ht.hamiltonian("p**2/2 - 1/(1 - q)", q={"q": 0.0}, p={"p": 1.0})
    sim = ht.simulator(problem, step=0.01)
    with pytest.raises(ht.StepError) as caught:
        sim.step(1000)
    kept, now = caught.value.trajectory, sim.state
    assert 0.3 < now.t < 1.0 and kept.t.values[-1] == now.t
    np.testing.assert_array_equal(now.q, kept.q.values[-1])
    sim.set(q={"q": 0.0}, p={"p": -1.0})
    sim.step(10)
    assert sim.state.t == pytest.approx(now.t + 0.1)


@pytest.mark.parametrize("integrator", ["gauss8", "dop853"])
def test_a_gimbal_lock_ends_a_step_where_it_began(integrator):
    sim = ht.simulator(gimballed(1.0), step=0.01, integrator=integrator)
    with pytest.raises(ht.StepError, match="gimbal lock of joint 'wrist'") as caught:
        sim.step(400)
    now, kept = sim.state, caught.value.trajectory
    assert kept.t.values[-1] == now.t < np.pi / 2 - 0.5 and now.q[1] < np.pi / 2
    np.testing.assert_array_equal(kept.q.values[-1], now.q)
    sim.set(qdot={"wrist": (0.0, -1.0, 0.0)})
    sim.step(10)
    assert sim.state.t == pytest.approx(now.t + 0.1) and sim.state.q[1] == pytest.approx(
        now.q[1] - 0.1, abs=1e-6
    )


# ---- simulators of models that were seen before --------------------------------------------------
def test_a_model_is_let_go_with_its_simulators():
    model = swinging()
    ht.simulate(model, 5 * STEP, STEP, progress=False)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_a_model_that_was_simulated_can_be_pickled_and_so_can_its_run():
    model = swinging()
    done = ht.simulate(model, 5 * STEP, STEP, save_every=1, progress=False)
    assert pickle.loads(pickle.dumps(model)) == model
    again = pickle.loads(pickle.dumps(done))
    assert_same(again, done)
    assert again.provenance == done.provenance


def test_options_that_only_look_alike_are_not_mixed_up():
    model = library.chain(2)
    ht.simulate(model, 3 * STEP, STEP, "cartesian_3", "rk4", progress=False, projection=True)
    with pytest.raises(ht.OptionError):
        ht.simulate(model, 3 * STEP, STEP, "cartesian_3", "rk4", progress=False, projection=1)


def test_parameters_of_a_hamiltonian_that_are_changed_are_seen():
    problem = ht.hamiltonian("p**2/2 + k*q**2/2", q={"q": 1.0}, p={"p": 0.0}, parameters={"k": 1.0})
    first = ht.simulate(problem, 1.0, 0.01, progress=False).q.values[-1, 0]
    problem.parameters["k"] = 4.0
    assert (
        ht.simulate(problem, 1.0, 0.01, progress=False).q.values[-1, 0]
        == pytest.approx(np.cos(2.0), abs=1e-10)
        != first
    )


def test_threads_may_simulate_one_model_at_once():
    model, found = swinging(), {}
    alone = ht.simulate(swinging(), 0.2, STEP, progress=False)

    def work(k):
        found[k] = [ht.simulate(model, 0.2, STEP, progress=False) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for runs in found.values():
        for run in runs:
            assert_same(run, alone)


# ---- what is loaded ------------------------------------------------------------------------------
def test_a_run_loads_neither_labels_nor_symbols_nor_plots():
    """xarray and pandas when labels are asked for; SymPy and matplotlib when there is something for
    them to do.
    """
    code = (
        "import sys, hamiltree as ht\n"
        "run = ht.simulate(ht.library.chain(3), until=0.01, step=1e-3, progress=False)\n"
        "run.energy_error, run.constraint_error, run.quaternion_error, run.status, run.statistics, "
        "repr(run)\n"
        "heavy = 'xarray', 'pandas', 'sympy', 'mpmath', 'matplotlib', 'netCDF4', 'rich', 'typer'\n"
        "loaded = [name for name in heavy if name in sys.modules]\n"
        "assert not loaded, loaded\n"
        "run.q; assert 'xarray' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_page_on_simulators_runs_as_it_stands(capsys):
    page = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    assert names["run"].energy_error < 1e-12
    assert capsys.readouterr().out.count("\n") == 2


@pytest.mark.parametrize("name", ["pd_arm", "inverted_pendulum"])
def test_the_examples_do_what_they_say(name, capsys):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.main(4.0, 2e-3) < 0.05
    printed = capsys.readouterr().out
    assert printed.count("\n") == 3 and "energy less work, error" in printed


# ---- what people type ----------------------------------------------------------------------------
def test_an_h_without_a_start_is_stepped_from_where_it_is_set():
    H = ht.hamiltonian("p**2/2 - cos(q)*(1 - p/6)", q="q", p="p")
    sim = ht.simulator(H, step=1e-2, integrator="rk4")
    sim.set(q={"q": 1.0}, p={"p": 0.2})
    sim.step(5)
    run = ht.simulate(
        H, until=0.05, step=1e-2, integrator="rk4", q={"q": 1.0}, p={"p": 0.2}, progress=False
    )
    assert (sim.state.q == run.q.values[-1]).all() and (sim.state.p == run.p.values[-1]).all()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda sim: sim.run(until=1, dt=1e-3),
            r"run has no argument 'dt': the step belongs to the simulator",
        ),
        (lambda sim: sim.run(untill=1), "run has no argument 'untill'; did you mean 'until'"),
        (lambda sim: sim.run(t_end=1), "run has no argument 't_end'; it is called 'until'"),
        (lambda sim: sim.set(velocity=1), "set has no argument 'velocity'; it is called 'qdot'"),
        (lambda sim: sim.set(inptus={}), "set has no argument 'inptus'; did you mean 'inputs'"),
    ],
)
def test_arguments_of_other_names_are_refused_with_the_right_one(call, sentence):
    with pytest.raises(ht.OptionError, match=sentence):
        call(ht.simulator(ht.library.pendulum(), step=1e-2))


def test_resuming_what_another_model_or_step_has_made_names_both():
    run = ht.simulate(ht.library.chain(3), until=0.02, step=1e-2, progress=False)
    with pytest.raises(ht.OptionError, match=r"that run was of 'chain\(3\)', this is 'pendulum'"):
        ht.simulator(ht.library.pendulum(), step=1e-2).run(until=1.0, resume=run)
    with pytest.raises(ht.OptionError, match=r"made with step 0\.01, this one with 0\.02"):
        ht.simulator(ht.library.chain(3), step=2e-2).run(until=1.0, resume=run)
