"""`hamiltree dynamics`: accelerations, efforts and energies of a model at a state."""

from __future__ import annotations

import math
from typing import Annotated, Any

import typer

from hamiltree.cli.options import Force, Source, takes_reader_options
from hamiltree.cli.output import plain_table
from hamiltree.cli.start_values import Qdot, StartPositions, parse_start, start_option
from hamiltree.cli.statics import Json, show
from hamiltree.errors import OptionError

Tau = Annotated[list[str] | None, start_option("tau", "Efforts along joints, N m or N")]
COLUMNS = ("qdot", "acceleration", "tau", "gravity", "forces", "constraints")
Time = Annotated[float, typer.Option("--time", "-t", help="Time of drives and forces, s.")]


@takes_reader_options
def dynamics(
    model: Source,
    reading: dict[str, Any],
    q: StartPositions = None,
    qdot: Qdot = None,
    tau: Tau = None,
    time: Time = 0.0,
    json: Json = None,
    force: Force = False,
) -> None:
    """Accelerations of a model at its start, or at --q and --qdot, under its forces and --tau; with
    loops closed by the joints that are not named. Constraint forces and drive efforts; mass
    matrices with --json.
    """

    def answer(chosen: Any) -> tuple[Any, list[Any], Any]:
        """Numbers and tables."""
        if not math.isfinite(time):
            raise OptionError(f"--time {time}: give a finite number of seconds")
        found = find_state(chosen, q, qdot, tau, time, with_matrices=json is not None)
        return found, tables_of(found), None

    show(model, reading, answer, json, None, force)


def find_state(
    model: Any,
    q: list[str] | None,
    qdot: list[str] | None,
    tau: list[str] | None,
    t: float,
    with_matrices: bool,
) -> dict[str, Any]:
    """All numbers at the state, by name."""
    import numpy as np

    from hamiltree.algorithms.binding import dynamics as bind
    from hamiltree.model.model_state import state_from

    d: Any = bind(model)
    positions, rates = parse_start("q", q or []), parse_start("qdot", qdot or [])
    place, speeds = model.q_from(positions or None), model.qdot_from(rates or None)
    nothing = np.zeros(len(model.speeds))
    efforts = state_from(model, parse_start("tau", tau or []), nothing, "tau", model.speeds)
    if model.has_rows:
        place = d.close(place, names_in(positions), t)
        speeds = d.project_speeds(place, speeds, names_in(rates), t)
    kinetic, potential = d.energies(place, speeds, t)
    by_speed = {
        "qdot": speeds,
        "tau": efforts,
        "acceleration": d.forward_dynamics(place, speeds, efforts, t=t),
        "gravity": d.gravity(place),
        "forces": d.forces(place, speeds, t),
    }
    found = {
        "model": model.name,
        "t": t,
        "q": dict(zip(model.coordinates, place.tolist(), strict=True)),
        "kinetic_energy": float(kinetic),
        "potential_energy": float(potential),
        "degrees_of_freedom": d.degrees_of_freedom,
        "independent_speeds": list(d.independent_speeds),
    }
    if model.has_rows:
        by_speed["constraints"] = d.constraint_forces(place, speeds, efforts, t=t).efforts
        drives = d.drive_efforts(place, speeds, efforts, t=t)
        found["drive_efforts"] = dict(zip(d.drives, drives.tolist(), strict=True))
    if with_matrices:
        found |= matrices_at(d, place, t)
    named = {
        name: dict(zip(model.speeds, values.tolist(), strict=True))
        for name, values in by_speed.items()
    }
    return found | named


def matrices_at(d: Any, place: Any, t: float) -> dict[str, Any]:
    """Mass matrices: of the tree, and of the independent speeds."""
    found = {"mass_matrix": d.mass_matrix(place).tolist()}
    if d.model.has_rows:
        found["projected_mass_matrix"] = d.projected_mass_matrix(place, t).tolist()
    return found


def names_in(values: Any) -> list[str]:
    """Joints whose values were given by name, and are kept while loops are closed."""
    return list(values) if isinstance(values, dict) else []


def tables_of(found: dict[str, Any]) -> list[Any]:
    """Speeds with what acts along them, and the drives."""
    names = [name for name in COLUMNS if name in found]
    own = ", ".join(found["independent_speeds"]) if "constraints" in found else ""
    title = (
        f"{found['model']} at t = {found['t']:g} s, "
        f"f = {found['degrees_of_freedom']}{f' ({own})' if own else ''}, "
        f"T = {found['kinetic_energy']:.8g} J, V = {found['potential_energy']:.8g} J"
    )
    table = plain_table(title, "speed", *names)
    for speed in found["qdot"]:
        table.add_row(speed, *(f"{found[name][speed]:.8g}" for name in names))
    if not found.get("drive_efforts"):
        return [table]
    drives = plain_table("drives", "drive", "effort")
    for name, effort in found["drive_efforts"].items():
        drives.add_row(name, f"{effort:.8g}")
    return [table, drives]
