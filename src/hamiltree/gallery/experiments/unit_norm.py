"""Does an integrator keep ‖q‖ = 1 and q·g = 0? The thesis's form with a multiplier, and the form
without: the thesis, fig. 3.3, §3.4.1, (3.38), (3.39).

The thesis puts λ = −½ q·∂V/∂q into Hamilton's equations and finds ‖q‖² − 1 of second order for all
methods, and q·g = O(h²) of Euler-B, which is so for one step. Coded as printed both are of the
order of the method (ERRATA 2-26, 2-27), and they grow in time, ẍ ≈ (q·V_q/2J₀) x of x = ‖q‖² − 1
(ERRATA 2-25). With 1/J₀ = 0 and V homogeneous of degree zero (free_bodies_quaternion) ‖q‖² and q·g
are quadratic first integrals, which symplectic Runge–Kutta methods keep to rounding; q·g is
bilinear, so Euler-B and Störmer–Verlet keep it too.

With λ put in, ẏ = f(y), y = (q, g), is not canonical. It is half of a system that is:
H = z · f_q(q, g) − w · f_g(q, g) with pairs (q, z) and (w, g) has q̇ = f_q and ġ = f_g, and
z = w = 0 stay zero. A method that treats positions and momenta differently treats q and g so.
(free_bodies_quaternion_thesis is the same for pair forces; the expression here is an independent
check of it.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import StepError
from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.heavy_top import ASYMMETRIC, ASYMMETRIC_END, model_of
from hamiltree.gallery.figures import legend_above
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.rotations import rate_matrix, rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import FAINT, new_figure, series_color

OTHER = "other code"
FICTITIOUS_INERTIA = 1.0  # J₀
STEPS = (25, 50, 100, 200)  # in one second
LONG_STEP = 0.04
LONG = 20.0
FREE = "free_bodies_quaternion"
FLOOR = 1e-16  # smaller values are drawn here
ROUNDING = 2e-14  # no order shows below


class Method(NamedTuple):
    """Its name, the slope of its norm that ERRATA 2-26 has, and where known max |‖q‖² − 1| and
    max |q·g| (N m s) in 25, 50 and 100 steps: other code.
    """

    label: str
    slope: float
    drifts: tuple[float, float, float] | None = None
    radials: tuple[float, float, float] | None = None
    finer: int = 1  # times STEPS

    @property
    def counts(self) -> list[int]:
        return [self.finer * n for n in STEPS]


METHODS = {
    "euler_b": Method("Euler-B", 0.94, finer=16),
    "implicit_midpoint": Method(
        "midpoint",
        1.98,
        (0.04771257717991817, 0.012659318009626941, 0.0032148343202355045),
        (0.13582708062401183, 0.03558630287462616, 0.009002329997256808),
    ),
    "stormer_verlet": Method(
        "Störmer–Verlet",
        2.01,
        (0.0001319918960687172, 3.194004243156634e-05, 7.948015240621942e-06),
        (0.00011281641746929694, 2.6976661137823044e-05, 6.667553616779287e-06),
    ),
    "gauss4": Method("Gauss4", 3.99),
    "sun_geng5": Method("Sun–Geng 5", 5.06),
    "gauss6": Method(
        "Gauss6",
        5.99,
        (3.9675256857663044e-08, 6.221514414761486e-10, 9.724443472691746e-12),
        (9.223078123454798e-08, 1.444941055694926e-09, 2.2598811710849986e-11),
    ),
}
ORDERS = {
    **{"euler_b": 1, "implicit_midpoint": 2, "stormer_verlet": 2},
    **{"gauss4": 4, "sun_geng5": 5, "gauss6": 6},
}
KEEPING = ("implicit_midpoint", "gauss4", "sun_geng5", "gauss6")


class Result(NamedTuple):
    """max |‖q‖² − 1| and max |q·g| by method, in STEPS; and by time: (t, ‖q‖² − 1) by what is
    drawn.
    """

    thesis: dict[str, list[float]]
    free: dict[str, list[float]]
    thesis_radial: dict[str, list[float]]
    free_radial: dict[str, list[float]]
    in_time: dict[str, tuple[np.ndarray, np.ndarray]]
    attitude: float  # ‖R − R_exact‖ of Gauss6 in the thesis's form after 100 steps


# ---- the form of the thesis ----------------------------------------------------------------------
@cache
def thesis_hamiltonian() -> Hamiltonian:
    """T = ⅛ Σ π²/Ĵ, π = Ĝ(q)g; V = mgl R₃₃ by the homogeneous R(q); λ = −½ q·V_q = −V (ERRATA 2-17,
    2-18, 2-24).
    """
    import sympy as sp

    q, w, z, g = (sp.Matrix(sp.symbols(f"{letter}0:4")) for letter in "qwzg")
    moments = (FICTITIOUS_INERTIA, *ASYMMETRIC.inertia)
    momenta_in_body = zip(full_quaternion_matrix(q) * g, moments, strict=True)
    T: Any = sum(pi**2 / moment for pi, moment in momenta_in_body) / 8
    V: Any = ASYMMETRIC.moment * (q.T * sp.diag(1, -1, -1, 1) * q)[0]
    multiplier = -(q.T * V.diff(q))[0] / 2
    f_q = T.diff(g)
    f_g = -T.diff(q) - V.diff(q) - 2 * multiplier * q
    start = np.array(ASYMMETRIC.q)
    spin = np.array(ASYMMETRIC.inertia) * ASYMMETRIC.omega
    momenta = 2.0 * rate_matrix(start).T @ spin
    return hamiltonian(
        (z.T * f_q)[0] - (w.T * f_g)[0],
        q={**name_components("q", start), **name_components("w", np.zeros(4))},
        p={**name_components("z", np.zeros(4)), **name_components("g", momenta)},
        name="thesis's form",
    )


def full_quaternion_matrix(q: Any) -> Any:
    """Ĝ(q): qᵀ above L(q)."""
    import sympy as sp

    a, b, c, d = q
    return sp.Matrix([[a, b, c, d], [-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])


def name_components(letter: str, values: np.ndarray) -> dict[str, float]:
    return {f"{letter}{k}": float(x) for k, x in enumerate(values)}


# ---- runs ----------------------------------------------------------------------------------------
def run(quick: bool = False, progress: bool = True) -> Result:
    """Both forms with every method and step, and three long runs."""
    top = model_of(ASYMMETRIC)
    jobs = {}
    for method, about in METHODS.items():
        for n in about.counts:
            steps = partial(run_to_end, integrator=method, step=1.0 / n, until=1.0, save_every=1)
            jobs[f"thesis, {method}, {n}"] = partial(steps, thesis_hamiltonian())
            jobs[f"free, {method}, {n}"] = partial(steps, top, formulation=FREE)
    found: dict[str, Trajectory] = run_jobs(jobs, "norms", progress)
    long_runs = run_jobs(long_jobs(quick), "norms in time", progress)
    return Result(
        thesis=worst_by_method(found, "thesis", norm),
        free=worst_by_method(found, "free", norm),
        thesis_radial=worst_by_method(found, "thesis", radial_momentum),
        free_radial=worst_by_method(found, "free", radial_momentum),
        in_time={label: (run.t.values, norm(run)) for label, run in long_runs.items()},
        attitude=attitude(found["thesis, gauss6, 100"]),
    )


def long_jobs(quick: bool) -> dict[str, Any]:
    """Runs that show the norm by time: two of the thesis's form, one without a multiplier."""
    tight = {"integrator": "dop853", "rtol": 1e-12, "atol": 1e-12}
    until = LONG if quick else 5 * LONG
    options = {"formulation": FREE, "save_every": 1}
    top = model_of(ASYMMETRIC)
    step = f"h = {LONG_STEP:g} s"
    return {
        f"λ put in, Gauss6, {step}": partial(run_until_collapse, integrator="gauss6"),
        "λ put in, DOP853, tolerance 1e-12": partial(run_until_collapse, **tight),
        f"no multiplier, Gauss6, {step}": partial(
            run_to_end, top, "gauss6", LONG_STEP, until, **options
        ),
    }


def worst_by_method(
    found: dict[str, Trajectory], form: str, measure: Callable[[Trajectory], np.ndarray]
) -> dict[str, list[float]]:
    """The largest of a measure in one form, by method and step."""
    return {
        method: [
            float(np.abs(measure(found[f"{form}, {method}, {n}"])).max()) for n in about.counts
        ]
        for method, about in METHODS.items()
    }


def run_until_collapse(integrator: str, **options: Any) -> Trajectory:
    """The thesis's form until ‖q‖ has collapsed, and the method with it."""
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


def radial_momentum(run: Trajectory) -> np.ndarray:
    """q·g of every sample, N m s."""
    if "radial_momentum" in run.dataset:
        return run.dataset["radial_momentum"].values[:, 0]
    return (run.q.values[:, :4] * run.p.values[:, 4:]).sum(axis=1)


def attitude(run: Trajectory) -> float:
    q = run.q.values[-1, :4]
    found = rotation_matrix(q / np.linalg.norm(q))
    return float(np.linalg.norm(found - rotation_matrix(np.array(ASYMMETRIC_END))))


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    """Orders and sizes of ‖q‖² − 1 with and without the multiplier, and its growth in time."""
    rows = thesis_rows(result)
    for name, method in METHODS.items():
        what = f"no multiplier, {method.label}: largest |‖q‖² − 1|, {method.counts[0]} steps"
        expected = (0.0, "exact") if name in KEEPING else (None, "")
        rows.append(Row(what, result.free[name][0], *expected))
        what = f"no multiplier, {method.label}: largest |q·g|, {method.counts[0]} steps, N m s"
        rows.append(Row(what, result.free_radial[name][0], *expected))
    found = slope(result.free["stormer_verlet"])
    what = "no multiplier, Störmer–Verlet: order of ‖q‖² − 1"
    rows.append(Row(what, found, 2.0, "docs/references.md, METHODS 2"))
    return [*rows, *rows_in_time(result)]


def thesis_rows(result: Result) -> list[Row]:
    """The form of the thesis: orders, sizes, and the attitude of Gauss6."""
    rows = []
    for name, method in METHODS.items():
        what = f"λ put in, {method.label}: order of ‖q‖² − 1"
        note = "the thesis says 2 for all of them"
        rows.append(Row(what, slope(result.thesis[name]), method.slope, OTHER, note))
    for name, method in METHODS.items():
        what = f"λ put in, {method.label}: order of q·g"
        rows.append(Row(what, slope(result.thesis_radial[name]), float(ORDERS[name]), "the method"))
    for name, method in METHODS.items():
        for n, drift, theirs in zip(STEPS, result.thesis[name], method.drifts or (), strict=False):
            what = f"λ put in, {method.label}: largest |‖q‖² − 1|, {n} steps"
            rows.append(Row(what, drift, theirs, OTHER))
        known = zip(STEPS, result.thesis_radial[name], method.radials or (), strict=False)
        for n, found, theirs in known:
            what = f"λ put in, {method.label}: largest |q·g|, {n} steps, N m s"
            rows.append(Row(what, found, theirs, OTHER))
    what = "λ put in, Gauss6: ‖R − R_exact‖ at t = 1 s, 100 steps"
    rows.append(Row(what, result.attitude, 8.729861685574426e-11, OTHER))
    return rows


def rows_in_time(result: Result) -> list[Row]:
    """The norm error by time, and the least ‖q‖² where it collapses."""
    gauss, dop, free = result.in_time
    t, x = result.in_time[dop]
    reached = float(np.abs(x[int(np.abs(t - 10.0).argmin())]))
    t, y = result.in_time[free]
    least = float(1.0 + result.in_time[gauss][1].min())
    note = "it grows from rounding, so only its magnitude is meaningful"
    return [
        Row(f"{dop}: |‖q‖² − 1| at t = 10 s", reached, 3e-2, OTHER, note),
        Row(f"{gauss}: least ‖q‖² to t = {LONG:g} s", least, 0.0, OTHER),
        Row(f"{free}: largest |‖q‖² − 1| to t = {t[-1]:g} s", float(np.abs(y).max()), 0.0, "exact"),
    ]


def slope(drifts: list[float]) -> float:
    """The slope of log drift over log h, where the drift is above rounding."""
    kept = np.array(drifts) > ROUNDING
    steps = np.log(np.array(STEPS)[kept])
    return float(-np.polyfit(steps, np.log(np.array(drifts)[kept]), 1)[0])


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """The error over the step in both forms, and over time."""
    layout = [["thesis", "free"], ["thesis q·g", "free q·g"], ["time", "time"]]
    figure, panels = new_figure(layout, (11.0, 12.5), height_ratios=[1.3, 1.3, 1.0])
    norms, radials = "largest |‖q‖² − 1| to t = 1 s", "largest |q·g| / N m s to t = 1 s"
    draw_orders(panels["thesis"], result.thesis, norms)
    draw_orders(panels["free"], result.free, norms)
    draw_orders(panels["thesis q·g"], result.thesis_radial, radials)
    draw_orders(panels["free q·g"], result.free_radial, radials)
    headings = {
        "thesis": "λ = −½ q·∂V/∂q put in (fig. 3.3)",
        "free": "no multiplier: 1/J₀ = 0, V of degree zero",
        "thesis q·g": "λ put in: q·g (3.39)",
        "free q·g": "no multiplier: q·g",
    }
    for name, heading in headings.items():
        panels[name].set_title(heading, loc="left", fontsize="medium")
        panels[name].sharey(panels["thesis"])
    panels["free q·g"].get_legend().set_loc("upper left")
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
    legend_above(panels["time"], 3, columnspacing=1.2)
    figure.suptitle(
        f"Unit quaternions of a heavy asymmetric top ({THESIS}, §3.4.1: “up to second order only” "
        "for all of them)"
    )
    return {"unit_norm": figure}


def draw_orders(axes, drifts: dict[str, list[float]], label: str) -> None:
    """Points by method; the slope beside the name where there is one, and a line of slope 2 for
    comparison.
    """
    for number, (name, method) in enumerate(METHODS.items()):
        values = drifts[name]
        order = f"{slope(values):.2f}" if values[0] > ROUNDING else "rounding"
        h = 1.0 / np.array(method.counts)
        color = series_color(number, len(METHODS))
        called = f"{method.label}, {order}"
        axes.plot(h, np.maximum(values, FLOOR), "o-", color=color, lw=1.0, ms=4, label=called)
    h = 1.0 / np.array([25, 100, 400, 1600])
    axes.plot(h, 3e-3 * (h / h[0]) ** 2, "--", color=FAINT, lw=1.0, label="slope 2", zorder=0)
    axes.set(
        xlabel="step / s",
        ylabel=label,
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
    document="chain-of-rigid-bodies",
)
