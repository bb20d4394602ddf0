"""Every force law: its force is minus the gradient of its energy, or the load that its formula
says; in every way of running it.
"""

import numpy as np
import pytest

from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, rows, store
from hamiltree.forces import BODY_LAWS, JOINT_LAWS, tabulate
from hamiltree.forces.laws import Bodies, Placement, generalised_force, joint_potential_energy
from hamiltree.model import FORCES, BodyLoad, Frame, JointDamper, JointEffort, JointSpring
from hamiltree.model.orbits import OrbitingFrame
from tests.forces.every_law import add_efforts, body_energy, joint_energy, push_bodies

JOINTS = ("elbow", "knee", "slide")
JOINT_PARTS = {
    JointSpring: [
        JointSpring("knee", 3.0, 0.4),
        JointSpring("elbow", 0.7),
        JointSpring("knee", 1.1, -2.0),
    ],
    JointDamper: [JointDamper("slide", 0.3), JointDamper("elbow", 1.2)],
    JointEffort: [JointEffort("elbow", -0.8), JointEffort("slide", 2.5)],
}
EVERY_JOINT_PART = [part for parts in JOINT_PARTS.values() for part in parts]
CONSERVATIVE = {JointSpring}  # laws along joints that have an energy

# of the body "flange", welded to the link of "arm"
MOUNT = Frame.about((1, -2, 0.5), 0.9, (0.2, -0.1, 0.3))
CARRIERS = {
    "arm": (0, Frame()),
    "flange": (0, MOUNT),
    "hand": (2, Frame.about((0, 1, 3), -1.4, (0.5, 0.0, -0.2))),
}
LOADS = [
    BodyLoad("arm", (1.0, -2.0, 0.5), (0.1, 0.2, -0.3), (0.3, 0.1, -0.4)),
    BodyLoad("arm", (0.4, 0.7, -1.0), (-0.2, 0.0, 0.6), (-0.1, 0.2, 0.2), "body"),
    BodyLoad("flange", (-1.5, 0.2, 0.8), (0.3, -0.1, 0.0), (0.2, 0.2, 0.1)),
    BodyLoad("flange", (0.9, 1.1, -0.6), (0.0, 0.5, 0.1), (-0.3, 0.1, 0.0), "body"),
    BodyLoad("hand", torque=(0.0, 1.0, -2.0), axes="body"),
    BodyLoad("hand", (0.3, 0.3, 2.0), at=(0.0, 0.0, 0.7)),
]
PLACEMENT = Placement(JOINTS.index, CARRIERS.__getitem__)


def joint_tables(parts):
    return tabulate(JOINT_LAWS, parts, PLACEMENT)


def table_of(part):
    """The one table that holds the parts of a kind."""
    return joint_tables(JOINT_PARTS[part])[[law.part for law in JOINT_LAWS].index(part)]


@kernel
def all_efforts(tables, time, y, ydot, energy):
    t = load(time, 0)
    add_efforts(tables, t, y, ydot, y.shape[0])
    store(energy, 0, joint_energy(tables, t, y))


@kernel
def all_wrenches(tables, time, bodies, energy):
    t = load(time, 0)
    push_bodies(tables, t, bodies)
    store(energy, 0, body_energy(tables, t, bodies))


# ---- the catalogue -------------------------------------------------------------------------------
def test_every_force_has_a_law():
    """Beside those that a model may have, that of a frame in orbit, which runs make."""
    laws = {law.part for law in (*JOINT_LAWS, *BODY_LAWS)}
    assert laws == {*FORCES.values(), OrbitingFrame}


def test_every_model_has_the_same_tables():
    """So that one binary serves them all: without forces the tables are empty, not missing."""
    chosen = (
        [law for law in JOINT_LAWS if law.part in JOINT_PARTS],
        [law for law in BODY_LAWS if law.part is BodyLoad],
    )
    for laws, parts in zip(chosen, (EVERY_JOINT_PART, LOADS), strict=True):
        for full, empty in zip(
            tabulate(laws, parts, PLACEMENT), tabulate(laws, [], PLACEMENT), strict=True
        ):
            assert type(full) is type(empty) and len(full[0]) > 0 and len(empty[0]) == 0
            assert [x.dtype for x in full] == [x.dtype for x in empty] and [
                x.ndim for x in full
            ] == [x.ndim for x in empty]
            assert not any(x.flags.writeable for x in (*full, *empty))


# ---- laws along joints ---------------------------------------------------------------------------
@pytest.mark.parametrize("part", JOINT_PARTS)
def test_an_effort_is_minus_the_gradient_of_its_energy_if_it_has_one(part):
    table, h = table_of(part), 1e-3
    for k in range(len(JOINT_PARTS[part])):
        for x in (-1.3, 0.2, 2.1):
            slope = (
                joint_potential_energy(table, k, 0.0, x + h)
                - joint_potential_energy(table, k, 0.0, x - h)
            ) / (2 * h)
            if part in CONSERVATIVE:
                assert (
                    generalised_force(table, k, 0.0, x, 5.0) == pytest.approx(-slope, rel=1e-10)
                    and slope != 0
                )
            else:
                assert slope == 0 and joint_potential_energy(table, k, 0.0, x) == 0


def test_a_spring_pulls_to_its_rest_whatever_the_rate():
    table = table_of(JointSpring)
    assert [generalised_force(table, k, 0.0, 1.0, 9.0) for k in range(3)] == pytest.approx(
        [-3.0 * 0.6, -0.7, -1.1 * 3.0]
    )
    assert [joint_potential_energy(table, k, 0.0, 1.0) for k in range(3)] == pytest.approx(
        [1.5 * 0.36, 0.35, 0.55 * 9.0]
    )


def test_a_damper_works_against_the_rate_wherever_it_is():
    table = table_of(JointDamper)
    assert [
        generalised_force(table, k, 0.0, x, 2.0) for k in range(2) for x in (0.0, 3.0)
    ] == pytest.approx([-0.6, -0.6, -2.4, -2.4])


def test_an_effort_is_constant():
    table = table_of(JointEffort)
    assert [
        generalised_force(table, k, t, x, v)
        for k in range(2)
        for t, x, v in ((0.0, 1.0, 2.0), (5.0, -3.0, 4.0))
    ] == [-0.8, -0.8, 2.5, 2.5]


def expected_efforts(x, v):
    total = np.zeros(3)
    for spring in JOINT_PARTS[JointSpring]:
        total[JOINTS.index(spring.joint)] -= spring.stiffness * (
            x[JOINTS.index(spring.joint)] - spring.rest
        )
    for damper in JOINT_PARTS[JointDamper]:
        total[JOINTS.index(damper.joint)] -= damper.damping * v[JOINTS.index(damper.joint)]
    for given in JOINT_PARTS[JointEffort]:
        total[JOINTS.index(given.joint)] += given.effort
    return total


def run_efforts(function, x, v, before):
    lanes = x.shape[1:]
    ydot, energy = np.concatenate([v, before]), np.zeros((1, *lanes))
    tables = tabulate(
        [law for law in JOINT_LAWS if law.part in JOINT_PARTS], EVERY_JOINT_PART, PLACEMENT
    )
    function(tables, np.zeros((1, *lanes)), np.ascontiguousarray(x), ydot, energy)
    return ydot, energy


def test_all_joint_laws_together_add_to_what_was_there_in_every_way():
    x, v, before = np.random.default_rng(0).normal(size=(3, 3, WIDTH))
    alone = [run_efforts(all_efforts, x[:, k], v[:, k], before[:, k]) for k in range(WIDTH)]
    together = run_efforts(all_efforts, x, v, before)
    interpreted = run_efforts(all_efforts.py_func, x, v, before)
    springs = JOINT_PARTS[JointSpring]
    for k, (ydot, energy) in enumerate(alone):
        assert np.array_equal(ydot[:3], v[:, k]) and ydot[3:] == pytest.approx(
            before[:, k] + expected_efforts(x[:, k], v[:, k]), rel=1e-13
        )
        held = sum(
            0.5 * spring.stiffness * (x[JOINTS.index(spring.joint), k] - spring.rest) ** 2
            for spring in springs
        )
        assert energy[0] == pytest.approx(held, rel=1e-13)
        assert np.array_equal(ydot, together[0][:, k]) and energy[0] == together[1][0, k]
        assert ydot == pytest.approx(interpreted[0][:, k], rel=1e-12) and energy[
            0
        ] == pytest.approx(interpreted[1][0, k], rel=1e-12)


# ---- laws on bodies ------------------------------------------------------------------------------
def turned_bodies(lanes):
    """Three rows of bodies, moved and turned differently in every lane."""
    width = lanes or 1
    rng = np.random.default_rng(1)
    frames = [
        [
            Frame.about(rng.normal(size=3), rng.uniform(-3, 3), rng.normal(size=3))
            for _ in range(WIDTH)
        ]
        for _ in range(3)
    ]
    bodies = Bodies(
        rows(Mat3, 3, width),
        rows(Vec3, 3, width),
        rows(Twist, 3, width),
        rows(Wrench, 3, width),
        np.zeros(1, dtype=np.int64),
    )
    return frames, bodies


def run_wrenches(function, lane=None):
    """The wrenches of all loads: of one lane's bodies by floats, or of four by lanes."""
    frames, bodies = turned_bodies(None if lane is not None else WIDTH)
    for i in range(3):
        chosen = frames[i] if lane is None else frames[i][lane : lane + 1]
        bodies.rotation[i] = np.array([frame.matrix.T.ravel() for frame in chosen]).T.reshape(
            bodies.rotation[i].shape
        )
        bodies.position[i] = np.array([frame.position for frame in chosen]).T.reshape(
            bodies.position[i].shape
        )
    shape = (1,) if lane is not None else (1, WIDTH)
    energy = np.full(shape, np.nan)
    function(
        tabulate([law for law in BODY_LAWS if law.part is BodyLoad], LOADS, PLACEMENT),
        np.zeros(shape),
        bodies,
        energy,
    )
    return bodies.wrench, energy


def expected_wrench(row, lane):
    """Torque about the row's origin and force, by hand: the body's frame in the world is that of
    its row times its mount.
    """
    frames, _ = turned_bodies(None)
    total = np.zeros(6)
    for part in LOADS:
        carrier, mount = CARRIERS[part.body]
        if carrier == row:
            whole = frames[row][lane] @ mount
            axes = whole.matrix if part.axes == "body" else np.eye(3)
            force = axes @ part.force
            arm = np.array(whole.position) + whole.matrix @ part.at - frames[row][lane].position
            total += np.concatenate([axes @ part.torque + np.cross(arm, force), force])
    return total


def expected_energy(lane):
    """−F·x of the forces in world axes, by hand."""
    frames, _ = turned_bodies(None)
    total = 0.0
    for part in LOADS:
        carrier, mount = CARRIERS[part.body]
        whole = frames[carrier][lane] @ mount
        if part.axes == "world":
            total -= part.force @ (np.array(whole.position) + whole.matrix @ part.at)
    return total


@pytest.mark.parametrize("lane", range(WIDTH))
@pytest.mark.parametrize("row", range(3))
def test_loads_push_as_computed_by_hand_in_both_axes_and_on_welded_bodies(row, lane):
    for function in (all_wrenches, all_wrenches.py_func):
        wrench, energy = run_wrenches(function, lane)
        assert wrench[row] == pytest.approx(expected_wrench(row, lane), rel=1e-13, abs=1e-15)
        assert energy[0] == pytest.approx(expected_energy(lane), rel=1e-13)


def test_loads_in_lanes_equal_those_of_floats_bit_for_bit():
    together, energy = run_wrenches(all_wrenches)
    interpreted, _ = run_wrenches(all_wrenches.py_func)
    assert abs(together - interpreted).max() <= 1e-14
    for lane in range(WIDTH):
        alone, energy_alone = run_wrenches(all_wrenches, lane)
        assert energy_alone[0] == energy[0, lane]
        assert np.array_equal(
            alone.view(np.int64), np.ascontiguousarray(together[..., lane]).view(np.int64)
        )


def test_a_body_without_loads_feels_nothing():
    assert (
        not run_wrenches(all_wrenches, 0)[0][1].any() and run_wrenches(all_wrenches, 0)[0][0].any()
    )
