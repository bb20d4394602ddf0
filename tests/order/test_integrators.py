"""What an integrator claims is measured on trees: order, symplecticity, reversibility, exact
coefficients.

One entry of each family stands for it here; every entry of the catalogue is measured on typed-in
Hamiltonians.
"""

from fractions import Fraction

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.influence import influence
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations.batch import momentum_of_state
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import indirect, observer_pointer
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import FRESH, STATUS
from hamiltree.integrators.stages import exact_mu
from hamiltree.integrators.tableau import Tableau
from hamiltree.integrators.tableaus import gauss as gauss_tableau
from hamiltree.model import library

NAMES = (
    "explicit_euler",
    "rk4",
    "euler_a",
    "stormer_verlet",
    "implicit_midpoint",
    "gauss4",
    "gauss6",
    "gauss8",
)
SYMPLECTIC = [name for name in NAMES if INTEGRATORS[name].is_symplectic]
SYMMETRIC = [name for name in NAMES if INTEGRATORS[name].is_symmetric]
KINDS = ("revolute", "prismatic", "screw")


class Stepper:
    """A system and an integrator, to take steps of any length and sign from any state."""

    def __init__(self, model, integrator):
        self.integrator = INTEGRATORS[integrator]
        self.system = hamiltonian_tree.assemble(assemble_at_start(model))
        works = (
            hamiltonian_tree.workspace(self.system, width) for width in (self.integrator.width, 1)
        )
        self.handle = indirect(self.system, *works, self.integrator.needs, self.integrator.width)
        self.monitor = empty_monitor(sum(self.system.layout))

    def start(self, y):
        return self.integrator.initial_state(np.asarray(y, dtype=float), self.integrator.method)

    def go(self, state, h, steps):
        state.counts[FRESH] = 1
        method, nothing = self.integrator.method, np.zeros((0, len(state.y) + 2))
        self.integrator.advance(
            self.handle, method, state, self.monitor, 0.0, 0, h, steps, steps + 1, nothing
        )
        assert state.counts[STATUS] == 0
        return state

    def after(self, y, h, steps):
        return self.go(self.start(y), h, steps).y.copy()


def state_of(model):
    """The model's start: positions, and the momenta of its rates."""
    system = hamiltonian_tree.assemble(assemble_at_start(model))
    q, qdot = model.start()
    y, ydot = np.concatenate([q, 0 * q]), np.concatenate([qdot, 0 * q])
    momentum_of_state(observer_pointer(system, hamiltonian_tree.workspace(system, 4)), 0.0, y, ydot)
    return y


# ---- order ---------------------------------------------------------------------------------------
SHORTEST = {1: 1 / 4096, 2: 1 / 1024, 4: 1 / 256, 6: 1 / 128, 8: 1 / 32}


@pytest.mark.parametrize("name", NAMES)
def test_the_order_is_the_claimed_one_on_a_tree_of_all_joints(name):
    """Error after 0.5 s over three halvings; H of a tree is not separable."""
    model = library.tree(4, branching=2, seed=5, joints=KINDS)
    y, order = state_of(model), INTEGRATORS[name].order
    exact = Stepper(model, "gauss8").after(y, 1 / 2048, 1024)
    stepper, steps = (
        Stepper(model, name),
        [8 * SHORTEST[order], 4 * SHORTEST[order], 2 * SHORTEST[order], SHORTEST[order]],
    )
    errors = [np.abs(stepper.after(y, h, round(0.5 / h)) - exact).max() for h in steps]
    assert errors[-1] > 1e-13, "the finest error must be above the round-off floor"
    slope = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert order - 0.15 < slope < order + 0.5, f"slope {slope:.2f}, errors {errors}"


# ---- structure -----------------------------------------------------------------------------------
def symplectic_defects(model, name, h):
    """‖DᵀΩD − Ω‖ / ‖D‖² of one step, D by central differences: as it is, and in canonical
    coordinates q s, p/s where M has unit diagonal, where light bodies do not inflate ‖D‖ and a
    defect shows.
    """
    stepper, y = Stepper(model, name), state_of(model)
    n, d = len(y) // 2, 1e-5
    root = np.sqrt(np.diag(influence(model, y[:n]).mass_matrix()))
    scale = np.concatenate([1 / root, root])
    columns = [
        (stepper.after(y + d * e, h, 1) - stepper.after(y - d * e, h, 1)) / (2 * d)
        for e in np.diag(scale)
    ]
    scaled, omega = (
        np.array(columns).T / scale[:, None],
        np.block([[np.zeros((n, n)), np.eye(n)], [-np.eye(n), np.zeros((n, n))]]),
    )
    plain = scaled * scale[:, None] / scale
    return [
        np.linalg.norm(D.T @ omega @ D - omega) / np.linalg.norm(D) ** 2 for D in (plain, scaled)
    ]


@pytest.mark.parametrize("name", SYMPLECTIC)
@pytest.mark.parametrize(("n", "branching", "seed"), [(3, 1, 1), (6, 2, 2), (5, 5, 3)])
def test_gauss_and_midpoint_are_symplectic_on_random_trees(name, n, branching, seed):
    model = library.tree(n, branching=branching, seed=seed, joints=KINDS)
    assert max(symplectic_defects(model, name, 0.02)) <= 1e-8


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SYMPLECTIC])
def test_the_others_are_not_symplectic(name):
    model = library.tree(3, seed=1)
    assert symplectic_defects(model, name, 0.1)[1] > 1e-6


@pytest.mark.parametrize("name", SYMMETRIC)
@pytest.mark.parametrize("seed", range(3))
def test_one_step_forth_and_back_returns(name, seed):
    model = library.tree(8, branching=2, seed=seed, joints=KINDS)
    y, stepper = state_of(model), Stepper(model, name)
    state = stepper.go(stepper.start(y), 5e-3, 1)
    assert np.abs(state.y - y).max() > 1e-4, "the step must have moved"
    assert np.abs(stepper.go(state, -5e-3, 1).y - y).max() <= 1e-14 * np.abs(y).max()


@pytest.mark.parametrize("name", SYMMETRIC)
def test_ten_thousand_steps_of_a_regular_motion_forth_and_back_return(name):
    model = library.n_pendulum(2, angles=(0.3, 0.7))
    y = np.concatenate([model.start()[0], [0.0, 0.0]])
    stepper = Stepper(model, name)
    state = stepper.go(stepper.start(y), 5e-3, 10_000)
    assert np.abs(stepper.go(state, -5e-3, 10_000).y - y).max() <= 1e-11 * np.abs(y).max()


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SYMMETRIC])
def test_the_others_do_not_return(name):
    model = library.tree(4, seed=1, joints=KINDS)
    y, stepper = state_of(model), Stepper(model, name)
    state = stepper.go(stepper.start(y), 2e-2, 1)
    assert np.abs(stepper.go(state, -2e-2, 1).y - y).max() > 1e-10


# ---- coefficients --------------------------------------------------------------------------------
@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_stage_coefficients_are_symplectic_exactly(stages):
    """μ_ij + μ_ji = 1 in rational arithmetic, not merely in floating point."""
    tableau = gauss_tableau(stages)
    mu, _ = exact_mu(tableau, tableau)
    for i in range(stages):
        for j in range(stages):
            assert Fraction(float(mu[i, j])) + Fraction(float(mu[j, i])) == 1


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_stage_coefficients_are_symmetric_exactly(stages):
    tableau = gauss_tableau(stages)
    mu, b = exact_mu(tableau, tableau)[0], np.array(tableau.b, dtype=float)
    assert (mu[::-1, ::-1] == mu.T).all()
    assert (b == b[::-1]).all()


@pytest.mark.parametrize("stages", [1, 2, 3, 4, 6])
def test_gauss_nodes_and_weights_are_those_of_numpy(stages):
    nodes, weights = np.polynomial.legendre.leggauss(stages)
    tableau = gauss_tableau(stages)
    np.testing.assert_allclose(
        np.array(tableau.c, dtype=float), (nodes + 1) / 2, rtol=0, atol=2e-15
    )
    np.testing.assert_allclose(np.array(tableau.b, dtype=float), weights / 2, rtol=0, atol=2e-15)


def test_gauss_of_two_stages_is_the_textbook_tableau():
    """c = ½ ∓ √3/6, a = [[¼, ¼ − √3/6], [¼ + √3/6, ¼]]."""
    third = 3**0.5 / 6
    np.testing.assert_allclose(
        np.array(gauss_tableau(2).a, dtype=float),
        [[0.25, 0.25 - third], [0.25 + third, 0.25]],
        atol=1e-16,
    )


@pytest.mark.parametrize(
    ("a", "b", "c"), [(((0,),), (2,), (0,)), (((0, 0), (1, 0)), (0, 1), (0, 2))]
)
def test_a_tableau_with_wrong_sums_is_refused(a, b, c):
    with pytest.raises(ValueError, match="sum"):
        Tableau("wrong", 1, a, b, c, "nowhere")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("Gauss-8", "gauss8"),
        ("GAUSS 6", "gauss6"),
        ("midpoint", "implicit_midpoint"),
        ("RK4", "rk4"),
    ],
)
def test_names_are_found_as_people_type_them(typed, meant):
    assert find_integrator(typed).name == meant


# ---- compositions by name ------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "substeps", "order"),
    [
        ("triple_jump(gauss4)", 3, 6),
        ("suzuki(lobatto_pair4)", 5, 6),
        ("triple_jump(triple_jump(stormer_verlet))", 9, 6),
        ("suzuki(triple_jump(implicit_midpoint))", 15, 6),
        ("triple_jump(yoshida6(implicit_midpoint))", 21, 8),
        ("yoshida4(stormer_verlet)", 3, 4),
    ],
)
def test_compositions_take_the_substeps_that_their_names_say(name, substeps, order):
    made = find_integrator(name)
    assert (made.method.substeps.factors.size, made.order) == (substeps, order)
    assert made.separable_variant is None or made.separable_variant.order == order
    assert find_integrator(made.name).name == made.name  # as a file of a run would have it


def test_a_composition_of_a_composition_has_its_order_where_h_is_separable():
    """There it is an explicit splitting, written out."""
    H = ht.hamiltonian("p**2/2 + q**4/4")
    exact = ht.simulate(
        H, until=2.0, step=1e-2, integrator="gauss12", q=1.0, p=0.3, progress=False
    ).q.values[-1, 0]
    steps = np.array([0.2, 0.1, 0.05, 0.025])
    name = "triple_jump(triple_jump(stormer_verlet))"
    runs = [
        ht.simulate(H, until=2.0, step=h, integrator=name, q=1.0, p=0.3, progress=False)
        for h in steps
    ]
    slope = np.polyfit(
        np.log(steps), np.log([abs(run.q.values[-1, 0] - exact) for run in runs]), 1
    )[0]
    assert 5.85 < slope < 6.5


@pytest.mark.parametrize(
    "name", ["avf400", "gauss400", "suzuki(suzuki(suzuki(suzuki(suzuki(midpoint)))))"]
)
def test_names_of_methods_that_nobody_could_run_are_refused_at_once(name):
    with pytest.raises(ht.OptionError, match="stages|substeps"):
        find_integrator(name)
