"""`ht.dynamics(model)`: a model bound to the rigid-body algorithms, trees and mechanisms alike."""

from __future__ import annotations

from collections.abc import Sequence

from hamiltree.algorithms.constrained import ConstrainedDynamics
from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.errors import OptionError
from hamiltree.model import Model


def dynamics(model: Model, independent: Sequence[str] | str | None = None) -> Dynamics:
    """A model bound to the rigid-body algorithms: `d = ht.dynamics(model)`, then d.mass_matrix(q),
    d.forward_dynamics(q, qdot, tau), …

    With loops, constraints or drives it is a ConstrainedDynamics; `independent` names the speeds
    (or joints) that then determine all others, a well-conditioned choice unless given.
    """
    if isinstance(model, Model) and model.has_rows:
        return ConstrainedDynamics(model, independent)
    if independent is not None:
        raise OptionError(
            "independent: all speeds of a tree are independent; it is for models with loops, "
            "constraints or drives"
        )
    return Dynamics(model)
