"""Bodies made of particles: mass, centre, inertia and principal axes, also where these are
degenerate.
"""

import math

import numpy as np
import pytest

from hamiltree.errors import ModelError
from hamiltree.model import Body, Particles
from hamiltree.model.pair_force_checks import _near_in_box
from hamiltree.model.particles import find_overlaps, principal_axes

TETRAHEDRON = ((-0.5, -1 / 3, -0.25), (0.5, -1 / 3, -0.25), (0.0, 2 / 3, -0.25), (0.0, 0.0, 0.75))


def cloud(n, seed=3):
    rng = np.random.default_rng(seed)
    return Particles(rng.normal(size=(n, 3)), rng.uniform(0.5, 2, n), "B")


def rotation(seed):
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))[0]
    return turn * np.linalg.det(turn)


def test_mass_centre_and_inertia_are_the_sums_over_the_particles():
    particles = cloud(7)
    m, x = np.array(particles.masses), np.array(particles.positions)
    com = m @ x / m.sum()
    arms = x - com
    inertia = sum(mk * (a @ a * np.eye(3) - np.outer(a, a)) for mk, a in zip(m, arms, strict=True))
    assert particles.mass == pytest.approx(m.sum(), rel=1e-15)
    assert np.allclose(particles.com, com, rtol=0, atol=1e-15)
    assert np.allclose(particles.inertia, inertia, rtol=0, atol=1e-13)
    assert np.allclose(particles.second_moment, arms.T @ (m[:, None] * arms), rtol=0, atol=1e-13)


def test_the_thesis_tetrahedron_has_the_corrected_moments():
    """ERRATA 2-33: D = diag(1/2, 2/3, 3/4) a², I33 = 7/6 and not 5/6."""
    particles = Particles(TETRAHEDRON)
    assert particles.com == (0, 0, 0) and particles.mass == 4
    assert np.allclose(particles.second_moment, np.diag([1 / 2, 2 / 3, 3 / 4]), rtol=0, atol=1e-15)
    assert np.allclose(particles.inertia, np.diag([17 / 12, 5 / 4, 7 / 6]), rtol=0, atol=1e-15)
    assert particles.in_principal_axes() == particles  # it stands in its principal axes


@pytest.mark.parametrize("seed", range(5))
def test_principal_axes_diagonalise_the_inertia_and_are_right_handed(seed):
    particles = cloud(6, seed)
    moments, axes, com = particles.principal()
    R = np.array(axes)
    assert (
        np.allclose(R @ np.diag(moments) @ R.T, particles.inertia, rtol=0, atol=1e-13)
        and com == particles.com
    )
    assert np.linalg.det(R) == pytest.approx(1, abs=1e-14) and (np.diag(R) >= 0).sum() >= 2
    turned = particles.in_principal_axes()
    assert np.allclose(turned.com, 0, atol=1e-15) and np.allclose(
        turned.inertia, np.diag(moments), rtol=0, atol=1e-13
    )
    assert math.dist(*turned.positions[:2]) == pytest.approx(
        math.dist(*particles.positions[:2]), rel=1e-13
    )
    assert Body.of_particles("b", particles, principal=True).inertia == tuple(
        map(tuple, np.diag(moments).tolist())
    )


def test_axes_that_are_principal_already_are_kept_in_their_order():
    box = Particles([(x, y, z) for x in (1, 3) for y in (0, 4) for z in (-2, 2.5)])
    moments, axes, com = box.principal()
    assert axes == ((1, 0, 0), (0, 1, 0), (0, 0, 1)) and com == (2, 2, 0.25)
    assert moments == pytest.approx((8 * (4 + 2.25**2), 8 * (1 + 2.25**2), 8 * (1 + 4)))


def test_a_cube_keeps_the_given_axes_however_it_is_turned():
    corners = (
        np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) @ rotation(4).T
    )
    moments, axes, _ = Particles(corners).principal()
    assert axes == ((1, 0, 0), (0, 1, 0), (0, 0, 1)) and moments == pytest.approx((16, 16, 16))


@pytest.mark.parametrize("seed", range(4))
def test_a_symmetric_body_gets_the_same_frame_whichever_particle_comes_first(seed):
    angle = np.arange(6) * np.pi / 3
    ring = np.column_stack([np.cos(angle), np.sin(angle), np.zeros(6)]) @ rotation(seed).T
    moments, axes, _ = Particles(ring).principal()
    again, same, _ = Particles(np.roll(ring, 2, axis=0)).principal()
    R = np.array(axes)
    assert np.allclose(axes, same, rtol=0, atol=1e-13) and np.allclose(moments, again)
    assert np.allclose(R @ np.diag(moments) @ R.T, Particles(ring).inertia, rtol=0, atol=1e-13)
    assert np.linalg.det(R) == pytest.approx(1, abs=1e-14) and sorted(moments) == pytest.approx(
        [3, 3, 6]
    )


def test_a_linear_body_has_one_moment_of_exactly_zero():
    along = rotation(2) @ [1.0, 0.0, 0.0]
    moments, axes, _ = Particles([k * along for k in (-1, 0.2, 1.7)]).principal()
    place = moments.index(0.0)
    assert moments.count(0.0) == 1 and abs(np.array(axes)[:, place] @ along) == pytest.approx(
        1, abs=1e-12
    )


def test_one_particle_is_a_point_mass_wherever_it_sits():
    body = Body.of_particles("b", Particles([(0.1, 0.2, 0.3)], 0.7))
    assert body.mass == 0.7 and body.com == (0.1, 0.2, 0.3) and body.inertia == ((0, 0, 0),) * 3
    assert Body.of_particles("b", body.particles, principal=True).particles.positions == (
        (0, 0, 0),
    )


def test_moments_of_an_oblique_tensor_come_out_of_nearly_equal_ones():
    R = rotation(8)
    moments, axes = principal_axes(
        tuple(map(tuple, (R @ np.diag([2, 2 + 1e-9, 3]) @ R.T).tolist()))
    )
    assert sorted(moments) == pytest.approx([2, 2 + 1e-9, 3], abs=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1, abs=1e-14)


def test_a_body_of_bodies_has_the_particles_of_all():
    a, b = Particles([(0, 0, 0)], 2.0, "A"), Particles([(1, 0, 0), (2, 0, 0)], 1.0, "B")
    body = Body.from_parts(
        "all", [Body.of_particles("a", a), Body.of_particles("b", b), Body("c", 1.0)]
    )
    assert (
        body.particles == Particles([(0, 0, 0), (1, 0, 0), (2, 0, 0)], (2, 1, 1), ("A", "B", "B"))
        and body.mass == 5
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Particles([]), "holds no particle; give at least one"),
        (lambda: Particles([(0, 0, math.nan)]), r"positions\[0\] = nan is not finite"),
        (lambda: Particles([(0, 0, 0), (1, 0)]), r"positions\[1\] = \(1, 0\) has 2 entries"),
        (lambda: Particles(TETRAHEDRON, (1, 1, -2, 1)), r"masses\[2\] = -2 is negative"),
        (
            lambda: Particles(TETRAHEDRON, 0.0),
            "is no mass at all; give at least one particle a mass",
        ),
        (
            lambda: Particles(TETRAHEDRON, (1, 2)),
            "masses = \\(1, 2\\) has 2 entries for 4 particles",
        ),
        (
            lambda: Particles(TETRAHEDRON, types=("A", "B C", "A", "A")),
            "types = 'B C' is not one word",
        ),
        (
            lambda: Particles([(0, 0, 0), (1, 0, 0), (0, 0, 1e-12)]),
            r"positions\[0\] = .* and positions\[2\] are 1e-12 m apart",
        ),
        (
            lambda: Body("b", 1.0, particles=[(0, 0, 0)]),
            "body 'b': particles = .* are no Particles",
        ),
    ],
)
def test_impossible_particles_are_refused_with_the_culprit(make, message):
    with pytest.raises(ModelError, match=message):
        make()


def test_overlaps_across_the_walls_of_a_box_are_those_of_nearest_images():
    """Pairs on walls, edges and a corner, and such as lie on a wall and in the middle of another
    length, among random ones; the box has no length along z in the second round.
    """
    random = np.random.default_rng(3)
    apart = np.array([0.03, 0.02, 0.01])
    centres = np.array([[0, 0, 0], [0, 1, 0.5], [1, 0, 1.5], [0, 1, 1.5], [2, 0, 0], [0.4, 0, 1.5]])
    places = np.concatenate([centres - apart, centres + apart, 4 * random.random((150, 3)) - 1])
    owners = np.arange(len(places))
    for lengths in ((2.0, 2.0, 3.0), (2.0, 2.0, 0.0)):
        box = np.array(lengths)
        between = places[:, None] - places[None]
        nearest = between - box * np.round(between / np.where(box > 0.0, box, np.inf))
        is_near = np.linalg.norm(nearest, axis=2) <= 0.1
        expected = {(i, j) for i, j in np.argwhere(is_near).tolist() if i < j}
        found = {(i, j) for i, j, _ in _near_in_box(places, owners, 0.1, lengths)}
        assert found == expected and len(expected) > 6


def test_overlaps_are_those_of_a_comparison_of_all_pairs():
    rng = np.random.default_rng(0)
    places, owners = rng.integers(0, 6, (300, 3)) * 0.1, rng.integers(0, 40, 300)
    found = find_overlaps(places, owners, 0.1001)
    distance = np.linalg.norm(places[:, None] - places[None], axis=2)
    near = np.argwhere(np.triu((distance <= 0.1001) & (owners[:, None] != owners[None]), 1))
    assert [pair[:2] for pair in found] == [tuple(pair) for pair in near.tolist()] and len(
        found
    ) > 100
    assert [pair[2] for pair in found] == pytest.approx([distance[i, j] for i, j in near])


def test_a_mass_without_inertia_is_refused_where_particles_have_one():
    with pytest.raises(ModelError, match=r"body 'b'.*inertia.*Body.of_particles"):
        Body("b", mass=4.0, particles=Particles([(0, 0, 0), (1, 0, 0)]))
    assert Body("b", mass=4.0, particles=Particles([(0, 0, 0)])).mass == 4.0
