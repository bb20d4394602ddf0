"""A chain of discs with Lennard-Jones particles on both rims: time of a step by particles and by
bodies, and ‖q‖² − 1 of every body.

The thesis, §3.5 and figs. 3.7–3.9: radius 0.05 m, thickness a tenth of it, σ = 1 m, ε = 1e-6 J, the
first disc clamped, 0.03 N on the last one along the chain; h = 0.01 s, Gauss6. n_p counts the
particles per body. The thesis gives neither masses, spacing nor start: here particles have 1 kg,
discs are 1.2 m apart and turn by some 1 rad/s. The force is a hundred times what the bond can hold
(ERRATA 2-36), so that the last disc is pulled off, which changes nothing in the cost. The
neighbours' rows are all computed: there is no cut-off.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.model.library import disc, particle_chain
from hamiltree.model.model import Model
from hamiltree.model.potentials import LennardJones
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

RADIUS = 0.05
THICKNESS = 0.005
SPACING = 1.2
STEP = 0.01
PULL = 0.03
LAW = LennardJones(1e-6, 1.0)
TIMED = {
    "gauss6": ("Gauss6", ACCENT),
    "splitting4": ("splitting4", INK),
    "splitting2": ("splitting2", SOFT),
}
KEPT = {
    "gauss6": ("Gauss6", ACCENT, "o"),
    "sun_geng5": ("Sun–Geng 5", SOFT, "s"),
    "splitting4": ("splitting4", INK, "^"),
    "rattle": ("RATTLE", "tab:green", "v"),
    "rk4": ("RK4", "tab:red", "x"),
}
BODIES = 8  # of fig. 3.7 (N = 6 between the ends)
PARTICLES = 12  # of fig. 3.8
PARTICLE_COUNTS = (4, 8, 12, 16, 24, 32, 48, 64, 96, 128)
BODY_COUNTS = (4, 8, 16, 32, 64, 128, 256)
QUICK_PARTICLES = (8, 32, 128)
QUICK_BODIES = (8, 32, 128)
TIMED_STEPS = 50
ROUNDS = 4
KEPT_STEPS = 10_000
QUICK_STEPS = 1000
QUICK_KEPT = ("gauss6", "rk4")
MANY = 32  # particles or bodies: exponents are those of what is no smaller
SMALLEST = 1e-17  # of a logarithmic axis


def model(bodies: int, particles: int) -> Model:
    """`particles` is n_p, half of them on each rim."""
    spin = np.random.default_rng(1).normal(size=(bodies, 3))
    spin[0] = 0.0
    shape = disc(RADIUS, THICKNESS, particles // 2)
    return particle_chain(
        bodies,
        shape,
        SPACING,
        LAW,
        first="clamped",
        last="free",
        load=(PULL, 0.0, 0.0),
        omegas=spin,
    )


class Result(NamedTuple):
    by_particles: dict[str, dict[int, float]]  # seconds of a step, by method
    by_bodies: dict[str, dict[int, float]]
    kept: dict[str, Trajectory]  # n_p = 8, eight bodies


# ---- runs ----------------------------------------------------------------------------------------
def run(quick: bool = False, progress: bool = True) -> Result:
    """All runs, one at a time because they are timed."""
    particles = QUICK_PARTICLES if quick else PARTICLE_COUNTS
    bodies = QUICK_BODIES if quick else BODY_COUNTS
    chains = {("particles", n): model(BODIES, n) for n in particles}
    chains |= {("bodies", n): model(n, PARTICLES) for n in bodies}
    jobs = {
        f"{method}, {n} {what}": partial(seconds_of_step, chain, method)
        for (what, n), chain in chains.items()
        for method in TIMED
    }
    seconds = run_jobs(jobs, "disc chain", progress)
    names = QUICK_KEPT if quick else tuple(KEPT)
    steps = QUICK_STEPS if quick else KEPT_STEPS
    kept = {name: partial(run_recorded, name, steps) for name in names}
    return Result(
        time_by_method(seconds, "particles", particles),
        time_by_method(seconds, "bodies", bodies),
        run_jobs(kept, "norms in the disc chain", progress),
    )


def time_by_method(
    seconds: dict[str, float], what: str, counts: tuple[int, ...]
) -> dict[str, dict[int, float]]:
    return {method: {n: seconds[f"{method}, {n} {what}"] for n in counts} for method in TIMED}


def seconds_of_step(chain: Model, method: str) -> float:
    """The best of some short runs; what is compiled or loaded before does not count."""
    runs = [
        run_to_end(chain, method, STEP, TIMED_STEPS * STEP, **options_of(TIMED_STEPS))
        for _ in range(ROUNDS)
    ]
    return min(run.statistics["seconds"] for run in runs) / TIMED_STEPS


def run_recorded(method: str, steps: int) -> Trajectory:
    return run_to_end(model(BODIES, 8), method, STEP, steps * STEP, **options_of(steps // 100))


def options_of(every: int) -> dict[str, Any]:
    return {"formulation": "free_bodies_quaternion", "save_every": every}


# ---- numbers -------------------------------------------------------------------------------------
def exponent(seconds: dict[int, float]) -> float:
    """The exponent of n in the time of a step, where n is large."""
    n = np.array([size for size in seconds if size >= MANY])
    return float(np.polyfit(np.log(n), np.log([seconds[size] for size in n]), 1)[0])


def largest_norm_errors(run: Trajectory) -> np.ndarray:
    """max |‖q‖² − 1| in time, of every body."""
    return np.abs(run.dataset["norm_error"].values).max(axis=0)


def numbers(result: Result) -> list[Row]:
    """Times of a step, their exponents in the numbers of particles and bodies, and norm errors."""
    rows = []
    for method, (label, _) in TIMED.items():
        rows += time_rows(label, result.by_particles[method], result.by_bodies[method])
    for name, run in result.kept.items():
        what = f"{KEPT[name][0]}: largest |‖q‖² − 1| of a body in {run.statistics['steps']} steps"
        rows.append(Row(what, float(largest_norm_errors(run).max()), 0.0, "exact"))
    return rows


def time_rows(label: str, by_particles: dict[int, float], by_bodies: dict[int, float]) -> list[Row]:
    """Times of a step and their exponents, of one method."""
    rows = []
    for n in (8, max(by_particles)):
        what = f"{label}: µs per step, {BODIES} bodies of {n} particles"
        rows.append(Row(what, 1e6 * by_particles[n], None, ""))
    n = max(by_bodies)
    what = f"{label}: µs per step, {n} bodies of {PARTICLES} particles"
    rows.append(Row(what, 1e6 * by_bodies[n], None, ""))
    what = f"{label}: exponent of n_p, from {MANY} on"
    rows.append(Row(what, exponent(by_particles), 2.0, "all pairs of neighbours"))
    what = f"{label}: exponent of bodies, from {MANY} on"
    rows.append(Row(what, exponent(by_bodies), 1.0, "linear"))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """Times by particles and by bodies, and norm errors per body."""
    figure, panels = new_figure([["particles", "bodies", "norm"]], (13, 4.6))
    particles = "particles per body, n_p"
    draw_times(panels["particles"], result.by_particles, particles, f"{BODIES} bodies")
    draw_times(panels["bodies"], result.by_bodies, "bodies", f"{PARTICLES} particles per body")
    draw_norms(panels["norm"], result.kept)
    figure.suptitle(f"Chain of discs, h = {STEP:g} s ({THESIS}, figs. 3.7–3.9)")
    return {"disc_chain": figure}


def draw_times(axes, seconds: dict[str, dict[int, float]], what: str, title: str) -> None:
    """Time of a step against the number of particles or bodies, by method."""
    for method, (label, color) in TIMED.items():
        found = seconds[method]
        name = f"{label}: {exponent(found):.2f}"
        times = [1e6 * value for value in found.values()]
        axes.loglog(list(found), times, "o-", color=color, ms=3.5, lw=1.0, label=name)
    axes.legend(loc="upper left", frameon=False)
    axes.grid(color=FAINT, lw=0.4)
    axes.set(xlabel=what, ylabel="µs per step")
    axes.set_title(f"{title}; exponents from {MANY} on", fontsize="medium")


def draw_norms(axes, kept: dict[str, Trajectory]) -> None:
    """The largest norm error of every body, by method."""
    for name, run in kept.items():
        label, color, mark = KEPT[name]
        worst = np.maximum(largest_norm_errors(run), SMALLEST)
        bodies = np.arange(1, len(worst) + 1)
        axes.semilogy(bodies, worst, mark, color=color, ms=5, label=label, fillstyle="none")
    axes.grid(axis="y", color=FAINT, lw=0.4)
    axes.set(xlabel="body (1 is clamped)", ylabel="largest |‖q‖² − 1|")
    steps = kept["gauss6"].statistics["steps"]
    axes.set_title(f"{BODIES} bodies of 8 particles, {steps} steps", fontsize="medium")
    axes.legend(loc="center", bbox_to_anchor=(0.5, 0.38), ncols=3, frameon=False, fontsize="small")


EXPERIMENT = Experiment(
    "disc_chain",
    "Chain of discs: time by particles and bodies, norms",
    f"{THESIS}, §3.5, figs. 3.7–3.9",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
