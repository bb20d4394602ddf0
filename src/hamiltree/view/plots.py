"""Plots of a trajectory, by name on the Trajectory: `run.plot.energy()`, `run.plot.phase("elbow")`.

Each returns a Matplotlib figure.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError, OptionError, suggest
from hamiltree.model.constraints import Rod
from hamiltree.model.joints import coordinate_labels

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

INK, ACCENT, SOFT, FAINT = "#1f2a44", "#c8553d", "#5b8e7d", "0.75"
MAX_POINTS = 4000  # a longer line is drawn by its extremes
MOST_PATHS = 24  # of more bodies, so many evenly chosen ones leave a path
MAX_NAMED = 6  # parts whose openings are drawn with a name
SMALLEST_DRAWN = 1e-20  # of openings, m: far below rounding
MOST_STICKS = 1000  # a larger model is drawn without joints
# of a coordinate and its momentum, by the dimension that the joint declares
UNIT_LABELS = {"length": (" / m", " / N s"), "angle": (" / rad", " / N m s"), "number": ("", "")}
FLATNESS_RATIO = 0.1  # a motion whose height is below this part of its width is seen from above


class Plots:
    def __init__(self, trajectory: "Trajectory"):
        self.run = trajectory

    def energy(self) -> Any:
        """Of a model T, V and T + V, and their error over the peak kinetic energy; of an H(q, p) H
        and H − H₀.
        """
        figure, panels = new_figure([["energies"], ["error"]], (8, 5.5))
        draw_energy_and_error(panels, self.run)
        figure.suptitle(title(self.run))
        return figure

    def phase(self, coordinate: str) -> Any:
        """Position against momentum of one joint or coordinate, coloured by time."""
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
        """How far each joint that closes a loop, and each constraint, is from holding, and the rate
        of that; logarithmic.
        """
        if "opening" not in self.run.dataset:
            raise OptionError(
                "this run has no loops and no constraints, so nothing can open; see energy()"
            )
        figure, panels = new_figure([["opening"], ["slip"]], (8, 5.5), sharex=True)
        draw_residuals(panels["opening"], self.run, "opening", "opening / m or rad")
        draw_residuals(panels["slip"], self.run, "slip", "its rate / m/s or rad/s")
        panels["slip"].set_xlabel(time_label(self.run))
        figure.suptitle(title(self.run))
        return figure

    def summary(self) -> Any:
        """One picture of a run: its energies, their error, and beside them the paths of the bodies
        or the phase portrait of an H(q, p).
        """
        right = ["paths", "paths"] if has_bodies(self.run) else phase_portraits(self.run)
        layout = [["energies", right[0]], ["error", right[1]]]
        figure, panels = new_figure(layout, (11, 5.5), width_ratios=[1.3, 1.0])
        draw_energy_and_error(panels, self.run)
        if has_bodies(self.run):
            draw_paths(panels["paths"], self.run)
        for number, panel in enumerate(() if has_bodies(self.run) else dict.fromkeys(right)):
            points = draw_phase(panels[panel], self.run, number)
            figure.colorbar(points, ax=panels[panel], label=time_label(self.run))
        figure.suptitle(title(self.run))
        return figure


# ---- panels --------------------------------------------------------------------------------------
def draw_energy_and_error(panels, run: "Trajectory") -> None:
    draw_energies(panels["energies"], run)
    draw_error(panels["error"], run)
    panels["error"].sharex(panels["energies"])


def draw_energies(axes, run: "Trajectory") -> None:
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
    balance, change = (
        run.energy_balance.values,
        "H − H₀ − work" if run.work.values.any() else "H − H₀",
    )
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
    """One coordinate and its momentum; returns the coloured points, for a colour bar."""
    q, p = run.q.values[:, number], run.p.values[:, number]
    # a line between samples that are several steps apart would cut across the motion
    if run.provenance["save_every"] == 1:
        axes.plot(q, p, color=FAINT, lw=0.4, zorder=1)
    points = axes.scatter(q, p, c=run.t.values, s=3, cmap="viridis", linewidths=0, zorder=2)
    position, momentum = phase_labels(run, number)
    axes.set_xlabel(position)
    axes.set_ylabel(momentum)
    return points


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

    What is below TINIEST is drawn there.
    """
    values, names = (
        run.dataset[variable].values,
        [str(name) for name in run.dataset["constraint"].values],
    )
    worst = np.argsort(-values.max(axis=0), kind="stable") if len(run.t) else np.arange(0)
    for number, k in enumerate(worst):
        is_named = number < MAX_NAMED
        color = series_color(number, min(len(names), MAX_NAMED)) if is_named else FAINT
        axes.plot(
            *thin_samples(run.t.values, np.maximum(values[:, k], SMALLEST_DRAWN)),
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


def draw_paths(axes, run: "Trajectory") -> None:
    """Centres of mass seen from the side, or from above if nothing rises; the last position as a
    figure of sticks.
    """
    every = max(1, run.t.size // MAX_POINTS)
    centres = run.poses.values[::every, :, :3] + rotate_vectors(
        run.poses.values[::every, :, 3:], centres_of_mass(run)
    )
    across, up = view_axes(np.ptp(centres.reshape(-1, 3), axis=0))
    count = centres.shape[1]
    for k, body in enumerate(
        np.unique(np.linspace(0, count - 1, min(count, MOST_PATHS)).round().astype(int))
    ):
        axes.plot(
            centres[:, body, across],
            centres[:, body, up],
            lw=0.5,
            alpha=0.7,
            color=series_color(k, min(count, MOST_PATHS)),
            zorder=1,
        )
    if count <= MOST_STICKS:
        figure = stick_figure(run)
        axes.plot(
            figure[:, across], figure[:, up], color=INK, lw=1.4, solid_capstyle="round", zorder=3
        )
    last = run.poses.values[-1, :, :3] + rotate_vectors(
        run.poses.values[-1, :, 3:], centres_of_mass(run)
    )
    axes.plot(last[:, across], last[:, up], "o", color=INK, mec="white", mew=0.5, ms=4.5, zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("xyz"[across] + " / m")
    axes.set_ylabel("xyz"[up] + " / m")
    axes.set_title(
        f"centres of mass, at t = {float(run.t[-1]):g} s on top", loc="right", fontsize="medium"
    )


# ---- what the panels show ------------------------------------------------------------------------
def thin_samples(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most MAX_POINTS of the samples: the first and the last, and of each interval the least
    and the largest.
    """
    if len(t) <= MAX_POINTS:
        return t, values
    edges = np.linspace(0, len(t), MAX_POINTS // 2).astype(int)
    pairs = [(a + values[a:b].argmin(), a + values[a:b].argmax()) for a, b in pairwise(edges)]
    kept = np.unique([0, len(t) - 1, *np.ravel(pairs)])
    return t[kept], values[kept]


def centres_of_mass(run: "Trajectory") -> np.ndarray:
    """Of every body in its own axes; its origin if the run's model was not stored."""
    try:
        return np.array([body.com for body in run.model.bodies], dtype=float)
    except FileError:
        return np.zeros((run.dataset.sizes["body"], 3))


def stick_figure(run: "Trajectory") -> np.ndarray:
    """At the end, from each parent's centre of mass to the joint and on to the child's, then a gap;
    and rods. None if not stored.
    """
    try:
        joints, bodies = run.model.joints, {body.name: k for k, body in enumerate(run.model.bodies)}
    except FileError:
        return np.zeros((0, 3))
    poses, com = run.poses.values[-1], centres_of_mass(run)

    def place(body: str, at) -> np.ndarray:
        k = bodies.get(body)
        return (
            np.array(at, dtype=float)
            if k is None
            else poses[k, :3] + rotate_vectors(poses[k, 3:], np.array(at, dtype=float))
        )

    points = []
    for joint in joints:
        here, there = (
            place(joint.parent, joint.on_parent.position),
            place(joint.child, joint.on_child.position),
        )
        before = [place(joint.parent, com[bodies[joint.parent]])] if joint.parent in bodies else []
        after = [place(joint.child, com[bodies[joint.child]])] if joint.child in bodies else []
        points += [*before, here, there, *after, np.full(3, np.nan)]
    for rod in run.model.constraints:
        if isinstance(rod, Rod):
            points += [place(rod.body_a, rod.at_a), place(rod.body_b, rod.at_b), np.full(3, np.nan)]
    return np.array(points)


def rotate_vectors(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors turned by unit quaternions, scalar first: v + 2 (w a × v + a × (a × v))."""
    w, a = quaternions[..., :1], quaternions[..., 1:]
    cross = np.cross(a, vectors)
    return vectors + 2.0 * (w * cross + np.cross(a, cross))


def view_axes(spread: np.ndarray) -> tuple[int, int]:
    """Which two axes of the world to look at: the wider horizontal one and z, or x and y if z
    hardly changes.
    """
    if spread[2] < FLATNESS_RATIO * spread.max():
        return 0, 1
    return (0, 2) if spread[0] >= spread[1] else (1, 2)


def has_bodies(run: "Trajectory") -> bool:
    """A run of a model; a run of an H(q, p) has neither bodies nor units."""
    return "pose" in run.dataset


def coordinate_names(run: "Trajectory") -> list[str]:
    return [str(name) for name in run.dataset["coordinate"].values]


def phase_portraits(run: "Trajectory") -> list[str]:
    """Panels beside the energies of an H(q, p): one high panel for one coordinate, else the first
    two.
    """
    return ["phase", "phase"] if len(coordinate_names(run)) == 1 else ["phase", "second phase"]


def section_name(run: "Trajectory", name: str | None) -> str:
    """The section of this name; without a name the only one."""
    known = list(run.sections)
    if not known:
        raise OptionError(
            "no section was collected in this run; ask for it before: simulate(…, "
            "sections=[Event('q2', +1)])"
        )
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        raise OptionError(
            f"no section {name!r} in this run; {suggest(name, known)}"
            if name
            else f"which section? {suggest('', known)}"
        )
    return str(name)


def section_plane(
    run: "Trajectory", name: str, x: str | None, y: str | None
) -> dict[str, np.ndarray]:
    """Two coordinates or momenta of the points of a section, by name; the first coordinate and its
    momentum unless told.
    """
    points, known = run.sections[name], run.names.rows
    wanted = (known[0] if x is None else x, known[points["q"].shape[1]] if y is None else y)
    columns = dict(
        zip(known, np.concatenate([points["q"].values, points["p"].values], axis=1).T, strict=True)
    )
    for axis in wanted:
        if axis not in columns:
            raise OptionError(
                f"a point of section {name!r} has no {axis!r}; {suggest(axis, known)}"
            )
    if wanted[0] == wanted[1]:
        raise OptionError(
            f"{wanted[0]!r} over itself is a line; give two different names: {', '.join(known)}"
        )
    return {axis: columns[axis] for axis in wanted}


def invariant_changes(run: "Trajectory") -> dict[str, np.ndarray]:
    """H less the work done on it, then each named invariant, all less their first value."""
    named = run.invariants if "invariants" in run.dataset else None
    values = (
        {}
        if named is None
        else {str(name): named.values[:, k] for k, name in enumerate(named["invariant"].values)}
    )
    return {"H": run.energy_balance.values} | {
        name: value - value[0] for name, value in values.items()
    }


def phase_labels(run: "Trajectory", number: int) -> tuple[str, str]:
    """Of a joint its name with units, of an H(q, p) the names that the user gave."""
    name = coordinate_names(run)[number]
    if not has_bodies(run):
        return name, str(run.dataset["momentum"].values[number])
    position, momentum = units(run, name)
    return f"q of {name}{position}", f"p of {name}{momentum}"


def units(run: "Trajectory", coordinate: str) -> tuple[str, str]:
    """Of a coordinate and its momentum; none if the model was not stored."""
    try:
        joints = run.model.joints
    except FileError:
        return UNIT_LABELS["number"]
    dimensions = {
        label: dimension
        for joint in joints
        for label, dimension in zip(
            coordinate_labels(joint), joint.coordinate_dimensions(), strict=True
        )
    }
    return UNIT_LABELS[dimensions[coordinate]]


def time_label(run: "Trajectory") -> str:
    return "t / s" if has_bodies(run) else "t"


# ---- looks ---------------------------------------------------------------------------------------
def new_figure(
    layout: Any, size: tuple[float, float], **options: Any
) -> tuple[Any, dict[str, Any]]:
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
