"""Option step_function of reversible integrators: an expression of the state that steps are
proportional to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.integrators.event_monitor import evaluate_samples
from hamiltree.integrators.integrator import Integrator
from hamiltree.integrators.reversible import with_density
from hamiltree.run.equations import Equations
from hamiltree.symbolic.calculus import compile_with_gradient
from hamiltree.symbolic.grammar import to_expression


def with_step_function(
    method: Integrator, options: Mapping[str, Any], equations: Equations
) -> Integrator:
    """The integrator with its compiled step function, if one is given; refused by integrators that
    have none.
    """
    if "step_function" not in options:
        return method
    if not method.samples_at_steps:
        return method.with_options({"step_function": None})
    names = equations.names
    formula = to_expression(
        options["step_function"], (*names.rows, *names.parameters), "step_function"
    )
    code = compile_with_gradient(formula, names.rows, tuple(names.parameters)).code
    return with_density(method, code, tuple(names.parameters.values()))


def check_step_function(options: Mapping[str, Any], integrator: Integrator, y: np.ndarray) -> None:
    """Refuse a step function that is not finite and above zero at the start y."""
    if "step_function" not in options:
        return
    method = integrator.method
    rows = len(y)
    out = np.zeros((1, 1 + rows))
    evaluate_samples(
        method.code,
        0,
        method.parameters,
        np.zeros(1),
        y.copy()[None],
        y.copy(),
        np.zeros(1 + rows),
        out,
        np.zeros(2 + 2 * rows),
    )
    if not (np.isfinite(out).all() and out[0, 0] > 0):
        raise OptionError(
            f"step_function = {options['step_function']!r} is {out[0, 0]:g} at the start; it must "
            "be above zero"
        )
