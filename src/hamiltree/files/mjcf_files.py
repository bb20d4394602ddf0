"""The files that an MJCF file refers to; only those in its own folder may be read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from hamiltree.errors import FileError
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
            "its own folder"
        )


def check_files(source: str) -> int:
    """Refuse a document type, and every file or folder outside the model's own folder, whether it
    is named by `..`, by an absolute path, or by a link. Returns the number of documents: the file
    and those that it includes.

    Every place where MuJoCo might look is checked: from the main file's folder and from that of
    the included file, in any asset folder.
    """
    root = read_xml(source)
    if root.tag != "mujoco":
        raise FileError(
            f"{source}:{root.line}: the outermost element is <{quote(root.tag)[1:-1]}>; an MJCF "
            "file has <mujoco>"
        )
    home = Path(source).parent
    references = _find_file_references(source, root)
    seen = {os.path.realpath(source)}
    documents = {source: root}
    for reference in references:  # grows in the loop
        _check_plain(reference)
        for place in _included_paths(reference, home):
            if os.path.realpath(place) not in seen and place.is_file():
                seen.add(os.path.realpath(place))
                documents[str(place)] = read_xml(place)
                references += _find_file_references(str(place), documents[str(place)])
    check_limits(documents)
    asset_folders = [r.value for r in references if r.attribute in ASSET_FOLDERS]
    for reference in references:
        for place in _candidate_paths(reference, ("", *asset_folders), home):
            check_asset(place)
    return len(seen)


def _included_paths(reference: _FileReference, home: Path) -> list[Path]:
    """Where the document of an <include> or a <model> may be; none for other references."""
    if reference.element.tag not in ("include", "model"):
        return []
    return _candidate_paths(reference, ("",), home)


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


def _check_plain(reference: _FileReference) -> None:
    """Refuse an absolute path, a drive, and `..`."""
    path = PureWindowsPath(reference.value)  # knows both slashes, and drives
    if path.drive or path.root or ":" in reference.value:
        raise reference.refusal("is not a path relative to the model")
    if ".." in path.parts:
        raise reference.refusal("leads out of a folder")


def _candidate_paths(reference: _FileReference, folders: Iterable[str], home: Path) -> list[Path]:
    """Where the file may lie; inside `home` after all links are followed, or it is refused.

    The bare name is for strippath.
    """
    names = {reference.value, PureWindowsPath(reference.value).name}
    places = [
        base / folder / name
        for base in {home, Path(reference.source).parent}
        for folder in folders
        for name in names
    ]
    inside = Path(os.path.realpath(home))
    for place in places:
        if not Path(os.path.realpath(place)).is_relative_to(inside):
            raise reference.refusal("is a link that leads out of the folder of the model")
    return places
