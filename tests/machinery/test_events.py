"""Events and sections: where they lie, what they leave alone, how they end a run, and what is
stored of them.
"""

import importlib
import math
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.integrators import event_monitor as monitor
from hamiltree.model import library

driver = importlib.import_module("hamiltree.run.simulate")
runs = importlib.import_module("hamiltree.run.loop")
OSCILLATOR = "p**2/2 + w**2*q**2/2"  # from (0, w): q = sin(w t), p = w cos(w t)
W = 1.3
HENON = "(p1**2 + p2**2 + q1**2 + q2**2)/2 + q1**2*q2 - q2**3/3"
CHAOTIC = {"q": [0.0, 0.1], "p": [0.35, 0.1]}
KINDS = (
    "gauss8",
    "implicit_midpoint",
    "rk4",
    "stormer_verlet",
    "dormand_prince5",
    "dop853",
    "radau5",
    "reversible(stormer_verlet)",
    "discrete_gradient",
)


def oscillate(until=10.0, step=0.1, **options):
    made = ht.hamiltonian(OSCILLATOR, w=W)
    return ht.simulate(made, until, step, progress=False, **{"q": [0.0], "p": [W], **options})


def times(trajectory, name):
    return trajectory.sections[name].t.values


def zeros_of_sine(until):
    return np.arange(math.floor(until * W / math.pi) + 1) * math.pi / W


# ---- where they lie ------------------------------------------------------------------------------
def test_gauss8_finds_the_zeros_of_a_sine():
    found = times(oscillate(50.0, sections=["q"]), "q")
    np.testing.assert_allclose(found, zeros_of_sine(50.0), rtol=0, atol=1e-12)


@pytest.mark.parametrize(("direction", "first"), [(1, 0), ("rising", 0), (-1, 1), ("falling", 1)])
def test_a_direction_takes_every_other_zero(direction, first):
    """The start lies on the section and rises: it counts, once, where rising counts."""
    found = times(oscillate(50.0, sections=[ht.Event("q", direction)]), "q")
    np.testing.assert_allclose(found, zeros_of_sine(50.0)[first::2], rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", ["rk4", "explicit_euler", "gauss4", "stormer_verlet"])
def test_a_crossing_lies_on_the_numerical_flow(method):
    """Whole steps up to it and one shorter step end exactly there."""
    found = oscillate(20.0, integrator=method, sections=["q*p - 0.2"]).sections["q*p - 0.2"]
    assert found.sizes["point"] > 10
    for k in (0, 5, 10):
        again = oscillate(float(found.t[k]), integrator=method)
        np.testing.assert_allclose(again.q.values[-1], found.q.values[k], rtol=0, atol=1e-13)
        assert abs(float(again.q[-1, 0] * again.p[-1, 0]) - 0.2) < 1e-12


@pytest.mark.parametrize("method", KINDS)
def test_every_kind_of_method_finds_the_zeros_to_its_own_error(method):
    done = oscillate(10.0, 0.02, integrator=method, sections=["q", "p"])
    np.testing.assert_allclose(
        times(done, "q"), zeros_of_sine(10.0), rtol=0, atol=1e-3 if "8" not in method else 1e-7
    )
    np.testing.assert_allclose(
        times(done, "p"),
        zeros_of_sine(10.0)[: len(times(done, "p"))] + math.pi / 2 / W,
        rtol=0,
        atol=1e-3,
    )
    assert np.abs(done.sections["q"].q.values).max() < 1e-12
    assert np.abs(done.sections["p"].p.values).max() < 1e-12


@pytest.mark.parametrize("order", [2, 4])
def test_the_doubled_space_finds_the_zeros_to_its_own_error(order):
    """A step is taken again from equal copies, so a crossing is off the flow by as much as the
    copies are apart.
    """
    errors = [
        np.abs(
            times(oscillate(10.0, h, integrator=f"tao{order}", sections=["q"]), "q")
            - zeros_of_sine(10.0)
        ).max()
        for h in (0.04, 0.02)
    ]
    assert errors[1] < errors[0] / 2 ** (order - 1)


def test_time_is_an_event_as_good_as_any():
    done = oscillate(3.0, sections=["t - 1.5", "sin(pi*t)"])
    np.testing.assert_allclose(times(done, "t - 1.5"), [1.5], rtol=0, atol=1e-13)
    np.testing.assert_allclose(times(done, "sin(pi*t)"), [0, 1, 2], rtol=0, atol=1e-12)


def test_rates_and_parameters_can_stand_in_an_event():
    """q̇ = w cos(w t) meets w²/2 at w t = ± arccos(w/2)."""
    done = oscillate(10.0, sections=["q_dot - w**2/2", "p_dot"])
    turns = np.arange(3) * 2 * math.pi
    expected = np.sort(np.concatenate([turns + math.acos(W / 2), turns - math.acos(W / 2)])) / W
    np.testing.assert_allclose(
        times(done, "q_dot - w**2/2"),
        expected[(expected > 0) & (expected < 10)],
        rtol=0,
        atol=1e-12,
    )
    np.testing.assert_allclose(times(done, "p_dot"), zeros_of_sine(10.0), rtol=0, atol=1e-12)


# ---- conditions ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("where", "keep"),
    [
        ("p > 0", lambda t: np.cos(W * t) > 0),
        ("p < 0 and t > 5", lambda t: (np.cos(W * t) < 0) & (t > 5)),
        ("4 < t <= 9", lambda t: (t > 4) & (t <= 9)),
        ("-2 < p < 2 and 3*t > 20", lambda t: 3 * t > 20),
        ("p > 5", lambda t: t < 0),
        ("q_dot > w/2", lambda t: np.cos(W * t) > 0.5),
    ],
)
def test_conditions_are_asked_at_the_crossing(where, keep):
    zeros = zeros_of_sine(20.0)
    np.testing.assert_allclose(
        times(oscillate(20.0, sections=[ht.Event("q", where=where)]), "q"),
        zeros[keep(zeros)],
        rtol=0,
        atol=1e-12,
    )


def test_every_event_has_conditions_of_its_own():
    events = [
        ht.Event("q", where="p > 0", name="up"),
        ht.Event("p"),
        ht.Event("q", where="p < 0 and t > 3", name="down"),
    ]
    done, zeros = oscillate(20.0, sections=events), zeros_of_sine(20.0)
    np.testing.assert_allclose(times(done, "up"), zeros[::2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(times(done, "down"), zeros[3::2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        times(done, "p"),
        zeros[zeros + 0.5 * math.pi / W < 20] + 0.5 * math.pi / W,
        rtol=0,
        atol=1e-12,
    )


# ---- several at once -----------------------------------------------------------------------------
def test_several_events_in_one_step_are_all_found():
    """A step of 1 of sin t, in which q passes three marks."""
    marks = [0.2, 0.5, 0.7]
    made = ht.hamiltonian("p**2/2 + q**2/2")
    done = ht.simulate(
        made,
        1.0,
        1.0,
        integrator="gauss12",
        q=[0.0],
        p=[1.0],
        progress=False,
        sections=[f"q - {mark}" for mark in marks],
    )
    for mark in marks:
        np.testing.assert_allclose(
            times(done, f"q - {mark}"), [math.asin(mark)], rtol=0, atol=1e-10
        )


def test_events_of_one_text_get_names_of_their_own():
    names = list(
        oscillate(
            1.0, sections=["q", ht.Event("q", 1), {"expression": "q", "name": "q (3)"}, "q"]
        ).sections
    )
    assert len(names) == len(set(names)) == 4
    assert names[:3] == ["q", "q (2)", "q (3)"]


def test_an_event_that_never_happens_leaves_an_empty_table(tmp_path):
    for options in ({}, {"output": tmp_path / "run.nc"}):
        found = oscillate(sections=["q - 2"], **options).sections["q - 2"]
        assert dict(found.sizes) == {"point": 0, "coordinate": 1, "momentum": 1}
        assert found.q.dims == ("point", "coordinate")
        assert found.p.dims == ("point", "momentum")


def test_more_crossings_than_there_is_room_for_are_all_found(monkeypatch):
    """sin(40 t) is crossed more than twice as often as there is room; one chunk would hold them
    all.
    """
    monkeypatch.setattr(runs, "FIRST_CHUNK", 10**6)
    monkeypatch.setattr(runs, "CHUNK_SECONDS", 1e9)
    until = 2.2 * monitor.MAX_CROSSINGS * math.pi / 40
    done = oscillate(
        until, 0.02, integrator="stormer_verlet", sections=["sin(40*t)"], save_every=100
    )
    np.testing.assert_allclose(
        times(done, "sin(40*t)"),
        np.arange(math.floor(until * 40 / math.pi) + 1) * math.pi / 40,
        rtol=0,
        atol=1e-10,
    )
    assert done.status == "complete"


@pytest.mark.parametrize("method", ["rk4", "dop853"])
def test_room_for_few_crossings_changes_no_bit(monkeypatch, method):
    events = ["q", "p", "sin(7*t)"]
    whole = oscillate(20.0, integrator=method, sections=events)
    monkeypatch.setattr(monitor, "MAX_CROSSINGS", 3)
    parts = oscillate(20.0, integrator=method, sections=events)
    assert whole.dataset.drop_attrs().identical(parts.dataset.drop_attrs())
    assert whole.sections["sin(7*t)"].sizes["point"] > 40


# ---- what they leave alone -----------------------------------------------------------------------
@pytest.mark.parametrize("method", [*KINDS, "tao4", "yoshida6", "gauss12"])
def test_watching_changes_no_bit_of_the_trajectory(method):
    options = {"integrator": method, "save_every": 1, "progress": False, **CHAOTIC}
    made = ht.hamiltonian(HENON)
    plain = ht.simulate(made, 20.03, 0.05, **options)
    events = [
        ht.Event("q1", 1),
        ht.Event("p2_dot*q2_dot", where="q2 > 0"),
        ht.Event("q2", terminal=True, where="t > 100"),
    ]
    watched = ht.simulate(made, 20.03, 0.05, **options, sections=events)
    for name in ("t", "q", "p", "qdot", "pdot", "energy", "work"):
        np.testing.assert_array_equal(
            plain.dataset[name].values, watched.dataset[name].values, err_msg=name
        )
    assert plain.statistics["calls"] == watched.statistics["calls"]
    assert all(points.sizes["point"] > 0 for points in list(watched.sections.values())[:2])


def test_points_of_a_section_keep_the_energy():
    done = ht.simulate(
        ht.hamiltonian(HENON),
        200.0,
        0.05,
        integrator="gauss8",
        **CHAOTIC,
        progress=False,
        sections=[ht.Event("q1", 1)],
    )
    found = done.sections["q1"]
    q2, p1, p2 = found.q.values[:, 1], found.p.values[:, 0], found.p.values[:, 1]
    assert len(q2) > 20
    assert (p1 > 0).all()
    np.testing.assert_allclose(
        (p1**2 + p2**2 + q2**2) / 2 - q2**3 / 3, float(done.energy[0]), rtol=0, atol=1e-12
    )


# ---- terminal ------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", KINDS)
def test_a_terminal_event_ends_the_run_at_its_own_state(method):
    """q falls through a half at the angle 5π/6, in a step that is not the first of its chunk."""
    until, name = 10.0, "half"
    event = ht.Event("q - 0.5", -1, terminal=True, name=name)
    done = oscillate(until, 0.05, integrator=method, sections=["q"], events=[event], save_every=1)
    t = float(done.t[-1])
    assert done.status == f"ended by event 'half' at t = {t:.12g}"
    assert t == pytest.approx(5 * math.pi / 6 / W, abs=2e-3)
    np.testing.assert_array_equal(times(done, name), [t])
    np.testing.assert_array_equal(done.sections[name].q.values, done.q.values[-1:])
    np.testing.assert_array_equal(done.sections[name].p.values, done.p.values[-1:])
    assert float(done.q[-1, 0]) == pytest.approx(0.5, abs=1e-12)
    np.testing.assert_array_equal(times(done, "q"), [0.0])  # the next zero lies behind the end
    free = oscillate(until, 0.05, integrator=method, save_every=1)
    before = free.t.values < t
    np.testing.assert_array_equal(done.t.values[:-1], free.t.values[before])
    np.testing.assert_array_equal(done.q.values[:-1], free.q.values[before])


def test_a_terminal_event_whose_condition_fails_ends_nothing():
    event = ht.Event("q", terminal=True, where="t > 6")
    for method in ("gauss8", "dop853"):
        done = oscillate(integrator=method, sections=["q"], events=[event])
        assert float(done.t[-1]) == pytest.approx(3 * math.pi / W, abs=1e-7)
        np.testing.assert_array_equal(times(done, "q (2)"), done.t.values[-1:])
        assert len(times(done, "q")) == 4


@pytest.mark.parametrize("method", ["dop853", "radau5", "gauss8"])
def test_conditions_that_fail_in_a_shorter_last_interval_end_nothing(method):
    """All of the run lies between two points of the grid of samples, and the event asks to stop
    many times in it.
    """
    event = ht.Event("sin(9*t)", terminal=True, where="q > 5")
    done = (
        oscillate(4.0, 10.0, integrator=method, events=[event])
        if method != "gauss8"
        else oscillate(4.03, 0.1, events=[event])
    )
    assert done.status == "complete"
    assert float(done.t[-1]) in (4.0, 4.03)


def test_the_earlier_of_two_terminal_events_in_one_step_ends_the_run():
    made = ht.hamiltonian("p**2/2 + q**2/2")
    events = [
        ht.Event("q - 0.7", terminal=True),
        ht.Event("q - 0.4", terminal=True),
        ht.Event("q - 0.6"),
        ht.Event("q - 0.3"),
    ]
    done = ht.simulate(
        made, 3.0, 1.0, integrator="gauss12", q=[0.0], p=[1.0], progress=False, events=events
    )
    assert done.status.startswith("ended by event 'q - 0.4' at t = 0.4115168")
    assert [len(times(done, event.name)) for event in events] == [0, 1, 0, 1]


def test_a_terminal_event_on_which_the_run_starts_waits_for_its_return():
    done = oscillate(events=[ht.Event("q", terminal=True)])
    assert float(done.t[-1]) == pytest.approx(math.pi / W, abs=1e-12)
    assert (np.diff(done.t.values) > 0).all()
    assert len(times(done, "q")) == 2


def test_a_terminal_event_in_the_shorter_last_step_ends_the_run():
    t = math.pi / W
    done = oscillate(t + 0.003, 0.1, events=[ht.Event("q", -1, terminal=True)])
    assert float(done.t[-1]) == pytest.approx(t, abs=1e-12)
    assert done.status.startswith("ended by event 'q'")


@pytest.mark.parametrize("method", ["gauss8", "dop853"])
def test_the_balance_closes_at_a_terminal_event_too(method):
    """∂H/∂t does work in the step that the event cuts; only the part before the event counts."""
    made = ht.hamiltonian("p**2/2 - cos(q) - 0.9*q*sin(5*t)")
    options = {
        "q": [1.0],
        "p": [0.0],
        "integrator": method,
        "progress": False,
        "events": [ht.Event("t - 1.23", terminal=True)],
    }
    done = ht.simulate(made, 5.0, 0.1, **options)
    assert float(done.t[-1]) == pytest.approx(1.23, abs=1e-12)
    assert abs(float(done.work[-1])) > 0.1
    assert np.abs(done.energy_balance.values).max() < 1e-7


# ---- files ---------------------------------------------------------------------------------------
def test_sections_in_a_file_are_those_in_memory(tmp_path):
    events = [ht.Event("q", 1), "p - 0.1", ht.Event("q - 0.5", -1, where="t > 20", terminal=True)]
    memory, file = (
        oscillate(50.0, sections=events),
        oscillate(50.0, sections=events, output=tmp_path / "run.nc"),
    )
    stored, saved = ht.Trajectory.load(tmp_path / "run.nc"), memory.save(tmp_path / "saved.nc")
    for other in (file, stored, ht.Trajectory.load(saved)):
        assert list(other.sections) == ["q", "p - 0.1", "q - 0.5"]
        assert other.status == memory.status
        for name, points in memory.sections.items():
            assert points.sizes["point"] > 0
            assert other.sections[name].identical(points), name


def test_a_run_that_is_killed_leaves_the_points_found_so_far(tmp_path, environment):
    script = (
        "import hamiltree as ht\n"
        f"made = ht.hamiltonian({OSCILLATOR!r}, w={W})\n"
        "ht.simulate(made, 1e9, 0.1, integrator='rk4', q=[0.0], p=[1.3], sections=['q'], "
        "output='run.nc', progress=False, save_every=10)\n"
    )
    oscillate(1.0, integrator="rk4", sections=["q"])  # compiled
    process = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, env=environment())
    try:
        end = time.monotonic() + 120
        while time.monotonic() < end and not (
            (tmp_path / "run.nc").is_file() and (tmp_path / "run.nc").stat().st_size > 2**18
        ):
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
        process.wait(60)
    finally:
        process.kill()
    stored = ht.Trajectory.load(tmp_path / "run.nc")
    found = times(stored, "q")
    assert stored.status == "running"
    assert len(found) > 100
    np.testing.assert_allclose(np.diff(found), math.pi / W, rtol=0, atol=1e-4)


def test_rows_that_a_killed_run_has_not_written_are_cut_off(tmp_path):
    """The file has grown, and only some variables have the new rows."""
    import netCDF4

    oscillate(3.0, integrator="rk4", sections=["q"], output=tmp_path / "run.nc")
    whole = ht.Trajectory.load(tmp_path / "run.nc")
    samples, points = len(whole.t), len(times(whole, "q"))
    whole.dataset.close()
    with netCDF4.Dataset(tmp_path / "run.nc", "a") as file:
        file["t"][samples : samples + 5] = np.arange(5.0)
        file["section0_t"][points : points + 2] = 9.0
        file.status = "running"
    stored = ht.Trajectory.load(tmp_path / "run.nc")
    assert len(stored.t) == samples and len(times(stored, "q")) == points
    assert np.isfinite(stored.energy_error) and stored.q.shape[0] == samples


# ---- stored samples ------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expression", "direction", "where"),
    [
        ("q1", 1, ""),
        ("q2 - 0.1", 0, "p2 > 0 and q1 < 0.2"),
        ("p1_dot + t/200", -1, ""),
        ("q1*p2_dot", "both", "t > 3"),
    ],
)
def test_a_section_of_dense_samples_is_that_of_the_run(expression, direction, where):
    event = ht.Event(expression, direction, where, name="found")
    done = ht.simulate(
        ht.hamiltonian(HENON), 40.0, 0.05, **CHAOTIC, progress=False, save_every=1, sections=[event]
    )
    collected, stored = done.sections["found"], done.section(expression, direction, where)
    assert collected.sizes["point"] > 2
    for part in ("t", "q", "p"):
        np.testing.assert_allclose(
            stored[part].values, collected[part].values, rtol=0, atol=2e-9, err_msg=part
        )
    assert stored.q.dims == collected.q.dims


def test_a_section_of_samples_that_cross_nothing_is_empty():
    found = oscillate().section("q - 5")
    assert dict(found.sizes) == {"point": 0, "coordinate": 1, "momentum": 1}


def test_a_section_of_a_stored_file_knows_its_parameters(tmp_path):
    oscillate(output=tmp_path / "run.nc", save_every=1)
    found = ht.Trajectory.load(tmp_path / "run.nc").section("q - w/2", 1)
    assert float(found.t[0]) == pytest.approx(math.asin(W / 2) / W, abs=1e-8)


# ---- models --------------------------------------------------------------------------------------
def double_pendulum(**options):
    return ht.simulate(
        library.n_pendulum(2, angles=1.0), 3.0, 0.01, progress=False, save_every=1, **options
    )


def test_joints_their_rates_and_their_momenta_can_stand_in_an_event():
    events = [
        "hinge1 + hinge2",
        "hinge2_dot",
        ht.Event("p_hinge1", where="hinge1 > 0"),
        "p_hinge2_dot",
    ]
    done = double_pendulum(sections=events)
    found = done.sections
    np.testing.assert_allclose(found["hinge1 + hinge2"].q.values.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(found["p_hinge1"].p.values[:, 0], 0, atol=1e-11)
    assert (found["p_hinge1"].q.values[:, 0] > 0).all()
    assert all(points.sizes["point"] > 0 for points in found.values())
    turning = done.section("hinge2_dot")
    np.testing.assert_allclose(turning.t.values, times(done, "hinge2_dot"), rtol=0, atol=1e-8)


def test_a_model_ends_where_its_joint_says():
    done = double_pendulum(events=[ht.Event("hinge1", -1, terminal=True, name="down")])
    assert done.status == f"ended by event 'down' at t = {float(done.t[-1]):.12g} s"
    assert float(done.q[-1, 0]) == pytest.approx(0, abs=1e-12)
    plain = double_pendulum()
    np.testing.assert_array_equal(plain.q.values[: done.t.size - 1], done.q.values[:-1])
    assert done.energy_error < 1e-12


def test_the_work_of_a_damper_counts_up_to_the_event_only():
    model = library.n_pendulum(2, angles=1.0).with_(forces=[ht.JointDamper("hinge1", 2.0)])
    done = ht.simulate(
        model, 3.0, 0.02, progress=False, events=[ht.Event("hinge1 - 0.503", terminal=True)]
    )
    assert done.status.startswith("ended by event")
    assert float(done.work[-1]) < -1e-3
    assert done.energy_error < 1e-9


def test_an_unknown_joint_is_refused_with_those_that_exist(tmp_path):
    with pytest.raises(
        ht.OptionError, match="unknown symbol 'hinge3' at column 1; known: hinge1, hinge2, p_hinge1"
    ):
        double_pendulum(sections=["hinge3"], output=tmp_path / "run.nc")
    assert not list(tmp_path.iterdir())


def renamed(*names):
    """Prismatic joints of these names side by side."""
    bodies = [ht.Body(f"body{k}", 1.0, inertia=1.0) for k in range(len(names))]
    joints = [
        ht.Prismatic(name, "ground", body.name, axis=(0, 0, 1), qdot=1.0)
        for name, body in zip(names, bodies, strict=True)
    ]
    return ht.Model(bodies=bodies, joints=joints)


@pytest.mark.parametrize(
    ("names", "expression"),
    [
        (("arm", "p_arm"), "p_arm"),
        (("t", "x"), "t - 1"),
        (("x", "x_dot"), "x_dot"),
        (("pi", "x"), "x - pi"),
    ],
)
def test_a_name_with_two_meanings_is_refused(names, expression):
    with pytest.raises(ht.OptionError, match="could mean two things"):
        ht.simulate(renamed(*names), 1.0, 0.1, progress=False, sections=[expression])


def test_joints_whose_names_cannot_stand_in_a_formula_harm_no_other():
    done = ht.simulate(
        renamed("left arm", "x", "p_arm", "arm"), 1.0, 0.1, progress=False, sections=["x_dot"]
    )
    np.testing.assert_allclose(done.sections["x_dot"].t.values, [1 / 9.81], rtol=0, atol=1e-12)


def test_momenta_that_are_not_named_keep_those_of_the_model_s_start():
    model = library.n_pendulum(2, angles=1.0).with_(joints={"hinge2": {"qdot": 2.0}})
    whole = ht.simulate(model, 0.1, 0.01, progress=False).p.values[0]
    part = ht.simulate(model, 0.1, 0.01, progress=False, p={"hinge1": 0.25}).p.values[0]
    assert whole[1] != 0
    np.testing.assert_array_equal(part, [0.25, whole[1]])
    with pytest.raises(
        ht.OptionError,
        match="p: there is no joint 'hing1' with a coordinate; did you mean 'hinge1'",
    ):
        ht.simulate(model, 0.1, 0.01, progress=False, p={"hing1": 0.25})
    for bad in ("x", [1.0], [1.0, float("nan")], {"hinge1": "1"}):
        with pytest.raises(ht.OptionError, match="p "):
            ht.simulate(model, 0.1, 0.01, progress=False, p=bad)


def test_an_event_that_is_not_real_is_told(capsys):
    H = ht.hamiltonian("p**2/2 + q**2/2")
    done = ht.simulate(
        H, until=1.0, step=0.1, q=1.0, p=0.0, events=["q", "sqrt(q - 0.9)"], progress=False
    )
    assert done.statistics["event_not_real"] == "sqrt(q - 0.9)"
    assert "event 'sqrt(q - 0.9)' was not a real number" in capsys.readouterr().err


def test_a_pole_is_no_crossing():
    H = ht.hamiltonian("p + 0*q", q={"q": 0.0}, p={"p": 0.0})
    done = ht.simulate(H, until=5.0, step=0.1, events=["tan(q)", "1/(q - 1.05)"], progress=False)
    np.testing.assert_allclose(done.sections["tan(q)"].t.values, [0.0, math.pi], atol=1e-12)
    assert done.sections["1/(q - 1.05)"].sizes["point"] == 0


# ---- inside steps, at points of the grid, at the end ---------------------------------------------
@pytest.mark.parametrize("method", ["dop853", "dormand_prince5", "radau5", "gauss8", "rk4"])
@pytest.mark.parametrize("rate", [7.0, 20.0, 33.0])
def test_many_crossings_within_a_step_are_all_found(method, rate):
    """Up to five times in a step of 0.5."""
    h = 0.1 if method != "gauss8" else 0.5
    options = {"sections": [f"sin({rate}*t)"], "integrator": method}
    found = times(oscillate(20.0, h, **options), f"sin({rate}*t)")
    expected = np.arange(math.floor(20 * rate / math.pi) + 1) * math.pi / rate
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", ["dop853", "radau5", "gauss8", "stormer_verlet"])
@pytest.mark.parametrize("apart", [0.08, 1e-2, 1e-4])
def test_two_crossings_within_a_step_are_both_found(method, apart):
    """Near t = 3.03, inside a step of every method; with a direction only one of them."""
    g = f"(t - 3.03)*(t - {3.03 + apart!r})"
    events = [ht.Event(g, name="both"), ht.Event(g, 1, name="up"), ht.Event(g, -1, name="down")]
    found = oscillate(6.0, 0.1, integrator=method, sections=events)
    np.testing.assert_allclose(times(found, "both"), [3.03, 3.03 + apart], rtol=0, atol=1e-11)
    np.testing.assert_allclose(times(found, "up"), [3.03 + apart], rtol=0, atol=1e-11)
    np.testing.assert_allclose(times(found, "down"), [3.03], rtol=0, atol=1e-11)


@pytest.mark.parametrize("method", ["dop853", "gauss8"])
def test_a_terminal_event_ends_the_run_at_the_first_of_two_crossings_in_a_step(method):
    event = ht.Event("(t - 3.03)*(t - 3.05)", terminal=True)
    done = oscillate(6.0, 0.1, integrator=method, events=[event])
    assert float(done.t[-1]) == pytest.approx(3.03, abs=1e-12)
    assert done.status.startswith("ended by event")
    event = ht.Event("(t - 3.03)*(t - 3.05)", 1, terminal=True)
    done = oscillate(6.0, 0.1, integrator=method, events=[event])
    assert float(done.t[-1]) == pytest.approx(3.05, abs=1e-12)


@pytest.mark.parametrize("method", ["dop853", "radau5", "gauss8", "rk4"])
def test_what_touches_zero_and_turns_back_is_no_crossing(method):
    """Inside a step, at a point of the grid (t = 2), and at the start."""
    events = ["(t - 3.03)**2", "-(t - 2)**2", "t**2*(t - 9)**2"]
    done = oscillate(6.0, 0.5, integrator=method, sections=events)
    assert [len(times(done, name)) for name in events] == [0, 0, 1]
    np.testing.assert_array_equal(times(done, events[2]), [0.0])  # it leaves a zero


@pytest.mark.parametrize("method", ["rk4", "gauss8", "reversible(stormer_verlet)"])
def test_a_crossing_at_a_point_of_the_grid_counts_once(method):
    done = oscillate(
        4.0, 0.5, integrator=method, sections=["t - 2", "(t - 2)**3", "(t - 1)*(t - 2)"]
    )
    np.testing.assert_allclose(times(done, "t - 2"), [2.0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(times(done, "(t - 2)**3"), [2.0], rtol=0, atol=1e-5)
    np.testing.assert_allclose(times(done, "(t - 1)*(t - 2)"), [1.0, 2.0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", ["dop853", "radau5", "gauss8", "rk4"])
@pytest.mark.parametrize("until", [2.0, 0.7, 2.05])
def test_a_crossing_exactly_at_the_end_counts(method, until):
    """As one at the start does; in the direction in which it is reached."""
    g = f"t - {until}"
    events = [ht.Event(g, name="both"), ht.Event(g, 1, name="up"), ht.Event(g, -1, name="down")]
    done = oscillate(until, 0.1, integrator=method, sections=events)
    assert [len(times(done, name)) for name in ("both", "up", "down")] == [1, 1, 0]
    np.testing.assert_allclose(times(done, "up"), [until], rtol=0, atol=1e-15)
    assert done.status == "complete"
    ended = oscillate(until, 0.1, integrator=method, events=[ht.Event(g, terminal=True)])
    assert ended.status.startswith("ended by event")
    assert float(ended.t[-1]) == pytest.approx(until, abs=1e-15)
    np.testing.assert_array_equal(done.q.values[-1], ended.q.values[-1])


def test_the_time_of_a_crossing_is_as_exact_in_any_unit_of_time():
    """An oscillator of 1e12/s and of 1e-12/s."""
    for unit in (2.0**-40, 1.0, 2.0**40):
        made = ht.hamiltonian("(p**2 + q**2)/2/unit", unit=unit)
        done = ht.simulate(
            made, 10 * unit, 0.1 * unit, q=[0.0], p=[1.0], progress=False, sections=["q"]
        )
        np.testing.assert_allclose(
            times(done, "q") / unit, np.arange(4) * math.pi, rtol=0, atol=1e-12
        )
