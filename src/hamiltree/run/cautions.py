"""Warnings of a run that ends well and may still not be worth much: a step that does not fit the
model, bodies that fly together and are seen from the ground, and events that are faster than
steps. What its record shows is judged afterwards (judgement.py).
"""

from __future__ import annotations

import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from hamiltree.assembly.body_states import BodyStates
from hamiltree.assembly.scales import shortest_time_constant
from hamiltree.errors import AccuracyWarning, spell_option
from hamiltree.rotations import rotation_matrix
from hamiltree.run.plan import Plan
from hamiltree.run.stiff_joints import STIFF_FORCES, warn_of_stiff_joints

# of the shortest period or time constant: a default step between them needs no word
SHORTEST_STEP, LONGEST_STEP = 1e-5, 1 / 20
IS_QUIET = ContextVar("IS_QUIET", default=False)  # runs inside an analysis, with a step of its own
MAX_COMMON_SPEED = 1e3  # in parts of the speed within: more takes as many digits from the joints


@contextmanager
def without_warnings() -> Iterator[None]:
    """Runs of an analysis that shows their errors itself."""
    before = IS_QUIET.set(True)
    try:
        yield
    finally:
        IS_QUIET.reset(before)


def warn_at_start(
    plan: Plan, assembly: Any, first: dict[str, np.ndarray], has_default_step: bool
) -> None:
    """All that can be told before the first step; `first` is the first sample."""
    if has_default_step:
        warn_of_default_step(plan, assembly, first)
    forces = getattr(plan.equations.problem, "forces", ())
    if not IS_QUIET.get() and any(isinstance(force, STIFF_FORCES) for force in forces):
        warn_of_stiff_joints(plan, assembly, first, frames_to_caller() + 1)
    if plan.equations.has_unanchored_joints:
        warn_of_common_speed(plan, assembly)


def warn_of_default_step(plan: Plan, assembly: Any, first: dict[str, np.ndarray]) -> None:
    """Where nobody has chosen the step, and it is far from what the model needs; `first` is the
    first sample.
    """
    if IS_QUIET.get() or plan.integrator.is_adaptive or "pose" not in first:
        return
    pose, twist = first["pose"][0], first["twist"][0]
    states = BodyStates(rotation_matrix(pose[:, 3:]), pose[:, :3], twist)
    shortest = shortest_time_constant((assembly.from_ground or assembly).model, states)
    if not math.isfinite(shortest):
        return
    if SHORTEST_STEP * shortest <= plan.step <= LONGEST_STEP * shortest:
        return
    what = "too long" if plan.step > LONGEST_STEP * shortest else "very short"
    warnings.warn(
        f"{plan.equations.name}: the default step of {plan.step:g} s is {what} for this model, "
        f"whose shortest period or time constant is about {shortest:.3g} s; give a step, such as "
        f"{spell_option('step', float(f'{shortest / 100:.1g}'))}"
        + (f", and {spell_option('until', ...)}" if shortest > plan.until else ""),
        AccuracyWarning,
        stacklevel=frames_to_caller(),
    )


def warn_of_common_speed(plan: Plan, assembly: Any) -> None:
    """Where joined bodies fly together, the run cannot be followed from an origin that moves with
    them, and canonical momenta of their joints mix both motions. With error control they keep
    their digits.
    """
    if IS_QUIET.get() or plan.integrator.is_adaptive:
        return
    found = assembly.fast_group if plan.equations.formulation.has_momenta else None
    if found is None or not found[1] > MAX_COMMON_SPEED:
        return
    body, ratio = found
    within = f"{ratio:.0e} times as fast as they move within" if ratio < np.inf else "as one"
    warnings.warn(
        f"{plan.equations.name}: body '{body}' and those joined to it fly {within}, and a load, an "
        "open orbit or an event in space does not let the run follow them; canonical momenta of "
        "joints lose digits there: use the formulation kane_relative (cartesian_3 with loops)",
        AccuracyWarning,
        stacklevel=frames_to_caller(),
    )


def warn_of_dense_crossings(plan: Plan, event: str) -> None:
    """Where an event varies faster than steps of fixed length can show."""
    if IS_QUIET.get():
        return
    warnings.warn(
        f"{plan.equations.name}: event {event!r} crosses zero more than four times in one step of "
        f"{plan.step:g}{plan.equations.time_unit}, and some crossings may be missed; take a "
        "shorter step",
        AccuracyWarning,
        stacklevel=frames_to_caller(),
    )


def frames_to_caller() -> int:
    """How many frames lie between a warning of this file and the code that called hamiltree."""
    frame = sys._getframe(1)
    count = 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hamiltree."):
        frame = frame.f_back
        count += 1
    return count
