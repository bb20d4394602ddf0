"""Events and Poincaré sections: where an expression of time, state and rates crosses zero.

Event("q2", direction=+1, where="q1 > 0")       a section: every crossing that rises, on the half
                                                plane q1 > 0
Event("height", terminal=True)                  ends the run
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.user_code import UserCallback, code_table
from hamiltree.errors import MAX_LISTED, OptionError
from hamiltree.integrators.event_monitor import (
    EventMonitor,
    empty_monitor,
    evaluate_samples,
    new_monitor,
)
from hamiltree.symbolic.calculus import compile_expressions
from hamiltree.symbolic.grammar import CONSTANTS, TIME, parse, parse_conditions

DIRECTIONS = {"rising": 1, "up": 1, "+": 1, "falling": -1, "down": -1, "-": -1, "both": 0}


EVENT_FIELDS = ("expression", "direction", "where", "terminal", "name")


@dataclass(frozen=True)
class Event:
    """A zero crossing of an expression; direction +1 rising, −1 falling, 0 both; `where` are
    conditions at the crossing.

    It is where the sign changes; what touches zero and turns back is no crossing.
    """

    expression: str
    direction: int | str = 0
    where: str = ""
    terminal: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        """Check every field; a direction in words becomes a number, a name is never empty."""
        if not isinstance(self.expression, str) or not self.expression.strip():
            raise OptionError(f"an event is an expression as text, not {self.expression!r}")
        direction = self.direction
        if isinstance(direction, str):
            direction = DIRECTIONS.get(direction, direction)
        if isinstance(direction, bool) or direction not in (-1, 0, 1):
            raise OptionError(
                f"event {self.expression!r}: direction = {self.direction!r}; give +1 (rising), -1 "
                "(falling) or 0 (both)"
            )
        if not isinstance(self.where, str):
            raise OptionError(
                f"event {self.expression!r}: where = {self.where!r}; give conditions as text, e.g. "
                "'q1 > 0 and p1 < 2'"
            )
        if not isinstance(self.terminal, (bool, np.bool_)):
            raise OptionError(
                f"event {self.expression!r}: terminal = {self.terminal!r}; give True or False"
            )
        if not isinstance(self.name, str):
            raise OptionError(f"event {self.expression!r}: name = {self.name!r}; give a text")
        object.__setattr__(self, "direction", int(direction))
        object.__setattr__(self, "name", self.name or self.expression.strip())

    @property
    def words(self) -> set[str]:
        """All names that it may refer to."""
        return set(re.findall(r"[^\W\d]\w*", f"{self.expression} {self.where}"))


class Names(NamedTuple):
    """What an expression about a state may name: rows of the state, then their rates; and
    parameters.
    """

    rows: tuple[str, ...]
    rates: tuple[str, ...]
    parameters: Mapping[str, float]

    @property
    def known(self) -> tuple[str, ...]:
        return (*self.rows, *self.rates, *self.parameters, TIME)


def formula_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels as names that can stand in a formula: wrist.x is wrist_x; one that is taken gets
    further underscores.
    """
    taken, names = {label for label in labels if label.isidentifier()}, []
    for label in labels:
        name = label
        if not label.isidentifier():
            name = re.sub(r"\W", "_", label)
            name = name if name.isidentifier() else f"_{name}"
            while name in taken:
                name += "_"
            taken.add(name)
        names.append(name)
    return tuple(names)


def events_from(given: Sequence[Any] | Any | None) -> tuple[Event, ...]:
    """Events, expressions as text, or mappings of the fields of an event; each with a name of its
    own.
    """
    events: dict[str, Event] = {}
    for item in as_list(given):
        event = event_from(item)
        name = unique_name(event.name, events)
        events[name] = replace(event, name=name)
    return tuple(events.values())


def as_list(given: Any) -> list:
    """None is no event; one need not stand in a list."""
    if given is None:
        return []
    if isinstance(given, (str, Event, Mapping)):
        return [given]
    try:
        return list(given)
    except TypeError:
        raise OptionError(
            "sections and events are expressions as text or Event(…), or a list of them, not "
            f"{given!r}"
        ) from None


def unique_name(name: str, taken: Mapping[str, Any]) -> str:
    """The name, or `name (2)`, `name (3)`, … if it is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def event_from(item: Any) -> Event:
    """An Event of itself, of a text, or of a mapping of its fields."""
    if isinstance(item, Event):
        return item
    if not isinstance(item, Mapping):
        return Event(item)
    wrong = next((key for key in item if key not in EVENT_FIELDS), None)
    if wrong is not None or "expression" not in item:
        fault = "there is no expression" if wrong is None else f"no field is called {wrong!r}"
        raise OptionError(
            f"event {dict(item)!r}: {fault}; its fields are {', '.join(EVENT_FIELDS)}"
        )
    return Event(**item)


class CompiledEvents(NamedTuple):
    """Block 0 gives the events, block 1 their conditions, one after the other."""

    code: UserCallback
    spans: tuple[tuple[int, int], ...]
    needs_rates: bool

    @property
    def condition_count(self) -> int:
        return self.spans[-1][1] if self.spans else 0


def compile_events(events: Sequence[Event], names: Names) -> CompiledEvents:
    """Parse and compile the expressions and conditions of events."""
    formulas = [parse(event.expression, names.known, f"event {event.name!r}") for event in events]
    wheres = [
        parse_conditions(e.where, names.known, f"where of event {e.name!r}")
        if e.where.strip()
        else ()
        for e in events
    ]
    conditions, spans = [], []
    for where in wheres:
        spans.append((len(conditions), len(conditions) + len(where)))
        conditions += where
    uses = {symbol for formula in (*formulas, *conditions) for symbol in formula.symbols}
    check_meaning(uses, names)
    code = compile_expressions(
        (formulas, conditions), (*names.rows, *names.rates), tuple(names.parameters)
    ).code
    return CompiledEvents(code, tuple(spans), bool(uses & set(names.rates)))


def check_meaning(uses: set[str], names: Names) -> None:
    """Refuse a name that could mean two things: a joint p_arm beside the momentum of a joint arm, a
    joint called t.
    """
    known = [*names.known, *CONSTANTS]
    for symbol in sorted(uses):
        if known.count(symbol) > 1:
            raise OptionError(
                f"{symbol!r} in an event could mean two things: among the names are "
                f"{', '.join(known[:MAX_LISTED])}; rename one"
            )


def make_monitor(events: Sequence[Event], names: Names) -> EventMonitor:
    """The monitor that the compiled loop evaluates after each step."""
    if not events:
        return empty_monitor(len(names.rows))
    return monitor_from(compile_events(events, names), events, names)


def monitor_from(
    made: CompiledEvents, events: Sequence[Event], names: Names, windings: int = 0
) -> EventMonitor:
    """The same, of events that are compiled already, for a state with so many windings."""
    return new_monitor(
        len(names.rows),
        code_table([made.code]),
        list(names.parameters.values()),
        [event.direction for event in events],
        [event.terminal for event in events],
        made.spans,
        made.condition_count,
        made.needs_rates,
        windings,
    )


# ---- on stored samples ---------------------------------------------------------------------------
def evaluate_expressions(
    made: CompiledEvents,
    block: int,
    count: int,
    names: Names,
    times: np.ndarray,
    states: np.ndarray,
) -> np.ndarray:
    """(samples, count): a block of expressions at states (samples, rows and rates)."""
    width = states.shape[1]
    out = np.zeros((len(states), count))
    parameters = np.array(list(names.parameters.values()), dtype=float)
    times = np.ascontiguousarray(times, dtype=float)
    states = np.ascontiguousarray(states, dtype=float)
    scratch = np.zeros(width), np.zeros(count), out, np.zeros(1 + width + count)
    evaluate_samples(code_table([made.code]), block, parameters, times, states, *scratch)
    return out


def crossings(
    event: Event, names: Names, times: np.ndarray, states: np.ndarray, points: int = 8
) -> tuple[np.ndarray, np.ndarray]:
    """Times and states where stored samples cross: between two samples by the polynomial through
    the nearest `points` of them.
    """
    made = compile_events([event], names)
    g = evaluate_expressions(made, 0, 1, names, times, states)[:, 0]
    before, after = g[:-1], g[1:]
    rises = (before <= 0) & (after > 0)
    falls = (before >= 0) & (after < 0)
    direction = int(event.direction)
    at = np.flatnonzero((rises & (direction >= 0)) | (falls & (direction <= 0)))
    found_t = np.zeros(len(at))
    found_y = np.zeros((len(at), states.shape[1]))
    for row, k in enumerate(at):
        found_t[row], found_y[row] = locate_crossing(made, names, times, states, k, g[k], points)
    if made.condition_count and len(at):
        values = evaluate_expressions(made, 1, made.condition_count, names, found_t, found_y)
        keep = (values > 0).all(axis=1)
        found_t, found_y = found_t[keep], found_y[keep]
    return found_t, found_y


def locate_crossing(made, names, times, states, k, g_before, points) -> tuple[float, np.ndarray]:
    """Time and state of the crossing between samples k and k + 1, by bisection on the interpolated
    samples.
    """
    first = int(np.clip(k + 1 - points // 2, 0, max(0, len(times) - points)))
    nodes = times[first : first + points]
    values = states[first : first + points]
    low, high = times[k], times[k + 1]
    sign = 1.0 if g_before <= 0 else -1.0
    if g_before == 0:
        return float(low), states[k]
    for _ in range(80):
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        value = evaluate_expressions(
            made, 0, 1, names, np.array([middle]), interpolate(nodes, values, middle)[None]
        )[0, 0]
        low, high = (middle, high) if sign * value <= 0 else (low, middle)
    return float(high), interpolate(nodes, values, high)


def interpolate(nodes: np.ndarray, values: np.ndarray, t: float) -> np.ndarray:
    """The polynomial through samples at t, in barycentric form; of two samples that nearly coincide
    (the end of a run) one is left out.
    """
    spacing = np.median(np.diff(nodes))
    is_apart = np.diff(nodes, prepend=nodes[0] - spacing) > 1e-3 * spacing
    nodes, values = nodes[is_apart], values[is_apart]
    gaps = t - nodes
    if (gaps == 0).any():
        return values[int(np.argmin(np.abs(gaps)))]
    span = nodes[-1] - nodes[0]
    products = [np.prod((nodes[j] - np.delete(nodes, j)) / span) for j in range(len(nodes))]
    weights = np.array([1.0 / product for product in products]) / gaps
    return weights @ values / weights.sum()
