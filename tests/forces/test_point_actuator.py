"""An actuator between two points: against springs, against an effort on a slider, and its work
against the tension times the change of length.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.files import model_from_toml, model_to_toml
from tests.forces.examples import AT, articulated_model

POINTS = "trunk", "hand", *AT
START = (0.3, 0.0, 0.0), (0.0, 0.4, 0.0)


def states(model, seed):
    d = ht.dynamics(model)
    rng = np.random.default_rng(seed)
    q = d.integrate(model.start()[0], rng.uniform(0.2, 0.6, d.freedoms))
    return d, q, rng.normal(size=d.freedoms)


def pull(t, x, out):
    out[0] = 3.0 * (x[0] - 0.8) + 0.6 * x[1]


@pytest.mark.parametrize(
    "actuator",
    [
        ht.PointActuator(*POINTS, "k*(l - 0.8) + c*v", {"k": 3.0, "c": 0.6}),
        ht.PointActuator(*POINTS, pull),
    ],
    ids=["formula", "function"],
)
def test_an_actuator_with_the_law_of_a_spring_and_damper_acts_as_one(actuator):
    spring = articulated_model(ht.PointSpring(*POINTS, 3.0, 0.8, 0.6))
    by_law, q, u = states(articulated_model(actuator), 4)
    as_spring = ht.dynamics(spring)
    found = by_law.forces(q, u, 0.0)
    assert found == pytest.approx(as_spring.forces(q, u, 0.0), rel=1e-13, abs=1e-14)
    assert abs(found).max() > 0.1
    assert by_law.potentials(q)[0] == 0.0 and as_spring.potentials(q)[0] > 0.01


def slider(*forces):
    """A sled on a rail along (1, 2, 2), 0.9 m from the end of the rail, and a pendulum on it."""
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    bodies = [
        ht.Body("sled", 2.0, (0.1, 0.0, 0.0), (0.1, 0.2, 0.3)),
        ht.Body("bob", 1.0, (0.0, 0.0, -0.4), (0.02, 0.02, 0.01)),
    ]
    joints = [
        ht.Prismatic("rail", "ground", "sled", axis=tuple(axis), q=0.9, qdot=0.3),
        ht.Revolute("pin", "sled", "bob", axis=(0, 1, 0), q=0.4),
    ]
    return ht.Model(bodies, joints, forces)


ORIGIN = (0.0, 0.0, 0.0)
PUSH = ht.PointActuator("ground", "sled", ORIGIN, ORIGIN, -4.0)


def test_an_actuator_along_a_slider_is_an_effort_of_the_slider():
    """l is the slider's coordinate; tension pulls it back, an effort pushes it on."""
    wanted = slider(ht.JointEffort("rail", 4.0))
    for formulation in ("cartesian_1", "cartesian_2", "cartesian_3"):
        found = ht.accelerations(slider(PUSH), formulation=formulation)
        other = ht.accelerations(wanted, formulation=formulation)
        assert found.acceleration.values == pytest.approx(other.acceleration.values, rel=1e-12)
    by_law = slider(ht.PointActuator("ground", "sled", ORIGIN, ORIGIN, "-4*cos(t) + l*v"))
    by_joint = slider(ht.JointLaw("rail", "4*cos(t) - q*v"))
    q, u = by_law.start()
    assert ht.dynamics(by_law).forward_dynamics(q, u, t=0.7) == pytest.approx(
        ht.dynamics(by_joint).forward_dynamics(q, u, t=0.7), rel=1e-13
    )


def swung():
    bodies = [
        ht.Body("upper", 1.5, (0.0, 0.0, -0.3), (0.05, 0.05, 0.02)),
        ht.Body("lower", 1.0, (0.0, 0.0, -0.25), (0.03, 0.03, 0.01)),
    ]
    joints = [
        ht.Revolute("hip", "ground", "upper", axis=(0, 1, 0), q=0.5),
        ht.Revolute("knee", "upper", "lower", (0, 0, -0.6), axis=(1, 1, 0), q=-0.8, qdot=0.5),
    ]
    law = ht.PointActuator("ground", "lower", *START, "6*sin(5*t) - 0.7*v + 2*l", name="leg")
    return ht.Model(bodies, joints, [law])


def floating():
    """Two free bodies that an actuator alone connects."""
    bodies = [ht.Body(name, 1.0, (0.1, 0.0, 0.0), (0.2, 0.3, 0.4)) for name in "ab"]
    joints = [
        ht.Free("fa", "ground", "a", qdot=(0.1, 0, 0, 0.4, 0.2, 0)),
        ht.Free("fb", "ground", "b", (1.0, 0.3, 0.0), qdot=(0, 0.2, 0, 0, 0.5, 0.1)),
    ]
    law = ht.PointActuator("a", "b", *AT, "3*sin(5*t) - 0.4*v + l")
    return ht.Model(bodies, joints, [law], gravity=(0, 0, 0))


@pytest.mark.parametrize(
    "model, also",
    [(swung(), ()), (floating(), ("free_bodies_quaternion", "free_bodies_rotation"))],
    ids=["arm", "floating"],
)
def test_every_formulation_knows_an_actuator_and_they_agree(model, also):
    found = ht.compare(model)
    assert found.agree, str(found)
    known = {"hamiltonian_tree", "hamiltonian_loops", "kane_relative", "kane_absolute", *also}
    known |= {"cartesian_1", "cartesian_2", "cartesian_3", "cartesian_hamiltonian"}
    assert known <= set(found.accelerations.formulation.values.tolist())


def test_the_work_of_an_actuator_is_minus_the_tension_times_the_change_of_length():
    """By Simpson's rule along the motion, from the positions of the two points alone."""
    run = ht.simulate(
        swung(), until=0.5, step=1e-3, integrator="gauss8", save_every=1, progress=False
    )
    pose = run.poses.sel(body="lower").values
    turn = np.array([ht.Frame((0, 0, 0), tuple(q)).matrix for q in pose[:, 3:]])
    end = pose[:, :3] + turn @ START[1]
    length = np.linalg.norm(end - START[0], axis=1)
    h = 1e-3
    rate = (length[:-4] - 8 * length[1:-3] + 8 * length[3:-1] - length[4:]) / (12 * h)
    t, inner = run.t.values[2:-2], length[2:-2]
    power = -(6 * np.sin(5 * t) - 0.7 * rate + 2 * inner) * rate
    parts = h / 3 * (power[:-2:2] + 4 * power[1:-1:2] + power[2::2])
    work = run.work.values
    assert parts.sum() == pytest.approx(work[2:-2][2 * len(parts)] - work[2], rel=1e-9)
    assert abs(parts.sum()) > 0.01 and run.energy_error < 1e-11


# ---- as data -------------------------------------------------------------------------------------
def test_an_actuator_is_read_back_from_a_file_as_it_was():
    model = swung()
    assert model_from_toml(model_to_toml(model)).forces == model.forces
    with pytest.raises(ht.ModelError, match="function"):
        model_to_toml(articulated_model(ht.PointActuator(*POINTS, pull)))


def test_a_length_where_the_points_meet_has_no_direction_and_no_force():
    d = ht.dynamics(slider(ht.PointActuator("ground", "sled", ORIGIN, ORIGIN, 7.0)))
    assert d.forces(np.zeros(2), np.zeros(2)).tolist() == [0.0, 0.0]


def test_a_wrong_actuator_is_refused_by_name():
    with pytest.raises(ht.ModelError, match="belong to formulas"):
        ht.PointActuator(*POINTS, pull, {"k": 1.0})
    with pytest.raises(ht.ModelError, match="tension = None is no formula"):
        ht.PointActuator(*POINTS, None)
    with pytest.raises(ht.ModelError, match="body_b"):
        ht.PointActuator("hand", "hand", *AT, 1.0)
    leg = ht.PointActuator(*POINTS, "k*x", {"k": 1.0}, name="leg")
    with pytest.raises(ht.ModelError, match="leg.*tension.*'x'") as caught:
        ht.dynamics(articulated_model(leg)).forces(*articulated_model().start())
    assert caught.value.part == ("force", "leg")
