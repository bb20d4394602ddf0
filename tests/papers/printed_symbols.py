"""Reads back what `ht.cartesian` prints, as text or as LaTeX, and computes it from the numbers of
its symbols: sums of products of matrices, parentheses, transposes.
"""

import re
import unicodedata

import numpy as np

from hamiltree.analysis.cartesian.notation import split_tokens

ACCENTS = {"tilde": "\u0303", "dot": "\u0307", "ddot": "\u0308"}
LETTERS = {"Phi": "Φ", "omega": "ω", "lambda": "λ", "sigma": "σ", "gamma": "γ", "theta": "θ"}
BRACES = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"  # nested up to three deep
LATEX_TOKEN = re.compile(
    r"\)\^\{T\}|\\tfrac\{1\}\{2\}|[()+-]|\d+(?:\.\d+)?"
    rf"|\\?[a-zA-Z](?:[^\s(){{}}]|{BRACES})*"
)


def compute(text, symbols):
    """The value of a printed expression."""
    known = {unicodedata.normalize("NFD", name): value for name, value in symbols.items()}
    tokens = [unicodedata.normalize("NFD", token) for token in split_tokens(text)]
    value, rest = parse_sum(tokens, known)
    assert not rest, (text, rest)
    return value


def parse_sum(tokens, known):
    total = None
    while tokens and tokens[0] not in (")", ")ᵀ"):
        sign = -1.0 if tokens[0] == "−" else 1.0
        value, tokens = parse_product(tokens[tokens[0] in "+−" :], known)
        total = sign * value if total is None else total + sign * value
    return total, tokens


def parse_product(tokens, known):
    """Factors until a sign or the end of a parenthesis; 1 × 1 results stay arrays."""
    factors = []
    while tokens and tokens[0] not in ("+", "−", ")", ")ᵀ"):
        factor, tokens = parse_factor(tokens, known)
        factors.append(factor)
    value = factors[0]
    for factor in factors[1:]:
        value = multiply(value, factor)
    return value, tokens


def parse_factor(tokens, known):
    token, rest = tokens[0], tokens[1:]
    if token == "(":
        value, rest = parse_sum(rest, known)
        return (value.T if rest[0] == ")ᵀ" else value), rest[1:]
    if token == "½":
        return np.array(0.5), rest
    if re.fullmatch(r"\d+(\.\d+)?(e-?\d+)?", token):
        return np.array(float(token)), rest
    if token in ("0", "0ᵀ"):
        return np.array(0.0), rest
    if token in known:
        return as_matrix(known[token]), rest
    return as_matrix(known[token.removesuffix("ᵀ")]).T, rest


def as_matrix(value):
    """Vectors are columns."""
    value = np.asarray(value, dtype=float)
    return value[:, None] if value.ndim == 1 else value


def multiply(a, b):
    """A product of matrices; of a number and anything."""
    return a * b if 1 in (a.size, b.size) else a @ b


# ---- LaTeX ---------------------------------------------------------------------------------------
def from_latex(latex):
    r"""The text that a LaTeX expression means: \tilde{\mathbf{s}}_{2}^{B T} is s̃2^Bᵀ."""
    return " ".join(latex_token(token) for token in LATEX_TOKEN.findall(latex))


def latex_token(token):
    """One symbol, number or sign."""
    if token in ("(", ")", "+"):
        return token
    plain = {")^{T}": ")ᵀ", "-": "−", r"\tfrac{1}{2}": "½"}
    if token in plain or token[0].isdigit():
        return plain.get(token, token)
    found = re.fullmatch(r"(?P<core>.*?)(_\{(?P<sub>.*?)\}+?)?(\^\{(?P<sup>.*)\})?", token)
    core, sub, sup = found["core"], found["sub"] or "", found["sup"] or ""
    accents = [ACCENTS[name] for name in re.findall(r"\\(tilde|ddot|dot)\{", core)]
    letter = re.sub(r"\\(tilde|ddot|dot|mathbf|boldsymbol)|[{}]", "", core)
    letter = LETTERS.get(letter.lstrip("\\"), letter)
    if letter == "0":
        return "0ᵀ" if sup else "0"
    by = re.fullmatch(r"([rp])_\{(\w+)", sub)
    number = f"_{by[1]}{by[2]}" if by else f"_{sub}" if sub == "q" else sub
    mark = "'" if r"\prime" in sup else "*" if "*" in sup else "#" if r"\#" in sup else ""
    point = re.search(r"[BP]", sup)
    transpose = "ᵀ" if "T" in sup else ""
    base = letter + "".join(reversed(accents)) + mark + number
    return base + (f"^{point[0]}" if point else "") + transpose
