"""The widget itself; imported when anywidget is first needed.

The front end (web/src/link.ts) knows time, playing and selected; the frame follows the time here.
"""

from __future__ import annotations

from typing import Any

import anywidget
import numpy as np
import traitlets

from hamiltree.errors import suggest
from hamiltree.view.page.html import bundle, safe_json


class Widget(anywidget.AnyWidget):
    """Picture, timeline, plots and figures of a run or a model."""

    _esm = bundle("widget.js")
    _css = bundle("page.css")
    _document = traitlets.Unicode().tag(sync=True)
    _arrays = traitlets.Bytes().tag(sync=True)
    height = traitlets.Int(560).tag(sync=True)
    theme = traitlets.Unicode("").tag(sync=True)
    time = traitlets.Float(0.0).tag(sync=True)
    playing = traitlets.Bool(False).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    frame = traitlets.Int(0)  # follows time; only Python knows all samples

    def __init__(self, times: np.ndarray, document: dict[str, Any], arrays: bytes, **traits):
        self.times = times
        self.parts = part_names(document["scene"])
        super().__init__(
            _document=safe_json(document), _arrays=arrays, time=float(times[0]), **traits
        )

    @traitlets.validate("time")
    def _check_time(self, proposal: Any) -> float:
        """Within the run, as the timeline keeps it."""
        return float(np.clip(proposal["value"], self.times[0], self.times[-1]))

    @traitlets.validate("frame")
    def _check_frame(self, proposal: Any) -> int:
        """A sample of the run; −1 is the last."""
        count, value = len(self.times), proposal["value"]
        if not -count <= value < count:
            raise traitlets.TraitError(f"frame = {value}; there are {count} frames")
        return value % count

    @traitlets.validate("selected")
    def _check_selected(self, proposal: Any) -> str:
        """A body, a joint, or nothing."""
        name = proposal["value"]
        if name and name not in self.parts:
            raise traitlets.TraitError(f"no part {name!r}; {suggest(name, self.parts)}")
        return name

    @traitlets.observe("time")
    def _follow_time(self, _: Any) -> None:
        # of samples at the same time (an event), the one that was chosen stays
        if self.times[self.frame] != self.time:
            self.frame = int(np.abs(self.times - self.time).argmin())

    @traitlets.observe("frame")
    def _follow_frame(self, change: Any) -> None:
        """A frame that was set shows its time; one that follows from the time is near it."""
        if int(np.abs(self.times - self.time).argmin()) != change["new"]:
            self.time = float(self.times[change["new"]])


def part_names(scene: dict[str, Any]) -> list[str]:
    """Bodies, then joints; a joint that is called as a body is has "joint " before its name."""
    bodies = list(scene["bodies"])
    joints = [joint["name"] for joint in scene["joints"]]
    return bodies + [f"joint {name}" if name in bodies else name for name in joints]
