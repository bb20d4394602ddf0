"""Multipliers of ‖q‖ = 1 and of RᵀR = 1 at the samples of a run: the thesis, (3.10), (3.32) and
appendix B.

V of particles at x = r + R ξ gives V_R = Σ (∂V/∂x) ξᵀ of each body. With it
  λ = −½ q·V_q = −tr(V_R Rᵀ)   of ġ = … − V_q − 2λq, A(q) homogeneous of degree two
  Λ of Ṗ = −V_R − 2RΛ          symmetric, from the second rate of RᵀR = 1, P = ṘD
(ERRATA 2-11 … 2-13, 2-18, 2-24), and of a step of RATTLE from one sample to the next (appendix B)
  P½ = (R₁ − R₀)D/h,  hR₀Λ_r = P₀ − ½hV_R(R₀) − P½,  hR₁Λ_v = P½ − ½hV_R(R₁) − P₁.
All are energies, N m; Λ, Λ_r and Λ_v in body axes. Where ω = 0 and the body is in no field all are
zero; λ = Σ f·Rξ of the forces f on the particles: above zero where they pull the body apart.
The motion does not depend on how V is continued off the rotations, the multipliers do (ERRATA 2-15,
2-18); they are those of V as a sum over particles and points of application.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.analysis.statics.pair_energy import PairEnergy, sum_by_index
from hamiltree.analysis.statics.poses import Poses
from hamiltree.errors import OptionError
from hamiltree.formulations.free_bodies.rotation import FORMULATION
from hamiltree.model.particles import principal_axes
from hamiltree.rotations import rotation_matrix, skew

if TYPE_CHECKING:
    import xarray as xr

AXES = ("x", "y", "z")
PER_STEP = 1e-9  # of a step: samples that are further from one step apart are not one step apart


def attitude_multipliers(run: Any) -> xr.Dataset:
    """`lambda` (time, body), (3.32), and `Lambda` (time, body, axis, axis2), (3.10c), of a run of
    bodies that pair forces, gravity and constant loads connect, by any formulation; NaN of bodies
    that do not turn.
    """
    energy, R, omega, V_R = read_run(run)
    scalar = -np.einsum("tnij,tnij->tn", V_R, R)
    found = constraint_forces(energy, R, omega, V_R)
    return label(
        run,
        ~turning_bodies(energy),
        {
            "lambda": (scalar, "N m: λ of ‖q‖² = 1, ġ = … − 2λq"),
            "Lambda": (found, "N m: Λ of RᵀR = 1, Ṗ = −V_R − 2RΛ, body axes"),
        },
    )


def rattle_multipliers(run: Any) -> xr.Dataset:
    """`Lambda_r` of the step that begins at a sample and `Lambda_v` of the step that ends there,
    (time, body, axis, axis2), of a run of free_bodies_rotation by rattle with every step saved.

    Rounding is that of D/h². NaN of bodies that do not turn, of Λ_r at the last sample and of Λ_v
    at the first.
    """
    h = step_of_rattle(run)
    energy, R, omega, V_R = read_run(run)
    D = np.array([second_moments(body) for body in energy.model.bodies])
    P = R @ skew(omega) @ D
    half = (R[1:] - R[:-1]) @ D / h
    by_position, by_velocity = (np.full(R.shape, np.nan) for _ in range(2))
    back = np.swapaxes(R, -1, -2)
    by_position[:-1] = back[:-1] @ ((P[:-1] - half) / h - 0.5 * V_R[:-1])
    by_velocity[1:] = back[1:] @ ((half - P[1:]) / h - 0.5 * V_R[1:])
    return label(
        run,
        ~turning_bodies(energy),
        {
            "Lambda_r": (by_position, "N m: Λ_r of the step that begins here, body axes"),
            "Lambda_v": (by_velocity, "N m: Λ_v of the step that ends here, body axes"),
        },
    )


# ---- what a run says -----------------------------------------------------------------------------
def read_run(run: Any) -> tuple[PairEnergy, np.ndarray, np.ndarray, np.ndarray]:
    """V of the model, and of every sample R, ω in body axes and V_R."""
    energy = PairEnergy(run.model)
    pose, twist = run.poses.values, run.twists.values
    R = rotation_matrix(pose[..., 3:])
    centres = pose[..., :3] + np.einsum("tnij,nj->tni", R, energy.coms)
    omega = np.einsum("tnji,tnj->tni", R, twist[..., :3])
    samples = zip(centres, R, strict=True)
    V_R = np.array([rotation_gradient(energy, Poses(*sample)) for sample in samples])
    return energy, R, omega, V_R


def rotation_gradient(energy: PairEnergy, poses: Poses) -> np.ndarray:
    """V_R = Σ (∂V/∂x) ξᵀ of every body, by particles and points of loads: the thesis, (3.13c), with
    the whole difference of two particles (ERRATA 2-15).
    """
    by_particle = energy.particle_gradient(energy.places(poses))[:, :, None]
    found = sum_by_index(by_particle * energy.arms[:, None, :], energy.owners, energy.count)
    bodies, loads, points = energy.loads
    return found - sum_by_index(loads[:, :, None] * points[:, None, :], bodies, energy.count)


def step_of_rattle(run: Any) -> float:
    """The step of a run of RATTLE on rotation matrices with every step saved; others are refused.

    The last step of a run may be shorter and then ends at no sample of its own: it is refused too.
    """
    made = run.provenance
    if made["formulation"] != FORMULATION.name or made["integrator"] != "rattle":
        raise OptionError(
            "Λ_r and Λ_v belong to RATTLE on rotation matrices, not to "
            f"{made['integrator']} with {made['formulation']}; run with "
            'formulation="free_bodies_rotation", integrator="rattle", or ask for '
            "attitude_multipliers, which every run of these bodies has"
        )
    h = float(made["step"])
    apart = np.diff(run.t.values)
    if not len(apart) or np.abs(apart - h).max() > PER_STEP * h + 4 * np.spacing(run.t.values[-1]):
        raise OptionError("Λ_r and Λ_v need every step: run with save_every=1")
    return h


def turning_bodies(energy: PairEnergy) -> np.ndarray:
    """Which bodies have a free rotation."""
    free = energy.freedoms
    turns = np.zeros(energy.count, dtype=bool)
    turns[free.bodies[free.directions[:, 3:].any(axis=1)]] = True
    return turns


# ---- Λ -------------------------------------------------------------------------------------------
def constraint_forces(
    energy: PairEnergy, R: np.ndarray, omega: np.ndarray, V_R: np.ndarray
) -> np.ndarray:
    """Λ in body axes: 2(ΛD⁻¹ + D⁻¹Λ) = 2ṘᵀṘ − (AD⁻¹ + D⁻¹Aᵀ), A = RᵀV_R, entry by entry in
    principal axes: 2(D_i + D_j) Λ_ij = 2 D_iD_j (ṘᵀṘ)_ij − D_i A_ij − D_j A_ji.
    """
    turning = skew(omega)
    square = np.swapaxes(turning, -1, -2) @ turning
    A = np.swapaxes(R, -1, -2) @ V_R
    found = np.empty_like(A)
    for k, body in enumerate(energy.model.bodies):
        moments, axes = principal_axes(body.inertia)
        E = np.array(axes)
        d = 0.5 * sum(moments) - np.array(moments)
        total = d[:, None] + d
        total[total <= 0.0] = np.nan  # a point, or a line along this axis
        inner = 2.0 * (d[:, None] * d) * (E.T @ square[:, k] @ E)
        force = d[:, None] * (E.T @ A[:, k] @ E)
        found[:, k] = E @ ((inner - force - np.swapaxes(force, 1, 2)) / (2.0 * total)) @ E.T
    return found


def second_moments(body: Any) -> np.ndarray:
    """D = ½ tr(J) 1 − J about the centre of mass (ERRATA 2-11)."""
    J = np.array(body.inertia)
    return 0.5 * np.trace(J) * np.eye(3) - J


def label(run: Any, is_held: np.ndarray, found: dict[str, tuple[np.ndarray, str]]) -> xr.Dataset:
    """Arrays (time, body) or (time, body, 3, 3) by their names; NaN of bodies that do not turn."""
    import xarray as xr

    for values, _ in found.values():
        values[:, is_held] = np.nan
    dims = ("t", "body", "axis", "axis2")
    variables = {
        name: (dims[: values.ndim], values, {"units": unit})
        for name, (values, unit) in found.items()
    }
    names = [body.name for body in run.model.bodies]
    coords = {"t": run.t.values, "body": names, "axis": list(AXES), "axis2": list(AXES)}
    return xr.Dataset(variables, coords=coords)
