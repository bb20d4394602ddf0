"""A gimbal that locks ends its run and is named; what was computed before is kept.

A ball makes the same motion to the end.
"""

import numpy as np
import pytest

import hamiltree as ht

BODY = ht.Body("rotor", 1.0, (0.0, 0.0, -0.3), inertia=(0.1, 0.2, 0.15))


def spun(sequence, start, name="wrist"):
    """Turning about its second axis alone, from `start` at one radian a second, without gravity."""
    joint = ht.Gimbal(
        name, "ground", "rotor", sequence=sequence, q=(0.0, start, 0.0), qdot=(0.0, 1.0, 0.0)
    )
    return ht.Model(bodies=[BODY], joints=[joint], gravity=(0.0, 0.0, 0.0))


@pytest.mark.parametrize("integrator", ["gauss8", "rk4", "dop853"])
@pytest.mark.parametrize(
    ("sequence", "start", "lock"), [("zyx", 0.5, np.pi / 2 - 0.5), ("zxz", -0.5, 0.5)]
)
def test_a_gimbal_that_locks_ends_the_run_and_is_named(sequence, start, lock, integrator):
    with pytest.raises(ht.StepError, match="gimbal lock of joint 'wrist'") as caught:
        ht.simulate(
            spun(sequence, start), until=4.0, step=1e-2, integrator=integrator, progress=False
        )
    run = caught.value.trajectory
    assert "gimbal lock of joint 'wrist'" in run.status
    assert len(run.t) >= 1 and run.t.values[-1] <= lock + 1e-9
    assert np.isfinite(run.q.values).all()
    if integrator != "dop853":  # its steps are long: it may lose the last one
        assert run.t.values[-1] > lock - 0.05


def test_a_name_that_is_no_identifier_is_guarded_too():
    with pytest.raises(ht.StepError, match="gimbal lock of joint 'left-wrist'"):
        ht.simulate(spun("xyz", 0.5, "left-wrist"), until=4.0, step=1e-2, progress=False)


def test_a_gimbal_that_never_comes_near_its_lock_runs_to_the_end():
    model = spun("zyx", 0.0).with_(
        joints={"wrist": {"qdot": (1.0, 0.0, 0.3)}},
        bodies={"rotor": {"com": (0, 0, 0), "inertia": 1.0}},
    )
    run = ht.simulate(model, until=1.0, step=1e-2, progress=False)
    assert run.status == "complete" and run.energy_error < 1e-13


def test_a_ball_goes_where_the_gimbal_ends():
    ball = ht.Ball(
        "wrist", "ground", "rotor", q=(np.cos(0.25), 0.0, np.sin(0.25), 0.0), qdot=(0.0, 1.0, 0.0)
    )
    run = ht.simulate(
        ht.Model(bodies=[BODY], joints=[ball], gravity=(0, 0, 0)),
        until=4.0,
        step=1e-2,
        progress=False,
    )
    assert run.status == "complete" and run.energy_error < 1e-13 and run.quaternion_error < 1e-14


def test_a_failure_near_a_lock_names_it():
    """Off the plane motion of `spun` the lock is missed by little; the rates there are too fast for
    the step.
    """
    model = spun("zyx", 0.0).with_(joints={"wrist": {"qdot": (1e-3, 30.0, 1e-3)}})
    with pytest.raises(ht.StepError, match="gimbal lock of joint 'wrist'"):
        ht.simulate(model, until=20.0, step=2e-2, progress=False)


def test_a_start_in_lock_is_refused_by_name():
    with pytest.raises(ht.ModelError, match="joint 'wrist' \\(gimbal\\): gimbal lock"):
        ht.simulate(spun("zyx", np.pi / 2), until=1.0, progress=False)


# ---- what a run says of quaternions and speeds ---------------------------------------------------
def test_the_speeds_of_a_run_begin_with_those_of_the_model():
    model = ht.library.floating_tree(5, seed=3, joints=("ball", "revolute", "universal"))
    run = ht.simulate(model, until=0.01, step=1e-3, progress=False)
    assert tuple(run.speeds["speed"].values) == model.speeds
    np.testing.assert_allclose(run.speeds.values[0], model.start()[1], rtol=1e-12, atol=1e-13)


def test_a_method_that_keeps_no_quadratic_invariants_shows_a_quaternion_error():
    errors = {
        method: ht.simulate(
            ht.library.top(), until=0.2, step=1e-3, integrator=method, progress=False
        ).quaternion_error
        for method in ("gauss8", "midpoint", "rk4")
    }
    assert errors["gauss8"] < 1e-14 and errors["midpoint"] < 1e-13 and errors["rk4"] > 1e-9


def test_coordinates_of_several_axes_stand_in_events_with_an_underscore():
    model = ht.library.free_body(omega=(0.0, 0.0, 1.0))
    # half a turn: cos(t / 2) = 0
    run = ht.simulate(model, until=4.0, step=1e-2, events=["free_qw"], progress=False)
    np.testing.assert_allclose(run.sections["free_qw"]["t"].values, [np.pi], atol=1e-10)


def test_armature_takes_a_gimbal_through_its_lock():
    """The motion that is lost there has an inertia of its own."""
    model = spun("zyx", 0.5).with_(joints={"wrist": {"armature": 0.05}})
    run = ht.simulate(model, until=4.0, step=1e-2, progress=False)
    assert run.status == "complete" and run.energy_error < 1e-12


@pytest.mark.parametrize("name", ["3wrist", "wrist"])
def test_no_name_hides_a_lock(name):
    """Names that begin with a digit, or that another joint's would clash with in a formula."""
    model = spun("zyx", 0.5, name)
    other = ht.Body("other", 1.0, inertia=1.0)
    model = model.with_(
        bodies=(*model.bodies, other),
        joints=(*model.joints, ht.Revolute("wrist_2", "ground", "other")),
    )
    with pytest.raises(ht.StepError, match=f"gimbal lock of joint '{name}'"):
        ht.simulate(model, until=4.0, step=1e-2, progress=False)
