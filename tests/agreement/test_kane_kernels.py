"""The kernels of kane_relative and kane_absolute: A, f and ẏ against the plain matrices of
`ht.kane.partials`, the oracles of Kane's notes, `ht.dynamics`, and cartesian_3. Kernels run
interpreted here.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.formulations.kane import kane_relative
from hamiltree.formulations.kane import partial_velocities as kane_columns
from hamiltree.formulations.kane.tables import owner
from hamiltree.model.library import tree
from hamiltree.run.equations import bind
from hamiltree.verbs import constraint, constraint_rate, energies, poses, power, project, rates
from tests.agreement.mechanisms import (
    CartesianIII,
    coupled_tree,
    derivative,
    error,
    random_mechanism,
    random_tree,
)
from tests.papers.test_kane_notes import KEYS, MODELS, ORACLES

DATA = Path(__file__).parents[1] / "data"
FREE = ("free", "ball", "prismatic", "translation", "revolute")
SEEDS = range(8)
CLOSINGS = [
    ("revolute",),
    ("rod", "ball"),
    ("universal", "point_on_line"),
    ("cylindrical",),
    ("parallel_axes", "rod"),
]


class Started:
    """A formulation at the model's start, with ẏ."""

    def __init__(self, model, name, q=None, speeds=None):
        bound = bind(model, name, q, speeds)
        self.model, self.formulation, self.system, self.y = (
            model,
            bound.equations.formulation,
            bound.system,
            bound.y,
        )
        self.work, self.ydot = (
            self.formulation.workspace(self.system, 1),
            np.full(len(self.y), np.nan),
        )
        rates(self.system, self.work, 0.0, self.y, self.ydot)

    def numbers(self, labels):
        """Of speeds, as columns count them, in the order of the labels of `ht.kane.partials`."""
        system, model = self.system, self.model
        if isinstance(system, kane_relative.KaneRelative):
            rows = {label: system.number[row] for row, label in enumerate(model.speeds)}
        else:
            turning = {
                f"{body.name}.w{axis}": system.first_angular_speed[b] + k
                for b, body in enumerate(model.bodies)
                for k, axis in enumerate("xyz")
            }
            slides = (
                system.first_angular_speed[b] + 3 + k
                for b in range(len(model.bodies))
                for k in range(system.first_slide[b + 1] - system.first_slide[b])
            )
            rows = turning | dict(zip(self.slide_labels(), slides, strict=True))
        return np.array([rows[label] for label in labels])

    def slide_labels(self):
        names = ["vx", "vy", "vz"]
        return [f"{joint.name}.{names[k]}" for joint in self.by_body() for k in range(3)]

    def by_body(self):
        child = {joint.child: joint for joint in self.model.joints}
        return [child[body.name] for body in self.model.bodies]

    def matrix(self):
        """A = Lᵀ D L from its factors."""
        n = self.system.layout.momenta
        factors = np.tril(self.work.columns.matrix.reshape(n, n), -1) + np.eye(n)
        return factors.T @ np.diag(self.work.columns.matrix.reshape(n, n).diagonal()) @ factors

    def twists(self, step):
        y, pose, twist = (
            self.y + step * self.ydot,
            np.zeros((len(self.model.bodies), 7)),
            np.zeros((len(self.model.bodies), 6)),
        )
        rates(self.system, self.work, 0.0, y, np.zeros_like(y))
        poses(self.system, self.work, 0.0, y, pose, twist)
        return twist

    def accelerations(self):
        return derivative(self.twists, 2e-3 / max(1.0, abs(self.twists(0.0)).max()))


# ---- A, f, ẏ -------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ORACLES)
@pytest.mark.parametrize("formulation", KEYS)
def test_the_kernels_have_the_equations_of_the_other_program(name, formulation):
    """A, f = A ẏ and ẏ of six and of eight bodies on free connections."""
    told, found = ORACLES[name][KEYS[formulation]], Started(MODELS[name], formulation)
    order = found.numbers(ht.kane.partials(MODELS[name], formulation=formulation).speeds)
    A, ydot = found.matrix()[np.ix_(order, order)], found.work.columns.side[order]
    assert abs(A - told["A"]).max() < 1e-10
    assert abs(A @ ydot - told["f"]).max() < 1e-10
    assert abs(ydot - told["ydot"]).max() < 1e-10


@pytest.mark.parametrize("seed", SEEDS)
def test_a_tree_of_every_joint_has_the_mass_matrix_and_the_rates_of_the_plain_matrices(seed):
    model = random_tree(7, 2, seed)
    found, plain = Started(model, "kane_relative"), ht.kane.partials(model)
    order = found.numbers(plain.speeds)
    assert error(found.matrix()[np.ix_(order, order)], plain.mass_matrix.values) < 1e-13
    assert error(found.work.columns.side[order], plain.rates.values) < 1e-11


@pytest.mark.parametrize("seed", SEEDS)
def test_kane_relative_accelerates_as_hamiltons_equations_do(seed):
    """Against forward dynamics by articulated inertias; energies and power too."""
    model = random_tree(9, 3, seed + 100)
    q, speeds = model.start()
    found, dynamics = Started(model, "kane_relative"), ht.dynamics(model)
    assert error(found.ydot[len(q) :], dynamics.forward_dynamics(q, speeds)) < 1e-11
    assert energies(found.system, found.work, 0.0, found.y) == pytest.approx(
        [float(x) for x in dynamics.energies(q, speeds)], rel=1e-12
    )
    rates(found.system, found.work, 0.0, found.y, found.ydot)
    assert power(found.system, found.work, 0.0, found.y, found.ydot) == pytest.approx(
        float(dynamics.dissipated_power(q, speeds)), rel=1e-11
    )


def test_followers_and_armatures_are_in_the_mass_matrix():
    model = coupled_tree().with_(joints={"j1": {"armature": 0.4}, "j2": {"armature": 0.3}})
    q, speeds = model.start()
    assert (
        error(
            Started(model, "kane_relative").ydot[len(q) :],
            ht.dynamics(model).forward_dynamics(q, speeds),
        )
        < 1e-12
    )


# ---- rows ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_kane_absolute_accelerates_as_cartesian_3_does(seed):
    """Locked rotations, screws and couplings are rows, translations that a joint forbids have no
    column.
    """
    model = coupled_tree() if seed == 0 else random_tree(7, 2, seed)
    found, other = Started(model, "kane_absolute"), CartesianIII(model)
    assert error(found.accelerations(), other.accelerations()) < 1e-10
    assert energies(found.system, found.work, 0.0, found.y) == pytest.approx(
        tuple(other.energies()), rel=1e-12
    )
    rates(found.system, found.work, 0.0, found.y, found.ydot)
    assert power(found.system, found.work, 0.0, found.y, found.ydot) == pytest.approx(
        other.power(), rel=1e-10
    )


@pytest.mark.parametrize(("seed", "kinds"), list(enumerate(CLOSINGS)))
def test_loops_close_under_kane_absolute_as_under_cartesian_3(seed, kinds):
    model, q, speeds = random_mechanism(7, 2, seed, kinds)
    found, other = Started(model, "kane_absolute", q, speeds), CartesianIII(model, q, speeds)
    assert error(found.accelerations(), other.accelerations()) < 1e-9


def beside(seed):
    """A body on a hinge that misses the origin of its joint's frame."""
    rng = np.random.default_rng(seed)
    hinge = [("turn", rng.normal(size=3), 0.3 * rng.normal(size=3))]
    body = ht.Body("b", 1.0, 0.2 * rng.normal(size=3), (0.1, 0.2, 0.25))
    on = (
        ht.Frame.about(rng.normal(size=3), 0.7, rng.normal(size=3)),
        ht.Frame.about(rng.normal(size=3), -1.1, rng.normal(size=3)),
    )
    return ht.Model([body], [ht.Axes("x", "ground", "b", *on, axes=hinge, q=[0.4], qdot=[1.3])])


@pytest.mark.parametrize("seed", range(6))
def test_a_hinge_beside_the_origin_of_its_joint_is_no_screw(seed):
    """w · v of its screw is rounding, of either sign or none."""
    found, other = Started(beside(seed), "kane_absolute"), CartesianIII(beside(seed))
    assert found.system.layout.momenta == 3 and found.system.facts.constraints == 2
    assert error(found.accelerations(), other.accelerations()) < 1e-11


@pytest.mark.parametrize("formulation", ["kane_relative", "kane_absolute"])
def test_a_model_that_cannot_move_has_nothing_to_integrate(formulation):
    model = ht.Model(
        [ht.Body("b", 1.0, inertia=(0.1, 0.2, 0.3))],
        [ht.Weld("w", "ground", "b", ht.Frame((1, 2, 3)))],
    )
    found = Started(model, formulation)
    assert (
        found.twists(0.0) == pytest.approx(np.zeros((1, 6)), abs=1e-15)
        and abs(found.ydot).max(initial=0.0) < 1e-12
    )


def test_joints_that_lock_no_rotation_have_no_rows():
    model = tree(6, 2, 4, ("ball", "free"))
    assert Started(model, "kane_absolute").system.facts.constraints == 0
    assert Started(tree(6, 2, 4, ("revolute",)), "kane_absolute").system.facts.constraints == 12


def test_a_disturbed_state_is_brought_back_to_its_constraints():
    model = random_tree(6, 2, 2)
    found = Started(model, "kane_absolute")
    system, work, t = found.system, found.work, 0.0
    assert system.facts.constraints > 0
    y = found.y + 1e-4 * np.random.default_rng(1).normal(size=len(found.y))
    assert project(system, work, t, y, np.zeros_like(y))
    constraint(system, work, t, y, gap := np.zeros(system.facts.constraints))
    constraint_rate(system, work, t, y, y, rate := np.zeros(system.facts.constraints))
    assert abs(gap).max() < 1e-14 and abs(rate).max() < 1e-13
    assert abs(y - found.y).max() < 1e-2


# ---- tables --------------------------------------------------------------------------------------
def test_a_tree_has_no_entries_of_L_but_at_the_speeds_below():
    """A star of N arms costs O(N): every arm's row has only its own hub."""
    columns = kane_columns.find_columns(range(5), [-1, 0, 0, 0, 0], [[0], [1], [2], [3], [4]], 5)
    rows = [list(columns.entry[columns.below[k] : columns.below[k + 1]]) for k in range(5)]
    assert rows == [[], [0], [0], [0], [0]]


def test_factors_of_a_random_pattern_solve_its_system():
    """With fill-in: a follower couples two branches."""
    rng, own, parent = np.random.default_rng(5), [[0], [1], [2, 1], [3], [4, 2]], [-1, 0, 0, 2, 1]
    columns = kane_columns.find_columns(range(5), parent, own, 5)
    A = np.zeros((5, 5))
    for b in range(5):
        speeds = columns.speed[columns.first[b] : columns.first[b + 1]]
        half = rng.normal(size=(len(speeds), 3))
        A[np.ix_(speeds, speeds)] += half @ half.T + np.eye(len(speeds))
    matrix, x = np.tril(A).ravel().copy(), rng.normal(size=5)
    expected = np.linalg.solve(A, x)
    kane_columns.factor_mass_matrix(columns, matrix)
    kane_columns.solve_mass_matrix(columns, matrix, x)
    assert x == pytest.approx(expected, rel=1e-13)


def test_the_owner_of_a_row_is_the_body_that_it_moves():
    found = Started(tree(4, 2, 1, FREE), "kane_absolute")
    for row in range(len(found.y)):
        y = found.y.copy()
        y[row] += 1e-3
        moving = [body.name for body in found.model.bodies].index(
            owner(found.system, found.model, row)
        )
        changed = np.flatnonzero(
            abs(Started.twists(moved(found, y), 0.0) - found.twists(0.0)).max(1) > 0
        )
        assert (
            not len(changed)
            or moving == found.system.order[min(list(found.system.order).index(b) for b in changed)]
        )


def moved(found, y):
    other = object.__new__(Started)
    other.model, other.system, other.work, other.y, other.ydot = (
        found.model,
        found.system,
        found.work,
        y,
        found.ydot * 0,
    )
    return other


def test_what_kane_cannot_have_is_refused_by_name():
    loop = ht.library.four_bar()
    with pytest.raises(ht.FitError, match="closes a loop; kane_relative is for trees"):
        Started(loop, "kane_relative")
    heavy = tree(3, 2, 1).with_(joints={"j2": {"armature": 0.1}})
    with pytest.raises(ht.FitError, match="joint 'j2' has armature.* kane_absolute"):
        Started(heavy, "kane_absolute")


def test_the_oracles_are_those_of_the_papers():
    assert {path.stem for path in DATA.glob("seed003_004_*.json")} == {
        f"seed003_004_{name}" for name in ORACLES
    }
    assert json.loads((DATA / "seed003_004_six_21.json").read_text(encoding="utf-8"))["L"] == [
        0,
        1,
        2,
        2,
        1,
        5,
    ]
