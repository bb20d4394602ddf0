"""Compiled code: kernels, generic functions and their methods.

`kernel`    an entry point: compiled, kept on disk (cache.py), callable from Python; `kernel.py_func` runs interpreted.
`inlined`   part of a kernel; called from Python it runs interpreted. `outlined`: the same, called instead of put in place.
`Generic`   a function whose method is chosen by the kinds of its arguments, at compile time or in Python.
"""

from collections.abc import Callable

from llvmlite import binding as llvm
from numba import _dynfunc, config, errors, njit, types
from numba.core.codegen import CPUCodeLibrary
from numba.core.cpu import CPUContext
from numba.extending import overload, register_jitable

from hamiltree.cache import KernelCache, note_outside

# No fast-math, not even "contract": which product LLVM fuses differs between floats and lanes. The algebra says `fma` itself.
# No run-time memory either: a kernel that allocated would not compile, and no references are counted.
OPTIONS = {"error_model": "numpy", "_nrt": False}
INLINE = {**OPTIONS, "forceinline": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
METHOD = {**OPTIONS, "nogil": True, "cache": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
ENTRY = {**OPTIONS, "nogil": True, "cache": True}


def compiled(function, options):
    """Numba's dispatcher for a function, kept on disk."""
    WHOLE.add((function.__module__, function.__qualname__))
    dispatcher = njit(**{name: value for name, value in options.items() if name != "cache"})(function)
    if not config.DISABLE_JIT:
        dispatcher._cache = KernelCache(function)
    return dispatcher


# ---- parts are optimised where they are used, not by themselves ------------------------------------------------------------------
# Numba turns every function it meets into machine code, also one that exists only to be put in place elsewhere: three quarters of the
# time to compile. A part (no wrapper, not kept on disk) is only linked; what contains it is optimised as a whole.
WHOLE: set[tuple[str, str]] = set()
make_executable, finalize_library = CPUContext.get_executable, CPUCodeLibrary.finalize


def is_part(library, fndesc) -> bool:
    own = fndesc.modname.startswith("hamiltree") and (fndesc.modname, fndesc.qualname) not in WHOLE
    wrappers = fndesc.llvm_cpython_wrapper_name, fndesc.llvm_cfunc_wrapper_name
    return own and not any(function.name in wrappers for function in library._final_module.functions)


def executable_unless_part(context, library, fndesc, env):
    if not is_part(library, fndesc):
        return make_executable(context, library, fndesc, env)
    library.is_part = True
    return _dynfunc.make_function(fndesc.lookup_module(), fndesc.qualname.split(".")[-1], "", 0, env, (library,))


def finalize_unless_part(library):
    if not getattr(library, "is_part", False):
        return finalize_library(library)
    for used in dict.fromkeys(library._linking_libraries):
        library._reload_init.update(used._reload_init)
        library._final_module.link_in(used._get_module_for_linking(), preserve=True)
    library._finalized = True


CPUContext.get_executable, CPUCodeLibrary.finalize = executable_unless_part, finalize_unless_part


# ---- what only a rare branch needs is computed there -------------------------------------------------------------------------------
# A verb called by its address opens a System of hundreds of words (algebra/handle.py), most of which are wanted only where a part is
# called that runs seldom. LLVM's usual passes leave the loads at the beginning, 90 ns a call; its sinking pass moves them.
optimize_library = CPUCodeLibrary._optimize_final_module


def optimize_and_sink(library):
    optimize_library(library)
    if any(function.name.startswith("_ZN9hamiltree") for function in library._final_module.functions):
        passes = llvm.create_new_module_pass_manager()
        passes.add_sinking_pass()
        passes.run(library._final_module, llvm.create_pass_builder(library._codegen._tm, llvm.create_pipeline_tuning_options()))


CPUCodeLibrary._optimize_final_module = optimize_and_sink


# ---- what kernels are made of ------------------------------------------------------------------------------------------------------
def kernel(function):
    """Compiled on first use, kept on disk, callable from Python; other threads run meanwhile."""
    return compiled(function, ENTRY)


def guarded_kernel(function):
    """A kernel that keeps other threads waiting, because its scratch may be shared with them."""
    return compiled(function, {**ENTRY, "nogil": False})


inlined = register_jitable(**INLINE)
# A rare or long part of a kernel, compiled once and called: putting it in place wherever it is used would make compiling slow.
outlined = register_jitable(**{**INLINE, "forceinline": False})


# ---- generic functions ---------------------------------------------------------------------------------
def kind_of(value) -> type:
    """What a method is chosen by: the NamedTuple class of a value, `float` for every number."""
    return type(value) if isinstance(value, tuple) else float


def kind_of_type(numba_type) -> type:
    return numba_type.instance_class if isinstance(numba_type, types.BaseNamedTuple) else float


class Generic:
    """A function of several methods; `leading` says how many arguments choose (all, if None).

    From Python a method runs interpreted. In a kernel the compiler puts the method in place.
    """

    def __init__(self, name: str, doc: str = "", leading: int | None = None, options: dict = INLINE):
        self.name, self.__doc__, self.leading, self.options = name, doc, leading, options
        self.methods: dict[tuple[type, ...], Callable] = {}
        self.lifts: list[tuple[tuple[Generic, ...], Callable]] = []
        self.call = self.interpreted_call()
        overload(self.call, jit_options=INLINE, strict=False)(self.choose)

    def interpreted_call(self):
        def call(*args):
            method = self.find(*map(kind_of, args[: self.leading]))
            if method is None:
                raise TypeError(f"{self.name} has no method for {', '.join(kind_of(a).__name__ for a in args[: self.leading])}")
            return getattr(method, "py_func", method)(*args)

        call.__name__, call.__doc__ = self.name, self.__doc__
        call.method, call.lift, call.answers, call.generic = self.method, self.lift, self.answers, self  # type: ignore[attr-defined]
        return call

    def choose(self, *args):
        method = self.find(*map(kind_of_type, args[: self.leading]))
        if method is None and self.leading is not None:
            raise errors.TypingError(f"{self.name} has no method for {args[0]}")
        return (lambda *args: method(*args)) if hasattr(method, "py_func") else method

    def overload_operator(self, python_operator):
        """Also answer for an operator such as +; kinds without a method are left to others."""
        overload(python_operator, jit_options=INLINE, strict=False)(self.choose)

    def find(self, *kinds: type):
        """The method for these kinds: its own, or a lift whose needs they answer."""
        if kinds in self.methods:
            return self.methods[kinds]
        return next((lifted for needs, lifted in self.lifts if all(need.answers(*kinds) for need in needs)), None)

    def answers(self, *kinds: type) -> bool:
        return self.find(*kinds) is not None

    def method(self, *kinds: type):
        """Decorator: the meaning of this function for arguments of these kinds."""

        def register(function):
            note_outside(function)
            self.methods[kinds] = compiled(function, self.options) if "cache" in self.options else function
            return self.methods[kinds]

        return register

    def lift(self, *needs):
        """Decorator: the meaning for every kind that answers the needed functions and has no method of its own."""

        def register(function):
            note_outside(function)
            generics = tuple(need.generic for need in needs)
            self.lifts.append((generics, compiled(function, self.options) if "cache" in self.options else function))
            return function

        return register


def operation(name: str, doc: str = ""):
    """A function of value types, chosen by the kinds of all its arguments and inlined wherever it is used."""
    return Generic(name, doc).call


def verb(declaration):
    """A function chosen by the type of its first argument (a System, a table of forces), compiled and kept on disk by itself."""
    return Generic(declaration.__name__, declaration.__doc__ or "", leading=1, options=METHOD).call
