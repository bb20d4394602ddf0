"""A user's load along a joint coordinate: Q = f(t, q, v, other coordinates and rates; parameters),
not part of H.
"""

import re
from typing import NamedTuple

import numpy as np

from hamiltree.compiled.number import load, store
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import code_table
from hamiltree.forces import user_code
from hamiltree.forces.laws import (
    LawError,
    column,
    generalised_force_at_state,
    joint_law,
    joint_potential_energy,
)
from hamiltree.model.forces import MAX_INPUTS, JointLaw
from hamiltree.symbolic.calculus import compile_expressions
from hamiltree.symbolic.grammar import CONSTANTS, FUNCTIONS

OWN_VARIABLES = ("t", "q", "v")
POSITION, RATE = 0, 1


class JointLaws(NamedTuple):
    at: np.ndarray  # coordinate
    code: np.ndarray  # one row per UserCallback
    parameters: np.ndarray  # (n, p)
    # (n, 3) of `inputs`: where positions begin, where rates begin, where both end
    bounds: np.ndarray
    inputs: np.ndarray  # (m, 2) place among the inputs of the code, coordinate


# ---- names ---------------------------------------------------------------------------------------
def joint_variable_names(placement) -> dict[str, tuple[int, str]]:
    """What `elbow` and `elbow_dot` mean: (POSITION or RATE, label of the coordinate); a name with
    two meanings has none.
    """
    whole = [name for name in placement.joints if name.isidentifier()]
    # wrist.x is wrist_x
    spelt = {re.sub(r"\W", "_", name): name for name in placement.joints if name not in whole}
    named = {name: name for name in whole} | {
        name: label for name, label in spelt.items() if name.isidentifier() and name not in whole
    }
    usable = [name for name in named if name not in (*OWN_VARIABLES, *FUNCTIONS, *CONSTANTS)]
    known = {name: (POSITION, named[name]) for name in usable}
    rates = {f"{name}_dot": (RATE, named[name]) for name in usable}
    twice = known.keys() & rates.keys()
    return {name: meaning for name, meaning in (known | rates).items() if name not in twice}


def resolve_inputs(part, names, placement, joints) -> list[tuple[int, int]]:
    """(POSITION or RATE, coordinate) of every input: only of these, as a formulation may not know
    the others.
    """
    own = {"q": (POSITION, part.joint), "v": (RATE, part.joint)}
    for name in names:
        if name not in own and name not in joints:
            known = ", ".join([*own, *list(joints)[:10]])
            raise LawError(
                part,
                "inputs",
                f"inputs: {name!r} is no position and no rate of a joint; known: {known}, ...",
            )
    return [
        (side, placement.coordinate(label))
        for side, label in (own.get(name) or joints[name] for name in names)
    ]


def formula_code(part, joints):
    """The code of a formula, and the names of its inputs."""
    for name in user_code.parameter_names(part):
        if name in joints:
            raise LawError(
                part,
                "parameters",
                f"parameter {name!r} is also the name of a joint's position or rate; rename it",
            )
    expression = user_code.parse_formula(part, "effort", part.effort, OWN_VARIABLES, joints.keys())
    inputs = sorted(expression.symbols.difference(("t", *part.parameters)))
    if len(inputs) > MAX_INPUTS:
        raise LawError(
            part,
            "effort",
            f"effort: reads {len(inputs)} positions and rates; at most {MAX_INPUTS} fit, write "
            "several laws",
        )
    compiled = user_code.raise_as_law_error(
        part,
        "effort",
        lambda: compile_expressions([[expression]], inputs, user_code.parameter_names(part)),
    )
    return compiled.code, inputs


def code_and_inputs(part, joints):
    if not callable(part.effort):
        return formula_code(part, joints)
    inputs = list(part.inputs)
    return user_code.compile_user_function(part, "effort", part.effort, len(inputs), 1), inputs


# ---- the table -----------------------------------------------------------------------------------
@joint_law(JointLaw, JointLaws)
def tabulate_joint_laws(parts, placement):
    """Rows of coordinates, code and parameters of all laws; followers are read by their leaders."""
    joints = joint_variable_names(placement) if parts else {}
    coordinates = [placement.coordinate(part.joint) for part in parts]
    made = [code_and_inputs(part, joints) for part in parts]
    bounds, inputs = [], []
    for part, (_, names) in zip(parts, made, strict=True):
        found = resolve_inputs(part, names, placement, joints)
        sides = [
            [(place, row) for place, (side, row) in enumerate(found) if side == chosen]
            for chosen in (POSITION, RATE)
        ]
        bounds.append([len(inputs), len(inputs) + len(sides[0]), len(inputs) + len(found)])
        inputs += sides[0] + sides[1]
    return JointLaws(
        column(coordinates, int),
        code_table(code for code, _ in made),
        user_code.parameter_rows(parts),
        column(bounds, int, width=3),
        column(inputs, int, width=2),
    )


@generalised_force_at_state.method(JointLaws)
def generalised_force_of_joint_law(laws, k, t, y, ydot):
    """Q of element k from the user's code, at the coordinates and rates that it reads."""
    begin = laws.bounds[k, 0]
    middle = laws.bounds[k, 1]
    end = laws.bounds[k, 2]
    inputs, out = stack_array(load(y, 0), end - begin), stack_array(load(y, 0), 1)
    for j in range(begin, middle):
        store(inputs, laws.inputs[j, 0], load(y, laws.inputs[j, 1]))
    for j in range(middle, end):
        store(inputs, laws.inputs[j, 0], load(ydot, laws.inputs[j, 1]))
    user_code.evaluate_element(laws, k, 0, t, inputs, out)
    return load(out, 0)


@joint_potential_energy.method(JointLaws)
def no_energy_of_joint_law(laws, k, t, x):
    return 0.0 * x
