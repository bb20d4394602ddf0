"""Spinner and progress bar while a run goes on; standard streams; Ctrl-C, SIGTERM and SIGHUP."""

import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

SECONDS_BEFORE_SHOWN = 2.0  # a shorter run shows no spinner and no progress bar
SECONDS_BETWEEN_SHOWN = 0.1
STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")  # signals that end a run; Windows lacks the last


# ---- standard streams ----------------------------------------------------------------------------
def tell(line: object) -> None:
    """Print a line to standard error, if that is open and can be written."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError, ValueError):
            print(line, file=sys.stderr, flush=True)


class LenientStream:
    """A stream whose failures to write are ignored: a full disk or a closed terminal behind
    standard error ends no run.
    """

    def __init__(self, stream: Any):
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self.stream.flush()


def lenient_error_stream() -> Any:
    return None if sys.stderr is None else LenientStream(sys.stderr)


@contextlib.contextmanager
def safe_streams() -> Iterator[bool]:
    """Standard error that never fails, and no file in the place of a closed stream, where messages
    would be written into it. Gives whether standard output is open.
    """
    before = sys.stdout, sys.stderr
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest that is free: this one
    with open(os.devnull, "w") as nowhere:
        sys.stdout = before[0] or nowhere
        sys.stderr = LenientStream(before[1] or nowhere)  # type: ignore[assignment]
        try:
            yield before[0] is not None
        finally:
            sys.stdout, sys.stderr = before
            discard_if_full(sys.stderr)


def discard_if_full(stream: Any) -> None:
    """Discard what a stream holds and cannot write."""
    try:
        if stream is not None:
            stream.flush()
    except (OSError, ValueError):
        discard(stream)


def close_output() -> int:
    """Write what standard output still holds; 2, with a message, if that fails."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough
        code = 1
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        tell(f"hamiltree: error: standard output cannot be written: {reason}")
        code = 2
    else:
        return 0
    discard(sys.stdout)
    return code


def discard(stream: Any) -> None:
    """Write what a stream still holds to nowhere: the interpreter would try once more as it ends,
    and fail.
    """
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


# ---- signals -------------------------------------------------------------------------------------
@contextlib.contextmanager
def delayed_signals() -> Iterator[None]:
    """Signals that come in the block are answered at its end: the netCDF library catches all
    exceptions in some places, and would lose the one that a handler raises.
    """
    pending: list[int] = []
    handlers: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        known = (getattr(signal, name) for name in STOPPING if hasattr(signal, name))
        handlers = {number: signal.getsignal(number) for number in known}
        handlers = {number: handler for number, handler in handlers.items() if callable(handler)}
        for number in handlers:
            signal.signal(number, lambda number, frame: pending.append(number))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in pending:
            handlers[number](number, None)


class SignalHandlers:
    """Handlers of STOPPING in the main thread, in place of those that Python or another of these
    classes has set; a user's own, and signals that are ignored, are left alone. All are restored at
    the end.
    """

    def __enter__(self) -> Any:
        """Take over the signals that nobody else handles."""
        self.before: dict[int, Any] = {}
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in STOPPING if hasattr(signal, name)):
                current = signal.getsignal(number)
                is_ours = isinstance(getattr(current, "__self__", None), SignalHandlers)
                if is_ours or current in (signal.SIG_DFL, signal.default_int_handler):
                    self.before[number] = signal.signal(number, self.ask)
        return self

    def ask(self, number: int, frame: Any) -> None:
        raise NotImplementedError

    def __exit__(self, *error) -> None:
        for number, handler in self.before.items():
            signal.signal(number, handler)


class Interruption(SignalHandlers):
    """A signal asks the run to end at the next chunk; a second Ctrl-C ends it at once.

    When the run has ended, SIGTERM and SIGHUP do what they would have done without it: they end
    the process.
    """

    is_requested = False
    pending = 0  # the signal that is sent again

    def ask(self, number: int, frame: Any) -> None:
        """Remember the request."""
        if number != signal.SIGINT:
            self.pending = number
        elif self.is_requested:
            raise KeyboardInterrupt
        self.is_requested = True

    @property
    def ends_process(self) -> bool:
        """Whether the signal ends the process: what is in memory alone is lost."""
        return bool(self.pending)

    def pass_on(self) -> None:
        """Ctrl-C, too, does what it would have done without the run: it ends what made the run."""
        self.pending = self.pending or signal.SIGINT

    def tell_kept(self, words: str, hint: str) -> None:
        """Say what an interrupted run has kept, and how it goes on: at once, or as the last words
        of the command that the signal ends. After Ctrl-C a command of the shell goes on to its
        report, and has the hint in its last line.
        """
        command = command_of(self.before.get(self.pending))
        if command is not None:
            command.kept = words + hint
            return
        around = command_of(self.before.get(signal.SIGINT))
        if around is not None and hint:
            around.kept = words + hint  # if one more Ctrl-C ends it before
        tell(f"hamiltree: {words}{hint if around is None else ''}")

    def __exit__(self, *error) -> None:
        super().__exit__(*error)
        if self.pending:
            signal.raise_signal(self.pending)


class StoppedCommand(SignalHandlers):
    """Signals outside runs end a command of the shell; `by` is the one that has come, `kept` says
    what the command has kept.
    """

    by = 0
    kept = ""

    def __enter__(self) -> Any:
        self.report = sys.unraisablehook
        sys.unraisablehook = self.end_at_last
        return super().__enter__()

    def __exit__(self, *error) -> None:
        super().__exit__(*error)
        sys.unraisablehook = self.report

    def end_at_last(self, lost: Any) -> None:
        """End the process where Python has dropped the exception that should have ended it: in a
        destructor, or in a callback of the import system.
        """
        if self.by and isinstance(lost.exc_value, KeyboardInterrupt | SystemExit):
            os._exit(self.exit_code())
        self.report(lost)

    def ask(self, number: int, frame: Any) -> None:
        """End the command; the second time at once, whatever catches exceptions."""
        if self.by:
            os._exit(128 + number)
        self.by = number
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        sys.exit(128 + number)

    def exit_code(self) -> int:
        """128 and the number of the signal, as a shell says it, and a line about it."""
        is_key = self.by == signal.SIGINT
        words = "interrupted" if is_key else f"ended by {signal.Signals(self.by).name}"
        tell(f"hamiltree: {words}: {self.kept}" if self.kept else f"hamiltree: {words}")
        return 128 + self.by


def command_of(handler: Any) -> StoppedCommand | None:
    """The command of the shell that this handler of a signal ends; None if it is no such one."""
    owner = getattr(handler, "__self__", None)
    return owner if isinstance(owner, StoppedCommand) else None


def forget_interruption() -> None:
    """Ctrl-C has ended a part of the command, which goes on."""
    command = command_of(signal.getsignal(signal.SIGINT))
    if command is not None and command.by == signal.SIGINT:
        command.by = 0


@contextlib.contextmanager
def last_words(words: str | Callable[[], str]) -> Iterator[None]:
    """What the command says at its end if a signal ends it in the block: what it has kept then."""
    try:
        yield
    except BaseException as error:
        known = (getattr(signal, name) for name in STOPPING if hasattr(signal, name))
        commands = {command_of(signal.getsignal(number)) for number in known}
        for command in filter(None, commands):
            if isinstance(error, KeyboardInterrupt):  # also one that ended a run of the block
                command.by = command.by or signal.SIGINT
            if command.by:
                command.kept = words if isinstance(words, str) else words()
        raise


# ---- while a run goes on -------------------------------------------------------------------------
class Spinner:
    """A spinner with a sentence, shown if the block takes longer than SECONDS_BEFORE_SHOWN; one
    line if standard error is no terminal.

    A sentence that is a function is called each time it is shown.
    """

    is_silent = False  # in a process that another one speaks for

    def __init__(self, wanted: bool, sentence: str | Callable[[], str]):
        """Nothing is shown, and no time runs, before the block begins."""
        self.wanted = wanted
        self.sentence = sentence
        self.lock = threading.Lock()
        self.timer: threading.Timer | None = None
        self.status_line: Any = None
        self.was_shown = False
        self.began = math.nan

    def __enter__(self) -> "Spinner":
        """Start the clock once, and a timer that shows the spinner."""
        if math.isnan(self.began):
            self.began = time.perf_counter()
        if self.wanted and self.timer is None and not self.is_silent:
            self.timer = threading.Timer(SECONDS_BEFORE_SHOWN, self.appear)
            self.timer.daemon = True
            self.timer.start()
        return self

    def say(self, sentence: str) -> None:
        self.sentence = sentence

    def __str__(self) -> str:
        return self.sentence if isinstance(self.sentence, str) else self.sentence()

    def __rich__(self) -> str:
        """The sentence and the seconds so far."""
        return f"{self}, {self.seconds:.0f} s"

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    def appear(self) -> None:
        """Show the spinner; a line of text where standard error is no terminal."""
        with self.lock:
            if self.timer is None:
                return
            self.was_shown = True
            if not has_terminal():
                tell(f"hamiltree: {self} …")
                return
            step_aside(self)
            from rich.console import Console

            self.status_line = Console(file=lenient_error_stream()).status(self)  # type: ignore[arg-type]
            self.status_line.start()

    def __exit__(self, *error) -> None:
        """Stop the timer and remove the spinner."""
        self.vanish()
        if self.was_shown:
            go_on()

    def vanish(self) -> None:
        with self.lock:
            if self.timer is not None:
                self.timer.cancel()
            if self.status_line is not None:
                self.status_line.stop()
            self.timer = self.status_line = None


def has_terminal() -> bool:
    """Whether standard error is one."""
    return sys.stderr is not None and sys.stderr.isatty()


class Activity(Spinner):
    """What a command of the shell is doing, shown on a terminal wherever it shows nothing else for
    longer than SECONDS_BEFORE_SHOWN: it steps aside for bars and other spinners in the block.
    Nothing may be printed to standard output there.
    """

    current: ClassVar["Activity | None"] = None

    def __init__(self, wanted: bool, sentence: str):
        super().__init__(wanted and has_terminal(), sentence)

    def __enter__(self) -> "Activity":
        Activity.current = self
        super().__enter__()
        return self

    def say(self, sentence: str) -> None:
        """From now on this is done."""
        self.sentence, self.began = sentence, time.perf_counter()

    def __exit__(self, *error) -> None:
        Activity.current = None
        self.vanish()


def doing(sentence: str) -> None:
    """Say what the command is doing, if it is one that tells."""
    if Activity.current is not None:
        Activity.current.say(sentence)


def step_aside(shown: object) -> None:
    """Something else is shown: not what the command is doing."""
    if Activity.current not in (None, shown):
        Activity.current.vanish()


def go_on() -> None:
    """Nothing else is shown any more."""
    if Activity.current is not None:
        Spinner.__enter__(Activity.current)


class ProgressBar:
    """A progress bar, shown if a run takes longer than SECONDS_BEFORE_SHOWN."""

    def __init__(self, until: float, unit: str = " s"):
        self.until = until
        self.began = time.perf_counter()
        self.bar: Any = None
        self.shown = -math.inf
        self.text = "t = {task.completed:.4g} of {task.total:g}" + unit

    def __enter__(self) -> "ProgressBar":
        doing("taking the first steps")
        return self

    def show(self, t: float) -> None:
        """Show the time that was reached, some times a second."""
        if time.perf_counter() - self.began < SECONDS_BEFORE_SHOWN:
            return
        if self.bar is None:
            self.bar = self.appear()
        now = time.perf_counter()
        if now - self.shown >= SECONDS_BETWEEN_SHOWN:
            self.bar.update(self.task, completed=t, refresh=True)
            self.shown = now

    def appear(self):
        """Start the bar, which shows the time reached, the time since it began and that left."""
        step_aside(self)
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        columns = (BarColumn(), TextColumn(self.text), TimeElapsedColumn(), TimeRemainingColumn())
        # no thread of its own: the library that writes files is not made for several
        console = Console(file=lenient_error_stream())
        bar = Progress(*columns, console=console, transient=True, auto_refresh=False)
        bar.start()
        self.task = bar.add_task("simulate", total=self.until)
        bar.tasks[0].start_time = bar.get_time() - (time.perf_counter() - self.began)
        return bar

    def __exit__(self, *error) -> None:
        doing("closing the file")
        if self.bar is not None:
            self.bar.stop()
            go_on()
