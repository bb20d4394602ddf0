"""A System behind addresses answers as the System itself, and integrators ask only for what they
are compiled with.
"""

import importlib
import os
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree import integrators, verbs
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled import verb
from hamiltree.compiled.pointer import StructPointer
from hamiltree.formulations import find_formulation
from hamiltree.formulations.phase_space import PhaseStart
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.event_monitor import empty_monitor

SOURCES = Path(ht.__file__).parents[1]
ALWAYS = {"rates", "power", "project", "independence", "least_volume", "volume", "weakest_row"}
VERBS = {declared.__name__ for declared in verb.VERBS}


def verbs_called(module) -> set[str]:
    """Names of verbs that a module's kernels call."""
    text = Path(module.__file__).read_text(encoding="utf-8")
    return {name for name in VERBS if re.search(rf"(?<![\w.\"]){name}\(system, ", text)}


@pytest.mark.parametrize("name", [info.name for info in pkgutil.iter_modules(integrators.__path__)])
def test_a_family_of_integrators_needs_every_verb_that_it_calls(name):
    """A verb that is not needed is not compiled: calling it would end the run."""
    module = importlib.import_module(f"hamiltree.integrators.{name}")
    own = getattr(module, "INTEGRATORS", None)
    for integrator in own if own is not None and not isinstance(own, dict) else ():
        assert verbs_called(module) <= ALWAYS | {need.__name__ for need in integrator.needs}, (
            integrator.name
        )


def test_every_verb_of_an_integrator_can_be_called_by_address():
    asked = {need.__name__ for integrator in INTEGRATORS.values() for need in integrator.needs}
    assert asked <= VERBS
    assert asked <= set(dir(verbs))


@pytest.mark.parametrize(
    ("name", "equations", "start"),
    [
        ("rk4", "hamiltonian_tree", lambda: assemble_at_start(ht.library.chain(3))),
        # a loop in lanes; the equations of a tree in it would compile three times as long
        ("gauss4", "separable_phase_space", lambda: PhaseStart(ht.hamiltonian("p**2/2 - cos(q)"))),
    ],
)
def test_a_run_by_address_is_the_direct_one_to_the_bit(name, equations, start):
    made, formulation = find_integrator(name), find_formulation(equations)
    system = formulation.assemble(start())
    works = [formulation.workspace(system, width) for width in (made.width, 1)]
    count = sum(system.layout)
    begin, ends = np.linspace(0.1, 0.6, count), []
    for handle in (StructPointer(system, *works), indirect(system, *works, made.needs, made.width)):
        state = made.initial_state(begin.copy(), made.method)
        monitor, samples = empty_monitor(count), np.zeros((0, count + 2))
        made.advance(handle, made.method, state, monitor, 0.0, 0, 1e-2, 50, 60, samples)
        ends.append(state.y.copy())
    assert (ends[0] == ends[1]).all()
    assert abs(ends[0] - begin).max() > 0.1


def test_usual_integrators_are_those_of_the_list_and_are_found_without_it(python):
    for family, names in integrators.USUAL.items():
        own = importlib.import_module(f"hamiltree.integrators.{family}").INTEGRATORS
        assert all(any(INTEGRATORS[name] is one for one in own) for name in names)
    code = """
import sys
from hamiltree.integrators import find_integrator
found = find_integrator("Gauss-8")
print(found.name, "hamiltree.integrators.catalogue" in sys.modules)
print(find_integrator("spark6").name, found is find_integrator("GAUSS 8"))
"""
    assert python("-c", code).stdout.split() == ["gauss8", "False", "spark6", "True"]


# ---- a method of a user's own that asks for more than it says ------------------------------------
HELPER = """
from hamiltree.compiled.kernel import inlined
from hamiltree.verbs import {verb}


@inlined
def half_a_step(system, work, t, y, slope):
    {verb}(system, work, t, y, slope)
"""
METHOD = """
from dataclasses import replace
from typing import NamedTuple
import numpy as np
import hamiltree as ht
from hamiltree.integrators import INTEGRATORS
from hamiltree.integrators.integrator import RUNNING, step
from hamiltree.integrators.runge_kutta import new_explicit_state
from helper import half_a_step


class Mine(NamedTuple):
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray


@step.method(Mine)
def my_step(method, system, work, state, t, h):
    half_a_step(system, work, t, state.y, state.scratch.stage)
    return RUNNING


rk4 = INTEGRATORS["rk4"]
mine = replace(rk4, name="mine", method=Mine(*rk4.method), initial_state=new_explicit_state)
INTEGRATORS["mine"] = mine
sim = ht.simulator(ht.library.pendulum(), step=0.01, integrator="mine")
for how in (
    lambda: sim.run(until=1.0),
    lambda: sim.step(3),
    lambda: ht.simulate(ht.library.pendulum(), 1.0, 0.01, integrator="mine"),
):
    try:
        how()
    except ht.StepError as error:
        print(len(error.trajectory.t), error)
"""


@pytest.mark.parametrize(
    ("verb", "why"), [("force", "not among the functions"), ("kick", "does not answer")]
)
def test_a_verb_that_was_not_declared_ends_the_run_and_is_named(python, tmp_path, verb, why):
    """Called through a helper in another file, where no look at the method's own text would find
    it.
    """
    (tmp_path / "helper.py").write_text(HELPER.format(verb=verb))
    (tmp_path / "mine.py").write_text(METHOD)
    done = python(
        tmp_path / "mine.py",
        PYTHONPATH=f"{SOURCES}{os.pathsep}{tmp_path}",
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for line in lines:
        assert line.startswith("1 mine with hamiltonian_tree asked")
        assert f"'{verb}'" in line and why in line
