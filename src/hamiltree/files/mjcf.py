"""Models in MuJoCo's format, MJCF.

The package `mujoco` compiles the file (mjcf_compiled), after a check of which files it would read
(mjcf_files); the parts of a Model are made of what it compiled (mjcf_builder). What has no part
here is refused by name, or left out by name (mjcf_features).
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from hamiltree.errors import FileError, ModelError
from hamiltree.files.mjcf_builder import ModelBuilder, start_of
from hamiltree.files.mjcf_compiled import compile_file
from hamiltree.files.mjcf_features import (
    FEATURES,
    find_features,
    named_drops,
    parse_drop,
    refuse_unsupported,
)
from hamiltree.model import Model

__all__ = ["FEATURES", "features_of", "read_mjcf"]


def read_mjcf(
    path: str | os.PathLike[str],
    *,
    drop: str | Iterable[str] = (),
    keyframe: str | int | None = None,
    root: str | os.PathLike[str] | None = None,
) -> Model:
    """The model in an MJCF file; it starts at qpos0 and at rest, or at a keyframe, by name or by
    number from 0.

    `drop` names what may be left out ("contact", "tendons", … or "all" that cannot be kept);
    anything else that cannot be kept is refused. Limits of hinges and slides as data, plain
    actuators and equality constraints are kept unless `drop` names them.

    `root` is a folder around the file in which everything may lie that the file names; without it
    that is the file's own folder.
    """
    source = os.fspath(path)
    dropped = parse_drop(drop)
    compiled = compile_file(source, root)
    refuse_unsupported(compiled, dropped, source)
    qpos, qvel = start_of(compiled, keyframe, source)
    try:
        return ModelBuilder(compiled, qpos, qvel, named_drops(drop)).model(source)
    except ModelError as error:
        raise FileError(f"{source}: {error}") from None


def features_of(
    path: str | os.PathLike[str], *, root: str | os.PathLike[str] | None = None
) -> dict[str, str]:
    """What an MJCF file has that a Model cannot keep: name → how much of it."""
    return find_features(compile_file(os.fspath(path), root))
