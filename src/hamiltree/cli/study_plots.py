"""`hamiltree plot STUDY.nc`: pictures of a study by name.

histogram:swing, heat_map:swing, response:swing:q.elbow, fan:q.elbow, parallel:swing; or the name of
what was kept alone, which is drawn the way that suits it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hamiltree.cli.output import list_console, plain_table
from hamiltree.errors import OptionError, suggest

KINDS = {
    "response": "response:VARIABLE:NUMBER, all members over one number that varies",
    "heat_map": "heat_map:VARIABLE, over a grid of two numbers",
    "histogram": "histogram:VARIABLE, how often which values occur",
    "fan": "fan:VARIABLE, samples over time: quantiles and some members",
    "parallel": "parallel:VARIABLE, parallel coordinates: a line for each member",
}
SIZE = (6.0, 4.0)  # inches, of one panel
MAX_LISTED = 40


def load_study(path: Path) -> Any | None:
    """The study in a file; None if it holds none."""
    from hamiltree.errors import FileError
    from hamiltree.studies import load

    try:
        return load(path)
    except FileError:
        return None


def sampled_names(study: Any) -> list[str]:
    """What was kept over time, by parts: q.elbow."""
    from hamiltree.studies.sensitivity import parts_of

    sampled = [str(name) for name, each in study.data.data_vars.items() if "time" in each.dims]
    return [part for name in sampled for part in parts_of(study.data, name)]


def suitable_plot(study: Any, variable: str) -> str:
    """The picture that suits a variable: KIND:VARIABLE, and over which number."""
    is_whole = variable in study.data.data_vars and "time" in study.data[variable].dims
    if is_whole or variable in sampled_names(study):
        return f"fan:{variable}"
    numbers = [name for name in study.names if study.data[name].dtype.kind in "iuf"]
    is_grid = list(study.axes) == study.names
    if is_grid and len(numbers) == len(study.names) == 2:
        return f"heat_map:{variable}"
    if len(study.names) == len(numbers) == 1:
        return f"response:{variable}:{numbers[0]}"
    return f"histogram:{variable}"


def default_plot(study: Any) -> str:
    """Of the first number that was kept and differs between members; times of ends and events come
    last.
    """
    from hamiltree.studies.summary import kept_numbers, spread_of

    names = sorted(kept_numbers(study), key=lambda name: name.startswith(("t_end", "event_")))
    spread = (spread_of(study, name) for name in names)
    differing = (row.name for row in spread if row.least < row.largest)
    first = next(differing, None) or next(iter([*sampled_names(study), *names]), None)
    if first is None:
        raise OptionError("the study keeps no numbers that could be drawn")
    return suitable_plot(study, first)


def draw_study(study: Any, what: list[str] | None) -> Any:
    """The figure of these names, one below the other."""
    from hamiltree.view.styles import new_figure

    names = what or [default_plot(study)]
    layout = [[str(number)] for number in range(len(names))]
    figure, panels = new_figure(layout, (SIZE[0], SIZE[1] * len(names)))
    for number, name in enumerate(names):
        draw_one(study, name, panels[str(number)])
    return figure


def draw_one(study: Any, name: str, axes: Any) -> None:
    """KIND:VARIABLE, KIND:VARIABLE:NUMBER, or VARIABLE."""
    kind, _, rest = name.partition(":")
    if not rest:
        kind, _, rest = suitable_plot(study, name).partition(":")
    if kind not in KINDS:
        raise OptionError(f"{name!r} is no plot of a study; {suggest(kind, KINDS)}")
    variable, _, over = rest.partition(":")
    more = {"over": over} if kind == "response" and over else {}
    if over and kind != "response":
        raise OptionError(f"{name!r}: only response takes a number after its variable")
    getattr(study.plot, kind)(variable, **more, axes=axes)


def print_study_plots(study: Any) -> None:
    """The kinds of pictures, and the variables that they may show."""
    from hamiltree.studies.summary import kept_numbers

    table = plain_table("hamiltree plot STUDY.nc WHAT …", "what", "what it shows")
    for name, words in KINDS.items():
        table.add_row(name, words)
    lists = {
        "VARIABLE": kept_numbers(study),
        "of fan": sampled_names(study),
        "NUMBER": study.names,
    }
    for what, names in lists.items():
        if names:
            more = f", and {len(names) - MAX_LISTED} more" * (len(names) > MAX_LISTED)
            table.add_row(what, f"{', '.join(names[:MAX_LISTED])}{more}")
    list_console().print(table, markup=False)
