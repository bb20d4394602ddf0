"""An MJCF file compiled by the package `mujoco`."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import FileError, OptionError
from hamiltree.files.mjcf_files import check_files


class CompiledModel(NamedTuple):
    """The package and the MjModel that it made of a file."""

    mujoco: Any
    mj: Any

    def is_off(self, *names: str) -> bool:
        """Whether the file itself disables one of these; PASSIVE stands for springs and dampers in
        older versions.
        """
        known = self.mujoco.mjtDisableBit.__members__
        bits = [int(known[f"mjDSBL_{name}"]) for name in names if f"mjDSBL_{name}" in known]
        return any(self.mj.opt.disableflags & bit for bit in bits)

    def count_entries(self, *fields: str) -> int:
        """How many entries have a number other than zero in one of these fields; a field that this
        version lacks has none.
        """
        present = [field for field in fields if hasattr(self.mj, field)]
        tables = [np.asarray(getattr(self.mj, field)) for field in present]
        marks = [np.any(t.reshape(len(t), -1) != 0, axis=1) for t in tables if len(t)]
        return int(np.count_nonzero(np.any(marks, axis=0))) if marks else 0

    def name(self, kind: str, index: int) -> str:
        return getattr(self.mj, kind)(index).name


def compile_file(source: str, root_folder: str | os.PathLike[str] | None = None) -> CompiledModel:
    """Check which files would be read, then compile; errors and warnings of mujoco become ours."""
    documents = check_files(source, root_folder)
    try:
        mujoco = import_module("mujoco")
    except ImportError:
        raise OptionError(
            f"{source}: MJCF is compiled by the package mujoco, which is not installed; "
            "pip install 'hamiltree[mjcf]'"
        ) from None
    with _warnings_of(mujoco, source):
        try:
            return CompiledModel(mujoco, mujoco.MjModel.from_xml_path(source))
        except ValueError as error:
            raise FileError(_locate_message(source, str(error), documents)) from None


@contextmanager
def _warnings_of(mujoco: Any, source: str) -> Iterator[None]:
    """MuJoCo's warnings as Python's; without this it would write MUJOCO_LOG.TXT into the current
    folder.
    """
    before = mujoco.get_mju_user_warning()
    messages: list[str] = []
    mujoco.set_mju_user_warning(messages.append)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
    for message in messages:
        warnings.warn(f"{source}: mujoco: {' '.join(message.split())}", stacklevel=5)


def _locate_message(source: str, message: str, documents: int) -> str:
    """MuJoCo's message on one line, its line number in front unless it may be that of an included
    file.
    """
    at = re.search(r", line (\d+)", message)
    text = " ".join(message.replace(at[0] if at else "", "").split())
    text = re.sub(r"^((XML |ParseXML: )?Error: )+", "", text)
    text = re.sub(r" Element (?:name )?('[^']*')(, id \d+)?$", r" (element \1)", text).replace(
        " (element '')", ""
    )
    where = f"{source}:{at[1]}" if at and documents == 1 else source
    return f"{where}: mujoco: {text}"
