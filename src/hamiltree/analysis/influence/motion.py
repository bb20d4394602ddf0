"""One state of a tree with its forces: (V.5), (P.1a)–(P.1g), (P.2)–(P.3b), (3)–(7), (11) of the
notes.

External forces f̄_k act at the centres of mass, ȳ_k = r_k, and τ̄_k is their torque about them: a
force at another point is moved there with its torque. Gravity is one of them (ERRATA 0-5). τ̂ are
the forces along the joints. Interbody forces f_i and torques τ_i act from the parent on link i at
η_i; τ_i has the actuation in it, g_iᵀ τ_i = τ̂_i.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.algorithms.loads import Loads, loads_on_links
from hamiltree.algorithms.queries import check_states
from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.analysis.influence.labels import label_motion
from hamiltree.errors import OptionError
from hamiltree.renamed import refuse_attribute

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.analysis.influence.operators import Influence


ANGULAR, LINEAR = slice(0, 3), slice(3, 6)


def rows_of(six: str, part: slice, equation: str) -> property:
    """The angular or the linear part of rows of six numbers, as an attribute."""
    return property(lambda motion: getattr(motion, six)[:, part], doc=equation)


def make_motion(at: Influence, qdot: Any, p: Any, t: float) -> Motion:
    """Speeds q̇ from what is given, by (P.5b) from momenta, and the forces at that state."""
    if qdot is not None and p is not None:
        raise OptionError("give qdot or p, not both: p = ℳ q̇")
    if p is not None:
        p = check_states(p, "p", at.model.speeds)
        if p.ndim != 1:
            raise OptionError(f"p has shape {p.shape}; give one state")
    if isinstance(t, bool) or not isinstance(t, (int, float, np.number)) or not np.isfinite(t):
        raise OptionError(f"t = {t!r}; it must be one number (s)")
    qdot = at.model.qdot_from(qdot) if p is None else at.rates(p)
    if not at.model.forces:
        nothing = Loads(np.zeros((len(at.parent), 6)), np.zeros(len(qdot)))
        return Motion(at, qdot, float(t), nothing, 0.0)
    dynamics = Dynamics(at.model.with_(gravity=(0.0, 0.0, 0.0)))
    found = loads_on_links(dynamics, at.q, qdot, t)
    wrenches = np.where(at.is_last[:, None], found.wrenches[at.link], 0.0)
    potential = float(dynamics.energies(at.q, qdot, t)[1])
    return Motion(at, qdot, float(t), Loads(wrenches, found.efforts), potential)


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A state (q, q̇) of a tree and what the notes say of it; rows are the links of `at`, world
    axes. p, ṗ, q̇, q̈ and τ̂ are in the order of `model.speeds`.
    """

    at: Influence
    qdot: np.ndarray
    t: float
    loads: Loads  # of the model's forces: wrenches about η_i, efforts along the speeds
    potential_of_forces: float

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

    def __repr__(self) -> str:
        return f"<Motion of {self.at.model!r} at t = {self.t:g}>"

    # ---- velocities and momenta ------------------------------------------------------------------
    @cached_property
    def v(self) -> np.ndarray:
        """v = Ψ_D G q̇, rows [ω_i, η̇_i] (V.4)."""
        return self.at.velocities(self.qdot)

    @cached_property
    def v_bar(self) -> np.ndarray:
        """v̄ = S v, rows [ω_i, ṙ_i] (V.1), (V.5)."""
        return np.einsum("ijk,ik->ij", self.at.S, self.v)

    @cached_property
    def K(self) -> np.ndarray:
        """𝒦 = Ψ_Dᵀ M v, rows [H_i, P_i] (P.2)."""
        return self.at.momenta(self.qdot)

    H = rows_of("K", ANGULAR, "H_i, angular momentum of the branch about η_i (P.1a).")

    P = rows_of("K", LINEAR, "P_i, linear momentum of the branch (P.1b).")

    @cached_property
    def p(self) -> np.ndarray:
        """p = Gᵀ 𝒦 (P.3a)."""
        return self.at.by_speed(self.at.along_axes(self.K))

    @cached_property
    def c_dot(self) -> np.ndarray:
        """ċ_i = P_i/m̄_i − η̇_i (P.1d); 0 where the branch has no mass."""
        mass = self.at.m_bar[:, None]
        change = self.P - mass * self.v[:, 3:]
        return np.divide(change, mass, out=np.zeros_like(change), where=mass > 0.0)

    @cached_property
    def H_c(self) -> np.ndarray:
        """H_i^c = H_i − c_i × P_i, about the branch's centre of mass (P.1f)."""
        return self.H - np.cross(self.at.c, self.P)

    # ---- forces ----------------------------------------------------------------------------------
    @cached_property
    def f_bar(self) -> np.ndarray:
        """f̄_k at the centre of mass: weight and the model's forces."""
        gravity = np.array(self.at.model.gravity)
        return self.loads.wrenches[:, 3:] + self.at.mass[:, None] * gravity

    @cached_property
    def tau_bar(self) -> np.ndarray:
        """τ̄_k about the centre of mass."""
        return self.loads.wrenches[:, :3] - np.cross(self.at.s, self.loads.wrenches[:, 3:])

    @property
    def tau_hat(self) -> np.ndarray:
        """τ̂, the force along each joint: springs, dampers, motors."""
        return self.loads.efforts

    @cached_property
    def branch_loads(self) -> np.ndarray:
        """Rows [Σ τ̄_k + (ȳ_k − η_i) × f̄_k, Σ f̄_k] over k ≥ i: Ψ_Dᵀ applied to the loads."""
        torque = self.tau_bar + np.cross(self.at.s, self.f_bar)
        return self.at.backward_sum(self.at.D, np.concatenate([torque, self.f_bar], axis=1))

    @cached_property
    def p_dot(self) -> np.ndarray:
        """ṗ_i = τ̂_i + G_iᵀ [−ω × H_i − η̇_i × P_i + Σ …, −ω × P_i + Σ f̄_k] (P.3b); of a hinge
        the second part is not there. ω is that of the link to which the axis is fixed.
        """
        omega = self.axis_rates
        torque = self.branch_loads[:, :3] - np.cross(omega, self.H)
        torque -= np.cross(self.v[:, 3:], self.P)
        force = self.branch_loads[:, 3:] - np.cross(omega, self.P)
        along = self.at.along_axes(np.concatenate([torque, force], axis=1))
        return self.tau_hat + self.at.by_speed(along)

    @cached_property
    def axis_rates(self) -> np.ndarray:
        """ω that turns the axis of each link: ġ_i = ω × g_i."""
        omega = np.concatenate([self.v[:, :3], np.zeros((1, 3))])
        return omega[self.at.turns_with]

    # ---- accelerations ---------------------------------------------------------------------------
    @cached_property
    def arm_rates(self) -> np.ndarray:
        """ḋ_i = η̇_i − η̇_parent."""
        inner = np.concatenate([self.v[:, 3:], np.zeros((1, 3))])[self.at.parent]
        return self.v[:, 3:] - inner

    def accelerations(self, qddot: np.ndarray) -> np.ndarray:
        """v̇ = Ψ_D (G q̈ + Ġ q̇ + Ḋ v_parent), rows [ω̇_i, η̈_i]: the rate of (V.2)."""
        at = self.at
        turning = self.axis_rates
        G_dot = np.concatenate(
            [np.cross(turning, at.G[:, :3]), np.cross(turning, at.G[:, 3:])], axis=1
        )
        x = at.G * qddot[at.row, None] + G_dot * self.qdot[at.row, None]
        inner = np.concatenate([self.v[:, :3], np.zeros((1, 3))])[at.parent]
        x[:, 3:] += np.cross(inner, self.arm_rates)
        return at.forward_sum(at.D, x)

    def momentum_rates(self, qddot: np.ndarray) -> np.ndarray:
        """𝒦̇ at these accelerations, rows [Ḣ_i, Ṗ_i]: the rate of (P.2), from kinematics and
        inertia alone.
        """
        at = self.at
        a = self.accelerations(qddot)
        omega, r_dot = self.v_bar[:, :3], self.v_bar[:, 3:]
        s_dot = np.cross(omega, at.s)
        mass = at.mass[:, None]
        r_ddot = a[:, 3:] + np.cross(a[:, :3], at.s) + np.cross(omega, s_dot)
        spin = np.einsum("ijk,ik->ij", at.I, omega)
        H = np.einsum("ijk,ik->ij", at.I, a[:, :3]) + np.cross(omega, spin)
        H += mass * (np.cross(s_dot, r_dot) + np.cross(at.s, r_ddot))
        own = np.concatenate([H, mass * r_ddot], axis=1)
        carried = np.cross(self.arm_rates, self.P)  # of D_iᵀ 𝒦_i, on the parent
        for i, parent in enumerate(at.parent):
            if parent >= 0:
                own[parent, :3] += carried[i]
        return at.backward_sum(at.D, own)

    @cached_property
    def qddot(self) -> np.ndarray:
        """q̈ = ℳ⁻¹ (ṗ − ℳ̇ q̇), by (P.5b)."""
        return self.at.rates(self.p_dot - self.project_rates(np.zeros_like(self.qdot)))

    def project_rates(self, qddot: np.ndarray) -> np.ndarray:
        """d/dt (Gᵀ 𝒦) = Gᵀ 𝒦̇ + Ġᵀ 𝒦 at these accelerations."""
        rates = self.momentum_rates(qddot)
        rates[:, :3] -= np.cross(self.axis_rates, self.H)
        rates[:, 3:] -= np.cross(self.axis_rates, self.P)
        return self.at.by_speed(self.at.along_axes(rates))

    # ---- rates of momenta, interbody forces ------------------------------------------------------
    @cached_property
    def K_dot(self) -> np.ndarray:
        """𝒦̇, rows [Ḣ_i, Ṗ_i]."""
        return self.momentum_rates(self.qddot)

    H_dot = rows_of("K_dot", ANGULAR, "Ḣ_i (P.1g).")

    P_dot = rows_of("K_dot", LINEAR, "Ṗ_i (P.1e).")

    @cached_property
    def H_c_dot(self) -> np.ndarray:
        """Ḣ_i^c = Ḣ_i − ċ_i × P_i − c_i × Ṗ_i (P.1f)."""
        return self.H_dot - np.cross(self.c_dot, self.P) - np.cross(self.at.c, self.P_dot)

    @cached_property
    def f(self) -> np.ndarray:
        """f_i = Ṗ_i − Σ f̄_k: interbody force at joint i (P.1e)."""
        return self.P_dot - self.branch_loads[:, 3:]

    @cached_property
    def tau(self) -> np.ndarray:
        """τ_i = Ḣ_i + η̇_i × P_i − Σ (τ̄_k + (ȳ_k − η_i) × f̄_k): interbody torque at η_i (P.1g)."""
        return self.H_dot + np.cross(self.v[:, 3:], self.P) - self.branch_loads[:, :3]

    # ---- energies --------------------------------------------------------------------------------
    @cached_property
    def T(self) -> float:
        """T = ½ Σ (ω_iᵀ I_i ω_i + m_i ṙ_iᵀ ṙ_i) (6)."""
        omega, r_dot = self.v_bar[:, :3], self.v_bar[:, 3:]
        spin = np.einsum("ij,ijk,ik->", omega, self.at.I, omega)
        return 0.5 * float(spin + (self.at.mass[:, None] * r_dot**2).sum())

    @cached_property
    def V(self) -> float:
        """V = −Σ m_k gᵀ r_k and the potential energies of the model's forces (4)."""
        gravity = np.array(self.at.model.gravity)
        return self.potential_of_forces - float(self.at.mass @ (self.at.r @ gravity))

    @property
    def lagrangian(self) -> float:
        """L = T − V (4)."""
        return self.T - self.V

    @property
    def hamiltonian(self) -> float:
        """H = q̇ᵀ p − L (3)."""
        return float(self.qdot @ self.p) - self.lagrangian

    def to_dataset(self) -> xr.Dataset:
        """Everything, labelled by link, axis and speed, with units."""
        return label_motion(self)
