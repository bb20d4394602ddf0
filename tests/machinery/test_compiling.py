"""What a person sees of the compiler, what it is assumed to be, and the second process that
compiles beside.
"""

import gc
import os
import pickle
import sys
from pathlib import Path

import pytest
from numba import types

import hamiltree as ht
from hamiltree.compiled import internals, progress, selftest, worker
from hamiltree.compiled.cache import COUNTS
from hamiltree.compiled.internals import COMPILING, LISTENERS, users_first
from hamiltree.run import simulator as simulation

SOURCES = Path(ht.__file__).parents[1]


@pytest.mark.parametrize("sentence", selftest.ASSUMPTIONS)
def test_numba_is_what_it_is_taken_for(sentence):
    selftest.ASSUMPTIONS[sentence]()


def test_an_assumption_that_breaks_is_named(monkeypatch, capsys):
    def fail():
        raise AttributeError("no such thing")

    monkeypatch.setattr(
        selftest, "ASSUMPTIONS", {"the sky is blue": fail, "water is wet": lambda: None}
    )
    assert selftest.main() == 1
    out = capsys.readouterr().out
    assert "BROKEN  the sky is blue: AttributeError: no such thing" in out and "1 of 2 hold" in out


# ---- the wait is shown ---------------------------------------------------------------------------
class Fake:
    """A dispatcher as the listeners see it."""

    def __init__(self, name):
        def function():
            """Nothing."""

        function.__qualname__, function.__module__ = name, "hamiltree.verbs"
        self.py_func = function


def compile_three(patience=0.0):
    for name in ("rates.entry", "power.entry", "poses.entry"):
        progress.on_compile_event(Fake(name), True, 1)
        progress.on_compile_event(Fake("a part"), True, 2)
        progress.on_compile_event(Fake("a part"), False, 2)
        shown = progress.DISPLAYS[0]
        if shown.spinner.timer is not None:
            shown.spinner.timer.join(5.0)  # until it has spoken
        progress.on_compile_event(Fake(name), False, 1)


def test_elsewhere_than_on_a_terminal_a_line_comes_at_the_start_and_one_at_the_end(
    monkeypatch, capsys
):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    with progress.CompileProgress():
        progress.expect(3)
        progress.expect_no_more()
        compile_three()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "hamiltree: compiling 1 of 3, once on this machine: rates (verbs) …",
        "hamiltree: compiled 3 kernels in 0 s",
    ]


def test_loops_are_counted_before_they_are_waited_for(monkeypatch, capsys):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    with progress.CompileProgress() as shown:
        progress.expect_loops(
            ["hamiltree.integrators.advance:advance", "hamiltree.formulations.batch:observe"]
        )
        progress.expect(3)
        progress.expect_no_more()
        compile_three()
        progress.begin("the loop (by another process)", "hamiltree.integrators.advance:advance")
        assert str(shown) == "compiling 4 of 5, once on this machine: the loop (by another process)"
        progress.end()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "hamiltree: compiling 1 of 5, once on this machine: rates (verbs) …",
        "hamiltree: compiled 5 kernels in 0 s",
    ]


def test_a_number_that_may_grow_is_called_so_and_an_interrupt_is_told(monkeypatch, capsys):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    with pytest.raises(KeyboardInterrupt), progress.CompileProgress() as shown:
        progress.expect(2)
        compile_three()
        assert str(shown) == "compiled 3 of 3 so far"
        raise KeyboardInterrupt
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("hamiltree: compiling 1 of 2 so far, once on this machine")
    assert lines[1:] == ["hamiltree: interrupted while compiling; 3 kernels kept"]


def test_nothing_is_said_when_nothing_compiles_or_it_is_quick_or_unwanted(monkeypatch, capsys):
    with progress.CompileProgress():
        pass
    with progress.CompileProgress():
        progress.on_compile_event(Fake("rates.entry"), True, 1)
        progress.on_compile_event(Fake("rates.entry"), False, 1)
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    with progress.CompileProgress(wanted=False):
        compile_three()
    assert capsys.readouterr().err == ""


def test_what_is_compiled_outside_of_any_run_is_shown_too(monkeypatch, capsys):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    compile_three()
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in lines[::2]] == [
        " compiling 1 of 1, once on this machine"
    ] * 3
    assert not progress.DISPLAYS


def test_one_shown_inside_another_joins_it(monkeypatch, capsys):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    with (
        progress.CompileProgress(idle_message="comparing formulations") as outer,
        progress.CompileProgress(),
    ):
        outer.spinner.timer.join(5.0)
        compile_three()
    assert outer.done == 3
    assert capsys.readouterr().err.splitlines() == [
        "hamiltree: comparing formulations …",
        "hamiltree: compiled 3 kernels in 0 s",
    ]


def test_listeners_hear_of_every_compile_and_none_is_left_open():
    assert progress.on_compile_event in LISTENERS
    assert not COMPILING


@pytest.fixture
def compile_one(monkeypatch):
    """Compiles a function that nobody has compiled before; no objects are frozen."""
    monkeypatch.setattr(internals, "FROZEN", set())
    assert gc.isenabled() and gc.get_freeze_count() == 0
    one = internals.dispatcher_of(lambda x: x + 1, internals.KERNEL_OPTIONS)
    yield lambda: one.compile((types.int64,))
    assert not COMPILING
    assert gc.isenabled() and gc.get_freeze_count() == 0


def interrupt(*arguments):
    raise KeyboardInterrupt


@pytest.mark.parametrize("time", ["start", "end"])
def test_an_interrupt_of_a_listener_leaves_nothing_open(compile_one, monkeypatch, time):
    def listen(dispatcher, is_start, depth):
        if is_start == (time == "start"):
            interrupt()

    monkeypatch.setattr(internals, "LISTENERS", [listen])
    with pytest.raises(KeyboardInterrupt):
        compile_one()


@pytest.mark.parametrize("place", ["get_freeze_count", "freeze", "disable"])
def test_an_interrupt_while_collecting_stops_or_goes_on_leaves_it_on(
    compile_one, monkeypatch, place
):
    usual = getattr(gc, place)

    def call_and_interrupt():
        usual()
        interrupt()

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(gc, place, call_and_interrupt)
        compile_one()


def test_an_interrupt_before_the_start_was_told_is_that_interrupt(compile_one, monkeypatch):
    monkeypatch.setattr(internals.CompileListener, "on_start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        compile_one()


# ---- a second process ----------------------------------------------------------------------------
SCRIPT = """
import os, sys
print("the script runs")
import hamiltree as ht
from hamiltree.compiled import worker
from hamiltree.compiled.cache import COUNTS
from hamiltree.run.engine import loop_requests
from hamiltree.integrators import find_integrator
method = find_integrator("explicit_euler")
other = worker.start(loop_requests(method))
other and other.wait()
H = ht.hamiltonian("p**2/2 - cos(q)*(1 - p/6)", q={"q": 1.0}, p={"p": 0.0})
run = ht.simulate(H, until=0.01, step=1e-3, integrator="explicit_euler", progress=False)
print(COUNTS["compiled"], method.advance.stats.cache_hits.total())
"""


def test_a_second_process_compiles_the_loop_and_does_not_run_the_script_again(python, tmp_path):
    """Without a guard `if __name__ == "__main__"`, as people write scripts."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    changes = {"HAMILTREE_CACHE_DIR": str(tmp_path / "cache"), worker.SINGLE_PROCESS_VARIABLE: ""}
    done = python(script, **changes)
    assert done.returncode == 0, done.stderr
    first, counts = done.stdout.splitlines()
    assert first == "the script runs"
    compiled, loops = map(int, counts.split())
    assert compiled > 0
    # loaded from what the other process has compiled
    assert loops == (1 if (os.cpu_count() or 1) > 1 else 0)
    done = python(script, **changes)
    assert done.stdout.splitlines()[1].split()[0] == "0"


def test_a_run_and_a_step_have_their_loops_compiled_by_a_second_process(monkeypatch):
    asked = []
    monkeypatch.setattr(simulation, "LOOPS", set())
    monkeypatch.setattr(
        worker,
        "start",
        lambda wanted: asked.append({kernel.py_func.__name__ for kernel, _ in wanted}),
    )
    sim = ht.simulator(ht.library.pendulum(), step=1e-3, integrator="rk4")
    sim.run(until=0.002)
    sim.run(until=0.002)
    sim.step()
    assert "advance" in asked[0]
    assert asked == [
        {"advance", "observe", "momentum_in_lanes"},
        {"step_on_grid", "observe", "momentum_in_lanes"},
    ]


def test_a_worker_of_another_compiler_compiles_nothing(tmp_path):
    from hamiltree.compiled.cache import compiler

    message = tmp_path / "message"
    wanted = [("hamiltree.integrators.advance:advance", ())]
    message.write_bytes(pickle.dumps((compiler()._replace(numba="0.0"), [], wanted)))
    before = COUNTS["compiled"]
    with message.open("rb") as stream:
        assert worker.compile_requested(stream) == 1
    assert COUNTS["compiled"] == before


def test_kernels_of_a_script_are_not_given_to_another_process():
    from hamiltree.compiled.kernel import kernel

    def mine(x):
        return x

    mine.__module__ = "__main__"
    assert not worker.is_missing(kernel(mine), ())
    assert sys.modules["__main__"] is not None


def test_a_second_process_is_told_where_methods_are():
    """A loop names the types of its arguments; methods for them are in other modules."""
    from hamiltree.integrators import implicit

    assert implicit.__name__ in worker.homes_of_methods()


def test_a_part_is_linked_after_all_that_use_it():
    """LLVM leaves out a function that nothing uses yet, and would not ask for it again."""

    class Library:
        is_part = True

        def __init__(self, *used):
            self._linking_libraries = [*used, *used]

    inner = Library()
    outer = Library(inner)
    assert users_first(Library(inner, outer)) == [outer, inner]
    assert users_first(Library(outer, inner)) == [outer, inner]
