"""What is recorded at a time does not depend on how many steps lie between samples: whole turns of
angles and signs of quaternions are followed at every step.
"""

import numpy as np
import pytest

import hamiltree as ht

BODY = {"mass": 1.0, "inertia": (0.02, 0.03, 0.04), "com": (0.0, 0.0, -0.3)}


def flywheel(stiffness=1.0, speed=20.0):
    """θ̈ = −k θ about an axis, J = 1 kg m²: θ = (speed/ω) sin ωt."""
    return ht.Model(
        [ht.Body("wheel", 1.0, inertia=(1.0, 1.0, 1.0))],
        [ht.Revolute("axle", "ground", "wheel", qdot=speed)],
        [ht.JointSpring("axle", stiffness=stiffness)] if stiffness else [],
        gravity=(0, 0, 0),
    )


def tumbling_pair():
    """A ball, and a universal joint on it."""
    joints = [
        ht.Ball("ball", "ground", "a", qdot=(9.0, 3.0, 14.0)),
        ht.Universal("cross", "a", "b", on_parent=(0, 0, -0.6), qdot=(2.0, 1.0)),
    ]
    return ht.Model([ht.Body("a", **BODY), ht.Body("b", **BODY)], joints)


def three_turns():
    """Three turns about one point, of which two go round many times."""
    axes = [("turn", (0, 0, 1)), ("turn", (1, 0, 0)), ("turn", (0, 1, 0))]
    joint = ht.Axes("gimbal", "ground", "a", axes=axes, q=(0.1, 0.2, 0.3), qdot=(9.0, 0.5, 7.0))
    return ht.Model([ht.Body("a", 1.0, inertia=(0.02, 0.03, 0.04))], [joint], gravity=(0, 0, 0))


def screw():
    return ht.Model(
        [ht.Body("a", **BODY)],
        [ht.Screw("screw", "ground", "a", axis=(0, 0, 1), pitch=0.1, qdot=30.0)],
    )


def free_body():
    return ht.Model(
        [ht.Body("a", 1.0, inertia=(0.02, 0.03, 0.04))],
        [ht.Free("free", "ground", "a", qdot=(1.0, 0.0, 0.0, 9.0, 3.0, 14.0))],
    )


def carousel():
    """A body on a prescribed rotation, and one that a spring holds to it."""
    model = free_body()
    turned = ht.Body("table", 1.0, inertia=(1.0, 1.0, 1.0))
    return model.with_(
        bodies=[*model.bodies, turned],
        joints=[*model.joints, ht.Free("pivot", "ground", "table")],
        constraints=[ht.Motion("table", rotation=("0", "0", "20*t"))],
    )


def turning_pin():
    """A four-bar whose closing joint turns fully, against a spring that counts its turns."""
    made = ht.library.four_bar(speed=10.0)
    names = ("rocker_pivot", "coupler_pin", "crank_pin", "crank_pivot")
    joints = [made.joint(name) for name in names]
    forces = [ht.JointSpring("crank_pivot", stiffness=0.005)]
    return ht.Model(made.bodies, joints, forces, name="turning pin")


def geared():
    """A wheel at half the angle of the first, which a spring holds."""
    wheel = {"mass": 1.0, "inertia": (0.01, 0.01, 0.02)}
    joints = [
        ht.Revolute("r1", "ground", "first", qdot=25.0),
        ht.Revolute("r2", "ground", "second", on_parent=(1, 0, 0)),
    ]
    return ht.Model(
        [ht.Body("first", **wheel), ht.Body("second", **wheel)],
        joints,
        [ht.JointSpring("r1", stiffness=0.01)],
        couplings=[ht.Mimic("r2", of="r1", ratio=0.5)],
        gravity=(0, 0, 0),
    )


COVERING = [
    (flywheel, "cartesian_3", "gauss8"),
    (flywheel, "cartesian_3", "dop853"),
    (flywheel, "cartesian_hamiltonian", "rattle"),
    (flywheel, "hamiltonian_tree", "gauss8"),
    (tumbling_pair, "cartesian_3", "rk4"),
    (tumbling_pair, "kane_absolute", "rk4"),
    (three_turns, "cartesian_3", "rk4"),
    (three_turns, "kane_absolute", "rk4"),
    (screw, "cartesian_3", "radau5"),
    (screw, "cartesian_3", "generalised_alpha"),
    (free_body, "free_bodies_quaternion", "gauss8"),
    (free_body, "free_bodies_rotation", "spark6"),
    (carousel, "free_bodies_quaternion", "gauss8"),
    (turning_pin, "hamiltonian_loops", "spark6"),
    (turning_pin, "cartesian_3", "rk4"),
    (geared, "cartesian_3", "rk4"),
    (ht.library.four_bar, "hamiltonian_loops", "spark6"),
    (tumbling_pair, "kane_relative", "rk4"),
]


def run_of(model, **options):
    options = {"until": 2.0, "step": 0.01, "progress": False} | options
    return ht.simulate(model, **options)


def assert_same_rows(whole, other):
    """Every sample of `other` is one of `whole`, to the bit."""
    all_rows, rows = whole.dataset, other.dataset
    at = np.searchsorted(all_rows.t.values, rows.t.values)
    for name, values in rows.data_vars.items():
        if "t" in values.dims:
            np.testing.assert_array_equal(all_rows[name].values[at], values.values, err_msg=name)


@pytest.mark.parametrize(("make", "formulation", "integrator"), COVERING)
def test_rows_are_the_same_to_the_bit_whatever_lies_between_them(make, formulation, integrator):
    model = make()
    chosen = {"formulation": formulation, "integrator": integrator}
    whole = run_of(model, save_every=1, **chosen)
    for every in (7, 1000):
        assert_same_rows(whole, run_of(model, save_every=every, **chosen))


def test_a_flywheel_on_a_spring_is_recorded_with_its_turns_at_any_spacing():
    run = run_of(flywheel(), save_every=200, formulation="cartesian_3", integrator="gauss8")
    assert float(run.q.values[-1, 0]) == pytest.approx(20.0 * np.sin(2.0), abs=1e-12)
    energy = 0.5 * (20.0 * np.sin(2.0)) ** 2
    assert float(run.potential_energy.values[-1]) == pytest.approx(energy, abs=1e-10)
    assert run.energy_error < 1e-14


@pytest.mark.parametrize("angle", [3.1, -3.1, 4.0])
def test_turns_are_counted_however_far_an_even_rotation_goes_in_a_step(angle):
    """Poses are read after each step; the rate says how many turns lie between."""
    run = run_of(
        flywheel(0.0, angle / 0.01),
        until=0.2,
        save_every=3,
        formulation="cartesian_3",
        integrator="gauss8",
        projection=True,
    )
    np.testing.assert_allclose(np.diff(run.q.values[:-1, 0]), 3 * angle, rtol=1e-3)


def test_a_spring_knows_its_turns_inside_steps_of_three_radians():
    """The stages of a step may lie more than half a turn from where the last step has ended."""
    model = flywheel(stiffness=1e-3, speed=300.0)
    chosen = {"until": 1.0, "formulation": "cartesian_3", "integrator": "gauss8"}
    run = run_of(model, save_every=50, **chosen)
    frequency = np.sqrt(1e-3)
    exact = 300.0 / frequency * np.sin(frequency * run.t.values)
    np.testing.assert_allclose(run.q.values[:, 0], exact, rtol=1e-2)
    assert run.energy_error < 1e-2


@pytest.mark.parametrize(
    ("make", "formulation", "integrator"),
    [
        (flywheel, "cartesian_3", "gauss8"),
        (three_turns, "cartesian_3", "rk4"),
        (free_body, "free_bodies_rotation", "spark6"),
        (turning_pin, "hamiltonian_loops", "spark6"),
    ],
)
def test_a_run_that_goes_on_and_steps_by_hand_count_on(make, formulation, integrator):
    sim = ht.simulator(make(), step=0.01, formulation=formulation, integrator=integrator)
    whole = sim.run(until=2.0, save_every=1)
    rest = sim.run(until=2.0, save_every=50, resume=sim.run(until=0.5, save_every=1000))
    assert (rest.q.values[-1] == whole.q.values[-1]).all()
    assert rest.potential_energy.values[-1] == whole.potential_energy.values[-1]
    sim.step(200)
    assert (sim.state.q == whole.q.values[-1]).all()
    assert sim.state.potential_energy == whole.potential_energy.values[-1]


def test_a_start_with_turns_is_counted_on_from_there():
    wheel = flywheel()
    chosen = {"formulation": "cartesian_3", "integrator": "gauss8", "save_every": 100}
    first = run_of(wheel, until=1.0, **chosen)
    end = {"q": first.q.values[-1], "qdot": first.qdot.values[-1]}
    second = run_of(wheel, until=2.0, t=1.0, **end, **chosen)
    assert float(second.q.values[-1, 0]) == pytest.approx(20.0 * np.sin(2.0), abs=1e-11)


def test_crossings_are_located_with_the_turns_of_the_step_that_they_lie_in():
    """Steps are taken again when the run is many steps further, and the spring more turns: cut into
    short runs, it has the same crossings to the bit.
    """
    sim = ht.simulator(turning_pin(), step=2e-3)
    watched = {"sections": ["p_rocker_pivot"]}
    whole = sim.run(until=4.0, **watched).sections["p_rocker_pivot"]
    last = sim.run(until=0.1, **watched)
    times = [last.sections["p_rocker_pivot"].t.values]
    for k in range(2, 41):
        last = sim.run(until=0.1 * k, resume=last, **watched)
        times.append(last.sections["p_rocker_pivot"].t.values)
    assert len(whole.t) > 4
    np.testing.assert_array_equal(np.concatenate(times), whole.t.values)


def test_the_last_row_of_a_long_run_is_the_same_whether_it_is_a_sample_or_the_end():
    """Whole turns are taken out of the state after every thousand steps: not before a sample."""
    four_bar = ht.library.four_bar(speed=20.0)
    chosen = {"until": 1.0, "step": 1e-3}
    whole = run_of(four_bar, save_every=1, **chosen)
    assert abs(whole.q.values).max() > 2 * np.pi
    for every in (3, 999, 4000):
        assert_same_rows(whole, run_of(four_bar, save_every=every, **chosen))
