"""Colours of bodies and of particles: the same in the page and in printed pictures."""

from __future__ import annotations

# few bodies: colours that differ; many: a path through them in order
DISTINCT = ("#3d7ea6", "#e07a5f", "#6aa67f", "#e9b44c", "#8d6cab", "#c8553d", "#4fb0ae", "#a1785c")
PATH = ("#2f6f9f", "#3fa7a0", "#8cbf6a", "#e9b44c", "#e07a5f", "#b04a6f", "#6f4a9e")
PARTICLES = ("#4f86c6", "#e07a5f", "#e8e4da", "#7fb685", "#e9b44c", "#9a7bc0", "#57c4c0", "#c77c9e")
ELEMENTS = {"H": "#eef2f5", "O": "#d64b41", "C": "#4a5560", "N": "#4569c9", "S": "#e0b93a"}


def body_colors(count: int) -> tuple[str, ...]:
    """One colour per body in the order of the model."""
    if count <= len(DISTINCT):
        return DISTINCT[:count]
    return tuple(_along_path(k / (count - 1)) for k in range(count))


def particle_colors(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """One colour per type; chemical elements have the usual ones if all types are elements."""
    if all(kind in ELEMENTS for kind in kinds):
        return tuple(ELEMENTS[kind] for kind in kinds)
    return tuple(PARTICLES[k % len(PARTICLES)] for k in range(len(kinds)))


def _along_path(x: float) -> str:
    """The colour at x in [0, 1] along PATH, linear between its colours."""
    place = x * (len(PATH) - 1)
    k = min(int(place), len(PATH) - 2)
    first, second = (_channels(PATH[i]) for i in (k, k + 1))
    mixed = (a + (b - a) * (place - k) for a, b in zip(first, second, strict=True))
    return "#" + "".join(f"{round(channel):02x}" for channel in mixed)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)
