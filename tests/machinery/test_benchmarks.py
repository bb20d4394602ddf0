"""The long runs of the benchmarks at their smallest size, and the table of scales in the
documentation.
"""

import math
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from benchmarks import long_runs, scales
from hamiltree.errors import FileError

PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"


@pytest.mark.parametrize("name", [name for name in long_runs.LONG if name != "n_pendulum(10,000)"])
def test_a_thousand_steps_of_a_long_run_keep_what_the_whole_run_keeps(name):
    share = 1e3 / long_runs.LONG[name].steps
    rows = long_runs.long_run(name, share)
    assert len(rows) > 2
    for row in rows:
        assert row.met is not False, row


def test_ten_steps_of_ten_thousand_rods_keep_the_energy_in_parts_of_the_potential_one():
    """They start from rest, so that their kinetic energy is no measure yet."""
    long = long_runs.LONG["n_pendulum(10,000)"]
    done = ht.simulate(long.model(), 10 * long.step, long.step, progress=False, **long.options)
    assert np.abs(done.energy_balance).max() < 1e-13 * abs(done.potential_energy[0])
    assert done.kinetic_energy[-1] > 1e-10 * abs(done.potential_energy[0])


def test_masses_of_neighbours_differ_by_1e8():
    masses = [body.mass for body in long_runs.uneven_chain(1.0, 1 / long_runs.RATIO).bodies]
    assert all(
        3e7 < heavy / light < 3e8 for heavy, light in zip(masses[::2], masses[1::2], strict=True)
    )


def test_a_linkage_of_atoms_has_the_bits_of_one_of_metres():
    assert scales.angle_error(scales.fixed_run, scales.SCALES[0]) == 0.0


@pytest.mark.parametrize("scale", [scales.SCALES[1], scales.SCALES[-2]])
def test_a_body_of_any_size_that_flies_moves_as_one_at_rest(scale):
    assert scales.hinge_angles(scale, 0.0).min() < -0.4
    assert scales.hinge_error(scale, 3e4) < 1e-9


def test_a_run_that_fails_is_said_to_fail():
    found = dict.fromkeys(scales.GOALS, math.inf) | {"`compare`": 1e-12}
    name, powers, *figures = scales.cells(scales.HUMAN, found)
    assert (name, powers) == ("1 m", "2^0 m, 2^0 kg, 2^0 s")
    assert [*scales.GOALS].index("`compare`") == figures.index("agree, 1e-12")
    assert figures.count("fails") == len(figures) - 1


def test_the_page_has_the_table_of_scales():
    text = PAGE.read_text(encoding="utf-8")
    table = text.split(scales.BEGIN)[1].split(scales.CLOSE)[0]
    lines = [
        tuple(cell.strip() for cell in line.strip("|").split("|"))
        for line in table.strip().splitlines()
    ]
    assert lines[0] == scales.COLUMNS
    assert [line[:2] for line in lines[2:]] == [(s.name, s.powers) for s in scales.SCALES]
    assert all(len(line) == len(scales.COLUMNS) for line in lines)


def test_the_table_is_written_between_its_comments(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{scales.BEGIN}\nold\n{scales.CLOSE}\nafter\n")
    scales.write_table(page, "| new |\n")
    assert page.read_text() == f"before\n{scales.BEGIN}\n| new |\n{scales.CLOSE}\nafter\n"
    page.write_text("no place\n")
    with pytest.raises(FileError, match="no place for the table"):
        scales.write_table(page, "")
