"""Which rows of a constraint Jacobian are independent, and along which speeds all of them are zero.

The Jacobian has no units: angles are as they are, displacements in parts of a length.
"""

import numpy as np

RANK_TOLERANCE = 1e-9  # what is left of a row beside the others, as a part of it


def select_independent_rows(G: np.ndarray) -> np.ndarray:
    """Rows of a well-conditioned basis: the longest is taken first, then what is longest beside
    those that were taken.
    """
    rest = G.copy()
    lengths = np.linalg.norm(G, axis=1)
    chosen = np.zeros(len(G), dtype=bool)
    largest = float(lengths.max()) if len(G) else 0.0
    for _ in range(min(G.shape) if G.size else 0):
        left = np.linalg.norm(rest, axis=1)
        left[chosen] = -1.0
        k = int(np.argmax(np.where(left >= 0.999 * left.max(), np.arange(len(left), 0, -1), 0)))
        if left[k] <= RANK_TOLERANCE * largest:
            break
        chosen[k] = True
        unit = rest[k] / left[k]
        for _again in range(2):
            rest -= np.outer(rest @ unit, unit)
    return chosen


def null_space(G: np.ndarray) -> np.ndarray:
    if not G.size:
        return np.eye(G.shape[1])
    _, s, vh = np.linalg.svd(G)
    rank = int((s > RANK_TOLERANCE * s.max()).sum()) if len(s) else 0
    return vh[rank:].T
