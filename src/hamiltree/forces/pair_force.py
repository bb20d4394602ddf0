"""Potentials between the particles of bodies: from a PairForce to its table, of a type that names
the potential (pair_sums.py does the sums).

Few bodies, neighbours and chosen pairs have all their rows in the table; many bodies with a cut-off
have lists.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.stack import stack_array
from hamiltree.compiled.user_code import UserCallback, code_table
from hamiltree.errors import ModelError
from hamiltree.forces.laws import (
    BODY_LAWS,
    LAW_STATE_ALLOCATORS,
    Law,
    LawError,
    add_discrete_gradient_forces,
    add_load_wrenches,
    add_no_load_wrenches,
    add_wrenches_with_state,
    body_potential_energy_with_state,
)
from hamiltree.forces.pair_potentials import (
    COEFFICIENTS_PER_PAIR,
    buckingham,
    coulomb,
    fene,
    formula_at,
    harmonic,
    lennard_jones,
    morse,
    pair_potential,
    pair_potential_at,
    screened_coulomb,
)
from hamiltree.forces.pair_sums import (
    PairTable,
    add_discrete_pair_forces,
    add_pair_wrenches,
    allocate_pair_states,
    pair_potential_energy,
)
from hamiltree.forces.user_code import evaluate_code, parse_formula, raise_as_law_error
from hamiltree.model.pair_force import ALL_BODIES, PairForce
from hamiltree.model.potentials import (
    Buckingham,
    ChargePair,
    Fene,
    HarmonicBond,
    LennardJones,
    Morse,
    PairFormula,
)
from hamiltree.symbolic.calculus import compile_with_gradient

DEFAULT_SKIN = 0.12  # of the cut-off, where none is given
MAX_UNLISTED_ROWS = 4096  # so many are looked at in every step rather than listed
MAX_TABLE_ROWS = 2**24  # of a table
UNLIMITED = 1e130  # a cut-off² that only ghosts are beyond; its square is finite


class LennardJonesPairs(PairTable):
    __slots__ = ()


class MorsePairs(PairTable):
    __slots__ = ()


class CoulombPairs(PairTable):
    __slots__ = ()


class ScreenedPairs(PairTable):
    __slots__ = ()


class BuckinghamPairs(PairTable):
    __slots__ = ()


class HarmonicPairs(PairTable):
    __slots__ = ()


class FenePairs(PairTable):
    __slots__ = ()


class FormulaPairs(PairTable):
    __slots__ = ()


POTENTIALS = {
    LennardJonesPairs: lennard_jones,
    MorsePairs: morse,
    CoulombPairs: coulomb,
    ScreenedPairs: screened_coulomb,
    BuckinghamPairs: buckingham,
    HarmonicPairs: harmonic,
    FenePairs: fene,
}
for table_type in (*POTENTIALS, FormulaPairs):
    LAW_STATE_ALLOCATORS[table_type] = allocate_pair_states
    add_wrenches_with_state.method(table_type)(add_pair_wrenches)
    body_potential_energy_with_state.method(table_type)(pair_potential_energy)
    add_discrete_gradient_forces.method(table_type)(add_discrete_pair_forces)
    add_load_wrenches.method(table_type)(add_no_load_wrenches)
for table_type, potential in POTENTIALS.items():
    pair_potential.method(table_type)(potential)
pair_potential_at.method(FormulaPairs)(formula_at)


def table_type_of(potential: Any) -> type:
    """The type of table that computes a potential."""
    if isinstance(potential, ChargePair):
        return CoulombPairs if potential.screening is None else ScreenedPairs
    return {
        LennardJones: LennardJonesPairs,
        Morse: MorsePairs,
        Buckingham: BuckinghamPairs,
        HarmonicBond: HarmonicPairs,
        Fene: FenePairs,
        PairFormula: FormulaPairs,
    }[type(potential)]


def potential_coefficients(potential: Any) -> tuple[float, ...]:
    """a, b, c of pair_potentials.py."""
    if isinstance(potential, LennardJones):
        sixth = potential.sigma**6
        return 4.0 * potential.epsilon * sixth * sixth, 4.0 * potential.epsilon * sixth, 0.0
    if isinstance(potential, ChargePair):
        return (
            potential.strength,
            0.0 if potential.screening is None else 1.0 / potential.screening,
            0.0,
        )
    if isinstance(potential, Fene):
        return potential.stiffness, 1.0 / potential.extent**2, 0.0
    if isinstance(potential, HarmonicBond):
        return potential.stiffness, potential.length, 0.0
    # Morse and Buckingham as they are
    return () if isinstance(potential, PairFormula) else potential.numbers


# ---- particles in clusters -----------------------------------------------------------------------
class Clusters(NamedTuple):
    """Groups of at most four particles of one body, bodies in order; a chosen particle is one by
    itself.
    """

    bodies: tuple[str, ...]
    owner: np.ndarray  # (clusters,)
    members: list[tuple[int, ...]]  # particles of the body
    is_chosen: np.ndarray  # (clusters,)

    @property
    def real(self) -> np.ndarray:
        return np.array([len(group) for group in self.members], dtype=np.int64)

    @property
    def first(self) -> np.ndarray:
        return np.searchsorted(self.owner, np.arange(len(self.bodies) + 1))


def group_particles(particles) -> list[tuple[int, ...]]:
    """All particles of a body by fours, cut across its longest extent first: clusters are small
    balls.
    """
    points = np.array(particles.positions)
    return split_by_extent(points, list(range(len(points))))


def split_by_extent(points: np.ndarray, chosen: list[int]) -> list[tuple[int, ...]]:
    """Fours of particles: halved across the longest extent until four or fewer are left."""
    if len(chosen) <= WIDTH:
        return [tuple(sorted(chosen))]
    where = points[chosen]
    order = np.argsort(where[:, np.argmax(np.ptp(where, axis=0))], kind="stable")
    half = WIDTH * ((len(chosen) + 2 * WIDTH - 1) // (2 * WIDTH))  # whole clusters on the left
    return split_by_extent(points, [chosen[k] for k in order[:half]]) + split_by_extent(
        points, [chosen[k] for k in order[half:]]
    )


def make_clusters(force: PairForce, model) -> Clusters:
    """The particles that a force acts on, by fours or one by one, body after body."""
    ends, names = force.ends(model), force.names(model)
    whole = {name for pair in ends for name, index in pair if index is None} if ends else set(names)
    single: dict[str, set[int]] = {}
    for name, index in (end for pair in ends for end in pair):
        if index is not None:
            single.setdefault(name, set()).add(index)
    # bodies that share their particles share their groups
    made: dict[int, list[tuple[int, ...]]] = {}
    found: list[tuple[int, tuple[int, ...], bool]] = []
    for number, name in enumerate(names):
        particles = model.body(name).particles
        if name in whole and id(particles) not in made:
            made[id(particles)] = group_particles(particles)
        found += [
            (number, group, False) for group in (made[id(particles)] if name in whole else ())
        ]
        found += [(number, (index,), True) for index in sorted(single.get(name, ()))]
    owner, members, chosen = zip(*found, strict=True)
    return Clusters(names, np.array(owner, dtype=np.int64), list(members), np.array(chosen))


# ---- rows ----------------------------------------------------------------------------------------
def pair_rows(force: PairForce, model, clusters: Clusters) -> np.ndarray:
    """(rows, 2) particle and cluster of every row of a table without lists, in order."""
    first = clusters.first
    numbers = {name: k for k, name in enumerate(clusters.bodies)}
    real = clusters.real

    @cache
    def found(name, index):
        """The clusters of an end: all of a body, or that of one particle; and their particles."""
        own = np.arange(first[numbers[name]], first[numbers[name] + 1])
        own = own[clusters.is_chosen[own] == (index is not None)]
        if index is not None:
            own = np.array([c for c in own if clusters.members[c] == (index,)])
        return own, np.concatenate([WIDTH * c + np.arange(real[c]) for c in own])

    rows = []
    for a, b in end_pairs(force, model, clusters):
        (_, particles), (others, _) = found(*a), found(*b)
        rows.append(
            np.column_stack([np.repeat(particles, len(others)), np.tile(others, len(particles))])
        )
    table = np.concatenate(rows) if rows else np.zeros((0, 2), dtype=np.int64)
    return table[np.lexsort((table[:, 1], table[:, 0]))]


def end_pairs(force: PairForce, model, clusters: Clusters):
    """Pairs of ends (body, particle or None for all) that interact, without the excluded bodies."""
    ends = force.ends(model)
    if ends:
        return [(a, b) for a, b in ends if frozenset((a[0], b[0])) not in force.excluded]
    pairs = force.body_pairs(model)
    if pairs is None:
        pairs = [
            pair
            for pair in combinations(clusters.bodies, 2)
            if frozenset(pair) not in force.excluded
        ]
    return [((a, None), (b, None)) for a, b in pairs]


def excluded_rows(force: PairForce, clusters: Clusters) -> tuple[np.ndarray, np.ndarray]:
    """For every body the excluded ones of a higher number."""
    numbers = {name: k for k, name in enumerate(clusters.bodies)}
    known = [
        sorted(numbers[name] for name in pair)
        for pair in force.excluded
        if all(name in numbers for name in pair)
    ]
    table = np.array(sorted(known), dtype=np.int64).reshape(-1, 2)
    return np.searchsorted(table[:, 0], np.arange(len(clusters.bodies) + 1)), table[:, 1]


# ---- potentials by types -------------------------------------------------------------------------
def potential_between(force: PairForce, first: str, second: str) -> Any:
    """The potential of two particle types; None where the force does not define one."""
    try:
        return force.parameters_of(first, second)
    except ModelError:
        return None


def formula_code(force: PairForce, potential: PairFormula) -> UserCallback:
    """Block 0: V and dV/dr."""
    try:
        said = parse_formula(potential, "formula", potential.formula, ("r",), what="potential")
        return raise_as_law_error(
            potential,
            "formula",
            lambda: compile_with_gradient(said, ("r",), tuple(sorted(potential.parameters))),
        ).code
    except LawError as fault:
        raise LawError(
            force,
            "potential",
            f"{fault}; parameters are given as PairFormula(formula, {{name: number}})",
        ) from fault


@kernel
def formula_at_distance(code, parameters, r):
    inputs, out = stack_array(0.0, 1), stack_array(0.0, 2)
    inputs[0] = r
    evaluate_code(code, 0, 0, parameters, 0.0, inputs, out)
    return out[0]


class TypeParameters(NamedTuple):
    numbers: np.ndarray
    parameters: np.ndarray
    shift: np.ndarray
    code: np.ndarray


def tabulate_types(
    force: PairForce, types: Sequence[str], patterns: Sequence[tuple[int, ...]]
) -> TypeParameters:
    """Numbers of every type with the four of every pattern; of a formula, parameters of every two
    types.
    """
    known = [[potential_between(force, a, b) for b in types] for a in types]
    if any(isinstance(potential, PairFormula) for row in known for potential in row):
        return tabulate_formula_types(
            force, [potential for row in known for potential in row], len(patterns)
        )
    numbers = np.zeros((len(types), len(types), COEFFICIENTS_PER_PAIR))
    for a, row in enumerate(known):
        for b, potential in enumerate(row):
            if potential is not None:
                numbers[a, b, :3] = potential_coefficients(potential)
                numbers[a, b, 3] = potential.value(force.cutoff) if force.shift else 0.0
    of_patterns = numbers[:, np.array(patterns)]  # (types, patterns, 4, NUMBERS)
    flat = np.ascontiguousarray(np.swapaxes(of_patterns, 2, 3)).ravel()
    return TypeParameters(flat, np.zeros((1, 1)), np.zeros(1), code_table([None]))


def tabulate_formula_types(force: PairForce, potentials: list, patterns: int) -> TypeParameters:
    """Code, parameters and shift of the formula of every two types."""
    width = max(
        1, *(len(potential.parameters) for potential in potentials if potential is not None)
    )
    codes: dict[Any, UserCallback] = {}
    parameters, shift = np.zeros((len(potentials), width)), np.zeros(len(potentials))
    used = []
    fallback = next(potential for potential in potentials if potential is not None)
    for k, potential in enumerate(potential or fallback for potential in potentials):
        key = (str(potential.formula), tuple(sorted(potential.parameters)))
        codes[key] = codes.get(key) or formula_code(force, potential)
        used.append(codes[key])
        parameters[k, : len(potential.parameters)] = [
            potential.parameters[name] for name in sorted(potential.parameters)
        ]
        shift[k] = (
            formula_at_distance(code_table([codes[key]]), parameters[k], force.cutoff)
            if force.shift
            else 0.0
        )
    return TypeParameters(np.zeros(1), parameters, shift, code_table(used))


# ---- the table -----------------------------------------------------------------------------------
def cutoff_limits(force: PairForce, radius: np.ndarray) -> tuple[float, ...]:
    """Cut-off², where switching begins and 1/(its width), all in s = r²; reach and skin of lists;
    the largest radius.
    """
    if force.cutoff is None:
        return UNLIMITED, UNLIMITED, 0.0, np.inf, np.inf, float(radius.max())
    skin = DEFAULT_SKIN * force.cutoff if force.skin is None else force.skin
    end, begin = force.cutoff**2, (force.cutoff if force.switch is None else force.switch) ** 2
    return (
        end,
        begin,
        1.0 / (end - begin) if end > begin else 0.0,
        force.cutoff + skin,
        (0.5 * skin) ** 2,
        float(radius.max()),
    )


def needs_neighbour_lists(force: PairForce, clusters: Clusters) -> bool:
    """Only where all bodies may meet within a cut-off, and there are many."""
    rows = int(clusters.real.sum()) * len(clusters.owner) // 2
    if force.between == ALL_BODIES and force.cutoff is None and rows > MAX_TABLE_ROWS:
        raise LawError(
            force,
            "cutoff",
            f"cutoff: none is given, so that {rows} rows of pairs would be computed; give one",
        )
    return force.between == ALL_BODIES and force.cutoff is not None and rows > MAX_UNLISTED_ROWS


def particle_positions(
    clusters: Clusters, model, placement
) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Rows of the bodies, positions of all particles in them (four per cluster, ghosts zero), and
    types.
    """
    links = [placement.link_of_body(name) for name in clusters.bodies]
    own = [model.body(name).particles for name in clusters.bodies]
    places_of: dict[tuple, np.ndarray] = {}  # many bodies share particles and frames
    types_of: dict[tuple, list[str]] = {}
    places, kinds = [], []
    for number, group in zip(clusters.owner.tolist(), clusters.members, strict=True):
        particles, frame = own[number], links[number][1]
        key = (id(particles), id(frame), group)
        if key not in places_of:
            turned = np.array(particles.positions) @ frame.matrix.T + np.array(frame.position)
            ghosts = WIDTH - len(group)
            places_of[key] = np.pad(turned[list(group)], ((0, ghosts), (0, 0)))
            types_of[key] = [particles.types[k] for k in (*group, *(group[0],) * ghosts)]
        places.append(places_of[key])
        kinds += types_of[key]
    return np.array([row for row, _ in links], dtype=np.int64), np.array(places), kinds


def cluster_radii(places: np.ndarray, real: np.ndarray) -> np.ndarray:
    """Of the ball about the mean of each cluster's particles, a hair larger than it is."""
    is_real = np.arange(WIDTH) < real[:, None]
    mean = (places * is_real[:, :, None]).sum(axis=1) / real[:, None]
    far = np.linalg.norm(places - mean[:, None], axis=2) * is_real
    return far.max(axis=1) * (1.0 + 1e-12)


def pair_table(force: PairForce, placement) -> PairTable:
    """The table of one PairForce, of a type that names its potential."""
    model = placement.model
    clusters = make_clusters(force, model)
    rows, places, kinds = particle_positions(clusters, model, placement)
    types = sorted(set(kinds))
    kind = (
        np.array([types.index(name) for name in kinds], dtype=np.int64)
        if len(types) > 1
        else np.zeros(len(kinds), dtype=np.int64)
    )
    patterns, pattern = np.unique(kind.reshape(-1, WIDTH), axis=0, return_inverse=True)
    by_types = tabulate_types(force, types, [tuple(row) for row in patterns])
    has_lists, radius = needs_neighbour_lists(force, clusters), cluster_radii(places, clusters.real)
    pairs = np.zeros((0, 2), dtype=np.int64) if has_lists else pair_rows(force, model, clusters)
    box = np.array(force.box or (0.0, 0.0, 0.0))
    fields = PairTable(
        rows,
        clusters.first.astype(np.int64),
        clusters.owner,
        clusters.real,
        radius,
        *(np.ascontiguousarray(places[:, :, axis].ravel()) for axis in range(3)),
        kind,
        pattern.astype(np.int64).ravel(),
        len(types),
        len(patterns),
        *by_types,
        np.searchsorted(pairs[:, 0], np.arange(len(kind) + 1)).astype(np.int32),
        pairs[:, 1].astype(np.int32),
        np.array(cutoff_limits(force, radius)),
        force.switch is not None,
        has_lists,
        force.box is not None,
        force.cutoff is not None and force.switch is None and not force.shift,
        box,
        np.array([1.0 / length if length else 0.0 for length in box]),
        *(np.ascontiguousarray(found, dtype=np.int64) for found in excluded_rows(force, clusters)),
    )
    return table_type_between(force, types)(
        *(read_only(field) if isinstance(field, np.ndarray) else field for field in fields)
    )


def table_type_between(force: PairForce, types: Sequence[str]) -> type:
    """The type of table for all pairs of these particle types; screened if one of them is."""
    known = [potential_between(force, a, b) for a in types for b in types]
    found = [table_type_of(potential) for potential in known if potential is not None]
    return ScreenedPairs if ScreenedPairs in found else found[0]


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


BODY_LAWS.append(
    Law(
        PairForce,
        PairTable,
        lambda parts, placement: [pair_table(part, placement) for part in parts],
    )
)
