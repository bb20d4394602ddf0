"""Hamilton's equations of any H(t, q, p) that a user writes: q̇ = ∂H/∂p, ṗ = −∂H/∂q, by indirect
calls of compiled code.

Two types of System, so that the compiler and `missing` know whether H = T(p) + V(q); both are the
same tables.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.number import load, rows
from hamiltree.compiled.user_code import (
    ENERGY,
    FORCE,
    INVARIANTS,
    POWER,
    RATES,
    VELOCITY,
    code_table,
    run_code,
)
from hamiltree.formulations.formulation import (
    FORMULA,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.verbs import (
    Facts,
    Layout,
    drift,
    force,
    hamiltonian,
    invariants,
    kick,
    power,
    rates,
    velocity,
)


class PhaseSpace(NamedTuple):
    """H(t, q, p)."""

    layout: Layout
    facts: Facts
    code: np.ndarray  # one Code
    parameters: np.ndarray
    is_autonomous: bool


class SeparablePhaseSpace(NamedTuple):
    """H = T(t, p) + V(t, q)."""

    layout: Layout
    facts: Facts
    code: np.ndarray  # one Code
    parameters: np.ndarray
    is_autonomous: bool


class PhaseStart(NamedTuple):
    """Where a run of an H(q, p) begins."""

    model: Any  # the Hamiltonian
    q: np.ndarray = np.zeros(0)
    p: np.ndarray = np.zeros(0)
    t: float = 0.0


class PhaseWork(NamedTuple):
    value: np.ndarray  # one number that the code gives back
    scratch: np.ndarray  # of code that knows no lanes


def assemble(start):
    """The tables of a Hamiltonian; `start` as of PhaseStart."""
    problem = start.model
    kind = SeparablePhaseSpace if problem.is_separable else PhaseSpace
    n = len(problem.coordinates)
    return kind(
        Layout(n, n),
        Facts(),
        code_table([problem.code]),
        np.array(list(problem.parameters.values()), dtype=float),
        problem.is_autonomous,
    )


def initial_state(system, start, pointer=None) -> np.ndarray:
    return np.concatenate([start.q, start.p])


def owner(system, problem, row: int) -> str:
    return (*problem.coordinates, *problem.momenta)[row]


def formulation_of(problem) -> Formulation:
    """Whether H = T(p) + V(q) decides."""
    return SEPARABLE_PHASE_SPACE if problem.is_separable else PHASE_SPACE


def workspace(system, width: int = 1) -> PhaseWork:
    return PhaseWork(rows(float, 1, width), np.zeros(1 + 2 * sum(system.layout) + 64))


def phase_rates(system, work, t, y, ydot):
    """(∂H/∂p, −∂H/∂q)"""
    run_code(system.code, 0, work.scratch, RATES, system.parameters, t, y, ydot, 0, y.shape[0])


def phase_velocity(system, work, t, y, ydot):
    """∂H/∂p"""
    run_code(
        system.code,
        0,
        work.scratch,
        VELOCITY,
        system.parameters,
        t,
        y,
        ydot,
        0,
        system.layout.positions,
    )


def phase_force(system, work, t, y, ydot):
    """−∂H/∂q"""
    run_code(
        system.code,
        0,
        work.scratch,
        FORCE,
        system.parameters,
        t,
        y,
        ydot,
        system.layout.positions,
        system.layout.momenta,
    )


def phase_energy(system, work, t, y):
    """H"""
    run_code(system.code, 0, work.scratch, ENERGY, system.parameters, t, y, work.value, 0, 1)
    return load(work.value, 0)


def phase_power(system, work, t, y, ydot):
    """∂H/∂t"""
    if system.is_autonomous:
        return 0.0 * t
    run_code(system.code, 0, work.scratch, POWER, system.parameters, t, y, work.value, 0, 1)
    return load(work.value, 0)


def phase_invariants(system, work, t, y, out):
    """What the user named."""
    run_code(
        system.code, 0, work.scratch, INVARIANTS, system.parameters, t, y, out, 0, out.shape[0]
    )


for _kind in (PhaseSpace, SeparablePhaseSpace):
    rates.method(_kind)(phase_rates)
    velocity.method(_kind)(phase_velocity)
    force.method(_kind)(phase_force)
    hamiltonian.method(_kind)(phase_energy)
    power.method(_kind)(phase_power)
    invariants.method(_kind)(phase_invariants)
drift.method(SeparablePhaseSpace)(phase_velocity)
kick.method(SeparablePhaseSpace)(phase_force)


PHASE_SPACE = Formulation(
    name="phase_space",
    system=PhaseSpace,
    coordinates=Coordinates.PHASE_SPACE,
    supports=feature_set(FORMULA),
    assemble=assemble,
    workspace=workspace,
    initial_state=initial_state,
    owner=owner,
    check_start=accept_any_start,
    reference="Hamilton 1835",
    summary="Hamilton's equations of any H(t, q, p) that is typed in",
    traits=Traits(
        "an H(t, q, p)", "q and p as they are named", "what the method keeps", "of H itself"
    ),
)
SEPARABLE_PHASE_SPACE = replace(
    PHASE_SPACE,
    name="separable_phase_space",
    system=SeparablePhaseSpace,
    summary="the same where H = T(p) + V(q): splitting methods fit",
    traits=PHASE_SPACE.traits._replace(use="an H(t, q, p) = T(p) + V(q)"),
)
