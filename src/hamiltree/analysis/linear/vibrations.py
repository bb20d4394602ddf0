"""Small vibrations of any model about a rest: K z = ω² M z in independent coordinates.

Dampers do not count; with them, and about steady motions, see the eigenvalues of `linearise`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.directions import quadratic_forms, uncertainty
from hamiltree.analysis.linear.linearisation import Linearisation, linearise
from hamiltree.analysis.linear.mode_motion import ModeMotion, check_frames, swing
from hamiltree.analysis.linear.short_tables import mode_rows, short_table
from hamiltree.errors import FitError, OptionError
from hamiltree.model.accessors import Accessor
from hamiltree.model.model import Model
from hamiltree.rotations import rotate_back

Array = np.ndarray
PARTS = ("x", "y", "z", "wx", "wy", "wz")
CIRCULATORY = 1e-7  # of K: a larger skew part has no potential
EPSILON = float(np.finfo(float).eps)


@dataclass(frozen=True)
class MechanismModes:
    """The lowest modes of a model about its rest, ω² ascending."""

    plot = Accessor("hamiltree.view.linear_plots:ModePlots")

    squares: Array  # ω², 1/s²; below zero where the rest is unstable
    shapes: xr.DataArray = field(repr=False)
    """(mode, body, part): dr of the centre of mass, world axes, dθ in body axes; vᵀ M v = 1"""
    speeds: xr.DataArray = field(repr=False)
    """(mode, speed): the same along all speeds of the tree"""
    errors: Array = field(repr=False)  # of ω², 1/s²: what is less costs nothing
    linear: Linearisation = field(repr=False)

    def __repr__(self) -> str:
        """A short table."""
        count = len(self.squares)
        return short_table(
            f"Modes of {self.linear.model.name!r}: {count} mode{'s' if count != 1 else ''}",
            ("mode", "rad/s", ""),
            mode_rows(self.frequencies),
        )

    @property
    def frequencies(self) -> Array:
        """ω, rad/s; zero of motions that cost nothing; the rate of growth with a minus sign where
        one is unstable.
        """
        found = np.where(np.abs(self.squares) <= self.errors, 0.0, self.squares)
        return np.sign(found) * np.sqrt(np.abs(found))

    @property
    def unstable(self) -> int:
        """How many of these modes grow."""
        return int(np.count_nonzero(self.frequencies < 0.0))

    def trajectory(
        self, mode: int = 0, amplitude: float = 0.2, frames: int = 60, cycles: float = 1.0
    ) -> ModeMotion:
        """A mode (from 0 on) as a run that can be plotted, viewed and filmed: its shape times
        cos ωt, loops closed in every frame; `amplitude` is the largest angle, rad, or displacement
        in parts of the size of the model. A motion without frequency takes the natural time.
        """
        check_frames(mode, len(self.squares), amplitude, frames, cycles)
        linear, omega = self.linear, float(self.frequencies[mode])
        chart, shape = linear.chart, self.speeds.values[mode]
        size = amplitude / np.abs(shape * chart.weights).max()
        z = size * shape[chart.chosen]

        def place(factor: float, rate: float) -> tuple[Array, Array]:
            q = chart.moved(factor * z)
            return q, chart.basis(q) @ (rate * z)

        label = f"mode {mode + 1}, {omega:.6g} rad/s"
        t = chart.equations.t
        return swing(linear.model, place, omega, label, frames, cycles, t)

    def to_dict(self) -> dict[str, Any]:
        """Frequencies and shapes as plain lists, for JSON."""
        return {
            "model": self.linear.model.name,
            "frequencies": self.frequencies.tolist(),
            "squares": self.squares.tolist(),
            "speeds": [str(name) for name in self.speeds["speed"].values],
            "shapes_along_speeds": self.speeds.values.tolist(),
        }


def find_modes(model: Model, count: int | None, at: Any, t: float | None) -> MechanismModes:
    """The modes of a tree or a mechanism."""
    linear = linearise(model, at, t=t)
    size = len(linear.names)
    if count is not None and not 1 <= count <= size:
        raise OptionError(f"count = {count!r}; the model has {size} modes")
    check_potential(linear)
    scaled_mass, scaled_stiffness = linear.scaled(linear.M), linear.scaled(linear.stiffness.values)
    lower = np.linalg.cholesky(scaled_mass)
    half = np.linalg.solve(lower, scaled_stiffness)
    vectors = np.linalg.eigh(np.linalg.solve(lower, half.T))[1]
    shapes = np.linalg.solve(lower.T, vectors)  # without units of length
    # more digits than the eigenvalues, and errors of K along each shape by itself
    squares = quadratic_forms(scaled_stiffness, shapes)
    rounding = EPSILON**2 * float(np.abs(squares).max())  # the fastest, in another's shape
    kept = np.argsort(squares, kind="stable")[: count or size]
    squares, shapes = squares[kept], shapes[:, kept]
    errors = uncertainty(scaled_stiffness, linear.scaled(linear.K_errors), shapes) + rounding
    along = (linear.chart.N @ (shapes / linear.scale[:, None])).T
    return MechanismModes(
        squares, body_shapes(linear, along), label_speeds(linear, along), errors, linear
    )


def check_potential(linear: Linearisation) -> None:
    """Modes are of forces with a potential."""
    skew_part = np.abs(linear.scaled(linear.circulatory.values)).max(initial=0.0)
    if skew_part > CIRCULATORY * np.abs(linear.scaled(linear.K)).max(initial=0.0):
        raise FitError(
            f"forces of {linear.model.name!r} have no potential there (the stiffness is not "
            "symmetric), so that it has no modes; see the eigenvalues of linearise()"
        )


def label_speeds(linear: Linearisation, along: Array) -> xr.DataArray:
    return xr.DataArray(along, {"speed": list(linear.model.speeds)}, ("mode", "speed"))


def body_shapes(linear: Linearisation, along: Array) -> xr.DataArray:
    """How the bodies move at unit rates of these speeds."""
    model, kinematics = linear.model, linear.chart.place.kinematics
    found = np.zeros((len(along), len(model.bodies), 6))
    for k, body in enumerate(model.bodies):
        twist = along @ kinematics.jacobian(k, len(model.speeds)).T
        centre = kinematics.at[k] + kinematics.turn[k] @ np.array(body.com)
        found[:, k, :3] = twist[:, 3:] + np.cross(twist[:, :3], centre)
        found[:, k, 3:] = rotate_back(kinematics.turn[k], twist[:, :3])
    coords = {"body": [body.name for body in model.bodies], "part": list(PARTS)}
    return xr.DataArray(found, coords, ("mode", "body", "part"), "shape")
