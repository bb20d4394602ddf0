"""Elementary functions of numbers, against mpmath, in floats and in lanes."""

import mpmath
import numpy as np
import pytest

from hamiltree.compiled import functions as f
from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, load, store

NAMES = (
    "exp",
    "log",
    "power",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "erf",
)


@kernel
def every_function(x, y, out):
    """Row i holds function i of x₀ and y₀."""
    a, b = load(x, 0), load(y, 0)
    store(out, 0, f.exp(a))
    store(out, 1, f.log(a))
    store(out, 2, f.power(a, b))
    store(out, 3, f.tan(a))
    store(out, 4, f.asin(a))
    store(out, 5, f.acos(a))
    store(out, 6, f.atan(a))
    store(out, 7, f.atan2(a, b))
    store(out, 8, f.sinh(a))
    store(out, 9, f.cosh(a))
    store(out, 10, f.tanh(a))
    store(out, 11, f.asinh(a))
    store(out, 12, f.acosh(a))
    store(out, 13, f.atanh(a))
    store(out, 14, f.erf(a))
    store(out, 15, f.sign(a))
    store(out, 16, f.minimum(a, b))


def all_of(function, x, y):
    x, y = np.atleast_1d(x), np.atleast_1d(y)
    shape = x.shape[1:]
    out = np.full((17, *shape), 7.0)
    function(x.copy(), y.copy(), out)
    return out


def real_or_nan(value):
    return float(value.real) if mpmath.im(value) == 0 else float("nan")


POINTS = [
    (0.3, 1.7),
    (-0.4, 0.6),
    (2.5, -1.2),
    (-3.25, 2.0),
    (1e-9, 0.5),
    (7.0, 3.0),
    (0.99, -2.5),
    (-0.999, 0.1),
]


@pytest.mark.parametrize("x, y", POINTS)
def test_functions_are_those_of_mpmath_and_nan_where_these_are_complex(x, y):
    computed = all_of(every_function, x, y)
    with mpmath.workdps(40):
        named = [getattr(mpmath, name) if name != "power" else mpmath.power for name in NAMES]
        two = ("power", "atan2")
        expected = [
            real_or_nan(
                mpmath.mpmathify(g(mpmath.mpf(x), mpmath.mpf(y)) if n in two else g(mpmath.mpf(x)))
            )
            for n, g in zip(NAMES, named, strict=True)
        ]
    np.testing.assert_allclose(computed[:15], expected, rtol=4e-16, atol=0)
    assert computed[15] == np.sign(x) and computed[16] == min(x, y)


def test_lanes_equal_floats_bit_for_bit():
    rng = np.random.default_rng(1)
    for scale in (0.5, 3.0, 50.0):
        x, y = rng.normal(scale=scale, size=(2, 1, WIDTH))
        together = all_of(every_function, x, y)
        alone = np.stack([all_of(every_function, x[:, k], y[:, k]) for k in range(WIDTH)], axis=-1)
        assert np.array_equal(together, alone, equal_nan=True)


def test_interpreted_functions_equal_compiled_ones_and_do_not_warn():
    for x, y in POINTS:
        np.testing.assert_allclose(
            all_of(every_function.py_func, x, y), all_of(every_function, x, y), rtol=1e-15
        )


def test_ends_of_the_line_are_limits_not_exceptions():
    at_zero, at_infinity = all_of(every_function, 0.0, -1.0), all_of(every_function, np.inf, 1.0)
    assert at_zero[1] == -np.inf and at_zero[2] == np.inf and at_zero[15] == 0.0
    assert at_infinity[0] == np.inf and at_infinity[10] == 1.0


def test_sign_and_minimum_of_nan_are_nan():
    out = all_of(
        every_function, np.array([[np.nan, 1.0, -2.0, 0.0]]), np.array([[1.0, np.nan, 1.0, 1.0]])
    )
    assert np.array_equal(out[15], [np.nan, 1.0, -1.0, 0.0], equal_nan=True)
    assert np.array_equal(out[16], [np.nan, np.nan, -2.0, 0.0], equal_nan=True)
