"""V of pair forces with its derivatives, against differences of V and against formulas of its
own.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.statics.pair_energy import PairEnergy, profile
from hamiltree.symbolic.grammar import parse
from hamiltree.symbolic.jets import Jet, evaluate

TETRAHEDRON = ((-1 / 2, -1 / 3, -1 / 4), (1 / 2, -1 / 3, -1 / 4), (0, 2 / 3, -1 / 4), (0, 0, 3 / 4))
LJ = ht.LennardJones(5.0, 1.0)
FORCES = {
    "neighbours": ht.PairForce(LJ, "neighbours"),
    "closed": ht.PairForce(LJ, "neighbours", closed=True),
    "all": ht.PairForce(LJ, "all", exclude=[("b0", "b2")]),
    "switched": ht.PairForce(LJ, "all", cutoff=3.0, switch=1.3),
    "shifted": ht.PairForce(LJ, "neighbours", cutoff=2.5, shift=True),
    "boxed": ht.PairForce(LJ, "all", cutoff=2.9, switch=1.4, box=(6.1, 0, 7.0)),
    "typed": ht.PairForce({"A": LJ, "B": ht.LennardJones(2.0, 1.1)}, "all"),
    "table": ht.PairForce(
        {
            "A A": ht.Morse(3.0, 2.0, 1.2),
            "A B": ht.Morse(1.0, 2.0, 1.5),
            "B B": ht.Morse(2.0, 1.5, 1.0),
        }
    ),
    "particles": ht.PairForce(ht.HarmonicBond(40.0, 1.1), [("b0:3", "b1:0"), ("b1", "b2:1")]),
    "torn": ht.PairForce(ht.Fene(7.0, 9.0), "neighbours"),
    "charged": ht.PairForce(ht.Coulomb({"A": 1.0, "B": -2.0}, 3.0, 1.7)),
    "exponential": ht.PairForce(ht.Buckingham(900.0, 3.0, 2.0)),
    "formula": ht.PairForce(ht.PairFormula("a*exp(-r**2/b)*cos(r) + 1/r**4", {"a": 3.0, "b": 2.0})),
}


def chain(force, count=3, gravity=(0.3, 0.2, -0.5)):
    """A welded tetrahedron, then one on a ball at its centre, one off its origin, and free ones;
    turned all differently.
    """
    rng = np.random.default_rng(7)
    bodies, joints = [], []
    for k in range(count):
        offset = (0.1, -0.2, 0.3) if k == 2 else (0.0, 0.0, 0.0)
        cloud = ht.Particles(np.add(TETRAHEDRON, offset), types=("A", "A", "B", "A"))
        bodies.append(ht.Body.of_particles(f"b{k}", cloud))
        q, at = rng.normal(size=4), (2.2 * k, *0.1 * rng.normal(size=2))
        q /= np.linalg.norm(q)
        kind = (ht.Weld, ht.Ball, ht.Free)[min(k, 2)]
        start = {0: {}, 1: {"q": q}}.get(k, {"q": (*at, *q)})
        where = ht.Frame(at, q) if k == 0 else at
        joints.append(
            kind(f"j{k}", "ground", f"b{k}", **({"on_parent": where} if k < 2 else {}), **start)
        )
    load = ht.BodyLoad("b2", force=(1.0, -2.0, 0.5), at=(0.2, 0.1, 0.4))
    return ht.Model(bodies, joints, [force, load], gravity=gravity)


def differences(f, n, step=1e-5):
    """Central differences of order four."""
    columns = []
    for e in np.eye(n):
        ends = [f(k * step * e) for k in (-2, -1, 1, 2)]
        columns.append((ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * step))
    return np.array(columns)


@pytest.mark.parametrize("name", FORCES)
def test_the_gradient_is_that_of_the_energy(name):
    energy = PairEnergy(chain(FORCES[name]))
    found = energy.gradient(energy.start).ravel()
    expected = differences(lambda x: energy.energy(energy.start.moved(x.reshape(-1, 6))), 18, 1e-4)
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-7 * abs(found).max())


@pytest.mark.parametrize("name", ["boxed", "torn"])
def test_the_hessian_is_that_of_the_energy_along_exponentials(name):
    """∂²V/∂a∂b of V(r + dr, R exp(dθ×)) at zero, by differences of differences."""
    energy = PairEnergy(chain(FORCES[name]))
    found = energy.hessian(energy.start).toarray()

    def slope(x):
        return differences(
            lambda y: energy.energy(energy.start.moved((x + y).reshape(-1, 6))), 18, 1e-3
        )

    expected = differences(slope, 18, 1e-3)
    assert found == pytest.approx(found.T, rel=1e-13, abs=1e-13 * abs(found).max())
    assert found == pytest.approx(expected, rel=1e-5, abs=1e-6 * abs(found).max())


@pytest.mark.parametrize("name", FORCES)
def test_the_hessian_moves_the_gradient_up_to_half_the_torque(name):
    """Body torques along body axes change by ∂²V + ½ torque×: a sharper difference than that of the
    energy, of one order.
    """
    energy = PairEnergy(chain(FORCES[name]))
    found = energy.hessian(energy.start).toarray()
    gradient = energy.gradient(energy.start)
    for k, (x, y, z) in enumerate(gradient[:, 3:]):
        at = slice(6 * k + 3, 6 * k + 6)
        found[at, at] -= 0.5 * np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    expected = differences(
        lambda x: energy.gradient(energy.start.moved(x.reshape(-1, 6))).ravel(), 18, 1e-4
    )
    assert found == pytest.approx(expected, rel=1e-7, abs=1e-8 * abs(found).max())


def test_the_energy_is_the_plain_sum_over_pairs():
    energy = PairEnergy(chain(FORCES["boxed"], gravity=(0, 0, 0)).with_(forces=[FORCES["boxed"]]))
    total, places = 0.0, energy.places(energy.start)
    for i in range(12):
        for j in range(i):
            d = places[i] - places[j]
            for axis, length in ((0, 6.1), (2, 7.0)):
                d[axis] = min((d[axis] + m * length for m in range(-3, 4)), key=abs)
            total += (
                FORCES["boxed"].pair_energy("A", "A", np.linalg.norm(d))
                if i // 4 != j // 4
                else 0.0
            )
    assert energy.energy(energy.start) == pytest.approx(float(total), rel=1e-13)


def test_a_formula_has_the_derivatives_of_the_potential_it_writes_out():
    r = np.linspace(0.9, 2.5, 40)
    formula = ht.PairFormula("4*e*((s/r)**12 - (s/r)**6)", {"e": 5.0, "s": 1.1})
    for found, expected in zip(
        profile(formula, r), profile(ht.LennardJones(5.0, 1.1), r), strict=True
    ):
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-11)


WORDS = [
    "sin(x)",
    "cos(x)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "atan(x)",
    "sinh(x)",
    "cosh(x)",
    "tanh(x)",
    "asinh(x)",
    "atanh(x)",
    "exp(x)",
]
WORDS += [
    "acosh(1 + x)",
    "log(x)",
    "log10(x)",
    "log2(x)",
    "sqrt(x)",
    "erf(x)",
    "abs(x - 1/2)",
    "sign(x)",
    "x**x",
    "x**2.5",
    "2**x",
]
WORDS += [
    "hypot(x, 2)",
    "min(x, x**2)",
    "max(x, 0.4)",
    "atan2(x, -2)",
    "atan2(-1, x)",
    "x/(1 + x**2) - 3",
    "x**0 + x**1",
]


@pytest.mark.parametrize("text", WORDS)
def test_jets_agree_with_differences(text):
    x, h = np.array([0.21, 0.36, 0.73]), 1e-3
    tree = parse(text, ["x"]).tree
    at = lambda y: evaluate(tree, {"x": y}).value + 0 * y
    jet = evaluate(tree, {"x": Jet(x, np.ones(3), np.zeros(3))})
    ends = [at(x + k * h) for k in (-2, -1, 0, 1, 2)]
    assert jet.value == pytest.approx(ends[2])
    assert jet.slope + 0 * x == pytest.approx(
        (ends[0] - 8 * ends[1] + 8 * ends[3] - ends[4]) / (12 * h), abs=1e-8
    )
    assert jet.bend + 0 * x == pytest.approx(
        (-ends[0] + 16 * ends[1] - 30 * ends[2] + 16 * ends[3] - ends[4]) / (12 * h * h), abs=1e-6
    )


def test_what_holds_bodies_otherwise_is_refused_by_name():
    model = chain(FORCES["all"])
    hinged = model.with_(joints={"j1": ht.Revolute("j1", "ground", "b1")})
    with pytest.raises(ht.FitError, match="joint 'j1' .revolute."):
        PairEnergy(hinged)
    off = model.with_(joints={"j1": ht.Ball("j1", "ground", "b1", on_child=(0.1, 0, 0))})
    with pytest.raises(ht.FitError, match="joint 'j1'.*0.1 m away from its centre"):
        PairEnergy(off)
    follower = model.with_(forces=[ht.BodyLoad("b2", force=(1, 0, 0), axes="body", name="jet")])
    with pytest.raises(ht.FitError, match="force 'jet'"):
        PairEnergy(follower)
