"""The commands: demo, run, study, view, plot, info, compare, dynamics, equilibrium, modes,
linearise, convergence, section, convert, list, warm, gallery, verify.

What a command needs is imported when it runs, so that --help is fast.
"""

from typing import Annotated

import typer

from hamiltree.cli.compare import compare
from hamiltree.cli.convergence import convergence
from hamiltree.cli.convert import convert
from hamiltree.cli.dynamics import dynamics
from hamiltree.cli.gallery import gallery
from hamiltree.cli.info import info
from hamiltree.cli.listing import show
from hamiltree.cli.plot import plot
from hamiltree.cli.run import demo, run
from hamiltree.cli.section import section
from hamiltree.cli.statics import equilibrium, linearise, modes
from hamiltree.cli.study import study
from hamiltree.cli.verify import verify
from hamiltree.cli.view import view
from hamiltree.cli.warm import warm

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    if wanted:
        from hamiltree.version import __version__

        print(f"hamiltree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Simulate rigid bodies and mechanisms so that the answer can be trusted."""


for command in (
    *(demo, run, study, view, plot, info, compare, dynamics),
    *(equilibrium, modes, linearise, convergence, section, convert),
):
    app.command()(command)
app.command("list")(show)
app.command()(warm)
app.command()(gallery)
app.command()(verify)
