"""The types of numbers as Numba's compiler sees them, with their arithmetic: lanes, four floats
side by side in one SIMD register, and triples, three numbers that are computed on together.

A triple of floats is one register (x, y, z, x): its fourth place repeats the first, so that cyclic
turns are cheap (triples.py). A triple of lanes is three registers.
"""

import operator
from itertools import product

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

WIDTH = 4
DOUBLE, INT32 = ir.DoubleType(), ir.IntType(32)
VECTOR = ir.VectorType(DOUBLE, WIDTH)
PAIR = ir.VectorType(DOUBLE, 2)  # half a register


# ---- the lane type -------------------------------------------------------------------------------
class Lanes(types.Type):
    """Four floats that are computed on together."""

    def __init__(self):
        super().__init__(name=f"lanes{WIDTH}")

    def unify(self, typingctx, other):
        return self if isinstance(other, types.Float) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if isinstance(other, types.Float) else None


lanes = Lanes()


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, VECTOR)


def is_number(numba_type) -> bool:
    return isinstance(numba_type, (types.Float, Lanes))


# ---- the triple types ----------------------------------------------------------------------------
class TripleType(types.Type):
    """Three numbers x, y, z, computed on component by component."""

    def __init__(self, number):
        self.number = number
        super().__init__(name=f"triple of {number}")

    @staticmethod
    def of(number) -> "TripleType":
        """The triple of floats or of lanes."""
        return LANES_TRIPLE if number is lanes else FLOAT_TRIPLE

    def unify(self, typingctx, other):
        """With a number, or with the triple of the other kind: the wider one."""
        others = (types.Float, Lanes, TripleType)
        return triple_type(self, other) if isinstance(other, others) else None

    def can_convert_from(self, typingctx, other):
        return Conversion.safe if self.unify(typingctx, other) is self else None


FLOAT_TRIPLE, LANES_TRIPLE = TripleType(types.float64), TripleType(lanes)
COMPONENTS = 3


def triple_type(*numba_types) -> TripleType:
    """The triple that values of these types make together."""
    return LANES_TRIPLE if {lanes, LANES_TRIPLE} & {*numba_types} else FLOAT_TRIPLE


@register_model(TripleType)
class TripleModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        model = VECTOR if numba_type is FLOAT_TRIPLE else ir.ArrayType(VECTOR, COMPONENTS)
        super().__init__(manager, numba_type, model)


def take_apart(builder, value) -> list:
    """The registers of a triple."""
    if value.type == VECTOR:
        return [value]
    return [builder.extract_value(value, k) for k in range(COMPONENTS)]


def put_together(builder, registers):
    """A triple of its registers."""
    if len(registers) == 1:
        return registers[0]
    value = ir.Constant(ir.ArrayType(VECTOR, COMPONENTS), ir.Undefined)
    for k, register in enumerate(registers):
        value = builder.insert_value(value, register, k)
    return value


def as_triple(context, builder, numba_type, value, target) -> list:
    """The registers of a triple of the type `target`: a number is in all of its components."""
    if numba_type is target:
        return take_apart(builder, value)
    if numba_type is FLOAT_TRIPLE:
        apart = [builder.extract_element(value, INT32(k)) for k in range(COMPONENTS)]
        return [as_vector(context, builder, types.float64, number) for number in apart]
    vector = as_vector(context, builder, numba_type, value)
    return [vector] * (1 if target is FLOAT_TRIPLE else COMPONENTS)


@lower_cast(types.Float, TripleType)
@lower_cast(Lanes, TripleType)
@lower_cast(TripleType, TripleType)
def cast_to_triple(context, builder, source, target, value):
    return put_together(builder, as_triple(context, builder, source, value, target))


# ---- arithmetic ----------------------------------------------------------------------------------
def apply(context, builder, sig, values, code):
    """A function of numbers for values of any type: code(registers) for each component."""
    result = sig.return_type
    if isinstance(result, TripleType):
        parts = [
            as_triple(context, builder, t, v, result) for t, v in zip(sig.args, values, strict=True)
        ]
        return put_together(builder, [code(list(each)) for each in zip(*parts, strict=True)])
    if result is lanes:
        values = [as_vector(context, builder, t, v) for t, v in zip(sig.args, values, strict=True)]
    return code(values)


def result_type(numba_types):
    """Triples if any is a triple, else lanes if any is lanes; None if none is either."""
    if any(isinstance(t, TripleType) for t in numba_types):
        return triple_type(*numba_types)
    return lanes if lanes in numba_types else None


def as_vector(context, builder, numba_type, value):
    """Lanes as they are; a scalar copied to every lane."""
    if isinstance(numba_type, Lanes):
        return value
    scalar = context.cast(builder, value, numba_type, types.float64)
    first = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), scalar, INT32(0))
    return builder.shuffle_vector(
        first, first, ir.Constant(ir.VectorType(INT32, WIDTH), [0] * WIDTH)
    )


@lower_cast(types.Float, Lanes)
def cast_to_lanes(context, builder, source, target, value):
    return as_vector(context, builder, source, value)


def define_operator(python_operator, instruction, arity):
    """Arithmetic of lanes and triples with each other, floats and integers by one LLVM
    instruction.
    """

    @infer_global(python_operator)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            """Numbers of all kinds; floats alone are Numba's own."""
            known = (types.Float, types.Integer, Lanes, TripleType)
            plain = all(isinstance(a, known) for a in args)
            result = result_type(args) if plain else None
            return None if result is None else signature(result, *args)

    def lower(context, builder, sig, args):
        return apply(
            context, builder, sig, args, lambda values: getattr(builder, instruction)(*values)
        )

    ours, others = (Lanes, TripleType), (types.Float, types.Integer)
    pairs = [
        *product(ours, ours),
        *product(ours, others),
        *product(others, ours),
    ]
    for kinds in pairs if arity == 2 else [(kind,) for kind in ours]:
        lower_builtin(python_operator, *kinds)(lower)


for word, code in {"add": "fadd", "sub": "fsub", "mul": "fmul", "truediv": "fdiv"}.items():
    define_operator(getattr(operator, word), code, 2)
    define_operator(getattr(operator, "i" + word), code, 2)
define_operator(operator.neg, "fneg", 1)


# ---- elementary functions of numbers -------------------------------------------------------------
def define_function(function, code):
    """Give a Python function of numbers its meaning in kernels: lanes if any argument is lanes."""

    class Typing(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if all(is_number(a) or isinstance(a, TripleType) for a in args):
                return signature(result_type(args) or types.float64, *args)
            return None

    def lower(context, builder, sig, values):
        return apply(context, builder, sig, values, lambda numbers: code(builder, numbers))

    infer_global(function, types.Function(Typing))
    lower_builtin(function, types.VarArg(types.Any))(lower)
    return function


def llvm_function(python_function, llvm_name):
    """An LLVM intrinsic, which exists for doubles and for vectors of them."""

    def code(builder, values):
        kind = values[0].type
        name = f"{llvm_name}.{'f64' if kind == DOUBLE else f'v{WIDTH}f64'}"
        called = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(kind, [kind] * len(values)), name
        )
        return builder.call(called, values)

    return define_function(lambda *args: python_function(*args), code)
