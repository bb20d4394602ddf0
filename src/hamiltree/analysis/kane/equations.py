"""Kane's equations of a model at a state, in numbers, computed as they are asked for.

`RelativeEquations` has the speeds of the joints, `AbsoluteEquations` ω'_K of all bodies and the
slides of joints. Plain NumPy; columns stand in the order of the notes, rotations first.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.analysis.kane import absolute as kane_absolute
from hamiltree.analysis.kane.connections import (
    Array,
    Connection,
    Labels,
    Link,
    Speed,
    connect_bodies,
    number_bodies,
    relative_speeds,
)
from hamiltree.analysis.kane.matrices import (
    AbsoluteConnection,
    Loads,
    Matrices,
    absolute_matrices,
    applied_forces,
    inertia_terms,
    mass_matrix,
    relative_matrices,
)
from hamiltree.analysis.kane.vectors import (
    Coordinates,
    Vectors,
    absolute_coordinates,
    absolute_vectors,
    body_rotations,
    relative_coordinates,
    relative_vectors,
)
from hamiltree.forces.laws import JOINT_LAWS
from hamiltree.formulations.absolute.tables import check_armatures
from hamiltree.model import GROUND, Frame, Free, Model
from hamiltree.rotations import quaternion_from_matrix, rotate, rotate_back

SINGULAR = 1e-13  # of the largest eigenvalue of [A]


class RelativeEquations:
    """Kane's equations with relative speeds, for a model at a state."""

    name: ClassVar[str] = "kane_relative"
    is_relative: ClassVar[bool] = True  # partial velocities in body axes

    def __init__(self, model: Model, q: Array, u: Array, t: float):
        """Connections with relative speeds, which both forms need."""
        self.model, self.t = model, t
        self.q, self.u = q, u
        self.labels = Labels(model)
        self.links: list[Link] = number_bodies(model, self.name)
        self.own_speeds: list[Speed] = relative_speeds(model, self.links)
        self.own_y = np.array([u[self.labels.row[speed.label]] for speed in self.own_speeds])
        self.connections: list[Connection] = connect_bodies(
            model, self.labels, self.links, self.own_speeds, q, u
        )

    # ---- what depends on the formulation ---------------------------------------------------------
    @property
    def speeds(self) -> list[Speed]:
        return self.own_speeds

    @property
    def y(self) -> Array:
        return self.own_y

    @property
    def matrices(self) -> Matrices:
        return self.own_matrices

    @property
    def vectors(self) -> Vectors:
        return self.own_vectors

    @cached_property
    def coordinates(self) -> Coordinates:
        return relative_coordinates(self.connections)

    @cached_property
    def joint_forces(self) -> Array:
        """Generalised forces of the laws along joints."""
        return np.array([self.efforts.get(speed.label, 0.0) for speed in self.speeds])

    @cached_property
    def armatures(self) -> Array:
        """(n, n): inertia of coordinates alone; of a follower, times ratio², of its leader."""
        found = np.zeros(len(self.speeds))
        column = {speed.label: k for k, speed in enumerate(self.speeds)}
        for link in self.links:
            leaders = self.labels.leaders(link.joint)
            for (label, ratio), inertia in zip(leaders, link.joint.armatures(), strict=False):
                found[column[label]] += ratio**2 * inertia
        return np.diag(found)

    @cached_property
    def rates(self) -> Array | None:
        """{ẏ} = [A]⁻¹{f}; None where [A] is singular."""
        return solve_regular(self.mass_matrix, self.forces)

    # ---- common ----------------------------------------------------------------------------------
    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.model.bodies[link.body].name for link in self.links)

    @cached_property
    def own_matrices(self) -> Matrices:
        return relative_matrices(self.connections, len(self.own_speeds))

    @cached_property
    def own_vectors(self) -> Vectors:
        return relative_vectors(self.connections)

    @cached_property
    def rotations(self) -> Array:
        """[R_K], inertial to body axes."""
        return body_rotations(self.connections)

    @cached_property
    def centres(self) -> Array:
        """p_G_K in inertial axes."""
        return rotate_back(self.rotations, self.own_vectors.position_G)

    @cached_property
    def mass_matrix(self) -> Array:
        return mass_matrix(self.matrices, self.loads) + self.armatures

    @cached_property
    def applied_forces(self) -> Array:
        """{F_y}, laws along joints included."""
        return applied_forces(self.matrices, self.loads) + self.joint_forces

    @cached_property
    def forces(self) -> Array:
        """{f}"""
        inertial = inertia_terms(self.matrices, self.loads, self.y, self.is_relative)
        return self.applied_forces + inertial

    @cached_property
    def angular_acceleration(self) -> Array | None:
        """α'_K = [ω'_K,y]{ẏ} + [ω̇'_K,y]{y}, in body axes."""
        if self.rates is None:
            return None
        return self.matrices.omega @ self.rates + self.matrices.omega_dot @ self.y

    @cached_property
    def acceleration_G(self) -> Array | None:
        """a_G_K = [v_G_K,y]{ẏ} + [v̇_G_K,y]{y}, and + [ω̃'_K]{v'_G_K} in body axes."""
        if self.rates is None:
            return None
        found = self.matrices.velocity @ self.rates + self.matrices.velocity_dot @ self.y
        turning = np.cross(self.vectors.angular_velocity, self.vectors.velocity_G)
        return found + turning if self.is_relative else found

    # ---- forces ----------------------------------------------------------------------------------
    @cached_property
    def loads(self) -> Loads:
        """Gravity and the body laws of the model, at the centres of mass: F_K in the axes of the
        partial velocities, M_K in body axes.
        """
        bodies = [self.model.bodies[link.body] for link in self.links]
        mass = np.array([body.mass for body in bodies])
        force, moment = self.wrenches()
        force = force + mass[:, None] * np.array(self.model.gravity)
        if self.is_relative:
            force = rotate(self.rotations, force)
        return Loads(mass, np.array([body.inertia for body in bodies]), force, moment)

    def wrenches(self) -> tuple[Array, Array]:
        """Forces and moments of the body laws: the generalised forces of free bodies at the same
        poses and velocities.
        """
        laws = {law.part for law in JOINT_LAWS}
        acting = [force for force in self.model.forces if type(force) not in laws]
        if not acting:
            return np.zeros((2, len(self.links), 3))  # type: ignore[return-value]
        bodies = [self.model.bodies[link.body] for link in self.links]
        joints = [
            Free(f"free {body.name}", GROUND, body.name, on_child=Frame(body.com))
            for body in bodies
        ]
        floating = Model(bodies, joints, acting, (0.0, 0.0, 0.0), self.model.name)
        velocity = rotate_back(self.rotations, self.own_vectors.velocity_G)
        attitude = quaternion_from_matrix(np.swapaxes(self.rotations, 1, 2))
        q = np.hstack([self.centres, attitude]).ravel()
        u = np.hstack([velocity, self.own_vectors.angular_velocity]).ravel()
        found = Dynamics(floating).forces(q, u, self.t)
        force, moment = np.swapaxes(found.reshape(-1, 2, 3), 0, 1)
        return force, moment

    @cached_property
    def efforts(self) -> dict[str, float]:
        """Laws along joints: generalised forces by the model's speeds."""
        laws = {law.part for law in JOINT_LAWS}
        acting = [force for force in self.model.forces if type(force) in laws]
        if not acting:
            return {}
        found = Dynamics(self.model.with_(forces=tuple(acting))).forces(self.q, self.u, self.t)
        return dict(zip(self.model.speeds, found.tolist(), strict=True))

    @property
    def has_joint_laws(self) -> bool:
        laws = {law.part for law in JOINT_LAWS}
        return any(type(force) in laws for force in self.model.forces)

    @property
    def has_armatures(self) -> bool:
        return any(any(link.joint.armatures()) for link in self.links)


class AbsoluteEquations(RelativeEquations):
    """Kane's equations with absolute speeds, for a model at a state."""

    name: ClassVar[str] = "kane_absolute"
    is_relative: ClassVar[bool] = False

    def __init__(self, model: Model, q: Array, u: Array, t: float):
        """Slides, absolute speeds and the arms of bodies."""
        super().__init__(model, q, u, t)
        check_armatures(model, self.name, "take kane_relative")
        self.slides = [kane_absolute.Slides(model, link) for link in self.links]
        self.all_speeds = kane_absolute.absolute_speeds(model, self.links, self.slides)
        self.arms: list[AbsoluteConnection] = kane_absolute.arms_at(
            model,
            self.labels,
            self.links,
            self.slides,
            self.rotations,
            self.own_vectors.angular_velocity,
            q,
            u,
        )

    @property
    def speeds(self) -> list[Speed]:
        return self.all_speeds

    @cached_property
    def y(self) -> Array:  # type: ignore[override]
        """ω'_K of all bodies, then the rates along the slides of their joints."""
        along = [
            own.along(self.labels.joint_state(link.joint, self.q, self.u).u)
            for link, own in zip(self.links, self.slides, strict=True)
        ]
        return np.concatenate([self.own_vectors.angular_velocity.ravel(), *along])

    @cached_property
    def matrices(self) -> Matrices:  # type: ignore[override]
        return absolute_matrices(self.arms, len(self.all_speeds))

    @cached_property
    def coordinates(self) -> Coordinates:
        return absolute_coordinates(self.connections, self.arms)

    @cached_property
    def speed_relation(self) -> tuple[Array, Array]:
        return kane_absolute.speed_relation(
            self.labels, self.links, self.slides, self.own_speeds, self.own_matrices
        )

    @cached_property
    def vectors(self) -> Vectors:  # type: ignore[override]
        return absolute_vectors(self.arms)

    @cached_property
    def joint_forces(self) -> Array:
        """Along slides directly, along rotations as torques on K and J of the same power."""
        return kane_absolute.generalised_forces_of_efforts(
            self.labels,
            self.links,
            self.slides,
            self.speeds,
            self.efforts,
            self.matrices.omega,
            self.q,
            self.u,
        )

    @cached_property
    def armatures(self) -> Array:
        return np.zeros((len(self.speeds), len(self.speeds)))

    @cached_property
    def rates(self) -> Array | None:
        """{ẏ} that obeys what joints lock: Tᵀ[A](T u̇ + Ṫ u) = Tᵀ{f}."""
        A, f = self.mass_matrix, self.forces
        T, rate = self.speed_relation
        if T.shape[0] == T.shape[1]:
            return solve_regular(A, f)
        found = solve_regular(T.T @ A @ T, T.T @ (f - A @ rate @ self.own_y))
        return None if found is None else T @ found + rate @ self.own_y


def solve_regular(A: Array, f: Array) -> Array | None:
    """A⁻¹ f; None where a motion has no inertia."""
    values = np.linalg.eigvalsh(A) if len(A) else np.ones(1)
    return np.linalg.solve(A, f) if values[0] > SINGULAR * values[-1] else None


EQUATIONS: dict[str, type[RelativeEquations]] = {
    one.name: one for one in (RelativeEquations, AbsoluteEquations)
}
