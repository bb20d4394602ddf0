"""Assembly of kane_absolute: arms and slides of connections, columns, the rows that are left to
multipliers, and states.
"""

from typing import Any

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.joint_rows import JointGeometry, is_screw, joint_geometry
from hamiltree.assembly.row_tables import make_row_table
from hamiltree.assembly.rows import Rows
from hamiltree.assembly.shared_inertias import MassiveBodies
from hamiltree.compiled.number import read_only
from hamiltree.formulations.absolute.tables import BodyStates, CartesianTables
from hamiltree.formulations.kane.partial_velocities import PartialVelocityColumns, find_columns
from hamiltree.model.bodies import GROUND
from hamiltree.model.model import Model
from hamiltree.model.topology import spanning_tree
from hamiltree.verbs import Layout

NAME = "kane_absolute"


class Connection:
    """A joint of kane_absolute: two points whose distance is the sum of slides, whose axes are
    fixed to one of the bodies.
    """

    def __init__(self, bodies: MassiveBodies, joint, lower: str, upper: str):
        """Points and arms of a joint between two bodies, each in the axes of its body."""
        shape: JointGeometry = joint_geometry(joint)
        near, far = shape.near, shape.far  # slides are fixed to the near side
        self.lower, self.upper = lower, upper
        self.slides_on_upper = near.body == upper
        points = {side.body: np.array(side.point(shape.point)) for side in (near, far)}
        self.at_lower, self.at_upper = points[lower], points[upper]
        self.slides = np.array([near.vector(axis) for axis in slide_axes(shape)]).reshape(-1, 3)
        centre = {body.name: np.array(body.com) for body in bodies} | {GROUND: np.zeros(3)}
        self.lower_arm = self.at_lower - centre[lower]
        self.upper_arm = centre[upper] - self.at_upper


def slide_axes(shape: JointGeometry) -> list:
    """Slides of the joint, and the advance of a screw, which a constraint row couples with its
    angle.
    """
    if is_screw(shape):
        axis = shape.turns[0][0]
        return [axis / np.linalg.norm(axis)]
    return list(shape.slides)


def absolute_connections(assembly: Assembly) -> tuple[Any, list[Connection]]:
    """The tree, and the connection of each body of the model."""
    model, bodies = assembly.model, assembly.massive_bodies
    topology = spanning_tree(model)
    found: dict[int, Connection] = {}
    for place, body in enumerate(topology.order):
        below = topology.parent[place]
        lower = GROUND if below < 0 else model.bodies[topology.order[below]].name
        found[int(body)] = Connection(
            bodies, model.joints[topology.joint[place]], lower, model.bodies[body].name
        )
    return topology, [found[b] for b in range(len(model.bodies))]


class KaneTables(CartesianTables):
    """Rows: what joints of the tree forbid of rotations, screws, couplings, and all that closes
    loops.
    """

    def __init__(self, assembly: Assembly):
        """Drop the rows of translations, which the coordinates satisfy; groups keep their
        numbers.
        """
        super().__init__(assembly, NAME)
        every, numbers = self.specs, {}
        for k, rows in enumerate(self.groups()):
            numbers |= dict.fromkeys(rows, k)
        own = len(self.own_specs)
        kept = [
            row
            for row, spec in enumerate(every)
            if row >= own or not spec.what.startswith("translation")
        ]
        self.specs = [every[row] for row in kept]
        self.group_numbers = np.array([numbers[row] for row in kept], dtype=np.int64)

    @property
    def rows(self) -> Rows:
        return make_row_table(self.specs, self.link_of_body, self.followed.numbers)


def assemble_absolute(kind, assembly: Assembly):
    """The tables of a mechanism at its start."""
    model, tables = assembly.model, KaneTables(assembly)
    coordinates, of_joints, of_bodies = tables.laws()
    topology, connections = absolute_connections(assembly)
    n, counts = len(connections), [len(connection.slides) for connection in connections]
    body_row = tables.body_row | {GROUND: n}
    parent = np.array([body_row[connection.lower] for connection in connections], dtype=np.int64)
    first_angular_speed, speeds = np.zeros(n, dtype=np.int64), 0
    for b in topology.order:
        first_angular_speed[b] = speeds
        speeds += 3 + counts[b]
    own = [list(range(at, at + 3 + counts[b])) for b, at in enumerate(first_angular_speed)]
    columns = find_columns(topology.order, np.where(parent < n, parent, -1), own, speeds)
    slides = sum(counts)
    return kind(
        Layout(4 * n + slides, 3 * n + slides),
        tables.facts(
            coordinates, of_joints, of_bodies, constraints=len(tables.specs), projects=True
        ),
        read_only(np.array(topology.order, dtype=np.int64)),
        read_only(parent),
        tables.body_table(),
        read_only(np.array([connection.lower_arm for connection in connections])),
        read_only(np.array([connection.upper_arm for connection in connections])),
        read_only(np.cumsum([0, *counts])),
        read_only(
            np.concatenate([np.zeros((0, 3)), *(connection.slides for connection in connections)])
        ),
        read_only(np.array([connection.slides_on_upper for connection in connections], dtype=bool)),
        read_only(first_angular_speed),
        columns,
        read_only([model.gravity]),
        tables.rows,
        read_only(tables.group_numbers),
        read_only(row_extents(tables, columns)),
        coordinates,
        of_joints,
        of_bodies,
        tables.followed.table(tables.link_of_body),
        read_only([[0.0, 0.0]]),
        *tables.residual_scales(),
    )


def row_extents(tables: KaneTables, columns: PartialVelocityColumns) -> np.ndarray:
    """One more than the number of the last speed that each row depends on."""
    found = []
    for spec in tables.specs:
        bodies = [
            tables.body_row[name]
            for term in spec.terms
            for name in (term.i, term.j)
            if name in tables.body_row
        ]
        last = max(columns.speed[columns.first[b] : columns.first[b + 1]].max() for b in bodies)
        found.append(1 + int(last))
    return np.array(found, dtype=np.int64)


def kane_initial_state(system, assembly: Assembly, pointer=None) -> np.ndarray:
    """ε, s; ω', ṡ"""
    body_states, model = BodyStates(assembly), assembly.model
    rows = {body.name: b for b, body in enumerate(model.bodies)}
    turn, at, twist = assembly.bodies
    # the ground is the last row
    turn = np.concatenate([turn, np.eye(3)[None]])
    at = np.concatenate([at, np.zeros((1, 3))])
    twist = np.concatenate([twist, np.zeros((1, 6))])
    slides, rates = [], []
    for connection in absolute_connections(assembly)[1]:
        ends = (
            (rows.get(connection.lower, -1), connection.at_lower),
            (rows[connection.upper], connection.at_upper),
        )
        near, far = ends[::-1] if connection.slides_on_upper else ends
        (near_at, near_v), (far_at, far_v) = (
            point_motion(turn[b], at[b], twist[b], point) for b, point in (near, far)
        )
        w, R = twist[near[0], :3], turn[near[0]]
        apart, inverse = far_at - near_at, np.linalg.pinv(connection.slides)
        slides.append((R.T @ apart) @ inverse)
        rates.append((R.T @ (far_v - near_v - np.cross(w, apart))) @ inverse)
    return np.concatenate([body_states.p.ravel(), *slides, body_states.w.ravel(), *rates])


def point_motion(turn, at, twist, point) -> tuple[np.ndarray, np.ndarray]:
    """Position and velocity of a point of a body."""
    arm = turn @ point
    return at + arm, twist[3:] + np.cross(twist[:3], arm)


def body_quaternions(system, states, windings) -> np.ndarray:
    """Euler parameters of all bodies, which come first."""
    count = len(system.body)
    return states[:, : 4 * count].reshape(len(states), count, 4)


def owner(system, model: Model, row: int) -> str:
    """The body whose position or speed a row of the state is."""
    n, positions = len(system.body), system.layout.positions
    width, place = (4, row) if row < positions else (3, row - positions)
    body = (
        place // width
        if place < width * n
        else int(np.searchsorted(system.first_slide, place - width * n, side="right") - 1)
    )
    return model.bodies[body].name


def kane_row_scales(system, assembly: Assembly) -> np.ndarray:
    """Natural sizes of ε, s; ω', ṡ"""
    n = len(assembly.model.bodies)
    scales = assembly.scales
    slides = [scales.length] * (system.layout.positions - 4 * n)
    rates = np.array([*[1.0] * (3 * n), *slides]) / scales.time
    return np.concatenate([np.ones(4 * n), slides, rates])
