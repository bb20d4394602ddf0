"""Momentum in runs: kept to round-off along the directions that the root leaves free, and not along
others.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import GROUND

NO_GRAVITY = (0.0, 0.0, 0.0)


def run(model, until=2.0, step=2e-3, integrator="gauss8"):
    return ht.simulate(
        model, until=until, step=step, integrator=integrator, save_every=20, progress=False
    )


def momenta(model, done):
    """(samples, 6): angular momentum about the world's origin and linear momentum, by the
    services.
    """
    found = ht.dynamics(model).momentum(done.q.values, done.speeds.values)
    return np.concatenate([found.angular, found.linear], axis=1)


def size_of_momenta(model, done):
    """Σ |r × m v| + Σ |I ω| and Σ |m v| over the bodies, the largest of all samples: what round-off
    is measured against.
    """
    pose, twist = done.poses.values, done.twists.values
    angular = linear = 0.0
    for b, body in enumerate(model.bodies):
        R = rotation_matrices(pose[:, b, 3:])
        arm, inertia = R @ np.array(body.com), R @ np.array(body.inertia) @ np.swapaxes(R, 1, 2)
        push = body.mass * (twist[:, b, 3:] + np.cross(twist[:, b, :3], arm))
        spin = np.einsum("kij,kj->ki", inertia, twist[:, b, :3])
        angular = angular + length(np.cross(pose[:, b, :3] + arm, push)) + length(spin)
        linear = linear + length(push)
    return np.repeat([angular.max(), linear.max()], 3)


def length(vectors):
    return np.linalg.norm(vectors, axis=1)


def rotation_matrices(quaternions):
    w, v = quaternions[:, 0], quaternions[:, 1:]
    skew = np.cross(np.eye(3), v[:, None, :])
    return (
        (w * w - (v * v).sum(1))[:, None, None] * np.eye(3)
        + 2 * v[:, :, None] * v[:, None, :]
        + 2 * w[:, None, None] * skew
    )


def changes(model, done):
    """The largest change of each of the six, relative to what could have cancelled."""
    found = momenta(model, done)
    return abs(found - found[0]).max(0) / size_of_momenta(model, done)


def on_root(root):
    """A body on the given root that carries a hinge, a ball and a universal joint, all moving; no
    gravity.
    """
    rng = np.random.default_rng(4)
    names = [root.child, "arm", "hand", "tail"]
    bodies = [
        ht.Body(
            name, rng.uniform(0.5, 2), 0.2 * rng.normal(size=3), tuple(rng.uniform(0.1, 0.15, 3))
        )
        for name in names
    ]
    frames = [
        ht.Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.3 * rng.normal(size=3))
        for _ in range(3)
    ]
    joints = [
        root,
        ht.Revolute("elbow", root.child, "arm", frames[0], qdot=1.3),
        ht.Ball("wrist", "arm", "hand", frames[1], qdot=(0.5, -1.0, 0.8)),
        ht.Universal("tail", root.child, "tail", frames[2], q=(0.2, 0.4), qdot=(1.0, -0.7)),
    ]
    return ht.Model(bodies, joints, gravity=NO_GRAVITY)


FREE = {
    "satellite": lambda: ht.library.satellite(3, 2),
    "floating tree": lambda: ht.library.floating_tree(
        6, seed=2, joints=("revolute", "ball", "universal", "gimbal", "cylindrical")
    ),
    "ball and universal": lambda: on_root(
        ht.Free("root", GROUND, "base", qdot=(0.1, 0.2, -0.3, 0.4, 0.5, -0.6))
    ),
}


@pytest.mark.parametrize("name", FREE)
def test_a_free_root_keeps_all_six(name):
    model = FREE[name]()
    assert changes(model, run(model)).max() <= 1e-13


def test_a_translation_root_keeps_linear_momentum_and_not_angular():
    model = on_root(ht.Translation("root", GROUND, "base", qdot=(0.1, 0.2, -0.3)))
    found = changes(model, run(model))
    assert found[3:].max() <= 1e-13 and found[:3].min() > 1e-2


def test_a_planar_root_keeps_two_linear_momenta_and_one_angular():
    model = on_root(ht.Planar("root", GROUND, "base", qdot=(0.1, 0.2, -0.3)))
    found = changes(model, run(model))
    kept = [2, 3, 4]  # about z, along x and y
    assert found[kept].max() <= 1e-13 and np.delete(found, kept).min() > 1e-2


def test_a_gimbal_root_keeps_momentum_about_its_first_axis_exactly_and_the_others_to_the_order():
    """Angular momentum is then not bilinear in q and p; gauss4 halved keeps it 16 times as well."""
    model = on_root(ht.Gimbal("root", GROUND, "base", q=(0.3, 0.4, 0.2), qdot=(0.5, -0.3, 0.8)))
    coarse, fine, finest = (
        changes(model, run(model, 1.6, step, "gauss4")) for step in (8e-2, 4e-2, 2e-2)
    )
    assert max(coarse[2], fine[2], finest[2]) <= 1e-13
    slopes = np.log2([coarse[:2] / fine[:2], fine[:2] / finest[:2]])
    assert finest[:2].min() > 1e-11 and abs(slopes - 4).max() < 0.3


def test_a_ball_root_keeps_angular_momentum_about_the_vertical_under_gravity():
    model = on_root(ht.Ball("root", GROUND, "base", qdot=(0.5, -0.3, 0.8))).with_(
        gravity=(0.0, 0.0, -9.81)
    )
    found = changes(model, run(model))
    assert found[2] <= 1e-13 and found[:2].min() > 1e-2


def test_a_ball_root_keeps_angular_momentum_and_not_linear_without_gravity():
    model = on_root(ht.Ball("root", GROUND, "base", qdot=(0.5, -0.3, 0.8)))
    found = changes(model, run(model))
    assert found[:3].max() <= 1e-13 and found[3:].min() > 1e-2


def test_rk4_keeps_linear_momentum_alone():
    """Linear invariants every Runge–Kutta method keeps, quadratic ones only the symplectic."""
    model = FREE["ball and universal"]()
    found = changes(model, run(model, 2.0, 2e-2, "rk4"))
    assert found[3:].max() <= 1e-13 and found[:3].max() > 1e-9
