"""Mechanisms in space: slider-crank, flyball governor, Bricard's linkage, a driven platform on six
legs, a wheel on two wishbones.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.mechanisms import (
    METHOD,
    conserved_rows,
    coordinate,
    draw_conserved,
    draw_lines,
    path_of,
    run_mechanism,
)
from hamiltree.model import Drive, library
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, INK, SOFT, new_figure, rotate_vectors


# ---- slider-crank --------------------------------------------------------------------------------
def run_slider_crank(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism(
        "slider-crank", library.spatial_slider_crank(), 4e-3, 1.0 if quick else 10.0, progress
    )


def slider_crank_numbers(run: Trajectory) -> list[Row]:
    """Reaction of the crank's hinge = rate of the momentum − weight − reaction of the slide."""
    hinge, slide = (run.reactions(name)["force"].values for name in ("hinge", "slide"))
    weight = sum(body.mass for body in run.model.bodies) * np.array(run.model.gravity)
    rate = np.gradient(momentum(run), run.t.values, axis=0, edge_order=2)
    gap = np.abs(hinge + slide + weight - rate)[2:-2].max()
    note = "the momentum is differentiated from sample to sample, to second order"
    largest = float(np.linalg.norm(hinge, axis=1).max())
    return [
        *conserved_rows(run),
        Row("largest force of the crank's hinge, N", largest, None, ""),
        Row("hinge + slide + weight − rate of momentum, N", float(gap), 0.0, "Newton", note),
    ]


def momentum(run: Trajectory) -> np.ndarray:
    """(time, 3): origins are the centres of mass here."""
    masses = np.array([body.mass for body in run.model.bodies])
    return np.einsum("b,tbi->ti", masses, run.twists.values[..., 3:])


def slider_crank_figures(run: Trajectory) -> dict[str, Any]:
    """Motion, reaction force and moment of the hinge, conserved quantities."""
    figure, panels = new_figure(
        [["motion"], ["forces"], ["moments"], ["kept"]], (9, 9.5), sharex=True
    )
    t, found = run.t.values, run.reactions("hinge")
    motion = {"crank / rad": coordinate(run, "hinge"), "slide / m": coordinate(run, "slide")}
    draw_lines(panels["motion"], t, motion, "position")
    force = {axis: found["force"].sel(axis=axis).values for axis in "xyz"}
    draw_lines(panels["forces"], t, force, "force on the crank / N")
    moment = {axis: found["moment"].sel(axis=axis).values for axis in "xyz"}
    draw_lines(panels["moments"], t, moment, "moment on the crank / N m")
    draw_conserved(panels["kept"], run)
    for panel in ("motion", "forces", "moments"):
        panels[panel].set_xlabel("")
    figure.suptitle(
        "Spatial slider-crank (Spatial Dynamics): reaction of the crank's hinge, world axes; "
        f"{METHOD}, h = 4 ms"
    )
    return {"slider_crank": figure}


# ---- governor ------------------------------------------------------------------------------------
def run_governor(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism("governor", library.governor(), 2e-3, 1.0 if quick else 5.0, progress)


def governor_numbers(run: Trajectory) -> list[Row]:
    """No torque acts on the spindle, so its angular momentum about z is constant; two arms with
    the same start stay equal.
    """
    turning = run.p.sel(momentum="spindle").values
    arms = coordinate(run, "arm1") - coordinate(run, "arm2")
    heights = coordinate(run, "sleeve")
    change = float(np.abs(turning - turning[0]).max())
    return [
        Row("lowest height of the sleeve, m", float(heights.min()), None, ""),
        Row("highest height of the sleeve, m", float(heights.max()), None, ""),
        Row("largest change of the angular momentum about z, N m s", change, 0.0, "exact"),
        Row("largest difference of the two arms, rad", float(np.abs(arms).max()), 0.0, "exact"),
        *conserved_rows(run),
    ]


def governor_figures(run: Trajectory) -> dict[str, Any]:
    """Height of the sleeve, speed of the spindle, conserved quantities."""
    figure, panels = new_figure([["sleeve"], ["speed"], ["kept"]], (9, 7.5), sharex=True)
    t = run.t.values
    sleeve = {"sleeve": coordinate(run, "sleeve")}
    draw_lines(panels["sleeve"], t, sleeve, "height of the sleeve / m")
    spindle = {"spindle": run.qdot.sel(coordinate="spindle").values}
    draw_lines(panels["speed"], t, spindle, "spindle / rad/s")
    draw_conserved(panels["kept"], run)
    for panel in ("sleeve", "speed"):
        panels[panel].set_xlabel("")
    figure.suptitle(f"Flyball governor with a free spindle, {METHOD}, h = 2 ms")
    return {"governor": figure}


# ---- Bricard's linkage ---------------------------------------------------------------------------
def run_bricard(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism(
        "Bricard's linkage", library.bricard(), 5e-3, 1.0 if quick else 10.0, progress
    )


def bricard_numbers(run: Trajectory) -> list[Row]:
    """Residual of Bricard's closure equation, and symmetry of the hinges."""
    theta, phi = coordinate(run, "hinge1"), coordinate(run, "hinge2")
    closure = np.cos(theta) + np.cos(phi) + np.cos(theta) * np.cos(phi)
    alike = max(np.abs(coordinate(run, name) - theta).max() for name in ("hinge3", "hinge5"))
    return [
        Row("largest |cos θ + cos φ + cos θ cos φ|", float(np.abs(closure).max()), 0.0, "exact"),
        Row("largest difference of hinges 1, 3 and 5, rad", float(alike), 0.0, "exact"),
        *conserved_rows(run),
    ]


def bricard_figures(run: Trajectory) -> dict[str, Any]:
    """Corners in space with the linkage at a few times, angles, and what is kept."""
    layout, kinds = [["space", "angles"], ["space", "kept"]], {"space": {"projection": "3d"}}
    figure, panels = new_figure(layout, (12, 6.0), width_ratios=[1.1, 1.0], per_subplot_kw=kinds)
    starts = [path_of(run, f"rod{k}") for k in range(1, 6)]
    corners = np.stack([*starts, path_of(run, "rod5", (1.0, 0.0, 0.0))], axis=1)
    axes, last = panels["space"], len(corners) - 1
    for number, sample in enumerate(np.linspace(0, min(last, 160), 3).astype(int)):
        ring = np.concatenate([corners[sample], corners[sample, :1]])
        axes.plot(
            *ring.T,
            "o-",
            color=(INK, ACCENT, SOFT)[number],
            lw=2.0,
            ms=3,
            label=f"t = {float(run.t[sample]):.2g} s",
        )
    for k in range(2, 5):
        axes.plot(*corners[:, k].T, color="0.6", lw=0.5)
    axes.set(xlabel="x / m", ylabel="y / m", zlabel="z / m")
    axes.set_aspect("equal")
    axes.legend(loc="upper left", frameon=False)
    angles = {
        "θ: hinges 1, 3, 5": coordinate(run, "hinge1"),
        "φ: hinges 2, 4": coordinate(run, "hinge2"),
    }
    draw_lines(panels["angles"], run.t.values, angles, "angle / rad")
    draw_conserved(panels["kept"], run)
    figure.suptitle(
        f"Bricard's linkage: 0 degrees of freedom by count, 1 in truth; {METHOD}, h = 5 ms"
    )
    return {"bricard": figure}


# ---- platform on six legs ------------------------------------------------------------------------
TRAVEL = [
    f"0.06*(1 - cos(2*t)) + {0.03 * math.cos(math.tau * k / 6):.4f}*(1 - cos(3*t))"
    for k in range(6)
]


def run_stewart(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism(
        "platform on six legs",
        library.stewart(travel=TRAVEL),
        5e-3,
        0.5 if quick else 5.0,
        progress,
    )


def leg_forces(run: Trajectory) -> np.ndarray:
    """(legs, time), N."""
    return np.array([run.drive_force(f"drive{k}").values for k in range(1, 7)])


def stewart_numbers(run: Trajectory) -> list[Row]:
    """The change of T + V = ∫ Σ force · rate of the six drives dt, here by Simpson's rule."""
    rates = np.array([run.qdot.sel(coordinate=f"leg{k}").values for k in range(1, 7)])
    power, change = (leg_forces(run) * rates).sum(axis=0), float(run.energy[-1] - run.energy[0])
    h, steps = run.t.values[1], (len(power) - 1) // 2 * 2
    odd = power[1:steps:2].sum()
    even = power[2 : steps - 1 : 2].sum()
    work = h / 3 * (power[0] + 4 * odd + 2 * even + power[steps])
    return [
        Row("work of the legs by their forces and rates, J", float(work), change, "T + V"),
        Row("work of the legs, integrated during the run, J", float(run.work[-1]), change, "T + V"),
        *conserved_rows(run),
    ]


def stewart_figures(run: Trajectory) -> dict[str, Any]:
    """Position and attitude of the platform, forces of the drives, conserved quantities."""
    figure, panels = new_figure([["position", "forces"], ["attitude", "kept"]], (12, 6.2))
    t, pose = run.t.values, run.poses.sel(body="platform").values
    position = {"x": pose[:, 0], "y": pose[:, 1], "z − 1 m": pose[:, 2] - 1.0}
    draw_lines(panels["position"], t, position, "position of the platform / m")
    angles = 2 * np.degrees(np.arcsin(pose[:, 4:]))  # of a small rotation, to third order
    attitude = {f"about {axis}": angles[:, k] for k, axis in enumerate("xyz")}
    draw_lines(panels["attitude"], t, attitude, "rotation of the platform / °")
    forces = {f"leg {k + 1}": force for k, force in enumerate(leg_forces(run))}
    draw_lines(panels["forces"], t, forces, "force of the drive / N")
    draw_conserved(panels["kept"], run)
    figure.suptitle(f"Platform on six driven legs, {METHOD}, h = 5 ms")
    return {"stewart": figure}


# ---- wheel on two wishbones ----------------------------------------------------------------------
class Wheel(NamedTuple):
    """A wheel released with more load in its tyre than its static load, and one moved slowly
    through its travel.
    """

    drop: Trajectory
    sweep: Trajectory


def run_double_wishbone(quick: bool = False, progress: bool = True) -> Wheel:
    """A wheel let go with 6000 N in the tyre, and one driven through its travel."""
    until = 0.2 if quick else 1.0
    loaded = library.double_wishbone(load=6000.0)
    plain = library.double_wishbone()
    drive = Drive("lower_arm", "0.2*sin(t)")
    moved = plain.with_(constraints=(*plain.constraints, drive))
    jobs = {
        "drop": partial(run_to_end, loaded, METHOD, 1e-3, until, save_every=1),
        "sweep": partial(run_to_end, moved, METHOD, 2e-2, math.tau, save_every=1, assemble=True),
    }
    return Wheel(**run_jobs(jobs, "double wishbone", progress))


def travel_camber_toe(run: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Travel of the hub (m), camber (°, positive: the top leans outwards) and toe (°, positive:
    the front turns inwards).
    """
    hub = path_of(run, "wheel")
    axle = rotate_vectors(run.poses.sel(body="upright").values[:, 3:], np.array([0.0, 1.0, 0.0]))
    travel = hub[:, 2] - 0.31
    camber = -np.degrees(np.arcsin(axle[:, 2]))
    toe = np.degrees(np.arctan2(axle[:, 0], axle[:, 1]))
    return travel, camber, toe


def double_wishbone_numbers(wheel: Wheel) -> list[Row]:
    """Camber gain, largest rise, conserved quantities."""
    rise, camber, _ = travel_camber_toe(wheel.sweep)
    is_near = np.abs(rise) < 0.02
    gain = np.polyfit(rise[is_near], camber[is_near], 1)[0]
    largest = float(travel_camber_toe(wheel.drop)[0].max())
    return [
        Row("camber gain about the start, °/m", float(gain), None, ""),
        Row("largest rise of the wheel after the drop, m", largest, None, ""),
        *conserved_rows(wheel.drop),
    ]


def double_wishbone_figures(wheel: Wheel) -> dict[str, Any]:
    """Travel by time; camber and toe against travel."""
    figure, panels = new_figure([["travel", "camber"], ["kept", "toe"]], (11, 6.0))
    rise, camber, toe = travel_camber_toe(wheel.sweep)
    for panel, values, label in (("camber", camber, "camber / °"), ("toe", toe, "toe / °")):
        panels[panel].plot(1e3 * rise, values, color=INK, lw=1.2)
        panels[panel].set(xlabel="wheel travel / mm", ylabel=label)
    travel = {"travel": 1e3 * travel_camber_toe(wheel.drop)[0]}
    draw_lines(panels["travel"], wheel.drop.t.values, travel, "wheel travel / mm")
    panels["travel"].set_title("let go with 6000 N in the tyre", loc="left", fontsize="medium")
    panels["camber"].set_title("moved through its travel", loc="left", fontsize="medium")
    draw_conserved(panels["kept"], wheel.drop)
    figure.suptitle(f"Wheel on two wishbones with a tie rod, {METHOD}")
    return {"double_wishbone": figure}


EXPERIMENTS = (
    Experiment(
        "slider_crank",
        "Spatial slider-crank: motion and reactions",
        "Spatial Dynamics",
        run_slider_crank,
        slider_crank_numbers,
        slider_crank_figures,
        document="spatial-dynamics",
    ),
    Experiment(
        "governor",
        "Flyball governor",
        "Watt 1788",
        run_governor,
        governor_numbers,
        governor_figures,
    ),
    Experiment(
        "bricard",
        "Bricard's six-bar linkage",
        "IFToMM benchmark A04",
        run_bricard,
        bricard_numbers,
        bricard_figures,
    ),
    Experiment(
        "stewart",
        "Platform on six driven legs",
        "Gough 1956, Stewart 1965",
        run_stewart,
        stewart_numbers,
        stewart_figures,
    ),
    Experiment(
        "double_wishbone",
        "Wheel on two wishbones: travel and camber",
        "hardpoints of the library",
        run_double_wishbone,
        double_wishbone_numbers,
        double_wishbone_figures,
    ),
)
