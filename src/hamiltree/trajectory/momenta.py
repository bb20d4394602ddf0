"""Momenta of all bodies at the samples of a run, labelled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hamiltree.trajectory.errors import momenta

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory


def linear_momentum(run: Trajectory) -> xr.DataArray:
    """(time, axis): p = Σ m v of all bodies, world axes, N s."""
    return label_momentum(run, 0, "linear_momentum")


def angular_momentum(run: Trajectory) -> xr.DataArray:
    """(time, axis): that of all bodies about the world's origin, world axes, N m s; armatures of
    joints are not included.
    """
    return label_momentum(run, 1, "angular_momentum")


def label_momentum(run: Trajectory, number: int, name: str) -> xr.DataArray:
    """The linear (0) or angular (1) momentum by time and axis."""
    import xarray as xr

    values = momenta(run.model.bodies, run.poses.values, run.twists.values)[number]
    coords = {"t": run.t.values, "axis": list("xyz")}
    return xr.DataArray(values, name=name, dims=("t", "axis"), coords=coords)
