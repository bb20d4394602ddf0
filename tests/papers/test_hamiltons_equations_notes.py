"""The notes "EOM with Hamilton's Equations": the tree of Fig. 2 with general data.

Every quantity of P.1–P.5 is compared with an independent computation.

The numbers in data/seed000_tree10_a.json come from another program and are good to 1e-12.
"""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from hamiltree.analysis.influence import Influence, Motion, influence
from hamiltree.gallery.experiments import hamiltons_equations
from hamiltree.model import BodyLoad, JointEffort, library
from hamiltree.rotations import rotation_matrix

NUMBERS = json.loads(
    (Path(__file__).parents[1] / "data" / "seed000_tree10_a.json").read_text(encoding="utf-8")
)
NUMBERS = {
    key: np.array(value) if isinstance(value, list) else value for key, value in NUMBERS.items()
}
LOADS = {key: np.array(value) for key, value in NUMBERS["loads"].items()}
Q, P = NUMBERS["q"], NUMBERS["p"]
CLOSE = 1e-11

# Φ_A as printed below Fig. 2: the column of the one block in each row, 1-based; 0 for the empty
# first row.
PRINTED_PARENTS = [0, 1, 1, 3, 3, 5, 4, 7, 1, 9]


def error(got, expected):
    return abs(got - expected).max() / abs(expected).max()


@pytest.fixture(scope="module")
def tree():
    return library.ten_body_tree()


@pytest.fixture(scope="module")
def loaded(tree):
    efforts = [
        JointEffort(name, tau) for name, tau in zip(tree.coordinates, LOADS["tau"], strict=True)
    ]
    each = zip(
        tree.bodies,
        LOADS["f_ext_inertial"],
        LOADS["t_ext_inertial"],
        LOADS["y_body_from_joint"],
        strict=True,
    )
    return tree.with_(
        forces=[
            *efforts,
            *(BodyLoad(body.name, force, torque, at) for body, force, torque, at in each),
        ]
    )


@pytest.fixture(scope="module")
def at_q(tree):
    return influence(tree, Q)


def in_notes_order(at_q, by_link):
    """Rows of links, which are walked depth first, into the numbering of the notes: body i is the
    i-th coordinate.
    """
    ordered = np.empty_like(by_link)
    ordered[at_q.row] = by_link
    return ordered


# ---- Fig. 2 --------------------------------------------------------------------------------------
def test_the_influence_matrix_has_the_pattern_of_fig_2(at_q):
    k, n = 2, 10
    blocks = np.arange(1, n + 1)[:, None, None] * np.ones((n, k, k))  # A_i is filled with i
    by_link = at_q.forward_matrix(blocks[at_q.row]).reshape(n, k, n, k)
    phi = np.zeros_like(by_link)
    phi[np.ix_(at_q.row, range(k), at_q.row, range(k))] = by_link
    expected = np.zeros_like(phi)
    for i, parent in enumerate(PRINTED_PARENTS):
        if parent:
            expected[i, :, parent - 1] = i + 1
    assert np.array_equal(phi, expected)


def test_the_influence_matrix_of_fig_2_is_nilpotent_of_degree_5(at_q):
    """Five bodies in the longest chain, 1-3-4-7-8 (ERRATA 0-7)."""
    phi = at_q.forward_matrix(at_q.D)
    assert at_q.longest_chain == 5
    assert np.linalg.matrix_power(phi, 4).any() and not np.linalg.matrix_power(phi, 5).any()


def test_sets_of_bodies_are_those_of_fig_2(at_q):
    """i ≤ 8, i ≥ 3 and the children of 1, in the numbers of the figure."""
    row = {name: i for i, name in enumerate(at_q.names)}

    def numbers(rows):
        return [int(at_q.names[i][1:]) for i in rows]

    assert numbers(at_q.chain(row["j8"])) == [1, 3, 4, 7, 8]
    assert sorted(numbers(at_q.branch(row["j3"]))) == [3, 4, 5, 6, 7, 8]
    assert numbers(at_q.children(row["j1"])) == [2, 3, 9]
    assert numbers(at_q.children(-1)) == [1] and not at_q.children(row["j10"])


def test_the_model_of_the_library_is_the_tree_of_the_numbers(tree):
    parents = [
        -1 if joint.parent == "ground" else int(joint.parent[1:]) - 1 for joint in tree.joints
    ]
    assert parents == NUMBERS["parents"].tolist() == [parent - 1 for parent in PRINTED_PARENTS]
    assert np.array_equal(tree.start()[0], Q) and np.array_equal(
        [body.mass for body in tree.bodies], NUMBERS["m"]
    )


# ---- P.1–P.5 -------------------------------------------------------------------------------------
def test_the_mass_matrix(at_q):
    """(P.4a)"""
    assert error(at_q.mass_matrix(), NUMBERS["M"]) <= CLOSE


def test_rates_by_the_kernel_by_operators_and_by_the_dense_matrix(bind, tree, at_q):
    """(P.5a), (P.5b)"""
    for qdot in (bind(tree).rates(Q, P)[0], at_q.rates(P), at_q.rates_dense(P)):
        assert error(qdot, NUMBERS["qdot"]) <= CLOSE


def test_momenta_from_rates(bind, tree, at_q):
    """(P.3a)"""
    assert (
        error(bind(tree).momentum(Q, NUMBERS["qdot"]), P) <= CLOSE
        and error(at_q.momentum(NUMBERS["qdot"]), P) <= CLOSE
    )


def test_change_of_momenta_under_gravity_alone(bind, tree):
    """(P.3b), gravity once (ERRATA 0-5)"""
    expected = NUMBERS["pdot_gravity_only"]
    assert error(bind(tree).rates(Q, P)[1], expected) <= CLOSE
    assert error(influence(tree, Q).motion(p=P).p_dot, expected) <= CLOSE


def test_change_of_momenta_under_actuation_and_external_loads(bind, loaded):
    """(P.3b) with τ̂, f̄ at ȳ and τ̄"""
    qdot, pdot = bind(loaded).rates(Q, P)
    assert (
        error(pdot, NUMBERS["pdot_with_loads_and_gravity"]) <= CLOSE
        and error(qdot, NUMBERS["qdot"]) <= CLOSE
    )
    now = influence(loaded, Q).motion(p=P)
    assert error(now.p_dot, NUMBERS["pdot_with_loads_and_gravity"]) <= CLOSE
    assert np.array_equal(now.tau_hat, LOADS["tau"])


def test_loads_are_moved_to_the_centres_of_mass_with_their_torque(bind, tree, loaded):
    """f̄ at ȳ = η + y (ERRATA 0-6): y is from the joint, where the frames of this tree lie."""
    now, bare = influence(loaded, Q).motion(p=P), influence(tree, Q).motion(p=P)
    f, y, torque = (LOADS[key] for key in ("f_ext_inertial", "y_body_from_joint", "t_ext_inertial"))
    R = rotation_matrix(bind(tree).poses(Q, P)[0][:, 3:])
    arm = np.einsum("nij,nj->ni", R, y) - in_notes_order(now.at, now.at.s)
    assert error(in_notes_order(now.at, now.f_bar - bare.f_bar), f) <= CLOSE
    assert error(in_notes_order(now.at, now.tau_bar), torque + np.cross(arm, f)) <= CLOSE


def test_branch_inertias_along_the_joints(bind, tree, at_q):
    """R_i = G_iᵀ J_i G_i, that of the root too (ERRATA 0-2)"""
    bound = bind(tree)
    bound.rates(Q, P)
    assert (
        error(in_notes_order(at_q, at_q.articulated_inertias().R), NUMBERS["articulated_R"])
        <= CLOSE
    )
    assert error(in_notes_order(at_q, 1 / bound.work.r[:10]), NUMBERS["articulated_R"]) <= CLOSE


def test_momenta_of_branches(at_q):
    """𝒦 (P.2)"""
    assert (
        error(
            in_notes_order(at_q, at_q.momenta(NUMBERS["qdot"])),
            NUMBERS["spatial_momenta_HP"],
        )
        <= CLOSE
    )


def test_velocities_of_joints(bind, tree, at_q):
    """v (V.4); body frames of the library's tree lie on their joints, so twists of bodies are the
    same numbers
    """
    expected = NUMBERS["joint_velocities_omega_etadot"]
    assert error(in_notes_order(at_q, at_q.velocities(NUMBERS["qdot"])), expected) <= CLOSE
    assert error(bind(tree).poses(Q, P)[1], expected) <= CLOSE


def test_energies(bind, tree):
    """(6), (11), and H = T + V with V = 0 at the root joint"""
    kinetic, potential, total = bind(tree).energies(Q, P)
    assert [kinetic, potential, total] == pytest.approx(
        [NUMBERS["T0"], NUMBERS["V0"], NUMBERS["H0"]], rel=CLOSE
    )
    now = influence(tree, Q).motion(p=P)
    assert [now.T, now.V, now.hamiltonian] == pytest.approx([kinetic, potential, total], rel=CLOSE)


# ---- figures and cost ----------------------------------------------------------------------------
def test_the_figures_show_the_numbers_of_the_notes():
    """Fig. 1: vectors as computed. Fig. 2: Φ_A has its nine blocks at the printed places."""
    one, two, _ = hamiltons_equations.EXPERIMENTS
    assert max(row.ours for row in one.numbers(one.run(True, False))) <= 1e-14
    assert [row.ours for row in two.numbers(two.run(True, False))] == [10, 9, 0, 5]


def test_the_four_ways_from_momenta_to_rates_give_the_same():
    """(P.5a) and (P.5b), in NumPy and compiled: what the experiment on their cost compares."""
    at, p, ways = hamiltons_equations.ways_to_rates(30)
    expected = np.linalg.solve(at.mass_matrix(), p)
    assert len(ways) == 4
    for name, way in ways.items():
        assert error(way(), expected) <= 1e-9, name


def test_exponents_are_slopes_of_costs():
    sizes = 10, 20, 40, 80, 160
    N = np.array(sizes, dtype=float)
    assert hamiltons_equations.exponent(sizes, 1e-6 * N**3) == pytest.approx(3.0)
    assert hamiltons_equations.exponent(sizes, 2e-6 * N) == pytest.approx(1.0)


# ---- the page ------------------------------------------------------------------------------------
PAGES = Path(__file__).parents[2] / "docs" / "documents"


def test_the_outputs_on_the_page_are_what_its_code_prints(capsys, monkeypatch, tmp_path):
    """Every python block is followed by what it prints."""
    monkeypatch.chdir(tmp_path)
    text = (PAGES / "hamiltons-equations.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```", text, re.S | re.M)
    assert len(blocks) == text.count("```python") > 8
    namespace = {"__name__": "page"}
    for code, output in blocks:
        exec(code, namespace)
        assert capsys.readouterr().out.strip() == output.strip()


def test_every_quantity_that_the_audit_names_is_one_of_influence():
    """`ht.influence(model).S`, `ht.influence(model).motion().f`: attributes of the two classes."""
    text = (PAGES / "audit.md").read_text(encoding="utf-8")
    names = re.findall(r"`ht\.influence\(model\)(\.motion\(\))?\.(\w+)`", text)
    fields = {Influence: Influence.__annotations__, Motion: Motion.__annotations__}
    for motion, name in names:
        owner = Motion if motion else Influence
        assert hasattr(owner, name) or name in fields[owner], name
    assert len(names) > 40
