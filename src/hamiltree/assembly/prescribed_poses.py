"""Where a prescribed motion puts its body: r(t) and R(t) = exp(θ(t)×)."""

from collections.abc import Sequence

import numpy as np

from hamiltree.assembly.body_states import BodyStates
from hamiltree.errors import OptionError
from hamiltree.model.constraints import Motion
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_exponential
from hamiltree.symbolic.grammar import to_expression
from hamiltree.symbolic.jets import Jet, evaluate


def prescribed_poses(model: Model, joined: BodyStates, t: float) -> tuple[np.ndarray, np.ndarray]:
    """(origins, rotations) of all bodies at time t: as joints place them, but where a Motion
    says otherwise; NaN where its formulas cannot be read, which the formulation will say.
    """
    motions = [part for part in model.constraints if isinstance(part, Motion)]
    if not motions:
        return joined.origin, joined.rotation
    origins, rotations = joined.origin.copy(), joined.rotation.copy()
    index = {body.name: k for k, body in enumerate(model.bodies)}
    for motion in motions:
        k = index[motion.body]
        try:
            origins[k], rotations[k] = prescribed_pose(motion, t, origins[k], rotations[k])
        except OptionError:
            origins[k] = np.nan
    return origins, rotations


def prescribed_pose(
    motion: Motion, t: float, origin: np.ndarray, rotation: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """r(t) and exp(θ(t)×); what is not prescribed stays."""
    if motion.position is not None:
        origin = values_at(motion, motion.position, t)
    if motion.rotation is not None:
        rotation = rotation_exponential(values_at(motion, motion.rotation, t))
    return origin, rotation


def values_at(motion: Motion, formulas: Sequence, t: float) -> np.ndarray:
    """The formulas of a prescribed motion at time t; NaN or infinite where they have no value."""
    return np.array([float(jet.value) for jet in jets_at(motion, formulas, np.float64(t))])


def derivatives_at(motion: Motion, formulas: Sequence, t: float) -> np.ndarray:
    """(formulas, 3): f, ḟ and f̈ of the formulas of a prescribed motion at time t."""
    jets = jets_at(motion, formulas, Jet(np.float64(t), np.float64(1.0)))
    return np.array([[float(jet.value), float(jet.slope), float(jet.bend)] for jet in jets])


def jets_at(motion: Motion, formulas: Sequence, t: Jet | np.float64) -> list[Jet]:
    names = {"t": t}
    names |= {name: np.float64(value) for name, value in motion.parameters.items()}
    what = f"motion of {motion.body!r}"
    trees = [to_expression(one, names, what).tree for one in formulas]
    with np.errstate(all="ignore"):
        return [evaluate(tree, names) for tree in trees]
