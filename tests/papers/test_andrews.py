"""Andrews' squeezing mechanism against the reference of the Test Set for IVP Solvers, and against λ
from its own formulas.
"""

import importlib.util
import json
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht

TESTS = Path(__file__).parents[1]
QUARTER = np.pi / 2


@lru_cache
def formulas_of_the_library():
    """The module that writes down the Test Set's M(q)."""
    spec = importlib.util.spec_from_file_location(
        "formulas_of_the_library", TESTS / "model" / "test_mechanisms.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def published_mass_matrix(numbers, q):
    return formulas_of_the_library().published_mass_matrix(numbers, q)


@pytest.fixture(scope="module")
def numbers():
    return json.loads((TESTS / "data" / "andrews.json").read_text())


@pytest.fixture(scope="module")
def run():
    """1200 steps to t = 0.03; the crank turns two and a half times."""
    return ht.simulate(
        ht.library.andrews(), until=0.03, step=2.5e-5, integrator="spark6", progress=False
    )


# ---- the equations of the Test Set ---------------------------------------------------------------
def loop_equations(n, q):
    """g(q) of the Test Set: the pin at the end of K2 less that of K3, of K4 and of K6."""
    beta, theta, gamma, phi, delta, omega, epsilon = q
    x = n["rr"] * np.cos(beta) - n["d"] * np.cos(beta + theta)
    y = n["rr"] * np.sin(beta) - n["d"] * np.sin(beta + theta)
    return np.array([
        x - n["ss"] * np.sin(gamma) - n["xb"],
        y + n["ss"] * np.cos(gamma) - n["yb"],
        x - n["e"] * np.sin(phi + delta) - n["zt"] * np.cos(delta) - n["xa"],
        y + n["e"] * np.cos(phi + delta) - n["zt"] * np.sin(delta) - n["ya"],
        x - n["zf"] * np.cos(omega + epsilon) - n["u"] * np.sin(epsilon) - n["xa"],
        y - n["zf"] * np.sin(omega + epsilon) + n["u"] * np.cos(epsilon) - n["ya"],
    ])  # fmt: skip


def gradient(f, q):
    """∂f/∂q, the last axis along q.

    Exact where every angle enters as a + b sin(q_k + c): f' = (f(q_k + π/2) − f(q_k − π/2))/2.
    """
    return np.stack([(f(q + row) - f(q - row)) / 2 for row in QUARTER * np.eye(len(q))], axis=-1)


def pull_of_the_spring(n, gamma):
    """Torque on K3 of the spring from C to its point D."""
    c, s = np.cos(gamma), np.sin(gamma)
    end = np.array([n["sd"] * c + n["sc"] * s, n["sd"] * s - n["sc"] * c])
    way = np.array([end[0] + n["xb"] - n["xc"], end[1] + n["yb"] - n["yc"]])
    length = np.hypot(*way)
    return -n["c0"] * (length - n["l0"]) / length * (way[1] * end[0] - way[0] * end[1])


def multipliers(n, q, v):
    """λ of M a + Gᵀλ = Q − Ṁ v + ½ ∂(vᵀ M v)/∂q and G a = −Ġ v."""
    mass, G = published_mass_matrix(n, q), gradient(lambda x: loop_equations(n, x), q)
    change = gradient(lambda x: published_mass_matrix(n, x), q)
    bend = gradient(lambda x: gradient(lambda z: loop_equations(n, z), x), q)
    Q = 0.5 * np.einsum("ijk,i,j->k", change, v, v) - np.einsum("ijk,j,k->i", change, v, v)
    Q[0] += n["mom"]
    Q[2] += pull_of_the_spring(n, q[2])
    whole = np.block([[mass, G.T], [G, np.zeros((6, 6))]])
    return np.linalg.solve(whole, np.concatenate([Q, -np.einsum("ijk,j,k->i", bend, v, v)]))[7:]


def end_of(run):
    return run.q.values[-1][:7], run.qdot.values[-1][:7]


# ---- comparison ----------------------------------------------------------------------------------
def test_the_formulas_give_the_published_multipliers_at_the_start(numbers):
    found = multipliers(numbers, np.array(numbers["q0"]), np.array(numbers["v0"]))
    assert found[:2] == pytest.approx(numbers["lambda0_first_two"], rel=1e-12)


def test_positions_agree_with_published_ones_to_nine_digits_and_converged_ones_to_the_last(
    run, numbers
):
    q, _ = end_of(run)
    assert q == pytest.approx(numbers["published"]["q"], rel=5e-10)
    assert q == pytest.approx(numbers["converged"]["q"], rel=0, abs=5e-12)


def test_velocities_agree_with_the_published_as_far_as_those_are_good(run, numbers):
    _, v = end_of(run)
    assert v == pytest.approx(numbers["published"]["v"], rel=1e-7)
    assert v[0] == pytest.approx(numbers["converged"]["v1"], rel=1e-12)


def test_the_multipliers_of_the_six_loop_equations_follow_from_the_end(run, numbers):
    found = multipliers(numbers, *end_of(run))
    assert found == pytest.approx(numbers["converged"]["lam"], rel=1e-8)
    assert found == pytest.approx(numbers["published"]["lam"], rel=2e-6)


def test_the_reactions_at_the_pin_are_the_multipliers_of_the_test_set(run, numbers):
    """g is the place of K2 less that of the other, and −Gᵀλ the force: +λ acts on the other."""
    wanted = np.array(
        [
            multipliers(numbers, q[:7], v[:7])
            for q, v in zip(run.q.values[::150], run.qdot.values[::150], strict=True)
        ]
    )
    for k, name in enumerate(("pin3", "pin4", "pin6")):
        found = run.reactions(name).force.values[::150]
        assert found[:, :2] == pytest.approx(wanted[:, 2 * k : 2 * k + 2], rel=1e-9, abs=1e-9)
        assert np.abs(found[:, 2]).max() < 1e-9


def test_the_loops_stay_closed_and_the_motor_gives_all_the_energy(run):
    assert run.constraint_error < 1e-15 and run.velocity_constraint_error < 1e-12
    beta = run.q.values[:, 0]
    assert run.work.values == pytest.approx(0.033 * (beta - beta[0]), abs=1e-13)
    assert run.energy_error < 1e-12
