"""A user's own functions behind an address, called from kernels with floats and lane by lane."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.user_code import (
    ENERGY,
    FORCE,
    POWER,
    RATES,
    VELOCITY,
    compile_hamiltonian_functions,
    compile_law_function,
)
from hamiltree.errors import OptionError
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import parse

TEXT = "p1**2/2 + p2**2/(2*m) + p1*q2 - m*cos(q1)*q2**2 + q1*sin(t)"
PARAMETERS = (1.7,)


def energy(t, q, p, k):
    return (
        p[0] ** 2 / 2
        + p[1] ** 2 / (2 * k[0])
        + p[0] * q[1]
        - k[0] * np.cos(q[0]) * q[1] ** 2
        + q[0] * np.sin(t)
    )


def gradient_q(t, q, p, k, out):
    out[0] = k[0] * np.sin(q[0]) * q[1] ** 2 + np.sin(t)
    out[1] = p[0] - 2 * k[0] * np.cos(q[0]) * q[1]


def gradient_p(t, q, p, k, out):
    out[:] = np.array([p[0] + q[1], p[1] / k[0]])  # allocates


def power(t, q, p, k):
    return q[0] * np.cos(t)


@pytest.fixture(scope="module")
def from_text():
    names = ("q1", "q2", "p1", "p2", "m", "t")
    return compile_hamiltonian(parse(TEXT, names, "H"), names[:2], names[2:4], ("m",)).code


@pytest.fixture(scope="module", params=["plain", "njit"])
def from_functions(request):
    functions = (energy, gradient_q, gradient_p, power)
    if request.param == "njit":
        functions = tuple(map(njit, functions))
    *three, last = functions
    return compile_hamiltonian_functions(*three, 2, 1, power=last)


@pytest.mark.parametrize("way", ["compiled", "interpreted"])
@pytest.mark.parametrize("shape", [(), (WIDTH,)], ids=["floats", "lanes"])
def test_functions_give_what_the_formula_gives(from_functions, from_text, caller, shape, way):
    rng = np.random.default_rng(2)
    y, t = rng.normal(size=(4, *shape)), rng.normal(size=shape)
    assert from_functions.lanes is None
    for block, rows in ((RATES, 4), (VELOCITY, 2), (FORCE, 2), (ENERGY, 1), (POWER, 1)):
        given = caller(from_functions, block, rows, y, PARAMETERS, t, way, at=1)
        np.testing.assert_allclose(
            given, caller(from_text, block, rows, y, PARAMETERS, t), rtol=1e-13, atol=1e-15
        )


def test_lane_by_lane_equals_four_calls_bit_for_bit(from_functions, caller):
    rng = np.random.default_rng(3)
    y, t = rng.normal(size=(4, WIDTH)), rng.normal(size=WIDTH)
    together = caller(from_functions, RATES, 4, y, PARAMETERS, t)
    assert np.array_equal(together, caller.each_lane(from_functions, RATES, 4, y, PARAMETERS, t))


def test_without_a_power_the_energy_is_differenced_in_time(caller, from_text):
    code = compile_hamiltonian_functions(energy, gradient_q, gradient_p, 2, 1)
    y = np.array([0.3, 0.4, 0.5, 0.6])
    for way in caller.WAYS:
        expected = caller(from_text, POWER, 1, y, PARAMETERS, 2.5)
        np.testing.assert_allclose(
            caller(code, POWER, 1, y, PARAMETERS, 2.5, way), expected, rtol=1e-9
        )


def test_the_power_of_an_energy_without_time_is_exactly_zero(caller):
    def still(t, q, p, k):
        return p[0] ** 2 / 2 + 0.1 * q[0] ** 4

    def nothing(t, q, p, k, out):
        out[0] = 0.0

    code = compile_hamiltonian_functions(still, nothing, nothing, 1, 0)
    assert caller(code, POWER, 1, [0.3, 0.7], (), 12.3)[0] == 0.0


def test_a_law_writes_its_outputs(caller):
    def law(t, x, out):
        out[0] = t * x[0]
        out[1] = x[1] - x[2]

    code = compile_law_function(law, 3, 2)
    y = np.array([[1.0, 2.0, 3.0, 4.0], [5.0] * 4, [1.0, 2.0, 3.0, 4.0]])
    for way in caller.WAYS:
        assert np.array_equal(
            caller(code, 0, 2, y, (), 2.0, way, at=2), [[2, 4, 6, 8], [4, 3, 2, 1]]
        )


def test_an_output_that_a_law_forgets_is_refused_and_one_that_it_forgets_somewhere_is_nan(caller):
    def somewhere(t, x, out):
        if x[0] < 1.0:
            out[0] = x[0]

    with pytest.raises(OptionError, match=r"does not write out\[0\]"):
        compile_law_function(lambda t, x, out: None, 1, 1)
    code = compile_law_function(somewhere, 1, 1)
    assert caller(code, 0, 1, [0.5]) == 0.5
    assert np.isnan(caller(code, 0, 1, [1.0])).all()


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"
)  # Numba reports what was raised, and goes on
def test_a_law_that_raises_gives_nan(caller):
    def law(t, x, out):
        if x[0] < 0:
            raise ValueError("negative")
        out[0] = x[0]

    code = compile_law_function(law, 1, 1)
    assert np.array_equal(
        caller(code, 0, 1, [[1.0, -1.0, 2.0, 3.0]]), [[1.0, np.nan, 2.0, 3.0]], equal_nan=True
    )


def test_a_function_that_does_not_compile_is_named_with_the_reason():
    def law(t, x, out):
        out[0] = float(format(x[0], ".3f"))

    with pytest.raises(OptionError, match=r"(?s)cannot compile.*law.*format"):
        compile_law_function(law, 1, 1)
    with pytest.raises(OptionError, match="dHdq"):
        compile_hamiltonian_functions(energy, lambda q: q, gradient_p, 2, 1)
    with pytest.raises(OptionError, match="dHdp: expected a Python function, not int"):
        compile_hamiltonian_functions(energy, gradient_q, 3, 2, 1)
    with pytest.raises(OptionError, match="H: expected a Python function, not str"):
        compile_hamiltonian_functions("p**2", gradient_q, gradient_p, 2, 1)


def test_code_works_without_the_compiler(tmp_path):
    """NUMBA_DISABLE_JIT: the whole way interpreted."""
    script = """
import numpy as np
from hamiltree.compiled.user_code import RATES, compile_law_function, code_table, run_code
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import parse
code = compile_hamiltonian(parse("p**2/2 + q**4", ("q", "p"), "H"), ("q",), ("p",), ()).code
law = compile_law_function(lambda t, x, out: out.fill(x[0]), 2, 1)
out, lanes = np.zeros(3), np.zeros((2, 4))
y, wide, none = np.array([2.0, 3.0]), np.full((2, 4), 2.0), np.zeros(0)
run_code(code_table([code]), 0, none, RATES, none, 0.0, y, out, 0, 2)
run_code(code_table([code]), 0, none, RATES, none, 0.0, wide, lanes, 0, 2)
run_code(code_table([law]), 0, np.zeros(4), 0, none, 0.0, y, out, 2, 1)
print(out.tolist(), lanes[:, 3].tolist())
"""
    environment = {**os.environ, "HAMILTREE_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )
    assert done.stdout.strip() == "[3.0, -32.0, 2.0] [2.0, -32.0]"
