r"""Printed lines of Kane's equations as LaTeX: every symbol of the text by its form in the notes.

    [1R2]  \left[{}^{1}R_{2}\right]        [v'_O3,y1]  \left[{}^{R}v'_{O_3,y_1}\right]

With relative speeds, motions of bodies have the R (relative to the inertial frame) of the notes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from hamiltree.analysis.kane.symbols import Line

MARKS = {
    "\N{COMBINING CIRCUMFLEX ACCENT}": r"\hat",
    "\N{COMBINING TILDE}": r"\tilde",
    "\N{COMBINING DOT ABOVE}": r"\dot",
}
LETTERS = {"ω": r"\omega", "ε": r"\varepsilon", "α": r"\alpha"}
MOTIONS = "ωvαa"  # of a body, relative to the inertial frame R
SUBSCRIPTS = "₁₂₃₄"
SIGNS = {
    "−": "-",
    "½": r"\frac{1}{2}",
    "ᵀ": "^{T}",
    "[": r"\left[",
    "]": r"\right]",
    "{": r"\left\{",
    "}": r"\right\}",
    "(": r"\left(",
    ")": r"\right)",
    "…": r"\ldots",
    "Σ_K": r"\sum_{K}",
}
TOKEN = re.compile(
    r"""(?P<size>(?<=\])\d×\d+)
    |(?P<sum>Σ_K)
    |(?P<skew>sk\((?P<inner>[^)]*)\))
    |(?P<atom>(?P<before>\d+)?(?P<letter>[A-Za-zωεα])(?P<marks>[\u0302\u0303\u0307]*)
        (?P<kind>(?<=[S\u0307])[ωs])?(?P<prime>')?(?P<of>_)?(?P<point>[OG](?=[\dK]))?
        (?P<number>\d+|K|y)?(?P<entry>[₁₂₃₄])?(?P<other>\|y[12](?::\d+)?)?
        (?P<column>,y[12]?(?=\]))?)
    |(?P<sign>[−½ᵀ\[\]{}()…])
    |(?P<rest>[^A-Za-z])""",
    re.VERBOSE,
)


def latex_of_text(text: str, is_relative: bool) -> str:
    """One side of a line; rows of entries, [ a, b; c, d ], are a matrix."""
    text = unicodedata.normalize("NFD", text)
    if "; " in text:
        rows = (row.split(", ") for row in text.strip("[ ]").split("; "))
        texts = (" & ".join(latex_of_text(entry, is_relative) for entry in row) for row in rows)
        return r"\begin{bmatrix} " + r" \\ ".join(texts) + r" \end{bmatrix}"
    return "".join(translate(match, is_relative) for match in TOKEN.finditer(text))


def translate(match: re.Match[str], is_relative: bool) -> str:
    """One symbol or sign."""
    if match["size"]:
        rows, columns = match["size"].split("×")
        return rf"_{{{rows}\times {columns}}}"
    if match["skew"]:
        return latex_of_atom(TOKEN.match(match["inner"]), is_relative, r"\tilde")  # type: ignore[arg-type]
    if match["atom"]:
        return latex_of_atom(match, is_relative)
    return SIGNS.get(match[0], match[0])


def latex_of_atom(match: re.Match[str], is_relative: bool, outer: str = "") -> str:
    """A letter with its accents, prime and indices."""
    letter = LETTERS.get(match["letter"], match["letter"])
    for mark in match["marks"]:
        letter = rf"{MARKS[mark]}{{{letter}}}"
    letter = f"{outer}{{{letter}}}" if outer else letter
    is_motion = is_relative and match["of"] and match["letter"] in MOTIONS
    before = match["before"] or ("R" if is_motion else "")
    kind = match["kind"]
    above = f"^{{{LETTERS.get(kind, kind)}}}" if kind else ""
    return (
        (f"{{}}^{{{before}}}" if before else "")
        + letter
        + (match["prime"] or "")
        + above
        + indices(match)
    )


def indices(match: re.Match[str]) -> str:
    """Below: the body, its point, a component, the speeds of a partial derivative."""
    number = match["number"] or ""
    below = f"{match['point']}_{{{number}}}" if match["point"] else number
    if match["entry"]:
        below += f",{SUBSCRIPTS.index(match['entry']) + 1}"
    if match["other"]:
        below += re.sub(r"y([12])", r"y_\1", match["other"])
    if match["column"]:
        below += re.sub(r"y([12])", r"y_\1", match["column"])
    return f"_{{{below}}}" if below else ""


def latex_of_lines(lines: Iterable[Line], is_relative: bool) -> str:
    r"""Lines below each other in an `aligned` environment, which $$ … $$ or \[ … \] takes."""
    found = []
    for left, rights in lines:
        for k, right in enumerate(rights):
            first, *more = (
                latex_of_text(" ".join(part.split()), is_relative) for part in right.split("\n")
            )
            found.append(f"{latex_of_text(left, is_relative) if k == 0 else ''} &= {first}".strip())
            found += [rf"&\quad {part}" for part in more]
    body = " \\\\\n".join(found)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"
