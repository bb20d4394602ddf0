"""Kane's equations [A]{ẏ} = {f} in full: connection arrays, partial velocities and their
derivatives, as the two notes on Kane's equations print them (docs/references.md).

    found = ht.kane.partials(model)
    print(found)                     # the matrices in symbols
    found.omega.sel(body="arm")      # and in numbers

Everything is NumPy and follows the notes' equations line by line, with the corrections of ERRATA
3-1 … 3-9 and 4-1; tests compare the compiled formulations of the same equations with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.algorithms.rigid_body import dynamics
from hamiltree.analysis.compare.starts import start_of
from hamiltree.analysis.kane import absolute as kane_absolute
from hamiltree.analysis.kane import printed as kane_printed
from hamiltree.analysis.kane import symbols as kane_symbols
from hamiltree.analysis.kane.connections import (
    Array,
    Connection,
    Link,
    Speed,
    connect_bodies,
    leader_speeds,
    number_bodies,
    relative_speeds,
)
from hamiltree.analysis.kane.matrices import (
    Loads,
    Matrices,
    absolute_matrices,
    generalised_forces,
    lower_bodies,
    mass_matrix,
    relative_matrices,
)
from hamiltree.errors import OptionError, suggest
from hamiltree.forces.laws import JOINT_LAWS
from hamiltree.formulations.absolute.tables import check_armatures
from hamiltree.model import GROUND, Frame, Free, Model
from hamiltree.renamed import refuse_attribute
from hamiltree.rotations import quaternion_from_matrix

__all__ = ["Partials", "partials"]

AXES = ["x", "y", "z"]
SINGULAR = 1e-13  # of the largest eigenvalue of [A]


@dataclass(frozen=True, eq=False, repr=False)
class Partials:
    """Kane's equations at one state, with relative speeds (kane_relative) or absolute ones
    (kane_absolute).

    Bodies are numbered 1 … N, lower bodies lower; 0 is the ground.

    Matrices have the dimensions (body, axis, speed). [ω'_K,y] stands in body axes; velocities of
    kane_relative in body axes, those of origins in the axes of the lower body (ERRATA 3-4); all
    velocities of kane_absolute in inertial axes.
    """

    formulation: str
    bodies: tuple[str, ...]  # in the order of their numbers
    speeds: tuple[str, ...]  # rotations {y1}, then translations {y2}
    lower: tuple[int, ...]  # L(K)
    powers: Array  # (u, K): L^u(K), u = 0 … max u_K; 0 from the ground on
    steps: tuple[int, ...]  # u_K: number of lower bodies of K, so that L^u(K) is on the ground
    omega: xr.DataArray  # [ω'_K,y]
    omega_dot: xr.DataArray
    velocity: xr.DataArray  # [v_G_K,y]
    velocity_dot: xr.DataArray
    origin_velocity: xr.DataArray  # [v_O_K,y]
    origin_velocity_dot: xr.DataArray
    mass_matrix: xr.DataArray  # [A] (speed, column)
    forces: xr.DataArray  # {f} (speed)
    rates: xr.DataArray | None  # {ẏ}; None where [A] is singular
    # [A]{ẏ} − {f} = [B]ᵀ{λ} of locked rotations and couplings; zero where nothing is locked
    constraint_forces: xr.DataArray | None
    y: xr.DataArray  # {y} at the state
    rotations: xr.DataArray  # [R_K] (body, axis, column): inertial to body axes
    positions: xr.DataArray  # p_G_K (body, axis), inertial axes
    printed_matrices: kane_symbols.PrintedMatrices  # the same in symbols

    def __repr__(self) -> str:
        return (
            f"<Partials of {self.formulation}: {len(self.bodies)} bodies, {len(self.speeds)} "
            "speeds>"
        )

    def __str__(self) -> str:
        return self.printed_matrices.full_text()

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

    @property
    def symbols(self) -> dict[str, Array]:
        """Every factor that is printed, as it is printed, with its matrix at the state."""
        return self.printed_matrices.all_symbols()

    def text(self, body: str | int, what: str = "velocity") -> str:
        """One matrix in symbols: of a body by name or number; what: omega, velocity,
        origin_velocity, or one of these with _dot.
        """
        return self.printed_matrices.text(self.number(body), check_matrix_name(what))

    def numbers(self, body: str | int, what: str = "velocity") -> str:
        """The same matrix in numbers, one column per speed; columns of zeros are left out."""
        what = check_matrix_name(what)
        return kane_symbols.table(
            self.printed_matrices.name(what, self.number(body)),
            getattr(self, what).values[self.number(body) - 1],
            self.speeds,
        )

    def number(self, body: str | int) -> int:
        """K of a body."""
        if isinstance(body, int) and not isinstance(body, bool) and 1 <= body <= len(self.bodies):
            return body
        if body not in self.bodies:
            raise OptionError(
                f"there is no body {body!r}; {suggest(body, self.bodies)}, or give a number from 1 "
                f"to {len(self.bodies)}"
            )
        return self.bodies.index(body) + 1  # type: ignore[arg-type]


def check_matrix_name(what: str) -> str:
    """The name of a matrix, or an error with a similar one."""
    if what not in Matrices._fields:
        raise OptionError(f"what = {what!r}; {suggest(what, Matrices._fields)}")
    return what


def partials(
    model: Model, state: Any = None, formulation: str = "kane_relative", t: float = 0.0
) -> Partials:
    """Partial velocities and Kane's equations of a tree at a state: None (its start), (q, qdot),
    {"q": …, "qdot": …}, or one of a run, run.dataset.isel(t=-1).

    kane_relative: the speeds are those of the joints, S(q) maps them to the six of a connection.
    kane_absolute: ω'_K of all bodies and the slides of joints; rotations that joints lock are
    constraint rows, which `rates` satisfy.
    """
    if not isinstance(model, Model):
        raise OptionError(
            f"partials takes a Model, not {type(model).__name__}; read a file with "
            "hamiltree.load(path)"
        )
    if formulation not in EQUATIONS:
        raise OptionError(
            f"formulation = {formulation!r}; {suggest(str(formulation), list(EQUATIONS))}"
        )
    q, u = start_of(model, state)
    return EQUATIONS[formulation](model, q, u, t).partials()


class RelativeEquations:
    """Kane's equations with relative speeds, for a model at a state."""

    name = "kane_relative"
    is_relative = True  # partial velocities in body axes

    def __init__(self, model: Model, q: Array, u: Array, t: float):
        """Connections and partial velocities with relative speeds, which both forms need."""
        self.model, self.t = model, t
        self.q, self.u = q, u
        self.links: list[Link] = number_bodies(model, self.name)
        self.own_speeds: list[Speed] = relative_speeds(model, self.links)
        row = {label: k for k, label in enumerate(model.speeds)}
        self.own_y = np.array([u[row[speed.label]] for speed in self.own_speeds])
        self.connections: list[Connection] = connect_bodies(
            model, self.links, self.own_speeds, q, u
        )
        self.own_matrices = relative_matrices(self.connections)
        self.turn, self.centre = self.body_frames()

    # ---- what depends on the formulation ---------------------------------------------------------
    @property
    def speeds(self) -> list[Speed]:
        return self.own_speeds

    @property
    def y(self) -> Array:
        return self.own_y

    @property
    def matrices(self) -> Matrices:
        return self.own_matrices

    def joint_forces(self) -> Array:
        return np.array([self.efforts.get(speed.label, 0.0) for speed in self.speeds])

    def armatures(self) -> Array:
        """(n, n): inertia of coordinates alone; of a follower, times ratio², of its leader."""
        found = np.zeros(len(self.speeds))
        column = {speed.label: k for k, speed in enumerate(self.speeds)}
        for link in self.links:
            leaders = leader_speeds(self.model, link.joint)
            for (label, ratio), inertia in zip(leaders, link.joint.armatures(), strict=False):
                found[column[label]] += ratio**2 * inertia
        return np.diag(found)

    def solve_rates(self, A: Array, f: Array) -> Array | None:
        return solve_regular(A, f)

    def printed_matrices(self) -> kane_symbols.PrintedMatrices:
        return kane_printed.RelativePrintedMatrices(
            self.names, self.speeds, self.connections, self.matrices
        )

    # ---- common ----------------------------------------------------------------------------------
    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.model.bodies[link.body].name for link in self.links)

    def body_frames(self) -> tuple[Array, Array]:
        """[R_K] by (3), and p_G_K in inertial axes by (19)."""
        turn, origin, centre = [], [], []
        for own in self.connections:
            inner = turn[own.lower - 1] if own.lower else np.eye(3)
            base = origin[own.lower - 1] if own.lower else np.zeros(3)
            turn.append(own.turn @ inner)
            origin.append(base + inner.T @ (own.q + own.s))
            centre.append(origin[-1] + turn[-1].T @ own.r)
        return np.array(turn), np.array(centre)

    def velocities(self) -> tuple[Array, Array]:
        """ω'_K in body axes and v_G_K in inertial axes."""
        omega = self.own_matrices.omega @ self.own_y
        velocity = self.own_matrices.velocity @ self.own_y
        return omega, np.einsum("kji,kj->ki", self.turn, velocity)

    def loads(self) -> Loads:
        """Gravity and the body laws of the model, at the centres of mass: F_K in the axes of the
        partial velocities, M_K in body axes.
        """
        bodies = [self.model.bodies[link.body] for link in self.links]
        mass = np.array([body.mass for body in bodies])
        force, moment = self.wrenches()
        force = force + mass[:, None] * np.array(self.model.gravity)
        if self.is_relative:
            force = np.einsum("kij,kj->ki", self.turn, force)
        return Loads(mass, np.array([body.inertia for body in bodies]), force, moment)

    def wrenches(self) -> tuple[Array, Array]:
        """Forces and moments of the body laws: the generalised forces of free bodies at the same
        poses and velocities.
        """
        laws = {law.part for law in JOINT_LAWS}
        acting = [force for force in self.model.forces if type(force) not in laws]
        if not acting:
            return np.zeros((2, len(self.links), 3))  # type: ignore[return-value]
        bodies = [self.model.bodies[link.body] for link in self.links]
        joints = [
            Free(f"free {body.name}", GROUND, body.name, on_child=Frame(body.com))
            for body in bodies
        ]
        floating = Model(bodies, joints, acting, (0.0, 0.0, 0.0), self.model.name)
        omega, velocity = self.velocities()
        attitude = quaternion_from_matrix(np.swapaxes(self.turn, 1, 2))
        q = np.hstack([self.centre, attitude]).ravel()
        u = np.hstack([velocity, omega]).ravel()
        found = dynamics(floating).forces(q, u, self.t)
        force, moment = np.swapaxes(found.reshape(-1, 2, 3), 0, 1)
        return force, moment

    @property
    def efforts(self) -> dict[str, float]:
        """Laws along joints: generalised forces by the model's speeds."""
        laws = {law.part for law in JOINT_LAWS}
        acting = [force for force in self.model.forces if type(force) in laws]
        if not acting:
            return {}
        found = dynamics(self.model.with_(forces=tuple(acting))).forces(self.q, self.u, self.t)
        return dict(zip(self.model.speeds, found.tolist(), strict=True))

    def partials(self) -> Partials:
        """Matrices, [A], {f} and {ẏ} with labelled axes."""
        matrices, loads = self.matrices, self.loads()
        A = mass_matrix(matrices, loads) + self.armatures()
        f = generalised_forces(matrices, loads, self.y, self.is_relative) + self.joint_forces()
        rates = self.solve_rates(A, f)
        lower = [link.lower for link in self.links]
        powers, steps = lower_body_powers(lower)
        labels = [speed.label for speed in self.speeds]
        along = {"body": list(self.names), "axis": AXES, "speed": labels}

        def array(values: Array, *dims: str) -> xr.DataArray:
            return xr.DataArray(
                values, dims=dims, coords={name: along[name] for name in dims if name in along}
            )

        parts = matrices._asdict().items()
        return Partials(
            formulation=self.name,
            bodies=self.names,
            speeds=tuple(labels),
            lower=tuple(lower),
            powers=powers,
            steps=steps,
            **{name: array(part, "body", "axis", "speed") for name, part in parts},
            mass_matrix=array(A, "speed", "column").assign_coords(column=labels),
            forces=array(f, "speed"),
            rates=None if rates is None else array(rates, "speed"),
            constraint_forces=None if rates is None else array(A @ rates - f, "speed"),
            y=array(self.y, "speed"),
            rotations=array(self.turn, "body", "axis", "column").assign_coords(column=AXES),
            positions=array(self.centre, "body", "axis"),
            printed_matrices=self.printed_matrices(),
        )


def lower_body_powers(lower: list[int]) -> tuple[Array, tuple[int, ...]]:
    """L^u(K) by (u, K), 0 from the ground on; and u_K of every body."""
    paths = [lower_bodies(lower, k + 1) for k in range(len(lower))]
    steps = tuple(len(path) - 1 for path in paths)
    powers = [[path[u] if u < len(path) else 0 for path in paths] for u in range(max(steps) + 1)]
    return np.array(powers), steps


class AbsoluteEquations(RelativeEquations):
    """Kane's equations with absolute speeds, for a model at a state."""

    name = "kane_absolute"
    is_relative = False

    def __init__(self, model: Model, q: Array, u: Array, t: float):
        """Slides, absolute speeds and partial velocities with them."""
        super().__init__(model, q, u, t)
        check_armatures(model, self.name, "take kane_relative")
        self.slides = [kane_absolute.Slides(model, link) for link in self.links]
        self.all_speeds = kane_absolute.absolute_speeds(model, self.links, self.slides)
        self.speed_relation = kane_absolute.speed_relation(
            model, self.links, self.slides, self.own_speeds, self.own_matrices
        )
        self.arms = kane_absolute.arms_at(
            model, self.links, self.slides, self.connections, self.velocities()[0], q, u
        )
        self.all_matrices = absolute_matrices(self.arms, len(self.all_speeds))

    @property
    def speeds(self) -> list[Speed]:
        return self.all_speeds

    @property
    def y(self) -> Array:
        return self.speed_relation[0] @ self.own_y

    @property
    def matrices(self) -> Matrices:
        return self.all_matrices

    def joint_forces(self) -> Array:
        omega = self.matrices.omega
        return kane_absolute.generalised_forces_of_efforts(
            self.model, self.links, self.slides, self.speeds, self.efforts, omega, self.q, self.u
        )

    def armatures(self) -> Array:
        return np.zeros((len(self.speeds), len(self.speeds)))

    def solve_rates(self, A: Array, f: Array) -> Array | None:
        T, rate = self.speed_relation
        if T.shape[0] == T.shape[1]:
            return solve_regular(A, f)
        found = solve_regular(T.T @ A @ T, T.T @ (f - A @ rate @ self.own_y))
        return None if found is None else T @ found + rate @ self.own_y

    def printed_matrices(self) -> kane_symbols.PrintedMatrices:
        return kane_printed.AbsolutePrintedMatrices(
            self.names, self.speeds, self.arms, self.matrices
        )


def solve_regular(A: Array, f: Array) -> Array | None:
    """A⁻¹ f; None where a motion has no inertia."""
    values = np.linalg.eigvalsh(A) if len(A) else np.ones(1)
    return np.linalg.solve(A, f) if values[0] > SINGULAR * values[-1] else None


EQUATIONS = {"kane_relative": RelativeEquations, "kane_absolute": AbsoluteEquations}
