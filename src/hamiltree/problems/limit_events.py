"""Events at the limits of joints: where a coordinate passes the bounds that its joint has as
data.
"""

from __future__ import annotations

import math

from hamiltree.errors import OptionError
from hamiltree.model.model import Model
from hamiltree.problems.events import Event, formula_names


def limit_events(model: Model, terminal: bool = False) -> list[Event]:
    """An event for every lower and upper limit of a coordinate, called `elbow upper` and the like,
    where the coordinate leaves its range by more than rounding, 1e-9 of the larger bound:
    simulate(model, events=ht.limit_events(model)).

    `terminal` ends the run at the first of them. Coordinates that follow others pass their limits
    where these do; those of joints that close loops have no event.
    """
    if not isinstance(model, Model):
        raise OptionError(f"limit_events takes a Model, not {type(model).__name__}")
    names = dict(zip(model.coordinates, formula_names(model.coordinates), strict=True))
    events = []
    for label, limits in model.limits.items():
        leader, ratio, offset = model.followers.get(label, (label, 1.0, 0.0))
        if leader not in names:
            continue
        value = f"{ratio!r}*{names[leader]} + ({offset!r})" if leader != label else names[label]
        ends = (
            ("lower", limits.lower - limits.slack, -1),
            ("upper", limits.upper + limits.slack, +1),
        )
        for side, bound, direction in ends:
            if math.isfinite(bound):
                expression = f"{value} - ({bound!r})"
                events.append(Event(expression, direction, "", terminal, f"{label} {side}"))
    return events
