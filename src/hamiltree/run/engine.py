"""Engine: what all runs of a model with a method share: System, two workspaces, entry points of
indirect calls, observer.

All of it is made once. A run must find it as if it were new: workspaces are put back to what they
were when they were made, so that no first guess, factor or count of turns is carried from one run
into the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.compiled.callback import type_of
from hamiltree.compiled.indirect import compile_verbs, has_callbacks, verb_requests
from hamiltree.compiled.number import WIDTH
from hamiltree.formulations.batch import momentum_in_lanes, observe
from hamiltree.formulations.verb_pointers import OBSERVER_VERBS, empty_pointer, indirect, loop_verbs
from hamiltree.integrators.event_monitor import empty_monitor
from hamiltree.integrators.integrator import Integrator, State
from hamiltree.run.equations import Equations, ModelEquations
from hamiltree.run.workspaces import (
    PreservedWorkspaces,
    WorkspaceSnapshot,
    carried_arrays,
    keeps_law_state,
    share_windings,
    windings_of,
)
from hamiltree.verbs import index3_residual

if TYPE_CHECKING:
    from hamiltree.run.plan import Setup


class Engine:
    """A System with what a method needs to move it and what observes it."""

    @classmethod
    def of_setup(cls, setup: Setup, system: Any) -> Engine:
        return cls(setup.equations, setup.integrator, system, setup.threads)

    def __init__(self, equations: Equations, integrator: Integrator, system: Any, threads: int = 1):
        """Make workspaces and observer of a System; an integrator that needs to know it is bound to
        it. Several threads compute the rates of a System that is cut for them.
        """
        self.equations = equations
        self.integrator = bind(integrator, system)
        self.system = fit_facts(system, integrator)
        self.make_team = None
        if threads > 1:
            assert equations.formulation.share is not None
            cut = equations.formulation.share(equations.problem, self.system, threads)
            self.system, self.make_team = cut
        self.is_new = True
        self.is_compiled = False
        self.build_workspaces()

    def build_workspaces(self) -> None:
        """A workspace of floats and one of lanes, their addresses, and the observer.

        The method computes in one of them.
        """
        equations = self.equations
        method = self.integrator
        workspace = equations.formulation.workspace
        is_model = isinstance(equations, ModelEquations)
        self.single = workspace(self.system, 1)
        needs_lanes = is_model or method.width > 1
        lanes = workspace(self.system, WIDTH) if needs_lanes else self.single
        self.windings = windings_of(self.single)
        self.lanes = share_windings(lanes, self.windings) if needs_lanes else self.single
        self.work = self.lanes if method.width > 1 else self.single
        self.works = (self.single, self.lanes)
        self.carried = carried_arrays(self.works)
        self._handles: dict[bool, Any] = {}
        if is_model:
            self.compile_verbs()
        self.team = None if self.make_team is None else self.make_team(self.work, method.width)
        self.observe = equations.observer(self.system, self.lanes, self.single)
        self._first = None if keeps_law_state(self.works) else WorkspaceSnapshot(*self.works)

    def compile_verbs(self) -> None:
        """Compile the verbs of the loop and of the observer together, so that their number is known
        before the first is compiled.
        """
        method = self.integrator
        system = self.system
        asked = loop_verbs(method.needs, method.width, method.samples_at_steps)
        if not has_callbacks(system, self.work, self.single, asked):
            requests = [
                *verb_requests(system, self.work, self.single, *asked),
                *verb_requests(system, self.lanes, self.single, *OBSERVER_VERBS),
            ]
            compile_verbs(type(system), requests, is_last=True)

    def handle(self, is_monitored: bool = False) -> Any:
        """What the compiled loops call (an indirect System); events also need rates of floats,
        which are not compiled without them.
        """
        if is_monitored not in self._handles:
            method = self.integrator
            who = f"{method.name} with {self.equations.formulation.name}"
            needs_floats = is_monitored or method.samples_at_steps
            about = method.needs, method.width, needs_floats, who, self.team
            self._handles[is_monitored] = indirect(self.system, self.work, self.single, *about)
        return self._handles[is_monitored]

    def begin(self, assembly: Any) -> None:
        """Put workspaces and observer back to new, for a run from this start.

        The state of laws behind pointers cannot be put back: then all is made anew.
        """
        if self._first is not None:
            self._first.restore()
        elif not self.is_new:
            self.build_workspaces()
        self.is_new = False
        self.observe.begin(assembly, self.equations.constraint_residuals(assembly))

    def preserve_workspaces(self) -> PreservedWorkspaces:
        return PreservedWorkspaces(self.works)

    def initial_state(self, y: np.ndarray) -> State:
        """The state of the method before its first step; it shares the windings."""
        state = self.integrator.initial_state(y, self.integrator.method)
        return state._replace(windings=self.windings)

    # ---- what a later run needs to go on from here -----------------------------------------------
    @property
    def memory(self) -> tuple[list[np.ndarray], Any]:
        """What steps find in the workspaces as the last one has left it, and the last sample of
        the observer.
        """
        return [array.copy() for array in self.carried], self.observe.memory

    @memory.setter
    def memory(self, kept: tuple[list[np.ndarray], Any]) -> None:
        for array, found in zip(self.carried, kept[0], strict=True):
            array[...] = found
        self.observe.memory = kept[1]


# ---- what can be compiled before there is a System -----------------------------------------------
def bind(integrator: Integrator, system: Any) -> Integrator:
    """A method that needs to know the System knows it."""
    return integrator if integrator.bind is None else integrator.bind(integrator, system)


def fit_facts(system: Any, integrator: Integrator) -> Any:
    """The System as a method asks it: without what it does by itself or does not ask for."""
    # the method keeps positions by itself
    if index3_residual in integrator.needs and system.facts.projects:
        system = system._replace(facts=system.facts._replace(projects=False))
    # what volume constraint rows span inside a step is asked by methods that choose its length
    if system.facts.may_lose_rank and not integrator.is_adaptive:
        system = system._replace(facts=system.facts._replace(may_lose_rank=False))
    return system


def loop_requests(method: Integrator) -> list[tuple[Any, tuple]]:
    """The loop of an integrator, which is the same for every System: kernel and signature."""
    if method.bind is not None:
        return []
    arguments = *loop_example(method), 0.0, 0, 0.0, 0, 1, np.zeros((0, 4))
    return [(method.advance, tuple(map(type_of, arguments)))]


def loop_example(method: Integrator) -> tuple:
    """What a loop is given first, of the types that it always has."""
    return (
        empty_pointer(),
        method.method,
        method.initial_state(np.zeros(2), method.method),
        empty_monitor(2),
    )


def observer_requests() -> list[tuple[Any, tuple]]:
    """What observes a model, and what finds its momenta."""
    flat, square, rows, many = (np.zeros((1,) * axes) for axes in (1, 2, 3, 3))
    pointer = empty_pointer()
    observing = (
        pointer,
        flat,
        square,
        (square, square, square, rows, rows),
        square,
        square,
        many,
        many,
    )
    starting = pointer, 0.0, square, square
    return [
        (kernel, tuple(map(type_of, given)))
        for kernel, given in ((observe, observing), (momentum_in_lanes, starting))
    ]
