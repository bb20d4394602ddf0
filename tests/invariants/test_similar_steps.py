"""A model in other units of length, mass and time takes the same steps: nothing in the choice of a
step is an absolute number of seconds or metres.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import library
from hamiltree.model.units import Units, nondimensionalise

UNITS = [(2.0**-33, 2.0**-88, 2.0**-40), (2.0**37, 2.0**100, 2.0**25), (2.0**10, 1.0, 2.0**-20)]


def swinging_slider():
    """A pendulum on a slider with a spring: displacements and angles, from rest at zero."""
    bodies = [ht.Body("cart", 2.0, inertia=1.0), ht.Body("bob", 1.0, com=(0, 0, -0.7), inertia=0.1)]
    joints = [
        ht.Prismatic("x", "ground", "cart", axis=(1, 0, 0)),
        ht.Revolute("swing", "cart", "bob", axis=(0, 1, 0), qdot=2.0),
    ]
    return ht.Model(bodies=bodies, joints=joints, forces=[ht.JointSpring("x", 30.0)])


def run(model, time, **options):
    done = ht.simulate(model, 3.0 / time, 0.03 / time, progress=False, **options)
    return done, {key: done.statistics.get(key) for key in ("steps", "refused", "calls")}


@pytest.mark.parametrize("method", ["dop853", "dormand_prince5", "radau5"])
@pytest.mark.parametrize("make", [swinging_slider, lambda: library.n_pendulum(2, angles=1.0)])
def test_adaptive_steps_are_the_same_in_any_units(make, method):
    model = make()
    plain, counts = run(model, 1.0, integrator=method)
    for length, mass, time in UNITS:
        units = Units(length=length, mass=mass, time=time)
        other, other_counts = run(nondimensionalise(model, units), time, integrator=method)
        assert other_counts == counts
        scale = 1.0 / length if "x" in model.coordinates else 1.0
        np.testing.assert_allclose(
            other.q.values[:, 0], plain.q.values[:, 0] * scale, rtol=1e-12, atol=1e-12 * scale
        )


def test_generalised_alpha_iterates_the_same_in_any_units():
    model = swinging_slider()
    options = {"integrator": "generalised_alpha", "formulation": "cartesian_3"}
    plain, counts = run(model, 1.0, **options)
    for length, mass, time in UNITS:
        units = Units(length=length, mass=mass, time=time)
        other, other_counts = run(nondimensionalise(model, units), time, **options)
        assert other_counts["calls"] == pytest.approx(counts["calls"], rel=0.02)
        np.testing.assert_allclose(other.q.values[:, 1], plain.q.values[:, 1], rtol=0, atol=1e-9)
