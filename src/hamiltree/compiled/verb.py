"""Verbs: what a System can be asked, directly or by an indirect call through addresses.

A verb is declared once with its arguments and result. What is compiled for each System (its entry)
and the indirect call of the integrators' loops follow from that.
"""

import ctypes
import inspect
import threading
from collections.abc import Callable
from functools import cache, partial
from typing import Any, NamedTuple

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from hamiltree.compiled.callback import (
    FLOAT,
    INT64,
    POINTER,
    Callback,
    Request,
    array_type,
    callback,
    emit_call,
    entry,
    number_type,
    store_on_stack,
    struct_type,
)
from hamiltree.compiled.internals import INLINE_OPTIONS, is_interpreted
from hamiltree.compiled.kernel import Generic
from hamiltree.compiled.lanes import DOUBLE, as_vector, is_number, lanes
from hamiltree.compiled.pointer import load_view, unpack


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
    """Write a number, or each number of a tuple, through a pointer."""

    def emit(context, builder, sig, args):
        """Numbers one behind the other; a float goes to all lanes where the result has lanes."""
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


UNANSWERED_VERB = threading.local()  # `verb`: the one without an answer that this thread has called


class UnansweredVerb:
    """Whether a verb was called that the System does not have, and the message about it."""

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
    """Stands where a verb has no answer: it records that the verb was called."""

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
        """The call for arguments of these types: lanes if one of the arrays holds lanes."""
        system, work, *given = everything.types
        number = number_type_of(form, given)
        passed = types.Tuple(tuple(number if is_number(each) else each for each in given))
        returned = returned_type(form, number)

        def emit(context, builder, sig, args):
            """Look up the address, pass System, Work and arguments by address, and read the
            result.
            """
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
    """Lanes if one of the arrays holds lanes; of a verb without arrays, if a number is lanes."""
    has_arrays = any(kind in AXES for kind in form.arguments)
    of_lanes = (
        each.ndim == AXES[kind] + 1 if kind in AXES else each is lanes and not has_arrays
        for kind, each in zip(form.arguments, given, strict=True)
    )
    return lanes if form.has_lanes and any(of_lanes) else FLOAT


def returned_type(form: VerbSignature, number):
    if isinstance(form.returns, type) and issubclass(form.returns, tuple):
        return types.BaseTuple.from_types([number] * len(form.returns._fields), form.returns)
    return {None: types.none, Number: number, bool: types.boolean}[form.returns]


def allocate_result(context, builder, form: VerbSignature, number) -> list:
    """Slots for the result on the stack, one behind the other, with what is returned where the
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
    """The result of a call from its slots, as the type that the verb returns."""
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
    """Whether a verb means anything for this System (or type of System): a fallback without
    needs only says what happens without it.
    """
    kind, generic = system if isinstance(system, type) else type(system), verb.generic
    return (kind,) in generic.methods or any(
        needs and all(need.answers(kind) for need in needs) for needs, _ in generic.fallbacks
    )
