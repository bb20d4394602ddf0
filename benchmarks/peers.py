"""The same model in Pinocchio and in MuJoCo.

For trees of revolute, prismatic and (Pinocchio) screw joints without forces.
"""

import math
from typing import NamedTuple

import mujoco
import numpy as np
import pinocchio as pin

from hamiltree.model import Frame, Model
from hamiltree.model.topology import spanning_tree

Z_AXIS = np.array([0.0, 0.0, 1.0])


class Pinocchio(NamedTuple):
    model: pin.Model
    data: pin.Data
    order: np.ndarray  # its coordinates are q[order]


class Branch(NamedTuple):
    """A joint with its body, in the depth-first order that both peers want."""

    joint: object
    body: object
    parent: int  # place in this order, -1 for the ground
    index: int  # of the joint in the model


def branches(model: Model) -> list[Branch]:
    """Joints and bodies from the ground outward; refuse what the peers cannot represent."""
    tree = spanning_tree(model)
    if (
        len(tree.closing)
        or tree.reversed.any()
        or model.forces
        or any(joint.coordinates != 1 for joint in model.joints)
    ):
        raise ValueError(
            f"{model!r}: the peers take trees of one-axis joints declared from the ground "
            "outwards, without forces"
        )
    rows = zip(tree.joint.tolist(), tree.order.tolist(), tree.parent.tolist(), strict=True)
    return [Branch(model.joints[j], model.bodies[b], parent, j) for j, b, parent in rows]


# ---- Pinocchio -----------------------------------------------------------------------------------
def to_pinocchio(model: Model) -> Pinocchio:
    """Frames are turned so that every axis is z: Pinocchio's joints along a fixed axis are its
    fastest.
    """
    made, parts = pin.Model(), branches(model)
    made.gravity.linear = np.array(model.gravity)
    on_child = [placement(part.joint.on_child) * to_z(part.joint.axis) for part in parts]
    for i, part in enumerate(parts):
        base = on_child[part.parent].inverse() if part.parent >= 0 else pin.SE3.Identity()
        place = base * placement(part.joint.on_parent) * to_z(part.joint.axis)
        joint = made.addJoint(part.parent + 1, joint_about_z(part.joint), place, part.joint.name)
        inertia = pin.Inertia(part.body.mass, np.array(part.body.com), np.array(part.body.inertia))
        made.appendBodyToJoint(joint, inertia, on_child[i].inverse())
    return Pinocchio(made, made.createData(), np.array([part.index for part in parts]))


def joint_about_z(joint):
    if joint.kind == "screw":
        return pin.JointModelHZ(joint.pitch / math.tau)
    return {"revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ}[joint.kind]()


def placement(frame: Frame) -> pin.SE3:
    return pin.SE3(frame.matrix, np.array(frame.position))


def to_z(axis) -> pin.SE3:
    return pin.SE3(pin.Quaternion.FromTwoVectors(Z_AXIS, np.array(axis)).matrix(), np.zeros(3))


# ---- MuJoCo --------------------------------------------------------------------------------------
MJCF = """<mujoco>
  <compiler angle="radian" balanceinertia="false" inertiafromgeom="false" fusestatic="false"
    autolimits="true"/>
  <option integrator="RK4" timestep="{step!r}" gravity="{gravity}"><flag {off}/></option>
  <worldbody>{bodies}</worldbody>
</mujoco>"""
BODY = (
    '<body pos="{pos}" quat="{quat}"><inertial pos="{com}" mass="{mass!r}" '
    'fullinertia="{inertia}"/>'
    '<joint name="{name}" type="{kind}" pos="{at}" axis="{axis}" armature="0" damping="0" '
    'stiffness="0" frictionloss="0" limited="false"/>'
)
# what the models have no use for: 4 % faster
OFF = "contact constraint actuation sensor spring damper warmstart autoreset"
KINDS = {"revolute": "hinge", "prismatic": "slide"}


def to_mujoco(model: Model, step: float = 1e-3) -> tuple[mujoco.MjModel, np.ndarray]:
    """The compiled model and the order of its coordinates, q[order].

    No contacts, constraints, limits, friction or armature.
    """
    parts, text, open_bodies = branches(model), [], []
    for i, part in enumerate(parts):
        while open_bodies and open_bodies[-1] != part.parent:
            open_bodies.pop()
            text.append("</body>")
        open_bodies.append(i)
        text.append(body_text(part))
    text.append("</body>" * len(open_bodies))
    off = " ".join(f'{flag}="disable"' for flag in OFF.split())
    document = MJCF.format(step=step, gravity=numbers(model.gravity), off=off, bodies="".join(text))
    return mujoco.MjModel.from_xml_string(document), np.array([part.index for part in parts])


def body_text(part: Branch) -> str:
    """The MJCF element of a body and its joint, not closed."""
    joint, body = part.joint, part.body
    frame, (xx, xy, xz), (_, yy, yz), (_, _, zz) = (
        joint.on_parent @ joint.on_child.inverse(),
        *body.inertia,
    )
    return BODY.format(
        pos=numbers(frame.position),
        quat=numbers(frame.rotation),
        com=numbers(body.com),
        mass=body.mass,
        inertia=numbers((xx, yy, zz, xy, xz, yz)),
        name=joint.name,
        kind=KINDS[joint.kind],
        at=numbers(joint.on_child.position),
        axis=numbers(joint.on_child.matrix @ joint.axis),
    )


def numbers(values) -> str:
    return " ".join(repr(float(value)) for value in values)
