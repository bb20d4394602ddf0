"""Where rigid bodies are: centres of mass r (world axes) and rotations R (body to world), and small
motions of them.

A small motion of a body is (dr, dθ): r → r + dr in world axes, R → R exp(dθ×) with dθ in body axes.
Bodies are joined to the ground alone: free, welded, by a ball at their centre of mass, or with a
prescribed motion; any other joint is refused by name.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from hamiltree.assembly.prescribed_poses import prescribed_pose
from hamiltree.errors import FitError, OptionError
from hamiltree.model import Ball, Frame, Free, Model, Motion, Weld
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import Joint
from hamiltree.model.particles import principal_axes
from hamiltree.model.values import IDENTITY, ORIGIN, Matrix, Part, Vector
from hamiltree.rotations import rotation_exponential

# m per m of the body's extent: a ball nearer than that to the centre of mass is at it
CENTRE_TOLERANCE = 1e-12
# of the largest moment: a body with a smaller one is a straight line of particles, or a point
MIN_RELATIVE_MOMENT = 1e-10


@dataclass(frozen=True)
class Poses:
    """Centres of mass, n x 3 in world axes, and rotations, n x 3 x 3 from body to world axes."""

    positions: np.ndarray
    rotations: np.ndarray

    def moved(self, motion: np.ndarray) -> Poses:
        """r + dr and R exp(dθ×) for `motion`, n x 6."""
        return Poses(
            self.positions + motion[:, :3], self.rotations @ rotation_exponential(motion[:, 3:])
        )


# ---- from a model to poses, and back -------------------------------------------------------------
def poses_of(model: Model, q: Any = None, t: float = 0.0) -> Poses:
    """Where the bodies are at q (the model's start if None), those that are moved by a Motion where
    they are at t.
    """
    joints = ground_joints(model)
    values = coordinates_by_joint(model, q)
    moved = prescribed_motions(model)
    positions = np.empty((len(model.bodies), 3))
    rotations = np.empty((len(model.bodies), 3, 3))
    for k, body in enumerate(model.bodies):
        joint = joints[body.name]
        frame = (
            joint.on_parent @ frame_of(joint, values.get(joint.name, ())) @ joint.on_child.inverse()
        )
        rotations[k] = frame.matrix
        origin = np.array(frame.position)
        if body.name in moved:
            origin, rotations[k] = prescribed_pose(moved[body.name], t, origin, rotations[k])
        positions[k] = origin + rotations[k] @ np.array(body.com)
    return Poses(positions, rotations)


def start_at_rest(model: Model, poses: Poses) -> Model:
    """The model that starts at these poses without any velocity."""
    joints, changed = ground_joints(model), {}
    for k, body in enumerate(model.bodies):
        joint = joints[body.name]
        if isinstance(joint, Weld):
            continue
        origin = poses.positions[k] - poses.rotations[k] @ np.array(body.com)
        frame = (
            joint.on_parent.inverse()
            @ Frame(tuple(origin.tolist()), poses.rotations[k].tolist())
            @ joint.on_child
        )
        q = frame.rotation if isinstance(joint, Ball) else (*frame.position, *frame.rotation)
        changed[joint.name] = {"q": q, "qdot": (0.0,) * joint.speeds}
    return model.with_(
        joints=tuple(replace(joint, **changed.get(joint.name, {})) for joint in model.joints)
    )


def ground_joints(model: Model) -> dict[str, Joint]:
    """The joint of every body with the ground, by the body's name."""
    found = {}
    for joint in model.joints:
        if (
            joint.parent != GROUND
            or not isinstance(joint, (Free, Weld, Ball))
            or joint.child in found
        ):
            raise FitError(
                f"joint {joint.name!r} ({joint.kind}) joins {joint.parent!r} and {joint.child!r}; "
                "equilibria and modes of chains are found "
                "for bodies that are joined to the ground alone, by a Free, a Weld or a Ball joint",
                ("joint", joint.name),
            )
        if isinstance(joint, Ball):
            check_centred(joint.on_child.position, model.body(joint.child), ("joint", joint.name))
        found[joint.child] = joint
    return found


def check_centred(held: Vector, body: Body, part: Part) -> None:
    """A body whose position is held and that may turn must be held at its centre of mass, so that
    (dr, dθ) stay apart.
    """
    away = float(np.linalg.norm(np.subtract(held, body.com)))
    gyration = float(np.sqrt(np.trace(body.inertia) / (2.0 * body.mass))) if body.mass else 0.0
    if away > CENTRE_TOLERANCE * (float(np.linalg.norm(body.com)) + gyration):
        raise FitError(
            f"{part[0]} {part[1]!r}: it holds body {body.name!r} {away:.3g} m away from its centre "
            "of mass and leaves it free to turn; "
            "equilibria and modes of chains need such a body to be held at its centre of mass",
            part,
        )


def coordinates_by_joint(model: Model, q: Any) -> dict[str, np.ndarray]:
    values = model.q_from(q)
    found = {}
    at = 0
    for joint in model.tree_joints:
        found[joint.name] = values[at : at + joint.coordinates]
        at += joint.coordinates
    return found


def frame_of(joint: Joint, q: Any) -> Frame:
    numbers = [float(x) for x in q]
    if isinstance(joint, Weld):
        return IDENTITY
    w, i, j, k = numbers[-4:]
    x, y, z = numbers[:3] if isinstance(joint, Free) else ORIGIN
    return Frame((x, y, z), (w, i, j, k))


# ---- bodies that are moved -----------------------------------------------------------------------
def prescribed_motions(model: Model) -> dict[str, Motion]:
    """The prescribed motions, by body; any other constraint is refused."""
    found = {}
    for position, constraint in enumerate(model.constraints):
        if not isinstance(constraint, Motion):
            raise FitError(
                f"{constraint.describe(position)}: equilibria and modes of chains know no "
                "constraint but Motion; remove it",
                constraint.part,
            )
        if constraint.rotation is None:
            check_centred(ORIGIN, model.body(constraint.body), constraint.part)
        found[constraint.body] = constraint
    return found


# ---- which small motions are free, and what they weigh -------------------------------------------
@dataclass(frozen=True)
class Freedoms:
    """The small motions that nothing holds: columns (body, direction) with `directions` n x 6, and
    the inertia of each.

    The directions of a body are the world axes for dr and its principal axes for dθ, so that the
    kinetic energy is ½ Σ inertia ẏ².
    A moment of inertia that vanishes belongs to no motion: particles on a line do not turn about
    it, a point mass does not turn.
    """

    bodies: np.ndarray  # of every free motion
    directions: np.ndarray  # n x 6
    inertias: np.ndarray
    # 1 for a displacement; for an angle how far it moves the body's particles, root mean square, m
    lengths: np.ndarray
    count: int  # bodies, free or not

    def expand(self, y: np.ndarray) -> np.ndarray:
        """The motion (bodies x 6) of the coordinates y."""
        out = np.zeros((self.count, 6))
        np.add.at(out, self.bodies, y[:, None] * self.directions)
        return out

    def project_gradient(self, gradient: np.ndarray) -> np.ndarray:
        """Along the free motions, from a gradient bodies x 6."""
        return np.einsum("nk,nk->n", gradient[self.bodies], self.directions)


def freedoms(model: Model) -> Freedoms:
    """The small motions that joints and prescribed motions leave free."""
    joints = ground_joints(model)
    moved = prescribed_motions(model)
    bodies, directions, inertias, lengths = [], [], [], []
    for k, body in enumerate(model.bodies):
        joint, motion = joints[body.name], moved.get(body.name)
        if isinstance(joint, Free) and (motion is None or motion.position is None):
            bodies += [k] * 3
            directions += [*np.eye(6)[:3]]
            inertias += [body.mass] * 3
            lengths += [1.0] * 3
        if not isinstance(joint, Weld) and (motion is None or motion.rotation is None):
            for moment, axis, length in principal_rotations(body.mass, body.inertia):
                bodies.append(k)
                directions.append(np.concatenate([np.zeros(3), axis]))
                inertias.append(moment)
                lengths.append(length)
    if not bodies:
        raise OptionError(
            f"model {model.name!r}: nothing in it is free to move; leave at least one body free"
        )
    return Freedoms(
        bodies=np.array(bodies),
        directions=np.array(directions),
        inertias=np.array(inertias),
        lengths=np.array(lengths),
        count=len(model.bodies),
    )


@lru_cache(maxsize=1024)  # equal bodies are the rule
def principal_rotations(
    mass: float, inertia: Matrix
) -> tuple[tuple[float, np.ndarray, float], ...]:
    """(moment, axis in body axes, radius of gyration) about the principal axes that have
    inertia.
    """
    moments, axes = principal_axes(inertia)
    least = MIN_RELATIVE_MOMENT * max(moments)
    return tuple(
        (m, np.array(axes)[:, k], float(np.sqrt(m / mass)))
        for k, m in enumerate(moments)
        if m > least
    )
