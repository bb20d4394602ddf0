"""Numbers on the stack and lane by lane: scratch for the arguments of a call, and loops where a
number must choose.
"""

import numpy as np
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, overload

from hamiltree.compiled.internals import INLINE_OPTIONS
from hamiltree.compiled.lanes import DOUBLE, VECTOR, WIDTH, is_number, lanes

# ---- arrays on the stack -------------------------------------------------------------------------
STACK_ARRAY_SIZE = 40  # numbers


def stack_array(x, rows):
    """An array of `rows` numbers (at most STACK_ARRAY_SIZE) of the kind of x, for inputs and
    outputs of a call; gone when its function returns.
    """
    assert rows <= STACK_ARRAY_SIZE, f"a stack array holds {STACK_ARRAY_SIZE} numbers, not {rows}"
    return np.zeros((rows, *np.shape(x)))


@infer_global(stack_array)
class TypingOfStackArray(AbstractTemplate):
    def generic(self, args, kws):
        x, _ = args
        return (
            signature(types.Array(types.float64, 2 if x is lanes else 1, "C"), x, types.intp)
            if is_number(x)
            else None
        )


@lower_builtin(stack_array, types.Any, types.Integer)
def lower_stack_array(context, builder, sig, args):
    """Reserved on entry, so that a loop does not reserve it again and again."""
    of_lanes, rows = sig.args[0] is lanes, args[1]
    with builder.goto_entry_block():
        space = builder.alloca(VECTOR if of_lanes else DOUBLE, size=STACK_ARRAY_SIZE)
        space.align = 32
    width = rows.type(WIDTH if of_lanes else 1)
    strides = [rows.type(8 * WIDTH), rows.type(8)] if of_lanes else [rows.type(8)]
    array = context.make_array(sig.return_type)(context, builder)
    array.data = builder.bitcast(space, DOUBLE.as_pointer())
    array.shape = cgutils.pack_array(builder, [rows, width] if of_lanes else [rows])
    array.strides = cgutils.pack_array(builder, strides)
    array.nitems, array.itemsize = builder.mul(rows, width), rows.type(8)
    array.meminfo, array.parent = (
        cgutils.get_null_value(getattr(array, name).type) for name in ("meminfo", "parent")
    )
    return array._getvalue()


# ---- lanes one by one, where a number must choose ------------------------------------------------
def lane_count(x):
    """How many floats a number holds: one, or WIDTH."""
    return WIDTH if np.ndim(x) else 1


@overload(lane_count, jit_options=INLINE_OPTIONS)
def compiled_lane_count(x):
    return (lambda x: WIDTH) if x is lanes else (lambda x: 1)


def store_lane(array, i, k, value):
    """Lane k of number i."""
    if array.ndim == 1:
        array[i] = value
    else:
        array[i, k] = value


@overload(store_lane, jit_options=INLINE_OPTIONS)
def compiled_store_lane(array, i, k, value):
    def into_float(array, i, k, value):
        array[i] = value

    def into_lane(array, i, k, value):
        array[i, k] = value

    return into_float if array.ndim == 1 else into_lane
