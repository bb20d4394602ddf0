"""A joint that closes a loop starts where the others put it: other values of its own are refused by
name, those that fit are accepted.
"""

import math

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_consistent_start
from hamiltree.errors import ModelError
from hamiltree.rotations import quaternion_product

library = ht.library


def start(model, hold=None, q=None, qdot=None):
    """Assemble the model where it stands, or at other values of its tree."""
    begin = model.start()
    q, qdot = (own if new is None else new for own, new in zip(begin, (q, qdot), strict=True))
    return assemble_at_consistent_start(model, q, qdot, 0.0, hold)


def with_closing(model, name, **values):
    return model.with_(joints={name: values})


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "bricard", "stewart", "strandbeest"])
def test_values_of_the_library_are_what_poses_and_twists_make_them(name):
    model = library.build(name)
    assert any(any(model.joint(joint).start()[0]) for joint in model.closing)
    start(model)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"q": 0.3}, "starts at q = 0.3, but the other joints make it 0.986576; leave its q out"),
        ({"qdot": 3.0}, "starts at qdot = 3, but the other joints make it 2.06911"),
        ({"q": 0.9865755857414104 + 2e-8}, "starts at q = 0.986576, but"),
    ],
)
def test_a_start_that_contradicts_the_other_joints_is_refused_by_name(values, message):
    model = with_closing(library.four_bar(), "coupler_pin", **values)
    with pytest.raises(ModelError, match="^joint 'coupler_pin' closes a loop and ") as refused:
        ht.simulate(model, 0.01, 1e-3, progress=False)
    assert message in str(refused.value) and refused.value.part == ("joint", "coupler_pin")


def test_whole_turns_and_values_left_out_are_accepted():
    model = library.four_bar()
    q = model.joint("coupler_pin").q
    start(with_closing(model, "coupler_pin", q=q + 4.0 * math.pi))
    start(with_closing(model, "coupler_pin", q=0.0, qdot=0.0))


def test_another_start_of_the_tree_supersedes_the_models_own():
    model = with_closing(library.four_bar(), "coupler_pin", q=0.3, qdot=3.0)
    start(model, hold=())
    q, qdot = library.four_bar(angle=0.7).start()
    start(model, q=q, qdot=qdot)
    with pytest.raises(ModelError, match="starts at q = 0.3"):
        start(model, qdot=np.zeros(3))


def test_a_ball_that_closes_a_loop_has_one_attitude_and_one_angular_velocity():
    model = library.stewart(position=(0.1, 0.0, 1.0), velocity=(0.2, 0.1, 0.0))
    ball = model.closing[0]
    q = np.array(model.joint(ball).q)
    start(with_closing(model, ball, q=tuple(-q)))
    turned = quaternion_product(q, np.array([math.cos(0.1), 0.0, math.sin(0.1), 0.0]))
    with pytest.raises(ModelError, match=rf"'{ball}' closes .*\({ball}.qw, {ball}.qx"):
        start(with_closing(model, ball, q=tuple(turned)))
    with pytest.raises(ModelError, match=rf"'{ball}' closes .*\({ball}.wx, {ball}.wy") as refused:
        start(with_closing(model, ball, qdot=(9.0, 0.0, 0.0)))
    text = str(refused.value).partition("make it (")[2].partition(")")[0]
    omega = tuple(map(float, text.split(",")))
    with pytest.raises(ModelError, match="make it"):
        start(with_closing(model, ball, qdot=tuple(np.array(omega) + 1e-3)))
    exact = angular_velocity_of(model, ball)
    assert omega == pytest.approx(exact, rel=1e-5, abs=1e-12)
    start(with_closing(model, ball, qdot=tuple(exact)))


def angular_velocity_of(model, name):
    """ω of the child less that of the parent, in the child's joint axes."""
    joint = model.joint(name)
    bodies = start(model).bodies
    index = {body.name: k for k, body in enumerate(model.bodies)}
    child, parent = index[joint.child], index[joint.parent]
    axes = bodies.rotation[child] @ joint.on_child.matrix
    return axes.T @ (bodies.twist[child, :3] - bodies.twist[parent, :3])
