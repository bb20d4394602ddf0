"""A number of a run's end by a short text: "q elbow", "x of bob at 0 0 -1", "force of bar".

q NAME, qdot NAME, p NAME     a coordinate, its rate, its momentum
y NAME                        a variable of an ode
x of BODY at 0 0 -1           y, z: a point of a body, world axes; without `at` its origin
vx of BODY at 0 0 -1          vy, vz: velocity of that point, world axes
wx of BODY                    wy, wz: angular velocity, body axes
Lx of BODY                    Ly, Lz: angular momentum about the centre of mass, body axes
force of JOINT                magnitude of the force that a joint or a constraint transmits
energy_error, constraint_error, velocity_constraint_error
… in degrees
"""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from hamiltree.errors import OptionError, suggest
from hamiltree.rotations import rotation_matrix
from hamiltree.trajectory.trajectory import Trajectory

DEGREES = " in degrees"
ROWS = {"q": "coordinate", "qdot": "coordinate", "p": "momentum", "y": "variable"}
ERRORS = ("energy_error", "constraint_error", "velocity_constraint_error")
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
OF_BODY = re.compile(rf"([vwL]?)([xyz]) of (\S+)(?: at ({NUMBER}) ({NUMBER}) ({NUMBER}))?", re.I)


def read_end(run: Trajectory, text: str) -> float:
    """The number at the end of a run that the text names."""
    if text.endswith(DEGREES):
        return math.degrees(read_end(run, text.removesuffix(DEGREES)))
    if text in ERRORS:
        return float(getattr(run, text))
    of_body = OF_BODY.fullmatch(text)
    if of_body:
        kind, axis, body, *point = of_body.groups()
        at = np.array([float(value or 0.0) for value in point])
        return float(body_vector(run, kind, check_name(run, body, "body"), at)["xyz".index(axis)])
    word, _, name = text.partition(" ")
    if word in ROWS and name:
        values = getattr(run, word)
        check_known(name, [str(one) for one in values[ROWS[word]].values], text)
        return float(values.sel({ROWS[word]: name}).values[-1])
    if text.startswith("force of "):
        force = run.reactions(text.removeprefix("force of ")).force.values[-1]
        return float(np.linalg.norm(force))
    raise OptionError(f"{text!r} names no number of a run; for example 'q elbow' or 'x of bob'")


def body_vector(run: Trajectory, kind: str, body: str, at: np.ndarray) -> np.ndarray:
    """Place, velocity, angular velocity or angular momentum of a body at the end."""
    pose = run.poses.sel(body=body).values[-1]
    turn = rotation_matrix(pose[3:])
    if not kind:
        return pose[:3] + turn @ at
    twist = run.twists.sel(body=body).values[-1]
    if kind == "v":
        return twist[3:] + np.cross(twist[:3], turn @ at)
    omega = turn.T @ twist[:3]
    return omega if kind == "w" else np.asarray(run.model.body(body).inertia) @ omega


def check_name(run: Trajectory, name: str, what: str) -> str:
    check_known(name, [str(one) for one in run.poses[what].values], f"{what} {name}")
    return name


def check_known(name: str, known: list[Any], text: str) -> None:
    if name not in known:
        raise OptionError(f"{text!r}: {suggest(name, known)}")
