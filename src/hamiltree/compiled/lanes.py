"""The lane type: four floats side by side in one SIMD register, with their arithmetic, as Numba's
compiler sees them.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

WIDTH = 4
DOUBLE, INT32 = ir.DoubleType(), ir.IntType(32)
VECTOR = ir.VectorType(DOUBLE, WIDTH)


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
    """Arithmetic of lanes with lanes, floats and integers by one LLVM instruction."""

    @infer_global(python_operator)
    class Typing(AbstractTemplate):
        def generic(self, args, kws):
            plain = all(isinstance(a, (types.Float, types.Integer, Lanes)) for a in args)
            return signature(lanes, *args) if plain and lanes in args else None

    def lower(context, builder, sig, args):
        vectors = [as_vector(context, builder, t, a) for t, a in zip(sig.args, args, strict=True)]
        return getattr(builder, instruction)(*vectors)

    others = (types.Float, types.Integer)
    pairs = [(Lanes, Lanes), *((Lanes, o) for o in others), *((o, Lanes) for o in others)]
    for kinds in pairs if arity == 2 else [(Lanes,)]:
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
            if all(map(is_number, args)):
                return signature(lanes if lanes in args else types.float64, *args)
            return None

    def lower(context, builder, sig, values):
        if sig.return_type is lanes:
            values = [
                as_vector(context, builder, t, v) for t, v in zip(sig.args, values, strict=True)
            ]
        return code(builder, values)

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
