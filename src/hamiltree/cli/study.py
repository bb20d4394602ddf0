"""`hamiltree study`: many runs of one problem with other numbers, from a TOML file.

The exit code is 1 if a member failed, 130 if Ctrl-C ended it.
"""

from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Quiet
from hamiltree.errors import OptionError

MAX_SHOWN_REASONS = 5


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
    target = output
    if target is None and "output" not in StudyFile(file).table:
        target = file.with_suffix(".nc")
    given: dict[str, Any] = {"output": target, "threads": threads, "cluster": cluster}
    found = run_study_file(
        file, **given, resume=resume or None, force=force or None, progress=not quiet
    )
    raise typer.Exit(summarise(found))


def summarise(found: Any) -> int:
    """Print how many members there are and why some failed; the exit code."""
    print(found)
    counts: dict[str, int] = {}
    for reason in found.failed.values():
        counts[reason] = counts.get(reason, 0) + 1
    for reason, count in sorted(counts.items(), key=lambda item: -item[1])[:MAX_SHOWN_REASONS]:
        print(f"{count} × {reason}")
    if len(counts) > MAX_SHOWN_REASONS:
        print(f"and {len(counts) - MAX_SHOWN_REASONS} other reasons, in the variable status")
    if found.data.encoding.get("source"):
        print(f"wrote {found.data.encoding['source']}")
    if not found.is_complete:
        return 130
    return 1 if counts else 0


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
