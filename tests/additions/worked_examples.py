"""The worked examples of CONTRIBUTING.md, taken from the page and applied to a copy of the package.

    python -m tests.additions.worked_examples    how many files each addition touches

A block whose first line is `# src/hamiltree/…` belongs to that file: Python code makes a new file,
or goes to the end of one; a diff adds lines at a place that its other lines show.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "CONTRIBUTING.md"
BLOCK = re.compile(
    r"^```(python|diff)\n# (src/hamiltree/\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
SECTIONS = {
    "joint": "## A new joint",
    "force": "## A new force",
    "tableau": "## A new integrator",
    "formulation": "## A new formulation",
}


@dataclass(frozen=True)
class Block:
    """What CONTRIBUTING.md writes into one file."""

    language: str  # python or diff
    path: str  # from the root of the repository
    text: str

    def apply(self, root: Path) -> None:
        """Change the file below `root`."""
        path = root / self.path
        if self.language == "diff":
            path.write_text(patch(path.read_text(), self.text, self.path))
        elif path.exists():
            path.write_text(f"{path.read_text().rstrip()}\n\n\n{self.text}")
        else:
            path.write_text(self.text)


def patch(text: str, diff: str, name: str) -> str:
    """Replace the lines that a diff shows by those that it wants."""
    lines = diff.splitlines()
    before = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    after = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    assert text.count(before) == 1, f"CONTRIBUTING.md: {name} does not hold, once,\n{before}"
    return text.replace(before, after)


def section(title: str, page: Path = PAGE) -> str:
    """The text of CONTRIBUTING.md below a heading, up to the next one."""
    text = page.read_text(encoding="utf-8")
    return text.split(f"\n{title}\n", 1)[1].split("\n## ", 1)[0]


def blocks(addition: str) -> list[Block]:
    """The blocks of an addition, in the order of the page."""
    return [Block(*found) for found in BLOCK.findall(section(SECTIONS[addition]))]


def files_of(addition: str) -> list[str]:
    """The files that an addition touches."""
    return sorted({block.path for block in blocks(addition)})


def copy_package(folder: Path) -> Path:
    """A copy of the package with all additions; returns what PYTHONPATH must hold."""
    without = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", folder / "src", ignore=without)
    for addition in SECTIONS:
        for block in blocks(addition):
            block.apply(folder)
    return folder / "src"


def report() -> Iterator[str]:
    for addition in SECTIONS:
        files = files_of(addition)
        lines = sum(
            line.startswith("+") or block.language == "python"
            for block in blocks(addition)
            for line in block.text.splitlines()
        )
        yield f"{addition:12} {len(files)} file(s), {lines:3} lines: {', '.join(files)}"


if __name__ == "__main__":
    print("\n".join(report()))
