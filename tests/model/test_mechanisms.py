"""The mechanisms of the library: their loops close at the start, and their geometry is what other
formulas say.
"""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.files.toml import model_from_toml, model_to_toml
from hamiltree.model import Ball, Frame, Revolute, library, spanning_tree
from hamiltree.model.constraints import Drive, Rod
from hamiltree.model.mechanisms import MECHANISMS
from hamiltree.model.mechanisms.jansen import JANSEN, jansen_points

DATA = Path(__file__).parents[1] / "data"
TURNED = (math.cos(0.1), 0.0, math.sin(0.1), 0.0)
MODELS = {
    "double_four_bar": lambda: library.double_four_bar(),
    "four_bar": lambda: library.four_bar(),
    "four_bar crossed": lambda: library.four_bar(angle=4.0, speed=-3.0, crossed=True),
    "slider_crank": lambda: library.slider_crank(),
    "slider_crank offset": lambda: library.slider_crank(offset=-0.08, angle=3.5, speed=2.0),
    "andrews": lambda: library.andrews(),
    "spatial_slider_crank": lambda: library.spatial_slider_crank(),
    "governor": lambda: library.governor(),
    "governor of four arms": lambda: library.governor(arms=4, angle=0.9, sleeve_radius=0.06),
    "bricard": lambda: library.bricard(),
    "bricard moving": lambda: library.bricard(angle=0.7, speed=1.3, length=0.5, thickness=0.02),
    "stewart": lambda: library.stewart(),
    "stewart moving": lambda: library.stewart(
        position=(0.1, -0.05, 1.1),
        attitude=TURNED,
        velocity=(0.2, 0.1, -0.3),
        omega=(0.3, -0.2, 0.5),
        travel="0.1*sin(t)",
    ),
    "double_wishbone": lambda: library.double_wishbone(),
    "double_wishbone on a chassis": lambda: library.double_wishbone(
        chassis="prismatic", wheel_speed=30.0
    ),
    "strandbeest": lambda: library.strandbeest(),
    "strandbeest of three legs": lambda: library.strandbeest(
        legs=3, angle=1.1, frame="free", driven=False, torque=2.0
    ),
    "problem_11_7": lambda: library.problem_11_7(),
    "car_axis": lambda: library.car_axis(),
    "car_axis of other size": lambda: library.car_axis(length=2.0, spring=0.7, frequency=3.0),
}
# what the loops leave, by counting in the plane or in space as the docstrings do; drives take
# theirs away
FREEDOMS = {
    "double_four_bar": 1, "four_bar": 1, "four_bar crossed": 1,
    "slider_crank": 1, "slider_crank offset": 1,
    "andrews": 1, "spatial_slider_crank": 2, "governor": 2, "governor of four arms": 2,
    "bricard": 1, "bricard moving": 1, "stewart": 6, "stewart moving": 6,
    "double_wishbone": 2, "double_wishbone on a chassis": 3,
    "strandbeest": 1, "strandbeest of three legs": 7, "problem_11_7": 9,
    "car_axis": 3, "car_axis of other size": 3,
}  # fmt: skip


# ---- plain kinematics, by the definition of a joint ----------------------------------------------
def turn(rotation_vector):
    """Rodrigues: the rotation matrix of a rotation vector."""
    angle = np.linalg.norm(rotation_vector)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = rotation_vector / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K


def motion(joint, q, ball_turn):
    """Homogeneous matrix of a joint without screws of mixed kind: each axis turns or slides; the
    quaternion, then `ball_turn`.
    """
    pose = np.eye(4)
    for (angular, linear), x in zip(joint.screws(), q, strict=False):
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = turn(x * np.array(angular)), x * np.array(linear)
        pose = pose @ step
    if joint.has_ball:
        step = np.eye(4)
        step[:3, :3] = Frame((0, 0, 0), tuple(q[-4:])).matrix @ turn(ball_turn)
        pose = pose @ step
    return pose


def homogeneous(frame):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = frame.matrix, frame.position
    return pose


def poses(model, shift=None):
    """Body name -> 4x4 pose at the start, moved by `shift` in the order of the tree's speeds."""
    tree, placed, rows = spanning_tree(model), [], rows_of(model)
    assert not tree.reversed.any()
    for parent, joint in zip(tree.parent, (model.joints[j] for j in tree.joint), strict=True):
        q, axes = np.array(joint.start()[0]), len(joint.screws())
        first = rows[joint.name]
        own = np.zeros(joint.speeds) if shift is None else shift[first : first + joint.speeds]
        q[:axes] += own[:axes]
        outer = placed[parent] if parent >= 0 else np.eye(4)
        placed.append(
            outer
            @ homogeneous(joint.on_parent)
            @ motion(joint, q, own[axes:])
            @ np.linalg.inv(homogeneous(joint.on_child))
        )
    found = {model.bodies[i].name: pose for i, pose in zip(tree.order, placed, strict=True)}
    return found | {"ground": np.eye(4)}


def rows_of(model):
    """Where the speeds of each joint of the tree begin, in the order of declaration."""
    closing, rows, first = set(spanning_tree(model).closing.tolist()), {}, 0
    for k, joint in enumerate(model.joints):
        if k not in closing:
            rows[joint.name] = first
            first += joint.speeds
    return rows


def start_speeds(model):
    closing = set(spanning_tree(model).closing.tolist())
    return np.array(
        [
            rate
            for k, joint in enumerate(model.joints)
            if k not in closing
            for rate in joint.start()[1]
        ]
    )


def gaps(model, shift=None):
    """What every closing joint and rod leaves open: coordinates of points, and of axes for
    hinges.
    """
    at, found = poses(model, shift), [np.zeros(0)]
    for joint in (model.joints[k] for k in spanning_tree(model).closing):
        outer, inner = (
            at[joint.parent] @ homogeneous(joint.on_parent),
            at[joint.child] @ homogeneous(joint.on_child),
        )
        found.append(outer[:3, 3] - inner[:3, 3])
        if isinstance(joint, Revolute):
            found.append((outer[:3, :3] - inner[:3, :3]) @ joint.axis)
        else:
            assert isinstance(joint, Ball)
    for rod in model.constraints:
        if isinstance(rod, Rod):
            ends = [
                (at[body] @ (*point, 1.0))[:3]
                for body, point in ((rod.body_a, rod.at_a), (rod.body_b, rod.at_b))
            ]
            found.append(np.array([math.dist(*ends) - rod.length]))
    return np.concatenate(found)


def jacobian(model, h=1e-6):
    n = len(start_speeds(model))
    return np.array(
        [(gaps(model, h * row) - gaps(model, -h * row)) / (2 * h) for row in np.eye(n)]
    ).T


# ---- all of them ---------------------------------------------------------------------------------
@pytest.mark.parametrize("name", MODELS)
def test_every_loop_is_closed_at_the_start_in_position_and_in_velocity(name):
    model = MODELS[name]()
    h, v = 1e-6, start_speeds(model)
    assert abs(gaps(model)).max(initial=0.0) < 1e-12
    drift = (gaps(model, h * v) - gaps(model, -h * v)) / (2 * h)
    assert abs(drift).max(initial=0.0) < 1e-8 * (1 + abs(v).max())


@pytest.mark.parametrize("name", MODELS)
def test_the_loops_leave_the_degrees_of_freedom_of_the_count(name):
    model = MODELS[name]()
    speeds = len(start_speeds(model))
    values = np.linalg.svd(jacobian(model), compute_uv=False) if len(gaps(model)) else np.zeros(0)
    assert speeds - int((values > 1e-6 * values.max(initial=1.0)).sum()) == FREEDOMS[name]


@pytest.mark.parametrize("name", MODELS)
def test_a_file_keeps_the_mechanism(name):
    model = MODELS[name]()
    assert model_from_toml(model_to_toml(model)) == model


@pytest.mark.parametrize("name", MODELS)
def test_every_body_has_mass_inertia_and_looks(name):
    for body in MODELS[name]().bodies:
        assert body.mass > 0 and np.linalg.eigvalsh(body.inertia)[0] > 0 and body.visuals


def test_every_mechanism_is_in_the_library_and_among_the_models_tested():
    for mechanism in MECHANISMS:
        assert getattr(library, mechanism.__name__) is mechanism and mechanism.__name__ in MODELS


# ---- one by one ----------------------------------------------------------------------------------
@pytest.mark.parametrize("angle", [0.3, 1.7, 3.0, 5.1])
@pytest.mark.parametrize("crossed", [False, True])
def test_the_rocker_obeys_the_equation_of_freudenstein(angle, crossed):
    a, b, c, d = 0.2, 0.5, 0.4, 0.6
    model = library.four_bar(a, b, c, d, angle=angle, crossed=crossed)
    rocker = model.joint("rocker_pivot").q
    left = (
        (a**2 - b**2 + c**2 + d**2) / (2 * a * c)
        - d / c * math.cos(angle)
        + d / a * math.cos(rocker)
    )
    assert left == pytest.approx(math.cos(angle - rocker), abs=1e-12)
    assert (math.sin(rocker) > 0) is not crossed


def test_the_slider_stands_at_the_classical_stroke_formula():
    r, length, angle, speed = 0.1, 0.3, 0.8, 5.0
    slide = library.slider_crank(r, length, angle=angle, speed=speed).joint("slide")
    root = math.sqrt(1 - (r / length * math.sin(angle)) ** 2)
    assert slide.q == pytest.approx(r * math.cos(angle) + length * root, abs=1e-14)
    assert slide.qdot == pytest.approx(
        -r * speed * (math.sin(angle) + r / length * math.sin(2 * angle) / (2 * root)), abs=1e-13
    )


@pytest.mark.parametrize(
    "make",
    [
        lambda: library.four_bar(coupler=0.02),
        lambda: library.slider_crank(rod=0.05, angle=1.5),
        lambda: library.spatial_slider_crank(coupler=(0.2, 0.3)),
        lambda: library.governor(link=0.01),
        lambda: library.bricard(angle=2.2),
    ],
)
def test_a_loop_that_cannot_close_is_refused(make):
    with pytest.raises(OptionError, match="does not reach|do not meet|where the linkage closes"):
        make()


@pytest.mark.parametrize(
    ("make", "word"),
    [
        (lambda: library.four_bar(crank=-1.0), "crank"),
        (lambda: library.four_bar(masses=(1.0, 2.0)), "masses"),
        (lambda: library.governor(arms=0), "arms"),
        (lambda: library.strandbeest(legs=0), "legs"),
        (lambda: library.strandbeest(frame="sand"), "frame"),
        (lambda: library.stewart(travel=["t", "t"]), "travel"),
        (lambda: library.double_wishbone(chassis="none"), "chassis"),
        (lambda: library.double_wishbone(hardpoints={"wheels": (0, 0, 0)}), "wheels"),
    ],
)
def test_an_impossible_request_is_refused_by_name(make, word):
    with pytest.raises((OptionError, ModelError), match=word):
        make()


# ---- Spatial Dynamics ----------------------------------------------------------------------------
# q and v of seed001_slidercrank_a and _c, which were computed beside the seed with Euler parameters
STATES = {
    (0.7, 3.0, 0.4, 2.0): (
        [0.1529684374568977, 0.0, -0.1288435374475382, 0.9393727128473789, 0.0, 0.34289780745545134,
         0.0, 1.0309552443167873, 0.13124999999999995, -0.09368622453560088, 0.7981130602576707,
         0.00018429112179813023, 0.5803800068971134, 0.16178552678476768, 1.8147848666126285, 0.32,
         0.17, 1.0, 0.0, 0.0, 0.0],
        [-0.38653061234261454, 0.0, -0.458905312370693, 0.0, 3.0, 0.0, -1.1431123429397596, 0.0,
         -0.645335595521287, -0.20003315260051796, -0.7334265767157115, 2.0, -1.3704083870467614,
         0.0, 0.0, 0.0, 0.0, 0.0],
    ),
    (2.2, 1.5, -0.6, -3.0): (
        [-0.11770022345106919, 0.0, -0.16169928076391804, 0.4535961214255773, 0.0,
         0.8912073600614354, 0.0, 0.3404840113094331, 0.13124999999999995, -0.13988961357425989,
         0.7928875971573942, -0.2693470401818662, 0.4884921789020345, -0.2452688756666541,
         1.106571315514284, 0.32, 0.17, 1.0, 0.0, 0.0, 0.0],
        [-0.24254892114587706, 0.0, 0.1765503351766038, 0.0, 1.5, 0.0, -0.5259478927263777, 0.0,
         0.2482739088420991, -0.19838161906473917, 0.22348062987086012, -3.0, -0.4225450796914014,
         0.0, 0.0, 0.0, 0.0, 0.0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_the_spatial_slider_crank_starts_in_the_states_of_seed_001(state):
    q, v = (np.array(values).reshape(3, -1) for values in STATES[state])
    model = library.spatial_slider_crank(*state)
    at, h, speeds = poses(model), 1e-6, start_speeds(model)
    later, earlier = poses(model, h * speeds), poses(model, -h * speeds)
    for name, position, velocity in zip(("crank", "coupler", "slider"), q, v, strict=True):
        R = at[name][:3, :3]
        spin = R.T @ (later[name] - earlier[name])[:3, :3] / (2 * h)
        assert np.allclose(at[name][:3, 3], position[:3], rtol=0, atol=1e-12)
        assert np.allclose(R, Frame((0, 0, 0), tuple(position[3:])).matrix, rtol=0, atol=1e-12)
        assert np.allclose(
            (later[name] - earlier[name])[:3, 3] / (2 * h), velocity[:3], rtol=0, atol=1e-8
        )
        assert np.allclose([spin[2, 1], spin[0, 2], spin[1, 0]], velocity[3:], rtol=0, atol=1e-8)


# ---- Andrews -------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def published():
    return json.loads((DATA / "andrews.json").read_text())


def point_rates(model, body, point):
    """dx/dq of a point of a plane body and its row of turns, exactly: z x (x - hinge) for each
    hinge that carries it.
    """
    at, rows = poses(model), rows_of(model)
    hinges = {joint.child: joint for joint in model.joints if joint.name in rows}
    x, rates, turns = at[body] @ (*point, 1.0), np.zeros((2, len(rows))), np.zeros(len(rows))
    while body != "ground":
        joint = hinges[body]
        arm = x - at[joint.parent] @ (*joint.on_parent.position, 1.0)
        rates[:, rows[joint.name]], turns[rows[joint.name]] = (-arm[1], arm[0]), 1.0
        body = joint.parent
    return x[:2], rates, turns


def tree_mass_matrix(model):
    M = np.zeros((7, 7))
    for body in model.bodies:
        _, rates, turns = point_rates(model, body.name, body.com)
        M += body.mass * rates.T @ rates + body.inertia[2][2] * np.outer(turns, turns)
    return M


def published_mass_matrix(p, q):
    """The Test Set's M(q), part II, Andrews' squeezing mechanism."""
    m, I, M = p["mass"], p["inertia"], np.zeros((7, 7))
    _, theta, _, phi, _, omega, _ = q
    da, rr, e, f, zt, u = p["da"], p["rr"], p["e"] - p["ea"], p["zf"] - p["fa"], p["zt"], p["u"]
    M[0, 0] = (
        m[0] * p["ra"] ** 2 + m[1] * (rr**2 - 2 * da * rr * math.cos(theta) + da**2) + I[0] + I[1]
    )
    M[1, 0] = M[0, 1] = m[1] * (da**2 - da * rr * math.cos(theta)) + I[1]
    M[1, 1] = m[1] * da**2 + I[1]
    M[2, 2] = m[2] * (p["sa"] ** 2 + p["sb"] ** 2) + I[2]
    M[3, 3] = m[3] * e**2 + I[3]
    M[4, 3] = M[3, 4] = m[3] * (e**2 + zt * e * math.sin(phi)) + I[3]
    M[4, 4] = (
        m[3] * (zt**2 + 2 * zt * e * math.sin(phi) + e**2)
        + m[4] * (p["ta"] ** 2 + p["tb"] ** 2)
        + I[3]
        + I[4]
    )
    M[5, 5] = m[5] * f**2 + I[5]
    M[6, 5] = M[5, 6] = m[5] * (f**2 - u * f * math.sin(omega)) + I[5]
    M[6, 6] = (
        m[5] * (f**2 - 2 * u * f * math.sin(omega) + u**2)
        + m[6] * (p["ua"] ** 2 + p["ub"] ** 2)
        + I[5]
        + I[6]
    )
    return M


@pytest.mark.parametrize("place", [None, "later"])
def test_andrews_has_the_published_mass_matrix(published, place):
    model = library.andrews()
    assert (
        model.coordinates[:7] == tuple(published["order_of_q"])
        and model.start()[0][:7].tolist() == published["q0"]
    )
    q = published["q0"] if place is None else published["published"]["q"]
    moved = model.with_(
        joints={name: {"q": x} for name, x in zip(published["order_of_q"], q, strict=True)}
    )
    assert np.allclose(
        tree_mass_matrix(moved), published_mass_matrix(published, q), rtol=1e-13, atol=1e-20
    )


def test_andrews_starts_with_the_published_acceleration_and_multipliers(published):
    model = library.andrews()
    pin, rates, _ = point_rates(model, "K2", (-published["d"], 0.0, 0.0))
    G = []
    for joint in (model.joints[k] for k in spanning_tree(model).closing):
        other, other_rates, _ = point_rates(model, joint.child, joint.on_child.position)
        assert np.allclose(pin, other, rtol=0, atol=1e-15)
        G.append(rates - other_rates)
    G, (motor, spring) = np.concatenate(G), model.forces
    end, end_rates, _ = point_rates(model, spring.body_b, spring.at_b)
    way = end - np.array(spring.at_a[:2])
    length = np.linalg.norm(way)
    Q = -spring.stiffness * (length - spring.length) / length * (way @ end_rates)
    Q[0] += motor.effort
    whole = np.block([[tree_mass_matrix(model), G.T], [G, np.zeros((6, 6))]])
    found = np.linalg.solve(whole, np.concatenate([Q, np.zeros(6)]))
    assert found[:2] == pytest.approx(published["a0_first_two"], rel=1e-9)
    assert found[7:9] == pytest.approx(published["lambda0_first_two"], rel=1e-9)


# ---- the others ----------------------------------------------------------------------------------
def test_the_corners_of_bricards_linkage_are_those_of_a_cube():
    at = poses(library.bricard())
    corners = [at[f"rod{k}"][:3, 3] for k in range(1, 6)]
    assert np.allclose(
        corners, [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1)], rtol=0, atol=1e-14
    )


def test_the_platform_of_stewart_starts_where_it_was_asked_to():
    model = MODELS["stewart moving"]()
    platform = poses(model)["platform"]
    assert np.allclose(platform[:3, 3], (0.1, -0.05, 1.1), rtol=0, atol=1e-14)
    assert np.allclose(platform[:3, :3], Frame((0, 0, 0), TURNED).matrix, rtol=0, atol=1e-14)
    assert [drive.joint for drive in model.constraints] == [
        f"leg{k}" for k in range(1, 7)
    ] and not model.forces


def test_the_arms_of_a_governor_swing_out_and_its_sleeve_is_level_with_its_formula():
    model = library.governor(arms=3, angle=0.5, hinge_radius=0.05, sleeve_radius=0.05)
    at = poses(model)
    for k in range(3):
        ball = (at[f"arm{k + 1}"] @ (0.0, 0.0, -0.3, 1.0))[:3]
        azimuth = math.tau * k / 3
        out = 0.05 + 0.3 * math.sin(0.5)
        assert np.allclose(
            ball,
            (out * math.cos(azimuth), out * math.sin(azimuth), 0.6 - 0.3 * math.cos(0.5)),
            rtol=0,
            atol=1e-14,
        )
    # equal radii and a link as long as its place on the arm: the rhombus of Watt
    assert at["sleeve"][2, 3] == pytest.approx(0.6 - 2 * 0.2 * math.cos(0.5), abs=1e-14)


def test_every_bar_of_jansens_leg_has_its_length_all_the_way_round():
    bars = {
        "b": "FA",
        "c": "FC",
        "d": "FB",
        "e": "AB",
        "f": "BD",
        "g": "CD",
        "h": "DE",
        "i": "CE",
        "j": "PA",
        "k": "PC",
    }
    for angle in np.linspace(0, math.tau, 25):
        at = jansen_points(angle)
        for bar, (p, r) in bars.items():
            assert abs(at[p].at - at[r].at) == pytest.approx(JANSEN[bar], abs=1e-12)


def test_the_foot_of_jansens_leg_goes_flat_over_the_ground_once_a_turn():
    feet = np.array([jansen_points(angle)["E"].at for angle in np.linspace(0, math.tau, 721)])
    assert abs(feet[-1] - feet[0]) < 1e-12
    stride, height = np.ptp(feet.real), np.ptp(feet.imag)
    assert 4 < stride / JANSEN["m"] < 5 and 2.5 < stride / height < 3.5
    on_ground = feet.imag < feet.imag.min() + 0.1 * height
    assert np.ptp(feet[on_ground].real) > 0.75 * stride


def test_a_right_leg_mirrors_a_left_one():
    left, right = jansen_points(math.pi - 0.4, -2.0), jansen_points(0.4, 2.0, mirrored=True)
    for name, point in left.items():
        assert right[name].at == pytest.approx(-point.at.conjugate()) and right[
            name
        ].rate == pytest.approx(-point.rate.conjugate())


def test_all_legs_share_one_crank_that_a_motor_turns():
    model = library.strandbeest(legs=4, speed=2.0)
    assert model.constraints == (Drive("crank", speed=2.0, name="motor"),)
    assert sum(joint.parent == "crank" for joint in model.joints) == 8
    pins = {joint.on_parent.position for joint in model.joints if joint.parent == "crank"}
    assert len({(round(x, 9), round(y, 9), round(z, 9)) for x, y, z in pins}) == 2
