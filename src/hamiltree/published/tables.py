"""Findings as text: lines for a terminal, Markdown, JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from typing import Any

from hamiltree.published.verdicts import EXPLAINED, NOT_RUN, Row, is_good
from hamiltree.published.verify import Finding, Verification
from hamiltree.version import __version__

HEADINGS = ("number", "reference", "whose", "ours", "digits agreed", "verdict")


def format_ours(row: Row) -> str:
    """As many digits as the reference has, at most seventeen."""
    if not math.isfinite(row.ours):
        return str(row.ours)
    if row.ours == int(row.ours) and "." not in row.reference:
        return f"{row.ours:.0f}"
    mantissa = row.reference.lower().partition("e")[0].lstrip("+-0.")
    printed = sum(letter.isdigit() for letter in mantissa)
    return f"{row.ours:.{min(max(printed, 3), 17)}g}"


def format_digits(row: Row) -> str:
    return f"{row.digits:.1f} of {row.reference_digits:.1f}"


def heading_line(finding: Finding, width: int) -> str:
    """One line of a problem: its name, how many numbers, the worst of them, the verdict."""
    name = finding.problem.name.ljust(width)
    if not finding.rows:
        return f"{name}  {'':30}  {NOT_RUN}"
    count = f"{len(finding.rows)} number{'s' * (len(finding.rows) > 1)}"
    worst = "" if finding.worst is None else f"{format_digits(finding.worst)} digits"
    words = [finding.verdict, *explained(finding)]
    return f"{name}  {count:>11}  {worst:>19}  {finding.seconds:5.1f} s  {'; '.join(words)}"


def explained(finding: Finding) -> list[str]:
    count = sum(row.verdict == EXPLAINED for row in finding.rows)
    if not count or finding.verdict == EXPLAINED:
        return []
    return [f"{count} differ{'s' * (count == 1)} for a known reason"]


def row_lines(finding: Finding, only_bad: bool = False) -> Iterator[str]:
    """A line of every number, grouped by run; or of those alone that do not agree."""
    rows = [row for row in finding.rows if not (only_bad and is_good(row.verdict))]
    for label in dict.fromkeys(row.run for row in rows):
        yield f"    {label}"
        own = [row for row in rows if row.run == label]
        widths = [
            max(len(cell) for cell in cells) for cells in zip(*map(cells_of, own), strict=True)
        ]
        for row in own:
            line = "  ".join(
                cell.ljust(width) for cell, width in zip(cells_of(row), widths, strict=True)
            )
            yield f"      {line}".rstrip()
            if row.note:
                yield f"        {row.note}"


def cells_of(row: Row) -> tuple[str, ...]:
    return (
        row.what, row.reference, row.by, format_ours(row), format_digits(row), row.verdict,
    )  # fmt: skip


def closing_line(found: Verification) -> str:
    """How many problems agree, and how long it took."""
    run = [one for one in found.findings if one.rows]
    good = sum(is_good(one.verdict) for one in run)
    numbers = sum(len(one.rows) for one in run)
    words = f"{good} of {len(run)} problems agree, {numbers} numbers, {found.seconds:.0f} s"
    return words if found.is_complete else f"{words}; interrupted"


def summary_lines(found: Verification) -> Iterator[str]:
    """A line of every problem, those of numbers that do not agree, and the sum."""
    width = max((len(one.problem.name) for one in found.findings), default=0)
    for finding in found.findings:
        yield heading_line(finding, width)
        yield from row_lines(finding, only_bad=True)
    yield closing_line(found)


# ---- files ---------------------------------------------------------------------------------------
def to_markdown(found: Verification) -> str:
    """A section for every problem, a table for every run."""
    lines = [f"# hamiltree {__version__}: published problems", "", closing_line(found) + ".", ""]
    for finding in found.findings:
        problem = finding.problem
        lines += [f"## {problem.title}", "", f"`{problem.name}`: {problem.source}", ""]
        lines += [f"Parameters: {format_parameters(problem.parameters)}.", ""] * bool(
            problem.parameters
        )
        lines += [f"Reference checked: {problem.checked}", ""] * bool(problem.checked)
        lines += [problem.note, ""] * bool(problem.note)
        lines += [*markdown_table(finding), ""] if finding.rows else [f"{NOT_RUN}.", ""]
    return "\n".join(lines)


def markdown_table(finding: Finding) -> Iterator[str]:
    """The numbers of all runs."""
    yield f"| run | {' | '.join(HEADINGS)} |"
    yield "|---" * (len(HEADINGS) + 1) + "|"
    for row in finding.rows:
        cells = [row.run, *cells_of(row)]
        cells[-1] += f": {row.note}" if row.note else ""
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def format_parameters(parameters: Any) -> str:
    return ", ".join(f"{name} = {format_value(value)}" for name, value in parameters.items())


def format_value(value: Any) -> str:
    if isinstance(value, list):
        return f"({', '.join(format_value(one) for one in value)})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def to_json(found: Verification) -> str:
    """All of it for other programs."""
    content = {
        "hamiltree_version": __version__,
        "full": found.full,
        "complete": found.is_complete,
        "agree": found.agree,
        "problems": [finding_data(finding) for finding in found.findings],
    }
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding as lists, numbers and texts; what is not a number is null."""
    problem = finding.problem
    about = {
        key: getattr(problem, key)
        for key in ("name", "title", "source", "digits", "checked", "note", "parameters")
    }
    rows = [
        {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in row._asdict().items()
        }
        for row in finding.rows
    ]
    return {**about, "verdict": finding.verdict, "seconds": finding.seconds, "numbers": rows}
