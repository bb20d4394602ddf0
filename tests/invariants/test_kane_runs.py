"""Runs of Kane's equations: what Gauss methods keep of a free body, orders, and constraints that
stay closed.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.rotations import rotation_matrix

INERTIA, OMEGA = np.array([0.3, 0.5, 0.7]), (1.0, 2.0, -0.5)


def flown(formulation, until, step, save_every, integrator="gauss8"):
    """(|J ω'|, ½ ω'ᵀ J ω', J ω in the world) of a free body, sample by sample."""
    body = ht.library.free_body(2.0, tuple(INERTIA), OMEGA, (0.3, -0.2, 0.1))
    run = ht.simulate(
        body,
        until=until,
        step=step,
        formulation=formulation,
        integrator=integrator,
        save_every=save_every,
        progress=False,
    )
    turn, spin = rotation_matrix(run.poses.values[:, 0, 3:]), run.twists.values[:, 0, :3]
    omega = np.einsum("nji,nj->ni", turn, spin)
    momentum = omega * INERTIA
    return (
        (momentum**2).sum(1),
        0.5 * (omega * momentum).sum(1),
        np.einsum("nij,nj->ni", turn, momentum),
        run,
    )


@pytest.mark.parametrize("formulation", ["kane_relative", "kane_absolute"])
def test_gauss8_keeps_energy_and_angular_momentum_of_a_free_body(formulation):
    """Both are quadratic in ω'; steps so long that RK4 would lose them in a hundred (below)."""
    square, energy, _, run = flown(formulation, 1.5e4, 0.1, 1000)
    assert abs(square / square[0] - 1).max() <= 1e-13
    assert abs(energy / energy[0] - 1).max() <= 1e-13
    assert run.energy_error <= 1e-13


def test_rk4_does_not_keep_them():
    square, energy, *_ = flown("kane_relative", 10.0, 0.1, 1, "rk4")
    assert abs(square / square[0] - 1).max() > 1e-9 and abs(energy / energy[0] - 1).max() > 1e-9


@pytest.mark.parametrize(("integrator", "order", "step"), [("gauss8", 8, 0.4), ("gauss4", 4, 0.1)])
def test_the_direction_of_angular_momentum_is_kept_to_the_order_of_the_method(
    integrator, order, step
):
    """Attitude and ω' are both integrated, so the vector in the world is not kept exactly."""
    errors = []
    for h in (step, step / 2):
        _, _, world, _ = flown("kane_relative", 8.0, h, 1, integrator)
        errors.append(np.linalg.norm(world[-1] - world[0]) / np.linalg.norm(world[0]))
    assert errors[1] > 1e-13  # above rounding
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)


def test_a_linkage_stays_together_under_kane_absolute():
    """Closing rows and locked rotations by multipliers, projected after every step."""
    model = ht.library.four_bar()
    run = ht.simulate(
        model, until=1.0, step=2e-3, formulation="kane_absolute", integrator="rk4", progress=False
    )
    other = ht.simulate(
        model, until=1.0, step=2e-3, formulation="cartesian_3", integrator="rk4", progress=False
    )
    assert abs(run.dataset["opening"].values).max() < 1e-13
    # the two projections differ in the error of the method
    assert abs(run.poses.values - other.poses.values).max() < 1e-6


def test_the_model_of_kane_relative_has_its_joint_coordinates_in_the_run():
    model = ht.library.tree(6, 2, 3, ("universal", "screw", "ball", "prismatic", "gimbal"))
    runs = [
        ht.simulate(
            model, until=0.5, step=1e-3, formulation=name, integrator="gauss8", progress=False
        )
        for name in ("kane_relative", "hamiltonian_tree")
    ]
    for name in ("q", "qdot", "pose", "twist", "kinetic_energy", "potential_energy"):
        assert runs[0].dataset[name].values == pytest.approx(runs[1].dataset[name].values, abs=1e-9)
    assert runs[0].p.values == pytest.approx(runs[1].p.values, abs=1e-9)


def test_what_a_method_loses_of_quaternions_is_told():
    """They are never made unit ones in a run, so their norm says what the method loses."""
    body = ht.library.free_body(2.0, tuple(INERTIA), OMEGA)
    lost = [
        ht.simulate(
            body, until=30.0, step=0.3, formulation="kane_relative", integrator=name, progress=False
        ).quaternion_error
        for name in ("rk4", "gauss8")
    ]
    assert lost[0] > 1e-4 and lost[1] < 1e-13


def test_momenta_and_events_are_refused_where_there_are_none():
    model = ht.library.chain(2)
    with pytest.raises(ht.OptionError, match="starts from q and qdot"):
        ht.simulate(model, until=0.1, formulation="kane_relative", p=[0.0, 0.0], progress=False)
    with pytest.raises(ht.OptionError, match="kane_relative has no momenta; use hamiltonian_tree"):
        ht.simulate(model, until=0.1, formulation="kane_relative", events=["j1"], progress=False)


def test_a_gimbal_that_locks_ends_a_run_of_kane_relative():
    """Its mass matrix is singular there: the guard of hamiltonian_tree serves both."""
    body = ht.Body("b", 1.0, (0.0, 0.0, -0.3), (0.1, 0.2, 0.3))
    gimbal = ht.Gimbal("g", "ground", "b", sequence="zyx", q=(0.1, 1.2, 0.0), qdot=(0.0, 3.0, 0.0))
    with pytest.raises(ht.StepError, match="gimbal lock of joint 'g'") as refused:
        ht.simulate(
            ht.Model([body], [gimbal]),
            until=2.0,
            step=1e-3,
            formulation="kane_relative",
            progress=False,
        )
    assert 0.1 < refused.value.trajectory.t.values[-1] < 0.18
