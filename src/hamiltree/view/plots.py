"""Plots of a trajectory, by name on the Trajectory: `run.plot.energy()`, `run.plot.phase("elbow")`. Each returns a Matplotlib figure."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, nearest

if TYPE_CHECKING:
    from hamiltree.trajectory import Trajectory

INK, ACCENT, SOFT = "#1f2a44", "#c8553d", "#5b8e7d"


class Plots:
    def __init__(self, trajectory: "Trajectory"):
        self.run = trajectory

    def energy(self) -> Any:
        """Kinetic, potential and total energy, and below them the error of the total relative to the peak kinetic energy."""
        run, t = self.run, self.run.t.values
        figure, (top, bottom) = new_figure(2, (7.5, 5.5), sharex=True)
        top.plot(t, run.kinetic_energy, color=ACCENT, lw=0.9, label="kinetic")
        top.plot(t, run.potential_energy, color=SOFT, lw=0.9, label="potential")
        top.plot(t, run.energy, color=INK, lw=1.6, label="total")
        top.set_ylabel("energy / J")
        top.legend(loc="upper right", ncols=3, frameon=False)
        energy, peak = run.energy.values, float(run.kinetic_energy.max()) or 1.0
        bottom.plot(t, (energy - energy[0]) / peak, color=INK, lw=0.7)
        bottom.axhline(0.0, color="0.7", lw=0.8, zorder=0)
        bottom.set_ylabel("(H − H₀) / peak kinetic")
        bottom.set_xlabel("t / s")
        figure.suptitle(title(run))
        return figure

    def phase(self, joint: str) -> Any:
        """Position against momentum of one joint, coloured by time."""
        names = [str(name) for name in self.run.dataset["coordinate"].values]
        if joint not in names:
            raise OptionError(f"no joint {joint!r} with a coordinate in this run; {nearest(joint, names)}")
        figure, (axes,) = new_figure(1, (6, 5.2))
        at = names.index(joint)
        points = axes.scatter(self.run.q.values[:, at], self.run.p.values[:, at], c=self.run.t.values, s=2, cmap="viridis", linewidths=0)
        axes.set_xlabel(f"q of {joint}")
        axes.set_ylabel(f"p of {joint}")
        figure.colorbar(points, label="t / s")
        figure.suptitle(title(self.run))
        return figure

    def summary(self) -> Any:
        """Energy error, the joints in time, and the path of every body: one picture of a run."""
        run, t = self.run, self.run.t.values
        figure, (error, joints, paths) = new_figure(3, (8, 9))
        energy, peak = run.energy.values, float(run.kinetic_energy.max()) or 1.0
        error.plot(t, (energy - energy[0]) / peak, color=INK, lw=0.6)
        error.set_ylabel("(H − H₀) / peak kinetic")
        error.set_xlabel("t / s")
        for k, name in enumerate(run.dataset["coordinate"].values[:10]):
            joints.plot(t, run.q.values[:, k], lw=0.7, color=shade(k, min(10, run.q.shape[1])), label=str(name))
        joints.set_ylabel("q")
        joints.set_xlabel("t / s")
        joints.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=7, frameon=False)
        flat_paths(paths, run)
        figure.suptitle(title(run))
        return figure


def flat_paths(axes, run) -> None:
    """Origins of the bodies seen from the side with the widest view, faint; the last position on top."""
    places = run.poses.values[:, :, :3]
    spread = np.ptp(places.reshape(-1, 3), axis=0)
    across = 0 if spread[0] >= spread[1] else 1
    for body in range(places.shape[1]):
        axes.plot(places[:, body, across], places[:, body, 2], lw=0.3, alpha=0.5, color=shade(body, places.shape[1]))
    axes.plot(places[-1, :, across], places[-1, :, 2], "o", color=INK, ms=3)
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_xlabel("xyz"[across] + " / m")
    axes.set_ylabel("z / m")


def new_figure(rows: int, size: tuple[float, float], **options) -> tuple[Any, Any]:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(rows, 1, figsize=size, layout="constrained", squeeze=False, **options)
    for panel in axes[:, 0]:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, axes[:, 0]


def shade(k: int, count: int):
    import matplotlib as mpl

    return mpl.colormaps["viridis"](0.9 * k / max(1, count - 1))


def title(run: "Trajectory") -> str:
    about = run.provenance
    return f"{about['model_name']} · {about['integrator']} · step {about['step']:g} s"
