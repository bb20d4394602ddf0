"""Dual numbers: a float with its derivatives along four directions, a third kind of number.

A kernel that is typed by duals computes its value and, exactly, how it changes along each of the
directions: v + s·ε, ε² = 0. Floats and duals mix, the result is a dual. At a kink (`maximum`,
`where_less`, `absolute`) the derivative is that of the side which gives the value. Where a function
jumps from one constant to another (`floor`, `sign`) its answer is a float: it has no derivative.

Compiled only. Whatever is typed by duals must have ARITHMETIC in its key: entries read it.
"""

import importlib.util
import operator
from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, models, overload, register_model

from hamiltree.compiled import functions, number
from hamiltree.compiled.fingerprint import digest, text_of_code
from hamiltree.compiled.internals import INLINE_OPTIONS
from hamiltree.compiled.lanes import DOUBLE, INT32, VECTOR, WIDTH, as_vector, lanes

DIRECTIONS = WIDTH  # derivatives that a dual carries
REGISTERS = ir.LiteralStructType([DOUBLE, VECTOR], packed=True)  # value, slopes
EMITTERS = ("duals", "dual_arrays")


def hash_of_arithmetic() -> str:
    """Changes with every edit of the code that is emitted for duals."""
    texts = []
    for name in EMITTERS:
        spec = importlib.util.find_spec(f"hamiltree.compiled.{name}")
        assert spec is not None and spec.loader is not None
        texts.append(text_of_code(spec.loader.get_code(spec.name)))  # type: ignore[attr-defined]
    return digest("\n".join(texts))


ARITHMETIC = hash_of_arithmetic()


class Dual(types.Type):
    def __init__(self):
        super().__init__(name=f"dual {ARITHMETIC}")

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, types.Float) else None

    def unify(self, typingctx, other):
        return self if self.can_convert_from(typingctx, other) is not None else None


dual = Dual()


@register_model(Dual)
class DualModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, REGISTERS)


# ---- taking apart and putting together -----------------------------------------------------------
def put_together(builder, value, slopes):
    whole = builder.insert_value(ir.Constant(REGISTERS, ir.Undefined), value, 0)
    return builder.insert_value(whole, slopes, 1)


def take_apart(context, builder, numba_type, value):
    """(value, slopes); slopes of a float are None."""
    if isinstance(numba_type, Dual):
        return builder.extract_value(value, 0), builder.extract_value(value, 1)
    return context.cast(builder, value, numba_type, types.float64), None


def as_dual(context, builder, numba_type, value):
    """A dual as it is; a float without slopes."""
    if isinstance(numba_type, Dual):
        return value
    alone = context.cast(builder, value, numba_type, types.float64)
    return put_together(builder, alone, ir.Constant(VECTOR, [0.0] * WIDTH))


@lower_cast(types.Float, Dual)
def cast_to_dual(context, builder, source, target, value):
    return as_dual(context, builder, source, value)


def is_dual_or_plain(numba_type) -> bool:
    return isinstance(numba_type, (Dual, types.Float, types.Integer))


# ---- code that is being written ------------------------------------------------------------------
class Term:
    """A float in code that is being written, with the operators of Python."""

    def __init__(self, builder, code):
        self.builder, self.code = builder, code

    def make(self, instruction, *others):
        values = [x.code if isinstance(x, Term) else ir.Constant(DOUBLE, x) for x in others]
        return Term(self.builder, getattr(self.builder, instruction)(*values))

    def __add__(self, other):
        return self.make("fadd", self, other)

    def __sub__(self, other):
        return self.make("fsub", self, other)

    def __mul__(self, other):
        return self.make("fmul", self, other)

    def __truediv__(self, other):
        return self.make("fdiv", self, other)

    def __radd__(self, other):
        return self.make("fadd", other, self)

    def __rsub__(self, other):
        return self.make("fsub", other, self)

    def __rmul__(self, other):
        return self.make("fmul", other, self)

    def __rtruediv__(self, other):
        return self.make("fdiv", other, self)

    def __neg__(self):
        return self.make("fneg", self)

    def call(self, name, *others):
        """A function of the C library or of LLVM, of this number and others."""
        values = [x.code for x in (self, *others)]
        kind = ir.FunctionType(DOUBLE, [DOUBLE] * len(values))
        called = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return Term(self.builder, self.builder.call(called, values))


def root_of(x: Term) -> Term:
    return x.call("llvm.sqrt.f64")


def chain_rule(context, builder, partials, slopes, may_be_infinite=False):
    """Σ ∂f/∂xₖ · slopes of xₖ; a partial is a Term, or 1 or −1. Products are added to what is
    there, fused. Where a partial may be infinite, what does not change adds nothing all the same:
    √(v²) v at v = 0.
    """
    terms = [pair for pair in zip(partials, slopes, strict=True) if pair[1] is not None]
    total = None
    for partial, own in sorted(terms, key=lambda pair: isinstance(pair[0], Term)):
        if isinstance(partial, Term):
            factor = as_vector(context, builder, types.float64, partial.code)
            if may_be_infinite:
                zero = ir.Constant(VECTOR, [0.0] * WIDTH)
                factor = builder.select(builder.fcmp_ordered("==", own, zero), zero, factor)
            product = builder.fmul(factor, own) if total is None else None
            total = product or fused(builder, factor, own, total)
        elif total is None:
            total = own if partial > 0 else builder.fneg(own)
        else:
            total = builder.fadd(total, own) if partial > 0 else builder.fsub(total, own)
    return total


def fused(builder, a, b, c):
    kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
    called = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{WIDTH}f64")
    return builder.call(called, [a, b, c])


# ---- functions with known partial derivatives ----------------------------------------------------
def define(
    function, evaluate: Callable, partials: Callable, arity: int, may_be_infinite: bool = False
) -> None:
    """The meaning of a function for duals: evaluate(*x) and partials(*x, value), of Terms; a
    partial by something that is a float is not asked for.
    """

    class Typing(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if len(args) != arity or dual not in args or not all(map(is_dual_or_plain, args)):
                return None
            return signature(dual, *args)

    def lower(context, builder, sig, args):
        parts = [take_apart(context, builder, t, v) for t, v in zip(sig.args, args, strict=True)]
        x = [Term(builder, value) for value, _ in parts]
        slopes = [own for _, own in parts]
        value = evaluate(*x)
        wanted = partials(*x, value, *([[own is not None for own in slopes]] if arity > 1 else []))
        changes = chain_rule(context, builder, wanted, slopes, may_be_infinite)
        return put_together(builder, value.code, changes)

    register(function, Typing, lower, arity)


def register(function, typing, lower, arity: int) -> None:
    """Typing and lowering beside those that the function has for other numbers."""
    if function in OPERATORS:
        infer_global(function)(typing)
    else:
        infer_global(function, types.Function(typing))
    plain = (Dual, types.Float, types.Integer)
    for k in range(len(plain) ** arity):
        kinds = [plain[k // len(plain) ** place % len(plain)] for place in range(arity)]
        if Dual in kinds:
            lower_builtin(function, *kinds)(lower)


OPERATORS = {operator.neg} | {
    getattr(operator, f"{way}{name}")
    for name in ("add", "sub", "mul", "truediv")
    for way in ("", "i")
}


def quotient_partials(a, b, value, needs):
    inverse = 1.0 / b
    return inverse, -(value * inverse) if needs[1] else None


def power_partials(x, y, value, needs):
    """y xʸ⁻¹, and xʸ ln x where the exponent is no constant."""
    by_base = y * x.call("pow", y - 1.0) if needs[0] else None
    return by_base, value * x.call("log") if needs[1] else None


def angle_partials(y, x, value, needs):
    square = x * x + y * y
    return x / square, -(y / square)


for way in ("", "i"):
    define(getattr(operator, f"{way}add"), lambda a, b: a + b, lambda a, b, f, _: (1, 1), 2)
    define(getattr(operator, f"{way}sub"), lambda a, b: a - b, lambda a, b, f, _: (1, -1), 2)
    define(getattr(operator, f"{way}mul"), lambda a, b: a * b, lambda a, b, f, _: (b, a), 2)
    define(getattr(operator, f"{way}truediv"), lambda a, b: a / b, quotient_partials, 2)
define(operator.neg, lambda a: -a, lambda a, f: (-1,), 1)
define(
    number.fma,
    lambda a, b, c: a.call("llvm.fma.f64", b, c),
    lambda a, b, c, f, _: (b, a, 1),
    3,
)
define(number.root, root_of, lambda x, f: (0.5 / f,), 1, may_be_infinite=True)
define(functions.power, lambda x, y: x.call("pow", y), power_partials, 2, may_be_infinite=True)
define(functions.atan2, lambda y, x: y.call("atan2", x), angle_partials, 2, may_be_infinite=True)
SLOPES = {
    "exp": lambda x, f: f,
    "log": lambda x, f: 1.0 / x,
    "tan": lambda x, f: 1.0 + f * f,
    "asin": lambda x, f: 1.0 / root_of((1.0 - x) * (1.0 + x)),
    "acos": lambda x, f: -1.0 / root_of((1.0 - x) * (1.0 + x)),
    "atan": lambda x, f: 1.0 / (1.0 + x * x),
    "sinh": lambda x, f: x.call("cosh"),
    "cosh": lambda x, f: x.call("sinh"),
    "tanh": lambda x, f: (1.0 - f) * (1.0 + f),
    "asinh": lambda x, f: 1.0 / root_of(1.0 + x * x),
    "acosh": lambda x, f: 1.0 / root_of((x - 1.0) * (x + 1.0)),
    "atanh": lambda x, f: 1.0 / ((1.0 - x) * (1.0 + x)),
    "erf": lambda x, f: 1.1283791670955126 * (-(x * x)).call("exp"),  # 2/√π
}
for name, slope_of_value in SLOPES.items():
    define(
        getattr(functions, name),
        lambda x, name=name: x.call(name),
        lambda x, f, rule=slope_of_value: (rule(x, f),),
        1,
        may_be_infinite=name in ("log", "asin", "acos", "acosh", "atanh"),
    )


# ---- choices: slopes are taken along with the value, never multiplied by zero --------------------
def define_choice(function, arity: int, results: tuple[int, ...], code: Callable) -> None:
    """A function that chooses between its arguments `results` by a condition code(builder, values);
    of floats alone it is a float.
    """

    class Typing(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if len(args) != arity or dual not in args or not all(map(is_dual_or_plain, args)):
                return None
            has_slopes = any(args[k] is dual for k in results)
            return signature(dual if has_slopes else types.float64, *args)

    def lower(context, builder, sig, args):
        """Value and slopes by the same condition."""
        values = [
            take_apart(context, builder, t, v)[0] for t, v in zip(sig.args, args, strict=True)
        ]
        condition = code(builder, values)
        if sig.return_type is not dual:
            return builder.select(condition, *(values[k] for k in results))
        whole = [as_dual(context, builder, sig.args[k], args[k]) for k in results]
        parts = [
            builder.select(condition, *(builder.extract_value(each, place) for each in whole))
            for place in (0, 1)
        ]
        return put_together(builder, *parts)

    register(function, Typing, lower, arity)


def is_larger(word):
    """The first argument, where it is not a number or on this side of the second."""
    return lambda builder, v: builder.or_(
        builder.fcmp_ordered(word, v[0], v[1]), builder.fcmp_unordered("uno", v[0], v[0])
    )


define_choice(number.maximum, 2, (0, 1), is_larger(">"))
define_choice(functions.minimum, 2, (0, 1), is_larger("<"))
define_choice(
    number.where_less, 4, (2, 3), lambda builder, v: builder.fcmp_ordered("<", v[0], v[1])
)


def absolute_partials(x, f):
    builder = x.builder
    is_negative = builder.fcmp_ordered("<", x.code, ir.Constant(DOUBLE, 0.0))
    ends = (ir.Constant(DOUBLE, sign) for sign in (-1.0, 1.0))
    return (Term(builder, builder.select(is_negative, *ends)),)


define(number.absolute, lambda x: x.call("llvm.fabs.f64"), absolute_partials, 1)


# ---- functions of a dual that are floats ---------------------------------------------------------
def of_value(function):
    """The function of the value alone."""

    @overload(function, jit_options=INLINE_OPTIONS)
    def choose(x):
        return (lambda x: function(value_of(x))) if x is dual else None

    return choose


of_value(number.round_to_nearest)
of_value(number.floor)
of_value(functions.sign)


@overload(number.broadcast_like, jit_options=INLINE_OPTIONS)
def broadcast_like_dual(value, x):
    return (lambda value, x: with_slopes(value, 0.0)) if x is dual else None


# ---- between floats, lanes and duals -------------------------------------------------------------
@intrinsic
def with_slopes(context, value, slopes):
    """The dual of a value (or of another's value) whose derivatives are lanes, or a float for
    all.
    """

    def code(context, builder, sig, args):
        alone = take_apart(context, builder, value, args[0])[0]
        return put_together(builder, alone, as_vector(context, builder, slopes, args[1]))

    return dual(value, slopes), code


@intrinsic
def plus_slopes(context, x, change):
    """x with the derivatives of another dual added to its own; what the other's value takes to
    compute is left out of the code.
    """

    def code(context, builder, sig, args):
        value, own = take_apart(context, builder, x, args[0])
        added = builder.extract_value(as_dual(context, builder, change, args[1]), 1)
        return put_together(builder, value, added if own is None else builder.fadd(own, added))

    return dual(x, change), code


@intrinsic
def value_of(context, x):
    """The value of a dual; a float is its own."""

    def code(context, builder, sig, args):
        return take_apart(context, builder, x, args[0])[0]

    return types.float64(x), code


@intrinsic
def slopes_of(context, x):
    """The derivatives of a dual as lanes; those of a float are zero."""

    def code(context, builder, sig, args):
        return builder.extract_value(as_dual(context, builder, x, args[0]), 1)

    return lanes(x), code


@intrinsic
def slope_of(context, x, k):
    """Derivative k of a dual; of a float zero."""

    def code(context, builder, sig, args):
        slopes = builder.extract_value(as_dual(context, builder, x, args[0]), 1)
        return builder.extract_element(slopes, builder.trunc(args[1], INT32))

    return types.float64(x, types.intp), code


@intrinsic
def seed(context, x, k):
    """The dual of a float that is direction k: its own derivative along it is one."""

    def code(context, builder, sig, args):
        slopes = ir.Constant(VECTOR, [0.0] * WIDTH)
        one = ir.Constant(DOUBLE, 1.0)
        slopes = builder.insert_element(slopes, one, builder.trunc(args[1], INT32))
        return put_together(builder, args[0], slopes)

    return dual(types.float64, types.intp), code
