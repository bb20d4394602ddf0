"""Joints of every kind: where they put a body, their canonical equations, other joints that are the
same, and what is refused.

Derivatives are taken by central differences of sixth order.
"""

from itertools import product

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import hamiltree as ht
from hamiltree.compiled.number import WIDTH
from hamiltree.errors import ModelError, OptionError
from hamiltree.model import GROUND, JOINTS

EXACT = 1e-12
DIFFERENCES = 1e-7
OFFSETS, WEIGHTS, STEP = (
    np.array([-3, -2, -1, 1, 2, 3]),
    np.array([-1, 9, -45, 45, -9, 1]) / 60,
    2e-3,
)
SEQUENCES = [
    "".join(letters)
    for letters in product("xyz", repeat=3)
    if letters[1] not in (letters[0], letters[2])
]
X, Y, Z = np.eye(3)


def error(got, expected):
    """Largest deviation, relative to the largest entry."""
    return abs(got - expected).max() / abs(expected).max()


def gradient(function, x):
    """∂/∂x of a scalar function."""
    rows = STEP * OFFSETS[:, None, None] * np.eye(len(x))
    return (
        sum(
            weight * np.array([function(x + row) for row in some])
            for weight, some in zip(WEIGHTS, rows, strict=True)
        )
        / STEP
    )


def random_frame(rng):
    return ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))


def random_body(rng, name):
    return ht.Body(
        name, rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), tuple(rng.uniform(0.1, 0.15, 3))
    )


# ---- the canonical equations ---------------------------------------------------------------------
EXTRA = {
    "screw": {"pitch": 0.4},
    "gimbal": {"sequence": "xzy", "q": (0.3, 0.3, 0.1)},
    "planar": {"axis": (1, 1, 0)},
    "axes": {
        "axes": [
            ("turn", (1, 2, 3), (0.1, 0.2, 0.3)),
            ("slide", (0, 1, 1)),
            ("screw", (1, 0, 0), (0, 0.2, 0), 0.4),
        ]
    },
}
COUPLINGS = [ht.Mimic("gimbal.2", "axes.1", 0.7, 0.3), ht.Mimic("revolute", "gimbal.2", -0.4)]
COUPLINGS += [ht.Gear("cylindrical.angle", "screw", (20, 30))]


def tree_of_every_joint(way):
    """A joint of each kind on a binary tree in mixed order; armature on some; `backwards`: every
    second joint from child to parent.
    """
    rng = np.random.default_rng(2)
    kinds = [list(JOINTS)[k] for k in rng.permutation(len(JOINTS))]
    bodies = [random_body(rng, f"b{k}") for k in range(len(kinds))]
    joints = []
    for k, kind in enumerate(kinds):
        ends = (bodies[(k - 1) // 2].name if k else GROUND, bodies[k].name)
        ends = ends[::-1] if way == "backwards" and k % 2 == 0 else ends
        heavy = {"armature": 0.2} if kind in ("revolute", "axes", "universal", "prismatic") else {}
        joints.append(
            JOINTS[kind](
                kind, *ends, random_frame(rng), random_frame(rng), **heavy, **EXTRA.get(kind, {})
            )
        )
    return ht.Model(bodies, joints, couplings=COUPLINGS if way == "coupled" else ())


WAYS = ["outward", "backwards", "coupled"]


def random_state(model, seed):
    """Positions and momenta of any size; quaternions are far from unit ones."""
    return np.random.default_rng(seed).normal(size=(2, len(model.coordinates)))


@pytest.mark.parametrize("way", WAYS)
def test_rates_are_the_gradient_of_h_with_every_kind_of_joint(bind, way):
    model = tree_of_every_joint(way)
    (q, p), bound = random_state(model, 1), bind(model)
    qdot, pdot = bound.rates(q, p)
    assert error(qdot, gradient(lambda x: bound.hamiltonian(q, x), p)) <= DIFFERENCES
    assert error(-pdot, gradient(lambda x: bound.hamiltonian(x, p), q)) <= DIFFERENCES


@pytest.mark.parametrize("kind", [kind for kind in JOINTS if kind != "weld"])
@pytest.mark.parametrize("way", ["outward", "backwards"])
def test_rates_are_the_gradient_of_h_with_one_kind_of_joint(bind, kind, way):
    """Three bodies on joints of the kind: a first, a middle and a last one."""
    rng = np.random.default_rng(5)
    bodies = [random_body(rng, f"b{k}") for k in range(3)]
    ends = [(GROUND, "b0"), ("b0", "b1"), ("b1", "b2")]
    ends = [pair[::-1] for pair in ends] if way == "backwards" else ends
    joints = [
        JOINTS[kind](f"j{k}", *pair, random_frame(rng), random_frame(rng), **EXTRA.get(kind, {}))
        for k, pair in enumerate(ends)
    ]
    model = ht.Model(bodies, joints)
    (q, p), bound = random_state(model, 6), bind(model)
    qdot, pdot = bound.rates(q, p)
    assert error(qdot, gradient(lambda x: bound.hamiltonian(q, x), p)) <= DIFFERENCES
    assert error(-pdot, gradient(lambda x: bound.hamiltonian(x, p), q)) <= DIFFERENCES


@pytest.mark.parametrize("way", WAYS)
def test_lanes_equal_floats_with_every_kind_of_joint(bind, way):
    model = tree_of_every_joint(way)
    states = [random_state(model, seed) for seed in range(WIDTH)]
    together, alone = bind(model, width=WIDTH), bind(model)
    q, p = np.ascontiguousarray(np.moveaxis(states, 0, -1))
    lanes = np.concatenate([*together.rates(q, p), together.energies(q, p)])
    for k, state in enumerate(states):
        assert np.array_equal(
            np.concatenate([*alone.rates(*state), alone.energies(*state)]), lanes[:, k]
        )


@pytest.mark.parametrize("way", WAYS)
def test_compiled_equals_interpreted_with_every_kind_of_joint(bind, way):
    model = tree_of_every_joint(way)
    q, p = random_state(model, 3)
    compiled, interpreted = bind(model), bind(model, interpreted=True)
    for got, expected in zip(compiled.rates(q, p), interpreted.rates(q, p), strict=True):
        assert error(got, expected) <= EXACT


@pytest.mark.parametrize("way", WAYS)
def test_the_energies_of_rates_and_of_speeds_are_the_same(bind, way):
    """½ p·q̇ = T of the services at the speeds that q̇ means: ω = 2 (q* ∘ q̇) / ‖q‖² for a
    quaternion.
    """
    model = tree_of_every_joint(way)
    (q, p), bound, d = random_state(model, 4), bind(model), ht.dynamics(model)
    # only momenta that some motion has: q·g = 0 of a quaternion
    p = bound.momentum(q, bound.rates(q, p)[0])
    qdot, _ = bound.rates(q, p)
    kinetic, potential = d.energies(q, speeds(model, q, qdot))
    assert kinetic == pytest.approx(0.5 * p @ qdot, rel=EXACT) and kinetic == pytest.approx(
        bound.energies(q, p)[0], rel=EXACT
    )
    assert potential == pytest.approx(bound.energies(q, p)[1], rel=EXACT)


def speeds(model, q, qdot):
    rows, found = {name: k for k, name in enumerate(model.coordinates)}, []
    for name, rate in zip(model.coordinates, qdot, strict=True):
        part = name.rpartition(".")[2]
        if part == "qw":
            turn, change = q[rows[name] : rows[name] + 4], qdot[rows[name] : rows[name] + 4]
            found.extend(
                2
                * (turn[0] * change[1:] - change[0] * turn[1:] - np.cross(turn[1:], change[1:]))
                / (turn @ turn)
            )
        elif part not in ("qx", "qy", "qz"):
            found.append(rate)
    return np.array(found)


# ---- where a joint puts its child ----------------------------------------------------------------
def turn(axis, angle, at=(0.0, 0.0, 0.0)):
    """4×4 of a turn about an axis through a point."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis)).as_matrix()
    T[:3, 3] = at - T[:3, :3] @ at
    return T


def slide(axis, way):
    T = np.eye(4)
    T[:3, 3] = way * np.array(axis) / np.linalg.norm(axis)
    return T


def quaternion_turn(q):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_quat(q, scalar_first=True).as_matrix()
    return T


def euler_turn(sequence, q):
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler(sequence.upper(), q).as_matrix()
    return T


AXIS, OTHER, POINT = (
    np.array([2.0, -1.0, 2.0]) / 3,
    np.array([1.0, 2.0, -0.5]),
    np.array([0.3, -0.2, 0.4]),
)
# the joint's own fields, and its motion as the definition says it
MOTIONS = {
    "revolute": ({"axis": AXIS}, lambda q: turn(AXIS, q[0])),
    "prismatic": ({"axis": AXIS}, lambda q: slide(AXIS, q[0])),
    "screw": (
        {"axis": AXIS, "pitch": 0.7},
        lambda q: turn(AXIS, q[0]) @ slide(AXIS, 0.7 * q[0] / (2 * np.pi)),
    ),
    "universal": ({"axes": (AXIS, OTHER)}, lambda q: turn(AXIS, q[0]) @ turn(OTHER, q[1])),
    "cylindrical": ({"axis": AXIS}, lambda q: slide(AXIS, q[0]) @ turn(AXIS, q[1])),
    "planar": ({}, lambda q: slide(X, q[0]) @ slide(Y, q[1]) @ turn(Z, q[2])),
    "translation": ({}, lambda q: slide(X, q[0]) @ slide(Y, q[1]) @ slide(Z, q[2])),
    "gimbal": ({}, lambda q: turn(Z, q[0]) @ turn(Y, q[1]) @ turn(X, q[2])),
    "axes": (
        {"axes": [("turn", AXIS, POINT), ("slide", OTHER), ("screw", OTHER, 2 * POINT, -0.6)]},
        lambda q: (
            turn(AXIS, q[0], POINT)
            @ slide(OTHER, q[1])
            @ turn(OTHER, q[2], 2 * POINT)
            @ slide(OTHER, -0.6 * q[2] / (2 * np.pi))
        ),
    ),
    "ball": ({}, quaternion_turn),
    "free": (
        {},
        lambda q: slide(X, q[0]) @ slide(Y, q[1]) @ slide(Z, q[2]) @ quaternion_turn(q[3:]),
    ),
    "weld": ({}, lambda q: np.eye(4)),
}


def homogeneous(frame):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = frame.matrix, frame.position
    return T


def pose_matrix(pose):
    T = quaternion_turn(pose[3:])
    T[:3, 3] = pose[:3]
    return T


def placed(kind, fields, q, backwards=False):
    """The 4×4 motion that a joint makes of q, read off the pose of its body."""
    rng = np.random.default_rng(3)
    near, far = random_frame(rng), random_frame(rng)
    ends = ("a", GROUND, far, near) if backwards else (GROUND, "a", near, far)
    model = ht.Model([ht.Body("a", 1.0, inertia=1.0)], [JOINTS[kind]("j", *ends, **fields)])
    (pose,) = ht.dynamics(model).poses(np.array(q))
    return np.linalg.inv(homogeneous(near)) @ pose_matrix(pose) @ homogeneous(far)


def test_every_kind_of_joint_has_a_reference():
    assert set(MOTIONS) == set(JOINTS)


@pytest.mark.parametrize("backwards", [False, True], ids=["outward", "backwards"])
@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_puts_its_child_where_its_definition_says(kind, backwards):
    fields, motion = MOTIONS[kind]
    count = len(JOINTS[kind]("j", "a", "b", **fields).suffixes()) if kind != "weld" else 0
    q = np.random.default_rng(7).normal(size=count)
    expected = motion(q)
    assert (
        abs(
            placed(kind, fields, q, backwards)
            - (np.linalg.inv(expected) if backwards else expected)
        ).max()
        <= 1e-14
    )


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_gimbal_turns_by_the_euler_angles_of_its_sequence(sequence):
    assert len(SEQUENCES) == 12
    q = (0.7, -1.1, 2.3)
    for written in (sequence, sequence.upper()):
        assert (
            abs(placed("gimbal", {"sequence": written}, q) - euler_turn(sequence, q)).max() <= 1e-14
        )


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, -1), (1, 2, 3), (-1, 2, -3)])
def test_the_ways_of_a_planar_joint_and_its_axis_are_a_right_handed_frame(axis):
    along = [placed("planar", {"axis": axis}, q)[:3, 3] for q in ((1, 0, 0), (0, 1, 0))]
    frame = np.array([*along, np.array(axis) / np.linalg.norm(axis)])
    assert abs(frame @ frame.T - np.eye(3)).max() <= 1e-14 and np.linalg.det(frame) > 0


# ---- joints that are the same --------------------------------------------------------------------
CHAINS = {
    "universal": [("turn", AXIS), ("turn", OTHER)],
    "cylindrical": [("slide", AXIS), ("turn", AXIS)],
    "planar": [("slide", X), ("slide", Y), ("turn", Z)],
    "translation": [("slide", X), ("slide", Y), ("slide", Z)],
    "gimbal": [("turn", Z), ("turn", Y), ("turn", X)],
    "axes": MOTIONS["axes"][0]["axes"],
}


def one_axis_joint(
    name, parent, child, on_parent, on_child, motion, axis, at=(0.0, 0.0, 0.0), pitch=0.0, **values
):
    ends = name, parent, child, on_parent @ ht.Frame(tuple(at)), on_child @ ht.Frame(tuple(at))
    if motion == "screw":
        return ht.Screw(*ends, axis=axis, pitch=pitch, **values)
    return (ht.Revolute if motion == "turn" else ht.Prismatic)(*ends, axis=axis, **values)


def both_ways(kind, backwards):
    """A body on a hinge, a joint of the kind, a hinge behind it; and the same with a massless body
    between each two axes.
    """
    rng, entries = np.random.default_rng(11), CHAINS[kind]
    frames, bodies = (
        [random_frame(rng) for _ in range(6)],
        [random_body(rng, name) for name in ("base", "hand", "tip")],
    )
    first, last = (
        ht.Revolute("first", GROUND, "base", *frames[:2]),
        ht.Revolute("last", "hand", "tip", *frames[4:]),
    )
    armature = tuple(0.1 * (k + 1) for k in range(len(entries)))
    near, far = frames[2:4]
    ends = ("hand", "base", far, near) if backwards else ("base", "hand", near, far)
    whole = JOINTS[kind]("wrist", *ends, **MOTIONS[kind][0], armature=armature)
    names = [ends[0], *(f"between{k}" for k in range(1, len(entries))), ends[1]]
    chain = []
    for k, entry in enumerate(entries):
        at_ends = (
            ends[2] if k == 0 else ht.Frame(),
            ends[3] if k == len(entries) - 1 else ht.Frame(),
        )
        chain.append(
            one_axis_joint(
                f"wrist{k}", names[k], names[k + 1], *at_ends, *entry, armature=armature[k]
            )
        )
    light = [ht.Body(name, 0.0) for name in names[1:-1]]
    return ht.Model(bodies, [first, whole, last]), ht.Model(
        [*bodies, *light], [first, *chain, last]
    )


@pytest.mark.parametrize("backwards", [False, True], ids=["outward", "backwards"])
@pytest.mark.parametrize("kind", CHAINS)
def test_a_joint_of_several_axes_is_a_chain_of_joints_with_massless_bodies_between(
    bind, kind, backwards
):
    whole, chain = both_ways(kind, backwards)
    rng, n = np.random.default_rng(12), len(whole.coordinates)
    q, v, tau = rng.normal(size=(3, n))
    assert len(chain.coordinates) == n
    one, two = ht.dynamics(whole), ht.dynamics(chain)
    assert error(one.forward_dynamics(q, v, tau), two.forward_dynamics(q, v, tau)) <= EXACT
    assert error(one.mass_matrix(q), two.mass_matrix(q)) <= EXACT
    for mine, other in zip(bind(whole).rates(q, v), ht.evaluate(chain, q, v), strict=True):
        assert error(mine, other) <= EXACT


def on_wrist(wrist):
    rng = np.random.default_rng(13)
    bodies = [random_body(rng, name) for name in ("base", "hand", "tip")]
    first = ht.Revolute("first", GROUND, "base", axis=(0, 1, 0), qdot=0.4)
    last = ht.Revolute("last", "hand", "tip", (0.1, 0.2, 0), axis=X, qdot=-1)
    return ht.Model(bodies, [first, wrist, last])


@pytest.mark.parametrize("sequence", ["zyx", "zxz"])
def test_a_gimbal_away_from_its_lock_moves_as_a_ball_does(sequence):
    q, qdot = (0.3, 0.9, -0.4), (0.5, 0.3, -0.8)
    gimbal = on_wrist(
        ht.Gimbal("wrist", "base", "hand", (0, 0, 0.3), sequence=sequence, q=q, qdot=qdot)
    )
    turned = ht.Model(
        [ht.Body("a", 1.0, inertia=1.0)], [ht.Gimbal("wrist", GROUND, "a", sequence=sequence)]
    )
    omega = (ht.dynamics(turned).jacobian(np.array(q), "a", axes="body") @ qdot)[:3]
    attitude = Rotation.from_euler(sequence.upper(), q).as_quat(scalar_first=True)
    ball = on_wrist(ht.Ball("wrist", "base", "hand", (0, 0, 0.3), q=attitude, qdot=omega))
    one, two = (
        ht.simulate(model, until=0.5, step=1e-3, save_every=100, progress=False).poses.values
        for model in (gimbal, ball)
    )
    assert abs(one[-1] - one[0]).max() > 0.1
    assert abs(one[..., :3] - two[..., :3]).max() <= 1e-9
    assert abs(abs((one[..., 3:] * two[..., 3:]).sum(-1)) - 1).max() <= 1e-12


# ---- couplings -----------------------------------------------------------------------------------
def test_accelerations_of_a_coupled_model_are_those_of_elimination():
    """ẍ = K (Kᵀ M K)⁻¹ Kᵀ(τ − bias) with M and bias of the uncoupled model."""
    free, coupled = tree_of_every_joint("outward"), tree_of_every_joint("coupled")
    rng, ratio = (
        np.random.default_rng(14),
        {"gimbal.2": ("axes.1", 0.7, 0.3), "revolute": ("axes.1", -0.28, -0.12)},
    )
    ratio["cylindrical.angle"] = ("screw", -1.5, 0.0)
    known = {name: k for k, name in enumerate(coupled.speeds)}
    K = np.zeros((len(free.speeds), len(known)))
    for row, name in enumerate(free.speeds):
        leader, factor, _ = ratio.get(name, (name, 1.0, 0.0))
        K[row, known[leader]] = factor
    q, u, tau = coupled.start()[0], rng.normal(size=len(known)), rng.normal(size=len(free.speeds))
    q = ht.dynamics(coupled).integrate(q, rng.normal(size=len(known)))
    value = dict(zip(coupled.coordinates, q, strict=True))
    value |= {
        name: factor * value[leader] + offset for name, (leader, factor, offset) in ratio.items()
    }
    full, d = np.array([value[name] for name in free.coordinates]), ht.dynamics(free)
    expected = np.linalg.solve(K.T @ d.mass_matrix(full) @ K, K.T @ (tau - d.bias(full, K @ u)))
    assert error(ht.dynamics(coupled).forward_dynamics(q, u, K.T @ tau), expected) <= 1e-11


def test_a_gear_turns_against_its_leader_and_an_internal_one_with_it():
    assert gear_train(False).coordinates == ("small",)
    outside, inside = (
        ht.dynamics(gear_train(internal)).poses(np.array([0.4])) for internal in (False, True)
    )
    assert 2 * np.arctan2(outside[1, 6], outside[1, 3]) == pytest.approx(-0.1, rel=1e-14)
    assert 2 * np.arctan2(inside[1, 6], inside[1, 3]) == pytest.approx(0.1, rel=1e-14)


def gear_train(internal):
    bodies = [ht.Body("a", 1.0, inertia=1.0), ht.Body("b", 1.0, inertia=1.0)]
    joints = [ht.Revolute("small", GROUND, "a"), ht.Revolute("large", GROUND, "b")]
    return ht.Model(bodies, joints, couplings=[ht.Gear("large", "small", (40, 10), internal)])


# ---- what is refused -----------------------------------------------------------------------------
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_gimbal_that_starts_in_its_lock_is_refused_by_name(sequence):
    middle = 0.0 if sequence[0] == sequence[2] else np.pi / 2
    for q2 in (middle, middle - np.pi):
        model = ht.Model(
            [ht.Body("a", 1.0, inertia=1.0)],
            [ht.Gimbal("wrist", GROUND, "a", sequence=sequence, q=(0.3, q2, 0.2))],
        )
        with pytest.raises(
            ModelError, match=r"joint 'wrist' \(gimbal\): gimbal lock.*or use a ball joint"
        ):
            ht.simulate(model, until=0.01, step=0.01, progress=False)


def three_hinges(*couplings):
    bodies = [ht.Body(name, 1.0, inertia=1.0) for name in "abc"]
    joints = [
        ht.Revolute("one", GROUND, "a"),
        ht.Revolute("two", "a", "b"),
        ht.Ball("hip", "b", "c"),
    ]
    return ht.Model(bodies, joints, couplings=couplings)


@pytest.mark.parametrize(
    ("couplings", "message"),
    [
        ([ht.Mimic("two", "on")], r"of = 'on' is no coordinate of one axis; did you mean 'one'"),
        (
            [ht.Mimic("tow", "one")],
            r"joint = 'tow' is no coordinate of one axis; did you mean 'two'",
        ),
        ([ht.Mimic("hip.qx", "one")], r"joint = 'hip.qx' is no coordinate of one axis"),
        (
            [ht.Mimic("two", "one"), ht.Mimic("one", "two")],
            r"would follow itself; remove one of the couplings",
        ),
        (
            [ht.Mimic("two", "one"), ht.Gear("two", "one", name="again")],
            r"coupling 'again': joint 'two' already follows 'one'",
        ),
    ],
)
def test_couplings_that_make_no_sense_are_refused(couplings, message):
    with pytest.raises(ModelError, match=message):
        three_hinges(*couplings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ht.Mimic("one", "one"), "is the joint itself"),
        (lambda: ht.Mimic("two", "one", ratio=0.0), "weld it instead"),
        (lambda: ht.Mimic("two", "one", ratio=np.nan), "ratio"),
        (lambda: ht.Gear("two", "one", teeth=(10,)), "two numbers"),
        (lambda: ht.Gear("two", "one", teeth=(10, 0)), "teeth"),
        (lambda: ht.Gear("two", "one", internal=1), "true or false"),
        (lambda: ht.Gimbal("j", "a", "b", sequence="zzx"), "no two neighbours equal"),
        (lambda: ht.Universal("j", "a", "b", axes=((1, 0, 0), (-2, 0, 0))), "are parallel"),
        (lambda: ht.Axes("j", "a", "b", axes=[]), "no list of axes"),
        (lambda: ht.Axes("j", "a", "b", axes=[("roll", (1, 0, 0))]), "is no motion"),
        (lambda: ht.Axes("j", "a", "b", axes=[("screw", (1, 0, 0))]), "is no screw"),
        (lambda: ht.Planar("j", "a", "b", q=(0, 1)), "q"),
        (lambda: ht.Cylindrical("j", "a", "b", armature=(-1, 0)), "armature"),
        (lambda: ht.Ball("j", "a", "b", q=(0, 0, 0, 0)), "q"),
    ],
)
def test_parts_that_make_no_sense_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_a_follower_has_no_position_and_no_speed_of_its_own():
    model = three_hinges(ht.Mimic("two", "one", 2.0))
    assert "two" not in model.coordinates and "two" not in model.speeds
    for take in (model.q_from, model.qdot_from):
        with pytest.raises(OptionError, match="joint 'two' follows 'one'; give that one"):
            take({"two": 0.3})


def test_an_unknown_name_of_a_position_suggests_the_nearest():
    with pytest.raises(OptionError, match="there is no joint 'hip.qv'; did you mean 'hip.q"):
        three_hinges().q_from({"hip.qv": 1.0})
    with pytest.raises(OptionError, match="there is no joint 'onee'; did you mean 'one'"):
        three_hinges().qdot_from({"onee": 1.0})


def test_a_quaternion_of_the_wrong_length_is_refused_and_a_rounded_one_is_made_a_unit_one():
    model = three_hinges()
    with pytest.raises(
        OptionError,
        match=r"q of joint 'hip': the quaternion .* has length 2; give a unit quaternion",
    ):
        model.q_from({"hip": (2.0, 0.0, 0.0, 0.0)})
    rounded = (0.182574, 0.365148, 0.547723, 0.730297)
    found = model.q_from({"hip": rounded})[2:]
    assert abs(found - rounded).max() <= 1e-6 and abs(found @ found - 1) <= 4e-16 < abs(
        np.dot(rounded, rounded) - 1
    )
