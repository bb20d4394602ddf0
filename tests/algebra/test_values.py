"""Vectors, matrices, quaternions, twists and inertias against NumPy; in every way of running
them.
"""

import numpy as np
import pytest
from numba.core.errors import TypingError

from hamiltree.algebra.mat3 import (
    IDENTITY,
    ZERO_MATRIX,
    ZERO_SYMMETRIC,
    Mat3,
    Sym3,
    rotate_about_z,
    rotate_symmetric,
    to_mat3,
    to_sym3,
)
from hamiltree.algebra.quat import (
    IDENTITY_QUATERNION,
    Quat,
    conjugate,
    norm_error,
    quaternion_from_matrix,
    rotation_matrix,
    select_larger,
)
from hamiltree.algebra.spatial import (
    ZERO_INERTIA,
    ZERO_MOMENTUM,
    ZERO_TWIST,
    ZERO_WRENCH,
    Inertia,
    Momentum,
    Twist,
    Wrench,
    rigid_inertia,
    twist_at,
    wrench_about,
)
from hamiltree.algebra.values import (
    cross,
    dot,
    plus_cross,
    plus_outer,
    plus_product,
    plus_scaled,
    transpose,
)
from hamiltree.algebra.vec3 import ZERO, Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, sincos, store

UPPER = np.triu_indices(3)


# ---- the operations, one row of an output each ---------------------------------------------------
@kernel
def vectors_and_matrices(inputs, outputs):
    numbers, vectors, matrices, symmetrics = outputs
    s, t = load(inputs[0], 0), load(inputs[0], 1)
    a, b, c = load(inputs[1], 0, Vec3), load(inputs[1], 1, Vec3), load(inputs[1], 2, Vec3)
    A, B = load(inputs[2], 0, Mat3), load(inputs[2], 1, Mat3)
    S, T = load(inputs[3], 0, Sym3), load(inputs[3], 1, Sym3)

    store(numbers, 0, dot(a, b))
    store(vectors, 0, a + b)
    store(vectors, 1, a - b)
    store(vectors, 2, a * s)
    store(vectors, 3, -a)
    store(vectors, 4, cross(a, b))
    store(vectors, 5, plus_cross(a, b, c))
    store(vectors, 6, plus_scaled(a, b, s))
    store(vectors, 7, A @ a)
    store(vectors, 8, plus_product(a, A, b))
    store(vectors, 9, S @ a)
    store(vectors, 10, plus_product(a, S, b))
    store(vectors, 11, ZERO)
    store(matrices, 0, A + B)
    store(matrices, 1, A - B)
    store(matrices, 2, A * s)
    store(matrices, 3, A @ B)
    store(matrices, 4, transpose(A))
    store(matrices, 5, plus_outer(A, a, b))
    store(matrices, 6, cross(a, A))
    store(matrices, 7, plus_cross(A, a, B))
    sine, cosine = sincos(t)
    store(matrices, 8, rotate_about_z(A, sine, cosine))
    store(matrices, 9, to_mat3(S))
    store(matrices, 10, IDENTITY)
    store(matrices, 11, ZERO_MATRIX)
    store(symmetrics, 0, S + T)
    store(symmetrics, 1, S - T)
    store(symmetrics, 2, plus_outer(S, a * s, a))
    store(symmetrics, 3, rotate_symmetric(S, A))
    store(symmetrics, 4, to_sym3(to_mat3(T)))
    store(symmetrics, 5, ZERO_SYMMETRIC)


@kernel
def quaternions(inputs, outputs):
    numbers, quats, matrices = outputs
    s = load(inputs[0], 0)
    a, b = load(inputs[1], 0, Quat), load(inputs[1], 1, Quat)
    R = load(inputs[2], 0, Mat3)
    store(numbers, 0, norm_error(a))
    store(quats, 0, a @ b)
    store(quats, 1, a * s)
    store(quats, 2, conjugate(a))
    store(quats, 3, quaternion_from_matrix(R))
    store(quats, 4, select_larger(a, s, b, 0.0 * s))
    store(quats, 5, IDENTITY_QUATERNION)
    store(matrices, 0, rotation_matrix(a))


@kernel
def spatial(inputs, outputs):
    numbers, pairs, inertias = outputs
    s, m = load(inputs[0], 0), load(inputs[0], 1)
    d, h = load(inputs[1], 0, Vec3), load(inputs[1], 1, Vec3)
    V, W = load(inputs[2], 0, Twist), load(inputs[2], 1, Twist)
    K, U = load(inputs[2], 2, Momentum), load(inputs[2], 3, Momentum)
    F, E = load(inputs[2], 4, Wrench), load(inputs[2], 5, Wrench)
    J, I = load(inputs[3], 0, Inertia), load(inputs[4], 0, Sym3)

    store(numbers, 0, dot(K, V))
    store(numbers, 1, dot(F, V))
    store(pairs, 0, V + W)
    store(pairs, 1, V * s)
    store(pairs, 2, plus_scaled(V, W, s))
    store(pairs, 3, K + U)
    store(pairs, 4, K * s)
    store(pairs, 5, plus_scaled(K, U, s))
    store(pairs, 6, F + E)
    store(pairs, 7, J @ V)
    store(pairs, 8, plus_product(K, J, V))
    store(pairs, 9, wrench_about(F, d))
    store(pairs, 10, twist_at(V, d))
    store(pairs, 11, ZERO_TWIST)
    store(pairs, 12, ZERO_MOMENTUM)
    store(pairs, 13, ZERO_WRENCH)
    store(inertias, 0, rigid_inertia(I, h, m))
    store(inertias, 1, ZERO_INERTIA)


# ---- the same in NumPy, by matrices --------------------------------------------------------------
def matrix(row):
    return row.reshape(3, 3).T


def columns(A):
    return A.T.ravel()


def symmetric_matrix(row):
    S = np.zeros((3, 3))
    S[UPPER] = row
    return S + S.T - np.diag(S.diagonal())


def skew(a):
    return np.cross(np.eye(3), a)


def inertia_matrix(row):
    A, B, C = symmetric_matrix(row[:6]), matrix(row[6:15]), symmetric_matrix(row[15:])
    return np.block([[A, B.T], [B, C]])


def inertia_row(J):
    return np.concatenate([J[:3, :3][UPPER], columns(J[3:, :3]), J[3:, 3:][UPPER]])


def rotation_about(axis, angle):
    """Rodrigues."""
    return np.eye(3) + np.sin(angle) * skew(axis) + (1 - np.cos(angle)) * skew(axis) @ skew(axis)


def left_product(q):
    """The 4×4 matrix of p ↦ q p."""
    w, v = q[0], q[1:]
    return np.block([[np.array([[w]]), -v[None]], [v[:, None], w * np.eye(3) + skew(v)]])


def expected_values(s, vectors, matrices, symmetrics):
    (s, t), (a, b, c) = s, vectors
    A, B = map(matrix, matrices)
    S, T = map(symmetric_matrix, symmetrics)
    return (
        {
            "a . b": a @ b,
        },
        {
            "a + b": a + b,
            "a - b": a - b,
            "a s": a * s,
            "-a": -a,
            "a x b": skew(a) @ b,
            "a + b x c": a + skew(b) @ c,
            "a + b s": a + b * s,
            "A a": A @ a,
            "a + A b": a + A @ b,
            "S a": S @ a,
            "a + S b": a + S @ b,
            "zero": np.zeros(3),
        },
        {
            "A + B": columns(A + B),
            "A - B": columns(A - B),
            "A s": columns(A * s),
            "A B": columns(A @ B),
            "A^T": columns(A.T),
            "A + a b^T": columns(A + np.outer(a, b)),
            "a x A": columns(skew(a) @ A),
            "A + a x B": columns(A + skew(a) @ B),
            "A turned about its z axis": columns(A @ rotation_about([0, 0, 1], t)),
            "S in full": columns(S),
            "identity": columns(np.eye(3)),
            "no matrix": np.zeros(9),
        },
        {
            "S + T": (S + T)[UPPER],
            "S - T": (S - T)[UPPER],
            "S + s a a^T": (S + s * np.outer(a, a))[UPPER],
            "A S A^T": (A @ S @ A.T)[UPPER],
            "T in part": T[UPPER],
            "no symmetric": np.zeros(6),
        },
    )


def expected_quaternions(s, quats, matrices):
    (s,), (a, b) = s, quats
    norm = np.linalg.norm(a)
    axis = a[1:] / np.linalg.norm(a[1:])
    given = rotation_quaternion(matrix(matrices[0]))
    return (
        {
            "norm error": abs(a @ a - 1),
        },
        {
            "a b": left_product(a) @ b,
            "a s": a * s,
            "conjugate": a * [1, -1, -1, -1],
            "of a rotation": given,
            "the larger": b if s < 0 else a,
            "unit": np.array([1.0, 0, 0, 0]),
        },
        {
            "rotation of any norm": columns(rotation_about(axis, 2 * np.arccos(a[0] / norm))),
        },
    )


def rotation_quaternion(R):
    """The axis is the eigenvector of R to 1; w ≥ 0."""
    values, eigenvectors = np.linalg.eig(R)
    axis = np.real(eigenvectors[:, np.argmin(abs(values - 1))])
    across = np.cross(axis, np.eye(3)[np.argmin(abs(axis))])
    angle = np.arctan2(axis @ np.cross(across, R @ across), across @ (R @ across))
    quaternion = np.array([np.cos(angle / 2), *(np.sin(angle / 2) * axis)])
    return quaternion if quaternion[0] >= 0 else -quaternion


def expected_spatial(s, vectors, pairs, inertias, symmetrics):
    (s, m), (d, h) = s, vectors
    V, W, K, U, F, E = pairs
    J, I = inertia_matrix(inertias[0]), symmetric_matrix(symmetrics[0])
    D = np.block([[np.eye(3), np.zeros((3, 3))], [-skew(d), np.eye(3)]])
    return (
        {
            "K . V": K @ V,
            "F . V": F @ V,
        },
        {
            "V + W": V + W,
            "V s": V * s,
            "V + W s": V + W * s,
            "K + U": K + U,
            "K s": K * s,
            "K + U s": K + U * s,
            "F + E": F + E,
            "J V": J @ V,
            "K + J V": K + J @ V,
            "D^T F": D.T @ F,
            "D V": D @ V,
            "no twist": np.zeros(6),
            "no momentum": np.zeros(6),
            "no wrench": np.zeros(6),
        },
        {
            "rigid": inertia_row(np.block([[I, skew(h)], [-skew(h), m * np.eye(3)]])),
            "no inertia": np.zeros(21),
        },
    )


# ---- four samples of every input -----------------------------------------------------------------
def rotations(rng):
    """Four rotations, one for each component of the quaternion that may be the largest."""
    axes = [*np.eye(3), rng.normal(size=3)]
    turns = zip(axes, (-2.9, 3.1, 2.6, 0.7), strict=True)
    return np.array(
        [columns(rotation_about(axis / np.linalg.norm(axis), angle)) for axis, angle in turns]
    )


def value_samples(rng):
    return [rng.normal(size=(WIDTH, *shape)) for shape in ((2,), (3, 3), (2, 9), (2, 6))]


def quaternion_samples(rng):
    return [
        np.array([[1.5], [-0.5], [0.25], [-2.0]]),
        rng.normal(size=(WIDTH, 2, 4)),
        rotations(rng)[:, None],
    ]


def spatial_samples(rng):
    return [rng.normal(size=(WIDTH, *shape)) for shape in ((2,), (2, 3), (6, 6), (1, 21), (1, 6))]


GROUPS = {
    "values": (vectors_and_matrices, value_samples, expected_values, (1, 3, 9, 6)),
    "quaternions": (quaternions, quaternion_samples, expected_quaternions, (1, 4, 9)),
    "spatial": (spatial, spatial_samples, expected_spatial, (1, 6, 21)),
}


def labels(group):
    _, samples, expected, _ = GROUPS[group]
    inputs = [x[0] for x in samples(np.random.default_rng(0))]
    return [
        (group, output, row, label)
        for output, rows in enumerate(expected(*inputs))
        for row, label in enumerate(rows)
    ]


OPERATIONS = [
    pytest.param(*place, id=f"{place[0]}: {place[-1]}")
    for group in GROUPS
    for place in labels(group)
]


@pytest.fixture(scope="module")
def computed(every_way):
    """{group: (expected (samples, rows, size) of each output, {way: the same computed})}."""
    results = {}
    for group, (operations, samples_of, expected_of, sizes) in GROUPS.items():
        samples = samples_of(np.random.default_rng(0))
        each = [
            [np.array(list(rows.values())) for rows in expected_of(*(x[k] for x in samples))]
            for k in range(WIDTH)
        ]
        expected = [np.stack(outputs) for outputs in zip(*each, strict=True)]
        results[group] = (
            expected,
            every_way(operations, samples, [x.shape[1] for x in expected], sizes),
        )
    return results


def error(got, expected):
    return abs(got - expected).max() / max(abs(expected).max(), 1.0)


@pytest.mark.parametrize("way", ["interpreted", "interpreted lanes", "compiled", "compiled lanes"])
@pytest.mark.parametrize(("group", "output", "row", "label"), OPERATIONS)
def test_an_operation_equals_its_numpy_matrices(computed, way, group, output, row, label):
    expected, ways = computed[group]
    assert error(ways[way][output][:, row], expected[output][:, row]) <= 1e-14


@pytest.mark.parametrize(("group", "output", "row", "label"), OPERATIONS)
def test_lanes_equal_floats_bit_for_bit(computed, group, output, row, label):
    _, ways = computed[group]
    alone, together = (
        np.ascontiguousarray(ways[way][output][:, row]).view(np.int64)
        for way in ("compiled", "compiled lanes")
    )
    assert np.array_equal(alone, together)


@pytest.mark.parametrize("group", GROUPS)
def test_compiled_equals_interpreted(computed, group):
    _, ways = computed[group]
    for compiled, interpreted in zip(ways["compiled"], ways["interpreted"], strict=True):
        assert error(compiled, interpreted) <= 1e-12


def test_the_samples_reach_every_branch_of_quaternion_of():
    leaders = [
        int(np.argmax(abs(rotation_quaternion(matrix(R)))))
        for R in rotations(np.random.default_rng(0))
    ]
    assert leaders == [1, 2, 3, 0]


# ---- what has no meaning is refused --------------------------------------------------------------
@kernel
def twist_of_mixed_sum(pairs):
    mixed = load(pairs, 0, Twist) + load(pairs, 1, Momentum)
    return mixed.w.x


def test_a_twist_and_a_momentum_cannot_be_added():
    with pytest.raises(TypeError, match="add has no method for Twist, Momentum"):
        ZERO_TWIST + ZERO_MOMENTUM
    with pytest.raises(TypingError):
        twist_of_mixed_sum(np.zeros((2, 6)))


def test_a_vector_and_a_number_cannot_be_added():
    with pytest.raises(TypeError, match="add has no method for Vec3, float"):
        ZERO + 1.0
