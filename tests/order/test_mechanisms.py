"""Integrators on mechanisms: order, also of reactions and of work; symplectic on the manifold of
the constraints; reversible.
"""

from functools import lru_cache

import numpy as np
import pytest

import hamiltree as ht

# order and steps to t = 1, coarse first
METHODS = {
    "rattle": (2, (50, 100, 200)),
    "spark4": (4, (50, 100, 200)),
    "spark6": (6, (20, 40, 80)),
    "suzuki4(rattle)": (4, (50, 100, 200)),
    "yoshida6(rattle)": (6, (50, 100, 200)),
}
# crank angle and speed, roll and spin of the coupler: coordinates of the phase space
START = np.array([0.7, 3.0, 0.4, 2.0])


def run_of(model, integrator, steps, until=1.0, **options):
    return ht.simulate(
        model,
        until=until,
        step=until / steps,
        integrator=integrator,
        save_every=steps,
        progress=False,
        **options,
    )


@lru_cache
def slider_crank_run(integrator, steps):
    return run_of(ht.library.spatial_slider_crank(), integrator, steps)


def end_state(run):
    return np.concatenate([run.q.values[-1], run.p.values[-1]])


def end_reactions(run):
    return np.concatenate([run.reactions(name).force.values[-1] for name in ("pin", "slider_pin")])


def slopes(errors):
    return np.log2(np.array(errors[:-1]) / errors[1:])


# ---- order ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("look", [end_state, end_reactions])
@pytest.mark.parametrize("integrator", METHODS)
def test_states_and_reactions_of_the_spatial_slider_crank_converge_with_the_order_of_the_method(
    integrator, look
):
    order, steps = METHODS[integrator]
    wanted = look(slider_crank_run("spark6", 400))
    errors = [np.abs(look(slider_crank_run(integrator, n)) - wanted).max() for n in steps]
    assert slopes(errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("integrator", ["rattle", "spark4"])
def test_the_work_of_a_motor_is_the_change_of_energy_at_the_order_of_the_method(integrator):
    motor = ht.Drive("crank_pivot", position="0.7 + 0.5*sin(20*t)", name="motor")
    model = ht.library.slider_crank().with_(constraints=[motor])
    errors = [
        abs(run_of(model, integrator, n).energy_balance.values[-1]) for n in METHODS[integrator][1]
    ]
    assert slopes(errors) == pytest.approx(METHODS[integrator][0], abs=0.15)


# ---- structure -----------------------------------------------------------------------------------
def ends(integrator, start):
    """(q, p) before and after ten long steps."""
    run = run_of(ht.library.spatial_slider_crank(*start), integrator, 10, until=0.5)
    return np.concatenate([run.q.values, run.p.values], axis=1)


def tangents(integrator, delta=1e-4):
    """Derivatives of both ends by the coordinates of the phase space: every start lies on the
    constraints.
    """
    return np.stack(
        [
            (ends(integrator, START + e) - ends(integrator, START - e)) / (2 * delta)
            for e in delta * np.eye(4)
        ],
        axis=-1,
    )


def two_form(D):
    """ω(ξ, η) = dq ∧ dp for all pairs of columns."""
    q, p = np.split(D, 2)
    return q.T @ p - p.T @ q


def defect(integrator):
    before, after = tangents(integrator)
    assert abs(np.linalg.det(two_form(before))) > 1e-4
    return np.abs(two_form(after) - two_form(before)).max() / np.linalg.norm(after, 2) ** 2


@pytest.mark.parametrize("integrator", METHODS)
def test_a_step_is_symplectic_on_the_manifold_of_the_constraints(integrator):
    assert defect(integrator) < 1e-8


def test_the_energy_momentum_scheme_is_not_symplectic_there():
    assert defect("energy_momentum") > 1e-4


@pytest.mark.parametrize("integrator", METHODS)
def test_a_four_bar_that_is_turned_round_comes_back_to_its_start(integrator):
    there = run_of(ht.library.four_bar(), integrator, 400, until=2.0)
    back = run_of(
        ht.library.four_bar(),
        integrator,
        400,
        until=2.0,
        q=there.q.values[-1],
        qdot=-there.speeds.values[-1],
    )
    assert np.abs(there.q.values[-1] - there.q.values[0]).max() > 0.5
    assert np.abs(back.q.values[-1] - there.q.values[0]).max() < 1e-11
    assert (
        np.abs(back.qdot.values[-1] + there.qdot.values[0]).max()
        < 1e-11 * np.abs(there.qdot.values[0]).max()
    )


def test_a_spatial_slider_crank_that_is_turned_round_comes_back_to_its_start():
    """Only spark6 leaves quaternions near enough to unit length that simulate takes them for a
    start without a change.
    """
    model = ht.library.spatial_slider_crank()
    there = run_of(model, "spark6", 400, until=2.0)
    back = run_of(
        model, "spark6", 400, until=2.0, q=there.q.values[-1], qdot=-there.speeds.values[-1]
    )
    assert np.abs(there.q.values[-1] - there.q.values[0]).max() > 0.5
    assert np.abs(back.q.values[-1] - there.q.values[0]).max() < 1e-11
    assert np.abs(back.p.values[-1] + there.p.values[0]).max() < 1e-11
