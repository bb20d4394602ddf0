"""A System, its Work and more behind one argument: a call from Python then costs well below a microsecond.

Numba looks at every array of a NamedTuple on every call (5–24 µs for a System). A StructPointer carries the address of the compiled
structure instead; `unpack(pointer)` gives back (system, work, …) inside a kernel. The pointer keeps the arrays alive.
"""

import struct
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.extending import intrinsic, overload

from hamiltree.compiled.internals import INLINE, is_interpreted


class StructPointerType(types.Type):
    """The type of a StructPointer names the types behind it, so kernels are compiled once per formulation."""

    def __init__(self, content):
        self.content = content
        super().__init__(name=f"StructPointer({content})")

    @property
    def key(self):
        return self.content


@register_model(StructPointerType)
class StructPointerModel(models.OpaqueModel):
    """A bare address."""


def bound(dispatcher, *arguments):
    """The compiled function for arguments of these types. It checks nothing: calls must bring exactly such arguments."""
    if is_interpreted():
        return dispatcher
    signature = tuple(map(type_of, arguments))
    dispatcher.compile(signature)
    return dispatcher.get_overload(signature)


# ---- types, looked up by what decides them: Numba's own way through a System of forty arrays takes a millisecond ----------------------
def kind_of_value(value):
    """What the type of a value depends on, to be compared quickly; None where that is left to Numba."""
    if isinstance(value, np.ndarray):
        flags = value.flags
        return (value.dtype.str, value.ndim, flags.writeable) if flags.c_contiguous and flags.aligned else None
    if isinstance(value, tuple):
        inside = tuple(map(kind_of_value, value))
        return None if None in inside else (type(value), inside)
    if isinstance(value, StructPointer):
        return value._numba_type_
    return type(value) if type(value) in (bool, int, float) else None


class Layout(NamedTuple):
    """The type of a structure, and how it lies in memory."""

    numba_type: Any
    form: struct.Struct
    words: int


LAYOUTS: dict[tuple, Layout] = {}
TYPES: dict[tuple, Any] = {}


def type_of(value):
    """The type of a value for the compiler."""
    kind = kind_of_value(value)
    if kind is None:
        return typeof(value)
    if kind not in TYPES:
        TYPES[kind] = typeof(value)
    return TYPES[kind]


def layout_of(parts: tuple) -> Layout:
    kind = kind_of_value(parts)
    if kind is None or kind not in LAYOUTS:
        form: list[str] = []
        size = lay_out(parts, 0, form)
        made = Layout(StructPointerType(types.Tuple(tuple(map(type_of, parts)))), struct.Struct("=" + "".join(form)), -(-size // 8) + 1)
        if kind is None:
            return made
        LAYOUTS[kind] = made
    return LAYOUTS[kind]


class StructPointer:
    """Python's side: what a kernel needs, kept alive. `memory` holds the structure as the compiler lays it out."""

    __slots__ = ("_numba_type_", "address", "memory", "parts")

    def __init__(self, *parts):
        self.parts = parts
        if is_interpreted():
            self.address = id(self)
            return
        layout, flat = layout_of(parts), []
        flatten(parts, flat)
        self._numba_type_ = layout.numba_type
        self.memory = np.zeros(layout.words, dtype=np.int64)
        layout.form.pack_into(self.memory, 0, *flat)
        self.address = self.memory.ctypes.data


# ---- how the compiler lays out a structure: arrays as seven kinds of words, numbers as eight bytes, truth values as one ---------------
def alignment(value) -> int:
    if isinstance(value, tuple):
        return max(map(alignment, value), default=1)
    return 1 if isinstance(value, (bool, np.bool_)) else 8


def pad(at: int, to: int, form: list[str]) -> int:
    gap = -at % to
    if gap:
        form.append(f"{gap}x")
    return at + gap


def lay_out(value, at: int, form: list[str]) -> int:
    """Append the value to a format of `struct`; where it ends, if it begins at `at` or at the next place that fits."""
    at = pad(at, alignment(value), form)
    if isinstance(value, tuple):
        for part in value:
            at = lay_out(part, at, form)
        return pad(at, alignment(value), form)
    if isinstance(value, np.ndarray):
        words = 5 + 2 * value.ndim
        form.append(f"{words}q")
        return at + 8 * words
    if isinstance(value, (bool, np.bool_)):
        form.append("?")
        return at + 1
    if not isinstance(value, (float, int, np.int64, StructPointer)):
        raise TypeError(f"a structure for kernels holds arrays, floats, integers and truth values, not {value!r} ({type(value).__name__})")
    form.append("d" if isinstance(value, float) else "q")
    return at + 8


def flatten(value, flat: list) -> None:
    """The words of a structure in their order."""
    if isinstance(value, np.ndarray):
        flat += (0, 0, value.size, value.itemsize, value.__array_interface__["data"][0], *value.shape, *value.strides)
    elif isinstance(value, tuple):
        for part in value:
            flatten(part, flat)
    else:
        flat.append(value.address if isinstance(value, StructPointer) else value)


@typeof_impl.register(StructPointer)
def type_of_pointer(value, context):
    return value._numba_type_


@unbox(StructPointerType)
def unbox_pointer(numba_type, obj, c):
    attribute = c.pyapi.object_getattr_string(obj, "address")
    address = c.pyapi.long_as_voidptr(attribute)
    c.pyapi.decref(attribute)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


# ---- in a kernel ----------------------------------------------------------------------------------------------------------
def unpack(pointer):
    """The parts of a StructPointer; interpreted, a plain tuple of parts does as well."""
    return pointer.parts if isinstance(pointer, StructPointer) else pointer


@overload(unpack, jit_options=INLINE)
def compiled_unpack(pointer):
    if isinstance(pointer, StructPointerType):
        return lambda pointer: load_structure(pointer)
    return lambda pointer: pointer


@intrinsic
def load_structure(context, pointer):

    def code(context, builder, sig, args):
        kind = context.get_value_type(pointer.content)
        return load_apart(context, builder, builder.bitcast(args[0], kind.as_pointer()), kind)

    return pointer.content(pointer), code


def load_apart(context, builder, pointer, kind):
    """A structure read word by word. As a whole, its hundreds of words would be copied to the stack on every call, used or not."""
    if not isinstance(kind, ir.Aggregate):
        return load_constant(context, builder, pointer, kind)
    whole = ir.Constant(kind, ir.Undefined)
    for k, inner in enumerate(kind.elements):
        word = load_apart(context, builder, cgutils.gep_inbounds(builder, pointer, 0, k), inner)
        whole = builder.insert_value(whole, word, k)
    return whole


def load_constant(context, builder, pointer, kind):
    """A word that nobody writes while the kernel runs: a rare branch that alone needs it may read it there (internals.py)."""
    word = builder.load(pointer)
    word.align = min(8, context.get_abi_alignment(kind))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
