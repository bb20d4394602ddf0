"""Molecules with joints: a ring of tetrahedra on balls, and a branched one on balls and hinges;
Lennard-Jones forces where no joint is.

Bodies that no joint connects act on each other by pair potentials. Joints are coordinates of a tree
(with one loop-closing joint) in one formulation and constraints between free bodies in the other;
both must give the same motion, and momenta and energy must be conserved.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.tetrahedra import CORNERS, EDGES
from hamiltree.model import Model
from hamiltree.model.molecules import branched_molecule, particle_ring
from hamiltree.rotations import rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure, rotate_vectors, thin_samples

SHORT = 0.5
SHORT_STEP = 5e-3
STEP = 1e-2
UNTIL = 20.0
QUICK_UNTIL = 1.0
TIGHT = {"dop853": {"rtol": 1e-13, "atol": 1e-13}}  # options of integrators that choose their steps


class Molecule(NamedTuple):
    label: str
    model: Callable[[], Model]
    formulation: str
    integrator: str
    other: str  # formulation
    other_integrator: str


MOLECULES = {
    "ring": Molecule(
        "ring of 8",
        partial(particle_ring, 8, omega=(0.8, 0.0, 0.2)),
        "hamiltonian_loops",
        "spark6",
        "cartesian_hamiltonian",
        "spark6",
    ),
    "branched": Molecule(
        "branched, 10 bodies",
        partial(branched_molecule, spacing=2.8),
        "hamiltonian_tree",
        "gauss8",
        "cartesian_3",
        "dop853",
    ),
}


class Result(NamedTuple):
    """By the name of the molecule."""

    runs: dict[str, Trajectory]
    short: dict[str, Trajectory]
    others: dict[str, Trajectory]


def run(quick: bool = False, progress: bool = True) -> Result:
    """Per molecule: short runs with two formulations, and a long one."""
    until = QUICK_UNTIL if quick else UNTIL
    jobs = {}
    for name, molecule in MOLECULES.items():
        own = {"integrator": molecule.integrator, "formulation": molecule.formulation}
        other = {"integrator": molecule.other_integrator, "formulation": molecule.other}
        other |= TIGHT.get(molecule.other_integrator, {})
        short = partial(run_to_end, molecule.model(), step=SHORT_STEP, until=SHORT, save_every=10)
        long = partial(run_to_end, molecule.model(), step=STEP, until=until, save_every=2)
        jobs[f"{name}, {molecule.formulation}"] = partial(short, **own)
        jobs[f"{name}, {molecule.other}"] = partial(short, **other)
        jobs[f"{name}, long"] = partial(long, **own)
    found = run_jobs(jobs, "molecules", progress)
    return Result(
        runs={name: found[f"{name}, long"] for name in MOLECULES},
        short={name: found[f"{name}, {m.formulation}"] for name, m in MOLECULES.items()},
        others={name: found[f"{name}, {m.other}"] for name, m in MOLECULES.items()},
    )


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    """Differences between two formulations, changes of energy and momenta, constraint residual."""
    rows = []
    for name, molecule in MOLECULES.items():
        one = result.short[name]
        other = result.others[name]
        found = result.runs[name]
        pair = f"{molecule.formulation} − {molecule.other}, t ≤ {SHORT:g}"
        moved = gap(one, other, "pose")
        faster = gap(one, other, "twist")
        rows.append(Row(f"{molecule.label}: positions, {pair}", moved, 0.0, molecule.other))
        rows.append(Row(f"{molecule.label}: twists, {pair}", faster, 0.0, molecule.other))
        rows += conserved_rows(molecule.label, found)
    residual = result.runs["ring"].constraint_error
    what = f"{MOLECULES['ring'].label}: largest constraint residual of a ball joint"
    rows.append(Row(what, residual, 0.0, "exact"))
    return rows


def conserved_rows(label: str, run: Trajectory) -> list[Row]:
    """Relative changes of the energy and of both momenta."""
    energy = f"{label}: largest |H − H₀| / peak T to t = {float(run.t[-1]):g}"
    linear = f"{label}: change of linear momentum / Σ|p|"
    angular = f"{label}: change of angular momentum / Σ|r × p| + Σ|spin|"
    changes = momentum_change(run)
    return [
        Row(energy, run.energy_error, 0.0, "exact"),
        Row(linear, changes[0], 0.0, "exact"),
        Row(angular, changes[1], 0.0, "exact"),
    ]


def gap(one: Trajectory, other: Trajectory, variable: str) -> float:
    """The largest difference of poses (attitudes by rotation matrices) or twists."""
    if variable == "twist":
        return float(np.abs(one.twists.values - other.twists.values).max())
    places = np.abs(one.poses.values[..., :3] - other.poses.values[..., :3]).max()
    R_one = rotation_matrix(one.poses.values[..., 3:])
    attitudes = R_one - rotation_matrix(other.poses.values[..., 3:])
    return float(max(places, np.abs(attitudes).max()))


def momenta(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(time, body, 3) m v and r × m v, then the spin R J Rᵀ ω; centres of mass are origins of
    tetrahedra.
    """
    pose = run.poses.values
    twist = run.twists.values
    bodies = run.model.bodies
    p = np.array([body.mass for body in bodies])[:, None] * twist[..., 3:]
    R = rotation_matrix(pose[..., 3:])
    inertias = np.array([body.inertia for body in bodies])
    spin = np.einsum("tnij,njk,tnlk,tnl->tni", R, inertias, R, twist[..., :3])
    return p, np.concatenate([np.cross(pose[..., :3], p), spin], axis=1)


def momentum_change(run: Trajectory) -> tuple[float, float]:
    """The largest change of each total momentum, relative to the largest sum of its parts."""
    changes = []
    for parts in momenta(run):
        total = parts.sum(axis=1)
        size = np.linalg.norm(parts, axis=2).sum(axis=1).max()
        changes.append(float(np.linalg.norm(total - total[0], axis=1).max() / size))
    return changes[0], changes[1]


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """Each molecule at the start and at the end, and its energies."""
    layout = [[f"{name} start", f"{name} end", f"{name} energy"] for name in MOLECULES]
    solid = {
        f"{name} {when}": {"projection": "3d"} for name in MOLECULES for when in ("start", "end")
    }
    figure, panels = new_figure(
        layout, (13.0, 8.0), width_ratios=[1.0, 1.0, 1.25], per_subplot_kw=solid
    )
    for name, molecule in MOLECULES.items():
        found = result.runs[name]
        for when, row in (("start", 0), ("end", -1)):
            draw_molecule(panels[f"{name} {when}"], found, row)
            panels[f"{name} {when}"].set_title(
                f"{molecule.label}, t = {float(found.t[row]):g}", fontsize="medium"
            )
        draw_energies(panels[f"{name} energy"], found)
        panels[f"{name} energy"].set_title(
            f"{molecule.formulation}, {molecule.integrator}, h = {STEP:g}",
            loc="left",
            fontsize="medium",
        )
    figure.suptitle(
        "Tetrahedra with joints (red) and Lennard-Jones forces between the bodies that none "
        "connects; reduced units"
    )
    return {"molecules": figure}


def draw_molecule(axes, run: Trajectory, row: int) -> None:
    """Edges of the tetrahedra, particles as dots, and joints as lines between the centres that they
    connect.
    """
    poses, names = run.poses.values[row], [str(name) for name in run.dataset["body"].values]
    centre = poses[:, :3].mean(axis=0)
    for pose in poses:
        at = pose[:3] - centre + rotate_vectors(pose[None, 3:], CORNERS)
        for edge in EDGES:
            axes.plot(*at[list(edge)].T, color=INK, lw=0.8)
        axes.plot(*at.T, "o", color=SOFT, ms=3.5, mew=0)
    for joint in run.model.joints:
        if joint.parent in names:
            ends = poses[[names.index(joint.parent), names.index(joint.child)], :3] - centre
            axes.plot(*ends.T, "-", color=ACCENT, lw=1.8)
    size = float(np.abs(poses[:, :3] - centre).max()) + 0.5
    axes.set(
        xlim=(-size, size), ylim=(-size, size), zlim=(-size, size), xticks=[], yticks=[], zticks=[]
    )
    axes.set_box_aspect((1, 1, 1), zoom=1.15)
    axes.view_init(elev=35, azim=-60)


def draw_energies(axes, run: Trajectory) -> None:
    """Kinetic, potential and total energy by time."""
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    lines = {
        "T": (run.kinetic_energy, ACCENT),
        "V": (run.potential_energy, SOFT),
        f"H, error {run.energy_error:.0e} of peak T": (run.energy, INK),
    }
    for label, (energy, color) in lines.items():
        axes.plot(*thin_samples(run.t.values, energy.values), color=color, lw=0.8, label=label)
    axes.set(xlabel="t / τ", ylabel="energy / ε")
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(0.0, -0.16),
        ncols=3,
        frameon=False,
        columnspacing=1.0,
        handlelength=1.2,
    )


EXPERIMENT = Experiment(
    "molecules",
    "Ring and branched molecule: joints and Lennard-Jones contacts",
    "between two formulations",
    run,
    numbers,
    figures,
)
