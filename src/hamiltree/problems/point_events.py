"""Events of a point's coordinates: where a point of a body crosses a plane, or any surface.

The point's place is written out as a formula of the joint coordinates, by the product of
exponentials of the screws between the ground and the body (Brockett 1984):

  R_k = R_{k−1} exp(a_k q_k),   r = Σ (R_{k−1} − R_k) c_k + R_{k−1} d_k q_k + R_n r_0

c_k is a point on axis k, d_k its travel per unit of q_k, all at q = 0; turns about parallel axes
that follow each other are one turn. Such an event is like any other: located on the numerical flow.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from hamiltree.assembly.kinematics import Kinematics, Tree, compute_kinematics, cross, tree_of
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model.bodies import GROUND
from hamiltree.model.model import Model
from hamiltree.model.values import ORIGIN, point
from hamiltree.problems.events import Event, formula_names
from hamiltree.symbolic.expression import FUNCTIONS
from hamiltree.symbolic.formula_parser import MAX_TEXT_LENGTH
from hamiltree.symbolic.grammar import CONSTANTS, TIME, parse, parse_conditions

Texts = list[list[str]]  # a matrix of formulas
AXES: tuple[str, ...] = ("x", "y", "z")
ROUNDING = 1e-15  # of the largest number of a vector or matrix: what is smaller is zero
PARALLEL = 1e-12  # 1 − the cosine of the angle between axes that count as one direction


def point_event(
    model: Model,
    body: str,
    expression: str = "z",
    at: Any = ORIGIN,
    direction: int | str = 0,
    where: str = "",
    terminal: bool = False,
    name: str = "",
) -> Event:
    """An Event of the coordinates x, y, z (world axes, m) of the point `at` of a body or frame:
    simulate(model, sections=[ht.point_event(model, "coupler", "y - 0.2", at=(0.1, 0, 0))]).

    In `expression` and `where` stand x, y, z, and all that an Event of this model may name.
    """
    if not isinstance(model, Model):
        raise OptionError(f"point_event takes a Model, not {type(model).__name__}")
    words: dict[str, str] = dict(zip(AXES, point_formulas(model, body, at), strict=True))
    taken = [word for word in AXES if word in formula_names(model.coordinates)]
    if taken:
        raise FitError(
            f"point_event: a joint of model {model.name!r} is called {taken[0]!r}, and so is the "
            "coordinate of a point; rename the joint"
        )
    given = Event(expression, direction, where, terminal, name or f"{expression} of {body}")
    check_words(model, body, given)
    expression, where = (insert_formulas(text, words) for text in (given.expression, given.where))
    if max(len(expression), len(where)) > MAX_TEXT_LENGTH:
        raise FitError(
            f"point_event: the place of {body!r} is a formula of {len(expression)} characters, and "
            f"{MAX_TEXT_LENGTH} are read; take a body nearer to the ground, or find crossings in "
            "the samples of run.point"
        )
    if not parse(expression, Event(expression).words, "point_event").symbols:
        raise FitError(
            f"point_event: {given.expression!r} of {body!r} is the same in every position of model "
            f"{model.name!r}, so that it never crosses zero; take another of x, y, z, or another "
            "point"
        )
    return Event(expression, given.direction, where, given.terminal, given.name)


def check_words(model: Model, body: str, given: Event) -> None:
    """Refuse what is no formula, and a word that no state of the model can have. What a state is
    called depends on the formulation, but the name of a joint or a body is in it.
    """
    parts = {part.name for part in (*model.bodies, *model.joints)}
    names = {*parts, *formula_names(model.coordinates), *formula_names(sorted(parts))}
    common = {*AXES, TIME, *CONSTANTS, *FUNCTIONS, "and"}
    for word in sorted(given.words - common):
        if not any(name in word for name in names):
            known = [*AXES, *formula_names(model.coordinates)]
            raise OptionError(
                f"point_event of {body!r}: unknown word {word!r}; {suggest(word, known)}"
            )
    what = f"point_event of {body!r}"
    parse(given.expression, given.words | {TIME}, what)
    if given.where:
        parse_conditions(given.where, given.words | {TIME}, f"where of {what}")


def insert_formulas(text: str, words: dict[str, str]) -> str:
    """The text with x, y, z replaced by their formulas, in brackets."""
    return re.sub(r"\b[xyz]\b", lambda found: f"({words[found[0]]})", text)


def point_formulas(model: Model, body: str, at: Any = ORIGIN) -> list[str]:
    """x, y and z of a point of a body or frame, as formulas of the coordinates of the joints."""
    numbers = {each.name: k for k, each in enumerate(model.bodies)}
    where = np.array(point(at, ("body", str(body)), "at"))
    if body in model.frames:
        body, frame = model.frames[body]
        where = np.array(frame.position) + frame.matrix @ where
    if body == GROUND or body not in numbers:
        what = "does not move" if body == GROUND else "is unknown"
        known = [*numbers, *model.frames]
        raise OptionError(f"point_event: body {body!r} {what}; {suggest(str(body), known)}")
    tree = tree_of(model)
    start = zero_positions(tree)
    kinematics = compute_kinematics(tree, start)
    number = numbers[body]
    found = kinematics.at[number] + kinematics.turn[number] @ where
    return write_product(tree, kinematics, number, found)


def zero_positions(tree: Tree) -> np.ndarray:
    """All coordinates 0, all quaternions 1."""
    q = np.zeros(len(tree.position))
    for joint in tree.joints:
        if joint.ball is not None:
            q[joint.ball[0]] = 1.0
    return q


def write_product(tree: Tree, kinematics: Kinematics, body: int, place: np.ndarray) -> list[str]:
    """The place that a point takes which is at `place` when all coordinates are zero."""
    names = formula_names(tree.model.coordinates)
    rows = {joint.body: joint for joint in tree.joints}
    path = []
    while body >= 0:
        path.insert(0, body)
        body = kinematics.parent[body]
    product = Product()
    for each in path:
        joint = rows[each]
        columns = list(kinematics.columns[each])
        positions = {axis.speed: axis.position for axis in joint.axes}
        while columns:
            row, ratio, twist = columns.pop(0)
            if row in positions:
                product.add_screw(ratio * twist, names[positions[row]])
                continue
            assert joint.ball is not None
            axes = np.array([twist[:3], *(c[2][:3] for c in columns[:2])])
            moment = np.array([twist[3:], *(c[2][3:] for c in columns[:2])])
            del columns[:2]
            first = joint.ball[0]
            sign = 1.0 if ratio > 0 else -1.0
            product.add_ball(axes, moment, names[first : first + 4], sign)
    return product.apply(place)


class Product:
    """A product of exponentials on its way: the sum of displacements, the rotation so far, and the
    turns about one direction that are not yet multiplied to it.
    """

    def __init__(self) -> None:
        self.total: list[list[str]] = [[], [], []]
        self.rotation: Texts | None = None  # None: no rotation yet
        self.axis = np.zeros(3)
        self.turn = ""

    def current(self) -> Texts | None:
        """R_k as formulas."""
        if not self.turn:
            return self.rotation
        turned = rotation_formulas(self.axis, self.turn)
        return turned if self.rotation is None else multiply(self.rotation, turned)

    def add_screw(self, twist: np.ndarray, name: str) -> None:
        """A turn about an axis, with its travel along it; or a displacement."""
        rate, moment = twist[:3], twist[3:]
        size = float(np.linalg.norm(rate))
        if size == 0.0:
            self.add_vector(moment, name)
            return
        axis = rate / size
        centre = cross(rate, moment) / size**2
        travel = axis * float(axis @ moment)
        if np.abs(travel).max() > 10.0 * ROUNDING * np.abs(moment).max():
            self.add_vector(travel, name)
        self.add_vector(centre)
        is_same = bool(self.turn) and abs(abs(float(axis @ self.axis)) - 1.0) < PARALLEL
        if not is_same:
            self.rotation, self.axis, self.turn = self.current(), axis, ""
        factor = size * (1.0 if float(axis @ self.axis) > 0.0 else -1.0)
        self.turn = "+".join(filter(None, [self.turn, times(factor, name)]))
        self.add_vector(-centre)

    def add_ball(self, axes: np.ndarray, moment: np.ndarray, names: Any, sign: float) -> None:
        """A rotation by a quaternion, whose axes at zero are the rows of `axes`."""
        centre = 0.5 * np.cross(axes, moment).sum(axis=0)
        self.add_vector(centre)
        w, *v = names
        v = [f"({'-' if sign < 0 else ''}{name})" for name in v]
        square = "(" + "+".join(f"{name}**2" for name in names) + ")"
        local = [[quaternion_entry(w, v, square, i, j) for j in range(3)] for i in range(3)]
        turned = multiply(multiply(constants(axes.T), local), constants(axes))
        before = self.current()
        self.rotation = turned if before is None else multiply(before, turned)
        self.axis, self.turn = np.zeros(3), ""
        self.add_vector(-centre)

    def add_vector(self, vector: np.ndarray, factor: str = "") -> None:
        """R_k v, times a factor."""
        for total, part in zip(self.total, self.rotate(vector), strict=True):
            if part != "0":
                total.append(f"({part})*{factor}" if factor else part)

    def rotate(self, vector: np.ndarray) -> list[str]:
        R = self.current()
        (parts,) = constants(vector[None])
        if R is None:
            return parts
        return [plus([product(R[i][j], parts[j]) for j in range(3)]) for i in range(3)]

    def apply(self, place: np.ndarray) -> list[str]:
        self.add_vector(place)
        return [plus(total) for total in self.total]


# ---- formulas as text ----------------------------------------------------------------------------
def constants(matrix: np.ndarray) -> Texts:
    """Numbers as text; rounding beside the largest is 0."""
    least = ROUNDING * np.abs(matrix).max()
    return [["0" if abs(x) <= least else repr(float(x)) for x in row] for row in matrix]


def times(factor: float, name: str) -> str:
    return name if factor == 1.0 else f"({factor!r})*{name}"


def product(a: str, b: str) -> str:
    """a b, shorter where one of them is 0 or 1."""
    if "0" in (a, b):
        return "0"
    if "1.0" in (a, b):
        return b if a == "1.0" else a
    return f"({a})*({b})"


def plus(parts: list[str]) -> str:
    return "+".join(part for part in parts if part != "0") or "0"


def multiply(a: Texts, b: Texts) -> Texts:
    return [
        [plus([product(a[i][k], b[k][j]) for k in range(3)]) for j in range(3)] for i in range(3)
    ]


def rotation_formulas(axis: np.ndarray, angle: str) -> Texts:
    """n nᵀ + (1 − n nᵀ) cos θ + [n]× sin θ"""
    outer = np.outer(axis, axis)
    parts = constants(outer), constants(np.eye(3) - outer), constants(np.cross(np.eye(3), axis))
    factors = "1.0", f"cos({angle})", f"sin({angle})"
    return [
        [
            plus([product(part[i][j], factor) for part, factor in zip(parts, factors, strict=True)])
            for j in range(3)
        ]
        for i in range(3)
    ]


def quaternion_entry(w: str, v: list[str], square: str, i: int, j: int) -> str:
    """An entry of A(q)/‖q‖²."""
    if i == j:
        others = [v[k] for k in range(3) if k != i]
        return f"({w}**2+{v[i]}**2-{others[0]}**2-{others[1]}**2)/{square}"
    k = 3 - i - j
    sign = "+" if (j - i) % 3 == 2 else "-"
    return f"2*({v[i]}*{v[j]}{sign}{w}*{v[k]})/{square}"
