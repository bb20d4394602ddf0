"""Files of runs that several processes or threads want at once, and writers that are killed."""

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FileError
from hamiltree.trajectory import file_rows, netcdf
from hamiltree.trajectory.journal import lock_path, run_lock
from hamiltree.trajectory.netcdf import add_attributes
from hamiltree.trajectory.netcdf_calls import netcdf_calls
from hamiltree.verdict import motion_lines
from hamiltree.verdict.stored_reports import store_report

MODEL = ht.library.chain(2)


@pytest.fixture
def written(tmp_path):
    """A run to 0.2 s in a file."""
    path = tmp_path / "run.nc"
    return path, ht.simulate(MODEL, 0.2, 1e-3, save_every=1, output=path, progress=False)


def test_one_process_at_a_time_resumes_a_run(written):
    path, _ = written
    with run_lock(path), pytest.raises(FileError, match="another process"):
        ht.resume(path, until=0.3, progress=False)
    assert not lock_path(path).exists()
    assert float(ht.resume(path, until=0.3, progress=False).t[-1]) == 0.3
    assert not lock_path(path).exists()


def test_a_report_is_not_written_into_a_run_that_another_process_resumes(written):
    path, run = written
    with run_lock(path), pytest.raises(FileError, match="another process"):
        store_report(run, run.report(), path)
    store_report(run, run.report(), path)
    assert ht.load(path).dataset.attrs["verdict"] == "good"


def test_a_lock_that_a_killed_process_has_left_holds_nobody_up(written):
    path, _ = written
    lock_path(path).touch()
    assert float(ht.resume(path, until=0.3, progress=False).t[-1]) == 0.3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_survives_a_process_that_is_killed_while_it_writes_its_report(written):
    path, run = written
    q = run.q.values.copy()
    run.dataset.close()
    chance = random.Random(1)
    for _ in range(15):
        child = os.fork()
        if not child:
            while True:
                add_attributes(path, {"report": "x" * chance.randrange(100_000)})
        time.sleep(chance.uniform(0.0, 0.03))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        read = ht.load(path)
        assert (read.q.values == q).all() and read.status == "complete"
        read.dataset.close()


def test_calls_of_the_library_keep_readers_in_other_threads_out(written):
    path, run = written
    read = []
    reader = threading.Thread(target=lambda: read.append(ht.load(path).q.values))
    with netcdf_calls(), netcdf_calls():
        reader.start()
        reader.join(0.3)
        assert not read
    reader.join()
    assert (read[0] == run.q.values).all()


def test_threads_write_and_read_runs_at_once(tmp_path):
    expected = ht.simulate(MODEL, 0.3, 1e-3, save_every=1, progress=False).q.values
    found = []

    def work(name):
        for k in range(5):
            path = tmp_path / f"{name}{k}.nc"
            sim = ht.simulator(MODEL, step=1e-3)
            sim.run(0.3, save_every=1, output=path)
            found.append(ht.load(path).q.values)

    threads = [threading.Thread(target=work, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 15 and all((q == expected).all() for q in found)


def test_the_fastest_turn_is_found_some_samples_at_a_time(written, monkeypatch):
    _, run = written
    spin = np.linalg.norm(run.dataset["twist"].values[..., :3], axis=2)
    fastest = float(spin.max()), *(int(k) for k in np.unravel_index(spin.argmax(), spin.shape))
    monkeypatch.setattr(motion_lines, "SLAB_NUMBERS", 100)
    assert motion_lines.fastest_turn(run) == pytest.approx(fastest)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
@pytest.mark.parametrize("limit", [0, 2**26])
def test_a_run_that_was_loaded_holds_no_file_open(written, monkeypatch, limit):
    monkeypatch.setattr(netcdf, "MAX_LOADED_BYTES", limit)
    path, run = written
    read = ht.load(path)
    assert (read.q.values == run.q.values).all()
    links = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
    assert str(path) not in {os.readlink(link) for link in links if os.path.lexists(link)}


def test_rows_that_stay_in_a_file_are_those_of_the_run_that_was_loaded(written, monkeypatch):
    path, run = written
    monkeypatch.setattr(netcdf, "MAX_LOADED_BYTES", 0)
    monkeypatch.setattr(file_rows, "SLAB_NUMBERS", 100)
    left, kept = ht.load(path), ht.load(path)
    for key in (-1, slice(3, 40, 7), [5, 1, 1], slice(7, 7)):
        assert (left.dataset["pose"][key, 1].values == run.dataset["pose"][key, 1].values).all()
    ht.resume(path, until=0.3, progress=False)
    assert (left.q.values == run.q.values).all()  # the same run, longer
    ht.simulate(MODEL, 0.2, 2e-3, save_every=1, output=path, force=True, progress=False)
    assert (left.q.values == run.q.values).all()  # read before
    with pytest.raises(FileError, match="holds another run than when it was loaded"):
        kept.q.values  # noqa: B018
    path.unlink()
    with pytest.raises(FileError, match="can no longer be read"):
        kept.q.values  # noqa: B018


CLOSING = """
import pathlib, sys
import hamiltree as ht
from hamiltree.run.saved_files import attributes_of

first, second = map(pathlib.Path, sys.argv[1:])
other, held = ht.load(first), ht.load(second)
attributes_of(second)
other.dataset.close()
attributes_of(second)
print("alive")
"""

COLLECTING = """
import gc, sys
import hamiltree as ht
import xarray as xr

class Holder:
    pass

for k in range(60):
    for _ in range(3):  # datasets that only the search for cycles finds
        holder = Holder()
        holder.me, holder.plain = holder, xr.open_dataset(sys.argv[2])
    del holder
    gc.set_threshold(1 + 5 * k, 5, 5)
    ht.load(sys.argv[1]).energy.values
    gc.set_threshold(700, 10, 10)
print("alive")
"""


@pytest.mark.parametrize("script", [CLOSING, COLLECTING])
def test_files_that_others_hold_or_lose_do_not_end_the_process(written, script):
    """HDF5 does not survive a file that is opened, read and closed while somebody has it open and
    that is opened once more after another file was closed; nor a search for cycles inside a call,
    which closes files.
    """
    path, run = written
    second = path.with_name("second.nc")
    if script is CLOSING:
        shutil.copy(path, second)
    else:
        run.dataset[["q", "p"]].drop_vars("coordinate").to_netcdf(second)  # no strings
    done = subprocess.run(
        [sys.executable, "-c", script, path, second], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "alive"), done.stderr[-2000:]
