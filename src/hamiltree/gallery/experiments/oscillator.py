"""H = p²/2m + kq²/2: explicit Euler gains energy, implicit Euler and RK4 lose it, symplectic
methods keep it near its value.

The thesis, §2.1 and fig. 2.1: k = 4, m = 1 (kg, ERRATA 2-8), q(0) = 0, p(0) = 2, h = 0.01; exact:
q = sin 2t, p = 2 cos 2t, H = 2.
Euler-A is implicit in q, Störmer–Verlet is kick–drift–kick (ERRATA 2-43). The thesis prints no
numbers; a step of a linear problem is a matrix, so the reference is its power, with 40 digits.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from mpmath import eye, matrix, mpf, workdps

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, new_figure

K = 4.0
M = 1.0
ENERGY = 2.0
STEP = 0.01
STEPS = 10_000
COMPARED = (100, 1000, 10_000)  # steps
SHOWN = 20.0  # time of the panels in pairs
PAIRS = (("explicit_euler", "euler_a"), ("implicit_euler", "stormer_verlet"), ("rk4", "gauss6"))
LABELS = {
    "explicit_euler": "explicit Euler",
    "implicit_euler": "implicit Euler",
    "rk4": "RK4",
    "euler_a": "Euler-A",
    "stormer_verlet": "Störmer–Verlet",
    "gauss6": "Gauss6",
}


def problem() -> Hamiltonian:
    return hamiltonian(
        "p**2/(2*m) + k*q**2/2", q={"q": 0.0}, p={"p": 2.0}, k=K, m=M, name="oscillator"
    )


def run(quick: bool = False, progress: bool = True) -> dict[str, Trajectory]:
    """By method, every step recorded. It takes a second, so quick is the same."""
    oscillator = problem()
    jobs = {
        name: partial(run_to_end, oscillator, name, STEP, STEP * STEPS, save_every=1)
        for pair in PAIRS
        for name in pair
    }
    return run_jobs(jobs, "oscillator", progress)


# ---- numbers -------------------------------------------------------------------------------------
def step_matrix(method: str) -> Any:
    """(q, p) after a step, from the definition of the method: a polynomial or a fraction of Z = hA,
    or a product of shears.
    """
    numerator, denominator = STEP.as_integer_ratio()
    h = mpf(numerator) / denominator
    one = eye(2)
    Z = matrix([[0, h / mpf(M)], [-h * mpf(K), 0]])
    drift = matrix([[1, h / mpf(M)], [0, 1]])
    kick = matrix([[1, 0], [-h * mpf(K), 1]])
    half_kick = matrix([[1, 0], [-h * mpf(K) / 2, 1]])
    even = one + Z**2 / 10
    odd = Z / 2 + Z**3 / 120
    return {
        "explicit_euler": lambda: one + Z,
        "implicit_euler": lambda: (one - Z) ** -1,
        "rk4": lambda: one + Z + Z**2 / 2 + Z**3 / 6 + Z**4 / 24,
        "euler_a": lambda: kick * drift,
        "stormer_verlet": lambda: half_kick * drift * half_kick,
        "gauss6": lambda: (even - odd) ** -1 * (even + odd),  # the (3, 3) Padé approximant of exp
    }[method]()


def exact_steps(method: str, steps: int) -> tuple[float, float, float]:
    """q, p and H − H₀ after so many steps without rounding."""
    with workdps(40):
        state = step_matrix(method) ** steps * matrix([0, 2])
        q, p = state[0], state[1]
        return float(q), float(p), float(p**2 / (2 * mpf(M)) + mpf(K) * q**2 / 2 - ENERGY)


def numbers(runs: dict[str, Trajectory]) -> list[Row]:
    """q, p and H − H₀ beside those of exact arithmetic."""
    rows = []
    for method, result in runs.items():
        columns = {
            "q": result.q.values[:, 0],
            "p": result.p.values[:, 0],
            "H − H₀": result.energy_balance.values,
        }
        for steps in COMPARED:
            expected = exact_steps(method, steps)
            for (name, values), theirs in zip(columns.items(), expected, strict=True):
                what = f"{LABELS[method]}, {steps} steps: {name}"
                rows.append(Row(what, float(values[steps]), theirs, "exact steps"))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(runs: dict[str, Trajectory]) -> dict[str, Any]:
    """Pairs with the same axes, and all six together on a logarithmic scale."""
    layout = [[*pair, "error"] for pair in PAIRS]
    figure, panels = new_figure(layout, (12.5, 7.0), width_ratios=[1, 1, 1.35])
    for left, right in PAIRS:
        panels[right].sharey(panels[left])
        for method, color in ((left, ACCENT), (right, INK)):
            draw_energy(panels[method], runs[method], LABELS[method], color)
        panels[left].set_ylabel("H − H₀ / J")
        panels[right].tick_params(labelleft=False)
    for method in PAIRS[-1]:
        panels[method].set_xlabel("t / s")
    for method, heading in (("explicit_euler", "not symplectic"), ("euler_a", "symplectic")):
        panels[method].set_title(f"{heading}\n", loc="left", fontweight="bold", fontsize="medium")
    draw_errors(panels["error"], runs)
    figure.suptitle(f"Harmonic oscillator, H₀ = 2 J, h = {STEP:g} s ({THESIS}, fig. 2.1)")
    return {"oscillator": figure}


def draw_energy(axes, result: Trajectory, label: str, color: str) -> None:
    shown = result.t.values <= SHOWN
    change = result.energy.values[shown] - result.energy.values[0]
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(result.t.values[shown], change, color=color, lw=0.9)
    axes.set_title(f"{label}, largest {np.abs(change).max():.2g} J", loc="right", fontsize="medium")


def draw_errors(axes, runs: dict[str, Trajectory]) -> None:
    """The largest |H − H₀| so far: a line for a method that drifts, a level for one that does
    not.
    """
    for method, result in runs.items():
        symplectic = method in dict(PAIRS).values()
        worst = np.maximum.accumulate(np.abs(result.energy.values - result.energy.values[0]))
        color = INK if symplectic else ACCENT
        axes.loglog(result.t.values, np.where(worst > 0, worst, np.nan), color=color, lw=1.3)
        end = (result.t.values[-1], worst[-1])
        axes.annotate(
            LABELS[method], end, xytext=(4, 0), textcoords="offset points", color=color, va="center"
        )
    axes.set_xlabel("t / s")
    axes.set_ylabel("largest |H − H₀| so far / J")


EXPERIMENT = Experiment(
    "oscillator",
    "Harmonic oscillator: who keeps the energy",
    f"{THESIS}, §2.1, fig. 2.1",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
