"""Singular positions: runs go through them on the branch by which they came, or end before them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import hamiltree as ht
from tests.invariants.test_singular_starts import flat_parallelogram

GRAVITY = 9.81
Z = (0.0, 0.0, 1.0)


def angles_of_cranks(t, loops, speed=1.0, gravity=GRAVITY):
    """θ from the upright: (loops + (loops + 1)/3) θ̈ = (loops + (loops + 1)/2) g sin θ."""
    pull = (loops + (loops + 1) / 2) / (loops + (loops + 1) / 3) * gravity
    found = solve_ivp(
        lambda _, y: (y[1], pull * np.sin(y[0])),
        (0.0, t[-1]),
        (0.0, speed),
        method="DOP853",
        t_eval=t,
        rtol=1e-13,
        atol=1e-13,
    )
    return found.y[0]


def largest_error(run, expected):
    """Of all cranks."""
    cranks = [name for name in run.q["coordinate"].values if name.startswith("pivot")]
    return max(
        np.abs(np.pi / 2 - run.q.sel(coordinate=name).values - expected).max() for name in cranks
    )


def drifting(speed, loops=2):
    """Without gravity: all cranks turn at a constant rate."""
    return ht.library.double_four_bar(speed=speed, loops=loops).with_(gravity=(0.0, 0.0, 0.0))


# ---- through them --------------------------------------------------------------------------------
@pytest.mark.parametrize("loops", [1, 2, 3])
def test_parallelograms_in_a_row_stay_parallelograms_for_ten_seconds(loops):
    run = ht.simulate(ht.library.double_four_bar(loops=loops), until=10.0, progress=False)
    assert run.status == "complete"
    assert largest_error(run, angles_of_cranks(run.t.values, loops)) <= 1e-8
    assert run.energy_error < 1e-11 and run.constraint_error < 1e-9


@pytest.mark.parametrize("step, error", [(1e-4, 1e-10), (1e-3, 1e-10), (1e-2, 1e-6)])
@pytest.mark.parametrize("part", [0.0, 1e-12, 1e-6, 0.03, 0.25, 0.276, 0.5, 0.724, 0.97])
def test_it_does_not_matter_where_in_a_step_the_position_lies(step, error, part):
    """The longest step turns the cranks by 0.16 rad."""
    until = 0.2
    speed = 0.5 * np.pi / ((round(0.5 * until / step) + part) * step)
    run = ht.simulate(drifting(speed), until, step, progress=False, save_every=1)
    assert len(run.singular_positions) == 1
    assert largest_error(run, speed * run.t.values) < error
    assert run.energy_error < 0.1 * error


@pytest.mark.parametrize(
    "integrator, error", [("rattle", 3e-4), ("spark4", 1e-8), ("spark6", 1e-8)]
)
def test_every_spark_method_goes_through(integrator, error):
    model = ht.library.double_four_bar()
    run = ht.simulate(model, 3.0, 1e-3, integrator=integrator, progress=False)
    assert largest_error(run, angles_of_cranks(run.t.values, 2)) < error


def test_absolute_canonical_coordinates_go_through_too():
    run = ht.simulate(
        ht.library.double_four_bar(), 3.0, formulation="cartesian_hamiltonian", progress=False
    )
    assert largest_error(run, angles_of_cranks(run.t.values, 2)) < 1e-8


def test_the_run_records_what_it_has_passed_and_what_was_assumed(tmp_path):
    model = ht.library.double_four_bar()
    made = ht.simulate(model, 2.0, progress=False, output=tmp_path / "run.nc")
    assert made.status == "complete"
    run = ht.Trajectory.load(tmp_path / "run.nc")
    times, parts = zip(*run.singular_positions, strict=True)
    fine = np.linspace(0.0, 2.0, 200_001)
    flat = np.flatnonzero(np.diff(np.cos(angles_of_cranks(fine, 2)) > 0.0))
    np.testing.assert_allclose(times, fine[flat], atol=2e-5)
    assert all(part.startswith("joint 'coupler_pin") for part in parts)
    assert "continuous" in run.statistics["branch"]
    assert run.statistics["least_independence"]["sine"] < 0.01


def test_a_driven_parallelogram_goes_through():
    rate = 0.5 * np.pi / 0.3  # it is flat at a point of the grid
    model = ht.library.double_four_bar(speed=-rate, loops=1)
    law = f"{0.5 * np.pi!r} + {rate!r}*t"
    driven = model.with_(constraints=[ht.Drive("pivot1", position=law, name="motor")])
    run = ht.simulate(driven, 2.0, 1e-3, progress=False)
    assert len(run.singular_positions) == 3
    turned = run.q.sel(coordinate="pivot2").values - run.q.sel(coordinate="pivot1").values
    assert np.abs(turned).max() < 1e-9


def test_a_run_in_pieces_through_a_singular_position_has_the_same_bits():
    simulator = ht.simulator(ht.library.double_four_bar(), step=1e-3)
    whole = simulator.run(until=0.8, save_every=1, progress=False)
    first = simulator.run(until=0.714, save_every=1, progress=False)
    rest = simulator.run(until=0.8, save_every=1, resume=first, progress=False)
    np.testing.assert_array_equal(rest.q.values[1:], whole.q.values[715:])


def test_mechanisms_of_any_size_go_through_with_the_same_bits():
    runs = []
    for size in (1.0, 2.0**-20):
        model = ht.library.double_four_bar(length=size, mass=size, speed=size)
        model = model.with_(gravity=(0.0, 0.0, -GRAVITY * size))
        runs.append(ht.simulate(model, 1.5, 1e-3, progress=False))
    np.testing.assert_array_equal(runs[0].q.values, runs[1].q.values)


@pytest.mark.parametrize("step", [2e-3, 1e-3, 3e-4, 1e-4])
def test_events_in_singular_positions_are_located(step):
    model, flat = ht.library.double_four_bar(), ht.Event("sin(pivot1)", name="flat")
    run = ht.simulate(model, 1.5, step, progress=False, sections=[flat])
    times = run.sections["flat"].t.values
    assert len(times) == 2
    cranks = angles_of_cranks(np.array([0.0, *times]), 2)[1:]
    np.testing.assert_allclose(np.cos(cranks), 0.0, atol=1e-8)


@pytest.mark.parametrize("stop", [0.711, 0.712, 0.713, 0.714, 0.715])
def test_a_run_goes_on_beside_a_singular_position(stop):
    simulator = ht.simulator(ht.library.double_four_bar(), step=1e-3)
    first = simulator.run(until=stop, progress=False)
    rest = simulator.run(until=0.8, save_every=1, resume=first, progress=False)
    theta = angles_of_cranks(np.concatenate([[0.0], rest.t.values]), 2)[1:]
    assert largest_error(rest, theta) < 1e-9


def test_a_run_that_goes_on_counts_its_own_positions():
    simulator = ht.simulator(ht.library.double_four_bar(), step=1e-3)
    first = simulator.run(until=0.8, progress=False)
    rest = simulator.run(until=1.0, resume=first, progress=False)
    assert len(first.singular_positions) == 1 and rest.singular_positions == []


def test_adaptive_runs_in_absolute_coordinates_go_on():
    options = {"formulation": "kane_absolute", "integrator": "dop853", "step": 0.05}
    simulator = ht.simulator(ht.library.four_bar(), **options)
    first = simulator.run(until=0.5, progress=False)
    assert simulator.run(until=1.0, resume=first, progress=False).status == "complete"


@pytest.mark.parametrize("gap, step", [(1e-4, 1e-4), (1e-4, 1e-5)])
def test_a_motion_that_turns_back_before_a_singular_position_does_not_go_through(gap, step):
    """A rhombus whose crank is a little too short folds: coupler and rocker turn together."""
    bars = {"crank": 1.0 - gap, "coupler": 1.0, "rocker": 1.0, "ground": 1.0}
    model = ht.library.four_bar(**bars, angle=2.0, speed=-6.0, masses=(1.0, 1.0, 1.0))
    run = ht.simulate(model, 0.4, step, progress=False)
    assert run.singular_positions == []
    assert abs(run.q.sel(coordinate="crank_pivot").values[-1]) < 0.01


@pytest.mark.parametrize("gap", [1e-6, 1e-8])
def test_a_turn_that_steps_do_not_resolve_ends_the_run(gap):
    bars = {"crank": 1.0 - gap, "coupler": 1.0, "rocker": 1.0, "ground": 1.0}
    model = ht.library.four_bar(**bars, angle=2.0, speed=-6.0, masses=(1.0, 1.0, 1.0))
    with pytest.raises(ht.StepError, match="a shorter step helps"):
        ht.simulate(model, 0.4, 1e-3, progress=False)


# ---- before them ---------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "formulation, integrator",
    [
        ("cartesian_1", "rk4"),
        ("cartesian_2", "rk4"),
        ("cartesian_3", "rk4"),
        ("cartesian_3", "dop853"),
        ("cartesian_3", "gauss4"),
        ("kane_absolute", "rk4"),
        ("kane_absolute", "dop853"),
    ],
)
def test_other_formulations_end_before_it_and_name_the_joint(formulation, integrator):
    with pytest.raises(ht.StepError, match="singular position: joint 'coupler_pin") as error:
        ht.simulate(
            ht.library.double_four_bar(),
            3.0,
            2e-3,
            formulation=formulation,
            integrator=integrator,
            progress=False,
        )
    assert "spark6" in str(error.value)
    assert 0.65 < error.value.trajectory.t.values[-1] < 0.7144
    assert error.value.trajectory.statistics["least_independence"]["sine"] < 0.1


def test_no_run_goes_through_without_a_word():
    rng = np.random.default_rng(1)
    for _ in range(20):
        model = drifting(rng.uniform(0.5, 3.0), loops=1)
        step = 10 ** rng.uniform(-3.0, -1.7)
        with pytest.raises(ht.StepError, match="singular position"):
            ht.simulate(
                model, 4.0, step, formulation="cartesian_3", integrator="rk4", progress=False
            )


def test_compositions_end_before_it():
    with pytest.raises(ht.StepError, match="singular position"):
        ht.simulate(
            ht.library.double_four_bar(), 1.0, integrator="yoshida6(rattle)", progress=False
        )


def test_a_slider_that_is_driven_beyond_its_dead_centre_ends_the_run_by_name():
    model = ht.library.slider_crank(angle=0.7, speed=-1.0)
    q, qdot = (dict(zip(model.coordinates, values, strict=True)) for values in model.start())
    law = f"{float(q['slide'])!r} + {float(qdot['slide'])!r}*t"
    driven = model.with_(constraints=[ht.Drive("slide", position=law, name="motor")])
    with pytest.raises(ht.StepError, match="singular position: constraint 'motor'"):
        ht.simulate(driven, 5.0, 1e-3, progress=False)


def test_singular_values_of_a_run_vanish_where_it_is_singular():
    run = ht.simulate(ht.library.double_four_bar(), 1.5, save_every=20, progress=False)
    found = run.singular_values()
    nearest = int(found.ratio.values.argmin())
    times = [t for t, _ in run.singular_positions]
    assert min(abs(found.t.values[nearest] - t) for t in times) < 0.02
    assert found.part.values[nearest].startswith("joint 'coupler_pin")
    assert found.ratio.values[0] > 0.1
    assert found.singular_value.dims == ("t", "number")


def test_a_tree_has_no_singular_values():
    run = ht.simulate(ht.library.pendulum(), 0.1, progress=False)
    with pytest.raises(ht.OptionError, match="no loops"):
        run.singular_values()


# ---- starts in them ------------------------------------------------------------------------------
def with_speed_of_closing_joint(model, qdot):
    return model.with_(joints={"C": {"qdot": qdot}})


@pytest.mark.parametrize("integrator", ["spark6", "rattle"])
def test_a_start_in_a_singular_position_runs_if_all_speeds_determine_the_branch(integrator):
    model = with_speed_of_closing_joint(flat_parallelogram(1.0), -6.0)
    run = ht.simulate(model, 1.0, 1e-3, integrator=integrator, progress=False)
    crank, rocker = (run.q.sel(coordinate=name).values for name in ("A", "D"))
    tolerance = 1e-10 if integrator == "spark6" else 1e-4
    np.testing.assert_allclose(crank, 6.0 * run.t.values, atol=tolerance)
    np.testing.assert_allclose(crank, rocker, atol=1e-8)
    assert run.singular_positions[0][0] == 0.0


def test_similar_starts_have_the_same_bits():
    runs = [
        ht.simulate(
            with_speed_of_closing_joint(flat_parallelogram(length), -6.0), 0.3, progress=False
        )
        for length in (1.0, 2.0**-33)
    ]
    np.testing.assert_array_equal(runs[0].q.values, runs[1].q.values)


@pytest.mark.parametrize("speed, closing", [(6.0, None), (6.0, -3.0), (0.0, 0.0)])
def test_it_is_refused_where_they_do_not(speed, closing):
    model = flat_parallelogram(1.0, speed)
    if closing is not None:
        model = with_speed_of_closing_joint(model, closing)
    with pytest.raises(ht.ModelError, match=r"singular|'C'"):
        ht.simulate(model, 1.0, 1e-3, progress=False)


def test_formulations_that_cannot_leave_it_refuse_it():
    model = with_speed_of_closing_joint(flat_parallelogram(1.0), -6.0)
    with pytest.raises(ht.ModelError, match="hamiltonian_loops"):
        ht.simulate(model, 1.0, 1e-3, formulation="cartesian_3", progress=False)


def test_a_run_that_began_in_a_singular_position_goes_on():
    model = with_speed_of_closing_joint(flat_parallelogram(1.0), -6.0)
    simulator = ht.simulator(model, step=1e-3)
    whole = simulator.run(until=0.02, save_every=1, progress=False)
    first = simulator.run(until=0.001, save_every=1, progress=False)
    rest = simulator.run(until=0.02, save_every=1, resume=first, progress=False)
    np.testing.assert_array_equal(rest.q.values[1:], whole.q.values[2:])


@pytest.mark.parametrize("method", ["rattle", "spark6"])
def test_a_measure_that_changes_fast_is_no_singular_position(method):
    """The crank of this slider-crank turns over; nothing is singular anywhere."""
    options = {"formulation": "cartesian_hamiltonian", "integrator": method, "step": 2e-3}
    run = ht.simulate(ht.library.slider_crank(), 1.0, progress=False, **options)
    assert run.status == "complete" and run.singular_positions == []
