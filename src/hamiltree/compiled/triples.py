"""Three numbers computed on together: in one SIMD register for one state, in three for four states
in lanes.

A triple of floats is the register (x, y, z, x). Arithmetic and `fma` act on all components and keep
the fourth place right; a number goes to all components. The rest is here: cyclic turns, sums, and
what becomes of numbers. The same operations in the same order for floats and lanes: equal bits.
Interpreted, a triple is a NumPy array of three rows, of one number or of four.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from hamiltree.compiled.lanes import (
    COMPONENTS,
    FLOAT_TRIPLE,
    INT32,
    LANES_TRIPLE,
    VECTOR,
    WIDTH,
    TripleType,
    as_vector,
    is_number,
    lanes,
    put_together,
    take_apart,
)


class Triple(NamedTuple):
    """A kind for `load` and `rows`; what is loaded is a triple."""

    x: float
    y: float
    z: float


class Turned(NamedTuple):
    """A triple with its cyclic turns. In memory it is a triple: turns are loaded, not computed."""

    a: Triple
    next: Triple  # y, z, x
    last: Triple  # z, x, y


def is_triple(value) -> bool:
    """Whether an interpreted value is a triple."""
    return np.ndim(value) == 2


def row_of(a, k):
    """Component k of an interpreted triple as a number."""
    return a[k, 0] if a.shape[1] == 1 else a[k]


# ---- shuffles of a register ----------------------------------------------------------------------
NAMES_WITH_AVX2 = ("x86-64-v3", "x86-64-v4")


def has_avx2() -> bool:
    """Whether code is made for a processor whose registers have four floats."""
    host = llvm.get_host_cpu_name()
    name, features = config.CPU_NAME or host, config.CPU_FEATURES or ""
    if "-avx2" in features or "+avx2" in features:
        return "+avx2" in features
    if name == host:
        return bool(llvm.get_host_cpu_features().get("avx2", False))
    return name in NAMES_WITH_AVX2


def shuffle(builder, a, b, *places):
    return builder.shuffle_vector(
        a, b, ir.Constant(ir.VectorType(INT32, len(places)), list(places))
    )


def swap_halves(builder, a):
    """(x, y, z, x) as (z, x, x, y). LLVM makes a slow permutation of a shuffle of one register, and
    one fast instruction of a shuffle of two; the fence keeps it from seeing that they are the same.
    """
    fence = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(VECTOR, [VECTOR]), "llvm.arithmetic.fence.v4f64"
    )
    return shuffle(builder, a, builder.call(fence, [a]), 2, 3, 4, 5)


def turn_register(builder, a):
    if has_avx2():
        return shuffle(builder, a, swap_halves(builder, a), 1, 4, 3, 7)
    return shuffle(builder, a, a, 1, 2, 0, 1)


def turn_register_back(builder, a):
    if has_avx2():
        return shuffle(builder, swap_halves(builder, a), a, 0, 4, 3, 6)
    return shuffle(builder, a, a, 2, 0, 1, 2)


def sum_register(builder, a):
    """(x + z) + y"""
    x, y, z = (builder.extract_element(a, INT32(k)) for k in range(COMPONENTS))
    return builder.fadd(builder.fadd(x, z), y)


# ---- operations ----------------------------------------------------------------------------------
def define_operation(function, result, code):
    """A function of one triple in kernels: result(type of the triple), code(builder, registers)."""

    class Typing(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            if len(args) == 1 and (isinstance(args[0], TripleType) or is_number(args[0])):
                made = result(args[0])
                return None if made is None else signature(made, *args)
            return None

    def lower(context, builder, sig, values):
        if is_number(sig.args[0]):
            return values[0]
        return code(builder, take_apart(builder, values[0]))

    infer_global(function, types.Function(Typing))
    lower_builtin(function, types.Any)(lower)
    return function


def same(numba_type):
    return numba_type if isinstance(numba_type, TripleType) else None


def turn(a):
    """(y, z, x)"""
    return a[[1, 2, 0]]


def turn_back(a):
    """(z, x, y)"""
    return a[[2, 0, 1]]


def total(a):
    """x + y + z as a number, in an order that suits a register."""
    return (row_of(a, 0) + row_of(a, 2)) + row_of(a, 1)


def total_with(a, number):
    """x + y + z + number: one addition less to wait for than after another."""
    return (row_of(a, 0) + row_of(a, 2)) + (row_of(a, 1) + number)


def first(a):
    """The first component as a number; a number is its own."""
    return row_of(a, 0) if is_triple(a) else a


def zero_like(a):
    """Zeros of the same kind."""
    return 0.0 * a


def second(a):
    return row_of(a, 1)


def third(a):
    return row_of(a, 2)


define_operation(
    turn,
    same,
    lambda builder, r: (
        turn_register(builder, r[0]) if len(r) == 1 else put_together(builder, [r[1], r[2], r[0]])
    ),
)
define_operation(
    turn_back,
    same,
    lambda builder, r: (
        turn_register_back(builder, r[0])
        if len(r) == 1
        else put_together(builder, [r[2], r[0], r[1]])
    ),
)
define_operation(
    total,
    lambda t: t.number if isinstance(t, TripleType) else None,
    lambda builder, r: (
        sum_register(builder, r[0]) if len(r) == 1 else builder.fadd(builder.fadd(r[0], r[2]), r[1])
    ),
)


define_operation(
    zero_like,
    same,
    lambda builder, r: put_together(builder, [ir.Constant(VECTOR, [0.0] * WIDTH)] * len(r)),
)


@infer_global(total_with)
class TypingOfTotalWith(AbstractTemplate):
    def generic(self, args, kws):
        """A number of the wider kind."""
        if len(args) == 2 and isinstance(args[0], TripleType) and is_number(args[1]):
            return signature(lanes if lanes in (args[0].number, args[1]) else types.float64, *args)
        return None


@lower_builtin(total_with, TripleType, types.Any)
def sum_with_number(context, builder, sig, args):
    """(x + z) + (y + number)"""
    registers = take_apart(builder, args[0])
    x, y, z = (component(k)(builder, registers) for k in range(COMPONENTS))
    number = context.cast(builder, args[1], sig.args[1], sig.return_type)
    return builder.fadd(builder.fadd(x, z), builder.fadd(y, number))


def component(k):
    """Code for one component of a triple."""
    return lambda builder, r: builder.extract_element(r[0], INT32(k)) if len(r) == 1 else r[k]


for place, function in enumerate((first, second, third)):
    define_operation(
        function, lambda t: t.number if isinstance(t, TripleType) else t, component(place)
    )


def diagonal(a, b, c):
    """(a.x, b.y, c.z)"""
    return np.array(np.broadcast_arrays(a[0], b[1], c[2]))


@infer_global(diagonal)
class TypingOfDiagonal(AbstractTemplate):
    def generic(self, args, kws):
        """Of three triples of one kind."""
        kinds = {*args}
        if len(args) == COMPONENTS and len(kinds) == 1 and isinstance(args[0], TripleType):
            return signature(args[0], *args)
        return None


@lower_builtin(diagonal, TripleType, TripleType, TripleType)
def take_diagonal(context, builder, sig, args):
    """Two blends of registers; of lanes the registers themselves."""
    a, b, c = args
    if sig.return_type is LANES_TRIPLE:
        parts = (take_apart(builder, value)[k] for k, value in enumerate(args))
        return put_together(builder, [*parts])
    return shuffle(builder, shuffle(builder, a, b, 0, 5, 2, 3), c, 0, 1, 6, 3)


def triple(x, y, z):
    """Three numbers as a triple."""
    return np.array(np.broadcast_arrays(x, y, z)).reshape(COMPONENTS, -1)


@infer_global(triple)
class TypingOfTriple(AbstractTemplate):
    def generic(self, args, kws):
        if len(args) == COMPONENTS and all(map(is_number, args)):
            return signature(LANES_TRIPLE if lanes in args else FLOAT_TRIPLE, *args)
        return None


@lower_builtin(triple, types.VarArg(types.Any))
def make_triple(context, builder, sig, args):
    """Put numbers side by side, the first once more at the end."""
    if sig.return_type is LANES_TRIPLE:
        numbers = zip(sig.args, args, strict=True)
        return put_together(builder, [as_vector(context, builder, t, v) for t, v in numbers])
    value = ir.Constant(VECTOR, ir.Undefined)
    numbers = [
        context.cast(builder, v, t, types.float64) for t, v in zip(sig.args, args, strict=True)
    ]
    for k, number in enumerate([*numbers, numbers[0]]):
        value = builder.insert_element(value, number, INT32(k))
    return value
