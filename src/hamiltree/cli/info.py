"""`hamiltree info`: the parts of a model with their numbers, its degrees of freedom and its
constraint residuals, as tables or as JSON; its topology.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from hamiltree.cli.model_data import axis_direction, model_json, total_mass
from hamiltree.cli.options import Force, Source, takes_reader_options
from hamiltree.cli.output import (
    check_distinct_files,
    check_picture,
    plain_table,
    report_console,
    write_picture,
)
from hamiltree.cli.run_info import is_run, run_facts, show_run
from hamiltree.cli.sources import load_source, located_errors
from hamiltree.cli.study import show_study, study_facts
from hamiltree.errors import OptionError

if TYPE_CHECKING:
    from hamiltree.model import Joint, Limits, Model

MAX_LISTED_PARTS = 200  # bodies, joints or forces of a model that are listed
UNNAMED_AXES = ("translation", "free")  # kinds of joints that slide along x, y and z
STANDARD_OUTPUT = Path("-")
Topology = Annotated[
    bool,
    typer.Option(
        "--tree",
        help="Show the topology instead: bodies with their numbers from the ground outward, "
        "the joints between them, those that close loops.",
    ),
]
Picture = Annotated[
    Path | None,
    typer.Option("--picture", help="Also draw the topology to this file: .png, .pdf or .svg."),
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json",
        help="Write all numbers of the model to this file; - prints them instead of the tables.",
    ),
]


@takes_reader_options
def info(
    model: Source,
    reading: dict[str, Any],
    tree: Topology = False,
    picture: Picture = None,
    json: Json = None,
    force: Force = False,
) -> None:
    """Show the parts of a model with masses, inertias, axes and limits, its total mass, its degrees
    of freedom, its loops with the joints that close them, redundant constraint rows, and constraint
    residuals; or its topology. Of a Hamiltonian or an ode its formulas, start values and
    parameters. Of a run (.nc) how it ended, how far it came, what made it, how it goes on. Of a
    study its members, what varies and what is kept.
    """
    from hamiltree.files.safe_write import write_text
    from hamiltree.model import Model
    from hamiltree.trajectory.netcdf import writable_path

    if picture is not None:
        check_picture(writable_path(picture, force))
    if json not in (None, STANDARD_OUTPUT):
        writable_path(json, force)
    check_distinct_files({"the model": model, "--picture": picture, "--json": json})
    if is_run(model):
        show_file_of_run(model, json, tree or picture is not None or bool(reading), force)
        return
    chosen, _ = load_source(model, reading)
    if not isinstance(chosen, Model):
        if tree or picture is not None or json is not None:
            raise OptionError(f"{model} is no model of bodies: it has no topology and no parts")
        show_formulas(chosen)
        return
    if picture is not None:
        write_picture(chosen.plot.tree, picture)
    if json == STANDARD_OUTPUT:
        print(model_json(chosen))
        return
    if json is not None:
        write_text(json, model_json(chosen) + "\n", force)
    if tree:
        print(chosen.plot.tree_text())
    else:
        print_parts(model, chosen)
    for path in (picture, json):
        if path is not None:
            print(f"wrote {path}")


def show_file_of_run(path: Path, json: Path | None, asks_for_model: bool, force: bool) -> None:
    """The facts of a run, or of a study, as lines, or as JSON."""
    from json import dumps

    from hamiltree.files.safe_write import write_text

    if asks_for_model:
        raise OptionError(
            f"{path} is a run: --tree, --picture and options of readers are of models"
        )
    of_study = study_facts(path)
    if json is None:
        if of_study is None:
            show_run(path)
        else:
            show_study(of_study)
        return
    facts = run_facts(path) if of_study is None else of_study
    text = dumps(facts, indent=2, ensure_ascii=False)
    if json == STANDARD_OUTPUT:
        print(text)
    else:
        write_text(json, text + "\n", force)
        print(f"wrote {json}")


def print_parts(source: Path, chosen: Model) -> None:
    """Tables of the parts, and what `ht.mechanism` finds."""
    from hamiltree.assembly.report import mechanism

    with located_errors(source):
        found = mechanism(chosen)
    console = report_console()
    for table in part_tables(chosen):
        console.print(table)
    print(f"\ntotal mass {total_mass(chosen):.6g} kg")
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
    """Tables of the bodies, joints, frames, constraints, couplings and forces that a model has."""
    tables = [bodies_table(model), joints_table(model)]
    if model.frames:
        tables.append(frames_table(model))
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
    """Bodies with mass, centre of mass and inertia about it, in body axes."""
    rows = [
        (body.name, f"{body.mass:.6g}", numbers(body.com), inertia_entries(body.inertia))
        for body in model.bodies
    ]
    columns = (
        *("name", "mass / kg", "centre of mass / m"),
        "inertia about it: xx, yy, zz; xy, xz, yz / kg m²",
    )
    return part_table(f"{model.name}: bodies", columns, rows)


def inertia_entries(tensor: Any) -> str:
    """The diagonal, and the other entries if there are any."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    across = f"; {numbers((xy, xz, yz), 4)}" if xy or xz or yz else ""
    return numbers((xx, yy, zz), 4) + across


def joints_table(model: Model) -> Table:
    """Joints with their axes, limits and start coordinates, or that they close a loop."""
    closing = set(model.closing)
    rows = [
        (
            joint.name,
            joint.kind,
            joint.parent,
            joint.child,
            joint_axes(joint),
            "closes a loop" if joint.name in closing else numbers(joint.start()[0]),
        )
        for joint in model.joints
    ]
    columns = ("name", "kind", "from", "to", "axis", "at the start")
    if model.limits:
        columns = (*columns, "limits: position, velocity, effort")
        rows = [(*row, axes_limits(joint)) for row, joint in zip(rows, model.joints, strict=True)]
    return part_table("\njoints", columns, rows)


def axes_limits(joint: Joint) -> str:
    """The limits of each axis, SI units: `-1.5 … 1.5, 2, 80`; - where there is none."""
    return "; ".join(map(limits_text, joint.axis_limits()))


def limits_text(limits: Limits) -> str:
    """The limits of one axis."""
    ends = (limits.lower, limits.upper, limits.velocity, limits.effort)
    lower, upper, velocity, effort = (f"{x:.4g}" if isfinite(x) else "-" for x in ends)
    return f"{lower} … {upper}, {velocity}, {effort}" if any(map(isfinite, ends)) else ""


def frames_table(model: Model) -> Table:
    rows = [(name, body, numbers(at.position)) for name, (body, at) in model.frames.items()]
    return part_table("\nframes", ("name", "on", "position / m"), rows)


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


def joint_axes(joint: Joint) -> str:
    """The direction of each axis, in the axes of the joint frame on the parent; none of a ball."""
    axes = (axis_direction(*screw) for screw in joint.screws())
    return "" if joint.kind in UNNAMED_AXES else "; ".join(numbers(axis, 4) for axis in axes)


def numbers(values: Any, digits: int = 6) -> str:
    return ", ".join(f"{value + 0.0:.{digits}g}" for value in values)
