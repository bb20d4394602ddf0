"""Functions behind addresses: the one way to call what a kernel was compiled without.

Verbs, force laws and a user's code are compiled by themselves and called by their address, so that
one loop of integrators serves every formulation, one more law compiles nothing else, and compiling
is a sum, not a product. Kernels see integers; `Addresses.behind` keeps what stands at each of them,
alive and within reach of Python: interpreted kernels call that. No address is ever 0.
"""

import ctypes
import inspect
import threading
from collections.abc import Callable, Sequence
from functools import cache, partial
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
)
from hamiltree.compiled.kernel import Generic
from hamiltree.compiled.lanes import DOUBLE, as_vector, is_number, lanes
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


def callback(dispatcher, *signature) -> Callback:
    """The address of an entry for these types, compiled or loaded; interpreted, of the function
    itself.
    """
    if is_interpreted():
        return Callback(id(dispatcher), dispatcher, dispatcher)
    address, kept = address_of(dispatcher, signature)
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
    def emit(context, builder, sig, args):
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


# ---- verbs: what a System can be asked, directly or through addresses ----------------------------
class Number:
    """Annotation of a verb's argument: a float or lanes."""


class Array:
    """Annotation of a verb's argument: an array of numbers."""


class Rows:
    """Annotation of a verb's argument: an array of rows of numbers."""


AXES = {Array: 1, Rows: 2}


class VerbSignature(NamedTuple):
    """What a verb takes after (system, work), and what it returns: None, Number, bool, or a
    NamedTuple of numbers.
    """

    arguments: tuple[type, ...]
    returns: type | None
    has_lanes: bool
    default: float | None  # the answer of a System that has none

    @property
    def default_result(self) -> Any:
        """What is returned where a System has no answer."""
        value = self.default or 0.0
        if self.returns is None or self.returns is bool:
            return None if self.returns is None else bool(value)
        return (
            value if self.returns is Number else self.returns(*[value] * len(self.returns._fields))
        )  # type: ignore[attr-defined]

    def types(self, width: int) -> tuple:
        """Of the compiled entry, after the context."""
        kinds = {
            Number: number_type(width),
            **{kind: array_type(axes, width) for kind, axes in AXES.items()},
        }
        result = () if self.returns is None else (types.CPointer(number_type(width)),)
        return struct_type(*(kinds[kind] for kind in self.arguments)), *result


VERBS: list[Callable] = []  # in the order of their declaration
FLOATS, LANES, ANSWERED = range(3)  # columns of the table of an Indirect


def verb(declaration=None, *, has_lanes: bool = True, default: float | None = None):
    """Decorator: a function chosen by the type of its first argument, declared once with its
    arguments (Number, Array) and result.

    What is called through addresses follows from that: the entry that is compiled for a System, and
    the method of an Indirect.
    """
    if declaration is None:
        return lambda declared: verb(declared, has_lanes=has_lanes, default=default)
    parameters = list(inspect.signature(declaration).parameters.values())[2:]
    returns = declaration.__annotations__.get("return")
    made = Generic(
        declaration.__name__,
        declaration.__doc__ or "",
        leading=1,
        is_called=True,
        home=declaration.__module__,
    ).call
    made.form = VerbSignature(
        tuple(each.annotation for each in parameters), returns, has_lanes, default
    )
    made.place = len(VERBS)
    VERBS.append(made)
    made.entry = make_entry(made)
    return made


def make_entry(verb):
    """What is compiled for each System: the verb with its arguments behind addresses."""

    def fill(context, arguments):
        system, work = unpack(context)
        verb(system, work, *unpack(arguments))

    def give(context, arguments, result):
        system, work = unpack(context)
        write_result(result, verb(system, work, *unpack(arguments)))

    function = fill if verb.form.returns is None else give
    function.__module__ = verb.__module__
    function.__qualname__ = f"{verb.__name__}.entry"
    function.__name__ = verb.__name__
    return entry(function)


def write_result(result, value):
    """Only compiled: interpreted calls return their values."""


@overload(write_result, jit_options=INLINE_OPTIONS)
def compiled_write_result(result, value):
    if value == types.boolean:
        return lambda result, value: store_numbers(result, 1.0 if value else 0.0)
    return lambda result, value: store_numbers(result, value)


@intrinsic
def store_numbers(context, result, value):
    def emit(context, builder, sig, args):
        is_tuple = isinstance(value, types.BaseTuple)
        kinds, numbers = (
            (value.types, cgutils.unpack_tuple(builder, args[1]))
            if is_tuple
            else ([value], [args[1]])
        )
        for k, (kind, number) in enumerate(zip(kinds, numbers, strict=True)):
            whole = as_vector(context, builder, kind, number) if result.dtype is lanes else number
            builder.store(whole, builder.gep(args[0], [INT64(k)])).align = 8
        return context.get_dummy_value()

    return types.void(result, value), emit


UNANSWERED_VERB = threading.local()  # `verb`: the one that this thread has asked in vain


class UnansweredVerb:
    """Knows whether a verb was asked that nobody answers, and says so in the words of who asked."""

    def __init__(self, words: Callable[[str], str]):
        self.words, self.said = words, ""

    @property
    def sentence(self) -> str:
        verb = getattr(UNANSWERED_VERB, "verb", "")
        if verb:
            UNANSWERED_VERB.verb = ""
            self.said = self.words(verb)
        return self.said

    def forget(self) -> None:
        UNANSWERED_VERB.verb = self.said = ""


@cache
def refusing_callback(name: str) -> Callback:
    """Stands where a verb has no answer: it remembers the question."""

    def refuse(*_):
        UNANSWERED_VERB.verb = name

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(refuse)
    return Callback(ctypes.cast(function, ctypes.c_void_p).value or 0, refuse, function)


def define_indirect_method(kind: type, verb) -> None:
    """Give `kind`, a NamedTuple with `table` whose Work has `context`, the method of a verb that
    calls its address.
    """

    def interpreted(system, work, *rest):
        floats, _, is_answered = system.table.targets[verb.place]
        if is_answered:
            return verb(*work.context.targets[0].parts, *rest)
        if verb.form.default is None:
            floats.original()
        return verb.form.default_result

    invoke = make_indirect_call(verb)
    interpreted.compiled = lambda *everything: invoke(everything)  # type: ignore[attr-defined]
    interpreted.about = f"{verb.place} {verb.form}"  # type: ignore[attr-defined]  # constants of the compiled call
    interpreted.__module__ = verb.__module__
    interpreted.__qualname__ = f"{verb.__name__}.through.{kind.__name__}"
    verb.generic.methods[(kind,)] = interpreted


def make_indirect_call(verb):
    """The compiled call: it takes the address for floats or for lanes, by the arrays that it is
    given.
    """
    form: VerbSignature = verb.form

    @intrinsic
    def invoke(context, everything):
        system, work, *given = everything.types
        number = number_type_of(form, given)
        passed = types.Tuple(tuple(number if is_number(each) else each for each in given))
        returned = returned_type(form, number)

        def emit(context, builder, sig, args):
            system_, work_, *values = cgutils.unpack_tuple(builder, args[0])
            table = partial(load_integer_field, context, builder, system, system_, "table")
            target = builder.inttoptr(
                load_integer_field(context, builder, work, work_, "context", 0), POINTER
            )
            numbers = [
                convert_number(context, builder, kind, value, number)
                for kind, value in zip(given, values, strict=True)
            ]
            arguments = store_on_stack(
                context, builder, passed, context.make_tuple(builder, passed, numbers)
            )
            slots = allocate_result(context, builder, form, number)
            address = table(3 * verb.place + (LANES if number is lanes else FLOATS))
            call = partial(emit_call, builder, address, [target, arguments, *slots[:1]])
            if form.default is None:
                call()
            else:
                with builder.if_then(
                    cgutils.is_not_null(builder, table(3 * verb.place + ANSWERED))
                ):
                    call()
            return load_result(context, builder, form, returned, slots)

        return returned(everything), emit

    return invoke


def number_type_of(form: VerbSignature, given):
    """Lanes if one of the arrays holds lanes."""
    of_lanes = (
        kind in AXES and each.ndim == AXES[kind] + 1
        for kind, each in zip(form.arguments, given, strict=True)
    )
    return lanes if form.has_lanes and any(of_lanes) else FLOAT


def returned_type(form: VerbSignature, number):
    if isinstance(form.returns, type) and issubclass(form.returns, tuple):
        return types.BaseTuple.from_types([number] * len(form.returns._fields), form.returns)
    return {None: types.none, Number: number, bool: types.boolean}[form.returns]


def allocate_result(context, builder, form: VerbSignature, number) -> list:
    """Room for the result on the stack, one behind the other, with what is returned where the
    System has no answer.
    """
    if form.returns is None:
        return []
    count = len(form.returns._fields) if issubclass(form.returns, tuple) else 1
    first = cgutils.alloca_once(builder, context.get_value_type(number), size=count)
    slots = [first, *(builder.gep(first, [INT64(k)]) for k in range(1, count))]
    start = convert_number(
        context, builder, FLOAT, context.get_constant(FLOAT, form.default or 0.0), number
    )
    for slot in slots:
        builder.store(start, slot).align = 8
    return slots


def load_result(context, builder, form: VerbSignature, returned, slots):
    if form.returns is None:
        return context.get_dummy_value()
    values = [builder.load(slot) for slot in slots]
    for value in values:
        value.align = 8
    if form.returns is bool:
        return builder.fcmp_unordered("!=", values[0], ir.Constant(DOUBLE, 0.0))
    return values[0] if form.returns is Number else context.make_tuple(builder, returned, values)


def convert_number(context, builder, numba_type, value, number):
    """A number as a float or as lanes; anything else as it is."""
    if not is_number(numba_type):
        return value
    return as_vector(context, builder, numba_type, value) if number is lanes else value


def load_integer_field(context, builder, numba_type, value, field: str, k: int):
    """Word k of an array of integers that is a field of a NamedTuple."""
    numba_type, value = load_view(context, builder, numba_type, value)
    place = numba_type.fields.index(field)
    array = context.make_array(numba_type.types[place])(
        context, builder, builder.extract_value(value, place)
    )
    return builder.load(builder.gep(array.data, [INT64(k)]))


def verb_request(verb, system_type, width: int) -> Request:
    """The entry of a verb for a pointer to this type of System and Work."""
    return Request(verb.entry, (system_type, *verb.form.types(width)))


def verb_callback(verb, system_type, width: int) -> Callback:
    if is_interpreted():
        return Callback(id(verb), verb, verb)
    return callback(verb.entry, *verb_request(verb, system_type, width).signature)


def has_implementation(verb, system) -> bool:
    """Whether a verb means anything for this System (or type of System): a lift without needs only
    says what happens without it.
    """
    kind, generic = system if isinstance(system, type) else type(system), verb.generic
    return (kind,) in generic.methods or any(
        needs and all(need.answers(kind) for need in needs) for needs, _ in generic.fallbacks
    )
