"""The step against the fastest motion, stops and friction against the step, and the iterations of
implicit stages.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hamiltree.assembly.body_states import BodyStates
from hamiltree.errors import FileError, spell_both, spell_option
from hamiltree.integrators import find_integrator
from hamiltree.model.elements import JointFriction, JointLimit
from hamiltree.model.model import Model
from hamiltree.rotations import rotation_matrix
from hamiltree.run.stiff_joints import GOOD_STOP, LONGEST_STOP, find_stiff_joints
from hamiltree.trajectory.lines import BAD, DOUBTFUL, GOOD, NOTE, Line, Thresholds
from hamiltree.trajectory.trajectory import Trajectory

SLAB_NUMBERS = 2**21  # that are read at once
# of the stiffest stop that steps can follow: with the step that is advised, which has one digit
ADVISED = 1.5 * GOOD_STOP / LONGEST_STOP
BAD_EXCESS = 4.0  # of a stop or friction over the stiffest that steps can follow
STIFF = JointLimit, JointFriction
NOT_REACHED, MAYBE_REACHED, REACHED = range(3)  # a stop: what samples tell
ORDER_LOST = {
    REACHED: "; a stop that was reached takes away the order of the method",
    MAYBE_REACHED: "; a stop may have been reached between samples, which would take away the "
    "order of the method",
}
ACCURACY_LOST = {
    REACHED: "was reached, and loses accuracy with",
    MAYBE_REACHED: "may have been reached between samples, and would lose accuracy with",
}


def chooses_steps(run: Trajectory) -> bool:
    """Whether the integrator chose its steps itself."""
    return find_integrator(run._settings["integrator"]).is_adaptive


def stored_model(run: Trajectory) -> Model | None:
    """The model of a run, if its file has it."""
    try:
        return run.model
    except FileError:
        return None


def states_at(run: Trajectory, sample: int) -> BodyStates:
    """Poses and twists of all bodies at a sample."""
    pose, twist = run._rows("pose", sample), run._rows("twist", sample)
    return BodyStates(rotation_matrix(pose[:, 3:]), pose[:, :3], twist)


def fastest_turn(run: Trajectory) -> tuple[float, int, int]:
    """The largest rate of a body, rad/s, with its sample and its body; some samples are read at a
    time, since a run may be larger than the memory.
    """
    bodies = max(1, len(run._names("body")))
    rows, found = max(1, SLAB_NUMBERS // (6 * bodies)), (0.0, 0, 0)
    for begin in range(0, len(run._values("t")), rows):
        omega = run._rows("twist", slice(begin, begin + rows))[..., :3]
        squared = np.einsum("sbx,sbx->sb", omega, omega)
        place = int(squared.argmax()) if squared.size else 0
        fastest = float(np.sqrt(squared.flat[place])) if squared.size else 0.0
        if fastest > found[0]:
            found = (fastest, begin + place // bodies, place % bodies)
    return found


def step_line(run: Trajectory, thresholds: Thresholds) -> Line | None:
    """h ω of the fastest turn that was seen: the angle in a step."""
    if not run.has_bodies or chooses_steps(run):
        return None
    fastest, sample, body = fastest_turn(run)
    if not fastest > 0.0:
        return None
    where = f"{run._names('body')[body]!r} at t = {float(run._values('t')[sample]):.4g} s"
    about = run._settings
    step = min(about["step"], about["until"] - about.get("begin", 0.0))
    number = step * fastest
    verdict = thresholds.judge("step", number)
    word = {GOOD: "short enough", DOUBTFUL: "long", BAD: "too long"}[verdict]
    what = f"the fastest turn seen is {fastest:.3g} rad/s, of body {where}"
    sentence = f"The step of {step:g} s is {word}: {what}."
    return Line("step", number, "rad in a step", verdict, sentence, {"rate": fastest})


def stop_line(run: Trajectory) -> Line | None:
    """Stops and friction that are stiffer than steps of fixed length can follow; of a stop that was
    reached, or perhaps so, also one for which steps are longer than advised.
    """
    if not run.has_bodies or chooses_steps(run):
        return None
    model = stored_model(run)
    if model is None or not any(isinstance(force, STIFF) for force in model.forces):
        return None
    step = run._settings["step"]
    known = find_stiff_joints(model, states_at(run, 0), run._rows("q", 0), step, 0.0)
    reaches = [reach_of(run, each.force) for each in known]
    found = [
        (each, reach)
        for each, reach in zip(known, reaches, strict=True)
        if each.excess > (ADVISED if reach else 1.0)
    ]
    if not found:
        words = ORDER_LOST.get(max(reaches, default=NOT_REACHED), "")
        return Line("stops and friction", 0.0, "too stiff", GOOD, f"Steps can follow them{words}.")
    worst, reach = found[0]
    good = min(each.good_step for each, _ in found)
    verdict = BAD if worst.excess > BAD_EXCESS else DOUBTFUL
    how = "too stiff for" if worst.excess > 1.0 else ACCURACY_LOST[reach]
    sentence = spell_both(
        lambda: (
            f"{worst.what}, {how} steps of {step:g} s; take "
            f"{spell_option('step', float(f'{good:.1g}'))}."
        )
    )
    scale = "times the stiffest that steps can follow"
    return Line("stops and friction", worst.excess, scale, verdict, sentence, {"step": good})


def reach_of(run: Trajectory, force: Any) -> int:
    """Whether a joint came as far as its stop: at a sample, or perhaps next to one, as fast as it
    moved from there to the samples around it.
    """
    if not isinstance(force, JointLimit):
        return NOT_REACHED
    q = run.dataset["q"].isel(coordinate=run._names("coordinate").index(force.joint)).values
    lower = -np.inf if force.lower is None else force.lower
    upper = np.inf if force.upper is None else force.upper
    if ((q < lower) | (q > upper)).any():
        return REACHED
    moved = np.abs(np.diff(q))
    ahead = np.maximum(np.append(moved, 0.0), np.append(0.0, moved))
    return MAYBE_REACHED if ((q - ahead < lower) | (q + ahead > upper)).any() else NOT_REACHED


def iteration_line(run: Trajectory) -> Line | None:
    """Calls of the equations per step; steps that were refused or that Newton's method took."""
    counted = run.statistics
    if "calls_per_step" not in counted:
        return None
    calls = counted["calls_per_step"]
    sentence = f"{calls:.2f} calls of the equations per step"
    if "refused" in counted:
        sentence += f"; {counted['refused']} steps were refused by error control"
    if "newton_since" in counted:
        sentence += f"; Newton's method took over at t = {counted['newton_since']:.4g}"
    keys = ("steps", "calls", "refused", "newton_since")
    details = {key: counted[key] for key in keys if key in counted}
    return Line("iterations", calls, "calls per step", NOTE, sentence + ".", details)
