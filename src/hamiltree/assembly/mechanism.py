"""The constraints of a model at a start: whether they hold there, which rows are redundant, and how
to move a start to where they hold.

The spanning tree keeps its joints by itself, so what is left are the rows of the joints that close
loops, of constraints and of couplings that no tree can follow. From their Jacobian G by the speeds
of the tree follow rank, degrees of freedom, redundant rows (every plane loop in space has three)
and the Newton steps that close loops.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.assembly.body_states import BodyStates
from hamiltree.assembly.joint_rows import (
    RowSpec,
    StartConfiguration,
    coordinate_terms,
    is_turned_over,
)
from hamiltree.assembly.kinematics import (
    Configurations,
    Kinematics,
    Tree,
    compute_twists,
    position_of_point,
    retract,
    tree_of,
)
from hamiltree.assembly.row_rank import null_space, select_independent_rows
from hamiltree.assembly.row_tables import (
    RowEvaluator,
    RowValues,
    add_driven_starts,
    amount,
    closing_specs,
    owner_of,
)
from hamiltree.assembly.scales import ScaleFinder, Scales
from hamiltree.assembly.trees import trees_of
from hamiltree.errors import FitError, ModelError, OptionError, spell_option, suggest
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Drive
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model

# as a part of the size of the mechanism: a larger residual is not taken for rounded digits
RESIDUAL_TOLERANCE = 1e-8
RESIDUAL_RATE_TOLERANCE = 1e-8  # as a part of the speeds
SLOW = 1e-3  # in parts of the natural rate: slower speeds are compared with this
RANK_CUTOFF = 1e-10  # singular values below this part of the largest are none
# residuals that no iteration makes smaller, as parts of the size of the mechanism or of the largest
# angle: rounding
CLOSED_BELOW = 1e-13
MAX_ITERATIONS = 60
MAX_LISTED = 8  # parts that a message names


class Mechanism:
    """A model at a start: its constraint rows, their rank, and the checks of both."""

    def __init__(
        self,
        model: Model,
        q: np.ndarray | None = None,
        t: float = 0.0,
        before: Mechanism | None = None,
    ):
        """At positions q of the tree, the model's own if none are given; `before`: the same model
        at other positions, of which is taken what does not depend on them.
        """
        self.model = model
        self.t = t
        self.tree: Tree = tree_of(model) if before is None else before.tree
        self.q = model.start()[0] if q is None else np.asarray(q, dtype=float)
        known = None if before is None else before.configurations
        self.configurations = Configurations(self.tree, self.q, known)
        self.kinematics: Kinematics = self.configurations.start.kinematics
        if before is not None and before.has_same_rows_elsewhere:
            self.specs, self.row_evaluator = before.specs, before.row_evaluator
        else:
            specs = closing_specs(model, self.start_configuration)
            self.specs = add_driven_starts(specs, self.start_configuration)
            self.row_evaluator = RowEvaluator(model, self.specs)
        self.is_on_branch = False  # a singular position, with rows that are kept beside it

    @property
    def has_same_rows_elsewhere(self) -> bool:
        """Whether its rows are of joints alone, which do not depend on the start, and count no
        turns.
        """
        model = self.model
        others = model.constraints or model.couplings_as_constraints
        return not others and not (self.row_evaluator.table.winding >= 0).any()

    def moved_to(self, q: np.ndarray) -> Mechanism:
        """The same model at other positions."""
        return self if np.array_equal(q, self.q) else Mechanism(self.model, q, self.t, self)

    @cached_property
    def start_values(self) -> dict[str, float]:
        """Start values by label: coordinates of q, of their followers, and of closing joints."""
        found = dict(zip(self.model.coordinates, self.q.tolist(), strict=True))
        found |= {
            label: ratio * found[leader] + offset
            for label, (leader, ratio, offset) in self.model.followers.items()
        }
        return found | self.closing_joint_starts()

    def closing_joint_starts(self) -> dict[str, float]:
        """Coordinates of closing joints that follow from the positions of the bodies; those that no
        row measures are left out.
        """
        specs = []
        for joint in map(self.model.joint, self.model.closing):
            for axis, label in enumerate(coordinate_labels(joint)[: len(joint.screws())]):
                try:
                    specs.append(
                        RowSpec(("joint", joint.name), label, tuple(coordinate_terms(joint, axis)))
                    )
                except FitError:
                    continue
        if not specs:
            return {}
        values = RowEvaluator(self.model, specs).at(self.kinematics.turn, self.kinematics.at).value
        return {spec.what: float(value) for spec, value in zip(specs, values, strict=True)}

    @cached_property
    def start_configuration(self) -> StartConfiguration:
        place = position_of_point(self.tree, self.kinematics)
        return StartConfiguration(place, lambda: self.start_values)

    @cached_property
    def size(self) -> float:
        """How large the trees with constraint rows are, m: residuals are compared with it."""
        trees = trees_of(self.model).of_body
        names = {name for spec in self.specs for term in spec.terms for name in (term.i, term.j)}
        held = {trees[k] for k, body in enumerate(self.model.bodies) if body.name in names}
        bodies = [k for k in range(len(trees)) if trees[k] in held or not held]
        places = [
            *self.kinematics.at[bodies],
            *(
                self.start_configuration.position_of_point(term.i, term.at)
                for spec in self.specs
                for term in spec.terms
            ),
        ]
        places += [
            self.kinematics.at[k] + self.kinematics.turn[k] @ self.model.bodies[k].com
            for k in bodies
        ]
        spread = np.ptp(np.array(places), axis=0).max() if places else 0.0
        return float(spread) or self.scales_at_rest.length

    @cached_property
    def scales_at_rest(self) -> Scales:
        """Natural length, mass and time of the model without its speeds."""
        trees = trees_of(self.model)
        rest = compute_twists(self.tree, self.kinematics, np.zeros(len(self.model.speeds)))
        states = BodyStates(self.kinematics.turn, self.kinematics.at, rest)
        return ScaleFinder(self.model, trees, states).scales

    def at(
        self, q: np.ndarray, qdot: np.ndarray | None = None, t: float | None = None
    ) -> tuple[RowValues, np.ndarray]:
        """Rows and G at positions (and speeds) of the tree; at the time of the start unless another
        is given.
        """
        kinematics = self.configurations.at(q).kinematics
        twist = None if qdot is None else compute_twists(self.tree, kinematics, qdot)
        found = self.row_evaluator.at(
            kinematics.turn, kinematics.at, twist, self.t if t is None else t
        )
        return found, self.configurations.jacobian(q, self.row_evaluator.table, found.row_jacobian)

    # ---- rank ------------------------------------------------------------------------------------
    @cached_property
    def weights(self) -> np.ndarray:
        """Of the speeds, to make them rates: displacements count in parts of the size of the
        mechanism, angles as they are.
        """
        found = np.ones(len(self.model.speeds))
        for columns in self.kinematics.columns:
            for row, _, twist in columns:
                if not twist[:3].any():
                    found[row] = 1.0 / self.size
        return found

    @cached_property
    def scaled_jacobian(self) -> np.ndarray:
        """G at the start without units: displacements in parts of the size of the mechanism."""
        return self.scaled_jacobian_at(self.q)

    def scaled_jacobian_at(self, q: np.ndarray) -> np.ndarray:
        return self.scale_jacobian(self.at(q)[1])

    def scale_jacobian(self, G: np.ndarray) -> np.ndarray:
        """G without units."""
        return G / self.weights[None] / self.row_scale[:, None]

    @cached_property
    def row_scale(self) -> np.ndarray:
        """What residuals are parts of: the size of the mechanism, m, or a radian."""
        return np.array([1.0 if spec.is_angle else self.size for spec in self.specs])

    @cached_property
    def kept(self) -> np.ndarray:
        """Which rows are independent of each other at the start, by a factorisation with row
        pivoting.
        """
        return select_independent_rows(self.scaled_jacobian)

    @property
    def rank(self) -> int:
        return int(self.kept.sum())

    @property
    def degrees_of_freedom(self) -> int:
        """By rank: speeds of the tree less independent rows."""
        return len(self.model.speeds) - self.rank

    @property
    def counted_degrees_of_freedom(self) -> int:
        """By count (Grübler, Kutzbach): speeds of the tree less all rows; below the true number
        where rows are redundant.
        """
        return len(self.model.speeds) - len(self.specs)

    @cached_property
    def independent_specs(self) -> list[RowSpec]:
        """The rows that are independent of each other."""
        return [spec for spec, kept in zip(self.specs, self.kept, strict=True) if kept]

    @property
    def redundant(self) -> list[RowSpec]:
        return [spec for spec, kept in zip(self.specs, self.kept, strict=True) if not kept]

    def describe_redundant(self) -> str:
        """The redundant rows in words: how many of which part."""
        counts: dict[str, int] = {}
        for spec in self.redundant:
            counts[owner_of(spec)] = counts.get(owner_of(spec), 0) + 1
        named = [f"{count} of {name}" for name, count in counts.items()]
        return ", ".join(named[:MAX_LISTED]) + (
            f" and {len(named) - MAX_LISTED} more parts" if len(named) > MAX_LISTED else ""
        )

    # ---- checks ----------------------------------------------------------------------------------
    def check(self) -> None:
        """Refuse what cannot move, drives that contradict each other, and a singular start, at
        which rows depend on each other that elsewhere do not.
        """
        assert self.is_consistent

    @cached_property
    def is_consistent(self) -> bool:
        """True, or it raises; checked once."""
        singular = self.singular_parts
        if singular is not None and not self.is_on_branch:
            names = ", ".join(f"'{name}'" for name in singular)
            raise ModelError(
                f"the start is a singular position: the constraints of {names} depend on the "
                "others there but not beside it, so that the motion is not determined; start "
                "elsewhere, or give all joints of the model, also those that close loops, a qdot "
                "that determines the branch",
                part=next(spec.part for spec in self.specs if spec.part[1] == singular[0]),
            )
        self.check_drives()
        passive = [k for k, spec in enumerate(self.specs) if spec.drive is None]
        if len(passive) and len(self.model.speeds) == int(
            select_independent_rows(self.scaled_jacobian[passive]).sum()
        ):
            spec = self.specs[passive[-1]]
            raise FitError(
                f"model '{self.model.name}' cannot move: its joints and constraints leave no "
                "degree of freedom "
                f"({owner_of(spec)} is the last that holds it); remove one, or free an axis",
                part=spec.part,
            )
        return True

    def check_drives(self) -> None:
        """Refuse a drive of a coordinate that the other rows already determine."""
        passive = [k for k, spec in enumerate(self.specs) if spec.drive is None]
        held = passive
        for k, spec in enumerate(self.specs):
            if spec.drive is None:
                continue
            before = int(select_independent_rows(self.scaled_jacobian[held]).sum()) if held else 0
            if int(select_independent_rows(self.scaled_jacobian[[*held, k]]).sum()) == before:
                others = sorted(
                    {
                        owner_of(self.specs[m])
                        for m in held
                        if np.abs(self.scaled_jacobian[m]).max() > 0
                    }
                )
                what = (
                    f"what {', '.join(others[:4])} already determine"
                    if others
                    else "nothing that can move"
                )
                raise FitError(
                    f"constraint '{spec.part[1]}': it drives joint '{spec.drive.joint}', {what}; "
                    "drive another joint, or remove it",
                    part=spec.part,
                )
            held = [*held, k]

    @cached_property
    def singular_parts(self) -> list[str] | None:
        """Parts whose rows are independent beside the start but not at it: a singular position;
        None if it is none.
        """
        for q in self.nearby_positions() if self.redundant else ():
            there = select_independent_rows(self.scaled_jacobian_at(q))
            if int(there.sum()) > self.rank:
                return sorted(
                    {str(self.specs[k].part[1]) for k in np.flatnonzero(there & ~self.kept)}
                )
        return None

    def nearby_positions(self) -> Iterator[np.ndarray]:
        """Positions near the start to which the model could move if nothing were driven."""
        passive = self.without_drives()
        free = null_space(passive.scaled_jacobian)
        rng = np.random.default_rng(1)
        for length in (1e-2, 3e-2) if free.shape[1] else ():
            step = length / self.weights * (free @ rng.normal(size=free.shape[1]))
            try:
                yield passive.closed_positions(retract(self.tree, self.q, step), frozenset())
            except FitError:
                continue

    def without_drives(self) -> Mechanism:
        """The same where nothing is driven."""
        if all(spec.drive is None for spec in self.specs):
            return self
        constraints = [c for c in self.model.constraints if not isinstance(c, Drive)]
        return Mechanism(self.model.with_(constraints=constraints), self.q, t=self.t)

    def residual(
        self, q: np.ndarray, t: float | None = None, is_scaled: bool = False
    ) -> tuple[float, RowSpec | None]:
        """The largest constraint residual, m or rad, and its row; scaled: the largest relative to
        the size of the mechanism.
        """
        if not self.specs:
            return 0.0, None
        value = np.abs(self.at(q, None, t)[0].value)
        place = int((value / self.row_scale if is_scaled else value).argmax())
        return float(value[place]), self.specs[place]

    def check_branches(self, q: np.ndarray) -> None:
        """Refuse a closing joint whose rows hold on the wrong branch: an axis upside down, a weld
        turned by half a turn.
        """
        kinematics = self.configurations.at(q).kinematics
        rotation = {body.name: kinematics.turn[k] for k, body in enumerate(self.model.bodies)}
        rotation[GROUND] = np.eye(3)
        for joint in map(self.model.joint, self.model.closing):
            near = rotation[joint.parent] @ joint.on_parent.matrix
            if is_turned_over(joint, near.T @ rotation[joint.child] @ joint.on_child.matrix):
                raise ModelError(
                    f"joint '{joint.name}' ({joint.kind}) is assembled in the opposite orientation "
                    f"at the start: axes of its frames on '{joint.child}' and '{joint.parent}' "
                    "point opposite ways; correct the frames, or the start values",
                    part=("joint", joint.name),
                )

    def check_start(self, qdot: np.ndarray) -> None:
        """Refuse a start at which a constraint residual or its rate is not zero."""
        worst, spec = self.residual(self.q, is_scaled=True)
        limit = RESIDUAL_TOLERANCE * (1.0 if spec is None or spec.is_angle else self.size)
        if spec is not None and not worst <= limit:
            raise ModelError(
                f"{owner_of(spec)} has a constraint residual of {amount(worst, spec)} at the start "
                f"({spec.what}); "
                f"correct the start values, or let it be closed with {spell_option('assemble')}",
                part=spec.part,
            )
        self.check_speeds(
            qdot, f"correct the speeds, or let them be projected with {spell_option('assemble')}"
        )

    def check_speeds(self, qdot: np.ndarray, remedy: str) -> None:
        """Refuse speeds at which a residual rate is not zero."""
        if not self.specs:
            return
        rate = self.at(self.q, qdot)[0].rate
        fastest = float(np.abs(qdot * self.weights).max(initial=0.0))
        worst_row = int(np.abs(rate / self.row_scale).argmax())
        limit = RESIDUAL_RATE_TOLERANCE * max(fastest, SLOW / self.scales_at_rest.time)
        if not abs(rate[worst_row]) <= limit * self.row_scale[worst_row]:
            spec = self.specs[worst_row]
            raise ModelError(
                f"{owner_of(spec)} has a residual rate of {amount(rate[worst_row], spec, '/s')} at "
                f"the start ({spec.what}); {remedy}",
                part=spec.part,
            )

    # ---- assembly --------------------------------------------------------------------------------
    def closed_positions(self, q: np.ndarray, held: frozenset[int]) -> np.ndarray:
        """The positions nearest to q at which every row holds: Newton's method with the least
        change, held coordinates left alone.
        """
        q = q.copy()
        best = np.inf
        stalled = 0  # iterations without progress
        for _ in range(MAX_ITERATIONS):
            found, G = self.at(q)
            relative = np.abs(found.value / self.row_scale)
            worst = float(relative.max()) if len(relative) else 0.0
            if worst < 1e-15:
                return q
            stalled = stalled + 1 if worst >= 0.5 * best else 0
            best = min(best, worst)
            if best < CLOSED_BELOW * self.turned(q) and stalled:
                return q
            if stalled > 12 or not np.isfinite(worst):
                break
            step = self.least_change(G, -found.value, held)
            length = float(np.abs(step * self.weights).max())
            q = retract(self.tree, q, step * min(1.0, 0.3 / max(length, 1e-300)))
        return self.refuse_assembly(q)

    def turned(self, q: np.ndarray) -> float:
        """The largest angle among the positions, in radians, but not less than one: its rounding is
        what rows cannot fall below.
        """
        angles = [
            abs(x)
            for x, label in zip(q.tolist(), self.model.coordinates, strict=True)
            if self.dimension_of_coordinate[label] == "angle"
        ]
        return max(1.0, *angles) if angles else 1.0

    @cached_property
    def dimension_of_coordinate(self) -> dict[str, str]:
        return {
            label: kind
            for joint in self.model.joints
            for label, kind in zip(
                coordinate_labels(joint), joint.coordinate_dimensions(), strict=True
            )
        }

    def least_change(self, G: np.ndarray, wanted: np.ndarray, held: frozenset[int]) -> np.ndarray:
        """x with G x = wanted and the least ‖weights x‖; held entries are zero, and rows that
        depend on each other are met as well as they can be.
        """
        free = [k for k in range(G.shape[1]) if k not in held]
        x = np.zeros(G.shape[1])
        if free and len(wanted):
            found = np.linalg.lstsq(
                self.scale_jacobian(G)[:, free], wanted / self.row_scale, rcond=RANK_CUTOFF
            )
            x[free] = found[0] / self.weights[free]
        return x

    def refuse_assembly(self, q: np.ndarray):
        """Raise the error that names the row with the largest residual left."""
        worst, spec = self.residual(q)
        assert spec is not None
        raise FitError(
            f"model '{self.model.name}' cannot be assembled: {owner_of(spec)} keeps a constraint "
            f"residual of {amount(worst, spec)}; check lengths and start values near it",
            part=spec.part,
        )

    def project_speeds(self, qdot: np.ndarray, held: frozenset[int]) -> np.ndarray:
        """The speeds nearest to qdot at which every residual rate is zero."""
        for _ in range(3):
            found, G = self.at(self.q, qdot)
            qdot = qdot + self.least_change(G, -found.rate, held)
        self.check_speeds(qdot, "although they were projected: other speeds are held or driven")
        return qdot


def held_speed_indices(model: Model, names: Any) -> frozenset[int]:
    """Rows of the speeds of joints or coordinates, by name, that closing loops must not change."""
    rows = {label: k for k, label in enumerate(model.speeds)}
    found: set[int] = set()
    for name in (names,) if isinstance(names, str) else names:
        own = [rows[label] for label in rows if label == name or label.startswith(f"{name}.")]
        if not own:
            raise OptionError(
                f"hold: there is no joint {name!r} with a speed of its own; "
                f"{suggest(str(name), list(rows))}"
            )
        found.update(own)
    return frozenset(found)
