"""What an MJCF file may ask of MuJoCo, checked before MuJoCo sees it: a few characters can ask for
more memory than there is, and the process would end with it.
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from hamiltree.errors import FileError
from hamiltree.files.magnitudes import REMEDY, is_huge, may_have_huge
from hamiltree.files.text import check_plain_file
from hamiltree.files.xml_text import Element, quote

MAX_COUNT = 10_000  # of one attribute that says how many
MAX_CELLS = 2**26  # pixels of a texture, heights of a field
MAX_MEMORY = 2**31  # bytes, numbers or contacts that MuJoCo reserves
MAX_PARTS = 100_000  # elements after all copies are made
MAX_DEPTH = 50  # files that include or name one another
MAX_ASSET = 256 * 2**20  # bytes of a mesh or a texture
MAX_SIDE = 2**15  # pixels along one side of a picture
PNG = b"\x89PNG\r\n\x1a\n"

# (tag, attribute) -> the largest value; a tag of None stands for all
COUNTS: dict[tuple[str | None, str], int] = {
    ("size", "nkey"): MAX_COUNT,
    ("size", "nuserdata"): MAX_COUNT,
    ("numeric", "size"): MAX_COUNT,
    ("text", "size"): MAX_COUNT,
    ("user", "dim"): MAX_COUNT,
    ("plugin", "dim"): MAX_COUNT,
    ("hfield", "nrow"): MAX_SIDE,
    ("hfield", "ncol"): MAX_SIDE,
    ("texture", "width"): MAX_SIDE,
    ("texture", "height"): MAX_SIDE,
    ("general", "actdim"): MAX_COUNT,
    (None, "nsample"): MAX_COUNT,
    (None, "maxhullvert"): MAX_PARTS,
    **{("size", name): MAX_MEMORY for name in ("memory", "nstack", "njmax", "nconmax")},
    **{
        ("size", f"nuser_{what}"): MAX_COUNT
        for what in ("body", "jnt", "geom", "site", "cam", "tendon", "actuator", "sensor")
    },
}
SUFFIXES = {"K": 10, "M": 20, "G": 30, "T": 40, "P": 50, "E": 60}
FIELDS = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}
# id of an <include> or a <model> -> the documents that it may mean
NamedDocuments = Mapping[int, Collection[str]]
COPIES = ("replicate", "composite", "flexcomp")  # elements whose `count` makes copies


def check_limits(documents: Mapping[str, Element], named: NamedDocuments) -> None:
    """Refuse counts and sizes that no model of a robot has, in a file and those that it names."""
    for source, root in documents.items():
        for element in walk(root):
            check_counts(source, element)
    main = next(iter(documents))
    if PartCounter(documents, named).model_size(main) > MAX_PARTS:
        problem = f"makes more than {MAX_PARTS} parts by copying; make fewer"
        raise refusal(main, documents[main], problem)


def check_counts(source: str, element: Element) -> None:
    """Refuse an element with a count, a size or a resolution that is too large."""
    for name, text in element.attributes.items():
        if may_have_huge(text) and any(is_huge(to_number(word)) for word in text.split()):
            raise refusal(source, element, f"{name} = {quote(text)} {REMEDY}")
        limit = COUNTS.get((element.tag, name)) or COUNTS.get((None, name))
        if limit is not None:
            check_number(source, element, name, text, limit)
    if element.tag in FIELDS:
        sides = [read_number(element, name) for name in FIELDS[element.tag]]
        cells = math.prod(sides) if all(sides) else max(sides) ** 2
        if cells > MAX_CELLS:
            raise refusal(source, element, f"has more than {MAX_CELLS} cells; give a coarser one")
    if element.tag == "mesh" and "builtin" in element.attributes:
        check_surface(source, element)


def walk(root: Element) -> Iterator[Element]:
    waiting = [root]
    while waiting:
        element = waiting.pop()
        waiting += element.children
        yield element


def refusal(source: str, element: Element, problem: str) -> FileError:
    return FileError(f"{source}:{element.line}: <{quote(element.tag)[1:-1]}> {problem}")


def check_number(source: str, element: Element, name: str, text: str, limit: int) -> None:
    """Refuse what is no whole number, or too large; MuJoCo refuses those that are too small. A
    size may end in K, M, G, …
    """
    power = SUFFIXES.get(text.strip()[-1:].upper(), 0) if name == "memory" else 0
    try:
        value = int(text.strip()[:-1] if power else text) << power
    except ValueError:
        raise refusal(source, element, f"{name} = {quote(text)} is not a whole number") from None
    if not -limit <= value <= limit:
        raise refusal(source, element, f"{name} = {quote(text)}; give at most {limit}")


def check_surface(source: str, element: Element) -> None:
    """The resolution of a surface that MuJoCo makes itself stands among its parameters."""
    for text in element.attributes.get("params", "").split():
        if to_number(text) > MAX_COUNT:
            raise refusal(source, element, f"params has {quote(text)}; give at most {MAX_COUNT}")


def read_number(element: Element, name: str) -> float:
    return to_number(element.attributes.get(name, "0"))


def to_number(text: str) -> float:
    """The size of a number, 1 if it is none: MuJoCo says what is wrong with it."""
    try:
        return abs(float(text))
    except ValueError:
        return 1.0


def with_copies(root: Element) -> Iterator[tuple[Element, float]]:
    """All elements, and how often each is there after copying."""
    waiting = [(root, 1.0)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag in COPIES:
            counts = " ".join(element.attributes.get(name, "") for name in ("count", "cellcount"))
            copies *= math.prod(max(1.0, to_number(text)) for text in counts.split())
        yield element, copies
        waiting += [(child, copies) for child in element.children]


class PartCounter:
    """Counts the elements of a model after all copies are made. A model is a document with those
    that it includes; its <model> elements name other models, which it may attach.
    """

    def __init__(self, documents: Mapping[str, Element], named: NamedDocuments) -> None:
        self.documents = documents
        self.named = named
        self.models: dict[str, float] = {}  # sizes by document; NaN while they are counted
        self.depth = 0

    def model_size(self, source: str) -> float:
        """Refused where a model is a part of itself, which ends MuJoCo's process."""
        if source not in self.models:
            self.models[source] = math.nan
            self.models[source] = self.document_size(source, self.attachable(source), {})
        if math.isnan(self.models[source]):
            raise refusal(source, self.documents[source], "is a <model> of itself; name others")
        return self.models[source]

    def attachable(self, source: str) -> dict[str, float]:
        """Sizes of the models that a model names, by their names."""
        sizes: dict[str, float] = {}
        members = [source]
        for member in members:  # grows in the loop
            for element in walk(self.documents[member]):
                if element.tag == "include":
                    members += set(self.named.get(id(element), ())) - set(members)
                elif element.tag == "model":
                    name = element.attributes.get("name", "")
                    sizes[name] = max(sizes.get(name, 1.0), self.element_size(element, {}, {}))
        return sizes

    def document_size(
        self, source: str, attached: dict[str, float], included: dict[str, float]
    ) -> float:
        """Elements of a document and of those that it includes, in a model that may attach others;
        `included` keeps the sizes of its documents.
        """
        if source not in included:
            included[source] = 1.0  # where it includes itself, which MuJoCo refuses
            included[source] = sum(
                copies * self.element_size(element, attached, included)
                for element, copies in with_copies(self.documents[source])
            )
        return included[source]

    def element_size(
        self, element: Element, attached: dict[str, float], included: dict[str, float]
    ) -> float:
        """Parts that one element stands for; the most where its document is not certain."""
        if element.tag == "attach":
            any_size = max(attached.values(), default=1.0)
            return attached.get(element.attributes.get("model", ""), any_size)
        sources = self.named.get(id(element), ())
        if self.depth == MAX_DEPTH and sources:
            source = next(iter(sources))
            problem = f"is a file in more than {MAX_DEPTH} others; nest fewer"
            raise refusal(source, self.documents[source], problem)
        self.depth += 1
        if element.tag == "model":
            others = [x for x in sources if not math.isnan(self.models.get(x, 0.0))]
            sizes = [self.model_size(source) for source in others or sources]
        else:
            sizes = [self.document_size(source, attached, included) for source in sources]
        self.depth -= 1
        return max(sizes, default=1.0)


def check_asset(path: Path) -> None:
    """Refuse a mesh or a picture that is no plain file, or too large to be read."""
    if not os.path.lexists(path) or path.is_dir():
        return  # MuJoCo looks elsewhere, or says that it is missing
    if check_plain_file(path) > MAX_ASSET:
        raise FileError(f"{path}: larger than {MAX_ASSET // 2**20} MB; give a coarser one")
    with open(path, "rb") as file:
        begin = file.read(24)
    if begin.startswith(PNG) and len(begin) == 24:
        width, height = struct.unpack(">II", begin[16:])
        if width * height > MAX_CELLS:
            raise FileError(f"{path}: a picture of {width} × {height} pixels; give a smaller one")
