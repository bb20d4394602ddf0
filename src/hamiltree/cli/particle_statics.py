"""Equilibria and modes of bodies of particles, which rest at poses: tables, JSON and pictures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hamiltree.cli.output import plain_table

Answer = tuple[dict[str, Any], list[Any], Callable[[], Any]]
SHOWN_BODIES = 20
SHOWN_MODES = 6


def answer_rest(rest: Any) -> Answer:
    """Where the centres of mass are; rotations in JSON."""
    kind = "stable" if rest.is_stable else f"unstable ({rest.unstable})"
    table = plain_table(f"{rest.model.name}: {kind}, V = {rest.energy:.10g} J", "body", *"xyz")
    names = [body.name for body in rest.model.bodies]
    places = rest.poses.positions.tolist()
    for name, place in list(zip(names, places, strict=True))[:SHOWN_BODIES]:
        table.add_row(name, *(f"{x:.8g}" for x in place))
    if len(names) > SHOWN_BODIES:
        table.add_row(f"… {len(names)} bodies; all with --json", "", "", "")
    data = {
        "model": rest.model.name,
        "centres_of_mass": dict(zip(names, places, strict=True)),
        "rotations": dict(zip(names, rest.poses.rotations.tolist(), strict=True)),
        **{name: getattr(rest, name) for name in ("energy", "residual", "stiffness", "lowest")},
        **{name: getattr(rest, name) for name in ("unstable", "iterations")},
    }
    return data, [table], lambda: rest.model.plot.tree()


def answer_modes(name: str, found: Any) -> Answer:
    """Frequencies, and the body that moves most."""
    import numpy as np

    frequencies = found.frequencies.tolist()
    moved = np.linalg.norm(found.shapes.values[:, :, :3], axis=2)
    bodies = [str(body) for body in found.shapes["body"].values]
    table = plain_table(f"modes of {name}", "mode", "ω / rad/s", "f / Hz", "moves most")
    for k, omega in enumerate(frequencies):
        most = bodies[int(moved[k].argmax())]
        table.add_row(str(k + 1), f"{omega:.10g}", f"{omega / math.tau:.10g}", most)
    data = {
        "model": name,
        "frequencies": frequencies,
        "squares": found.squares.tolist(),
        "unstable": found.unstable,
        "rigid": found.rigid,
        "bodies": bodies,
        "parts": [str(part) for part in found.shapes["part"].values],
        "shapes": found.shapes.values.tolist(),
    }
    return data, [table], lambda: draw_shapes(name, frequencies, moved)


def draw_shapes(name: str, frequencies: list[float], moved: Any) -> Any:
    """How far the centres of mass move in the first modes, in parts of the farthest."""
    from hamiltree.view.styles import Panel, stack_panels

    def draw(axes: Any) -> None:
        for omega, row in list(zip(frequencies, moved, strict=True))[:SHOWN_MODES]:
            axes.plot(row / (row.max() or 1.0), marker=".", label=f"{omega:.4g} rad/s")
        axes.set_xlabel("body")
        axes.set_ylabel("displacement, in parts of the largest")
        axes.legend(fontsize="small")

    return stack_panels([Panel(draw, 4.0, is_over_time=False)], f"modes of {name}", None)
