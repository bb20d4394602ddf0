"""Trajectory: what a run computed, labelled, with where it came from; and its file.

In memory and on disk alike: q, p, qdot by (t, coordinate), energies by t, pose and twist by (t, body).
A file grows by chunks and is synced after each, so a run that is killed leaves a readable file.
"""

import importlib
import json
import os
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import xarray as xr

from hamiltree.errors import FileError, StepError
from hamiltree.files.toml import model_from_toml
from hamiltree.model import Model

FORMAT = 1
MOST_COPIED = 2**28  # bytes of a run that are also kept in memory while it is written to a file
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
# name → (dimensions, unit and meaning)
VARIABLES = {
    "t": (("t",), "s"),
    "q": (("t", "coordinate"), "rad or m: positions of the joints"),
    "p": (("t", "coordinate"), "N m s or N s: momenta of the joints"),
    "qdot": (("t", "coordinate"), "rad/s or m/s: rates of the joints"),
    "kinetic_energy": (("t",), "J"),
    "potential_energy": (("t",), "J"),
    "work": (("t",), "J: work of dampers and loads since the start"),
    "pose": (("t", "body", "pose_part"), "m and unit quaternion (scalar first), body to world: origin and attitude of every body"),
    "twist": (("t", "body", "twist_part"), "rad/s and m/s in world axes: angular velocity, velocity of the body's origin"),
}
# Upper layers hang their tools on a Trajectory by name; they are imported when first asked for.
ACCESSORS = {"plot": "hamiltree.view.plots:Plots"}


class Trajectory:
    """Times, states, energies, poses and twists of one run, with its provenance and statistics."""

    def __init__(self, dataset: xr.Dataset, model: Model | None = None):
        self.dataset = dataset
        self._model = model

    def __getattr__(self, name: str) -> Any:
        if name in ACCESSORS:
            module, _, attribute = ACCESSORS[name].partition(":")
            return getattr(importlib.import_module(module), attribute)(self)
        raise AttributeError(f"a Trajectory has no {name!r}")

    def __repr__(self) -> str:
        about = self.provenance
        last = float(self.t[-1]) if self.t.size else 0.0
        return f"<Trajectory of {about['model_name']!r}: {self.t.size} samples to t = {last:g} s, {about['integrator']}, {about['status']}>"

    # ---- what was computed ----
    @property
    def t(self) -> xr.DataArray:
        """Times of the samples, s."""
        return self.dataset["t"]

    @property
    def q(self) -> xr.DataArray:
        return self.dataset["q"]

    @property
    def p(self) -> xr.DataArray:
        return self.dataset["p"]

    @property
    def qdot(self) -> xr.DataArray:
        return self.dataset["qdot"]

    @property
    def kinetic_energy(self) -> xr.DataArray:
        return self.dataset["kinetic_energy"]

    @property
    def potential_energy(self) -> xr.DataArray:
        return self.dataset["potential_energy"]

    @property
    def energy(self) -> xr.DataArray:
        """H = T + V, J."""
        return (self.kinetic_energy + self.potential_energy).rename("energy").assign_attrs(units="J")

    @property
    def poses(self) -> xr.DataArray:
        """(time, body, 7): position of each body's origin and its unit quaternion, body to world."""
        return self.dataset["pose"]

    @property
    def twists(self) -> xr.DataArray:
        """(time, body, 6): angular velocity and velocity of each body's origin, world axes."""
        return self.dataset["twist"]

    @property
    def work(self) -> xr.DataArray:
        """Work that dampers and loads have done since the start, J: how much H should have changed."""
        return self.dataset["work"]

    @property
    def energy_balance(self) -> xr.DataArray:
        """H − H(0) − work, J: zero if the run were exact."""
        balance = self.energy - self.energy[0] - self.work
        return balance.rename("energy_balance").assign_attrs(units="J")

    @property
    def energy_error(self) -> float:
        """Largest |H − H(0) − work| among the samples, relative to the largest kinetic energy (absolute if nothing moved)."""
        peak = float(self.kinetic_energy.max())
        worst = float(np.abs(self.energy_balance).max())
        return worst / peak if peak > 0 else worst

    # ---- where it came from ----
    @property
    def provenance(self) -> dict[str, Any]:
        """Version, source hash, model, options and outcome of the run."""
        return {key: value for key, value in self.dataset.attrs.items() if key != "statistics"}

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, calls of the equations, evaluations and seconds."""
        return json.loads(self.dataset.attrs.get("statistics", "{}"))

    @property
    def status(self) -> str:
        return self.dataset.attrs["status"]

    @property
    def model(self) -> Model:
        """The model that was run, read from the provenance if the run came from a file."""
        if self._model is None:
            text = self.dataset.attrs["model"]
            if not text:
                raise FileError("the model of this run holds Python functions and is not stored in its file")
            self._model = model_from_toml(text, "the model stored with the trajectory")
        return self._model

    # ---- files ----
    def save(self, path: str | os.PathLike, force: bool = False) -> Path:
        """Write a netCDF file, whole or not at all; an existing file is kept unless forced."""
        target = new_file(path, force).resolve()
        beside = target.with_name(f".{target.name}.{os.getpid()}.part")
        try:
            self.dataset.to_netcdf(beside, engine="netcdf4")
            os.replace(beside, target)
        except (OSError, RuntimeError) as error:
            raise FileError(f"{path} cannot be written: {error}") from None
        finally:
            beside.unlink(missing_ok=True)
        return Path(path)

    @classmethod
    def load(cls, path: str | os.PathLike) -> "Trajectory":
        """Read a netCDF file that a run or `save` has written, also one of a run that was cut short."""
        if not Path(path).is_file():
            raise FileError(f"{path}: no such file")
        try:
            dataset = xr.open_dataset(path, engine="netcdf4", decode_times=False)
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: not a readable netCDF file ({error})") from None
        found = dataset.attrs.get("hamiltree_format")
        if found != FORMAT:
            dataset.close()
            raise FileError(f"{path}: no trajectory of this version of hamiltree (format {found}, expected {FORMAT})")
        return cls(dataset)


def new_file(path: str | os.PathLike, force: bool) -> Path:
    """The path of a file that may be written."""
    target = Path(path)
    try:
        exists, is_file = target.exists(), target.is_file()
    except OSError as error:
        raise FileError(f"{target} cannot be written: {error.strerror}") from None
    if target.is_dir():
        raise FileError(f"{target} is a folder; give the name of a file")
    if exists and not is_file:
        raise FileError(f"{target} is no regular file; give another name")
    if exists and not force:
        raise FileError(f"{target} exists; choose another name, or overwrite it with force (--force)")
    if not target.parent.is_dir():
        raise FileError(f"{target}: the folder {target.parent} does not exist")
    return target


class MemoryRecorder:
    """Keeps the chunks of a run until it ends."""

    place = " in memory"

    def __init__(self, model: Model, attributes: dict[str, Any]):
        self.model, self.attributes = model, attributes
        self.chunks: list[dict[str, np.ndarray]] = []

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        self.chunks.append(chunk)

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        joined = {name: np.concatenate([chunk[name] for chunk in self.chunks]) for name in VARIABLES}
        variables = {name: (VARIABLES[name][0], values, {"units": VARIABLES[name][1]}) for name, values in joined.items()}
        t = variables.pop("t")
        dataset = xr.Dataset(variables, coords={"t": t, **labels(self.model)}, attrs={**self.attributes, **attributes})
        return Trajectory(dataset, self.model)


def labels(model: Model) -> dict[str, Any]:
    return {
        "coordinate": list(model.coordinates),
        "body": [body.name for body in model.bodies],
        "pose_part": list(POSE),
        "twist_part": list(TWIST),
    }


class FileRecorder:
    """Writes each chunk to a netCDF file and syncs it, so that the file is readable whatever happens next."""

    def __init__(self, model: Model, attributes: dict[str, Any], path: Path):
        import netCDF4

        self.model, self.path, self.rows, self.place = model, path, 0, f" in {path}"
        self.copy: MemoryRecorder | None = MemoryRecorder(model, attributes)  # in case the disk fails; given up when it grows large
        self.copied = 0
        try:
            path.resolve().unlink(missing_ok=True)  # a trajectory that still reads the old file keeps it
            self.file = netCDF4.Dataset(path, "w", format="NETCDF4")
            self.lay_out(attributes)
        except (OSError, RuntimeError) as error:
            raise FileError(f"{path} cannot be written: {error}") from None

    def lay_out(self, attributes: dict[str, Any]) -> None:
        """Dimensions, labels and empty variables; time is unlimited."""
        self.file.createDimension("t", None)
        for name, names in labels(self.model).items():
            self.file.createDimension(name, len(names))
            self.file.createVariable(name, str, (name,))[:] = np.array(names, dtype=object)
        for name, (dimensions, units) in VARIABLES.items():
            lengths = [len(self.file.dimensions[d]) for d in dimensions[1:]]
            rows = max(1, min(1024, 2**20 // (8 * max(1, int(np.prod(lengths))))))
            variable = self.file.createVariable(name, "f8", dimensions, chunksizes=(rows, *(max(1, length) for length in lengths)))
            variable.units = units
        self.file.setncatts(attributes)

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        until = self.rows + len(chunk["t"])
        self.keep_copy(chunk)
        try:
            for name in VARIABLES:
                self.file[name][self.rows : until] = chunk[name]
            self.file.sync()
        except (OSError, RuntimeError) as error:  # a full disk
            self.give_up(error)
        self.rows = until

    def keep_copy(self, chunk: dict[str, np.ndarray]) -> None:
        self.copied += sum(values.nbytes for values in chunk.values())
        if self.copied > MOST_COPIED:
            self.copy = None
        elif self.copy:
            self.copy.write(chunk)

    def give_up(self, error: Exception) -> NoReturn:
        """The disk has failed: the file may be unreadable now, so what was computed is handed on from memory."""
        message = f"{self.path} can no longer be written: {error}. {self.rows} samples were written; the file may be damaged."
        kept = self.copy.finish({"status": message}) if self.copy and self.copy.chunks else None
        raise StepError(message + (" What was computed is kept in memory (StepError.trajectory)." if kept else ""), kept)

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        self.file.setncatts(attributes)
        self.file.close()
        trajectory = Trajectory.load(self.path)
        trajectory._model = self.model
        return trajectory
