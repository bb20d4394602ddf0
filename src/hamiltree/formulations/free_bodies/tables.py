"""Assembly of the chain formulations: what fits them, principal axes, how every body is held, and
where it starts; all bodies at once.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.compiled.number import read_only, size
from hamiltree.compiled.user_code import code_table
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.forces.laws import JOINT_LAWS, Placement, check_laws
from hamiltree.forces.packed import LawsOfBodies, laws_of_bodies
from hamiltree.formulations.free_bodies.bodies import ChainBody, ChainFrame, Motions
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Motion
from hamiltree.model.forces import BodyInput, BodyLoad
from hamiltree.model.model import Model
from hamiltree.model.values import IDENTITY, Frame
from hamiltree.symbolic.calculus import compile_of_time
from hamiltree.symbolic.grammar import check_names, expression_of
from hamiltree.verbs import Facts

Array = np.ndarray
SAME = 1e-14  # moments, in parts of the largest, that differ by rounding only
SMALL = 1e-12  # a moment below this part of the largest is none
CENTRED = 1e-9  # of the size of a body: as far as a point may be from its centre of mass
HELD = ("free", "weld", "ball")
WITHOUT_POTENTIAL = ("body_load", "body_input", "body_law", "body_table", "drag")
IN_SPACE = ("central_gravity",)
INSTEAD = (
    "use hamiltonian_tree, or hamiltonian_loops and cartesian_3 where there are loops and "
    "constraints"
)


# ---- what fits -----------------------------------------------------------------------------------
def check_chain(model: Model, formulation: str) -> None:
    """Refuse what is more than bodies on the ground, each by itself, with forces between them."""
    check_laws(model.forces)
    joined = next(
        (joint for joint in model.joints if GROUND not in (joint.parent, joint.child)), None
    )
    if joined is not None:
        raise refused(
            "joint", joined.name, f"joins '{joined.parent}' and '{joined.child}'", formulation
        )
    other = next((joint for joint in model.joints if joint.kind not in HELD), None)
    if other is not None:
        raise refused(
            "joint",
            other.name,
            f"is a {other.kind}, neither free nor a weld nor a ball",
            formulation,
        )
    if model.closing:
        raise refused(
            "joint", model.closing[0], "holds a body that another joint holds already", formulation
        )
    if model.couplings:
        raise refused("coupling", model.couplings[0].name or 1, "couples joints", formulation)
    for position, constraint in enumerate(model.constraints):
        if not isinstance(constraint, Motion):
            raise refused(
                "constraint",
                constraint.name or position + 1,
                f"is a {constraint.kind}",
                formulation,
            )
    along_joints = {law.part for law in JOINT_LAWS}
    for position, force in enumerate(model.forces):
        if type(force) in along_joints:
            raise refused(
                "force",
                force.name or position + 1,
                f"is a {force.kind}, which acts along a joint",
                formulation,
            )


def refused(kind: str, name, what: str, formulation: str) -> FitError:
    called = f"'{name}'" if isinstance(name, str) else str(name)
    return FitError(
        f"{kind} {called} {what}; {formulation} moves bodies that hang on the ground one by one: "
        f"{INSTEAD}",
        (kind, name),
    )


# ---- principal axes ------------------------------------------------------------------------------
class Principal(NamedTuple):
    """Moments (n, 3) about the centres of mass, and axes (n, 3, 3) as columns in the bodies'
    own.
    """

    moments: Array
    axes: Array


def principal_of(inertia: Array) -> Principal:
    """Of inertias (n, 3, 3).

    Where they are diagonal axes stay; moments that differ by rounding become equal, and those near
    zero zero.
    """
    n = len(inertia)
    moments, axes = np.diagonal(inertia, axis1=1, axis2=2).copy(), np.tile(np.eye(3), (n, 1, 1))
    largest = np.abs(inertia).max(axis=(1, 2), initial=0.0)
    skew = (
        np.abs(inertia - moments[:, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
        > 1e-15 * largest
    )
    if skew.any():
        moments[skew], found = np.linalg.eigh(inertia[skew])
        found[:, :, 2] *= np.sign(np.linalg.det(found))[:, None]
        axes[skew] = found
    moments[moments <= SMALL * largest[:, None]] = 0.0
    equalise(moments, largest)
    return Principal(moments, axes)


def equalise(moments: Array, largest: Array) -> None:
    """A rod's two moments are equal, however they were rounded."""
    rod = (moments == 0.0).sum(axis=1) == 1
    for a, b in ((0, 1), (1, 2), (0, 2)):
        same = (np.abs(moments[:, a] - moments[:, b]) <= SAME * largest) | (
            rod & (moments[:, a] > 0.0) & (moments[:, b] > 0.0)
        )
        moments[same, a] = moments[same, b] = 0.5 * (moments[same, a] + moments[same, b])


# ---- tables --------------------------------------------------------------------------------------
class ChainTables:
    """A model as the chain formulations see it."""

    def __init__(self, model: Model, formulation: str):
        check_chain(model, formulation)
        self.model, self.formulation = model, formulation
        self.rows = {body.name: k for k, body in enumerate(model.bodies)}
        self.mass = np.array([body.mass for body in model.bodies])
        self.com = np.array([body.com for body in model.bodies]).reshape(-1, 3)
        self.moments, self.axes = principal_of(
            np.array([body.inertia for body in model.bodies]).reshape(-1, 3, 3)
        )
        self.check_masses()
        self.moves: Array = np.ones(len(self.mass), dtype=bool)
        self.turns: Array = np.any(self.moments, axis=1)
        self.hold()
        self.motions = self.moved()
        self.check_levers()

    def check_masses(self) -> None:
        if not (self.mass > 0.0).all():
            name = self.model.bodies[int(np.argmin(self.mass))].name
            raise FitError(
                f"body '{name}' has no mass; {self.formulation} moves every body by itself: give "
                "it one, or remove it",
                ("body", name),
            )

    def check_levers(self) -> None:
        """Nothing pulls about an axis that has no inertia: a torque there would turn a body
        infinitely fast.
        """
        rows = np.flatnonzero(
            (self.moments == 0.0).any(axis=1)
            & (self.turns | ~self.moments.any(axis=1))
            & self.moves
        )
        known: set[tuple] = set()
        for i in rows.tolist():
            body = self.model.bodies[i]
            key = (id(body.particles), body.com, body.inertia)
            if body.particles is not None and key not in known:
                known.add(key)
                self.check_lever(i, "particle", np.array(body.particles.positions))
        loads = [force for force in self.model.forces if isinstance(force, (BodyLoad, BodyInput))]
        for load in loads:
            i = self.rows[load.body]
            if i in rows and isinstance(load, BodyLoad) and any(load.torque):
                raise self.no_inertia(i, f"the torque {load.torque} of a load acts on it")
            if i in rows and (isinstance(load, BodyInput) or any(load.force)):
                self.check_lever(i, "load at", np.array([load.at]))

    def check_lever(self, i: int, what: str, points: Array) -> None:
        """Points off an axis without inertia: their forces would turn the body about it."""
        arms = (points - self.com[i]) @ self.axes[i]
        for axis in np.flatnonzero(self.moments[i] == 0.0):
            off = np.linalg.norm(np.delete(arms, axis, axis=1), axis=1)
            worst = int(off.argmax())
            if off[worst] > CENTRED * max(1.0, float(np.abs(arms).max())):
                number = (
                    f"{what} {worst}"
                    if what == "particle"
                    else f"{what} {tuple(points[worst].tolist())}"
                )
                raise self.no_inertia(i, f"{number} is {off[worst]:.3g} m off that axis")

    def no_inertia(self, i: int, why: str) -> FitError:
        name = self.model.bodies[i].name
        return FitError(
            f"body '{name}' has no inertia about an axis through its centre of mass, and {why}: "
            "its rotation would have no equation; "
            f"give the particles there a mass, or the body an inertia",
            ("body", name),
        )

    def size_of(self, i: int) -> float:
        return (
            float(np.sqrt(self.moments[i].max() / self.mass[i]) + np.abs(self.com[i]).max()) or 1.0
        )

    # ---- holds -----------------------------------------------------------------------------------
    def hold(self) -> None:
        """What welds and balls keep."""
        for joint in self.model.joints:
            if joint.kind == "free":
                continue
            i, frame = (
                (self.rows[joint.child], joint.on_child)
                if joint.parent == GROUND
                else (self.rows[joint.parent], joint.on_parent)
            )
            self.moves[i] = False
            if joint.kind == "weld":
                self.turns[i] = False
            elif np.abs(np.array(frame.position) - self.com[i]).max() > CENTRED * self.size_of(i):
                raise FitError(
                    f"joint '{joint.name}' (ball) holds body '{self.model.bodies[i].name}' at "
                    f"{frame.position}, not at its centre of mass "
                    f"{tuple(self.com[i].tolist())}; {self.formulation} turns bodies about their "
                    "centres of mass: move the ball there, or "
                    f"{INSTEAD}",
                    ("joint", joint.name),
                )

    def moved(self) -> Motions:
        """What is moved in time is not free."""
        parts = [
            (k, part) for k, part in enumerate(self.model.constraints) if isinstance(part, Motion)
        ]
        for k, motion in parts:
            self.check_motion(k, motion)
        found = [self.row_of(k, motion) for k, motion in parts]
        width = max([1, *(len(numbers) for *_, numbers in found)])
        return Motions(
            read_only(np.array([self.rows[motion.body] for _, motion in parts], dtype=np.int64)),
            read_only(
                np.array([motion.position is not None for _, motion in parts], dtype=np.int64)
            ),
            read_only(
                np.array([motion.rotation is not None for _, motion in parts], dtype=np.int64)
            ),
            code_table(code for codes, _ in found for code in codes),
            read_only(
                np.array(
                    [numbers + [0.0] * (width - len(numbers)) for _, numbers in found]
                ).reshape(-1, width)
            ),
        )

    def check_motion(self, position: int, motion: Motion) -> None:
        """r(t) alone only of the centre of mass."""
        i, who, part = (
            self.rows[motion.body],
            motion.describe(position),
            ("constraint", motion.name or position + 1),
        )
        apart = np.abs(self.com[i]).max() > CENTRED * self.size_of(i)
        if motion.position is not None and motion.rotation is None and self.turns[i] and apart:
            raise FitError(
                f"{who}: r(t) is given of the origin of body '{motion.body}', which is not its "
                "centre of mass, and its rotation is free; "
                f"put the origin into the centre of mass, give the rotation too, or {INSTEAD}",
                part,
            )
        self.moves[i] &= motion.position is None
        self.turns[i] &= motion.rotation is None

    def row_of(self, position: int, motion: Motion) -> tuple[list, list[float]]:
        """Code of r(t) and θ(t), zeros where there is none, and the parameters."""
        names = tuple(sorted(motion.parameters))
        try:
            check_names({"variable": [], "parameter": names})
            codes = [
                None
                if formulas is None
                else compile_of_time(expression_of(formulas[k], ("t", *names), what), names).code
                for what, formulas in (("position", motion.position), ("rotation", motion.rotation))
                for k in range(3)
            ]
        except OptionError as error:
            raise ModelError(
                f"{motion.describe(position)}: {error}", ("constraint", motion.name or position + 1)
            ) from error
        return codes, [motion.parameters[name] for name in names]

    # ---- arrays ----------------------------------------------------------------------------------
    def inverse(self, inertias: Array) -> Array:
        """(n, 3) of what may turn; 0 elsewhere."""
        return np.divide(
            1.0, inertias, out=np.zeros_like(inertias), where=(inertias > 0.0) & self.turns[:, None]
        )

    def bodies(self, turn: Array, spare: Array) -> Array:
        move = np.where(self.moves, 1.0 / self.mass, 0.0)
        return read_only(
            np.column_stack([self.mass, move, turn, spare]).reshape(-1, size(ChainBody))
        )

    def frames(self) -> Array:
        return read_only(
            np.column_stack([self.com, np.swapaxes(self.axes, 1, 2).reshape(-1, 9)]).reshape(
                -1, size(ChainFrame)
            )
        )

    def laws(self) -> LawsOfBodies:
        """A law knows the rows of bodies and the frames of the bodies in them."""
        n = len(self.model.bodies)
        placement = Placement(
            no_coordinate,
            self.carrier,
            (),
            ground=n,
            body=self.model.body,
            axes=lambda name: [],
            ball=lambda name: None,
            model=self.model,
        )
        return laws_of_bodies(self.model.forces, placement)

    def carrier(self, name: str) -> tuple[int, Frame]:
        if name == GROUND:
            return len(self.model.bodies), IDENTITY
        i = self.rows[name]
        if not self.com[i].any() and (self.axes[i] == np.eye(3)).all():
            return i, IDENTITY
        back = self.axes[i].T
        return i, Frame(tuple((-back @ self.com[i]).tolist()), back)

    def facts(self, constraints: int) -> Facts:
        return Facts(
            constraints, is_conservative=self.is_conservative, feels_speeds=self.feels_speeds
        )

    @property
    def feels_speeds(self) -> bool:
        """Whether forces depend on speeds, or may, as laws that a user wrote."""
        steady = [
            force.is_conservative or is_undamped(force) or isinstance(force, (BodyLoad, BodyInput))
            for force in self.model.forces
        ]
        return not all(steady)

    @property
    def is_isolated(self) -> bool:
        """Whether no body is held or moved in time and no force with a potential holds on to
        space.
        """
        is_free = (
            self.moves.all()
            and len(self.mass) > 1
            and not (self.moments.any(axis=1) & ~self.turns).any()
        )
        stored = [force for force in self.model.forces if force.kind not in WITHOUT_POTENTIAL]
        ends = {
            getattr(force, field)
            for force in stored
            for field, kind in force.references.items()
            if kind == "end"
        }
        return (
            bool(is_free)
            and GROUND not in ends
            and not any(force.kind in IN_SPACE for force in stored)
        )

    @property
    def is_conservative(self) -> bool:
        """Whether H stays as it is: nothing is moved in time, and no force does work that is no
        change of potential energy.
        """
        forces = self.model.forces
        return not len(self.motions.row) and all(
            force.is_conservative or is_undamped(force) for force in forces
        )

    @property
    def turning(self) -> Array:
        """Rows of the bodies that turn."""
        return read_only(np.flatnonzero(self.turns).astype(np.int64))


def is_undamped(force) -> bool:
    """Of springs that may have a damper."""
    return hasattr(force, "damping") and not np.any(force.damping)


def no_coordinate(name: str) -> int:
    raise FitError(
        f"joint '{name}': bodies of a chain have no joint coordinates; {INSTEAD}", ("joint", name)
    )


# ---- starts --------------------------------------------------------------------------------------
class ChainStart(NamedTuple):
    """Of all bodies: centres of mass, unit quaternions and rotations of the principal axes, and
    velocities; ω in principal axes.
    """

    r: Array
    q: Array
    R: Array
    v: Array
    w: Array


def chain_start(system, assembly: Assembly) -> ChainStart:
    """Zero velocities of what is held or moved in time."""
    turn, at, twist = assembly.unjoined_bodies
    com, axes = system.frame[:, :3], np.swapaxes(system.frame[:, 3:].reshape(-1, 3, 3), 1, 2)
    arm, R = np.einsum("kij,kj->ki", turn, com), turn @ axes
    move, turns = system.body[:, 1:2] > 0.0, system.body[:, 2:5] > 0.0
    v = (twist[:, 3:] + np.cross(twist[:, :3], arm)) * move
    return ChainStart(
        at + arm, quaternions(R), R, v, np.einsum("kji,kj->ki", R, twist[:, :3]) * turns
    )


def quaternions(R: Array) -> Array:
    """Unit quaternions (n, 4) of rotations (n, 3, 3), w ≥ 0: from the largest of the four
    (Shepperd).
    """
    xx, yy, zz = R[:, 0, 0], R[:, 1, 1], R[:, 2, 2]
    wx, wy, wz = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    xy, xz, yz = R[:, 0, 1] + R[:, 1, 0], R[:, 0, 2] + R[:, 2, 0], R[:, 1, 2] + R[:, 2, 1]
    candidates = np.array(
        [
            [1 + xx + yy + zz, wx, wy, wz],
            [wx, 1 + xx - yy - zz, xy, xz],
            [wy, xy, 1 - xx + yy - zz, yz],
            [wz, xz, yz, 1 - xx - yy + zz],
        ]
    )
    best = np.argmax(np.diagonal(candidates, axis1=0, axis2=1), axis=1)
    found = candidates[best, :, np.arange(len(R))]
    return (
        found
        / np.linalg.norm(found, axis=1, keepdims=True)
        * np.where(found[:, :1] < 0.0, -1.0, 1.0)
    )
