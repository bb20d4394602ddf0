"""Where the laws of forces find the coordinates and bodies of a model on its links."""

from collections.abc import Callable
from functools import cache
from itertools import compress

import numpy as np

from hamiltree.assembly.links import Links
from hamiltree.errors import ModelError
from hamiltree.forces.laws import Placement
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model
from hamiltree.model.model_state import quaternion_rows
from hamiltree.model.values import IDENTITY, Frame


def placement_of(model: Model, links: Links) -> Placement:
    """Where the laws of a model find their coordinates and bodies."""
    ground = len(links.parent)

    @cache
    def coordinate_rows():
        return {name: row for row, name in enumerate(model.coordinates)}

    def axes(name):
        """Rows of all one-axis coordinates that a name covers."""
        first = coordinate_rows()
        if name in first:
            return [first[name]]
        joint = model.joint(name)
        names = coordinate_labels(joint)[: len(joint.screws())]
        for label in names:
            if label not in first:
                raise ModelError(
                    f"coordinate '{label}' follows another one; name the coordinates of '{name}' "
                    "one by one",
                    ("joint", name),
                )
        return [first[label] for label in names]

    def ball(name):
        """(parent, child) of a joint with a ball, else None."""
        joint = next((joint for joint in model.joints if joint.name == name), None)
        return (joint.parent, joint.child) if joint is not None and joint.has_ball else None

    return Placement(
        lambda name: coordinate_rows()[name],
        body_finder(model, links),
        one_axis_coordinates(model) if model.forces else (),
        ground=ground,
        axes=axes,
        ball=ball,
        followers=model.followers,
        body=model.body,
        model=model,
    )


def body_finder(model: Model, links: Links) -> Callable[[str], tuple[int, Frame]]:
    """Finds the row of the link of a body or the ground, and the body's frame there."""
    frames: dict[bytes, Frame] = {}  # many bodies sit on their links in the same way

    @cache
    def body_rows():
        return {body.name: b for b, body in enumerate(model.bodies)}

    def link_of_body(name):
        """(row, frame)"""
        if name == GROUND:
            return len(links.parent), IDENTITY
        b = body_rows()[name]
        position, rotation = links.position_on_link[b], links.rotation_on_link[b]
        place = position.tobytes() + rotation.tobytes()
        if place not in frames:
            frames[place] = Frame(tuple(position), rotation)
        return int(links.link_of_body[b]), frames[place]

    return link_of_body


def one_axis_coordinates(model: Model) -> tuple[str, ...]:
    """The coordinates of q that are no part of a quaternion."""
    quaternions, _ = quaternion_rows(model)
    is_one_axis = np.ones(len(model.coordinates), dtype=bool)
    is_one_axis[quaternions] = False
    return tuple(compress(model.coordinates, is_one_axis.tolist()))
