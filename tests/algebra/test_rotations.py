"""Rotations in NumPy: identities between two ways to the same rotation."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree import rotations
from hamiltree.assembly.kinematics import screw_exponentials, tabulate_screws
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
    screws = tabulate_screws([(vector, np.zeros(3)) for vector in theta])
    poses = screw_exponentials(screws, np.ones(len(theta)))
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


# ---- angles ZYZ of the thesis --------------------------------------------------------------------
@pytest.fixture
def angles():
    """(ψ, θ, φ) all round, with θ near 0 and near π among them."""
    rng = np.random.default_rng(2)
    found = np.stack([rng.uniform(-3, 3, 200), rng.uniform(0, np.pi, 200), rng.uniform(-3, 3, 200)])
    found[1, :40] = np.repeat([1e-9, np.pi - 1e-9], 20)
    return found.T


def test_zyz_angles_are_three_turns_about_z_y_and_z(angles):
    """The corrected (A.14)–(A.17) and the matrix of §2.5 against products, and against a Gimbal."""
    by_axes = [
        rotations.quaternion_about(axis, angle)
        for axis, angle in zip(np.eye(3)[[2, 1, 2]], angles.T, strict=True)
    ]
    product = rotations.quaternion_product(
        rotations.quaternion_product(by_axes[0], by_axes[1]), by_axes[2]
    )
    q = rotations.quaternion_from_zyz(angles)
    assert abs(q - product).max() <= CLOSE
    assert abs(rotations.matrix_from_zyz(angles) - rotations.rotation_matrix(q)).max() <= CLOSE
    screws = ht.Gimbal("g", "ground", "b", sequence="zyz").screws()
    table = tabulate_screws(screws)
    for each, expected in zip(angles, rotations.matrix_from_zyz(angles), strict=True):
        turns = [pose.turn for pose in screw_exponentials(table, each)]
        assert abs(turns[0] @ turns[1] @ turns[2] - expected).max() <= CLOSE


def test_the_printed_order_of_the_quaternion_of_zyz_is_another_rotation(angles):
    """ERRATA 2-20: q_z(φ) q_y(θ) q_z(ψ) is not the rotation of §2.5."""
    printed = rotations.rotation_matrix(rotations.quaternion_from_zyz(angles[:, ::-1]))
    assert abs(printed - rotations.matrix_from_zyz(angles)).max() > 1.0


def test_zyz_angles_are_found_again(angles):
    found = rotations.zyz_from_quaternion(-2.0 * rotations.quaternion_from_zyz(angles))
    assert abs(found - angles)[:40].max() <= 1e-6  # ψ and φ apart lose what sin θ has lost
    assert abs(found - angles)[40:].max() <= 1e-12
    again = rotations.matrix_from_zyz(rotations.zyz_from_matrix(rotations.matrix_from_zyz(angles)))
    assert abs(again - rotations.matrix_from_zyz(angles)).max() <= CLOSE
    straight = rotations.zyz_from_matrix(rotations.rotation_about_z(0.6))
    assert abs(straight - [0.3, 0.0, 0.3]).max() <= CLOSE


def test_rates_of_zyz_angles_are_derivatives(angles):
    """(2.1) and (A.18)–(A.21) against finite differences, and against each other."""
    rates, h = np.array([0.7, -1.1, 2.3]), 1e-6
    ahead, behind = angles + h * rates, angles - h * rates
    q_rate = rotations.quaternion_rate_from_zyz(angles, rates)
    by_difference = rotations.quaternion_from_zyz(ahead) - rotations.quaternion_from_zyz(behind)
    assert abs(by_difference / (2 * h) - q_rate).max() <= 1e-9
    R = rotations.matrix_from_zyz(angles)
    R_rate = (rotations.matrix_from_zyz(ahead) - rotations.matrix_from_zyz(behind)) / (2 * h)
    omega = rotations.omega_from_zyz_rates(angles, rates)
    assert abs(rotations.omega_from_matrix_rate(R, R_rate) - omega).max() <= 1e-9
    assert abs(rotations.matrix_rate(R, omega) - R_rate).max() <= 1e-9
    q = rotations.quaternion_from_zyz(angles)
    assert abs(rotations.omega_from_quaternion_rate(q, q_rate) - omega).max() <= CLOSE
    assert abs(rotations.quaternion_rate(q, omega) - q_rate).max() <= CLOSE
    found = rotations.zyz_rates_from_omega(angles[40:], omega[40:])
    assert abs(found - rates).max() <= 1e-11


def test_the_axial_vector_of_the_printed_product_is_omega_in_the_world(angles):
    """ERRATA 2-19: ṘRᵀ is the angular velocity in outer axes."""
    R, omega = rotations.matrix_from_zyz(angles), np.array([0.3, -0.5, 0.2])
    R_rate = rotations.matrix_rate(R, omega)
    axial = rotations.omega_from_matrix_rate(np.eye(3), R_rate @ np.swapaxes(R, 1, 2))
    assert abs(axial - R @ omega).max() <= CLOSE


def test_gimbal_lock_axes_without_length_and_triples_are_refused():
    with pytest.raises(ht.OptionError, match="gimbal lock"):
        rotations.zyz_rates_from_omega([0.1, np.pi, 0.2], [1.0, 0.0, 0.0])
    with pytest.raises(ht.OptionError, match="no length"):
        rotations.quaternion_about([0.0, 0.0, 0.0], 1.0)
    with pytest.raises(ht.OptionError, match="four numbers"):
        rotations.scalar_last([1.0, 2.0, 3.0])


def test_scalars_go_last_and_first():
    assert rotations.scalar_last([1.0, 2.0, 3.0, 4.0]).tolist() == [2.0, 3.0, 4.0, 1.0]
    pair = np.arange(8.0).reshape(2, 4)
    np.testing.assert_array_equal(rotations.scalar_first(rotations.scalar_last(pair)), pair)
