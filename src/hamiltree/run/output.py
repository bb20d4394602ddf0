"""Where a run is written: the name of its file, room on the disk, how often it is saved, how it is
divided into files.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import shutil
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError, OptionError, spell_option
from hamiltree.run.plan import Plan
from hamiltree.run.survival import DEFAULT_EVERY, Output
from hamiltree.trajectory.journal import journal_path
from hamiltree.trajectory.netcdf import RUN_SUFFIXES, writable_path
from hamiltree.trajectory.parts import part_path

DEFAULT_FILE_BYTES = 2**30
BYTES = {"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12}
MIN_FILE_ROWS = 2


def output_of(
    plan: Plan, output: str | os.PathLike, force: bool, checkpoint: Any, split: Any
) -> Output:
    """The file to write, if its suffix is that of netCDF and the disk has space for it."""
    target = writable_path(output, force)
    if target.suffix.lower() not in RUN_SUFFIXES:
        raise OptionError(
            f"{target}: a trajectory is a netCDF file; end its name in {' or '.join(RUN_SUFFIXES)}"
        )
    if not force:
        refuse_remains(target.resolve())
    seconds, rows = check_seconds(checkpoint), rows_per_file(split, plan)
    samples = plan.steps // plan.save_every + 2
    # a journal holds the file that is being written once more
    needed = 8 * plan.equations.numbers_per_sample * (samples + min(samples, rows))
    free = shutil.disk_usage(target.resolve().parent).free
    if needed > free:
        raise FileError(
            f"{target}: the run would write {needed / 1e9:.3g} GB and the disk has "
            f"{free / 1e9:.3g} GB left; save less often (save_every)"
        )
    note = getattr(output, "note", "")
    return Output(target, seconds, rows, secrets.token_hex(8), note=note)


def refuse_remains(target: Path) -> None:
    """Keep what is left of a run of the same name: its journal, its further files."""
    for left in (journal_path(target), part_path(target, 1)):
        if left.exists():
            raise FileError(
                f"{left} exists, of another run of this name; choose another name, or overwrite it "
                f"with {spell_option('force')}"
            )


def check_seconds(value: Any) -> float:
    """Seconds from one checkpoint to the next."""
    if value is None:
        return DEFAULT_EVERY
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not value >= 0 or math.isinf(value):
        raise OptionError(f"checkpoint = {value!r}; give seconds from one checkpoint to the next")
    return float(value)


def rows_per_file(split: Any, plan: Plan) -> int:
    """Samples of one file: as many as were given, or as a size of bytes holds."""
    row_bytes = 8 * plan.equations.numbers_per_sample
    if split is None:
        return max(MIN_FILE_ROWS, DEFAULT_FILE_BYTES // row_bytes)
    if isinstance(split, str):
        if split.isdecimal():
            return check_rows(int(split), split)
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kMGT]B)\s*", split)
        if found is None:
            raise OptionError(f"split = {split!r}; give samples per file, or a size: 500MB, 2GB")
        return check_rows(int(float(found[1]) * BYTES[found[2]] / row_bytes), split)
    is_whole = isinstance(split, int) and not isinstance(split, bool)
    if not is_whole:
        raise OptionError(f"split = {split!r}; give samples per file, or a size: '500MB', '2GB'")
    return check_rows(split, split)


def check_rows(rows: int, split: Any) -> int:
    if rows < MIN_FILE_ROWS:
        raise OptionError(f"split = {split!r}; a file holds at least {MIN_FILE_ROWS} samples")
    return rows
