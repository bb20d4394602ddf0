"""Points of bodies at the samples of a run: against closed forms and against differences of samples
that lie close together.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import OptionError

STEP = 1e-3


@pytest.fixture(scope="module")
def four_bar():
    return ht.simulate(ht.library.four_bar(), until=0.3, step=STEP, save_every=1, progress=False)


@pytest.fixture(scope="module")
def tree():
    model = ht.library.floating_tree(8, joints=("revolute", "ball"))
    return ht.simulate(model, until=0.05, step=STEP, save_every=1, progress=False)


def rate(values, step=STEP):
    """Derivative at inner samples by central differences of order 8."""
    weights = (4 / 5, -1 / 5, 4 / 105, -1 / 280)
    n = len(values)
    found = sum(
        w * (values[4 + k : n - 4 + k] - values[4 - k : n - 4 - k])
        for k, w in enumerate(weights, start=1)
    )
    return found / step


def assert_rate(values, rates, tolerance):
    """`rates` are the time derivatives of `values`, in parts of the largest."""
    error = np.abs(rate(values) - rates[4:-4]).max()
    assert error <= tolerance * np.abs(rates).max()


@pytest.mark.parametrize("name", ["four_bar", "tree"])
def test_velocity_and_acceleration_of_a_point_are_derivatives_of_its_path(name, request):
    run = request.getfixturevalue(name)
    for body in run.model.bodies[1:3]:
        point = run.point(body.name, (0.1, -0.2, 0.3))
        assert_rate(point.position.values, point.velocity.values, 1e-9)
        assert_rate(point.velocity.values, point.acceleration.values, 1e-8)


def test_the_bob_of_a_pendulum_has_the_acceleration_of_the_book():
    run = ht.simulate(ht.library.pendulum(2.0, 3.0, 0.8), until=1.0, step=0.01, progress=False)
    theta, omega = run.q.values[:, 0], run.qdot.values[:, 0]
    along = run.model.gravity[2] * np.sin(theta)  # m s̈ = −m g sin θ
    tangent = np.stack([-np.cos(theta), 0 * theta, np.sin(theta)], axis=1)
    inward = np.stack([np.sin(theta), 0 * theta, np.cos(theta)], axis=1)
    wanted = along[:, None] * tangent + (2.0 * omega**2)[:, None] * inward
    found = run.point("bob", (0, 0, -2.0)).acceleration.values
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()


def test_the_centre_of_a_free_body_falls_with_gravity():
    run = ht.simulate(ht.library.free_body(), until=0.1, step=0.01, progress=False)
    (body,) = run.model.bodies
    found = run.point(body.name, body.com).acceleration.values
    assert np.abs(found - np.array(run.model.gravity)).max() < 1e-12 * 9.8


def test_a_point_of_a_body_that_a_motion_leads():
    swing = ht.Motion("b", position=("0.1*sin(3*t)", "0", "t**2"), rotation=("0", "0", "2*t**2"))
    body = ht.Body("b", 1.0, inertia=((1, 0, 0), (0, 1, 0), (0, 0, 1)))
    model = ht.Model([body], [ht.Free("j", "ground", "b")], constraints=[swing])
    run = ht.simulate(
        model, until=0.3, step=0.01, formulation="free_bodies_quaternion", progress=False
    )
    t = run.t.values
    found = run.point("b", (1.0, 0, 0)).acceleration.values
    angle, omega = 2 * t**2, 4 * t
    wanted = np.stack([-0.9 * np.sin(3 * t), 0 * t, 2 + 0 * t], axis=1)
    wanted += (4 * np.stack([-np.sin(angle), np.cos(angle), 0 * t])).T
    wanted -= (omega**2 * np.stack([np.cos(angle), np.sin(angle), 0 * t])).T
    assert np.abs(found - wanted).max() < 1e-12 * np.abs(wanted).max()


def test_inputs_act_on_the_acceleration_of_a_tree():
    model = ht.library.pendulum(1.0, 2.0).with_(forces=[ht.JointInput("hinge", name="motor")])
    run = ht.simulate(model, until=0.02, step=0.01, inputs={"motor": 3.0}, progress=False)
    along = run.point("bob", (0, 0, -1.0)).acceleration.values[0, 0]
    assert along == pytest.approx(-3.0 / 2.0, rel=1e-14)  # τ/(m l²) l, towards −x


def test_relative_motion_is_the_derivative_of_the_relative_position(four_bar):
    seen = four_bar.relative_motion("rocker", to="coupler", at=(0.3, 0.1, 0))
    assert_rate(seen["position"].values, seen["velocity"].values, 1e-9)
    assert_rate(seen["velocity"].values, seen["acceleration"].values, 1e-8)
    still = four_bar.relative_motion("coupler", to="coupler", at=(0.3, 0.1, 0))
    assert np.abs(still["position"].values - [0.3, 0.1, 0]).max() < 1e-14
    assert np.abs(still["acceleration"].values).max() < 1e-11
    w = seen["quaternion"].values
    assert np.abs(np.linalg.norm(w, axis=1) - 1).max() < 1e-14


def test_relative_angular_velocity_of_a_hinge_is_the_rate_of_its_coordinate():
    run = ht.simulate(ht.library.n_pendulum(2, angles=[1.0, 2.0]), until=0.5, progress=False)
    found = run.relative_motion("rod2", to="rod1")["angular_velocity"].values
    name = run.model.coordinates[1]
    wanted = run.qdot.sel(coordinate=name).values
    assert np.abs(found[:, 1] - wanted).max() < 1e-12 * np.abs(wanted).max()
    assert np.abs(found[:, [0, 2]]).max() < 1e-12 * np.abs(wanted).max()


def test_relative_motion_without_accelerations_has_the_rest(four_bar, monkeypatch):
    def refuse(run):
        raise ht.FitError("no accelerations here")

    whole = four_bar.relative_motion("rocker", to="coupler")
    monkeypatch.setattr("hamiltree.analysis.motion.points.body_accelerations", refuse)
    found = four_bar.relative_motion("rocker", to="coupler")
    assert found.attrs["no_acceleration"] == "no accelerations here"
    assert found.identical(whole.drop_vars("acceleration").assign_attrs(found.attrs))


def test_an_event_has_its_own_direction_and_condition(four_bar):
    event = ht.Event(four_bar.model.coordinates[0])
    for given in ({"direction": 1}, {"where": "t > 0"}):
        with pytest.raises(ht.OptionError, match="its own direction and where"):
            four_bar.section(event, **given)


def test_distances_and_angles():
    run = ht.simulate(ht.library.n_pendulum(2, angles=[0.4, 3.0]), until=2.0, progress=False)
    tip = run.distance(("rod1", (0, 0, 0)), ("rod1", (0, 0, -1.0)))
    assert np.abs(tip.values - 1.0).max() < 1e-14
    q = run.q.values
    between = run.angle(("rod1", (0, 0, -1)), ("rod2", (0, 0, -1)))
    assert np.abs(np.cos(between.values) - np.cos(q[:, 1])).max() < 1e-12
    turned = run.angle((0, 0, -1), ("rod2", (0, 0, -1)), about=(0, 1, 0)).values
    wanted = q.sum(axis=1)
    wanted = wanted + 2 * np.pi * np.round((turned - wanted)[0] / (2 * np.pi))
    assert np.abs(turned - wanted).max() < 1e-11
    a, b = q[:, 0], wanted
    square = (np.sin(a) + np.sin(b)) ** 2 + (np.cos(a) + np.cos(b)) ** 2
    found = run.distance(("rod2", (0, 0, -1.0))).values
    assert np.abs(found - np.sqrt(square)).max() < 1e-12


def test_points_on_frames_and_unknown_points():
    body = ht.Body("arm", 1.0, (0, 0, -0.5), frames={"tip": ht.Frame((0, 0, -1.0))})
    joint = ht.Revolute("hinge", "ground", "arm", axis=(0, 1, 0), q=0.3)
    run = ht.simulate(ht.Model([body], [joint]), until=0.1, progress=False)
    a, b = run.point("tip", (0.1, 0, 0)), run.point("arm", (0.1, 0, -1.0))
    assert np.array_equal(a.position.values, b.position.values)
    assert not np.abs(run.point("ground", (1, 2, 3)).velocity.values).any()
    with pytest.raises(OptionError, match="no body and no frame 'arms'; did you mean 'arm'"):
        run.point("arms")
    with pytest.raises(OptionError, match="is not a point"):
        run.distance(3)
    with pytest.raises(OptionError, match=r"not a direction; give \(name, vector\), or three num"):
        run.angle("arm", (0, 0, 1))
    energy = ht.hamiltonian("p**2/2 + q**2/2")
    of_h = ht.simulate(energy, q=[1.0], p=[0.0], until=0.1, progress=False)
    with pytest.raises(OptionError, match="points are of bodies"):
        of_h.point("arm")


# ---- events --------------------------------------------------------------------------------------
def test_a_section_of_a_point_lies_where_the_point_is(four_bar):
    model = four_bar.model
    at = (0.2, 0.1, 0.0)
    path = four_bar.point("coupler", at).position.values
    level = float(path[:, 0].mean())
    event = ht.point_event(model, "coupler", f"x - ({level!r})", at=at, name="plane")
    run = ht.simulate(model, until=0.3, step=STEP, sections=[event], progress=False)
    (found,) = run.sections["plane"]["t"].values[:1]
    nearby = np.interp(found, four_bar.t.values, path[:, 0])
    assert abs(nearby - level) < 1e-5 * np.ptp(path[:, 0])
    stored = four_bar.section(event)
    assert abs(float(stored["t"][0]) - found) < 1e-9


def test_a_terminal_event_of_a_point_ends_the_run_on_the_surface():
    model = ht.library.n_pendulum(2, angles=[1.0, 2.0])
    event = ht.point_event(model, "rod2", "x**2 + z**2 - 1.5**2", at=(0, 0, -1.0), terminal=True)
    run = ht.simulate(model, until=5.0, step=1e-2, events=[event], progress=False)
    x, _, z = run.point("rod2", (0, 0, -1.0)).position.values[-1]
    assert abs(np.hypot(x, z) - 1.5) < 1e-11 and float(run.t[-1]) < 5.0


@pytest.mark.parametrize(
    ("model", "body"),
    [
        (ht.library.double_wishbone(), "upright"),
        (ht.library.satellite(2, 2), "boom1_2"),
        (ht.library.n_pendulum(7), "rod7"),
        (ht.library.six_bodies(), "b2"),
    ],
    ids=["wishbone", "satellite", "pendulum", "six"],
)
def test_the_formulas_of_a_point_are_its_place(model, body):
    from hamiltree.assembly.kinematics import compute_kinematics, tree_of
    from hamiltree.problems.events import (
        Event,
        Names,
        compile_events,
        evaluate_expressions,
        formula_names,
    )
    from hamiltree.problems.point_events import point_formulas

    at = (0.1, -0.2, 0.3)
    q = model.start()[0] + 0.3 * np.random.default_rng(3).normal(size=len(model.coordinates))
    names = Names(formula_names(model.coordinates), (), {})
    made = compile_events([Event(text) for text in point_formulas(model, body, at)], names)
    found = evaluate_expressions(made, 0, 3, names, np.zeros(1), q[None])[0]
    kinematics = compute_kinematics(tree_of(model), q)
    number = [each.name for each in model.bodies].index(body)
    wanted = kinematics.at[number] + kinematics.turn[number] @ np.array(at)
    assert np.abs(found - wanted).max() < 1e-13 * np.abs(wanted).max()


def test_point_events_that_cannot_be_are_refused():
    model = ht.library.pendulum()
    with pytest.raises(OptionError, match="body 'ball' is unknown; did you mean 'bob'|known"):
        ht.point_event(model, "ball")
    with pytest.raises(OptionError, match="does not move"):
        ht.point_event(model, "ground")
    with pytest.raises(ht.FitError, match="characters"):
        ht.point_event(ht.library.floating_tree(8, joints=("revolute", "ball")), "b8")
    with pytest.raises(ht.FitError, match="rename the joint"):
        joint = ht.Revolute("x", "ground", "bob", axis=(0, 1, 0))
        ht.point_event(model.with_(joints=[joint]), "bob")


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"expression": "z - level"}, "unknown word 'level'"),
        ({"expression": "z -"}, "point_event of 'bob': not a formula"),
        ({"expression": "z", "where": "swing > 0"}, "unknown word 'swing'"),
        ({"expression": "z", "where": "x >"}, "where of point_event of 'bob'"),
        ({"expression": "y - 0.2"}, "the same in every position"),
    ],
)
def test_a_point_event_is_checked_where_it_is_made(given, reason):
    with pytest.raises(ht.HamiltreeError, match=reason):
        ht.point_event(ht.library.pendulum(), "bob", **given)
    ht.point_event(ht.library.pendulum(), "bob", "z + t", where="p_hinge > 0 and sin(x) < 1")
