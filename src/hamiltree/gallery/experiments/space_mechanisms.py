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
    """The crank's hinge holds all that the rest does not: its force is the rate of the momentum
    less the weight and the slide's force.
    """
    hinge, slide = (run.reactions(name)["force"].values for name in ("hinge", "slide"))
    weight = sum(body.mass for body in run.model.bodies) * np.array(run.model.gravity)
    rate = np.gradient(momentum(run), run.t.values, axis=0, edge_order=2)
    gap = np.abs(hinge + slide + weight - rate)[2:-2].max()
    note = "the momentum is differentiated from sample to sample, to second order"
    return [
        *conserved_rows(run),
        Row(
            "largest force of the crank's hinge, N",
            float(np.linalg.norm(hinge, axis=1).max()),
            None,
            "",
        ),
        Row("hinge + slide + weight − rate of momentum, N", float(gap), 0.0, "Newton", note),
    ]


def momentum(run: Trajectory) -> np.ndarray:
    """(time, 3): origins are the centres of mass here."""
    masses = np.array([body.mass for body in run.model.bodies])
    return np.einsum("b,tbi->ti", masses, run.twists.values[..., 3:])


def slider_crank_figures(run: Trajectory) -> dict[str, Any]:
    figure, panels = new_figure(
        [["motion"], ["forces"], ["moments"], ["kept"]], (9, 9.5), sharex=True
    )
    t, found = run.t.values, run.reactions("hinge")
    draw_lines(
        panels["motion"],
        t,
        {"crank / rad": coordinate(run, "hinge"), "slide / m": coordinate(run, "slide")},
        "position",
    )
    for panel, name, label in (
        ("forces", "force", "force on the crank / N"),
        ("moments", "moment", "moment on the crank / N m"),
    ):
        draw_lines(
            panels[panel], t, {axis: found[name].sel(axis=axis).values for axis in "xyz"}, label
        )
    draw_conserved(panels["kept"], run)
    for panel in ("motion", "forces", "moments"):
        panels[panel].set_xlabel("")
    figure.suptitle(
        "Spatial slider-crank (seed 001): the reaction of its crank's hinge, world axes; "
        f"{METHOD}, h = 4 ms"
    )
    return {"slider_crank": figure}


# ---- governor ------------------------------------------------------------------------------------
def run_governor(quick: bool = False, progress: bool = True) -> Trajectory:
    return run_mechanism("governor", library.governor(), 2e-3, 1.0 if quick else 5.0, progress)


def governor_numbers(run: Trajectory) -> list[Row]:
    """Nothing turns the spindle, so its momentum, the angular momentum about z, stays; two arms
    that start alike stay alike.
    """
    turning = run.p.sel(coordinate="spindle").values
    arms = coordinate(run, "arm1") - coordinate(run, "arm2")
    heights = coordinate(run, "sleeve")
    return [
        Row("lowest height of the sleeve, m", float(heights.min()), None, ""),
        Row("highest height of the sleeve, m", float(heights.max()), None, ""),
        Row(
            "largest change of the angular momentum about z, N m s",
            float(np.abs(turning - turning[0]).max()),
            0.0,
            "exact",
        ),
        Row("largest difference of the two arms, rad", float(np.abs(arms).max()), 0.0, "exact"),
        *conserved_rows(run),
    ]


def governor_figures(run: Trajectory) -> dict[str, Any]:
    figure, panels = new_figure([["sleeve"], ["speed"], ["kept"]], (9, 7.5), sharex=True)
    t = run.t.values
    draw_lines(
        panels["sleeve"], t, {"sleeve": coordinate(run, "sleeve")}, "height of the sleeve / m"
    )
    draw_lines(
        panels["speed"],
        t,
        {"spindle": run.qdot.sel(coordinate="spindle").values},
        "spindle / rad/s",
    )
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
    corners = np.stack(
        [path_of(run, f"rod{k}") for k in range(1, 6)] + [path_of(run, "rod5", (1.0, 0.0, 0.0))],
        axis=1,
    )
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
    """The power of six drives, force by rate of each leg, is what the energy changes by; here
    integrated by Simpson's rule.
    """
    rates = np.array([run.qdot.sel(coordinate=f"leg{k}").values for k in range(1, 7)])
    power, change = (leg_forces(run) * rates).sum(axis=0), float(run.energy[-1] - run.energy[0])
    h, steps = run.t.values[1], (len(power) - 1) // 2 * 2
    work = (
        h
        / 3
        * (
            power[0]
            + 4 * power[1:steps:2].sum()
            + 2 * power[2 : steps - 1 : 2].sum()
            + power[steps]
        )
    )
    return [
        Row("work of the legs by their forces and rates, J", float(work), change, "T + V"),
        Row("work of the legs, taken along while running, J", float(run.work[-1]), change, "T + V"),
        *conserved_rows(run),
    ]


def stewart_figures(run: Trajectory) -> dict[str, Any]:
    figure, panels = new_figure([["position", "forces"], ["attitude", "kept"]], (12, 6.2))
    t, pose = run.t.values, run.poses.sel(body="platform").values
    draw_lines(
        panels["position"],
        t,
        {"x": pose[:, 0], "y": pose[:, 1], "z − 1 m": pose[:, 2] - 1.0},
        "position of the platform / m",
    )
    turn = 2 * np.degrees(np.arcsin(pose[:, 4:]))  # half of a small turn, to third order
    draw_lines(
        panels["attitude"],
        t,
        {f"about {axis}": turn[:, k] for k, axis in enumerate("xyz")},
        "turn of the platform / °",
    )
    draw_lines(
        panels["forces"],
        t,
        {f"leg {k + 1}": force for k, force in enumerate(leg_forces(run))},
        "force of the drive / N",
    )
    draw_conserved(panels["kept"], run)
    figure.suptitle(f"Platform on six driven legs, {METHOD}, h = 5 ms")
    return {"stewart": figure}


# ---- wheel on two wishbones ----------------------------------------------------------------------
class Wheel(NamedTuple):
    """A wheel let go with more load in its tyre than it stands with, and one moved slowly through
    its travel.
    """

    drop: Trajectory
    sweep: Trajectory


def run_double_wishbone(quick: bool = False, progress: bool = True) -> Wheel:
    until = 0.2 if quick else 1.0
    moved = library.double_wishbone().with_(
        constraints=(*library.double_wishbone().constraints, Drive("lower_arm", "0.2*sin(t)"))
    )
    jobs = {
        "drop": partial(
            run_to_end, library.double_wishbone(load=6000.0), METHOD, 1e-3, until, save_every=1
        ),
        "sweep": partial(run_to_end, moved, METHOD, 2e-2, math.tau, save_every=1, assemble=True),
    }
    return Wheel(**run_jobs(jobs, "double wishbone", progress))


def travel_camber_toe(run: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """m, °, °: how far the hub has risen; the wheel's lean, outwards above; its turn, inwards in
    front.
    """
    hub, axle = (
        path_of(run, "wheel"),
        rotate_vectors(run.poses.sel(body="upright").values[:, 3:], np.array([0.0, 1.0, 0.0])),
    )
    return (
        hub[:, 2] - 0.31,
        -np.degrees(np.arcsin(axle[:, 2])),
        np.degrees(np.arctan2(axle[:, 0], axle[:, 1])),
    )


def double_wishbone_numbers(wheel: Wheel) -> list[Row]:
    rise, camber, _ = travel_camber_toe(wheel.sweep)
    gain = np.polyfit(rise[np.abs(rise) < 0.02], camber[np.abs(rise) < 0.02], 1)[0]
    return [
        Row("camber gain about the start, °/m", float(gain), None, ""),
        Row(
            "largest rise of the wheel after the drop, m",
            float(travel_camber_toe(wheel.drop)[0].max()),
            None,
            "",
        ),
        *conserved_rows(wheel.drop),
    ]


def double_wishbone_figures(wheel: Wheel) -> dict[str, Any]:
    figure, panels = new_figure([["travel", "camber"], ["kept", "toe"]], (11, 6.0))
    rise, camber, toe = travel_camber_toe(wheel.sweep)
    for panel, values, label in (("camber", camber, "camber / °"), ("toe", toe, "toe / °")):
        panels[panel].plot(1e3 * rise, values, color=INK, lw=1.2)
        panels[panel].set(xlabel="wheel travel / mm", ylabel=label)
    draw_lines(
        panels["travel"],
        wheel.drop.t.values,
        {"travel": 1e3 * travel_camber_toe(wheel.drop)[0]},
        "wheel travel / mm",
    )
    panels["travel"].set_title("let go with 6000 N in the tyre", loc="left", fontsize="medium")
    panels["camber"].set_title("moved through its travel", loc="left", fontsize="medium")
    draw_conserved(panels["kept"], wheel.drop)
    figure.suptitle(f"Wheel on two wishbones with a tie rod, {METHOD}")
    return {"double_wishbone": figure}


EXPERIMENTS = (
    Experiment(
        "slider_crank",
        "Spatial slider-crank: motion and reactions",
        "seed 001",
        run_slider_crank,
        slider_crank_numbers,
        slider_crank_figures,
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
