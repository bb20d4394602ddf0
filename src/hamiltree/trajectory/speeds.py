"""Speeds of a model out of q and q̇: the angular velocity where the coordinates are a quaternion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory


def label_speeds(run: Trajectory) -> xr.DataArray:
    """(time, speed) of a model: qdot, but for a quaternion the angular velocity
    ω = 2 L(q) q̇ / ‖q‖² in the child's joint axes.
    """
    import xarray as xr

    names = [str(name) for name in run.dataset["coordinate"].values]
    q, qdot = run.dataset["q"].values, run.dataset["qdot"].values
    values, found = speeds_of(names, run.quaternion_rows, q, qdot)
    coords = {"t": run.t.values, "speed": found}
    return xr.DataArray(values, dims=("t", "speed"), coords=coords, name="speeds")


def speeds_of(
    names: list[str], quaternion_rows: list[int], q: np.ndarray, qdot: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """(time, speed) and their names: q̇, but ω of a quaternion, in the child's joint axes."""
    columns: list[np.ndarray] = []
    found: list[str] = []
    beginnings, known = set(quaternion_rows), set(names)
    row = 0
    while row < len(names):
        joint, _, part = names[row].rpartition(".")
        if part == "qw" and row in beginnings:
            columns.extend(angular_velocity(q, qdot, row).T)
            found += [f"{joint}.w{axis}" for axis in "xyz"]
            row += 4
            continue
        is_position_of_free_joint = part in ("x", "y", "z") and f"{joint}.qw" in known
        columns.append(qdot[:, row])
        found.append(f"{joint}.v{part}" if is_position_of_free_joint else names[row])
        row += 1
    return (np.stack(columns, axis=1) if columns else np.zeros((len(q), 0))), found


def angular_velocity(q: np.ndarray, qdot: np.ndarray, row: int) -> np.ndarray:
    """ω = 2 L(q) q̇ / ‖q‖², (time, 3), of the quaternion that begins at a row."""
    w, v = q[:, row], q[:, row + 1 : row + 4]
    w_dot, v_dot = qdot[:, row], qdot[:, row + 1 : row + 4]
    doubled = 2 * (w[:, None] * v_dot - w_dot[:, None] * v - np.cross(v, v_dot))
    return doubled / (w**2 + (v**2).sum(1))[:, None]


def quaternion_rows_of(names: list[str]) -> list[int]:
    """Where the quaternions begin among the names of coordinates."""
    marked = [row for row, name in enumerate(names) if name[-3:] == ".qw"]
    return [row for row in marked if names[row : row + 4] == four_parts(names[row][:-1])]


def four_parts(stem: str) -> list[str]:
    return [stem + "w", stem + "x", stem + "y", stem + "z"]
