"""The number of the kernels: a float64, or four of them side by side in one SIMD register.

A kernel never says which. `load` is typed by the axes of the array: (n,) holds floats, (n, 4)
lanes; for a value of k numbers (n, k) and (n, k, 4). Everything after that is inference; floats and
lanes mix, the result is lanes.
Interpreted, a lane number is a NumPy array of four floats.

Rules: numbers enter and leave by `load`, `store`, `add` only; no branch on a number (`where_less`);
a variable keeps its kind (a number may begin as 0.0); sums of products say `fma`, so that floats
and lanes round alike, bit for bit.
"""

import math
from functools import cache

import numpy as np
from numba import types
from numba.core import cgutils, errors
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload

from hamiltree.compiled.internals import INLINE_OPTIONS
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.lanes import (
    COMPONENTS,
    INT32,
    WIDTH,
    TripleType,
    as_triple,
    as_vector,
    define_function,
    is_number,
    lanes,
    llvm_function,
)
from hamiltree.compiled.row_code import (
    LEAF_SIZES,
    leaves,
    read_at,
    read_triple,
    read_turned,
    write_at,
    write_triple,
)
from hamiltree.compiled.triples import Triple, Turned, is_triple, row_of

CACHE_LINE_FLOATS = 8  # floats in a cache line


# ---- elementary functions, for floats and lanes --------------------------------------------------
round_to_nearest = llvm_function(np.rint, "llvm.rint")
floor = llvm_function(np.floor, "llvm.floor")
root = llvm_function(np.sqrt, "llvm.sqrt")
absolute = llvm_function(np.abs, "llvm.fabs")
maximum = llvm_function(np.maximum, "llvm.maximum")  # a NaN stays a NaN
fma = llvm_function(lambda a, b, c: a * b + c, "llvm.fma")  # a b + c, rounded once


def broadcast_like(value, x):
    """The value as a number of the kind of x: a float, or the same in every lane."""
    return value + np.zeros_like(x)


define_function(broadcast_like, lambda builder, v: v[0])


def where_less(a, b, x, y):
    """x where a < b, else y, lane by lane: the only branch on a number."""
    return np.where(a < b, x, y)[()]


define_function(
    where_less, lambda builder, v: builder.select(builder.fcmp_ordered("<", v[0], v[1]), v[2], v[3])
)


LARGEST_ANGLE = 1e15  # beyond it an angle has no digits left for its sine: not a number


@inlined
def sincos(x):
    """Sine and cosine: multiples of π/2 taken off in three parts (Cody and Waite), two polynomials
    on |r| ≤ π/4, sorted by quadrant.
    """
    k = round_to_nearest(where_less(absolute(x), LARGEST_ANGLE, x, np.nan) * 0.63661977236758134308)
    r = fma(
        -k,
        2.02226624879595063154e-21,
        fma(-k, 6.07710050630396597660e-11, fma(-k, 1.57079632673412561417e00, x)),
    )
    z = r * r
    sine = fma(
        z,
        fma(z, 1.58969099521155010221e-10, -2.50507602534068634195e-08),
        2.75573137070700676789e-06,
    )
    sine = fma(z, fma(z, sine, -1.98412698298579493134e-04), 8.33333333332248946124e-03)
    sine = fma(r * z, fma(z, sine, -1.66666666666666324348e-01), r)
    cosine = fma(
        z,
        fma(z, -1.13596475577881948265e-11, 2.08757232129817482790e-09),
        -2.75573143513906633035e-07,
    )
    cosine = fma(z, fma(z, cosine, 2.48015872894767294178e-05), -1.38888888888741095749e-03)
    cosine = fma(z * z, fma(z, cosine, 4.16666666666666019037e-02), fma(-0.5, z, 1.0))
    quadrant = fma(-4.0, floor(k * 0.25), k)
    odd = fma(-2.0, floor(quadrant * 0.5), quadrant)
    s, c = where_less(odd, 0.5, sine, cosine), where_less(odd, 0.5, cosine, sine)
    from_middle = (quadrant - 1.5) * (quadrant - 1.5)  # quadrants 1 and 2 have a negative cosine
    return where_less(quadrant, 1.5, s, -s), where_less(from_middle, 1.0, -c, c)


# ---- across lanes: for integrators only ----------------------------------------------------------
@intrinsic
def extract_lane(context, x, k):
    """Lane k of a number; a float is its own lane."""

    def code(context, builder, sig, args):
        return (
            builder.extract_element(args[0], builder.trunc(args[1], INT32))
            if sig.args[0] is lanes
            else args[0]
        )

    return types.float64(x, types.intp), code


def lane(x, k):
    """Lane k as a float."""
    return x[k] if np.ndim(x) else x


@overload(lane, jit_options=INLINE_OPTIONS)
def compiled_lane(x, k):
    return lambda x, k: extract_lane(x, k)


def width_index(number):
    """0 for a float, 1 for lanes."""
    return int(np.ndim(number) > 0)


@overload(width_index, jit_options=INLINE_OPTIONS)
def compiled_width_index(number):
    place = int(number is lanes)
    return lambda number: place


# ---- values in arrays: one row per value ---------------------------------------------------------
def fields(kind) -> tuple:
    return tuple(kind.__annotations__.values())


def size(kind, is_lanes: bool = False) -> int:
    """How many numbers a value of this kind takes in a row."""
    if kind in LEAF_SIZES:
        return LEAF_SIZES[kind][is_lanes]
    return sum(size(part, is_lanes) for part in fields(kind))


def value_table(kind, values) -> np.ndarray:
    """A read-only table of values of a kind, one in each row: their numbers in the order of the
    fields (Sym3 by its upper triangle, Mat3 by its columns). A compiled `load` does not see that a
    row is too short; this does.
    """
    table = [list(value) for value in values]
    wrong = next((row for row in table if len(row) != size(kind)), None)
    if wrong is not None:
        raise ValueError(
            f"a row of {len(wrong)} numbers is no {kind.__name__}, which has {size(kind)}"
        )
    return read_only(np.array(table, dtype=float).reshape(-1, size(kind)))


def read_only(values) -> np.ndarray:
    """A C-contiguous table of a System: a kernel that writes to it does not compile."""
    table = np.array(values, order="C")
    table.flags.writeable = False
    return table


@cache
def row_shape(kind, width: int) -> tuple[int, ...]:
    """The axes behind the first of an array of values of a kind."""
    own = () if kind is float else (size(kind, width > 1),)
    return own if width == 1 else (*own, width)


def rows(kind, n: int, width: int) -> np.ndarray:
    """Zeroed array for n values of a kind: of floats (width 1) or of lanes (width 4); on a cache
    line, where lanes load fastest.
    """
    shape = (n, *row_shape(kind, width))
    count = math.prod(shape)
    buffer = np.zeros(count + CACHE_LINE_FLOATS - 1)
    skipped = -(buffer.__array_interface__["data"][0] // buffer.itemsize) % CACHE_LINE_FLOATS
    return buffer[skipped : skipped + count].reshape(shape)


def number_in(array, value_axes):
    """Floats or lanes, by the number of axes."""
    if not isinstance(array, types.Array) or array.layout != "C" or array.dtype != types.float64:
        raise errors.TypingError(
            f"kernels keep numbers in C-contiguous float64 arrays, not in {array}"
        )
    return {0: types.float64, 1: lanes}[array.ndim - 1 - value_axes]


def row_pointer(context, builder, array_type, array, number, row, length):
    data = context.make_array(array_type)(context, builder, array).data
    typed = builder.bitcast(data, context.get_value_type(number).as_pointer())
    return builder.gep(typed, [builder.mul(row, row.type(length))])


def type_of_value(kind, number):
    """The Numba type of a value of a kind, of floats or lanes."""
    if kind is float:
        return number
    if kind is Triple:
        return TripleType.of(number)
    return types.BaseTuple.from_types([type_of_value(k, number) for k in fields(kind)], kind)


@intrinsic
def load_row(context, array, i, kind):
    """Row i of an array as a number or as a value of a kind."""
    kind_class = getattr(kind, "instance_class", float)
    number = number_in(array, int(kind_class is not float))
    result = type_of_value(kind_class, number)
    length = size(kind_class, number is lanes)

    def code(context, builder, sig, args):
        """Read the numbers of the row in the order of the fields."""
        pointer = row_pointer(context, builder, array, args[0], number, args[1], length)
        place = 0

        def read(kind, t):
            """A value of a kind at the place that is reached."""
            nonlocal place
            at = place
            if kind in LEAF_SIZES:
                place += size(kind, number is lanes)
            if kind is float:
                return read_at(builder, pointer, at)
            if kind is Triple:
                return read_triple(builder, pointer, at)
            if kind is Turned:
                return context.make_tuple(builder, t, read_turned(builder, pointer, at))
            parts = zip(fields(kind), t.types, strict=True)
            return context.make_tuple(builder, t, [read(k, part) for k, part in parts])

        return read(kind_class, result)

    return result(array, types.intp, kind), code


def write_row(array, x, accumulate):
    """Store a number or a value in a row, or add it to what is there."""
    if isinstance(array, types.Array) and not array.mutable:
        raise errors.TypingError(f"a table is never written: {array}")
    number = number_in(array, int(not is_number(x)))

    def code(context, builder, sig, args):
        """Write the numbers of the value in the order of the fields; a float goes to all lanes."""
        values = [*leaves(builder, x, args[2])]
        length = sum(LEAF_SIZES[kind][number is lanes] for kind, *_ in values)
        pointer = row_pointer(context, builder, array, args[0], number, args[1], length)
        k = 0
        for kind, t, value in values:
            if kind is float:
                value = as_vector(context, builder, t, value) if number is lanes else value
                write_at(builder, pointer, k, value, accumulate)
            else:
                target = TripleType.of(number)
                registers = as_triple(context, builder, t, value, target)
                write_triple(builder, pointer, k, registers, accumulate)
            k += LEAF_SIZES[kind][number is lanes]
        return context.get_dummy_value()

    return types.void(array, types.intp, x), code


store_row = intrinsic(lambda context, array, i, x: write_row(array, x, accumulate=False))
add_row = intrinsic(lambda context, array, i, x: write_row(array, x, accumulate=True))


def load(array, i, kind=float):
    """Number i of an array, or the value of the given kind in row i."""
    if kind is float:
        return np.copy(array[i])[()]
    is_lanes = array.ndim == 3
    length = size(kind, is_lanes)
    assert array.shape[1] == length, f"a row of {array.shape[1]} numbers is no {kind.__name__}"
    numbers = iter(np.copy(array[i]))

    def build(k):
        if k is float:
            return next(numbers)
        if k in LEAF_SIZES:
            whole = np.array([next(numbers) for _ in range(size(k, is_lanes))])[:COMPONENTS]
            whole = whole.reshape(COMPONENTS, -1)
            return whole if k is Triple else Turned(whole, whole[[1, 2, 0]], whole[[2, 0, 1]])
        return k(*map(build, fields(k)))

    return build(kind)


def store(array, i, x):
    """Put a number or a value into row i; a plain float goes to all lanes."""
    for place, number in places(array, i, x):
        array[place] = number


def add(array, i, x):
    """Add a number or a value to row i."""
    for place, number in places(array, i, x):
        array[place] += number


def places(array, i, x):
    """Where each number of a value goes in row i."""
    if not isinstance(x, tuple) and not is_triple(x):
        return [(i, x)]
    numbers = flatten(x, is_lanes=array.ndim == 3)
    assert array.shape[1] == len(numbers), (
        f"a row of {array.shape[1]} numbers holds no {type(x).__name__}"
    )
    return [((i, k), number) for k, number in enumerate(numbers)]


def flatten(value, is_lanes: bool = False) -> list:
    """The numbers of an interpreted value in the order in which a row has them."""
    if isinstance(value, Turned):
        value = value.a
    if isinstance(value, tuple):
        return [number for part in value for number in flatten(part, is_lanes)]
    if is_triple(value):
        x, y, z = (row_of(value, k) for k in range(COMPONENTS))
        return [x, y, z] if is_lanes else [x, y, z, x]
    return [value]


@overload(load, jit_options=INLINE_OPTIONS)
def compiled_load(array, i, kind=float):
    if isinstance(kind, types.NamedTupleClass):
        return lambda array, i, kind=float: load_row(array, i, kind)
    return lambda array, i, kind=float: load_row(array, i, None)


@overload(store, jit_options=INLINE_OPTIONS)
def compiled_store(array, i, x):
    return lambda array, i, x: store_row(array, i, x)


@overload(add, jit_options=INLINE_OPTIONS)
def compiled_add(array, i, x):
    return lambda array, i, x: add_row(array, i, x)


# ---- blocks: an array of floats taken four at a time, where rows are independent -----------------
def padded_length(n: int) -> int:
    """The length of an array that is taken in blocks."""
    return -(-n // WIDTH) * WIDTH


def block_count(array, n: int) -> int:
    """How many blocks hold the first n numbers of a padded array: four floats are one."""
    return -(-n // WIDTH) if array.ndim == 1 else n


def whole_blocks(array) -> int:
    """How many blocks an array holds that need not be padded."""
    return array.shape[0] // WIDTH if array.ndim == 1 else array.shape[0]


def rows_after_blocks(array) -> int:
    """How many of its last rows are in none of them: at most three floats."""
    return array.shape[0] % WIDTH if array.ndim == 1 else 0


def load_block(array, k):
    """Number k of a padded array: floats 4k to 4k + 3 as lanes, or the lanes of row k."""
    return np.copy(array[WIDTH * k : WIDTH * k + WIDTH] if array.ndim == 1 else array[k])


def store_block(array, k, x):
    if array.ndim == 1:
        array[WIDTH * k : WIDTH * k + WIDTH] = x
    else:
        array[k] = x


@overload(block_count, jit_options=INLINE_OPTIONS)
def compiled_block_count(array, n):
    if array.ndim == 1:
        return lambda array, n: (n + WIDTH - 1) // WIDTH
    return lambda array, n: n


@overload(whole_blocks, jit_options=INLINE_OPTIONS)
def compiled_whole_blocks(array):
    if array.ndim == 1:
        return lambda array: array.shape[0] // WIDTH
    return lambda array: array.shape[0]


@overload(rows_after_blocks, jit_options=INLINE_OPTIONS)
def compiled_rows_after_blocks(array):
    if array.ndim == 1:  # so that LLVM sees how few they are
        return lambda array: array.shape[0] & (WIDTH - 1)
    return lambda array: 0


def block_pointer(context, builder, array_type, array, k):
    return row_pointer(context, builder, array_type, array, lanes, k, 1)


@intrinsic
def load_block_row(context, array, k):
    number_in(array, 0)

    def code(context, builder, sig, args):
        return read_at(builder, block_pointer(context, builder, array, args[0], args[1]), 0)

    return lanes(array, types.intp), code


@intrinsic
def store_block_row(context, array, k, x):
    number_in(array, 0)

    def code(context, builder, sig, args):
        builder.store(args[2], block_pointer(context, builder, array, args[0], args[1])).align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, lanes), code


@overload(load_block, jit_options=INLINE_OPTIONS)
def compiled_load_block(array, k):
    return lambda array, k: load_block_row(array, k)


@overload(store_block, jit_options=INLINE_OPTIONS)
def compiled_store_block(array, k, x):
    return lambda array, k, x: store_block_row(array, k, x)


# ---- parts of arrays -----------------------------------------------------------------------------
def part(array, k):
    """Row k of a C-contiguous array as an array of one axis less, without a copy."""
    return array[k]


@infer_global(part)
class TypingOfPart(AbstractTemplate):
    """Typed by itself, not as an overload: without run-time memory no compiled function may return
    an array.
    """

    def generic(self, args, kws):
        """An array of one axis less; read-only if the whole is."""
        array, _ = args
        if not isinstance(array, types.Array) or array.layout != "C" or array.ndim < 2:
            raise errors.TypingError(
                f"parts are taken of C-contiguous arrays of two axes or more, not of {array}"
            )
        return signature(
            types.Array(array.dtype, array.ndim - 1, "C", readonly=not array.mutable),
            array,
            types.intp,
        )


@lower_builtin(part, types.Array, types.Integer)
def view_of_row(context, builder, sig, args):
    """Row k of the array: its data begin k rows further, its first axis is gone."""
    whole = context.make_array(sig.args[0])(context, builder, args[0])
    view = context.make_array(sig.return_type)(context, builder)
    shape, strides = (
        cgutils.unpack_tuple(builder, getattr(whole, name))[1:] for name in ("shape", "strides")
    )
    length = shape[0]
    for extent in shape[1:]:
        length = builder.mul(length, extent)
    view.data = builder.gep(whole.data, [builder.mul(args[1], length)])
    view.shape = cgutils.pack_array(builder, shape)
    view.strides = cgutils.pack_array(builder, strides)
    view.nitems, view.itemsize = length, whole.itemsize
    view.meminfo, view.parent = (
        cgutils.get_null_value(getattr(view, name).type) for name in ("meminfo", "parent")
    )
    return view._getvalue()
