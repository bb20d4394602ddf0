"""A user's potential energy of one joint coordinate: V(q; parameters) counts in H, Q = −dV/dq."""

from typing import NamedTuple

import numpy as np

from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import load, store
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import ENERGY, FORCE, code_table
from hamiltree.forces.laws import (
    LawError,
    coordinate_column,
    generalised_force,
    joint_law,
    joint_potential_energy,
)
from hamiltree.forces.user_code import (
    evaluate_element,
    parameter_names,
    parameter_rows,
    parse_formula,
    raise_as_law_error,
)
from hamiltree.model.forces import JointPotential
from hamiltree.symbolic.calculus import compile_hamiltonian

TIME_DEPENDENT_MESSAGE = (
    "energy: depends on the time t, so its work would be no change of energy; "
    "give a joint_law instead"
)


class JointPotentials(NamedTuple):
    at: np.ndarray  # coordinate
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)


def potential_code(part):
    """Blocks FORCE (−dV/dq) and ENERGY (V) of a Hamiltonian without momenta."""
    expression = parse_formula(part, "energy", part.energy, ("t", "q"))
    if "t" in expression.symbols:
        raise LawError(part, "energy", TIME_DEPENDENT_MESSAGE)
    return raise_as_law_error(
        part, "energy", lambda: compile_hamiltonian(expression, ("q",), (), parameter_names(part))
    ).code


@joint_law(JointPotential, JointPotentials)
def tabulate_potentials(parts, placement):
    return JointPotentials(
        coordinate_column(parts, placement),
        code_table(map(potential_code, parts)),
        parameter_rows(parts),
    )


@inlined
def run_potential(potentials, k, block, t, x):
    inputs, out = stack_array(x, 1), stack_array(x, 1)
    store(inputs, 0, x)
    evaluate_element(potentials, k, block, t, inputs, out)
    return load(out, 0)


@generalised_force.method(JointPotentials)
def potential_generalised_force(potentials, k, t, x, v):
    return run_potential(potentials, k, FORCE, t, x)


@joint_potential_energy.method(JointPotentials)
def potential_energy(potentials, k, t, x):
    return run_potential(potentials, k, ENERGY, t, x)
