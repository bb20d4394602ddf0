"""Files and functions stay small, documented and narrow, and logic is written once."""

import pytest

from tests.machinery.layout import (
    MAX_MEDIAN_FILE_LINES,
    MAX_REPEATED_PAIRS,
    Layout,
    measure,
    report,
)


@pytest.fixture(scope="module")
def layout() -> Layout:
    return measure()


def test_no_function_is_longer_than_fifty_lines(layout):
    assert [f"{one.place}: {one.lines}" for one in layout.long_functions] == []


def test_no_file_is_longer_than_five_hundred_lines(layout):
    assert [f"{name}: {layout.file_lines[name]}" for name in layout.long_files] == []


def test_the_median_file_has_at_most_two_hundred_lines(layout):
    assert layout.median_file_lines <= MAX_MEDIAN_FILE_LINES


def test_every_function_over_eight_lines_has_a_docstring(layout):
    assert [one.place for one in layout.undocumented] == []


def test_no_line_is_wider_than_a_hundred_columns(layout):
    assert layout.wide_lines == []


def test_few_files_repeat_six_statements_of_the_same_shape(layout):
    assert len(layout.pairs) < MAX_REPEATED_PAIRS, sorted(layout.pairs)


# ---- the measure itself --------------------------------------------------------------------------
REPEATED = """
def first(x):
    total = 0
    for k in range(3):
        if x[k] > 2:
            total += x[k] * 2
        else:
            total -= 1
    return total
"""


def test_the_measure_sees_code_with_other_names_in_another_file(tmp_path):
    (tmp_path / "one.py").write_text(REPEATED)
    (tmp_path / "two.py").write_text(REPEATED.replace("total", "sum_of").replace("first", "other"))
    (tmp_path / "three.py").write_text('"""Nothing of the kind."""\nX = 1  # a number\n\n')
    found = measure(tmp_path)
    assert list(found.pairs) == [("one.py", "two.py")]
    assert found.lines_of_code == 8 + 8 + 1
    assert found.undocumented == []  # eight lines each
    assert "files                           3" in report(found, verbose=True)


def test_the_measure_counts_nested_functions_without_docstring(tmp_path):
    body = "".join(f"        x{k} = {k}\n" for k in range(9))
    (tmp_path / "one.py").write_text(
        f'def outer():\n    """Documented."""\n    def inner():\n{body}'
    )
    assert [one.place for one in measure(tmp_path).undocumented] == ["one.py:3 inner"]
