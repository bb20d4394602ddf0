"""Constraints, drives and racks as data; the coordinates of a model with loops; all of it as
TOML.
"""

import math

import numpy as np
import pytest
import sympy

import hamiltree as ht
from hamiltree.errors import ModelError, OptionError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.model import (
    CONSTRAINTS,
    COUPLINGS,
    Ball,
    Body,
    Coincident,
    Constraint,
    Drive,
    Free,
    Gear,
    JointSpring,
    Mimic,
    Model,
    Motion,
    ParallelAxes,
    PerpendicularAxes,
    Planar,
    PointInPlane,
    PointOnLine,
    Prismatic,
    Rack,
    Revolute,
    Rod,
    Universal,
    Weld,
    library,
    spanning_tree,
)

EXAMPLES = [
    Rod("crank", "block", (0, 0, -0.2), (0.1, 0, 0), 0.7, name="link"),
    Rod("ground", "block"),
    PointOnLine("ground", "block", (1, 0, 0), (0, 0, 0.1), axis=(3, 0, 4)),
    PointInPlane("crank", "block", (0, 0, 0), (0, 0, 0.1), normal=(0, 2, 0), name="table"),
    Coincident("crank", "block", (0, 0, -0.2), (0.1, 0, 0)),
    ParallelAxes("crank", "block", (0, 0, 2)),
    ParallelAxes("crank", "ground", (0, 0, 1), (0, -1, 0)),
    PerpendicularAxes("crank", "block", (0, 0, 1), (1, 1, 0)),
    Drive("hinge", position="a*sin(w*t)", parameters={"a": 0.3, "w": 2}, name="motor"),
    Drive("float.x", speed=0.5),
    Motion("block", ("a*sin(t)", 0, 0), (0, "t", 0.5), {"a": 2}, name="shaker"),
]


def mechanism(**changes):
    """A crank, a block that is free, and a wheel that hangs on the crank by a slider."""
    parts = {
        "name": "mechanism",
        "bodies": [Body("crank", 1), Body("block", 1), Body("wheel", 1)],
        "joints": [
            Revolute("hinge", "ground", "crank", axis=(0, 1, 0)),
            Free("float", "ground", "block"),
            Prismatic("slot", "crank", "wheel"),
        ],
    }
    return Model(**{**parts, **changes})


# ---- the kinds


def test_every_kind_has_an_example_and_its_place_in_the_registry():
    assert {type(example) for example in EXAMPLES} == set(CONSTRAINTS.values())
    assert all(
        CONSTRAINTS[kind].kind == kind
        and getattr(ht, CONSTRAINTS[kind].__name__) is CONSTRAINTS[kind]
        for kind in CONSTRAINTS
    )
    assert COUPLINGS["rack"] is Rack is ht.Rack


def test_directions_are_normalised_and_the_second_axis_is_by_default_the_first():
    assert PointOnLine("a", "b", axis=(3, 0, 4)).axis == (0.6, 0.0, 0.8)
    assert PointInPlane("a", "b", normal=(0, 2, 0)).normal == (0, 1, 0)
    assert (
        ParallelAxes("a", "b", (0, 0, 2)).axis_b
        == ParallelAxes("a", "b", (0, 0, 2)).axis_a
        == (0, 0, 1)
    )
    assert PerpendicularAxes("a", "b", (0, 0, 1), (1, 1, 0)).axis_b == pytest.approx(
        (math.sqrt(0.5), math.sqrt(0.5), 0)
    )


def test_a_drive_takes_a_number_a_text_a_sympy_expression_or_a_function():
    t, a = sympy.symbols("t a")

    def turn(t, out):
        out[0], out[1], out[2] = t, 1.0, 0.0

    assert Drive("hinge", 1).position == 1.0 and Drive("hinge", speed="2*t").speed == "2*t"
    assert (
        sympy.sympify(Drive("hinge", sympy.sin(a * t) / 3, parameters={"a": 2}).position)
        == sympy.sin(a * t) / 3
    )
    assert Drive("hinge", turn).position is turn
    assert Drive("hinge", "a", parameters={"a": 1}) == Drive("hinge", "a", parameters={"a": 1.0})
    assert hash(Drive("hinge", turn)) == hash(Drive("hinge", turn))


@pytest.mark.parametrize(
    ("make", "field"),
    [
        (lambda **name: Rod("a", "a", **name), "body_b"),
        (lambda **name: Rod("ground", "ground", **name), "body_b"),
        (lambda **name: Rod("a", "", **name), "body_b"),
        (lambda **name: Rod(3, "b", **name), "body_a"),
        (lambda **name: Rod("a", "b", at_a=(1, 2), **name), "at_a"),
        (lambda **name: Rod("a", "b", length=math.inf, **name), "length"),
        (lambda **name: PointOnLine("a", "b", at_b="tip", **name), "at_b"),
        (lambda **name: PointOnLine("a", "b", axis=(0, 0, 0), **name), "axis"),
        (lambda **name: PointInPlane("a", "b", normal=(0, 0, math.nan), **name), "normal"),
        (lambda **name: Coincident("a", "b", at_b=None, **name), "at_b"),
        (lambda **name: ParallelAxes("a", "b", (0, 0), **name), "axis_a"),
        (lambda **name: PerpendicularAxes("a", "b", (0, 0, 1), (0, 0, 0), **name), "axis_b"),
        (lambda **name: Drive("", 1.0, **name), "joint"),
        (lambda **name: Drive("hinge", **name), "position"),
        (lambda **name: Drive("hinge", 1.0, 1.0, **name), "speed"),
        (lambda **name: Drive("hinge", True, **name), "position"),
        (lambda **name: Drive("hinge", "", **name), "position"),
        (lambda **name: Drive("hinge", [1.0], **name), "position"),
        (lambda **name: Drive("hinge", math.nan, **name), "position"),
        (lambda **name: Drive("hinge", speed=lambda t, out: None, **name), "speed"),
        (lambda **name: Drive("hinge", "a*t", parameters={"a": "1"}, **name), "parameters"),
        (lambda **name: Drive("hinge", "a*t", parameters={"2a": 1}, **name), "parameters"),
        (
            lambda **name: Drive("hinge", lambda t, out: None, parameters={"a": 1}, **name),
            "parameters",
        ),
    ],
)
def test_an_impossible_constraint_is_refused_by_name_or_kind(make, field):
    with pytest.raises(ModelError, match=f"^constraint 'hold': {field}") as caught:
        make(name="hold")
    assert caught.value.part == ("constraint", "hold") and caught.value.field == field
    with pytest.raises(ModelError, match=f"^({'|'.join(CONSTRAINTS)}): {field}"):
        make()


@pytest.mark.parametrize("length", [0, -0.5])
def test_a_rod_without_length_is_sent_to_the_ball_joint(length):
    with pytest.raises(
        ModelError,
        match=f"^constraint 'hold': length = {length} is not positive; .*use a ball joint",
    ):
        Rod("a", "b", length=length, name="hold")


def test_the_name_of_a_constraint_is_a_string():
    with pytest.raises(ModelError, match="^constraint: name = 3"):
        Rod("a", "b", name=3)


# ---- in a model


def test_a_model_counts_its_constraints_and_changes_them_by_name():
    model = mechanism(constraints=EXAMPLES)
    assert model.constraints == tuple(EXAMPLES) and repr(model).endswith(
        "3 joints, 0 forces, 11 constraints>"
    )
    assert "constraint" not in repr(mechanism())
    changed = model.with_(
        constraints={"link": {"length": 0.8}, "motor": None, "stop": Drive("slot", 0, name="stop")}
    )
    assert (
        len(changed.constraints) == 11
        and changed.constraints[0].length == 0.8
        and changed.constraints[-1].joint == "slot"
    )


@pytest.mark.parametrize(
    ("constraints", "message", "part"),
    [
        (
            [Rod("crank", "blok")],
            r"constraint 1 \(rod on 'crank' on 'blok'\): body_b = 'blok' .*did you mean 'block'",
            1,
        ),
        (
            [Rod("gruond", "block", name="tie")],
            "constraint 'tie': body_a = 'gruond' .*did you mean 'ground'",
            "tie",
        ),
        (
            [EXAMPLES[0], Drive("hing", 1.0)],
            r"constraint 2 \(drive on 'hing'\): joint = 'hing' .*did you mean 'hinge'",
            2,
        ),
        (
            [Drive("float", 1.0)],
            "joint 'float' .free. has 7 coordinates; name one of its coordinates: float.x, "
            "float.y, float.z$",
            1,
        ),
        ([Drive("float.qw", 1.0)], "name one of its coordinates", 1),
        (
            [Drive("hinge", 1.0), Drive("hinge", speed=1.0)],
            r"constraint 2 .*already moved by constraint 1 .*keep one",
            2,
        ),
        (
            [Drive("hinge", 1.0, name="m"), Drive("slot", speed=1.0, name="n")],
            "constraint 'n': .*already moved by constraint 'm'",
            "n",
        ),
        ([EXAMPLES[0], EXAMPLES[0]], "constraint 'link': the name is used twice", "link"),
        ([Constraint()], r"constraints\[0\] is a Constraint; give one of Rod, ", 1),
        ([Mimic("hinge", "slot")], r"constraints\[0\] is a Mimic", 1),
    ],
)
def test_a_constraint_of_something_else_is_refused_with_a_remedy(constraints, message, part):
    with pytest.raises(ModelError, match=message) as caught:
        mechanism(constraints=constraints, couplings=[Rack("slot", "hinge", 0.1)])
    assert caught.value.part == ("constraint", part)


def test_a_weld_and_a_ball_cannot_be_driven():
    for joint, message in (
        (Weld("hinge", "ground", "crank"), "no coordinate .*remove the constraint"),
        (Ball("hinge", "ground", "crank"), "no axis; .*hinges"),
    ):
        with pytest.raises(ModelError, match=message):
            mechanism(constraints=[Drive("hinge", 1.0)]).with_(joints={"hinge": joint})


def test_constraints_hold_no_body():
    with pytest.raises(ModelError, match="body 'block': no joint holds it"):
        mechanism(constraints=[Coincident("crank", "block")]).with_(joints={"float": None})


def test_a_rack_moves_by_the_radius_times_the_angle():
    model = mechanism(couplings=[Rack("slot", "hinge", -0.2, 0.5)])
    assert model.followers == {"slot": ("hinge", -0.2, 0.5)} and "slot" not in model.coordinates
    with pytest.raises(ModelError, match="coupling 'slot': radius = 0.0 .*weld"):
        Rack("slot", "hinge", 0)
    with pytest.raises(ModelError, match="offset"):
        Rack("slot", "hinge", 1, math.nan)


# ---- loops


def ring(**changes):
    """Two arms on the ground, a ball between them that closes the loop, and beyond it a body on a
    ball and one on a puck.
    """
    parts = {
        "bodies": [Body(name, 1) for name in "abcd"],
        "joints": [
            Revolute("left", "ground", "a", q=0.1, qdot=1),
            Revolute("right", "ground", "b", q=0.2, qdot=2),
            Ball("pin", "a", "b", q=(0, 1, 0, 0), qdot=(7, 8, 9)),
            Ball("hip", "b", "c", q=(0, 0, 1, 0), qdot=(3, 4, 5)),
            Planar("puck", "c", "d", q=(0.3, 0.4, 0.5)),
            Planar("table", "ground", "d", q=(8, 8, 8)),
        ],
    }
    return Model(**{**parts, **changes})


def unpack(model):
    return model.with_(joints=[joint for joint in model.joints if joint.name not in model.closing])


def test_of_every_loop_the_joint_declared_last_is_closing():
    assert ring().closing == ("pin", "table") and mechanism().closing == ()
    joints = ring().joints
    turned = ring(joints=[joints[2], *joints[:2], joints[5], *joints[3:5]])
    assert turned.closing == ("right", "puck")


def test_a_closing_joint_has_no_row_in_q_or_qdot():
    model = ring()
    assert model.coordinates == (
        "left",
        "right",
        "hip.qw",
        "hip.qx",
        "hip.qy",
        "hip.qz",
        "puck.x",
        "puck.y",
        "puck.angle",
    )
    assert model.speeds == (
        "left",
        "right",
        "hip.wx",
        "hip.wy",
        "hip.wz",
        "puck.x",
        "puck.y",
        "puck.angle",
    )
    q, qdot = model.start()
    assert q.tolist() == [0.1, 0.2, 0, 0, 1, 0, 0.3, 0.4, 0.5] and qdot.tolist() == [
        1,
        2,
        3,
        4,
        5,
        0,
        0,
        0,
    ]


@pytest.mark.parametrize("seed", range(5))
def test_closing_joints_change_nothing_of_the_coordinates_wherever_they_are_declared(seed):
    tree, rng = (
        library.tree(40, 2, joints=("revolute", "ball", "planar", "free"), seed=seed),
        np.random.default_rng(seed),
    )
    joints, names = list(tree.joints), [body.name for body in tree.bodies]
    for k in range(6):
        a, b = rng.choice(40, 2, replace=False)
        joints.insert(int(rng.integers(len(joints))) + 1, Ball(f"x{k}", names[a], names[b]))
    looped = tree.with_(joints=joints)
    expected = unpack(looped)
    assert (
        looped.closing == tuple(looped.joints[j].name for j in spanning_tree(looped).closing)
        and len(looped.closing) == 6
    )
    assert looped.coordinates == expected.coordinates and looped.speeds == expected.speeds
    for mine, other in zip(looped.start(), expected.start(), strict=True):
        assert np.array_equal(mine, other)
    assert np.array_equal(looped.q_from(), expected.q_from())


def test_start_values_are_put_at_the_coordinates_of_the_tree():
    model = ring()
    q = model.q_from({"hip": (0.8, 0, 0.6, 1e-7), "puck.y": 9})
    assert q.tolist() == pytest.approx([0.1, 0.2, 0.8, 0, 0.6, 0, 0.3, 9, 0.5], abs=1e-6)
    assert abs(np.linalg.norm(q[2:6]) - 1) < 1e-15
    assert model.qdot_from({"puck": (1, 2, 3)}).tolist() == [1, 2, 3, 4, 5, 1, 2, 3]
    with pytest.raises(OptionError, match="joint 'hip': the quaternion"):
        model.q_from({"hip": (2, 0, 0, 0)})


@pytest.mark.parametrize("name", ["pin", "pin.qw", "table", "table.angle"])
def test_a_start_of_a_closing_joint_is_refused(name):
    with pytest.raises(
        OptionError, match=f"^q: joint '{name}' closes a loop and has no start value of its own"
    ):
        ring().q_from({name: 0.0})


def test_a_start_speed_of_a_closing_joint_is_refused():
    with pytest.raises(OptionError, match="^qdot: joint 'pin.wx' closes a loop"):
        ring().qdot_from({"pin.wx": 0.0})
    with pytest.raises(OptionError, match="^q: there is no joint 'pim'"):
        ring().q_from({"pim": 0.0})


def test_forces_and_drives_may_name_a_closing_joint():
    model = ring(
        forces=[JointSpring("table.x", 1.0)], constraints=[Drive("table.angle", speed=1.0)]
    )
    assert model.forces[0].joint == "table.x" and model.constraints[0].joint == "table.angle"


def test_a_coupling_of_a_closing_joint_is_a_row_and_no_follower():
    led, leads, inside = (
        Gear("table.angle", "left"),
        Mimic("puck.angle", "table.x", 2.0),
        Mimic("right", "left", 3.0),
    )
    resting = ring().with_(joints={"right": {"q": 0, "qdot": 0}, "puck": {"q": (0.25, 0.4, 0.5)}})
    model = resting.with_(couplings=[led, leads, inside, Mimic("puck.x", "puck.angle", 0.5)])
    assert model.couplings_as_constraints == (led, leads)
    assert model.followers == {"right": ("left", 3.0, 0.0), "puck.x": ("puck.angle", 0.5, 0.0)}
    assert model.coordinates == (
        "left",
        "hip.qw",
        "hip.qx",
        "hip.qy",
        "hip.qz",
        "puck.y",
        "puck.angle",
    )
    assert mechanism(couplings=[Rack("slot", "hinge", 0.1)]).couplings_as_constraints == ()


def test_a_tree_joint_that_follows_a_closing_one_keeps_its_own_start():
    assert ring(couplings=[Mimic("left", "table.x")]).start()[0][0] == 0.1
    with pytest.raises(
        ModelError, match="joint 'left' follows 'right', so it cannot have a start of its own"
    ):
        ring(couplings=[Mimic("left", "right")])


# ---- an axis of a joint of several axes that follows another


def wrist(q, qdot=(0.0, 0.0), lead=0.0, **coupling):
    """A hand on a universal joint, whose second axis follows the hinge "lead" of another body."""
    bodies = [Body("arm", 1.0, inertia=(1, 1, 1)), Body("hand", 1.0, inertia=(1, 1, 1))]
    joints = [
        Revolute("lead", "ground", "arm", q=lead, qdot=2.0 * lead),
        Universal("wrist", "arm", "hand", axes=((1, 0, 0), (0, 1, 0)), q=q, qdot=qdot),
    ]
    rule = {"ratio": -2.0, "offset": 0.3} | coupling
    return Model(bodies, joints, couplings=[Mimic("wrist.2", "lead", **rule)])


@pytest.mark.parametrize(
    ("q", "qdot", "message"),
    [
        ((0.1, 0.4), (0.0, 0.0), "q of 'wrist.2' starts at 0.4, .*'lead', by which .* at 0.1;"),
        ((0.1, 0.0), (0.5, 0.7), "qdot of 'wrist.2' starts at 0.7, .*by which it starts at -0.4;"),
        ((0.1, 0.1 + 1e-7), (0.0, 0.0), "q of 'wrist.2' starts at 0.1,"),
    ],
)
def test_a_start_that_contradicts_a_coupling_is_refused_by_name(q, qdot, message):
    with pytest.raises(ModelError, match=f"^joint 'wrist': {message}") as refused:
        wrist(q, qdot, lead=0.1)
    assert "\n" not in str(refused.value) and refused.value.part == ("joint", "wrist")


@pytest.mark.parametrize("scale", [1.0, 2.0**-40, 2.0**40])
def test_a_start_that_a_coupling_agrees_with_or_that_is_left_at_zero_is_not(scale):
    for q2, qdot2 in ((0.0, 0.0), (0.1, -0.4), (0.1, 0.0), (0.3 - 2.0 * 0.1, -0.4)):
        made = wrist((0.1, scale * q2), (0.0, scale * qdot2), 0.1 * scale, offset=0.3 * scale)
        assert made.start()[0].tolist() == [0.1 * scale, 0.1]
    with pytest.raises(ModelError, match="by which it starts at"):
        wrist((0.1, 0.1001 * scale), (0.0, 0.0), 0.1 * scale, offset=0.3 * scale)


def test_an_axis_that_follows_one_of_its_own_joint_is_looked_at_too():
    bodies = [Body("hand", 1.0, inertia=(1, 1, 1))]
    joint = Universal("wrist", "ground", "hand", axes=((1, 0, 0), (0, 1, 0)), q=(0.2, 0.5))
    with pytest.raises(ModelError, match=r"'wrist.2' starts at 0.5, but it follows 'wrist.1'"):
        Model(bodies, [joint], couplings=[Gear("wrist.2", "wrist.1", (1, 2))])


# ---- as TOML


def test_constraints_racks_and_loops_read_back_equal():
    model = mechanism(
        constraints=EXAMPLES, couplings=[Rack("slot", "hinge", -0.2, 0.5, name="steering")]
    )
    assert model_from_toml(model_to_toml(model)) == model
    assert model_from_toml(model_to_toml(ring())) == ring()


def test_a_drive_by_a_function_cannot_be_written():
    def turn(t, out):
        out[:] = 0.0

    with pytest.raises(
        ModelError, match="constraint 'motor': position is the Python function 'turn'"
    ):
        model_to_toml(mechanism(constraints=[Drive("hinge", turn, name="motor")]))


TEXT = """\
hamiltree = 1
[[body]]
name = "crank"
mass = 1
[[joint]]
kind = "revolute"
name = "hinge"
parent = "ground"
child = "crank"
[[constraint]]
kind = "rod"
name = "link"
body_a = "ground"
body_b = "crank"
length = 0.5
[[constraint]]
kind = "drive"
joint = "hinge"
position = "a*t"
parameters = { a = 2.0 }
"""


@pytest.mark.parametrize(
    ("old", "new", "at", "message", "part"),
    [
        (
            'kind = "rod"',
            'kind = "rood"',
            'kind = "rood"',
            "constraint 'link': kind = 'rood' is unknown; did you mean 'rod'",
            "link",
        ),
        (
            "length = 0.5",
            "lenght = 0.5",
            "lenght",
            "constraint 'link': unknown key 'lenght'; did you mean 'length'",
            "link",
        ),
        (
            "length = 0.5",
            "length = 0",
            "length = 0",
            "constraint 'link': length = 0 .*ball joint",
            "link",
        ),
        (
            'body_a = "ground"\n',
            "",
            "[[constraint]]",
            "constraint 'link': the key 'body_a' is missing",
            "link",
        ),
        (
            'body_b = "crank"',
            'body_b = "cranck"',
            'body_b = "cranck"',
            "constraint 'link': .*did you mean 'crank'",
            "link",
        ),
        (
            'body_b = "crank"',
            'body_b = "ground"',
            'body_b = "ground"',
            "constraint 'link': .*is also body_a",
            "link",
        ),
        (
            'joint = "hinge"',
            'joint = "hing"',
            'joint = "hing"',
            r"constraint 2 \(drive on 'hing'\): .*did you mean 'hinge'",
            2,
        ),
        (
            'position = "a*t"',
            'position = "a*t"\nspeed = 1',
            "speed = 1",
            "constraint 2: drive: speed = 1 and position both",
            2,
        ),
        (
            'position = "a*t"\n',
            "",
            '[[constraint]]\nkind = "drive"',
            "constraint 2: drive: position = None and speed are both",
            2,
        ),
        (
            "{ a = 2.0 }",
            "{ a = 'x' }",
            "parameters",
            "constraint 2: drive: parameters.a = 'x' is not a number",
            2,
        ),
        (
            "[[constraint]]",
            "[[constraints]]",
            "[[constraints]]",
            "unknown key 'constraints'; did you mean 'constraint'",
            None,
        ),
    ],
)
def test_an_error_of_a_constraint_names_its_line(old, new, at, message, part):
    text = TEXT.replace(old, new, 1)
    line = text[: text.index(at)].count("\n") + 1
    with pytest.raises(ModelError, match=f"^m.toml:{line}: .*{message}") as caught:
        model_from_toml(text, "m.toml")
    assert caught.value.part == (None if part is None else ("constraint", part))
