"""Free systems seen by others: all of space turned and moved, and every body faster by the same
velocity. What happens within is the same.

Joint coordinates may differ by 1e-9, or twice the run's own error where that is more; the error of
the energy by a thousandth of itself, or 1e-14 of the energies that it is the sum of.
"""

from typing import NamedTuple

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.rotations import quaternion_from_matrix, rotation_exponential, rotation_matrix
from tests.recorded import models

STILL = np.eye(3)
TURN = rotation_exponential(np.array([0.7, -1.1, 0.4]))


class Observer(NamedTuple):
    """How another sees it: turned, elsewhere, and from a frame that moves."""

    turn: np.ndarray  # rotation matrix
    place: tuple[float, float, float]
    velocity: tuple[float, float, float]


OBSERVERS = {
    "turned": Observer(TURN, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
    "elsewhere": Observer(STILL, (30.0, -20.0, 50.0), (0.0, 0.0, 0.0)),
    "7.5 km/s": Observer(STILL, (0.0, 0.0, 0.0), (6e3, 3.5e3, -2.8e3)),
    "30 km/s, turned, elsewhere": Observer(TURN, (30.0, -20.0, 50.0), (-1.2e4, 2.5e4, 1.1e4)),
}
FAR_AWAY = Observer(TURN, (3e5, -2e5, 5e5), (-1.2e4, 2.5e4, 1.1e4))


# ---- models seen by another ----------------------------------------------------------------------
def seen_by(model, observer):
    """Free joints to the ground, gravity and loads in world axes as another has them."""
    R = observer.turn
    joints = {}
    for joint in model.joints:
        if "ground" in (joint.parent, joint.child):
            assert joint.kind == "free" and joint.parent == "ground"
            F, at = joint.on_parent.matrix, joint.on_parent.position
            place = F.T @ (R @ (at + F @ joint.q[:3]) + observer.place - at)
            turn = quaternion_from_matrix(F.T @ R @ F @ rotation_matrix(np.array(joint.q[3:])))
            velocity = F.T @ (R @ F @ joint.qdot[:3] + observer.velocity)
            joints[joint.name] = {"q": (*place, *turn), "qdot": (*velocity, *joint.qdot[3:])}
    loads = [turned_load(force, R) for force in model.forces]
    return model.with_(joints=joints, forces=loads, gravity=tuple(R @ model.gravity))


def turned_load(force, R):
    if force.kind != "body_load" or force.axes != "world":
        return force
    return ht.BodyLoad(force.body, tuple(R @ force.force), tuple(R @ force.torque), force.at)


# ---- what is seen alike --------------------------------------------------------------------------
def joint_coordinates(run):
    """Of joints between bodies."""
    free = {joint.name for joint in run.model.joints if joint.kind == "free"}
    names = [name for name in run.model.coordinates if name.split(".")[0] not in free]
    return run.q.sel(coordinate=names).values


def places_within(run, observer):
    """Of all bodies from the first, in axes of space before it was turned; and their attitudes."""
    R = observer.turn
    pose = run.poses.values
    apart = (pose[:, 1:, :3] - pose[:, :1, :3]) @ R
    return np.concatenate([apart.ravel(), (R.T @ rotation_matrix(pose[:, :, 3:])).ravel()])


AT_REST = Observer(STILL, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def check_within(model, observer, step, steps, **options):
    """A run of the model and one that another sees: joints, places, and the error of the energy."""
    every = max(1, steps // 8)
    given = {"until": steps * step, "progress": False, **options}
    rest = ht.simulate(model, step=step, save_every=every, **given)
    fine = ht.simulate(model, step=step / 2, save_every=2 * every, **given)
    seen = ht.simulate(seen_by(model, observer), step=step, save_every=every, **given)
    for found, expected, better in (
        (joint_coordinates(seen), joint_coordinates(rest), joint_coordinates(fine)),
        (places_within(seen, observer), places_within(rest, AT_REST), places_within(fine, AT_REST)),
    ):
        error = np.abs(better - expected).max(initial=0.0)
        assert np.abs(found - expected).max(initial=0.0) <= max(1e-9, 2 * error)
    # roundings at 30 km/s: over seeds, formulations and processors they scatter by up to 1.8e-14
    rounding = 4e-14 * max(1.0, largest_energy(rest) / rest.peak_kinetic_energy)
    assert seen.energy_error == pytest.approx(rest.energy_error, rel=1e-3, abs=rounding)
    assert seen.status == rest.status


def largest_energy(run):
    return max(float(np.abs(x).max()) for x in (run.kinetic_energy, run.potential_energy))


# ---- models --------------------------------------------------------------------------------------
def random_tree(seed):
    kinds = ("revolute", "prismatic", "ball", "universal")
    tree = ht.library.floating_tree(5, seed=seed, joints=kinds)
    return tree.with_(gravity=(0.3, -0.2, -9.81))


def pushed_satellite():
    """Loads that are constant in space and in a body, a damper and springs."""
    satellite = ht.library.satellite(2, 2)
    hinge = next(joint.name for joint in satellite.joints if joint.kind == "revolute")
    body = satellite.bodies[0].name
    push = ht.BodyLoad(body, (0.3, -0.1, 0.2), (0.05, 0.0, 0.02), (0.1, 0.0, 0.2))
    thrust = ht.BodyLoad(body, (0.0, 0.4, 0.0), axes="body")
    damper = ht.JointDamper(hinge, 0.02)
    return satellite.with_(forces=[*satellite.forces, push, thrust, damper])


def floating_four_bar():
    """A closed loop whose frame nothing holds."""

    def bar(name, length):
        square = length * length
        return ht.Body(name, 1.0, (length / 2, 0, 0), (1e-3, square / 12, square / 12))

    z = (0.0, 0.0, 1.0)
    bodies = [
        ht.Body("frame", 5.0, inertia=(0.4, 0.3, 0.5)),
        *(bar("crank", 0.2), bar("coupler", 0.5), bar("rocker", 0.4)),
    ]
    spin = {"q": (0.1, 0.2, -0.1, 1, 0, 0, 0), "qdot": (0.1, -0.2, 0.05, 0.3, -0.2, 0.4)}
    joints = [
        ht.Free("free", "ground", "frame", **spin),
        ht.Revolute("A", "frame", "crank", axis=z, q=1.2, qdot=3.0),
        ht.Revolute("B", "crank", "coupler", axis=z, on_parent=(0.2, 0, 0), q=-0.6),
        ht.Revolute("D", "frame", "rocker", axis=z, on_parent=(0.6, 0, 0), q=1.6),
        ht.Revolute("C", "rocker", "coupler", axis=z, on_parent=(0.4, 0, 0), on_child=(0.5, 0, 0)),
    ]
    return ht.Model(bodies, joints, gravity=(0, 0, -9.81), name="floating four-bar")


def attracting_bodies():
    return models.fleet(ht.Gravitation(("b1", "b2", "b3"), constant=0.5))


def molecules():
    return models.molecules(ht.LennardJones(0.5, 0.6))


every_observer = pytest.mark.parametrize("observer", OBSERVERS.values(), ids=OBSERVERS)
fast_and_turned = OBSERVERS["30 km/s, turned, elsewhere"]


# ---- tests ---------------------------------------------------------------------------------------
@every_observer
@pytest.mark.parametrize("make", [pushed_satellite, molecules, attracting_bodies])
def test_free_systems_move_alike_for_every_observer(make, observer):
    check_within(make(), observer, 5e-3, 40)


@pytest.mark.parametrize("seed", range(4))
def test_random_free_trees_move_alike(seed):
    check_within(random_tree(seed), FAR_AWAY, 2e-3, 40)


@every_observer
def test_a_closed_loop_that_floats_moves_alike(observer):
    held = {"assemble": ["free", "A"]}
    check_within(floating_four_bar(), observer, 2e-3, 40, **held)


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [
        ("hamiltonian_tree", "rk4"),
        ("hamiltonian_tree", "stormer_verlet"),
        ("hamiltonian_tree", "discrete_gradient"),
        ("kane_relative", "rk4"),
        ("kane_relative", "gauss8"),
        ("cartesian_1", "rk4"),
        ("cartesian_2", "rk4"),
        ("cartesian_3", "rk4"),
        ("cartesian_3", "gauss4"),
        ("kane_absolute", "rk4"),
        ("cartesian_hamiltonian", "spark4"),
    ],
)
def test_every_formulation_sees_a_tree_alike(formulation, integrator):
    options = {"formulation": formulation, "integrator": integrator}
    observer = fast_and_turned._replace(place=(0.0, 0.0, 0.0))
    check_within(random_tree(2), observer, 2e-3, 24, **options)


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [
        ("free_bodies_quaternion", "gauss8"),
        ("free_bodies_quaternion", "splitting4"),
        ("free_bodies_quaternion", "rk4"),
        ("free_bodies_rotation", "rattle"),
        ("free_bodies_rotation", "quat_em"),
    ],
)
def test_bodies_apart_are_seen_alike(formulation, integrator):
    options = {"formulation": formulation, "integrator": integrator}
    check_within(molecules(), fast_and_turned, 5e-3, 40, **options)
