"""H = (p₁² + p₂²)/2 − 1/|q|, e = 0.6: symplectic methods with a step a hundred times as long as
that of explicit Euler, to t = 200.

The thesis, §2.3 and figs. 2.6–2.9: q = (1 − e, 0), p = (0, √((1 + e)/(1 − e))). Its "exact
solution" is a curve by the true anomaly, not by time (ERRATA 2-9): here E − e sin E = t is
solved. Euler-A is explicit, as H is separable (ERRATA 2-10).
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
from hamiltree.view.plots import ACCENT, FAINT, SOFT, new_figure

ECCENTRICITY = 0.6
UNTIL = 200.0
SAMPLES = 0.05
# method → label, step, seconds that the thesis gives, |error of (q, p)| at the end by another
# program in double precision
METHODS = {
    "explicit_euler": ("explicit Euler", 0.0005, 51.01, 1.601056978781944),
    "euler_a": ("Euler-A", 0.05, 13.71, 0.8696717380888719),
    "stormer_verlet": ("Störmer–Verlet", 0.05, 7.26, 1.5908056148321519),
    "gauss6": ("Gauss6", 0.05, 34.09, 1.6915980322091424e-05),
}
COLORS = dict(zip(METHODS, (ACCENT, "#d9a441", SOFT, "#3f6fb5"), strict=True))


def problem() -> Hamiltonian:
    """Kepler's problem from perihelion; invariant L = q₁p₂ − q₂p₁."""
    e = ECCENTRICITY
    return hamiltonian(
        "(p1**2 + p2**2)/2 - 1/sqrt(q1**2 + q2**2)",
        q={"q1": 1.0 - e, "q2": 0.0},
        p={"p1": 0.0, "p2": math.sqrt((1.0 + e) / (1.0 - e))},
        invariants={"L": "q1*p2 - q2*p1"},
        name="kepler",
    )


def exact(t: np.ndarray) -> np.ndarray:
    """(q₁, q₂, p₁, p₂) by time: q = (cos E − e, √(1 − e²) sin E) with E − e sin E = t, solved by
    Newton's method.
    """
    e = ECCENTRICITY
    t = np.asarray(t, dtype=float)
    E = t.copy()
    width = math.sqrt(1.0 - e * e)
    for _ in range(50):
        E -= (E - e * np.sin(E) - t) / (1.0 - e * np.cos(E))
    rate = 1.0 / (1.0 - e * np.cos(E))
    return np.stack(
        [np.cos(E) - e, width * np.sin(E), -np.sin(E) * rate, width * np.cos(E) * rate], axis=-1
    )


def run(quick: bool = False, progress: bool = True) -> dict[str, Trajectory]:
    """By method, a sample every 0.05.

    One at a time, as their seconds are compared; it takes a second, so quick is the same.
    """
    kepler = problem()
    jobs = {
        name: partial(run_to_end, kepler, name, step, UNTIL, save_every=round(SAMPLES / step))
        for name, (_, step, _, _) in METHODS.items()
    }
    return run_jobs(jobs, "kepler", progress)


def error(result: Trajectory) -> np.ndarray:
    """|(q, p) − exact| by sample."""
    state = np.concatenate([result.q.values, result.p.values], axis=1)
    return np.linalg.norm(state - exact(result.t.values), axis=1)


def numbers(runs: dict[str, Trajectory]) -> list[Row]:
    """Errors at the end, conserved quantities, and seconds, by method."""
    rows = []
    for name, (label, step, seconds, end) in METHODS.items():
        result = runs[name]
        what = f"{label}, h = {step:g}: error at t = {UNTIL:g}"
        rows += [
            Row(what, float(error(result)[-1]), end, "other code"),
            Row(f"{label}: H at t = {UNTIL:g}", float(result.energy.values[-1]), -0.5, "exact"),
            Row(f"{label}: largest |L − L₀|", result.invariant_errors["L"], 0.0, "exact"),
            Row(f"{label}: seconds", result.statistics["seconds"], seconds, THESIS),
        ]
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(runs: dict[str, Trajectory]) -> dict[str, Any]:
    """Four orbits with the same axes, and their errors in time together."""
    names = list(METHODS)
    figure, panels = new_figure([names, ["error"] * len(names)], (12, 6.8), height_ratios=[1.1, 1])
    limits = axis_limit(runs.values())
    for name in names:
        draw_orbit(panels[name], runs[name], *METHODS[name][:2], COLORS[name], limits)
        if name != names[0]:
            panels[name].tick_params(labelleft=False)
    panels[names[0]].set_ylabel("q₂")
    draw_errors(panels["error"], runs)
    figure.suptitle(f"Kepler, e = {ECCENTRICITY:g}, to t = {UNTIL:g} ({THESIS}, figs. 2.6–2.9)")
    return {"kepler": figure}


def axis_limit(runs) -> tuple[np.ndarray, np.ndarray]:
    every = np.concatenate([result.q.values for result in runs])
    margin = 0.05 * np.ptp(every, axis=0)
    return every.min(axis=0) - margin, every.max(axis=0) + margin


def draw_orbit(
    axes,
    result: Trajectory,
    label: str,
    step: float,
    color: str,
    limits: tuple[np.ndarray, np.ndarray],
) -> None:
    """The orbit of one method with the exact ellipse."""
    period = exact(np.linspace(0.0, 2.0 * math.pi, 400))
    axes.plot(*result.q.values.T, color=color, lw=0.5, zorder=1)
    axes.plot(period[:, 0], period[:, 1], color="black", lw=1.2, ls=(0, (3, 4)), zorder=2)
    axes.plot(0.0, 0.0, "o", color="black", ms=3)
    axes.set(xlim=(limits[0][0], limits[1][0]), ylim=(limits[0][1], limits[1][1]), xlabel="q₁")
    axes.set_aspect("equal")
    axes.set_title(
        f"{label}, h = {step:g}\n{result.statistics['seconds']:.1g} s; exact dashed",
        fontsize="medium",
    )


def draw_errors(axes, runs: dict[str, Trajectory]) -> None:
    """|(q, p) − exact| of all methods by time."""
    for name, result in runs.items():
        label = METHODS[name][0]
        axes.semilogy(
            result.t.values[1:], error(result)[1:], color=COLORS[name], lw=0.8, label=label
        )
    axes.grid(axis="y", color=FAINT, lw=0.4)
    axes.set_xlabel("t")
    axes.set_ylabel("|(q, p) − exact|")
    legend_above(axes, 4)


EXPERIMENT = Experiment(
    "kepler",
    "Kepler's problem: orbits and errors in time",
    f"{THESIS}, §2.3, figs. 2.6–2.9",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
