"""The models of the library."""

import math

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.model import Frame, library, spanning_tree


def poses(model):
    """Body name -> Frame in the world, for models of hinges."""
    tree, placed = spanning_tree(model), []
    for parent, joint in zip(tree.parent, (model.joints[j] for j in tree.joint), strict=True):
        outer = placed[parent] if parent >= 0 else Frame()
        placed.append(
            outer @ joint.on_parent @ Frame.about(joint.axis, joint.q) @ joint.on_child.inverse()
        )
    return {model.bodies[i].name: frame for i, frame in zip(tree.order, placed, strict=True)}


def test_the_pendulum_is_a_point_mass_below_its_hinge():
    model = library.pendulum(length=2.0, mass=3.0, angle=0.5)
    assert (
        model.bodies[0].mass == 3
        and model.bodies[0].com == (0, 0, -2)
        and model.bodies[0].inertia == ((0, 0, 0),) * 3
    )
    bob = poses(model)["bob"]
    assert np.allclose(
        bob.matrix @ model.bodies[0].com, [-2 * math.sin(0.5), 0, -2 * math.cos(0.5)]
    )


def test_the_rods_of_an_n_pendulum_stand_at_the_given_angles_to_the_vertical():
    angles, length = (0.3, 0.7, -1.1), 0.8
    model = library.n_pendulum(3, length=length, mass=2.0, angles=angles)
    assert model.start()[0] == pytest.approx([0.3, 0.4, -1.8])
    hinge = np.zeros(3)
    for (name, frame), angle in zip(poses(model).items(), angles, strict=True):
        direction = np.array([-math.sin(angle), 0, -math.cos(angle)])
        assert np.allclose(frame.position, hinge) and np.allclose(
            frame.matrix @ model.body(name).com, length / 2 * direction
        )
        hinge = hinge + length * direction
    assert np.allclose(model.bodies[0].inertia, np.diag([1, 1, 0]) * 2 * length**2 / 12)


def test_one_angle_serves_all_rods():
    assert library.n_pendulum(3, angles=0.3).start()[0].tolist() == [0.3, 0.0, 0.0]
    assert library.n_pendulum(2).coordinates == ("hinge1", "hinge2")


@pytest.mark.parametrize("seed", [0, 7])
def test_the_chain_follows_its_recipe_number_by_number(seed):
    n, rng, model = 10, np.random.default_rng(seed), library.chain(10, seed=seed)
    turn = []
    for _ in range(n):
        orthonormal, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        turn.append(orthonormal * np.linalg.det(orthonormal))
    mass = rng.uniform(0.5, 1.5, n)
    com = 0.09 * rng.normal(size=(n, 3))
    offset = rng.normal(size=(n, 3))
    distance = 0.3 * rng.uniform(0.7, 1.3, n)
    box = 0.3 * rng.uniform(0.3, 1, (n, 3))
    for i, (body, joint) in enumerate(zip(model.bodies, model.joints, strict=True)):
        x, y, z = box[i] ** 2
        where = offset[i] / np.linalg.norm(offset[i]) * distance[i] if i else np.zeros(3)
        assert (
            body.name == f"b{i + 1}"
            and joint.name == f"j{i + 1}"
            and joint.child == body.name
            and joint.parent == (f"b{i}" if i else "ground")
        )
        assert body.mass == mass[i] and body.com == tuple(com[i])
        assert np.allclose(
            body.inertia, mass[i] / 12 * np.diag([y + z, x + z, x + y]), rtol=1e-14, atol=0
        )
        assert np.allclose(joint.on_parent.position, where, rtol=1e-14, atol=0) and np.allclose(
            joint.on_parent.matrix, turn[i], rtol=0, atol=1e-15
        )
        assert (
            joint.kind == "revolute"
            and joint.axis == (0, 0, 1)
            and joint.on_child == Frame()
            and joint.start() == ((0.0,), (0.0,))
        )
    assert model.gravity == (0, 0, -9.81)


@pytest.mark.parametrize("branching", [1, 2, 3, 50])
def test_body_i_of_a_tree_hangs_on_body_i_minus_1_over_branching(branching):
    model = library.tree(20, branching=branching)
    assert [joint.parent for joint in model.joints] == [
        "ground",
        *(f"b{(i - 1) // branching + 1}" for i in range(1, 20)),
    ]
    assert [joint.child for joint in model.joints] == [f"b{i + 1}" for i in range(20)]


def test_a_tree_has_all_the_kinds_asked_for_and_never_starts_with_a_weld():
    kinds = ("weld", "revolute", "prismatic", "screw")
    assert {joint.kind for joint in library.tree(60, joints=kinds).joints} == set(kinds)
    assert {
        library.tree(1, joints=("weld", "screw"), seed=seed).joints[0].kind for seed in range(20)
    } == {"screw"}
    assert library.tree(5, joints="prismatic").joints[0].kind == "prismatic"


def test_a_tree_is_general_and_the_same_for_the_same_seed():
    model = library.tree(10, joints=("screw",))
    assert (
        model == library.tree(10, joints=("screw",)) != library.tree(10, joints=("screw",), seed=1)
    )
    for body, joint in zip(model.bodies, model.joints, strict=True):
        assert (
            all(body.inertia[0])
            and all(body.com)
            and all(joint.axis)
            and joint.q
            and joint.qdot
            and joint.pitch
        )
        assert all(
            joint.on_parent.position
            + joint.on_child.position
            + joint.on_parent.rotation
            + joint.on_child.rotation
        )


def test_the_ten_body_tree_has_the_shape_of_figure_2_and_its_potential_energy():
    model = library.ten_body_tree()
    assert [joint.parent for joint in model.joints] == [
        "ground",
        "b1",
        "b1",
        "b3",
        "b3",
        "b5",
        "b4",
        "b7",
        "b1",
        "b9",
    ]
    placed = poses(model)
    potential = -sum(
        b.mass * np.dot(model.gravity, placed[b.name].position + placed[b.name].matrix @ b.com)
        for b in model.bodies
    )
    # computed beside Hamilton's Equations notes with its own rotation matrices
    assert potential == pytest.approx(18.904387087881048, rel=1e-14)
    assert len(set(model.start()[1].tolist())) == 10


@pytest.mark.parametrize(
    "make",
    [
        lambda: library.chain(0),
        lambda: library.chain(2.0),
        lambda: library.chain(True),
        lambda: library.tree(3, branching=0),
        lambda: library.pendulum(length=0),
        lambda: library.pendulum(length=math.nan),
        lambda: library.n_pendulum(2, length="1"),
        lambda: library.n_pendulum(2, angles=(1, 2, 3)),
        lambda: library.n_pendulum(2, angles=math.nan),
        lambda: library.n_pendulum(2, angles="up"),
        lambda: library.tree(3, joints=("hinge",)),
        lambda: library.tree(3, joints=()),
        lambda: library.tree(3, joints=("weld",)),
        lambda: library.n_pendulum(2, mass="1"),
    ],
)
def test_impossible_requests_are_refused(make):
    with pytest.raises((OptionError, ModelError)):
        make()


def test_the_library_lists_its_models_and_suggests_the_nearest():
    free = {"free_body", "top", "spherical_chain", "floating_tree", "satellite"}
    loops = {
        "double_four_bar",
        "four_bar",
        "slider_crank",
        "andrews",
        "strandbeest",
        "spatial_slider_crank",
        "governor",
        "bricard",
        "stewart",
    }
    loops |= {"double_wishbone", "problem_11_7", "car_axis"}
    molecules = {"particle_chain", "particle_box", "particle_ring", "branched_molecule"}
    molecules |= {"molecular_bearing"}
    assert (
        set(library.LIBRARY)
        == {
            "pendulum",
            "n_pendulum",
            "chain",
            "tree",
            "ten_body_tree",
            "eight_bodies",
            "six_bodies",
        }
        | free
        | loops
        | molecules
    )
    assert library.build("chain", 3) == library.chain(3)
    assert library.build("four-bar") == library.four_bar()
    with pytest.raises(OptionError, match="no model 'chian'; did you mean 'chain'"):
        library.build("chian")
