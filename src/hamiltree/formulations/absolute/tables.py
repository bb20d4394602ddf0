"""Assembly of the formulations in absolute coordinates: bodies, rows, the order of elimination,
laws along joints.
"""

from collections.abc import Callable

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.row_tables import make_row_table, owner_of, tree_specs
from hamiltree.assembly.rows import Rows, has_drives
from hamiltree.assembly.shared_inertias import (
    MassiveBodies,
    MassShare,
    lacks_inertia,
    share_inertias,
)
from hamiltree.assembly.windings import AngleList, CoordinateRows, counted_labels
from hamiltree.compiled.number import read_only
from hamiltree.errors import FitError, suggest
from hamiltree.forces.dispatch import BodyLawDispatch, make_body_laws, make_joint_laws
from hamiltree.forces.laws import JOINT_LAWS, Placement, check_laws
from hamiltree.formulations.absolute.sparse_block_plan import (
    BlockPlan,
    elimination_order,
    plan_blocks,
    symmetric_plan,
)
from hamiltree.model.bodies import GROUND, Body
from hamiltree.model.joints import coordinate_labels
from hamiltree.model.model import Model
from hamiltree.model.values import IDENTITY, Frame
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.verbs import Facts

LinkOfBody = Callable[[str], tuple[int, Frame]]  # row of Bodies, the body's frame in it


def check_bodies(model: Model, bodies: MassiveBodies, formulation: str) -> None:
    """Refuse bodies without a mass and an inertia, and armatures."""
    lacking = np.flatnonzero(lacks_inertia(bodies))
    if len(lacking):
        raise no_inertia_error(
            bodies[lacking[0]],
            f"; {formulation} moves every body by itself: give it one, weld it to a body that has "
            "one, or use hamiltonian_loops",
        )
    check_armatures(model, formulation, "use hamiltonian_tree or hamiltonian_loops")


def check_own_inertias(model: Model, formulation: str) -> None:
    """Refuse bodies without inertia also where welded bodies share one: the forces between those
    depend on the shares.
    """
    check_bodies(model, share_inertias(model), formulation)
    lacking = np.flatnonzero(lacks_inertia(model.bodies))
    if len(lacking):
        raise no_inertia_error(
            model.bodies[lacking[0]],
            " of its own, on which forces between welded bodies depend: give it one, or merge it "
            "with the body that it is welded to",
        )


def no_inertia_error(body: Body | MassShare, why: str) -> FitError:
    missing = "inertia about some axis" if body.mass > 0 else "mass"
    return FitError(f"body '{body.name}' has no {missing}{why}", part=("body", body.name))


def check_armatures(model: Model, formulation: str, remedy: str) -> None:
    """Refuse rotors of motors, which have no body here."""
    for joint in model.joints:
        if any(joint.armatures()):
            raise FitError(
                f"joint '{joint.name}' has armature, an inertia of the coordinate alone, which "
                f"{formulation} does not know; {remedy}, or model the rotor as a body",
                part=("joint", joint.name),
            )


def row_and_frame_of(bodies: MassiveBodies) -> LinkOfBody:
    """Of a body's name: its row of Bodies, whose origins are the centres of mass, and the body's
    frame in it.
    """
    rows = {body.name: k for k, body in enumerate(bodies)}

    def link_of_body(name: str) -> tuple[int, Frame]:
        if name == GROUND:
            return len(bodies), IDENTITY
        x, y, z = bodies[rows[name]].com
        return rows[name], Frame((-x, -y, -z))

    return link_of_body


def laws_on_bodies(
    model: Model, formulation: str, link_of_body: LinkOfBody | None = None
) -> BodyLawDispatch:
    """The forces of a model, for a formulation that has bodies and no joint coordinates; FitError
    where one acts along a joint.

    The rows of `Bodies` are the bodies, each with its centre of mass and its own axes (unless
    `link_of_body` says otherwise), then the ground.
    """
    check_laws(model.forces)
    remedy = f"{formulation} has no joint coordinates: use hamiltonian_tree or cartesian_3"
    along_joints = {law.part for law in JOINT_LAWS}
    for position, force in enumerate(model.forces):
        if type(force) in along_joints:
            raise FitError(
                f"{force.describe(position)} acts along a joint; {remedy}",
                ("force", force.name or position + 1),
            )

    def refuse_coordinate(name: str) -> int:
        raise FitError(f"a force looks at joint '{name}'; {remedy}", ("joint", name))

    placement = Placement(
        refuse_coordinate,
        link_of_body or row_and_frame_of(model.bodies),
        ground=len(model.bodies),
        body=model.body,
        axes=lambda name: [],
        ball=lambda name: None,
        model=model,
    )
    return make_body_laws(model.forces, placement)


class CartesianTables:
    """What all formulations in absolute coordinates have in common, for one model at one start."""

    def __init__(self, assembly: Assembly, formulation: str):
        """Check that the model fits, and collect the constraint rows of tree joints and loops."""
        self.assembly = assembly
        self.mechanism = assembly.mechanism
        self.model = model = assembly.model
        check_laws(model.forces)
        self.bodies = assembly.massive_bodies
        check_bodies(model, self.bodies, formulation)
        self.mechanism.check()
        self.body_row = {body.name: k for k, body in enumerate(model.bodies)}
        self.link_of_body = row_and_frame_of(self.bodies)
        self.own_specs = tree_specs(model, self.mechanism.start_configuration)
        self.specs = [*self.own_specs, *self.mechanism.independent_specs]
        self.followed = AngleList(model, self.mechanism.start_configuration)
        self.coordinate_rows = CoordinateRows(self.followed)
        self.followed.add_coordinates()
        self.followed.add_labels(counted_labels([*self.own_specs, *self.mechanism.specs]))

    @property
    def rows(self) -> Rows:
        return make_row_table(self.specs, self.link_of_body, self.followed.numbers)

    def residual_scales(self) -> tuple[np.ndarray, np.ndarray]:
        """What the residuals of rows are parts of, 1 rad or a length, and that length, m."""
        length = self.assembly.scales.length
        sizes = [1.0 if spec.is_angle else length for spec in self.specs]
        return read_only(np.array(sizes, dtype=float)), read_only([length])

    # ---- laws along joints -----------------------------------------------------------------------
    def coordinate(self, label: str) -> int:
        """Row of a joint's coordinate, which is added the first time that a law asks for it."""
        return self.coordinate_rows.row(label)

    def placement(self) -> Placement:
        """Where laws find joint coordinates, bodies and frames in this System."""
        model = self.model
        axes = {
            label: joint
            for joint in model.joints
            for label in coordinate_labels(joint)[: len(joint.screws())]
        }

        def rows_of(name):
            if name in axes:
                return [self.coordinate(name)]
            joint = model.joint(name)
            return [
                self.coordinate(label) for label in coordinate_labels(joint)[: len(joint.screws())]
            ]

        def coordinate(name):
            if name not in axes:
                raise FitError(
                    f"there is no coordinate {name!r} of one axis; {suggest(name, list(axes))}"
                )
            return self.coordinate(name)

        def ball(name):
            joint = next((joint for joint in model.joints if joint.name == name), None)
            return (joint.parent, joint.child) if joint is not None and joint.has_ball else None

        return Placement(
            coordinate,
            self.link_of_body,
            tuple(axes),
            ground=len(model.bodies),
            body=model.body,
            axes=rows_of,
            ball=ball,
            followers={},
            model=model,
        )

    def laws(self):
        """(rows of the coordinates that laws ask for, laws along joints, laws on bodies)."""
        placement = self.placement()
        of_joints = make_joint_laws(self.model.forces, placement)
        of_bodies = make_body_laws(self.model.forces, placement)
        numbers = self.followed.numbers
        table = make_row_table(self.coordinate_rows.specs, self.link_of_body, numbers)
        return table, of_joints, of_bodies

    # ---- blocks ----------------------------------------------------------------------------------
    def groups(self) -> list[list[int]]:
        """Constraint rows by the part that they belong to, in order."""
        found: dict[tuple, list[int]] = {}
        for row, spec in enumerate(self.specs):
            found.setdefault(spec.part, []).append(row)
        return list(found.values())

    def bodies_of(self, rows: list[int]) -> list[int]:
        names = {
            name for row in rows for term in self.specs[row].terms for name in (term.i, term.j)
        }
        return sorted(self.body_row.get(name, -1) for name in names)

    def blocks(self, body_size: int) -> tuple[BlockPlan, np.ndarray, np.ndarray, np.ndarray]:
        """The plan, and where rows and terms stand in it: group and place of each row, slot of each
        end of a term.
        """
        groups = self.groups()
        touched = [self.bodies_of(rows) for rows in groups]
        slots = [[body for body in near if body >= 0] for near in touched]
        order = elimination_order(*self.tree_and_closing_groups(groups), touched)
        body_sizes = [body_size] * len(self.model.bodies)
        plan = plan_blocks(body_sizes, [len(rows) for rows in groups], slots, order)
        group = np.zeros(len(self.specs), dtype=np.int64)
        place = np.zeros(len(self.specs), dtype=np.int64)
        for k, rows in enumerate(groups):
            group[rows], place[rows] = k, np.arange(len(rows))
        slot = self.slots_of_terms([slots[k] for k in group])
        return freeze_plan(plan), read_only(group), read_only(place), read_only(slot)

    def tree_and_closing_groups(
        self, groups: list[list[int]]
    ) -> tuple[list[int], list[list[int]], list[int]]:
        """Parent of each body (−1: ground), groups of the joint of each body to its parent, and
        groups that close loops.
        """
        topology, n = self.mechanism.tree.topology, len(self.model.bodies)
        parents, joint_of = [-1] * n, {}
        for place, body in enumerate(topology.order):
            if topology.parent[place] >= 0:
                parents[body] = int(topology.order[topology.parent[place]])
            joint_of["joint", self.model.joints[topology.joint[place]].name] = int(body)
        tree_groups: list[list[int]] = [[] for _ in range(n)]
        closing = []
        for k, rows in enumerate(groups):
            part = self.specs[rows[0]].part
            (tree_groups[joint_of[part]] if part in joint_of else closing).append(k)
        return parents, tree_groups, closing

    def slots_of_terms(self, near: list[list[int]]) -> np.ndarray:
        """(terms, 2): place of each end of a term among the bodies near its row, −1 for the
        ground.
        """
        found = [
            [
                bodies.index(self.body_row[name]) if name in self.body_row else -1
                for name in (term.i, term.j)
            ]
            for bodies, spec in zip(near, self.specs, strict=True)
            for term in spec.terms
        ]
        return np.array(found, dtype=np.int64).reshape(-1, 2)

    def facts(self, coordinates: Rows, of_joints, of_bodies, **counts) -> Facts:
        """`counts` of constraints, multipliers and balanced rows."""
        rows = self.rows
        return Facts(
            **counts,
            is_conservative=not (of_joints.has_any or of_bodies.has_any or has_drives(rows)),
            rows_count_windings=bool((rows.winding >= 0).any()),
            laws_count_windings=bool((coordinates.winding >= 0).any()),
            followed=len(self.followed.scales),
            may_lose_rank=bool(self.mechanism.independent_specs),
        )

    def shared_fields(self, body_size: int, *, is_symmetric: bool, **counts) -> tuple:
        """Fields `facts` to `followed` of the Systems: CartesianI to III, CartesianHamiltonian."""
        coordinates, of_joints, of_bodies = self.laws()
        plan, group, place, slot = self.blocks(body_size)
        return (
            self.facts(coordinates, of_joints, of_bodies, **counts),
            self.body_table(),
            read_only([self.model.gravity]),
            self.rows,
            group,
            place,
            slot,
            symmetric_plan(plan) if is_symmetric else plan,
            coordinates,
            of_joints,
            of_bodies,
            self.followed.table(self.link_of_body),
        )

    def body_table(self) -> np.ndarray:
        """BodyConstants of all bodies."""
        upper = np.triu_indices(3)
        return read_only(
            [[body.mass, *np.array(body.inertia)[upper], *body.com] for body in self.bodies]
        )


def pack_body_state(r: np.ndarray, p: np.ndarray, *speeds: np.ndarray) -> np.ndarray:
    """(r, p of every body; speeds or momenta of every body) as one state."""
    return np.concatenate([np.column_stack([r, p]).ravel(), np.column_stack(speeds).ravel()])


def canonical_state(
    r: np.ndarray, q: np.ndarray, momentum: np.ndarray, spin: np.ndarray
) -> np.ndarray:
    """(r, q; m v, g = 2 Lᵀ J'ω') of all bodies; spin = J'ω' in body axes."""
    return pack_body_state(r, q, momentum, 2.0 * l_transpose_times(q, spin))


def freeze_plan(plan: BlockPlan) -> BlockPlan:
    """The plan with read-only arrays."""
    return plan._replace(
        **{
            name: read_only(value)
            for name, value in plan._asdict().items()
            if isinstance(value, np.ndarray)
        }
    )


class BodyStates:
    """Centres of mass, quaternions and twists of all bodies: what a state in absolute coordinates
    is made of.
    """

    def __init__(self, assembly: Assembly):
        com = np.array([body.com for body in assembly.massive_bodies])
        turn, at, twist = assembly.bodies
        arm = np.einsum("kij,kj->ki", turn, com)
        self.r, self.v = at + arm, twist[:, 3:] + np.cross(twist[:, :3], arm)
        self.p = quaternion_from_matrix(turn)
        self.w = np.einsum("kji,kj->ki", turn, twist[:, :3])  # body axes

    @property
    def rate(self) -> np.ndarray:
        """ṗ = ½ Lᵀ ω'"""
        return 0.5 * l_transpose_times(self.p, self.w)


def l_transpose_times(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """p ∘ (0, w), row by row."""
    scalar = -(p[:, 1:] * w).sum(1)
    return np.column_stack([scalar, p[:, :1] * w + np.cross(p[:, 1:], w)])


def constraint_names(assembly: Assembly) -> list[str]:
    """The parts with rows, in the order of their groups: joints of the tree, then what closes
    loops.
    """
    mechanism = assembly.mechanism
    own = tree_specs(assembly.model, mechanism.start_configuration)
    specs = (*own, *mechanism.independent_specs)
    return list(dict.fromkeys(owner_of(spec) for spec in specs))


def winding_angles(formulation: str):
    """Coordinate and scale of the angles that are followed, in the order of the windings."""

    def angles(assembly: Assembly) -> list[tuple[str, float]]:
        tables = CartesianTables(assembly, formulation)
        tables.laws()
        return tables.followed.scales

    return angles
