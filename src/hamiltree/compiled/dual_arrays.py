"""Dual numbers in arrays: records of a value and its slopes; rows of them, scratch on the stack,
and the code of users at duals.

Formulas are compiled for duals, so that their derivatives are exact. A user's Python function knows
floats only: its derivatives by every input are extrapolated differences.
"""

import numpy as np
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload

from hamiltree.compiled.callback import (
    Addresses,
    Request,
    address_array,
    callback,
    compile_all,
    emit_call,
    entry,
)
from hamiltree.compiled.duals import (
    DIRECTIONS,
    REGISTERS,
    Dual,
    as_dual,
    dual,
    put_together,
    seed,
    slope_of,
    slopes_of,
    take_apart,
    value_of,
    with_slopes,
)
from hamiltree.compiled.internals import INLINE_OPTIONS
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.lanes import DOUBLE, VECTOR
from hamiltree.compiled.number import add, load, number_in, row_pointer, size, store, type_of_value
from hamiltree.compiled.row_code import at_place, leaves, read_at
from hamiltree.compiled.stack import STACK_ARRAY_SIZE, stack_array
from hamiltree.compiled.user_code import (
    HAS_CODE,
    SCALAR,
    UserCallback,
    call_in_scratch,
    put,
    row_of,
    run_code,
)

RECORD = np.dtype([("value", float), ("slopes", float, (DIRECTIONS,))])
RECORD_TYPE = from_dtype(RECORD)
SLOPES_RECORD = np.dtype([("slopes", float, (DIRECTIONS,))])
SLOPES_TYPE = from_dtype(SLOPES_RECORD)
LEVELS = 6  # of the extrapolation of differences
TRIALS = 4  # with smaller steps, where a function changes faster
GOOD_ENOUGH = 1e-9  # doubt, in parts of the slope or of the value in units of the step
FIRST_STEP = 2.0**-4  # in units of the scale of an input
MAX_FLOATS = 256  # of scratch on the stack


def dual_rows(kind, n: int) -> np.ndarray:
    """Zeroed array for n values of a kind, of duals."""
    return np.zeros(n if kind is float else (n, size(kind)), RECORD)


def slope_rows(kind, n: int) -> np.ndarray:
    """Zeroed array for the slopes of n values of a kind: duals can be added, values are dropped,
    and what only they take to compute is left out of the code.
    """
    return np.zeros(n if kind is float else (n, size(kind)), SLOPES_RECORD)


def dual_array_type(axes: int):
    return types.Array(RECORD_TYPE, axes, "C")


def is_dual_array(numba_type) -> bool:
    return isinstance(numba_type, types.Array) and numba_type.dtype == RECORD_TYPE


def pointer_to_row(context, builder, array_type, array, row, length):
    data = context.make_array(array_type)(context, builder, array).data
    typed = builder.bitcast(data, REGISTERS.as_pointer())
    return builder.gep(typed, [builder.mul(row, row.type(length))])


# ---- rows ----------------------------------------------------------------------------------------
@intrinsic
def load_dual_row(context, array, i, kind):
    """Row i of an array as a dual or as a value of a kind."""
    kind_class = getattr(kind, "instance_class", float)
    result = type_of_value(kind_class, dual)
    length = size(kind_class)

    def code(context, builder, sig, args):
        """Read the numbers of the row in the order of the fields."""
        pointer = pointer_to_row(context, builder, array, args[0], args[1], length)
        places = iter(range(length))

        def read(numba_type):
            if numba_type is dual:
                return read_at(builder, pointer, next(places))
            parts = [read(part) for part in numba_type.types]
            return context.make_tuple(builder, numba_type, parts)

        return read(result)

    return result(array, types.intp, kind), code


def write_dual_row(array, x, accumulate):
    """Store a number or a value in a row, or add it to what is there."""

    def code(context, builder, sig, args):
        """Write the numbers of the value in the order of the fields."""
        values = [*leaves(builder, x, args[2])]
        pointer = pointer_to_row(context, builder, array, args[0], args[1], len(values))
        for k, (_, numba_type, value) in enumerate(values):
            whole = as_dual(context, builder, numba_type, value)
            if accumulate:
                parts = take_apart(context, builder, dual, whole)
                before = take_apart(context, builder, dual, read_at(builder, pointer, k))
                both = zip(before, parts, strict=True)
                whole = put_together(builder, *(builder.fadd(*each) for each in both))
            builder.store(whole, at_place(builder, pointer, k)).align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, x), code


store_dual_row = intrinsic(lambda context, array, i, x: write_dual_row(array, x, accumulate=False))
add_dual_row = intrinsic(lambda context, array, i, x: write_dual_row(array, x, accumulate=True))


@intrinsic
def add_slope_row(context, array, i, x):
    """Add the slopes of a number or a value to a row."""

    def code(context, builder, sig, args):
        """Floats have none."""
        values = [*leaves(builder, x, args[2])]
        data = context.make_array(array)(context, builder, args[0]).data
        pointer = builder.bitcast(data, VECTOR.as_pointer())
        pointer = builder.gep(pointer, [builder.mul(args[1], args[1].type(len(values)))])
        for k, (_, numba_type, value) in enumerate(values):
            if numba_type is dual:
                total = builder.fadd(read_at(builder, pointer, k), builder.extract_value(value, 1))
                builder.store(total, at_place(builder, pointer, k)).align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, x), code


@overload(load, jit_options=INLINE_OPTIONS)
def load_of_duals(array, i, kind=float):
    if not is_dual_array(array):
        return None
    if isinstance(kind, types.NamedTupleClass):
        return lambda array, i, kind=float: load_dual_row(array, i, kind)
    return lambda array, i, kind=float: load_dual_row(array, i, None)


@overload(store, jit_options=INLINE_OPTIONS)
def store_of_duals(array, i, x):
    return (lambda array, i, x: store_dual_row(array, i, x)) if is_dual_array(array) else None


@overload(add, jit_options=INLINE_OPTIONS)
def add_of_duals(array, i, x):
    if isinstance(array, types.Array) and array.dtype == SLOPES_TYPE:
        return lambda array, i, x: add_slope_row(array, i, x)
    return (lambda array, i, x: add_dual_row(array, i, x)) if is_dual_array(array) else None


# ---- on the stack --------------------------------------------------------------------------------
@infer_global(stack_array)
class TypingOfDualStackArray(AbstractTemplate):
    def generic(self, args, kws):
        return signature(dual_array_type(1), args[0], types.intp) if args[0] is dual else None


@lower_builtin(stack_array, Dual, types.Integer)
def lower_dual_stack_array(context, builder, sig, args):
    """Reserved on entry."""
    with builder.goto_entry_block():
        space = builder.alloca(REGISTERS, size=STACK_ARRAY_SIZE)
        space.align = 32
    return view_of_space(context, builder, sig.return_type, space, args[1], RECORD.itemsize)


def view_of_space(context, builder, array_type, space, rows, itemsize):
    """Space on the stack as an array."""
    array = context.make_array(array_type)(context, builder)
    array.data = builder.bitcast(space, array.data.type)
    array.shape = cgutils.pack_array(builder, [rows])
    array.strides = cgutils.pack_array(builder, [rows.type(itemsize)])
    array.nitems, array.itemsize = rows, rows.type(itemsize)
    array.meminfo, array.parent = (
        cgutils.get_null_value(getattr(array, name).type) for name in ("meminfo", "parent")
    )
    return array._getvalue()


# ---- the code of users ---------------------------------------------------------------------------
POINTER_SIGNATURE = (types.int64, types.CPointer(types.float64), *[types.CPointer(dual)] * 3)


@infer_global(put)
class TypingOfDualPut(AbstractTemplate):
    def generic(self, args, kws):
        pointer, _, x = args
        is_known = isinstance(pointer, types.CPointer) and pointer.dtype is dual and x is dual
        return signature(types.none, pointer, types.intp, x) if is_known else None


@lower_builtin(put, types.CPointer(dual), types.Integer, types.Any)
def lower_dual_put(context, builder, sig, args):
    value = as_dual(context, builder, sig.args[2], args[2])
    builder.store(value, builder.gep(args[0], [args[1]])).align = 8
    return context.get_dummy_value()


def with_dual_code(code: Addresses) -> Addresses:
    """A table of codes for duals: formulas compiled for them; Python functions as they are, with a
    mark that they are differenced.
    """
    dispatchers = [
        None if target is None or target.lanes is None else entry(target.scalar.original)
        for target in code.targets
    ]
    compile_all([Request(each, POINTER_SIGNATURE) for each in dispatchers if each is not None])
    made = [
        target
        if dispatcher is None
        else UserCallback(callback(dispatcher, *POINTER_SIGNATURE, is_users=True), target.lanes)
        for target, dispatcher in zip(code.targets, dispatchers, strict=True)
    ]
    return address_array([row_of(each) for each in made], made, 3)


@intrinsic
def call_with_duals(context, address, block, parameters, t, y, out, at):
    """Call a user's code at an address with t, y and out of duals."""
    number_in(parameters, 0)

    def code(context, builder, sig, args):
        """t on the stack, arrays by the address of their first number."""
        address, block, parameters_, t_, y_, out_, at_ = args
        slot = cgutils.alloca_once(builder, REGISTERS)
        builder.store(as_dual(context, builder, t, t_), slot).align = 8
        start = at_.type(0)
        constants = row_pointer(context, builder, parameters, parameters_, types.float64, start, 1)
        inputs = pointer_to_row(context, builder, y, y_, start, 1)
        outputs = pointer_to_row(context, builder, out, out_, at_, 1)
        emit_call(builder, address, [block, constants, slot, inputs, outputs])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, parameters, t, y, out, types.intp), code


# ---- differences of a function that knows floats only --------------------------------------------
def stack_floats(rows):
    """Scratch for at most MAX_FLOATS floats, gone when its function returns."""
    return np.zeros(rows)


@infer_global(stack_floats)
class TypingOfStackFloats(AbstractTemplate):
    def generic(self, args, kws):
        return signature(types.Array(types.float64, 1, "C"), types.intp)


@lower_builtin(stack_floats, types.Integer)
def lower_stack_floats(context, builder, sig, args):
    with builder.goto_entry_block():
        space = builder.alloca(DOUBLE, size=MAX_FLOATS)
    return view_of_space(context, builder, sig.return_type, space, args[0], 8)


@inlined
def evaluate_beside(code, row, block, scales, t, y, k, step, scratch):
    """The function at y + step · (slopes of y along direction k); its answers are in scratch."""
    n = y.shape[0]
    scratch[0] = value_of(t)
    for i in range(n):
        own = load(y, i)
        scratch[1 + i] = value_of(own) + step * slope_of(own, k)
    call_in_scratch(code[row, SCALAR], block, scales, scratch, n)


@inlined
def largest_slope(y, scales, k):
    """Of the inputs along direction k, in units of their scales."""
    found = 0.0
    for i in range(y.shape[0]):
        found = max(found, abs(slope_of(load(y, i), k)) / scales[i])
    return found


@inlined
def extrapolate(before, best, error, first, level, value):
    """A row of Richardson's table from the one before: what agrees best with its neighbours."""
    factor = 1.0
    for column in range(level + 1):
        old = before[first + column]
        before[first + column] = value
        if column < level:
            factor *= 4.0
            further = value + (value - old) / (factor - 1.0)
            doubt = max(abs(further - value), abs(further - old))
            if doubt < error:
                best, error = further, doubt
            value = further
    return best, error


@inlined
def is_good_enough(out, at, ahead, rows, reach):
    """Whether the slopes of all answers agree with themselves."""
    for j in range(rows):
        size = abs(ahead[rows + j]) + abs(value_of(load(out, at + j))) * reach
        if not ahead[2 * rows + j] <= GOOD_ENOUGH * size:
            return False
    return True


@outlined
def run_by_differences(code, row, block, scales, t, y, out, at, rows):
    """out and its slopes, along each direction by central differences with halved steps and
    Richardson's extrapolation. `scales` are those of the inputs.
    """
    scratch, n = stack_floats(1 + y.shape[0] + rows), y.shape[0]
    table, ahead = stack_floats(LEVELS * rows), stack_floats(3 * rows)
    evaluate_beside(code, row, block, scales, t, y, 0, 0.0, scratch)
    for j in range(rows):
        store(out, at + j, with_slopes(scratch[1 + n + j], 0.0))
    for k in range(DIRECTIONS):
        reach = largest_slope(y, scales, k)
        if reach == 0.0:
            continue
        step = FIRST_STEP / reach
        for j in range(rows):
            ahead[rows + j], ahead[2 * rows + j] = 0.0, np.inf
        for number in range(TRIALS * LEVELS):
            level = number % LEVELS
            if level == 0 and is_good_enough(out, at, ahead, rows, reach):
                break
            evaluate_beside(code, row, block, scales, t, y, k, step, scratch)
            for j in range(rows):
                ahead[j] = scratch[1 + n + j]
            evaluate_beside(code, row, block, scales, t, y, k, -step, scratch)
            for j in range(rows):
                slope = (ahead[j] - scratch[1 + n + j]) / (2.0 * step)
                best = extrapolate(
                    table, ahead[rows + j], ahead[2 * rows + j], LEVELS * j, level, slope
                )
                ahead[rows + j], ahead[2 * rows + j] = best
            step *= 0.5
        for j in range(rows):
            own = load(out, at + j)
            found = ahead[rows + j] if ahead[2 * rows + j] < np.inf else np.nan
            slopes = slopes_of(own) + slopes_of(seed(0.0, k)) * found
            store(out, at + j, with_slopes(own, slopes))


@overload(run_code, jit_options=INLINE_OPTIONS)
def run_code_of_duals(code, row, scratch, block, parameters, t, y, out, at, rows):
    """Formulas exactly, functions by differences: their parameters are scales."""
    if not is_dual_array(y):
        return None

    def run(code, row, scratch, block, parameters, t, y, out, at, rows):
        if code[row, HAS_CODE] == 2:
            call_with_duals(code[row, SCALAR], block, parameters, t, y, out, at)
        else:
            run_by_differences(code, row, block, parameters, t, y, out, at, rows)

    return run
