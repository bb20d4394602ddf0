"""Where a mesh of a robot's description lies: inside the description's own folders, or nowhere.

Paths are resolved, links included, and compared; no mesh is ever opened here.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

from hamiltree.errors import OptionError


class ModelWarning(UserWarning):
    """Something of a file that is not kept and changes no motion."""


class MeshFolders:
    """The folders that a description may name meshes in: its own, its packages' (an ancestor folder
    of that name, or as given).
    """

    def __init__(
        self,
        description: str | os.PathLike[str],
        packages: Mapping[str, str | os.PathLike[str]] | None = None,
    ) -> None:
        self.folder = Path(os.path.realpath(description)).parent
        if packages is not None and not isinstance(packages, Mapping):
            raise OptionError(f"packages = {packages!r} is no table; give {{name: folder}}")
        self.packages = {
            str(name): Path(os.path.realpath(root)) for name, root in (packages or {}).items()
        }

    def inside(self, filename: str) -> str | None:
        """The mesh's own path, or None if it leads outside or says what is no path."""
        if not filename or "\0" in filename:
            return None
        try:
            found = self._resolve(filename)
        except (OSError, ValueError, RuntimeError):  # too long, a loop of links
            return None
        return (
            str(found)
            if found is not None
            and any(found.is_relative_to(root) for root in self._roots(filename))
            else None
        )

    def _resolve(self, filename: str) -> Path | None:
        scheme, separator, rest = filename.partition("://")
        if not separator:
            return Path(os.path.realpath(self.folder / filename))
        if scheme == "file":
            return Path(os.path.realpath(self.folder / unquote(rest)))
        name, _, inner = rest.lstrip("/").partition("/")
        root = self._package(name) if scheme in ("package", "model") else None
        return (
            None
            if root is None or not inner or os.path.isabs(inner)
            else Path(os.path.realpath(root / inner))
        )

    def _package(self, name: str) -> Path | None:
        """As given, or the nearest folder of that name around the description that says it is a
        package (package.xml).
        """
        around = (
            folder for folder in (self.folder, *self.folder.parents) if name and folder.name == name
        )
        return self.packages.get(name) or next(
            (folder for folder in around if (folder / "package.xml").is_file()), None
        )

    def _roots(self, filename: str) -> list[Path]:
        scheme, _, rest = filename.partition("://")
        own = (
            self._package(rest.lstrip("/").partition("/")[0])
            if scheme in ("package", "model")
            else None
        )
        return [self.folder, *self.packages.values(), *([own] if own is not None else [])]
