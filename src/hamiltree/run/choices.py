"""Which formulation and which integrator: what is chosen for a user who names none, which pairs
fit, and why others do not.

All of it follows from what formulations declare (what they handle, which verbs they answer) and
what integrators need.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from hamiltree.compiled.internals import is_interpreted
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations import FORMULATIONS, find_formulation, first_order, phase_space
from hamiltree.formulations.formulation import (
    FORMULA,
    JOINTS,
    MOTIONS,
    ROWS,
    Coordinates,
    Formulation,
)
from hamiltree.integrators import INTEGRATORS, find_integrator
from hamiltree.integrators.integrator import Integrator
from hamiltree.model import Model
from hamiltree.model.constraints import Motion
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.verbs import (
    FIRST_ORDER,
    add_multiplier_forces,
    energies,
    missing_verbs,
    poses,
    rates,
)

MAX_THREADS = 256


# ---- formulations --------------------------------------------------------------------------------
def required_features(model: Model) -> frozenset[str]:
    """What a formulation must handle to be chosen for a model.

    Of prescribed motions, one that knows them says best what else is wrong.
    """
    if any(isinstance(constraint, Motion) for constraint in model.constraints):
        return frozenset((MOTIONS,))
    if model.has_rows:
        return frozenset((JOINTS, ROWS))
    return frozenset() if model.is_unjoined else frozenset((JOINTS,))


def default_formulation(problem: Model | TypedProblem) -> Formulation:
    """The first formulation of the catalogue that may be chosen and handles the problem."""
    if isinstance(problem, Hamiltonian):
        return phase_space.formulation_of(problem)
    if isinstance(problem, Ode):
        return first_order.FORMULATION
    assert isinstance(problem, Model)
    needs = required_features(problem)
    return next(
        made
        for made in FORMULATIONS.values()
        if made.is_default_candidate and needs <= made.supports
    )


def choose_formulation(
    problem: Model | TypedProblem, name: str | None, integrator: Integrator | None
) -> Formulation:
    """The one that is named; else the default, or where the integrator does not fit it, the first
    that handles the model and fits.
    """
    if name is not None:
        return constrained_variant(require_formulation(problem, name), integrator)
    default = default_formulation(problem)
    if integrator is None or not isinstance(problem, Model) or is_compatible(default, integrator):
        return default
    needs = required_features(problem)
    others = (
        made
        for made in FORMULATIONS.values()
        if made.is_default_candidate and needs <= made.supports
    )
    return next((made for made in others if is_compatible(made, integrator)), default)


def require_formulation(problem: Model | TypedProblem, name: str) -> Formulation:
    """By its name, if it is one for models, or the own one of what was typed in."""
    found, own = find_formulation(name), default_formulation(problem)
    if not isinstance(problem, Model) and found is not own:
        what = "an H(q, p)" if isinstance(problem, Hamiltonian) else "an ode"
        raise OptionError(
            f"formulation = {name!r}; {problem.name} is {what}, whose equations are "
            f"{own.name}: leave it out"
        )
    if isinstance(problem, Model) and FORMULA in found.supports:
        what = "an ode" if found is first_order.FORMULATION else "an H(q, p)"
        raise OptionError(
            f"{found.name} is for {what} that is typed in; for a model take {own.name}"
        )
    if isinstance(problem, Model):
        check_observed_verbs(found)
    return found


def check_observed_verbs(formulation: Formulation) -> None:
    """Refuse a formulation that does not answer what every run of a model asks for."""
    lacking = missing_verbs(formulation.system, (rates, energies, poses))
    if lacking:
        raise FitError(
            f"{formulation.name} does not answer {' and '.join(lacking)}, which every run of a "
            f"model asks for: write a method, @{lacking[0]}.method({formulation.system.__name__})"
            f"{', or those of velocity and force' * ('rates' in lacking)}"
        )


def constrained_variant(formulation: Formulation, integrator: Integrator | None) -> Formulation:
    """The same, or where it has one and the integrator imposes constraints, its form with
    constraints.
    """
    is_imposed = integrator is not None and add_multiplier_forces in integrator.needs
    return (
        formulation.constrained_variant
        if is_imposed and formulation.constrained_variant is not None
        else formulation
    )


def check_threads(threads: Any, formulation: Formulation, integrator: Integrator | None) -> int:
    """How many threads compute the rates; refused where one does. `integrator`: None where rates
    alone are asked for.
    """
    is_whole = isinstance(threads, (int, np.integer)) and not isinstance(threads, bool)
    if not is_whole or not 1 <= threads <= MAX_THREADS:
        raise OptionError(
            f"threads = {threads!r}; it must be a whole number from 1 to {MAX_THREADS}"
        )
    if threads == 1:
        return 1
    if formulation.share is None:
        known = ", ".join(made.name for made in FORMULATIONS.values() if made.share is not None)
        raise OptionError(
            f"threads = {threads}: {formulation.name} computes in one thread; leave threads out "
            f"(several compute the branches of a tree by {known})"
        )
    if integrator is not None and integrator.needs != FIRST_ORDER:
        raise OptionError(
            f"threads = {threads}: {integrator.name} asks for more than the rates of a state, "
            "which is all that several threads compute; leave threads out, or take an integrator "
            "such as gauss8 or rk4"
        )
    if is_interpreted():
        raise OptionError(
            f"threads = {threads}: Numba is switched off (NUMBA_DISABLE_JIT), and interpreted code "
            "computes in one thread; leave threads out"
        )
    return int(threads)


# ---- pairs ---------------------------------------------------------------------------------------
@lru_cache(maxsize=256)
def lookup_integrator(name: str) -> Integrator:
    """By its name as a person writes it; looked up once."""
    return find_integrator(name)


def imposes_constraints(formulation: Formulation) -> bool:
    """Whether it leaves the constraints to the integrator."""
    return not missing_verbs(formulation.system, (add_multiplier_forces,))


def is_compatible(formulation: Formulation, integrator: Integrator) -> bool:
    """Whether the formulation answers what the integrator needs, and its constraints are kept."""
    if imposes_constraints(formulation) and add_multiplier_forces not in integrator.needs:
        return False
    has_projection = ROWS in formulation.supports
    return not missing_verbs(formulation.system, integrator.needs) and not (
        has_projection and integrator.samples_at_steps
    )


def select_variant(formulation: Formulation, integrator: Integrator) -> Integrator:
    """The integrator, in its explicit form where H is separable; refused with those that fit if the
    pair does not.
    """
    explicit = integrator.separable_variant
    if explicit is not None and is_compatible(formulation, explicit):
        return explicit
    check_fit(formulation, integrator)
    return integrator


def check_fit(formulation: Formulation, integrator: Integrator) -> None:
    """Refuse a pair whose verbs do not meet, with those that do."""
    if is_compatible(formulation, integrator):
        return
    integrators = [
        other.name for other in INTEGRATORS.values() if is_compatible(formulation, other)
    ]
    has_projection = ROWS in formulation.supports
    known = [
        other for other in FORMULATIONS.values() if ROWS in other.supports or not has_projection
    ]
    formulations = [other.name for other in known if is_compatible(other, integrator)]
    raise FitError(
        f"{integrator.name} does not fit {formulation.name}, "
        f"{explain_mismatch(formulation, integrator)}; "
        f"integrators that fit {formulation.name}: {', '.join(integrators) or 'none'}; "
        f"formulations {'for loops ' * has_projection}that fit {integrator.name}: "
        f"{', '.join(formulations) or 'none'}"
    )


def explain_mismatch(formulation: Formulation, integrator: Integrator) -> str:
    """Why a pair does not fit."""
    lacking = missing_verbs(formulation.system, integrator.needs)
    if formulation.coordinates is Coordinates.FIRST_ORDER:
        return "because y' = f(t, y) has neither positions and momenta nor an H for it"
    if "flow" in lacking:
        return (
            "because it knows no exact flow of the kinetic energy; free bodies have one in "
            "free_bodies_quaternion"
        )
    if "kick" in lacking:
        return (
            "because H is not of the form T(p) + V(q); for any H take gauss8, or tao4 if it "
            "must be explicit"
        )
    if "add_multiplier_forces" in lacking:
        return "which has no constraints for it to keep, or projects its states itself"
    return (
        f"which lacks these functions of the equations (verbs.py): {', '.join(lacking)}"
        if lacking
        else "whose constraints it would not keep"
    )


def choose_integrator(formulation: Formulation, asked: Any) -> Integrator:
    """The one that is asked for, or the formulation's own, in the form that fits."""
    return select_variant(
        formulation, lookup_integrator(formulation.default_integrator) if asked is None else asked
    )
