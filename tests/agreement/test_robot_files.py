"""The URDF files of example-robot-data against Pinocchio's own reading of them, on a fixed and on a
floating base.

The package is installed with the tests' requirements. A file whose inertias no mass distribution
has is read with links on fixed joints merged, where the sum has one. A few need repair: their
inertias differ from Pinocchio's on purpose, and only what masses make is compared.
"""

import sysconfig
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import HamiltreeError, OptionError
from hamiltree.files.urdf import read_urdf
from tests.agreement.pinocchio_trees import Peer

pin = pytest.importorskip("pinocchio", reason="Pinocchio is not packaged for Windows")
FOLDER = (
    Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
)
FILES = {str(path.relative_to(FOLDER)): path for path in sorted(FOLDER.rglob("*.urdf"))}
pytestmark = pytest.mark.skipif(not FILES, reason="example-robot-data is not installed")

REFUSED = {"ur_description/urdf/ur3.urdf": "robot '' has no link"}  # an empty file
# bodies that no mass distribution has; with what fixed joints hold to them they have one
MERGED = {
    "alex_description/urdf/alex_psyonic_hands.urdf",
    "allegro_hand_description/urdf/allegro_left_hand.urdf",
    "allegro_hand_description/urdf/allegro_right_hand.urdf",
    "anymal_b_simple_description/robots/anymal-kinova.urdf",
    "anymal_b_simple_description/robots/anymal.urdf",
    "anymal_c_simple_description/urdf/anymal.urdf",
    "b1_description/urdf/b1-z1.urdf",
    "b1_description/urdf/b1.urdf",
    "bolt_description/robots/bolt.urdf",
    "go1_description/urdf/go1.urdf",
    "hyq_description/robots/hyq_no_sensors.urdf",
    "pr2_description/urdf/pr2.urdf",
    "tiago_description/robots/tiago.urdf",
    "tiago_description/robots/tiago_dual.urdf",
    "tiago_description/robots/tiago_no_hand.urdf",
}
REPAIRED = {
    "romeo_description/urdf/romeo_laas_small.urdf",
    "romeo_description/urdf/romeo_small.urdf",
}
# fingers without mass, made coordinates of their own, have no equation
MASSLESS = {"romeo_description/urdf/romeo.urdf"}
# no joints: they only fly
STILL = {
    "hector_description/robots/quadrotor_base.urdf",
    "iris_description/robots/iris_simple.urdf",
}
PLAIN = [name for name in FILES if name not in REFUSED]
CASES = [
    (name, floating)
    for name in PLAIN
    for floating in (False, True)
    if floating or name not in STILL
]
CLOSE = 1e-10


def over(cases):
    """A test over robots on a fixed or a floating base."""
    ids = [f"{name} {'floating' if floating else 'fixed'}" for name, floating in cases]
    return pytest.mark.parametrize(("name", "floating"), cases, ids=ids)


class Robot(Peer):
    """A file as Pinocchio reads it; joints are matched by name."""

    def __init__(self, path, source, floating):
        root = [pin.JointModelFreeFlyer()] if floating else []
        self.source, self.model = source, pin.buildModelFromUrdf(str(path), *root)
        self.data = self.model.createData()
        names = {name: number for number, name in enumerate(self.model.names)}
        moving = [joint for joint in source.joints if joint.coordinates]
        self.joints = [
            (joint, names["root_joint" if joint.kind == "free" else joint.name]) for joint in moving
        ]


def options(name):
    if name in REPAIRED:
        return {"inertia": "repair"}
    return {"merge_fixed": True} if name in MERGED else {}


class Case:
    """A robot at a random state."""

    def __init__(self, name, floating):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # meshes outside the folder, inertias repaired
            self.model = read_urdf(
                FILES[name],
                floating_base=floating,
                mimic="ignore",
                dynamics="drop",
                **options(name),
            )
        self.peer, self.ours, rng = (
            Robot(FILES[name], self.model, floating),
            ht.dynamics(self.model),
            np.random.default_rng(1),
        )
        n = len(self.model.speeds)
        self.q, self.v, self.x = (
            self.ours.integrate(self.model.start()[0], rng.normal(size=n)),
            rng.normal(size=n),
            rng.normal(size=n),
        )
        self.body = self.model.bodies[-1].name


@cache
def case(name, floating):
    return Case(name, floating)


def error(got, expected, scale=1e-12):
    """Largest deviation, relative to the largest entry, or to `scale` where that is larger."""
    assert np.shape(got) == np.shape(expected)
    return abs(got - expected).max() / max(abs(expected).max(), scale)


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_robot_is_refused(name):
    with pytest.raises(HamiltreeError, match=REFUSED[name]):
        read_urdf(FILES[name], inertia="repair", mimic="ignore", dynamics="drop")


def test_only_the_listed_files_need_merging_or_repair():
    """As they are: all but those; merged: all but those to be repaired."""
    refused = {
        way: {name for name in PLAIN if not loads(name, way == "merged")}
        for way in ("plain", "merged")
    }
    assert refused == {"plain": MERGED | REPAIRED, "merged": REPAIRED}
    assert len(FILES) >= 60


def loads(name, merge_fixed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return read_urdf(FILES[name], merge_fixed=merge_fixed, mimic="ignore", dynamics="drop")
        except HamiltreeError:
            return None


@pytest.mark.parametrize("name", sorted(STILL))
def test_a_robot_without_joints_has_no_speeds_on_a_fixed_base(name):
    assert case(name, False).model.speeds == () and case(name, False).peer.model.nv == 0


@over(CASES)
def test_masses_are_where_pinocchio_has_them(name, floating):
    """Masses, centres of mass and joints alone decide the centre of mass, gravity, linear momentum
    and Jacobians.
    """
    robot = case(name, floating)
    d, peer, q = robot.ours, robot.peer, robot.q
    assert len(robot.model.speeds) == peer.model.nv
    weight = 9.81 * pin.computeTotalMass(peer.model)
    assert error(d.centre_of_mass(q), peer.centre_of_mass(q)) <= CLOSE
    assert abs(d.gravity(q) - peer.gravity(q)).max() <= CLOSE * weight
    assert error(d.momentum_matrix(q)[3:], peer.momentum_matrix(q)[3:]) <= CLOSE
    assert error(d.jacobian(q, robot.body), peer.jacobian(q, robot.body, "world")) <= CLOSE
    assert (
        error(d.jacobian(q, robot.body, axes="body"), peer.jacobian(q, robot.body, "body")) <= CLOSE
    )


@over([pair for pair in CASES if pair[0] not in REPAIRED])
def test_without_repair_forces_momenta_and_derivatives_are_those_of_pinocchio(name, floating):
    robot = case(name, floating)
    d, peer, q, v, x = robot.ours, robot.peer, robot.q, robot.v, robot.x
    M = peer.mass_matrix(q)
    assert error(d.mass_matrix(q), M) <= CLOSE
    assert error(d.momentum_matrix(q), peer.momentum_matrix(q)) <= CLOSE
    assert error(d.inverse_dynamics(q, v, x), peer.inverse_dynamics(q, v, x)) <= CLOSE
    found, (by_q, by_v) = d.inverse_derivatives(q, v, x), peer.inverse_derivatives(q, v, x)
    assert (
        error(found.q, by_q, abs(M).max()) <= CLOSE
        and error(found.qdot, by_v, abs(M).max()) <= CLOSE
    )
    assert error(found.third, M) <= CLOSE


@over([pair for pair in CASES if pair[0] not in REPAIRED | MASSLESS])
def test_without_repair_accelerations_are_those_of_pinocchio(name, floating):
    """Both solve with M, so both lose as many digits as its condition number has."""
    robot = case(name, floating)
    d, peer, q, v = robot.ours, robot.peer, robot.q, robot.v
    tau = peer.inverse_dynamics(q, v, robot.x)
    bound = max(CLOSE, 1e-14 * np.linalg.cond(peer.mass_matrix(q)))
    assert error(d.forward_dynamics(q, v, tau), peer.forward_dynamics(q, v, tau)) <= bound
    assert error(d.forward_dynamics(q, v, tau), robot.x) <= bound


@pytest.mark.parametrize("name", sorted(MASSLESS))
def test_a_joint_that_moves_no_mass_has_no_acceleration(name):
    robot = case(name, False)
    with pytest.raises(OptionError, match="the mass matrix is singular: joint"):
        robot.ours.forward_dynamics(robot.q, robot.v, robot.x)
