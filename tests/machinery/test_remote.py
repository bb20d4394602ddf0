"""A System behind addresses answers as the System itself, and integrators ask only for what they are compiled with."""

import importlib
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree import integrators, verbs
from hamiltree.algebra.handle import Handle
from hamiltree.formulations import find_formulation
from hamiltree.formulations.remote import CALLS, remote_handle
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.watch import no_watch

ALWAYS = {"rates", "power", "project", "stays_regular"}
VERBS = {call.verb.__name__ for call in CALLS}


def verbs_called(module) -> set[str]:
    """Names of verbs that a module's kernels call."""
    text = Path(module.__file__).read_text(encoding="utf-8")
    return {name for name in VERBS if re.search(rf"(?<![\w.\"]){name}\(system, ", text)}


@pytest.mark.parametrize("name", [info.name for info in pkgutil.iter_modules(integrators.__path__)])
def test_a_family_of_integrators_needs_every_verb_that_it_calls(name):
    """A verb that is not needed has no address: calling it would end the process."""
    module = importlib.import_module(f"hamiltree.integrators.{name}")
    own = getattr(module, "INTEGRATORS", None)
    for integrator in own if own is not None and not isinstance(own, dict) else ():
        assert verbs_called(module) <= ALWAYS | {need.__name__ for need in integrator.needs}, integrator.name


def test_every_verb_of_an_integrator_can_be_called_by_address():
    asked = {need.__name__ for integrator in INTEGRATORS.values() for need in integrator.needs}
    assert asked <= VERBS
    assert asked <= set(dir(verbs))


@pytest.mark.parametrize("name", ["rk4", "gauss4"])
def test_a_run_by_address_is_the_direct_one_to_the_bit(name):
    made, model = find_integrator(name), ht.library.chain(3)
    formulation = find_formulation("hamiltonian_tree")
    system = formulation.assemble(model)
    works = [formulation.workspace(system, width) for width in (made.width, 1)]
    ends = []
    for handle in (Handle(system, *works), remote_handle(system, *works, made.needs, made.width)):
        state = made.start(np.linspace(0.1, 0.6, 6), made.method)
        made.advance(handle, made.method, state, no_watch(6), 0.0, 0, 1e-2, 50, 60, np.zeros((0, 8)))
        ends.append(state.y.copy())
    assert (ends[0] == ends[1]).all()
    assert abs(ends[0] - np.linspace(0.1, 0.6, 6)).max() > 0.1
