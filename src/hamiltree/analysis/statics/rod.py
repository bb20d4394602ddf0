"""A chain of equal bodies as an elastic rod (Cosserat, Timoshenko): stiffnesses from the pair
potential, waves of both.

Every body is turned and shifted against the one before by the same g = (U, d), at which V of the
link is least: a straight chain where U = 1, else a helix. Let η be small motions (translation,
rotation) in body axes, g_i → g_i exp(η_i); the strain of a link is δX, X = log g, and
V = ½ δXᵀ S δX to second order. Over the arc a of a link the rod has the strain ε = η' + ad_ξ η
with ξ = X/a, the stiffness C = a S and the inertia M/a per length. With waves η ∝ exp(i k s):

    rod     ω² (M/a) η = (ik + ad_ξ)* C (ik + ad_ξ) η
    chain   ω² M η = (A + D + B e^{ika} + Bᵀ e^{−ika}) η,    (A, B; Bᵀ, D) = ∂²V of a link, 12 x 12

A uniform strain costs both the same, so ω of all six branches agree up to O((ka)²) as k → 0 (Simo
and Vu-Quoc 1986 for the rod, Born and Huang 1954 for the chain). A long chain that is straight
therefore vibrates as its rod. What bends a helix as a whole turns with it in body axes, k near |κ|
and not 0: there rod and chain differ by what the turn κa of a link amounts to, however long the
chain.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hamiltree.analysis.statics.equilibrium import equilibrium
from hamiltree.analysis.statics.pair_energy import PairEnergy
from hamiltree.analysis.statics.poses import Poses, poses_of
from hamiltree.errors import FitError, OptionError
from hamiltree.model import Body, BodyLoad, Frame, Free, Model, PairForce, Weld
from hamiltree.rotations import rotation_exponential, skew

PARTS = ("x", "y", "z", "wx", "wy", "wz")
EQUALITY_TOLERANCE = 1e-12  # of a body's own numbers: two bodies that differ less are equal
# of the stiffest motion times the spacing: larger forces are no equilibrium of a link
REST_TOLERANCE = 1e-7
TERMS = 40  # of the series of dexp, whose terms are below angleⁿ/(n + 1)!
# of Chebyshev's grid on a straight rod, for ten digits of the first modes; a helix needs three more
# for every turn, at least
POINTS = 48


@dataclass(frozen=True)
class CosseratRod:
    """The rod that a chain of equal bodies approaches, and the chain's own waves.

    In body axes, first three translations and then three rotations: `strain` ξ of the unloaded rod,
    in `stiffness` that of extension and shear (N) and of twist and bending (N m²) with their
    couplings (N m), in `inertia` mass and rotary inertia per length.
    """

    spacing: float  # arc length a of a link, m
    strain: np.ndarray  # ξ: (direction of the line in body axes, curvature and twist in 1/m)
    stiffness: np.ndarray  # C, 6 x 6
    inertia: np.ndarray  # M/a, 6 x 6
    link: np.ndarray = field(repr=False)  # ∂²V of a link along (η_i, η_i+1), 12 x 12
    energy: float  # V of a link, J

    @property
    def is_straight(self) -> bool:
        return bool(np.linalg.norm(self.strain[3:]) * self.spacing < 1e-9)

    def place(self, link: float) -> Frame:
        """Where the body that is so many links further is, from the first body's centre of mass and
        axes.
        """
        turn, shift = exponential(self.spacing * link * self.strain)
        return Frame(tuple(shift.tolist()), turn.tolist())

    def dispersion(self, k: Any) -> np.ndarray:
        """ω (rad/s) of the rod's six branches, ascending, for wave numbers k in rad/m: shape
        (..., 6).
        """
        waves = 1j * np.asarray(k, dtype=float)[..., None, None] * np.eye(6) + adjoint_matrix(
            self.strain
        )
        return frequencies(
            np.conj(np.swapaxes(waves, -1, -2)) @ self.stiffness @ waves, self.inertia
        )

    def chain_dispersion(self, k: Any) -> np.ndarray:
        """ω (rad/s) of the chain's six branches, ascending; k up to π/spacing says all, beyond it
        repeats.
        """
        phase = np.exp(1j * np.asarray(k, dtype=float) * self.spacing)[..., None, None]
        own, cross = self.link[:6, :6] + self.link[6:, 6:], self.link[:6, 6:]
        return frequencies(own + cross * phase + cross.T / phase, self.spacing * self.inertia)

    def clamped(self, length: float, count: int = 6, points: int | None = None) -> np.ndarray:
        """The first ω (rad/s) of the rod with both ends held: η = 0 there, by collocation at
        Chebyshev's points.

        A chain of n free bodies between two that are welded has the length (n + 1) spacing.
        """
        if not length > 0.0:
            raise OptionError(f"length = {length!r}; give a length above zero")
        points = (
            POINTS + int(np.linalg.norm(self.strain[3:]) * length) if points is None else points
        )
        slope = chebyshev_matrix(points) * (2.0 / length)
        strain = np.kron(slope, np.eye(6)) + np.kron(
            np.eye(points + 1), adjoint_matrix(self.strain)
        )
        balance = -np.kron(slope, np.eye(6)) + np.kron(
            np.eye(points + 1), adjoint_matrix(self.strain).T
        )
        operator = balance @ np.kron(np.eye(points + 1), self.stiffness) @ strain
        inner = slice(6, 6 * points)
        matrix = np.kron(np.eye(points - 1), np.linalg.inv(self.inertia)) @ operator[inner, inner]
        # displacements in parts of the spacing: the eigenvalues are the same
        units = np.tile([self.spacing] * 3 + [1.0] * 3, points - 1)
        squares = np.linalg.eigvals(matrix * units / units[:, None])
        return np.sqrt(np.sort(squares.real[np.abs(squares.imag) <= 1e-6 * np.abs(squares)]))[
            :count
        ]


def rod(model: Model, *, relaxed: bool = True) -> CosseratRod:
    """The rod of a chain: a model whose neighbours act on each other by pair forces, all its bodies
    equal.

    The first two bodies make the link. `relaxed`: it is brought to where V is least; else to its
    spacing alone, both bodies aligned and the line between them as the model starts, which is
    refused where such a link does not rest.
    """
    pair = link_model(model)
    pair = equilibrium(pair).model if relaxed else minimise_spacing(pair)
    energy = PairEnergy(pair)
    poses = energy.start
    check_rest(energy, poses)
    hessian = hessian_in_body_axes(energy.hessian(poses).toarray(), poses)
    turn, shift = (
        poses.rotations[0].T @ poses.rotations[1],
        poses.rotations[0].T @ (poses.positions[1] - poses.positions[0]),
    )
    X = logarithm(turn, shift)
    spacing = float(np.linalg.norm(X[:3]))
    by_strain = derivative_of_exponential(-X)
    body = pair.bodies[0]
    inertia = np.zeros((6, 6))
    inertia[:3, :3], inertia[3:, 3:] = body.mass * np.eye(3), body.inertia
    if not body.mass > 0.0 or np.linalg.matrix_rank(inertia[3:, 3:]) < 3:
        raise FitError(
            f"body {body.name!r}: a rod needs bodies with inertia about all axes",
            ("body", body.name),
            "inertia",
        )
    stiffness = by_strain.T @ hessian[6:, 6:] @ by_strain * spacing
    return CosseratRod(
        spacing, X / spacing, stiffness, inertia / spacing, hessian, energy.energy(poses)
    )


# ---- the link ------------------------------------------------------------------------------------
def link_model(model: Model) -> Model:
    """The first two bodies of the chain, the first of them held."""
    forces = [force for force in model.forces if not isinstance(force, BodyLoad)]
    for position, force in enumerate(forces):
        if not isinstance(force, PairForce) or force.between != "neighbours":
            raise FitError(
                f"{force.describe(position)}: a rod follows from pair forces between neighbours "
                "alone; leave it out",
                force.part,
            )
    if not forces:
        raise FitError(
            f"model {model.name!r}: no pair force acts between neighbours; give one",
            ("model", model.name),
            "forces",
        )
    names = forces[0].names(model)  # type: ignore[attr-defined]
    for name in names[1:]:
        check_equal_bodies(model.body(names[0]), model.body(name))
    poses = poses_of(model)
    frames = []
    for name in names[:2]:
        k, body = [b.name for b in model.bodies].index(name), model.body(name)
        origin = poses.positions[k] - poses.rotations[k] @ np.array(body.com)
        frames.append(Frame(tuple(origin.tolist()), poses.rotations[k].tolist()))
    joints = [
        Weld("held", "ground", names[0], on_parent=frames[0]),
        Free("free", "ground", names[1], q=(*frames[1].position, *frames[1].rotation)),
    ]
    acting = [
        PairForce(
            f.potential,  # type: ignore[attr-defined]
            "neighbours",
            cutoff=f.cutoff,  # type: ignore[attr-defined]
            switch=f.switch,  # type: ignore[attr-defined]
            shift=f.shift,  # type: ignore[attr-defined]
            mixing=f.mixing,  # type: ignore[attr-defined]
        )
        for f in forces
    ]
    return Model(
        [model.body(name) for name in names[:2]], joints, acting, gravity=(0, 0, 0), name=model.name
    )


def check_equal_bodies(first: Body, other: Body) -> None:
    """Refuse two bodies whose masses, inertias or particles differ."""
    mine, theirs = first.particles, other.particles
    numbers = [(first.mass, other.mass), (first.com, other.com), (first.inertia, other.inertia)]
    is_same = mine is not None and theirs is not None and mine.types == theirs.types
    if mine is not None and theirs is not None and is_same:
        numbers.append((mine.positions, theirs.positions))
    tolerance = EQUALITY_TOLERANCE
    is_close = [
        np.allclose(a, b, rtol=tolerance, atol=tolerance * float(np.abs(a).max()))
        for a, b in numbers
    ]
    if not is_same or not all(is_close):
        raise FitError(
            f"body {other.name!r} differs from {first.name!r}; a rod follows from equal bodies",
            ("body", other.name),
        )


def minimise_spacing(pair: Model) -> Model:
    """Both bodies aligned, at the distance along the line between them where V is least: Newton's
    method with halved steps.
    """
    energy = PairEnergy(pair)
    held = energy.start
    displacement = held.positions[1] - held.positions[0]
    size = float(np.linalg.norm(displacement))
    motion = np.zeros((2, 6))
    motion[1, :3] = displacement / size
    aligned = Poses(held.positions, np.array([held.rotations[0]] * 2))
    for _ in range(200):
        slope = float(np.sum(energy.gradient(aligned) * motion))
        curvature = float(motion.ravel() @ (energy.hessian(aligned) @ motion.ravel()))
        step = -slope / abs(curvature)
        step = np.sign(step) * min(abs(step), 0.05 * size)
        aligned = aligned.moved(step * motion)
        if abs(step) < 1e-14 * size:
            break
    else:
        raise FitError(
            f"model {pair.name!r}: no spacing of aligned bodies is at rest; start nearer to one",
            ("model", pair.name),
        )
    body = pair.bodies[1]
    origin = aligned.positions[1] - aligned.rotations[1] @ np.array(body.com)
    frame = Frame(tuple(origin.tolist()), aligned.rotations[1].tolist())
    return pair.with_(joints={"free": {"q": (*frame.position, *frame.rotation)}})


def check_rest(energy: PairEnergy, poses: Poses) -> None:
    """Refuse poses at which a force or torque is left."""
    free = energy.freedoms
    forces = energy.free_gradient(poses) / free.lengths
    worst = int(np.argmax(np.abs(forces)))
    stiffest = float(np.abs(energy.free_hessian(poses).diagonal() / free.lengths**2).max())
    if abs(forces[worst]) > REST_TOLERANCE * stiffest * energy.shortest_distance(poses)[0]:
        along = PARTS[int(np.argmax(np.abs(free.directions[worst])))]
        raise FitError(
            f"an aligned link does not rest: {abs(forces[worst]):.3g} N or, by the radius of "
            f"gyration, N m along {along}; let it turn with relaxed=True"
        )


def hessian_in_body_axes(hessian: np.ndarray, poses: Poses) -> np.ndarray:
    """Along (R ρ, dθ) instead of (dr, dθ)."""
    change = np.eye(12)
    change[:3, :3], change[6:9, 6:9] = poses.rotations
    return change.T @ hessian @ change


# ---- rigid motions, as (translation, rotation) ---------------------------------------------------
def adjoint_matrix(x: np.ndarray) -> np.ndarray:
    """ad_x of se(3): [x, y] = (ω × v' − ω' × v, ω × ω')."""
    v, w = skew(x[:3]), skew(x[3:])
    return np.block([[w, v], [np.zeros((3, 3)), w]])


def derivative_of_exponential(x: np.ndarray) -> np.ndarray:
    """dexp_x = Σ ad_xⁿ/(n + 1)!, so that δ exp(x) = exp(x) dexp_{−x} δx."""
    ad, term, total = adjoint_matrix(x), np.eye(6), np.eye(6)
    for n in range(1, TERMS):
        term = term @ ad / (n + 1)
        total = total + term
    return total


def logarithm(turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """X = (v, θ) with exp(X) = (turn, shift): θ from the rotation, then v from shift = ∫₀¹ exp(s
    θ×) ds v.
    """
    axial = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    sine, cosine = float(np.linalg.norm(axial)), 0.5 * (np.trace(turn) - 1.0)
    angle = float(np.arctan2(sine, cosine))
    if angle > np.pi - 1e-6:
        raise FitError(
            "neighbours are turned by half a turn against each other, which has no one logarithm; "
            "take every second body as one"
        )
    theta = axial * (angle / sine if sine > 1e-9 else 1.0)
    return np.concatenate([np.linalg.solve(left_jacobian(theta), shift), theta])


def exponential(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(rotation, shift) of a screw that goes on for unit time."""
    return rotation_exponential(x[None, 3:])[0], left_jacobian(x[3:]) @ x[:3]


def left_jacobian(theta: np.ndarray) -> np.ndarray:
    """∫₀¹ exp(s θ×) ds = 1 + ½ sinc²(θ/2) θ× + (1 − sinc θ)/θ² (θ×)²."""
    angle, cross = float(np.linalg.norm(theta)), skew(theta)
    last = (
        (1.0 - np.sinc(angle / np.pi)) / angle**2 if angle > 1e-3 else 1.0 / 6.0 - angle**2 / 120.0
    )
    return np.eye(3) + 0.5 * np.sinc(angle / (2.0 * np.pi)) ** 2 * cross + last * (cross @ cross)


# ---- eigenvalues ---------------------------------------------------------------------------------
def frequencies(matrix: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """ω of matrix v = ω² mass v, ascending; where ω² < 0, −√|ω²|."""
    half = np.linalg.inv(np.linalg.cholesky(mass))
    squares = np.linalg.eigvalsh(half @ matrix @ half.T)
    return np.sign(squares) * np.sqrt(np.abs(squares))


def chebyshev_matrix(n: int) -> np.ndarray:
    """d/dx at cos(π j/n), j = 0 … n (Trefethen 2000, chapter 6)."""
    x = np.cos(np.pi * np.arange(n + 1) / n)
    c = np.where((np.arange(n + 1) == 0) | (np.arange(n + 1) == n), 2.0, 1.0) * (-1.0) ** np.arange(
        n + 1
    )
    matrix = np.outer(c, 1.0 / c) / (x[:, None] - x[None, :] + np.eye(n + 1))
    return matrix - np.diag(matrix.sum(axis=1))
