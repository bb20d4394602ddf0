"""Laws that a user wrote: from formulas and Python functions to rows of addresses and parameters,
and the call of a row.

One Code an element; equal formulas of equal names share it. Kernels see integers, so another law
compiles nothing but itself.
"""

import re
from functools import cache

import numpy as np

from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import part
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import UserCallback, compile_law_function, run_code
from hamiltree.errors import OptionError
from hamiltree.forces.laws import LawError, column
from hamiltree.symbolic.grammar import check_names, to_expression

WORD = re.compile(r"[^\W\d]\w*")


# ---- tables --------------------------------------------------------------------------------------
def parameter_rows(parts) -> np.ndarray:
    """(n, p): parameters of each element in the order of `parameter_names`, filled up with
    zeros.
    """
    width = max([1, *(len(part.parameters) for part in parts)])
    rows = [[part.parameters[name] for name in parameter_names(part)] for part in parts]
    return column([row + [0.0] * (width - len(row)) for row in rows], width=width)


def parameter_names(part) -> tuple[str, ...]:
    """Sorted, so that laws that differ in the order of their parameters share their code."""
    return tuple(sorted(part.parameters))


# ---- formulas and functions ----------------------------------------------------------------------
def raise_as_law_error(part, field, make):
    """make(), with errors of formulas or of the compiler raised as errors of this field of this
    force.
    """
    try:
        return make()
    except OptionError as error:
        raise LawError(part, field, str(error)) from error


def parse_formula(part, field, value, names, more=(), what=""):
    """The formula in a field, of `names`, of the parameters, and of those of `more` (a set, perhaps
    of very many) that it mentions.
    """
    what = what or field
    own = (*names, *parameter_names(part))
    raise_as_law_error(
        part,
        "parameters",
        lambda: check_names(
            {"variable": [n for n in names if n != "t"], "parameter": parameter_names(part)}
        ),
    )
    mentioned = (
        [word for word in dict.fromkeys(WORD.findall(value)) if word in more and word not in own]
        if isinstance(value, str)
        else []
    )
    try:
        return to_expression(value, (*own, *mentioned), what)
    except OptionError:
        # fails too, and says all that is known
        return raise_as_law_error(part, field, lambda: to_expression(value, (*own, *more), what))


@cache
def compile_function_once(function, inputs: int, outputs: int) -> UserCallback:
    return compile_law_function(function, inputs, outputs)


def compile_user_function(part, field, function, inputs: int, outputs: int) -> UserCallback:
    """Code of a user's f(t, x, out)."""
    return raise_as_law_error(part, field, lambda: compile_function_once(function, inputs, outputs))


# ---- the call ------------------------------------------------------------------------------------
@outlined
def evaluate_code(code, row, block, parameters, t, inputs, out):
    """out = f_block(t, inputs; parameters) of a row of codes; called, or every law would bring its
    own copy of the loops over lanes.
    """
    scratch = stack_array(0.0, 1 + inputs.shape[0] + out.shape[0])
    run_code(code, row, scratch, block, parameters, t, inputs, out, 0, out.shape[0])


@inlined
def evaluate_element(table, k, block, t, inputs, out):
    """The code of element k."""
    evaluate_code(table.code, k, block, part(table.parameters, k), t, inputs, out)
