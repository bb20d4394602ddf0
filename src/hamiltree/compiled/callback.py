"""Functions behind addresses: the one way to call what a kernel was compiled without.

Verbs, force laws and a user's code are compiled by themselves and called by their address, so that
one loop of integrators serves every formulation, one more law compiles nothing else, and compiling
is a sum, not a product. Kernels see integers; `Addresses.behind` keeps what stands at each of them,
alive and within reach of Python: interpreted kernels call that. No address is ever 0.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from hamiltree.compiled.cache import KernelCache
from hamiltree.compiled.internals import (
    INLINE_OPTIONS,
    KERNEL_OPTIONS,
    address_of,
    dispatcher_of,
    is_interpreted,
    keep_machine_code_only,
)
from hamiltree.compiled.lanes import lanes
from hamiltree.compiled.pointer import StructPointer, StructPointerType, load_view, unpack
from hamiltree.compiled.pointer import type_of as type_of_value
from hamiltree.compiled.progress import expect, expect_no_more

POINTER, INT64 = ir.IntType(8).as_pointer(), ir.IntType(64)
FLOAT = types.float64
ENTRY_OPTIONS = {**KERNEL_OPTIONS, "no_cpython_wrapper": True}  # called by address only


class Callback(NamedTuple):
    """A function at an address; `original` is what an interpreted kernel calls, `kept` what must
    live as long.
    """

    address: int
    original: Callable
    kept: Any = None


class Addresses(np.ndarray):
    """Integers for kernels, read-only; `targets` has, in the same shape, what Python knows of
    each.
    """

    targets: Any = None

    def __array_finalize__(self, other: Any) -> None:
        self.targets = None  # a part of the array knows nothing: ask the whole


def address_array(values, targets, columns: int | None = None) -> Addresses:
    """A read-only array of addresses, with the Python objects that they stand for."""
    made = (
        np.array(values, dtype=np.int64)
        .reshape(-1 if columns is None else (-1, columns))
        .view(Addresses)
    )
    made.targets = targets
    made.flags.writeable = False
    return made


def callback_table(rows: Sequence[Sequence[Callback]], columns: int) -> Addresses:
    """(rows, columns) addresses of functions."""
    return address_array(
        [[each.address for each in row] for row in rows], [list(row) for row in rows], columns
    )


def pointer_table(parts: Sequence[tuple]) -> Addresses:
    """(n,) addresses of structures, each a tuple of parts."""
    pointers = [StructPointer(*each) for each in parts]
    return address_array([pointer.address for pointer in pointers], pointers)


def select_rows(table: Addresses, rows: Sequence[int]) -> Addresses:
    """Some rows of a table, with what stands behind them."""
    return address_array(
        np.asarray(table)[list(rows)],
        [table.targets[k] for k in rows],
        table.shape[1] if table.ndim == 2 else None,
    )


# ---- types, for those who declare what is called -------------------------------------------------
def number_type(width: int):
    return lanes if width > 1 else FLOAT


def array_type(axes: int, width: int):
    """An array of values of `axes` axes: floats, or lanes."""
    return types.Array(types.float64, axes + (width > 1), "C")


def struct_type(*parts):
    """A pointer to a structure of these types."""
    return None if is_interpreted() else StructPointerType(types.Tuple(parts))


def integers_type():
    return types.Array(types.int64, 1, "C")


def record_type(kind: type, fields):
    """A NamedTuple of these types."""
    return types.NamedTuple(fields, kind)


def type_of(value):
    return None if is_interpreted() else type_of_value(value)


def entry(function):
    """A function of (context, arguments), compiled to be called by its address only, and kept on
    disk.
    """
    return dispatcher_of(function, ENTRY_OPTIONS, KernelCache(function))


def callback(dispatcher, *signature, is_users: bool = False) -> Callback:
    """The address of an entry for these types, compiled or loaded; interpreted, of the function
    itself. Of what the user typed there may be very many: nothing but machine code is kept.
    """
    if is_interpreted():
        return Callback(id(dispatcher), dispatcher, dispatcher)
    find = keep_machine_code_only if is_users else address_of
    address, kept = find(dispatcher, signature)
    return Callback(address, dispatcher.py_func, kept)


class Request(NamedTuple):
    """An entry that is to be compiled or loaded for a signature."""

    dispatcher: Any
    signature: tuple


def compile_all(requests: Sequence[Request], is_last: bool = False) -> None:
    """Load what is kept and compile the rest, of which the number is known before it begins.

    `is_last`: nothing comes after but loops.
    """
    if is_interpreted():
        return
    new = [
        each for each in dict.fromkeys(requests) if each.signature not in each.dispatcher.overloads
    ]
    missing = [each for each in new if not each.dispatcher._cache.is_cached(each.signature)]
    expect(len(missing))
    if is_last:
        expect_no_more()
    for dispatcher, signature in new:
        if (dispatcher, signature) not in missing:
            dispatcher.compile(signature)
    while missing:  # what another process is compiling comes last
        chosen = next(
            (
                each
                for each in missing
                if not each.dispatcher._cache.is_being_compiled(each.signature)
            ),
            missing[0],
        )
        chosen.dispatcher.compile(chosen.signature)
        missing.remove(chosen)


def make_callbacks(wanted: list[list[Request]]) -> list[list[Callback]]:
    """Of rows of requests, compiled together."""
    compile_all([request for row in wanted for request in row])
    return [[callback(request.dispatcher, *request.signature) for request in row] for row in wanted]


# ---- the call ------------------------------------------------------------------------------------
def emit_call(builder, address, values) -> None:
    """Numba's C functions return an empty pointer for None."""
    function = ir.FunctionType(POINTER, [value.type for value in values]).as_pointer()
    builder.call(builder.inttoptr(address, function), values)


def store_on_stack(context, builder, numba_type, value):
    """The address of a structure that lives as long as the call."""
    if isinstance(numba_type, types.BaseTuple):
        parts = zip(numba_type.types, cgutils.unpack_tuple(builder, value), strict=True)
        # views are at the top only: others could not be made
        whole = [load_view(context, builder, *part) for part in parts]
        numba_type = types.Tuple(tuple(kind for kind, _ in whole))
        value = context.make_tuple(builder, numba_type, [part for _, part in whole])
    slot = cgutils.alloca_once(builder, context.get_value_type(numba_type))
    builder.store(value, slot)
    return builder.bitcast(slot, POINTER)


def call(code, row, column, context, at, arguments):
    """The function at code[row, column] with the structure at context[at] and these arguments."""
    code.targets[row][column].original(context.targets[at].parts, arguments)


@overload(call, jit_options=INLINE_OPTIONS)
def compiled_call(code, row, column, context, at, arguments):
    return lambda code, row, column, context, at, arguments: call_struct(
        code[row, column], context[at], arguments
    )


@intrinsic
def call_struct(context, address, structure, arguments):
    """Call the function at an address with a structure at another one and these arguments."""

    def emit(context, builder, sig, args):
        """The address of the structure, and the arguments in memory on the stack, to the
        function.
        """
        emit_call(
            builder,
            args[0],
            [
                builder.inttoptr(args[1], POINTER),
                store_on_stack(context, builder, arguments, args[2]),
            ],
        )
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, arguments), emit


def address_at(table, k):
    """Address k of a table of structures, as an argument of a call; `unpack_one` gives the
    structure's only part.
    """
    return table.targets[k]


@overload(address_at, jit_options=INLINE_OPTIONS)
def compiled_address_at(table, k):
    return lambda table, k: table[k]


def unpack_one(pointer):
    return pointer.parts[0] if isinstance(pointer, StructPointer) and pointer.parts else pointer


@overload(unpack_one, jit_options=INLINE_OPTIONS)
def compiled_unpack_one(pointer):
    if isinstance(pointer, StructPointerType) and len(pointer.content):
        return lambda pointer: unpack(pointer)[0]
    return lambda pointer: pointer
