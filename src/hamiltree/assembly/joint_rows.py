"""Joints, constraints and couplings of a Model as lists of primitive constraint rows: "Spatial
Dynamics", section 11.5, chosen so that no row is redundant (ERRATA 1-13).

What a joint forbids follows from its screws. Slides come first (their directions fixed on the
parent) and then turns about axes through one point of the child; or turns first and then slides,
which is the same seen from the child:
  translations  the point stays in the plane or on the line of the slides: one N2 row for each
                direction across them
  rotations     no turn: three N1 rows; one: its axis keeps across two directions of the parent;
                two: the axes keep their angle; three: none
A screw has one row more, between its advance and its angle.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hamiltree.assembly.rows import ANGLE, N1, N2, SS, TWO_PI
from hamiltree.errors import FitError
from hamiltree.model.joints import Joint, coordinate_labels
from hamiltree.model.model import Model

Vector = Any
ZERO_VECTOR = (0.0, 0.0, 0.0)
NAMES = "xyz"
GEOMETRY_TOLERANCE = 1e-9  # relative: what counts as parallel, or as meeting in a point


@dataclass(frozen=True)
class TermSpec:
    """A term of a row: kind, the two bodies by name, vectors in their axes, points from their
    origins.
    """

    kind: int
    i: str
    j: str
    a: Vector = ZERO_VECTOR
    b: Vector = ZERO_VECTOR
    at: Vector = ZERO_VECTOR
    to: Vector = ZERO_VECTOR
    e: Vector = ZERO_VECTOR
    weight: float = 1.0
    start: float = 0.0
    counts_windings: bool = False
    label: str = ""  # of the coordinate that it measures
    scale: float = 1.0  # of an angle: its own by that coordinate


@dataclass(frozen=True)
class StartConfiguration:
    """Where a model starts, as far as its rows ask."""

    position_of_point: Callable[[str, Vector], np.ndarray]  # (body, point on it) -> where that is
    find_values: Callable[[], Mapping[str, float]]  # asked for only where a row needs them

    @property
    def start_values(self) -> Mapping[str, float]:
        """Coordinate -> value."""
        return self.find_values()


@dataclass(frozen=True)
class RowSpec:
    """A scalar constraint: Σ terms − constant − f(t) = 0, of a part of the model."""

    part: tuple[str, str]  # ("joint", name), ("constraint", name), …
    what: str
    terms: tuple[TermSpec, ...]
    constant: float = 0.0
    period: float = 0.0
    drive: Any = None  # the Drive whose f(t) it is
    is_angle: bool = field(default=False)  # rad, not m


# ---- geometry ------------------------------------------------------------------------------------
def perpendicular(direction) -> tuple[np.ndarray, np.ndarray]:
    """Two unit vectors that make a right-handed frame with a direction."""
    n = np.asarray(direction, dtype=float)
    n = n / np.linalg.norm(n)
    u = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    u /= np.linalg.norm(u)
    return u, np.cross(n, u)


def orthogonal_complement(directions) -> np.ndarray:
    """Unit vectors across all directions, one per row; the axes themselves where there are none."""
    if not len(directions):
        return np.eye(3)
    if len(directions) == 1:
        return np.array(perpendicular(directions[0]))
    normal = np.cross(*directions[:2])
    return np.zeros((0, 3)) if len(directions) > 2 else normal[None] / np.linalg.norm(normal)


def common_point(turns, length: float) -> np.ndarray | None:
    """Where the axes of screws (ω, v = x × ω) meet, to a part of a length; None if they do not.

    Of none, the origin.
    """
    if not turns:
        return np.zeros(3)
    matrix = np.concatenate([np.cross(np.eye(3), w).T for w, _ in turns])
    moments = np.concatenate([v for _, v in turns])
    point = np.linalg.lstsq(matrix, moments, rcond=None)[0]
    error = np.abs(matrix @ point - moments).max()
    return point if error <= GEOMETRY_TOLERANCE * length else None


def joint_length(joint: Joint) -> float:
    """How far the axes and frames of a joint are from their origins, m."""
    frames = [joint.on_parent.position, joint.on_child.position]
    arms = [v for w, v in joint.screws() if any(w)]
    return float(np.abs(np.array([*frames, *arms])).max())


def advances(w: np.ndarray, v: np.ndarray) -> bool:
    """Whether a turn moves its body along the axis; of a hinge beside the joint's origin w · v is
    rounding.
    """
    return bool(abs(w @ v) > GEOMETRY_TOLERANCE * np.linalg.norm(w) * np.linalg.norm(v))


class Side:
    """A joint frame on one body: vectors and points of the joint's axes, seen from the body."""

    def __init__(self, joint: Joint, is_parent: bool):
        self.body = joint.parent if is_parent else joint.child
        frame = joint.on_parent if is_parent else joint.on_child
        self.turn, self.position = frame.matrix, np.array(frame.position)

    def vector(self, v):
        return tuple((self.turn @ np.asarray(v, dtype=float)).tolist())

    def point(self, x):
        return tuple((self.position + self.turn @ np.asarray(x, dtype=float)).tolist())


@dataclass(frozen=True)
class JointGeometry:
    """The screws of a joint in order: those of the near side slide, those of the far side turn
    about one point.
    """

    near: Side
    far: Side
    slides: list
    turns: list  # (ω, v)
    slide_axes: list  # numbers of the joint's axes
    turn_axes: list
    point: np.ndarray
    is_swapped: bool
    has_free_rotation: bool  # about every axis


def joint_geometry(joint: Joint) -> JointGeometry:
    """The slides and turns of a joint; refused where its constraint rows are not known."""
    screws = [(np.array(w), np.array(v)) for w, v in joint.screws()]
    turn_axes = [k for k, (w, _) in enumerate(screws) if w.any()]
    slide_axes = [k for k, (w, _) in enumerate(screws) if not w.any()]
    turns = [screws[k] for k in turn_axes]
    slides = [screws[k][1] for k in slide_axes]
    point = common_point([(w, v - w * (w @ v) / (w @ w)) for w, v in turns], joint_length(joint))
    is_swapped = bool(slide_axes and turn_axes) and turn_axes[0] < slide_axes[-1]
    is_in_order = not is_swapped or (turn_axes[-1] < slide_axes[0] and not joint.has_ball)
    has_pitch = any(advances(*turn) for turn in turns) and len(screws) > 1
    if point is None or not is_in_order or has_pitch or not are_independent(slides, turns):
        raise FitError(
            f"joint '{joint.name}' ({joint.kind}): its constraints are known only of slides "
            "followed by turns about one point, or the "
            "other way round; split the joint in two with a body between them, or use a tree "
            "formulation",
            part=("joint", joint.name),
        )
    return JointGeometry(
        near=Side(joint, not is_swapped),
        far=Side(joint, is_swapped),
        slides=slides,
        turns=turns,
        slide_axes=slide_axes,
        turn_axes=turn_axes,
        point=point,
        is_swapped=is_swapped,
        has_free_rotation=joint.has_ball or len(turns) == 3,
    )


def is_turned_over(joint: Joint, rotation: np.ndarray) -> bool:
    """Whether a closing joint at this rotation of its child's frame against its parent's is on the
    wrong branch, of which its rows cannot tell.
    """
    shape = joint_geometry(joint)
    if shape.has_free_rotation or len(shape.turns) > 1:
        return False
    if not shape.turns:
        return bool(np.trace(rotation) < 2.0)
    axis = shape.turns[0][0] / np.linalg.norm(shape.turns[0][0])
    return bool(axis @ rotation @ axis < 0.0)


def are_independent(slides: list, turns: list) -> bool:
    """Whether no slide depends on the others, and two turns are about different axes."""
    if len(turns) > 3 or len(slides) > 3:
        return False
    if slides and np.linalg.matrix_rank(np.array(slides), tol=GEOMETRY_TOLERANCE) < len(slides):
        return False
    if len(turns) != 2:
        return True
    return bool(np.linalg.norm(np.cross(turns[0][0], turns[1][0])) > GEOMETRY_TOLERANCE)


# ---- joints --------------------------------------------------------------------------------------
def rows_of_joint(joint: Joint) -> list[RowSpec]:
    """What a joint forbids, translations first."""
    geometry, part = joint_geometry(joint), ("joint", joint.name)
    if is_screw(geometry):
        return rows_of_screw(geometry, part)
    return [*rows_of_translation(geometry, part), *rows_of_rotation(geometry, part)]


def is_screw(geometry: JointGeometry) -> bool:
    """Whether its only turn advances along its axis."""
    return len(geometry.turns) == 1 and advances(*geometry.turns[0])


def rows_of_translation(geometry: JointGeometry, part) -> list[RowSpec]:
    return [
        RowSpec(part, f"translation {k + 1}", (slide_term(geometry, perpendicular),))
        for k, perpendicular in enumerate(orthogonal_complement(geometry.slides))
    ]


def rows_of_rotation(geometry: JointGeometry, part) -> list[RowSpec]:
    """N1 rows u · v = constant of the rotations that a joint forbids, u on the near side."""
    if geometry.has_free_rotation:
        return []
    constant = 0.0
    if not geometry.turns:
        pairs = [(np.eye(3)[k], np.eye(3)[(k + 1) % 3]) for k in range(3)]
    elif len(geometry.turns) == 1:
        axis = geometry.turns[0][0] / np.linalg.norm(geometry.turns[0][0])
        pairs = [(u, axis) for u in perpendicular(axis)]
    else:
        first, second = (w / np.linalg.norm(w) for w, _ in geometry.turns)
        pairs = [(second, first) if geometry.is_swapped else (first, second)]
        constant = float(first @ second)
    terms = [
        TermSpec(
            N1,
            geometry.near.body,
            geometry.far.body,
            geometry.near.vector(u),
            geometry.far.vector(v),
        )
        for u, v in pairs
    ]
    return [
        RowSpec(part, f"rotation {k + 1}", (term,), constant, is_angle=True)
        for k, term in enumerate(terms)
    ]


def rows_of_screw(geometry: JointGeometry, part) -> list[RowSpec]:
    """Those of a cylindrical joint, and advance − pitch · angle = 0."""
    w, v = geometry.turns[0]
    axis = w / np.linalg.norm(w)
    pitch = float(w @ v) / float(w @ w)
    terms = slide_term(geometry, axis), replace(angle_term(geometry, axis), weight=-pitch)
    cylinder = replace(geometry, slides=[axis])
    advance = RowSpec(part, "advance", terms, period=TWO_PI * abs(pitch))
    return [*rows_of_translation(cylinder, part), *rows_of_rotation(geometry, part), advance]


def slide_term(geometry: JointGeometry, direction) -> TermSpec:
    """direction · d between the two images of the joint's point."""
    near = geometry.near
    far = geometry.far
    point = geometry.point
    return TermSpec(
        N2, near.body, far.body, a=near.vector(direction), at=near.point(point), to=far.point(point)
    )


def angle_term(geometry: JointGeometry, axis) -> TermSpec:
    """The angle by which the far side has turned about an axis of both."""
    u, w = perpendicular(axis)
    return TermSpec(
        ANGLE,
        geometry.near.body,
        geometry.far.body,
        a=geometry.near.vector(u),
        e=geometry.near.vector(w),
        b=geometry.far.vector(u),
    )


# ---- coordinates ---------------------------------------------------------------------------------
def coordinate_terms(joint: Joint, axis: int) -> list[TermSpec]:
    """A coordinate of a joint as terms: distances along slides, the angle of one turn or of either
    of two.
    """
    geometry = joint_geometry(joint)
    sign = -1.0 if geometry.is_swapped else 1.0
    if axis in geometry.slide_axes:
        others = np.array(geometry.slides)
        # its product with every other slide vanishes
        dual = np.linalg.pinv(others)[:, geometry.slide_axes.index(axis)]
        return [replace(slide_term(geometry, dual), weight=sign)]
    place = geometry.turn_axes.index(axis)
    turn, _ = geometry.turns[place]
    rate = float(np.linalg.norm(turn))
    if len(geometry.turns) == 1:
        return [replace(angle_term(geometry, turn / rate), weight=sign / rate)]
    if len(geometry.turns) > 2:
        raise FitError(
            f"joint '{joint.name}' ({joint.kind}): one of its three angles cannot be driven, "
            "coupled or asked for by a law; "
            "split the joint in two with a body between them",
            part=("joint", joint.name),
        )
    term = universal_angle_term(joint, [w for w, _ in geometry.turns], place)
    return [replace(term, weight=(-1.0 if place else 1.0) / rate)]


def universal_angle_term(joint: Joint, turns, place: int) -> TermSpec:
    """How far the other axis has turned about this one: the first is fixed on the parent, the
    second on the child.
    """
    own, other = turns[place], turns[1 - place]
    near, far = Side(joint, place == 0), Side(joint, place == 1)
    n = own / np.linalg.norm(own)
    u = other - n * (n @ other)
    u = u / np.linalg.norm(u)
    seen = far.vector(other / np.linalg.norm(other))
    return TermSpec(
        ANGLE, near.body, far.body, a=near.vector(u), e=near.vector(np.cross(n, u)), b=seen
    )


def joint_and_axis(model: Model, label: str) -> tuple[Joint, int]:
    """The joint and the number of the axis that a label of a coordinate means."""
    for joint in model.joints:
        names = coordinate_labels(joint)
        if label in names:
            return joint, names.index(label)
    raise FitError(f"there is no coordinate {label!r} in model {model.name!r}")


def row_of_coordinates(
    model: Model, part, what: str, weighted, constant: float, start_configuration, drive=None
) -> RowSpec:
    """Σ weight · coordinate = constant + f(t).

    Where two angles meet, all but the first count their turns, from where they start.
    """
    terms = []
    angles = 0
    for label, weight in weighted:
        joint, axis = joint_and_axis(model, label)
        for term in coordinate_terms(joint, axis):
            term = replace(term, weight=term.weight * weight)
            if term.kind == ANGLE:
                angles += 1
                scale = weight / term.weight
                start = start_configuration.start_values.get(label, joint.start()[0][axis]) * scale
                term = replace(
                    term, counts_windings=angles > 1, start=float(start), label=label, scale=scale
                )
            terms.append(term)
    turning = [term for term in terms if term.kind == ANGLE and not term.counts_windings]
    period = TWO_PI * abs(turning[0].weight) if turning else 0.0
    return RowSpec(
        part,
        what,
        tuple(terms),
        constant,
        period,
        drive,
        is_angle=bool(turning) and terms[0].kind == ANGLE,
    )


def rows_of_coupling(model: Model, coupling, start_configuration) -> list[RowSpec]:
    """follower − ratio · leader = offset."""
    leader, ratio, offset = coupling.follower()
    part = ("coupling", coupling.name or coupling.joint)
    return [
        row_of_coordinates(
            model,
            part,
            "ratio",
            [(coupling.joint, 1.0), (leader, -ratio)],
            offset,
            start_configuration,
        )
    ]


# ---- constraints ---------------------------------------------------------------------------------
def rows_of_constraint(
    model: Model, position: int, constraint, start_configuration
) -> list[RowSpec]:
    """The rows of a constraint of the model."""
    part = ("constraint", constraint.name or position + 1)
    return ROW_BUILDERS[constraint.kind](model, part, constraint, start_configuration)


def rows_of_rod(model, part, rod, start_configuration) -> list[RowSpec]:
    """(d · d − l²) / 2l: in metres where it is small."""
    length = rod.length
    if length is None:
        position = start_configuration.position_of_point
        length = float(
            np.linalg.norm(position(rod.body_b, rod.at_b) - position(rod.body_a, rod.at_a))
        )
    if not length > 0.0:
        raise FitError(
            f"constraint '{part[1]}': the rod between '{rod.body_a}' and '{rod.body_b}' has no "
            "length; "
            "hold the points together with a ball joint, or with a coincident constraint",
            part=part,
        )
    term = TermSpec(SS, rod.body_a, rod.body_b, at=rod.at_a, to=rod.at_b, weight=0.5 / length)
    return [RowSpec(part, "length", (term,), 0.5 * length)]


def rows_of_directions(part, constraint, directions) -> list[RowSpec]:
    """The two points coincide along these directions of body a."""
    pair = constraint.body_a, constraint.body_b
    points = {"at": constraint.at_a, "to": constraint.at_b}
    terms = [
        TermSpec(N2, *pair, a=tuple(u), **points)
        for u in np.asarray(directions, dtype=float).tolist()
    ]
    return [RowSpec(part, f"translation {k + 1}", (term,)) for k, term in enumerate(terms)]


def rows_of_axes(part, constraint, directions) -> list[RowSpec]:
    """The axis of b stays perpendicular to these directions of body a."""
    pair = constraint.body_a, constraint.body_b
    terms = [
        TermSpec(N1, *pair, tuple(u), constraint.axis_b)
        for u in np.asarray(directions, dtype=float).tolist()
    ]
    return [
        RowSpec(part, f"rotation {k + 1}", (term,), is_angle=True) for k, term in enumerate(terms)
    ]


def rows_of_drive(model, part, drive, start_configuration) -> list[RowSpec]:
    return [
        row_of_coordinates(
            model, part, "drive", [(drive.joint, 1.0)], 0.0, start_configuration, drive
        )
    ]


def unit(v) -> np.ndarray:
    return np.asarray(v, dtype=float) / np.linalg.norm(v)


def refuse_motion(model, part, motion, start_configuration) -> list[RowSpec]:
    """Rows are of joints and between bodies; a pose prescribed in time belongs to the formulations
    of free bodies.
    """
    raise FitError(
        f"constraint '{part[1]}' (motion of '{motion.body}'): a prescribed motion is for "
        "free_bodies_quaternion and free_bodies_rotation; "
        "take one of these, or drive the coordinates of a joint",
        part=part,
    )


ROW_BUILDERS = {
    "rod": rows_of_rod,
    "point_on_line": lambda m, part, c, s: rows_of_directions(part, c, perpendicular(c.axis)),
    "point_in_plane": lambda m, part, c, s: rows_of_directions(part, c, [unit(c.normal)]),
    "coincident": lambda m, part, c, s: rows_of_directions(part, c, np.eye(3)),
    "parallel_axes": lambda m, part, c, s: rows_of_axes(part, c, perpendicular(c.axis_a)),
    "perpendicular_axes": lambda m, part, c, s: rows_of_axes(part, c, [unit(c.axis_a)]),
    "drive": rows_of_drive,
    "motion": refuse_motion,
}
