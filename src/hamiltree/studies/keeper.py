"""What is kept of some members while they run: it is given pieces of their motion, and gives
results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hamiltree.studies.keeping import Column, KeepPlan, value_at
from hamiltree.studies.reductions import CARRIED, reduce_samples, reduced_values
from hamiltree.trajectory.errors import energy_balance, energy_scale, relative_error
from hamiltree.trajectory.variables import ENERGY_WITHIN, KINETIC_ENERGY_WITHIN, RESIDUAL

Chunk = Mapping[str, np.ndarray]
SERIES = ("kinetic_energy", "potential_energy", "energy", "work", ENERGY_WITHIN)


class Keeper:
    """Of members that run side by side. Arrays of a piece begin with (samples, members); a time
    that is no number stands where a member has ended.
    """

    def __init__(self, plan: KeepPlan, members: int, times: int):
        """Nothing was observed yet; `times`: how many samples there will be."""
        self.plan = plan
        self.members = members
        self.times = times
        self.kinds = np.array(plan.kinds, dtype=np.int64)
        self.states = np.zeros((members, len(plan.columns), CARRIED))
        self.own_states = [update.new_states(members) for update in plan.own]
        self.last: dict[str, np.ndarray] = {}
        self.seen = 0
        self.sampled: dict[str, np.ndarray] = {}
        self.series: list[dict[str, np.ndarray]] = []
        self.residual = np.zeros(members)
        self.event_count = np.zeros((members, len(plan.events)))
        self.event_first = np.full((members, len(plan.events)), np.nan)

    def write(self, chunk: Chunk, parameters: np.ndarray) -> None:
        """One more piece of the motion."""
        plan = self.plan
        if plan.columns or plan.own:
            self.reduce(chunk, parameters)
        if "end" in plan.whole:
            self.keep_last(chunk)
        if "samples" in plan.whole:
            self.keep_samples(chunk)
        if "energy_error" in plan.whole:
            self.series.append(energies_of(chunk))
        if "constraint_error" in plan.whole:
            worst = chunk[RESIDUAL].max(axis=(0, 2), initial=0.0)
            self.residual = np.maximum(self.residual, worst)
        self.seen += len(chunk["t"])

    def reduce(self, chunk: Chunk, parameters: np.ndarray) -> None:
        """Built-in reductions, then a user's."""
        formulas = self.plan.formula_values(chunk, parameters)
        times = np.ascontiguousarray(chunk["t"])
        taken = iter(range(formulas.shape[2]))

        def values_of(columns: Sequence[Column]) -> np.ndarray:
            found = [
                formulas[:, :, next(taken)]
                if column.place is None
                else value_at(chunk, column.place)
                for column in columns
            ]
            return np.stack(found, axis=2) if found else np.zeros((*times.shape, 0))

        reduce_samples(self.kinds, times, values_of(self.plan.columns), self.states)
        both = zip(self.plan.own, self.plan.own_columns, self.own_states, strict=True)
        for update, columns, states in both:
            update(times, values_of(columns), states)

    def keep_last(self, chunk: Chunk) -> None:
        """The last sample of each member."""
        is_sample = ~np.isnan(chunk["t"])
        count = is_sample.sum(axis=0)
        members = np.flatnonzero(count)
        rows = len(is_sample) - 1 - is_sample[::-1].argmax(axis=0)[members]
        for name in ("t", *self.plan.state_groups):
            values = chunk[name][rows, members]
            if name not in self.last:
                self.last[name] = np.full((self.members, *values.shape[1:]), np.nan)
            self.last[name][members] = values

    def keep_samples(self, chunk: Chunk) -> None:
        """All samples, member by member."""
        for name in ("t", *self.plan.state_groups):
            values = np.moveaxis(chunk[name], 0, 1)
            if name not in self.sampled:
                shape = (self.members, self.times, *values.shape[2:])
                self.sampled[name] = np.full(shape, np.nan)
            room = self.sampled[name][:, self.seen : self.seen + values.shape[1]]
            room[...] = values[:, : room.shape[1]]

    def write_section(self, member: int, number: int, t: np.ndarray) -> None:
        """Points at which a member has crossed an event."""
        first = self.event_first[member, number]
        self.event_count[member, number] += len(t)
        if len(t):
            self.event_first[member, number] = np.fmin(first, t.min())

    # ---- results ---------------------------------------------------------------------------------
    def results(self) -> dict[str, np.ndarray]:
        """Every variable, one row per member."""
        plan = self.plan
        found: dict[str, np.ndarray] = {}
        if "end" in plan.whole:
            found |= {f"{name}_end": values for name, values in self.last.items()}
        if "samples" in plan.whole:
            found |= {name: self.sampled[name] for name in plan.state_groups}
        if "energy_error" in plan.whole:
            found[plan.named["energy_error"]] = self.energy_errors()
        if "constraint_error" in plan.whole:
            found[plan.named["constraint_error"]] = self.residual
        if "events" in plan.whole:
            found |= {"event_count": self.event_count, "event_first": self.event_first}
        values = reduced_values(self.kinds, self.states)
        for name, (columns, dimension) in plan.reduced.items():
            found[name] = values[:, columns] if dimension else values[:, columns.start]
        for update, states in zip(plan.own, self.own_states, strict=True):
            found[update.reduction.name] = states if states.shape[1] > 1 else states[:, 0]
        return found

    def energy_errors(self) -> np.ndarray:
        """As of a trajectory: `run.energy_error`."""
        joined = {
            name: np.concatenate([piece[name] for piece in self.series]) for name in self.series[0]
        }
        errors = np.empty(self.members)
        for m in range(self.members):
            is_sample = ~np.isnan(joined["t"][:, m])
            own = {name: values[is_sample, m] for name, values in joined.items()}
            errors[m] = energy_error(own) if is_sample.any() else np.nan
        return errors


def energies_of(chunk: Chunk) -> dict[str, np.ndarray]:
    """What the error of the energy is made of."""
    found = {name: chunk[name] for name in SERIES if name in chunk}
    kinetic = chunk.get(KINETIC_ENERGY_WITHIN, chunk.get("kinetic_energy"))
    if kinetic is None:
        kinetic = np.abs(0.5 * (chunk["p"] * chunk["qdot"]).sum(axis=-1))
    return {**found, "t": chunk["t"], "kinetic": kinetic}


def energy_error(own: Mapping[str, np.ndarray]) -> float:
    """Of the samples of one member."""
    if ENERGY_WITHIN in own:
        balance = own[ENERGY_WITHIN] - own[ENERGY_WITHIN][0]
        parts = [own[ENERGY_WITHIN]]
    else:
        balance = energy_balance(own["energy"], own["work"])
        parts = [own.get("potential_energy", own["energy"])]
    scale = energy_scale(own["t"], own["kinetic"], balance, parts)
    return relative_error(float(np.abs(balance).max()), scale)
