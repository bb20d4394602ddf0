"""Pointers to the verbs of a System for indirect calls: one for the loops of integrators, for
observers, comparisons and evaluations each, with the verbs that they use.
"""

from functools import cache

from hamiltree.compiled.callback import pointer_table
from hamiltree.compiled.indirect import (
    IndirectPointer,
    Verbs,
    empty_table,
    make_refusal,
    verb_table,
    with_callback,
)
from hamiltree.compiled.threads import Team
from hamiltree.verbs import (
    Indirect,
    IndirectWork,
    Layout,
    add_multiplier_forces,
    constraint_rate,
    energies,
    factor_multipliers,
    follow_angles,
    independence,
    inertia_loss,
    least_volume,
    momentum,
    poses,
    power,
    project,
    rates,
    solve_multipliers,
    velocity,
    volume,
    weakest_row,
)


def loop_verbs(needs: Verbs, width: int, needs_floats: bool) -> tuple[Verbs, Verbs]:
    """Verbs of floats, and of lanes."""
    needed = (rates, power, *needs)
    floats = needed if width == 1 else (rates,) if needs_floats else ()
    constrained = project, independence, least_volume, volume, weakest_row
    return (*floats, *constrained, follow_angles), needed if width > 1 else ()


OBSERVER_VERBS: tuple[Verbs, Verbs] = (), (energies, rates, poses, momentum)


def indirect(
    system,
    work,
    single,
    needs,
    width: int,
    needs_floats: bool = True,
    caller: str = "the integrator",
    team: Team | None = None,
) -> IndirectPointer:
    """For a loop of integrators: work of the method's width, single of floats.

    `needs_floats`: whether a method of lanes also asks for rates of floats, as events do. `team`:
    threads that compute rates in this width.
    """
    verbs = loop_verbs(needs, width, needs_floats)
    return make_pointer(system, work, single, *verbs, caller, team, width)


def lane_pointer(system, work, single, needs, caller: str) -> IndirectPointer:
    """For members in lanes, of a System that projects and follows nothing: its tables may be of
    lanes, which know no floats.
    """
    return make_pointer(system, work, single, (), (rates, power, *needs), caller)


def observer_pointer(system, work) -> IndirectPointer:
    """For an observer: energies, rates, poses and momenta in lanes."""
    return make_pointer(system, work, work, *OBSERVER_VERBS, "an observer")


def power_pointer(system, work) -> IndirectPointer:
    """For a comparison: power in lanes."""
    return make_pointer(system, work, work, (), (rates, power), "a comparison")


def multiplier_pointer(system, single) -> IndirectPointer:
    """For a comparison, of constraints that are left to the integrator."""
    verbs = velocity, constraint_rate, factor_multipliers, solve_multipliers, add_multiplier_forces
    return make_pointer(system, single, single, verbs, (), "a comparison")


def projection_pointer(system, single) -> IndirectPointer:
    """For moving states back to their constraints."""
    return make_pointer(system, single, single, (project,), (), "an observer")


def indirect_rates(
    system, work, width: int = 1, team: Team | None = None
) -> tuple[Indirect, IndirectWork]:
    """For a kernel that asks for ẏ, of floats or of lanes, and whether it means anything."""
    asked = (rates, inertia_loss)
    verbs = (asked, ()) if width == 1 else ((), asked)
    pointer = make_pointer(system, work, work, *verbs, "an evaluation", team, width)
    return pointer.parts[0], pointer.parts[1]


def make_pointer(
    system,
    work,
    single,
    float_verbs: Verbs,
    lane_verbs: Verbs,
    caller: str,
    team: Team | None = None,
    width: int = 1,
) -> IndirectPointer:
    """(Indirect, IndirectWork of work, of single). Of a conservative system `power` is compiled all
    the same, and not called: a model with forces then compiles its laws and nothing else. So is
    `follow_angles` where there are none. A `team` computes rates of this width in the place of one
    thread.
    """
    disabled = (power,) if system.facts.is_conservative else ()
    if not system.facts.followed:
        disabled = (*disabled, follow_angles)
    table = verb_table(system, work, single, float_verbs, lane_verbs, disabled)
    shared = ()
    if team is not None:
        table, shared = with_callback(table, rates, width, team.lead), team.shared
    # what one thread asks does not see what is shared: it lies behind the rest
    works = (IndirectWork(pointer_table([(system, each, *shared)])) for each in (work, single))
    pointer = IndirectPointer(Indirect(Layout(*system.layout), table), *works)
    pointer.refusal = make_refusal(caller, type(system))
    return pointer


@cache
def empty_pointer() -> IndirectPointer:
    """One of the type that all have, with nothing behind it: loops are compiled for it before there
    is a System.
    """
    work = IndirectWork(pointer_table([()]))
    return IndirectPointer(Indirect(Layout(0, 0), empty_table()), work, work)
