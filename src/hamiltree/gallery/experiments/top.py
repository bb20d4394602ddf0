"""Heavy symmetric top by Euler angles: T = p_θ²/2I + (p_ψ − p_φ cos θ)²/(2I sin²θ) + p_φ²/2I₃,
V = mgl cos θ.

The thesis, §2.5 and figs. 2.12–2.14: angles Z(ψ) Y(θ) Z(φ), ψ about the vertical, φ the spin;
centre of mass l (sin θ cos ψ, sin θ sin ψ, cos θ); Gauss6, h = 0.005 s. H is derived anew, so the
misprints of (2.1), (2.7), (2.8) do not enter (ERRATA 2-2 … 2-6). The thesis gives neither inertia
nor g: I = 2.8865 kg m² and I₃ = 0.1125 kg m² about the pivot and g = 9.81 m/s² are chosen; rates
are in rad/s (ERRATA 2-7).
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

MASS = 1.5
LENGTH = 1.33
GRAVITY = 9.81
ACROSS = 2.8865
ALONG = 0.1125
THETA = math.radians(45.0)
PSI = math.radians(1.0)
PHI = math.radians(1.0)
THETA_RATE = 1.0
PSI_RATE = 1.0
PHI_RATE = 100.0
STEP = 0.005
UNTIL = 20.0
QUICK_UNTIL = 2.0
# θ, ψ, φ of another program, by Lagrange's equations and by quaternions, which agree to 1e-12
SAMPLES = {
    0.25: (1.1008933632723208, 0.3778619454920358, 24.985349188437823),
    0.5: (1.4562351056903922, 0.9690475838498206, 50.002640790444886),
    1.0: (1.3643451897282097, 2.5346148350303648, 100.29942348944095),
    2.0: (0.7172273590196626, 3.558451011231414, 200.46418530639582),
}


def problem() -> Hamiltonian:
    """Momenta of the start: p_θ = Iθ̇, p_φ = I₃(φ̇ + ψ̇ cos θ), p_ψ = I sin²θ ψ̇ + p_φ cos θ."""
    spin = ALONG * (PHI_RATE + PSI_RATE * math.cos(THETA))
    turn = ACROSS * math.sin(THETA) ** 2 * PSI_RATE + spin * math.cos(THETA)
    return hamiltonian(
        "p_theta**2/(2*I1) + (p_psi - p_phi*cos(theta))**2/(2*I1*sin(theta)**2) + p_phi**2/(2*I3) "
        "+ m*g*l*cos(theta)",
        q={"theta": THETA, "psi": PSI, "phi": PHI},
        p={"p_theta": ACROSS * THETA_RATE, "p_psi": turn, "p_phi": spin},
        invariants={"p_psi": "p_psi", "p_phi": "p_phi"},
        parameters={"I1": ACROSS, "I3": ALONG, "m": MASS, "g": GRAVITY, "l": LENGTH},
        name="top",
    )


def run(quick: bool = False, progress: bool = True) -> dict[str, Trajectory]:
    until = QUICK_UNTIL if quick else UNTIL
    job = partial(run_to_end, problem(), "gauss6", STEP, until, save_every=1)
    return run_jobs({"gauss6": job}, "top", progress)


def centre_of_mass(theta: np.ndarray, psi: np.ndarray) -> np.ndarray:
    return LENGTH * np.stack(
        [np.sin(theta) * np.cos(psi), np.sin(theta) * np.sin(psi), np.cos(theta)], axis=-1
    )


def numbers(runs: dict[str, Trajectory]) -> list[Row]:
    """Angles beside those of another program, and changes of the invariants."""
    result = runs["gauss6"]
    rows = []
    for t, angles in SAMPLES.items():
        found = result.q.values[round(t / STEP)]
        for name, ours, theirs in zip(("θ", "ψ", "φ"), found, angles, strict=True):
            rows.append(Row(f"{name} at t = {t:g} s, rad", float(ours), theirs, "other code"))
    end = f"to t = {float(result.t[-1]):g} s"
    rows += [
        Row(f"largest change of {name} {end}", worst, 0.0, "exact")
        for name, worst in result.invariant_errors.items()
    ]
    worst = float(np.abs(result.energy_balance).max())
    rows.append(Row(f"largest |H − H₀| {end}, J", worst, 0.0, "exact"))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(runs: dict[str, Trajectory]) -> dict[str, Any]:
    """The path of the centre of mass in space and seen from above, coloured by time, and its
    coordinates by time.
    """
    t, q = runs["gauss6"].t.values, runs["gauss6"].q.values
    path = centre_of_mass(q[:, 0], q[:, 1])
    layout = [["space", "above"], ["height", "height"]]
    figure, panels = new_figure(
        layout, (10.5, 8.0), height_ratios=[2.2, 1], per_subplot_kw={"space": {"projection": "3d"}}
    )
    figure.get_layout_engine().set(wspace=0.12)  # the numbers of z are outside of their panel
    draw_in_space(panels["space"], t, path)
    points = draw_from_above(panels["above"], t, path)
    figure.colorbar(points, ax=panels["above"], label="t / s", shrink=0.8)
    draw_coordinates(panels["height"], t, path)
    figure.suptitle(
        f"Heavy symmetric top, centre of mass, Gauss6, h = {STEP:g} s ({THESIS}, figs. 2.13, 2.14)"
    )
    return {"top": figure}


def draw_in_space(axes, t: np.ndarray, path: np.ndarray) -> None:
    """The path of the centre of mass in space, coloured by time."""
    axes.scatter(*path.T, c=t, s=1.5, cmap="viridis", linewidths=0, depthshade=False)
    axes.plot(*np.stack([np.zeros(3), path[0]]).T, color=INK, lw=1.5)
    axes.plot([0.0], [0.0], [0.0], "o", color=INK, ms=4)
    axes.set(
        xlabel="x / m",
        ylabel="y / m",
        zlabel="z / m",
        xlim=(-LENGTH, LENGTH),
        ylim=(-LENGTH, LENGTH),
        zlim=(-0.2, LENGTH),
    )
    axes.set_aspect("equal")
    axes.set_box_aspect(None, zoom=0.88)
    for axis in (axes.xaxis, axes.yaxis):
        axis.labelpad = 9  # clear of the numbers


def draw_from_above(axes, t: np.ndarray, path: np.ndarray) -> Any:
    axes.plot(path[:, 0], path[:, 1], color=FAINT, lw=0.4, zorder=0)
    axes.plot(0.0, 0.0, "o", color=INK, ms=4)
    points = axes.scatter(path[:, 0], path[:, 1], c=t, s=1.5, cmap="viridis", linewidths=0)
    axes.set(xlabel="x / m", ylabel="y / m")
    axes.set_aspect("equal", adjustable="datalim")
    return points


def draw_coordinates(axes, t: np.ndarray, path: np.ndarray) -> None:
    for name, values, color in zip("xyz", path.T, (ACCENT, SOFT, INK), strict=True):
        axes.plot(t, values, color=color, lw=0.9, label=name)
    axes.set(xlabel="t / s", ylabel="centre of mass / m")
    legend_above(axes, 3)


EXPERIMENT = Experiment(
    "top",
    "Heavy symmetric top by Euler angles",
    f"{THESIS}, §2.5, figs. 2.12–2.14",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
