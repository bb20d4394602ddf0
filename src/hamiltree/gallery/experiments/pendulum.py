"""H = p²/2 − cos q (1 − p/6): Radau IIA of order 3 spirals inwards, the implicit midpoint rule
stays on a closed curve.

The thesis, §2.2 and figs. 2.2–2.5, after Hairer, Nørsett, Wanner, Solving Ordinary Differential
Equations I, §II.16: p(0) = 0, q(0) = −arccos(−0.8), h = 0.3. The thesis prints no numbers;
H(0) = 0.8 is what an exact solution would keep.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.figures import legend_above
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

STEP, STEPS = 0.3, 1000
ENERGY = 0.8
METHODS = {"radau_iia3": "Radau IIA, order 3", "implicit_midpoint": "implicit midpoint, order 2"}
COLORS = {"radau_iia3": ACCENT, "implicit_midpoint": INK}


def problem() -> Hamiltonian:
    return hamiltonian(
        "p**2/2 - cos(q)*(1 - p/6)", q={"q": -math.acos(-0.8)}, p={"p": 0.0}, name="pendulum"
    )


def run(quick: bool = False, progress: bool = True) -> dict[str, Trajectory]:
    """By method, every step; "exact" is Gauss12 with a thirtieth of the step, a little more than
    once round.
    """
    pendulum = problem()
    jobs = {
        name: partial(run_to_end, pendulum, name, STEP, STEP * STEPS, save_every=1)
        for name in METHODS
    }
    jobs["exact"] = partial(run_to_end, pendulum, "gauss12", STEP / 30, 15.0, save_every=1)
    return run_jobs(jobs, "pendulum", progress)


def numbers(runs: dict[str, Trajectory]) -> list[Row]:
    """H at the end, its largest change, and how much of that is drift: the change of the mean from
    the first to the last tenth.
    """
    rows = []
    for method, label in METHODS.items():
        energy = runs[method].energy.values
        tenth = STEPS // 10
        drift = energy[-tenth:].mean() - energy[1 : tenth + 1].mean()
        largest = float(np.abs(energy - energy[0]).max())
        rows += [
            Row(f"{label}: H at t = {STEP * STEPS:g}", float(energy[-1]), ENERGY, "exact"),
            Row(f"{label}: largest |H − H₀|", largest, 0.0, "exact"),
            Row(f"{label}: mean of H, last tenth − first tenth", float(drift), 0.0, "exact"),
        ]
    return rows


def figures(runs: dict[str, Trajectory]) -> dict[str, Any]:
    """Phase plane above, H(t) below; the two methods side by side with the same axes."""
    layout = [[f"phase {name}" for name in METHODS], [f"energy {name}" for name in METHODS]]
    figure, panels = new_figure(layout, (10.5, 7.0), height_ratios=[1.6, 1])
    for left, right in layout:
        panels[right].sharex(panels[left])
        panels[right].sharey(panels[left])
    for name, label in METHODS.items():
        draw_phase(panels[f"phase {name}"], runs[name], runs["exact"], COLORS[name])
        draw_energy(panels[f"energy {name}"], runs[name], COLORS[name])
        panels[f"phase {name}"].set_title(label, loc="left", fontsize="medium")
    figure.suptitle(f"Pendulum, h = {STEP:g}, {STEPS} steps ({THESIS}, figs. 2.2–2.5)")
    return {"pendulum": figure}


def draw_phase(axes, result: Trajectory, exact: Trajectory, color: str) -> None:
    """Every step in the phase plane, with the exact curve."""
    q, p = exact.q.values[:, 0], exact.p.values[:, 0]
    axes.plot(q, p, color=SOFT, lw=1.2, label="exact", zorder=1)
    q, p = result.q.values[:, 0], result.p.values[:, 0]
    axes.plot(q, p, ".", color=color, ms=3, mew=0, label="every step", zorder=2)
    axes.set_xlabel("q")
    axes.set_ylabel("p")
    legend_above(axes, 2)


def draw_energy(axes, result: Trajectory, color: str) -> None:
    axes.axhline(ENERGY, color=FAINT, lw=0.8, zorder=0)
    axes.plot(result.t.values, result.energy.values, color=color, lw=0.9)
    axes.set_xlabel("t")
    axes.set_ylabel("H")


EXPERIMENT = Experiment(
    "pendulum",
    "Pendulum: closed curves or spirals",
    f"{THESIS}, §2.2, figs. 2.2–2.5",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
