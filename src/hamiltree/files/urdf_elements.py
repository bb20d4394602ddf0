"""The words and numbers of URDF: what may stand where, and errors that say in which line it does
not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, suggest
from hamiltree.files.xml_text import Element, quote, suggest_spelling
from hamiltree.model.values import IDENTITY, Frame

# What may stand where. `strict` attributes: an unknown one is refused even if it resembles nothing.
TAGS: dict[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "sensor"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "joint": (
        "origin",
        "parent",
        "child",
        "axis",
        "calibration",
        "dynamics",
        "limit",
        "mimic",
        "safety_controller",
    ),
}
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "link": ("name",),
    "joint": ("name", "type"),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"),
    "axis": ("xyz",),
    "parent": ("link",),
    "child": ("link",),
    "mimic": ("joint", "multiplier", "offset"),
    "dynamics": ("damping", "friction"),
    "limit": ("lower", "upper", "effort", "velocity"),
}
STRICT = ("origin", "mass", "inertia", "axis", "parent", "child", "mimic")
PHYSICS = (
    "link",
    "joint",
    "inertial",
    "mass",
    "inertia",
    "origin",
    "axis",
    "parent",
    "child",
    "mimic",
    "dynamics",
    "limit",
)
REPEATED = ("link", "joint", "material", "transmission", "gazebo", "sensor", "visual", "collision")
SKIPPED = (
    "collision",
    "material",
    "transmission",
    "gazebo",
    "sensor",
    "calibration",
    "safety_controller",
)

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
LARGEST = 1e30  # no quantity of a robot, and products of several stay finite
NAME_LENGTH = 1000


class ElementReader:
    """The elements of one file, read with errors that name it."""

    def __init__(self, source: str) -> None:
        self.source = source

    def error(
        self,
        element: Element,
        message: str,
        part: tuple[str, str | int] | None = None,
        field: str | None = None,
    ) -> ModelError:
        return ModelError(f"{self.source}:{element.line}: {message}", part, field)

    def guard(self, make: Callable[[], Any], element: Element, label: str = "") -> Any:
        """make(), its errors with the line of the element that says the field at fault; one that
        has a line is left alone.
        """
        try:
            with np.errstate(all="ignore"):
                return make()
        except ModelError as error:
            if str(error).startswith(f"{self.source}:"):
                raise
            at = next((inner for inner in walk(element) if inner.tag == error.field), element)
            raise self.error(
                at, f"{label}: {error}" if label else str(error), error.part, error.field
            ) from None

    def check_words(self, element: Element, label: str) -> None:
        """Refuse what is misspelt, misplaced or said twice, here and inside."""
        known, seen = TAGS.get(element.tag, ()), set()
        self.check_attributes(element, label)
        for child in element.children:
            inner = child_label(child, label)
            meant = suggest_spelling(child.tag, known) if child.tag not in known else ""
            if (
                child.tag not in known
                and (meant or child.tag in PHYSICS)
                and known
                and not is_harmless(element, child)
            ):
                remedy = (
                    f"did you mean <{meant}>?"
                    if meant
                    else f"it belongs elsewhere; here may stand {', '.join(known)}"
                )
                raise self.error(
                    child,
                    f"{label}: <{quote(child.tag)[1:-1]}> is not known in <{element.tag}>; "
                    f"{remedy}",
                )
            if child.tag in seen and child.tag not in REPEATED and child.tag in known:
                raise self.error(child, f"{label}: <{child.tag}> is given twice; keep one of them")
            seen.add(child.tag)
            if child.tag in known and child.tag not in SKIPPED:
                self.check_words(child, inner)

    def check_attributes(self, element: Element, label: str) -> None:
        known = ATTRIBUTES.get(element.tag, ())
        for name in element.attributes if known else ():
            meant = suggest_spelling(name, known) if name not in known else ""
            if (
                name not in known
                and ":" not in name
                and (element.tag in STRICT or (meant and meant not in element.attributes))
            ):
                raise self.error(
                    element,
                    f"{label}: <{element.tag}> has no attribute {quote(name)}; "
                    f"{suggest(name[:NAME_LENGTH], known)}",
                )

    def word(self, element: Element, attribute: str, label: str) -> str:
        """A name; a short one, because messages repeat it."""
        value = element.attributes.get(attribute, "")
        if not value.strip():
            raise self.error(
                element, f"{label}: <{element.tag}> needs the attribute {attribute!r}; give a name"
            )
        if len(value) > NAME_LENGTH:
            raise self.error(
                element,
                f"{label}: {attribute} = {quote(value)} has {len(value)} characters; give at most "
                f"{NAME_LENGTH}",
            )
        return value

    def numbers(
        self,
        element: Element,
        attribute: str,
        count: tuple[int, ...],
        label: str,
        default: tuple[float, ...] | None = None,
    ) -> Any:
        """Finite numbers, split by blanks; decimal digits only."""
        if attribute not in element.attributes:
            if default is None:
                raise self.error(
                    element, f"{label}: <{element.tag}> needs the attribute {attribute!r}"
                )
            return default
        given = element.attributes[attribute]
        words = given.split()
        at = f"{label}: {attribute} = {quote(given)} of <{element.tag}>"
        if len(words) not in count:
            raise self.error(
                element,
                f"{at} has {len(words)} entries; give {' or '.join(map(str, count))}, split by "
                "blanks",
            )
        for word in words:
            if not NUMBER.fullmatch(word):
                hint = (
                    "expand the xacro file first"
                    if "${" in given
                    else "give decimal digits, e.g. -1.5e-3"
                )
                raise self.error(element, f"{at}: {quote(word)} is not a finite number; {hint}")
            if abs(float(word)) > LARGEST:
                raise self.error(
                    element,
                    f"{at}: {quote(word)} is larger than {LARGEST:g}; check its units and digits",
                )
        return tuple(float(word) for word in words)

    def number(
        self, element: Element, attribute: str, label: str, default: float | None = None
    ) -> float:
        return self.numbers(
            element, attribute, (1,), label, None if default is None else (default,)
        )[0]

    def origin(self, element: Element, label: str) -> Frame:
        """Rz(yaw) Ry(pitch) Rx(roll) at xyz, of the child <origin>; the identity without one."""
        at = first(element, "origin")
        if at is None:
            return IDENTITY
        position, angles = (
            self.numbers(at, "xyz", (3,), label, (0.0,) * 3),
            self.numbers(at, "rpy", (3,), label, (0.0,) * 3),
        )
        return (
            Frame(position) if angles == (0.0, 0.0, 0.0) else Frame.rpy(*angles, position=position)
        )

    def required_child(self, element: Element, tag: str, label: str) -> Element:
        found = first(element, tag)
        if found is None:
            raise self.error(element, f"{label}: <{tag}> is missing in <{element.tag}>; add it")
        return found


def first(element: Element, tag: str) -> Element | None:
    return next(element.all(tag), None)


def walk(element: Element) -> Iterator[Element]:
    """The element and all inside, from the top."""
    stack = [element]
    while stack:
        here = stack.pop()
        yield here
        stack.extend(reversed(here.children))


def child_label(child: Element, label: str) -> str:
    """How a message calls a part of the file."""
    return (
        f"{child.tag} {quote(child.attributes.get('name', ''))}"
        if child.tag in ("link", "joint")
        else label
    )


def is_harmless(element: Element, child: Element) -> bool:
    """The origin of a link is looked at on its own."""
    return element.tag == "link" and child.tag == "origin"
