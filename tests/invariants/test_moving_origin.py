"""A system that nothing fixes in space moves alike for every observer: speeds of km/s that all its
bodies share, and distances, take nothing from the accuracy within, nor from what is said of it.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.rotations import rotation_matrix

STEPS = {"rk4": 2e-3, "gauss4": 2e-3, "gauss8": 1e-2}


def satellite(velocity=(0.0, 0.0, 0.0), position=(0.0, 0.0, 0.0), forces=(), gravity=(0, 0, 0)):
    """A heavy bus with a light boom on a stiff hinge."""
    bus = ht.Body("bus", mass=1000.0, inertia=(500.0, 500.0, 500.0))
    boom = ht.Body("boom", mass=1.0, com=(0.5, 0, 0), inertia=(1e-3, 0.1, 0.1))
    free = ht.Free("free", "ground", "bus", q=(*position, 1, 0, 0, 0), qdot=(*velocity, 0, 0, 0.05))
    hinge = ht.Revolute("hinge", "bus", "boom", axis=(0, 0, 1), on_parent=(1, 0, 0), q=0.5)
    spring = ht.JointSpring("hinge", stiffness=400.0)
    return ht.Model([bus, boom], [free, hinge], forces=[spring, *forces], gravity=gravity)


def hinge(run):
    return run.q.sel(coordinate="hinge").values


def simulate(model, integrator="gauss8", until=2.0, **options):
    step = STEPS[integrator]
    every = round(0.1 / step)
    return ht.simulate(
        model, until, step, integrator=integrator, save_every=every, progress=False, **options
    )


@pytest.mark.parametrize("integrator", STEPS)
@pytest.mark.parametrize("speed", [7.5e3, 3e4])
def test_a_satellite_that_flies_moves_as_one_at_rest(integrator, speed):
    rest = simulate(satellite(), integrator)
    flying = simulate(satellite((speed, 0.3 * speed, -0.1 * speed)), integrator)
    assert np.abs(hinge(flying) - hinge(rest)).max() < 1e-9
    assert flying.energy_error == pytest.approx(rest.energy_error, rel=1e-2, abs=1e-14)


@pytest.mark.parametrize("formulation", ["kane_relative", "cartesian_3", "hamiltonian_tree"])
def test_a_satellite_far_away_moves_as_one_here(formulation):
    start = {"formulation": formulation, "until": 0.5}
    here = simulate(satellite((7e3, 0, 0)), **start)
    away = simulate(satellite((7e3, 0, 0), (4e7, -2e7, 1e7)), **start)
    assert np.abs(hinge(away) - hinge(here)).max() < 1e-9


def test_what_is_recorded_is_seen_from_the_ground():
    velocity = np.array([7.5e3, -2e3, 1e3])
    gravity = np.array([0.0, 0.3, -9.81])
    push = ht.BodyLoad("bus", force=(3.0, 0.0, -1.0))
    thrust = ht.BodyLoad("bus", force=(0.0, 20.0, 0.0), axes="body")
    rest = satellite(forces=(push, thrust), gravity=gravity)
    flying = satellite(tuple(velocity), forces=(push, thrust), gravity=gravity)
    a, b = simulate(rest), simulate(flying)
    shift = b.t.values[:, None] * velocity
    np.testing.assert_allclose(b.q.values[:, :3], a.q.values[:, :3] + shift, atol=1e-8)
    np.testing.assert_allclose(
        b.poses.values[:, 1, :3], a.poses.values[:, 1, :3] + shift, atol=1e-8
    )
    np.testing.assert_allclose(b.twists.values[:, :, 3:], a.twists.values[:, :, 3:] + velocity)
    # momenta, rates and energies belong to each other
    qdot, _ = ht.evaluate(flying, b.q.values[-1], b.p.values[-1])
    np.testing.assert_allclose(b.qdot.values[-1], qdot, rtol=1e-12, atol=1e-9)
    mass = np.array([1000.0, 1.0])
    height = b.poses.values[:, 0, :3]
    centre = rotation_matrix(b.poses.values[:, 1, 3:]) @ np.array([0.5, 0, 0])
    weight = -mass[0] * height @ gravity - mass[1] * (b.poses.values[:, 1, :3] + centre) @ gravity
    spring = 200.0 * hinge(b) ** 2
    pushed = -height @ np.array(push.force)
    np.testing.assert_allclose(b.potential_energy, weight + spring + pushed, rtol=1e-12)
    # H − work is constant from the ground too, to the digits that are left there
    energy = b.energy.values - b.work.values
    assert np.ptp(energy) < 1e-12 * energy[0]


def test_events_within_keep_the_moving_origin_and_events_in_space_do_not():
    flying = satellite((7.5e3, 0, 0))
    within = simulate(flying, sections=["hinge"])
    rest = simulate(satellite(), sections=["hinge"])
    points, others = within.sections["hinge"], rest.sections["hinge"]
    np.testing.assert_allclose(points.t.values, others.t.values, atol=1e-9)
    np.testing.assert_allclose(
        points.q.values[:, 0], others.q.values[:, 0] + 7.5e3 * others.t.values, atol=1e-6
    )
    crossed = ht.simulate(
        flying, 0.01, 1e-3, sections=["free_x - 30"], progress=False, integrator="rk4"
    )
    assert float(crossed.sections["free_x - 30"].t[0]) == pytest.approx(30 / 7.5e3, rel=1e-6)


def test_a_run_that_goes_on_has_the_bits_of_one_long_run():
    simulator = ht.simulator(satellite((7.5e3, 1e3, 0)), step=1e-2, integrator="gauss8")
    whole = simulator.run(until=1.0, save_every=10)
    half = simulator.run(until=0.5, save_every=10)
    rest = simulator.run(until=1.0, save_every=10, resume=half)
    np.testing.assert_array_equal(rest.q.values[-1], whole.q.values[-1])
    np.testing.assert_array_equal(rest.p.values[-1], whole.p.values[-1])


def test_steps_by_hand_are_seen_from_the_ground():
    simulator = ht.simulator(satellite((7.5e3, 0, 0)), step=1e-2, integrator="gauss8")
    simulator.step(10)
    assert simulator.state.q[0] == pytest.approx(750.0, abs=1e-2)
    assert simulator.state.qdot[0] == pytest.approx(7.5e3, abs=1e-1)


def test_an_event_fixed_in_space_is_refused_where_a_resumed_run_moves_its_origin():
    simulator = ht.simulator(satellite((7.5e3, 0, 0)), step=1e-2, integrator="gauss8")
    first = simulator.run(until=0.1)
    with pytest.raises(ht.OptionError, match="an event that is fixed in space"):
        simulator.run(until=0.2, resume=first, sections=["free_x - 1000"])


def test_an_adaptive_method_takes_as_many_steps_far_away_as_here():
    """A section in space keeps the origin of the world."""
    steps = []
    for place in ((0.0, 0.0, 0.0), (7e6, 0.0, 0.0)):
        run = ht.simulate(
            satellite((0.0, 10.0, 0.0), place),
            2.0,
            0.1,
            integrator="dormand_prince5",
            sections=["free_y - 1"],
            progress=False,
        )
        steps.append(run.statistics["steps"])
    assert steps[1] < 1.5 * steps[0]


@pytest.mark.parametrize("speed", [7.5e3, 3e4])
def test_a_start_by_momenta_moves_its_origin_too(speed):
    flying = satellite((speed, 0.3 * speed, -0.1 * speed), (4e4, 0.0, 0.0))
    by_speeds = simulate(flying, "rk4")
    p = by_speeds.p.values[0]
    still = simulate(satellite(position=(4e4, 0.0, 0.0)), "rk4", p=p)
    assert np.abs(hinge(still) - hinge(by_speeds)).max() < 1e-9
    np.testing.assert_allclose(still.p.values[0], p, rtol=1e-12, atol=1e-12 * np.abs(p).max())
    assert still.energy_error == pytest.approx(by_speeds.energy_error, rel=1e-2)


def test_a_slow_start_by_momenta_has_the_momenta_that_are_given():
    p = simulate(satellite(), until=0.1).p.values[0] + 0.01
    run = simulate(satellite(), until=0.1, p=p)
    assert np.array_equal(run.p.values[0], p)


def test_a_simulator_that_is_set_in_time_keeps_a_moving_origin():
    stepped = ht.simulator(satellite((7.5e3, 0.0, 0.0)), step=1e-2)
    stepped.step(50)
    stepped.set(t=0.0)
    assert stepped.state.t == 0.0
    stepped.step(150)
    rest = simulate(satellite())
    assert abs(stepped.state.q[-1] - hinge(rest)[-1]) < 1e-9


def test_a_simulator_that_is_set_in_time_has_no_worse_a_hinge_by_rk4():
    stepped = ht.simulator(satellite((3e4, 0.0, 0.0)), step=2e-3, integrator="rk4")
    stepped.set(t=5.0)
    stepped.step(1000)
    rest = simulate(satellite(), "rk4")
    assert abs(stepped.state.q[-1] - hinge(rest)[-1]) < 1e-9
