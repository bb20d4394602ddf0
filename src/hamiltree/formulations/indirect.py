"""A System behind addresses: its verbs are compiled by themselves and called from integrators that know nothing of it.

Whatever a compiled loop may call is compiled and optimised with it, array by array of the System: with verbs in place, compiling is the
product of formulations and integrators, and most of a first run. An Indirect (verbs.py) has the layout of its System and the addresses
of its verbs, so one loop of each family of integrators serves every formulation, and one set of verbs each formulation.
"""

from typing import Any

import numpy as np

from hamiltree.compiled.callback import (
    VERBS,
    Addresses,
    Callback,
    Refusal,
    Request,
    address_array,
    compile_all,
    has_own,
    nobody,
    pointer_table,
    struct_type,
    type_of,
    verb_callback,
    verb_request,
)
from hamiltree.compiled.internals import is_interpreted
from hamiltree.compiled.number import WIDTH
from hamiltree.compiled.pointer import StructPointer, kind_of_value
from hamiltree.errors import FitError
from hamiltree.verbs import (
    Indirect,
    IndirectWork,
    Layout,
    constrain,
    constraint_rate,
    energies,
    factor_multipliers,
    momentum,
    poses,
    power,
    project,
    rates,
    solve_multipliers,
    stays_regular,
    velocity,
)


class IndirectPointer(StructPointer):
    """(Indirect, IndirectWork, …) for a compiled loop; `refusal` knows of verbs that were asked in vain."""

    __slots__ = ("refusal",)

    def check(self) -> None:
        """Raise FitError if a verb was asked in vain."""
        if self.refusal.sentence:
            raise FitError(self.refusal.sentence)


Verbs = tuple[Any, ...]


def asked_by_loop(needs: Verbs, width: int, asks_floats: bool) -> tuple[Verbs, Verbs]:
    """Verbs of floats, and of lanes."""
    needed = (rates, power, *needs)
    floats = needed if width == 1 else (rates,) if asks_floats else ()
    return (*floats, project, stays_regular), needed if width > 1 else ()


ASKED_BY_OBSERVER: tuple[Verbs, Verbs] = (), (energies, rates, poses, momentum)


def indirect(system, work, single, needs, width: int, asks_floats: bool = True, who: str = "the integrator") -> IndirectPointer:
    """For a loop of integrators: work of the method's width, single of floats.

    `asks_floats`: whether a method of lanes also asks for rates of floats, as events do.
    """
    return pointer_of(system, work, single, *asked_by_loop(needs, width, asks_floats), who)


def observed(system, work) -> IndirectPointer:
    """For an observer: energies, rates, poses and momenta in lanes."""
    return pointer_of(system, work, work, *ASKED_BY_OBSERVER, "an observer")


def asked_for_power(system, work) -> IndirectPointer:
    """For a comparison: power in lanes."""
    return pointer_of(system, work, work, (), (rates, power), "a comparison")


def asked_for_multipliers(system, single) -> IndirectPointer:
    """For a comparison, of constraints that are left to the integrator."""
    asked = velocity, constraint_rate, factor_multipliers, solve_multipliers, constrain
    return pointer_of(system, single, single, asked, (), "a comparison")


def projected(system, single) -> IndirectPointer:
    """For moving states back to their constraints."""
    return pointer_of(system, single, single, (project,), (), "an observer")


def asked_for_rates(system, work) -> tuple[Indirect, IndirectWork]:
    """For a kernel that asks one thing: ẏ of floats."""
    pointer = pointer_of(system, work, work, (rates,), (), "an evaluation")
    return pointer.parts[0], pointer.parts[1]


def pointer_of(system, work, single, ask_floats, ask_lanes, who: str) -> IndirectPointer:
    rows = rows_of(system, work, single, ask_floats, ask_lanes)
    if system.facts.is_conservative:  # its power is compiled all the same: a model with forces is to compile its laws and nothing else
        rows = [*rows[: power.place], (*rows[power.place][:2], False), *rows[power.place + 1 :]]
    works = (IndirectWork(pointer_table([(system, each)])) for each in (work, single))
    pointer = IndirectPointer(Indirect(Layout(*system.layout), table_of(rows)), *works)
    kind = type(system)
    pointer.refusal = Refusal(lambda verb: f"{who} asked {kind.__name__} for '{verb}', {reason(verb, kind)}")
    return pointer


Row = tuple[Callback, Callback, bool]  # for floats, for lanes, whether there is an answer
KNOWN: dict[tuple, list[Row]] = {}  # by the types of a System and its Works, and by what is asked


def rows_of(system, work, single, ask_floats, ask_lanes) -> list[Row]:
    """Callbacks of every verb, compiled or loaded once; what cannot be asked refuses."""
    key = kind_of_value((system, work, single)), ask_floats, ask_lanes
    if key[0] is None or is_interpreted() or key not in KNOWN:
        floats, of_lanes = (answered(system, *asked) for asked in ((ask_floats, 1), (ask_lanes, WIDTH)))
        kinds = kinds_of(system, work, single)
        compile_all(requests_for(system, work, single, ask_floats, ask_lanes))

        def row_of(verb) -> Row:
            refused = nobody(verb.__name__)
            for_floats = verb_callback(verb, kinds[0], 1) if verb in floats else refused
            for_lanes = verb_callback(verb, kinds[1], WIDTH) if verb in of_lanes else refused
            return for_floats, for_lanes, verb in floats or verb in of_lanes

        rows = [row_of(verb) for verb in VERBS]
        if key[0] is None or is_interpreted():
            return rows
        KNOWN[key] = rows
    return KNOWN[key]


def is_known(system, work, single, asked: tuple[Verbs, Verbs]) -> bool:
    """Whether this process has made their callbacks, or compiles none."""
    return is_interpreted() or (kind_of_value((system, work, single)), *asked) in KNOWN


def answered(system, asked: Verbs, width: int) -> list:
    """Those of the verbs that mean anything for a System."""
    return [verb for verb in VERBS if verb in asked and has_own(verb, system) and (width == 1 or verb.form.has_lanes)]


def kinds_of(system, work, single) -> tuple:
    """Types of what verbs of floats and of lanes are given."""
    return struct_type(type_of(system), type_of(single)), struct_type(type_of(system), type_of(work))


def requests_for(system, work, single, ask_floats: Verbs, ask_lanes: Verbs) -> list[Request]:
    """What is to be compiled or loaded, so that these verbs can be asked."""
    floats, of_lanes = kinds_of(system, work, single)
    return [
        *(verb_request(verb, floats, 1) for verb in answered(system, ask_floats, 1)),
        *(verb_request(verb, of_lanes, WIDTH) for verb in answered(system, ask_lanes, WIDTH)),
    ]


def reason(name: str, kind: type) -> str:
    verb = next(verb for verb in VERBS if verb.__name__ == name)
    return "which is not among the verbs that it says it needs" if has_own(verb, kind) else "which it does not answer"


def example() -> IndirectPointer:
    """One of the type that all have, with nothing behind it: loops are compiled for it before there is a System."""
    refused = nobody("rates")
    table, work = table_of([(refused, refused, False)]), IndirectWork(pointer_table([()]))
    return IndirectPointer(Indirect(Layout(0, 0), table), work, work)


def table_of(rows) -> Addresses:
    return address_array([[floats.address, of_lanes.address, int(is_answered)] for floats, of_lanes, is_answered in rows], rows, 3)


def in_lanes(values: np.ndarray) -> np.ndarray:
    """One state in all four lanes."""
    return np.repeat(values[:, None], WIDTH, axis=1)
