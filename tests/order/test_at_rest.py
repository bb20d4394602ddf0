"""Implicit steps of models that rest: forces in equilibrium leave their rounding, beside which
momenta have no size of their own.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model.units import Units, nondimensionalise

pytestmark = pytest.mark.filterwarnings("ignore:.*Nothing moves")
STEPS = 100
UNITS = [(2.0**-33, 2.0**-88, 2.0**-40), (2.0**37, 2.0**100, 2.0**25), (2.0**10, 1.0, 2.0**-20)]


def hanging_chain(n: int, seed: int = 0) -> ht.Model:
    """Hinged boxes whose coordinates are zero where they hang at rest."""
    model = ht.library.chain(n, seed)
    angles = ht.equilibrium(model).q
    joints = [
        replace(joint, on_parent=turn_about_z(joint.on_parent, angle))
        for joint, angle in zip(model.joints, angles, strict=True)
    ]
    return model.with_(joints=joints)


def turn_about_z(frame: ht.Frame, angle: float) -> ht.Frame:
    c, s = np.cos(angle), np.sin(angle)
    return replace(frame, rotation=frame.matrix @ [[c, -s, 0], [s, c, 0], [0, 0, 1]])


def hanging_slider() -> ht.Model:
    """A weight on a spring, along an axis that is nowhere exact."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    body = ht.Body("weight", 2.0, inertia=1.0, com=(0.1, 0.2, 0.3))
    rail = ht.Prismatic("rail", "ground", "weight", axis=tuple(axis))
    model = ht.Model(bodies=[body], joints=[rail], forces=[ht.JointSpring("rail", 30.0)])
    return replace(model, joints=[replace(rail, q=float(ht.equilibrium(model).q[0]))])


def pendulum_on_slider() -> ht.Model:
    """Displacements beside angles."""
    bodies = [ht.Body("cart", 2.0, inertia=1.0), ht.Body("bob", 1.0, com=(0, 0, -0.7), inertia=0.1)]
    joints = [
        ht.Prismatic("x", "ground", "cart", axis=(1, 0, 0)),
        ht.Revolute("swing", "cart", "bob", axis=(0, 1, 0)),
    ]
    return ht.Model(bodies=bodies, joints=joints, forces=[ht.JointSpring("x", 30.0)])


MODELS = {
    "one": cache(lambda: hanging_chain(1)),
    "three": cache(lambda: hanging_chain(3, seed=1)),
    "ten": cache(lambda: hanging_chain(10, seed=1)),
    "slider": cache(hanging_slider),
    "mixed": cache(pendulum_on_slider),
}


def run(model: ht.Model, amplitude: float, step: float = 0.03, **options) -> ht.Trajectory:
    q = amplitude + np.array([joint.q for joint in model.joints])
    rest = np.zeros(len(q))
    return ht.simulate(
        model, q=q, qdot=rest, step=step, until=STEPS * step, progress=False, **options
    )


@pytest.mark.parametrize("solver", ["fixed_point", "newton"])
@pytest.mark.parametrize("method", ["gauss8", "radau_iia5", "lobatto_pair4"])
@pytest.mark.parametrize("name", MODELS)
def test_a_model_at_rest_stays_there_and_costs_little(name, method, solver):
    for amplitude in (0.0, 1e-17, 1e-16, 1e-13, 1e-10):
        done = run(MODELS[name](), amplitude, integrator=method, solver=solver)
        assert done.status == "complete"
        assert done.statistics["calls"] < 14 * STEPS
        assert np.ptp(done.q.values, axis=0).max() < 1e-13 + 50 * amplitude


@pytest.mark.parametrize("method", ["gauss8", "radau_iia5"])
@pytest.mark.parametrize("name", ["three", "mixed"])
def test_rest_is_the_same_in_any_units(name, method):
    model = MODELS[name]()
    plain = run(model, 1e-16, integrator=method)
    for length, mass, time in UNITS:
        other_model = nondimensionalise(model, Units(length=length, mass=mass, time=time))
        unit = np.array([length if label == "x" else 1.0 for label in model.coordinates])
        q = 1e-16 / unit
        done = ht.simulate(
            other_model,
            q=q,
            qdot=0.0 * q,
            step=0.03 / time,
            until=STEPS * 0.03 / time,
            integrator=method,
            progress=False,
        )
        assert done.statistics["calls"] == plain.statistics["calls"]
        np.testing.assert_array_equal(done.q.values * unit, plain.q.values)


def test_members_of_a_study_rest_as_they_do_alone():
    model, angles = MODELS["three"](), [0.0, 1e-16, 1e-13, 1e-10, 1e-3]
    options = {"until": 3.0, "step": 0.03, "integrator": "gauss6", "progress": False}
    found = ht.study(model, {"q.j1": angles}, keep="end", **options).data
    for k, angle in enumerate(angles):
        alone = ht.simulate(model, q={"j1": angle}, **options)
        np.testing.assert_array_equal(found["q_end"].values[k], alone.q.values[-1])
