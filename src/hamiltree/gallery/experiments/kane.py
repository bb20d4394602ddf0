"""The two examples of the notes "Multibody Dynamics" on Kane's equations: eight bodies with
relative coordinates, six bodies with absolute orientations.

The notes give no data; the library's general ones are used. [A], {f}, {ẏ} and the motion to t = 1 s
stand beside those of another program. Every connection has six degrees of freedom, so that the
bodies must move as free ones: a_G = F/m and I'ω̇' = M' − ω' × I'ω'.
"""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.kane.partials import Partials, partials
from hamiltree.gallery.experiment import Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.kane_figures import draw_connection, draw_matrix, draw_system
from hamiltree.model import library
from hamiltree.rotations import rotate_back, rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import new_figure

STEP = 1e-3
OTHER = "other code"
FORMULATIONS = {"eight_bodies": "kane_relative", "six_bodies": "kane_absolute"}


class Result(NamedTuple):
    """An example: Kane's equations at the start, and its motion by two sets of equations."""

    name: str
    found: Partials
    reference: dict[str, Any]
    kane: Trajectory
    tree: Trajectory


def reference_numbers(name: str) -> dict[str, Any]:
    """What the other program found for an example."""
    source = files("hamiltree.gallery") / "data" / "kane.json"
    return json.loads(source.read_text(encoding="utf-8"))[name]


def run(name: str, quick: bool = False, progress: bool = True) -> Result:
    """Kane's equations, and the motion by them and by Hamilton's equations of the tree."""
    model = library.build(name, loads=True)
    formulation, until = FORMULATIONS[name], 0.1 if quick else 1.0
    jobs = {
        way: partial(run_to_end, model, "gauss8", STEP, until, formulation=way)
        for way in (formulation, "hamiltonian_tree")
    }
    runs = run_jobs(jobs, name, progress)
    found = partials(model, formulation=formulation)
    return Result(name, found, reference_numbers(name), *runs.values())


# ---- numbers -------------------------------------------------------------------------------------
def largest(a: Any, b: Any) -> float:
    return float(np.abs(np.asarray(a) - np.asarray(b)).max())


def mass_centres(run: Trajectory, model: Any) -> np.ndarray:
    """Centres of mass at the end of a run, world axes."""
    poses = run.poses.values[-1]
    com = np.array([body.com for body in model.bodies])
    return poses[:, :3] + np.einsum("kij,kj->ki", rotation_matrix(poses[:, 3:]), com)


def entries(name: str, ours: np.ndarray, theirs: np.ndarray, places: Any) -> list[Row]:
    """A few entries, numbered from 1, beside those of the other program."""
    rows = []
    for place in places:
        index = tuple(k - 1 for k in place)
        label = ", ".join(map(str, place))
        rows.append(Row(f"{name}({label})", float(ours[index]), float(theirs[index]), OTHER))
    return rows


def numbers(result: Result) -> list[Row]:
    """[A], {f}, {ẏ}, accelerations, and where the bodies are at the end."""
    found, reference = result.found, result.reference
    A, f, rates = (getattr(found, name).values for name in ("mass_matrix", "forces", "rates"))
    lower = np.array(reference["lower triangle of A by rows"])
    other = np.zeros_like(A)
    other[np.tril_indices(len(A))] = lower
    other = other + np.tril(other, -1).T
    half = len(f) // 2 + 1
    y = found.y.values
    rows = [
        *entries("[A]", A, other, [(1, 1), (1, half), (half, half)]),
        Row("[A]: largest difference of an entry", largest(A, other), 0.0, OTHER),
        *entries("{f}", f, np.array(reference["f"]), [(1,), (half,)]),
        Row("{f}: largest difference of an entry", largest(f, reference["f"]), 0.0, OTHER),
        Row("{ẏ}: largest difference of an entry", largest(rates, reference["ydot"]), 0.0, OTHER),
        Row("½ yᵀ[A]y, J", float(0.5 * y @ A @ y), reference["kinetic energy"], OTHER),
    ]
    return [*rows, *free_body_rows(result), *end_rows(result)]


def free_body_rows(result: Result) -> list[Row]:
    """Accelerations beside those of free bodies."""
    found = result.found
    acceleration = found.acceleration_G.values
    if found.formulation == "kane_relative":
        acceleration = rotate_back(found.rotations.values, acceleration)
    alpha = found.angular_acceleration.values
    return [
        Row("a_G: largest difference, m/s²", largest(acceleration, result.reference["aG"]), 0.0,
            "free bodies"),
        Row("α': largest difference, rad/s²", largest(alpha, result.reference["alpha"]), 0.0,
            "free bodies"),
    ]  # fmt: skip


def end_rows(result: Result) -> list[Row]:
    """The centres of mass at the end, by other equations and by the other program."""
    model, time = result.found.equations.model, float(result.kane.t.values[-1])
    ours, tree = (mass_centres(run, model) for run in (result.kane, result.tree))
    what = f"centres of mass at t = {time:g} s: largest difference, m"
    rows = [Row(what, largest(ours, tree), 0.0, "hamiltonian_tree")]
    if abs(time - result.reference["end"]["t"]) < STEP / 2:
        rows.append(Row(what, largest(ours, result.reference["end"]["pG"]), 0.0, OTHER))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures_of_eight(result: Result) -> dict[str, Any]:
    """The system and two of its bodies with their vectors; [A]."""
    figure, panels = new_figure([["system", "pair"]], (10.5, 4.6))
    draw_system(panels["system"], result.found)
    draw_connection(panels["pair"], result.found, 8)
    figure.suptitle("Multibody system with eight bodies (notes on relative coordinates)")
    second, panels = new_figure([["matrix"]], (5.8, 4.8))
    draw_matrix(panels["matrix"], result.found)
    second.suptitle("Eight bodies, relative coordinates")
    return {"eight_bodies": figure, "eight_bodies_matrix": second}


def figures_of_six(result: Result) -> dict[str, Any]:
    """The system, and [A]."""
    figure, panels = new_figure([["system", "matrix"]], (10, 4.8))
    draw_system(panels["system"], result.found)
    draw_matrix(panels["matrix"], result.found)
    figure.suptitle("Multibody system with six bodies (notes with absolute orientations)")
    return {"six_bodies": figure}


EXPERIMENTS = (
    Experiment(
        "eight_bodies",
        "Kane's equations of eight bodies, relative coordinates",
        "Multibody Dynamics, relative coordinates",
        partial(run, "eight_bodies"),
        numbers,
        figures_of_eight,
        "kane-relative",
    ),
    Experiment(
        "six_bodies",
        "Kane's equations of six bodies, absolute orientations",
        "Multibody Dynamics, example",
        partial(run, "six_bodies"),
        numbers,
        figures_of_six,
        "kane-absolute",
    ),
)
