"""Panels of what a run is worth: constraint residuals, momenta, distance from singular positions,
errors of the answer, the ledger of energies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.view.panels import draw_vector
from hamiltree.view.plot_data import thin_samples, time_label
from hamiltree.view.styles import (
    ACCENT,
    FAINT,
    INK,
    MAX_NAMED,
    line_style,
    name_lines,
    note,
    shorten_name,
    zero_line,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

SMALLEST_DRAWN = 1e-6  # on a logarithmic axis, in parts of the largest: far below rounding
NOTHING_DRAWN = 1e-20  # where a residual is drawn if all of them are zero
MAX_PEAKS = 250  # of one line on a logarithmic axis
SMALLEST_SHOWN = 1e-12  # of the largest: an element that stores or does less is left out
RESIDUALS = {
    "position": ("opening", "constraint residual / m or rad"),
    "velocity": ("slip", "residual rate / m/s or rad/s"),
}


# ---- many lines ----------------------------------------------------------------------------------
def rank_lines(values: np.ndarray) -> np.ndarray:
    """Numbers of the columns of |values|, the largest peak first."""
    peaks = np.nan_to_num(np.abs(values)).max(axis=0, initial=0.0)
    return np.argsort(-peaks, kind="stable")


def draw_ranked(
    axes: Any, t: np.ndarray, values: np.ndarray, names: list[str], is_logarithmic: bool
) -> None:
    """A line per column; at most MAX_NAMED have a name, those with the largest peaks.

    On a logarithmic axis what is below SMALLEST_DRAWN of the largest is drawn there.
    """
    if is_logarithmic:
        floor = SMALLEST_DRAWN * np.nanmax(values, initial=0.0) or NOTHING_DRAWN
        t, values = keep_peaks(t, np.maximum(values, floor))
    ranked = rank_lines(values)
    named = min(len(names), MAX_NAMED)
    for place, k in enumerate(ranked):
        style = {"color": FAINT, "lw": 0.8, "zorder": 1, "label": "_"}
        if place < MAX_NAMED:
            style = line_style(place, named) | {"zorder": 2, "label": shorten_name(names[k])}
        axes.plot(*thin_samples(t, values[:, k]), **style)
    if is_logarithmic:
        axes.set_yscale("log")
    name_lines(axes, len(names) - named)


def keep_peaks(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The largest values of MAX_PEAKS stretches of a long run: between its peaks a residual falls
    to rounding at almost every sample, and many such lines hide each other.
    """
    if len(t) <= 2 * MAX_PEAKS:
        return t, values
    edges = np.linspace(0, len(t), MAX_PEAKS + 1).astype(int)[:-1]
    return t[edges], np.fmax.reduceat(values, edges, axis=0)


# ---- panels --------------------------------------------------------------------------------------
def draw_residuals(axes: Any, run: Trajectory, of: str) -> None:
    """Residuals of the constraints, or their rates, each part by time."""
    variable, label = RESIDUALS[of]
    values = run.dataset[variable].values
    names = [str(name) for name in run.dataset["constraint"].values]
    draw_ranked(axes, run.t.values, values, names, is_logarithmic=True)
    axes.set_ylabel(label)
    axes.set_xlabel(time_label(run))
    note(axes, f"largest {values.max(initial=0.0):.2g}")


def draw_momentum(axes: Any, run: Trajectory, values: np.ndarray, names: str, label: str) -> None:
    """Components of a momentum, less what they were at the start."""
    change = values - values[:1]
    zero_line(axes)
    draw_vector(axes, run.t.values, change, names, label)
    note(axes, f"largest {np.abs(change).max(initial=0.0):.2g}")


def draw_kept(axes: Any, changes: dict[str, tuple[np.ndarray, np.ndarray]]) -> None:
    """Momenta that the model keeps: by name, times and changes in parts of what is moved."""
    zero_line(axes)
    for place, (name, (t, change)) in enumerate(changes.items()):
        style = line_style(place, min(len(changes), MAX_NAMED))
        axes.plot(*thin_samples(t, change), label=shorten_name(name), **style)
    axes.set_ylabel("change of kept\nmomenta / moved")
    axes.set_xlabel("t / s")
    name_lines(axes)
    worst = max(float(np.abs(change).max(initial=0.0)) for _, change in changes.values())
    note(axes, f"largest {worst:.1e}")


def draw_independence(axes: Any, run: Trajectory) -> None:
    """The smallest singular value of the constraint Jacobian over the largest, and where the loop
    itself has found its constraints least independent.
    """
    found = run.singular_values()
    ratio = found["ratio"].values
    axes.plot(*thin_samples(run.t.values, np.maximum(ratio, NOTHING_DRAWN)), color=INK, lw=1.0)
    axes.set_yscale("log")
    axes.set_ylabel("smallest / largest\nsingular value")
    axes.set_xlabel(time_label(run))
    note(axes, f"smallest {ratio.min():.1e} at t = {float(run.t[int(ratio.argmin())]):.4g} s")
    if least := run.statistics.get("least_independence"):
        label = f"least sine in the loop {least['sine']:.1e}, {least['part']}"
        axes.axvline(least["t"], color=ACCENT, ls="--", lw=0.9, label=label)
        name_lines(axes)


# ---- errors of the answer ------------------------------------------------------------------------
def draw_relative_error(axes: Any, estimate: Any, time: str) -> None:
    """The largest error in parts of the motion, and until when the answer is determined."""
    t, values = estimate.dataset["t"].values, estimate.dataset["relative_error"].values
    draw_ranked(axes, t, values[:, None], ["worst of all"], is_logarithmic=True)
    if estimate.horizon is not None:
        axes.axvline(estimate.horizon, color=ACCENT, ls="--", lw=0.9, label="determined until here")
        name_lines(axes)
    axes.set_ylabel("error / motion")
    axes.set_xlabel(time)
    if estimate.number is not None:
        note(axes, f"largest {estimate.number:.1e} of the motion")


def draw_errors(axes: Any, estimate: Any, of: str, unit: str, time: str) -> None:
    """Errors of coordinates of one unit, or of places or angles of bodies, over time."""
    values, label = estimate.dataset[f"{of}_error"], f"error of {of}s"
    dimension = str(values.dims[1])
    if of == "coordinate":
        values = values.isel(coordinate=np.flatnonzero(values["unit"].values == unit))
    names = [str(name) for name in values[dimension].values]
    numbers = np.abs(values.values)
    draw_ranked(axes, estimate.dataset["t"].values, numbers, names, is_logarithmic=True)
    axes.set_ylabel(label + f" / {unit}" * bool(unit))
    axes.set_xlabel(time)
    note(axes, f"largest {np.nanmax(numbers, initial=0.0):.2g}{f' {unit}' * bool(unit)}")


# ---- ledger --------------------------------------------------------------------------------------
def draw_stored(axes: Any, ledger: Any) -> None:
    """What each element stores, less that of the start."""
    stored = ledger.stored.values
    draw_elements(axes, ledger, stored - stored[:1], "stored since\nthe start / J")


def draw_unstored_work(axes: Any, ledger: Any) -> None:
    """The work of dampers, drives, inputs and loads: what elements did beside the energy that they
    store.
    """
    draw_elements(axes, ledger, ledger.unstored_work, "work that is\nnot stored / J")


def draw_elements(axes: Any, ledger: Any, values: np.ndarray, label: str) -> None:
    """Of each element by time; those that are always zero are left out."""
    zero_line(axes)
    largest = float(np.abs(values).max(initial=0.0))
    kept = np.flatnonzero(np.abs(values).max(axis=0, initial=0.0) > SMALLEST_SHOWN * largest)
    names = [ledger.elements[k] for k in kept]
    draw_ranked(axes, ledger.dataset["t"].values, values[:, kept], names, is_logarithmic=False)
    axes.set_ylabel(label)
    axes.set_xlabel("t / s")
    if not names:
        note(axes, "none")


def draw_remainder(axes: Any, ledger: Any) -> None:
    """What the ledger cannot account for: the run's own error, and what samples are too far apart
    for.
    """
    zero_line(axes)
    axes.plot(*thin_samples(ledger.dataset["t"].values, ledger.remainder.values), color=INK, lw=0.7)
    axes.set_ylabel("remainder / J")
    axes.set_xlabel("t / s")
    note(axes, f"largest {ledger.largest_remainder:.1e} J")
