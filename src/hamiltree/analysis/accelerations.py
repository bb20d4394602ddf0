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
from hamiltree.formulations.absolute.tables import CartesianTables, check_own_inertias
from hamiltree.formulations.batch import solve_samples
from hamiltree.model import Model
from hamiltree.model.bodies import GROUND
from hamiltree.run.equations import Bound, bind

AXES = ["x", "y", "z"]


def accelerations(
    model: Model, q: Any = None, qdot: Any = None, formulation: str = "cartesian_3", t: float = 0.0
) -> xr.Dataset:
    """Accelerations and constraint forces of a model at q and qdot (its start if None), by
    cartesian_1, cartesian_2 or cartesian_3.

    `acceleration` (body, axis) of the centres of mass, world axes; `angular_acceleration`
    (body, axis) in body axes, ω̇'; `sigma` (body) of cartesian_1, the multiplier of ‖p‖ = 1.
    `multipliers` (row): λ, so that the constraint forces on the bodies are +Φ_qᵀλ (the chapter has
    M q̈ + Φ_qᵀλ = Q, the opposite sign): N for rows that are lengths, N m for angles and
    orthogonality conditions (`unit`). A row has no axes of its own; what its λ does in the world
    stands beside it: `row_force` and `row_moment` (row, axis) on the body `on` of the row, the
    moment about its centre of mass; their sums `constraint_force` and `constraint_moment`
    (body, axis) are all that constraints do to a body. World axes.
    """
    names = [made.name for made in FORMULATIONS]
    if formulation not in names:
        raise OptionError(f"formulation = {formulation!r}; {suggest(str(formulation), names)}")
    bound = bind(model, formulation, q, qdot)
    check_own_inertias(model, formulation)
    solution, row_jacobian, _ = solve_with(bound, bound.y, t)
    return make_dataset(model, bound, solution, row_jacobian)


def solve_with(bound: Bound, y: np.ndarray, t: float) -> tuple[np.ndarray, np.ndarray, Any]:
    """Accelerations, then −λ, as the blocks hold them, at a state; the gradients of the terms of
    rows; and the workspace, whose `bodies.wrench` is what the model's forces do.
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
    row_jacobians = np.zeros((1, len(system.rows.kind), 12))
    solve_samples(
        pointer,
        np.array([float(t)]),
        y[None].copy(),
        np.full((1, len(system.coordinates.kind)), np.nan),
        out,
        row_jacobians,
    )
    return out[0], row_jacobians[0], work


def make_dataset(
    model: Model, bound: Bound, solution: np.ndarray, row_jacobian: np.ndarray
) -> xr.Dataset:
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
    by_body, by_row = ("body", "axis"), ("row", "axis")
    names = [body.name for body in model.bodies]
    on_body, on_row, ends = constraint_wrenches(system.rows, row_jacobian, multipliers, bodies)
    about = "about the centre of mass, world axes"
    found = {
        "acceleration": (by_body, linear, {"units": "m/s² of the centre of mass, world axes"}),
        "angular_acceleration": (by_body, angular, {"units": "rad/s², body axes"}),
        "multipliers": (("row",), multipliers, {"units": "N or N m: see unit"}),
        "unit": (("row",), ["N m" if spec.is_angle else "N" for spec in specs]),
        "on": (("row",), [[*names, GROUND][end] for end in ends]),
        "row_force": (by_row, on_row[:, 3:], {"units": "N on the body `on`, world axes"}),
        "row_moment": (by_row, on_row[:, :3], {"units": f"N m on the body `on`, {about}"}),
        "constraint_force": (by_body, on_body[:, 3:], {"units": "N, world axes"}),
        "constraint_moment": (by_body, on_body[:, :3], {"units": f"N m, {about}"}),
    }
    if isinstance(system, CartesianI):
        found["sigma"] = (("body",), solution[at + 7], {"units": "N m"})
    return xr.Dataset(found, coords={"body": names, "axis": AXES, "row": labels})


def constraint_wrenches(
    rows: Any, row_jacobian: np.ndarray, multipliers: np.ndarray, bodies: int
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Φ_qᵀλ: moments about the centres of mass and forces on every body, those of each row on one
    body, and which: the second of the row, or the first where that is the ground.
    """
    on_body = np.zeros((bodies + 1, 6))
    on_row = np.zeros((len(multipliers), 6))
    ends = []
    for row, multiplier in enumerate(multipliers):
        terms = range(rows.first[row], rows.first[row + 1])
        sides = [int(end) for k in terms for end in reversed(rows.ends[k])]
        ends.append(next((end for end in sides if end < bodies), bodies))
        for k in terms:
            for side in range(2):
                wrench = multiplier * row_jacobian[k, 6 * side : 6 * side + 6]
                on_body[rows.ends[k, side]] += wrench
                if rows.ends[k, side] == ends[-1]:
                    on_row[row] += wrench
    return on_body[:bodies], on_row, ends


def angular_accelerations(p: np.ndarray, second: np.ndarray) -> np.ndarray:
    """ω̇' = 2 L(p) p̈"""
    w, v = p[:, :1], p[:, 1:]
    return 2.0 * (w * second[:, 1:] - second[:, :1] * v - np.cross(v, second[:, 1:]))
