"""A formulation of one's own: Newton's and Euler's equations of bodies in free flight.

  ṙ = v      q̇ = ½ q ∘ (0, ω')      v̇ = g + f/m      J' ω̇' = n' − ω' × J' ω'

r and v are of the centre of mass, world axes; q is the attitude, body to world. ω' and J', about
the centre of mass, are in body axes. f and n' are force and torque of the model's forces. The state
is (r, q) of every body, then (v, ω') of every body.
CONTRIBUTING.md, "A new formulation", goes through this file part by part.
"""

from typing import NamedTuple

import numpy as np

import hamiltree as ht
from hamiltree.algebra.mat3 import Mat3, Sym3, invert_symmetric
from hamiltree.algebra.quat import Quat, rotation_matrix
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.values import cross, dot
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma, load, read_only, rows, value_table
from hamiltree.errors import FitError
from hamiltree.forces.dispatch import (
    BodyLawDispatch,
    add_all_wrenches,
    potential_energy_of_bodies,
)
from hamiltree.forces.laws import Bodies
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.absolute.bodies import quat_at, store_quat, store_vector, vector_at
from hamiltree.formulations.absolute.tables import BodyStates, check_own_inertias, laws_on_bodies
from hamiltree.formulations.absolute.world_frames import (
    add_power_of_loads,
    bodies_workspace,
    clear_wrenches,
    store_frame,
    store_pose_of_origin,
    torque_on,
)
from hamiltree.formulations.formulation import (
    Coordinates,
    Formulation,
    Traits,
    accept_any_start,
    feature_set,
)
from hamiltree.model.bodies import GROUND
from hamiltree.verbs import Energies, Facts, Layout, energies, poses, power, rates


# ---- tables --------------------------------------------------------------------------------------
class Rigid(NamedTuple):
    """A row of the table of bodies."""

    mass: float  # kg
    inertia: Sym3  # J'
    com: Vec3  # from the body's origin, body axes


class FreeBody(NamedTuple):
    """The System; its type chooses the methods of verbs."""

    layout: Layout
    facts: Facts
    body: np.ndarray  # Rigid
    gravity: np.ndarray  # Vec3, one row
    body_laws: BodyLawDispatch  # the model's forces


class FreeBodyWork(NamedTuple):
    """Scratch of an evaluation."""

    bodies: Bodies  # frames, twists and wrenches at the centres of mass, world axes
    total: np.ndarray  # one number


# ---- verbs ---------------------------------------------------------------------------------------
@inlined
def speeds_at(system, i):
    """The row of y where v, ω' of body i begin."""
    return system.layout.positions + 6 * i


@inlined
def compute_frames(system, work, y):
    """Frames and twists of all bodies, which the force laws see."""
    for i in range(system.body.shape[0]):
        at = speeds_at(system, i)
        R = rotation_matrix(quat_at(y, 7 * i + 3))
        V = Twist(R @ vector_at(y, at + 3), vector_at(y, at))
        store_frame(work.bodies, i, R, vector_at(y, 7 * i), V)


@rates.method(FreeBody)
def free_rates(system, work, t, y, ydot):
    """ẏ = (ṙ, q̇) of every body, then (v̇, ω̇') of every body."""
    compute_frames(system, work, y)
    clear_wrenches(system, work.bodies)
    add_all_wrenches(system.body_laws, t, work.bodies)
    for i in range(system.body.shape[0]):
        at = speeds_at(system, i)
        body = load(system.body, i, Rigid)
        J = body.inertia
        q = quat_at(y, 7 * i + 3)
        w = vector_at(y, at + 3)
        store_vector(ydot, 7 * i, vector_at(y, at))
        store_quat(ydot, 7 * i + 3, (q @ Quat(0.0, w.x, w.y, w.z)) * 0.5)
        f = load(work.bodies.wrench, i, Wrench).force
        store_vector(ydot, at, load(system.gravity, 0, Vec3) + f * (1.0 / body.mass))
        store_vector(ydot, at + 3, invert_symmetric(J) @ (torque_on(work, i) + cross(J @ w, w)))


@energies.method(FreeBody)
def free_energies(system, work, t, y):
    """T = ½ m v² + ½ ω'·J' ω',  V = −m g·r and that of the forces."""
    compute_frames(system, work, y)
    kinetic = 0.0 * t  # of the kind of t: a float, or four lanes
    potential = potential_energy_of_bodies(system.body_laws, t, work.bodies, work.total)
    g = load(system.gravity, 0, Vec3)
    for i in range(system.body.shape[0]):
        at = speeds_at(system, i)
        body = load(system.body, i, Rigid)
        v = vector_at(y, at)
        w = vector_at(y, at + 3)
        kinetic = fma(0.5 * body.mass, dot(v, v), fma(0.5, dot(w, body.inertia @ w), kinetic))
        potential = fma(-body.mass, dot(g, vector_at(y, 7 * i)), potential)
    return Energies(kinetic, potential)


@power.method(FreeBody)
def free_power(system, work, t, y, ydot):
    """Of the forces that have no potential energy; `rates` has left frames and twists in work."""
    return add_power_of_loads(system, work, t, 0.0 * t)


@poses.method(FreeBody)
def free_poses(system, work, t, y, pose, twist):
    """Poses and twists of the bodies' origins, world axes: r − R c, and v − ω × R c."""
    for i in range(system.body.shape[0]):
        R = load(work.bodies.rotation, i, Mat3)
        arm = R @ load(system.body, i, Rigid).com
        store_pose_of_origin(work.bodies, i, R, arm, pose, twist)


# ---- assembly ------------------------------------------------------------------------------------
def refuse_other_parts(model) -> None:
    """Refuse by name joints that are not free, or between bodies, and constraints."""
    for joint in model.joints:
        if joint.kind != "free" or GROUND not in (joint.parent, joint.child):
            what = f"joint {joint.name!r} is a {joint.kind}"
            where = f"between {joint.parent!r} and {joint.child!r}"
            remedy = "free_body takes free joints to the ground: use hamiltonian_tree"
            raise FitError(f"{what} {where}; {remedy}", ("joint", joint.name))
    for part in (*model.constraints, *model.couplings):
        raise FitError(f"a {part.kind} acts; free_body takes none: use hamiltonian_tree")


def assemble(assembly) -> FreeBody:
    """The System of a model, or a FitError."""
    model = assembly.model
    refuse_other_parts(model)
    check_own_inertias(model, "free_body")
    upper = np.triu_indices(3)  # a Sym3 is its upper triangle
    table = [[body.mass, *np.array(body.inertia)[upper], *body.com] for body in model.bodies]
    laws = laws_on_bodies(model, "free_body")  # refuses forces along joints
    return FreeBody(
        layout=Layout(positions=7 * len(table), momenta=6 * len(table)),
        facts=Facts(is_conservative=not laws.has_any),
        body=value_table(Rigid, table),
        gravity=read_only([model.gravity]),
        body_laws=laws,
    )


def workspace(system, width: int = 1) -> FreeBodyWork:
    """Scratch for floats (width 1) or lanes (width 4)."""
    return FreeBodyWork(bodies_workspace(system, width), rows(float, 1, width))


def initial_state(system, assembly, pointer) -> np.ndarray:
    """y at the start."""
    start = BodyStates(assembly)  # r, quaternion p, v and ω' of every body
    positions = np.column_stack([start.r, start.p])
    speeds = np.column_stack([start.v, start.w])
    return np.concatenate([positions.ravel(), speeds.ravel()])


def owner(system, model, row: int) -> str:
    """The body that a row of y belongs to, for messages."""
    positions = system.layout.positions
    return model.bodies[row // 7 if row < positions else (row - positions) // 6].name


FORMULATION = Formulation(
    name="free_body",
    system=FreeBody,
    coordinates=Coordinates.BODIES,
    supports=feature_set(),  # neither joints between bodies nor constraints
    assemble=assemble,
    workspace=workspace,
    initial_state=initial_state,
    owner=owner,
    check_start=accept_any_start,
    reference="Newton and Euler",
    summary="Newton's and Euler's equations of bodies in free flight",
    traits=Traits(
        use="bodies in free flight; an example",
        state="r, q, v and ω' of every body",
        keeps="nothing exactly",
        cost="O(N)",
    ),
)
FORMULATIONS["free_body"] = FORMULATION  # in a script; in the package a line of the catalogue


def main(until: float = 1.0) -> float:
    """The largest difference between poses of two runs of one model by two formulations."""
    turning = ht.library.free_body(inertia=(2.0, 2.5, 3.0), omega=(0.3, 2.0, 0.1))
    runs = [
        ht.simulate(turning, until, 1e-3, name, "gauss8", progress=False)
        for name in ("free_body", "hamiltonian_tree")
    ]
    apart = float(np.abs(runs[0].poses.values - runs[1].poses.values).max())
    print(f"free_body and hamiltonian_tree, {until:g} s: poses differ by at most {apart:.1e}")
    return apart


if __name__ == "__main__":
    main()
