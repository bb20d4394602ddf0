"""What is wrong with a kernel that does not compile: one sentence and a line, out of the hundred
lines that Numba writes.
"""

import linecache
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from numba.core import ir

from hamiltree.compiled.callback import Request
from hamiltree.errors import CompileError, HamiltreeError

PLACE = re.compile(r"During: typing of .* at (.+) \((\d+)\)")
CALLEE = re.compile(r"During: resolving callee type: Function\(<(?:built-in )?function ([\w.]+)")
FAILED = "Failed in nopython mode pipeline"
ASKED = ">>> "
LIBRARY = Path(__file__).resolve().parents[1]
# a mistake in the use of these shows where they are called
TOOLS = LIBRARY / "compiled", LIBRARY / "algebra"
RULES = (
    (r"^there is no \w*mul\((float64|lanes4), ", "the number stands on the right, as in v * s"),
    (r"^there is no .*\w\(array\(", "a number of an array is read by load(array, i), not array[i]"),
    (r"^there is no (zeros|empty|ones|array)\(", "a kernel cannot allocate: scratch is in Work"),
    (
        r"cannot store .* to double",
        "a verb returns what it is declared to: True, a number, Energies",
    ),
    (r"^KeyError: -?\d", "value or number? arrays of a Work are made by rows(Kind, n, width)"),
)


@contextmanager
def explain_failures(requests: Mapping[Request, str]) -> Iterator[None]:
    """Raise CompileError where one of the requests does not compile; they are given with what they
    are for.
    """
    try:
        yield
    except (HamiltreeError, OSError, MemoryError):
        raise
    except Exception as error:
        failed = next((each for each in requests if not is_compiled(each)), None)
        what = "a kernel" if failed is None else requests[failed]
        raise CompileError(f"{what} does not compile: {explain(error)}") from error


def is_compiled(request: Request) -> bool:
    return request.signature in getattr(request.dispatcher, "overloads", ())


def explain(error: Exception) -> str:
    """The reason, the rule that was probably broken, and the line."""
    lines = [line.strip() for line in str(error).splitlines()]
    at = next((k for k, line in enumerate(lines) if is_own_place(line)), len(lines))
    place = PLACE.match(lines[at]) if at < len(lines) else None
    reason = reason_before(lines, at) or f"{type(error).__name__}: {error}"
    rule = next((rule for pattern, rule in RULES if re.search(pattern, reason)), None)
    where = (place[1], int(place[2])) if place else last_place(error.__traceback__)
    shown = (
        "" if where is None else f"\n  {where[0]}:{where[1]}: {linecache.getline(*where).strip()}"
    )
    return (
        f"{reason}{f' ({rule})' if rule else ''}{shown}\n  With NUMBA_DISABLE_JIT=1 in the "
        "environment it runs as plain Python; CONTRIBUTING.md has the rules of kernels."
    )


def is_own_place(line: str) -> bool:
    """Whether a line of Numba's message names a place that is not a tool of kernels."""
    found = PLACE.match(line)
    return found is not None and is_own_file(found[1])


def is_own_file(name: str) -> bool:
    path = Path(name)
    return "numba" not in path.parts and not any(path.is_relative_to(tool) for tool in TOOLS)


def reason_before(lines: list[str], at: int) -> str:
    """What a message says of the place in line `at`: the call that has no meaning, or the line
    after the last failure.
    """
    callee = CALLEE.match(lines[at - 1]) if at else None
    asked = f"{ASKED}{callee[1].split('.')[-1]}(" if callee else ASKED
    calls = [line for line in lines[:at] if line.startswith(asked)]
    failures = [k for k in range(min(at, len(lines) - 1)) if lines[k].startswith(FAILED)]
    said = lines[failures[-1] + 1] if failures else ""
    if calls and (callee or said.startswith("No implementation")):
        return f"there is no {calls[-1].removeprefix(ASKED)}"
    return said


def last_place(trace: TracebackType | None) -> tuple[str, int] | None:
    """The innermost line of a kernel that the compiler was at, where its message names none."""
    found = None
    while trace is not None:
        loc = getattr(trace.tb_frame.f_locals.get("self"), "loc", None)
        if isinstance(loc, ir.Loc) and loc.line is not None and is_own_file(loc.filename):
            found = loc.filename, loc.line
        trace = trace.tb_next
    return found
