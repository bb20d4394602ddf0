"""The drawings of the thesis: figs. 1.1, 2.12, 3.1, 3.2 and 3.4, drawn from models of this library.

Fig. 1.1 bodies on links, 2.12 the symmetric top with its Euler angles ZYZ, 3.1 the chain of N + 2
bodies, 3.2 particles of a body with its principal axes, 3.4 the tetrahedron. (Fig. 1.2 is the
experiment molecular_bearing.) The numbers are those that the drawings show.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row
from hamiltree.gallery.experiments.tetrahedra import CORNERS, EDGES
from hamiltree.model import Particles
from hamiltree.model.library import spherical_chain
from hamiltree.model.molecules import tetrahedron
from hamiltree.rotations import (
    matrix_from_zyz,
    rotation_exponential,
    zyz_from_matrix,
)
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

ANGLES = np.radians([55.0, 40.0, 50.0])  # ψ, θ, φ
PANELS = {
    "1.1": "fig. 1.1: bodies on links",
    "3.1": "fig. 3.1: chain of N + 2 bodies, ends clamped",
    "3.2": "fig. 3.2: particles of a body, principal axes",
    "3.4": "fig. 3.4: tetrahedron of the chain",
}
PRINTED = (17 / 12, 5 / 4, 5 / 6)  # moments of the tetrahedron
LINKS = 6


class Drawn(NamedTuple):
    top: np.ndarray  # R of the top
    cloud: Particles  # of fig. 3.2, as given


def run(quick: bool = False, progress: bool = True) -> Drawn:
    """Nothing is integrated."""
    rng = np.random.default_rng(4)
    turn = rotation_exponential(np.array([0.4, 0.3, 0.5]))
    atoms = rng.normal(size=(9, 3)) * (0.5, 0.35, 0.25) @ turn.T
    places: Any = atoms + np.array([1.6, 1.4, 1.0])
    return Drawn(matrix_from_zyz(ANGLES), Particles(places, 1.0))


# ---- numbers -------------------------------------------------------------------------------------
def numbers(drawn: Drawn) -> list[Row]:
    """The angles of fig. 2.12 found again, products of inertia in principal axes, moments of the
    tetrahedron.
    """
    rows = [
        Row(f"fig. 2.12: {name} from R, rad", float(found), float(given), "given")
        for name, found, given in zip("ψθφ", zyz_from_matrix(drawn.top), ANGLES, strict=True)
    ]
    placed = drawn.cloud.in_principal_axes()
    inertia = np.array(placed.inertia)
    products = float(np.abs(inertia - np.diag(np.diag(inertia))).max())
    rows.append(
        Row("fig. 3.2: largest product of inertia in principal axes", products, 0.0, "exact")
    )
    moments = np.diag(tetrahedron().inertia)
    for axis, (moment, printed) in enumerate(zip(moments, PRINTED, strict=True), 1):
        note = "7/6, ERRATA 2-33" if axis == 3 else ""
        rows.append(Row(f"fig. 3.4: I{axis}{axis} / ma²", float(moment), printed, THESIS, note))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(drawn: Drawn) -> dict[str, Any]:
    """Fig. 2.12 by itself, the others together."""
    top, panels = new_figure([["top"]], (6.4, 6.2), per_subplot_kw={"top": {"projection": "3d"}})
    draw_top(panels["top"], drawn.top)
    top.suptitle(f"Symmetric body and its axes ({THESIS}, fig. 2.12)")
    solid = {name: {"projection": "3d"} for name in PANELS}
    others, panels = new_figure([["1.1", "3.1"], ["3.2", "3.4"]], (11.0, 8.6), per_subplot_kw=solid)
    draw_links(panels["1.1"])
    draw_chain(panels["3.1"])
    draw_particles(panels["3.2"], drawn.cloud)
    draw_tetrahedron(panels["3.4"])
    for name, heading in PANELS.items():
        panels[name].set_title(heading, fontsize="medium")
    others.suptitle(f"Drawings of {THESIS}, made of models of the library")
    return {"top_axes": top, "drawings": others}


def arrow(axes, start: Any, along: Any, label: str, color: str, width: float = 1.3) -> None:
    """A vector with its name at the end."""
    start, along = np.asarray(start, float), np.asarray(along, float)
    axes.quiver(*start, *along, color=color, lw=width, arrow_length_ratio=0.1)
    axes.text(*(start + 1.12 * along), label, color=color, ha="center", va="center")


def arc(axes, first: Any, second: Any, size: float, label: str, color: str) -> None:
    """The angle from one unit vector to another."""
    first, second = np.asarray(first), np.asarray(second)
    turn = np.cross(first, second)
    angle = np.arctan2(np.linalg.norm(turn), first @ second)
    axis = turn / np.linalg.norm(turn)
    points = np.array(
        [size * rotation_exponential(axis * x) @ first for x in np.linspace(0.0, angle, 40)]
    )
    axes.plot(*points.T, color=color, lw=1.1)
    axes.text(*(1.18 * points[len(points) // 2]), label, color=color, ha="center", va="center")


def frame_view(axes, centre: Any, half: float, elev: float = 22.0, azim: float = -58.0) -> None:
    """Equal scales about a centre, without axes."""
    x, y, z = centre
    axes.set(xlim=(x - half, x + half), ylim=(y - half, y + half), zlim=(z - half, z + half))
    axes.set_box_aspect((1, 1, 1), zoom=1.45)
    axes.view_init(elev=elev, azim=azim)
    axes.set_axis_off()


def draw_top(axes, R: np.ndarray) -> None:
    """A cone on its tip, XYZ of the world, xyz of the body, ψ, θ and φ, centre of mass, weight."""
    turn = np.linspace(0.0, 2.0 * np.pi, 80)
    for height in (0.35, 0.6, 0.85):
        rim = np.stack(
            [0.4 * height * np.cos(turn), 0.4 * height * np.sin(turn), 0 * turn + height]
        )
        axes.plot(*(R @ rim), color=FAINT if height < 0.8 else SOFT, lw=1.2)
    for angle in turn[::10]:
        edge = R @ np.array([0.34 * np.cos(angle), 0.34 * np.sin(angle), 0.85])
        axes.plot(*np.stack([np.zeros(3), edge]).T, color=FAINT, lw=0.8)
    for name, axis in zip("XYZ", np.eye(3), strict=True):
        arrow(axes, np.zeros(3), axis, name, INK)
    for name, axis in zip("xyz", R.T, strict=True):
        arrow(axes, np.zeros(3), 1.15 * axis, name, ACCENT)
    psi, theta, _ = ANGLES
    flat = np.array([np.cos(psi), np.sin(psi), 0.0])
    nodding = matrix_from_zyz([psi, theta, 0.0])[:, 0]
    axes.plot(*np.stack([np.zeros(3), flat]).T, "--", color=FAINT, lw=1.0)
    axes.plot(*np.stack([np.zeros(3), nodding]).T, "--", color=FAINT, lw=1.0)
    arc(axes, np.eye(3)[0], flat, 0.55, "ψ", INK)
    arc(axes, np.eye(3)[2], R[:, 2], 0.75, "θ", INK)
    arc(axes, nodding, R[:, 0], 0.8, "φ", INK)
    centre = 0.64 * R[:, 2]
    axes.plot(*centre[:, None], "o", color=INK, ms=5)
    arrow(axes, centre, (0.0, 0.0, -0.45), "mg", INK)
    axes.text(*(centre + 0.12 * R[:, 0]), "l", color=INK)
    frame_view(axes, (0.2, 0.25, 0.25), 0.85, 24.0, 18.0)


def draw_links(axes) -> None:
    """A chain of rods on balls, ht.library.spherical_chain, bent."""
    bend = rotation_exponential(np.array([0.0, -0.35, 0.12]))
    R, at = rotation_exponential(np.array([0.0, -0.9, 0.0])), np.zeros(3)
    model = spherical_chain(LINKS)
    length = -2.0 * model.bodies[0].com[2]
    for _ in model.bodies:
        end = at + R @ np.array([0.0, 0.0, -length])
        axes.plot(*np.stack([at, end]).T, color=SOFT, lw=7.0, solid_capstyle="round")
        axes.plot(*at[:, None], "o", color=ACCENT, ms=6)
        at, R = end, R @ bend
    axes.plot(*at[:, None], "o", color=ACCENT, ms=6)
    frame_view(axes, 0.5 * at - np.array([0.0, 0.0, 0.2]), 0.75)


def draw_edges(axes, corners: np.ndarray, color: str) -> None:
    for edge in EDGES:
        axes.plot(*corners[list(edge)].T, color=color, lw=1.2)
    axes.plot(*corners.T, "o", color=SOFT, ms=4, mew=0)


def draw_chain(axes) -> None:
    """Bodies 0 … N + 1 with their frames; the ends are clamped."""
    rng = np.random.default_rng(2)
    names = ["0", "1", "j", "N", "N + 1"]
    places = []
    for k, name in enumerate(names):
        is_held = k in (0, len(names) - 1)
        R = np.eye(3) if is_held else rotation_exponential(0.7 * rng.normal(size=3))
        at = np.array([1.7 * k, 0.0, 0.0 if is_held else 0.35 * rng.normal()])
        draw_edges(axes, at + CORNERS @ R.T, FAINT if is_held else INK)
        axes.text(*(at + np.array([0.0, 0.0, -1.0])), name, ha="center", color=INK)
        places.append(at)
    axes.plot(*np.array(places).T, ":", color=ACCENT, lw=1.2)
    frame_view(axes, (3.4, 0.0, 0.0), 3.7, 16.0, -78.0)


def draw_particles(axes, cloud: Particles) -> None:
    """Particles r^k in the frame {e}, the centre of mass r and the principal axes there."""
    atoms, centre = np.array(cloud.positions), np.array(cloud.com)
    _, principal, _ = cloud.principal()
    axes.plot(*atoms.T, "o", color=SOFT, ms=6)
    for atom in atoms:
        axes.plot(*np.stack([centre, atom]).T, color=FAINT, lw=0.8)
    for k, axis in enumerate(np.eye(3), 1):
        arrow(axes, np.zeros(3), 0.8 * axis, f"e{k}", INK)
    for k, axis in enumerate(np.array(principal).T, 1):
        arrow(axes, centre, 0.95 * axis, f"e{k}′", ACCENT)
    arrow(axes, np.zeros(3), 0.9 * centre, "r", INK, 0.9)
    arrow(axes, np.zeros(3), 0.95 * atoms[0], "rᵏ", SOFT, 0.9)
    frame_view(axes, 0.62 * centre, 1.6)


def draw_tetrahedron(axes) -> None:
    """The four particles with their coordinates, and the body's axes."""
    draw_edges(axes, CORNERS, INK)
    for k, corner in enumerate(CORNERS, 1):
        axes.text(*(1.25 * corner), f"r{k}", color=INK, ha="center")
    for name, axis in zip(("e₁", "e₂", "e₃"), np.eye(3), strict=True):
        arrow(axes, np.zeros(3), 0.45 * axis, name, ACCENT)
    frame_view(axes, (0.0, 0.1, 0.2), 0.68, 18.0, -65.0)


EXPERIMENT = Experiment(
    "drawings",
    "Drawings of the thesis",
    f"{THESIS}, figs. 1.1, 2.12, 3.1, 3.2, 3.4",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
