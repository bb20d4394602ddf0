"""Frames by name on a body: tool points, sensors, links that were merged into it. They are no
physics; `ht.dynamics(model)` finds them by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hamiltree.model.formulas import FrozenMapping
from hamiltree.model.values import Frame, Part, as_frame, part_error, text


class NamedFrames(FrozenMapping[Frame]):
    """Frames by name, each in the axes of its body."""

    __slots__ = ()


NO_FRAMES = NamedFrames({})


def check_frames(value: Any, part: Part) -> NamedFrames:
    """{name: Frame, or a position}."""
    if value is None:
        return NO_FRAMES
    if not isinstance(value, Mapping):
        raise part_error(part, "frames", value, "is no table of frames; give {name: Frame}")
    return NamedFrames(
        {text(name, part, "frames"): as_frame(x, part, "frames") for name, x in value.items()}
    )
