"""`hamiltree convergence`: errors and orders of methods on one problem."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Source, split_words, takes_reader_options
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.cli.start_values import (
    Qdot,
    StartMomenta,
    StartPositions,
    StartVariables,
    start_values,
)
from hamiltree.cli.statics import STANDARD_OUTPUT, Json, Picture, check_outputs, write_outputs
from hamiltree.errors import OptionError

Integrators = Annotated[
    str, typer.Option("--integrators", "-i", help="Methods, separated by commas: rk4,gauss4.")
]
Steps = Annotated[
    str | None,
    typer.Option(
        "--steps",
        "-s",
        help="Steps, separated by commas; each divides --until (1/25 to 1/200 of it).",
    ),
]
Until = Annotated[
    float | None,
    typer.Option("--until", "-u", help="End time of all runs (that of the model, else 1)."),
]
Formulation = Annotated[
    str | None, typer.Option("--formulation", "-f", help="Equations of motion of a model.")
]
COUNTS = (25, 50, 100, 200)  # of steps, unless they are given


@takes_reader_options
def convergence(
    model: Source,
    reading: dict[str, Any],
    integrators: Integrators,
    steps: Steps = None,
    until: Until = None,
    formulation: Formulation = None,
    q: StartPositions = None,
    qdot: Qdot = None,
    p: StartMomenta = None,
    y: StartVariables = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Run a problem by several methods with several steps: errors, orders, work; the picture is the
    work–precision diagram.
    """
    from hamiltree.analysis.convergence import convergence as study_methods
    from hamiltree.analysis.convergence import default_end

    check_outputs(model, json, picture, force)
    chosen, _ = load_source(model, reading)
    options = start_values({"q": q, "qdot": qdot, "p": p, "y": y})
    if formulation is not None:
        options["formulation"] = formulation
    with located_errors(model), plain_warnings():
        end = default_end(chosen) if until is None else until
        sizes = [end / count for count in COUNTS] if steps is None else parse_steps(steps)
        found = study_methods(chosen, split_words(integrators), sizes, end, **options)
    if json != STANDARD_OUTPUT:
        print(found)
    write_outputs(found.to_dict(), found.plot.work, json, picture, force)


def parse_steps(text: str) -> list[float]:
    try:
        return [float(word) for word in split_words(text)]
    except ValueError:
        raise OptionError(f"--steps {text}: give numbers, e.g. 0.02,0.01,0.005") from None
