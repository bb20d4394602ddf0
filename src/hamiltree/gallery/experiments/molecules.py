"""Molecules with joints: a ring of tetrahedra on balls, and a branched one on balls and hinges;
Lennard-Jones forces where no joint is.

What no joint connects acts on each other through pair potentials. Joints are coordinates of a tree
(and a loop that closes) in one formulation and constraints between free bodies in the other; both
must move alike, momenta and energy must stay.
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

SHORT, SHORT_STEP, STEP, UNTIL, QUICK_UNTIL = 0.5, 5e-3, 1e-2, 20.0, 1.0
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
    until, jobs = QUICK_UNTIL if quick else UNTIL, {}
    for name, molecule in MOLECULES.items():
        short = partial(run_to_end, molecule.model(), step=SHORT_STEP, until=SHORT, save_every=10)
        jobs[f"{name}, {molecule.formulation}"] = partial(
            short, integrator=molecule.integrator, formulation=molecule.formulation
        )
        jobs[f"{name}, {molecule.other}"] = partial(
            short,
            integrator=molecule.other_integrator,
            formulation=molecule.other,
            **TIGHT.get(molecule.other_integrator, {}),
        )
        jobs[f"{name}, long"] = partial(
            run_to_end,
            molecule.model(),
            molecule.integrator,
            STEP,
            until,
            formulation=molecule.formulation,
            save_every=2,
        )
    found = run_jobs(jobs, "molecules", progress)
    return Result(
        {name: found[f"{name}, long"] for name in MOLECULES},
        {name: found[f"{name}, {molecule.formulation}"] for name, molecule in MOLECULES.items()},
        {name: found[f"{name}, {molecule.other}"] for name, molecule in MOLECULES.items()},
    )


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    rows = []
    for name, molecule in MOLECULES.items():
        one, other, found = result.short[name], result.others[name], result.runs[name]
        pair, end = f"{molecule.formulation} − {molecule.other}", f"to t = {float(found.t[-1]):g}"
        rows += [
            Row(
                f"{molecule.label}: positions, {pair}, t ≤ {SHORT:g}",
                gap(one, other, "pose"),
                0.0,
                molecule.other,
            ),
            Row(
                f"{molecule.label}: twists, {pair}, t ≤ {SHORT:g}",
                gap(one, other, "twist"),
                0.0,
                molecule.other,
            ),
            Row(
                f"{molecule.label}: largest |H − H₀| / peak T {end}",
                found.energy_error,
                0.0,
                "exact",
            ),
            Row(
                f"{molecule.label}: change of linear momentum / Σ|p|",
                momentum_change(found)[0],
                0.0,
                "exact",
            ),
            Row(
                f"{molecule.label}: change of angular momentum / Σ|r × p| + Σ|spin|",
                momentum_change(found)[1],
                0.0,
                "exact",
            ),
        ]
    rows.append(
        Row(
            f"{MOLECULES['ring'].label}: largest opening of a ball",
            result.runs["ring"].constraint_error,
            0.0,
            "exact",
        )
    )
    return rows


def gap(one: Trajectory, other: Trajectory, variable: str) -> float:
    """Between poses (attitudes by rotation matrices) or twists of all samples."""
    if variable == "twist":
        return float(np.abs(one.twists.values - other.twists.values).max())
    places = np.abs(one.poses.values[..., :3] - other.poses.values[..., :3]).max()
    return float(
        max(
            places,
            np.abs(
                rotation_matrix(one.poses.values[..., 3:])
                - rotation_matrix(other.poses.values[..., 3:])
            ).max(),
        )
    )


def momenta(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(time, body, 3) m v and r × m v, then the spin R J Rᵀ ω; centres of mass are origins of
    tetrahedra.
    """
    pose, twist, bodies = run.poses.values, run.twists.values, run.model.bodies
    p, R = (
        np.array([body.mass for body in bodies])[:, None] * twist[..., 3:],
        rotation_matrix(pose[..., 3:]),
    )
    spin = np.einsum(
        "tnij,njk,tnlk,tnl->tni", R, np.array([body.inertia for body in bodies]), R, twist[..., :3]
    )
    return p, np.concatenate([np.cross(pose[..., :3], p), spin], axis=1)


def momentum_change(run: Trajectory) -> tuple[float, float]:
    """The largest change of each total, in parts of the largest sum of what it is made of."""
    changes = []
    for parts in momenta(run):
        total, size = parts.sum(axis=1), np.linalg.norm(parts, axis=2).sum(axis=1).max()
        changes.append(float(np.linalg.norm(total - total[0], axis=1).max() / size))
    return changes[0], changes[1]


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """Each molecule where it begins and ends, its energies, and what is kept."""
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
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(
        *thin_samples(run.t.values, run.kinetic_energy.values), color=ACCENT, lw=0.8, label="T"
    )
    axes.plot(
        *thin_samples(run.t.values, run.potential_energy.values), color=SOFT, lw=0.8, label="V"
    )
    axes.plot(
        *thin_samples(run.t.values, run.energy.values),
        color=INK,
        lw=0.8,
        label=f"H, error {run.energy_error:.0e} of peak T",
    )
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
