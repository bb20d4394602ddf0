"""How plots look: figures, colours that differ in grey too, styles of lines, legends, titles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.view.plot_data import has_bodies

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

INK, ACCENT, SOFT, FAINT = "#1f2a44", "#c8553d", "#5b8e7d", "0.75"
MAX_NAMED = 6  # lines of one panel that have a name
LONGEST_NAME = 28  # of a line in a legend
LEGEND_WIDTH = 60  # letters beside each other
# a line is known by its style where colours are printed as greys
STYLES = ("-", (0, (5, 1.6)), (0, (1.4, 1.4)), (0, (6, 1.6, 1.4, 1.6)), (0, (9, 3)),
          (0, (4, 1.4, 1.4, 1.4, 1.4, 1.4)))  # fmt: skip
DARKEST, LIGHTEST = 0.0, 0.72  # of viridis, whose greys go from black to white


class Panel(NamedTuple):
    """A drawing for one pair of axes."""

    draw: Callable[[Any], Any]
    height: float = 2.3  # inches
    is_over_time: bool = True


# ---- figures -------------------------------------------------------------------------------------
def new_figure(
    layout: Any, size: tuple[float, float], **options: Any
) -> tuple[Any, dict[str, Any]]:
    """A figure with named panels, without frames on top and at the right."""
    from hamiltree.view.plot_figure import PlotFigure

    figure = PlotFigure(figsize=size, layout="constrained")
    panels = figure.subplot_mosaic(layout, **options)
    for axes in panels.values():
        axes.spines[["top", "right"]].set_visible(False)
    return figure, panels


def stack_panels(panels: Sequence[Panel], heading: str, ax: Any = None, width: float = 8.0) -> Any:
    """Panels one below the other in a new figure, which is returned.

    On Axes that are given: the first panel on one, all of them on as many; the Axes are returned.
    """
    if ax is not None:
        return draw_on(panels, ax)
    heights = [panel.height for panel in panels]
    layout = [[str(number)] for number in range(len(panels))]
    figure, found = new_figure(layout, (width, 0.7 + sum(heights)), height_ratios=heights)
    over_time = [found[str(k)] for k, panel in enumerate(panels) if panel.is_over_time]
    for axes in over_time[:-1]:
        axes.sharex(over_time[-1])
    for number, panel in enumerate(panels):
        panel.draw(found[str(number)])
    for axes, below in zip(found.values(), list(found.values())[1:], strict=False):
        if axes in over_time and below in over_time:
            axes.set_xlabel("")
            axes.tick_params(labelbottom=False)
    figure.suptitle(heading)
    return figure


def draw_on(panels: Sequence[Panel], ax: Any) -> Any:
    """Draw on the Axes of somebody else's figure."""
    given = check_axes(ax, len(panels))
    for panel, axes in zip(panels, given, strict=False):
        panel.draw(axes)
    return given[0] if len(given) == 1 and not isinstance(ax, (list, tuple)) else given


def check_axes(ax: Any, count: int) -> list[Any]:
    """The Axes of an argument `ax`: one, or as many as there are panels."""
    from hamiltree.view.plot_figure import is_axes

    given = [ax] if is_axes(ax) else list(np.ravel(np.asarray(ax, dtype=object)))
    if not given or not all(map(is_axes, given)):
        raise OptionError(
            f"ax = {ax!r}; give Axes of Matplotlib: figure, ax = matplotlib.pyplot.subplots()"
        )
    if len(given) not in (1, count):
        panels = f"{count} panels" if count > 1 else "one panel"
        raise OptionError(f"ax has {len(given)} Axes; this plot has {panels}")
    return given


def one_axes(ax: Any, size: tuple[float, float]) -> Any:
    """The Axes that are given, or those of a new figure."""
    if ax is not None:
        return check_axes(ax, 1)[0]
    return new_figure([["only"]], size)[1]["only"]


def finish_one(axes: Any, ax: Any, heading: str) -> Any:
    """Add the heading; the figure of a drawing, or the Axes that were given."""
    if ax is not None:
        axes.set_title(heading, fontsize="small")
        return axes
    axes.figure.suptitle(heading, fontsize="small")
    return axes.figure


# ---- lines ---------------------------------------------------------------------------------------
def series_color(k: int, count: int) -> Any:
    import matplotlib as mpl

    return mpl.colormaps["viridis"](0.9 * k / max(1, count - 1))


def line_style(k: int, count: int) -> dict[str, Any]:
    """Colour and dashes of one of several lines: different in black and white too."""
    import matplotlib as mpl

    place = DARKEST + (LIGHTEST - DARKEST) * k / max(1, count - 1)
    return {"color": mpl.colormaps["viridis"](place), "ls": STYLES[k % len(STYLES)], "lw": 1.1}


def shorten_name(name: str, longest: int = LONGEST_NAME) -> str:
    return name if len(name) <= longest else name[: longest - 1] + "…"


def zero_line(axes: Any) -> None:
    axes.axhline(0.0, color=FAINT, lw=0.8, zorder=0)


def name_lines(axes: Any, unnamed: int = 0) -> None:
    """The legend above the axes, where it covers no curve; the count of lines without a name."""
    handles, labels = axes.get_legend_handles_labels()
    if unnamed:
        from matplotlib.lines import Line2D

        handles.append(Line2D([], [], color=FAINT, lw=0.8))
        labels.append(f"{unnamed} more")
    if not handles:
        return
    lengths = [8 + len(label) for label in labels]  # the line before a name takes some room too
    columns = len(labels) if sum(lengths) <= LEGEND_WIDTH else LEGEND_WIDTH // max(lengths)
    axes.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0.08, 1.0),  # beside the power of ten of the axis
        ncols=max(1, columns),
        frameon=False,
        borderaxespad=0.1,
        fontsize="small",
        handlelength=2.6,
        columnspacing=1.4,
    )


def note(axes: Any, text: str) -> None:
    """A short statement above the axes, at the right."""
    axes.set_title(text, loc="right", fontsize="medium")


def title(run: Trajectory) -> str:
    about = run.provenance
    return f"{about['model_name']} · {about['integrator']} · step {about['step']:g}" + (
        " s" if has_bodies(run) else ""
    )
