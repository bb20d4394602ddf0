"""Degrees of freedom of a model with loops, and a start at which they are closed:
`ht.mechanism(model)` and `ht.assemble(model)`.

A start is moved by Newton's method with the least change that closes every loop, its speeds then by
the least change with which every residual rate is zero. Degrees of freedom are counted (speeds of
the tree less constraint rows) and measured (less the rank of the rows).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hamiltree.assembly.closing_starts import is_given, read_joints
from hamiltree.assembly.mechanism import Mechanism, held_speed_indices
from hamiltree.model.bodies import GROUND
from hamiltree.model.joints import Joint, coordinate_labels, speed_labels
from hamiltree.model.model import Model
from hamiltree.model.topology import Topology, spanning_tree


# ---- degrees of freedom --------------------------------------------------------------------------
@dataclass(frozen=True)
class MechanismReport:
    """A model at its start: print it, or ask for its parts."""

    name: str
    degrees_of_freedom: int  # speeds of the tree less independent rows
    # less all rows (Grübler, Kutzbach): too few where rows are redundant
    counted_degrees_of_freedom: int
    # closing joint -> the joints of the tree that it makes a loop with
    loops: dict[str, tuple[str, ...]]
    rows: dict[str, int]  # part -> its constraint rows
    redundant: dict[str, int]  # part -> how many of them follow from the others
    constraint_residuals: dict[str, float]  # part -> its largest residual at the start, m or rad
    residual_rates: dict[str, float]  # part -> the rate of that, m/s or rad/s

    def __str__(self) -> str:
        degrees = plural(self.degrees_of_freedom, "degree")
        return "\n".join([f"{self.name}: {degrees} of freedom{self.count()}", *self.lines()])

    def count(self) -> str:
        """What the formula of Grübler and Kutzbach gives, beside the rank."""
        counted = f" by Jacobian rank, {self.counted_degrees_of_freedom} by Grübler–Kutzbach"
        return counted if self.rows else ""

    def lines(self) -> Iterator[str]:
        """A line for every loop, then one for every part with rows."""
        for closing, others in self.loops.items():
            yield f"  loop closed by joint {closing!r}: {', '.join((*others, closing))}"
        for part, count in self.rows.items():
            redundant = f", {self.redundant[part]} redundant" if part in self.redundant else ""
            yield (
                f"  {part}: {plural(count, 'row')}{redundant}, "
                f"residual {self.constraint_residuals[part]:.1e}, "
                f"residual rate {self.residual_rates[part]:.1e}"
            )


def plural(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def mechanism(model: Model, q: Any = None, qdot: Any = None) -> MechanismReport:
    """Degrees of freedom, loops, redundant rows and constraint residuals of a model at its start,
    or at the q and qdot given as to `simulate`.
    """
    found = Mechanism(model, model.q_from(q))
    parts = [f"{kind} {name!r}" for kind, name in (spec.part for spec in found.specs)]
    state, _ = found.at(found.q, model.qdot_from(qdot))
    return MechanismReport(
        model.name,
        found.degrees_of_freedom,
        found.counted_degrees_of_freedom,
        find_loops(model),
        count_by_part(parts),
        count_by_part([part for part, kept in zip(parts, found.kept, strict=True) if not kept]),
        largest_by_part(parts, state.value),
        largest_by_part(parts, state.rate),
    )


def count_by_part(parts: Sequence[str]) -> dict[str, int]:
    return {part: parts.count(part) for part in dict.fromkeys(parts)}


def largest_by_part(parts: Sequence[str], values: np.ndarray) -> dict[str, float]:
    """Of each part the largest absolute value."""
    found: dict[str, float] = {}
    for part, value in zip(parts, np.abs(values).tolist(), strict=True):
        found[part] = max(value, found.get(part, 0.0))
    return found


def find_loops(model: Model) -> dict[str, tuple[str, ...]]:
    """Of every closing joint the joints of the tree between its two bodies, from its parent to its
    child.
    """
    if not model.closing:
        return {}
    tree = spanning_tree(model)
    place = {model.bodies[body].name: k for k, body in enumerate(tree.order)}
    return {name: joints_between(model, tree, place, model.joint(name)) for name in model.closing}


def joints_between(
    model: Model, tree: Topology, place: dict[str, int], closing: Joint
) -> tuple[str, ...]:
    """The joints on the paths from both bodies to the ground, without those on both paths."""
    one, other = (
        path_to_ground(model, tree, place, body) for body in (closing.parent, closing.child)
    )
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (*one, *reversed(other))


def path_to_ground(model: Model, tree: Topology, place: dict[str, int], body: str) -> list[str]:
    """The joints from a body to the ground."""
    found, at = [], -1 if body == GROUND else place[body]
    while at >= 0:
        found.append(model.joints[tree.joint[at]].name)
        at = int(tree.parent[at])
    return found


# ---- a start that fits ---------------------------------------------------------------------------
def assemble(model: Model, hold: str | Sequence[str] = ()) -> Model:
    """The model with the nearest start at which constraint residuals and their rates are zero;
    `hold` names joints that keep their start values.

    The same start that simulate(…, assemble=True) takes. A model that cannot be closed is refused
    with the part whose residual stays.
    """
    held = held_speed_indices(model, hold)
    q, qdot = model.q_from(), model.qdot_from()
    if model.has_rows:
        q = Mechanism(model, q).closed_positions(q, held)
        qdot = Mechanism(model, q).project_speeds(qdot, held)
    return follow_with_closing_joints(replace_start(model, q, qdot), q, qdot)


def follow_with_closing_joints(model: Model, q: np.ndarray, qdot: np.ndarray) -> Model:
    """Joints that close loops and have start values of their own get those that follow."""
    joints = [joint for joint in map(model.joint, model.closing) if any(is_given(joint))]
    if not joints:
        return model
    fields = {}
    for joint, (own_q, own_qdot) in zip(
        joints, read_joints(Mechanism(model, q), qdot, joints), strict=True
    ):
        positions = dict(zip(coordinate_labels(joint), own_q.tolist(), strict=True))
        speeds = dict(zip(speed_labels(joint), own_qdot.tolist(), strict=True))
        fields[joint.name] = start_fields(joint, positions, speeds)
    return model.with_(joints=fields)


def replace_start(model: Model, q: np.ndarray, qdot: np.ndarray) -> Model:
    """The model that starts at q and qdot; a coordinate that follows another has no start of its
    own.
    """
    positions = dict(zip(model.coordinates, q.tolist(), strict=True))
    speeds = dict(zip(model.speeds, qdot.tolist(), strict=True))
    return model.with_(
        joints={
            joint.name: start_fields(joint, positions, speeds)
            for joint in model.tree_joints
            if joint.coordinates
        }
    )


def start_fields(
    joint: Joint, positions: dict[str, float], speeds: dict[str, float]
) -> dict[str, Any]:
    """Fields q and qdot: numbers of a joint with one axis, else tuples; what has no place in the
    state stays.
    """
    own_q, own_qdot = joint.start()
    q = tuple(
        positions.get(label, own)
        for label, own in zip(coordinate_labels(joint), own_q, strict=True)
    )
    qdot = tuple(
        speeds.get(label, own) for label, own in zip(speed_labels(joint), own_qdot, strict=True)
    )
    return {"q": q[0], "qdot": qdot[0]} if len(q) == 1 else {"q": q, "qdot": qdot}
