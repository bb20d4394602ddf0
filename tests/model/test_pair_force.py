"""Pair potentials and pair forces as data: derivatives, cut-offs, types, who acts on whom, what is
refused; prescribed motions.
"""

import numpy as np
import pytest
import sympy

import hamiltree as ht
from hamiltree.assembly.assembly import Assembly
from hamiltree.assembly.links import build_links
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.errors import FitError, ModelError
from hamiltree.model import (
    Ball,
    Body,
    Buckingham,
    Coulomb,
    Fene,
    Free,
    HarmonicBond,
    LennardJones,
    Model,
    Morse,
    Motion,
    PairForce,
    PairFormula,
    Particles,
)

R = sympy.Symbol("r")
LAWS = [
    (LennardJones(1.3, 0.9), 4 * 1.3 * ((0.9 / R) ** 12 - (0.9 / R) ** 6)),
    (Morse(2.0, 1.7, 1.1), 2.0 * ((1 - sympy.exp(-1.7 * (R - 1.1))) ** 2 - 1)),
    (
        Coulomb({"A": 2.0, "B": -1.5}, 0.8, screening=3.0).between("A", "B"),
        -0.8 * 3.0 * sympy.exp(-R / 3.0) / R,
    ),
    (Coulomb({"A": 2.0}, 0.8).between("A", "A"), 0.8 * 4.0 / R),
    (Buckingham(900.0, 3.0, 4.0), 900.0 * sympy.exp(-3.0 * R) - 4.0 / R**6),
    (HarmonicBond(5.0, 0.7), 0.5 * 5.0 * (R - 0.7) ** 2),
    (Fene(30.0, 2.5), -0.5 * 30.0 * 2.5**2 * sympy.log(1 - (R / 2.5) ** 2)),
]
LJ = LennardJones(1.0, 1.0)


def model(n=3, types="A", forces=(), constraints=(), joints=None):
    body = Particles([(0, 0, 0), (0.5, 0, 0)], 1.0, types)
    bodies = [Body.of_particles(f"b{i + 1}", body) for i in range(n)]
    joints = (
        [Free(f"f{i + 1}", "ground", f"b{i + 1}", q=(2 * i, 0, 0, 1, 0, 0, 0)) for i in range(n)]
        if joints is None
        else joints
    )
    return Model(
        [*bodies, Body("bare", 1.0)],
        [*joints, Free("loose", "ground", "bare")],
        forces,
        constraints=constraints,
    )


@pytest.mark.parametrize(("law", "formula"), LAWS, ids=lambda x: getattr(x, "kind", ""))
def test_value_slope_and_curvature_are_those_that_sympy_derives(law, formula):
    at = np.array([0.85, 1.0, 1.3, 2.1])
    for order, function in enumerate((law.value, law.slope, law.curvature)):
        exact = [float(sympy.diff(formula, R, order).subs(R, x)) for x in at]
        assert np.allclose(function(at), exact, rtol=1e-13, atol=1e-13)
        assert function(float(at[2])) == pytest.approx(exact[2], rel=1e-13)


def test_a_torn_fene_bond_has_no_energy():
    assert np.isnan(Fene(1.0, 2.0).value(2.5)) and np.isnan(Fene(1.0, 2.0).slope(2.5))


def test_the_switched_potential_and_its_derivatives_end_smoothly_at_the_cutoff():
    force = PairForce(LJ, cutoff=2.5, switch=2.0)
    r, h = np.array([1.5, 2.0, 2.2, 2.4999, 2.5, 3.0]), 1e-5

    def apply_cutoff(x):
        return force.apply_cutoff(x, LJ.value(x), LJ.slope(x), LJ.curvature(x))

    value, slope, curvature = apply_cutoff(r)
    assert value[0] == LJ.value(1.5) and value[1] == LJ.value(2.0) and not value[4:].any()
    assert np.allclose(
        (apply_cutoff(r + h)[0] - apply_cutoff(r - h)[0]) / (2 * h), slope, rtol=0, atol=1e-8
    )
    assert np.allclose(
        (apply_cutoff(r + h)[1] - apply_cutoff(r - h)[1]) / (2 * h), curvature, rtol=0, atol=1e-3
    )
    assert (
        abs(curvature[3]) < 2e-3
        and abs(apply_cutoff(np.array([2.0 + 1e-9]))[2] - LJ.curvature(2.0)) < 1e-6
    )


def test_the_shifted_potential_is_continuous_and_keeps_its_slope():
    force = PairForce(LJ, cutoff=2.5, shift=True)
    assert force.pair_energy("A", "A", 2.5 - 1e-12) == pytest.approx(0, abs=1e-12)
    assert force.pair_energy("A", "A", 1.2) == LJ.value(1.2) - LJ.value(2.5)
    assert force.pair_energy("A", "A", np.array([2.6]))[0] == 0


def test_unlike_types_mix_as_lorentz_and_berthelot_say():
    table = {"A": LennardJones(1.0, 1.0), "B": LennardJones(4.0, 2.0)}
    assert PairForce(table).parameters_of("B", "A") == LennardJones(2.0, 1.5)
    assert PairForce(table, mixing="geometric").parameters_of("A", "B") == LennardJones(2.0, 2**0.5)
    assert PairForce(table | {"A B": LennardJones(9.0, 9.0)}).parameters_of(
        "B", "A"
    ) == LennardJones(9.0, 9.0)
    assert PairForce(table).parameters_of("B", "B") == LennardJones(4.0, 2.0)


def test_neighbours_follow_the_order_of_the_bodies_and_close_where_asked():
    whole = model(4)
    assert PairForce(LJ, "neighbours").body_pairs(whole) == [
        ("b1", "b2"),
        ("b2", "b3"),
        ("b3", "b4"),
    ]
    ring = PairForce(
        LJ, "neighbours", bodies=("b4", "b1", "b2"), closed=True, exclude=[("b2", "b4")]
    )
    assert ring.body_pairs(whole) == [("b4", "b1"), ("b1", "b2")]
    assert PairForce(LJ).body_pairs(whole) is None and PairForce(LJ).names(whole) == (
        "b1",
        "b2",
        "b3",
        "b4",
    )


def test_pairs_may_name_bodies_or_particles():
    force = PairForce(HarmonicBond(1.0), [("b1:0", "b2:1"), ("b1:1", "b2:0"), ("b2", "b3")])
    whole = model(forces=[force])
    assert force.ends(whole) == [
        (("b1", 0), ("b2", 1)),
        (("b1", 1), ("b2", 0)),
        (("b2", None), ("b3", None)),
    ]
    assert force.body_pairs(whole) == [("b1", "b2"), ("b2", "b3")] and force.names(whole) == (
        "b1",
        "b2",
        "b3",
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: PairForce(LJ, cutoff=3, box=(7, 5, 7)),
            "cutoff = 3.0 is more than half of the periodic length 5; give at most 2.5",
        ),
        (lambda: PairForce(LJ, box=(7, 5, 7)), "box = .* needs a cutoff"),
        (lambda: PairForce(LJ, cutoff=3, switch=3), "switch = 3.0 is not below the cutoff 3"),
        (lambda: PairForce(LJ, cutoff=3, switch=2, shift=True), "shift = True and switch both"),
        (lambda: PairForce(LJ, switch=2), "switch = 2.0 needs a cutoff"),
        (
            lambda: PairForce(LJ, mixing="kong"),
            "mixing = 'kong' is unknown; give 'lorentz_berthelot' or 'geometric'",
        ),
        (
            lambda: PairForce({"A": LJ, "B": Morse(1, 1, 1)}),
            r"mixes LennardJones \('A'\) and Morse \('B'\)",
        ),
        (lambda: PairForce({"A B": LJ, "B A": LJ}), "'B A' and 'A B' are the same pair of types"),
        (lambda: PairForce({"A B C": LJ}), "'A B C' is no pair of types"),
        (lambda: PairForce({}), "is empty; give a potential for every pair of types"),
        (lambda: PairForce(3.0), "potential = 3.0 is no potential"),
        (lambda: PairForce(LJ, "some"), "between = 'some' is unknown"),
        (
            lambda: PairForce(LJ, [("b1", "b1")]),
            "names one body twice; a body does not act on itself",
        ),
        (lambda: PairForce(LJ, [("b1", "b2"), ("b2", "b1")]), "is there twice"),
        (lambda: PairForce(LJ, [("b1", "b2")], bodies=("b1",)), "both say who acts"),
        (lambda: PairForce(LJ, closed=True), "closed = True belongs to between"),
        (lambda: LennardJones(1, 0), "sigma = 0 is not positive"),
        (lambda: PairFormula("r", {"r": 2}), "gives the distance r a value"),
        (lambda: Coulomb({}), "charges = .* is no table of charges"),
    ],
)
def test_impossible_pair_forces_are_refused(make, message):
    with pytest.raises(ModelError, match=message):
        make()


@pytest.mark.parametrize(
    ("force", "message"),
    [
        (PairForce(LJ, [("b1", "b9")]), "between: 'b9' is not a body of the model; known: 'b1'"),
        (PairForce(LJ, [("b1", "b2:2")]), "'b2:2': body 'b2' has 2 particles, 0 to 1"),
        (PairForce(LJ, [("b1:0", "b1:1")]), "is one body; a body does not act on itself"),
        (PairForce(LJ, bodies=("b1", "bare")), "bodies: body 'bare' has no particles"),
        (PairForce(LJ, exclude=[("b1", "x")]), "exclude: 'x' is not a body"),
        (PairForce(LJ, "neighbours", bodies=("b1",)), "neighbours need at least two bodies"),
        (
            PairForce({"A": LJ}, name="contact"),
            "force 'contact': .* holds no potential for the types 'A' and 'C'; add the key 'A C'",
        ),
        (PairForce(Coulomb({"A": 1.0})), "there is no charge of the type 'C'; add it to charges"),
    ],
)
def test_a_model_refuses_pair_forces_that_do_not_fit_its_bodies(force, message):
    with pytest.raises(ModelError, match=message):
        model(types=("A", "C"), forces=[force])


def test_types_that_never_meet_need_no_potential():
    pairs = [("b1:0", "b2:0"), ("b2:0", "b3:0")]
    assert model(types=("A", "C"), forces=[PairForce({"A": LJ}, pairs)]).forces


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        (lambda: Motion("b1"), "position = None and rotation are both missing"),
        (lambda: Motion("b1", ("t", 0)), "is no list of 3 formulas"),
        (
            lambda: model(constraints=[Motion("b7", ("t", 0, 0))]),
            "body = 'b7' is not a body of the model",
        ),
        (
            lambda: model(constraints=[Motion("b1", ("t", 0, 0)), Motion("b1", (0, 0, 0))]),
            "is already moved by constraint 1",
        ),
        (
            lambda: model(
                1, constraints=[Motion("b1", ("t", 0, 0))], joints=[Ball("ball", "ground", "b1")]
            ),
            "joint 'ball' holds body 'b1' too; a body that moves by itself has one free joint to "
            "the ground",
        ),
    ],
)
def test_impossible_motions_are_refused(motion, message):
    with pytest.raises(ModelError, match=message):
        motion()


def test_formulations_of_joints_refuse_a_prescribed_motion_by_name():
    moved = model(constraints=[Motion("b2", ("sin(t)", 0, 0), name="shaker")])
    with pytest.raises(FitError, match="constraint 'shaker' .*free_bodies_quaternion"):
        Mechanism(moved, moved.q_from())
    with pytest.raises(FitError, match="constraint 'shaker' .*free_bodies_quaternion"):
        build_links(moved, "hamiltonian_tree")


# ---- where a motion puts particles ---------------------------------------------------------------
def placed_by(motion, t=0.0):
    """The assembly at time t of three bodies, 2 m apart along x, the second of which is moved."""
    moved = model(forces=[PairForce(LJ)], constraints=[motion])
    return Assembly(moved, *moved.start(), t)


@pytest.mark.parametrize(
    ("motion", "t", "particles"),
    [
        (Motion("b2", ("0.05 + t", 0, 0)), 0.0, "0 of body 'b1' and 0 of body 'b2' are 0.05 m"),
        (Motion("b2", ("2 - t", 0, "0.01")), 1.6, "1 of body 'b1' and 0 of body 'b2' are 0.1"),
        (Motion("b2", ("a*t", 0, 0), parameters={"a": 2}), 2.0, "0 of body 'b2' and 0 of body"),
        (Motion("b2", ("1", 0, 0), (0, 0, "pi")), 0.0, "1 of body 'b1' and 1 of body 'b2' are"),
    ],
)
def test_particles_are_looked_for_where_a_motion_puts_them(motion, t, particles):
    with pytest.raises(ModelError, match=f"^particles {particles}.*nearer than 0.2 sigma"):
        placed_by(motion, t).check_particles()


@pytest.mark.parametrize(
    ("motion", "t"),
    [
        (Motion("b2", ("0.05 + t", 0, 0)), 1.0),
        (Motion("b2", ("1", 0, 0), (0, 0, "pi/2")), 0.0),
        (Motion("b2", ("log(t)", 0, 0)), 0.0),  # no number: said when the state is looked at
        (Motion("b2", ("2*", 0, 0)), 0.0),  # no formula: said by the formulation
    ],
)
def test_where_a_motion_puts_nothing_in_one_place_nothing_is_refused(motion, t):
    placed_by(motion, t).check_particles()


def test_a_run_whose_motion_begins_in_another_body_is_refused_and_one_whose_joint_does_is_not():
    moved = model(forces=[PairForce(LJ)], constraints=[Motion("b2", ("0.05", 0, 0))])
    with pytest.raises(ModelError, match="particles 0 of body 'b1' and 0 of body 'b2'"):
        ht.simulate(moved, 0.1, 0.01, progress=False)
    away = moved.with_(joints={"f2": {"q": (0, 0, 0, 1, 0, 0, 0)}})
    away = away.with_(constraints=[Motion("b2", (0, 3, 0), (0, 0, 0))])
    assert ht.simulate(away, 0.01, 0.01, progress=False).status == "complete"
