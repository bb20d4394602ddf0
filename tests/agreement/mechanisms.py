"""Random trees with every law and random mechanisms whose loops are closed, and what the
formulations say of their accelerations.

Verbs run interpreted here: of a few states that is quicker than compiling. An acceleration is (ω̇,
v̇ of the origin) of every body, in world axes.
"""

from dataclasses import replace
from functools import cached_property
from itertools import combinations

import numpy as np

import hamiltree as ht
from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.kinematics import compute_kinematics, tree_of
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_tables import evaluate_rows_and_rates
from hamiltree.assembly.rows import rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.forces.laws import Bodies
from hamiltree.formulations.absolute import augmented_matrix as cartesian_matrix
from hamiltree.formulations.absolute import cartesian, cartesian_hamiltonian
from hamiltree.formulations.initial_states import coordinate_rates
from hamiltree.formulations.tree import hamiltonian_loops
from hamiltree.model import GROUND, JOINTS, Joint
from hamiltree.model.constraints import (
    Coincident,
    ParallelAxes,
    PerpendicularAxes,
    PointInPlane,
    PointOnLine,
    Rod,
)
from hamiltree.model.joints import coordinate_labels
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.verbs import (
    add_multiplier_forces,
    constraint_rate,
    energies,
    factor_multipliers,
    momentum,
    poses,
    power,
    rates,
    solve_multipliers,
    velocity,
)

KINDS = (
    "revolute",
    "prismatic",
    "screw",
    "universal",
    "cylindrical",
    "planar",
    "translation",
    "gimbal",
    "ball",
    "free",
    "weld",
)
OFFSETS, WEIGHTS = np.array([-3, -2, -1, 1, 2, 3]), np.array([-1, 9, -45, 45, -9, 1]) / 60
SECOND_OFFSETS, SECOND_WEIGHTS = (
    np.arange(-4, 5),
    np.array([-9, 128, -1008, 8064, -14350, 8064, -1008, 128, -9]) / 5040,
)
STEP = 2e-3


def derivative(function, step=STEP):
    """At 0, by central differences of sixth order."""
    return (
        sum(weight * function(step * k) for k, weight in zip(OFFSETS, WEIGHTS, strict=True)) / step
    )


def second_derivative(function, step=1e-2):
    """At 0, by central differences of eighth order."""
    return (
        sum(
            weight * function(step * k)
            for k, weight in zip(SECOND_OFFSETS, SECOND_WEIGHTS, strict=True)
        )
        / step**2
    )


def error(got, expected):
    """Largest deviation, relative to the largest entry."""
    return abs(got - expected).max() / abs(expected).max()


# ---- models --------------------------------------------------------------------------------------
def turned_round(model, every):
    """The model with some joints declared from child to parent."""

    def turned(joint):
        return replace(
            joint,
            parent=joint.child,
            child=joint.parent,
            on_parent=joint.on_child,
            on_child=joint.on_parent,
        )

    return model.with_(
        joints=[turned(joint) if k % every == 0 else joint for k, joint in enumerate(model.joints)]
    )


def driven_axes(model):
    """The coordinates along which a law may act in absolute coordinates: not those of three
    turns.
    """
    return [
        label
        for joint in model.joints
        if joint.kind != "gimbal"
        for label in coordinate_labels(joint)[: len(joint.screws())]
    ]


def with_laws(model, seed):
    """Springs, dampers and efforts along joints; loads, springs, dampers and drag on bodies."""
    rng, names = np.random.default_rng(seed), [body.name for body in model.bodies]
    forces = [ht.JointDamper(joint.name, 0.3) for joint in model.joints if joint.has_ball]
    for label in driven_axes(model):
        forces += [
            ht.JointSpring(label, *rng.uniform(0.5, 2, 2)),
            ht.JointDamper(label, rng.uniform(0.1, 0.5)),
            ht.JointEffort(label, rng.normal()),
        ]
    for name in names:
        force, torque, at = rng.normal(size=(3, 3))
        forces.append(
            ht.BodyLoad(name, force, 0.1 * torque, 0.3 * at, ("world", "body")[rng.integers(2)])
        )
    forces.append(ht.PointSpring(GROUND, names[-1], *rng.normal(size=(2, 3)), 3.0, 0.4, 0.2))
    forces += (
        [ht.PointSpring(names[0], names[-1], *rng.normal(size=(2, 3)), 2.0, 0.3, 0.1)]
        if len(names) > 1
        else []
    )
    return model.with_(forces=forces)


def random_tree(bodies, branching, seed, kinds=KINDS):
    model = ht.library.tree(bodies, branching, seed, kinds).with_(gravity=(1.0, -2.0, -9.0))
    return with_laws(turned_round(model, 3) if seed % 2 else model, seed)


def coupled_tree():
    """A gear of hinges whose leader starts some turns away from zero, a slider that follows it, and
    a ball; springs on all axes.
    """
    model = ht.library.tree(5, 2, 21)
    ends = {
        joint.name: (joint.parent, joint.child, joint.on_parent, joint.on_child)
        for joint in model.joints
    }
    joints = {
        "j1": {"q": 14.3, "qdot": 0.9},
        "j2": {"q": 0.0, "qdot": 0.0},
        "j3": ht.Ball("j3", *ends["j3"], q=(0.8, 0.0, 0.6, 0.0), qdot=(0.3, -0.5, 0.8)),
        "j4": ht.Prismatic("j4", *ends["j4"], axis=(1, 2, 3)),
    }
    return with_laws(
        model.with_(
            joints=joints,
            couplings=[ht.Gear("j2", "j1", (20, 30)), ht.Mimic("j4", "j1", 0.03, 0.1)],
        ),
        4,
    )


# ---- mechanisms ----------------------------------------------------------------------------------
def closing_parts(model, kinds, rng):
    """Joints and constraints between bodies that no joint joins, one of each kind, closed where the
    tree stands.
    """
    motion = compute_kinematics(tree_of(model), model.start()[0])
    names = [GROUND, *(body.name for body in model.bodies)]
    frames = [
        ht.Frame(),
        *(
            ht.Frame(tuple(at), tuple(quaternion_from_matrix(turn)))
            for turn, at in zip(motion.turn, motion.at, strict=True)
        ),
    ]
    near = {frozenset((joint.parent, joint.child)) for joint in model.joints}
    far = [
        pair
        for pair in combinations(range(len(names)), 2)
        if frozenset(names[k] for k in pair) not in near
    ]
    joints, constraints = [], []
    for k, kind in enumerate(kinds):
        i, j = far[rng.integers(len(far))]
        world = ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))
        on_i, on_j = frames[i].inverse() @ world, frames[j].inverse() @ world
        part = closing_part(kind, f"close{k + 1}", names[i], names[j], on_i, on_j, rng)
        (joints if isinstance(part, Joint) else constraints).append(part)
    return joints, constraints


def closing_part(kind, name, i, j, on_i, on_j, rng):
    """`on_i` and `on_j` are one frame of the world."""
    if kind in JOINTS:
        return JOINTS[kind](name, i, j, on_i, on_j, **({"pitch": 0.3} if kind == "screw" else {}))
    (x_i, y_i, _), (x_j, _, _) = on_i.matrix.T, on_j.matrix.T
    at_i, at_j = np.array(on_i.position), np.array(on_j.position)
    return {
        "coincident": lambda: Coincident(i, j, at_i, at_j, name=name),
        "rod": lambda: Rod(i, j, at_i + rng.normal(size=3), at_j, name=name),
        "point_in_plane": lambda: PointInPlane(i, j, at_i + 0.4 * y_i, at_j, normal=x_i, name=name),
        "point_on_line": lambda: PointOnLine(i, j, at_i + 0.4 * x_i, at_j, axis=x_i, name=name),
        "parallel_axes": lambda: ParallelAxes(i, j, x_i, x_j, name=name),
        "perpendicular_axes": lambda: PerpendicularAxes(i, j, y_i, x_j, name=name),
    }[kind]()


def random_mechanism(
    bodies,
    branching,
    seed,
    kinds,
    tree_kinds=("ball", "universal", "cylindrical", "free", "planar"),
):
    """A tree with loops, closed at the start, and speeds at which they stay so:
    (model, q, speeds).
    """
    rng = np.random.default_rng((seed, 7))
    tree = ht.library.tree(bodies, branching, seed, tree_kinds)
    joints, constraints = closing_parts(tree, kinds, rng)
    model = tree.with_(joints=[*tree.joints, *joints], constraints=constraints)
    q, speeds = model.start()
    return model, q, Mechanism(model).project_speeds(speeds, frozenset())


# ---- accelerations -------------------------------------------------------------------------------
class Case:
    """A formulation of a model at (q, speeds) of its tree."""

    formulation = None

    def __init__(self, model, q=None, speeds=None, t=0.0):
        start = model.start()
        self.model, self.t = model, t
        self.q, self.speeds = start[0] if q is None else q, start[1] if speeds is None else speeds
        self.assembly = Assembly(model, self.q, self.speeds, t)
        self.system = self.formulation.assemble(self.assembly)
        self.work = self.formulation.workspace(self.system, 1)

    @cached_property
    def placed(self):
        """Rotations, origins, twists."""
        return self.assembly.bodies

    @cached_property
    def y(self):
        return self.formulation.initial_state(self.system, self.assembly, None)

    @cached_property
    def ydot(self):
        found = np.full_like(self.y, np.nan)
        rates(self.system, self.work, self.t, self.y, found)
        return found

    def energies(self):
        return np.array(energies(self.system, self.work, self.t, self.y))

    def power(self):
        """At the state that `rates` was asked for last."""
        found = np.zeros_like(self.y)
        rates(self.system, self.work, self.t, self.y, found)
        return power(self.system, self.work, self.t, self.y, found)

    def of_origins(self, centre, turning):
        """(ω̇, v̇ of the origin) from r̈ of the centre of mass and ω̇' in body axes."""
        turn, _, twist = self.placed
        arm = np.einsum("kij,kj->ki", turn, [body.com for body in self.model.bodies])
        w, spin = twist[:, :3], np.einsum("kij,kj->ki", turn, turning)
        return np.column_stack([spin, centre - np.cross(spin, arm) - np.cross(w, np.cross(w, arm))])


def gathered(p, a):
    """L(p) a, row by row."""
    return p[:, :1] * a[:, 1:] - a[:, :1] * p[:, 1:] - np.cross(p[:, 1:], a[:, 1:])


class Cartesian(Case):
    """Formulation I, II or III."""

    number = 3

    @property
    def formulation(self):
        return cartesian.FORMULATIONS[self.number - 1]

    @property
    def bodies(self):
        return len(self.model.bodies)

    @property
    def turning(self):
        """(r̈, ω̇') of every body"""
        n = self.bodies
        found, p = self.ydot[7 * n :].reshape(n, -1), self.y[: 7 * n].reshape(n, 7)[:, 3:]
        return np.column_stack(
            [found[:, :3], found[:, 3:] if self.number == 3 else 2 * gathered(p, found[:, 3:])]
        )

    def accelerations(self):
        return self.of_origins(self.turning[:, :3], self.turning[:, 3:])

    @cached_property
    def multipliers(self):
        self.ydot  # noqa: B018  (work holds its solution)
        return np.array(
            [
                -self.work.solution[cartesian_matrix.multiplier_index(self.system, row)]
                for row in range(self.system.facts.constraints)
            ]
        )

    @property
    def omega(self):
        """ω', body axes"""
        turn, _, twist = self.placed
        return np.einsum("kji,kj->ki", turn, twist[:, :3])


class CartesianI(Cartesian):
    number = 1


class CartesianII(Cartesian):
    number = 2


class CartesianIII(Cartesian):
    number = 3


CARTESIAN = (CartesianI, CartesianII, CartesianIII)


class Constrained(Case):
    """Hamilton's equations with multipliers that keep the second derivatives of all constraints at
    zero.
    """

    def rate_of_rows(self, step):
        """G q̇ + ∂g/∂t a while after, along `rates` without multipliers."""
        y, out, ydot = (
            self.y + step * self.free,
            np.zeros(self.system.facts.constraints),
            np.zeros_like(self.y),
        )
        velocity(self.system, self.work, self.t + step, y, ydot)
        constraint_rate(self.system, self.work, self.t + step, y, ydot, out)
        return out

    @cached_property
    def free(self):
        found = np.full_like(self.y, np.nan)
        rates(self.system, self.work, self.t, self.y, found)
        return found

    @cached_property
    def step(self):
        """A small part of the time in which anything turns or changes its speed."""
        still = CartesianIII(self.model, self.q, self.speeds, self.t)
        return STEP / max(1.0, abs(self.placed[2]).max(), abs(still.accelerations()).max() ** 0.5)

    @cached_property
    def multipliers(self):
        wanted = -derivative(self.rate_of_rows, self.step)
        assert factor_multipliers(self.system, self.work, self.t, self.y)
        solve_multipliers(self.system, self.work, wanted)
        return wanted

    @cached_property
    def ydot(self):
        found = self.free.copy()
        add_multiplier_forces(self.system, self.work, self.t, self.y, self.multipliers, found)
        return found


class CartesianHamiltonian(Constrained):
    formulation = cartesian_hamiltonian.FORMULATION

    def accelerations(self):
        """ṗ/m, and ω̇' of ω' = ½ J'⁻¹ L(q) g"""
        n = len(self.model.bodies)
        (_, q), (_, rate), (_, g), (force, change) = (
            np.split(part.reshape(n, 7), [3], axis=1)
            for part in (self.y[: 7 * n], self.ydot[: 7 * n], self.y[7 * n :], self.ydot[7 * n :])
        )
        mass, inertia = (
            np.array([[body.mass] for body in self.model.bodies]),
            np.array([body.inertia for body in self.model.bodies]),
        )
        return self.of_origins(
            force / mass,
            np.linalg.solve(inertia, 0.5 * (gathered(rate, g) + gathered(q, change))[..., None])[
                ..., 0
            ],
        )


class HamiltonianLoops(Constrained):
    """Accelerations by differences of twists along the flow."""

    formulation = hamiltonian_loops.FORMULATION

    @cached_property
    def y(self):
        n = self.system.layout.positions
        y = np.concatenate([self.q, np.zeros(self.system.layout.momenta)])
        rate = np.concatenate(
            [coordinate_rates(self.model, self.q, self.speeds), np.zeros(len(y) - n)]
        )
        momentum(self.system, self.work, self.t, y, rate)
        return y

    def twists(self, step):
        y, spare, n = self.y + step * self.ydot, np.zeros_like(self.y), len(self.model.bodies)
        pose, twist = np.zeros((n, 7)), np.zeros((n, 6))
        rates(self.system, self.work, self.t, y, spare)
        poses(self.system, self.work, self.t, y, pose, twist)
        return twist

    def accelerations(self):
        return derivative(self.twists, self.step)


# ---- a dense reference ---------------------------------------------------------------------------
class Dense:
    """[M Bᵀ; B 0] [ḣ; −λ] = [g − b; γ#] (11.49) with B and γ# by differences of Φ alone; gravity is
    the only load.
    """

    def __init__(self, case):
        self.case, self.table, self.n = case, case.system.rows, len(case.model.bodies)
        self.work = rows_workspace(self.table, 1)
        rows = self.n + 1
        twists, no_room = np.zeros((2, rows, 6)), np.zeros(1, dtype=np.int64)
        self.bodies = Bodies(
            np.tile(np.eye(3).ravel(), (rows, 1)), np.zeros((rows, 3)), *twists, no_room
        )
        self.handle = StructPointer(self.table, self.work, self.bodies)
        self.turn, at, self.twist = case.placed
        com = np.array([body.com for body in case.model.bodies])
        arm = np.einsum("kij,kj->ki", self.turn, com)
        self.r, self.v = at + arm, self.twist[:, 3:] + np.cross(self.twist[:, :3], arm)
        self.w = np.einsum("kji,kj->ki", self.turn, self.twist[:, :3])

    def values(self, shift):
        """Φ with every body moved by (δr, turn about its own axes)."""
        for i, (move, turn) in enumerate(zip(shift[:, :3], shift[:, 3:], strict=True)):
            self.bodies.position[i] = self.r[i] + move
            self.bodies.rotation[i] = (self.turn[i] @ rotation(turn)).T.ravel()
        evaluate_rows_and_rates(self.handle, self.case.t)
        return self.work.value[: len(self.table.row)].copy()

    def jacobian(self):
        units = np.eye(6 * self.n).reshape(-1, self.n, 6)
        return np.array(
            [derivative(lambda step, unit=unit: self.values(step * unit), 1e-2) for unit in units]
        ).T

    def gamma(self):
        speeds = np.column_stack([self.v, self.w])
        return -second_derivative(lambda t: self.values(t * speeds))

    def solve(self):
        """((r̈, ω̇') of every body, λ, condition of the matrix)"""
        B, bodies = self.jacobian(), self.case.model.bodies
        K, right = np.zeros((6 * self.n + len(B),) * 2), np.zeros(6 * self.n + len(B))
        for i, (body, w) in enumerate(zip(bodies, self.w, strict=True)):
            at, J = 6 * i, np.array(body.inertia)
            K[at : at + 3, at : at + 3], K[at + 3 : at + 6, at + 3 : at + 6] = (
                body.mass * np.eye(3),
                J,
            )
            right[at : at + 3], right[at + 3 : at + 6] = (
                body.mass * np.array(self.case.model.gravity),
                -np.cross(w, J @ w),
            )
        K[6 * self.n :, : 6 * self.n], K[: 6 * self.n, 6 * self.n :], right[6 * self.n :] = (
            B,
            B.T,
            self.gamma(),
        )
        found = np.linalg.solve(K, right)
        return found[: 6 * self.n].reshape(-1, 6), -found[6 * self.n :], np.linalg.cond(K)


def rotation(v):
    """Rodrigues."""
    angle = np.linalg.norm(v)
    K = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * K + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * K @ K
