"""The inputs of a model: one array of numbers that the laws of inputs read and a simulator writes.

Tables of laws never change; these numbers do, between steps. So the tables hold where an input
stands in one array, and the array itself: whoever sets it reaches every table of the System that
was made with it, however often its laws were tabulated. Without a simulator inputs are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import numpy as np

from hamiltree.errors import ModelError
from hamiltree.model.actuators import JointActuator
from hamiltree.model.forces import BodyInput, JointInput
from hamiltree.model.joints import speed_labels
from hamiltree.model.model import Model

Input = JointInput | JointActuator | BodyInput
WRENCH_LABELS = ("fx", "fy", "fz", "tx", "ty", "tz")  # of the input of a body: force, torque


def labels_of(part: Input, model: Model) -> list[str]:
    """What each number of an input is called: `motor`, `wrist.x`, `thrust.fx`."""
    if isinstance(part, BodyInput):
        return [f"{part.key}.{name}" for name in WRENCH_LABELS]
    if isinstance(part, JointActuator):
        return [part.key]
    joint = next((joint for joint in model.joints if joint.name == part.joint), None)
    speeds = [part.joint] if joint is None else speed_labels(joint)
    if len(speeds) == 1:
        return [part.key]
    return [f"{part.key}.{speed.rpartition('.')[2]}" for speed in speeds]


class Inputs:
    """The numbers of all inputs of a model, zero at first, and where each stands among them."""

    def __init__(self, model: Model | None):
        self.places: dict[str, slice] = {}
        self.parts: dict[str, Input] = {}
        self.labels: list[str] = []
        for position, part in enumerate(model.forces if model is not None else ()):
            if model is not None and isinstance(part, Input):
                self.add_input(part, position, model)
        self.values = np.zeros(max(1, len(self.labels)))  # has an address even if there are none

    def add_input(self, part: Input, position: int, model: Model) -> None:
        """Give an input its place."""
        if part.key in self.parts:
            message = (
                f"{part.describe(position)}: another input is called {part.key!r} too; "
                "give each a name"
            )
            raise ModelError(message, ("force", part.name or position + 1), "name")
        own = labels_of(part, model)
        self.places[part.key] = slice(len(self.labels), len(self.labels) + len(own))
        self.parts[part.key] = part
        self.labels += own


ACTIVE_INPUTS: ContextVar[Inputs | None] = ContextVar("inputs", default=None)


@contextmanager
def use_inputs(inputs: Inputs) -> Iterator[None]:
    """What is assembled inside reads these inputs."""
    before = ACTIVE_INPUTS.set(inputs)
    try:
        yield
    finally:
        ACTIVE_INPUTS.reset(before)


def input_index(part: Input, offset: int = 0) -> int:
    """Where number `offset` of an input stands in the values that a System under assembly is to
    read.
    """
    inputs = ACTIVE_INPUTS.get()
    return 0 if inputs is None else inputs.places[part.key].start + offset


def active_values() -> np.ndarray:
    """These values; without a simulator all inputs are the same zeros."""
    inputs = ACTIVE_INPUTS.get()
    return np.zeros(len(WRENCH_LABELS)) if inputs is None else inputs.values
