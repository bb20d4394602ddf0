"""Runs in absolute coordinates: formulations I, II, III under Runge–Kutta methods with projection,
and generalised-α at index 3.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FitError, OptionError

UNTIL = 0.3


def run_of(model, **options):
    return ht.simulate(model, until=UNTIL, step=2e-3, progress=False, **options)


@pytest.fixture(scope="module")
def reference():
    return run_of(ht.library.slider_crank(), integrator="spark6")


@pytest.mark.parametrize(
    "formulation, integrator, close",
    [
        ("cartesian_1", "rk4", 1e-6),
        ("cartesian_2", "rk4", 1e-6),
        ("cartesian_3", "rk4", 1e-6),
        ("cartesian_3", None, 1e-6),
    ],
)
def test_a_slider_crank_moves_alike_in_absolute_coordinates(
    reference, formulation, integrator, close
):
    """None is the default, which chooses its steps.

    Openings count every row of every joint, those of the tree too.
    """
    run = run_of(ht.library.slider_crank(), formulation=formulation, integrator=integrator)
    np.testing.assert_allclose(run.q.values[-1], reference.q.values[-1], atol=close)
    np.testing.assert_allclose(run.qdot.values[-1], reference.qdot.values[-1], atol=100 * close)
    np.testing.assert_allclose(run.poses.values[-1], reference.poses.values[-1], atol=close)
    assert run.constraint_error < 1e-14
    assert run.velocity_constraint_error < 1e-12
    assert run.energy_error < 1e-6


def test_generalised_alpha_keeps_positions_to_rounding_and_speeds_to_its_order(reference):
    run = run_of(ht.library.slider_crank(), integrator="generalised_alpha")
    assert run.provenance["formulation"] == "cartesian_3"
    np.testing.assert_allclose(run.q.values[-1], reference.q.values[-1], atol=5e-3)
    assert run.constraint_error < 1e-12
    assert 1e-9 < run.velocity_constraint_error < 1e-2  # index 3: nothing projects them


def test_joints_come_apart_without_projection_also_with_baumgarte():
    errors = [
        run_of(
            ht.library.slider_crank(), formulation="cartesian_3", integrator="rk4", **options
        ).constraint_error
        for options in ({}, {"baumgarte": 50}, {"projection": False})
    ]
    assert errors[0] < 1e-14 < 1e-10 < min(errors[1:])
    assert errors[1] != errors[2]


def test_options_that_contradict_each_other_are_refused():
    crank = ht.library.slider_crank()
    with pytest.raises(OptionError, match="baumgarte"):
        run_of(crank, integrator="generalised_alpha", baumgarte=10)
    with pytest.raises(OptionError, match="one of them"):
        run_of(crank, formulation="cartesian_3", integrator="rk4", baumgarte=10, projection=True)
    with pytest.raises(FitError, match="constraints it would not keep"):
        run_of(crank, formulation="hamiltonian_loops", integrator="rk4")
    with pytest.raises(FitError, match="rattle does not fit cartesian_3"):
        run_of(crank, formulation="cartesian_3", integrator="rattle")
    with pytest.raises(OptionError, match="accelerations"):
        ht.evaluator(crank, "hamiltonian_loops")


def geared():
    """Two wheels on the ground, the second at half the angle of the first, which a spring holds."""
    wheel = {"mass": 1.0, "inertia": (0.01, 0.01, 0.02)}
    return ht.Model(
        [ht.Body("first", **wheel), ht.Body("second", **wheel)],
        [
            ht.Revolute("r1", "ground", "first", qdot=25.0),
            ht.Revolute("r2", "ground", "second", on_parent=(1, 0, 0)),
        ],
        [ht.JointSpring("r1", stiffness=0.01)],
        couplings=[ht.Mimic("r2", of="r1", ratio=0.5)],
        gravity=(0, 0, 0),
    )


def test_springs_and_gears_count_turns_however_far_samples_lie_apart():
    """Two turns between samples: V = ½ k q² and the gear's opening need to know how many there
    were.
    """
    run = ht.simulate(
        geared(),
        until=3,
        step=1e-2,
        save_every=20,
        formulation="cartesian_3",
        integrator="rk4",
        progress=False,
    )
    tree = ht.simulate(geared(), until=3, step=1e-2, save_every=20, progress=False)
    assert abs(tree.q.values).max() > 20
    np.testing.assert_allclose(run.potential_energy.values, tree.potential_energy.values, atol=1e-3)
    assert run.constraint_error < 1e-11
    assert run.energy_error < 1e-5


def test_events_leave_the_motion_as_it_is():
    """A spring along the joint that closes the loop counts turns in scratch, which steps that are
    taken again must not touch.
    """
    four_bar = ht.library.four_bar()
    spring = four_bar.with_(forces=[ht.JointSpring("coupler_pin", stiffness=2.0)])
    plain = run_of(spring)
    watched = run_of(spring, events=["crank_pivot - 1.2", "crank_pivot + 0.5"])
    assert len(watched.sections)
    assert (plain.q.values == watched.q.values).all()


def test_a_closing_joint_may_be_driven_at_a_speed_from_where_it_is():
    four_bar = ht.library.four_bar()
    driven = four_bar.with_(constraints=[ht.Drive("coupler_pin", speed=0.5, name="motor")])
    run = ht.simulate(driven, until=0.1, step=1e-3, assemble=True, progress=False)
    turn = run.twists.values[:, :, 1]
    index = {body.name: k for k, body in enumerate(four_bar.bodies)}
    pin = four_bar.joint("coupler_pin")
    relative = turn[:, index[pin.child]] - turn[:, index[pin.parent]]
    np.testing.assert_allclose(abs(relative), 0.5, atol=1e-12)


def test_a_weld_that_closes_a_loop_turned_over_is_refused_by_name():
    arm = {"mass": 1.0, "inertia": 0.1}
    model = ht.Model(
        [ht.Body("a", **arm), ht.Body("b", **arm)],
        [
            ht.Revolute("left", "ground", "a"),
            ht.Revolute("right", "ground", "b", q=np.pi),
            ht.Weld("bolt", "a", "b"),
        ],
    )
    with pytest.raises(ht.ModelError, match="'bolt'.*opposite orientation"):
        run_of(model)
