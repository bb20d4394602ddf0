"""`w = run.widget()`: the page as an anywidget whose time, frame and selection Python can set and
observe.
"""

from __future__ import annotations

import base64
import importlib.util
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.model.model import Model
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
    max_megabytes: float | None = None,
) -> Any:
    """The widget of a run or a model."""
    if not has_anywidget():
        raise OptionError(f"a widget needs anywidget, which is not installed; {HOW_TO_INSTALL}")
    if theme not in (None, "dark", "light"):
        raise OptionError(f"theme = {theme!r}; {suggest(str(theme), ('dark', 'light'))}")
    is_whole = isinstance(height, int) and not isinstance(height, bool)
    if not is_whole or not SMALLEST <= height <= LARGEST:
        raise OptionError(f"height = {height!r}; give {SMALLEST} to {LARGEST} pixels")
    from hamiltree.view.notebook.traits import Widget

    page = Page(source, reactions, max_megabytes)
    document, arrays = page.document
    times = frame_times(source, document, arrays)
    return Widget(times, document, base64.b64decode(arrays), height=height, theme=theme or "")


def frame_times(source: Any, document: dict[str, Any], arrays: str) -> np.ndarray:
    """Times of the samples of a run; of the positions of a model."""
    if not isinstance(source, Model):
        return source.t.values
    import zlib

    from hamiltree.view.page.arrays import read_array

    content = zlib.decompress(base64.b64decode(arrays))
    return read_array(content, document["motion"]["t"])
