"""`hamiltree list`: the parts of the catalogue, each in a table of at most 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from hamiltree.cli.output import list_console, plain_table, report_console
from hamiltree.console import tell
from hamiltree.errors import OptionError

if TYPE_CHECKING:
    from rich.console import RenderableType


class Part(NamedTuple):
    """A part of the catalogue: what it holds, how many there are, and its tables."""

    summary: str
    size: Callable[[], int]
    tables: Callable[[], Iterable[RenderableType]]


def show(
    what: Annotated[
        str,
        typer.Argument(
            help="joints, couplings, constraints, forces, models, formulations, integrators, "
            "plots, samplers, reductions, experiments, problems, or all. "
            "Without it an overview is shown.",
        ),
    ] = "",
    measured: Annotated[
        bool,
        typer.Option(
            "--measured",
            help="With integrators: measure what each one claims (about ten seconds).",
        ),
    ] = False,
) -> None:
    """List joints, forces, library models, formulations, integrators (and which formulations each
    one fits), plots of runs, experiments, or published problems.
    """
    from hamiltree.catalogue import find

    if measured:
        if what != "integrators":
            raise OptionError(
                "--measured is for integrators: hamiltree list integrators --measured"
            )
        report_console().print(verification_table())
        return
    console = list_console()
    if not what:
        console.print(overview_table())
        return
    for part in PARTS.values() if what == "all" else [find(PARTS, what, "list")]:
        for table in part.tables():
            console.print(table)


def overview_table() -> Table:
    """The parts of the catalogue with their counts, and the command that lists each."""
    table = plain_table("hamiltree list PART", "part", "count", "what it holds", "command")
    table.columns[1].justify = "right"
    table.columns[3].no_wrap = True
    for name, part in PARTS.items():
        table.add_row(name, str(part.size()), part.summary, f"hamiltree list {name}")
    table.add_row("all", "", "everything above", "hamiltree list all")
    return table


# ---- parts of models -----------------------------------------------------------------------------
def first_paragraph(thing: Any) -> str:
    """The first paragraph of a docstring, in one line."""
    return " ".join((thing.__doc__ or "").strip().split("\n\n")[0].split())


def describe_kinds(title: str, name: str, things: Mapping[str, Any]) -> Table:
    """A table of names and docstrings."""
    table = plain_table(title, name, "what it is")
    for key, thing in things.items():
        table.add_row(key, first_paragraph(thing))
    return table


def joints_tables() -> list[Table]:
    """Joints with the number of their coordinates."""
    from hamiltree.model import JOINTS

    table = plain_table("joints", "kind", "coordinates", "what it is")
    for kind, joint in JOINTS.items():
        count = joint.coordinates
        table.add_row(kind, str(count) if isinstance(count, int) else "any", first_paragraph(joint))
    return [table]


def couplings_tables() -> list[Table]:
    from hamiltree.model import COUPLINGS

    return [describe_kinds("\ncouplings between joints", "kind", COUPLINGS)]


def constraints_tables() -> list[Table]:
    from hamiltree.model import CONSTRAINTS

    return [describe_kinds("\nconstraints in addition to joints", "kind", CONSTRAINTS)]


def forces_tables() -> list[Table]:
    from hamiltree.model import FORCES

    return [describe_kinds("\nforces (gravity is a property of the model)", "kind", FORCES)]


def models_tables() -> list[Table]:
    from hamiltree.model.library import LIBRARY

    return [describe_kinds("\nmodels in hamiltree.library", "name", LIBRARY)]


def plots_tables() -> list[Table]:
    """Plots of a run, the parts of a model that have one, and plots of a study."""
    from hamiltree.cli.study_plots import KINDS
    from hamiltree.view.plot_names import PART_KINDS, PLOTS

    table = plain_table("\nplots: `hamiltree plot RUN.nc NAME …`, `run.plot`", "name", "shows")
    for name, plot in PLOTS.items():
        table.add_row(name, plot.summary)
    for kind, summary in PART_KINDS.items():
        table.add_row(f"{kind}:NAME", summary)
    title = "\nplots of studies: `hamiltree plot STUDY.nc KIND:NAME …`, `study.plot`"
    of_studies = plain_table(title, "kind", "shows")
    for kind, summary in KINDS.items():
        of_studies.add_row(kind, summary)
    return [table, of_studies]


def experiments_tables() -> list[Table]:
    from hamiltree.cli.gallery import experiments_table

    return [experiments_table()]


def list_problems() -> dict[str, Any]:
    from hamiltree.published.problem import published_problems

    return published_problems()


def problems_tables() -> list[Table]:
    from hamiltree.cli.verify import problems_table

    return [problems_table()]


# ---- formulations and integrators ----------------------------------------------------------------
def formulations_tables() -> Iterator[RenderableType]:
    """One small table per formulation: its name, then what it is and what it is good for."""
    from hamiltree.formulations import FORMULATIONS

    yield Text("\nformulations (docs/formulations.md helps to choose)", style="bold")
    yield Text("ERRATA and METHODS are lists in docs/references.md")
    for name, formulation in FORMULATIONS.items():
        table = plain_table(f"\n{name}", "", "")
        table.show_header = False
        table.add_row("is", formulation.summary)
        titles = ("for", "state", "preserves", "cost")
        for title, text in zip(titles, formulation.traits, strict=True):
            table.add_row(title, text)
        table.add_row("from", formulation.reference)
        yield table


def integrators_tables() -> Iterator[RenderableType]:
    """One table per set of formulations that integrators fit: name, order, traits, reference."""
    from hamiltree.integrators import INTEGRATORS

    groups: dict[str, list[Any]] = {}
    for integrator in INTEGRATORS.values():
        groups.setdefault(fitting_formulations(integrator), []).append(integrator)
    for fitting, integrators in groups.items():
        yield Text(f"\nintegrators that fit {fitting}:", style="bold")
        table = plain_table("", "name", "order", "traits", "reference", steady=(0, 1))
        for integrator in integrators:
            reference = integrator.reference.split(";")[0]
            table.add_row(integrator.name, str(integrator.order), integrator.traits, reference)
        yield table


def fitting_formulations(integrator: Any) -> str:
    """The formulations that an integrator fits; numbered ones of one kind are one word."""
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.run.choices import is_compatible

    found = [
        name for name, formulation in FORMULATIONS.items() if is_compatible(formulation, integrator)
    ]
    numbered = [name for name in found if name.removeprefix("cartesian_").isdigit()]
    if len(numbered) > 1:
        first = found.index(numbered[0])
        last = numbered[-1].removeprefix("cartesian_")
        found = [name for name in found if name not in numbered]
        found.insert(first, f"{numbered[0]}…{last}")
    return ", ".join(found) or "none"


def verification_table() -> Table:
    """Measure every integrator while a bar shows progress; docs/integrators.md explains the
    columns.
    """
    from hamiltree.analysis.table import COLUMNS, MARK, cells
    from hamiltree.analysis.verification import measure_all
    from hamiltree.integrators import INTEGRATORS

    tell(
        "measuring every integrator; what this machine has not yet compiled is compiled first "
        "(minutes, once)"
    )
    with progress_bar() as bar:
        task = bar.add_task("", total=len(INTEGRATORS))
        found = measure_all(
            on_progress=lambda done, name: bar.update(task, completed=done, description=name)
        )
    table = plain_table(f"integrators, measured ({MARK}: not as claimed)", *COLUMNS)
    for one in found:
        table.add_row(*cells(one), style="red" if one.disagreements else None)
    return table


def progress_bar() -> Any:
    """A bar on standard error with the count, the time, and the name of what is measured."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)


# ---- studies -------------------------------------------------------------------------------------
def samplers_tables() -> list[Table]:
    from hamiltree.studies.sensitivity import ALL_SAMPLERS

    return [describe_kinds("\nsamplers of a study", "name", ALL_SAMPLERS)]


def reductions_tables() -> list[Table]:
    """Reductions of a formula, or of a whole group of numbers."""
    from hamiltree.studies.reductions import REDUCTIONS

    table = plain_table("\nreductions that a study keeps: max(elbow)", "name", "what it is")
    for name, (_, words) in REDUCTIONS.items():
        table.add_row(name, words)
    return [table]


# ---- the parts -----------------------------------------------------------------------------------
def count(module: str, name: str) -> Callable[[], int]:
    """A function that counts the entries of a catalogue, which is imported then."""
    from importlib import import_module

    return lambda: len(getattr(import_module(module), name))


PARTS = {
    "joints": Part(
        "with their coordinates",
        count("hamiltree.model", "JOINTS"),
        joints_tables,
    ),
    "couplings": Part(
        "gears, racks, mimic joints",
        count("hamiltree.model", "COUPLINGS"),
        couplings_tables,
    ),
    "constraints": Part(
        "rods, drives, motions",
        count("hamiltree.model", "CONSTRAINTS"),
        constraints_tables,
    ),
    "forces": Part("on joints and bodies", count("hamiltree.model", "FORCES"), forces_tables),
    "models": Part(
        "of the library, run by name",
        count("hamiltree.model.library", "LIBRARY"),
        models_tables,
    ),
    "formulations": Part(
        "equations of motion", count("hamiltree.formulations", "FORMULATIONS"), formulations_tables
    ),
    "integrators": Part(
        "with what they fit",
        count("hamiltree.integrators", "INTEGRATORS"),
        integrators_tables,
    ),
    "plots": Part(
        "of a run or a study, by name", count("hamiltree.view.plot_names", "PLOTS"), plots_tables
    ),
    "samplers": Part(
        "of studies", count("hamiltree.studies.sensitivity", "ALL_SAMPLERS"), samplers_tables
    ),
    "reductions": Part(
        "of members of studies",
        count("hamiltree.studies.reductions", "REDUCTIONS"),
        reductions_tables,
    ),
    "experiments": Part(
        "of the literature",
        count("hamiltree.gallery", "EXPERIMENTS"),
        experiments_tables,
    ),
    "problems": Part(
        "published, with their digits",
        lambda: len(list_problems()),
        problems_tables,
    ),
}
