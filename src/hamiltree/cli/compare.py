"""`hamiltree compare`: a model under every formulation that fits, as a table or as JSON.

The exit code is 1 if they disagree.
"""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Quiet, Source, split_words, takes_reader_options
from hamiltree.cli.sources import load_source, located_errors
from hamiltree.errors import OptionError

STANDARD_OUTPUT = Path("-")
Until = Annotated[
    float | None,
    typer.Option(
        "--until", "-u", help="End time of the compared runs, s; 0: no runs. Default: by the model."
    ),
]
Step = Annotated[
    float | None,
    typer.Option(
        "--step",
        "-s",
        help="Step size of an integrator with fixed steps, s. Default: chosen from the speeds.",
    ),
]
Integrator = Annotated[
    str | None,
    typer.Option("--integrator", "-i", help="Integrator of the compared runs. Default: dop853."),
]
Formulations = Annotated[
    str,
    typer.Option(
        "--formulations",
        "-f",
        help="Compare only these, separated by commas. Default: all that fit.",
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        "--tolerance", help="Relative tolerance of all quantities at the start. Default: 1e-9."
    ),
]
TrajectoryTolerance = Annotated[
    float | None,
    typer.Option(
        "--trajectory-tolerance", help="Relative tolerance at the end of the runs. Default: 1e-7."
    ),
]
Json = Annotated[
    Path | None,
    typer.Option(
        "--json", help="Write all numbers to this file; - prints them instead of the table."
    ),
]


@takes_reader_options
def compare(
    model: Source,
    reading: dict[str, Any],
    until: Until = None,
    step: Step = None,
    integrator: Integrator = None,
    formulations: Formulations = "",
    tolerance: Tolerance = None,
    trajectory_tolerance: TrajectoryTolerance = None,
    json: Json = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Compare every formulation that fits a model: accelerations, energies, momenta, reactions
    and runs. The exit code is 1 if they disagree.
    """
    chosen, _ = load_source(model, reading)
    given = {
        "until": until,
        "step": step,
        "integrator": integrator,
        "formulations": split_words(formulations) or None,
        "tolerance": tolerance,
        "trajectory_tolerance": trajectory_tolerance,
    }
    options = {name: value for name, value in given.items() if value is not None}
    with located_errors(model):
        code = show_comparison(chosen, json, force, quiet, options)
    raise typer.Exit(code)


def show_comparison(
    model: Any, json: Path | None, force: bool, quiet: bool, options: dict[str, Any]
) -> int:
    """Compare, print the table (or JSON if that goes to standard output), and return the exit
    code.
    """
    from hamiltree.analysis.compare.comparison import compare as compare_formulations
    from hamiltree.model import Model
    from hamiltree.problems.ode import Ode
    from hamiltree.trajectory.netcdf import writable_path

    if not isinstance(model, Model):
        what = "an ode" if isinstance(model, Ode) else "an H(q, p)"
        raise OptionError(
            f"compare is for models; {model.name} is {what}, which has one formulation only"
        )
    target = None if json == STANDARD_OUTPUT else json
    if target is not None:
        writable_path(target, force)
    found = compare_formulations(model, progress=not quiet, **options)
    if json == STANDARD_OUTPUT:
        sys.stdout.write(found.to_json() + "\n")
    else:
        print(found)
    if target is not None:
        found.to_json(target, force)
        print(f"wrote {target}")
    return 0 if found.agree else 1
