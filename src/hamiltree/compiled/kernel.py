"""Kernels, generic functions and their methods.

`kernel`    an entry point: compiled, kept on disk (cache.py), callable from Python;
            `kernel.py_func` runs interpreted.
`inlined`   part of a kernel; called from Python it runs interpreted. `outlined`: the same, called
            instead of put in place.
`Generic`   a function whose method is chosen by the kinds of its arguments, at compile time or in
            Python.
"""

from collections.abc import Callable
from types import FunctionType

from numba import errors, types
from numba.extending import overload, register_jitable

from hamiltree.compiled import shortcuts
from hamiltree.compiled.cache import KernelCache
from hamiltree.compiled.fingerprint import Choice, find, kind_name, method_identity
from hamiltree.compiled.internals import INLINE_OPTIONS, KERNEL_OPTIONS, PART_OPTIONS, dispatcher_of
from hamiltree.compiled.pointer import StructViewType

shortcuts.install()


def kernel(function):
    """Compiled on first use, kept on disk, callable from Python; other threads run meanwhile."""
    return dispatcher_of(function, KERNEL_OPTIONS, KernelCache(function))


def guarded_kernel(function):
    """A kernel that keeps other threads waiting, because its scratch may be shared with them."""
    return dispatcher_of(function, {**KERNEL_OPTIONS, "nogil": False}, KernelCache(function))


inlined = register_jitable(**INLINE_OPTIONS)
# A rare or long part of a kernel, compiled once and called: putting it in place wherever it is used
# would make compiling slow.
outlined = register_jitable(**{**INLINE_OPTIONS, "forceinline": False})


def compiled_as(function):
    """Decorator for a function of the arguments' types that gives what a kernel runs in place of
    `function`.
    """

    def register(choose):
        choose.chooses_by_types = True
        return overload(function, jit_options=INLINE_OPTIONS)(choose)

    return register


# ---- generic functions ---------------------------------------------------------------------------
# by name: what a compiled kernel has chosen is asked again when it is loaded
GENERICS: dict[str, "Generic"] = {}


def kind_of(value) -> type:
    """What a method is chosen by: the NamedTuple class of a value, `float` for every number."""
    return type(value) if isinstance(value, tuple) else float


def kind_of_type(numba_type) -> type:
    numba_type = numba_type.content if isinstance(numba_type, StructViewType) else numba_type
    return numba_type.instance_class if isinstance(numba_type, types.BaseNamedTuple) else float


class Generic:
    """A function of several methods; `leading` says how many arguments choose (all, if None).

    From Python a method runs interpreted. In a kernel the compiler puts the method in place, or
    calls it if it `is_called`.
    """

    def __init__(
        self,
        name: str,
        doc: str = "",
        leading: int | None = None,
        is_called: bool = False,
        home: str = "operation",
    ):
        """Register the function by its place, with a call for Python and an overload for
        kernels.
        """
        self.name = name
        self.__doc__ = doc
        self.leading = leading
        self.is_called = is_called
        self.place = f"{home}:{name}"
        assert self.place not in GENERICS, f"there is a generic function {self.place} already"
        GENERICS[self.place] = self
        self.methods: dict[tuple[type, ...], Callable] = {}
        self.fallbacks: list[tuple[tuple[Generic, ...], Callable]] = []
        self.call = self.interpreted_call()
        overload(self.call, jit_options=INLINE_OPTIONS, strict=False)(self.choose)

    def interpreted_call(self):
        """The function that Python calls: it finds a method by the kinds and runs it
        interpreted.
        """

        def call(*args):
            method = self.find(*map(kind_of, args[: self.leading]))
            if method is None:
                raise TypeError(
                    f"{self.name} has no method for "
                    f"{', '.join(kind_of(a).__name__ for a in args[: self.leading])}"
                )
            return getattr(method, "py_func", method)(*args)

        call.__module__, _, call.__qualname__ = self.place.partition(":")
        call.__name__, call.__doc__ = self.name, self.__doc__
        call.method, call.fallback, call.answers, call.generic = (  # type: ignore[attr-defined]
            self.method,
            self.fallback,
            self.answers,
            self,
        )
        return call

    def choose(self, *args):
        """The method for arguments of these types, to be compiled; it remembers what it was chosen
        for.
        """
        kinds = tuple(map(kind_of_type, args[: self.leading]))
        method = self.find(*kinds)
        if method is None and self.leading is not None:
            raise errors.TypingError(f"{self.name} has no method for {args[0]}")
        return (
            None
            if method is None
            else copy_for_choice(
                method, Choice(self.place, tuple(map(kind_name, kinds)), method_identity(method))
            )
        )

    def overload_operator(self, python_operator):
        """Also answer for an operator such as +; kinds without a method are left to others."""
        overload(python_operator, jit_options=INLINE_OPTIONS, strict=False)(self.choose)

    def find(self, *kinds: type):
        """The method for these kinds: its own, or a fallback whose needs they answer."""
        if kinds in self.methods:
            return self.methods[kinds]
        return next(
            (
                fallback_method
                for needs, fallback_method in self.fallbacks
                if all(need.answers(*kinds) for need in needs)
            ),
            None,
        )

    def answers(self, *kinds: type) -> bool:
        return self.find(*kinds) is not None

    def method(self, *kinds: type):
        """Decorator: the meaning of this function for arguments of these kinds."""

        def register(function):
            self.methods[kinds] = self.make_method(function)
            return self.methods[kinds]

        return register

    def fallback(self, *needs):
        """Decorator: the meaning for every kind that answers the needed functions and has no method
        of its own.
        """

        def register(function):
            self.fallbacks.append(
                (tuple(need.generic for need in needs), self.make_method(function))
            )
            return function

        return register

    def make_method(self, function):
        return dispatcher_of(function, PART_OPTIONS) if self.is_called else function


def copy_for_choice(method, choice: Choice):
    """A function of its own for every choice, which carries it; a method may have another form for
    the compiler.
    """
    method = getattr(method, "compiled", method)
    if hasattr(method, "py_func"):
        made = lambda *args: method(*args)
    else:
        made = FunctionType(
            method.__code__,
            method.__globals__,
            method.__name__,
            method.__defaults__,
            method.__closure__,
        )
        made.__qualname__, made.__module__ = method.__qualname__, method.__module__
        made.__kwdefaults__ = method.__kwdefaults__
    made.choice = choice  # type: ignore[attr-defined]
    return made


def current_method(choice: Choice) -> str:
    """Which method a generic function would choose today."""
    generic = GENERICS.get(choice.generic)
    kinds = [float if kind == "float" else find(kind) for kind in choice.kinds]
    method = None if generic is None or None in kinds else generic.find(*kinds)
    return "" if method is None else method_identity(method)


def operation(name: str, doc: str = ""):
    """A function of value types, chosen by the kinds of all its arguments and inlined wherever it
    is used.
    """
    return Generic(name, doc).call
