"""Joints and forces."""

import math

import pytest

from hamiltree.errors import ModelError
from hamiltree.model import (
    FORCES,
    JOINTS,
    BodyLoad,
    Force,
    Frame,
    JointDamper,
    JointEffort,
    JointSpring,
    Prismatic,
    Revolute,
    Screw,
    Weld,
)

ENDS = ("elbow", "upper", "lower")
KINDS = [(Revolute, {}), (Prismatic, {}), (Screw, {"pitch": 0.1}), (Weld, {})]


def test_the_screws_of_each_joint_are_its_motion():
    axis = (0.6, 0.0, 0.8)
    assert Revolute(*ENDS, axis=axis).screws() == ((axis, (0, 0, 0)),)
    assert Prismatic(*ENDS, axis=axis).screws() == (((0, 0, 0), axis),)
    angular, linear = Screw(*ENDS, axis=axis, pitch=-math.tau).screws()[0]
    assert angular == axis and linear == pytest.approx((-0.6, 0, -0.8))
    assert Weld(*ENDS).screws() == ()


@pytest.mark.parametrize(("kind", "extra"), KINDS)
def test_every_joint_has_as_many_screws_and_start_values_as_coordinates(kind, extra):
    joint = kind(*ENDS, **extra)
    q, qdot = joint.start()
    assert len(joint.screws()) == len(q) == len(qdot) == joint.coordinates
    assert JOINTS[joint.kind] is kind


@pytest.mark.parametrize(("kind", "extra"), KINDS)
def test_a_plain_vector_is_the_position_of_a_joint_frame(kind, extra):
    assert kind(*ENDS, on_parent=[0, 0, 1], **extra).on_parent == Frame((0, 0, 1))


def test_an_axis_is_normalised_and_start_values_are_kept():
    joint = Revolute(*ENDS, axis=(0, 0, -2), q=1, qdot=-3)
    assert joint.axis == (0, 0, -1) and joint.start() == ((1.0,), (-3.0,))


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("axis", {"axis": (0, 0, 0)}),
        ("axis", {"axis": (0, 1)}),
        ("axis", {"axis": "z"}),
        ("axis", {"axis": (0, 0, math.nan)}),
        ("q", {"q": math.nan}),
        ("q", {"q": "0"}),
        ("qdot", {"qdot": math.inf}),
        ("pitch", {"pitch": None}),
        ("child", {"child": "upper"}),
        ("child", {"child": ""}),
        ("parent", {"parent": 3}),
        ("on_parent", {"on_parent": (1, 2)}),
        ("on_child", {"on_child": "there"}),
        ("on_child", {"on_child": (0, 0, math.nan)}),
    ],
)
def test_an_impossible_joint_is_refused_by_name_and_field(field, changes):
    with pytest.raises(ModelError, match=f"joint 'elbow': {field} = ") as caught:
        Screw(**{"name": "elbow", "parent": "upper", "child": "lower", "pitch": 0.1, **changes})
    assert caught.value.part == ("joint", "elbow") and caught.value.field == field


@pytest.mark.parametrize("name", ["", None, 4])
def test_a_joint_needs_a_name(name):
    with pytest.raises(ModelError, match="joint: name = "):
        Weld(name, "a", "b")


def test_a_screw_needs_its_pitch():
    with pytest.raises(TypeError, match="pitch"):
        Screw(*ENDS)


def test_every_force_is_registered_by_its_kind():
    assert {
        "joint_spring": JointSpring,
        "joint_damper": JointDamper,
        "joint_effort": JointEffort,
        "body_load": BodyLoad,
    }.items() <= FORCES.items()
    assert all(FORCES[kind].kind == kind and issubclass(FORCES[kind], Force) for kind in FORCES)


@pytest.mark.parametrize(
    "make",
    [
        lambda **name: JointSpring("elbow", -1.0, **name),
        lambda **name: JointSpring("elbow", 1.0, math.nan, **name),
        lambda **name: JointSpring("", 1.0, **name),
        lambda **name: JointDamper("elbow", -0.1, **name),
        lambda **name: JointDamper(None, 0.1, **name),
        lambda **name: JointEffort("elbow", "1", **name),
        lambda **name: BodyLoad("lower", force=(1, 2), **name),
        lambda **name: BodyLoad("lower", torque=math.nan, **name),
        lambda **name: BodyLoad("lower", at="tip", **name),
        lambda **name: BodyLoad("lower", axes="local", **name),
        lambda **name: BodyLoad(3, **name),
    ],
)
def test_an_impossible_force_is_refused_by_name_or_kind(make):
    with pytest.raises(ModelError, match="^force 'pull': ") as caught:
        make(name="pull")
    assert caught.value.part == ("force", "pull")
    with pytest.raises(ModelError, match="^(joint_spring|joint_damper|joint_effort|body_load): "):
        make()


def test_the_name_of_a_force_is_a_string():
    with pytest.raises(ModelError, match="name = 3"):
        JointEffort("elbow", 1.0, name=3)
