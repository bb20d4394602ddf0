"""Derivatives of dynamics with every force of the library, on a tree of ten bodies."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.forces.laws import BODY_LAWS, JOINT_LAWS
from hamiltree.model import FORCES
from hamiltree.model.orbits import OrbitingFrame, find_orbit
from tests.forces.examples import EXAMPLES, PARTICLES

TIME = 0.3
WEIGHTS = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
STEP = 2.0**-8  # of central differences, extrapolated three times
# where the examples of a force stand on the tree of ten bodies
NEW_NAMES = {
    "trunk": "b2",
    "arm": "b5",
    "hand": "b9",
    "head": "b7",
    "elbow": "j4",
    "slide": "j8",
    "neck": "j7",
}


def ten_bodies(*forces, **options):
    """A free base, a branch, hinges, a slide and a ball."""
    bodies = [
        ht.Body(
            f"b{k}",
            1.0 + 0.2 * k,
            (0.1, 0.02 * k, -0.1),
            (0.2, 0.25, 0.3),
            particles=PARTICLES if k in (2, 5, 9) else None,
        )
        for k in range(10)
    ]
    parents = [None, 0, 1, 2, 2, 4, 5, 3, 6, 8]
    at = (0.3, 0.2, -0.4), (-0.1, 0.05, 0.1)
    joints = [ht.Free("base", "ground", "b0")]
    for k in range(1, 10):
        ends = f"j{k}", f"b{parents[k]}", f"b{k}", *at
        if k == 7:
            joints.append(ht.Ball(*ends))
        elif k == 8:
            joints.append(ht.Prismatic(*ends, axis=(0, 1, 1)))
        else:
            joints.append(ht.Revolute(*ends, axis=((1, 2, 0), (0, 1, 0), (0.3, 0, 1))[k % 3]))
    return ht.Model(bodies, joints, forces, (0.1, 0.3, -9.0), **options)


def moved(force):
    """An example of a force on the tree of ten bodies."""
    named = {
        name: NEW_NAMES[value]
        for name in ("joint", "body", "body_a", "body_b")
        if (value := getattr(force, name, None)) in NEW_NAMES
    }
    if force.kind == "gravitation":
        named["bodies"] = tuple(NEW_NAMES[name] for name in force.bodies)
    return replace(force, **named)


def orbiting_frame():
    field = ht.CentralGravity("b4", 3.0, (0.0, 0.0, 0.0))
    orbit = find_orbit(np.array([7.0, 1.0, 0.4]), np.array([0.1, 0.5, 0.3]), field.mu, 0.1)
    return OrbitingFrame(orbit, ("b4", "b9"), (field, None))


def state_of(d, seed=3):
    rng = np.random.default_rng(seed)
    q = d.integrate(d.model.start()[0], rng.uniform(0.2, 0.7, d.freedoms))
    return q, rng.normal(size=d.freedoms), rng.normal(size=d.freedoms)


def differences(f, n):
    """Columns of df/dε along n directions."""
    columns = [
        sum(w * f(k * STEP * along) for k, w in enumerate(WEIGHTS, start=-4) if w)
        for along in np.eye(n)
    ]
    return np.array(columns).T / STEP


def check(d, q, u, tau, tolerance=1e-9):
    """Forward derivatives are the differences of forward dynamics."""
    found, n = d.forward_derivatives(q, u, tau, t=TIME), d.freedoms
    by_q = differences(lambda e: d.forward_dynamics(d.integrate(q, e), u, tau, t=TIME), n)
    by_u = differences(lambda e: d.forward_dynamics(q, u + e, tau, t=TIME), n)
    for exact, expected in ((found.q, by_q), (found.qdot, by_u)):
        assert np.abs(exact - expected).max() <= tolerance * np.abs(expected).max()


EVERY = {
    f"{kind}-{k + 1}": moved(force)
    for kind in FORCES
    for k, force in enumerate(EXAMPLES.get(kind, ()))
}


def one_of_each():
    return [force for name, force in EVERY.items() if name.endswith("-1")]


def test_every_force_of_the_library_is_differentiated():
    known = {type(force) for force in EVERY.values()} | {OrbitingFrame}
    assert {law.part for law in (*JOINT_LAWS, *BODY_LAWS)} == known


@pytest.mark.parametrize("name", EVERY)
def test_derivatives_of_forward_dynamics_with_a_force_are_differences(name):
    d = ht.dynamics(ten_bodies(EVERY[name]))
    check(d, *state_of(d))
    assert d.differenced_forces == ()


def test_derivatives_with_all_forces_at_once_are_differences():
    d = ht.dynamics(ten_bodies(*one_of_each()))
    check(d, *state_of(d))


def test_inverse_and_forward_derivatives_agree():
    d = ht.dynamics(ten_bodies(*one_of_each()))
    q, u, tau = state_of(d)
    forward = d.forward_derivatives(q, u, tau, t=TIME)
    inverse = d.inverse_derivatives(q, u, d.forward_dynamics(q, u, tau, t=TIME), t=TIME)
    for ours, theirs in ((forward.q, inverse.q), (forward.qdot, inverse.qdot)):
        expected = -np.linalg.solve(inverse.third, theirs)
        assert np.abs(ours - expected).max() <= 1e-11 * np.abs(expected).max()


def test_derivatives_of_many_states_are_those_of_one_to_the_bit():
    d = ht.dynamics(ten_bodies(*one_of_each()))
    states = [state_of(d, seed) for seed in range(6)]
    together = d.forward_derivatives(*(np.array(part) for part in zip(*states, strict=True)))
    for k, state in enumerate(states):
        for many, alone in zip(together, d.forward_derivatives(*state), strict=True):
            assert np.array_equal(many[k].view(np.int64), alone.view(np.int64))


@pytest.mark.parametrize(("energy", "asked"), [("x**2 + R_33", [2]), ("z1 + x", [0, 1, 2])])
def test_a_potential_of_relative_poses_is_asked_along_joints_in_between(energy, asked):
    """Speeds are taken four at a time: those of the hinges j4, j5 and j6 are 9, 10 and 11."""
    d = ht.dynamics(ten_bodies(ht.PosePotential("b2", "b6", energy)))
    check(d, *state_of(d))
    (law,) = d.force_slopes.slopes.passes.asked[:, 0].T
    assert np.flatnonzero(law).tolist() == asked


def test_derivatives_in_an_orbiting_frame_are_differences():
    d = ht.dynamics(ten_bodies(orbiting_frame()))
    check(d, *state_of(d))


def test_derivatives_of_a_coupled_tree_are_differences():
    forces = [force for force in one_of_each() if force.kind != "joint_input"]
    couplings = [ht.Mimic("j9", "j4", -0.7, 0.2)]
    d = ht.dynamics(ten_bodies(*forces, couplings=couplings))
    check(d, *state_of(d))


def test_the_page():
    page = (Path(__file__).parents[2] / "docs" / "dynamics.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"## Derivatives by q\n.*?```python\n(.*?)```", page, re.DOTALL)
    exec(code, {"np": np, "ht": ht})


# ---- kinks and places where a law is nearly singular ---------------------------------------------
def test_a_slack_cable_and_an_open_stop_have_no_derivatives():
    free = ht.dynamics(ten_bodies())
    q, u, tau = state_of(free)
    slack = ht.PointSpring("b2", "b9", *[(0.0, 0.0, 0.0)] * 2, 30.0, 1e3, 2.0, tension_only=True)
    stop = ht.JointLimit("j4", -100.0, 100.0, stiffness=30.0, damping=4.0, ramp=0.05)
    d = ht.dynamics(ten_bodies(slack, stop))
    for found, expected in zip(
        d.forward_derivatives(q, u, tau), free.forward_derivatives(q, u, tau), strict=True
    ):
        assert np.abs(found - expected).max() <= 1e-14 * np.abs(expected).max()


def test_elements_at_their_rest_have_derivatives():
    """Where the turn is zero its axis is not defined; neither is the line of a spring of no
    length.
    """
    frame = ht.Frame()
    forces = [
        ht.Torsion("b1", "b2", 1.3, 0.4),
        ht.Bushing("b1", "b2", frame, frame, (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        ht.PointSpring("b1", "b2", (0.3, 0.2, -0.4), (-0.1, 0.05, 0.1), 20.0, 0.0),
    ]
    d = ht.dynamics(ten_bodies(*forces))
    check(d, d.model.start()[0], *state_of(d)[1:])


# ---- functions of a user -------------------------------------------------------------------------
def effort(t, x, out):
    out[0] = -3.0 * np.sin(x[0]) - 0.2 * x[1] * x[2] + np.cos(t)


def tension(t, x, out):
    out[0] = 2.0 * np.sin(3.0 * t) - x[0] * x[1] ** 2


def wind(t, x, out):
    out[0], out[1], out[2] = -2.0 * x[0], -x[1] * x[10], x[3] * x[4]
    out[3], out[4], out[5] = 0.0, -x[8], 0.1 * t


def energy(R1, r1, R2, r2):
    return 1.3 * r1[0] * R2[1, 2] ** 2


def gradient(R1, r1, R2, r2, dR1, dr1, dR2, dr2):
    dR1[:], dr1[:], dR2[:], dr2[:] = 0.0, 0.0, 0.0, 0.0
    dr1[0] = 1.3 * R2[1, 2] ** 2
    dR2[1, 2] = 2.6 * r1[0] * R2[1, 2]


AT = (0.3, -0.2, 0.1), (-0.1, 0.4, 0.2)
TWINS = {
    "joint law": (
        ht.JointLaw("j4", effort, inputs=("q", "v", "j8"), name="motor"),
        ht.JointLaw("j4", "-3*sin(q) - 0.2*v*j8 + cos(t)"),
    ),
    "point actuator": (
        ht.PointActuator("b2", "b9", *AT, tension, name="motor"),
        ht.PointActuator("b2", "b9", *AT, "2*sin(3*t) - l*v**2"),
    ),
    "body law": (
        ht.BodyLaw("b9", function=wind, at=(0.1, 0.0, 0.2), name="motor"),
        ht.BodyLaw("b9", ("-2*x", "-y*vx", "qw*qx"), ("0", "-wy", "0.1*t"), at=(0.1, 0.0, 0.2)),
    ),
    "pose potential": (
        ht.PosePotential("b2", "b7", energy, gradient=gradient, name="motor"),
        ht.PosePotential("b2", "b7", "1.3*x1*R2_23**2"),
    ),
}


@pytest.mark.parametrize("case", TWINS)
def test_a_function_is_differenced_and_a_formula_is_not(case):
    by_function, by_formula = (ht.dynamics(ten_bodies(force)) for force in TWINS[case])
    state = state_of(by_formula)
    assert by_formula.differenced_forces == ()
    assert len(by_function.differenced_forces) == 1
    assert "motor" in by_function.differenced_forces[0]
    pairs = zip(
        by_function.forward_derivatives(*state, t=TIME),
        by_formula.forward_derivatives(*state, t=TIME),
        strict=True,
    )
    for found, exact in pairs:
        assert np.abs(found - exact).max() <= 1e-10 * np.abs(exact).max()


def test_differences_of_a_function_do_not_depend_on_the_size_of_the_model():
    def pendulum(size):
        def effort(t, x, out):
            out[0] = np.sin(x[0] / size) * x[1] / size

        body = ht.Body("a", 1.0, (0.0, 0.0, 0.1 * size), 1e-2 * size**2)
        slide = ht.Prismatic("slide", "ground", "a", axis=(0, 0, 1))
        law = ht.JointLaw("slide", effort, inputs=("q", "v"))
        found = ht.dynamics(ht.Model([body], [slide], [law], (0.0, 0.0, -9.0 * size)))
        at = [0.4 * size], [0.7 * size]
        return [part.item() * size for part in found.forward_derivatives(*at)[:2]]

    assert pendulum(2.0**20) == pendulum(1.0)


def hinge_with(law):
    body = ht.Body("a", 1.0, (0.0, 0.0, 0.0), 1.0)
    return ht.dynamics(ht.Model([body], [ht.Revolute("h", "ground", "a")], [law]))


def steep(t, x, out):
    out[0] = -0.4 * np.tanh(x[0] / 1e-3) - np.sqrt(x[1])


def test_functions_that_are_steep_or_end_nearby_are_differenced_with_smaller_steps():
    """A slope of 400 over a millirad, and a root whose argument may not be below zero."""
    d = hinge_with(ht.JointLaw("h", steep, inputs=("q", "v")))
    by_q, by_rate, _ = d.forward_derivatives([0.0], [1e-3])
    assert by_q.item() == pytest.approx(-400.0, rel=1e-7)
    assert by_rate.item() == pytest.approx(-0.5 / np.sqrt(1e-3), rel=1e-7)
    with pytest.raises(ht.OptionError, match="not finite"):
        d.forward_derivatives([0.0], [0.0])


def test_a_root_of_a_square_that_is_multiplied_away_has_a_slope():
    """Quadratic drag at rest: √(v²) v."""
    d = hinge_with(ht.JointLaw("h", "-0.3*sqrt(v*v)*v"))
    assert d.forward_derivatives([0.2], [0.0]).qdot.item() == 0.0
    rooted = hinge_with(ht.JointLaw("h", "-sqrt(q)"))
    with pytest.raises(ht.OptionError, match="not finite"):
        rooted.forward_derivatives([0.0], [0.0])
