"""Any ẏ = f(t, y) that a user writes, by indirect calls of compiled code.

The rows of y are positions of a System without momenta: methods that treat both parts of a state
differently do not fit.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.user_code import code_table
from hamiltree.formulations.formulation import Coordinates, Traits
from hamiltree.formulations.phase_space import PHASE_SPACE, phase_invariants, phase_rates
from hamiltree.verbs import Facts, Layout, invariants, rates


class FirstOrder(NamedTuple):
    """ẏ = f(t, y)"""

    layout: Layout
    facts: Facts
    code: np.ndarray  # one Code
    parameters: np.ndarray


def assemble(start):
    """The tables of an Ode; `start` as of PhaseStart."""
    problem = start.model
    return FirstOrder(
        Layout(len(problem.coordinates), 0),
        Facts(is_conservative=True),  # there is no energy on which something could do work
        code_table([problem.code]),
        np.array(list(problem.parameters.values()), dtype=float),
    )


def owner(system, problem, row: int) -> str:
    return problem.coordinates[row]


rates.method(FirstOrder)(phase_rates)
invariants.method(FirstOrder)(phase_invariants)


FORMULATION = replace(
    PHASE_SPACE,
    name="first_order",
    system=FirstOrder,
    coordinates=Coordinates.FIRST_ORDER,
    assemble=assemble,
    owner=owner,
    default_integrator="dop853",
    reference="Hairer, Nørsett, Wanner 1993",
    summary="any ẏ = f(t, y) that is typed in",
    traits=Traits(
        "an ẏ = f(t, y), dissipative or not", "y as it is named", "what the method keeps", "of f"
    ),
)
