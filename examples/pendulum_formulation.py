"""A formulation of one's own with a constraint: pendulums by the cosine and sine of their angles.

u = (cos φ, sin φ) stands for the angle φ of a hinge to the ground, so that R = F + C u₁ + S u₂ is
linear in u:

  H = p²/2I − a·u + const      u̇ = p/I      ṗ = a + u λ      g = (u·u − 1)/2 = 0

I is the moment of inertia about the hinge, d the centre of mass from it, body axes;
a = m (γ·C d, γ·S d), gravity γ. λ is left to the integrator (RATTLE, SPARK), which asks for
G = uᵀ and W = G (∂²H/∂p²) Gᵀ = u·u/I.
`rates` follows from `velocity` and `force`, which do not contain Gᵀλ. The state is u of every body,
then p.
"""

from typing import NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.quat import quaternion_from_matrix
from hamiltree.algebra.spatial import Pose, Twist
from hamiltree.algebra.values import cross
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import add, fma, load, rows, store, value_table
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import (
    JOINTS,
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.model.bodies import GROUND
from hamiltree.verbs import (
    Energies,
    Facts,
    Layout,
    add_multiplier_forces,
    constraint,
    constraint_rate,
    energies,
    factor_multipliers,
    force,
    poses,
    solve_multipliers,
    velocity,
)


# ---- tables --------------------------------------------------------------------------------------
class Plane(NamedTuple):
    """Two numbers in the plane of a hinge."""

    x: float
    y: float


class Swing(NamedTuple):
    """A row of the table of bodies."""

    inertia: float  # I
    weight: Plane  # a
    level: float  # what the weight adds to −a·u
    hinge: Vec3  # world
    axis: Vec3  # world
    arm: Vec3  # the hinge from the body's origin, body axes
    fixed: Mat3  # F
    cosine: Mat3  # C
    sine: Mat3  # S


class Pendulums(NamedTuple):
    """The System; its type chooses the methods of verbs."""

    layout: Layout
    facts: Facts
    body: np.ndarray  # Swing


class PendulumsWork(NamedTuple):
    """Scratch."""

    inverse: np.ndarray  # 1/W of every constraint, computed by factor_multipliers


# ---- verbs ---------------------------------------------------------------------------------------
@inlined
def plane_at(array, first):
    return Plane(load(array, first), load(array, first + 1))


@inlined
def momentum_at(system, y, i):
    return plane_at(y, system.layout.positions + 2 * i)


@inlined
def along(a, b):
    """a·b"""
    return fma(a.y, b.y, a.x * b.x)


@velocity.method(Pendulums)
def pendulum_velocity(system, work, t, y, ydot):
    """u̇ = p/I"""
    for i in range(system.body.shape[0]):
        p, inertia = momentum_at(system, y, i), load(system.body, i, Swing).inertia
        store(ydot, 2 * i, p.x / inertia)
        store(ydot, 2 * i + 1, p.y / inertia)


@force.method(Pendulums)
def pendulum_force(system, work, t, y, ydot):
    """ṗ = a, without the multiplier's u λ."""
    for i in range(system.body.shape[0]):
        a, at = load(system.body, i, Swing).weight, system.layout.positions + 2 * i
        store(ydot, at, a.x)
        store(ydot, at + 1, a.y)


@energies.method(Pendulums)
def pendulum_energies(system, work, t, y):
    """T = p²/2I, V = level − a·u, summed over the bodies."""
    kinetic = 0.0 * t
    potential = 0.0 * t
    for i in range(system.body.shape[0]):
        body = load(system.body, i, Swing)
        u, p = plane_at(y, 2 * i), momentum_at(system, y, i)
        kinetic = fma(0.5 / body.inertia, along(p, p), kinetic)
        potential = potential + (body.level - along(body.weight, u))
    return Energies(kinetic, potential)


@poses.method(Pendulums)
def pendulum_poses(system, work, t, y, pose, twist):
    """R = F + C u₁ + S u₂; ω along the axis, φ̇ = (u₁ p₂ − u₂ p₁)/I."""
    for i in range(system.body.shape[0]):
        body = load(system.body, i, Swing)
        u, p = plane_at(y, 2 * i), momentum_at(system, y, i)
        R = body.fixed + (body.cosine * u.x + body.sine * u.y)
        w = body.axis * (fma(u.x, p.y, -(u.y * p.x)) / body.inertia)
        arm = R @ body.arm
        store(pose, i, Pose(body.hinge - arm, quaternion_from_matrix(R)))
        store(twist, i, Twist(w, -cross(w, arm)))


@constraint.method(Pendulums)
def pendulum_constraint(system, work, t, y, out):
    """g = (u·u − 1)/2 of every body."""
    for i in range(system.body.shape[0]):
        u = plane_at(y, 2 * i)
        store(out, i, 0.5 * along(u, u) - 0.5)


@constraint_rate.method(Pendulums)
def pendulum_constraint_rate(system, work, t, y, ydot, out):
    """ġ = u·u̇"""
    for i in range(system.body.shape[0]):
        store(out, i, along(plane_at(y, 2 * i), plane_at(ydot, 2 * i)))


@add_multiplier_forces.method(Pendulums)
def add_pendulum_multiplier_forces(system, work, t, y, multipliers, ydot):
    """ṗ += u λ"""
    for i in range(system.body.shape[0]):
        u, at = plane_at(y, 2 * i), system.layout.positions + 2 * i
        add(ydot, at, u.x * load(multipliers, i))
        add(ydot, at + 1, u.y * load(multipliers, i))


@factor_multipliers.method(Pendulums)
def factor_pendulum_multipliers(system, work, t, y):
    """1/W = I / u·u; True: W can be inverted."""
    for i in range(system.body.shape[0]):
        u = plane_at(y, 2 * i)
        store(work.inverse, i, load(system.body, i, Swing).inertia / along(u, u))
    return True


@solve_multipliers.method(Pendulums)
def solve_pendulum_multipliers(system, work, x):
    """x ← W⁻¹ x"""
    for i in range(system.body.shape[0]):
        store(x, i, load(x, i) * load(work.inverse, i))


# ---- assembly ------------------------------------------------------------------------------------
def hinges_of(model) -> list:
    """The hinge of every body, in the order of bodies; refuse any other part by name."""
    for joint in model.joints:
        if joint.kind != "revolute" or joint.parent != GROUND or joint.name in model.closing:
            what = f"joint {joint.name!r} is a {joint.kind}"
            where = f"between {joint.parent!r} and {joint.child!r}"
            remedy = "pendulums takes hinges to the ground: use hamiltonian_tree"
            raise ht.FitError(f"{what} {where}; {remedy}", ("joint", joint.name))
    for part in (*model.forces, *model.constraints, *model.couplings):
        raise ht.FitError(f"a {part.kind} acts; pendulums takes gravity only: use hamiltonian_tree")
    by_body = {joint.child: joint for joint in model.joints}
    return [by_body[body.name] for body in model.bodies]


def swing(body, hinge, gravity) -> list[float]:
    """A row of Swing: I, a, level, hinge, axis, arm, F, C, S."""
    A = hinge.on_parent.matrix
    B = hinge.on_child.matrix
    n = np.array(hinge.axis)
    pivot = np.array(hinge.on_parent.position)
    arm = np.array(hinge.on_child.position)
    F = A @ np.outer(n, n) @ B.T
    S = A @ np.cross(np.eye(3), n) @ B.T
    C = A @ B.T - F
    d = np.array(body.com) - arm
    axis = B @ n
    about = axis @ np.array(body.inertia) @ axis + body.mass * np.sum(np.cross(axis, d) ** 2)
    weight = body.mass * np.array(gravity)
    level = -weight @ (pivot + F @ d)
    a = (weight @ C @ d, weight @ S @ d)
    rotations = [x for matrix in (F, C, S) for x in matrix.T.ravel()]  # a Mat3 is its columns
    return [about + hinge.armature, *a, level, *pivot, *(A @ n), *arm, *rotations]


def assemble(assembly) -> Pendulums:
    """The System of a model, or a FitError."""
    model, n = assembly.model, len(assembly.model.bodies)
    pairs = zip(model.bodies, hinges_of(model), strict=True)
    table = [swing(body, hinge, model.gravity) for body, hinge in pairs]
    facts = Facts(constraints=n, is_conservative=True)  # n rows that the integrator keeps
    return Pendulums(Layout(2 * n, 2 * n), facts, value_table(Swing, table))


def workspace(system, width: int = 1) -> PendulumsWork:
    return PendulumsWork(rows(float, len(system.body), width))


def state(system, assembly, pointer) -> np.ndarray:
    """u = (cos φ, sin φ), p = I φ̇ (−sin φ, cos φ)"""
    place = {label: k for k, label in enumerate(assembly.model.coordinates)}
    order = [place[hinge.name] for hinge in hinges_of(assembly.model)]
    c, s = np.cos(assembly.q[order]), np.sin(assembly.q[order])
    momentum = system.body[:, 0] * assembly.speeds[order]
    u, p = np.column_stack([c, s]), np.column_stack([-momentum * s, momentum * c])
    return np.concatenate([u.ravel(), p.ravel()])


def owner(system, model, row: int) -> str:
    return model.bodies[row % system.layout.positions // 2].name


FORMULATION = Formulation(
    name="pendulums",
    system=Pendulums,
    coordinates=Coordinates.BODIES,
    supports=feature_set(JOINTS),
    assemble=assemble,
    workspace=workspace,
    initial_state=state,
    owner=owner,
    default_integrator="spark6",  # the constraint is left to the integrator
    check_start=accept_any_start,
    reference="textbook",
    summary="pendulums by the cosine and sine of their angles, ‖u‖ = 1 as a constraint",
    traits=Traits(
        use="pendulums; an example with a constraint",
        state="u and p of every body",
        keeps="‖u‖ to rounding (RATTLE, SPARK)",
        cost="O(N)",
    ),
)
FORMULATIONS["pendulums"] = FORMULATION


def main(until: float = 1.0) -> float:
    """The largest difference between poses of two runs of one model by two formulations."""
    swinging = ht.library.pendulum(angle=1.2)
    ours = ht.simulate(swinging, until, 1e-3, "pendulums", "spark6", progress=False)
    theirs = ht.simulate(swinging, until, 1e-3, "hamiltonian_tree", "gauss8", progress=False)
    apart = float(np.abs(ours.poses.values - theirs.poses.values).max())
    print(
        f"pendulums by spark6 and hamiltonian_tree by gauss8, {until:g} s: poses differ by at most "
        f"{apart:.1e}"
    )
    return apart


if __name__ == "__main__":
    main()
