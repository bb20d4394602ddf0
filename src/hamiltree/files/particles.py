"""Particles of XYZ and PDB files.

Lengths are those of the file times `unit`, masses those of the elements in u unless they are given.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from hamiltree.errors import FileError, ModelError, OptionError
from hamiltree.files.text import read_text
from hamiltree.model.particles import Particles
from hamiltree.model.values import Vector, scale

# Standard atomic weights, u (IUPAC 2021, abridged; Tc: its longest-lived isotope), in the order of
# the atomic numbers.
# fmt: off
MASSES = {
    "H": 1.008, "He": 4.0026, "Li": 6.94, "Be": 9.0122, "B": 10.81, "C": 12.011,
    "N": 14.007, "O": 15.999, "F": 18.998, "Ne": 20.180, "Na": 22.990, "Mg": 24.305,
    "Al": 26.982, "Si": 28.085, "P": 30.974, "S": 32.06, "Cl": 35.45, "Ar": 39.95,
    "K": 39.098, "Ca": 40.078, "Sc": 44.956, "Ti": 47.867, "V": 50.942, "Cr": 51.996,
    "Mn": 54.938, "Fe": 55.845, "Co": 58.933, "Ni": 58.693, "Cu": 63.546, "Zn": 65.38,
    "Ga": 69.723, "Ge": 72.630, "As": 74.922, "Se": 78.971, "Br": 79.904, "Kr": 83.798,
    "Rb": 85.468, "Sr": 87.62, "Y": 88.906, "Zr": 91.224, "Nb": 92.906, "Mo": 95.95,
    "Tc": 97.0, "Ru": 101.07, "Rh": 102.91, "Pd": 106.42, "Ag": 107.87, "Cd": 112.41,
    "In": 114.82, "Sn": 118.71, "Sb": 121.76, "Te": 127.60, "I": 126.90, "Xe": 131.29,
}
# fmt: on
ELEMENT_BY_NUMBER = dict(enumerate(MASSES, start=1))
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eEdD][+-]?\d+)?")
KEPT_ALTERNATE_LOCATIONS = " A1"  # of a PDB atom that has several: the blank one or the first


class Atom(NamedTuple):
    """One line of a file: its number, the element and the position."""

    line: int
    element: str
    position: Vector


def read_particles(
    path: str | os.PathLike[str],
    *,
    masses: Any = None,
    types: Any = None,
    unit: float = 1.0,
    frame: int | None = None,
) -> Particles:
    """The particles of an XYZ (.xyz) or PDB (.pdb, .ent) file, whose types are the elements'
    symbols.

    `unit` is the file's unit of length: 1e-10 for Angstrom in metres, 0.1 for nanometres. `masses`
    (u, of the elements, unless given) and `types` are one for all, a list, or {element: ...}.
    `frame` chooses, from 0, where the file holds several.
    """
    source = os.fspath(path)
    ending = Path(path).suffix.lower()
    readers = {".xyz": _xyz_frames, ".pdb": _pdb_frames, ".ent": _pdb_frames}
    if ending not in readers:
        raise FileError(
            f"{source}: no format of particles has the ending {ending!r}; known: "
            f"{', '.join(readers)}"
        )
    atoms = _choose_frame(readers[ending](read_text(path).splitlines(), source), frame, source)
    return _particles(atoms, masses, types, unit, source)


def particles_to_xyz(particles: Particles, comment: str = "", unit: float = 1.0) -> str:
    """The particles as XYZ text, lengths divided by `unit`; it reads back exactly with unit 1."""
    lines = [str(len(particles)), " ".join(comment.split())]
    for word, at in zip(particles.types, particles.positions, strict=True):
        lines.append(" ".join([word, *(repr(x / unit) for x in at)]))
    return "\n".join(lines) + "\n"


# ---- XYZ: per frame a count, a comment, and per particle a line "element x y z ..." --------------
def _xyz_frames(lines: list[str], source: str) -> list[list[Atom]]:
    """The atoms of every frame; a count that differs from the lines is refused."""
    if not lines:
        _fail(source, 1, "the file is empty; a frame begins with its number of particles")
    frames: list[list[Atom]] = []
    at = 0
    while at < len(lines) and (lines[at].strip() or not frames):
        count = _xyz_count(lines[at], at + 1, source)
        if at + 2 + count > len(lines):
            here = max(0, len(lines) - at - 2)
            announced = f"{count} particles that line {at + 1} announces"
            problem = f"the file ends after {here} of the {announced}; correct the count"
            _fail(source, len(lines), problem)
        frames.append([_xyz_atom(lines[k], k + 1, source) for k in range(at + 2, at + 2 + count)])
        at += 2 + count
    if any(line.strip() for line in lines[at:]):
        extra = next(k for k in range(at, len(lines)) if lines[k].strip())
        problem = "there is more than was announced; correct the count, or remove the line"
        _fail(source, extra + 1, problem)
    return frames


def _xyz_count(line: str, number: int, source: str) -> int:
    if not line.strip().isdecimal() or int(line) == 0:
        problem = f"{line.strip()[:40]!r} is no number of particles; a frame begins with one"
        _fail(source, number, problem)
    return int(line)


def _xyz_atom(line: str, number: int, source: str) -> Atom:
    """One line: an element, by symbol or atomic number, and three coordinates."""
    words = line.split()
    if len(words) < 4:
        problem = f"{line.strip()[:60]!r} is too short; give an element and three coordinates"
        _fail(source, number, problem)
    element = words[0]
    if element.isdecimal():
        element = ELEMENT_BY_NUMBER.get(int(element), element)
    x, y, z = (_number(word, number, source) for word in words[1:4])
    return Atom(number, element, (x, y, z))


# ---- PDB: fixed columns --------------------------------------------------------------------------
def _pdb_frames(lines: list[str], source: str) -> list[list[Atom]]:
    """The ATOM and HETATM lines of every model that ENDMDL ends."""
    frames: list[list[Atom]] = [[]]
    for number, line in enumerate(lines, start=1):
        if line.startswith("ENDMDL"):
            frames.append([])
        elif line.startswith(("ATOM  ", "HETATM")) and line[16:17] in KEPT_ALTERNATE_LOCATIONS:
            frames[-1].append(_pdb_atom(line, number, source))
    frames = [frame for frame in frames if frame]
    if not frames:
        _fail(source, max(1, len(lines)), "there is no ATOM or HETATM line")
    return frames


def _pdb_atom(line: str, number: int, source: str) -> Atom:
    """One ATOM or HETATM line: coordinates in columns 31 to 54."""
    if len(line.rstrip()) < 54:
        end = len(line.rstrip())
        problem = f"the line ends at column {end}; the coordinates are in columns 31 to 54"
        _fail(source, number, problem)
    x, y, z = (_number(line[k : k + 8].strip(), number, source) for k in (30, 38, 46))
    return Atom(number, _pdb_element(line), (x, y, z))


def _pdb_element(line: str) -> str:
    """Columns 77 and 78, else from the atom's name, where the element ends in column 14."""
    given = line[76:78].strip().capitalize()
    if given:
        return given
    letters = "".join(c for c in line[12:14] if c.isalpha()).capitalize()
    return letters if letters in MASSES else letters[:1] or line[12:16].strip()


# ---- both ----------------------------------------------------------------------------------------
def _choose_frame(frames: list[list[Atom]], frame: int | None, source: str) -> list[Atom]:
    """The only frame of a file, or the chosen one of several."""
    if frame is None and len(frames) > 1:
        raise FileError(
            f"{source}:{frames[1][0].line}: a second frame begins, of {len(frames)}; choose one "
            "with frame=0"
        )
    index = 0 if frame is None else frame
    if type(index) is not int or not 0 <= index < len(frames):
        raise OptionError(
            f"{source}: frame = {frame!r}: there are {len(frames)}, from 0 to {len(frames) - 1}"
        )
    return frames[index]


def _particles(atoms: list[Atom], masses: Any, types: Any, unit: float, source: str) -> Particles:
    """Particles of atoms; what they refuse is reported with the line of the atom."""
    elements = [atom.element for atom in atoms]
    if types is None:
        types = elements
    elif isinstance(types, Mapping):
        types = [types.get(element, element) for element in elements]
    if masses is None or isinstance(masses, Mapping):
        masses = _masses(atoms, masses, source)
    positions = tuple(scale(unit, atom.position) for atom in atoms)
    try:
        return Particles(positions, masses, types)
    except ModelError as error:
        found = re.fullmatch(r"\w+\[(\d+)\]", error.field or "")
        line = atoms[int(found[1])].line if found else atoms[0].line
        raise FileError(f"{source}:{line}: {error}") from None


def _masses(atoms: Iterable[Atom], masses: Mapping[str, float] | None, source: str) -> list[float]:
    known = MASSES if masses is None else masses
    for atom in atoms:
        if atom.element not in known:
            remedy = "give masses=" if masses is None else "add it to masses"
            _fail(source, atom.line, f"there is no mass for the element {atom.element!r}; {remedy}")
    return [known[atom.element] for atom in atoms]


def _number(word: str, line: int, source: str) -> float:
    if not NUMBER.fullmatch(word):
        _fail(source, line, f"{word[:40]!r} is no number")
    return float(word.replace("d", "e").replace("D", "e"))


def _fail(source: str, line: int, problem: str) -> NoReturn:
    raise FileError(f"{source}:{line}: {problem}")
