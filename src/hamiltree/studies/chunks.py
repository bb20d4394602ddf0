"""A chunk of members on a worker of a cluster: what is sent to it, and what it sends back.

A study goes out as the text of its problem and its settings, and a chunk as the numbers that vary
in its members; results come back as arrays. A worker keeps what it has made of a study, so that
only its first chunk assembles and compiles.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from hamiltree.errors import OptionError
from hamiltree.files.toml import model_from_toml
from hamiltree.model import Model
from hamiltree.problems.events import events_from
from hamiltree.problems.hamiltonian import Hamiltonian, hamiltonian_from_json
from hamiltree.problems.numbers import TEXTS
from hamiltree.problems.ode import ode_from_json
from hamiltree.studies.alone import Stop
from hamiltree.studies.definition import Definition
from hamiltree.studies.design import SAMPLE, Design
from hamiltree.studies.lanes import PROBES
from hamiltree.studies.results import Block
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.store import IDENTITY
from hamiltree.version import __version__, source_hash

READERS = {"model": model_from_toml, "hamiltonian": hamiltonian_from_json, "ode": ode_from_json}
KEPT_STUDIES = 2  # of which a worker keeps what it has made

Columns = dict[str, np.ndarray]


class Result(NamedTuple):
    """What a worker sends back."""

    values: dict[str, np.ndarray]
    status: list[str]
    seconds: float  # of work


# ---- what is sent --------------------------------------------------------------------------------
def parcel_of(definition: Definition) -> dict[str, Any]:
    """All that a worker needs to know of a study but its members: texts, numbers and arrays; a
    user's reductions as they are.
    """
    problem = definition.problem
    if not definition.about["model"]:
        raise OptionError(
            f"{problem.name} holds Python functions, and goes to other machines as a text; give "
            "formulas, or leave out cluster"
        )
    kind = "ode"
    if isinstance(problem, (Model, Hamiltonian)):
        kind = "model" if isinstance(problem, Model) else "hamiltonian"
    return {
        IDENTITY: definition.about[IDENTITY],
        "version": (__version__, source_hash()),
        "kind": kind,
        "problem": definition.about["model"],
        "samples": sample_members(definition),
        "settings": definition.settings,
        "start": definition.start,
        "inputs": definition.inputs,
        "options": definition.options,
        "keep": definition.keep,
        "events": [asdict(event) for event in definition.events],
    }


def sample_members(definition: Definition) -> Columns:
    """Members by which every worker sees the same study: some of all, and the first with each
    formulation and integrator.
    """
    count, columns = definition.count, definition.design.columns
    found = {0, *range(1, count, max(1, count // PROBES))}
    pairs = [columns[name].astype(str) for name in TEXTS if name in columns]
    if pairs:
        joined = ["\n".join(words) for words in zip(*pairs, strict=True)]
        found |= {int(row) for row in np.unique(joined, return_index=True)[1]}
    members = np.array(sorted(found))
    return {name: column[members] for name, column in columns.items()}


# ---- on a worker ---------------------------------------------------------------------------------
class WorkerStudy:
    """A study as a worker has made it; of one thread at a time."""

    def __init__(self, parcel: Mapping[str, Any]):
        """The problem from its text."""
        check_version(parcel["version"])
        self.definition = Definition(
            READERS[parcel["kind"]](parcel["problem"]),
            design_of(parcel["samples"]),
            settings=parcel["settings"],
            start=parcel["start"],
            inputs=parcel["inputs"],
            options=parcel["options"],
            keep=parcel["keep"],
            events=events_from(parcel["events"]),
        )
        self.run = BlockRunner(self.definition, Stop())

    def __call__(self, columns: Columns) -> Block:
        """The members with these numbers."""
        self.definition.design = design_of(columns)
        return self.run(0, self.definition.count)


def design_of(columns: Columns) -> Design:
    return Design(columns, {SAMPLE: len(next(iter(columns.values())))})


def check_version(sent: tuple[str, str]) -> None:
    own = (__version__, source_hash())
    if tuple(sent) != own:
        raise OptionError(
            f"cluster: a worker has hamiltree {own[0]} ({own[1]}), the study is of {sent[0]} "
            f"({sent[1]}); install the same on all machines"
        )


class Made:
    """What the threads of a worker have made of studies, and do not use just now."""

    def __init__(self) -> None:
        self.free: dict[str, list[WorkerStudy]] = {}
        self.lock = threading.Lock()

    def take(self, parcel: Mapping[str, Any]) -> WorkerStudy:
        with self.lock:
            found = self.free.get(parcel[IDENTITY])
            if found:
                return found.pop()
        return WorkerStudy(parcel)

    def put_back(self, identity: str, study: WorkerStudy) -> None:
        """Keep it; the study that was not used for longest is forgotten."""
        with self.lock:
            own = self.free.pop(identity, [])
            self.free[identity] = [*own, study]
            while len(self.free) > KEPT_STUDIES:
                del self.free[next(iter(self.free))]


MADE = Made()


def run_chunk(parcel: Mapping[str, Any], columns: Columns) -> Result:
    """What Dask calls: the results of the members with these numbers."""
    study = MADE.take(parcel)
    began = time.perf_counter()
    block = study(columns)
    seconds = time.perf_counter() - began
    MADE.put_back(parcel[IDENTITY], study)
    return Result(block.values, block.status, seconds)
