"""ht.study: many runs of one problem with other numbers, and what became of them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.catalogue import find
from hamiltree.compiled.number import WIDTH
from hamiltree.console import Interruption, last_words, tell
from hamiltree.errors import FileError, ModelError, OptionError, spell_option
from hamiltree.files.toml import model_to_toml
from hamiltree.model import Model
from hamiltree.model.accessors import Accessor
from hamiltree.problems.typed_problem import TypedProblem
from hamiltree.run.plan import check_problem, plain_value
from hamiltree.run.simulator import refuse_misnamed
from hamiltree.studies.definition import START_GROUPS, Definition, events_of
from hamiltree.studies.design import (
    DEFAULT_SAMPLES,
    Design,
    DesignPlan,
    plan_design,
    whole_if_it_is,
)
from hamiltree.studies.lane_plan import obstacle
from hamiltree.studies.reductions import Reduction
from hamiltree.studies.results import MEMBER, MISSING, STATUS, dataset_of, schema_of
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.sampling import check_seed
from hamiltree.studies.schedule import Add, Blocks, missing_ranges, run_blocks
from hamiltree.studies.sensitivity import (
    ALL_SAMPLERS,
    SensitivityPlan,
    plan_sensitivity,
    rank_correlations,
    sobol_indices,
)
from hamiltree.studies.store import IDENTITY, FileStore, MemoryStore, check_room, is_begun
from hamiltree.trajectory.netcdf_calls import LibraryLock, netcdf_calls
from hamiltree.version import __version__, source_hash

if TYPE_CHECKING:
    import xarray as xr

FORMAT = 1
RUN_SETTINGS = ("until", "step", "formulation", "integrator", "save_every", "t", "assemble")
FIRST_BLOCK = 4  # members of the first block
MANY_MEMBERS = 10**5  # whose room is looked for before they are sampled
BLOCK_NUMBERS = 2**24  # the most numbers that the results of a block may hold
MAX_THREADS = 1024
MAX_LOADED_BYTES = 2**29  # of a file that is read as a whole
# computes blocks until a signal comes, gives their results to a store, shows progress
Compute = Callable[[Blocks, Add, Interruption, bool], None]
COMPLETE_STATUS = ("complete", "ended by")  # how the status of a member begins that did not fail


class Study:
    """Results of all members: `data`, an xarray Dataset along `member`, whose coordinates are the
    numbers that vary.

    failed            members that failed, with their reasons
    on_grid(name)     a variable with the axes of the grid in the place of `member`
    rank_correlations(variable)   of a variable with each number that varies (Spearman)
    sobol_indices(variable)       first and total, of a study with sampler="sensitivity"
    plot              pictures: response, heat_map, histogram, fan, parallel
    """

    plot = Accessor("hamiltree.studies.plots:StudyPlots")

    def __init__(self, data: xr.Dataset):
        self.data = data

    def __repr__(self) -> str:
        states = self.data[STATUS].values
        missing = int((states == MISSING).sum())
        words = [f"{len(states)} members"]
        words += [f"{missing} missing"] if missing else []
        failed = len(self.failed)
        words += [f"{failed} failed"] if failed else []
        return f"<Study of {self.data.attrs['model_name']!r}: {', '.join(words)}>"

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Study:
        """The study in a netCDF file; a large one stays there, and is read where it is used."""
        import xarray as xr

        try:
            with netcdf_calls():
                data = xr.open_dataset(
                    path, engine="netcdf4", decode_times=False, lock=LibraryLock()
                )
        except (OSError, ValueError) as error:
            raise FileError(f"{path}: not a readable netCDF file ({error})") from None
        if "hamiltree_study" not in data.attrs:
            data.close()
            raise FileError(f"{path} holds no study; a run is read by hamiltree.load")
        if data.nbytes < MAX_LOADED_BYTES:
            data.load()
            data.close()
        return cls(data)

    @property
    def names(self) -> list[str]:
        """The numbers that vary."""
        return list(json.loads(self.data.attrs["names"]))

    @property
    def axes(self) -> dict[str, int]:
        """Names and lengths of the axes along which members are counted; the last one changes
        fastest.
        """
        return dict(json.loads(self.data.attrs["axes"]))

    @property
    def failed(self) -> dict[int, str]:
        """Why members failed, by their numbers."""
        states = self.data[STATUS].values
        return {
            int(member): str(state)
            for member, state in enumerate(states)
            if not str(state).startswith((*COMPLETE_STATUS, MISSING))
        }

    @property
    def is_complete(self) -> bool:
        """Whether every member has run, well or not."""
        return not bool((self.data[STATUS].values == MISSING).any())

    def rank_correlations(self, variable: str) -> dict[str, float]:
        """Spearman's coefficient of a variable with each number that varies."""
        return rank_correlations(self.data, self.names, variable)

    def sobol_indices(self, variable: str) -> dict[str, tuple[float, float]]:
        """First and total index of each number that varies: the parts of the variance that it
        explains by itself, and with all others.
        """
        if list(self.axes) != ["set", "point"]:
            raise OptionError(
                "Sobol's indices need members of their own: ht.study(…, sampler='sensitivity')"
            )
        return sobol_indices(self.data, self.names, variable)

    def on_grid(self, name: str) -> xr.DataArray:
        """A variable with an axis for each number of the grid, and `sample` where there are
        samples, in the place of `member`.
        """
        import xarray as xr

        if name not in self.data:
            known = ", ".join(map(str, self.data.data_vars))
            raise OptionError(f"the study has no variable {name!r}; it has {known}")
        found, axes = self.data[name], self.axes
        shape = tuple(axes.values())
        values = found.values.reshape(*shape, *found.shape[1:])
        labels = {}
        for place, axis in enumerate(axes):
            if axis in self.data.coords:
                column = self.data[axis].values.reshape(shape)
                labels[axis] = np.moveaxis(column, place, 0).reshape(axes[axis], -1)[:, 0]
        dimensions = [*axes, *found.dims[1:]]
        own = {key: found[key] for key in found.dims[1:] if key in found.coords}
        return xr.DataArray(values, dims=dimensions, coords={**labels, **own}, name=name)


def study(
    problem: Model | TypedProblem,
    vary: Mapping[str, Any] | None = None,
    *,
    keep: Any = None,
    members: Any = None,
    sampler: str = "random",
    seed: int = 0,
    threads: int | None = None,
    cluster: Any = None,
    output: str | os.PathLike[str] | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool = True,
    **settings: Any,
) -> Study:
    """Run a problem many times with other numbers, and keep of each run what is asked for.

    vary              {name: values}: bodies.upper.mass, joints.elbow.q, forces.spring.stiffness,
                      gravity, q.elbow, qdot.elbow, step, integrator, formulation, a parameter of
                      an H; values are a list (an axis of a grid), studies.grid(first, last, count),
                      studies.uniform(low, high) or studies.normal(mean, deviation)
    members           how many are sampled of what is distributed (100), or {name: values of all}
    sampler, seed     random, latin_hypercube, sobol; sensitivity: members × (numbers + 2), for
                      Sobol's indices
    keep              end, samples, energy_error, constraint_error, verdict, events; min(…), max(…),
                      mean(…), rms(…), first(…), count(…), end(…) of a formula, or of q, qdot, p;
                      studies.Reduction; a mapping names them. Default: end and energy_error
    settings          until, step, formulation, integrator, t, q, qdot, p, y, assemble, events,
                      inputs and options as in simulate; save_every: steps between samples, which
                      reductions see
    threads           all cores if not given
    cluster           workers of Dask in the place of threads: an address, a Client, a Cluster, or
                      how many on this machine
    output            a netCDF file; finished members are kept beside it while the study runs
    resume, force     go on with the study of that file; overwrite it
    A member that fails is marked with its reason. Ctrl-C ends the study with what is done.
    """
    check_problem(problem)
    seed = check_seed(seed)
    plan, sample = plan_members(vary, members, sampler)
    goes_on = resume and output is not None and is_begun(output)
    if plan.count > MANY_MEMBERS and not goes_on:  # refused before they are sampled
        outline = define(problem, plan.outline(), keep, settings)
        check_room(outline, plan.count, output, force or resume)
    definition = define(problem, sample(seed), keep, settings)
    definition.about |= describe(definition)
    with open_workers(definition, threads, cluster) as compute:
        return run_study(definition, compute, output, resume, force, progress)


def plan_members(
    vary: Any, members: Any, sampler: str
) -> tuple[DesignPlan | SensitivityPlan, Callable[[int], Design]]:
    """The members before they are sampled, and what samples them by a seed."""
    is_for_sobol = find(ALL_SAMPLERS, sampler, "sampler") is plan_sensitivity
    if is_for_sobol:
        count = DEFAULT_SAMPLES if members is None else whole_if_it_is(members)
        own = plan_sensitivity(vary or {}, count)
        return own, own.make
    plan = plan_design(vary, members)
    return plan, partial(plan.make, sampler)


@contextlib.contextmanager
def open_workers(definition: Definition, threads: Any, cluster: Any) -> Iterator[Compute]:
    """What computes blocks: threads of this process, or the workers of a cluster, which answers."""
    if cluster is None:
        count = check_threads(threads)
        yield partial(run_blocks, count, partial(BlockRunner, definition))
        return
    if threads is not None:
        raise OptionError("threads are of this process, workers of a cluster have theirs; give one")
    from hamiltree.studies.chunks import parcel_of
    from hamiltree.studies.cluster import ClusterRun, connect

    parcel = parcel_of(definition)
    with connect(cluster) as client:
        yield ClusterRun(client, parcel, definition.design.columns).run


def define(problem: Any, design: Design, keep: Any, settings: Mapping[str, Any]) -> Definition:
    """A study of these members; settings that are no arguments of a run are options of its
    method.
    """
    refuse_misnamed(settings, "study")
    known = (*RUN_SETTINGS, *START_GROUPS, "events", "inputs")
    definition = Definition(
        problem,
        design,
        {name: settings.get(name) for name in RUN_SETTINGS},
        {name: settings.get(name) for name in START_GROUPS},
        dict(settings.get("inputs") or {}),
        {name: value for name, value in settings.items() if name not in known},
        keep,
        events_of(settings.get("events")),
    )
    check_names(definition)
    return definition


def check_names(definition: Definition) -> None:
    """Refuse to keep something under the name of something else, before anything runs."""
    schema = schema_of(definition)
    taken = {*definition.design.columns, MEMBER, STATUS, *schema.sizes, *schema.coordinates()}
    wrong = next((name for name in schema.outputs if name in taken), None)
    if wrong is not None:
        raise OptionError(
            f"keep: {wrong!r} is the name of something else in the results; give another one: "
            f"keep={{'my_{wrong}': …}}"
        )


def check_threads(threads: Any) -> int:
    """All cores if it is not given."""
    if threads is None:
        usable = getattr(os, "process_cpu_count", os.cpu_count)
        return usable() or 1
    if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)):
        raise OptionError(f"threads = {threads!r}; give a whole number")
    if not 1 <= threads <= MAX_THREADS:
        raise OptionError(f"threads = {threads}; give a whole number from 1 to {MAX_THREADS}")
    return int(threads)


def run_study(
    definition: Definition,
    compute: Compute,
    output: str | os.PathLike[str] | None,
    resume: bool,
    force: bool,
    progress: bool,
) -> Study:
    """Compute what is missing, and gather everything."""
    if output is None:
        if resume:
            raise OptionError("resume goes on with the study of a file; give output")
        store: MemoryStore | FileStore = MemoryStore(definition)
    else:
        store = FileStore(definition, output, force, resume)
    ranges = missing_ranges(definition.count, store.done())
    numbers = schema_of(definition).bytes_per_member // 8
    group = 1 if obstacle(definition) else WIDTH
    blocks = Blocks(ranges, FIRST_BLOCK, max(1, BLOCK_NUMBERS // numbers), group)
    with Interruption() as interruption:
        try:
            if blocks.left:
                compute(blocks, store.add, interruption, progress)
        except KeyboardInterrupt:  # the second Ctrl-C
            tell_broken_off(definition.count, store)
            raise
        if interruption.is_requested:
            words, hint = words_of_kept(definition.count, store, interruption.ends_process)
            interruption.tell_kept(f"interrupted; {words}", hint)
    with last_words(lambda: "".join(words_of_kept(definition.count, store, True))):
        return gather(definition, store)


def words_of_kept(count: int, store: MemoryStore | FileStore, is_lost: bool) -> tuple[str, str]:
    """What a study has that was ended by a signal, and how it goes on. `is_lost`: nobody gathers
    it, so that without a file nothing is kept.
    """
    left = sum(last - first for first, last in missing_ranges(count, store.done()))
    words = f"{count - left} of {count} members"
    if store.folder is None:
        return f"{words} {'were done' if is_lost else 'are kept'}", ""
    if store.is_complete:
        return f"{words} are kept, in {store.path}", ""
    if not (left or is_lost):
        return f"{words} are kept", ""  # and are written into the file now
    return f"{words} are kept, in {store.folder}", f"; go on with {spell_option('resume')}"


def tell_broken_off(count: int, store: MemoryStore | FileStore) -> None:
    """Say what the files of a study keep that ends at once."""
    if store.folder is not None:
        words, hint = words_of_kept(count, store, is_lost=True)
        tell(f"hamiltree: interrupted; {words}{hint}")


def gather(definition: Definition, store: MemoryStore | FileStore) -> Study:
    """The study of what a store holds; of all members in a file, that file."""
    attributes = {**definition.about, "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    missing = missing_ranges(definition.count, store.done())
    if isinstance(store, FileStore) and not missing:
        if not store.is_complete:
            store.finish(attributes)
        return Study.load(store.path)
    return Study(dataset_of(definition, store.blocks(), attributes))


# ---- what a file says of a study -----------------------------------------------------------------
PLAIN_VALUES = (int, float, complex, str, bytes, tuple, list, dict, np.ndarray, np.generic)


def describe(definition: Definition) -> dict[str, Any]:
    """The problem, what varies, settings and versions, as texts; and their identity."""
    problem, design = definition.problem, definition.design
    settings = {name: value for name, value in definition.settings.items() if value is not None}
    start = {name: as_lists(value) for name, value in definition.start.items() if value is not None}
    about = {
        "hamiltree_study": FORMAT,
        "hamiltree_version": __version__,
        "source_hash": source_hash(),
        "model_name": problem.name,
        "model": text_of(problem),
        "names": json.dumps(list(design.columns)),
        "axes": json.dumps(design.axes),
        "settings": json.dumps({**settings, **start}, default=plain_value),
        "inputs": json.dumps(definition.inputs, default=plain_value),
        "options": json.dumps(definition.options, default=plain_value),
        "keep": json.dumps(definition.keep_plan.texts),
        "events": json.dumps([str(event) for event in definition.events]),
    }
    digest = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for column in design.columns.values():
        is_plain = column.dtype == float  # a million numbers as text would take a second
        digest.update(column.tobytes() if is_plain else json.dumps(column.tolist()).encode())
    for update in definition.keep_plan.own:
        digest.update(identity_of(update.reduction).encode())
    return {**about, IDENTITY: digest.hexdigest()}


def as_lists(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def identity_of(reduction: Reduction) -> str:
    """A user's reduction by its code and its numbers."""
    own = reduction.name, reduction.of, reduction.initial
    return repr((*own, identity_of_value(reduction.update)))


def identity_of_value(value: Any, seen: tuple = ()) -> Any:
    """What a reduction uses, without addresses: arrays by their numbers, functions by their code,
    their defaults, and the values that they name outside.
    """
    function = getattr(value, "py_func", value)
    code = getattr(function, "__code__", None)
    if code is None:
        return as_lists(value) if isinstance(value, PLAIN_VALUES) else type(value).__qualname__
    if code in seen:  # it calls itself
        return code.co_name
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    outside = [function.__globals__.get(name) for name in names_in(code)]
    used = [*(function.__defaults__ or ()), *cells, *outside]
    return identity_of_code(code), [identity_of_value(each, (*seen, code)) for each in used]


def names_in(code: Any) -> list[str]:
    """Names that a function looks up outside, those of functions inside it too."""
    inner = [names_in(each) for each in code.co_consts if hasattr(each, "co_code")]
    return sorted({*code.co_names, *(name for names in inner for name in names)})


def identity_of_code(code: Any) -> tuple:
    """What a function does, without its address: functions inside it likewise."""
    inner = [
        identity_of_code(each) if hasattr(each, "co_code") else each for each in code.co_consts
    ]
    return code.co_code.hex(), repr(inner), code.co_names


def text_of(problem: Any) -> str:
    """The problem as a file has it; empty of one that holds Python functions."""
    try:
        return model_to_toml(problem) if isinstance(problem, Model) else problem.to_json()
    except (ModelError, OptionError):
        return ""


def load(path: str | os.PathLike[str]) -> Study:
    """The study in a netCDF file."""
    return Study.load(Path(path))
