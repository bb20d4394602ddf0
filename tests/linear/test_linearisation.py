"""Linear equations and vibrations: against closed forms, another formulation and Bessel zeros."""

import numpy as np
import pytest
from scipy.special import jn_zeros

import hamiltree as ht
from hamiltree.analysis.linear.linearisation import Linearisation
from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations


def extrapolate(rows):
    """The limit of values whose error is a series in h², h halved from row to row."""
    table = []
    for value in rows:
        row = [value]
        for k, coarser in enumerate(table, start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**k - 1.0))
        table = row
    return table[-1]


def test_a_hanging_chain_has_the_frequencies_of_bessel_zeros():
    found = [
        ht.modes(ht.library.n_pendulum(n, length=1 / n, mass=1 / n), 3).frequencies
        for n in (8, 16, 32, 64, 128)
    ]
    wanted = 0.5 * jn_zeros(0, 3) * np.sqrt(9.81)
    assert np.abs(extrapolate(found) / wanted - 1.0).max() < 1e-6


def body_accelerations(model, q, qdot):
    return ht.accelerations(model, q, qdot)["acceleration"].values.ravel()


@pytest.mark.parametrize("name", ["four_bar", "double_wishbone"])
def test_mechanisms_move_as_their_linear_equations_say(name):
    """Accelerations of bodies by cartesian_3 near the rest, by differences."""
    rest = ht.equilibrium(getattr(ht.library, name)())
    linear = ht.linearise(rest)
    chart, model = linear.chart, rest.model
    shapes = np.array(
        [
            body_shape(chart, column)
            for column in chart.N.T  # centres of mass at unit independent speeds
        ]
    ).T
    wanted = -shapes @ np.linalg.solve(linear.M, np.hstack([linear.K, linear.velocity_matrix]))
    n = len(linear.names)
    still = np.zeros(len(model.speeds))
    found = np.zeros_like(wanted)
    for k in range(n):
        steps = 2.0 ** -np.arange(6, 9)
        z = np.eye(n)[k] / linear.scale[k]
        by_place, by_speed = [], []
        for h in steps:
            ends = [body_accelerations(model, chart.moved(s * h * z), still) for s in (1, -1)]
            by_place.append((ends[0] - ends[1]) / (2 * h) * linear.scale[k])
            ends = [
                body_accelerations(model, chart.q, s * h * chart.N[:, k] / linear.scale[k])
                for s in (1, -1)
            ]
            by_speed.append((ends[0] - ends[1]) / (2 * h) * linear.scale[k])
        found[:, k], found[:, n + k] = extrapolate(by_place), extrapolate(by_speed)
    assert np.abs(found - wanted).max() < 1e-8 * np.abs(wanted).max()
    assert linear.accuracy < 1e-9


def body_shape(chart, speeds):
    kinematics = chart.place.kinematics
    found = []
    for k, body in enumerate(chart.equations.model.bodies):
        twist = kinematics.jacobian(k, len(speeds)) @ speeds
        centre = kinematics.at[k] + kinematics.turn[k] @ np.array(body.com)
        found.append(twist[3:] + np.cross(twist[:3], centre))
    return np.concatenate(found)


def test_modes_of_a_mechanism_are_seen_in_a_run_of_another_formulation():
    rest = ht.equilibrium(ht.library.four_bar())
    (omega,) = ht.modes(rest).frequencies
    first = rest.model.coordinates[0]
    start = ht.assemble(
        rest.model.with_(joints={first: {"q": float(rest.q[0]) + 1e-4}}), hold=first
    )
    run = ht.simulate(
        start, until=2 * np.pi / omega, step=2e-3, formulation="cartesian_3", progress=False
    )
    moved = run.q.values[:, 0] - float(rest.q[0])
    assert np.abs(moved - 1e-4 * np.cos(omega * run.t.values)).max() < 1e-3 * 1e-4


def test_shapes_are_orthonormal_and_describe_the_bodies():
    found = ht.modes(ht.library.n_pendulum(3))
    M = ht.dynamics(ht.library.n_pendulum(3)).mass_matrix([0.0, 0.0, 0.0])
    assert np.abs(found.speeds.values @ M @ found.speeds.values.T - np.eye(3)).max() < 1e-13
    tip = found.shapes.sel(body="rod1", part="x").values
    assert np.abs(tip + 0.5 * found.speeds.values[:, 0]).max() < 1e-13  # −z turns to −x about y


def test_a_damped_pendulum_has_the_eigenvalues_and_the_response_of_the_book():
    forces = [ht.JointDamper("hinge", damping=0.6), ht.JointInput("hinge", name="motor")]
    linear = ht.linearise(ht.library.pendulum(2.0, 3.0).with_(forces=forces))
    inertia, stiffness = 3.0 * 4.0, 3.0 * 9.81 * 2.0
    assert linear.mass.values[0, 0] == pytest.approx(inertia, rel=1e-14)
    assert linear.stiffness.values[0, 0] == pytest.approx(stiffness, rel=1e-11)
    assert linear.damping.values[0, 0] == pytest.approx(0.6, rel=1e-11)
    wanted = np.roots([inertia, 0.6, stiffness])
    assert np.allclose(sorted(linear.eigenvalues.imag), sorted(wanted.imag), rtol=1e-10)
    assert linear.damping_ratios == pytest.approx(
        0.6 / (2 * np.sqrt(inertia * stiffness)), rel=1e-9
    )
    omega = np.array([0.1, 2.0, 5.0])
    response = linear.frequency_response(omega).values[:, 0, 0]
    assert np.allclose(response, 1 / (stiffness - inertia * omega**2 + 0.6j * omega), rtol=1e-9)
    assert linear.states == ["hinge", "hinge_dot"] and linear.state_units == ["rad", "rad/s"]
    named = ht.linearise(ht.library.pendulum(2.0, 3.0), inputs=["hinge"], outputs=["hinge"])
    assert np.allclose(named.B.values[:, 0], [0, 1 / inertia], rtol=1e-13)


def spinning(theta, spin, free_inertia=0.7):
    hub = ht.Body("hub", 1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, free_inertia)))
    bob = ht.Body("bob", 2.0, (0, 0, -1.5))
    joints = [
        ht.Revolute("spin", "ground", "hub", axis=(0, 0, 1)),
        ht.Revolute("swing", "hub", "bob", axis=(0, 1, 0), q=theta, qdot=0.0),
    ]
    return ht.Model([hub, bob], joints)


def test_a_spinning_pendulum_has_the_frequency_of_its_reduced_potential():
    """V(θ) = p²/(2 (I + m l² sin² θ)) − m g l cos θ with the momentum p about the free axis."""
    spin, g, m, length, inertia = 4.0, 9.81, 2.0, 1.5, 0.7
    theta = np.arccos(g / (length * spin**2))
    model = spinning(theta, spin, inertia)
    linear = ht.linearise(model, [0.0, theta], [spin, 0.0])
    whole = inertia + m * length**2 * np.sin(theta) ** 2
    p = whole * spin

    def force(x):
        of_spin = p**2 * m * length**2 * np.sin(x) * np.cos(x)
        return -of_spin / (inertia + m * length**2 * np.sin(x) ** 2) ** 2 + m * g * length * np.sin(
            x
        )

    slope = extrapolate(
        [(force(theta + h) - force(theta - h)) / (2 * h) for h in 2.0 ** -np.arange(4, 9)]
    )
    omega = np.sqrt(slope / (m * length**2))
    assert linear.eigenvalues.imag.max() == pytest.approx(omega, rel=1e-10)
    assert np.abs(linear.gyroscopic.values).max() > 1.0
    assert np.abs(linear.damping.values).max() < 1e-10 * np.abs(linear.gyroscopic.values).max()


def test_a_drive_that_moves_is_refused_and_one_that_stands_still_is_not():
    model = spinning(0.0, 0.0)
    turning = model.with_(constraints=[ht.Drive("spin", position="4*t", name="motor")])
    for call in (ht.linearise, ht.modes):
        with pytest.raises(ht.OptionError, match="'motor' moves at t = 0, so that nothing rests"):
            call(turning)
    still = model.with_(constraints=[ht.Drive("spin", position="0*t", name="motor")])
    assert ht.linearise(still).K[0, 0] == pytest.approx(2.0 * 9.81 * 1.5, rel=1e-10)


def test_speeds_are_closed_from_whichever_is_named():
    """A parallelogram turns steadily: its coupler does not turn, its cranks turn alike."""
    model = ht.library.four_bar(0.2, 0.6, 0.2, 0.6).with_(gravity=(0, 0, 0))
    whole = model.start()[1]
    assert np.count_nonzero(whole) == 3
    for name, value in zip(model.speeds, whole, strict=True):
        linear = ht.linearise(model, qdot={name: value})
        assert linear.u == pytest.approx(whole, rel=1e-12)
    assert ht.linearise(model, qdot=whole).u == pytest.approx(whole, rel=1e-12)
    with pytest.raises(ht.OptionError, match="qdot: .* cannot be .* name fewer speeds"):
        ht.linearise(model, qdot=whole * [1.0, 1.0, -1.0])
    rest = ht.equilibrium(ht.library.four_bar())
    with pytest.raises(ht.FitError, match="does not move steadily"):
        ht.linearise(rest, qdot={"crank_pin": 5.0})


def two_rotors(soft, stiff):
    """Two discs of 2 kg m² about the vertical, each on a spring or, below zero, an anti-spring."""
    discs = [ht.Body(name, 1.0, inertia=np.diag([1.0, 1.0, 2.0])) for name in ("a", "b")]
    names = ("yaw_a", "yaw_b")
    joints = [
        ht.Revolute(name, "ground", disc.name, axis=(0, 0, 1))
        for name, disc in zip(names, discs, strict=True)
    ]
    springs = [
        ht.JointPotential(name, "0.5*k*q**2", {"k": k})
        for name, k in zip(names, (soft, stiff), strict=True)
    ]
    return ht.Model(discs, joints, forces=springs)


@pytest.mark.parametrize("soft", [0.01, -0.01, 0.0])
def test_slow_modes_and_slow_instabilities_are_seen_beside_fast_ones(soft):
    found = ht.modes(two_rotors(soft, 4e9))
    wanted = np.sign(soft) * np.sqrt(abs(soft) / 2.0)
    assert found.frequencies == pytest.approx([wanted, np.sqrt(2e9)], rel=1e-9)
    assert found.unstable == (soft < 0.0)
    assert ht.equilibrium(two_rotors(soft, 4e9), kind="any").unstable == (soft < 0.0)


def test_motions_that_cost_nothing_have_no_frequency_beside_fast_ones():
    """Two free bodies and a stiff spring between them: one frequency, eleven motions at no cost."""
    bodies = [ht.Body(name, 1.0, inertia=np.diag([1.0, 2.0, 3.0])) for name in ("a", "b")]
    joints = [
        ht.Free("first", "ground", "a"),
        ht.Free("second", "ground", "b", on_parent=ht.Frame((0.3, 0.4, 1.2))),
    ]
    spring = ht.PointSpring("a", "b", (0, 0, 0), (0, 0, 0), stiffness=1e9, length=1.3)
    model = ht.Model(bodies, joints, forces=[spring], gravity=(0, 0, 0))
    found = ht.modes(model)
    assert np.count_nonzero(found.frequencies) == 1 and found.unstable == 0
    assert found.frequencies[-1] == pytest.approx(np.sqrt(2e9), rel=1e-9)


def test_a_small_rotor_on_a_large_body_has_inertia():
    """1e-7 kg m² on 1e7 kg m², on a spring of its own: ω² = k (1/I₁ + 1/I₂)."""
    bodies = [
        ht.Body("hull", 1.0, inertia=1e7 * np.eye(3)),
        ht.Body("rotor", 1e-3, inertia=1e-7 * np.eye(3)),
    ]
    joints = [
        ht.Revolute("roll", "ground", "hull", axis=(0, 0, 1)),
        ht.Revolute("spin", "hull", "rotor", axis=(0, 0, 1)),
    ]
    spring = ht.JointSpring("spin", stiffness=1e-3)
    found = ht.modes(ht.Model(bodies, joints, forces=[spring]))
    assert found.frequencies == pytest.approx([0.0, 100.0], rel=1e-9)


def test_a_response_that_is_infinite_is_refused_with_its_frequency():
    body = ht.Body("disc", 1.0, inertia=np.diag([1.0, 1.0, 2.0]))
    model = ht.Model([body], [ht.Revolute("shaft", "ground", "disc", axis=(0, 0, 1))])
    linear = ht.linearise(model, inputs=["shaft"])
    assert linear.frequency_response([3.0]).values[0, 0, 0] == pytest.approx(-1 / 18, rel=1e-12)
    with pytest.raises(ht.OptionError, match="omega = 0 rad/s is an undamped natural frequency"):
        linear.frequency_response([1.0, 0.0])
    swinging = ht.linearise(ht.library.n_pendulum(3), inputs=["hinge1"])
    for own in swinging.eigenvalues.imag:  # zeros of the denominator to rounding
        with pytest.raises(ht.OptionError, match="the response is infinite"):
            swinging.frequency_response(own)
        assert np.isfinite(swinging.frequency_response(own * (1 + 1e-12)).values).all()


def test_a_top_that_sleeps_is_stable_above_the_critical_spin():
    """A ball that turns: (C₃ ω)² > 4 A m g l, about the point that is held."""
    mass, length, across, along = 1.0, 0.3, 0.02, 0.01
    body = ht.Body("top", mass, (0, 0, length), ((across, 0, 0), (0, across, 0), (0, 0, along)))
    model = ht.Model([body], [ht.Ball("tip", "ground", "top")])
    critical = 2 * np.sqrt((across + mass * length**2) * mass * 9.81 * length) / along
    slow, fast = (ht.linearise(model, None, [0, 0, factor * critical]) for factor in (0.99, 1.01))
    assert slow.growth > 1e-2 * critical * along
    assert abs(fast.growth) < 1e-5 * critical


def test_similar_models_have_similar_linear_equations():
    model = ht.library.n_pendulum(3)
    units = ht.units.Units(length=4.0, mass=0.5, time=2.0)
    similar = ht.linearise(ht.units.nondimensionalise(model, units))
    linear = ht.linearise(model)
    assert np.array_equal(similar.K * units.energy, linear.K)
    assert np.array_equal(similar.M * units.energy * units.time**2, linear.M)


def test_what_does_not_rest_or_has_no_inertia_is_refused():
    with pytest.raises(ht.FitError, match="does not rest there: .* N m along 'hinge'"):
        ht.linearise(ht.library.pendulum(angle=0.5))
    with pytest.raises(ht.FitError, match="does not rest there"):
        ht.modes(ht.library.pendulum(angle=0.5))
    with pytest.raises(ht.OptionError, match="count = 5; the model has 3 modes"):
        ht.modes(ht.library.n_pendulum(3), 5)
    with pytest.raises(ht.OptionError, match="no speed 'hing'; did you mean 'hinge'"):
        ht.linearise(ht.library.pendulum(), inputs=["hing"])
    with pytest.raises(ht.OptionError, match="there is no input"):
        ht.linearise(ht.library.pendulum()).frequency_response(1.0)
    weightless = ht.Body("disc", 0.0)
    joints = [
        ht.Revolute("hinge", "ground", "bob", axis=(0, 1, 0)),
        ht.Revolute("loose", "bob", "disc", axis=(0, 1, 0)),
    ]
    with pytest.raises(ht.FitError, match="singular: joint 'loose' moves no inertia"):
        ht.linearise(ht.Model([ht.Body("bob", 1.0, (0, 0, -1.0)), weightless], joints))


def test_python_control_takes_the_state_space_or_is_named():
    linear = ht.linearise(ht.library.n_pendulum(2), inputs=["hinge1"])
    assert isinstance(linear, Linearisation)
    try:
        import control  # noqa: F401
    except ImportError:
        with pytest.raises(ht.OptionError, match="pip install control"):
            linear.to_control()
        return
    system = linear.to_control()
    assert np.array_equal(system.A, linear.A.values) and system.input_labels == ["hinge1"]
    assert system.state_labels == linear.states and system.output_labels == ["hinge1", "hinge2"]
    omega = np.array([0.5, 2.0, 30.0])
    theirs = np.array([system(1j * w) for w in omega])  # (omega, output, input)
    ours = linear.frequency_response(omega).values
    assert np.abs(theirs.reshape(ours.shape) - ours).max() < 1e-12 * np.abs(ours).max()
    poles = np.sort_complex(np.round(system.poles(), 9))
    assert poles == pytest.approx(np.sort_complex(np.round(linear.eigenvalues, 9)), abs=1e-8)


def test_matrices_of_a_tree_are_exact_and_agree_with_differences(monkeypatch):
    """Springs between bodies, stops and a formula, about a steady spin."""
    forces = [
        ht.PointSpring("ground", "b3", (0.5, 0.2, 0.0), (0.0, 0.0, -0.1), 30.0, 0.2, 0.4),
        ht.Drag("b2", 0.3, 0.1),
        ht.JointLaw("j2", "-2*sin(q) - 0.1*v*j1"),
    ]
    model = ht.library.chain(3).with_(forces=forces)
    chart = Chart(SpeedEquations(model), np.array([0.2, -0.3, 0.4]))
    v = np.array([0.5, -0.2, 0.1])
    exact = [chart.stiffness(v), chart.damping(v)]
    monkeypatch.setattr(Chart, "exact_derivatives", lambda self, v: None)
    for (found, rounding), (expected, error) in zip(
        exact, [chart.stiffness(v), chart.damping(v)], strict=True
    ):
        assert np.abs(found - expected).max() < 1e-10 * np.abs(expected).max()
        assert rounding.max() < 1e-15 * np.abs(found).max() and error.max() > rounding.max()
