"""Kane's equations [A]{ẏ} = {f} in full: connection arrays, vectors of the bodies, partial
velocities and their derivatives, as the two notes on Kane's equations print them
(docs/references.md).

    found = ht.kane.partials(model)
    print(found)                     # everything in symbols
    found.omega.sel(body="arm")      # and in numbers

Everything is NumPy and follows the notes' equations line by line, with the corrections of ERRATA
3-1 … 3-9 and 4-1; tests compare the compiled formulations of the same equations with it. Numbers
are computed when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.compare.starts import start_of
from hamiltree.analysis.kane.connections import Array
from hamiltree.analysis.kane.equations import EQUATIONS, RelativeEquations
from hamiltree.analysis.kane.latex import latex_of_lines
from hamiltree.analysis.kane.matrices import Matrices
from hamiltree.analysis.kane.printed import RelativePrinted
from hamiltree.analysis.kane.printed_absolute import AbsolutePrinted
from hamiltree.analysis.kane.printed_system import (
    EULER,
    SYSTEM,
    euler_line,
    system_lines,
    system_symbols,
)
from hamiltree.analysis.kane.symbols import Line, Printed, column_table, table, text_of_lines
from hamiltree.analysis.kane.vectors import VECTORS
from hamiltree.errors import OptionError, suggest
from hamiltree.model import Model
from hamiltree.renamed import refuse_attribute

__all__ = ["Partials", "partials"]

AXES = ["x", "y", "z"]
ORDERS = ("notes", "model")
PRINTED: dict[str, type[Printed]] = {
    "kane_relative": RelativePrinted,
    "kane_absolute": AbsolutePrinted,
}
# what the whole print has, in this order
CONTENTS = (
    *("x", "x_rates", *EULER),
    *("angular_velocity", "omega", "omega_dot", "angular_acceleration"),
    *("position_O", "position_G", "velocity_O", "velocity_G"),
    *("origin_velocity", "velocity", "origin_velocity_dot", "velocity_dot", "acceleration_G"),
    *("applied_forces", "mass_matrix", "forces"),
)


def labelled(what: str, *dims: str) -> Any:
    """A property: numbers of the equations with labelled axes."""

    def find(self: Partials) -> xr.DataArray:
        return self.label(attrgetter(what)(self.equations), *dims)

    return property(find)


@dataclass(frozen=True, eq=False, repr=False)
class Partials:
    """Kane's equations at one state, with relative speeds (kane_relative) or absolute ones
    (kane_absolute).

    Bodies are numbered 1 … N, lower bodies lower; 0 is the ground.

    Matrices have the dimensions (body, axis, speed). ω'_K, α'_K and [ω'_K,y] stand in body axes;
    positions, velocities and accelerations of kane_relative in body axes, velocities of origins in
    the axes of the lower body (ERRATA 3-4); all those of kane_absolute in inertial axes.
    """

    equations: RelativeEquations
    order: tuple[int, ...]  # of the speeds in numbers; what is printed has the order of the notes

    # ---- the system ------------------------------------------------------------------------------
    @property
    def formulation(self) -> str:
        return self.equations.name

    @property
    def bodies(self) -> tuple[str, ...]:
        """Names in the order of their numbers."""
        return self.equations.names

    @cached_property
    def speeds(self) -> tuple[str, ...]:
        """Labels of {y}: rotations {y1}, then translations {y2}; or as in model.speeds."""
        return tuple(self.equations.speeds[k].label for k in self.order)

    @property
    def lower(self) -> tuple[int, ...]:
        """L(K)"""
        return tuple(link.lower for link in self.equations.links)

    @cached_property
    def powers(self) -> Array:
        """(u, K): L^u(K), u = 0 … max u_K; 0 from the ground on."""
        lower = np.array([0, *self.lower])
        found = [np.arange(1, len(lower))]
        while lower[found[-1]].any():
            found.append(lower[found[-1]])
        return np.array(found)

    @cached_property
    def steps(self) -> tuple[int, ...]:
        """u_K: number of lower bodies of K, so that L^u(K) is on the ground."""
        return tuple(self.printed_matrices.steps)

    # ---- coordinates -----------------------------------------------------------------------------
    @cached_property
    def x(self) -> xr.DataArray:
        """{x} (coordinate): Euler parameters of all bodies, scalar last, then s'_K."""
        found = self.equations.coordinates
        return self.label_coordinates(found.euler_parameters, found.translations)

    @cached_property
    def x_rates(self) -> xr.DataArray:
        """{ẋ}"""
        found = self.equations.coordinates
        return self.label_coordinates(found.euler_rates, found.translation_rates)

    euler_parameters = labelled("coordinates.euler_parameters", "body", "component")
    euler_rates = labelled("coordinates.euler_rates", "body", "component")
    euler_matrices = labelled("coordinates.euler_matrices", "body", "row", "component")  # (8)
    y = labelled("y", "speed")

    # ---- vectors (body, axis) --------------------------------------------------------------------
    rotations = labelled("rotations", "body", "axis", "inertial")  # [R_K]: inertial to body axes
    positions = labelled("centres", "body", "axis")  # p_G_K, inertial axes
    angular_velocity = labelled("vectors.angular_velocity", "body", "axis")
    position_O = labelled("vectors.position_O", "body", "axis")
    position_G = labelled("vectors.position_G", "body", "axis")
    velocity_O = labelled("vectors.velocity_O", "body", "axis")
    velocity_G = labelled("vectors.velocity_G", "body", "axis")
    angular_acceleration = labelled("angular_acceleration", "body", "axis")
    acceleration_G = labelled("acceleration_G", "body", "axis")

    # ---- matrices (body, axis, speed) ------------------------------------------------------------
    omega = labelled("matrices.omega", "body", "axis", "speed")  # [ω'_K,y]
    omega_dot = labelled("matrices.omega_dot", "body", "axis", "speed")
    velocity = labelled("matrices.velocity", "body", "axis", "speed")  # [v_G_K,y]
    velocity_dot = labelled("matrices.velocity_dot", "body", "axis", "speed")
    origin_velocity = labelled("matrices.origin_velocity", "body", "axis", "speed")  # [v_O_K,y]
    origin_velocity_dot = labelled("matrices.origin_velocity_dot", "body", "axis", "speed")

    # ---- equations of motion ---------------------------------------------------------------------
    mass_matrix = labelled("mass_matrix", "speed", "column")  # [A]
    applied_forces = labelled("applied_forces", "speed")  # {F_y}
    forces = labelled("forces", "speed")  # {f}
    rates = labelled("rates", "speed")  # {ẏ}; None where [A] is singular

    @cached_property
    def constraint_forces(self) -> xr.DataArray | None:
        """[A]{ẏ} − {f} = [B]ᵀ{λ} of locked rotations and couplings; zero where nothing is
        locked.
        """
        found = self.equations
        if found.rates is None:
            return None
        return self.label(found.mass_matrix @ found.rates - found.forces, "speed")

    # ---- labels ----------------------------------------------------------------------------------
    def label(self, values: Array | None, *dims: str) -> Any:
        """An array with labelled axes, its speeds in the order that was asked for."""
        if values is None:
            return None
        along = {
            "body": list(self.bodies),
            "axis": AXES,
            "inertial": AXES,
            "speed": list(self.speeds),
            "column": list(self.speeds),
            "component": [1, 2, 3, 4],
            "row": [1, 2, 3, 4],
        }
        for place, name in enumerate(dims):
            if name in ("speed", "column"):
                values = np.take(values, self.order, axis=place)
        return xr.DataArray(values, dims=dims, coords={name: along[name] for name in dims})

    def label_coordinates(self, turns: Array, shifts: Array) -> xr.DataArray:
        """{x1} of all bodies, then {x2}."""
        labels = [f"{name}.e{i}" for name in self.bodies for i in (1, 2, 3, 4)]
        labels += [f"{name}.s{i}" for name in self.bodies for i in (1, 2, 3)]
        values = np.concatenate([turns.ravel(), shifts.ravel()])
        return xr.DataArray(values, dims="coordinate", coords={"coordinate": labels})

    # ---- symbols ---------------------------------------------------------------------------------
    def __repr__(self) -> str:
        return (
            f"<Partials of {self.formulation}: {len(self.bodies)} bodies, {len(self.speeds)} "
            "speeds>"
        )

    def __str__(self) -> str:
        return self.text()

    def __getattr__(self, name: str) -> Any:
        raise refuse_attribute(self, name)

    @cached_property
    def printed_matrices(self) -> Printed:
        """The lines in symbols."""
        return PRINTED[self.formulation](self.equations)

    @property
    def symbols(self) -> dict[str, Array]:
        """Every factor that is printed, as it is printed, with its number, vector or matrix."""
        self.text()  # factors are registered as lines are made
        printed = self.printed_matrices
        return {**system_symbols(printed), **printed.matrices_by_name(), **printed.factors}

    def lines(self, body: str | int | None, what: str) -> Iterator[Line]:
        """Lines of one quantity, of one body or of all."""
        printed = self.printed_matrices
        if what in SYSTEM:
            yield from system_lines(printed, what)
            return
        bodies = range(1, len(self.bodies) + 1) if body is None else [self.number(body)]
        for k in bodies:
            if what in EULER:
                yield euler_line(printed, k, what)
            elif what in VECTORS:
                yield printed.vector_line(k, what)
            else:
                yield from printed.matrix_lines(k, what)

    def text(self, body: str | int | None = None, what: str | None = None) -> str:
        """In symbols: of a body by name or number, of all bodies, or (of nothing) everything.

        what: a matrix, omega, velocity (if nothing is said), origin_velocity, or one of these with
        _dot; a vector, angular_velocity, position_O, position_G, velocity_O, velocity_G,
        angular_acceleration, acceleration_G; euler_parameters, euler_matrices, euler_rates; of the
        whole system x, x_rates, applied_forces, mass_matrix, forces.
        """
        if body is None and what is None:
            parts = [text_of_lines(self.lines(None, one)) for one in CONTENTS]
            return "\n\n".join([self.printed_matrices.header(), *parts, "[A]{ẏ} = {f}"])
        return text_of_lines(self.lines(body, check_quantity(what or "velocity", body)))

    def latex(self, body: str | int | None = None, what: str | None = None) -> str:
        """The same as LaTeX, for display mathematics: the lines in an `aligned` environment."""
        names = CONTENTS if body is None and what is None else [what or "velocity"]
        for name in names:
            check_quantity(name, body)
        lines = (line for name in names for line in self.lines(body, name))
        return latex_of_lines(lines, self.equations.is_relative)

    def numbers(self, body: str | int | None = None, what: str = "velocity") -> str:
        """One quantity in numbers: a matrix with a column per speed (columns of zeros are left
        out), a vector, a column of the whole system.
        """
        check_quantity(what, body)
        found = getattr(self, what)
        if found is None:
            return f"{what}: none, as [A] is singular"
        left = next(self.lines(1 if body is None and what not in SYSTEM else body, what))[0]
        if what == "mass_matrix":
            return table("[A]", found.values, self.speeds, self.speeds)
        if what in SYSTEM:
            return column_table(left, found.values, [str(k) for k in found[found.dims[0]].values])
        if body is None:
            parts = (self.numbers(k + 1, what) for k in range(len(self.bodies)))
            return "\n".join(parts)
        part = found.values[self.number(body) - 1]
        if what in Matrices._fields:
            left = self.printed_matrices.name(what, self.number(body))
        if part.ndim == 1:
            return f"{left} = {{ {', '.join(f'{value:.6g}' for value in part)} }}"
        columns = self.speeds if what in Matrices._fields else "1234"
        return table(left, part, AXES if what in Matrices._fields else "1234", columns)

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


def check_quantity(what: str, body: str | int | None) -> str:
    """The name of what is printed, or an error with a similar one."""
    if what not in CONTENTS:
        raise OptionError(f"what = {what!r}; {suggest(what, CONTENTS)}")
    if what in SYSTEM and body is not None:
        raise OptionError(f"{what} is of the whole system; leave the body out: text(what={what!r})")
    return what


def partials(
    model: Model,
    state: Any = None,
    formulation: str = "kane_relative",
    t: float = 0.0,
    order: str = "notes",
) -> Partials:
    """Partial velocities and Kane's equations of a tree at a state: None (its start), (q, qdot),
    {"q": …, "qdot": …}, or one of a run, run.dataset.isel(t=-1).

    kane_relative: the speeds are those of the joints, S(q) maps them to the six of a connection.
    kane_absolute: ω'_K of all bodies and the slides of joints; rotations that joints lock are
    constraint rows, which `rates` satisfy.

    order: of the speeds in numbers, "notes" (rotations of all bodies, then translations) or "model"
    (as in model.speeds, kane_relative only).
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
    equations = EQUATIONS[formulation](model, q, u, t)
    return Partials(equations, tuple(order_speeds(equations, order)))


def order_speeds(equations: RelativeEquations, order: str) -> Sequence[int]:
    """Places of the speeds in the order that is asked for."""
    if order not in ORDERS:
        raise OptionError(f"order = {order!r}; {suggest(str(order), ORDERS)}")
    if order == "notes":
        return range(len(equations.speeds))
    if not equations.is_relative:
        raise OptionError(
            'order = "model" is for kane_relative: the speeds of kane_absolute are not those of '
            "the model; leave order out"
        )
    place = {speed.label: k for k, speed in enumerate(equations.speeds)}
    return [place[label] for label in equations.model.speeds]
