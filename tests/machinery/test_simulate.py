"""The driver: exact grids, chunks that leave no trace, starts, statistics, and every way in which a
run can end.
"""

import importlib
import json
import os
import pty
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import hamiltree as ht
from hamiltree.model import Force, library
from hamiltree.problems.typed_problem import numbers_in_order
from hamiltree.run.plan import whole_steps

driver = importlib.import_module("hamiltree.run.simulate")
runs = importlib.import_module("hamiltree.run.loop")
ORACLE = json.loads(
    (Path(__file__).parents[1] / "data" / "seed000_tree10_a.json").read_text(encoding="utf-8")
)
METHODS = ("gauss8", "implicit_midpoint", "rk4")
UNTIL, STEP = 0.2005, 1e-3  # a shorter last step


def run(model, until, step, **options):
    return driver.simulate(model, until, step, progress=False, **options)


@pytest.fixture(scope="module")
def every_step():
    """Every step of chain(4) by several methods."""
    return {
        method: run(library.chain(4), UNTIL, STEP, integrator=method, save_every=1)
        for method in METHODS
    }


@pytest.fixture(scope="module")
def pendulum():
    return library.pendulum(angle=1.0)


def assert_same_samples(some, all_of_them):
    """Bit for bit, at the times that both have."""
    common = np.isin(all_of_them.t.values, some.t.values)
    assert common.sum() == some.t.size
    for name in some.dataset.data_vars:
        np.testing.assert_array_equal(
            some.dataset[name].values, all_of_them.dataset[name].values[common], err_msg=name
        )


# ---- chunks and samples --------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("save_every", [2, 7, 200, 1000])
def test_how_often_it_saves_changes_no_bit(every_step, method, save_every):
    some = run(library.chain(4), UNTIL, STEP, integrator=method, save_every=save_every)
    assert some.t.size == 1 + 200 // save_every + 1
    assert_same_samples(some, every_step[method])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("first_chunk", "seconds", "numbers"),
    [(1, 0.0, 2**22), (13, 0.0, 2**22), (10**6, 1e9, 2**22), (16, 1e9, 500)],
)
def test_how_a_run_is_cut_into_chunks_changes_no_bit(
    every_step, monkeypatch, method, first_chunk, seconds, numbers
):
    monkeypatch.setattr(runs, "FIRST_CHUNK", first_chunk)
    monkeypatch.setattr(runs, "CHUNK_SECONDS", seconds)
    monkeypatch.setattr(runs, "CHUNK_NUMBERS", numbers)
    some = run(library.chain(4), UNTIL, STEP, integrator=method, save_every=3)
    assert_same_samples(some, every_step[method])


def test_a_file_holds_the_same_bits_as_memory(every_step, tmp_path):
    in_file = run(library.chain(4), UNTIL, STEP, save_every=1, output=tmp_path / "run.nc")
    assert in_file.t.size == every_step["gauss8"].t.size
    assert_same_samples(in_file, every_step["gauss8"])


def test_thousands_of_chunks_that_are_limited_by_memory_do_not_overflow_the_guess_of_the_next(
    pendulum, monkeypatch
):
    monkeypatch.setattr(runs, "CHUNK_NUMBERS", 1)
    monkeypatch.setattr(runs, "CHUNK_SECONDS", 1e6)
    assert run(pendulum, 1.5, 1e-3, save_every=1).t.size == 1501


# ---- times ---------------------------------------------------------------------------------------
def swinging(t, amplitude, omega):
    """The angle of a mathematical pendulum released at rest: sin(θ/2) = k sn(K − ω t),
    k = sin(amplitude / 2).
    """
    k = np.sin(amplitude / 2)
    return 2 * np.arcsin(k * ellipj(ellipk(k * k) - omega * t, k * k)[0])


@pytest.mark.parametrize("until", [0.12345, 1.0005, 2.0 / 3.0, 0.003])
@pytest.mark.parametrize("method", ["gauss8", "rk4"])
def test_an_end_between_two_steps_is_met_exactly(pendulum, until, method):
    end = run(pendulum, until, 0.01 if method == "gauss8" else 1e-3, integrator=method)
    assert end.t[-1] == until
    assert end.status == "complete"
    np.testing.assert_allclose(
        end.q[-1, 0], swinging(until, 1.0, np.sqrt(9.81)), rtol=0, atol=2e-11
    )


@pytest.mark.parametrize("save_every", [1, 2])
def test_the_last_time_is_the_end_to_the_bit_though_the_grid_rounds(pendulum, save_every):
    assert 3 * 0.1 != 0.3
    assert run(pendulum, 0.3, 0.1, save_every=save_every).t.values[-1] == 0.3


@pytest.mark.parametrize(
    ("until", "step", "steps"),
    [(8267.8, 1e-3, 8267800), (123456.7, 1e-4, 1234567000), (0.3, 0.1, 3), (1e6, 1 / 3, 3000000)],
)
def test_rounding_alone_makes_no_shorter_last_step(until, step, steps):
    assert whole_steps(until, step) == (steps, 0.0)


@pytest.mark.parametrize(
    ("until", "step", "steps"),
    [(1.0, 0.3, 3), (0.001, 0.3, 0), (0.3 - 1e-6, 0.1, 2), (0.3 + 1e-6, 0.1, 3)],
)
def test_whole_steps_and_the_rest_add_up_to_the_end(until, step, steps):
    whole, rest = whole_steps(until, step)
    assert whole == steps
    assert 0 < rest < step
    assert whole * step + rest == pytest.approx(until, rel=1e-15)


def test_times_increase_and_lie_on_the_grid(every_step):
    t = every_step["rk4"].t.values
    np.testing.assert_array_equal(t, [*(np.arange(201) * STEP), UNTIL])


# ---- what a user may leave out or change ---------------------------------------------------------
def test_defaults_are_printed_and_kept(pendulum, capsys):
    done = driver.simulate(pendulum)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        "pendulum: hamiltonian_tree, gauss8, step 0.001 s, until 10 s (10000 steps), "
        "saved every 5 steps\n"
    )
    chosen = {
        key: done.provenance[key]
        for key in ("formulation", "integrator", "until", "step", "save_every")
    }
    assert chosen == {
        "formulation": "hamiltonian_tree",
        "integrator": "gauss8",
        "until": 10.0,
        "step": 1e-3,
        "save_every": 5,
    }
    assert done.t.size == 2001


def test_without_progress_nothing_is_printed(pendulum, capfd, monkeypatch):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    run(pendulum, 0.5, 1e-3)
    assert capfd.readouterr() == ("", "")


def test_names_may_be_spelled_as_a_person_spells_them(pendulum):
    assert (
        run(pendulum, 0.01, 1e-3, integrator="Gauss-8", formulation="Hamiltonian Tree").provenance[
            "integrator"
        ]
        == "gauss8"
    )


def test_a_start_by_joint_name_keeps_the_model_s_start_elsewhere():
    model = library.n_pendulum(3, angles=0.2)
    done = run(model, 0.01, 1e-3, q={"hinge3": 0.7}, qdot={"hinge2": -0.5})
    np.testing.assert_array_equal(done.q[0], [0.2, 0.0, 0.7])
    np.testing.assert_allclose(done.qdot[0], [0.0, -0.5, 0.0], rtol=0, atol=1e-14)


def test_a_start_by_array_is_taken_in_the_order_of_the_coordinates():
    model = library.n_pendulum(3, angles=0.2)
    q, qdot = [0.1, -0.2, 0.3], np.array([1, 2, 3])
    done = run(model, 0.01, 1e-3, q=q, qdot=qdot)
    np.testing.assert_array_equal(done.q[0], q)
    np.testing.assert_allclose(done.qdot[0], qdot, rtol=1e-13)
    moved = model.with_(
        joints={f"hinge{k + 1}": {"q": q[k], "qdot": float(qdot[k])} for k in range(3)}
    )
    np.testing.assert_array_equal(run(moved, 0.01, 1e-3).p, done.p)


def test_statistics_count_the_evaluations(pendulum):
    explicit, implicit = (
        run(pendulum, 0.1005, 1e-3, integrator="rk4").statistics,
        run(pendulum, 0.1, 1e-3).statistics,
    )
    assert explicit["steps"] == 101
    assert explicit["calls"] == explicit["evaluations"] == 404
    assert implicit["evaluations"] == 4 * implicit["calls"]
    assert implicit["calls_per_step"] == implicit["calls"] / 100
    assert implicit["calls"] >= 200  # two at least, to see that the increment has stopped changing
    assert set(implicit) == {"steps", "calls", "evaluations", "calls_per_step", "seconds"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step": 0.0}, r"step = 0.0; it must be finite and above zero \(s\)"),
        ({"step": -1e-3}, "step = -0.001"),
        ({"step": float("nan")}, "step = nan"),
        ({"step": "1e-3"}, "step = '1e-3'; it must be a number"),
        ({"until": float("inf")}, "until = inf"),
        ({"until": True}, "until = True; it must be a number"),
        (
            {"until": 1e300, "step": 1e-300},
            "until = 1e\\+300 s in steps of 1e-300 s are more than 9007199254740992 steps",
        ),
        ({"save_every": 0}, "save_every = 0; it must be a whole number of steps"),
        ({"save_every": 2.5}, "save_every = 2.5"),
        ({"integrator": "gaus8"}, "unknown integrator 'gaus8'; did you mean 'gauss8'"),
        ({"formulation": "lagrange"}, "unknown formulation 'lagrange'; .*hamiltonian_tree"),
        ({"q": {"hing": 1.0}}, "q: there is no joint 'hing'; did you mean 'hinge'"),
        ({"q": [1.0, 2.0]}, "q has 2 values, the model has 1 coordinates; .*hinge"),
        ({"qdot": [float("nan")]}, "qdot"),
    ],
)
def test_a_bad_option_is_refused_by_name(pendulum, tmp_path, options, message):
    with pytest.raises(ht.OptionError, match=message):
        run(pendulum, **{"until": 1.0, "step": 0.01, **options}, output=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_only_a_model_is_run():
    with pytest.raises(
        ht.OptionError,
        match=r"takes a Model, a Hamiltonian or an Ode, not str; read a file with hamiltree.load",
    ):
        driver.simulate("arm.toml")


def test_a_start_beyond_the_range_of_numbers_is_refused_before_anything_is_written(
    pendulum, tmp_path
):
    with pytest.raises(ht.ModelError, match="the start is not finite"):
        run(pendulum, 1.0, 0.01, qdot=[1e200], output=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_a_pair_that_does_not_fit_is_refused_with_those_that_do(pendulum):
    with pytest.raises(ht.FitError) as refused:
        run(pendulum, 1.0, 0.01, integrator="splitting2")
    message = str(refused.value)
    assert message.startswith(
        "splitting2 does not fit hamiltonian_tree, because it knows no exact flow of the kinetic "
        "energy"
    )
    assert (
        "gauss8"
        in message.split("formulations that fit")[0].split(
            "integrators that fit hamiltonian_tree: "
        )[1]
    )
    assert "splitting2," not in message
    assert message.endswith("formulations that fit splitting2: free_bodies_quaternion")


@dataclass(frozen=True)
class Breeze(Force):
    """A force without a registered law."""

    kind: ClassVar[str] = "breeze"
    references: ClassVar[dict[str, str]] = {"joint": "joint"}
    joint: str = ""
    law: object = None


def test_a_force_without_a_law_is_refused_by_name(pendulum):
    model = pendulum.with_(forces=[Breeze("hinge", np.sin, name="wind")])
    with pytest.raises((ht.FitError, ht.ModelError), match="wind"):
        run(model, 0.1, 0.01)


# ---- runs that go wrong --------------------------------------------------------------------------
def is_finite(trajectory):
    return all(np.isfinite(values).all() for values in trajectory.dataset.data_vars.values())


def test_a_state_that_stops_being_finite_ends_the_run_with_the_last_good_time(tmp_path):
    with pytest.raises(ht.StepError) as failure:
        run(
            library.chain(10), 30.0, 0.3, integrator="rk4", save_every=1, output=tmp_path / "run.nc"
        )
    kept = failure.value.trajectory
    last = float(kept.t[-1])
    assert 0 < last < 30
    assert (
        f"the state stopped being finite; the last good time is t = {last:g} s (step "
        f"{round(last / 0.3)})" in str(failure.value)
    )
    assert "Try a step of 0.03 s or less" in str(failure.value)
    assert is_finite(kept)
    assert kept.status == str(failure.value)
    stored = ht.Trajectory.load(tmp_path / "run.nc")
    assert stored.dataset.identical(kept.dataset)
    until_there = run(library.chain(10), last, 0.3, integrator="rk4", save_every=1)
    np.testing.assert_array_equal(until_there.p, kept.p)


@pytest.mark.parametrize("step", [0.3, 1.0, 1e3])
@pytest.mark.parametrize("method", ["explicit_euler", "rk4"])
def test_no_sample_holds_an_overflow(method, step):
    with pytest.raises(ht.StepError) as failure:
        run(library.chain(10), 100 * step, step, integrator=method, save_every=1)
    assert is_finite(failure.value.trajectory)
    assert failure.value.trajectory.t.size >= 1


def test_the_last_good_state_is_kept_though_it_was_not_due():
    with pytest.raises(ht.StepError) as failure:
        run(library.chain(10), 30.0, 0.3, integrator="rk4", save_every=1000)
    np.testing.assert_allclose(failure.value.trajectory.t, [0.0, 0.6], rtol=1e-15)


@pytest.mark.parametrize("method", ["implicit_midpoint", "gauss4"])
def test_stages_that_do_not_converge_are_reported_with_the_joint(method):
    model = library.chain(10)
    with pytest.raises(ht.StepError) as failure:
        run(model, 1.0, 0.1, integrator=method)
    message = str(failure.value)
    assert message.startswith(f"the stages of {method} did not converge, worst in the ")
    named = message.split("of joint '")[1].split("'")[0]
    assert named in model.coordinates
    assert f"last good time is t = {float(failure.value.trajectory.t[-1]):g} s" in message


@pytest.mark.parametrize("method", ["implicit_midpoint", "gauss8"])
def test_the_joint_that_does_not_converge_is_the_one_that_is_named(method):
    """A stiff slider whose step is too long, beside a hinge that is pushed much harder but
    smoothly.
    """
    bodies = [ht.Body("a", 1.0, inertia=1.0), ht.Body("b", 1.0, inertia=1.0)]
    joints = [
        ht.Revolute("smooth", "ground", "a"),
        ht.Prismatic("stiff", "ground", "b", axis=(1, 0, 0), q=0.1),
    ]
    forces = [ht.JointEffort("smooth", 1e3), ht.JointSpring("stiff", 1e6)]
    with pytest.raises(ht.StepError, match="of joint 'stiff'"):
        run(
            ht.Model(bodies=bodies, joints=joints, forces=forces),
            1.0,
            1e-2,
            integrator=method,
            solver="fixed_point",
        )


@pytest.mark.parametrize("method", ["implicit_midpoint", "gauss8"])
def test_newton_takes_over_where_the_fixed_point_fails(method):
    """The same slider: ω h = 10.

    The energy of a linear oscillator is quadratic, so it is kept whatever the step.
    """
    spring = ht.Model(
        bodies=[ht.Body("b", 1.0, inertia=1.0)],
        joints=[ht.Prismatic("stiff", "ground", "b", axis=(1, 0, 0), q=0.1)],
        forces=[ht.JointSpring("stiff", 1e6)],
        gravity=(0, 0, 0),
    )
    assert run(spring, 1.0, 1e-2, integrator=method).energy_error < 1e-12


def test_a_run_that_would_not_fit_on_the_disk_is_refused(tmp_path):
    with pytest.raises(ht.FileError, match=r"would write .* GB .* save less often"):
        run(library.chain(10), 1e9, 1e-4, save_every=1, output=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def test_a_trajectory_is_not_written_under_the_name_of_something_else(tmp_path):
    with pytest.raises(ht.OptionError, match=r"run\.csv: a trajectory is a netCDF file"):
        run(library.chain(2), 0.01, 1e-3, output=tmp_path / "run.csv")


# ---- Ctrl-C and the progress bar -----------------------------------------------------------------
def interrupt(times=1):
    for _ in range(times):
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_ends_with_the_trajectory_so_far(monkeypatch, capsys):
    monkeypatch.setattr(runs, "next_chunk", lambda done, spent: interrupt() or 1)
    before = signal.getsignal(signal.SIGINT)
    done = run(library.chain(4), 10.0, STEP, save_every=5)
    assert done.status == "interrupted at t = 0.016 s"
    assert done.t[-1] == 0.016
    assert (
        "interrupted at t = 0.016 s; the trajectory up to there is kept" in capsys.readouterr().err
    )
    assert signal.getsignal(signal.SIGINT) is before
    np.testing.assert_array_equal(
        done.q[-1], run(library.chain(4), 0.016, STEP, save_every=5).q[-1]
    )


def test_a_second_ctrl_c_ends_at_once(pendulum, monkeypatch):
    monkeypatch.setattr(runs, "next_chunk", lambda done, spent: interrupt(2) or 1)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(pendulum, 10.0, STEP)
    assert signal.getsignal(signal.SIGINT) is before


def test_a_run_in_another_thread_leaves_signals_alone(pendulum):
    found = []
    worker = threading.Thread(target=lambda: found.append(run(pendulum, 0.1, STEP)))
    worker.start()
    worker.join()
    assert found[0].status == "complete"


class Terminal:
    """A process on a pseudo-terminal of its own; `text` is what it has shown."""

    def __init__(self, arguments, cwd, environment):
        self.screen, inside = pty.openpty()
        self.process = subprocess.Popen(
            arguments, cwd=cwd, env=environment, stdin=inside, stdout=inside, stderr=inside
        )
        os.close(inside)
        self.text = ""

    def read_until(self, is_there, seconds=120):
        end = time.monotonic() + seconds
        while not is_there(self.text) and time.monotonic() < end:
            if select.select([self.screen], [], [], 0.2)[0]:
                try:
                    self.text += os.read(self.screen, 4096).decode(errors="replace")
                except OSError:  # the other end is closed
                    break
        return is_there(self.text)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        os.close(self.screen)


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory, environment):
    """`hamiltree run` of hours on a terminal, interrupted once its bar is there: (what it showed,
    exit code, its file).
    """
    folder = tmp_path_factory.mktemp("terminal")
    ht.save(library.chain(10), folder / "chain.toml")
    command = [
        sys.executable,
        "-m",
        "hamiltree",
        "run",
        "chain.toml",
        "--until",
        "1e6",
        "--save-every",
        "100",
    ]
    terminal = Terminal(command, folder, environment(TERM="xterm", COLUMNS="120"))
    try:
        terminal.read_until(lambda text: "━" in text and "of 1e+06 s" in text)
        terminal.process.send_signal(signal.SIGINT)
        terminal.read_until(lambda text: "wrote chain.nc" in text)
        code = terminal.process.wait(60)
        return terminal.text, code, folder / "chain.nc"
    finally:
        terminal.close()


def test_a_long_run_shows_a_bar_on_a_terminal(interrupted):
    text = interrupted[0]
    plan, bar = text.index("chain(10): hamiltonian_tree, gauss8"), text.index("━")
    assert plan < bar
    assert "of 1e+06 s" in text[bar:]


def test_ctrl_c_in_a_terminal_leaves_a_readable_trajectory_and_exit_code_130(interrupted):
    text, code, path = interrupted
    assert code == 130
    assert "Traceback" not in text
    stored = ht.Trajectory.load(path)
    assert stored.status.startswith("interrupted at t = ")
    assert stored.status in text
    assert 0 < stored.t[-1] < 1e6
    assert stored.energy_error < 1e-12


def test_a_short_run_shows_no_bar(pendulum, capfd):
    driver.simulate(pendulum, 0.1, STEP)
    assert capfd.readouterr().err.count("\n") == 1


def test_a_bar_leaves_no_trace_where_there_is_no_terminal(pendulum, capfd, monkeypatch):
    monkeypatch.setattr("hamiltree.console.SECONDS_BEFORE_SHOWN", 0.0)
    driver.simulate(pendulum, 0.5, STEP)
    assert "━" not in capfd.readouterr().err


# ---- the oracle ----------------------------------------------------------------------------------
@pytest.mark.parametrize(("method", "step"), [("gauss8", 1e-3), ("rk4", 2e-5)])
def test_the_ten_body_tree_ends_where_another_program_ends(method, step):
    """seed000_tree10_a: q and p after 1 s, known to 2e-9."""
    done = run(
        library.ten_body_tree(),
        ORACLE["t_end"],
        step,
        integrator=method,
        q=ORACLE["q"],
        qdot=ORACLE["qdot"],
        save_every=10**6,
    )
    np.testing.assert_allclose(done.p[0], ORACLE["p"], rtol=0, atol=1e-11)
    np.testing.assert_allclose(done.q[-1], ORACLE["q_end"], rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(done.p[-1], ORACLE["p_end"], rtol=1e-8, atol=1e-8)
    assert float(done.energy[-1]) == pytest.approx(ORACLE["H0"], rel=1e-9)


def test_a_run_that_names_no_end_and_no_step_has_those_of_the_model():
    model = library.chain(4).with_(until=0.02, step=5e-3)
    assert ht.simulate(model, progress=False).t.values == pytest.approx(
        [0, 5e-3, 0.01, 0.015, 0.02]
    )
    later = ht.simulate(model, t=1.0, step=1e-2, progress=False)
    assert later.t.values == pytest.approx([1.0, 1.01, 1.02])
    assert float(ht.simulate(model, until=0.01, progress=False).t[-1]) == 0.01


def test_a_start_whose_numbers_are_masked_is_refused():
    masked = np.ma.array([0.1, 0.2], mask=[False, True])
    with pytest.raises(ht.OptionError, match="q = .* has numbers that are masked; give all of"):
        ht.simulate(ht.library.n_pendulum(2), q=masked, until=0.1)
    with pytest.raises(ht.OptionError, match="q has numbers that are masked; give all of them"):
        numbers_in_order(masked, ["x", "y"], "q")
    assert ht.library.n_pendulum(2).q_from(np.ma.array([0.1, 0.2]), np.zeros(2))[1] == 0.2
