"""Plots of a trajectory, by name on the Trajectory: `run.plot.energy()`, `run.plot.phase("elbow")`.

Each returns a Matplotlib figure.
"""

from typing import TYPE_CHECKING, Any

from hamiltree.errors import OptionError, suggest
from hamiltree.view.panels import (
    ACCENT,
    FAINT,
    INK,
    MAX_NAMED,
    SOFT,
    draw_change,
    draw_coordinate,
    draw_energy_and_error,
    draw_last_pose,
    draw_phase,
    draw_residuals,
    draw_section,
    draw_values,
    new_figure,
    series_color,
    title,
)
from hamiltree.view.picture.figures import draw_motion
from hamiltree.view.plot_data import (
    coordinate_names,
    has_bodies,
    invariant_changes,
    phase_portraits,
    rotate_vectors,
    section_name,
    section_plane,
    thin_samples,
    time_label,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

# what experiments of the gallery draw with
__all__ = [
    "ACCENT", "FAINT", "INK", "SOFT", "Plots", "new_figure", "rotate_vectors", "series_color",
    "thin_samples",
]  # fmt: skip


class Plots:
    def __init__(self, trajectory: "Trajectory"):
        self.run = trajectory

    def energy(self) -> Any:
        """Of a model T, V and T + V, and their error over the peak kinetic energy; of an H(q, p) H
        and H − H₀.
        """
        if not self.run.has_energy:
            raise OptionError("an ode has no energy; see values(), phase(…) and invariants()")
        figure, panels = new_figure([["energies"], ["error"]], (8, 5.5))
        draw_energy_and_error(panels, self.run)
        figure.suptitle(title(self.run))
        return figure

    def phase(self, coordinate: str) -> Any:
        """Position against momentum of one joint or coordinate, coloured by time; of an ode a
        variable against its rate.
        """
        known = coordinate_names(self.run)
        if coordinate not in known:
            what = "joint" if has_bodies(self.run) else "coordinate"
            with_one = " with a coordinate" if has_bodies(self.run) else ""
            raise OptionError(
                f"no {what} {coordinate!r}{with_one} in this run; {suggest(coordinate, known)}"
            )
        figure, panels = new_figure([["phase"]], (6.5, 5.2))
        points = draw_phase(panels["phase"], self.run, known.index(coordinate))
        figure.colorbar(points, label=time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def coordinates(self, *names: str) -> Any:
        """Positions of joints over time, the first six unless they are named, one below the other;
        limits of joints are dashed.
        """
        known = coordinate_names(self.run)
        if not has_bodies(self.run):
            raise OptionError("coordinates() is of a run of a model; see values() and phase(…)")
        for name in names:
            if name not in known:
                raise OptionError(f"no coordinate {name!r} in this run; {suggest(name, known)}")
        drawn = [known.index(name) for name in names] or range(min(MAX_NAMED, len(known)))
        layout = [[str(k)] for k in drawn]
        figure, panels = new_figure(layout, (8, 1.5 + 1.6 * len(layout)), sharex=True)
        for number, k in enumerate(drawn):
            draw_coordinate(panels[str(k)], self.run, k, series_color(number, len(layout)))
        panels[layout[-1][0]].set_xlabel(time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def values(self) -> Any:
        """The variables of an ode over time, the first six of them one below the other."""
        if self.run.has_energy:
            raise OptionError("values() is of a run of an ode; see energy() and summary()")
        count = min(MAX_NAMED, len(coordinate_names(self.run)))
        layout = [[str(k)] for k in range(count)]
        figure, panels = new_figure(layout, (8, 1.5 + 1.6 * count), sharex=True)
        for k in range(count):
            draw_values(panels[str(k)], self.run, k, count)
        panels[str(count - 1)].set_xlabel(time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def section(self, name: str | None = None, x: str | None = None, y: str | None = None) -> Any:
        """Points of a section that was collected while running: x over y, by default the first
        coordinate and its momentum.
        """
        name = section_name(self.run, name)
        plane = section_plane(self.run, name, x, y)
        figure, panels = new_figure([["section"]], (6.0, 5.2))
        draw_section(panels["section"], name, plane)
        figure.suptitle(title(self.run))
        return figure

    def invariants(self) -> Any:
        """The change since the start of H (less the work done on it) and of every named invariant,
        one below the other.
        """
        changes = invariant_changes(self.run)
        figure, panels = new_figure(
            [[name] for name in changes], (8, 1.0 + 1.6 * len(changes)), sharex=True
        )
        for name, change in changes.items():
            draw_change(panels[name], self.run, name, change)
        panels[list(changes)[-1]].set_xlabel(time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def constraints(self) -> Any:
        """The constraint residual of each joint that closes a loop and of each constraint, and its
        rate; logarithmic.
        """
        if "opening" not in self.run.dataset:
            raise OptionError(
                "this run has no loops and no constraints, so no constraint residuals; see energy()"
            )
        figure, panels = new_figure([["opening"], ["slip"]], (8, 5.5), sharex=True)
        draw_residuals(panels["opening"], self.run, "opening", "constraint residual / m or rad")
        draw_residuals(panels["slip"], self.run, "slip", "its rate / m/s or rad/s")
        panels["slip"].set_xlabel(time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def motion(self, at: Any = None, projection: str = "auto") -> Any:
        """The bodies at a time or at several, at four unless they are given; with the paths of
        their centres of mass.

        `projection`: "perspective", "three" (from the front, from the side, from above and in
        perspective), or "auto": a motion in a plane of the world from its side, others in
        perspective.
        """
        return draw_motion(self.run, at, projection)

    def summary(self) -> Any:
        """One picture of a run: its energies, their error, and beside them the bodies or the phase
        portrait of an H(q, p); of an ode its variables.
        """
        if not self.run.has_energy:
            return self.values()
        right = ["paths", "paths"] if has_bodies(self.run) else phase_portraits(self.run)
        layout = [["energies", right[0]], ["error", right[1]]]
        figure, panels = new_figure(layout, (11, 5.5), width_ratios=[1.3, 1.0])
        draw_energy_and_error(panels, self.run)
        if has_bodies(self.run):
            draw_last_pose(panels["paths"], self.run)
        for number, panel in enumerate(() if has_bodies(self.run) else dict.fromkeys(right)):
            points = draw_phase(panels[panel], self.run, number)
            figure.colorbar(points, ax=panels[panel], label=time_label(self.run))
        figure.suptitle(title(self.run))
        return figure
