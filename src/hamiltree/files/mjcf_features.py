"""What an MJCF file can have that a Model cannot keep: refused by name, or left out by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import numpy as np

from hamiltree.errors import FileError, OptionError, spell_option, suggest
from hamiltree.files.mjcf_actuators import other_actuators
from hamiltree.files.mjcf_compiled import CompiledModel
from hamiltree.files.mjcf_equality import (
    JOINT,
    TENDON,
    active_equalities,
    is_nonlinear,
    joint_laws,
    name_first,
)

FREE, BALL = range(2)  # mjtJoint
BODY_BITS = 16  # a signature of two bodies: the first shifted by these, plus the second


def _contact(found: CompiledModel) -> str:
    pair = None if found.is_off("CONTACT", "CONSTRAINT") else colliding_bodies(found)
    names = [repr(found.name("body", body) or f"body{body}") for body in pair or ()]
    return f"e.g. {names[0]} with {names[1]}" if pair else ""


def colliding_bodies(found: CompiledModel) -> tuple[int, int] | None:
    """Two bodies that MuJoCo's filters let touch: contype & conaffinity, not welded together, not
    parent and child, not excluded.
    """
    mj = found.mj
    if mj.npair:
        return int(mj.geom_bodyid[mj.pair_geom1[0]]), int(mj.geom_bodyid[mj.pair_geom2[0]])
    filters = np.stack([mj.geom_bodyid, mj.geom_contype, mj.geom_conaffinity])
    body, kind, wants = np.unique(filters, axis=1)
    weld = mj.body_weldid[body]
    above = mj.body_weldid[mj.body_parentid[weld]]
    keeps_parents = found.is_off("FILTERPARENT")
    for i in range(len(body)):
        is_child = (above == weld[i]) & (weld[i] != 0)
        is_parent = (above[i] == weld) & (weld != 0)
        touch = ((kind[i] & wants) | (kind & wants[i])) != 0
        touch &= weld != weld[i]
        touch &= keeps_parents | ~(is_child | is_parent)
        low = np.minimum(body, body[i])
        high = np.maximum(body, body[i])
        touch &= ~np.isin((low << BODY_BITS) + high, mj.exclude_signature)
        if touch.any():
            return int(body[i]), int(body[np.argmax(touch)])
    return None


def _count_unless_off(
    found: CompiledModel, disabled_by: tuple[str, ...], fields: tuple[str, ...], what: str
) -> str:
    """How many entries have these fields, unless the file disables what they do."""
    return "" if found.is_off(*disabled_by) else _plural(found.count_entries(*fields), what)


def _ball_limits(found: CompiledModel) -> str:
    """Limits of balls; those of hinges and slides are data of their joints."""
    is_ball = np.isin(found.mj.jnt_type, (FREE, BALL))
    count = np.count_nonzero(is_ball & (found.mj.jnt_limited != 0))
    return "" if found.is_off("LIMIT", "CONSTRAINT") else _plural(count, "ball")


def _frictionloss(found: CompiledModel) -> str:
    disabled_by = ("FRICTIONLOSS", "CONSTRAINT")
    return _count_unless_off(found, disabled_by, ("dof_frictionloss",), "coordinate")


def _nonlinear_equality(found: CompiledModel) -> str:
    """Polynomials of a higher order than the first between two joints."""
    bent = [k for k in active_equalities(found, JOINT) if is_nonlinear(found, k)]
    return f"polynomial of {name_first(found, bent)}" if bent else ""


def _excess_equality(found: CompiledModel) -> str:
    """Constraints of joints that other constraints determine already, in another way."""
    excess = joint_laws(found).excess
    return f"one more of {name_first(found, excess)}" if excess else ""


def _tendons(found: CompiledModel) -> str:
    """Tendons with a force, a limit, an inertia or a constraint; any other tendon only measures a
    length.
    """
    fields = (
        *("stiffness", "stiffnesspoly", "damping", "dampingpoly"),
        *("frictionloss", "armature", "limited"),
    )
    constraints = active_equalities(found, TENDON)
    if constraints:
        return f"{_plural(len(constraints), 'equality constraint')} of tendons"
    return _plural(found.count_entries(*(f"tendon_{field}" for field in fields)), "tendon")


def _fluid(found: CompiledModel) -> str:
    option = found.mj.opt
    if not (option.density or option.viscosity):
        return ""
    return f"density {option.density:g}, viscosity {option.viscosity:g}"


def _ball_armatures(found: CompiledModel) -> str:
    is_turning = np.isin(found.mj.jnt_type, (FREE, BALL))
    armatures = found.mj.dof_armature[found.mj.jnt_dofadr[is_turning]]
    return _plural(np.count_nonzero(armatures), "joint")


def _nonlinear_springs(found: CompiledModel) -> str:
    fields = ("jnt_stiffnesspoly", "jnt_springyield")
    return _count_unless_off(found, ("SPRING", "PASSIVE"), fields, "joint")


def _nonlinear_dampers(found: CompiledModel) -> str:
    return _count_unless_off(found, ("DAMPER", "PASSIVE"), ("dof_dampingpoly",), "coordinate")


def _negative_damping(found: CompiledModel) -> str:
    """Dampers that would add energy."""
    if found.is_off("DAMPER", "PASSIVE"):
        return ""
    dampings = found.mj.dof_damping[found.mj.jnt_dofadr]
    wrong = np.flatnonzero(dampings < 0.0)
    if not len(wrong):
        return ""
    first = int(wrong[0])
    name = found.name("joint", first) or f"joint{first}"
    more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
    return f"joint {name!r}: {dampings[first]:g}{more}"


def _plural(count: Any, what: str) -> str:
    return f"{count} {what}{'s' if count > 1 else ''}" if count else ""


# what a Model keeps unless `drop` names it, and what it cannot keep of the same
KEPT = {
    "limits": ("ball limits",),
    "actuators": ("other actuators",),
    "equality": ("nonlinear equality", "excess equality"),
}
FEATURES: dict[str, Callable[[CompiledModel], str]] = {
    "contact": _contact,
    "ball limits": _ball_limits,
    "frictionloss": _frictionloss,
    "nonlinear equality": _nonlinear_equality,
    "excess equality": _excess_equality,
    "tendons": _tendons,
    "other actuators": other_actuators,
    "fluid": _fluid,
    "gravcomp": lambda found: _plural(found.count_entries("body_gravcomp"), "body"),
    "mocap": lambda found: _plural(found.mj.nmocap, "body"),
    "flex": lambda found: _plural(found.mj.nflex, "flex"),
    "plugins": lambda found: _plural(found.mj.nplugin, "plugin"),
    "ball armature": _ball_armatures,
    "nonlinear springs": _nonlinear_springs,
    "nonlinear dampers": _nonlinear_dampers,
    "negative damping": _negative_damping,
}


def named_drops(drop: str | Iterable[str]) -> list[str]:
    """The names in `drop` as they are given; a text has them separated by commas."""
    return [name.strip() for name in drop.split(",")] if isinstance(drop, str) else list(drop)


def parse_drop(drop: str | Iterable[str]) -> Collection[str]:
    """The features that `drop` leaves out if a Model cannot keep them; "all" is all of these."""
    names = named_drops(drop)
    for name in names:
        if name not in ("all", "", *KEPT, *FEATURES):
            raise OptionError(
                f"drop: {name!r} is nothing that an MJCF file can have; "
                f"{suggest(name, ('all', *KEPT, *FEATURES))}"
            )
    return FEATURES if "all" in names else [*names, *_implied(names)]


def _implied(names: Collection[str]) -> list[str]:
    return [feature for name in names for feature in KEPT.get(name, ())]


def find_features(found: CompiledModel) -> dict[str, str]:
    """What a compiled file has that a Model cannot keep: name → how much of it."""
    described = {name: describe(found) for name, describe in FEATURES.items()}
    return {name: text for name, text in described.items() if text}


def refuse_unsupported(found: CompiledModel, dropped: Collection[str], source: str) -> None:
    """Raise an error if the file has features that a Model cannot keep and that are not dropped."""
    left = {name: text for name, text in find_features(found).items() if name not in dropped}
    if not left:
        return
    listed = ", ".join(f"{name} ({text})" for name, text in left.items())
    implied = set(_implied(dropped))
    names = [*(name for name in dropped if name and name not in implied), *left]
    raise FileError(
        f"{source}: it has what a model cannot keep: {listed}; to leave it out give "
        f"{spell_option('drop', names)} or {spell_option('drop', 'all')}"
    )
