"""Accelerations of all bodies at the samples of a run, by the equations of motion.

No differences of samples: of a tree u̇ follows from forward dynamics, of a mechanism with loops or
constraints the accelerations from cartesian_3, both at the recorded positions and speeds.
A body that a Motion leads has the second derivatives of its formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.analysis.newton_euler_reactions import (
    angular_acceleration,
    second_derivatives,
    tree_accelerations,
)
from hamiltree.analysis.reactions import reactions_of_run
from hamiltree.errors import FitError
from hamiltree.model.constraints import Motion
from hamiltree.model.model import Model
from hamiltree.rotations import rotate

Array = np.ndarray
KEPT_AS = "_body_accelerations"


def body_accelerations(run: Any) -> Array:
    """(n, bodies, 6): ω̇ and the acceleration of every body's origin, world axes."""
    kept = vars(run)  # a run does not change: they are found once
    if KEPT_AS not in kept:
        kept[KEPT_AS] = find_accelerations(run)
    return kept[KEPT_AS]


def find_accelerations(run: Any) -> Array:
    """Those of a tree, or of a mechanism; a Motion beside loops is refused."""
    model: Model = run.model
    motions = [part for part in model.constraints if isinstance(part, Motion)]
    others = len(model.constraints) - len(motions)
    if not (model.closing or model.couplings_as_constraints or others):
        found = tree_accelerations(run)
        for motion in motions:
            lead_body(found, model, motion, run.t.values)
        return found
    if motions:
        raise FitError(
            f"accelerations of {model.name!r}: body {motions[0].body!r} moves as a Motion says, "
            "beside loops or constraints, for which no accelerations are found; ask for positions "
            "and velocities"
        )
    return mechanism_accelerations(run)


def lead_body(found: Array, model: Model, motion: Motion, t: Array) -> None:
    """The second derivatives of the formulas of a Motion in place of the tree's."""
    k = next(k for k, body in enumerate(model.bodies) if body.name == motion.body)
    if motion.position is not None:
        found[:, k, 3:] = [second_derivatives(motion, motion.position, s)[2] for s in t]
    if motion.rotation is not None:
        found[:, k, :3] = [
            angular_acceleration(*second_derivatives(motion, motion.rotation, s)) for s in t
        ]


def mechanism_accelerations(run: Any) -> Array:
    """From those of centres of mass, and ω̇ in body axes, of cartesian_3."""
    model: Model = run.model
    reactions, samples = reactions_of_run(run)
    at = np.array(reactions.system.plan.at[: len(model.bodies)])[:, None]
    parts = []
    for frames, solutions, _ in reactions.solutions_in_batches(*samples):
        rotation, arm = frames.rotation[:, :-1], (frames.at - frames.centre)[:, :-1]
        omega_rate = rotate(rotation, solutions[:, at + np.arange(3, 6)])
        parts.append(np.stack([omega_rate, solutions[:, at + np.arange(3)], arm], axis=2))
    omega_rate, of_centre, arm = np.moveaxis(np.concatenate(parts), 2, 0)
    omega = samples[2][..., :3]
    of_origin = of_centre + np.cross(omega_rate, arm) + np.cross(omega, np.cross(omega, arm))
    return np.concatenate([omega_rate, of_origin], axis=2)
