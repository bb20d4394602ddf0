"""`hamiltree convergence`: errors and orders of methods on one problem."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Source, split_words, takes_reader_options
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.cli.statics import STANDARD_OUTPUT, Json, Picture, check_outputs, write_outputs
from hamiltree.errors import OptionError

Integrators = Annotated[
    str, typer.Option("--integrators", "-i", help="Methods, separated by commas: rk4,gauss4.")
]
Steps = Annotated[
    str, typer.Option("--steps", "-s", help="Steps, separated by commas; each divides --until.")
]
Until = Annotated[float, typer.Option("--until", "-u", help="End time of all runs.")]
Formulation = Annotated[
    str | None, typer.Option("--formulation", "-f", help="Equations of motion of a model.")
]


@takes_reader_options
def convergence(
    model: Source,
    reading: dict[str, Any],
    integrators: Integrators,
    steps: Steps = "0.04,0.02,0.01,0.005",
    until: Until = 1.0,
    formulation: Formulation = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Run a problem by several methods with several steps: errors, orders, work; the picture is the
    work–precision diagram.
    """
    from hamiltree.analysis.convergence import convergence as study_methods

    check_outputs(model, json, picture, force)
    chosen, _ = load_source(model, reading)
    options = {} if formulation is None else {"formulation": formulation}
    with located_errors(model), plain_warnings():
        found = study_methods(
            chosen, split_words(integrators), parse_steps(steps), until, **options
        )
    if json != STANDARD_OUTPUT:
        print(found)
    write_outputs(found.to_dict(), found.plot.work, json, picture, force)


def parse_steps(text: str) -> list[float]:
    try:
        return [float(word) for word in split_words(text)]
    except ValueError:
        raise OptionError(f"--steps {text}: give numbers, e.g. 0.02,0.01,0.005") from None
