"""What is drawn in one panel of a plot, on Matplotlib axes."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.model.limits import NO_LIMITS
from hamiltree.view.picture.draw import Portrait
from hamiltree.view.plot_data import (
    coordinate_names,
    has_bodies,
    phase_labels,
    phase_pair,
    thin_samples,
    time_label,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

INK, ACCENT, SOFT, FAINT = "#1f2a44", "#c8553d", "#5b8e7d", "0.75"
MAX_NAMED = 6  # parts whose constraint residuals are drawn with a name
SMALLEST_DRAWN = 1e-6  # constraint residual, in parts of the largest: far below rounding
NOTHING_DRAWN = 1e-20  # where a residual is drawn if all of them are zero


# ---- panels --------------------------------------------------------------------------------------
def draw_energy_and_error(panels, run: "Trajectory") -> None:
    draw_energies(panels["energies"], run)
    draw_error(panels["error"], run)
    panels["error"].sharex(panels["energies"])


def draw_energies(axes, run: "Trajectory") -> None:
    """Kinetic, potential and total energy; H of an H(q, p)."""
    if not has_bodies(run):
        axes.plot(*thin_samples(run.t.values, run.energy.values), color=INK, lw=1.0, label="H")
        axes.set_ylabel("H")
        return
    for energy, color, width, label in (
        (run.kinetic_energy, ACCENT, 0.8, "kinetic"),
        (run.potential_energy, SOFT, 0.8, "potential"),
        (run.energy, INK, 1.6, "total"),
    ):
        axes.plot(*thin_samples(run.t.values, energy.values), color=color, lw=width, label=label)
    axes.set_ylabel("energy / J")
    axes.legend(
        loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False, borderaxespad=0.1
    )


def draw_error(axes, run: "Trajectory") -> None:
    """(H − H₀) over the peak kinetic energy; in joules if nothing ever moved.

    Of an H(q, p) the difference itself.
    """
    balance = run.energy_balance.values
    change = "H − H₀ − work" if run.work.values.any() else "H − H₀"
    peak = float(run.kinetic_energy.max()) if has_bodies(run) else 0.0
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(
        *thin_samples(run.t.values, balance / (peak or 1.0)), color=INK, lw=0.7, label="error"
    )
    axes.set_ylabel(
        f"({change}) / {'peak kinetic' if peak else 'J'}" if has_bodies(run) else change
    )
    axes.set_xlabel(time_label(run))
    worst = run.energy_error if has_bodies(run) else float(np.abs(balance).max())
    axes.set_title(f"largest error {worst:.1e}", loc="right", fontsize="medium")


def draw_phase(axes, run: "Trajectory", number: int) -> Any:
    """One coordinate and its momentum, or its rate; returns the coloured points, for a colour
    bar.
    """
    q, p = phase_pair(run, number)
    # a line between samples that are several steps apart would cut across the motion
    if run.provenance["save_every"] == 1:
        axes.plot(q, p, color=FAINT, lw=0.4, zorder=1)
    points = axes.scatter(q, p, c=run.t.values, s=3, cmap="viridis", linewidths=0, zorder=2)
    position, momentum = phase_labels(run, number)
    axes.set_xlabel(position)
    axes.set_ylabel(momentum)
    return points


def draw_values(axes, run: "Trajectory", number: int, count: int) -> None:
    """One variable of an ode over time."""
    name = coordinate_names(run)[number]
    values = run.y.values[:, number]
    axes.plot(*thin_samples(run.t.values, values), color=series_color(number, count), lw=0.9)
    axes.set_ylabel(name)


def draw_coordinate(axes, run: "Trajectory", number: int, color: Any) -> None:
    """One coordinate of a model over time, and its limits as dashed lines."""
    values = run.q.values[:, number]
    axes.plot(*thin_samples(run.t.values, values), color=color, lw=0.9)
    axes.set_ylabel(phase_labels(run, number)[0])
    limits = run.model.limits.get(coordinate_names(run)[number], NO_LIMITS)
    for bound in (limits.lower, limits.upper):
        if np.isfinite(bound):
            axes.axhline(bound, color=INK, lw=0.8, ls="--", label="limit")


def draw_section(axes, name: str, plane: dict[str, np.ndarray]) -> None:
    """Points in a plane of the state: the two names and their values."""
    (across, x), (up, y) = plane.items()
    axes.plot(x, y, ".", color=INK, ms=2.5, mew=0)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    axes.set_title(f"section {name}: {len(x)} points", loc="right", fontsize="medium")


def draw_change(axes, run: "Trajectory", name: str, change: np.ndarray) -> None:
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(*thin_samples(run.t.values, change), color=INK, lw=0.7, label=name)
    axes.set_ylabel(f"change of {name}")
    axes.set_title(f"largest {np.abs(change).max():.1e}", loc="right", fontsize="medium")


def draw_residuals(axes, run: "Trajectory", variable: str, label: str) -> None:
    """Of each part by time, at most MAX_NAMED by name: the worst ones.

    What is below SMALLEST_DRAWN of the largest is drawn there.
    """
    values = run.dataset[variable].values
    floor = SMALLEST_DRAWN * np.nanmax(values, initial=0.0) or NOTHING_DRAWN
    names = [str(name) for name in run.dataset["constraint"].values]
    worst = np.argsort(-values.max(axis=0), kind="stable") if len(run.t) else np.arange(0)
    for number, k in enumerate(worst):
        is_named = number < MAX_NAMED
        color = series_color(number, min(len(names), MAX_NAMED)) if is_named else FAINT
        axes.plot(
            *thin_samples(run.t.values, np.maximum(values[:, k], floor)),
            color=color,
            lw=0.8,
            zorder=2 if is_named else 1,
            label=names[k] if is_named else "_",
        )
    axes.set_yscale("log")
    axes.set_ylabel(label)
    axes.set_title(
        f"largest {values.max() if values.size else 0.0:.1e}", loc="right", fontsize="medium"
    )
    if variable == "opening":
        axes.legend(
            loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=3, frameon=False, borderaxespad=0.1
        )


def draw_last_pose(axes, run: "Trajectory") -> None:
    """The bodies at the end, and the paths of their centres of mass; a motion in a plane of the
    world from its side, others in perspective.
    """
    portrait = Portrait(run)
    portrait.draw(axes, portrait.poses[-1], portrait.side)
    axes.set_title(
        f"at t = {float(run.t[-1]):g} s, with paths of centres of mass",
        loc="right",
        fontsize="medium",
    )


# ---- looks ---------------------------------------------------------------------------------------
def new_figure(
    layout: Any, size: tuple[float, float], **options: Any
) -> tuple[Any, dict[str, Any]]:
    """A figure with named panels, without frames on top and at the right."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplot_mosaic(layout, figsize=size, layout="constrained", **options)
    for axes in panels.values():
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def series_color(k: int, count: int):
    import matplotlib as mpl

    return mpl.colormaps["viridis"](0.9 * k / max(1, count - 1))


def title(run: "Trajectory") -> str:
    about = run.provenance
    return f"{about['model_name']} · {about['integrator']} · step {about['step']:g}" + (
        " s" if has_bodies(run) else ""
    )
