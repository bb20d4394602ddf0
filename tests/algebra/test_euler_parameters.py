"""`ht.euler_parameters`: identities at random p, rates by differences, moments by their work."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import hamiltree as ht

ep = ht.euler_parameters
STEPS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60
SECOND = np.array([2, -27, 270, -490, 270, -27, 2]) / 180
AXES = "body", "world"


def random_motion(seed):
    """p(t) of a body that tumbles: a product of three turns with speeds and accelerations."""
    angles, rates = np.random.default_rng(seed).normal(size=(2, 3))

    def p(t):
        turn = Rotation.from_euler("zxz", angles + rates * t + 0.3 * t**2)
        x, y, z, w = turn.as_quat()
        found = np.array([w, x, y, z])
        return found * np.sign(found @ p.near)

    p.near = np.ones(4)
    p.near = p(0.0)
    return p


def first(function, h=1e-2):
    return np.tensordot(WEIGHTS, np.array([function(h * k) for k in STEPS]), 1) / h


def second(function, h=1e-2):
    values = np.array([function(h * k) for k in range(-3, 4)])
    return np.tensordot(SECOND, values, 1) / h**2


@pytest.mark.parametrize("seed", range(8))
def test_the_identities_hold_at_random_euler_parameters(seed):
    rng = np.random.default_rng(seed)
    p, pdot, s = rng.normal(size=4), rng.normal(size=4), rng.normal(size=3)
    p /= np.linalg.norm(p)
    pdot -= p * (p @ pdot)
    found = ep.identities(p, pdot, s)
    assert len(found) == 18 and max(found.values()) < 2e-14


def test_an_identity_fails_where_p_is_no_unit_quaternion():
    found = ep.identities((1.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
    assert found["L Lᵀ = 1"] == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(3))
def test_a_is_the_rotation_and_its_rate_turns_by_omega(seed):
    p = random_motion(seed)
    w, x, y, z = p(0.0)
    assert ep.A(p(0.0)) == pytest.approx(Rotation.from_quat((x, y, z, w)).as_matrix(), abs=1e-15)
    pdot = first(p)
    rate = first(lambda t: ep.A(p(t)))
    world = ep.angular_velocity(p(0.0), pdot, "world")
    assert ep.skew(world) @ ep.A(p(0.0)) == pytest.approx(rate, abs=1e-9)
    assert world == pytest.approx(ep.A(p(0.0)) @ ep.angular_velocity(p(0.0), pdot), abs=1e-12)


@pytest.mark.parametrize("axes", AXES)
def test_rates_and_second_rates_go_forth_and_back(axes):
    p = random_motion(4)
    pdot, pddot = first(p), second(p)
    omega = ep.angular_velocity(p(0.0), pdot, axes)
    alpha = first(lambda t: ep.angular_velocity(p(t), first(lambda s: p(t + s)), axes))
    assert ep.rate(p(0.0), omega, axes) == pytest.approx(pdot, abs=1e-9)
    assert ep.angular_acceleration(p(0.0), pddot, axes) == pytest.approx(alpha, abs=1e-6)
    assert ep.second_rate(p(0.0), omega, alpha, axes) == pytest.approx(pddot, abs=1e-6)


def test_moments_of_four_components_do_the_same_work():
    """ṗᵀ n* = ω'ᵀ n' = ωᵀ n (a), and back (11.1–11.4)."""
    rng = np.random.default_rng(2)
    p = random_motion(1)(0.0)
    n_body, omega = rng.normal(size=(2, 3))
    n_world = ep.A(p) @ n_body
    starred = ep.starred_moment(p, n_body)
    assert starred == pytest.approx(ep.starred_moment(p, n_world, "world"), abs=1e-14)
    assert ep.rate(p, omega) @ starred == pytest.approx(omega @ n_body)
    assert ep.moment(p, starred) == pytest.approx(n_body)
    assert ep.moment(p, starred, "world") == pytest.approx(n_world)


def test_the_jacobian_of_a_point_is_that_of_a_of_any_p():
    """∂(A s')/∂p = 2 G s̄', also off the unit sphere (equation b)."""
    p, s = np.array([0.4, -0.9, 0.3, 0.8]), np.array([0.3, -1.2, 0.7])
    by_p = np.array([first(lambda h, x=x: ep.A(p + h * x) @ s) for x in np.eye(4)]).T
    assert ep.point_jacobian(p, s) == pytest.approx(by_p, abs=1e-12)
    scalar = np.concatenate([[-p[1:] @ s], p[0] * s + np.cross(p[1:], s)])
    assert ep.bar(s) @ p == pytest.approx(scalar)
    assert ep.plus(s) @ p == pytest.approx(
        np.concatenate([[-p[1:] @ s], p[0] * s - np.cross(p[1:], s)])
    )


def test_matrices_of_many_bodies_are_those_of_each():
    rng = np.random.default_rng(3)
    p, w, J = rng.normal(size=(2, 5, 4)), rng.normal(size=(2, 5, 3)), np.diag([1.0, 2.0, 2.5])
    for function, more in ((ep.G, ()), (ep.L, ()), (ep.E, ()), (ep.A, ()), (ep.orthogonal, ())):
        assert np.array_equal(function(p, *more)[1, 3], function(p[1, 3], *more))
    assert np.array_equal(ep.rate(p, w)[1, 3], ep.rate(p[1, 3], w[1, 3]))
    assert ep.J_star(p, J)[0, 2] == pytest.approx(ep.J_star(p[0, 2], J))
    assert np.array_equal(ep.E(p), ep.G(p))


def test_wrong_arguments_are_refused_by_name():
    cases = [
        (lambda: ep.G((1.0, 0.0, 0.0)), "p has shape"),
        (lambda: ep.A((1.0, 0.0, 0.0, np.nan)), "p is not finite"),
        (lambda: ep.L("one"), "p = 'one'"),
        (lambda: ep.rate((1, 0, 0, 0), (1, 0, 0), "local"), "axes = 'local'"),
        (lambda: ep.J_star((1, 0, 0, 0), (1, 2, 3)), "J has shape"),
        (lambda: ep.J_star((1, 0, 0, 0), np.arange(9.0).reshape(3, 3)), "J is not symmetric"),
    ]
    for call, words in cases:
        with pytest.raises(ht.OptionError, match=words):
            call()
