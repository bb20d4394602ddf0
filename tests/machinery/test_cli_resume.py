"""`hamiltree run --resume`, `hamiltree info RUN.nc`: runs that go on in the shell."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.app import main
from hamiltree.trajectory.journal import journal_path
from hamiltree.trajectory.lines import Line
from hamiltree.verdict.report import Report
from hamiltree.verdict.stored_reports import store_report

GOOD_LINE = Line("step", 0.1, "rad in a step", "good", "Short enough.")


@pytest.fixture
def hamiltree(monkeypatch, tmp_path, capsys):
    """hamiltree(*arguments): exit code, standard output, standard error, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as done:
            main()
        said = capsys.readouterr()
        return done.value.code, said.out, said.err

    return run


@pytest.fixture
def chain(tmp_path):
    """A model file, and the run of it to 0.2 s in chain.nc."""
    ht.save(ht.library.chain(2), tmp_path / "chain.toml")
    output = tmp_path / "chain.nc"
    return ht.simulate(ht.library.chain(2), 0.2, 1e-3, save_every=1, output=output, progress=False)


def test_info_names_what_is_not_good(hamiltree, chain):
    report = Report((Line("energy balance", 0.5, "of 2 J exchanged", "bad", "Off."), GOOD_LINE), {})
    store_report(chain, report, "chain.nc")
    lines = dict(line.split("  ", 1) for line in hamiltree("info", "chain.nc")[1].splitlines())
    assert lines["verdict"].strip() == "bad"
    assert lines["not good"].strip() == "energy balance (bad, 0.5 of 2 J exchanged)"


def test_a_complete_run_goes_on_to_a_later_time(hamiltree, chain):
    code, out, err = hamiltree("run", "--resume", "chain.nc", "--until", "0.3")
    assert code == 0 and out.endswith("wrote chain.nc\n")
    assert err.startswith("chain(2): hamiltonian_tree, gauss8, step 0.001 s, until 0.3 s")
    unbroken = ht.simulate(ht.library.chain(2), 0.3, 1e-3, save_every=1, progress=False)
    found = ht.load("chain.nc")
    np.testing.assert_array_equal(found.q.values, unbroken.q.values)
    np.testing.assert_array_equal(found.t.values, unbroken.t.values)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("run", "give a model to run, or --resume FILE to go on with a run"),
        ("run --resume none.nc", "none.nc: no such file"),
        ("run --resume chain.nc", "chain.nc: this run has come to t = 0.2 (complete); give a"),
        ("run chain.toml --resume chain.nc", "--resume goes on with the run as it was begun; "),
        ("run --resume chain.nc --step 1e-4", "--resume goes on with the run as it was begun; le"),
        ("run --resume chain.nc -u 1 --split 0", "split = '0'; a file holds at least 2 samples"),
        ("run --resume chain.toml", "chain.toml: not a readable netCDF file of hamiltree"),
        ("run chain.toml --checkpoint -1", "checkpoint = -1.0; give seconds"),
        ("run chain.nc", "chain.nc: no model format has the ending '.nc'"),
        ("info none.nc", "none.nc: no such file"),
        ("info chain.nc --tree", "chain.nc is a run: --tree, --picture and options of readers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(hamiltree, chain, tmp_path, arguments, message):
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, out, err = hamiltree(*arguments.split())
    assert (code, out) == (2, "")
    assert err.startswith(f"hamiltree: error: {message}") and err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_info_tells_how_a_run_ended_what_made_it_and_how_it_goes_on(hamiltree, chain):
    code, out, _ = hamiltree("info", "chain.nc")
    lines = {line[:10].strip(): line[12:] for line in out.splitlines()}
    assert code == 0
    assert lines["status"] == "complete"
    assert lines["time"] == "t = 0.2 of 0.2"
    assert lines["samples"] == "201 in chain.nc"
    assert lines["run of"] == "chain(2)"
    assert lines["method"] == "hamiltonian_tree, gauss8, step 0.001, saved every 1 step"
    assert lines["computing"].startswith("200 steps in ")
    assert lines["made by"].startswith(f"hamiltree {ht.__version__} (")
    assert lines["checkpoint"].startswith("t = 0.2, 20")
    assert lines["go on with"] == "hamiltree run --resume chain.nc --until TIME"
    hamiltree("run", "--resume", "chain.nc", "--until", "0.4", "--split", "150", "--quiet")
    code, out, _ = hamiltree("info", "chain.nc", "--json", "-")
    facts = json.loads(out)
    assert (facts["t"], facts["until"], facts["samples"]) == (0.4, 0.4, 401)
    assert facts["files"][1:] == ["chain.0001.nc", "chain.0002.nc"]
    assert facts["verdict"] == "good" and facts["resumed"][0]["at"] == 0.2


ENDLESS = "run chain.toml --until 1e6 --step 1e-3 --save-every 1000 -i dop853 -q -o run.nc"


def test_a_run_of_the_shell_that_is_killed_says_so_and_goes_on(hamiltree, chain, environment):
    command = [sys.executable, "-m", "hamiltree", *ENDLESS.split(), "--checkpoint", "0.05"]
    process = subprocess.Popen(command, env=environment())
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end and not os.path.exists("run.nc.checkpoint.before"):
            time.sleep(0.02)
        code, out, _ = hamiltree("info", "run.nc")
        assert code == 0 and out.startswith("status      running")
        refused = hamiltree("run", "--resume", "run.nc", "--until", "1e7")
        assert refused[0] == 2 and "another process is writing this run" in refused[2]
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    code, out, _ = hamiltree("info", "run.nc")
    assert out.startswith("status      broken off: the process that wrote it is gone")
    assert out.endswith("go on with  hamiltree run --resume run.nc\n")
    left = ht.load("run.nc")
    reached = float(left.t[-1])
    assert journal_path(Path("run.nc")).exists()
    code, out, _ = hamiltree("run", "--resume", "run.nc", "--until", str(reached + 9), "-q")
    assert code == 0
    found = ht.load("run.nc")
    assert found.status == "complete" and float(found.t[-1]) == reached + 9
    np.testing.assert_array_equal(found.q.values[: len(left.t)], left.q.values)
