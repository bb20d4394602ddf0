"""A System behind addresses: its verbs are compiled by themselves and called from loops that know
nothing of it.

Whatever a compiled loop may call is compiled and optimised with it, array by array of the System:
with verbs in place, compiling is the product of formulations and integrators, and most of a first
run. A table of addresses stands for the System instead, so one loop of each family of integrators
serves every formulation, and one set of verbs each formulation.
"""

import inspect
from collections.abc import Callable
from typing import Any

from hamiltree.compiled.callback import (
    Addresses,
    Callback,
    Request,
    address_array,
    compile_all,
    struct_type,
    type_of,
)
from hamiltree.compiled.compile_errors import explain_failures
from hamiltree.compiled.internals import is_interpreted
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer, type_key
from hamiltree.compiled.verb import (
    VERBS,
    UnansweredVerb,
    has_implementation,
    refusing_callback,
    verb_callback,
    verb_request,
)
from hamiltree.errors import CompileError, FitError

Verbs = tuple[Any, ...]
Row = tuple[Callback, Callback, bool]  # for floats, for lanes, whether there is an answer


class IndirectPointer(StructPointer):
    """What stands for a System in a compiled loop; `refusal` knows of verbs that were called
    without an answer.
    """

    __slots__ = ("refusal",)

    def check(self) -> None:
        """Raise FitError if a verb was called that the System does not have."""
        if self.refusal.sentence:
            raise FitError(self.refusal.sentence)


# by the types of a System and its Works, and by the verbs that are called
CALLBACK_ROWS: dict[tuple, list[Row]] = {}


def verb_table(
    system, work, single, float_verbs: Verbs, lane_verbs: Verbs, disabled: Verbs = ()
) -> Addresses:
    """(verbs, 3): the addresses of every verb for floats and for lanes, and whether it is answered;
    those that are `disabled` need not be.
    """
    rows = callback_rows(system, work, single, float_verbs, lane_verbs)
    places = {verb.place for verb in disabled}
    return make_table(
        [(*row[:2], row[2] and place not in places) for place, row in enumerate(rows)]
    )


def with_callback(table: Addresses, verb, width: int, other: Callback) -> Addresses:
    """A table in which another function answers a verb, for floats or for lanes."""
    rows = [*table.targets]
    floats, of_lanes, _ = rows[verb.place]
    rows[verb.place] = (other, of_lanes, True) if width == 1 else (floats, other, True)
    return make_table(rows)


def callback_rows(system, work, single, float_verbs: Verbs, lane_verbs: Verbs) -> list[Row]:
    """Callbacks of every verb, compiled or loaded once; what cannot be asked refuses."""
    key = type_key((system, work, single)), float_verbs, lane_verbs
    if key[0] is None or is_interpreted() or key not in CALLBACK_ROWS:
        floats, of_lanes = (
            supported_verbs(system, *asked) for asked in ((float_verbs, 1), (lane_verbs, WIDTH))
        )
        kinds = struct_types(system, work, single)
        compile_verbs(type(system), verb_requests(system, work, single, float_verbs, lane_verbs))

        def row_of(verb) -> Row:
            refused = refusing_callback(verb.__name__)
            for_floats = verb_callback(verb, kinds[0], 1) if verb in floats else refused
            for_lanes = verb_callback(verb, kinds[1], WIDTH) if verb in of_lanes else refused
            return for_floats, for_lanes, verb in floats or verb in of_lanes

        rows = [row_of(verb) for verb in VERBS]
        if key[0] is None or is_interpreted():
            return rows
        CALLBACK_ROWS[key] = rows
    return CALLBACK_ROWS[key]


def compile_verbs(kind: type, requests: list[Request], is_last: bool = False) -> None:
    """Load or compile entries of verbs for a type of System, or CompileError says what is wrong
    with which; `is_last`: nothing comes after but loops.
    """
    named = {}
    for request in requests:
        verb = next(verb for verb in VERBS if verb.entry is request.dispatcher)
        method = verb.generic.methods.get((kind,))
        named[request] = f"{verb.__name__} of {kind.__name__}"
        if method is not None:
            check_arguments(verb, kind, getattr(method, "py_func", method))
            named[request] += f" ({method.__name__})"
    with explain_failures(named):
        compile_all(requests, is_last)


def check_arguments(verb, kind: type, method: Callable) -> None:
    """Refuse a method that takes other arguments than its verb."""
    takes, count = inspect.signature(method), 2 + len(verb.form.arguments)
    try:
        takes.bind(*range(count))
    except TypeError:
        raise CompileError(
            f"{method.__name__}{takes} answers {verb.__name__} for {kind.__name__}, which is asked "
            f"with {count} arguments: {verb.__module__} has them"
        ) from None


def has_callbacks(system, work, single, asked: tuple[Verbs, Verbs]) -> bool:
    """Whether this process has made their callbacks, or compiles none."""
    return is_interpreted() or (type_key((system, work, single)), *asked) in CALLBACK_ROWS


def supported_verbs(system, asked: Verbs, width: int) -> list:
    """Those of the verbs that mean anything for a System."""
    return [
        verb
        for verb in VERBS
        if verb in asked
        and has_implementation(verb, system)
        and (width == 1 or verb.form.has_lanes)
    ]


def struct_types(system, work, single) -> tuple:
    """Types of what verbs of floats and of lanes are given."""
    kind = type_of(system)
    return struct_type(kind, type_of(single)), struct_type(kind, type_of(work))


def verb_requests(system, work, single, float_verbs: Verbs, lane_verbs: Verbs) -> list[Request]:
    """What is to be compiled or loaded, so that these verbs can be asked."""
    floats, of_lanes = struct_types(system, work, single)
    return [
        *(verb_request(verb, floats, 1) for verb in supported_verbs(system, float_verbs, 1)),
        *(
            verb_request(verb, of_lanes, WIDTH)
            for verb in supported_verbs(system, lane_verbs, WIDTH)
        ),
    ]


def make_refusal(who: str, kind: type) -> UnansweredVerb:
    """The message where `who` calls a verb that a System of this type does not have."""
    return UnansweredVerb(
        lambda verb: f"{who} asked {kind.__name__} for '{verb}', {refusal_reason(verb, kind)}"
    )


def refusal_reason(name: str, kind: type) -> str:
    verb = next(verb for verb in VERBS if verb.__name__ == name)
    return (
        "which is not among the functions of the equations (verbs.py) that it says it needs"
        if has_implementation(verb, kind)
        else "which it does not answer"
    )


def empty_table() -> Addresses:
    """Of the type that all have."""
    refused = refusing_callback("rates")
    return make_table([(refused, refused, False)])


def make_table(rows) -> Addresses:
    """(verbs, 3): address for floats, address for lanes, and whether there is an answer."""
    return address_array(
        [
            [floats.address, of_lanes.address, int(is_answered)]
            for floats, of_lanes, is_answered in rows
        ],
        rows,
        3,
    )
