"""Accelerations with equality constraints from MuJoCo's own numbers: rigid, by one linear system.

M a + Jᵀλ = passive − bias, J a = −J̇ v, with M, bias, passive forces and J of MuJoCo, and J̇ v by
differences of J along v.
"""

import mujoco
import numpy as np

STEP = 1e-3  # of five points: an error of the fourth order


def constrained_data(mj, qpos, qvel):
    """MuJoCo at a state, with nothing but equality constraints switched on."""
    bits = mujoco.mjtDisableBit
    for bit in (bits.mjDSBL_CONTACT, bits.mjDSBL_LIMIT, bits.mjDSBL_FRICTIONLOSS):
        mj.opt.disableflags |= int(bit)
    mj.opt.disableflags |= int(bits.mjDSBL_ACTUATION)
    data = mujoco.MjData(mj)
    data.qpos[:], data.qvel[:] = qpos, qvel
    mujoco.mj_forward(mj, data)
    return data


def jacobian(mj, qpos):
    """J of the active equality constraints, whether MuJoCo keeps it dense or sparse."""
    mj.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = constrained_data(mj, qpos, np.zeros(mj.nv))
    is_equality = data.efc_type == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    return data.efc_J.reshape(-1, mj.nv)[is_equality], data.efc_pos[is_equality]


def moved(mj, qpos, qvel, time):
    out = np.array(qpos, dtype=float)
    mujoco.mj_integratePos(mj, out, qvel, time)
    return out


def consistent_position(mj, qpos, iterations=50):
    """A position near this one at which the constraints hold, by Gauss and Newton."""
    for _ in range(iterations):
        J, residual = jacobian(mj, qpos)
        qpos = moved(mj, qpos, -np.linalg.pinv(J, rcond=1e-9) @ residual, 1.0)
    assert np.abs(jacobian(mj, qpos)[1]).max() < 1e-13
    return qpos


def consistent_velocity(mj, qpos, qvel):
    """The nearest velocity that keeps the constraints."""
    J, _ = jacobian(mj, qpos)
    return qvel - np.linalg.pinv(J, rcond=1e-9) @ (J @ qvel)


def accelerations(mj, qpos, qvel):
    """(qacc, and linear and angular accelerations of all bodies but the world): of the centre of
    mass in world axes, and ω̇ in body axes.
    """
    J, _ = jacobian(mj, qpos)
    weights = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
    rate = sum(
        w * jacobian(mj, moved(mj, qpos, qvel, k * STEP))[0] / STEP for k, w in weights.items()
    )
    data = constrained_data(mj, qpos, qvel)
    M = np.zeros((mj.nv, mj.nv))
    for row, unit in zip(M, np.eye(mj.nv), strict=True):
        mujoco.mj_mulM(mj, data, row, unit)
    data.qacc[:] = solve(M, J, data.qfrc_passive - data.qfrc_bias, -rate @ qvel)
    return data.qacc.copy(), *body_accelerations(mj, data)


def solve(M, J, force, target):
    """a of M a + Jᵀλ = force, J a = target; rows of J may depend on each other. Coordinates are
    scaled by their own inertia, so that tonnes and grams may meet.
    """
    scale = 1 / np.sqrt(np.diag(M))
    sizes = np.linalg.norm(J * scale, axis=1)
    sizes[sizes == 0.0] = 1.0
    K = J * scale / sizes[:, None]
    system = np.block([[M * np.outer(scale, scale), K.T], [K, np.zeros((len(J), len(J)))]])
    right = np.concatenate([force * scale, target / sizes])
    return scale * np.linalg.lstsq(system, right, rcond=1e-12)[0][: len(M)]


def body_accelerations(mj, data):
    mujoco.mj_rnePostConstraint(mj, data)
    is_off = mj.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    gravity = np.zeros(3) if is_off else mj.opt.gravity
    linear, angular = [], []
    for body in range(1, mj.nbody):
        six = np.zeros(6)
        mujoco.mj_objectAcceleration(mj, data, mujoco.mjtObj.mjOBJ_BODY, body, six, 0)
        linear.append(six[3:] + gravity)
        angular.append(data.xmat[body].reshape(3, 3).T @ six[:3])
    return np.array(linear), np.array(angular)
