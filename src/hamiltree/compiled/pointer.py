"""A System, its Work and more behind one argument: a call from Python then costs well below a
microsecond.

Numba looks at every array of a NamedTuple on every call (5–24 µs for a System). A StructPointer
carries the address of the compiled structure instead; `unpack(pointer)` gives back (system, work,
…) inside a kernel. The pointer keeps the arrays alive.
"""

import struct
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import infer_getattr, intrinsic, lower_builtin, lower_getattr_generic, overload

from hamiltree.compiled.fingerprint import digest
from hamiltree.compiled.internals import INLINE_OPTIONS, is_interpreted
from hamiltree.compiled.lanes import lanes

WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()


class AddressType(types.Type):
    """The type of an address: it names the type of the structure there, `content`."""

    def __init__(self, content, label: str):
        self.content = content
        super().__init__(name=label.format(digest(str(content))[:12]))

    @property
    def key(self):
        return self.content

    @property
    def bytes_behind(self) -> tuple[int, int]:
        """Size and alignment of the structure, in bytes."""
        return size_and_alignment(self.content)


class StructPointerType(AddressType):
    """The type of a StructPointer names the types behind it, so kernels are compiled once per
    formulation.
    """

    def __init__(self, content):
        super().__init__(content, "StructPointer({})")


@register_model(StructPointerType)
class StructPointerModel(models.OpaqueModel):
    """A bare address."""


def compile_for(dispatcher, *arguments):
    """The compiled function for arguments of these types.

    It checks nothing: calls must bring exactly such arguments.
    """
    if is_interpreted():
        return dispatcher
    signature = tuple(map(type_of, arguments))
    dispatcher.compile(signature)
    return dispatcher.get_overload(signature)


# ---- types, looked up by what decides them -------------------------------------------------------
# Numba's own way through a System of forty arrays takes a millisecond.
def type_key(value):
    """What the type of a value depends on, to be compared quickly; None where that is left to
    Numba.
    """
    if isinstance(value, np.ndarray):
        flags = value.flags
        return (
            (value.dtype.str, value.ndim, flags.writeable)
            if flags.c_contiguous and flags.aligned
            else None
        )
    if isinstance(value, tuple):
        inside = tuple(map(type_key, value))
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
    kind = type_key(value)
    if kind is None:
        return typeof(value)
    if kind not in TYPES:
        TYPES[kind] = typeof(value)
    return TYPES[kind]


def layout_of(parts: tuple) -> Layout:
    """Type and memory layout of a structure; kept by the types of its parts."""
    kind = type_key(parts)
    if kind is None or kind not in LAYOUTS:
        form: list[str] = []
        size = lay_out(parts, 0, form)
        made = Layout(
            StructPointerType(types.Tuple(tuple(map(type_of, parts)))),
            struct.Struct("=" + "".join(form)),
            -(-size // 8) + 1,
        )
        if kind is None:
            return made
        LAYOUTS[kind] = made
    return LAYOUTS[kind]


class StructPointer:
    """Python's side: what a kernel needs, kept alive.

    `memory` holds the structure as the compiler lays it out.
    """

    __slots__ = ("_numba_type_", "address", "memory", "parts")

    def __init__(self, *parts):
        """Pack the parts into memory as the compiler lays them out; interpreted, only keep them."""
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


# ---- how the compiler lays out a structure -------------------------------------------------------
# Arrays as seven kinds of words, numbers as eight bytes, truth values as one.
def alignment(value) -> int:
    if isinstance(value, tuple):
        return max(map(alignment, value), default=1)
    return 1 if isinstance(value, (bool, np.bool_)) else 8


def pad_to(at: int, to: int, form: list[str]) -> int:
    gap = -at % to
    if gap:
        form.append(f"{gap}x")
    return at + gap


def lay_out(value, at: int, form: list[str]) -> int:
    """Append the value to a format of `struct`; where it ends, if it begins at `at` or at the next
    place that fits.
    """
    at = pad_to(at, alignment(value), form)
    if isinstance(value, tuple):
        for part in value:
            at = lay_out(part, at, form)
        return pad_to(at, alignment(value), form)
    if isinstance(value, np.ndarray):
        words = 5 + 2 * value.ndim
        form.append(f"{words}q")
        return at + 8 * words
    if isinstance(value, (bool, np.bool_)):
        form.append("?")
        return at + 1
    if not isinstance(value, (float, int, np.int64, StructPointer)):
        raise TypeError(
            "a structure for kernels holds arrays, floats, integers and truth values, not "
            f"{value!r} ({type(value).__name__})"
        )
    form.append("d" if isinstance(value, float) else "q")
    return at + 8


def flatten(value, flat: list) -> None:
    """The words of a structure in their order."""
    if isinstance(value, np.ndarray):
        flat += (
            0,
            0,
            value.size,
            value.itemsize,
            value.__array_interface__["data"][0],
            *value.shape,
            *value.strides,
        )
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


# ---- in a kernel ---------------------------------------------------------------------------------
def unpack(pointer):
    """The parts of a StructPointer; interpreted, a plain tuple of parts does as well."""
    return pointer.parts if isinstance(pointer, StructPointer) else pointer


@overload(unpack, jit_options=INLINE_OPTIONS)
def compiled_unpack(pointer):
    if isinstance(pointer, StructPointerType):
        return lambda pointer: load_parts(pointer)
    return lambda pointer: pointer


@intrinsic
def load_parts(context, pointer):
    kinds = tuple(map(view_type, pointer.content.types))

    def emit(context, builder, sig, args):
        parts = [field(context, builder, args[0], pointer.content, k) for k in range(len(kinds))]
        return context.make_tuple(builder, sig.return_type, parts)

    return types.Tuple(kinds)(pointer), emit


# ---- a NamedTuple that stays in memory -----------------------------------------------------------
# A System of forty arrays is hundreds of words. Handed on as a value, they are taken apart and put
# together again in every function that it goes through: two thirds of all that the compiler was
# given. A view is an address; a field is read where it is used.
class StructViewType(AddressType):
    """A NamedTuple with arrays, known by its address."""

    def __init__(self, content):
        super().__init__(content, f"View({content.instance_class.__name__} {{}})")


@register_model(StructViewType)
class StructViewModel(models.OpaqueModel):
    """A bare address."""


def view_type(numba_type):
    """What a kernel sees of a part of a structure: itself, or a view."""
    return (
        StructViewType(numba_type)
        if isinstance(numba_type, types.BaseNamedTuple) and has_arrays(numba_type)
        else numba_type
    )


def has_arrays(numba_type) -> bool:
    if isinstance(numba_type, types.BaseTuple):
        return any(map(has_arrays, numba_type.types))
    return isinstance(numba_type, types.Array)


@infer_getattr
class StructViewAttributes(AttributeTemplate):
    key = StructViewType

    def generic_resolve(self, view, name):
        return (
            view_type(view.content.types[view.content.fields.index(name)])
            if name in view.content.fields
            else None
        )


@lower_getattr_generic(StructViewType)
def emit_field(context, builder, view, value, name):
    return field(context, builder, value, view.content, view.content.fields.index(name))


def field(context, builder, address, structure, k: int):
    """Field k of a structure at an address: its value, or where it lies."""
    numba_type = structure.types[k]
    at = offset_address(builder, address, field_offset(structure, k))
    return (
        at
        if isinstance(view_type(numba_type), StructViewType)
        else load_value(context, builder, at, numba_type)
    )


def load_view(context, builder, numba_type, value):
    """A view as the NamedTuple that it shows; anything else as it is. With its type."""
    if not isinstance(numba_type, StructViewType):
        return numba_type, value
    return numba_type.content, load_value(context, builder, value, numba_type.content)


def in_memory(value):
    """A NamedTuple that was handed over as a value, put into memory once: what is called with it
    gets a view.
    """
    return value


@infer_global(in_memory)
class TypingOfMemory(AbstractTemplate):
    def generic(self, args, kws):
        return signature(view_type(args[0]), args[0])


@lower_builtin(in_memory, types.Any)
def put_in_memory(context, builder, sig, args):
    """In the frame of the function that asks: a function of its own would take the memory with it
    when it returns.
    """
    if not isinstance(sig.return_type, StructViewType):
        return args[0]
    slot = cgutils.alloca_once(builder, context.get_value_type(sig.args[0]))
    builder.store(args[0], slot)
    # What is read through a view never changes, says `load_word`. An address that comes from here
    # is not known before: no word of it is read before it is written.
    hidden = ir.FunctionType(POINTER, [POINTER])
    return builder.asm(
        hidden, "", "=r,0,~{memory}", [builder.bitcast(slot, POINTER)], side_effect=True
    )


def as_type(value, kind):
    """A NamedTuple as one of another class that has the same fields."""
    return kind(*value)


@overload(as_type, jit_options=INLINE_OPTIONS)
def compiled_as_kind(value, kind):
    if isinstance(value, StructViewType):
        return lambda value, kind: view_as_kind(value, kind)
    return lambda value, kind: kind(*value)


@intrinsic
def view_as_kind(context, value, kind):
    assert value.content.fields == kind.instance_class._fields, (
        f"{kind.instance_class.__name__} has other fields"
    )
    seen = StructViewType(types.NamedTuple(value.content.types, kind.instance_class))
    return seen(value, kind), lambda context, builder, sig, args: args[0]


@cache
def size_and_alignment(numba_type) -> tuple[int, int]:
    """In bytes, as `lay_out` packs it."""
    if isinstance(numba_type, types.Array):
        return 8 * (5 + 2 * numba_type.ndim), 8
    if isinstance(numba_type, types.BaseTuple):
        parts = [size_and_alignment(each) for each in numba_type.types]
        whole = max((alignment for _, alignment in parts), default=1)
        return -(-end_of_fields(numba_type, len(parts)) // whole) * whole, whole
    if numba_type is lanes:
        return 32, 32
    if isinstance(numba_type, types.Boolean):
        return 1, 1
    if isinstance(numba_type, StructPointerType) or numba_type in (
        types.float64,
        types.int64,
        types.uint64,
    ):
        return 8, 8
    raise TypeError(
        "a structure for kernels holds arrays, floats, integers of 64 bits and truth values, not "
        f"{numba_type}"
    )


def end_of_fields(structure, count: int) -> int:
    """Where the first fields end, the last of them included."""
    at = 0
    for each in structure.types[:count]:
        size, alignment = size_and_alignment(each)
        at = -(-at // alignment) * alignment + size
    return at


def field_offset(structure, k: int) -> int:
    return end_of_fields(structure, k + 1) - size_and_alignment(structure.types[k])[0]


def offset_address(builder, address, offset: int):
    return builder.gep(address, [ir.Constant(WORD, offset)], inbounds=True) if offset else address


def load_value(context, builder, address, numba_type):
    """What lies at an address, word by word: as a whole it would be copied, used or not."""
    kind = context.get_value_type(numba_type)
    if isinstance(numba_type, types.BaseTuple):
        parts = [(field_offset(numba_type, k), each) for k, each in enumerate(numba_type.types)]
        values = [
            load_value(context, builder, offset_address(builder, address, at), each)
            for at, each in parts
        ]
        return context.make_tuple(builder, numba_type, values)
    if isinstance(numba_type, types.Array):
        return load_array(builder, address, kind, numba_type.ndim)
    if isinstance(numba_type, types.Boolean):
        return context.data_model_manager[numba_type].from_data(
            builder, load_word(builder, address, ir.IntType(8))
        )
    return load_word(builder, address, kind)


def load_array(builder, address, kind, axes: int):
    """No owner: nothing counts references.

    Data, number of elements, their size, shape and strides.
    """
    whole = ir.Constant(kind, None)
    for place, offset in ((2, 16), (3, 24), (4, 32)):
        whole = builder.insert_value(
            whole,
            load_word(builder, offset_address(builder, address, offset), kind.elements[place]),
            place,
        )
    for place, first in ((5, 40), (6, 40 + 8 * axes)):
        for k in range(axes):
            whole = builder.insert_value(
                whole,
                load_word(builder, offset_address(builder, address, first + 8 * k), WORD),
                (place, k),
            )
    return whole


def load_word(builder, address, kind):
    """A word that nobody writes while the kernel runs: it may be read where it is needed, once or
    again.
    """
    word = builder.load(builder.bitcast(address, kind.as_pointer()))
    word.align = 1 if isinstance(kind, ir.IntType) and kind.width == 8 else 8
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
