"""How near the constraints are to losing rank, from step to step, and what follows from it.

The measure is the sine of the smallest angle between a constraint row and the others, in the metric
of the masses: 0 in a singular position, and near it as a straight line in time. The state keeps it
after the last two steps and where it was least.
"""

import numpy as np

from hamiltree.compiled.kernel import Generic, inlined
from hamiltree.integrators.integrator import (
    LEAST_SINE,
    LEAST_SINE_ROW,
    LEAST_SINE_TIME,
    NEXT_STEP,
    ROW_VOLUME,
    SINE,
    SINE_BEFORE,
    SINE_TIME,
    SINE_TIME_BEFORE,
    TIME,
)
from hamiltree.verbs import independence, least_volume, volume, weakest_row

NEAR = 0.1  # a sine above it is not taken to go to zero within a step
# a step is near a singular position where the sine, which is zero there, changes by such a part
NEAR_CHANGE = 0.25
# In bits of the squared volume of the rows.
DEEPER = 2.0  # below that at the ends of a step: so little inside is suspicious
FALLEN = 5.5  # below that at the beginning of a step: so little at its end is suspicious
AT = 1e-3  # a sine that falls below it, in steps that have become shorter, goes to zero


@inlined
def record_independence(system, work, state, t):
    """The sine at time t, after a step."""
    clock, sine = state.clock, independence(system, work)
    if not sine > 0.0:
        return
    clock[SINE_BEFORE], clock[SINE_TIME_BEFORE] = clock[SINE], clock[SINE_TIME]
    clock[SINE], clock[SINE_TIME] = sine, t
    if clock[LEAST_SINE] == 0.0 or sine < clock[LEAST_SINE]:
        clock[LEAST_SINE], clock[LEAST_SINE_TIME] = sine, t
        clock[LEAST_SINE_ROW] = weakest_row(system, work)


@inlined
def time_to_singular(state):
    """From the last step on until the sine is zero, if it goes on as a straight line; infinite
    where it grows, or where there is one step only.
    """
    clock = state.clock
    fallen = clock[SINE_BEFORE] - clock[SINE]
    if clock[SINE_BEFORE] == 0.0 or not fallen > 0.0:
        return np.inf
    return clock[SINE] * abs(clock[SINE_TIME] - clock[SINE_TIME_BEFORE]) / fallen


@inlined
def changes_much(state, h):
    """Whether the sine does in a step, if it goes on as in the last one."""
    clock = state.clock
    length = abs(clock[SINE_TIME] - clock[SINE_TIME_BEFORE])
    change = abs(clock[SINE] - clock[SINE_BEFORE]) * abs(h)
    return clock[SINE_BEFORE] != 0.0 and NEAR_CHANGE * clock[SINE] * length < change


stays_regular = Generic(
    "stays_regular",
    "stays_regular(method, system, work, state, t, h): after a step that ended at t, whether the "
    "next one, of length h, may be taken",
    leading=1,
).call


@stays_regular.fallback()
@inlined
def ends_before_singular(method, system, work, state, t, h):
    """A method that cannot tell one branch of the motion from another ends before them."""
    record_independence(system, work, state, t)
    return not (state.clock[SINE] < NEAR and time_to_singular(state) <= abs(h))


@inlined
def hides_singular(system, work, state):
    """Whether the constraints were much nearer to losing rank inside a step of an adaptive method
    than at its ends, or are at its end, where it may just have passed: it is taken again in
    shorter ones.
    """
    begin, end, inside = state.clock[ROW_VOLUME], volume(system, work), least_volume(system, work)
    return inside < min(begin, end) - DEEPER or (begin < np.inf and end < begin - FALLEN)


@inlined
def approach_singular(system, work, state):
    """After a step of an adaptive method: the next one goes at most half of the way to a singular
    position; False where it is reached.
    """
    clock = state.clock
    record_independence(system, work, state, clock[TIME])
    clock[ROW_VOLUME] = volume(system, work)
    clock[NEXT_STEP] = min(clock[NEXT_STEP], 0.5 * time_to_singular(state))
    return clock[SINE] == 0.0 or clock[SINE] > AT or clock[SINE] > clock[SINE_BEFORE]
