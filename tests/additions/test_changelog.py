"""The CHANGELOG has every name that was changed, beside the new one."""

from pathlib import Path

import pytest

from hamiltree import renamed

ROWS = [
    line
    for line in (Path(__file__).parents[2] / "CHANGELOG.md")
    .read_text(encoding="utf-8")
    .splitlines()
    if line.startswith("| ")
]


@pytest.mark.parametrize(("old", "new"), [*renamed.PUBLIC.items(), *renamed.FORMULATIONS.items()])
def test_the_changelog_has_every_renamed_name(old, new):
    assert any(f"`{old}" in line and f"`{new}" in line.split(" | ")[1] for line in ROWS)
