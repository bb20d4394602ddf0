"""Angular velocities, positions, velocities and accelerations of the bodies in symbols, as the
notes on Kane's equations print them.

Relative speeds: the recursions (11), (20), (21), (23), (25) by name, then written out down to the
ground. Absolute speeds: the sums along the path, {p_1} … and {v_1} … of the second notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hamiltree.analysis.kane.matrices import path_arms, slide_body, vector_by_name
from hamiltree.analysis.kane.symbols import Line, Printed, Sum, join_signed
from hamiltree.rotations import skew

if TYPE_CHECKING:
    from hamiltree.analysis.kane.printed import RelativePrinted
    from hamiltree.analysis.kane.printed_absolute import AbsolutePrinted

NOTHING = "{0}"


def carry(factor: str, terms: Sum) -> Sum:
    """factor · (sum), without parentheses about one term."""
    if len(terms) < 2:
        return [(sign, factor + text) for sign, text in terms]
    return [(1, f"{factor}({join_signed(terms)})")]


def make_line(printed: Printed, body: int, what: str, *rights: Sum) -> Line:
    """Equal right sides, each once."""
    texts = [join_signed(right) if right else NOTHING for right in rights]
    return printed.name(what, body), list(dict.fromkeys(texts))


def acceleration_terms(printed: Printed, k: int, matrix: str, rate: str) -> Sum:
    """[…,y]{ẏ} + [d/dt …,y]{y}"""
    return [(1, f"{printed.name(matrix, k)}{{ẏ}}"), (1, f"{printed.name(rate, k)}{{y}}")]


# ---- relative speeds -----------------------------------------------------------------------------
def relative_vector_line(printed: RelativePrinted, k: int, what: str) -> Line:
    """One vector of body K: its recursion, and written out where the path is short."""
    if what == "angular_velocity":
        return make_line(printed, k, what, angular_terms(printed, k))
    if what == "angular_acceleration":
        return make_line(printed, k, what, acceleration_terms(printed, k, "omega", "omega_dot"))
    if what == "acceleration_G":
        terms = acceleration_terms(printed, k, "velocity", "velocity_dot")
        turning = body_spin(printed, k) + printed.name("velocity_G", k)
        return make_line(printed, k, what, [*terms, (1, turning)])
    recursion, written = {
        "position_O": (position_terms, written_position),
        "position_G": (centre_terms, written_centre),
        "velocity_O": (velocity_terms, written_velocity),
        "velocity_G": (centre_velocity_terms, written_centre_velocity),
    }[what]
    rights = [recursion(printed, k)]
    if printed.is_written_out(k):
        rights.append(written(printed, k))
    return make_line(printed, k, what, *rights)


def body_spin(printed: RelativePrinted, k: int) -> str:
    """[ω̃'_K] of the body itself."""
    own = printed.equations.vectors.angular_velocity[k - 1]
    return printed.register(printed.spin_matrix(k), skew(own))


def arm_terms(printed: RelativePrinted, k: int) -> Sum:
    """{q'_K} + {s'_K}; q'_K is left out where it is zero on the ground, as in the notes."""
    own = printed.connections[k - 1]
    slide = (1, printed.register(f"{{s'{k}}}", own.s))
    if not own.lower and not own.q.any():
        return [slide]
    return [(1, printed.register(f"{{q'{k}}}", own.q)), slide]


def slide_terms(printed: RelativePrinted, k: int) -> Sum:
    """{ṡ'_K} of a joint that can slide."""
    own = printed.connections[k - 1]
    name = printed.register(f"{{ṡ'{k}}}", own.speed)
    return [(1, name)] if own.nonzero_columns[1].any() else []


def centre_of(printed: RelativePrinted, k: int) -> str:
    """{r'_K}"""
    return printed.register(f"{{r'{k}}}", printed.connections[k - 1].r)


def angular_terms(printed: RelativePrinted, k: int) -> Sum:
    """(11): [ᴶR_K]{ω'_J} + {ω̂'_K}"""
    own, terms = printed.connections[k - 1], []
    if own.lower:
        terms.append((1, printed.turn(k) + printed.name("angular_velocity", own.lower)))
    name = printed.register(f"{{ω̂'{k}}}", own.spin)
    return [*terms, (1, name)] if own.nonzero_columns[0].any() else terms


def position_terms(printed: RelativePrinted, k: int) -> Sum:
    """(20): [ᴶR_K]({p'_O_J} + {q'_K} + {s'_K})"""
    lower = printed.lower[k - 1]
    before = [(1, printed.name("position_O", lower))] if lower else []
    return carry(printed.turn(k), [*before, *arm_terms(printed, k)])


def written_position(printed: RelativePrinted, k: int) -> Sum:
    """(20) down to the ground."""
    terms: Sum = []
    for body in printed.path(k):
        terms = carry(printed.turn(body), [*terms, *arm_terms(printed, body)])
    return terms


def centre_terms(printed: RelativePrinted, k: int) -> Sum:
    """(21)"""
    centre = (1, centre_of(printed, k))
    if not printed.lower[k - 1]:
        return [(1, printed.name("position_O", k)), centre]
    return [*position_terms(printed, k), centre]


def written_centre(printed: RelativePrinted, k: int) -> Sum:
    """(21) down to the ground."""
    return [*written_position(printed, k), (1, centre_of(printed, k))]


def turning_arm(printed: RelativePrinted, k: int) -> Sum:
    """[ω̃'_J]({q'_K} + {s'_K})"""
    return carry(body_spin(printed, printed.lower[k - 1]), arm_terms(printed, k))


def velocity_terms(printed: RelativePrinted, k: int) -> Sum:
    """(23), in the axes of J (ERRATA 3-4)."""
    lower = printed.lower[k - 1]
    if not lower:
        return slide_terms(printed, k)
    before = printed.turn(lower) + printed.name("velocity_O", lower)
    return [(1, before), *slide_terms(printed, k), *turning_arm(printed, k)]


def written_velocity(printed: RelativePrinted, k: int) -> Sum:
    """(23) down to the ground."""
    terms: Sum = []
    for body in printed.path(k):
        if lower := printed.lower[body - 1]:
            terms = carry(printed.turn(lower), terms)
        terms = [*terms, *slide_terms(printed, body)]
        terms += turning_arm(printed, body) if lower else []
    return terms


def centre_velocity_terms(printed: RelativePrinted, k: int) -> Sum:
    """(25)"""
    before = printed.turn(k) + printed.name("velocity_O", k)
    return [(1, before), (1, body_spin(printed, k) + centre_of(printed, k))]


def written_centre_velocity(printed: RelativePrinted, k: int) -> Sum:
    """(25) down to the ground."""
    turning = (1, body_spin(printed, k) + centre_of(printed, k))
    return [*carry(printed.turn(k), written_velocity(printed, k)), turning]


# ---- absolute speeds -----------------------------------------------------------------------------
def absolute_vector_line(printed: AbsolutePrinted, k: int, what: str) -> Line:
    """One vector of body K, along the path from the ground or, far from it, by O_J or O_K."""
    if what == "angular_velocity":
        return make_line(printed, k, what, [(1, f"{printed.name('omega', k)}{{y}}")])
    if what == "angular_acceleration":
        return make_line(printed, k, what, acceleration_terms(printed, k, "omega", "omega_dot"))
    if what == "acceleration_G":
        terms = acceleration_terms(printed, k, "velocity", "velocity_dot")
        return make_line(printed, k, what, terms)
    kind, _, point = what.partition("_")
    has_centre = point == "G"
    if printed.is_written_out(k):
        bodies = printed.path(k)
        arms = path_arms(printed.arms, k, has_centre)[::-1]
        before = ground_arm(printed, bodies[0]) if kind == "position" else []
    else:
        bodies = [] if has_centre else [k]
        arms = printed.last_arms(k, has_centre)
        before = [(1, printed.name(f"{kind}_O", k if has_centre else printed.lower[k - 1]))]
    if kind == "velocity":
        before += slide_rates(printed, bodies)
    add = position_of_arm if kind == "position" else velocity_of_arm
    rest = [add(printed, p, fixed) for p, fixed, _ in arms if fixed]
    return make_line(printed, k, what, [*before, *rest])


def vector_sum(printed: AbsolutePrinted, names: list[str]) -> str:
    """{q'_K + s'_K}"""
    value = sum((vector_by_name(printed.arms, name) for name in names), np.zeros(3))
    texts = (f"{name[0]}'{name[1:]}" for name in names)
    return printed.register(f"{{{' + '.join(texts)}}}", value)


def ground_arm(printed: AbsolutePrinted, first: int) -> Sum:
    """{s'_1}, or {q'_1 + s'_1} where q'_1 is not zero: what leads to O_1 in inertial axes."""
    own = printed.arms[first - 1]
    names = [f"q{first}"] if own.q.any() else []
    names += [f"s{first}"] if own.slides and not own.is_outer else []
    return [(1, vector_sum(printed, names))] if names else []


def slide_rates(printed: AbsolutePrinted, bodies: list[int]) -> Sum:
    """{ṡ'_1} + [R_1]ᵀ{ṡ'_2} + …"""
    found: Sum = []
    for p in bodies:
        own = printed.arms[p - 1]
        rate = printed.register(f"{{ṡ'{p}}}", own.speed)
        if own.slides:
            found.append((1, "".join(printed.back(slide_body(printed.arms, p))) + rate))
    return found


def position_of_arm(printed: AbsolutePrinted, p: int, fixed: list[str]) -> tuple[int, str]:
    """[R_P]ᵀ{q' + s'}"""
    return 1, "".join(printed.back(p)) + vector_sum(printed, fixed)


def velocity_of_arm(printed: AbsolutePrinted, p: int, fixed: list[str]) -> tuple[int, str]:
    """−[R_P]ᵀ[q̃' + s̃'][ω'_P,y]{y}"""
    turning = printed.arm(fixed) + printed.name("omega", p) + "{y}"
    return -1, "".join(printed.back(p)) + turning
