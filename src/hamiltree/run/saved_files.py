"""The files of a run that has not come to its end: where its checkpoints are, what they say, and
how its files are cut back to one.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError
from hamiltree.files.durable import unpack, write_durably
from hamiltree.run.identity import code_identity
from hamiltree.run.plan import Plan
from hamiltree.run.survival import MAGIC, Output, SavedRun
from hamiltree.trajectory.journal import JournalReader, Rows, journal_path
from hamiltree.trajectory.netcdf_calls import netcdf_calls
from hamiltree.trajectory.parts import (
    RUN_ID,
    Cut,
    PartReader,
    checkpoint_paths,
    count_parts,
    part_path,
    remove_parts_after,
    write_journal,
    write_part,
)
from hamiltree.trajectory.recorders import Restored

OUTCOME = ("statistics", "verdict", "report")  # attributes of a run that has ended


def attributes_of(path: Path) -> dict[str, Any]:
    """The attributes of the last file of a run, or of its journal."""
    if not path.is_file() and not journal_path(path).is_file():
        what = "it is not a plain file" if path.exists() else "no such file"
        raise FileError(f"{path}: {what}")
    last = part_path(path, max(0, count_parts(path) - 1))
    with contextlib.suppress(OSError, FileError), netcdf_calls(), open_rows(last) as reader:
        if "hamiltree_format" in reader.attributes:
            return reader.attributes
    raise FileError(f"{path}: not a readable netCDF file of hamiltree")


def open_rows(path: Path) -> JournalReader | PartReader:
    """What a file holds; by its journal if there is one: the file may be damaged then."""
    journal = journal_path(path)
    return JournalReader(journal) if journal.is_file() else PartReader(path)


def find_saved(path: Path, run_id: str) -> SavedRun:
    """The last checkpoint of a run that is whole: in its file, or beside it."""
    found, damage = [], []
    last = part_path(path, max(0, count_parts(path) - 1))
    sources: list[tuple[str, Callable[[], bytes]]] = [
        (str(each), each.read_bytes) for each in checkpoint_paths(path)
    ]
    if not journal_path(last).is_file():
        sources.append((f"the checkpoint in {last}", lambda: embedded(last)))
    for what, read in sources:
        with contextlib.suppress(OSError):
            content = read()
            try:
                header, arrays = unpack(MAGIC, content, what) if content else ({}, [])
            except FileError as error:
                damage.append(str(error))
                continue
            if header.get(RUN_ID) == run_id:
                found.append(SavedRun(header, arrays, content))
    if not found:
        why = f" ({'; '.join(damage)})" if damage else ""
        raise FileError(f"{path} has no checkpoint{why}; run it again")
    return max(found, key=lambda saved: saved.header["written"])


def embedded(path: Path) -> bytes:
    with netcdf_calls(), PartReader(path) as reader:
        return reader.checkpoint


def restore_files(plan: Plan, output: Output) -> tuple[Restored, dict[str, Any]]:
    """Cut the files of a run back to its checkpoint; what was cut, and their attributes.

    At every moment either the old files with their checkpoint or the new ones are whole.
    """
    assert output.saved is not None
    saved, path = output.saved, output.path.resolve()
    header = saved.header
    newest = checkpoint_paths(path)[0]
    if not newest.is_file() or newest.read_bytes() != saved.content:
        write_durably(newest, saved.content)
    number, rows, points = header["part"], header["rows"], header["points"]
    target = part_path(path, number)
    last_time = header["grid_time"] if is_at_old_end(plan, header) else None
    cut = Cut(rows, points, last_time)
    with netcdf_calls(), open_rows(target) as reader:
        known = continued_attributes(plan, reader.attributes, header)
        write_journal(target, reader.schema, known, whole_cut(cut, reader, target))
    made = JournalReader(journal_path(target))
    with netcdf_calls():
        opened = write_part(target, made, made, {})
    remove_parts_after(path, number)
    return Restored(number, rows, points, header["earlier"], opened), known


def whole_cut(cut: Cut, reader: Any, target: Path) -> Iterator[Rows]:
    """The rows up to the checkpoint; FileError if the file has fewer, before anything is
    replaced.
    """
    yield from cut(reader)
    if not cut.is_done:
        raise FileError(f"{target} holds fewer samples than its checkpoint says; run it again")


def is_at_old_end(plan: Plan, header: dict[str, Any]) -> bool:
    """Whether the last sample has the time of an end that is none any more: of a point of the grid
    that differs from it by rounding.
    """
    return plan.until != header["until"] == header["saved_time"]


def continued_attributes(
    plan: Plan, known: dict[str, Any], header: dict[str, Any]
) -> dict[str, Any]:
    """The attributes of a run that goes on, which say when and by what."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    again = {"at": header["t"], "on": now, **code_identity()}
    told = [*json.loads(known.get("resumed", "[]")), again]
    kept = {name: value for name, value in known.items() if name not in OUTCOME}
    return {**kept, "until": plan.until, "status": "running", "resumed": json.dumps(told)}
