"""Formulas as compiled code: gradients against differences in many digits, floats against lanes,
compiled against interpreted.
"""

import os
import re
import subprocess
import sys

import mpmath
import numpy as np
import pytest
import sympy

from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.user_code import ENERGY, FORCE, INVARIANTS, POWER, RATES, VELOCITY
from hamiltree.symbolic import calculus
from hamiltree.symbolic.calculus import compile_expressions, compile_hamiltonian
from hamiltree.symbolic.grammar import FUNCTIONS, ExpressionError, parse, to_expression

Q, P, K = ("q1", "q2", "q3"), ("p1", "p2", "p3"), ("a", "b", "c")
PARAMETERS = (1.25, 0.75, 0.3)
GALACTIC = (
    "(p1**2 + p2**2 + p3**2)/2 + c*(p1*q2 - p2*q1) "
    "+ a*log(1.5 + q1**2/a**2 + q2**2/b**2 + q3**2/c**2)"
)


def compiled(text, q=Q, p=P, parameters=K, invariants=()):
    names = (*q, *p, *parameters, "t")
    return compile_hamiltonian(
        parse(text, names, "H"),
        q,
        p,
        parameters,
        tuple(parse(i, names, "invariant") for i in invariants),
    )


# ---- the same formulas in many digits ------------------------------------------------------------
MANY_DIGITS = {name: getattr(mpmath, name) for name in FUNCTIONS if hasattr(mpmath, name)}
MANY_DIGITS |= {
    "abs": abs,
    "min": min,
    "max": max,
    "log2": lambda x: mpmath.log(x, 2),
    "pi": mpmath.pi,
}
MANY_DIGITS |= {"hypot": lambda *x: mpmath.sqrt(sum(v * v for v in x)), "mpf": mpmath.mpf}


def reference(text, y, t):
    """f(variable → value) of a text whose decimals are doubles, as mpmath's numbers, and the values
    at (y, t).
    """
    body = mpmath_text(text)
    values = dict(zip((*Q, *P, *K, "t"), map(mpmath.mpf, (*y, *PARAMETERS, t)), strict=True))
    return (lambda **changed: eval(body, MANY_DIGITS, {**values, **changed})), values


def mpmath_text(text):
    number = r"(?<![A-Za-z_0-9.])(\d+\.?\d*(?:[eE][-+]?\d+)?)"
    return re.sub(number, r"mpf(\1)", text)


def expected_gradient(text, y, t, name):
    function, values = reference(text, y, t)
    return float(mpmath.diff(lambda x: function(**{name: x}), values[name]))


def expected_rates(text, y, t):
    return np.array(
        [expected_gradient(text, y, t, p) for p in P]
        + [-expected_gradient(text, y, t, q) for q in Q]
    )


EVERY_FUNCTION = [
    GALACTIC,
    "sin(q1*p1)*cos(q1*p1) + tan(0.3*q2) + atan2(q1 + p2, q3 - 2*p1)",
    "asin(0.3*q1)*acos(0.2*p1) + atan(q2*p3) + erf(q1 - p2)",
    "sinh(q1)*cosh(p1) - tanh(q2*p2) + asinh(q3*t) + acosh(2 + p3**2) + atanh(0.4*q1)",
    "exp(-0.1*q1**2)*log(3 + p1) + log10(2 + q2**2) + log2(5 + p2) + sqrt(1 + q3**2 + p3**2)",
    "abs(q1 - p1)*sign(q2)*q2 + min(q1, p2, q3)*max(p1, q2) + hypot(q1, p1, q2)",
    "(2*q1**2 + 1)**0.1*(1 + p1**2)**1.7 + (1 + q2**2)**p2 + 2**q3 + (q1**2 + 0.5)**(-1.5) + "
    "q2**7*p3**-3",
    "1/(q1 - p1) + p2/q2/q3 - (q1 + p3)/(1 + q2*p1)**2 - -q1 + 3*p3**(5/2)",
    "(q1 + 2*p1)**2*(q1 + 2*p1)**3*(a*q2 + b)**(1/3) + sqrt(a*p2**2 + b*q3**2)**3 + "
    "t**2*q1*sin(c*t)",
    "max(min(q1*p1, q2), min(q2*p2, q3)) + abs(sin(q1) - abs(p1)) + sqrt(sqrt(1 + p1**4))",
    "sin(sin(sin(sin(q1*p1 + q2)*p2 + q3)*p3)) + exp(cos(exp(sin(q1))))",
    "q1**64*p1**33 + (p2 + q2)**65*1e-3 + cos(q1 + pi) + sin(-q1)*cos(-p1) + "
    "log(exp(q1))*exp(log(p3))",
]
POINTS = [((0.3, -0.7, 1.1, 0.9, 0.4, 1.3), 0.6), ((-0.2, 0.8, -0.5, 1.2, -0.3, 0.7), -1.4)]


@pytest.mark.parametrize("y, t", POINTS, ids=["here", "there"])
@pytest.mark.parametrize("text", EVERY_FUNCTION, ids=lambda text: text[:20])
def test_rates_are_the_gradient_in_many_digits(text, y, t, caller):
    code = compiled(text).code
    with mpmath.workdps(40):
        function, _ = reference(text, y, t)
        if mpmath.im(function()) != 0:
            assert np.isnan(caller(code, ENERGY, 1, y, PARAMETERS, t)).all()
            return
        rates, energy = expected_rates(text, y, t), float(function())
        power = expected_gradient(text, y, t, "t")
    for way in caller.WAYS:
        np.testing.assert_allclose(
            caller(code, RATES, 6, y, PARAMETERS, t, way), rates, rtol=1e-13, atol=1e-14
        )
        np.testing.assert_allclose(
            caller(code, ENERGY, 1, y, PARAMETERS, t, way), energy, rtol=1e-14
        )
        np.testing.assert_allclose(
            caller(code, POWER, 1, y, PARAMETERS, t, way), power, rtol=1e-13, atol=1e-15
        )


def test_the_formulas_of_these_tests_use_every_function():
    assert all(f"{name}(" in "".join(EVERY_FUNCTION) for name in FUNCTIONS)


@pytest.mark.parametrize("text", EVERY_FUNCTION, ids=lambda text: text[:20])
def test_lanes_equal_floats_bit_for_bit(text, caller):
    rng = np.random.default_rng(5)
    y, t = rng.uniform(0.2, 1.4, (6, WIDTH)), rng.uniform(0, 1, WIDTH)
    code = compiled(text).code
    for block, rows in ((RATES, 6), (VELOCITY, 3), (FORCE, 3), (ENERGY, 1), (POWER, 1)):
        together = caller(code, block, rows, y, PARAMETERS, t)
        assert np.array_equal(
            together, caller.each_lane(code, block, rows, y, PARAMETERS, t), equal_nan=True
        )
        np.testing.assert_allclose(
            caller(code, block, rows, y, PARAMETERS, t, "interpreted"),
            together,
            rtol=1e-12,
            atol=1e-14,
        )


@pytest.mark.parametrize("text", [GALACTIC, "(p1**2 + p2**2 + p3**2)/2 - cos(q1)*q2"])
def test_velocity_and_force_are_the_halves_of_the_rates(text, caller):
    code, y = compiled(text).code, POINTS[0][0]
    halves = [caller(code, block, 3, y, PARAMETERS) for block in (VELOCITY, FORCE)]
    np.testing.assert_allclose(
        np.concatenate(halves), caller(code, RATES, 6, y, PARAMETERS), rtol=1e-15
    )


def test_results_begin_at_the_row_that_is_asked_for(caller):
    code, y = compiled(GALACTIC).code, np.array(POINTS[0][0])
    lanes = np.stack([y] * WIDTH, axis=-1)
    for way in caller.WAYS:
        assert np.array_equal(
            caller(code, FORCE, 3, y, PARAMETERS, way=way, at=3),
            caller(code, FORCE, 3, y, PARAMETERS, way=way),
        )
        assert np.array_equal(
            caller(code, FORCE, 3, lanes, PARAMETERS, way=way, at=2)[:, 1],
            caller(code, FORCE, 3, y, PARAMETERS, way=way),
        )


def test_invariants_are_evaluated_in_order(caller):
    code = compiled(GALACTIC, invariants=("q1*p2 - q2*p1", "t*a", "3")).code
    y, t = POINTS[0]
    for way in caller.WAYS:
        np.testing.assert_allclose(
            caller(code, INVARIANTS, 3, y, PARAMETERS, t, way),
            [0.3 * 0.4 + 0.7 * 0.9, 0.6 * 1.25, 3.0],
            rtol=1e-15,
        )


# ---- structure -----------------------------------------------------------------------------------
SEPARABLE = [
    ("p1**2/2 - cos(q1)", True),
    ("p1**2/2 - cos(q1)*(1 - p1/6)", False),
    ("(p1 + q1)**2 - 2*p1*q1 - q1**2 + q1**4", True),
    ("(p1 + 0.1*q1)**2 - 0.2*p1*q1", True),
    ("(p1 + 0.1*q1)**2 - 0.3*p1*q1", False),
    ("p1*p2 + q1*q2", True),
    ("p1*q2 - p2*q1", False),
    ("a*p1**2 + sin(t)*q1**2", True),
    ("exp(p1 + q1)", False),
    ("max(p1, q1)", False),
    ("q1*t", True),
    ("3", True),
    (GALACTIC, False),
    ("(q1 + q2 + q3 + p1 + p2 + p3 + a + b)**60", False),  # multiplied out, these two would not end
    ("atan2(" * 20 + "q1" + ", p1)" * 20, False),
]


@pytest.mark.parametrize("text, is_separable", SEPARABLE, ids=lambda value: str(value)[:30])
def test_h_is_separable_if_no_position_meets_a_momentum(text, is_separable):
    assert compiled(text).is_separable is is_separable


@pytest.mark.parametrize("text", [text for text, is_separable in SEPARABLE if is_separable])
def test_the_halves_of_a_separable_h_read_only_their_own_rows(text, caller):
    code, y = compiled(text).code, np.array(POINTS[0][0])
    no_q, no_p = np.where(np.arange(6) < 3, np.nan, y), np.where(np.arange(6) < 3, y, np.nan)
    with mpmath.workdps(40):
        expected = expected_rates(text, y, 0.5)
    np.testing.assert_allclose(
        caller(code, VELOCITY, 3, no_q, PARAMETERS, 0.5), expected[:3], rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(
        caller(code, FORCE, 3, no_p, PARAMETERS, 0.5), expected[3:], rtol=1e-13, atol=1e-15
    )


def test_h_is_autonomous_if_it_does_not_depend_on_time():
    assert compiled("p1**2 + q1**2").is_autonomous
    assert compiled("p1**2 + q1**2 + t - t").is_autonomous
    assert not compiled("p1**2 + q1**2*cos(t)").is_autonomous


# ---- numbers -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "number",
    [
        "0.1",
        "1e-300",
        "123456789.123456789",
        "1e22",
        "3.0000000000000004",
        "-0.1",
        "9007199254740993",
        "1e5",
    ],
)
def test_numbers_survive_exactly(number, caller):
    code = compiled(f"{number}*q1").code
    for way in caller.WAYS:
        assert caller(code, FORCE, 3, np.ones(6), PARAMETERS, way=way)[0] == -float(number)


def test_the_slope_of_a_power_is_right_at_zero(caller):
    code = compiled("q1**2.1 + q2**2.5 + q3**3").code
    assert np.array_equal(caller(code, FORCE, 3, np.zeros(6), PARAMETERS), np.zeros(3))


def test_what_is_not_real_is_nan_and_what_is_infinite_inf(caller):
    code = compiled("log(q1) + sqrt(q2) + p1/q3").code
    y = np.array(
        [[-1.0, 1.0, 1.0, 1.0], [1.0, -1.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0], *[[1.0] * 4] * 3]
    )
    energy = caller(code, ENERGY, 1, y, PARAMETERS)[0]
    assert np.array_equal(energy, [np.nan, np.nan, np.inf, 2.0], equal_nan=True)


# ---- other expressions, sizes, places ------------------------------------------------------------
def test_blocks_of_expressions_write_their_rows(caller):
    names = ("x", "v", "k", "t")
    blocks = [
        [parse(text, names) for text in block]
        for block in (("-k*x", "x*v"), (), ("t",), ("sin(x)", "cos(x)", "x"))
    ]
    code = compile_expressions(blocks, ("x", "v"), ("k",)).code
    for way in caller.WAYS:
        assert np.array_equal(caller(code, 0, 2, [2.0, 3.0], [5.0], way=way), [-10.0, 6.0])
        assert caller(code, 2, 1, [2.0, 3.0], [5.0], 0.25, way)[0] == 0.25
        np.testing.assert_allclose(
            caller(code, 3, 3, [2.0, 3.0], [5.0], way=way),
            [np.sin(2.0), np.cos(2.0), 2.0],
            rtol=1e-15,
        )
    assert "sincos" in compile_expressions(blocks, ("x", "v"), ("k",)).source.read_text()


def test_results_may_overwrite_the_inputs(caller):
    names = ("x", "v")
    code = compile_expressions([[parse("v", names), parse("x", names)]], names, ()).code
    y = np.array([2.0, 3.0])
    caller.in_place(code, 0, y)
    assert np.array_equal(y, [3.0, 2.0])


def test_a_long_sum_and_a_deep_formula_compile(caller):
    names = tuple(f"q{i}" for i in range(120)), tuple(f"p{i}" for i in range(120))
    text = " + ".join(f"0.{i + 1}*q{i}**2*p{i}" for i in range(120))
    code = compile_expressions([[parse(text, names[0] + names[1])]], names[0] + names[1], ()).code
    assert np.isclose(
        caller(code, 0, 1, np.ones(240))[0],
        sum(float(f"0.{i + 1}") for i in range(120)),
        rtol=1e-14,
    )
    deep = compiled("sin(" * 60 + "q1*p1" + ")" * 60)
    assert np.isfinite(caller(deep.code, RATES, 6, np.ones(6), PARAMETERS)).all()


def test_sympy_numbers_and_text_give_the_same_code(caller):
    q1, p1, a = sympy.symbols("q1 p1 a")
    H = to_expression(p1**2 / 2 + a * sympy.Abs(q1) ** 3, (*Q, *P, *K), "H")
    y = POINTS[0][0]
    ours, theirs = compile_hamiltonian(H, Q, P, K).code, compiled("p1**2/2 + a*abs(q1)**3").code
    np.testing.assert_allclose(
        caller(ours, RATES, 6, y, PARAMETERS), caller(theirs, RATES, 6, y, PARAMETERS), rtol=1e-15
    )


def test_an_expression_of_other_names_is_refused():
    with pytest.raises(ExpressionError, match="unknown symbol 'x'"):
        compile_hamiltonian(parse("x", ("x",), "H"), Q, P, K)


# ---- the files -----------------------------------------------------------------------------------
def test_a_damaged_file_is_written_anew():
    source = compiled("p1**2/2 + 0.123*q1**2").source
    whole = source.read_text()
    source.write_text(whole.replace("0.123", "0.124"))
    calculus.LOADED_MODULES.clear()
    assert compiled("p1**2/2 + 0.123*q1**2").source == source
    assert source.read_text() == whole


def test_the_same_formula_is_compiled_once():
    assert compiled(GALACTIC).code == compiled(GALACTIC.replace(" ", "")).code
    assert compiled(GALACTIC).code != compiled(GALACTIC + " + 1").code


SECOND = """
import sys
from hamiltree.symbolic.calculus import compile_hamiltonian
from hamiltree.symbolic.grammar import parse
from numba.core import compiler
compiled, original = [], compiler.compile_extra
compiler.compile_extra = lambda *args, **more: compiled.append(1) or original(*args, **more)
parsed = parse("p**2/2 - 0.77*cos(q)*tan(q)*log(2 + exp(q))", ("q", "p"), "H")
compile_hamiltonian(parsed, ("q",), ("p",), ())
print(len(compiled), "sympy" in sys.modules)
"""


def test_a_second_process_neither_compiles_nor_imports_sympy(tmp_path):
    def run():
        environment = {**os.environ, "HAMILTREE_CACHE_DIR": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-c", SECOND],
            capture_output=True,
            text=True,
            env=environment,
            check=True,
        )
        return done.stdout.split()

    first, second = run(), run()
    assert int(first[0]) >= 2 and first[1] == "True"
    assert second == ["0", "False"]
