"""Small vibrations of a chain about an equilibrium: ∂²V v = ω² M v, with (dr, dθ) of every body and
M = diag(m, m, m, I).

With dθ along principal axes M is diagonal, so the problem is the symmetric one of M^−½ ∂²V M^−½;
its lowest eigenpairs are found by Lanczos' method with shift and invert, and counted by the signs
of pivots (sparse.py). Rounding leaves an uncertainty of some ε·max ω² in every ω², which is why the
slowest waves of very long chains, ω² ∝ N⁻⁴ where they bend, have few digits: `accuracy` says how
many.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.mode_motion import ModeMotion, check_frames, swing
from hamiltree.analysis.linear.rest import MechanismEquilibrium
from hamiltree.analysis.linear.short_tables import mode_rows, short_table
from hamiltree.analysis.linear.steady import SteadyMotion
from hamiltree.analysis.linear.vibrations import MechanismModes, find_modes
from hamiltree.analysis.statics.equilibrium import Equilibrium, is_of_poses
from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.poses import Poses, poses_of, start_at_rest
from hamiltree.analysis.statics.sparse import diagonal, lowest, sp
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.kinematics import compute_kinematics, retract, tree_of
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.model import Model
from hamiltree.model.constraints import Motion
from hamiltree.model.values import ZERO_MATRIX
from hamiltree.rotations import skew

PARTS = ("x", "y", "z", "wx", "wy", "wz")
REST_TOLERANCE = 1e-8  # of the stiffest motion times a distance: larger forces are no equilibrium
ROUNDING = 1e-14  # of the largest ω²: below, rounding hides what a motion costs
RIGID_TOLERANCE = 1e-7  # what a motion of the whole may seem to cost, in parts of the stiffest
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Modes:
    """The lowest modes of a model about its equilibrium, ω² ascending."""

    squares: np.ndarray  # ω², 1/s²; below zero where the equilibrium is unstable
    # (mode, body, part): dr in world axes, dθ in body axes, with vᵀ M v = 1
    shapes: xr.DataArray = field(repr=False)
    stiffness: Any = field(repr=False)  # ∂²V, sparse, 6 rows a body, in the order of `shapes`
    mass: Any = field(repr=False)  # M, sparse
    largest: float = field(repr=False)  # a bound of all ω²
    model: Model = field(repr=False)  # that starts at the equilibrium
    t: float = field(default=0.0, repr=False)
    rigid: int = 0  # how many motions of the whole cost nothing

    def __repr__(self) -> str:
        """A short table."""
        count = len(self.squares)
        return short_table(
            f"Modes of {self.model.name!r}: {count} mode{'s' if count != 1 else ''}",
            ("mode", "rad/s", ""),
            mode_rows(self.frequencies),
        )

    @property
    def frequencies(self) -> np.ndarray:
        """ω, rad/s; zero of motions that cost no more than rounding; the rate of growth with a
        minus sign where one is unstable.
        """
        found = np.where(
            self.is_rigid | (np.abs(self.squares) <= 2.0 * EPSILON * self.largest),
            0.0,
            self.squares,
        )
        return np.sign(found) * np.sqrt(np.abs(found))

    @property
    def is_rigid(self) -> np.ndarray:
        """Which modes are motions of the whole that cost nothing, such as those of a free chain."""
        sizes = np.abs(self.squares)
        order = np.argsort(np.argsort(sizes, kind="stable"))
        return (order < self.rigid) & (sizes <= RIGID_TOLERANCE * self.largest)

    @property
    def unstable(self) -> int:
        """How many of these modes grow."""
        return int(np.count_nonzero(self.squares < -ROUNDING * self.largest))

    def trajectory(
        self, mode: int = 0, amplitude: float = 0.2, frames: int = 60, cycles: float = 1.0
    ) -> ModeMotion:
        """A mode (from 0 on) as a run that can be plotted, viewed and filmed: its shape times
        cos ωt; `amplitude` is the largest angle, rad, or displacement in parts of the size of the
        model.
        """
        check_frames(mode, len(self.squares), amplitude, frames, cycles)
        refuse_motions(self.model)
        tree, q = tree_of(self.model), self.model.start()[0]
        shape = speeds_of_shape(self.model, self.shapes.values[mode])
        weights = Mechanism(self.model, q, self.t).weights
        u = shape * (amplitude / np.abs(shape * weights).max())

        def place(factor: float, rate: float) -> tuple[np.ndarray, np.ndarray]:
            return retract(tree, q, factor * u), rate * u

        omega = float(self.frequencies[mode])
        label = f"mode {mode + 1}, {omega:.6g} rad/s"
        return swing(self.model, place, omega, label, frames, cycles, self.t)

    @property
    def accuracy(self) -> np.ndarray:
        """How far rounding may have moved each ω, in parts of it: ½ ε max ω²/ω²; above 1 nothing is
        known but that ω is small.
        """
        with np.errstate(divide="ignore"):
            return 0.5 * EPSILON * self.largest / np.abs(np.where(self.is_rigid, 0.0, self.squares))


def modes(
    model: Model | Equilibrium | MechanismEquilibrium,
    count: int | None = None,
    at: Any = None,
    *,
    t: float | None = None,
) -> Modes | MechanismModes:
    """The `count` lowest modes (all if None) of a model about `at`: q of the model, its start if
    None; an equilibrium says both, and its `t`, which else is 0.

    modes(equilibrium(model), 20)
    """
    refuse_steady(model, at)
    if isinstance(model, MechanismEquilibrium):
        return find_modes(model.model, count, model, t)
    if isinstance(model, Equilibrium):
        model, poses, t = model.model, model.poses, model.t if t is None else t
    elif not is_of_poses(model):
        return find_modes(model, count, at, t)
    else:
        poses = at.poses if isinstance(at, Equilibrium) else poses_of(model, at, t or 0.0)
    energy = PairEnergy(model, t or 0.0)
    free = energy.freedoms
    size = len(free.bodies)
    if count is not None and not 1 <= count <= size:
        raise OptionError(f"count = {count!r}; the model has {size} modes")
    check_masses(energy)
    hessian = energy.hessian(poses)
    basis, scale = energy.basis, diagonal(free.inertias**-0.5)
    reduced = basis @ scale
    matrix = (reduced.T @ hessian @ reduced).tocsc()
    largest = float(abs(matrix).sum(axis=0).max())
    check_rest(energy, poses, matrix)
    squares, vectors = lowest(matrix, count or size, -ROUNDING * largest)
    shapes = np.asarray((reduced @ vectors).T).reshape(len(squares), energy.count, 6)
    coords = {"body": [body.name for body in model.bodies], "part": list(PARTS)}
    labelled = xr.DataArray(shapes, coords, ("mode", "body", "part"), "shape")
    return Modes(
        squares,
        labelled,
        hessian,
        mass_matrix(model),
        largest,
        start_at_rest(model, poses),
        t or 0.0,
        rigid_motions(energy, poses, hessian),
    )


def refuse_steady(model: Any, at: Any) -> None:
    """Its frequencies are not those of M and K alone."""
    if isinstance(model, SteadyMotion) or isinstance(at, SteadyMotion):
        raise FitError(
            "a steady motion has no natural frequencies of M and K alone: gyroscopic forces count; "
            "use ht.linearise(steady).eigenvalues"
        )


def refuse_motions(model: Model) -> None:
    """A shape is shown by free bodies alone."""
    for k, part in enumerate(model.constraints):
        if isinstance(part, Motion):
            raise OptionError(
                f"{part.describe(k)}: a Motion leads body {part.body!r}, which no run shows still; "
                "weld it to the ground where it is"
            )


def speeds_of_shape(model: Model, shape: np.ndarray) -> np.ndarray:
    """Speeds of the joints at which the bodies, each joined to the ground, move as a shape says."""
    kinematics = compute_kinematics(tree_of(model), model.start()[0])
    found = np.zeros(len(model.speeds))
    for k, body in enumerate(model.bodies):
        columns = kinematics.columns[k]
        if not columns:
            continue
        turn = kinematics.turn[k]
        omega = turn @ shape[k, 3:]
        centre = kinematics.at[k] + turn @ np.array(body.com)
        wanted = np.concatenate([omega, shape[k, :3] - np.cross(omega, centre)])
        matrix = np.array([ratio * twist for _, ratio, twist in columns]).T
        found[[row for row, _, _ in columns]] = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    return found


def rigid_motions(energy: PairEnergy, poses: Poses, hessian: Any) -> int:
    """How many translations and rotations of the whole move nothing that is held and cost nothing:
    z with ∂²V z = 0, displacements in parts of the longest arm.
    """
    arms = poses.positions - poses.positions.mean(axis=0)
    length = float(np.abs(arms).max()) or assemble_at_start(energy.model).scales.length
    units = diagonal(np.tile([length] * 3 + [1.0] * 3, energy.count))
    whole = np.zeros((energy.count, 6, 6))
    whole[:, :3, :3] = np.eye(3)
    whole[:, :3, 3:] = -skew(arms) / length
    whole[:, 3:, 3:] = np.swapaxes(poses.rotations, 1, 2)
    z = whole.reshape(-1, 6)
    held = z - energy.basis @ (energy.basis.T @ z)
    # a point mass turns without being held
    turned = [body.inertia != ZERO_MATRIX for body in energy.model.bodies]
    held = (
        held.reshape(-1, 6, 6)
        * np.concatenate([np.ones((energy.count, 3)), np.repeat(turned, 3).reshape(-1, 3)], axis=1)[
            :, :, None
        ]
    )
    scaled = units @ hessian @ units
    costs = (scaled @ z) / abs(scaled).max()
    free = np.vstack([held.reshape(-1, 6), costs])
    # what moves nothing, such as a line of points that turns about itself, is no mode
    idle = np.vstack([free, energy.basis.T @ z])
    return count_zeros(free) - count_zeros(idle)


def count_zeros(matrix: np.ndarray) -> int:
    sizes = np.linalg.svd(matrix, compute_uv=False)
    return int(np.count_nonzero(sizes <= RIGID_TOLERANCE))


def mass_matrix(model: Model) -> Any:
    """M, block by block: m 1 and the inertia about the centre of mass, body axes."""
    blocks = np.zeros((len(model.bodies), 6, 6))
    for k, body in enumerate(model.bodies):
        blocks[k, :3, :3] = body.mass * np.eye(3)
        blocks[k, 3:, 3:] = body.inertia
    count = np.arange(len(blocks) + 1)
    return sp.bsr_array((blocks, count[:-1], count)).tocsr()


def check_masses(energy: PairEnergy) -> None:
    for k in np.flatnonzero(energy.freedoms.inertias <= 0.0):
        body = energy.model.bodies[energy.freedoms.bodies[k]]
        raise ModelError(
            f"body {body.name!r}: it has no mass, and a mode needs one; give it a mass",
            ("body", body.name),
            "mass",
        )


def check_rest(energy: PairEnergy, poses: Poses, matrix: Any) -> None:
    """∂V = 0, or what is found is no vibration."""
    free = energy.freedoms
    forces = energy.free_gradient(poses) / free.lengths
    size = energy.shortest_distance(poses)[0]
    size = size if np.isfinite(size) else assemble_at_start(energy.model).scales.length
    stiffest = float(np.abs(matrix.diagonal() * free.inertias / free.lengths**2).max())
    worst = int(np.argmax(np.abs(forces)))
    if abs(forces[worst]) > REST_TOLERANCE * stiffest * size:
        body = energy.model.bodies[free.bodies[worst]]
        raise FitError(
            f"the model does not rest there: {abs(forces[worst]):.3g} N on body {body.name!r}; "
            "find where it does with equilibrium()",
            ("body", body.name),
        )
