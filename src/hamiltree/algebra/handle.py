"""A System, its Work and more behind one argument: a call from Python then costs well below a microsecond.

Numba looks at every array of a NamedTuple on every call (5–24 µs for a System). A Handle carries the address of the compiled structure
instead; `opened(handle)` gives back (system, work, …) inside a kernel. The handle keeps the arrays alive.
"""

import numpy as np
from llvmlite import ir
from numba import config, typeof, types
from numba.core import cgutils
from numba.core.extending import NativeValue, models, register_model, typeof_impl, unbox
from numba.extending import intrinsic, overload

from hamiltree.kernel import INLINE, kernel


class HandleType(types.Type):
    """The type of a Handle names the types behind it, so kernels are compiled once per formulation."""

    def __init__(self, content):
        self.content = content
        super().__init__(name=f"Handle({content})")

    @property
    def key(self):
        return self.content


@register_model(HandleType)
class HandleModel(models.OpaqueModel):
    """A bare address."""


def bound(dispatcher, *arguments):
    """The compiled function for arguments of these types. It checks nothing: calls must bring exactly such arguments."""
    if config.DISABLE_JIT:
        return dispatcher
    signature = tuple(map(typeof, arguments))
    dispatcher.compile(signature)
    return dispatcher.get_overload(signature)


class Handle:
    """Python's side: what a kernel needs, kept alive."""

    __slots__ = ("_numba_type_", "address", "parts", "room")

    def __init__(self, *parts):
        self.parts = parts
        if config.DISABLE_JIT:
            return
        content = types.Tuple(tuple(map(typeof, parts)))
        room = np.zeros(16 * flat_length(content), dtype=np.int64)
        self._numba_type_ = HandleType(content)
        self.address = room.ctypes.data
        self.room = room
        pack(parts, room)


@typeof_impl.register(Handle)
def type_of_handle(value, context):
    return value._numba_type_


@unbox(HandleType)
def unbox_handle(numba_type, obj, c):
    attribute = c.pyapi.object_getattr_string(obj, "address")
    address = c.pyapi.long_as_voidptr(attribute)
    c.pyapi.decref(attribute)
    return NativeValue(address, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


def flat_length(numba_type) -> int:
    """How many arrays and numbers a structure holds; none needs more than 16 words (an array of five axes)."""
    return sum(map(flat_length, numba_type.types)) if isinstance(numba_type, types.BaseTuple) else 1


@intrinsic
def store_structure(context, content, room):
    def code(context, builder, sig, args):
        data = context.make_array(room)(context, builder, args[1]).data
        builder.store(args[0], builder.bitcast(data, args[0].type.as_pointer())).align = 8
        return context.get_dummy_value()

    return types.void(content, room), code


@kernel
def pack(content, room):
    store_structure(content, room)


def opened(handle):
    """The parts of a handle; interpreted, a plain tuple of parts does as well."""
    return handle.parts if isinstance(handle, Handle) else handle


@overload(opened, jit_options=INLINE)
def compiled_opened(handle):
    return lambda handle: load_structure(handle)


@intrinsic
def load_structure(context, handle):

    def code(context, builder, sig, args):
        kind = context.get_value_type(handle.content)
        return load_apart(context, builder, builder.bitcast(args[0], kind.as_pointer()), kind)

    return handle.content(handle), code


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
    """A word that nobody writes while the kernel runs: a rare branch that alone needs it may read it there (kernel.py)."""
    word = builder.load(pointer)
    word.align = min(8, context.get_abi_alignment(kind))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
