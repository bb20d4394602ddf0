"""The document of a page: all that it shows of a run or a model, and the block of its arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError, OptionError
from hamiltree.model.model import Model
from hamiltree.view.page.arrays import ArrayBlock
from hamiltree.view.page.cards import body_cards, model_figures, run_figures
from hamiltree.view.page.html import safe_json
from hamiltree.view.page.kinematics_data import loop_positions, tree_data
from hamiltree.view.page.report_data import report_data
from hamiltree.view.page.scene_data import motion_data, scene_data
from hamiltree.view.page.series import (
    coordinates_data,
    plot_samples,
    residuals_data,
    sections_data,
    series_data,
)
from hamiltree.view.scene import Scene, motion_of, scene_of_model, scene_of_run
from hamiltree.view.scene.motion import ERROR_BOUND, Motion, without_sign_jumps
from hamiltree.view.scene.scene import start_poses

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

FORMAT = 1
MAX_BYTES = 20_000_000  # of a file, by default
POSITIONS_PER_SECOND = 30.0  # of a mechanism that was not run
SAFETY = 0.9  # of the frames that would fit: fewer frames compress less well
Document = tuple[dict[str, Any], str]


def run_document(run: Trajectory, reactions: bool, max_bytes: int) -> Document:
    """A run; frames are left out beyond the error bound only where the file would be too large."""
    if not len(run.t):
        raise OptionError("this run has no samples, so there is nothing to see")
    if not run.has_bodies:
        return bodiless_document(run)
    scene = scene_of_run(run)
    motion = motion_of(run, scene.size, scene.reach)
    document, arrays = compose(run, scene, motion, reactions)
    max_bytes -= len(safe_json(document).encode("utf-8"))
    if len(arrays) <= max_bytes:
        return document, arrays
    # the size is that of two frames, which is nearly all but the frames, and so much per frame
    fewest = motion_of(run, scene.size, scene.reach, most=2)
    fixed = len(compose(run, scene, fewest, reactions)[1])
    part = (max_bytes - fixed) / (len(arrays) - fixed)
    most = max(2, int(SAFETY * part * len(motion.t)))
    motion = motion_of(run, scene.size, scene.reach, most=most)
    return compose(run, scene, motion, reactions)


def compose(run: Trajectory, scene: Scene, motion: Motion, reactions: bool) -> Document:
    """The document of a run with bodies."""
    block = ArrayBlock()
    sample = plot_samples(len(run.t))
    coordinates = coordinates_data(run, sample, block)
    document = {
        **heading(run, "run"),
        "scene": scene_data(scene, block),
        "motion": motion_data(motion, scene.size, block),
        "samples": len(run.t),
        "series": series_data(run, block),
        "coordinates": coordinates,
        "residuals": residuals_data(run, sample, block),
        "sections": sections_data(run, block),
        "cards": cards_of(run),
        "reactions": reactions_data(run, sample, block) if reactions else None,
        "notes": [*scene.notes, *thinning_notes(run, motion), *coordinate_notes(coordinates)],
    }
    return document, block.encode()


def bodiless_document(run: Trajectory) -> Document:
    """A run of an H(q, p) or an ode: plots alone."""
    block = ArrayBlock()
    count = len(run.t)
    sample = plot_samples(count)
    document = {
        **heading(run, "hamiltonian"),
        "scene": scene_data(scene_of_run(run), block),
        "motion": {"t": block.add(run.t.values[sample], "f8")},
        "samples": count,
        "series": series_data(run, block),
        "coordinates": coordinates_data(run, sample, block),
        "residuals": None,
        "sections": sections_data(run, block),
        "cards": [],
        "reactions": None,
        "notes": [],
    }
    return document, block.encode()


def model_document(model: Model) -> Document:
    """A model before any run: sliders for a tree, positions along a motion for loops."""
    scene = scene_of_model(model)
    block = ArrayBlock()
    notes = list(scene.notes)
    positions = loop_positions(model) if model.has_rows else None
    if model.has_rows and positions is None:
        notes.append("The loops cannot be closed from this start: the model is shown as it is.")
    document = {
        "format": FORMAT,
        "kind": "model",
        "title": f"{model.name} · hamiltree",
        "name": model.name,
        "subtitle": "model",
        "figures": model_figures(model),
        "scene": scene_data(scene, block),
        "motion": motion_data(still_motion(model, positions), scene.size, block),
        "kinematics": None if model.has_rows else tree_data(model),
        "samples": 0,
        "series": None,
        "coordinates": path_coordinates(model, positions, block),
        "residuals": None,
        "sections": [],
        "cards": body_cards(model),
        "reactions": None,
        "notes": notes,
    }
    return document, block.encode()


def still_motion(model: Model, positions: np.ndarray | None) -> Motion:
    """Poses of given positions of the tree, in quick succession; the start alone without any."""
    rows = model.start()[0][None] if positions is None else positions
    poses = np.array([start_poses(model, q) for q in rows])
    zero = np.zeros((*poses.shape[:2], 3))
    t = np.arange(len(rows)) / POSITIONS_PER_SECOND
    quaternion = without_sign_jumps(poses[:, :, 3:])
    return Motion(t, poses[:, :, :3], quaternion, zero, zero, np.arange(len(rows)), False, 0.0)


def path_coordinates(
    model: Model, positions: np.ndarray | None, block: ArrayBlock
) -> dict[str, Any] | None:
    """The positions of a mechanism along its path, as coordinates of frames."""
    if positions is None:
        return None
    names = list(model.coordinates)
    empty = [""] * len(names)
    return {
        "t": block.add(np.arange(len(positions)) / POSITIONS_PER_SECOND, "f8"),
        "names": names,
        "left_out": 0,
        "units": empty,
        "momentumUnits": empty,
        "momentumNames": names,
        "q": block.add_rounded(positions),
    }


def heading(run: Trajectory, kind: str) -> dict[str, Any]:
    """Names, options and the figures of a run."""
    about = run.provenance
    unit = " s" if run.has_bodies else ""
    subtitle = f"{about['formulation']} · {about['integrator']} · step {about['step']:g}{unit}"
    return {
        "format": FORMAT,
        "kind": kind,
        "title": f"{about['model_name']} · hamiltree",
        "name": about["model_name"],
        "subtitle": subtitle,
        "status": run.status,
        "version": about.get("version", ""),
        "figures": run_figures(run),
        "report": report_data(run),
    }


def cards_of(run: Trajectory) -> list[dict[str, Any]]:
    try:
        return body_cards(run.model)
    except FileError:
        return []


def reactions_data(run: Trajectory, sample: np.ndarray, block: ArrayBlock) -> dict[str, Any] | None:
    """Forces and moments of all joints at some samples, world axes; none where all are free."""
    names = [joint.name for joint in run.model.joints if joint.kind != "free"]
    if not names:
        return None
    found = [run.reactions(name).isel(t=sample) for name in names]
    return {
        "t": block.add(run.t.values[sample], "f8"),
        "names": names,
        "force": block.add_rounded(np.stack([part["force"].values for part in found], axis=1)),
        "moment": block.add_rounded(np.stack([part["moment"].values for part in found], axis=1)),
    }


def coordinate_notes(coordinates: dict[str, Any]) -> list[str]:
    """Which coordinates have no plot, if any."""
    count, left_out = len(coordinates["names"]), coordinates["left_out"]
    return [f"Plots have the first {count} of {count + left_out} coordinates."] if left_out else []


def thinning_notes(run: Trajectory, motion: Motion) -> list[str]:
    """How many samples are shown, and how far the picture may be off."""
    frames, samples = len(motion.t), len(run.t)
    if frames == samples:
        return []
    far = f"{100.0 * max(ERROR_BOUND, motion.error):.2g} % of the model's size"
    return [f"{frames} of {samples} samples are kept; between them the picture is within {far}."]
