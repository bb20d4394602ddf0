"""An evaluation allocates nothing and counts no references: read from the code that the compiler
made.
"""

import re

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.errors import NumbaError

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.internals import OPTIONS
from hamiltree.compiled.number import WIDTH
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import INTEGRATORS
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.verbs import rates

DEFINITION = re.compile(r'^define [^@]*@("[^"]+"|[\w.$]+)\(.*?^}', re.MULTILINE | re.DOTALL)
CALLED = re.compile(r'@("[^"]+"|[\w.$]+)')


def evaluate_often(system, work, t, y, ydot, count):
    for _ in range(count):
        rates(system, work, t, y, ydot)


def allocate_often(system, work, t, y, ydot, count):
    for _ in range(count):
        y = y + 1.0
        rates(system, work, t, y, ydot)


def runtime_calls(function, *arguments, options=OPTIONS):
    """Numba's runtime functions that the compiled function names, itself or through others: not its
    wrappers for Python and C.

    Compiled anew, because code from the cache cannot be looked at; the verbs it calls are linked
    into it.
    """
    compiled = njit(**options)(function)
    signature = tuple(map(typeof, arguments))
    compiled.compile(signature)
    text = compiled.inspect_llvm(signature)
    bodies = {match[1].strip('"'): match[0] for match in DEFINITION.finditer(text)}
    waiting, reached = [compiled.overloads[signature].fndesc.mangled_name], set()
    assert waiting[0] in bodies
    while waiting:
        name = waiting.pop()
        if name in bodies and name not in reached:
            waiting += [called.strip('"') for called in CALLED.findall(bodies[name])]
        reached.add(name)
    return {name for name in reached if name.startswith("NRT_")}


def arguments(model, width):
    system = hamiltonian_tree.assemble(assemble_at_start(model))
    y = (
        np.zeros(2 * system.layout.positions)
        if width == 1
        else np.zeros((2 * system.layout.positions, width))
    )
    return system, hamiltonian_tree.workspace(system, width), 0.0, y, np.zeros_like(y), 3


@pytest.mark.parametrize("width", [1, WIDTH])
def test_evaluations_allocate_nothing_and_count_no_references(build_tree, with_every_law, width):
    assert (
        runtime_calls(
            evaluate_often, *arguments(with_every_law(build_tree("mixed on a base")), width)
        )
        == set()
    )


@pytest.mark.parametrize("name", ["rk4", "gauss8"])
def test_steps_allocate_nothing_and_count_no_references(build_tree, with_every_law, name):
    integrator, model = INTEGRATORS[name], with_every_law(build_tree("mixed on a base"))
    system, work, _, y, _, _ = arguments(model, integrator.width)
    state = integrator.initial_state(np.zeros(len(y)), integrator.method)
    single, monitor = hamiltonian_tree.workspace(system, 1), empty_monitor(len(y))
    handle = indirect(system, work, single, integrator.needs, integrator.width)
    given = (
        handle,
        integrator.method,
        state,
        monitor,
        0.0,
        0,
        1e-3,
        3,
        1,
        np.zeros((3, len(y) + 2)),
    )
    assert runtime_calls(integrator.advance.py_func, *given) == set()


def test_a_kernel_that_allocates_does_not_compile(build_tree):
    # while typing, or while lowering
    with pytest.raises(NumbaError, match="NRT required but not enabled"):
        runtime_calls(allocate_often, *arguments(build_tree("hinge"), 1))


def test_the_look_into_the_code_sees_allocation(build_tree):
    """What the tests above would miss, they would miss here."""
    calls = runtime_calls(
        allocate_often, *arguments(build_tree("hinge"), 1), options={**OPTIONS, "_nrt": True}
    )
    assert any("alloc" in name.lower() for name in calls)
