"""`hamiltree equilibrium`, `modes` and `linearise`: a table, JSON, a picture."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hamiltree.cli.branches import (
    Along,
    Answer,
    Spin,
    Switch,
    check_branch_options,
    follow_branch,
    read_spin,
    show_steady,
)
from hamiltree.cli.options import Force, Source, takes_reader_options
from hamiltree.cli.output import (
    check_distinct_files,
    check_picture,
    list_console,
    plain_table,
    write_picture,
)
from hamiltree.cli.particle_statics import answer_modes, answer_rest
from hamiltree.cli.sources import load_source, located_errors, plain_warnings
from hamiltree.cli.start_values import StartPositions, parse_start
from hamiltree.errors import OptionError

STANDARD_OUTPUT = Path("-")
Json = Annotated[
    Path | None,
    typer.Option("--json", help="Write all numbers to this file; - prints them, and no table."),
]
Picture = Annotated[
    Path | None, typer.Option("--picture", "-p", help="Also write a picture (.png, .pdf, .svg).")
]
Any_ = Annotated[
    bool, typer.Option("--any", help="Take an unstable equilibrium too, if that is nearest.")
]
AtStart = Annotated[
    bool,
    typer.Option("--at-start", help="About the start itself, which must be a rest; no search."),
]
View = Annotated[
    Path | None, typer.Option("--view", help="Also write a page that shows a mode (.html).")
]
Mode = Annotated[
    int | None, typer.Option("--mode", help="Which mode the page shows, from 1 on. Default: 1.")
]
Amplitude = Annotated[
    float | None,
    typer.Option(
        "--amplitude", help="Of that mode: rad, or parts of the size of the model. Default: 0.2."
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="SPEED",
        help="An effort along this speed is an input; may be repeated. Default: those of the "
        "model.",
    ),
]
Outputs = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        metavar="SPEED",
        help="The displacement along this speed is an output; may be repeated. Default: the "
        "independent ones.",
    ),
]
FILES = (".json", ".nc", ".csv", ".txt", ".png", ".pdf", ".svg")  # no names of speeds
Count = Annotated[int | None, typer.Option("--count", "-n", help="How many modes. Default: all.")]


@takes_reader_options
def equilibrium(
    model: Source,
    reading: dict[str, Any],
    q: StartPositions = None,
    unstable: Any_ = False,
    along: Along = None,
    switch: Switch = False,
    spin: Spin = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Find where a model rests, near its start or --q: coordinates, energy, stability; along a
    parameter, or while it turns with --spin.
    """
    check_branch_options(along, switch, spin)

    def answer(chosen: Any) -> Answer:
        """Numbers, tables and picture."""
        if along is not None:
            return follow_branch(chosen, along, start_of(q), unstable, switch)
        if spin:
            return show_steady(find_steady(chosen, spin, q, unstable))
        rest = find_rest(chosen, q, unstable)
        if not hasattr(rest, "q"):
            return answer_rest(rest)
        kind = "stable" if rest.is_stable else f"unstable ({rest.unstable})"
        title = f"{rest.model.name}: {kind}, V = {rest.energy:.10g} J"
        table = plain_table(title, "coordinate", "value")
        for name, value in rest.to_dict()["q"].items():
            table.add_row(name, f"{value:.12g}")
        return rest.to_dict(), [table], lambda: rest.model.plot.tree()

    show(model, reading, answer, json, picture, force)


@takes_reader_options
def modes(
    model: Source,
    reading: dict[str, Any],
    count: Count = None,
    q: StartPositions = None,
    at_start: AtStart = False,
    unstable: Any_ = False,
    view: View = None,
    mode: Mode = None,
    amplitude: Amplitude = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Natural frequencies and shapes of a model about its equilibrium; --view shows one moving."""
    from hamiltree.analysis.statics.modes import modes as find_modes

    check_page(model, view, mode, amplitude, json, picture, force)

    def answer(chosen: Any) -> Answer:
        """Numbers, table and picture."""
        found: Any = find_modes(place_of(chosen, q, at_start, unstable), count)
        if view is not None:
            show_mode(found, mode or 1, 0.2 if amplitude is None else amplitude, view, force)
        if not hasattr(found, "speeds"):
            return answer_modes(chosen.name, found)
        table = plain_table(f"modes of {chosen.name}", "mode", "ω / rad/s", "f / Hz", "moves most")
        for k, (omega, shape) in enumerate(
            zip(found.frequencies, abs(found.speeds.values), strict=True)
        ):
            most = str(found.speeds["speed"].values[shape.argmax()])
            table.add_row(str(k + 1), f"{omega:.10g}", f"{omega / math.tau:.10g}", most)
        return found.to_dict(), [table], found.plot.shapes

    show(model, reading, answer, json, picture, force)
    if view is not None and json != STANDARD_OUTPUT:
        print(f"wrote {view}")


@takes_reader_options
def linearise(
    model: Source,
    reading: dict[str, Any],
    q: StartPositions = None,
    at_start: AtStart = False,
    unstable: Any_ = False,
    spin: Spin = None,
    inputs: Inputs = None,
    outputs: Outputs = None,
    json: Json = None,
    picture: Picture = None,
    force: Force = False,
) -> None:
    """Linear equations of a model about its equilibrium, or about the steady motion with --spin:
    eigenvalues and damping; from --input to --output; all matrices with --json.
    """
    from hamiltree.analysis.linear.linearisation import linearise as find_linear

    refuse_files(outputs or [])
    named: dict[str, Any] = {"inputs": inputs, "outputs": outputs}

    def answer(chosen: Any) -> Answer:
        """Numbers, table and picture."""
        refuse_poses(chosen)
        if spin and at_start:
            raise OptionError("--at-start and --spin contradict each other; leave one out")
        if spin:
            found = find_linear(find_steady(chosen, spin, q, unstable), **named)
        else:
            found = find_linear(place_of(chosen, q, at_start, unstable), **named)
        names = ", ".join(found.names)
        title = f"{chosen.name}: {len(found.names)} degrees of freedom ({names})"
        table = plain_table(title, "eigenvalue / 1/s", "damping ratio")
        for value, ratio in zip(found.eigenvalues, found.damping_ratios, strict=True):
            table.add_row(f"{value.real:+.10g} {value.imag:+.10g}i", f"{ratio:.6g}")
        is_shown = (inputs or outputs) and found.input_names
        tables = [table, table_of_responses(found)] if is_shown else [table]
        return found.to_dict(), tables, found.plot.eigenvalues

    show(model, reading, answer, json, picture, force)


def refuse_files(outputs: list[str]) -> None:
    """An output of other commands is a file."""
    wrong = next((name for name in outputs if name.lower().endswith(FILES)), None)
    if wrong is not None:
        raise OptionError(
            f"--output {wrong}: an output is a speed of the model here; --json and --picture write "
            "files"
        )


def table_of_responses(found: Any) -> Any:
    """Accelerations of the outputs for a unit of each input: C A B."""
    unit = {name: str(unit) for name, unit in found.C["unit"].to_series().items()}
    columns = [f"by {name}" for name in found.input_names]
    title = "acceleration for a unit (N m or N) of each input"
    table = plain_table(title, "output", "unit", *columns, steady=(0, 1))
    accelerations = found.C.values @ found.A.values @ found.B.values
    for name, row in zip(found.C["output"].values, accelerations, strict=True):
        table.add_row(str(name), f"{unit[name]}/s²", *(f"{value:.8g}" for value in row))
    return table


def find_rest(chosen: Any, q: list[str] | None, takes_any: bool) -> Any:
    """The equilibrium of any model; of particles joined to the ground alone it is one of poses."""
    from hamiltree.analysis.statics.equilibrium import equilibrium as find_equilibrium

    return find_equilibrium(chosen, start_of(q), kind="any" if takes_any else "stable")


def refuse_poses(chosen: Any) -> None:
    from hamiltree.analysis.statics.equilibrium import is_of_poses

    if is_of_poses(chosen):
        raise OptionError(
            f"{chosen.name} is of particles joined to the ground alone: its linear equations are "
            "those of hamiltree modes, with all numbers by --json"
        )


def start_of(q: list[str] | None) -> Any:
    return parse_start("q", q) if q else None


def find_steady(chosen: Any, spin: list[str], q: list[str] | None, takes_any: bool) -> Any:
    """The steady motion with these speeds."""
    from hamiltree.analysis.linear.steady import steady_motion

    kind = "any" if takes_any else "stable"
    return steady_motion(chosen, read_spin(spin), start_of(q), kind=kind)


def place_of(chosen: Any, q: list[str] | None, at_start: bool, takes_any: bool) -> Any:
    """The equilibrium, or the model itself, about which it is linearised."""
    if at_start and q:
        raise OptionError("--at-start and --q contradict each other; leave one out")
    return chosen if at_start else find_rest(chosen, q, takes_any)


def show(
    model: Path,
    reading: dict[str, Any],
    answer: Callable[[Any], Answer],
    json: Path | None,
    picture: Path | None,
    force: bool,
) -> None:
    """Check the files, compute, print the tables or JSON, and write what was asked for."""
    from hamiltree.model import Model

    check_outputs(model, json, picture, force)
    chosen, _ = load_source(model, reading)
    if not isinstance(chosen, Model):
        raise OptionError(f"{model} is no model of bodies: nothing there can rest")
    with located_errors(model), plain_warnings():
        data, tables, draw = answer(chosen)
    for table in tables if json != STANDARD_OUTPUT else ():
        list_console().print(table, markup=False)
    write_outputs(data, draw, json, picture, force)


def check_page(
    model: Path,
    view: Path | None,
    mode: int | None,
    amplitude: float | None,
    json: Path | None,
    picture: Path | None,
    force: bool,
) -> None:
    """Refuse a page that may not be written, before anything is computed."""
    from hamiltree.trajectory.netcdf import writable_path

    if view is None:
        if mode is not None or amplitude is not None:
            raise OptionError("--mode and --amplitude are of the page; give --view FILE.html too")
        return
    if mode is not None and mode < 1:
        raise OptionError(f"--mode {mode}: modes count from 1")
    if writable_path(view, force).suffix.lower() not in (".html", ".htm"):
        raise OptionError(f"--view {view}: a page ends in .html")
    files = {"the model": model, "--view": view, "--picture": picture, "--json": json}
    check_distinct_files(files)


def show_mode(found: Any, mode: int, amplitude: float, view: Path, force: bool) -> None:
    """The page of a mode, counted from 1 on."""
    count = len(found.frequencies)
    if mode > count:
        raise OptionError(f"--mode {mode}: there are {count} modes")
    found.trajectory(mode - 1, amplitude).view(view, force=force, open=False)


def check_outputs(model: Path, json: Path | None, picture: Path | None, force: bool) -> None:
    """Refuse files that may not be written, before anything is computed."""
    from hamiltree.trajectory.netcdf import writable_path

    if picture is not None:
        check_picture(writable_path(picture, force))
    if json is not None and json != STANDARD_OUTPUT:
        writable_path(json, force)
    check_distinct_files({"the model": model, "--picture": picture, "--json": json})


def write_outputs(
    data: Any, draw: Callable[[], Any], json: Path | None, picture: Path | None, force: bool
) -> None:
    """JSON to a file or to standard output, and the picture."""
    from json import dumps

    from hamiltree.files.safe_write import write_text

    written = []
    if picture is not None:
        write_picture(draw, picture)
        written.append(picture)
    if json == STANDARD_OUTPUT:
        sys.stdout.write(dumps(data) + "\n")
        return
    if json is not None:
        write_text(json, dumps(data) + "\n", force)
        written.append(json)
    for path in written:
        print(f"wrote {path}")
