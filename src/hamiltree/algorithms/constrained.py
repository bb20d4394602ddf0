"""Rigid-body algorithms of a mechanism with loops, constraints and drives: `ht.dynamics(model)`.

q, speeds u, accelerations a and forces τ are those of the spanning tree, as in a run:
  M a + bias = τ + Q + Gᵀλ,   g(t, q) = 0,   G u = −∂g/∂t,   G a = γ(t, q, u)
u = N v + … with f independent speeds v, G N = 0, and N is one in their rows. Mass matrix, bias and
gravity are of the tree; `projected_…` and `solve` are on the manifold of the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algorithms.answers import Derivatives
from hamiltree.algorithms.closing import LoopCloser
from hamiltree.algorithms.constraint_rows import (
    LEAST_INDEPENDENCE,
    ConstrainedQuery,
    ConstraintSet,
    RowBinding,
    RowsAtState,
)
from hamiltree.algorithms.independent_speeds import IndependentSpeeds
from hamiltree.algorithms.operational_space import invert_mobility, mobility
from hamiltree.algorithms.queries import Query, check_states, check_time, key_with_forces
from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.algorithms.services import bind_service, service
from hamiltree.compiled.direct_calls import Part
from hamiltree.compiled.number import read_only
from hamiltree.errors import FitError
from hamiltree.formulations.tree import constrained_dynamics as constrained
from hamiltree.model import Model
from hamiltree.model.values import ORIGIN

Array = np.ndarray


class ConstraintForces(NamedTuple):
    """λ of every row (+Gᵀλ acts; N, or N m of angles; of the least norm where rows repeat each
    other), and Gᵀλ along the speeds.
    """

    multipliers: Array
    efforts: Array


class ConstrainedDynamics(Dynamics):
    """The rigid-body algorithms of one mechanism. Threads may share it; they wait for each
    other.
    """

    def __init__(self, model: Model, independent: Sequence[str] | str | None = None):
        """Rows at the model's start, with its loops closed; `independent` names the speeds that
        determine all others.
        """
        self.constraints = found = ConstraintSet(model)
        super().__init__(model, found.tree_model)
        self.rows = len(found.specs)
        self.constraint_rows = found.labels
        self.drives = found.drives
        self.constrained_tables = found.tables(self.tables)
        self.binding = RowBinding(self, self.constrained_tables)
        self.other_bindings: dict[bytes, RowBinding] = {}
        self.closer = LoopCloser(found.mechanism)
        start = self.rows_at(0.0, found.mechanism.q, None, None, is_checked=False)
        self.choice = IndependentSpeeds(found, start.jacobian, independent)

    @property
    def independent_speeds(self) -> tuple[str, ...]:
        """The speeds that determine all others, beside the drives."""
        return tuple(self.model.speeds[k] for k in self.choice.chosen)

    # ---- rows ------------------------------------------------------------------------------------
    def find_rows(self, q: Any, qdot: Any, t: float) -> RowsAtState:
        """All rows at states; nothing is checked."""
        n, m = self.freedoms, self.rows
        if "rows" not in self.queries:
            self.queries["rows"] = Query(
                self.binding,
                constrained.ConstraintRows(True),
                ("q", "qdot"),
                *(Part(k * m, (m,)) for k in range(3)),
                Part(3 * m, (n,)),
                Part(3 * m + n, (m, n)),
                kind=RowsAtState,
            ).fast_call()
        return self.queries["rows"](t, q, np.zeros(n) if qdot is None else qdot)

    def rows_at(
        self, t: float, q: Any, qdot: Any, number: int | None = None, is_checked: bool = True
    ) -> RowsAtState:
        """The same at states that keep the constraints; speeds are not looked at if None."""
        rows = self.find_rows(q, qdot, t)
        if is_checked:
            self.constraints.check_positions(self.constrained_tables, rows.value, number)
            if qdot is not None:
                speeds = check_states(qdot, "qdot", self.model.speeds)
                self.constraints.check_speeds(self.constrained_tables, rows.rate, speeds, number)
        return rows

    def binding_for(self, rows: RowsAtState, number: int | None) -> RowBinding:
        """The rows that are independent at one state where the usual ones are nearly not."""
        where = "" if number is None else f" in state {number}"
        kept = self.constraints.rows_kept_at(rows.jacobian, where)
        if kept.tobytes() not in self.other_bindings:
            tables = self.constrained_tables._replace(
                kept=read_only(kept), least_independence=read_only(np.array([LEAST_INDEPENDENCE]))
            )
            self.other_bindings[kept.tobytes()] = RowBinding(self, tables)
        return self.other_bindings[kept.tobytes()]

    def constraint_jacobian(self, q: Any, t: float = 0.0) -> Array:
        """G, (rows, n): the rates of all rows by the speeds, in the order of `constraint_rows`."""
        return self.find_rows(q, None, t).jacobian

    def constraint_residuals(self, q: Any, t: float = 0.0) -> Array:
        """g, (rows,): m, or rad of angles."""
        return self.find_rows(q, None, t).value

    def constraint_rates(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """G u + ∂g/∂t, (rows,)."""
        return self.find_rows(q, qdot, t).rate

    def constraint_bias(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """γ, (rows,): accelerations keep the constraints where G a = γ."""
        return self.find_rows(q, qdot, t).gamma

    # ---- states that fit -------------------------------------------------------------------------
    def close(self, q: Any, hold: Sequence[str] | str = (), t: float = 0.0) -> Array:
        """The nearest positions at which the constraints hold; joints in `hold` keep theirs."""
        q = check_states(q, "q", self.model.coordinates)
        return self.closer.close(q, hold, check_time(t))

    def project_speeds(
        self, q: Any, qdot: Any, hold: Sequence[str] | str = (), t: float = 0.0
    ) -> Array:
        """The nearest speeds that keep the constraints; joints in `hold` keep theirs."""
        q = check_states(q, "q", self.model.coordinates)
        qdot = check_states(qdot, "qdot", self.model.speeds)
        return self.closer.project(q, qdot, hold, check_time(t))

    def null_space(self, q: Any, t: float = 0.0) -> Array:
        """N, (n, f): u = N v of the independent speeds v, while nothing is driven."""
        return self.choice.basis(self.rows_at(t, q, None))

    def speeds_from(self, q: Any, v: Any, t: float = 0.0) -> Array:
        """All speeds, (n,), from the independent ones, (f,), and the drives."""
        v = check_states(v, "v", self.independent_speeds)
        return self.choice.complete(self.rows_at(t, q, None), v, is_rate=True)

    def accelerations_from(self, q: Any, qdot: Any, vdot: Any, t: float = 0.0) -> Array:
        """All accelerations, (n,), from the independent ones, (f,), and the drives."""
        vdot = check_states(vdot, "vdot", self.independent_speeds)
        return self.choice.complete(self.rows_at(t, q, qdot), vdot, is_rate=False)

    # ---- dynamics --------------------------------------------------------------------------------
    def constrained_query(self, key: Any, query: Any, inputs: Any, *parts: Part, **options: Any):
        """Bind a question that needs constraint forces, and keep it under the key."""
        size = 2 * self.freedoms + self.rows
        made = ConstrainedQuery(self.binding, query, inputs, *parts, output_size=size, **options)
        found = self.queries[key] = made.fast_call()
        bind_service(self, key, found)
        return found

    def forward_query(self, what: str, forces: bool, *parts: Part, **options: Any) -> Callable:
        """Forward dynamics, of which these parts are the answer."""
        key = key_with_forces(what, forces)
        return self.queries.get(key) or self.constrained_query(
            key,
            constrained.ConstrainedForwardDynamics(bool(forces)),
            ("q", "qdot", "tau"),
            *parts,
            is_last_optional=True,
            **options,
        )

    @service
    def forward_dynamics(
        self, q: Any, qdot: Any, tau: Any = None, forces: bool = True, t: float = 0.0
    ) -> Array:
        """a, (n,): accelerations of all speeds under τ (none if not given), the model's forces and
        those of the constraints and drives.
        """
        run = self.forward_query("forward_dynamics", forces, self.along_speeds)
        return run(t, q, qdot, np.zeros(self.freedoms) if tau is None else tau)

    def constraint_forces(
        self, q: Any, qdot: Any, tau: Any = None, forces: bool = True, t: float = 0.0
    ) -> ConstraintForces:
        """What the constraints and drives do in forward dynamics."""
        found = self.solve_multipliers(q, qdot, tau, forces, t)
        if np.count_nonzero(self.constraints.mechanism.kept) == self.rows:
            return found
        place = self.constraints.mechanism
        G = self.find_rows(q, None, t).jacobian / place.weights / place.row_scale[:, None]
        spread = np.linalg.pinv(np.swapaxes(G, -1, -2), rcond=1e-9)
        efforts = (spread @ (found.efforts / place.weights)[..., None])[..., 0]
        return ConstraintForces(efforts / place.row_scale, found.efforts)

    def solve_multipliers(
        self, q: Any, qdot: Any, tau: Any, forces: bool, t: float
    ) -> ConstraintForces:
        """λ of the rows that are solved for, zero of the others; and Gᵀλ."""
        n, m = self.freedoms, self.rows
        parts = Part(n, (m,)), Part(n + m, (n,))
        run = self.forward_query("constraint_forces", forces, *parts, kind=ConstraintForces)
        return run(t, q, qdot, np.zeros(n) if tau is None else tau)

    def drive_efforts(
        self, q: Any, qdot: Any, tau: Any = None, forces: bool = True, t: float = 0.0
    ) -> Array:
        """(drives,): torque or force of every drive along its coordinate, in the order of
        `drives`, that its motion needs.
        """
        found = self.solve_multipliers(q, qdot, tau, forces, t)
        return found.multipliers[..., self.constraints.drive_rows]

    def inverse_dynamics(
        self,
        q: Any,
        qdot: Any,
        qddot: Any,
        forces: bool = True,
        t: float = 0.0,
        actuated: Sequence[str] | str | None = None,
    ) -> Array:
        """τ, (n,), of the actuated speeds alone (the independent ones unless named) that gives
        these accelerations beside the model's forces and the drives; of the least norm where more
        are actuated than needed.
        """
        rows = self.rows_at(t, q, qdot)
        given = check_states(qddot, "qddot", self.model.speeds)
        self.choice.check_accelerations(rows, given, check_states(qdot, "qdot", self.model.speeds))
        needed = super().inverse_dynamics(q, qdot, given, forces, t)
        if forces:
            needed = needed - rows.closing_forces
        return self.choice.efforts(rows, needed, actuated)

    @service
    def solve(self, q: Any, x: Any, t: float = 0.0) -> Array:
        """The accelerations, (n,), that forces x alone give at rest, with those of the constraints:
        N (Nᵀ M N)⁻¹ Nᵀ x.
        """
        run = self.queries.get("solve") or self.constrained_query(
            "solve", constrained.ConstrainedSolve(True), ("q", "x"), self.along_speeds
        )
        return run(t, q, x)

    def forces(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """Q: the model's forces along the speeds of the tree, those along joints that close loops
        too.
        """
        return super().forces(q, qdot, t) + self.find_rows(q, qdot, t).closing_forces

    # ---- on the manifold of the constraints ------------------------------------------------------
    def projected_mass_matrix(self, q: Any, t: float = 0.0) -> Array:
        """Nᵀ M N, (f, f), of the independent speeds."""
        N = self.null_space(q, t)
        return np.swapaxes(N, -1, -2) @ self.mass_matrix(q) @ N

    def projected_bias(self, q: Any, qdot: Any, t: float = 0.0) -> Array:
        """Nᵀ (bias + M a₀), (f,), with the accelerations a₀ while v̇ = 0: Nᵀ M N v̇ + this =
        Nᵀ (τ + Q).
        """
        rows = self.rows_at(t, q, qdot)
        still = np.zeros((*rows.value.shape[:-1], self.degrees_of_freedom))
        a = self.choice.complete(rows, still, is_rate=False)
        needed = super().inverse_dynamics(q, qdot, a, False, t)
        return self.choice.project(rows, needed)

    def projected_gravity(self, q: Any, t: float = 0.0) -> Array:
        """Nᵀ gravity, (f,): the efforts along the independent speeds that hold the bodies."""
        return self.choice.project(self.rows_at(t, q, None), self.gravity(q))

    def inverse_operational_inertia(
        self, q: Any, body: str, at: Any = ORIGIN, axes: str = "world", t: float = 0.0
    ) -> Array:
        """J M⁻¹ Jᵀ, (6, 6), with the M⁻¹ of `solve`."""
        J = self.jacobian(q, body, at, axes)
        states = check_states(q, "q", self.model.coordinates)
        return mobility(lambda q, x: self.solve(q, x, t), states, J)

    def operational_inertia(
        self,
        q: Any,
        body: str,
        at: Any = ORIGIN,
        axes: str = "world",
        along: Any = None,
        t: float = 0.0,
    ) -> Array:
        """Λ, (k, k), of directions `along` in which the constraints let the point move."""
        found = self.inverse_operational_inertia(q, body, at, axes, t)
        J = self.jacobian(q, body, at, axes)
        of_tree = J @ np.linalg.solve(self.mass_matrix(q), np.swapaxes(J, -1, -2))
        return invert_mobility(found, along, self.natural_length, body, of_tree)

    # ---- energies --------------------------------------------------------------------------------
    def closing_energies(self, q: Any, qdot: Any, t: float) -> tuple[Any, Any]:
        """Potential energy and dissipated power of forces along joints that close loops."""
        if "closing" not in self.queries:
            self.queries["closing"] = Query(
                self.binding,
                constrained.ClosingEnergies(True),
                ("q", "qdot"),
                Part(0, ()),
                Part(1, ()),
                kind=tuple,
            ).fast_call()
        return self.queries["closing"](t, q, qdot)

    def energies(self, q: Any, qdot: Any, t: float = 0.0) -> tuple[Any, Any]:
        """(kinetic, potential) energy, J; constraints have none."""
        kinetic, potential = super().energies(q, qdot, t)
        if self.constraints.has_laws:
            potential = potential + self.closing_energies(q, qdot, t)[0]
        return kinetic, potential

    def dissipated_power(self, q: Any, qdot: Any, t: float = 0.0) -> Any:
        """The sum of `dissipations`, W; what drives do is no part of it."""
        found = super().dissipated_power(q, qdot, t)
        return found + self.closing_energies(q, qdot, t)[1] if self.constraints.has_laws else found

    def dynamics_by_force(self) -> list[Dynamics]:
        """Without gravity, one force at a time: of the tree, unless it acts along a joint that
        closes a loop.
        """
        if self.single_force_dynamics is None:
            nothing: dict[str, Any] = {"gravity": (0.0, 0.0, 0.0)}
            along = self.model._closing_labels
            self.single_force_dynamics = [
                ConstrainedDynamics(self.model.with_(forces=(force,), **nothing))
                if getattr(force, "joint", None) in along
                else Dynamics(self.tree_model.with_(forces=(force,), **nothing))
                for force in self.model.forces
            ]
        return self.single_force_dynamics

    # ---- derivatives -----------------------------------------------------------------------------
    def forward_derivatives(
        self, q: Any, qdot: Any, tau: Any = None, t: float = 0.0
    ) -> Derivatives:
        raise FitError(
            f"model '{self.model.name}' has constraints: derivatives of forward dynamics are for "
            "trees; ht.linearise gives those of the independent motions"
        )

    def inverse_derivatives(self, q: Any, qdot: Any, qddot: Any, t: float = 0.0) -> Derivatives:
        """Of the tree, whose τ has no part of the constraints."""
        if self.constraints.has_laws:
            raise FitError(
                f"model '{self.model.name}' has forces along joints that close loops: derivatives "
                "of inverse dynamics are those of its tree, without them"
            )
        return super().inverse_derivatives(q, qdot, qddot, t)
