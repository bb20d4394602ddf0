"""Stops and friction too stiff for the step are named before a run, with a step and a method."""

import warnings

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.axis_inertias import axis_inertias
from hamiltree.assembly.body_states import BodyStates
from hamiltree.errors import AccuracyWarning
from hamiltree.rotations import rotation_matrix
from tests.forces.examples import articulated_model

INERTIA = 0.1


def pendulum(*forces, size=1.0):
    bob = ht.Body("b", 1.0, (0, 0, -0.3 * size), tuple(0.01 * size**2 for _ in range(3)))
    return ht.Model([bob], [ht.Revolute("j", "ground", "b", axis=(0, 1, 0), q=1.0)], forces)


def stop(angle_per_step, step=1e-3, inertia=INERTIA):
    """A stop that vibrates by this angle in a step."""
    return ht.JointLimit("j", -0.5, 1.5, stiffness=(angle_per_step / step) ** 2 * inertia)


def friction(constants_per_step, step=1e-3):
    return ht.JointFriction("j", 1.0, smoothing=step / (constants_per_step * INERTIA))


def warned(model, **options):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", AccuracyWarning)
        ht.simulate(model, **{"until": 0.01, "step": 1e-3, "progress": False, **options})
    assert all(one.filename == __file__ for one in found)
    return [str(one.message) for one in found if "too stiff" in str(one.message)]


@pytest.mark.parametrize(("make", "longest", "good"), [(stop, 0.5, 0.1), (friction, 2.0, 1.0)])
def test_what_is_too_stiff_for_the_step_is_named_with_a_step_that_does(make, longest, good):
    assert not warned(pendulum(make(0.9 * longest)))
    (message,) = warned(pendulum(make(1.1 * longest)))
    step = 1e-3 * good / (1.1 * longest)
    kind = "joint_limit" if make is stop else "joint_friction"
    assert f"force 1 ({kind} on 'j') acts within" in message
    assert f"take step={step:.1g}, or integrator='radau5'" in message
    assert not warned(pendulum(make(1.1 * longest)), step=step, until=3 * step)
    assert not warned(pendulum(make(10 * longest)), integrator="radau5")


def test_the_advice_is_right():
    model = pendulum(stop(3.0), friction(5.0))
    (message,) = warned(model)
    assert "force 1" in message and "and 1 more" in message
    exact = ht.simulate(
        model, until=0.5, integrator="radau5", rtol=1e-11, atol=1e-12, progress=False
    ).q.values[-1, 0]
    with pytest.warns(AccuracyWarning, match="too stiff"):
        bad = ht.simulate(model, until=0.5, step=1e-3, integrator="rk4", progress=False)
    good = ht.simulate(model, until=0.5, step=2e-5, integrator="rk4", progress=False)
    assert abs(good.q.values[-1, 0] - exact) < 1e-2 * abs(bad.q.values[-1, 0] - exact)


def test_a_smaller_mechanism_is_warned_of_alike():
    for angle in (0.6, 0.4):
        small = pendulum(stop(angle, 1e-6, INERTIA * 1e-12), size=1e-6)
        assert len(warned(small, step=1e-6, until=1e-5)) == (angle > 0.5)


def test_a_stop_of_a_joint_that_follows_counts_on_its_leader():
    arm = ht.Body("c", 1e-3, (0, 0, -0.1), (1e-5,) * 3)
    follower = ht.Revolute("k", "b", "c", axis=(0, 1, 0))
    limit = ht.JointLimit("k", -9.0, 9.0, stiffness=(0.6 / 1e-3) ** 2 * INERTIA / 9)
    model = ht.Model(
        [*pendulum().bodies, arm],
        [*pendulum().joints, follower],
        [limit],
        couplings=[ht.Mimic("k", "j", ratio=3.0)],
    )
    assert warned(model)


def test_inertias_of_axes_are_the_diagonal_of_the_mass_matrix():
    model = articulated_model()
    rng = np.random.default_rng(2)
    d = ht.dynamics(model)
    q = d.integrate(model.start()[0], rng.normal(size=len(model.speeds)))
    poses = d.poses(q)
    states = BodyStates(rotation_matrix(poses[:, 3:]), poses[:, :3], np.zeros((len(poses), 6)))
    diagonal = dict(zip(model.speeds, np.diag(d.mass_matrix(q)), strict=True))
    wanted = [name for name in model.coordinates if name in diagonal]
    found = axis_inertias(model, states, q, wanted)
    assert len(wanted) >= 2 and set(found) == set(wanted)
    for name in wanted:
        assert found[name] == pytest.approx(diagonal[name], rel=1e-12)
