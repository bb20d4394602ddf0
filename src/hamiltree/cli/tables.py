"""The tables that the command line prints: what there is, what a model is made of, and what the
loops of a run are worth.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table

if TYPE_CHECKING:
    from hamiltree.assembly.report import MechanismReport
    from hamiltree.model import Model

MAX_LISTED_PARTS = 200  # of a larger model so many bodies and joints are listed


def plain_table(title: str, *columns: str, steady: tuple[int, ...] = (0,)) -> Table:
    """`steady` columns are not broken into lines; nothing is ever cut off."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, header_style="dim", no_wrap=number in steady, overflow="fold")
    return table


def first_line(thing: Any) -> str:
    return (thing.__doc__ or "").strip().split("\n")[0]


# ---- what there is -------------------------------------------------------------------------------
def joints_table() -> Table:
    from hamiltree.model import JOINTS

    table = plain_table("joints", "kind", "coordinates", "what it is")
    for kind, joint in JOINTS.items():
        count = joint.coordinates
        table.add_row(kind, str(count) if isinstance(count, int) else "any", first_line(joint))
    return table


def couplings_table() -> Table:
    from hamiltree.model import COUPLINGS

    table = plain_table("\ncouplings of joints", "kind", "what it is")
    for kind, coupling in COUPLINGS.items():
        table.add_row(kind, first_line(coupling))
    return table


def constraints_table() -> Table:
    from hamiltree.model import CONSTRAINTS

    table = plain_table("\nconstraints beside the joints", "kind", "what it is")
    for kind, constraint in CONSTRAINTS.items():
        table.add_row(kind, first_line(constraint))
    return table


def forces_table() -> Table:
    from hamiltree.model import FORCES

    table = plain_table("\nforces (and gravity, of the model)", "kind", "what it is")
    for kind, force in FORCES.items():
        table.add_row(kind, first_line(force))
    return table


def models_table() -> Table:
    from hamiltree.model.library import LIBRARY

    table = plain_table("\nmodels: hamiltree.library", "name", "what it is")
    for name, model in LIBRARY.items():
        table.add_row(name, first_line(model))
    return table


def formulations_table() -> Table:
    from hamiltree.formulations import FORMULATIONS

    table = plain_table(
        "\nformulations (docs/formulations.md helps to choose)",
        "name",
        "",
        "what it is",
        steady=(0, 1),
    )
    for name, formulation in FORMULATIONS.items():
        table.add_row(name, "is", formulation.summary)
        for title, text in zip(("for", "state", "keeps", "cost"), formulation.traits, strict=True):
            table.add_row("", title, text)
        table.add_row("", "from", formulation.reference)
    return table


def integrators_table() -> Table:
    from hamiltree.integrators import INTEGRATORS

    table = plain_table("\nintegrators", "name", "order", "traits", "fits", "reference")
    for name, integrator in INTEGRATORS.items():
        table.add_row(
            name,
            str(integrator.order),
            integrator.traits,
            fitting_formulations(integrator),
            integrator.reference.split(";")[0],
        )
    return table


def fitting_formulations(integrator: Any) -> str:
    """Which formulations an integrator fits; those in absolute coordinates that differ only in
    their equations are one word.
    """
    from hamiltree.formulations import FORMULATIONS
    from hamiltree.run.choices import is_compatible

    found = [
        name for name, formulation in FORMULATIONS.items() if is_compatible(formulation, integrator)
    ]
    numbered = [name for name in found if name.removeprefix("cartesian_").isdigit()]
    if len(numbered) > 1:
        place, last = found.index(numbered[0]), numbered[-1].removeprefix("cartesian_")
        found = [name for name in found if name not in numbered]
        found.insert(place, f"{numbered[0]}…{last}")
    return ", ".join(found) or "none"


# ---- a model -------------------------------------------------------------------------------------
def info_tables(model: Model) -> list[Table]:
    """Bodies, joints, constraints, couplings and forces, whatever there is of them."""
    return [
        table
        for table in (
            bodies_of(model),
            joints_of(model),
            constraints_of(model),
            couplings_of(model),
            forces_of(model),
        )
        if table
    ]


def bodies_of(model: Model) -> Table:
    table = plain_table(
        f"{model.name}: bodies ({len(model.bodies)})", "name", "mass / kg", "centre of mass / m"
    )
    for body in model.bodies[:MAX_LISTED_PARTS]:
        table.add_row(body.name, f"{body.mass:.6g}", numbers(body.com))
    return add_remainder_row(table, len(model.bodies))


def joints_of(model: Model) -> Table:
    table = plain_table(
        f"\njoints ({len(model.joints)})", "name", "kind", "from", "to", "at the start"
    )
    closing = set(model.closing)
    for joint in model.joints[:MAX_LISTED_PARTS]:
        start = "closes a loop" if joint.name in closing else numbers(joint.start()[0])
        table.add_row(joint.name, joint.kind, joint.parent, joint.child, start)
    return add_remainder_row(table, len(model.joints))


def constraints_of(model: Model) -> Table | None:
    table = plain_table(f"\nconstraints ({len(model.constraints)})", "name", "kind", "on")
    for constraint in model.constraints:
        table.add_row(constraint.name, constraint.kind, target_names(constraint))
    return table if model.constraints else None


def couplings_of(model: Model) -> Table | None:
    table = plain_table(f"\ncouplings ({len(model.couplings)})", "kind", "joint", "follows")
    for coupling in model.couplings:
        table.add_row(coupling.kind, coupling.joint, coupling.of)
    return table if model.couplings else None


def forces_of(model: Model) -> Table | None:
    table = plain_table(f"\nforces ({len(model.forces)})", "name", "kind", "on")
    for force in model.forces[:MAX_LISTED_PARTS]:
        table.add_row(force.name, force.kind, target_names(force))
    return add_remainder_row(table, len(model.forces)) if model.forces else None


def target_names(element: Any) -> str:
    """The joints and bodies that a force or a constraint refers to."""
    return ", ".join(str(getattr(element, field)) for field in element.references)


def add_remainder_row(table: Table, count: int) -> Table:
    if count > MAX_LISTED_PARTS:
        table.add_row(f"… and {count - MAX_LISTED_PARTS} more")
    return table


def numbers(values: Any) -> str:
    return ", ".join(f"{value:.6g}" for value in values)


# ---- loops ---------------------------------------------------------------------------------------
def loop_rows(run: Any) -> list[tuple[str, str, str]]:
    """Of a run with constraints: how well they were kept, and what they leave to move."""
    if "opening" not in run.dataset:
        return []
    rows = [
        (
            "position constraints",
            f"{run.constraint_error:.1e}",
            "largest opening of a joint or constraint, m or rad",
        ),
        (
            "velocity constraints",
            f"{run.velocity_constraint_error:.1e}",
            "largest rate of one, m/s or rad/s",
        ),
    ]
    return [*rows, *freedom_rows(run)]


def freedom_rows(run: Any) -> list[tuple[str, str, str]]:
    from hamiltree.assembly.report import mechanism

    report = mechanism(run.model, run.q.values[0])
    return (
        [("degrees of freedom", str(report.degrees_of_freedom), describe_count(report))]
        if report.rows
        else []
    )


def describe_count(report: MechanismReport) -> str:
    """Where the count by Grübler differs, what is redundant."""
    by_count = f"by rank; {report.counted_degrees_of_freedom} by count"
    if not report.redundant:
        return by_count
    shown = [f"{count} of {part}" for part, count in report.redundant.items()]
    rest = f" and {len(shown) - 4} more parts" if len(shown) > 5 else ""
    return f"{by_count}; redundant rows: {', '.join(shown[:4] if rest else shown)}{rest}"
