"""Plots of a trajectory, by name on the Trajectory: `run.plot.energy()`, `run.plot.phase("elbow")`. Each returns a Matplotlib figure."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError, OptionError, nearest

if TYPE_CHECKING:
    from hamiltree.trajectory import Trajectory

INK, ACCENT, SOFT, FAINT = "#1f2a44", "#c8553d", "#5b8e7d", "0.75"
MOST_POINTS = 4000  # a longer line is drawn by its extremes
MOST_PATHS = 24  # of more bodies, so many evenly chosen ones leave a path
MOST_STICKS = 1000  # a larger model is drawn without joints
FLAT = 0.1  # a motion whose height is below this part of its width is seen from above


class Plots:
    def __init__(self, trajectory: "Trajectory"):
        self.run = trajectory

    def energy(self) -> Any:
        """Kinetic, potential and total energy, and below them the error of the total relative to the peak kinetic energy."""
        figure, panels = new_figure([["energies"], ["error"]], (8, 5.5))
        draw_energies(panels["energies"], self.run)
        draw_error(panels["error"], self.run)
        panels["error"].sharex(panels["energies"])
        figure.suptitle(title(self.run))
        return figure

    def phase(self, joint: str) -> Any:
        """Position against momentum of one joint, coloured by time."""
        names = [str(name) for name in self.run.dataset["coordinate"].values]
        if joint not in names:
            raise OptionError(f"no joint {joint!r} with a coordinate in this run; {nearest(joint, names)}")
        q, p = self.run.q.sel(coordinate=joint).values, self.run.p.sel(coordinate=joint).values
        figure, panels = new_figure([["phase"]], (6.5, 5.2))
        axes = panels["phase"]
        axes.plot(q, p, color=FAINT, lw=0.4, zorder=1)
        points = axes.scatter(q, p, c=self.run.t.values, s=3, cmap="viridis", linewidths=0, zorder=2)
        position, momentum = units(self.run, joint)
        axes.set_xlabel(f"q of {joint}{position}")
        axes.set_ylabel(f"p of {joint}{momentum}")
        figure.colorbar(points, label="t / s")
        figure.suptitle(title(self.run))
        return figure

    def summary(self) -> Any:
        """One picture of a run: its energies, their error, and the paths of the bodies with the last position on top."""
        figure, panels = new_figure([["energies", "paths"], ["error", "paths"]], (11, 5.5), width_ratios=[1.3, 1.0])
        draw_energies(panels["energies"], self.run)
        draw_error(panels["error"], self.run)
        panels["error"].sharex(panels["energies"])
        draw_paths(panels["paths"], self.run)
        figure.suptitle(title(self.run))
        return figure


# ---- panels -----------------------------------------------------------------------------------------------------------------
def draw_energies(axes, run: "Trajectory") -> None:
    for energy, color, width, label in (
        (run.kinetic_energy, ACCENT, 0.8, "kinetic"),
        (run.potential_energy, SOFT, 0.8, "potential"),
        (run.energy, INK, 1.6, "total"),
    ):
        axes.plot(*thinned(run.t.values, energy.values), color=color, lw=width, label=label)
    axes.set_ylabel("energy / J")
    axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=3, frameon=False, borderaxespad=0.1)


def draw_error(axes, run: "Trajectory") -> None:
    """(H − H₀) over the peak kinetic energy; in joules if nothing ever moved."""
    balance, peak = run.energy_balance.values, float(run.kinetic_energy.max())
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(*thinned(run.t.values, balance / (peak or 1.0)), color=INK, lw=0.7, label="error")
    change = "H − H₀ − work" if run.work.values.any() else "H − H₀"
    axes.set_ylabel(f"({change}) / {'peak kinetic' if peak else 'J'}")
    axes.set_xlabel("t / s")
    axes.set_title(f"largest error {run.energy_error:.1e}", loc="right", fontsize="medium")


def draw_paths(axes, run: "Trajectory") -> None:
    """Centres of mass seen from the side, or from above if nothing rises; the last position as a figure of sticks."""
    every = max(1, run.t.size // MOST_POINTS)
    centres = run.poses.values[::every, :, :3] + turned(run.poses.values[::every, :, 3:], centres_of_mass(run))
    across, up = view_axes(np.ptp(centres.reshape(-1, 3), axis=0))
    count = centres.shape[1]
    for k, body in enumerate(np.unique(np.linspace(0, count - 1, min(count, MOST_PATHS)).round().astype(int))):
        axes.plot(centres[:, body, across], centres[:, body, up], lw=0.5, alpha=0.7, color=shade(k, min(count, MOST_PATHS)), zorder=1)
    if count <= MOST_STICKS:
        figure = sticks(run)
        axes.plot(figure[:, across], figure[:, up], color=INK, lw=1.4, solid_capstyle="round", zorder=3)
    last = run.poses.values[-1, :, :3] + turned(run.poses.values[-1, :, 3:], centres_of_mass(run))
    axes.plot(last[:, across], last[:, up], "o", color=INK, mec="white", mew=0.5, ms=4.5, zorder=4)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("xyz"[across] + " / m")
    axes.set_ylabel("xyz"[up] + " / m")
    axes.set_title(f"centres of mass, at t = {float(run.t[-1]):g} s on top", loc="right", fontsize="medium")


# ---- what the panels show ------------------------------------------------------------------------------------------------------
def thinned(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most MOST_POINTS of the samples: the first and the last, and of each interval the least and the largest."""
    if len(t) <= MOST_POINTS:
        return t, values
    edges = np.linspace(0, len(t), MOST_POINTS // 2).astype(int)
    pairs = [(a + values[a:b].argmin(), a + values[a:b].argmax()) for a, b in pairwise(edges)]
    kept = np.unique([0, len(t) - 1, *np.ravel(pairs)])
    return t[kept], values[kept]


def centres_of_mass(run: "Trajectory") -> np.ndarray:
    """Of every body in its own axes; its origin if the run's model was not stored."""
    try:
        return np.array([body.com for body in run.model.bodies], dtype=float)
    except FileError:
        return np.zeros((run.dataset.sizes["body"], 3))


def sticks(run: "Trajectory") -> np.ndarray:
    """At the end, from each parent's centre of mass to the joint and on to the child's, then a gap; none if the model was not stored."""
    try:
        joints, bodies = run.model.joints, {body.name: k for k, body in enumerate(run.model.bodies)}
    except FileError:
        return np.zeros((0, 3))
    poses, com = run.poses.values[-1], centres_of_mass(run)

    def place(body: str, at) -> np.ndarray:
        k = bodies.get(body)
        return np.array(at, dtype=float) if k is None else poses[k, :3] + turned(poses[k, 3:], np.array(at, dtype=float))

    points = []
    for joint in joints:
        here, there = place(joint.parent, joint.on_parent.position), place(joint.child, joint.on_child.position)
        before = [place(joint.parent, com[bodies[joint.parent]])] if joint.parent in bodies else []
        after = [place(joint.child, com[bodies[joint.child]])] if joint.child in bodies else []
        points += [*before, here, there, *after, np.full(3, np.nan)]
    return np.array(points)


def turned(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors turned by unit quaternions, scalar first: v + 2 (w a × v + a × (a × v))."""
    w, a = quaternions[..., :1], quaternions[..., 1:]
    cross = np.cross(a, vectors)
    return vectors + 2.0 * (w * cross + np.cross(a, cross))


def view_axes(spread: np.ndarray) -> tuple[int, int]:
    """Which two axes of the world to look at: the wider horizontal one and z, or x and y if z hardly changes."""
    if spread[2] < FLAT * spread.max():
        return 0, 1
    return (0, 2) if spread[0] >= spread[1] else (1, 2)


def units(run: "Trajectory", joint: str) -> tuple[str, str]:
    """Of position and momentum along a joint; none if the model was not stored."""
    try:
        return (" / m", " / N s") if run.model.joint(joint).kind == "prismatic" else (" / rad", " / N m s")
    except FileError:
        return "", ""


# ---- looks -----------------------------------------------------------------------------------------------------------------------
def new_figure(layout: Any, size: tuple[float, float], **options: Any) -> tuple[Any, dict[str, Any]]:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplot_mosaic(layout, figsize=size, layout="constrained", **options)
    for axes in panels.values():
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def shade(k: int, count: int):
    import matplotlib as mpl

    return mpl.colormaps["viridis"](0.9 * k / max(1, count - 1))


def title(run: "Trajectory") -> str:
    about = run.provenance
    return f"{about['model_name']} · {about['integrator']} · step {about['step']:g} s"
