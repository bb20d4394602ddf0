"""The Model: checks at the door, changed copies, coordinates."""

import pickle
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.model import (
    Body,
    BodyLoad,
    Force,
    Joint,
    JointDamper,
    JointEffort,
    JointSpring,
    Model,
    Prismatic,
    Revolute,
    Weld,
    library,
)


def arm(**changes):
    parts = {
        "name": "arm",
        "bodies": [Body("upper", 1), Body("lower", 1), Body("hand", 1)],
        "joints": [
            Revolute("shoulder", "ground", "upper", q=0.1),
            Revolute("elbow", "upper", "lower", q=0.2, qdot=2),
            Weld("wrist", "lower", "hand"),
        ],
        "forces": [JointSpring("elbow", 3.0), BodyLoad("hand", force=(0, 0, 1), name="push")],
    }
    return Model(**{**parts, **changes})


def test_sequences_are_kept_as_tuples_and_equal_models_are_equal():
    assert isinstance(arm().bodies, tuple) and arm() == arm() and hash(arm()) == hash(arm())
    assert pickle.loads(pickle.dumps(arm())) == arm()


def test_the_repr_of_a_model_is_one_short_line():
    assert repr(arm()) == "<Model 'arm': 3 bodies, 3 joints, 2 forces>"
    assert len(repr(library.chain(1000))) < 80


@pytest.mark.parametrize(
    ("changes", "message", "part"),
    [
        ({"until": 0.0}, "until = 0.0 is not positive", None),
        ({"step": "fast"}, "step = 'fast' is not a number", None),
        ({"bodies": []}, "no body", None),
        ({"bodies": [Body("upper"), "lower"]}, r"bodies\[1\] is a str", None),
        ({"bodies": "upper"}, "not a sequence", None),
        ({"bodies": 3}, "not a sequence", None),
        ({"joints": [Body("upper")]}, r"joints\[0\] is a Body; give one of Revolute", None),
        ({"joints": [Joint("a", "ground", "upper")]}, r"joints\[0\] is a Joint", None),
        ({"forces": [None]}, r"forces\[0\] is a NoneType", None),
        ({"forces": [Force()]}, r"forces\[0\] is a Force", None),
        ({"gravity": (0, 0)}, "model 'arm': gravity = ", None),
        ({"gravity": float("nan")}, "gravity", None),
        ({"name": ""}, "name", None),
        ({"name": 3}, "name", None),
        (
            {"bodies": [Body("upper"), Body("upper"), Body("lower"), Body("hand")]},
            "body 'upper': the name is used twice",
            ("body", "upper"),
        ),
        (
            {
                "joints": [
                    Weld("a", "ground", "upper"),
                    Weld("a", "upper", "lower"),
                    Weld("b", "lower", "hand"),
                ]
            },
            "joint 'a': the name is used twice",
            ("joint", "a"),
        ),
        (
            {"forces": [JointEffort("elbow", 1, name="f"), JointEffort("elbow", 1, name="f")]},
            "force 'f': the name is used twice",
            ("force", "f"),
        ),
        (
            {"joints": [Weld("a", "gruond", "upper")]},
            "joint 'a': parent = 'gruond' is not a body; did you mean 'ground'",
            ("joint", "a"),
        ),
        (
            {"joints": [Weld("a", "ground", "uper")]},
            "joint 'a': child = 'uper' is not a body; did you mean 'upper'",
            ("joint", "a"),
        ),
        (
            {"forces": [JointSpring("elbo", 1)]},
            (
                r"force 1 \(joint_spring on 'elbo'\): joint = 'elbo' is not a joint of the model; "
                "did you mean 'elbow'"
            ),
            ("force", 1),
        ),
        (
            {"forces": [JointDamper("knee", 1, name="d")]},
            "force 'd': joint = 'knee'",
            ("force", "d"),
        ),
        ({"forces": [BodyLoad("hnad")]}, "did you mean 'hand'", ("force", 1)),
        ({"forces": [BodyLoad("ground")]}, "is not a body", ("force", 1)),
        (
            {"forces": [JointDamper("elbow", 1), JointSpring("wrist", 1)]},
            r"force 2 \(joint_spring on 'wrist'\): joint 'wrist' is a weld",
            ("force", 2),
        ),
        (
            {"joints": [Weld("a", "ground", "upper"), Weld("b", "upper", "lower")], "forces": []},
            "body 'hand': no joint holds it; weld it",
            ("body", "hand"),
        ),
        (
            {"joints": [Weld("a", "ground", "upper"), Weld("b", "hand", "lower")], "forces": []},
            "body 'lower': no chain of joints .*2 bodies cut off",
            ("body", "lower"),
        ),
        ({"joints": [], "forces": []}, "body 'upper': no joint holds it", ("body", "upper")),
    ],
)
def test_an_impossible_model_is_refused_with_a_remedy(changes, message, part):
    with pytest.raises(ModelError, match=message) as caught:
        arm(**changes)
    if part:
        assert caught.value.part == part


def test_unnamed_forces_may_be_many():
    assert len(arm(forces=[JointEffort("elbow", 1)] * 3).forces) == 3


def test_loops_and_second_parents_are_legal():
    joints = [*arm().joints, Revolute("loop", "ground", "hand"), Weld("twice", "lower", "hand")]
    assert len(arm(joints=joints).joints) == 5


def test_a_user_made_force_has_its_targets_checked():
    @dataclass(frozen=True)
    class Magnet(Force):
        kind: ClassVar[str] = "magnet"
        references: ClassVar[dict] = {"body": "body"}
        body: str

    assert arm(forces=[Magnet("hand")]).forces[0].body == "hand"
    with pytest.raises(ModelError, match=r"force 1 \(magnet on 'band'\)"):
        arm(forces=[Magnet("band")])


def test_parts_are_found_by_name():
    assert arm().body("hand").name == "hand" and arm().joint("elbow").q == 0.2
    for look_up, message in (
        (lambda: arm().body("hnad"), "no body 'hnad'; did you mean 'hand'"),
        (lambda: arm().joint("elbo"), "no joint 'elbo'; did you mean 'elbow'"),
        (lambda: arm().body(3), "no body 3"),
        (lambda: arm().body([]), "no body"),
    ):
        with pytest.raises(ModelError, match=message):
            look_up()


def test_with_changes_fields_by_name_and_leaves_the_rest():
    changed = arm().with_(
        gravity=(0, 0, 0),
        joints={"elbow": {"q": 0.3}},
        bodies={"hand": {"mass": 5}},
        forces={"push": {"axes": "body"}},
    )
    assert changed.gravity == (0, 0, 0) and changed.joint("elbow") == Revolute(
        "elbow", "upper", "lower", q=0.3, qdot=2
    )
    assert (
        changed.body("hand").mass == 5
        and changed.forces[1].axes == "body"
        and changed.forces[0] == arm().forces[0]
    )
    assert changed.joint("shoulder") == arm().joint("shoulder") and arm().gravity == (0, 0, -9.81)
    assert (
        changed.with_(
            gravity=(0, 0, -9.81), joints=arm().joints, bodies=arm().bodies, forces=arm().forces
        )
        == arm()
    )


def test_with_adds_replaces_and_removes_parts():
    added = arm().with_(
        bodies={"tool": Body("tool", 1)},
        joints={
            "grip": Weld("grip", "hand", "tool"),
            "elbow": Prismatic("elbow", "upper", "lower"),
        },
    )
    assert [b.name for b in added.bodies] == ["upper", "lower", "hand", "tool"] and added.joint(
        "elbow"
    ).kind == "prismatic"
    assert (
        added.with_(bodies={"tool": None}, joints={"grip": None, "elbow": arm().joint("elbow")})
        == arm()
    )
    assert arm().with_(forces={"push": None}).forces == (JointSpring("elbow", 3.0),)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"gravty": (0, 0, 0)}, "did you mean 'gravity'"),
        ({"joints": {"elbo": {"q": 1}}}, "no joint 'elbo' to change; did you mean 'elbow'"),
        ({"joints": {"elbo": None}}, "did you mean 'elbow'"),
        ({"joints": {"elbow": {"qq": 1}}}, "joint 'elbow' has no field 'qq'; did you mean 'q"),
        ({"joints": {"elbow": 3}}, "no dict of fields"),
        ({"bodies": {"x": Body("y")}}, "use its own name"),
        ({"bodies": {"upper": Body("y")}}, "use its own name"),
        ({"joints": {"elbow": {"q": "x"}}}, "joint 'elbow': q = 'x'"),
        ({"bodies": {"hand": None}}, "did you mean|known"),
        ({"forces": {"": {"rest": 1}}}, "no force ''"),
        ({"joints": {"wrist": {"q": 1}}}, "joint 'wrist' has no field 'q'"),
        ({"bodies": {"extra": Body("extra")}}, "body 'extra': no joint holds it"),
    ],
)
def test_with_refuses_what_it_does_not_know(changes, message):
    with pytest.raises(ModelError, match=message):
        arm().with_(**changes)


def test_coordinates_follow_the_declaration_of_joints():
    assert arm().coordinates == ("shoulder", "elbow")
    assert arm(joints=arm().joints[::-1]).coordinates == ("elbow", "shoulder")
    q, qdot = arm().start()
    assert q.tolist() == [0.1, 0.2] and qdot.tolist() == [0.0, 2.0]


def test_a_joint_of_several_coordinates_numbers_its_labels():
    @dataclass(frozen=True)
    class Planar(Joint):
        coordinates: ClassVar[int] = 3

        def start(self):
            return (1.0, 2.0, 3.0), (0.0, 0.0, 0.0)

    model = arm(joints=[Planar("base", "ground", "upper"), *arm().joints[1:]])
    assert model.coordinates == ("base.1", "base.2", "base.3", "elbow")
    assert model.q_from({"base": (4, 5, 6)}).tolist() == [4, 5, 6, 0.2]


def test_q_comes_from_nothing_from_an_array_or_from_names():
    model = arm()
    assert model.q_from(None).tolist() == model.q_from({}).tolist() == [0.1, 0.2]
    assert model.q_from([1, 2]).tolist() == model.q_from(np.array([1, 2])).tolist() == [1.0, 2.0]
    assert model.q_from({"elbow": 5}).tolist() == [0.1, 5.0] and model.qdot_from(
        {"shoulder": 5}
    ).tolist() == [5.0, 2.0]
    assert model.start()[0].tolist() == [0.1, 0.2]


def test_q_from_an_array_is_a_copy():
    given = np.array([1.0, 2.0])
    arm().q_from(given)[0] = 9
    assert given[0] == 1.0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [1],
            "q has 1 values, the model has 2 coordinates; give them in this order: shoulder, elbow",
        ),
        ([1, float("nan")], "not finite"),
        ([[1, 2]], "q"),
        ({"elbo": 1}, "no joint 'elbo'; did you mean 'elbow'"),
        ({"elbow": float("inf")}, "not finite"),
        ({"elbow": [1]}, "not a number"),
        ({"wrist": 1}, "q"),
        ("ab", "q"),
        (3, "q"),
    ],
)
def test_a_wrong_q_is_refused_with_a_remedy(values, message):
    with pytest.raises(OptionError, match=message):
        arm().q_from(values)
