"""`w = run.widget()`: the page as an anywidget whose time, frame and selection Python can set and
observe.
"""

from __future__ import annotations

import base64
import importlib.util
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.model.model import Model
from hamiltree.view.page.document import MAX_BYTES
from hamiltree.view.page.html import bundle, safe_json
from hamiltree.view.page.view import Page

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

HOW_TO_INSTALL = "pip install anywidget"
SMALLEST, LARGEST = 200, 4000  # pixels of the height


class RunWidget:
    """`run.widget(…)`."""

    def __init__(self, run: Trajectory):
        self.run = run

    def __call__(self, **options: Any) -> Any:
        """The page of this run as a widget: `time` (s), `frame` (sample of the run), `selected`
        (name of a body or joint, "" for none) and `playing` can be set and observed.

        `height` in pixels; `theme`: "dark" or "light", as the system has it unless it is given;
        `reactions` and `max_megabytes` as for `view`.
        """
        return make_widget(self.run, **options)


def has_anywidget() -> bool:
    return importlib.util.find_spec("anywidget") is not None


def make_widget(
    source: Trajectory | Model,
    *,
    height: int = 560,
    theme: str | None = None,
    reactions: bool = False,
    max_megabytes: float = MAX_BYTES / 1e6,
) -> Any:
    """The widget of a run or a model."""
    if not has_anywidget():
        raise OptionError(f"a widget needs anywidget, which is not installed; {HOW_TO_INSTALL}")
    if theme not in (None, "dark", "light"):
        raise OptionError(f"theme = {theme!r}; {suggest(str(theme), ('dark', 'light'))}")
    is_whole = isinstance(height, int) and not isinstance(height, bool)
    if not is_whole or not SMALLEST <= height <= LARGEST:
        raise OptionError(f"height = {height!r}; give {SMALLEST} to {LARGEST} pixels")
    page = Page(source, reactions, max_megabytes)
    document, arrays = page.document
    times = frame_times(source, document, arrays)
    return widget_class()(
        times, document, base64.b64decode(arrays), height=height, theme=theme or ""
    )


def frame_times(source: Any, document: dict[str, Any], arrays: str) -> np.ndarray:
    """Times of the samples of a run; of the positions of a model."""
    if not isinstance(source, Model):
        return source.t.values
    import zlib

    from hamiltree.view.page.arrays import read_array

    content = zlib.decompress(base64.b64decode(arrays))
    return read_array(content, document["motion"]["t"])


@cache
def widget_class() -> type:
    """The class, made when anywidget is first needed."""
    import anywidget
    import traitlets

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

    return Widget


def part_names(scene: dict[str, Any]) -> list[str]:
    """Bodies, then joints; a joint that is called as a body is has "joint " before its name."""
    bodies = list(scene["bodies"])
    joints = [joint["name"] for joint in scene["joints"]]
    return bodies + [f"joint {name}" if name in bodies else name for name in joints]
