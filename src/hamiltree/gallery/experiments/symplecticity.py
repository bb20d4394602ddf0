"""Is Euler-A symplectic with λ put in? The thesis, §3.4.2, (3.40)–(3.45); ERRATA 2-28, 2-29.

A map y → y⁺ of y = (q, g) is symplectic if its Jacobian M has MᵀJM = J; on a constraint, if that
holds along its tangent space. The thesis concludes from ‖q‖² = 1 + O(h²) that q·dq = 0, and that
q·dq ∧ dλ drops out of (3.45). Neither does: with λ = −½ q·V_q put in, the equations are not
canonical in R⁸, and a step of Euler-A leaves the sphere, so that its map has a defect along the
tangent space as well, of the order h³ in one step. Gauss6 has it too, of the order h⁷; what has
none is the form without a multiplier. M is found by central differences of one step.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.heavy_top import ASYMMETRIC
from hamiltree.gallery.experiments.unit_norm import (
    full_quaternion_matrix,
    name_components,
    thesis_hamiltonian,
)
from hamiltree.gallery.figures import legend_above
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.rotations import rate_matrix
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

STEPS = (0.08, 0.04, 0.02, 0.01, 0.005)
QUICK_STEPS = (0.02, 0.01)
COMPARED = 0.02  # s: the step whose defects are printed
DIFFERENCE = 1e-3  # of q and of g/|g|, by differences of order six
WEIGHTS = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}
FLOOR = 1e-13
CANONICAL = np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(4))


class Case(NamedTuple):
    """A form of the equations, a method, and where its defect is measured."""

    label: str
    has_multiplier: bool
    integrator: str
    is_tangential: bool
    color: str
    style: str


CASES = (
    Case("λ put in, Euler-A: R⁸", True, "euler_a", False, ACCENT, "s--"),
    Case("λ put in, Euler-A: tangent space", True, "euler_a", True, ACCENT, "o-"),
    Case("λ put in, Gauss6: tangent space", True, "gauss6", True, SOFT, "o-"),
    Case("no multiplier, Euler-A: R⁸", False, "euler_a", False, INK, "s--"),
    Case("no multiplier, Gauss6: R⁸", False, "gauss6", False, INK, "o-"),
)


@cache
def free_hamiltonian() -> Hamiltonian:
    """T = ⅛ (Lg)ᵀJ⁻¹Lg, V = mgl R₃₃ of A(q)/‖q‖²: canonical as it is."""
    import sympy as sp

    q, g = (sp.Matrix(sp.symbols(f"{letter}0:4")) for letter in "qg")
    momenta_in_body = list(full_quaternion_matrix(q) * g)[1:]
    T: Any = sum(pi**2 / J for pi, J in zip(momenta_in_body, ASYMMETRIC.inertia, strict=True)) / 8
    V = ASYMMETRIC.moment * (q.T * sp.diag(1, -1, -1, 1) * q)[0] / (q.T * q)[0]
    start = initial_state()
    return hamiltonian(
        T + V,
        q=name_components("q", start[:4]),
        p=name_components("g", start[4:]),
        name="no multiplier",
    )


def initial_state() -> np.ndarray:
    """(q, g) of the asymmetric top, ‖q‖ = 1 and q·g = 0."""
    q = np.array(ASYMMETRIC.q)
    spin = np.array(ASYMMETRIC.inertia) * ASYMMETRIC.omega
    return np.concatenate([q, 2.0 * rate_matrix(q).T @ spin])


# ---- one step, and its Jacobian ------------------------------------------------------------------
def step_from(y: np.ndarray, has_multiplier: bool, integrator: str, h: float) -> np.ndarray:
    """(q, g) after one step; the system with λ has w = z = 0 beside them."""
    zeros = np.zeros(4)
    if has_multiplier:
        start = {"q": np.concatenate([y[:4], zeros]), "p": np.concatenate([zeros, y[4:]])}
        run = run_to_end(thesis_hamiltonian(), integrator, h, h, save_every=1, **start)
        return np.concatenate([run.q.values[-1, :4], run.p.values[-1, 4:]])
    start = {"q": y[:4], "p": y[4:]}
    run = run_to_end(free_hamiltonian(), integrator, h, h, save_every=1, **start)
    return np.concatenate([run.q.values[-1], run.p.values[-1]])


def jacobian(has_multiplier: bool, integrator: str, h: float) -> np.ndarray:
    """M = ∂y⁺/∂y by central differences of order six."""
    y = initial_state()
    scale = np.repeat(np.array([1.0, np.linalg.norm(y[4:])]), 4)
    columns = []
    for e in np.diag(DIFFERENCE * scale):
        ends = [
            weight * step_from(y + k * e, has_multiplier, integrator, h)
            for k, weight in WEIGHTS.items()
        ]
        columns.append(np.sum(ends, axis=0) / e.sum())
    return np.array(columns).T


def tangent_space(y: np.ndarray) -> np.ndarray:
    """(8, 6) orthonormal columns on which q·dq = 0 and g·dq + q·dg = 0."""
    q, g = y[:4], y[4:]
    normals = np.array([np.concatenate([q, np.zeros(4)]), np.concatenate([g, q])])
    return np.linalg.svd(normals)[2][2:].T


def defect(M: np.ndarray, is_tangential: bool) -> float:
    """‖MᵀJM − J‖ (spectral norm, SI units), on all of R⁸ or on the tangent space at the start."""
    found = M.T @ CANONICAL @ M - CANONICAL
    if is_tangential:
        T = tangent_space(initial_state())
        found = T.T @ found @ T
    return float(np.linalg.norm(found, 2))


Defects = dict[str, dict[float, float]]  # by case and step


def run(quick: bool = False, progress: bool = True) -> Defects:
    """Defects of all cases, in two steps or in five."""
    steps = QUICK_STEPS if quick else STEPS
    forms = sorted({(case.has_multiplier, case.integrator) for case in CASES})
    jobs = {
        name_of(has, integrator, h): partial(jacobian, has, integrator, h)
        for has, integrator in forms
        for h in steps
    }
    found = run_jobs(jobs, "symplecticity", progress)
    return {
        case.label: {
            h: defect(found[name_of(case.has_multiplier, case.integrator, h)], case.is_tangential)
            for h in steps
        }
        for case in CASES
    }


def name_of(has_multiplier: bool, integrator: str, h: float) -> str:
    return f"{integrator} {'with' if has_multiplier else 'without'} λ, h = {h:g}"


# ---- numbers -------------------------------------------------------------------------------------
def slope(defects: dict[float, float]) -> float:
    """The exponent of h, where the step is short."""
    short = {h: value for h, value in defects.items() if h <= COMPARED}
    return float(np.polyfit(np.log(list(short)), np.log(list(short.values())), 1)[0])


def numbers(found: Defects) -> list[Row]:
    """Defects at one step, and the order of that of Euler-A along the constraint."""
    claimed = "the thesis, (3.45)"
    rows = []
    for case in CASES:
        whose = claimed if case.has_multiplier else "exact"
        what = f"{case.label}: ‖MᵀJM − J‖, h = {COMPARED:g} s"
        rows.append(Row(what, found[case.label][COMPARED], 0.0, whose))
    tangential = CASES[1].label
    rows.append(Row(f"{tangential}: order in h", slope(found[tangential]), None, ""))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(found: Defects) -> dict[str, Any]:
    """The defect over the step, by case."""
    figure, panels = new_figure([["defect"]], (8.5, 5.6))
    axes = panels["defect"]
    for case in CASES:
        steps, values = list(found[case.label]), list(found[case.label].values())
        values = np.maximum(values, FLOOR)
        axes.plot(steps, values, case.style, color=case.color, lw=1.0, ms=4, label=case.label)
    h = np.array(list(found[CASES[0].label]))
    axes.plot(h, 10.0 * h**3, ":", color=FAINT, lw=1.2, label="slope 3", zorder=0)
    axes.set(xlabel="step / s", ylabel="‖MᵀJM − J‖ of one step", xscale="log", yscale="log")
    axes.set_xticks(h, [f"{step:g}" for step in h])
    axes.minorticks_off()
    legend_above(axes, 2, fontsize="small")
    figure.suptitle(f"Is a step symplectic? ({THESIS}, (3.45), says that all are)")
    return {"symplecticity": figure}


EXPERIMENT = Experiment(
    "symplecticity",
    "Symplecticity with a multiplier put in",
    f"{THESIS}, §3.4.2, (3.40)–(3.45)",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
