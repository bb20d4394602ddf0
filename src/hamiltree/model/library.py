"""Models ready to run: pendulums, random chains and trees, the ten-body tree of the notes "EOM with
Hamilton's Equations", the eight and the six bodies of the notes on Kane's equations, bodies in free
flight, a top, mechanisms, molecules.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files
from typing import Any

import numpy as np

from hamiltree.errors import OptionError, normalise_name, suggest, unknown_attribute
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import JOINTS, Axes, Ball, Free, Joint, Revolute, SeveralAxes, Universal
from hamiltree.model.many_parts import collect_garbage_later, make_many
from hamiltree.model.mechanisms import (  # noqa: F401  (a library is asked for them by name)
    MECHANISMS,
    andrews,
    bricard,
    car_axis,
    double_four_bar,
    double_wishbone,
    four_bar,
    governor,
    problem_11_7,
    slider_crank,
    spatial_slider_crank,
    stewart,
    strandbeest,
)
from hamiltree.model.model import Model
from hamiltree.model.molecules import (  # noqa: F401
    MOLECULES,
    branched_molecule,
    disc,
    particle_box,
    particle_chain,
    particle_ring,
    tetrahedron,
)
from hamiltree.model.nanotubes import (  # noqa: F401
    BEARINGS,
    molecular_bearing,
    nanotube,
)
from hamiltree.model.shapes import Box
from hamiltree.model.values import Frame, Matrix, Quaternion, Vector, diagonal

Y_AXIS = (0.0, 1.0, 0.0)


def pendulum(length: float = 1.0, mass: float = 1.0, angle: float = 0.0) -> Model:
    """A point mass on a massless rod, hanging along -z at angle 0, hinged about y. SI, rad."""
    bob = Body("bob", _positive("mass", mass), (0.0, 0.0, -_positive("length", length)))
    return Model(
        name="pendulum",
        bodies=[bob],
        joints=[Revolute("hinge", GROUND, "bob", axis=Y_AXIS, q=angle)],
    )


def n_pendulum(n: int, length: float = 1.0, mass: float = 1.0, angles: Any = None) -> Model:
    """n uniform thin rods (each of that length and mass) on hinges about y, hanging along -z
    at q = 0.

    `angles`: the angle of each rod from the downward vertical, one for all or n of them; q holds
    the differences.
    """
    n = _count("n", n)
    length = _positive("length", length)
    mass = _positive("mass", mass)
    absolute = _one_per_body("angles", 0.0 if angles is None else angles, n)
    q = np.diff(absolute, prepend=0.0).tolist()
    across, end = mass * length**2 / 12, Frame((0.0, 0.0, -length))
    names = [GROUND, *(f"rod{i + 1}" for i in range(n))]
    rods = [
        Body(name, mass, (0.0, 0.0, -length / 2), diagonal((across, across, 0.0)))
        for name in names[1:]
    ]
    hinges = [
        Revolute(
            f"hinge{i + 1}", names[i], names[i + 1], end if i else Frame(), axis=Y_AXIS, q=q[i]
        )
        for i in range(n)
    ]
    return Model(name=f"n_pendulum({n})", bodies=rods, joints=hinges)


def chain(n: int, seed: int = 0) -> Model:
    """n boxes hinged about z of randomly turned frames some 0.3 m apart, 0.5 to 1.5 kg each, at
    rest; fixed numbers for a seed.
    """
    n, rng = _count("n", n), np.random.default_rng(seed)
    turn = _rotations(rng.normal(size=(n, 3, 3)))
    mass = rng.uniform(0.5, 1.5, n)
    com = 0.09 * rng.normal(size=(n, 3))
    offset = rng.normal(size=(n, 3))
    offset *= (0.3 * rng.uniform(0.7, 1.3, n) / np.linalg.norm(offset, axis=1))[:, None]
    offset[0] = 0.0
    moments = _box_moments(mass, 0.3 * rng.uniform(0.3, 1.0, (n, 3)))
    names = [GROUND, *map("b{}".format, range(1, n + 1))]
    with collect_garbage_later():
        tensors = _diagonals(moments)
        bodies = make_many(
            Body, n, name=names[1:], mass=mass.tolist(), com=_vectors(com), inertia=tensors
        )
        frames = make_many(Frame, n, position=_vectors(offset), rotation=_quaternions(turn))
        numbers = map("j{}".format, range(1, n + 1))
        joints = make_many(
            Revolute, n, name=numbers, parent=names[:-1], child=names[1:], on_parent=frames
        )
        return Model(name=f"chain({n})", bodies=bodies, joints=joints)


def tree(n: int, branching: int = 2, seed: int = 0, joints: Sequence[str] = ("revolute",)) -> Model:
    """A random tree: the parent of body i is body (i - 1) // branching; branching 1 is a
    chain, n or more a star on the first body.

    Everything is general: axes, joint frames turned and shifted on both bodies, centres of mass,
    full inertia tensors, kinds of joint drawn from `joints` (the first is never a weld), a moving
    start.
    """
    n = _count("n", n)
    branching = _count("branching", branching)
    rng = np.random.default_rng(seed)
    bodies = _random_bodies(rng, n)
    names = [GROUND, *(body.name for body in bodies)]
    carriers = [names[0], *(names[1 + (i - 1) // branching] for i in range(1, n))]
    made = _random_joints(rng, carriers, names[1:], _joint_kinds(joints))
    return Model(name=f"tree({n})", bodies=bodies, joints=made)


def ten_body_tree() -> Model:
    """The tree of Fig. 2 of the Hamilton's Equations notes: ten bodies on parents 0, 1, 1, 3, 3,
    5, 4, 7, 1, 9 (0 = ground), general hinges, moving.
    """
    return _shipped_model("ten_body_tree")


def eight_bodies(loads: bool = False) -> Model:
    """The system of the notes on Kane's equations with relative coordinates: eight bodies,
    L = (0, 1, 2, 1, 2, 1, 1, 7), six degrees of freedom each, general data, moving.

    loads=True adds a constant force F_K (world axes, at the centre of mass) and a constant torque
    M_K (body axes) on every body; they spin light bodies up to 50 rad/s within a second.
    """
    model = _shipped_model("eight_bodies")
    return model if loads else model.with_(forces=())


def six_bodies(loads: bool = False) -> Model:
    """The system of the notes on Kane's equations with absolute orientations: six bodies,
    L = (0, 1, 2, 2, 1, 5), six degrees of freedom each, general data, moving. loads: as in
    eight_bodies.
    """
    model = _shipped_model("six_bodies")
    return model if loads else model.with_(forces=())


def free_body(
    mass: float = 1.0,
    inertia: Any = (1.0, 2.0, 3.0),
    omega: Any = (0.01, 2.0, 0.01),
    velocity: Any = (0.0, 0.0, 0.0),
) -> Model:
    """One rigid body in free flight, no gravity, its origin at its centre of mass; `omega` (rad/s)
    in body axes, `velocity` in m/s.
    """
    body = Body("body", _positive("mass", mass), inertia=inertia)
    return Model(
        name="free_body",
        bodies=[body],
        joints=[Free("free", GROUND, "body", qdot=(*velocity, *omega))],
        gravity=(0.0, 0.0, 0.0),
    )


def top(
    mass: float = 15.0,
    inertia: Any = (0.234375, 0.46875, 0.234375),
    centre: Vector = (0.0, 1.0, 0.0),
    omega: Any = (0.0, 150.0, -4.61538),
    q: Any = (1.0, 0.0, 0.0, 0.0),
) -> Model:
    """A heavy top on a ball at the origin: `inertia` about the centre of mass, which is at
    `centre`; `omega` (rad/s) in body axes.

    The defaults are the benchmark of Geradin and Cardona that Lie-group integrators are tested
    with.
    """
    body = Body("top", _positive("mass", mass), centre, inertia)
    return Model(name="top", bodies=[body], joints=[Ball("pivot", GROUND, "top", q=q, qdot=omega)])


def spherical_chain(n: int, length: float = 0.3, mass: float = 1.0, seed: int = 0) -> Model:
    """n rods on ball joints, the first on the ground, hanging near the vertical and moving slowly;
    fixed numbers for a seed.
    """
    n = _count("n", n)
    length = _positive("length", length)
    mass = _positive("mass", mass)
    rng = np.random.default_rng(seed)
    tilt, turn = 0.2 * rng.normal(size=(n, 3)), 0.5 * rng.normal(size=(n, 3))
    quaternions = np.column_stack([np.ones(n), tilt / 2])
    quaternions /= np.linalg.norm(quaternions, axis=1)[:, None]
    across, end = mass * length**2 / 12, Frame((0.0, 0.0, -length))
    names = [GROUND, *(f"rod{i + 1}" for i in range(n))]
    rods = [
        Body(name, mass, (0.0, 0.0, -length / 2), diagonal((across, across, 0.1 * across)))
        for name in names[1:]
    ]
    joints = [
        Ball(f"ball{i + 1}", names[i], names[i + 1], end if i else Frame(), q=q, qdot=w)
        for i, (q, w) in enumerate(zip(quaternions.tolist(), turn.tolist(), strict=True))
    ]
    return Model(name=f"spherical_chain({n})", bodies=rods, joints=joints)


def floating_tree(
    n: int, branching: int = 2, seed: int = 0, joints: Sequence[str] = ("revolute",)
) -> Model:
    """The random `tree` with its first body free in space, without gravity."""
    grown = tree(n, branching, seed, joints)
    first, rng = grown.joints[0], np.random.default_rng((seed, 1))
    q = (*rng.uniform(-1, 1, 3), *_normalise_last_quaternion(rng.normal(size=4), True))
    root = Free(
        "root",
        GROUND,
        first.child,
        first.on_parent,
        first.on_child,
        q=q,
        qdot=tuple(rng.uniform(-1, 1, 6).tolist()),
    )
    return grown.with_(
        name=f"floating_tree({n})", joints=(root, *grown.joints[1:]), gravity=(0.0, 0.0, 0.0)
    )


def satellite(booms: int = 4, segments: int = 3, seed: int = 0) -> Model:
    """A box of 100 kg in free flight with booms of hinged 1 m segments around it, tumbling slowly
    while they swing; no gravity.
    """
    booms = _count("booms", booms)
    segments = _count("segments", segments)
    rng = np.random.default_rng(seed)
    hub = Body.solid("hub", Box((1.0, 1.0, 1.5)), mass=100.0)
    q, bodies = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), [hub]
    joints: list[Joint] = [Free("root", GROUND, "hub", q=q, qdot=(0.0, 0.0, 0.0, 0.05, 0.1, 0.3))]
    for b in range(booms):
        angle = 2 * np.pi * b / booms
        carrier = "hub"
        frame = Frame.about((0.0, 0.0, 1.0), angle, (0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.0))
        for k in range(segments):
            name = f"boom{b + 1}_{k + 1}"
            bodies.append(
                Body.solid(name, Box((1.0, 0.05, 0.05), frame=Frame((0.5, 0.0, 0.0))), mass=2.0)
            )
            axis = (0.0, 1.0, 0.0) if k % 2 == 0 else (0.0, 0.0, 1.0)
            speed = 0.2 * rng.uniform(-1, 1)
            joints.append(
                Revolute(
                    f"hinge{b + 1}_{k + 1}",
                    carrier,
                    name,
                    frame,
                    axis=axis,
                    q=0.1 * rng.uniform(-1, 1),
                    qdot=speed,
                )
            )
            carrier, frame = name, Frame((1.0, 0.0, 0.0))
    return Model(
        name=f"satellite({booms}, {segments})",
        bodies=bodies,
        joints=joints,
        gravity=(0.0, 0.0, 0.0),
    )


ALL = (
    pendulum,
    n_pendulum,
    chain,
    tree,
    ten_body_tree,
    eight_bodies,
    six_bodies,
    free_body,
    top,
    spherical_chain,
    floating_tree,
    satellite,
    *MECHANISMS,
    *MOLECULES,
    *BEARINGS,
)
LIBRARY: dict[str, Callable[..., Model]] = {function.__name__: function for function in ALL}


def __getattr__(name: str) -> Any:
    raise unknown_attribute("hamiltree.library", name, LIBRARY)


def build(name: str, *arguments: Any, **options: Any) -> Model:
    """The library model of that name: build("chain", 10) is chain(10); "four-bar" is four_bar."""
    spelled = {normalise_name(key): key for key in LIBRARY}
    if normalise_name(name) not in spelled:
        raise OptionError(f"the library has no model {name!r}; {suggest(name, LIBRARY)}")
    return LIBRARY[spelled[normalise_name(name)]](*arguments, **options)


def _shipped_model(name: str) -> Model:
    """The model of a file in model/data."""
    # files know models, so this one import points back and waits for the call
    from hamiltree.files.toml import model_from_toml

    source = files("hamiltree.model") / "data" / f"{name}.toml"
    return model_from_toml(source.read_text(encoding="utf-8"), f"{name}.toml")


def _random_bodies(rng: np.random.Generator, n: int) -> list[Body]:
    """Boxes of random masses, sizes and orientations."""
    mass = rng.uniform(0.5, 1.5, n)
    com = 0.1 * rng.normal(size=(n, 3))
    box = 0.3 * rng.uniform(0.3, 1.0, (n, 3))
    turn = _rotations(rng.normal(size=(n, 3, 3)))
    tensors = np.einsum("nij,nj,nkj->nik", turn, _box_moments(mass, box), turn)
    return [
        Body(f"b{i + 1}", *row)
        for i, row in enumerate(zip(mass.tolist(), _vectors(com), tensors, strict=True))
    ]


def _random_joints(
    rng: np.random.Generator,
    parents: Sequence[str],
    children: Sequence[str],
    kinds: list[type[Joint]],
) -> list[Joint]:
    """A joint of a random kind for every child, random frames, axes and start values; the first
    one moves.
    """
    n = len(children)
    offset, turn = 0.2 * rng.normal(size=(n, 2, 3)), _rotations(rng.normal(size=(n, 2, 3, 3)))
    axis, pitch = rng.normal(size=(n, 3)), rng.uniform(-0.5, 0.5, n)
    q, qdot = rng.uniform(-1, 1, (2, n))
    draw = rng.integers(len(kinds), size=n)
    mobile = [k for k, kind in enumerate(kinds) if kind.coordinates]
    draw[0] = mobile[draw[0] % len(mobile)]
    several, moves = rng.uniform(-1, 1, (2, n, 7)), rng.normal(size=(n, 3, 3))
    made = []
    for i in range(n):
        kind = kinds[draw[i]]
        values = {"axis": axis[i], "q": q[i], "qdot": qdot[i], "pitch": pitch[i]}
        if kind is Universal or kind is Axes:
            turns = [tuple(row) for row in moves[i].tolist()]
            values["axes"] = (
                turns[:2]
                if kind is Universal
                else [("turn", turns[0], offset[i, 0]), ("slide", turns[1]), ("turn", turns[2])]
            )
        if kind.has_ball or issubclass(kind, SeveralAxes):
            count = 3 if kind is Axes else _COUNTS[kind]
            values |= {
                "q": _normalise_last_quaternion(several[0, i, :count], kind.has_ball),
                "qdot": several[1, i, : count - kind.has_ball],
            }
        own = {key: values[key] for key in kind.__dataclass_fields__ if key in values}
        on_parent, on_child = map(Frame, offset[i], turn[i])
        made.append(kind(f"j{i + 1}", parents[i], children[i], on_parent, on_child, **own))
    return made


_COUNTS: dict[type[Joint], int] = {
    kind: kind.coordinates for kind in JOINTS.values() if kind is not Axes
}


def _normalise_last_quaternion(values: np.ndarray, has_ball: bool) -> np.ndarray:
    """The last four numbers made a unit quaternion, if they are one."""
    return (
        np.concatenate([values[:-4], values[-4:] / np.linalg.norm(values[-4:])])
        if has_ball
        else values
    )


def _joint_kinds(names: Sequence[str]) -> list[type[Joint]]:
    """Classes of joints by name; at least one of them moves."""
    names = [names] if isinstance(names, str) else list(names)
    for name in names:
        if name not in JOINTS:
            raise OptionError(
                f"joints: there is no kind of joint {name!r}; {suggest(name, JOINTS)}"
            )
    kinds = [JOINTS[name] for name in names]
    if not any(kind.coordinates for kind in kinds):
        raise OptionError(
            f"joints = {names!r}: the first joint must move; name a kind with coordinates, e.g. "
            "'revolute'"
        )
    return kinds


def _some_rows(array: np.ndarray) -> Iterator[slice]:
    """All rows of an array, some thousand at a time."""
    return (slice(start, start + 4096) for start in range(0, len(array), 4096))


def _rotations(matrices: np.ndarray) -> np.ndarray:
    """The orthonormal factors of random matrices, turned right-handed."""
    turn = np.empty_like(matrices)
    for rows in _some_rows(matrices):
        q = np.linalg.qr(matrices[rows])[0]
        turn[rows] = q * np.linalg.det(q)[..., None, None]
    return turn


def _box_moments(mass: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Principal moments of homogeneous boxes: m/12 (a² + b²)."""
    return (mass / 12)[:, None] * ((box**2).sum(1)[:, None] - box**2)


def _vectors(rows: np.ndarray) -> Iterator[Vector]:
    """Row after row as tuples: a million rows at once would be a gigabyte of floats."""
    for some in _some_rows(rows):
        yield from zip(*rows[some].T.tolist(), strict=True)


def _diagonals(rows: np.ndarray) -> Iterator[Matrix]:
    """The diagonal matrix of every row."""
    return (((x, 0.0, 0.0), (0.0, y, 0.0), (0.0, 0.0, z)) for x, y, z in _vectors(rows))


def _quaternions(matrices: np.ndarray) -> Iterator[Quaternion]:
    """What a Frame makes of each rotation matrix, to the last bit, for many at once: Shepperd's
    method, the scalar part >= 0.
    """
    for some in _some_rows(matrices):
        ((xx, xy, xz), (yx, yy, yz), (zx, zy, zz)) = np.moveaxis(matrices[some], 0, -1)
        trace = xx + yy + zz
        q = np.select(
            [
                trace >= np.maximum(np.maximum(xx, yy), zz),
                (xx >= yy) & (xx >= zz),
                yy >= zz,
            ],
            [
                np.array([1.0 + trace, zy - yz, xz - zx, yx - xy]),
                np.array([zy - yz, 1.0 + xx - yy - zz, xy + yx, xz + zx]),
                np.array([xz - zx, xy + yx, 1.0 + yy - xx - zz, yz + zy]),
            ],
            np.array([yx - xy, xz + zx, yz + zy, 1.0 + zz - xx - yy]),
        )
        q = np.where(q[0] < 0.0, -q, q)
        scaled = q / abs(q).max(0)
        length = np.array(list(map(math.hypot, *scaled.tolist())))
        yield from zip(*(scaled / length).tolist(), strict=True)


def _count(name: str, value: Any) -> int:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)) or value < 1:
        raise OptionError(f"{name} = {value!r}: give a whole number of at least 1")
    return int(value)


def _positive(name: str, value: Any) -> float:
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, float, np.integer, np.floating))
        or not 0 < value < np.inf
    ):
        raise OptionError(f"{name} = {value!r}: give a number above zero")
    return float(value)


def _one_per_body(name: str, value: Any, n: int) -> np.ndarray:
    """One number for all bodies, or n of them."""
    array = np.asarray(value)
    if (
        array.dtype.kind not in "iuf"
        or array.shape not in ((), (n,))
        or not np.isfinite(array).all()
    ):
        raise OptionError(f"{name} = {value!r}: give one number, or {n} of them")
    return np.broadcast_to(array.astype(float), (n,))
