"""Matrices of absolute speeds, symbol by symbol, as in the notes with the example of six bodies.

[v_K,y1] and [v_K,y2] are sums along the path from the ground; far from it they are printed by those
of the lower body.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hamiltree.analysis.kane.equations import AbsoluteEquations
from hamiltree.analysis.kane.matrices import path_arms, slide_body, vector_by_name
from hamiltree.analysis.kane.printed_vectors import absolute_vector_line
from hamiltree.analysis.kane.symbols import (
    HALVES,
    ONE,
    Block,
    Line,
    Printed,
    Row,
    Term,
    drop_zero_rows,
    product,
)
from hamiltree.rotations import skew

Arm = tuple[int, list[str], list[str]]  # body, vectors on it, those that change


class AbsolutePrinted(Printed):
    """Matrices and vectors of absolute speeds in symbols."""

    headings: ClassVar[dict[str, str]] = {
        "omega": "[ω'_{0},{1}]",
        "origin_velocity": "[v_O{0},{1}]",
        "velocity": "[v_{0},{1}]",
        "omega_dot": "[ω̇'_{0},{1}]",
        "origin_velocity_dot": "[v̇_O{0},{1}]",
        "velocity_dot": "[v̇_{0},{1}]",
    }
    vector_headings: ClassVar[dict[str, str]] = {
        "angular_velocity": "{{ω'_{0}}}",
        "position_O": "{{p_O{0}}}",
        "position_G": "{{p_{0}}}",
        "velocity_O": "{{v_O{0}}}",
        "velocity_G": "{{v_{0}}}",
        "angular_acceleration": "{{α'_{0}}}",
        "acceleration_G": "{{a_{0}}}",
    }

    def __init__(self, equations: AbsoluteEquations):
        super().__init__(equations)
        self.arms = equations.arms

    # ---- names -----------------------------------------------------------------------------------
    def back(self, k: int) -> tuple[str, ...]:
        """[R_K]ᵀ; nothing for the ground."""
        return (self.register(f"[R{k}]ᵀ", self.arms[k - 1].turn.T),) if k else ()

    def spin(self, k: int) -> str:
        """[ω̃'_K]"""
        return self.register(f"[ω̃'{k}]", skew(self.arms[k - 1].omega))

    def arm(self, vectors: list[str], is_rate: bool = False) -> str:
        """[q̃'_K + s̃'_K] or [r̃'_K], or its rate."""
        texts = [f"sk(ṡ'{name[1:]})" if is_rate else f"{name[0]}̃'{name[1:]}" for name in vectors]
        parts = (skew(vector_by_name(self.arms, name, is_rate)) for name in vectors)
        matrix = sum(parts, np.zeros((3, 3)))
        return self.register(f"[{' + '.join(texts)}]", matrix)

    def slide(self, k: int) -> str:
        """[I], or [S_K] of the axes along which the joint of K slides."""
        axes = self.arms[k - 1].axes
        is_one = axes.shape == (3, 3) and np.array_equal(axes, np.eye(3))
        return ONE if is_one else self.register(f"[S{k}]", axes)

    # ---- paths -----------------------------------------------------------------------------------
    def last_arms(self, k: int, has_centre: bool) -> list[Arm]:
        """Of the path to K only what leads from O_J to O_K, or from O_K to the centre of mass."""
        own = self.arms[k - 1]
        if has_centre:
            return [(k, [f"r{k}"], [])]
        slide = [f"s{k}"] if own.slides else []
        if own.is_outer:
            return [(own.lower, [f"q{k}"], []), (k, slide, slide)]
        return [(own.lower, [f"q{k}", *slide], slide)]

    def turning(self, arms: list[Arm], is_rate: bool) -> Row:
        """Blocks of {y1}: −[R]ᵀ[q̃' + s̃'], and −[R]ᵀ[sk(ṡ')] − [R]ᵀ[ω̃'][q̃' + s̃'] of the rates
        (ERRATA 4-1).
        """
        row: Row = {}
        for p, fixed, changing in arms:
            block: Block = (
                [(-1, (*self.back(p), self.arm(changing, True)))] if is_rate and changing else []
            )
            if fixed:
                block.append(
                    (-1, (*self.back(p), *((self.spin(p),) if is_rate else ()), self.arm(fixed)))
                )
            if block:
                row[self.group_of[0, p]] = block
        return row

    def sliding(self, bodies: list[int], is_rate: bool) -> Row:
        """Blocks of {y2}: [R]ᵀ[S], and [R]ᵀ[ω̃'][S]; nothing changes on the ground."""
        row: Row = {}
        for p in bodies:
            on = slide_body(self.arms, p)
            if (1, p) in self.group_of and (on or not is_rate):
                turn = (*self.back(on), *((self.spin(on),) if is_rate else ()))
                row[self.group_of[1, p]] = [(1, product(*turn, self.slide(p)))]
        return row

    def terms(self, body: int, what: str, half: str) -> list[Term]:
        """One row down to the ground, or, far from it, the matrix of O_J or O_K and one row."""
        is_rate, has_centre = what.endswith("_dot"), what.startswith("velocity")
        if what.startswith("omega"):
            own = {} if is_rate else {self.group_of[0, body]: [(1, (ONE,))]}
            return drop_zero_rows([Term(1, (), own)])
        if self.is_written_out(body):
            row = self.turning(path_arms(self.arms, body, has_centre), is_rate)
            return drop_zero_rows([Term(1, (), row | self.sliding(self.path(body), is_rate))])
        origin = "origin_velocity_dot" if is_rate else "origin_velocity"
        before = self.name(origin, body if has_centre else self.lower[body - 1], half)
        row = self.turning(self.last_arms(body, has_centre), is_rate)
        row |= {} if has_centre else self.sliding([body], is_rate)
        return [Term(1, (before,)), *drop_zero_rows([Term(1, (), row)])]

    def matrix_lines(self, body: int, what: str) -> list[Line]:
        """(left side, right side) of {y1}, then of {y2}."""
        halves = [half for half in (0, 1) if self.columns_of_half[half]]
        found = []
        for half in halves:
            terms = self.terms(body, what, HALVES[half])
            visible = [term for term in terms if self.has_visible_blocks(term, (half,))]
            text = self.sum_text(visible, (half,))
            found.append((self.name(what, body, HALVES[half]), [text]))
        return found

    def vector_line(self, body: int, what: str) -> Line:
        return absolute_vector_line(self, body, what)
