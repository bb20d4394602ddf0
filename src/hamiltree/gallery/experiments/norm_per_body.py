"""‖q‖² − 1 of every body of a chain: the thesis, fig. 3.9, by more than one method.

The chain is that of eight tetrahedra, clamped and pulled (tetrahedra.py). The discs of the thesis
are pulled by about a hundred times what their bonds bear (ERRATA 2-36): they part and turn no more.
"λ put in" is the form of the thesis, free_bodies_quaternion_thesis.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.tetrahedra import chain
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import new_figure, series_color

STEP = 0.01  # that of methods of the second order is shorter: their energy would be off by 1 %
UNTIL = 6.0
QUICK_UNTIL = 1.0
FLOOR = 1e-17  # what is drawn of less


class Scheme(NamedTuple):
    formulation: str
    integrator: str
    is_exact: bool = True  # ‖q‖ is kept but for rounding
    is_quick: bool = True  # also in a quick run
    parts: int = 1  # steps in each of STEP
    options: tuple[tuple[str, float], ...] = ()


SCHEMES = {
    "Gauss6": Scheme("free_bodies_quaternion", "gauss6"),
    "Sun–Geng 5": Scheme("free_bodies_quaternion", "sun_geng5"),
    "midpoint": Scheme("free_bodies_quaternion", "implicit_midpoint", parts=4),
    "splitting4": Scheme("free_bodies_quaternion", "splitting4"),
    "SPARK4": Scheme("free_bodies_quaternion", "spark4", is_quick=False),
    "RATTLE, RᵀR − 1": Scheme("free_bodies_rotation", "rattle", parts=4),
    "Störmer–Verlet": Scheme("free_bodies_quaternion", "stormer_verlet", is_exact=False, parts=4),
    "Gauss6, λ put in": Scheme(
        "free_bodies_quaternion_thesis",
        "gauss6",
        is_exact=False,
        is_quick=False,
        options=(("fictitious_inertia", 1.0),),  # kg m²
    ),
}


def run(quick: bool = False, progress: bool = True) -> dict[str, Trajectory]:
    """The chain c1–c2 with every scheme, saved at the same times."""
    model = chain("c1c2")
    until = QUICK_UNTIL if quick else UNTIL
    chosen = {label: s for label, s in SCHEMES.items() if s.is_quick or not quick}
    jobs = {
        label: partial(
            run_to_end,
            model,
            step=STEP / scheme.parts,
            until=until,
            save_every=scheme.parts,
            integrator=scheme.integrator,
            formulation=scheme.formulation,
            **dict(scheme.options),
        )
        for label, scheme in chosen.items()
    }
    return run_jobs(jobs, "norms of eight bodies", progress)


def by_body(run: Trajectory) -> np.ndarray:
    """(body,) the largest |‖q‖² − 1|, or entry of RᵀR − 1."""
    return np.abs(run.dataset["norm_error"].values).max(axis=0)


def numbers(runs: dict[str, Trajectory]) -> list[Row]:
    """The largest norm error of each scheme, and the body that has it."""
    rows = []
    for label, found in runs.items():
        errors = by_body(found)
        worst = int(errors.argmax())
        steps = round(float(found.t[-1]) / STEP) * SCHEMES[label].parts
        what = f"{label}: largest |‖q‖² − 1| in {steps} steps (body {worst + 1})"
        expected = (0.0, "exact") if SCHEMES[label].is_exact else (None, "")
        rows.append(Row(what, float(errors[worst]), *expected))
    return rows


def figures(runs: dict[str, Trajectory]) -> dict[str, Any]:
    """By body on the left, by time of all bodies on the right."""
    figure, panels = new_figure([["body", "time"]], (12.0, 5.2), sharey=True)
    for number, (label, found) in enumerate(runs.items()):
        color = series_color(number, len(runs))
        bodies = np.arange(2, 9)
        errors = np.maximum(by_body(found)[1:], FLOOR)
        panels["body"].plot(bodies, errors, "o-", color=color, lw=0.9, ms=4, label=label)
        largest = np.abs(found.dataset["norm_error"].values).max(axis=1)
        panels["time"].plot(found.t.values[1:], np.maximum(largest[1:], FLOOR), color=color, lw=0.7)
    panels["body"].set(
        xlabel="body (the first is clamped)",
        ylabel="largest |‖q‖² − 1|",
        yscale="log",
        ylim=(FLOOR, 1.0),
    )
    panels["time"].set(xlabel="t / s", ylabel="that of the worst body")
    panels["body"].set_xticks(range(2, 9))
    figure.legend(
        *panels["body"].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=len(runs) // 2,
        frameon=False,
    )
    figure.suptitle(
        f"Norms of quaternions in a chain of eight tetrahedra, h = {STEP:g} s, of the "
        f"second order {STEP / 4:g} s ({THESIS}, fig. 3.9)"
    )
    return {"norm_per_body": figure}


EXPERIMENT = Experiment(
    "norm_per_body",
    "Norms of the quaternions of a chain",
    f"{THESIS}, §3.5, fig. 3.9",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
