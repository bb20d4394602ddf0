"""Trajectory: what a run computed, labelled, with where it came from; and its file.

In memory and on disk alike. Of a model: q, p, qdot by (t, coordinate), energies by t, pose and
twist by (t, body). Of an H(q, p): q and qdot by coordinate, p and pdot by momentum, H, invariants
by name. Points of sections and events have dimensions of their own.
A file grows by chunks and is synced after each, so a run that is killed leaves a readable file.
A run in memory is a Record of plain arrays; labels (xarray) are put on when somebody asks for them.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from hamiltree.errors import FileError, OptionError, StepError
from hamiltree.files.toml import model_from_toml
from hamiltree.model import Model
from hamiltree.problems.events import Event, Names, crossings, formula_names
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian_from_json
from hamiltree.rotations import rotation_matrix

if TYPE_CHECKING:
    import xarray as xr

FORMAT = 1
MAX_COPIED_BYTES = (
    2**28
)  # bytes of a run that are also kept in memory while it is written to a file
POSE = ("x", "y", "z", "qw", "qx", "qy", "qz")
TWIST = ("wx", "wy", "wz", "vx", "vy", "vz")
# name → (dimensions, unit and meaning)
MODEL_VARIABLES = {
    "t": (("t",), "s"),
    "q": (("t", "coordinate"), "rad or m: positions of the joints"),
    "p": (("t", "coordinate"), "N m s or N s: momenta of the joints"),
    "qdot": (("t", "coordinate"), "rad/s or m/s: rates of the joints"),
    "kinetic_energy": (("t",), "J"),
    "potential_energy": (("t",), "J"),
    "work": (("t",), "J: work of dampers and loads since the start"),
    "pose": (
        ("t", "body", "pose_part"),
        "m and unit quaternion (scalar first), body to world: origin and attitude of every body",
    ),
    "twist": (
        ("t", "body", "twist_part"),
        "rad/s and m/s in world axes: angular velocity, velocity of the body's origin",
    ),
}
# Of a model whose joints close loops, or that has constraints.
RESIDUAL_VARIABLES = {
    "opening": (
        ("t", "constraint"),
        "m or rad: how far each constraint is from holding, redundant rows included",
    ),
    "slip": (("t", "constraint"), "m/s or rad/s: the rate of that"),
}
# Of bodies by quaternions or rotation matrices of their own.
NORM_VARIABLES = {
    "norm_error": (
        ("t", "body"),
        "‖q‖² − 1 of the quaternion of each body, or the largest entry of RᵀR − 1",
    )
}
# Of a model with inputs.
INPUT_VARIABLES = {"input": (("t", "input_part"), "N or N m: what each input is from that time on")}
PHASE_SPACE_VARIABLES = {
    "t": (("t",), "in the units of H"),
    "q": (("t", "coordinate"), "in the units of H: coordinates"),
    "p": (("t", "momentum"), "in the units of H: momenta"),
    "qdot": (("t", "coordinate"), "in the units of H: rates of the coordinates"),
    "pdot": (("t", "momentum"), "in the units of H: rates of the momenta"),
    "energy": (("t",), "H"),
    "work": (("t",), "integral of the partial derivative of H by time"),
    "invariants": (("t", "invariant"), "what the user named"),
}
# Upper layers hang their tools on a Trajectory by name; they are imported when first asked for.
ACCESSORS = {"plot": "hamiltree.view.plots:Plots"}


def _import_attribute(place: str) -> Any:
    """A function of an upper layer, imported when it is asked for."""
    module, _, attribute = place.partition(":")
    return getattr(importlib.import_module(module), attribute)


def speeds_of(
    names: list[str], quaternion_rows: list[int], q: np.ndarray, qdot: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """(time, speed) and their names: q̇, but of a quaternion ω = 2 L(q) q̇ / ‖q‖² in the child's
    joint axes.
    """
    columns, found, row = [], [], 0
    while row < len(names):
        joint, _, part = names[row].rpartition(".")
        if part == "qw" and row in quaternion_rows:
            (w, v), (a, b) = ((x[:, row], x[:, row + 1 : row + 4]) for x in (q, qdot))
            angular_velocity = (
                2
                * (w[:, None] * b - a[:, None] * v - np.cross(v, b))
                / (w**2 + (v**2).sum(1))[:, None]
            )
            columns.extend(angular_velocity.T)
            found += [f"{joint}.w{axis}" for axis in "xyz"]
            row += 4
            continue
        columns.append(qdot[:, row])
        found.append(
            f"{joint}.v{part}" if part in ("x", "y", "z") and f"{joint}.qw" in names else names[row]
        )
        row += 1
    return (np.stack(columns, axis=1) if columns else np.zeros((len(q), 0))), found


def quaternion_rows_of(names: list[str]) -> list[int]:
    """Where the quaternions begin among the names of coordinates."""
    whole = [
        [name.removesuffix(".qw") + part for part in (".qw", ".qx", ".qy", ".qz")] for name in names
    ]
    return [
        row
        for row, name in enumerate(names)
        if name.endswith(".qw") and names[row : row + 4] == whole[row]
    ]


class Record:
    """Plain arrays of one run by name, with what labels them; attributes are made when asked
    for.
    """

    def __init__(
        self,
        schema: Schema,
        values: dict[str, np.ndarray],
        attributes: Callable[[], dict[str, Any]],
    ):
        self.schema, self.values, self._attributes = schema, values, attributes

    def __getstate__(self) -> dict[str, Any]:
        return {"schema": self.schema, "values": self.values, "attributes": self.attributes}

    @cached_property
    def attributes(self) -> dict[str, Any]:
        return self._attributes()

    def to_dataset(self) -> xr.Dataset:
        """The same arrays with their dimensions, labels and units."""
        import xarray as xr

        known = {
            name: (dims, {"units": unit}) for name, (dims, unit) in self.schema.variables.items()
        }
        known |= {name: (dims, {}) for name, dims in self.schema.section_variables().items()}
        variables = {
            name: (dims, self.values[name], units) for name, (dims, units) in known.items()
        }
        coords = {"t": variables.pop("t"), **self.schema.labels}
        return xr.Dataset(variables, coords=coords, attrs=dict(self.attributes))


class Trajectory:
    """Times, states, energies, poses and twists of one run, with its provenance and statistics."""

    end: Any = None  # of a run in memory: what the next step depends on (run.Checkpoint)

    def __init__(self, dataset: xr.Dataset | Record, problem: Model | Hamiltonian | None = None):
        self._record = dataset if isinstance(dataset, Record) else None
        if not isinstance(dataset, Record):
            self.dataset = dataset
        self._problem = problem

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Everything, labelled."""
        assert self._record is not None
        return self._record.to_dataset()

    @property
    def _has_labels(self) -> bool:
        return "dataset" in self.__dict__ or self._record is None

    def _values(self, name: str) -> np.ndarray:
        """A variable as a plain array."""
        return self.dataset[name].values if self._has_labels else self._record.values[name]  # type: ignore[union-attr]

    def _has(self, name: str) -> bool:
        return name in self.dataset if self._has_labels else name in self._record.values  # type: ignore[union-attr]

    def _names(self, dimension: str) -> list[str]:
        """The labels of a dimension."""
        if self._has_labels:
            return [str(name) for name in self.dataset[dimension].values]
        return list(self._record.schema.labels[dimension])  # type: ignore[union-attr]

    @property
    def _attributes(self) -> dict[str, Any]:
        return self.dataset.attrs if self._has_labels else self._record.attributes  # type: ignore[union-attr]

    def __getattr__(self, name: str) -> Any:
        if name in ACCESSORS:
            return _import_attribute(ACCESSORS[name])(self)
        raise AttributeError(f"a Trajectory has no {name!r}")

    def __repr__(self) -> str:
        about, t = self.provenance, self._values("t")
        last = float(t[-1]) if t.size else 0.0
        return (
            f"<Trajectory of {about['model_name']!r}: {t.size} samples to t = {last:g}, "
            f"{about['integrator']}, {about['status']}>"
        )

    # ---- what was computed -----------------------------------------------------------------------
    @property
    def t(self) -> xr.DataArray:
        """Times of the samples, s."""
        return self.dataset["t"]

    @property
    def q(self) -> xr.DataArray:
        return self.dataset["q"]

    @property
    def p(self) -> xr.DataArray:
        if "p" not in self.dataset:
            raise OptionError(
                f"a run of {self.provenance['formulation']} has no momenta of joints; see speeds, "
                "poses and twists"
            )
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
        """H; of a model T + V, J."""
        if "energy" in self.dataset:
            return self.dataset["energy"]
        return (
            (self.kinetic_energy + self.potential_energy).rename("energy").assign_attrs(units="J")
        )

    @property
    def poses(self) -> xr.DataArray:
        """(time, body, 7): position of each body's origin and its unit quaternion, body to
        world.
        """
        return self.dataset["pose"]

    @property
    def twists(self) -> xr.DataArray:
        """(time, body, 6): angular velocity and velocity of each body's origin, world axes."""
        return self.dataset["twist"]

    @property
    def work(self) -> xr.DataArray:
        """Work that dampers and loads have done since the start, J: how much H should have
        changed.
        """
        return self.dataset["work"]

    @property
    def energy_balance(self) -> xr.DataArray:
        """H − H(0) − work, J: zero if the run were exact."""
        return self.work.copy(data=self._balance()).rename("energy_balance").assign_attrs(units="J")

    def _balance(self) -> np.ndarray:
        """H − H(0) − work; a run that goes on where another ended counts its work from its own
        start.
        """
        energy = (
            self._values("energy")
            if self._has("energy")
            else self._values("kinetic_energy") + self._values("potential_energy")
        )
        work = self._values("work")
        return energy - energy[0] - (work - work[0])

    @property
    def energy_error(self) -> float:
        """Largest |H − H(0) − work| among the samples, relative to the largest kinetic energy
        (absolute if nothing moved).
        """
        peak, worst = self.peak_kinetic_energy, float(np.abs(self._balance()).max())
        return worst / peak if peak > 0 else worst

    @property
    def peak_kinetic_energy(self) -> float:
        """The largest of the samples; of an H(q, p) the largest |p · ∂H/∂p| / 2, which is the same
        where T is quadratic in p.
        """
        if self._has("kinetic_energy"):
            return float(self._values("kinetic_energy").max())
        return float(np.abs(0.5 * (self._values("p") * self._values("qdot")).sum(axis=1)).max())

    # ---- constraints -----------------------------------------------------------------------------
    @property
    def constraint_residuals(self) -> xr.DataArray:
        """(time, constraint): the largest residual of each joint that closes a loop and of each
        constraint, m or rad.
        """
        if "opening" not in self.dataset:
            raise OptionError("this run has no openings: its model has no loops and no constraints")
        return self.dataset["opening"]

    @property
    def constraint_error(self) -> float:
        """The largest residual of a constraint among the samples, m or rad; 0 if there is none."""
        return self._largest("opening")

    @property
    def velocity_constraint_error(self) -> float:
        """The largest rate at which a constraint would come apart among the samples, m/s or
        rad/s.
        """
        return self._largest("slip")

    def _largest(self, name: str) -> float:
        values = self._values(name) if self._has(name) else np.zeros(0)
        return float(values.max()) if values.size else 0.0

    def reactions(self, name: str) -> xr.Dataset:
        """Force and moment of a joint or constraint over time, world axes and joint axes; see
        hamiltree.analysis.reactions.
        """
        return _import_attribute("hamiltree.analysis.reactions:trajectory_reactions")(self, name)

    def drive_force(self, name: str) -> xr.DataArray:
        """The force or torque that a drive needs over time, N or N m."""
        return _import_attribute("hamiltree.analysis.reactions:trajectory_drive_force")(self, name)

    # ---- momenta ---------------------------------------------------------------------------------
    @property
    def linear_momentum(self) -> xr.DataArray:
        """(time, axis): that of all bodies, world axes."""
        return self._momenta[0]

    @property
    def angular_momentum(self) -> xr.DataArray:
        """(time, axis): that of all bodies about the world's origin, world axes; armatures of
        joints have no part in it.
        """
        return self._momenta[1]

    @property
    def _momenta(self) -> tuple[xr.DataArray, xr.DataArray]:
        """p = Σ m v, L = Σ r × p + R J Rᵀ ω, of centres of mass."""
        bodies, pose, twist = self.model.bodies, self.poses.values, self.twists.values
        mass, com, inertia = (
            np.array([getattr(body, name) for body in bodies])
            for name in ("mass", "com", "inertia")
        )
        R = rotation_matrix(pose[:, :, 3:])
        arm = np.einsum("tnij,nj->tni", R, com)
        p = mass[:, None] * (twist[:, :, 3:] + np.cross(twist[:, :, :3], arm))
        spin = np.einsum("tnij,njk,tnlk,tnl->tni", R, inertia, R, twist[:, :, :3], optimize=True)
        sums = p.sum(axis=1), (np.cross(pose[:, :, :3] + arm, p) + spin).sum(axis=1)
        import xarray as xr

        unit = {"dims": ("t", "axis"), "coords": {"t": self.t.values, "axis": list("xyz")}}
        return xr.DataArray(sums[0], name="linear_momentum", **unit), xr.DataArray(
            sums[1], name="angular_momentum", **unit
        )

    # ---- quaternions -----------------------------------------------------------------------------
    @property
    def quaternion_error(self) -> float:
        """Largest | ‖q‖² − 1 | of the quaternions of joints or bodies, or entry of RᵀR − 1, among
        the samples; none is renormalised.
        """
        if self._has("norm_error"):
            return float(np.abs(self._values("norm_error")).max())
        norms = [
            (self._values("q")[:, row : row + 4] ** 2).sum(axis=1) - 1
            for row in self.quaternion_rows
        ]
        return float(np.abs(norms).max()) if norms else 0.0

    @property
    def quaternion_rows(self) -> list[int]:
        """Where the quaternions begin in q."""
        return quaternion_rows_of(self._names("coordinate")) if self.has_bodies else []

    @property
    def speeds(self) -> xr.DataArray:
        """(time, speed) of a model: qdot, but for a quaternion the angular velocity
        ω = 2 L(q) q̇ / ‖q‖² in the child's joint axes.
        """
        import xarray as xr

        values, found = speeds_of(
            self._names("coordinate"), self.quaternion_rows, self._values("q"), self._values("qdot")
        )
        return xr.DataArray(
            values, dims=("t", "speed"), coords={"t": self.t.values, "speed": found}, name="speeds"
        )

    @property
    def has_bodies(self) -> bool:
        return self._has("pose")

    @property
    def inputs(self) -> xr.DataArray:
        """(time, part): what each input of the model is from that time on, N or N m."""
        if "input" not in self.dataset:
            raise OptionError(
                "this run has no inputs: its model has no JointInput and no BodyInput"
            )
        return self.dataset["input"]

    @property
    def invariants(self) -> xr.DataArray:
        """(time, invariant): what the user named when he typed H."""
        if "invariants" not in self.dataset:
            raise OptionError(
                "invariants are named with an H(q, p); of a model see energy_error, "
                "linear_momentum and angular_momentum"
            )
        return self.dataset["invariants"]

    @property
    def invariant_errors(self) -> dict[str, float]:
        """The largest change of each named invariant since the start, absolute."""
        change = np.abs(self.invariants.values - self.invariants.values[0])
        return {
            str(name): float(worst)
            for name, worst in zip(
                self.invariants["invariant"].values, change.max(axis=0), strict=True
            )
        }

    # ---- sections and events ---------------------------------------------------------------------
    @property
    def sections(self) -> dict[str, xr.Dataset]:
        """Points collected while running, by the name of the section or event: t, q, p by point."""
        import xarray as xr

        found = {}
        for number, name in enumerate(json.loads(self.dataset.attrs.get("sections", "[]"))):
            parts = {
                part: self.dataset[f"section{number}_{part}"].rename({f"point{number}": "point"})
                for part in ("t", "q", "p")
            }
            found[name] = xr.Dataset(
                {
                    part: values.drop_vars([c for c in values.coords if c not in values.dims])
                    for part, values in parts.items()
                }
            )
        return found

    def section(self, expression: str, direction: int | str = 0, where: str = "") -> xr.Dataset:
        """Where the stored samples cross an expression, between samples by interpolation: t, q, p
        by point.

        As good as the samples are dense; a section that is asked for before the run
        (simulate(…, sections=[…])) is exact.
        """
        import xarray as xr

        names = self.names
        rates = [self.qdot.values] + (
            [self.dataset["pdot"].values] if "pdot" in self.dataset else []
        )
        states = np.concatenate([self.q.values, self.p.values, *rates], axis=1)
        t, found = crossings(Event(expression, direction, where), names, self.t.values, states)
        n, momentum = self.q.shape[1], self.p.dims[1]
        parts = {
            "t": ("point", t),
            "q": (("point", "coordinate"), found[:, :n]),
            "p": (("point", momentum), found[:, n : len(names.rows)]),
        }
        return xr.Dataset(
            parts, coords={name: self.dataset[name].values for name in {"coordinate", momentum}}
        )

    @property
    def names(self) -> Names:
        """What an expression about a sample may name: of an H(q, p) its own names, of a model
        joint, p_joint and joint_dot.
        """
        q_names = tuple(str(name) for name in self.dataset["coordinate"].values)
        if "momentum" not in self.dataset:
            q_names = formula_names(q_names)
            return Names(
                (*q_names, *(f"p_{name}" for name in q_names)),
                tuple(f"{name}_dot" for name in q_names),
                {},
            )
        rows = (*q_names, *(str(name) for name in self.dataset["momentum"].values))
        return Names(rows, tuple(f"{name}_dot" for name in rows), self.hamiltonian.parameters)

    # ---- where it came from ----------------------------------------------------------------------
    @property
    def provenance(self) -> dict[str, Any]:
        """Version, source hash, model, options and outcome of the run."""
        return {key: value for key, value in self._attributes.items() if key != "statistics"}

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, calls of the equations, evaluations and seconds."""
        return json.loads(self._attributes.get("statistics", "{}"))

    @property
    def status(self) -> str:
        return self._attributes["status"]

    @property
    def model(self) -> Model:
        """The model that was run, read from the provenance if the run came from a file."""
        if not isinstance(self._problem, Model):
            if "hamiltonian" in self._attributes:
                raise FileError(
                    "this is a run of an H(q, p), not of a model; see its `hamiltonian`"
                )
            text = self._attributes["model"]
            if not text:
                raise FileError(
                    "the model of this run holds Python functions and is not stored in its file"
                )
            self._problem = model_from_toml(text, "the model stored with the trajectory")
        return self._problem

    @property
    def hamiltonian(self) -> Hamiltonian:
        """The H(q, p) that was run, made again from the provenance if the run came from a file."""
        if not isinstance(self._problem, Hamiltonian):
            text = self._attributes.get("hamiltonian")
            if not text:
                raise FileError(
                    "this run has no H(q, p) in its file: it is of a model, or H was made of "
                    "Python functions"
                )
            self._problem = hamiltonian_from_json(text)
        return self._problem

    # ---- files -----------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike, force: bool = False) -> Path:
        """Write a netCDF file, whole or not at all; an existing file is kept unless forced."""
        target = writable_path(path, force).resolve()
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
    def load(cls, path: str | os.PathLike) -> Trajectory:
        """Read a netCDF file that a run or `save` has written, also one of a run that was cut
        short.
        """
        import xarray as xr

        if not Path(path).is_file():
            raise FileError(f"{path}: no such file")
        try:
            dataset = xr.open_dataset(path, engine="netcdf4", decode_times=False)
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: not a readable netCDF file ({error})") from None
        found = dataset.attrs.get("hamiltree_format")
        if found != FORMAT:
            dataset.close()
            raise FileError(
                f"{path}: no trajectory of this version of hamiltree (format {found}, expected "
                f"{FORMAT})"
            )
        return cls(dataset)


def writable_path(path: str | os.PathLike, force: bool) -> Path:
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
        raise FileError(
            f"{target} exists; choose another name, or overwrite it with force (--force)"
        )
    if not target.parent.is_dir():
        raise FileError(f"{target}: the folder {target.parent} does not exist")
    return target


class Schema(NamedTuple):
    """What a run records: variables, labels of their dimensions, and the names of its sections."""

    problem: Any
    variables: dict[str, tuple[tuple[str, ...], str]]
    labels: dict[str, list[str]]
    sections: tuple[str, ...] = ()

    @property
    def momentum(self) -> str:
        return self.variables["p"][0][1]

    def section_variables(self) -> dict[str, tuple[str, ...]]:
        """Name → dimensions of the points of every section."""
        made = {}
        for number in range(len(self.sections)):
            point = f"point{number}"
            made |= {
                f"section{number}_t": (point,),
                f"section{number}_q": (point, "coordinate"),
                f"section{number}_p": (point, self.momentum),
            }
        return made

    def section_chunk(self, number: int, t: np.ndarray, y: np.ndarray) -> dict[str, np.ndarray]:
        n = len(self.labels["coordinate"])
        return {
            f"section{number}_t": t,
            f"section{number}_q": y[:, :n],
            f"section{number}_p": y[:, n:],
        }

    def empty_sections(self) -> dict[str, np.ndarray]:
        if not self.sections:
            return {}
        n, m = len(self.labels["coordinate"]), len(self.labels[self.momentum])
        widths = {"t": (0,), "q": (0, n), "p": (0, m)}
        return {name: np.zeros(widths[name[-1]]) for name in self.section_variables()}


class MemoryRecorder:
    """Keeps the chunks of a run until it ends."""

    place = " in memory (the error's `trajectory`)"

    def __init__(self, schema: Schema, attributes: Callable[[], dict[str, Any]]):
        self.schema, self.attributes = schema, attributes
        self.chunks: list[dict[str, np.ndarray]] = []
        self.points: dict[str, list[np.ndarray]] = {
            name: [empty] for name, empty in schema.empty_sections().items()
        }

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        self.chunks.append(chunk)

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        for name, values in self.schema.section_chunk(number, t, y).items():
            self.points[name].append(values)

    def finish(self, outcome: dict[str, Any]) -> Trajectory:
        values = {
            name: np.concatenate([chunk[name] for chunk in self.chunks])
            for name in self.schema.variables
        }
        values |= {
            name: np.concatenate(self.points[name]) for name in self.schema.section_variables()
        }
        schema, attributes = self.schema, self.attributes
        record = Record(
            schema,
            values,
            lambda: {**attributes(), "sections": json.dumps(schema.sections), **outcome},
        )
        return Trajectory(record, schema.problem)


class FileRecorder:
    """Writes each chunk to a netCDF file and syncs it, so that the file is readable whatever
    happens next.
    """

    def __init__(self, schema: Schema, attributes: Callable[[], dict[str, Any]], path: Path):
        import netCDF4

        self.schema, self.path, self.rows, self.place = schema, path, 0, f" in {path}"
        self.points = [0] * len(schema.sections)
        known = attributes()
        # in case the disk fails; given up when it grows large
        self.copy: MemoryRecorder | None = MemoryRecorder(schema, lambda: known)
        self.copied_bytes = 0
        try:
            # a trajectory that still reads the old file keeps it
            path.resolve().unlink(missing_ok=True)
            self.file = netCDF4.Dataset(path, "w", format="NETCDF4")
            self.create_variables({**known, "sections": json.dumps(schema.sections)})
        except (OSError, RuntimeError) as error:
            raise FileError(f"{path} cannot be written: {error}") from None

    def create_variables(self, attributes: dict[str, Any]) -> None:
        """Dimensions, labels and empty variables; time and the points of sections are unlimited."""
        self.file.createDimension("t", None)
        for number in range(len(self.schema.sections)):
            self.file.createDimension(f"point{number}", None)
        for name, names in self.schema.labels.items():
            self.file.createDimension(name, len(names))
            self.file.createVariable(name, str, (name,))[:] = np.array(names, dtype=object)
        for name, (dimensions, units) in self.schema.variables.items():
            self.new_variable(name, dimensions).units = units
        for name, dimensions in self.schema.section_variables().items():
            self.new_variable(name, dimensions)
        self.file.setncatts(attributes)

    def new_variable(self, name: str, dimensions: tuple[str, ...]) -> Any:
        lengths = [len(self.file.dimensions[d]) for d in dimensions[1:]]
        rows = max(1, min(1024, 2**20 // (8 * max(1, int(np.prod(lengths))))))
        return self.file.createVariable(
            name, "f8", dimensions, chunksizes=(rows, *(max(1, length) for length in lengths))
        )

    def write(self, chunk: dict[str, np.ndarray]) -> None:
        until = self.rows + len(chunk["t"])
        self.keep_copy(chunk)
        if self.copy:
            self.copy.write(chunk)
        self.write_rows({name: chunk[name] for name in self.schema.variables}, self.rows, until)
        self.rows = until

    def write_section(self, number: int, t: np.ndarray, y: np.ndarray) -> None:
        chunk, first = self.schema.section_chunk(number, t, y), self.points[number]
        self.keep_copy(chunk)
        if self.copy:
            self.copy.write_section(number, t, y)
        self.write_rows(chunk, first, first + len(t))
        self.points[number] = first + len(t)

    def write_rows(self, chunk: dict[str, np.ndarray], first: int, until: int) -> None:
        try:
            for name, values in chunk.items():
                if values.size:
                    self.file[name][first:until] = values
            self.file.sync()
        except (OSError, RuntimeError) as error:  # a full disk
            self.raise_disk_error(error)

    def keep_copy(self, chunk: dict[str, np.ndarray]) -> None:
        self.copied_bytes += sum(values.nbytes for values in chunk.values())
        if self.copied_bytes > MAX_COPIED_BYTES:
            self.copy = None

    def raise_disk_error(self, error: Exception) -> NoReturn:
        """The disk has failed: the file may be unreadable now, so what was computed is handed on
        from memory.
        """
        message = (
            f"{self.path} can no longer be written: {error}. {self.rows} samples were written; "
            "the file may be damaged."
        )
        kept = self.copy.finish({"status": message}) if self.copy and self.copy.chunks else None
        raise StepError(
            message
            + (" What was computed is kept in memory (StepError.trajectory)." if kept else ""),
            kept,
        )

    def finish(self, attributes: dict[str, Any]) -> Trajectory:
        self.file.setncatts(attributes)
        self.file.close()
        trajectory = Trajectory.load(self.path)
        trajectory._problem = self.schema.problem
        return trajectory
