"""Chains, boxes, rings and branched molecules of bodies made of particles."""

import json
from pathlib import Path

import numpy as np
import pytest

from hamiltree.errors import ModelError, OptionError
from hamiltree.model import (
    Ball,
    Free,
    LennardJones,
    Motion,
    Particles,
    Weld,
    library,
    spanning_tree,
)
from hamiltree.model.joints import Joint
from hamiltree.model.values import Frame

DATA = Path(__file__).parents[1] / "data"


def poses(model):
    """Body name -> Frame in the world, for models of balls, hinges, welds and free joints."""

    def moved(joint: Joint) -> Frame:
        if isinstance(joint, Free):
            return Frame(joint.q[:3], joint.q[3:])
        return Frame(rotation=joint.q) if isinstance(joint, Ball) else Frame()

    tree, placed = spanning_tree(model), []
    for parent, joint in zip(tree.parent, (model.joints[j] for j in tree.joint), strict=True):
        outer = placed[parent] if parent >= 0 else Frame()
        placed.append(outer @ joint.on_parent @ moved(joint) @ joint.on_child.inverse())
    return {model.bodies[i].name: frame for i, frame in zip(tree.order, placed, strict=True)}


def energy(model, force):
    """V by a loop over all pairs of particles of the pairs of bodies that act."""
    placed, total = poses(model), 0.0
    names = force.names(model)
    pairs = force.body_pairs(model)
    if pairs is None:
        pairs = [
            (a, b)
            for i, a in enumerate(names)
            for b in names[i + 1 :]
            if frozenset((a, b)) not in force.excluded
        ]
    for a, b in pairs:
        x, y = (
            np.array(
                [
                    placed[c].position + placed[c].matrix @ at
                    for at in model.body(c).particles.positions
                ]
            )
            for c in (a, b)
        )
        total += force.pair_energy("A", "A", np.linalg.norm(x[:, None] - y[None], axis=2)).sum()
    return total


@pytest.mark.parametrize(("case", "last"), [("chain_c1c2_a", "free"), ("chain_c1c1_a", "clamped")])
def test_the_chain_of_the_thesis_is_the_oracle_s(case, last):
    oracle = json.loads((DATA / f"{case}.json").read_text())
    model = library.particle_chain(
        8,
        potential=LennardJones(5.0, 1.0),
        last=last,
        load=oracle["F"],
        velocities=oracle["v0"],
        omegas=oracle["omega0"],
    )
    body, placed = model.bodies[3], poses(model)
    assert (
        np.allclose(body.particles.positions, oracle["particles"], rtol=0, atol=1e-16)
        and body.mass == oracle["body_mass"]
    )
    assert np.allclose(body.inertia, np.diag(oracle["I_body"]), rtol=0, atol=1e-15)
    assert np.allclose([placed[f"b{i + 1}"].position for i in range(8)], oracle["r0"])
    assert isinstance(model.joint("j1"), Weld) and isinstance(
        model.joint("j8"), Free if last == "free" else Weld
    )
    assert energy(model, model.forces[0]) == pytest.approx(oracle["V0"], rel=1e-13)
    assert model.forces[1].force == tuple(oracle["F"])
    qdot = model.start()[1].reshape(-1, 6)
    assert np.allclose(qdot, np.hstack([oracle["v0"], oracle["omega0"]])[1 : 1 + len(qdot)])
    assert 0.5 * (4 * qdot[:, :3] ** 2).sum() + 0.5 * (
        qdot[:, 3:] ** 2 @ oracle["I_body"]
    ).sum() == pytest.approx(oracle["T0"], rel=1e-14)


def test_a_pinned_body_is_held_at_its_centre_of_mass_where_it_stands():
    skew = Particles([(0, 0, 0), (1, 0, 0), (0, 2, 0)], (1, 2, 3))
    half = 2**-0.5
    model = library.particle_chain(
        2, skew, 9.0, last="pinned", attitudes=[(1, 0, 0, 0), (half, 0, 0, half)]
    )
    assert np.allclose(poses(model)["b2"].position, (18, 0, 0)) and np.allclose(
        model.joint("j2").on_child.position, model.bodies[1].com
    )


def test_an_end_may_move_by_formulas_of_time():
    model = library.particle_chain(
        3, last={"position": ("6 + a*sin(t)", 0, 0), "parameters": {"a": 0.1}}
    )
    assert isinstance(model.constraints[0], Motion) and model.constraints[0].body == "b3"


def test_a_disc_has_count_particles_on_either_rim():
    disc = library.disc(0.05, 0.005, 12, mass=2.0)
    x = np.array(disc.positions)
    assert (
        len(disc) == 24
        and np.allclose(np.hypot(x[:, 1], x[:, 2]), 0.05)
        and np.allclose(abs(x[:, 0]), 0.0025)
    )
    assert np.allclose(
        np.diag(disc.inertia), [24 * 2 * 0.05**2, *[24 * 2 * (0.05**2 / 2 + 0.0025**2)] * 2]
    ) and np.allclose(disc.com, 0)


def test_a_box_of_fluid_has_the_temperature_and_rests_as_a_whole():
    model = library.particle_box(9, temperature=1.7, seed=2)
    rates, body = model.start()[1].reshape(-1, 6), model.bodies[0]
    assert abs(rates[:, :3].sum(axis=0)).max() < 1e-11 and model.forces[0].box == (22.5,) * 3
    energies = np.hstack([4 * rates[:, :3] ** 2, rates[:, 3:] ** 2 * np.diag(body.inertia)])
    # 729 samples: 5 % a standard deviation
    assert energies.mean(axis=0) == pytest.approx([1.7] * 6, rel=0.15)
    assert (
        library.particle_box(2, seed=3)
        == library.particle_box(2, seed=3)
        != library.particle_box(2, seed=4)
    )


def test_the_ring_is_closed_by_a_ball_and_its_neighbours_do_not_act():
    model = library.particle_ring(6)
    placed, ball = poses(model), model.joint("ball6")
    assert model.closing == ("ball6",)
    ends = (
        (placed[ball.parent] @ ball.on_parent).position,
        (placed[ball.child] @ ball.on_child).position,
    )
    assert np.allclose(*ends, rtol=0, atol=1e-14)
    assert len(model.forces[0].excluded) == 6 and np.isfinite(energy(model, model.forces[0]))


def test_a_branched_molecule_is_a_tree_whose_joined_bodies_do_not_act():
    model = library.branched_molecule(3, 3, 2)
    assert len(model.bodies) == 1 + 3 + 6 + 12 and not model.closing
    assert {frozenset((j.parent, j.child)) for j in model.joints[1:]} == model.forces[0].excluded
    places = np.array([frame.position for frame in poses(model).values()])
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)[np.triu_indices(22, 1)]
    assert apart.min() > 1.3  # beside the core's and each other's particles


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: library.particle_chain(3, spacing=1.0),
            "particles 1 of body 'b1' and 0 of body 'b2' are 0 m apart, nearer",
        ),
        (lambda: library.particle_chain(3, first="glued"), "the end 'glued' is unknown"),
        (
            lambda: library.particle_chain(3, velocities=np.ones((3, 3))),
            "body 'b1' is clamped, but its start has a velocity",
        ),
        (
            lambda: library.particle_chain(3, velocities=np.ones((2, 3))),
            "velocities has 2 rows for 3 bodies",
        ),
        (
            lambda: library.particle_chain(3, closed=True, axis=(1, 1, 0)),
            "periodic along a coordinate axis",
        ),
        (
            lambda: library.particle_box(1),
            "cutoff = 2.5 is more than half of the periodic length 2.5",
        ),
        (lambda: library.particle_ring(3), "n = 3: give a whole number of at least 4"),
        (lambda: library.tetrahedron(-1.0), "a = -1.0 is not positive"),
    ],
)
def test_impossible_molecules_are_refused(make, message):
    with pytest.raises((ModelError, OptionError), match=message):
        make()
