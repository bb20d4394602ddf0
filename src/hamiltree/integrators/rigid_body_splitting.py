"""Splittings of H = T(q, p) + V(t, q), T quadratic in p: the exact flow of T and kicks p −= b h
∂V/∂q in turn, explicit and symplectic.

Bodies move freely between kicks (Touma, Wisdom 1994; Dullweber, Leimkuhler, McLachlan, J.
Chem. Phys. 107, 5840, 1997). A bracket with V takes one degree in p away and T has two, whatever
its coefficients, so that {V, {V, {V, T}}} = 0: splittings of Nyström's kind keep their order, and
with it fewer forces per step and smaller errors. Time passes in the flows. Its conjugate, −H,
changes in kicks: the work of a V that depends on time is Σ b h ∂V/∂t, of the order of the method.
That of loads is Σ b h Q·q̇ with the mean momenta of each kick, which splittings of Nyström's kind
give to order four.
The last kick of a step and the first of the next share one force. Forces are what counts as a call.
"""

from decimal import localcontext
from itertools import accumulate as running_sums
from typing import NamedTuple

import numpy as np

from hamiltree.algebra.summation import accumulate
from hamiltree.compiled.kernel import inlined
from hamiltree.compiled.number import fma
from hamiltree.errors import FitError
from hamiltree.integrators.compositions import KAHAN_LI_8, Composition
from hamiltree.integrators.integrator import (
    CALLS,
    FRESH,
    Integrator,
    State,
    new_state,
    step,
)
from hamiltree.integrators.splitting import explicit_symplectic_integrator, finish_step
from hamiltree.integrators.splittings import (
    BLANES_MOAN_NYSTROM_4,
    BLANES_MOAN_NYSTROM_6,
    STORMER_VERLET,
    Splitting,
    compose,
)
from hamiltree.integrators.tableau import DIGITS
from hamiltree.verbs import SPLIT, flow, kick, power

FORCE_VALID = 0  # entry of RigidSplittingScratch.facts


class RigidSplittingMethod(NamedTuple):
    """Taken in this order: flow a_1, kick b_1, flow a_2, kick b_2, …"""

    flows: np.ndarray  # a
    kicks: np.ndarray  # b
    times: np.ndarray  # Σ a of the flows before each kick
    counts_work: bool  # False where nothing does work, which then is not asked for


class RigidSplittingScratch(NamedTuple):
    force: np.ndarray  # (m,) its momentum rows
    before: np.ndarray  # (2, m) y and its compensation, where the step began
    middle: np.ndarray  # (m,) y with the mean momenta of a kick
    facts: np.ndarray


def rigid_splitting_method(splitting: Splitting) -> RigidSplittingMethod:
    with localcontext(prec=DIGITS):
        rows = splitting.drifts, splitting.kicks, running_sums(splitting.drifts)
        return RigidSplittingMethod(*(np.array(list(row), dtype=float) for row in rows), True)


def new_rigid_splitting_state(y, method) -> State:
    m = len(y)
    return new_state(
        y,
        RigidSplittingScratch(
            np.zeros(m), np.zeros((2, m)), np.zeros(m), np.zeros(1, dtype=np.int64)
        ),
    )


def bind_rigid_splitting(integrator: Integrator, system) -> Integrator:
    """Without the sum of work where a System says that there is none; refused where forces depend
    on speeds.
    """
    if system.facts.has_speed_dependent_forces:
        raise FitError(
            f"{integrator.name} kicks with forces of the positions; here some depend on speeds "
            "(dampers, drag, laws that a user wrote): "
            "take gauss4 or gauss8, or leave them out"
        )
    return integrator.with_method(counts_work=not system.facts.is_conservative)


# ---- one step ------------------------------------------------------------------------------------
@inlined
def save_state(state):
    """Where the step begins; no force holds if the state is fresh."""
    before = state.scratch.before
    for i in range(state.y.shape[0]):
        before[0, i], before[1, i] = state.y[i], state.compensation[i]
    if state.counts[FRESH]:
        state.scratch.facts[FORCE_VALID], state.counts[FRESH] = 0, 0


@inlined
def apply_flow(system, work, state, t, h):
    flow(system, work, t, state.y, state.compensation, h)
    state.scratch.facts[FORCE_VALID] = 0


@inlined
def update_force(system, work, state, t):
    scratch = state.scratch
    if scratch.facts[FORCE_VALID] == 0:
        kick(system, work, t, state.y, scratch.force)
        state.counts[CALLS] += 1
        scratch.facts[FORCE_VALID] = 1


@inlined
def work_in_kick(system, work, state, t, h):
    """h P with the mean of the momenta before and after: exact, since P is linear in them."""
    scratch, n = state.scratch, system.layout.positions
    for i in range(n):
        scratch.middle[i] = state.y[i]
    for i in range(n, state.y.shape[0]):
        scratch.middle[i] = fma(0.5 * h, scratch.force[i], state.y[i])
    return h * power(system, work, t, scratch.middle, scratch.force)


@inlined
def apply_kick(system, work, state, h):
    """p −= h ∂V/∂q by the force that holds."""
    for i in range(system.layout.positions, state.y.shape[0]):
        accumulate(state.y, state.compensation, i, h * state.scratch.force[i])


@step.method(RigidSplittingMethod)
def rigid_splitting_step(method, system, work, state, t, h):
    """Flows and kicks in turn, with the work of the kicks."""
    save_state(state)
    work_done, began = 0.0, t
    for i in range(method.kicks.shape[0]):
        time = t + method.times[i] * h
        if method.flows[i] != 0.0:
            apply_flow(system, work, state, began, method.flows[i] * h)
        if method.kicks[i] != 0.0:
            update_force(system, work, state, time)
            work_done += (
                work_in_kick(system, work, state, time, method.kicks[i] * h)
                if method.counts_work
                else 0.0
            )
            apply_kick(system, work, state, method.kicks[i] * h)
        began = time
    return finish_step(state, work_done)


# ---- records -------------------------------------------------------------------------------------
def rigid_splitting_integrator(splitting: Splitting, name: str) -> Integrator:
    """The integrator of a splitting into free motion and forces, under a name."""
    forces = f"{splitting.stages} force{'s' * (splitting.stages > 1)} per step"
    return explicit_symplectic_integrator(
        splitting,
        name,
        f"{splitting.reference}; Dullweber, Leimkuhler, McLachlan 1997",
        needs=(*SPLIT, power),
        method=rigid_splitting_method(splitting),
        initial_state=new_rigid_splitting_state,
        bind=bind_rigid_splitting,
        remark=f"free motion of the bodies is exact; {forces}",
    )


def compose_splitting(composition: Composition) -> Integrator:
    """Of `splitting2`, written out: where two of its steps meet, they share a kick."""
    return rigid_splitting_integrator(
        compose(composition, STORMER_VERLET), f"{composition.name}(splitting2)"
    )


INTEGRATORS = (
    rigid_splitting_integrator(STORMER_VERLET, "splitting2"),
    rigid_splitting_integrator(BLANES_MOAN_NYSTROM_4, "splitting4"),
    rigid_splitting_integrator(BLANES_MOAN_NYSTROM_6, "splitting6"),
    rigid_splitting_integrator(compose(KAHAN_LI_8, STORMER_VERLET), "splitting8"),
)
