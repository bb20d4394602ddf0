"""Whether a potential of two poses that a user wrote is smooth at the start, and whether a gradient
that a user wrote is its own.

Each frame is moved along and turned about the axes of the world, by parts of the natural length and
of a radian. V(s) of such a move has a kink where |V(s) − 2 V(0) + V(−s)|/s does not fall with s; a
gradient is compared with (V(s) − V(−s))/2s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hamiltree.assembly.prescribed_poses import prescribed_poses
from hamiltree.errors import ModelError
from hamiltree.forces.laws import LawError
from hamiltree.forces.pose_potential import INPUTS, OUTPUTS, PLACE_A, pose_code
from hamiltree.forces.user_code import parameter_names
from hamiltree.model.bodies import GROUND
from hamiltree.model.pose_potential import POSE_VARIABLES, PosePotential
from hamiltree.rotations import rotation_exponential

if TYPE_CHECKING:
    from hamiltree.assembly.assembly import Assembly

STEPS = 2.0 ** -np.array([13.0, 15.0, 17.0])  # of a move, in parts of a length and of a radian
KINK = 1e-3  # a jump of the slope that is smaller, in parts of the largest slope, is left alone
GRADIENT_ERROR = 1e-4  # of a gradient, in parts of its largest entry
NOISE = 1e4 * np.finfo(float).eps  # of V, in parts of its largest value


class PosePair(NamedTuple):
    """Rotations and origins of frames a and b in the world."""

    R1: np.ndarray
    r1: np.ndarray
    R2: np.ndarray
    r2: np.ndarray


def check_pose_potentials(assembly: Assembly) -> None:
    """Refuse, by name, a PosePotential that is not smooth where the run starts; one whose formula
    cannot be read is left to the formulation, which says why.
    """
    model = assembly.model
    forces = [(k, one) for k, one in enumerate(model.forces) if isinstance(one, PosePotential)]
    if not forces:
        return
    origins, rotations = prescribed_poses(model, assembly.bodies_to_rounding, assembly.t)
    places = {body.name: (rotations[k], origins[k]) for k, body in enumerate(model.bodies)}
    places[GROUND] = np.eye(3), np.zeros(3)
    for position, force in forces:
        try:
            potential = Potential(force, assembly.scales.length)
        except LawError:
            continue
        reason = potential.find_fault(pose_pair(force, places))
        if reason:
            raise ModelError(
                f"{force.describe(position)}: {reason}",
                ("force", force.name or position + 1),
                "energy" if force.gradient is None else "gradient",
            )


def pose_pair(force: PosePotential, places: dict) -> PosePair:
    """Where the frames of a force are, its bodies being at these places."""
    found = []
    for name, frame in ((force.body_a, force.frame_a), (force.body_b, force.frame_b)):
        rotation, origin = places[name]
        found += [rotation @ frame.matrix, origin + rotation @ np.array(frame.position)]
    return PosePair(*found)


class Potential:
    """V and its gradient in Python, at many poses at once."""

    def __init__(self, force: PosePotential, length: float):
        self.force = force
        self.length = length
        self.evaluate = pose_code(force)[0].scalar.original
        numbers = [force.parameters[name] for name in parameter_names(force)]
        self.parameters = np.array(numbers or [0.0])

    def values(self, pairs: list[PosePair]) -> np.ndarray:
        """(1 + INPUTS, pairs): V and its derivatives by POSE_VARIABLES."""
        inputs = np.ascontiguousarray(np.array([variables_of(pair) for pair in pairs]).T)
        out = np.zeros((OUTPUTS, len(pairs)))
        with np.errstate(all="ignore"):
            if self.force.gradient is None:
                self.evaluate(0, self.parameters, np.zeros((1, len(pairs))), inputs, out)
                return out
            for k in range(len(pairs)):
                alone = np.zeros(OUTPUTS)
                self.evaluate(
                    0, self.parameters, np.zeros(1), np.ascontiguousarray(inputs[:, k]), alone
                )
                out[:, k] = alone
        return out

    def find_fault(self, start: PosePair) -> str:
        """What is wrong with V or its gradient at the start; empty if nothing is."""
        here = self.values([start])[:, 0]
        names = ("V", *(f"dV/d{name}" for name in POSE_VARIABLES))
        bad = np.flatnonzero(~np.isfinite(here))
        if len(bad):
            return (
                f"{names[bad[0]]} is {here[bad[0]]:g} at the start; a potential must be finite "
                "and smooth there: choose another start or another formula"
            )
        moved = self.values(
            [pair for s in STEPS for way in (s, -s) for pair in self.moved_pairs(start, way)]
        )[0]
        ahead, behind = np.swapaxes(moved.reshape(len(STEPS), 2, -1), 0, 1)
        return self.find_kink(here[0], ahead, behind) or self.find_wrong_gradient(
            start, here, ahead, behind
        )

    def moved_pairs(self, start: PosePair, s: float) -> list[PosePair]:
        """Frame a, then frame b, moved along x, y, z and turned about them."""
        turns = [rotation_exponential(s * axis) for axis in np.eye(3)]
        shifts = s * self.length * np.eye(3)
        R1, r1, R2, r2 = start
        return [
            *(PosePair(R1, r1 + shift, R2, r2) for shift in shifts),
            *(PosePair(turn @ R1, r1, R2, r2) for turn in turns),
            *(PosePair(R1, r1, R2, r2 + shift) for shift in shifts),
            *(PosePair(R1, r1, turn @ R2, r2) for turn in turns),
        ]

    def describe_move(self, k: int) -> str:
        body = (self.force.body_a, self.force.body_b)[k // 6]
        return f"{body!r} {('moves along', 'turns about')[k // 3 % 2]} {'xyz'[k % 3]}"

    def find_kink(self, here: float, ahead: np.ndarray, behind: np.ndarray) -> str:
        """A move along which the slope of V jumps at the start."""
        bend = np.abs(ahead - 2.0 * here + behind)
        steps = STEPS[:, None]
        slopes = np.maximum(np.abs(ahead - here), np.abs(behind - here)) / steps
        noise = NOISE * max(abs(here), np.abs(ahead).max(), np.abs(behind).max())
        first, _, last = bend / steps
        is_kink = (last > 0.5 * first) & (last > KINK * slopes.max()) & (bend[-1] > noise)
        if not is_kink.any():
            return ""
        return (
            "its energy has a kink at the start (its slope jumps as "
            f"{self.describe_move(int(is_kink.argmax()))}), where no force is defined; choose "
            "another start, or a potential that is smooth there"
        )

    def find_wrong_gradient(self, start, here, ahead, behind) -> str:
        """A move along which a gradient that a user wrote is not the slope of V."""
        if self.force.gradient is None:
            return ""
        slopes = self.slopes_of_gradient(start, here[1 + PLACE_A :])
        central = (ahead - behind) / (2.0 * STEPS[:, None])
        noise = NOISE * np.abs(ahead).max() / STEPS[-1]
        allowed = GRADIENT_ERROR * np.abs(slopes).max() + noise
        allowed = allowed + 2.0 * np.abs(central[-1] - central[0])
        error = np.abs(slopes - central[-1])
        if not (error > allowed).any():
            return ""
        k = int((error / allowed).argmax())
        return (
            f"gradient does not belong to its energy: as {self.describe_move(k)}, V changes by "
            f"{central[-1][k]:.6g} J per radian or per natural length, and by the gradient by "
            f"{slopes[k]:.6g}; correct it, or leave it out where the function has no branches"
        )

    def slopes_of_gradient(self, start: PosePair, gradient: np.ndarray) -> np.ndarray:
        """dV/ds of every move: ∂V/∂r · e and ∂V/∂R : [e]× R."""
        found = []
        for rotation, by in ((start.R1, gradient[:12]), (start.R2, gradient[12:])):
            by_rotation = by[3:].reshape(3, 3).T
            turned = [np.cross(axis, rotation, axis=0) for axis in np.eye(3)]
            found += [*(self.length * by[:3]), *((by_rotation * one).sum() for one in turned)]
        return np.array(found)


def variables_of(pair: PosePair) -> np.ndarray:
    """POSE_VARIABLES of two poses; matrices by columns."""
    R1, r1, R2, r2 = pair
    d = R1.T @ (r2 - r1)
    parts = (d, (R1.T @ R2).T, [np.linalg.norm(d)], r1, R1.T, r2, R2.T)
    found = np.concatenate([np.ravel(part) for part in parts])
    assert len(found) == INPUTS
    return found
