"""Numbers of kernels: sine and cosine, elementary functions, and values in arrays."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from hamiltree.algebra.mat3 import Mat3, Sym3
from hamiltree.algebra.spatial import Inertia, Momentum, Twist
from hamiltree.algebra.summation import accumulate as accumulate_row
from hamiltree.algebra.summation import accumulate_rows
from hamiltree.algebra.vec3 import Vec3
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import (
    WIDTH,
    absolute,
    add,
    floor,
    fma,
    lane,
    load,
    maximum,
    root,
    round_to_nearest,
    rows,
    sincos,
    size,
    store,
    where_less,
)


@kernel
def sines(x, sine, cosine):
    for i in range(x.shape[0]):
        s, c = sincos(load(x, i))
        store(sine, i, s)
        store(cosine, i, c)


@kernel
def elementary(inputs, outputs):
    a, b, c = load(inputs[0], 0), load(inputs[0], 1), load(inputs[0], 2)
    out = outputs[0]
    store(out, 0, a + b)
    store(out, 1, a - b)
    store(out, 2, a * b)
    store(out, 3, a / b)
    store(out, 4, -a)
    store(out, 5, a + 2.0)
    store(out, 6, 2.0 - a)
    store(out, 7, 3 * a)
    store(out, 8, round_to_nearest(a))
    store(out, 9, floor(a))
    store(out, 10, root(absolute(a)))
    store(out, 11, maximum(a, b))
    store(out, 12, where_less(a, b, c, -c))
    store(out, 13, fma(a, b, c))
    a += b
    store(out, 14, a)


def expected_elementary(a, b, c):
    return np.array(
        [
            *(a + b, a - b, a * b, a / b, -a, a + 2, 2 - a, 3 * a, np.rint(a), np.floor(a)),
            *(np.sqrt(abs(a)), max(a, b), c if a < b else -c, a * b + c, a + b),
        ]
    )


@kernel
def fused(a, b, c):
    return fma(a, b, c)


@kernel
def accumulate(source, target, total):
    """Row after row: stored, added to, and one lane of each."""
    for i in range(source.shape[0]):
        J = load(source, i, Inertia)
        store(target, i, J)
        add(target, i, J)
        store(total, i, lane(J.A.xx, 2))


@kernel
def fill(target, value):
    for i in range(target.shape[0]):
        store(target, i, Vec3(value, 2.0 * value, 3.0))


def sine_and_cosine(function, x):
    sine, cosine = np.zeros_like(x), np.zeros_like(x)
    with np.errstate(invalid="ignore"):
        function(x, sine, cosine)
    return sine, cosine


def angles(largest, count=20_000):
    rng = np.random.default_rng(3)
    near_corners = np.pi / 4 * np.arange(-40, 41)
    return np.concatenate(
        [
            rng.uniform(-largest, largest, count),
            np.geomspace(1e-300, largest, 1000),
            near_corners,
            [0.0, -0.0, largest],
        ]
    )


# ---- sine and cosine -----------------------------------------------------------------------------
@pytest.mark.parametrize("largest", [1.0, 100.0, 1e5, 1e9])
def test_sine_and_cosine_are_those_of_numpy_to_round_off(largest):
    x = angles(largest)
    sine, cosine = sine_and_cosine(sines, x)
    assert abs(sine - np.sin(x)).max() <= 2.3e-16 and abs(cosine - np.cos(x)).max() <= 2.3e-16


def test_sines_in_lanes_equal_those_of_floats_bit_for_bit():
    x = angles(1e9)
    x = x[: len(x) // WIDTH * WIDTH]
    together = sine_and_cosine(sines, x.reshape(-1, WIDTH))
    for alone, lanes in zip(sine_and_cosine(sines, x), together, strict=True):
        assert np.array_equal(alone.view(np.int64), lanes.ravel().view(np.int64))


@pytest.mark.parametrize("largest", [1.0, 100.0, 1e5])
def test_interpreted_sines_equal_compiled_ones(largest):
    """Interpreted, products are rounded before they are added: right as long as k times the first
    part of π/2 is exact.
    """
    x = angles(largest, 500)
    for compiled, interpreted in zip(
        sine_and_cosine(sines, x), sine_and_cosine(sines.py_func, x), strict=True
    ):
        assert abs(compiled - interpreted).max() <= 2.3e-16


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", range(WIDTH))
def test_a_bad_angle_spoils_its_own_lane_only(bad, place):
    x = np.array([[0.3, -2.0, 50.0, 4.0]])
    good = sine_and_cosine(sines, x)
    x[0, place] = bad
    for function in (sines, sines.py_func):
        for spoilt, clean in zip(sine_and_cosine(function, x), good, strict=True):
            others = np.arange(WIDTH) != place
            assert (
                np.isnan(spoilt[0, place])
                and abs(spoilt[0, others] - clean[0, others]).max() <= 2.3e-16
            )
        assert all(np.isnan(part).all() for part in sine_and_cosine(function, np.array([bad])))


def test_sine_and_cosine_of_zero_are_exact():
    sine, cosine = sine_and_cosine(sines, np.zeros(1))
    assert sine[0] == 0.0 and cosine[0] == 1.0


# ---- elementary functions ------------------------------------------------------------------------
SAMPLES = np.array([[0.3, -1.7, 2.2], [-2.5, 0.6, 1.0], [1.5, 1.5, -3.0], [7.1, -0.4, 0.2]])


def test_elementary_functions_equal_numpy_in_every_way(every_way):
    ways = every_way(elementary, [SAMPLES], [15], [1])
    expected = np.array([expected_elementary(*sample) for sample in SAMPLES])
    for outputs in ways.values():
        assert abs(outputs[0] - expected).max() <= 1e-15
    assert np.array_equal(
        ways["compiled"][0].view(np.int64),
        np.ascontiguousarray(ways["compiled lanes"][0]).view(np.int64),
    )


def test_a_product_in_a_sum_is_rounded_once():
    a, b = 1.0 + 2.0**-30, 1.0 - 2.0**-30
    assert fused(a, b, -1.0) == -(2.0**-60) and a * b - 1.0 == 0.0


def test_the_larger_of_a_number_and_nan_is_nan():
    for function in (elementary, elementary.py_func):
        out = np.zeros(15)
        function((np.array([np.nan, 1.0, 1.0]),), (out,))
        assert np.isnan(out[11])


# ---- sums in blocks ------------------------------------------------------------------------------
@kernel
def add_by_blocks(y, compensation, increment):
    accumulate_rows(y, compensation, increment)


def test_compensated_sums_by_blocks_have_the_bits_of_those_row_by_row():
    """Of arrays that fill their last block and of others; also of lanes."""
    rng = np.random.default_rng(4)
    for shape in [*((n,) for n in range(1, 10)), (3, WIDTH)]:
        y, compensation, increment = (scale * rng.normal(size=shape) for scale in (1, 1e-17, 1e-3))
        expected = y.copy(), compensation.copy()
        for i in range(len(y)):
            accumulate_row(*expected, i, increment[i])
        for add_all in (add_by_blocks, add_by_blocks.py_func):
            found = y.copy(), compensation.copy()
            add_all(*found, increment)
            assert np.array_equal(found, expected), shape


# ---- values in arrays ----------------------------------------------------------------------------
def test_a_kind_knows_how_many_numbers_it_holds():
    assert [size(kind) for kind in (float, Vec3, Mat3, Sym3, Twist, Momentum, Inertia)] == [
        1,
        3,
        9,
        6,
        6,
        6,
        21,
    ]
    assert rows(Twist, 5, 1).shape == (5, 6) and rows(Twist, 5, WIDTH).shape == (5, 6, WIDTH)
    assert rows(float, 5, 1).shape == (5,) and rows(float, 5, WIDTH).shape == (5, WIDTH)


@pytest.mark.parametrize("shape", [(3, 21), (3, 21, WIDTH)], ids=["floats", "lanes"])
def test_rows_are_stored_and_added_to_in_order(shape):
    source = np.random.default_rng(1).normal(size=shape)
    for function in (accumulate, accumulate.py_func):
        target, total = np.full(shape, np.nan), np.zeros(3)
        function(source, target, total)
        assert np.array_equal(target, 2 * source)
        assert np.array_equal(total, source[:, 0, 2] if source.ndim == 3 else source[:, 0])


def test_a_float_goes_to_all_lanes():
    for function in (fill, fill.py_func):
        target = np.zeros((2, 3, WIDTH))
        function(target, 0.5)
        assert np.array_equal(
            target, np.broadcast_to(np.array([0.5, 1.0, 3.0])[None, :, None], target.shape)
        )


def test_a_loaded_value_does_not_change_with_its_row():
    array = np.ones((1, 3, WIDTH))
    value = load(array, 0, Vec3)
    array[:] = 7.0
    assert np.array_equal(value.x, np.ones(WIDTH))


def test_a_row_of_the_wrong_length_is_refused():
    with pytest.raises(AssertionError, match="no Vec3"):
        load(np.zeros((2, 4)), 0, Vec3)
    with pytest.raises(AssertionError, match="no Vec3"):
        store(np.zeros((2, 4)), 0, Vec3(1.0, 2.0, 3.0))


@pytest.mark.parametrize(
    "array",
    [np.zeros((3, 6))[:, ::2], np.zeros((3, 3), dtype=np.float32)],
    ids=["strided", "float32"],
)
def test_kernels_refuse_arrays_that_are_not_contiguous_float64(array):
    with pytest.raises(TypingError, match="C-contiguous float64"):
        fill(array, 1.0)


def test_a_read_only_table_cannot_be_written():
    table = np.zeros((2, 3))
    table.flags.writeable = False
    with pytest.raises(TypingError):
        fill(table, 1.0)
    with pytest.raises(ValueError, match="read-only"):
        fill.py_func(table, 1.0)
