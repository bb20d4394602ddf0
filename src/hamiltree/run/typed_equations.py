"""An H(t, q, p) or an ẏ = f(t, y) bound to its formulation: how it starts, what its rows are
called, and what is recorded of it. Never changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.forces.inputs import Inputs
from hamiltree.formulations.formulation import Formulation
from hamiltree.formulations.phase_space import PhaseStart
from hamiltree.problems.events import Event, Names
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.run.observer import HamiltonianObserver, OdeObserver, TypedObserver
from hamiltree.run.start import Start
from hamiltree.trajectory.variables import FIRST_ORDER_VARIABLES, PHASE_SPACE_VARIABLES


@dataclass(frozen=True, eq=False)
class TypedEquations:
    """What both have in common: no units, no constraints, no inputs, no space."""

    problem: Any
    formulation: Formulation

    what = "an H(q, p)"
    has_energy = True
    time_unit = ""
    variables = PHASE_SPACE_VARIABLES
    options = {}  # noqa: RUF012
    terminal_events = ()
    winding_rows = ()
    locks = ()
    has_unanchored_joints = False
    residual_limit = np.inf

    @property
    def rows(self) -> tuple[str, ...]:
        """Names of the rows of a state."""
        return self.problem.rows

    @property
    def numbers_per_sample(self) -> int:
        return 3 + 2 * len(self.rows) + len(self.problem.invariants)

    @cached_property
    def inputs(self) -> Inputs:
        """There are none."""
        return Inputs(None)

    def system_of(self, assembly: PhaseStart) -> Any:
        return self.formulation.assemble(assembly)

    def reuses_system(self, assembly: PhaseStart) -> bool:
        """What was typed does not depend on the start."""
        return True

    def check_start(self, assembly: PhaseStart, system: Any) -> None:
        """Whether it is real there is seen when it is evaluated."""

    def state_of(self, system: Any, assembly: PhaseStart, pointer: Any, given: Start) -> np.ndarray:
        return self.formulation.initial_state(system, assembly, pointer)

    def row_scales(self, system: Any, assembly: PhaseStart) -> np.ndarray:
        """Without units rows are of size one."""
        return np.ones(sum(system.layout))

    @property
    def has_one_unit(self) -> bool:
        """There are no units."""
        return True

    @property
    def name(self) -> str:
        return self.problem.name

    def natural_sizes(self, assembly: PhaseStart) -> tuple[float, float]:
        """What is typed in has no units: its time and energy are of size one."""
        return 1.0, 1.0

    def natural_rates(self, has_row_scales: bool) -> tuple[float, float]:
        """Nothing is known of its forces."""
        return 0.0, 0.0

    def row_name(self, system: Any, row: int) -> str:
        return self.formulation.owner(system, self.problem, row)

    @property
    def names(self) -> Names:
        rates = tuple(f"{name}_dot" for name in self.rows)
        return Names(self.rows, rates, self.problem.parameters)

    def check_sections(self) -> None:
        """There are names for everything."""

    def is_fixed_in_space(self, events: Sequence[Event]) -> bool:
        """There is no space."""
        return False

    def constraint_residuals(self, assembly: PhaseStart) -> None:
        """There are no constraints."""

    def assembly_at(self, given: Start) -> PhaseStart:
        """Where a run begins; what does not belong to the equations is refused."""
        raise NotImplementedError

    def labels(self, assembly: PhaseStart) -> dict[str, list[str]]:
        """Labels of the dimensions of what is recorded."""
        raise NotImplementedError

    def provenance(self) -> dict[str, Any]:
        """The equations as text, for a file."""
        raise NotImplementedError

    def observer(self, system: Any, lanes: Any, single: Any) -> TypedObserver:
        raise NotImplementedError

    def notes(self, assembly: PhaseStart) -> list[str]:
        return []

    def check_inputs(self, values: np.ndarray) -> None:
        """There are none."""

    def refuse_given(self, given: Start, starts_from: str, *names: str) -> None:
        """Refuse what a start of these equations does not have."""
        if given.assemble:
            raise OptionError(f"assemble closes the loops of a model; {self.what} has none")
        for name in names:
            if getattr(given, name) is not None:
                raise OptionError(f"{self.what} starts from {starts_from}, not from {name}")


class HamiltonianEquations(TypedEquations):
    """H(t, q, p): H itself and the named invariants are recorded."""

    problem: Hamiltonian

    def assembly_at(self, given: Start) -> PhaseStart:
        """The start q, p."""
        self.refuse_given(given, "q and p", "qdot", "y")
        problem = self.problem
        q = problem.values_from(given.q, problem.coordinates, "q")
        p = problem.values_from(given.p, problem.momenta, "p")
        return PhaseStart(problem, q, p, given.t)

    def labels(self, assembly: PhaseStart) -> dict[str, list[str]]:
        problem = self.problem
        return {
            "coordinate": list(problem.coordinates),
            "momentum": list(problem.momenta),
            "invariant": list(problem.invariants),
        }

    def observer(self, system: Any, lanes: Any, single: Any) -> HamiltonianObserver:
        return HamiltonianObserver(self.problem, system, single)

    def provenance(self) -> dict[str, Any]:
        return {"model_name": self.name, "hamiltonian": self.problem.to_json()}


class OdeEquations(TypedEquations):
    """ẏ = f(t, y): y, ẏ and the named invariants are recorded."""

    problem: Ode

    what = "an ode"
    has_energy = False
    variables = FIRST_ORDER_VARIABLES

    def assembly_at(self, given: Start) -> PhaseStart:
        """The start y."""
        self.refuse_given(given, "y", "q", "qdot", "p")
        problem = self.problem
        y = problem.values_from(given.y, problem.coordinates, "y")
        return PhaseStart(problem, y, np.zeros(0), given.t)

    def labels(self, assembly: PhaseStart) -> dict[str, list[str]]:
        return {"variable": list(self.rows), "invariant": list(self.problem.invariants)}

    def observer(self, system: Any, lanes: Any, single: Any) -> OdeObserver:
        return OdeObserver(self.problem, system, single)

    def provenance(self) -> dict[str, Any]:
        return {"model_name": self.name, "ode": self.problem.to_json()}
