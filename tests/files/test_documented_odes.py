"""The code of the pages about odes and potentials of poses runs, and says what it says."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def run_blocks(page, begin="", end=None):
    """The Python blocks of a page, or of a part of it, one after the other in one namespace."""
    text = (DOCS / page).read_text(encoding="utf-8")
    text = text[text.index(begin) :]
    text = text if end is None else text[: text.index(end)]
    names = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, page, "exec"), names)
    return names


@pytest.mark.filterwarnings("ignore::hamiltree.AccuracyWarning")
def test_the_code_of_the_page_about_odes_runs():
    names = run_blocks("odes.md")
    assert names["ball"].formulas == () and names["stiff"].parameters == {"mu": 1000.0}


def test_the_code_about_potentials_of_poses_runs():
    names = run_blocks("model-files.md", "```python\nimport hamiltree", "A cubic table")
    assert len(names["runs"]) == 2
