"""How many digits two numbers share, and what that is worth."""

from __future__ import annotations

import math
from typing import NamedTuple

from hamiltree.published.problem import Reference, Run

AGREED = "agreed"
AS_FAR = "agrees as far as the reference goes"
EXPLAINED = "differs for a known reason"
DIFFERS = "differs"
FAILED = "failed"
NOT_RUN = "only with --full"
WORST_FIRST = (FAILED, DIFFERS, AS_FAR, AGREED, EXPLAINED, NOT_RUN)
MOST_DIGITS = 16.0  # of a double


class Row(NamedTuple):
    """One number of ours beside one of a source."""

    run: str
    what: str
    reference: str
    by: str
    ours: float
    difference: float
    digits: float  # that agree, no more than the reference is good for
    reference_digits: float
    verdict: str
    note: str = ""


def judge(reference: Reference, ours: float, run: Run, label: str, note: str = "") -> Row:
    """Agreed: the difference is within the error of the reference and that of the run. Where the
    reference has the larger error it is what ends the agreement.
    """
    difference = ours - reference.value
    allowed = run.within * reference.scale
    if reference.by == "formula":  # exact: what is left is rounding
        allowed = max(allowed, run.floor)
    if not abs(difference) <= reference.good_to + allowed:
        verdict = EXPLAINED if reference.reason else DIFFERS
    else:
        verdict = AS_FAR if reference.good_to > allowed else AGREED
    most = digits_within(reference.good_to, reference.scale)
    found = min(digits_within(abs(difference), reference.scale), most)
    why = reference.reason if verdict == EXPLAINED else note
    return Row(
        label, reference.what, reference.digits, reference.by, ours, difference, found, most,
        verdict, why,
    )  # fmt: skip


def digits_within(error: float, scale: float) -> float:
    """-log10(error/scale), between none and the sixteen of a double."""
    if not math.isfinite(error):
        return 0.0
    if error == 0.0:
        return MOST_DIGITS
    return min(max(-math.log10(error / scale), 0.0), MOST_DIGITS)


def worst_verdict(verdicts: list[str]) -> str:
    return min(verdicts, key=WORST_FIRST.index) if verdicts else NOT_RUN


def is_good(verdict: str) -> bool:
    return verdict not in (DIFFERS, FAILED)
