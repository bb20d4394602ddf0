"""What the plots of a page show: energies, work, momenta, residuals, energies by force element;
coordinates; sections.

Scalars are kept at those samples where one of them has an extreme, so that no peak is lost;
coordinates, residuals and reactions at evenly chosen samples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError
from hamiltree.trajectory.errors import momenta
from hamiltree.view.page.arrays import ArrayBlock
from hamiltree.view.page.report_data import ledger_channels
from hamiltree.view.plot_data import (
    coordinate_names,
    energy_error_of,
    invariant_changes,
    limits_by_name,
    thin_samples,
    units_by_name,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

MAX_COORDINATE_NUMBERS = 6_000_000  # of q, q̇ and p in a page; of more, the first coordinates
MAX_SAMPLES = 4000  # of coordinates, residuals and reactions
SMALLEST_RESIDUAL = 1e-300  # stands for zero on a logarithmic axis
AXES = ("x", "y", "z")
Channel = tuple[str, str, str, np.ndarray]  # plot, name, unit, values at all samples


# ---- scalars by time -----------------------------------------------------------------------------
def series_data(run: Trajectory, block: ArrayBlock) -> dict[str, Any]:
    """Channels by time, each with the plot that it belongs to."""
    channels = energy_channels(run) + residual_channels(run) + invariant_channels(run)
    index = extreme_samples(run.t.values, [values for *_, values in channels])
    kept = [(plot, name, unit, values[index]) for plot, name, unit, values in channels]
    kept += momentum_channels(run, index) + ledger_channels(run, index)
    return {
        "t": block.add(run.t.values[index], "f8"),
        "channels": [
            {"plot": plot, "name": name, "unit": unit, "values": block.add(values, "f8")}
            for plot, name, unit, values in kept
        ],
    }


def extreme_samples(t: np.ndarray, series: list[np.ndarray]) -> np.ndarray:
    """The samples at which one of the series is least or largest in its stretch of time."""
    numbers = np.arange(len(t))
    found = [numbers[:1], numbers[-1:]]
    for values in series:
        kept, _ = thin_samples(numbers, np.nan_to_num(values))
        found.append(kept)
    return np.unique(np.concatenate(found))


def energy_channels(run: Trajectory) -> list[Channel]:
    """The energy error by its scale, energies (potential and total less the potential energy of
    the start) and work; none of an ode.
    """
    if not run.has_energy:
        return []
    label, error, _ = energy_error_of(run)
    found = [("error", label.removesuffix(" / J"), "J" if label.endswith(" / J") else "", error)]
    if not run.has_bodies:
        return [*found, ("energies", "H", "", run.energy.values)]
    start = run.potential_energy.values[:1]
    found += [
        ("energies", "kinetic", "J", run.kinetic_energy.values),
        ("energies", "potential − start", "J", run.potential_energy.values - start),
        ("energies", "total", "J", run.energy.values - start),
    ]
    if run.work.values.any():
        found.append(("work", "work", "J", run.work.values))
    return found


def residual_channels(run: Trajectory) -> list[Channel]:
    """The largest residual of all constraints, and the largest rate."""
    found = []
    for variable, name, unit in (
        ("opening", "largest residual", "m or rad"),
        ("slip", "largest residual rate", "m/s or rad/s"),
    ):
        if variable in run.dataset:
            values = run.dataset[variable].values.max(axis=1, initial=0.0)
            found.append(("residuals", name, unit, values))
    return found


def invariant_channels(run: Trajectory) -> list[Channel]:
    """Changes of the invariants that were named with an H(q, p) or an ode."""
    if run.has_bodies or not run.dataset.sizes.get("invariant"):
        return []
    changes = list(invariant_changes(run).items())[int(run.has_energy) :]  # the first may be H
    return [("invariants", name, "", values) for name, values in changes]


def momentum_channels(run: Trajectory, index: np.ndarray) -> list[Channel]:
    """Linear and angular momentum at some samples; none if the model was not stored."""
    try:
        bodies = run.model.bodies
    except FileError:
        return []
    pose, twist = run.poses.values[index], run.twists.values[index]
    linear, angular = momenta(bodies, pose, twist)
    return [
        (plot, f"{letter}{axis}", unit, values[:, k])
        for plot, letter, unit, values in (
            ("linear momentum", "p", "N s", linear),
            ("angular momentum", "L", "N m s", angular),
        )
        for k, axis in enumerate(AXES)
    ]


# ---- coordinates and residuals -------------------------------------------------------------------
def plot_samples(count: int) -> np.ndarray:
    """All samples of a run, or MAX_SAMPLES of them evenly chosen."""
    return np.unique(np.linspace(0, count - 1, min(count, MAX_SAMPLES)).astype(int))


def coordinates_data(run: Trajectory, sample: np.ndarray, block: ArrayBlock) -> dict[str, Any]:
    """q, q̇ and p at some samples, rounded to 16 bits of the range of each; of an ode y and ẏ in the
    places of q and p.
    """
    names = coordinate_names(run)
    places = {"q": "q", "qdot": "qdot", "p": "p"} if run.has_energy else {"q": "y", "p": "ydot"}
    known = {place: name for place, name in places.items() if name in run.dataset}
    most = max(1, MAX_COORDINATE_NUMBERS // max(1, len(known) * len(sample)))
    chosen = slice(0, most)
    known_units, limits = units_by_name(run) if run.has_bodies else {}, limits_by_name(run)
    both = [known_units.get(name, ("", "")) for name in names[chosen]]
    return {
        "t": block.add(run.t.values[sample], "f8"),
        "names": names[chosen],
        "left_out": max(0, len(names) - most),
        "units": [position.removeprefix(" / ") for position, _ in both],
        "momentumUnits": [momentum.removeprefix(" / ") for _, momentum in both],
        "momentumNames": momentum_names(run)[chosen],
        "limits": [[x for x in limits.get(name, ()) if np.isfinite(x)] for name in names[chosen]],
        **{
            place: block.add_rounded(run.dataset[name].values[sample, chosen])
            for place, name in known.items()
        },
    }


def momentum_names(run: Trajectory) -> list[str]:
    if not run.has_energy:
        return [f"rate of {name}" for name in coordinate_names(run)]
    dimension = "coordinate" if run.has_bodies else "momentum"
    prefix = "p of " if run.has_bodies else ""
    return [f"{prefix}{name}" for name in run.dataset[dimension].values]


def residuals_data(run: Trajectory, sample: np.ndarray, block: ArrayBlock) -> dict[str, Any] | None:
    """log₁₀ of the residual of each constraint at some samples."""
    if "opening" not in run.dataset:
        return None
    values = run.dataset["opening"].values[sample]
    positive = values[values > 0.0]
    floor = max(float(positive.min()) if positive.size else 1.0, SMALLEST_RESIDUAL)
    return {
        "t": block.add(run.t.values[sample], "f8"),
        "names": [str(name) for name in run.dataset["constraint"].values],
        "log": block.add_rounded(np.log10(np.maximum(values, floor))),
    }


def sections_data(run: Trajectory, block: ArrayBlock) -> list[dict[str, Any]]:
    """Points of sections that were collected while running."""
    found = []
    for name, points in run.sections.items():
        parts = ("q", "p") if run.has_energy else ("y",)
        values = np.concatenate([points[part].values for part in parts], axis=1)
        rows = run.names.rows if run.has_energy else coordinate_names(run)
        found.append(
            {
                "name": name,
                "columns": list(rows[: values.shape[1]]),
                "t": block.add(points["t"].values, "f8"),
                "values": block.add(values, "f8"),
            }
        )
    return found
