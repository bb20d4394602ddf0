"""Trajectory: what a run computed, labelled, with where it came from.

Of a model: q, p, qdot by (t, coordinate), energies by t, pose and twist by (t, body). Of an
H(q, p): q and qdot by coordinate, p and pdot by momentum, H, invariants by name. Of an ẏ = f(t, y):
y and ydot by variable. Points of sections and events have dimensions of their own.
A run in memory is a Record of plain arrays; labels (xarray) are added when they are asked for.
"""

from __future__ import annotations

import json
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.model import Model
from hamiltree.model.accessors import Accessor, Method, import_attribute
from hamiltree.problems.events import Event, Names
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.trajectory.errors import (
    energy_balance,
    energy_scale,
    quaternion_norm_error,
    relative_error,
)
from hamiltree.trajectory.missing_attributes import missing_attribute
from hamiltree.trajectory.netcdf import Paths, read_dataset, writable_path, write_dataset
from hamiltree.trajectory.passed_limits import PassedLimit, passed_limits
from hamiltree.trajectory.record import Record
from hamiltree.trajectory.recorded_lines import recorded_verdict
from hamiltree.trajectory.sections import collected_sections, interpolate_section, sample_names
from hamiltree.trajectory.speeds import quaternion_rows_of
from hamiltree.trajectory.stored_problems import stored_hamiltonian, stored_model, stored_ode
from hamiltree.trajectory.variables import (
    ENERGY_WITHIN,
    KINETIC_ENERGY_WITHIN,
    MODEL_VARIABLES,
    RESIDUAL,
    RESIDUAL_RATE,
)

if TYPE_CHECKING:
    import xarray as xr

MULTIPLIERS = "hamiltree.analysis.attitude_multipliers"
MOTION = "hamiltree.analysis.motion"


class Trajectory:
    """Times, states, energies, poses and twists of one run, with its provenance and statistics."""

    plot = Accessor("hamiltree.view.plots:Plots")
    view = Accessor("hamiltree.view.page.view:RunView")
    film = Accessor("hamiltree.view.film.film:RunFilm")
    widget = Accessor("hamiltree.view.notebook.widget:RunWidget")
    report = Accessor("hamiltree.verdict.report:RunReport")
    # what upper layers tell of a run; see the functions
    reactions = Method("hamiltree.analysis.reactions:trajectory_reactions")
    drive_force = Method("hamiltree.analysis.reactions:trajectory_drive_force")
    singular_values = Method("hamiltree.analysis.singular_values:of_trajectory")
    attitude_multipliers = Method(f"{MULTIPLIERS}:attitude_multipliers")
    rattle_multipliers = Method(f"{MULTIPLIERS}:rattle_multipliers")
    ledger = Method("hamiltree.verdict.ledger:make_ledger")
    error_estimate = Method("hamiltree.verdict.answer:estimate_error")
    # how points and bodies move, at the samples
    point = Method(f"{MOTION}.points:point_motion")
    distance = Method(f"{MOTION}.relative:distance_between")
    angle = Method(f"{MOTION}.relative:angle_between")
    relative_motion = Method(f"{MOTION}.relative:relative_motion")
    spectrum = Method(f"{MOTION}.spectra:spectrum_of_run")
    particle_positions = Method(f"{MOTION}.particles:particle_positions")
    radial_distribution = Method(f"{MOTION}.particles:radial_distribution")
    temperature = Method(f"{MOTION}.particles:temperature")
    to_xyz = Method(f"{MOTION}.particles:write_xyz")
    to_pandas = Method("hamiltree.trajectory.tables:to_pandas")
    to_csv = Method("hamiltree.trajectory.tables:to_csv")
    to_mat = Method("hamiltree.trajectory.tables:to_mat")
    # (time, speed) and (time, axis)
    speeds = Accessor("hamiltree.trajectory.speeds:label_speeds")
    linear_momentum = Accessor("hamiltree.trajectory.momenta:linear_momentum")
    angular_momentum = Accessor("hamiltree.trajectory.momenta:angular_momentum")
    report_lines: tuple[Any, ...] = ()  # of the last report that was made
    remedy: Any = None  # what was tried where the run is not good
    end: Any = None  # of a run in memory: what the next step depends on (run.Checkpoint)

    def __init__(self, dataset: xr.Dataset | Record, problem: Model | TypedProblem | None = None):
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
    def _unlabelled(self) -> Record | None:
        """The plain arrays, as long as nobody has asked for labels."""
        return None if "dataset" in self.__dict__ else self._record

    def _values(self, name: str) -> np.ndarray:
        """A variable as a plain array."""
        record = self._unlabelled
        return self.dataset[name].values if record is None else record.values[name]

    def _rows(self, name: str, rows: Any) -> np.ndarray:
        """Some rows of a variable: of a run in a file no others are read."""
        record = self._unlabelled
        return self.dataset[name][rows].values if record is None else record.values[name][rows]

    def _has(self, name: str) -> bool:
        """Whether a variable was recorded."""
        record = self._unlabelled
        return name in self.dataset if record is None else name in record.values

    def _names(self, dimension: str) -> list[str]:
        """The labels of a dimension."""
        record = self._unlabelled
        if record is None:
            return [str(name) for name in self.dataset[dimension].values]
        return list(record.schema.labels[dimension])

    @property
    def _attributes(self) -> dict[str, Any]:
        record = self._unlabelled
        return self.dataset.attrs if record is None else record.attributes

    @property
    def _settings(self) -> dict[str, Any]:
        """The same, maybe without the text of the model: of a large one it takes long."""
        record = self._unlabelled
        return self.dataset.attrs if record is None else record.settings

    @property
    def _outcome(self) -> dict[str, Any]:
        """Status and statistics, without the rest of the provenance, which may be long."""
        record = self._unlabelled
        return self.dataset.attrs if record is None else record.outcome

    def _up_to(self, last: float, problem: Any) -> Trajectory:
        """Its samples up to a time."""
        record = self._unlabelled
        if record is None:
            return Trajectory(self.dataset.sel(t=slice(None, last)), problem)
        return Trajectory(record.up_to(last), problem)

    def __getattr__(self, name: str) -> Any:
        raise missing_attribute(name, vars(Trajectory))

    def _repr_mimebundle_(self, **_: Any) -> Any:
        """What a notebook shows: the widget, or the page in a frame."""
        return import_attribute("hamiltree.view.notebook.display:mimebundle")(self)

    def __repr__(self) -> str:
        about = self._settings
        t = self._values("t")
        last = float(t[-1]) if t.size else 0.0
        return (
            f"<Trajectory of {about['model_name']!r}: {t.size} samples to t = {last:g}, "
            f"{about['integrator']}, {about['status']}, {self.verdict}>"
        )

    # ---- what was computed -----------------------------------------------------------------------
    @property
    def t(self) -> xr.DataArray:
        """Times of the samples, s."""
        return self.dataset["t"]

    @property
    def q(self) -> xr.DataArray:
        """(time, coordinate): positions of the joints, rad or m; coordinates of an H(q, p)."""
        self._refuse_ode("q")
        return self.dataset["q"]

    @property
    def y(self) -> xr.DataArray:
        """(time, variable): what an ẏ = f(t, y) is about."""
        return self._of_ode("y")

    @property
    def ydot(self) -> xr.DataArray:
        """(time, variable): f(t, y) at the samples."""
        return self._of_ode("ydot")

    def _of_ode(self, name: str) -> xr.DataArray:
        if self.has_energy:
            raise OptionError(f"{name} is of a run of an ode; this one has q, qdot and, perhaps, p")
        return self.dataset[name]

    @property
    def has_energy(self) -> bool:
        """Whether it is a run of a model or of an H(q, p), not of an ẏ = f(t, y)."""
        return not self._has("y")

    def _refuse_ode(self, name: str) -> None:
        if not self.has_energy:
            raise OptionError(
                f"a run of an ode has no {name}; see y, ydot and the invariants that were named"
            )

    @property
    def p(self) -> xr.DataArray:
        """(time, momentum): canonical momenta of the joints, N m s or N s, by the names of their
        coordinates; momenta of an H(q, p).

        Where a formulation has none of joints in its state they follow from q and the speeds.
        """
        self._refuse_ode("p")
        if "p" not in self.dataset:
            found = import_attribute("hamiltree.analysis.canonical_momenta:canonical_momenta")(self)
            made = self.dataset["q"].copy(data=found).rename("p")
            made.attrs["units"] = MODEL_VARIABLES["p"][1]
        else:
            made = self.dataset["p"]
        return made.rename(coordinate="momentum") if "coordinate" in made.dims else made

    @property
    def qdot(self) -> xr.DataArray:
        """(time, coordinate): rates of the coordinates, rad/s or m/s."""
        self._refuse_ode("qdot")
        return self.dataset["qdot"]

    @property
    def kinetic_energy(self) -> xr.DataArray:
        """T of a model, J."""
        return self.dataset["kinetic_energy"]

    @property
    def potential_energy(self) -> xr.DataArray:
        """V of a model: gravity, springs and all forces with a potential, J."""
        return self.dataset["potential_energy"]

    @property
    def energy(self) -> xr.DataArray:
        """H; of a model T + V, J."""
        self._refuse_ode("energy")
        if "energy" in self.dataset:
            return self.dataset["energy"]
        total = self.kinetic_energy + self.potential_energy
        return total.rename("energy").assign_attrs(units="J")

    @property
    def poses(self) -> xr.DataArray:
        """(time, body, 7): position of each body's origin, unit quaternion from body to world."""
        return self.dataset["pose"]

    @property
    def twists(self) -> xr.DataArray:
        """(time, body, 6): angular velocity and velocity of each body's origin, world axes."""
        return self.dataset["twist"]

    @property
    def work(self) -> xr.DataArray:
        """Work of non-conservative forces (dampers, applied loads) since the start, J: the change
        of H of an exact run.
        """
        self._refuse_ode("work")
        return self.dataset["work"]

    @property
    def energy_balance(self) -> xr.DataArray:
        """H − H(0) − work, J: zero if the run were exact."""
        return self.work.copy(data=self._balance()).rename("energy_balance").assign_attrs(units="J")

    def _balance(self) -> np.ndarray:
        """H − H(0) − work as a plain array; of bodies that nothing fixes in space as seen from
        origins that move with them.
        """
        self._refuse_ode("energy")
        if self._has(ENERGY_WITHIN):
            within = self._values(ENERGY_WITHIN)
            return within - within[0]
        if self._has("energy"):
            energy = self._values("energy")
        else:
            energy = self._values("kinetic_energy") + self._values("potential_energy")
        return energy_balance(energy, self._values("work"))

    @property
    def energy_error(self) -> float:
        """Largest |H − H(0) − work| among the samples, relative to `energy_scale`."""
        return relative_error(float(np.abs(self._balance()).max()), self.energy_scale)

    @property
    def energy_scale(self) -> float:
        """The largest kinetic energy of the motion, J: that about the centre of mass for bodies
        that nothing fixes in space, and at most six times its mean over time, without what an
        error of the energy has added. The same for every observer who moves uniformly.
        """
        self._refuse_ode("energy")
        names = (ENERGY_WITHIN,) if self._has(ENERGY_WITHIN) else ("energy", "potential_energy")
        parts = [self._values(name) for name in names if self._has(name)]
        return energy_scale(self._values("t"), self._kinetic_energy(), self._balance(), parts)

    def _kinetic_energy(self) -> np.ndarray:
        """T of the motion within, as a plain array; of an H(q, p) |p · ∂H/∂p| / 2."""
        for name in (KINETIC_ENERGY_WITHIN, "kinetic_energy"):
            if self._has(name):
                return self._values(name)
        return np.abs(0.5 * (self._values("p") * self._values("qdot")).sum(axis=1))

    @property
    def peak_kinetic_energy(self) -> float:
        """Largest T of the samples, J; of an H(q, p) the largest |p · ∂H/∂p| / 2, which is T where
        T is quadratic in p.
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
        if RESIDUAL not in self.dataset:
            raise OptionError(
                "this run has no constraint residuals: its model has no loops and no constraints, "
                f"and {self.provenance['formulation']} does not keep joints by constraints (JOINTS "
                "in `supports` of a formulation in absolute coordinates)"
            )
        return self.dataset[RESIDUAL]

    @property
    def constraint_error(self) -> float:
        """The largest residual of a constraint among the samples, m or rad; 0 if there is none."""
        return self._largest(RESIDUAL)

    @property
    def velocity_constraint_error(self) -> float:
        """The largest residual rate among the samples, m/s or rad/s; 0 if there is none."""
        return self._largest(RESIDUAL_RATE)

    def _largest(self, name: str) -> float:
        return float(self._values(name).max(initial=0.0)) if self._has(name) else 0.0

    @property
    def singular_positions(self) -> list[tuple[float, str]]:
        """Time and part of the singular positions that were passed: the first thousand."""
        return [tuple(each.values()) for each in self.statistics.get("singular_positions", [])]

    # ---- quaternions -----------------------------------------------------------------------------
    @property
    def quaternion_error(self) -> float:
        """Largest | ‖q‖² − 1 | of the quaternions of joints or bodies, or entry of RᵀR − 1, among
        the samples: that of the state, before a recorded q is normalised (hamiltonian_loops);
        0 to rounding where q is read from poses, which have unit quaternions (absolute
        coordinates).
        """
        if self._has("norm_error"):
            return float(np.abs(self._values("norm_error")).max())
        return quaternion_norm_error(self._values("q"), self.quaternion_rows)

    @cached_property
    def quaternion_rows(self) -> list[int]:
        """Where the quaternions begin in q."""
        return quaternion_rows_of(self._names("coordinate")) if self.has_bodies else []

    @property
    def has_bodies(self) -> bool:
        """Whether it is a run of a model, not of an H(q, p) or an ode."""
        return self._has("pose")

    @property
    def inputs(self) -> xr.DataArray:
        """(time, part): what each input of the model is from that time on, N or N m."""
        if "input" not in self.dataset:
            raise OptionError(
                "this run has no inputs: its model has no JointInput, JointActuator or BodyInput"
            )
        return self.dataset["input"]

    @property
    def invariants(self) -> xr.DataArray:
        """(time, invariant): the values of the invariants that were named with H or with an ode."""
        if "invariants" not in self.dataset:
            raise OptionError(
                "invariants are named with an H(q, p) or an ode; of a model see energy_error, "
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
        return collected_sections(self.dataset)

    def section(
        self, expression: str | Event, direction: int | str = 0, where: str = ""
    ) -> xr.Dataset:
        """Where the stored samples cross an expression or an Event, between samples by
        interpolation: t, q, p by point.

        Its accuracy depends on the spacing of the samples; a section that is asked for before the
        run (simulate(…, sections=[…])) is exact.
        """
        if not isinstance(expression, Event):
            return interpolate_section(self, Event(expression, direction, where))
        if direction != 0 or where:
            raise OptionError("an Event has its own direction and where: give them there")
        return interpolate_section(self, expression)

    @property
    def passed_limits(self) -> tuple[PassedLimit, ...]:
        """The first sample at which each limit of a joint (Limits) was passed; empty if none."""
        return passed_limits(self)

    @property
    def names(self) -> Names:
        """What an expression about a sample may name: of an H(q, p) or an ode its own names, of a
        model joint, p_joint and joint_dot.
        """
        return sample_names(self)

    # ---- where it came from ----------------------------------------------------------------------
    @property
    def provenance(self) -> dict[str, Any]:
        """Version, source hash, model, options and outcome of the run."""
        return {key: value for key, value in self._attributes.items() if key != "statistics"}

    @property
    def statistics(self) -> dict[str, Any]:
        """Steps, calls of the equations, evaluations and seconds."""
        return json.loads(self._outcome.get("statistics", "{}"))

    @property
    def status(self) -> str:
        """ "complete", or why the run ended earlier."""
        return self._outcome["status"]

    @cached_property
    def verdict(self) -> str:
        """ "good", "doubtful" or "bad": by the last report, else by what was recorded."""
        return self._outcome.get("verdict") or recorded_verdict(self)

    @property
    def model(self) -> Model:
        """The model that was run, read from the provenance if the run came from a file."""
        if not isinstance(self._problem, Model):
            self._problem = stored_model(self._attributes)
        return self._problem

    @property
    def hamiltonian(self) -> Hamiltonian:
        """The H(q, p) that was run, made again from the provenance if the run came from a file."""
        if not isinstance(self._problem, Hamiltonian):
            self._problem = stored_hamiltonian(self._attributes)
        return self._problem

    @property
    def ode(self) -> Ode:
        """The ẏ = f(t, y) that was run, from the provenance if the run came from a file."""
        if not isinstance(self._problem, Ode):
            self._problem = stored_ode(self._attributes)
        return self._problem

    # ---- files -----------------------------------------------------------------------------------
    def save(self, path: str | os.PathLike, force: bool = False) -> Path:
        """Write a netCDF file, whole or not at all; an existing file is kept unless forced."""
        return write_dataset(self.dataset, writable_path(path, force))

    @classmethod
    def load(cls, path: Paths) -> Trajectory:
        """Read a netCDF file that a run or `save` has written, also one of a run that was cut
        short; all files of a run that has several, a list of them, or a pattern with *.
        """
        return cls(read_dataset(path))
