"""hamiltree compare: what it prints, what it writes, and how it leaves."""

import json
import sys
from dataclasses import replace

import pytest

from hamiltree.cli import app as cli
from hamiltree.files import save
from hamiltree.formulations import FORMULATIONS
from hamiltree.model import library

SOME = ("--formulations", "hamiltonian_tree,cartesian-3", "--until", "0", "--quiet")


@pytest.fixture
def compare(monkeypatch, capsys, tmp_path):
    """compare(*arguments) -> (code, out, err), in an empty folder with chain.toml."""
    monkeypatch.chdir(tmp_path)
    save(library.chain(2), "chain.toml")

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", "compare", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, *capsys.readouterr()

    return call


def test_formulations_that_agree_leave_with_0_and_a_table(compare):
    code, out, _ = compare("chain.toml", *SOME)
    assert (
        code == 0
        and "agree: hamiltonian_tree, cartesian_3" in out
        and "angular acceleration" in out
    )


def test_formulations_that_disagree_leave_with_1_and_name_the_body(compare, monkeypatch):
    made = FORMULATIONS["cartesian_3"]
    heavier = replace(
        made,
        assemble=lambda start: made.assemble(
            replace(start, model=start.model.with_(bodies={"b2": {"mass": 9.0}}))
        ),
    )
    monkeypatch.setitem(FORMULATIONS, "cartesian_3", heavier)
    save(library.chain(4), "long.toml")
    code, out, _ = compare("long.toml", *SOME)
    assert (
        code == 1
        and "DISAGREE" in out
        and "cartesian_3: its equations of motion are wrong at body 'b2'" in out
    )


def test_a_reason_is_printed_for_what_does_not_fit(compare):
    some = "hamiltonian_tree,cartesian_3"
    code, out, _ = compare(
        "four_bar", "--formulations", f"{some},cartesian_2", "--until", "0", "-q"
    )
    assert code == 0 and "hamiltonian_tree: joint 'coupler_pin'" in out
    code, _, err = compare("four_bar", "--formulations", some, "--until", "0", "-q")
    assert (
        code == 2
        and "hamiltonian_tree: joint 'coupler_pin'" in err
        and "nothing to compare it with" in err
    )


def test_numbers_go_to_a_file_that_is_not_overwritten(compare, tmp_path):
    assert compare("chain.toml", *SOME, "--json", "found.json")[0] == 0
    found = json.loads((tmp_path / "found.json").read_text("utf-8"))
    assert found["agree"] and found["accelerations"]["coords"]["body"] == ["b1", "b2"]
    code, _, err = compare("chain.toml", *SOME, "--json", "found.json")
    assert code == 2 and "found.json" in err
    assert compare("chain.toml", *SOME, "--json", "found.json", "--force")[0] == 0


def test_numbers_alone_are_printed_for_a_dash(compare):
    code, out, _ = compare("chain.toml", *SOME, "--json", "-")
    assert code == 0 and json.loads(out)["formulations"] == ["hamiltonian_tree", "cartesian_3"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("none.toml",),
        ("chain.toml", "-f", "none"),
        ("chain.toml", "-i", "none"),
        ("chain.toml", "-u", "-1"),
    ],
)
def test_bad_input_leaves_with_2_and_one_line(compare, arguments):
    code, out, err = compare(*arguments)
    assert code == 2 and not out and "Traceback" not in err
