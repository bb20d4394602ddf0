"""Problems 11.6 and 11.7 of "Spatial Dynamics": components of a moment, and two bodies on one ball.

11.6: a force f' at s' of a body with Euler parameters p has the moment n' = s' × f' in body axes,
n = A n' in the world, and along the Euler parameters n* = 2 Lᵀ n' = 2 p ∘ (0, n').
11.7 has no data in its source; the library's are used. Whatever the ball does, the centre of mass
falls as one body would, and the ball pushes body 2 by what Newton's law asks of it alone.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis import cartesian, euler_parameters
from hamiltree.gallery.experiment import Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.mechanisms import draw_lines, path_of
from hamiltree.gallery.experiments.oblique_drawing import (
    draw_box,
    draw_frame,
    draw_moment,
    draw_point,
    draw_vector,
    finish_drawing,
)
from hamiltree.gallery.figures import legend_above
from hamiltree.model import BodyLoad, Frame, library
from hamiltree.model.values import ORIGIN, cross
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

SOURCE = "Spatial Dynamics, chapter 11"


# ---- problem 11.6 --------------------------------------------------------------------------------
EULER = (0.5, 0.7, -0.5, 0.1)
PLACE = (1.0, -1.0, 2.0)
FORCE = (3.0, -2.0, -1.0)
EXPECTED = {
    "body axes": (5.0, 7.0, 1.0),
    "world axes": (-3.56, -3.8, 6.92),
    "Euler parameters": (-0.2, 2.6, 6.6, 15.8),
}


class Moment(NamedTuple):
    """The same moment in three ways."""

    components: dict[str, np.ndarray]


def run_problem_11_6(quick: bool = False, progress: bool = True) -> Moment:
    """n' = s' × f', n = A n', n* = 2 p ∘ (0, n')."""
    local = cross(PLACE, FORCE)
    components = {
        "body axes": np.array(local),
        "world axes": Frame(ORIGIN, EULER).matrix @ local,
        "Euler parameters": euler_parameters.starred_moment(EULER, local),
    }
    return Moment(components)


def problem_11_6_numbers(moment: Moment) -> list[Row]:
    """Every component beside that of another program."""
    rows = []
    for way, values in moment.components.items():
        first = 1 if len(values) == 3 else 0
        pairs = zip(values.tolist(), EXPECTED[way], strict=True)
        for k, (ours, theirs) in enumerate(pairs, first):
            rows.append(Row(f"moment, {way}, component {k}", ours, theirs, "other code"))
    return rows


def problem_11_6_figures(moment: Moment) -> dict[str, Any]:
    """The components as bars, a panel per kind of axes."""
    figure, panels = new_figure([list(EXPECTED)], (10, 3.6), width_ratios=[3, 3, 4])
    names = {
        "body axes": ("x'", "y'", "z'"),
        "world axes": ("x", "y", "z"),
        "Euler parameters": ("e₀", "e₁", "e₂", "e₃"),
    }
    for (way, values), color in zip(moment.components.items(), (INK, SOFT, ACCENT), strict=True):
        bars = panels[way].bar(names[way], values, color=color, width=0.6)
        panels[way].bar_label(bars, fmt="%.4g", padding=2)
        panels[way].axhline(0.0, color=FAINT, lw=0.8)
        panels[way].margins(y=0.15)
        panels[way].set_title(way, loc="left", fontsize="medium")
    panels["body axes"].set_ylabel("moment")
    figure.suptitle("Problem 11.6: one moment in three ways (Spatial Dynamics)")
    return {"problem_11_6": figure}


# ---- problem 11.7 --------------------------------------------------------------------------------
STEP = 1e-3
PUSH = 5.0
MASSES = (2.0, 1.0)
WEIGHT = -9.81
DRAWN_AT = 0.2  # s


def run_problem_11_7(quick: bool = False, progress: bool = True) -> Trajectory:
    model = library.problem_11_7(masses=MASSES, force=PUSH)
    job = partial(run_to_end, model, "gauss8", STEP, 0.2 if quick else 1.0, save_every=1)
    return run_jobs({"gauss8": job}, "problem 11.7", progress)["gauss8"]


def centre(run: Trajectory) -> np.ndarray:
    """(time, 3): the centre of mass of both bodies, relative to its start."""
    paths = np.array([path_of(run, "body1"), path_of(run, "body2")])
    path = np.tensordot(MASSES, paths, axes=1) / sum(MASSES)
    return path - path[0]


def start_speed(run: Trajectory) -> np.ndarray:
    return np.tensordot(MASSES, run.twists.values[0, :, 3:], axes=1) / sum(MASSES)


def free_fall(run: Trajectory) -> np.ndarray:
    """v₀ t + ½ (0, F/m, −g) t²."""
    t = run.t.values[:, None]
    return start_speed(run) * t + 0.5 * np.array([0.0, PUSH / sum(MASSES), WEIGHT]) * t**2


def joint_residual(run: Trajectory) -> float:
    """The largest distance between the two halves of the ball joint, by component, m."""
    one = path_of(run, "body1", (0.2, 0.0, 0.0))
    other = path_of(run, "body2", (-0.15, 0.0, 0.0))
    return float(np.abs(one - other).max())


def reaction_at_start(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Force of the ball on body2: by the run, and by Newton, m r̈ − m g of body2 alone."""
    solution = cartesian.matrices(run.model, cartesian.state_of_run(run, 0)).solve()
    inertial = MASSES[1] * (solution.acceleration.sel(body="body2").values - run.model.gravity)
    return run.reactions("P")["force"].values[0], inertial


def problem_11_7_numbers(run: Trajectory) -> list[Row]:
    """The centre of mass at the end, the gap of the ball joint, and the energy error."""
    ends, expected = centre(run)[-1], free_fall(run)[-1]
    rows = [
        Row(f"{axis} of the centre of mass at the end, m", float(x), float(y), "exact")
        for axis, x, y in zip("xyz", ends, expected, strict=True)
    ]
    for axis, ours, theirs in zip("xyz", *reaction_at_start(run), strict=True):
        rows.append(Row(f"reaction at P on body2 at the start, {axis}, N", ours, theirs, "exact"))
    return [
        *rows,
        Row("largest gap of the ball, m", joint_residual(run), 0.0, "exact"),
        Row("largest |H − H₀ − work| / kinetic energy", run.energy_error, 0.0, "exact"),
    ]


def problem_11_7_figures(run: Trajectory) -> dict[str, Any]:
    """Angular velocities of both bodies in world axes, and their paths about the common centre."""
    figure, panels = new_figure([["first", "beside"], ["second", "beside"]], (11, 5.6))
    t = run.t.values
    for panel, body in (("first", "body1"), ("second", "body2")):
        omega = run.twists.sel(body=body).values[:, :3]
        lines = {f"ω{axis}": omega[:, k] for k, axis in enumerate("xyz")}
        draw_lines(panels[panel], t, lines, f"{body}: ω / rad/s")
    axes = panels["beside"]
    for body, color in (("body1", INK), ("body2", ACCENT)):
        path = path_of(run, body) - centre(run)
        axes.plot(path[:, 0], path[:, 1], color=color, lw=0.9, label=body)
    axes.set(xlabel="x / m", ylabel="y / m")
    axes.set_aspect("equal", adjustable="datalim")
    legend_above(axes, 2)
    axes.set_title("centres, beside the common one", loc="left", fontsize="medium")
    figure.suptitle(
        f"Problem 11.7: two bodies on one ball (Spatial Dynamics), Gauss8, h = {STEP:g} s"
    )
    return {"problem_11_7": figure, "problem_11_7_bodies": draw_bodies(run)}


def draw_bodies(run: Trajectory) -> Any:
    """Fig. P.11.7 while the bodies swing apart, and the reaction at P over time."""
    figure, panels = new_figure([["view", "force"]], (9.6, 4.0), width_ratios=[5, 4])
    axes = panels["view"]
    reaction, t = run.reactions("P")["force"].values, run.t.values
    now = int(np.searchsorted(t, min(DRAWN_AT, t[-1])))
    loads = [force for force in run.model.forces if isinstance(force, BodyLoad)]
    sizes = [(0.4, 0.2, 0.1), (0.3, 0.1, 0.1)]
    for load, sides, color in zip(loads, sizes, (INK, SOFT), strict=True):
        name = load.body
        pose = run.poses.sel(body=name).values[now]
        turn = Frame(ORIGIN, tuple(pose[3:])).matrix
        draw_box(axes, pose[:3], turn, sides, color)
        draw_frame(axes, pose[:3], turn, 0.14, "ξηζ", color)
        draw_moment(axes, pose[:3], load.torque, 0.2, f"$\\mathbf{{n}}_{name[-1]}$")
    far = path_of(run, "body1", (-0.2, 0.0, 0.0))[now]
    draw_vector(axes, far, far + np.array([0.0, 0.2, 0.0]), "$\\mathbf{f}_1$", ACCENT, 0.8)
    ball = path_of(run, "body1", (0.2, 0.0, 0.0))[now]
    draw_vector(axes, ball, ball + 0.1 * reaction[now], "$\\mathbf{f}^{(c)}_2$", INK, 0.9)
    draw_point(axes, ball, "P")
    finish_drawing(axes)
    axes.set_title(f"Fig. P.11.7 at t = {t[now]:g} s", loc="left", fontsize="medium")
    lines = {f"f{axis}": reaction[:, k] for k, axis in enumerate("xyz")}
    draw_lines(panels["force"], t, lines, "force at P on body2 / N")
    panels["force"].set_xlabel("t / s")
    figure.suptitle("Problem 11.7 (Spatial Dynamics): loads and the reaction at P")
    return figure


EXPERIMENTS = (
    Experiment(
        "problem_11_6",
        "Problem 11.6: components of a moment",
        SOURCE,
        run_problem_11_6,
        problem_11_6_numbers,
        problem_11_6_figures,
        document="spatial-dynamics",
    ),
    Experiment(
        "problem_11_7",
        "Problem 11.7: two bodies on one ball",
        SOURCE,
        run_problem_11_7,
        problem_11_7_numbers,
        problem_11_7_figures,
        document="spatial-dynamics",
    ),
)
