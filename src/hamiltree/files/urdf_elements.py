"""Elements, attributes and numbers of URDF: what is allowed where, and errors with their line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hamiltree.errors import ModelError, suggest
from hamiltree.files.xml_text import SPELLING, Element, quote, suggest_spelling
from hamiltree.model.values import IDENTITY, Frame

# Allowed child elements and attributes. An unknown attribute of a STRICT element gives a warning.
TAGS: dict[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "material", "transmission", "gazebo", "sensor"),
    "link": ("inertial", "visual", "collision"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh"),
    "joint": (
        *("origin", "parent", "child", "axis", "calibration"),
        *("dynamics", "limit", "mimic", "safety_controller"),
    ),
}
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "link": ("name",),
    "joint": ("name", "type"),
    "origin": ("xyz", "rpy"),
    "mass": ("value",),
    "inertia": ("ixx", "ixy", "ixz", "iyy", "iyz", "izz", "iyx", "izx", "izy"),
    "axis": ("xyz",),
    "parent": ("link",),
    "child": ("link",),
    "mimic": ("joint", "multiplier", "offset"),
    "dynamics": ("damping", "friction"),
    "limit": ("lower", "upper", "effort", "velocity"),
}
STRICT = ("origin", "mass", "inertia", "axis", "parent", "child", "mimic")
PHYSICS = (
    *("link", "joint", "inertial", "mass", "inertia", "origin"),
    *("axis", "parent", "child", "mimic", "dynamics", "limit"),
)
REPEATED = ("link", "joint", "material", "transmission", "gazebo", "sensor", "visual", "collision")
SKIPPED = (
    *("collision", "material", "transmission", "gazebo", "sensor"),
    *("calibration", "safety_controller"),
)

NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
SIMILAR = 0.6  # of an attribute that would change the motion: 'xzy' may stand for 'xyz'
LARGEST = 1e30  # no quantity of a robot, and products of several stay finite
NAME_LENGTH = 1000


class ElementReader:
    """Reads elements of one file; errors begin with its name and the line."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.unknown: list[str] = []  # attributes of STRICT elements that are left out

    def error(
        self,
        element: Element,
        message: str,
        part: tuple[str, str | int] | None = None,
        field: str | None = None,
    ) -> ModelError:
        return ModelError(f"{self.source}:{element.line}: {message}", part, field)

    def guard(self, make: Callable[[], Any], element: Element, label: str = "") -> Any:
        """make(), its errors with the line of the element that gives the field at fault; an error
        that has a line already is not changed.
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
        """Refuse elements that are misspelt, misplaced or repeated, here and inside."""
        known = TAGS.get(element.tag, ())
        seen: dict[str, Element] = {}
        self.check_attributes(element, label)
        for child in element.children:
            if child.tag not in known:
                self.check_unknown_child(element, child, label)
                continue
            earlier = seen.setdefault(child.tag, child)
            if child.tag not in REPEATED and not has_same_content(child, earlier):
                raise self.error(child, f"{label}: <{child.tag}> is given twice; keep one of them")
            if child.tag not in SKIPPED:
                self.check_words(child, child_label(child, label))

    def check_unknown_child(self, element: Element, child: Element, label: str) -> None:
        """Refuse an unknown element that resembles a known one, or that belongs elsewhere."""
        known = TAGS.get(element.tag, ())
        meant = suggest_spelling(child.tag, known)
        if not known or not (meant or child.tag in PHYSICS) or is_harmless(element, child):
            return
        remedy = f"it belongs elsewhere; here may stand {', '.join(known)}"
        if meant:
            remedy = f"did you mean <{meant}>?"
        tag = quote(child.tag)[1:-1]
        raise self.error(child, f"{label}: <{tag}> is not known in <{element.tag}>; {remedy}")

    def check_attributes(self, element: Element, label: str) -> None:
        """Refuse attributes that are misspelt, and note other unknown ones of STRICT elements,
        unless nothing else is given there.
        """
        known = ATTRIBUTES.get(element.tag, ())
        is_strict = element.tag in STRICT
        for name in element.attributes if known else ():
            if name in known or ":" in name:
                continue
            problem = f"{label}: <{element.tag}> has no attribute {quote(name)}"
            if element.tag == "origin" and name.startswith("quat"):
                raise self.error(element, f"{problem}; give the orientation as rpy, in radians")
            meant = suggest_spelling(name, known, SIMILAR if is_strict else SPELLING)
            stands_alone = is_strict and not element.attributes.keys() & set(known)
            if stands_alone or (meant and (is_strict or meant not in element.attributes)):
                remedy = suggest(name[:NAME_LENGTH], known)
                raise self.error(element, f"{problem}; {remedy}")
            if is_strict:
                self.unknown.append(f"{self.source}:{element.line}: {problem}")

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
        """The finite numbers of an attribute, separated by blanks; decimal digits only."""
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
            counts = " or ".join(map(str, count))
            problem = f"{at} has {len(words)} entries; give {counts}, split by blanks"
            raise self.error(element, problem)
        for word in words:
            self.check_number(element, word, at, given)
        return tuple(float(word) for word in words)

    def check_number(self, element: Element, word: str, at: str, given: str) -> None:
        """Refuse what is no decimal number, and what is too large for any quantity of a robot."""
        if not NUMBER.fullmatch(word):
            hint = "give decimal digits, e.g. -1.5e-3"
            if "${" in given:
                hint = "expand the xacro file first"
            raise self.error(element, f"{at}: {quote(word)} is not a finite number; {hint}")
        if abs(float(word)) > LARGEST:
            problem = f"{quote(word)} is larger than {LARGEST:g}; check its units and digits"
            raise self.error(element, f"{at}: {problem}")

    def number(
        self, element: Element, attribute: str, label: str, default: float | None = None
    ) -> float:
        defaults = None if default is None else (default,)
        return self.numbers(element, attribute, (1,), label, defaults)[0]

    def origin(self, element: Element, label: str) -> Frame:
        """Rz(yaw) Ry(pitch) Rx(roll) at xyz, of the child <origin>; the identity without one."""
        at = first(element, "origin")
        if at is None:
            return IDENTITY
        position = self.numbers(at, "xyz", (3,), label, (0.0,) * 3)
        angles = self.numbers(at, "rpy", (3,), label, (0.0,) * 3)
        if angles == (0.0, 0.0, 0.0):
            return Frame(position)
        return Frame.rpy(*angles, position=position)

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


def has_same_content(one: Element, other: Element) -> bool:
    """Whether two elements say the same, wherever they stand."""
    return (
        one.tag == other.tag
        and one.attributes == other.attributes
        and len(one.children) == len(other.children)
        and all(map(has_same_content, one.children, other.children))
    )


def child_label(child: Element, label: str) -> str:
    """What a message calls a part of the file: a link or a joint by its name."""
    if child.tag not in ("link", "joint"):
        return label
    return f"{child.tag} {quote(child.attributes.get('name', ''))}"


def is_harmless(element: Element, child: Element) -> bool:
    """The origin of a link is checked elsewhere."""
    return element.tag == "link" and child.tag == "origin"
