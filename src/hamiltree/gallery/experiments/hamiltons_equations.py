"""The figures and the claim about cost of "EOM with Hamilton's Equations".

Fig. 1: a body and its parent with their vectors. Fig. 2: the ten-body tree with its numbers, and
Φ_A as printed below it. Prop. 5: q̇ from p by a dense matrix, (P.5a), is O(N³); by the operators of
(P.5b) it is O(N).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algorithms.answers import Factor
from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.analysis.influence import Influence, influence
from hamiltree.console import Spinner
from hamiltree.gallery.experiment import Experiment, Row
from hamiltree.gallery.figures import legend_above
from hamiltree.model import BodyLoad, Model, library
from hamiltree.view.notation import BodyVectors, body_vectors
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

NOTES = "EOM with Hamilton's Equations"
DOCUMENT = "hamiltons-equations"
# the parents of bodies 1 to 10 in the printed Φ_A; 0 is the ground
PRINTED_PARENTS = 0, 1, 1, 3, 3, 5, 4, 7, 1, 9
BODY = "b10"  # of fig. 1
LOAD = BodyLoad(BODY, force=(-4.0, 1.0, 5.0), torque=(2.0, 1.0, 2.5), at=(0.25, 0.1, 0.3))
SIZES = 10, 20, 40, 80, 160, 320, 640, 1280
QUICK_SIZES = 10, 20, 40
FITTED = 4  # sizes, the largest ones, that exponents are fitted to
REPEATS = 5  # the least of so many timings counts
MIN_SECONDS, MAX_SECONDS = 0.02, 2.0  # of CPU time for all of them


# ---- fig. 1 --------------------------------------------------------------------------------------
def run_notation(quick: bool = False, progress: bool = True) -> Model:
    return library.ten_body_tree().with_(forces=[LOAD])


def number_notation(model: Model) -> list[Row]:
    """Vectors of the drawing against those of `ht.influence`: largest differences, m or rad/s."""
    at = influence(model)
    v = at.velocities(model.start()[1])
    drawn = {each.name: each for each in body_vectors(model, BODY)}
    rows = {joint.child: at.names.index(joint.name) for joint in model.joints}

    def largest(pick: Callable[[BodyVectors, int], np.ndarray]) -> float:
        return max(float(abs(pick(each, rows[name])).max()) for name, each in drawn.items())

    worst = {
        "η": largest(lambda each, i: each.eta - at.eta[i]),
        "d": largest(lambda each, i: each.d - at.d[i]),
        "s": largest(lambda each, i: each.s - at.s[i]),
        "r − η − s": largest(lambda each, i: each.r - at.eta[i] - at.s[i]),
        "ω": largest(lambda each, i: each.omega - v[i, :3]),
    }
    return [Row(f"{name}, drawn − computed", value, 0.0, "exact") for name, value in worst.items()]


def draw_notation(model: Model) -> dict[str, Any]:
    figure = model.plot.frames(BODY)
    figure.suptitle(f"{figure.get_suptitle()}\n({NOTES}, fig. 1)", fontsize="small")
    return {"notation": figure}


# ---- fig. 2 --------------------------------------------------------------------------------------
def run_tree(quick: bool = False, progress: bool = True) -> Influence:
    return influence(library.ten_body_tree())


def number_tree(at: Influence) -> list[Row]:
    """Bodies, blocks of Φ_A at the printed places, and the power at which Φ_A vanishes."""
    pattern = block_pattern(at)
    printed = np.zeros_like(pattern)
    for i, parent in enumerate(PRINTED_PARENTS):
        if parent:
            printed[i, parent - 1] = True
    vanishing = next(m for m in range(1, 11) if not np.linalg.matrix_power(pattern * 1, m).any())
    chain = "bodies in the longest chain, 1-3-4-7-8 (ERRATA 0-7)"
    return [
        Row("bodies", float(len(pattern)), 10.0, "fig. 2"),
        Row("blocks of Φ_A at their printed places", float((pattern & printed).sum()), 9.0, NOTES),
        Row("blocks of Φ_A elsewhere", float((pattern & ~printed).sum()), 0.0, NOTES),
        Row("m with Φ_A^m = 0", float(vanishing), float(at.longest_chain), "longest chain", chain),
    ]


def block_pattern(at: Influence) -> np.ndarray:
    """Whether Φ_A has a block at (i, j), in the numbering of the bodies."""
    n = len(at.parent)
    by_link = at.forward_matrix(np.ones((n, 1, 1))) != 0.0
    pattern = np.zeros((n, n), dtype=bool)
    pattern[np.ix_(at.row, at.row)] = by_link
    return pattern


def draw_tree_and_matrix(at: Influence) -> dict[str, Any]:
    """The tree, and the blocks of Φ_A and Ψ_A."""
    tree = at.model.plot.tree()
    tree.suptitle(f"{tree.get_suptitle()} ({NOTES}, fig. 2)", fontsize="small")
    figure, panels = new_figure([["phi", "psi"]], (9.0, 4.6))
    n = len(at.parent)
    pattern = block_pattern(at)
    reached = np.linalg.inv(np.eye(n) - pattern) > 0.5
    for name, blocks in (("phi", pattern), ("psi", reached)):
        draw_blocks(panels[name], blocks, name == "phi")
    panels["phi"].set_title(r"$\Phi_A$: $A_i$ in the column of the parent", fontsize="medium")
    panels["psi"].set_title(r"$\Psi_A$: in the columns of all bodies inboard", fontsize="medium")
    figure.suptitle(f"Influence matrices of fig. 2 ({NOTES})", fontsize="small")
    return {"ten_body_tree": tree, "influence_matrices": figure}


def draw_blocks(axes: Any, blocks: np.ndarray, named: bool) -> None:
    """Squares where a matrix has blocks."""
    n = len(blocks)
    axes.imshow(np.where(blocks, 0.25, 0.0), cmap="Blues", vmin=0.0, vmax=1.0)
    for i, j in np.argwhere(blocks):
        text = rf"$A_{{{i + 1}}}$" if named else ("$e$" if i == j else "•")
        axes.text(j, i, text, ha="center", va="center", fontsize="small", color=INK)
    axes.set_xticks(range(n), [str(k + 1) for k in range(n)], fontsize="small")
    axes.set_yticks(range(n), [str(k + 1) for k in range(n)], fontsize="small")
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(n + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(n + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=FAINT, lw=0.5)
    axes.tick_params(which="both", length=0)


# ---- cost ----------------------------------------------------------------------------------------
class Costs(NamedTuple):
    """CPU seconds of one q̇ from p, by way and size; how well p is given back."""

    sizes: tuple[int, ...]
    seconds: dict[str, np.ndarray]
    residuals: dict[str, np.ndarray]  # largest |ℳ q̇ − p| over the largest |p|


DENSE, SWEEPS = "(P.5a), NumPy (BLAS threads)", "(P.5b), NumPy"
DENSE_COMPILED, SWEEPS_COMPILED = "(P.5a), compiled", "(P.5b), compiled"
STYLES = {
    DENSE: (FAINT, "o-"),
    SWEEPS: (INK, "o-"),
    DENSE_COMPILED: (ACCENT, "s--"),
    SWEEPS_COMPILED: (INK, "s--"),
}


def run_costs(quick: bool = False, progress: bool = True) -> Costs:
    """Chains of hinges; the first state of each."""
    sizes = QUICK_SIZES if quick else SIZES
    seconds: dict[str, list[float]] = {name: [] for name in STYLES}
    residuals: dict[str, list[float]] = {name: [] for name in STYLES}
    with Spinner(progress, "cost of q̇ from p") as sign:
        for n in sizes:
            sign.say(f"cost of q̇ from p: {n} bodies")
            at, p, ways = ways_to_rates(n)
            for name, way in ways.items():
                qdot = way()
                seconds[name].append(least_time(way))
                residuals[name].append(float(abs(at.momentum(qdot) - p).max() / abs(p).max()))
    return Costs(
        sizes,
        {name: np.array(values) for name, values in seconds.items()},
        {name: np.array(values) for name, values in residuals.items()},
    )


def ways_to_rates(n: int) -> tuple[Influence, np.ndarray, dict[str, Callable[[], np.ndarray]]]:
    """q̇ from the momenta of random speeds, four ways."""
    model = library.chain(n)
    q, _ = model.start()
    at, compiled = influence(model), Dynamics(model)
    p = at.momentum(np.random.default_rng(0).normal(size=n))
    ways = {
        DENSE: lambda: at.rates_dense(p),
        SWEEPS: lambda: at.rates(p),
        DENSE_COMPILED: lambda: solve_by_factor(compiled.factor(q), p),
        SWEEPS_COMPILED: lambda: compiled.solve(q, p),
    }
    return at, p, ways


def solve_by_factor(factor: Factor, p: np.ndarray) -> np.ndarray:
    """q̇ = (U diag(d) Uᵀ)⁻¹ p; in a chain, U is upper triangular with ones on its diagonal."""
    U, x = factor.U, p.copy()
    for k in reversed(range(len(x))):
        x[:k] -= U[:k, k] * x[k]
    x /= factor.d
    for k in range(len(x)):
        x[k] -= U[:k, k] @ x[:k]
    return x


def least_time(way: Callable[[], Any]) -> float:
    """CPU time of this thread for one call, s: the least of some."""
    times: list[float] = []
    begin = time.thread_time()
    while len(times) < REPEATS or time.thread_time() - begin < MIN_SECONDS:
        start = time.thread_time()
        way()
        times.append(time.thread_time() - start)
        if time.thread_time() - begin > MAX_SECONDS:
            break
    return min(times)


def exponent(sizes: tuple[int, ...], seconds: np.ndarray) -> float:
    """Slope of log cost over log N, fitted to the four largest sizes."""
    return float(np.polyfit(np.log(sizes[-FITTED:]), np.log(seconds[-FITTED:]), 1)[0])


def number_costs(costs: Costs) -> list[Row]:
    """Exponents, the ratio at the largest size, and how well p comes back.

    Dense products of NumPy run in threads of its BLAS: on a busy machine their times between 80 and
    640 bodies are those of waiting, and have no exponent.
    """
    last = costs.sizes[-1]
    rows = [
        Row(
            f"{name}: exponent of N up to {last} bodies",
            exponent(costs.sizes, costs.seconds[name]),
            claimed,
            NOTES,
        )
        for name, claimed in ((DENSE_COMPILED, 3.0), (SWEEPS_COMPILED, 1.0), (SWEEPS, 1.0))
    ]
    for dense, sweeps, words in (
        (DENSE, SWEEPS, "NumPy"),
        (DENSE_COMPILED, SWEEPS_COMPILED, "compiled"),
    ):
        ratio = float(costs.seconds[dense][-1] / costs.seconds[sweeps][-1])
        rows.append(Row(f"(P.5a) over (P.5b) at {last} bodies, {words}", ratio, None, ""))
    for name, values in costs.residuals.items():
        rows.append(Row(f"{name}: largest |ℳq̇ − p|/|p|", float(values.max()), 0.0, "exact"))
    return rows


def draw_costs(costs: Costs) -> dict[str, Any]:
    """Cost over N, and (P.5a) over (P.5b)."""
    figure, panels = new_figure([["cost", "ratio"]], (10.5, 4.6), width_ratios=[1.6, 1])
    N = np.array(costs.sizes, dtype=float)
    axes = panels["cost"]
    for name, (color, style) in STYLES.items():
        axes.loglog(N, costs.seconds[name], style, color=color, ms=4, lw=1.2, label=name)
    for power, name in ((1, SWEEPS_COMPILED), (3, DENSE_COMPILED)):
        guide = costs.seconds[name][-1] * 0.45 * (N / N[-1]) ** power
        seen = guide > 0.3 * costs.seconds[SWEEPS_COMPILED][0]
        axes.loglog(N[seen], guide[seen], ":", color=SOFT, lw=1.0)
        axes.annotate(f"∝ N{'³' if power == 3 else ''}", (N[-1], guide[-1]), color=SOFT, va="top")
    axes.set_xlabel("bodies N")
    axes.set_ylabel("CPU time of q̇ from p / s")
    legend_above(axes, 2, fontsize="small")
    axes = panels["ratio"]
    for dense, sweeps, style, words in (
        (DENSE, SWEEPS, "o-", "NumPy"),
        (DENSE_COMPILED, SWEEPS_COMPILED, "s--", "compiled"),
    ):
        ratio = costs.seconds[dense] / costs.seconds[sweeps]
        axes.loglog(N, ratio, style, color=INK, ms=4, lw=1.2, label=words)
    axes.axhline(1.0, color=FAINT, lw=0.8)
    axes.set_xlabel("bodies N")
    axes.set_ylabel("cost of (P.5a) / cost of (P.5b)")
    legend_above(axes, 2, fontsize="small")
    figure.suptitle(f"Chains of hinges: q̇ from p ({NOTES}, Prop. 5)", fontsize="medium")
    return {"cost_of_rates": figure}


EXPERIMENTS = (
    Experiment(
        "notation",
        "A body and its parent: frames and vectors",
        f"{NOTES}, fig. 1",
        run_notation,
        number_notation,
        draw_notation,
        document=DOCUMENT,
    ),
    Experiment(
        "ten_body_tree",
        "Ten bodies: topology, numbering and influence matrices",
        f"{NOTES}, fig. 2",
        run_tree,
        number_tree,
        draw_tree_and_matrix,
        document=DOCUMENT,
    ),
    Experiment(
        "cost_of_rates",
        "Rates from momenta: a dense matrix or sweeps",
        f"{NOTES}, Prop. 5",
        run_costs,
        number_costs,
        draw_costs,
        document=DOCUMENT,
    ),
)
