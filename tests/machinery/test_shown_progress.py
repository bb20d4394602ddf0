"""What a terminal shows while a command works: a bar that counts from its beginning, and what is
done wherever nothing else is shown.
"""

import io
import time

import pytest

import hamiltree as ht
from hamiltree import console
from hamiltree.console import Activity, ProgressBar, Spinner, doing


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Standard error is a terminal, and nobody waits before something is shown."""
    monkeypatch.setattr(console, "SECONDS_BEFORE_SHOWN", 0.0)
    stream = Terminal()
    monkeypatch.setattr(console, "has_terminal", lambda: True)
    monkeypatch.setattr(console, "lenient_error_stream", lambda: stream)
    return stream


def wait_for(shown):
    """Until a timer has shown it; not for ever."""
    end = time.perf_counter() + 60.0
    while shown.status_line is None and time.perf_counter() < end:
        time.sleep(0.001)
    assert shown.status_line is not None


def test_a_bar_counts_from_its_beginning(terminal):
    with ProgressBar(10.0) as bar:
        bar.began -= 60.0
        bar.show(5.0)
        assert bar.bar.tasks[0].elapsed >= 60.0


OTHERS = [
    (lambda: ProgressBar(1.0), "closing the file"),
    (lambda: Spinner(True, "compiling"), "preparing"),
]


@pytest.mark.parametrize(("make_other", "said"), OTHERS, ids=["bar", "spinner"])
def test_what_is_done_steps_aside_for_what_is_shown_and_comes_back(terminal, make_other, said):
    with Activity(True, "reading") as activity:
        wait_for(activity)
        doing("preparing")
        with make_other() as other:
            if isinstance(other, Spinner):
                wait_for(other)
            else:
                other.show(0.5)
            assert activity.status_line is None and activity.timer is None
        wait_for(activity)
    assert activity.timer is None and Activity.current is None
    assert f"{said}, 0 s" in terminal.getvalue()


def test_only_a_terminal_shows_what_is_done(monkeypatch, capsys):
    monkeypatch.setattr(console, "SECONDS_BEFORE_SHOWN", 0.0)
    with Activity(True, "reading") as activity:
        doing("preparing")
        assert activity.timer is None
    assert not capsys.readouterr().err


def test_a_run_and_its_full_report_say_what_they_do(terminal, monkeypatch):
    said = []
    monkeypatch.setattr(Activity, "say", lambda self, sentence: said.append(sentence))
    with Activity(True, "reading"):
        run = ht.simulate(ht.library.pendulum(angle=1.0), until=0.1)
        run.report(full=True)
    assert said[:5] == [
        "preparing the run",
        "beginning the file",
        "taking the first steps",
        "closing the file",
        "judging the run",
    ]
    parts = [sentence.removeprefix("making the report: ") for sentence in said[5:]]
    names = ("error of the answer", "time reversal", "convergence with the step", "ledger")
    assert [name for name in parts if name in names] == list(names)
