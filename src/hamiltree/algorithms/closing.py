"""States of a mechanism moved to where its constraints hold."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from copy import copy

import numpy as np

from hamiltree.assembly.mechanism import Mechanism, held_speed_indices
from hamiltree.model.constraints import Drive

Array = np.ndarray


class LoopCloser:
    """The nearest positions and speeds that keep the constraints of a mechanism. Threads may share
    it: they wait for each other, because the rows are evaluated in arrays of the mechanism.
    """

    def __init__(self, mechanism: Mechanism):
        """A driven speed says nothing about positions: its coordinate stays where it is."""
        self.lock = threading.Lock()
        self.mechanism = self.of_positions = mechanism
        model = mechanism.model
        driven = [
            part for part in model.constraints if isinstance(part, Drive) and part.speed is not None
        ]
        self.driven = frozenset(
            model.speeds.index(part.joint) for part in driven if part.joint in model.speeds
        )
        if driven:
            rest = [part for part in model.constraints if part not in driven]
            self.of_positions = Mechanism(model.with_(constraints=rest), mechanism.q, mechanism.t)

    def __deepcopy__(self, memo: dict) -> LoopCloser:
        """A copied Dynamics closes with that of the original, as it answers by its services."""
        return self

    def close(self, q: Array, hold: Sequence[str] | str, t: float) -> Array:
        """q of one state or many; joints in `hold` keep theirs."""
        held = held_speed_indices(self.mechanism.model, hold) | self.driven
        place = copy(self.of_positions)
        place.t = float(t)
        with self.lock:
            closed = [place.closed_positions(state, held) for state in np.atleast_2d(q)]
            for state in closed:
                place.check_branches(state)
        return np.array(closed).reshape(q.shape)

    def project(self, q: Array, qdot: Array, hold: Sequence[str] | str, t: float) -> Array:
        """Speeds of one state or many."""
        held = held_speed_indices(self.mechanism.model, hold)
        count = np.broadcast_shapes(q.shape[:-1], qdot.shape[:-1])
        states = np.broadcast_to(q, (*count, q.shape[-1])).reshape(-1, q.shape[-1])
        given = np.broadcast_to(qdot, (*count, qdot.shape[-1])).reshape(-1, qdot.shape[-1])
        found = []
        with self.lock:
            for state, speeds in zip(states, given, strict=True):
                place = copy(self.mechanism)
                place.q, place.t = state, float(t)
                found.append(place.project_speeds(speeds, held))
        return np.array(found).reshape(*count, qdot.shape[-1])
