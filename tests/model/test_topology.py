"""The spanning tree and the joints that close loops."""

import itertools

import numpy as np
import pytest

from hamiltree.model import Body, Model, Revolute, Weld, library, spanning_tree


def hang(*edges, bodies=None):
    """A model of welds; an edge is (parent, child), the joints are named by both."""
    names = bodies or list(
        dict.fromkeys(name for edge in edges for name in edge if name != "ground")
    )
    return Model(
        bodies=[Body(name) for name in names],
        joints=[Weld(f"{a}-{b}-{i}", a, b) for i, (a, b) in enumerate(edges)],
    )


def carriers(model):
    """body -> (parent, joint, reversed) by name."""
    tree = spanning_tree(model)
    names = [model.bodies[i].name for i in tree.order] + ["ground"]
    return {
        name: (names[p], model.joints[j].name, bool(r))
        for name, p, j, r in zip(names, tree.parent, tree.joint, tree.reversed, strict=False)
    }


def parents(model):
    return {name: parent for name, (parent, _, _) in carriers(model).items()}


def test_the_order_is_depth_first_with_children_as_declared():
    model = hang(
        ("ground", "a"),
        ("a", "b"),
        ("b", "c"),
        ("a", "d"),
        ("ground", "e"),
        ("d", "f"),
        bodies=list("fedcba"),
    )
    tree = spanning_tree(model)
    assert [model.bodies[i].name for i in tree.order] == list("abcdfe")
    assert (
        tree.parent.tolist() == [-1, 0, 1, 0, 3, -1]
        and tree.joint.tolist() == [0, 1, 2, 3, 5, 4]
        and not tree.reversed.any()
        and tree.closing.size == 0
    )


def test_parents_come_before_children_and_every_body_once():
    model = library.tree(200, branching=3)
    tree = spanning_tree(model)
    assert sorted(tree.order.tolist()) == list(range(200)) and (tree.parent < np.arange(200)).all()


@pytest.mark.parametrize("seed", range(10))
def test_any_order_of_declaration_gives_the_same_tree(seed):
    model, rng = library.tree(60, branching=3), np.random.default_rng(seed)
    shuffled = model.with_(
        bodies=[model.bodies[i] for i in rng.permutation(60)],
        joints=[model.joints[i] for i in rng.permutation(60)],
    )
    assert carriers(shuffled) == carriers(model)


@pytest.mark.parametrize("seed", range(5))
def test_a_joint_declared_the_other_way_round_is_marked_and_changes_nothing_else(seed):
    model, rng = library.tree(60, branching=3), np.random.default_rng(seed)
    turned = rng.random(60) < 0.5
    joints = [
        Revolute(j.name, j.child, j.parent) if turn else j
        for j, turn in zip(model.joints, turned, strict=True)
    ]
    flags = {
        name
        for name, (_, _, reversed_) in carriers(model.with_(joints=joints)).items()
        if reversed_
    }
    assert parents(model.with_(joints=joints)) == parents(model)
    assert flags == {j.child for j, turn in zip(model.joints, turned, strict=True) if turn}


def test_of_a_loop_the_joint_declared_last_closes():
    edges = [("ground", "a"), ("ground", "b"), ("a", "c"), ("b", "c"), ("c", "d")]
    model = hang(*edges)
    assert spanning_tree(model).closing.tolist() == [3]
    assert parents(model) == {"a": "ground", "b": "ground", "c": "a", "d": "c"}
    moved = hang(*edges[:2], edges[3], edges[4], edges[2])
    assert spanning_tree(moved).closing.tolist() == [4] and parents(moved)["c"] == "b"


def test_a_loop_joint_in_front_is_followed_from_its_child():
    model = hang(("a", "b"), ("ground", "b"), ("ground", "a"))
    assert spanning_tree(model).closing.tolist() == [2]
    assert carriers(model) == {"b": ("ground", "ground-b-1", False), "a": ("b", "a-b-0", True)}


def test_two_joints_between_the_same_bodies_are_a_loop():
    assert spanning_tree(
        hang(("ground", "a"), ("ground", "a"), ("a", "ground"))
    ).closing.tolist() == [1, 2]


@pytest.mark.parametrize("seed", range(5))
def test_extra_joints_declared_last_are_the_closing_ones_and_leave_the_tree_alone(seed):
    model, rng = library.tree(50, branching=2), np.random.default_rng(seed)
    ends = [rng.choice(50, 2, replace=False) for _ in range(8)]
    extra = [
        Weld(f"x{k}", model.bodies[a].name, model.bodies[b].name) for k, (a, b) in enumerate(ends)
    ]
    looped = model.with_(joints=[*model.joints, *extra])
    assert spanning_tree(looped).closing.tolist() == list(range(50, 58)) and carriers(
        looped
    ) == carriers(model)


@pytest.mark.parametrize("seed", range(5))
def test_tree_joints_and_closing_joints_are_all_the_joints(seed):
    rng = np.random.default_rng(seed)
    names = ["ground", *(f"b{i}" for i in range(20))]
    edges = [
        (names[a], names[b]) for a, b in (rng.choice(21, 2, replace=False) for _ in range(40))
    ] + [("ground", name) for name in names[1:]]
    tree = spanning_tree(hang(*edges, bodies=names[1:]))
    assert (
        sorted([*tree.joint.tolist(), *tree.closing.tolist()]) == list(range(60))
        and len(tree.joint) == 20
    )


def test_a_chain_of_a_hundred_thousand_bodies_needs_no_recursion():
    n = 100_000
    names = ["ground", *(f"b{i}" for i in range(n))]
    model = hang(*itertools.pairwise(names), bodies=names[:0:-1])
    tree = spanning_tree(model)
    assert tree.order.tolist() == list(range(n - 1, -1, -1)) and tree.parent.tolist() == list(
        range(-1, n - 1)
    )


def test_the_tables_are_read_only():
    with pytest.raises(ValueError, match="read-only"):
        spanning_tree(library.pendulum()).order[0] = 3
