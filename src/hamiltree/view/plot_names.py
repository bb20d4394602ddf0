"""Plots by name, as `hamiltree plot` and `run.plot("energy", "elbow")` take them.

A name is that of a plot, of a coordinate, of a joint, of a body or of a section. Where a part of
the model has the name of another one or of a plot, its kind in front tells them apart:
"body:energy". "phase:elbow" is a phase portrait, "path:coupler" the path of a body's origin, and
"path:coupler@0.2,0,0.1" that of a point of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hamiltree.catalogue import normalise_name
from hamiltree.errors import HamiltreeError, OptionError, suggest
from hamiltree.view.motion_panels import path_panels, spectrum_panels
from hamiltree.view.plot_data import coordinate_names, has_bodies
from hamiltree.view.plot_panels import (
    body_panels,
    coordinate_panels,
    energy_error_panels,
    energy_panels,
    error_panels,
    independence_panels,
    invariant_panels,
    ledger_panels,
    momentum_panels,
    phase_panels,
    residual_panels,
    section_panels,
)
from hamiltree.view.styles import Panel

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory


class NamedPlot(NamedTuple):
    """What a plot shows, its panels of a run (none: a figure that stands alone), and whether a run
    can have it, where asking for the panels takes long.
    """

    summary: str
    panels: Callable[[Trajectory], list[Panel]] | None
    is_there: Callable[[Trajectory], bool] | None = None


PLOTS: dict[str, NamedPlot] = {
    "summary": NamedPlot("energies, their error, and the bodies or a phase portrait", None),
    "motion": NamedPlot("the bodies at four times, with their paths", None, has_bodies),
    "energy": NamedPlot("kinetic, potential and total energy, and the energy error", energy_panels),
    "energy_error": NamedPlot("(H − H₀ − work) over the kinetic energy", energy_error_panels),
    "errors": NamedPlot("errors of the answer, by a second run", error_panels, lambda run: True),
    "ledger": NamedPlot("energy stored and work by force element", ledger_panels, has_bodies),
    "residuals": NamedPlot("constraint residuals of positions and velocities", residual_panels),
    "independence": NamedPlot("how near the constraints are to losing rank", independence_panels),
    "momenta": NamedPlot("change of linear and angular momentum of all bodies", momentum_panels),
    "invariants": NamedPlot("change of H and of each named invariant", invariant_panels),
    "coordinates": NamedPlot(
        "coordinates or variables over time, the first six", coordinate_panels
    ),
    "spectrum": NamedPlot("power spectra of coordinates, the first six", spectrum_panels),
}
PART_KINDS = {
    "coordinate": "a coordinate or variable over time, limits dashed",
    "joint": "all coordinates of a joint",
    "body": "position, velocity and angular velocity of a body",
    "section": "points of a section",
    "phase": "phase portrait of a coordinate",
    "path": "path of the origin of a body, or of a point: path:NAME@0.2,0,0.1",
}


def named_panels(run: Trajectory, what: Sequence[str]) -> list[Panel]:
    """The panels of all these names, in their order."""
    if not what:
        raise OptionError(f"name at least one plot: {', '.join(PLOTS)}, or a part of the model")
    return [panel for name in what for panel in panels_of(run, name)]


def panels_of(run: Trajectory, name: str) -> list[Panel]:
    """The panels of one name: of a plot as it is spelled, of a part, or of a plot in other letters
    or dashes.
    """
    if name in PLOTS:
        return plot_panels(run, name)
    kind, colon, part = name.partition(":")
    if colon and kind in PART_KINDS:
        return part_panels(run, kind, part)
    for kind in PART_KINDS:
        if kind not in ("phase", "path") and name in names_of(run, kind):
            return part_panels(run, kind, name)
    spelled = {normalise_name(plot): plot for plot in PLOTS}
    if normalise_name(name) in spelled:
        return plot_panels(run, spelled[normalise_name(name)])
    known = [*PLOTS, *(part for kind in PART_KINDS for part in names_of(run, kind))]
    remedy = suggest(name, dict.fromkeys(known))
    raise OptionError(f"this run has no plot {name!r}; {remedy} (--list shows all)")


def plot_panels(run: Trajectory, name: str) -> list[Panel]:
    panels = PLOTS[name].panels
    if panels is None:
        raise OptionError(f"{name} is a figure of its own; ask for it alone")
    return panels(run)


def part_panels(run: Trajectory, kind: str, name: str) -> list[Panel]:
    """The panels of a part of the model."""
    known = names_of(run, kind)
    if kind == "path" and "@" in name:
        return point_path_panels(run, name)
    if name not in known:
        raise OptionError(f"no {kind} {name!r} in this run; {suggest(name, known)}")
    if kind == "joint":
        return coordinate_panels(run, tuple(joint_coordinates(run, name)), is_one=True)
    makers: dict[str, Callable[[Any, str], list[Panel]]] = {
        "coordinate": lambda run, name: coordinate_panels(run, (name,), is_one=True),
        "body": body_panels,
        "phase": phase_panels,
        "path": path_panels,
        "section": section_panels,
    }
    return makers[kind](run, name)


def point_path_panels(run: Trajectory, name: str) -> list[Panel]:
    """The path of a point: "coupler@0.2,0,0.1", in the axes of the body or frame."""
    body, _, numbers = name.rpartition("@")
    try:
        at = [float(number) for number in numbers.split(",")]
    except ValueError:
        at = []
    if len(at) != 3:
        raise OptionError(f"path:{name}: give a point as three numbers, path:{body}@0.2,0,0.1")
    return path_panels(run, body, at)


def names_of(run: Trajectory, kind: str) -> list[str]:
    """The parts of this kind that a run has."""
    if kind == "section":
        return list(run.sections)
    if kind in ("body", "path"):
        return [str(name) for name in run.dataset["body"].values] if has_bodies(run) else []
    names = coordinate_names(run)
    if kind != "joint":
        return names
    return [] if not has_bodies(run) else joints_of_several(names)


def joints_of_several(coordinates: Iterable[str]) -> list[str]:
    """Joints of which a run has several coordinates, "wrist.x" and "wrist.y"."""
    return list(dict.fromkeys(name.rpartition(".")[0] for name in coordinates if "." in name))


def joint_coordinates(run: Trajectory, joint: str) -> list[str]:
    return [name for name in coordinate_names(run) if name.rpartition(".")[0] == joint]


def available_plots(run: Trajectory) -> dict[str, str]:
    """What this run has to plot: names and summaries."""
    return {name: plot.summary for name, plot in PLOTS.items() if has_plot(run, plot)}


def has_plot(run: Trajectory, plot: NamedPlot) -> bool:
    """Whether this plot can be asked for."""
    if plot.is_there is not None:
        return plot.is_there(run)
    try:
        return plot.panels is None or bool(plot.panels(run))
    except HamiltreeError:
        return False
