"""`hamiltree warm`: compile everything once, so that later runs start at once."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

WARM_UP_HAMILTONIANS = {
    "phase_space": "p**2/2 - cos(q)*(1 - p/6)",
    "separable_phase_space": "p**2/2 - cos(q)",
}


def warm(
    formulation: Annotated[
        str | None, typer.Argument(help="Compile only for this formulation. Default: all.")
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="First remove the compiled code of other versions.")
    ] = False,
) -> None:
    """Compile every formulation with one integrator of each family, so that later runs start at
    once. This takes some minutes.
    """
    from hamiltree.compiled.cache import CACHE, remove_other_caches
    from hamiltree.formulations import FORMULATIONS, find_formulation

    if clean:
        print(f"removed {remove_other_caches()} other caches")
    began = time.perf_counter()
    chosen = FORMULATIONS.values() if formulation is None else [find_formulation(formulation)]
    for one in chosen:
        compile_formulation(one)
    print(f"ready in {time.perf_counter() - began:.1f} s; compiled code is in {CACHE}")


def compile_formulation(formulation: Any) -> None:
    """Evaluate a small problem once, and take one step of it with one integrator per family."""
    from hamiltree.algorithms.evaluation import evaluator
    from hamiltree.formulations.formulation import Coordinates
    from hamiltree.run.choices import imposes_constraints
    from hamiltree.run.simulate import simulate

    began = time.perf_counter()
    name = formulation.name
    problem = small_problem(formulation)
    is_evaluated = formulation.has_coordinates and not imposes_constraints(formulation)
    if is_evaluated or formulation.coordinates is Coordinates.PHASE_SPACE:
        evaluator(problem, name)([[0.0]], [[0.0]])
        print(f"{name:24} evaluation              {time.perf_counter() - began:6.1f} s")
    for integrator in one_of_each_family(formulation).values():
        began = time.perf_counter()
        simulate(problem, 0.001, 0.001, name, integrator.name, progress=False)
        print(f"{name:24} {integrator.name:23} {time.perf_counter() - began:6.1f} s")


def small_problem(formulation: Any) -> Any:
    """A small problem that a formulation can run."""
    from hamiltree.formulations.formulation import Coordinates
    from hamiltree.problems.hamiltonian import hamiltonian
    from hamiltree.problems.ode import ode

    if formulation.coordinates is Coordinates.FIRST_ORDER:
        return ode({"x": "-x"}, y={"x": 1.0})
    text = WARM_UP_HAMILTONIANS.get(formulation.name)
    if text is not None:
        return hamiltonian(text, q={"q": 1.0}, p={"p": 0.0})
    return small_model(formulation)


def small_model(formulation: Any) -> Any:
    """A small model that a formulation can run."""
    from hamiltree.formulations.formulation import JOINTS, ROWS
    from hamiltree.model import library

    if JOINTS not in formulation.supports:
        return library.free_body(inertia=(2.0, 2.5, 3.0))
    return library.four_bar() if ROWS in formulation.supports else library.pendulum()


def one_of_each_family(formulation: Any) -> dict[tuple, Any]:
    """The first integrator that fits of each family; a family shares its compiled loop and needs
    the same verbs.
    """
    from hamiltree.compiled.pointer import type_of
    from hamiltree.integrators import INTEGRATORS
    from hamiltree.run.choices import is_compatible

    found: dict[tuple, Any] = {}
    for integrator in INTEGRATORS.values():
        explicit = integrator.separable_variant
        is_explicit = explicit is not None and is_compatible(formulation, explicit)
        taken: Any = explicit if is_explicit else integrator
        if is_compatible(formulation, taken):
            family = (type_of(taken.method), taken.advance, taken.needs, taken.width)
            found.setdefault(family, integrator)
    return found
