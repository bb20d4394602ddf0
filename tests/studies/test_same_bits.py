"""A member depends on its own numbers alone: not on lanes, threads, blocks, other members, or on
what has interrupted the study.
"""

import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import CompileError
from hamiltree.formulations.filled_tables import filled_system
from hamiltree.problems.numbers import find_target, names_of, with_numbers
from hamiltree.run.plan import set_up
from hamiltree.run.refilled_engine import RefilledEngine
from hamiltree.run.start import Start
from hamiltree.studies import grid, lanes, uniform
from hamiltree.studies.alone import Stop
from hamiltree.studies.design import make_design
from hamiltree.studies.lane_plan import obstacle
from hamiltree.studies.runner import BlockRunner
from hamiltree.studies.schedule import Blocks, Threads
from hamiltree.studies.stopwatch import Stopwatch
from hamiltree.studies.study import define
from tests.studies.families import FAMILIES, KEEP, SPRUNG, compare, same, study_of


@pytest.fixture(scope="module")
def reference():
    return {family: study_of(family, threads=1).data for family in FAMILIES}


def test_the_names_of_the_four_bar_are_known():
    assert any(body.name == "crank" for body in FAMILIES["loops"][0].bodies)


@pytest.mark.parametrize("family", FAMILIES)
def test_all_members_are_complete(family, reference):
    assert set(reference[family]["status"].values) == {"complete"}


@pytest.mark.parametrize("family", FAMILIES)
def test_two_threads_give_the_bits_of_one(family, reference, monkeypatch):
    monkeypatch.setattr(Threads, "wanted", lambda self, done: self.blocks.threads)
    assert same(study_of(family, threads=2).data, reference[family])


def test_blocks_fill_the_lanes_however_long_the_first_took():
    """A first block that compiled says nothing of the others; one member would take as long as
    four.
    """
    blocks = Blocks([(0, 1003)], 4, 1000, group=4)
    blocks.threads = 2
    blocks.learn(4, 60.0)
    found = []
    while (bounds := blocks.next()) is not None:
        found.append(bounds)
        blocks.learn(bounds[1] - bounds[0], 0.01)
    assert [first for first, _ in found] == [0, *(last for _, last in found[:-1])]
    assert all((last - first) % 4 == 0 for first, last in found[:-1]) and found[-1][1] == 1003
    alone = Blocks([(0, 10)], 4, 1000)
    alone.threads = 2
    alone.learn(4, 60.0)
    assert alone.next() == (0, 1)


@pytest.mark.parametrize("family", ["tree", "tables", "typed"])
def test_calls_of_few_steps_give_the_bits_of_one(family, reference, monkeypatch):
    monkeypatch.setattr(lanes, "FIRST_NUMBERS", 1)
    monkeypatch.setattr(lanes, "next_chunk", lambda steps, seconds: 6)  # three steps of two groups
    assert same(study_of(family, threads=1).data, reference[family])


@pytest.mark.parametrize("settings", [{"integrator": "gauss4"}, {"events": ["hinge2 - 0.35"]}])
def test_calls_of_one_step_carry_what_steps_need(settings, monkeypatch):
    monkeypatch.setattr(lanes, "FIRST_NUMBERS", 1)
    monkeypatch.setattr(lanes, "next_chunk", lambda steps, seconds: 1)
    settings = {"until": 0.5, "step": 0.02, "integrator": "rk4", "save_every": 4, **settings}
    alone, _ = compare(SPRUNG, {"q.hinge1": uniform(-1, 1)}, settings)
    assert not alone


def test_a_stop_is_heard_between_calls_of_a_batch(monkeypatch):
    """What the batch has done is dropped, batches before it are kept."""
    stop, calls = Stop(), []
    advance = lanes.LaneRuns.advance

    def stop_later(self, *arguments):
        calls.append(arguments)
        stop.is_requested = len(calls) == 7
        advance(self, *arguments)

    monkeypatch.setattr(lanes.LaneRuns, "advance", stop_later)
    monkeypatch.setattr(lanes.LaneRuns, "batch_size", lambda self: 4)
    monkeypatch.setattr(lanes, "FIRST_NUMBERS", 1)
    monkeypatch.setattr(lanes, "next_chunk", lambda steps, seconds: 2)
    design = make_design({"q.hinge1": uniform(-1, 1)}, 12, "random", 0)
    settings = {"until": 0.2, "step": 0.02, "integrator": "rk4"}
    found = BlockRunner(define(SPRUNG, design, ["end"], settings), stop)(0, 12)
    assert found.status == ["complete"] * 4 and len(calls) == 7


def test_members_of_a_mechanism_share_an_engine_and_are_the_runs_of_simulate(monkeypatch):
    """Their tables differ; workspaces and addresses are those of the first."""
    made = []
    build = RefilledEngine.build_workspaces
    monkeypatch.setattr(
        RefilledEngine, "build_workspaces", lambda self: (made.append(self), build(self))
    )
    model = ht.library.four_bar()
    spring = ht.JointSpring("crank_pivot", stiffness=0.5, name="spring")
    names = {
        "joints.crank_pin.on_parent.position.x": [0.2, 0.1999, 0.2002, 5.0, 0.2001],
        "bodies.rocker.mass": [0.4, 0.5, 0.6, 0.7, 0.8],
    }
    settings = {"until": 0.1, "step": 0.005, "assemble": "crank_pivot"}
    for problem in (model, model.with_(forces=[spring])):
        found = ht.study(
            problem, members=names, keep=["end"], threads=1, progress=False, **settings
        )
        assert list(found.failed) == [3]  # a crank that no coupler reaches
        for member in (0, 1, 2, 4):
            targets = {find_target(problem, name, [], []): x[member] for name, x in names.items()}
            own = with_numbers(problem, targets)
            alone = ht.simulate(own, progress=False, **settings)
            ends = found.data.isel(member=member)
            assert np.array_equal(ends["q_end"], alone.q.values[-1])
            assert np.array_equal(ends["p_end"], alone.p.values[-1])
    assert len(made) == 2
    starts = ht.study(
        model, {"q.crank_pivot": [0.3, 0.9]}, keep=["end"], threads=1, progress=False, **settings
    )
    assert len(made) == 3
    alone = ht.simulate(model, q={"crank_pivot": 0.9}, progress=False, **settings)
    assert np.array_equal(starts.data["q_end"].values[1], alone.q.values[-1])


def test_a_member_that_floats_is_seen_as_such_in_the_engine_of_one_that_does_not():
    """With an armature a joint is anchored, without one its motion is relative to an origin that
    moves.
    """
    base, arm = (ht.Body(name, 2.0, (0.3, 0.0, 0.0), np.eye(3)) for name in ("base", "arm"))
    rail = ht.Translation("rail", "ground", "base", qdot=(1.0, 0.0, 0.5), armature=(0.1,) * 3)
    swing = ht.Revolute("swing", "base", "arm", axis=(0.0, 1.0, 0.0), q=0.3)
    model = ht.Model([base, arm], [rail, swing])
    names = {f"joints.rail.armature.{x}": [0.1, 0.0, 0.1] for x in "xyz"}
    settings = {"until": 0.5, "step": 0.05, "integrator": "dop853", "progress": False}
    found = ht.study(model, members=names, keep=["end"], threads=1, **settings)
    for member, armature in enumerate(names["joints.rail.armature.x"]):
        own = model.with_(joints=[replace(rail, armature=(armature,) * 3), swing])
        alone = ht.simulate(own, **settings)
        assert np.array_equal(found.data["q_end"].values[member], alone.q.values[-1])


def test_an_engine_is_not_filled_with_tables_of_another_kind():
    model = ht.library.four_bar()
    damped = model.with_(forces=[ht.JointDamper("crank_pivot", damping=0.1)])
    more = model.with_(forces=[ht.JointDamper("crank_pivot", damping=0.2)])
    parts = []
    for each in (model, damped, more):
        equations = set_up(each, 0.005, None, None, {}).equations
        parts.append((equations, equations.system_of(equations.assembly_at(Start()))))
    method = set_up(model, 0.005, None, None, {}).integrator
    engine = RefilledEngine(parts[1][0], method, parts[1][1])
    assert not engine.refill(parts[0][0], method, parts[0][1])  # no law
    assert not engine.refill(parts[2][0], method, parts[2][1])  # another law behind its address
    assert engine.refill(parts[1][0], method, parts[1][1])


def test_the_last_blocks_are_no_shorter_than_what_a_thread_may_wait():
    """However small blocks were when the first of them told how long a member takes."""
    blocks = Blocks([(0, 1000)], 4, 1000, group=4)
    blocks.threads = 2
    sizes = []
    while (bounds := blocks.next()) is not None:
        sizes.append(bounds[1] - bounds[0])
        blocks.learn(sizes[-1], sizes[-1] / 1600)
    assert sizes[0] == 4 and sizes[-3:-1] == [8, 8]  # five milliseconds each


def test_threads_are_started_where_they_find_the_interpreter_free():
    """One of 1/(1 − s) threads is in Python at a time, on the average."""
    blocks = Blocks([(0, 1000)], 4, 1000)
    blocks.threads = 8
    threads = Threads(blocks, None, Stop())
    assert threads.wanted(0) == 1  # nothing is known yet
    for share, count in ((0.0, 1), (0.3, 1), (0.5, 2), (0.75, 4), (0.95, 8), (1.0, 8)):
        threads.stopwatch = SimpleNamespace(share=lambda share=share: share)
        threads.began = time.perf_counter() - 10.0
        assert threads.wanted(0) == threads.wanted(100) == count
    assert threads.wanted(10**6) == 1  # what is left is done before another thread has begun


def test_a_stopwatch_tells_the_share_of_compiled_code():
    watch = Stopwatch()
    watch.restart()
    with watch.compiled():
        time.sleep(0.03)
        assert watch.share() > 0.5  # while it runs, too
    watch.end()
    assert 0.5 < watch.last <= 1.0


@pytest.mark.parametrize("family", FAMILIES)
def test_blocks_and_lanes_change_no_bit(family, reference):
    """Members in lanes, one by one, and in blocks of other sizes."""
    has_lanes = FAMILIES[family][3]
    definition = definition_of(family)
    assert bool(obstacle(definition)) is not has_lanes
    whole = BlockRunner(definition, Stop())
    assert (whole.lanes is not None) is has_lanes
    if whole.lanes is not None:
        assert whole.lanes.width == 4
        whole.lone = None  # nobody needs it
    count = definition.count
    blocks = [whole(0, 1), whole(1, 4), whole(4, count)]
    alone = BlockRunner(definition, Stop(), lanes=False)(0, count)
    for name, numbers in alone.values.items():
        pieces = np.concatenate([block.values[name] for block in blocks])
        assert np.array_equal(pieces, numbers), name
        assert np.array_equal(numbers, reference[family][name].values), name


def definition_of(family):
    """With the step among the settings, unless it varies."""
    problem, vary, integrator, _ = FAMILIES[family]
    settings = {"until": 0.21, "step": None if "step" in vary else 0.02, "integrator": integrator}
    return define(problem, make_design(vary, 6, "random", 0), KEEP, settings)


def test_tables_of_free_bodies_differ_from_lane_to_lane():
    design = make_design(
        {"gravity": uniform(1, 9), "bodies.body.mass": uniform(1, 2)}, 6, "random", 0
    )
    settings = {"until": 0.21, "step": 0.02, "integrator": "rk4"}
    flight = {**settings, "formulation": "free_bodies_quaternion"}
    definition = define(ht.library.free_body(), design, KEEP, flight)
    side_by_side = BlockRunner(definition, Stop())
    assert side_by_side.lanes.width == 4
    side_by_side.lone = None
    found = side_by_side(0, 6)
    alone = BlockRunner(definition, Stop(), lanes=False)(0, 6)
    assert all(np.array_equal(found.values[x], alone.values[x]) for x in alone.values)
    assert len(np.unique(found.values["q_end"][:, 2])) == 6


def test_a_turning_body_is_seen_as_in_a_run_alone():
    """Its quaternion goes on with the sign of the last sample, and is read in the joint's frame of
    each member.
    """
    vary = {
        "bodies.body.mass": uniform(1, 2),
        "joints.free.on_parent.position.x": uniform(-1, 1),
        "joints.free.on_parent.rotation.x": uniform(-1, 1),
    }
    settings = {"until": 2.0, "step": 0.01, "integrator": "rk4"}
    flight = {**settings, "formulation": "free_bodies_quaternion"}
    alone, found = compare(ht.library.free_body(), vary, flight, ["end"])
    assert not alone
    assert (found.values["q_end"][:, 3] < 0).any()
    assert not compare(ht.library.free_body(), vary, {**flight, "save_every": 40}, ["samples"])[0]


def test_members_whose_laws_know_no_lanes_go_one_by_one(reference, monkeypatch):
    """In the same compiled loop, with tables of floats."""

    def fill(system, laws, width):
        if width > 1:
            raise CompileError("a law that branches on its numbers")
        return filled_system(system, laws, width)

    monkeypatch.setattr(lanes, "filled_system", fill)
    one_by_one = BlockRunner(definition_of("tables"), Stop())
    assert one_by_one.lanes.width == 1
    one_by_one.lone = None
    found = one_by_one(0, 6).values
    assert all(np.array_equal(found[x], reference["tables"][x].values) for x in found)


def test_members_that_differ_in_more_than_numbers_run_alone():
    """A screw without pitch is a hinge, which has code of its own."""
    first, second = SPRUNG.joints
    parts = {name: getattr(second, name) for name in ("parent", "child", "on_parent", "axis")}
    model = SPRUNG.with_(joints=[first, ht.Screw(name="hinge2", pitch=0.1, **parts)])
    settings = {"until": 0.1, "step": 0.02, "integrator": "rk4"}
    design = make_design({"joints.hinge2.pitch": [0.1, 0.0, 0.2]}, None, "random", 0)
    definition = define(model, design, ["end"], settings)
    side_by_side, alone = BlockRunner(definition, Stop()), []
    run = side_by_side.lone
    side_by_side.lone = lambda member: alone.append(member) or run(member)
    found = side_by_side(0, 3).values["q_end"]
    assert alone == [1]
    expected = BlockRunner(definition, Stop(), lanes=False)(0, 3).values["q_end"]
    assert np.array_equal(found, expected)


def test_a_member_is_the_run_that_simulate_makes(reference):
    data = reference["tables"]
    for member in (0, 5):
        numbers = {
            target: float(data[name][member])
            for name, target in names_of(SPRUNG)
            if name in data.coords
        }
        model = with_numbers(SPRUNG, numbers)
        run = ht.simulate(
            model, until=0.21, step=0.02, integrator="rk4", save_every=1, progress=False
        )
        assert np.array_equal(run.q.values[-1], data["q_end"].values[member])
        assert np.array_equal(run.p.values[-1], data["p_end"].values[member])
        assert run.energy_error == data["energy_error"].values[member]
        assert np.array_equal(run.q.values.max(axis=0), data["max(q)"].values[member])
        t = run.dataset["t"].values
        mean = np.trapezoid(run.energy.values, t) / (t[-1] - t[0])
        assert np.isclose(data["mean(energy)"].values[member], mean, rtol=1e-13)


def test_a_member_that_fails_disturbs_no_other_in_its_lanes():
    """H = p²/2 − q⁴/4 escapes to infinity in finite time where it starts outside."""
    escape = ht.hamiltonian("p**2/2 - k*q**4/4", k=1.0)
    settings = {"p": {"p": 0.0}, "until": 3.0, "step": 0.01, "integrator": "rk4"}
    starts = [0.1, 4.0, 0.2, 0.3, 5.0]
    found = ht.study(escape, {"q.q": starts}, keep=["end"], progress=False, **settings)
    assert list(found.failed) == [1, 4]
    assert all(reason.startswith("StepError") for reason in found.failed.values())
    assert np.isnan(found.data["q_end"].values[[1, 4]]).all()
    calm = ht.study(escape, {"q.q": [0.1, 0.2, 0.3]}, keep=["end"], progress=False, **settings)
    assert np.array_equal(found.data["q_end"].values[[0, 2, 3]], calm.data["q_end"].values)


# ---- studies that are broken off -----------------------------------------------------------------
SCRIPT = textwrap.dedent("""
    import sys
    import hamiltree as ht
    problem = ht.hamiltonian("p**2/2 - cos(q)")
    found = ht.study(
        problem, {"q.q": ht.studies.grid(0.1, 3.0, 48)}, p={"p": 0.0}, keep=["end", "energy_error"],
        until=5000.0, step=0.05, integrator="gauss4", output=sys.argv[1],
        resume="resume" in sys.argv, threads=2, progress=False,
    )
    print(found)
""")


def start(path, *words):
    command = [sys.executable, "-c", SCRIPT, str(path), *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_parts(process, folder, count):
    """Until so many blocks are finished."""
    while process.poll() is None:
        if folder.is_dir() and len(list(folder.glob("*.part"))) >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"ended before {count} parts were written: {process.communicate()}")


def test_why_a_member_fails_does_not_depend_on_the_members_before_it():
    """How many steps a compiled call takes is learnt from them: the energy overflows within one."""
    stiff = ht.hamiltonian("p**2/2 + k*q**2/2", k=1.0, q={"q": 1.0}, p={"p": 0.0})
    settings = {"until": 300.0, "step": 0.3, "integrator": "rk4", "threads": 1, "progress": False}

    def reasons(values):
        found = ht.study(stiff, {"k": values}, keep=["end", "verdict"], **settings)
        return set(found.failed.values())

    calm, wild = [1.0] * 5, [1040.0] * 3
    assert reasons(wild + calm) == reasons(calm + wild)
    (reason,) = reasons(calm + wild)
    assert "the last good time is t = 18 (step 60)" in reason


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_study_that_is_killed_or_interrupted_goes_on_where_it_was(tmp_path):
    path = tmp_path / "study.nc"
    folder = tmp_path / "study.nc.parts"
    killed = start(path)
    wait_for_parts(killed, folder, 1)
    killed.kill()
    killed.communicate()
    assert not path.exists()
    before = {part.name: part.read_bytes() for part in folder.glob("*.part")}
    interrupted = start(path, "resume")
    wait_for_parts(interrupted, folder, len(before) + 1)
    interrupted.send_signal(signal.SIGINT)
    words = interrupted.communicate()
    assert interrupted.returncode == 0, words
    assert "missing" in words[0] and "interrupted" in words[1]
    after = {part.name: part.read_bytes() for part in folder.glob("*.part")}
    assert before.items() <= after.items()
    damaged = max(folder.glob("*.part"))
    damaged.write_bytes(damaged.read_bytes()[:-1])  # torn: it is missing, and computed again
    done = start(path, "resume")
    assert "48 members>" in done.communicate()[0]
    assert not folder.exists()
    whole = ht.study(
        ht.hamiltonian("p**2/2 - cos(q)"),
        {"q.q": grid(0.1, 3.0, 48)},
        p={"p": 0.0},
        keep=["end", "energy_error"],
        until=5000.0,
        step=0.05,
        integrator="gauss4",
        progress=False,
    )
    assert same(ht.studies.load(path).data, whole.data)
