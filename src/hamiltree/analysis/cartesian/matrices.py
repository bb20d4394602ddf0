"""The augmented systems of "Spatial Dynamics" as matrices: (11.42), (11.45) and (11.49).

  I    [M* Pᵀ Bᵀ; P 0 0; B 0 0] [q̈; σ; −λ] + [b*; c; 0] = [g*; 0; γ]       8b + m, symmetric
  II   [M B̂ᵀ; P 0; B 0] [q̈; −λ] + [b; c; 0] = [g; 0; γ]                    7b + m
  III  [M B̂ᵀ; B̂ 0] [ḣ; −λ] + [b; 0] = [g; γ#]                             6b + m, symmetric

B = Φ_q (11.43) and B̂ = [Φ_r, ½Φ_pLᵀ] (11.46); II needs both (ERRATA 1-7). r̈ in world axes, ω̇'
in body axes; constraint forces are +Bᵀλ. Dense NumPy for reading and checking; runs use the sparse
blocks of `formulations/absolute`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis import euler_parameters
from hamiltree.analysis.cartesian import printed
from hamiltree.analysis.cartesian.rows import Row, describe_rows, row_matrices
from hamiltree.analysis.cartesian.states import BodyState, Situation, situation_at
from hamiltree.analysis.cartesian.table import Table, make_table
from hamiltree.errors import FitError, OptionError
from hamiltree.model import Model

Array = np.ndarray
AXES = ["x", "y", "z"]
FORMULATIONS = (1, 2, 3)
PER_BODY = {1: 8, 2: 7, 3: 6}  # equations
INDEPENDENCE_TOLERANCE = 1e-13  # squared sine of the angle between rows


@dataclass(frozen=True)
class Solution:
    """What a system is solved for, by name: accelerations, σ, λ, and the constraint forces."""

    acceleration: xr.DataArray  # (body, axis) r̈, m/s², world axes
    angular_acceleration: xr.DataArray  # (body, axis) ω̇', rad/s², body axes
    second_rate: xr.DataArray  # (body, parameter) p̈, 1/s²
    sigma: xr.DataArray | None  # (body,) of I, N m
    multipliers: xr.DataArray  # (row,) λ, N or N m
    # (row, body, axis) world axes: what λ of each row does to each body, +Φ_qᵀλ
    constraint_force: xr.DataArray  # N
    constraint_moment: xr.DataArray  # N m about the centre of mass


@dataclass(frozen=True, eq=False)
class CartesianMatrices:
    """All matrices of one formulation at a state, in the document's symbols.

    Bodies in the order of the model, rows in the order of λ. M, b, g are M*, b*, g* of I; P and c
    are None in III. `Phi_q` is B of I; `modified_jacobian` is B of (11.46).
    """

    formulation: int
    model: Model
    state: BodyState
    rows: tuple[Row, ...]
    # ---- of single bodies ----
    N: Array  # (b, 3, 3)
    J: Array  # (b, 3, 3) J' about the centre of mass, body axes
    J_star: Array  # (b, 4, 4) (11.11)
    H: Array  # (b, 4, 4) (11.12)
    A: Array  # (b, 3, 3)
    L: Array  # (b, 3, 4)
    G: Array  # (b, 3, 4)
    force: Array  # (b, 3) f, world axes, with gravity
    moment: Array  # (b, 3) n', body axes
    starred_moment: Array  # (b, 4) n*
    # ---- of the rows ----
    Phi: Array  # (m,)
    Phi_rate: Array  # (m,) Φ̇
    Phi_r: Array  # (m, b, 3)
    Phi_p: Array  # (m, b, 4)
    half_Phi_p_L: Array  # (m, b, 3) ½ Φ_p Lᵀ
    gamma: Array  # (m,) (11.41)
    gamma_sharp: Array  # (m,) (11.48)
    # ---- of the formulation ----
    M: Array  # (11.26), (11.34) or (11.38)
    P: Array | None  # (b, 7b) (11.27)
    b: Array  # (11.30), (11.35) or (11.40)
    c: Array | None  # (b,) (11.31)
    g: Array  # (11.32) or (11.36)
    table: Table  # Table 11.1 of this model

    @property
    def bodies(self) -> tuple[str, ...]:
        return tuple(body.name for body in self.model.bodies)

    @property
    def Phi_q(self) -> Array:
        """(m, 7b): [Φ_r1, Φ_p1, …] (11.43)."""
        return side_by_side(self.Phi_r, self.Phi_p)

    @property
    def modified_jacobian(self) -> Array:
        """(m, 6b): [Φ_r1, ½Φ_p1L1ᵀ, …] (11.46)."""
        return side_by_side(self.Phi_r, self.half_Phi_p_L)

    @property
    def B(self) -> Array:
        """Of the formulation: (11.43) in I, (11.46) in II and III."""
        return self.Phi_q if self.formulation == 1 else self.modified_jacobian

    # ---- the system ------------------------------------------------------------------------------
    @property
    def size(self) -> int:
        """8b + m, 7b + m or 6b + m."""
        return PER_BODY[self.formulation] * len(self.bodies) + len(self.rows)

    @property
    def matrix(self) -> Array:
        """The square matrix at the left of (11.42), (11.45) or (11.49)."""
        m = len(self.rows)
        if self.formulation == 3:
            return np.block([[self.M, self.B.T], [self.B, np.zeros((m, m))]])
        assert self.P is not None
        b, zero = len(self.bodies), np.zeros
        if self.formulation == 2:
            return np.block(
                [[self.M, self.B.T], [self.P, zero((b, m))], [self.Phi_q, zero((m, m))]]
            )
        return np.block(
            [
                [self.M, self.P.T, self.B.T],
                [self.P, zero((b, b)), zero((b, m))],
                [self.B, zero((m, b)), zero((m, m))],
            ]
        )

    @property
    def right_side(self) -> Array:
        """What the matrix times the unknowns is: g − b, −c, then γ or γ#."""
        last = self.gamma_sharp if self.formulation == 3 else self.gamma
        middle = [] if self.c is None else [-self.c]
        return np.concatenate([self.g - self.b, *middle, last])

    @property
    def is_symmetric(self) -> bool:
        matrix = self.matrix
        return bool(np.array_equal(matrix, matrix.T))

    @property
    def unknowns(self) -> list[str]:
        """Names of the unknowns, in order."""
        return printed.unknown_names(self.formulation, self.bodies, self.rows)

    def solve(self) -> Solution:
        """Accelerations, σ and λ by a dense solve of the system as it stands; refused where the
        constraint rows depend on each other.
        """
        check_independence(self)
        return make_solution(self, np.linalg.solve(self.matrix, self.right_side))

    # ---- printed ---------------------------------------------------------------------------------
    @property
    def symbols(self) -> dict[str, Array]:
        """Every symbol that `text` prints, with its numbers."""
        return printed.symbols_of(self)

    def text(self) -> str:
        """The system in the document's symbols, and its rows by name."""
        return printed.system_text(self)

    def latex(self, name: str = "") -> str:
        """The system in LaTeX; or one quantity (`"M"`, `"B"`, `"gamma"` …) in numbers."""
        return printed.array_latex(self, name) if name else printed.system_latex(self)

    def __str__(self) -> str:
        return self.text()


def side_by_side(linear: Array, angular: Array) -> Array:
    """(m, b, 3) and (m, b, k) as (m, b (3 + k))."""
    joined = np.concatenate([linear, angular], axis=-1)
    return joined.reshape(len(joined), -1)


def block_diagonal(blocks: list[Array]) -> Array:
    """Rectangular blocks along the diagonal."""
    rows, columns = (np.cumsum([0, *(block.shape[k] for block in blocks)]) for k in range(2))
    out = np.zeros((rows[-1], columns[-1]))
    for k, block in enumerate(blocks):
        out[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = block
    return out


def matrices(
    model: Model, state: Any = None, formulation: int = 3, t: float = 0.0
) -> CartesianMatrices:
    """M, P, b, c, g, B, Φ, γ … of formulation I, II or III at a state: "Spatial Dynamics" (11.25)
    to (11.51).

    `state`: nothing for the model's start, (q, qdot) in joint coordinates, or a `BodyState` of
    centres of mass and Euler parameters. Redundant rows of loops are left out, as in a run.
    """
    if type(formulation) is not int or formulation not in FORMULATIONS:
        raise OptionError(f"formulation = {formulation!r} is unknown; give 1, 2 or 3")
    return assemble_matrices(situation_at(model, state, float(t)), formulation)


def assemble_matrices(at: Situation, formulation: int) -> CartesianMatrices:
    """All quantities of single bodies and rows, then those of the formulation."""
    bodies, p, pdot = at.model.bodies, at.state.p, at.state.pdot
    N = np.array([body.mass * np.eye(3) for body in bodies])
    J = np.array([body.inertia for body in bodies], dtype=float)
    n_star = euler_parameters.starred_moment(p, at.moment)
    single = {
        "N": N,
        "J": J,
        "J_star": euler_parameters.J_star(p, J),
        "H": euler_parameters.H(p, pdot, J),
        "A": euler_parameters.A(p),
        "L": euler_parameters.L(p),
        "G": euler_parameters.G(p),
        "force": at.force,
        "moment": at.moment,
        "starred_moment": n_star,
    }
    angular = {1: rotation_1, 2: rotation_2, 3: rotation_3}[formulation]
    blocks, bias = angular(single, at.state)
    has_norms = formulation != 3
    turning = n_star if formulation == 1 else at.moment
    return CartesianMatrices(
        formulation=formulation,
        model=at.model,
        state=at.state,
        rows=describe_rows(at.specs),
        **single,
        **row_matrices(at)._asdict(),
        M=block_diagonal([part for pair in zip(N, blocks, strict=True) for part in pair]),
        P=block_diagonal([np.concatenate([np.zeros(3), x])[None] for x in p])
        if has_norms
        else None,
        b=np.hstack([np.zeros((len(p), 3)), bias]).ravel(),
        c=(pdot**2).sum(1) if has_norms else None,
        g=np.hstack([at.force, turning]).ravel(),
        table=make_table(at),
    )


def rotation_1(single: dict[str, Array], state: BodyState) -> tuple[Array, Array]:
    """J* and 2 H ṗ (11.14)."""
    return single["J_star"], 2.0 * np.einsum("bij,bj->bi", single["H"], state.pdot)


def rotation_2(single: dict[str, Array], state: BodyState) -> tuple[Array, Array]:
    """2 J' L and L H ṗ (11.17)."""
    bias = np.einsum("bij,bjk,bk->bi", single["L"], single["H"], state.pdot)
    return 2.0 * single["J"] @ single["L"], bias


def rotation_3(single: dict[str, Array], state: BodyState) -> tuple[Array, Array]:
    """J' and ω̃' J' ω' (11.18)."""
    return single["J"], np.cross(state.w, np.einsum("bij,bj->bi", single["J"], state.w))


def check_independence(found: CartesianMatrices) -> None:
    """Refuse rows that depend on each other, by B̂ M⁻¹ B̂ᵀ with a unit diagonal: pure numbers."""
    if not found.rows:
        return
    parts = np.concatenate([found.Phi_r, found.half_Phi_p_L], axis=-1)
    inverse = np.zeros((len(found.bodies), 6, 6))
    inverse[:, :3, :3], inverse[:, 3:, 3:] = np.linalg.inv(found.N), np.linalg.inv(found.J)
    weights = np.einsum("mbi,bij,nbj->mn", parts, inverse, parts)
    sizes = np.sqrt(np.diag(weights))
    weakest = int(np.argmin(sizes > 0.0))
    if sizes.all():
        values, vectors = np.linalg.eigh(weights / np.outer(sizes, sizes))
        if values[0] > INDEPENDENCE_TOLERANCE:
            return
        weakest = int(np.argmax(np.abs(vectors[:, 0])))
    row = found.rows[weakest]
    raise FitError(
        f"the constraint rows depend on each other at this state ({row.name}); take a state "
        "beside it",
        part=row.spec.part,
    )


def make_solution(found: CartesianMatrices, x: Array) -> Solution:
    """The unknowns by name; angular accelerations and p̈ from each other."""
    b, names, p = len(found.bodies), list(found.bodies), found.state.p
    width = 6 if found.formulation == 3 else 7
    rates, rest = x[: width * b].reshape(b, width), x[width * b :]
    if found.formulation == 3:
        alpha = rates[:, 3:]
        second = euler_parameters.second_rate(p, found.state.w, alpha)
    else:
        second = rates[:, 3:]
        alpha = euler_parameters.angular_acceleration(p, second)
    sigma = rest[:b] if found.formulation == 1 else None
    multipliers = -rest[len(rest) - len(found.rows) :]
    labels = [row.name for row in found.rows]
    world = np.einsum("bij,mbj->mbi", found.A, found.half_Phi_p_L)
    along = {"body": names, "axis": AXES, "row": labels, "parameter": ["e0", "e1", "e2", "e3"]}

    def array(values: Array, *dims: str) -> xr.DataArray:
        return xr.DataArray(values, dims=dims, coords={name: along[name] for name in dims})

    forces = [multipliers[:, None, None] * part for part in (found.Phi_r, world)]
    units = [row.unit for row in found.rows]
    return Solution(
        array(rates[:, :3], "body", "axis"),
        array(alpha, "body", "axis"),
        array(second, "body", "parameter"),
        None if sigma is None else array(sigma, "body"),
        array(multipliers, "row").assign_coords(unit=("row", units)),
        *(array(part, "row", "body", "axis") for part in forces),
    )
