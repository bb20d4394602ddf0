"""A state in absolute coordinates, what acts on its bodies, and its constraint rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis import euler_parameters
from hamiltree.analysis.accelerations import solve_with
from hamiltree.assembly.joint_rows import RowSpec
from hamiltree.assembly.row_tables import RowEvaluator, RowValues
from hamiltree.errors import OptionError
from hamiltree.formulations.absolute.tables import (
    BodyStates,
    CartesianTables,
    check_own_inertias,
    pack_body_state,
    row_and_frame_of,
)
from hamiltree.model import Model
from hamiltree.rotations import rotate, rotate_back
from hamiltree.run.equations import Bound, bind
from hamiltree.trajectory.trajectory import Trajectory

Array = np.ndarray
FORMULATION = "cartesian_3"  # whose System evaluates loads


class BodyState(NamedTuple):
    """r and ṙ of the centres of mass in world axes, Euler parameters p, ω' in body axes; one row
    per body.
    """

    r: Array  # (b, 3) m
    p: Array  # (b, 4) scalar first, body → world
    v: Array  # (b, 3) m/s
    w: Array  # (b, 3) rad/s

    @property
    def pdot(self) -> Array:
        """ṗ = ½ Lᵀ ω'"""
        return euler_parameters.rate(self.p, self.w)

    @property
    def q(self) -> Array:
        """(r, p) of every body, 7b numbers."""
        return np.hstack([self.r, self.p]).ravel()

    @property
    def qdot(self) -> Array:
        """(ṙ, ṗ) of every body, 7b numbers."""
        return np.hstack([self.v, self.pdot]).ravel()


class Situation(NamedTuple):
    """A model in absolute coordinates at a state and a time: all that the matrices are made of."""

    model: Model
    state: BodyState
    t: float
    force: Array  # (b, 3) f, world axes
    moment: Array  # (b, 3) n' about the centre of mass, body axes
    specs: tuple[RowSpec, ...]
    rows: RowValues


def state_of_run(run: Trajectory, sample: int = -1) -> BodyState:
    """The state of all bodies at one sample of a run."""
    if not isinstance(run, Trajectory):
        raise OptionError("state_of_run takes the run of a Model: hamiltree.simulate(model, …)")
    com = np.array([body.com for body in run.model.bodies])
    pose, twist = run.poses.values[sample], run.twists.values[sample]
    turn = euler_parameters.A(pose[:, 3:])
    arm, omega = rotate(turn, com), twist[:, :3]
    return BodyState(
        pose[:, :3] + arm,
        pose[:, 3:],
        twist[:, 3:] + np.cross(omega, arm),
        rotate_back(turn, omega),
    )


def check_state(state: BodyState, bodies: int) -> BodyState:
    """The state as arrays of floats, one row per body."""
    found = [
        euler_parameters.numbers(part, width, f"state.{name}")
        for name, part, width in zip(BodyState._fields, state, (3, 4, 3, 3), strict=True)
    ]
    for name, part in zip(BodyState._fields, found, strict=True):
        if part.ndim != 2 or len(part) != bodies:
            raise OptionError(
                f"state.{name} has shape {part.shape}; give a row for each of {bodies} bodies"
            )
    return BodyState(*found)


def bind_state(model: Model, state: Any) -> tuple[Bound, BodyState]:
    """The model at its start, at (q, q̇) in joint coordinates, or at a BodyState."""
    if not isinstance(model, Model):
        raise OptionError(
            f"model is a {type(model).__name__}; give a Model, a file is read by hamiltree.load"
        )
    check_own_inertias(model, FORMULATION)
    if isinstance(state, BodyState):
        return bind(model, FORMULATION), check_state(state, len(model.bodies))
    if state is not None and not (isinstance(state, (tuple, list)) and len(state) == 2):
        raise OptionError("state: give (q, qdot), a BodyState, or nothing for the model's start")
    bound = bind(model, FORMULATION, *(state or ()))
    found = BodyStates(bound.assembly)
    return bound, BodyState(found.r, found.p, found.v, found.w)


def situation_at(model: Model, state: Any, t: float) -> Situation:
    """Loads and rows of a model at a state; loads by the System of cartesian_3."""
    bound, at = bind_state(model, state)
    work = solve_with(bound, pack_body_state(*at), t)[2]
    bodies = len(model.bodies)
    torque, force = work.bodies.wrench[:bodies, :3], work.bodies.wrench[:bodies, 3:]
    mass = np.array([body.mass for body in model.bodies])
    turn = euler_parameters.A(at.p)
    specs = tuple(CartesianTables(bound.assembly, FORMULATION).specs)
    evaluator = RowEvaluator(model, specs, row_and_frame_of(model.bodies))
    twist = np.hstack([rotate(turn, at.w), at.v])
    return Situation(
        model,
        at,
        t,
        force + mass[:, None] * np.array(model.gravity),
        rotate_back(turn, torque),
        specs,
        evaluator.at(turn, at.r, twist, t),
    )
