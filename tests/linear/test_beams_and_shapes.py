"""A beam of rods against Euler's, and modes as trajectories."""

import numpy as np
import pytest
from scipy.optimize import brentq

import hamiltree as ht
from tests.linear.test_linearisation import extrapolate


def beam(n):
    """A clamped beam of length, mass and stiffness one: n rods, springs EI/h between them, 2EI/h at
    the clamp, which is half a rod from the first node.
    """
    h = 1.0 / n
    inertia = np.diag([0.0, h**3 / 12.0, h**3 / 12.0])
    bodies = [ht.Body(f"rod{k}", h, (h / 2, 0, 0), inertia) for k in range(n)]
    joints = [
        ht.Revolute(
            f"joint{k}",
            f"rod{k - 1}" if k else "ground",
            f"rod{k}",
            axis=(0, 1, 0),
            on_parent=ht.Frame((h if k else 0.0, 0, 0)),
        )
        for k in range(n)
    ]
    springs = [ht.JointSpring(f"joint{k}", stiffness=(1 if k else 2) / h) for k in range(n)]
    return ht.Model(bodies, joints, springs, gravity=(0, 0, 0))


def test_a_clamped_chain_of_rods_approaches_the_beam_of_euler():
    """cos β cosh β = −1, ω = β²: the first four."""
    found = [ht.modes(beam(n), 4).frequencies for n in (8, 16, 32, 64)]
    roots = [
        brentq(lambda b: np.cos(b) + 1 / np.cosh(b), x, x + np.pi) for x in np.pi * np.arange(4)
    ]
    wanted = np.array(roots) ** 2
    errors = np.abs(np.array(found) / wanted - 1.0)
    assert np.all(errors[1:] < 0.3 * errors[:-1])  # of second order
    assert np.abs(extrapolate(found) / wanted - 1.0).max() < 1e-5


def test_a_mode_of_a_mechanism_moves_with_its_loops_closed():
    rest = ht.equilibrium(ht.library.four_bar())
    modes = ht.modes(rest)
    run = modes.trajectory(0, amplitude=0.4, frames=40)
    assert isinstance(run, ht.Trajectory) and run.constraint_error < 1e-14
    period = 2 * np.pi / modes.frequencies[0]
    assert float(run.t[-1]) == pytest.approx(period, rel=1e-14)
    moved = np.abs(run.q.values - rest.q.values)
    assert moved.max() == pytest.approx(0.4, rel=0.5) and moved[[0, 20]].max() > 0.2
    assert moved[10].max() < 1e-13  # it passes its rest
    by_differences = (run.q.values[2:] - run.q.values[:-2]) / (run.t.values[2] - run.t.values[0])
    assert np.abs(by_differences - run.qdot.values[1:-1]).max() < 0.01 * np.abs(run.qdot).max()


def test_a_small_mode_keeps_its_energy_to_second_order():
    """T + V − V₀ = ½ a² ω² of a shape with vᵀ M v = 1, at all times."""
    model = ht.library.n_pendulum(3)
    modes = ht.modes(model)
    run = modes.trajectory(1, amplitude=1e-4, frames=16)
    a = 1e-4 / np.abs(modes.speeds.values[1]).max()
    wanted = 0.5 * a**2 * modes.squares[1]
    rest = ht.dynamics(model).energies(np.zeros(3), np.zeros(3))[1]
    assert np.abs(run.energy.values - rest - wanted).max() < 1e-6 * wanted
    assert np.abs(run.kinetic_energy.values[4] - wanted) < 1e-6 * wanted


def test_a_mode_is_viewed_and_plotted_and_has_no_report(tmp_path):
    modes = ht.modes(ht.library.n_pendulum(2))
    run = modes.trajectory(1, frames=8, cycles=2)
    assert len(run.t) == 17
    run.view(tmp_path / "mode.html", open=False)
    assert "The shape of a mode" in (tmp_path / "mode.html").read_text(encoding="utf-8")
    assert run.plot("coordinates").axes
    with pytest.raises(ht.OptionError, match="a mode shape is no run"):
        run.report()
    for arguments, message in (
        ({"mode": 2}, "mode = 2; there are 2 modes, counted from 0"),
        ({"amplitude": -1.0}, "amplitude = -1.0"),
        ({"frames": 1}, "frames = 1"),
    ):
        with pytest.raises(ht.OptionError, match=message):
            modes.trajectory(**arguments)


def test_a_motion_that_costs_nothing_and_one_that_grows_are_shown_too():
    disc = ht.Body("disc", 1.0, inertia=np.diag([1.0, 1.0, 2.0]))
    free = ht.Model([disc], [ht.Revolute("shaft", "ground", "disc", axis=(0, 0, 1))])
    run = ht.modes(free).trajectory(0, amplitude=0.3, frames=4)
    assert run.q.values[:, 0] == pytest.approx([0.3, 0.0, -0.3, 0.0, 0.3], abs=1e-15)
    upright = ht.equilibrium(ht.library.pendulum(angle=3.0), kind="any")
    run = ht.modes(upright).trajectory(0, frames=4)
    assert run.q.values[2, 0] == pytest.approx(np.pi - 0.2, abs=1e-12) or run.q.values[
        0, 0
    ] == pytest.approx(np.pi - 0.2, abs=1e-12)


def test_a_mode_of_a_free_body_turns_its_quaternion():
    """A body on a ball joint, and particles that are joined to the ground alone."""
    rod = ht.Body("rod", 1.0, (0, 0, -1.0), np.diag([0.3, 0.2, 0.1]))
    modes = ht.modes(ht.Model([rod], [ht.Ball("pivot", "ground", "rod")]))
    run = modes.trajectory(2, amplitude=0.5, frames=16)
    assert run.quaternion_error < 1e-14
    middle = run.poses.values[:, 0, 3:] @ [1, 0, 0, 0]
    assert 2 * np.arccos(middle.min()) == pytest.approx(0.5, rel=0.02)
    chain = ht.modes(ht.equilibrium(ht.library.particle_chain(4)), 8)
    k = int(np.argmax(chain.frequencies > 0.0))
    run = chain.trajectory(k, amplitude=1e-3, frames=8)
    V = run.potential_energy.values
    assert np.ptp(V) == pytest.approx(run.kinetic_energy.values.max(), rel=0.01)
