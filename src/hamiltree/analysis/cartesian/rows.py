"""Constraint rows of a model by name: Φ, Φ_q, ½Φ_pLᵀ, γ and γ# (11.19, 11.41–11.51).

Jacobians come as wrenches of each row on its two bodies: Φ_r is the force, ½Φ_pLᵀ the torque in
body axes, and Φ_p = (2 n'ᵀ L) + (Φ_p p) pᵀ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hamiltree.analysis import euler_parameters
from hamiltree.analysis.cartesian.states import Situation
from hamiltree.assembly.joint_rows import RowSpec
from hamiltree.assembly.rows import ANGLE, N1, N2, P1, P2, SS, S
from hamiltree.model.bodies import GROUND

Array = np.ndarray
# how the document calls a row
SYMBOLS = {
    N1: "Φ^(n1,1)",
    N2: "Φ^(n2,1)",
    P1: "Φ^(p1,2)",
    P2: "Φ^(p2,2)",
    S: "Φ^(s,3)",
    SS: "Φ^(s-s,1)",
    ANGLE: "angle",  # drives, gears, screws: not in the document
}
MANY = "sum of "


@dataclass(frozen=True)
class Row:
    """One scalar constraint: its name, how the document calls it, between which bodies, and the
    unit of its λ.
    """

    number: int  # from 1, as λ_k
    name: str
    kind: str
    i: str
    j: str
    unit: str  # of λ
    spec: RowSpec


class RowMatrices(NamedTuple):
    """All rows at a state; bodies in the order of the model."""

    Phi: Array  # (m,) m or rad
    Phi_rate: Array  # (m,)
    Phi_r: Array  # (m, b, 3)
    Phi_p: Array  # (m, b, 4)
    half_Phi_p_L: Array  # (m, b, 3) ½ Φ_p Lᵀ
    gamma: Array  # (m,) of Φ_q q̈ = γ
    gamma_sharp: Array  # (m,) of the modified Jacobian


def describe_rows(specs: tuple[RowSpec, ...]) -> tuple[Row, ...]:
    """Rows in the order of λ."""
    return tuple(describe_row(k, spec) for k, spec in enumerate(specs, 1))


def describe_row(number: int, spec: RowSpec) -> Row:
    kinds = [SYMBOLS[term.kind] for term in spec.terms]
    kind = kinds[0] if len(kinds) == 1 else MANY + " and ".join(dict.fromkeys(kinds))
    name = f"{spec.part[0]} {spec.part[1]}: {spec.what}"
    first = spec.terms[0]
    return Row(number, name, kind, first.i, first.j, "N m" if spec.is_angle else "N", spec)


def row_matrices(at: Situation) -> RowMatrices:
    """Sums over the terms of every row."""
    p, w = at.state.p, at.state.w
    turn, matrix = euler_parameters.A(p), euler_parameters.L(p)
    shape = len(at.specs), len(p)
    force, moment, stretch = np.zeros((*shape, 3)), np.zeros((*shape, 3)), np.zeros(shape)
    place = {body.name: k for k, body in enumerate(at.model.bodies)}
    owners = [(row, term) for row, spec in enumerate(at.specs) for term in spec.terms]
    for k, (row, term) in enumerate(owners):
        for side, name in enumerate((term.i, term.j)):
            if name == GROUND:
                continue
            body, wrench = place[name], at.rows.row_jacobian[k, 6 * side : 6 * side + 6]
            moment[row, body] += turn[body].T @ wrench[:3]
            force[row, body] += wrench[3:]
            stretch[row, body] += at.rows.stretch[k, side]
    Phi_p = 2.0 * np.einsum("mbi,bij->mbj", moment, matrix) + stretch[..., None] * p
    gamma = at.rows.gamma - 0.25 * stretch @ (w**2).sum(1)
    return RowMatrices(at.rows.value, at.rows.rate, force, Phi_p, moment, gamma, at.rows.gamma)
