"""Reactions of a tree, and of prescribed motions, by Newton's and Euler's equations: what bodies
need beside their loads to move as they do.

For each body alone w = (m a, J ω̇ + ω × J ω) less the wrench of gravity and of the model's forces on
it (RNEA of the same bodies without joints). A joint carries the sum of w over the bodies that it
holds; a body that a Motion leads needs its own w. No inertia is inverted, so that point masses,
slender rods and rotors (armatures) are allowed. Accelerations are those of the tree's own
equations, or of the formulas of a Motion.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.analysis.reaction_targets import (
    Target,
    label_reactions,
    number_or_name,
    target_of_joint,
)
from hamiltree.assembly.prescribed_poses import derivatives_at
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.forces.inputs import Inputs, use_inputs
from hamiltree.forces.laws import JOINT_LAWS
from hamiltree.model.actuators import JointActuator
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Motion
from hamiltree.model.forces import BodyInput, JointInput
from hamiltree.model.joints import Free, Joint
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_matrix

Array = np.ndarray
SERIES_TERMS = 12
SMALL_SQUARE = 1.0  # θ² below which series are exact to the last digit
ONE_AXIS = ("revolute", "prismatic")


def needs_newton_euler(model: Model) -> bool:
    """Whether reactions are found here: a Motion leads a body, or a body has no inertia of its own
    or a joint armature, for which cartesian_3 does not do.
    """
    if any(isinstance(part, Motion) for part in model.constraints):
        return True
    moments = [np.linalg.eigvalsh(np.array(body.inertia)) for body in model.bodies]
    lacks_inertia = any(m[0] <= 1e-12 * m[-1] or m[-1] <= 0.0 for m in moments)
    has_armature = any(any(joint.armatures()) for joint in model.joints)
    return lacks_inertia or has_armature or any(not body.mass > 0 for body in model.bodies)


def reactions_by_newton_euler(run: Any, name: str | int) -> xr.Dataset:
    """Force and moment of a joint of a tree, or of a Motion, at the samples of a run; as those of
    `Reactions.of`.
    """
    model: Model = run.model
    check_model(model)
    motions = {
        part.name or k + 1: part
        for k, part in enumerate(model.constraints)
        if isinstance(part, Motion)
    }
    label = number_or_name(name)
    joints = {joint.name: joint for joint in model.joints}
    by_body = {part.body: key for key, part in motions.items()}
    samples = run.t.values, run.poses.values, run.twists.values
    if label in joints and joints[str(label)].child not in by_body:
        return joint_reactions(run, joints[str(label)], samples)
    if label in joints:
        label = by_body[joints[str(label)].child]
    label = by_body.get(str(label), label)
    if label not in motions:
        raise OptionError(
            f"there is no joint or constraint {name!r} in model {model.name!r}; "
            f"{suggest(str(name), [*joints, *map(str, motions)])}"
        )
    return motion_reactions(run, label, motions[label], samples)


def check_model(model: Model) -> None:
    """Refuse what is more than a tree whose bodies only joints and motions hold."""
    others = [part for part in model.constraints if not isinstance(part, Motion)]
    if others or model.closing or model.couplings:
        raise FitError(
            f"reactions of {model.name!r}: some of its bodies have no mass, no inertia about some "
            "axis or a rotor (armature), and it has loops, constraints or couplings, for which "
            "only cartesian_3 finds reactions; give those bodies a small mass and inertia"
        )
    kinds = JointInput, JointActuator, BodyInput
    inputs = next((force for force in model.forces if isinstance(force, kinds)), None)
    if inputs is not None:
        raise FitError(
            f"reactions of {model.name!r}: bodies without inertia, rotors or motions together with "
            f"the input {inputs.key!r}; give the bodies an inertia, or replace the input by a law"
        )


# ---- joints --------------------------------------------------------------------------------------
def joint_reactions(run: Any, joint: Any, samples: tuple) -> xr.Dataset:
    """The wrench that a joint carries, less what acts along the axis that it leaves free."""
    model: Model = run.model
    t, pose, twist = samples
    needed = body_wrenches(model, t, pose, twist, tree_accelerations(run))
    held, sign = bodies_held(model, joint)
    target = target_of_joint(joint)
    rotation, origin = frames_of(pose, model)
    parent = index_of(model, joint.parent)
    point = origin[:, parent] + rotation[:, parent] @ np.array(joint.on_parent.position)
    wrench = np.zeros((len(t), 6))
    for k in held:
        moment, force = needed[:, k, :3], needed[:, k, 3:]
        wrench[:, :3] += moment + np.cross(pose[:, k, :3] - point, force)
        wrench[:, 3:] += force
    wrench *= sign
    axes = rotation[:, parent] @ target.axes[1]
    remove_free_axis(model, joint, wrench, axes)
    return make_dataset(t, wrench, point, axes, target)


def remove_free_axis(model: Model, joint: Any, wrench: Array, axes: Array) -> None:
    """Springs, dampers, motors and rotors along the axis of a hinge or slider are no reactions."""
    if joint.kind in ONE_AXIS:
        axis = axes @ np.array(joint.axis)
        part = slice(0, 3) if joint.kind == "revolute" else slice(3, 6)
        along = np.einsum("ni,ni->n", wrench[:, part], axis)
        wrench[:, part] -= along[:, None] * axis
        return
    laws = {law.part for law in JOINT_LAWS}
    named = [
        force.describe(k)
        for k, force in enumerate(model.forces)
        if type(force) in laws and getattr(force, "joint", "").partition(".")[0] == joint.name
    ]
    if named or any(joint.armatures()):
        what = named[0] if named else "its armature"
        raise FitError(
            f"reactions of joint {joint.name!r}: {what} acts along one of its axes, and for bodies "
            "without inertia or joints with rotors that is told apart for hinges and sliders only; "
            "give the bodies a small inertia, or leave the force out",
            ("joint", joint.name),
        )


def tree_accelerations(run: Any) -> Array:
    """(n, bodies, 6): ω̇ and the acceleration of every body's origin, world axes: J u̇ + J̇ u."""
    model: Model = run.model
    inputs = Inputs(model)
    with use_inputs(inputs):
        d = Dynamics(model.with_(constraints=()))  # bodies of a Motion hold no others
    q, u, t = run.dataset["q"].values, run.speeds.values, run.t.values
    rates = np.zeros_like(u)
    for row, time in enumerate(t.tolist()):
        if inputs.labels:
            inputs.values[:] = run.dataset["input"].values[row]
        rates[row] = d.forward_dynamics(q[row], u[row], t=time)
    found = np.zeros((len(t), len(model.bodies), 6))
    for k, body in enumerate(model.bodies):
        jacobian = d.jacobian(q, body.name).reshape(len(t), 6, -1)
        rate = d.jacobian_rate(q, u, body.name).reshape(len(t), 6, -1)
        found[:, k] = np.einsum("nij,nj->ni", jacobian, rates)
        found[:, k] += np.einsum("nij,nj->ni", rate, u)
    return found


def bodies_held(model: Model, joint: Joint) -> tuple[list[int], float]:
    """Rows of the bodies on that side of a joint where the ground is not; −1 where this is the side
    of its parent, since a reaction acts on the child.
    """
    found = bodies_beyond(model, joint.child, joint)
    sign = 1.0
    if GROUND in found:
        found = bodies_beyond(model, joint.parent, joint)
        sign = -1.0
    return [k for k, body in enumerate(model.bodies) if body.name in found], sign


def bodies_beyond(model: Model, body: str, left_out: Joint | None = None) -> set[str]:
    """A body and all that joints of the tree connect with it, whichever way they are declared."""
    neighbours: dict[str, list[str]] = {}
    for joint in model.tree_joints:
        if left_out is None or joint.name != left_out.name:
            neighbours.setdefault(joint.parent, []).append(joint.child)
            neighbours.setdefault(joint.child, []).append(joint.parent)
    found, waiting = {body}, [body]
    while waiting:
        more = [name for name in neighbours.get(waiting.pop(), ()) if name not in found]
        found.update(more)
        waiting.extend(more)
    return found


# ---- bodies --------------------------------------------------------------------------------------
def body_wrenches(model: Model, t: Array, pose: Array, twist: Array, rates: Array) -> Array:
    """(n, bodies, 6): moment about the origin and force that each body needs beside gravity and the
    forces on bodies, world axes; by RNEA of the bodies on free joints.
    """
    laws = {law.part for law in JOINT_LAWS}
    joints = [Free(f"free {body.name}", GROUND, body.name) for body in model.bodies]
    forces = [force for force in model.forces if type(force) not in laws]
    free = replace(model, joints=tuple(joints), forces=tuple(forces), constraints=(), couplings=())
    d = Dynamics(free)
    count, bodies = pose.shape[:2]
    rotation = rotation_matrix(pose[..., 3:])
    back = np.swapaxes(rotation, -1, -2)

    def to_speeds(motion: Array) -> Array:
        """Velocity in world axes, then ω in body axes."""
        turned = np.einsum("nbij,nbj->nbi", back, motion[..., :3])
        return np.concatenate([motion[..., 3:], turned], axis=2).reshape(count, 6 * bodies)

    states = pose.reshape(count, 7 * bodies), to_speeds(twist), to_speeds(rates)
    found = np.array(
        [d.inverse_dynamics(a, b, c, t=float(s)) for a, b, c, s in zip(*states, t, strict=True)]
    ).reshape(count, bodies, 6)
    moment = np.einsum("nbij,nbj->nbi", rotation, found[..., 3:])
    return np.concatenate([moment, found[..., :3]], axis=2)


def frames_of(pose: Array, model: Model) -> tuple[Array, Array]:
    """Rotations and origins of all bodies; the ground is the last."""
    count = len(pose)
    ground = np.broadcast_to(np.eye(3), (count, 1, 3, 3))
    rotation = np.concatenate([rotation_matrix(pose[..., 3:]), ground], axis=1)
    return rotation, np.concatenate([pose[..., :3], np.zeros((count, 1, 3))], axis=1)


def index_of(model: Model, name: str) -> int:
    """Row of a body; the ground is the last."""
    return next((k for k, body in enumerate(model.bodies) if body.name == name), len(model.bodies))


# ---- prescribed motions --------------------------------------------------------------------------
def motion_reactions(run: Any, label: str | int, motion: Motion, samples: tuple) -> xr.Dataset:
    """Force and moment that lead a body along its Motion: what is not prescribed needs none."""
    model: Model = run.model
    t, pose, twist = samples
    k = index_of(model, motion.body)
    rates = np.zeros((len(t), len(model.bodies), 6))
    if motion.position is not None:
        rates[:, k, 3:] = np.array([second_derivatives(motion, motion.position, s)[2] for s in t])
    if motion.rotation is not None:
        rates[:, k, :3] = np.array(
            [angular_acceleration(*second_derivatives(motion, motion.rotation, s)) for s in t]
        )
    wrench = body_wrenches(model, t, pose, twist, rates)[:, k]
    if motion.position is None:
        wrench[:, 3:] = 0.0
    if motion.rotation is None:
        wrench[:, :3] = 0.0
    words = {
        "body": motion.body,
        "point": f"origin of {motion.body!r}",
        "axes": f"axes of {motion.body!r}",
    }
    target = Target(
        ("constraint", label), motion.body, (motion.body, 0), (motion.body, np.eye(3)), words
    )
    axes = rotation_matrix(pose[:, k, 3:])
    return make_dataset(t, wrench, pose[:, k, :3], axes, target)


def second_derivatives(motion: Motion, formulas: Any, t: float) -> tuple[Array, Array, Array]:
    """f, ḟ and f̈ of the formulas of a Motion."""
    value, slope, bend = derivatives_at(motion, formulas, float(t)).T
    return value, slope, bend


def angular_acceleration(theta: Array, rate: Array, second: Array) -> Array:
    """ω̇ of R = exp(θ×): ω = θ̇ + a θ × θ̇ + b θ × (θ × θ̇), a = (1 − cos θ)/θ², b = (θ − sin θ)/θ³
    (Chirikjian, Stochastic Models, Information Theory, and Lie Groups 2, ch. 10), and its rate.
    """
    s, s_rate = float(theta @ theta), 2.0 * float(theta @ rate)
    (a, a_slope), (b, b_slope) = series(s, 2), series(s, 3)
    across, across_rate = np.cross(theta, rate), np.cross(theta, second)
    twice = np.cross(theta, across)
    twice_rate = np.cross(rate, across) + np.cross(theta, across_rate)
    return (
        second
        + (a_slope * s_rate) * across
        + a * across_rate
        + (b_slope * s_rate) * twice
        + b * twice_rate
    )


def series(s: float, first: int) -> tuple[float, float]:
    """Σ (−s)^k/(2k + first)! and its derivative, s = θ²: (1 − cos θ)/θ² for first = 2,
    (θ − sin θ)/θ³ for first = 3.
    """
    if s >= SMALL_SQUARE:
        angle = math.sqrt(s)
        sine, cosine = math.sin(angle), math.cos(angle)
        if first == 2:
            value = (1.0 - cosine) / s
            return value, (angle * sine / 2.0 - (1.0 - cosine)) / s**2
        value = (angle - sine) / (s * angle)
        return value, (3.0 * sine - angle * cosine - 2.0 * angle) / (2.0 * s**2 * angle)
    value, slope, factorial = 0.0, 0.0, float(math.factorial(first))
    for k in range(SERIES_TERMS):
        value += (-s) ** k / factorial
        if k:
            slope -= k * (-s) ** (k - 1) / factorial
        factorial *= (2 * k + first + 1) * (2 * k + first + 2)
    return value, slope


# ---- labels --------------------------------------------------------------------------------------
def make_dataset(t: Array, wrench: Array, point: Array, axes: Array, target: Target) -> xr.Dataset:
    """Moments and forces (n, 6) in world axes by name, and in the axes of the target."""
    parts = [np.einsum("nji,nj->ni", axes, part) for part in (wrench[:, :3], wrench[:, 3:])]
    name = {target.part[0]: target.part[1]}
    local = np.concatenate(parts, axis=1)
    return label_reactions(t, wrench, local, point, target, name, {"unique": True})
