"""What the chapter "Spatial Dynamics" shows and asks beside problems 11.6 and 11.7: figure 11.1,
Euler parameters (problems 11.1–11.5), and the systems of formulations I, II, III.

Figure 11.1 is drawn with the numbers of problem 11.6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis import cartesian
from hamiltree.analysis import euler_parameters as ep
from hamiltree.gallery.experiment import Experiment, Row
from hamiltree.gallery.experiments.chapter11 import EULER, FORCE, PLACE, SOURCE
from hamiltree.gallery.experiments.oblique_drawing import (
    draw_box,
    draw_frame,
    draw_moment,
    draw_point,
    draw_vector,
    finish_drawing,
)
from hamiltree.model import library
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

STEP = 1e-3  # of differences
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60  # of a derivative of the sixth order
OFFSETS = np.array([-3, -2, -1, 1, 2, 3])


# ---- figure 11.1 ---------------------------------------------------------------------------------
ORIGIN_OF_BODY = np.array([4.0, 3.0, 1.9])
MOTION = np.array([0.3, -0.2, 0.5]), np.array([0.4, 0.7, -0.3])  # δr, and δp before projection


class AppliedForce(NamedTuple):
    """A force at a point of a body, and the work it does in a small motion."""

    p: np.ndarray
    force: np.ndarray  # f, world axes
    arm: np.ndarray  # s = A s'
    by_components: float  # fᵀδr + n*ᵀδp (11.7)
    by_point: float  # f · δr^P, by differences


def run_figure_11_1(quick: bool = False, progress: bool = True) -> AppliedForce:
    """The virtual work of (11.7) against that of the point of application."""
    p, turn = np.array(EULER), ep.A(EULER)
    force, arm = turn @ FORCE, turn @ PLACE
    shift, change = MOTION[0], ep.L(p).T @ (ep.L(p) @ np.array([0.2, *MOTION[1]]))
    starred = ep.starred_moment(p, np.cross(arm, force), "world")
    points = [ORIGIN_OF_BODY + h * shift + ep.A(p + h * change) @ PLACE for h in STEP * OFFSETS]
    rate = WEIGHTS @ np.array(points) / STEP
    by_components = force @ shift + starred @ change
    return AppliedForce(p, force, arm, float(by_components), float(force @ rate))


def figure_11_1_numbers(found: AppliedForce) -> list[Row]:
    """Both expressions of the virtual work, and n* by (11.1) and by (11.2)."""
    moment = np.cross(PLACE, FORCE)
    starred = ep.starred_moment(found.p, moment)
    rows = [
        Row("virtual work fᵀδr + n*ᵀδp (11.7)", found.by_components, found.by_point, "f · δr^P")
    ]
    by_world = ep.starred_moment(found.p, ep.A(found.p) @ moment, "world")
    pairs = zip(starred.tolist(), by_world.tolist(), strict=True)
    return rows + [
        Row(f"n*, component {k}, by L (11.1)", a, b, "by G (11.2)")
        for k, (a, b) in enumerate(pairs)
    ]


def figure_11_1_figures(found: AppliedForce) -> dict[str, Any]:
    """A body with its axes, the point P, the force and its moment."""
    figure, panels = new_figure([["view"]], (7.0, 5.0))
    axes, zero = panels["view"], np.zeros(3)
    centre, turn = ORIGIN_OF_BODY, ep.A(found.p)
    at = centre + found.arm
    draw_box(axes, centre, turn, 2.0 * np.abs(PLACE))  # P is a corner
    draw_frame(axes, zero, np.eye(3), 1.6, "xyz", SOFT)
    draw_frame(axes, centre, turn, 1.6, "ξηζ", SOFT)
    draw_vector(axes, zero, centre, "$\\mathbf{r}_i$")
    draw_vector(axes, zero, at, "$\\mathbf{r}_i^P$", FAINT, 0.6, ls="--")
    draw_vector(axes, centre, at, "$\\mathbf{s}_i$")
    draw_vector(axes, at, at + 0.5 * found.force, "$\\mathbf{f}_i$", ACCENT, 0.7)
    moment = np.cross(found.arm, found.force)
    draw_moment(axes, centre, moment, 1.9, "$\\mathbf{n}_i$")
    draw_point(axes, at, "$P_i$")
    draw_point(axes, centre, "", color=SOFT)
    finish_drawing(axes)
    figure.suptitle("Fig. 11.1, redrawn: a force at P, its moment n = s × f (numbers of 11.6)")
    return {"figure_11_1": figure}


# ---- Euler parameters ----------------------------------------------------------------------------
INERTIA = np.array([[1.2, 0.1, -0.2], [0.1, 1.5, 0.05], [-0.2, 0.05, 0.9]])
SAMPLES = 1000


class Identities(NamedTuple):
    """Largest residuals of identities over random p, and the answers to problems 11.1–11.5."""

    residuals: dict[str, float]
    answers: dict[str, tuple[float, float]]  # ours, expected


def random_state(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A unit p, a ṗ of length 1 across it, and a moment n'."""
    rng = np.random.default_rng(seed)
    p, rate = rng.normal(size=(2, 4))
    p /= np.linalg.norm(p)
    rate -= p * (p @ rate)
    return p, rate / np.linalg.norm(rate), rng.normal(size=3)


def run_euler_parameters(quick: bool = False, progress: bool = True) -> Identities:
    """Identities at random Euler parameters, and problems 11.1 to 11.5 at one state."""
    residuals: dict[str, float] = {}
    for seed in range(100 if quick else SAMPLES):
        p, rate, _ = random_state(seed)
        for name, value in ep.identities(p, rate).items():
            residuals[name] = max(value, residuals.get(name, 0.0))
    return Identities(residuals, answer_problems(*random_state(7)))


def answer_problems(
    p: np.ndarray, pdot: np.ndarray, moment: np.ndarray
) -> dict[str, tuple[float, float]]:
    """Problems 11.1 to 11.5 as pairs of numbers that should be equal."""
    J, L, G = INERTIA, ep.L(p), ep.G(p)
    star, H, inverse = ep.J_star(p, J), ep.H(p, pdot, J), np.linalg.inv(J)
    five = np.block([[star, p[:, None]], [p[None], np.zeros((1, 1))]])
    closed = np.block([[0.25 * L.T @ inverse @ L, p[:, None]], [p[None], np.zeros((1, 1))]])
    right = np.append(ep.starred_moment(p, moment) - 2 * H @ pdot, -pdot @ pdot)
    solved = np.linalg.solve(five, right)
    four = np.vstack([2 * J @ L, p])
    omega = ep.angular_velocity(p, pdot)
    second = 0.5 * L.T @ inverse @ (moment - L @ H @ pdot) - (pdot @ pdot) * p
    world = ep.A(p) @ J @ ep.A(p).T
    by_four = np.linalg.solve(four, np.append(moment - L @ H @ pdot, -pdot @ pdot))
    energy = 0.5 * omega @ J @ omega
    spin = ep.angular_velocity(p, pdot, "world")
    return {
        "11.1: largest entry of J* p": (float(np.abs(star @ p).max()), 0.0),
        "11.1: rank of J*": (float(np.linalg.matrix_rank(star)), 3.0),
        "11.2: largest entry of J* − 4 Gᵀ J G": (
            float(np.abs(star - 4 * G.T @ world @ G).max()),
            0.0,
        ),
        "11.3 a: largest entry of matrix · inverse − 1": (
            float(np.abs(five @ closed - np.eye(5)).max()),
            0.0,
        ),
        "11.3 b: largest difference of p̈": (float(np.abs(solved[:4] - second).max()), 0.0),
        "11.3 c: σ": (float(solved[4]), float(2 * omega @ J @ omega)),
        "11.4: largest difference of p̈": (float(np.abs(by_four - second).max()), 0.0),
        "11.5 a: T by ω and J": (float(0.5 * spin @ world @ spin), float(energy)),
        "11.5 b: T by ṗ and J*": (float(0.5 * pdot @ star @ pdot), float(energy)),
    }


def euler_parameters_numbers(found: Identities) -> list[Row]:
    """Problems 11.1 to 11.5, then the worst identity."""
    rows = [Row(what, a, b, "exact") for what, (a, b) in found.answers.items()]
    worst = max(found.residuals, key=lambda name: found.residuals[name])
    return [
        *rows,
        Row(f"largest residual of an identity ({worst})", found.residuals[worst], 0.0, "exact"),
    ]


def euler_parameters_figures(found: Identities) -> dict[str, Any]:
    """Residuals of all identities, in units of the rounding of 1."""
    figure, panels = new_figure([["bars"]], (8.0, 5.6))
    axes = panels["bars"]
    unit = float(np.finfo(float).eps)
    names = list(found.residuals)[::-1]
    values = [found.residuals[name] / unit for name in names]
    bars = axes.barh(names, values, color=SOFT, height=0.6)
    axes.bar_label(bars, fmt="%.3g", padding=3)
    axes.margins(x=0.12)
    axes.set_xlabel("largest residual over random p, in units of 2.2e-16")
    figure.suptitle("Identities of G, L and A that chapter 11 uses (Spatial Dynamics)")
    return {"euler_parameters": figure}


# ---- the systems of the three formulations -------------------------------------------------------
class Systems(NamedTuple):
    """Matrices of formulations I, II, III of one model, and their solutions."""

    matrices: tuple[cartesian.CartesianMatrices, ...]
    solutions: tuple[cartesian.Solution, ...]


def run_spatial_systems(quick: bool = False, progress: bool = True) -> Systems:
    """The spatial slider-crank at its start by all three formulations."""
    model = library.spatial_slider_crank()
    made = tuple(cartesian.matrices(model, formulation=number) for number in (1, 2, 3))
    return Systems(made, tuple(each.solve() for each in made))


def spatial_systems_numbers(found: Systems) -> list[Row]:
    """Sizes, symmetry, and how far I and II are from III."""
    rows = []
    last = found.solutions[-1]
    for made, solution, name, per_body in zip(
        found.matrices, found.solutions, ("I", "II", "III"), (8, 7, 6), strict=True
    ):
        size = per_body * len(made.bodies) + len(made.rows)
        rows.append(Row(f"{name}: equations", made.size, size, f"{per_body}b + m"))
        rows.append(Row(f"{name}: symmetric", made.is_symmetric, name != "II", "document"))
        for what in ("acceleration", "angular_acceleration", "multipliers"):
            mine, theirs = getattr(solution, what).values, getattr(last, what).values
            gap = float(np.abs(mine - theirs).max() / np.abs(theirs).max())
            rows.append(Row(f"{name}: {what}, largest difference from III", gap, 0.0, "exact"))
    return rows


def spatial_systems_figures(found: Systems) -> dict[str, Any]:
    """Where the three matrices have entries; blocks are parted by lines."""
    figure, panels = new_figure([["I", "II", "III"]], (11.0, 4.4))
    for made, name in zip(found.matrices, ("I", "II", "III"), strict=True):
        draw_pattern(panels[name], made, name)
    b, m = len(found.matrices[0].bodies), len(found.matrices[0].rows)
    figure.suptitle(
        f"Matrices of (11.42), (11.45), (11.49): spatial slider-crank, b = {b}, m = {m}"
    )
    return {"spatial_systems": figure}


def draw_pattern(axes: Any, made: cartesian.CartesianMatrices, name: str) -> None:
    """Entries of one matrix; those whose mirror image differs are marked."""
    matrix = made.matrix
    size, b = made.size, len(made.bodies)
    scale = np.abs(matrix).max()
    is_entry = np.abs(matrix) > 1e-12 * scale
    differs = is_entry & (np.abs(matrix - matrix.T) > 1e-12 * scale)
    for chosen, color in ((is_entry & ~differs, INK), (differs, ACCENT)):
        rows, columns = np.nonzero(chosen)
        axes.plot(columns, rows, "s", ms=3.0, color=color, mew=0)
    width = {1: (7 * b, 8 * b), 2: (7 * b,), 3: (6 * b,)}[made.formulation]
    height = {1: (7 * b, 8 * b), 2: (6 * b, 7 * b), 3: (6 * b,)}[made.formulation]
    for x in width:
        axes.axvline(x - 0.5, color=FAINT, lw=0.8)
    for y in height:
        axes.axhline(y - 0.5, color=FAINT, lw=0.8)
    axes.set(xlim=(-1, size), ylim=(size, -1))
    axes.set_aspect("equal")
    axes.set_xlabel("unknown")
    symmetry = "symmetric" if made.is_symmetric else "nonsymmetric"
    marked = "" if made.is_symmetric else "\n(red: unlike its mirror image)"
    axes.set_title(f"{name}: {size} equations, {symmetry}{marked}", loc="left", fontsize="medium")


EXPERIMENTS = (
    Experiment(
        "figure_11_1",
        "Figure 11.1: a force at a point of a body, and its virtual work",
        SOURCE,
        run_figure_11_1,
        figure_11_1_numbers,
        figure_11_1_figures,
        document="spatial-dynamics",
    ),
    Experiment(
        "euler_parameters",
        "Euler parameters: identities, and problems 11.1 to 11.5",
        SOURCE,
        run_euler_parameters,
        euler_parameters_numbers,
        euler_parameters_figures,
        document="spatial-dynamics",
    ),
    Experiment(
        "spatial_systems",
        "The matrices of formulations I, II and III",
        SOURCE,
        run_spatial_systems,
        spatial_systems_numbers,
        spatial_systems_figures,
        document="spatial-dynamics",
    ),
)
