"""A second process that compiles kernels of the package while this one compiles others; the cache
hands them over.

It is a fresh interpreter that imports the package by name: the user's script is not run again.
"""

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from hamiltree.compiled.cache import CACHE, compiler
from hamiltree.compiled.fingerprint import find, qualified_name
from hamiltree.compiled.kernel import GENERICS
from hamiltree.compiled.progress import expect_loops

WORKERS: list[subprocess.Popen] = []
SINGLE_PROCESS_VARIABLE = "HAMILTREE_COMPILE_ALONE"  # set: no second process


def start(wanted: Sequence[tuple[Any, tuple]]) -> subprocess.Popen | None:
    """Compile these kernels (dispatcher, signature) beside; not those that are kept already, or
    that are not the package's own.
    """
    missing = [
        (qualified_name(kernel), signature)
        for kernel, signature in wanted
        if is_missing(kernel, signature)
    ]
    expect_loops(place for place, _ in missing)
    if not missing or os.environ.get(SINGLE_PROCESS_VARIABLE) or (os.cpu_count() or 1) < 2:
        return None
    environment = {
        **os.environ,
        "HAMILTREE_CACHE_DIR": str(CACHE),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        SINGLE_PROCESS_VARIABLE: "1",
    }
    # -P: nothing is imported from the present folder
    command = [sys.executable, "-P", "-m", "hamiltree.compiled.worker"]
    try:
        message = pickle.dumps((compiler(), homes_of_methods(), missing))
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        assert process.stdin is not None
        process.stdin.write(message)
        process.stdin.close()
    except (OSError, TypeError, AttributeError, pickle.PicklingError):
        return None  # this process compiles by itself
    WORKERS.append(process)  # or Python would warn of a process that nobody waits for
    return process


def is_missing(kernel, signature) -> bool:
    own = qualified_name(kernel).startswith("hamiltree.") and find(qualified_name(kernel)) is kernel
    return own and signature not in kernel.overloads and not kernel._cache.is_cached(signature)


def homes_of_methods() -> list[str]:
    """Modules of the package that hold methods of generic functions: a kernel names its arguments,
    not where their methods are.
    """
    methods = (
        method
        for generic in GENERICS.values()
        for method in (*generic.methods.values(), *(made for _, made in generic.fallbacks))
    )
    homes = {getattr(method, "py_func", method).__module__ for method in methods}
    return sorted(home for home in homes if home.startswith("hamiltree."))


def compile_requested(stream) -> int:
    """Compile what the other process asks for, if it has the same compiler.

    The stream comes from it alone.
    """
    theirs, homes, wanted = pickle.load(stream)
    if theirs != compiler():
        return 1
    for home in homes:
        import_module(home)
    for place, signature in wanted:
        kernel = find(place)
        if kernel is not None:
            kernel.compile(signature)
    return 0


if __name__ == "__main__":
    sys.exit(compile_requested(sys.stdin.buffer))
