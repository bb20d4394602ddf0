"""Pictures without a browser: polygons where the bodies are, the nearest on top, nothing tied to
the origin.
"""

from itertools import product

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import hamiltree as ht
from hamiltree.view.picture.camera import choose_side, flat_side, look_along, look_at
from hamiltree.view.picture.draw import Portrait
from hamiltree.view.picture.ground import round_length
from hamiltree.view.picture.painter import Painter
from hamiltree.view.picture.surfaces import surface_of, surface_of_mesh
from hamiltree.view.scene import Solid, scene_of_model
from hamiltree.view.scene.hulls import surface_through
from hamiltree.view.scene.scene import start_poses

UP = np.array([0.0, 0.0, 1.0])


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def run():
    angles = [0.5, 1.0, 1.5]
    model = ht.library.n_pendulum(3, angles=angles)
    return ht.simulate(model, until=1.0, step=5e-3, save_every=1, progress=False)


def solid(kind, size, **options):
    frame = ht.Frame.about((1, 2, 3), 0.7, position=(0.3, -0.2, 0.5))
    return Solid(0, kind, size, frame, "#3d7ea6", **options)


# ---- cameras -------------------------------------------------------------------------------------
def test_a_perspective_camera_draws_what_is_twice_as_far_half_as_large():
    camera = look_at(np.array([[-1.0, -1, -1], [1, 1, 1]]), UP)
    near = camera.target + camera.right
    far = near - camera.distance * camera.back
    flat, behind = camera.project(np.array([near, far]))
    np.testing.assert_allclose(flat, [[1, 0], [0.5, 0]], atol=1e-12)
    np.testing.assert_allclose(behind, [0, camera.distance], atol=1e-9)


@pytest.mark.parametrize("side, axes", [("front", [0, 2]), ("side", [1, 2]), ("top", [0, 1])])
def test_a_side_has_the_coordinates_of_the_world(side, axes):
    points = np.random.default_rng(1).normal(size=(5, 3))
    flat, behind = look_along(side).project(points)
    np.testing.assert_array_equal(flat, points[:, axes])
    depth = ({0, 1, 2} - set(axes)).pop()
    # from the front one looks along +y, from the side along −x, from above along −z
    np.testing.assert_allclose(behind, points[:, depth] * (1 if side == "front" else -1))


def test_flat_motions_are_seen_across_their_plane_and_others_in_space():
    wave = np.random.default_rng(2).uniform(-1, 1, size=(10, 4, 3))
    assert flat_side(wave) is None
    for side, axis in (("side", 0), ("front", 1), ("top", 2)):
        flat = wave.copy()
        flat[..., axis] *= 0.01
        assert flat_side(flat) == side
    assert flat_side(np.zeros((3, 2, 3))) is None
    assert choose_side(np.array([1.0, 1.0, 0.01]), UP)[1] > 1.0  # from above


# ---- surfaces ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kind, size, volume",
    [
        ("box", (1.0, 2.0, 3.0), 6.0),
        ("cylinder", (2.0, 2.0, 3.0), 3.0 * np.pi),
        ("capsule", (1.0, 1.0, 4.0), np.pi + np.pi / 6),
    ],
)
def test_surfaces_are_closed_look_outwards_and_hold_the_volume_of_their_solid(kind, size, volume):
    """Gauss: V = Σ a · (b × c) / 6 over triangles, positive if they look outwards."""
    surface = surface_of(solid(kind, size), [], 64, 0.5)
    a, b, c, d = np.moveaxis(surface.vertices[surface.faces], 1, 0)
    found = sum((x * np.cross(y, z)).sum() for x, y, z in ((a, b, c), (a, c, d))) / 6
    assert found == pytest.approx(volume, rel=0.02)
    assert (surface.edges[:, 3] >= 0).all()  # no edge has one face only


@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.0), (1.0, -1.0, 1.0)])
def test_a_mesh_that_is_mirrored_still_looks_outwards(scale):
    corners = np.array(list(product((-1.0, 1.0), repeat=3))) * (1.0, 2.0, 3.0)
    meshes = [surface_of_mesh(surface_through(corners, 0.1))]
    surface = surface_of(solid("mesh", scale, mesh=0), meshes, 8, 1.0)
    corners = surface.vertices[surface.faces] - solid("mesh", scale).frame.position
    a, b, c, d = np.moveaxis(corners, 1, 0)
    assert ((a * np.cross(c - a, d - b)).sum(axis=1) > 0.0).all()


# ---- what is drawn -------------------------------------------------------------------------------
def test_a_link_reaches_from_its_joint_to_its_free_end(run):
    """The last rod: from two rods' ends to the third, in the picture of the last sample."""
    portrait = Portrait(run)
    points = portrait.painter.points(portrait.poses[-1])
    angles = np.cumsum(run.q.values[-1])
    ends = np.cumsum(np.stack([-np.sin(angles), 0 * angles, -np.cos(angles)], 1), axis=0)
    for end in (*ends, np.zeros(3)):
        assert np.linalg.norm(points - end, axis=1).min() < 2.5 * portrait.scene.thickness


def test_nothing_is_drawn_between_free_bodies_and_the_origin():
    model = ht.library.particle_box()
    poses = start_poses(model)
    poses[:, :3] += 100.0
    camera = look_along("front")
    drawn = Painter(scene_of_model(model)).polygons(poses, camera)
    assert np.concatenate(drawn.corners).min() > 80.0


def test_a_nearer_ball_covers_a_farther_one():
    balls = [ht.Body(name, 1.0, visuals=[ht.Sphere(0.3)]) for name in ("far", "near")]
    joints = [ht.Free(f"to {name}", "ground", name) for name in ("far", "near")]
    model = ht.Model(bodies=balls, joints=joints)
    poses = start_poses(model)
    for depths in ((-1.0, 1.0), (1.0, -1.0)):
        poses[:, 2] = depths
        last = Painter(scene_of_model(model)).polygons(poses, look_along("top"))
        order = last.faces[
            [len(c) > 4 and w > 0.5 for c, w in zip(last.corners, last.widths, strict=True)]
        ]
        colors = scene_of_model(model).colors
        nearest = colors[int(np.argmax(depths))]
        wanted = np.array([int(nearest[k : k + 2], 16) for k in (1, 3, 5)]) / 255
        np.testing.assert_allclose(order[-1] / order[-1].max(), wanted / wanted.max(), atol=1e-9)


def test_a_picture_is_the_same_in_other_units_of_length():
    """A model of half the units gives the same polygons, twice as large, in the same order."""

    def corners(unit):
        boom = [ht.Box((0.1 * unit, 2.0 * unit, 0.1 * unit)), ht.Sphere(0.2 * unit)]
        bodies = [ht.Body(name, 1.0, visuals=boom) for name in ("one", "two")]
        joints = [
            ht.Revolute("root", "ground", "one", q=0.3),
            ht.Revolute("hinge", "one", "two", (0, unit, 0), (0, -unit, 0), axis=(1, 0, 0), q=0.7),
        ]
        model = ht.Model(bodies=bodies, joints=joints)
        painter, poses = Painter(scene_of_model(model)), start_poses(model)
        drawn = painter.polygons(poses, look_at(painter.points(poses), UP))
        return np.concatenate(drawn.corners)

    np.testing.assert_allclose(corners(2.0), 2.0 * corners(1.0), rtol=1e-12, atol=1e-12)


# ---- figures -------------------------------------------------------------------------------------
def test_a_motion_shows_four_times_or_those_that_are_asked_for(run):
    titles = [axes.get_title(loc="right") for axes in run.plot.motion().axes]
    assert titles == ["t = 0 s", "t = 0.335 s", "t = 0.665 s", "t = 1 s"]
    (axes,) = run.plot.motion(at=0.5).axes
    assert axes.get_title(loc="right") == "t = 0.5 s"
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x / m", "z / m")
    (axes,) = run.plot.motion(at=[0.5], projection="perspective").axes
    assert not axes.axison


def test_three_projections_have_the_axes_of_the_world(run):
    labels = [(a.get_xlabel(), a.get_ylabel()) for a in run.plot.motion(projection="three").axes]
    assert labels == [("x / m", "z / m"), ("y / m", "z / m"), ("x / m", "y / m"), ("", "")]


@pytest.mark.parametrize(
    "options, message",
    [
        ({"projection": "thre"}, "did you mean 'three'"),
        ({"at": 2.0}, "at = 2 s is outside the run, 0 s to 1 s"),
        ({"at": "soon"}, "give a time in s"),
        ({"at": []}, "give 1 to 36"),
        ({"at": [0.1, 0.2], "projection": "three"}, "show one time; 2 are given"),
    ],
)
def test_wrong_options_are_refused_by_name(run, options, message):
    with pytest.raises(ht.OptionError, match=message):
        run.plot.motion(**options)
    assert not plt.get_fignums()


def test_lengths_of_scales_are_round():
    assert [round_length(x) for x in (0.9, 1.0, 3.0, 7e-4)] == [0.5, 1.0, 2.0, 5e-4]
