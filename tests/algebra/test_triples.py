"""Triples: three numbers in one register, or in three for four states, against NumPy; floats and
lanes to the bit; processors without wide registers.
"""

import json
import os
import platform
import subprocess
import sys
from typing import NamedTuple

import numpy as np
import pytest

from hamiltree.compiled.kernel import kernel
from hamiltree.compiled.number import WIDTH, add, fma, load, rows, size, store
from hamiltree.compiled.triples import (
    Triple,
    Turned,
    diagonal,
    first,
    second,
    third,
    total,
    total_with,
    triple,
    turn,
    turn_back,
    zero_like,
)


class Pair(NamedTuple):
    """A row with triples of both kinds and a number."""

    a: Triple
    b: Turned
    c: float


@kernel
def combine(values, out, numbers):
    """Every operation once; row 0 of `values` is read."""
    row = load(values, 0, Pair)
    a, b = row.a, row.b.a
    store(out, 0, turn(a))
    store(out, 1, turn_back(a))
    store(out, 2, fma(a, b, turn(b)))
    store(out, 3, a * row.c - b + zero_like(a))
    store(out, 4, row.b.next * row.b.last)
    store(out, 5, -triple(third(a), first(b), second(a)))
    store(out, 6, a / b)
    add(out, 6, fma(row.c, a, 2.0))
    store(out, 7, diagonal(a, b, turn(a)))
    store(numbers, 0, total(a))
    store(numbers, 1, total_with(b, row.c))
    store(values, 1, Pair(b, Turned(a, a, a), row.c))


def expected(a, b, c):
    """The same by NumPy, rows of three."""
    next_, last = [1, 2, 0], [2, 0, 1]
    triples = [
        a[next_],
        a[last],
        a * b + b[next_],
        a * c - b,
        b[next_] * b[last],
        -np.array([a[2], b[0], a[1]]),
        a / b + (c * a + 2.0),
        np.array([a[0], b[1], a[0]]),
    ]
    return np.array(triples), np.array([a.sum(axis=0), b.sum(axis=0) + c])


def evaluate(run, numbers, width):
    """(triples, numbers) of states (a, b, c), of which the first or all four are used."""
    values, out, sums = rows(Pair, 2, width), rows(Triple, 8, width), rows(float, 2, width)
    a, b, c = (x[..., 0] if width == 1 else x for x in numbers)
    whole = [*a, a[0], *b, b[0], c] if width == 1 else [*a, *b, c]
    values[0] = whole
    run(values, out, sums)
    again = values[1, :3]
    assert (again == b).all()
    return out[:, :3].copy(), sums.copy()


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    return rng.normal(size=(3, WIDTH)), 2.0 + rng.random((3, WIDTH)), rng.normal(size=WIDTH)


@pytest.mark.parametrize("width", [1, WIDTH])
@pytest.mark.parametrize("is_interpreted", [False, True])
def test_triples_compute_what_numpy_computes(numbers, width, is_interpreted):
    run = combine.py_func if is_interpreted else combine
    a, b, c = (x[..., 0] if width == 1 else x for x in numbers)
    for got, wanted in zip(evaluate(run, numbers, width), expected(a, b, c), strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-15, atol=1e-15)


def test_floats_and_lanes_have_the_same_bits(numbers):
    lanes = evaluate(combine, numbers, WIDTH)
    for k in range(WIDTH):
        rolled = tuple(np.roll(x, -k, axis=-1) for x in numbers)
        for alone, together in zip(evaluate(combine, rolled, 1), lanes, strict=True):
            assert (alone == together[..., k]).all()


def test_a_triple_takes_a_register_of_floats_and_three_of_lanes():
    assert [size(Pair), size(Pair, is_lanes=True)] == [9, 7]


ELSEWHERE = """
import json
import numpy as np
from tests.algebra.test_triples import combine, evaluate
rng = np.random.default_rng(3)
numbers = rng.normal(size=(3, 4)), 2.0 + rng.random((3, 4)), rng.normal(size=4)
print(json.dumps([part.tolist() for w in (1, 4) for part in evaluate(combine, numbers, w)]))
"""


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="names of x86 features")
@pytest.mark.parametrize("features", ["-avx2,-fma", "-avx,-avx2,-fma"])
def test_processors_without_wide_registers_compute_the_same(numbers, features, tmp_path):
    """Code for them differs only in how registers are shuffled and products are fused."""
    environment = {
        **os.environ,
        "NUMBA_CPU_NAME": "x86-64-v2" if "-avx," in features else "x86-64-v3",
        "NUMBA_CPU_FEATURES": features,
        "HAMILTREE_CACHE_DIR": str(tmp_path),
    }
    done = subprocess.run(
        [sys.executable, "-c", ELSEWHERE],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    here = [part for width in (1, WIDTH) for part in evaluate(combine, numbers, width)]
    for got, wanted in zip(json.loads(done.stdout), here, strict=True):
        np.testing.assert_array_equal(np.array(got), wanted)
