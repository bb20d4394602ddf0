"""Figures of the motion of a run: several times side by side, or three projections of one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.view.picture.draw import Portrait
from hamiltree.view.plot_data import kind_of
from hamiltree.view.styles import Panel, draw_on, new_figure, note, title

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

PROJECTIONS = ("auto", "perspective", "three")
INSTANTS = 4  # that are shown unless times are given
MAX_INSTANTS = 36
SIZE = 4.2  # inches of one picture


def draw_motion(run: Trajectory, at: Any, projection: str, ax: Any = None) -> Any:
    """A figure with one picture per time, or with three projections of one time; on Axes that are
    given one picture on each.
    """
    if projection not in PROJECTIONS:
        raise OptionError(f"projection = {projection!r}; {suggest(str(projection), PROJECTIONS)}")
    if not run.has_bodies:
        raise OptionError(
            f"a run of {kind_of(run)} has no bodies to draw; see plot.phase and view()"
        )
    is_one = projection == "three" or ax is not None
    times = check_times(run, at, 1 if is_one else INSTANTS)
    if projection == "three" and len(times) > 1:
        raise OptionError(f"three projections show one time; {len(times)} are given")
    portrait = Portrait(run)
    if projection == "three":
        return draw_projections(portrait, float(times[0]), ax)
    side = portrait.side if projection == "auto" else None
    if ax is not None:
        return draw_on([picture_panel(portrait, time, side) for time in times.tolist()], ax)
    return draw_instants(portrait, times, side)


def check_times(run: Trajectory, at: Any, count: int) -> np.ndarray:
    """The times asked for; else `count` of them from the start to the end, the end alone of one."""
    t = run.t.values
    if not len(t):
        raise OptionError("this run has no samples, so there is nothing to see")
    if at is None:
        return t[-1:] if count == 1 else np.unique(np.linspace(t[0], t[-1], count))
    values = list(at) if isinstance(at, Iterable) and not isinstance(at, str) else [at]
    try:
        times = np.array([float(value) for value in values])
    except (TypeError, ValueError):
        raise OptionError(f"at = {at!r}; give a time in s, or a list of times") from None
    if not 1 <= len(times) <= MAX_INSTANTS:
        raise OptionError(f"at has {len(times)} times; give 1 to {MAX_INSTANTS}")
    for time in times.tolist():
        if not t[0] <= time <= t[-1]:
            raise OptionError(f"at = {time:g} s is outside the run, {t[0]:g} s to {t[-1]:g} s")
    return times


def draw_instants(portrait: Portrait, times: np.ndarray, side: str | None) -> Any:
    """One picture per time, in rows, all to the same scale."""
    columns = math.ceil(math.sqrt(len(times)))
    rows = math.ceil(len(times) / columns)
    names = [*map(str, range(len(times))), *["."] * (rows * columns - len(times))]
    layout = [names[k * columns : (k + 1) * columns] for k in range(rows)]
    scale = 1.5 if len(times) == 1 else 1.0
    size = (SIZE * columns * scale, 0.85 * SIZE * rows * scale)
    figure, panels = new_figure(layout, size)
    for k, time in enumerate(times.tolist()):
        picture_panel(portrait, time, side).draw(panels[str(k)])
    figure.suptitle(title(portrait.run))
    return figure


def draw_projections(portrait: Portrait, time: float, ax: Any = None) -> Any:
    """From the front, from the side, from above, and in perspective."""
    pictures = [picture_panel(portrait, time, side) for side in ("front", "side", "top", None)]
    if ax is not None:
        return draw_on(pictures, ax)
    figure, panels = new_figure([["front", "side"], ["top", "space"]], (2.2 * SIZE, 1.9 * SIZE))
    for picture, axes in zip(pictures, panels.values(), strict=True):
        picture.draw(axes)
    figure.suptitle(title(portrait.run))
    return figure


def picture_panel(portrait: Portrait, time: float, side: str | None) -> Panel:
    """The bodies at one time, from a side of the world or in perspective."""
    sample = portrait.sample(time)

    def draw(axes: Any) -> None:
        portrait.draw(axes, portrait.poses[sample], side)
        note(axes, f"t = {portrait.t[sample]:.4g} s")

    return Panel(draw, SIZE, is_over_time=False)
