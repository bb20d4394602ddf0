"""All six vibrations of Stewart's platform against energies that are written down here: of the
platform and its legs as functions of the pose of the platform, without joints and constraints.
"""

from itertools import pairwise

import numpy as np
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

import hamiltree as ht

POSITION = (0.1, 0.05, 1.0)  # aside: no two frequencies are the same
BASE, PLATFORM, MASS, STIFFNESS, GRAVITY = 1.0, 0.6, 50.0, 2e4, 9.81
CENTRE = np.array([0.0, 0.0, 0.02])  # of the disc, above its lower side
STEPS = 2.0 ** -np.arange(4, 8)  # m and rad, of differences


def on_circle(radius, aside):
    angles = np.radians([120.0 * k + sign * aside for k in range(3) for sign in (-1, 1)])
    return radius * np.stack([np.cos(angles), np.sin(angles), np.zeros(6)], axis=1)


FEET, HEADS = on_circle(BASE, 10.0), on_circle(PLATFORM, 50.0)
REST = np.linalg.norm(np.array(POSITION) + HEADS - FEET, axis=1)  # of the springs
HALF = 0.3 * REST  # from the foot to the centre of the lower tube, from the head to the upper one


def potential_energy(poses):
    """(poses,) of positions and rotation vectors."""
    turn = Rotation.from_rotvec(poses[:, 3:]).as_matrix()
    legs = poses[:, None, :3] + HEADS @ turn.transpose(0, 2, 1) - FEET
    lengths = np.linalg.norm(legs, axis=2)
    up = legs[..., 2] / lengths
    heights = MASS * (poses[:, :3] + turn @ CENTRE)[:, 2]
    heights += ((4.0 * HALF + 2.0 * (lengths - HALF)) * up).sum(axis=1)
    return GRAVITY * heights + 0.5 * STIFFNESS * ((lengths - REST) ** 2).sum(axis=1)


def moved(pose, deltas):
    """By displacements, and turns in world axes after the rotation."""
    turn = Rotation.from_rotvec(deltas[:, 3:]) * Rotation.from_rotvec(pose[3:])
    return np.hstack([pose[:3] + deltas[:, :3], turn.as_rotvec()])


def extrapolate(rows):
    """The limit of differences with steps that are halved, whose error is a series in h²."""
    for k in range(1, len(rows)):
        rows = [b + (b - a) / (4.0**k - 1.0) for a, b in pairwise(rows)]
    return rows[0]


def slopes(pose):
    """V' and V'' by differences."""
    axes, first, second = np.eye(6), [], []
    ones, others = np.repeat(axes, 6, axis=0), np.tile(axes, (6, 1))
    for h in STEPS:
        ahead, back = (potential_energy(moved(pose, s * h * axes)) for s in (1, -1))
        first.append((ahead - back) / (2 * h))
        plus, minus = (
            potential_energy(moved(pose, h * (ones + s * others)))
            + potential_energy(moved(pose, -h * (ones + s * others)))
            for s in (1, -1)
        )
        second.append((plus - minus) / (4 * h * h))
    return extrapolate(first), extrapolate(second).reshape(6, 6)


def lever(arm):
    """ω × arm = lever(arm) ω."""
    return np.cross(arm, np.eye(3))


def cylinder_matrix(velocity, omega, mass, radius, length, axis):
    """M of a solid cylinder whose centre has the velocity `velocity` ξ̇, and ω = `omega` ξ̇."""
    across, along = mass * (3 * radius**2 + length**2) / 12, 0.5 * mass * radius**2
    inertia = across * np.eye(3) + (along - across) * np.outer(axis, axis)
    return mass * velocity.T @ velocity + omega.T @ inertia @ omega


def leg_matrix(foot, arm, half, rest, pose):
    """M of both tubes of a leg. Its foot turns about x by a, then about its own y by b: the leg is
    (sin b, −sin a cos b, cos a cos b) times its length.
    """
    x, y, z = leg = pose[:3] + arm - foot
    length, aside = np.linalg.norm(leg), np.hypot(y, z)
    axis, of_head = leg / length, np.hstack([np.eye(3), lever(arm)])
    a_rate = np.array([0.0, -z, y]) / aside**2 @ of_head
    b_rate = np.array([aside, -x * y / aside, -x * z / aside]) / length**2 @ of_head
    omega = np.outer([1.0, 0.0, 0.0], a_rate) + np.outer([0.0, z / aside, -y / aside], b_rate)
    lower = lever(half * axis) @ omega
    upper = lever((length - half) * axis) @ omega + np.outer(axis, axis @ of_head)
    return cylinder_matrix(lower, omega, 4.0, 0.03, 0.6 * rest, axis) + cylinder_matrix(
        upper, omega, 2.0, 0.02, 0.6 * rest, axis
    )


def mass_matrix(pose, turn):
    """M of velocity and ω of the platform, in which the legs move with it."""
    velocity = np.hstack([np.eye(3), lever(turn @ CENTRE)])
    omega = np.hstack([np.zeros((3, 3)), np.eye(3)])
    M = cylinder_matrix(velocity, omega, MASS, PLATFORM, 0.04, turn[:, 2])
    legs = zip(FEET, HEADS @ turn.T, HALF, REST, strict=True)
    return M + sum(leg_matrix(*leg, pose) for leg in legs)


def test_all_six_vibrations_of_the_platform_are_those_of_its_energies():
    rest = np.array([*POSITION, 0.0, 0.0, 0.0])
    for _ in range(6):
        force, K = slopes(rest)
        rest = moved(rest, -np.linalg.solve(K, force)[None])[0]
    turn = Rotation.from_rotvec(rest[3:]).as_matrix()
    squares, shapes = eigh(K, mass_matrix(rest, turn))
    found = ht.modes(ht.equilibrium(ht.library.stewart(position=POSITION)))
    linear = found.linear
    assert np.abs(found.frequencies / np.sqrt(squares) - 1.0).max() < 1e-10
    assert np.abs(np.sort(linear.eigenvalues.imag)[6:] / np.sqrt(squares) - 1.0).max() < 1e-10
    assert np.abs(linear.velocity_matrix).max() < 1e-10 * np.abs(linear.M).max()
    centre = shapes[:3] + lever(turn @ CENTRE) @ shapes[3:]  # world axes
    wanted = np.vstack([centre, turn.T @ shapes[3:]]).T
    seen = found.shapes.sel(body="platform").values
    seen *= np.sign((seen * wanted).sum(axis=1))[:, None]
    assert np.abs(seen - wanted).max() < 1e-9
