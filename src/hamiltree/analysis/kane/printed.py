"""The matrices of the notes on Kane's equations, symbol by symbol: which products of which factors
stand in which block.

The notes on relative coordinates write out [ω'_K,y], [ω̇'_K,y], [v'_O_K,y] and [v'_G_K,y] and leave
the rates of velocities as the recursions (31), (32); the same is done here. A joint's map stands as
[Sω_K] (rotations) and [Ss_K] (translations) where it is not [I], its rate as [Ṡω_K], [Ṡs_K];
columns that belong to other speeds than the joint's own have their names: [Ss3|y1] of a screw,
[Sω5|y1:2] of a joint 5 that follows joint 2.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hamiltree.analysis.kane.connections import ROTATION, Connection
from hamiltree.analysis.kane.matrices import (
    AbsoluteConnection,
    path_arms,
    slide_body,
    vector_by_name,
)
from hamiltree.analysis.kane.symbols import (
    HALVES,
    ONE,
    Block,
    PrintedMatrices,
    Term,
    drop_zero_rows,
    fold_factors,
    product,
)
from hamiltree.rotations import skew

SPIN, SLIDE, SPIN_RATE, SLIDE_RATE = range(4)  # the four maps of a connection
MAPS = ("Sω", "Ss", "Ṡω", "Ṡs")


# ---- relative speeds -----------------------------------------------------------------------------
class RelativePrintedMatrices(PrintedMatrices[Connection]):
    """Matrices of relative speeds in symbols."""

    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity": "[v'_O{0},{1}]",
        "velocity": "[v'_G{0},{1}]",
        "origin_velocity_dot": "[v̇'_O{0},{1}]",
        "velocity_dot": "[v̇'_G{0},{1}]",
    }

    # ---- names -----------------------------------------------------------------------------------
    def before(self, k: int) -> str:
        """The number of L(K), left out for the ground."""
        return str(self.lower[k - 1]) if self.lower[k - 1] else ""

    def turn(self, k: int) -> str:
        """[ᴶR_K]; [R_K] on the ground."""
        return self.register_symbol(f"[{self.before(k)}R{k}]", self.connections[k - 1].turn)

    def spin(self, k: int) -> str:
        """[ᴶω̃'_K]ᵀ"""
        return self.register_symbol(
            f"[{self.before(k)}ω̃'{k}]ᵀ", skew(self.connections[k - 1].spin).T
        )

    def arm(self, k: int) -> str:
        """[q̃'_K] + [s̃'_K]"""
        own = self.connections[k - 1]
        return self.register_symbol(f"([q̃'{k}] + [s̃'{k}])", skew(own.q) + skew(own.s))

    def centre(self, k: int) -> str:
        """[r̃'_K]"""
        return self.register_symbol(f"[r̃'{k}]", skew(self.connections[k - 1].r))

    def speed(self, k: int) -> str:
        """[sk(ṡ'_K)]"""
        return self.register_symbol(f"[sk(ṡ'{k})]", skew(self.connections[k - 1].speed))

    def map_row(self, k: int, which: int) -> list[Block]:
        """What the joint of K adds: [I], or its map [Sω_K], [Ss_K]; by the speeds of another group
        with that group's name.
        """
        own = self.connections[k - 1]
        matrix = (
            own.angular_columns,
            own.linear_columns,
            own.angular_columns_rate,
            own.linear_columns_rate,
        )[which]
        row: list[Block] = []
        for group in self.groups:
            part = matrix[:, group.columns]
            if not own.nonzero_columns[which, group.columns].any():
                row.append([])
                continue
            is_own = group.body == k
            other_body = "" if is_own else f":{group.body}"
            of = f"|{HALVES[group.half]}{other_body}"
            if is_own and group.half == which % 2:
                of = ""
            is_map = which in (SPIN, SLIDE)
            is_fixed = is_map and not own.nonzero_columns[which + 2, group.columns].any()
            is_one = is_fixed and part.shape == (3, 3) and np.array_equal(part, np.eye(3))
            name = ONE if is_one else self.register_symbol(f"[{MAPS[which]}{k}{of}]", part)
            row.append([(1, (name,))])
        return row

    # ---- (14), (18) ------------------------------------------------------------------------------
    def omega_row(self, k: int) -> list[Block]:
        """(14): [ᴶR_K][ω'_J,y] + [ω̂'_K,y]"""
        row = self.map_row(k, SPIN)
        if self.lower[k - 1]:
            below = self.omega_row(self.lower[k - 1])
            carried = [
                [(sign, product(self.turn(k), *factors)) for sign, factors in block]
                for block in below
            ]
            row = [outer + own for outer, own in zip(carried, row, strict=True)]
        return row

    def omega_dot(self, k: int) -> list[Term]:
        """(18): [ᴶR_K][ω̇'_J,y] + [ᴶω̃'_K]ᵀ[ᴶR_K][ω'_J,y] + [Ṡω_K]"""
        own = Term(1, (), self.map_row(k, SPIN_RATE))
        if not self.lower[k - 1]:
            return drop_zero_rows([own])
        outer = [
            term._replace(factors=(self.turn(k), *term.factors))
            for term in self.omega_dot(self.lower[k - 1])
        ]
        turned = Term(1, (self.spin(k), self.turn(k)), self.omega_row(self.lower[k - 1]))
        return drop_zero_rows([*outer, fold_factors(turned), own])

    # ---- (26), (30) ------------------------------------------------------------------------------
    def origin(self, k: int) -> list[Term]:
        """(26) written out down to the ground."""
        own = Term(1, (), self.map_row(k, SLIDE))
        j = self.lower[k - 1]
        if not j:
            return drop_zero_rows([own])
        below = [term._replace(factors=(self.turn(j), *term.factors)) for term in self.origin(j)]
        return drop_zero_rows([*below, Term(-1, (self.arm(k),), self.omega_row(j)), own])

    def velocity(self, k: int) -> list[Term]:
        """(30) written out down to the ground."""
        outer = [term._replace(factors=(self.turn(k), *term.factors)) for term in self.origin(k)]
        return drop_zero_rows([*outer, Term(-1, (self.centre(k),), self.omega_row(k))])

    # ---- recursions by name: (26), (30), (32), (31) ----------------------------------------------
    def recursion(self, k: int, what: str) -> list[Term]:
        """Matrix `what` of body K by the matrices of its origin, or of its lower body."""
        if what == "velocity":
            return [
                Term(1, (self.turn(k), self.name("origin_velocity", k))),
                Term(-1, (self.centre(k), self.name("omega", k))),
            ]
        if what == "velocity_dot":
            return [
                Term(1, (self.turn(k), self.name("origin_velocity_dot", k))),
                Term(1, (self.spin(k), self.turn(k), self.name("origin_velocity", k))),
                Term(-1, (self.centre(k), self.name("omega_dot", k))),
            ]
        is_rate = what == "origin_velocity_dot"
        own = Term(1, (), self.map_row(k, SLIDE_RATE if is_rate else SLIDE))
        carried = self.carried_from_lower_body(k, what, is_rate) if self.lower[k - 1] else []
        return drop_zero_rows([*carried, own])

    def carried_from_lower_body(self, k: int, what: str, is_rate: bool) -> list[Term]:
        """Terms of (26), or of its rate (32), by the matrices of J."""
        j = self.lower[k - 1]
        turned = Term(1, (self.turn(j), self.name(what, j)))
        if not is_rate:
            return [turned, Term(-1, (self.arm(k), self.name("omega", j)))]
        return [
            turned,
            Term(1, (self.spin(j), self.turn(j), self.name("origin_velocity", j))),
            Term(-1, (self.speed(k), self.name("omega", j))),
            Term(-1, (self.arm(k), self.name("omega_dot", j))),
        ]

    def lines(self, body: int, what: str) -> list[tuple[str, list[str]]]:
        """(left side, right sides): of velocities the recursion, then written out."""
        if what in ("omega", "omega_dot"):
            return [self.angular_line(body, what)]
        rights = [self.sum_text(self.recursion(body, what))]
        if what == "velocity":
            rights.append(self.sum_text(self.velocity(body)))
        if what == "origin_velocity":
            rights.append(self.sum_text(self.origin(body)))
        return [(self.name(what, body), list(dict.fromkeys(rights)))]

    def angular_line(self, body: int, what: str) -> tuple[str, list[str]]:
        """[ω'_K,y1] or its rate; by all speeds y where translations take part (screws)."""
        row = Term(1, (), self.omega_row(body))
        terms = drop_zero_rows([row]) if what == "omega" else self.omega_dot(body)
        slides = [group.half != ROTATION for group in self.groups]
        is_mixed = any(
            block
            for term in terms
            for block, slide in zip(term.row or [], slides, strict=True)
            if slide
        )
        text = self.sum_text(terms, (0, 1) if is_mixed else (0,))
        return self.name(what, body, "y" if is_mixed else "y1"), [text]


# ---- absolute speeds -----------------------------------------------------------------------------
class AbsolutePrintedMatrices(PrintedMatrices[AbsoluteConnection]):
    """Matrices of absolute speeds in symbols."""

    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "origin_velocity": "[v_O{0},{1}]",
        "velocity": "[v_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity_dot": "[v̇_O{0},{1}]",
        "velocity_dot": "[v̇_{0},{1}]",
    }

    def back(self, k: int) -> tuple[str, ...]:
        """[R_K]ᵀ; nothing for the ground."""
        return (self.register_symbol(f"[R{k}]ᵀ", self.connections[k - 1].turn.T),) if k else ()

    def spin(self, k: int) -> str:
        """[ω̃'_K]"""
        return self.register_symbol(f"[ω̃'{k}]", skew(self.connections[k - 1].omega))

    def arm(self, vectors: list[str], is_rate: bool = False) -> str:
        """[q̃'_K + s̃'_K] or [r̃'_K], or its rate."""
        texts = [f"sk(ṡ'{name[1:]})" if is_rate else f"{name[0]}̃'{name[1:]}" for name in vectors]
        parts = (skew(vector_by_name(self.connections, name, is_rate)) for name in vectors)
        matrix = sum(parts, np.zeros((3, 3)))
        return self.register_symbol(f"[{' + '.join(texts)}]", matrix)

    def slide(self, k: int) -> str:
        """[I], or [S_K] of the axes along which the joint of K slides."""
        axes = self.connections[k - 1].axes
        is_one = axes.shape == (3, 3) and np.array_equal(axes, np.eye(3))
        return ONE if is_one else self.register_symbol(f"[S{k}]", axes)

    def turning(self, body: int, has_centre: bool, is_rate: bool) -> dict[int, Block]:
        """Blocks of {y1} by body: −[R]ᵀ[q̃' + s̃'], and −[R]ᵀ[sk(ṡ')] − [R]ᵀ[ω̃'][q̃' + s̃'] of the
        rates (ERRATA 4-1).
        """
        blocks: dict[int, Block] = {}
        for p, fixed, changing in path_arms(self.connections, body, has_centre):
            block: Block = (
                [(-1, (*self.back(p), self.arm(changing, True)))] if is_rate and changing else []
            )
            if fixed:
                block.append(
                    (-1, (*self.back(p), *((self.spin(p),) if is_rate else ()), self.arm(fixed)))
                )
            blocks[p] = block
        return blocks

    def sliding(self, body: int, is_rate: bool) -> dict[int, Block]:
        """Blocks of {y2} by body: [R]ᵀ[S], and [R]ᵀ[ω̃'][S]; nothing changes on the ground."""
        blocks: dict[int, Block] = {}
        for p in self.paths[body - 1]:
            on = slide_body(self.connections, p)
            if not is_rate:
                blocks[p] = [(1, product(*self.back(on), self.slide(p)))]
            elif on:
                blocks[p] = [(1, product(*self.back(on), self.spin(on), self.slide(p)))]
        return blocks

    def lines(self, body: int, what: str) -> list[tuple[str, list[str]]]:
        """(left side, right side) of {y1}, then of {y2}."""
        is_rate, has_centre = what.endswith("_dot"), what.startswith("velocity")
        if what.startswith("omega"):
            blocks = ({} if is_rate else {body: [(1, (ONE,))]}, {})
        else:
            blocks = self.turning(body, has_centre, is_rate), self.sliding(body, is_rate)
        row = [blocks[group.half].get(group.body, []) for group in self.groups]
        halves = [half for half in (0, 1) if any(group.half == half for group in self.groups)]
        terms = drop_zero_rows([Term(1, (), row)])
        return [
            (self.name(what, body, HALVES[half]), [self.sum_text(terms, (half,))])
            for half in halves
        ]
