"""Forces between the particles of different bodies by a potential of their distance, as data.

SI units, or any coherent ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hamiltree.model.catalogues import register
from hamiltree.model.dimensions import Declared
from hamiltree.model.forces import FORCES, Force
from hamiltree.model.potentials import LennardJones, Potential, PotentialTable, mix_parameters
from hamiltree.model.values import Part, Vector, flag, nonnegative, part_error, positive, text

if TYPE_CHECKING:
    from hamiltree.model.model import Model

ALL_BODIES, NEIGHBOURS = "all", "neighbours"
MIXINGS = ("lorentz_berthelot", "geometric")
End = tuple[str, int | None]  # a body and the index of one of its particles, None for all of them


@register(FORCES)
@dataclass(frozen=True, slots=True)
class PairForce(Force):
    """V = sum of potential(r) over pairs of particles of different bodies; a body never acts on
    itself.

    `potential`: one for all particles, or {"A A": ..., "A B": ...} by their types, all of one
    class; a key of one type ("A") is for like ones, and unlike ones follow from two such keys by
    `mixing`: "lorentz_berthelot" or "geometric", for Lennard-Jones.
    `between`: "all" bodies, "neighbours" in the order of `bodies` (`closed`: the last and the first
    too), or a list of pairs, each of two bodies ("b1", "b2") or of single particles
    ("b1:0", "b2:3"). `bodies` () are all that have particles, as the model declares them.
    Beyond `cutoff` V = 0: it jumps there, unless it is lowered by V(cutoff) (`shift`) or taken down
    smoothly from r = `switch` on by S = 1 - x³ (10 - 15 x + 6 x²),
    x = (r² - switch²)/(cutoff² - switch²), which leaves V'' continuous.
    `box` (Lx, Ly, Lz) are lengths of a periodic box, 0 where it is open; the nearest image acts.
    `skin` is what a list of near pairs reaches beyond the cutoff. `exclude` names pairs of bodies
    that do not act on each other.
    """

    kind: ClassVar[str] = "pair_force"
    is_relative: ClassVar[bool] = True
    is_conservative: ClassVar[bool] = True
    dimensions: ClassVar[Declared] = dict.fromkeys(("cutoff", "switch", "skin", "box"), "length")

    potential: Potential | Mapping[str, Potential]
    between: Literal["all", "neighbours"] | tuple[tuple[str, str], ...] = ALL_BODIES
    bodies: tuple[str, ...] = field(default=(), kw_only=True)
    closed: bool = field(default=False, kw_only=True)
    cutoff: float | None = field(default=None, kw_only=True)
    switch: float | None = field(default=None, kw_only=True)
    shift: bool = field(default=False, kw_only=True)
    box: Vector | None = field(default=None, kw_only=True)
    skin: float | None = field(default=None, kw_only=True)
    mixing: Literal["lorentz_berthelot", "geometric"] = field(
        default="lorentz_berthelot", kw_only=True
    )
    exclude: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Check every field, then those that depend on each other."""
        Force.__post_init__(self)
        put = object.__setattr__
        put(self, "potential", _potential(self.potential, self.part))
        put(self, "bodies", _names(self.bodies, self.part))
        put(self, "exclude", _pairs(self.exclude, self.part, "exclude"))
        put(self, "between", _between(self.between, self.part))
        put(self, "box", _box(self.box, self.part))
        for name in ("closed", "shift"):
            put(self, name, flag(getattr(self, name), self.part, name))
        for name in ("cutoff", "switch"):
            if getattr(self, name) is not None:
                put(self, name, positive(getattr(self, name), self.part, name))
        if self.skin is not None:
            put(self, "skin", nonnegative(self.skin, self.part, "skin"))
        _check_mixing(self)
        _check_selection(self)
        _check_range(self)

    # ---- who acts on whom
    def names(self, model: Model) -> tuple[str, ...]:
        """The bodies that take part, in the order of `bodies` or of the model."""
        if not isinstance(self.between, str):
            return tuple(dict.fromkeys(name for pair in self.ends(model) for name, _ in pair))
        return self.bodies or tuple(
            body.name for body in model.bodies if body.particles is not None
        )

    def body_pairs(self, model: Model) -> list[tuple[str, str]] | None:
        """The pairs of bodies that act on each other, each once and without the excluded ones; None
        for "all".
        """
        if self.between == ALL_BODIES:
            return None
        if self.between == NEIGHBOURS:
            names = self.names(model)
            pairs = list(pairwise(names)) + ([(names[-1], names[0])] if self.closed else [])
        else:
            pairs = list(
                {frozenset((a, b)): (a, b) for (a, _), (b, _) in self.ends(model)}.values()
            )
        excluded = self.excluded
        return [pair for pair in pairs if frozenset(pair) not in excluded]

    def ends(self, model: Model) -> list[tuple[End, End]]:
        """The pairs of a list `between` that are not excluded: of bodies, or of particles by their
        index; [] where it is a word.
        """
        if isinstance(self.between, str):
            return []
        known, excluded = model._bodies_by_name, self.excluded
        pairs = [
            (parse_end(first, known), parse_end(second, known)) for first, second in self.between
        ]
        return [
            (first, second)
            for first, second in pairs
            if frozenset((first[0], second[0])) not in excluded
        ]

    @property
    def excluded(self) -> frozenset[frozenset[str]]:
        """The pairs of `exclude`, in either order."""
        return frozenset(frozenset(pair) for pair in self.exclude)

    # ---- what acts
    def parameters_of(self, first: str, second: str) -> Potential:
        """The potential of a particle of type `first` and one of type `second`."""
        if isinstance(self.potential, Potential):
            return self.potential.between(first, second)
        for key in (
            f"{first} {second}",
            f"{second} {first}",
            *((first,) if first == second else ()),
        ):
            if key in self.potential:
                return self.potential[key].between(first, second)
        like = [self.potential.get(word) for word in (first, second)]
        if isinstance(like[0], LennardJones) and isinstance(like[1], LennardJones):
            return mix_parameters(like[0], like[1], self.mixing)
        problem = (
            f"holds no potential for the types {first!r} and {second!r}; "
            f"add the key '{first} {second}' (only Lennard-Jones mixes)"
        )
        raise part_error(self.part, "potential", tuple(self.potential), problem)

    def pair_energy(self, first: str, second: str, r: Any) -> Any:
        """V(r) of two particles of these types with cut-off, switch and shift, for any potential
        but a formula; r may be an array.
        """
        law: Any = self.parameters_of(first, second)
        end = law.value(self.cutoff) if self.shift else 0.0
        return self.apply_cutoff(r, law.value(r), law.slope(r), law.curvature(r), end)[0]

    def apply_cutoff(
        self, r: Any, value: Any, slope: Any, curvature: Any, end: Any = 0.0
    ) -> tuple[Any, Any, Any]:
        """(V, V', V'') at r, from those of the bare potential, with cut-off and switch; `end` is
        its value at the cut-off, if shifted.

        (S V)' = S V' + S' V and (S V)'' = S V'' + 2 S' V' + S'' V, with S a function of r².
        """
        if self.cutoff is None:
            return value, slope, curvature
        inside = np.asarray(r) < self.cutoff
        if self.switch is not None:
            s, ds, dds = switching_function(r, self.switch, self.cutoff)
            value, slope, curvature = (
                s * value,
                s * slope + ds * value,
                s * curvature + 2.0 * ds * slope + dds * value,
            )
        if self.shift:
            value = value - end
        return (
            np.where(inside, value, 0.0),
            np.where(inside, slope, 0.0),
            np.where(inside, curvature, 0.0),
        )


def switching_function(r: Any, begin: float, end: float) -> tuple[Any, Any, Any]:
    """(S, S', S'') by r of S = 1 - x³ (10 - 15 x + 6 x²), x = (r² - begin²)/(end² - begin²) within
    [0, 1].
    """
    width = end**2 - begin**2
    x = np.clip((np.asarray(r, dtype=float) ** 2 - begin**2) / width, 0.0, 1.0)
    by_x, by_xx = -30.0 * x**2 * (1.0 - x) ** 2, -60.0 * x * (1.0 - x) * (1.0 - 2.0 * x)
    rate = 2.0 * r / width
    return (
        1.0 - x**3 * (10.0 - 15.0 * x + 6.0 * x**2),
        by_x * rate,
        by_xx * rate**2 + by_x * 2.0 / width,
    )


# ---- checks of the force alone -------------------------------------------------------------------
def _potential(value: Any, part: Part) -> Potential | PotentialTable:
    return _table(value, part) if isinstance(value, Mapping) else _one_potential(value, part)


def _one_potential(value: Any, part: Part) -> Potential:
    """A potential of some kind."""
    if not isinstance(value, Potential) or type(value) is Potential:
        raise part_error(
            part,
            "potential",
            value,
            'is no potential; give e.g. LennardJones(epsilon, sigma), or {"A B": '
            "LennardJones(...)}",
        )
    return value


def _table(value: Mapping[Any, Any], part: Part) -> PotentialTable:
    """Keys of one or two types, each pair once; potentials of one class."""
    found: dict[str, Potential] = {}
    seen: dict[tuple[str, ...], str] = {}
    for key, potential in value.items():
        types = tuple(str(key).split())
        if len(types) not in (1, 2):
            raise part_error(
                part,
                "potential",
                key,
                "is no pair of types; give keys such as 'A B', or 'A' for like ones",
            )
        same = tuple(sorted(types if len(types) == 2 else types * 2))
        if same in seen:
            raise part_error(
                part,
                "potential",
                key,
                f"and {seen[same]!r} are the same pair of types; keep one of them",
            )
        seen[same] = str(key)
        found[" ".join(types)] = _one_potential(potential, part)
    if not found:
        raise part_error(
            part, "potential", value, "is empty; give a potential for every pair of types"
        )
    classes = {type(potential).__name__: key for key, potential in found.items()}
    if len(classes) > 1:
        (one, first), (other, second), *_ = classes.items()
        problem = (
            f"mixes {one} ({first!r}) and {other} ({second!r}); make one pair force of each kind"
        )
        raise part_error(part, "potential", tuple(found), problem)
    return PotentialTable(found)


def _names(value: Any, part: Part) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise part_error(part, "bodies", value, 'is no list of bodies; give e.g. ["b1", "b2"]')
    names = tuple(text(name, part, "bodies") for name in value)
    twice = next((name for name, count in Counter(names).items() if count > 1), "")
    if twice:
        raise part_error(part, "bodies", twice, "is named twice; name every body once")
    return names


def _between(value: Any, part: Part) -> Any:
    """A known word, or pairs of names."""
    if isinstance(value, str):
        if value not in (ALL_BODIES, NEIGHBOURS):
            raise part_error(
                part, "between", value, 'is unknown; give "all", "neighbours" or a list of pairs'
            )
        return value
    pairs = _pairs(value, part, "between")
    if not pairs:
        raise part_error(
            part, "between", value, 'holds no pair; give pairs of bodies, "all" or "neighbours"'
        )
    return pairs


def _pairs(value: Any, part: Part, field_name: str) -> tuple[tuple[str, str], ...]:
    """Pairs of different names, each once in whatever order."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise part_error(
            part, field_name, value, 'is no list of pairs; give e.g. [["b1", "b2"], ["b2", "b3"]]'
        )
    pairs: list[tuple[str, str]] = []
    seen: set[frozenset[str]] = set()
    for pair in value:
        if isinstance(pair, str) or not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise part_error(
                part, field_name, pair, 'is no pair; give two names such as ("b1", "b2")'
            )
        first, second = (text(name, part, field_name) for name in pair)
        if first == second:
            raise part_error(
                part, field_name, pair, "names one body twice; a body does not act on itself"
            )
        if frozenset((first, second)) in seen:
            raise part_error(part, field_name, pair, "is there twice; keep one of them")
        seen.add(frozenset((first, second)))
        pairs.append((first, second))
    return tuple(pairs)


def _box(value: Any, part: Part) -> Vector | None:
    """Three lengths, 0 where the box is open; None where it is open all around."""
    if value is None:
        return None
    items = value.tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(items, (tuple, list)) or len(items) != 3:
        raise part_error(
            part, "box", value, "is no box; give its three lengths, 0 where it is open"
        )
    x, y, z = (nonnegative(0.0 if item is None else item, part, "box") for item in items)
    return (x, y, z) if x or y or z else None


def _check_mixing(force: PairForce) -> None:
    if force.mixing not in MIXINGS:
        raise part_error(
            force.part,
            "mixing",
            force.mixing,
            f"is unknown; give {' or '.join(map(repr, MIXINGS))}",
        )


def _check_selection(force: PairForce) -> None:
    """`bodies`, `closed` and `exclude` belong to some values of `between` only."""
    if force.closed and force.between != NEIGHBOURS:
        raise part_error(
            force.part, "closed", True, 'belongs to between = "neighbours"; leave it out'
        )
    if force.bodies and not isinstance(force.between, str):
        raise part_error(
            force.part,
            "bodies",
            force.bodies,
            "and a list of pairs both say who acts; keep one of them",
        )


def _check_range(force: PairForce) -> None:
    """Cut-off, switch, shift, skin and box fit together."""
    if force.cutoff is None:
        for name, given in (
            ("switch", force.switch is not None),
            ("shift", force.shift),
            ("skin", force.skin is not None),
        ):
            if given:
                raise part_error(force.part, name, getattr(force, name), "needs a cutoff; give one")
        if force.box is not None and force.between == ALL_BODIES:
            raise part_error(
                force.part, "box", force.box, "needs a cutoff of at most half its lengths; give one"
            )
        return
    if force.switch is not None and force.switch >= force.cutoff:
        raise part_error(
            force.part,
            "switch",
            force.switch,
            f"is not below the cutoff {force.cutoff:g}; begin to switch earlier",
        )
    if force.shift and force.switch is not None:
        raise part_error(
            force.part, "shift", True, "and switch both make an end at the cutoff; keep one of them"
        )
    least = min((length for length in force.box or () if length > 0.0), default=np.inf)
    if force.cutoff > 0.5 * least:
        problem = (
            f"is more than half of the periodic length {least:g}; "
            f"give at most {0.5 * least:g}, or a larger box"
        )
        raise part_error(force.part, "cutoff", force.cutoff, problem)


def parse_end(word: str, known: Mapping[str, Any]) -> End:
    """ "b1" is a body, "b1:3" the particle 3 of one; a body may be called so as well."""
    name, colon, index = word.rpartition(":")
    if word in known or not colon or not index.isdecimal():
        return word, None
    return name, int(index)
