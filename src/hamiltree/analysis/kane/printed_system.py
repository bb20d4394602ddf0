"""{x}, {ẋ}, Euler parameters, [A], {F_y} and {f} in symbols.

The notes on relative coordinates: (1), (8), (9), (34), (40), (41), (42). Sums over the bodies are
written out for few bodies; for many they stand with Σ_K.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import numpy as np

from hamiltree.analysis.kane.connections import Array
from hamiltree.analysis.kane.symbols import WRITTEN_OUT, Line, Printed, Sum, join_signed
from hamiltree.rotations import skew

SYSTEM = ("x", "x_rates", "applied_forces", "mass_matrix", "forces")
EULER = ("euler_parameters", "euler_matrices", "euler_rates")
DOT = "\N{COMBINING DOT ABOVE}"
SUBSCRIPTS = "₁₂₃₄"
# rows of (8): sign and number of the Euler parameter in every column
EULER_ROWS = ((4, 3, -2, -1), (-3, 4, 1, -2), (2, -1, 4, -3), (1, 2, 3, 4))


# ---- Euler parameters ----------------------------------------------------------------------------
def euler_name(printed: Printed, k: int | str, is_rate: bool = False) -> str:
    """{ε̂_K}, or its rate; without the hat where it is absolute."""
    return f"{{ε{printed.hat}{DOT if is_rate else ''}{k}}}"


def matrix_name(printed: Printed, k: int | str) -> str:
    """[Ê'_K]"""
    return unicodedata.normalize("NFC", f"[E{printed.hat}'{k}]")


def spin_name(printed: Printed, k: int | str) -> str:
    """{ω̂'_K, 0}: with the zero of (9)."""
    return f"{{ω{printed.hat}'{'' if printed.hat else '_'}{k}, 0}}"


def euler_entry(printed: Printed, k: int, signed: int) -> str:
    """± ε̂_K1 … ε̂_K4"""
    sign = "−" if signed < 0 else ""
    return f"{sign}ε{printed.hat}{k}{SUBSCRIPTS[abs(signed) - 1]}"


def euler_line(printed: Printed, k: int, what: str) -> Line:
    """Euler parameters of body K, the matrix of (8), or their rates (9)."""
    if what == "euler_parameters":
        entries = ", ".join(euler_entry(printed, k, i) for i in (1, 2, 3, 4))
        return euler_name(printed, k), [f"{{ {entries} }}"]
    if what == "euler_matrices":
        rows = (", ".join(euler_entry(printed, k, i) for i in row) for row in EULER_ROWS)
        return matrix_name(printed, k), ["[ " + "; ".join(rows) + " ]"]
    right = f"½{matrix_name(printed, k)}ᵀ{spin_name(printed, k)}"
    return euler_name(printed, k, True), [right]


# ---- the system ----------------------------------------------------------------------------------
def system_lines(printed: Printed, what: str) -> list[Line]:
    """One equation of the whole system."""
    if what in ("x", "x_rates"):
        return [coordinate_line(printed, what == "x_rates")]
    if what == "applied_forces":
        more: Sum = [(1, "{Q_y}")] if printed.equations.has_joint_laws else []
        return [("{F_y}", [sum_over_bodies(printed, applied_terms, [], more)])]
    if what == "mass_matrix":
        more = [(1, "[A_y]")] if printed.equations.has_armatures else []
        return [("[A]", [sum_over_bodies(printed, mass_terms, [], more)])]
    return [("{f}", [sum_over_bodies(printed, inertia_force_terms, [(1, "{F_y}")], [])])]


def coordinate_line(printed: Printed, is_rate: bool) -> Line:
    """(1): {x} = { {ε̂_1}, …, {s'_1}, … }, or its rate."""
    count = len(printed.names)
    bodies: list[int | None] = list(range(1, count + 1))
    if count > WRITTEN_OUT:
        bodies = [1, 2, None, count]
    first = [euler_name(printed, k, is_rate) if k else "…" for k in bodies]
    second = [f"{{{'ṡ' if is_rate else 's'}'{k}}}" if k else "…" for k in bodies]
    return "{ẋ}" if is_rate else "{x}", [f"{{ {', '.join([*first, *second])} }}"]


def sum_over_bodies(
    printed: Printed, terms_of: Callable[[Printed, int | str], Sum], before: Sum, after: Sum
) -> str:
    """Terms of all bodies, a line for each; of many bodies Σ_K."""
    if len(printed.names) > WRITTEN_OUT:
        own = terms_of(printed, "K")
        sign = own[0][0]
        inside = join_signed([(sign * other, text) for other, text in own])
        return join_signed([*before, (sign, f"Σ_K ({inside})"), *after])
    lines = [before] if before else []
    lines += [terms_of(printed, k + 1) for k in range(len(printed.names))]
    lines += [after] if after else []
    joined = [join_signed(line) if k == 0 else following(line) for k, line in enumerate(lines)]
    return "\n".join(joined)


def following(terms: Sum) -> str:
    """+ a − b, after other terms."""
    return join_signed([(1, ""), *terms]).lstrip()


def force_name(printed: Printed, k: int | str) -> str:
    """{F'_K} in body axes, {F_K} in inertial ones."""
    return f"{{F{chr(39) if printed.equations.is_relative else ''}{k}}}"


def applied_terms(printed: Printed, k: int | str) -> Sum:
    """(34): [v_K,y]ᵀ{F_K} + [ω'_K,y]ᵀ{M'_K}"""
    return [
        (1, f"{printed.name('velocity', k)}ᵀ{force_name(printed, k)}"),
        (1, f"{printed.name('omega', k)}ᵀ{{M'{k}}}"),
    ]


def mass_terms(printed: Printed, k: int | str) -> Sum:
    """(40): m_K [v_K,y]ᵀ[v_K,y] + [ω'_K,y]ᵀ[I'_K][ω'_K,y]"""
    velocity, omega = printed.name("velocity", k), printed.name("omega", k)
    return [(1, f"m{k}{velocity}ᵀ{velocity}"), (1, f"{omega}ᵀ[I'{k}]{omega}")]


def inertia_force_terms(printed: Printed, k: int | str) -> Sum:
    """(41) without {F_y}."""
    velocity, omega = printed.name("velocity", k), printed.name("omega", k)
    spin = printed.spin_matrix(k)
    linear = f"{printed.name('velocity_dot', k)}{{y}}"
    if printed.equations.is_relative:
        linear = f"({linear} + {spin}{printed.name('velocity_G', k)})"
    turning = f"{spin}[I'{k}]{printed.name('angular_velocity', k)}"
    if printed.equations.is_relative:
        turning = f"([I'{k}]{printed.name('omega_dot', k)}{{y}} + {turning})"
    return [(-1, f"m{k}{velocity}ᵀ{linear}"), (-1, f"{omega}ᵀ{turning}")]


def system_symbols(printed: Printed) -> dict[str, Array]:
    """Every name of these lines with its numbers."""
    equations, found = printed.equations, {}
    x, loads, vectors = equations.coordinates, equations.loads, equations.vectors
    found.update({"{y}": equations.y, "{Q_y}": equations.joint_forces, "½": np.array(0.5)})
    found.update({"{F_y}": equations.applied_forces, "[A_y]": equations.armatures})
    if equations.rates is not None:
        found["{ẏ}"] = equations.rates
    for index in range(len(printed.names)):
        k = index + 1
        omega = vectors.angular_velocity[index]
        for what, part in vectors._asdict().items():
            found[printed.name(what, k)] = part[index]
        spin = equations.connections[index].spin if equations.is_relative else omega
        found[spin_name(printed, k)] = np.append(spin, 0.0)
        found[euler_name(printed, k)] = x.euler_parameters[index]
        found[euler_name(printed, k, True)] = x.euler_rates[index]
        for i, value in enumerate(x.euler_parameters[index]):
            found[euler_entry(printed, k, i + 1)] = value
        found[matrix_name(printed, k)] = x.euler_matrices[index]
        found[f"{{s'{k}}}"], found[f"{{ṡ'{k}}}"] = x.translations[index], x.translation_rates[index]
        found[f"m{k}"], found[f"[I'{k}]"] = loads.mass[index], loads.inertia[index]
        found[force_name(printed, k)], found[f"{{M'{k}}}"] = loads.force[index], loads.moment[index]
        found[printed.spin_matrix(k)] = skew(omega)
    return found
