"""A thousand damaged files: each runs three steps, or one of our own errors refuses it in a short
line. `python -m tests.fuzzing` tries more.
"""

import random

import pytest

from hamiltree.errors import MAX_MESSAGE
from tests.fuzzing.fuzz import damaged_files, is_short, try_file
from tests.fuzzing.good_files import GOOD
from tests.fuzzing.mutations import MUTATIONS, mutate

COUNTS = {"toml": 500, "urdf": 300, "mjcf": 100, "hamiltonian": 100}


@pytest.mark.parametrize("kind", GOOD)
def test_the_good_files_run(kind, tmp_path):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    for text in GOOD[kind][1]:
        assert try_file(kind, text, tmp_path).verdict == "ran"


@pytest.mark.parametrize("kind", COUNTS)
def test_damaged_files_run_or_are_refused_in_a_short_line(kind, tmp_path):
    if kind == "mjcf":
        pytest.importorskip("mujoco")
    outcomes = [try_file(kind, text, tmp_path) for text in damaged_files(kind, 1, COUNTS[kind])]
    defects = [outcome for outcome in outcomes if outcome.verdict == "defect"]
    assert not defects, f"{defects[0].detail}\n{defects[0].content}"
    verdicts = [outcome.verdict for outcome in outcomes]
    assert verdicts.count("ran") > len(outcomes) // 10
    assert verdicts.count("refused") > len(outcomes) // 10


def test_every_mutation_changes_a_text():
    text = GOOD["toml"][1][0]
    for change in {*MUTATIONS}:
        assert any(change(text, random.Random(seed)) != text for seed in range(5)), change
    assert mutate(text, random.Random(3)) == mutate(text, random.Random(3))


def test_tracebacks_and_long_messages_would_be_found():
    assert is_short("file:3: mass = -1 is negative") and is_short("a\n    formula\n      ^")
    assert not is_short("") and not is_short("two\nlines") and not is_short("x" * 2 * MAX_MESSAGE)
