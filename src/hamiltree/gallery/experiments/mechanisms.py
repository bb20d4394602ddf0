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
    return run_jobs(
        {METHOD: partial(run_to_end, model, METHOD, step, until, save_every=1)}, title, progress
    )[METHOD]


def conserved_rows(run: Trajectory) -> list[Row]:
    """What every mechanism has to keep."""
    return [
        Row("largest |H − H₀ − work| / peak kinetic energy", run.energy_error, 0.0, "exact"),
        Row(
            "largest opening of a joint or constraint, m or rad", run.constraint_error, 0.0, "exact"
        ),
        Row("largest rate of one, m/s or rad/s", run.velocity_constraint_error, 0.0, "exact"),
    ]


def path_of(run: Trajectory, body: str, point: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    """(time, 3): where a point of a body goes, world axes."""
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
        axes.legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 1.0),
            ncols=len(lines),
            frameon=False,
            borderaxespad=0.1,
            columnspacing=1.0,
        )


def draw_conserved(axes, run: Trajectory) -> None:
    """Error of the energy and the worst opening, logarithmic."""
    error = np.abs(run.energy_balance.values) / run.peak_kinetic_energy
    lines = {
        "energy": error,
        "openings / m": run.constraint_residuals.values.max(axis=1),
        "their rates": run.dataset["slip"].values.max(axis=1),
    }
    draw_lines(
        axes,
        run.t.values,
        {name: np.maximum(values, ROUNDING) for name, values in lines.items()},
        "error",
    )
    axes.set_yscale("log")
    axes.set_ylim(0.5 * ROUNDING, max(1e-12, 2 * error.max()))


# ---- four-bar linkage ----------------------------------------------------------------------------
LIFT = 0.15  # m beside the coupler


def run_four_bar(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism(
        "four-bar linkage", four_bar(speed=16.0), 2e-3, 1.0 if quick else 10.0, progress
    )


def four_bar_numbers(run: Trajectory) -> list[Row]:
    return [
        *conserved_rows(run),
        Row(
            "largest |Freudenstein's equation|",
            float(np.abs(freudenstein(run)).max()),
            0.0,
            "exact",
        ),
    ]


def freudenstein(run: Trajectory) -> np.ndarray:
    """K₁ cos ψ − K₂ cos φ + K₃ − cos(φ − ψ), which is zero for the angles φ of the crank and ψ of
    the rocker.
    """
    crank, coupler, rocker, ground = 0.2, 0.5, 0.4, 0.6
    phi, psi = coordinate(run, "crank_pivot"), coordinate(run, "rocker_pivot")
    constant = (crank**2 - coupler**2 + rocker**2 + ground**2) / (2 * crank * rocker)
    return (
        ground / crank * np.cos(psi) - ground / rocker * np.cos(phi) + constant - np.cos(phi - psi)
    )


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
    t, changes = (
        run.t.values,
        {
            name: coordinate(run, name) - start
            for name, start in zip(ANGLES, ANDREWS_START, strict=True)
        },
    )
    draw_lines(
        panels["turns"],
        t,
        {name: changes[name] for name in ("beta", "Theta")},
        "angle − start / rad",
    )
    draw_lines(
        panels["swings"],
        t,
        {name: changes[name] for name in ANGLES if name not in ("beta", "Theta")},
        "angle − start / rad",
    )
    draw_conserved(panels["kept"], run)
    for name in ("turns", "swings"):
        panels[name].set_xlabel("")
    figure.suptitle(
        f"Andrews' squeezing mechanism (Test Set for IVP Solvers), {METHOD}, h = 3e-5 s"
    )
    return {"andrews": figure}


# ---- Jansen's legs -------------------------------------------------------------------------------
LEGS, UNIT, SPEED = 12, 0.01, 3.0


def run_strandbeest(quick: bool = False, progress: bool = True) -> Trajectory:
    """One turn of the crank; of the quick run a twentieth of it."""
    return run_mechanism(
        "twelve of Jansen's legs",
        strandbeest(),
        math.tau / SPEED / 200,
        math.tau / SPEED / (20 if quick else 1),
        progress,
    )


def crank_angle(leg: int) -> float:
    """Of a leg before the shaft's: pairs share a pin, the pins are evenly spread."""
    return math.tau * (leg // 2) / (LEGS // 2)


def feet(run: Trajectory) -> np.ndarray:
    """(legs, time, 3): the foot is fixed in the lower triangle, where it was at the start."""
    found = []
    for leg in range(LEGS):
        pose = run.poses.sel(body=f"lower{leg + 1}").values
        start = exact_feet(leg, np.zeros(1))[0]
        arm = np.array([start.real, pose[0, 1], start.imag]) - pose[0, :3]
        found.append(
            pose[:, :3]
            + rotate_vectors(pose[:, 3:], rotate_vectors(pose[0, 3:] * [1, -1, -1, -1], arm))
        )
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
    paths, angles = feet(run), coordinate(run, "crank")
    gaps = [
        np.abs(path[:, 0] + 1j * path[:, 2] - exact_feet(leg, angles)).max()
        for leg, path in enumerate(paths)
    ]
    return [
        Row(
            "largest distance of a foot from Jansen's construction, m",
            float(max(gaps)),
            0.0,
            "exact",
        ),
        Row(
            "largest |crank angle − 3 rad/s · t|, rad",
            float(np.abs(angles - SPEED * run.t.values).max()),
            0.0,
            "exact",
        ),
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
    at = {
        name: point.at
        for name, point in jansen_points(
            angle + crank_angle(leg), unit=UNIT, mirrored=leg % 2 == 1
        ).items()
    }
    for ends in ("PA", "PC", "FC", "BD", "FABF", "CDEC"):
        axes.plot(
            [at[end].real for end in ends],
            [at[end].imag for end in ends],
            color="0.45",
            lw=1.1,
            zorder=0,
        )
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
