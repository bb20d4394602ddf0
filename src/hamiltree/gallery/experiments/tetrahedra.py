"""Chains of eight tetrahedra with Lennard-Jones forces between neighbours, clamped and pulled or
clamped at both ends: the thesis, §3.5.

Figs. 3.5 and 3.6 show the energy only, which a wrong sign conserves too (ERRATA 2-17): here
positions and attitudes are compared with those of a program by Newton's and Euler's equations. The
thesis gives no velocities; both use the same ones.
"""

from __future__ import annotations

import json
from functools import cache, partial
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.figures import legend_above
from hamiltree.model import LennardJones, Model
from hamiltree.model.molecules import particle_chain, tetrahedron
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure, rotate_vectors, thin_samples

OTHER = "other code"
ENDS = {
    "c1c2": ("c1–c2, clamped and pulled by 3 N", "free"),
    "c1c1": ("c1–c1, clamped at both ends", "clamped"),
}
PURPLE = "tab:purple"
SAMPLED = 2.0  # s, the last sample of the other program


class Scheme(NamedTuple):
    label: str
    formulation: str
    integrator: str
    step: float
    color: str


SCHEMES = (
    Scheme("Gauss6, h = 5 ms", "free_bodies_quaternion", "gauss6", 5e-3, PURPLE),
    Scheme("Gauss8, h = 5 ms", "free_bodies_quaternion", "gauss8", 5e-3, INK),
    Scheme("splitting4, h = 1 ms", "free_bodies_quaternion", "splitting4", 1e-3, SOFT),
    Scheme("RATTLE, h = 1 ms", "free_bodies_rotation", "rattle", 1e-3, ACCENT),
)
THESIS_SCHEME = SCHEMES[0]  # the method of figs. 3.5, 3.6
MOST_EXACT = SCHEMES[1]
FINE = MOST_EXACT._replace(label="fine", step=2e-3)
UNTIL, QUICK_UNTIL = 20.0, 2.0
CORNERS = np.array(tetrahedron().positions)
EDGES = ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))


class Result(NamedTuple):
    """By the ends of the chain: a fine run to the last sample of the other program, and runs of
    every scheme by its label.
    """

    fine: dict[str, Trajectory]
    runs: dict[str, dict[str, Trajectory]]


@cache
def load_reference() -> dict[str, Any]:
    """Start values and samples of the other program."""
    file = resources.files("hamiltree.gallery") / "data" / "tetrahedra.json"
    return json.loads(file.read_text(encoding="utf-8"))


def chain(ends: str) -> Model:
    """Eight tetrahedra with the load and the velocities of the reference."""
    data = load_reference()[ends]
    return particle_chain(
        8,
        potential=LennardJones(5.0, 1.0),
        last=ENDS[ends][1],
        load=data["load"] if any(data["load"]) else None,
        velocities=data["velocities"],
        omegas=data["omegas"],
    )


def run(quick: bool = False, progress: bool = True) -> Result:
    """Both chains: a fine run to the last reference sample, and every scheme."""
    until = QUICK_UNTIL if quick else UNTIL
    jobs = {f"{ends}, fine": job_of(ends, FINE, SAMPLED, save_every=5) for ends in ENDS}
    for scheme in SCHEMES:
        every = round(1e-2 / scheme.step)
        for ends in ENDS:
            jobs[f"{ends}, {scheme.label}"] = job_of(ends, scheme, until, save_every=every)
    found = run_jobs(jobs, "tetrahedra", progress)
    labels = [scheme.label for scheme in SCHEMES]
    return Result(
        fine={ends: found[f"{ends}, fine"] for ends in ENDS},
        runs={ends: {label: found[f"{ends}, {label}"] for label in labels} for ends in ENDS},
    )


def job_of(ends: str, scheme: Scheme, until: float, save_every: int) -> Any:
    """A function that runs one chain with one scheme."""
    options = {"formulation": scheme.formulation, "save_every": save_every}
    return partial(run_to_end, chain(ends), scheme.integrator, scheme.step, until, **options)


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    """Positions and attitudes beside the reference, energy errors, work of the load."""
    rows = []
    for ends, found in result.fine.items():
        for sample in load_reference()[ends]["samples"]:
            rows += sample_rows(ends, found, sample)
    for ends, runs in result.runs.items():
        for label, found in runs.items():
            end = f"to t = {float(found.t[-1]):g} s"
            what = f"{short_label(ends)}, {label}: largest |H − H₀ − work| {end}, J"
            rows.append(Row(what, float(np.abs(found.energy_balance).max()), 0.0, "exact"))
    pulled = result.runs["c1c2"][MOST_EXACT.label]
    before, after = (other_energy(pulled, k) for k in (0, -1))
    what = "c1–c2: change of T + V of the pairs, the load apart, J"
    rows.append(Row(what, after - before, float(work_of_load(pulled)), "3 N · Δx"))
    return rows


def sample_rows(ends: str, run: Trajectory, sample: dict[str, Any]) -> list[Row]:
    """One sample of the other program beside ours."""
    at = int(np.abs(run.t.values - sample["t"]).argmin())
    last = last_free_body(ends)
    name = f"{short_label(ends)}, t = {sample['t']:g} s"
    x = float(run.poses.values[at, last, 0])
    moved, tilted = distances(run.poses.values[at], sample)
    return [
        Row(f"{name}: x of body {last + 1}, m", x, sample["r"][last][0], OTHER),
        Row(f"{name}: largest error of a position, m", moved, 0.0, OTHER),
        Row(f"{name}: largest error of an attitude, rad", tilted, 0.0, OTHER),
    ]


def last_free_body(ends: str) -> int:
    return 7 if ends == "c1c2" else 6


def short_label(ends: str) -> str:
    return ENDS[ends][0].split(",")[0]


def distances(poses: np.ndarray, sample: dict[str, Any]) -> tuple[float, float]:
    """The largest |r − r'| and the largest angle between attitudes: 2 |Im(q̄ q')| where it is
    small.
    """
    q, other = poses[:, 3:], np.array(sample["q"])
    away = q[:, :1] * other[:, 1:] - other[:, :1] * q[:, 1:] - np.cross(q[:, 1:], other[:, 1:])
    moved = np.linalg.norm(poses[:, :3] - sample["r"], axis=1).max()
    angle = 2.0 * np.linalg.norm(away, axis=1).max()
    return float(moved), float(angle)


def work_of_load(run: Trajectory) -> float:
    """F · Δr of the last body."""
    displacement = run.poses.values[-1, -1, :3] - run.poses.values[0, -1, :3]
    return float(displacement @ np.array(load_reference()["c1c2"]["load"]))


def other_energy(run: Trajectory, sample: int) -> float:
    """H + F · r: all but the potential energy of the load."""
    place = run.poses.values[sample, -1, :3]
    return float(run.energy[sample] + place @ np.array(load_reference()["c1c2"]["load"]))


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """Both chains at four times, the last free body in time, H by steps as the thesis draws it, and
    its error.
    """
    layout = [[f"{ends}{what}" for ends in ENDS] for what in ("", " path", " steps", " energy")]
    figure, panels = new_figure(layout, (12.0, 12.0), height_ratios=[1.9, 1.0, 1.0, 1.0])
    for ends, number in zip(ENDS, ("3.5", "3.6"), strict=True):
        draw_chain(panels[ends], result.fine[ends])
        panels[ends].set_title(ENDS[ends][0], loc="left", fontsize="medium")
        draw_path(panels[f"{ends} path"], result, ends)
        draw_energy_by_steps(panels[f"{ends} steps"], result.runs[ends][THESIS_SCHEME.label])
        panels[f"{ends} steps"].set_title(f"fig. {number}, Gauss6", loc="left", fontsize="medium")
        draw_errors(panels[f"{ends} energy"], result.runs[ends])
    figure.suptitle(
        f"Eight tetrahedra with Lennard-Jones forces between neighbours ({THESIS}, figs. 3.5, 3.6)"
    )
    return {"tetrahedra": figure}


def draw_chain(axes, run: Trajectory) -> None:
    """Edges of the bodies in the plane of x and y, one chain below the other as time goes on."""
    apart = 3.2
    times = np.linspace(0.0, SAMPLED, 5)
    for number, t in enumerate(times):
        poses = run.poses.values[int(np.abs(run.t.values - t).argmin())]
        for body, pose in enumerate(poses):
            at = pose[:3] + rotate_vectors(pose[None, 3:], CORNERS)
            is_held = np.array_equal(run.poses.values[0, body], run.poses.values[-1, body])
            for a, b in EDGES:
                axes.plot(
                    at[[a, b], 0],
                    at[[a, b], 1] - apart * number,
                    color=FAINT if is_held else INK,
                    lw=0.9,
                    solid_capstyle="round",
                )
        axes.plot(poses[:, 0], poses[:, 1] - apart * number, ".-", color=ACCENT, lw=0.7, ms=4)
    axes.set_yticks(-apart * np.arange(len(times)), [f"t = {t:g} s" for t in times])
    axes.set(xlabel="x / m")
    axes.set_aspect("equal", adjustable="datalim")


def draw_path(axes, result: Result, ends: str) -> None:
    """The last body that is free, with the samples of the other program."""
    body = last_free_body(ends)
    run = result.runs[ends][MOST_EXACT.label]
    samples = load_reference()[ends]["samples"]
    shown = run.t.values <= 2 * SAMPLED  # the motion is chaotic: later it is that of rounding too
    t, path = run.t.values[shown], run.poses.values[shown, body, :3]
    start = path[0]
    for axis, color in zip(range(3), (ACCENT, SOFT, INK), strict=True):
        label = f"{'xyz'[axis]} − {start[axis]:g} m" if start[axis] else "xyz"[axis]
        axes.plot(*thin_samples(t, path[:, axis] - start[axis]), color=color, lw=0.9, label=label)
        times = [sample["t"] for sample in samples]
        values = [sample["r"][body][axis] - start[axis] for sample in samples]
        axes.plot(times, values, "o", color=color, ms=3.5)
    axes.set(xlabel="t / s", ylabel=f"body {body + 1} / m")
    axes.set_title("dots: other code", loc="left", fontsize="medium")
    legend_above(axes, 3)


def draw_energy_by_steps(axes, run: Trajectory) -> None:
    """T, V with that of the load (3.31), and H, by the number of steps."""
    steps = run.t.values / THESIS_SCHEME.step
    parts = {"T": run.kinetic_energy, "V": run.potential_energy, "H": run.energy}
    for (label, values), color in zip(parts.items(), (ACCENT, SOFT, INK), strict=True):
        axes.plot(*thin_samples(steps, values.values), color=color, lw=0.9, label=label)
    axes.set(xlabel="steps of 5 ms", ylabel="energy / J")
    legend_above(axes, 3)


def draw_errors(axes, runs: dict[str, Trajectory]) -> None:
    """The largest of every hundredth of the run."""
    colors = {scheme.label: scheme.color for scheme in SCHEMES}
    for label, run in runs.items():
        parts = np.array_split(np.arange(1, run.t.size), 100)
        largest = [np.abs(run.energy_balance.values[part]).max() for part in parts]
        times = [run.t.values[part[-1]] for part in parts]
        axes.plot(times, np.maximum(largest, 1e-15), color=colors[label], lw=0.9, label=label)
    axes.set(xlabel="t / s", ylabel="|H − H₀ − work| / J", yscale="log")
    legend_above(axes, 2, columnspacing=1.0, handlelength=1.2, fontsize="small")


EXPERIMENT = Experiment(
    "tetrahedra",
    "Chains of eight tetrahedra, Lennard-Jones",
    f"{THESIS}, §3.5, figs. 3.5, 3.6",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
