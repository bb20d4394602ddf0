"""What runs of mechanisms keep: closed loops, energy, the law of a drive; and what is said where a
start or a position is wrong.
"""

import math
import re

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError, OptionError, StepError
from hamiltree.model import Frame

MODELS = {"four_bar": ht.library.four_bar, "spatial_slider_crank": ht.library.spatial_slider_crank}
# J of the energy's swing that the order of each method allows at h = 2 ms, with room
SWING = {
    "rattle": 2e-3,
    "spark4": 1e-7,
    "spark6": 1e-11,
    "suzuki4(rattle)": 1e-7,
    "energy_momentum": 1e-12,
}


def run_of(model, steps, h, **options):
    return ht.simulate(model, until=steps * h, step=h, progress=False, **options)


def assert_closed(run, position=1e-14, velocity=1e-13):
    """At every sample, in parts of the size and of the greatest speed of a body."""
    speed = np.abs(run.twists.values).max()
    assert run.constraint_error <= position * Mechanism(run.model).size
    assert run.velocity_constraint_error <= velocity * speed


def assert_without_trend(run):
    """The mean of the last tenth is that of the first, beside the swing and rounding."""
    error, tenth = run.energy_balance.values, len(run.t) // 10
    trend = error[-tenth:].mean() - error[:tenth].mean()
    assert abs(trend) <= 0.05 * np.ptp(error[:tenth]) + 3e-14 * run.peak_kinetic_energy


# ---- free motion ---------------------------------------------------------------------------------
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("integrator", ["rattle", "spark4", "spark6", "suzuki4(rattle)"])
def test_loops_stay_closed_and_energy_has_no_trend_over_twenty_thousand_steps(name, integrator):
    """40 s, some 25 swings of the crank; 10⁶ steps are in the benchmarks."""
    run = run_of(MODELS[name](), 20_000, 2e-3, integrator=integrator, save_every=10)
    assert np.ptp(run.q.values[:, 0]) > 2.4
    assert_closed(run)
    assert_without_trend(run)
    assert np.ptp(run.energy.values) <= SWING[integrator]


@pytest.mark.parametrize("name", MODELS)
def test_the_energy_momentum_scheme_keeps_energy_and_closed_loops_but_not_their_rates(name):
    run = run_of(MODELS[name](), 20_000, 2e-3, integrator="energy_momentum", save_every=10)
    assert_closed(run, position=1e-13, velocity=1e-3)
    assert run.velocity_constraint_error > 1e-6
    assert np.ptp(run.energy.values) <= SWING["energy_momentum"]
    assert_without_trend(run)


@pytest.mark.parametrize("name", MODELS)
def test_bodies_that_only_constraints_hold_move_as_the_tree_does(name):
    """cartesian_hamiltonian has a row for every joint and shares none of the recursions of the
    tree.
    """
    tree, bodies = (
        run_of(
            MODELS[name](), 1_000, 2e-3, integrator="spark6", formulation=formulation, save_every=10
        )
        for formulation in ("hamiltonian_loops", "cartesian_hamiltonian")
    )
    for field in ("q", "qdot", "pose", "twist", "kinetic_energy", "potential_energy"):
        a, b = tree.dataset[field].values, bodies.dataset[field].values
        assert np.abs(a - b).max() <= 1e-9 * (1 + np.abs(a).max())
    assert {joint.name for joint in bodies.model.joints} == set(
        bodies.constraint_residuals["constraint"].values
    )


@pytest.mark.parametrize("integrator", ["rattle", "spark4", "spark6"])
def test_every_joint_of_bodies_without_a_tree_stays_together(integrator):
    run = run_of(
        ht.library.four_bar(),
        3_000,
        2e-3,
        integrator=integrator,
        formulation="cartesian_hamiltonian",
        save_every=1,
    )
    assert_closed(run)
    assert_without_trend(run)
    assert np.ptp(run.energy.values) <= SWING[integrator]


# ---- Bricard -------------------------------------------------------------------------------------
def places(model):
    """Centres of mass and rotations of the rods, by the definition of the joints alone."""
    at, found = Frame(), []
    for joint, body in zip(model.joints, model.bodies, strict=False):
        at = at @ joint.on_parent @ Frame.about(joint.axis, joint.q) @ joint.on_child.inverse()
        found.append((np.array(at.position) + at.matrix @ np.array(body.com), at.matrix))
    return found


def inertia_and_potential(theta, h=1e-4):
    """m(θ) = 2 T/θ̇² from differences of places, of the fourth order, and V(θ)."""
    here = ht.library.bricard(angle=theta)
    around = [places(ht.library.bricard(angle=theta + k * h)) for k in (1, -1, 2, -2)]
    inertia = potential = 0.0
    for k, body in enumerate(here.bodies):
        (x, R), ((x1, R1), (x2, R2), (x3, R3), (x4, R4)) = (
            places(here)[k],
            (beside[k] for beside in around),
        )
        v, turn = (
            (8 * (a - b) - (c - d)) / (12 * h)
            for a, b, c, d in ((x1, x2, x3, x4), (R1, R2, R3, R4))
        )
        spin = R.T @ turn
        omega = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        inertia += body.mass * v @ v + omega @ np.array(body.inertia) @ omega
        potential -= body.mass * np.array(here.gravity) @ x
    return inertia, potential


def bricard_period(nodes=40):
    """2 ∫ √(m / 2(V₀ − V)) dθ between rest at ∓π/2, with θ = π/2 sin s: its ends are then no
    poles.
    """
    s, weights = np.polynomial.legendre.leggauss(nodes)
    rest = inertia_and_potential(math.pi / 2)[1]
    total = 0.0
    for x, weight in zip(math.pi / 2 * s, math.pi / 2 * weights, strict=True):
        inertia, potential = inertia_and_potential(math.pi / 2 * math.sin(x))
        total += weight * math.pi / 2 * math.cos(x) * math.sqrt(inertia / (2 * (rest - potential)))
    return 2 * total


@pytest.fixture(scope="module")
def bricard():
    """From a cube at rest, through its mirror image, and back: one period."""
    return ht.simulate(
        ht.library.bricard(),
        until=bricard_period(),
        step=1e-3,
        integrator="spark6",
        save_every=1,
        progress=False,
    )


def test_the_redundant_row_of_bricards_linkage_is_named_and_stays_closed_too(bricard, capsys):
    ht.simulate(ht.library.bricard(), until=0.01, step=1e-3, integrator="spark6")
    assert "1 constraint row is redundant (1 of joint 'hinge6')" in capsys.readouterr().err
    assert Mechanism(bricard.model).rank == 4 and list(
        bricard.constraint_residuals["constraint"].values
    ) == ["hinge6"]
    assert_closed(bricard)
    assert bricard.energy_error < 1e-13


def test_the_angles_of_bricards_linkage_obey_its_equation_of_closure(bricard):
    theta, phi = bricard.q.values[:, 0], bricard.q.values[:, 1]
    assert np.abs(np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi)).max() < 1e-13
    assert (
        np.abs(bricard.q.values - np.stack([theta, phi, theta, phi, theta], axis=1)).max() < 1e-13
    )
    assert theta.min() < -1.57 < 1.57 < theta.max()


def test_bricards_linkage_is_as_fast_as_its_energy_says(bricard):
    """θ̇² = 2 (V₀ − V(θ)) / m(θ)"""
    rest = inertia_and_potential(math.pi / 2)[1]
    for sample in range(100, len(bricard.t), 400):
        inertia, potential = inertia_and_potential(bricard.q.values[sample, 0])
        assert bricard.qdot.values[sample, 0] ** 2 == pytest.approx(
            2 * (rest - potential) / inertia, rel=1e-9, abs=1e-9
        )


def test_bricards_linkage_is_a_cube_at_rest_again_after_the_period_of_the_quadrature(bricard):
    assert bricard.q.values[-1] == pytest.approx(bricard.q.values[0], abs=1e-12)
    assert np.abs(bricard.qdot.values[-1]).max() < 1e-7 * np.abs(bricard.qdot.values).max()


# ---- drives --------------------------------------------------------------------------------------
def driven(**law):
    return ht.library.slider_crank().with_(
        constraints=[ht.Drive("crank_pivot", **law, name="motor")]
    )


LAWS = {
    "speed": (
        {"speed": "10 + 3*sin(5*t)"},
        lambda t: 0.7 + 10 * t + 0.6 * (1 - np.cos(5 * t)),
        lambda t: 10 + 3 * np.sin(5 * t),
    ),
    "position": (
        {"position": "0.7 + 0.5*sin(20*t)"},
        lambda t: 0.7 + 0.5 * np.sin(20 * t),
        lambda t: 10 * np.cos(20 * t),
    ),
}


@pytest.mark.parametrize("law", LAWS)
def test_a_driven_crank_follows_its_law(law):
    given, position, speed = LAWS[law]
    run = run_of(driven(**given), 1_000, 1e-3, integrator="spark6", save_every=1)
    crank, t = run.q.sel(coordinate="crank_pivot").values, run.t.values
    assert np.abs(crank - position(t)).max() < 1e-13
    assert np.abs(run.qdot.sel(coordinate="crank_pivot").values - speed(t)).max() < 1e-12
    assert np.abs(run.q.sel(coordinate="slide").values - stroke(crank)).max() < 1e-14
    assert_closed(run, position=2e-14)


def stroke(angle, r=0.1, rod=0.3):
    return r * np.cos(angle) + np.sqrt(rod**2 - (r * np.sin(angle)) ** 2)


def test_the_motor_does_the_work_of_its_torque_and_the_energy_changes_by_it():
    """Simpson's rule over torque times speed; torques come from other equations than the work."""
    given, _, speed = LAWS["speed"]
    run = run_of(driven(**given), 1_000, 1e-3, integrator="spark6", save_every=1)
    power = run.drive_force("motor").values * speed(run.t.values)
    assert run.work.values[-1] == pytest.approx(
        1e-3 / 3 * (power[:-1:2] + 4 * power[1::2] + power[2::2]).sum(), rel=1e-8
    )
    assert run.energy_error < 1e-13 and np.ptp(run.work.values) > 1.0


# ---- starts --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("model", "start", "message"),
    [
        (
            ht.library.slider_crank(),
            {"q": {"slide": 0.35}},
            r"joint 'slider_pin' has a constraint residual of 0\.0\d+ m .* assemble=True",
        ),
        (
            ht.library.slider_crank(),
            {"qdot": {"slide": 0.35}},
            r"joint 'slider_pin' has a residual rate of \d\.\d+ m/s .* assemble=True",
        ),
        (
            driven(position="0.9 + 10*t"),
            {},
            r"constraint 'motor' has a constraint residual of 0\.2 rad .* assemble=True",
        ),
        (
            driven(position="0.7 + 9*t"),
            {},
            r"constraint 'motor' has a residual rate of 1 rad/s .* assemble=True",
        ),
    ],
)
def test_a_start_that_does_not_fit_is_refused_by_name_and_amount(model, start, message):
    with pytest.raises(ModelError, match=message):
        run_of(model, 1, 1e-3, integrator="spark6", **start)


def test_an_assembled_start_fits_and_keeps_the_joints_that_were_named():
    model, moved = (
        ht.library.slider_crank(),
        {"q": {"slide": 0.35}, "qdot": {"slide": 0.35}, "integrator": "spark6"},
    )
    nearest = run_of(model, 10, 1e-3, assemble=True, **moved)
    kept = run_of(model, 10, 1e-3, assemble=["crank_pivot"], **moved)
    for run in (nearest, kept):
        assert_closed(run)
    crank = [run.q.values[0, 0] for run in (nearest, kept)]
    assert (
        crank[1] == 0.7
        and crank[0] != 0.7
        and kept.qdot.values[0, 0] == pytest.approx(10.0, rel=1e-14)
    )
    assert kept.q.values[0, 2] == pytest.approx(stroke(0.7), abs=1e-15)


def test_a_drive_moves_an_assembled_start_to_its_law():
    run = run_of(driven(position="0.9 + 9*t"), 10, 1e-3, integrator="spark6", assemble=True)
    assert run.q.values[0, 0] == pytest.approx(0.9, abs=1e-15) and run.qdot.values[
        0, 0
    ] == pytest.approx(9.0, abs=1e-13)
    assert_closed(run)


def test_an_assembly_that_must_keep_what_a_drive_moves_is_refused():
    with pytest.raises(
        FitError, match=r"constraint 'motor' keeps a constraint residual of 0\.2 rad"
    ):
        run_of(
            driven(position="0.9 + 10*t"), 10, 1e-3, integrator="spark6", assemble=["crank_pivot"]
        )
    with pytest.raises(OptionError, match="there is no joint 'cranck'"):
        run_of(driven(position="0.9 + 10*t"), 10, 1e-3, integrator="spark6", assemble=["cranck"])


def test_an_assembly_that_must_keep_a_speed_which_a_drive_forbids_is_refused():
    with pytest.raises(ModelError, match="motor"):
        run_of(
            driven(position="0.7 + 9*t"), 10, 1e-3, integrator="spark6", assemble=["crank_pivot"]
        )


# ---- singular positions --------------------------------------------------------------------------
def parallelogram():
    """Turning downwards from 0.5 rad; flat for the first time at t = 0.3716 s, where its four pins
    lie on one line.
    """
    return ht.library.four_bar(crank=0.2, coupler=0.6, rocker=0.2, ground=0.6, angle=0.5, speed=6.0)


@pytest.mark.parametrize("h", [1e-3, 1e-4])
@pytest.mark.parametrize("integrator", ["rattle", "spark6"])
def test_a_parallelogram_passes_its_flat_position_closed_or_stops_there_with_time_and_joint(
    integrator, h
):
    """Two branches cross there, and closing the loop is as uncertain as rounding over the angle
    that is left.
    """
    try:
        run = ht.simulate(
            parallelogram(), until=0.5, step=h, integrator=integrator, progress=False, save_every=1
        )
        assert_closed(run, position=1e-9, velocity=1e-12)
        assert run.energy_error < 1e-4
    except StepError as error:
        time = re.search(r"the last good time is t = (0\.37\d*) s", str(error))
        assert time and float(time[1]) == pytest.approx(0.3716, abs=2 * h)
        assert any(joint.name in str(error) for joint in parallelogram().joints)
        assert error.trajectory.t.values[-1] == pytest.approx(float(time[1]), rel=1e-9)


def test_steps_of_any_length_through_a_singular_position_keep_the_energy():
    for step, integrator, error in ((1e-3, "spark6", 1e-10), (1.37e-3, "rattle", 1e-4)):
        run = ht.simulate(
            parallelogram(),
            until=1.0,
            step=step,
            integrator=integrator,
            progress=False,
            save_every=1,
        )
        assert run.singular_positions and run.energy_error < error


def test_a_start_at_a_singular_position_is_refused_by_name():
    turns = {"crank_pivot": (0.0, 6.0), "crank_pin": (0.0, -6.0), "rocker_pivot": (0.0, 6.0)}
    flat = parallelogram().with_(
        joints={name: {"q": q, "qdot": qdot} for name, (q, qdot) in turns.items()}
    )
    with pytest.raises((ModelError, FitError), match="coupler_pin"):
        run_of(flat, 500, 1e-3, integrator="spark6")


def test_the_quaternion_error_of_a_mechanism_is_that_of_the_state_and_falls_with_the_order():
    """Recorded quaternions are normalised; RATTLE keeps the norm of the state to order two."""
    model = ht.library.spatial_slider_crank()
    runs = [run_of(model, 125 * n, 4e-3 / n, integrator="rattle") for n in (1, 2)]
    for run in runs:
        row = run.quaternion_rows[0]
        assert np.abs((run.q.values[:, row : row + 4] ** 2).sum(axis=1) - 1).max() < 1e-15
        errors = run.dataset["norm_error"]
        assert run.quaternion_error == np.abs(errors.values).max() > 1e-7
        assert not errors.sel(body=["crank", "slider"]).any()
    assert runs[0].quaternion_error / runs[1].quaternion_error == pytest.approx(4.0, rel=0.1)


def test_the_norm_error_stands_at_the_body_that_a_joint_carries_when_met_from_its_childs_side():
    """The ball of the coupler, declared from coupler to crank, carries the coupler still."""
    model = ht.library.spatial_slider_crank()
    name = next(label for label in model.coordinates if label.endswith(".qw")).removesuffix(".qw")
    ball = model.joint(name)
    swapped = {
        "parent": ball.child,
        "child": ball.parent,
        "on_parent": ball.on_child,
        "on_child": ball.on_parent,
        "q": (ball.q[0], *(-x for x in ball.q[1:])),
    }
    model = model.with_(joints={name: swapped})
    run = run_of(model, 50, 4e-3, integrator="rattle", assemble=True)
    worst = np.abs(run.dataset["norm_error"]).max("t")
    assert worst.sel(body=ball.child) == run.quaternion_error > 1e-8


def test_the_energy_of_a_turning_four_bar_does_not_drift_with_spark6():
    """40,000 steps, 110 turns: momenta with one correction of the impulses more than positions made
    the energy drift by −3e-13 of the peak kinetic energy.
    """
    run = run_of(ht.library.four_bar(angle=0.9), 40_000, 2e-3, integrator="spark6", save_every=10)
    error = (run.energy_balance / run.peak_kinetic_energy).values
    drift = np.polyfit(np.linspace(0.0, 1.0, len(error)), error, 1)[0]
    assert abs(run.q.values[-1]).max() > 600.0
    assert abs(drift) <= 1e-13
