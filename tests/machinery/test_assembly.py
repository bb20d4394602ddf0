"""A start that closes loops, and what is said of them: against complex numbers in the plane and
closed forms.
"""

import cmath
import math

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FitError, OptionError
from hamiltree.model import library

BARS = (0.2, 0.5, 0.4)  # of library.four_bar; its pivots are 0.6 m apart


def bars(model):
    """Crank, coupler and rocker as complex numbers, and their rates."""
    (a, b, d), (a_dot, b_dot, d_dot) = model.start()
    found = [
        length * cmath.exp(1j * angle) for length, angle in zip(BARS, (a, a + b, d), strict=True)
    ]
    return found, [
        1j * rate * bar for rate, bar in zip((a_dot, a_dot + b_dot, d_dot), found, strict=True)
    ]


def unpack():
    return library.four_bar().with_(
        joints={"rocker_pivot": {"q": 1.4, "qdot": 3.0}, "crank_pin": {"q": 0.3}}
    )


# ---- assemble ------------------------------------------------------------------------------------
def test_assembling_closes_a_four_bar_in_position_and_velocity_and_holds_its_crank():
    model = ht.assemble(unpack(), hold="crank_pivot")
    (crank, coupler, rocker), (crank_rate, coupler_rate, rocker_rate) = bars(model)
    assert abs(crank + coupler - 0.6 - rocker) < 1e-14
    assert abs(crank_rate + coupler_rate - rocker_rate) < 1e-13
    assert (model.joint("crank_pivot").q, model.joint("crank_pivot").qdot) == (
        0.5,
        pytest.approx(6.0, rel=1e-15),
    )
    # there is one way to close it nearby
    assert model.start()[0] == pytest.approx(library.four_bar().start()[0], abs=1e-12)


def test_assembling_without_a_hold_moves_every_joint_a_little():
    before, after = unpack().start()[0], ht.assemble(unpack()).start()[0]
    assert np.all(np.abs(after - before) > 1e-3) and np.abs(after - before).max() < 0.25


def test_the_sleeve_of_an_assembled_governor_is_where_its_arms_put_it():
    swung = library.governor().with_(
        joints={name: {"q": 0.8, "qdot": 0.5} for name in ("arm1", "arm2")}
    )
    model = ht.assemble(swung, hold=["arm1", "arm2"])

    def height(angle):
        return 0.6 - 0.2 * math.cos(angle) - math.sqrt(0.2**2 - (0.2 * math.sin(angle)) ** 2)

    assert model.joint("sleeve").q == pytest.approx(height(0.8), abs=1e-14)
    assert model.joint("sleeve").qdot == pytest.approx(
        0.5 * (height(0.8 + 1e-5) - height(0.8 - 1e-5)) / 2e-5, rel=1e-8
    )


def test_joints_with_several_coordinates_and_balls_get_whole_starts():
    loose = library.spatial_slider_crank().with_(joints={"slide": {"q": 1.8, "qdot": 0.0}})
    model = ht.assemble(loose, hold="hinge")
    assert max(ht.mechanism(loose).constraint_residuals.values()) > 1e-2
    assert (
        max(ht.mechanism(model).constraint_residuals.values()) < 1e-14
        and max(ht.mechanism(model).residual_rates.values()) < 1e-13
    )
    assert np.linalg.norm(model.joint("pin").q) == pytest.approx(1.0, abs=1e-15)
    assert model.joint("hinge") == loose.joint("hinge") and model.bodies == loose.bodies


def test_a_follower_keeps_to_its_leader_and_gets_no_start_of_its_own():
    """The second rod mirrors the first, so its end is 2 cos q below the pivot, here 1.6 m."""
    coupled = library.n_pendulum(2, angles=(0.3, 0.3)).with_(
        couplings=[ht.Mimic("hinge2", "hinge1", ratio=-2.0)],
        constraints=[ht.PointInPlane("ground", "rod2", at_b=(0, 0, -1), at_a=(0, 0, -1.6))],
    )
    model = ht.assemble(coupled)
    assert math.cos(model.joint("hinge1").q) == pytest.approx(0.8, abs=1e-14)
    assert model.joint("hinge2").start() == ((0.0,), (0.0,))


def test_a_loop_that_cannot_be_closed_is_refused_by_the_part_that_stays_open():
    with pytest.raises(FitError, match="joint 'coupler_pin' keeps a constraint residual"):
        ht.assemble(
            library.four_bar().with_(joints={"rocker_pivot": {"on_parent": (5.0, 0.0, 0.0)}})
        )
    with pytest.raises(OptionError, match="hold: there is no joint 'crank'"):
        ht.assemble(library.four_bar(), hold="crank")


# ---- mechanism -----------------------------------------------------------------------------------
def test_a_four_bar_has_one_freedom_less_by_count_and_three_rows_too_many():
    report = ht.mechanism(library.four_bar())
    assert (report.degrees_of_freedom, report.counted_degrees_of_freedom) == (1, -2)
    assert report.loops == {"coupler_pin": ("crank_pin", "crank_pivot", "rocker_pivot")}
    assert (report.rows, report.redundant) == (
        {"joint 'coupler_pin'": 5},
        {"joint 'coupler_pin'": 3},
    )
    assert "four_bar: 1 degree of freedom by Jacobian rank, -2 by Grübler–Kutzbach\n" in str(report)
    assert (
        "loop closed by joint 'coupler_pin': crank_pin, crank_pivot, rocker_pivot, coupler_pin"
        in str(report)
    )


@pytest.mark.parametrize(
    ("name", "by_rank", "by_count"),
    [("bricard", 1, 0), ("governor", 2, 2), ("stewart", 6, 6), ("problem_11_7", 9, 9)],
)
def test_freedoms_by_rank_and_by_count(name, by_rank, by_count):
    report = ht.mechanism(library.build(name))
    assert (report.degrees_of_freedom, report.counted_degrees_of_freedom) == (by_rank, by_count)


def test_a_loop_is_told_without_what_both_its_ways_to_the_ground_share():
    stand = ht.Body("stand", 1.0, inertia=(1, 1, 1))
    joints = [joint for joint in library.four_bar().joints]
    raised = [ht.Weld("post", "ground", "stand")] + [
        type(joint)(
            joint.name,
            "stand" if joint.parent == "ground" else joint.parent,
            joint.child,
            joint.on_parent,
            joint.on_child,
        )
        for joint in joints
    ]
    model = ht.Model(bodies=[stand, *library.four_bar().bodies], joints=raised)
    assert ht.mechanism(model).loops == {
        "coupler_pin": ("crank_pin", "crank_pivot", "rocker_pivot")
    }


def test_an_opening_is_as_wide_as_it_was_made():
    moved = library.four_bar().with_(joints={"rocker_pivot": {"on_parent": (0.61, 0.0, 0.0)}})
    (part,) = ht.mechanism(moved).constraint_residuals.values()
    assert 0.01 / math.sqrt(2) <= part <= 0.01 * (1 + 1e-12)  # the largest of two components


def test_a_tree_has_nothing_to_close():
    report = ht.mechanism(library.chain(4))
    assert (report.degrees_of_freedom, report.loops, report.rows) == (4, {}, {})
    assert str(report) == "chain(4): 4 degrees of freedom"
    assert ht.assemble(library.chain(4)) == library.chain(4)
