"""Limits of joints in URDF: <limit lower upper velocity effort>, read and written."""

from __future__ import annotations

import math
from dataclasses import replace

from hamiltree.files.urdf_elements import ElementReader
from hamiltree.files.xml_text import Element
from hamiltree.model.limits import NO_LIMITS, Limits

UNLIMITED = 1e9  # rad, m, N, …: what is written where URDF demands a limit and there is none


def read_limits(
    element: Element | None, kind: str, label: str, words: ElementReader, reversed_bounds: list[str]
) -> Limits:
    """The limits of a joint. A continuous joint has none of position, nor has one whose bounds are
    both left out; no velocity and no effort above zero means that none is stated. Bounds in the
    wrong order are collected and left out.
    """
    if element is None:
        return NO_LIMITS
    lower, upper, velocity, effort = (
        words.number(element, key, label, 0.0) for key in ("lower", "upper", "velocity", "effort")
    )
    if kind == "continuous" or not {"lower", "upper"} & set(element.attributes):
        lower, upper = -UNLIMITED, UNLIMITED
    if lower > upper:
        reversed_bounds.append(label)
        lower, upper = -UNLIMITED, UNLIMITED
    return Limits(
        lower if lower > -UNLIMITED else -math.inf,
        upper if upper < UNLIMITED else math.inf,
        velocity if 0.0 < velocity < UNLIMITED else math.inf,
        effort if 0.0 < effort < UNLIMITED else math.inf,
    )


def limit_line(limits: Limits, kind: str) -> list[str]:
    """The element <limit> of a joint, if it needs one or has something to say. A zero velocity or
    effort would mean that none is stated.
    """
    velocity, effort = limits.velocity or math.inf, limits.effort or math.inf
    limits = replace(limits, velocity=velocity, effort=effort)
    if kind not in ("revolute", "prismatic") and limits == NO_LIMITS:
        return []
    lower, upper, velocity, effort = (
        max(-UNLIMITED, min(UNLIMITED, value))
        for value in (limits.lower, limits.upper, limits.velocity, limits.effort)
    )
    bounds = "" if kind == "continuous" else f'lower="{lower!r}" upper="{upper!r}" '
    return [f'    <limit {bounds}effort="{effort!r}" velocity="{velocity!r}"/>']
