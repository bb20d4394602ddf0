"""One rigid body: published motions, closed forms, and invariants over many steps."""

from functools import cache

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hamiltree as ht
from hamiltree.formulations import FORMULATIONS as KNOWN
from hamiltree.formulations.formulation import FORMULA
from hamiltree.rotations import rotation_matrix
from hamiltree.run.choices import imposes_constraints


def run(model, until, step, integrator="gauss8", save_every=100, **options):
    return ht.simulate(
        model,
        until=until,
        step=step,
        integrator=integrator,
        save_every=save_every,
        progress=False,
        **options,
    )


# ---- published numbers, and Euler's equations integrated by other means --------------------------
def eulers_motion(inertia, omega, until, mass=0.0, centre=(0.0, 0.0, 0.0)):
    """(rotation matrix, body rates) at the end, by SciPy's DOP853: I ω̇ = I ω × ω + m c × Rᵀg about
    the fixed point, Ṙ = R ω̃.
    """
    inertia, arm, weight = np.array(inertia), np.array(centre), mass * np.array([0.0, 0.0, -9.81])

    def rates(t, y):
        R, w = y[:9].reshape(3, 3), y[9:]
        wdot = np.linalg.solve(inertia, np.cross(inertia @ w, w) + np.cross(arm, R.T @ weight))
        return np.concatenate([(R @ skew(w)).ravel(), wdot])

    end = solve_ivp(
        rates,
        (0.0, until),
        np.concatenate([np.eye(3).ravel(), omega]),
        "DOP853",
        rtol=1e-13,
        atol=1e-14,
    ).y[:, -1]
    return end[:9].reshape(3, 3), end[9:]


def skew(a):
    x, y, z = a
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


CENTRE = np.array([0.0, 1.0, 0.0])  # of mass of the top, body axes


@cache
def heavy_top_of_euler():
    """Attitude and body rates of the heavy top after 1 s."""
    about_tip = np.diag([0.234375 + 15.0, 0.46875, 0.234375 + 15.0])
    return eulers_motion(about_tip, (0.0, 150.0, -4.61538), 1.0, 15.0, CENTRE)


def test_the_heavy_top_is_where_other_programs_find_it():
    """Centre of mass after 1 s, eight digits: the benchmark of Geradin and Cardona that Lie-group
    integrators are tested with.
    """
    top = ht.library.top()
    found = ht.dynamics(top).centre_of_mass(run(top, 1.0, 1e-3).q.values[-1])
    assert found == pytest.approx([0.17334396, 0.64008859, -0.74849079], abs=6e-9)
    turned, _ = heavy_top_of_euler()
    assert found == pytest.approx(turned @ CENTRE, abs=1e-10)


BRICK = (
    1.3558179483314004 * np.array([0.001894220, 0.006211019, 0.007194665]),
    np.radians([10.0, 20.0, 30.0]),
)


def brick():
    """Check case 2 of NASA/TM-2015-218675, a dragless tumbling brick: inertias in slug ft², 10, 20
    and 30 deg/s at the start.
    """
    return ht.library.free_body(inertia=tuple(BRICK[0]), omega=tuple(BRICK[1]))


def test_the_tumbling_brick_of_nasa_has_its_rates_after_30_seconds():
    rates = np.degrees(run(brick(), 30.0, 0.01).speeds.values[-1, 3:])
    assert rates == pytest.approx([12.6183907757, -17.3974747619, 31.1195888868], abs=1e-9)
    assert rates == pytest.approx(
        np.degrees(eulers_motion(np.diag(BRICK[0]), BRICK[1], 30.0)[1]), abs=1e-10
    )


# ---- the same two in every formulation -----------------------------------------------------------
FORMULATIONS = tuple(name for name, made in KNOWN.items() if FORMULA not in made.supports)


def rotation(pose):
    return rotation_matrix(pose[None, 3:])[0]


def finished(model, formulation, until, step, longer):
    """Pose and twist of the only body at the end.

    Those that leave constraints to the integrator take spark6, the others gauss8.
    """
    integrator, h = (
        ("spark6", step) if imposes_constraints(KNOWN[formulation]) else ("gauss8", longer)
    )
    done = run(model, until, h, integrator, 10**6, formulation=formulation)
    return done.poses.values[-1, 0], done.twists.values[-1, 0]


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_heavy_top_is_there_in_every_formulation(formulation):
    pose, twist = finished(ht.library.top(), formulation, 1.0, 2.5e-4, 1e-3)
    turned, rates = heavy_top_of_euler()
    assert rotation(pose) @ CENTRE == pytest.approx([0.17334396, 0.64008859, -0.74849079], abs=6e-9)
    assert rotation(pose) == pytest.approx(turned, abs=1e-10)
    assert rotation(pose).T @ twist[:3] == pytest.approx(rates, abs=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_the_tumbling_brick_has_its_rates_in_every_formulation(formulation):
    pose, twist = finished(brick(), formulation, 30.0, 0.01, 0.01)
    assert np.degrees(rotation(pose).T @ twist[:3]) == pytest.approx(
        [12.6183907757, -17.3974747619, 31.1195888868], abs=1e-9
    )


# ---- the tennis racket ---------------------------------------------------------------------------
MOMENTS, OMEGA = (1.0, 2.0, 3.0), (0.01, 2.0, 0.01)
BODY_RATE_Y = (
    "2*(free_qw*free_qy_dot - free_qy*free_qw_dot - free_qz*free_qx_dot + free_qx*free_qz_dot)"
)


def period_of_flips(moments, omega):
    """4 K(k) / λ of Euler's equations by Jacobi's elliptic functions (Landau & Lifshitz, Mechanics,
    § 37), I₁ < I₂ < I₃.
    """
    mpmath.mp.dps = 30
    I1, I2, I3 = map(mpmath.mpf, moments)
    w = [mpmath.mpf(repr(x)) for x in omega]
    twice_energy, square = (
        I1 * w[0] ** 2 + I2 * w[1] ** 2 + I3 * w[2] ** 2,
        (I1 * w[0]) ** 2 + (I2 * w[1]) ** 2 + (I3 * w[2]) ** 2,
    )
    if square < twice_energy * I2:
        I1, I3 = I3, I1
    k2 = (I2 - I1) * (twice_energy * I3 - square) / ((I3 - I2) * (square - twice_energy * I1))
    rate = mpmath.sqrt((I3 - I2) * (square - twice_energy * I1) / (I1 * I2 * I3))
    return float(4 * mpmath.ellipk(k2) / rate)


def test_the_tennis_racket_flips_with_the_period_of_the_elliptic_functions():
    """Between zeros of ω_y of the same direction, located to round-off while running."""
    racket = ht.library.free_body(inertia=MOMENTS, omega=OMEGA)
    period = period_of_flips(MOMENTS, OMEGA)
    done = run(racket, 2.8 * period, 0.005, events=[ht.Event(BODY_RATE_Y, name="flip")])
    times = done.sections["flip"]["t"].values
    assert len(times) in (5, 6)
    assert times[2:] - times[:-2] == pytest.approx(period, rel=1e-11)


def test_a_racket_that_spins_about_the_axis_of_its_largest_moment_does_not_flip():
    racket = ht.library.free_body(inertia=MOMENTS, omega=(0.01, 0.01, 2.0))
    rates = run(racket, 40.0, 0.005).speeds.values
    assert abs(rates[:, 3:5]).max() < 0.03 and rates[:, 5].min() > 1.99


# ---- what is kept --------------------------------------------------------------------------------
SPIN = (0.5, 1.0, 0.7)
STEP = 0.02 / float(np.linalg.norm(SPIN))


def kept(model, done):
    """Largest changes: of the angular momentum vector in the world, relative; of ‖q‖; of the
    energy, relative.
    """
    angular = ht.dynamics(model).momentum(done.q.values, done.speeds.values).angular
    norm = np.linalg.norm(done.q.values[:, 3:], axis=1)
    return (
        np.linalg.norm(angular - angular[0], axis=1).max() / np.linalg.norm(angular[0]),
        abs(norm - 1).max(),
        done.energy_error,
    )


@pytest.mark.parametrize(
    "moments",
    [(1.0, 2.0, 2.5), (1.0, 1.0, 1.9), (0.3, 1.0, 1.0)],
    ids=["triaxial", "oblate", "prolate"],
)
def test_gauss8_keeps_angular_momentum_norm_and_energy_of_a_free_body_over_a_hundred_thousand_steps(
    moments,
):
    body = ht.library.free_body(inertia=moments, omega=SPIN, velocity=(0.1, -0.2, 0.3))
    angular, norm, energy = kept(body, run(body, 1e5 * STEP, STEP))
    assert angular <= 1e-13 and norm <= 1e-13 and energy <= 1e-13


@pytest.mark.parametrize("integrator", ["midpoint", "gauss4", "gauss6", "sun5"])
def test_other_symplectic_runge_kutta_methods_keep_norm_and_angular_momentum_too(integrator):
    body = ht.library.free_body(inertia=(1.0, 2.0, 2.5), omega=SPIN)
    angular, norm, _ = kept(body, run(body, 5e3 * STEP, STEP, integrator, 50))
    assert angular <= 1e-13 and norm <= 1e-13


def test_rk4_loses_norm_and_angular_momentum():
    """So what is kept above is kept by the method."""
    body = ht.library.free_body(inertia=(1.0, 2.0, 2.5), omega=SPIN)
    angular, norm, _ = kept(body, run(body, 5e3 * STEP, STEP, "rk4", 50))
    assert angular > 1e-10 and norm > 1e-10
