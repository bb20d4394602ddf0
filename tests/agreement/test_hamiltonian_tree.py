"""The O(N) equations of a tree against matrices, Jacobians and differences, over trees of every
shape and joint.

Bounds: round-off is measured against the largest entry; what solves a system with M against 1e-12
times the condition number of M.
Derivatives are taken by central differences of sixth order.
"""

import numpy as np
import pytest

from hamiltree.analysis.influence import influence
from hamiltree.compiled.number import WIDTH, load
from hamiltree.formulations.tree import hamiltonian_tree
from hamiltree.formulations.tree.link_rows import STRIP, RateRow, arm_of
from hamiltree.model import library

EXACT = 1e-12
OFFSETS, WEIGHTS = np.array([-3, -2, -1, 1, 2, 3]), np.array([-1, 9, -45, 45, -9, 1]) / 60
STEP = 5e-3
DIFFERENCES = 1e-10  # sixth order at STEP, on the scale of the function


def error(got, expected):
    """Largest deviation, relative to the largest entry."""
    return abs(got - expected).max() / abs(expected).max()


def derivative(function, step=STEP):
    """d/dε of function(ε) at 0."""
    return (
        sum(
            weight * function(offset * step)
            for offset, weight in zip(OFFSETS, WEIGHTS, strict=True)
        )
        / step
    )


def gradient(function, x, step=STEP):
    """∂/∂x of a scalar function."""
    return np.array(
        [derivative(lambda e, row=row: function(x + e * row), step) for row in np.eye(len(x))]
    )


def moving_state(model, geometry):
    """(q, p) of the model's moving start."""
    q, qdot = model.start()
    return q, geometry(model, q).mass_matrix() @ qdot


def states(model, count, seed=0):
    rng = np.random.default_rng(seed)
    n = len(model.coordinates)
    return rng.uniform(-2, 2, (count, n)), rng.normal(size=(count, n))


def bits(array):
    return np.ascontiguousarray(array).view(np.int64)


# ---- q̇ from p -----------------------------------------------------------------------------------
def test_rates_solve_the_mass_matrix(bind, any_tree):
    """(P.5b) against (P.5a)."""
    (q,), (p,) = states(any_tree, 1)
    M = influence(any_tree, q).mass_matrix()
    qdot, _ = bind(any_tree).rates(q, p)
    assert error(qdot, np.linalg.solve(M, p)) <= EXACT * np.linalg.cond(M)


def test_rates_of_more_links_than_a_strip_solve_the_mass_matrix(bind):
    """Sines and cosines are evaluated by strips; axes are kept only for some children."""
    model = library.tree(STRIP + 3)
    (q,), (p,) = states(model, 1)
    M = influence(model, q).mass_matrix()
    qdot, _ = bind(model).rates(q, p)
    assert error(qdot, np.linalg.solve(M, p)) <= EXACT * np.linalg.cond(M) <= 1e-3


def test_the_operators_of_p5b_and_the_kernel_give_the_same_rates(bind, any_tree):
    (q,), (p,) = states(any_tree, 1, seed=1)
    at_q = influence(any_tree, q)
    bound = EXACT * np.linalg.cond(at_q.mass_matrix())
    qdot, _ = bind(any_tree).rates(q, p)
    assert error(at_q.rates(p), qdot) <= bound and error(at_q.rates_dense(p), qdot) <= bound


def test_branch_inertias_are_those_of_the_kernel(bind, any_tree):
    """Pivots, momenta of unit rates about the parents' origins, and traces of A and C."""
    (q,), (p,) = states(any_tree, 1, seed=2)
    bound, (J, R, K) = bind(any_tree), influence(any_tree, q).articulated_inertias()
    bound.work.wants_traces[0] = 1
    bound.rates(q, p)
    links = range(bound.n)
    assert abs(R * bound.work.r[: bound.n] - 1).max() <= EXACT
    rows = [load(bound.work.U, i, RateRow) for i in links]
    arms = np.array([arm_of(bound.work, i) for i in links])
    H, P = (np.array([row[k][:, 0] for row in rows]) for k in range(2))
    assert error(np.hstack([H - np.cross(arms, P), P]), K) <= EXACT
    traces = bound.work.traces[: 2 * bound.n].reshape(-1, 2)
    assert error(traces[:, 0], np.trace(J[:, :3, :3], axis1=1, axis2=2)) <= EXACT
    assert error(traces[:, 1], np.trace(J[:, 3:, 3:], axis1=1, axis2=2)) <= EXACT


def test_the_mass_matrix_is_that_of_the_geometric_jacobians(geometry, any_tree):
    (q,), _ = states(any_tree, 1, seed=3)
    M = influence(any_tree, q).mass_matrix()
    assert error(M, geometry(any_tree, q).mass_matrix()) <= EXACT


def test_momentum_is_mass_times_rates(bind, geometry, any_tree):
    (q,), (qdot,) = states(any_tree, 1, seed=4)
    M = geometry(any_tree, q).mass_matrix()
    p = bind(any_tree).momentum(q, qdot)
    assert error(p, M @ qdot) <= EXACT and error(influence(any_tree, q).momentum(qdot), p) <= EXACT


def test_rates_undo_momentum(bind, any_tree):
    (q,), (qdot,) = states(any_tree, 1, seed=5)
    bound = bind(any_tree)
    assert error(bound.rates(q, bound.momentum(q, qdot))[0], qdot) <= EXACT * np.linalg.cond(
        influence(any_tree, q).mass_matrix()
    )


# ---- energies and ṗ ------------------------------------------------------------------------------
def test_energies_are_those_of_the_geometry(bind, geometry, with_every_law, any_tree):
    model = with_every_law(any_tree)
    q, p = moving_state(model, geometry)
    place, qdot = geometry(model, q), model.start()[1]
    kinetic, potential, total = bind(model).energies(q, p)
    assert kinetic == pytest.approx(0.5 * qdot @ place.mass_matrix() @ qdot, rel=EXACT)
    assert potential == pytest.approx(place.potential(), rel=EXACT) and total == kinetic + potential


def test_momenta_change_by_the_gradient_of_h_and_the_loads(bind, geometry, with_every_law, tree):
    model = with_every_law(tree)
    q, p = moving_state(model, geometry)
    bound = bind(model)
    qdot, pdot = bound.rates(q, p)
    expected = geometry(model, q).generalised_loads(qdot) - gradient(
        lambda x: bound.hamiltonian(x, p), q
    )
    assert abs(pdot - expected).max() <= DIFFERENCES * max(
        abs(expected).max(), abs(bound.hamiltonian(q, p))
    )


def test_rates_are_the_gradient_of_h_by_momenta(bind, geometry, with_every_law, tree):
    """H is quadratic in p: differences are exact up to round-off."""
    model = with_every_law(tree)
    q, p = moving_state(model, geometry)
    bound, step = bind(model), 0.1 * abs(p).max()
    qdot, _ = bound.rates(q, p)
    slope = gradient(lambda x: bound.hamiltonian(q, x), p, step)
    largest = max(abs(bound.hamiltonian(q, p + 3 * step * row)) for row in np.eye(len(p)))
    assert abs(qdot - slope).max() <= EXACT * largest / step


def test_loads_change_h_by_their_power(bind, geometry, with_every_law, tree):
    """dH/dt = ∂H/∂q · q̇ + ∂H/∂p · ṗ, differences along the flow, is the power of dampers, efforts
    and loads on bodies.
    """
    model = with_every_law(tree)
    q, p = moving_state(model, geometry)
    bound = bind(model)
    qdot, pdot = bound.rates(q, p)
    step = STEP / max(abs(qdot).max(), abs(pdot).max() / abs(p).max())
    change = derivative(lambda e: bound.hamiltonian(q + e * qdot, p + e * pdot), step)
    power = geometry(model, q).power_of_loads(qdot)
    assert abs(change - power) <= DIFFERENCES * max(
        abs(power), abs(bound.hamiltonian(q, p)) / step * STEP
    )


def test_without_loads_h_does_not_change(bind, geometry, tree):
    """ṗ · q̇ cancels against the change of H with q, so an effort left over anywhere would show."""
    q, p = moving_state(tree, geometry)
    bound = bind(tree)
    qdot, pdot = bound.rates(q, p)
    step = STEP / max(abs(qdot).max(), abs(pdot).max() / abs(p).max())
    change = derivative(lambda e: bound.hamiltonian(q + e * qdot, p + e * pdot), step)
    assert abs(change) <= DIFFERENCES * abs(bound.hamiltonian(q, p)) / step * STEP


# ---- poses and twists ----------------------------------------------------------------------------
def rotation_matrix(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
        ]
    )


def test_poses_and_twists_are_those_of_the_geometry(bind, geometry, with_every_law, any_tree):
    model = with_every_law(any_tree)
    q, p = moving_state(model, geometry)
    place, bound = geometry(model, q), bind(model)
    qdot, _ = bound.rates(q, p)
    pose, twist = bound.poses(q, p)
    names = [body.name for body in model.bodies]
    assert error(pose[:, :3], np.array([place.pose[name][:3, 3] for name in names])) <= EXACT
    assert (
        error(
            np.array([rotation_matrix(row[3:]) for row in pose]),
            np.array([place.pose[name][:3, :3] for name in names]),
        )
        <= EXACT
    )
    assert error(twist, np.array([place.jacobian[name] @ qdot for name in names])) <= EXACT
    assert abs(np.linalg.norm(pose[:, 3:], axis=1) - 1).max() <= 1e-15 and (pose[:, 3] >= 0).all()


def test_twists_are_the_derivatives_of_poses(bind, geometry, tree):
    q, p = moving_state(tree, geometry)
    bound = bind(tree)
    qdot, _ = bound.rates(q, p)
    pose, twist = bound.poses(q, p)

    def frames(e):
        moved = bound.poses(q + e * qdot, p)[0]
        return np.array([np.column_stack([rotation_matrix(row[3:]), row[:3]]) for row in moved])

    change = derivative(frames)
    spin = change[:, :, :3] @ np.array([rotation_matrix(row[3:]).T for row in pose])
    assert error(change[:, :, 3], twist[:, 3:]) <= DIFFERENCES
    assert abs(spin + np.swapaxes(spin, 1, 2)).max() <= DIFFERENCES * abs(twist).max()
    assert (
        abs(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], 1) - twist[:, :3]).max()
        <= DIFFERENCES * abs(twist).max()
    )


# ---- the same tree written down otherwise --------------------------------------------------------
def test_the_order_of_declaration_only_reorders(bind, geometry, with_every_law, shuffled, any_tree):
    model = with_every_law(any_tree)
    other, before = shuffled(model)
    q, p = moving_state(model, geometry)
    assert (
        error(bind(other).hamiltonian(q[before], p[before]), bind(model).hamiltonian(q, p)) <= EXACT
    )
    for rate, expected in zip(
        bind(other).rates(q[before], p[before]), bind(model).rates(q, p), strict=True
    ):
        assert error(rate, expected[before]) <= EXACT * np.linalg.cond(
            influence(model, q).mass_matrix()
        )


def test_a_joint_declared_backwards_only_changes_a_sign(
    bind, geometry, with_every_law, backwards, any_tree
):
    model = with_every_law(any_tree)
    other, sign = backwards(model)
    q, p = moving_state(model, geometry)
    assert (
        error(bind(other).hamiltonian(sign * q, sign * p), bind(model).hamiltonian(q, p)) <= EXACT
    )
    for rate, expected in zip(
        bind(other).rates(sign * q, sign * p), bind(model).rates(q, p), strict=True
    ):
        assert error(rate, sign * expected) <= EXACT * np.linalg.cond(
            influence(model, q).mass_matrix()
        )


def test_backwards_joints_agree_with_the_geometry_too(
    bind, geometry, with_every_law, backwards, shuffled, tree
):
    model, _ = shuffled(backwards(with_every_law(tree), seed=1)[0], seed=2)
    q, p = moving_state(model, geometry)
    place, bound = geometry(model, q), bind(model)
    M = place.mass_matrix()
    qdot, pdot = bound.rates(q, p)
    assert error(influence(model, q).mass_matrix(), M) <= EXACT and error(
        qdot, model.start()[1]
    ) <= EXACT * np.linalg.cond(M)
    expected = place.generalised_loads(qdot) - gradient(lambda x: bound.hamiltonian(x, p), q)
    assert abs(pdot - expected).max() <= DIFFERENCES * max(
        abs(expected).max(), abs(bound.hamiltonian(q, p))
    )


def test_frames_on_bodies_and_joints_are_free(bind, geometry, with_every_law, reframed, any_tree):
    """Other axes and origins on every body, other axes in every joint: the same energies, rates,
    and motion of the centres of mass.
    """
    model = with_every_law(any_tree)
    other = reframed(model)
    q, p = moving_state(model, geometry)
    one, two = bind(model), bind(other)
    assert error(two.energies(q, p), one.energies(q, p)) <= EXACT
    for rate, expected in zip(two.rates(q, p), one.rates(q, p), strict=True):
        assert error(rate, expected) <= EXACT * np.linalg.cond(influence(model, q).mass_matrix())
    assert error(centres(other, *two.poses(q, p)), centres(model, *one.poses(q, p))) <= EXACT


def centres(model, pose, twist):
    """Positions and velocities of the centres of mass."""
    arms = np.array(
        [rotation_matrix(row[3:]) @ body.com for row, body in zip(pose, model.bodies, strict=True)]
    )
    return np.concatenate([pose[:, :3] + arms, twist[:, 3:] + np.cross(twist[:, :3], arms)])


# ---- compiled, interpreted, lanes ----------------------------------------------------------------
SMALL = [
    "hinge",
    "slider",
    "screw",
    "chain of 8 sliders",
    "binary of 7 screws",
    "chain of 10 hinges",
    "star of 20",
]


def all_verbs(bound, q, p):
    qdot, pdot = bound.rates(q, p)
    return {
        "q̇": qdot,
        "ṗ": pdot,
        "T, V, H": bound.energies(q, p),
        "p": bound.momentum(q, qdot),
        **dict(zip("rv", bound.poses(q, p), strict=True)),
    }


@pytest.mark.parametrize("loaded", [False, True], ids=["gravity alone", "every law"])
@pytest.mark.parametrize("name", [*SMALL, "mixed on a base"])
def test_compiled_equals_interpreted(bind, build_tree, with_every_law, name, loaded):
    model = with_every_law(build_tree(name)) if loaded else build_tree(name)
    (q,), (p,) = states(model, 1, seed=6)
    compiled, interpreted = (
        all_verbs(bind(model), q, p),
        all_verbs(bind(model, interpreted=True), q, p),
    )
    for verb in compiled:
        assert error(compiled[verb], interpreted[verb]) <= EXACT, verb


@pytest.mark.parametrize("name", ["binary of 7 screws", "mixed on a base"])
def test_compiled_lanes_equal_interpreted_lanes(bind, build_tree, with_every_law, name):
    model = with_every_law(build_tree(name))
    q, p = (np.ascontiguousarray(x.T) for x in states(model, WIDTH, seed=7))
    compiled, interpreted = (
        all_verbs(bind(model, width=WIDTH, interpreted=way), q, p) for way in (False, True)
    )
    for verb in compiled:
        assert error(compiled[verb], interpreted[verb]) <= EXACT, verb


@pytest.mark.parametrize("loaded", [False, True], ids=["gravity alone", "every law"])
def test_lanes_equal_floats_bit_for_bit(bind, with_every_law, any_tree, loaded):
    model = with_every_law(any_tree) if loaded else any_tree
    q, p = states(model, WIDTH, seed=8)
    together, alone = bind(model, width=WIDTH), bind(model)
    lanes = all_verbs(together, *(np.ascontiguousarray(x.T) for x in (q, p)))
    for k in range(WIDTH):
        for verb, value in all_verbs(alone, q[k], p[k]).items():
            assert np.array_equal(bits(value), bits(lanes[verb][..., k])), (verb, k)


def test_rows_in_the_order_of_links_change_no_bits(bind, monkeypatch):
    """Momenta, rates and angles are then copied as they lie."""
    model = library.chain(STRIP + 3)
    (q,), (p,) = states(model, 1, seed=10)
    quick, assemble = bind(model), hamiltonian_tree.assemble
    assert quick.system.is_in_order and quick.system.has_plain_angles
    row_by_row = {"is_in_order": False, "has_plain_angles": False}
    monkeypatch.setattr(
        hamiltonian_tree, "assemble", lambda assembly: assemble(assembly)._replace(**row_by_row)
    )
    slow = all_verbs(bind(model), q, p)
    for verb, value in all_verbs(quick, q, p).items():
        assert np.array_equal(bits(value), bits(slow[verb])), verb


def test_an_evaluation_depends_on_nothing_that_was_computed_before(bind, with_every_law, tree):
    model = with_every_law(tree)
    q, p = states(model, 2, seed=9)
    used, fresh = bind(model), bind(model)
    first = all_verbs(used, q[0], p[0])
    all_verbs(used, q[1], p[1])
    for again in (all_verbs(used, q[0], p[0]), all_verbs(fresh, q[0], p[0])):
        assert all(np.array_equal(bits(again[verb]), bits(first[verb])) for verb in first)


def test_rates_carry_nan_to_nothing_but_their_own_lane(bind, with_every_law, build_tree):
    model = with_every_law(build_tree("chain of 10 hinges"))
    q, p = (np.ascontiguousarray(x.T) for x in states(model, WIDTH, seed=10))
    bound = bind(model, width=WIDTH)
    clean = np.concatenate(bound.rates(q, p))
    q[3, 1] = np.nan
    spoilt = np.concatenate(bound.rates(q, p))
    others = [0, 2, 3]
    assert np.isnan(spoilt[:, 1]).all() and np.array_equal(
        bits(spoilt[:, others]), bits(clean[:, others])
    )
