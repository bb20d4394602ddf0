"""The panels of each plot of a run, or why a run has none of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.errors import FileError, OptionError, suggest
from hamiltree.view.accuracy_panels import (
    RESIDUALS,
    draw_errors,
    draw_independence,
    draw_kept,
    draw_momentum,
    draw_relative_error,
    draw_remainder,
    draw_residuals,
    draw_stored,
    draw_unstored_work,
)
from hamiltree.view.panels import (
    draw_change,
    draw_coordinate,
    draw_coordinates,
    draw_energies,
    draw_error,
    draw_phase,
    draw_section,
    draw_vector,
)
from hamiltree.view.plot_data import (
    coordinate_names,
    has_bodies,
    invariant_changes,
    kept_changes,
    kind_of,
    rotate_vectors,
    section_name,
    section_plane,
    time_label,
)
from hamiltree.view.styles import MAX_NAMED, Panel, line_style

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory


# ---- energies and what is conserved --------------------------------------------------------------
def energy_panels(run: Trajectory) -> list[Panel]:
    refuse_ode(run)
    return [Panel(partial(draw_energies, run=run), 2.6), Panel(partial(draw_error, run=run), 2.2)]


def energy_error_panels(run: Trajectory) -> list[Panel]:
    refuse_ode(run)
    return [Panel(partial(draw_error, run=run), 3.2)]


def invariant_panels(run: Trajectory) -> list[Panel]:
    changes = invariant_changes(run)
    return [
        Panel(partial(draw_change, run=run, name=name, change=change), 1.6)
        for name, change in changes.items()
    ]


def momentum_panels(run: Trajectory) -> list[Panel]:
    """Changes of the linear and of the angular momentum of all bodies since the start; below them
    the momenta that the model keeps, in parts of the momentum that is moved.
    """
    require_bodies(run, "momenta of bodies")
    made = [
        Panel(partial(draw_momentum, run=run, values=values.values, names=names, label=label))
        for values, names, label in (
            (run.linear_momentum, "px py pz", "change of linear\nmomentum / N s"),
            (run.angular_momentum, "Lx Ly Lz", "change of angular\nmomentum / N m s"),
        )
    ]
    kept = kept_changes(run)
    return [*made, Panel(partial(draw_kept, changes=kept))] if kept else made


# ---- what the run is worth -----------------------------------------------------------------------
def error_panels(run: Trajectory) -> list[Panel]:
    """Errors of the answer: in parts of the motion, of coordinates, of places and attitudes of
    bodies. A second run is made for them.
    """
    estimate = run.error_estimate()
    if estimate.dataset is None:
        raise OptionError(f"there is no estimate of the error of this run: {estimate.reason}")
    time = time_label(run)
    made = [Panel(partial(draw_relative_error, estimate=estimate, time=time), 2.4)]
    coordinate_units = dict.fromkeys(map(str, estimate.dataset["unit"].values))
    wanted = [("coordinate", unit) for unit in coordinate_units]
    wanted += [("position", "m"), ("angle", "rad")]
    return made + [
        Panel(partial(draw_errors, estimate=estimate, of=of, unit=unit, time=time), 2.2)
        for of, unit in wanted
        if f"{of}_error" in estimate.dataset
    ]


def ledger_panels(run: Trajectory) -> list[Panel]:
    """What each force element stores, what those did that lose or drive, and what is left."""
    ledger = run.ledger()
    made = [Panel(partial(draw_stored, ledger=ledger), 2.4)]
    if ledger.unstored_work.any():
        made.append(Panel(partial(draw_unstored_work, ledger=ledger), 2.4))
    return [*made, Panel(partial(draw_remainder, ledger=ledger), 1.8)]


# ---- constraints ---------------------------------------------------------------------------------
def residual_panels(run: Trajectory, of: str | None = None) -> list[Panel]:
    """Residuals of positions and of velocities, or one of them."""
    if "opening" not in run.dataset:
        raise OptionError(
            "this run has no loops and no constraints, so no constraint residuals; see energy()"
        )
    if of is not None and of not in RESIDUALS:
        raise OptionError(f"residuals of {of!r}; {suggest(str(of), RESIDUALS)}")
    wanted = RESIDUALS if of is None else [of]
    return [Panel(partial(draw_residuals, run=run, of=each), 2.4) for each in wanted]


def independence_panels(run: Trajectory) -> list[Panel]:
    if "opening" not in run.dataset or not run.model.has_rows:
        raise OptionError("this run has no loops and no constraints that could become dependent")
    return [Panel(partial(draw_independence, run=run), 3.0)]


# ---- the motion ----------------------------------------------------------------------------------
def coordinate_panels(run: Trajectory, names: tuple[str, ...] = (), is_one: bool = False):
    """Coordinates, or variables of an ode, over time: the first ones unless they are named.

    One panel each, or all in one panel.
    """
    drawn = [find_coordinate(run, name) for name in names]
    drawn = drawn or list(range(min(MAX_NAMED, len(coordinate_names(run)))))
    if is_one:
        return [Panel(partial(draw_coordinates, run=run, numbers=drawn), 3.0)]
    styles = [line_style(place, len(drawn)) | {"ls": "-", "lw": 0.9} for place in range(len(drawn))]
    return [
        Panel(partial(draw_coordinate, run=run, number=k, style=style), 1.6)
        for k, style in zip(drawn, styles, strict=True)
    ]


def phase_panels(run: Trajectory, coordinate: str) -> list[Panel]:
    number = find_coordinate(run, coordinate)
    return [Panel(partial(draw_phase, run=run, number=number), 4.5, is_over_time=False)]


def body_panels(run: Trajectory, name: str) -> list[Panel]:
    """Position and velocity of the centre of mass of a body and its angular velocity, world axes;
    of the body's origin if the model was not stored.
    """
    require_bodies(run, "bodies")
    known = [str(body) for body in run.dataset["body"].values]
    if name not in known:
        raise OptionError(f"no body {name!r} in this run; {suggest(name, known)}")
    number = known.index(name)
    pose, twist = run.poses.values[:, number], run.twists.values[:, number]
    try:
        arm = rotate_vectors(pose[:, 3:], np.array(run.model.bodies[number].com))
    except FileError:
        arm = np.zeros(3)
    spin = twist[:, :3]
    return [
        Panel(partial(draw_vector, t=run.t.values, values=values, names=names, label=label), 2.0)
        for values, names, label in (
            (pose[:, :3] + arm, "x y z", f"position of\n{name} / m"),
            (twist[:, 3:] + np.cross(spin, arm), "vx vy vz", f"velocity of\n{name} / m/s"),
            (spin, "ωx ωy ωz", f"angular velocity of\n{name} / rad/s"),
        )
    ]


def section_panels(
    run: Trajectory, name: str | None = None, x: str | None = None, y: str | None = None
) -> list[Panel]:
    name = section_name(run, name)
    plane = section_plane(run, name, x, y)
    return [Panel(partial(draw_section, name=name, plane=plane), 4.5, is_over_time=False)]


# ---- what a run has ------------------------------------------------------------------------------
def refuse_ode(run: Trajectory) -> None:
    if not run.has_energy:
        raise OptionError("an ode has no energy; see values(), phase(…) and invariants()")


def require_bodies(run: Trajectory, what: str) -> None:
    if not has_bodies(run):
        raise OptionError(f"a run of {kind_of(run)} has no {what}; see phase(…) and invariants()")


def find_coordinate(run: Trajectory, name: str) -> int:
    """The number of a coordinate, or of a variable of an ode."""
    known = coordinate_names(run)
    if name in known:
        return known.index(name)
    what = "joint" if has_bodies(run) else "coordinate"
    with_one = " with a coordinate" if has_bodies(run) else ""
    raise OptionError(f"no {what} {name!r}{with_one} in this run; {suggest(name, known)}")
