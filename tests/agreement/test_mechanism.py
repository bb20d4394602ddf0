"""What is known of a mechanism before it runs: rank and redundant rows, where its loops close,
singular positions, and refusals by name.
"""

import math
from functools import cache

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly import kinematics
from hamiltree.assembly.assembly import assemble_at_consistent_start
from hamiltree.assembly.kinematics import compute_kinematics, compute_twists, retract
from hamiltree.assembly.mechanism import Mechanism, held_speed_indices
from hamiltree.errors import FitError, ModelError, OptionError
from hamiltree.model import GROUND
from tests.agreement import mechanisms

derivative, error = mechanisms.derivative, mechanisms.error
library, NONE = ht.library, frozenset()
OUT_OF_PLANE = (0.0, -1.0, 0.0)

LOOPS = [
    (5, 2, ("point_in_plane", "ball")),
    (6, 1, ("revolute",)),
    (7, 2, ("coincident", "parallel_axes", "rod")),
    (8, 3, ("point_on_line", "screw")),
]

# model, degrees of freedom, the same by count, redundant rows by the joint whose they are; by the
# counts in the docstrings of the library
COUNTS = {
    "four_bar": (lambda: library.four_bar(), 1, -2, "3 of joint 'coupler_pin'"),
    "bricard": (lambda: library.bricard(), 1, 0, "1 of joint 'hinge6'"),
    "stewart": (lambda: library.stewart(), 6, 6, ""),
    "driven stewart": (lambda: library.stewart(travel="0.1*sin(t)**2"), 0, 0, ""),
    "andrews": (
        lambda: library.andrews(),
        1,
        -8,
        "3 of joint 'pin3', 3 of joint 'pin4', 3 of joint 'pin6'",
    ),
    "strandbeest": (
        lambda: library.strandbeest(legs=1),
        0,
        -9,
        "3 of joint 'close_j1', 3 of joint 'close_k1', 3 of joint 'close_f1'",
    ),
    "spatial_slider_crank": (lambda: library.spatial_slider_crank(), 2, 2, ""),
}


@cache
def random_mechanism(k):
    bodies, branching, kinds = LOOPS[k]
    return mechanisms.random_mechanism(bodies, branching, k, kinds)


def bar(name):
    return ht.Body(name, 1.0, (0.5, 0.0, 0.0), (0.1, 0.1, 0.1))


def two_bars(distance, angles, **parts):
    """Two bars of 1 m on hinges in the plane x-z, `distance` apart."""
    joints = [
        ht.Revolute("left", GROUND, "a", axis=OUT_OF_PLANE, q=angles[0]),
        ht.Revolute(
            "right", GROUND, "b", ht.Frame((distance, 0, 0)), axis=OUT_OF_PLANE, q=angles[1]
        ),
    ]
    return ht.Model([bar("a"), bar("b")], joints + parts.pop("joints", []), **parts)


def triangle(**parts):
    apex = ht.Revolute(
        "apex", "a", "b", ht.Frame((1, 0, 0)), ht.Frame((1, 0, 0)), axis=OUT_OF_PLANE
    )
    return two_bars(1.0, (math.pi / 3, 2 * math.pi / 3), joints=[apex], **parts)


def parallelogram(angle):
    """Bars of 0.3 and 0.6 m; at angle 0 all four lie on one line."""
    model = library.four_bar(crank=0.3, coupler=0.6, rocker=0.3, ground=0.6, angle=0.5, speed=1.0)
    return model.with_(
        joints={
            "crank_pivot": {"q": angle},
            "crank_pin": {"q": -angle},
            "rocker_pivot": {"q": angle},
        }
    )


# ---- rank ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", COUNTS)
def test_degrees_of_freedom_and_redundant_rows(name):
    build, freedoms, counted, redundant = COUNTS[name]
    model = build()
    mechanism = Mechanism(model)
    assert (mechanism.degrees_of_freedom, mechanism.counted_degrees_of_freedom) == (
        freedoms,
        counted,
    )
    assert (
        mechanism.describe_redundant() == redundant
        and len(mechanism.redundant) == freedoms - counted
    )
    mechanism.check()
    mechanism.check_start(model.start()[1])
    assert mechanism.singular_parts is None


def slopes(mechanism, q):
    """∂Φ/∂ speeds by differences along each."""
    units = np.eye(len(mechanism.model.speeds))
    return np.array(
        [
            derivative(
                lambda e, unit=unit: mechanism.at(retract(mechanism.tree, q, e * unit))[0].value,
                1e-2,
            )
            for unit in units
        ]
    ).T


@pytest.mark.parametrize("k", range(len(LOOPS)))
def test_the_gradient_by_speeds_is_that_of_differences(k):
    model, q, _ = random_mechanism(k)
    mechanism = Mechanism(model, q)
    G = mechanism.at(q)[1]
    assert error(G, slopes(mechanism, q)) <= 1e-10 and mechanism.rank == np.linalg.matrix_rank(
        G, tol=1e-8
    )


@pytest.mark.parametrize("name", ["four_bar", "bricard", "andrews", "strandbeest"])
def test_the_rows_that_are_kept_span_all_others(name):
    mechanism = Mechanism(COUNTS[name][0]())
    G = slopes(mechanism, mechanism.q)
    kept = G[mechanism.kept]
    assert (
        np.linalg.matrix_rank(kept, tol=1e-7 * abs(G).max())
        == len(kept)
        == np.linalg.matrix_rank(G, tol=1e-7 * abs(G).max())
    )


@pytest.mark.parametrize("k", range(len(LOOPS)))
def test_twists_are_the_rates_of_the_poses(k):
    model, q, speeds = random_mechanism(k)
    mechanism = Mechanism(model, q)

    def pose(step):
        motion = compute_kinematics(mechanism.tree, retract(mechanism.tree, q, step * speeds))
        return np.concatenate([motion.turn, motion.at[:, :, None]], axis=2)

    rate, here = derivative(pose), compute_kinematics(mechanism.tree, q)
    twist = compute_twists(mechanism.tree, here, speeds)
    spin = np.einsum("kij,klj->kil", rate[:, :, :3], here.turn)  # Ṙ Rᵀ
    assert (
        error(np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), twist[:, :3])
        <= 1e-10
    )
    assert error(rate[:, :, 3], twist[:, 3:]) <= 1e-10


# ---- assembly ------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", range(len(LOOPS)))
def test_a_disturbed_mechanism_is_closed_and_its_speeds_fit(k):
    model, q, speeds = random_mechanism(k)
    mechanism, rng = Mechanism(model, q), np.random.default_rng(k)
    away = retract(mechanism.tree, q, 0.1 * rng.normal(size=len(speeds)))
    closed_positions = mechanism.closed_positions(away, NONE)
    assert mechanism.residual(away)[0] > 1e-2 and mechanism.residual(closed_positions)[0] <= 1e-12
    there = Mechanism(model, closed_positions)
    fitting = there.project_speeds(speeds + 0.3 * rng.normal(size=len(speeds)), NONE)
    assert abs(there.at(closed_positions, fitting)[0].rate).max() <= 1e-12


def test_what_is_held_keeps_its_value_while_the_loop_is_closed():
    model = library.four_bar()
    crooked = model.with_(joints={"crank_pin": {"q": model.joint("crank_pin").q + 0.1}})
    mechanism, held = Mechanism(crooked), held_speed_indices(crooked, "crank_pivot")
    closed_positions = mechanism.closed_positions(mechanism.q, held)
    assert (
        closed_positions == pytest.approx(model.start()[0], abs=1e-12)
        and closed_positions[0] == model.start()[0][0]
    )
    assert Mechanism(model).project_speeds(np.array([6.0, 0.0, 0.0]), held) == pytest.approx(
        model.start()[1], abs=1e-12
    )


def test_closing_what_is_closed_changes_nothing():
    model = library.stewart(position=(0.1, 0.0, 1.0), velocity=(0.2, 0.1, 0.0))
    q, speeds = model.start()
    assert abs(Mechanism(model).closed_positions(q, NONE) - q).max() <= 1e-14
    assert abs(Mechanism(model).project_speeds(speeds, NONE) - speeds).max() <= 1e-13


@pytest.mark.parametrize("turns", [1e3, 1e5])
def test_a_loop_is_closed_after_many_turns_as_well_as_angles_of_that_size_are_known(turns):
    model = library.four_bar()
    away = model.start()[0] + 2.0 * np.pi * turns + 1e-3 * np.array([0.0, 1.0, -1.0])
    mechanism = Mechanism(model, away)
    closed = mechanism.closed_positions(away, NONE)
    rounding = np.spacing(closed).max()
    assert mechanism.residual(away)[0] > 1e-4
    assert mechanism.residual(closed)[0] <= 4.0 * mechanism.size * rounding


def test_a_joint_that_shall_be_held_but_does_not_exist_is_named():
    with pytest.raises(OptionError, match="hold: there is no joint 'crank'.*crank_p"):
        held_speed_indices(library.four_bar(), ["crank"])


# ---- singular positions --------------------------------------------------------------------------
def test_a_parallelogram_that_is_stretched_flat_is_singular():
    """Beside that position it has one degree of freedom, at it two."""
    flat = Mechanism(parallelogram(0.0))
    assert flat.degrees_of_freedom == 2 and flat.singular_parts == ["coupler_pin"]


@pytest.mark.parametrize("angle", [1e-3, 0.5])
def test_a_parallelogram_that_stands_is_not_singular(angle):
    standing = Mechanism(parallelogram(angle))
    assert standing.degrees_of_freedom == 1 and standing.singular_parts is None


# ---- what is refused -----------------------------------------------------------------------------
def test_a_triangle_cannot_move():
    with pytest.raises(
        FitError, match="model 'model' cannot move.*joint 'apex' is the last"
    ) as caught:
        Mechanism(triangle()).check()
    assert caught.value.part == ("joint", "apex")


def test_a_rod_that_is_too_short_cannot_be_assembled():
    """The ends of the bars are never nearer than 2 m."""
    rod = ht.Rod("a", "b", (1, 0, 0), (1, 0, 0), 1.5, name="tie")
    mechanism = Mechanism(two_bars(4.0, (1.0, 2.0), constraints=[rod]))
    with pytest.raises(
        FitError,
        match=r"cannot be assembled: constraint 'tie' keeps a constraint "
        r"residual of \d.*m; check lengths",
    ) as caught:
        mechanism.closed_positions(mechanism.q, NONE)
    assert caught.value.part == ("constraint", "tie")


def test_a_rod_between_points_that_coincide_is_refused():
    model = two_bars(0.0, (1.0, 2.0), constraints=[ht.Rod("a", "b", name="tie")])
    with pytest.raises(
        FitError, match="constraint 'tie': the rod between 'a' and 'b' has no length.*ball"
    ):
        Mechanism(model)


def test_a_drive_of_a_coordinate_that_joints_determine_is_refused():
    with pytest.raises(
        FitError,
        match="constraint 'motor': it drives joint 'left', what joint 'apex' already determine",
    ) as caught:
        Mechanism(triangle(constraints=[ht.Drive("left", speed=1.0, name="motor")])).check()
    assert caught.value.part == ("constraint", "motor")


def test_two_drives_that_fight_over_one_degree_of_freedom_are_refused():
    one, two = (
        ht.Drive("crank_pivot", speed=6.0, name="one"),
        ht.Drive("rocker_pivot", speed=1.0, name="two"),
    )
    Mechanism(library.four_bar().with_(constraints=[one])).check()
    with pytest.raises(
        FitError,
        match=(
            "constraint 'two': it drives joint 'rocker_pivot', what constraint 'one', joint "
            "'coupler_pin'"
        ),
    ):
        Mechanism(library.four_bar().with_(constraints=[one, two])).check()


def test_an_open_start_is_refused_with_the_joint_and_how_far_it_is_open():
    """The coupler turned by 0.01 about the crank's end moves its far end by 0.5 · 0.01 m."""
    model = library.four_bar()
    crooked = model.with_(joints={"crank_pin": {"q": model.joint("crank_pin").q + 0.01}})
    with pytest.raises(
        ModelError,
        match=r"joint 'coupler_pin' has a constraint residual of 0\.005 m at the start.*assemble",
    ) as caught:
        Mechanism(crooked).check_start(crooked.start()[1])
    assert caught.value.part == ("joint", "coupler_pin")


def test_a_start_at_which_a_joint_comes_apart_is_refused_with_its_speed():
    model = library.four_bar()
    fast = model.with_(joints={"crank_pin": {"qdot": model.joint("crank_pin").qdot + 0.1}})
    with pytest.raises(
        ModelError,
        match=r"joint 'coupler_pin' has a residual rate of 0\.05 m/s at the start.*assemble",
    ):
        Mechanism(fast).check_start(fast.start()[1])


def test_a_start_asks_for_the_kinematics_of_a_position_once(monkeypatch):
    """Closing, ranks, branches and speeds share it."""
    asked = []

    def compute(tree, q):
        asked.append(q.tobytes())
        return compute_kinematics(tree, q)

    monkeypatch.setattr(kinematics, "compute_kinematics", compute)
    model = library.four_bar()
    q, speeds = model.start()
    made = assemble_at_consistent_start(
        model, np.add(q, (0.0, 1e-3, 0.0)), speeds, 0.0, ("crank_pivot",)
    )
    assert len(asked) == len(set(asked)) > 3
    there = Mechanism(model, made.q)
    assert np.array_equal(made.mechanism.scaled_jacobian, there.scaled_jacobian)
    assert np.array_equal(made.mechanism.kept, there.kept)
