"""The command line: demo, run, list, warm. Exit codes: 0 done, 1 a run that went wrong, 2 bad input (nothing written), 130 Ctrl-C."""

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hamiltree.errors import FileError, FitError, HamiltreeError, ModelError, OptionError, StepError

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
out = Console(highlight=False)
LARGE_ERROR = 1e-3  # of the balance, relative to the peak kinetic energy: worth a word


def version(wanted: bool) -> None:
    if wanted:
        from hamiltree.version import __version__

        print(f"hamiltree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version and leave.")] = False,
) -> None:
    """Simulate trees of rigid bodies so that the answer can be trusted."""


# ---- demo and run ---------------------------------------------------------------------------------------------------------
Integrator = Annotated[str | None, typer.Option("--integrator", "-i", help="The method; `hamiltree list` shows all. Default: gauss8.")]
Formulation = Annotated[str | None, typer.Option("--formulation", "-f", help="The equations of motion. Default: hamiltonian_tree.")]
Step = Annotated[float | None, typer.Option("--step", "-s", help="Length of a step in seconds. Default: 1e-3.")]
Until = Annotated[float | None, typer.Option("--until", "-u", help="End time in seconds. Default: 10.")]
SaveEvery = Annotated[int | None, typer.Option("--save-every", help="Record every so many steps. Default: about 2000 samples.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no plan.")]


@app.command()
def demo(quiet: Quiet = False) -> None:
    """Ten bodies on random hinges for 100 s: a table of what the run is worth, a picture, and the run itself, in a new folder."""
    from hamiltree.driver import simulate
    from hamiltree.model import library

    folder = new_folder("hamiltree-demo")
    try:
        run = simulate(library.chain(10), until=100.0, step=1e-3, save_every=5, output=folder / "run.nc", progress=not quiet)
    except BaseException:
        if not any(folder.iterdir()):
            folder.rmdir()
        raise
    draw(run, folder / "run.png")
    report(run, [folder / "run.nc", folder / "run.png"])
    leave(run)


@app.command()
def run(
    model: Annotated[Path, typer.Argument(help="A model file (.toml).")],
    until: Until = None,
    step: Step = None,
    integrator: Integrator = None,
    formulation: Formulation = None,
    save_every: SaveEvery = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The netCDF file to write. Default: the name of the model file, ending in .nc, in this folder."
        ),
    ] = None,
    picture: Annotated[Path | None, typer.Option("--picture", "-p", help="Also write a picture of the run (.png, .pdf, .svg).")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing output.")] = False,
    quiet: Quiet = False,
) -> None:
    """Run a model file and write its trajectory."""
    from hamiltree.driver import simulate
    from hamiltree.files import load
    from hamiltree.files.toml import located
    from hamiltree.trajectory import new_file

    target = output or Path(model.with_suffix(".nc").name)
    chosen = load(model)
    if picture is not None:
        check_picture(new_file(picture, force))
    check_apart({"the model": model, "--output": target, "--picture": picture})
    try:
        trajectory = simulate(chosen, until, step, formulation, integrator, save_every, progress=not quiet, output=target, force=force)
    except (FitError, ModelError) as error:
        raise type(error)(located(error, model)) from None
    written = [target]
    if picture is not None:
        draw(trajectory, picture)
        written.append(picture)
    report(trajectory, written)
    leave(trajectory)


def draw(run: Any, path: Path) -> None:
    """The picture of a run into a file, without a window."""
    import matplotlib

    matplotlib.use("Agg")
    run.plot.summary().savefig(path, dpi=120)


def check_picture(path: Path) -> None:
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise OptionError(f"{path}: a picture ends in .png, .pdf or .svg")


def check_apart(files: dict[str, Path | None]) -> None:
    """Refuse to write over the model, or two things into one file."""
    seen: dict[Path, str] = {}
    for what, path in files.items():
        if path is not None and seen.setdefault(path.resolve(), what) != what:
            raise OptionError(f"{what} {path} is also {seen[path.resolve()]}; choose another name")


def new_folder(name: str) -> Path:
    """name-001, name-002, …: the first that does not exist yet."""
    for number in range(1, 10_000):
        folder = Path(f"{name}-{number:03d}")
        try:
            folder.mkdir()
            return folder
        except FileExistsError:
            continue
        except OSError as error:
            raise FileError(f"{folder} cannot be made: {error.strerror}; change to a folder that can be written") from None
    raise OptionError(f"ten thousand folders {name}-… exist here; remove some")


def report(run: Any, written: list[Path]) -> None:
    """What the run was worth, as a table."""
    about, numbers = run.provenance, run.statistics
    bodies = run.dataset.sizes["body"]
    cost = 1e9 * numbers["seconds"] / max(1, numbers["evaluations"]) / bodies
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    rows = [
        ("bodies", f"{bodies}", about["formulation"]),
        (
            "simulated",
            f"{float(run.t[-1]):g} s",
            f"{numbers['steps']} step{'s' * (numbers['steps'] > 1)} of {min(about['step'], about['until']):g} s, {about['integrator']}",
        ),
        *energy_rows(run),
        (
            "evaluations",
            f"{numbers['evaluations']}",
            f"{numbers['calls_per_step']:.2f} calls a step, {numbers['evaluations'] // max(1, numbers['calls'])} evaluated in each",
        ),
        ("time", f"{numbers['seconds']:.2f} s", "in the compiled loop"),
        ("cost", f"{cost:.1f} ns", "per body and evaluation"),
    ]
    for row in rows:
        table.add_row(*row)
    out.print(table)
    if run.energy_error > LARGE_ERROR:
        out.print("The energy error is large: take a shorter step, or gauss8.")
    if about["status"] != "complete":
        out.print(f"status: {about['status']}")
    for path in written:
        print(f"wrote {path}")


def energy_rows(run: Any) -> list[tuple[str, str, str]]:
    """What H should have changed by, if anything does work on it, and how far it is from that."""
    error = ("energy error", f"{run.energy_error:.1e}", "largest |H − H₀| of the samples over the peak kinetic energy")
    if not run.work.values.any():
        return [error]
    work = ("work", f"{float(run.work[-1]):+.4g} J", "of dampers and loads, from start to end")
    return [work, (*error[:2], "largest |H − H₀ − work| of the samples over the peak kinetic energy")]


def leave(run: Any) -> None:
    if run.status.startswith("interrupted"):
        raise typer.Exit(130)


# ---- list and warm --------------------------------------------------------------------------------------------------------
@app.command("list")
def show(what: Annotated[str, typer.Argument(help="joints, forces, formulations, integrators, models, or all.")] = "all") -> None:
    """What there is, and which formulations and integrators fit together."""
    from hamiltree.catalogue import find

    tables = {
        "joints": joints_table,
        "forces": forces_table,
        "models": models_table,
        "formulations": formulations_table,
        "integrators": integrators_table,
    }
    chosen = tables if what == "all" else {what: find(tables, what, "list")}
    for make in chosen.values():
        out.print(make())


def plain_table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, header_style="dim")
    return table


def first_line(thing: Any) -> str:
    return (thing.__doc__ or "").strip().split("\n")[0]


def joints_table() -> Table:
    from hamiltree.model import JOINTS

    table = plain_table("joints", "kind", "coordinates", "what it is")
    for kind, joint in JOINTS.items():
        table.add_row(kind, str(joint.coordinates), first_line(joint))
    return table


def forces_table() -> Table:
    from hamiltree.model import FORCES

    table = plain_table("\nforces (and gravity, of the model)", "kind", "what it is")
    for kind, force in FORCES.items():
        table.add_row(kind, first_line(force))
    return table


def models_table() -> Table:
    from hamiltree.model.library import LIBRARY

    table = plain_table("\nmodels: hamiltree.library", "name", "what it is")
    for name, model in LIBRARY.items():
        table.add_row(name, first_line(model))
    return table


def formulations_table() -> Table:
    from hamiltree.formulations import FORMULATIONS

    table = plain_table("\nformulations", "name", "what it is", "from")
    for name, formulation in FORMULATIONS.items():
        table.add_row(name, formulation.summary, formulation.reference)
    return table


def integrators_table() -> Table:
    from hamiltree.driver import fits
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.integrators import INTEGRATORS

    table = plain_table("\nintegrators", "name", "order", "traits", "fits", "reference")
    for name, integrator in INTEGRATORS.items():
        fitting = [f.name for f in FORMULATIONS.values() if fits(f, integrator)]
        table.add_row(name, str(integrator.order), integrator.traits, ", ".join(fitting) or "none", integrator.reference)
    return table


@app.command()
def warm(clean: Annotated[bool, typer.Option("--clean", help="First remove what other versions have compiled.")] = False) -> None:
    """Compile the catalogue once, so that every later run starts at once."""
    from hamiltree.cache import CACHE, remove_other_caches
    from hamiltree.driver import fits, simulate
    from hamiltree.evaluation import evaluator
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.integrators import INTEGRATORS
    from hamiltree.model import library

    if clean:
        print(f"removed {remove_other_caches()} other caches")
    model, whole = library.pendulum(), time.perf_counter()
    for formulation in FORMULATIONS.values():
        began = time.perf_counter()
        bound = evaluator(model, formulation.name)
        bound([[0.0]], [[0.0]])
        print(f"{formulation.name:24} evaluation         {time.perf_counter() - began:6.1f} s")
        for integrator in INTEGRATORS.values():
            if fits(formulation, integrator):
                began = time.perf_counter()
                simulate(model, 0.01, 0.01, formulation.name, integrator.name, progress=False)
                print(f"{formulation.name:24} {integrator.name:18} {time.perf_counter() - began:6.1f} s")
    print(f"ready in {time.perf_counter() - whole:.1f} s; compiled code is in {CACHE}")


def main() -> None:
    """Run the command line; an error is one line, without a traceback."""
    try:
        app(prog_name="hamiltree")
    except StepError as error:
        fail(error, 1)
    except HamiltreeError as error:
        fail(error, 2)


def fail(error: HamiltreeError, code: int) -> None:
    print(f"hamiltree: error: {error}", file=sys.stderr)
    sys.exit(code)
