"""Which texts are formulas, what they mean, and what is said of those that are not."""

import math
from fractions import Fraction

import pytest
import sympy

from hamiltree.errors import OptionError
from hamiltree.symbolic.grammar import (
    ExpressionError,
    check_names,
    parse,
    parse_conditions,
    to_expression,
)

NAMES = ("q", "p", "omega", "t")

# text, where the caret stands (None: nowhere), a word of the reason
HOSTILE = [
    ("p**2/2 + omga*q", 9, "did you mean 'omega'"),
    ("p^2", 1, "write \\*\\* for a power"),
    ("__import__('os').system('ls')", 11, "strings"),
    ("__import__(1)", 0, "unknown function '__import__'"),
    ("q.real", 0, "attribute"),
    ("(1).__class__", 0, "attribute"),
    ("q[0]", 1, "subscripts"),
    ("'q'", 0, "strings"),
    ('"q"', 0, "strings"),
    ("lambda: 1", 6, "':'"),
    ("[q for q in p]", 0, "subscripts"),
    ("(q for q in p)", 0, "GeneratorExp"),
    ("(q := 1)", 3, "':'"),
    ("q if p else t", 0, "choice"),
    ("q and p", 0, "and, or"),
    ("not q", 0, "only \\+ and -"),
    ("~q", 0, "'~'"),
    ("q < p", 2, "comparisons"),
    ("q = p", 2, "equation"),
    ("q % p", 2, "only numbers"),
    ("q // p", 0, "FloorDiv"),
    ("q @ p", 2, "only numbers"),
    ("max(*q, p)", 4, "star"),
    ("max(q)", 0, "takes 2 or more"),
    ("sin(q, p)", 0, "takes 1 argument"),
    ("sin(x=q)", 5, "equation"),
    ("sin()", 0, "takes 1"),
    ("sin", 0, "is a function"),
    ("q(p)", 0, "write q\\*\\("),
    ("(q)(p)", 0, "write q\\*\\("),
    ("2(p)", 0, "write \\* for a product"),
    ("eval(q)", 0, "unknown function 'eval'"),
    ("sine(q)", 0, "did you mean 'sin"),
    ("1e999*q", 0, "too large"),
    ("9**9**9", 0, "too large"),
    ("q + 10**400", 4, "too large"),
    ("2**1000000*q", 0, "too large"),
    ("q/0", 0, "divides by zero"),
    ("1/0", 0, "divides by zero"),
    ("0**(-1)*q", 0, "divides by zero"),
    ("2j*q", 0, "imaginary"),
    ("sqrt(-1)*q", 0, "not real"),
    ("(-8)**0.3", 0, "not real"),
    ("log(0)", 0, "not real"),
    ("True", 0, "True"),
    ("None", 0, "None"),
    ("...", 0, "Ellipsis"),
    ("q, p", 0, "list of values"),
    ("()", 0, "list of values"),
    ("q # p", 2, "comments"),
    ("q; p", 1, "only numbers"),
    ("q \\ p", 2, "only numbers"),
    ("q\0", 1, "only numbers"),
    ("q +", 3, "something is missing at its end"),
    ("q ** ", 4, "something is missing at its end"),
    ("(q", 0, "not a formula"),
    ("q p", 2, "not a formula"),
    ("", None, "empty"),
    ("   ", None, "empty"),
    ("ｑ", 0, "only numbers"),  # full-width q, which Python would read as q
    ("q²", 1, "only numbers"),
    ("θ", 0, "unknown symbol 'θ'"),
    ("q" + "+q" * 6000, None, "at most 10000"),
    ("sin(" * 300 + "q" + ")" * 300, None, "deep|nested|not a formula"),
    ("-" * 3000 + "q", None, "deep|nested"),
    ("q**" * 900 + "q", None, "deep|nested"),
    ("9" * 5000, None, "not a formula|too large"),
]


@pytest.mark.parametrize("text, at, reason", HOSTILE, ids=lambda value: str(value)[:24])
def test_what_is_no_formula_is_refused_with_its_position(text, at, reason):
    with pytest.raises(ExpressionError, match=reason) as caught:
        parse(text, NAMES, "H")
    message = str(caught.value)
    assert message.startswith("H: ") and isinstance(caught.value, OptionError)
    if at is not None:
        assert message.splitlines()[-1] == " " * (4 + at) + "^"
        assert f"column {at + 1}" in message.splitlines()[0]


def test_the_message_shows_the_text_the_place_and_the_remedy():
    with pytest.raises(ExpressionError) as caught:
        parse("p**2/2 + omga*q", ("q", "p", "omega", "t"), "H")
    assert str(caught.value) == (
        "H: unknown symbol 'omga' at column 10; known: q, p, omega, t — did you mean 'omega'?\n    "
        "p**2/2 + omga*q\n             ^"
    )


def test_a_fault_far_into_a_long_text_is_shown_with_its_surroundings():
    with pytest.raises(ExpressionError) as caught:
        parse("q + " * 1000 + "x + q", NAMES)
    shown, caret = str(caught.value).splitlines()[1:]
    assert len(shown) < 140 and shown[caret.index("^")] == "x"


def value(expression, **at):
    """What a canonical text is worth, by Python's own grammar."""
    functions = {
        name: getattr(math, name) for name in ("sin", "cos", "sqrt", "atan2", "hypot", "log10")
    }
    return eval(
        expression.canonical,
        {"__builtins__": {"max": max, "min": min, "abs": abs}, **functions},
        at,
    )


@pytest.mark.parametrize(
    "text",
    ["1 - 2 - q", "q - (p - 3)", "-q**2", "2**-q", "q**p**2", "q/p/3", "q/p*3", "-(-q)", "+q",
     "q*-p", "2*3*q*4", "q - 1/3", "max(q, p, 2) - min(q, p, 2)", "hypot(q, p)*atan2(q, p)",
     "sqrt(abs(q - p))", "log10(q)", "1.5e-3*q", "pi*q", "q\n  + p"],
)  # fmt: skip
def test_formulas_mean_what_they_mean_in_python(text):
    at = {"q": 1.3, "p": 0.7}
    functions = {name: getattr(math, name) for name in ("sqrt", "atan2", "hypot", "log10", "pi")}
    expected = eval(text.replace("\n", " "), {**functions, "max": max, "min": min, "abs": abs}, at)
    assert math.isclose(value(parse(text, NAMES), **at), expected, rel_tol=1e-15)


def test_symbols_are_the_names_that_occur():
    assert parse("q*sin(pi*t)", NAMES).symbols == {"q", "t"}


def test_formulas_that_differ_in_blanks_only_are_equal_and_those_that_differ_in_a_digit_are_not():
    first, same, other = (
        parse("0.1 * q+p", NAMES),
        parse("0.1*q + p", NAMES, "other"),
        parse("0.10000000000000002*q + p", NAMES),
    )
    assert first == same and hash(first) == hash(same)
    assert first != other


def test_numbers_keep_every_digit():
    assert parse("0.1", NAMES).tree == ("number", 0.1)
    assert parse("0.5", NAMES).tree == ("number", Fraction(1, 2))
    assert parse("1/3", NAMES).tree == ("number", Fraction(1, 3))
    assert parse("9007199254740993", NAMES).tree == ("number", 9007199254740992.0)


def test_greek_letters_are_names_where_the_caller_says_so():
    assert parse("ω**2*θ", ("ω", "θ")).symbols == {"ω", "θ"}


def test_a_sum_of_many_terms_is_not_deep():
    assert len(parse(" + ".join(["q"] * 2000), NAMES).tree) == 2001


def test_parentheses_alone_are_not_deep():
    assert parse("(" * 150 + "q" + ")" * 150, NAMES).tree == ("name", "q")


def test_conditions_are_margins_that_must_be_positive():
    first, second = parse_conditions("q > 1 and p <= 3", NAMES)
    assert value(first, q=3.0) == 2.0 and value(second, p=1.0) == 2.0
    low, high = parse_conditions("0 < q < 2", NAMES)
    assert value(low, q=0.5) == 0.5 and value(high, q=0.5) == 1.5


@pytest.mark.parametrize(
    "text",
    [
        "q > 1 or p > 1",
        "q == 1",
        "q",
        "not q > 1",
        "q != p",
        "(q > 1) + 1",
        "q > p[0]",
        "q is p",
        "q in p",
        "1e308 > -1e308",
    ],
)
def test_other_conditions_are_refused(text):
    with pytest.raises(ExpressionError):
        parse_conditions(text, NAMES, "event")


# ---- what is not text
def test_numbers_and_expressions_are_formulas_too():
    assert to_expression(3, NAMES).tree == ("number", Fraction(3))
    expression = parse("q*p", NAMES)
    assert to_expression(expression, NAMES) is expression
    with pytest.raises(ExpressionError, match="unknown symbol 'q'"):
        to_expression(expression, ("p",))


def test_sympy_expressions_keep_their_value():
    q, p = sympy.symbols("q p")
    given = (
        sympy.sqrt(q**2 + p**2) / 3
        - sympy.sin(q) * sympy.Max(p, q)
        + sympy.Float(0.1) * sympy.atan2(q, p)
        + sympy.pi
    )
    expected = float(given.subs({q: 1.3, p: 0.7}))
    assert math.isclose(value(to_expression(given, NAMES), q=1.3, p=0.7), expected, rel_tol=1e-14)


@pytest.mark.parametrize(
    "given",
    [
        sympy.I,
        sympy.zoo,
        sympy.nan,
        sympy.oo,
        sympy.Symbol("x"),
        sympy.gamma(sympy.Symbol("q")),
        sympy.Symbol("q") * sympy.I,
        sympy.Function("f")(sympy.Symbol("q")),
        sympy.sqrt(-2),
        sympy.Symbol("q") > 1,
        sympy.Symbol("q") + sympy.Rational(10**400, 3),
    ],
    ids=str,
)
def test_sympy_expressions_that_are_not_real_or_not_known_are_refused(given):
    with pytest.raises(ExpressionError, match="^H: "):
        to_expression(given, NAMES, "H")


@pytest.mark.parametrize(
    "given",
    [None, True, [1], b"q", float("nan"), float("inf"), 1j, object()],
    ids=lambda value: type(value).__name__,
)
def test_other_values_are_no_formulas(given):
    with pytest.raises(ExpressionError, match="^H: "):
        to_expression(given, NAMES, "H")


# ---- names
@pytest.mark.parametrize(
    "name", ["t", "pi", "sin", "lambda", "2q", "q 1", "", "q-1", "ϵ", None, "max"]
)
def test_names_that_cannot_stand_in_formulas_are_refused(name):
    with pytest.raises(ExpressionError, match="parameter"):
        check_names({"coordinate": ("q",), "parameter": (name,)})


def test_a_name_means_one_thing():
    check_names({"coordinate": ("q1", "q2"), "momentum": ("p1", "p2"), "parameter": ("θ",)})
    with pytest.raises(ExpressionError, match="also a coordinate"):
        check_names({"coordinate": ("q", "k"), "parameter": ("k",)})
    with pytest.raises(ExpressionError, match="two are called"):
        check_names({"coordinate": ("q", "q")})
