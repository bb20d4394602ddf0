"""Formulations in absolute coordinates against the tree, against a dense solution, and against each
other.
"""

from functools import cache

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import FitError, OptionError
from hamiltree.formulations.absolute import bodies as cartesian_bodies
from hamiltree.formulations.absolute import cartesian
from hamiltree.formulations.batch import rates_of_state, rates_of_states
from hamiltree.formulations.initial_states import coordinate_rates
from hamiltree.formulations.verb_pointers import indirect_rates
from hamiltree.model import GROUND
from hamiltree.verbs import constraint, constraint_rate, displace, index3_residual, project, rates
from tests.agreement import mechanisms

CARTESIAN, derivative, error = mechanisms.CARTESIAN, mechanisms.derivative, mechanisms.error
CLOSE = 1e-10

# bodies, branching
SHAPES = [
    (1, 1),
    (2, 1),
    (3, 1),
    (4, 2),
    (5, 5),
    (6, 1),
    (6, 2),
    (7, 3),
    (8, 1),
    (8, 2),
    (9, 2),
    (10, 3),
]
TREES = {
    f"tree {k}": lambda k=k, shape=shape: mechanisms.random_tree(*shape, k)
    for k, shape in enumerate(SHAPES)
}
TREES["coupled"] = mechanisms.coupled_tree

# bodies, branching, what closes the loops
LOOPS = [
    (4, 1, ("ball",)),
    (4, 2, ("universal",)),
    (3, 1, ("rod", "rod")),
    (5, 2, ("point_in_plane", "ball")),
    (6, 1, ("revolute",)),
    (6, 2, ("cylindrical", "perpendicular_axes")),
    (7, 2, ("coincident", "parallel_axes", "rod")),
    (8, 3, ("point_on_line", "screw")),
    (5, 1, ("planar", "rod")),
    (6, 3, ("prismatic",)),
    (7, 1, ("weld",)),
    (8, 2, ("gimbal", "translation")),
]
REDUNDANT = {
    "four_bar": lambda: ht.library.four_bar(),
    "andrews": lambda: ht.library.andrews(),
    "bricard": lambda: ht.library.bricard(angle=0.7, speed=1.3),
    "governor": lambda: ht.library.governor(),
    "double_wishbone": lambda: ht.library.double_wishbone(chassis="prismatic", wheel_speed=30.0),
    "strandbeest": lambda: ht.library.strandbeest(legs=1),
}


@cache
def mechanism(k):
    """(model, q, speeds)"""
    bodies, branching, kinds = LOOPS[k]
    return mechanisms.random_mechanism(bodies, branching, k, kinds)


@cache
def slider_crank():
    """The spatial one of "Spatial Dynamics", with a torque."""
    return ht.library.spatial_slider_crank(torque=1.7)


# ---- trees ---------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def by_tree(bind):
    """by_tree(name) -> (model, accelerations, (T, V)) by hamiltonian_tree: differences of twists
    along its flow.
    """

    @cache
    def reference(name):
        model = TREES[name]()
        bound, (q, speeds) = bind(model), model.start()
        p = bound.momentum(q, coordinate_rates(model, q, speeds))
        qdot, pdot = bound.rates(q, p)
        step = mechanisms.STEP / max(1.0, abs(pdot).max() / abs(p).max())
        return (
            model,
            derivative(lambda e: bound.poses(q + e * qdot, p + e * pdot)[1], step),
            bound.energies(q, p)[:2],
        )

    return reference


@pytest.mark.parametrize(
    "formulation", [*CARTESIAN, mechanisms.CartesianHamiltonian], ids=lambda case: case.__name__
)
@pytest.mark.parametrize("name", TREES)
def test_bodies_of_a_tree_accelerate_as_hamiltonian_tree_says(by_tree, name, formulation):
    """Every kind of joint, laws along joints and on bodies; and the same energies."""
    model, accelerations, energies = by_tree(name)
    case = formulation(model)
    assert error(case.accelerations(), accelerations) <= CLOSE
    assert error(case.energies(), energies) <= 1e-12


def test_the_trees_have_every_kind_of_joint():
    found = {joint.kind for build in TREES.values() for joint in build().joints}
    assert found == set(mechanisms.KINDS)


# ---- loops ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", range(len(LOOPS)), ids=["+".join(kinds) for _, _, kinds in LOOPS])
def test_formulations_i_ii_and_iii_solve_the_dense_system_of_random_mechanisms(k):
    """B and γ# of the dense one are differences of Φ."""
    model, q, speeds = mechanism(k)
    assert not Mechanism(model, q).redundant
    cases = [case(model, q, speeds) for case in CARTESIAN]
    acceleration, multipliers, condition = mechanisms.Dense(cases[-1]).solve()
    for case in cases:
        assert (
            error(case.turning, acceleration) <= 1e-12 * condition
            and error(case.multipliers, multipliers) <= 1e-12 * condition
        )
        assert error(case.turning, cases[-1].turning) <= 1e-13 * condition
        assert error(case.multipliers, cases[-1].multipliers) <= 1e-13 * condition


@pytest.mark.parametrize("k", range(len(LOOPS)), ids=["+".join(kinds) for _, _, kinds in LOOPS])
def test_hamiltonian_formulations_accelerate_the_bodies_of_random_mechanisms_as_formulation_iii(k):
    expected = mechanisms.CartesianIII(*mechanism(k)).accelerations()
    for case in (mechanisms.CartesianHamiltonian, mechanisms.HamiltonianLoops):
        assert error(case(*mechanism(k)).accelerations(), expected) <= CLOSE


@pytest.mark.parametrize("name", REDUNDANT)
def test_rows_that_are_left_out_do_not_change_the_motion(name):
    """hamiltonian_loops and the formulations in absolute coordinates leave out the same redundant
    rows; accelerations are unique.
    """
    model = REDUNDANT[name]()
    expected = mechanisms.HamiltonianLoops(model).accelerations()
    for case in (*CARTESIAN, mechanisms.CartesianHamiltonian):
        assert error(case(model).accelerations(), expected) <= CLOSE


# ---- drives and power ----------------------------------------------------------------------------
def driven_crank():
    model = ht.library.slider_crank(angle=0.7, speed=2.0)
    forces = [
        ht.JointDamper("slide", 0.4),
        ht.BodyLoad("rod", (1.0, 0.0, 2.0)),
        ht.JointSpring("crank_pin", 0.3, 0.1),
    ]
    drive = ht.Drive(
        "crank_pivot", "0.7 + 2*t + a*sin(3*t)**2", parameters={"a": 0.5}, name="motor"
    )
    return model.with_(forces=forces, constraints=[drive])


@pytest.mark.parametrize(
    "case",
    [*CARTESIAN, mechanisms.CartesianHamiltonian, mechanisms.HamiltonianLoops],
    ids=lambda case: case.__name__,
)
def test_a_driven_crank_has_the_acceleration_of_its_drive(case):
    """f'' = 18 a at t = 0."""
    assert case(driven_crank()).accelerations()[0, :3] == pytest.approx([0.0, -9.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
@pytest.mark.parametrize(
    "build",
    [driven_crank, slider_crank, lambda: TREES["tree 5"]()],
    ids=["driven", "torque", "laws"],
)
def test_energy_changes_by_the_power_of_drives_dampers_and_loads(build, case):
    here = case(build())
    y, ydot = here.y, here.ydot

    def total(step):
        here.y, here.t = y + step * ydot, step
        return sum(here.energies())

    change = derivative(total)
    here.y, here.t = y, 0.0
    assert here.power() == pytest.approx(change, rel=1e-9) and abs(change) > 0.1


# ---- off the constraints -------------------------------------------------------------------------
def rows_of(case, y, of_rate=False):
    out = np.zeros(case.system.facts.constraints)
    if of_rate:
        constraint_rate(case.system, case.work, case.t, y, np.zeros_like(y), out)
    else:
        constraint(case.system, case.work, case.t, y, out)
    return out


def disturbed(case, amount, seed=0):
    """Centres of mass moved, and all speeds changed; Euler parameters stay unit ones and their
    rates across them.
    """
    rng, y, n = np.random.default_rng(seed), case.y.copy(), case.bodies
    y[: 7 * n].reshape(n, 7)[:, :3] += amount * rng.normal(size=(n, 3))
    speeds = y[7 * n :].reshape(n, -1)
    speeds[:, :3] += amount * rng.normal(size=(n, 3))
    w = amount * rng.normal(size=(n, 3))
    speeds[:, 3:] += (
        w if case.number == 3 else 0.5 * cartesian_spread(y[: 7 * n].reshape(n, 7)[:, 3:], w)
    )
    return y


def cartesian_spread(p, w):
    """Lᵀ(p) w, row by row."""
    return np.column_stack([-(p[:, 1:] * w).sum(1), p[:, :1] * w + np.cross(p[:, 1:], w)])


def slope(case, y, system=None):
    ydot = np.full_like(y, np.nan)
    rates(case.system if system is None else system, case.work, case.t, y, ydot)
    return ydot


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_second_derivatives_of_all_rows_vanish_even_where_the_rows_do_not(case):
    here = case(*mechanism(3))
    y = disturbed(here, 0.1)
    ydot = slope(here, y)
    second = derivative(lambda step: rows_of(here, y + step * ydot, of_rate=True))
    assert abs(rows_of(here, y)).max() > 0.01 and abs(second).max() <= 1e-9 * abs(ydot).max()


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_baumgarte_damps_the_rows(case):
    """Φ̈ = −2 α Φ̇ − β² Φ"""
    here = case(*mechanism(3))
    y = disturbed(here, 0.1)
    ydot = slope(here, y, cartesian.with_baumgarte(here.system, (3.0, 5.0)))
    second = derivative(lambda step: rows_of(here, y + step * ydot, of_rate=True))
    expected = -2 * 3.0 * rows_of(here, y, of_rate=True) - 5.0**2 * rows_of(here, y)
    assert error(second, expected) <= 1e-9


@pytest.mark.parametrize("k", [2, 7])
@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_a_projection_brings_a_disturbed_state_back(case, k):
    here = case(*mechanism(k))
    y, n = disturbed(here, 1e-3), here.bodies
    y[: 7 * n].reshape(n, 7)[:, 3:] *= 1.001
    if case.number < 3:
        y[7 * n :].reshape(n, 7)[:, 3:] += 0.1 * y[: 7 * n].reshape(n, 7)[:, 3:]
    assert project(here.system, here.work, 0.0, y, np.zeros_like(y))
    p = y[: 7 * n].reshape(n, 7)[:, 3:]
    assert (
        abs(rows_of(here, y)).max() <= 1e-13 and abs(rows_of(here, y, of_rate=True)).max() <= 1e-13
    )
    assert abs((p**2).sum(1) - 1).max() <= 1e-15 * 8
    if case.number < 3:
        assert abs((p * y[7 * n :].reshape(n, 7)[:, 3:]).sum(1)).max() <= 1e-14


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_a_projection_leaves_an_exact_state(case):
    here = case(*mechanism(3))
    y = here.y.copy()
    assert project(here.system, here.work, 0.0, y, np.zeros_like(y))
    assert abs(y - here.y).max() <= 1e-14


def test_a_projection_of_a_body_without_rows_makes_its_parameters_unit_ones():
    here = mechanisms.CartesianI(ht.library.free_body())
    y = here.y.copy()
    y[3:7] *= 1.01
    y[10:14] += 0.1 * y[3:7]
    assert project(here.system, here.work, 0.0, y, np.zeros_like(y))
    assert y[3:7] @ y[3:7] == pytest.approx(1.0, abs=1e-15) and abs(y[3:7] @ y[10:14]) <= 1e-15
    assert y[10:14] == pytest.approx(here.y[10:14] / 1.01, rel=1e-14)


def test_a_projection_makes_the_least_change_in_the_metric_of_the_masses():
    """A state moved across all that the rows allow, by M⁻¹ Bᵀ μ, comes back to where it was, up to
    the square of the way.
    """
    here, way = mechanisms.CartesianIII(*mechanism(3)), 1e-6
    n = here.bodies
    B, rng = mechanisms.Dense(here).jacobian(), np.random.default_rng(1)
    masses = np.zeros((6 * n, 6 * n))
    for i, body in enumerate(here.model.bodies):
        masses[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = body.mass * np.eye(3)
        masses[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = body.inertia
    positions, speeds = (np.linalg.solve(masses, B.T @ rng.normal(size=len(B))) for _ in range(2))
    y = here.y.copy()
    displace(here.system, here.work, here.y, way * positions, y)
    y[7 * n :] += way * speeds
    moved = abs(y - here.y).max()
    assert project(here.system, here.work, 0.0, y, np.zeros_like(y))
    assert abs(y - here.y)[: 7 * n].max() <= 1e-4 * moved


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_a_projection_that_cannot_close_the_rows_says_so(case):
    """Ends of two bars that are never nearer than 2 m, and a rod of 1.5 m between them."""
    bodies = [ht.Body(name, 1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1)) for name in "ab"]
    joints = [
        ht.Revolute("left", GROUND, "a", q=0.3),
        ht.Revolute("right", GROUND, "b", ht.Frame((4, 0, 0)), q=2.8),
    ]
    here = case(ht.Model(bodies, joints, constraints=[ht.Rod("a", "b", (1, 0, 0), (1, 0, 0), 1.5)]))
    y = here.y.copy()
    assert not project(here.system, here.work, 0.0, y, np.zeros_like(y))


def test_projection_can_be_turned_off():
    here = mechanisms.CartesianIII(*mechanism(2))
    y = disturbed(here, 1e-3)
    before = y.copy()
    assert project(
        cartesian.with_projection(here.system, False), here.work, 0.0, y, np.zeros_like(y)
    ) and np.array_equal(y, before)
    with pytest.raises(OptionError, match="projection"):
        cartesian.with_projection(here.system, 1)
    with pytest.raises(OptionError, match="baumgarte"):
        cartesian.with_baumgarte(here.system, -1.0)


# ---- the index-3 form ----------------------------------------------------------------------------
@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
@pytest.mark.parametrize(
    "build", [lambda: mechanism(3), lambda: (TREES["tree 5"](),)], ids=["loops", "laws"]
)
def test_accelerations_and_multipliers_balance_the_index_3_form(build, case):
    """Of formulation I σ, then λ: rotations there do not change along p, so σ is that of a body
    that nothing holds, 2 ω'ᵀ J' ω'.
    """
    here = case(*build())
    w, inertia = here.omega, np.array([body.inertia for body in here.model.bodies])
    multipliers = np.concatenate([2 * np.einsum("ki,kij,kj->k", w, inertia, w), here.multipliers])[
        0 if case.number == 1 else len(w) :
    ]
    speeds = here.system.layout.momenta
    out = np.full(speeds + here.system.facts.multipliers, np.nan)
    index3_residual(here.system, here.work, 0.0, here.y, here.ydot[-speeds:], multipliers, out)
    assert len(multipliers) == here.system.facts.multipliers
    assert abs(out).max() <= 1e-12 * abs(here.ydot).max()
    index3_residual(
        here.system, here.work, 0.0, here.y, here.ydot[-speeds:], 1.001 * multipliers, out
    )
    assert abs(out).max() > 1e-7 * abs(multipliers).max()


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_a_displacement_moves_positions_at_the_rates_of_the_speeds(case):
    here = case(*mechanism(3))
    n = here.system.layout.positions

    def moved(step):
        out = here.y.copy()
        displace(here.system, here.work, here.y, step * here.y[n:], out)
        return out[:n]

    assert error(derivative(moved), here.ydot[:n]) <= 1e-11


# ---- compiled ------------------------------------------------------------------------------------
class Compiled:
    """Compiled rates of a formulation: of one state, or of four at a time."""

    def __init__(self, case, width=1):
        length = len(case.y)
        shape = (length,) if width == 1 else (length, width)
        work = cartesian_bodies.cartesian_workspace(case.system, width)
        self.n, self.entry = (
            case.system.layout.positions,
            rates_of_state if width == 1 else rates_of_states,
        )
        parts = indirect_rates(case.system, work, width)
        self.handle = StructPointer(*parts, np.zeros(shape), np.zeros(shape))

    def rates(self, y):
        q, p = np.ascontiguousarray(y[..., : self.n]), np.ascontiguousarray(y[..., self.n :])
        qdot, pdot = np.full_like(q, np.nan), np.full_like(p, np.nan)
        self.entry(self.handle, q, p, qdot, pdot)
        return np.concatenate([qdot, pdot], axis=-1)


@pytest.fixture(scope="module")
def compiled():
    return cache(lambda case: (case(slider_crank()), Compiled(case(slider_crank()))))


@pytest.mark.parametrize("case", CARTESIAN, ids=lambda case: case.__name__)
def test_compiled_equals_interpreted(compiled, case):
    here, machine = compiled(case)
    assert error(machine.rates(here.y), here.ydot) <= 1e-12


def test_lanes_equal_floats_to_the_bit(compiled):
    """Seven states: four, then three with one lane to spare."""
    here, machine = compiled(mechanisms.CartesianIII)
    states = np.array([disturbed(here, 0.1, seed) for seed in range(7)])
    together, alone = (
        Compiled(here, WIDTH).rates(states),
        np.array([machine.rates(y) for y in states]),
    )
    assert np.array_equal(together.view(np.int64), alone.view(np.int64))


# ---- what is refused -----------------------------------------------------------------------------
def test_a_body_without_inertia_is_refused_by_name():
    bodies = [ht.Body("bob", 1.0, (0, 0, -1)), ht.Body("link", 0.0)]
    model = ht.Model(
        bodies,
        [
            ht.Revolute("a", GROUND, "link", axis=(1, 0, 0)),
            ht.Revolute("b", "link", "bob", axis=(0, 1, 0)),
        ],
    )
    with pytest.raises(
        FitError, match="body 'bob' has no inertia about some axis.*hamiltonian_loops"
    ):
        cartesian.CARTESIAN_3.assemble(assemble_at_start(model))
    with pytest.raises(FitError, match="body 'link' has no mass"):
        cartesian.CARTESIAN_1.assemble(
            assemble_at_start(model.with_(bodies={"bob": {"inertia": (1.0, 1.0, 1.0)}}))
        )


def test_armature_is_refused_by_name():
    model = ht.library.n_pendulum(2)
    name = model.joints[1].name
    bodies = {body.name: {"inertia": (1.0, 1.0, 1.0)} for body in model.bodies}
    with pytest.raises(FitError, match=f"joint '{name}' has armature"):
        cartesian.CARTESIAN_2.assemble(
            assemble_at_start(model.with_(bodies=bodies, joints={name: {"armature": 0.1}}))
        )


def test_a_joint_whose_rows_are_not_known_and_a_law_along_one_of_three_turns_are_refused_by_name():
    body = [ht.Body("b", 1.0, inertia=(1.0, 1.0, 1.0))]
    crossed = ht.Axes(
        "hip", GROUND, "b", axes=[("turn", (0, 0, 1)), ("turn", (1, 0, 0), (0, 0.1, 0))]
    )
    with pytest.raises(FitError, match=r"joint 'hip' \(axes\): its constraints are known only of"):
        cartesian.CARTESIAN_3.assemble(assemble_at_start(ht.Model(body, [crossed])))
    gimbal = ht.Model(body, [ht.Gimbal("neck", GROUND, "b")], [ht.JointSpring("neck.2", 1.0)])
    with pytest.raises(FitError, match=r"joint 'neck' \(gimbal\).*three angles"):
        cartesian.CARTESIAN_3.assemble(assemble_at_start(gimbal))
