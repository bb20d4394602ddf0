"""Where this package depends on private parts of Numba: all of them, each with its reason, and a
test of each assumption.

`python -m hamiltree.compiled.selftest` says which assumption does not hold under the Numba that is
installed.
"""

import gc
from collections.abc import Callable
from typing import Any

from llvmlite import binding as llvm
from numba import _dynfunc, config, njit
from numba.core import event
from numba.core.codegen import CPUCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.registry import cpu_target
from numba.core.serialize import dumps
from numba.core.typing import signature as make_signature

from hamiltree.compiled.fingerprint import Contents, contents_of, merge_contents

# `_nrt=False`: no run-time memory. A kernel that allocated would not compile, and no references are
# counted.
# No fast-math, not even "contract": which product LLVM fuses differs between floats and lanes. The
# algebra says `fma` itself.
OPTIONS = {"error_model": "numpy", "_nrt": False}
INLINE_OPTIONS = {
    **OPTIONS,
    "forceinline": True,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}
PART_OPTIONS = {**OPTIONS, "nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
KERNEL_OPTIONS = {**OPTIONS, "nogil": True}


def is_interpreted() -> bool:
    """Whether the user has switched the compiler off (NUMBA_DISABLE_JIT)."""
    return bool(config.DISABLE_JIT)


def dispatcher_of(function, options: dict, cache: Any = None):
    """Numba's dispatcher for a function.

    `_cache`: there is no public way to keep code in a cache of one's own.
    """
    dispatcher = njit(**options)(function)
    if cache is not None and not is_interpreted():
        dispatcher._cache = cache
    return dispatcher


# ---- what is being compiled, and what it contains ------------------------------------------------
COMPILING: list[Any] = []  # dispatchers, the innermost last
FROZEN: set[bool] = set()  # not empty: somebody has frozen objects (gc.freeze)
# (dispatcher, is it the beginning, depth) -> None: whoever shows what is compiled
LISTENERS: list[Callable] = []


def is_compiling_own() -> bool:
    """Whether a kernel of this package is being compiled."""
    return bool(COMPILING) and COMPILING[0].py_func.__module__.startswith("hamiltree")


class CompileListener(event.Listener):
    """Numba says when it compiles what; nested calls come between the two. Python's search for
    cycles among the millions of objects that a compiler makes takes an eighth of the time and finds
    nothing: it pauses meanwhile. An interrupt may come at any time: Numba then tells the end of
    what it began.
    """

    was_collecting = False

    def on_start(self, event):
        COMPILING.append(event.data["dispatcher"])
        if len(COMPILING) == 1:
            self.was_collecting = gc.isenabled()
            gc.disable()
        for notify in LISTENERS:
            notify(COMPILING[-1], True, len(COMPILING))

    def on_end(self, event):
        """After the outermost function, search for cycles again; then tell listeners."""
        dispatcher, depth = event.data["dispatcher"], len(COMPILING)
        if COMPILING[-1:] == [dispatcher]:
            COMPILING.pop()
        has_paused = self.was_collecting and not COMPILING
        try:
            if has_paused:
                count_as_old()
        finally:
            if has_paused:
                gc.enable()
                self.was_collecting = False
            if has_failed(event) and hasattr(dispatcher._cache, "give_up"):
                dispatcher._cache.give_up()
        for notify in LISTENERS:
            notify(dispatcher, False, depth)


def count_as_old() -> None:
    """Count what was made as old: Python's next search is for cycles among new objects, and would
    look through all of it. Objects that somebody has frozen stay so; to count them takes long, and
    is done once.
    """
    if not FROZEN and gc.get_freeze_count() == 0:
        try:
            gc.freeze()
        finally:
            gc.unfreeze()
    else:
        FROZEN.add(True)


def has_failed(event) -> bool:
    """`_exc_details`: Event.is_failed says False of every event that has ended."""
    return (event._exc_details or (None,))[0] is not None


event.register("numba:compile", CompileListener())


def contents_of_library(library) -> Contents:
    """Of the function that a library was made for, and of the libraries linked into it.

    `_linking_libraries`: the only record of what a function calls that was compiled before it.
    """
    if not hasattr(library, "contents"):
        stubs = [
            used.name for used in library._linking_libraries if getattr(used, "is_loaded", False)
        ]
        assert not stubs, (
            "a kernel cannot be a part of another one, call an outlined function instead: "
            f"{', '.join(stubs)}"
        )
        own = (
            [contents_of(library.function, getattr(library.function, "choice", None))]
            if hasattr(library, "function")
            else []
        )
        library.contents = merge_contents(
            [*own, *map(contents_of_library, dict.fromkeys(library._linking_libraries))]
        )
    return library.contents


# ---- parts are optimised where they are used, not by themselves ----------------------------------
# Numba turns every function it meets into machine code, also one that exists only to be put in
# place elsewhere: three quarters of the time to compile. A part (no wrapper) is only linked; what
# contains it is optimised as a whole. `get_executable` and `finalize` are replaced, for functions
# of this package alone; `_dynfunc.make_function` makes the entry point that nobody calls.
make_executable, finalize_library = CPUContext.get_executable, CPUCodeLibrary.finalize
# of the kernel that is being loaded: it is whole, although it has no functions to be seen
LOADING: list[Contents] = []


def remember_function(library, fndesc) -> None:
    """Remember which Python function the library is of."""
    function = COMPILING[-1].py_func if COMPILING else None
    if function is not None and (function.__module__, function.__qualname__) == (
        fndesc.modname,
        fndesc.qualname,
    ):
        library.function = function


def is_part(library, fndesc) -> bool:
    if LOADING or not fndesc.modname.startswith("hamiltree"):
        return False
    wrappers = fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name
    return not any(function.name in wrappers for function in library._final_module.functions)


def executable_unless_part(context, library, fndesc, env):
    remember_function(library, fndesc)
    if not is_part(library, fndesc):
        return make_executable(context, library, fndesc, env)
    library.is_part = True
    return _dynfunc.make_function(
        fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "", 0, env, (library,)
    )


def finalize_unless_part(library):
    """A part is left as it is.

    What contains parts is given their parts as well: each is linked once, however often it is used,
    and after all that use it, since LLVM leaves out what nothing uses yet.
    """
    if getattr(library, "is_part", False):
        library._finalized = True
        return None
    library._linking_libraries = users_first(library)
    return finalize_library(library)


def users_first(library) -> list:
    """Libraries that a library is made of, however deep, each after all that use it."""
    complete: dict = {}

    def visit(one) -> None:
        for used in dict.fromkeys(one._linking_libraries):
            if used not in complete and getattr(used, "is_part", False):
                visit(used)
            complete.setdefault(used)

    visit(library)
    return [*reversed(complete)]


def check_declarations(library) -> None:
    """A function of the package that is called and not there would be a call of address zero; Numba
    looks for its own functions alone.
    """
    check_declarations_of_numba(library)
    missing = [
        function.name
        for function in library._final_module.functions
        if function.is_declaration and function.name.startswith("_ZN9hamiltree")
    ]
    if missing:
        raise AssertionError(  # also under python -O
            f"{library.name} calls what was not linked; perhaps a variable changes its type: "
            f"{missing}"
        )


CPUContext.get_executable, CPUCodeLibrary.finalize = executable_unless_part, finalize_unless_part
check_declarations_of_numba = CPUCodeLibrary._verify_declare_only_symbols
CPUCodeLibrary._verify_declare_only_symbols = check_declarations


# ---- what lies behind an address -----------------------------------------------------------------
# Fields of a view (pointer.py) are read where they are used, often in a branch of a loop. LLVM
# reads them before the loop only if it knows that they can be read: so it is given how many bytes
# lie behind an argument. Numba has no way to say so; `declare_function` is replaced.
declare_function_of_numba = CPUContext.declare_function


def declare_function(context, module, fndesc):
    """As Numba does, with size and alignment of what lies behind each address."""
    function = declare_function_of_numba(context, module, fndesc)
    behind = {
        f"arg.{name}": getattr(kind, "bytes_behind", (0, 1))
        for name, kind in zip(fndesc.args, fndesc.argtypes, strict=True)
    }
    for argument in function.args:
        size, alignment = behind.get(argument.name, (0, 1))
        if size:
            argument.attributes.dereferenceable, argument.attributes.align = size, min(alignment, 8)
    return function


CPUContext.declare_function = declare_function


# ---- compiled code as bytes ----------------------------------------------------------------------
# `CompileResult._reduce` and `_rebuild` are what Numba's own cache uses. They carry the code a
# second time, as bitcode that others may link; a kernel is only called, so of the bitcode nothing
# but the names is kept. `_dynamic_globals`: addresses that no file may hold.
def serialise_kernel(result) -> bytes | None:
    """A compiled kernel as bytes; None if it holds an address of this process."""
    if result.library.has_dynamic_globals or result.lifted:
        return None
    (name, kind, (machine_code, _)), fndesc, env, *rest, _, reload_init, envs = result._reduce()
    kept = tuple(each for each in envs if each.consts)
    library = (
        name,
        kind,
        (
            machine_code,
            stub_bitcode(
                result.library._final_module, {env.env_name, *(each.env_name for each in kept)}
            ),
        ),
    )
    return dumps((library, fndesc, env, *rest, "", reload_init, kept))


def stub_bitcode(module, wanted: set[str]) -> bytes:
    """The bitcode of a module that defines the same wrappers and environments, and has nothing in
    them.
    """
    functions = [
        f.name
        for f in module.functions
        if not f.is_declaration and (f.name.startswith(("cfunc.", "_ZN7cpython")))
    ]
    variables = [v.name for v in module.global_variables if v.name in wanted]
    lines = [f'define void @"{name}"() {{ ret void }}' for name in functions]
    lines += [f'@"{name}" = global i64 0' for name in variables]
    return llvm.parse_assembly("\n".join(lines)).as_bitcode()


def restore_kernel(state: tuple, contents: Contents):
    """A compiled kernel from what `serialise_kernel` made of it, without refreshing the compiler's
    registries.
    """
    LOADING.append(contents)
    try:
        result = CompileResult._rebuild(cpu_target.target_context, *state)
    finally:
        LOADING.pop()
    result.library.contents, result.library.is_loaded = contents, True
    return result


def with_signature(result, arguments: tuple):
    """The kernel for types that are at hand.

    Those in the file may be copies: a class of the user's script is written out, not named.
    """
    return result._replace(signature=make_signature(result.signature.return_type, *arguments))


def address_of(dispatcher, signature) -> tuple[int, Any]:
    """Where the C function for these types begins, compiled or loaded; and what keeps it alive.

    `overloads`, `llvm_cfunc_wrapper_name`: a `cfunc` would have the same address, but no cache of
    one's own.
    """
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature]
    address = result.library.get_pointer_to_function(result.fndesc.llvm_cfunc_wrapper_name)
    assert address, f"{dispatcher.py_func.__qualname__} has no C function"
    return address, result


def keep_machine_code_only(dispatcher, signature) -> tuple[int, Any]:
    """The address as of `address_of`, while all else that the compiler made of the function is let
    go: Numba keeps its intermediate code, its types and LLVM's module for ever, a megabyte for a
    short formula.

    The machine code itself is never freed, so that no address can become invalid; what it may read
    is the environment. `_codegen`, `_engine`, `_ee`, `_final_module`: Numba leaves modules in
    LLVM's engine because removing one frees nothing of its machine code, which is what we need.
    """
    address, result = address_of(dispatcher, signature)
    library = result.library
    library._codegen._engine._ee.remove_module(library._final_module)
    return address, result.environment


# ---- the compiler's settings ---------------------------------------------------------------------
SETTINGS = (
    "OPT",
    "BOUNDSCHECK",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "ENABLE_AVX",
    "DEBUGINFO_DEFAULT",
    "USING_SVML",
)


def settings() -> dict[str, str]:
    return {name: str(getattr(config, name, None)) for name in SETTINGS}


def target() -> tuple[str, str, str]:
    """Triple, name and features of the processor that code is made for; the user may have set the
    last two.
    """
    name = config.CPU_NAME or llvm.get_host_cpu_name()
    features = (
        llvm.get_host_cpu_features().flatten()
        if config.CPU_FEATURES is None
        else config.CPU_FEATURES
    )
    return llvm.get_process_triple(), name, features
