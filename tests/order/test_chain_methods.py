"""The heavy asymmetric top of METHODS 2 as a body of the chain formulations, taken by the
interpreter: numbers of an independent program.

The pivot is the centre of mass of the model; a spring of no length from (0, 0, 1) of the body to
(0, 0, −1) has V = mgl R₃₃ + constant.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FitError
from hamiltree.formulations import FORMULATIONS
from hamiltree.integrators import find_integrator
from hamiltree.integrators.integrator import RUNNING, step
from hamiltree.model import GROUND, Ball, Body, Drag, Model, PointSpring
from hamiltree.run.equations import bind
from hamiltree.verbs import hamiltonian
from tests.order.test_quat_em import rotation

DATA = json.loads((Path(__file__).parents[1] / "data" / "c_quaternion_top_asym.json").read_text())
ERRORS = DATA["expected_behaviour_N_25_50_100_cols_attitude_err_normdrift_qg_dH_dLz"]
EXACT = rotation(DATA["samples"][-1]["q"])


def model(*others):
    spring = PointSpring(
        "top", GROUND, at_a=(0, 0, 1), at_b=(0, 0, -1), stiffness=DATA["mgl"], length=0.0
    )
    pivot = Ball("pivot", GROUND, "top", q=DATA["q0"], qdot=DATA["omega0"])
    return Model(
        name="top",
        bodies=[Body("top", 1.0, (0, 0, 0), np.diag(DATA["I"]).tolist())],
        joints=[pivot],
        forces=[spring, *others],
    )


@cache
def assembled(formulation):
    bound = bind(model(), formulation)
    return bound.system, bound.y


def after_one_second(formulation, integrator, n):
    """The rotation, and by how much H has changed at most."""
    system, y = assembled(formulation)
    work, integrator = (
        FORMULATIONS[formulation].workspace(system, 1),
        integrator.bind(integrator, system),
    )
    state, began, defect = (
        integrator.initial_state(y, integrator.method),
        hamiltonian(system, FORMULATIONS[formulation].workspace(system, 1), 0.0, y),
        0.0,
    )
    for k in range(n):
        assert step(integrator.method, system, work, state, k / n, 1 / n) == RUNNING
        defect = max(defect, abs(hamiltonian(system, work, 0.0, state.y) - began))
    R = (
        state.y[3:12].reshape(3, 3).T
        if formulation == "free_bodies_rotation"
        else rotation(state.y[3:7])
    )
    return R, defect


def error(formulation, name, n, is_separable=False):
    integrator = find_integrator(name)
    return np.linalg.norm(
        after_one_second(
            formulation, integrator.separable_variant if is_separable else integrator, n
        )[0]
        - EXACT
    )


@pytest.mark.parametrize("is_separable", [True, False])
def test_rattle_on_rotation_matrices_has_the_errors_of_the_closed_formulas(is_separable):
    """METHODS 3 solves six entries of Λ; two forms of RATTLE reach the same map."""
    expected = ERRORS["RATTLE rotation matrix"]["rows"]
    for n, row in zip((25, 50), expected, strict=False):
        assert error("free_bodies_rotation", "rattle", n, is_separable) == pytest.approx(
            row[0], rel=1e-9
        )


def test_spark_on_quaternions_has_the_errors_of_an_independent_program():
    assert error("free_bodies_quaternion_constrained", "spark4", 50) == pytest.approx(
        ERRORS["SPARK Lobatto IIIA-IIIB s=3"]["rows"][1][0], rel=1e-6
    )


@pytest.mark.parametrize(
    ("name", "order", "counts", "least"),
    [("splitting2", 2, (25, 50), 6e-4), ("splitting4", 4, (50, 100), 6e-11)],
)
def test_splittings_have_their_order_with_errors_far_below_those_of_rattle(
    name, order, counts, least
):
    errors = [error("free_bodies_quaternion", name, n) for n in counts]
    assert order - 0.2 < np.log2(errors[0] / errors[1]) < order + 0.5
    assert errors[1] < least


def test_quat_em_keeps_the_energy_of_a_chain_and_has_order_two():
    ends = [
        after_one_second("free_bodies_quaternion_constrained", find_integrator("quat_em"), n)
        for n in (25, 50)
    ]
    errors = [np.linalg.norm(R - EXACT) for R, _ in ends]
    assert 1.85 < np.log2(errors[0] / errors[1]) < 2.3
    assert errors == pytest.approx([row[0] for row in ERRORS["QUAT-EM"]["rows"][:2]], rel=1e-8)
    assert max(defect for _, defect in ends) < 2e-13


def test_what_a_method_cannot_take_is_refused():
    with pytest.raises(FitError, match="speeds"):
        ht.simulate(
            model(Drag("top", angular=0.1)),
            0.1,
            0.01,
            "free_bodies_quaternion",
            "splitting4",
            progress=False,
        )
    with pytest.raises(FitError, match="takes forces from distances"):
        ht.simulate(model(), 0.1, 0.01, "free_bodies_rotation", "quat_em", progress=False)
    with pytest.raises(FitError, match="exact flow"):
        ht.simulate(
            ht.library.pendulum(), 0.1, 0.01, "hamiltonian_tree", "splitting2", progress=False
        )
