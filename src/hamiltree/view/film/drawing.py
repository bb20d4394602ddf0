"""Frames of a film drawn by Matplotlib."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.view.scene import motion_of

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

DPI = 100
# left, bottom, width and height of the axes, in parts of the picture
WHOLE = (0.02, 0.02, 0.96, 0.90)
WITH_LABELS = (0.13, 0.13, 0.84, 0.79)


def drawn_frames(run: Trajectory, times: np.ndarray, pixels: tuple[int, int]) -> Iterator[Any]:
    """RGB images at these times, between samples as in the page."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from PIL import Image

    from hamiltree.view.picture.draw import Portrait

    portrait = Portrait(run)
    side = portrait.side
    motion = motion_of(run, portrait.scene.size, portrait.scene.reach)
    figure = Figure(figsize=(pixels[0] / DPI, pixels[1] / DPI), dpi=DPI)
    canvas = FigureCanvasAgg(figure)
    for time in times.tolist():
        position, quaternion = motion.at(np.array([time]))
        axes = figure.add_axes(WHOLE if side is None else WITH_LABELS)
        axes.spines[["top", "right"]].set_visible(False)
        portrait.draw(axes, np.concatenate([position[0], quaternion[0]], axis=1), side, False)
        axes.set_title(f"t = {time:.3f} s", loc="right", fontsize="medium", family="monospace")
        canvas.draw()
        yield Image.fromarray(np.asarray(canvas.buffer_rgba())[..., :3].copy())
        figure.clear()
