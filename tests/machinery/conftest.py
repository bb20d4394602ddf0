"""Other processes: the same package, the same cache of compiled code, a folder of their own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import hamiltree

SOURCES = Path(hamiltree.__file__).parents[1]


@pytest.fixture(scope="session")
def environment():
    """environment(**changes): of a process that imports the package under test."""

    def made(**changes):
        return {
            **os.environ,
            "PYTHONPATH": str(SOURCES),
            "MPLBACKEND": "Agg",
            "COLUMNS": "200",
            **changes,
        }

    return made


@pytest.fixture(scope="session")
def python(environment):
    """python(*arguments, cwd, stdin, timeout, **changes): run an interpreter to its end."""

    def run(*arguments, cwd=None, stdin=None, timeout=300, **changes):
        command = [sys.executable, *map(str, arguments)]
        return subprocess.run(
            command,
            cwd=cwd,
            env=environment(**changes),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    return run
