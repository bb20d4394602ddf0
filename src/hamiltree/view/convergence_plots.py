"""Pictures of studies of methods: error over step, and error over work."""

from __future__ import annotations

from functools import partial
from typing import Any

from hamiltree.view.styles import FAINT, Panel, line_style, stack_panels


class ConvergencePlots:
    """`found.plot.errors()`, `found.plot.work()`."""

    def __init__(self, found: Any):
        self.found = found

    def errors(self, ax: Any = None) -> Any:
        """Errors over the step, both logarithmic; the dashed line is the error of the reference."""
        steps = self.found.dataset["step"].values
        rows = [steps] * len(self.found.names)
        return self.stack(rows, "step", "errors of methods", ax)

    def work(self, ax: Any = None) -> Any:
        """Work–precision diagram: errors over evaluations of the equations."""
        rows = list(self.found.evaluations.values)
        return self.stack(rows, "evaluations", "work and precision", ax)

    def stack(self, across: list[Any], label: str, title: str, ax: Any) -> Any:
        panel = Panel(partial(self.draw, across=across, label=label), 4.0, is_over_time=False)
        return stack_panels([panel], title, ax)

    def draw(self, axes: Any, across: list[Any], label: str) -> None:
        """One line for each method."""
        names = self.found.names
        for k, (name, x) in enumerate(zip(names, across, strict=True)):
            order = self.found.orders[name]
            axes.loglog(
                x,
                self.found.errors.values[k],
                marker=".",
                label=f"{self.found.labels[k]} ({order:.1f})",
                **line_style(k, len(names)),
            )
        axes.axhline(self.found.floor, color=FAINT, ls="--", lw=0.8)
        axes.set_xlabel(label)
        axes.set_ylabel("error, in parts of the motion")
        axes.legend(fontsize="small")
