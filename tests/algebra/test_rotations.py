"""Rotations in NumPy: identities between two ways to the same rotation."""

import numpy as np
import pytest

from hamiltree import rotations
from hamiltree.assembly.kinematics import screw_exponentials
from hamiltree.model.values import Frame

CLOSE = 1e-14


@pytest.fixture
def q():
    """Unit quaternions with w ≥ 0, and half turns about the axes."""
    found = rotations.normalise(np.random.default_rng(0).normal(size=(200, 4)))
    found = found * np.where(found[:, :1] < 0.0, -1.0, 1.0)
    return np.concatenate([found, np.eye(4)])


@pytest.fixture
def theta():
    """Rotation vectors shorter than π, some of them tiny, one zero."""
    vectors = np.random.default_rng(1).uniform(-1.5, 1.5, size=(200, 3))
    return vectors * np.repeat([1.0, 1e-4, 1e-9, 0.0], 50)[:, None]


def test_a_quaternion_is_found_again_from_its_matrix(q):
    R = rotations.rotation_matrix(q)
    assert abs(rotations.quaternion_from_matrix(R) - q).max() <= CLOSE
    assert abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max() <= CLOSE
    one_by_one = [rotations.quaternion_from_matrix(each) for each in R]
    np.testing.assert_array_equal(one_by_one, rotations.quaternion_from_matrix(R))


def test_a_frame_has_the_same_matrix_and_finds_its_quaternion_again(q):
    for each in q:
        frame = Frame(rotation=tuple(each))
        found = Frame(rotation=frame.matrix.tolist()).rotation
        np.testing.assert_array_equal(frame.matrix, rotations.rotation_matrix(each))
        assert abs(np.array(found) - each).max() <= CLOSE


def test_a_quaternion_of_any_length_has_the_matrix_of_its_unit(q):
    long = 3.0 * q
    found = rotations.rotation_matrix(long, 2.0 / (long**2).sum(1))
    assert abs(found - rotations.rotation_matrix(q)).max() <= CLOSE


def test_products_of_quaternions_are_those_of_matrices(q):
    a, b = q, q[::-1]
    matrices = rotations.rotation_matrix(a) @ rotations.rotation_matrix(b)
    found = rotations.rotation_matrix(rotations.quaternion_product(a, b))
    assert abs(found - matrices).max() <= CLOSE
    unit = rotations.quaternion_product(a, rotations.conjugate(a))
    assert abs(unit - [1.0, 0.0, 0.0, 0.0]).max() <= CLOSE


def test_a_skew_matrix_multiplies_as_a_cross_product(theta):
    a, b = theta, theta[::-1]
    assert abs(rotations.rotate(rotations.skew(a), b) - np.cross(a, b)).max() <= CLOSE
    assert abs(rotations.cross(a, b) - np.cross(a, b)).max() <= CLOSE


def test_exponentials_agree_with_axis_and_angle_and_with_quaternions(theta):
    R = rotations.rotation_exponential(theta)
    turned = rotations.rotate_quaternion(np.array([1.0, 0.0, 0.0, 0.0]), theta)
    assert abs(rotations.rotation_matrix(turned) - R).max() <= CLOSE
    assert abs(rotations.rotation_vector(turned) - theta).max() <= CLOSE
    poses = screw_exponentials([(vector, np.zeros(3)) for vector in theta], np.ones(len(theta)))
    assert abs(np.array([pose.turn for pose in poses]) - R).max() <= CLOSE


def test_the_rate_of_a_quaternion_is_the_derivative_of_its_rotation(q, theta):
    omega, h = theta[0], 1e-6
    ahead, behind = (rotations.rotate_quaternion(q, sign * h * omega) for sign in (1.0, -1.0))
    found = rotations.quaternion_rate(q, np.broadcast_to(omega, (len(q), 3)))
    assert abs((ahead - behind) / (2.0 * h) - found).max() <= 1e-9


def test_an_axis_becomes_the_z_column(theta):
    axes = theta[:50] / np.linalg.norm(theta[:50], axis=1)[:, None]
    axes = np.concatenate([axes, np.eye(3), -np.eye(3)])
    R = rotations.rotation_with_z_axis(axes)
    np.testing.assert_array_equal(R[:, :, 2], axes)
    assert abs(R @ np.swapaxes(R, 1, 2) - np.eye(3)).max() <= CLOSE
    assert abs(np.linalg.det(R) - 1.0).max() <= CLOSE
    about_z = rotations.rotation_about_z(0.3)
    assert abs(about_z - rotations.rotation_exponential(np.array([0.0, 0.0, 0.3]))).max() <= CLOSE
