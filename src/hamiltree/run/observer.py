"""What is recorded of states: energies, poses, twists, constraint residuals, or H and its
invariants, or ẏ. Four states at a time.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.coordinates import TreeCoordinates
from hamiltree.assembly.kinematics import Tree
from hamiltree.assembly.residuals import ConstraintResiduals, ResidualRows
from hamiltree.assembly.windings import expected_angles
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer
from hamiltree.formulations.batch import (
    energies_of_states,
    momentum_of_state,
    observe,
    observe_phase_space,
    observe_rates,
    project_states,
)
from hamiltree.formulations.formulation import JOINTS, Formulation
from hamiltree.formulations.verb_pointers import observer_pointer, projection_pointer
from hamiltree.model import Model
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.workspaces import SideState
from hamiltree.trajectory.variables import ENERGY_WITHIN, KINETIC_ENERGY_WITHIN


class ModelObserver:
    """Of a model in a formulation.

    It computes in the workspaces of the method, between its steps.
    """

    def __init__(
        self,
        model: Model,
        formulation: Formulation,
        system: Any,
        lanes: Any,
        single: Any,
        has_free_groups: bool = False,
    ):
        """Scratch of four lanes, and pointers to the workspaces `lanes` and `single`."""
        rows = sum(system.layout)
        bodies = len(model.bodies)
        self.model = model
        self.formulation = formulation
        self.system = system
        self.has_free_groups = has_free_groups
        self.bodies = bodies
        self.positions = system.layout.positions
        self.pointer = observer_pointer(system, lanes)
        shapes = ((1,), (rows,), (rows,), (bodies, 7), (bodies, 6))
        self.scratch = tuple(np.zeros((*shape, WIDTH)) for shape in shapes)
        self.balls = [row for row, name in enumerate(model.coordinates) if name.endswith(".qw")]
        # A gear counts turns from step to step: a sample alone does not tell them.
        self.projects = (
            JOINTS in formulation.supports
            and not formulation.has_coordinates
            and not system.facts.rows_count_windings
        )
        self.projecting = projection_pointer(system, single) if self.projects else None
        self.single = StructPointer(system, single) if system.facts.laws_count_windings else None
        self.side_state = SideState((single, lanes))
        self.coordinates: TreeCoordinates | None = None
        self.constraint_residuals: ConstraintResiduals | None = None
        self.followed: list[tuple[str, float]] = []  # coordinate and scale, as in the windings
        self.started_at: Assembly | None = None

    def take_model(self, model: Model, has_free_groups: bool) -> None:
        """Observe another model with the same parts, of which nothing is known yet."""
        self.model = model
        self.has_free_groups = has_free_groups
        self.started_at = None

    def begin(self, assembly: Assembly, rows: ResidualRows | None) -> None:
        """Forget the last run; the next one starts there. The workspaces are as new."""
        if self.side_state.arrays:
            self.side_state.begin()
        if self.started_at is not assembly:
            self.started_at = assembly
            self.constraint_residuals = None if rows is None else ConstraintResiduals(rows)
            if self.system.facts.followed and self.formulation.winding_angles is not None:
                self.followed = self.formulation.winding_angles(assembly)
        elif self.constraint_residuals is not None:
            self.constraint_residuals.begin()
        if not self.formulation.has_coordinates:
            self.coordinates = TreeCoordinates(self.model, assembly.q)

    @property
    def memory(self) -> tuple[Any, Any, Any]:
        """What the next sample depends on: counts of turns, and where coordinates are read from
        poses, the last ones.
        """
        own = [array.copy() for array in self.side_state.own]
        residuals = None
        if self.constraint_residuals is not None:
            residuals = self.constraint_residuals.memory
        coordinates = None if self.coordinates is None else self.coordinates.memory
        return own, residuals, coordinates

    @memory.setter
    def memory(self, kept: tuple[Any, Any, Any]) -> None:
        self.side_state.own = [array.copy() for array in kept[0]]
        if self.constraint_residuals is not None:
            self.constraint_residuals.memory = kept[1]
        if self.coordinates is not None:
            self.coordinates.memory = kept[2]

    def __call__(
        self, times: np.ndarray, states: np.ndarray, work: np.ndarray, windings: np.ndarray
    ) -> dict[str, np.ndarray]:
        with self.side_state if self.side_state.arrays else nullcontext():
            return self.observe_states(times, states, work, windings)

    def observe_states(
        self, times: np.ndarray, states: np.ndarray, work: np.ndarray, windings: np.ndarray
    ) -> dict[str, np.ndarray]:
        """Variables of the samples by name; states are projected in place where the constraints
        need it.
        """
        own, energy, pose, twist, angles = self.observe_motion(times, states, windings)
        if self.single is not None:
            y = np.zeros(states.shape[1])
            energies_of_states(self.single, times, states, windings, y, energy)
        errors: dict[str, np.ndarray] = {}
        if self.constraint_residuals is not None:
            errors |= self.constraint_residuals(times, pose, twist, own["q"], angles)
        if self.formulation.norm_errors is not None:
            errors["norm_error"] = self.formulation.norm_errors(states)
        if self.formulation.radial_momenta is not None:
            errors["radial_momentum"] = self.formulation.radial_momenta(states)
        energies = {"kinetic_energy": energy[:, 0], "potential_energy": energy[:, 1]}
        chunk = own | errors | {"t": times, **energies, "work": work, "pose": pose, "twist": twist}
        start = self.started_at
        if start is not None and (self.has_free_groups or start.orbiting_origin is not None):
            self.see_from_ground(start, chunk)
        return chunk

    def observe_motion(
        self, times: np.ndarray, states: np.ndarray, windings: np.ndarray
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, np.ndarray]]:
        """Coordinates of joints, energies, poses, twists and followed angles, as the state has
        them.
        """
        count = len(states)
        slopes = np.empty_like(states)
        energy = np.empty((count, 2))
        pose = np.empty((count, self.bodies, 7))
        twist = np.empty((count, self.bodies, 6))
        # a sample between two steps is not on the constraints by itself
        if self.projecting is not None:
            project_states(
                self.projecting, times, states, np.zeros(states.shape[1]), np.zeros(states.shape[1])
            )
        observe(self.pointer, times, states, self.scratch, slopes, energy, pose, twist)
        self.pointer.check()
        angles = self.angles_by_coordinate(times, windings)
        own = self.joint_coordinates(states, slopes, pose, twist, angles, windings)
        return own, energy, pose, twist, angles

    def coordinates_and_poses(
        self, times: np.ndarray, states: np.ndarray, windings: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """q and poses of the samples as seen from the ground, and nothing else."""
        with self.side_state if self.side_state.arrays else nullcontext():
            own, _, pose, twist, _ = self.observe_motion(times, states, windings)
        for origins in () if self.started_at is None else self.started_at.origins:
            origins.shift_bodies(times, pose, twist)
            origins.shift_coordinates(times, own["q"], own["qdot"])
        return own["q"], pose

    def see_from_ground(self, assembly: Assembly, chunk: dict[str, np.ndarray]) -> None:
        """Everything that is relative to moving origins as seen from the ground; before that,
        energies of the motion within free groups.
        """
        if assembly.orbiting_origin is not None:
            orbiting = assembly.orbiting_origin
            orbiting.shift_energies(chunk, orbiting.groups.momenta(chunk["pose"], chunk["twist"]))
        if self.has_free_groups and assembly.free_groups is not None:
            self.add_motion_within(assembly, chunk)
        for origins in assembly.origins:
            origins.shift_bodies(chunk["t"], chunk["pose"], chunk["twist"])
            origins.shift_coordinates(chunk["t"], chunk["q"], chunk["qdot"])
        if assembly.origins and "p" in chunk:
            chunk["p"] = self.momenta_of(chunk["t"], chunk["q"], chunk["qdot"])

    def add_motion_within(self, assembly: Assembly, chunk: dict[str, np.ndarray]) -> None:
        """Energies of the motion within free groups, as seen from their moving origins; then those
        from the ground.
        """
        groups, origin = assembly.free_groups, assembly.origin
        assert groups is not None
        momenta = groups.momenta(chunk["pose"], chunk["twist"])
        kinetic = chunk["kinetic_energy"]
        chunk[ENERGY_WITHIN] = kinetic + chunk["potential_energy"] - chunk["work"]
        first = assembly.momenta_of_free_groups
        chunk[KINETIC_ENERGY_WITHIN] = groups.kinetic_energy_within(kinetic, momenta, first)
        if origin is not None:
            origin.shift_energies(chunk, momenta)

    def momenta_of(self, times: np.ndarray, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
        """p = ∂L/∂q̇ of every sample."""
        n = self.positions
        found = np.empty_like(q)
        y = np.zeros(sum(self.system.layout))
        ydot = np.zeros_like(y)
        for k, t in enumerate(times):
            y[:n], ydot[:n] = q[k], qdot[k]
            momentum_of_state(self.pointer, float(t), y, ydot)
            found[k] = y[n:]
        return found

    def states_from_ground(self, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        """States (q, p) of joints as seen from the ground."""
        assembly = self.started_at
        if assembly is None or not assembly.origins or not len(times):
            return states
        positions = self.positions
        slopes = self.slopes_of(times, states)
        q, qdot = states[:, :positions].copy(), slopes[:, :positions].copy()
        for origins in assembly.origins:
            origins.shift_coordinates(times, q, qdot)
        return np.hstack([q, self.momenta_of(times, q, qdot)])

    def rates_at(self, t: float, y: np.ndarray) -> np.ndarray:
        """q̇ of one state."""
        return self.slopes_of(np.array([t]), y[None])[0, : self.positions]

    def slopes_of(self, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        """ẏ of states, as they are, without origins."""
        slopes = np.empty_like(states)
        energy = np.empty((len(times), 2))
        pose, twist = (np.empty((len(times), self.bodies, k)) for k in (7, 6))
        observe(self.pointer, times, states, self.scratch, slopes, energy, pose, twist)
        return slopes

    def angles_by_coordinate(self, times, windings) -> dict[str, np.ndarray]:
        """Coordinates of followed angles at the samples, to less than half a turn."""
        found = expected_angles(times, windings) if self.followed else np.zeros((0, 0))
        return {label: found[:, k] / scale for k, (label, scale) in enumerate(self.followed)}

    def joint_coordinates(
        self, states, slopes, pose, twist, angles, windings
    ) -> dict[str, np.ndarray]:
        """q, q̇ and p of the joints of the tree: from the state, or from poses and twists where it
        holds bodies.
        """
        if self.coordinates is not None:
            quaternions = None
            if self.formulation.body_quaternions is not None:
                quaternions = self.formulation.body_quaternions(self.system, states, windings)
            q, qdot = self.coordinates(pose, twist, angles, quaternions)
            return {"q": q, "qdot": qdot}
        positions = self.positions
        momenta = {"p": states[:, positions:]} if self.formulation.has_momenta else {}
        own = {"q": states[:, :positions], "qdot": slopes[:, :positions], **momenta}
        if self.constraint_residuals is not None:
            if self.balls and self.started_at is not None:
                own["norm_error"] = norm_errors_of_joints(self.started_at.tree, own["q"])
            normalise_quaternions(self.balls, own)
        return own


def norm_errors_of_joints(tree: Tree, q: np.ndarray) -> np.ndarray:
    """‖q‖² − 1 of the quaternion of each joint, by the body that it carries; 0 without one."""
    errors = np.zeros((len(q), len(tree.joints)))
    for joint in tree.joints:
        if joint.ball is not None:
            row = joint.ball[0]
            errors[:, joint.body] = (q[:, row : row + 4] ** 2).sum(axis=1) - 1.0
    return errors


def normalise_quaternions(rows: list[int], own: dict[str, np.ndarray]) -> None:
    """q / ‖q‖, g ‖q‖: the same attitude and momentum.

    Partitioned methods keep ‖q‖ to their order only, and nothing depends on it.
    """
    for row in rows:
        norm = np.linalg.norm(own["q"][:, row : row + 4], axis=1, keepdims=True)
        for name, scale in (("q", 1.0 / norm), ("p", norm), ("qdot", 1.0 / norm)):
            own[name][:, row : row + 4] *= scale


class TypedObserver:
    """Of an H(t, q, p) or an ẏ = f(t, y): samples do not depend on each other."""

    memory: Any = None

    def __init__(self, problem: TypedProblem, system: Any, single: Any):
        self.pointer = StructPointer(system, single)
        self.positions = system.layout.positions
        self.invariants = len(problem.invariants)
        rows = sum(system.layout)
        self.scratch = np.zeros(rows), np.zeros(rows), np.zeros(self.invariants)

    def begin(self, assembly: Any, constraint_residuals: Any = None) -> None:
        """Nothing is carried from sample to sample."""

    def states_from_ground(self, times: np.ndarray, states: np.ndarray) -> np.ndarray:
        return states

    def coordinates_and_poses(
        self, times: np.ndarray, states: np.ndarray, windings: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        """All variables, as there are no bodies."""
        return states, np.zeros((len(states), 0, 7))

    def __call__(
        self, times: np.ndarray, states: np.ndarray, work: np.ndarray, windings: Any = None
    ) -> dict[str, np.ndarray]:
        raise NotImplementedError


class HamiltonianObserver(TypedObserver):
    """Of an H(t, q, p)."""

    def __call__(
        self, times: np.ndarray, states: np.ndarray, work: np.ndarray, windings: Any = None
    ) -> dict[str, np.ndarray]:
        """Variables of the samples by name."""
        positions = self.positions
        slopes = np.empty_like(states)
        energy = np.empty(len(states))
        kept = np.empty((len(states), self.invariants))
        observe_phase_space(self.pointer, times, states, self.scratch, slopes, energy, kept)
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


class OdeObserver(TypedObserver):
    """Of an ẏ = f(t, y)."""

    def __call__(
        self, times: np.ndarray, states: np.ndarray, work: np.ndarray, windings: Any = None
    ) -> dict[str, np.ndarray]:
        """Variables of the samples by name; q and qdot are what a run asks every chunk for."""
        slopes = np.empty_like(states)
        kept = np.empty((len(states), self.invariants))
        observe_rates(self.pointer, times, states, self.scratch, slopes, kept)
        own = {"t": times, "y": states, "ydot": slopes, "invariants": kept}
        return own | {"q": states, "qdot": slopes}
