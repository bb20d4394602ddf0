"""A model at a start that fits: made once, handed on to the formulation, the observer and the
diagnosis of a run, and never changed.

What it holds follows from the model, the positions, the speeds and the time alone; no formulation
decides anything of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hamiltree.assembly.body_states import (
    BodyStates,
    compute_body_states,
    compute_tree_body_states,
    compute_unjoined_body_states,
)
from hamiltree.assembly.branches import choose_branch
from hamiltree.assembly.closing_starts import check_closing_starts
from hamiltree.assembly.kinematics import Tree, tree_of
from hamiltree.assembly.mechanism import Mechanism, held_speed_indices
from hamiltree.assembly.moving_origin import (
    BodyGroups,
    MovingOrigin,
    Origins,
    find_free_groups,
    find_moving_origin,
)
from hamiltree.assembly.orbiting_origin import (
    OrbitingOrigin,
    find_fast_group,
    find_orbiting_origin,
)
from hamiltree.assembly.prescribed_poses import prescribed_poses
from hamiltree.assembly.residuals import ResidualRows
from hamiltree.assembly.scales import Scales, derive_scales
from hamiltree.assembly.shared_inertias import MassiveBodies, share_inertias
from hamiltree.assembly.trees import Trees, trees_of
from hamiltree.errors import OptionError
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Drive
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.pair_force_checks import refuse_overlaps

MANY_BODIES = 1000  # more are quicker by compute_tree_body_states


@dataclass(frozen=True, eq=False)
class Assembly:
    """What is not given is found when it is first asked for, and kept."""

    model: Model
    q: np.ndarray  # positions of the tree
    speeds: np.ndarray
    t: float = 0.0
    # relative to which q and speeds are given; None: the origin of the world
    origin: MovingOrigin | None = None
    # of other bodies, and what the model and its start are without it
    orbiting_origin: OrbitingOrigin | None = None
    from_ground: Assembly | None = None

    @cached_property
    def tree(self) -> Tree:
        """The spanning tree, and where its joints keep their coordinates and speeds."""
        return tree_of(self.model)

    @cached_property
    def trees(self) -> Trees:
        """Which bodies each tree has, and which trees nothing anchors."""
        return trees_of(self.model)

    @cached_property
    def free_groups(self) -> BodyGroups | None:
        """Groups of trees of which nothing is fixed in space; None if there are none."""
        is_possible = any(joint.is_unanchored for joint in self.model.joints)
        return find_free_groups(self.from_ground or self) if is_possible else None

    @cached_property
    def momenta_of_free_groups(self) -> np.ndarray:
        """(groups, 3): Σ m v at the start, as seen from their origins."""
        assert self.free_groups is not None
        states = self.bodies_to_rounding
        arm = np.einsum("kij,kj->ki", states.rotation, self.free_groups.centres)
        velocity = states.twist[:, 3:] + np.cross(states.twist[:, :3], arm)
        return self.free_groups.sums((self.free_groups.masses[:, None] * velocity)[None])[0]

    @property
    def origins(self) -> list[Origins]:
        """Those that are not the origin of the world."""
        return [found for found in (self.origin, self.orbiting_origin) if found is not None]

    def relative_to_moving_origin(self) -> Assembly:
        """The same start seen from origins that move with the free groups, where that helps."""
        origin = find_moving_origin(self)
        if origin is None:
            return self
        q, speeds = origin.relative_start(self.q, self.speeds)
        return replace(self, q=q, speeds=speeds, origin=origin)

    def relative_to_orbits(self) -> Assembly:
        """The same start seen from origins on Kepler orbits, where bodies fall about a centre."""
        found = find_orbiting_origin(self)
        if found is None:
            return self
        orbiting, model = found
        q, speeds = orbiting.relative_start(self.q, self.speeds)
        return Assembly(model, q, speeds, self.t, self.origin, orbiting, self)

    @cached_property
    def fast_group(self) -> tuple[str, float] | None:
        """A body of a group that is seen from the ground, and by how much its common speed exceeds
        that within; None where all of them are anchored or have origins that move with them.
        """
        return find_fast_group(self)

    @cached_property
    def scales(self) -> Scales:
        """Natural length, mass and time: thresholds are parts of them."""
        return derive_scales(self.from_ground or self)

    @cached_property
    def mechanism(self) -> Mechanism:
        """The rows of joints that close loops, of constraints and couplings; their rank, and which
        are redundant.
        """
        return Mechanism(self.model, self.q, self.t)

    @cached_property
    def bodies(self) -> BodyStates:
        """Rotations, origins and twists of all bodies, by the tree."""
        return compute_body_states(self.tree, self.q, self.speeds)

    @cached_property
    def massive_bodies(self) -> MassiveBodies:
        """Mass, centre of mass and inertia of all bodies, for formulations that move each by
        itself: welded bodies share theirs where one of them has none.
        """
        return share_inertias(self.model)

    @cached_property
    def bodies_to_rounding(self) -> BodyStates:
        """The same to rounding, and quick for very many bodies without loops, or where each is
        joined to the ground only.
        """
        model = self.model
        is_unjoined = (
            model.is_unjoined
            and not model.followers
            and all(joint.parent == GROUND for joint in model.tree_joints)
        )
        if is_unjoined:
            return compute_unjoined_body_states(model, self.q, self.speeds)
        if len(model.bodies) > MANY_BODIES and not model.has_rows:
            return compute_tree_body_states(model, self.q, self.speeds)
        return self.bodies

    @cached_property
    def constraint_residuals(self) -> ResidualRows:
        """Of what the tree does not keep by itself."""
        return ResidualRows(self.mechanism, self.scales.length, is_whole=False)

    @cached_property
    def all_constraint_residuals(self) -> ResidualRows:
        """Of the joints of the tree too."""
        return ResidualRows(self.mechanism, self.scales.length, is_whole=True)

    def __reduce__(self) -> tuple:
        """A copy, or one in another process, finds the rest again."""
        origins = self.origin, self.orbiting_origin, self.from_ground
        return Assembly, (self.model, self.q, self.speeds, self.t, *origins)

    def check_particles(self) -> None:
        """Refuse two particles of a pair force in one place; bodies of a Motion are where it puts
        them.
        """
        forces = [force for force in self.model.forces if isinstance(force, PairForce)]
        if forces:
            placed = prescribed_poses(self.model, self.bodies_to_rounding, self.t)
            for force in forces:
                refuse_overlaps(force, self.model, *placed)


def assemble_at_start(model: Model, q: np.ndarray | None = None) -> Assembly:
    """A model as it stands: at its own start, or at rest at positions q.

    Nothing is moved or checked.
    """
    if q is None:
        return Assembly(model, *model.start())
    return Assembly(model, np.asarray(q, dtype=float), np.zeros(len(model.speeds)))


def assemble_at_consistent_start(
    model: Model, q: np.ndarray, speeds: np.ndarray, t: float, hold: Sequence[str] | str | None
) -> Assembly:
    """At a start at which constraint residuals and their rates are zero.

    hold   None: refuse a start that does not fit. Else it is moved by the least change, and the
           joints named keep their values.
    """
    check_time(model, t)
    held = held_speed_indices(model, hold or ())
    given = Mechanism(model, q, t)
    if hold is None:
        given.check_start(speeds)
        check_closing_starts(given, speeds)
    closed_positions = given.closed_positions(q, held)
    mechanism = given.moved_to(closed_positions)
    mechanism.check_branches(closed_positions)
    mechanism = choose_branch(mechanism, speeds)
    mechanism.check()
    return assembly_from_mechanism(mechanism, mechanism.project_speeds(speeds, held))


def assembly_from_mechanism(mechanism: Mechanism, speeds: np.ndarray) -> Assembly:
    """With a mechanism that was analysed already."""
    made = Assembly(mechanism.model, mechanism.q, speeds, mechanism.t)
    made.__dict__.update(mechanism=mechanism, tree=mechanism.tree)
    return made


def check_time(model: Model, t: float) -> None:
    """A driven speed moves its coordinate from where it is at t = 0: another start does not say
    where that was.
    """
    driven = next(
        (part for part in model.constraints if isinstance(part, Drive) and part.speed is not None),
        None,
    )
    if t != 0.0 and driven is not None:
        raise OptionError(
            f"t = {t:g}: the drive of joint {driven.joint!r} gives a speed, which counts from t = "
            "0; "
            "start there, or drive the joint by a position"
        )


def names_to_hold(assemble: Any) -> Sequence[str] | str | None:
    """What `assemble` of a user means: None where a start is not to be moved, else the joints that
    keep their values.
    """
    if assemble is None or assemble is False:
        return None
    return () if assemble is True else assemble
