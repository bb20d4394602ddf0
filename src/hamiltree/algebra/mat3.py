"""3×3 matrices: Mat3 by its columns, Sym3 by its upper triangle."""

from typing import NamedTuple

from hamiltree.algebra.values import (
    cross,
    dot,
    method,
    plus_cross,
    plus_outer,
    plus_product,
    plus_scaled,
    transpose,
    value,
)
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma


@value
class Mat3(NamedTuple):
    """By columns: of a rotation, the axes of the turned frame."""

    x: Vec3
    y: Vec3
    z: Vec3


@value
class Sym3(NamedTuple):
    xx: float
    xy: float
    xz: float
    yy: float
    yz: float
    zz: float


IDENTITY = Mat3(Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0))
ZERO_MATRIX = Mat3(ZERO, ZERO, ZERO)
ZERO_SYMMETRIC = Sym3(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


# ---- Mat3 ----------------------------------------------------------------------------------------
@method("add", Mat3, Mat3)
def add_matrices(a, b):
    return Mat3(a.x + b.x, a.y + b.y, a.z + b.z)


@method("sub", Mat3, Mat3)
def subtract_matrices(a, b):
    return Mat3(a.x - b.x, a.y - b.y, a.z - b.z)


@method("mul", Mat3, float)
def scale_matrix(a, s):
    return Mat3(a.x * s, a.y * s, a.z * s)


@method("matmul", Mat3, Vec3)
def matrix_times_vector(a, b):
    return plus_scaled(plus_scaled(a.x * b.x, a.y, b.y), a.z, b.z)


@method("matmul", Mat3, Mat3)
def matrix_times_matrix(a, b):
    return Mat3(a @ b.x, a @ b.y, a @ b.z)


@transpose.method(Mat3)
def transpose_matrix(a):
    return Mat3(Vec3(a.x.x, a.y.x, a.z.x), Vec3(a.x.y, a.y.y, a.z.y), Vec3(a.x.z, a.y.z, a.z.z))


@plus_outer.method(Mat3, Vec3, Vec3)
def matrix_plus_outer(a, b, c):
    return Mat3(plus_scaled(a.x, b, c.x), plus_scaled(a.y, b, c.y), plus_scaled(a.z, b, c.z))


@cross.method(Vec3, Mat3)
def cross_columns(a, b):
    return Mat3(cross(a, b.x), cross(a, b.y), cross(a, b.z))


@plus_cross.method(Mat3, Vec3, Mat3)
def matrix_plus_cross(a, b, c):
    return Mat3(plus_cross(a.x, b, c.x), plus_cross(a.y, b, c.y), plus_cross(a.z, b, c.z))


@plus_product.method(Vec3, Mat3, Vec3)
def vector_plus_product(a, b, c):
    return plus_scaled(plus_scaled(plus_scaled(a, b.x, c.x), b.y, c.y), b.z, c.z)


@inlined
def rotate_about_z(a, s, c):
    """The frame a after a rotation about its own z axis by the angle of this sine and cosine."""
    return Mat3(plus_scaled(a.x * c, a.y, s), plus_scaled(a.y * c, a.x, -s), a.z)


# ---- Sym3 ----------------------------------------------------------------------------------------
@inlined
def to_mat3(a):
    """A Sym3 with its lower triangle written out."""
    return Mat3(Vec3(a.xx, a.xy, a.xz), Vec3(a.xy, a.yy, a.yz), Vec3(a.xz, a.yz, a.zz))


@inlined
def to_sym3(a):
    """A Mat3 known to be symmetric; what only its lower triangle needs is never computed."""
    return Sym3(a.x.x, a.y.x, a.z.x, a.y.y, a.z.y, a.z.z)


@method("add", Sym3, Sym3)
def add_symmetric(a, b):
    return Sym3(a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz)


@method("sub", Sym3, Sym3)
def subtract_symmetric(a, b):
    return Sym3(a.xx - b.xx, a.xy - b.xy, a.xz - b.xz, a.yy - b.yy, a.yz - b.yz, a.zz - b.zz)


@method("matmul", Sym3, Vec3)
def symmetric_times_vector(a, b):
    return to_mat3(a) @ b


@plus_product.method(Vec3, Sym3, Vec3)
def vector_plus_symmetric_product(a, b, c):
    return plus_product(a, to_mat3(b), c)


@plus_outer.method(Sym3, Vec3, Vec3)
def symmetric_plus_outer(a, b, c):
    """For b along c, so that the product is symmetric."""
    return Sym3(
        fma(b.x, c.x, a.xx),
        fma(b.x, c.y, a.xy),
        fma(b.x, c.z, a.xz),
        fma(b.y, c.y, a.yy),
        fma(b.y, c.z, a.yz),
        fma(b.z, c.z, a.zz),
    )


@inlined
def rotate_symmetric(a, R):
    """R a Rᵀ of a symmetric a, row by row: few numbers are alive at a time."""
    x, y, z = transpose(R)
    ax = a @ x
    ay = a @ y
    az = a @ z
    return Sym3(dot(ax, x), dot(ax, y), dot(ax, z), dot(ay, y), dot(ay, z), dot(az, z))


@inlined
def determinant(a):
    return dot(Vec3(a.xx, a.xy, a.xz), cross(Vec3(a.xy, a.yy, a.yz), Vec3(a.xz, a.yz, a.zz)))


@inlined
def invert_symmetric(a):
    """a⁻¹ of a positive definite a, by cofactors."""
    xx = fma(a.yy, a.zz, -(a.yz * a.yz))
    xy = fma(a.xz, a.yz, -(a.xy * a.zz))
    xz = fma(a.xy, a.yz, -(a.xz * a.yy))
    scale = 1.0 / fma(a.xz, xz, fma(a.xy, xy, a.xx * xx))
    yy = fma(a.xx, a.zz, -(a.xz * a.xz))
    yz = fma(a.xy, a.xz, -(a.xx * a.yz))
    zz = fma(a.xx, a.yy, -(a.xy * a.xy))
    return Sym3(xx * scale, xy * scale, xz * scale, yy * scale, yz * scale, zz * scale)
