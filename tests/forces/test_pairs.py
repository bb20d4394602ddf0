"""Forces between particles: sums over pairs against brute force in NumPy, finite differences, lists
against all pairs.
"""

from itertools import combinations

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.algebra.mat3 import Mat3
from hamiltree.algebra.spatial import Twist, Wrench
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import rows
from hamiltree.forces.dispatch import (
    add_all_wrenches,
    allocate_law_states,
    make_body_laws,
    potential_energy_of_bodies,
)
from hamiltree.forces.laws import (
    Bodies,
    Placement,
    add_discrete_gradient_forces,
    add_wrenches_with_state,
    body_potential_energy_with_state,
)
from hamiltree.forces.neighbour_lists import BUILD_COUNT, CELL_COUNTS, LISTS_VALID
from hamiltree.forces.pair_force import pair_table
from hamiltree.forces.pair_sums import allocate_pair_states
from hamiltree.model.values import IDENTITY

SHAPE = ht.Particles(
    [[0.5, 0.0, 0.0], [-0.5, 0.2, 0.0], [0.0, -0.6, 0.3], [0.1, 0.4, -0.5], [0.3, -0.2, 0.7]],
    types=["A", "A", "B", "A", "B"],
)
POTENTIALS = {
    "lennard_jones": ht.LennardJones(1.3, 0.9),
    "types": {"A": ht.LennardJones(1.0, 0.8), "B": ht.LennardJones(0.5, 1.1)},
    "morse": ht.Morse(1.1, 1.7, 1.4),
    "coulomb": ht.Coulomb({"A": 1.0, "B": -0.7}, constant=1.3),
    "screened": ht.Coulomb({"A": 1.0, "B": -0.7}, screening=1.5),
    "buckingham": ht.Buckingham(9.0, 2.5, 1.2),
    "harmonic": ht.HarmonicBond(3.0, 1.2),
    "fene": ht.Fene(3.0, 9.0),
    "formula": ht.PairFormula("a*exp(-r)/r**2 + sin(r)", {"a": 1.5}),
}


def model_of(n, force, particles=SHAPE):
    bodies = [ht.Body.of_particles(f"b{i}", particles) for i in range(n)]
    return ht.Model(
        bodies,
        [ht.Free(f"j{i}", "ground", body.name) for i, body in enumerate(bodies)],
        [force],
        gravity=(0, 0, 0),
    )


def placement_of(model):
    numbers = {body.name: k for k, body in enumerate(model.bodies)}
    return Placement(
        lambda name: 0, lambda name: (numbers[name], IDENTITY), body=model.body, model=model
    )


def rotations(rng, n):
    q = np.linalg.qr(rng.normal(size=(n, 3, 3)))[0]
    return q * np.sign(np.linalg.det(q))[:, None, None]


def scene(n, seed=0, spacing=2.2, noise=0.3):
    """Rotations and positions of n bodies about a cubic lattice."""
    rng, side = np.random.default_rng(seed), int(np.ceil(n ** (1 / 3)))
    grid = (
        spacing
        * np.array(
            [[i, j, k] for i in range(side) for j in range(side) for k in range(side)], dtype=float
        )[:n]
    )
    return rotations(rng, n), grid + noise * rng.normal(size=(n, 3))


def bodies_of(turn, at, law_state=None):
    n = len(at)
    made = Bodies(
        *(rows(kind, n, 1) for kind in (Mat3, Vec3, Twist, Wrench)),
        np.zeros(1, np.int64) if law_state is None else law_state,
    )
    made.rotation[:], made.position[:] = np.swapaxes(turn, 1, 2).reshape(n, 9), at
    return made


def interpreted(force, turn, at, table=None, law_state=None):
    """(wrenches, energy) by the interpreted kernels."""
    table = pair_table(force, placement_of(model_of(len(at), force))) if table is None else table
    bodies, law_state = (
        bodies_of(turn, at),
        allocate_pair_states(table, 1) if law_state is None else law_state,
    )
    add_wrenches_with_state(table, 0.0, bodies, law_state)
    return bodies.wrench, float(body_potential_energy_with_state(table, 0.0, bodies, law_state))


def value(force, a, b, r):
    """V(r) of two types; of a formula by hand."""
    if isinstance(force.potential, ht.PairFormula):
        return 1.5 * np.exp(-r) / r**2 + np.sin(r)
    return force.pair_energy(a, b, r)


def brute_energy(force, turn, at, pairs=None, particles=SHAPE):
    box = np.array(force.box or (0.0, 0.0, 0.0))
    x, total = at[:, None] + np.einsum("nij,kj->nki", turn, np.array(particles.positions)), 0.0
    for i, j in combinations(range(len(at)), 2) if pairs is None else pairs:
        for k, a in enumerate(particles.types):
            d = x[i, k] - x[j]
            d = d - box * np.round(np.divide(d, box, out=np.zeros_like(d), where=box > 0))
            total += sum(
                float(value(force, a, b, r))
                for b, r in zip(particles.types, np.linalg.norm(d, axis=1), strict=True)
            )
    return total


def moved(turn, at, body, axis, h):
    """The scene with one body shifted (axis < 3) or turned about a world axis."""
    turn, at = turn.copy(), at.copy()
    if axis < 3:
        at[body, axis] += h
        return turn, at
    w = np.zeros(3)
    w[axis - 3] = h
    c = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    angle = abs(h)
    turn[body] = (
        np.eye(3) + np.sin(angle) / angle * c + (1 - np.cos(angle)) / angle**2 * c @ c
    ) @ turn[body]
    return turn, at


@pytest.mark.parametrize("name", POTENTIALS)
def test_energy_is_the_sum_over_pairs_and_wrenches_are_its_derivatives(name):
    force, (turn, at) = ht.PairForce(POTENTIALS[name]), scene(3)
    wrench, energy = interpreted(force, turn, at)
    assert energy == pytest.approx(brute_energy(force, turn, at), rel=1e-13)
    h = 1e-5
    for body in range(3):
        for axis in range(6):
            slope = (
                brute_energy(force, *moved(turn, at, body, axis, h))
                - brute_energy(force, *moved(turn, at, body, axis, -h))
            ) / (2 * h)
            assert wrench[body, (axis + 3) % 6] == pytest.approx(
                -slope, rel=1e-7, abs=1e-7 * (1 + abs(energy))
            )


@pytest.mark.parametrize("name", ["lennard_jones", "types", "formula"])
@pytest.mark.parametrize(
    "shape", [{"cutoff": 3.0}, {"cutoff": 3.0, "switch": 2.2}, {"cutoff": 3.0, "shift": True}]
)
def test_cut_off_switch_and_shift_are_those_of_the_definition(name, shape):
    force, (turn, at) = ht.PairForce(POTENTIALS[name], **shape), scene(4)
    wrench, energy = interpreted(force, turn, at)
    expected = brute_energy(force, turn, at)
    if name == "formula":
        expected = formula_energy(force, turn, at)
    assert energy == pytest.approx(expected, rel=1e-12)
    h = 1e-5
    if "switch" in shape and name != "formula":
        slope = (
            brute_energy(force, *moved(turn, at, 1, 4, h))
            - brute_energy(force, *moved(turn, at, 1, 4, -h))
        ) / (2 * h)
        assert wrench[1, 1] == pytest.approx(-slope, rel=1e-6, abs=1e-6)


def formula_energy(force, turn, at):
    """The same sums with the cut-off, switch and shift applied to V of the formula here."""

    class Shaped:
        box, potential = None, None

        def pair_energy(self, a, b, r):
            bare = 1.5 * np.exp(-r) / r**2 + np.sin(r)
            end = 1.5 * np.exp(-force.cutoff) / force.cutoff**2 + np.sin(force.cutoff)
            return force.apply_cutoff(r, bare, 0.0, 0.0, end)[0]

    return brute_energy(Shaped(), turn, at)


def test_neighbours_of_a_closed_chain_and_chosen_pairs_are_those_that_act():
    turn, at = scene(4)
    chain = ht.PairForce(ht.LennardJones(1.0, 1.0), "neighbours", closed=True)
    assert interpreted(chain, turn, at)[1] == pytest.approx(
        brute_energy(chain, turn, at, [(0, 1), (1, 2), (2, 3), (3, 0)]), rel=1e-13
    )
    chosen = ht.PairForce(ht.HarmonicBond(2.0, 1.0), [("b0:1", "b2:4"), ("b1", "b3")])
    x = at[:, None] + np.einsum("nij,kj->nki", turn, np.array(SHAPE.positions))
    expected = (np.linalg.norm(x[0, 1] - x[2, 4]) - 1.0) ** 2 + brute_energy(
        chosen, turn, at, [(1, 3)]
    )
    assert interpreted(chosen, turn, at)[1] == pytest.approx(expected, rel=1e-13)


def test_one_screened_pair_of_types_does_not_unscreen_the_others():
    turn, at = scene(2)
    charges = {"A": 1.0, "B": -0.7}
    force = ht.PairForce(
        {
            "A A": ht.Coulomb(charges),
            "A B": ht.Coulomb(charges, screening=0.9),
            "B B": ht.Coulomb(charges, screening=0.5),
        }
    )
    assert interpreted(force, turn, at)[1] == pytest.approx(
        brute_energy(force, turn, at), rel=1e-13
    )


def test_a_bond_without_length_is_smooth_where_its_ends_meet():
    point = ht.Particles([[0.0, 0.0, 0.0]])
    force = ht.PairForce(ht.HarmonicBond(2.0))
    table = pair_table(force, placement_of(model_of(2, force, point)))
    wrench, energy = interpreted(force, np.tile(np.eye(3), (2, 1, 1)), np.zeros((2, 3)), table)
    assert energy == 0.0
    np.testing.assert_array_equal(wrench, 0.0)


@pytest.mark.parametrize(
    "shape", [{"cutoff": 2.5, "switch": 2.4}, {"cutoff": 2.5, "shift": True}, {}]
)
@pytest.mark.parametrize("step", [1e-7, 1e-4, 0.05])
def test_forces_between_two_states_do_the_work_that_v_changes_by(shape, step):
    """Also across the cut-off and the begin of switching, where pairs of this scene lie."""
    force, rng = ht.PairForce(ht.LennardJones(1.3, 1.0), **shape), np.random.default_rng(5)
    turn, at = scene(3)
    # directors need not be orthogonal
    other, shifted = (
        turn + step * rng.normal(size=turn.shape),
        at + step * rng.normal(size=at.shape),
    )
    table = pair_table(force, placement_of(model_of(3, force)))
    law_state, pushed, moment = allocate_pair_states(table, 1), np.zeros((3, 3)), np.zeros((3, 9))
    add_discrete_gradient_forces(
        table, 0.0, bodies_of(turn, at), bodies_of(other, shifted), law_state, pushed, moment
    )
    work = (pushed * (shifted - at)).sum() + (
        moment.reshape(3, 3, 3) * np.swapaxes(other - turn, 1, 2)
    ).sum()
    change = body_potential_energy_with_state(
        table, 0.0, bodies_of(other, shifted), law_state
    ) - body_potential_energy_with_state(table, 0.0, bodies_of(turn, at), law_state)
    scale = abs(body_potential_energy_with_state(table, 0.0, bodies_of(turn, at), law_state))
    assert work == pytest.approx(-float(change), abs=1e-14 * scale)
    assert np.abs(pushed.sum(axis=0)).max() < 1e-13 * np.abs(pushed).max()


def test_excluded_bodies_do_not_act_on_each_other():
    turn, at = scene(4)
    force = ht.PairForce(ht.LennardJones(1.0, 1.0), exclude=[("b2", "b0")])
    pairs = [pair for pair in combinations(range(4), 2) if pair != (0, 2)]
    assert interpreted(force, turn, at)[1] == pytest.approx(
        brute_energy(force, turn, at, pairs), rel=1e-13
    )


def test_the_nearest_image_acts_in_a_periodic_box():
    turn, at = scene(4, spacing=2.5)
    force = ht.PairForce(ht.LennardJones(1.0, 0.8), box=(6.0, 6.5, 0.0), cutoff=3.0)
    wrench, energy = interpreted(force, turn, at + np.array([7.0, -30.0, 0.0]))
    assert energy == pytest.approx(brute_energy(force, turn, at), rel=1e-12)
    assert np.abs(wrench[:, 3:].sum(axis=0)).max() < 1e-11 * np.abs(wrench).max()
    shifted = interpreted(
        force, turn, at + 6.0 * np.array([[1, 0, 0], [0, 0, 0], [-2, 0, 0], [1, 0, 0]])
    )
    assert shifted[1] == pytest.approx(energy, rel=1e-12)


def test_a_box_of_a_power_of_two_does_not_bring_the_ghosts_of_a_cluster_near():
    force, (turn, at) = (
        ht.PairForce(ht.LennardJones(1.0, 0.8), box=(8.0, 8.0, 8.0), cutoff=3.0),
        scene(4, spacing=2.5),
    )
    wrench, energy = interpreted(force, turn, at)
    assert energy == pytest.approx(brute_energy(force, turn, at), rel=1e-12)
    assert np.isfinite(wrench).all()


# ---- lists: compiled -----------------------------------------------------------------------------
@kernel
def act(table, bodies, total):
    add_all_wrenches(table, 0.0, bodies)
    return potential_energy_of_bodies(table, 0.0, bodies, total)


def compiled(force, turn, at, monkeypatch, listed, made=None):
    """(wrenches, energy, laws and room) with lists or with all rows in the table."""
    monkeypatch.setattr("hamiltree.forces.pair_force.MAX_UNLISTED_ROWS", 0 if listed else 10**9)
    if made is None:
        packed = make_body_laws([force], placement_of(model_of(len(at), force)))
        made = packed, allocate_law_states(packed, 1)
    bodies = bodies_of(turn, at, made[1])
    energy = act(made[0], bodies, np.zeros(1))
    return bodies.wrench, energy, made


@pytest.mark.parametrize("box", [None, (11.0, 12.0, 13.0), (0.0, 8.5, 0.0)])
def test_lists_give_to_the_bit_what_all_pairs_give_and_are_made_when_needed(box, monkeypatch):
    force, (turn, at), rng = (
        ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=2.5, box=box, skin=0.4),
        scene(90),
        np.random.default_rng(1),
    )
    made, plain = None, None
    for _ in range(12):
        wrench, energy, made = compiled(force, turn, at, monkeypatch, True, made)
        expected, total, plain = compiled(force, turn, at, monkeypatch, False, plain)
        assert energy == total
        np.testing.assert_array_equal(wrench, expected)
        at = at + 0.02 * rng.normal(size=at.shape)
    law_state = made[1].targets[0].parts[0]
    assert law_state.facts[0, LISTS_VALID] == 1
    assert 1 < law_state.facts[0, BUILD_COUNT] < 12
    assert np.abs(wrench[:, 3:].sum(axis=0)).max() < 1e-10 * np.abs(wrench).max()


def test_a_few_bodies_that_have_flown_off_neither_are_lost_nor_widen_the_cells(monkeypatch):
    force, (turn, at) = ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=2.5, skin=0.4), scene(400)
    at[5:7] += (1e6, 0.0, 0.0)
    wrench, energy, made = compiled(force, turn, at, monkeypatch, True)
    expected, total, _ = compiled(force, turn, at, monkeypatch, False)
    assert energy == total
    np.testing.assert_array_equal(wrench, expected)
    assert np.abs(wrench[5:7]).max() > 0.0  # they still see each other
    assert made[1].targets[0].parts[0].facts[0, CELL_COUNTS + 1] > 2


def test_a_list_that_does_not_fit_is_used_in_portions(monkeypatch):
    force, (turn, at) = ht.PairForce(ht.LennardJones(1.0, 1.0), cutoff=2.5, skin=0.4), scene(90)
    expected, total, _ = compiled(force, turn, at, monkeypatch, False)
    monkeypatch.setattr("hamiltree.forces.pair_sums.ROWS_PER_PARTICLE", 0)
    wrench, energy, made = compiled(force, turn, at, monkeypatch, True)
    assert made[1].targets[0].parts[0].facts[0, LISTS_VALID] == 0
    assert energy == total
    np.testing.assert_array_equal(wrench, expected)
