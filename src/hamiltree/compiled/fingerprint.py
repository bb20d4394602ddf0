"""What a kernel contains, and whether it still does: the key of compiled code.

A kernel is made of functions that are found out while it is compiled. Each is known by its module
and name and by a hash of its bytecode, constants, and the values of the globals and closures that
it reads. Comments, docstrings, line numbers and the place of the files do not count. Which method a
generic function chose is written down as a choice and asked again when the kernel is loaded.
"""

import builtins
import dis
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Iterable
from functools import cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

COMPILED_PACKAGE = "hamiltree.compiled"  # its code emitters count as a part of the compiler
COMPILER = COMPILED_PACKAGE, "numba."  # whose versions are in the name of the folder
EMITTERS = (
    "kernel",
    "internals",
    "shortcuts",
    "lanes",
    "number",
    "functions",
    "pointer",
    "callback",
    "verb",
    "user_code",
    "stack",
    "threads",
    "triples",
)
# the last two since Python 3.13
DOCUMENTATION_NAMES = ("__doc__", "__firstlineno__", "__static_attributes__")
CONSTANT = frozenset(dis.hasconst)
LOAD_GLOBAL = dis.opmap["LOAD_GLOBAL"]
ATTRIBUTE = frozenset(
    code for name, code in dis.opmap.items() if name in ("LOAD_ATTR", "LOAD_METHOD")
)


class Choice(NamedTuple):
    """A generic function, the kinds it was asked for, and the method that it chose; all as text."""

    generic: str
    kinds: tuple[str, ...]
    method: str


class Contents(NamedTuple):
    functions: dict[str, str]  # "module:name" -> hash
    choices: frozenset[Choice]


NO_CONTENTS = Contents({}, frozenset())


def merge_contents(parts: Iterable[Contents]) -> Contents:
    functions: dict[str, str] = {}
    choices: set[Choice] = set()
    for part in parts:
        functions |= part.functions
        choices |= part.choices
    return Contents(functions, frozenset(choices))


# ---- names ---------------------------------------------------------------------------------------
def qualified_name(thing: Any) -> str:
    """Module and name of a class or function; of one that was made inside a function, of that
    function.
    """
    thing = getattr(thing, "py_func", thing)
    outermost = thing.__qualname__.split(".<locals>")[0]
    return f"{thing.__module__}:{outermost}"


def method_identity(method: Any) -> str:
    """A method as a choice names it, with what else its code depends on."""
    about = getattr(method, "about", "")
    return f"{qualified_name(method)} {about}" if about else qualified_name(method)


def find(place: str) -> Any:
    """What stands at a place now; None if nothing does.

    Modules of the package are imported; a user's are there or they do not count.
    """
    module, _, name = place.partition(":")
    try:
        found = sys.modules.get(module)
        if found is None:
            found = importlib.import_module(module) if module.startswith("hamiltree.") else None
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found


# ---- the hash of a function ----------------------------------------------------------------------
def text_of_code(code: CodeType) -> str:
    """Instructions with their constants written out, nested functions included, documentation left
    out.
    """
    words = []
    extended = 0
    raw = code.co_code
    for at in range(0, len(raw), 2):
        operation, argument = raw[at], raw[at + 1] | extended
        extended = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation in CONSTANT:
            words.append(f"{operation} {text_of_constant(code.co_consts[argument])}")
        else:
            words.append(f"{operation} {argument}")
    if code.co_name == "<module>" or "__qualname__" in code.co_names:
        words = without_documentation(code, words)
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags
    return f"{names} {counts} {code.co_exceptiontable!r}\n" + "\n".join(words)


def without_documentation(code: CodeType, words: list[str]) -> list[str]:
    """Of a module or class: without the constants that are stored as documentation, or as where the
    class stands.
    """
    stores = {
        f"{dis.opmap['STORE_NAME']} {k}"
        for k, name in enumerate(code.co_names)
        if name in DOCUMENTATION_NAMES
    }
    return [
        word
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if not stores & {word, following}
    ]


def text_of_constant(value: Any) -> str:
    """A constant of bytecode as text, the same in every process: sets are sorted."""
    if isinstance(value, CodeType):
        return text_of_code(value)
    if isinstance(value, (tuple, frozenset)):
        inside = list(map(text_of_constant, value))
        return (
            f"{type(value).__name__}"
            f"({', '.join(sorted(inside) if isinstance(value, frozenset) else inside)})"
        )
    return f"{type(value).__name__} {value!r}"


def globals_read(code: CodeType) -> list[tuple[str, tuple[str, ...]]]:
    """Global names that the code reads, each with the attributes that are taken of it at once;
    nested functions included.
    """
    found = []
    raw = code.co_code
    extended = 0
    at = 0
    chain: list[str] | None = None
    for at in range(0, len(raw), 2):
        operation, argument = raw[at], raw[at + 1] | extended
        extended = argument << 8 if operation == dis.EXTENDED_ARG else 0
        if operation == LOAD_GLOBAL:
            chain = []
            found.append((code.co_names[argument >> 1], chain))
        elif operation in ATTRIBUTE and chain is not None:
            chain.append(code.co_names[argument >> 1 if sys.version_info >= (3, 12) else argument])
        elif operation not in (dis.EXTENDED_ARG, dis.opmap["CACHE"]):
            chain = None
    inner = [
        name
        for constant in code.co_consts
        if isinstance(constant, CodeType)
        for name in globals_read(constant)
    ]
    return [*((name, tuple(attributes)) for name, attributes in found), *inner]


def text_of_value(value: Any, attributes: tuple[str, ...] = ()) -> str:
    """What a compiled function sees of a global or closed-over value."""
    while isinstance(value, ModuleType) and attributes:
        value, attributes = getattr(value, attributes[0], None), attributes[1:]
    if isinstance(value, (bool, int, float, complex, str, bytes, type(None))):
        return f"{type(value).__name__} {value!r}"
    if isinstance(value, np.ndarray):
        return (
            f"array {value.dtype} {value.shape} "
            f"{hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
        )
    if isinstance(value, np.generic):
        return f"{value.dtype} {value!r}"
    if isinstance(value, tuple):
        return f"{kind_name(type(value))}({', '.join(text_of_value(part) for part in value)})"
    if isinstance(value, type):
        return text_of_kind(value)
    if isinstance(value, ModuleType):
        return f"module {value.__name__}"
    if hasattr(value, "__qualname__") or hasattr(value, "py_func"):
        return f"function {qualified_name(value)}"
    return f"object of {kind_name(type(value))}"


@cache
def text_of_kind(kind: type) -> str:
    """A class; of a NamedTuple also its fields and their kinds in order."""
    if not (issubclass(kind, tuple) and hasattr(kind, "_fields")):
        return kind_name(kind)
    annotations = kind.__annotations__
    fields = (
        f"{name}: {text_of_kind(a) if isinstance(a := annotations.get(name), type) else a}"
        for name in kind._fields
    )
    return f"{kind_name(kind)}({', '.join(fields)})"


def kind_name(kind: type) -> str:
    return "float" if kind is float else f"{kind.__module__}:{kind.__qualname__}"


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


# hashes of functions that were asked for, which are kept alive
FUNCTION_HASHES: dict[tuple[int, int], tuple[Any, str]] = {}


def function_hash(function: Any) -> str:
    """Of a function, or of a dispatcher's: its code and all that it reads."""
    function = getattr(function, "py_func", function)
    key = id(function), id(function.__code__)
    if key not in FUNCTION_HASHES:
        FUNCTION_HASHES[key] = (function, function.__code__), digest(text_of_function(function))
    return FUNCTION_HASHES[key][1]


def text_of_function(function: FunctionType) -> str:
    """All that the code of a function depends on: bytecode, globals, closure and defaults."""
    code, lines = function.__code__, []
    for name, attributes in sorted(set(globals_read(code))):
        value = function.__globals__.get(name, getattr(builtins, name, None))
        lines.append(f"{name} {attributes} {text_of_value(value, attributes)}")
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        lines.append(f"{name} = {text_of_value(cell.cell_contents)}")
    defaults = (
        f"{text_of_value(function.__defaults__)} {sorted((function.__kwdefaults__ or {}).items())}"
    )
    return "\n".join([text_of_code(code), defaults, *lines])


# ---- of a compiled function ----------------------------------------------------------------------
def contents_of(function: FunctionType, choice: Choice | None = None) -> Contents:
    """Of one function by itself. One that this package made counts by what made it."""
    choices = frozenset() if choice is None else frozenset([choice])
    place = qualified_name(function)
    if place.startswith(COMPILER):
        return Contents({}, choices)
    found = find(place)
    if is_same_function(getattr(found, "py_func", found), function):
        return Contents({place: function_hash(found)}, choices)
    return Contents(
        {f"{function.__module__}:{function.__qualname__}": function_hash(function)}, choices
    )


def is_same_function(found: Any, function: FunctionType) -> bool:
    """Whether what has a function's name is that function, or has chosen it by types alone
    (`compiled_as`). A function that another one has made with values of its own is not found again:
    what contains it is compiled in every process.
    """
    if not hasattr(found, "__code__"):
        return False
    return found.__code__ is function.__code__ or getattr(found, "chooses_by_types", False)


def is_current(contents: Contents, method_now) -> bool:
    """Whether every function is what it was, and every generic function would choose as it did."""
    return all(current_hash(place) == known for place, known in contents.functions.items()) and all(
        method_now(choice) == choice.method for choice in contents.choices
    )


def current_hash(place: str) -> str:
    found = find(place)
    return function_hash(found) if hasattr(getattr(found, "py_func", found), "__code__") else ""


def digest_of(contents: Contents) -> str:
    return digest(repr((sorted(contents.functions.items()), sorted(contents.choices))))


@cache
def emitter_hash() -> str:
    """Of the modules that emit code, by their bytecode: a part of the compiler."""
    texts = []
    for name in EMITTERS:
        spec = importlib.util.find_spec(f"{COMPILED_PACKAGE}.{name}")
        if spec is not None and spec.loader is not None:
            texts.append(text_of_code(spec.loader.get_code(spec.name)))  # type: ignore[attr-defined]
    return digest("\n".join(texts))
