"""Causes of a disagreement: at which bodies wrong accelerations begin, as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.analysis.compare.localise import Cause, DiscrepancyLocaliser

if TYPE_CHECKING:
    from hamiltree.analysis.compare.rows import Findings

# times its own error: a smaller difference does not show where it begins
CLEAR_DIFFERENCE_FACTOR = 20.0
# of the largest violated joint acceleration: joints with less are not named
BROKEN_JOINT_SHARE = 1e-3
MAX_NAMED = 6  # bodies or joints that a line lists


def find_causes(findings: Findings) -> dict[str, tuple[tuple[str, ...], str]]:
    """Of each formulation whose accelerations differ: the bodies at which that may begin, and a
    sentence.
    """
    names = findings.names
    excess = [row.excess(findings.tolerance) for row in findings.acceleration_rows()]
    wrong = np.flatnonzero(np.array(excess).max(0) > 1.0)
    if not len(wrong):
        return {}
    found = findings.stack(lambda m: m.acceleration)
    errors = findings.stack(lambda m: m.acceleration_error)
    reference = findings.reference(found, names)
    reference_error = np.median(errors[findings.trusted(names)], axis=0)
    localiser = DiscrepancyLocaliser(findings.model, findings.masses, findings.start)
    causes = {}
    for k in wrong:
        cause = localiser.localise(found[k] - reference, errors[k] + reference_error)
        described = describe_cause(findings, int(k), cause)
        whose = names if findings.ambiguous_names(names) else [names[k]]
        causes |= {name: described for name in whose}
    return causes


def describe_cause(findings: Findings, k: int, cause: Cause) -> tuple[tuple[str, ...], str]:
    """Bodies, and what is said of them, of formulation number k."""
    wrong = "its equations of motion are wrong"
    if cause.noise * CLEAR_DIFFERENCE_FACTOR > 1.0:
        return (), "the difference is too near the error of derivatives to say where it begins"
    if cause.kind == "joint":
        return describe_broken_joints(findings, k)
    if not cause.bodies:
        return (), f"{wrong}, which is not explained by one body"
    names = quote_names(cause.bodies)
    where = f"body {names}"
    if len(cause.bodies) > 1:
        where = f"one of the bodies {names}, which cannot be told apart"
        if cause.kind == "any":
            return cause.bodies, f"{wrong} at {where}"
    if cause.kind == "field":
        what = "an acceleration carried outwards from it explains every difference"
    else:
        what = "a wrench on it explains every difference"
    return cause.bodies, f"{wrong} at {where}: {what}"


def describe_broken_joints(findings: Findings, k: int) -> tuple[tuple[str, ...], str]:
    """Forces balance: the joints whose rows do not stay at zero."""
    joints = findings.joint_rows
    row = findings.joint_acceleration_rows()[0] if joints is not None and joints.specs else None
    if joints is None or row is None or not row.excess(findings.tolerance)[k] > 1.0:
        return (
            (),
            "its accelerations along what joints forbid are wrong, but no joint is found that "
            "they break",
        )
    least = BROKEN_JOINT_SHARE * row.deviation[k].max()
    is_broken = row.deviation[k] > np.maximum(row.allowed(findings.tolerance)[k], least)
    owners = [int(owner) for owner in np.flatnonzero(is_broken)]
    bodies = tuple(dict.fromkeys(joints.child(owner) for owner in owners))
    broken = join_names([joints.description(owner) for owner in owners])
    return bodies, f"its accelerations break {broken}; forces are in balance"


def quote_names(names: Sequence[str]) -> str:
    return join_names([f"'{name}'" for name in names])


def join_names(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = f" and {len(names) - MAX_NAMED} more" if len(names) > MAX_NAMED else ""
    return ", ".join(names[:MAX_NAMED]) + more
