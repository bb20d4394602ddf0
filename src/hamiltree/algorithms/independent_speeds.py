"""Independent speeds v of a mechanism: all others, accelerations and efforts by them.

With the rows G u = b, the columns of G are those of the independent speeds and of the others:
u_others = −G_others⁺ G_own v + G_others⁺ b. All rows take part, so that none has to be chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from hamiltree.algorithms.constraint_rows import ConstraintSet, RowsAtState, words_for_state
from hamiltree.assembly.mechanism import RESIDUAL_RATE_TOLERANCE, SLOW
from hamiltree.assembly.row_rank import RANK_TOLERANCE
from hamiltree.errors import OptionError, suggest
from hamiltree.model import Model

Array = np.ndarray


class Split(NamedTuple):
    """G_others⁺ without units, and the rows of G that the independent speeds have."""

    inverse: Array  # (…, others, rows)
    own: Array  # (…, rows, chosen)


class IndependentSpeeds:
    """A choice of speeds that determine all others."""

    def __init__(
        self, constraints: ConstraintSet, G: Array, names: Sequence[str] | str | None = None
    ):
        """By name, or those that determine the others best at the start, whose G is given."""
        self.constraints = constraints
        self.place = constraints.mechanism
        self.model: Model = self.place.model
        count = self.place.degrees_of_freedom
        self.chosen = (
            default_choice(constraints, G, count)
            if names is None
            else speeds_by_name(self.model, names, "independent")
        )
        if len(self.chosen) != count:
            raise OptionError(
                f"independent names {len(self.chosen)} speeds; model '{self.model.name}' has "
                f"{count} degrees of freedom"
            )
        self.others = [k for k in range(len(self.model.speeds)) if k not in self.chosen]

    # ---- kinematics ------------------------------------------------------------------------------
    def split(self, rows: RowsAtState) -> Split:
        """Refused where the independent speeds do not determine the others."""
        G = rows.jacobian / self.place.weights / self.place.row_scale[:, None]
        U, s, Vh = np.linalg.svd(G[..., self.others], full_matrices=False)
        s = s[..., : len(self.others)]
        if self.others:
            largest = np.linalg.norm(G, axis=(-2, -1))
            poor = np.atleast_1d(s[..., -1] <= RANK_TOLERANCE * largest)
            if poor.any() or s.shape[-1] < len(self.others):
                self.refuse(rows, int(poor.argmax()))
        inverse = np.swapaxes(Vh, -1, -2) / s[..., None, :] @ np.swapaxes(U, -1, -2)
        return Split(inverse, G[..., self.chosen])

    def refuse(self, rows: RowsAtState, state: int) -> None:
        """A singular position, or a choice of speeds that does not do there."""
        G = rows.jacobian if rows.jacobian.ndim == 2 else rows.jacobian[state]
        where = words_for_state(rows.value, state, None)
        self.constraints.rows_kept_at(G, where)
        names = ", ".join(repr(self.model.speeds[k]) for k in self.chosen)
        better = [self.model.speeds[k] for k in self.constraints.choose_speeds(G)]
        raise OptionError(
            f"the independent speeds {names} do not determine the others at q{where}; there "
            f"ht.dynamics(model, independent={better!r}) does"
        )

    def basis(self, rows: RowsAtState) -> Array:
        """N, (…, n, f)"""
        split = self.split(rows)
        weights = self.place.weights
        N = np.zeros((*rows.value.shape[:-1], len(weights), len(self.chosen)))
        N[..., self.chosen, range(len(self.chosen))] = 1.0
        inner = -(split.inverse @ split.own)
        scale = weights[self.chosen] / weights[self.others][:, None]
        N[..., self.others, :] = inner * scale
        return N

    def complete(self, rows: RowsAtState, own: Array, is_rate: bool) -> Array:
        """All speeds from the independent ones and the drives, or all accelerations."""
        split = self.split(rows)
        weights = self.place.weights
        # at rest G u + ∂g/∂t is the drives' part
        wanted = (-rows.rate if is_rate else rows.gamma) / self.place.row_scale
        rest = wanted - (split.own @ (own * weights[self.chosen])[..., None])[..., 0]
        out = np.zeros((*rest.shape[:-1], len(weights)))
        out[..., self.chosen] = own
        out[..., self.others] = (split.inverse @ rest[..., None])[..., 0] / weights[self.others]
        return out

    def project(self, rows: RowsAtState, efforts: Array) -> Array:
        """Nᵀ of efforts along all speeds."""
        return (np.swapaxes(self.basis(rows), -1, -2) @ efforts[..., None])[..., 0]

    # ---- efforts ---------------------------------------------------------------------------------
    def check_accelerations(self, rows: RowsAtState, a: Array, u: Array) -> None:
        """Refuse accelerations that leave the constraints."""
        place = self.place
        left = (rows.jacobian @ a[..., None])[..., 0] - rows.gamma
        slow = SLOW / place.scales_at_rest.time
        fastest = np.abs(u * place.weights).max(-1, initial=slow) ** 2
        largest = np.maximum(np.abs(a * place.weights).max(-1, initial=0.0), fastest)
        parts = np.atleast_2d(np.abs(left / place.row_scale) / largest[..., None])
        if not (parts <= RESIDUAL_RATE_TOLERANCE).all():
            state, row = map(int, np.argwhere(~(parts <= RESIDUAL_RATE_TOLERANCE))[0])
            spec = self.constraints.specs[row]
            raise OptionError(
                f"qddot{words_for_state(left, state, None)} does not fit: {spec.part[0]} "
                f"'{spec.part[1]}' would leave its constraint ({spec.what}); "
                "d.accelerations_from(q, qdot, vdot) has those that keep it"
            )

    def efforts(self, rows: RowsAtState, needed: Array, names: Sequence[str] | str | None) -> Array:
        """τ of the actuated speeds alone with Nᵀ τ = Nᵀ needed, of the least norm without units
        (forces times the size of the mechanism).
        """
        N = self.basis(rows)
        target = (np.swapaxes(N, -1, -2) @ needed[..., None])[..., 0]
        out = np.zeros(np.broadcast_shapes(needed.shape, N.shape[:-1]))
        if names is None:
            out[..., self.chosen] = target
            return out
        actuated = speeds_by_name(self.model, names, "actuated")
        weights = self.place.weights
        scaled = N[..., actuated, :] / weights[self.chosen] * weights[actuated][:, None]
        U, s, Vh = np.linalg.svd(np.swapaxes(scaled, -1, -2), full_matrices=False)
        largest = np.linalg.norm(N * weights[:, None] / weights[self.chosen], axis=(-2, -1))
        self.check_actuation(rows, s, largest, actuated)
        along = np.swapaxes(U, -1, -2) @ (target / weights[self.chosen])[..., None]
        found = np.swapaxes(Vh, -1, -2) @ (along / s[..., None])
        out[..., actuated] = found[..., 0] * weights[actuated]
        return out

    def check_actuation(
        self, rows: RowsAtState, s: Array, largest: Array, actuated: list[int]
    ) -> None:
        """Refuse actuated speeds that cannot give every acceleration."""
        count = len(self.chosen)
        ranks = np.atleast_1d((s > RANK_TOLERANCE * largest[..., None]).sum(-1))
        if count and (ranks < count).any():
            state = int((ranks < count).argmax())
            names = ", ".join(repr(self.model.speeds[k]) for k in actuated)
            raise OptionError(
                f"underactuated: actuated = [{names}] acts on {ranks[state]} of {count} degrees of "
                f"freedom at q{words_for_state(rows.value, state, None)}; independent speeds "
                f"{', '.join(repr(self.model.speeds[k]) for k in self.chosen)} would do"
            )


def default_choice(constraints: ConstraintSet, G: Array, count: int) -> list[int]:
    """At the start, or beside it where it is a singular position."""
    place = constraints.mechanism
    chosen = constraints.choose_speeds(G)
    if len(chosen) == count:
        return chosen
    found = (constraints.choose_speeds(place.at(q)[1]) for q in place.nearby_positions())
    return next(choice for choice in found if len(choice) == count)


def speeds_by_name(model: Model, names: Sequence[str] | str, what: str) -> list[int]:
    """Rows of speeds, or of all speeds of joints, in their order; each once."""
    found: list[int] = []
    for name in (names,) if isinstance(names, str) else names:
        own = [
            k
            for k, label in enumerate(model.speeds)
            if label == name or label.startswith(f"{name}.")
        ]
        if not own:
            closes = name in model._closing_labels
            remedy = (
                "it closes a loop and has no speed of its own; declare it before the other joints "
                "of its loop"
                if closes
                else suggest(str(name), list(model.speeds))
            )
            raise OptionError(f"{what}: there is no speed {name!r}; {remedy}")
        found += [k for k in own if k not in found]
    return found
