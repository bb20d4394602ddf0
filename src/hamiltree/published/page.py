"""Findings as a page: one HTML file without scripts, which opens without a network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from hamiltree.published.tables import (
    HEADINGS,
    cells_of,
    closing_line,
    explained,
    format_digits,
    format_parameters,
)
from hamiltree.published.verdicts import AGREED, AS_FAR, EXPLAINED, NOT_RUN, Row
from hamiltree.published.verify import Finding, Verification
from hamiltree.version import __version__

MARKS = {
    AGREED: ("✓", "good"),
    AS_FAR: ("≈", "good"),
    EXPLAINED: ("!", "known"),
    NOT_RUN: ("–", ""),
}
STYLE = """
:root { color-scheme: light dark; --ink: #1d2733; --soft: #5d6b7a; --line: #d9dfe6; --back: #fff;
  --panel: #f5f7f9; --good: #1c6e43; --known: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e9ee; --soft: #9aa7b4; --line: #333d47;
  --back: #14191f; --panel: #1c232b; --good: #6fcf97; --known: #e3b341; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.25rem 4rem; background: var(--back);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.75rem 0 .35rem; border-top: 1px solid var(--line);
  padding-top: 1.5rem; }
h3 { font: 600 .9rem/1.4 ui-monospace, monospace; margin: 1.1rem 0 .3rem; }
p { margin: .35rem 0; max-width: 60rem; }
.soft { color: var(--soft); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .88rem; }
.summary table { width: 100%; }
th, td { text-align: left; padding: .28rem .8rem .28rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
td.steady { white-space: nowrap; }
td.number { font-family: ui-monospace, monospace; white-space: nowrap; }
a { color: inherit; }
.good { color: var(--good); } .known { color: var(--known); }
.bad { color: var(--bad); font-weight: 700; }
.note { color: var(--soft); max-width: 28rem; }
code { font-family: ui-monospace, monospace; }
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>hamiltree: published problems</title>
<style>{style}</style>
</head>
<body>
<h1>Published problems</h1>
<p>{closing}. <span class="soft">hamiltree {version}, {length}.</span></p>
<p class="soft">Digits agreed are those that our number shares with the reference, and never more
than the reference is good for. “Agrees as far as the reference goes” means that the reference ends
first; “agreed”, that ours does, within the error of the run.</p>
<div class="summary scroll">{summary}</div>
{sections}
</body>
</html>
"""


def to_html(found: Verification) -> str:
    """The whole page."""
    return PAGE.format(
        style=STYLE,
        closing=escape(closing_line(found)),
        version=escape(__version__),
        length="all runs" if found.full else "quick runs; --full adds the others",
        summary="\n".join(summary_table(found)),
        sections="\n".join(section(finding) for finding in found.findings),
    )


def summary_table(found: Verification) -> Iterator[str]:
    """A line of every problem, with a link to its section."""
    heads = ("problem", "reference digits", "numbers", "fewest digits agreed", "verdict")
    yield "<table><thead><tr>" + "".join(f"<th>{head}</th>" for head in heads)
    yield "</tr></thead><tbody>"
    for finding in found.findings:
        problem, worst = finding.problem, finding.worst
        words = "; ".join([mark(finding.verdict), *map(escape, explained(finding))])
        cells = [
            f'<a href="#{escape(problem.name)}">{escape(problem.title)}</a>',
            escape(problem.digits),
            str(len(finding.rows)),
            "" if worst is None else format_digits(worst),
            words,
        ]
        kinds = ("", *[" class='steady'"] * 3, "")
        row = "".join(f"<td{kind}>{cell}</td>" for kind, cell in zip(kinds, cells, strict=True))
        yield f"<tr>{row}</tr>"
    yield "</tbody></table>"


def mark(verdict: str) -> str:
    """A verdict with a sign and a colour."""
    sign, kind = MARKS.get(verdict, ("✗", "bad"))
    return f'<span class="{kind}">{sign} {escape(verdict)}</span>'


def section(finding: Finding) -> str:
    """One problem: where it comes from, its parameters, and a table for every run."""
    problem = finding.problem
    parts = [
        f'<h2 id="{escape(problem.name)}">{escape(problem.title)}</h2>',
        f"<p>{mark(finding.verdict)} <span class='soft'>· <code>hamiltree verify "
        f"{escape(problem.name)}</code> · {finding.seconds:.1f} s</span></p>",
        f"<p>{escape(problem.source)}</p>",
    ]
    if problem.parameters:
        parts.append(f"<p class='soft'>{escape(format_parameters(problem.parameters))}</p>")
    for heading, text in (("Reference: ", problem.checked), ("", problem.note)):
        parts += [f"<p class='soft'>{heading}{escape(text)}</p>"] if text else []
    for label in dict.fromkeys(row.run for row in finding.rows):
        own = [row for row in finding.rows if row.run == label]
        parts += [f"<h3>{escape(label)}</h3>", "<div class='scroll'>", *numbers(own), "</div>"]
    return "\n".join(parts)


def numbers(rows: list[Row]) -> Iterator[str]:
    """The table of one run."""
    yield "<table><thead><tr>" + "".join(f"<th>{head}</th>" for head in HEADINGS)
    yield "</tr></thead><tbody>"
    for row in rows:
        what, reference, by, ours, digits, verdict = cells_of(row)
        note = f"<div class='note'>{escape(row.note)}</div>" if row.note else ""
        yield (
            f"<tr><td>{escape(what)}</td><td class='number'>{escape(reference)}</td>"
            f"<td class='steady'>{escape(by)}</td><td class='number'>{escape(ours)}</td>"
            f"<td class='number'>{digits}</td><td>{mark(verdict)}{note}</td></tr>"
        )
    yield "</tbody></table>"
