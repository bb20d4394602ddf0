"""Steady motions: against closed forms, a Lagrangian of SymPy, and runs."""

import warnings

import numpy as np
import pytest

import hamiltree as ht

G = 9.81


def pendulum_on_a_hub(theta=0.3, **parts):
    """A bob of 2 kg, 1.5 m below a hinge on a hub that turns about the vertical."""
    hub = ht.Body("hub", 1.0, inertia=np.diag([1.0, 1.0, 0.7]))
    joints = [
        ht.Revolute("spin", "ground", "hub", axis=(0, 0, 1)),
        ht.Revolute("swing", "hub", "bob", axis=(0, 1, 0), q=theta),
    ]
    return ht.Model([hub, ht.Body("bob", 2.0, (0, 0, -1.5))], joints, **parts)


@pytest.mark.parametrize("theta", [0.0, 0.3, 1.5])
def test_a_conical_pendulum_swings_out_as_the_book_says(theta):
    steady = ht.steady_motion(pendulum_on_a_hub(theta), {"spin": 4.0})
    assert np.cos(float(steady.q[1])) == pytest.approx(G / (1.5 * 16.0), rel=1e-12)
    assert steady.is_stable and steady.qdot.values.tolist() == [4.0, 0.0]
    hanging = ht.steady_motion(pendulum_on_a_hub(0.05), {"spin": 4.0}, kind="any")
    assert abs(float(hanging.q[1])) < 1e-12 and hanging.unstable == 1
    slow = ht.steady_motion(pendulum_on_a_hub(theta), {"spin": 1.0})
    assert abs(float(slow.q[1])) < 1e-12 and slow.is_stable


def test_a_driven_axis_has_an_effort_and_keeps_its_speed_in_the_linear_equations():
    """ω² = Ω² sin² θ of the bob alone; the motor carries the damper."""
    motor = ht.Drive("spin", position="4*t", name="motor")
    damper = ht.JointDamper("spin", damping=0.5)
    model = pendulum_on_a_hub(constraints=[motor], forces=[damper])
    steady = ht.steady_motion(model, t=0.5)
    assert steady.efforts == {"spin": pytest.approx(2.0, rel=1e-12)}
    theta = float(steady.q[1])
    assert float(steady.q[0]) == pytest.approx(2.0, rel=1e-13)
    linear = ht.linearise(steady)
    assert linear.names == ["swing"]
    assert linear.eigenvalues.imag.max() == pytest.approx(4.0 * np.sin(theta), rel=1e-10)
    free = ht.linearise(ht.steady_motion(pendulum_on_a_hub(), {"spin": 4.0}))
    assert free.names == ["spin", "swing"] and np.abs(free.gyroscopic.values).max() > 1.0
    run = ht.simulate(steady.model, t=0.5, until=1.5, step=0.01, progress=False)
    assert np.abs(run.q.values[:, 1] - theta).max() < 1e-9


def lagrangian_matrices(theta, spin, inertia):
    """M, C, K of (φ, θ₁, θ₂) at a steady spin, from a Lagrangian in SymPy: point masses 2 and 1 on
    massless rods of 0.8 and 0.6 in a plane that turns with φ; and the forces left there.
    """
    import sympy as sp

    t = sp.Symbol("t")
    phi, a, b = (sp.Function(name)(t) for name in ("phi", "a", "b"))
    x1, z1 = -0.8 * sp.sin(a), -0.8 * sp.cos(a)
    x2, z2 = x1 - 0.6 * sp.sin(a + b), z1 - 0.6 * sp.cos(a + b)
    T, V = inertia * phi.diff(t) ** 2 / 2, 0
    for mass, x, z in ((2.0, x1, z1), (1.0, x2, z2)):
        T += mass * (x.diff(t) ** 2 + z.diff(t) ** 2 + x**2 * phi.diff(t) ** 2) / 2
        V += mass * G * z
    L, q = T - V, [phi, a, b]
    equations = sp.Matrix([L.diff(x.diff(t)).diff(t) - L.diff(x) for x in q])
    symbols = {}
    for order, letter in ((2, "w"), (1, "v"), (0, "x")):
        symbols |= {x.diff(t, order): sp.Symbol(f"{letter}{k}") for k, x in enumerate(q)}
    plain = equations.subs(symbols)
    place = {f"x{k}": value for k, value in enumerate((0.0, *theta))}
    place |= {"v0": spin, "v1": 0.0, "v2": 0.0, "w0": 0.0, "w1": 0.0, "w2": 0.0}
    place = {sp.Symbol(name): value for name, value in place.items()}
    matrices = [
        np.array(plain.jacobian([sp.Symbol(f"{letter}{k}") for k in range(3)]).subs(place))
        for letter in ("w", "v", "x")
    ]
    left = np.array(plain.subs(place), dtype=float).ravel()
    return [matrix.astype(float) for matrix in matrices], left


def test_a_spinning_double_pendulum_has_the_frequencies_of_its_lagrangian():
    hub = ht.Body("hub", 1.0, inertia=np.diag([1.0, 1.0, 0.5]))
    bodies = [hub, ht.Body("upper", 2.0, (0, 0, -0.8)), ht.Body("lower", 1.0, (0, 0, -0.6))]
    joints = [
        ht.Revolute("spin", "ground", "hub", axis=(0, 0, 1)),
        ht.Revolute("shoulder", "hub", "upper", axis=(0, 1, 0), q=0.8),
        ht.Revolute(
            "elbow", "upper", "lower", axis=(0, 1, 0), q=0.2, on_parent=ht.Frame((0, 0, -0.8))
        ),
    ]
    steady = ht.steady_motion(ht.Model(bodies, joints), {"spin": 5.0})
    assert steady.is_stable and steady.q.values[1] > 0.5
    (M, C, K), left = lagrangian_matrices(steady.q.values[1:], 5.0, 0.5)
    assert np.abs(left).max() < 1e-11
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, np.hstack([K, C]))]])
    linear = ht.linearise(steady)
    wanted, found = np.linalg.eigvals(A).imag, linear.eigenvalues.imag
    wanted, found = np.sort(wanted[wanted > 1.0]), np.sort(found[found > 1.0])
    assert len(found) == 2 and found == pytest.approx(wanted, rel=1e-9)
    assert np.abs(linear.gyroscopic.values).max() > 1.0
    assert linear.gyroscopic.values == pytest.approx(0.5 * (C - C.T), abs=1e-9)


def test_a_pendulum_in_turning_axes_has_its_frequencies_in_pairs():
    """A double pendulum of universal joints below a driven hub: ω₁ ± Ω and ω₂ ± Ω, where ω are the
    frequencies of the plane pendulum.
    """
    bodies = [ht.Body("hub", 1.0), ht.Body("upper", 2.0, (0, 0, -0.8))]
    bodies.append(ht.Body("lower", 1.0, (0, 0, -0.6)))
    below = ht.Frame((0, 0, -0.8))
    joints = [
        ht.Revolute("spin", "ground", "hub", axis=(0, 0, 1)),
        ht.Universal("shoulder", "hub", "upper", axes=((1, 0, 0), (0, 1, 0))),
        ht.Universal("elbow", "upper", "lower", axes=((1, 0, 0), (0, 1, 0)), on_parent=below),
    ]
    motor = ht.Drive("spin", speed=1.2, name="motor")
    model = ht.Model(bodies, joints, constraints=[motor])
    linear = ht.linearise(ht.steady_motion(model))
    M = np.array([[2.0 * 0.64 + 1.4**2, 1.4 * 0.6], [1.4 * 0.6, 0.36]])
    K = G * np.array([[2.0 * 0.8 + 1.4, 0.6], [0.6, 0.6]])
    plane = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)))
    wanted = np.sort(np.abs([w + s for w in plane for s in (1.2, -1.2)]))
    found = np.sort(linear.eigenvalues.imag[linear.eigenvalues.imag > 0])
    assert found == pytest.approx(wanted, rel=1e-9)
    assert abs(linear.growth) < 1e-9


def satellite(**parts):
    inertia = np.array([[3.0, 0.2, 0.1], [0.2, 4.0, 0.3], [0.1, 0.3, 5.0]])
    body = ht.Body("bus", 10.0, (0.1, 0.02, 0.0), inertia)
    free = ht.Free("orbit", "ground", "bus", q=(1, 2, 3, 1, 0, 0, 0))
    return ht.Model([body], [free], gravity=(0, 0, 0), **parts), inertia


def test_a_satellite_turns_about_a_principal_axis_and_nutates():
    """ω² = Ω² (C − A)(C − B)/(A B); its centre of mass stays where it was."""
    model, inertia = satellite()
    steady = ht.steady_motion(model, {"orbit": (0, 0, 2.0)})
    A, B, C = np.linalg.eigvalsh(inertia)
    omega = steady.qdot.values[3:]
    assert np.linalg.norm(omega) == pytest.approx(2.0, rel=1e-13)
    assert np.abs(np.cross(omega, inertia @ omega)).max() < 1e-11
    assert omega @ inertia @ omega == pytest.approx(4.0 * C, rel=1e-12)
    nutation = 2.0 * np.sqrt((C - A) * (C - B) / (A * B))
    linear = ht.linearise(steady)
    found = linear.eigenvalues.imag
    assert np.abs(found - nutation).min() < 1e-9
    drifting = steady.qdot.values + np.array([0.3, 0.1, 0, 0, 0, 0])
    by_hand = ht.linearise(model, steady.q.values, drifting)
    assert np.sort(by_hand.eigenvalues.imag) == pytest.approx(np.sort(found), abs=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = ht.simulate(steady.model, until=2.0, step=0.01, progress=False)
    assert np.abs(run.speeds.values[:, 3:] - omega).max() < 1e-12
    middle = ht.steady_motion(model, {"orbit": (0, 0, 2.0)}, start=steady.q.values, kind="any")
    assert np.array_equal(middle.q.values, steady.q.values)


def test_a_satellite_with_a_boom_on_a_spring_spins_with_its_boom_deflected():
    """In the axes of the satellite: the boom's spring balances the centrifugal force, and a run
    from there does not change its shape.
    """
    model, _ = satellite()
    boom = ht.Body("boom", 1.0, (0.8, 0.0, 0.1))
    hinge = ht.Revolute("hinge", "bus", "boom", axis=(0, 1, 0), on_parent=ht.Frame((0.5, 0.1, 0)))
    spring = ht.JointSpring("hinge", stiffness=10.0, rest=-0.4)
    model = model.with_(
        bodies=[*model.bodies, boom], joints=[*model.joints, hinge], forces=[spring]
    )
    steady = ht.steady_motion(model, {"orbit": (0, 0, 1.0)})
    assert steady.is_stable and abs(float(steady.q[-1]) + 0.4) > 0.01
    linear = ht.linearise(steady)
    assert abs(linear.growth) < 1e-6
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = ht.simulate(steady.model, until=3.0, step=0.01, progress=False)
        (omega,) = [w for w in linear.eigenvalues.imag if w > 1.05][-1:]
        start = steady.q.values.copy()
        start[-1] += 1e-5
        moved = ht.simulate(steady.model, q=start, until=30.0, step=0.02, progress=False)
    assert np.ptp(run.q.values[:, -1]) < 1e-10
    swing = moved.q.values[:, -1] - moved.q.values[:, -1].mean()
    power = np.abs(np.fft.rfft(swing * np.hanning(len(swing)), 16 * len(swing)))
    seen = 2 * np.pi * np.fft.rfftfreq(16 * len(swing), 0.02)[power.argmax()]
    assert seen == pytest.approx(omega, rel=0.01)


def test_a_governor_turns_steadily_and_similar_ones_alike():
    model = ht.library.governor()
    steady = ht.steady_motion(model, {"spindle": 12.0})
    run = ht.simulate(steady.model, until=0.5, step=0.005, progress=False)
    assert np.ptp(run.q.values[:, 1:], axis=0).max() < 1e-12
    units = ht.units.Units(length=4.0, mass=0.5, time=2.0)
    similar = ht.steady_motion(ht.units.nondimensionalise(model, units), {"spindle": 24.0})
    assert similar.iterations == steady.iterations
    assert np.array_equal(similar.q.values[2:], steady.q.values[2:])
    assert similar.energy == steady.energy / units.energy


@pytest.mark.parametrize(
    ("parts", "spin", "kind", "message"),
    [
        ({}, {"spinn": 4.0}, ht.OptionError, "no speed 'spinn'; did you mean 'spin'"),
        ({}, {"spin": "fast"}, ht.OptionError, "spin = 'fast'; give a number"),
        ({}, None, ht.OptionError, "nothing turns"),
        (
            {"forces": [ht.JointDamper("spin", damping=0.5)]},
            {"spin": 4.0},
            ht.FitError,
            "'spin' does not keep its speed by itself: 2 N m",
        ),
        (
            {"constraints": [ht.Drive("spin", position="t**2", name="motor")]},
            None,
            ht.OptionError,
            "'motor' accelerates at t = 0",
        ),
        (
            {"constraints": [ht.Drive("spin", position="4*t", name="motor")]},
            {"spin": 4.0},
            ht.OptionError,
            "'spin' is driven",
        ),
    ],
)
def test_what_is_not_steady_is_refused_by_name(parts, spin, kind, message):
    with pytest.raises(kind, match=message):
        ht.steady_motion(pendulum_on_a_hub(**parts), spin)


def test_a_rotor_that_is_not_symmetric_has_no_constant_equations():
    """Springs at the ends of a shaft do not turn with it; its inertias do."""
    rotor = ht.Body("rotor", 1.0, inertia=np.diag([1.0, 1.4, 0.5]))
    joints = [
        ht.Universal("tilt", "ground", "shaft", axes=((1, 0, 0), (0, 1, 0))),
        ht.Revolute("spin", "shaft", "rotor", axis=(0, 0, 1)),
    ]
    springs = [ht.JointSpring("tilt.1", 5.0), ht.JointSpring("tilt.2", 5.0)]
    model = ht.Model([ht.Body("shaft", 0.1), rotor], joints, springs)
    with pytest.raises(ht.FitError, match="change while the model turns"):
        ht.linearise(model, qdot={"spin": 3.0})
    still = ht.Body("rotor", 1.0, inertia=np.diag([1.0, 1.0, 0.5]))
    linear = ht.linearise(model.with_(bodies=[model.bodies[0], still]), qdot={"spin": 3.0})
    roots = np.roots([1.0, 1j * 0.5 * 3.0, 5.0])  # I λ² − i C Ω λ + k = 0
    assert np.sort(np.abs(roots.imag)) == pytest.approx(
        np.sort(linear.eigenvalues.imag[linear.eigenvalues.imag > 0.1]), rel=1e-9
    )


def test_a_drive_that_only_begins_to_move_is_no_rest():
    motor = ht.Drive("spin", position="t**2", name="motor")
    model = pendulum_on_a_hub(0.1, constraints=[motor])
    for call in (ht.equilibrium, ht.modes, ht.linearise):
        with pytest.raises(ht.OptionError, match="'motor' stands still but accelerates at t = 0"):
            call(model)


def test_what_is_steady_at_an_instant_only_is_refused():
    """A pendulum at its lowest point needs no torque there, but a radian later."""
    with pytest.raises(ht.FitError, match="no steady motion: a radian later .* along 'hinge'"):
        ht.steady_motion(ht.library.pendulum(), {"hinge": 3.0})


def test_modes_of_a_steady_motion_are_refused_with_where_its_frequencies_are():
    steady = ht.steady_motion(ht.library.free_body(), {"free": (0.0, 0.0, 2.0)}, kind="any")
    with pytest.raises(ht.FitError, match="eigenvalues"):
        ht.modes(steady)
