"""A comparison as text of at most 120 columns, and as JSON."""

from __future__ import annotations

import json
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hamiltree.trajectory.netcdf import writable_path

if TYPE_CHECKING:
    from hamiltree.analysis.compare.comparison import Comparison

WIDTH = 120


@dataclass(frozen=True)
class Disagreement:
    """The largest difference of one quantity between formulations, and whose it is."""

    quantity: str
    unit: str
    largest: float
    scale: float  # what it is measured against, in the same unit
    allowed: float
    formulation: str
    body: str  # or joint
    beyond: tuple[str, ...] = ()  # all formulations that differ by more than is allowed

    @property
    def relative(self) -> float:
        return self.largest / self.scale if self.scale else 0.0

    @property
    def agrees(self) -> bool:
        return self.largest <= self.allowed


def as_text(made: Comparison) -> str:
    """Formulations, differences, culprits, notes, and the verdict."""
    parts = [
        formulations_text(made),
        differences_text(made),
        *cause_lines(made),
        *map(wrap_line, made.notes),
        verdict(made),
    ]
    return "\n".join(part for part in parts if part)


def formulations_text(made: Comparison) -> str:
    """Energies and largest accelerations of each formulation; why others were refused or failed."""
    rows = [
        ["formulation", "T / J", "V / J", "dE/dt / W", "largest a / m/s²", "largest α / rad/s²"]
    ]
    for name in made.formulations:
        values = made.accelerations.sel(formulation=name).values
        energy = made.energies.sel(formulation=name)
        numbers = [float(energy.sel(part=part)) for part in ("kinetic", "potential", "energy_rate")]
        for part in (slice(3, 6), slice(0, 3)):
            numbers.append(float((values[:, part] ** 2).sum(1).max() ** 0.5))
        rows.append([name, *(f"{number:.10g}" for number in numbers)])
    bodies = count_noun(len(made.model.bodies), "body", "bodies")
    formulations = count_noun(len(made.formulations), "formulation", "formulations")
    failed = {name: f"FAILED: {reason}" for name, reason in made.failed.items()}
    reasons = {**made.refused, **failed}
    return "\n".join(
        [
            f"{made.model.name}: {bodies}, {formulations}",
            *align_columns(rows),
            *(wrap_line(f"{name}: {reason}") for name, reason in reasons.items()),
        ]
    )


def count_noun(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def differences_text(made: Comparison) -> str:
    """The largest difference of each quantity, against what is allowed."""
    rows = [["", "largest difference", "", "relative", "allowed", "formulation", "where"]]
    for row in made.disagreements:
        others = ""
        if len(row.beyond) > 1 and " or " not in row.formulation:
            others = f" +{len(row.beyond) - 1}"
        whose = (row.formulation + others, row.body) if row.largest > 0 else ("", "")
        mark = "" if row.agrees else "  <-- disagree"
        rows.append(
            [
                row.quantity,
                f"{row.largest:.2e}",
                row.unit,
                f"{row.relative:.1e}",
                f"{row.allowed / row.scale:.1e}",
                whose[0],
                whose[1] + mark,
            ]
        )
    return "\n".join(["", *align_columns(rows, left=(0, 2, 5, 6))])


def align_columns(rows: list[list[str]], left: tuple[int, ...] = (0,)) -> list[str]:
    """Columns of equal width; numbers to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]

    def line(row: list[str]) -> str:
        cells = (
            cell.ljust(w) if k in left else cell.rjust(w)
            for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        return "  ".join(cells).rstrip()

    return [line(row) for row in rows]


def cause_lines(made: Comparison) -> list[str]:
    """One for each cause, with all formulations that have it."""
    whose: dict[str, list[str]] = {}
    for name, cause in made.causes.items():
        whose.setdefault(cause, []).append(name)
    joined = " or " if any(" or " in row.formulation for row in made.disagreements) else ", "
    return [wrap_line(f"{joined.join(names)}: {cause}") for cause, names in whose.items()]


def verdict(made: Comparison) -> str:
    """Whether the formulations agree, in one sentence."""
    wrong = [row.quantity for row in made.disagreements if not row.agrees]
    open_runs = f"; runs NOT DECIDED: {', '.join(made.undecided)}" if made.undecided else ""
    if made.agree and len(made.formulations) == 1:
        return wrap_line(
            f"nothing to compare with: {made.formulations[0]} is the only formulation that "
            f"fits{open_runs}"
        )
    if made.agree:
        return wrap_line(f"agree: {', '.join(made.formulations)}{open_runs}")
    parts = []
    if wrong:
        parts.append(f"differences beyond tolerance: {', '.join(wrong)}")
    if made.failed:
        parts.append(f"failed: {', '.join(made.failed)}")
    return wrap_line(f"DISAGREE; {'; '.join(parts)}{open_runs}")


def wrap_line(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="    ", break_long_words=False)


# ---- JSON ----------------------------------------------------------------------------------------
def as_dict(made: Comparison) -> dict[str, Any]:
    """Lists, numbers and texts alone."""
    whole = {
        "accelerations": made.accelerations,
        "momenta": made.momenta,
        "energies": made.energies,
        "reactions": made.reactions,
    }
    return {
        "model": made.model.name,
        "agree": made.agree,
        "formulations": list(made.formulations),
        "refused": made.refused,
        "failed": made.failed,
        "disagreements": [
            {**asdict(row), "relative": row.relative, "agrees": row.agrees}
            for row in made.disagreements
        ],
        "culprits": {name: list(bodies) for name, bodies in made.culprits.items()},
        "causes": made.causes,
        "undecided": made.undecided,
        "notes": list(made.notes),
        **{name: None if values is None else array_dict(values) for name, values in whole.items()},
        "trajectories": None if made.trajectories is None else made.trajectories.to_dict(),
    }


def array_dict(array: Any) -> dict[str, Any]:
    return {
        "dims": list(array.dims),
        "coords": {name: array[name].values.tolist() for name in array.dims},
        "values": array.values.tolist(),
    }


def write_json(made: Comparison, path: str | Path | None, force: bool) -> str:
    text = json.dumps(as_dict(made), indent=1, ensure_ascii=False)
    if path is not None:
        writable_path(path, force).write_text(text + "\n", encoding="utf-8")
    return text
