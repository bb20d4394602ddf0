"""The disc chain of the gallery: what its numbers would show if the cost or a norm went wrong,
without a run.
"""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from hamiltree.gallery.experiments import disc_chain


def run_of(errors):
    """What a trajectory says of norms: (samples, bodies)."""
    return SimpleNamespace(
        dataset=xr.Dataset({"norm_error": (("t", "body"), errors)}), statistics={"steps": 1000}
    )


def result_of(power, norm_error):
    """A step of 1 µs n^power in everything, and one body of eight that loses its norm for a
    moment.
    """
    errors = np.zeros((11, 8))
    errors[4, 5] = norm_error
    seconds = {n: 1e-6 * n**power for n in disc_chain.PARTICLE_COUNTS}
    times = dict.fromkeys(disc_chain.TIMED, seconds)
    return disc_chain.Result(times, times, {"gauss6": run_of(errors)})


def test_exponents_and_the_worst_norm_are_those_of_the_data():
    rows = {row.what: row for row in disc_chain.numbers(result_of(1.5, -3e-7))}
    assert rows["Gauss6: exponent of n_p, from 32 on"].difference == pytest.approx(-0.5)
    assert rows["splitting2: exponent of bodies, from 32 on"].difference == pytest.approx(0.5)
    assert rows["Gauss6: µs per step, 8 bodies of 8 particles"].ours == pytest.approx(8**1.5)
    assert rows["Gauss6: largest |‖q‖² − 1| of a body in 1000 steps"].ours == 3e-7


def test_the_chain_is_that_of_the_thesis_as_far_as_it_is_said():
    model = disc_chain.model(8, 12)
    body, (pairs, load) = model.bodies[3], model.forces
    x = np.array(body.particles.positions)
    assert len(x) == 12 and body.mass == pytest.approx(12.0)
    np.testing.assert_allclose(np.hypot(x[:, 1], x[:, 2]), 0.05, rtol=1e-14)
    np.testing.assert_allclose(np.abs(x[:, 0]), 0.0025, rtol=1e-14)
    assert (pairs.potential.epsilon, pairs.potential.sigma, pairs.between) == (
        1e-6,
        1.0,
        "neighbours",
    )
    assert [joint.kind for joint in model.joints] == ["weld", *["free"] * 7]
    assert load.body == "b8" and load.force == (0.03, 0.0, 0.0)
