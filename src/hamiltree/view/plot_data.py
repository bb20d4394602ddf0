"""What plots show of a trajectory: thinned samples, positions, labels with units."""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from hamiltree.errors import FileError, OptionError, suggest
from hamiltree.model.joints import coordinate_labels
from hamiltree.trajectory.errors import kinetic_scale
from hamiltree.trajectory.variables import STATE_PARTS

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

MAX_KEPT = 6  # momenta that are drawn
MAX_POINTS = 4000  # a longer line is drawn by its extremes
# of a coordinate and its momentum, by the dimension that the joint declares
UNIT_LABELS = {"length": (" / m", " / N s"), "angle": (" / rad", " / N m s"), "number": ("", "")}


# ---- what the panels show ------------------------------------------------------------------------
def thin_samples(t: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """At most MAX_POINTS of the samples: the first and the last, and of each interval the least
    and the largest.
    """
    if len(t) <= MAX_POINTS:
        return t, values
    edges = np.linspace(0, len(t), MAX_POINTS // 2).astype(int)
    pairs = [(a + values[a:b].argmin(), a + values[a:b].argmax()) for a, b in pairwise(edges)]
    kept = np.unique([0, len(t) - 1, *np.ravel(pairs)])
    return t[kept], values[kept]


def rotate_vectors(quaternions: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors turned by unit quaternions, scalar first: v + 2 (w a × v + a × (a × v))."""
    w, a = quaternions[..., :1], quaternions[..., 1:]
    cross = np.cross(a, vectors)
    return vectors + 2.0 * (w * cross + np.cross(a, cross))


def has_bodies(run: "Trajectory") -> bool:
    """A run of a model; a run of an H(q, p) has neither bodies nor units."""
    return "pose" in run.dataset


def kind_of(run: "Trajectory") -> str:
    """What was run, in words."""
    if has_bodies(run):
        return "a model"
    return "an H(q, p)" if run.has_energy else "an ode"


def coordinate_names(run: "Trajectory") -> list[str]:
    dimension = "coordinate" if run.has_energy else "variable"
    return [str(name) for name in run.dataset[dimension].values]


def phase_pair(run: "Trajectory", number: int) -> tuple[np.ndarray, np.ndarray]:
    """A coordinate and its momentum; of an ode a variable and its rate."""
    if run.has_energy:
        return run.q.values[:, number], run.p.values[:, number]
    return run.y.values[:, number], run.ydot.values[:, number]


def phase_portraits(run: "Trajectory") -> list[str]:
    """Panels beside the energies of an H(q, p): one high panel for one coordinate, else the first
    two.
    """
    return ["phase", "phase"] if len(coordinate_names(run)) == 1 else ["phase", "second phase"]


def section_name(run: "Trajectory", name: str | None) -> str:
    """The section of this name; without a name the only one."""
    known = list(run.sections)
    if not known:
        raise OptionError(
            "no section was collected in this run; ask for it before: simulate(…, "
            "sections=[Event('q2', +1)])"
        )
    if name is None and len(known) == 1:
        return known[0]
    if name not in known:
        raise OptionError(
            f"no section {name!r} in this run; {suggest(name, known)}"
            if name
            else f"which section? {suggest('', known)}"
        )
    return str(name)


def section_plane(
    run: "Trajectory", name: str, x: str | None, y: str | None
) -> dict[str, np.ndarray]:
    """Two coordinates or momenta of the points of a section, by name; the first coordinate and its
    momentum unless they are given.
    """
    points, known = run.sections[name], run.names.rows
    parts = [points[part].values for part in STATE_PARTS if part in points]
    # of an ode the second variable
    second = parts[0].shape[1] if len(parts) > 1 else min(1, len(known) - 1)
    wanted = (known[0] if x is None else x, known[second] if y is None else y)
    columns = dict(zip(known, np.concatenate(parts, axis=1).T, strict=True))
    for axis in wanted:
        if axis not in columns:
            raise OptionError(
                f"a point of section {name!r} has no {axis!r}; {suggest(axis, known)}"
            )
    if wanted[0] == wanted[1]:
        raise OptionError(
            f"{wanted[0]!r} over itself is a line; give two different names: {', '.join(known)}"
        )
    return {axis: columns[axis] for axis in wanted}


def invariant_changes(run: "Trajectory") -> dict[str, np.ndarray]:
    """H less the work done on it, then each named invariant, all less their first value; of an ode
    the invariants alone.
    """
    named = run.invariants if "invariants" in run.dataset else None
    values = (
        {}
        if named is None
        else {str(name): named.values[:, k] for k, name in enumerate(named["invariant"].values)}
    )
    if not (run.has_energy or values):
        raise OptionError("no invariants were named with this ode: ode(…, invariants={'E': …})")
    first = {"H": run.energy_balance.values} if run.has_energy else {}
    return first | {name: value - value[0] for name, value in values.items()}


def kept_changes(run: "Trajectory") -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Changes of the momenta that a model keeps, in parts of the momentum that is moved: by name,
    times and values. Of many the worst ones.
    """
    from hamiltree.verdict.symmetries import GroupMotion, idle_inputs, kept_momenta

    kept, found = kept_momenta(run.model, idle_inputs(run)), {}
    for group in kept.groups:
        if not group.components:
            continue
        motion = GroupMotion(run, group)
        parts = [motion.linear(direction) for direction in group.translations]
        parts += [motion.angular(rotation) for rotation in group.rotations]
        whose = f", {kept.group_name(group)}" * (len(kept.groups) > 1)
        for name, (value, moved, _) in zip(group.components, parts, strict=True):
            change = value - value[:1]
            scale = kinetic_scale(motion.t, moved, change)
            found[short_words(name) + whose] = motion.t, change / (scale or 1.0)
    worst = sorted(found, key=lambda name: -float(np.abs(found[name][1]).max(initial=0.0)))
    return {name: found[name] for name in found if name in worst[:MAX_KEPT]}


def short_words(component: str) -> str:
    """ "linear x" is p x, "angular about z through (0, 0, 0)" is L z at (0, 0, 0)."""
    short = component.replace("linear ", "p ").replace("angular about ", "L ")
    return short.replace(" through the centre of mass", "").replace(" through ", " at ")


def energy_error_of(run: "Trajectory") -> tuple[str, np.ndarray, str]:
    """What `run.energy_error` is the largest of, over time: (H − H₀ − work) / `run.energy_scale`;
    in joules if nothing ever moved. Its name, its values, and its scale in words.
    """
    change = "H − H₀ − work" if run.work.values.any() else "H − H₀"
    balance, scale = run.energy_balance.values, run.energy_scale
    if not run.peak_kinetic_energy:
        return f"({change}) / J" if has_bodies(run) else change, balance, ""
    if not has_bodies(run):
        return f"relative {change}", balance / scale, f" of the largest |p·∂H/∂p|/2, {scale:.3g}"
    return f"({change}) / kinetic energy", balance / scale, f" of the kinetic energy, {scale:.3g} J"


def phase_labels(run: "Trajectory", number: int) -> tuple[str, str]:
    """Of a joint its name with units, of an H(q, p) and of an ode the names that the user gave."""
    name = coordinate_names(run)[number]
    if not run.has_energy:
        return name, f"{name}'"
    if not has_bodies(run):
        return name, str(run.dataset["momentum"].values[number])
    position, momentum = units(run, name)
    return f"q of {name}{position}", f"p of {name}{momentum}"


def units(run: "Trajectory", coordinate: str) -> tuple[str, str]:
    """Of a coordinate and its momentum; none if the model was not stored."""
    return units_by_name(run).get(coordinate, UNIT_LABELS["number"])


def units_by_name(run: "Trajectory") -> dict[str, tuple[str, str]]:
    """Units of every coordinate of a model and of its momentum."""
    try:
        joints = run.model.joints
    except FileError:
        return {}
    return {
        label: UNIT_LABELS[dimension]
        for joint in joints
        for label, dimension in zip(
            coordinate_labels(joint), joint.coordinate_dimensions(), strict=True
        )
    }


def limits_by_name(run: "Trajectory") -> dict[str, tuple[float, float]]:
    """Lower and upper limits of the coordinates that have some; none if the model was not
    stored.
    """
    if not has_bodies(run):
        return {}
    try:
        found = run.model.limits
    except FileError:
        return {}
    return {name: (limits.lower, limits.upper) for name, limits in found.items()}


def time_label(run: "Trajectory") -> str:
    return "t / s" if has_bodies(run) else "t"
