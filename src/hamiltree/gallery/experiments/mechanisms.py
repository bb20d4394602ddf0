"""Mechanisms of the plane: a four-bar linkage, Andrews' squeezing mechanism, twelve of Theo
Jansen's legs.

Every run is of hamiltonian_loops by spark6, which keeps constraints and their rates to rounding at
the end of every step.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from hamiltree.gallery.experiment import Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.figures import legend_above
from hamiltree.model import Model, library
from hamiltree.model.mechanisms.jansen import jansen_points, strandbeest
from hamiltree.model.mechanisms.plane import ANDREWS_START, four_bar
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import (
    ACCENT,
    FAINT,
    INK,
    SOFT,
    new_figure,
    rotate_vectors,
    series_color,
    thin_samples,
)

METHOD = "spark6"
ROUNDING = 1e-17  # below what is worth a place in a logarithmic picture


# ---- shared --------------------------------------------------------------------------------------
def run_mechanism(
    title: str, model: Model, step: float, until: float, progress: bool
) -> Trajectory:
    job = partial(run_to_end, model, METHOD, step, until, save_every=1)
    return run_jobs({METHOD: job}, title, progress)[METHOD]


def conserved_rows(run: Trajectory) -> list[Row]:
    """Energy error, constraint residual and its rate: zero for an exact solution."""
    rate = run.velocity_constraint_error
    return [
        Row("largest |H − H₀ − work| / kinetic energy", run.energy_error, 0.0, "exact"),
        Row("largest constraint residual, m or rad", run.constraint_error, 0.0, "exact"),
        Row("largest residual rate, m/s or rad/s", rate, 0.0, "exact"),
    ]


def path_of(run: Trajectory, body: str, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """(time, 3): the path of a point of a body, world axes."""
    pose = run.poses.sel(body=body).values
    return pose[:, :3] + rotate_vectors(pose[:, 3:], np.asarray(point, dtype=float))


def coordinate(run: Trajectory, name: str) -> np.ndarray:
    return run.q.sel(coordinate=name).values


def draw_lines(
    axes, t: np.ndarray, lines: dict[str, np.ndarray], label: str, colors: Any = (INK, ACCENT, SOFT)
) -> None:
    """Values by time, named above the panel."""
    for number, (name, values) in enumerate(lines.items()):
        color = colors[number] if len(lines) <= len(colors) else series_color(number, len(lines))
        axes.plot(*thin_samples(t, values), color=color, lw=1.0, label=name)
    axes.set(xlabel="t / s", ylabel=label)
    if len(lines) > 1:
        legend_above(axes, len(lines), columnspacing=1.0)


def draw_conserved(axes, run: Trajectory) -> None:
    """Energy error, largest constraint residual and residual rate, on a logarithmic scale."""
    error = np.abs(run.energy_balance.values) / run.energy_scale
    lines = {
        "energy": error,
        "residuals / m": run.constraint_residuals.values.max(axis=1),
        "their rates": run.dataset["slip"].values.max(axis=1),
    }
    shown = {name: np.maximum(values, ROUNDING) for name, values in lines.items()}
    draw_lines(axes, run.t.values, shown, "error")
    axes.set_yscale("log")
    axes.set_ylim(0.5 * ROUNDING, max(1e-12, 2 * error.max()))


# ---- four-bar linkage ----------------------------------------------------------------------------
LIFT = 0.15  # m beside the coupler


def run_four_bar(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism(
        "four-bar linkage", four_bar(speed=16.0), 2e-3, 1.0 if quick else 10.0, progress
    )


def four_bar_numbers(run: Trajectory) -> list[Row]:
    """Conserved quantities, and the residual of Freudenstein's equation."""
    residual = float(np.abs(freudenstein(run)).max())
    return [
        *conserved_rows(run),
        Row("largest |Freudenstein's equation|", residual, 0.0, "exact"),
    ]


def freudenstein(run: Trajectory) -> np.ndarray:
    """K₁ cos ψ − K₂ cos φ + K₃ − cos(φ − ψ), which is zero for the angles φ of the crank and ψ of
    the rocker.
    """
    crank = 0.2
    coupler = 0.5
    rocker = 0.4
    ground = 0.6
    phi, psi = coordinate(run, "crank_pivot"), coordinate(run, "rocker_pivot")
    constant = (crank**2 - coupler**2 + rocker**2 + ground**2) / (2 * crank * rocker)
    by_psi = ground / crank * np.cos(psi)
    by_phi = ground / rocker * np.cos(phi)
    return by_psi - by_phi + constant - np.cos(phi - psi)


def four_bar_figures(run: Trajectory) -> dict[str, Any]:
    """Curves of points beside the coupler, the linkage at the start, and what is kept."""
    figure, panels = new_figure([["curves", "speed"], ["curves", "kept"]], (11, 5.6))
    axes = panels["curves"]
    for number, along in enumerate((0.0, 0.15, 0.3, 0.45)):
        path = path_of(run, "coupler", (along, 0.0, LIFT))
        axes.plot(path[:, 0], path[:, 2], color=series_color(number, 4), lw=0.9)
        axes.plot(path[0, 0], path[0, 2], "o", color=series_color(number, 4), ms=4)
    pin, end = path_of(run, "coupler")[0], path_of(run, "coupler", (0.5, 0.0, 0.0))[0]
    corners = np.array([np.zeros(3), pin, end, (0.6, 0.0, 0.0)])
    axes.plot(corners[:, 0], corners[:, 2], "o-", color=INK, lw=1.8, ms=5, mec="white", zorder=4)
    axes.set(xlabel="x / m", ylabel="z / m")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title(f"coupler curves, {LIFT:g} m beside the coupler", loc="left", fontsize="medium")
    speeds = {
        name: run.qdot.sel(coordinate=joint).values
        for name, joint in (("crank", "crank_pivot"), ("rocker", "rocker_pivot"))
    }
    draw_lines(panels["speed"], run.t.values, speeds, "speed / rad/s")
    draw_conserved(panels["kept"], run)
    figure.suptitle(f"Four-bar linkage, turning freely, {METHOD}, h = 2 ms")
    return {"four_bar": figure}


# ---- Andrews' squeezing mechanism ----------------------------------------------------------------
ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
# At t = 0.03 s, Test Set for IVP Solvers: about nine digits.
PUBLISHED = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805303, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip


def run_andrews(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism("Andrews' mechanism", library.andrews(), 3e-5, 0.03, progress)


def andrews_numbers(run: Trajectory) -> list[Row]:
    """The angles beside those published, and how many digits of the worst agree."""
    ends = run.q.sel(coordinate=list(ANGLES)).values[-1]
    rows = [
        Row(f"{name} at t = 0.03 s, rad", float(x), y, "Test Set")
        for name, x, y in zip(ANGLES, ends, PUBLISHED, strict=True)
    ]
    worst = np.max(np.abs(ends - PUBLISHED) / np.abs(PUBLISHED))
    note = (
        "the published values are good to about 9 digits; "
        "a converged run differs from them by 1.1e-9 in beta"
    )
    return [
        *rows,
        Row("digits of the worst angle that agree", float(-np.log10(worst)), None, "", note),
        *conserved_rows(run),
    ]


def andrews_figures(run: Trajectory) -> dict[str, Any]:
    """The seven angles: those that turn above, those that swing below, both from their start; and
    what is kept.
    """
    figure, panels = new_figure([["turns"], ["swings"], ["kept"]], (9, 8.0), sharex=True)
    t = run.t.values
    changes = {
        name: coordinate(run, name) - start
        for name, start in zip(ANGLES, ANDREWS_START, strict=True)
    }
    turns = {name: changes[name] for name in ("beta", "Theta")}
    swings = {name: change for name, change in changes.items() if name not in turns}
    draw_lines(panels["turns"], t, turns, "angle − start / rad")
    draw_lines(panels["swings"], t, swings, "angle − start / rad")
    draw_conserved(panels["kept"], run)
    for name in ("turns", "swings"):
        panels[name].set_xlabel("")
    figure.suptitle(
        f"Andrews' squeezing mechanism (Test Set for IVP Solvers), {METHOD}, h = 3e-5 s"
    )
    return {"andrews": figure}


# ---- Jansen's legs -------------------------------------------------------------------------------
LEGS = 12
UNIT = 0.01
SPEED = 3.0


def run_strandbeest(quick: bool = False, progress: bool = True) -> Trajectory:
    """One turn of the crank; a twentieth of it in a quick run."""
    step = math.tau / SPEED / 200
    until = math.tau / SPEED / (20 if quick else 1)
    return run_mechanism("twelve of Jansen's legs", strandbeest(), step, until, progress)


def crank_angle(leg: int) -> float:
    """The angle of a leg's pin on the shaft: pairs share a pin, the pins are evenly spread."""
    return math.tau * (leg // 2) / (LEGS // 2)


def feet(run: Trajectory) -> np.ndarray:
    """(legs, time, 3): the foot is a fixed point of the lower triangle."""
    found = []
    for leg in range(LEGS):
        pose = run.poses.sel(body=f"lower{leg + 1}").values
        start = exact_feet(leg, np.zeros(1))[0]
        arm = np.array([start.real, pose[0, 1], start.imag]) - pose[0, :3]
        in_body = rotate_vectors(pose[0, 3:] * [1, -1, -1, -1], arm)
        found.append(pose[:, :3] + rotate_vectors(pose[:, 3:], in_body))
    return np.array(found)


def exact_feet(leg: int, angles: np.ndarray) -> np.ndarray:
    """x + i z of a foot by intersecting circles."""
    return np.array(
        [
            jansen_points(angle + crank_angle(leg), unit=UNIT, mirrored=leg % 2 == 1)["E"].at
            for angle in angles
        ]
    )


def strandbeest_numbers(run: Trajectory) -> list[Row]:
    """Distance of the feet from Jansen's construction, error of the drive, conserved quantities."""
    paths, angles = feet(run), coordinate(run, "crank")
    gaps = [
        np.abs(path[:, 0] + 1j * path[:, 2] - exact_feet(leg, angles)).max()
        for leg, path in enumerate(paths)
    ]
    drift = float(np.abs(angles - SPEED * run.t.values).max())
    gap = float(max(gaps))
    return [
        Row("largest distance of a foot from Jansen's construction, m", gap, 0.0, "exact"),
        Row("largest |crank angle − 3 rad/s · t|, rad", drift, 0.0, "exact"),
        *conserved_rows(run),
    ]


def strandbeest_figures(run: Trajectory) -> dict[str, Any]:
    """The curves of twelve feet with the first pair of legs, the torque of the motor, and what is
    kept.
    """
    figure, panels = new_figure(
        [["feet", "torque"], ["feet", "kept"]], (12, 6.0), width_ratios=[1.4, 1.0]
    )
    axes, paths = panels["feet"], feet(run)
    for leg, path in enumerate(paths):
        axes.plot(path[:, 0], path[:, 2], color=(ACCENT, INK)[leg % 2], lw=0.9)
        axes.plot(
            path[-1, 0], path[-1, 2], "o", color=(ACCENT, INK)[leg % 2], ms=4, mec="white", mew=0.5
        )
    for leg in (0, 1):
        draw_leg(axes, float(coordinate(run, "crank")[-1]), leg)
    axes.set(xlabel="x / m", ylabel="z / m")
    axes.set_aspect("equal", adjustable="datalim")
    axes.set_title("curves of twelve feet, and two legs at the end", loc="left", fontsize="medium")
    # its power is all the work there is
    torque = np.gradient(run.work.values, run.t.values, edge_order=2) / SPEED
    draw_lines(panels["torque"], run.t.values, {"motor": torque}, "torque of the motor / N m")
    draw_conserved(panels["kept"], run)
    figure.suptitle(
        f"Jansen's legs, crank driven at {SPEED:g} rad/s, {METHOD}: {run.dataset.sizes['body']} "
        "bodies, 36 loops"
    )
    return {"strandbeest": figure}


def draw_leg(axes, angle: float, leg: int) -> None:
    """The bars of one leg at a crank angle."""
    points = jansen_points(angle + crank_angle(leg), unit=UNIT, mirrored=leg % 2 == 1)
    at = {name: point.at for name, point in points.items()}
    for ends in ("PA", "PC", "FC", "BD", "FABF", "CDEC"):
        x = [at[end].real for end in ends]
        z = [at[end].imag for end in ends]
        axes.plot(x, z, color="0.45", lw=1.1, zorder=0)
    axes.plot([0.0, at["P"].real], [0.0, at["P"].imag], color=FAINT, lw=2.5, zorder=0)


EXPERIMENTS = (
    Experiment(
        "four_bar",
        "Four-bar linkage: coupler curves",
        "Freudenstein 1955",
        run_four_bar,
        four_bar_numbers,
        four_bar_figures,
    ),
    Experiment(
        "andrews",
        "Andrews' squeezing mechanism",
        "Test Set for IVP Solvers; Hairer, Wanner II, §VII.7",
        run_andrews,
        andrews_numbers,
        andrews_figures,
    ),
    Experiment(
        "strandbeest",
        "Twelve of Theo Jansen's legs",
        "Jansen, The Great Pretender, 2007",
        run_strandbeest,
        strandbeest_numbers,
        strandbeest_figures,
    ),
)
