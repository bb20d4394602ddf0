"""Pictures of a study: `study.plot.histogram("swing")` and so on, each a Matplotlib figure."""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.errors import OptionError, suggest, unknown_attribute
from hamiltree.studies.sensitivity import numbers_of
from hamiltree.view.styles import ACCENT, FAINT, INK, new_figure

SIZE = (6.0, 4.0)  # inches
FAN_LINES, PARALLEL_LINES = 60, 400  # members that are drawn as lines
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


class StudyPlots:
    """Of one study; `axes` draws into axes that exist.

    response(variable, over)      points of all members over one number that varies
    heat_map(variable)            a variable over the two numbers of a grid
    histogram(variable)           how often which values occur
    fan(variable)                 sampled trajectories: quantiles over time, and some members
    parallel(variable)            parallel coordinates, coloured by a variable
    """

    def __init__(self, study: Any):
        self.study = study
        self.data = study.data

    def __getattr__(self, name: str) -> Any:
        raise unknown_attribute("study.plot", name, dir(type(self)))

    def response(self, variable: str, over: str | None = None, axes: Any = None) -> Any:
        """A variable of all members over one of the numbers that vary."""
        name = self.number(over)
        axes = axes or single_axes()
        axes.plot(self.data[name].values, numbers_of(self.data, variable), ".", ms=3, color=INK)
        return labelled(axes, name, variable)

    def heat_map(self, variable: str, axes: Any = None) -> Any:
        """A variable over the two numbers of a grid; the first one goes up."""
        heights = numbers_of(self.data, variable)
        names = [name for name in self.study.axes if name in self.data.coords]
        if len(names) != 2 or len(self.study.axes) != 2:
            raise OptionError(
                f"heat_map: a grid of two numbers is needed; the axes are {list(self.study.axes)}"
            )
        if any(self.data[name].dtype.kind not in "iuf" for name in names):
            raise OptionError("heat_map: both axes must be numbers")
        axes = axes or single_axes()
        shape = tuple(self.study.axes.values())
        up = self.data[names[0]].values.reshape(shape)[:, 0]
        across = self.data[names[1]].values.reshape(shape)[0]
        rows, columns = np.argsort(up, kind="stable"), np.argsort(across, kind="stable")
        colours = heights.reshape(shape)[np.ix_(rows, columns)]
        across, up = across[columns], up[rows]
        image = axes.pcolormesh(across, up, colours, shading="nearest", cmap="viridis")
        axes.figure.colorbar(image, ax=axes, label=variable)
        return labelled(axes, names[1], names[0])

    def histogram(self, variable: str, bins: Any = "auto", axes: Any = None) -> Any:
        """How often which values of a variable occur; members without one are left out."""
        from matplotlib.ticker import MaxNLocator

        values = numbers_of(self.data, variable)
        axes = axes or single_axes()
        axes.hist(values[np.isfinite(values)], bins=bins, color=INK, edgecolor="white", lw=0.4)
        locator = axes.yaxis.get_major_locator()
        if isinstance(locator, MaxNLocator):  # an axis of the user may be logarithmic
            locator.set_params(integer=True)
        return labelled(axes, variable, "members")

    def fan(self, variable: str, part: str | None = None, axes: Any = None) -> Any:
        """Quantiles of sampled values over time, and some of the members; fan("q.elbow") is
        fan("q", "elbow").
        """
        if variable not in self.data and part is None:
            variable, _, rest_of_name = variable.partition(".")
            part = rest_of_name or None
        found = self.data.get(variable)
        if found is None or "time" not in found.dims:
            raise OptionError(f"fan: {variable!r} is not sampled; keep 'samples'")
        rest = [name for name in found.dims if name not in ("member", "time")]
        if rest:
            labels = [str(label) for label in found[rest[0]].values]
            chosen = labels[0] if part is None else part
            if chosen not in labels:
                raise OptionError(f"fan: {variable} has no part {chosen!r}; it has {labels}")
            found = found.isel({rest[0]: labels.index(chosen)})
            variable = f"{variable} of {chosen}" if chosen != variable else variable
        values, t = found.values, self.data["time"].values
        known = values[np.isfinite(values).all(axis=1)]
        if not len(known):
            raise OptionError(f"fan: no member has all samples of {variable!r}")
        axes = axes or single_axes()
        axes.plot(t, choose_some(known, FAN_LINES).T, color=FAINT, lw=0.4)
        low, lower, middle, upper, high = np.quantile(known, QUANTILES, axis=0)
        axes.fill_between(t, low, high, color=INK, alpha=0.15, lw=0)
        axes.fill_between(t, lower, upper, color=INK, alpha=0.3, lw=0)
        axes.plot(t, middle, color=ACCENT)
        return labelled(axes, "t", variable)

    def parallel(self, variable: str, axes: Any = None) -> Any:
        """Numbers that vary, and a variable, each on a scale from its least to its largest value;
        a line for each member.
        """
        names = [name for name in self.study.names if self.data[name].dtype.kind in "iuf"]
        last = numbers_of(self.data, variable)
        columns = np.column_stack([*(self.data[name].values for name in names), last])
        columns = columns[np.isfinite(columns).all(axis=1)]
        if not len(columns):
            raise OptionError(f"parallel: no member has a value of {variable!r}")
        least, span = columns.min(axis=0), np.ptp(columns, axis=0)
        some = choose_some(columns, PARALLEL_LINES)
        scaled = (some - least) / np.where(span > 0, span, 1.0)
        axes = axes or single_axes()
        from matplotlib import colormaps

        for row in scaled:
            axes.plot(row, color=colormaps["viridis"](row[-1]), lw=0.5)
        ends = [f"{name}\n{low:.4g} … {low + width:.4g}" for name, low, width in
                zip([*names, variable], least, span, strict=True)]  # fmt: skip
        axes.set_xticks(range(len(ends)), ends, fontsize=7)
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.vlines(range(len(ends)), 0.0, 1.0, color=INK, lw=0.8)
        return axes.figure

    def number(self, name: str | None) -> str:
        """A number that varies; the only one if none is named."""
        names = self.study.names
        if name is None and len(names) == 1:
            return names[0]
        if name is None:
            raise OptionError(f"response: name the number to draw it over; these vary: {names}")
        if name not in names:
            raise OptionError(f"response: over = {name!r} does not vary; {suggest(name, names)}")
        if self.data[name].dtype.kind not in "iuf":
            raise OptionError(f"over = {name!r}: its values are names, not numbers")
        return name


def choose_some(rows: np.ndarray, count: int) -> np.ndarray:
    """So many of them, in their order, by chance: every second point of Sobol's sequence, for
    example, is in one half of the first number.
    """
    if len(rows) <= count:
        return rows
    chosen = np.random.default_rng(0).choice(len(rows), count, replace=False)
    return rows[np.sort(chosen)]


def single_axes() -> Any:
    _, panels = new_figure("a", SIZE)
    return panels["a"]


def labelled(axes: Any, across: str, up: str) -> Any:
    axes.set_xlabel(across)
    axes.set_ylabel(up)
    return axes.figure
