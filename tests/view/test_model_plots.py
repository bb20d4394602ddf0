"""Drawings of a model: topology and numbering as text and as a figure, vectors of two bodies."""

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import hamiltree as ht
from hamiltree.errors import OptionError
from hamiltree.model import Body, BodyLoad, Frame, Model, Revolute, library
from hamiltree.view.notation import body_vectors
from hamiltree.view.notation_panel import hull
from hamiltree.view.outline import GROUND_ROW, outline
from hamiltree.view.tree_panel import place_rows

PRINTED_PARENTS = [0, 1, 1, 3, 3, 5, 4, 7, 1, 9]  # of fig. 2 of the Hamilton's Equations notes


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


def caterpillar(n):
    """A chain in which every body also carries a leaf."""
    bodies = [Body(f"b{k}", 1.0, inertia=1.0) for k in range(2 * n)]
    parents = ["ground" if k == 0 else f"b{k - 1}" for k in range(n)]
    parents += [f"b{k}" for k in range(n)]
    joints = [Revolute(f"j{k}", parent, f"b{k}") for k, parent in enumerate(parents)]
    return Model(bodies, joints)


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


# ---- text ----------------------------------------------------------------------------------------
def test_the_text_has_the_numbers_and_parents_of_fig_2():
    lines = library.ten_body_tree().plot.tree_text().splitlines()[2:]
    parents = {int(line.split()[0]): int(line.split()[1]) for line in lines}
    assert [parents[k] for k in range(1, 11)] == PRINTED_PARENTS
    assert lines[3].rstrip().endswith("│  ├─ b4  j4     revolute")


def test_joints_that_close_loops_and_constraints_are_listed_apart():
    text = library.double_wishbone().plot.tree_text()
    tree, closing, constraints = text.split("\n\n")
    assert "upper_ball" not in tree and "tie_rod" not in tree
    assert closing.splitlines()[1].split() == ["upper_ball", "ball", "upper", "–", "upright"]
    assert constraints.splitlines()[1].split() == ["tie_rod", "rod", "ground", "–", "upright"]


@pytest.mark.parametrize("make", [library.n_pendulum, lambda n: caterpillar(n // 2)])
def test_thousands_of_bodies_are_written_without_recursion_and_in_few_lines(make):
    text = make(4000).plot.tree_text()
    assert len(text.splitlines()) <= 205 and max(map(len, text.splitlines())) <= 120
    assert "3996 bodies in a row" in text or "… and " in text


def test_every_body_is_in_one_row_or_in_a_run():
    for model in (library.n_pendulum(500), library.tree(300, branching=7), caterpillar(50)):
        rows = outline(model, 40).rows
        assert sum(max(1, row.hidden) for row in rows) == len(model.bodies)
        assert all(row.parent < k for k, row in enumerate(rows))


# ---- figure --------------------------------------------------------------------------------------
def test_the_drawing_names_every_body_and_joint_of_fig_2():
    found = texts(library.ten_body_tree().plot.tree())
    for k in range(1, 11):
        assert f"b{k}" in found and f"j{k}" in found


def test_a_child_is_one_column_beyond_its_parent_and_leaves_never_share_a_lane():
    found = outline(library.tree(30, branching=3, seed=4), 60)
    x, y = place_rows(found)
    inner = [row.parent for row in found.rows]
    assert all(x[k] == (x[p] if p != GROUND_ROW else 0) + 1 for k, p in enumerate(inner))
    assert len({(a, b) for a, b in zip(x, y, strict=True)}) == len(x)
    leaves = [k for k in range(len(x)) if k not in inner]
    assert len({y[k] for k in leaves}) == len(leaves)


def test_closing_joints_are_dashed_and_constraints_dotted():
    for model in (library.four_bar(), library.double_wishbone(), library.build("andrews")):
        styles = [line.get_linestyle() for line in model.plot.tree().axes[0].get_lines()]
        between = [part for part in model.constraints if hasattr(part, "body_a")]
        assert styles.count("--") == len(model.closing) > 0
        assert styles.count(":") == len(between)


def test_very_large_models_are_drawn():
    for model in (library.n_pendulum(3000), caterpillar(1000), library.tree(2000, branching=5)):
        width, height = model.plot.tree().get_size_inches()
        assert width <= 18 and height <= 14
    assert any("2996 bodies" in text for text in texts(library.n_pendulum(3000).plot.tree()))


# ---- vectors of two bodies -----------------------------------------------------------------------
@pytest.mark.parametrize("name", ["b2", "b8", "b10"])
def test_vectors_of_a_body_and_its_parent_are_those_of_influence(name):
    """η, d, s, r, ω of fig. 1 from poses of bodies, against sums along chains."""
    model = library.ten_body_tree()
    at = ht.influence(model)
    v = at.velocities(model.start()[1])
    body, parent = body_vectors(model, name)
    assert parent.name == model.joint(f"j{name[1:]}").parent
    for each in (body, parent):
        i = at.names.index(f"j{each.name[1:]}")
        for drawn, computed in (
            (each.eta, at.eta[i]),
            (each.d, at.d[i]),
            (each.s, at.s[i]),
            (each.r, at.r[i]),
            (each.omega, v[i, :3]),
        ):
            assert drawn == pytest.approx(computed, abs=1e-13)


def test_a_load_is_drawn_at_its_point_and_the_weight_without_one():
    """y and f̄ of fig. 1; several loads act as one at the centre of mass."""
    turned = Revolute("j", "ground", "b", axis=(0, 0, 1), q=np.pi / 2)
    still = Model([Body("b", 2.0, (1.0, 0.0, 0.0), 1.0)], [turned])
    (bare,) = body_vectors(still)
    assert bare.force == pytest.approx([0, 0, -19.62]) and bare.y == pytest.approx(bare.s)
    load = BodyLoad("b", (1.0, 0.0, 0.0), (0.0, 0.0, 3.0), (0.0, 2.0, 0.0), "body")
    (one,) = body_vectors(still.with_(forces=[load]))
    assert one.y == pytest.approx([-2, 0, 0]) and one.force == pytest.approx([0, 1, 0])
    (two,) = body_vectors(still.with_(forces=[load, load]))
    assert two.y == pytest.approx(two.s) and two.force == pytest.approx([0, 2, 0])
    # about the centre of mass (0, 1, 0): 2 (3 + z component of (−2, −1, 0) × (0, 1, 0))
    assert two.torque == pytest.approx([0, 0, 2 * (3 - 2)])


def test_the_drawing_of_two_bodies_names_their_vectors():
    model = library.ten_body_tree().with_(forces=[BodyLoad("b5", (1, 2, 3), (1, 0, 0), (0, 0, 1))])
    found = "".join(texts(model.plot.frames("b5")))
    for symbol in (r"\eta_{i}", r"\eta_{ip}", "r_{i}", "d_i", "s_{i}", "y_i", r"\omega_{i}"):
        assert symbol in found, symbol
    assert r"\bar f_i" in found and r"\bar\tau_i" in found


def test_a_body_that_the_model_does_not_have_is_refused():
    with pytest.raises(OptionError, match="no body 'rodd1'.*did you mean 'rod1'"):
        library.n_pendulum(2).plot.frames("rodd1")


def test_the_hull_is_the_outline_of_points():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1], [0.5, 0.5], [0.5, 0.0]])
    assert {tuple(corner) for corner in hull(square)} == {(0, 0), (1, 0), (1, 1), (0, 1)}


def test_joints_declared_from_their_child_are_drawn_from_the_ground_outward():
    joint = Revolute("j", "a", "ground", Frame((0.0, 0.0, 1.0)))
    model = Model([Body("a", 1.0, inertia=1.0)], [joint])
    (body,) = body_vectors(model)
    assert body.eta == pytest.approx([0, 0, 0]) and outline(model, 9).rows[0].parent == GROUND_ROW
