"""Work of the forces, drives and prescribed motions of a model at the samples of a run.

Powers are evaluated at the samples and in the middle between them (midpoints.py), and integrated by
Simpson's rule, interval by interval: of the fourth order in the spacing of the samples. An input
keeps its value from a sample to the next, so every interval has its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.coordinates import JointFrames
from hamiltree.assembly.joint_readers import RelativeMotion, choose_reader
from hamiltree.errors import FitError
from hamiltree.forces.by_element import ForcesByElement, Samples
from hamiltree.model.constraints import Drive, Motion
from hamiltree.model.forces import Force
from hamiltree.model.joints import Joint, axis_labels, coordinate_labels
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_matrix
from hamiltree.verdict.midpoints import poses_with_middles, with_middles

Array = np.ndarray
MAX_ROTATIONS = 2**18  # matrices that are kept at once
MOST_OPERATIONS = 2**33  # of finding the forces of drives: some seconds


class Axes(NamedTuple):
    """Coordinates of one axis, of all joints: those that follow others and those of joints that
    close loops too.
    """

    labels: list[str]
    q: Array  # (samples, labels)
    qdot: Array


class RecordedStates:
    """What a run has recorded of its motion."""

    def __init__(self, run: Any):
        self.model: Model = run.model
        self.t = run._values("t")
        self.q = run._values("q")
        self.qdot = run._values("qdot")
        self.pose = run._values("pose")
        self.twist = run._values("twist")
        self.inputs = run._values("input") if run._has("input") else np.zeros((0, 1))

    @cached_property
    def axes(self) -> Axes:
        """Coordinates of one axis at the samples; those of closing joints are read from the poses,
        if a force or a drive may ask for them.
        """
        model = self.model
        column = {label: k for k, label in enumerate(model.coordinates)}
        found: dict[str, tuple[Array, Array]] = {}
        for joint in model.tree_joints:
            for label, _ in axis_labels(joint):
                leader, ratio, offset = model.followers.get(label, (label, 1.0, 0.0))
                k = column[leader]
                found[label] = ratio * self.q[:, k] + offset, ratio * self.qdot[:, k]
        for joint in map(model.joint, model.closing if asks_for_closing_joints(model) else ()):
            found |= self.read_closing_joint(joint)
        shape = len(self.t), len(found)
        return Axes(
            list(found),
            *(np.array([pair[k] for pair in found.values()]).T.reshape(shape) for k in (0, 1)),
        )

    def read_closing_joint(self, joint: Joint) -> dict[str, tuple[Array, Array]]:
        """Coordinates of the axes of a joint that closes a loop, from the poses of its bodies."""
        labels = coordinate_labels(joint)
        known = assemble_at_start(self.model, self.q[0]).mechanism.start_values
        start = [known.get(label, x) for label, x in zip(labels, joint.start()[0], strict=True)]
        rows = {label: k for k, label in enumerate(labels)}
        reader = choose_reader(joint)(joint, rows, np.array(start, dtype=float))
        parts = JointFrames(self.model, [joint]).relative(self.pose, self.twist)
        q, qdot = reader.read(RelativeMotion(*(part[0] for part in parts)), None)
        own = labels[: len(joint.screws())]
        return {label: (q[:, k], qdot[:, k]) for k, label in enumerate(own)}

    @property
    def samples(self) -> Samples:
        axes = self.axes
        parts = self.t, axes.q, axes.qdot, self.pose, self.twist, self.inputs
        return Samples(*(np.require(part, float, ["C", "W"]) for part in parts))


def asks_for_closing_joints(model: Model) -> bool:
    """Whether a force or a drive may look at a coordinate of a joint that closes a loop."""
    return any("joint" in part.references.values() for part in (*model.forces, *model.constraints))


class Nodes:
    """Times and states at which powers are evaluated: three for each interval between samples."""

    def __init__(self, states: RecordedStates, bodies: Array):
        """The samples and the middles between them in the order of time; poses of some bodies."""
        self.states = states
        axes, t = states.axes, states.t
        count = len(t)
        own = with_middles(t, axes.q, axes.qdot)
        poses = poses_of_some(states, bodies)
        times = with_middles(t, t, np.ones(count))[0]
        self.points = Samples(times, *own, *poses, states.inputs)
        self.length = np.diff(t)
        # the inputs jump at samples: then an interval shares no node with the next
        self.is_shared = len(states.inputs) == 0 or not np.diff(states.inputs, axis=0).any()
        triples = 2 * np.arange(count - 1)[:, None] + np.arange(3)
        self.order = np.arange(2 * count - 1) if self.is_shared else triples.ravel()
        self.place = triples if self.is_shared else np.arange(3 * (count - 1)).reshape(-1, 3)
        self.interval = np.minimum(self.order // 2, count - 2)
        if not self.is_shared:
            self.interval = np.repeat(np.arange(count - 1), 3)

    @cached_property
    def inputs(self) -> Array:
        """Those of the interval that each node belongs to."""
        given = self.states.inputs
        return np.ascontiguousarray(given[self.interval]) if len(given) else given

    @cached_property
    def samples(self) -> Samples:
        return self.points.at(self.order, self.inputs)

    @cached_property
    def q(self) -> Array:
        """All coordinates, quaternions not of unit length between samples."""
        return with_middles(self.states.t, self.states.q, self.states.qdot)[0][self.order]

    def integrate(self, power: Array) -> Array:
        """(samples, …): ∫ power dt since the start, of powers at the nodes; a power that is not
        known there is interpolated.
        """
        first, middle, last = np.moveaxis(fill_gaps(self.samples.t, power)[self.place], 1, 0)
        parts = self.length[:, None] * (first + 4.0 * middle + last) / 6.0
        return np.concatenate([np.zeros((1, power.shape[1])), np.cumsum(parts, axis=0)])


def poses_of_some(states: RecordedStates, bodies: Array) -> tuple[Array, Array]:
    """Poses and twists of some bodies at the samples and between them; the others rest at the
    origin.
    """
    if len(bodies) == len(states.model.bodies):
        return poses_with_middles(states.t, states.pose, states.twist)
    shape = 2 * len(states.t) - 1, len(states.model.bodies) if len(bodies) else 0
    pose, twist = np.zeros((*shape, 7)), np.zeros((*shape, 6))
    pose[..., 3] = 1.0
    if len(bodies):
        some = states.pose[:, bodies], states.twist[:, bodies]
        pose[:, bodies], twist[:, bodies] = poses_with_middles(states.t, *some)
    return pose, twist


def fill_gaps(t: Array, power: Array) -> Array:
    """Powers with NaN, of drives in singular positions, interpolated between their neighbours."""
    if np.isfinite(power).all():
        return power
    found = power.copy()
    for column in found.T:
        known = np.isfinite(column)
        column[~known] = np.interp(t[~known], t[known], column[known]) if known.any() else 0.0
    return found


# ---- forces --------------------------------------------------------------------------------------
def energies_and_work(states: RecordedStates, forces: Sequence[Force]) -> tuple[Array, Array]:
    """(samples, forces) each: potential energy, and work that is no change of it, since the
    start.
    """
    by_element = ForcesByElement(states.model, forces, states.axes.labels)
    stored = by_element.stored(states.samples)
    if len(states.t) < 2 or all(force.has_only_potential for force in forces):
        return stored, np.zeros_like(stored)
    nodes = Nodes(states, by_element.loaded)
    return stored, nodes.integrate(by_element.powers(nodes.samples))


# ---- what is prescribed --------------------------------------------------------------------------
def work_of_drives(nodes: Nodes, drives: Sequence[tuple[str | int, Drive]]) -> Array:
    """(samples, drives): ∫ λ q̇ dt, λ the force of each drive; FitError where cartesian_3 does not
    know the model, or where it would take long.
    """
    from hamiltree.analysis.reactions import Reactions

    states, samples = nodes.states, nodes.samples
    given = nodes.inputs if len(nodes.inputs) else None
    reactions = Reactions(states.model, states.q[0], given)
    if len(samples.t) * reactions.operations_per_sample > MOST_OPERATIONS:
        raise FitError("forces in such large loops with redundant rows would take long")
    multipliers = reactions.solve(samples.t, samples.pose, samples.twist, nodes.q)
    labels = states.axes.labels
    found = np.empty((len(samples.t), len(drives)))
    for k, (name, drive) in enumerate(drives):
        (row,) = reactions.rows_of(("constraint", name))
        found[:, k] = multipliers[:, row] * samples.qdot[:, labels.index(drive.joint)]
    return nodes.integrate(found)


def work_of_motions(run: Any, nodes: Nodes, motions: Sequence[tuple[str | int, Motion]]) -> Array:
    """(samples, motions): ∫ wrench · twist dt of the bodies that are led."""
    from hamiltree.analysis.newton_euler_reactions import motion_reactions

    samples, model = nodes.samples, nodes.states.model
    index = {body.name: k for k, body in enumerate(model.bodies)}
    found = np.empty((len(samples.t), len(motions)))
    for k, (name, motion) in enumerate(motions):
        wrench = motion_reactions(run, name, motion, (samples.t, samples.pose, samples.twist))
        twist = samples.twist[:, index[motion.body]]
        found[:, k] = (wrench["moment"].values * twist[:, :3]).sum(axis=1)
        found[:, k] += (wrench["force"].values * twist[:, 3:]).sum(axis=1)
    return nodes.integrate(found)


# ---- gravity -------------------------------------------------------------------------------------
def gravity_energy(model: Model, pose: Array) -> Array:
    """(samples,): −Σ m g · x of the centres of mass; some samples at a time."""
    mass = np.array([body.mass for body in model.bodies])
    com = np.array([body.com for body in model.bodies])
    found = []
    many = max(1, MAX_ROTATIONS // len(mass))
    for first in range(0, len(pose), many):
        some = pose[first : first + many]
        arm = np.einsum("tnij,nj->tni", rotation_matrix(some[:, :, 3:]), com)
        found.append(np.einsum("n,tni->ti", mass, some[:, :, :3] + arm))
    return -np.concatenate(found) @ np.array(model.gravity)
