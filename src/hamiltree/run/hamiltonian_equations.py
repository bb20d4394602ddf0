"""An H(t, q, p) bound to its formulation: how it starts, what its rows are called, and what is
recorded of it. Never changed.
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
from hamiltree.run.observer import HamiltonianObserver
from hamiltree.run.start import Start
from hamiltree.trajectory.variables import PHASE_SPACE_VARIABLES


@dataclass(frozen=True, eq=False)
class HamiltonianEquations:
    """H(t, q, p): H itself and the named invariants are recorded."""

    problem: Hamiltonian
    formulation: Formulation

    time_unit = ""
    variables = PHASE_SPACE_VARIABLES
    options = {}  # noqa: RUF012
    terminal_events = ()
    winding_rows = ()
    locks = ()
    residual_limit = np.inf

    @property
    def name(self) -> str:
        return self.problem.name

    @property
    def numbers_per_sample(self) -> int:
        return 3 + 4 * len(self.problem.coordinates) + len(self.problem.invariants)

    @cached_property
    def inputs(self) -> Inputs:
        """An H(q, p) has none."""
        return Inputs(None)

    def assembly_at(self, given: Start) -> PhaseStart:
        """The start q, p."""
        if given.assemble:
            raise OptionError("assemble closes the loops of a model; an H(q, p) has none")
        if given.qdot is not None:
            raise OptionError("an H(q, p) starts from q and p, not from qdot")
        problem = self.problem
        q = problem.values_from(given.q, problem.coordinates, "q")
        p = problem.values_from(given.p, problem.momenta, "p")
        return PhaseStart(problem, q, p, given.t)

    def system_of(self, assembly: PhaseStart) -> Any:
        return self.formulation.assemble(assembly)

    def reuses_system(self, assembly: PhaseStart) -> bool:
        """H does not depend on the start."""
        return True

    def check_start(self, assembly: PhaseStart, system: Any) -> None:
        """Whether H is real there is seen when it is evaluated."""

    def state_of(self, system: Any, assembly: PhaseStart, pointer: Any, given: Start) -> np.ndarray:
        return self.formulation.initial_state(system, assembly, pointer)

    def row_scales(self, system: Any, assembly: PhaseStart) -> np.ndarray:
        """An H(q, p) has no units: its rows are of size one."""
        return np.ones(sum(system.layout))

    @property
    def has_one_unit(self) -> bool:
        """An H(q, p) has no units."""
        return True

    def natural_sizes(self, assembly: PhaseStart) -> tuple[float, float]:
        """An H(q, p) has no units: its time and energy are of size one."""
        return 1.0, 1.0

    def row_name(self, system: Any, row: int) -> str:
        return self.formulation.owner(system, self.problem, row)

    @property
    def names(self) -> Names:
        rows = self.problem.coordinates + self.problem.momenta
        return Names(rows, tuple(f"{name}_dot" for name in rows), self.problem.parameters)

    def check_sections(self) -> None:
        """An H(q, p) has names for everything."""

    def is_fixed_in_space(self, events: Sequence[Event]) -> bool:
        """An H(q, p) knows no space."""
        return False

    def labels(self, assembly: PhaseStart) -> dict[str, list[str]]:
        problem = self.problem
        return {
            "coordinate": list(problem.coordinates),
            "momentum": list(problem.momenta),
            "invariant": list(problem.invariants),
        }

    def constraint_residuals(self, assembly: PhaseStart) -> None:
        """An H(q, p) has no constraints."""

    def observer(self, system: Any, lanes: Any, single: Any) -> HamiltonianObserver:
        return HamiltonianObserver(self.problem, system, single)

    def provenance(self) -> dict[str, Any]:
        return {"model_name": self.name, "hamiltonian": self.problem.to_json()}

    def notes(self, assembly: PhaseStart) -> list[str]:
        return []

    def check_inputs(self, values: np.ndarray) -> None:
        """There are none."""
