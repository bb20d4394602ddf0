"""Links and joints of a URDF file as a tree: one root, one parent joint of every other link, and
links that fixed joints merge into one body.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hamiltree.files.urdf_elements import ElementReader
from hamiltree.files.xml_text import Element
from hamiltree.model.bodies import GROUND
from hamiltree.model.frames import NamedFrames
from hamiltree.model.shapes import Shape
from hamiltree.model.values import IDENTITY, Frame, Vector


@dataclass
class Link:
    """A link as the file has it; `top` and `place` say which body it belongs to and where in it."""

    name: str
    element: Element
    mass: float
    com: np.ndarray
    tensor: np.ndarray  # about the centre of mass, link axes
    visuals: list[Shape]
    top: str = ""
    place: Frame = IDENTITY


@dataclass
class Connection:
    """A joint as the file has it."""

    name: str
    element: Element
    type: str
    parent: str
    child: str
    origin: Frame
    axis: Vector


def find_root_link(
    links: dict[str, Link], joints: dict[str, Connection], words: ElementReader
) -> tuple[str, dict[str, list[Connection]]]:
    """The one link that is no child, and the joints of each link towards its children."""
    above: dict[str, Connection] = {}
    below: dict[str, list[Connection]] = {}
    for joint in joints.values():
        refuse_second_parent(joint, above.get(joint.child), words)
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    roots = [name for name in links if name not in above]
    if len(roots) > 1:
        message = f"links {roots[0]!r} and {roots[1]!r} are both roots; join one to the other"
        raise words.error(links[roots[1]].element, message, ("body", roots[1]))
    refuse_cycle(roots, links, above, below, words)
    return roots[0], below


def refuse_second_parent(
    joint: Connection, earlier: Connection | None, words: ElementReader
) -> None:
    """Raise an error if the child of a joint is the child of an earlier one."""
    if earlier is not None:
        message = (
            f"joint {joint.name!r}: link {joint.child!r} is already the child of joint "
            f"{earlier.name!r} (line {earlier.element.line}); URDF describes trees, remove one of "
            "them"
        )
        raise words.error(joint.element, message, ("joint", joint.name), "child")


def refuse_cycle(
    roots: list[str],
    links: dict[str, Link],
    above: dict[str, Connection],
    below: dict[str, list[Connection]],
    words: ElementReader,
) -> None:
    """Raise an error if a link cannot be reached from the root; its ancestors then form a cycle."""
    reached = set(roots)
    stack = list(roots)
    while stack:
        children = [joint.child for joint in below.get(stack.pop(), ())]
        reached.update(children)
        stack.extend(children)
    name = next((name for name in links if name not in reached), None)
    if name is None:
        return
    seen: set[str] = set()
    while name not in seen:
        seen.add(name)
        name = above[name].parent
    joint = above[name]
    message = (
        f"joint {joint.name!r}: link {name!r} is its own ancestor in a cycle of joints; "
        "URDF describes trees, remove one of them"
    )
    raise words.error(joint.element, message, ("joint", joint.name))


def merge_fixed_links(
    links: dict[str, Link], below: dict[str, list[Connection]], root: str
) -> None:
    """Set the body that each link is part of, and its place there; fixed joints merge two links."""
    stack = [root]
    while stack:
        link = links[stack.pop()]
        for joint in below.get(link.name, ()):
            child = links[joint.child]
            if joint.type == "fixed":
                child.top = link.top
                child.place = link.place @ joint.origin
            stack.append(child.name)


def combine_links(links: list[Link]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass, and the sum of R I Rᵀ + m (|r|² - r rᵀ) about it.

    The parts need not be physical, only the whole.
    """
    if len(links) == 1:
        return links[0].mass, links[0].com, links[0].tensor
    mass = sum(link.mass for link in links)
    centres = [np.array(link.place.position) + link.place.matrix @ link.com for link in links]
    com = np.zeros(3)
    if mass:
        com = sum(link.mass * centre for link, centre in zip(links, centres, strict=True)) / mass
    tensor = np.zeros((3, 3))
    for link, centre in zip(links, centres, strict=True):
        r = centre - com
        R = link.place.matrix
        tensor += R @ link.tensor @ R.T + link.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, np.asarray(com), 0.5 * (tensor + tensor.T)


def merged_frames(links: list[Link]) -> NamedFrames:
    """The frames of the links that were merged into the first; the name of the world is taken."""
    taken = (GROUND, links[0].top)
    return NamedFrames({link.name: link.place for link in links if link.name not in taken})


def transform_shape(shape: Shape, place: Frame) -> Shape:
    return shape if place == IDENTITY else replace(shape, frame=place @ shape.frame)
