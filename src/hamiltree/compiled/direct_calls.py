"""Direct calls as Python makes them: built-in functions bound to kernels; direct.py has their code.

`is_available()` says whether there are any here. A function belongs to a tuple of its table, its
fallback and what must live as long; all of it goes when the function goes, and cycles through it
are found by Python.
"""

import importlib.util
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import types

from hamiltree.compiled import direct
from hamiltree.compiled.cache import KernelCache
from hamiltree.compiled.callback import ENTRY_OPTIONS
from hamiltree.compiled.fingerprint import digest, text_of_code
from hamiltree.compiled.internals import address_of, dispatcher_of
from hamiltree.compiled.pointer import StructPointer, type_of
from hamiltree.compiled.python_objects import FIRST_OF_TUPLE, interface, make_builtin

MODULES = ("hamiltree.compiled.python_objects", "hamiltree.compiled.direct")
RECORD_HEADER = 24  # bytes before the items of a tuple: references, type, length
SPARES = 2  # arrays, or pairs of them, that are given again
LARGEST_SPARE = 1000  # numbers: more than these take longer to compute than to make


def is_available() -> bool:
    """Whether calls can be direct here; if not, Python's own functions do all."""
    return interface() is not None


# ---- code ----------------------------------------------------------------------------------------
class DirectCache(KernelCache):
    """The cache of a direct call, by the text of the modules that it is made of: an edit there
    compiles no physics.
    """

    @property
    def name(self) -> str:
        return f"{super().name}.{hash_of_modules()}"


@cache
def hash_of_modules() -> str:
    specs = [importlib.util.find_spec(name) for name in MODULES]
    texts = [text_of_code(spec.loader.get_code(spec.name)) for spec in specs]  # type: ignore
    return digest("\n".join(texts))[:8]


@cache
def code_address(function: Callable) -> int:
    """Where a direct call begins, compiled or loaded; it stays for as long as the process lives."""
    dispatcher = dispatcher_of(function, ENTRY_OPTIONS, DirectCache(function))
    address, kept = address_of(dispatcher, (types.int64,) * 4)
    KEPT.append((dispatcher, kept))
    return address


KEPT: list[Any] = []


class Kernel(NamedTuple):
    """A compiled kernel behind its address, and the structure that it works on."""

    address: int
    pointer: StructPointer
    kept: Any


def kernel_for(dispatcher: Any, pointer: StructPointer, *arguments: Any) -> Kernel:
    """The kernel for a pointer and for arguments of these types."""
    address, kept = address_of(dispatcher, tuple(map(type_of, (pointer, *arguments))))
    return Kernel(address, pointer, kept)


# ---- functions -----------------------------------------------------------------------------------
class Part(NamedTuple):
    """A part of an answer: where it begins in what a kernel writes, and its shape."""

    start: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))


class Answer(NamedTuple):
    """A query as a direct call needs it."""

    kernel: Kernel
    widths: Sequence[int]  # of q, speeds and a third vector, as many as are given
    default: np.ndarray | None  # the third vector if it is left out
    output_size: int  # numbers that the kernel writes
    parts: Sequence[Part]
    kind: type | None  # of the tuple of parts; None: there is one part, and no tuple
    spares: Sequence[np.ndarray] = ()  # what it may be given in: with_spares

    @property
    def is_whole(self) -> bool:
        """Whether it is one array, of all that the kernel writes; a number is none."""
        first = self.parts[0]
        return self.kind is None and first.size == self.output_size and len(first.shape) > 0


def with_spares(answer: Answer) -> Answer:
    """With arrays that are given again and again to callers who do not keep them."""
    count = SPARES if answer.is_whole and answer.output_size <= LARGEST_SPARE else 0
    return answer._replace(spares=[np.zeros(answer.parts[0].shape) for _ in range(count)])


def make_call(code: Callable, name: str, doc: str, fallback: Callable, *kept: Any) -> Callable:
    """A built-in function that only calls the fallback, until its table is filled. `doc` begins
    with the signature ("f(q, p)\\n--\\n\\n…"); `kept` lives as long as the function.
    """
    known = interface()
    assert known is not None, "there are no direct calls here: ask is_available()"
    table = np.zeros(direct.TABLE_WORDS, dtype=np.int64)
    table[: len(known)] = known
    table[direct.FALLBACK] = id(fallback)
    return make_builtin(name, doc, code_address(code), (table, fallback, *kept))


def table_of(function: Any) -> np.ndarray:
    return function.__self__[0]


def fallback_of(function: Any) -> Any:
    return function.__self__[1]


def answer_of(function: Any) -> Answer:
    """What a function with a time is bound to."""
    return function.__self__[2]


def direct_rates(
    name: str, doc: str, fallback: Callable, kernel: Kernel, layout: Sequence[int], *kept: Any
) -> Callable:
    """f(q, p) and f(q, p, out); `layout` has the lengths of q and p."""
    count = SPARES if sum(layout) <= LARGEST_SPARE else 0
    pairs = [(np.zeros(layout[0]), np.zeros(layout[1])) for _ in range(count)]
    made = make_call(direct.rates_directly, name, doc, fallback, kernel, *kept, *pairs)
    table = table_of(made)
    table[direct.FIRST_PAIR :][:count] = list(map(id, pairs))
    table[direct.KERNEL] = kernel.address
    table[direct.POINTER] = kernel.pointer.address
    table[[direct.POSITIONS, direct.MOMENTA]] = layout
    return made


def direct_query(name: str, doc: str, fallback: Callable) -> Callable:
    """f(q, speeds, third vector), as many as the answer takes to which it is bound later."""
    return make_call(direct.answer_directly, name, doc, fallback)


def timed_query(name: str, doc: str, fallback: Callable, answer: Answer) -> Callable:
    """The same with the time before them: f(t, q, …)."""
    made = make_call(direct.answer_directly, name, doc, fallback, answer)
    table_of(made)[direct.TAKES_TIME] = 1
    bind_answer(made, answer)
    return made


def query_by_name(
    name: str, doc: str, fallback: Callable, queries: dict[str, Callable]
) -> Callable:
    """f(q, …, name): what the timed query of that name answers at t = 0, if the dictionary has
    it.
    """
    made = make_call(direct.answer_by_name, name, doc, fallback, queries)
    table_of(made)[direct.QUERIES] = id(queries)
    return made


def bind_answer(function: Any, answer: Answer) -> None:
    """From now on the function asks this. The answer must live as long as the function: in what its
    fallback knows, or in what it keeps.
    """
    if not fits(answer):
        return
    parts, table = answer.parts, table_of(function)
    table[direct.POINTER] = answer.kernel.pointer.address
    table[direct.INPUTS] = len(answer.widths)
    table[direct.FIRST_WIDTH :][: len(answer.widths)] = answer.widths
    table[direct.DEFAULT] = 0 if answer.default is None else answer.default.ctypes.data
    table[direct.OUTPUT_SIZE] = answer.output_size
    table[direct.IS_WHOLE] = answer.is_whole
    table[direct.KIND] = 0 if answer.kind is None else id(answer.kind)
    table[direct.PARTS] = len(parts)
    for k, part in enumerate(parts):
        words = (part.start, len(part.shape), *part.shape)
        table[direct.FIRST_PART + k * direct.PART_WORDS :][: len(words)] = words
    table[direct.FIRST_SPARE :][: len(answer.spares)] = list(map(id, answer.spares))
    table[direct.KERNEL] = answer.kernel.address  # the last: now it is called


def fits(answer: Answer) -> bool:
    """Whether the table has room for the parts, and a tuple of them is filled item by item as up to
    Python 3.13; if not, the fallback answers.
    """
    return (
        len(answer.parts) <= direct.MOST_PARTS
        and all(len(part.shape) <= direct.MOST_AXES for part in answer.parts)
        and (answer.kind is None or FIRST_OF_TUPLE == RECORD_HEADER)
    )
