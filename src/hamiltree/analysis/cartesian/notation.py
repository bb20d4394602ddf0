"""The document's symbols: names with accents and body numbers, as text and in LaTeX.

A symbol is a letter with an accent (s̃ skew, ṡ rate, q̈ second rate), a mark (J', J*, γ#), what it
is differentiated by (Φ_r, Φ_p), the number of a body and the name of a point: `s̃2^B`, `Φ_p1`,
`ω'1`. A trailing ᵀ is a transpose, which may also follow a closing parenthesis. Factors are
separated by spaces. Body 0 is the ground.
"""

from __future__ import annotations

import re
import unicodedata

ACCENTS = {"\u0303": "tilde", "\u0307": "dot", "\u0308": "ddot"}
GREEK = {"Φ": "Phi", "ω": "omega", "λ": "lambda", "σ": "sigma", "γ": "gamma", "θ": "theta"}
SCALARS = "lwuσθ"
SYMBOL = re.compile(
    r"(?P<letter>[A-Za-zΦωλσγθ])(?P<accents>[\u0303\u0307\u0308]*)(?P<mark>['*#]?)"
    r"(_(?P<by>[rpq]))?(?P<number>\d*|[ij])(\^(?P<point>[A-Z]))?(?P<transpose>ᵀ?)$"
)
PLAIN = {"½": r"\tfrac{1}{2}", "−": "-", ")ᵀ": ")^{T}", "0ᵀ": r"\mathbf{0}^{T}", "0": r"\mathbf{0}"}
TOKENS = re.compile(r"\)ᵀ|[()+,;\[\]]|[^\s()+,;\[\]]+")


def split_tokens(text: str) -> list[str]:
    """Symbols, numbers, signs and parentheses of a printed expression."""
    return TOKENS.findall(text)


def to_latex(text: str) -> str:
    """A printed expression in LaTeX."""
    return " ".join(token_to_latex(token) for token in split_tokens(text))


def token_to_latex(token: str) -> str:
    """One token; what is no symbol stays as it is."""
    if token in PLAIN:
        return PLAIN[token]
    found = SYMBOL.match(unicodedata.normalize("NFD", token))
    return token if found is None else symbol_to_latex(found)


def symbol_to_latex(found: re.Match[str]) -> str:
    r"""\tilde{\mathbf{s}}_{2}^{B}"""
    letter = found["letter"]
    if letter in SCALARS:
        core = rf"\{GREEK[letter]}" if letter in GREEK else letter
    else:
        core = rf"\boldsymbol{{\{GREEK[letter]}}}" if letter in GREEK else rf"\mathbf{{{letter}}}"
    for accent in found["accents"]:
        core = rf"\{ACCENTS[accent]}{{{core}}}"
    below = found["number"] or ""
    if found["by"]:
        below = f"{found['by']}_{{{below}}}" if below else found["by"]
    mark = {"'": r"\prime", "*": "*", "#": r"\#", "": ""}[found["mark"]]
    above = "".join(part for part in (mark, found["point"] or "", "T" * bool(found["transpose"])))
    above = above.replace(r"\primeT", r"\prime T")
    return core + (f"_{{{below}}}" if below else "") + (f"^{{{above}}}" if above else "")


def kind_to_latex(kind: str) -> str:
    r"""Φ^(n2,1) as \Phi^{(n2,1)}."""
    return re.sub(r"Φ\^(\([^)]*\))", r"\\boldsymbol{\\Phi}^{\1}", kind)
