"""Quaternions, scalar first, body → world."""

from typing import NamedTuple

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.values import method, operation, value
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import absolute, maximum, root, where_less


@value
class Quat(NamedTuple):
    w: float
    x: float
    y: float
    z: float


IDENTITY_QUATERNION = Quat(1.0, 0.0, 0.0, 0.0)
conjugate = operation("conjugate", "the inverse rotation of a unit quaternion")


@method("matmul", Quat, Quat)
def hamilton_product(a, b):
    """The rotation b, then a."""
    return Quat(
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
    )


@method("add", Quat, Quat)
def add_quaternions(a, b):
    return Quat(a.w + b.w, a.x + b.x, a.y + b.y, a.z + b.z)


@method("mul", Quat, float)
def scale_quaternion(a, s):
    return Quat(a.w * s, a.x * s, a.y * s, a.z * s)


@conjugate.method(Quat)
def conjugate_quaternion(a):
    return Quat(a.w, -a.x, -a.y, -a.z)


@inlined
def rotation_matrix(a):
    """A(q) = G Lᵀ / ‖q‖²: a rotation whatever the norm."""
    s = 2.0 / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z)
    return Mat3(
        Vec3(
            1.0 - s * (a.y * a.y + a.z * a.z),
            s * (a.x * a.y + a.w * a.z),
            s * (a.x * a.z - a.w * a.y),
        ),
        Vec3(
            s * (a.x * a.y - a.w * a.z),
            1.0 - s * (a.x * a.x + a.z * a.z),
            s * (a.y * a.z + a.w * a.x),
        ),
        Vec3(
            s * (a.x * a.z + a.w * a.y),
            s * (a.y * a.z - a.w * a.x),
            1.0 - s * (a.x * a.x + a.y * a.y),
        ),
    )


@inlined
def select_larger(a, size_a, b, size_b):
    """The quaternion of the larger size, number by number, without a branch."""
    return Quat(
        where_less(size_a, size_b, b.w, a.w),
        where_less(size_a, size_b, b.x, a.x),
        where_less(size_a, size_b, b.y, a.y),
        where_less(size_a, size_b, b.z, a.z),
    )


@inlined
def quaternion_from_matrix(R):
    """Unit quaternion of a rotation matrix, w ≥ 0, from the largest of 4w², 4x², 4y², 4z²
    (Shepperd).
    """
    ww = 1.0 + R.x.x + R.y.y + R.z.z
    xx = 1.0 + R.x.x - R.y.y - R.z.z
    yy = 1.0 - R.x.x + R.y.y - R.z.z
    zz = 1.0 - R.x.x - R.y.y + R.z.z
    wx = R.y.z - R.z.y
    wy = R.z.x - R.x.z
    wz = R.x.y - R.y.x
    xy = R.x.y + R.y.x
    xz = R.x.z + R.z.x
    yz = R.y.z + R.z.y
    first = select_larger(Quat(ww, wx, wy, wz), ww, Quat(wx, xx, xy, xz), xx)
    second = select_larger(Quat(wy, xy, yy, yz), yy, Quat(wz, xz, yz, zz), zz)
    best = select_larger(first, maximum(ww, xx), second, maximum(yy, zz))
    norm = root(best.w * best.w + best.x * best.x + best.y * best.y + best.z * best.z)
    return best * where_less(best.w, 0.0, -1.0 / norm, 1.0 / norm)


@inlined
def norm_error(a):
    """|‖a‖² − 1|"""
    return absolute(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z - 1.0)
