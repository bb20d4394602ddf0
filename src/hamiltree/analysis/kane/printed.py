"""Matrices of relative speeds, symbol by symbol: which products of which factors stand in which
block.

The notes on relative coordinates write out [ω'_K,y], [ω̇'_K,y], [v'_O_K,y] and [v'_G_K,y] and leave
the rates of velocities as the recursions (31), (32); the same is done here. A joint's map stands as
[Sω_K] (rotations) and [Ss_K] (translations) where it is not [I], its rate as [Ṡω_K], [Ṡs_K];
columns that belong to other speeds than the joint's own have their names: [Ss3|y1] of a screw,
[Sω5|y1:2] of a joint 5 that follows joint 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import ClassVar

import numpy as np

from hamiltree.analysis.kane.connections import ROTATION
from hamiltree.analysis.kane.equations import RelativeEquations
from hamiltree.analysis.kane.printed_vectors import relative_vector_line
from hamiltree.analysis.kane.symbols import (
    HALVES,
    ONE,
    Line,
    Printed,
    Row,
    Term,
    add_rows,
    drop_zero_rows,
    fold_factors,
    multiply_row,
    multiply_terms,
)
from hamiltree.rotations import skew

SPIN, SLIDE, SPIN_RATE, SLIDE_RATE = range(4)  # the four maps of a connection
MAPS = ("Sω", "Ss", "Ṡω", "Ṡs")


class RelativePrinted(Printed):
    """Matrices and vectors of relative speeds in symbols."""

    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity": "[v'_O{0},{1}]",
        "velocity": "[v'_G{0},{1}]",
        "origin_velocity_dot": "[v̇'_O{0},{1}]",
        "velocity_dot": "[v̇'_G{0},{1}]",
    }
    vector_headings: ClassVar[dict[str, str]] = {
        "angular_velocity": "{{ω'_{0}}}",
        "position_O": "{{p'_O{0}}}",
        "position_G": "{{p'_G{0}}}",
        "velocity_O": "{{v'_O{0}}}",
        "velocity_G": "{{v'_G{0}}}",
        "angular_acceleration": "{{α'_{0}}}",
        "acceleration_G": "{{a'_G{0}}}",
    }
    hat: ClassVar[str] = "\N{COMBINING CIRCUMFLEX ACCENT}"

    def __init__(self, equations: RelativeEquations):
        super().__init__(equations)
        self.connections = equations.connections

    # ---- names -----------------------------------------------------------------------------------
    def before(self, k: int) -> str:
        """The number of L(K), left out for the ground."""
        return str(self.lower[k - 1]) if self.lower[k - 1] else ""

    def turn(self, k: int) -> str:
        """[ᴶR_K]; [R_K] on the ground."""
        return self.register(f"[{self.before(k)}R{k}]", self.connections[k - 1].turn)

    def spin(self, k: int) -> str:
        """[ᴶω̃'_K]ᵀ"""
        return self.register(f"[{self.before(k)}ω̃'{k}]ᵀ", skew(self.connections[k - 1].spin).T)

    def arm(self, k: int) -> str:
        """[q̃'_K] + [s̃'_K]"""
        own = self.connections[k - 1]
        return self.register(f"([q̃'{k}] + [s̃'{k}])", skew(own.q) + skew(own.s))

    def centre(self, k: int) -> str:
        """[r̃'_K]"""
        return self.register(f"[r̃'{k}]", skew(self.connections[k - 1].r))

    def speed(self, k: int) -> str:
        """[sk(ṡ'_K)]"""
        return self.register(f"[sk(ṡ'{k})]", skew(self.connections[k - 1].speed))

    def map_row(self, k: int, which: int) -> Row:
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
        row: Row = {}
        for number in dict.fromkeys(self.column_group[place] for place in own.speeds):
            group = self.groups[number]
            among = [n for n, place in enumerate(own.speeds) if self.column_group[place] == number]
            if not own.nonzero_columns[which, among].any():
                continue
            part = np.zeros((3, group.columns.stop - group.columns.start))
            part[:, own.speeds[among] - group.columns.start] = matrix[:, among]
            is_own = group.body == k
            other_body = "" if is_own else f":{group.body}"
            of = f"|{HALVES[group.half]}{other_body}"
            if is_own and group.half == which % 2:
                of = ""
            is_map = which in (SPIN, SLIDE)
            is_fixed = is_map and not own.nonzero_columns[which + 2, among].any()
            is_one = is_fixed and part.shape == (3, 3) and np.array_equal(part, np.eye(3))
            name = ONE if is_one else self.register(f"[{MAPS[which]}{k}{of}]", part)
            row[number] = [(1, (name,))]
        return row

    @cached_property
    def is_mixed(self) -> list[bool]:
        """Whether speeds that only slide turn body K: it, or a lower one, follows a slide."""
        found: list[bool] = []
        for k, lower in enumerate(self.lower):
            own = any(self.groups[g].half != ROTATION for g in self.map_row(k + 1, SPIN))
            found.append(own or (lower > 0 and found[lower - 1]))
        return found

    # ---- (14), (18), (26), (30), written out -----------------------------------------------------
    def omega_row(self, k: int) -> Row:
        """(14): [ᴶR_K][ω'_J,y] + [ω̂'_K,y]"""
        row: Row = {}
        for body in self.path(k):
            row = add_rows(multiply_row((self.turn(body),), row), self.map_row(body, SPIN))
        return row

    def expand(
        self, k: int, which: int, step: Callable[[int, int], tuple[str, Term]]
    ) -> list[Term]:
        """A recursion followed from the ground to K: [factor](terms of J) + term + own map;
        step(K, J) gives factor and term.
        """
        terms: list[Term] = []
        for body in self.path(k):
            if lower := self.lower[body - 1]:
                factor, added = step(body, lower)
                terms = [*multiply_terms(factor, terms), added]
            terms = drop_zero_rows([*terms, Term(1, (), self.map_row(body, which))])
        return terms

    def omega_dot(self, k: int) -> list[Term]:
        """(18): [ᴶR_K][ω̇'_J,y] + [ᴶω̃'_K]ᵀ[ᴶR_K][ω'_J,y] + [Ṡω_K]"""

        def step(body: int, lower: int) -> tuple[str, Term]:
            turned = Term(1, (self.spin(body), self.turn(body)), self.omega_row(lower))
            return self.turn(body), fold_factors(turned)

        return self.expand(k, SPIN_RATE, step)

    def origin(self, k: int) -> list[Term]:
        """(26) down to the ground."""

        def step(body: int, lower: int) -> tuple[str, Term]:
            return self.turn(lower), Term(-1, (self.arm(body),), self.omega_row(lower))

        return self.expand(k, SLIDE, step)

    def velocity(self, k: int) -> list[Term]:
        """(30) down to the ground."""
        outer = multiply_terms(self.turn(k), self.origin(k))
        return drop_zero_rows([*outer, Term(-1, (self.centre(k),), self.omega_row(k))])

    # ---- recursions by name: (14), (18), (26), (30), (32), (31) ----------------------------------
    def angular_recursion(self, k: int, what: str, half: str) -> list[Term]:
        """(14), or its rate (18), by the matrices of J."""
        own = Term(1, (), self.map_row(k, SPIN if what == "omega" else SPIN_RATE))
        j = self.lower[k - 1]
        carried = [Term(1, (self.turn(k), self.name(what, j, half)))] if j else []
        if j and what == "omega_dot":
            carried.append(Term(1, (self.spin(k), self.turn(k), self.name("omega", j, half))))
        return drop_zero_rows([*carried, own])

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

    def matrix_lines(self, body: int, what: str) -> list[Line]:
        """(left side, right sides): of velocities the recursion, then written out."""
        if what in ("omega", "omega_dot"):
            return [self.angular_line(body, what)]
        rights = [self.sum_text(self.recursion(body, what))]
        if what == "velocity" and self.is_written_out(body):
            rights.append(self.sum_text(self.velocity(body)))
        if what == "origin_velocity" and self.is_written_out(body):
            rights.append(self.sum_text(self.origin(body)))
        return [(self.name(what, body), list(dict.fromkeys(rights)))]

    def angular_line(self, body: int, what: str) -> Line:
        """[ω'_K,y1] or its rate; by all speeds y where translations take part (screws)."""
        half = "y" if self.is_mixed[body - 1] else "y1"
        if not self.is_written_out(body):
            terms = self.angular_recursion(body, what, half)
        elif what == "omega":
            terms = drop_zero_rows([Term(1, (), self.omega_row(body))])
        else:
            terms = self.omega_dot(body)
        text = self.sum_text(terms, (0, 1) if half == "y" else (0,))
        return self.name(what, body, half), [text]

    def vector_line(self, body: int, what: str) -> Line:
        return relative_vector_line(self, body, what)
