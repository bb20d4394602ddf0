"""Potential energy of rigid bodies that are made of particles: V, its gradient and its sparse
Hessian along small motions.

A particle is at x = r + R ξ. Along (dr, dθ) of its body, with R → R exp(dθ×), it moves by
J (dr, dθ) + ½ R (dθ × (dθ × ξ)) + O(3), where J = (1, −R ξ×). With f = ∂V/∂x and
K = V'' e eᵀ + (V'/d)(1 − e eᵀ) of a pair at distance d along e:

    ∂V = Σ Jᵀ f,    ∂²V = Σ Jᵀ K J + Σ [½ (g ξᵀ + ξ gᵀ) − (g·ξ) 1] on dθ,    g = Rᵀ f.

This is the matrix of second derivatives of V along r + dr, R exp(dθ×), symmetric everywhere. It is
not that of first derivatives of body torques along body axes, which differs by ½ (torque ×) and
agrees where the torques vanish, at an equilibrium. Nothing here is compiled: it checks the compiled
forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.analysis.statics.poses import Freedoms, Poses, freedoms, poses_of
from hamiltree.analysis.statics.sparse import sp, spatial
from hamiltree.errors import FitError, ModelError
from hamiltree.model import BodyLoad, Model, PairForce
from hamiltree.model.potentials import PairFormula, Potential
from hamiltree.rotations import skew
from hamiltree.symbolic.grammar import to_expression
from hamiltree.symbolic.jets import Jet, evaluate

Pairs = tuple[np.ndarray, np.ndarray]
CHUNK = 16_384  # pairs at a time: their blocks stay in the cache


class PairEnergy:
    """V of a model's pair forces, constant loads and gravity, at any poses of its bodies; `t` is
    when its prescribed motions are met.
    """

    def __init__(self, model: Model, t: float = 0.0) -> None:
        """Particles, pair forces and loads of the model as arrays."""
        self.model, self.t = model, t
        self.start = poses_of(model, t=t)
        self.freedoms: Freedoms = freedoms(model)
        self.index = {body.name: k for k, body in enumerate(model.bodies)}
        self.coms = np.array([body.com for body in model.bodies])
        self.count = len(model.bodies)
        clouds = [
            body.particles.positions if body.particles is not None else () for body in model.bodies
        ]
        self.firsts = np.concatenate([[0], np.cumsum([len(cloud) for cloud in clouds])])
        self.owners = np.repeat(np.arange(self.count), np.diff(self.firsts))
        placed = np.array([at for cloud in clouds for at in cloud]).reshape(-1, 3)
        self.arms = placed - self.coms[self.owners]
        self.types = [
            word
            for body in model.bodies
            if body.particles is not None
            for word in body.particles.types
        ]
        self.terms = [
            PairTerm(self, force) for force in model.forces if isinstance(force, PairForce)
        ]
        self.loads = loads_of(self)
        self.load_factor = 1.0  # of gravity and constant forces

    # ---- V and its derivatives
    def energy(self, poses: Poses) -> float:
        """V, J; infinite where two particles coincide or a bond is broken."""
        places = self.places(poses)
        with np.errstate(all="ignore"):
            total = self.load_energy(poses) + sum(
                float(term.at(places).value.sum()) for term in self.terms
            )
        return total if np.isfinite(total) else np.inf

    def gradient(self, poses: Poses) -> np.ndarray:
        """∂V along (dr, dθ), bodies x 6: minus the forces in world axes, minus the torques about
        the centres of mass in body axes.
        """
        forces = self.particle_gradient(self.places(poses))
        return self.gradient_on_bodies(poses, forces) + self.load_gradient(poses)

    def particle_gradient(self, places: np.ndarray) -> np.ndarray:
        """∂V/∂x of every particle, of the pair forces: minus the forces on them."""
        forces = np.zeros_like(places)
        for term in self.terms:
            found = term.at(places)
            pair_force = found.slope[:, None] * found.along
            forces += sum_by_index(pair_force, found.second, len(places)) - sum_by_index(
                pair_force, found.first, len(places)
            )
        return forces

    def hessian(self, poses: Poses) -> Any:
        """∂²V along (dr, dθ), sparse, 6 rows per body."""
        places, arms, owners = self.places(poses), self.arms, self.owners
        particle_jacobians = jacobians(poses.rotations[owners], arms)
        particle_forces, stiffness = np.zeros_like(places), np.zeros((len(places), 3, 3))
        blocks = Blocks(self.count)
        for term in self.terms:
            found = term.at(places)
            pair_force, k = found.slope[:, None] * found.along, found.stiffness()
            particle_forces += sum_by_index(pair_force, found.second, len(places)) - sum_by_index(
                pair_force, found.first, len(places)
            )
            stiffness += sum_by_index(k, found.second, len(places)) + sum_by_index(
                k, found.first, len(places)
            )
            for at in range(0, len(k), CHUNK):
                first, second = found.first[at : at + CHUNK], found.second[at : at + CHUNK]
                cross = -np.swapaxes(particle_jacobians[first], 1, 2) @ (
                    k[at : at + CHUNK] @ particle_jacobians[second]
                )
                blocks.add(owners[first], owners[second], cross)
        own = sum_by_index(
            np.swapaxes(particle_jacobians, 1, 2) @ stiffness @ particle_jacobians,
            owners,
            self.count,
        )
        own[:, 3:, 3:] += sum_by_index(
            rotational_stiffness(poses.rotations[owners], arms, particle_forces), owners, self.count
        )
        bodies, forces, points = self.loads
        own[:, 3:, 3:] += sum_by_index(
            rotational_stiffness(poses.rotations[bodies], points, -self.load_factor * forces),
            bodies,
            self.count,
        )
        return blocks.matrix(own)

    # ---- along the motions that are free
    def free_gradient(self, poses: Poses) -> np.ndarray:
        return self.freedoms.project_gradient(self.gradient(poses))

    def free_hessian(self, poses: Poses) -> Any:
        basis = self.basis
        return (basis.T @ self.hessian(poses) @ basis).tocsc()

    @property
    def basis(self) -> Any:
        """The free motions as columns, 6 rows a body."""
        free = self.freedoms
        rows, columns = (
            6 * free.bodies[:, None] + np.arange(6),
            np.arange(len(free.bodies))[:, None] + np.zeros(6, int),
        )
        keep = free.directions != 0.0
        return sp.csr_array(
            (free.directions[keep], (rows[keep], columns[keep])),
            shape=(6 * self.count, len(free.bodies)),
        )

    # ---- parts
    def places(self, poses: Poses) -> np.ndarray:
        """x = r + R ξ of all particles."""
        return poses.positions[self.owners] + np.einsum(
            "nij,nj->ni", poses.rotations[self.owners], self.arms
        )

    def gradient_on_bodies(self, poses: Poses, particle_forces: np.ndarray) -> np.ndarray:
        """Jᵀ f, summed over the particles of each body."""
        turned = np.cross(
            self.arms, np.einsum("nji,nj->ni", poses.rotations[self.owners], particle_forces)
        )
        return sum_by_index(np.hstack([particle_forces, turned]), self.owners, self.count)

    def load_energy(self, poses: Poses) -> float:
        """−F·x."""
        bodies, forces, points = self.loads
        at = poses.positions[bodies] + np.einsum("nij,nj->ni", poses.rotations[bodies], points)
        return -self.load_factor * float(np.sum(forces * at))

    def load_gradient(self, poses: Poses) -> np.ndarray:
        bodies, forces, points = self.loads
        turned = np.cross(points, np.einsum("nji,nj->ni", poses.rotations[bodies], -forces))
        return self.load_factor * sum_by_index(np.hstack([-forces, turned]), bodies, self.count)

    def shortest_distance(self, poses: Poses) -> tuple[float, int, int]:
        """The least distance of two particles that act on each other, and which they are; infinite
        and −1 where none do.
        """
        best, places = (np.inf, -1, -1), self.places(poses)
        for term in self.terms:
            first, second, distance, _ = term.pairs_within_cutoff(places)
            if len(first) and distance.min() < best[0]:
                k = int(np.argmin(distance))
                best = float(distance[k]), int(first[k]), int(second[k])
        return best

    def strain(self, poses: Poses, motion: np.ndarray) -> float:
        """The largest change of a difference of two particles that act on each other, in parts of
        it, along a motion (bodies x 6).
        """
        places, largest = self.places(poses), 0.0
        turned = np.cross(motion[self.owners, 3:], self.arms)
        moves = motion[self.owners, :3] + np.einsum(
            "nij,nj->ni", poses.rotations[self.owners], turned
        )
        for term in self.terms:
            first, second, distance, _ = term.pairs_within_cutoff(places)
            parts = np.linalg.norm(moves[second] - moves[first], axis=1) / distance
            largest = max(largest, float(parts.max(initial=0.0)))
        return largest

    def particle_name(self, particle: int) -> str:
        body = self.owners[particle]
        return f"particle {particle - self.firsts[body]} of body {self.model.bodies[body].name!r}"


def loads_of(energy: PairEnergy) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(bodies, forces, points from the centre of mass in body axes) of gravity and of constant
    forces in world axes.
    """
    model, bodies, forces, points = energy.model, [], [], []
    if any(model.gravity):
        bodies += range(energy.count)
        forces += [np.multiply(body.mass, model.gravity) for body in model.bodies]
        points += [np.zeros(3)] * energy.count
    for position, force in enumerate(model.forces):
        if isinstance(force, PairForce):
            continue
        if not isinstance(force, BodyLoad) or force.axes != "world" or any(force.torque):
            raise FitError(f"{force.describe(position)}: {REFUSED_FORCE}", force.part)
        k = energy.index[force.body]
        bodies.append(k)
        forces.append(np.array(force.force))
        points.append(np.subtract(force.at, energy.coms[k]))
    return (
        np.array(bodies, dtype=int),
        np.array(forces).reshape(-1, 3),
        np.array(points).reshape(-1, 3),
    )


REFUSED_FORCE = (
    "an equilibrium of a chain knows PairForce, gravity and a BodyLoad of a force in world axes; "
    "leave this one out"
)


# ---- one pair force ------------------------------------------------------------------------------
class PairValues:
    """The pairs of one force that act, with V, V' and V'' and the unit vectors from the first to
    the second.
    """

    def __init__(
        self,
        first: np.ndarray,
        second: np.ndarray,
        distance: np.ndarray,
        along: np.ndarray,
        law: tuple[np.ndarray, ...],
    ) -> None:
        """law: V, V' and V'' of each pair."""
        self.first = first
        self.second = second
        self.distance = distance
        self.along = along
        self.value, self.slope, self.bend = law

    def stiffness(self) -> np.ndarray:
        """K = V'' e eᵀ + (V'/d)(1 − e eᵀ)."""
        across = self.slope / self.distance
        outer = self.along[:, :, None] * self.along[:, None, :]
        return (self.bend - across)[:, None, None] * outer + across[:, None, None] * np.eye(3)


class PairTerm:
    """One PairForce: which particles act, and by which V."""

    def __init__(self, energy: PairEnergy, force: PairForce) -> None:
        """Potentials by types of particles; the pairs, unless a cut-off selects them."""
        self.force = force
        self.box = np.array(force.box if force.box is not None else (0.0, 0.0, 0.0))
        self.owners = energy.owners
        names = force.names(energy.model)
        self.bodies = np.array([energy.index[name] for name in names])
        words = sorted({word for name in names for word in particle_types(energy.model, name)})
        place = {word: k for k, word in enumerate(words)}
        self.types = np.array([place.get(word, 0) for word in energy.types])
        self.laws, self.law_of = potentials_by_type(force, words)
        self.excluded = np.array(
            [sorted(energy.index[name] for name in pair) for pair in force.excluded]
        ).reshape(-1, 2)
        self.is_local = force.between == "all" and force.cutoff is not None
        self.pairs: Pairs | None = (
            None if self.is_local else self.select_pairs(*listed_pairs(energy, force, self.bodies))
        )

    def select_pairs(self, first: np.ndarray, second: np.ndarray) -> Pairs:
        """Without the pairs of one body and the excluded ones."""
        a, b, n = self.owners[first], self.owners[second], len(self.owners)
        keep = (a != b) & ~np.isin(
            np.minimum(a, b) * n + np.maximum(a, b), self.excluded[:, 0] * n + self.excluded[:, 1]
        )
        return first[keep], second[keep]

    def pairs_within_cutoff(
        self, places: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """(first, second, distance, difference) of the pairs within the cut-off, nearest images."""
        first, second = (
            self.pairs if self.pairs is not None else self.select_pairs(*self.neighbours(places))
        )
        difference = places[second] - places[first]
        periodic = self.box > 0.0
        if periodic.any():
            lengths = self.box[periodic]
            difference[:, periodic] -= lengths * np.round(difference[:, periodic] / lengths)
        distance = np.sqrt(np.einsum("nk,nk->n", difference, difference))
        if self.force.cutoff is not None:
            inside = distance < self.force.cutoff
            first, second, distance, difference = (
                first[inside],
                second[inside],
                distance[inside],
                difference[inside],
            )
        return first, second, distance, difference

    def neighbours(self, places: np.ndarray) -> Pairs:
        """All pairs within the cut-off, by a k-d tree."""
        mine = np.flatnonzero(np.isin(self.owners, self.bodies))
        at = places[mine].copy()
        periodic = self.box > 0.0
        at[:, periodic] = np.mod(at[:, periodic], self.box[periodic])
        at[:, periodic] = np.where(at[:, periodic] >= self.box[periodic], 0.0, at[:, periodic])
        found = spatial.KDTree(at, boxsize=self.box if periodic.any() else None).query_pairs(
            self.force.cutoff or np.inf, output_type="ndarray"
        )
        return mine[found[:, 0]], mine[found[:, 1]]

    def at(self, places: np.ndarray) -> PairValues:
        """V, V' and V'' of the pairs that act when the particles are at these places."""
        first, second, distance, difference = self.pairs_within_cutoff(places)
        which = self.law_of[self.types[first], self.types[second]]
        law = np.empty((3, len(first)))
        for k, potential in enumerate(self.laws):
            chosen = which == k if len(self.laws) > 1 else slice(None)
            law[:, chosen] = self.apply_cutoff(potential, distance[chosen])
        return PairValues(
            first, second, distance, difference / distance[:, None], (law[0], law[1], law[2])
        )

    def apply_cutoff(
        self, potential: Potential, r: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """V, V', V'' with cut-off, switch and shift."""
        end = profile(potential, np.array([self.force.cutoff]))[0][0] if self.force.shift else 0.0
        return self.force.apply_cutoff(r, *profile(potential, r), end)


def profile(potential: Any, r: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """V, V' and V'' of a bare potential at many distances."""
    if not isinstance(potential, PairFormula):
        return potential.value(r), potential.slope(r), potential.curvature(r)
    names = {"r": Jet(r, np.ones_like(r), np.zeros_like(r)), **potential.parameters}
    jet = evaluate(to_expression(potential.formula, names, "potential").tree, names)
    value, slope, bend = (
        np.broadcast_to(np.asarray(part, dtype=float), r.shape)
        for part in (jet.value, jet.slope, jet.bend)
    )
    return value, slope, bend


def potentials_by_type(force: PairForce, words: list[str]) -> tuple[list[Potential], np.ndarray]:
    """The different potentials, and which of them two types have; −1 where a table has none,
    because such types never meet.
    """
    laws: list[Potential] = []
    which = np.full((len(words), len(words)), -1)
    for i, first in enumerate(words):
        for j, second in enumerate(words):
            law = potential_or_none(force, first, second)
            if law is not None:
                if law not in laws:
                    laws.append(law)
                which[i, j] = laws.index(law)
    return laws, which


def potential_or_none(force: PairForce, first: str, second: str) -> Potential | None:
    try:
        return force.parameters_of(first, second)
    except ModelError:  # the model has checked the types that meet
        return None


def particle_types(model: Model, name: str) -> tuple[str, ...]:
    particles = model.body(name).particles
    return tuple(particles.types) if particles is not None else ()


def listed_pairs(energy: PairEnergy, force: PairForce, bodies: np.ndarray) -> Pairs:
    """Every particle of one body with every particle of the other, or those named by their
    index.
    """
    ends = force.ends(energy.model)
    if ends:
        spans = [(span(energy, *first), span(energy, *second)) for first, second in ends]
    elif force.between == "all":
        i, j = np.triu_indices(len(bodies), 1)
        spans = [
            (span_of(energy, a), span_of(energy, b))
            for a, b in zip(bodies[i], bodies[j], strict=True)
        ]
    else:
        spans = [
            (span(energy, first, None), span(energy, second, None))
            for first, second in force.body_pairs(energy.model) or ()
        ]
    first = [np.repeat(a, len(b)) for a, b in spans]
    second = [np.tile(b, len(a)) for a, b in spans]
    return np.concatenate(first) if first else np.zeros(0, int), np.concatenate(
        second
    ) if second else np.zeros(0, int)


def span(energy: PairEnergy, name: str, particle: int | None) -> np.ndarray:
    mine = span_of(energy, energy.index[name])
    return mine if particle is None else mine[particle : particle + 1]


def span_of(energy: PairEnergy, body: int) -> np.ndarray:
    return np.arange(energy.firsts[body], energy.firsts[body + 1])


# ---- blocks --------------------------------------------------------------------------------------
def sum_by_index(values: np.ndarray, index: np.ndarray, size: int) -> np.ndarray:
    """out[index[k]] += values[k]."""
    flat = values.reshape(len(values), int(np.prod(values.shape[1:])))
    adder = sp.csr_array(
        (np.ones(len(index)), (index, np.arange(len(index)))), shape=(size, len(index))
    )
    return (adder @ flat).reshape(size, *values.shape[1:])


def jacobians(rotations: np.ndarray, arms: np.ndarray) -> np.ndarray:
    """J = (1, −R ξ×), particles x 3 x 6."""
    unit = np.broadcast_to(np.eye(3), (len(arms), 3, 3))
    return np.concatenate([unit, -rotations @ skew(arms)], axis=2)


def rotational_stiffness(
    rotations: np.ndarray, arms: np.ndarray, particle_forces: np.ndarray
) -> np.ndarray:
    """½ (g ξᵀ + ξ gᵀ) − (g·ξ) 1 with g = Rᵀ f: what a force does to second order in dθ."""
    g = np.einsum("nji,nj->ni", rotations, particle_forces)
    outer = g[:, :, None] * arms[:, None, :]
    return 0.5 * (outer + np.swapaxes(outer, 1, 2)) - np.einsum("nk,nk->n", g, arms)[
        :, None, None
    ] * np.eye(3)


class Blocks:
    """The 6 x 6 blocks of a symmetric matrix, summed by pairs of bodies."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.parts: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, rows: np.ndarray, columns: np.ndarray, blocks: np.ndarray) -> None:
        keys, which = np.unique(rows * self.count + columns, return_inverse=True)
        if len(keys):
            self.parts.append(
                (keys // self.count, keys % self.count, sum_by_index(blocks, which, len(keys)))
            )

    def matrix(self, own: np.ndarray) -> Any:
        """With `own` on the diagonal, and every block also transposed."""
        every = np.arange(self.count)
        parts = [
            (every, every, own),
            *self.parts,
            *((b, a, np.swapaxes(block, 1, 2)) for a, b, block in self.parts),
        ]
        rows = np.concatenate(
            [coordinate_indices(a)[:, :, None] + np.zeros((6, 6), int) for a, _, _ in parts]
        )
        columns = np.concatenate(
            [coordinate_indices(b)[:, None, :] + np.zeros((6, 6), int) for _, b, _ in parts]
        )
        data = np.concatenate([block for _, _, block in parts])
        return sp.csr_array(
            (data.ravel(), (rows.ravel(), columns.ravel())), shape=(6 * self.count, 6 * self.count)
        )


def coordinate_indices(bodies: np.ndarray) -> np.ndarray:
    return 6 * bodies[:, None] + np.arange(6)
