"""What every run of a model with a method shares: its System, workspaces, addresses and observer.

All of it is made once. A run must find it as if it were new: workspaces are put back to what they were when they
were made, so that no first guess, factor or count of turns is carried from one run into the next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hamiltree.compiled.callback import Addresses, compile_all, type_of
from hamiltree.compiled.number import WIDTH
from hamiltree.formulations.entries import momentum_in_lanes, observe
from hamiltree.formulations.indirect import ASKED_BY_OBSERVER, asked_by_loop, example, indirect, is_known, requests_for
from hamiltree.integrators.integrator import Integrator, State
from hamiltree.integrators.watch import no_watch
from hamiltree.subjects import HamiltonianSubject, ModelSubject
from hamiltree.verbs import balance

COUNTED = ("angle",)  # fields of a workspace that count turns from state to state
ROOMS = ("room", "rooms")  # fields of a workspace with the addresses of what laws keep


def arrays_in(part: Any, name: str = "") -> Iterator[tuple[str, np.ndarray]]:
    """Every array of nested NamedTuples with the name of its field."""
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for field, inner in zip(getattr(part, "_fields", [""] * len(part)), part, strict=True):
            yield from arrays_in(inner, field)


def copied(part: Any) -> Any:
    """Nested NamedTuples with arrays of their own."""
    if isinstance(part, np.ndarray):
        return part.copy()
    if not isinstance(part, tuple):
        return part
    inner = [copied(entry) for entry in part]
    return type(part)(*inner) if hasattr(part, "_fields") else tuple(inner)


def keeps_something(rooms: np.ndarray) -> bool:
    """Whether one of the laws keeps anything from call to call."""
    return isinstance(rooms, Addresses) and any(room.parts for room in rooms.behind)


class Contents:
    """The arrays of workspaces, and what stood in them at first; mostly zeros, which need no copy."""

    def __init__(self, *works: Any):
        self.empty: list[np.ndarray] = []
        self.filled: list[tuple[np.ndarray, np.ndarray]] = []
        for _, array in arrays_in(works):
            if not array.flags.writeable:
                continue
            if array.any():
                self.filled.append((array, array.copy()))
            elif array.size:
                self.empty.append(array)

    def restore(self) -> None:
        for array in self.empty:
            array.fill(0)
        for array, first in self.filled:
            array[...] = first


class Engine:
    """A System with what a method needs to move it and what observes it."""

    begin: tuple[np.ndarray, np.ndarray]  # positions and speeds of the present start

    def __init__(self, subject: ModelSubject | HamiltonianSubject, integrator: Integrator, system: Any):
        self.subject = subject
        self.turning = subject.turning_rows()
        self.integrator = integrator if integrator.fit is None else integrator.fit(integrator, system)
        if balance in integrator.needs and hasattr(system, "projects"):
            system = system._replace(projects=False)  # the method keeps positions by itself
        self.system, self.is_new, self.is_compiled = system, True, False
        self.make()

    def make(self) -> None:
        """Workspaces, their addresses, and the observer."""
        workspace, method = self.subject.formulation.workspace, self.integrator
        self.work, self.single = workspace(self.system, method.width), workspace(self.system, 1)
        self._handles: dict[bool, Any] = {}
        if isinstance(self.subject, ModelSubject):
            self.compile_verbs()
        self.observe = self.subject.observer(self.system)
        self._again: Any = None
        self._first: Contents | None = None
        works = (self.work, self.single, *self.observe.works)
        self.keeps_lists = any(name in ROOMS and keeps_something(array) for name, array in arrays_in(works))
        if not self.keeps_lists:
            self._first = Contents(*works)

    def compile_verbs(self) -> None:
        """Those of the loop and of the observer together: their number is known before the first is compiled."""
        method, system = self.integrator, self.system
        asked = asked_by_loop(method.needs, method.width, method.counts_own_steps)
        if not is_known(system, self.work, self.single, asked):
            of_lanes = self.subject.formulation.workspace(system, WIDTH)
            wanted = ((self.work, asked), (of_lanes, ASKED_BY_OBSERVER))
            compile_all([each for work, verbs in wanted for each in requests_for(system, work, self.single, *verbs)], is_last=True)

    def handle(self, is_watched: bool = False) -> Any:
        """What the compiled loops call; events ask for rates of floats too, which others need not compile."""
        if is_watched not in self._handles:
            self._handles[is_watched] = self.handle_of(self.work, self.single, is_watched)
        return self._handles[is_watched]

    def handle_of(self, work: Any, single: Any, is_watched: bool) -> Any:
        """work of the method's width, single of floats."""
        method, who = self.integrator, f"{self.integrator.name} with {self.subject.formulation.name}"
        return indirect(self.system, work, single, method.needs, method.width, is_watched or method.counts_own_steps, who)

    def renew(self, start: np.ndarray, speed: np.ndarray) -> None:
        """As new, for a run from other positions. What laws keep behind addresses is not seen from here: then all is made anew."""
        self.begin = start, speed
        if self.is_new:
            self.is_new = False
        elif self._first is None:
            self.make()
        else:
            self._first.restore()
        self.observe.renew(start)

    @property
    def again(self) -> Any:
        """A handle with scratch of its own, for steps that are taken again: they must leave no trace."""
        if self._again is None:
            workspace, method = self.subject.formulation.workspace, self.integrator
            works = workspace(self.system, method.width), workspace(self.system, 1)
            self._again = Contents(*works), self.handle_of(*works, is_watched=True)
        else:
            self._again[0].restore()
        return self._again[1]

    def start(self, y: np.ndarray) -> State:
        """The state of the method before its first step."""
        return self.integrator.start(y, self.integrator.method)

    # ---- what a later run needs to go on from here ----
    @property
    def memory(self) -> tuple[list[np.ndarray], Any]:
        """Counts of turns in the workspaces, and the last sample of the observer."""
        return [array.copy() for array in self.counts_of_turns()], self.observe.memory

    @memory.setter
    def memory(self, kept: tuple[list[np.ndarray], Any]) -> None:
        for array, counted in zip(self.counts_of_turns(), kept[0], strict=True):
            array[...] = counted
        self.observe.memory = kept[1]

    def counts_of_turns(self) -> list[np.ndarray]:
        works = (self.work, self.single, *self.observe.works)
        return [array for name, array in arrays_in(works) if name in COUNTED]


# ---- what can be compiled before there is a System --------------------------------------------------------------------------------
def loop_requests(method: Integrator) -> list[tuple[Any, tuple]]:
    """The loop of an integrator, which is the same for every System: kernel and signature."""
    if method.fit is not None:
        return []
    arguments = *loop_example(method), 0.0, 0, 0.0, 0, 1, np.zeros((0, 4))
    return [(method.advance, tuple(map(type_of, arguments)))]


def loop_example(method: Integrator) -> tuple:
    """What a loop is given first, of the types that it always has."""
    return example(), method.method, method.start(np.zeros(2), method.method), no_watch(2)


def observer_requests() -> list[tuple[Any, tuple]]:
    """What observes a model, and what finds its momenta."""
    flat, square, rows, many = (np.zeros((1,) * axes) for axes in (1, 2, 3, 3))
    observing = example(), flat, square, (square, square, square, rows, rows), square, square, many, many
    starting = example(), 0.0, square, square
    return [(kernel, tuple(map(type_of, given))) for kernel, given in ((observe, observing), (momentum_in_lanes, starting))]
