"""`hamiltree equilibrium MODEL --along NAME=FROM:TO` and `--spin NAME=SPEED`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from hamiltree.cli.output import plain_table
from hamiltree.cli.start_values import parse_start
from hamiltree.errors import OptionError

MAX_ROWS = 24  # of the table of a branch: the others are in the JSON
Answer = tuple[Any, list[Any], Callable[[], Any]]  # numbers, tables, picture
Along = Annotated[
    str | None,
    typer.Option(
        "--along",
        metavar="NAME=FROM:TO",
        help="Follow the equilibrium while a number of the model goes from one value to another: "
        "gravity.x, forces.load.force.z, forces.1.stiffness, constraints.motor.position.",
    ),
]
Switch = Annotated[
    bool,
    typer.Option("--switch", help="Also follow the branches that leave at bifurcations."),
]
Spin = Annotated[
    list[str] | None,
    typer.Option(
        "--spin",
        metavar="NAME=SPEED",
        help="A steady motion in which this joint turns: NAME=5 (rad/s), of a ball or free joint "
        "NAME=0,0,5; may be repeated.",
    ),
]


def check_branch_options(along: str | None, switch: bool, spin: list[str] | None) -> None:
    """Refuse what contradicts itself."""
    if along is not None and spin:
        raise OptionError("--along and --spin contradict each other; leave one out")
    if switch and along is None:
        raise OptionError("--switch follows other branches of --along; give that too")


def read_along(text: str) -> tuple[str, tuple[float, float]]:
    """NAME=FROM:TO"""
    name, _, values = text.partition("=")
    first, _, last = values.partition(":")
    try:
        return name.strip(), (float(first), float(last))
    except ValueError:
        raise OptionError(
            f"--along {text}: give a name and two numbers, e.g. --along gravity.x=0:10"
        ) from None


def read_spin(texts: list[str]) -> dict[str, Any]:
    found = parse_start("spin", texts)
    if not isinstance(found, dict):
        raise OptionError(f"--spin {' '.join(texts)}: give NAME=SPEED, e.g. --spin hinge=5")
    return found


def follow_branch(chosen: Any, along: str, start: Any, takes_any: bool, switch: bool) -> Answer:
    """The branch, with those that leave at its bifurcations if they are asked for."""
    from hamiltree.analysis.linear.continuation import continuation

    name, ends = read_along(along)
    kind = "any" if takes_any else "stable"
    branch = continuation(chosen, name, ends, start, kind=kind)
    others = []
    if switch:
        places = range(len(branch.bifurcations))
        others = [branch.switch(k, side) for k in places for side in (1, -1)]
    data = branch.to_dict() | {"branches": [other.to_dict() for other in others]}
    tables = [table_of_branch(branch), *(table_of_branch(other) for other in others)]
    return data, tables, lambda: branch.plot.diagram(others=others)


def table_of_branch(branch: Any) -> Any:
    """Some points of a branch, and all of its special ones, in their order."""
    name = branch.find_coordinate()
    table = plain_table(branch.title, branch.name, name, "energy / J", "unstable", "")
    count = len(branch)
    every = -(-count // MAX_ROWS)
    q = branch.q.sel(coordinate=name).values
    for k in range(count):
        if k % every == 0 or k == count - 1:
            numbers = branch.parameter.values[k], q[k], branch.energy.values[k]
            table.add_row(*(f"{x:.10g}" for x in numbers), str(branch.unstable.values[k]), "")
        for found in (x for x in branch.special if x.after == k):
            numbers = found.parameter, float(found.q.sel(coordinate=name)), found.energy
            table.add_row(*(f"{x:.10g}" for x in numbers), "", found.kind)
    return table


def show_steady(steady: Any) -> Answer:
    """A steady motion: coordinates and speeds."""
    kind = "stable" if steady.is_stable else f"unstable without spin ({steady.unstable})"
    title = f"{steady.model.name}: a steady motion, {kind}, H = {steady.energy:.10g} J"
    table = plain_table(title, "coordinate or speed", "value")
    numbers = steady.to_dict()
    for name, value in numbers["q"].items():
        table.add_row(name, f"{value:.12g}")
    for name, value in numbers["qdot"].items():
        table.add_row(f"{name} (speed)", f"{value:.12g}")
    for name, value in numbers["efforts"].items():
        table.add_row(f"{name} (effort of its drive)", f"{value:.12g}")
    return numbers, [table], lambda: steady.model.plot.tree()
