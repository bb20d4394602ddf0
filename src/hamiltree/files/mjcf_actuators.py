"""Actuators of an MJCF file: motors and servos of hinges and slides as inputs of a model.

MuJoCo: force = gain clip(ctrl) + b₀ + b₁ l + b₂ l̇ with l = gear qpos, clipped at forcerange;
effort on the joint = gear force, clipped at actuatorfrcrange of the joint. With qpos = q + ref all
of it is one law along the joint (JointActuator).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.files.mjcf_compiled import CompiledModel
from hamiltree.model.actuators import UNBOUNDED, JointActuator

SLIDE, HINGE = 2, 3  # mjtJoint
JOINT, JOINT_IN_PARENT = 0, 1  # mjtTrn
PLAIN = 0  # mjtDyn, mjtGain: none, fixed
NO_BIAS, AFFINE = 0, 1  # mjtBias
PASSIVE = ("actuator_armature", "actuator_damping", "actuator_dampingpoly", "actuator_delay")
Range = tuple[float, float]


def active_actuators(found: CompiledModel) -> list[int]:
    """Those that the file does not switch off, alone, by their group or all together; one with a
    rotor inertia or damping of its own acts even so.
    """
    mj = found.mj
    off = found.is_off("ACTUATION")
    groups = mj.opt.disableactuator
    return [
        k
        for k in range(len(mj.actuator_gear))
        if has_passive_part(mj, k) or not (off or (groups >> int(mj.actuator_group[k])) & 1)
    ]


def has_passive_part(mj: Any, actuator: int) -> bool:
    """Whether it has an inertia, a damping or a delay; a version that lacks these has none."""
    fields = (getattr(mj, name)[actuator] for name in PASSIVE if hasattr(mj, name))
    return any(np.any(values) for values in fields)


def is_plain(found: CompiledModel, actuator: int) -> bool:
    """Whether it acts along a hinge or a slide at once, by a gain and a spring and damper that do
    not drive it, alone where the joint limits the sum of its actuators.
    """
    mj, k = found.mj, actuator
    if mj.actuator_trntype[k] not in (JOINT, JOINT_IN_PARENT) or has_passive_part(mj, k):
        return False
    joint = int(mj.actuator_trnid[k, 0])
    b = mj.actuator_biasprm[k]
    is_servo = mj.actuator_biastype[k] == AFFINE and b[1] <= 0.0 and b[2] <= 0.0
    return bool(
        mj.jnt_type[joint] in (SLIDE, HINGE)
        and mj.actuator_dyntype[k] == mj.actuator_gaintype[k] == PLAIN
        and (mj.actuator_biastype[k] == NO_BIAS or is_servo)
        and mj.actuator_plugin[k] < 0
        and getattr(mj, "actuator_ctrlnum", np.ones(k + 1))[k] == 1
        and (not mj.jnt_actfrclimited[joint] or is_alone(found, k, joint))
    )


def is_alone(found: CompiledModel, actuator: int, joint: int) -> bool:
    """Whether no other actuator acts along the same joint."""
    mj = found.mj
    others = [k for k in active_actuators(found) if k != actuator]
    return not any(
        mj.actuator_trntype[k] in (JOINT, JOINT_IN_PARENT) and mj.actuator_trnid[k, 0] == joint
        for k in others
    )


def other_actuators(found: CompiledModel) -> str:
    """How many actuators are not plain, and which."""
    others = [k for k in active_actuators(found) if not is_plain(found, k)]
    if not others:
        return ""
    names = [repr(found.name("actuator", k) or f"actuator{k}") for k in others[:3]]
    more = ", …" * (len(others) > len(names))
    return f"{len(others)} actuator{'s' * (len(others) > 1)}: {', '.join(names)}{more}"


def make_actuator(found: CompiledModel, actuator: int, coordinate: str, name: str) -> JointActuator:
    """A plain actuator along its coordinate, q = qpos − ref."""
    mj, k = found.mj, actuator
    joint = int(mj.actuator_trnid[k, 0])
    gear = float(mj.actuator_gear[k, 0])
    ref = float(mj.qpos0[mj.jnt_qposadr[joint]])
    b = mj.actuator_biasprm[k, :3] * (mj.actuator_biastype[k] == AFFINE)
    constant, spring, damper = b.tolist()
    force = scale_range(limited_range(mj.actuator_forcelimited, mj.actuator_forcerange, k), gear)
    whole = limited_range(mj.jnt_actfrclimited, mj.jnt_actfrcrange, joint)
    clamp_off = found.is_off("CLAMPCTRL")
    return JointActuator(
        coordinate,
        gain=gear * float(mj.actuator_gainprm[k, 0]),
        offset=gear * (constant + spring * gear * ref),
        stiffness=-spring * gear**2 + 0.0,
        damping=-damper * gear**2 + 0.0,
        control=UNBOUNDED
        if clamp_off
        else limited_range(mj.actuator_ctrllimited, mj.actuator_ctrlrange, k),
        effort=intersect(force, whole),
        name=name,
    )


def limited_range(limited: Any, ranges: Any, index: int) -> Range:
    """The range of an actuator or a joint; without end if it is not limited."""
    return tuple(ranges[index].tolist()) if limited[index] else UNBOUNDED


def scale_range(given: Range, factor: float) -> Range:
    """The range of factor times what is in it."""
    if factor == 0.0:
        return 0.0, 0.0
    ends = (factor * given[0], factor * given[1])
    return min(ends), max(ends)


def intersect(inner: Range, outer: Range) -> Range:
    """The values of clip(clip(x, inner), outer)."""
    lower, upper = (min(max(x, outer[0]), outer[1]) for x in inner)
    return lower, upper
