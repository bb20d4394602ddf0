"""A chain of rigid bodies against the elastic rod that it approaches: waves, and frequencies
between clamps as the chain grows.

The thesis leaves this open (its future work). Its own tetrahedra are not aligned (ERRATA 2-35):
every link turns by 82 degrees into a helix. A straight chain is made of twisted prisms, whose
facing triangles are staggered, so that aligned bodies are at rest. Both chains act by Lennard-Jones
between neighbours; the rod's stiffnesses are second derivatives of V of one link, nothing is
fitted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hamiltree.gallery.experiment import THESIS, Experiment, Row, run_jobs
from hamiltree.model import Body, Frame, Free, LennardJones, Model, PairForce, Particles, Weld
from hamiltree.view.plots import ACCENT, FAINT, INK, SOFT, new_figure

EPSILON, SIGMA = 5.0, 1.0
TETRAHEDRON = Particles(
    ((-1 / 2, -1 / 3, -1 / 4), (1 / 2, -1 / 3, -1 / 4), (0.0, 2 / 3, -1 / 4), (0.0, 0.0, 3 / 4))
)
RADIUS, HEIGHT = 0.6, 0.5
COUNTS, QUICK_COUNTS = (8, 16, 32, 64, 128, 256), (8, 16, 32)
SHOWN = 4  # modes between clamps
SMALL = 0.4 / 2.0 ** np.arange(6)  # k a, at which waves are compared
NAMES = {"straight": "twisted prisms", "helix": "tetrahedra"}


def prism() -> Particles:
    """Two triangles around x, the second turned by 60 degrees against the first."""
    turns = 2 * np.pi / 3 * np.arange(3)
    rims = ((-HEIGHT / 2, 0.0), (HEIGHT / 2, np.pi / 3))
    return Particles(
        tuple((x, RADIUS * np.cos(t + s), RADIUS * np.sin(t + s)) for x, s in rims for t in turns)
    )


def chain(cloud: Particles, frames: list[Frame]) -> Model:
    """Equal bodies at these places, the first and the last clamped; neighbours act."""
    last = len(frames) - 1
    bodies = [Body.of_particles(f"b{k}", cloud) for k in range(len(frames))]
    joints = [
        Weld(f"j{k}", "ground", f"b{k}", on_parent=at)
        if k in (0, last)
        else Free(f"j{k}", "ground", f"b{k}", q=(*at.position, *at.rotation))
        for k, at in enumerate(frames)
    ]
    force = PairForce(LennardJones(EPSILON, SIGMA), "neighbours")
    return Model(bodies, joints, [force], gravity=(0, 0, 0), name="chain")


@dataclass(frozen=True)
class Found:
    """The rod of each chain, and ω of the straight one between clamps beside those of its rod, by
    the number of links.
    """

    rods: dict[str, Any]
    clamped: dict[int, tuple[np.ndarray, np.ndarray]]


def run(quick: bool = False, progress: bool = True) -> Found:
    """The rod of both chains, and frequencies between clamps by the number of links."""
    from hamiltree.analysis.statics.rod import rod

    clouds = {"straight": prism(), "helix": TETRAHEDRON}
    two = [Frame(), Frame((1.9, 0.0, 0.0))]
    rods = {name: rod(chain(cloud, two)) for name, cloud in clouds.items()}
    jobs = {
        f"{n} links": lambda n=n: clamped_frequencies(rods["straight"], n)
        for n in (QUICK_COUNTS if quick else COUNTS)
    }
    found = run_jobs(jobs, "rod", progress)
    return Found(rods, {int(name.split()[0]): pair for name, pair in found.items()})


def clamped_frequencies(rod: Any, links: int) -> tuple[np.ndarray, np.ndarray]:
    """The first ω of the chain and of the rod, rad/s."""
    from hamiltree.analysis.statics.modes import modes

    model = chain(prism(), [rod.place(k) for k in range(links + 1)])
    return modes(model, SHOWN).frequencies, rod.clamped(links * rod.spacing, SHOWN)


def wave_errors(rod: Any) -> np.ndarray:
    """|ω_chain/ω_rod − 1| of the six branches at SMALL."""
    k = SMALL / rod.spacing
    return np.abs(rod.chain_dispersion(k) / rod.dispersion(k) - 1.0)


def order(errors: np.ndarray) -> float:
    """Of the last halving."""
    return float(np.log2(errors[-2] / errors[-1]))


def numbers(found: Found) -> list[Row]:
    """Orders of the six wave branches, stiffnesses, and frequencies between clamps."""
    rows = []
    for name, rod in found.rods.items():
        errors = wave_errors(rod)
        rows.append(Row(f"{NAMES[name]}: length of a link, m", rod.spacing, None, ""))
        rows += [
            Row(f"{NAMES[name]}: order of branch {j + 1} in k", order(errors[:, j]), 2.0, "theory")
            for j in range(6)
        ]
    ea, ga, _, gj, ei, _ = np.diag(found.rods["straight"].stiffness)
    for what, value in (("EA, N", ea), ("GA, N", ga), ("GJ, N m²", gj), ("EI, N m²", ei)):
        rows.append(Row(f"twisted prisms: {what}", float(value), None, ""))
    for links, (ours, theirs) in found.clamped.items():
        what = f"first ω of {links} links between clamps, rad/s"
        rows.append(Row(what, float(ours[0]), float(theirs[0]), "rod"))
    errors = np.array([abs(ours[0] / theirs[0] - 1.0) for ours, theirs in found.clamped.values()])
    rows.append(Row("order of the first ω in the number of links", order(errors), 2.0, "theory"))
    return rows


# ---- figures -------------------------------------------------------------------------------------
def figures(found: Found) -> dict[str, Any]:
    """Waves and frequencies of chains beside those of rods, and their differences."""
    figure, panels = new_figure([["straight", "helix"], ["waves", "clamps"]], (10.5, 8.0))
    for name, rod in found.rods.items():
        draw_branches(panels[name], rod, NAMES[name])
    draw_wave_errors(panels["waves"], found)
    draw_clamps(panels["clamps"], found)
    title = "A chain of rigid bodies and the rod that it approaches"
    figure.suptitle(f"{title} ({THESIS}, §4.2, left open there)")
    return {"rod": figure}


def draw_branches(axes, rod: Any, title: str) -> None:
    """Dispersion ω(k) of the chain and of its rod."""
    k = np.linspace(0.0, np.pi, 241) / rod.spacing
    rods, chains = rod.dispersion(k), rod.chain_dispersion(k)
    axes.plot(k * rod.spacing, rods, color=FAINT, lw=2.5, label=["rod"] + [None] * 5)
    axes.plot(k * rod.spacing, chains, color=ACCENT, lw=1.0, label=["chain"] + [None] * 5)
    axes.set(
        xlabel="k a",
        ylabel="ω / rad/s",
        title=title,
        xlim=(0, np.pi),
        ylim=(0, 1.25 * chains.max()),
    )
    axes.legend(loc="upper left", frameon=False)


def draw_wave_errors(axes, found: Found) -> None:
    """Relative differences of ω against the wave number, with a line of order 2."""
    for name, color, mark in (("straight", ACCENT, "o"), ("helix", SOFT, "s")):
        errors = wave_errors(found.rods[name])
        axes.loglog(
            SMALL, errors, mark + "-", color=color, ms=3, lw=0.8, label=[NAMES[name]] + [None] * 5
        )
    axes.loglog(SMALL, 0.02 * SMALL**2, "--", color=INK, lw=0.8, label="order 2")
    axes.set(
        xlabel="k a",
        ylabel="|ω of the chain / ω of the rod − 1|",
        xticks=[0.01, 0.1, 1.0],
        xlim=(0.01, 1.0),
    )
    axes.legend(frameon=False)


def draw_clamps(axes, found: Found) -> None:
    """Relative differences of ω between clamps against the number of links."""
    links = np.array(list(found.clamped))
    errors = np.array([np.abs(ours / theirs - 1.0) for ours, theirs in found.clamped.values()])
    for mode, color in ((0, ACCENT), (2, SOFT)):
        axes.loglog(
            links, errors[:, mode], "o-", color=color, ms=3, lw=0.8, label=f"mode {mode + 1}"
        )
    second_order = errors[-1, 0] * (links[-1] / links) ** 2.0 / 2
    axes.loglog(links, second_order, "--", color=INK, lw=0.8, label="order 2")
    axes.set(xlabel="links between clamps", ylabel="|ω of the chain / ω of the rod − 1|")
    axes.legend(frameon=False)


EXPERIMENT = Experiment(
    "rod",
    "A chain of rigid bodies against a rod",
    f"{THESIS}, future work",
    run,
    numbers,
    figures,
    document="chain-of-rigid-bodies",
)
