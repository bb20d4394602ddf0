"""The files that an MJCF file refers to; only those in its own folder may be read, or in a folder
around it that the user names.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from hamiltree.errors import FileError, OptionError, spell_option
from hamiltree.files.mjcf_limits import check_asset, check_limits
from hamiltree.files.xml_text import Element, quote, read_xml

ASSET_FOLDERS = ("assetdir", "meshdir", "texturedir")


class _FileReference(NamedTuple):
    """An attribute that names a file or a folder, and where it stands."""

    source: str
    element: Element
    attribute: str

    @property
    def value(self) -> str:
        return self.element.attributes[self.attribute]

    def refusal(self, problem: str) -> FileError:
        what = f"<{self.element.tag} {self.attribute}={quote(self.value)}>"
        return FileError(
            f"{self.source}:{self.element.line}: {what} {problem}; keep what the model needs in "
            f"its own folder, or load with {spell_option('root', 'FOLDER')}, a folder that holds "
            "both"
        )


def check_files(source: str, root_folder: str | os.PathLike[str] | None = None) -> int:
    """Refuse a document type, and every file or folder outside the model's own folder, or outside
    `root_folder` around it, whether it is named by `..`, by an absolute path, or by a link. Returns
    the number of documents: the file and those that it includes.

    Every place where MuJoCo might look is checked: from the main file's folder and from that of
    the included file, in any asset folder.
    """
    root = read_xml(source)
    if root.tag != "mujoco":
        raise FileError(
            f"{source}:{root.line}: the outermost element is <{quote(root.tag)[1:-1]}>; an MJCF "
            "file has <mujoco>"
        )
    folders = _Folders(Path(source).parent, _allowed_folder(source, root_folder))
    references = _find_file_references(source, root)
    seen = {os.path.realpath(source): source}
    documents = {source: root}
    named: dict[int, list[str]] = {}
    for reference in references:  # grows in the loop
        _check_relative(reference)
        for place in _included_paths(reference, folders):
            target = os.path.realpath(place)
            if target not in seen and place.is_file():
                seen[target] = str(place)
                documents[str(place)] = read_xml(place)
                references += _find_file_references(str(place), documents[str(place)])
            if target in seen:
                named.setdefault(id(reference.element), []).append(seen[target])
    check_limits(documents, named)
    asset_folders = [r for r in references if r.attribute in ASSET_FOLDERS]
    for reference in asset_folders:
        _candidate_paths(reference, ("",), folders)
    names = dict.fromkeys(("", *(reference.value for reference in asset_folders)))
    for reference in references:
        if reference.attribute not in ASSET_FOLDERS:
            for place in _candidate_paths(reference, names, folders):
                check_asset(place)
    return len(seen)


class _Folders(NamedTuple):
    """Where the model lies, and the folder that everything must lie in, links resolved."""

    home: Path
    allowed: Path


def _allowed_folder(source: str, root_folder: str | os.PathLike[str] | None) -> Path:
    """The model's own folder, or the one that is named, which must be around it."""
    home = Path(os.path.realpath(source)).parent
    if root_folder is None:
        return Path(os.path.realpath(Path(source).parent))
    allowed = Path(os.path.realpath(root_folder))
    if not allowed.is_dir() or not home.is_relative_to(allowed):
        raise OptionError(
            f"{source}: root = {os.fspath(root_folder)!r} is no folder that holds the model; give "
            "one above it"
        )
    return allowed


def _included_paths(reference: _FileReference, folders: _Folders) -> list[Path]:
    """Where the document of an <include> or a <model> may be; none for other references."""
    if reference.element.tag not in ("include", "model"):
        return []
    return _candidate_paths(reference, ("",), folders)


def _find_file_references(source: str, root: Element) -> list[_FileReference]:
    """All attributes of a document that name files or asset folders."""
    found = []
    waiting = [root]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        names = [
            name for name in element.attributes if name.startswith("file") or name in ASSET_FOLDERS
        ]
        found += [
            _FileReference(source, element, name) for name in names if element.attributes[name]
        ]
    return found


def _check_relative(reference: _FileReference) -> None:
    """Refuse an absolute path and a drive."""
    path = PureWindowsPath(reference.value)  # knows both slashes, and drives
    if path.drive or path.root or ":" in reference.value:
        raise reference.refusal("is not a path relative to the model")


def _candidate_paths(
    reference: _FileReference, asset_folders: Iterable[str], folders: _Folders
) -> list[Path]:
    """Where the file may lie, inside the allowed folder after all links are followed.

    Refused if something lies at a place outside, or if no place inside has it. The bare name is for
    strippath.
    """
    path = PureWindowsPath(reference.value)
    places = [
        base / folder.replace("\\", "/") / name
        for base in {folders.home, Path(reference.source).parent}
        for folder in asset_folders
        for name in {reference.value, path.as_posix(), path.name}
    ]
    outside = [place for place in places if not _lies_in(place, folders.allowed)]
    inside = [place for place in places if place not in outside]
    if any(map(os.path.lexists, outside)) or (outside and not any(map(os.path.exists, inside))):
        way = "leads" if ".." in path.parts else "is a link that leads"
        raise reference.refusal(f"{way} out of {folders.allowed}")
    return inside


def _lies_in(place: Path, folder: Path) -> bool:
    return Path(os.path.realpath(place)).is_relative_to(folder)
