"""Checked conversions to plain floats and tuples, and the Frame.

Every part of a model is built from these, so a model is hashable, compares exactly, and never holds
a NaN.
A conversion gets the part and the field it works for; its error names both, the value, and a
remedy.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from hamiltree.errors import ModelError
from hamiltree.model.catalogues import explain_arguments
from hamiltree.model.dimensions import Declared

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[Vector, Vector, Vector]
Part = tuple[str, str]

# below this a unit vector is left alone, so that reading back is exact
UNIT_TOLERANCE = 4 * np.finfo(float).eps.item()
ROTATION_TOLERANCE = 1e-9
SYMMETRY_TOLERANCE = 1e-9  # relative to the largest entry
INERTIA_TOLERANCE = 1e-12  # relative to the largest eigenvalue

ORIGIN: Vector = (0.0, 0.0, 0.0)
ZERO_MATRIX: Matrix = (ORIGIN, ORIGIN, ORIGIN)


def part_error(part: Part, field: str | None, value: object, problem: str) -> ModelError:
    """The error "kind 'name': field = value problem"; `problem` ends with the remedy."""
    kind, name = part
    subject = f"{kind} {name!r}" if name else kind
    what = f"{field} = {reprlib.repr(value)}" if field else reprlib.repr(value)
    return ModelError(f"{subject}: {what} {problem}", part if name else None, field)


def text(value: object, part: Part, field: str) -> str:
    """A non-empty string that can be written to a file."""
    if type(value) is str and value and value.isascii():
        return value
    if not isinstance(value, str):
        raise part_error(part, field, value, "is not a string; put it in quotes")
    if not value:
        raise part_error(part, field, value, "is empty; give a name")
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise part_error(
            part, field, value, "holds half a surrogate pair; use whole Unicode characters"
        )
    return value if type(value) is str else str(value)


def number(value: Any, part: Part, field: str) -> float:
    """A finite float."""
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise part_error(part, field, value, "is not a number; give an int or a float")
    try:
        result = float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise part_error(part, field, value, "is not finite; give a finite number")
    return result


def positive(value: Any, part: Part, field: str) -> float:
    """A finite float > 0."""
    result = number(value, part, field)
    if result <= 0.0:
        raise part_error(part, field, value, "is not positive; give a number above zero")
    return result


def nonnegative(value: Any, part: Part, field: str) -> float:
    """A finite float >= 0."""
    if type(value) is float and 0.0 <= value < math.inf:
        return value
    result = number(value, part, field)
    if result < 0.0:
        raise part_error(part, field, value, "is negative; give zero or more")
    return result


def flag(value: Any, part: Part, field: str) -> bool:
    """True or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise part_error(part, field, value, "is neither true nor false")
    return bool(value)


def vector(value: Any, length: int, part: Part, field: str) -> tuple[float, ...]:
    """`length` finite floats."""
    items = _sequence(value, part, field)
    if len(items) != length:
        raise part_error(part, field, value, f"has {len(items)} entries; give {length} numbers")
    return tuple([number(x, part, field) for x in items])


def point(value: Any, part: Part, field: str) -> Vector:
    """Three finite floats."""
    # the usual case, without a copy: a model may hold millions
    if (type(value) is tuple or type(value) is list) and len(value) == 3:
        x, y, z = value
        if type(x) is type(y) is type(z) is float and math.isfinite(x + y + z):
            return value if type(value) is tuple else (x, y, z)
    x, y, z = vector(value, 3, part, field)
    return x, y, z


def matrix(value: Any, part: Part, field: str) -> Matrix:
    """A 3x3 matrix, rows first."""
    rows = _sequence(value, part, field)
    if len(rows) != 3 or not (
        _is_sequence(rows[0]) and _is_sequence(rows[1]) and _is_sequence(rows[2])
    ):
        raise part_error(
            part, field, value, "is not a 3x3 matrix; give three rows of three numbers"
        )
    return point(rows[0], part, field), point(rows[1], part, field), point(rows[2], part, field)


def symmetric_matrix(value: Any, part: Part, field: str) -> Matrix:
    """A 3x3 matrix, symmetric to 1e-9 of its largest entry and then made exactly so."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = matrix(value, part, field)
    if xy == yx and xz == zx and yz == zy:
        return symmetric(xx, xy, xz, yy, yz, zz)
    largest = max(abs(x) for x in (xx, xy, xz, yx, yy, yz, zx, zy, zz))
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > SYMMETRY_TOLERANCE * largest:
        raise part_error(
            part,
            field,
            value,
            "is not symmetric; the entries above and below the diagonal must agree",
        )
    return symmetric(xx, 0.5 * (xy + yx), 0.5 * (xz + zx), yy, 0.5 * (yz + zy), zz)


def rotation(value: Any, part: Part, field: str) -> Quaternion:
    """A unit quaternion, scalar first, from a quaternion of any length or a proper orthonormal
    matrix.
    """
    if (type(value) is tuple or type(value) is list) and len(value) == 4:  # the usual case
        w, x, y, z = value
        is_plain = type(w) is type(x) is type(y) is type(z) is float
        if is_plain and abs(math.hypot(w, x, y, z) - 1.0) <= UNIT_TOLERANCE:
            return value if type(value) is tuple else (w, x, y, z)
    items = _sequence(value, part, field)
    if len(items) == 4:
        w, x, y, z = unit(vector(items, 4, part, field), part, field)
        return w, x, y, z
    if len(items) == 3 and _is_sequence(items[0]):
        return _matrix_rotation(matrix(items, part, field), part, field)
    raise part_error(
        part, field, value, "is not a rotation; give a quaternion (w, x, y, z) or a 3x3 matrix"
    )


def direction(value: Any, part: Part, field: str) -> Vector:
    """A unit vector."""
    x, y, z = unit(point(value, part, field), part, field)
    return x, y, z


def unit(items: tuple[float, ...], part: Part, field: str) -> tuple[float, ...]:
    """v / |v|, or v itself where | |v| - 1 | <= 4 eps."""
    norm = math.hypot(*items)
    if abs(norm - 1.0) <= UNIT_TOLERANCE:
        return items
    largest = max(map(abs, items))
    if largest == 0.0:
        raise part_error(part, field, items, "has length zero; give a direction")
    scaled = [x / largest for x in items]  # no overflow or underflow in the norm, whatever the size
    norm = math.hypot(*scaled)
    return tuple([x / norm for x in scaled])


def inertia(value: Any, mass: float, part: Part, field: str = "inertia") -> Matrix:
    """The inertia tensor about the centre of mass of a distribution of positive mass, kg m².

    From a scalar (isotropic), three principal values, six (xx, xy, xz, yy, yz, zz), or a symmetric
    3x3 matrix.
    """
    tensor = value if _is_plain_tensor(value) else _tensor(value, part, field)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    if not (xx or yy or zz or xy or xz or yz):
        return ZERO_MATRIX  # one object for all point masses
    if mass == 0.0:
        raise part_error(
            part, field, value, "but the mass is zero; give the body a mass, or no inertia"
        )
    if not _is_surely_physical(xx, xy, xz, yy, yz, zz):
        _check_eigenvalues(tensor, value, part, field)
    return tensor


def _is_plain_tensor(value: Any) -> bool:
    """Whether the value is already what `_tensor` would make of it, so that no copy is needed: a
    symmetric matrix of finite floats in tuples.
    """
    if type(value) is not tuple or len(value) != 3:
        return False
    a, b, c = value
    if not (type(a) is type(b) is type(c) is tuple and len(a) == len(b) == len(c) == 3):
        return False
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = value
    return (
        type(xx) is type(xy) is type(xz) is float
        and type(yx) is type(yy) is type(yz) is float
        and type(zx) is type(zy) is type(zz) is float
        and xy == yx
        and xz == zx
        and yz == zy
        and math.isfinite(xx + xy + xz + yy + yz + zz)
    )


def _tensor(value: Any, part: Part, field: str) -> Matrix:
    """A symmetric matrix from one moment, three, six, or nine numbers."""
    if not _is_sequence(value):
        moment = number(value, part, field)
        return diagonal((moment, moment, moment))
    items = _sequence(value, part, field)
    if len(items) == 3 and type(items[0]) is not float and _is_sequence(items[0]):
        return symmetric_matrix(items, part, field)
    if len(items) == 3:
        return diagonal(point(items, part, field))
    if len(items) == 6:
        xx, xy, xz, yy, yz, zz = vector(items, 6, part, field)
        return symmetric(xx, xy, xz, yy, yz, zz)
    raise part_error(
        part,
        field,
        value,
        "is no inertia; give a number, three principal values, six (xx, xy, xz, yy, yz, zz) or a "
        "3x3 matrix",
    )


def symmetric(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> Matrix:
    """The symmetric matrix of these entries."""
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def diagonal(moments: Vector) -> Matrix:
    """The diagonal matrix of these entries."""
    x, y, z = moments
    return symmetric(x, 0.0, 0.0, y, 0.0, z)


def _is_surely_physical(xx: float, xy: float, xz: float, yy: float, yz: float, zz: float) -> bool:
    """Cheap and sufficient: the second moments S = tr(I)/2 - I are diagonally dominant or have
    clearly positive minors.

    S has eigenvalues (I1 + I2 - I3)/2 and so on, so S >= 0 is the triangle inequality, and it
    implies I >= 0.
    """
    half = 0.5 * (xx + yy + zz)
    a, b, c = half - xx, half - yy, half - zz
    ab, ac, bc = abs(xy), abs(xz), abs(yz)
    if a >= ab + ac and b >= ab + bc and c >= ac + bc:
        return True
    minor = a * b - xy * xy
    determinant = c * minor - a * yz * yz - b * xz * xz - 2.0 * xy * yz * xz
    return a > 0.0 and minor > 1e-9 * half * half and determinant > 1e-9 * half * half * half


def _check_eigenvalues(tensor: Matrix, value: object, part: Part, field: str) -> None:
    """Principal moments are positive and satisfy the triangle inequality."""
    least, middle, largest = np.linalg.eigvalsh(np.array(tensor)).tolist()
    slack = INERTIA_TOLERANCE * max(abs(largest), abs(least))
    if least < -slack:
        raise part_error(
            part,
            field,
            value,
            f"has the negative eigenvalue {least:.6g}; no mass distribution has that, check the "
            "signs",
        )
    if least + middle < largest - slack:
        raise part_error(
            part,
            field,
            value,
            f"has principal moments {least:.6g}, {middle:.6g}, {largest:.6g}, but the largest must "
            "not "
            "exceed the sum of the other two; check the values and that they are about the centre "
            "of mass",
        )


def _matrix_rotation(rows: Matrix, part: Part, field: str) -> Quaternion:
    """Shepperd's method: divide by the largest of the four components.

    The scalar part comes out >= 0.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rows
    _check_orthonormal(rows, part, field)
    trace = xx + yy + zz
    if trace >= max(xx, yy, zz):
        q = (1.0 + trace, zy - yz, xz - zx, yx - xy)
    elif xx >= yy and xx >= zz:
        q = (zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx)
    elif yy >= zz:
        q = (xz - zx, xy + yx, 1.0 + yy - xx - zz, yz + zy)
    else:
        q = (yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy)
    if q[0] < 0.0:
        q = (-q[0], -q[1], -q[2], -q[3])
    w, x, y, z = unit(q, part, field)
    return w, x, y, z


def _check_orthonormal(rows: Matrix, part: Part, field: str) -> None:
    """R Rᵀ = 1 and det R = 1, to ROTATION_TOLERANCE."""
    a, b, c = rows
    error = max(
        abs(dot(a, a) - 1.0),
        abs(dot(b, b) - 1.0),
        abs(dot(c, c) - 1.0),
        abs(dot(a, b)),
        abs(dot(a, c)),
        abs(dot(b, c)),
    )
    if not error <= ROTATION_TOLERANCE:
        raise part_error(
            part,
            field,
            rows,
            f"is not orthonormal (off by {error:.1g}); give a rotation matrix or a quaternion",
        )
    if dot(cross(a, b), c) < 0.0:
        raise part_error(
            part,
            field,
            rows,
            "has determinant -1, a reflection; give a right-handed rotation matrix",
        )


def dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def add(a: Vector, b: Vector) -> Vector:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def scale(factor: float, a: Vector) -> Vector:
    return factor * a[0], factor * a[1], factor * a[2]


def rotate(q: Quaternion, v: Vector) -> Vector:
    """q v q* = v + 2 w (u x v) + 2 u x (u x v), with q = (w, u)."""
    u = q[1:]
    twice = scale(2.0, cross(u, v))
    return add(v, add(scale(q[0], twice), cross(u, twice)))


def multiply(a: Quaternion, b: Quaternion) -> Quaternion:
    """Hamilton's product: first b turns, then a."""
    u, v = a[1:], b[1:]
    x, y, z = add(cross(u, v), add(scale(a[0], v), scale(b[0], u)))
    return a[0] * b[0] - dot(u, v), x, y, z


def _is_sequence(value: object) -> bool:
    return (
        isinstance(value, (tuple, list))
        or (isinstance(value, np.ndarray) and value.ndim > 0)
        or (isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)))
    )


def _sequence(value: Any, part: Part, field: str) -> Sequence[Any]:
    """A list, a tuple or an array of numbers as a sequence."""
    if isinstance(value, (tuple, list)):
        return value
    if hasattr(value, "__array__") and np.ndim(value) > 0:  # of NumPy, or labelled, as of a run
        if np.ma.is_masked(value):
            raise part_error(part, field, value, "has numbers that are masked; give all of them")
        array = np.asarray(value)
        if array.dtype.kind not in "iuf":
            raise part_error(part, field, value, f"is an array of {array.dtype}; give real numbers")
        return array.tolist()
    if not _is_sequence(value):
        raise part_error(
            part, field, value, "is not a list of numbers; give a list, a tuple or an array"
        )
    return tuple(value)


FRAME: Part = ("frame", "")


@explain_arguments
@dataclass(frozen=True, slots=True)
class Frame:
    """Where a frame sits in another one: x_outer = position + R(rotation) x_inner.

    Position in metres.

    `rotation` is a unit quaternion, scalar first; a 3x3 matrix is accepted and converted.
    """

    dimensions: ClassVar[Declared] = {"position": "length", "rotation": "number"}

    position: Vector = ORIGIN
    rotation: Quaternion = (1.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        position, turn = self.position, self.rotation
        if (checked := point(position, FRAME, "position")) is not position:
            object.__setattr__(self, "position", checked)
        if (checked := rotation(turn, FRAME, "rotation")) is not turn:
            object.__setattr__(self, "rotation", checked)

    @classmethod
    def about(cls, axis: Any, angle: float, position: Any = ORIGIN) -> Frame:
        """Turned by `angle` (rad, right hand) about `axis`."""
        x, y, z = direction(axis, FRAME, "axis")
        half = 0.5 * number(angle, FRAME, "angle")
        s = math.sin(half)
        return cls(position, (math.cos(half), s * x, s * y, s * z))

    @classmethod
    def rpy(cls, roll: float, pitch: float, yaw: float, position: Any = ORIGIN) -> Frame:
        """R = Rz(yaw) Ry(pitch) Rx(roll): turns about the fixed axes x, then y, then z, as in URDF;
        rad.
        """
        turns = cls.about((0, 0, 1), yaw) @ cls.about((0, 1, 0), pitch) @ cls.about((1, 0, 0), roll)
        return cls(position, turns.rotation)

    def __matmul__(self, inner: Frame) -> Frame:
        """The frame `inner`, given in this one, seen from outside."""
        if not isinstance(inner, Frame):
            return NotImplemented
        return Frame(
            add(self.position, rotate(self.rotation, inner.position)),
            multiply(self.rotation, inner.rotation),
        )

    def inverse(self) -> Frame:
        """The outer frame seen from this one."""
        w, x, y, z = self.rotation
        back = (w, -x, -y, -z)
        return Frame(scale(-1.0, rotate(back, self.position)), back)

    @property
    def matrix(self) -> np.ndarray:
        """R, 3x3, inner to outer axes."""
        w, x, y, z = self.rotation
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )


IDENTITY = Frame()


def as_frame(value: Any, part: Part, field: str) -> Frame:
    """A Frame, or a plain 3-vector taken as its position."""
    if isinstance(value, Frame):
        return value
    if not _is_sequence(value) or len(value) != 3:
        raise part_error(
            part, field, value, "is no frame; give a Frame, or a position of three numbers"
        )
    return Frame(point(value, part, field))


def check_two_bodies(body_a: str, body_b: str, part: Part) -> None:
    """What acts between two bodies names two different ones, or a body and the ground."""
    if body_a == body_b:
        raise part_error(
            part,
            "body_b",
            body_b,
            "is also body_a; name two different bodies, or a body and 'ground'",
        )
