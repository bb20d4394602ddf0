"""Automatic shapes, frames and arrays of a scene: what all pictures are drawn from."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.view.page.arrays import ArrayBlock, decode, read_array
from hamiltree.view.page.scene_data import motion_data, scene_data
from hamiltree.view.scene import motion_of, scene_of_model, scene_of_run
from hamiltree.view.scene.equal_inertia import equal_inertia_solid
from hamiltree.view.scene.hulls import surface_through
from hamiltree.view.scene.mesh_files import read_mesh
from hamiltree.view.scene.motion import ERROR_BOUND
from hamiltree.view.scene.scene import start_poses


def ends_of_capsule(solid):
    half = 0.5 * solid.size[2] * solid.frame.matrix[:, 2]
    return np.array(solid.frame.position) - half, np.array(solid.frame.position) + half


@pytest.fixture(scope="module")
def run():
    return ht.simulate(ht.library.n_pendulum(3, angles=2.0), until=3.0, step=1e-3)


# ---- automatic shapes ----------------------------------------------------------------------------
def test_a_rod_ends_at_its_free_end_and_not_at_its_centre_of_mass():
    scene = scene_of_model(ht.library.n_pendulum(3))
    (last,) = [solid for solid in scene.solids if solid.body == 2]
    start, end = ends_of_capsule(last)
    assert np.allclose(start, (0, 0, 0)) and np.allclose(end, (0, 0, -1))


def test_a_link_between_two_joints_goes_from_one_to_the_other():
    scene = scene_of_model(ht.library.n_pendulum(3))
    start, end = ends_of_capsule(next(solid for solid in scene.solids if solid.body == 1))
    assert np.allclose(sorted([start[2], end[2]]), (-1, 0))


def test_a_free_body_is_the_solid_of_its_inertia():
    for shape in (ht.Box((1.0, 2.0, 3.0)), ht.Cylinder(0.3, 2.0), ht.Sphere(0.7)):
        body = ht.Body.solid("b", shape, mass=2.0)
        kind, size, _ = equal_inertia_solid(body)
        assert kind == shape.kind
        wanted = {
            "box": (1.0, 2.0, 3.0),
            "cylinder": (0.6, 0.6, 2.0),
            "sphere": (1.4, 1.4, 1.4),
        }[kind]
        assert np.allclose(size, wanted)


def test_a_body_of_three_joints_is_a_plate_through_them():
    corners = np.array([(0.0, 0, 0), (1, 0, 0), (0, 1, 0)])
    plate = surface_through(corners, 0.01)
    inside = np.abs(plate.vertices[:, None] - corners).max(axis=2).min(axis=0)
    assert inside.max() < 0.02  # every corner is reached
    assert signed_volume(plate) == pytest.approx(0.02 * (0.5 + 0.01 * (2 + 2**0.5)), rel=0.05)


def test_points_in_space_make_a_closed_hull():
    cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    hull = surface_through(cube[[0, 1, 2, 4]], 0.01)
    assert signed_volume(hull) == pytest.approx(1 / 6)


def signed_volume(mesh):
    a, b, c = (mesh.vertices[mesh.triangles[:, k]].astype(float) for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def test_free_molecules_are_particles_with_bonds_and_nothing_else():
    scene = scene_of_model(ht.library.particle_box())
    assert not scene.solids
    assert len(scene.particles.body) == 256
    first, second = scene.particles.bonds.T
    assert (scene.particles.body[first] == scene.particles.body[second]).all()
    assert len(scene.particles.bonds) == 64 * 6  # a tetrahedron has six edges


def test_a_mesh_that_cannot_be_read_is_a_box_and_the_note_says_so(tmp_path):
    body = ht.Body("b", 1.0, inertia=1.0, visuals=[ht.Mesh(str(tmp_path / "gone.dae"))])
    scene = scene_of_model(ht.Model([body], [ht.Free("j", "ground", "b")]))
    assert scene.solids[0].origin == "stand-in" and "b" in scene.notes[0]


def test_stl_text_and_obj_of_one_triangle_agree(tmp_path):
    text = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 0\nendloop\n"
    (tmp_path / "a.stl").write_text(f"solid x\n{text}endfacet\nendsolid x\n")
    (tmp_path / "a.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1//1 2//1 -1//1\n")
    first, second = (read_mesh(str(tmp_path / name)) for name in ("a.stl", "a.obj"))
    assert np.array_equal(first.vertices[first.triangles], second.vertices[second.triangles])


# ---- frames --------------------------------------------------------------------------------------
def test_thinned_frames_stay_within_the_bound_at_every_sample(run):
    scene = scene_of_run(run)
    motion = motion_of(run, scene.size, scene.reach)
    assert len(motion.t) < len(run.t) / 5
    x, q = motion.at(run.t.values)
    tip = np.array([0.0, 0.0, -1.0])
    worst = 0.0
    for k in range(3):
        ours = x[:, k] + turn(q[:, k], tip)
        true = run.poses.values[:, k, :3] + turn(run.poses.values[:, k, 3:], tip)
        worst = max(worst, np.linalg.norm(ours - true, axis=1).max())
    assert 0.0 < worst <= ERROR_BOUND * scene.size


def turn(q, v):
    w, a = q[:, :1], q[:, 1:]
    return v + 2 * (w * np.cross(a, v) + np.cross(a, np.cross(a, v)))


def test_arrays_come_back_within_the_bound(run):
    scene = scene_of_run(run)
    motion = motion_of(run, scene.size, scene.reach)
    block = ArrayBlock()
    about = motion_data(motion, scene.size, block)
    content = decode(block.encode())
    assert np.array_equal(read_array(content, about["t"]), motion.t)
    error = np.abs(read_array(content, about["position"]) - motion.position).max()
    assert 0.0 < error <= 0.1 * ERROR_BOUND * scene.size


def test_a_body_that_flies_far_is_rounded_finely_enough():
    far = np.linspace(0.0, 1e6, 50)[:, None]
    block = ArrayBlock()
    about = block.add_rounded(far, 1e-3)
    assert about["type"] == "uint32"
    assert np.abs(read_array(decode(block.encode()), about) - far).max() <= 1e-3


def test_a_scene_of_similar_models_is_similar():
    small = scene_of_model(ht.library.n_pendulum(3, length=2.0**-20))
    large = scene_of_model(ht.library.n_pendulum(3, length=2.0**20))
    assert small.size * 2.0**40 == large.size
    for one, other in zip(small.solids, large.solids, strict=True):
        assert np.array_equal(np.array(one.size) * 2.0**40, other.size)


def test_the_start_of_a_model_and_the_first_sample_of_its_run_agree(run):
    assert np.allclose(start_poses(run.model), run.poses.values[0], atol=1e-12)


def test_a_run_that_was_loaded_from_its_file_has_the_same_scene(run, tmp_path):
    loaded = ht.Trajectory.load(run.save(tmp_path / "run.nc"))
    ours, again = scene_of_run(run), scene_of_run(loaded)
    assert ours.solids == again.solids and ours.joints == again.joints


# ---- marks of joint forces -----------------------------------------------------------------------
def marks_of(scene):
    return [solid for solid in scene.solids if solid.origin == "mark"]


def placed(solid, points, pose):
    """Points of a solid's unit shape in the world."""
    local = np.asarray(points) * solid.size @ solid.frame.matrix.T + solid.frame.position
    quaternion = np.broadcast_to(pose[3:], (len(local), 4))
    return pose[:3] + turn(quaternion, local)


def hinged(*forces, length=1.0, axis=(0.0, 1.0, 0.0)):
    """A rod on a hinge away from the origin of the world and of the body."""
    rod = ht.Body("rod", 1.0, com=(0, 0, -length), inertia=0.1 * length**2)
    at = ht.Frame((2.0 * length, 0, 0)), ht.Frame((0, 0, 0.25 * length))
    hinge = ht.Revolute("hinge", "ground", "rod", *at, axis=axis, q=0.7)
    return ht.Model([rod], [hinge], forces=forces, gravity=(0, 0, -9.81))


def test_marks_of_a_hinge_lie_on_its_axis_and_follow_their_body_in_a_run():
    forces = ht.JointSpring("crank_pin", stiffness=0.1), ht.JointDamper("crank_pin", damping=0.01)
    model = ht.library.four_bar().with_(forces=forces)
    run = ht.simulate(model, until=0.5, step=5e-3)
    marks = marks_of(scene_of_run(run))
    assert [mark.kind for mark in marks] == ["mesh", "cylinder"]
    crank, pin = model.bodies[0].name, model.joints[1]
    assert (pin.parent, pin.name) == (crank, "crank_pin")
    on_crank = np.array([pin.on_parent.position])
    places = []
    for pose in (run.poses.values[0], run.poses.values[-1]):
        place = pose[0, :3] + turn(pose[:1, 3:], on_crank)[0]
        for mark in marks:
            base, tip = placed(mark, [(0, 0, 0), (0, 0, 1)], pose[mark.body])
            assert np.allclose(base, place, atol=1e-9)
            assert np.allclose(np.cross(tip - base, pin.axis), 0.0, atol=1e-9)
        places.append(place)
    assert np.linalg.norm(places[1] - places[0]) > 0.01  # it moved


@pytest.mark.parametrize("effort", [2.0, -2.0])
def test_the_arrow_of_an_effort_turns_the_way_in_which_it_moves_the_body(effort):
    model = hinged(ht.JointEffort("hinge", effort=effort), axis=(0.6, 0.0, 0.8))
    scene = scene_of_model(model)
    (mark,) = marks_of(scene)
    path = scene.meshes[mark.mesh].vertices.reshape(-1, 8, 3).mean(axis=1)[:2]
    first, second = placed(mark, path, start_poses(model)[0])
    q = model.start()[0]
    still, moved = (
        placed(mark, path[:1], start_poses(model, x)[0])[0] for x in (q, q + 1e-3 * effort)
    )
    assert np.dot(second - first, moved - still) > 0.9 * np.linalg.norm(
        second - first
    ) * np.linalg.norm(moved - still)


def test_the_coil_of_a_slider_is_as_much_longer_as_the_slider_moved():
    block = ht.Body("block", 1.0, inertia=0.1)
    slider = ht.Prismatic("slider", "ground", "block", axis=(0.6, 0.0, 0.8))
    springs = ht.JointSpring("slider", stiffness=1.0), ht.JointDamper("slider", damping=1.0)
    model = ht.Model([block], [slider], forces=springs)
    scene = scene_of_model(model)
    assert [part.kind for part in scene.connectors] == ["spring", "damper"]
    for part in scene.connectors:
        arms = []
        for q in (0.0, 0.25):
            pose = start_poses(model, np.array([q]))
            arms.append(pose[0, :3] + turn(pose[:1, 3:], np.array([part.at_b]))[0] - part.at_a)
        assert np.allclose(arms[1] - arms[0], 0.25 * np.array(slider.axis))
        assert np.allclose(np.cross(arms[0], slider.axis), 0.0)


def test_marks_of_similar_models_are_similar_and_closed():
    spring = ht.JointSpring("hinge", stiffness=1.0)
    small, large = (scene_of_model(hinged(spring, length=2.0**k)) for k in (-10, 10))
    (one,), (other,) = marks_of(small), marks_of(large)
    assert np.array_equal(np.array(one.size) * 2.0**20, other.size)
    assert signed_volume(small.meshes[one.mesh]) > 0.0  # faces look outward
    farthest = placed(one, small.meshes[one.mesh].vertices, np.array([0, 0, 0, 1.0, 0, 0, 0]))
    assert np.linalg.norm(farthest, axis=1).max() <= small.reach[0]


def test_the_torque_of_a_load_is_an_arrow_with_two_heads_as_long_as_the_largest_force():
    loads = ht.BodyLoad("rod", force=(3.0, 0, 4.0)), ht.BodyLoad("rod", torque=(0, 0, 0.1))
    rows = scene_data(scene_of_model(hinged(*loads)), ArrayBlock())["loads"]
    first, second = (row["force"] for row in rows if row["kind"] == "torque")
    assert np.allclose(first, (0, 0, 5.0)) and np.allclose(second, (0, 0, 0.76 * 5.0))


def test_notes_say_which_bonds_loads_and_torsions_are_not_drawn(monkeypatch):
    monkeypatch.setattr("hamiltree.view.scene.particles.MAX_BONDS", 383)
    scene = scene_of_model(ht.library.particle_box())
    assert not len(scene.particles.bonds) and "384 bonds are not drawn" in scene.notes[0]
    law = ht.BodyLaw("rod", force=("sin(t)", 0, 0), name="wind")
    assert "wind" in scene_of_model(hinged(law)).notes[0]
    bodies = [ht.Body(name, 1.0, inertia=1.0) for name in "ab"]
    joints = [ht.Free(f"free_{body.name}", "ground", body.name) for body in bodies]
    torsion = ht.Torsion("a", "b", stiffness=1.0, name="wire")
    assert "wire" in scene_of_model(ht.Model(bodies, joints, forces=[torsion])).notes[0]
