"""Row of a comparison: one quantity, how far each formulation is from the reference, and how far
it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hamiltree.analysis.compare.tables import Disagreement

ERROR_FACTOR = 5.0  # times the estimated errors of what is compared: so much it may differ
MAX_TOLERANCE_FACTOR = 1e3  # times the tolerance: what is known less well is not decided


class Row(NamedTuple):
    """How far each formulation is from the reference, (formulations, items); scale and error are
    one number, or one for each of them.
    """

    quantity: str
    unit: str
    deviation: np.ndarray
    scale: Any
    items: Sequence[str]
    error: Any = 0.0  # of what is compared, as far as it is known
    is_absolute: bool = False  # the reference is none of the formulations

    def allowed(self, tolerance: float) -> np.ndarray:
        """(formulations, items): the deviation that is allowed."""
        least = tolerance * np.asarray(self.scale, dtype=float)
        by_error = np.minimum(ERROR_FACTOR * np.asarray(self.error), MAX_TOLERANCE_FACTOR * least)
        return np.broadcast_to(np.maximum(least, by_error), self.deviation.shape)

    def excess(self, tolerance: float) -> np.ndarray:
        """(formulations,) above 1: beyond what is allowed."""
        allowed = self.allowed(tolerance)
        return np.where(
            self.deviation > 0.0,
            self.deviation / np.where(allowed > 0.0, allowed, np.finfo(float).tiny),
            0.0,
        ).max(1, initial=0.0)

    def judge(
        self, names: Sequence[str], tolerance: float, ambiguous_names: str = ""
    ) -> Disagreement:
        """The worst difference and its formulation; `ambiguous_names` if it is not known which."""
        allowed = self.allowed(tolerance)
        scale = np.broadcast_to(self.scale, self.deviation.shape)
        if not self.deviation.size:
            whole = float(np.max(self.scale, initial=0.0))
            return Disagreement(self.quantity, self.unit, 0.0, whole, 0.0, names[0], "", ())
        ratio = self.deviation / np.where(allowed > 0.0, allowed, np.finfo(float).tiny)
        k, item = np.unravel_index(int(ratio.argmax()), ratio.shape)
        beyond = tuple(
            name for name, excess in zip(names, self.excess(tolerance), strict=True) if excess > 1.0
        )
        who = ambiguous_names if ambiguous_names and not self.is_absolute else names[int(k)]
        largest = float(self.deviation[k, item])
        against = float(scale[k, item])
        most = float(allowed[k, item])
        where = self.items[int(item)] if len(self.items) else ""
        return Disagreement(self.quantity, self.unit, largest, against, most, who, where, beyond)
