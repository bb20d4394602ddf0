"""Code of a user, written as text or as Python functions, called from kernels that were compiled
without it (callback.py).

Every UserCallback has one signature, `evaluate(block, parameters, t, y, out)`: out = f_block(t, y;
parameters). `block` chooses one of several functions, `parameters` are floats, and t, y, out are
floats, or rows of four lanes. Kernels see a row of integers, so another expression compiles nothing
but itself.
"""

import ctypes
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numba import carray, njit, types
from numba.core import cgutils
from numba.core.dispatcher import Dispatcher
from numba.core.errors import NumbaError
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, overload

from hamiltree.compiled.callback import (
    Addresses,
    Callback,
    Request,
    address_array,
    callback,
    compile_all,
    emit_call,
    entry,
)
from hamiltree.compiled.internals import INLINE_OPTIONS, is_interpreted
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.lanes import WIDTH, as_vector, is_number, lanes
from hamiltree.compiled.number import lane, load, number_in, row_pointer, store
from hamiltree.compiled.user_trials import Form, check_form
from hamiltree.errors import OptionError

RATES, VELOCITY, FORCE, ENERGY, POWER, INVARIANTS = range(6)  # the blocks of a Hamiltonian's code
MAX_MESSAGE_LINES = 6  # lines of a compiler's message


class UserCallback(NamedTuple):
    """A function void(int64 block, double* parameters, T* t, T* y, T* out): T is a double, or a row
    of four doubles.
    """

    scalar: Callback
    lanes: Callback | None  # None: it runs lane by lane


# columns of a table of codes; HAS_CODE: 0 for no code, 1 without code for lanes, 2
SCALAR, LANES, HAS_CODE = range(3)
# stands where there is no code: it does nothing
NO_OP_ADDRESS = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value


def code_table(codes: Iterable[UserCallback | None]) -> Addresses:
    """(n, 3): one row per UserCallback."""
    codes = list(codes)
    return address_array([row_of(code) for code in codes], codes, 3)


def row_of(code: UserCallback | None) -> tuple[int, int, int]:
    if code is None:
        return NO_OP_ADDRESS, NO_OP_ADDRESS, 0
    return (
        (code.scalar.address, NO_OP_ADDRESS, 1)
        if code.lanes is None
        else (code.scalar.address, code.lanes.address, 2)
    )


# ---- numbers behind a pointer --------------------------------------------------------------------
def take(pointer, i):
    """Number i: a float, or a row of lanes."""
    return np.copy(pointer[i])[()]


def put(pointer, i, x):
    """Write number i; a float goes to all lanes."""
    pointer[i] = x


@infer_global(take)
class TypingOfTake(AbstractTemplate):
    def generic(self, args, kws):
        pointer, _ = args
        return (
            signature(pointer.dtype, pointer, types.intp)
            if isinstance(pointer, types.CPointer)
            else None
        )


@infer_global(put)
class TypingOfPut(AbstractTemplate):
    def generic(self, args, kws):
        pointer, _, x = args
        return (
            signature(types.none, pointer, types.intp, x)
            if isinstance(pointer, types.CPointer) and is_number(x)
            else None
        )


@lower_builtin(take, types.CPointer, types.Integer)
def lower_take(context, builder, sig, args):
    value = builder.load(builder.gep(args[0], [args[1]]))
    value.align = 8
    return value


@lower_builtin(put, types.CPointer, types.Integer, types.Any)
def lower_put(context, builder, sig, args):
    value = (
        as_vector(context, builder, sig.args[2], args[2]) if sig.args[0].dtype is lanes else args[2]
    )
    builder.store(value, builder.gep(args[0], [args[1]])).align = 8
    return context.get_dummy_value()


def as_array(pointer, length):
    """The first numbers as an array; a row of lanes stays a row."""
    return pointer[:length]


@overload(as_array)
def compiled_as_array(pointer, length):
    return lambda pointer, length: carray(pointer, (length,))


# ---- the call ------------------------------------------------------------------------------------
def check_arrays(parameters, y, out):
    """The kind of number in y; out must hold the same, parameters hold floats, or the same."""
    number = number_in(y, 0)
    if number_in(out, 0) is not number or number_in(parameters, 0) not in (types.float64, number):
        raise TypeError(
            f"code takes parameters (k,) and y, out of one kind, not {parameters}, {y}, {out}"
        )
    return number


@intrinsic
def call_user(context, address, block, parameters, t, y, out, at):
    """Call a user's code at an address with t, y and out, which are floats or lanes."""
    number = check_arrays(parameters, y, out)

    def code(context, builder, sig, args):
        """t on the stack, arrays by the address of their first number."""
        address, block, parameters_, t_, y_, out_, at_ = args
        slot = cgutils.alloca_once(builder, context.get_value_type(number))
        value = (
            as_vector(context, builder, t, t_)
            if number is lanes
            else context.cast(builder, t_, t, types.float64)
        )
        builder.store(value, slot).align = 8
        start = at_.type(0)
        constant = number_in(parameters, 0)
        constants = row_pointer(context, builder, parameters, parameters_, constant, start, 1)
        inputs = row_pointer(context, builder, y, y_, number, start, 1)
        emit_call(
            builder,
            address,
            [
                block,
                constants,
                slot,
                inputs,
                row_pointer(context, builder, out, out_, number, at_, 1),
            ],
        )
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, parameters, t, y, out, types.intp), code


@intrinsic
def call_in_scratch(context, address, block, parameters, scratch, rows):
    """t, y and out lie one behind the other in scratch: 1, `rows` and the remaining floats."""

    def code(context, builder, sig, args):
        """t, y and out by their addresses in scratch."""
        address, block, parameters_, scratch_, rows_ = args
        places = [rows_.type(0), rows_.type(1), builder.add(rows_, rows_.type(1))]
        t, y, out = (
            row_pointer(context, builder, scratch, scratch_, types.float64, place, 1)
            for place in places
        )
        constants = row_pointer(
            context, builder, parameters, parameters_, types.float64, rows_.type(0), 1
        )
        emit_call(builder, address, [block, constants, t, y, out])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, parameters, scratch, types.intp), code


@inlined
def run_lane_by_lane(code, row, scratch, block, parameters, t, y, out, at, rows):
    """Four calls of the scalar code: each lane is gathered into scratch, and its results are
    scattered from there.
    """
    n = y.shape[0]
    for k in range(WIDTH):
        store(scratch, 0, lane(t, k))
        for i in range(n):
            store(scratch, 1 + i, lane(load(y, i), k))
        call_in_scratch(code[row, SCALAR], block, parameters, scratch, n)
        for i in range(rows):
            out[at + i, k] = scratch[1 + n + i]


@inlined
def run_lanes(code, row, scratch, block, parameters, t, y, out, at, rows):
    if code[row, HAS_CODE] == 2:
        call_user(code[row, LANES], block, parameters, t, y, out, at)
    else:
        run_lane_by_lane(code, row, scratch, block, parameters, t, y, out, at, rows)


def run_code(code, row, scratch, block, parameters, t, y, out, at, rows):
    """out[at:at+rows] = f_block(t, y; parameters) by a row of a table of codes, where f_block
    writes `rows` numbers.

    Without code for lanes it runs lane by lane through `scratch`: floats, at least
    1 + len(y) + rows of them.
    """
    original = code.targets[row].scalar.original
    if y.ndim == 1 or code[row, HAS_CODE] == 2:
        original(block, parameters, np.array([t + np.zeros(y.shape[1:])]), y, out[at:])
        return
    assert len(scratch) >= 1 + len(y) + rows, (
        f"scratch of {len(scratch)} floats is too short for {len(y)} inputs and {rows} outputs"
    )
    for k in range(WIDTH):
        alone = np.zeros(rows)
        original(
            block,
            parameters,
            np.array([lane(t, k)], dtype=float),
            np.ascontiguousarray(y[:, k]),
            alone,
        )
        out[at : at + rows, k] = alone


@overload(run_code, jit_options=INLINE_OPTIONS)
def compiled_run_code(code, row, scratch, block, parameters, t, y, out, at, rows):
    def of_floats(code, row, scratch, block, parameters, t, y, out, at, rows):
        call_user(code[row, SCALAR], block, parameters, t, y, out, at)

    def of_lanes(code, row, scratch, block, parameters, t, y, out, at, rows):
        run_lanes(code, row, scratch, block, parameters, t, y, out, at, rows)

    return of_floats if y.ndim == 1 else of_lanes


# ---- from Python functions to addresses ----------------------------------------------------------
def pointer_signature(number):
    """The types of (block, parameters, t, y, out)."""
    pointer = types.CPointer(number)
    return types.int64, types.CPointer(types.float64), pointer, pointer, pointer


def is_kept(evaluate) -> bool:
    """Whether what `compile_evaluate` makes of this is on disk, or is not compiled at all."""
    cache = entry(evaluate)._cache if not is_interpreted() else None
    signatures = [pointer_signature(number) for number in (types.float64, lanes)]
    return cache is None or all(cache.is_cached(signature) for signature in signatures)


def compile_evaluate(evaluate) -> UserCallback:
    """From a lane-generic function of `take` and `put`, in a file named after its content, for
    floats and lanes; kept on disk.
    """
    dispatcher = entry(evaluate)
    signatures = [pointer_signature(number) for number in (types.float64, lanes)]
    compile_all([Request(dispatcher, signature) for signature in signatures])
    return UserCallback(
        *(callback(dispatcher, *signature, is_users=True) for signature in signatures)
    )


def with_lane_parameters(code: UserCallback) -> UserCallback | None:
    """The same code whose parameters are lanes too, for members of an ensemble; None of code that
    knows no lanes.
    """
    if code.lanes is None:
        return None
    pointer = types.CPointer(lanes)
    signature = types.int64, pointer, pointer, pointer, pointer
    dispatcher = entry(code.scalar.original)
    compile_all([Request(dispatcher, signature)])
    return code._replace(lanes=callback(dispatcher, *signature, is_users=True))


# ---- functions of a user -------------------------------------------------------------------------
def python_function_of(function):
    return getattr(function, "py_func", function)


def make_compilable(function):
    """A function that Numba can call: the user's own dispatcher, or one made here.

    Division by zero gives inf, as in kernels.
    """
    return (
        function
        if isinstance(function, Dispatcher) or is_interpreted()
        else njit(error_model="numpy")(function)
    )


def check_function(function, what) -> None:
    if not callable(function):
        raise OptionError(f"{what}: expected a Python function, not {type(function).__name__}")


def compile_wrapped(
    build, functions: dict[str, Callable], forms: dict[str, Form] | None = None
) -> UserCallback:
    """Code of `build(*functions)`, for floats only and not kept on disk; OptionError where one does
    not have its form, or does not compile.
    """
    for what, function in functions.items():
        check_function(function, what)
        if forms and what in forms:
            own = python_function_of(function)
            check_form(f"{what} {getattr(own, '__name__', '')}", own, forms[what])
    original = build(*map(python_function_of, functions.values()))
    try:
        dispatcher = njit(no_cpython_wrapper=True)(build(*map(make_compilable, functions.values())))
        return UserCallback(
            callback(dispatcher, *pointer_signature(types.float64))._replace(original=original),
            None,
        )
    except NumbaError as error:
        raise OptionError(compile_error_message(functions, error)) from error


def compile_error_message(functions, error) -> str:
    """Which functions do not compile, and the first lines of why."""
    names = ", ".join(
        f"{what} ({getattr(function, '__name__', function)})"
        for what, function in functions.items()
    )
    lines = [line for line in str(error).splitlines() if line.strip()][:MAX_MESSAGE_LINES]
    return (
        f"Numba cannot compile one of {names}; use floats, arrays and what Numba knows of NumPy, "
        "and these arguments:\n" + "\n".join(lines)
    )


def time_derivative_by_differences(energy):
    """∂H/∂t by a central difference of order four over thousandths: exactly zero where H does not
    depend on t.

    Good to some eleven digits where H changes in units of time, worse where it changes faster; then
    give ∂H/∂t itself.
    """
    energy = make_compilable(energy)

    def power(t, q, p, k):
        near, far = (t + 1e-3) - t, (t + 2e-3) - t
        inner = (energy(t + near, q, p, k) - energy(t - near, q, p, k)) / (2.0 * near)
        outer = (energy(t + far, q, p, k) - energy(t - far, q, p, k)) / (2.0 * far)
        return inner + (inner - outer) / 3.0

    return power


def compile_hamiltonian_functions(
    energy, gradient_q, gradient_p, coordinates: int, parameters: int, power=None
) -> UserCallback:
    """The blocks RATES to POWER of a Hamiltonian from a user's H(t, q, p, k) -> float, ∂H/∂q(t, q,
    p, k, out) and ∂H/∂p(…, out).

    `power` is ∂H/∂t(t, q, p, k) -> float; without it, a difference. q, p, k and out are float64
    arrays. A function that raises gives NaN.
    """
    n, m = coordinates, parameters

    def build(energy, gradient_q, gradient_p, power):
        """The code of all blocks from the user's four functions."""

        def evaluate(block, parameters, t, y, out):
            """One block; what the functions do not write stays NaN."""
            k = as_array(parameters, m)
            state = as_array(y, 2 * n)
            time = take(t, 0)
            q = state[:n]
            p = state[n:]
            rows = as_array(out, outputs_of(block, n))
            rows[:] = np.nan
            if block in (RATES, VELOCITY):
                gradient_p(time, q, p, k, rows[:n])
            if block in (RATES, FORCE):
                force = rows[n:] if block == RATES else rows
                gradient_q(time, q, p, k, force)
                force[:] = -force
            if block == ENERGY:
                rows[0] = energy(time, q, p, k)
            if block == POWER:
                rows[0] = power(time, q, p, k)

        return evaluate

    functions = {"H": energy, "dHdq": gradient_q, "dHdp": gradient_p}
    state = {"t": (), "q": (n,), "p": (n,), "k": (m,)}
    number, slopes = Form(state, returns=True), Form({**state, "out": (n,)}, writes=True)
    forms = {"H": number, "dHdq": slopes, "dHdp": slopes}
    check_function(energy, "H")
    if power is not None:
        forms["dHdt"] = number
    return compile_wrapped(
        build, {**functions, "dHdt": power or time_derivative_by_differences(energy)}, forms
    )


@inlined
def outputs_of(block, n):
    """How many numbers a block of a Hamiltonian writes."""
    if block == RATES:
        return 2 * n
    if block in (VELOCITY, FORCE):
        return n
    return 1 if block in (ENERGY, POWER) else 0


def compile_law_function(function, inputs: int, outputs: int) -> UserCallback:
    """A user's law f(t, x, out) of float64 arrays x and out, whatever the block.

    A function that raises gives NaN.
    """

    def build(function):
        def evaluate(block, parameters, t, y, out):
            x, rows = as_array(y, inputs), as_array(out, outputs)
            rows[:] = np.nan
            function(take(t, 0), x, rows)

        return evaluate

    form = Form({"t": (), "x": (inputs,), "out": (outputs,)}, writes=True)
    return compile_wrapped(build, {"function": function}, {"function": form})


def compile_update(function, inputs: int, outputs: int, name: str) -> UserCallback:
    """A user's f(t, x, r), which changes the numbers of r in place; `name` for messages."""

    def build(function):
        def evaluate(block, parameters, t, y, out):
            function(take(t, 0), as_array(y, inputs), as_array(out, outputs))

        return evaluate

    what = f"the update of {name!r}"
    form = Form({"t": (), "x": (inputs,), "r": (outputs,)})
    return compile_wrapped(build, {what: function}, {what: form})


def compile_time_function(function, outputs: int) -> UserCallback:
    """A user's f(t, out), whatever the block."""

    def build(function):
        def evaluate(block, parameters, t, y, out):
            rows = as_array(out, outputs)
            rows[:] = np.nan
            function(take(t, 0), rows)

        return evaluate

    form = Form({"t": (), "out": (outputs,)}, writes=True)
    return compile_wrapped(build, {"function": function}, {"function": form})
