"""What an adaptive Runge–Kutta method does to the energy: the thesis, §1.2, which says without a
figure that H blows up in long runs of ode45.

That program is the pair of Dormand and Prince, 5(4), with the tolerances 1e-3 (relative) and 1e-6
(absolute) unless told otherwise; here dormand_prince5 with the same tolerances. Its controller and
norm of errors are not the same, so only the kind of error is compared. An oscillator and a chain
lose or gain energy at a steady rate; Kepler's orbit shrinks until it meets the singularity. Gauss6
with steps of a fixed length keeps H. Smaller tolerances make the drift smaller, and leave it one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments import kepler, oscillator, tetrahedra
from hamiltree.gallery.figures import legend_above
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

DEFAULTS = {"rtol": 1e-3, "atol": 1e-6}  # of that program
TIGHT = {"rtol": 1e-6, "atol": 1e-9}
FLOOR = 1e-16


class Problem(NamedTuple):
    label: str
    make: Callable[[], Any]
    until: float
    sample: float
    step: float  # of Gauss6
    unit: str = ""
    options: tuple[tuple[str, str], ...] = ()


PROBLEMS = {
    "oscillator": Problem("oscillator (2.1)", oscillator.problem, 2000.0, 1.0, 0.5),
    "kepler": Problem("Kepler, e = 0.6 (2.3)", kepler.problem, 200.0, 0.1, 0.1),
    "chain": Problem(
        "tetrahedra, c1–c1 (3.5)",
        partial(tetrahedra.chain, "c1c1"),
        20.0,
        0.02,
        5e-3,
        " / J",
        (("formulation", "free_bodies_quaternion"),),
    ),
}
METHODS = {
    "as ode45": ({"integrator": "dormand_prince5", **DEFAULTS}, ACCENT),
    "tolerances / 1000": ({"integrator": "dormand_prince5", **TIGHT}, SOFT),
    "Gauss6": ({"integrator": "gauss6"}, INK),
}
Runs = dict[str, dict[str, Trajectory]]


def run(quick: bool = False, progress: bool = True) -> Runs:
    """Every problem with every method; it takes seconds, so quick is the same."""
    jobs = {}
    for name, problem in PROBLEMS.items():
        for method, (options, _) in METHODS.items():
            is_fixed = method == "Gauss6"
            step = problem.step if is_fixed else problem.sample
            every = round(problem.sample / step) if is_fixed else 1
            jobs[f"{name}, {method}"] = partial(
                run_to_end,
                problem.make(),
                step=step,
                until=problem.until,
                save_every=max(every, 1),
                **options,
                **dict(problem.options),
            )
    found = run_jobs(jobs, "energies", progress)
    return {name: {method: found[f"{name}, {method}"] for method in METHODS} for name in PROBLEMS}


def energy_change(run: Trajectory) -> np.ndarray:
    return run.energy.values - run.energy.values[0]


# ---- numbers -------------------------------------------------------------------------------------
def numbers(runs: Runs) -> list[Row]:
    """H − H₀ at the end, with the calls that it took."""
    rows = []
    for name, problem in PROBLEMS.items():
        for method in METHODS:
            found = runs[name][method]
            what = f"{problem.label}, {method}: H − H₀ at t = {problem.until:g}{problem.unit}"
            note = f"H₀ = {float(found.energy[0]):.4g}, {found.statistics['calls']} calls"
            rows.append(Row(what, float(energy_change(found)[-1]), 0.0, "exact", note))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(runs: Runs) -> dict[str, Any]:
    """H − H₀ by time, and its size on a logarithmic axis; Kepler's orbit."""
    layout = [[*PROBLEMS], [f"{name} size" for name in PROBLEMS]]
    figure, panels = new_figure(layout, (12.5, 6.6))
    for name, problem in PROBLEMS.items():
        for method, (_, color) in METHODS.items():
            t, change = runs[name][method].t.values, energy_change(runs[name][method])
            panels[name].plot(t, change, color=color, lw=0.9, label=method)
            size = np.maximum(np.abs(change[1:]), FLOOR)
            panels[f"{name} size"].plot(t[1:], size, color=color, lw=0.7)
        panels[name].axhline(0.0, color=FAINT, lw=0.8, zorder=0)
        panels[name].set(xlabel="t", ylabel=f"H − H₀{problem.unit}")
        panels[name].set_title(problem.label, loc="left", fontsize="medium")
        panels[f"{name} size"].set(
            xlabel="t", ylabel=f"|H − H₀|{problem.unit}", yscale="log", ylim=(FLOOR, 100.0)
        )
    legend_above(panels["chain"], 1, fontsize="small")
    figure.suptitle(
        f"Dormand–Prince 5(4) with tolerances 1e-3 and 1e-6, as ode45 has them ({THESIS}, §1.2; no "
        "figure there)"
    )
    return {"adaptive_energy": figure}


EXPERIMENT = Experiment(
    "adaptive_energy",
    "Energy of an adaptive method, as of ode45",
    f"{THESIS}, §1.2",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
