"""From SymPy's trees to the text of a function `evaluate(block, parameters, t, y, out)` in the
language of the kernels.

All inputs are read first and all outputs written last, so that out may be y. Every value is
assigned once. Sums of products say `fma`, sine and cosine of one angle share a `sincos`, integer
powers are products, a quotient divides once.
"""

import sympy

from hamiltree.symbolic.expression import TIME, ExpressionError

NUMBER = ("absolute", "fma", "maximum", "root", "sincos", "where_less")
FUNCTIONS = (
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cosh",
    "erf",
    "exp",
    "log",
    "minimum",
    "power",
    "sign",
    "sinh",
    "tan",
    "tanh",
)
MAX_LINE_LENGTH = 100  # characters: a longer sum goes on in another line
EVALUATION_DIGITS = 30


class BlockWriter:
    """The statements of one block.

    `places` says where each symbol is read: {"q1": "take(y, 0)"}.
    """

    def __init__(self, places: dict[str, str], floats: dict, count: int = 0):
        """An empty block; variables are numbered on from `count`."""
        self.places = places
        self.floats = floats
        self.count = count
        self.reads: dict[str, str] = {}
        self.lines: list[str] = []
        self.made: dict[str, str] = {}  # text -> the variable that holds it
        self.assigned: dict = {}  # SymPy's symbol of a common part -> variable
        self.used: set[str] = set()

    # ---- lines
    def new_variable(self) -> str:
        self.count += 1
        return f"v{self.count}"

    def assign(self, text: str) -> str:
        """A variable that holds this value; the same text is computed once."""
        if text not in self.made:
            self.made[text] = self.new_variable()
            self.lines.append(f"{self.made[text]} = {text}")
        return self.made[text]

    def call(self, function: str, *arguments: str) -> str:
        self.used.add(function)
        return f"{function}({', '.join(arguments)})"

    def atom(self, expression) -> str:
        """A name or a number without a sign."""
        text = self.text(expression)
        return (
            text if text.isidentifier() or text.replace(".", "", 1).isdigit() else self.assign(text)
        )

    # ---- expressions
    def text(self, expression) -> str:
        """An expression as text of a kernel; statements that it needs go before."""
        if expression.is_Symbol:
            return self.symbol(expression)
        if expression.is_number:
            return constant(expression)
        if expression.is_Add:
            return self.sum(expression)
        if expression.is_Mul:
            return self.product(expression)
        return (
            self.power(expression.base, expression.exp)
            if expression.is_Pow
            else self.function(expression)
        )

    def symbol(self, symbol) -> str:
        if symbol in self.floats:
            return repr(self.floats[symbol])
        if symbol in self.assigned:
            return self.assigned[symbol]
        if symbol.name not in self.reads:
            self.reads[symbol.name] = self.new_variable()
        return self.reads[symbol.name]

    def factor(self, expression) -> str:
        text = self.text(expression)
        return f"({text})" if " " in text and not is_call(text) else text

    def sum(self, expression) -> str:
        """Begun with a term that is no product, if there is one; products are added by fma."""
        terms = sorted(
            map(split_factors, expression.args), key=lambda term: (term.is_product, term.negative)
        )
        total = self.signed(terms[0])
        for term in terms[1:]:
            total = self.add_term(
                term, total if len(total) < MAX_LINE_LENGTH else self.assign(total)
            )
        return total

    def add_term(self, term, total: str) -> str:
        if term.bottom or not term.is_product:
            return f"{total} {'-' if term.negative else '+'} {self.quotient(term)}"
        *others, last = map(self.factor, term.top)
        first = " * ".join(others)
        return self.call("fma", f"-{first}" if term.negative else first, last, total)

    def product(self, expression) -> str:
        return self.signed(split_factors(expression))

    def signed(self, term) -> str:
        return f"-{self.quotient(term)}" if term.negative else self.quotient(term)

    def quotient(self, term) -> str:
        top = " * ".join(map(self.factor, term.top)) or "1.0"
        if not term.bottom:
            return top
        bottom = " * ".join(map(self.factor, term.bottom))
        return f"{top} / ({bottom})" if " " in bottom else f"{top} / {bottom}"

    def power(self, base, exponent) -> str:
        if exponent.is_Rational and exponent.q <= 2:
            if exponent < 0:
                return f"1.0 / {self.power_of(self.atom(base), -exponent)}"
            return self.power_of(self.atom(base), exponent)
        return self.assign(self.call("power", self.text(base), self.text(exponent)))

    def power_of(self, base: str, exponent) -> str:
        """By squaring; a half is a root."""
        if exponent.q == 2:
            half = self.assign(self.call("root", base))
            return (
                half
                if exponent.p == 1
                else self.assign(f"{self.power_of(base, exponent - sympy.S.Half)} * {half}")
            )
        if exponent == 1:
            return base
        if exponent % 2 == 1:
            return self.assign(f"{self.power_of(base, exponent - 1)} * {base}")
        half = self.power_of(base, exponent / 2)
        return self.assign(f"{half} * {half}")

    def function(self, expression) -> str:
        """A call of a compiled function, assigned to a variable."""
        name = type(expression).__name__
        if name in ("sin", "cos"):
            return self.sine_or_cosine(name, self.atom(expression.args[0]))
        if name not in NUMBER and name not in FUNCTIONS:
            raise ExpressionError(
                f"SymPy derived {expression}, which has no compiled form; write the formula "
                "without it"
            )
        return self.assign(self.call(name, *map(self.text, expression.args)))

    def sine_or_cosine(self, name: str, angle: str) -> str:
        key = self.call("sincos", angle)
        if key not in self.made:
            self.made[key] = self.new_variable()
            self.lines.append(f"s{self.made[key]}, c{self.made[key]} = {key}")
        return f"{name[0]}{self.made[key]}"

    # ---- a whole block
    def write(self, outputs) -> list[str]:
        """Reads, statements, writes."""
        common, reduced = sympy.cse(
            list(outputs), symbols=sympy.numbered_symbols("1#"), optimizations=None, order="none"
        )
        for symbol, part in common:
            self.assigned[symbol] = self.assign_or_name(self.text(part))
        results = [f"put(out, {row}, {self.text(part)})" for row, part in enumerate(reduced)]
        reads = [f"{variable} = {self.places[name]}" for name, variable in self.reads.items()]
        return [*reads, *self.lines, *results]

    def assign_or_name(self, text: str) -> str:
        return text if text.isidentifier() else self.assign(text)


class Term:
    """± product of `top` / product of `bottom`."""

    def __init__(self, negative, top, bottom):
        self.negative = negative
        self.top = top
        self.bottom = bottom
        self.is_product = len(top) > 1 or bool(bottom)


def split_factors(expression) -> Term:
    """Numerator, denominator and sign of a product."""
    coefficient, rest = expression.as_coeff_Mul(rational=True)
    top, bottom = [], []
    for factor in sympy.Mul.make_args(rest):
        base, exponent = factor.as_base_exp() if factor.is_Pow else (factor, sympy.Integer(1))
        if exponent.is_Rational and exponent < 0 and not factor.is_number:
            bottom.append(base**-exponent)
        elif factor != 1:
            top.append(factor)
    size = abs(coefficient)
    return Term(
        bool(coefficient < 0), top if size == 1 and (top or bottom) else [size, *top], bottom
    )


def is_call(text: str) -> bool:
    """f(…) as a whole: the parenthesis that is opened first is closed last."""
    name, _, rest = text.partition("(")
    if not name.isidentifier() or not rest.endswith(")"):
        return False
    depth = 1
    for at, character in enumerate(rest):
        depth += (character == "(") - (character == ")")
        if not depth:
            return at == len(rest) - 1
    return False


def constant(expression) -> str:
    """The double nearest to a number."""
    try:
        return repr(
            float(expression.p / expression.q)
            if expression.is_Rational
            else float(expression.evalf(EVALUATION_DIGITS))
        )
    except (TypeError, OverflowError):
        raise ExpressionError(f"{expression}, part of a derivative, is not a real number") from None


def read_expressions(inputs, parameters) -> dict[str, str]:
    """Where each name is read."""
    rows = {name: f"take(y, {i})" for i, name in enumerate(inputs)}
    return {
        TIME: "take(t, 0)",
        **rows,
        **{name: f"take(parameters, {i})" for i, name in enumerate(parameters)},
    }


def function_text(blocks, floats, places) -> tuple[str, set[str]]:
    """`evaluate` for these blocks of SymPy expressions, and the functions that it calls.

    Names differ in all blocks: one type each.
    """
    text = []
    used = {"put"}
    count = 0
    word = "if"
    for block, outputs in enumerate(blocks):
        if outputs:
            writer = BlockWriter(places, floats, count)
            text += [
                f"    {word} block == {block}:",
                *(f"        {line}" for line in writer.write(outputs)),
            ]
            used = used | writer.used
            count = writer.count
            word = "elif"
    return "\n".join(
        ["def evaluate(block, parameters, t, y, out):", *(text or ["    return"])]
    ), used


def module_text(title: str, constants: dict, blocks, floats, inputs, parameters) -> str:
    """A module with `evaluate` and constants."""
    function, used = function_text(blocks, floats, read_expressions(inputs, parameters))
    lines = [f'"""{title}"""', "", "from hamiltree.compiled.user_code import put, take"]
    for module, names in (("functions", FUNCTIONS), ("number", NUMBER)):
        if wanted := sorted(used.intersection(names)):
            lines.append(f"from hamiltree.compiled.{module} import {', '.join(wanted)}")
    settings = [f"{name} = {value!r}" for name, value in constants.items()]
    return "\n".join([*lines, "", *settings, "", "", function, ""])
