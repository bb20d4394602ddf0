"""Rows of Table 11.1 of "Spatial Dynamics" between two bodies in given motion: Φ, the modified
Jacobian and γ#, by the kernel that formulations evaluate their constraints with.

    phi 1           the value of equation 1
    J_ri 1 2        column 2 of equation 1 by the velocity of body i; J_rj
    J_wi 1 2        by the angular velocity of body i in body axes; J_wj
    gamma 1         γ# of equation 1
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hamiltree.assembly.joint_rows import RowSpec, TermSpec
from hamiltree.assembly.row_tables import evaluate_rows_and_rates, make_row_table
from hamiltree.assembly.rows import N1, N2, P1, P2, SS, S, rows_workspace
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import OptionError
from hamiltree.forces.laws import Bodies
from hamiltree.model.values import IDENTITY
from hamiltree.rotations import rotation_matrix

KINDS = {"n1": N1, "n2": N2, "p1": P1, "p2": P2, "s": S, "ss": SS}
VECTOR_ROWS = ("p1", "p2", "s")  # three equations, by axes of the world


def evaluate_rows(about: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Rows of a table of a file; one that lacks something is refused."""
    try:
        return evaluate(about)
    except (KeyError, TypeError, ValueError) as error:
        raise OptionError(f"a constraint has kind, r, p, v, w, s, at and length: {error}") from None


def evaluate(about: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The row `kind` at positions r, Euler parameters p, velocities v and angular velocities w
    (body axes) of the bodies i and j; vectors s and points `at` in body axes.
    """
    turns = [rotation_matrix(np.array(p)) for p in about["p"]]
    twists = np.array(
        [
            np.concatenate([turn @ w, v])
            for turn, w, v in zip(turns, np.array(about["w"]), about["v"], strict=True)
        ]
    )
    bodies = Bodies(
        np.array([turn.T.ravel() for turn in turns]),
        np.array(about["r"]),
        twists,
        np.zeros((2, 6)),
        np.zeros(1, dtype=np.int64),
    )
    table = make_row_table(specify_rows(about), lambda name: ("ij".index(name), IDENTITY))
    work = rows_workspace(table, 1)
    evaluate_rows_and_rates(StructPointer(table, work, bodies), 0.0)
    rows = work.row_jacobian
    return {
        "phi": work.value,
        "J_ri": rows[:, 3:6],
        "J_wi": rows[:, 0:3] @ turns[0],
        "J_rj": rows[:, 9:12],
        "J_wj": rows[:, 6:9] @ turns[1],
        "gamma": work.gamma,
    }


def specify_rows(about: Mapping[str, Any]) -> list[RowSpec]:
    """The equations of a kind: one, or one for each axis of the world."""
    kind = about["kind"]
    (a, b), (at, to) = (tuple(tuple(v) for v in about[key]) for key in ("s", "at"))
    axes = np.eye(3).tolist() if kind in VECTOR_ROWS else [[0.0] * 3]
    constant = about["length"] ** 2 if kind == "ss" else 0.0
    terms = [TermSpec(KINDS[kind], "i", "j", e=tuple(e), a=a, b=b, at=at, to=to) for e in axes]
    return [RowSpec(("joint", "row"), kind, (term,), constant) for term in terms]


def read_row(found: Mapping[str, np.ndarray], text: str) -> float:
    """The number that a reading such as "J_wi 1 2" names."""
    name, *places = text.split()
    try:
        return float(found[name][tuple(int(place) - 1 for place in places)])
    except (KeyError, ValueError, IndexError, TypeError):
        raise OptionError(f"{text!r} names no number of a row; for example 'J_wi 1 2'") from None
