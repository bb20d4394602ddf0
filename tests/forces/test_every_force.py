"""What holds for every force of the catalogue, by its examples: a new force is tested here too."""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.compiled.number import WIDTH
from hamiltree.errors import ModelError
from hamiltree.model import FORCES
from hamiltree.model.units import Units, nondimensionalise
from tests.forces.examples import EXAMPLES, articulated_model

CASES = [
    pytest.param(force, id=f"{kind}-{k + 1}")
    for kind in FORCES
    for k, force in enumerate(EXAMPLES.get(kind, ()))
]
every_force = pytest.mark.parametrize("force", CASES)
UNITS = Units(2.0, 3.0, 5.0)
TIME = 0.3
STEPS = (-3, -2, -1, 1, 2, 3)  # of a derivative of the sixth order
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60


def states(model, count=1, seed=3):
    """Positions away from the start, and speeds; none has its elbow or slide at rest."""
    rng = np.random.default_rng(seed)
    d = ht.dynamics(model)
    start, _ = model.start()
    q = np.array([d.integrate(start, rng.uniform(0.3, 0.7, d.freedoms)) for _ in range(count)])
    return q, rng.normal(size=(count, d.freedoms))


def derivative_along(d, q, direction, function, h=2e-3):
    """d function/ds along q(s) = q ⊕ s direction."""
    values = np.array([function(d.integrate(q, k * h * direction)) for k in STEPS])
    return WEIGHTS @ values / h


def test_every_force_has_an_example():
    assert set(EXAMPLES) == set(FORCES)
    assert all(force.kind == kind for kind, forces in EXAMPLES.items() for force in forces)


@every_force
def test_a_conservative_force_is_minus_the_gradient_of_its_energy(force):
    d = ht.dynamics(articulated_model(force))
    (q,), (qdot,) = states(d.model)

    def energy(at):
        return d.potentials(at, TIME)[0]

    gradient = [derivative_along(d, q, along, energy) for along in np.eye(d.freedoms)]
    if force.has_only_potential:
        assert d.forces(q, qdot, TIME) == pytest.approx(-np.array(gradient), rel=1e-8, abs=1e-9)
        assert np.abs(gradient).max() > 1e-3 and d.dissipations(q, qdot, TIME)[0] == 0.0
    elif force.kind == "body_load" and force.axes == "world":  # the torque beside is a load
        beside = ht.dynamics(articulated_model(replace(force, force=(0.0, 0.0, 0.0))))
        stored = d.forces(q, qdot, TIME) - beside.forces(q, qdot, TIME)
        assert stored == pytest.approx(-np.array(gradient), rel=1e-8, abs=1e-9)
        assert d.dissipations(q, qdot, TIME) == pytest.approx(beside.powers(q, qdot, TIME))
    else:  # what depends on no speed is the gradient, the rest is counted as work
        rest = np.zeros_like(qdot)
        stored = d.forces(q, rest, TIME) + gradient
        assert d.dissipations(q, rest, TIME)[0] == pytest.approx(0.0, abs=1e-12)
        assert energy(q) == 0.0 or stored == pytest.approx(0.0 * stored, abs=1e-7)


@every_force
def test_the_power_of_a_force_is_work_less_the_growth_of_its_energy(force):
    d = ht.dynamics(articulated_model(force))
    for q, qdot in zip(*states(d.model, 3), strict=True):
        growth = derivative_along(d, q, qdot, lambda at: d.potentials(at, TIME)[0])
        power = d.powers(q, qdot, TIME)[0]
        assert power == pytest.approx(d.dissipations(q, qdot, TIME)[0] - growth, rel=1e-7, abs=1e-9)


@every_force
def test_a_force_between_bodies_or_along_a_joint_does_not_act_on_the_whole(force):
    """Action = reaction: the free base feels nothing of forces inside, of loads it does, and of a
    potential that sees where bodies are in the world.
    """
    d = ht.dynamics(articulated_model(force))
    (q,), (qdot,) = states(d.model)
    on_base = d.forces(q, qdot, TIME)[:6]
    if force.kind == "pose_potential" and not force.is_relative:
        assert np.abs(on_base).max() > 1e-3
    elif "body" not in force.references.values():
        assert on_base == pytest.approx(np.zeros(6), abs=1e-11)
    elif force.kind != "body_input":
        assert np.abs(on_base).max() > 1e-3


@every_force
def test_lanes_equal_floats_bit_for_bit(force):
    model = articulated_model(force)
    q, qdot = states(model, 2 * WIDTH)
    together = ht.dynamics(model).forces(q, qdot, TIME)
    pairs = zip(q, qdot, strict=True)
    alone = np.array([ht.dynamics(model).forces(*state, TIME) for state in pairs])
    assert np.array_equal(together.view(np.int64), alone.view(np.int64))


@every_force
def test_derivatives_of_a_force_are_differences(force):
    model = articulated_model(force)
    d = ht.dynamics(model)
    (q,), (qdot,) = states(model)
    zero = np.zeros(d.freedoms)
    by_q, by_qdot, _ = d.inverse_derivatives(q, qdot, zero, TIME)
    for k, along in enumerate(np.eye(d.freedoms)):
        change = derivative_along(
            d, q, along, lambda at: d.inverse_dynamics(at, qdot, zero, t=TIME)
        )
        assert by_q[:, k] == pytest.approx(change, rel=1e-8, abs=1e-9)
        h = 1e-3
        speeds = [d.inverse_dynamics(q, qdot + s * h * along, zero, t=TIME) for s in STEPS]
        assert by_qdot[:, k] == pytest.approx(WEIGHTS @ np.array(speeds) / h, rel=1e-8, abs=1e-9)


@every_force
def test_units_know_a_force_or_refuse_it_by_name(force):
    """q̈ of the model without units, given them back, is q̈ of the model."""
    model = articulated_model(force, gravity=(0.1, 0.3, -9.0))
    try:
        plain = nondimensionalise(model, UNITS)
    except ModelError as error:
        assert str(error).startswith(force.describe(0)) and "formula" in str(error)
        return
    q, qdot = model.start()
    qdot = qdot + np.random.default_rng(2).normal(size=qdot.shape)
    speeds = [dimension for joint in model.joints for dimension in joint.speed_dimensions()]
    lengths = np.array([UNITS.length if each == "length" else 1.0 for each in speeds])
    plain_q, _ = plain.start()
    wanted = ht.dynamics(model).forward_dynamics(q, qdot, t=TIME)
    found = ht.dynamics(plain).forward_dynamics(
        plain_q, qdot * UNITS.time / lengths, t=TIME / UNITS.time
    )
    assert found * lengths / UNITS.time**2 == pytest.approx(wanted, rel=1e-10, abs=1e-12)
