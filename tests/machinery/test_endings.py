"""How a process ends: signals, closed streams, a full disk. A run's file is closed and says how far
it came; the shell says one line, without a traceback.
"""

import io
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

import hamiltree as ht
from hamiltree.cli.report import make_report, print_report
from hamiltree.console import Interruption, SignalHandlers, StoppedCommand, tell
from hamiltree.run import loop
from hamiltree.run.cautions import IS_QUIET, without_warnings
from hamiltree.verdict.remedy import tried_remedy

ENDLESS = (
    "run = ht.simulate(ht.library.chain(2), until=1e5, step=1e-3, save_every=1000,"
    " output='run.nc', progress=False)\nprint('went on')"
)
ALONE = f"import hamiltree as ht\n{ENDLESS}"
OWN_HANDLER = f"import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(7))\n{ALONE}"
SHELL = ("-m", "hamiltree", "run", "chain.toml", "--until=1e5", "--save-every=1000", "-o", "run.nc")


# ---- signals that end a run ----------------------------------------------------------------------
@pytest.fixture(autouse=True)
def default_handlers():
    """What a test has set is restored."""
    numbers = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def end_by(number, arguments, folder, environment):
    """Start an endless run, send a signal once it has written its file: (process, what it said)."""
    ht.save(ht.library.chain(2), folder / "chain.toml", force=True)
    (folder / "run.nc").unlink(missing_ok=True)
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=folder, env=environment(), stdout=pipe, stderr=pipe
    )
    try:
        while not (folder / "run.nc").exists() and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(number)
        out, error = process.communicate(timeout=120)
    finally:
        process.kill()
    return process.returncode, out.decode(), error.decode()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_a_run_of_the_shell_as_ctrl_c_does(tmp_path, environment, number, code):
    signal.signal(number, signal.SIG_DFL)  # tests under nohup ignore one, and so would the run
    found, out, error = end_by(number, SHELL, tmp_path, environment)
    status = ht.Trajectory.load(tmp_path / "run.nc").status
    assert found == code and "Traceback" not in error and not out
    assert status.startswith("interrupted at t = ")
    assert error.splitlines()[-1] == (
        f"hamiltree: ended by {number.name}: {status}; the trajectory up to there is kept in "
        "run.nc; go on with: hamiltree run --resume run.nc"
    )


def test_ctrl_c_ends_a_run_of_the_shell_with_a_line_about_what_was_kept(tmp_path, environment):
    found, out, error = end_by(signal.SIGINT, SHELL, tmp_path, environment)
    status = ht.Trajectory.load(tmp_path / "run.nc").status
    assert found == 130 and out.splitlines()[-1] == "wrote run.nc"
    assert error.splitlines()[-1] == (
        f"hamiltree: run.nc holds the run, {status}; go on with: hamiltree run --resume run.nc"
    )
    assert error.count("go on with") == 1


@pytest.mark.parametrize(
    ("ends", "code", "line"),
    [
        ("signal.raise_signal(signal.SIGTERM)", 143, "ended by SIGTERM"),
        ("signal.raise_signal(signal.SIGINT)", 130, "interrupted"),
        ("raise KeyboardInterrupt", 130, "interrupted"),  # of a run that the report makes
    ],
)
def test_a_signal_during_the_report_leaves_the_run_and_says_so(tmp_path, python, ends, code, line):
    program = f"""
import signal, sys
from hamiltree.cli import run
from hamiltree.cli.app import main
def stop(*_):
    {ends}
run.print_report = stop
sys.argv = ["hamiltree", "run", "pendulum", "--until", "0.1", "-q"]
main()
"""
    done = python("-c", program, cwd=tmp_path)
    kept = "pendulum.nc holds the run, complete; its report was not finished"
    last = done.stderr.splitlines()[-1]
    assert (done.returncode, last) == (code, f"hamiltree: {line}: {kept}")
    assert ht.Trajectory.load(tmp_path / "pendulum.nc").status == "complete"


POOR = ("n_pendulum(2, angles=2.0)", "--until=20", "--step=0.02", "--integrator=rk4", "-q")


@pytest.fixture
def signals(monkeypatch):
    """signals(number, times): as often while the first run of an analysis advances."""
    next_chunk = loop.next_chunk

    def begin(number, times=1):
        left = [number] * times

        def send(done, spent):
            while IS_QUIET.get() and left:
                signal.raise_signal(left.pop())
            return next_chunk(done, spent)

        monkeypatch.setattr(loop, "next_chunk", send)

    return begin


def test_a_signal_while_a_remedy_is_tried_leaves_the_whole_run_and_says_so(shell, signals):
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signals(signal.SIGTERM)
    done = shell("run", *POOR, "-o", "a.nc")
    kept = "a.nc holds the run, complete; its report was not finished"
    assert (done.code, done.out) == (143, "")
    assert done.error == f"hamiltree: ended by SIGTERM: {kept}\n"
    assert ht.Trajectory.load("a.nc").status == "complete"


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_while_a_remedy_is_tried_ends_the_tries_alone_and_the_report_says_so(
    shell, signals, times
):
    signals(signal.SIGINT, times)
    done = shell("run", *POOR, "-o", "a.nc")
    assert done.code == 0 and done.out.splitlines()[-1] == "wrote a.nc"
    (warning,) = done.error.splitlines()
    assert warning.endswith("; the search for a remedy was interrupted")
    assert "The search for a remedy was interrupted." in done.out


def test_ctrl_c_between_the_runs_of_a_search_ends_it_as_well(shell, monkeypatch):
    def interrupt(*_, **__):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("hamiltree.verdict.remedy.Tries", interrupt)
    done = shell("run", *POOR, "-o", "a.nc")
    assert done.code == 0 and "The search for a remedy was interrupted." in done.out


def test_a_search_that_ctrl_c_has_ended_is_begun_again_where_it_is_asked_for(signals):
    signals(signal.SIGINT)
    model = ht.library.n_pendulum(2, angles=2.0)
    with pytest.warns(ht.AccuracyWarning, match="search for a remedy was interrupted"):
        run = ht.simulate(model, 20, 0.02, integrator="rk4", progress=False)
    assert not run.remedy.works and run.status == "complete"
    assert tried_remedy(run).works


def test_ctrl_c_on_a_run_of_an_analysis_ends_the_analysis_and_tells_nothing(capsys, signals):
    signals(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        ht.convergence(ht.library.pendulum(angle=1.0), ["rk4"], [0.1, 0.05])
    signals(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), without_warnings():
        ht.simulate(ht.library.chain(2), 1.0, progress=False)
    assert not capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_report_is_kept_also_if_nobody_reads_what_is_printed(tmp_path, monkeypatch, form):
    class Closed(io.StringIO):
        def write(self, *_):
            raise BrokenPipeError

    path = tmp_path / "run.nc"
    model = ht.library.n_pendulum(1, angles=0.4)
    run = ht.simulate(model, until=0.1, output=path, progress=False)
    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises((OSError, SystemExit)):
        print_report(run, make_report(run), [path], form)
    assert ht.Trajectory.load(path).provenance["verdict"] == "good"


@pytest.mark.parametrize("detail", ["full", "plain"])
def test_a_run_that_ctrl_c_has_ended_has_the_plain_report_at_most(detail, capsys):
    asked = []
    kept = SimpleNamespace(
        status="interrupted at t = 2", report=lambda **about: asked.append(about)
    )
    make_report(kept, detail)
    make_report(kept, "none")
    assert asked == [{"remedy": False}]
    assert ("its report is the plain one" in capsys.readouterr().err) == (detail == "full")


def test_sigterm_ends_a_program_that_simulates_once_its_file_is_closed(tmp_path, environment):
    found, out, error = end_by(signal.SIGTERM, ("-c", ALONE), tmp_path, environment)
    assert found == -signal.SIGTERM and "went on" not in out
    status = ht.Trajectory.load(tmp_path / "run.nc").status
    assert status.startswith("interrupted at t = ") and status in error


def test_a_handler_of_the_user_is_respected_and_the_file_is_closed(tmp_path, environment):
    found, out, _ = end_by(signal.SIGTERM, ("-c", OWN_HANDLER), tmp_path, environment)
    assert found == 7 and "went on" not in out
    assert ht.Trajectory.load(tmp_path / "run.nc").status.startswith("interrupted at t = ")


def test_handlers_are_restored_and_those_of_others_left_alone():
    def own(number, frame):
        pass

    signal.signal(signal.SIGTERM, own)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGINT)
    with Interruption():
        assert signal.getsignal(signal.SIGINT) not in (before, own)
        assert signal.getsignal(signal.SIGTERM) is own
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_takes_the_signals_of_the_command_around_it_and_gives_them_back():
    with pytest.raises(SystemExit, match="143"), StoppedCommand() as command, Interruption() as run:
        signal.raise_signal(signal.SIGTERM)
        assert run.is_requested and not command.by
    assert command.by == signal.SIGTERM and command.exit_code() == 143


def test_an_exception_that_python_drops_ends_the_command_all_the_same(monkeypatch):
    ended = []
    monkeypatch.setattr(os, "_exit", ended.append)
    command = StoppedCommand()
    command.by = signal.SIGINT
    command.report = ended.append
    command.end_at_last(type("Lost", (), {"exc_value": KeyboardInterrupt()}))
    assert ended[0] == 130


def test_a_second_ctrl_c_leaves_a_file_that_says_where_it_ended(tmp_path, monkeypatch, capsys):
    def press_twice(*_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(loop, "next_chunk", press_twice)
    with pytest.raises(KeyboardInterrupt):
        ht.simulate(ht.library.chain(2), 10, 1e-3, output=tmp_path / "a.nc", progress=False)
    assert ht.Trajectory.load(tmp_path / "a.nc").status == "interrupted at t = 0.015 s"
    assert capsys.readouterr().err == (
        f"hamiltree: interrupted at t = 0.015 s; the trajectory up to there is kept in "
        f"{tmp_path / 'a.nc'}; go on with: hamiltree run --resume {tmp_path / 'a.nc'}\n"
    )
    with pytest.raises(KeyboardInterrupt):
        ht.simulate(ht.library.chain(2), 10, 1e-3, progress=False)
    assert not capsys.readouterr().err  # nothing is kept


def test_how_a_run_goes_on_is_said_once_in_the_shell(capsys):
    kept, hint = "interrupted at t = 1 s; it is kept in a.nc", "; go on with: …"
    with Interruption() as alone:
        alone.tell_kept(kept, hint)
    with StoppedCommand() as command, Interruption() as run:
        run.tell_kept(kept, hint)
    assert command.kept == kept + hint
    assert capsys.readouterr().err == f"hamiltree: {kept}{hint}\nhamiltree: {kept}\n"


def test_nothing_is_called_kept_that_ends_with_the_process(monkeypatch, capsys):
    """SIGTERM ends a program, and with it a trajectory that is in memory alone."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    monkeypatch.setattr(loop, "next_chunk", lambda *_: signal.raise_signal(signal.SIGTERM) or 1)
    with pytest.raises(SystemExit), StoppedCommand() as command:
        ht.simulate(ht.library.chain(2), 10, 1e-3, progress=False)
    assert command.kept == "interrupted at t = 0.016 s" and not capsys.readouterr().err
    monkeypatch.setattr(loop, "next_chunk", lambda *_: signal.raise_signal(signal.SIGINT) or 1)
    ht.simulate(ht.library.chain(2), 10, 1e-3, progress=False)
    kept = "hamiltree: interrupted at t = 0.016 s; the trajectory up to there is kept\n"
    assert capsys.readouterr().err == kept


def test_an_error_of_another_kind_leaves_a_file_that_names_it(tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(loop, "next_chunk", fail)
    with pytest.raises(MemoryError):
        ht.simulate(ht.library.chain(2), 10, 1e-3, output=tmp_path / "a.nc", progress=False)
    status = ht.Trajectory.load(tmp_path / "a.nc").status
    assert status.startswith("interrupted at t = ") and status.endswith(" by MemoryError")


INTERRUPTED_IMPORT = """
import builtins, signal, sys
from hamiltree.cli.app import main
usual = builtins.__import__

def interrupting(name, *arguments):
    if name.split(".")[0] == {name!r}:
        builtins.__import__ = usual
        signal.raise_signal(signal.{signal})
    return usual(name, *arguments)

builtins.__import__ = interrupting
sys.argv = ["hamiltree", "info", "pendulum"]
main()
"""


@pytest.mark.parametrize("name", ["typer", "numpy"])
@pytest.mark.parametrize(
    ("number", "code", "line"),
    [("SIGINT", 130, "interrupted"), ("SIGTERM", 143, "ended by SIGTERM")],
)
def test_a_signal_during_imports_is_one_line(python, name, number, code, line):
    done = python("-c", INTERRUPTED_IMPORT.format(name=name, signal=number))
    assert (done.returncode, done.stderr) == (code, f"hamiltree: {line}\n")


# ---- standard streams ----------------------------------------------------------------------------
def in_shell(command, folder, environment):
    """A command of sh, with `hamiltree` for the command line."""
    name = f"'{sys.executable}' -m hamiltree"
    return subprocess.run(
        ["sh", "-c", command.replace("hamiltree", name)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("hamiltree list >&-", "standard output is closed; redirect it"),
        ("hamiltree run pendulum --until 0.1 -q >&-", "standard output is closed; redirect it"),
        ("hamiltree list >/dev/full", "standard output: No space left on device"),
        ("hamiltree run pendulum -o /dev/full", "/dev/full is no regular file"),
    ],
)
def test_output_that_cannot_be_written_is_one_line(tmp_path, environment, command, message):
    done = in_shell(command, tmp_path, environment)
    assert done.returncode == 2 and not done.stdout and not os.listdir(tmp_path)
    assert done.stderr.startswith(f"hamiltree: error: {message}")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/full", "<&-"])
def test_a_run_needs_no_standard_error_and_no_input(tmp_path, environment, closed):
    done = in_shell(f"hamiltree run pendulum --until 0.1 {closed}", tmp_path, environment)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "wrote pendulum.nc"
    assert ht.Trajectory.load(tmp_path / "pendulum.nc").status == "complete"
    refused = in_shell(f"hamiltree info none.toml {closed}", tmp_path, environment)
    assert refused.returncode == 2 and not refused.stdout


def test_a_line_for_a_closed_standard_error_is_dropped(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", None)
    tell("nobody reads this")
    assert not capsys.readouterr().out


# ---- a full disk ---------------------------------------------------------------------------------
FULL = """
import resource, signal
import hamiltree as ht

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
model = ht.library.chain(4)

def simulate(limit):
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
    try:
        run = ht.simulate(
            model, until=8, step=1e-3, save_every=1, output="a.nc", force=True, progress=False
        )
        kept = run
    except ht.StepError as error:
        print(error)
        kept = error.trajectory
    print(len(kept.t), len(ht.Trajectory.load("a.nc").t), ht.Trajectory.load("a.nc").status)

simulate(1_000_000)
simulate(1_000_000)
simulate(100_000_000)
"""


def test_a_full_disk_leaves_the_samples_that_are_counted_and_a_second_run_works(tmp_path, python):
    done = python("-c", FULL, cwd=tmp_path)
    assert not done.stderr, done.stderr
    message, first, again, second, third = done.stdout.splitlines()
    assert (message, first.split()[1]) == (again, second.split()[1])
    kept, stored, status = first.split(maxsplit=2)
    assert int(kept) > int(stored) > 0
    assert status.endswith(f". {stored} samples are in the file") and message.startswith(status)
    assert third == "8001 8001 complete"


def test_a_disk_that_fills_up_ends_the_run_while_the_file_can_still_be_closed(
    tmp_path, monkeypatch
):
    from hamiltree.trajectory import recorders

    usage = recorders.shutil.disk_usage
    free = iter([2**40, 2**40, 1000])
    monkeypatch.setattr(
        recorders.shutil, "disk_usage", lambda path: usage(path)._replace(free=next(free))
    )
    with pytest.raises(ht.StepError, match=r"the disk of .* is full; the file holds the") as ended:
        ht.simulate(ht.library.chain(2), 10, 1e-3, output=tmp_path / "a.nc", progress=False)
    stored = ht.Trajectory.load(tmp_path / "a.nc")
    assert f"the {len(stored.t)} samples" in str(ended.value)
    assert str(ended.value).startswith(stored.status)
    assert len(ended.value.trajectory.t) > len(stored.t) > 0


def test_the_disk_of_a_linked_output_is_that_of_the_file_itself(tmp_path, monkeypatch):
    from hamiltree.trajectory import recorders

    (tmp_path / "far").mkdir()
    (tmp_path / "a.nc").symlink_to(tmp_path / "far" / "b.nc")
    usage, asked = recorders.shutil.disk_usage, set()

    def asked_usage(path):
        asked.add(path)
        return usage(path)

    monkeypatch.setattr(recorders.shutil, "disk_usage", asked_usage)
    ht.simulate(ht.library.chain(2), 0.01, 1e-3, output=tmp_path / "a.nc", progress=False)
    assert asked == {(tmp_path / "far").resolve()}


def test_every_class_of_handlers_restores_what_it_found():
    assert {Interruption, StoppedCommand} == set(SignalHandlers.__subclasses__())
