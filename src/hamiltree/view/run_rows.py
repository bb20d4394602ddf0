"""What a run is worth, in rows: size, accuracy, conserved quantities, constraints, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hamiltree.assembly.report import MechanismReport

MAX_LIMITS = 3  # of joints that were passed and are named
Row = tuple[str, str, str]  # quantity, value, explanation


def report_rows(run: Any) -> list[Row]:
    """All rows of the table."""
    return [
        *size_rows(run),
        *energy_rows(run),
        *quaternion_rows(run),
        *constraint_rows(run),
        *invariant_rows(run),
        *section_rows(run),
        *limit_rows(run),
        *cost_rows(run),
    ]


def is_of_model(run: Any) -> bool:
    return "body" in run.dataset.sizes


def chooses_steps(run: Any) -> bool:
    """Whether the integrator chose its steps itself."""
    return "refused" in run.statistics or "step_density" in run.statistics


def size_rows(run: Any) -> list[Row]:
    """How many bodies or coordinates, and how long they were simulated."""
    about = run.provenance
    what = "coordinates" if run.has_energy else "variables"
    dimension = what.removesuffix("s")
    unit = ""
    if is_of_model(run):
        what = "bodies"
        dimension = "body"
        unit = " s"
    count = run.statistics.get("steps")
    steps = "the run did not end" if count is None else f"{count} step{'s' * (count > 1)}"
    if count is not None and not chooses_steps(run):
        steps += f" of {min(about['step'], about['until']):g}{unit}"
    return [
        (what, f"{run.dataset.sizes[dimension]}", about["formulation"]),
        ("simulated", f"{float(run.t[-1]):g}{unit}", f"{steps}, {about['integrator']}"),
    ]


# ---- accuracy ------------------------------------------------------------------------------------
def energy_rows(run: Any) -> list[Row]:
    """The energy error, and the work that belongs in the balance if any was done."""
    if not run.has_energy:
        return []
    is_hamiltonian = "energy" in run.dataset
    change = "|H − H₀ − work|" if run.work.values.any() else "|H − H₀|"
    scale = f"of the kinetic energy, {run.energy_scale:.3g} J"
    if is_hamiltonian:
        worst = float(abs(run.energy_balance).max())
        itself = f"; itself {worst:.1e}, H₀ = {float(run.energy[0]):g}"
        scale = f"of the largest |p·∂H/∂p|/2, {run.energy_scale:.3g}{itself}"
    if not run.peak_kinetic_energy:
        scale = "of nothing that moves"
    error = f"largest {change} of the samples, {scale}"
    rows = [("energy error", f"{run.energy_error:.1e}", error)]
    if run.work.values.any():
        rows.insert(0, work_row(run, is_hamiltonian))
    return rows


def work_row(run: Any, is_hamiltonian: bool) -> Row:
    """The work from start to end."""
    work = f"{float(run.work[-1]):+.4g}"
    if is_hamiltonian:
        return "work", work, "integral of ∂H/∂t"
    sources = "non-conservative forces" + " and drives" * ("opening" in run.dataset)
    return "work", f"{work} J", f"of {sources}, from start to end"


def quaternion_rows(run: Any) -> list[Row]:
    """How well unit quaternions kept their norm."""
    if not (run.has_bodies and run.quaternion_rows):
        return []
    what = f"largest | ‖q‖² − 1 | {describe_normalisation(run)}"
    return [("quaternion error", f"{run.quaternion_error:.1e}", what)]


def describe_normalisation(run: Any) -> str:
    """What the formulation does with the norm of quaternions, by what it records."""
    has_residuals = "opening" in run.dataset
    if "norm_error" not in run.dataset:  # absolute coordinates have residuals of all joints
        return "of q, read from unit quaternions" if has_residuals else "of q, never normalised"
    return "of the state; recorded q is normalised" if has_residuals else "of the state"


def invariant_rows(run: Any) -> list[Row]:
    if "invariants" not in run.dataset:
        return []
    return [
        (name, f"{worst:.1e}", "largest change of this invariant")
        for name, worst in run.invariant_errors.items()
    ]


def section_rows(run: Any) -> list[Row]:
    return [
        (f"section {name}", f"{points.sizes['point']}", "points")
        for name, points in run.sections.items()
    ]


def limit_rows(run: Any) -> list[Row]:
    """How many limits of joints were passed, and which of them first."""
    passed = run.passed_limits
    if not passed:
        return []
    listed = "; ".join(map(str, passed[:MAX_LIMITS])) + "; …" * (len(passed) > MAX_LIMITS)
    return [("limits passed", str(len(passed)), listed)]


# ---- constraints ---------------------------------------------------------------------------------
def constraint_rows(run: Any) -> list[Row]:
    """The constraint residuals of a run with loops or constraints, and its degrees of freedom."""
    if "opening" not in run.dataset:
        return []
    position = "largest constraint residual, m or rad"
    velocity = "largest residual rate, m/s or rad/s"
    return [
        ("position constraints", f"{run.constraint_error:.1e}", position),
        ("velocity constraints", f"{run.velocity_constraint_error:.1e}", velocity),
        *independence_rows(run.statistics),
        *freedom_rows(run),
    ]


def independence_rows(counted: dict[str, Any]) -> list[Row]:
    """How near the constraints came to losing rank, and the singular positions that were passed."""
    if "least_independence" not in counted:
        return []
    least = counted["least_independence"]
    what = f"least sine between a constraint and the others, t = {least['t']:.6g}, {least['part']}"
    rows = [("independence", f"{least['sine']:.1e}", what)]
    if passed := counted.get("singular_positions_passed", 0):
        first = counted["singular_positions"][0]
        where = f"the first at t = {first['t']:.6g}, {first['part']}; {counted['branch']}"
        rows.append(("singular positions", f"{passed}", where))
    return rows


def freedom_rows(run: Any) -> list[Row]:
    """The degrees of freedom at the start, if there are constraint rows."""
    from hamiltree.assembly.report import mechanism

    found = mechanism(run.model, run.q.values[0])
    if not found.rows:
        return []
    return [("degrees of freedom", str(found.degrees_of_freedom), describe_count(found))]


def describe_count(found: MechanismReport) -> str:
    """The count by Grübler and Kutzbach, and the redundant rows where it differs from the rank."""
    by_count = f"by Jacobian rank; {found.counted_degrees_of_freedom} by Grübler–Kutzbach"
    if not found.redundant:
        return by_count
    parts = [f"{count} of {part}" for part, count in found.redundant.items()]
    if len(parts) > 5:
        return f"{by_count}; redundant rows: {', '.join(parts[:4])} and {len(parts) - 4} more parts"
    return f"{by_count}; redundant rows: {', '.join(parts)}"


# ---- cost ----------------------------------------------------------------------------------------
def cost_rows(run: Any) -> list[Row]:
    """Evaluations, what the integrator counted, and time."""
    counted = run.statistics
    if not counted:  # of a run that was killed
        return []
    evaluations, seconds = counted["evaluations"], counted["seconds"]
    per_call = evaluations // max(1, counted["calls"])
    bodies = run.dataset.sizes["body"] if is_of_model(run) else 1
    cost = 1e9 * seconds / max(1, evaluations) / bodies
    noun = "evaluation" if per_call == 1 else "evaluations"
    calls = f"{counted['calls_per_step']:.2f} calls per step, {per_call} {noun} per call"
    rows = [("evaluations", f"{evaluations}", calls)]
    if "refused" in counted:
        rows.append(("rejected", f"{counted['refused']}", "steps whose error was too large"))
    if "copy_gap" in counted:
        rows.append(("gap", f"{counted['copy_gap']:.1e}", "largest difference of the two copies"))
    per = "per body and evaluation" if is_of_model(run) else "per evaluation"
    return [
        *rows,
        ("time", f"{seconds:.2f} s", "in the compiled loop"),
        ("cost", f"{cost:.1f} ns", per),
    ]
