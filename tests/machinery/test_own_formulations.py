"""Formulations of one's own: the examples, and what is said of one that is not quite right."""

import dataclasses
import importlib.util
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import hamiltree as ht
from hamiltree import verbs
from hamiltree.algebra.rows import store_vector, vector_at
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.number import load, store, value_table
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import feature_set

ROOT = Path(__file__).parents[2]


@pytest.fixture
def own_formulation(monkeypatch):
    """The module of an example, whose formulation is forgotten afterwards."""

    def load(name):
        monkeypatch.setattr(FORMULATIONS, "places", dict(FORMULATIONS.places))
        monkeypatch.setattr(FORMULATIONS, "found", dict(FORMULATIONS.found))
        spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize("name", ["free_body_formulation", "pendulum_formulation"])
def test_the_examples_of_formulations_agree_with_those_of_the_catalogue(
    name, own_formulation, capsys
):
    assert own_formulation(name).main(until=0.2) < 1e-12
    assert "poses differ by at most" in capsys.readouterr().out


def test_a_formulation_of_ones_own_refuses_what_does_not_fit_it(own_formulation):
    own_formulation("free_body_formulation")
    with pytest.raises(ht.FitError, match="joint '.*' is a revolute between"):
        ht.simulate(ht.library.pendulum(), formulation="free_body", progress=False)


def test_an_initial_state_of_another_length_is_refused(own_formulation):
    module = own_formulation("free_body_formulation")
    short = dataclasses.replace(
        module.FORMULATION, initial_state=lambda system, assembly, pointer: np.zeros(3)
    )
    FORMULATIONS["free_body"] = short
    with pytest.raises(
        ht.FitError,
        match=r"free_body: its initial state has shape \(3,\), "
        r"and its layout \(7, 6\) asks for 13 rows",
    ):
        ht.simulate(
            ht.library.free_body(), formulation="free_body", integrator="rk4", progress=False
        )


def test_a_table_whose_rows_have_another_length_is_refused():
    assert value_table(Vec3, [(1, 2, 3), (4, 5, 6)]).shape == (2, 3) and value_table(
        Vec3, []
    ).shape == (0, 3)
    with pytest.raises(ValueError, match="a row of 2 numbers is no Vec3, which has 3"):
        value_table(Vec3, [(1, 2)])


# ---- what is said of mistakes --------------------------------------------------------------------
class Pair(NamedTuple):
    first: float
    second: float


def misspelt(system, work, t, y, out):
    store(out, 0, load(system.body, 0, Pair).third)


def number_on_the_left(system, work, t, y, out):
    store_vector(out, 0, 2.0 * vector_at(y, 0))


def allocating(system, work, t, y, out):
    store(out, 0, np.zeros(3)[0])


def value_among_numbers(system, work, t, y, out):
    store(work.inverse, 0, vector_at(y, 0))


def returns_nothing(system, work, t, y):
    store(work.inverse, 0, load(y, 0))


MISTAKES = [
    (verbs.constraint, misspelt, "Unknown attribute 'third'"),
    (verbs.constraint, number_on_the_left, r"there is no mul\(float64, Vec3.*stands on the right"),
    (verbs.constraint, allocating, r"there is no zeros\(.*a kernel cannot allocate"),
    (verbs.constraint, value_among_numbers, r"are made by rows\(Kind, n, width\)"),
    (verbs.factor_multipliers, returns_nothing, "a verb returns what it is declared to"),
]


@pytest.fixture
def pendulums(own_formulation):
    """The module of the pendulums, and a run of them."""
    module = own_formulation("pendulum_formulation")

    def run():
        return ht.simulate(ht.library.pendulum(), 0.01, 1e-3, "pendulums", "spark6", progress=False)

    return module, run


@pytest.mark.parametrize(
    ("verb", "method", "reason"), MISTAKES, ids=lambda x: getattr(x, "__name__", "")
)
def test_a_verb_that_does_not_compile_is_named_with_the_reason_and_the_line(
    verb, method, reason, pendulums
):
    module, run = pendulums
    verb.method(module.Pendulums)(method)
    asked = rf"{verb.__name__} of Pendulums \({method.__name__}\) does not compile: "
    with pytest.raises(ht.CompileError, match=f"{asked}.*{reason}") as caught:
        run()
    if method is not returns_nothing:
        line = method.__code__.co_firstlineno + 1
        assert f"{__file__}:{line}: store" in str(caught.value)


def test_a_method_with_other_arguments_than_its_verb_is_refused(pendulums):
    module, run = pendulums
    verbs.solve_multipliers.method(module.Pendulums)(misspelt)
    with pytest.raises(
        ht.CompileError,
        match=r"misspelt\(system, work, t, y, out\) answers solve_multipliers for Pendulums, "
        "which is asked with 3 arguments",
    ):
        run()


def test_a_verb_that_every_run_needs_is_missed_before_the_run(pendulums):
    module, run = pendulums
    del verbs.energies.generic.methods[module.Pendulums,]
    del verbs.force.generic.methods[module.Pendulums,]
    with pytest.raises(
        ht.FitError,
        match=r"pendulums does not answer rates and energies, .* or those of velocity and force",
    ):
        run()


def test_a_record_with_an_unknown_feature_or_a_system_without_facts_is_refused(pendulums):
    module, _ = pendulums
    for wrong in (feature_set("joint"), "joints"):
        with pytest.raises(ValueError, match="formulation 'pendulums': supports = .*joints, rows"):
            dataclasses.replace(module.FORMULATION, supports=wrong)
    with pytest.raises(
        ValueError, match="its System, Pair, has no field layout and no field facts"
    ):
        dataclasses.replace(module.FORMULATION, system=Pair)


def test_residuals_of_joints_are_recorded_where_the_record_says_that_joints_are_kept(pendulums):
    module, run = pendulums
    assert run().constraint_residuals.shape == (11, 1)
    FORMULATIONS["pendulums"] = dataclasses.replace(module.FORMULATION, supports=feature_set())
    with pytest.raises(ht.OptionError, match="pendulums does not keep joints by constraints"):
        _ = run().constraint_residuals
