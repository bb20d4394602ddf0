"""compare: all formulations of random trees and mechanisms agree, and one that is wrong is found
with the body at which it is wrong.
"""

import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.analysis.compare.runs import ComparedRun, End, RunPlan
from hamiltree.analysis.compare.starts import start_of
from hamiltree.analysis.compare.states import Probe, difference_points, differentiate
from hamiltree.analysis.reactions import Reactions
from hamiltree.compiled.number import read_only
from hamiltree.errors import FitError, ModelError, OptionError, StepError
from hamiltree.formulations import FORMULATIONS
from hamiltree.formulations.formulation import ROWS
from hamiltree.rotations import quaternion_from_matrix
from tests.agreement import mechanisms

SOURCES = Path(ht.__file__).parents[1]


FOR_LOOPS = {name for name, made in FORMULATIONS.items() if ROWS in made.supports}
# of bodies that no joint joins
FREE_BODIES = {name for name in FORMULATIONS if name.startswith("free_bodies_")}
CLOSERS = [
    ("ball",),
    ("universal",),
    ("rod", "rod"),
    ("point_in_plane", "ball"),
    ("revolute",),
    ("cylindrical", "perpendicular_axes"),
    ("coincident", "rod"),
    ("point_on_line", "screw"),
    ("planar", "rod"),
    ("prismatic",),
]


def at_start(model, state=None, **options):
    return ht.compare(model, state, until=0, progress=False, **options)


# ---- agreement -----------------------------------------------------------------------------------
def with_user_laws(model, seed):
    """A law and a potential of a joint, a law on a body and a potential of two poses, typed as
    formulas, beside all the other forces.
    """
    axes, bodies = mechanisms.driven_axes(model), [body.name for body in model.bodies]
    laws = [
        ht.PosePotential(
            bodies[seed % len(bodies)],
            "ground",
            "k*x*y - c*R_23 + c*R1_31*z2 + k*(x1 - x2)**2*R_11",
            {"k": 0.2, "c": 0.3},
            frame_a=(0.1, 0.2, -0.1),
        ),
        ht.BodyLaw(
            bodies[seed % len(bodies)],
            ("-k*x + sin(vy)", "k*wz", "qx*z"),
            ("wy*k", "-wx*qw", "x - y"),
            parameters={"k": 0.7},
        ),
    ]
    if axes:
        laws.append(
            ht.JointLaw(axes[seed % len(axes)], "a*sin(q)*v - v*abs(v)/4 + cos(t)", {"a": 0.6})
        )
        laws.append(
            ht.JointPotential(axes[(3 * seed) % len(axes)], "k*q**4/4 - cos(q)", {"k": 0.3})
        )
    return model.with_(forces=[*model.forces, *laws])


@pytest.mark.parametrize("seed", range(50))
def test_all_formulations_that_fit_a_random_tree_agree(seed):
    """Up to thirty bodies, every kind of joint; springs, dampers, efforts, loads, user's laws:
    accelerations to 1e-9, and as much power as energy.
    """
    model = with_user_laws(mechanisms.random_tree(2 + 7 * seed % 29, 1 + seed % 3, seed), seed)
    found = at_start(model)
    assert found.agree, str(found)
    assert {"hamiltonian_tree", *FOR_LOOPS} <= {*found.formulations} and {
        *found.refused
    } <= FREE_BODIES
    assert (
        found.disagreement("acceleration").relative <= 1e-9
        and found.disagreement("angular acceleration").relative <= 1e-9
    )
    rates = found.energies.sel(part=["power", "energy_rate"]).values
    assert np.ptp(rates) <= 1e-9 * np.abs(rates).max()


@pytest.mark.parametrize("seed", range(20))
def test_all_formulations_that_fit_a_random_mechanism_agree(seed):
    closers = CLOSERS[seed % len(CLOSERS)]
    model, q, speeds = mechanisms.random_mechanism(4 + seed % 4, 1 + seed % 2, seed, closers)
    found = at_start(model, (q, speeds))
    assert found.agree, str(found)
    others = {name: reason for name, reason in found.refused.items() if name not in FREE_BODIES}
    assert {*found.formulations} == FOR_LOOPS and all(
        "is for trees" in reason for reason in others.values()
    )
    assert (
        found.disagreement("acceleration").relative <= 1e-9
        and found.disagreement("angular acceleration").relative <= 1e-9
    )


def driven_crank():
    """A crank that is driven in time, with a damper, a load and a spring."""
    model = ht.library.slider_crank(angle=0.7, speed=2.0)
    forces = [
        ht.JointDamper("slide", 0.4),
        ht.BodyLoad("rod", (1.0, 0.0, 2.0)),
        ht.JointSpring("crank_pin", 0.3, 0.1),
    ]
    return model.with_(
        forces=forces,
        constraints=[ht.Drive("crank_pivot", "0.7 + 2*t + a*sin(3*t)**2", parameters={"a": 0.5})],
    )


def test_the_power_of_a_drive_is_the_same_by_every_account():
    found = at_start(driven_crank())
    rates = found.energies.sel(part=["power", "energy_rate"]).values
    assert (
        found.agree and len(rates) == len(FOR_LOOPS) and np.ptp(rates) <= 1e-9 * np.abs(rates).max()
    )


def test_the_height_of_a_body_that_cannot_move_is_no_disagreement():
    model = ht.library.chain(2)
    still = ht.Body("still", 3.0, (0, 0, 1), (0.1, 0.1, 0.1))
    found = at_start(
        model.with_(
            bodies=[*model.bodies, still],
            joints=[*model.joints, ht.Weld("weld", "ground", "still")],
        )
    )
    assert found.agree, str(found)
    assert np.ptp(found.energies.sel(part="potential").values) == pytest.approx(
        3.0 * 9.81, rel=1e-2
    )


def test_accelerations_and_reactions_of_a_pendulum_are_those_of_its_equation():
    """α = −m g l sin θ / (J + m l²); the pivot carries m (a − g)."""
    mass, arm, moment, angle, speed = 1.3, 0.4, 0.05, 0.7, 2.0
    body = ht.Body("bob", mass, (0, 0, -arm), (moment, moment, moment))
    model = ht.Model(
        [body],
        [ht.Revolute("pivot", "ground", "bob", axis=(0, 1, 0), q=angle, qdot=speed)],
        gravity=(0, 0, -9.81),
    )
    found, alpha = at_start(model), -mass * 9.81 * arm * np.sin(angle) / (moment + mass * arm**2)
    across, inward = (
        np.array([-np.cos(angle), 0, np.sin(angle)]),
        np.array([np.sin(angle), 0, np.cos(angle)]),
    )
    a = alpha * arm * across + speed**2 * arm * inward
    expected = np.array([0, alpha, 0, *a]), mass * (a + np.array([0, 0, 9.81]))
    for name in found.formulations:
        assert found.accelerations.sel(formulation=name).values[0] == pytest.approx(
            expected[0], abs=1e-10
        )
        assert found.reactions.sel(formulation=name).values[0] == pytest.approx(
            [0, 0, 0, *expected[1]], abs=1e-10
        )


def test_reactions_are_those_of_the_multipliers_of_cartesian_3():
    model = mechanisms.random_tree(5, 2, 5)
    found, forces = at_start(model), reactions_of_start(model)
    for joint in model.joints:
        assert found.reactions.sel(
            formulation="hamiltonian_tree", joint=joint.name
        ).values == pytest.approx(forces(joint.name), abs=1e-9)


def reactions_of_start(model):
    """joint -> (moment, force) by analysis/reactions.py, at the model's start."""
    reactions, case = Reactions(model), mechanisms.CartesianIII(model)
    turn, at, twist = case.placed
    pose = np.column_stack([at, [quaternion_from_matrix(R) for R in turn]])
    sample = np.zeros(1), pose[None], twist[None]

    def of(name):
        made = reactions.of(name, *sample)
        return np.concatenate([made.moment.values[0], made.force.values[0]])

    return of


@pytest.mark.parametrize("rate", [1e-4, 1.0, 30.0, 3e3])
def test_the_ladder_of_differences_finds_the_derivative_of_slow_and_fast_functions(rate):
    """The longest step is 0.1 of what was thought to be the time of the motion; e^(rate s) may be
    some hundred times quicker.
    """
    longest = 0.1 / min(rate, 100.0)
    found = differentiate(np.exp(rate * difference_points(longest)), longest)
    assert (
        found.value == pytest.approx(rate, rel=1e-9)
        and abs(found.value - rate) <= 100 * found.error + 1e-14 * rate
    )


# ---- starts --------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(8))
def test_poses_and_twists_are_as_good_a_start_as_coordinates(seed):
    model = mechanisms.random_tree(6, 2, seed)
    case = mechanisms.CartesianIII(model)
    turn, at, twist = case.placed
    pose = np.column_stack([at, [quaternion_from_matrix(R) for R in turn]])
    q, speeds = start_of(model, {"pose": pose, "twist": twist})
    assert (q, speeds) == (
        pytest.approx(model.start()[0], abs=1e-12),
        pytest.approx(model.start()[1], abs=1e-11),
    )


def test_poses_that_joints_do_not_allow_are_refused():
    model = ht.library.chain(3)
    case = mechanisms.CartesianIII(model)
    pose = np.column_stack([case.placed[1], [quaternion_from_matrix(R) for R in case.placed[0]]])
    pose[1, :3] += 1e-3
    with pytest.raises(OptionError, match="'b2'.*not one that the joints allow"):
        start_of(model, {"pose": pose, "twist": case.placed[2]})


@pytest.mark.parametrize("turns", [-2, 1, 3])
def test_coordinates_beside_poses_tell_whole_turns(turns):
    model = ht.library.chain(2)
    turned = model.start()[0] + [2 * np.pi * turns, 0.0]
    case = mechanisms.CartesianIII(model)
    pose = np.column_stack([case.placed[1], [quaternion_from_matrix(R) for R in case.placed[0]]])
    assert start_of(model, {"pose": pose, "twist": case.placed[2], "q": turned})[
        0
    ] == pytest.approx(turned, abs=1e-12)


POSES = [
    {"pose": "x", "twist": 1},
    {"pose": np.zeros((2, 7)), "twist": np.zeros((2, 6))},
    {"pose": np.zeros((3, 7)), "twist": np.zeros((3, 6))},
]


@pytest.mark.parametrize(
    "state", [3.0, (1, 2, 3), {"x": 1}, {"pose": np.zeros((3, 7))}, {"q": [1.0]}, *POSES]
)
def test_a_start_that_is_none_is_refused(state):
    with pytest.raises(OptionError):
        start_of(ht.library.chain(3), state)


def test_axes_of_any_kind_and_laws_on_gimbals_agree_among_the_formulations_of_trees():
    """Screws one after the other through different points, and laws along one of three turns: no
    other formulation knows them.
    """
    model = ht.library.tree(5, 2, 8, ("gimbal", "ball", "universal"))
    ends = {
        joint.name: (joint.parent, joint.child, joint.on_parent, joint.on_child)
        for joint in model.joints
    }
    axes = [
        ("turn", (1, 2, 3), (0.1, 0.2, 0.3)),
        ("slide", (0, 1, 1)),
        ("screw", (1, 0, 0), (0, 0.2, 0), 0.4),
    ]
    joints = {
        "j3": ht.Axes("j3", *ends["j3"], axes=axes, q=(0.3, 0.1, -0.7), qdot=(1.0, -0.5, 0.8))
    }
    gimbals = [
        f"{joint.name}.{k}"
        for joint in model.joints
        if joint.kind == "gimbal" and joint.name != "j3"
        for k in (1, 2, 3)
    ]
    model = model.with_(
        joints=joints, forces=[ht.JointSpring(name, 2.0, 0.1) for name in (*gimbals, "j3.2")]
    )
    found = at_start(model)
    assert (
        gimbals
        and found.agree
        and {*found.formulations} == {"hamiltonian_tree", "hamiltonian_loops", "kane_relative"}
    )
    assert "joint 'j3' (axes)" in found.refused["kane_absolute"]


def test_a_model_that_cannot_move_agrees_with_itself():
    still = ht.Body("still", 1.0, (0, 0, 1), (0.1, 0.1, 0.1))
    found = at_start(ht.Model([still], [ht.Weld("weld", "ground", "still")]))
    assert (
        found.agree and len(found.formulations) > 2 and not np.abs(found.accelerations.values).any()
    )


def test_one_turn_about_an_axis_beside_the_origin_agrees_in_every_formulation():
    axes = [("turn", (0.3, -0.4, 1.2), (0.5, 0.2, -0.3))]
    joint = ht.Axes("pivot", "ground", "bob", axes=axes, q=(0.4,), qdot=(1.5,))
    found = at_start(ht.Model([ht.Body("bob", 1.0, (0.1, 0.2, 0.3), (0.1, 0.2, 0.25))], [joint]))
    assert found.agree and {"hamiltonian_tree", "kane_relative", *FOR_LOOPS} == {
        *found.formulations
    }, str(found)


# ---- what does not fit ---------------------------------------------------------------------------
def test_a_law_on_a_gimbal_is_refused_by_absolute_coordinates_with_the_reason():
    model = ht.library.chain(2)
    gimbal = ht.Gimbal(
        "j1",
        *(
            getattr(model.joint("j1"), field)
            for field in ("parent", "child", "on_parent", "on_child")
        ),
    )
    model = model.with_(joints={"j1": gimbal}, forces=[ht.JointSpring("j1.1", 1.0)])
    found = at_start(model)
    assert (
        "hamiltonian_tree" in found.formulations
        and "gimbal" in found.refused["cartesian_3"]
        and found.reactions is None
    )
    assert any(
        "reactions are not compared" in note for note in found.notes
    ) and "cartesian_3: " in str(found)


def test_what_no_formulation_takes_is_an_error_that_says_why():
    model = ht.library.four_bar()
    with pytest.raises((ModelError, FitError), match="has a constraint residual of 0.0695 m"):
        at_start(model, (model.start()[0] + [0.1, 0.0, 0.0], None))


def test_a_formulation_that_was_asked_for_and_does_not_fit_leaves_nothing_to_compare():
    with pytest.raises(FitError, match="(?s)is for trees.*only cartesian_3 is left"):
        at_start(ht.library.four_bar(), formulations=["hamiltonian_tree", "cartesian_3"])


def test_one_formulation_alone_is_not_compared():
    with pytest.raises(OptionError, match="name at least two"):
        at_start(ht.library.chain(2), formulations=["cartesian_3", "cartesian-3"])


# ---- what is wrong -------------------------------------------------------------------------------
def turning_tree():
    """Hinges in all directions, all of them in motion: b1 on the ground, b2 and b3 on b1, b4 and b5
    on b2, b6 on b3.
    """
    model = ht.library.tree(6, 2, 3)
    return model.with_(
        joints={joint.name: {"qdot": 1.0 + 0.3 * k} for k, joint in enumerate(model.joints)}
    )


def wrong_inertia(monkeypatch, formulation, body):
    """A formulation whose tables have one body's moments of inertia a tenth too large."""
    made = FORMULATIONS[formulation]

    def assemble(start):
        inertia = 1.1 * np.array(start.model.body(body).inertia)
        return made.assemble(
            replace(start, model=start.model.with_(bodies={body: {"inertia": inertia.tolist()}}))
        )

    monkeypatch.setitem(FORMULATIONS, formulation, replace(made, assemble=assemble))


@pytest.mark.parametrize("body", ["b1", "b3", "b5"])
@pytest.mark.parametrize("formulation", ["hamiltonian_tree", "cartesian_1", "cartesian_3"])
def test_a_wrong_inertia_is_found_with_its_formulation_and_body(monkeypatch, formulation, body):
    wrong_inertia(monkeypatch, formulation, body)
    found = at_start(turning_tree())
    assert not found.agree and found.culprits == {formulation: (body,)}
    assert (
        found.disagreement("acceleration").formulation
        == found.disagreement("balance of forces").formulation
        == formulation
    )
    assert f"{formulation}: its equations of motion are wrong at body '{body}'" in str(found)


@pytest.mark.parametrize("order", [1, -1])
def test_of_two_formulations_the_one_that_does_not_balance_the_forces_is_wrong(monkeypatch, order):
    wrong_inertia(monkeypatch, "cartesian_3", "b4")
    found = at_start(turning_tree(), formulations=["hamiltonian_tree", "cartesian_3"][::order])
    assert not found.agree and found.culprits == {"cartesian_3": ("b4",)}


def test_bodies_of_one_degree_of_freedom_cannot_be_told_apart(monkeypatch):
    wrong_inertia(monkeypatch, "cartesian_3", "coupler")
    found = at_start(ht.library.four_bar())
    assert (
        not found.agree
        and "coupler" in found.culprits["cartesian_3"]
        and len(found.culprits["cartesian_3"]) > 1
    )


def with_rotor(speed):
    """A boom and an arm that hardly move, with a small rotor on them that turns fast;
    weightless.
    """
    boom, arm = (
        ht.Body("boom", 100.0, (5, 0, 0), (10, 800, 800)),
        ht.Body("arm", 5.0, (1, 0, 0), (0.1, 2, 2)),
    )
    rotor = ht.Body("rotor", 0.1, (0, 0, 0), (1e-5, 1e-5, 2e-5))
    joints = [
        ht.Revolute("a", "ground", "boom", axis=(0, 0, 1), qdot=0.01),
        ht.Revolute("b", "boom", "arm", ht.Frame((10, 0, 0)), axis=(0, 0, 1), q=0.7, qdot=0.02),
        ht.Revolute("c", "arm", "rotor", ht.Frame((2, 0, 0)), axis=(0, 0, 1), qdot=speed),
    ]
    return ht.Model([boom, arm, rotor], joints, gravity=(0, 0, 0))


def test_a_fast_rotor_does_not_hide_what_is_wrong_with_slow_bodies(monkeypatch):
    names = ["hamiltonian_tree", "kane_relative", "cartesian_3"]
    assert at_start(with_rotor(1e4), formulations=names).agree
    made = FORMULATIONS["kane_relative"]
    heavier = replace(
        made,
        assemble=lambda start: made.assemble(
            replace(start, model=start.model.with_(bodies={"arm": {"mass": 5.5}}))
        ),
    )
    monkeypatch.setitem(FORMULATIONS, "kane_relative", heavier)
    found = at_start(with_rotor(1e4), formulations=names)
    row = found.disagreement("acceleration")
    assert not row.agrees and row.formulation == "kane_relative" and row.body != "rotor"


def test_a_wrong_inertia_is_found_beside_armature(monkeypatch):
    """An armature takes its part of what makes up for the difference."""
    wrong_inertia(monkeypatch, "kane_relative", "b2")
    model = turning_tree()
    model = model.with_(joints={joint.name: {"armature": 0.05} for joint in model.joints})
    found = at_start(model, formulations=["hamiltonian_tree", "hamiltonian_loops", "kane_relative"])
    assert not found.agree and found.culprits == {"kane_relative": ("b2",)}


def test_of_two_formulations_that_nothing_tells_apart_both_are_named(monkeypatch):
    """Reactions are not known beside armature, and neither breaks a joint."""
    wrong_inertia(monkeypatch, "kane_relative", "b2")
    model = turning_tree()
    model = model.with_(joints={joint.name: {"armature": 0.05} for joint in model.joints})
    found = at_start(model, formulations=["kane_relative", "hamiltonian_tree"])
    assert (
        found.disagreement("acceleration").formulation == "kane_relative or hamiltonian_tree"
        and len(found.culprits) == 2
    )


def test_multipliers_that_are_not_those_of_the_accelerations_are_found(monkeypatch):
    right = Probe.multipliers
    monkeypatch.setattr(
        Probe,
        "multipliers",
        lambda probe: right(probe) * (1.0 - 1e-6 * (probe.formulation.name == "cartesian_3")),
    )
    found = at_start(ht.library.chain(3), formulations=["hamiltonian_tree", "cartesian_3"])
    assert {row.quantity for row in found.disagreements if not row.agrees} == {"multipliers"}
    assert found.disagreement("multipliers").formulation == "cartesian_3"


def test_numbers_that_are_not_finite_are_a_failure_and_no_misfit(monkeypatch):
    made = FORMULATIONS["cartesian_2"]
    broken = replace(
        made,
        assemble=lambda start: made.assemble(start)._replace(
            gravity=read_only([[np.nan, 0.0, 0.0]])
        ),
    )
    monkeypatch.setitem(FORMULATIONS, "cartesian_2", broken)
    found = at_start(ht.library.chain(2))
    assert (
        not found.agree
        and "not finite" in found.failed["cartesian_2"]
        and {*found.refused} <= FREE_BODIES
    )


# Kernels with a wrong sign in place of the right ones; interpreted, each in a process of its own:
# what is compiled here stays as it is.
WRONG = {
    "start": """
import inspect, sys
import hamiltree as ht
from hamiltree.algebra.values import cross

def moving(model):
    speeds = {joint.name: {"qdot": 1.0 + 0.3 * k} for k, joint in enumerate(model.joints)}
    return model.with_(joints=speeds)

def changed(module, name, right, wrong):
    text = inspect.getsource(getattr(module, name))
    assert text.count(right) == 1, text
    lines = [line for line in text.replace(right, wrong).splitlines() if not line.startswith("@")]
    exec("\\n".join(lines), vars(module))
""",
    "gyroscopic torque of cartesian_3": """
import hamiltree.formulations.absolute.cartesian
from hamiltree.formulations.absolute.bodies import (
    CartesianIII, body_angular_velocity, body_constants, fill_body
)
right = fill_body.generic.methods[CartesianIII,]

@fill_body.method(CartesianIII)
def wrong(system, work, y, i, force, torque):
    "n' + ω' × J' ω' of one body, for n' − ω' × J' ω'"
    J, w = body_constants(system, i).inertia, body_angular_velocity(system, y, i)
    right(system, work, y, i, force, torque + cross(w, J @ w) * (2.0 if i == 1 else 0.0))

model, names = moving(ht.library.chain(3)), ["hamiltonian_tree", "cartesian_1", "cartesian_3"]
""",
    "acceleration carried outwards by kane_relative": """
import hamiltree.formulations.kane.kane_relative as kane
right = "plus_cross(A.w + joint.alpha, V.w, joint.w)"
wrong = right.replace("joint.w)", "joint.w * (-1.0 if b == 1 else 1.0))")
changed(kane, "forward_kinematics", right, wrong)
model, names = moving(ht.library.tree(6, 2, 3)), ["hamiltonian_tree", "kane_relative"]
""",
    "gyroscopic torque of kane_absolute": """
import hamiltree.formulations.kane.kane_absolute as kane
right = "- cross(w, body.inertia @ w)"
changed(kane, "add_generalised_forces", right, right + " * (-1.0 if b == 1 else 1.0)")
model, names = moving(ht.library.chain(3)), ["hamiltonian_tree", "kane_absolute", "cartesian_3"]
""",
    "γ of a joint in cartesian_3": """
from hamiltree.formulations.absolute.bodies import CartesianIII
from hamiltree.formulations.absolute.augmented_matrix import constraint_right_side
right = constraint_right_side.generic.methods[CartesianIII,]

@constraint_right_side.method(CartesianIII)
def wrong(system, work, y, row):
    return right(system, work, y, row) * (-1.0 if system.group[row] == 1 else 1.0)

model, names = moving(ht.library.chain(3)), ["hamiltonian_tree", "cartesian_3"]
""",
    "γ of all rows": """
import hamiltree.assembly.rows as rows
right = rows.second_of_term
rows.second_of_term = lambda table, bodies, k, x, dd: -right(table, bodies, k, x, dd)
model = moving(ht.library.chain(2))
names = ["hamiltonian_tree", "cartesian_1", "cartesian_3", "kane_absolute"]
""",
    "end": """
sys.stdout.write(ht.compare(model, formulations=names, until=0, progress=False).to_json())
""",
}


def interpreted(what):
    changes = {"PYTHONPATH": str(SOURCES), "NUMBA_DISABLE_JIT": "1", "PYTHONIOENCODING": "utf-8"}
    script = WRONG["start"] + WRONG[what] + WRONG["end"]
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **changes},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize(
    ("what", "whose", "cause"),
    [
        ("gyroscopic torque of cartesian_3", "cartesian_3", "a wrench on it"),
        (
            "acceleration carried outwards by kane_relative",
            "kane_relative",
            "carried outwards from it",
        ),
        ("gyroscopic torque of kane_absolute", "kane_absolute", "a wrench on it"),
        ("γ of a joint in cartesian_3", "cartesian_3", "break joint 'j2' (b1 – b2)"),
    ],
)
def test_a_sign_of_a_kernel_that_is_wrong_at_one_body_is_found_with_its_body(what, whose, cause):
    found = interpreted(what)
    assert (
        not found["agree"]
        and found["culprits"] == {whose: ["b2"]}
        and cause in found["causes"][whose]
    )
    assert {row["formulation"] for row in found["disagreements"] if not row["agrees"]} == {whose}


def test_a_mistake_that_most_formulations_share_is_theirs():
    """The one that is right differs from the median of all; joints tell who breaks them."""
    found = interpreted("γ of all rows")
    (row,) = (row for row in found["disagreements"] if row["quantity"] == "acceleration")
    wrong = {"cartesian_1", "cartesian_3", "kane_absolute"}
    assert {*found["culprits"]} == {*row["beyond"]} == wrong and all(
        "break joint" in cause for cause in found["causes"].values()
    )


# ---- trajectories --------------------------------------------------------------------------------
PAIR = ["hamiltonian_loops", "cartesian_3"]


def test_runs_of_two_formulations_end_at_the_same_place():
    found = ht.compare(ht.library.four_bar(), formulations=PAIR, until=0.3, progress=False)
    assert found.agree, str(found)
    assert found.trajectories.integrator.values.tolist() == ["spark6", "dop853"]
    assert "hamiltonian_loops, which dop853 does not fit, by spark6" in str(found)
    assert (
        found.disagreement("position at the end").relative < 1e-8
        and float(found.trajectories.error.max()) < 1e-7
    )


def test_a_run_of_wrong_equations_ends_elsewhere(monkeypatch):
    wrong_inertia(monkeypatch, "cartesian_3", "coupler")
    found = ht.compare(ht.library.four_bar(), formulations=PAIR, until=0.3, progress=False)
    assert not found.disagreement("attitude at the end").agrees


def test_a_run_that_goes_wrong_where_another_arrives_is_a_failure(monkeypatch):
    right = RunPlan.run_to_end

    def ended(run_plan, formulation, integrator, is_fine):
        if formulation == "cartesian_3":
            raise StepError("the step is too long")
        return right(run_plan, formulation, integrator, is_fine)

    monkeypatch.setattr(RunPlan, "run_to_end", ended)
    found = ht.compare(
        ht.library.chain(2),
        formulations=["hamiltonian_tree", "cartesian_3"],
        until=0.02,
        progress=False,
    )
    assert not found.agree and "the step is too long" in found.failed["cartesian_3"]


def test_a_run_that_is_known_badly_is_not_decided_and_does_not_loosen_the_others(monkeypatch):
    """Ends that are 1e-5 apart; the third run says of itself that it is off by a metre."""
    pose, names = (
        np.array([[0.0, 0, 0, 1, 0, 0, 0]]),
        ["hamiltonian_tree", "cartesian_3", "kane_relative"],
    )
    ends = {
        name: (1e-5 * (name == "cartesian_3"), 1.0 if name == "kane_relative" else 1e-12)
        for name in names
    }

    def ran(run_plan, name):
        at, error = ends[name]
        return ComparedRun(
            "dop853", End(run_plan.until, pose + np.array([at, *[0.0] * 6]), 0.0), (error, 0.0, 0.0)
        )

    monkeypatch.setattr(RunPlan, "run", ran)
    found = ht.compare(ht.library.chain(1), formulations=names, until=0.1, progress=False)
    assert {*found.undecided} == {"kane_relative"} and "NOT DECIDED" in str(found)
    assert not found.disagreement("position at the end").agrees and found.trajectories is not None


def test_runs_of_many_bodies_are_made_only_if_it_is_said_until_when():
    found = ht.compare(
        ht.library.chain(61), formulations=["hamiltonian_tree", "cartesian_3"], progress=False
    )
    assert (
        found.agree
        and found.trajectories is None
        and any("give `until`" in note for note in found.notes)
    )


# ---- what is given back --------------------------------------------------------------------------
@cache
def of_chain():
    return at_start(ht.library.chain(3), formulations=["hamiltonian_tree", "cartesian_3"])


def test_a_comparison_is_data_and_json_and_lines_of_120_columns(tmp_path):
    found = of_chain()
    path = tmp_path / "found.json"
    read = json.loads(found.to_json(path))
    assert read == json.loads(path.read_text("utf-8")) and read["agree"] is True
    assert np.array(read["accelerations"]["values"]).shape == (2, 3, 6) == found.accelerations.shape
    assert max(map(len, str(found).splitlines())) <= 120


@pytest.mark.parametrize(
    "options",
    [
        {"until": -1},
        {"tolerance": 0},
        {"step": -0.1},
        {"integrator": "none"},
        {"formulations": ["none"]},
        {"formulations": "all"},
    ],
)
def test_options_out_of_range_are_refused(options):
    with pytest.raises(OptionError):
        ht.compare(ht.library.chain(2), progress=False, **options)
