"""Motors and servos along joints: clipped at their ranges and at the effort limits of joints."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import ModelError
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.model.units import Units, nondimensionalise


def two_hinges(*forces, **limits):
    bodies = [ht.Body(name, 1.0, (0, 0, -0.3), (0.1, 0.1, 0.1)) for name in ("upper", "fore")]
    shoulder = ht.Revolute("shoulder", "ground", "upper", axis=(0, 1, 0))
    elbow = ht.Revolute(
        "elbow", "upper", "fore", on_parent=(0, 0, -1), axis=(0, 1, 0), limits=ht.Limits(**limits)
    )
    return ht.Model(bodies, [shoulder, elbow], forces)


def efforts(model, q, qdot, **controls):
    inputs = Inputs(model)
    with use_inputs(inputs):
        d = ht.dynamics(model)
    inputs.values[:] = [controls[name] for name in inputs.labels]
    return d.forces(q, qdot)


def test_the_effort_is_clipped_at_its_range_and_at_the_limit_of_the_joint():
    servo = ht.JointActuator("elbow", 50.0, 1.0, 50.0, 3.0, (-1.0, 1.0), (-20.0, 30.0), name="s")
    q, qdot = np.random.default_rng(0).normal(size=(2, 40, 2))
    for limit in (np.inf, 12.0):
        for u in (-3.0, 0.2, 3.0):
            found = efforts(two_hinges(servo, effort=limit), q, qdot, s=u)
            raw = 50.0 * np.clip(u, -1, 1) + 1.0 - 50.0 * q[:, 1] - 3.0 * qdot[:, 1]
            expected = np.clip(np.clip(raw, -20.0, 30.0), -limit, limit)
            assert found[:, 1] == pytest.approx(expected, abs=1e-12) and not found[:, 0].any()


def test_an_actuator_of_a_joint_that_follows_does_its_work_on_the_leader():
    servo = ht.JointActuator("elbow", 9.0, 0.5, 9.0, 2.0, effort=(-6.0, 4.0))
    model = two_hinges(servo, effort=5.0)
    tied = model.with_(couplings=[ht.Mimic("elbow", "shoulder", ratio=-2.0, offset=0.3)])
    for x, v in np.random.default_rng(1).normal(size=(30, 2)):
        on_elbow = efforts(model, [x, -2 * x + 0.3], [v, -2 * v], elbow=0.7)[1]
        assert efforts(tied, [x], [v], elbow=0.7) == pytest.approx([-2.0 * on_elbow], abs=1e-12)


def test_units_and_wrong_ranges():
    servo = ht.JointActuator("elbow", 9.0, 0.5, 9.0, 2.0, (-1.0, 1.0), (-6.0, 4.0))
    units = Units(length=2.0, mass=4.0, time=0.5)
    made = nondimensionalise(two_hinges(servo), units).forces[0]
    torque = 4.0 * 2.0**2 / 0.5**2
    assert (made.gain, made.stiffness, made.effort[1]) == (9 / torque, 9 / torque, 4 / torque)
    assert made.damping == 2.0 / (torque * 0.5) and made.control == (-1.0, 1.0)
    with pytest.raises(ModelError, match=r"control = \(1.0, -1.0\) is no range"):
        ht.JointActuator("elbow", control=(1.0, -1.0))
