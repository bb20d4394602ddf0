"""The inertia that every joint of a tree moves, by 6×6 matrices in NumPy: for a small tree, before
anything is compiled.
"""

import numpy as np

from hamiltree.rotations import normalise, rotation_about_z, rotation_matrix, skew

MAX_LINKS_IN_NUMPY = 64  # links: more take longer here than the compiled sweep


def link_frames(links, q) -> tuple[np.ndarray, np.ndarray]:
    """Rotation of every link, world axes, and its origin from that of its parent."""
    n = len(links.parent)
    angle, advance = links.spin * q[links.coordinate], links.slide * q[links.coordinate]
    about_z = rotation_about_z(angle)
    for i in np.flatnonzero(links.is_ball):
        attitude = q[links.coordinate[i] : links.coordinate[i] + 4]
        rotation = rotation_matrix(normalise(attitude))
        about_z[i] = rotation.T if links.is_backwards[i] else rotation
    own, frame, arm = links.rotation @ about_z, np.empty((n + 1, 3, 3)), np.empty((n, 3))
    frame[n] = np.eye(3)
    for i, parent in enumerate(links.parent):
        frame[i] = frame[parent] @ own[i]
        arm[i] = frame[parent] @ links.offset[i] + frame[i, :, 2] * advance[i]
    return frame[:n], arm


def link_spatial_inertias(links, frame: np.ndarray) -> np.ndarray:
    """(n, 6, 6) of every link alone about its origin, world axes: twists (ω, v) to momenta."""
    made = np.zeros((len(frame), 6, 6))
    moment = skew(np.einsum("nij,nj->ni", frame, links.moment))
    made[:, :3, :3] = frame @ links.inertia @ np.swapaxes(frame, 1, 2)
    made[:, :3, 3:], made[:, 3:, :3] = moment, -moment
    made[:, 3:, 3:] = links.mass[:, None, None] * np.eye(3)
    return made


def articulated_inertias_numpy(
    links, armature: np.ndarray, branch_mass: np.ndarray, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What hamiltonian_tree.branches_of finds: R_i = Gᵀ J G of every link, and the size of what it
    was made of.
    """
    n = len(links.parent)
    frame, arm = link_frames(links, q)
    inertia, shift = link_spatial_inertias(links, frame), np.tile(np.eye(6), (n, 1, 1))
    shift[:, 3:, :3] = -skew(arm)
    articulated_inertia, inertia_scale = np.zeros(n), np.trace(links.inertia, axis1=1, axis2=2)
    for i in range(n - 1, -1, -1):
        J, parent, scale = inertia[i], links.parent[i], inertia_scale[i]
        if parent < n:
            inertia_scale[parent] += (
                J[0, 0]
                + J[1, 1]
                + J[2, 2]
                + 2.0 * (arm[i] @ arm[i]) * (J[3, 3] + J[4, 4] + J[5, 5])
            )
        if links.is_ball[i]:
            U, (x, y, z) = J[:, :3], J[:3, :3]
            columns = np.array([np.cross(y, z), np.cross(z, x), np.cross(x, y)]).T
            articulated_inertia[i], inertia_scale[i] = x @ columns[:, 0], scale**3
            left = J - U @ (columns / articulated_inertia[i]) @ U.T
        else:
            axis = frame[i, :, 2]
            G = np.concatenate([axis * links.spin[i], axis * links.slide[i]])
            U = J @ G
            articulated_inertia[i], inertia_scale[i] = (
                U @ G + armature[i],
                links.spin[i] ** 2 * scale + links.slide[i] ** 2 * branch_mass[i],
            )
            left = J - np.outer(U, U / articulated_inertia[i])
        if parent < n:
            inertia[parent] += shift[i].T @ left @ shift[i]
    return articulated_inertia, inertia_scale
