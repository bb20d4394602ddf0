"""What several rooms of tests share: a model bound to its compiled verbs, and the geometry of a
model computed in another way.
"""

import gc
import os
import signal
import sys
from collections import Counter
from dataclasses import replace
from typing import NamedTuple

# every worker of the tests is a process that compiles
os.environ.setdefault("HAMILTREE_COMPILE_ALONE", "1")
# processes that tests start read bytecode, as a user's do: without it each compiles all sources
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# before NumPy: on small matrices threads wait for each other, several times longer than they work
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import pytest
from scipy.linalg import expm

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import load, store
from hamiltree.compiled.pointer import unpack
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.verb_pointers import make_pointer
from hamiltree.model import GROUND, BodyLoad, JointDamper, JointEffort, JointSpring
from hamiltree.verbs import energies, hamiltonian, momentum, poses, power, rates

# some tests send these; in the background, or under nohup, they are ignored, also by processes that
# tests start
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# ---- the order of files --------------------------------------------------------------------------
# of few tests that take long, in the order in which they begin: two workers compile for different
# files at first, so that neither waits for a kernel that the other one compiles
LONG_FILES = (
    "test_survival.py",
    "test_worked_examples.py",
    "test_wheel.py",
    "test_cluster.py",
    "test_cache.py",
    "test_benchmark_smoke.py",
    "test_cli.py",
    "test_readme.py",
    "test_endings.py",
    "test_indirect.py",
    "test_same_bits.py",
    "test_chain_methods.py",
    "test_compiling.py",
    "test_own_formulations.py",
    "test_page.py",
    "test_continuation.py",
    "test_lane_events.py",
    "test_killed_runs.py",
    "test_formula_worker.py",
    "test_layout.py",
)


def pytest_collection_modifyitems(items):
    """Long files first, then those with the most tests: no worker is left with a long one at the
    end. (`--dist loadfile` alone goes by the number of tests.)
    """
    counts = Counter(item.path for item in items)
    ranks = {name: rank for rank, name in enumerate(LONG_FILES)}
    items.sort(key=lambda item: (ranks.get(item.path.name, len(ranks)), -counts[item.path]))


# ---- the compiler's objects ----------------------------------------------------------------------
# most of what a worker holds stays to its end: whole searches for garbage among it are rare
gc.set_threshold(*gc.get_threshold()[:2], 200)


@pytest.fixture
def frozen_heap():
    """For a test that searches for garbage: what others have left, the compiler above all, is not
    searched again and again. Not for one that compiles: after every kernel Python would count
    millions of frozen objects.
    """
    gc.freeze()
    yield
    gc.unfreeze()


# ---- the command line ----------------------------------------------------------------------------
class Answer(NamedTuple):
    """What a command leaves: its exit code, standard output and standard error."""

    code: int
    out: str
    error: str


@pytest.fixture
def shell(monkeypatch, capsys, tmp_path):
    """shell(*arguments): a command of hamiltree in this process, in an empty folder: a second
    faster than one of its own.
    """
    from hamiltree.cli.app import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return Answer(left.value.code or 0, *capsys.readouterr())

    return run


# ---- compiled verbs ------------------------------------------------------------------------------
@kernel
def call_rates(handle, time, y, ydot):
    system, work, _ = unpack(handle)
    rates(system, work, load(time, 0), y, ydot)


@kernel
def call_energies(handle, time, y, out):
    """T, V and H."""
    system, work, _ = unpack(handle)
    t = load(time, 0)
    parts = energies(system, work, t, y)
    store(out, 0, parts.kinetic)
    store(out, 1, parts.potential)
    store(out, 2, hamiltonian(system, work, t, y))


@kernel
def call_momentum(handle, time, y, ydot):
    system, work, _ = unpack(handle)
    momentum(system, work, load(time, 0), y, ydot)


@kernel
def call_poses(handle, time, y, ydot, pose, twist):
    system, work, _ = unpack(handle)
    t = load(time, 0)
    rates(system, work, t, y, ydot)
    poses(system, work, t, y, pose, twist)


def interpreted_energies(parts, time, y, out):
    (system, work), t = parts, load(time, 0)
    out[:2] = energies(system, work, t, y)
    out[2] = hamiltonian(system, work, t, y)


def interpreted_poses(parts, time, y, ydot, pose, twist):
    rates(*parts, load(time, 0), y, ydot)
    poses(*parts, load(time, 0), y, pose, twist)


INTERPRETED = {
    call_rates: lambda parts, time, y, ydot: rates(*parts, load(time, 0), y, ydot),
    call_energies: interpreted_energies,
    call_momentum: lambda parts, time, y, ydot: momentum(*parts, load(time, 0), y, ydot),
    call_poses: interpreted_poses,
}


class Bound:
    """A model under the Hamiltonian tree: q and p are (n,), or (n, 4) with width = 4.

    `interpreted`: the verbs run as plain Python.
    """

    def __init__(self, model, width=1, interpreted=False):
        self.model = model
        self.system = hamiltonian_tree.assemble(assemble_at_start(model))
        self.work = hamiltonian_tree.workspace(self.system, width)
        asked = rates, energies, hamiltonian, momentum, poses, power
        of_floats, of_lanes = (asked, ()) if width == 1 else ((), asked)
        parts = self.system, self.work
        self.handle = (
            parts if interpreted else make_pointer(*parts, self.work, of_floats, of_lanes, "a test")
        )
        self.lanes = () if width == 1 else (width,)
        self.time = np.zeros((1, *self.lanes))
        self.interpreted, self.n = interpreted, self.system.layout.positions

    def call(self, entry, *arguments):
        (INTERPRETED[entry] if self.interpreted else entry)(self.handle, self.time, *arguments)

    def rates(self, q, p):
        y = np.concatenate([q, p])
        ydot = np.full_like(y, np.nan)
        self.call(call_rates, y, ydot)
        return ydot[: self.n], ydot[self.n :]

    def energies(self, q, p):
        """T, V, H."""
        out = np.full((3, *self.lanes), np.nan)
        self.call(call_energies, np.concatenate([q, p]), out)
        return out

    def hamiltonian(self, q, p):
        return self.energies(q, p)[2]

    def momentum(self, q, qdot):
        y, ydot = (
            np.concatenate([q, np.full_like(q, np.nan)]),
            np.concatenate([qdot, np.full_like(q, np.nan)]),
        )
        self.call(call_momentum, y, ydot)
        return y[self.n :]

    def poses(self, q, p):
        """Positions and quaternions (bodies, 7), twists (bodies, 6)."""
        y = np.concatenate([q, p])
        bodies = len(self.model.bodies)
        pose, twist = (
            np.full((bodies, 7, *self.lanes), np.nan),
            np.full((bodies, 6, *self.lanes), np.nan),
        )
        self.call(call_poses, y, np.zeros_like(y), pose, twist)
        return pose, twist


@pytest.fixture(scope="session")
def bind():
    return Bound


# ---- geometry, from the definition of the joints alone -------------------------------------------
def skew(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def homogeneous(frame):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = frame.matrix, frame.position
    return T


def exponential(screw, x):
    """The motion of a screw: the exponential of its 4×4 matrix."""
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = skew(screw[0]), screw[1]
    return expm(x * generator)


def shifted(jacobian, arm):
    """The Jacobian of the same body at a point `arm` away."""
    return np.concatenate([jacobian[:3], jacobian[3:] - skew(arm) @ jacobian[:3]])


class Geometry:
    """Pose T (4×4) and Jacobian (6, n) of the origin of every body, by name:
    pose(child) = pose(parent) · on_parent · motion · on_child⁻¹.

    Neither links nor kernels are used; joints are walked from the ground in whatever order and
    direction they are declared.
    """

    def __init__(self, model, q):
        self.model, self.q, self.n = model, q, len(q)
        self.row = {name: i for i, name in enumerate(model.coordinates)}
        self.pose, self.jacobian = {GROUND: np.eye(4)}, {GROUND: np.zeros((6, self.n))}
        joints_at = {name: [] for name in (GROUND, *(body.name for body in model.bodies))}
        for joint in model.joints:
            joints_at[joint.parent].append(joint)
            joints_at[joint.child].append(joint)
        reached = [GROUND]
        for near in reached:  # grows while it is walked
            for joint in joints_at[near]:
                far = joint.child if joint.parent == near else joint.parent
                if far not in self.pose:
                    self.place(joint, near, far)
                    reached.append(far)

    def place(self, joint, near, far):
        backwards = joint.child == near
        near_frame, far_frame = (
            (joint.on_child, joint.on_parent) if backwards else (joint.on_parent, joint.on_child)
        )
        base = self.pose[near] @ homogeneous(near_frame)
        motion, column, sign = np.eye(4), np.zeros((6, self.n)), -1.0 if backwards else 1.0
        for screw in joint.screws():
            motion = exponential(screw, sign * self.q[self.row[joint.name]])
            column[:, self.row[joint.name]] = sign * np.concatenate(
                [base[:3, :3] @ screw[0], base[:3, :3] @ screw[1]]
            )
        self.pose[far] = base @ motion @ np.linalg.inv(homogeneous(far_frame))
        carried = shifted(self.jacobian[near], self.pose[far][:3, 3] - self.pose[near][:3, 3])
        self.jacobian[far] = carried + shifted(column, self.pose[far][:3, 3] - base[:3, 3])

    def point(self, body, at):
        """A point of a body in the world, and the Jacobian there."""
        arm = self.pose[body][:3, :3] @ at
        return self.pose[body][:3, 3] + arm, shifted(self.jacobian[body], arm)

    def mass_matrix(self):
        """M = Σ m Jᵥᵀ Jᵥ + J_ωᵀ (R I Rᵀ) J_ω at the centres of mass."""
        moved, felt = [], []
        for body in self.model.bodies:
            R, J = self.pose[body.name][:3, :3], self.point(body.name, body.com)[1]
            moved.append(J)
            felt.append(np.concatenate([R @ body.inertia @ R.T @ J[:3], body.mass * J[3:]]))
        return np.concatenate(moved).T @ np.concatenate(felt)

    def potential(self):
        """Of gravity and of forces constant in the world, from the world's origin, and of springs.

        Bodies that never move do not count.
        """
        total = 0.0
        for body in self.model.bodies:
            centre, J = self.point(body.name, body.com)
            total -= body.mass * (self.model.gravity @ centre) * bool(J.any())
        for force in self.model.forces:
            if isinstance(force, BodyLoad) and force.axes == "world":
                total -= self.point(force.body, force.at)[0] @ force.force
        springs = [force for force in self.model.forces if isinstance(force, JointSpring)]
        return total + sum(
            0.5 * spring.stiffness * (self.q[self.row[spring.joint]] - spring.rest) ** 2
            for spring in springs
        )

    def generalised_loads(self, qdot):
        """Q of everything that is not part of H: dampers, efforts, torques on bodies and forces
        that turn with them.
        """
        total = np.zeros(self.n)
        for force in self.model.forces:
            if isinstance(force, JointDamper):
                total[self.row[force.joint]] -= force.damping * qdot[self.row[force.joint]]
            elif isinstance(force, JointEffort):
                total[self.row[force.joint]] += force.effort
            elif isinstance(force, BodyLoad):
                torque, push = self.world_load(force)
                J = self.point(force.body, force.at)[1]
                total += J[:3].T @ torque + J[3:].T @ push
        return total

    def power_of_loads(self, qdot):
        """The power of the same loads: −c q̇², effort times rate, torque · ω + force · velocity of
        the point of attack.
        """
        total = 0.0
        for force in self.model.forces:
            if isinstance(force, JointDamper):
                total -= force.damping * qdot[self.row[force.joint]] ** 2
            elif isinstance(force, JointEffort):
                total += force.effort * qdot[self.row[force.joint]]
            elif isinstance(force, BodyLoad):
                torque, push = self.world_load(force)
                twist = self.jacobian[force.body] @ qdot
                arm = self.pose[force.body][:3, :3] @ force.at
                total += torque @ twist[:3] + push @ (twist[3:] + np.cross(twist[:3], arm))
        return total

    def world_load(self, load):
        """Torque and force that are not part of H, world axes."""
        if load.axes == "world":
            return np.array(load.torque), np.zeros(3)
        turn = self.pose[load.body][:3, :3]
        return turn @ load.torque, turn @ load.force


@pytest.fixture(scope="session")
def geometry():
    return Geometry


# ---- models with every law -----------------------------------------------------------------------
@pytest.fixture(scope="session")
def with_every_law():
    """with_every_law(model, seed): springs, dampers and efforts on the joints, loads in world and
    in body axes on every body.
    """

    def load(model, seed=0):
        rng, forces = np.random.default_rng(seed), []
        for name in model.coordinates:
            forces += [
                JointSpring(name, *rng.uniform(0.5, 2, 2)),
                JointDamper(name, rng.uniform(0.1, 0.5)),
                JointEffort(name, rng.normal()),
            ]
        for body in model.bodies:
            for axes in ("world", "body"):
                force, torque, at = rng.normal(size=(3, 3))
                forces.append(
                    BodyLoad(body.name, tuple(force), tuple(0.1 * torque), tuple(0.3 * at), axes)
                )
        return replace(model, forces=tuple(forces[k] for k in rng.permutation(len(forces))))

    return load
