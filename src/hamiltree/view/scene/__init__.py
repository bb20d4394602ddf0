"""What a picture of a model shows, as plain data: solids, joints, springs, loads, and how the
bodies move.

Made from a Model or a Trajectory alone; the page, the notebook and Matplotlib draw the same scene.
"""

from hamiltree.view.scene.motion import Motion, motion_of
from hamiltree.view.scene.parts import (
    Connector,
    JointMark,
    Load,
    MeshData,
    ParticleCloud,
    Scene,
    Solid,
)
from hamiltree.view.scene.scene import scene_of_model, scene_of_run

__all__ = [
    "Connector",
    "JointMark",
    "Load",
    "MeshData",
    "Motion",
    "ParticleCloud",
    "Scene",
    "Solid",
    "motion_of",
    "scene_of_model",
    "scene_of_run",
]
