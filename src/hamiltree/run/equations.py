"""A Model, a Hamiltonian or an Ode bound to a formulation: how it starts, what its rows are called,
and what is recorded of it. Never changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.assembly import Assembly, assemble_at_consistent_start, names_to_hold
from hamiltree.assembly.drive_jumps import (
    TimeFunction,
    find_functions_that_may_jump,
    refuse_jumps,
)
from hamiltree.assembly.mechanism import held_speed_indices
from hamiltree.assembly.orbiting_origin import orbiting_groups
from hamiltree.assembly.potential_checks import check_pose_potentials
from hamiltree.assembly.residuals import ResidualRows
from hamiltree.assembly.rest import ForcesAtRest, forces_at_rest
from hamiltree.assembly.scales import joint_row_scales
from hamiltree.assembly.trees import trees_of
from hamiltree.compiled.number import WIDTH
from hamiltree.errors import FitError, ModelError, OptionError, suggest
from hamiltree.files.toml import model_to_toml
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.formulations.formulation import JOINTS, Coordinates, Formulation
from hamiltree.formulations.initial_states import speeds_from_rates
from hamiltree.formulations.verb_pointers import observer_pointer
from hamiltree.model import Model
from hamiltree.model.forces import BodyInput
from hamiltree.model.joints import Revolute
from hamiltree.model.many_parts import collect_garbage_later
from hamiltree.model.pair_force import PairForce
from hamiltree.problems.events import Event, Names, formula_names
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.problems.typed_problem import numbers_in_order
from hamiltree.run.choices import default_formulation, require_formulation
from hamiltree.run.gimbal_lock import GimbalLock, gimbal_locks, lock_events
from hamiltree.run.observer import ModelObserver
from hamiltree.run.start import Start
from hamiltree.run.typed_equations import HamiltonianEquations, OdeEquations, TypedEquations
from hamiltree.trajectory.variables import (
    FREE_VARIABLES,
    INPUT_VARIABLES,
    MODEL_VARIABLES,
    NORM_VARIABLES,
    POSE,
    RADIAL_VARIABLES,
    RESIDUAL_VARIABLES,
    TWIST,
)

INERTIA_TOLERANCE = 1e-12  # a moment below this part of the largest is none
MANY_BODIES = 1000  # so many that garbage collection takes a share of their assembly
RESIDUAL_LIMIT = 1e-5  # of the natural length, or of a radian


def equations_of(
    problem: Any, formulation: Formulation, options: Mapping[str, Any], follows_orbits: bool
) -> Equations:
    """The equations of a problem in a formulation, with the options of that."""
    if isinstance(problem, Hamiltonian):
        return HamiltonianEquations(problem, formulation)
    if isinstance(problem, Ode):
        return OdeEquations(problem, formulation)
    return ModelEquations(problem, formulation, options, follows_orbits)


SPEED_WORDS = {
    Coordinates.JOINTS_AND_MOMENTA: "momentum",
    Coordinates.JOINTS_AND_SPEEDS: "speed",
    Coordinates.BODIES: "speed",
}


@dataclass(frozen=True, eq=False)
class ModelEquations:
    """Bodies and joints: poses, twists, kinetic and potential energy are recorded."""

    problem: Model
    formulation: Formulation
    options: Mapping[str, Any]  # of the formulation
    # may be seen from origins on Kepler orbits, where V is not all that acts and changes with time
    follows_orbits: bool = False

    time_unit = " s"
    has_energy = True

    @property
    def name(self) -> str:
        return self.problem.name

    @cached_property
    def numbers_per_sample(self) -> int:
        return 4 + 3 * len(self.problem.coordinates) + 13 * len(self.problem.bodies)

    @cached_property
    def has_rows(self) -> bool:
        """Whether there are constraint rows; formulations of free bodies treat prescribed motions
        without rows.
        """
        return self.problem.has_rows and JOINTS in self.formulation.supports

    @property
    def has_residuals(self) -> bool:
        """Whether there are constraint residuals: of constraints, or of all joints in absolute
        coordinates.
        """
        return self.has_rows or (
            not self.formulation.has_coordinates and JOINTS in self.formulation.supports
        )

    @property
    def has_norm_errors(self) -> bool:
        """Whether norm errors of the state are recorded: by the formulation, or because recorded
        quaternions are normalised, as with constraint rows in joint coordinates.
        """
        if self.has_rows and self.formulation.has_coordinates:
            return any(name.endswith(".qw") for name in self.problem.coordinates)
        return self.formulation.norm_errors is not None

    @cached_property
    def inputs(self) -> Inputs:
        """The inputs of the model, which a simulator may set."""
        return Inputs(self.problem)

    @cached_property
    def functions_that_may_jump(self) -> tuple[TimeFunction, ...]:
        """Of drives and prescribed motions."""
        return find_functions_that_may_jump(self.problem)

    def refuse_jumps(self, begin: float, until: float, step: float) -> None:
        """Refuse a drive whose speed jumps between two times."""
        refuse_jumps(self.functions_that_may_jump, begin, until, step, self.time_unit)

    # ---- a start ---------------------------------------------------------------------------------
    def assembly_at(self, given: Start) -> Assembly:
        """The assembly at a start where loops close: moved there if asked for, else checked."""
        model = self.problem
        if given.y is not None:
            raise OptionError("a model starts from q and qdot or p; y is of an ode")
        begin = model.start()
        speeds = model.qdot_from(given.qdot, begin[1])
        q = model.q_from(given.q, begin[0])
        if self.has_rows:
            held = names_to_hold(given.assemble)
            made = assemble_at_consistent_start(model, q, speeds, given.t, held)
        else:
            if given.assemble:  # there is nothing to move, but a name may not exist
                held_speed_indices(model, names_to_hold(given.assemble) or ())
            made = Assembly(model, q, speeds, given.t)
        if model.forces:
            made.check_particles()
            check_pose_potentials(made)
        may_move = given.p is None and not given.is_anchored
        return self.seen_from_moving_origins(made) if may_move else made

    def seen_from_moving_origins(self, assembly: Assembly) -> Assembly:
        """The same start seen from origins that move with free bodies or on orbits, if they are
        fast.
        """
        made = assembly.relative_to_moving_origin() if self.has_free_groups else assembly
        return made.relative_to_orbits() if self.has_orbiting_groups else made

    def assembly_of_momenta(
        self, assembly: Assembly, rates: np.ndarray, given: Start
    ) -> Assembly | None:
        """The start of a run by momenta, seen from origins that move; None where there are none.
        `rates`: q̇ = M⁻¹ p there.
        """
        if given.is_anchored or not (self.has_free_groups or self.has_orbiting_groups):
            return None
        speeds = speeds_from_rates(assembly.model, assembly.q, rates)
        made = self.seen_from_moving_origins(replace(assembly, speeds=speeds))
        return made if made.origins else None

    def is_fixed_in_space(self, events: Sequence[Event]) -> bool:
        """Whether an event depends on more than positions between bodies and their rates."""
        if not events or not (self.has_free_groups or self.has_orbiting_groups):
            return False
        roots = {self.problem.joints[k].name for k in trees_of(self.problem).root_joints}
        inner = [x for x in self.problem.coordinates if x.partition(".")[0] not in roots]
        allowed = {name + dot for name in formula_names(inner) for dot in ("", "_dot")}
        words = {word for event in events for word in event.words}
        return bool(words & {*self.names.rows, *self.names.rates} - allowed)

    def system_of(self, assembly: Assembly) -> Any:
        """The System, with the options of the formulation."""
        is_large = len(self.problem.bodies) >= MANY_BODIES
        with (
            use_inputs(self.inputs) if self.inputs.labels else nullcontext(),
            collect_garbage_later() if is_large else nullcontext(),
        ):
            system = self.formulation.assemble(assembly)
        for name, value in self.options.items():
            system = self.formulation.options[name](system, value)
        return system

    def reuses_system(self, assembly: Assembly) -> bool:
        """Whether the System of a start serves others: none of its tables depend on it."""
        has_orbit = assembly.orbiting_origin is not None
        return not (self.has_rows or has_orbit) and self.formulation.check_start is not None

    def check_start(self, assembly: Assembly, system: Any) -> None:
        """Refuse another start of the same System if it cannot have it."""
        assert self.formulation.check_start is not None
        self.formulation.check_start(assembly, system)

    def state_of(self, system: Any, assembly: Assembly, pointer: Any, given: Start) -> np.ndarray:
        """The state in which a run begins, by the speeds or by the momenta that are given."""
        if given.p is not None:
            self.check_momenta(given)
        y = self.formulation.initial_state(system, assembly, pointer)
        rows = sum(system.layout)
        if y.shape != (rows,):
            raise FitError(
                f"{self.formulation.name}: its initial state has shape {y.shape}, and its layout "
                f"{tuple(system.layout)} asks for {rows} rows"
            )
        if given.p is not None:
            y[len(assembly.q) :] = self.momenta_from(given.p, y[len(assembly.q) :])
        if not np.isfinite(y).all():
            what = self.row_name(system, int(np.flatnonzero(~np.isfinite(y))[0]))
            raise ModelError(
                f"the start is not finite: {what}; check the start values of the model"
            )
        return y

    def check_momenta(self, given: Start) -> None:
        """Refuse a start by momenta where q and qdot are needed."""
        if not self.formulation.has_momenta:
            raise OptionError(f"{self.formulation.name} starts from q and qdot, not from p")
        if self.has_rows:
            raise OptionError(
                "a model with loops or constraints starts from q and qdot: not every p keeps its "
                "joints together"
            )
        if given.qdot is not None:
            raise OptionError("give qdot or p, not both: each follows from the other")

    def momenta_from(self, p: Any, start: np.ndarray) -> np.ndarray:
        """Momenta by joint or in order; a joint that is not named keeps that of the start."""
        names = self.problem.coordinates
        if isinstance(p, Mapping):
            unknown = next((name for name in p if name not in names), None)
            if unknown is not None:
                raise OptionError(
                    f"p: there is no joint {unknown!r} with a coordinate; {suggest(unknown, names)}"
                )
            p = [p.get(name, value) for name, value in zip(names, start.tolist(), strict=True)]
        return numbers_in_order(p, names, "p")

    def row_scales(self, system: Any, assembly: Assembly) -> np.ndarray:
        """The natural size of each row of the state."""
        formulation = self.formulation
        if formulation.row_scales is not None:
            return formulation.row_scales(system, assembly)
        if formulation.has_coordinates:
            return joint_row_scales(assembly, formulation.has_momenta)
        return np.ones(sum(system.layout))

    @property
    def has_one_unit(self) -> bool:
        """Whether positions, or momenta, can be compared with each other as they are."""
        if not self.formulation.has_coordinates:
            return False
        joints = self.problem.joints
        if all(joint.kind == Revolute.kind for joint in joints):
            return True
        return len({kind for joint in joints for kind in joint.coordinate_dimensions()}) < 2

    def natural_sizes(self, assembly: Assembly) -> tuple[float, float]:
        """Of time and energy."""
        return assembly.scales.time, assembly.scales.energy

    def natural_rates(self, has_row_scales: bool) -> tuple[float, float]:
        """How fast natural forces change positions and momenta, in the natural sizes of rows or as
        they are.
        """
        return self.forces_at_rest.rates(self.problem, has_row_scales)

    @cached_property
    def forces_at_rest(self) -> ForcesAtRest:
        return forces_at_rest(self.problem)

    # ---- names -----------------------------------------------------------------------------------
    def row_name(self, system: Any, row: int) -> str:
        """Which joint's or body's position, momentum or speed a row of the state is."""
        kind = "joint" if self.formulation.has_coordinates else "body"
        what = (
            "position"
            if row < system.layout.positions
            else SPEED_WORDS[self.formulation.coordinates]
        )
        return f"the {what} of {kind} '{self.formulation.owner(system, self.problem, row)}'"

    @property
    def names(self) -> Names:
        """A joint is its position, `p_joint` its momentum (or `u_joint` its speed), `joint_dot` its
        rate; joint_x, joint_1, … where it has several coordinates.
        """
        self.check_events(self.formulation.has_coordinates)
        joints = formula_names(self.problem.coordinates)
        if self.formulation.has_speeds:
            speeds = [f"u_{name}" for name in formula_names(self.problem.speeds)]
            rows = (*joints, *speeds)
        else:
            rows = (*joints, *(f"p_{name}" for name in joints))
        return Names(rows, tuple(f"{name}_dot" for name in rows), {})

    def check_events(self, is_possible: bool) -> None:
        """Refuse events in a formulation without the coordinates that they name."""
        if not is_possible:
            raise OptionError(
                "sections and events are of coordinates and momenta of joints, and "
                f"{self.formulation.name} has no momenta; "
                f"use {default_formulation(self.problem).name}"
            )

    def check_sections(self) -> None:
        """Events of a user are of coordinates and momenta."""
        self.check_events(self.formulation.has_momenta)

    @cached_property
    def locks(self) -> list[GimbalLock]:
        return gimbal_locks(self.problem) if self.formulation.has_coordinates else []

    @cached_property
    def terminal_events(self) -> tuple[Event, ...]:
        """Events that end a run where the equations are singular: gimbal locks."""
        return lock_events(self.problem, self.locks)

    # ---- what is recorded ------------------------------------------------------------------------
    @cached_property
    def variables(self) -> dict[str, Any]:
        """Name → dimensions and unit of what is recorded."""
        found = dict(MODEL_VARIABLES)
        if not self.formulation.has_momenta:
            del found["p"]
        if self.has_norm_errors:
            found |= NORM_VARIABLES
        if self.formulation.radial_momenta is not None:
            found |= RADIAL_VARIABLES
        if self.has_residuals:
            found |= RESIDUAL_VARIABLES
        if self.inputs.labels:
            found |= INPUT_VARIABLES
        if self.has_free_groups:
            found |= FREE_VARIABLES
        return found

    @cached_property
    def has_unanchored_joints(self) -> bool:
        """Whether a joint leaves its body free in space."""
        return any(joint.is_unanchored for joint in self.problem.joints)

    @cached_property
    def has_free_groups(self) -> bool:
        """Whether there are bodies that nothing fixes in space."""
        return self.has_unanchored_joints and bool(trees_of(self.problem).free_groups)

    @cached_property
    def has_orbiting_groups(self) -> bool:
        """Whether there are bodies that may be seen from a Kepler orbit."""
        is_possible = self.follows_orbits and self.has_unanchored_joints
        return is_possible and bool(orbiting_groups(trees_of(self.problem)))

    def labels(self, assembly: Assembly) -> dict[str, list[str]]:
        """Labels of the dimensions of what is recorded."""
        found = {
            "coordinate": list(self.problem.coordinates),
            "body": [body.name for body in self.problem.bodies],
            "pose_part": list(POSE),
            "twist_part": list(TWIST),
        }
        residuals = self.constraint_residuals(assembly)
        if residuals is not None:
            found["constraint"] = residuals.labels
        if self.inputs.labels:
            found["input_part"] = self.inputs.labels
        return found

    def constraint_residuals(self, assembly: Assembly) -> ResidualRows | None:
        """The rows whose constraint residuals are recorded; None if there are none."""
        if not self.has_residuals:
            return None
        return (
            assembly.constraint_residuals
            if self.formulation.has_coordinates
            else assembly.all_constraint_residuals
        )

    @property
    def residual_limit(self) -> float:
        """The constraint residual that ends a run, in parts of the natural length or of a radian;
        none where the user has chosen how constraints are kept.
        """
        return np.inf if self.options else RESIDUAL_LIMIT

    def observer(self, system: Any, lanes: Any, single: Any) -> ModelObserver:
        return ModelObserver(
            self.problem, self.formulation, system, lanes, single, self.has_free_groups
        )

    @cached_property
    def winding_rows(self) -> list[int]:
        """Rows of q that are angles of hinges, of which whole turns change nothing: no law, drive,
        coupling or formula depends on them.

        Only where loops must close: an angle of thousands of turns has few digits left for them.
        """
        if not (self.has_rows and self.formulation.has_momenta):
            return []
        model = self.problem
        if any(
            force.kind in ("joint_law", "joint_table", "joint_potential") for force in model.forces
        ):
            return []
        parts = (*model.forces, *model.constraints, *model.couplings)
        used = {getattr(part, "joint", "") for part in parts}
        used |= {coupling.of for coupling in model.couplings}
        hinges = {joint.name for joint in model.tree_joints if joint.kind == "revolute"} - used
        return [row for row, name in enumerate(model.coordinates) if name in hinges]

    def provenance(self) -> dict[str, Any]:
        try:
            text = model_to_toml(self.problem)
        except ModelError:
            text = ""  # a part that holds a Python function has no text
        return {"model_name": self.name, "model": text}

    def notes(self, assembly: Assembly) -> list[str]:
        """What a user should know of periodic boxes and constraints before a run."""
        boxes = {force.box for force in self.problem.forces if isinstance(force, PairForce)}
        found = []
        if len(boxes) > 1:
            found.append(
                "pair forces have different periodic boxes, or only some have one; give all of "
                "them the same"
            )
        return found + (redundancy_notes(assembly) if self.has_rows else [])

    def check_inputs(self, values: np.ndarray) -> None:
        """Refuse a torque on a free body without inertia about some axis: it would be ignored."""
        parts = () if JOINTS in self.formulation.supports else self.inputs.parts.items()
        for key, part in parts:
            if isinstance(part, BodyInput) and values[self.inputs.places[key]][3:].any():
                moments = np.linalg.eigvalsh(np.array(self.problem.body(part.body).inertia))
                if not moments[0] > INERTIA_TOLERANCE * moments[-1]:
                    raise OptionError(
                        f"input {key!r}: body {part.body!r} has no inertia about some axis, so "
                        f"{self.formulation.name} takes no torque "
                        "on it; give the body an inertia, or set a force alone"
                    )


Equations = ModelEquations | TypedEquations


def redundancy_notes(assembly: Assembly) -> list[str]:
    """Which constraint rows are redundant at the start."""
    mechanism = assembly.mechanism
    if not mechanism.redundant:
        return []
    rows = "row is" if len(mechanism.redundant) == 1 else "rows are"
    return [
        f"{len(mechanism.redundant)} constraint {rows} redundant "
        f"({mechanism.describe_redundant()}): left out and monitored; "
        "reactions there are not unique"
    ]


# ---- without an integrator -----------------------------------------------------------------------
class Bound(NamedTuple):
    """A model in a formulation at a start."""

    equations: ModelEquations
    assembly: Assembly
    system: Any
    lanes: Any  # a workspace of four states
    y: np.ndarray


def bind(model: Model, formulation: str, q: Any = None, qdot: Any = None) -> Bound:
    """A model in a formulation, for single evaluations; refused as a run would be."""
    equations = ModelEquations(model, require_formulation(model, formulation), {})
    given = Start(q=q, qdot=qdot, is_anchored=True)  # as seen from the ground
    assembly = equations.assembly_at(given)
    system = equations.system_of(assembly)
    lanes = equations.formulation.workspace(system, WIDTH)
    y = equations.state_of(system, assembly, observer_pointer(system, lanes), given)
    return Bound(equations, assembly, system, lanes, y)
