"""What exists: bodies, joints, forces, and the Model that holds them. Data only; nothing here is compiled."""

from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.forces import (
    FORCES,
    BodyLaw,
    BodyLoad,
    BodyTable,
    Force,
    JointDamper,
    JointEffort,
    JointLaw,
    JointPotential,
    JointSpring,
    JointTable,
)
from hamiltree.model.joints import JOINTS, Joint, Prismatic, Revolute, Screw, Weld
from hamiltree.model.model import Model
from hamiltree.model.shapes import SHAPES, Box, Capsule, Cylinder, MassProperties, Shape, Sphere, composite
from hamiltree.model.topology import Topology, spanning_tree
from hamiltree.model.values import Frame

__all__ = [
    "FORCES",
    "GROUND",
    "JOINTS",
    "SHAPES",
    "Body",
    "BodyLaw",
    "BodyLoad",
    "BodyTable",
    "Box",
    "Capsule",
    "Cylinder",
    "Force",
    "Frame",
    "Joint",
    "JointDamper",
    "JointEffort",
    "JointLaw",
    "JointPotential",
    "JointSpring",
    "JointTable",
    "MassProperties",
    "Model",
    "Prismatic",
    "Revolute",
    "Screw",
    "Shape",
    "Sphere",
    "Topology",
    "Weld",
    "composite",
    "spanning_tree",
]
