"""Events of methods with dense output: steps are long, and an event may cross zero many times in
one.

In each step g is evaluated at two points inside, on a cubic that costs no further slopes. If the
cubic through the four values of g, which must also meet a value of the step before, leaves open how
often g is zero, the step is searched on the dense output.
"""

import math

from hamiltree.compiled.kernel import Generic, inlined
from hamiltree.integrators.event_monitor import (
    BRACKETED,
    BRACKETS,
    CROSSED,
    EVENTS,
    HISTORY,
    INNER,
    LEAVES_PAIRS,
    MISSED,
    ONCE,
    TERMINAL,
    crosses_in_step,
    evaluate_block,
    finish_step,
    has_events,
    note_not_real,
    run_block,
    save_step_start,
)
from hamiltree.integrators.event_search import RESOLVED_PART, UNKNOWN, is_settled, search_step
from hamiltree.integrators.integrator import CALLS

# The inner points of Lobatto's rule: no fraction of them is a simple one, so that an oscillation in
# step with one of the points is not in step with the other.
FIRST_POINT = 0.5 - 0.5 / math.sqrt(5.0)
SECOND_POINT = 1.0 - FIRST_POINT
MOST_OF_NODE_POLYNOMIAL = 0.0125  # max |x (x − a) (x − b) (x − 1)| in the step
# Bernstein's polynomials at the first point; at the second they are the same in reverse
B0, B1, B2, B3 = (
    math.comb(3, k) * FIRST_POINT**k * (1.0 - FIRST_POINT) ** (3 - k) for k in range(4)
)
DETERMINANT = B1 * B1 - B2 * B2
ERROR_MARGIN = 2.0  # of the error of the cubic
MEMORY_PART = 0.5  # of what the cubic of the step before has missed


def rough_state(method, state, x, y, ydot):
    """The state after a part x of the last step and its rate, by a cubic that needs no evaluation
    of the equations.
    """


def forget_dense_output(method, state):
    """What was computed for the dense output is computed anew when a sample asks for it."""


rough_state = Generic("rough_state", rough_state.__doc__, leading=1).call
forget_dense_output = Generic("forget_dense_output", forget_dense_output.__doc__, leading=1).call


@inlined
def evaluate_inside(method, monitor, state, t, h, x, k):
    """The events at a part x of the step, into monitor.inner[k]."""
    m = state.y.shape[0]
    y = monitor.probe[0, 1 : 1 + m]
    rough_state(method, state, x, y, monitor.ydot)
    for i in range(m):
        monitor.x[i], monitor.x[m + i] = y[i], monitor.ydot[i]
    run_block(monitor, EVENTS, t + x * h, monitor.inner[k])


@inlined
def cubic_error(monitor, e, h):
    """What the cubic through the values of g in this step may be wrong by: from how far it misses
    the last inner value of the step before, or has missed earlier ones, as it may meet one by
    chance. Without such a step it may be anything, nor is it known where g varies too fast for it.
    """
    if monitor.counts[HISTORY] == 0:
        monitor.history[e, MISSED] = 0.0
        return UNKNOWN
    a, b = FIRST_POINT, SECOND_POINT
    x = -FIRST_POINT * monitor.last_length[0] / h
    over_ends = x * (x - 1.0)
    over_inner = (x - a) * (x - b)
    value = monitor.before[e] * over_inner * (x - 1.0) / -(a * b)
    value += monitor.after[e] * over_inner * x / (a * b)
    value += monitor.inner[0, e] * over_ends * (x - b) / (a * (a - 1.0) * (a - b))
    value += monitor.inner[1, e] * over_ends * (x - a) / (b * (b - 1.0) * (b - a))
    missed = abs(value - monitor.history[e, INNER])
    missed = max(missed, MEMORY_PART * monitor.history[e, MISSED])
    monitor.history[e, MISSED] = missed if missed < UNKNOWN else 0.0
    size = max(abs(monitor.inner[0, e]), abs(monitor.inner[1, e]), abs(monitor.history[e, INNER]))
    size = max(size, abs(monitor.before[e]), abs(monitor.after[e]))
    if not missed <= RESOLVED_PART * size:
        return UNKNOWN
    return missed * MOST_OF_NODE_POLYNOMIAL / abs(over_ends * over_inner)


@inlined
def is_step_settled(monitor, e, h):
    """Whether the four values of g in the step show how often it is zero; also where one of them is
    not a number, as nothing can be found there.
    """
    before, after = monitor.before[e], monitor.after[e]
    a = monitor.inner[0, e] - B0 * before - B3 * after
    b = monitor.inner[1, e] - B3 * before - B0 * after
    second, third = (B1 * a - B2 * b) / DETERMINANT, (B1 * b - B2 * a) / DETERMINANT
    is_real = second + third == second + third
    margin = ERROR_MARGIN * cubic_error(monitor, e, h)
    return not is_real or is_settled(before, second, third, after, margin)


@inlined
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


@inlined
def monitor_dense_step(method, system, work, single, state, monitor, t, h, end):
    """After a step from t to end of a method with dense output: as `monitor_step_end`."""
    if has_events(monitor):
        evaluate_block(system, single, monitor, EVENTS, end, state.y, monitor.after)
        note_not_real(monitor, monitor.after)
        looks_inside = monitor.counts[LEAVES_PAIRS] == 0
        calls = state.counts[CALLS]
        if looks_inside:
            evaluate_inside(method, monitor, state, t, h, FIRST_POINT, 0)
            evaluate_inside(method, monitor, state, t, h, SECOND_POINT, 1)
        for e in range(monitor.direction.shape[0]):
            if looks_inside and not is_step_settled(monitor, e, h):
                search_dense_step(method, system, work, single, state, monitor, e, t, h)
            elif crosses_in_step(monitor, e):
                save_step_start(monitor, e, t, h, ONCE)
        for e in range(monitor.direction.shape[0]):
            monitor.history[e, INNER] = monitor.inner[1, e]
        if state.counts[CALLS] != calls:
            state.counts[CALLS] = calls
            forget_dense_output(method, state)
        finish_step(monitor, h)
