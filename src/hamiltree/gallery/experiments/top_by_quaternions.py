"""Heavy symmetric top by QUAT-EM and by RATTLE on rotation matrices: the thesis, §2.5,
figs. 2.15–2.19; and the table of METHODS 2.

Two angular momenta are called J₃: that along the vertical of the world, which gravity keeps, and
that along the axis of the body, which (2.4) keeps because I₁ = I₂. The thesis concludes from (2.4),
so from the second, that the J₃ of its fig. 2.16 is constant; QUAT-EM keeps the first to rounding,
the second to its order.
QUAT-EM is that of METHODS 5. It iterates, and with 16 turns a second it takes steps of at most some
milliseconds.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.heavy_top import (
    ASYMMETRIC,
    SYMMETRIC,
    angular_momentum,
    attitude_error,
    model_of,
    spin,
    top_centre_of_mass,
)
from hamiltree.gallery.figures import legend_above
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure, thin_samples

STEP = 1e-3
UNTIL = 10.0
QUICK_UNTIL = 2.0
COARSE = 5e-3
FLOOR = 1e-15  # kg m²/s: smaller changes are drawn here
OTHER = "other code"
# The centre of mass, of another program by Euler angles and by quaternions, which agree to 1e-12
SAMPLES = {
    0.25: (1.1021895475053587, 0.43749837242631684, 0.6022236922392346),
    0.5: (0.747957743927623, 1.0891946891469488, 0.15203335960499484),
    1.0: (-1.0692312907296442, 0.7425061259495048, 0.2726336366849793),
    2.0: (-0.799343668361833, -0.3539570839091308, 1.0023293284147645),
}


class Scheme(NamedTuple):
    """‖R − R_exact‖ of the asymmetric top at t = 1 s after 100 steps, and the centre of the
    symmetric one with h = 5 ms: other code.
    """

    label: str
    formulation: str
    integrator: str
    attitude: float
    centre: float | None = None


SCHEMES = (
    Scheme(
        "Gauss6", "free_bodies_quaternion", "gauss6", 7.162672454133544e-11, 6.71469169155614e-08
    ),
    Scheme("Sun–Geng 5", "free_bodies_quaternion", "sun_geng5", 7.776742577954027e-10),
    Scheme("midpoint", "free_bodies_quaternion", "implicit_midpoint", 0.0158981668727611),
    Scheme("RATTLE, quaternions", "free_bodies_quaternion", "rattle", 0.008639325247797727),
    Scheme("SPARK4, quaternions", "free_bodies_quaternion", "spark4", 4.1195236611392385e-07),
    Scheme("QUAT-EM", "free_bodies_quaternion", "quat_em", 0.005504704317239518),
    Scheme(
        "RATTLE, matrices",
        "free_bodies_rotation",
        "rattle",
        0.03037899158360604,
        0.005551727807557805,
    ),
)
SHOWN = {
    "QUAT-EM": ("free_bodies_quaternion", "quat_em"),
    "RATTLE": ("free_bodies_rotation", "rattle"),
}


class Result(NamedTuple):
    runs: dict[str, Trajectory]  # of the symmetric top, by a name in SHOWN
    attitudes: dict[str, float]  # of SCHEMES
    centres: dict[str, float]  # of those whose centre is known


def run(quick: bool = False, progress: bool = True) -> Result:
    """Both tops; what is compiled is shared by the runs of a scheme."""
    until = QUICK_UNTIL if quick else UNTIL
    symmetric = model_of(SYMMETRIC)
    asymmetric = model_of(ASYMMETRIC)
    jobs = {}
    for name, (formulation, integrator) in SHOWN.items():
        jobs[name] = partial(
            run_to_end, symmetric, integrator, STEP, until, formulation=formulation, save_every=1
        )
    for scheme in SCHEMES:
        own = {"integrator": scheme.integrator, "formulation": scheme.formulation}
        steps = partial(run_to_end, until=1.0, save_every=1, **own)
        jobs[f"asymmetric, {scheme.label}"] = partial(steps, asymmetric, step=0.01)
        if scheme.centre is not None:
            jobs[f"symmetric, {scheme.label}"] = partial(steps, symmetric, step=COARSE)
    found = run_jobs(jobs, "tops", progress)
    return Result(
        {name: found[name] for name in SHOWN},
        {scheme.label: attitude_error(found[f"asymmetric, {scheme.label}"]) for scheme in SCHEMES},
        {
            scheme.label: centre_error(found[f"symmetric, {scheme.label}"], 1.0)
            for scheme in SCHEMES
            if scheme.centre is not None
        },
    )


def centre_error(run: Trajectory, t: float) -> float:
    """The largest coordinate of the centre of mass less that of the other program, m."""
    row = int(np.abs(run.t.values - t).argmin())
    return float(np.abs(top_centre_of_mass(run, SYMMETRIC)[row] - SAMPLES[t]).max())


def numbers(result: Result) -> list[Row]:
    """Attitude and position errors beside those of another program, conserved quantities."""
    rows = []
    for scheme in SCHEMES:
        what = f"{scheme.label}: ‖R − R_exact‖, asymmetric top, t = 1 s, 100 steps"
        rows.append(Row(what, result.attitudes[scheme.label], scheme.attitude, OTHER))
    for scheme in SCHEMES:
        if scheme.centre is not None:
            step = f"h = {1e3 * COARSE:g} ms"
            what = f"{scheme.label}: error of the centre of mass at t = 1 s, {step}, m"
            rows.append(Row(what, result.centres[scheme.label], scheme.centre, OTHER))
    for name, found in result.runs.items():
        for t in SAMPLES:
            what = f"{name}: error of the centre of mass at t = {t:g} s, h = {1e3 * STEP:g} ms, m"
            rows.append(Row(what, centre_error(found, t), 0.0, OTHER))
    return [*rows, *conserved_rows(result)]


def conserved_rows(result: Result) -> list[Row]:
    """What QUAT-EM conserves to rounding and RATTLE within its order."""
    rows = []
    for name, found in result.runs.items():
        end = f"to t = {float(found.t[-1]):g} s"
        energy = float(np.abs(found.energy_balance).max())
        vertical, axial = (float(change.max()) for change in changes_of_spin(found))
        of = "‖q‖² − 1" if name == "QUAT-EM" else "entry of RᵀR − 1"
        rows += [
            Row(f"{name}: largest |H − H₀| {end}, J", energy, 0.0, "exact"),
            Row(f"{name}: largest change of J₃, vertical, {end}, kg m²/s", vertical, 0.0, "exact"),
            Row(f"{name}: largest change of J₃, body axis, {end}, kg m²/s", axial, 0.0, "exact"),
            Row(f"{name}: largest {of} {end}", found.quaternion_error, 0.0, "exact"),
        ]
    return rows


def changes_of_spin(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """|J₃ − J₃(0)| along the world's vertical and along the body's axis."""
    vertical = angular_momentum(run, SYMMETRIC)[:, 2]
    axial = spin(run, SYMMETRIC)
    return np.abs(vertical - vertical[0]), np.abs(axial - axial[0])


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """The five figures of the thesis: three of QUAT-EM on the left, two of RATTLE on the right; and
    the norm of q.
    """
    layout = [
        *(["centre", "height"], ["momentum", "rattle"]),
        *(["axes", "spin"], ["energy", "norm"]),
    ]
    figure, panels = new_figure(layout, (11.5, 10.6), sharex=True)
    em, rattle = (result.runs[name] for name in SHOWN)
    draw_quat_em(panels, em)
    draw_height(panels["height"], rattle)
    heading = "RATTLE, rotation matrices (fig. 2.19)"
    t, change = rattle.t.values, rattle.energy_balance.values
    draw_change(panels["rattle"], t, change, "H − H₀ / J", heading)
    draw_spins(panels["axes"], em)
    draw_changes_of_spin(panels["spin"], result.runs)
    for name in ("energy", "norm"):
        panels[name].set_xlabel("t / s")
    figure.suptitle(f"Heavy symmetric top, h = {1e3 * STEP:g} ms ({THESIS}, figs. 2.15–2.19)")
    return {"top_by_quaternions": figure}


def draw_quat_em(panels: dict[str, Any], run: Trajectory) -> None:
    """Centre of mass, angular momentum, energy and norm of QUAT-EM."""
    t = run.t.values
    centre = top_centre_of_mass(run, SYMMETRIC)
    draw_axes(panels["centre"], t, centre, "xyz", "centre of mass / m", "QUAT-EM (fig. 2.15)")
    momentum = angular_momentum(run, SYMMETRIC)
    names, label = ("J₁", "J₂", "J₃"), "angular mom. / kg m²/s"
    heading = "QUAT-EM, axes of the world (fig. 2.16)"
    draw_axes(panels["momentum"], t, momentum, names, label, heading)
    energy = run.energy_balance.values
    draw_change(panels["energy"], t, energy, "H − H₀ / J", "QUAT-EM (fig. 2.17)")
    norm = run.dataset["norm_error"].values[:, 0]
    draw_change(panels["norm"], t, norm, "‖q‖² − 1", "QUAT-EM")


def draw_axes(
    axes, t: np.ndarray, values: np.ndarray, names: Any, label: str, heading: str
) -> None:
    """Three components by time, with their names above."""
    for name, column, color in zip(names, values.T, (ACCENT, SOFT, INK), strict=True):
        axes.plot(*thin_samples(t, column), color=color, lw=0.9, label=name)
    axes.set_ylabel(label)
    axes.set_title(heading, loc="left", fontsize="medium")
    legend_above(axes, 3)


def draw_spins(axes, run: Trajectory) -> None:
    """Both J₃: along the vertical of the world and along the axis of the body."""
    t = run.t.values
    vertical, axial = angular_momentum(run, SYMMETRIC)[:, 2], spin(run, SYMMETRIC)
    axes.plot(*thin_samples(t, vertical), color=INK, lw=0.9, label="along the vertical")
    axes.plot(*thin_samples(t, axial), color=ACCENT, lw=0.9, label="along the body axis")
    low, high = sorted((float(vertical[0]), float(axial[0])))
    axes.set_ylim(low - 0.5 * (high - low), high + 0.5 * (high - low))
    axes.set_ylabel("J₃ / kg m²/s")
    axes.set_title("QUAT-EM", loc="left", fontsize="medium")
    legend_above(axes, 2)


def draw_changes_of_spin(axes, runs: dict[str, Trajectory]) -> None:
    """How far each method lets both J₃ go, the largest so far."""
    for (name, run), color in zip(runs.items(), (INK, ACCENT), strict=True):
        for change, axis, style in zip(
            changes_of_spin(run), ("vertical", "body"), ("-", "--"), strict=True
        ):
            largest = np.maximum(np.maximum.accumulate(change), FLOOR)
            t, values = thin_samples(run.t.values, largest)
            axes.plot(t, values, style, color=color, lw=0.9, label=f"{name}, {axis}")
    axes.set(ylabel="change of J₃ / kg m²/s", yscale="log", ylim=(0.3 * FLOOR, 1.0))
    legend_above(axes, 2, fontsize="small")


def draw_height(axes, run: Trajectory) -> None:
    """Height of the centre of mass, with the samples of another program."""
    height = top_centre_of_mass(run, SYMMETRIC)[:, 2]
    axes.plot(*thin_samples(run.t.values, height), color=INK, lw=0.9)
    known = [t for t in SAMPLES if t <= run.t.values[-1]]
    axes.plot(known, [SAMPLES[t][2] for t in known], "o", color=ACCENT, ms=5, label=OTHER)
    axes.set_ylabel("z of the centre of mass / m")
    axes.set_title("RATTLE, rotation matrices (fig. 2.18)", loc="left", fontsize="medium")
    legend_above(axes)


def draw_change(axes, t: np.ndarray, values: np.ndarray, label: str, heading: str) -> None:
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(*thin_samples(t, values), color=INK, lw=0.6)
    axes.set_ylabel(label)
    axes.set_title(heading, loc="left", fontsize="medium")
    axes.set_title(f"largest {np.abs(values).max():.1e}", loc="right", fontsize="medium")


EXPERIMENT = Experiment(
    "top_by_quaternions",
    "Heavy symmetric top by QUAT-EM and RATTLE",
    f"{THESIS}, §2.5, figs. 2.15–2.19",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
