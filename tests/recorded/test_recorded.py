"""Short runs give the numbers that were recorded, to the bit where the same machine computes them.

A change that should alter no number must pass. After one that should, look at the differences
(`python -m tests.recorded.record --compare`) and record anew (`--force`).
"""

import pytest

from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import ROWS
from hamiltree.integrators import INTEGRATORS
from hamiltree.model.constraints import CONSTRAINTS
from hamiltree.model.couplings import COUPLINGS
from hamiltree.model.forces import FORCES
from hamiltree.model.joints import JOINTS
from hamiltree.model.potentials import POTENTIALS
from hamiltree.run.choices import select_variant
from tests.recorded import records
from tests.recorded.outcomes import outcome_of
from tests.recorded.runs import RUNS

RECORDED = records.read()
IS_SAME_MACHINE = RECORDED.header == records.header()
REMEDY = "add one to tests/recorded/runs.py and record it: python -m tests.recorded.record"
PARTS = {
    "joint": JOINTS,
    "force": FORCES,
    "potential": POTENTIALS,
    "coupling": COUPLINGS,
    "constraint": CONSTRAINTS,
}
USES = {name: outcome.uses for name, outcome in RECORDED.runs.items()}
USED = {use for uses in USES.values() for use in uses}


@pytest.mark.parametrize("name", RUNS)
def test_a_recorded_run_gives_the_same_numbers(name):
    assert name in RECORDED.runs, (
        f"{name!r} has no recorded numbers: python -m tests.recorded.record"
    )
    recorded, found = RECORDED.runs[name], outcome_of(RUNS[name])
    worst, where = records.difference(recorded, found)
    assert worst <= records.TOLERANCE, f"{name!r}: {where} differs by {worst:.1e} of its magnitude"
    if IS_SAME_MACHINE:
        differing = records.differing_bits(recorded, found)
        assert not differing, f"{name!r}: other bits in {differing}; largest difference {worst:.1e}"
    assert recorded.uses == found.uses


def test_every_recorded_run_is_in_the_list():
    gone = [name for name in RECORDED.runs if name not in RUNS]
    assert not gone, (
        f"no run makes {gone}; record all again: python -m tests.recorded.record --force"
    )


# ---- what the list covers ------------------------------------------------------------------------
@pytest.mark.parametrize(("word", "kind"), [(word, kind) for word in PARTS for kind in PARTS[word]])
def test_a_recorded_run_has_every_kind_of_part(word, kind):
    assert f"{word} {kind}" in USED, f"no recorded run has the {word} {kind!r}; {REMEDY}"


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_recorded_run_uses_every_formulation(name):
    assert f"formulation {name}" in USED, f"no recorded run uses {name}; {REMEDY}"


@pytest.mark.parametrize(
    "name", [name for name in FORMULATIONS if ROWS in FORMULATIONS[name].supports]
)
def test_a_recorded_run_closes_a_loop_by_every_formulation_that_can(name):
    loops = [run for run, uses in USES.items() if f"formulation {name}" in uses and has_loops(run)]
    assert loops, f"no recorded run of a mechanism with loops uses {name}; {REMEDY}"


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_recorded_run_uses_every_integrator(name):
    assert f"integrator {name}" in USED, f"no recorded run uses {name}; {REMEDY}"


def test_a_recorded_run_uses_every_family_of_integrators_in_every_form():
    """A form is the type of a method: RATTLE has another one where H is separable."""
    made = {type(integrator.method).__name__ for integrator in INTEGRATORS.values()}
    forms = (integrator.separable_variant for integrator in INTEGRATORS.values())
    made |= {type(form.method).__name__ for form in forms if form is not None}
    missing = made - {form_used(uses) for uses in USES.values()}
    assert not missing, f"no recorded run uses {sorted(missing)}; {REMEDY}"


def has_loops(name):
    problem = RUNS[name].make()
    return bool(getattr(problem, "closing", ()))


def form_used(uses):
    """The type of the method that a run took: its formulation and its integrator decide."""
    used = dict(use.split(" ", 1) for use in uses if use.startswith(("formulation", "integrator")))
    if used.get("integrator") not in INTEGRATORS:
        return ""
    formulation, integrator = FORMULATIONS[used["formulation"]], INTEGRATORS[used["integrator"]]
    return type(select_variant(formulation, integrator).method).__name__
