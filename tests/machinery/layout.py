"""How the source is laid out: sizes of files and functions, docstrings, widths, repeated code.

    python -m tests.machinery.layout            the numbers of src/hamiltree, and what is too large
    python -m tests.machinery.layout -v         also the repeated places and undocumented functions
    python -m tests.machinery.layout DIRECTORY  of another directory

The limits below are what tests/machinery/test_layout.py holds the package to.
"""

import ast
import io
import keyword
import re
import statistics
import sys
import tokenize
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src" / "hamiltree"
MAX_FUNCTION_LINES = 50
MAX_FILE_LINES = 500
MAX_MEDIAN_FILE_LINES = 200
MAX_UNDOCUMENTED_LINES = 8  # a longer function needs a docstring
MAX_WIDTH = 100
MAX_REPEATED_PAIRS = 9
PRAGMA = re.compile(r"  # (type: ignore|noqa).*$")

REPEATED_LINES = 6
DISTINCT_SHAPES = 4  # fewer different lines in a run: a list of similar entries, boilerplate
CROWD = 8  # a run that stands in more places than this is an idiom, boilerplate
LAYOUT_TOKENS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Function:
    """A function, method or nested function of a file."""

    place: str  # file:line name
    lines: int
    has_docstring: bool


@dataclass
class Layout:
    """What is measured of a directory of Python files."""

    file_lines: dict[str, int] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    wide_lines: list[str] = field(default_factory=list)
    lines_of_code: int = 0  # without blank lines, comments and docstrings
    pairs: dict[tuple[str, str], list[str]] = field(default_factory=dict)  # of repeated code

    @property
    def long_functions(self) -> list[Function]:
        found = [one for one in self.functions if one.lines > MAX_FUNCTION_LINES]
        return sorted(found, key=lambda one: -one.lines)

    @property
    def long_files(self) -> list[str]:
        return [name for name, lines in self.file_lines.items() if lines > MAX_FILE_LINES]

    @property
    def undocumented(self) -> list[Function]:
        return [
            one
            for one in self.functions
            if one.lines > MAX_UNDOCUMENTED_LINES and not one.has_docstring
        ]

    @property
    def median_file_lines(self) -> float:
        return statistics.median(self.file_lines.values())


# ---- one file ------------------------------------------------------------------------------------
def functions_of(tree: ast.AST, name: str) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            place = f"{name}:{node.lineno} {node.name}"
            yield Function(place, lines, ast.get_docstring(node) is not None)


def docstring_rows(tree: ast.AST) -> set[int]:
    """Rows of the source that hold a docstring, or a text that stands alone."""
    alone = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    ]
    return {row for node in alone for row in range(node.lineno, (node.end_lineno or 0) + 1)}


def declaration_rows(tree: ast.AST) -> set[int]:
    """Rows of imports, lists of public names, heads and fields of classes: they look alike because
    they declare, not because logic is written twice.
    """
    rows = set()
    for node in ast.walk(tree):
        found: list[ast.stmt | ast.expr] = []
        if isinstance(node, ast.Import | ast.ImportFrom):
            found = [node]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found = [node] if "__all__" in names else []
        elif isinstance(node, ast.ClassDef):
            rows.add(node.lineno)
            fields = [part for part in node.body if isinstance(part, ast.AnnAssign)]
            found = [*node.decorator_list, *fields]
        for one in found:
            rows.update(range(one.lineno, (one.end_lineno or one.lineno) + 1))
    return rows


def shape_of(tokens: list[tokenize.TokenInfo]) -> str:
    """Tokens of a statement, with names, numbers and texts replaced by a letter each."""
    letters = {tokenize.NUMBER: "0", tokenize.STRING: "s"}
    return " ".join(
        ("n" if not keyword.iskeyword(token.string) else token.string)
        if token.type == tokenize.NAME
        else letters.get(token.type, token.string)
        for token in tokens
    )


def tokens_of(text: str) -> list[tokenize.TokenInfo]:
    return list(tokenize.generate_tokens(io.StringIO(text).readline))


def statements_of(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int, str]]:
    """(first row, last row, shape) of every statement, however many lines it is wrapped over."""
    statement: list[tokenize.TokenInfo] = []
    for token in tokens:
        if token.type not in LAYOUT_TOKENS:
            statement.append(token)
        elif token.type == tokenize.NEWLINE and statement:
            yield statement[0].start[0], statement[-1].end[0], shape_of(statement)
            statement = []


def code_rows(tokens: list[tokenize.TokenInfo]) -> set[int]:
    """Rows that hold more than blanks and comments."""
    held = [token for token in tokens if token.type not in LAYOUT_TOKENS]
    return {row for token in held for row in range(token.start[0], token.end[0] + 1)}


# ---- repeated code -------------------------------------------------------------------------------
Place = tuple[str, int]  # file, number of the statement in it
Code = dict[str, list[tuple[int, int, str]]]  # file → its statements


def is_substantial(window: tuple[str, ...]) -> bool:
    """Whether statements say something: not one shape again and again, as fields and lists do."""
    return len(set(window)) >= DISTINCT_SHAPES


def repeated_windows(code: Code) -> Iterator[list[Place]]:
    """The places of every run of REPEATED_LINES statements that stands more than once."""
    places: dict[tuple[str, ...], list[Place]] = defaultdict(list)
    for name, statements in code.items():
        shapes = [shape for _, _, shape in statements]
        for k in range(len(shapes) - REPEATED_LINES + 1):
            places[tuple(shapes[k : k + REPEATED_LINES])].append((name, k))
    for window, found in places.items():
        if 1 < len(found) <= CROWD and is_substantial(window):
            yield found


def repeated_pairs(code: Code) -> dict[tuple[str, str], list[str]]:
    """(file, file) → the runs that both hold, as "file:first-last ~ file:first-last"."""
    diagonals: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for found in repeated_windows(code):
        for (a, i), (b, j) in combinations(found, 2):
            if a != b or abs(i - j) >= REPEATED_LINES:
                diagonals[a, b, j - i].add(i)
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (a, b, shift), begins in sorted(diagonals.items()):
        for first in sorted(begins):
            if first - 1 in begins:
                continue  # the run began before
            last = first
            while last + 1 in begins:
                last += 1
            end = last + REPEATED_LINES - 1
            rows = (code[a][first][0], code[a][end][1])
            others = (code[b][first + shift][0], code[b][end + shift][1])
            pairs[a, b].append(f"{a}:{rows[0]}-{rows[1]} ~ {b}:{others[0]}-{others[1]}")
    return dict(pairs)


# ---- a directory ---------------------------------------------------------------------------------
def width_of(line: str) -> int:
    """Columns of a line as the linter counts them: without combining characters and pragmas."""
    return sum(not unicodedata.combining(letter) for letter in PRAGMA.sub("", line))


def measure(directory: Path = SOURCES) -> Layout:
    """All of the above, for every Python file below a directory."""
    layout, code = Layout(), {}
    for path in sorted(directory.rglob("*.py")):
        name, text = str(path.relative_to(directory)), path.read_text(encoding="utf-8")
        tree, tokens, lines = ast.parse(text), tokens_of(text), text.splitlines()
        texts, declared = docstring_rows(tree), declaration_rows(tree)
        layout.file_lines[name] = len(lines)
        layout.functions += functions_of(tree, name)
        layout.wide_lines += [
            f"{name}:{row}"
            for row, line in enumerate(lines, 1)
            if len(line) > MAX_WIDTH and width_of(line) > MAX_WIDTH
        ]
        layout.lines_of_code += len(code_rows(tokens) - texts)
        code[name] = [
            # a declaration ends a run: its shape is its own
            (first, last, f"{name}:{first}" if first in declared else shape)
            for first, last, shape in statements_of(tokens)
            if first not in texts
        ]
    layout.pairs = repeated_pairs(code)
    return layout


def report(layout: Layout, verbose: bool = False) -> str:
    """The numbers beside their limits, and what exceeds them."""
    longest = max(layout.functions, key=lambda one: one.lines)
    largest = max(layout.file_lines, key=lambda name: layout.file_lines[name])
    runs = sum(map(len, layout.pairs.values()))
    lines = [
        f"files                           {len(layout.file_lines)}",
        f"lines of code                   {layout.lines_of_code}"
        " (no blank lines, comments, docstrings)",
        f"functions                       {len(layout.functions)}",
        f"longest function                {longest.lines} lines ({longest.place})",
        f"functions over {MAX_FUNCTION_LINES} lines         {len(layout.long_functions)}",
        f"largest file                    {layout.file_lines[largest]} lines ({largest})",
        f"files over {MAX_FILE_LINES} lines            {len(layout.long_files)}",
        f"median file                     {layout.median_file_lines:g} lines"
        f" (at most {MAX_MEDIAN_FILE_LINES})",
        f"without docstring, over {MAX_UNDOCUMENTED_LINES} lines {len(layout.undocumented)}",
        f"lines over {MAX_WIDTH} columns          {len(layout.wide_lines)}",
        f"pairs of files that repeat {REPEATED_LINES} statements or more: {len(layout.pairs)}"
        f" ({runs} runs)",
    ]
    lines += [f"  {one.lines:4} lines  {one.place}" for one in layout.long_functions]
    lines += [f"  {layout.file_lines[name]:4} lines  {name}" for name in layout.long_files]
    if verbose:
        lines += [f"  no docstring  {one.place}" for one in layout.undocumented]
        lines += [f"  {run}" for found in layout.pairs.values() for run in found]
        per_package = Counter(one.place.split("/")[0] for one in layout.undocumented)
        lines += [f"  {count:4} without docstring in {name}" for name, count in per_package.items()]
    return "\n".join(lines)


def main(arguments: list[str]) -> None:
    folders = [Path(word).resolve() for word in arguments if word != "-v"]
    print(report(measure(*folders), "-v" in arguments))


if __name__ == "__main__":
    main(sys.argv[1:])
