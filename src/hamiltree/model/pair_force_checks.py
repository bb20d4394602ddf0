"""Checks of a pair force in its model: particles, parameters for their types, overlaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import ModelError, suggest
from hamiltree.model.pair_force import ALL_BODIES, NEIGHBOURS, PairForce, parse_end
from hamiltree.model.particles import find_overlaps
from hamiltree.model.potentials import Potential

if TYPE_CHECKING:
    from hamiltree.model.bodies import Body
    from hamiltree.model.model import Model

# of the smallest sigma: nearer, V of Lennard-Jones is 10⁹ epsilon and no step is short enough
OVERLAP_RATIO = 0.2


# ---- checks of the force in its model ------------------------------------------------------------
def check_pair_force(force: PairForce, model: Model, who: str, part: tuple[str, Any]) -> None:
    """Everything that is named exists and has particles, and every two types that meet have a
    potential.
    """
    known = model._bodies_by_name
    try:
        for field_name, names in (
            ("bodies", force.bodies),
            ("exclude", [name for pair in force.exclude for name in pair]),
        ):
            for name in names:
                _body_with_particles(name, known, field_name)
        for pair in () if isinstance(force.between, str) else force.between:
            _check_pair(pair, known)
        if not force.names(model):
            raise ModelError(
                "there is no body with particles; make bodies with Body.of_particles",
                None,
                "bodies",
            )
        if force.between == NEIGHBOURS and len(force.names(model)) < (3 if force.closed else 2):
            least = (
                "three bodies with particles in a closed chain"
                if force.closed
                else "two bodies with particles"
            )
            raise ModelError(
                f"neighbours need at least {least}; the model has {len(force.names(model))}",
                None,
                "between",
            )
        for first, second in _interacting_types(force, model):
            force.parameters_of(first, second)
    except ModelError as error:
        message = str(error)
        for prefix in (f"{force.part[0]} {force.part[1]!r}: ", f"{force.part[0]}: "):
            message = message.removeprefix(prefix)
        raise ModelError(f"{who}: {message}", part, error.field) from None


def _body_with_particles(name: str, known: Mapping[str, Body], field_name: str) -> Body:
    """The body of that name, which must have particles."""
    body = known.get(name)
    if body is None:
        raise ModelError(
            f"{field_name}: {name!r} is not a body of the model; {suggest(name, known)}",
            None,
            field_name,
        )
    if body.particles is None:
        raise ModelError(
            f"{field_name}: body {name!r} has no particles; give it some, e.g. with "
            "Body.of_particles",
            None,
            field_name,
        )
    return body


def _check_pair(pair: tuple[str, str], known: Mapping[str, Body]) -> None:
    """Both ends of a pair are particles of the model, of different bodies."""
    names = []
    for word in pair:
        name, index = parse_end(word, known)
        count = len(_body_with_particles(name, known, "between").particles or ())
        if index is not None and not 0 <= index < count:
            raise ModelError(
                f"between: {word!r}: body {name!r} has {count} particles, 0 to {count - 1}",
                None,
                "between",
            )
        names.append(name)
    if names[0] == names[1]:
        raise ModelError(
            f"between: {pair!r} is one body; a body does not act on itself", None, "between"
        )


def _interacting_types(force: PairForce, model: Model) -> list[tuple[str, str]]:
    """The pairs of types of which two particles may meet."""
    known = model._bodies_by_name
    pairs = force.body_pairs(model)
    met: set[tuple[str, str]] = set()
    if pairs is None:
        sets = Counter(_types_of(known[name]) for name in force.names(model))
        groups = [
            (a, b) for a, b in combinations_with_replacement(sets, 2) if a is not b or sets[a] > 1
        ]
        met.update((x, y) for a, b in groups for x in a for y in b)
    elif isinstance(force.between, str):
        groups = {(_types_of(known[a]), _types_of(known[b])) for a, b in pairs}
        met.update((x, y) for a, b in groups for x in a for y in b)
    else:
        for (a, i), (b, j) in force.ends(model):
            met.update((x, y) for x in _types_of(known[a], i) for y in _types_of(known[b], j))
    return sorted({(min(pair), max(pair)) for pair in met})


def refuse_overlaps(
    force: PairForce,
    model: Model,
    origins: np.ndarray,
    rotations: np.ndarray,
    unplaced: Collection[str] = (),
) -> None:
    """No two particles that act on each other with a potential without bound sit in one place, the
    bodies being at these poses.

    origins n x 3 and rotations n x 3 x 3, body to world, in the order of the model's bodies; of
    bodies that are `unplaced`, and where they are no finite numbers, nothing is known. In a
    periodic box images count.
    """
    given = force.potential
    potentials = [given] if isinstance(given, Potential) else list(given.values())
    if not potentials[0].is_unbounded:
        return
    limit = OVERLAP_RATIO * min(getattr(potential, "sigma", 0.0) for potential in potentials)
    rows = _placed_rows(force, model, origins, rotations, unplaced)
    if not rows:
        return
    own = [particles for i in rows if (particles := model.bodies[i].particles) is not None]
    distinct = {id(particles): particles for particles in own}  # many bodies share theirs
    positions = {key: np.array(particles.positions) for key, particles in distinct.items()}
    local = [positions[id(particles)] for particles in own]
    counts = [len(places) for places in local]
    owners = np.repeat(rows, counts)
    indices = np.concatenate([np.arange(count) for count in counts])
    places = origins[owners] + np.einsum("nij,nj->ni", rotations[owners], np.concatenate(local))
    for i, j, distance in _near_in_box(places, owners, limit, force.box or (0.0, 0.0, 0.0)):
        first = model.bodies[owners[i]].name, int(indices[i])
        second = model.bodies[owners[j]].name, int(indices[j])
        if _interact(force, model, first, second):
            raise _overlap_error(force, first, second, distance, limit)


def _near_in_box(
    places: np.ndarray, owners: np.ndarray, limit: float, lengths: Sequence[float]
) -> list[tuple[int, int, float]]:
    """Particles of different owners that are `limit` or less apart. Images that meet across walls
    of the box are near these walls, and meet inside a box that is shifted by half its length along
    just these axes.
    """
    box = np.array(lengths)
    inside = _wrap_into_box(places, box)
    found = find_overlaps(inside, owners, limit)
    if not box.any():
        return found
    at_wall = (box > 0.0) & ((inside <= 2.0 * limit) | (inside >= box - 2.0 * limit))
    for axes in list(product((False, True), repeat=3))[1:]:
        chosen = np.flatnonzero(at_wall[:, axes].all(axis=1))
        if len(chosen) < 2:
            continue
        shifted = _wrap_into_box(places[chosen] + 0.5 * box * np.array(axes), box)
        across = find_overlaps(shifted, owners[chosen], limit)
        found += [(int(chosen[i]), int(chosen[j]), distance) for i, j, distance in across]
    return found


def _placed_rows(
    force: PairForce,
    model: Model,
    origins: np.ndarray,
    rotations: np.ndarray,
    unplaced: Collection[str],
) -> list[int]:
    """Bodies of the force by number, but those of which it is not known where they are."""
    place = {body.name: i for i, body in enumerate(model.bodies)}
    rows = [place[name] for name in force.names(model) if name not in unplaced]
    is_known = np.isfinite(origins[rows]).all(axis=1) & np.isfinite(rotations[rows]).all(
        axis=(1, 2)
    )
    return np.array(rows, dtype=int)[is_known].tolist()


def _overlap_error(
    force: PairForce, first: tuple[str, int], second: tuple[str, int], distance: float, limit: float
) -> ModelError:
    """The error that names two particles, their bodies and their distance."""
    (a, k), (b, l) = first, second
    by_image = " by the nearest image in the box" if force.box else ""
    why = (
        f"nearer than {OVERLAP_RATIO:g} sigma = {limit:.3g} m"
        if limit
        else "where the potential is infinite"
    )
    return ModelError(
        f"particles {k} of body {a!r} and {l} of body {b!r} are {distance:.3g} m "
        f"apart{by_image}, {why}; move one of the bodies",
        ("body", a),
        None,
    )


def _wrap_into_box(places: np.ndarray, box: np.ndarray) -> np.ndarray:
    """Moved into the box, along the axes that it has a length of."""
    return np.where(box > 0.0, np.mod(places, np.where(box > 0.0, box, 1.0)), places)


def _interact(
    force: PairForce, model: Model, first: tuple[str, int], second: tuple[str, int]
) -> bool:
    """Whether two particles, each of a body by its index, act on each other."""
    bodies = frozenset((first[0], second[0]))
    if bodies in force.excluded:
        return False
    if force.between == ALL_BODIES:
        return True
    if force.between == NEIGHBOURS:
        return bodies in {frozenset(pair) for pair in force.body_pairs(model) or ()}
    meant = [{first, (first[0], None)}, {second, (second[0], None)}]
    return any(
        (a in meant[0] and b in meant[1]) or (b in meant[0] and a in meant[1])
        for a, b in force.ends(model)
    )


def _types_of(body: Body, index: int | None = None) -> frozenset[str]:
    types = body.particles.types if body.particles is not None else ()
    return frozenset(types if index is None else types[index : index + 1])
