"""Conversions and frames."""

import math

import numpy as np
import pytest

from hamiltree.errors import HamiltreeError, ModelError, OptionError, StepError, suggest
from hamiltree.model import values
from hamiltree.model.values import Frame

PART = ("joint", "elbow")


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), np.array(1.0)])
def test_every_real_scalar_becomes_a_plain_float(value):
    result = values.number(value, PART, "q")
    assert type(result) is float and result == 1.0


@pytest.mark.parametrize(
    "value",
    [True, np.True_, "1", None, math.nan, math.inf, -math.inf, 1j, [1.0], 10**400, np.array([1.0])],
)
def test_what_is_no_finite_number_is_refused_by_part_and_field(value):
    with pytest.raises(ModelError, match=r"joint 'elbow': q = ") as caught:
        values.number(value, PART, "q")
    assert caught.value.part == PART and caught.value.field == "q"


@pytest.mark.parametrize(
    "value",
    [
        [1, 2, 3],
        (1.0, 2.0, 3.0),
        np.array([1, 2, 3]),
        np.array([1, 2, 3], np.float32),
        range(1, 4),
        [np.float64(1), 2, 3],
    ],
)
def test_every_sequence_of_numbers_becomes_a_tuple_of_floats(value):
    result = values.vector(value, 3, PART, "axis")
    assert (
        result == (1.0, 2.0, 3.0)
        and type(result) is tuple
        and all(type(x) is float for x in result)
    )
    assert values.point(value, PART, "axis") == result


@pytest.mark.parametrize(
    "value",
    [
        "123",
        [1, 2],
        [1, 2, 3, 4],
        1.0,
        [1, 2, math.nan],
        (0.0, 0.0, math.inf),
        [True, 0, 0],
        {1, 2, 3},
        {"x": 1},
        np.eye(3),
        np.array([True, False, True]),
        np.array(["a", "b", "c"]),
        np.array([1j, 0, 0]),
        None,
        (1.0, 2.0, "3"),
    ],
)
def test_what_is_no_vector_is_refused(value):
    with pytest.raises(ModelError, match="joint 'elbow': axis = "):
        values.point(value, PART, "axis")


def test_a_large_but_finite_vector_is_accepted():
    assert values.point((1e308, 1e308, 1e308), PART, "at") == (1e308, 1e308, 1e308)


def test_a_nearly_symmetric_matrix_is_made_exactly_symmetric():
    (_, xy, _), (yx, _, _), _ = values.symmetric_matrix(
        [[1, 0.1, 0], [0.1 + 1e-11, 1, 0], [0, 0, 1]], PART, "inertia"
    )
    assert xy == yx


@pytest.mark.parametrize(
    "value",
    [
        [[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]],
        np.eye(2),
        [1, 2, 3],
        [[1, 2, 3], [1, 2, 3]],
        [[1, 2, 3], 2, 3],
    ],
)
def test_an_unsymmetric_or_misshapen_matrix_is_refused(value):
    with pytest.raises(ModelError, match="inertia"):
        values.symmetric_matrix(value, PART, "inertia")


def random_frames(count, seed=0):
    rng = np.random.default_rng(seed)
    return [Frame(rng.normal(size=3), rng.normal(size=4)) for _ in range(count)]


def test_a_unit_quaternion_and_an_axis_read_back_exactly():
    for frame in random_frames(300):
        assert Frame(frame.position, frame.rotation) == frame
        axis = values.direction(frame.position, PART, "axis")
        assert values.direction(list(axis), PART, "axis") == axis


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1.0, 1e200, 1e308])
def test_the_length_of_a_direction_does_not_matter(size):
    assert values.direction((size, size, 0), PART, "axis") == pytest.approx(
        (math.sqrt(0.5), math.sqrt(0.5), 0), rel=1e-15
    )


def test_a_rotation_matrix_survives_the_way_through_the_quaternion():
    half_turns = [np.diag(d) for d in ((1.0, -1, -1), (-1.0, 1, -1), (-1.0, -1, 1), (1.0, 1, 1))]
    for matrix in [*half_turns, *(frame.matrix for frame in random_frames(300))]:
        assert np.allclose(Frame(rotation=matrix).matrix, matrix, rtol=0, atol=1e-15)
        assert Frame(rotation=matrix).rotation[0] >= 0


@pytest.mark.parametrize(
    "rotation",
    [
        (0, 0, 0, 0),
        np.diag([1, 1, -1.0]),
        np.eye(3) * (1 + 1e-8),
        [[1, 1e-8, 0], [0, 1, 0], [0, 0, 1]],
        (1, 0, 0),
        (1, 0, 0, math.nan),
        "wxyz",
        np.zeros((3, 3)),
        None,
    ],
)
def test_what_is_no_rotation_is_refused(rotation):
    with pytest.raises(ModelError, match="frame: rotation = "):
        Frame(rotation=rotation)


def test_composed_frames_act_like_their_matrices():
    for a, b in zip(random_frames(50), random_frames(50, seed=1), strict=True):
        assert np.allclose((a @ b).matrix, a.matrix @ b.matrix, rtol=0, atol=1e-14)
        assert np.allclose((a @ b).position, a.position + a.matrix @ b.position, rtol=0, atol=1e-14)


def test_a_frame_times_its_inverse_is_the_identity():
    for frame in random_frames(50):
        both = frame @ frame.inverse()
        assert np.allclose(both.matrix, np.eye(3), rtol=0, atol=1e-14) and np.allclose(
            both.position, 0, atol=1e-14
        )


def test_about_turns_by_the_right_hand():
    assert np.allclose(
        Frame.about((0, 0, 2), math.pi / 2).matrix @ [1, 0, 0], [0, 1, 0], atol=1e-15
    )


def test_rpy_turns_about_the_fixed_axes_x_y_z():
    def turn(axis, angle):
        return Frame.about(axis, angle).matrix

    roll, pitch, yaw = 0.3, -0.8, 2.1
    expected = turn((0, 0, 1), yaw) @ turn((0, 1, 0), pitch) @ turn((1, 0, 0), roll)
    frame = Frame.rpy(roll, pitch, yaw, position=(1, 2, 3))
    assert np.allclose(frame.matrix, expected, atol=1e-15) and frame.position == (1, 2, 3)


def test_frames_are_hashable_and_frozen():
    assert len({Frame(), Frame((0, 0, 0)), Frame((0, 0, 1))}) == 2
    with pytest.raises(AttributeError):
        Frame().position = (1, 2, 3)


def test_errors_are_one_family_and_keep_what_they_know():
    assert (
        issubclass(ModelError, ValueError)
        and issubclass(OptionError, ValueError)
        and issubclass(StepError, HamiltreeError)
    )
    assert StepError("x").trajectory is None and StepError("x", trajectory=3).trajectory == 3
    assert ModelError("x").part is None and str(ModelError("x", PART, "q")) == "x"


def test_the_nearest_name_is_suggested_and_else_the_known_ones_are_listed():
    assert suggest("elbo", ["knee", "elbow"]) == "did you mean 'elbow'?"
    assert suggest("zzz", ["knee", "elbow"]) == "known: 'knee', 'elbow'"
    assert suggest("zzz", []) == "there are none"
