"""A vibration as a Trajectory, to be plotted and viewed: `modes.trajectory(0)`.

The independent coordinates swing as z(t) = a z₀ cos ωt, and loops are closed in every frame, so
that bodies stay joined however large the amplitude is. It is the shape that is shown, not a
solution of the equations of motion: that it is only for small amplitudes.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.algorithms.rigid_body import Dynamics
from hamiltree.analysis.linear.speed_equations import spanning_tree_model
from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.assembly.kinematics import compute_kinematics, compute_twists, tree_of
from hamiltree.assembly.mechanism import Mechanism
from hamiltree.assembly.residuals import ConstraintResiduals, ResidualRows
from hamiltree.errors import AccuracyWarning, OptionError
from hamiltree.formulations.initial_states import coordinate_rates
from hamiltree.model.model import Model
from hamiltree.rotations import quaternion_from_matrix
from hamiltree.run.simulate import simulate
from hamiltree.trajectory.lines import NOTE, Line
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.trajectory.variables import MODEL_VARIABLES, RESIDUAL_VARIABLES

Array = np.ndarray
Place = Callable[[float, float], tuple[Array, Array]]  # factor of the shape and its rate → q, u
TEMPLATE_STEP = 2.0**-20  # of the natural time, of the run whose attributes are taken

# nothing was integrated
STATISTICS = {"calls": 0, "evaluations": 0, "calls_per_step": 0.0, "seconds": 0.0}


class ModeMotion(Trajectory):
    """A Trajectory of a shape. Nothing was integrated, so that there is nothing to judge."""

    report_lines = (
        Line("shape", None, "", NOTE, "The shape of a mode: nothing was integrated or judged."),
    )

    @cached_property
    def verdict(self) -> str:
        return "a shape"

    @property
    def report(self) -> Any:
        raise OptionError("a mode shape is no run: nothing was integrated that could be judged")


def check_frames(mode: int, count: int, amplitude: float, frames: int, cycles: float) -> None:
    """Refuse what no film can show."""
    if not 0 <= mode < count:
        raise OptionError(f"mode = {mode!r}; there are {count} modes, counted from 0")
    if not (np.isfinite(amplitude) and amplitude > 0.0):
        raise OptionError(f"amplitude = {amplitude!r}; give radians, or parts of the size")
    if not (frames >= 2 and np.isfinite(cycles) and cycles > 0.0 and round(frames * cycles) >= 1):
        raise OptionError(
            f"frames = {frames!r}, cycles = {cycles!r}; give two frames or more, and some cycles"
        )


def swing(
    model: Model, place: Place, omega: float, label: str, frames: int, cycles: float, t: float
) -> ModeMotion:
    """`cycles` periods of cos ωt of a shape, `frames` samples each; a motion that has no frequency
    takes the natural time of the model for a period.
    """
    natural = assemble_at_start(model).scales.time
    rate = omega if omega > 0.0 else 2.0 * np.pi / natural
    times = np.linspace(0.0, 2.0 * np.pi * cycles / rate, round(frames * cycles) + 1)
    states = [place(float(np.cos(rate * x)), float(-rate * np.sin(rate * x))) for x in times]
    q, u = (np.array(part) for part in zip(*states, strict=True))
    template = make_template(model, t, natural)
    values = observe(model, t + times, q, u)
    labels = {key: template[key].values for key in ("coordinate", "body", "pose_part")}
    labels |= {"twist_part": template["twist_part"].values, "t": t + times}
    if "constraint" in template.coords:
        labels["constraint"] = template["constraint"].values
    known = MODEL_VARIABLES | RESIDUAL_VARIABLES
    variables = {name: (known[name][0], part, {"units": known[name][1]}) for name, part in values}
    made = xr.Dataset(variables, labels, attrs=dict(template.attrs))
    made.attrs |= {
        "integrator": label,
        "begin": t,
        "until": float(t + times[-1]),
        "step": float(times[1]),
        "statistics": json.dumps(STATISTICS | {"steps": len(times) - 1}),
    }
    return ModeMotion(made, model)


def make_template(model: Model, t: float, natural: float) -> xr.Dataset:
    """A run of one short step: labels and provenance."""
    step = TEMPLATE_STEP * natural
    with warnings.catch_warnings():  # nothing moves, as it should
        warnings.simplefilter("ignore", AccuracyWarning)
        return simulate(model, t=t, until=t + step, step=step, progress=False).dataset


def observe(model: Model, times: Array, q: Array, u: Array) -> list[tuple[str, Any]]:
    """What a run records, at these states."""
    tree = tree_of(model)
    dynamics = Dynamics(spanning_tree_model(model))
    places = [compute_kinematics(tree, row) for row in q]
    pose = np.array(
        [np.hstack([x.at, [quaternion_from_matrix(R) for R in x.turn]]) for x in places]
    )
    twist = np.array([compute_twists(tree, x, v) for x, v in zip(places, u, strict=True)])
    pairs = list(zip(q, u, times.tolist(), strict=True))
    energy = np.array([dynamics.energies(*state) for state in pairs]).reshape(-1, 2)
    found = {
        "q": q,
        "qdot": np.array([coordinate_rates(model, row, v) for row, v in zip(q, u, strict=True)]),
        "kinetic_energy": energy[:, 0],
        "potential_energy": energy[:, 1],
        "work": np.zeros(len(times)),
        "pose": follow_signs(pose),
        "twist": twist,
    }
    if len(model.coordinates) == len(model.speeds):  # no quaternions: p by q̇ is p by speeds
        found["p"] = np.array([dynamics.mass_matrix(x) @ v for x, v in zip(q, u, strict=True)])
    if model.has_rows:
        mechanism = Mechanism(model, q[0], float(times[0]))
        rows = ConstraintResiduals(ResidualRows(mechanism, mechanism.size, False))
        residuals = rows(times, found["pose"], twist, q, {})
        found |= {name: residuals[name] for name in RESIDUAL_VARIABLES}
    return list(found.items())


def follow_signs(pose: Array) -> Array:
    """Quaternions with the sign of the frame before."""
    for k in range(1, len(pose)):
        against = (pose[k, :, 3:] * pose[k - 1, :, 3:]).sum(axis=1) < 0.0
        pose[k, against, 3:] *= -1.0
    return pose
