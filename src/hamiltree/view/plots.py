"""Plots of a trajectory, by name on the Trajectory: `run.plot.energy()`, `run.plot.phase("elbow")`.

Each returns a Matplotlib figure of its own, which pyplot does not know, so that none stays open.
With `ax=` it draws on Axes of yours and returns them: on one the first panel, on as many as there
are panels all of them.
"""

from typing import TYPE_CHECKING, Any

from hamiltree.errors import OptionError, unknown_attribute
from hamiltree.view.motion_panels import path_panels, spectrum_panels
from hamiltree.view.panels import draw_energies, draw_error, draw_last_pose, draw_phase
from hamiltree.view.picture.figures import draw_motion
from hamiltree.view.plot_data import has_bodies, phase_portraits, rotate_vectors, thin_samples
from hamiltree.view.plot_names import named_panels
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
from hamiltree.view.styles import (
    ACCENT,
    FAINT,
    INK,
    SOFT,
    Panel,
    draw_on,
    new_figure,
    series_color,
    stack_panels,
    title,
)

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

# what experiments of the gallery draw with
__all__ = [
    "ACCENT", "FAINT", "INK", "SOFT", "Plots", "new_figure", "rotate_vectors", "series_color",
    "thin_samples",
]  # fmt: skip


class Plots:
    """Plots of one run; called with names, all of these plots in one figure."""

    def __init__(self, trajectory: "Trajectory"):
        self.run = trajectory

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute("run.plot", name, dir(type(self)))

    def __call__(self, *what: str, ax: Any = None) -> Any:
        """Plots by name, one below the other: run.plot("energy", "elbow"). Names are those of the
        plots and of the coordinates, bodies and sections of the run (`hamiltree plot --list`).
        """
        return self._stack(named_panels(self.run, what), ax)

    def _stack(self, panels: list[Panel], ax: Any, width: float = 8.0) -> Any:
        return stack_panels(panels, title(self.run), ax, width)

    # ---- what the run is worth -------------------------------------------------------------------
    def energy(self, ax: Any = None) -> Any:
        """Kinetic, potential (less that of the start) and total energy of a model, H of an
        H(q, p); below them the energy error.
        """
        return self._stack(energy_panels(self.run), ax)

    def energy_error(self, ax: Any = None) -> Any:
        """(H − H₀ − work) over the kinetic energy: its largest value is `run.energy_error`."""
        return self._stack(energy_error_panels(self.run), ax)

    def residuals(self, of: str | None = None, ax: Any = None) -> Any:
        """The constraint residual of each joint that closes a loop and of each constraint, and its
        rate; logarithmic. `of`: "position" or "velocity" alone.
        """
        return self._stack(residual_panels(self.run, of), ax)

    constraints = residuals

    def independence(self, ax: Any = None) -> Any:
        """How near the constraints are to losing rank: the smallest singular value of their
        Jacobian over the largest. Computed at every sample.
        """
        return self._stack(independence_panels(self.run), ax)

    def momenta(self, ax: Any = None) -> Any:
        """Changes of the linear and of the angular momentum of all bodies since the start, world
        axes; below them those momenta that the model keeps, in parts of what is moved.
        """
        return self._stack(momentum_panels(self.run), ax)

    def errors(self, ax: Any = None) -> Any:
        """Errors of the answer over time, logarithmic: in parts of the motion, of coordinates, and
        of places and attitudes of bodies. The run is made once more for them.
        """
        return self._stack(error_panels(self.run), ax)

    def ledger(self, ax: Any = None) -> Any:
        """Energy by force element: what each has stored since the start, the work of those that
        dissipate or drive, and the remainder.
        """
        return self._stack(ledger_panels(self.run), ax)

    def invariants(self, ax: Any = None) -> Any:
        """The change since the start of H (less the work done on it) and of every named invariant,
        one below the other.
        """
        return self._stack(invariant_panels(self.run), ax)

    # ---- the motion ------------------------------------------------------------------------------
    def coordinates(self, *names: str, ax: Any = None) -> Any:
        """Positions of joints over time, the first six unless they are named, one below the other;
        limits of joints are dashed. On one `ax` all of them in one panel.
        """
        if not self.run.has_energy:
            raise OptionError("coordinates() is of a run of a model or an H(q, p); see values()")
        is_one = ax is not None and not isinstance(ax, (list, tuple))
        return self._stack(coordinate_panels(self.run, names, is_one), ax)

    def values(self, *names: str, ax: Any = None) -> Any:
        """The variables of an ode over time, the first six unless they are named, one below the
        other; on one `ax` in one panel.
        """
        if self.run.has_energy:
            raise OptionError("values() is of a run of an ode; see energy() and summary()")
        is_one = ax is not None and not isinstance(ax, (list, tuple))
        return self._stack(coordinate_panels(self.run, names, is_one), ax)

    def phase(self, coordinate: str, ax: Any = None) -> Any:
        """Position against momentum of one joint or coordinate, coloured by time; of an ode a
        variable against its rate. Limits of joints are dashed.
        """
        return self._stack(phase_panels(self.run, coordinate), ax, 6.5)

    def body(self, name: str, ax: Any = None) -> Any:
        """Position and velocity of the centre of mass of a body, and its angular velocity, world
        axes.
        """
        return self._stack(body_panels(self.run, name), ax)

    def path(self, body: str, at: Any = (0.0, 0.0, 0.0), axes: str = "auto", ax: Any = None) -> Any:
        """The path of a point of a body (a coupler curve), coloured by time: in the plane of two
        axes, "xy", "xz" or "yz", or in that in which it moves most.
        """
        return self._stack(path_panels(self.run, body, at, axes), ax, 6.5)

    def spectrum(self, *names: str, ax: Any = None) -> Any:
        """Power spectral density of coordinates or variables, the first six unless named; both
        axes logarithmic.
        """
        return self._stack(spectrum_panels(self.run, names), ax)

    def section(
        self,
        name: str | None = None,
        x: str | None = None,
        y: str | None = None,
        ax: Any = None,
    ) -> Any:
        """Points of a section that was collected while running: x over y, by default the first
        coordinate and its momentum.
        """
        return self._stack(section_panels(self.run, name, x, y), ax, 6.0)

    def motion(self, at: Any = None, projection: str = "auto", ax: Any = None) -> Any:
        """The bodies at a time or at several, at four unless they are given; with the paths of
        their centres of mass. On one `ax` the end, unless a time is given.

        `projection`: "perspective", "three" (from the front, from the side, from above and in
        perspective), or "auto": a motion in a plane of the world from its side, others in
        perspective.
        """
        return draw_motion(self.run, at, projection, ax)

    def summary(self, ax: Any = None) -> Any:
        """One picture of a run: its energies, their error, and beside them the bodies or the phase
        portrait of an H(q, p); of an ode its variables.
        """
        run = self.run
        if not run.has_energy:
            return self.values(ax=ax)
        places = ["paths"] if has_bodies(run) else list(dict.fromkeys(phase_portraits(run)))
        draws = [lambda axes: draw_energies(axes, run), lambda axes: draw_error(axes, run)]
        if has_bodies(run):
            draws.append(lambda axes: draw_last_pose(axes, run))
        else:
            draws += [
                lambda axes, k=number: draw_phase(axes, run, k) for number in range(len(places))
            ]
        if ax is not None:
            return draw_on([Panel(draw) for draw in draws], ax)
        layout = [["energies", places[0]], ["error", places[-1]]]
        figure, panels = new_figure(layout, (11, 5.5), width_ratios=[1.3, 1.0])
        for name, draw in zip(["energies", "error", *places], draws, strict=True):
            draw(panels[name])
        panels["error"].sharex(panels["energies"])
        panels["energies"].set_xlabel("")
        figure.suptitle(title(run))
        return figure
