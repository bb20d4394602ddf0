"""Studies: what is kept, files, TOML, the command line, and refusals by name."""

import json
import re
import shutil
import signal
import sys
import time
import tomllib
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli.listing import samplers_tables
from hamiltree.console import StoppedCommand
from hamiltree.errors import FileError, OptionError
from hamiltree.problems.numbers import with_number
from hamiltree.run.loop import Run
from hamiltree.studies import (
    Reduction,
    grid,
    load,
    normal,
    sampling,
    schedule,
    sobol,
    store,
    uniform,
)
from hamiltree.studies.alone import LoneRuns, Stop
from hamiltree.studies.design import make_design
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.sampling import SAMPLERS
from hamiltree.studies.schedule import Threads
from hamiltree.studies.stopwatch import Stopwatch
from hamiltree.studies.store import FileStore
from hamiltree.studies.study import define, describe, identity_of, plan_members
from hamiltree.studies.study_file import run_study_file

ROOT = Path(__file__).parents[2]
PENDULUM = ht.hamiltonian("p**2/2 - k*cos(q)", k=1.0, q={"q": 1.0}, p={"p": 0.0})
SETTINGS = {"until": 4.0, "step": 0.05, "integrator": "rk4", "progress": False}


def sum_and_peak(t, x, r):
    r[0] += x[0]
    r[1] = max(r[1], x[1] * t)


def test_reductions_are_those_of_the_samples():
    keep = {
        "samples": "samples",
        "least": "min(q)",
        "swing": "max(q*k)",
        "level": "mean(energy)",
        "effort": "rms(p)",
        "passage": "first(q < 0)",
        "never": "first(q > 9)",
        "rises": "count(q)",
        "last": "end(q_dot)",
        "own": Reduction("another", ["q", "p**2"], sum_and_peak, [0.0, 0.0]),
    }
    found = ht.study(PENDULUM, {"k": [0.5, 2.0, 3.0]}, keep=keep, save_every=1, **SETTINGS).data
    t, k = found["time"].values, found["k"].values[:, None]
    q, p, energy = (found[x].values.reshape(3, len(t)) for x in ("q", "p", "energy"))
    span = t[-1] - t[0]
    assert np.array_equal(found["least"].values[:, 0], q.min(axis=1))
    assert np.allclose(found["swing"], (q * k).max(axis=1), rtol=1e-15)
    assert np.allclose(found["level"], np.trapezoid(energy, t) / span, rtol=1e-13)
    assert np.allclose(
        found["effort"].values[:, 0], np.sqrt(np.trapezoid(p**2, t) / span), rtol=1e-13
    )
    first = (q < 0).argmax(axis=1)
    members = np.arange(3)
    before, after = q[members, first - 1], q[members, first]
    crossed = t[first - 1] + (t[first] - t[first - 1]) * before / (before - after)
    assert np.allclose(found["passage"], crossed, rtol=1e-13)
    assert np.isnan(found["never"]).all()
    assert np.array_equal(
        found["rises"].values[:, 0], ((q[:, :-1] < 0) & (q[:, 1:] >= 0)).sum(axis=1)
    )
    assert np.allclose(found["last"], p[:, -1], rtol=1e-13)
    assert np.allclose(found["own"].values[:, 0], q.sum(axis=1), rtol=1e-12)
    assert np.allclose(found["own"].values[:, 1], (p**2 * t).max(axis=1), rtol=1e-14)


def test_events_are_counted_and_may_end_a_member():
    event = ht.Event("q", direction=-1, terminal=True, name="down")
    starts = {"q.q": [0.5, -0.5]}
    found = ht.study(PENDULUM, starts, keep=["end"], events=[event], **SETTINGS)
    assert not found.failed
    assert found.data["status"].values[0].startswith("ended by")
    assert found.data["event_count"].values[:, 0].tolist() == [1.0, 0.0]
    run = ht.simulate(
        PENDULUM, q={"q": 0.5}, events=[event], until=4, step=0.05, integrator="rk4", progress=False
    )
    assert found.data["t_end"].values[0] == run.dataset["t"].values[-1]


def test_settings_and_methods_vary_too():
    vary = {"integrator": ["rk4", "stormer_verlet"], "step": [0.1, 0.05]}
    found = ht.study(PENDULUM, vary, keep=["energy_error"], until=4.0, progress=False)
    errors = found.on_grid("energy_error")
    assert errors.dims == ("integrator", "step")
    order = np.log2(errors.values[:, 0] / errors.values[:, 1])
    assert np.allclose(order, [4.5, 2.0], atol=1.0)


def test_own_members_and_verdicts():
    members = {"q.q": [0.1, 0.2, 0.3], "k": [1.0, 2.0, 3.0]}
    found = ht.study(PENDULUM, members=members, keep=["end", "verdict"], **SETTINGS)
    assert found.data["q.q"].values.tolist() == members["q.q"]
    assert set(found.data["verdict"].values) == {"good"}


def test_what_is_one_number_has_the_name_that_it_is_given(tmp_path):
    keep = {"error": "energy_error", "worth": "verdict", "swing": "max(q*1)"}
    vary = {"q.q": [0.1, 0.2]}
    named = ht.study(PENDULUM, vary, keep=keep, output=tmp_path / "a.nc", **SETTINGS)
    plain = ht.study(PENDULUM, vary, keep=["energy_error", "verdict"], **SETTINGS)
    assert list(named.data.data_vars) == [*keep, "status"]
    assert np.array_equal(named.data["error"].values, plain.data["energy_error"].values)
    assert named.data["worth"].values.tolist() == plain.data["verdict"].values.tolist()


# ---- files ---------------------------------------------------------------------------------------
def test_a_file_holds_the_study_and_says_what_it_is(tmp_path):
    path = tmp_path / "study.nc"
    vary = {"k": grid(1, 2, 3), "q.q": uniform(0, 1)}
    kept = ht.study(PENDULUM, vary, members=4, output=path, **SETTINGS)
    memory = ht.study(PENDULUM, vary, members=4, **SETTINGS)
    for name in memory.data.variables:
        assert np.array_equal(load(path).data[name].values, memory.data[name].values), name
    assert json.loads(kept.data.attrs["model"])["H"] == PENDULUM.formula
    assert kept.axes == {"k": 3, "sample": 4}
    assert [each.name for each in tmp_path.iterdir()] == ["study.nc"]
    again = ht.study(PENDULUM, vary, members=4, output=path, resume=True, **SETTINGS)
    assert again.is_complete
    with pytest.raises(FileError, match="exists"):
        ht.study(PENDULUM, vary, members=4, output=path, **SETTINGS)
    with pytest.raises(FileError, match="another study: how many members there are differs; give"):
        ht.study(PENDULUM, vary, members=5, output=path, resume=True, **SETTINGS)
    with pytest.raises(FileError, match="holds no study"):
        ht.studies.load(write_run(tmp_path / "run.nc"))


def write_run(path):
    ht.simulate(PENDULUM, until=0.1, step=0.05, integrator="rk4", output=path, progress=False)
    return path


def test_a_disk_or_a_memory_that_is_too_small_is_refused(tmp_path, monkeypatch):
    from hamiltree.studies import store

    monkeypatch.setattr(store, "physical_memory", lambda: 10_000)
    with pytest.raises(OptionError, match="give output"):
        ht.study(PENDULUM, {"k": range(1, 500)}, **SETTINGS)
    usage = store.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(store.shutil, "disk_usage", lambda _: usage._replace(free=1000))
    with pytest.raises(FileError, match="the disk has"):
        ht.study(PENDULUM, {"k": [1.0]}, output=tmp_path / "a.nc", **SETTINGS)
    assert not list(tmp_path.iterdir())


def test_members_whose_numbers_do_not_fit_are_refused_before_they_are_sampled(monkeypatch):
    monkeypatch.setattr("hamiltree.studies.design.physical_memory", lambda: 10_000)
    for sampler in ("random", "sensitivity"):
        with pytest.raises(OptionError, match="several studies of fewer members"):
            ht.study(PENDULUM, {"k": uniform(1, 2)}, members=1000, sampler=sampler, **SETTINGS)


@pytest.mark.parametrize("sampler", ["random", "latin_hypercube", "sobol", "sensitivity"])
def test_results_that_do_not_fit_are_refused_before_anything_is_sampled(
    tmp_path, monkeypatch, sampler
):
    def fail(*_):
        raise AssertionError("members were sampled")

    for name in list(SAMPLERS):
        monkeypatch.setitem(SAMPLERS, name, fail)
    vary = {"k": normal(1.0, 0.1)}
    many = {"members": 10**8, "sampler": sampler, "keep": "samples", **SETTINGS}
    with pytest.raises(OptionError, match="^[1-3]00000000 members take .* give output, a file"):
        ht.study(PENDULUM, vary, **many)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10**9))
    for resume in (False, True):
        with pytest.raises(FileError, match="the disk has 1 GB"):
            ht.study(PENDULUM, vary, output=tmp_path / "a.nc", resume=resume, **many)
    assert not list(tmp_path.iterdir())


def test_samples_take_little_more_memory_than_their_numbers(monkeypatch):
    """Twice their own: points of the unit cube, and values of a distribution."""
    count = 2**15
    monkeypatch.setattr(sampling, "FEW", 2**10)
    monkeypatch.setattr(sobol, "FEW", 2**10)
    for sampler in SAMPLERS:
        tracemalloc.start()
        make_design({"a": normal(0.0, 1.0), "b": uniform(0.0, 1.0)}, count, sampler, 0)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1.3 * 16 * 2 * count, sampler


# ---- refusals ------------------------------------------------------------------------------------
def test_a_study_of_a_library_model_with_arguments(tmp_path):
    file = tmp_path / "sweep.toml"
    words = '[study]\nproblem = "n_pendulum({})"\nuntil = 0.1\nstep = 0.02\nintegrator = "rk4"\n'
    file.write_text(words.format(3) + '[vary]\n"q.hinge3" = [0.1, 0.2]\n')
    found = run_study_file(file, progress=False)
    assert found.data["q_end"].shape == (2, 3)
    file.write_text(words.format("3, bars=2") + '[vary]\n"q.hinge3" = [0.1, 0.2]\n')
    with pytest.raises(FileError, match="no argument 'bars'"):
        run_study_file(file, progress=False)


def test_what_has_one_part_is_a_number_of_each_member():
    vary = {"p.p": grid(-1, 1, 3), "q.q": grid(-1, 1, 9)}
    found = ht.study(PENDULUM, vary, keep="end", **SETTINGS)
    assert abs(found.rank_correlations("q_end")["q.q"]) <= 1
    assert found.plot.heat_map("q_end").axes[0].get_xlabel() == "q.q"


def test_an_event_that_names_nothing_is_refused_before_anything_runs():
    with pytest.raises(OptionError, match="unknown symbol 'qq'"):
        ht.study(PENDULUM, {"k": [1.0]}, events=["qq"], **SETTINGS)


def test_a_start_value_that_no_member_has_is_refused_before_anything_runs():
    free = ht.hamiltonian("p**2/2 - k*cos(q)", k=1.0)
    with pytest.raises(OptionError, match="needs a start value of p"):
        ht.study(free, {"q.q": [1.0, 2.0]}, **SETTINGS)


def hold(t, x, r):
    r[0] = x[0]


def bad_update(t, x, r):
    r[0] = {"a": x}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"vary": {"kk": [1.0]}}, "no number 'kk'; did you mean 'k'"),
        ({"vary": {"k": ["one"]}}, "'one' is no finite number"),
        ({"vary": {"integrator": [1.0]}}, "unknown integrator"),
        ({"keep": ["maxx(q)"]}, "did you mean 'max"),
        ({"keep": ["max(u)"]}, "keep 'u'"),
        ({"keep": ["max(q/p)"]}, "because of its /"),
        ({"keep": ["constraint_error"]}, "no constraints"),
        ({"keep": ["events"]}, "without events"),
        ({"keep": [Reduction("odd", ["q"], bad_update)]}, "the update of 'odd'"),
        ({"vary": {"step": [0.1, 0.2]}, "keep": ["samples"]}, "step varies"),
        ({"threads": 0}, "threads = 0"),
        ({"dt": 0.1}, "it is called 'step'"),
        ({"seed": -1}, "seed"),
        ({"keep": {"k": "max(q)"}}, "'k' is the name of something else"),
        ({"keep": {"status": "max(q)"}}, "'status' is the name of something else"),
        ({"keep": {"end": "end", "q_end": "max(q)"}}, "'q_end' is the name of a variable"),
        ({"keep": ["samples", Reduction("energy", ["q"], hold)]}, "'energy' is the name of a var"),
        ({"keep": {"last": "end"}}, "write 'end': 'end' in the place of 'last': 'end'"),
        ({"keep": {"a": "energy_error", "b": "energy_error"}}, "'energy_error' is there twice"),
        ({"keep": {"end": "end", "q_end": "energy_error"}}, "'q_end' is the name of a variable"),
        ({"save_every": 2.5}, "save_every"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(given, words):
    arguments = {"vary": {"k": [1.0]}, "until": 1.0, "integrator": "rk4", "progress": False}
    with pytest.raises(OptionError) as refused:
        ht.study(PENDULUM, **{**arguments, **given})
    assert words in str(refused.value)


def test_a_start_that_varies_by_its_joint_is_not_given_by_name_too():
    model = ht.library.pendulum()
    arguments = {"vary": {"joints.hinge.q": [0.1, 0.2]}, "until": 0.1, "progress": False}
    with pytest.raises(OptionError, match=r"vary q\.hinge alone"):
        ht.study(model, q={"hinge": 0.3}, **arguments)


def test_numbers_that_do_not_fit_the_model_are_refused_before_anything_runs():
    model = ht.library.pendulum()
    for given, words in (
        ({"vary": {"gravity": [(0.0, 0.0, -1.0)]}}, r"no single number; vary .* 'gravity\.z'"),
        ({"q": [1.0, 2.0]}, "q has 2 values, the model has 1"),
        ({"qdot": {"hing": 1.0}}, "did you mean 'hinge'"),
    ):
        with pytest.raises(OptionError, match=words):
            ht.study(model, **{"vary": {"bodies.bob.mass": [1.0]}, "until": 0.1, **given})


def test_only_symmetric_matrices_change_in_two_places():
    table = ((0.0, 0.0, 0.0), (1.0, 2.0, 3.0), (4.0, 5.0, 6.0))
    load_table = ht.BodyTable("bob", times=(0.0, 1.0, 2.0), forces=table)
    body = ht.Body("b", mass=1.0, inertia=((1.0, 0, 0), (0, 1.0, 0), (0, 0, 1.0)))
    assert with_number(load_table, ("forces", 0, 1), 9.0).forces[1] == table[1]
    changed = with_number(body, ("inertia", 0, 1), 1e-3).inertia
    assert changed[0][1] == changed[1][0] == 1e-3


def test_a_first_member_that_fails_is_one_that_failed():
    model = ht.library.pendulum()
    masses = {"bodies.bob.mass": [-1.0, 1.0, 2.0]}
    found = ht.study(model, masses, until=0.1, step=0.01, integrator="rk4", progress=False)
    assert list(found.failed) == [0] and "mass" in found.failed[0]


def test_the_reason_of_a_failure_promises_nothing_that_is_not_kept():
    escape = ht.hamiltonian("p**2/2 - q**4/4", q={"q": 4.0}, p={"p": 0.0})
    found = ht.study(escape, {"q.q": [0.1, 4.0]}, **SETTINGS)
    assert found.failed[1].startswith("StepError: the state stopped being finite")
    assert "Try a step of" in found.failed[1] and "kept" not in found.failed[1]


def test_parts_of_another_study_are_not_taken(tmp_path):
    """As one leaves them that still runs while its file is begun anew."""
    path = tmp_path / "a.nc"
    folder = tmp_path / "a.nc.parts"
    design, settings = (
        make_design({"k": [1.0, 2.0]}, None, "random", 0),
        {"until": 1.0, "step": 0.1},
    )
    one = define(PENDULUM, design, ["end"], settings)
    other = define(PENDULUM, design, ["end"], {**settings, "until": 2.0})
    one.about, other.about = describe(one), describe(other)
    first = FileStore(one, path, force=False, resume=False)
    second = FileStore(other, path, force=True, resume=False)
    first.add(BlockRunner(one, Stop(), lanes=False)(0, 2))
    assert folder.is_dir() and second.done() == [] and first.done() == [(0, 2)]


def test_a_member_begins_with_the_chunk_that_members_of_its_method_have_found(monkeypatch):
    """With that of a method whose steps are shorter work, a stop would be heard late."""
    begun = []
    complete = Run.complete

    def record(self, *arguments):
        begun.append((self.plan.integrator.name, self.plan.step, self.chunk))
        result = complete(self, *arguments)
        self.chunk = len(begun)
        return result

    monkeypatch.setattr(Run, "complete", record)
    vary = {"integrator": ["rk4", "dop853"], "step": [0.1, 0.05]}
    design = make_design({**vary, "q.q": [0.1, 0.2]}, None, "random", 0)
    definition = define(PENDULUM, design, ["end"], {"until": 0.2})
    run = LoneRuns(definition, Stop(), Stopwatch())
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    assert {run(member)[1] for member in order} == {"complete"}
    methods = [("rk4", 0.1), ("rk4", 0.05), ("dop853", 0.1), ("dop853", 0.05)]
    assert begun[:4] == [(*method, 0) for method in methods]
    assert begun[4:] == [(*method, 1 + k) for k, method in enumerate(methods)]


# ---- TOML and the command line -------------------------------------------------------------------
STUDY = """
[study]
problem = "pendulum"
until = 0.2
step = 0.02
integrator = "rk4"
members = 3

[keep]
swing = "max(hinge)"

[vary]
"bodies.bob.mass" = {uniform = [1.0, 2.0]}
"q.hinge" = [0.1, 0.2]
"""


def test_ctrl_c_before_anything_is_computed_ends_the_study(tmp_path, monkeypatch, capsys):
    make_threads = Threads.__init__

    def interrupt(self, *arguments):
        signal.raise_signal(signal.SIGINT)
        make_threads(self, *arguments)

    monkeypatch.setattr(Threads, "__init__", interrupt)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = ht.study(PENDULUM, {"q.q": [0.1, 0.2]}, output=tmp_path / "a.nc", **SETTINGS)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (found.data["status"].values == "missing").all()
    assert capsys.readouterr().err.startswith("hamiltree: interrupted; 0 of 2 members are kept, in")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_last_words_of_a_study_that_a_signal_ends_say_what_is_kept(
    tmp_path, monkeypatch, capsys, number
):
    keep_block, run_block = FileStore.add, BlockRunner.__call__

    def add(self, block):
        keep_block(self, block)
        signal.raise_signal(number)

    def run_slowly(self, *bounds):
        time.sleep(0.1)
        return run_block(self, *bounds)

    settings = {"until": 1.0, "step": 0.1, "integrator": "rk4", "progress": False, "threads": 1}
    path = tmp_path / "study.nc"
    run = partial(ht.study, PENDULUM, {"q.q": grid(0.1, 1.0, 400)}, output=path, **settings)
    with StoppedCommand() as stopped, pytest.raises(SystemExit), monkeypatch.context() as patched:
        patched.setattr(FileStore, "add", add)
        patched.setattr(BlockRunner, "__call__", run_slowly)
        run()
    assert stopped.by == number
    assert not capsys.readouterr().err and stopped.exit_code() == 128 + number
    found = re.fullmatch(
        rf"hamiltree: ended by {number.name}: interrupted; (\d+) of 400 members are kept, in (.*); "
        r"go on with resume=True\n",
        capsys.readouterr().err,
    )
    assert found and 0 < int(found[1]) < 400 and found[2] == f"{path}.parts"
    assert run(resume=True).is_complete


@pytest.fixture
def signals(monkeypatch):
    """signals(owner, name, number, times): as often after a first call of this function."""

    def begin(owner, name, number, times=1):
        usual, left = getattr(owner, name), [number] * times

        def call(*arguments, **options):
            done = usual(*arguments, **options)
            while left:
                signal.raise_signal(left.pop())
            return done

        monkeypatch.setattr(owner, name, call)
        signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield begin
    for number, handler in before.items():
        signal.signal(number, handler)


MANY = STUDY.replace("members = 3", "members = 40")


def count_of_kept(words):
    return int(re.search(r"(\d+) of 80 members", words)[1])


def test_ctrl_c_in_the_shell_says_in_the_last_line_what_is_kept_and_how_to_go_on(
    tmp_path, shell, signals
):
    Path("sweep.toml").write_text(MANY)
    signals(FileStore, "add", signal.SIGINT)
    done = shell("study", "sweep.toml", "-q", "--threads=1")
    first, last = done.error.splitlines()
    assert done.code == 130 and "next:" not in done.out and "80 members: " in done.out
    kept = count_of_kept(last)
    assert 0 < kept < 80
    assert first == f"hamiltree: interrupted; {kept} of 80 members are kept, in sweep.nc.parts"
    assert last == (
        f"hamiltree: sweep.nc.parts holds {kept} of 80 members; "
        "go on with: hamiltree study sweep.toml --threads 1 --resume"
    )
    assert shell("study", "sweep.toml", "--threads=1", "--resume", "-q").code == 0


def test_a_second_ctrl_c_says_what_a_study_keeps(tmp_path, shell, signals):
    Path("sweep.toml").write_text(MANY)
    signals(FileStore, "add", signal.SIGINT, 2)
    done = shell("study", "sweep.toml", "-q", "--threads=1")
    assert done.code == 130 and not done.out
    kept = count_of_kept(done.error)
    assert 0 < kept < 80 and done.error == (
        f"hamiltree: interrupted; {kept} of 80 members are kept, in sweep.nc.parts; "
        "go on with --resume\n"
    )


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")],
)
def test_a_signal_while_the_file_is_gathered_says_that_all_members_are_kept(
    tmp_path, shell, signals, number, code, word
):
    Path("sweep.toml").write_text(STUDY)
    signals(store, "write_block", number)
    done = shell("study", "sweep.toml", "-q")
    assert (done.code, done.out) == (code, "")
    assert done.error == (
        f"hamiltree: {word}: 6 of 6 members are kept, in sweep.nc.parts; go on with --resume\n"
    )
    assert shell("study", "sweep.toml", "-q", "--resume").code == 0


def test_a_signal_while_the_parts_are_removed_leaves_a_whole_file(tmp_path, shell, signals):
    Path("sweep.toml").write_text(STUDY)
    signals(store, "replace_durably", signal.SIGINT)
    done = shell("study", "sweep.toml", "-q")
    assert done.error == "hamiltree: interrupted: 6 of 6 members are kept, in sweep.nc\n"
    assert load("sweep.nc").is_complete and not Path("sweep.nc.parts").exists()


def test_a_study_that_sigterm_ends_after_its_last_member_has_its_parts(tmp_path, shell, signals):
    Path("sweep.toml").write_text(STUDY)
    signals(schedule, "run_watched", signal.SIGTERM)
    done = shell("study", "sweep.toml", "-q")
    assert done.code == 143 and done.error == (
        "hamiltree: ended by SIGTERM: interrupted; 6 of 6 members are kept, in sweep.nc.parts; "
        "go on with --resume\n"
    )


def test_nothing_is_called_kept_that_ends_with_the_process(capsys, signals):
    signals(schedule, "run_watched", signal.SIGTERM)
    with StoppedCommand() as stopped, pytest.raises(SystemExit):
        ht.study(PENDULUM, {"q.q": [0.1, 0.2]}, **SETTINGS)
    assert stopped.kept == "interrupted; 2 of 2 members were done"
    signals(schedule, "run_watched", signal.SIGINT)
    found = ht.study(PENDULUM, {"q.q": [0.1, 0.2]}, **SETTINGS)
    assert found.is_complete
    assert capsys.readouterr().err == "hamiltree: interrupted; 2 of 2 members are kept\n"


def test_a_file_is_run_by_the_shell(tmp_path, shell):
    path = tmp_path / "sweep.toml"
    path.write_text(STUDY)
    done = shell("study", path, "-q")
    assert done.code == 0, done.error
    assert "6 members: 6 complete" in done.out
    (row,) = [line for line in done.out.splitlines() if line.startswith("swing ")]
    values = load(tmp_path / "sweep.nc").data["swing"].values
    assert row.split()[1:5] == ["6", *(f"{f(values):.6g}" for f in (np.min, np.median, np.max))]
    assert "next: hamiltree plot" in done.out
    found = load(tmp_path / "sweep.nc")
    assert found.on_grid("swing").shape == (2, 3)
    shown = shell("info", tmp_path / "sweep.nc").out
    assert "6 members" in shown and "bodies.bob.mass" in shown and "swing" in shown
    again = shell("study", path, "-q")
    assert again.code == 2 and "exists" in again.error
    assert run_study_file(path, progress=False).data["swing"].equals(found.data["swing"])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"bodies.bob.mass"', '"bodies.bob.mas"', ":13: vary: pendulum has no number"),
        ("uniform = [1.0, 2.0]", "unifrom = [1.0, 2.0]", ":13: vary 'bodies.bob.mass'"),
        ("members = 3", "member = 3", ":7: unknown key 'member'"),
        ('problem = "pendulum"', "", ":2: a study has a table [study]"),
        ('"max(hinge)"', '"max(hinges)"', ":10: keep 'hinges'"),
        ('integrator = "rk4"', 'integrator = "rk5"', ":6: unknown integrator"),
        ("members = 3", 'sampler = "sobl"', ":7: unknown sampler 'sobl'; did you mean 'sobol'"),
        ("members = 3", 'sampler = "sensitivty"', ":7: unknown sampler 'sensitivty'; did you mean"),
        ("members = 3", 'members = "many"', ":7: members = 'many'; give a whole number"),
        ("members = 3", "members = 2.5", ":7: members = 2.5; give a whole number"),
        ('"pendulum"', '"nope.toml"', ":3: problem = 'nope.toml': there is no such file beside"),
        ('"pendulum"', '"swep.toml"', ":3: problem = 'swep.toml': there is no such file beside"),
        ("[vary]", '[[event]]\nexpresion = "hinge"\n[vary]', ":13: unknown key 'expresion'"),
        ("[vary]", "[[event]]\n[vary]", ":12: event {}: there is no expression"),
        ("[vary]", '[[event]]\nexpression = "hing"\n[vary]', ":12: event 'hing': unknown symbol"),
        ("[vary]", '[event]\nexpression = "hinge"\n[vary]', ":12: event is an array of tables"),
    ],
)
def test_errors_of_a_file_name_its_line(tmp_path, old, new, words):
    path = tmp_path / "sweep.toml"
    path.write_text(STUDY.replace(old, new))
    with pytest.raises(FileError) as refused:
        run_study_file(path, progress=False)
    assert f"{path}" in str(refused.value) and words in str(refused.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"threads": 0}, "threads = 0; give a whole number from 1 to 1024"),
        ({"cluster": "local:0"}, "cluster = 'local:0'; give the address of a scheduler"),
        ({"cluster": "local:x"}, "cluster = 'local:x'; give the address of a scheduler"),
        ({"cluster": "locl:2"}, "cluster = 'locl:2'; did you mean 'local:2'?"),
        ({"threads": 2, "cluster": "local:2"}, "threads are of this process"),
    ],
)
def test_what_was_not_in_the_file_is_not_looked_for_there(tmp_path, given, words):
    path = tmp_path / "sweep.toml"
    path.write_text(STUDY)
    with pytest.raises(OptionError) as refused:
        run_study_file(path, progress=False, **given)
    assert str(refused.value).startswith(words)
    assert [each.name for each in tmp_path.iterdir()] == ["sweep.toml"]


def test_a_study_without_dask_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    path = tmp_path / "sweep.toml"
    path.write_text(STUDY)
    with pytest.raises(OptionError, match="^cluster needs Dask distributed, which is not here"):
        run_study_file(path, progress=False, cluster="local:2")


def test_a_whole_number_of_members_may_be_written_as_a_float():
    vary = {"k": uniform(1.0, 2.0)}
    assert make_design(vary, 1e3, "random", 0).count == 1000
    assert plan_members(vary, 1e3, "sensitivity")[0].count == 3000
    with pytest.raises(OptionError, match="members = 2.5; give a whole number"):
        make_design(vary, 2.5, "random", 0)


def test_every_sampler_is_listed():
    (table,) = samplers_tables()
    names = list(table.columns[0].cells)
    assert names == ["random", "latin_hypercube", "sobol", "sensitivity"]


def test_the_page_on_studies_runs_as_it_stands(capsys):
    page = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")
    names = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    assert names["image"].shape == (12, 16, 1)
    assert not names["study"].failed and not names["basins"].failed
    assert capsys.readouterr().out.count("\n") == 4
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    assert set(tomllib.loads(text)) == {"study", "keep", "vary"}


# ---- examples ------------------------------------------------------------------------------------
SMALL_GRID = {"y.v": grid(-3.0, 3.0, 2), "y.x": grid(-3.0, 3.0, 3)}
EXAMPLES = {
    "basins": {"vary": SMALL_GRID},
    "tumble": {"members": 4, "until": 0.02},
    "tolerances": {"members": 2, "until": 0.02},
    "payload": {"members": 4, "until": 0.02},
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name):
    path = ROOT / "examples" / "studies" / f"{name}.toml"
    found = run_study_file(path, progress=False, **EXAMPLES[name])
    assert not found.failed and found.is_complete
    (first, *_) = [x for x in found.data.data_vars if x != "status"]
    assert len(np.unique(found.data[first].values)) > 1


def test_a_reduction_is_another_one_if_what_it_uses_outside_is_another():
    source = (
        "def helper(x):\n    return FACTOR[1] * x\ndef update(t, x, r):\n    r[0] = helper(x[0])"
    )
    found = []
    for factor in (2.0, 2.0, 3.0):
        names = {"FACTOR": np.array([1.0, factor])}
        exec(source, names)
        found.append(identity_of(Reduction("own", ["q"], names["update"])))
    assert found[0] == found[1] != found[2]
