"""What a console shows of an answer: a sentence and a short table."""

from collections.abc import Iterable, Sequence

MAX_ROWS = 12  # shown; the rest is counted


def short_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A title and aligned columns, the first to the left, numbers to the right."""
    shown = [[cell_text(cell) for cell in row] for row in rows[:MAX_ROWS]]
    if not shown:
        return title
    whole = [list(columns), *shown]
    widths = [max(len(row[k]) for row in whole) for k in range(len(columns))]
    lines = [title, *(align(row, widths) for row in whole)]
    if len(rows) > MAX_ROWS:
        lines.append(f"  … {len(rows) - MAX_ROWS} more")
    return "\n".join(lines)


def cell_text(cell: object) -> str:
    return cell if isinstance(cell, str) else f"{cell:.6g}"


def align(row: Sequence[str], widths: Iterable[int]) -> str:
    first, *others = zip(row, widths, strict=True)
    cells = [first[0].ljust(first[1]), *(text.rjust(width) for text, width in others)]
    return "  " + "  ".join(cells)


def stability(unstable: int) -> str:
    """In words."""
    if unstable == 0:
        return "stable"
    return f"unstable in {unstable} direction{'s' if unstable > 1 else ''}"


def mode_rows(frequencies: Iterable[float]) -> list[list[object]]:
    """Number (from 0 on, as `trajectory` counts), ω, and what it is."""
    return [
        [str(k), float(omega), "grows" if omega < 0 else "costs nothing" if omega == 0 else ""]
        for k, omega in enumerate(frequencies)
    ]
