"""The command line: demo, run, info, compare, convert, gallery, list, warm.

Exit codes: 0 done, 1 a run went wrong or formulations disagree, 2 bad input (nothing written), 130
Ctrl-C.
"""

import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from hamiltree.cli import tables
from hamiltree.cli.compare import show_comparison
from hamiltree.cli.tables import plain_table
from hamiltree.errors import (
    FileError,
    FitError,
    HamiltreeError,
    ModelError,
    OptionError,
    StepError,
    suggest,
)

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
out = Console(highlight=False, width=None if sys.stdout.isatty() else 200)  # a file has room
LARGE_ERROR = 1e-3  # of the balance, relative to the peak kinetic energy: worth a word


def version(wanted: bool) -> None:
    if wanted:
        from hamiltree.version import __version__

        print(f"hamiltree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _: Annotated[
        bool,
        typer.Option(
            "--version", callback=version, is_eager=True, help="Print the version and leave."
        ),
    ] = False,
) -> None:
    """Simulate rigid bodies and mechanisms so that the answer can be trusted."""


# ---- demo and run --------------------------------------------------------------------------------
Integrator = Annotated[
    str | None,
    typer.Option(
        "--integrator",
        "-i",
        help="The method; `hamiltree list` shows all. Default: gauss8; with loops spark6.",
    ),
]
Formulation = Annotated[
    str | None,
    typer.Option(
        "--formulation",
        "-f",
        help="The equations of a model. Default: hamiltonian_tree; with loops hamiltonian_loops.",
    ),
]
Step = Annotated[
    float | None,
    typer.Option("--step", "-s", help="Length of a step (of a model in seconds). Default: 1e-3."),
]
Until = Annotated[
    float | None,
    typer.Option("--until", "-u", help="End time (of a model in seconds). Default: 10."),
]
SaveEvery = Annotated[
    int | None,
    typer.Option("--save-every", help="Record every so many steps. Default: about 2000 samples."),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no plan.")]
FloatingBase = Annotated[
    bool, typer.Option("--floating-base", help="Of a URDF file: the root link moves freely.")
]
Source = Annotated[
    Path,
    typer.Argument(
        help="A model file (.toml, .urdf, .xml), the file of a Hamiltonian (.toml), "
        "or a library model by name."
    ),
]
Drop = Annotated[
    str,
    typer.Option("--drop", help="Of an MJCF file: leave this out, e.g. contact,limits, or all."),
]
MergeFixed = Annotated[
    bool,
    typer.Option("--merge-fixed", help="Of a URDF file: links on fixed joints become one body."),
]
IgnoreMimic = Annotated[
    bool, typer.Option("--ignore-mimic", help="Of a URDF file: mimic joints move on their own.")
]
RepairInertia = Annotated[
    bool,
    typer.Option(
        "--repair-inertia", help="Of a URDF file: replace an inertia that no body can have."
    ),
]


@app.command()
def demo(quiet: Quiet = False) -> None:
    """Ten bodies on random hinges for 100 s: a table of what the run is worth, a picture, and the
    run itself, in a new folder.
    """
    from hamiltree.model import library
    from hamiltree.run.simulate import simulate

    folder = new_folder("hamiltree-demo")
    try:
        run = simulate(
            library.chain(10),
            until=100.0,
            step=1e-3,
            save_every=5,
            output=folder / "run.nc",
            progress=not quiet,
        )
    except BaseException:
        if not any(folder.iterdir()):
            folder.rmdir()
        raise
    draw(run, folder / "run.png")
    report(run, [folder / "run.nc", folder / "run.png"])
    exit_if_interrupted(run)


@app.command()
def run(
    model: Source,
    until: Until = None,
    step: Step = None,
    integrator: Integrator = None,
    formulation: Formulation = None,
    save_every: SaveEvery = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help=(
                "The netCDF file to write. Default: the name of the model file, ending in .nc, in "
                "this folder."
            ),
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option("--picture", "-p", help="Also write a picture of the run (.png, .pdf, .svg)."),
    ] = None,
    section: Annotated[
        list[str] | None,
        typer.Option("--section", help="Collect where this expression crosses zero; repeatable."),
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", "-O", help="An option, e.g. rtol=1e-10 or projection=false; repeatable."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing output.")] = False,
    floating_base: FloatingBase = False,
    merge_fixed: MergeFixed = False,
    ignore_mimic: IgnoreMimic = False,
    repair_inertia: RepairInertia = False,
    drop: Drop = "",
    assemble: Annotated[
        bool,
        typer.Option(
            "--assemble", help="Move the start to where loops close and no joint comes apart."
        ),
    ] = False,
    hold: Annotated[
        list[str] | None,
        typer.Option("--hold", help="Assemble, but leave this joint where it is; repeatable."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run the file of a model or of a Hamiltonian, or a model of the library, and write its
    trajectory.
    """
    from hamiltree.run.simulate import simulate
    from hamiltree.trajectory.netcdf import writable_path

    target = output or Path(model.with_suffix(".nc").name)
    wishes = reader_options(
        floating_base, merge_fixed, ignore_mimic, repair_inertia, split_words(drop)
    )
    chosen, sections = problem_of(model, wishes)
    options = dict(map(option_from, option or ()))
    if picture is not None:
        check_picture(writable_path(picture, force))
    check_distinct_files({"the model": model, "--output": target, "--picture": picture})
    with located_errors(model):
        trajectory = simulate(
            chosen,
            until,
            step,
            formulation,
            integrator,
            save_every,
            assemble=list(hold) if hold else assemble,
            sections=[*sections, *(section or ())],
            progress=not quiet,
            output=target,
            force=force,
            **options,
        )
    written = [target]
    if picture is not None:
        draw(trajectory, picture)
        written.append(picture)
    report(trajectory, written)
    exit_if_interrupted(trajectory)


@app.command()
def info(
    model: Source,
    floating_base: FloatingBase = False,
    merge_fixed: MergeFixed = False,
    ignore_mimic: IgnoreMimic = False,
    repair_inertia: RepairInertia = False,
    drop: Drop = "",
) -> None:
    """What a model is made of: its parts, degrees of freedom, loops with the joints that close
    them, redundant rows, openings.
    """
    from hamiltree.assembly.report import mechanism
    from hamiltree.model import Model

    chosen, _ = problem_of(
        model,
        reader_options(floating_base, merge_fixed, ignore_mimic, repair_inertia, split_words(drop)),
    )
    if not isinstance(chosen, Model):
        raise OptionError(f"{model} is a Hamiltonian, not a model: H = {chosen.formula}")
    with located_errors(model):
        found = mechanism(chosen)
    for table in tables.info_tables(chosen):
        out.print(table)
    print(f"\n{found}")


@app.command()
def compare(
    model: Source,
    until: Annotated[
        float | None,
        typer.Option(
            "--until", "-u", help="End of the compared runs, s; 0 for none. Default: at most 1."
        ),
    ] = None,
    step: Annotated[
        float | None,
        typer.Option(
            "--step",
            "-s",
            help="Of integrators that do not choose their steps, s. Default: by the speeds.",
        ),
    ] = None,
    integrator: Annotated[
        str | None, typer.Option("--integrator", "-i", help="Of the runs. Default: dop853.")
    ] = None,
    formulations: Annotated[
        str,
        typer.Option(
            "--formulations", "-f", help="Only these, with commas. Default: all that fit."
        ),
    ] = "",
    tolerance: Annotated[
        float | None,
        typer.Option("--tolerance", help="Of everything at the start, relative. Default: 1e-9."),
    ] = None,
    trajectory_tolerance: Annotated[
        float | None,
        typer.Option(
            "--trajectory-tolerance", help="Of the ends of runs, relative. Default: 1e-7."
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            "--json", help="Write all numbers to this file; - prints them instead of the table."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing output.")] = False,
    floating_base: FloatingBase = False,
    merge_fixed: MergeFixed = False,
    ignore_mimic: IgnoreMimic = False,
    repair_inertia: RepairInertia = False,
    drop: Drop = "",
    quiet: Quiet = False,
) -> None:
    """One model by every formulation that fits: accelerations, energies, momenta, reactions and
    runs side by side; 1 if they disagree.
    """
    chosen, _ = problem_of(
        model,
        reader_options(floating_base, merge_fixed, ignore_mimic, repair_inertia, split_words(drop)),
    )
    wishes = {
        "until": until,
        "step": step,
        "integrator": integrator,
        "tolerance": tolerance,
        "trajectory_tolerance": trajectory_tolerance,
    }
    with located_errors(model):
        code = show_comparison(
            chosen, json, force, quiet, formulations=split_words(formulations) or None, **wishes
        )
    raise typer.Exit(code)


def problem_of(model: Path, wishes: dict[str, Any]) -> tuple[Any, list[Any]]:
    """What a file describes with its sections, or the library's model of this name where there is
    no such file.
    """
    from hamiltree.model.library import LIBRARY
    from hamiltree.run.problem_files import load_problem

    if model.suffix or model.exists() or len(model.parts) > 1:
        with plain_warnings():
            return load_problem(model, **wishes)
    if model.name not in LIBRARY:
        raise FileError(
            f"{model}: no such file, and the library has no model of this name; "
            f"{suggest(model.name, LIBRARY)}"
        )
    if wishes:
        raise OptionError(f"{model} is a model of the library; {', '.join(wishes)} is for files")
    return library_model(model.name), []


def library_model(name: str) -> Any:
    """With its defaults; one that must be told how large it is has none."""
    import inspect

    from hamiltree.model.library import LIBRARY, build

    lacking = [
        p.name for p in inspect.signature(LIBRARY[name]).parameters.values() if p.default is p.empty
    ]
    if lacking:
        raise OptionError(
            f"the library's {name} needs {', '.join(lacking)}; make it in Python: "
            f"hamiltree.library.{name}(10)"
        )
    return build(name)


@contextmanager
def located_errors(model: Path) -> Iterator[None]:
    """An error about a part of a file's model says in which line it stands."""
    from hamiltree.files import located

    try:
        yield
    except (FitError, ModelError) as error:
        if not model.suffix:
            raise
        raise type(error)(located(error, model)) from None


def reader_options(
    floating_base: bool,
    merge_fixed: bool,
    ignore_mimic: bool,
    repair_inertia: bool,
    drop: list[str],
) -> dict[str, Any]:
    """What was asked for, as a reader calls it; only what was asked for, because no format knows
    all of it.
    """
    wishes = {"floating_base": floating_base, "merge_fixed": merge_fixed, "drop": drop}
    wishes |= {"mimic": ignore_mimic and "ignore", "inertia": repair_inertia and "repair"}
    return {name: wish for name, wish in wishes.items() if wish}


def split_words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings of a reader as lines for a person."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    for warning in caught:
        print(f"hamiltree: warning: {warning.message}", file=sys.stderr)


# What simulate takes beside the options of a method; the shell has its own ways to say it.
RESERVED = (
    "problem",
    "until",
    "step",
    "formulation",
    "integrator",
    "save_every",
    "q",
    "qdot",
    "p",
    "sections",
    "events",
)
RESERVED += ("progress", "output", "force", "assemble")


def option_from(text: str) -> tuple[str, Any]:
    """name=value: a number, true or false, several numbers with commas, or a text."""
    name, equals, value = text.partition("=")
    if not (name.strip().isidentifier() and equals and value.strip()):
        raise OptionError(f"--option {text!r}; write name=value, e.g. rtol=1e-10")
    if name.strip() in RESERVED:
        raise OptionError(
            f"--option {text!r}: {name.strip()} is no option of a method; see hamiltree run --help"
        )
    word = value.strip()
    if word.lower() in ("true", "false"):
        return name.strip(), word.lower() == "true"
    try:
        numbers = [float(part) for part in word.split(",")]
    except ValueError:
        return name.strip(), word
    return name.strip(), numbers[0] if len(numbers) == 1 else numbers


@app.command()
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A model file (.toml, .urdf, .xml, .mjcf).")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The model file to write (.toml, .urdf).")
    ],
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing output.")] = False,
    floating_base: FloatingBase = False,
    merge_fixed: MergeFixed = False,
    ignore_mimic: IgnoreMimic = False,
    repair_inertia: RepairInertia = False,
    drop: Annotated[
        str,
        typer.Option(
            "--drop",
            help=(
                "Leave out what OUT cannot hold: forces, couplings, start, armature, particles, "
                "all; of MJCF see run."
            ),
        ),
    ] = "",
) -> None:
    """Write a model in another format, by the endings of the files; what is left out is listed."""
    from hamiltree.files import format_of, load, save
    from hamiltree.files.urdf_writer import DROPPABLE

    check_distinct_files({"IN": source, "OUT": target})
    for_reader, for_writer = [], split_words(drop)
    if format_of(source) == "mjcf":  # "all" is meant for both
        for_reader = [word for word in for_writer if word not in DROPPABLE]
        for_writer = [
            word
            for word in for_writer
            if word in DROPPABLE or (word == "all" and target.suffix.lower() == ".urdf")
        ]
    with plain_warnings():
        model = load(
            source,
            **reader_options(floating_base, merge_fixed, ignore_mimic, repair_inertia, for_reader),
        )
    if for_reader:
        from hamiltree.files.mjcf import features_of

        for feature, what in features_of(source).items():
            print(f"left out: {feature}: {what}")
    for line in save(model, target, force, **({"drop": for_writer} if for_writer else {})):
        print(f"left out: {line}")
    print(f"wrote {target}")


def draw(run: Any, path: Path) -> None:
    """The picture of a run into a file, without a window."""
    import matplotlib

    matplotlib.use("Agg")
    run.plot.summary().savefig(path, dpi=120)


def check_picture(path: Path) -> None:
    if path.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise OptionError(f"{path}: a picture ends in .png, .pdf or .svg")


def check_distinct_files(files: dict[str, Path | None]) -> None:
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
            raise FileError(
                f"{folder} cannot be made: {error.strerror}; change to a folder that can be written"
            ) from None
    raise OptionError(f"ten thousand folders {name}-… exist here; remove some")


def report(run: Any, written: list[Path]) -> None:
    """What the run was worth, as a table."""
    about, numbers = run.provenance, run.statistics
    is_model = "body" in run.dataset.sizes
    size, unit = (
        (run.dataset.sizes["body"], " s") if is_model else (run.dataset.sizes["coordinate"], "")
    )
    cost = 1e9 * numbers["seconds"] / max(1, numbers["evaluations"]) / (size if is_model else 1)
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    table.add_column(style="dim")
    steps = f"{numbers['steps']} step{'s' * (numbers['steps'] > 1)}"
    length = (
        ""
        if "refused" in numbers or "step_density" in numbers
        else f" of {min(about['step'], about['until']):g}{unit}"
    )
    rows = [
        ("bodies" if is_model else "coordinates", f"{size}", about["formulation"]),
        ("simulated", f"{float(run.t[-1]):g}{unit}", f"{steps}{length}, {about['integrator']}"),
        *energy_rows(run),
        *quaternion_rows(run),
        *tables.loop_rows(run),
        *invariant_rows(run),
        *section_rows(run),
        (
            "evaluations",
            f"{numbers['evaluations']}",
            f"{numbers['calls_per_step']:.2f} calls a step, "
            f"{numbers['evaluations'] // max(1, numbers['calls'])} evaluated in each",
        ),
        *integrator_rows(numbers),
        ("time", f"{numbers['seconds']:.2f} s", "in the compiled loop"),
        ("cost", f"{cost:.1f} ns", "per body and evaluation" if is_model else "per evaluation"),
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


def quaternion_rows(run: Any) -> list[tuple[str, str, str]]:
    if not run.quaternion_rows:
        return []
    return [
        (
            "quaternion error",
            f"{run.quaternion_error:.1e}",
            "largest | ‖q‖² − 1 |; quaternions are never renormalised",
        )
    ]


def energy_rows(run: Any) -> list[tuple[str, str, str]]:
    """What H should have changed by, if anything does work on it, and how far it is from that."""
    error = (
        "energy error",
        f"{run.energy_error:.1e}",
        "largest |H − H₀| of the samples over the peak kinetic energy",
    )
    if "energy" in run.dataset:
        worst = float(abs(run.energy_balance).max())
        error = (
            *error[:2],
            f"largest |H − H₀| of the samples over the largest |p·∂H/∂p|/2; itself {worst:.1e}, H₀ "
            f"= {float(run.energy[0]):g}",
        )
    if not run.work.values.any():
        return [error]
    doers = "dampers, loads and drives" if "opening" in run.dataset else "dampers and loads"
    what = "integral of ∂H/∂t" if "energy" in run.dataset else f"of {doers}, from start to end"
    work = ("work", f"{float(run.work[-1]):+.4g}{'' if 'energy' in run.dataset else ' J'}", what)
    return [work, (*error[:2], error[2].replace("|H − H₀|", "|H − H₀ − work|"))]


def invariant_rows(run: Any) -> list[tuple[str, str, str]]:
    if "invariants" not in run.dataset:
        return []
    return [
        (name, f"{worst:.1e}", "largest change of this invariant")
        for name, worst in run.invariant_errors.items()
    ]


def section_rows(run: Any) -> list[tuple[str, str, str]]:
    return [
        (f"section {name}", f"{points.sizes['point']}", "points")
        for name, points in run.sections.items()
    ]


def integrator_rows(numbers: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What a method has to say of itself."""
    rows = []
    if "refused" in numbers:
        rows.append(("refused", f"{numbers['refused']}", "steps whose error was too large"))
    if "copy_gap" in numbers:
        rows.append(("gap", f"{numbers['copy_gap']:.1e}", "largest difference of the two copies"))
    return rows


def exit_if_interrupted(run: Any) -> None:
    if run.status.startswith("interrupted"):
        raise typer.Exit(130)


# ---- list and warm -------------------------------------------------------------------------------
@app.command("list")
def show(
    what: Annotated[
        str,
        typer.Argument(
            help="joints, couplings, constraints, forces, models, formulations, integrators, "
            "or all."
        ),
    ] = "all",
    measured: Annotated[
        bool,
        typer.Option(
            "--measured", help="Of integrators: what each claims, measured (some ten seconds)."
        ),
    ] = False,
) -> None:
    """What there is, and which formulations and integrators fit together."""
    from hamiltree.catalogue import find

    if measured and what != "integrators":
        raise OptionError("--measured is of integrators: hamiltree list integrators --measured")
    known = {
        "joints": tables.joints_table,
        "couplings": tables.couplings_table,
        "constraints": tables.constraints_table,
        "forces": tables.forces_table,
        "models": tables.models_table,
        "formulations": tables.formulations_table,
        "integrators": verification_table if measured else tables.integrators_table,
    }
    chosen = known if what == "all" else {what: find(known, what, "list")}
    for make in chosen.values():
        out.print(make())


def verification_table() -> Table:
    """Every integrator measured while a bar shows which; docs/integrators.md explains the
    columns.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hamiltree.analysis.table import COLUMNS, MARK, cells
    from hamiltree.analysis.verification import measure_all
    from hamiltree.integrators import INTEGRATORS

    print(
        "measuring every integrator; what this machine has not yet compiled is compiled first "
        "(minutes, once)",
        file=sys.stderr,
    )
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=len(INTEGRATORS))
        found = measure_all(
            on_progress=lambda done, name: bar.update(task, completed=done, description=name)
        )
    table = plain_table(f"integrators, measured ({MARK}: not as claimed)", *COLUMNS)
    for one in found:
        table.add_row(*cells(one), style="red" if one.disagreements else None)
    return table


WARM_UP_HAMILTONIANS = {
    "phase_space": "p**2/2 - cos(q)*(1 - p/6)",
    "separable_phase_space": "p**2/2 - cos(q)",
}


@app.command()
def warm(
    formulation: Annotated[
        str | None, typer.Argument(help="Only for this formulation. Default: all.")
    ] = None,
    clean: Annotated[
        bool, typer.Option("--clean", help="First remove what other versions have compiled.")
    ] = False,
) -> None:
    """Compile the catalogue once, one integrator of each family, so that later runs start at once
    (some minutes).
    """
    from hamiltree.algorithms.evaluation import evaluator
    from hamiltree.compiled.cache import CACHE, remove_other_caches
    from hamiltree.formulations import FORMULATIONS, find_formulation
    from hamiltree.formulations.formulation import FORMULA
    from hamiltree.problems.hamiltonian import hamiltonian
    from hamiltree.run.choices import imposes_constraints
    from hamiltree.run.simulate import simulate

    if clean:
        print(f"removed {remove_other_caches()} other caches")
    whole = time.perf_counter()
    typed = {
        name: hamiltonian(text, q={"q": 1.0}, p={"p": 0.0})
        for name, text in WARM_UP_HAMILTONIANS.items()
    }
    for chosen in FORMULATIONS.values() if formulation is None else [find_formulation(formulation)]:
        began, problem = time.perf_counter(), typed.get(chosen.name) or smallest(chosen)
        if (
            chosen.has_coordinates and not imposes_constraints(chosen)
        ) or FORMULA in chosen.supports:
            evaluator(problem, chosen.name)([[0.0]], [[0.0]])
            print(f"{chosen.name:24} evaluation              {time.perf_counter() - began:6.1f} s")
        for integrator in one_of_each_family(chosen).values():
            began = time.perf_counter()
            simulate(problem, 0.001, 0.001, chosen.name, integrator.name, progress=False)
            print(f"{chosen.name:24} {integrator.name:23} {time.perf_counter() - began:6.1f} s")
    print(f"ready in {time.perf_counter() - whole:.1f} s; compiled code is in {CACHE}")


def smallest(formulation: Any) -> Any:
    """A small model that a formulation moves."""
    from hamiltree.formulations.formulation import JOINTS, ROWS
    from hamiltree.model import library

    if JOINTS not in formulation.supports:
        return library.free_body(inertia=(2.0, 2.5, 3.0))
    return library.four_bar() if ROWS in formulation.supports else library.pendulum()


def one_of_each_family(formulation: Any) -> dict[tuple, Any]:
    """Integrators that fit, the first of each family: such share their compiled loop, and ask for
    the same verbs.
    """
    from hamiltree.compiled.pointer import type_of
    from hamiltree.integrators import INTEGRATORS
    from hamiltree.run.choices import is_compatible

    found: dict[tuple, Any] = {}
    for integrator in INTEGRATORS.values():
        explicit = integrator.separable_variant
        taken = (
            explicit
            if explicit is not None and is_compatible(formulation, explicit)
            else integrator
        )
        if is_compatible(formulation, taken):
            found.setdefault(
                (type_of(taken.method), taken.advance, taken.needs, taken.width), integrator
            )
    return found


# ---- gallery -------------------------------------------------------------------------------------
@app.command()
def gallery(
    name: Annotated[
        str | None, typer.Argument(help="An experiment, or all; without it they are listed.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The folder to make. Default: hamiltree-gallery-001, -002, … in this folder.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Shorter runs: seconds instead of minutes.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Experiments of the literature, run again: numbers beside those of the source, and figures, in
    a new folder.
    """
    import matplotlib

    from hamiltree.gallery import EXPERIMENTS, find_experiment, perform

    if name is None:
        out.print(gallery_table())
        return
    chosen = list(EXPERIMENTS.values()) if name == "all" else [find_experiment(name)]
    matplotlib.use("Agg")
    folder = new_folder("hamiltree-gallery") if output is None else make_folder(output)
    try:
        for experiment in chosen:
            rows, written = perform(experiment, folder, quick, progress=not quiet)
            out.print(numbers_table(experiment, rows))
            for row in rows:
                if row.note:
                    print(f"{row.what}: {row.note}")
            for path in written:
                print(f"wrote {path}")
    except BaseException:
        if not any(folder.iterdir()):
            folder.rmdir()
        raise


def make_folder(folder: Path) -> Path:
    """The folder of this name, which must not exist yet: nothing is ever overwritten."""
    try:
        folder.mkdir()
    except FileExistsError:
        raise FileError(f"{folder} exists; choose another name for the folder") from None
    except OSError as error:
        raise FileError(f"{folder} cannot be made: {error.strerror}") from None
    return folder


def gallery_table() -> Table:
    from hamiltree.gallery import EXPERIMENTS

    table = plain_table("gallery: hamiltree gallery NAME, or all", "name", "what it is", "from")
    for name, experiment in EXPERIMENTS.items():
        table.add_row(name, experiment.title, experiment.source)
    return table


def numbers_table(experiment: Any, rows: list[Any]) -> Table:
    table = plain_table(
        f"\n{experiment.title} ({experiment.source})",
        "what",
        "ours",
        "source's",
        "difference",
        "whose",
        steady=(1, 2, 3),
    )
    for column in table.columns[1:4]:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        theirs, difference = (
            ("", "") if row.theirs is None else (f"{row.theirs:.8g}", f"{row.difference:+.2g}")
        )
        if isinstance(row.difference, int):
            difference = f"{row.difference:+d}"
        table.add_row(row.what, f"{row.ours:.8g}", theirs, difference, row.whose)
    return table


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
