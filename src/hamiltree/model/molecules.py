"""Bodies made of particles and models of them: the tetrahedron and the disc of the thesis, chains,
boxes of fluid, rings, branched molecules.

Without units: lengths in sigma, masses in those of a particle, energies in epsilon, unless the
arguments say otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.constraints import Constraint, Motion
from hamiltree.model.forces import BodyLoad, Force
from hamiltree.model.joints import Ball, Free, Joint, Revolute, Weld
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.pair_force_checks import refuse_overlaps
from hamiltree.model.particles import Particles
from hamiltree.model.potentials import LennardJones, Potential
from hamiltree.model.values import (
    ORIGIN,
    Frame,
    Quaternion,
    Vector,
    direction,
    point,
    positive,
    rotation,
    scale,
)
from hamiltree.rotations import rotation_matrix

IDENTITY_QUATERNION: Quaternion = (1.0, 0.0, 0.0, 0.0)
ENDS = ("clamped", "free", "pinned")
X_AXIS: Vector = (1.0, 0.0, 0.0)
Law = Potential | Mapping[str, Potential]


# ---- shapes --------------------------------------------------------------------------------------
def tetrahedron(a: float = 1.0, mass: float = 1.0, type: str = "A") -> Particles:
    """The tetrahedron of the thesis, section 3.5: four particles of this mass, D = diag(1/2, 2/3,
    3/4) m a² (ERRATA 2-33).
    """
    a = positive(a, ("tetrahedron", ""), "a")
    corners = (
        (-a / 2, -a / 3, -a / 4),
        (a / 2, -a / 3, -a / 4),
        (0.0, 2 * a / 3, -a / 4),
        (0.0, 0.0, 3 * a / 4),
    )
    return Particles(corners, mass, type)


def disc(
    radius: float = 0.05,
    thickness: float = 0.005,
    count: int = 8,
    mass: float = 1.0,
    type: str = "A",
) -> Particles:
    """`count` particles of this mass on each of the two rims of a disc about x: the body of
    figs. 3.7 and 3.8 of the thesis.
    """
    part = ("disc", "")
    radius, half = positive(radius, part, "radius"), 0.5 * positive(thickness, part, "thickness")
    angles = [2 * math.pi * k / check_count("count", count) for k in range(count)]
    rim = [(radius * math.cos(angle), radius * math.sin(angle)) for angle in angles]
    return Particles(tuple((x, y, z) for x in (-half, half) for y, z in rim), mass, type)


# ---- models --------------------------------------------------------------------------------------
def particle_chain(
    n: int = 8,
    particles: Particles | None = None,
    spacing: float = 2.0,
    potential: Law | None = None,
    first: Any = "clamped",
    last: Any = "free",
    load: Any = None,
    axis: Vector = X_AXIS,
    closed: bool = False,
    gravity: Vector = ORIGIN,
    cutoff: float | None = None,
    switch: float | None = None,
    between: Any = "neighbours",
    velocities: Any = None,
    omegas: Any = None,
    attitudes: Any = None,
) -> Model:
    """Bodies b1 ... bn at i spacing along `axis` that act on their neighbours, tetrahedra with
    LennardJones(1, 1): the thesis, chapter 3.

    An end is "clamped" (c1), "free" (with the constant force `load` on the centre of the last body:
    c2), "pinned" (centre held, free to turn: c3) or moves by {"position": three formulas of t,
    "rotation": ...}. `closed`: a periodic chain along a coordinate axis.
    `velocities` and `omegas` (body axes), n x 3, and `attitudes`, n quaternions, are those at the
    start.
    """
    n = check_count("n", n)
    spacing = positive(spacing, ("particle_chain", ""), "spacing")
    along = direction(axis, ("particle_chain", ""), "axis")
    like = Body.of_particles("b1", tetrahedron() if particles is None else particles)
    bodies = [replace(like, name=f"b{i + 1}") for i in range(n)]
    places = [scale(spacing * (i + 1), along) for i in range(n)]
    turns = _rows("attitudes", attitudes, n, IDENTITY_QUATERNION)
    speeds = _rows("velocities", velocities, n, ORIGIN)
    spins = _rows("omegas", omegas, n, ORIGIN)
    ends = [first, *["free"] * (n - 2), last] if n > 1 else [first]
    rows = zip(bodies, ends, places, turns, speeds, spins, strict=True)
    joints = [_end_joint(*row) for row in rows]
    motions = [_motion(f"b{i + 1}", end) for i, end in enumerate(ends) if isinstance(end, Mapping)]
    box = _box_of_chain(n * spacing, along, axis) if closed else None
    law = LennardJones(1.0, 1.0) if potential is None else potential
    forces: list[Force] = [
        PairForce(law, between, closed=closed, cutoff=cutoff, switch=switch, box=box, name="pairs")
    ]
    if load is not None:
        force = point(load, ("load", ""), "load")
        forces.append(BodyLoad(bodies[-1].name, force, at=like.com, name="load"))
    model = Model(bodies, joints, forces, gravity, f"particle_chain({n})", constraints=motions)
    return _check_overlaps(model, places, turns)


def _box_of_chain(length: float, along: Vector, given: Any) -> Vector:
    """The periodic box of a closed chain, open across it."""
    if sorted(map(abs, along)) != [0.0, 0.0, 1.0]:
        raise OptionError(
            f"axis = {given!r}: a closed chain is periodic along a coordinate axis; give x, y or z"
        )
    return length * abs(along[0]), length * abs(along[1]), length * abs(along[2])


def particle_box(
    n_per_side: int = 4,
    particles: Particles | None = None,
    spacing: float = 2.5,
    potential: Law | None = None,
    cutoff: float = 2.5,
    switch: float | None = 2.0,
    box: bool = True,
    seed: int = 0,
    temperature: float = 1.0,
) -> Model:
    """n³ free bodies on a cubic lattice, at random attitudes, with the velocities of this
    temperature (in units of energy): a fluid.

    All act on all within `cutoff`, smoothly from `switch` on; in a periodic box of n spacings, or
    in the open. The centre rests.
    """
    n = check_count("n_per_side", n_per_side)
    rng = np.random.default_rng(seed)
    part = ("particle_box", "")
    spacing = positive(spacing, part, "spacing")
    like = Body.of_particles(
        "b1", tetrahedron() if particles is None else particles, principal=True
    )
    places = spacing * (
        np.stack(np.meshgrid(*[np.arange(n)] * 3, indexing="ij"), -1).reshape(-1, 3) + 0.5
    )
    turns = rng.normal(size=(n**3, 4))
    turns /= np.linalg.norm(turns, axis=1)[:, None]
    speeds, spins = _thermal_velocities(rng, like, n**3, temperature)
    rows = zip(places.tolist(), turns.tolist(), speeds.tolist(), spins.tolist(), strict=True)
    bodies, joints = [], []
    for i, (place, turn, speed, spin) in enumerate(rows):
        bodies.append(replace(like, name=f"b{i + 1}"))
        joints.append(
            Free(f"j{i + 1}", GROUND, f"b{i + 1}", q=(*place, *turn), qdot=(*speed, *spin))
        )
    law = LennardJones(1.0, 1.0) if potential is None else potential
    lengths = (n * spacing, n * spacing, n * spacing) if box else None
    force = PairForce(law, cutoff=cutoff, switch=switch, box=lengths, name="pairs")
    return _check_overlaps(
        Model(bodies, joints, [force], ORIGIN, f"particle_box({n})"), places, turns
    )


def particle_ring(
    n: int = 8,
    particles: Particles | None = None,
    spacing: float = 2.0,
    potential: Law | None = None,
    cutoff: float | None = None,
    switch: float | None = None,
    omega: Vector = (0.1, 0.0, 0.5),
) -> Model:
    """n bodies on a circle, joined by balls half-way between neighbours and closed to a ring; all
    others act on each other.

    It floats without gravity and starts as one rigid body that turns with `omega`.
    """
    n, spacing = (
        check_count("n", n, least=4),
        positive(spacing, ("particle_ring", ""), "spacing"),
    )
    angles, radius = 2 * np.pi * np.arange(n) / n, spacing / (2 * math.sin(math.pi / n))
    places = radius * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(n)])
    bodies = _identical_bodies(n, particles)
    turning = np.cross(omega, places[0])
    joints: list[Joint] = [
        Free(
            "root",
            GROUND,
            "b1",
            q=(*places[0].tolist(), *IDENTITY_QUATERNION),
            qdot=(*turning.tolist(), *omega),
        )
    ]
    for i in range(n):
        near, far = places[i], places[(i + 1) % n]
        joints.append(
            Ball(
                f"ball{i + 1}",
                bodies[i].name,
                bodies[(i + 1) % n].name,
                *_midpoint_frames(near, far),
            )
        )
    bonds = [(joint.parent, joint.child) for joint in joints[1:]]
    return _make_jointed_molecule(
        f"particle_ring({n})", bodies, joints, bonds, places, potential, cutoff, switch
    )


def branched_molecule(
    generations: int = 2,
    arms: int = 3,
    branching: int = 2,
    particles: Particles | None = None,
    spacing: float = 2.8,
    potential: Law | None = None,
    cutoff: float | None = None,
    switch: float | None = None,
    seed: int = 0,
) -> Model:
    """A core with `arms`, on each of which `branching` bodies sit, and so on: balls at the core,
    hinges further out, contacts elsewhere.

    Bodies that a joint connects do not act on each other. It floats without gravity, its joints
    moving slowly; fixed numbers for a seed.
    """
    generations = check_count("generations", generations)
    arms = check_count("arms", arms)
    branching = check_count("branching", branching)
    spacing = positive(spacing, ("branched_molecule", ""), "spacing")
    carriers, places = _branches(generations, arms, branching, spacing)
    bodies = _identical_bodies(len(places), particles)
    joints = _branch_joints(bodies, carriers, places, np.random.default_rng(seed))
    bonds = [(joint.parent, joint.child) for joint in joints[1:]]
    name = f"branched_molecule({len(bodies)})"
    return _make_jointed_molecule(name, bodies, joints, bonds, places, potential, cutoff, switch)


def _branch_joints(
    bodies: Sequence[Body], carriers: Sequence[int], places: Any, rng: np.random.Generator
) -> list[Joint]:
    """A free core, balls at the core, hinges further out, all moving slowly."""
    turning = (0.1 * rng.normal(size=3)).tolist()
    joints: list[Joint] = [Free("root", GROUND, "b1", qdot=(*ORIGIN, *turning))]
    for i in range(1, len(places)):
        near, far = _midpoint_frames(places[carriers[i]], places[i])
        ends = f"j{i + 1}", bodies[carriers[i]].name, bodies[i].name, near, far
        if carriers[i] == 0:
            joints.append(Ball(*ends, qdot=(0.2 * rng.normal(size=3)).tolist()))
        else:
            axis = tuple(rng.normal(size=3).tolist())
            joints.append(Revolute(*ends, axis=axis, qdot=0.2 * float(rng.normal())))
    return joints


MOLECULES = (particle_chain, particle_box, particle_ring, branched_molecule)


# ---- pieces --------------------------------------------------------------------------------------
def _identical_bodies(n: int, particles: Particles | None) -> list[Body]:
    like = Body.of_particles("b1", tetrahedron() if particles is None else particles)
    return [replace(like, name=f"b{i + 1}") for i in range(n)]


def _end_joint(
    body: Body, end: Any, place: Vector, turn: Quaternion, speed: Vector, spin: Vector
) -> Joint:
    """The joint of a body of a chain: none but the ground carries it."""
    name = f"j{body.name[1:]}"
    if end == "free" or isinstance(end, Mapping):
        return Free(name, GROUND, body.name, q=(*place, *turn), qdot=(*speed, *spin))
    if end not in ENDS:
        raise OptionError(
            f"the end {end!r} is unknown; give {', '.join(map(repr, ENDS))}, or {{'position': "
            "three formulas of t}"
        )
    if any(speed) or (end == "clamped" and any(spin)):
        raise OptionError(
            f"body {body.name!r} is {end}, but its start has a velocity; give zero, or free it"
        )
    if end == "clamped":
        return Weld(name, GROUND, body.name, Frame(place, turn))
    centre = (Frame(place, turn) @ Frame(body.com)).position
    return Ball(name, GROUND, body.name, Frame(centre), Frame(body.com), q=turn, qdot=spin)


def _motion(body: str, data: Mapping[str, Any]) -> Constraint:
    unknown = [key for key in data if key not in ("position", "rotation", "parameters")]
    if unknown:
        raise OptionError(
            f"the motion of {body!r} has no {unknown[0]!r}; give position, rotation and parameters"
        )
    return Motion(body, **data, name=f"motion of {body}")


def _midpoint_frames(near: np.ndarray, far: np.ndarray) -> tuple[Frame, Frame]:
    """The joint between two upright bodies, on either."""
    half = 0.5 * (far - near)
    return Frame(tuple(half.tolist())), Frame(tuple((-half).tolist()))


def _make_jointed_molecule(
    name: str,
    bodies: list[Body],
    joints: list[Joint],
    bonds: Sequence[tuple[str, str]],
    places: Any,
    potential: Law | None,
    cutoff: float | None,
    switch: float | None,
) -> Model:
    """Upright bodies at these places; what no joint connects acts on each other."""
    law = LennardJones(1.0, 1.0) if potential is None else potential
    force = PairForce(law, cutoff=cutoff, switch=switch, exclude=tuple(bonds), name="contacts")
    return _check_overlaps(
        Model(bodies, joints, [force], ORIGIN, name), places, [IDENTITY_QUATERNION] * len(bodies)
    )


def _branches(
    generations: int, arms: int, branching: int, spacing: float
) -> tuple[list[int], np.ndarray]:
    """Who carries whom and where they are: fans of 90 degrees, in the plane and across it by turns,
    about where the carrier points.
    """
    carriers = [-1]
    places = [np.zeros(3)]
    directions = [(np.array(X_AXIS), np.array((0.0, 1.0, 0.0)))]
    rim = [0]
    for generation in range(generations):
        grown = []
        for carrier in rim:
            ahead, aside = directions[carrier]
            count = branching if generation else arms
            angles = (
                (np.arange(count) + 0.5) / count * np.pi / 2 - np.pi / 4
                if generation
                else 2 * np.pi * np.arange(count) / count
            )
            for angle in angles:
                towards = math.cos(angle) * ahead + math.sin(angle) * aside
                directions.append((towards, np.cross(ahead, aside)))
                places.append(places[carrier] + spacing * towards)
                carriers.append(carrier)
                grown.append(len(places) - 1)
        rim = grown
    return carriers, np.array(places)


def _thermal_velocities(
    rng: np.random.Generator, body: Body, n: int, temperature: float
) -> tuple[np.ndarray, np.ndarray]:
    """Velocities of variance kT/m and angular velocities of variance kT/I about the principal axes;
    none where I = 0.
    """
    energy = float(temperature)
    if not 0.0 <= energy < math.inf:
        raise OptionError(f"temperature = {temperature!r}: give zero or more")
    speeds = math.sqrt(energy / body.mass) * rng.normal(size=(n, 3))
    moments = np.diag(body.inertia)
    spins = np.sqrt(
        np.where(moments > 0.0, energy / np.where(moments > 0.0, moments, 1.0), 0.0)
    ) * rng.normal(size=(n, 3))
    return speeds - speeds.mean(axis=0), spins


def _check_overlaps(model: Model, places: Any, turns: Any) -> Model:
    """The model, unless particles that act on each other sit in one place. Where a prescribed
    motion puts its body is known when the model is assembled, and looked at there.
    """
    rotations = rotation_matrix(np.array(turns, dtype=float))
    moved = {part.body for part in model.constraints if isinstance(part, Motion)}
    for force in model.forces:
        if isinstance(force, PairForce):
            refuse_overlaps(force, model, np.asarray(places, dtype=float), rotations, moved)
    return model


# ---- checks --------------------------------------------------------------------------------------
def check_count(name: str, value: Any, least: int = 1) -> int:
    if (
        isinstance(value, (bool, np.bool_))
        or not isinstance(value, (int, np.integer))
        or value < least
    ):
        raise OptionError(f"{name} = {value!r}: give a whole number of at least {least}")
    return int(value)


def _rows(name: str, value: Any, n: int, default: tuple[float, ...]) -> list[Any]:
    """n tuples, the default where nothing is given."""
    if value is None:
        return [default] * n
    rows = list(value)
    if len(rows) != n:
        raise OptionError(f"{name} has {len(rows)} rows for {n} bodies; give {n}")
    read = rotation if len(default) == 4 else point
    return [read(row, (name, ""), f"row {i + 1}") for i, row in enumerate(rows)]
