"""Pictures of linear equations and branches: eigenvalues, frequency responses, mode shapes,
equilibria along a parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hamiltree.view.styles import FAINT, INK, Panel, line_style, stack_panels


class LinearPlots:
    """Plots of a Linearisation: `linear.plot.eigenvalues()`, `linear.plot.response(omega)`."""

    def __init__(self, linear: Any):
        self.linear = linear

    def eigenvalues(self, ax: Any = None) -> Any:
        """Eigenvalues of A in the complex plane."""
        panel = Panel(self.draw_eigenvalues, 4.5, is_over_time=False)
        return stack_panels([panel], f"eigenvalues of {self.linear.model.name}", ax, 6.5)

    def draw_eigenvalues(self, axes: Any) -> None:
        """Crosses, on an axis of growth that is never very short."""
        found = self.linear.eigenvalues
        axes.axvline(0.0, color=FAINT, lw=0.8)
        axes.plot(found.real, found.imag, "x", color=INK, ms=5)
        # rounding beside the frequencies is no growth that could be seen
        least = LEAST_WIDTH * float(np.abs(found).max(initial=0.0))
        axes.update_datalim([(-least, 0.0), (least, 0.0)])
        axes.set_xlabel("growth / 1/s")
        axes.set_ylabel("frequency / rad/s")

    def response(self, omega: Any, ax: Any = None) -> Any:
        """Amplitude and phase of every output for a unit of each input, over ω in rad/s."""
        found = self.linear.frequency_response(omega)
        parts = (np.abs, "amplitude"), (np.angle, "phase / rad")
        made = [
            Panel(partial(draw_response, found=found, part=part, label=label), 2.4, False)
            for part, label in parts
        ]
        return stack_panels(made, f"response of {self.linear.model.name}", ax)


def draw_response(axes: Any, found: Any, part: Any, label: str) -> None:
    """|G| or its phase over ω, one line for each pair of output and input."""
    pairs = [(o, i) for o in range(found.shape[1]) for i in range(found.shape[2])]
    for k, (o, i) in enumerate(pairs):
        name = f"{found['output'].values[o]} by {found['input'].values[i]}"
        values = part(found.values[:, o, i])
        axes.plot(found["omega"].values, values, label=name, **line_style(k, len(pairs)))
    axes.set_xscale("log")
    if label == "amplitude":
        axes.set_yscale("log")
    axes.set_xlabel("ω / rad/s")
    axes.set_ylabel(label)
    axes.legend(fontsize="small")


class ModePlots:
    """Plots of modes: `modes.plot.shapes()`."""

    def __init__(self, modes: Any):
        self.modes = modes

    def shapes(self, ax: Any = None) -> Any:
        """The modes along the speeds of the tree, each in parts of its largest number."""
        name = self.modes.linear.model.name
        panel = Panel(self.draw_shapes, 4.0, is_over_time=False)
        return stack_panels([panel], f"modes of {name}", ax)

    def draw_shapes(self, axes: Any) -> None:
        """One line for each of the first six modes."""
        values = self.modes.speeds.values[:6]
        names = [str(name) for name in self.modes.speeds["speed"].values]
        for k, row in enumerate(values):
            size = np.abs(row).max() or 1.0
            label = f"{self.modes.frequencies[k]:.4g} rad/s"
            axes.plot(row / size, label=label, marker=".", **line_style(k, len(values)))
        axes.set_xticks(range(len(names)), names, rotation=90 if len(names) > 6 else 0)
        axes.set_ylabel("shape, in parts of the largest")
        axes.legend(fontsize="small")


LEAST_WIDTH = 0.05  # of the axis of growth, in parts of the largest eigenvalue
MARKS = {"fold": "s", "bifurcation": "o", "flutter": "^"}


class BranchPlots:
    """Plots of a Branch: `branch.plot.diagram("hinge")`."""

    def __init__(self, branch: Any):
        self.branch = branch

    def diagram(
        self, coordinate: str | None = None, others: Sequence[Any] = (), ax: Any = None
    ) -> Any:
        """A coordinate over the parameter, that which changes most unless it is named: stable
        equilibria solid, unstable ones dashed, special points marked; `others` are further
        branches of the same parameter.
        """
        branches = [self.branch, *others]
        widest = max(branches, key=lambda branch: float(np.ptp(branch.q.values, axis=0).max()))
        name = widest.find_coordinate(coordinate)
        panel = Panel(partial(draw_branches, branches=branches, name=name), 4.5, False)
        return stack_panels([panel], f"equilibria of {self.branch.model.name}", ax, 6.5)


def draw_branches(axes: Any, branches: list[Any], name: str) -> None:
    """Lines of all branches, and a mark of every kind of special point."""
    marked: set[str] = set()
    for k, branch in enumerate(branches):
        draw_branch(axes, branch, name, line_style(k, len(branches))["color"])
        for found in branch.special:
            label = None if found.kind in marked else found.kind
            place = found.parameter, float(found.q.sel(coordinate=name))
            style = {"color": INK, "mfc": "white", "ms": 6, "ls": "", "zorder": 3}
            axes.plot(*place, MARKS[found.kind], label=label, **style)
            marked.add(found.kind)
    axes.plot([], [], color=INK, label="stable")
    axes.plot([], [], color=INK, ls="--", label="unstable")
    axes.set_xlabel(branches[0].name)
    axes.set_ylabel(name)
    axes.legend(fontsize="small")


def draw_branch(axes: Any, branch: Any, name: str, color: Any) -> None:
    """Pieces between changes of stability, which end at the special points there."""
    values = branch.parameter.values
    q = branch.q.sel(coordinate=name).values
    unstable = branch.unstable.values > 0
    is_first = unstable[1] if len(unstable) > 1 else unstable[0]
    piece: list[tuple[float, float]] = []
    style = {"color": color, "lw": 1.4}
    for k in range(len(values)):
        now = is_first if k == 0 else unstable[k]  # a branch that was switched to begins neutral
        piece.append((float(values[k]), float(q[k])))
        ends = k + 1 == len(values)
        if ends or unstable[k + 1] != now:
            between = [x for x in branch.special if x.after == k] if not ends else []
            turn = [(x.parameter, float(x.q.sel(coordinate=name))) for x in between]
            axes.plot(*zip(*piece, *turn[:1], strict=True), ls="--" if now else "-", **style)
            piece = turn[-1:] or piece[-1:]
