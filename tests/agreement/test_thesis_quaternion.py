"""The quaternion form of the thesis with its multiplier put in: what it is, and that its unit
sphere is unstable. Interpreted.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.formulations import find_formulation
from hamiltree.verbs import energies, rates

THESIS, FREE = (
    find_formulation(name) for name in ("free_bodies_quaternion_thesis", "free_bodies_quaternion")
)


def model():
    bodies = [ht.Body.of_particles(f"b{i}", ht.library.tetrahedron()) for i in range(2)]
    joints = [
        ht.Free(
            f"j{i}",
            "ground",
            f"b{i}",
            q=(2.1 * i, 0.1, 0, 0.8, 0.6, 0, 0),
            qdot=(0.1, 0, 0, 0.3, -0.2, 0.5),
        )
        for i in range(2)
    ]
    return ht.Model(bodies, joints, [ht.PairForce(ht.LennardJones(2.0, 1.0))], gravity=(0, 0, -1))


@pytest.fixture(scope="module")
def begun():
    """System and Work of both forms, and a state of unit quaternions with q·g = 0."""
    chain = model()
    systems = {form.name: form.assemble(assemble_at_start(chain)) for form in (THESIS, FREE)}
    works = {form.name: form.workspace(systems[form.name], 1) for form in (THESIS, FREE)}
    start = THESIS.initial_state(systems[THESIS.name], assemble_at_start(chain))
    return systems, works, start


def rates_of(begun, form, y):
    systems, works, _ = begun
    ydot = np.zeros_like(y)
    rates(systems[form.name], works[form.name], 0.0, y, ydot)
    return ydot


def energy_of(begun, y):
    systems, works, _ = begun
    parts = energies(systems[THESIS.name], works[THESIS.name], 0.0, y)
    return parts.kinetic + parts.potential


def test_on_the_unit_sphere_it_is_the_form_without_a_multiplier(begun):
    y = begun[2]
    np.testing.assert_allclose(
        rates_of(begun, THESIS, y), rates_of(begun, FREE, y), rtol=1e-12, atol=1e-11
    )


def test_off_the_sphere_its_rates_are_those_of_h_and_of_the_multiplier(begun):
    y = begun[2] * np.linspace(0.97, 1.04, len(begun[2]))
    n, found, h = len(y) // 2, rates_of(begun, THESIS, y), 1e-6
    slope = np.array(
        [
            (energy_of(begun, y + h * e) - energy_of(begun, y - h * e)) / (2 * h)
            for e in np.eye(2 * n)
        ]
    )
    np.testing.assert_allclose(found[:n], slope[n:], rtol=1e-7, atol=1e-7)
    for i in range(2):
        at = slice(7 * i + 3, 7 * i + 7)
        q, along = y[at], of_potential(begun, y, at, h)
        expected = -slope[at] + (q @ along) * q
        np.testing.assert_allclose(
            found[n + 7 * i + 3 : n + 7 * i + 7], expected, rtol=1e-6, atol=1e-6
        )


def of_potential(begun, y, at, h):
    """V_q of one body, with all momenta zero."""
    still = y.copy()
    still[len(y) // 2 :] = 0.0
    basis = np.eye(len(y))[at]
    return np.array(
        [
            (energy_of(begun, still + h * e) - energy_of(begun, still - h * e)) / (2 * h)
            for e in basis
        ]
    )


@pytest.mark.parametrize("inertia", [1e-3, 1.0, 50.0])
def test_any_fictitious_inertia_gives_the_same_rates_on_the_sphere(begun, inertia):
    """Appendix C calls the entry 1 of Ĵ unique; it is free (ERRATA 2-22), and matters off the
    sphere alone.
    """
    systems, works, start = begun
    system = THESIS.options["fictitious_inertia"](systems[THESIS.name], inertia)
    found = np.zeros_like(start)
    rates(system, works[THESIS.name], 0.0, start, found)
    np.testing.assert_allclose(found, rates_of(begun, THESIS, start), rtol=1e-12, atol=1e-11)
    off = start * np.linspace(0.97, 1.04, len(start))
    rates(system, works[THESIS.name], 0.0, off, found)
    assert np.abs(found - rates_of(begun, THESIS, off)).max() > 1e-4
