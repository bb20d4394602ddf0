"""Vectors of bodies, coordinates {x} and applied forces {F_y} of `ht.kane.partials`, for every
joint: against differences along the motion and against `ht.dynamics`; what is printed against
numbers.
"""

import sys

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.rotations import rotate_back, scalar_first, scalar_last
from tests.agreement.kane_reader import VectorReader, read_lines
from tests.agreement.test_kane_partials import (
    CASES,
    DIFFERENCES,
    MODELS,
    OFFSETS,
    STEP,
    WEIGHTS,
    Case,
    error,
)

CLOSE = 1e-10
CASE_NAMES = [
    "of every joint",
    "backwards",
    "coupled and backwards",
    "known",
    "known, backwards the other way",
    "known, coupled",
]
VECTORS = (
    "angular_velocity",
    "position_O",
    "position_G",
    "velocity_O",
    "velocity_G",
    "angular_acceleration",
    "acceleration_G",
)


@pytest.fixture(
    scope="module",
    params=[case for case in CASES if case[0] in CASE_NAMES],
    ids=lambda case: f"{case[1]} {case[0]}",
)
def case(request):
    return Case(*request.param)


def world(found, what):
    """A vector of every body in inertial axes, from the axes that the notes give it in."""
    vectors, turns = getattr(found, what).values, found.rotations.values
    if found.formulation == "kane_absolute":
        return vectors
    if what == "velocity_O":  # axes of the lower body
        turns = np.array([turns[lower - 1] if lower else np.eye(3) for lower in found.lower])
    return rotate_back(turns, vectors)


def states_around(case, rates=None):
    """Partials at times about the state; speeds change by `rates`, which are zero if None."""
    still = case.model.with_(forces=())
    for offset in OFFSETS:
        time = offset * STEP
        u = case.u if rates is None else case.u + time * rates
        q = case.services.integrate(case.q, time * case.u)
        yield ht.kane.partials(still, (q, u), case.formulation)


def difference(values):
    return sum(weight * value for weight, value in zip(WEIGHTS, values, strict=True)) / STEP


def test_velocities_are_the_rates_of_positions(case):
    states = list(states_around(case))
    for point in "OG":
        moved = difference([world(state, f"position_{point}") for state in states])
        assert error(world(case.found, f"velocity_{point}"), moved) < DIFFERENCES
    assert error(world(case.found, "position_G"), case.found.positions) < CLOSE


def test_vectors_are_partial_velocities_times_speeds(case):
    found, y = case.found, case.found.y.values
    pairs = {"angular_velocity": "omega", "velocity_O": "origin_velocity", "velocity_G": "velocity"}
    for vector, matrix in pairs.items():
        assert error(getattr(found, vector), getattr(found, matrix).values @ y) < CLOSE


def test_accelerations_are_the_rates_of_velocities_along_the_motion(case):
    """u̇ is that of articulated-body forward dynamics, which knows nothing of partial velocities."""
    rates = case.services.forward_dynamics(case.q, case.u)
    states = list(states_around(case, rates))
    angular = difference([state.angular_velocity.values for state in states])
    linear = difference([world(state, "velocity_G") for state in states])
    assert error(case.found.angular_acceleration, angular) < DIFFERENCES
    assert error(world(case.found, "acceleration_G"), linear) < DIFFERENCES


def test_the_rates_of_coordinates_are_those_along_the_motion(case):
    moved = difference([state.x.values for state in states_around(case)])
    assert error(case.found.x_rates, moved) < DIFFERENCES
    assert case.found.x.size == 7 * len(case.found.bodies)


def test_euler_parameters_turn_the_axes_and_their_matrix_is_orthogonal(case):
    """(4) written out, (8) and (9)."""
    found = case.found
    for k, (e1, e2, e3, e4) in enumerate(found.euler_parameters.values):
        R = np.array(
            [
                [e1**2 - e2**2 - e3**2 + e4**2, 2 * (e1 * e2 + e3 * e4), 2 * (e1 * e3 - e2 * e4)],
                [
                    2 * (e1 * e2 - e3 * e4),
                    -(e1**2) + e2**2 - e3**2 + e4**2,
                    2 * (e2 * e3 + e1 * e4),
                ],
                [
                    2 * (e1 * e3 + e2 * e4),
                    2 * (e2 * e3 - e1 * e4),
                    -(e1**2) - e2**2 + e3**2 + e4**2,
                ],
            ]
        )
        turns, lower = found.rotations.values, found.lower[k]
        is_relative = case.formulation == "kane_relative" and lower
        assert error(R, turns[k] @ turns[lower - 1].T if is_relative else turns[k]) < CLOSE
        E = found.euler_matrices.values[k]
        assert error(E @ E.T, np.eye(4)) < CLOSE
        spin = 2.0 * E @ found.euler_rates.values[k]
        assert abs(spin[3]) < CLOSE
        if not is_relative:
            assert error(spin[:3], found.angular_velocity.values[k]) < CLOSE


def test_quaternions_are_translated_both_ways():
    q = np.random.default_rng(1).normal(size=(5, 4))
    assert np.array_equal(scalar_first(scalar_last(q)), q)
    assert scalar_last((1.0, 2.0, 3.0, 4.0)).tolist() == [2.0, 3.0, 4.0, 1.0]


def test_the_sign_of_a_joints_own_quaternion_is_kept():
    model = ht.library.eight_bodies()
    for sign in (1.0, -1.0):
        q = model.start()[0].reshape(8, 7) * np.array([1, 1, 1, sign, sign, sign, sign])
        found = ht.kane.partials(model, {"q": q.ravel()})
        assert error(scalar_first(found.euler_parameters.values), q[:, 3:]) < 1e-15


# ---- applied forces ------------------------------------------------------------------------------
def test_applied_forces_are_the_generalised_forces_of_the_services(case):
    """In absolute speeds they have the same power."""
    expected = case.services.forces(case.q, case.u) - case.services.gravity(case.q)
    found = case.found
    assert error(found.applied_forces.values @ found.y.values, expected @ case.u) < CLOSE
    if case.formulation == "kane_relative":
        order = [case.model.speeds.index(label) for label in found.speeds]
        assert error(found.applied_forces, expected[order]) < CLOSE


def test_applied_forces_have_the_power_of_the_loads():
    """Loads of the eight bodies on virtual displacements: differences of positions and attitudes,
    without partial velocities.
    """
    model = ht.library.eight_bodies(loads=True)
    services, start = ht.dynamics(model), ht.kane.partials(model)
    q = model.start()[0]
    forces = np.array([load.force for load in model.forces[::2]])
    torques = np.array([load.torque for load in model.forces[1::2]])
    for speed in np.random.default_rng(3).normal(size=(4, 48)):
        states = [
            ht.kane.partials(model, (services.integrate(q, offset * STEP * speed), 0 * speed))
            for offset in OFFSETS
        ]
        moved = difference([state.positions.values for state in states])
        turned = difference([state.rotations.values for state in states])
        spin = -turned @ np.swapaxes(start.rotations.values, 1, 2)  # ω̃' = −Ṙ Rᵀ, (6)
        omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1)
        power = (forces * moved).sum() + (torques * omega).sum()
        for way in ("kane_relative", "kane_absolute"):
            found = ht.kane.partials(model, (q, speed), way)
            assert found.applied_forces.values @ found.y.values == pytest.approx(power, abs=1e-8)


# ---- symbols -------------------------------------------------------------------------------------
def test_printed_vectors_are_the_computed_ones(case):
    found = case.found
    reader = VectorReader(found.symbols)
    for what in (*VECTORS, "euler_rates"):
        for k, name in enumerate(found.bodies):
            lines = list(read_lines(found.text(name, what)))
            assert lines
            for left, right in lines:
                assert error(reader.read(right), getattr(found, what).values[k]) < 1e-11, (
                    left,
                    right,
                )


def test_printed_sums_are_the_computed_ones(case):
    found = case.found
    reader = VectorReader(found.symbols)
    for what in ("applied_forces", "mass_matrix", "forces"):
        (_, right), *others = read_lines(found.text(what=what))
        if "Σ_K" in right:
            assert len(found.bodies) > 12
        else:
            assert not others and error(reader.read(right), getattr(found, what)) < CLOSE


# ---- order of the speeds -------------------------------------------------------------------------
def test_numbers_come_in_the_order_of_the_models_speeds():
    model = MODELS["backwards"].with_(forces=())
    services = ht.dynamics(model)
    q, u = (
        services.integrate(model.start()[0], np.full(len(model.speeds), 0.3)),
        np.ones(len(model.speeds)),
    )
    found = ht.kane.partials(model, (q, u), order="model")
    notes = ht.kane.partials(model, (q, u))
    assert found.speeds == model.speeds != notes.speeds
    assert np.array_equal(found.y, u)
    assert error(found.mass_matrix, services.mass_matrix(q)) < CLOSE
    assert error(found.rates, services.forward_dynamics(q, u)) < CLOSE
    assert error(found.applied_forces, -services.gravity(q)) < CLOSE
    assert found.omega.sel(speed=list(notes.speeds)).equals(notes.omega)
    assert str(found) == str(notes)


def test_orders_and_quantities_that_do_not_exist_are_refused_by_name():
    model = ht.library.six_bodies()
    with pytest.raises(ht.OptionError, match="kane_absolute are not those of the model"):
        ht.kane.partials(model, formulation="kane_absolute", order="model")
    with pytest.raises(ht.OptionError, match="did you mean 'model'"):
        ht.kane.partials(model, order="modell")
    found = ht.kane.partials(model)
    with pytest.raises(ht.OptionError, match="leave the body out"):
        found.text("b1", "applied_forces")
    for ask in (found.text, found.latex, found.numbers):
        with pytest.raises(ht.OptionError, match="did you mean 'velocity_G'"):
            ask("b1", "velocity_g")


def test_numbers_are_printed_with_their_names():
    found = ht.kane.partials(ht.library.six_bodies(loads=True), formulation="kane_absolute")
    assert found.numbers("b2", "velocity_G").startswith("{v_2} = { ")
    assert f"{found.velocity_G.values[1, 2]:.6g}" in found.numbers(2, "velocity_G")
    assert found.numbers(what="position_O").count("\n") == 5
    column = found.numbers(what="applied_forces")
    assert column.startswith("{F_y} b1.wx") and len(column.splitlines()) == 36
    assert len(found.numbers(what="mass_matrix").splitlines()) == 37
    assert len(found.numbers("b3", "euler_matrices").splitlines()) == 5
    assert len(found.numbers(what="x").splitlines()) == 42


# ---- long chains ---------------------------------------------------------------------------------
@pytest.fixture
def few_frames():
    """Python refuses to go deeper than some eighty calls from here."""
    limit, depth, frame = sys.getrecursionlimit(), 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    yield lambda: sys.setrecursionlimit(depth + 80)
    sys.setrecursionlimit(limit)


@pytest.mark.parametrize("formulation", ["kane_relative", "kane_absolute"])
def test_a_chain_of_two_thousand_bodies_is_printed_without_recursion(formulation, few_frames):
    model = ht.library.spherical_chain(2000)
    found = ht.kane.partials(model, formulation=formulation)
    few_frames()
    text, line = found.text(), found.text(2000, "velocity_G")
    assert line in text and len(text) < 5e6 and text.count("\n") > 30_000
    assert found.latex(what="velocity_G").count("&=") >= 2000
    values = {f"{{{name}2000}}": vector for name, vector in last_vectors(found).items()}
    values |= last_matrices(found)
    ((_, right),) = read_lines(line)
    assert error(VectorReader(values).read(right), found.velocity_G.values[-1]) < 1e-12


def last_vectors(found):
    """Of body 2000, by the names in the print."""
    point = np.array(found.equations.model.bodies[-1].com)
    origin = found.velocity_O.values[-1]
    return {"v'_O": origin, "v_O": origin, "r'": point, "ω'_": found.angular_velocity.values[-1]}


def last_matrices(found):
    """Of body 2000: rotations, and what turns speeds into its angular velocity."""
    below, own = found.rotations.values[-2:]
    x, y, z = found.angular_velocity.values[-1]
    spin = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    a, b, c = found.equations.model.bodies[-1].com
    return {
        "[1999R2000]": own @ below.T,
        "[R2000]ᵀ": own.T,
        "[ω̃'_2000]": spin,
        "[r̃'2000]": np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]]),
        "[ω'_2000,y]": np.eye(3),
        "{y}": np.array([x, y, z]),
    }
