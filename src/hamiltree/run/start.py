"""What a person has given of the start of a run."""

from typing import Any, NamedTuple


class Start(NamedTuple):
    """What a person has given of a start; None is where the problem starts."""

    t: float = 0.0
    q: Any = None
    qdot: Any = None
    p: Any = None
    assemble: Any = None
    is_anchored: bool = False  # an event is fixed in space: no moving origin
    y: Any = None  # of an ode
