"""What methods on constraints g(t, q) = 0 share: the factors of W = G (∂²H/∂p²) Gᵀ, the projection
of momenta onto G q̇ + ∂g/∂t = 0, and the work of drives.
"""

from typing import NamedTuple

import numpy as np

from hamiltree import verbs
from hamiltree.compiled.kernel import inlined, outlined
from hamiltree.compiled.number import fma, part
from hamiltree.integrators import convergence
from hamiltree.integrators import implicit_solver as solver
from hamiltree.integrators.integrator import NOT_CONVERGED, NOT_FINITE, RUNNING, SINGULAR, array

ROUNDING = 4e-16  # a correction of momenta below this part of them is the last
MAX_PROJECTIONS = 20  # of the projection of momenta; a kinetic energy quadratic in p takes two
# entries of MultiplierFactors.facts: whether work should hold factors, and of which time; whether
# there are positions of a sweep from which impulses can be corrected
FACTORS_VALID, FACTOR_TIME, HAS_RESIDUALS = range(3)
# of momenta and impulses: all else was smaller before, so that they are measured by themselves
SUDDEN = 2.0**-10


class MultiplierFactors(NamedTuple):
    """Of W: where they are from, so that they can be made again."""

    point: array("m")
    probe: array(2, "constraints")  # W⁻¹ (1, 1, …): by its factors, by those that are there
    facts: array(3)  # FACTORS_VALID, FACTOR_TIME, HAS_RESIDUALS


@inlined
def probe_factors(system, work, state, row):
    """W⁻¹ (1, 1, …) by the factors in work."""
    x = part(state.scratch.factors.probe, row)
    for k in range(x.shape[0]):
        x[k] = 1.0
    verbs.solve_multipliers(system, work, x)


@inlined
def factor_multipliers_at(system, work, state, t, point):
    """Factors at a point into work, and into the state where they are from; False where W is
    singular.
    """
    factors = state.scratch.factors
    solver.copy_rows(point, factors.point, 0, point.shape[0])
    factors.facts[FACTORS_VALID], factors.facts[FACTOR_TIME] = 0.0, t
    if not verbs.factor_multipliers(system, work, t, factors.point):
        return False
    probe_factors(system, work, state, 0)
    factors.facts[FACTORS_VALID] = 1.0
    return True


@inlined
def ensure_factors(system, work, state, t):
    """Those of the last projection, or again, the same to the bit, if another state has used
    work since; False where W is singular.
    """
    factors, differing = state.scratch.factors, 0
    if factors.probe.shape[1] == 0:
        return True
    if factors.facts[FACTORS_VALID] == 0.0:
        return factor_multipliers_at(system, work, state, t, state.y)
    probe_factors(system, work, state, 1)
    for k in range(factors.probe.shape[1]):
        differing += factors.probe[0, k] != factors.probe[1, k]
    time = factors.facts[FACTOR_TIME]
    return differing == 0 or verbs.factor_multipliers(system, work, time, factors.point)


@outlined
def factor_at_midpoint(system, work, state, t, begin, end):
    """Of the chord: where positions turn fast, W is closer there to G(end) (∂²H/∂p²) G(begin)ᵀ."""
    middle = state.scratch.constraint_impulse
    if state.scratch.factors.probe.shape[1] == 0:
        return RUNNING
    for i in range(state.y.shape[0]):
        middle[i] = 0.5 * (begin[i] + end[i])
    return RUNNING if factor_multipliers_at(system, work, state, t, middle) else NOT_CONVERGED


@inlined
def correct_momenta(system, work, state, t, speeds, impulse, total, delta):
    """δl = −W⁻¹ (G q̇ + ∂g/∂t) at the end, added to an impulse, and Gᵀδl to what the momenta gain:
    its largest part, relative to them. Where nothing has moved before, they are those at the end.
    """
    scratch, first = state.scratch, system.layout.positions
    last = state.y.shape[0]
    verbs.constraint_rate(system, work, t, scratch.end, speeds, delta)
    verbs.solve_multipliers(system, work, delta)
    for k in range(delta.shape[0]):
        delta[k] = -delta[k]
        impulse[k] += delta[k]
    solver.clear(scratch.constraint_impulse, first, last)
    verbs.add_multiplier_forces(system, work, t, scratch.end, delta, scratch.constraint_impulse)
    most = 0.0
    for i in range(first, last):
        total[i] += scratch.constraint_impulse[i]
        most = solver.max_or_nan(most, abs(scratch.constraint_impulse[i]) / state.scale[i])
    solver.add_rows(state, total, scratch.end, first, last)
    size = state.sizes[1]
    for i in range(first, last):
        size = max(size, SUDDEN * abs(scratch.end[i]) / state.scale[i])
    return most / size


project_once = solver.declare_hook(
    "project_once", "One correction of the momenta at the end, relative to them."
)


@inlined
def project_momenta(method, system, work, state, t, h):
    """G q̇ + ∂g/∂t = 0 at (q⁺, p⁺), to where rounding stops it; leaves the factors of W for the
    next step.
    """
    least = np.inf
    if not factor_multipliers_at(system, work, state, t + h, state.scratch.end):
        return SINGULAR
    for _round in range(MAX_PROJECTIONS):
        change = project_once(method, system, work, state, t, h)
        if not np.isfinite(change):
            return NOT_FINITE
        if change <= ROUNDING or (change >= least and change < convergence.CONVERGED_BELOW):
            return RUNNING
        least = min(least, change)
    return NOT_CONVERGED


@inlined
def add_work_of_drivers(system, work, state, t, point, impulse, rate, work_done):
    """work_done − lᵀ ∂g/∂t, if there are constraints."""
    if rate.shape[0] > 0:
        verbs.constraint_rate(system, work, t, point, state.scratch.zero_velocity, rate)
    for k in range(rate.shape[0]):
        work_done = fma(-impulse[k], rate[k], work_done)
    return work_done
