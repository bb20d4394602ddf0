"""Equality constraints of an MJCF file as parts of a Model: soft in MuJoCo, rigid here.

connect: two points stay together (Coincident). weld: a Weld that closes a loop. joint:
q₁ = c₀ + c₁ q₂ is a coupling (Mimic), q₁ = c₀ a Drive, q = qpos − ref on both sides as in MuJoCo.
A joint follows one other at most: where it has two constraints, one of them is turned round.
Only those that are active at the start.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from hamiltree.files.meshes import ModelWarning
from hamiltree.files.mjcf_compiled import CompiledModel
from hamiltree.model import GROUND, Coincident, Constraint, Drive, Frame, Joint, Mimic, Weld

CONNECT, WELD, JOINT, TENDON = range(4)  # mjtEq
SITE = 6  # mjtObj: the objects are sites; otherwise they are bodies
TORQUESCALE = 10  # place in eq_data of a weld
START_TOLERANCE = (
    1e-9  # of the numbers compared: starts that differ by less differ by rounded digits
)


def active_equalities(found: CompiledModel, kind: int) -> list[int]:
    """The constraints of a kind that act at the start; none where the file disables them all."""
    mj = found.mj
    if found.is_off("EQUALITY", "CONSTRAINT"):
        return []
    return [k for k in range(mj.neq) if mj.eq_active0[k] and mj.eq_type[k] == kind]


def is_nonlinear(found: CompiledModel, k: int) -> bool:
    """Whether a joint constraint is a polynomial of a higher order than the first."""
    return bool(found.mj.eq_obj2id[k] >= 0 and np.any(found.mj.eq_data[k, 2:5]))


class JointLaw(NamedTuple):
    """q of a joint = offset + ratio · q of the leader; without a leader it stays at `offset`."""

    equality: int
    leader: int | None
    ratio: float
    offset: float

    def turned(self, follower: int) -> JointLaw:
        """The same law for the leader, which now follows."""
        return JointLaw(self.equality, follower, 1.0 / self.ratio, -self.offset / self.ratio)


Laws = dict[int, JointLaw]


class JointLaws(NamedTuple):
    """The constraints between joints that are linear."""

    laws: Laws  # by the joint that follows or stays
    excess: list[int]  # those of joints that others determine already, in another way
    redundant: list[int]  # those that follow from others


def joint_laws(found: CompiledModel) -> JointLaws:
    """Take the constraints in their order, each as the law of a joint that is still free."""
    laws: Laws = {}
    left = []
    for k in active_equalities(found, JOINT):
        if is_nonlinear(found, k):
            continue
        offset, ratio = found.mj.eq_data[k, :2].tolist()
        joint, leader = int(found.mj.eq_obj1id[k]), int(found.mj.eq_obj2id[k])
        follows = leader >= 0 and ratio != 0.0
        law = JointLaw(k, leader, ratio, offset) if follows else JointLaw(k, None, 0.0, offset)
        if follows and first_leader(laws, joint) == first_leader(laws, leader):
            left.append((k, joint, law))
        elif set_free(laws, joint):
            laws[joint] = law
        elif follows and set_free(laws, leader):
            laws[leader] = law.turned(joint)
        else:
            left.append((k, joint, law))
    redundant = [k for k, joint, law in left if follows_from(laws, joint, law)]
    return JointLaws(laws, [k for k, _, _ in left if k not in redundant], redundant)


def follows_from(laws: Laws, joint: int, law: JointLaw) -> bool:
    """Whether a further law of a joint says what the others say already: both sides are the same
    function of the joint that leads in the end, or the same constant.
    """
    leader, ratio, offset, size = resolve(laws, joint)
    led_by, factor, constant, terms = None, 0.0, 0.0, 0.0
    if law.leader is not None:
        led_by, factor, constant, terms = resolve(laws, law.leader)
    factor, constant = law.ratio * factor, law.offset + law.ratio * constant
    size += abs(law.offset) + abs(law.ratio) * terms
    return (
        leader == led_by
        and abs(ratio - factor) <= START_TOLERANCE * (abs(ratio) + abs(factor))
        and abs(offset - constant) <= START_TOLERANCE * size
    )


def resolve(laws: Laws, joint: int) -> tuple[int | None, float, float, float]:
    """The first leader of a joint, ratio, offset, and the sum of the terms of the offset without
    their signs; without a leader the joint stays at the offset.
    """
    ratio, offset, size = 1.0, 0.0, 0.0
    for place in way_up(laws, joint):
        if (law := laws.get(place)) is None:
            return place, ratio, offset, size
        offset += ratio * law.offset
        size += abs(ratio * law.offset)
        ratio *= law.ratio
    return None, 0.0, offset, size


def way_up(laws: Laws, joint: int) -> list[int]:
    """A joint, its leader, the leader of that one, …"""
    way = [joint]
    while (law := laws.get(way[-1])) is not None and law.leader is not None:
        way.append(law.leader)
    return way


def first_leader(laws: Laws, joint: int) -> int:
    return way_up(laws, joint)[-1]


def set_free(laws: Laws, joint: int) -> bool:
    """Turn laws round so that a joint leads all that it follows; False where one of those stays."""
    way = way_up(laws, joint)
    if way[-1] in laws:
        return False
    old = [laws.pop(follower) for follower in way[:-1]]
    for follower, leader, law in zip(way[:-1], way[1:], old, strict=True):
        laws[leader] = law.turned(follower)
    return True


def name_first(found: CompiledModel, equalities: list[int]) -> str:
    """How a message calls some constraints of joints."""
    k = equalities[0]
    more = f" and {len(equalities) - 1} more" if len(equalities) > 1 else ""
    return (found.name("eq", k) or repr(found.name("joint", found.mj.eq_obj1id[k]))) + more


def warn_of_redundant(found: CompiledModel, redundant: list[int], source: str) -> None:
    """Warn of constraints that are left out because others say the same."""
    if redundant:
        message = (
            f"{source}: the equality constraint {name_first(found, redundant)} follows from "
            "others; it is left out"
        )
        warnings.warn(message, ModelWarning, stacklevel=5)


def warn_of_moved_starts(
    laws: Laws, names: list[str], start_of: Callable[[int], float], source: str
) -> None:
    """Warn of a joint that does not start where the file says, because its constraint says
    otherwise; MuJoCo would pull it there.
    """
    moved = []
    starts: dict[int, float] = {}
    for joint, law in laws.items():
        led = 0.0 if law.leader is None else constrained_start(laws, law.leader, start_of, starts)
        wanted, own = law.offset + law.ratio * led, start_of(joint)
        size = abs(own) + abs(law.offset) + abs(law.ratio * led)
        if abs(own - wanted) > START_TOLERANCE * size:
            moved.append(f"joint {names[joint]!r} at {wanted:g} instead of {own:g}")
    if moved:
        more = f" and {len(moved) - 1} more" if len(moved) > 1 else ""
        message = f"{source}: an equality constraint starts {moved[0]}{more}"
        warnings.warn(message, ModelWarning, stacklevel=5)


def constrained_start(
    laws: Laws, joint: int, start_of: Callable[[int], float], starts: dict[int, float]
) -> float:
    """Where a joint starts with its constraints; `starts` keeps what is known."""
    for place in reversed(way_up(laws, joint)):
        if place not in starts:
            law = laws.get(place)
            if law is None:
                starts[place] = start_of(place)
            else:
                led = 0.0 if law.leader is None else starts[law.leader]
                starts[place] = law.offset + law.ratio * led
    return starts[joint]


class EqualityReader:
    """Makes the parts of the constraints; `name_of_body` is that of the model."""

    def __init__(self, found: CompiledModel, name_of_body: Callable[[int], str]) -> None:
        self.found = found
        self.mj = found.mj
        self.name_of_body = name_of_body

    def name(self, k: int) -> str:
        return self.found.name("eq", k)

    def ends(self, k: int) -> tuple[str, str, Frame, Frame]:
        """The two bodies and the frames in them that a connect or a weld keeps together."""
        first, second = int(self.mj.eq_obj1id[k]), int(self.mj.eq_obj2id[k])
        if self.is_between_sites(k):
            bodies = [self.name_of_body(int(self.mj.site_bodyid[site])) for site in (first, second)]
            return bodies[0], bodies[1], self.site(first), self.site(second)
        names = self.name_of_body(first), self.name_of_body(second)
        data = self.mj.eq_data[k]
        if self.mj.eq_type[k] == CONNECT:
            return *names, Frame(data[0:3].tolist()), Frame(data[3:6].tolist())
        return *names, Frame(data[3:6].tolist(), data[6:10].tolist()), Frame(data[0:3].tolist())

    def is_between_sites(self, k: int) -> bool:
        """Versions of MuJoCo before 3.2.3 know bodies only."""
        return hasattr(self.mj, "eq_objtype") and self.mj.eq_objtype[k] == SITE

    def site(self, site: int) -> Frame:
        return Frame(self.mj.site_pos[site].tolist(), self.mj.site_quat[site].tolist())

    def points(self, unused_name: Callable[[str], str]) -> list[Constraint]:
        """Points that stay together: every connect, and a weld that holds no direction."""
        held = [k for k in active_equalities(self.found, WELD) if not self.holds_directions(k)]
        connects = active_equalities(self.found, CONNECT)
        return [self.point(k, unused_name) for k in (*connects, *held)]

    def holds_directions(self, k: int) -> bool:
        return bool(self.mj.eq_data[k, TORQUESCALE] != 0.0)

    def point(self, k: int, unused_name: Callable[[str], str]) -> Constraint:
        one, other, on_one, on_other = self.ends(k)
        name = self.name(k) or unused_name(f"{one}_{other}_connect")
        return Coincident(one, other, on_one.position, on_other.position, name=name)

    def welds(self, unused_name: Callable[[str], str], source: str) -> list[Joint]:
        """Joints that close loops; one end of them may be the ground."""
        made: list[Joint] = []
        scaled = []
        for k in active_equalities(self.found, WELD):
            if not self.holds_directions(k):
                continue
            one, other, on_one, on_other = self.ends(k)
            if other == GROUND:
                one, other, on_one, on_other = other, one, on_other, on_one
            name = unused_name(self.name(k) or f"{one}_{other}_weld")
            made.append(Weld(name, one, other, on_one, on_other))
            if self.mj.eq_data[k, TORQUESCALE] != 1.0:
                scaled.append(name)
        if scaled:
            message = f"{source}: torquescale of weld {scaled[0]!r} has no meaning for a rigid weld"
            warnings.warn(message, ModelWarning, stacklevel=5)
        return made

    def couplings(self, laws: Laws, coordinates: dict[int, str]) -> list[Mimic]:
        """Coordinates that follow others."""
        return [
            Mimic(
                coordinates[joint],
                coordinates[law.leader],
                ratio=law.ratio,
                offset=law.offset,
                name=self.name(law.equality),
            )
            for joint, law in laws.items()
            if law.leader is not None
        ]

    def holds(self, laws: Laws, coordinates: dict[int, str]) -> list[Constraint]:
        """Coordinates that stay where they are."""
        return [
            Drive(coordinates[joint], position=law.offset, name=self.name(law.equality))
            for joint, law in laws.items()
            if law.leader is None
        ]
