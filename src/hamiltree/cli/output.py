"""Where commands print and write: consoles, tables, new folders, pictures."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hamiltree.errors import FileError, OptionError

REPORT_WIDTH = 200  # columns of a report that is piped or written to a file
LEAST_ROOM = 40  # columns of words that stand beside their row
LEAST_WRAPPED = 12  # columns of a cell that is broken into lines
GAP, INDENT = 2, 4  # columns between cells; before words under their row
DOTS = 120  # per inch of a picture
PICTURE_FORMATS = (".png", ".pdf", ".svg")


def list_console() -> Console:
    """Standard output as wide as the terminal; piped, 80 columns or what COLUMNS says."""
    return Console(highlight=False)


def report_console() -> Console:
    """Standard output as wide as the terminal; piped, so wide that each row stays on one line."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else REPORT_WIDTH)


class TitledTable(Table):
    """A table whose title is as wide as the console, not broken at the width of the table."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The title, then the rest."""
        title = self.title
        if title:
            yield Text(str(title), self.title_style or "")
        self.title = None
        try:
            yield from super().__rich_console__(console, options)
        finally:
            self.title = title


def plain_table(title: str, *columns: str, steady: tuple[int, ...] = (0,)) -> Table:
    """A table without borders; `steady` columns are not broken into lines, no cell is cut off."""
    table = TitledTable(title=title, title_style="bold", box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, header_style="dim", no_wrap=number in steady, overflow="fold")
    return table


class RowsWithWords:
    """Rows of short cells, each with words beside it: under it where less than LEAST_ROOM columns
    are left for them. Words are kept whole.
    """

    def __init__(self, sides: Sequence[str], wrapped: int | None = None, heads: Sequence[str] = ()):
        """`sides`: where the cells of a column stand, left or right; `wrapped`: the column that may
        be broken into lines; `heads`: of all columns and of the words.
        """
        self.sides, self.wrapped = sides, wrapped
        self.rows: list[tuple[list[Text], str]] = []
        if heads:
            self.rows.append(([Text(head, "dim") for head in heads[:-1]], heads[-1]))

    def add_row(self, cells: Sequence[str | Text], words: str) -> None:
        self.rows.append(([Text(cell) if isinstance(cell, str) else cell for cell in cells], words))

    def print(self, console: Console) -> None:
        """All rows, as wide as the console allows."""
        columns = range(len(self.sides))
        widths = [max((cells[k].cell_len for cells, _ in self.rows), default=0) for k in columns]
        room = console.width - sum(widths) - GAP * len(widths)
        is_beside = room >= LEAST_ROOM
        if room + GAP < 0 and self.wrapped is not None:
            widths[self.wrapped] = max(LEAST_WRAPPED, widths[self.wrapped] + room + GAP)
        for cells, words in self.rows:
            table = Table(show_header=False, box=None, pad_edge=False)
            for k in columns:
                side: Any = self.sides[k]
                table.add_column(width=widths[k], justify=side, no_wrap=k != self.wrapped)
            text = Text(words, "dim", overflow="fold")
            if is_beside:
                table.add_column(width=room)
            table.add_row(*cells, *([text] if is_beside else []))
            console.print(table)
            if words and not is_beside:
                console.print(Padding(text, (0, 0, 0, INDENT)))


def draw(run: Any, path: Path) -> None:
    """Write the picture of a run to a file, without a window."""
    write_picture(lambda: run.plot.summary(), path)


def write_picture(make_figure: Callable[[], Any], path: Path) -> None:
    """Write a figure to a file, whole or not at all, without a window."""
    from io import BytesIO

    from hamiltree.files.safe_write import write_bytes

    content = BytesIO()
    make_figure().savefig(content, format=path.suffix.lower().removeprefix("."), dpi=DOTS)
    write_bytes(path, content.getvalue(), force=True)


def check_picture(path: Path) -> None:
    if path.suffix.lower() not in PICTURE_FORMATS:
        raise OptionError(f"{path}: a picture ends in .png, .pdf or .svg")


def check_distinct_files(files: dict[str, Path | None]) -> None:
    """Refuse to write over the model, or two outputs into one file."""
    seen: dict[Path, str] = {}
    for what, path in files.items():
        if path is not None and seen.setdefault(path.resolve(), what) != what:
            raise OptionError(f"{what} {path} is also {seen[path.resolve()]}; choose another name")


class NumberedFile(os.PathLike):
    """A file that is written, with a note for when that begins: that others are kept."""

    def __init__(self, path: Path, note: str):
        self.path = path
        self.note = note

    def __fspath__(self) -> str:
        return str(self.path)


def unused_names(files: dict[str, Path | None]) -> tuple[dict[str, Path | None], str]:
    """The same files, or where one of them exists the first of name-2, name-3, … of which none
    does; and a note about it.
    """
    for number in range(1, 10_000):
        names = {what: numbered(path, number) for what, path in files.items()}
        if not any(path is not None and is_used(path) for path in names.values()):
            break
    else:
        raise OptionError(f"ten thousand files {next(iter(files.values()))} exist; remove some")
    used = [str(path) for path in files.values() if path is not None and is_used(path)]
    written = ", ".join(str(name) for name in names.values() if name is not None)
    note = f"{' and '.join(used)} kept; writing {written} (--force overwrites)" if used else ""
    return names, note


def numbered(path: Path | None, number: int) -> Path | None:
    if path is None or number == 1:
        return path
    return path.with_name(f"{path.stem}-{number}{path.suffix}")


def is_used(path: Path) -> bool:
    """Whether there is a file of this name, or what is left of a run that wrote it."""
    from hamiltree.trajectory.journal import journal_path
    from hamiltree.trajectory.parts import part_path

    if path.is_file() or not path.name:
        return path.is_file()
    return journal_path(path).is_file() or part_path(path, 1).is_file()


def new_folder(name: str) -> Path:
    """Make the first of name-001, name-002, … that does not exist yet."""
    for number in range(1, 10_000):
        folder = Path(f"{name}-{number:03d}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise FileError(
                f"{folder} cannot be made: {error.strerror}; change to a folder that can be written"
            ) from None
    raise OptionError(f"ten thousand folders {name}-… exist here; remove some")


def make_folder(folder: Path) -> Path:
    """Make the folder of this name, which must not exist yet: nothing is ever overwritten."""
    try:
        folder.mkdir()
    except FileExistsError:
        raise FileError(f"{folder} exists; choose another name for the folder") from None
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror}") from None
    return folder


def remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()
