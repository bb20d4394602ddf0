"""Rigid-body algorithms of a tree at a state, without a run: `ht.dynamics(model)` and its methods.

Inverse dynamics by the recursive Newton–Euler algorithm (RNEA), the mass matrix by composite
inertias (CRBA), forward dynamics by articulated inertias (ABA), M = U diag(d) Uᵀ with the sparsity
of the tree (the factorisation known as LTDL), Jacobians, centroidal momentum, derivatives. The
compiled code is in formulations/tree/ (dynamics.py, frames.py, derivatives.py).

q is in the order of model.coordinates, speeds, accelerations and forces in the order of
model.speeds. One state is (n,), many are (k, n) and are computed four at a time. World axes and SI;
six-vectors have the angular part first. A model's forces (springs, dampers, loads) act in inverse
and forward dynamics unless `forces=False`; mass matrix, bias and gravity are of the bodies alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.algorithms.answers import Derivatives, Factor, TotalMomentum, square_matrices
from hamiltree.algorithms.force_slopes import (
    find_differenced_forces,
    find_force_slopes,
    has_force_slopes,
    make_derivatives_query,
)
from hamiltree.algorithms.frames import find_place, jacobian_call, pose_of, twist_of
from hamiltree.algorithms.operational_space import invert_mobility, mobility
from hamiltree.algorithms.positions import integrate_positions
from hamiltree.algorithms.queries import Query, check_states, key_with_forces
from hamiltree.algorithms.services import bind_service, is_direct, service, service_by_name
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.direct_calls import Part
from hamiltree.compiled.internals import is_interpreted
from hamiltree.errors import FitError, OptionError
from hamiltree.forces.laws import check_laws
from hamiltree.formulations.tree import dynamics as tree_dynamics
from hamiltree.formulations.tree import frames as tree_frames
from hamiltree.formulations.tree import mass_matrix as tree_mass_matrix
from hamiltree.formulations.tree.algorithms import (
    algorithm_workspace,
    assemble_algorithm_tables,
)
from hamiltree.model import Model
from hamiltree.model.values import ORIGIN, point
from hamiltree.renamed import refuse_attribute

Array = np.ndarray


class Dynamics:
    """The rigid-body algorithms of one model. Threads may share it; they wait for each other."""

    def __init__(self, model: Model, tree: Model | None = None):
        """Tables of the tree; code is compiled by the first question of its kind. `tree`: the model
        without its loops.
        """
        if not isinstance(model, Model):
            raise OptionError(
                f"dynamics takes a Model, not {type(model).__name__}; read a file with "
                "hamiltree.load(path)"
            )
        check_laws(model.forces)
        self.model = model
        self.tree_model = model if tree is None else tree
        self.tables = assemble_algorithm_tables(self.tree_model)
        self.links = len(self.tables.tree.parent)
        self.positions, self.freedoms = len(model.coordinates), len(model.speeds)
        self.along_speeds = Part(0, (self.freedoms,))
        self.workspaces: dict[tuple[int, bool], Any] = {}
        self.has_mass = any(
            body.mass > 0
            for body, link in zip(model.bodies, self.tables.tree.link_of_body, strict=True)
            if link < self.links
        )
        self.has_derivatives = not (self.tables.tree.ball_sign < 0).any()
        self.force_slopes: Any = None
        self.queries: dict[Any, Callable[..., Any]] = {}
        # of bodies and frames by their names: Jacobians of their origins in world axes
        self.named_queries: dict[str, dict[str, Callable]] = {"jacobian": {}, "jacobian_rate": {}}
        self.single_force_dynamics: list[Dynamics] | None = None

    def __repr__(self) -> str:
        return f"<Dynamics of {self.model!r}>"

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

    @property
    def degrees_of_freedom(self) -> int:
        return len(self.independent_speeds)

    @property
    def independent_speeds(self) -> tuple[str, ...]:
        """The speeds that determine all others: in a tree all of them."""
        return self.model.speeds

    def workspace(self, width: int, has_matrices: bool) -> Any:
        """A workspace, made when first needed; matrices only for queries that need them."""
        key = width, has_matrices
        if key not in self.workspaces:
            self.workspaces[key] = algorithm_workspace(self.tables, width, has_matrices)
        return self.workspaces[key]

    def query(self, key: Any, *arguments: Any, **options: Any) -> Callable[..., Any]:
        """Bind a question to compiled code and keep it under the key; that of a service has its
        name.
        """
        found = self.queries[key] = Query(self, *arguments, **options).fast_call()
        bind_service(self, key, found)
        return found

    # ---- dynamics --------------------------------------------------------------------------------
    @service
    def inverse_dynamics(
        self, q: Any, qdot: Any, qddot: Any, forces: bool = True, t: float = 0.0
    ) -> Array:
        """τ = M a + bias − Q: the generalised force that must act, beside the model's forces Q, for
        these accelerations (recursive Newton–Euler algorithm, RNEA).
        """
        key = key_with_forces("inverse_dynamics", forces)
        run = self.queries.get(key) or self.query(
            key,
            tree_dynamics.InverseDynamics(bool(forces)),
            ("q", "qdot", "qddot"),
            self.along_speeds,
        )
        return run(t, q, qdot, qddot)

    @service
    def forward_dynamics(
        self, q: Any, qdot: Any, tau: Any = None, forces: bool = True, t: float = 0.0
    ) -> Array:
        """a = M⁻¹(τ + Q − bias): accelerations under the model's forces Q and τ (none if not
        given), in O(N) (articulated-body algorithm, ABA).
        """
        key = key_with_forces("forward_dynamics", forces)
        run = self.queries.get(key) or self.query(
            key,
            tree_dynamics.ForwardDynamics(bool(forces)),
            ("q", "qdot", "tau"),
            self.along_speeds,
            is_last_optional=True,
        )
        return run(t, q, qdot, np.zeros(self.freedoms) if tau is None else tau)

    @service
    def mass_matrix(self, q: Any) -> Array:
        """M(q), symmetric, in the order of the speeds (composite-rigid-body algorithm, CRBA)."""
        n = self.freedoms
        run = self.queries.get("mass_matrix") or self.query(
            "mass_matrix", tree_mass_matrix.MassMatrix(True), ("q",), Part(0, (n, n))
        )
        return run(0.0, q)

    @service
    def factor(self, q: Any) -> Factor:
        """M = U diag(d) Uᵀ with the sparsity of the tree (LTDL factorisation)."""
        n = self.freedoms
        run = self.queries.get("factor") or self.query(
            "factor",
            tree_mass_matrix.Factor(True),
            ("q",),
            Part(0, (n, n)),
            Part(n * n, (n,)),
            kind=Factor,
            output_size=2 * n * n + n,
        )
        return run(0.0, q)

    @service
    def solve(self, q: Any, x: Any) -> Array:
        """M⁻¹ x in O(N), without the matrix (articulated inertias, as in ABA)."""
        run = self.queries.get("solve") or self.query(
            "solve",
            tree_dynamics.SolveMassMatrix(True),
            ("q", "x"),
            self.along_speeds,
        )
        return run(0.0, q, x)

    @service
    def bias(self, q: Any, qdot: Any) -> Array:
        """C(q, q̇) q̇ + gravity: the τ of zero accelerations, without the model's forces (RNEA)."""
        run = self.queries.get("bias") or self.query(
            "bias",
            tree_dynamics.BiasForces(True),
            ("q", "qdot"),
            self.along_speeds,
        )
        return run(0.0, q, qdot)

    @service
    def gravity(self, q: Any) -> Array:
        """The τ that holds the bodies at rest against gravity."""
        run = self.queries.get("gravity") or self.query(
            "gravity",
            tree_dynamics.GravityForces(True),
            ("q",),
            self.along_speeds,
        )
        return run(0.0, q)

    @service
    def forces(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """Q: the model's forces along the speeds."""
        run = self.queries.get("forces") or self.query(
            "forces",
            tree_dynamics.GeneralisedForces(True),
            ("q", "qdot"),
            self.along_speeds,
        )
        return run(t, q, qdot)

    # ---- momenta and energies --------------------------------------------------------------------
    @service
    def centre_of_mass(self, q: Any) -> Array:
        """Of all that can move, world axes."""
        self.check_mass()
        run = self.queries.get("centre_of_mass") or self.query(
            "centre_of_mass", tree_frames.CentreOfMass(True), ("q",), Part(0, (3,))
        )
        return run(0.0, q)

    @service
    def momentum(self, q: Any, qdot: Any) -> TotalMomentum:
        """Angular and linear momentum of all bodies, about the world's origin and about the centre
        of mass.
        """
        self.check_mass()
        run = self.queries.get("momentum") or self.query(
            "momentum",
            tree_frames.TotalMomentum(True),
            ("q", "qdot"),
            *(Part(3 * k, (3,)) for k in range(4)),
            kind=TotalMomentum,
        )
        return run(0.0, q, qdot)

    @service
    def momentum_matrix(self, q: Any) -> Array:
        """The centroidal momentum matrix A:
        (angular momentum about the centre of mass, linear momentum) = A(q) q̇, (6, n).
        """
        self.check_mass()
        n = self.freedoms
        run = self.queries.get("momentum_matrix") or self.query(
            "momentum_matrix", tree_frames.MomentumMatrix(True), ("q",), Part(0, (6, n))
        )
        return run(0.0, q)

    @service
    def energies(self, q: Any, qdot: Any, t: float = 0.0) -> tuple[Any, Any]:
        """(kinetic, potential) energy, J; potential of gravity about the world's origin and of the
        model's forces.
        """
        run = self.queries.get("energies") or self.query(
            "energies",
            tree_frames.EnergiesOfState(True),
            ("q", "qdot"),
            Part(0, ()),
            Part(1, ()),
            kind=tuple,
        )
        return run(t, q, qdot)

    def powers(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """Power of every force of the model, W, in their order."""
        given = check_states(qdot, "qdot", self.model.speeds)
        each = [
            (element.forces(q, qdot, t) * given).sum(-1) for element in self.dynamics_by_force()
        ]
        return np.stack(each, -1) if each else np.zeros((*given.shape[:-1], 0))

    def dissipations(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """Power of every force that is no change of its potential energy, W: of dampers, friction
        and loads, in their order.
        """
        given = check_states(qdot, "qdot", self.model.speeds)
        each = [element.dissipated_power(q, qdot, t) for element in self.dynamics_by_force()]
        return np.stack(each, -1) if each else np.zeros((*given.shape[:-1], 0))

    @service
    def dissipated_power(self, q: Any, qdot: Any, t: float = 0.0) -> Any:
        """The sum of `dissipations`: what changes the total energy."""
        run = self.queries.get("dissipated_power") or self.query(
            "dissipated_power", tree_frames.DissipatedPower(True), ("q", "qdot"), Part(0, ())
        )
        return run(t, q, qdot)

    def potentials(self, q: Any, t: float = 0.0) -> Array:
        """Potential energy of every force of the model, J, in their order; zero of those that have
        none.
        """
        given = check_states(q, "q", self.model.coordinates)
        rest = np.zeros((*given.shape[:-1], self.freedoms))
        each = [element.energies(q, rest, t)[1] for element in self.dynamics_by_force()]
        return np.stack(each, -1) if each else np.zeros((*given.shape[:-1], 0))

    def dynamics_by_force(self) -> list[Dynamics]:
        """The model without gravity, with one force at a time."""
        if self.single_force_dynamics is None:
            still = self.model.with_(gravity=(0.0, 0.0, 0.0))
            self.single_force_dynamics = [
                Dynamics(still.with_(forces=(force,))) for force in self.model.forces
            ]
        return self.single_force_dynamics

    # ---- frames ----------------------------------------------------------------------------------
    @service
    def poses(self, q: Any) -> Array:
        """(bodies, 7): position and unit quaternion (scalar first) of every body, in the model's
        order.
        """
        count = len(self.model.bodies)
        run = self.queries.get("poses") or self.query(
            "poses", tree_frames.Poses(False), ("q",), Part(0, (count, 7))
        )
        return run(0.0, q)

    @service
    def twists(self, q: Any, qdot: Any) -> Array:
        """(bodies, 6): angular velocity and velocity of the origin of every body."""
        count = len(self.model.bodies)
        run = self.queries.get("twists") or self.query(
            "twists",
            tree_frames.Poses(True),
            ("q", "qdot"),
            Part(7 * count, (count, 6)),
            output_size=13 * count,
        )
        return run(0.0, q, qdot)

    def pose(self, q: Any, name: str) -> Array:
        """(7,): position and unit quaternion (scalar first) of a body or a frame by its name."""
        return pose_of(self.poses(q), find_place(self.model, name))

    def twist(self, q: Any, qdot: Any, name: str, at: Any = ORIGIN) -> Array:
        """(6,): angular velocity, and velocity of the point `at`, of a body or a frame by its
        name; world axes.
        """
        place = find_place(self.model, name)
        where = point(at, ("body", name), "at")
        return twist_of(self.poses(q), self.twists(q, qdot), place, where)

    @service_by_name
    def jacobian(self, q: Any, body: str, at: Any = ORIGIN, axes: str = "world") -> Array:
        """(6, n): (ω, velocity of the point `at` of a body or a frame) = J(q) q̇, in the axes of
        the world or of that body or frame.
        """
        return self.find_jacobian("jacobian", body, at, axes)(0.0, q)

    @service_by_name
    def jacobian_rate(
        self, q: Any, qdot: Any, body: str, at: Any = ORIGIN, axes: str = "world"
    ) -> Array:
        """dJ/dt at these speeds."""
        return self.find_jacobian("jacobian_rate", body, at, axes)(0.0, q, qdot)

    def find_jacobian(self, what: str, name: str, at: Any, axes: str) -> Callable[..., Any]:
        """The Jacobian of a point, or its rate, bound to compiled code and kept by what names it;
        the next question by the name alone takes no Python.
        """
        is_named = type(at) is tuple and type(name) is type(axes) is str
        key = (what, name, axes, at) if is_named else None
        found = self.queries.get(key)
        if found is None:
            found = jacobian_call(self, name, at, axes, has_rate=what == "jacobian_rate")
            if is_named:
                self.queries[key] = found
        if at is ORIGIN and axes == "world" and is_named and is_direct(found):
            self.named_queries[what][name] = found
        return found

    def inverse_operational_inertia(
        self, q: Any, body: str, at: Any = ORIGIN, axes: str = "world"
    ) -> Array:
        """J M⁻¹ Jᵀ, (6, 6): accelerations (ω̇, v̇) from rest of the point `at` of a body or a frame
        by a wrench (moment, force) there.
        """
        J = self.jacobian(q, body, at, axes)
        return mobility(self.solve, check_states(q, "q", self.model.coordinates), J)

    def operational_inertia(
        self, q: Any, body: str, at: Any = ORIGIN, axes: str = "world", along: Any = None
    ) -> Array:
        """Λ = (J M⁻¹ Jᵀ)⁻¹, (6, 6): the inertia of the point `at` of a body or a frame; (k, k) of
        k directions `along`, by name (wx … vz) or as vectors (k, 6), in which it can move.
        """
        found = self.inverse_operational_inertia(q, body, at, axes)
        return invert_mobility(found, along, self.natural_length, body)

    @cached_property
    def natural_length(self) -> float:
        return assemble_at_start(self.model).scales.length

    # ---- derivatives -----------------------------------------------------------------------------
    @service
    def inverse_derivatives(self, q: Any, qdot: Any, qddot: Any, t: float = 0.0) -> Derivatives:
        """∂τ/∂q, ∂τ/∂q̇ and ∂τ/∂a = M of inverse dynamics with the model's forces; (n, n) each, rows
        of τ. Exact, but of the forces in `differenced_forces`.
        """
        run = self.queries.get("inverse_derivatives") or self.query(
            "inverse_derivatives",
            self.derivatives_query(inverse=True),
            ("q", "qdot", "qddot"),
            *square_matrices(self.freedoms, 3),
            kind=Derivatives,
        )
        return run(t, q, qdot, qddot)

    @service
    def forward_derivatives(
        self, q: Any, qdot: Any, tau: Any = None, t: float = 0.0
    ) -> Derivatives:
        """∂a/∂q, ∂a/∂q̇ and ∂a/∂τ = M⁻¹ of forward dynamics with the model's forces. Exact, but of
        the forces in `differenced_forces`.
        """
        n = self.freedoms
        run = self.queries.get("forward_derivatives") or self.query(
            "forward_derivatives",
            self.derivatives_query(inverse=False),
            ("q", "qdot", "tau"),
            *square_matrices(n, 3),
            kind=Derivatives,
            is_last_optional=True,
        )
        return run(t, q, qdot, np.zeros(n) if tau is None else tau)

    def derivatives_query(self, inverse: bool) -> Any:
        """The question, with forces where their derivatives are not constant."""
        self.check_derivatives()
        if self.force_slopes is None:
            self.force_slopes = find_force_slopes(self.model, self.tables)
        return make_derivatives_query(self.force_slopes, inverse)

    @property
    def differenced_forces(self) -> tuple[str, ...]:
        """The forces whose derivatives are extrapolated differences: those that call a Python
        function of the user. All others are differentiated exactly.
        """
        return find_differenced_forces(self.model)

    @property
    def has_exact_derivatives(self) -> bool:
        """Whether nothing is differenced, and the laws can be run at dual numbers."""
        is_runnable = not (is_interpreted() and has_force_slopes(self.tables))
        return self.has_derivatives and is_runnable and not self.differenced_forces

    def integrate(self, q: Any, step: Any) -> Array:
        """q after unit time at constant speeds `step`: derivatives by q are taken along it. A
        quaternion turns about the child's axes.
        """
        q = check_states(q, "q", self.model.coordinates)
        return integrate_positions(self.model, q, check_states(step, "step", self.model.speeds))

    def describe_zero_quaternion(self, q: Array) -> str:
        """The message for a quaternion that is no rotation."""
        tree = self.tables.tree
        for row in tree.ball_coordinate:
            for k in np.flatnonzero(~(np.atleast_2d(q)[:, row : row + 4] != 0).any(1)):
                return (
                    f"q of '{self.model.coordinates[row][:-3]}' has a quaternion of zeros "
                    f"(state {k}); give a unit quaternion"
                )
        return ""

    # ---- checks ----------------------------------------------------------------------------------
    def check_mass(self) -> None:
        if not self.has_mass:
            raise FitError(
                f"model '{self.model.name}': nothing that moves has mass; it has no centre of mass"
            )

    def check_derivatives(self) -> None:
        """What the derivatives do not know is refused, not left out."""
        if self.has_derivatives:
            return
        raise FitError(
            "derivatives need ball and free joints declared from the ground outward; swap parent "
            "and child of such a joint"
        )
