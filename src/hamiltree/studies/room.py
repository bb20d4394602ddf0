"""How much room there is in this machine."""

from __future__ import annotations

import os


def physical_memory() -> int:
    """In bytes; 0 where it is not known."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def gigabytes(size: float) -> str:
    return f"{size / 1e9:.3g} GB"
