"""A second process that compiles formulas where a program uses very many: this one loads what it
has compiled from the cache.

LLVM keeps most of a megabyte of everything that it compiles for as long as its process lives, and
cannot be asked to free it; what is loaded from the cache takes a twentieth of that. So the first
formulas are compiled here, and those after them there; that process ends after some more, and
another one begins. Where it cannot be started or fails, formulas are compiled here.
"""

import os
import subprocess
import sys
import threading
from pathlib import Path

from hamiltree.compiled.cache import CACHE
from hamiltree.compiled.worker import SINGLE_PROCESS_VARIABLE

FORMULAS_HERE = 16  # that are compiled in this process
FORMULAS_THERE = 64  # that one worker compiles


class FormulaWorker:
    """A child that reads paths of generated modules and answers each with a line."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen | None = None
        self.count = 0  # of formulas, here and there
        self.sent = 0  # to the present child

    def compile(self, path: Path) -> None:
        """Have a formula compiled beside, if there were many before it; wait for it."""
        with self.lock:
            self.count += 1
            if self.count <= FORMULAS_HERE or os.environ.get(SINGLE_PROCESS_VARIABLE):
                return
            try:
                self.send(path)
            except OSError:
                self.end()

    def send(self, path: Path) -> None:
        """Ask the child, a new one if the last has done its share; it answers when it is done."""
        if self.process is None or self.sent == FORMULAS_THERE or self.process.poll() is not None:
            self.end()
            self.process = start_child()
            self.sent = 0
        assert self.process.stdin is not None and self.process.stdout is not None
        self.sent += 1
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def end(self) -> None:
        """A child ends where its input does."""
        if self.process is not None:
            assert self.process.stdin is not None and self.process.stdout is not None
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()
            self.process = None


WORKER = FormulaWorker()


def start_child() -> subprocess.Popen:
    """A fresh interpreter that imports the package by name; nothing from the present folder."""
    environment = {
        **os.environ,
        "HAMILTREE_CACHE_DIR": str(CACHE),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        SINGLE_PROCESS_VARIABLE: "1",
    }
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "hamiltree.symbolic.formula_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        text=True,
        start_new_session=True,  # Ctrl-C is for the other process, which ends this one
    )


def compile_requested() -> None:
    """Compile the formulas whose paths come in, one line each."""
    from hamiltree.compiled.user_code import compile_evaluate
    from hamiltree.symbolic.calculus import load_module

    for line in sys.stdin:
        compile_evaluate(load_module(Path(line.rstrip("\n"))).evaluate)
        print("compiled", flush=True)


if __name__ == "__main__":
    compile_requested()
