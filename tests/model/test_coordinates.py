"""Coordinates and rates read from poses and twists, against the kinematics that make poses and
twists from them.
"""

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import hamiltree as ht
from hamiltree.assembly.coordinates import TreeCoordinates
from hamiltree.assembly.joint_readers import ClosedFormReader, NewtonReader, choose_reader
from hamiltree.assembly.kinematics import compute_kinematics, retract, tree_of
from hamiltree.errors import FitError, OptionError, StepError
from hamiltree.model import GROUND, JOINTS
from hamiltree.model.joints import Joint, axis_labels, speed_labels

EXACT = 1e-11
SEQUENCES = [
    "".join(letters)
    for letters in product("xyz", repeat=3)
    if letters[1] not in (letters[0], letters[2])
]
INTERLEAVED = [
    ("turn", (1, 2, 3), (0.1, 0.2, 0.3)),
    ("slide", (0, 1, 1)),
    ("screw", (1, 0, 0), (0, 0.2, 0), 0.4),
]
EXTRA = {
    "screw": {"pitch": 0.4},
    "gimbal": {"sequence": "xzy"},
    "planar": {"axis": (1, 1, 0)},
    "universal": {"axes": ((1, 0, 0), (0.3, 1, 0.2))},
    "axes": {"axes": INTERLEAVED},
}
COUPLINGS = [ht.Mimic("gimbal.2", "axes.1", 0.7, 0.3), ht.Mimic("revolute", "gimbal.2", -0.4)]
COUPLINGS += [
    ht.Gear("cylindrical.angle", "screw", (20, 30)),
    ht.Mimic("free.x", "free.z", 2.0, 0.1),
]


def random_frame(rng):
    return ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))


def tree_of_every_joint(way):
    """A joint of each kind on a binary tree; bodies and joints are declared in different orders."""
    rng = np.random.default_rng(2)
    joints = []
    for k, kind in enumerate(list(JOINTS)[i] for i in rng.permutation(len(JOINTS))):
        ends = (f"b{(k - 1) // 2}" if k else GROUND, f"b{k}")
        ends = ends[::-1] if way == "backwards" and k % 2 == 0 else ends
        joints.append(
            JOINTS[kind](kind, *ends, random_frame(rng), random_frame(rng), **EXTRA.get(kind, {}))
        )
    bodies = [ht.Body(f"b{k}", 1.0) for k in rng.permutation(len(joints))]
    return ht.Model(
        bodies,
        [joints[k] for k in rng.permutation(len(joints))],
        couplings=COUPLINGS if way == "coupled" else (),
    )


def model_of(joint):
    return ht.Model([ht.Body(joint.child, 1.0)], [joint])


# ---- the way there: coordinates -> poses and twists ----------------------------------------------
def poses_and_twists(model, q, speeds, seed=0):
    """(n, bodies, 7) with quaternions of either sign, and (n, bodies, 6)."""
    tree, pose, twist = tree_of(model), [], []
    for x, u in zip(q, speeds, strict=True):
        motion = compute_kinematics(tree, x)
        spatial = np.array([motion.jacobian(body, len(u)) @ u for body in range(len(model.bodies))])
        velocity = spatial[:, 3:] + np.cross(spatial[:, :3], motion.at)
        pose.append(
            np.hstack([motion.at, Rotation.from_matrix(motion.turn).as_quat()[:, [3, 0, 1, 2]]])
        )
        twist.append(np.hstack([spatial[:, :3], velocity]))
    pose, rng = np.array(pose), np.random.default_rng(seed)
    pose[..., 3:] *= rng.choice([-1.0, 1.0], size=(*pose.shape[:2], 1))
    return pose, np.array(twist)


def travelled(model, samples=120, turned=25.0, seed=1):
    """q (n, ·) and speeds (n, ·) on a smooth way: turns of `turned` rad, but small swings where a
    joint may lock; balls turn steadily.
    """
    rng, tree, time = np.random.default_rng(seed), tree_of(model), np.linspace(0.0, 1.0, samples)
    swing, far = rng.normal(size=(2, len(model.speeds)))
    far = turned * np.sign(far)
    for joint in model.tree_joints:
        for label in (
            speed_labels(joint) if joint.kind in ("gimbal", "axes") or model.followers else ()
        ):
            if label in tree.speed:
                far[tree.speed[label]] = 0.4
    step = np.diff(
        0.3 * np.sin(swing * 5 * time[:, None]) + far * time[:, None] ** 2, axis=0, prepend=0.0
    )
    q = [model.start()[0]]
    for move in step[1:]:
        q.append(retract(tree, q[-1], move))
    return np.array(q), rng.normal(size=(samples, len(model.speeds)))


def rates_of(model, q, speeds, h=1e-6):
    """dq/dt by moving a little to either side."""
    tree = tree_of(model)
    return np.array(
        [
            (retract(tree, x, h * u) - retract(tree, x, -h * u)) / (2 * h)
            for x, u in zip(q, speeds, strict=True)
        ]
    )


def deviation(got, expected):
    assert got.shape == expected.shape
    return np.abs(got - expected).max()


# ---- there and back ------------------------------------------------------------------------------
@pytest.mark.parametrize("way", ["outward", "backwards", "coupled"])
def test_coordinates_and_rates_come_back_with_every_kind_of_joint(way):
    model = tree_of_every_joint(way)
    q, speeds = travelled(model)
    got, rates = TreeCoordinates(model, q[0])(*poses_and_twists(model, q, speeds))
    assert deviation(got, q) <= EXACT
    assert deviation(rates, rates_of(model, q, speeds)) <= 1e-8
    pairs = [
        pair
        for joint in model.tree_joints
        for pair in axis_labels(joint)
        if pair[0] in model.coordinates
    ]
    axes, their_speeds = (
        [model.coordinates.index(label) for label, _ in pairs],
        [model.speeds.index(label) for _, label in pairs],
    )
    assert deviation(rates[:, axes], speeds[:, their_speeds]) <= EXACT


def test_stretches_of_a_run_equal_the_whole():
    model = tree_of_every_joint("outward")
    q, speeds = travelled(model)
    pose, twist = poses_and_twists(model, q, speeds)
    whole, stretches = TreeCoordinates(model, q[0])(pose, twist), TreeCoordinates(model, q[0])
    cuts = [(0, 1), (1, 1), (1, 50), (50, 57), (57, len(q))]
    found = [stretches(pose[a:b], twist[a:b]) for a, b in cuts]
    for k in range(2):
        assert deviation(np.concatenate([part[k] for part in found]), whole[k]) <= 1e-13


def test_joints_that_close_loops_have_no_rows():
    hinges = [
        ht.Revolute("a", GROUND, "b0"),
        ht.Revolute("b", "b0", "b1", (1, 0, 0)),
        ht.Revolute("c", "b1", GROUND, (1, 0, 0), (1, 1, 0)),
    ]
    model = ht.Model([ht.Body("b0", 1.0), ht.Body("b1", 1.0)], hinges)
    q, speeds = np.array([[0.1, 0.2], [0.3, 0.1]]), np.ones((2, 2))
    got, rates = TreeCoordinates(model, q[0])(*poses_and_twists(model, q, speeds))
    assert deviation(got, q) <= EXACT and deviation(rates, speeds) <= EXACT


# ---- what is continued ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind", ["revolute", "screw", "universal", "cylindrical", "planar", "gimbal"]
)
def test_angles_start_at_the_turn_of_the_given_start(kind):
    """The same poses, eight turns further on."""
    model = model_of(
        JOINTS[kind]("j", GROUND, "b", ht.Frame.about((1, 2, 3), 1.0), **EXTRA.get(kind, {}))
    )
    turning = np.array([any(w) for w, _ in model.joints[0].screws()])
    q = np.array([0.4, 0.3, 0.2])[: len(turning)] + np.linspace(0, 0.5, 5)[:, None]
    further = q + 16 * np.pi * turning
    pose, twist = poses_and_twists(model, further, np.ones_like(q))
    assert deviation(TreeCoordinates(model, further[0])(pose, twist)[0], further) <= 1e-10
    if kind != "screw":  # which advances
        assert deviation(TreeCoordinates(model, q[0])(pose, twist)[0], q) <= 1e-10


def test_a_quaternion_keeps_its_sign_through_two_turns():
    model = model_of(ht.Ball("j", GROUND, "b"))
    half = np.linspace(0, 2 * np.pi, 30)
    q = np.stack([np.cos(half), 0.6 * np.sin(half), 0 * half, 0.8 * np.sin(half)], axis=1)
    pose, twist = poses_and_twists(model, q, np.tile([0.6, 0.0, 0.8], (30, 1)))
    got, rates = TreeCoordinates(model, q[0])(pose, twist)
    assert deviation(got, q) <= EXACT
    assert (
        deviation(
            rates,
            0.5
            * np.stack([-np.sin(half), 0.6 * np.cos(half), 0 * half, 0.8 * np.cos(half)], axis=1),
        )
        <= EXACT
    )
    assert deviation(TreeCoordinates(model, -q[0])(pose, twist)[0], -q) <= EXACT


# ---- joints that are followed --------------------------------------------------------------------
FOLLOWED = {
    **{
        sequence: ht.Gimbal(
            "j", GROUND, "b", (1, 2, 3), ht.Frame.about((1, 1, 0), 0.5), sequence=sequence
        )
        for sequence in SEQUENCES
    },
    "skew turns": ht.Axes(
        "j",
        GROUND,
        "b",
        axes=[
            ("turn", (0, 0, 1)),
            ("turn", (1, 0, 0.2), (0, 0, -0.5)),
            ("turn", (0, 1, 0), (0.3, 0, 0)),
        ],
    ),
    "elbow": ht.Axes(
        "j",
        "b",
        GROUND,
        axes=[("turn", (0, 0, 1)), ("turn", (0, 0, 1), (1, 0, 0)), ("slide", (0, 0, 1))],
    ),
    "six": ht.Axes(
        "j",
        GROUND,
        "b",
        axes=[*INTERLEAVED, ("turn", (0, 0, 1)), ("slide", (1, 0, 0)), ("slide", (0, 0, 1))],
    ),
}


CENTRE = (0.3, -0.2, 0.5)
TURNS = [("turn", (0, 0, 1), CENTRE), ("turn", (1, 0, 0.3), CENTRE)]
SLIDES = [("slide", (1, 0, 0)), ("slide", (0.5, 1, 0.2))]
READ_OFF = {
    "slides, then two turns": ht.Axes("j", GROUND, "b", axes=[*SLIDES, *TURNS]),
    "two turns, then slides": ht.Axes("j", GROUND, "b", axes=[*TURNS, *SLIDES]),
    "a turn, then a slide, backwards": ht.Axes("j", "b", GROUND, axes=[TURNS[1], SLIDES[1]]),
    "a screw off the origin": ht.Axes("j", GROUND, "b", axes=[("screw", (0, 1, 1), CENTRE, 0.3)]),
}


@pytest.mark.parametrize(
    ("name", "reader"),
    [
        *((name, NewtonReader) for name in FOLLOWED),
        *((name, ClosedFormReader) for name in READ_OFF),
    ],
)
def test_axes_in_any_order_come_back(name, reader):
    """The first axis goes far, the others swing where the joint does not lock."""
    joint = {**FOLLOWED, **READ_OFF}[name]
    assert choose_reader(joint) is reader
    model = (
        model_of(joint)
        if joint.parent == GROUND
        else ht.Model([ht.Body(joint.parent, 1.0)], [joint])
    )
    phase = np.linspace(0, 1, 60)[:, None]
    q = 0.9 + 0.3 * np.sin(phase * np.arange(5, 5 + joint.coordinates))
    q[:, 0] += 20 * phase[:, 0] ** 2
    speeds = np.random.default_rng(3).normal(size=q.shape)
    got, rates = TreeCoordinates(model, q[0])(*poses_and_twists(model, q, speeds))
    assert deviation(got, q) <= 1e-10
    assert deviation(rates, speeds) <= 1e-10


@dataclass(frozen=True, slots=True)
class CrankAndBall(Joint):
    """A ball on a crank: what no kind of the library has."""

    coordinates: ClassVar[int] = 5
    has_ball: ClassVar[bool] = True

    def screws(self):
        return (((0.0, 0.0, 1.0), (0.0, -0.5, 0.1)),)

    def start(self):
        return (0.2, 1.0, 0.0, 0.0, 0.0), (0.0,) * 4

    def suffixes(self):
        return "crank", "qw", "qx", "qy", "qz"

    def speed_suffixes(self):
        return "crank", "wx", "wy", "wz"


def test_a_ball_may_come_after_any_screws():
    model = model_of(
        CrankAndBall("j", GROUND, "b", ht.Frame.about((1, 2, 3), 1.0), ht.Frame((0.1, 0.2, 0.3)))
    )
    q, speeds = travelled(model, samples=40, turned=8.0)
    got, rates = TreeCoordinates(model, q[0])(*poses_and_twists(model, q, speeds))
    assert deviation(got, q) <= EXACT
    assert deviation(rates, rates_of(model, q, speeds)) <= 1e-8


def test_coarse_samples_of_a_gimbal_stay_on_its_branch():
    model = model_of(ht.Gimbal("j", GROUND, "b"))
    q = (
        np.array([0.3, 0.2, -0.4])
        + np.arange(40)[:, None] * [1.2, 0.0, -0.9]
        + 0.8 * np.sin(np.arange(40))[:, None] * [0, 1, 0]
    )
    assert (
        deviation(TreeCoordinates(model, q[0])(*poses_and_twists(model, q, 0 * q))[0], q) <= 1e-10
    )


@pytest.mark.parametrize(("sequence", "locked"), [("zxz", 0.0), ("zyx", np.pi / 2)])
def test_a_gimbal_in_lock_has_finite_coordinates_that_give_the_pose(sequence, locked):
    """It starts in lock, leaves it, and comes back to it: which of two angles has moved is open,
    what they do together is not.
    """
    model = model_of(ht.Gimbal("j", GROUND, "b", sequence=sequence))
    q = np.array([0.3, locked, 0.5]) + np.sin(np.linspace(0, np.pi, 21))[:, None] * [0.2, 0.4, -0.1]
    pose, twist = poses_and_twists(model, q, np.tile([0.3, 0.0, 0.2], (21, 1)))
    got, rates = TreeCoordinates(model, q[0])(pose, twist)
    again, moving = poses_and_twists(model, got, rates)
    same = np.abs((again[..., 3:] * pose[..., 3:]).sum(-1))
    assert np.abs(got - q).max() < 1.0
    assert deviation(same, np.ones_like(same)) <= EXACT
    assert deviation(moving, twist) <= 1e-9 and np.abs(rates).max() < 1e3


# ---- poses that are not quite on the joints ------------------------------------------------------
def test_poses_a_little_off_the_joints_give_coordinates_a_little_off():
    model, rng = tree_of_every_joint("outward"), np.random.default_rng(5)
    q, speeds = travelled(model, samples=60, turned=5.0)
    pose, twist = poses_and_twists(model, q, speeds)
    got, rates = TreeCoordinates(model, q[0])(
        *(part + 1e-7 * rng.normal(size=part.shape) for part in (pose, twist))
    )
    assert 1e-9 < deviation(got, q) < 1e-5
    assert deviation(rates, rates_of(model, q, speeds)) < 1e-4


# ---- what is refused -----------------------------------------------------------------------------
def test_axes_that_do_the_same_are_refused():
    twice = ht.Axes(
        "hip", GROUND, "b", axes=[("turn", (0, 0, 1)), ("slide", (0, 0, 1)), ("turn", (0, 0, 1))]
    )
    with pytest.raises(FitError, match="joint 'hip'.*remove an axis"):
        TreeCoordinates(model_of(twice), np.zeros(3))


def test_samples_that_cannot_be_followed_are_refused():
    model = model_of(ht.Axes("arm", GROUND, "b", axes=FOLLOWED["skew turns"].axes))
    pose, twist = poses_and_twists(model, np.full((3, 3), 0.5), np.zeros((3, 3)))
    pose[2, 0, :3] += 10.0
    with pytest.raises(StepError, match="joint 'arm'.*sample 3 .*sample more often"):
        TreeCoordinates(model, np.full(3, 0.5))(pose, twist)


def test_arrays_of_another_model_are_refused():
    model = model_of(ht.Revolute("j", GROUND, "b"))
    with pytest.raises(OptionError, match=r"pose has the shape .*give \(samples, 1, 7\)"):
        TreeCoordinates(model, np.zeros(1))(np.zeros((5, 2, 7)), np.zeros((5, 2, 6)))
