"""What a run has recorded anyway, judged: motion, energy, constraints, quaternions, limits.

Nothing is computed again here: `simulate` makes these lines of every run. All numbers are pure, the
same in all units and for every observer who moves uniformly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hamiltree.trajectory.errors import kinetic_scale
from hamiltree.trajectory.lines import BAD, DOUBTFUL, GOOD, NOTE, Line, Thresholds, worst_verdict
from hamiltree.trajectory.variables import ENERGY_WITHIN, KINETIC_ENERGY_WITHIN, RESIDUAL

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

ROUNDINGS = 64 * 2.0**-52  # of an energy: less than that is no error
LEAST_EXCHANGE = 1e-2  # of the kinetic energy: what counts as exchanged at least
MOST_BOUNDED = 0.5  # of the exchanged energy, of which the error itself is a part
MOST_GROWTH = 1.1  # of the error of the energy, from the first half of a run to the second
SLAB = 64  # samples that are read at a time
STILL = 1e-12  # of the size, and in rad: less motion is none
LISTED_LIMITS = 3


def recorded_lines(run: Trajectory, thresholds: Thresholds) -> list[Line]:
    """The lines that need no further computation, the same whenever they are asked for."""
    if not len(run._values("t")):
        return [Line("samples", 0.0, "", BAD, "The run holds no sample.")]
    found = [status_line(run), motion_line(run)]
    if run.has_energy:
        found.append(energy_line(run, thresholds))
    if run._has(RESIDUAL):
        found += constraint_lines(run, thresholds)
        found.append(independence_line(run, thresholds))
    if run.has_bodies:
        found.append(quaternion_line(run, thresholds))
        found.append(limit_line(run))
    return [line for line in found if line is not None]


def recorded_verdict(run: Trajectory) -> str:
    """The verdict on what was recorded."""
    return worst_verdict(recorded_lines(run, Thresholds()))


def status_line(run: Trajectory) -> Line | None:
    """A run that ended before its time is worth what it holds; one that failed is not good. One by
    steps of a simulator has no other end.
    """
    status = run.status
    if status == "complete" or status.startswith("stepped to"):
        return None
    by_event = status.startswith("ended by")
    verdict = NOTE if by_event or status.startswith("interrupted") else DOUBTFUL
    return Line("end of the run", None, "", verdict, f"The run is not complete: {status}.")


# ---- motion --------------------------------------------------------------------------------------
def motion_line(run: Trajectory) -> Line | None:
    """Whether anything moved at all: a perfect balance of a body at rest proves nothing."""
    if len(run._values("t")) < 2:
        return None
    if run.has_bodies:
        is_still = rests(run)
        remedy = "give start values (q, qdot) or a force that moves it"
    else:
        values = run._values("q" if run.has_energy else "y")
        is_still = bool((np.ptp(values, axis=0) <= STILL * np.abs(values).max(axis=0)).all())
        remedy = "give other start values"
    if not is_still:
        return None
    sentence = f"Nothing moves: the start is at rest and in equilibrium; {remedy}."
    return Line("motion", 0.0, "of the size", NOTE, sentence, {"is_still": True})


def rests(run: Trajectory) -> bool:
    """Whether no body moves at any sample; samples are read some at a time, as far as needed."""
    first = run._rows("pose", slice(0, 1))[0]
    size = float(np.abs(first[:, :3]).max(initial=0.0))
    for begin in range(0, len(run._values("t")), SLAB):
        change = np.abs(run._rows("pose", slice(begin, begin + SLAB)) - first)
        away, turned = change[:, :, :3].max(initial=0.0), change[:, :, 3:].max(initial=0.0)
        if away > STILL * size or turned > STILL:
            return False
    return True


# ---- energy --------------------------------------------------------------------------------------
def energy_line(run: Trajectory, thresholds: Thresholds) -> Line:
    """The largest |H − H₀ − work|, in parts of the energy that was exchanged."""
    balance = run._balance()
    worst = float(np.abs(balance).max())
    at = float(run._values("t")[int(np.abs(balance).argmax())])
    exchanged, largest = exchanged_energy(run, balance)
    unit = " J" if run.has_bodies else ""
    if worst <= ROUNDINGS * largest:
        number, verdict = (worst / exchanged if exchanged > 0.0 else 0.0), GOOD
        sentence = f"The energy balance is kept to rounding, {worst:.1e}{unit}."
    else:
        number = worst / exchanged if exchanged > 0.0 else float("inf")
        verdict = thresholds.judge("energy", number)
        sentence = f"The energy balance is off by {worst:.2g}{unit} at t = {at:.4g}."
        if verdict == BAD and number < MOST_BOUNDED and is_bounded(balance):
            verdict = DOUBTFUL
            sentence = f"The energy balance oscillates within {worst:.2g}{unit}; it does not drift."
    scale = f"of {exchanged:.3g}{unit} exchanged"
    details = {"largest": worst, "t": at, "exchanged": exchanged, "energy_error": run.energy_error}
    return Line("energy balance", number, scale, verdict, sentence, details)


def is_bounded(balance: np.ndarray) -> bool:
    """Whether an error of the energy comes back and does not grow: in the second half of the run it
    is hardly larger than in the first, and at times half as large.
    """
    error = np.abs(balance)
    first, second = np.array_split(error, 2)
    if not len(second):
        return False
    largest = float(error.max())
    return bool(second.max() <= MOST_GROWTH * first.max() and second.min() <= 0.5 * largest)


def exchanged_energy(run: Trajectory, balance: np.ndarray) -> tuple[float, float]:
    """The most that kinetic energy, potential energy or work has changed, at least a hundredth of
    the kinetic energy; and the largest energy, whose rounding is no error. Of bodies that nothing
    fixes in space as seen from origins that move with them.
    """
    kinetic = run._kinetic_energy()
    if run._has(ENERGY_WITHIN):
        parts = [kinetic, run._values(ENERGY_WITHIN) - run._values(KINETIC_ENERGY_WITHIN)]
    elif run._has("energy"):
        parts = [kinetic, run._values("energy") - kinetic, run._values("work")]
    else:
        parts = [kinetic, run._values("potential_energy"), run._values("work")]
    exchanged = max(float(np.ptp(part)) for part in parts)
    moving = kinetic_scale(run._values("t"), kinetic, balance)
    names = ("kinetic_energy", "potential_energy", "energy", "work", ENERGY_WITHIN)
    largest = [float(np.abs(run._values(name)).max()) for name in names if run._has(name)]
    return max(exchanged, LEAST_EXCHANGE * moving), max(largest)


# ---- constraints ---------------------------------------------------------------------------------
def constraint_lines(run: Trajectory, thresholds: Thresholds) -> list[Line]:
    """The largest residuals of positions and of speeds, in parts of the size of the mechanism and
    of its natural speed.
    """
    largest = run.statistics.get("largest_residuals")
    if largest is None:  # of an older file
        return []
    made = []
    for kind, of_what in (("position", "the size"), ("speed", "the size per natural time")):
        if kind not in largest:
            continue
        number, part, at = (largest[kind][key] for key in ("relative", "part", "t"))
        sentence = "The constraints hold exactly."
        if number > 0.0:
            sentence = f"The largest residual is that of {part!r}, at t = {at:.4g}."
        made.append(
            Line(
                f"constraints, {kind}",
                number,
                f"of {of_what}",
                thresholds.judge("constraint", number),
                sentence,
                {"part": part, "t": at},
            )
        )
    return made


def independence_line(run: Trajectory, thresholds: Thresholds) -> Line | None:
    """How near the constraints came to losing rank; passing a singular position on a branch that
    is determined is no error.
    """
    least = run.statistics.get("least_independence")
    if least is None:
        return None
    passed = run.statistics.get("singular_positions_passed", 0)
    sine = least["sine"]
    where = f"that of {least['part']}, at t = {least['t']:.4g}"
    sentence = f"The least independent constraint is {where}."
    verdict = thresholds.judge("independence", sine)
    if passed:
        verdict = NOTE
        sentence = f"{passed} singular positions were passed; {run.statistics['branch']}."
    scale = "least sine between constraints"
    return Line("independence", sine, scale, verdict, sentence, dict(least))


# ---- quaternions, limits -------------------------------------------------------------------------
def quaternion_line(run: Trajectory, thresholds: Thresholds) -> Line | None:
    """How well unit quaternions or rotation matrices kept their norm."""
    if not (run.quaternion_rows or run._has("norm_error")):
        return None
    number = run.quaternion_error
    verdict = thresholds.judge("quaternion", number)
    sentence = "Attitudes are rotations" + (" to rounding." if number < 1e-13 else ".")
    if verdict != GOOD:
        sentence = "Attitudes are no rotations any more: their norms have drifted."
    return Line("quaternion norms", number, "of one", verdict, sentence)


def limit_line(run: Trajectory) -> Line | None:
    """Limits of joints that were passed: the model had nothing that stops there."""
    passed = run.passed_limits
    if not passed:
        return None
    listed = "; ".join(map(str, passed[:LISTED_LIMITS])) + "; …" * (len(passed) > LISTED_LIMITS)
    sentence = f"Limits of joints were passed: {listed}."
    return Line("limits", float(len(passed)), "passed", NOTE, sentence)
