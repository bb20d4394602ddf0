"""Assembly of the formulations of free bodies: what fits them, principal axes, how every body is
held, and where it starts; all bodies at once.
"""

from typing import NamedTuple

import numpy as np

from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.shared_inertias import MassiveBodies, share_inertias
from hamiltree.compiled.number import read_only, size
from hamiltree.compiled.user_code import code_table
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.forces.dispatch import BodyLawDispatch
from hamiltree.forces.laws import JOINT_LAWS, check_laws
from hamiltree.formulations.absolute.tables import laws_on_bodies
from hamiltree.formulations.free_bodies.bodies import (
    FreeBodyConstants,
    PrescribedMotions,
    PrincipalFrame,
)
from hamiltree.model.bodies import GROUND
from hamiltree.model.constraints import Motion
from hamiltree.model.forces import BodyInput, BodyLoad
from hamiltree.model.model import Model
from hamiltree.model.pose_potential import PosePotential
from hamiltree.model.values import IDENTITY, Frame, scale
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.symbolic.calculus import compile_time_expression
from hamiltree.symbolic.grammar import check_names, to_expression
from hamiltree.verbs import Facts

Array = np.ndarray
EQUAL_MOMENTS_TOLERANCE = 1e-14  # moments, in parts of the largest, that differ by rounding only
MIN_MOMENT_RATIO = 1e-12  # a moment below this part of the largest is none
CENTRE_TOLERANCE = 1e-9  # of the size of a body: as far as a point may be from its centre of mass
ALLOWED_JOINTS = ("free", "weld", "ball")
# Their work is that of their forces at the middle of a step: they have no potential, or (body_load)
# one that is linear in r and A.
LOADS = ("body_input", "body_law", "body_table", "drag", "point_actuator")
FORCES_WITHOUT_CORRECTION = ("body_load", *LOADS)
SPACE_FIXED_FORCES = ("central_gravity", "orbiting_frame")
REMEDY = (
    "use hamiltonian_tree, or hamiltonian_loops and cartesian_3 where there are loops and "
    "constraints"
)


# ---- what fits -----------------------------------------------------------------------------------
def check_unjoined(model: Model, formulation: str) -> None:
    """Refuse what is more than single bodies, each joined to the ground alone, with forces between
    them.
    """
    check_laws(model.forces)
    check_joints(model, formulation)
    if model.couplings:
        raise unfit_error("coupling", model.couplings[0].name or 1, "couples joints", formulation)
    for position, constraint in enumerate(model.constraints):
        if not isinstance(constraint, Motion):
            name = constraint.name or position + 1
            raise unfit_error("constraint", name, f"is a {constraint.kind}", formulation)
    along_joints = {law.part for law in JOINT_LAWS}
    for position, force in enumerate(model.forces):
        if type(force) in along_joints:
            what = f"is a {force.kind}, which acts along a joint"
            raise unfit_error("force", force.name or position + 1, what, formulation)


def check_joints(model: Model, formulation: str) -> None:
    """Refuse joints between bodies, of other kinds than free, weld and ball, and loops."""
    joined = next(
        (joint for joint in model.joints if GROUND not in (joint.parent, joint.child)), None
    )
    if joined is not None:
        raise unfit_error(
            "joint", joined.name, f"joins '{joined.parent}' and '{joined.child}'", formulation
        )
    other = next((joint for joint in model.joints if joint.kind not in ALLOWED_JOINTS), None)
    if other is not None:
        what = f"is a {other.kind}, neither free nor a weld nor a ball"
        raise unfit_error("joint", other.name, what, formulation)
    if model.closing:
        raise unfit_error(
            "joint", model.closing[0], "holds a body that another joint holds already", formulation
        )


def unfit_error(kind: str, name, what: str, formulation: str) -> FitError:
    """The error of a part that a formulation of free bodies cannot handle."""
    called = f"'{name}'" if isinstance(name, str) else str(name)
    return FitError(
        f"{kind} {called} {what}; {formulation} moves bodies without joints between them: {REMEDY}",
        (kind, name),
    )


# ---- principal axes ------------------------------------------------------------------------------
class PrincipalAxes(NamedTuple):
    """Moments (n, 3) about the centres of mass, and axes (n, 3, 3) as columns in body axes."""

    moments: Array
    axes: Array


def principal_axes_of(inertia: Array) -> PrincipalAxes:
    """Principal moments and axes of inertias (n, 3, 3).

    Where an inertia is diagonal the axes stay; moments that differ by rounding become equal, and
    those near zero become zero.
    """
    n = len(inertia)
    moments, axes = np.diagonal(inertia, axis1=1, axis2=2).copy(), np.tile(np.eye(3), (n, 1, 1))
    largest = np.abs(inertia).max(axis=(1, 2), initial=0.0)
    products = np.abs(inertia - moments[:, None] * np.eye(3)).max(axis=(1, 2), initial=0.0)
    skew = products > 1e-15 * largest
    if skew.any():
        moments[skew], found = np.linalg.eigh(inertia[skew])
        found[:, :, 2] *= np.sign(np.linalg.det(found))[:, None]
        axes[skew] = found
    moments[moments <= MIN_MOMENT_RATIO * largest[:, None]] = 0.0
    equalise_moments(moments, largest)
    return PrincipalAxes(moments, axes)


def equalise_moments(moments: Array, largest: Array) -> None:
    """Make moments that differ by rounding equal, in place; so are the two moments of a rod."""
    is_rod = (moments == 0.0).sum(axis=1) == 1
    for a, b in ((0, 1), (1, 2), (0, 2)):
        is_near = np.abs(moments[:, a] - moments[:, b]) <= EQUAL_MOMENTS_TOLERANCE * largest
        same = is_near | (is_rod & (moments[:, a] > 0.0) & (moments[:, b] > 0.0))
        moments[same, a] = moments[same, b] = 0.5 * (moments[same, a] + moments[same, b])


# ---- tables --------------------------------------------------------------------------------------
class FreeBodiesTables:
    """A model for the formulations of free bodies: masses, principal axes, what is free.

    `com` is the point about which a body turns: its centre of mass, or the ball that holds it.
    """

    def __init__(self, model: Model, formulation: str):
        """Check that the model fits, and find what is free, held or prescribed."""
        check_unjoined(model, formulation)
        self.model, self.formulation = model, formulation
        self.rows = {body.name: k for k, body in enumerate(model.bodies)}
        bodies: MassiveBodies = model.bodies
        if not all(body.mass > 0.0 for body in bodies):
            shares = zip(bodies, share_inertias(model), strict=True)
            bodies = [body if body.mass > 0.0 else share for body, share in shares]
        self.mass = np.array([body.mass for body in bodies])
        self.com = np.array([body.com for body in bodies]).reshape(-1, 3)
        inertia = np.array([body.inertia for body in bodies]).reshape(-1, 3, 3)
        self.moments, self.axes = principal_axes_of(inertia)
        self.check_masses()
        self.weights: list[BodyLoad] = []  # of bodies that turn about another point
        self.turn_about_pivots(inertia)
        self.moves: Array = np.ones(len(self.mass), dtype=bool)
        self.turns: Array = np.any(self.moments, axis=1)
        self.apply_holding_joints()
        self.motions = self.prescribe_motions()
        self.check_arms()

    def check_masses(self) -> None:
        """Refuse bodies without mass."""
        if not (self.mass > 0.0).all():
            name = self.model.bodies[int(np.argmin(self.mass))].name
            raise FitError(
                f"body '{name}' has no mass; {self.formulation} moves every body by itself: give "
                "it one, or remove it",
                ("body", name),
            )

    def check_arms(self) -> None:
        """Refuse forces and torques about an axis without inertia: the rotation about it would have
        no equation.
        """
        lacks_a_moment = (self.moments == 0.0).any(axis=1)
        is_point = ~self.moments.any(axis=1)
        rows = np.flatnonzero(lacks_a_moment & (self.turns | is_point) & self.moves)
        known: set[tuple] = set()
        for i in rows.tolist():
            body = self.model.bodies[i]
            key = (id(body.particles), body.com, body.inertia)
            if body.particles is not None and key not in known:
                known.add(key)
                self.check_arm(i, "particle", np.array(body.particles.positions))
        loads = [force for force in self.model.forces if isinstance(force, (BodyLoad, BodyInput))]
        for load in loads:
            i = self.rows[load.body]
            if i in rows and isinstance(load, BodyLoad) and any(load.torque):
                raise self.no_inertia_error(i, f"the torque {load.torque} of a load acts on it")
            if i in rows and (isinstance(load, BodyInput) or any(load.force)):
                self.check_arm(i, "load at", np.array([load.at]))

    def check_arm(self, i: int, what: str, points: Array) -> None:
        """Refuse points off an axis without inertia: their forces would rotate the body."""
        arms = (points - self.com[i]) @ self.axes[i]
        limit = CENTRE_TOLERANCE * max(float(np.abs(arms).max()), self.body_size(i))
        for axis in np.flatnonzero(self.moments[i] == 0.0):
            off = np.linalg.norm(np.delete(arms, axis, axis=1), axis=1)
            worst = int(off.argmax())
            if off[worst] > limit:
                which = worst if what == "particle" else tuple(points[worst].tolist())
                raise self.no_inertia_error(
                    i, f"{what} {which} is {off[worst]:.3g} m off that axis"
                )

    def no_inertia_error(self, i: int, why: str) -> FitError:
        """The error of a body that is loaded about an axis without inertia."""
        name = self.model.bodies[i].name
        return FitError(
            f"body '{name}' has no inertia about an axis through its centre of mass, and {why}: "
            "its rotation would have no equation; give the particles there a mass, or the body an "
            "inertia",
            ("body", name),
        )

    def body_size(self, i: int) -> float:
        """A length of body i: its radius of gyration and the distance of its centre of mass."""
        gyration = np.sqrt(self.moments[i].max() / self.model.bodies[i].mass)
        return float(gyration + np.abs(self.com[i]).max())

    # ---- holds -----------------------------------------------------------------------------------
    def apply_holding_joints(self) -> None:
        """Hold positions of bodies with welds and balls, and rotations of bodies with welds."""
        for joint in self.model.joints:
            if joint.kind == "free":
                continue
            is_child = joint.parent == GROUND
            i = self.rows[joint.child if is_child else joint.parent]
            self.moves[i] = False
            if joint.kind == "weld":
                self.turns[i] = False

    def turn_about_pivots(self, inertia: Array) -> None:
        """Let a body that a ball holds elsewhere than at its centre of mass turn about the ball:
        the moments there, J + m (d² − d dᵀ), that point in the place of the centre of mass, and its
        weight as a constant force at the centre of mass, so that the rows have no mass.
        """
        shifted = inertia.copy()
        for joint in self.model.joints:
            if joint.kind != "ball":
                continue
            is_child = joint.parent == GROUND
            i = self.rows[joint.child if is_child else joint.parent]
            pivot = np.array((joint.on_child if is_child else joint.on_parent).position)
            d = self.com[i] - pivot
            if np.abs(d).max() <= CENTRE_TOLERANCE * self.body_size(i):
                continue
            shifted[i] += self.mass[i] * (d @ d * np.eye(3) - np.outer(d, d))
            self.com[i] = pivot
            body = self.model.bodies[i]
            weight = scale(body.mass, self.model.gravity)
            self.weights.append(BodyLoad(body.name, force=weight, at=body.com))
            self.mass[i] = 0.0
        if self.weights:
            self.moments, self.axes = principal_axes_of(shifted)

    def prescribe_motions(self) -> PrescribedMotions:
        """Code and parameters of prescribed motions; their bodies are not free."""
        parts = [
            (k, part) for k, part in enumerate(self.model.constraints) if isinstance(part, Motion)
        ]
        for k, motion in parts:
            self.check_motion(k, motion)
        found = [self.code_and_parameters_of(k, motion) for k, motion in parts]
        width = max([1, *(len(numbers) for *_, numbers in found)])
        rows = [self.rows[motion.body] for _, motion in parts]
        moves = [motion.position is not None for _, motion in parts]
        turns = [motion.rotation is not None for _, motion in parts]
        padded = [numbers + [0.0] * (width - len(numbers)) for _, numbers in found]
        return PrescribedMotions(
            read_only(np.array(rows, dtype=np.int64)),
            read_only(np.array(moves, dtype=np.int64)),
            read_only(np.array(turns, dtype=np.int64)),
            code_table(code for codes, _ in found for code in codes),
            read_only(np.array(padded).reshape(-1, width)),
        )

    def check_motion(self, position: int, motion: Motion) -> None:
        """Refuse r(t) alone of another point than the centre of mass; what is prescribed is not
        free.
        """
        i = self.rows[motion.body]
        is_apart = np.abs(self.com[i]).max() > CENTRE_TOLERANCE * self.body_size(i)
        is_position_alone = motion.position is not None and motion.rotation is None
        if is_position_alone and self.turns[i] and is_apart:
            raise FitError(
                f"{motion.describe(position)}: r(t) is given of the origin of body "
                f"'{motion.body}', which is not its centre of mass, and its rotation is free; put "
                f"the origin into the centre of mass, give the rotation too, or {REMEDY}",
                ("constraint", motion.name or position + 1),
            )
        self.moves[i] &= motion.position is None
        self.turns[i] &= motion.rotation is None

    def code_and_parameters_of(self, position: int, motion: Motion) -> tuple[list, list[float]]:
        """Code of r(t) and θ(t), zeros where there is none, and the parameters."""
        names = tuple(sorted(motion.parameters))
        try:
            check_names({"variable": [], "parameter": names})
            codes = [
                None
                if formulas is None
                else compile_time_expression(
                    to_expression(formulas[k], ("t", *names), what), names
                ).code
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
        """(n, 3) inverse inertias about axes that are free to rotate; 0 elsewhere."""
        return np.divide(
            1.0, inertias, out=np.zeros_like(inertias), where=(inertias > 0.0) & self.turns[:, None]
        )

    def bodies(self, turn: Array, inverse_fictitious_inertia: Array) -> Array:
        """FreeBodyConstants of all bodies."""
        inverse_mass = np.divide(1.0, self.mass, out=np.zeros_like(self.mass), where=self.moves)
        columns = [self.mass, inverse_mass, turn, inverse_fictitious_inertia]
        return read_only(np.column_stack(columns).reshape(-1, size(FreeBodyConstants)))

    def frames(self) -> Array:
        """PrincipalFrame of all bodies."""
        axes_by_column = np.swapaxes(self.axes, 1, 2).reshape(-1, 9)
        columns = [self.com, axes_by_column]
        return read_only(np.column_stack(columns).reshape(-1, size(PrincipalFrame)))

    def laws(self) -> BodyLawDispatch:
        """Laws on bodies, placed by the rows of bodies and the body frames in principal axes."""
        model = self.model
        if self.weights and any(model.gravity):
            model = model.with_(forces=(*model.forces, *self.weights))
        return laws_on_bodies(model, self.formulation, self.link_of_body)

    def link_of_body(self, name: str) -> tuple[int, Frame]:
        """Row of a body, and the body's frame in its principal axes."""
        if name == GROUND:
            return len(self.model.bodies), IDENTITY
        i = self.rows[name]
        if not self.com[i].any() and (self.axes[i] == np.eye(3)).all():
            return i, IDENTITY
        back = self.axes[i].T
        return i, Frame(tuple((-back @ self.com[i]).tolist()), back)

    def facts(self, constraints: int) -> Facts:
        return Facts(
            constraints,
            is_conservative=self.is_conservative,
            has_speed_dependent_forces=self.has_speed_dependent_forces,
            # states do not hold prescribed rotations
            followed=len(self.model.bodies) if self.motions.turns.any() else 0,
        )

    @property
    def has_speed_dependent_forces(self) -> bool:
        """Whether forces depend on speeds, or may, as laws that a user wrote."""
        steady = [
            force.is_conservative or is_undamped(force) or isinstance(force, (BodyLoad, BodyInput))
            for force in self.model.forces
        ]
        return not all(steady)

    @property
    def is_isolated(self) -> bool:
        """Whether no body is held or prescribed and no force that a discrete gradient corrects
        depends on absolute positions.
        """
        rotations_are_free = not (self.moments.any(axis=1) & ~self.turns).any()
        is_free = self.moves.all() and len(self.mass) > 1 and rotations_are_free
        stored = [
            force for force in self.model.forces if force.kind not in FORCES_WITHOUT_CORRECTION
        ]
        ends = {
            getattr(force, field)
            for force in stored
            for field, kind in force.references.items()
            if kind == "end"
        }
        has_fixed_centre = any(force.kind in SPACE_FIXED_FORCES for force in stored)
        sees_space = any(isinstance(one, PosePotential) and not one.is_relative for one in stored)
        return bool(is_free) and GROUND not in ends and not (has_fixed_centre or sees_space)

    @property
    def is_conservative(self) -> bool:
        """Whether H is constant: no prescribed motion, and all forces have a potential energy."""
        has_no_motions = not len(self.motions.row)
        return has_no_motions and all(
            force.has_only_potential or is_undamped(force) for force in self.model.forces
        )

    @property
    def rotating_bodies(self) -> Array:
        """Rows of the bodies that are free to rotate."""
        return read_only(np.flatnonzero(self.turns).astype(np.int64))


def is_undamped(force) -> bool:
    """Whether a force that may have a damper has none."""
    return hasattr(force, "damping") and not np.any(force.damping)


# ---- starts --------------------------------------------------------------------------------------
class FreeBodiesStart(NamedTuple):
    """Start of all bodies: centres of mass, unit quaternions and rotations of the principal axes,
    velocities; ω in principal axes.
    """

    r: Array
    q: Array
    R: Array
    v: Array
    w: Array


def free_bodies_start(system, assembly: Assembly) -> FreeBodiesStart:
    """Positions and velocities at the start; velocities of what is held or prescribed are zero."""
    turn, at, twist = assembly.bodies_to_rounding
    com, axes = system.frame[:, :3], np.swapaxes(system.frame[:, 3:].reshape(-1, 3, 3), 1, 2)
    arm, R = np.einsum("kij,kj->ki", turn, com), turn @ axes
    inverse_mass, turns = system.body[:, 1:2] > 0.0, system.body[:, 2:5] > 0.0
    v = (twist[:, 3:] + np.cross(twist[:, :3], arm)) * inverse_mass
    return FreeBodiesStart(
        at + arm,
        quaternion_from_matrix(R),
        R,
        v,
        np.einsum("kji,kj->ki", R, twist[:, :3]) * turns,
    )
