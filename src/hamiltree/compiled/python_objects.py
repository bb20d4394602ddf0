"""Objects of Python and NumPy as compiled code sees them: words at addresses, and functions of C.

`interface()` has the addresses of what compiled code calls and compares with, or None where objects
are not laid out as this module reads them: another Python than CPython, one without its lock, one
whose objects carry more than a count and a type. Nothing is read from a header file: one object of
each kind is looked at once in a process.
"""

import ctypes
import sys
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hamiltree.compiled.internals import is_interpreted

# ---- where fields are, in bytes ------------------------------------------------------------------
REFERENCES, TYPE_OF, CONTENT_OF_FLOAT, COUNT_OF_TUPLE, SELF_OF_FUNCTION = 0, 8, 16, 16, 24
FIRST_OF_TUPLE = tuple.__basicsize__
DATA, AXES, SHAPE, DTYPE, FLAGS = 16, 24, 32, 56, 64  # of an array
READABLE, WRITABLE = 0x101, 0x501  # packed and aligned; and open for writing
HEADER = 16  # bytes before the content: a count of references, a type
SCALAR, NEW_FROM_DESCRIPTION, SET_BASE_OBJECT = 60, 94, 282  # in NumPy's table of C functions


class Interface(NamedTuple):
    """Addresses, in the order in which compiled code finds them in a table."""

    array_type: int
    float_type: int
    text_type: int
    tuple_type: int
    float_dtype: int
    out_name: int
    new_array: int
    set_base: int
    new_number: int
    new_tuple: int
    new_of_type: int
    set_item: int
    find_in_dictionary: int
    add_reference: int
    drop_reference: int
    clear_error: int
    call: int


@cache
def interface() -> Interface | None:
    """None: calls from Python go through Python."""
    if is_interpreted() or not has_known_header() or not has_known_fields():
        return None
    try:
        array_functions = numpy_functions()
        return Interface(
            id(np.ndarray),
            id(float),
            id(str),
            id(tuple),
            id(np.dtype(float)),
            id(sys.intern("out")),
            array_functions[NEW_FROM_DESCRIPTION],
            array_functions[SET_BASE_OBJECT],
            array_functions[SCALAR],
            *map(
                python_function,
                (
                    "PyTuple_New",
                    "PyType_GenericAlloc",
                    "PyTuple_SetItem",
                    "PyDict_GetItemWithError",
                    "Py_IncRef",
                    "Py_DecRef",
                    "PyErr_Clear",
                    "PyObject_Vectorcall",
                ),
            ),
        )
    except AttributeError:
        return None


def has_known_header() -> bool:
    """Whether objects begin with a count of references and a type, of eight bytes each, and the
    interpreter's lock keeps threads apart.
    """
    return (
        sys.implementation.name == "cpython"
        and object.__basicsize__ == HEADER
        and getattr(sys, "_is_gil_enabled", lambda: True)()
    )


def has_known_fields() -> bool:
    """Whether arrays, a number, a tuple and a built-in function have their fields where this module
    reads them.
    """
    samples = np.arange(3.0), np.asfortranarray(np.ones((2, 3))), np.frombuffer(bytes(16))
    pair = (samples, 2.5)
    return (
        all(map(has_known_array_fields, samples))
        and word_at(id(pair) + REFERENCES) == sys.getrefcount(pair) - 1
        and word_at(id(pair) + COUNT_OF_TUPLE) == 2
        and word_at(id(pair) + FIRST_OF_TUPLE) == id(samples)
        and word_at(id(find := pair.index) + SELF_OF_FUNCTION) == id(find.__self__) == id(pair)
        and word_at(id(pair[1]) + TYPE_OF) == id(float)
        and ctypes.c_double.from_address(id(pair[1]) + CONTENT_OF_FLOAT).value == pair[1]
    )


def has_known_array_fields(array: np.ndarray) -> bool:
    """Whether what is read at the fields of an array is what NumPy says of it."""
    at = id(array)
    return (
        word_at(at + TYPE_OF) == id(np.ndarray)
        and word_at(at + DATA) == array.__array_interface__["data"][0]
        and ctypes.c_int32.from_address(at + AXES).value == array.ndim
        and word_at(at + DTYPE) == id(np.dtype(float))
        and ctypes.c_int32.from_address(at + FLAGS).value == array.flags.num
        and all(word_at(word_at(at + SHAPE) + 8 * k) == n for k, n in enumerate(array.shape))
    )


def word_at(address: int) -> int:
    return ctypes.c_int64.from_address(address).value


def python_function(name: str) -> int:
    return function_address(getattr(ctypes.pythonapi, name))


def function_address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def numpy_functions() -> Any:
    """NumPy's table of C functions, as extension modules get it."""
    from numpy._core import _multiarray_umath  # type: ignore[attr-defined]

    find = ctypes.pythonapi.PyCapsule_GetPointer
    prototype = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)
    table = prototype(function_address(find))(_multiarray_umath._ARRAY_API, None)
    return ctypes.cast(table, ctypes.POINTER(ctypes.c_int64))


# ---- built-in functions --------------------------------------------------------------------------
KEYWORDS = 0x82  # METH_FASTCALL | METH_KEYWORDS: f(self, arguments, count, names of keywords)


class MethodDefinition(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


@cache
def method_definition(name: str, doc: str, address: int) -> MethodDefinition:
    """Kept for ever, as Python wants it; there are as many as there are names of functions."""
    return MethodDefinition(name.encode(), address, KEYWORDS, doc.encode())


def make_builtin(name: str, doc: str, address: int, owner: tuple) -> Any:
    """A built-in function whose code is at an address and gets `owner` as its first argument. `doc`
    begins with the signature, as Python reads it: "f(q, p)\\n--\\n\\n…".
    """
    definition = method_definition(name, doc, address)
    prototype = ctypes.PYFUNCTYPE(
        ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.py_object
    )
    make = prototype(python_function("PyCFunction_NewEx"))
    return make(ctypes.addressof(definition), owner, "hamiltree")


# ---- in compiled code ----------------------------------------------------------------------------
WORD, HALF = ir.IntType(64), ir.IntType(32)
FLOATS = types.Array(types.float64, 1, "C")
unpack = cgutils.unpack_tuple


def load_at(builder, address, offset, kind):
    return builder.load(builder.inttoptr(builder.add(address, offset), kind.as_pointer()))


@intrinsic
def word(context, address, offset):
    """The eight bytes at address + offset, as an integer."""

    def emit(context, builder, sig, args):
        return load_at(builder, args[0], args[1], WORD)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def half_word(context, address, offset):
    """The four bytes at address + offset, as an integer."""

    def emit(context, builder, sig, args):
        return builder.sext(load_at(builder, args[0], args[1], HALF), WORD)

    return types.int64(types.int64, types.int64), emit


@intrinsic
def number(context, address, offset):
    """The float at address + offset."""

    def emit(context, builder, sig, args):
        return load_at(builder, args[0], args[1], ir.DoubleType())

    return types.float64(types.int64, types.int64), emit


@intrinsic
def call_c(context, address, arguments):
    """The C function at an address with words as arguments; a C int is the lower half of one."""

    def emit(context, builder, sig, args):
        values = unpack(builder, args[1])
        function = ir.FunctionType(WORD, [WORD] * len(values)).as_pointer()
        return builder.call(builder.inttoptr(args[0], function), values)

    return types.int64(types.int64, arguments), emit


@intrinsic
def call_kernel(context, address, pointer, numbers, arrays):
    """The C function that Numba makes of a kernel, which says whether its answer is finite. After
    its pointer it takes numbers and arrays, which are given as (where they lie, length).
    """

    def emit(context, builder, sig, args):
        """The pointer, the numbers, and arrays as Numba lays them out."""
        pairs = [unpack(builder, pair) for pair in unpack(builder, args[3])]
        values = [
            args[1],
            *unpack(builder, args[2]),
            *(array_on(context, builder, *pair) for pair in pairs),
        ]
        returned = context.get_value_type(types.boolean)
        function = ir.FunctionType(returned, [value.type for value in values]).as_pointer()
        return builder.call(builder.inttoptr(args[0], function), values)

    return types.boolean(types.int64, types.int64, numbers, arrays), emit


def array_on(context, builder, address, length):
    """An array of floats on what lies at an address, which owns nothing."""
    array = context.make_array(FLOATS)(context, builder)
    array.data = builder.inttoptr(address, array.data.type)
    array.shape = cgutils.pack_array(builder, [length])
    array.strides = cgutils.pack_array(builder, [WORD(8)])
    array.nitems, array.itemsize = length, WORD(8)
    array.meminfo, array.parent = (
        cgutils.get_null_value(getattr(array, name).type) for name in ("meminfo", "parent")
    )
    return array._getvalue()
