"""Formulas after the first are compiled by a second process, and loaded from the cache."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.symbolic import formula_worker


@pytest.fixture
def worker(monkeypatch):
    """One that compiles nothing here."""
    made = formula_worker.FormulaWorker()
    monkeypatch.delenv(formula_worker.SINGLE_PROCESS_VARIABLE, raising=False)
    monkeypatch.setattr("hamiltree.symbolic.calculus.WORKER", made)
    monkeypatch.setattr(formula_worker, "FORMULAS_HERE", 0)
    yield made
    made.end()


def angle_after(stiffness):
    """Of an oscillator whose formula nobody has compiled before, beside cos(√k t)."""
    H = ht.hamiltonian(f"p**2/2 + {stiffness!r}*q**2/2")
    run = ht.simulate(H, 1.0, 1e-2, q=[1.0], p=[0.0], integrator="gauss4", progress=False)
    return float(run.q.values[-1, 0]), float(np.cos(np.sqrt(stiffness)))


def test_a_formula_that_is_compiled_beside_gives_the_same(worker):
    rng = np.random.default_rng()
    for count in (1, 2):
        found, expected = angle_after(1.0 + rng.random())
        assert found == pytest.approx(expected, abs=1e-7)
        assert worker.sent == count


def test_a_worker_that_has_died_is_replaced(worker):
    rng = np.random.default_rng()
    angle_after(1.0 + rng.random())
    worker.process.kill()
    worker.process.wait()
    found, expected = angle_after(1.0 + rng.random())
    assert found == pytest.approx(expected, abs=1e-7)


def test_a_worker_that_cannot_start_is_done_without(worker, monkeypatch):
    monkeypatch.setattr(formula_worker.sys, "executable", "/no/such/program")
    found, expected = angle_after(2.0 + np.random.default_rng().random())
    assert found == pytest.approx(expected, abs=1e-7)
    assert worker.process is None


def test_a_worker_ends_after_its_share(worker, monkeypatch):
    monkeypatch.setattr(formula_worker, "FORMULAS_THERE", 1)
    rng = np.random.default_rng()
    angle_after(1.0 + rng.random())
    first = worker.process.pid
    angle_after(1.0 + rng.random())
    assert worker.process.pid != first and worker.sent == 1
