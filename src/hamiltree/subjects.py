"""What a run is of, a Model or a Hamiltonian: how it starts, what its rows are called, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer
from hamiltree.coordinates import TreeCoordinates, WholeTurns
from hamiltree.errors import HamiltreeError, ModelError, OptionError, nearest
from hamiltree.events import Event, Names, formula_names
from hamiltree.files.toml import model_to_toml
from hamiltree.forces.inputs import Inputs, inputs_in_use
from hamiltree.formulations import find_formulation
from hamiltree.formulations.cartesian_tables import Tables, placed_start
from hamiltree.formulations.entries import energies_of_states, momentum_of_state, observe, observe_phase_space, project_states
from hamiltree.formulations.formulation import Formulation
from hamiltree.formulations.indirect import IndirectPointer, observed, projected
from hamiltree.formulations.loop_tables import LoopTables
from hamiltree.formulations.mechanism import Mechanism, held_speeds, mechanism_at, owner_of, shared_mechanisms
from hamiltree.formulations.rows import NEARLY_DEPENDENT, SHARE, WEAK
from hamiltree.model import Model
from hamiltree.model.constraints import Drive, Motion
from hamiltree.model.forces import BodyInput
from hamiltree.model.model import labels
from hamiltree.model.pair_force import PairForce, refuse_overlaps
from hamiltree.openings import Openings, known_turns
from hamiltree.problems import Hamiltonian, numbers_in_order
from hamiltree.trajectory import INPUT_VARIABLES, MODEL_VARIABLES, NORM_VARIABLES, OPENING_VARIABLES, PHASE_SPACE_VARIABLES, POSE, TWIST


class Start(NamedTuple):
    """What a person has given of a start; None is where the problem starts."""

    t: float = 0.0
    q: Any = None
    qdot: Any = None
    p: Any = None
    assemble: Any = None

    @property
    def is_own(self) -> bool:
        """Whether it is that of the problem itself."""
        return self.t == 0.0 and self.q is None and self.qdot is None and self.p is None and not self.assemble


def subject_of(problem: Any, formulation: str | None) -> ModelSubject | HamiltonianSubject:
    if isinstance(problem, Model):
        return ModelSubject(problem, formulation)
    if isinstance(problem, Hamiltonian):
        return HamiltonianSubject(problem, formulation)
    raise OptionError(
        f"simulate takes a Model or a Hamiltonian, not {type(problem).__name__}; read a file with hamiltree.load(path), "
        "or make one of an expression with hamiltree.hamiltonian(…)"
    )


def coordinate_rates(model: Model, q: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """q̇ from the speeds of a model: ½ q ∘ (0, ω) for a quaternion, the speed itself for every other coordinate."""
    if not any(joint.has_ball for joint in model.tree_joints):
        return speeds
    rates, at, to = np.empty(len(q)), 0, 0
    for joint in model.tree_joints:
        axes = sum(label not in model.followers for label in labels(joint)[: len(joint.screws())])
        rates[to : to + axes] = speeds[at : at + axes]
        at, to = at + axes, to + axes
        if joint.has_ball:
            (w, *v), turn = q[to : to + 4], speeds[at : at + 3]
            rates[to], rates[to + 1 : to + 4] = -0.5 * np.dot(v, turn), 0.5 * (w * turn + np.cross(v, turn))
            at, to = at + 3, to + 4
    return rates


NO_INERTIA = 1e-12  # a moment below this part of the largest is none
COME_APART = 1e-5  # of the size of the mechanism
NEAR_LOCK = 0.05  # |a₁ · a₂ × a₃| of three axes


class Lock(NamedTuple):
    """a₁ · a₂ × a₃ = even cos x + odd sin x of three axes through a point; x is the coordinate of the second."""

    joint: str
    label: str
    even: float
    odd: float

    @property
    def name(self) -> str:
        return f"gimbal lock of joint {self.joint!r}"


def gimbal_locks(model: Model) -> list[Lock]:
    """Joints that turn about three axes through one point: they lock where these lie in a plane.

    Armature on one of the axes, or a coupling, gives the motion that is lost there an inertia of its own: no lock.
    """
    found, coupled = [], {*model.followers, *(follower.leader for follower in model.followers.values())}
    for joint in model.tree_joints:
        if joint.coordinates < 3:
            continue
        axes = zip(labels(joint), joint.screws(), joint.armatures(), strict=False)
        turning = [(label, *screw, armature) for label, screw, armature in axes if any(screw[0])][:3]
        is_bare = not any(label in coupled or armature > 0 for label, _, _, armature in turning)
        if len(turning) == 3 and is_bare and meet([screw[1:3] for screw in turning]):
            first, second, third = (np.array(screw[1]) for screw in turning)
            across = np.cross(second, third)
            even, odd = float(first @ across), float(first @ np.cross(second, across))
            found.append(Lock(joint.name, turning[1][0], even, odd))
    return found


def meet(screws: list[Any]) -> bool:
    """Whether the axes of three screws pass through one point x: v = x × ω."""
    matrix = np.concatenate([np.cross(np.eye(3), np.array(w)).T for w, _ in screws])
    moments = np.concatenate([np.array(v) for _, v in screws])
    point = np.linalg.lstsq(matrix, moments, rcond=None)[0]
    return bool(np.abs(matrix @ point - moments).max() < 1e-9 * (1.0 + np.abs(moments).max()))


class ModelSubject:
    """Bodies and joints: poses, twists, kinetic and potential energy are recorded."""

    time_unit = " s"

    def __init__(self, model: Model, formulation: str | None):
        self.problem, self.name = model, model.name
        has_rows = bool(model.closing or model.constraints or model.coupled_rows)
        is_moved = any(isinstance(constraint, Motion) for constraint in model.constraints)
        self.default_formulation = "chain_quaternion" if is_moved else "hamiltonian_loops" if has_rows else "hamiltonian_tree"
        self.formulation: Formulation = find_formulation(self.default_formulation if formulation is None else formulation)
        self.has_rows = has_rows and self.formulation.placed is None  # else it holds and moves bodies by itself
        self.options: Mapping[str, Any] = {}
        self.start = np.zeros(0)
        self._scratch: tuple[Any, IndirectPointer] | None = None
        if self.formulation.name.endswith("phase_space"):
            raise OptionError(f"{self.formulation.name} is for an H(q, p) that is typed in; for a model take {self.default_formulation}")
        self.numbers_a_sample = 4 + 3 * len(model.coordinates) + 13 * len(model.bodies)

    @property
    def has_coordinates(self) -> bool:
        """Whether the state holds the coordinates of the tree's joints: (q, p) or (q, u)."""
        return self.formulation.state is None

    @property
    def is_canonical(self) -> bool:
        """Whether the state is (q, p) of the joints of the tree."""
        return self.has_coordinates and not self.formulation.has_speeds

    @cached_property
    def variables(self) -> dict[str, Any]:
        shared = MODEL_VARIABLES if self.is_canonical else {name: what for name, what in MODEL_VARIABLES.items() if name != "p"}
        norms = {} if self.formulation.norm_errors is None else NORM_VARIABLES
        openings = OPENING_VARIABLES if self.has_openings else {}
        return {**shared, **norms, **openings, **(INPUT_VARIABLES if self.inputs.labels else {})}

    @property
    def has_openings(self) -> bool:
        return self.has_rows or (not self.has_coordinates and self.formulation.placed is None)

    @property
    def largest_opening(self) -> float:
        """Beyond it a joint has come apart, m or rad; not where the user has chosen not to keep constraints."""
        return np.inf if self.options or not self.has_openings else COME_APART * max(1.0, self.openings.size)

    @cached_property
    def openings(self) -> Openings:
        return Openings(self.problem, self.start, not self.has_coordinates)

    def fitted_start(self, q: Any, qdot: Any, assemble: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Start values at which loops are closed and no joint comes apart: moved there if that was asked for, else checked."""
        start, speed = self.problem.q_from(q), self.problem.qdot_from(qdot)
        if not self.has_rows:
            return start, speed
        self.check_time(t)
        mechanism = mechanism_at(self.problem, start, self.formulation.name, t)
        held = held_speeds(self.problem, () if isinstance(assemble, bool) or assemble is None else assemble)
        if assemble is None or assemble is False:
            mechanism.check_start(speed)
        start = mechanism.closed(start, held)
        mechanism = mechanism_at(self.problem, start, self.formulation.name, t)
        mechanism.check_branches(start)
        mechanism.check()
        return start, mechanism.fitting_speeds(speed, held)

    def check_time(self, t: float) -> None:
        """A driven speed moves its coordinate from where it is at t = 0: another start does not say where that was."""
        driven = next((part for part in self.problem.constraints if isinstance(part, Drive) and part.speed is not None), None)
        if t != 0.0 and driven is not None:
            raise OptionError(
                f"t = {t:g}: the drive of joint {driven.joint!r} gives a speed, which counts from t = 0; "
                "start there, or drive the joint by a position"
            )

    def assembled(self, q: Any, qdot: Any, p: Any, assemble: Any = None) -> tuple[Any, np.ndarray]:
        """The System at a start, and the state."""
        with shared_mechanisms():
            start, speed = self.fitted_start(q, qdot, assemble)
            system = self.system_at(start, speed)
            return system, self.state_at(system, start, speed, p, qdot is not None)

    def system_at(self, start: np.ndarray, speed: np.ndarray) -> Any:
        """The System, with the options of the formulation; from now on this is a run from that start."""
        self.refuse_overlaps(start, speed)
        self.start = start
        with inputs_in_use(self.inputs):
            system = self.formulation.assemble(self.problem, start)
        for name, value in self.options.items():
            system = self.formulation.options[name](system, value)
        return system

    @property
    def keeps_system(self) -> bool:
        """Whether the System is the same for every start."""
        return not self.has_rows and (self.formulation.check_start is not None or self.formulation.placed is not None)

    def check_start(self, system: Any, start: np.ndarray, speed: np.ndarray) -> None:
        """Refuse another start of the same System if it cannot have it."""
        self.refuse_overlaps(start, speed)
        if self.formulation.check_start is not None:
            self.formulation.check_start(self.problem, system, start)

    def apart(self) -> ModelSubject:
        """The same subject without a start, for a run from another one."""
        other = ModelSubject(self.problem, self.formulation.name)
        other.options, other.default_formulation = self.options, self.default_formulation
        other.inputs = self.inputs
        return other

    def state_at(self, system: Any, start: np.ndarray, speed: np.ndarray, p: Any, has_qdot: bool, t: float = 0.0) -> np.ndarray:
        """y = (q, p) with p = ∂L/∂q̇ unless p is given, or what the formulation makes of poses and twists."""
        if p is not None and not self.is_canonical:
            raise OptionError(f"{self.formulation.name} starts from q and qdot, not from p")
        if self.formulation.has_speeds:
            return np.concatenate([start, speed])
        if self.formulation.state is not None:
            return self.formulation.state(system, self.problem, *self.placed(start, speed))
        if p is not None and self.has_rows:
            raise OptionError("a model with loops or constraints starts from q and qdot: not every p keeps its joints together")
        y, ydot = np.zeros(sum(system.layout)), np.zeros(sum(system.layout))
        y[: len(start)], ydot[: len(start)] = start, coordinate_rates(self.problem, start, speed)
        if p is not None and has_qdot:
            raise OptionError("give qdot or p, not both: each follows from the other")
        scratch = self.scratch_of(system)
        momentum_of_state(scratch, t, y, ydot)
        scratch.check()
        if p is not None:
            y[len(start) :] = self.momenta_from(p, y[len(start) :])
        if not np.isfinite(y).all():
            raise ModelError(
                f"the start is not finite: {self.row_name(system, int(np.flatnonzero(~np.isfinite(y))[0]))}; "
                "check the start values of the model"
            )
        return y

    def scratch_of(self, system: Any) -> IndirectPointer:
        """The pointer of an observer, for starts; kept, as making it takes longer than a start."""
        if self._scratch is None or self._scratch[0] is not system:
            self._scratch = system, observed(system, self.formulation.workspace(system, WIDTH))
        return self._scratch[1]

    def take_scratch(self, system: Any) -> IndirectPointer:
        """The same for an observer, which keeps it for itself."""
        pointer = self.scratch_of(system)
        self._scratch = None
        return pointer

    def placed(self, start: np.ndarray, speed: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotations, origins and twists of all bodies: by the tree, or by the formulation's own way, which is quick for very many."""
        if self.formulation.placed is not None:
            return self.formulation.placed(self.problem, start, speed)
        return placed_start(mechanism_at(self.problem, start, self.formulation.name), start, speed)

    def refuse_overlaps(self, q: np.ndarray, speed: np.ndarray) -> None:
        """No two particles of a pair force sit in one place."""
        forces = [force for force in self.problem.forces if isinstance(force, PairForce)]
        if forces:
            turn, at, _ = self.placed(q, speed)
            for force in forces:
                refuse_overlaps(force, self.problem, at, turn)

    def momenta_from(self, p: Any, start: np.ndarray) -> np.ndarray:
        """By joint or in order; what is not named keeps the momentum of the model's start."""
        names = self.problem.coordinates
        if isinstance(p, Mapping):
            unknown = next((name for name in p if name not in names), None)
            if unknown is not None:
                raise OptionError(f"p: there is no joint {unknown!r} with a coordinate; {nearest(unknown, names)}")
            p = [p.get(name, value) for name, value in zip(names, start.tolist(), strict=True)]
        return numbers_in_order(p, names, "p")

    def row_name(self, system, row: int) -> str:
        """Which joint's position or momentum a row of the state is."""
        positions = system.layout.positions
        if not self.has_coordinates:
            assert self.formulation.owner is not None
            body = self.problem.bodies[self.formulation.owner(system, row)]
            return f"the {'position' if row < positions else 'speed'} of body '{body.name}'"
        if row < positions:
            return f"the position of joint '{self.problem.coordinates[row]}'"
        kind, names = ("momentum", self.problem.coordinates) if self.is_canonical else ("speed", self.problem.speeds)
        return f"the {kind} of joint '{names[row - positions]}'"

    @property
    def names(self) -> Names:
        """A joint is its position, `p_joint` its momentum (or `u_joint` its speed), `joint_dot` its rate; joint_x, joint_1, … where it has
        several coordinates."""
        self.check_events(self.has_coordinates)
        joints = formula_names(self.problem.coordinates)
        if self.formulation.has_speeds:
            speeds = [f"u_{name}" for name in formula_names(self.problem.speeds)]
            return Names((*joints, *speeds), (*(f"{name}_dot" for name in joints), *(f"{name}_dot" for name in speeds)), {})
        return Names(
            (*joints, *(f"p_{name}" for name in joints)),
            (*(f"{name}_dot" for name in joints), *(f"p_{name}_dot" for name in joints)),
            {},
        )

    def check_events(self, is_possible: bool) -> None:
        if not is_possible:
            raise OptionError(
                f"sections and events are of coordinates and momenta of joints, and {self.formulation.name} has no momenta; "
                f"use {self.default_formulation}"
            )

    @cached_property
    def locks(self) -> list[Lock]:
        return gimbal_locks(self.problem) if self.has_coordinates else []

    def guards(self) -> tuple[Event, ...]:
        """What ends a run because the equations end there."""
        known = dict(zip(self.problem.coordinates, formula_names(self.problem.coordinates), strict=True))
        return tuple(
            Event(f"{lock.even!r}*cos({known[lock.label]}) + {lock.odd!r}*sin({known[lock.label]})", terminal=True, name=lock.name)
            for lock in self.locks
        )

    def trouble(self, q: np.ndarray, ahead: np.ndarray) -> str:
        """What may be the cause of a failure between two positions: a joint that is near to gimbal lock, or on its way through it."""
        rows = {label: row for row, label in enumerate(self.problem.coordinates)} if self.locks else {}
        for lock in self.locks:
            here, there = (lock.even * np.cos(x[rows[lock.label]]) + lock.odd * np.sin(x[rows[lock.label]]) for x in (q, ahead))
            if abs(here) < NEAR_LOCK or here * there <= 0:
                return lock.name
        return ""

    def hint(self) -> str:
        """What else may help: friction and stops are stiff."""
        stiff = {"joint_friction", "joint_limit"} & {force.kind for force in self.problem.forces}
        return " Friction and stops of joints are stiff: radau5 may pass them with longer steps." if stiff else ""

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        return {
            "coordinate": list(self.problem.coordinates),
            "body": [body.name for body in self.problem.bodies],
            "pose_part": list(POSE),
            "twist_part": list(TWIST),
            **({"constraint": self.openings.labels} if self.has_openings else {}),
            **({"input_part": self.inputs.labels} if self.inputs.labels else {}),
        }

    @cached_property
    def inputs(self) -> Inputs:
        """What a simulator may set."""
        return Inputs(self.problem)

    def check_inputs(self, values: np.ndarray) -> None:
        """Chains turn no body about an axis without inertia: a torque on such a body is refused, not ignored."""
        parts = self.inputs.parts.items() if self.formulation.placed is not None else ()
        for key, part in parts:
            if isinstance(part, BodyInput) and values[self.inputs.places[key]][3:].any():
                moments = np.linalg.eigvalsh(np.array(self.problem.body(part.body).inertia))
                if not moments[0] > NO_INERTIA * moments[-1]:
                    raise OptionError(
                        f"input {key!r}: body {part.body!r} has no inertia about some axis, so {self.formulation.name} takes no torque "
                        "on it; give the body an inertia, or set a force alone"
                    )

    def provenance(self) -> dict[str, Any]:
        try:
            text = model_to_toml(self.problem)
        except ModelError:
            text = ""  # a part that holds a Python function has no text
        return {"model_name": self.name, "model": text}

    def bad_start(self, observed: dict[str, np.ndarray]) -> HamiltreeError:
        reason = "its energy or rates overflow"
        if any(isinstance(force, PairForce) for force in self.problem.forces):
            reason += ", or two particles are where a potential is not real (beyond the extent of a FENE bond, outside a formula's range)"
        return ModelError(f"the start is not finite: {reason}; check the start values and the masses of the model")

    def fastest(self, qdot: np.ndarray) -> str:
        if not qdot.any():
            return "at rest"
        at = int(np.abs(qdot).argmax())
        return f"when joint '{self.problem.coordinates[at]}' was the fastest (rate {abs(qdot[at]):.3g})"

    def observer(self, system) -> ModelObserver:
        return ModelObserver(self, system)

    def turning_rows(self) -> list[int]:
        """Rows of q that are angles of hinges, of which whole turns change nothing: no law, drive, coupling or formula looks at them.

        Only where loops must close: an angle of thousands of turns has few digits left for them.
        """
        if not (self.has_rows and self.is_canonical):
            return []
        model = self.problem
        seen = {getattr(part, "joint", "") for part in (*model.forces, *model.constraints, *model.couplings)}
        seen |= {coupling.of for coupling in model.couplings}
        if any(force.kind in ("joint_law", "joint_table", "joint_potential") for force in model.forces):
            return []
        hinges = {joint.name for joint in model.tree_joints if joint.kind == "revolute"} - seen
        return [row for row, name in enumerate(model.coordinates) if name in hinges]

    def notes(self) -> list[str]:
        """What a user should know of periodic boxes and constraints before a run."""
        boxes = {force.box for force in self.problem.forces if isinstance(force, PairForce)}
        odd = ["pair forces have different periodic boxes, or only some have one; give all of them the same"] if len(boxes) > 1 else []
        return odd + self.notes_on_constraints()

    def notes_on_constraints(self) -> list[str]:
        if not self.has_rows:
            return []
        mechanism = Mechanism(self.problem, self.start, self.formulation.name)
        if not mechanism.redundant:
            return []
        rows = "row is" if len(mechanism.redundant) == 1 else "rows are"
        return [
            f"{len(mechanism.redundant)} constraint {rows} redundant ({mechanism.describe_redundant()}): left out and watched; "
            "reactions there are not unique"
        ]

    def counted_angles(self, system) -> list[tuple[str, float]] | None:
        """Coordinate and scale of the angles that laws along joints count the turns of, in rows of the system; None if there are none."""
        if not hasattr(system, "coordinates") or not system.coordinates.counts_turns.any():
            return None
        if self.is_canonical:  # of closing joints, which have no coordinate in q
            return [("", 1.0)] * len(system.coordinates.kind)
        tables = Tables(self.problem, self.start, self.formulation.name)
        with inputs_in_use(self.inputs):
            tables.laws()
        return [(spec.what, 1.0 / spec.terms[0].weight) for spec in tables.coordinate_specs]

    def singular(self, system, work) -> str:
        """Which constraint depends on the others at the state that work was left at."""
        share, place = work.trouble[SHARE], int(work.trouble[WEAK])
        if share < 0.0:
            return "the positions could not be brought back to where the constraints hold"
        if self.is_canonical:
            name = owner_of(LoopTables(self.problem, self.start).specs[place])
        else:
            name = Tables(self.problem, self.start, self.formulation.name).group_names()[place]
        return f"a singular position: {name} becomes dependent on the other constraints (share of its own {share:.1e})"

    def weakness(self, system, work) -> str:
        """The same, where constraints are nearly dependent."""
        has_trouble = self.has_rows and hasattr(work, "trouble") and 0.0 < work.trouble[SHARE] < NEARLY_DEPENDENT
        return f" Near {self.singular(system, work)}." if has_trouble else ""


class ModelObserver:
    """What follows from states, four at a time."""

    def __init__(self, subject: ModelSubject, system: Any):
        rows, bodies = sum(system.layout), len(subject.problem.bodies)
        self.handle = subject.take_scratch(system)
        work = self.handle.parts[1].context.behind[0].parts[1]
        self.positions, self.bodies = system.layout.positions, bodies
        shapes = ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6))
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in shapes)
        self.openings = subject.openings if subject.has_openings else None
        self.balls = [row for row, name in enumerate(subject.problem.coordinates) if name.endswith(".qw")]
        self.coordinates = None if subject.has_coordinates else TreeCoordinates(subject.problem, subject.start)
        # A gear counts turns from step to step: a sample alone does not tell them.
        self.projects = hasattr(system, "rows") and not subject.has_coordinates and not system.rows.counts_turns.any()
        self.has_momenta, self.norm_errors = subject.is_canonical, subject.formulation.norm_errors
        self.whole_turns = WholeTurns(subject.problem)
        self.counting, self.model = subject.counted_angles(system), subject.problem
        needs_single = self.projects or self.counting is not None
        single = subject.formulation.workspace(system, 1) if needs_single else ()
        self.single = StructPointer(system, single) if needs_single else None
        self.projecting = projected(system, single) if self.projects else None
        self.works = (work, single)

    def renew(self, start: np.ndarray) -> None:
        """Forget the last run; the next one starts there."""
        if self.coordinates is not None:
            self.whole_turns = WholeTurns(self.model)
            self.coordinates = TreeCoordinates(self.model, start)

    @property
    def memory(self) -> tuple[Any, Any]:
        """What the next sample depends on."""
        return self.whole_turns.memory, None if self.coordinates is None else self.coordinates.memory

    @memory.setter
    def memory(self, kept: tuple[Any, Any]) -> None:
        self.whole_turns.memory = kept[0]
        if self.coordinates is not None:
            self.coordinates.memory = kept[1]

    def __call__(self, times: np.ndarray, states: np.ndarray, work: np.ndarray) -> dict[str, np.ndarray]:
        positions, bodies = self.positions, self.bodies
        slopes, energy = np.empty_like(states), np.empty((len(states), 2))
        pose, twist = np.empty((len(states), bodies, 7)), np.empty((len(states), bodies, 6))
        if self.projects:  # a sample between two steps is not on the constraints by itself
            project_states(self.projecting, times, states, np.zeros(states.shape[1]), np.zeros(states.shape[1]))
        observe(self.handle, times, states, self.scratch, slopes, energy, pose, twist)
        self.handle.check()
        if self.coordinates is None:
            own = {"q": states[:, :positions], "qdot": slopes[:, :positions]} | ({"p": states[:, positions:]} if self.has_momenta else {})
            if self.openings is not None:
                unit_quaternions(self.balls, own)
        else:
            q, qdot = self.coordinates(pose, twist)
            own = {"q": self.whole_turns(times, q, qdot), "qdot": qdot}
        if self.counting is not None:
            turns = known_turns(self.model, self.counting, own["q"])
            energies_of_states(self.single, times, states, turns, np.zeros(states.shape[1]), energy)
        seen = {} if self.openings is None else self.openings(times, pose, twist, own["q"])
        if self.norm_errors is not None:
            seen = seen | {"norm_error": self.norm_errors(states)}
        return (
            own
            | seen
            | {
                "t": times,
                "kinetic_energy": energy[:, 0],
                "potential_energy": energy[:, 1],
                "work": work,
                "pose": pose,
                "twist": twist,
            }
        )


def unit_quaternions(rows: list[int], own: dict[str, np.ndarray]) -> None:
    """q / ‖q‖, g ‖q‖: the same attitude and momentum. Partitioned methods keep ‖q‖ to their order only, and nothing depends on it."""
    for row in rows:
        norm = np.linalg.norm(own["q"][:, row : row + 4], axis=1, keepdims=True)
        for name, scale in (("q", 1.0 / norm), ("p", norm), ("qdot", 1.0 / norm)):
            own[name][:, row : row + 4] *= scale


class HamiltonianSubject:
    """H(t, q, p): H itself and the named invariants are recorded."""

    variables = PHASE_SPACE_VARIABLES
    time_unit = ""

    def __init__(self, problem: Hamiltonian, formulation: str | None):
        self.problem, self.name = problem, problem.name
        own = "separable_phase_space" if problem.is_separable else "phase_space"
        if formulation is not None and find_formulation(formulation).name != own:
            raise OptionError(f"formulation = {formulation!r}; {self.name} is an H(q, p), whose equations are {own}: leave it out")
        self.formulation: Formulation = find_formulation(own)
        self.numbers_a_sample = 3 + 4 * len(problem.coordinates) + len(problem.invariants)

    options: Mapping[str, Any] = {}

    largest_opening = np.inf

    def turning_rows(self) -> list[int]:
        return []

    def singular(self, system, work) -> str:
        return "the constraints depend on each other"

    def weakness(self, system, work) -> str:
        return ""

    def notes(self) -> list[str]:
        return []

    is_canonical = True

    def check_events(self, is_possible: bool) -> None:
        """An H(q, p) has names for everything."""

    keeps_system = True
    start = np.zeros(0)

    def assembled(self, q: Any, qdot: Any, p: Any, assemble: Any = None) -> tuple[Any, np.ndarray]:
        start, speed = self.fitted_start(q, qdot, assemble)
        system = self.system_at(start, speed)
        return system, self.state_at(system, start, speed, p, False)

    def fitted_start(self, q: Any, qdot: Any, assemble: Any, t: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        if assemble:
            raise OptionError("assemble closes the loops of a model; an H(q, p) has none")
        if qdot is not None:
            raise OptionError("an H(q, p) starts from q and p, not from qdot")
        return self.problem.values_from(q, self.problem.coordinates, "q"), np.zeros(0)

    def system_at(self, start: np.ndarray, speed: np.ndarray) -> Any:
        return self.formulation.assemble(self.problem)

    def check_start(self, system: Any, start: np.ndarray, speed: np.ndarray) -> None:
        """Whether H is real there is seen when it is evaluated."""

    def apart(self) -> HamiltonianSubject:
        """Nothing here belongs to a start."""
        return self

    def state_at(self, system: Any, start: np.ndarray, speed: np.ndarray, p: Any, has_qdot: bool, t: float = 0.0) -> np.ndarray:
        return np.concatenate([start, self.problem.values_from(p, self.problem.momenta, "p")])

    def check_inputs(self, values: np.ndarray) -> None:
        """There are none."""

    @cached_property
    def inputs(self) -> Inputs:
        """An H(q, p) has none."""
        return Inputs(None)

    def row_name(self, system, row: int) -> str:
        return (self.problem.coordinates + self.problem.momenta)[row]

    @property
    def names(self) -> Names:
        rows = self.problem.coordinates + self.problem.momenta
        return Names(rows, tuple(f"{name}_dot" for name in rows), self.problem.parameters)

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        problem = self.problem
        return {"coordinate": list(problem.coordinates), "momentum": list(problem.momenta), "invariant": list(problem.invariants)}

    def provenance(self) -> dict[str, Any]:
        return {"model_name": self.name, "hamiltonian": self.problem.to_json()}

    def guards(self) -> tuple[Event, ...]:
        """Nothing is known of where an H(q, p) ends."""
        return ()

    def trouble(self, q: np.ndarray, ahead: np.ndarray) -> str:
        return ""

    def hint(self) -> str:
        return ""

    def bad_start(self, observed: dict[str, np.ndarray]) -> HamiltreeError:
        """Say which of H, its gradient and the invariants is not real or not finite."""
        rows = {
            "H": observed["energy"][0],
            **{f"∂H/∂{name}": value for name, value in zip(self.problem.momenta, observed["qdot"][0], strict=True)},
            **{f"∂H/∂{name}": -value for name, value in zip(self.problem.coordinates, observed["pdot"][0], strict=True)},
            **{f"invariant {name}": value for name, value in zip(self.problem.invariants, observed["invariants"][0], strict=True)},
        }
        where = {
            name: float(x)
            for name, x in zip((*self.problem.coordinates, *self.problem.momenta), (*observed["q"][0], *observed["p"][0]), strict=True)
        }
        what = next((name for name, value in rows.items() if not np.isfinite(value)), "H")
        place = ", ".join(f"{name} = {value:g}" for name, value in where.items())
        return OptionError(f"{what} is not real and finite at the start ({place}): {rows[what]}; choose another start or other parameters")

    def fastest(self, qdot: np.ndarray) -> str:
        at = int(np.abs(qdot).argmax())
        return f"when {self.problem.coordinates[at]} was the fastest (rate {abs(qdot[at]):.3g})"

    def observer(self, system) -> HamiltonianObserver:
        return HamiltonianObserver(self, system)


class HamiltonianObserver:
    def __init__(self, subject: HamiltonianSubject, system: Any):
        work = subject.formulation.workspace(system, 1)
        self.handle = StructPointer(system, work)
        self.positions, self.invariants = system.layout.positions, len(subject.problem.invariants)
        self.scratch = (np.zeros(sum(system.layout)), np.zeros(sum(system.layout)), np.zeros(self.invariants))
        self.works = (work,)
        self.memory: Any = None

    def renew(self, start: np.ndarray) -> None:
        """Samples of an H(q, p) do not depend on each other."""

    def __call__(self, times: np.ndarray, states: np.ndarray, work: np.ndarray) -> dict[str, np.ndarray]:
        positions = self.positions
        slopes, energy, kept = np.empty_like(states), np.empty(len(states)), np.empty((len(states), self.invariants))
        observe_phase_space(self.handle, times, states, self.scratch, slopes, energy, kept)
        return {
            "t": times,
            "q": states[:, :positions],
            "p": states[:, positions:],
            "qdot": slopes[:, :positions],
            "pdot": slopes[:, positions:],
            "energy": energy,
            "work": work,
            "invariants": kept,
        }
