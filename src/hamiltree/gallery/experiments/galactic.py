"""H = |p|²/2 + Ω(p₁q₂ − p₂q₁) + A log(C + q₁²/a² + q₂²/b² + q₃²/c²): points of a Poincaré section,
counted to t = 10⁶.

The thesis, §2.4, table 2.1, figs. 2.10 and 2.11, after Hairer, Nørsett, Wanner, Solving Ordinary
Differential Equations I, §II.16. The data of the thesis are misprinted: c = 0.75, and p₂(0) is the
larger root of H = 2 (ERRATA 2-1). A point is a rise of q₂ through 0 with q₁ > 0;
the start lies on the section and counts. On it q̇₁ = p₁ + Ωq₂ = p₁. Printed counts are those of
signs at the ends of steps, so ours are compared without the rises that have a fall in the same
step, of which there are up to a dozen; the thesis lost some more (ERRATA 2-44). Gauss6 with
h = 2/5 is chaotic there: it is run again with p₂(0) changed by 1e-12, and its spread is shown.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.figures import legend_above
from hamiltree.problems.events import Event
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, new_figure, thin_samples

UNTIL = 1e6
QUICK_UNTIL = 1e4
SECTION = Event("q2", direction=+1, where="q1 > 0", name="section")
FALLS = Event("q2", direction=-1, where="q1 > 0", name="falls")
CHANGES = (1e-12, -1e-12, 2e-12, -2e-12)  # of p₂(0), where the count depends on them
LONG_STEP = 0.4  # of fig. 2.11
LONG_STEPS = 80_000
LONG = {"RK4": "rk4", "Gauss6": "gauss6"}


class Case(NamedTuple):
    """A row of table 2.1, and the count to t = 10⁴ by another program."""

    label: str
    method: str
    step: float
    hairer: int
    thesis: int
    quick: int
    is_chaotic: bool = False


CASES = (
    Case("Gauss6, h = 1/5", "gauss6", 0.2, 47093, 47082, 475),
    Case("Gauss6, h = 2/5", "gauss6", 0.4, 46852, 46897, 475, is_chaotic=True),
    Case("Radau5, h = 1/10", "radau_iia5", 0.1, 46597, 46594, 475),
    Case("Sun–Geng5, h = 1/5", "sun_geng5", 0.2, 47092, 47085, 475),
    Case("RK4, h = 1/40", "rk4", 0.025, 47004, 47003, 475),
    Case("RK4, h = 1/10", "rk4", 0.1, 46192, 46190, 470),
)


class SectionPoints(NamedTuple):
    """What is kept of one run: the points of the section, and samples of H − H₀."""

    q1: np.ndarray
    p1: np.ndarray
    t: np.ndarray
    error: np.ndarray
    hidden: int  # rises that have a fall in the same step: signs at its ends do not show them

    @property
    def points(self) -> int:
        """As many as signs at the ends of steps show."""
        return len(self.q1) - self.hidden


class Result(NamedTuple):
    until: float
    cases: dict[str, SectionPoints]
    changed: list[SectionPoints]
    long: dict[str, SectionPoints]


def problem() -> Hamiltonian:
    """Galactic orbit with Hairer's data."""
    return hamiltonian(
        "(p1**2 + p2**2 + p3**2)/2 + Omega*(p1*q2 - p2*q1) + A*log(C + q1**2/a**2 + q2**2/b**2 + "
        "q3**2/c**2)",
        q={"q1": 2.5, "q2": 0.0, "q3": 0.0},
        p={"p1": 0.0, "p2": 1.6888370059044757, "p3": 0.2},
        a=1.25,
        b=1.0,
        c=0.75,
        A=1.0,
        C=1.0,
        Omega=0.25,
        name="galactic orbit",
    )


# ---- runs ----------------------------------------------------------------------------------------
def count_crossings(
    orbit: Hamiltonian, method: str, step: float, until: float, change: float = 0.0
) -> SectionPoints:
    """A run with its section points, p₂(0) changed by `change`."""
    start = {"p2": orbit.start["p2"] + change}
    every = max(1, round(until / step / 200_000))
    options = {"p": start, "sections": [SECTION, FALLS], "save_every": every}
    return section_points(run_to_end(orbit, method, step, until, **options), step)


def section_points(found: Trajectory, step: float) -> SectionPoints:
    """Points of the section, and how many of them lie within one step with a fall."""
    points = found.sections[SECTION.name]
    rises, falls = (
        np.floor(found.sections[event.name]["t"].values / step) for event in (SECTION, FALLS)
    )
    hidden = int(np.isin(rises, falls).sum())
    q1 = points["q"].values[:, 0]
    p1 = points["p"].values[:, 0]
    return SectionPoints(q1, p1, found.t.values, found.energy_balance.values, hidden)


def run(quick: bool = False, progress: bool = True) -> Result:
    """The six rows of the table, the chaotic one four times more, and the two runs of
    fig. 2.11; two at a time.
    """
    orbit, until = problem(), QUICK_UNTIL if quick else UNTIL
    compile_first(orbit, progress)
    jobs = {
        case.label: partial(count_crossings, orbit, case.method, case.step, until)
        for case in longest_first(CASES)
    }
    count = partial(count_crossings, orbit)
    changed = {
        f"{case.label}, p₂ {change:+.0e}": partial(count, case.method, case.step, until, change)
        for case in CASES
        if case.is_chaotic
        for change in CHANGES
    }
    long = {
        f"{label}, fig. 2.11": partial(count, method, LONG_STEP, LONG_STEP * LONG_STEPS)
        for label, method in LONG.items()
    }
    title = f"galactic orbit to t = {until:,.0f}"
    done = run_jobs({**jobs, **changed, **long}, title, progress, at_once=2)
    return Result(
        until,
        cases={case.label: done[case.label] for case in CASES},
        changed=[done[name] for name in changed],
        long={label: done[f"{label}, fig. 2.11"] for label in LONG},
    )


def longest_first(cases) -> list[Case]:
    """Runs with short steps take longest; started first, both threads end at the same time."""
    return sorted(cases, key=lambda case: case.step)


def compile_first(orbit: Hamiltonian, progress: bool) -> None:
    """One step of every method before the threads start: only one thread may compile."""
    methods = dict.fromkeys(case.method for case in CASES)
    run_jobs(
        {method: partial(count_crossings, orbit, method, 0.1, 0.1) for method in methods},
        "galactic orbit",
        progress,
    )


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    """Counts of section points beside Hairer's and the thesis's, and energy errors."""
    rows = []
    for case in CASES:
        ours = result.cases[case.label].points
        note = count_range(result) if case.is_chaotic else ""
        what = f"{case.label}: points"
        if result.until == UNTIL:
            rows.append(Row(what, ours, case.hairer, "Hairer", note))
            rows.append(Row(what, ours, case.thesis, THESIS))
        else:
            what = f"{what}, t ≤ {result.until:,.0f}"
            rows.append(Row(what, ours, case.quick, "other code", note))
        hidden = result.cases[case.label].hidden
        rows.append(Row(f"{case.label}: more of them within steps", hidden, None, ""))
    return [*rows, *energy_rows(result)]


def count_range(result: Result) -> str:
    """The range of counts when p₂(0) changes by 1e-12."""
    chaotic = [result.cases[case.label] for case in CASES if case.is_chaotic]
    counts = [found.points for found in (*result.changed, *chaotic)]
    runs = f"{min(counts)} … {max(counts)} in {len(counts)} runs"
    return f"chaotic: {runs}, p₂(0) changed by up to 2e-12"


def energy_rows(result: Result) -> list[Row]:
    """Gauss6, h = 1/5: the largest error, and its drift, the mean of the last tenth less that of
    the first; fig. 2.11 at its end.
    """
    error = result.cases[CASES[0].label].error
    tenth = len(error) // 10
    drift = float(error[-tenth:].mean() - error[:tenth].mean())
    largest = float(np.abs(error).max())
    share = f"{abs(drift) / largest:.1%} of the largest error"
    rows = [
        Row("Gauss6, h = 1/5: largest |H − H₀|", largest, 0.0, "exact"),
        Row("Gauss6, h = 1/5: drift of the mean of H", drift, 0.0, "exact", share),
    ]
    for name, found in result.long.items():
        what = f"{name}, h = 2/5, {LONG_STEPS} steps: largest |H − H₀|"
        rows.append(Row(what, float(np.abs(found.error).max()), 0.0, "exact"))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    return {"galactic_section": section_figure(result), "galactic_energy": energy_figure(result)}


def section_figure(result: Result) -> Any:
    """The six rows of the table with the same axes."""
    labels = [case.label for case in CASES]
    figure, panels = new_figure([labels[:3], labels[3:]], (12, 7.2), sharex=True, sharey=True)
    for label, found in result.cases.items():
        size = 1.0 if found.points > 5000 else 2.5
        panels[label].plot(found.q1, found.p1, ".", color=INK, ms=size, mew=0, rasterized=True)
        panels[label].set_title(f"{label}: {found.points} points", fontsize="medium")
    for label in labels[3:]:
        panels[label].set_xlabel("q₁")
    for label in (labels[0], labels[3]):
        panels[label].set_ylabel("q̇₁ = p₁")
    figure.suptitle(
        f"Galactic orbit: section q₂ = 0 rising, q₁ > 0, 0 ≤ t ≤ {result.until:,.0f} ({THESIS}, "
        "fig. 2.10, table 2.1)"
    )
    return figure


def energy_figure(result: Result) -> Any:
    """Above RK4 and Gauss6 with h = 0.4 on the same axis (fig. 2.11), below Gauss6 with
    h = 1/5 to the end of the table.
    """
    figure, panels = new_figure([["short"], ["long"]], (10, 6.0))
    for (label, found), color in zip(result.long.items(), (ACCENT, INK), strict=True):
        name = f"{label}, h = {LONG_STEP:g}"
        panels["short"].plot(*thin_samples(found.t, found.error), color=color, lw=1.0, label=name)
    found = result.cases[CASES[0].label]
    name = f"{CASES[0].label}, least to largest"
    panels["long"].fill_between(*envelope(found.t, found.error), color=INK, lw=0.4, label=name)
    for axes in panels.values():
        axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
        axes.set(xlabel="t", ylabel="H − H₀")
        legend_above(axes, 2)
    figure.suptitle(f"Galactic orbit: energy error, H₀ = 2 ({THESIS}, fig. 2.11)")
    return figure


def envelope(
    t: np.ndarray, values: np.ndarray, count: int = 500
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Middle, least and largest of as many intervals."""
    parts = np.array_split(values, count)
    middle = np.array([part.mean() for part in np.array_split(t, count)])
    least = np.array([part.min() for part in parts])
    largest = np.array([part.max() for part in parts])
    return middle, least, largest


EXPERIMENT = Experiment(
    "galactic",
    "Galactic orbit: a Poincaré section to t = 10⁶",
    f"{THESIS}, §2.4, table 2.1, figs. 2.10–2.11",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
