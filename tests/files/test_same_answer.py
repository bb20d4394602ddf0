"""A model and its answer are the same whichever way it came in: built in Python, read from TOML,
read from URDF.
"""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.model import GROUND

URDF = """
<robot name="arm">
  <link name="pedestal"><inertial><origin xyz="0 0 0.2"/><mass value="4"/>
    <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.2"/></inertial></link>
  <link name="base"><inertial><origin xyz="0 0 0.1"/><mass value="2.5"/>
    <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.06" iyz="0" izz="0.04"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.2 0 0.05" rpy="0 0 0"/><mass value="1.25"/>
    <inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.03" iyz="0" izz="0.025"/></inertial></link>
  <link name="hand"><inertial><origin xyz="0 0 0.04"/><mass value="0.5"/>
    <inertia ixx="0.002" ixy="0" ixz="0" iyy="0.002" iyz="0" izz="0.001"/></inertial></link>
  <joint name="slew" type="continuous"><parent link="pedestal"/><child link="base"/>
    <origin xyz="0 0 0.5" rpy="0 0 0.5"/><axis xyz="0 0 1"/>
    <dynamics damping="0.2"/></joint>
  <joint name="lift" type="continuous"><parent link="base"/><child link="fore"/>
    <origin xyz="0 0.1 0.3" rpy="0.3 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="reach" type="prismatic"><parent link="fore"/><child link="hand"/>
    <origin xyz="0.4 0 0"/><axis xyz="1 0 0"/>
    <limit lower="-10" upper="10" effort="1" velocity="1"/><dynamics damping="1.5"/></joint>
</robot>
"""
STATE = {
    "q": {"slew": 0.3, "lift": -0.7, "reach": 0.1},
    "qdot": {"slew": 1.1, "lift": 0.4, "reach": -0.3},
}


def in_python():
    """The same arm by hand."""
    frames = (
        ht.Frame.about((0, 0, 1), 0.5, (0, 0, 0.5)),
        ht.Frame.about((1, 0, 0), 0.3, (0, 0.1, 0.3)),
        ht.Frame((0.4, 0, 0)),
    )
    bodies = [
        ht.Body("pedestal", 4.0, (0, 0, 0.2), (0.1, 0.1, 0.2)),
        ht.Body("base", 2.5, (0, 0, 0.1), (0.05, 0.06, 0.04)),
        ht.Body("fore", 1.25, (0.2, 0, 0.05), [[0.01, 0.001, 0], [0.001, 0.03, 0], [0, 0, 0.025]]),
        ht.Body("hand", 0.5, (0, 0, 0.04), (0.002, 0.002, 0.001)),
    ]
    joints = [
        ht.Weld("root", GROUND, "pedestal"),
        ht.Revolute("slew", "pedestal", "base", frames[0], axis=(0, 0, 1)),
        ht.Revolute("lift", "base", "fore", frames[1], axis=(0, 1, 0)),
        ht.Prismatic("reach", "fore", "hand", frames[2], axis=(1, 0, 0)),
    ]
    return ht.Model(
        bodies,
        joints,
        [ht.JointDamper("slew", 0.2), ht.JointDamper("reach", 1.5)],
        name="arm",
        gravity=(0, 0, -9.81),
    )


@pytest.fixture(scope="module")
def arms(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arms")
    (folder / "arm.urdf").write_text(URDF, encoding="utf-8")
    by_hand = in_python()
    ht.save(by_hand, folder / "arm.toml")
    read = ht.load(folder / "arm.urdf")
    return {"python": by_hand, "toml": ht.load(folder / "arm.toml"), "urdf": read}


def started(model):
    q, speeds = model.q_from(STATE["q"]), model.qdot_from(STATE["qdot"])
    return q, speeds


def test_the_model_is_the_same(arms):
    """TOML keeps every digit; URDF stores rotations as angles, so frames agree to rounding."""
    assert (
        arms["toml"].bodies == arms["python"].bodies
        and arms["toml"].joints == arms["python"].joints
    )
    assert (
        arms["toml"].forces == arms["python"].forces
        and arms["toml"].gravity == arms["python"].gravity
    )
    assert arms["urdf"].coordinates == arms["python"].coordinates
    q, _ = started(arms["python"])
    masses = [ht.dynamics(model).mass_matrix(q) for model in arms.values()]
    assert masses[0].shape == (3, 3)
    for other in masses[1:]:
        assert other == pytest.approx(masses[0], rel=1e-14, abs=1e-15)


@pytest.mark.parametrize(
    "formulation", ["hamiltonian_tree", "kane_relative", "kane_absolute", "cartesian_3"]
)
def test_the_answer_is_the_same(arms, formulation):
    ends = {
        way: ht.simulate(
            model,
            until=0.5,
            step=2e-3,
            formulation=formulation,
            integrator="rk4",
            progress=False,
            **STATE,
        )
        for way, model in arms.items()
    }
    told = ends["python"]
    assert np.array_equal(ends["toml"].poses.values, told.poses.values)
    assert ends["urdf"].poses.values == pytest.approx(told.poses.values, abs=1e-12)
    for other in ends.values():
        assert other.energy.values == pytest.approx(told.energy.values, rel=1e-12)
        assert other.work.values == pytest.approx(told.work.values, abs=1e-12)


def test_compare_says_the_same_of_all_three(arms):
    found = {way: ht.compare(model, STATE, until=0, progress=False) for way, model in arms.items()}
    assert all(one.agree for one in found.values())
    assert (
        len({one.formulations for one in found.values()}) == 1
        and "kane_relative" in found["urdf"].formulations
    )
    for one in found.values():
        assert one.accelerations.values == pytest.approx(
            found["python"].accelerations.values, abs=1e-9
        )
