"""Seed 003's and seed 004's matrices, symbol by symbol: which products of which factors stand in
which block.

Seed 003 writes out [ω'_K,y], [ω̇'_K,y], [v'_O_K,y] and [v'_G_K,y] and leaves the rates of
velocities as the recursions (31), (32); so is it here. A joint's map stands as [Sω_K] (rotations)
and [Ss_K] (translations) where it is not [I], its rate as [Ṡω_K], [Ṡs_K]; columns that belong to
other speeds than the joint's own carry their names: [Ss3|y1] of a screw, [Sω5|y1:2] of a joint 5
that follows joint 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from hamiltree.analysis.kane.connections import ROTATION, Connection, Speed
from hamiltree.analysis.kane.matrices import (
    AbsoluteConnection,
    Matrices,
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


# ---- seed 003 ------------------------------------------------------------------------------------
class RelativePrintedMatrices(PrintedMatrices):
    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity": "[v'_O{0},{1}]",
        "velocity": "[v'_G{0},{1}]",
        "origin_velocity_dot": "[v̇'_O{0},{1}]",
        "velocity_dot": "[v̇'_G{0},{1}]",
    }

    def __init__(
        self,
        names: Sequence[str],
        speeds: Sequence[Speed],
        connections: list[Connection],
        matrices: Matrices,
    ):
        self.connections = connections
        super().__init__(names, speeds, [own.lower for own in connections], matrices)

    # ---- names -----------------------------------------------------------------------------------
    def before(self, k: int) -> str:
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
        own = self.connections[k - 1]
        return self.register_symbol(f"([q̃'{k}] + [s̃'{k}])", skew(own.q) + skew(own.s))

    def centre(self, k: int) -> str:
        return self.register_symbol(f"[r̃'{k}]", skew(self.connections[k - 1].r))

    def speed(self, k: int) -> str:
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
            of = (
                ""
                if is_own and group.half == which % 2
                else f"|{HALVES[group.half]}" + ("" if is_own else f":{group.body}")
            )
            is_fixed = (
                which in (SPIN, SLIDE) and not own.nonzero_columns[which + 2, group.columns].any()
            )
            is_one = is_fixed and part.shape == (3, 3) and np.array_equal(part, np.eye(3))
            row.append(
                [(1, (ONE if is_one else self.register_symbol(f"[{MAPS[which]}{k}{of}]", part),))]
            )
        return row

    # ---- (14), (18) ------------------------------------------------------------------------------
    def omega_row(self, k: int) -> list[Block]:
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
        own = Term(1, (), self.map_row(k, SLIDE))
        j = self.lower[k - 1]
        if not j:
            return drop_zero_rows([own])
        below = [term._replace(factors=(self.turn(j), *term.factors)) for term in self.origin(j)]
        return drop_zero_rows([*below, Term(-1, (self.arm(k),), self.omega_row(j)), own])

    def velocity(self, k: int) -> list[Term]:
        outer = [term._replace(factors=(self.turn(k), *term.factors)) for term in self.origin(k)]
        return drop_zero_rows([*outer, Term(-1, (self.centre(k),), self.omega_row(k))])

    # ---- recursions by name: (26), (30), (32), (31) ----------------------------------------------
    def recursion(self, k: int, what: str) -> list[Term]:
        j, name = self.lower[k - 1], self.name
        if what == "velocity":
            return [
                Term(1, (self.turn(k), name("origin_velocity", k))),
                Term(-1, (self.centre(k), name("omega", k))),
            ]
        if what == "velocity_dot":
            return [
                Term(1, (self.turn(k), name("origin_velocity_dot", k))),
                Term(1, (self.spin(k), self.turn(k), name("origin_velocity", k))),
                Term(-1, (self.centre(k), name("omega_dot", k))),
            ]
        if what == "origin_velocity":
            own = Term(1, (), self.map_row(k, SLIDE))
            moved = (
                [Term(1, (self.turn(j), name(what, j))), Term(-1, (self.arm(k), name("omega", j)))]
                if j
                else []
            )
            return drop_zero_rows([*moved, own])
        own = Term(1, (), self.map_row(k, SLIDE_RATE))
        moved = [
            Term(1, (self.turn(j), name(what, j))),
            Term(1, (self.spin(j), self.turn(j), name("origin_velocity", j))),
            Term(-1, (self.speed(k), name("omega", j))),
            Term(-1, (self.arm(k), name("omega_dot", j))),
        ] if j else []  # fmt: skip
        return drop_zero_rows([*moved, own])

    def lines(self, body: int, what: str) -> list[tuple[str, list[str]]]:
        if what in ("omega", "omega_dot"):
            terms = (
                drop_zero_rows([Term(1, (), self.omega_row(body))])
                if what == "omega"
                else self.omega_dot(body)
            )
            slides = [group.half != ROTATION for group in self.groups]
            is_mixed = any(
                block
                for term in terms
                for block, slide in zip(term.row or [], slides, strict=True)
                if slide
            )
            halves = (0, 1) if is_mixed else (0,)
            return [
                (self.name(what, body, "y" if is_mixed else "y1"), [self.sum_text(terms, halves)])
            ]
        rights = [self.sum_text(self.recursion(body, what))]
        if what in ("velocity", "origin_velocity"):
            rights.append(
                self.sum_text(self.velocity(body) if what == "velocity" else self.origin(body))
            )
        return [(self.name(what, body), list(dict.fromkeys(rights)))]


# ---- seed 004 ------------------------------------------------------------------------------------
class AbsolutePrintedMatrices(PrintedMatrices):
    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "origin_velocity": "[v_O{0},{1}]",
        "velocity": "[v_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity_dot": "[v̇_O{0},{1}]",
        "velocity_dot": "[v̇_{0},{1}]",
    }

    def __init__(
        self,
        names: Sequence[str],
        speeds: Sequence[Speed],
        arms: list[AbsoluteConnection],
        matrices: Matrices,
    ):
        self.arms = arms
        super().__init__(names, speeds, [arm.lower for arm in arms], matrices)

    def back(self, k: int) -> tuple[str, ...]:
        """[R_K]ᵀ; nothing for the ground."""
        return (self.register_symbol(f"[R{k}]ᵀ", self.arms[k - 1].turn.T),) if k else ()

    def spin(self, k: int) -> str:
        return self.register_symbol(f"[ω̃'{k}]", skew(self.arms[k - 1].omega))

    def arm(self, vectors: list[str], is_rate: bool = False) -> str:
        """[q̃'_K + s̃'_K] or [r̃'_K], or what it changes by."""
        texts = [f"sk(ṡ'{name[1:]})" if is_rate else f"{name[0]}̃'{name[1:]}" for name in vectors]
        matrix = sum(
            (skew(vector_by_name(self.arms, name, is_rate)) for name in vectors), np.zeros((3, 3))
        )
        return self.register_symbol(f"[{' + '.join(texts)}]", matrix)

    def slide(self, k: int) -> str:
        axes = self.arms[k - 1].axes
        is_one = axes.shape == (3, 3) and np.array_equal(axes, np.eye(3))
        return ONE if is_one else self.register_symbol(f"[S{k}]", axes)

    def turning(self, body: int, has_centre: bool, is_rate: bool) -> dict[int, Block]:
        """Blocks of {y1} by body: −[R]ᵀ[q̃' + s̃'], and −[R]ᵀ[sk(ṡ')] − [R]ᵀ[ω̃'][q̃' + s̃'] of the
        rates (ERRATA 4-1).
        """
        blocks: dict[int, Block] = {}
        for p, fixed, changing in path_arms(self.arms, body, has_centre):
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
            on = slide_body(self.arms, p)
            if not is_rate:
                blocks[p] = [(1, product(*self.back(on), self.slide(p)))]
            elif on:
                blocks[p] = [(1, product(*self.back(on), self.spin(on), self.slide(p)))]
        return blocks

    def lines(self, body: int, what: str) -> list[tuple[str, list[str]]]:
        is_rate, has_centre = what.endswith("_dot"), what.startswith("velocity")
        if what.startswith("omega"):
            blocks = ({} if is_rate else {body: [(1, (ONE,))]}, {})
        else:
            blocks = self.turning(body, has_centre, is_rate), self.sliding(body, is_rate)
        row = [blocks[group.half].get(group.body, []) for group in self.groups]
        halves = [half for half in (0, 1) if any(group.half == half for group in self.groups)]
        return [
            (
                self.name(what, body, HALVES[half]),
                [self.sum_text(drop_zero_rows([Term(1, (), row)]), (half,))],
            )
            for half in halves
        ]
