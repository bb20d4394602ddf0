"""Every sentence about a run that went wrong, or that ended before its end: what happened, where,
in which part, and what may help.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.rows import INDEPENDENCE, NEARLY_DEPENDENT, WEAKEST_ROW
from hamiltree.errors import HamiltreeError, ModelError, OptionError
from hamiltree.formulations.formulation import Formulation
from hamiltree.integrators.integrator import (
    NEEDS_MATRIX,
    NOT_CONVERGED,
    SINGULAR,
    STATUS,
    STEPS,
    TOO_SMALL,
    UNANSWERED,
    WORST,
    State,
)
from hamiltree.integrators.newton import lack_of_grant
from hamiltree.model.pair_force import PairForce
from hamiltree.run.equations import HamiltonianEquations, ModelEquations
from hamiltree.run.gimbal_lock import lock_near
from hamiltree.run.plan import Plan


class Opened(NamedTuple):
    """The constraint that came apart, how far and when."""

    name: str
    amount: float
    t: float


class Scene(NamedTuple):
    """What is known of a run where it ended."""

    plan: Plan
    assembly: Any
    system: Any
    work: Any  # that constraints were factored in last
    state: State
    saved_time: float  # of the last good sample
    q: np.ndarray  # there
    qdot: np.ndarray
    opened: Opened | None
    refusal: str  # of a verb that nobody answers
    place: str  # where what was saved is kept

    @property
    def unit(self) -> str:
        return self.plan.equations.time_unit


# ---- a run that failed ---------------------------------------------------------------------------
def failure(scene: Scene) -> str:
    """What happened, where it was, and what may help."""
    plan, status = scene.plan, int(scene.state.counts[STATUS])
    what, remedy = SENTENCES.get(status, not_finite)(scene)
    ahead = scene.q + 2 * plan.step * plan.save_every * scene.qdot
    if trouble := lock_near(plan.equations.problem, plan.equations.locks, scene.q, ahead):  # type: ignore[arg-type]
        what, remedy = (
            f"{trouble}: {what}",
            "A ball joint has no such place, another sequence of axes has it elsewhere.",
        )
    where = (
        f"the last good time is t = {scene.saved_time:.9g}{scene.unit} "
        f"(step {int(scene.state.counts[STEPS])}), {fastest(scene)}"
    )
    return (
        f"{what}; {where}. What was saved up to there is kept{scene.place}. "
        f"{remedy}{stiffness_hint(scene)}"
    )


def shorter_step(scene: Scene) -> str:
    return f"Try a step of {scene.plan.step / 10:g}{scene.unit} or less."


def worst_row(scene: Scene) -> str:
    return scene.plan.equations.row_name(scene.system, int(scene.state.counts[WORST]))


def unanswered(scene: Scene) -> tuple[str, str]:
    return (
        scene.refusal,
        "Name the verb among the integrator's needs, or use a formulation that answers it.",
    )


def without_matrix(scene: Scene) -> tuple[str, str]:
    name, method = scene.plan.integrator.name, scene.plan.integrator.method
    what = f"{name} converges too slowly by fixed point; {lack_of_grant(scene.state, method)}"
    return (
        what,
        f"{shorter_step(scene)} Or take solver='fixed_point', or an explicit integrator such as "
        "dop853.",
    )


def not_converged(scene: Scene) -> tuple[str, str]:
    what = (
        f"the stages of {scene.plan.integrator.name} did not converge, worst in {worst_row(scene)}"
    )
    return what, shorter_step(scene) + weakness(scene)


def singular(scene: Scene) -> tuple[str, str]:
    if scene.opened is not None:
        name, amount, t = scene.opened
        return (
            f"constraint '{name}' has opened by {amount:.3g} m or rad at t = {t:.9g}{scene.unit}",
            shorter_step(scene),
        )
    formulation = scene.plan.equations.formulation
    what = singular_position(formulation, scene.assembly, scene.work)
    is_lost = (
        formulation.trouble is not None and formulation.trouble(scene.work)[INDEPENDENCE] < 0.0
    )
    return what, shorter_step(
        scene
    ) if is_lost else "Let an event end the run before it, or remove what makes it singular."


def too_small(scene: Scene) -> tuple[str, str]:
    what = (
        f"the step of {scene.plan.integrator.name} fell below the rounding of time, "
        f"worst in {worst_row(scene)}"
    )
    return (
        what,
        "There may be a singularity ahead; a larger tolerance, or an event that ends the run "
        "before it, may help.",
    )


def not_finite(scene: Scene) -> tuple[str, str]:
    remedy = (
        f"{shorter_step(scene)} If there is a singularity ahead, "
        "let an event end the run before it."
    )
    return "the state stopped being finite", remedy


SENTENCES = {
    UNANSWERED: unanswered,
    NEEDS_MATRIX: without_matrix,
    NOT_CONVERGED: not_converged,
    SINGULAR: singular,
    TOO_SMALL: too_small,
}


def singular_position(formulation: Formulation, assembly: Any, work: Any) -> str:
    """Which constraint depends on the others at the state that work was left at."""
    if formulation.trouble is None or formulation.constraint_names is None:
        return "the constraints depend on each other"
    trouble = formulation.trouble(work)
    if trouble[INDEPENDENCE] < 0.0:
        return "the positions could not be brought back to where the constraints hold"
    name = formulation.constraint_names(assembly)[int(trouble[WEAKEST_ROW])]
    return (
        f"a singular position: {name} becomes dependent on the other constraints (share of its "
        f"own {trouble[INDEPENDENCE]:.1e})"
    )


def weakness(scene: Scene) -> str:
    """The same, where constraints are nearly dependent."""
    formulation, equations = scene.plan.equations.formulation, scene.plan.equations
    if formulation.trouble is None or not (
        isinstance(equations, ModelEquations) and equations.has_rows
    ):
        return ""
    is_near = 0.0 < formulation.trouble(scene.work)[INDEPENDENCE] < NEARLY_DEPENDENT
    return f" Near {singular_position(formulation, scene.assembly, scene.work)}." if is_near else ""


def fastest(scene: Scene) -> str:
    """What moved most where it was last good."""
    rates, problem = np.abs(scene.qdot), scene.plan.equations.problem
    is_model = isinstance(scene.plan.equations, ModelEquations)
    if is_model and not rates.any():
        return "at rest"
    at = int(rates.argmax())
    name = problem.coordinates[at]
    return f"when {f'joint {name!r}' if is_model else name} was the fastest (rate {rates[at]:.3g})"


def stiffness_hint(scene: Scene) -> str:
    """What else may help: friction and stops are stiff."""
    if not isinstance(scene.plan.equations, ModelEquations):
        return ""
    stiff = {"joint_friction", "joint_limit"} & {
        force.kind for force in scene.plan.equations.problem.forces
    }
    return (
        " Friction and stops of joints are stiff: radau5 may pass them with longer steps."
        if stiff
        else ""
    )


# ---- other ends ----------------------------------------------------------------------------------
def locked(name: str, where: str, unit: str, place: str) -> str:
    """A run that went through a gimbal lock."""
    return (
        f"{name} {where}{unit}: its axes fall into one plane, where its rates are not defined. "
        f"What was saved up to there is kept{place}. A ball joint has no such place, another "
        "sequence has it elsewhere."
    )


def ended_by(event: str, t: float, unit: str) -> str:
    return f"ended by event {event!r} at t = {t:.12g}{unit}"


def interrupted(t: float, unit: str) -> str:
    return f"interrupted at t = {t:.9g}{unit}"


def stiff(method: str) -> str:
    """A warning of a method that has seen it."""
    return (
        f"hamiltree: the problem seems stiff for {method} (its steps are bounded by stability, "
        "not by accuracy); radau5 should need fewer"
    )


def event_not_real(name: str) -> str:
    return (
        f"hamiltree: event {name!r} was not a real number at some steps, where it cannot cross zero"
    )


# ---- a start from which nothing can run ----------------------------------------------------------
def bad_start(
    equations: ModelEquations | HamiltonianEquations, observed: dict[str, np.ndarray]
) -> HamiltreeError:
    """Say what is not finite where a run would begin."""
    if isinstance(equations, HamiltonianEquations):
        return bad_hamiltonian(equations, observed)
    reason = "its energy or rates overflow"
    if any(isinstance(force, PairForce) for force in equations.problem.forces):
        reason += (
            ", or two particles are where a potential is not real "
            "(beyond the extent of a FENE bond, outside a formula's range)"
        )
    return ModelError(
        f"the start is not finite: {reason}; check the start values and the masses of the model"
    )


def open_start(opened: Opened) -> ModelError:
    return ModelError(
        f"constraint '{opened.name}' is open by {opened.amount:.3g} m or rad at the start; "
        "correct the start values, or let it be closed with assemble=True (--assemble)"
    )


def bad_hamiltonian(
    equations: HamiltonianEquations, observed: dict[str, np.ndarray]
) -> OptionError:
    """Which of H, its gradient and the invariants is not real or not finite."""
    problem, first = equations.problem, {name: values[0] for name, values in observed.items()}
    rows = {
        "H": first["energy"],
        **{
            f"∂H/∂{name}": value for name, value in zip(problem.momenta, first["qdot"], strict=True)
        },
        **{
            f"∂H/∂{name}": -value
            for name, value in zip(problem.coordinates, first["pdot"], strict=True)
        },
        **{
            f"invariant {name}": value
            for name, value in zip(problem.invariants, first["invariants"], strict=True)
        },
    }
    what = next((name for name, value in rows.items() if not np.isfinite(value)), "H")
    values = zip((*problem.coordinates, *problem.momenta), (*first["q"], *first["p"]), strict=True)
    place = ", ".join(f"{name} = {float(value):g}" for name, value in values)
    return OptionError(
        f"{what} is not real and finite at the start ({place}): {rows[what]}; choose another start "
        "or other parameters"
    )
