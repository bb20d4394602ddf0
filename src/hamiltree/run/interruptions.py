"""What is said of a run that a signal ends: what it has kept, and how it goes on."""

from __future__ import annotations

from typing import Any

from hamiltree.console import Interruption, tell
from hamiltree.run.cautions import IS_QUIET


def answer_signal(interruption: Interruption, status: str, recorder: Any) -> None:
    """Tell what a run has kept; one of an analysis tells nothing, and the signal ends both."""
    if IS_QUIET.get():
        interruption.pass_on()
    elif status.startswith("interrupted"):
        interruption.tell_kept(*words_of_kept(status, recorder, interruption.ends_process))


def words_of_kept(status: str, recorder: Any, is_lost: bool) -> tuple[str, str]:
    """What an interrupted run has kept; of one that is written to a file where, and how it goes
    on. `is_lost`: nobody gets the trajectory, so that without a file nothing is kept.
    """
    if is_lost and not recorder.resume_hint:
        return status, ""
    place = recorder.place if recorder.resume_hint else ""
    return f"{status}; the trajectory up to there is kept{place}", recorder.resume_hint


def break_off(recorder: Any, error: BaseException, status: str) -> None:
    """Close the file of a run that an exception has ended; after a second Ctrl-C its last line says
    what is kept.
    """
    recorder.abandon(status)
    if isinstance(error, KeyboardInterrupt) and recorder.resume_hint:
        words, hint = words_of_kept(status, recorder, is_lost=True)
        tell(f"hamiltree: {words}{hint}")
