"""Evaluations and steps allocate nothing and count no references: read from the machine code that
runs.
"""

import re

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.errors import NumbaError

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.indirect import verb_requests
from hamiltree.compiled.internals import OPTIONS, serialise_kernel
from hamiltree.compiled.number import WIDTH
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import indirect
from hamiltree.integrators import INTEGRATORS
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.verbs import energies, momentum, poses, power, rates


def add_one(y):
    y[0] = (y + 1.0)[0]


def return_argument(y):
    return y


def runtime_functions(code):
    """Numba's runtime functions that machine code names: symbols of what it calls and of what is
    linked into it.
    """
    return {*re.findall(rb"\bNRT_\w+", code)}


def kept_code(kernel, signature):
    """What the cache holds of a kernel, and every process runs."""
    kernel.compile(signature)  # or loaded
    saved, _ = next(kernel._cache.current(kernel._cache.folder(signature)))
    assert kernel.__name__.encode() in saved.code
    return saved.code


def system_and_work(model, width):
    system = hamiltonian_tree.assemble(assemble_at_start(model))
    return system, hamiltonian_tree.workspace(system, width)


@pytest.mark.parametrize("width", [1, WIDTH])
def test_evaluations_allocate_nothing_and_count_no_references(build_tree, with_every_law, width):
    system, work = system_and_work(with_every_law(build_tree("mixed on a base")), width)
    asked = rates, energies, momentum, poses, power
    of_floats, of_lanes = (asked, ()) if width == 1 else ((), asked)
    requests = verb_requests(system, work, work, of_floats, of_lanes)
    assert len(requests) == len(asked)
    for verb in requests:
        assert runtime_functions(kept_code(*verb)) == set()


@pytest.mark.parametrize("name", ["rk4", "gauss8"])
def test_steps_allocate_nothing_and_count_no_references(build_tree, with_every_law, name):
    integrator, model = INTEGRATORS[name], with_every_law(build_tree("mixed on a base"))
    system, work = system_and_work(model, integrator.width)
    count = 2 * system.layout.positions
    state = integrator.initial_state(np.zeros(count), integrator.method)
    single, monitor = hamiltonian_tree.workspace(system, 1), empty_monitor(count)
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
        np.zeros((3, count + 2)),
    )
    code = kept_code(integrator.advance, tuple(map(typeof, given)))
    assert runtime_functions(code) == set()


def test_a_kernel_that_allocates_does_not_compile():
    # while typing, or while lowering
    with pytest.raises(NumbaError, match="NRT required but not enabled"):
        njit(**OPTIONS)(add_one).compile((typeof(np.zeros(3)),))


@pytest.mark.parametrize(
    ("function", "name"), [(add_one, b"alloc"), (return_argument, b"NRT_incref")]
)
def test_the_look_into_the_code_sees_allocation_and_counted_references(function, name):
    """What the tests above would miss, they would miss here."""
    compiled = njit(**{**OPTIONS, "_nrt": True})(function)
    signature = (typeof(np.zeros(3)),)
    compiled.compile(signature)
    found = runtime_functions(serialise_kernel(compiled.overloads[signature]))
    assert any(name in each for each in found)
