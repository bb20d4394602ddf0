"""The ledger of energy: what each force element of a model stores over time, and what work it did.

ΔT = Σ work of all elements. Of an element that stores energy, work is −Δstored and what it did
beside (element_work.py); uniform gravity is an element, and so are drives and prescribed motions.
What is left, ΔT − Σ work, is the `remainder`: the run's own error of the energy, and what the
samples are too far apart for.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FitError, OptionError
from hamiltree.model.constraints import Drive, Motion
from hamiltree.model.model import Model
from hamiltree.verdict.element_work import (
    Nodes,
    RecordedStates,
    energies_and_work,
    gravity_energy,
    work_of_drives,
    work_of_motions,
)

if TYPE_CHECKING:
    import xarray as xr

    from hamiltree.trajectory.trajectory import Trajectory

Array = np.ndarray
GRAVITY = "gravity"
MAX_LISTED = 24  # elements of a printed table
COARSE = 10.0  # times the run's own error: a larger remainder comes from the samples
ROUNDINGS = 64 * 2.0**-52  # of an energy: less work than that is none
NOTABLE = 1e-6  # of the exchanged energy: a smaller remainder is not worth a note
ASK_DENSE = "ledger(dense=True) makes the run again with every step recorded"
HEADINGS = ("element", "kind", "stored, start", "stored, end", "range", "work, J")
TOO_COARSE = (
    "the remainder is larger than the run's own error of the energy: the samples are too far apart "
    "for the work of each element"
)


@dataclass(frozen=True, eq=False, repr=False)
class Ledger:
    """Energies by element at the samples of a run.

    dataset   stored and work by (t, element), J, with the `kind` of each element; kinetic_energy,
              recorded_work (of all that has no potential, as the run integrated it), balance
              (H − H(0) − recorded_work) and remainder by t
    seconds   what it took to make it
    notes     what a reader must know of the numbers
    """

    dataset: xr.Dataset
    seconds: float
    notes: tuple[str, ...] = ()

    @property
    def elements(self) -> list[str]:
        return [str(name) for name in self.dataset["element"].values]

    @property
    def kinds(self) -> dict[str, str]:
        """The kind of each element by its name."""
        kinds = map(str, self.dataset["kind"].values)
        return dict(zip(self.elements, kinds, strict=True))

    @property
    def stored(self) -> xr.DataArray:
        """(t, element): potential energy, J."""
        return self.dataset["stored"]

    @property
    def work(self) -> xr.DataArray:
        """(t, element): what each did since the start, J; of one that only stores, −Δstored."""
        return self.dataset["work"]

    @property
    def unstored_work(self) -> np.ndarray:
        """(t, element): what each did beside the energy that it stores, J; zero where that is
        rounding.
        """
        stored, work = self.stored.values, self.work.values
        did = work + stored - stored[:1]
        largest = np.maximum(np.abs(stored), np.abs(work)).max(axis=0, initial=0.0)
        return np.where(np.abs(did).max(axis=0, initial=0.0) > ROUNDINGS * largest, did, 0.0)

    @property
    def remainder(self) -> xr.DataArray:
        """(t): T − T(0) − Σ work, J."""
        return self.dataset["remainder"]

    @property
    def exchanged(self) -> float:
        """The largest ½ (|ΔT| + Σ |work|) of the samples, J: what has changed hands."""
        kinetic = self.dataset["kinetic_energy"].values
        moved = np.abs(self.work.values).sum(axis=1) + np.abs(kinetic - kinetic[0])
        return 0.5 * float(moved.max())

    @property
    def largest_remainder(self) -> float:
        """The largest |remainder| among the samples, J."""
        return float(np.abs(self.remainder.values).max())

    def rows(self) -> Iterator[dict[str, Any]]:
        """Plain numbers of every element: name, kind, stored at the start and at the end, the range
        of what is stored, work at the end; J.
        """
        stored, work = self.stored.values, self.work.values
        for k, (name, kind) in enumerate(self.kinds.items()):
            yield {
                "element": name,
                "kind": kind,
                "stored_start": float(stored[0, k]),
                "stored_end": float(stored[-1, k]),
                "stored_range": float(np.ptp(stored[:, k])),
                "work": float(work[-1, k]),
            }

    def table(self, most: int = MAX_LISTED, width: float = math.inf) -> str:
        """The ledger as text: the elements that store or do most, kinetic energy, remainder; where
        a line would be wider than `width`, numbers are under the names.
        """
        rows = list(self.rows())
        by_size = sorted(rows, key=lambda row: -(row["stored_range"] + abs(row["work"])))
        listed = [row for row in rows if any(row is large for large in by_size[:most])]
        cells = [HEADINGS, *map(row_texts, listed)]
        if len(listed) < len(rows):
            rest = sum(row["work"] for row in rows) - sum(row["work"] for row in listed)
            cells.append((f"{len(rows) - len(listed)} more", "", "", "", "", f"{rest:.6g}"))
        kinetic = self.dataset["kinetic_energy"].values
        ends = f"{kinetic[0]:.6g}", f"{kinetic[-1]:.6g}", f"{np.ptp(kinetic):.6g}"
        cells.append(("kinetic energy", "", *ends, f"{kinetic[-1] - kinetic[0]:.6g}"))
        worst = f"at most {self.largest_remainder:.2g}"
        cells.append(("remainder", "", "", "", worst, f"{self.remainder.values[-1]:.2g}"))
        return "\n".join([*align(cells, width), *(f"note: {note}" for note in self.notes)])

    def __repr__(self) -> str:
        return self.table()


def row_texts(row: dict[str, Any]) -> tuple[str, ...]:
    """One line of the table; what stores nothing has no numbers there."""
    is_store = row["stored_range"] > 0.0 or row["stored_start"] != 0.0
    names = ("stored_start", "stored_end", "stored_range")
    stored = (f"{row[name]:.6g}" if is_store else "-" for name in names)
    return (row["element"], row["kind"], *stored, f"{row['work']:.6g}")


def align(cells: Sequence[Sequence[str]], most: float = math.inf) -> list[str]:
    """Columns of equal width: words to the left, numbers to the right; under the words where lines
    would be wider than `most`.
    """
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    is_wide = sum(widths) + 2 * (len(widths) - 1) > most
    lines = []
    for row in cells:
        pairs = list(zip(row, widths, strict=True))
        words = [text.ljust(width) for text, width in pairs[:2]]
        numbers = [text.rjust(width) for text, width in pairs[2:]]
        if is_wide:
            lines.append(", ".join(filter(None, row[:2])))
            words = [""]
        lines.append("  ".join([*words, *numbers]))
    return lines


# ---- of a run ------------------------------------------------------------------------------------
def make_ledger(run: Trajectory, dense: bool = False) -> Ledger:
    """The ledger of a run of a model. `dense`: the run is made again with every step recorded
    (adaptive methods: eight times as many samples), which costs as much as the run itself.
    """
    refuse_others(run)
    began = time.perf_counter()
    source = record_densely(run) if dense else run
    entries = Entries(source)
    rows = nearest_samples(source._values("t"), run._values("t"))
    stored, work = entries.stored[rows], entries.work[rows]
    work = work - (stored - stored[:1])
    kinetic = run._values("kinetic_energy")
    remainder = kinetic - kinetic[0] - work.sum(axis=1)
    made = Ledger(label_entries(run, entries, stored, work, remainder), 0.0)
    notes = entries.notes
    own = COARSE * float(np.abs(run._balance()).max())
    if made.largest_remainder > max(own, NOTABLE * made.exchanged):
        remedy = "a shorter step helps" if dense or is_dense(run) else ASK_DENSE
        notes = (*notes, f"{TOO_COARSE}; {remedy}")
    return replace(made, seconds=time.perf_counter() - began, notes=notes)


def refuse_others(run: Trajectory) -> None:
    """Refuse runs of an H(q, p) and of an ode, by name."""
    if run.has_bodies:
        return
    if run.has_energy:
        raise OptionError(
            "a run of an H(q, p) has no force elements, so it has no ledger; its energy changes by "
            "the work of ∂H/∂t alone: see run.work and run.energy_balance"
        )
    raise OptionError("a run of an ode has no energy, so it has no ledger; see run.invariants")


class Entries:
    """What all elements of a model have stored, and what they did beside, at the samples of a
    run.
    """

    def __init__(self, run: Trajectory):
        """Forces first, then gravity, drives and motions."""
        self.run = run
        self.states = RecordedStates(run)
        self.model: Model = run.model
        self.notes: tuple[str, ...] = ()
        self.names: list[str] = []
        self.kinds: list[str] = []
        count = len(self.states.t)
        self.stored = np.zeros((count, 0))
        self.work = np.zeros((count, 0))  # beside the change of what is stored
        if any(self.model.gravity):
            energy = gravity_energy(self.model, self.states.pose)[:, None]
            self.add([(GRAVITY, GRAVITY)], energy, np.zeros_like(energy))
        self.add_forces()
        self.add_prescribed()

    def add(self, labels: Sequence[tuple[str, str]], stored: Array, work: Array) -> None:
        self.names += [name for name, _ in labels]
        self.kinds += [kind for _, kind in labels]
        self.stored = np.hstack([self.stored, stored])
        self.work = np.hstack([self.work, work])

    def add_forces(self) -> None:
        forces = self.model.forces
        if forces:
            labels = [(element_name(force), force.kind) for force in forces]
            self.add(labels, *energies_and_work(self.states, forces))

    def add_prescribed(self) -> None:
        """Drives and motions. Where their forces are not known, what the recorded work leaves is
        theirs.
        """
        kinds: tuple[type, ...] = Drive, Motion
        parts = [
            (part.name or k + 1, part)
            for k, part in enumerate(self.model.constraints)
            if isinstance(part, kinds)
        ]
        if not parts or len(self.states.t) < 2:
            return
        labels = [(element_name(part), part.kind) for _, part in parts]
        try:
            work = self.prescribed_work(parts)
        except FitError as error:
            work = self.rest_of_work()
            whose = labels[0][0] if len(labels) == 1 else "drives and motions"
            labels = [(whose, parts[0][1].kind)]
            why = str(error).partition(";")[0]
            note = f"work of {whose}: what other elements leave of the recorded work; {why}"
            self.notes = (*self.notes, note)
        self.add(labels, np.zeros_like(work), work)

    def prescribed_work(self, parts: Sequence[tuple[str | int, Any]]) -> Array:
        """(samples, parts); FitError where the forces of drives and motions are not known."""
        if len(parts) == 1 and isinstance(parts[0][1], Motion):
            raise FitError("the force of a single motion is not solved for")
        nodes = Nodes(self.states, np.arange(len(self.model.bodies)))
        found = np.zeros((len(self.states.t), len(parts)))
        for kind, work_of in (
            (Drive, lambda some: work_of_drives(nodes, some)),
            (Motion, lambda some: work_of_motions(self.run, nodes, some)),
        ):
            own = [k for k, (_, part) in enumerate(parts) if isinstance(part, kind)]
            if own:
                found[:, own] = work_of([parts[k] for k in own])
        return found

    def rest_of_work(self) -> Array:
        recorded = self.run._values("work")
        return (recorded - recorded[0] - self.work.sum(axis=1))[:, None]


def element_name(part: Any) -> str:
    """Its own name, or its kind and what it acts on."""
    if part.name:
        return part.name
    on = ", ".join(str(getattr(part, field)) for field in part.references)
    return f"{part.kind} {on}".strip()


def tell_apart(names: Sequence[str]) -> list[str]:
    """Names that occur more than once with a number."""
    count = Counter(names)
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if count[name] == 1 else f"{name} ({seen[name]})")
    return found


def label_entries(
    run: Trajectory, entries: Entries, stored: Array, work: Array, remainder: Array
) -> xr.Dataset:
    """Everything by t and element, J."""
    import xarray as xr

    recorded = run._values("work")
    by_time = {
        "kinetic_energy": run._values("kinetic_energy"),
        "recorded_work": recorded - recorded[0],
        "balance": run._balance(),
        "remainder": remainder,
    }
    both = ("t", "element")
    variables = {"stored": (both, stored), "work": (both, work)}
    variables |= {name: (("t",), values) for name, values in by_time.items()}
    coords = {
        "t": run._values("t"),
        "element": tell_apart(entries.names),
        "kind": ("element", entries.kinds),
    }
    made = xr.Dataset(variables, coords)
    for name in made.data_vars:
        made[name].attrs["units"] = "J"
    return made


# ---- the run once more ---------------------------------------------------------------------------
DENSER = 8  # samples of an adaptive method for each one that was recorded


def record_densely(run: Trajectory) -> Trajectory:
    """The same run with every step recorded; of an adaptive method with more samples."""
    from hamiltree.verdict.repetition import NotRepeatable, Repetition

    if is_dense(run):
        return run
    try:
        again = Repetition(run)
        if again.integrator.is_adaptive:
            again.setup = again.setup._replace(step=again.step / DENSER)
        return again.again(1.0)
    except NotRepeatable as error:
        raise OptionError(
            f"dense: {error}; record every step (save_every=1) and ask for the ledger of that run"
        ) from None


def is_dense(run: Trajectory) -> bool:
    """Whether every step of a run is recorded."""
    from hamiltree.integrators import INTEGRATORS

    about = run._settings
    method = INTEGRATORS.get(about["integrator"])
    is_adaptive = method is not None and method.is_adaptive
    return not is_adaptive and int(about["save_every"]) == 1


def nearest_samples(have: Array, wanted: Array) -> Array:
    """The sample nearest to each time."""
    after = np.clip(np.searchsorted(have, wanted), 1, max(1, len(have) - 1))
    is_before = wanted - have[after - 1] < have[np.minimum(after, len(have) - 1)] - wanted
    return np.where(is_before | (len(have) == 1), after - 1, after)
