"""The page docs/documents/spatial-dynamics.md prints what it says that it prints."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "documents" / "spatial-dynamics.md"
BLOCK = re.compile(r"^```python\n(.*?)^```(?:\n```text\n(.*?)^```)?", re.S | re.M)


def test_every_output_on_the_page_is_what_its_code_prints():
    """A text block below the code, or a comment behind a `print` of one line."""
    said = []
    namespace = {
        "__name__": "page",
        "print": lambda *values: said.append(" ".join(map(str, values))),
    }
    checked = 0
    for code, shown in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        said.clear()
        exec(code, namespace)
        if shown:
            assert "\n".join(said) == shown.rstrip("\n")
            checked += 1
            continue
        comments = re.findall(r"^print\(.*\)  # (.*)$", code, re.M)
        assert len(comments) == len(said), code
        for comment, line in zip(comments, said, strict=True):
            assert comment.endswith(line) or f" {line}, " in comment, (comment, line)
            checked += 1
    assert checked > 25
