"""Which members can run four side by side in lanes, and why others cannot."""

from __future__ import annotations

from typing import Any

from hamiltree.formulations.formulation import accept_any_start
from hamiltree.formulations.tree.hamiltonian_tree import HamiltonianTree
from hamiltree.integrators.ensemble import SAME_IN_LANES, LaneMethod, lane_method
from hamiltree.model.joints import OneAxis
from hamiltree.problems.numbers import Target
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.equations import Equations, ModelEquations
from hamiltree.run.plan import Plan
from hamiltree.studies.definition import Definition

ONE_BY_ONE = {"verdict", "constraint_error"}  # what only a run of its own can tell


SHORT = 5000  # steps times rows of the state, from which on a run takes longer than to begin it


def obstacle(definition: Definition) -> str:
    """Why members of a study run one by one; empty where they run in lanes."""
    kinds = set(definition.by_kind)
    alone = kinds & {"setting", "option", "input"}
    if alone or len(definition.setups) > 1:
        return "a setting of the runs varies"
    asked = sorted(ONE_BY_ONE & set(definition.keep_plan.whole))
    if asked:
        return f"'{asked[0]}' is kept"
    setup = definition.setups[0]
    plan = definition.plan_of(definition.case(0, has_numbers=False), setup)
    return obstacle_of_method(plan) or obstacle_of_equations(plan)


def obstacle_of_method(plan: Plan) -> str:
    if lane_method_of(plan) is not None:
        return ""
    return f"members of {plan.integrator.name} are quicker one by one"


def lane_method_of(plan: Plan) -> LaneMethod | None:
    """How members of this plan step in lanes."""
    problem = plan.equations.problem
    is_typed = isinstance(problem, TypedProblem)
    rows = len(problem.rows) if is_typed else 2 * len(problem.coordinates)
    return lane_method(plan.integrator, plan.steps * rows <= SHORT)


def obstacle_of_equations(plan: Plan) -> str:
    """Of a formulation, of events, inputs and constraints."""
    equations = plan.equations
    if plan.monitored_events != plan.events:
        return "gimbal locks are looked for"
    if plan.events and not isinstance(plan.integrator.method, SAME_IN_LANES):
        return "events of implicit methods are looked for one by one"
    if equations.inputs.labels:
        return "there are inputs"
    if not isinstance(equations, ModelEquations):
        return ""
    if equations.has_rows:
        return "there are loops or constraints"
    formulation = equations.formulation
    if formulation.system is HamiltonianTree or formulation.check_start is accept_any_start:
        return ""
    return f"{formulation.name} has no lanes"


def obstacle_of_system(system: Any) -> str:
    """What a System counts or projects from step to step."""
    facts = system.facts
    if facts.projects or facts.followed or facts.rows_count_windings or facts.laws_count_windings:
        return "turns of angles are counted from step to step"
    return ""


def start_target(equations: Equations, target: Target) -> Target | None:
    """The start value that a varied number is; None if it is something else."""
    if target.kind == "start":
        return target
    problem = equations.problem
    is_joint = target.kind == "part" and target.group == "joints"
    if not is_joint or problem.followers or target.path not in (("q",), ("qdot",)):
        return None
    joint = problem.joints[target.key]
    is_own = isinstance(joint, OneAxis) and joint.name in problem.coordinates
    return Target("start", target.path[0], joint.name) if is_own else None
