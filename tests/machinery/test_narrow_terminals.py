"""Reports and tables in a terminal of 80 columns: no word is cut, no row is broken."""

import io
import math
from types import SimpleNamespace

import pytest
from rich.console import Console

import hamiltree as ht
from hamiltree.cli.output import RowsWithWords, plain_table
from hamiltree.cli.report import print_lines
from hamiltree.trajectory.lines import GOOD, NOTE, Line
from hamiltree.verdict.formats import as_text, number_text
from hamiltree.verdict.ledger import HEADINGS, align

SENTENCE = "Determined until t = 8.7 s: errors grow exponentially, from there on they may be large."
LINES = (
    Line("agreement with a second formulation", 1e-12, "of the motion", GOOD, SENTENCE),
    Line("stops and friction", 0.2, "times the stiffest that steps can follow", NOTE, SENTENCE),
)
ABOUT = {"formulation": "hamiltonian_tree", "integrator": "gauss8", "step": 1e-3, "until": 5.0}
REPORT = SimpleNamespace(lines=LINES, about=ABOUT, seconds={}, ledger=None, verdict=GOOD)


def printed(print_to, width):
    """What is printed to a console of so many columns, line by line."""
    console = Console(file=io.StringIO(), width=width)
    print_to(console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def check_sentences(lines, width):
    """No line is too wide, and every sentence is there in whole words."""
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines).split()).count(SENTENCE) == 2


def test_sentences_of_a_report_stand_under_their_lines_in_a_narrow_terminal():
    lines = printed(lambda console: print_lines(REPORT, console), 80)
    check_sentences(lines, 80)
    row = "agreement with a second formulation 1.0e-12 of the motion good"
    assert " ".join(lines[0].split()) == row
    assert lines[1].startswith("    Determined until")


def test_sentences_of_a_report_stand_beside_their_lines_in_a_wide_terminal():
    lines = printed(lambda console: print_lines(REPORT, console), 200)
    assert len(lines) == 2 and lines[0].endswith(SENTENCE)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_not_finite_is_told_in_words(number):
    assert number_text(Line("step", number, "", GOOD, "")) == "not finite"


@pytest.mark.parametrize("width", [80, 100])
def test_a_report_as_text_is_as_wide_as_the_terminal(monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    short = SimpleNamespace(**{**vars(REPORT), "lines": LINES[:1] * 2})
    check_sentences(as_text(short).splitlines(), width)


def test_a_ledger_that_is_too_wide_has_its_numbers_under_the_names():
    row = ("joint_damper pan", "joint_damper", "281.172", "301.734", "at most 3.7e-11", "-60.6957")
    lines = align([HEADINGS, row], 80)
    assert max(map(len, lines)) <= 80 and lines[2] == "joint_damper pan, joint_damper"
    assert lines[3].split() == [*row[2:4], "at", "most", "3.7e-11", row[5]]
    assert len(align([HEADINGS, row], 90)) == 2
    run = ht.simulate(ht.library.pendulum(angle=1.0), until=0.1, progress=False)
    assert max(map(len, run.ledger().table(width=60).splitlines())) <= 60


def test_the_title_of_a_table_is_not_broken_at_the_width_of_the_table():
    table = plain_table("n_pendulum(3): stable, V = -44.145 J", "q", "value")
    table.add_row("h", "0")
    lines = printed(lambda console: console.print(table), 80)
    assert lines[0] == "n_pendulum(3): stable, V = -44.145 J"
    assert lines[1].split() == ["q", "value"]


def test_names_in_the_summary_of_a_study_are_whole():
    heads = "kept", "members", "least", "median", "largest", "depends most on (rank correlation)"
    table = RowsWithWords(("left",) * 5, 0, heads)
    words = "bodies.upper_arm.mass +0.98, joints.shoulder.damping -0.12"
    table.add_row(("q_end.shoulder", "1000", "-0.123457", "0.234568", "1.23457e-05"), words)
    lines = printed(table.print, 80)
    assert max(map(len, lines)) <= 80
    assert lines[2].split()[0] == "q_end.shoulder" and lines[3] == f"    {words}"
