"""The operators of "EOM with Hamilton's Equations" as matrices, as finite series and as sweeps."""

import numpy as np
import pytest

from hamiltree.analysis.influence import influence

NAMES = [
    "hinge",
    "double pendulum",
    "chain of 10 hinges",
    "chain of 12 screws",
    "star of 20",
    "binary of 7 screws",
    "mixed on a base",
]


@pytest.fixture(params=NAMES)
def model(request, build_tree):
    return build_tree(request.param)


@pytest.fixture
def at_start(model):
    return influence(model, model.start()[0])


def stacked(x):
    return x.reshape(-1, *x.shape[2:])


def block_diagonal(blocks):
    n, rows, columns = blocks.shape
    full = np.zeros((n, rows, n, columns))
    full[np.arange(n), :, np.arange(n)] = blocks
    return full.reshape(n * rows, n * columns)


def error(got, expected):
    return abs(got - expected).max() / max(abs(expected).max(), 1.0)


@pytest.mark.parametrize("k", [2, 6])
def test_operators_as_matrices_equal_operators_as_sweeps(at_start, k):
    rng, n = np.random.default_rng(0), len(at_start.parent)
    A = rng.normal(size=(n, k, k))
    phi, psi = at_start.forward_matrix(A), at_start.sum_matrix(A)
    for x in (rng.normal(size=(n, k)), rng.normal(size=(n, k, 3))):
        assert error(stacked(at_start.forward(A, x)), phi @ stacked(x)) <= 1e-14
        assert (
            error(stacked(at_start.backward(A, x)), at_start.backward_matrix(A) @ stacked(x))
            <= 1e-14
        )
        assert error(stacked(at_start.forward_sum(A, x)), psi @ stacked(x)) <= 1e-13
        assert error(stacked(at_start.backward_sum(A, x)), psi.T @ stacked(x)) <= 1e-13


def test_the_finite_series_is_the_inverse(at_start):
    phi, psi = at_start.forward_matrix(at_start.D), at_start.sum_matrix(at_start.D)
    assert error(psi, np.linalg.inv(np.eye(len(phi)) - phi)) <= 1e-12


def test_influence_dies_out_at_the_end_of_the_longest_chain(at_start):
    A = np.tile(np.eye(2), (len(at_start.parent), 1, 1))
    phi, m = at_start.forward_matrix(A), at_start.longest_chain
    assert np.linalg.matrix_power(phi, m - 1).any() and not np.linalg.matrix_power(phi, m).any()
    assert not np.triu(phi).any()


def test_the_mass_matrix_is_the_product_of_p4a(at_start):
    psi, G = at_start.sum_matrix(at_start.D), block_diagonal(at_start.G[:, :, None])
    by_link = G.T @ psi.T @ block_diagonal(at_start.M) @ psi @ G
    order = at_start.row
    assert error(at_start.mass_matrix()[np.ix_(order, order)], by_link) <= 1e-13


def test_p5b_is_the_inverse_of_the_mass_matrix(at_start):
    """The factors of (P.5b) as matrices."""
    _, R, K = at_start.articulated_inertias()
    G, K, phi = (
        block_diagonal(at_start.G[:, :, None]),
        block_diagonal(K[:, :, None]),
        at_start.forward_matrix(at_start.D),
    )
    beta = (
        np.eye(6) - at_start.G[:, :, None] * at_start.articulated_inertias().K[:, None]
    ) @ at_start.D
    psi, e = at_start.sum_matrix(beta), np.eye(len(R))
    inverse = (e - K.T @ phi @ psi @ G) @ np.diag(1 / R) @ (e - G.T @ psi.T @ phi.T @ K)
    M = at_start.mass_matrix()[np.ix_(at_start.row, at_start.row)]
    assert error(inverse, np.linalg.inv(M)) <= 1e-12 * np.linalg.cond(M)


def test_positions_centres_and_velocities_are_those_of_the_geometry(model, at_start, geometry):
    """A link's centre of mass is that of the bodies it carries; here of the links that carry one
    body.
    """
    q, qdot = model.start()
    place, v = geometry(model, q), at_start.velocities(qdot)
    welded = {
        end
        for joint in model.joints
        if not joint.coordinates
        for end in (joint.parent, joint.child)
    }
    checked = 0
    for i, name in enumerate(at_start.names):
        joint = model.joint(name)
        if joint.child in welded:
            continue
        body, pose = model.body(joint.child), place.pose[joint.child]
        on_joint, J = place.point(body.name, joint.on_child.position)
        assert error(at_start.eta[i], on_joint) <= 1e-13 and error(v[i], J @ qdot) <= 1e-13
        assert error(at_start.s[i], pose[:3, 3] + pose[:3, :3] @ body.com - on_joint) <= 1e-13
        checked += 1
    assert checked


def test_momenta_are_sums_over_the_branch(model, at_start, geometry):
    """(P.1a) and (P.1b): H_i about η_i and P_i of all bodies beyond joint i, body by body."""
    q, qdot = model.start()
    place, K = geometry(model, q), at_start.momenta(qdot)
    for i, name in enumerate(at_start.names):
        H, P = np.zeros(3), np.zeros(3)
        column = model.coordinates.index(name)
        for body in model.bodies:
            if not place.jacobian[body.name][:, column].any():
                continue
            R, (r, J) = place.pose[body.name][:3, :3], place.point(body.name, body.com)
            w, rdot = J[:3] @ qdot, J[3:] @ qdot
            H += R @ body.inertia @ R.T @ w + body.mass * np.cross(r - at_start.eta[i], rdot)
            P += body.mass * rdot
        assert error(K[i], np.concatenate([H, P])) <= 1e-13


def test_welded_bodies_ride_on_the_link_of_their_parent(build_tree):
    model = build_tree("mixed on a base")
    at_start = influence(model, model.start()[0])
    assert sorted(at_start.names) == sorted(model.coordinates) and len(at_start.names) < len(
        model.bodies
    )
    assert [model.coordinates[c] for c in at_start.row] == list(at_start.names)
    assert at_start.M[:, 5, 5].sum() == pytest.approx(
        sum(body.mass for body in model.bodies if body.name != "base")
    )
