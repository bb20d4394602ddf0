"""Limits of joints as data: kept by files and units, reported by runs, found by events."""

import math
from dataclasses import astuple

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import ModelError, OptionError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.model.units import Units, nondimensionalise

HINGE = ht.Limits(-1.0, 0.5, velocity=3.0, effort=40.0)


def swing(limits=HINGE, **more):
    """A pendulum that falls from 0.4 rad, with a slider that follows its angle."""
    bob = ht.Body("bob", 1.0, (0, 0, -1), (0.1, 0.1, 0.1))
    rider = ht.Body("rider", 1e-3, (0, 0, 0), (1e-5, 1e-5, 1e-5))
    hinge = ht.Revolute("hinge", "ground", "bob", axis=(0, 1, 0), q=0.4, limits=limits, **more)
    slide = ht.Prismatic("slide", "bob", "rider", axis=(0, 0, 1), limits=ht.Limits(-0.1, 0.7))
    follow = ht.Mimic("slide", "hinge", ratio=-2.0, offset=0.1)
    return ht.Model([bob, rider], [hinge, slide], couplings=[follow])


def test_limits_are_kept_by_toml_and_urdf():
    axes = ht.Axes(
        "wrist", "bob", "hand",
        axes=[("turn", (0, 0, 1)), ("slide", (1, 0, 0))],
        limits=[ht.Limits(), ht.Limits(upper=0.2, effort=5)],
    )  # fmt: skip
    model = swing().with_(bodies={"hand": ht.Body("hand", 1.0)}, joints={"wrist": axes})
    again = model_from_toml(model_to_toml(model))
    assert again == model
    assert again.limits == {
        "hinge": HINGE,
        "slide": ht.Limits(-0.1, 0.7),
        "wrist.2": ht.Limits(upper=0.2, effort=5.0),
    }


def test_urdf_keeps_limits_and_the_writer_refuses_those_of_several_axes(tmp_path):
    for limits in (HINGE, ht.Limits(velocity=2.0), ht.Limits(upper=1.0), ht.Limits()):
        path = tmp_path / "swing.urdf"
        ht.save(swing(limits), path, force=True, drop="start")
        assert ht.load(path).joint("hinge").limits == limits
    ball = ht.Planar("hinge", "ground", "bob", limits=[HINGE] * 3)
    planar = ht.Model([ht.Body("bob", 1.0)], [ball])
    with pytest.raises(ModelError, match="joint 'hinge' has limits of several axes.*drop='limits'"):
        ht.save(planar, tmp_path / "p.urdf")
    assert len(ht.save(planar, tmp_path / "p.urdf", drop="limits")) == 1


def test_units_convert_limits_of_angles_and_lengths_and_back():
    units = Units(length=2.0, mass=3.0, time=5.0)
    model = swing().with_(joints={"slide": {"limits": ht.Limits(-1.0, 1.0, 4.0, 6.0)}})
    made = nondimensionalise(model, units)
    assert made.limits["hinge"] == ht.Limits(-1.0, 0.5, 3.0 * 5, 40.0 / (3 * 2**2 / 5**2))
    assert made.limits["slide"].upper == 0.5 and made.limits["slide"].velocity == 4.0 / 2 * 5
    assert made.limits["slide"].effort == pytest.approx(6.0 / (3 * 2 / 5**2), rel=1e-15)
    back = nondimensionalise(made, units, back=True).limits
    for label, limits in model.limits.items():
        assert astuple(back[label]) == pytest.approx(astuple(limits), rel=1e-15)


def test_wrong_limits_are_refused_by_the_joint():
    with pytest.raises(ModelError, match=r"lower = 2.0 is above upper = 1.0"):
        ht.Limits(2.0, 1.0)
    with pytest.raises(ModelError, match="velocity = -1.0 is negative"):
        ht.Limits(velocity=-1.0)
    with pytest.raises(ModelError, match="joint 'h': limits = .* is no Limits"):
        ht.Revolute("h", "ground", "b", limits=(-1, 1))
    with pytest.raises(ModelError, match="is no list of 2 Limits"):
        ht.Cylindrical("c", "ground", "b", limits=[HINGE])
    with pytest.raises(ModelError, match=r"m.toml:12: joint 'h'.*unknown key 'uper'"):
        model_from_toml(
            'hamiltree = 1\n[[body]]\nname = "b"\nmass = 1\n\n[[joint]]\nkind = "revolute"\n'
            'name = "h"\nparent = "ground"\nchild = "b"\n\nlimits = { uper = 1.0 }\n',
            "m.toml",
        )


def test_a_run_names_the_limits_that_it_passed_and_when():
    run = ht.simulate(swing(), until=2.0, step=1e-2, save_every=1, progress=False)
    t, q = run.t.values, run.q.values[:, 0]
    passed = {(p.coordinate, p.limit): p for p in run.passed_limits}
    assert set(passed) == {("slide", "lower"), ("slide", "upper")}  # 0.1 - 2 q
    first = passed["slide", "upper"]
    assert first.t == t[np.argmax(0.1 - 2 * q > 0.7)] and first.bound == 0.7
    assert passed["slide", "lower"].t == 0.0
    assert "slide > 0.7 at t = " in str(first)
    tight = swing(ht.Limits(velocity=0.5))
    found = ht.simulate(tight, until=1.0, step=1e-2, progress=False).passed_limits
    assert ("hinge", "velocity") in {(p.coordinate, p.limit) for p in found}
    free = swing(ht.Limits()).with_(joints={"slide": {"limits": ht.Limits()}})
    assert ht.simulate(free, until=0.1, step=1e-2, progress=False).passed_limits == ()


def test_events_at_limits_are_where_the_coordinates_pass_them():
    model = swing(ht.Limits(-0.2, 0.5))
    events = ht.limit_events(model)
    assert [e.name for e in events] == ["hinge lower", "hinge upper", "slide lower", "slide upper"]
    run = ht.simulate(model, until=2.0, step=1e-2, events=events, progress=False)
    at = run.sections["hinge lower"]
    assert len(at.t) >= 1 and at.q.values[:, 0] == pytest.approx(-0.2 - 0.5e-9, abs=1e-12)
    rising = run.sections["slide upper"]
    assert 0.1 - 2 * rising.q.values[:, 0] == pytest.approx(0.7 + 0.7e-9, abs=1e-12)
    assert not run.sections["hinge upper"].t.size
    ended = ht.simulate(
        model, until=2.0, step=1e-2, events=ht.limit_events(model, terminal=True), progress=False
    )
    assert ended.t.values[-1] == pytest.approx(float(at.t[0]), abs=1e-12)
    with pytest.raises(OptionError, match="takes a Model"):
        ht.limit_events("arm")  # type: ignore[arg-type]


def test_a_joint_that_rests_at_its_limit_has_not_passed_it():
    model = ht.load("six_axis_arm.urdf")
    run = ht.simulate(model, until=0.02, step=1e-3, events=ht.limit_events(model), progress=False)
    assert not run.passed_limits and not any(points.t.size for points in run.sections.values())


def test_limits_are_dashed_in_plots_of_coordinates():
    run = ht.simulate(swing(), until=0.5, step=1e-2, progress=False)
    figure = run.plot.coordinates()
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert sorted(line.get_ydata()[0] for line in dashed) == [-1.0, 0.5]
    with pytest.raises(OptionError, match="did you mean 'hinge'"):
        run.plot.coordinates("hinges")


def test_limits_change_no_number_of_a_run():
    plain = swing(ht.Limits()).with_(joints={"slide": {"limits": ht.Limits()}})
    runs = [ht.simulate(m, until=0.5, step=1e-2, progress=False) for m in (swing(), plain)]
    assert (runs[0].q.values == runs[1].q.values).all()


def test_limits_of_a_leader_are_those_that_its_follower_allows():
    moved = ht.Limits(-1.0, 3.0, 4.0, 6.0).on_leader(-2.0, 1.0)
    assert moved == ht.Limits(-1.0, 1.0, 2.0, 12.0)
    assert ht.Limits().on_leader(2.0, 0.0) == ht.Limits() and not ht.Limits().bounds_position
    assert math.isinf(ht.Limits(1.0).upper)
