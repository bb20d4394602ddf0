"""A figure that nobody keeps: it is no figure of pyplot, so none is left open behind a plot."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

DOTS = 110  # per inch, in a notebook


class PlotFigure(Figure):
    """A Matplotlib figure that a notebook shows and that goes when nobody refers to it."""

    def _repr_png_(self) -> bytes:
        """What a notebook shows of it."""
        file = BytesIO()
        self.savefig(file, format="png", dpi=DOTS)
        return file.getvalue()


def is_axes(value: Any) -> bool:
    return isinstance(value, Axes)
