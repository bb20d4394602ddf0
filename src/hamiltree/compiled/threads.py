"""Several threads in one compiled call: counters that they share, how they wait for each other, and
the helpers, which begin with the call and end with it.

A kernel that leads publishes tasks by a counter; threads take them one by one. No task waits for a
certain thread: without helpers the leader does them all.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from llvmlite import binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hamiltree.compiled.callback import Callback
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.pointer import StructPointer
from hamiltree.errors import OptionError

APART = 16  # integers from one counter to the next: two cache lines, which are fetched together
SPINS = 1000  # looks at a counter before other threads of the machine are let in
WORD_BYTES = 8


def new_counters(count: int) -> np.ndarray:
    """Counters at zero, each in cache lines of its own; counter k is number k of `read` and so
    on.
    """
    return np.zeros((count + 1) * APART, dtype=np.int64)


def place_of(builder, context, sig, args):
    """Where counter args[1] of the array args[0] is."""
    array = context.make_array(sig.args[0])(context, builder, args[0])
    return builder.gep(array.data, [builder.mul(args[1], ir.Constant(ir.IntType(64), APART))])


@intrinsic
def read(context, counters, k):
    """A counter, and all that was written before it got this value."""

    def emit(context, builder, sig, args):
        return builder.load_atomic(place_of(builder, context, sig, args), "acquire", WORD_BYTES)

    return types.int64(counters, types.int64), emit


@intrinsic
def publish(context, counters, k, value):
    """Give a counter a value: who reads it sees all that was written before."""

    def emit(context, builder, sig, args):
        place = place_of(builder, context, sig, args)
        builder.store_atomic(args[2], place, "release", WORD_BYTES)
        return context.get_dummy_value()

    return types.void(counters, types.int64, types.int64), emit


@intrinsic
def count_one(context, counters, k):
    """Add one; who reads the sum sees what all have written before they added theirs."""

    def emit(context, builder, sig, args):
        one = ir.Constant(ir.IntType(64), 1)
        builder.atomic_rmw("add", place_of(builder, context, sig, args), one, "acq_rel")
        return context.get_dummy_value()

    return types.void(counters, types.int64), emit


@intrinsic
def advance_from(context, counters, k, value):
    """Add one if the counter still has this value; whether it had."""

    def emit(context, builder, sig, args):
        place = place_of(builder, context, sig, args)
        after = builder.add(args[2], ir.Constant(ir.IntType(64), 1))
        found = builder.cmpxchg(place, args[2], after, "acq_rel", "acquire")
        return builder.extract_value(found, 1)

    return types.boolean(counters, types.int64, types.int64), emit


# ---- waiting -------------------------------------------------------------------------------------
def pause_instruction() -> tuple[str, tuple]:
    """What tells this processor that a thread is waiting: the name for LLVM, and its arguments."""
    machine = llvm.get_process_triple().split("-")[0]
    if machine in ("x86_64", "i686", "i386"):
        return "llvm.x86.sse2.pause", ()
    if machine in ("aarch64", "arm64"):
        return "llvm.aarch64.hint", (ir.Constant(ir.IntType(32), 1),)
    return "", ()


@intrinsic
def pause(context):
    """Wait for some cycles."""

    def emit(context, builder, sig, args):
        name, values = pause_instruction()
        if name:
            kind = ir.FunctionType(ir.VoidType(), [value.type for value in values])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), values)
        return context.get_dummy_value()

    return types.void(), emit


@intrinsic
def let_others_in(context):
    """Another thread of the machine may have this core."""

    def emit(context, builder, sig, args):
        name = "SwitchToThread" if sys.platform == "win32" else "sched_yield"
        kind = ir.FunctionType(ir.IntType(32), [])
        builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [])
        return context.get_dummy_value()

    return types.void(), emit


@inlined
def wait_a_little(spins):
    """Between two looks at a counter, of which so many were in vain."""
    if spins < SPINS:
        pause()
    else:
        let_others_in()


# ---- arrays of the leader ------------------------------------------------------------------------
@intrinsic
def address_of_array(context, array):
    """Where the numbers of an array begin."""

    def emit(context, builder, sig, args):
        made = context.make_array(array)(context, builder, args[0])
        return builder.ptrtoint(made.data, ir.IntType(64))

    return types.int64(array), emit


@intrinsic
def array_at(context, address, example):
    """The array at an address: of the type of another one, whose shape means nothing here."""

    def emit(context, builder, sig, args):
        made = context.make_array(example)(context, builder, args[1])
        made.data = builder.inttoptr(args[0], made.data.type)
        return made._getvalue()

    return example(types.int64, example), emit


# ---- helpers -------------------------------------------------------------------------------------
# The first counters of a team, which go on from call to call: the number of the last call that is
# over, helpers that have entered their kernel, and helpers that have left it. Those from OF_CALL on
# begin at zero in every call.
OVER, ENTERED, LEFT, OF_CALL = range(4)


class Team(NamedTuple):
    """Threads that compute `rates` together: the entry that leads, what it finds behind System and
    Work, and the kernel that helps, help(structure, number of the call), with a structure for each
    helper.

    A helper enters, helps until the call of its number is over, and leaves. So one that an
    interrupt has kept from being waited for ends by itself, and no later call can revive it.
    """

    lead: Callback
    shared: tuple
    help: Callable
    helpers: Sequence[StructPointer]
    counters: np.ndarray
    numbers: Iterator[int]  # of calls, from 1 on
    lock: Any

    def call(self, function: Callable, *arguments: Any) -> Any:
        """function(*arguments), with helpers that end with it, whatever happens."""
        with self.lock:
            number = next(self.numbers)
            threads: list[threading.Thread] = []
            try:
                self.start(number, threads)
                return function(*arguments)
            finally:
                self.counters[OVER * APART] = number
                for thread in threads:
                    if thread.is_alive():
                        thread.join()

    def start(self, number: int, threads: list[threading.Thread]) -> None:
        """Start the helpers of a call, and wait until they are in their kernel: one that leads may
        keep Python to itself.
        """
        self.wait_for_earlier_helpers(number)
        self.counters[OF_CALL * APART :] = 0
        entered = self.counters[ENTERED * APART] + len(self.helpers)
        for pointer in self.helpers:
            thread = threading.Thread(
                target=self.help, args=(pointer, number), name="hamiltree helper", daemon=True
            )
            threads.append(thread)  # before it starts: an interrupt may come while it does
            try:
                thread.start()
            except RuntimeError as error:
                if isinstance(error.__context__, KeyboardInterrupt):  # while Python waits for it
                    raise error.__context__ from None
                raise OptionError(
                    f"threads = {len(self.helpers) + 1}: the system starts no more threads "
                    f"({error}); ask for fewer"
                ) from None
        while self.counters[ENTERED * APART] < entered:
            if not all(thread.is_alive() for thread in threads):
                raise OptionError(
                    f"threads = {len(self.helpers) + 1}: a thread that was to help has failed (its "
                    "own error is printed above); ask for fewer"
                )
            time.sleep(0)

    def wait_for_earlier_helpers(self, number: int) -> None:
        """Until those that interrupts have left in the kernel are out of it."""
        self.counters[OVER * APART] = number - 1
        while self.counters[LEFT * APART] < self.counters[ENTERED * APART]:
            time.sleep(0)
