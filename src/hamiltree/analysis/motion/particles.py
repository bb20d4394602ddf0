"""Particles of the bodies of a run: where they are at the samples, multi-frame XYZ files, the
radial distribution, the temperature.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.assembly.assembly import assemble_at_start
from hamiltree.errors import FitError, OptionError, suggest
from hamiltree.model.bodies import Body
from hamiltree.model.constraints import Motion
from hamiltree.model.model import Model
from hamiltree.model.pair_force import PairForce
from hamiltree.model.units import Units
from hamiltree.rotations import rotate, rotation_matrix
from hamiltree.trajectory.netcdf import writable_path
from hamiltree.trajectory.tables import write_whole
from hamiltree.trajectory.variables import KINETIC_ENERGY_WITHIN

Array = np.ndarray
PAIRS_AT_ONCE = 2**20  # of a radial distribution
NO_INERTIA = 1e-12  # of the largest moment: a smaller one is that of a line or a point


def particle_positions(run: Any) -> xr.DataArray:
    """(t, particle, axis): the particles of all bodies, world axes, m; `body`, `type` of each."""
    positions = place_particles(run)[0]
    bodies = bodies_of_particles(run.model)
    words = [word for body in with_particles(run.model) for word in body.particles.types]
    coords = {
        "t": run.t.values,
        "axis": list("xyz"),
        "body": ("particle", [run.model.bodies[k].name for k in bodies]),
        "type": ("particle", words),
    }
    dims = ("t", "particle", "axis")
    return xr.DataArray(positions, coords, dims, "particle_positions", {"units": "m, world axes"})


def with_particles(model: Model) -> list[Any]:
    """The bodies that are made of particles; refused if there are none."""
    found = [body for body in model.bodies if body.particles is not None]
    if not found:
        raise FitError(
            f"model {model.name!r} has no particles; make bodies of them with "
            "Body.of_particles, or see run.point for points of bodies"
        )
    return found


def bodies_of_particles(model: Model) -> Array:
    """The number of each particle's body."""
    number = {body.name: k for k, body in enumerate(model.bodies)}
    found = with_particles(model)
    return np.repeat([number[body.name] for body in found], [len(b.particles) for b in found])


def place_particles(run: Any, rows: Any = slice(None)) -> tuple[Array, Array]:
    """(n, particles, 3) each: positions and velocities at some samples."""
    if not run.has_bodies:
        raise OptionError("particles are of bodies; this run is of an H(q, p) or an ode")
    owner = bodies_of_particles(run.model)
    local = np.concatenate([body.particles.positions for body in with_particles(run.model)])
    pose, twist = run._rows("pose", rows)[:, owner], run._rows("twist", rows)[:, owner]
    arm = rotate(rotation_matrix(pose[..., 3:]), local)
    return pose[..., :3] + arm, twist[..., 3:] + np.cross(twist[..., :3], arm)


# ---- files ---------------------------------------------------------------------------------------
def write_xyz(
    run: Any,
    path: str | os.PathLike,
    every: int = 1,
    unit: float = 1.0,
    extended: bool = True,
    force: bool = False,
) -> Path:
    """Write the particles as a multi-frame XYZ file, every so many samples, lengths divided by
    `unit`; extended: time, box and velocities too (extXYZ). An existing file is kept unless forced.
    """
    if isinstance(every, bool) or not isinstance(every, int) or every < 1:
        raise OptionError(f"every = {every!r}; give a whole number of samples, 1 or more")
    if not (math.isfinite(unit) and unit > 0.0):
        raise OptionError(f"unit = {unit!r}; give a positive length")
    target = writable_path(path, force)
    words = [word for body in with_particles(run.model) for word in body.particles.types]
    frames = []
    for k in range(0, run.t.size, every):
        positions, velocities = (each[0] / unit for each in place_particles(run, slice(k, k + 1)))
        time = float(run.t.values[k])
        numbers = np.concatenate([positions, velocities], axis=1) if extended else positions
        comment = extended_comment(run.model, time, unit) if extended else f"t = {time!r}"
        lines = (
            " ".join([word, *map(repr, row)])
            for word, row in zip(words, numbers.tolist(), strict=True)
        )
        frames.append("\n".join([str(len(words)), comment, *lines]))
    return write_whole(target, ("\n".join(frames) + "\n").encode())


def extended_comment(model: Model, time: float, unit: float) -> str:
    """The line of keys of extXYZ: box, columns, time."""
    box = periodic_box(model)
    made = ["Properties=species:S:1:pos:R:3:velo:R:3", f"Time={time!r}"]
    if box.any():
        lattice = np.diag(box / unit).ravel().tolist()
        made.insert(0, 'Lattice="' + " ".join(map(repr, lattice)) + '"')
    made.append('pbc="' + " ".join("T" if length > 0.0 else "F" for length in box) + '"')
    return " ".join(made)


def periodic_box(model: Model) -> Array:
    """Lengths of the periodic box of the pair forces, 0 where it is open."""
    boxes = [f.box for f in model.forces if isinstance(f, PairForce) and f.box is not None]
    return np.array(boxes[0] if boxes else (0.0, 0.0, 0.0))


# ---- radial distribution -------------------------------------------------------------------------
def radial_distribution(
    run: Any,
    bins: int = 100,
    cutoff: float | None = None,
    types: tuple[str, str] | None = None,
    volume: float | None = None,
    every: int = 1,
) -> xr.DataArray:
    """g(r) of particles of different bodies, mean over every so many samples: how many pairs are at
    r, relative to particles at random in the volume of the periodic box.

    `cutoff` is half the shortest length of the box unless given; where the box is open, give it and
    the `volume`. `types` restricts it to pairs of two types.
    """
    for name, count in (("bins", bins), ("every", every)):
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise OptionError(f"{name} = {count!r}; give a whole number, 1 or more")
    model: Model = run.model
    owner, box = bodies_of_particles(model), periodic_box(model)
    words = types_of_particles(model, types)
    cutoff, volume = limits_of_distribution(box, cutoff, volume)
    edges = np.linspace(0.0, cutoff, bins + 1)
    counts, pairs = np.zeros(bins), 0
    rows = range(0, run.t.size, every)
    for k in rows:
        positions = place_particles(run, slice(k, k + 1))[0][0]
        for first, second in pieces_of_pairs(owner, words, types):
            gap = positions[first] - positions[second]
            for axis in np.flatnonzero(box):
                gap[:, axis] -= box[axis] * np.round(gap[:, axis] / box[axis])
            counts += np.histogram(np.linalg.norm(gap, axis=1), edges)[0]
            pairs += len(first)
    shells = 4.0 / 3.0 * np.pi * np.diff(edges**3)
    values = counts * volume / (shells * max(1, pairs))
    middle = 0.5 * (edges[1:] + edges[:-1])
    attributes = {"units": "1", "pairs": pairs // len(rows)}
    return xr.DataArray(values, {"r": middle}, ("r",), "g", attributes)


def limits_of_distribution(
    box: Array, cutoff: float | None, volume: float | None
) -> tuple[float, float]:
    """The largest distance, and the volume; what the box does not say must be given."""
    for name, value in (("cutoff", cutoff), ("volume", volume)):
        if value is not None and not (math.isfinite(value) and value > 0.0):
            raise OptionError(f"{name} = {value!r}; give a positive number")
    half = 0.5 * float(box[box > 0.0].min()) if box.any() else math.inf
    if cutoff is not None and cutoff > half:
        raise OptionError(
            f"cutoff = {cutoff!r} is more than half the shortest length of the periodic box, "
            f"{half:g}: pairs beyond it would be counted once instead of several times"
        )
    if not box.all() and (cutoff is None or volume is None):
        raise OptionError("the box is open: give cutoff=… and volume=… of the radial distribution")
    return half if cutoff is None else cutoff, float(box.prod()) if volume is None else volume


def types_of_particles(model: Model, asked: tuple[str, str] | None) -> Array:
    """The type of each particle; one that is asked for and is not there is refused."""
    words = np.array([word for body in with_particles(model) for word in body.particles.types])
    for word in asked or ():
        if word not in words:
            known = sorted(set(words.tolist()))
            raise OptionError(f"no particle is of type {word!r}; {suggest(word, known)}")
    return words


def pieces_of_pairs(
    owner: Array, words: Array, types: tuple[str, str] | None
) -> Iterator[tuple[Array, Array]]:
    """Pairs of particles of different bodies, of the two types if they are given; so many at a time
    that memory does not grow with their number.
    """
    count = len(owner)
    size = max(1, PAIRS_AT_ONCE // count)
    every = np.arange(count)
    for start in range(0, count, size):
        own = every[start : start + size, None]
        is_kept = (every > own) & (owner[own] != owner)
        if types is not None:
            is_a, is_b = words == types[0], words == types[1]
            is_kept &= (is_a[own] & is_b) | (is_b[own] & is_a)
        first, second = np.nonzero(is_kept)
        yield first + start, second


# ---- temperature ---------------------------------------------------------------------------------
def temperature(run: Any, freedoms: int | None = None, units: Units | None = None) -> xr.DataArray:
    """(t): k T = 2 E/f of the kinetic energy E, in the energy unit of the model; with `units`
    (ht.units) in kelvin.

    f, unless given, counts the motions of the bodies that carry kinetic energy. Of bodies that
    nothing fixes in space the motion of their common centre of mass is left out.
    """
    is_within = run._has(KINETIC_ENERGY_WITHIN)
    energy = run._values(KINETIC_ENERGY_WITHIN if is_within else "kinetic_energy")
    count = count_freedoms(run.model, is_within) if freedoms is None else freedoms
    if not count > 0:
        raise OptionError(f"freedoms = {count!r}; a temperature needs a positive number of them")
    size, unit = (1.0, "J, as k T") if units is None else (units.temperature, "K")
    values = 2.0 * energy / count * size
    attributes = {"units": unit, "freedoms": count}
    return xr.DataArray(values, {"t": run.t.values}, ("t",), "temperature", attributes)


def count_freedoms(model: Model, is_within: bool) -> int:
    """Degrees of freedom that carry kinetic energy: by rank of the constraints, less rotations of
    points and lines on free joints, less three for each group of bodies that nothing fixes.
    """
    if any(isinstance(part, Motion) for part in model.constraints):
        raise FitError("a Motion leads a body, so that not all motion is heat: give freedoms=…")
    assembly = assemble_at_start(model)
    count = assembly.mechanism.degrees_of_freedom if model.has_rows else len(model.speeds)
    bodies = {body.name: body for body in model.bodies}
    held = [name for joint in model.joints for name in (joint.parent, joint.child)]
    for joint in model.tree_joints:
        if joint.has_ball and held.count(joint.child) == 1:
            count -= still_axes(bodies[joint.child])
    groups = assembly.free_groups if is_within else None
    return count - 3 * (groups.count if groups is not None else 0)


def still_axes(body: Body) -> int:
    """About how many axes a body on a free joint has no moment of inertia."""
    moments = np.linalg.eigvalsh(np.array(body.inertia))
    return int(np.count_nonzero(moments <= NO_INERTIA * max(moments[-1], np.finfo(float).tiny)))
