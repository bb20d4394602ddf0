"""A report as text, Markdown and HTML. Verdicts are words; colour only repeats them."""

from __future__ import annotations

import html
import math
import shutil
import textwrap
from typing import TYPE_CHECKING

from hamiltree.trajectory.lines import Line

if TYPE_CHECKING:
    from hamiltree.verdict.report import Report

FORMATS = ("text", "json", "md", "html")
LEAST_WIDTH = 120  # columns of a text that is not shown in a terminal
LEAST_ROOM = 40  # columns of sentences that stand beside their lines
INDENT = 4  # of those that stand under them
COLUMNS = ("", "number", "of what", "verdict", "in words")


def number_text(line: Line) -> str:
    """The number of a line, as people read it."""
    if line.number is None:
        return "–"
    if not math.isfinite(line.number):
        return "not finite"
    if abs(line.number) < 1e6 and line.number == int(line.number):
        return f"{line.number:.0f}"
    is_plain = 1e-3 <= abs(line.number) < 1e5
    return f"{line.number:.3g}" if is_plain else f"{line.number:.1e}"


def title_of(report: Report) -> str:
    """What was run, in one line."""
    about = report.about
    what = f"{about.get('model_name', 'run')}: {about['formulation']}, {about['integrator']}"
    return f"{what}, step {about['step']:g}, until {about['until']:g}"


def cost_text(report: Report) -> str:
    """What the report has cost, by part."""
    parts = [f"{name} {1e3 * seconds:.0f} ms" for name, seconds in report.seconds.items()]
    return f"cost of this report: {', '.join(parts)}" if parts else ""


def as_text(report: Report) -> str:
    """Aligned columns; sentences are broken at the width, and stand under their lines where little
    is left beside them.
    """
    rows = [(line.name, number_text(line), line.scale, line.verdict) for line in report.lines]
    widths = [max((len(row[k]) for row in rows), default=0) for k in range(4)]
    left, columns = sum(widths) + 2 * len(widths), shutil.get_terminal_size((LEAST_WIDTH, 24))[0]
    is_beside = columns - left >= LEAST_ROOM
    left = left if is_beside else INDENT
    made = [title_of(report), ""]
    for row, line in zip(rows, report.lines, strict=True):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        cells[1] = row[1].rjust(widths[1])
        sentence = textwrap.wrap(line.sentence, max(LEAST_ROOM, columns - left))
        beside = sentence[:1] if is_beside else []
        made.append("  ".join([*cells, *beside]).rstrip())
        made += [" " * left + more for more in sentence[len(beside) :]]
    if report.ledger is not None:
        made += ["", report.ledger.table(width=columns)]
    made += ["", f"verdict: {report.verdict}"]
    return "\n".join([*made, cost_text(report)]).rstrip()


def as_markdown(report: Report) -> str:
    """A heading, a table, the verdict."""
    made = [f"## {title_of(report)}", "", f"**Verdict: {report.verdict}**", ""]
    made += [f"| {' | '.join(COLUMNS)} |", "|---|---:|---|---|---|"]
    for line in report.lines:
        cells = (line.name, number_text(line), line.scale, f"**{line.verdict}**", line.sentence)
        made.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    if report.ledger is not None:
        made += ["", "```", str(report.ledger), "```"]
    return "\n".join([*made, "", cost_text(report)]).rstrip() + "\n"


STYLE = """
.hamiltree-report{font:15px/1.45 system-ui,sans-serif;max-width:70rem}
.hamiltree-report table{border-collapse:collapse;width:100%}
.hamiltree-report th,.hamiltree-report td{text-align:left;padding:.35rem .7rem;vertical-align:top;
border-bottom:1px solid #8884}
.hamiltree-report td.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.hamiltree-report .word{font-weight:600;padding:.05rem .45rem;border-radius:.3rem;
border:1.5px solid currentColor;white-space:nowrap}
.hamiltree-report .good{color:#1a7f4b}.hamiltree-report .doubtful{color:#9a6700;
border-style:dashed}.hamiltree-report .bad{color:#b3261e;border-width:3px}
.hamiltree-report .note{color:inherit;border-color:transparent}
.hamiltree-report pre{overflow-x:auto}
@media (prefers-color-scheme: dark){.hamiltree-report .good{color:#5fd39a}
.hamiltree-report .doubtful{color:#f0b849}.hamiltree-report .bad{color:#ff8a80}}
"""


def word(verdict: str) -> str:
    return f'<span class="word {html.escape(verdict)}">{html.escape(verdict)}</span>'


def html_body(report: Report) -> str:
    """The report as a part of a page, with its own style."""
    rows = []
    for line in report.lines:
        cells = [
            f"<th>{html.escape(line.name)}</th>",
            f'<td class="number">{html.escape(number_text(line))}</td>',
            f"<td>{html.escape(line.scale)}</td>",
            f"<td>{word(line.verdict)}</td>",
            f"<td>{html.escape(line.sentence)}</td>",
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    heads = "".join(f"<th>{html.escape(column)}</th>" for column in COLUMNS)
    ledger = "" if report.ledger is None else f"<pre>{html.escape(str(report.ledger))}</pre>"
    return (
        f'<div class="hamiltree-report"><style>{STYLE}</style>'
        f"<h2>{html.escape(title_of(report))}</h2><p>Verdict: {word(report.verdict)}</p>"
        f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
        f"{ledger}<p>{html.escape(cost_text(report))}</p></div>"
    )


def as_html(report: Report) -> str:
    """A page that needs no network."""
    title = html.escape(title_of(report))
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title></head><body>{html_body(report)}</body></html>\n"
    )


def format_report(report: Report, form: str) -> str:
    """The report in one of FORMATS."""
    made = {"text": str, "json": type(report).json, "md": as_markdown, "html": as_html}
    return made[form](report)
