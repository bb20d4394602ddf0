"""What is drawn in one panel of a plot, on Matplotlib axes: energies, coordinates, bodies."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.view.picture.draw import Portrait
from hamiltree.view.plot_data import (
    coordinate_names,
    energy_error_of,
    has_bodies,
    limits_by_name,
    phase_labels,
    phase_pair,
    thin_samples,
    time_label,
    units,
)
from hamiltree.view.styles import (
    ACCENT,
    FAINT,
    INK,
    SOFT,
    STYLES,
    line_style,
    name_lines,
    note,
    shorten_name,
    zero_line,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

LONGEST_LABEL = 16  # of a coordinate beside its unit at an axis
FEW_POINTS = 100  # of a section: drawn larger, so that they are seen
FAR_LIMIT = 1.5  # of the range of a coordinate: a limit farther off is not worth showing to scale


# ---- energies ------------------------------------------------------------------------------------
def draw_energies(axes: Any, run: "Trajectory") -> None:
    """Kinetic, potential and total energy, the latter two less the potential energy of the start,
    which is arbitrary and may hide all the others; H of an H(q, p).
    """
    axes.set_xlabel(time_label(run))
    if not has_bodies(run):
        axes.plot(*thin_samples(run.t.values, run.energy.values), color=INK, lw=1.0, label="H")
        axes.set_ylabel("H")
        return
    start = run.potential_energy.values[:1]
    for values, color, style, width, label in (
        (run.kinetic_energy.values, ACCENT, STYLES[1], 1.0, "kinetic"),
        (run.potential_energy.values - start, SOFT, STYLES[2], 1.2, "potential − start"),
        (run.energy.values - start, INK, STYLES[0], 1.6, "total"),
    ):
        line = thin_samples(run.t.values, values)
        axes.plot(*line, color=color, ls=style, lw=width, label=label)
    axes.set_ylabel("energy / J")
    name_lines(axes)


def draw_error(axes: Any, run: "Trajectory") -> None:
    """The energy error over time, whose largest value is `run.energy_error`; in joules if nothing
    ever moved.
    """
    label, values, scale = energy_error_of(run)
    zero_line(axes)
    axes.plot(*thin_samples(run.t.values, values), color=INK, lw=0.7, label="error")
    axes.set_ylabel(label.replace("work) / ", "work)\n/ "))
    axes.set_xlabel(time_label(run))
    note(axes, f"energy error {run.energy_error:.1e}{scale}")


# ---- coordinates ---------------------------------------------------------------------------------
def draw_phase(axes: Any, run: "Trajectory", number: int) -> None:
    """One coordinate and its momentum, or its rate, coloured by time; its limits are dashed."""
    q, p = phase_pair(run, number)
    # a line between samples that are several steps apart would cut across the motion
    if run.provenance["save_every"] == 1:
        axes.plot(q, p, color=FAINT, lw=0.4, zorder=1)
    points = axes.scatter(q, p, c=run.t.values, s=3, cmap="viridis", linewidths=0, zorder=2)
    position, momentum = phase_labels(run, number)
    axes.set_xlabel(position)
    axes.set_ylabel(momentum)
    mark_limits(axes, run, number, q, INK, is_upright=True)
    axes.figure.colorbar(points, ax=axes, label=time_label(run))


def draw_coordinate(
    axes: Any, run: "Trajectory", number: int, style: dict[str, Any], has_note: bool = True
) -> None:
    """One coordinate, or one variable of an ode, over time; its limits are dashed."""
    name = coordinate_names(run)[number]
    unit = units(run, name)[0] if has_bodies(run) else ""
    values = (run.q if run.has_energy else run.y).values[:, number]
    axes.plot(*thin_samples(run.t.values, values), label=shorten_name(name), **style)
    is_long = len(name) > LONGEST_LABEL
    axes.set_ylabel(shorten_name(name) + "\n" * is_long + unit)
    axes.set_xlabel(time_label(run))
    bounds = mark_limits(axes, run, number, values, style["color"], is_upright=False)
    if bounds and has_note:
        note(axes, f"limits {', '.join(bounds)}{unit.replace(' /', '')}")


def draw_coordinates(axes: Any, run: "Trajectory", numbers: list[int]) -> None:
    """Several coordinates in one panel, and the limits of each in its colour."""
    is_one = len(numbers) == 1
    for place, k in enumerate(numbers):
        draw_coordinate(axes, run, k, line_style(place, len(numbers)), has_note=is_one)
    if not is_one:
        names = [coordinate_names(run)[k] for k in numbers]
        kinds = {units(run, name)[0] for name in names} if has_bodies(run) else {""}
        axes.set_ylabel("coordinates" + " or".join(sorted(kinds)).replace("or /", "or"))
        name_lines(axes)


def mark_limits(
    axes: Any, run: "Trajectory", number: int, values: np.ndarray, color: Any, is_upright: bool
) -> list[str]:
    """Dashed lines at the limits of a coordinate, which are returned in words; those far beyond the
    motion do not change the scale of the axes.
    """
    from matplotlib.lines import Line2D

    found = limits_by_name(run).get(coordinate_names(run)[number], ())
    bounds = [bound for bound in found if np.isfinite(bound)]
    if not bounds:
        return []
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    room = FAR_LIMIT * ((high - low) or abs(high) or 1.0)
    for bound in bounds:
        ends = ([bound, bound], [0, 1]) if is_upright else ([0, 1], [bound, bound])
        across = axes.get_xaxis_transform() if is_upright else axes.get_yaxis_transform()
        style = {"color": color, "lw": 0.8, "ls": "--", "label": "_limit"}
        axes.add_artist(Line2D(*ends, transform=across, **style))
        if low - room <= bound <= high + room:
            axes.update_datalim([(bound, bound)], updatex=is_upright, updatey=not is_upright)
    axes.autoscale_view()
    return [f"{bound:.4g}".replace("-", "−") for bound in bounds]


# ---- vectors of a body ---------------------------------------------------------------------------
def draw_vector(axes: Any, t: np.ndarray, values: np.ndarray, names: str, label: str) -> None:
    """Components over time."""
    for k, name in enumerate(names.split()):
        axes.plot(*thin_samples(t, values[:, k]), label=name, **line_style(k, values.shape[1]))
    axes.set_ylabel(label)
    axes.set_xlabel("t / s")
    name_lines(axes)


# ---- sections and invariants ---------------------------------------------------------------------
def draw_section(axes: Any, name: str, plane: dict[str, np.ndarray]) -> None:
    """Points in a plane of the state: the two names and their values."""
    (across, x), (up, y) = plane.items()
    few = len(x) <= FEW_POINTS
    axes.plot(x, y, ".", color=INK, ms=6.0 if few else 2.5, mew=0)
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    note(axes, f"section {name}: {len(x)} points")


def draw_change(axes: Any, run: "Trajectory", name: str, change: np.ndarray) -> None:
    """The change of an invariant since the start."""
    zero_line(axes)
    axes.plot(*thin_samples(run.t.values, change), color=INK, lw=0.7, label=name)
    axes.set_ylabel(f"change of {name}")
    axes.set_xlabel(time_label(run))
    note(axes, f"largest {np.abs(change).max():.2g}")


def draw_last_pose(axes: Any, run: "Trajectory") -> None:
    """The bodies at the end, and the paths of their centres of mass; a motion in a plane of the
    world from its side, others in perspective.
    """
    portrait = Portrait(run)
    portrait.draw(axes, portrait.poses[-1], portrait.side)
    note(axes, f"at t = {float(run.t[-1]):g} s, with paths of centres of mass")
