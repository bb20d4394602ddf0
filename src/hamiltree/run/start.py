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

    @property
    def is_default(self) -> bool:
        """Whether it is that of the problem itself."""
        return (
            self.t == 0.0
            and self.q is None
            and self.qdot is None
            and self.p is None
            and not self.assemble
            and not self.is_anchored
        )
