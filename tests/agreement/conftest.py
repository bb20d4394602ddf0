"""Random trees of every shape, and other ways to write down the same tree."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from hamiltree.model import GROUND, Body, BodyLoad, Frame, JointEffort, JointSpring, Weld, library

EVERY_JOINT = ("revolute", "prismatic", "screw", "weld")

# name: bodies, branching, joints, seed
TREES = {
    "hinge": (1, 1, ("revolute",), 1),
    "slider": (1, 1, ("prismatic",), 2),
    "screw": (1, 1, ("screw",), 3),
    "double pendulum": (2, 1, ("revolute",), 4),
    "chain of 10 hinges": (10, 1, ("revolute",), 5),
    "chain of 8 sliders": (8, 1, ("prismatic",), 6),
    "chain of 12 screws": (12, 1, ("screw",), 7),
    "chain of 30": (30, 1, EVERY_JOINT, 8),
    "star of 20": (20, 20, EVERY_JOINT, 9),
    "binary of 7 screws": (7, 2, ("screw",), 10),
    "binary of 31 hinges and welds": (31, 2, ("revolute", "weld"), 11),
    "ternary of 40": (40, 3, EVERY_JOINT, 12),
}
LONG_TREES = {
    "chain of 200 hinges": (200, 1, ("revolute",), 13),
    "chain of 200": (200, 1, EVERY_JOINT, 14),
    "star of 200": (200, 200, EVERY_JOINT, 15),
    "binary of 200": (200, 2, EVERY_JOINT, 16),
}


def on_a_base(model):
    """The same tree on a base that is welded to the ground, turned and shifted."""
    joints = [
        replace(joint, parent="base") if joint.parent == GROUND else joint for joint in model.joints
    ]
    base = Weld(
        "foundation",
        GROUND,
        "base",
        Frame.about((1, 2, 3), 0.8, (0.1, -0.4, 0.3)),
        Frame.about((0, 1, 1), -0.3, (0.2, 0, 0)),
    )
    return replace(
        model,
        bodies=(Body("base", 3.0, (0.1, 0.0, 0.2), 0.4), *model.bodies),
        joints=(base, *joints),
    )


@cache
def build(name):
    bodies, branching, joints, seed = {**TREES, **LONG_TREES}[name.removesuffix(" on a base")]
    model = library.tree(bodies, branching=branching, seed=seed, joints=joints)
    return on_a_base(model) if name.endswith(" on a base") else model


def pytest_generate_tests(metafunc):
    """`tree` runs over the trees of moderate size, `any_tree` over the long ones too."""
    small = [*TREES, "ternary of 40 on a base"]
    for fixture, names in (("tree", small), ("any_tree", [*small, *LONG_TREES])):
        if fixture in metafunc.fixturenames:
            metafunc.parametrize(
                fixture, [build(name) for name in names], ids=names, scope="session"
            )


# ---- the same tree, written down otherwise -------------------------------------------------------
@pytest.fixture(scope="session")
def shuffled():
    """shuffled(model, seed) -> the model with bodies, joints and forces declared in another order,
    and where each coordinate was before.
    """

    def shuffle(model, seed=0):
        rng = np.random.default_rng(seed)
        mixed = {
            group: tuple(
                getattr(model, group)[k] for k in rng.permutation(len(getattr(model, group)))
            )
            for group in ("bodies", "joints", "forces")
        }
        other = replace(model, **mixed)
        return other, [model.coordinates.index(name) for name in other.coordinates]

    return shuffle


@pytest.fixture(scope="session")
def backwards():
    """backwards(model, seed) -> the model with about half its joints declared from child to parent,
    and the sign of each coordinate.
    """

    def turn_round(model, seed=0):
        rng = np.random.default_rng(seed)
        chosen = {joint.name for joint in model.joints if rng.random() < 0.5} | {
            model.joints[0].name
        }

        def joint_turned(joint):
            if joint.name not in chosen:
                return joint
            start = {"q": -joint.q, "qdot": -joint.qdot} if joint.coordinates else {}
            return replace(
                joint,
                parent=joint.child,
                child=joint.parent,
                on_parent=joint.on_child,
                on_child=joint.on_parent,
                **start,
            )

        def force_turned(force):
            if isinstance(force, JointSpring) and force.joint in chosen:
                return replace(force, rest=-force.rest)
            if isinstance(force, JointEffort) and force.joint in chosen:
                return replace(force, effort=-force.effort)
            return force

        other = replace(
            model,
            joints=tuple(map(joint_turned, model.joints)),
            forces=tuple(map(force_turned, model.forces)),
        )
        return other, np.array([-1.0 if name in chosen else 1.0 for name in model.coordinates])

    return turn_round


@pytest.fixture(scope="session")
def reframed():
    """reframed(model, seed) -> the model with other axes and origins on its bodies and other axes
    in its joint frames.
    """

    def reframe(model, seed=0):
        rng = np.random.default_rng(seed)
        frames = {
            body.name: Frame.about(rng.normal(size=3), rng.uniform(-3, 3), 0.4 * rng.normal(size=3))
            for body in model.bodies
        }
        frames[GROUND] = Frame()

        def body_reframed(body):
            R = frames[body.name].matrix
            return replace(
                body,
                com=R.T @ (body.com - np.array(frames[body.name].position)),
                inertia=R.T @ body.inertia @ R,
            )

        def joint_reframed(joint):
            turn = Frame.about(rng.normal(size=3), rng.uniform(-3, 3))
            ends = {
                side: frames[body].inverse() @ frame @ turn
                for side, body, frame in joint_ends(joint)
            }
            axis = {"axis": turn.matrix.T @ joint.axis} if joint.coordinates else {}
            return replace(joint, **ends, **axis)

        def force_reframed(force):
            if not isinstance(force, BodyLoad):
                return force
            R, origin = frames[force.body].matrix, np.array(frames[force.body].position)
            turned = (
                {"force": R.T @ force.force, "torque": R.T @ force.torque}
                if force.axes == "body"
                else {}
            )
            return replace(force, at=R.T @ (force.at - origin), **turned)

        return replace(
            model,
            bodies=tuple(map(body_reframed, model.bodies)),
            joints=tuple(map(joint_reframed, model.joints)),
            forces=tuple(map(force_reframed, model.forces)),
        )

    def joint_ends(joint):
        return ("on_parent", joint.parent, joint.on_parent), (
            "on_child",
            joint.child,
            joint.on_child,
        )

    return reframe


@pytest.fixture(scope="session")
def build_tree():
    """build_tree(name): a tree of the catalogue, or a small one of every joint on a base."""
    return lambda name: (
        on_a_base(library.tree(9, branching=2, seed=20, joints=EVERY_JOINT))
        if name == "mixed on a base"
        else build(name)
    )
