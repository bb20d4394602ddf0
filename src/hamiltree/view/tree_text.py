"""The topology of a model as text: `hamiltree info --tree`, `model.plot.tree_text()`."""

from __future__ import annotations

from collections.abc import Sequence

from hamiltree.model import Model
from hamiltree.view.outline import GROUND_ROW, Row, outline

MAX_LINES = 200  # rows of bodies that are written
MAX_LEVELS = 16  # branches inside each other that are indented
LAST, OTHER, DEEPER = "└─ ", "├─ ", "┄ "


def tree_text(model: Model) -> str:
    """Bodies from the ground outward: number, number of the parent, name, joint. A body that is the
    only child of its parent stands below it without an indent.
    """
    found = outline(model, MAX_LINES)
    marks = branch_marks(found.rows)
    lines = [(" no.", " on", "body", "joint", "kind")]
    for row, mark in zip(found.rows[:MAX_LINES], marks, strict=False):
        if row.hidden:
            lines.append(("", "", f"{mark}⋮ {row.hidden} bodies in a row", "", ""))
            continue
        number, parent = f"{row.number:4d}", f"{row.parent_number:3d}"
        lines.append((number, parent, mark + row.name, row.joint, row.kind))
    text = [f"{model.name}: bodies from the ground (0) outward", *columns(lines)]
    if len(found.rows) > MAX_LINES:
        text.append(f"… and {len(found.rows) - MAX_LINES} more")
    for title, links in (
        ("joints that close loops", found.closing),
        ("constraints between bodies", found.constraints),
    ):
        if links:
            cells = [(link.name, link.kind, " – ".join(link.bodies)) for link in links]
            text += ["", title, *(f"  {line}" for line in columns(cells[:MAX_LINES]))]
            if len(cells) > MAX_LINES:
                text.append(f"  … and {len(cells) - MAX_LINES} more")
    return "\n".join(text)


def branch_marks(rows: Sequence[Row]) -> list[str]:
    """What stands before the name of each body: lines from its branch to its siblings'."""
    count: dict[int, int] = {}
    for row in rows:
        count[row.parent] = count.get(row.parent, 0) + 1
    left = dict(count)
    before = {GROUND_ROW: ("", 0)}  # of the children of a row: lines, and how deep
    marks = []
    for k, row in enumerate(rows):
        lines, level = before[row.parent]
        left[row.parent] -= 1
        if count[row.parent] == 1:
            marks.append(lines)
            before[k] = lines, level
        elif level >= MAX_LEVELS:
            marks.append(lines + DEEPER)
            before[k] = lines, level
        else:
            is_last = left[row.parent] == 0
            marks.append(lines + (LAST if is_last else OTHER))
            before[k] = lines + ("   " if is_last else "│  "), level + 1
    return marks


def columns(lines: Sequence[tuple[str, ...]]) -> list[str]:
    """Cells of lines below each other."""
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
