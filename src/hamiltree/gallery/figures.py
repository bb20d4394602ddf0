"""What the figures of several experiments share."""

from __future__ import annotations

from typing import Any


def legend_above(axes: Any, columns: int = 1, **options: Any) -> None:
    """A legend without a frame above the right corner of a panel."""
    axes.legend(
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=columns,
        frameon=False,
        borderaxespad=0.1,
        **options,
    )
