"""A molecular bearing, two rigid tubes of carbon one inside the other: the thesis, fig. 1.2, which
shows such a bearing and gives no data.

ht.library.molecular_bearing: a (5, 5) shaft in a (10, 10) sleeve, Lennard-Jones forces between
their atoms. The shaft spins, its centre starts off the axis and 0.4 nm along it, and is drawn back.
The same motion is computed by another formulation; with a free sleeve momenta are kept; the energy
of the shaft on the axis has the symmetry of its five-fold tube.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.poses import Poses
from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs, run_to_end
from hamiltree.gallery.experiments.molecules import gap, momentum_change
from hamiltree.gallery.figures import legend_above
from hamiltree.model.nanotubes import BOND, molecular_bearing
from hamiltree.rotations import rotation_about_z
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure, thin_samples

STEP = 0.01  # ps
UNTIL = 40.0
QUICK_UNTIL = 2.0
SHORT = 0.5
FOLD = 5  # of the shaft
ANGLES = np.linspace(0.0, 2.0 * np.pi / FOLD, 73)
BONDED = 1.05 * BOND  # nearer atoms of one tube are drawn as bonded


class Result(NamedTuple):
    run: Trajectory
    short: Trajectory  # the beginning, by free_bodies_quaternion and by hamiltonian_tree
    other: Trajectory
    free: Trajectory  # the sleeve free
    barrier: np.ndarray  # V by ANGLES, kJ/mol, without its mean


def run(quick: bool = False, progress: bool = True) -> Result:
    """The bearing for a while, its beginning by two formulations, and one with a free sleeve."""
    until = QUICK_UNTIL if quick else UNTIL
    bearing = molecular_bearing()
    split = {"formulation": "free_bodies_quaternion", "integrator": "splitting4"}
    exact = {"formulation": "free_bodies_quaternion", "integrator": "gauss8"}
    tree = {"formulation": "hamiltonian_tree", "integrator": "gauss8"}
    short = partial(run_to_end, bearing, step=STEP, until=SHORT, save_every=1)
    jobs = {
        "long": partial(run_to_end, bearing, step=STEP, until=until, save_every=2, **split),
        "short": partial(short, **exact),
        "tree": partial(short, **tree),
        "free": partial(
            run_to_end, molecular_bearing(held="free"), step=STEP, until=QUICK_UNTIL, **split
        ),
    }
    found = run_jobs(jobs, "bearing", progress)
    return Result(found["long"], found["short"], found["tree"], found["free"], barrier())


def barrier() -> np.ndarray:
    """V of the shaft on the axis, centres together, as it turns: less its mean."""
    energy = PairEnergy(molecular_bearing(shift=(0.0, 0.0, 0.0)))
    values = [
        energy.energy(Poses(np.zeros((2, 3)), np.stack([rotation_about_z(angle), np.eye(3)])))
        for angle in ANGLES
    ]
    return np.array(values) - np.mean(values[:-1])


# ---- numbers -------------------------------------------------------------------------------------
def numbers(result: Result) -> list[Row]:
    """Agreement of two formulations, what is kept, and how little the spin changes."""
    end = f"to t = {float(result.run.t[-1]):g} ps"
    spin = result.run.twists.values[:, 0, 2]
    linear, angular = momentum_change(result.free)
    two = f"free_bodies_quaternion − hamiltonian_tree, t ≤ {SHORT:g} ps"
    return [
        Row(f"poses, {two}", gap(result.short, result.other, "pose"), 0.0, "hamiltonian_tree"),
        Row(f"twists, {two}", gap(result.short, result.other, "twist"), 0.0, "hamiltonian_tree"),
        Row(f"largest |H − H₀| / peak T {end}", result.run.energy_error, 0.0, "exact"),
        Row("sleeve free: change of linear momentum / Σ|p|", linear, 0.0, "exact"),
        Row("sleeve free: change of angular momentum / Σ|r × p| + Σ|spin|", angular, 0.0, "exact"),
        Row(f"largest change of the spin {end}, rad/ps of 10", float(np.ptp(spin)), None, ""),
        Row("V after a fifth of a turn − V, kJ/mol", float(np.diff(barrier_ends(result))[0]), 0.0,
            "symmetry"),
        Row("barrier of a turn on the axis, kJ/mol", float(np.ptp(result.barrier)), None, ""),
    ]  # fmt: skip


def barrier_ends(result: Result) -> np.ndarray:
    return result.barrier[[0, -1]]


# ---- figures -------------------------------------------------------------------------------------
def figures(result: Result) -> dict[str, Any]:
    """The bearing, the path of the shaft's centre, the barrier of a turn, and the energies."""
    layout = [["tubes", "path"], ["tubes", "spin"], ["barrier", "energy"]]
    figure, panels = new_figure(
        layout, (11.5, 8.2), width_ratios=[1.1, 1.0], per_subplot_kw={"tubes": {"projection": "3d"}}
    )
    draw_tubes(panels["tubes"], result.run)
    draw_path(panels["path"], result.run)
    draw_spin(panels["spin"], result.run)
    panels["barrier"].plot(np.degrees(ANGLES), 1e3 * result.barrier, color=INK, lw=1.0)
    panels["barrier"].set(xlabel="angle of the shaft / °", ylabel="V − mean / J/mol")
    panels["barrier"].set_title("turn on the axis", loc="left", fontsize="medium")
    draw_energies(panels["energy"], result.run)
    figure.suptitle(
        f"Molecular bearing: a (5, 5) shaft in a (10, 10) sleeve of carbon ({THESIS}, fig. 1.2)"
    )
    return {"molecular_bearing": figure}


def draw_tubes(axes, run: Trajectory) -> None:
    """Bonds of both tubes at the start."""
    poses = run.poses.values[0]
    for body, pose, color in zip(run.model.bodies, poses, (ACCENT, SOFT), strict=True):
        assert body.particles is not None
        atoms = np.array(body.particles.positions) + pose[:3]
        apart = np.linalg.norm(atoms[:, None] - atoms[None], axis=2)
        for first, second in np.argwhere(np.triu(apart < BONDED, 1)):
            axes.plot(*atoms[[first, second]].T, color=color, lw=1.4, solid_capstyle="round")
    half = 0.75
    axes.set(
        xlim=(-half, half),
        ylim=(-half, half),
        zlim=(0.25 - half, 0.25 + half),
        xticks=[],
        yticks=[],
        zticks=[],
    )
    axes.set_box_aspect((1, 1, 1), zoom=1.1)
    axes.view_init(elev=28, azim=-55)
    axes.set_axis_off()


def draw_path(axes, run: Trajectory) -> None:
    """The centre of the shaft, off the axis and along it."""
    places = run.poses.values[:, 0, :3]
    for name, column, color in zip("xz", places[:, [0, 2]].T, (ACCENT, INK), strict=True):
        axes.plot(*thin_samples(run.t.values, column), color=color, lw=0.8, label=name)
    axes.set(xlabel="t / ps", ylabel="centre of the shaft / nm")
    legend_above(axes, 2)


def draw_spin(axes, run: Trajectory) -> None:
    spin = run.twists.values[:, 0, 2]
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)
    axes.plot(*thin_samples(run.t.values, spin - spin[0]), color=INK, lw=0.7)
    axes.set(xlabel="t / ps", ylabel="change of ω_z / rad/ps")
    axes.set_title(f"spin, {spin[0]:g} rad/ps at the start", loc="left", fontsize="medium")


def draw_energies(axes, run: Trajectory) -> None:
    """Changes of T and V, and H − H₀."""
    T, V = run.kinetic_energy.values, run.potential_energy.values
    lines = {
        "T − T₀": (T - T[0], ACCENT),
        "V − V₀": (V - V[0], SOFT),
        "H − H₀": (T - T[0] + V - V[0], INK),
    }
    for label, (values, color) in lines.items():
        axes.plot(*thin_samples(run.t.values, values), color=color, lw=0.8, label=label)
    axes.set(xlabel="t / ps", ylabel="energy / kJ/mol")
    legend_above(axes, 3)


EXPERIMENT = Experiment(
    "molecular_bearing",
    "Molecular bearing of two carbon tubes",
    f"{THESIS}, fig. 1.2",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
