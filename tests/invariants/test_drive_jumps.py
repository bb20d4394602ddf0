"""A drive or a prescribed motion whose speed jumps takes an impulse: it is found at any scale, by
whatever formula or function, and refused by name; what only bends is not.
"""

import sys

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.drive_jumps import find_functions_that_may_jump, find_jump
from hamiltree.cli.app import main
from hamiltree.errors import ModelError

JUMPS = {  # formula of a position -> which jumps, when, from where to where
    "abs(t - 0.5)*3": ("speed", 0.5, -3.0, 3.0),
    "t + 3*max(0, t - 0.31)": ("speed", 0.31, 1.0, 4.0),
    "min(t, 0.7)": ("speed", 0.7, 1.0, 0.0),
    "sqrt((t - 0.3)**2)": ("speed", 0.3, -1.0, 1.0),
    "hypot(t - 0.5, 0)": ("speed", 0.5, -1.0, 1.0),
    "t + 1e-5*abs(t - 0.31)": ("speed", 0.31, 1 - 1e-5, 1 + 1e-5),
    "1e9 + abs(t - 0.31)": ("speed", 0.31, -1.0, 1.0),
    "1e-9*abs(t - 0.31)": ("speed", 0.31, -1e-9, 1e-9),
    "abs(t)": ("speed", 0.0, 0.0, 1.0),
    "atan(tan(7*t))": ("position", np.pi / 14, np.pi / 2, -np.pi / 2),
    "0.1*sign(t - 0.5)": ("position", 0.5, -0.1, 0.1),
    "sin(9*t) + sign(t - 0.25)*(t - 0.25)": (
        "speed",
        0.25,
        9 * np.cos(2.25) - 1,
        9 * np.cos(2.25) + 1,
    ),
}
SMOOTH_ENOUGH = [
    "abs(t - 0.3)*(t - 0.3)",
    "max(0, t - 0.3)**2",
    "abs(t - 0.3)**1.1",
    "t**1.5",
    "abs(t - 2)",
    "sqrt(1 + t**2)",
    "1/(1 + t**2)",
    "log(t - 2)",
    "log(t + 1)",
    "tan(4*t)",
    "tanh(1e9*(t - 0.5))/1e9 + 0*abs(t)",
    "sin(50*t)*abs(sin(50*t))",
    "atan2(sin(7*t), cos(7*t))",  # jumps by a whole turn, which is no motion
    "atan2(sin(900*t), cos(900*t))",
    "asin(0.99*sin(7*t))",
    "1e-300*t*abs(1 + t)",
    "abs(1 + t)",
]


def jump_of(until=1.0, step=1e-3, begin=0.0, **law):
    model = ht.library.four_bar().with_(constraints=[ht.Drive("crank_pivot", **law, name="motor")])
    return find_jump(find_functions_that_may_jump(model), begin, until, step)


@pytest.mark.parametrize("formula", JUMPS)
def test_a_jump_is_found_where_it_is(formula):
    which, t, before, after = JUMPS[formula]
    found = jump_of(position=formula)
    assert found is not None and found.which == which
    assert found.jump.t == pytest.approx(t, abs=1e-7)
    size = max(abs(before), abs(after))
    assert found.jump[1:] == pytest.approx((before, after), rel=1e-3, abs=1e-9 * size)


@pytest.mark.parametrize("formula", SMOOTH_ENOUGH)
def test_what_only_bends_is_no_jump(formula):
    assert jump_of(position=formula) is None


@pytest.mark.parametrize("begin", [-0.3, 0.0])
@pytest.mark.parametrize("step", [0.3, 1e-2, 1e-3, 1e-5])
def test_a_jump_is_found_whatever_the_step(step, begin):
    assert jump_of(position="abs(t - 0.5)", step=step, begin=begin) is not None


@pytest.mark.parametrize("power", [-80, -33, 0, 37, 60])
def test_a_jump_is_found_at_any_scale_of_length_and_time(power):
    """The same refusal of the similar drive, at the same time to the bit."""
    scale = 2.0**power
    wanted = jump_of(position="abs(t/1.0 - 0.3125)").jump.t
    for position in (1.0, scale):
        formula = f"{position!r}*abs(t/{scale!r} - 0.3125)"
        found = jump_of(position=formula, until=scale, step=1e-3 * scale)
        assert found is not None and found.jump.t == wanted * scale
        bend = f"{position!r}*max(0, t/{scale!r} - 0.3125)**2"
        assert jump_of(position=bend, until=scale, step=1e-3 * scale) is None


def test_a_wave_in_step_with_the_run_is_seen():
    found = jump_of(position="asin(sin(2*pi*1000*t))")
    assert found is not None and found.which == "speed"


def test_speeds_that_jump_are_found_and_speeds_that_bend_are_not():
    assert jump_of(speed="3*sign(t - 0.5)").jump[1:] == (-3.0, 3.0)
    assert jump_of(speed="max(1, 2*t)") is None
    assert jump_of(speed="6") is None


def test_a_late_jump_of_a_long_run_is_found():
    assert jump_of(position="abs(t - 999.3)", until=1000.0).jump.t == pytest.approx(999.3)


def kinked(t, out):
    out[0], out[1], out[2] = 0.5 + abs(t - 0.3), np.sign(t - 0.3), 0.0


def rounded(t, out):
    out[0], out[1], out[2] = np.sin(t), np.cos(t), -np.sin(t)


def table(t, out):
    """Linear between points of a smooth curve."""
    times = np.linspace(0.0, 1.0, 21)
    values = np.sin(times)
    k = min(int(t * 20), 19)
    out[1] = (values[k + 1] - values[k]) * 20
    out[0], out[2] = values[k] + out[1] * (t - times[k]), 0.0


def test_python_functions_are_looked_at_too():
    assert jump_of(position=kinked).jump.t == pytest.approx(0.3)
    assert jump_of(position=rounded) is None
    assert jump_of(position=table).jump.t == pytest.approx(0.05, abs=1e-9)


def pole(t, out):
    """No value at one time, which is no error: compiled, it is infinite there."""
    out[0], out[1], out[2] = 0.0 * (t - 0.5) ** -1, 0.0, 0.0


def forgets_its_names(t, out):
    out[0] = amplitude * t  # noqa: F821


def writes_too_far(t, out):
    out[3] = t


def takes_no_room(t):
    return t


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (forgets_its_names, "NameError at t = 0: name 'amplitude' is not defined"),
        (writes_too_far, "IndexError at t = 0: index 3 is out of bounds"),
        (takes_no_room, "TypeError at t = 0: "),
    ],
)
def test_a_function_that_fails_is_refused_by_the_name_of_its_drive(function, message):
    with pytest.raises(ModelError, match=f"^constraint 'motor': its function raises {message}"):
        ht.simulate(driven(function), 0.1, 1e-3, progress=False)


def test_a_function_without_a_value_at_one_time_does_not_jump():
    assert jump_of(position=pole) is None


def test_smooth_formulas_are_not_looked_at():
    model = ht.library.four_bar().with_(
        constraints=[
            ht.Drive(
                "crank_pivot", "a + 6*t + sin(w*t)**2/k", parameters={"a": 0.5, "w": 2, "k": 3}
            )
        ]
    )
    assert find_functions_that_may_jump(model) == ()


# ---- runs ----------------------------------------------------------------------------------------
def driven(position):
    return ht.library.four_bar().with_(
        constraints=[ht.Drive("crank_pivot", position, name="motor")]
    )


KINKED = driven("0.5 + 6*t + 3*max(0, t - 0.05)")
MESSAGE = "^constraint 'motor': its speed jumps from 6 to 9 at t = 0.05 s, .*; join the two sides"


@pytest.mark.parametrize(
    ("formulation", "integrator"),
    [(None, None), ("cartesian_3", "dop853"), ("kane_absolute", "rk4")],
)
def test_a_run_over_a_jump_is_refused_and_one_that_ends_before_is_not(formulation, integrator):
    with pytest.raises(ModelError, match=MESSAGE) as refused:
        ht.simulate(KINKED, 0.06, 1e-3, formulation, integrator, progress=False)
    assert refused.value.part == ("constraint", "motor") and "\n" not in str(refused.value)
    before = ht.simulate(KINKED, 0.049, 1e-3, formulation, integrator, progress=False)
    plain = driven("0.5 + 6*t")
    same = ht.simulate(plain, 0.049, 1e-3, formulation, integrator, progress=False)
    assert np.array_equal(before.q.values, same.q.values)


def test_a_run_that_goes_on_is_looked_at_from_there():
    simulator = ht.simulator(KINKED, step=1e-3)
    first = simulator.run(until=0.04)
    with pytest.raises(ModelError, match=MESSAGE):
        simulator.run(until=0.1, resume=first)


@pytest.mark.parametrize("at_once", [1, 500])
def test_steps_by_hand_end_before_a_jump(at_once):
    simulator = ht.simulator(KINKED, step=1e-3)
    with pytest.raises(ModelError, match=MESSAGE):
        for _ in range(100):
            simulator.step(at_once)
    assert simulator.state.t == pytest.approx(0.049)
    with pytest.raises(ModelError, match=MESSAGE):
        simulator.step()


def test_steps_by_hand_over_a_bend_go_on_as_a_run_does():
    bent = driven("0.5 + 6*t + 3*max(0, t - 0.05)**2")
    simulator = ht.simulator(bent, step=1e-3)
    for _ in range(1500):
        simulator.step()
    run = ht.simulate(bent, 1.5, 1e-3, progress=False)
    assert np.array_equal(simulator.state.q, run.q.values[-1]) and run.energy_error < 1e-9


@pytest.mark.parametrize("gravity", [(0.0, 0.0, -9.81), (0.0, 0.0, 0.0)])
@pytest.mark.parametrize("power", [2, 3])
@pytest.mark.parametrize("integrator", ["spark6", "spark4", "rattle", "dop853"])
def test_a_drive_may_begin_to_move_within_a_step(integrator, power, gravity):
    """Until then nothing moves: there is nothing that first changes can be compared with."""
    bent = driven(f"0.5 + 3*max(0, t - 0.5)**{power}").with_(gravity=gravity)
    still = bent.with_(joints={joint.name: {"qdot": 0.0} for joint in bent.joints})
    formulation = "cartesian_3" if integrator == "dop853" else "hamiltonian_loops"
    for step in (1e-2, 7e-3):  # at the end of a step, and within one
        run = ht.simulate(still, 0.7, step, formulation, integrator, progress=False)
        crank = run.q.sel(coordinate="crank_pivot").values
        expected = 0.5 + 3.0 * np.maximum(0.0, run.t.values - 0.5) ** power
        assert run.status == "complete" and np.abs(crank - expected).max() < 1e-13
        assert run.constraint_error < 1e-13


def test_a_start_at_another_speed_than_the_drive_is_refused():
    with pytest.raises(ModelError, match="'motor' has a residual rate of 1 rad/s at the start"):
        ht.simulate(driven("0.5 + 5*t"), 0.1, 1e-3, progress=False)


def test_the_command_line_says_so_in_one_line(tmp_path, capsys, monkeypatch):
    path = tmp_path / "kinked.toml"
    ht.save(KINKED, path)
    monkeypatch.setattr(sys, "argv", ["hamiltree", "run", str(path), "--until", "0.1"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "constraint 'motor': its speed jumps from 6 to 9 at t = 0.05 s" in line


# ---- prescribed motions --------------------------------------------------------------------------
def shaken(**law):
    bodies = [ht.Body(name, 1.0, inertia=(1, 1, 1)) for name in ("one", "two")]
    joints = [ht.Free(f"of {body.name}", "ground", body.name) for body in bodies]
    spring = ht.PointSpring("one", "two", (0, 0, 0), (0, 0, 0), stiffness=2.0)
    return ht.Model(bodies, joints, [spring], constraints=[ht.Motion("one", **law)])


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (
            {"position": (0, "abs(t - 0.05)", "t")},
            r"'one'\): its speed \(position y\) jumps from -1 to 1 at t = 0.05 s",
        ),
        ({"rotation": ("max(t, 0.05)", 0, 0)}, r"its speed \(rotation x\) jumps from 0 to 1"),
        ({"rotation": (0, 0, "sign(t - 0.05)")}, r"its position \(rotation z\) jumps from -1 to 1"),
    ],
)
def test_a_prescribed_motion_that_jumps_is_refused_by_its_component(law, message):
    with pytest.raises(ModelError, match=message):
        ht.simulate(shaken(**law), 0.1, 1e-3, progress=False)


def test_a_rotation_vector_may_jump_by_a_whole_turn():
    """About any axis: its components jump by other numbers."""
    turned = "atan2(sin(70*t), cos(70*t))"
    jumping = shaken(rotation=(f"0.6*{turned}", 0, f"0.8*{turned}"))
    plain = shaken(rotation=("42*t", 0, "56*t"))
    poses = [
        ht.simulate(model, 0.1, 1e-3, progress=False).dataset["pose"].values[-1]
        for model in (jumping, plain)
    ]
    first, second = (pose[0, 3:] for pose in poses)
    assert min(abs(first - second).max(), abs(first + second).max()) < 1e-12
