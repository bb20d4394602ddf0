"""compare: one model under every formulation that fits, from one start, side by side.

Poses, twists, energies, power and the flow come from each formulation's own verbs
(states.py). Momenta, reactions, the balance of forces and the accelerations of joints are
computed by common code from its twists and accelerations; reactions also from its own multipliers
where it has them. Positions and velocities are judged by the start, accelerations by the balance of
forces and by what joints hold, and only then by the median of all (rows.py). By how much
two may differ is a tolerance times a scale that is stated with it.
Formulations are not independent in everything: kane_absolute shares constraint rows and laws of
forces with the cartesian ones, kane_relative shares the table of joint axes with hamiltonian_tree,
and all share the functions of forces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from hamiltree.analysis.compare.forces import MAX_BODIES
from hamiltree.analysis.compare.joints import JointRows
from hamiltree.analysis.compare.rows import Findings
from hamiltree.analysis.compare.runs import ANGLE_PER_STEP, INTEGRATOR, ComparedRun, RunPlan
from hamiltree.analysis.compare.starts import start_of
from hamiltree.analysis.compare.states import Masses, Probe, StateEvaluation, scales_of, start_at
from hamiltree.analysis.compare.tables import Disagreement, as_dict, as_text, write_json
from hamiltree.compiled.progress import CompileProgress
from hamiltree.errors import FitError, ModelError, OptionError, StepError
from hamiltree.formulations import FORMULATIONS, find_formulation
from hamiltree.integrators import find_integrator
from hamiltree.model import Model
from hamiltree.problems.hamiltonian import Hamiltonian
from hamiltree.problems.ode import Ode
from hamiltree.run.plan import check_positive
from hamiltree.trajectory.variables import POSE
from hamiltree.verbs import missing_verbs, poses

TOLERANCE, TRAJECTORY_TOLERANCE = 1e-9, 1e-7
MAX_TRIES = 3  # of a step that is not given
MAX_BODIES_FOR_RUNS = 60  # bodies: of more, runs are compared only if it is said until when
# runs end at the first of them unless `until` is given
LONGEST_RUN = 4.0  # natural times of the model
MOST_OSCILLATIONS = 1e3  # times the shortest time that the numbers of the model tell
RUN_ANGLE = 6.0  # rad, by the fastest body
COMPONENTS = {
    "accelerations": ["alpha_x", "alpha_y", "alpha_z", "a_x", "a_y", "a_z"],
    "momenta": ["L_x", "L_y", "L_z", "p_x", "p_y", "p_z"],
    "reactions": ["moment_x", "moment_y", "moment_z", "force_x", "force_y", "force_z"],
}
ENERGIES = ["kinetic", "potential", "kinetic_of_masses", "power", "energy_rate"]


@dataclass(frozen=True)
class Comparison:
    """What `compare` found; print it for a table. World axes, SI units, angular parts first.

    accelerations  (formulation, body, component) α, and a of the centre of mass
    momenta        (formulation, body, component) angular about the world's origin, linear
    energies       (formulation, part) T, V, T of the model's masses, power by the formulation's
                   account, d(T + V)/dt along its flow
    reactions      (formulation, joint, component) on the child, moment about the origin of the
                   joint frame on the parent; None if unknown
    trajectories   `pose` (formulation, body, pose_part) and `energy_change` at the end,
                   `integrator`, estimated errors; None if none
    disagreements  the largest difference of each quantity, and who is behind it
    refused        formulations that do not fit, and why; `failed` those that fit and then went
                   wrong
    culprits       of a formulation whose accelerations differ: the body at which that begins, or
                   several that cannot be told apart
    causes         of the same: a sentence, which also names the joint if it is one that its
                   accelerations break
    undecided      runs whose own errors are too large to compare them, and why
    """

    model: Model
    formulations: tuple[str, ...]
    refused: dict[str, str]
    failed: dict[str, str]
    accelerations: xr.DataArray
    momenta: xr.DataArray
    energies: xr.DataArray
    reactions: xr.DataArray | None
    trajectories: xr.Dataset | None
    disagreements: tuple[Disagreement, ...]
    culprits: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]
    causes: dict[str, str]
    undecided: dict[str, str]

    @property
    def agree(self) -> bool:
        """Whether nothing differs beyond what is allowed, and nothing failed."""
        return not self.failed and all(row.agrees for row in self.disagreements)

    def disagreement(self, quantity: str) -> Disagreement:
        """The row of a quantity, by its name."""
        for row in self.disagreements:
            if row.quantity == quantity:
                return row
        raise OptionError(
            f"nothing was compared as {quantity!r}; there are "
            f"{', '.join(row.quantity for row in self.disagreements)}"
        )

    def __str__(self) -> str:
        return as_text(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything as lists, numbers and texts."""
        return as_dict(self)

    def to_json(self, path: str | Path | None = None, force: bool = False) -> str:
        """The same as JSON, also into a file if a path is given; an existing file is overwritten
        only if forced.
        """
        return write_json(self, path, force)


def compare(
    model: Model,
    state: Any = None,
    *,
    formulations: Sequence[str] | None = None,
    until: float | None = None,
    step: float | None = None,
    integrator: str | None = None,
    tolerance: float = TOLERANCE,
    trajectory_tolerance: float = TRAJECTORY_TOLERANCE,
    progress: bool = True,
) -> Comparison:
    """Compare every formulation that fits a model, from one start, side by side.

    state          None for the model's own start, (q, qdot) or {"q": …, "qdot": …} of its tree, or
                   {"pose": …, "twist": …} of all bodies as a Trajectory records them
                   (run.dataset.isel(t=-1) will do); time is 0
    formulations   which; all that there are for models
    until          end of the trajectories that are compared, s: four natural times of the model
                   (that of its motion or of gravity), or less where a body turns round in less;
                   0 for none, as for more than sixty bodies if it is not given
    integrator     of the trajectories: dop853; what leaves constraints to the integrator takes
                   its own (spark6), as the notes say
    step           of an integrator that does not choose its steps, s
    tolerance      of everything at the start, relative to the scale of each quantity
    trajectory_tolerance   of positions (in parts of the size), angles (rad) and energy at the end;
                   five times the estimated errors if that is more, up to a thousand times the
                   tolerance: a run that is known less well is not decided
    progress       show it if the comparison takes more than two seconds
    """
    check_arguments(model, until, tolerance, trajectory_tolerance)
    method = None if integrator is None else find_integrator(integrator).name
    length = None if step is None else check_positive(step, "step", " s")
    names = choose_formulations(formulations)
    q, qdot = start_of(model, state)
    is_asked = formulations is not None
    with CompileProgress(progress, "comparing formulations"):
        found = StartComparison(model, q, qdot, names, tolerance, is_asked)
        return found.make_comparison(until, length, method, trajectory_tolerance)


def check_arguments(model: Any, until: Any, tolerance: float, trajectory_tolerance: float) -> None:
    """Refuse what is no model, tolerances that are not positive, and an end that is no time."""
    if not isinstance(model, Model):
        what = "read a file with hamiltree.load(path)"
        if isinstance(model, Hamiltonian):
            what = "an H(q, p) has one formulation only"
        elif isinstance(model, Ode):
            what = "an ode has one formulation only"
        raise OptionError(f"compare takes a Model, not {type(model).__name__}; {what}")
    check_positive(tolerance, "tolerance", "relative")
    check_positive(trajectory_tolerance, "trajectory_tolerance", "relative")
    if until is None or until == 0:
        return
    if not (isinstance(until, (int, float)) and 0 < until < np.inf):
        raise OptionError(
            f"until = {until!r}; it must be finite and above zero (s), or 0 for no runs"
        )


def choose_formulations(names: Sequence[str] | None) -> list[str]:
    """Formulations that move bodies, all of them if none are named."""
    if names is None:
        return [
            name for name, made in FORMULATIONS.items() if not missing_verbs(made.system, (poses,))
        ]
    if isinstance(names, str) or not names:
        raise OptionError(
            f"formulations = {names!r}; give a list of names, or leave it out for all"
        )
    found = list(dict.fromkeys(find_formulation(name).name for name in names))
    if len(found) < 2:
        raise OptionError(
            f"formulations = {list(names)!r}; name at least two, or leave it out for all"
        )
    return found


class StartComparison:
    """Formulations of a model at one start: those that fit, those that do not, those that went
    wrong.
    """

    def __init__(
        self,
        model: Model,
        q: np.ndarray,
        qdot: np.ndarray,
        names: list[str],
        tolerance: float,
        is_asked: bool = False,
    ):
        """Evaluate each formulation at the start; refused if nothing is left to compare."""
        self.model = model
        self.tolerance = tolerance
        self.masses = Masses(model)
        self.start = start_at(model, q, qdot)
        self.scales = scales_of(model, self.masses, self.start)
        self.joints: JointRows | None = None
        if len(model.bodies) <= MAX_BODIES:
            start = self.start
            self.joints = JointRows(model, q, start.pose, start.twist, self.scales)
        self.refused: dict[str, str] = {}
        self.failed: dict[str, str] = {}
        self.undecided: dict[str, str] = {}
        self.found: dict[str, StateEvaluation] = {}
        self.notes: list[str] = []
        for name in names:
            self.evaluate(name)
        if not self.found or (is_asked and self.refused and len(self.found) < 2):
            self.refuse()

    def evaluate(self, name: str) -> None:
        """Evaluate a formulation at the start: found, refused if it does not fit, or failed."""
        try:
            probe = Probe(self.model, name, self.start, self.masses, self.scales)
        except (FitError, ModelError, OptionError) as error:
            self.refused[name] = str(error)
            return
        try:
            evaluation = probe.evaluation(self.joints)
        except StepError as error:
            self.failed[name] = str(error)
            return
        if evaluation.is_finite:
            self.found[name] = evaluation
        else:
            self.failed[name] = "its energies, twists or accelerations at the start are not finite"

    def refuse(self) -> None:
        """Raise the error that nothing can be compared: one reason if all give the same."""
        reasons = {**self.refused, **self.failed}
        reasons_text = "; ".join(f"{name}: {reason}" for name, reason in reasons.items())
        same = next(iter(reasons.values())) if len(set(reasons.values())) == 1 else ""
        left = (
            f"; only {', '.join(self.found)} is left, and there is nothing to compare it with"
            if self.found
            else ""
        )
        what = (
            f"no formulations can be compared for model '{self.model.name}': {reasons_text}{left}"
        )
        raise (StepError if self.failed and not self.found else FitError)(
            (not left and same) or what
        )

    def make_comparison(
        self, until: float | None, step: float | None, integrator: str | None, tolerance: float
    ) -> Comparison:
        """Differences at the start and at the end of the runs, their causes, and all arrays."""
        findings = Findings(
            self.model,
            self.start,
            self.masses,
            self.scales,
            self.joints,
            self.found,
            self.tolerance,
        )
        whose = findings.ambiguous_names(findings.names)
        rows = [row.judge(findings.names, self.tolerance, whose) for row in findings.rows()]
        runs: dict[str, ComparedRun] = {}
        if self.wants_runs(until):
            runs = self.runs(self.run_plan(findings, until, step, integrator))
        rows += self.run_rows(findings, runs, tolerance)
        if len(self.found) == 1:
            self.notes.append("only one formulation fits: there is nothing to compare it with")
        found = findings.discrepancy_causes
        accelerations, momenta, energies, reactions = self.arrays(findings)
        return Comparison(
            model=self.model,
            formulations=tuple(self.found),
            refused=self.refused,
            failed=self.failed,
            accelerations=accelerations,
            momenta=momenta,
            energies=energies,
            reactions=reactions,
            trajectories=dataset(runs, findings.bodies) if runs else None,
            disagreements=tuple(rows),
            culprits={name: bodies for name, (bodies, _) in found.items()},
            notes=(*findings.notes, *self.notes),
            causes={name: words for name, (_, words) in found.items()},
            undecided=self.undecided,
        )

    # ---- trajectories ----------------------------------------------------------------------------
    def wants_runs(self, until: float | None) -> bool:
        """Whether runs are compared: not if until = 0, nor of large models by default."""
        if until is None and len(self.model.bodies) > MAX_BODIES_FOR_RUNS:
            self.notes.append(
                f"no runs are compared by default for more than {MAX_BODIES_FOR_RUNS} bodies; give "
                "`until` (--until) for them"
            )
            return False
        return until != 0

    def run_rows(
        self, findings: Findings, runs: dict[str, ComparedRun], tolerance: float
    ) -> list[Disagreement]:
        """Differences between the ends of the runs whose estimated errors are small enough."""
        for name, ran in runs.items():
            if findings.undecided(ran, tolerance):
                errors = ", ".join(
                    f"{error:.1e} {unit}"
                    for error, unit in zip(ran.errors, ("m", "rad", "J"), strict=True)
                )
                self.undecided[name] = f"the estimated errors of its run are too large: {errors}"
                self.notes.append(
                    f"{name}: its run is NOT DECIDED: {self.undecided[name]}; try a shorter step "
                    "or an earlier end"
                )
        decided = {name: ran for name, ran in runs.items() if name not in self.undecided}
        if len(decided) < 2:
            return []
        return [
            row.judge(list(decided), tolerance, findings.ambiguous_names(list(decided)))
            for row in findings.run_rows(decided)
        ]

    def run_plan(
        self, findings: Findings, until: float | None, step: float | None, integrator: str | None
    ) -> RunPlan:
        """Runs to the end that was asked for, or about a turn of the fastest body."""
        natural = self.scales.natural
        longest = min(LONGEST_RUN * natural.time, MOST_OSCILLATIONS * natural.shortest_time)
        end = min(longest, RUN_ANGLE / findings.turning) if until is None else until
        length = min(ANGLE_PER_STEP / findings.turning, end / 10) if step is None else step
        return RunPlan(
            self.model,
            self.start.q,
            self.start.speeds,
            end,
            length,
            integrator or INTEGRATOR,
            MAX_TRIES if step is None else 1,
        )

    def runs(self, run_plan: RunPlan) -> dict[str, ComparedRun]:
        """A run by every formulation that was evaluated at the start.

        One that goes wrong where another arrives with the same integrator has failed.
        """
        found: dict[str, ComparedRun] = {}
        wrong: dict[str, str] = {}
        for name in self.found:
            try:
                ran = run_plan.run(name)
            except StepError as error:
                wrong[name] = str(error)
                continue
            if ran.end.t < run_plan.until * (1 - 1e-9):
                self.notes.append(
                    f"{name}: its run ended at t = {ran.end.t:g} s and is not compared"
                )
            else:
                found[name] = ran
        arrived = {ran.integrator for ran in found.values()}
        for name, error in wrong.items():
            if run_plan.integrator_for(name) in arrived:
                self.failed[name] = (
                    f"its run went wrong, others with the same integrator did not: {error}"
                )
            else:
                self.notes.append(f"{name}: its run went wrong and is not compared: {error}")
        others = [name for name, ran in found.items() if ran.integrator != run_plan.integrator]
        own = ", ".join(dict.fromkeys(found[name].integrator for name in others))
        fit = (
            f"; {', '.join(others)}, which {run_plan.integrator} does not fit, by {own}"
            if others
            else ""
        )
        self.notes.append(f"runs of {run_plan.until:g} s by {run_plan.integrator}{fit}")
        return found

    # ---- data ------------------------------------------------------------------------------------
    def arrays(
        self, findings: Findings
    ) -> tuple[xr.DataArray, xr.DataArray, xr.DataArray, xr.DataArray | None]:
        """Accelerations, momenta, energies, reactions."""
        energies = findings.stack(lambda m: [*m.energy, m.kinetic, *m.power])
        whole = xr.DataArray(
            energies,
            {"formulation": findings.names, "part": ENERGIES},
            ("formulation", "part"),
            "energies",
        )
        reactions = [
            np.concatenate([made.moment, made.force], axis=1) for made in findings.forces.values()
        ]
        return (
            label_array(
                "accelerations",
                findings.stack(lambda m: m.acceleration),
                findings.names,
                "body",
                findings.bodies,
            ),
            label_array(
                "momenta",
                findings.stack(lambda m: m.momentum),
                findings.names,
                "body",
                findings.bodies,
            ),
            whole,
            label_array("reactions", np.array(reactions), findings.names, "joint", findings.joints)
            if reactions
            else None,
        )


def label_array(
    what: str, values: np.ndarray, names: list[str], over: str, items: list[str]
) -> xr.DataArray:
    labels = {"formulation": names, over: items, "component": COMPONENTS[what]}
    return xr.DataArray(values, labels, ("formulation", over, "component"), what)


def dataset(runs: dict[str, ComparedRun], bodies: list[str]) -> xr.Dataset:
    """Ends of runs, and the estimated errors of position, attitude and energy."""
    return xr.Dataset(
        {
            "pose": (
                ("formulation", "body", "pose_part"),
                np.array([ran.end.pose for ran in runs.values()]),
            ),
            "energy_change": (
                ("formulation",),
                np.array([ran.end.energy for ran in runs.values()]),
            ),
            "integrator": (("formulation",), [ran.integrator for ran in runs.values()]),
            "error": (("formulation", "of"), np.array([ran.errors for ran in runs.values()])),
        },
        {
            "formulation": list(runs),
            "body": bodies,
            "pose_part": list(POSE),
            "of": ["position", "attitude", "energy"],
        },
    )
