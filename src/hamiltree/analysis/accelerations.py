"""Accelerations of every body, λ of every constraint row and σ of every body at one state, by the
equations of the chapter Spatial Dynamics.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from hamiltree.assembly.rows import rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import OptionError, suggest
from hamiltree.formulations.absolute.augmented_matrix import multiplier_index
from hamiltree.formulations.absolute.bodies import CartesianI, CartesianIII
from hamiltree.formulations.absolute.cartesian import FORMULATIONS
from hamiltree.formulations.absolute.tables import CartesianTables
from hamiltree.formulations.batch import solve_samples
from hamiltree.model import Model
from hamiltree.run.equations import Bound, bind

AXES = ["x", "y", "z"]


def accelerations(
    model: Model, q: Any = None, qdot: Any = None, formulation: str = "cartesian_3", t: float = 0.0
) -> xr.Dataset:
    """Accelerations and constraint forces of a model at q and qdot (its start if None), by
    cartesian_1, cartesian_2 or cartesian_3.

    `acceleration` (body, axis) of the centres of mass, world axes; `angular_acceleration`
    (body, axis) in body axes, ω̇';
    `multipliers` (row): λ, so that constraint forces are +Φ_qᵀλ, N or N m; `sigma` (body) of
    cartesian_1, the multiplier of ‖p‖ = 1.
    """
    names = [made.name for made in FORMULATIONS]
    if formulation not in names:
        raise OptionError(f"formulation = {formulation!r}; {suggest(str(formulation), names)}")
    bound = bind(model, formulation, q, qdot)
    return make_dataset(model, bound, solve_with(bound, bound.y, t)[0])


def solve_with(bound: Bound, y: np.ndarray, t: float) -> tuple[np.ndarray, Any]:
    """Accelerations, then −λ, as the blocks hold them, at a state; and the workspace, whose
    `bodies.wrench` is what the model's forces do.
    """
    system = bound.system
    work = bound.equations.formulation.workspace(system, 1)
    pointer = StructPointer(
        system,
        work,
        np.zeros(len(y)),
        np.zeros(len(y)),
        system.rows,
        rows_workspace(system.rows, 1),
    )
    out = np.zeros((1, system.plan.unknowns))
    row_jacobians = np.zeros((1, 0, 12))
    solve_samples(
        pointer,
        np.array([float(t)]),
        y[None].copy(),
        np.full((1, len(system.coordinates.kind)), np.nan),
        out,
        row_jacobians,
    )
    return out[0], work


def make_dataset(model: Model, bound: Bound, solution: np.ndarray) -> xr.Dataset:
    """A solution by the names of bodies and rows; angular accelerations in body axes."""
    bodies = len(model.bodies)
    system = bound.system
    at = np.array(system.plan.at[:bodies])
    linear = solution[at[:, None] + np.arange(3)]
    if isinstance(system, CartesianIII):
        angular = solution[at[:, None] + np.arange(3, 6)]
    else:
        p = bound.y[: 7 * bodies].reshape(-1, 7)[:, 3:]
        angular = angular_accelerations(p, solution[at[:, None] + np.arange(3, 7)])
    specs = CartesianTables(bound.assembly, bound.equations.formulation.name).specs
    multipliers = np.array([-solution[multiplier_index(system, row)] for row in range(len(specs))])
    labels = [f"{spec.part[0]} {spec.part[1]}: {spec.what}" for spec in specs]
    by_body = ("body", "axis")
    found = {
        "acceleration": (by_body, linear, {"units": "m/s² of the centre of mass, world axes"}),
        "angular_acceleration": (by_body, angular, {"units": "rad/s², body axes"}),
        "multipliers": (("row",), multipliers, {"units": "N or N m"}),
    }
    if isinstance(system, CartesianI):
        found["sigma"] = (("body",), solution[at + 7], {"units": "N m"})
    return xr.Dataset(
        found, coords={"body": [body.name for body in model.bodies], "axis": AXES, "row": labels}
    )


def angular_accelerations(p: np.ndarray, second: np.ndarray) -> np.ndarray:
    """ω̇' = 2 L(p) p̈"""
    w, v = p[:, :1], p[:, 1:]
    return 2.0 * (w * second[:, 1:] - second[:, :1] * v - np.cross(v, second[:, 1:]))
