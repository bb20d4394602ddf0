"""`hamiltree section`: the points where a motion crosses an expression, without writing the run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Quiet, Source, takes_reader_options
from hamiltree.cli.output import list_console, plain_table
from hamiltree.cli.run import Formulation, Integrator, Step, Until
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.cli.start_values import (
    Qdot,
    StartMomenta,
    StartPositions,
    StartVariables,
    parse_numbers,
    start_values,
)
from hamiltree.cli.statics import STANDARD_OUTPUT, Json, Picture, check_outputs, write_outputs
from hamiltree.errors import OptionError

SHOWN_POINTS, SHOWN_COLUMNS = 20, 6
UNSAVED = 10**9  # steps between samples: only the points are wanted
Expression = Annotated[
    str,
    typer.Argument(help="What crosses zero: names of coordinates, p_… and …_dot, as in 'hinge2'."),
]
Direction = Annotated[
    str, typer.Option("--direction", "-d", help="Which crossings: rising, falling or both.")
]
Where = Annotated[
    str, typer.Option("--where", "-w", help="A condition at the crossing, as in 'p_hinge2 > 0'.")
]
Point = Annotated[
    str | None,
    typer.Option("--point", help="A body or frame: the expression may then name x, y, z of it."),
]
At = Annotated[
    str, typer.Option("--at", help="The point of --point in its axes, m: 0.2,0,0.1 (its origin).")
]
Across = Annotated[str | None, typer.Option("--across", help="What the picture has across.")]
Up = Annotated[str | None, typer.Option("--up", help="What the picture has upward.")]


@takes_reader_options
def section(
    model: Source,
    expression: Expression,
    reading: dict[str, Any],
    direction: Direction = "both",
    where: Where = "",
    point: Point = None,
    at: At = "0,0,0",
    until: Until = None,
    step: Step = None,
    integrator: Integrator = None,
    formulation: Formulation = None,
    q: StartPositions = None,
    qdot: Qdot = None,
    p: StartMomenta = None,
    y: StartVariables = None,
    across: Across = None,
    up: Up = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Collect the points where a motion crosses an expression (a Poincaré section), also of a point
    of a body: table, JSON, a picture of two of their coordinates or momenta.
    """
    from hamiltree.run.simulate import simulate

    check_outputs(model, json, picture, force)
    problem, _ = load_source(model, reading)
    event = event_of(problem, expression, direction, where, point, at)
    with located_errors(model), plain_warnings():
        run = simulate(
            problem,
            until=until,
            step=step,
            integrator=integrator,
            formulation=formulation,
            sections=[event],
            save_every=UNSAVED,
            progress=not quiet,
            **start_values({"q": q, "qdot": qdot, "p": p, "y": y}),
        )
    data = points_of(run, event.name)
    if json != STANDARD_OUTPUT:
        print_points(data)
    write_outputs(data, lambda: run.plot.section(event.name, across, up), json, picture, force)


def event_of(
    problem: Any, expression: str, direction: str, where: str, point: str | None, at: str
) -> Any:
    """The Event of coordinates, or of a point of a body."""
    from hamiltree.problems.events import Event
    from hamiltree.problems.point_events import point_event

    if point is None:
        if at != "0,0,0":
            raise OptionError(f"--at {at} is a point of a body; name that with --point")
        return Event(expression, direction, where)
    place = parse_numbers("at", at, at)
    return point_event(problem, point, expression, place, direction, where)


def points_of(run: Any, name: str) -> dict[str, Any]:
    """Times and values of the points, by name."""
    points = run.sections[name]
    values: dict[str, list[float]] = {}
    names = iter(run.names.rows)
    for part in ("q", "p", "y"):
        for column in points[part].values.T if part in points else ():
            values[next(names)] = column.tolist()
    return {"section": name, "status": run.status, "t": points["t"].values.tolist(), **values}


def print_points(data: dict[str, Any]) -> None:
    """The first points, and how many there are."""
    names = [name for name in data if name not in ("section", "status")]
    shown = names[: SHOWN_COLUMNS + 1]
    count = len(data["t"])
    table = plain_table(f"section {data['section']}: {count} points", *shown)
    for k in range(min(count, SHOWN_POINTS)):
        table.add_row(*(f"{data[name][k]:.8g}" for name in shown))
    if count:
        list_console().print(table, markup=False)
    else:
        print(f"section {data['section']}: 0 points: the motion does not cross it")
    if count > SHOWN_POINTS or len(names) > len(shown):
        print(f"… {count} points of {len(names) - 1} numbers; all with --json")
    if data["status"] != "complete":
        print(f"the run is not complete: {data['status']}")
