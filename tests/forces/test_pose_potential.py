"""A potential of two poses: against particles that make the same potential, against functions, by
what it keeps, and what is refused of it.
"""

import numpy as np
import pytest
from numba import njit

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.potential_checks import check_pose_potentials
from hamiltree.errors import ModelError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.symbolic.expression import ExpressionError
from hamiltree.symbolic.tracing import trace
from tests.forces.examples import FRAMES, articulated_model
from tests.forces.test_every_force import states

CORNERS = ((0.1, 0.0, 0.2), (-0.2, 0.1, 0.0), (0.0, -0.1, -0.1))  # of every body of the model
STIFFNESS, LENGTH = 2.5, 0.4
RUN = {"until": 1.0, "step": 0.01, "progress": False}


def flying_pair(*forces, qdot=(0.3, -0.2, 0.4, 0.5, -0.4, 0.2)):
    """Two bodies that fly and turn, their centres of mass away from their origins."""
    bodies = [
        ht.Body(name, 1.0 + k, (0.1, 0.02, 0.0), (0.2, 0.25, 0.3)) for k, name in enumerate("ab")
    ]
    joints = [
        ht.Free("a", "ground", "a", qdot=qdot),
        ht.Free("b", "ground", "b", q=(1.0, 0.3, 0.2, 0.8, 0.0, 0.6, 0.0)),
    ]
    return ht.Model(bodies, joints, forces, (0.0, 0.0, 0.0))


def forces_of(*forces):
    """Generalised forces of forces on the articulated model, away from its start."""
    d = ht.dynamics(articulated_model(*forces))
    (q,), (qdot,) = states(d.model)
    return d.forces(q, qdot, 0.0), d.potentials(q, 0.0)[0]


# ---- the same potential in other ways ------------------------------------------------------------
def bond_text(a, b):
    """½ k (|d + R b − a| − l)² of the pose (d, R) of one body in the other."""
    parts = []
    for row, axis, p in zip("123", "xyz", a, strict=True):
        turned = " + ".join(f"({x})*R_{row}{j}" for j, x in zip("123", b, strict=True))
        parts.append(f"({axis} + {turned} - ({p}))")
    return f"k/2*(sqrt({' + '.join(f'{part}**2' for part in parts)}) - l)**2"


def bond_energy(R1, r1, R2, r2):
    """The same bonds as a function of both poses."""
    total = 0.0
    for a in CORNERS:
        for b in CORNERS:
            d = r2 + R2 @ np.array(b) - r1 - R1 @ np.array(a)
            total += 0.5 * STIFFNESS * (np.linalg.norm(d) - LENGTH) ** 2
    return total


def test_bonds_between_particles_are_a_potential_of_two_poses():
    """Harmonic bonds between all corners of two bodies, as a pair force and as formulas."""
    bonds = ht.PairForce(ht.HarmonicBond(STIFFNESS, LENGTH), between=(("trunk", "hand"),))
    text = " + ".join(bond_text(a, b) for a in CORNERS for b in CORNERS)
    typed = ht.PosePotential("trunk", "hand", text, {"k": STIFFNESS, "l": LENGTH})
    function = ht.PosePotential("trunk", "hand", bond_energy)
    expected, energy = forces_of(bonds)
    assert np.abs(expected).max() > 1.0
    for potential in (typed, function):
        found, value = forces_of(potential)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
        assert value == pytest.approx(energy, rel=1e-13)


def test_a_pair_formula_between_two_particles_is_a_formula_of_their_frames():
    """The distance r of the frames' origins is that of particles there."""
    pair = ht.PairForce(ht.PairFormula("a*exp(-r) + b/r", {"a": 2.0, "b": 0.7}),
                        between=(("trunk:1", "hand:2"),))  # fmt: skip
    frames = CORNERS[1], CORNERS[2]
    typed = ht.PosePotential("trunk", "hand", "a*exp(-r) + b/r", {"a": 2.0, "b": 0.7}, *frames)
    assert forces_of(typed)[0] == pytest.approx(forces_of(pair)[0], rel=1e-12, abs=1e-13)


def test_a_bushing_that_is_small_is_a_quadratic_form_of_the_pose():
    """x·K x/2 of the displacement alone, in the axes of frame a, is exactly a bushing's."""
    bushing = ht.Bushing("trunk", "hand", *FRAMES, (1.0, 2.0, 3.0, 0.0, 0.0, 0.0))
    typed = ht.PosePotential("trunk", "hand", "x**2/2 + y**2 + 1.5*z**2", {}, *FRAMES)
    assert forces_of(typed)[0] == pytest.approx(forces_of(bushing)[0], rel=1e-12, abs=1e-12)


def twist_energy(R1, r1, R2, r2):
    """A potential that branches: none below a distance."""
    d = r2 - r1
    square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
    if square < 0.25:
        return 0.0
    total = (square - 0.25) ** 3
    for k in range(3):
        total += 0.3 * R1[k, 2] * R2[k, 0] * d[1]
    return total


def twist_gradient(R1, r1, R2, r2, dR1, dr1, dR2, dr2):
    """Of `twist_energy`."""
    dR1[:, :] = 0.0
    dR2[:, :] = 0.0
    dr1[:] = 0.0
    dr2[:] = 0.0
    d = r2 - r1
    square = d[0] ** 2 + d[1] ** 2 + d[2] ** 2
    if square < 0.25:
        return
    for k in range(3):
        dr2[k] += 6.0 * (square - 0.25) ** 2 * d[k]
        dr2[1] += 0.3 * R1[k, 2] * R2[k, 0]
        dR1[k, 2] = 0.3 * R2[k, 0] * d[1]
        dR2[k, 0] = 0.3 * R1[k, 2] * d[1]
    for k in range(3):
        dr1[k] = -dr2[k]


def test_a_compiled_function_with_its_gradient_equals_the_formula():
    text = (
        "((x1-x2)**2 + (y1-y2)**2 + (z1-z2)**2 - 0.25)**3"
        " + 0.3*(R1_13*R2_11 + R1_23*R2_21 + R1_33*R2_31)*(y2 - y1)"
    )
    compiled = ht.PosePotential("trunk", "hand", twist_energy, gradient=twist_gradient)
    expected, energy = forces_of(ht.PosePotential("trunk", "hand", text))
    found, value = forces_of(compiled)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert value == pytest.approx(energy, rel=1e-13)
    d = ht.dynamics(articulated_model(compiled))
    q, qdot = states(d.model, 8)  # in lanes, one by one
    together = d.forces(q, qdot, 0.0)
    alone = [d.forces(*state, 0.0) for state in zip(q, qdot, strict=True)]
    assert np.array_equal(together, alone)


# ---- what is kept --------------------------------------------------------------------------------
RELATIVE = ht.PosePotential(
    "a", "b", "k/2*(r - l)**2 + c*(1 - R_33) + c*x*R_12", {"k": 3.0, "l": 0.7, "c": 0.4}
)
# The same in the poses of the world, where only the sum over all terms is invariant.
LINE = "((x2 - x1)*R1_11 + (y2 - y1)*R1_21 + (z2 - z1)*R1_31)"
INVARIANT = ht.PosePotential(
    "a",
    "b",
    "k/2*(sqrt((x1-x2)**2 + (y1-y2)**2 + (z1-z2)**2) - l)**2"
    " + c*(1 - R1_13*R2_13 - R1_23*R2_23 - R1_33*R2_33)"
    f" + c*{LINE}*(R1_11*R2_12 + R1_21*R2_22 + R1_31*R2_32)",
    {"k": 3.0, "l": 0.7, "c": 0.4},
)
# Invariant under turns about z and shifts along x and y only.
UPRIGHT = ht.PosePotential("a", "b", "k/2*(x**2 + y**2 + z**2) + k*R1_33*z2", {"k": 1.0})


def changes(run):
    """By how much the momentum and the angular momentum change, component by component."""
    pairs = [momentum.values for momentum in (run.linear_momentum, run.angular_momentum)]
    return [np.abs(values - values[0]).max(axis=0) for values in pairs]


def test_momenta_are_kept_as_far_as_the_potential_is_invariant():
    runs = [ht.simulate(flying_pair(force), **RUN) for force in (RELATIVE, INVARIANT, UPRIGHT)]
    for run in runs:
        assert run.energy_error < 1e-13
    for run in runs[:2]:
        assert np.max(changes(run)) < 1e-13
    linear, angular = changes(runs[2])
    assert linear[:2].max() < 1e-13 and linear[2] > 1e-2
    assert angular[2] < 1e-13 and angular[:2].max() > 1e-2
    assert runs[0].poses.values == pytest.approx(runs[1].poses.values, abs=1e-12)


def test_an_energy_momentum_method_keeps_the_energy_of_a_potential_of_poses():
    """A discrete gradient that knows the law only by its energy and wrenches at the middle."""
    for force in (RELATIVE, INVARIANT):
        method = {"formulation": "free_bodies_quaternion", "integrator": "quat_em"}
        run = ht.simulate(flying_pair(force), **RUN, **method)
        assert run.energy_error < 1e-12


def test_all_formulations_agree_about_a_potential_of_poses():
    found = ht.compare(flying_pair(RELATIVE, UPRIGHT), until=0, progress=False)
    assert found.agree and len(found.formulations) == 12


# ---- files, starts, refusals ---------------------------------------------------------------------
def test_a_potential_of_poses_reads_back_from_its_file():
    force = ht.PosePotential("a", "b", "k*R_33*x", {"k": 2.0}, *FRAMES, name="bond")
    model = flying_pair(force)
    assert model_from_toml(model_to_toml(model)) == model
    assert 'kind = "pose_potential"' in model_to_toml(model)
    with pytest.raises(ModelError, match=r"energy is the Python function 'bond_energy'"):
        model_to_toml(flying_pair(ht.PosePotential("a", "b", bond_energy)))


def test_a_formula_of_the_relative_pose_is_known_to_be_relative():
    """Then bodies far away are followed from an origin that moves with them."""
    assert RELATIVE.is_relative and not INVARIANT.is_relative
    assert not ht.PosePotential("a", "b", bond_energy).is_relative


COMPILED_GRADIENT = njit(twist_gradient)


def wrong_gradient(R1, r1, R2, r2, dR1, dr1, dR2, dr2):
    COMPILED_GRADIENT(R1, r1, R2, r2, dR1, dr1, dR2, dr2)
    dR2[2, 0] *= 1.2


def unfinished_gradient(R1, r1, R2, r2, dR1, dr1, dR2, dr2):
    dr1[:] = 0.0


AT_START = {
    "kink": (ht.PosePotential("a", "b", "abs(x1)"), "a kink at the start .* 'a' moves along x"),
    "kink of a turn": (
        ht.PosePotential("a", "b", "abs(R1_12)"),
        "a kink at the start .* 'a' turns about z",
    ),
    "points that meet": (
        ht.PosePotential("a", "b", "2*r", {}, (1.0, 0.3, 0.2)),
        "a kink at the start",
    ),
    "not real": (ht.PosePotential("a", "b", "log(-x2)"), "V is nan at the start"),
    "infinite": (ht.PosePotential("a", "b", "1/y1"), "V is inf at the start"),
    "steep": (ht.PosePotential("a", "b", "sqrt(x2 - 1)"), "dV/dx2 is inf at the start"),
    "wrong gradient": (
        ht.PosePotential("a", "b", twist_energy, gradient=wrong_gradient),
        "gradient does not belong to its energy: as 'b' turns about",
    ),
    "unfinished gradient": (
        ht.PosePotential("a", "b", twist_energy, gradient=unfinished_gradient),
        "dV/dR1_11 is nan at the start",
    ),
}


@pytest.mark.parametrize("name", AT_START)
def test_a_potential_that_is_not_smooth_at_the_start_is_refused_by_name(name):
    force, reason = AT_START[name]
    with pytest.raises(ModelError, match=rf"^force 1 \(pose_potential on 'a' on 'b'\): .*{reason}"):
        ht.simulate(flying_pair(force), **RUN)


SMOOTH = (
    "x1**2*abs(x1)",
    "1e6*(r - 1)**12",
    "cos(300*x2)",
    "1e9 + x2",
    "k*(1 - R_11)",
    "1e-30*sin(z1) + R_33**2",
)


@pytest.mark.parametrize("text", SMOOTH)
def test_a_potential_that_is_smooth_at_the_start_is_accepted(text):
    """At its least, steep, wavy, beside a large constant."""
    parameters = {"k": 1e7} if "k" in text else {}
    model = flying_pair(ht.PosePotential("a", "b", text, parameters))
    check_pose_potentials(assemble_at_start(model))


def branching(R1, r1, R2, r2):
    return r2[0] if r1[0] > 0 else 0.0


REFUSED = {
    "unknown name": (("k*x1",), {}, "unknown symbol 'k'"),
    "time": (("x1*t",), {}, "depends on the time t"),
    "a parameter like a variable": (("r",), {"parameters": {"r": 1.0}}, "'r' is also a variable"),
    "branch": ((branching,), {}, "branching has no formula: it decides by the value .* gradient"),
    "three numbers": ((lambda R1, r1, R2, r2: r2,), {}, "an array of shape .* where one number"),
    "two arguments": ((lambda a, b: 0.0,), {}, "has no formula: TypeError"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_formula_or_function_that_is_no_energy_is_refused_by_name(name):
    args, options, reason = REFUSED[name]
    model = flying_pair(ht.PosePotential("a", "b", *args, **options))
    with pytest.raises(ModelError, match=rf"(?s)^force 1 \(pose_potential .*{reason}"):
        ht.simulate(model, **RUN)


AT_ONCE = {
    "energy": (lambda: ht.PosePotential("a", "b", [1, 2]), "is no formula"),
    "parameters": (lambda: ht.PosePotential("a", "b", bond_energy, {"k": 1.0}), "belong to form"),
    "gradient": (lambda: ht.PosePotential("a", "b", "x", gradient=bond_energy), "belongs to an"),
    "gradient of a number": (
        lambda: ht.PosePotential("a", "b", bond_energy, gradient=3.0),
        "is no Python function",
    ),
    "frame": (lambda: ht.PosePotential("a", "b", "x", {}, 3), "is no frame"),
    "one body": (lambda: ht.PosePotential("a", "a", "x"), "body"),
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_wrong_values_are_refused_when_a_potential_is_made(name):
    make, reason = AT_ONCE[name]
    with pytest.raises(ModelError, match=reason):
        make()


# ---- functions as formulas -----------------------------------------------------------------------
def test_a_function_of_numpy_becomes_its_formula():
    def f(x, v):
        return 2 * np.exp(-x) + abs(v[0]) ** 3 / (1 - np.arctan2(v[1], x)) - np.hypot(*v) + 0.1

    found = trace(f, ["x", ("a", "b")], "f")
    assert found.symbols == {"x", "a", "b"}
    with pytest.raises(ExpressionError, match=r"needs the value .* numpy, not of math"):
        trace(lambda x: __import__("math").sqrt(x), ["x"], "f")
    with pytest.raises(ExpressionError, match="more than 20000 parts"):
        trace(doubled, ["x"], "f")


def doubled(x):
    for _ in range(20):
        x = np.sin(x) + x
    return x
