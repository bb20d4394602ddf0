"""`hamiltree study`: many runs of one problem with other numbers, from a TOML file.

The exit code is 1 if a member failed, 130 if Ctrl-C ended it.
"""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Quiet
from hamiltree.cli.output import RowsWithWords, report_console
from hamiltree.console import last_words, tell
from hamiltree.errors import OptionError

MAX_SHOWN_REASONS = 5
MAX_SHOWN_NUMBERS = 20


def study(
    file: Annotated[Path, typer.Argument(help="A study as TOML (docs/studies.md).")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The netCDF file of the results. Default: FILE.nc."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Compute only the members that are missing.")
    ] = False,
    threads: Annotated[
        int | None, typer.Option("--threads", help="Threads that compute. Default: all cores.")
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            help="Workers of Dask in the place of threads: the address of a scheduler "
            "(tcp://host:8786), its file (scheduler.json), or local:N.",
        ),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Run a problem many times with other numbers: grids, samples, sweeps of a step or a method.
    The exit code is 1 if a member failed.
    """
    from hamiltree.studies.study_file import StudyFile, run_study_file

    if resume and force:
        raise OptionError("--resume goes on with a study, --force removes it; give one of them")
    if file.suffix.lower() == ".nc":
        raise OptionError(f"{file} holds results, a study is a TOML file; hamiltree plot {file}")
    target = output
    if target is None and "output" not in StudyFile(file).table:
        target = file.with_suffix(".nc")
    given: dict[str, Any] = {"output": target, "threads": threads, "cluster": cluster}
    found = run_study_file(
        file, **given, resume=resume or None, force=force or None, progress=not quiet
    )
    place = output or StudyFile(file).arguments().get("output", target)
    options = {"-o": output, "--threads": threads, "--cluster": cluster}
    words = describe_kept(found, place, file, options)
    with last_words(words):
        summarise(found)
        if found.is_complete:
            print_next(found.data.encoding["source"])
            raise typer.Exit(1 if found.failed else 0)
    sys.stdout.flush()
    tell(f"hamiltree: {words}")
    raise typer.Exit(130)


def describe_kept(found: Any, place: Path, file: Path, options: Mapping[str, object]) -> str:
    """What the file of a study holds, or the folder beside it and the command that goes on, with
    the options that were given.
    """
    from hamiltree.studies.results import MISSING, STATUS
    from hamiltree.studies.store import parts_folder

    if found.is_complete:
        return f"{shorten(found.data.encoding['source'])} holds all members"
    states = found.data[STATUS].values
    given = [(name, str(value)) for name, value in options.items() if value is not None]
    words = [str(file), *(word for pair in given for word in pair), "--resume"]
    return (
        f"{parts_folder(place)} holds {(states != MISSING).sum()} of {len(states)} members; "
        f"go on with: hamiltree study {shlex.join(words)}"
    )


def summarise(found: Any) -> None:
    """Print how members ended and why some failed, and the spread of what was kept."""
    from hamiltree.studies.summary import endings_of, reasons_of, verdicts_of

    print(f"{found.data.attrs['model_name']}, {endings_of(found)}")
    reasons = reasons_of(found)
    for count, reason in reasons[:MAX_SHOWN_REASONS]:
        print(f"{count} × {reason}")
    if len(reasons) > MAX_SHOWN_REASONS:
        print(f"and {len(reasons) - MAX_SHOWN_REASONS} other reasons, in the variable status")
    print_spreads(found)
    for name, counts in verdicts_of(found).items():
        print(f"{name}: {', '.join(f'{count} {word}' for word, count in counts.items())}")


def print_spreads(found: Any) -> None:
    """A table of what was kept as one number of each member."""
    from hamiltree.studies.summary import is_for_sobol, kept_numbers, spread_of

    names = kept_numbers(found)
    if not names:
        return
    how = "Sobol's total index" if is_for_sobol(found) else "rank correlation"
    heads = "kept", "members", "least", "median", "largest", f"depends most on ({how})"
    table = RowsWithWords(("left",) * 5, 0, heads)
    rows = [spread_of(found, name) for name in names[:MAX_SHOWN_NUMBERS]]
    if not any(row.members for row in rows):
        return
    for row in rows:
        known = row.members > 0
        numbers = [f"{x:.6g}" if known else "–" for x in (row.least, row.median, row.largest)]
        words = [f"{key} {value:+.2f}" for key, value in row.influences.items()]
        table.add_row((row.name, str(row.members), *numbers), ", ".join(words))
    table.print(report_console())
    if len(names) > MAX_SHOWN_NUMBERS:
        print(f"and {len(names) - MAX_SHOWN_NUMBERS} more numbers")


def print_next(written: str) -> None:
    """Where the results are, and the command that follows."""
    shown = shlex.quote(shorten(written))
    print(f"wrote {shorten(written)}")
    print(f"next: hamiltree plot {shown}   (hamiltree plot {shown} --list: what can be drawn)")


def shorten(path: str) -> str:
    """Relative to this folder, if it is in it."""
    try:
        return str(Path(path).relative_to(Path.cwd()))
    except ValueError:
        return path


# ---- hamiltree info ------------------------------------------------------------------------------
def study_facts(path: Path) -> dict[str, Any] | None:
    """What a file says of its study; None if it holds none."""
    from hamiltree.errors import FileError
    from hamiltree.studies import load

    try:
        found = load(path)
    except FileError:
        return None
    known = found.data.attrs
    return {
        "study": repr(found),
        "model": known["model_name"],
        "varies": {name: found.data[name].values.tolist()[:3] for name in found.names},
        "axes": found.axes,
        "keeps": sorted(str(name) for name in found.data.data_vars if name != "status"),
        "settings": known["settings"],
        "failed": len(found.failed),
        "created": known.get("created", ""),
        "version": f"{known['hamiltree_version']} ({known['source_hash']})",
    }


def show_study(facts: dict[str, Any]) -> None:
    """The same as lines."""
    print(facts["study"])
    for name, values in facts["varies"].items():
        print(f"varies    {name}: {', '.join(map(str, values))}, …")
    print(f"axes      {', '.join(f'{name} ({size})' for name, size in facts['axes'].items())}")
    print(f"keeps     {', '.join(facts['keeps'])}")
    for name in ("settings", "failed", "created", "version"):
        print(f"{name:10s}{facts[name]}")
