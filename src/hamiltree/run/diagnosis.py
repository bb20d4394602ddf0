"""Messages about a run that went wrong, or that stopped before its end: what happened, where, in
which part, and what may help.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.independence import INDEPENDENCE, NEARLY_DEPENDENT, WEAKEST_ROW
from hamiltree.errors import (
    HamiltreeError,
    ModelError,
    OptionError,
    spell_method_option,
    spell_option,
)
from hamiltree.formulations.formulation import Formulation
from hamiltree.integrators.integrator import (
    NEEDS_MATRIX,
    NOT_CONVERGED,
    SINGULAR,
    STATUS,
    STEP_TOO_SMALL,
    STEPS,
    UNANSWERED_VERB,
    WORST_ROW,
    State,
)
from hamiltree.integrators.newton import newton_memory_shortage
from hamiltree.integrators.singular_crossing import can_pass
from hamiltree.model.pair_force import PairForce
from hamiltree.run.equations import Equations, ModelEquations
from hamiltree.run.gimbal_lock import find_near_lock
from hamiltree.run.plan import Plan
from hamiltree.run.typed_equations import TypedEquations
from hamiltree.trajectory.variables import STATE_PARTS


class ConstraintViolation(NamedTuple):
    """A constraint whose residual is beyond the limit, the residual, and when."""

    name: str
    residual: float
    t: float


class FailureContext(NamedTuple):
    """What is known of a run where it ended."""

    plan: Plan
    assembly: Any
    system: Any
    work: Any  # the workspace in which constraints were factored last
    state: State
    saved_time: float  # of the last good sample
    steps: int | None  # up to there; None where steps of one's own choice were not told apart
    q: np.ndarray  # there
    qdot: np.ndarray
    violation: ConstraintViolation | None
    refusal: str  # of a verb that nobody answers
    place: str | None  # where what was saved is kept; None if it is not

    @property
    def unit(self) -> str:
        return self.plan.equations.time_unit


def failure_context(run: Any) -> FailureContext:
    """What is known of a Run where it ended."""
    engine = run.engine
    work = engine.single if engine.system.facts.projects else engine.work
    last = run.saved_time, saved_steps(run), run.last_q, run.last_qdot
    words = run.handle.refusal.sentence, run.recorder.place
    about = run.plan, run.assembly, engine.system, work, run.state
    return FailureContext(*about, *last, run.violation, *words)


def saved_steps(run: Any) -> int | None:
    """Steps up to the last sample, which do not depend on where chunks end; of an adaptive method
    None where the failure is seen from samples alone.
    """
    if run.plan.integrator.is_adaptive:
        return int(run.state.counts[STEPS]) if run.is_sound else None
    return round((run.saved_time - run.plan.origin) / run.plan.step)


# ---- a run that failed ---------------------------------------------------------------------------
def describe_failure(context: FailureContext) -> str:
    """What happened, where it was, and what may help."""
    plan, status = context.plan, int(context.state.counts[STATUS])
    what, remedy = MESSAGES.get(status, not_finite)(context)
    ahead = context.q + 2 * plan.step * plan.save_every * context.qdot
    if trouble := find_near_lock(plan.equations.problem, plan.equations.locks, context.q, ahead):  # type: ignore[arg-type]
        what = f"{trouble}: {what}"
        remedy = "A ball joint has no such place, another sequence of axes has it elsewhere."
    step = "" if context.steps is None else f" (step {context.steps})"
    time = f"{context.saved_time:.9g}{context.unit}{step}"
    where = f"the last good time is t = {time}, {describe_fastest(context)}"
    return f"{what}; {where}. {what_is_kept(context.place)}{remedy}{stiffness_hint(context)}"


def what_is_kept(place: str | None) -> str:
    """A sentence about what was saved before a run failed; none of a member of a study."""
    return "" if place is None else f"What was saved up to there is kept{place}. "


def shorter_step(context: FailureContext) -> str:
    return f"Try a step of {context.plan.step / 10:g}{context.unit} or less."


def worst_row(context: FailureContext) -> str:
    return context.plan.equations.row_name(context.system, int(context.state.counts[WORST_ROW]))


def unanswered_verb(context: FailureContext) -> tuple[str, str]:
    return (
        context.refusal,
        "Name this function of the equations (verbs.py) among the integrator's needs, or use a "
        "formulation that answers it.",
    )


def matrix_too_large(context: FailureContext) -> tuple[str, str]:
    """Fixed-point iteration is too slow, and there is no memory for Newton's method."""
    integrator = context.plan.integrator
    shortage = newton_memory_shortage(context.state, integrator.method)
    what = f"{integrator.name} converges too slowly by fixed point; {shortage}"
    remedy = (
        "Or take an explicit integrator such as dop853, or "
        f"{spell_method_option('solver', 'fixed_point')}, which goes on while sweeps converge at "
        "all."
    )
    return what, f"{shorter_step(context)} {remedy}"


def not_converged(context: FailureContext) -> tuple[str, str]:
    """An implicit step that does not converge."""
    name = context.plan.integrator.name
    what = f"the stages of {name} did not converge, worst in {worst_row(context)}"
    return what, shorter_step(context) + near_singularity_hint(context)


def singular(context: FailureContext) -> tuple[str, str]:
    """A constraint is violated, or constraints depend on each other."""
    if context.violation is not None:
        name, residual, t = context.violation
        unit = unit_of_residual(context.plan.equations, context.assembly, name)
        return (
            f"the residual of constraint '{name}' is {residual:.3g} {unit} at "
            f"t = {t:.9g}{context.unit}",
            shorter_step(context),
        )
    formulation = context.plan.equations.formulation
    what = singular_position(formulation, context.assembly, context.work)
    trouble = formulation.trouble
    if trouble is not None and trouble(context.work)[INDEPENDENCE] < 0.0:
        return what, shorter_step(context)
    return what, passing_hint(context)


def passing_hint(context: FailureContext) -> str:
    """What goes through a singular position, if something does."""
    if can_pass(context.state):
        return (
            "The speeds do not determine on which branch the motion goes on from there, or it "
            "cannot go on, or it turns back before it: then a shorter step helps. Else let an "
            "event end the run before it."
        )
    return "hamiltonian_loops with spark6 goes through it, if the speeds determine the branch."


def too_small(context: FailureContext) -> tuple[str, str]:
    """An adaptive method cannot shorten its step any more."""
    what = (
        f"the step of {context.plan.integrator.name} fell below the rounding of time, "
        f"worst in {worst_row(context)}"
    )
    remedy = (
        "There may be a singularity ahead; a larger tolerance, or an event that ends the run "
        "before it, may help."
    )
    return what, remedy


def not_finite(context: FailureContext) -> tuple[str, str]:
    remedy = (
        f"{shorter_step(context)} If there is a singularity ahead, "
        "let an event end the run before it."
    )
    return "the state stopped being finite", remedy


MESSAGES = {
    UNANSWERED_VERB: unanswered_verb,
    NEEDS_MATRIX: matrix_too_large,
    NOT_CONVERGED: not_converged,
    SINGULAR: singular,
    STEP_TOO_SMALL: too_small,
}


def singular_position(formulation: Formulation, assembly: Any, work: Any) -> str:
    """Which constraint depends on the others, at the state that the workspace holds."""
    if formulation.trouble is None or formulation.constraint_names is None:
        return "the constraints depend on each other"
    trouble = formulation.trouble(work)
    if trouble[INDEPENDENCE] < 0.0:
        return "the positions could not be brought back to where the constraints hold"
    name = formulation.constraint_names(assembly)[int(trouble[WEAKEST_ROW])]
    return (
        f"a singular position: {name} becomes dependent on the other constraints (relative "
        f"pivot {trouble[INDEPENDENCE]:.1e})"
    )


def near_singularity_hint(context: FailureContext) -> str:
    """The singular position that is near, where constraints are nearly dependent."""
    equations = context.plan.equations
    formulation = equations.formulation
    has_rows = isinstance(equations, ModelEquations) and equations.has_rows
    if formulation.trouble is None or not has_rows:
        return ""
    if not 0.0 < formulation.trouble(context.work)[INDEPENDENCE] < NEARLY_DEPENDENT:
        return ""
    return f" Near {singular_position(formulation, context.assembly, context.work)}."


def describe_fastest(context: FailureContext) -> str:
    """The joint or coordinate with the largest rate at the last good sample."""
    rates = np.abs(context.qdot)
    problem = context.plan.equations.problem
    is_model = isinstance(context.plan.equations, ModelEquations)
    if is_model and not rates.any():
        return "at rest"
    at = int(rates.argmax())
    name = problem.coordinates[at]
    return f"when {f'joint {name!r}' if is_model else name} was the fastest (rate {rates[at]:.3g})"


def stiffness_hint(context: FailureContext) -> str:
    """What else may help a model with friction or stops, which are stiff."""
    if not isinstance(context.plan.equations, ModelEquations):
        return ""
    kinds = {force.kind for force in context.plan.equations.problem.forces}
    if not kinds & {"joint_friction", "joint_limit"}:
        return ""
    return " Friction and stops of joints are stiff: radau5 may pass them with longer steps."


# ---- other ends ----------------------------------------------------------------------------------
def lock_message(name: str, where: str, unit: str, place: str | None) -> str:
    """A run that went through a gimbal lock."""
    return (
        f"{name} {where}{unit}: its axes fall into one plane, where its rates are not defined. "
        f"{what_is_kept(place)}A ball joint has no such place, another sequence has it elsewhere."
    )


def ended_by(event: str, t: float, unit: str) -> str:
    return f"ended by event {event!r} at t = {t:.12g}{unit}"


def interruption_message(t: float, unit: str) -> str:
    return f"interrupted at t = {t:.9g}{unit}"


def stiff(method: str) -> str:
    """The warning of a method that has detected stiffness."""
    return (
        f"hamiltree: the problem seems stiff for {method} (its steps are bounded by stability, "
        "not by accuracy); radau5 should need fewer"
    )


def event_not_real(name: str) -> str:
    return (
        f"hamiltree: event {name!r} was not a real number at some steps, where it cannot cross zero"
    )


# ---- a start from which nothing can run ----------------------------------------------------------
def nonfinite_start_error(equations: Equations, observed: dict[str, np.ndarray]) -> HamiltreeError:
    """The error about a start that is not finite."""
    if not isinstance(equations, ModelEquations):
        return nonfinite_formula_error(equations, observed)
    reason = "its energy or rates overflow"
    if any(isinstance(force, PairForce) for force in equations.problem.forces):
        reason += (
            ", or two particles are where a potential is not real "
            "(beyond the extent of a FENE bond, outside a formula's range)"
        )
    return ModelError(
        f"the start is not finite: {reason}; check the start values and the masses of the model"
    )


def unit_of_residual(equations: Any, assembly: Any, name: str) -> str:
    """Of the rows of a constraint: m, rad, or both."""
    rows = equations.constraint_residuals(assembly)
    return "m or rad" if rows is None else rows.unit_of(name)


def violated_start_error(
    equations: Any, assembly: Any, violation: ConstraintViolation
) -> ModelError:
    """The error about a start whose constraint residual is too large."""
    name, residual, _ = violation
    unit = unit_of_residual(equations, assembly, name)
    return ModelError(
        f"the residual of constraint '{name}' is {residual:.3g} {unit} at the start; "
        f"correct the start values, or close it with {spell_option('assemble')}"
    )


def nonfinite_formula_error(
    equations: TypedEquations, observed: dict[str, np.ndarray]
) -> OptionError:
    """Which of H and its gradient, or the rates, and of the invariants is not real or not
    finite.
    """
    problem = equations.problem
    first = {name: values[0] for name, values in observed.items()}
    rows = gradient_of_start(problem, first) if equations.has_energy else {}
    if not equations.has_energy:
        rows = dict(zip([f"{name}'" for name in equations.rows], first["ydot"], strict=True))
    for name, value in zip(problem.invariants, first["invariants"], strict=True):
        rows[f"invariant {name}"] = value
    what = next((name for name, value in rows.items() if not np.isfinite(value)), next(iter(rows)))
    state = [value for part in STATE_PARTS if part in equations.variables for value in first[part]]
    values = zip(equations.rows, state, strict=True)
    place = ", ".join(f"{name} = {float(value):g}" for name, value in values)
    return OptionError(
        f"{what} is not real and finite at the start ({place}): {rows[what]}; choose another start "
        "or other parameters"
    )


def gradient_of_start(problem: Any, first: dict[str, np.ndarray]) -> dict[str, Any]:
    """H and its derivatives at the first sample, by name."""
    rows = {"H": first["energy"]}
    for name, value in zip(problem.momenta, first["qdot"], strict=True):
        rows[f"∂H/∂{name}"] = value
    for name, value in zip(problem.coordinates, first["pdot"], strict=True):
        rows[f"∂H/∂{name}"] = -value
    return rows
