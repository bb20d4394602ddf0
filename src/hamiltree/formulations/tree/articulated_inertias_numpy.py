"""Forward kinematics and articulated inertias of the links of a tree by 6×6 matrices in NumPy: for
a small tree before anything is compiled, and for the influence matrices of analysis/.
"""

import numpy as np

from hamiltree.rotations import normalise, rotation_about_z, rotation_matrix

MAX_LINKS_IN_NUMPY = 64  # links: more take longer here than the compiled sweep


def link_frames(links, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Forward kinematics: rotation of every link, world axes, and its origin from that of its
    parent.
    """
    n = len(links.parent)
    advance = links.slide * q[links.coordinate]
    joint_rotation = rotation_about_z(links.spin * q[links.coordinate])
    for i in np.flatnonzero(links.is_ball):
        attitude = q[links.coordinate[i] : links.coordinate[i] + 4]
        rotation = rotation_matrix(normalise(attitude))
        joint_rotation[i] = rotation.T if links.is_backwards[i] else rotation
    own = links.rotation @ joint_rotation
    frame = np.empty((n + 1, 3, 3))
    arm = np.empty((n, 3))
    frame[n] = np.eye(3)
    for i, parent in enumerate(links.parent):
        frame[i] = frame[parent] @ own[i]
        arm[i] = frame[parent] @ links.offset[i] + frame[i, :, 2] * advance[i]
    return frame[:n], arm


def link_inertias_and_shifts(
    links, frame: np.ndarray, arm: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(n, 6, 6) twice: the spatial inertia of every link alone about its origin, world axes, from
    twists (ω, v) to momenta; and D = [1 0; −[d]× 1], from the twist of its parent's origin to that
    of a point d away.
    """
    n = len(frame)
    moments = np.einsum("nij,nj->ni", frame, links.moment)
    moment, across = np.cross(np.eye(3), np.stack([moments, arm])[:, :, None])  # [·]×
    inertia = np.zeros((n, 6, 6))
    inertia[:, :3, :3] = frame @ links.inertia @ np.swapaxes(frame, 1, 2)
    inertia[:, :3, 3:] = moment
    inertia[:, 3:, :3] = -moment
    inertia[:, 3:, 3:] = links.mass[:, None, None] * np.eye(3)
    shift = np.tile(np.eye(6), (n, 1, 1))
    shift[:, 3:, :3] = -across
    return inertia, shift


def articulated_inertias_numpy(
    links, armature: np.ndarray, branch_mass: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """R_i = Gᵀ J G of every link (of a ball the determinant of its 3×3 block), and the scale of the
    terms that it was summed from: what regularity.fill_inertia_losses finds, without couplings.
    """
    n = len(links.parent)
    frame, arm = link_frames(links, q)
    inertia, shift = link_inertias_and_shifts(links, frame, arm)
    found = np.zeros(n)
    scale = np.trace(links.inertia, axis1=1, axis2=2)
    for i in range(n - 1, -1, -1):
        J = inertia[i]
        parent = links.parent[i]
        size = scale[i]
        if parent < n:
            scale[parent] += scale_on_parent(J, arm[i])
        if links.is_ball[i]:
            found[i], left = eliminate_ball_numpy(J)
            scale[i] = size**3
        else:
            axis = frame[i, :, 2]
            G = np.concatenate([axis * links.spin[i], axis * links.slide[i]])
            U = J @ G
            found[i] = U @ G + armature[i]
            scale[i] = links.spin[i] ** 2 * size + links.slide[i] ** 2 * branch_mass[i]
            left = J - np.outer(U, U / found[i])
        if parent < n:
            inertia[parent] += shift[i].T @ left @ shift[i]
    return found, scale


def scale_on_parent(J: np.ndarray, arm: np.ndarray) -> float:
    """tr A + 2 d² tr C: what an inertia adds to the scale of the link d inside it."""
    return J[0, 0] + J[1, 1] + J[2, 2] + 2.0 * (arm @ arm) * (J[3, 3] + J[4, 4] + J[5, 5])


def eliminate_ball_numpy(J: np.ndarray) -> tuple[float, np.ndarray]:
    """det A of J = [A Bᵀ; B C], and J − U A⁻¹ Uᵀ with U = [A; B]."""
    U = J[:, :3]
    x, y, z = J[:3, :3]
    adjugate = np.array([np.cross(y, z), np.cross(z, x), np.cross(x, y)]).T
    determinant = x @ adjugate[:, 0]
    return determinant, J - U @ (adjugate / determinant) @ U.T
