"""The constraint rows of a model bound to compiled code: which of them are solved for, whether a
state keeps them, and what is said where it does not.

Everything is counted without units: displacements in parts of the size of the mechanism, rates in
parts of the fastest speed, as for starts of runs (assembly/mechanism.py).
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

import numpy as np

from hamiltree.algorithms.queries import Query, refuse_singular_mass_matrix
from hamiltree.assembly.assembly import assembly_from_mechanism
from hamiltree.assembly.joint_rows import RowSpec
from hamiltree.assembly.mechanism import (
    RESIDUAL_RATE_TOLERANCE,
    RESIDUAL_TOLERANCE,
    SLOW,
    Mechanism,
)
from hamiltree.assembly.row_rank import null_space, select_independent_rows
from hamiltree.assembly.row_tables import amount, owner_of
from hamiltree.compiled.number import read_only
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations.tree import hamiltonian_loops
from hamiltree.formulations.tree.algorithms import AlgorithmTables
from hamiltree.formulations.tree.constrained_dynamics import (
    ConstrainedTables,
    constrained_workspace,
)
from hamiltree.formulations.tree.loop_tables import LoopTables
from hamiltree.model import Model
from hamiltree.model.constraints import Motion

Array = np.ndarray
# squared sine between a row and the others: below the first, rows are chosen anew; below the second
# (as in runs) they depend on each other
GOOD_INDEPENDENCE = 1e-4
GOOD_SHARE = 0.25  # of the largest rate: a speed of this share is chosen before later ones
LEAST_INDEPENDENCE = hamiltonian_loops.MIN_ROW_INDEPENDENCE


class RowsAtState(NamedTuple):
    """All rows at one state or many: Φ, Φ̇, γ with G a = γ, forces along joints that close loops,
    and G.
    """

    value: Array
    rate: Array
    gamma: Array
    closing_forces: Array
    jacobian: Array


def refuse_motions(model: Model) -> None:
    """A Motion leads a body, which then has no equation of its own."""
    for k, part in enumerate(model.constraints):
        if isinstance(part, Motion):
            raise FitError(
                f"{part.describe(k)}: a Motion leads body {part.body!r} without a joint that an "
                "effort could act along; hold it by a joint, and drive that",
                ("constraint", part.name or k + 1),
            )


def analyse_mechanism(model: Model) -> Mechanism:
    """The constraints at the model's start, loops closed; `kept` are the rows that are independent
    there, or beside it where it is a singular position.
    """
    refuse_motions(model)
    start = model.start()[0]
    given = Mechanism(model, start)
    closed = given.closed_positions(start, frozenset())
    found = given if np.array_equal(closed, start) else Mechanism(model, closed)
    found.check_branches(closed)
    if found.singular_parts is not None:
        beside = [
            select_independent_rows(found.scaled_jacobian_at(q)) for q in found.nearby_positions()
        ]
        found.__dict__["kept"] = max(beside, key=np.count_nonzero)
        found.is_on_branch = True
    found.check()
    return found


class ConstraintSet:
    """The rows of one model, and the tables of the compiled code."""

    def __init__(self, model: Model):
        """Refused: what no tree of joints can have, and what cannot move."""
        self.mechanism = place = analyse_mechanism(model)
        whole = copy(place)
        whole.__dict__.pop("independent_specs", None)
        whole.__dict__.update(kept=np.ones(len(place.specs), dtype=bool), is_on_branch=True)
        self.assembly = assembly_from_mechanism(whole, np.zeros(len(model.speeds)))
        self.tree_model = LoopTables(self.assembly).tree_model
        self.labels = tuple(f"{spec.part[0]} {spec.part[1]}: {spec.what}" for spec in place.specs)
        drives = [(k, spec) for k, spec in enumerate(place.specs) if spec.drive is not None]
        self.drive_rows = [k for k, _ in drives]
        self.drives = tuple(str(spec.part[1]) for _, spec in drives)
        self.has_laws = bool(LoopTables(self.assembly).forces)

    @property
    def specs(self) -> list[RowSpec]:
        return self.mechanism.specs

    def tables(self, base: AlgorithmTables) -> ConstrainedTables:
        """For the rows that are independent at the start."""
        place = self.mechanism
        loops = hamiltonian_loops.assemble(self.assembly)._replace(tree=base.tree)
        # a speed that is driven says nothing about positions
        is_placed = np.array(
            [spec.drive is None or spec.drive.speed is None for spec in self.specs]
        )
        slow = SLOW / place.scales_at_rest.time
        return ConstrainedTables(
            base,
            loops,
            read_only(np.flatnonzero(place.kept)),
            read_only(is_placed / (place.row_scale * RESIDUAL_TOLERANCE)),
            read_only(1.0 / place.row_scale),
            read_only(place.weights),
            read_only(np.array([RESIDUAL_RATE_TOLERANCE, slow])),
            read_only(np.array([GOOD_INDEPENDENCE])),
        )

    # ---- one state -------------------------------------------------------------------------------
    def rows_kept_at(self, G: Array, where: str) -> Array:
        """The independent rows at a position with this Jacobian; a singular one is refused."""
        kept = select_independent_rows(self.mechanism.scale_jacobian(G))
        if np.count_nonzero(kept) < self.mechanism.rank:
            lost = np.flatnonzero(self.mechanism.kept & ~kept)
            names = ", ".join(dict.fromkeys(owner_of(self.specs[k]) for k in lost))
            raise OptionError(
                f"q{where} is a singular position: the constraints of {names} depend on the others "
                "there but not beside it, so that accelerations and forces are not determined; ask "
                "beside it"
            )
        return np.flatnonzero(kept)

    def choose_speeds(self, G: Array) -> list[int]:
        """Rows of speeds that determine all others well, those declared first where they do."""
        rest = null_space(self.mechanism.scale_jacobian(G))
        chosen: list[int] = []
        for _ in range(rest.shape[1]):
            left = np.linalg.norm(rest, axis=1)
            left[chosen] = 0.0
            chosen.append(int((left >= GOOD_SHARE * left.max()).argmax()))
            unit = rest[chosen[-1]] / left[chosen[-1]]
            rest = rest - np.outer(rest @ unit, unit)
        return sorted(chosen)

    # ---- many states -----------------------------------------------------------------------------
    def check_positions(
        self, tables: ConstrainedTables, value: Array, number: int | None = None
    ) -> None:
        """Refuse positions at which rows do not hold; (…, rows), `number` is that of one state
        among many.
        """
        worst = np.atleast_2d(np.abs(value) * tables.value_weight)
        if not (worst <= 1.0).all():
            state, row = first_excess(worst)
            spec = self.specs[row]
            size = amount(np.atleast_2d(value)[state, row], spec)
            raise OptionError(
                f"q{words_for_state(value, state, number)} does not fit: {owner_of(spec)} has a "
                f"constraint residual of {size} ({spec.what}); "
                "d.close(q) moves it to where the constraints hold"
            )

    def check_speeds(
        self, tables: ConstrainedTables, rate: Array, qdot: Array, number: int | None = None
    ) -> None:
        """Refuse speeds at which residuals grow."""
        tolerance, slow = tables.rate_tolerance
        fastest = np.maximum(np.abs(qdot * tables.speed_weight).max(-1, initial=0.0), slow)
        rates = np.abs(rate) * tables.rate_weight
        worst = np.atleast_2d(rates / (tolerance * fastest[..., None]))
        if not (worst <= 1.0).all():
            state, row = first_excess(worst)
            spec = self.specs[row]
            size = amount(np.atleast_2d(rate)[state, row], spec, "/s")
            raise OptionError(
                f"qdot{words_for_state(rate, state, number)} does not fit: {owner_of(spec)} has a "
                f"residual rate of {size} ({spec.what}); "
                "d.project_speeds(q, qdot) moves it to where the constraints hold"
            )


def first_excess(worst: Array) -> tuple[int, int]:
    """The first state with a number above one or none, and the row with the largest."""
    state = int((~(worst <= 1.0)).any(axis=1).argmax())
    return state, int(np.nan_to_num(worst[state], nan=np.inf).argmax())


def words_for_state(values: Array, state: int, number: int | None) -> str:
    """How a message names one state of many."""
    if number is None and values.ndim == 1:
        return ""
    return f" in state {state if number is None else number}"


class RowBinding:
    """The tables of one choice of rows, and workspaces: what a Query asks of its owner."""

    def __init__(self, owner: Any, tables: ConstrainedTables):
        self.owner = owner
        self.model: Model = owner.model
        self.tree_model: Model = owner.tree_model
        self.positions: int = owner.positions
        self.freedoms: int = owner.freedoms
        self.tables = tables
        self.workspaces: dict[int, Any] = {}

    def workspace(self, width: int, has_matrices: bool) -> Any:
        if width not in self.workspaces:
            self.workspaces[width] = constrained_workspace(self.tables, width)
        return self.workspaces[width]

    def describe_zero_quaternion(self, q: Array) -> str:
        return self.owner.describe_zero_quaternion(q)


class ConstrainedQuery(Query):
    """A question whose answer needs rows that hold and are independent. Where the chosen ones are
    nearly dependent, others are, before it is refused by name.
    """

    owner: RowBinding

    def evaluate_state(self, t: float, given: list[Array]) -> Any:
        """The answer at one state."""
        return self.shape_output(self.numbers_at(t, given, None))

    def evaluate_states(self, t: float, given: list[Array]) -> Any:
        """The answers at many states, along the first axis."""
        out = self.numbers_of_states(t, given)
        for state in np.flatnonzero(~np.isfinite(out).all(axis=1)):
            out[state] = self.numbers_at(t, [x[state] for x in given], int(state))
        return self.shape_output(out)

    def numbers_at(self, t: float, given: list[Array], state: int | None) -> Array:
        """All numbers of the answer at one state; `state` is its number among many."""
        out = np.empty(self.output_size)
        q, u, x = (*given, *[np.zeros(0)] * (3 - len(given)))
        if self.call(self.float_pointer, t, q, u, x, out):
            return out
        self.refuse_inputs([values[None] for values in given])
        if self.owner.tables.least_independence[0] == LEAST_INDEPENDENCE:
            self.refuse_dependence(q, state)
        rows = self.owner.owner.rows_at(t, q, u if "qdot" in self.inputs else None, state)
        binding = self.owner.owner.binding_for(rows, state)
        again = ConstrainedQuery(
            binding, self.query, self.inputs, *self.parts, output_size=self.output_size
        )
        return again.numbers_at(t, given, state)

    def refuse_dependence(self, q: Array, state: int | None) -> None:
        """Rows were chosen anew, and still there is no answer."""
        refuse_singular_mass_matrix(self.owner.tree_model, q[None], None)
        raise OptionError(
            f"q{'' if state is None else f' in state {state}'} is too near to a singular position, "
            "or numbers overflow; ask beside it"
        )
