"""A singular mass matrix is refused by the name of the joint wherever its inverse is asked for, and
couplings make regular ones of links without inertia: both against dense matrices in NumPy.
"""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import ModelError, OptionError

SEED = 5
# units of mass, length: those of a satellite, of a micrometre's robot, and powers of two
UNITS = [(1.0, 1.0), (4096.0, 1024.0), (2.0**-50, 2.0**-20), (1e-15, 1e-6)]


def lone_hinge(mass=1.0, length=1.0):
    """A floating robot; the last link of one arm has no inertia."""
    hub = ht.Body("hub", mass, (0.0, 0.1 * length, 0.0), 0.3 * mass * length**2)
    arm = ht.Body("arm", 0.5 * mass, (0.2 * length, 0.0, 0.0), 0.1 * mass * length**2)
    joints = [
        ht.Free("base", "ground", "hub"),
        ht.Revolute("shoulder", "hub", "arm", on_parent=(0.3 * length, 0.0, 0.0)),
        ht.Revolute("hand", "arm", "pointer", axis=(0.6, 0.8, 0.0), on_parent=(length, 0.0, 0.0)),
    ]
    return ht.Model([hub, arm, ht.Body("pointer")], joints, name="floating")


def elbow(mass=1.0, length=1.0, couplings=()):
    """Two hinges; the first link has no inertia, the second is a point mass: aligned, the first
    hinge moves it no more than the second does.
    """
    bob = ht.Body("bob", mass, (0.7 * length, 0.0, 0.0))
    joints = [
        ht.Revolute("upper", "ground", "rod", axis=(0.0, 1.0, 0.0)),
        ht.Revolute("lower", "rod", "bob", axis=(0.0, 1.0, 0.0), on_parent=(length, 0.0, 0.0)),
    ]
    return ht.Model([ht.Body("rod"), bob], joints, couplings=couplings, name="elbow")


def asks(d, q, u):
    """Every question that needs the inverse of the mass matrix."""
    return {
        "forward_dynamics": lambda: d.forward_dynamics(q, u),
        "solve": lambda: d.solve(q, u),
        "factor": lambda: d.factor(q),
        "forward_derivatives": lambda: d.forward_derivatives(q, u),
    }


@pytest.mark.parametrize("units", UNITS)
def test_a_floating_robot_with_a_link_without_inertia_is_refused_by_joint(units):
    model = lone_hinge(*units)
    d = ht.dynamics(model)
    rng = np.random.default_rng(SEED)
    speeds = rng.normal(size=(6, len(model.speeds)))
    speeds[:, :3] *= units[1]
    q = d.integrate(model.start()[0], speeds)
    for given, where in ((q[0], ""), (q, " in state 0")):
        for ask in asks(d, given, speeds[0] if given.ndim == 1 else speeds).values():
            with pytest.raises(OptionError, match=f"matrix is singular{where}: joint 'hand'"):
                ask()
    with pytest.raises(ModelError, match="joint 'hand'"):
        ht.simulate(model, until=0.01, progress=False)


@pytest.mark.parametrize("units", UNITS)
def test_a_matrix_that_is_singular_somewhere_is_refused_only_there(units):
    model = elbow(*units)
    d = ht.dynamics(model)
    tau = units[0] * units[1] ** 2 * np.array([0.3, 0.7])
    away = np.array([0.4, 1e-4])
    expected = np.linalg.solve(d.mass_matrix(away), tau - d.bias(away, [0.0, 0.0]))
    found = d.forward_dynamics(away, [0.0, 0.0], tau)
    np.testing.assert_allclose(found, expected, rtol=1e-6)
    qdot, _ = ht.evaluate(model, away, tau)
    np.testing.assert_allclose(qdot, np.linalg.solve(d.mass_matrix(away), tau), rtol=1e-6)

    aligned = np.array([0.4, 0.0])
    states = np.array([away, away, away, away, away, aligned, away])
    for given, where in ((aligned, ""), (states, " in state 5")):
        message = f"the mass matrix is singular{where}: joint 'upper'"
        for ask in asks(d, given, np.broadcast_to(tau, given.shape)).values():
            with pytest.raises(OptionError, match=message):
                ask()
        with pytest.raises(OptionError, match=message):
            ht.evaluate(model, given, np.broadcast_to(tau, given.shape).copy())


def test_what_needs_no_inverse_is_answered_at_a_singular_position():
    model = elbow()
    d = ht.dynamics(model)
    q, u = np.array([0.4, 0.0]), np.array([1.0, -0.5])
    M = d.mass_matrix(q)
    assert np.linalg.matrix_rank(M) == 1
    change = d.inverse_dynamics(q, u, [0.2, 0.1]) - d.bias(q, u)
    np.testing.assert_allclose(change, M @ [0.2, 0.1], rtol=1e-12)


# ---- couplings -----------------------------------------------------------------------------------
def coupled_matrix(model, q):
    """Kᵀ M K of the uncoupled tree, x = K q̇, in NumPy."""
    tree = model.with_(couplings=())
    leader = {name: follower.leader for name, follower in model.followers.items()}
    K = np.zeros((len(tree.speeds), len(model.speeds)))
    x = np.zeros(len(tree.coordinates))
    for row, name in enumerate(tree.speeds):
        follower = model.followers.get(name)
        column = model.speeds.index(leader.get(name, name))
        K[row, column] = 1.0 if follower is None else follower.ratio
        x[row] = K[row, column] * q[column] + (0.0 if follower is None else follower.offset)
    return K.T @ ht.dynamics(tree).mass_matrix(x) @ K, tree, x, K


def telescope(tubes=3, ratio=1.0):
    """Slides in series, all but the last tube without inertia, each following the first."""
    names = [f"tube{k}" for k in range(tubes)]
    bodies = [*map(ht.Body, names[:-1]), ht.Body(names[-1], 2.0, (0.1, 0.2, 0.0), 0.1)]
    joints = [
        ht.Prismatic(f"s{k}", inner, outer, axis=(0.0, 0.0, 1.0))
        for k, (inner, outer) in enumerate(zip(["ground", *names], names, strict=False))
    ]
    couplings = [ht.Mimic(f"s{k}", "s0", ratio=ratio) for k in range(1, tubes)]
    return ht.Model(bodies, joints, couplings=couplings, name="telescope")


def random_robot(seed):
    """A tree of hinges and slides, half of its links without inertia, the last ones with; every
    link without inertia is coupled to one that has some.
    """
    rng = np.random.default_rng(seed)
    tree = ht.library.tree(9, seed=seed, joints=("revolute", "prismatic"))
    light = [body.name for body in tree.bodies[:-1] if rng.random() < 0.5]
    joint_of = {joint.child: joint.name for joint in tree.joints}
    heavy = [joint_of[body.name] for body in tree.bodies if body.name not in light]
    bodies = [ht.Body(body.name) if body.name in light else body for body in tree.bodies]
    couplings = [
        ht.Mimic(joint_of[name], str(rng.choice(heavy)), ratio=rng.uniform(0.5, 2.0), offset=0.1)
        for name in light
    ]
    joints = [replace(joint, q=0.0, qdot=0.0) for joint in tree.joints]
    return tree.with_(bodies=bodies, joints=joints, couplings=couplings)


@pytest.mark.parametrize(
    "model",
    [
        telescope(2),
        telescope(5),
        elbow(couplings=[ht.Mimic("lower", "upper", ratio=2.0)]),
        elbow(couplings=[ht.Mimic("upper", "lower", ratio=-1.5)]),
        *map(random_robot, range(8)),
    ],
    ids=lambda model: model.name,
)
def test_couplings_make_regular_what_links_alone_do_not(model):
    """At random positions, far out along slides too, and at zero, where some links are aligned."""
    d = ht.dynamics(model)
    n = len(model.speeds)
    rng = np.random.default_rng(SEED)
    states = np.vstack([np.zeros((1, n)), rng.normal(size=(8, n)), 30.0 * rng.normal(size=(3, n))])
    for q in states:
        u, tau = rng.normal(size=(2, n))
        M, tree, x, K = coupled_matrix(model, q)
        bias = K.T @ ht.dynamics(tree).bias(x, K @ u)
        limit = 1e-14 * np.linalg.cond(M) + 1e-11
        expected = np.linalg.solve(M, tau - bias)
        scale = np.abs(np.linalg.inv(M)) @ (np.abs(tau) + np.abs(bias))
        found = d.forward_dynamics(q, u, tau, forces=False)
        assert (np.abs(found - expected) <= limit * scale).all()
        qdot, _ = ht.evaluate(model, q, tau)
        assert (np.abs(qdot - np.linalg.solve(M, tau)) <= limit * scale).all()


def test_a_coupled_elbow_runs_through_its_aligned_position():
    """By Kane's equations, which have the coupled mass matrix."""
    model = elbow(couplings=[ht.Mimic("lower", "upper", ratio=-2.0)])
    runs = [
        ht.simulate(
            model, q=[0.5], qdot=[-3.0], until=1.0, step=0.005, formulation=name, progress=False
        )
        for name in ("hamiltonian_tree", "kane_relative")
    ]
    angles = runs[0].q.values[:, 0]
    assert angles.min() < 0.0 < angles.max()
    np.testing.assert_allclose(runs[1].q.values, runs[0].q.values, rtol=0, atol=1e-10)
    assert runs[0].energy_error < 1e-10


def gripper(mass):
    """Two fingers that a mimic joint holds together, on a hinged palm."""
    bodies = [
        ht.Body("palm", 1.0, inertia=0.1),
        *(ht.Body(name, mass, inertia=0.01 * mass) for name in ("left", "right")),
    ]
    joints = [
        ht.Revolute("wrist", "ground", "palm", axis=(0.0, 1.0, 0.0), on_child=(0.0, 0.0, 0.3)),
        ht.Prismatic("finger", "palm", "left", axis=(1.0, 0.0, 0.0)),
        ht.Prismatic("other finger", "palm", "right", axis=(-1.0, 0.0, 0.0)),
    ]
    return ht.Model(bodies, joints, couplings=[ht.Mimic("other finger", "finger")], name="gripper")


def test_a_gripper_with_massless_fingers_is_refused_by_a_finger():
    message = "joint 'other finger': the inertia that it moves together with 'finger' vanishes"
    d = ht.dynamics(gripper(0.0))
    q, u = np.array([0.3, 0.1]), np.array([0.2, 0.4])
    for ask in asks(d, q, u).values():
        with pytest.raises(OptionError, match=message):
            ask()
    assert np.isfinite(d.inverse_dynamics(q, u, u)).all()
    for formulation in ("hamiltonian_tree", "kane_relative"):
        with pytest.raises(ModelError, match=f"{message}.*give the bodies beyond it mass"):
            ht.simulate(gripper(0.0), until=0.01, formulation=formulation, progress=False)
    heavy = ht.dynamics(gripper(0.1))
    np.testing.assert_allclose(
        heavy.solve(q, u), np.linalg.solve(heavy.mass_matrix(q), u), rtol=1e-12
    )


def test_couplings_that_let_no_mass_move_are_refused():
    """The inner tube goes up as the outer one goes down: the mass stays where it is."""
    model = telescope(2, ratio=-1.0)
    assert ht.dynamics(model).mass_matrix([0.3]) == 0.0
    with pytest.raises(OptionError, match="joint 's1'.*together with 's0' vanishes"):
        ht.dynamics(model).solve([0.3], [1.0])
    moving = model.with_(bodies=[replace(model.bodies[0], mass=1e-6), model.bodies[1]])
    assert ht.dynamics(moving).solve([0.3], [1.0]) == pytest.approx(1e6, rel=1e-8)
