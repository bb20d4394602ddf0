"""A member depends on its own numbers alone: not on lanes, threads, blocks, other members, or on
what has interrupted the study.
"""

import os
import signal
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.studies import grid
from hamiltree.studies.alone import Stop
from hamiltree.studies.design import make_design
from hamiltree.studies.lane_plan import obstacle
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.study import define
from tests.studies.families import FAMILIES, KEEP, SPRUNG, same, study_of


@pytest.fixture(scope="module")
def reference():
    return {family: study_of(family, threads=1).data for family in FAMILIES}


def test_the_names_of_the_four_bar_are_known():
    assert any(body.name == "crank" for body in FAMILIES["loops"][0].bodies)


@pytest.mark.parametrize("family", FAMILIES)
def test_all_members_are_complete(family, reference):
    assert set(reference[family]["status"].values) == {"complete"}


@pytest.mark.parametrize("family", FAMILIES)
def test_two_threads_give_the_bits_of_one(family, reference):
    assert same(study_of(family, threads=2).data, reference[family])


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_and_lanes_change_no_bit(family, reference):
    """Members in lanes, one by one, and in blocks of other sizes."""
    problem, vary, integrator, has_lanes = FAMILIES[family]
    settings = {"until": 0.21, "step": None if "step" in vary else 0.02, "integrator": integrator}
    definition = define(problem, make_design(vary, 6, "random", 0), KEEP, settings)
    assert bool(obstacle(definition)) is not has_lanes
    whole = BlockRunner(definition, Stop())
    assert (whole.lanes is not None) is has_lanes
    count = definition.count
    blocks = [whole(0, 1), whole(1, 4), whole(4, count)]
    alone = BlockRunner(definition, Stop(), lanes=False)(0, count)
    for name, numbers in alone.values.items():
        pieces = np.concatenate([block.values[name] for block in blocks])
        assert np.array_equal(pieces, numbers), name
        assert np.array_equal(numbers, reference[family][name].values), name


def test_a_member_is_the_run_that_simulate_makes(reference):
    data = reference["tables"]
    for member in (0, 5):
        model = SPRUNG.with_(
            bodies={"rod1": {"mass": float(data["bodies.rod1.mass"][member])}},
            forces={"spring": {"stiffness": float(data["forces.spring.stiffness"][member])}},
        )
        run = ht.simulate(
            model, until=0.21, step=0.02, integrator="rk4", save_every=1, progress=False
        )
        assert np.array_equal(run.q.values[-1], data["q_end"].values[member])
        assert np.array_equal(run.p.values[-1], data["p_end"].values[member])
        assert run.energy_error == data["energy_error"].values[member]
        assert np.array_equal(run.q.values.max(axis=0), data["max(q)"].values[member])
        t = run.dataset["t"].values
        mean = np.trapezoid(run.energy.values, t) / (t[-1] - t[0])
        assert np.isclose(data["mean(energy)"].values[member], mean, rtol=1e-13)


def test_a_member_that_fails_disturbs_no_other_in_its_lanes():
    """H = p²/2 − q⁴/4 escapes to infinity in finite time where it starts outside."""
    escape = ht.hamiltonian("p**2/2 - k*q**4/4", k=1.0)
    settings = {"p": {"p": 0.0}, "until": 3.0, "step": 0.01, "integrator": "rk4"}
    starts = [0.1, 4.0, 0.2, 0.3, 5.0]
    found = ht.study(escape, {"q.q": starts}, keep=["end"], progress=False, **settings)
    assert list(found.failed) == [1, 4]
    assert all(reason.startswith("StepError") for reason in found.failed.values())
    assert np.isnan(found.data["q_end"].values[[1, 4]]).all()
    calm = ht.study(escape, {"q.q": [0.1, 0.2, 0.3]}, keep=["end"], progress=False, **settings)
    assert np.array_equal(found.data["q_end"].values[[0, 2, 3]], calm.data["q_end"].values)


# ---- studies that are broken off -----------------------------------------------------------------
SCRIPT = textwrap.dedent("""
    import sys
    import hamiltree as ht
    problem = ht.hamiltonian("p**2/2 - cos(q)")
    found = ht.study(
        problem, {"q.q": ht.studies.grid(0.1, 3.0, 48)}, p={"p": 0.0}, keep=["end", "energy_error"],
        until=20000.0, step=0.05, integrator="gauss4", output=sys.argv[1],
        resume="resume" in sys.argv, threads=2, progress=False,
    )
    print(found)
""")


def start(path, *words):
    command = [sys.executable, "-c", SCRIPT, str(path), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_parts(process, folder, count):
    """Until so many blocks are finished."""
    while process.poll() is None:
        if folder.is_dir() and len(list(folder.glob("*.part"))) >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"ended before {count} parts were written: {process.communicate()}")


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_study_that_is_killed_or_interrupted_goes_on_where_it_was(tmp_path):
    path = tmp_path / "study.nc"
    folder = tmp_path / "study.nc.parts"
    killed = start(path)
    wait_for_parts(killed, folder, 1)
    killed.kill()
    killed.communicate()
    assert not path.exists()
    before = {part.name: part.read_bytes() for part in folder.glob("*.part")}
    interrupted = start(path, "resume")
    wait_for_parts(interrupted, folder, len(before) + 1)
    interrupted.send_signal(signal.SIGINT)
    words = interrupted.communicate()
    assert interrupted.returncode == 0, words
    assert "missing" in words[0] and "interrupted" in words[1]
    after = {part.name: part.read_bytes() for part in folder.glob("*.part")}
    assert before.items() <= after.items()
    damaged = max(folder.glob("*.part"))
    damaged.write_bytes(damaged.read_bytes()[:-1])  # torn: it is missing, and computed again
    done = start(path, "resume")
    assert "48 members>" in done.communicate()[0]
    assert not folder.exists()
    whole = ht.study(
        ht.hamiltonian("p**2/2 - cos(q)"),
        {"q.q": grid(0.1, 3.0, 48)},
        p={"p": 0.0},
        keep=["end", "energy_error"],
        until=20000.0,
        step=0.05,
        integrator="gauss4",
        progress=False,
    )
    assert same(ht.studies.load(path).data, whole.data)
