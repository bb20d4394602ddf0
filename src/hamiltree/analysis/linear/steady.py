"""Steady motions (relative equilibria): `ht.steady_motion(model, spin)`.

Some joints turn with given speeds, by themselves or driven, and all other coordinates stand where
the amended potential V − ½ uᵀ M u is stationary (spinning.py): the search is that of an
equilibrium. Along a free axis nothing may be needed to keep the speed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.linear.directions import PrincipalDirections
from hamiltree.analysis.linear.drives import Driven, find_driven
from hamiltree.analysis.linear.rest import RestSearch
from hamiltree.analysis.linear.short_tables import short_table, stability
from hamiltree.analysis.linear.speed_equations import Chart, SpeedEquations, start_of
from hamiltree.analysis.linear.spinning import SpaceSpin, SpinningChart, SpinningEquations
from hamiltree.assembly.kinematics import Kinematics, Tree, TreeJoint, compute_kinematics, tree_of
from hamiltree.assembly.report import follow_with_closing_joints, replace_start
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model.joints import speed_labels
from hamiltree.model.model import Model
from hamiltree.rotations import normalise, rotation_matrix

Array = np.ndarray
KINDS = ("stable", "any")
EFFORT_TOLERANCE = 1e-9  # of inertia times Ω², and of the largest stiffness: more is an effort
LATER_TOLERANCE = 1e-6  # the same a radian of the motion later


@dataclass(frozen=True)
class SteadyMotion:
    """A motion in which a model turns with constant speeds and does not change its shape."""

    q: xr.DataArray  # by coordinate
    qdot: xr.DataArray  # by speed, rad/s or m/s
    spin: dict[str, Any]  # what was asked for
    efforts: dict[str, float]  # of the drives along the speeds that they give, N m or N
    energy: float  # T + V, J
    residual: float  # the longest Newton step left, rad or parts of the size
    unstable: int  # how many directions make the amended potential smaller
    iterations: int
    model: Model = field(repr=False)  # the model that starts in this motion
    t: float
    place: SteadyPlace = field(repr=False)

    def __repr__(self) -> str:
        """A short table of what turns, and of where the rest stands."""
        speeds = by_name(self.qdot, "speed")
        return short_table(
            f"SteadyMotion of {self.model.name!r}: {stability(self.unstable)}, T + V = "
            f"{self.energy:.6g} J, residual {self.residual:.1e}",
            ("coordinate", "q", "speed"),
            [
                [name, value, f"{speeds[name]:.6g}" if name in speeds else ""]
                for name, value in by_name(self.q, "coordinate").items()
            ],
        )

    @property
    def is_stable(self) -> bool:
        """A minimum of the amended potential: stable, with dampers too. What is none may still be
        held by gyroscopic forces: see linearise(…).growth.
        """
        return self.unstable == 0

    def to_dict(self) -> dict[str, Any]:
        """All numbers as plain ones, for JSON."""
        return {
            "model": self.model.name,
            "q": by_name(self.q, "coordinate"),
            "qdot": by_name(self.qdot, "speed"),
            "spin": {k: np.asarray(v).tolist() for k, v in self.spin.items()},
            "efforts": self.efforts,
            "energy": self.energy,
            "residual": self.residual,
            "unstable": self.unstable,
            "iterations": self.iterations,
            "t": self.t,
        }


def by_name(values: xr.DataArray, dimension: str) -> dict[str, float]:
    names = [str(name) for name in values[dimension].values]
    return dict(zip(names, values.values.tolist(), strict=True))


@dataclass(frozen=True)
class SteadyPlace:
    """What the linear equations about a steady motion need."""

    equations: SpeedEquations  # without the drives that move
    q: Array
    u: Array
    driven: dict[int, float]  # row of the speeds: its value
    spins: tuple[SpaceSpin, ...]

    def chart(self) -> SpinningChart:
        """In which only what is driven is prescribed."""
        return SpinningChart(self.equations, self.q, self.driven, self.spins)


def steady_motion(
    model: Model,
    spin: Mapping[str, Any] | None = None,
    start: Any = None,
    *,
    tolerance: float = 1e-11,
    kind: str = "stable",
    t: float = 0.0,
    iterations: int = 2000,
    through: Sequence[float] | None = None,
) -> SteadyMotion:
    """A steady motion of a model near `start` (q; its own start if None).

    `spin` has speeds by name: {"hinge": 5.0}, rad/s or m/s; of a ball or a free joint by the name
    of the joint the angular velocity (x, y, z) in the axes of its parent's frame, about an axis
    through the centre of mass of what it carries, or through the point `through` of that frame.
    Drives that move at `t` have their own speeds, which need not be named; what they must do is in
    `efforts`. `kind="stable"` is a minimum of V − ½ uᵀ M u, `"any"` the nearest.
    """
    if kind not in KINDS:
        raise OptionError(f"kind = {kind!r}; give 'stable' or 'any'")
    if not 0.0 < tolerance < 1.0:
        raise OptionError(f"tolerance = {tolerance!r}; give a number between 0 and 1")
    driven = find_driven(model, start_of(model, start), t)
    equations = SpinningEquations(driven.model, t)
    given, spins = read_spin(driven, spin or {}, through)
    if not (given or spins or driven.speeds):
        raise OptionError("nothing turns: give a spin, such as {'hinge': 5.0}, or drive a joint")
    search = SteadySearch(equations, driven.q, {**given, **driven.speeds}, spins)
    found = search.run(tolerance, kind, iterations)
    return search.steady(found, model, driven, dict(spin or {}))


class SteadySearch(RestSearch):
    """The search of a rest of the amended potential."""

    what = "steady motion"
    equations: SpinningEquations

    def __init__(
        self,
        equations: SpinningEquations,
        q: Array,
        prescribed: dict[int, float],
        spins: tuple[SpaceSpin, ...],
    ):
        """At q, with speeds by their rows and joints that turn about axes in space."""
        self.prescribed, self.spins = prescribed, spins
        super().__init__(equations, q)

    def make_chart(self, q: Array) -> Chart:
        """With everything that turns prescribed; the amended potential is that of its speeds."""
        made = SpinningChart(self.equations, q, self.prescribed, self.spins, is_search=True)
        self.equations.chart = made
        return made

    def steady(
        self, found: PrincipalDirections, model: Model, driven: Driven, spin: dict[str, Any]
    ) -> SteadyMotion:
        """What was found; refused if a free axis would not keep its speed."""
        chart, q = self.chart, self.chart.q
        assert isinstance(chart, SpinningChart)
        u = chart.speeds_at(q, self.still)
        efforts = self.efforts_along_spins(chart, u, found, driven)
        start = replace_start(model, q, u)
        energies = self.equations.tree.energies(q, u, self.equations.t)
        coords = {"coordinate": list(model.coordinates)}
        return SteadyMotion(
            xr.DataArray(q, coords, ("coordinate",), "q", {"units": "rad or m"}),
            xr.DataArray(u, {"speed": list(model.speeds)}, ("speed",), "qdot"),
            spin,
            efforts,
            float(sum(energies)),
            found.distance(self.force),
            found.unstable,
            self.iterations,
            follow_with_closing_joints(start, q, u),
            self.equations.t,
            SteadyPlace(self.equations, q, u, driven.speeds, self.spins),
        )

    def efforts_along_spins(
        self, chart: SpinningChart, u: Array, found: PrincipalDirections, driven: Driven
    ) -> dict[str, float]:
        """Of the drives; of free axes none may be needed, nor along anything a radian later."""
        along = self.efforts_at(chart, u)
        limits = self.effort_limits(chart, u, found)
        for row in self.prescribed:
            if row not in driven.speeds and abs(along[row]) > EFFORT_TOLERANCE * limits[row]:
                name = self.equations.speeds[row]
                raise FitError(
                    f"{name!r} does not keep its speed by itself: {along[row]:.3g} N m or N would "
                    "have to act along it; drive it, or remove what brakes or pulls it",
                    ("joint", name.partition(".")[0]),
                )
        self.check_later(chart, u, found, driven)
        return {self.equations.speeds[row]: along[row] for row in driven.speeds}

    def efforts_at(self, chart: SpinningChart, u: Array) -> dict[int, float]:
        """By the rows of independent speeds, what must act along them to keep u."""
        assert chart.every is not None
        accelerations = chart.accelerations_at(chart.q, self.still, u)
        forces = self.equations.efforts(chart.q, u, accelerations)
        along = chart.full_basis(chart.q).T @ forces
        return dict(zip(chart.every.tolist(), along.tolist(), strict=True))

    def effort_limits(
        self, chart: SpinningChart, u: Array, found: PrincipalDirections
    ) -> dict[int, float]:
        """By the same rows, efforts of the size of what acts in the motion."""
        assert chart.every is not None
        N = chart.full_basis(chart.q)
        inertias = np.abs(np.diag(N.T @ self.equations.tree.mass_matrix(chart.q) @ N))
        fastest = float(np.abs(u * chart.weights).max(initial=0.0))
        rows = chart.every.tolist()
        limits = inertias * fastest**2 + found.largest * chart.weights[rows] ** 2
        return dict(zip(rows, limits.tolist(), strict=True))

    def check_later(
        self, chart: SpinningChart, u: Array, found: PrincipalDirections, driven: Driven
    ) -> None:
        """Refuse what is steady at an instant only, such as a pendulum at its lowest point."""
        fastest = float(np.abs(u * chart.weights).max(initial=0.0))
        if self.spins or not fastest:
            return  # of free bodies that turn the axes turn with them
        later = chart.along_motion(u / fastest)
        assert isinstance(later, SpinningChart)
        u = later.speeds_at(later.q, self.still)
        limits = self.effort_limits(later, u, found)
        for row, effort in self.efforts_at(later, u).items():
            if row not in driven.speeds and abs(effort) > LATER_TOLERANCE * limits[row]:
                name = self.equations.speeds[row]
                raise FitError(
                    f"no steady motion: a radian later {effort:.3g} N m or N would have to act "
                    f"along {name!r} to keep it; forces change as the model turns (gravity across "
                    "the axis?)",
                    ("joint", name.partition(".")[0]),
                )


# ---- what turns ----------------------------------------------------------------------------------
def read_spin(
    driven: Driven, spin: Mapping[str, Any], through: Sequence[float] | None
) -> tuple[dict[int, float], tuple[SpaceSpin, ...]]:
    """Rows of speeds with their values, and joints that turn about axes in space."""
    model = driven.model
    names, joints = list(model.speeds), {joint.name: joint for joint in model.tree_joints}
    given: dict[int, float] = {}
    spins = []
    for name, value in spin.items():
        if name in joints and joints[name].has_ball:
            spins.append(make_space_spin(model, name, value, through))
            continue
        if name not in names:
            known = [*names, *(key for key, joint in joints.items() if joint.has_ball)]
            raise OptionError(f"spin: there is no speed {name!r}; {suggest(str(name), known)}")
        row = names.index(name)
        if row in driven.speeds:
            raise OptionError(f"spin: {name!r} is driven, and has the speed of its drive")
        carrier = joints.get(name.partition(".")[0])
        if carrier is not None and carrier.has_ball:
            raise OptionError(
                f"spin: {carrier.name!r} turns about an axis in space; give its angular velocity "
                f"as three numbers, {{{carrier.name!r}: (0, 0, 5)}}"
            )
        given[row] = check_speed(name, value)
    return given, tuple(spins)


def check_speed(name: str, value: Any) -> float:
    """A finite number."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = np.nan
    if not np.isfinite(found):
        raise OptionError(f"spin: {name} = {value!r}; give a number, rad/s or m/s")
    return found


def make_space_spin(
    model: Model, name: str, value: Any, through: Sequence[float] | None
) -> SpaceSpin:
    """Of a ball or a free joint with the angular velocity `value`."""
    try:
        omega = np.array(value, dtype=float).reshape(3)
    except (TypeError, ValueError):
        omega = np.full(3, np.nan)
    if not np.all(np.isfinite(omega)):
        raise OptionError(f"spin: {name} = {value!r}; give an angular velocity (x, y, z), rad/s")
    tree = tree_of(model)
    joint = model.joint(name)
    first = model.speeds.index(speed_labels(joint)[-3])
    found = next(each for each in tree.joints if each.ball is not None and each.ball[1] == first)
    if found.is_reversed:
        raise OptionError(f"spin: declare {name!r} with what carries it as its parent")
    return space_spin(tree, found, omega, np.zeros(3), through)


def space_spin(
    tree: Tree,
    joint: TreeJoint,
    omega: Array,
    drift: Array,
    through: Sequence[float] | None = None,
) -> SpaceSpin:
    """With the rows of a joint that has a ball."""
    assert joint.ball is not None
    positions, moves = joint.own[0] if joint.own else (None, None)

    def centre(q: Array) -> Array:
        return carried_centre(tree.model, compute_kinematics(tree, q), joint)

    def fixed(_: Array) -> Array:
        return np.array(through, dtype=float)

    point = centre if through is None else fixed
    return SpaceSpin(omega, *joint.ball, positions, moves, point, drift)


def carried_centre(model: Model, kinematics: Kinematics, joint: TreeJoint) -> Array:
    """The centre of mass of everything that a joint carries, in its parent's joint frame."""
    carried = [k for k in range(len(model.bodies)) if is_carried(kinematics, k, joint.body)]
    masses = np.array([model.bodies[k].mass for k in carried])
    if not masses.sum() > 0.0:
        return np.zeros(3)
    places = [
        kinematics.at[k] + kinematics.turn[k] @ np.array(model.bodies[k].com) for k in carried
    ]
    centre = masses @ np.array(places) / masses.sum()
    turn, at = np.eye(3), np.zeros(3)
    if joint.inner >= 0:
        turn, at = kinematics.turn[joint.inner], kinematics.at[joint.inner]
    return joint.on_parent.turn.T @ (turn.T @ (centre - at) - joint.on_parent.at)


def is_carried(kinematics: Kinematics, body: int, by: int) -> bool:
    """Whether a body is `by` or further out."""
    while body >= 0:
        if body == by:
            return True
        body = kinematics.parent[body]
    return False


def spins_of_state(model: Model, q: Array, u: Array) -> tuple[SpaceSpin, ...]:
    """Free joints that turn at speeds u, about an axis through the centre of mass of what they
    carry, which drifts with its own velocity.
    """
    tree = tree_of(model)
    turning = [j for j in tree.joints if j.ball and j.own and u[j.ball[1] : j.ball[1] + 3].any()]
    if not turning:
        return ()
    kinematics = compute_kinematics(tree, q)
    found = []
    for joint in turning:
        assert joint.ball is not None
        first, row = joint.ball
        omega = rotation_matrix(normalise(q[first : first + 4])) @ u[row : row + 3]
        position, moves = joint.own[0]
        arm = q[position : position + 3] - carried_centre(model, kinematics, joint)
        # what turns inside has no part in it: a steady motion has no such speeds
        drift = u[moves : moves + 3] - np.cross(omega, arm)
        found.append(space_spin(tree, joint, omega, drift))
    return tuple(found)
