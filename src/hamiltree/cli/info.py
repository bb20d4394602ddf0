"""`hamiltree info`: the parts of a model, its degrees of freedom and its constraint residuals; its
topology.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from hamiltree.cli.options import Force, Source, takes_reader_options
from hamiltree.cli.output import (
    check_picture,
    plain_table,
    report_console,
    write_picture,
)
from hamiltree.cli.sources import load_source, located_errors
from hamiltree.errors import OptionError

if TYPE_CHECKING:
    from hamiltree.model import Model

MAX_LISTED_PARTS = 200  # bodies, joints or forces of a model that are listed


@takes_reader_options
def info(
    model: Source,
    reading: dict[str, Any],
    tree: Annotated[
        bool,
        typer.Option(
            "--tree",
            help="Show the topology instead: bodies with their numbers from the ground outward, "
            "the joints between them, those that close loops.",
        ),
    ] = False,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", help="Also draw the topology to this file: .png, .pdf or .svg."),
    ] = None,
    force: Force = False,
) -> None:
    """Show the parts of a model, its degrees of freedom, its loops with the joints that close
    them, redundant constraint rows, and constraint residuals; or its topology. Of a Hamiltonian or
    an ode its formulas, start values and parameters.
    """
    from hamiltree.model import Model
    from hamiltree.trajectory.netcdf import writable_path

    if picture is not None:
        check_picture(writable_path(picture, force))
    chosen, _ = load_source(model, reading)
    if not isinstance(chosen, Model):
        if tree or picture is not None:
            raise OptionError(f"{model} is no model of bodies: it has no topology to show")
        show_formulas(chosen)
        return
    if picture is not None:
        write_picture(chosen.plot.tree, picture)
    if tree:
        print(chosen.plot.tree_text())
    else:
        print_parts(model, chosen)
    if picture is not None:
        print(f"wrote {picture}")


def print_parts(source: Path, chosen: Model) -> None:
    """Tables of the parts, and what `ht.mechanism` finds."""
    from hamiltree.assembly.report import mechanism

    with located_errors(source):
        found = mechanism(chosen)
    console = report_console()
    for table in part_tables(chosen):
        console.print(table)
    print(f"\n{found}")


def show_formulas(problem: Any) -> None:
    """Name, equations, start values, parameters and invariants of what was typed in."""
    from hamiltree.run.choices import default_formulation

    print(problem)
    for what in ("start", "parameters", "invariants"):
        for name, value in getattr(problem, what).items():
            print(f"{what:10}  {name} = {value}")
    made = default_formulation(problem)
    print(f"equations   {made.name}: {made.summary} (integrator {made.default_integrator})")


def part_tables(model: Model) -> list[Table]:
    """Tables of the bodies, joints, constraints, couplings and forces that a model has."""
    tables = [bodies_table(model), joints_table(model)]
    if model.constraints:
        tables.append(constraints_table(model))
    if model.couplings:
        tables.append(couplings_table(model))
    if model.forces:
        tables.append(forces_table(model))
    return tables


def part_table(title: str, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Table:
    """A table of parts with their count in its title; of very many, the first ones."""
    table = plain_table(f"{title} ({len(rows)})", *columns)
    for row in rows[:MAX_LISTED_PARTS]:
        table.add_row(*row)
    if len(rows) > MAX_LISTED_PARTS:
        table.add_row(f"… and {len(rows) - MAX_LISTED_PARTS} more")
    return table


def bodies_table(model: Model) -> Table:
    rows = [(body.name, f"{body.mass:.6g}", numbers(body.com)) for body in model.bodies]
    return part_table(f"{model.name}: bodies", ("name", "mass / kg", "centre of mass / m"), rows)


def joints_table(model: Model) -> Table:
    """Joints with their start coordinates, or that they close a loop."""
    closing = set(model.closing)
    rows = [
        (
            joint.name,
            joint.kind,
            joint.parent,
            joint.child,
            "closes a loop" if joint.name in closing else numbers(joint.start()[0]),
        )
        for joint in model.joints
    ]
    return part_table("\njoints", ("name", "kind", "from", "to", "at the start"), rows)


def constraints_table(model: Model) -> Table:
    rows = [(part.name, part.kind, target_names(part)) for part in model.constraints]
    return part_table("\nconstraints", ("name", "kind", "on"), rows)


def couplings_table(model: Model) -> Table:
    rows = [(part.kind, part.joint, part.of) for part in model.couplings]
    return part_table("\ncouplings", ("kind", "joint", "follows"), rows)


def forces_table(model: Model) -> Table:
    rows = [(part.name, part.kind, target_names(part)) for part in model.forces]
    return part_table("\nforces", ("name", "kind", "on"), rows)


def target_names(element: Any) -> str:
    """The joints and bodies that a force or a constraint refers to."""
    return ", ".join(str(getattr(element, field)) for field in element.references)


def numbers(values: Any) -> str:
    return ", ".join(f"{value:.6g}" for value in values)
