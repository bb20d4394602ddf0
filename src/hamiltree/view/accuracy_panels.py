"""Panels of what a run is worth: constraint residuals, momenta, distance from singular positions,
errors of the answer, the ledger of energies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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
    return t[edges], np.maximum.reduceat(values, edges, axis=0)


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


def draw_momentum(axes: Any, t: np.ndarray, values: np.ndarray, names: list[str], label: str):
    """Components of a momentum, less what they were at the start."""
    change = values - values[:1]
    zero_line(axes)
    for k, name in enumerate(names):
        axes.plot(*thin_samples(t, change[:, k]), label=name, **line_style(k, len(names)))
    axes.set_ylabel(label)
    axes.set_xlabel("t / s")
    name_lines(axes)
    note(axes, f"largest {np.abs(change).max(initial=0.0):.2g}")


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
