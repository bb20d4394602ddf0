"""Runs that are killed twenty times at random times, and one on a disk that fills up."""

from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_killed_runs_lose_nothing_and_are_resumed_to_the_bit(python):
    done = python("-m", "tests.machinery.killed_runs", "--kills", 20, cwd=ROOT, timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "20 kills, 1 full disk, 0 faults\n"
    assert "When there is room go on with: hamiltree run --resume" in done.stderr
