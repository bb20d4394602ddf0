"""Loads as tables in time: against SciPy's splines and NumPy's interpolation, in lanes, floats, and
interpreted.
"""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load
from hamiltree.errors import ModelError
from hamiltree.forces.laws import Placement
from hamiltree.forces.time_tables import interpolate_table, make_pieces, tabulate_body_tables
from hamiltree.model import BodyTable, Frame, JointTable

SIZES = (4, 5, 9, 200)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def uneven(rng, n):
    """Times at very different distances."""
    return np.cumsum(rng.uniform(0.1, 1, n) ** 3) - 1.0


@kernel
def values_at(pieces, k, time, out):
    interpolate_table(pieces, k, load(time, 0), out)


def of_tables(tables):
    return make_pieces(tables, lambda part: [[value] for value in part.values], 1)


def evaluated(tables, k, times, function=values_at):
    """Element k at many times, four at a time in lanes."""
    pieces, found = of_tables(tables), []
    for group in np.reshape(times, (-1, 1, WIDTH)):
        out = np.full((1, WIDTH), 7.0)
        function(pieces, k, group.copy(), out)
        found.append(out[0])
    return np.concatenate(found)


def expected(table, times):
    """SciPy's not-a-knot or periodic spline, or NumPy's linear interpolation, continued as the
    table says.
    """
    knots, values = np.array(table.times), np.array(table.values)
    period = knots[-1] - knots[0]
    inside = (
        knots[0] + np.mod(times - knots[0], period)
        if table.outside == "periodic"
        else np.clip(times, knots[0], knots[-1])
    )
    if table.interpolation == "linear":
        found = np.interp(inside, knots, values)
    else:
        found = CubicSpline(
            knots, values, bc_type="periodic" if table.outside == "periodic" else "not-a-knot"
        )(inside)
    return (
        np.where((times < knots[0]) | (times > knots[-1]), 0.0, found)
        if table.outside == "zero"
        else found
    )


def tables_of(rng, interpolation, outside):
    made = []
    for n in SIZES:
        values = rng.normal(size=n)
        values[-1] = values[0] if outside == "periodic" else values[-1]
        made.append(JointTable("elbow", uneven(rng, n), values, interpolation, outside))
    return made


CASES = [
    (interpolation, outside)
    for interpolation in ("linear", "cubic")
    for outside in ("hold", "zero", "periodic")
]


@pytest.mark.parametrize("interpolation, outside", CASES)
def test_a_table_is_what_scipy_and_numpy_say(rng, interpolation, outside):
    tables = tables_of(rng, interpolation, outside)
    for k, table in enumerate(tables):
        span = table.times[-1] - table.times[0]
        times = rng.uniform(table.times[0] - 2 * span, table.times[-1] + 2 * span, 400)
        times[:200] = rng.uniform(table.times[0], table.times[-1], 200)
        reference = expected(table, times)
        scale = abs(reference).max()
        assert abs(evaluated(tables, k, times) - reference).max() <= 1e-11 * scale
        assert (
            abs(evaluated(tables, k, times[:40], values_at.py_func) - reference[:40]).max()
            <= 1e-11 * scale
        )


@pytest.mark.parametrize("interpolation, outside", CASES)
def test_lanes_in_different_pieces_equal_floats_bit_for_bit(rng, interpolation, outside):
    tables = tables_of(rng, interpolation, outside)
    times = rng.uniform(tables[2].times[0] - 1, tables[2].times[-1] + 1, 40)
    pieces, alone = of_tables(tables), []
    for time in times:
        out = np.zeros(1)
        values_at(pieces, 2, np.array([time]), out)
        alone.append(out[0])
    assert np.array_equal(evaluated(tables, 2, times), alone) and len(set(alone)) > 10


@pytest.mark.parametrize("interpolation, outside", CASES)
def test_a_table_goes_through_its_points(rng, interpolation, outside):
    for table in tables_of(rng, interpolation, outside):
        if len(table.times) % WIDTH == 0:
            assert np.array_equal(evaluated([table], 0, table.times), table.values)


def test_what_lies_outside_is_held_or_nothing():
    far = np.array([-100.0, -1e-9, 3.0 + 1e-9, 1e9])
    held, zero = (
        JointTable("elbow", (0, 1, 3), (2, 5, -4), outside=outside) for outside in ("hold", "zero")
    )
    assert evaluated([held], 0, far).tolist() == [2, 2, -4, -4] and evaluated(
        [zero], 0, far
    ).tolist() == [0, 0, 0, 0]


def test_a_cubic_table_of_a_cubic_is_that_cubic(rng):
    """Not-a-knot splines reproduce cubics, wherever the knots are."""
    times, cubic = uneven(rng, 7), np.polynomial.Polynomial([1.0, -2.0, 0.5, 3.0])
    ask = rng.uniform(times[0], times[-1], 8)
    assert evaluated([JointTable("elbow", times, cubic(times), "cubic")], 0, ask) == pytest.approx(
        cubic(ask), rel=1e-12
    )


def test_a_time_that_is_no_number_gives_none():
    for interpolation, outside in CASES:
        table = JointTable("elbow", (0, 1, 2, 3), (2, 5, 4, 2), interpolation, outside)
        assert np.isnan(evaluated([table], 0, np.array([np.nan, 1.5, np.nan, 0.5]))).tolist() == [
            True,
            False,
            True,
            False,
        ]


def test_a_body_table_interpolates_six_columns_and_what_is_missing_is_zero(rng):
    times, forces = uneven(rng, 6), rng.normal(size=(6, 3))
    table = tabulate_body_tables(
        [BodyTable("arm", times, forces, interpolation="cubic")],
        Placement(int, lambda name: (0, Frame())),
    )
    out = np.full((6, WIDTH), 7.0)
    ask = rng.uniform(times[0], times[-1], (1, WIDTH))
    values_at(table.pieces, 0, ask, out)
    assert abs(out[:3].T - CubicSpline(times, forces)(ask[0])).max() < 1e-11 and not out[3:].any()


REFUSED = {
    "times": lambda **name: JointTable("elbow", (0, 1, 1), (1, 2, 3), **name),
    "times ": lambda **name: JointTable("elbow", (0,), (1,), **name),
    "times  ": lambda **name: JointTable("elbow", (0, 1, 2), (1, 2, 3), "cubic", **name),
    "times   ": lambda **name: JointTable("elbow", (0, np.nan), (1, 2), **name),
    "times    ": lambda **name: JointTable("elbow", 3.0, (1, 2), **name),
    "values": lambda **name: JointTable("elbow", (0, 1), (1, 2, 3), **name),
    "values ": lambda **name: JointTable("elbow", (0, 1), (1, np.inf), **name),
    "values  ": lambda **name: JointTable(
        "elbow", (0, 1, 2, 3), (1, 2, 3, 4), "cubic", "periodic", **name
    ),
    "interpolation": lambda **name: JointTable("elbow", (0, 1), (1, 2), "quintic", **name),
    "outside": lambda **name: JointTable("elbow", (0, 1), (1, 2), outside="repeat", **name),
    "forces": lambda **name: BodyTable("arm", (0, 1), **name),
    "forces ": lambda **name: BodyTable("arm", (0, 1), [(1, 2, 3)], **name),
    "forces  ": lambda **name: BodyTable("arm", (0, 1), 3.0, **name),
    "torques": lambda **name: BodyTable("arm", (0, 1), torques=[(1, 2, 3), (1, 2)], **name),
    "axes": lambda **name: BodyTable("arm", (0, 1), [(1, 2, 3), (1, 2, 0)], axes="local", **name),
}


@pytest.mark.parametrize("field", REFUSED)
def test_an_impossible_table_is_refused_by_name_and_field(field):
    with pytest.raises(ModelError, match="^force 'pull': ") as caught:
        REFUSED[field](name="pull")
    assert caught.value.part == ("force", "pull") and caught.value.field == field.strip()
