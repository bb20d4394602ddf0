"""Panels of points and spectra: the path of a point of a body, power spectra of coordinates."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.view.plot_data import coordinate_names, time_label
from hamiltree.view.plot_panels import find_coordinate, require_bodies
from hamiltree.view.styles import FAINT, MAX_NAMED, Panel, line_style

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

PLANES = ("xy", "xz", "yz")


def path_panels(
    run: Trajectory, body: str, at: Any = (0.0, 0.0, 0.0), axes: str = "auto"
) -> list[Panel]:
    """The path of a point in the plane of two axes; "auto": the two along which it moves most."""
    require_bodies(run, "bodies")
    if axes not in (*PLANES, "auto"):
        raise OptionError(f"axes = {axes!r}; {suggest(str(axes), (*PLANES, 'auto'))}")
    path = run.point(body, at).position.values
    if axes == "auto":
        widest = sorted(np.argsort(-np.ptp(path, axis=0), kind="stable")[:2].tolist())
        axes = "".join("xyz"[k] for k in widest)
    draw = partial(draw_path, run=run, body=body, path=path, plane=axes)
    return [Panel(draw, 4.5, is_over_time=False)]


def draw_path(axes: Any, run: Trajectory, body: str, path: np.ndarray, plane: str) -> None:
    """A path in a plane, coloured by time; lengths are equal along both axes."""
    x, y = (path[:, "xyz".index(name)] for name in plane)
    axes.plot(x, y, color=FAINT, lw=0.4, zorder=1)
    points = axes.scatter(x, y, c=run.t.values, s=3, cmap="viridis", linewidths=0, zorder=2)
    axes.set_xlabel(f"{plane[0]} of {body} / m")
    axes.set_ylabel(f"{plane[1]} of {body} / m")
    axes.set_aspect("equal", adjustable="datalim")
    axes.figure.colorbar(points, ax=axes, label=time_label(run))


def spectrum_panels(run: Trajectory, names: tuple[str, ...] = ()) -> list[Panel]:
    """Power spectral density of coordinates or variables, the first ones unless they are named."""
    known = coordinate_names(run)
    drawn = [known[find_coordinate(run, name)] for name in names] or known[:MAX_NAMED]
    found = [(name, run.spectrum(name)) for name in drawn]
    return [
        Panel(
            partial(draw_spectrum, name=name, values=values, style=line_style(k, len(found))),
            2.2,
            is_over_time=False,
        )
        for k, (name, values) in enumerate(found)
    ]


def draw_spectrum(axes: Any, name: str, values: Any, style: dict[str, Any]) -> None:
    """One spectrum, both axes logarithmic, without the frequency zero."""
    axes.loglog(values["frequency"].values[1:], values.values[1:], **style | {"ls": "-"})
    axes.set_xlabel("frequency / Hz")
    axes.set_ylabel(f"spectrum of\n{name}")
