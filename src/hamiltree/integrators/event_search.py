"""The search for crossings inside a step: the step is halved until the cubic through four values
of g shows how often it crosses zero.

In Bernstein's form a cubic is zero no more often than its coefficients change sign; what the cubic
may be wrong by is known from the values that the next halving adds. Methods of fixed steps look at
states inside a step by taking the step again with another length; adaptive methods look at their
dense output.
"""

from hamiltree.compiled.kernel import Generic, inlined, outlined
from hamiltree.integrators.event_monitor import (
    AFTER,
    BEFORE,
    BEGIN,
    ERROR,
    EVENT,
    EVENTS,
    FAST_STEPS,
    FROM,
    HEADER_SIZE,
    LEFT,
    LEFT_VALUE,
    LENGTH,
    MAX_BRACKETS,
    MAX_FAST_STEPS,
    RIGHT,
    RIGHT_VALUE,
    SIGN,
    STACK_DEPTH,
    STEP,
    TO,
    WORK,
    G,
    evaluate_block,
    has_crossed,
    sign_after,
)
from hamiltree.integrators.integrator import (
    AHEAD,
    FRESH,
    REGULARITY_END,
    RUNNING,
    SINE,
    step,
)

SMALLEST_PART = 2.0**-24  # of a step: two crossings that are nearer are seen as none
MAX_PROBES = 384  # in one step
# of the error of a cubic, that those of its halves may have; a sixteenth where g is smooth
ERROR_PART = 0.25
RESOLVED_PART = 0.1  # of the size of g: by more a cubic does not miss a g that it resolves
UNKNOWN = 1e300  # error of a cubic of which nothing is known


def probe_step(method, system, work, state, monitor, row, x):
    """The state after a part x of a kept step, into monitor.probe[0, 1:]: its status."""


probe_step = Generic("probe_step", probe_step.__doc__, leading=1).call


@inlined
def restart_trial(monitor, trial, row):
    """The trial state at the beginning of a kept step."""
    rows = trial.y.shape[0]
    for i in range(rows):
        trial.y[i] = monitor.step_starts[row, HEADER_SIZE + i]
        trial.compensation[i] = monitor.step_starts[row, HEADER_SIZE + rows + i]
    for i in range(trial.windings.shape[0]):
        trial.windings[i] = monitor.step_starts[row, HEADER_SIZE + 2 * rows + i]
    trial.work[0], trial.work_compensation[0] = monitor.step_starts[row, WORK], 0.0
    for i in range(SINE, REGULARITY_END):
        trial.clock[i] = monitor.step_starts[row, WORK + 1 + i - SINE]
    trial.clock[AHEAD] = -abs(trial.clock[AHEAD])  # the step is taken again
    trial.counts[FRESH] = 1


@outlined
def take_part_of_step(method, system, work, trial, monitor, row, x):
    """The kept step again, with a part of its length: its status."""
    restart_trial(monitor, trial, row)
    h = x * monitor.step_starts[row, LENGTH]
    return step(method, system, work, trial, monitor.step_starts[row, BEGIN], h)


@probe_step.fallback(step)
def probe_by_step(method, system, work, state, monitor, row, x):
    """By the trial state."""
    status = take_part_of_step(method, system, work, state, monitor, row, x)
    for i in range(state.y.shape[0]):
        monitor.probe[0, 1 + i] = state.y[i]
    return status


@outlined
def probe_event(method, system, work, single, state, monitor, row, x):
    """g after a part x of a kept step, and the status of the way there."""
    e = int(monitor.step_starts[row, EVENT])
    t = monitor.step_starts[row, BEGIN] + x * monitor.step_starts[row, LENGTH]
    status = probe_step(method, system, work, state, monitor, row, x)
    y = monitor.probe[0, 1 : 1 + state.y.shape[0]]
    evaluate_block(system, single, monitor, EVENTS, t, y, monitor.inside)
    return monitor.inside[e], status


# ---- intervals -----------------------------------------------------------------------------------
@inlined
def is_settled(first, second, third, last, margin):
    """Whether a function with these Bernstein coefficients, the inner ones known up to a margin, is
    zero once if its ends differ in sign and nowhere if not.
    """
    sign = 1.0 if first > 0.0 or (first == 0.0 and last > 0.0) else -1.0
    second, third = sign * second, sign * third
    if sign * last >= 0.0:
        return second > margin and third > margin
    return second > margin or third < -margin


@inlined
def is_interval_settled(stack, top):
    """The same, of an interval with values at its thirds."""
    first, a, b, last = stack[top, G], stack[top, G + 1], stack[top, G + 2], stack[top, G + 3]
    second = (-5.0 * first + 18.0 * a - 9.0 * b + 2.0 * last) / 6.0
    third = (2.0 * first - 9.0 * a + 18.0 * b - 5.0 * last) / 6.0
    return is_settled(first, second, third, last, ERROR_PART * stack[top, ERROR])


@outlined
def halve_interval(stack, top, sixth, half, last_sixth):
    """Two intervals in place of one, the left one on top, of g at 1/6, 1/2 and 5/6."""
    low, high = stack[top, FROM], stack[top, TO]
    first, a, b, last = stack[top, G], stack[top, G + 1], stack[top, G + 2], stack[top, G + 3]
    error = abs(sixth - (0.3125 * first + 0.9375 * a - 0.3125 * b + 0.0625 * last))
    error = max(error, abs(half - (9.0 * (a + b) - first - last) / 16.0))
    error = max(error, abs(last_sixth - (0.0625 * first - 0.3125 * a + 0.9375 * b + 0.3125 * last)))
    if stack[top, ERROR] < UNKNOWN:  # one that is small by chance does not count
        error = max(error, stack[top, ERROR] / 16.0)
    middle = 0.5 * (low + high)
    stack[top, FROM], stack[top, TO] = middle, high
    stack[top, G], stack[top, G + 1], stack[top, G + 2] = half, b, last_sixth
    stack[top, ERROR] = error
    stack[top + 1, FROM], stack[top + 1, TO] = low, middle
    stack[top + 1, G], stack[top + 1, G + 1] = first, sixth
    stack[top + 1, G + 2], stack[top + 1, G + 3] = a, half
    stack[top + 1, ERROR] = error


@outlined
def save_brackets(monitor, row, top, sign, brackets, number):
    """The changes of sign among the values of an interval, in order: the last sign, and how many
    brackets there are.
    """
    stack, direction = monitor.stack, monitor.direction[int(monitor.step_starts[row, EVENT])]
    third = (stack[top, TO] - stack[top, FROM]) / 3.0
    for k in range(3):
        before, after = stack[top, G + k], stack[top, G + k + 1]
        if has_crossed(direction, sign, before, after) and number < brackets.shape[0]:
            brackets[number, STEP] = row
            brackets[number, LEFT] = stack[top, FROM] + k * third
            brackets[number, RIGHT] = (
                stack[top, TO] if k == 2 else stack[top, FROM] + (k + 1) * third
            )
            brackets[number, LEFT_VALUE], brackets[number, RIGHT_VALUE] = before, after
            number += 1
        sign = sign_after(sign, after)
    return sign, number


@inlined
def note_speed(monitor, row):
    """After the first halving: whether g varies too fast for a step. Then the next ones are
    searched too, also after some in which it did not seem so.
    """
    stack, size = monitor.stack, 0.0
    e = int(monitor.step_starts[row, EVENT])
    for k in range(2):
        for j in range(G, G + 4):
            size = max(size, abs(stack[k, j]))
    if stack[0, ERROR] > RESOLVED_PART * size:
        monitor.history[e, FAST_STEPS] = MAX_FAST_STEPS
    else:
        monitor.history[e, FAST_STEPS] = max(0.0, monitor.history[e, FAST_STEPS] - 1.0)


@outlined
def search_step(method, system, work, single, state, monitor, row, brackets, number):
    """Brackets of all crossings of a kept step, behind `number` others: how many there are then,
    and a status. A part of the step that fails is left as it is.
    """
    stack, status = monitor.stack, RUNNING
    most = min(number + MAX_BRACKETS, brackets.shape[0])
    stack[0, FROM], stack[0, TO], stack[0, ERROR] = 0.0, 1.0, UNKNOWN
    stack[0, G], stack[0, G + 3] = monitor.step_starts[row, BEFORE], monitor.step_starts[row, AFTER]
    parts = method, system, work, single, state, monitor, row
    stack[0, G + 1], status = probe_event(*parts, 1.0 / 3.0)
    stack[0, G + 2], failed = probe_event(*parts, 2.0 / 3.0)
    status = max(status, failed)
    top, probes, sign = 0, 2, monitor.step_starts[row, SIGN]
    while top >= 0 and status == RUNNING:
        low, width = stack[top, FROM], stack[top, TO] - stack[top, FROM]
        is_done = probes >= MAX_PROBES or width <= SMALLEST_PART or top + 2 > STACK_DEPTH
        if is_done or is_interval_settled(stack, top) or number >= most:
            sign, number = save_brackets(monitor, row, top, sign, brackets[:most], number)
            top -= 1
        else:
            sixth, first = probe_event(*parts, low + width / 6.0)
            half, second = probe_event(*parts, low + 0.5 * width)
            last_sixth, third = probe_event(*parts, low + width * (5.0 / 6.0))
            status = max(first, max(second, third))
            halve_interval(stack, top, sixth, half, last_sixth)
            if probes == 2:
                note_speed(monitor, row)
            probes += 3
            top += 1
    return number, status
