"""A run is data to data: how far it wanders, what it makes, what is asked of Systems, and what
formulations must answer.
"""

import ast
import dataclasses
import re
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.compiled import direct_calls, duals, fingerprint
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import FORMULA, JOINTS, MOTIONS, ROWS
from hamiltree.integrators import find_integrator
from hamiltree.run.choices import choose_formulation, default_formulation
from hamiltree.run.equations import Start
from hamiltree.run.simulator import Simulator
from hamiltree.verbs import Facts, Layout
from tests.machinery.path_of_a_run import in_a_fresh_process

SOURCE, ROOT = Path(ht.__file__).parent, Path(__file__).parents[2]
# Changes of module before runs were data to data: 283, 2,074, 517.
MOST_CHANGES = {"chain": 145, "four_bar": 478, "particle_chain": 231}


@pytest.mark.parametrize("name", MOST_CHANGES)
def test_a_run_goes_straight_through_the_modules_and_makes_two_workspaces(name):
    found = in_a_fresh_process(name)
    assert found["changes"] <= MOST_CHANGES[name]
    assert found["workspaces"] == 2


def modules():
    rooms = [SOURCE / name for name in ("analysis", "formulations", "integrators")]
    return [*SOURCE.glob("*.py"), *(path for room in rooms for path in room.rglob("*.py"))]


def test_systems_and_workspaces_are_asked_for_nothing_that_is_not_declared():
    asked = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            is_question = (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in ("hasattr", "getattr")
            )
            if is_question and ast.unparse(node.args[0]).split(".")[-1] in (
                "system",
                "work",
                "single",
                "lanes",
                "tree",
            ):
                asked.append(f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}")
    assert asked == []


EMITTING = {
    *("intrinsic", "overload", "register_jitable", "register_model"),
    *("lower_builtin", "lower_cast", "lower_getattr_generic"),
    *("inlined", "outlined", "kernel", "guarded_kernel", "entry", "compiled_as"),
}


def emits_code(path: Path) -> bool:
    """Whether a decorator or a call of a file is one of those."""
    used: list[ast.expr] = []
    for node in ast.walk(ast.parse(path.read_text())):
        used += getattr(node, "decorator_list", [])
        used += [node.func] if isinstance(node, ast.Call) else []
    return any(isinstance(each, ast.Name) and each.id in EMITTING for each in used)


def test_a_change_of_any_module_that_emits_code_is_noticed_by_kept_kernels():
    emitters = {path.stem for path in (SOURCE / "compiled").glob("*.py") if emits_code(path)}
    noticed = {name.rpartition(".")[2] for name in direct_calls.MODULES}
    assert emitters - noticed - {*duals.EMITTERS, *fingerprint.EMITTERS} == set()
    assert {"threads", "triples", "direct", "duals"} <= emitters


def test_nothing_is_decided_by_the_name_of_a_formulation():
    """No comparison of a name with a text, outside of where names are looked up or shown."""
    decided = []
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                texts = {
                    part.value
                    for part in (node.left, *node.comparators)
                    if isinstance(part, ast.Constant)
                }
                if texts & set(FORMULATIONS):
                    decided.append(f"{path.relative_to(SOURCE)}:{node.lineno}: {ast.unparse(node)}")
    assert decided == []


@pytest.mark.parametrize("name", FORMULATIONS)
def test_a_formulation_answers_what_it_must(name):
    made = FORMULATIONS[name]
    assert made.supports <= {JOINTS, ROWS, MOTIONS, FORMULA} and made.name == name
    fields = made.system._fields
    assert fields[0] == "layout" and "facts" in fields
    assert made.trouble is None or made.constraint_names is not None


@pytest.mark.parametrize(
    "name", [name for name, made in FORMULATIONS.items() if FORMULA not in made.supports]
)
def test_every_row_of_a_state_has_an_owner(name):
    made = FORMULATIONS[name]
    model = (
        ht.library.free_body(inertia=(2.0, 2.5, 3.0))
        if JOINTS not in made.supports
        else ht.library.four_bar()
    )
    model = model if ROWS in made.supports or JOINTS not in made.supports else ht.library.chain(3)
    sim = Simulator(model, formulation=name)
    engine, _, y = sim.prepare_start(Start())
    assert isinstance(engine.system.layout, Layout) and isinstance(engine.system.facts, Facts)
    known = set(model.coordinates) | set(model.speeds) | {body.name for body in model.bodies}
    assert {made.owner(engine.system, model, row) for row in range(len(y))} <= known


# ---- an assembly ---------------------------------------------------------------------------------
def test_an_assembly_cannot_be_changed_and_is_made_once_for_a_start():
    sim = ht.simulator(ht.library.four_bar(), step=1e-3)
    sim.run(until=0.01)
    first = sim.own.assembly
    sim.run(until=0.01)
    assert sim.own.assembly is first
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.q = np.zeros(3)


def test_a_setup_is_not_changed_by_a_run():
    sim = ht.simulator(
        ht.library.four_bar(), step=1e-3, formulation="cartesian_3", projection=False
    )
    before = sim.setup.equations, dict(sim.setup.equations.options), sim.setup.integrator
    sim.run(until=0.01)
    sim.run(until=0.01, q={"crank_pivot": 0.3}, assemble=True)
    assert (sim.setup.equations, dict(sim.setup.equations.options), sim.setup.integrator) == before
    with pytest.raises(dataclasses.FrozenInstanceError):
        sim.setup.equations.options = {}


# ---- what is chosen ------------------------------------------------------------------------------
def test_the_default_formulation_is_the_first_that_handles_the_model():
    driven = ht.library.free_body(inertia=(2.0, 2.5, 3.0)).with_(
        constraints=[ht.Motion("body", position=("t", "0", "0"))]
    )
    names = [
        default_formulation(model).name
        for model in (ht.library.chain(3), ht.library.four_bar(), driven)
    ]
    assert names == ["hamiltonian_tree", "hamiltonian_loops", "free_bodies_quaternion"]


@pytest.mark.parametrize(
    ("model", "integrator", "expected"),
    [
        (ht.library.chain, "gauss8", "hamiltonian_tree"),
        (ht.library.chain, "rattle", "hamiltonian_loops"),
        (ht.library.chain, "generalised_alpha", "cartesian_3"),
        (lambda: ht.library.four_bar(), "rk4", "cartesian_3"),
        (lambda: ht.library.free_body(), "splitting4", "free_bodies_quaternion"),
    ],
)
def test_an_integrator_chooses_the_first_formulation_that_it_fits(model, integrator, expected):
    problem = model(3) if model is ht.library.chain else model()
    assert choose_formulation(problem, None, find_integrator(integrator)).name == expected


CITATION = re.compile(r"ERRATA\s+((?:[\d, -]|…|to|and)*\d)|METHODS(?:,)? (\d)")


def test_every_citation_of_errata_and_methods_is_in_the_references():
    """Pages and sources cite items of docs/references.md by number; of a range, both ends."""
    text = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    items = set(re.findall(r"\d-\d+", "\n".join(re.findall(r"^\| ([\d, -]+) \|", text, re.M))))
    sections = set(re.findall(r"^### METHODS (\d)", text, re.M))
    pages = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.json"), *(ROOT / "docs").rglob("*.md")]
    cited = [found for page in pages for found in CITATION.findall(page.read_text("utf-8"))]
    errata = {item for errata, _ in cited for item in re.findall(r"\d-\d+", errata)}
    assert len(errata) > 30 and errata <= items
    assert {number for _, number in cited if number} <= sections


def test_the_references_have_every_correction_once():
    """Numbered without gaps, document by document."""
    text = (ROOT / "docs" / "references.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d-\d+(?:, \d-\d+)*) \|", text, re.M)
    items = sorted(
        tuple(map(int, item.split("-"))) for row in rows for item in re.findall(r"\d-\d+", row)
    )
    counts = {0: 10, 1: 15, 2: 44, 3: 9, 4: 2}
    assert items == [(k, n) for k, count in counts.items() for n in range(1, count + 1)]
