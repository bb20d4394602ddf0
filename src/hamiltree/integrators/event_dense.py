"""Events of methods with dense output: steps are long, and an event may cross zero many times in
one. Where it may, the step is searched at once, on the dense output; so that it costs other steps
nothing.
"""

from hamiltree.compiled.kernel import Generic, outlined
from hamiltree.integrators.event_monitor import (
    BRACKETED,
    BRACKETS,
    CROSSED,
    EVENTS,
    ONCE,
    TERMINAL,
    crosses_in_step,
    evaluate_block,
    finish_step,
    has_events,
    may_hide_crossings,
    note_not_real,
    save_step_start,
)
from hamiltree.integrators.event_search import search_step
from hamiltree.integrators.integrator import CALLS


def forget_dense_output(method, state):
    """What was computed for the dense output is computed anew when a sample asks for it."""


forget_dense_output = Generic("forget_dense_output", forget_dense_output.__doc__, leading=1).call


@forget_dense_output.fallback()
def keep_dense_output(method, state):
    """Where it costs no evaluation."""


@outlined
def search_dense_step(method, system, work, single, state, monitor, e, t, h):
    """Keep the step with the brackets of all crossings of event e, if there are any."""
    row, was_terminal = monitor.counts[CROSSED], monitor.counts[TERMINAL]
    save_step_start(monitor, e, t, h, BRACKETED)
    known = monitor.counts[BRACKETS]
    number, _ = search_step(
        method, system, work, single, state, monitor, row, monitor.brackets, known
    )
    monitor.counts[BRACKETS] = number
    if number == known:
        monitor.counts[CROSSED], monitor.counts[TERMINAL] = row, was_terminal


@outlined
def monitor_dense_step(method, system, work, single, state, monitor, t, h, end):
    """After a step from t to end of a method with dense output: as `monitor_step_end`. Calls of the
    equations for the search are not counted.
    """
    if has_events(monitor):
        evaluate_block(system, single, monitor, EVENTS, end, state.y, monitor.after)
        note_not_real(monitor, monitor.after)
        calls = state.counts[CALLS]
        for e in range(monitor.direction.shape[0]):
            if may_hide_crossings(monitor, e, h):
                search_dense_step(method, system, work, single, state, monitor, e, t, h)
            elif crosses_in_step(monitor, e):
                save_step_start(monitor, e, t, h, ONCE)
        if state.counts[CALLS] != calls:
            state.counts[CALLS] = calls
            forget_dense_output(method, state)
        finish_step(monitor, h)
