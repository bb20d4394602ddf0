"""Where a mesh of a robot's description is: inside the description's own folders, or nowhere.

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
    """The folders that meshes of a description may be in: its own, and those of its packages (a
    parent folder of that name, or as given).
    """

    def __init__(
        self,
        description: str | os.PathLike[str],
        packages: Mapping[str, str | os.PathLike[str]] | None = None,
    ) -> None:
        """Folders are resolved here, links included."""
        self.folder = Path(os.path.realpath(description)).parent
        if packages is not None and not isinstance(packages, Mapping):
            raise OptionError(f"packages = {packages!r} is not a table; give {{name: folder}}")
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
        if found is None:
            return None
        is_inside = any(found.is_relative_to(root) for root in self._roots(filename))
        return str(found) if is_inside else None

    def _resolve(self, filename: str) -> Path | None:
        """The path of a file name or of a file://, package:// or model:// address."""
        scheme, separator, rest = filename.partition("://")
        if not separator:
            return Path(os.path.realpath(self.folder / filename))
        if scheme == "file":
            return Path(os.path.realpath(self.folder / unquote(rest)))
        name, _, inner = rest.lstrip("/").partition("/")
        root = self._package(name) if scheme in ("package", "model") else None
        if root is None or not inner or os.path.isabs(inner):
            return None
        return Path(os.path.realpath(root / inner))

    def _package(self, name: str) -> Path | None:
        """The folder as given, or the nearest parent folder of that name with a package.xml."""
        if self.packages.get(name):
            return self.packages[name]
        for folder in (self.folder, *self.folder.parents):
            if name and folder.name == name and (folder / "package.xml").is_file():
                return folder
        return None

    def _roots(self, filename: str) -> list[Path]:
        """The folders that this mesh may be in."""
        scheme, _, rest = filename.partition("://")
        roots = [self.folder, *self.packages.values()]
        if scheme in ("package", "model"):
            own = self._package(rest.lstrip("/").partition("/")[0])
            roots += [own] if own is not None else []
        return roots
