"""How near the constraints of a run are to losing rank: singular values of their Jacobian.

The Jacobian is that of the independent rows by the speeds of the tree, without units: displacements
in parts of the size of the mechanism, angles as they are. Where its smallest singular value is
zero, rows depend on each other: a singular position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.row_tables import owner_of
from hamiltree.errors import OptionError

if TYPE_CHECKING:
    import xarray as xr


# samples at one of which the rows are chosen that are independent there: the start may be singular
CANDIDATES = 4


def of_trajectory(run: Any) -> xr.Dataset:
    """`singular_value` by (t, number), the largest first; `ratio`, of the smallest to the largest;
    `part`, the joint or constraint with the largest share in the smallest.
    """
    import xarray as xr

    q = run.q.values
    few = q[np.linspace(0, len(q) - 1, min(len(q), CANDIDATES)).astype(int)]
    mechanism = max((Mechanism(run.model, each) for each in few), key=lambda found: found.rank)
    if not mechanism.rank:
        raise OptionError(f"model '{run.model.name}' has no loops or constraints")
    names = [owner_of(spec) for spec in mechanism.independent_specs]
    values = np.empty((len(q), len(names)))
    parts = []
    for k, position in enumerate(q):
        vectors, values[k], _ = np.linalg.svd(
            mechanism.scaled_jacobian_at(position)[mechanism.kept], full_matrices=False
        )
        parts.append(names[int(np.abs(vectors[:, -1]).argmax())])
    return xr.Dataset(
        {
            "singular_value": (("t", "number"), values),
            "ratio": ("t", values[:, -1] / values[:, 0]),
            "part": ("t", parts),
        },
        coords={"t": run.t.values},
    )
