"""Studies on the workers of a Dask cluster: the bits of a study in threads, whoever computes a
member, and whatever becomes of a worker.
"""

import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree import console
from hamiltree.console import Interruption
from hamiltree.errors import ClusterError, OptionError
from hamiltree.studies import Reduction, chunks, cluster, grid
from hamiltree.studies.chunks import check_version
from hamiltree.studies.schedule import Blocks, run_watched
from hamiltree.version import __version__
from tests.studies.families import FAMILIES, same, study_of

distributed = pytest.importorskip("distributed")
ROOT = Path(__file__).parents[2]
PENDULUM = ht.hamiltonian("p**2/2 - cos(q)", q={"q": 0.1}, p={"p": 0.0})
LONG = {"keep": ["end", "energy_error"], "until": 1500.0, "step": 0.05, "integrator": "gauss4"}


@pytest.fixture(scope="module")
def workers():
    """Three workers of one thread each, on loopback."""
    with (
        distributed.LocalCluster(
            3, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as made,
        distributed.Client(made) as client,
    ):
        yield client


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(cluster, "CHUNK_SECONDS", 0.1)
    monkeypatch.setattr(cluster, "LEAST_SECONDS", 0.05)


def long_study(**more):
    """About a second of work."""
    return ht.study(PENDULUM, {"q.q": grid(0.1, 3.0, 60)}, progress=False, **LONG, **more)


@pytest.fixture(scope="module")
def reference():
    return long_study().data


def wait_for(condition, seconds=60.0):
    """Until it holds; a test that waits in vain fails."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s"
        time.sleep(0.01)


def has_parts(folder):
    return folder.is_dir() and any(folder.glob("*.part"))


def double(t, x, r):
    r[0] = 2.0 * x[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_three_workers_give_the_bits_of_one_thread(family, workers):
    assert same(study_of(family, cluster=workers).data, study_of(family, threads=1).data)


def test_members_do_not_depend_on_who_has_computed_others(workers):
    """Methods that vary: each chunk has some of them, and all have the same variables. A user's
    reduction goes along.
    """
    vary = {"integrator": ["rk4", "gauss4"], "q.q": grid(0.1, 1.0, 9)}
    keep = ["end", Reduction("twice", ["q"], double)]
    arguments = {"keep": keep, "until": 1.0, "step": 0.1, "progress": False}
    found = ht.study(PENDULUM, vary, cluster=workers, **arguments).data
    assert same(found, ht.study(PENDULUM, vary, **arguments).data)
    assert np.array_equal(found["twice"].values, 2 * found["q_end"].values[:, 0])


def test_a_worker_that_is_killed_costs_no_member(workers, reference, tmp_path):
    path, folder = tmp_path / "study.nc", tmp_path / "study.nc.parts"
    victim = next(iter(workers.run(os.getpid).values()))
    parts = []

    def kill():
        wait_for(lambda: has_parts(folder))
        os.kill(victim, signal.SIGKILL)
        parts.extend(part.stem.split("-") for part in folder.glob("*.part"))

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    found = long_study(cluster=workers, output=path)
    killer.join(timeout=60.0)
    assert not killer.is_alive() and parts
    assert sum(int(last) - int(first) for first, last in parts) < 60
    assert victim not in workers.run(os.getpid).values()
    assert same(found.data, reference)


def test_results_that_take_longer_on_the_way_than_a_look_arrive(workers, reference, monkeypatch):
    """One transfer of each chunk, not one after the other that are given up."""
    attempts = []
    monkeypatch.setattr(cluster, "POLL_SECONDS", 1e-6)
    receive = cluster.ClusterRun.receive

    def count(self, future, *more):
        attempts.append(future.key)
        assert attempts.count(future.key) == 1, "the transfer begins again"
        return receive(self, future, *more)

    monkeypatch.setattr(cluster.ClusterRun, "receive", count)
    assert same(long_study(cluster=workers).data, reference)
    assert attempts


def test_one_worker_goes_on_with_what_others_have_left(workers, reference, tmp_path):
    """The study of the shell, by the address of the scheduler."""
    path, folder = tmp_path / "sweep.toml", tmp_path / "sweep.nc.parts"
    path.write_text(SWEEP)
    (tmp_path / "pendulum.toml").write_text(TYPED)
    command = [sys.executable, "-m", "hamiltree", "study", str(path), "-q", "--cluster"]
    command += [workers.scheduler.address]
    broken = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: has_parts(folder) or broken.poll() is not None)
    assert broken.poll() is None, broken.communicate()
    broken.kill()
    broken.communicate()
    assert folder.is_dir() and not (tmp_path / "sweep.nc").exists()
    workers.cluster.scale(1)
    wait_for(lambda: len(workers.nthreads()) == 1)
    done = subprocess.run([*command, "--resume"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = ht.studies.load(tmp_path / "sweep.nc")
    assert found.is_complete and same(found.data, reference)


TYPED = """
[hamiltonian]
H = "p**2/2 - cos(q)"
q = {q = 0.1}
p = {p = 0.0}
"""
SWEEP = """
[study]
problem = "pendulum.toml"
keep = ["end", "energy_error"]
until = 1500.0
step = 0.05
integrator = "gauss4"

[vary]
"q.q" = {grid = [0.1, 3.0, 60]}
"""


def test_the_example_runs(workers, tmp_path):
    script = ROOT / "examples" / "studies" / "cluster.py"
    where = [workers.scheduler.address, "--members", "8", "--output", str(tmp_path / "a.nc")]
    for _ in range(2):  # the second time it is there already
        done = subprocess.run(
            [sys.executable, script, *where], capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        assert "8 members>" in done.stdout


# ---- Ctrl-C while workers of this machine start --------------------------------------------------
class StartingCluster:
    """Stands for `distributed`: its only worker is a process that does what it is told to."""

    def __init__(self, commands):
        self.worker = multiprocessing.get_context("spawn").Process(target=exec, args=(commands,))

    def LocalCluster(self, **options):
        self.worker.start()
        self.begun()
        self.worker.join()
        raise RuntimeError("a worker has ended")

    def begun(self):
        """Something that happens when the worker has begun."""


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_while_workers_start_ends_them_at_once():
    starting = StartingCluster("import time; time.sleep(600)")
    starting.begun = lambda: os.kill(os.getpid(), signal.SIGINT)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            cluster.open_local_cluster(starting, 1, "")
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(ProcessLookupError):  # whichever thread has asked for its exit code
        os.kill(starting.worker.pid, 0)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_does_not_reach_workers_that_start():
    """A terminal sends it to them too, long before they ignore it."""
    is_blocked = "signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])"
    starting = StartingCluster(f"import signal, sys; sys.exit(7 if {is_blocked} else 0)")
    with pytest.raises(ClusterError, match="a worker has ended"):
        cluster.open_local_cluster(starting, 1, "")
    assert starting.worker.exitcode == 7


# ---- workers of this machine ---------------------------------------------------------------------
def stay_busy():
    """Speak at once, and not hear that all is over."""
    from hamiltree.console import Spinner

    with Spinner(True, "a worker speaks") as sign:
        if sign.timer is not None:
            sign.appear()
        time.sleep(600.0)


def test_a_worker_of_this_machine_is_quiet_and_leaves_nothing(workers, capfd):
    """Also one that does not hear that all is over, of which Dask warns, and beside another
    cluster, of whose port it warns.
    """
    with warnings.catch_warnings(action="error"), cluster.connect("local:1") as client:
        (folder,) = client.run(lambda dask_worker: dask_worker.local_directory).values()
        busy = client.submit(stay_busy)
        wait_for(lambda: any(client.processing().values()))
        time.sleep(0.2)  # it has begun
        assert busy.status == "pending" and os.path.exists(folder)
    assert capfd.readouterr() == ("", "")
    assert not os.path.exists(folder)


def test_workers_of_this_machine_are_ended_and_not_waited_for(monkeypatch):
    """Dask waits four seconds for a worker that compiles."""
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    nanny = SimpleNamespace(pid=process.pid, auto_restart=True)
    made = contextlib.nullcontext(SimpleNamespace(workers={0: nanny}))
    client = contextlib.nullcontext(SimpleNamespace(register_plugin=lambda plugin: None))
    monkeypatch.setattr(cluster, "open_local_cluster", lambda *_: made)
    monkeypatch.setattr(cluster, "open_client", lambda *_: client)
    with cluster.connect("local:1"):
        assert process.poll() is None
    assert process.wait(timeout=60) == -signal.SIGKILL and not nanny.auto_restart


def test_what_is_waited_for_is_said_until_the_first_members_are_done(monkeypatch, capfd):
    monkeypatch.setattr(console, "SECONDS_BEFORE_SHOWN", 0.0)

    def run(watch):
        watch(0)
        time.sleep(0.2)
        watch(3)

    with Interruption() as interruption:
        run_watched(run, 10, interruption, True, "workers begin")
    assert capfd.readouterr().err.strip() == "hamiltree: workers begin …"


# ---- refusals ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"cluster": 0}, "cluster = 0; give the address"),
        ({"cluster": [1]}, "give the address"),
        ({"cluster": "local:0"}, "cluster = 'local:0'"),
        ({"cluster": 2, "threads": 2}, "give one"),
    ],
)
def test_a_cluster_that_makes_no_sense_is_refused(given, words, tmp_path):
    with pytest.raises(OptionError, match=words):
        long_study(**given, output=tmp_path / "study.nc")
    assert not list(tmp_path.iterdir())


def test_nobody_who_answers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(ClusterError, match="no scheduler answers at tcp://127.0.0.1:1"):
        long_study(cluster="tcp://127.0.0.1:1", output=tmp_path / "study.nc")
    assert not list(tmp_path.iterdir())


def test_the_file_of_a_scheduler_may_be_a_path(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.3)
    with pytest.raises(ClusterError, match=r"no scheduler answers at .*scheduler\.json"):
        long_study(cluster=tmp_path / "scheduler.json")


class Lost:
    """A client whose scheduler has gone, which it does not know yet."""

    status = "running"

    def nthreads(self):
        raise OSError("the stream is closed")

    submit = cancel = nthreads


def test_a_scheduler_that_is_lost_before_the_client_knows_is_told_in_one_line():
    blocks = Blocks([(0, 10)], 2, 5)
    run = cluster.ClusterRun(Lost(), {"identity": "a"}, {"q.q": np.arange(10.0)})
    with pytest.raises(ClusterError, match="the scheduler is lost. What is in the file is kept"):
        run.run(blocks, list, Interruption(), progress=False)
    with pytest.raises(ClusterError, match="the scheduler is lost"):
        run.submit_more(blocks)


def test_python_functions_and_other_versions_are_refused():
    own = replace(PENDULUM, source=None, name="own")  # as one that was made of functions
    with pytest.raises(OptionError, match="own holds Python functions"):
        ht.study(own, {"q.q": [0.1]}, until=1.0, step=0.1, cluster=2)
    with pytest.raises(OptionError, match="install the same on all machines"):
        check_version((__version__, "another"))


def test_a_worker_keeps_few_studies():
    made = chunks.Made()
    for number in range(5):
        made.put_back(str(number), None)
    assert list(made.free) == ["3", "4"] and made.take({"identity": "4"}) is None
