"""How much room there is in this machine."""

from __future__ import annotations

import os

MEMORY_SHARE = 0.8  # of the memory, that a study may take


def physical_memory() -> int:
    """In bytes; 0 where it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def gigabytes(size: float) -> str:
    number = size / 1e9
    return f"{number:.0f} GB" if number >= 100 else f"{number:.3g} GB"
