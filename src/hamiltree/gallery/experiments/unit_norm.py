"""Does an integrator keep ‖q‖ = 1? The seed's form with a multiplier expression, and the one
without: seed 002, fig. 3.3, §3.4.1.

The source puts λ = −½ q·∂V/∂q into Hamilton's equations and finds ‖q‖² − 1 of second order for all
methods. Coded as printed it is of the order of the method (ERRATA 2-26), and it grows in time,
ẍ ≈ (q·V_q/2J₀) x of x = ‖q‖² − 1 (ERRATA 2-25). With 1/J₀ = 0 and V homogeneous of degree zero
(free_bodies_quaternion) ‖q‖² is a quadratic first integral, which symplectic Runge–Kutta methods
keep to
rounding.

With λ put in, ẏ = f(y), y = (q, g), is not canonical. It is half of a system that is:
H = z · f_q(q, g) − w · f_g(q, g) with pairs (q, z) and (w, g) has q̇ = f_q and ġ = f_g, and
z = w = 0 stay. A method that treats positions and momenta in two ways treats q and g so.
(free_bodies_quaternion_thesis is the same for pair forces; typed in, the top's form needs no other
program and is a check of it.)
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import StepError
from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.heavy_top import ASYMMETRIC, ASYMMETRIC_END, model_of
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.rotations import rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import FAINT, new_figure, series_color

OTHER, SPARE = "other code", 1.0  # J₀
STEPS = (25, 50, 100, 200)  # in one second
LONG_STEP, LONG = 0.04, 20.0
FLOOR = 1e-16  # what is drawn of less
ROUNDING = 2e-14  # no order shows below


class Method(NamedTuple):
    """Its name, the slope of its norm that ERRATA 2-26 has, and where known max |‖q‖² − 1| in 25,
    50 and 100 steps: other code.
    """

    label: str
    slope: float
    drifts: tuple[float, float, float] | None = None
    finer: int = 1  # times STEPS

    @property
    def counts(self) -> list[int]:
        return [self.finer * n for n in STEPS]


METHODS = {
    "euler_b": Method("Euler-B", 0.94, finer=16),
    "implicit_midpoint": Method(
        "midpoint", 1.98, (0.04771257717991817, 0.012659318009626941, 0.0032148343202355045)
    ),
    "stormer_verlet": Method(
        "Störmer–Verlet",
        2.01,
        (0.0001319918960687172, 3.194004243156634e-05, 7.948015240621942e-06),
    ),
    "gauss4": Method("Gauss4", 3.99),
    "sun_geng5": Method("Sun–Geng 5", 5.06),
    "gauss6": Method(
        "Gauss6", 5.99, (3.9675256857663044e-08, 6.221514414761486e-10, 9.724443472691746e-12)
    ),
}
KEEPING = ("implicit_midpoint", "gauss4", "sun_geng5", "gauss6")


class Result(NamedTuple):
    """max |‖q‖² − 1| by method, in STEPS; and by time: (t, ‖q‖² − 1) by what is drawn."""

    seed: dict[str, list[float]]
    free: dict[str, list[float]]
    in_time: dict[str, tuple[np.ndarray, np.ndarray]]
    attitude: float  # ‖R − R_exact‖ of Gauss6 in the seed's form after 100 steps


# ---- the seed's form -----------------------------------------------------------------------------
@cache
def thesis_hamiltonian() -> Hamiltonian:
    """T = ⅛ Σ π²/Ĵ, π = Ĝ(q)g; V = mgl R₃₃ by the homogeneous R(q); λ = −½ q·V_q = −V (ERRATA 2-17,
    2-18, 2-24).
    """
    import sympy as sp

    q, w, z, g = (sp.Matrix(sp.symbols(f"{letter}0:4")) for letter in "qwzg")
    T: Any = (
        sum(
            pi**2 / moment
            for pi, moment in zip(
                full_quaternion_matrix(q) * g, (SPARE, *ASYMMETRIC.inertia), strict=True
            )
        )
        / 8
    )
    V: Any = ASYMMETRIC.moment * (q.T * sp.diag(1, -1, -1, 1) * q)[0]
    multiplier = -(q.T * V.diff(q))[0] / 2
    f_q, f_g = T.diff(g), -T.diff(q) - V.diff(q) - 2 * multiplier * q
    start = np.array(ASYMMETRIC.q)
    momenta = (
        2.0 * quaternion_rate_matrix(start).T @ (np.array(ASYMMETRIC.inertia) * ASYMMETRIC.omega)
    )
    return hamiltonian(
        (z.T * f_q)[0] - (w.T * f_g)[0],
        q={**name_components("q", start), **name_components("w", np.zeros(4))},
        p={**name_components("z", np.zeros(4)), **name_components("g", momenta)},
        name="seed's form",
    )


def full_quaternion_matrix(q: Any) -> Any:
    """Ĝ(q): qᵀ above L(q)."""
    import sympy as sp

    a, b, c, d = q
    return sp.Matrix([[a, b, c, d], [-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])


def quaternion_rate_matrix(q: np.ndarray) -> np.ndarray:
    """L(q): ω = 2 L q̇ in body axes."""
    a, b, c, d = q
    return np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])


def name_components(letter: str, values: np.ndarray) -> dict[str, float]:
    return {f"{letter}{k}": float(x) for k, x in enumerate(values)}


# ---- runs ----------------------------------------------------------------------------------------
def run(quick: bool = False, progress: bool = True) -> Result:
    top, jobs = model_of(ASYMMETRIC), {}
    for method, about in METHODS.items():
        for n in about.counts:
            jobs[f"seed, {method}, {n}"] = partial(
                run_to_end, thesis_hamiltonian(), method, 1.0 / n, 1.0, save_every=1
            )
            jobs[f"free, {method}, {n}"] = partial(
                run_to_end,
                top,
                method,
                1.0 / n,
                1.0,
                formulation="free_bodies_quaternion",
                save_every=1,
            )
    found: dict[str, Trajectory] = run_jobs(jobs, "norms", progress)
    until = LONG if quick else 5 * LONG
    longer = {
        f"λ put in, Gauss6, h = {LONG_STEP:g} s": partial(run_until_collapse, integrator="gauss6"),
        "λ put in, DOP853, tolerance 1e-12": partial(
            run_until_collapse, integrator="dop853", rtol=1e-12, atol=1e-12
        ),
        f"no multiplier, Gauss6, h = {LONG_STEP:g} s": partial(
            run_to_end,
            top,
            "gauss6",
            LONG_STEP,
            until,
            formulation="free_bodies_quaternion",
            save_every=1,
        ),
    }
    return Result(
        {
            method: [worst(found[f"seed, {method}, {n}"]) for n in about.counts]
            for method, about in METHODS.items()
        },
        {
            method: [worst(found[f"free, {method}, {n}"]) for n in about.counts]
            for method, about in METHODS.items()
        },
        {
            label: (run.t.values, norm(run))
            for label, run in run_jobs(longer, "norms in time", progress).items()
        },
        attitude(found["seed, gauss6, 100"]),
    )


def run_until_collapse(integrator: str, **options: Any) -> Trajectory:
    """The seed's form until ‖q‖ has collapsed, and the method with it."""
    try:
        return run_to_end(
            thesis_hamiltonian(), integrator, LONG_STEP, LONG, save_every=1, **options
        )
    except StepError as error:
        if error.trajectory is None:
            raise
        return error.trajectory


def norm(run: Trajectory) -> np.ndarray:
    """‖q‖² − 1 of every sample, as the method leaves it."""
    if "norm_error" in run.dataset:
        return run.dataset["norm_error"].values[:, 0]
    return (run.q.values[:, :4] ** 2).sum(axis=1) - 1.0


def worst(run: Trajectory) -> float:
    return float(np.abs(norm(run)).max())


def attitude(run: Trajectory) -> float:
    q = run.q.values[-1, :4]
    return float(
        np.linalg.norm(
            rotation_matrix(q / np.linalg.norm(q)) - rotation_matrix(np.array(ASYMMETRIC_END))
        )
    )


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    rows = []
    for name, method in METHODS.items():
        note = "the source says 2 for all of them"
        rows.append(
            Row(
                f"λ put in, {method.label}: order of ‖q‖² − 1",
                slope(result.seed[name]),
                method.slope,
                OTHER,
                note,
            )
        )
    for name, method in METHODS.items():
        for n, drift, theirs in zip(STEPS, result.seed[name], method.drifts or (), strict=False):
            rows.append(
                Row(
                    f"λ put in, {method.label}: largest |‖q‖² − 1|, {n} steps", drift, theirs, OTHER
                )
            )
    rows.append(
        Row(
            "λ put in, Gauss6: ‖R − R_exact‖ at t = 1 s, 100 steps",
            result.attitude,
            8.729861685574426e-11,
            OTHER,
        )
    )
    for name, method in METHODS.items():
        what = f"no multiplier, {method.label}: largest |‖q‖² − 1|, {method.counts[0]} steps"
        rows.append(
            Row(
                what,
                result.free[name][0],
                0.0 if name in KEEPING else None,
                "exact" if name in KEEPING else "",
            )
        )
    rows.append(
        Row(
            "no multiplier, Störmer–Verlet: order of ‖q‖² − 1",
            slope(result.free["stormer_verlet"]),
            2.0,
            "METHODS 2",
        )
    )
    return [*rows, *rows_in_time(result)]


def rows_in_time(result: Result) -> list[Row]:
    """How far the norm has gone; of the collapse what is left of ‖q‖²."""
    gauss, dop, free = result.in_time
    t, x = result.in_time[dop]
    reached = float(np.abs(x[int(np.abs(t - 10.0).argmin())]))
    t, y = result.in_time[free]
    return [
        Row(
            f"{dop}: |‖q‖² − 1| at t = 10 s",
            reached,
            3e-2,
            OTHER,
            "the seed is rounding, so only its magnitude means something",
        ),
        Row(
            f"{gauss}: least ‖q‖² to t = {LONG:g} s",
            float(1.0 + result.in_time[gauss][1].min()),
            0.0,
            OTHER,
        ),
        Row(f"{free}: largest |‖q‖² − 1| to t = {t[-1]:g} s", float(np.abs(y).max()), 0.0, "exact"),
    ]


def slope(drifts: list[float]) -> float:
    """Of log drift over log h, where it is above rounding."""
    kept = np.array(drifts) > ROUNDING
    return float(-np.polyfit(np.log(np.array(STEPS)[kept]), np.log(np.array(drifts)[kept]), 1)[0])


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """The error over the step in both forms, and over time."""
    figure, panels = new_figure(
        [["seed", "free"], ["time", "time"]], (11.0, 9.0), height_ratios=[1.3, 1.0]
    )
    draw_orders(panels["seed"], result.seed)
    panels["seed"].set_title("λ = −½ q·∂V/∂q put in (fig. 3.3)", loc="left", fontsize="medium")
    draw_orders(panels["free"], result.free)
    panels["free"].set_title(
        "no multiplier: 1/J₀ = 0, V of degree zero", loc="left", fontsize="medium"
    )
    panels["free"].sharey(panels["seed"])
    for number, (label, (t, values)) in enumerate(result.in_time.items()):
        panels["time"].plot(
            t, np.maximum(np.abs(values), FLOOR), color=series_color(number, 3), lw=0.9, label=label
        )
    panels["time"].set(
        xlabel="t / s",
        ylabel="|‖q‖² − 1|",
        yscale="log",
        ylim=(0.5 * FLOOR, 10.0),
        xlim=(0.0, LONG),
    )
    panels["time"].legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=3,
        frameon=False,
        borderaxespad=0.1,
        columnspacing=1.2,
    )
    figure.suptitle(
        f"Unit quaternions of a heavy asymmetric top ({THESIS}, §3.4.1: “up to second order only” "
        "for all of them)"
    )
    return {"unit_norm": figure}


def draw_orders(axes, drifts: dict[str, list[float]]) -> None:
    """Points by method; the slope beside the name where there is one, and a line of slope 2 for
    comparison.
    """
    for number, (name, method) in enumerate(METHODS.items()):
        values, is_above = drifts[name], drifts[name][0] > ROUNDING
        label = f"{method.label}, {slope(values):.2f}" if is_above else f"{method.label}, rounding"
        axes.plot(
            1.0 / np.array(method.counts),
            np.maximum(values, FLOOR),
            "o-",
            color=series_color(number, len(METHODS)),
            lw=1.0,
            ms=4,
            label=label,
        )
    h = 1.0 / np.array([25, 100, 400, 1600])
    axes.plot(h, 3e-3 * (h / h[0]) ** 2, "--", color=FAINT, lw=1.0, label="slope 2", zorder=0)
    axes.set(
        xlabel="step / s",
        ylabel="largest |‖q‖² − 1| to t = 1 s",
        xscale="log",
        yscale="log",
        ylim=(0.5 * FLOOR, 10.0),
    )
    axes.set_xticks(h, [f"1/{round(1 / step)}" for step in h])
    axes.minorticks_off()
    axes.legend(loc="lower left", frameon=False, fontsize="small")


EXPERIMENT = Experiment(
    "unit_norm",
    "Norm of quaternions against the step",
    f"{THESIS}, §3.4.1, fig. 3.3",
    run,
    numbers,
    figures,
)
