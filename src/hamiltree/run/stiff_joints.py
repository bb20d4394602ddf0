"""Stops and friction of joints that are too stiff for steps of a fixed length, said before a run.

A stop of stiffness k on an axis that moves the inertia M vibrates at ω = √(k/M); friction of the
slope s = dQ/dv at rest decays at the rate s/M. Steps h follow them as long as h ω and h s/M are
small; docs/accuracy.md has what was measured.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.axis_inertias import axis_inertias
from hamiltree.assembly.body_states import BodyStates
from hamiltree.errors import AccuracyWarning, spell_option
from hamiltree.integrators import find_integrator
from hamiltree.model.elements import JointFriction, JointLimit
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_matrix
from hamiltree.run.choices import is_compatible
from hamiltree.run.plan import Plan

# per step: an angle of a stop's vibration, and time constants of friction
LONGEST_STOP, GOOD_STOP = 0.5, 0.1
LONGEST_FRICTION, GOOD_FRICTION = 2.0, 1.0
STIFF_FORCES = (JointLimit, JointFriction)
COPES = "radau5"  # implicit, with steps of its own


class StiffJoint(NamedTuple):
    """A force that is too stiff for a step."""

    name: str  # of the force, as messages call it
    excess: float  # h ω or h s/M, over the longest that steps can follow
    rate: float  # ω or s/M, 1/s
    good_step: float  # s
    force: Any  # on the coordinate that leads

    @property
    def what(self) -> str:
        return f"{self.name} acts within {1.0 / self.rate:.2g} s"


def find_stiff_joints(
    model: Model, states: BodyStates, q: np.ndarray, step: float, least: float = 1.0
) -> list[StiffJoint]:
    """Stops and friction of a model that are too stiff for a step, the worst first; or those that
    are at `least` such a part of the stiffest that steps can follow.
    """
    forces = list(stiff_forces(model))
    inertias = axis_inertias(model, states, q, {force.joint for _, force in forces})
    found = []
    for name, force in forces:
        inertia = inertias.get(force.joint, 0.0)
        if inertia <= 0.0:
            continue
        if isinstance(force, JointLimit):
            rate, longest, good = math.sqrt(force.stiffness / inertia), LONGEST_STOP, GOOD_STOP
        else:
            slope = force.coulomb / force.smoothing + force.viscous
            rate, longest, good = slope / inertia, LONGEST_FRICTION, GOOD_FRICTION
        if step * rate > least * longest:
            found.append(StiffJoint(name, step * rate / longest, rate, good / rate, force))
    return sorted(found, key=lambda stiff: -stiff.excess)


def stiff_forces(model: Model) -> Iterator[tuple[str, Any]]:
    """The stops and frictions with their names, each on the coordinate that leads."""
    for position, force in enumerate(model.forces):
        if isinstance(force, STIFF_FORCES):
            name = force.describe(position)
            follower = model.followers.get(force.joint)
            if follower is None:
                yield name, force
            else:
                yield name, force.on_leader(follower.ratio, follower.offset, follower.leader)


def warn_of_stiff_joints(plan: Plan, assembly: Any, first: dict[str, Any], depth: int) -> None:
    """Where steps are fixed; `first` is the first sample, `depth` the frames up to the caller."""
    model = (assembly.from_ground or assembly).model
    if plan.integrator.is_adaptive or not any(stiff_forces(model)):
        return
    pose, twist = first["pose"][0], first["twist"][0]
    states = BodyStates(rotation_matrix(pose[:, 3:]), pose[:, :3], twist)
    found = find_stiff_joints(model, states, first["q"][0], plan.step)
    if not found:
        return
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    step = min(stiff.good_step for stiff in found)
    other = ""
    if is_compatible(plan.equations.formulation, find_integrator(COPES)):
        other = f", or {spell_option('integrator', COPES)}, which chooses its steps"
    warnings.warn(
        f"{plan.equations.name}: {found[0].what}{more}, too stiff for steps of {plan.step:g} s; "
        f"take {spell_option('step', float(f'{step:.1g}'))}{other}",
        AccuracyWarning,
        stacklevel=depth,
    )
