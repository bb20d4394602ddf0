"""README as a reader would try it: every Python block and every line for the shell runs; so does
every example.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
LINES = [
    found[1].partition("   #")[0].strip()
    for found in re.finditer(r"^    \.venv/bin/hamiltree (.*)$", README, re.M)
]
# what takes long is asked for less: the ends of runs, and lists in place of what they name
SHORTER = {"--until 20 ": "--until 0.2 ", "--until 200 ": "--until 1 "}
NOT_RUN = {"demo": "tests/machinery/test_cli.py", "gallery": "tests/papers/test_chapter2.py"}


def shortened(block):
    """The same block with shorter runs, where they take more than some seconds."""
    return re.sub(r"until=\d{2,}", "until=0.1", block)


def test_readme_has_blocks_and_lines_to_run():
    assert len(BLOCKS) >= 5 and len(LINES) >= 6


def test_the_demo_has_the_same_figures_under_its_picture_and_beside_the_neighbours():
    caption = re.search(r"right to ([\d.e-]+) of the peak kinetic energy; ([\d.]+) s on", README)
    row = re.search(r"chain of ten for 100 s .*?\| ([\d.e-]+) in ([\d.]+) s", README)
    assert [*map(float, caption.groups())] == [*map(float, row.groups())]


def test_the_blocks_of_readme_run_one_after_the_other(tmp_path, python):
    code = "\n".join(["import matplotlib", 'matplotlib.use("Agg")', *map(shortened, BLOCKS)])
    done = python("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "arm.html").exists() and (tmp_path / "phase.png").exists()


@pytest.mark.parametrize("line", [line for line in LINES if line.split()[0] not in NOT_RUN])
def test_a_line_of_readme_for_the_shell_runs(tmp_path, shell, line):
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    if line.startswith(("view", "plot")):
        shell("run", "examples/crane.toml", "--until", "0.1", "-q")
    for long, short in SHORTER.items():
        line = line.replace(long, short)
    if "tetrahedra" in line:
        line += " --until 0.01"
    done = shell(*shlex.split(line))
    assert done.code == 0 and "Traceback" not in done.error, done.error


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.name)
def test_an_example_file_runs(tmp_path, shell, path):
    done = shell("run", path, "--until", "0.01", "-q", "-o", "run.nc")
    assert done.code == 0 and (tmp_path / "run.nc").exists(), done.error


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda p: p.name)
def test_an_example_program_runs(tmp_path, python, path):
    done = python(path, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
