"""Whether Numba is what this package takes it for: `python -m hamiltree.compiled.selftest` tries
each assumption and names those that fail.

Each is a few lines that need one private part of Numba (internals.py) or one fact about how it lays
out data.
"""

import contextlib
import gc
import os
import pickle
import subprocess
import sys
import tempfile
import uuid
import weakref
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

ASSUMPTIONS: dict[str, Callable[[], None]] = {}


def assumption(sentence: str):
    """Decorator: a function that fails if the sentence is not true."""

    def register(check):
        ASSUMPTIONS[sentence] = check
        return check

    return register


class Pair(NamedTuple):
    first: np.ndarray
    flag: bool
    second: float
    inner: tuple


@assumption("the modules and names that internals.py imports and replaces are there")
def names_are_there():
    """Replaced functions are in place, and the private names exist."""
    from numba.core.codegen import CPUCodeLibrary, JITCodeLibrary
    from numba.core.compiler import CompileResult
    from numba.core.cpu import CPUContext

    import hamiltree.compiled.internals as internals
    from hamiltree.compiled.kernel import shortcuts

    assert CPUContext.get_executable is internals.executable_unless_part
    assert CPUCodeLibrary.finalize is internals.finalize_unless_part
    assert CPUContext.declare_function is internals.declare_function
    assert CPUCodeLibrary._optimize_functions is shortcuts.optimize_functions
    assert CPUCodeLibrary._optimize_final_module is shortcuts.optimize_module
    assert CPUCodeLibrary.add_ir_module is shortcuts.add_module
    assert CPUCodeLibrary._verify_declare_only_symbols is internals.check_declarations
    assert "finalize" not in vars(JITCodeLibrary)
    assert not vars(JITCodeLibrary).keys() & {"_optimize_functions", "_optimize_final_module"}
    assert hasattr(CompileResult, "_reduce") and hasattr(CompileResult, "_rebuild")


@assumption("variables of an instruction are found as Numba finds them, and parts are not timed")
def variables_are_listed():
    """Numba's own search and ours give the same variables in the same order."""
    from numba.core import event, ir

    from hamiltree.compiled.kernel import shortcuts

    assert ir.Inst._rec_list_vars is shortcuts.list_variables
    assert event.install_timer is shortcuts.install_timer
    assert (event.start_event, event.end_event) == (shortcuts.start_event, shortcuts.end_event)
    place = ir.Loc("selftest", 1)
    scope = ir.Scope(None, place)
    a, b, c, d = (scope.define(name, place) for name in "abcd")
    call = ir.Expr.call(a, [b, c, b], (("key", d), ("other", (a, [c]))), place)
    for value in (call, ir.Assign(call, d, place), ir.Expr.build_map([(a, b)], 1, {}, {}, place)):
        ours = [variable.name for variable in value.list_vars()]
        theirs = shortcuts.list_variables_of_numba(value, value.__dict__)
        assert ours == [variable.name for variable in theirs]


@assumption("the type of a tuple keeps its hash, in this process alone")
def hashes_are_kept():
    """The hash is Numba's, is found once, and is left out of what a file keeps."""
    from numba import float64, int64, types
    from numba.core.serialize import dumps

    inner = types.Tuple((float64, int64))
    for kind in (
        inner,
        types.UniTuple(inner, 3),
        types.NamedTuple((inner, int64), namedtuple("Kept", "a b")),
        types.NamedUniTuple(inner, 2, namedtuple("Kept", "a b")),
    ):
        assert hash(kind) == hash(kind.key) == vars(kind)["kept_hash"]
        assert b"kept_hash" not in dumps(kind)
    assert pickle.loads(pickle.dumps(inner)) is inner


@assumption("flags have the values that Numba reads one by one")
def flags_are_read():
    from numba.core.compiler import Flags

    flags = Flags()
    flags.nrt, flags.error_model = True, "numpy"
    expected = {name: getattr(flags, name) for name in flags.options}
    assert list(flags.values().items()) == list(expected.items())
    assert flags != Flags() and hash(flags) == hash(Flags(flags)) and flags == Flags(flags)


@assumption("declarations that are new are found, and only then looked for")
def declarations_are_found():
    """A new declaration changes the count; Numba's own search runs then, and not otherwise."""
    from numba.core.imputils import builtin_registry
    from numba.core.registry import cpu_target

    from hamiltree.compiled.kernel import shortcuts

    context = cpu_target.target_context
    context.refresh()
    assert shortcuts.SEEN[context] == shortcuts.count_declarations(context)
    declared = uuid.uuid4().hex
    builtin_registry.lower(declared)(lambda *call: None)
    assert shortcuts.SEEN[context] == shortcuts.count_declarations(context) - 1
    assert declared not in context._defns
    context.refresh()
    assert declared in context._defns


@assumption("lifetimes of variables are computed when they are asked for")
def lifetimes_are_computed_late():
    """In a kernel of the package nothing is computed at once; what is asked for is Numba's."""
    from numba.core.compiler import run_frontend
    from numba.core.postproc import PostProcessor

    import hamiltree.compiled.internals as internals

    code = run_frontend(range_of_mask)
    expected = code.variable_lifetime.deadmaps.combined
    internals.COMPILING.append(kernels().doubled)
    try:
        PostProcessor(code).run()
    finally:
        internals.COMPILING.pop()
    assert "deadmaps" not in vars(code.variable_lifetime)
    assert code.variable_lifetime.deadmaps.combined == expected


@assumption("a module that LLVM has read is freed without a search for cycles")
def modules_are_taken_apart():
    """Its instructions are gone when nobody holds them."""
    from llvmlite import ir
    from numba.core.registry import cpu_target

    import hamiltree.compiled.internals as internals

    module = ir.Module("leftover")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [ir.DoubleType()]), "nothing")
    held = weakref.ref(ir.IRBuilder(function.append_basic_block()).ret_void())
    internals.COMPILING.append(kernels().doubled)
    try:
        cpu_target.target_context.codegen().create_library("leftover").add_ir_module(module)
    finally:
        internals.COMPILING.pop()
    gc.disable()
    del module, function
    is_left = held() is not None
    gc.enable()
    assert not is_left


def range_of_mask(first: int, last: int) -> int:
    """A function with a branch and a loop."""
    mask = 0
    for place in range(first, last):
        mask = mask if place < 0 else mask | (1 << place)
    return mask


@assumption("a structure in memory is laid out as pointer.py packs it")
def structures_are_laid_out():
    from hamiltree.compiled.pointer import StructPointer

    value = Pair(np.arange(12.0).reshape(3, 4), True, 2.5, (7, False, True, np.ones(2), 1.5))
    expected = 11.0 + 1.0 + 2.5 + 7.0 + 0.0 + 1.0 + 2.0 + 1.5 + 3.0 + 4.0
    assert kernels().sum_of_pair(StructPointer(value, 3)) == expected
    # packed by the compiler
    assert kernels().sum_of_values(value, value._replace(second=3.5), 3) == 2 * expected + 1.0


@assumption("a part is linked into the kernel that uses it, and not compiled by itself")
def parts_are_linked():
    """An outlined function is a part in the libraries of its kernel."""
    found = kernels()
    found.doubled(3.0)
    (result,) = found.doubled.overloads.values()
    parts = [
        library
        for library in result.library._linking_libraries
        if getattr(library, "is_part", False)
    ]
    assert parts, "nothing was linked"
    assert found.doubled(4.0) == 8.0


@assumption("Numba says when it begins and ends to compile a function, and which")
def compilation_is_reported():
    """Listeners get the start and the end of a kernel and of its parts."""
    from hamiltree.compiled.internals import LISTENERS

    heard = []
    LISTENERS.append(
        listen := lambda dispatcher, is_start, depth: heard.append(
            (dispatcher.py_func.__name__, is_start, depth)
        )
    )
    try:
        kernels().tripled(1.0)
    finally:
        LISTENERS.remove(listen)
    names = {name for name, _, _ in heard}
    assert (
        heard[0] == ("tripled", True, 1)
        and heard[-1] == ("tripled", False, 1)
        and "three_times" in names
    ), heard


@assumption("a compilation that fails is reported as failed")
def failures_are_reported():
    """A kernel that does not compile gives up its lock."""
    from numba.core.errors import NumbaError

    dispatcher = kernels().failing
    given_up = []
    dispatcher._cache.give_up = lambda: given_up.append(True)
    with contextlib.suppress(NumbaError):
        dispatcher(1.0)
    assert given_up, "the lock of a kernel that does not compile would never be released"


@assumption("the contents of a kernel are found by its libraries")
def contents_are_found():
    from hamiltree.compiled.internals import contents_of_library

    found = kernels()
    found.doubled(1.0)
    (result,) = found.doubled.overloads.values()
    names = {place.rpartition(":")[2] for place in contents_of_library(result.library).functions}
    assert {"doubled", "twice"} <= names, names


@assumption("a compiled kernel can be written and read back, and gives the same")
def kernels_are_kept():
    """A serialised and restored kernel gives the same result."""
    import pickle

    from hamiltree.compiled.internals import contents_of_library, restore_kernel, serialise_kernel

    found = kernels()
    found.doubled(1.0)
    (result,) = found.doubled.overloads.values()
    code = serialise_kernel(result)
    assert code is not None
    again = restore_kernel(pickle.loads(code), contents_of_library(result.library))
    assert again.entry_point(2.5) == 5.0


@assumption("a kernel that is called by its address gets its arguments, for floats and lanes")
def addresses_are_called():
    """A callback gets its context and arguments, of floats and of lanes."""
    from hamiltree.compiled.callback import (
        array_type,
        callback,
        callback_table,
        number_type,
        pointer_table,
        struct_type,
        type_of,
    )

    found, factors = kernels(), np.array([3.0])
    for width, shape in ((1, (1,)), (4, (1, 4))):
        entry = callback(
            found.multiply,
            struct_type(type_of(factors)),
            struct_type(number_type(width), array_type(1, width)),
        )
        out = np.full(shape, 2.0)
        found.call_by_address(callback_table([[entry]], 1), pointer_table([(factors,)]), out)
        assert (out == 6.0).all(), out


@assumption("lanes and floats give the same bits")
def lanes_are_floats():
    found = kernels()
    floats, lanes = np.linspace(0.1, 2.0, 8), np.linspace(0.1, 2.0, 8).reshape(2, 4).copy()
    found.sines(floats)
    found.sines(lanes)
    assert (lanes.ravel() == floats).all()


@assumption("LLVM knows every operation on lanes")
def lanes_are_known():
    """In a process of its own: LLVM ends one that asks for what it does not know."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", LARGEST.format(path=sys.path)],
        capture_output=True,
        text=True,
        env=dict(os.environ),
    )
    said = [line for line in done.stderr.splitlines() if "Error" in line or "ERROR" in line]
    assert done.stdout.split() == ["2.0", "nan"], (
        f"exit code {done.returncode}, {''.join(said[:1])[:80]}"
    )


LARGEST = """
import sys
sys.path[:] = {path!r}
import numpy as np
from hamiltree.compiled.selftest import kernels
numbers = np.array([[1.0, 2.0, 1.5, np.nan], [0.0] * 4])
largest = kernels().largest
largest(numbers)
print(numbers[1, 1], numbers[1, 3])
"""


@assumption("a direct call hands its arrays to a kernel by address (where there are direct calls)")
def direct_calls_reach_kernels():
    """Of a pair of lengths that differ: every word of every array arrives where it belongs."""
    from hamiltree.compiled.direct_calls import direct_rates, is_available, kernel_for
    from hamiltree.compiled.pointer import StructPointer

    if not is_available():
        return
    q, p, scale = np.arange(3.0), np.arange(2.0), StructPointer(np.array([2.0]), 1.0)
    kernel = kernel_for(kernels().scale_both, scale, q, p, q, p)
    scaled = direct_rates("scaled", "scaled(q, p)\n--\n\n", refuse, kernel, (3, 2))
    first, second = scaled(q, p)
    assert first.tolist() == [0.0, 2.0, 4.0] and second.tolist() == [1.0, 3.0]


def refuse(*given):
    raise AssertionError("the call was handed on")


def kernels():
    """The kernels of a module that is made for the purpose, and is gone afterwards; compiled in a
    fresh folder.
    """
    import importlib.util

    # as of the package; never met before, so compiled anew
    name = f"hamiltree.selftest_{uuid.uuid4().hex}"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.py"
        path.write_text(SOURCE)
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None and spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


SOURCE = """
from hamiltree.compiled.callback import call, entry
from hamiltree.compiled.kernel import inlined, kernel, outlined
from hamiltree.compiled.number import load, maximum, sincos, store
from hamiltree.compiled.pointer import in_memory, unpack


@outlined
def twice(x):
    return 2.0 * x


@inlined
def three_times(x):
    return 3.0 * x


@kernel
def doubled(x):
    return twice(x)


@kernel
def tripled(x):
    return three_times(x)


@kernel
def failing(x):
    return x.nothing


@kernel
def sines(numbers):
    for i in range(numbers.shape[0]):
        s, c = sincos(load(numbers, i))
        store(numbers, i, s * c)


@kernel
def scale_both(pointer, q, p, scaled, shifted):
    factor, shift = unpack(pointer)
    for i in range(q.shape[0]):
        scaled[i] = factor[0] * q[i]
    for i in range(p.shape[0]):
        shifted[i] = factor[0] * p[i] + shift
    return scaled.shape[0] == 3 and shifted.shape[0] == 2


@kernel
def largest(numbers):
    store(numbers, 1, maximum(load(numbers, 0), 1.0 + load(numbers, 1)))


@entry
def multiply(context, arguments):
    (factors,) = unpack(context)
    x, out = unpack(arguments)
    store(out, 0, load(factors, 0) * x)


@kernel
def call_by_address(code, context, out):
    call(code, 0, 0, context, 0, (load(out, 0), out))


@kernel
def sum_of_pair(handle):
    pair, count = unpack(handle)
    return sum_of_fields(pair, count)


@kernel
def sum_of_values(pair, other, count):
    first, second = in_memory(pair), in_memory(other)
    return sum_of_fields(first, count) + sum_of_fields(second, count)


@outlined
def sum_of_fields(pair, count):
    n, flag, other, ones, x = pair.inner
    total = pair.first[2, 3] + pair.second + n + ones[0] + ones[1] + x + count + pair.first.shape[1]
    return total + (1.0 if pair.flag else 0.0) + (10.0 if flag else 0.0) + (1.0 if other else 0.0)
"""


def failed_assumptions() -> dict[str, str]:
    """The assumptions that do not hold, and how they fail."""
    found = {}
    for sentence, check in ASSUMPTIONS.items():
        try:
            check()
        except Exception as error:  # whatever another Numba raises is what is asked for
            found[sentence] = (
                f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
            )
    return found


def main() -> int:
    """Try every assumption, print which hold, and return the exit code."""
    import llvmlite
    import numba

    failed = failed_assumptions()
    for sentence in ASSUMPTIONS:
        print(
            f"{'BROKEN' if sentence in failed else 'holds '}  {sentence}"
            + (f": {failed[sentence]}" if sentence in failed else "")
        )
    print(
        f"Numba {numba.__version__}, llvmlite {llvmlite.__version__}: "
        f"{len(ASSUMPTIONS) - len(failed)} of {len(ASSUMPTIONS)} hold"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
