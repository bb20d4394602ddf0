"""What is said of the file of a run that has ended: what it holds, and how the run goes on."""

from __future__ import annotations

import os
import shlex
from typing import Any

NO_REPORT = "; its report was not finished"


def resume_command(path: str | os.PathLike) -> str:
    """The command of the shell that goes on with a run."""
    return f"hamiltree run --resume {shlex.quote(os.fspath(path))}"


def describe_file(run: Any, path: str | os.PathLike) -> str:
    """What the file of a run holds, and how a run that is not complete goes on."""
    words = f"{os.fspath(path)} holds the run, {run.status}"
    if not run.status.startswith("interrupted"):
        return words
    return f"{words}; go on with: {resume_command(path)}"
