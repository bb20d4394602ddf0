"""Chunks of members on the workers of a Dask cluster.

Few chunks are under way at a time, and what comes back goes into the store at once, so that memory
does not grow with the study. A chunk is known by the study and its members: computed twice, it is
the same. Dask gives the chunks of a worker that dies to others.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import queue
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from functools import partial
from multiprocessing import resource_tracker
from tempfile import TemporaryDirectory
from typing import Any

from hamiltree.console import Interruption, delayed_signals, tell
from hamiltree.errors import ClusterError, HamiltreeError, OptionError, find_similar
from hamiltree.studies.chunks import Columns, Result, run_chunk
from hamiltree.studies.results import Block
from hamiltree.studies.schedule import POLL_SECONDS, Add, Blocks, Watch, run_watched
from hamiltree.studies.store import IDENTITY

CHUNK_SECONDS = 2.0  # aim of one chunk
LEAST_SECONDS = 1.0  # of a chunk, also towards the end
PER_THREAD = 2  # chunks under way for each thread of a worker: one runs, one waits
SMALLER = 4  # results of a chunk are so many times smaller than those of a block may be
CONNECT_SECONDS = 20
MAX_WORKERS = 1024
HOW_TO_GO_ON = "What is in the file is kept: resume goes on"
SCHEDULER_LOST = f"cluster: the scheduler is lost. {HOW_TO_GO_ON}"
WAITING = "workers of the cluster begin; code that is not in the cache is compiled"
LOOPBACK = "127.0.0.1"
WAYS = (
    "give the address of a scheduler (tcp://host:8786), its file (scheduler.json), local:N or N "
    f"workers of this machine (1 to {MAX_WORKERS}), or a Client or a Cluster of Dask"
)
LOCAL = re.compile(r"local(?::(\d+))?")


# ---- which cluster -------------------------------------------------------------------------------
@contextlib.contextmanager
def connect(given: Any) -> Iterator[Any]:
    """A client of what was given: an address, the file of a scheduler, a Client, a Cluster, or a
    number of workers on this machine. What is made here is closed again.
    """
    distributed = import_distributed()
    if isinstance(given, distributed.Client):
        if given.asynchronous:
            raise OptionError("cluster: this Client is asynchronous; give one that is not")
        yield given
        return
    if isinstance(given, os.PathLike):
        given = os.fspath(given)
    workers = local_workers(given)
    with contextlib.ExitStack() as stack:
        if workers is not None:
            folder = stack.enter_context(TemporaryDirectory("-dask", ignore_cleanup_errors=True))
            given = stack.enter_context(open_local_cluster(distributed, workers, folder))
            stack.callback(end_workers, given)
        client = stack.enter_context(open_client(distributed, given))
        if workers is not None:
            client.register_plugin(make_plugin(distributed))
        yield client


def open_local_cluster(distributed: Any, workers: int, folder: str) -> Any:
    """Processes of one thread each, which nobody else can reach, with a folder for their files.
    A signal that comes while they start ends them.
    """
    before = set(multiprocessing.active_children())
    made: Future[Any] = Future()
    has_begun = False
    try:
        with delayed_signals():
            begin_local_cluster(made, distributed, workers, folder)
            has_begun = True
        while not wait([made], timeout=POLL_SECONDS).done:
            pass
        return made.result()
    except RuntimeError as error:
        raise ClusterError(
            f"cluster: workers cannot start on this machine: {error}; they read the script that "
            "asks for them, so it must do that under if __name__ == '__main__':"
        ) from None
    except BaseException:
        while has_begun and not wait([made], timeout=POLL_SECONDS).done:
            for process in set(multiprocessing.active_children()) - before:
                process.kill()
        if has_begun and made.exception() is None:
            made.result().close()
        raise


def begin_local_cluster(made: Future[Any], distributed: Any, workers: int, folder: str) -> None:
    """Start a cluster in a thread that SIGINT does not reach, nor what begins there: a terminal
    sends it to all processes, and workers would break off with long messages.
    """
    if os.name == "posix":
        resource_tracker.ensure_running()  # where it begins, it lets SIGINT through again

    def make() -> None:
        """Block the signal, and make the cluster."""
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                host=LOOPBACK,
                dashboard_address=None,
                # else its usual port, with a warning of Dask where somebody has it
                scheduler_kwargs={"dashboard_address": f"{LOOPBACK}:0"},
                local_directory=folder,
                silence_logs=logging.CRITICAL,  # what becomes of a chunk is said in our words
            )
            made.set_result(cluster)
        except BaseException as error:
            made.set_exception(error)

    threading.Thread(target=make, daemon=True).start()


def end_workers(made: Any) -> None:
    """End the processes of a cluster of this machine at once: their results are here, or not
    wanted, and Dask would wait for one that compiles.
    """
    for nanny in list(made.workers.values()):
        nanny.auto_restart = False
        if nanny.pid is not None:
            with contextlib.suppress(OSError):
                os.kill(nanny.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def make_plugin(distributed: Any) -> Any:
    """Lets workers of this machine be quiet, and ignore Ctrl-C, which a terminal sends to all
    processes: the study ends, and then they do.
    """

    class QuietWorker(distributed.WorkerPlugin):
        def setup(self, worker: Any) -> None:
            from hamiltree.console import Spinner

            Spinner.is_silent = True
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    return QuietWorker()


def import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise OptionError(
            "cluster needs Dask distributed, which is not here; pip install 'hamiltree[cluster]'"
        ) from None
    return distributed


def local_workers(given: Any) -> int | None:
    """How many workers on this machine: a number, local:N or local; None if it is something else.
    Refused if it makes no sense.
    """
    text = given
    if isinstance(given, str):
        found = LOCAL.fullmatch(given)
        if found is None:
            refuse_misspelled(given)
            return None
        given = int(found[1]) if found[1] else os.cpu_count() or 1
    if hasattr(given, "scheduler_address"):
        return None
    is_number = isinstance(given, int) and not isinstance(given, bool)
    if not is_number or not 1 <= given <= MAX_WORKERS:
        raise OptionError(f"cluster = {text!r}; {WAYS}")
    return given


def refuse_misspelled(given: str) -> None:
    """What was meant to be local:N, before somebody waits for a host of that name."""
    word, _, rest = given.partition(":")
    if word == "local":
        raise OptionError(f"cluster = {given!r}; {WAYS}")
    if rest.isdecimal() and word != "localhost" and find_similar(word, ["local"]):
        raise OptionError(
            f"cluster = {given!r}; did you mean 'local:{rest}'? (the scheduler of a host of that "
            f"name is tcp://{given})"
        )


def open_client(distributed: Any, given: Any) -> Any:
    """Refused where nobody answers."""
    is_file = isinstance(given, str) and given.endswith(".json")
    try:
        if is_file:
            wait_for_file(given)
            return distributed.Client(scheduler_file=given, timeout=CONNECT_SECONDS)
        return distributed.Client(given, timeout=CONNECT_SECONDS)
    except (OSError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"cluster: no scheduler answers at {given}: {str(error) or type(error).__name__}"
        ) from None


def wait_for_file(path: str) -> None:
    """Until a scheduler that starts has written it; Dask would wait for ever."""
    end = time.monotonic() + CONNECT_SECONDS
    while not os.path.exists(path):
        if time.monotonic() > end:
            raise FileNotFoundError("there is no such file")
        time.sleep(min(POLL_SECONDS, CONNECT_SECONDS))


# ---- chunks --------------------------------------------------------------------------------------
class ClusterRun:
    """The chunks of one study that are under way."""

    def __init__(self, client: Any, parcel: dict[str, Any], columns: Columns):
        """Of the study of a parcel; `columns`: what varies, of all members."""
        self.client = client
        self.parcel = parcel
        self.columns = columns
        self.ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.futures: dict[str, Any] = {}  # by their keys
        self.bounds: dict[str, tuple[int, int]] = {}  # members of each

    def run(self, blocks: Blocks, add: Add, interruption: Interruption, progress: bool) -> None:
        """Compute all blocks, until a signal comes."""
        blocks.seconds, blocks.least_seconds = CHUNK_SECONDS, LEAST_SECONDS
        blocks.largest = max(1, blocks.largest // SMALLER)
        if not self.count_threads():
            tell("hamiltree: the cluster has no workers yet; waiting for them")
        try:
            compute = partial(self.compute, blocks, add)
            run_watched(compute, blocks.left, interruption, progress, WAITING)
        finally:
            if self.futures and self.is_connected:
                with contextlib.suppress(OSError, TimeoutError):  # the scheduler is lost just now
                    self.client.cancel(list(self.futures.values()))

    @property
    def is_connected(self) -> bool:
        return self.client.status == "running"

    def check_connection(self) -> None:
        if not self.is_connected:
            raise ClusterError(SCHEDULER_LOST)

    @contextlib.contextmanager
    def explain_loss(self) -> Iterator[None]:
        """A call of the scheduler that fails because it is lost, before the client knows."""
        try:
            yield
        except Exception as error:
            if self.is_connected and not isinstance(error, (OSError, TimeoutError)):
                raise
            raise ClusterError(SCHEDULER_LOST) from error

    def count_threads(self) -> int:
        with self.explain_loss():
            return sum(self.client.nthreads().values())

    def compute(self, blocks: Blocks, add: Add, watch: Watch) -> None:
        """Until all is done, or it is to stop."""
        done = 0
        self.submit_more(blocks)
        while self.futures and not watch(done):
            self.check_connection()
            with contextlib.suppress(queue.Empty):
                future = self.ready.get(timeout=POLL_SECONDS)
                found = self.receive(future, partial(watch, done))
                if found is None:
                    return
                first, _ = self.bounds.pop(future.key)
                self.futures.pop(future.key).release()
                blocks.learn(len(found.status), found.seconds)
                add(Block(first, found.values, found.status))
                done += len(found.status)
                self.submit_more(blocks)

    def submit_more(self, blocks: Blocks) -> None:
        """As many chunks as the workers can use; two while there are none."""
        if not blocks.left:
            return
        slots = blocks.threads = PER_THREAD * max(1, self.count_threads())
        while len(self.futures) < slots and (bounds := blocks.next()) is not None:
            key = "hamiltree-study-{}-{}-{}".format(self.parcel[IDENTITY], *bounds)
            own = {name: column[slice(*bounds)] for name, column in self.columns.items()}
            with self.explain_loss():
                future = self.client.submit(run_chunk, self.parcel, own, key=key)
            self.bounds[key] = bounds
            self.futures[key] = future
            future.add_done_callback(self.ready.put)

    def receive(self, future: Any, is_to_stop: Callable[[], bool]) -> Result | None:
        """The results of a chunk, however long they are on the way; None if it is to stop before.
        Dask computes them again where their worker has died before it could send them.
        """
        transfer = begin_transfer(future)
        while not wait([transfer], timeout=POLL_SECONDS).done:
            self.check_connection()
            if is_to_stop():
                return None
        try:
            return transfer.result()
        except HamiltreeError:
            raise
        except Exception as error:
            raise explain(error, *self.bounds[future.key]) from error


def begin_transfer(future: Any) -> Future[Result]:
    """Fetch the results of a chunk in a thread: a fetch with a time limit begins again from nothing
    when it is over, so that large results would never arrive.
    """
    found: Future[Result] = Future()

    def fetch() -> None:
        try:
            found.set_result(future.result())
        except BaseException as error:  # CancelledError is no Exception
            found.set_exception(error)

    threading.Thread(target=fetch, daemon=True).start()
    return found


def explain(error: Exception, first: int, last: int) -> ClusterError:
    """What happened to a chunk whose failure is not one of hamiltree."""
    who = f"members {first} to {last - 1}"
    kind = type(error).__name__
    if kind == "KilledWorker":
        words = "ended several workers one after the other: too little memory there?"
    elif kind in ("FutureCancelledError", "CancelledError", "FutureLostError"):
        words = "are lost with the scheduler"
    elif isinstance(error, ModuleNotFoundError):
        words = f"could not run: a worker has no {error.name}; install hamiltree there"
    else:
        words = f"could not run: {kind}: {error}"
    return ClusterError(f"cluster: {who} {words}. {HOW_TO_GO_ON}")
