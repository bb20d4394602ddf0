"""Drives that move: which speeds of the tree they give, and the model without them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hamiltree.analysis.linear.speed_equations import STANDSTILL, SpeedEquations
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.joint_rows import RowSpec
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, OptionError
from hamiltree.model.model import Model

Array = np.ndarray
CONSTANT_SPEED = 1e-9  # of the square of a speed: a smaller acceleration is none


@dataclass(frozen=True)
class Driven:
    """A model without what moves by the clock, and the speeds that this gives."""

    model: Model
    q: Array  # loops closed, drives where they are at t
    speeds: dict[int, float]  # row of the speeds: rad/s or m/s


def find_driven(model: Model, q: Array, t: float) -> Driven:
    """Drives that move at t, as speeds of the tree; those that accelerate are refused."""
    if not isinstance(model, Model):
        raise OptionError(f"give a Model, not {type(model).__name__}")
    if model.has_rows:
        q = Mechanism(model, q, t).closed_positions(q, frozenset())
    moving = SpeedEquations(model, t).moving_rows(q)
    speeds: dict[int, float] = {}
    names = list(model.speeds)
    for spec, rate in moving:
        if spec.drive is None:
            continue
        if rate == 0.0 or is_accelerating(model, q, t, spec):
            raise OptionError(
                f"constraint {spec.part[1]!r} accelerates at t = {t:g}, so that nothing is steady; "
                "give a time at which its speed is constant"
            )
        if spec.drive.joint not in names:
            raise FitError(
                f"constraint {spec.part[1]!r} drives {spec.drive.joint!r}, which closes a loop or "
                "follows another; declare another joint of the loop last",
                ("constraint", spec.part[1]),
            )
        speeds[names.index(spec.drive.joint)] = -rate
    gone = {id(spec.drive) for spec, _ in moving}
    left = [part for part in model.constraints if id(part) not in gone]
    is_same = len(left) == len(model.constraints)
    return Driven(model if is_same else model.with_(constraints=left), q, speeds)


def is_accelerating(model: Model, q: Array, t: float, spec: RowSpec) -> bool:
    """Whether the second derivative of a drive is there."""
    place = Mechanism(model, q, t)
    found = place.at(q, np.zeros(len(model.speeds)))[0]
    row = next(k for k, each in enumerate(place.specs) if each.part == spec.part)
    limit = STANDSTILL / assemble_at_start(model).scales.time ** 2
    return abs(found.gamma[row] / place.row_scale[row]) > max(
        limit, CONSTANT_SPEED * (found.rate[row] / place.row_scale[row]) ** 2
    )
