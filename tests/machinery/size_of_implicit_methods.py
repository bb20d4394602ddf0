"""How many lines the implicit methods and their common solver take, at a width of 140 columns.

    python -m tests.machinery.size_of_implicit_methods

The eight families had 3,217 lines when each had its own loop, in files of up to 140 columns; the
coefficients of stages and Newton's matrices, in files of their own, had 226 more. Files are
narrower today: so each is laid out at 140 columns, in memory, and its lines are counted as `wc -l`
does. Code is laid out by ruff, without its respect for trailing commas. Of docstrings and comments,
lines that break only because the next word did not fit are joined and broken at 140.
"""

import re
import shutil
import subprocess
import sys
import textwrap
from itertools import groupby, pairwise
from pathlib import Path

INTEGRATORS = Path(__file__).resolve().parents[2] / "src" / "hamiltree" / "integrators"
THEN, NOW = 140, 100  # columns
LINES_THEN, BESIDE_THEN = 3217, 226
# What was counted then: parts of it that have a file of their own today stand with it.
FAMILIES = {
    "stages of Runge–Kutta methods and pairs": ("implicit",),
    "discrete gradient": ("discrete_gradient",),
    "energy–momentum, two families": ("energy_momentum",),
    "RATTLE, SHAKE and SPARK": ("spark", "constraint_impulses"),
    "RATTLE of a separable H": ("separable_rattle",),
    "generalised-α": ("generalised_alpha",),
    "Radau": ("radau", "radau_stages"),
    "the common solver": ("implicit_solver", "convergence"),
}
# What stood beside the families then, and was not counted.
BESIDE = {"coefficients and scratch of stages": ("stages",), "Newton's matrices": ("newton",)}
DOCSTRING = re.compile(r'^( *)"""(.*?)"""', re.DOTALL | re.MULTILINE)


def indent_of(line: str) -> int:
    return len(line) - len(line.lstrip())


def is_forced(line: str, following: str) -> bool:
    """Whether a line ends where it does because the next word did not fit."""
    is_text = bool(line.strip() and following.strip()) and "   " not in following.strip()
    word = following.split()[0] if is_text else ""
    return is_text and indent_of(line) == indent_of(following) and len(f"{line} {word}") > NOW


def broken(line: str) -> list[str]:
    indent = " " * indent_of(line)
    return textwrap.wrap(line, THEN, subsequent_indent=indent, break_long_words=False) or [line]


def join_forced(lines: list[str]) -> list[str]:
    """Lines of a text, broken at the width of then."""
    wholes = [lines[0]]
    for before, line in pairwise(lines):
        if is_forced(before, line):
            wholes[-1] += " " + line.strip()
        else:
            wholes.append(line)
    return [part for whole in wholes for part in broken(whole)]


def join_docstring(found: re.Match) -> str:
    """A docstring at the width of then; one that fits a line takes one."""
    indent, text = found[1], found[2]
    lines = join_forced((indent + '"""' + text.rstrip()).split("\n"))
    if len(lines) == 1 and len(lines[0]) + 3 <= THEN:
        return lines[0] + '"""'
    return "\n".join(lines) + (f'\n{indent}"""' if text.endswith(f"\n{indent}") else '"""')


def join_comments(text: str) -> str:
    """Comments at the width of then, of lines that hold nothing else."""

    def shape(line: str) -> tuple[bool, int]:
        return line.lstrip().startswith("# ") and not line.endswith("---"), indent_of(line)

    out: list[str] = []
    for (is_comment, indent), group in groupby(text.split("\n"), key=shape):
        lines, blank = list(group), " " * indent
        if is_comment:
            bare = [blank + line.strip()[2:] for line in lines]
            lines = [f"{blank}# {line.strip()}" for line in join_forced(bare)]
        out += lines
    return "\n".join(out)


def lay_out(text: str) -> str:
    """The text of a file as it would stand at the width of then."""
    beside = Path(sys.executable).with_name("ruff")
    ruff = str(beside) if beside.exists() else shutil.which("ruff") or "ruff"
    options = "format.skip-magic-trailing-comma=true", "lint.isort.split-on-trailing-comma=false"
    settings = [word for option in options for word in ("--config", option)]
    command = [ruff, "format", "--line-length", str(THEN), *settings, "-"]
    text = join_comments(DOCSTRING.sub(join_docstring, text))
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def count_lines(name: str) -> int:
    return lay_out((INTEGRATORS / f"{name}.py").read_text(encoding="utf-8")).count("\n")


def print_counts(parts: dict[str, tuple[str, ...]]) -> int:
    """A line for each part; the sum."""
    total = 0
    for title, names in parts.items():
        counts = {name: count_lines(name) for name in names}
        total += sum(counts.values())
        files = ", ".join(f"{name} {count}" for name, count in counts.items())
        print(f"{sum(counts.values()):6}  {title}: {files}")
    return total


def main() -> None:
    counted = print_counts(FAMILIES)
    print(f"{counted:6}  families and solver; {LINES_THEN} then")
    beside = print_counts(BESIDE)
    print(f"{counted + beside:6}  with what stands beside; {LINES_THEN + BESIDE_THEN} then")


if __name__ == "__main__":
    main()
