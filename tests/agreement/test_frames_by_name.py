"""Poses, twists and Jacobians of bodies and frames by name, against Pinocchio and MuJoCo."""

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import ModelError, OptionError
from hamiltree.files import model_from_toml, model_to_toml
from hamiltree.model.units import Units, nondimensionalise
from hamiltree.rotations import rotation_matrix, skew

ARM = """<robot name="arm">
<link name="base"/>
<link name="upper"><inertial><origin xyz="0.1 0 -0.2"/><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.02"/></inertial></link>
<link name="fore"><inertial><origin xyz="0 0.1 -0.2"/><mass value="1"/>
  <inertia ixx="0.05" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.01"/></inertial></link>
<link name="flange"/><link name="tool0"/><link name="camera"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
  <origin xyz="0 0.1 0.5" rpy="0.3 0.2 -0.4"/><axis xyz="0 1 0"/>
  <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
<joint name="elbow" type="prismatic"><parent link="flange"/><child link="fore"/>
  <origin xyz="0.2 0 0" rpy="0 -0.5 0"/><axis xyz="1 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="f1" type="fixed"><parent link="upper"/><child link="flange"/>
  <origin xyz="0.1 0.2 -0.4" rpy="0.1 1.1 0.7"/></joint>
<joint name="f2" type="fixed"><parent link="fore"/><child link="tool0"/>
  <origin xyz="0 0 -0.3" rpy="2.0 0.4 0.2"/></joint>
<joint name="f3" type="fixed"><parent link="tool0"/><child link="camera"/>
  <origin xyz="0.05 0 0.02" rpy="0 0 1.5"/></joint>
</robot>"""
NAMES = ("upper", "flange", "fore", "tool0", "camera")


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.urdf"
    path.write_text(ARM)
    return path


@pytest.mark.parametrize("merge", [False, True])
def test_frames_agree_with_pinocchio(arm, merge):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio is not packaged for Windows")
    theirs = pin.buildModelFromUrdf(str(arm), pin.JointModelFreeFlyer())
    data = theirs.createData()
    model = ht.load(arm, floating_base=True, merge_fixed=merge)
    d = ht.dynamics(model)
    rng = np.random.default_rng(3)
    q, u = rng.normal(size=9), rng.normal(size=8)
    q[3:7] /= np.linalg.norm(q[3:7])
    R = rotation_matrix(q[3:7])
    T = np.eye(8)
    T[:3, :3] = R.T
    place = np.concatenate([q[:3], q[4:7], q[3:4], q[7:]])
    pin.forwardKinematics(theirs, data, place, T @ u)
    pin.computeJointJacobiansTimeVariation(theirs, data, place, T @ u)
    pin.updateFramePlacements(theirs, data)
    for name in NAMES:
        number = theirs.getFrameId(name)
        pose = d.pose(q, name)
        assert pose[:3] == pytest.approx(data.oMf[number].translation, abs=1e-12)
        assert rotation_matrix(pose[3:]) == pytest.approx(data.oMf[number].rotation, abs=1e-12)
        for axes, reference in (("world", pin.LOCAL_WORLD_ALIGNED), ("body", pin.LOCAL)):
            J = pin.getFrameJacobian(theirs, data, number, reference)[[3, 4, 5, 0, 1, 2]] @ T
            assert d.jacobian(q, name, axes=axes) == pytest.approx(J, abs=1e-12)
        motion = pin.getFrameVelocity(theirs, data, number, pin.LOCAL_WORLD_ALIGNED)
        expected = np.concatenate([motion.angular, motion.linear])
        assert d.twist(q, u, name) == pytest.approx(expected, abs=1e-12)
        assert d.jacobian(q, name) @ u == pytest.approx(expected, abs=1e-12)
        rate = pin.getFrameJacobianTimeVariation(theirs, data, number, pin.LOCAL)
        # the rates in the frame's own axes, and of T: Ṫ = diag(−ω̃ Rᵀ, 0)
        Tdot = np.zeros((8, 8))
        Tdot[:3, :3] = -skew(u[3:6]) @ R.T
        J = pin.getFrameJacobian(theirs, data, number, pin.LOCAL)
        expected = (rate @ T + J @ Tdot)[[3, 4, 5, 0, 1, 2]]
        assert d.jacobian_rate(q, u, name, axes="body") == pytest.approx(expected, abs=1e-12)


def test_many_states_are_answered_in_one_call_and_points_of_frames_move_with_them(arm):
    model = ht.load(arm, merge_fixed=True)
    d = ht.dynamics(model)
    rng = np.random.default_rng(0)
    q, u = rng.normal(size=(2, 5, 2))
    at = (0.1, -0.2, 0.3)
    for name in NAMES:
        poses, twists = d.pose(q, name), d.twist(q, u, name, at)
        assert poses.shape == (5, 7) and twists.shape == (5, 6)
        J = d.jacobian(q, name, at)
        assert twists == pytest.approx(np.einsum("kij,kj->ki", J, u), abs=1e-13)
        for k in range(5):
            assert poses[k] == pytest.approx(d.pose(q[k], name), abs=1e-15)
            assert d.twist(q[k], u[k], name, at) == pytest.approx(twists[k], abs=1e-15)
        assert d.twist(q[0], u, name).shape == d.twist(q, u[0], name).shape == (5, 6)


def test_merged_links_are_frames_that_files_and_units_keep(arm, tmp_path):
    model = ht.load(arm, merge_fixed=True)
    assert set(model.frames) == {"flange", "tool0", "camera"}
    assert model.frames["tool0"][0] == "fore"
    assert model_from_toml(model_to_toml(model)) == model
    ht.save(model, tmp_path / "again.urdf")
    q = np.array([0.4, -0.3])
    for again in (ht.load(tmp_path / "again.urdf", merge_fixed=True), ht.load(arm)):
        for name in NAMES:
            ours, theirs = ht.dynamics(model).pose(q, name), ht.dynamics(again).pose(q, name)
            assert ours == pytest.approx(theirs, abs=1e-13)
    units = Units(length=2.0, mass=3.0, time=5.0)
    small = nondimensionalise(model, units)
    (x, _, _) = model.frames["camera"][1].position
    assert small.frames["camera"][1].position[0] == x / 2.0
    assert nondimensionalise(small, units, back=True) == model


def test_sites_of_mjcf_are_frames(tmp_path):
    mujoco = pytest.importorskip("mujoco")
    path = tmp_path / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><site name="origin"/><body name="a" pos="0 0 1"><joint axis="0 1 0"/>'
        '<geom size="0.1" pos="0.3 0 0"/><site name="a" pos="1 0 0"/><site pos="2 0 0"/>'
        '<site name="tip" pos="0.5 0.1 0" euler="30 40 50"/></body></worldbody></mujoco>'
    )
    model = ht.load(path)
    assert set(model.frames) == {"a_site", "tip"}
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    data.qpos[:] = 0.7
    mujoco.mj_forward(mj, data)
    pose = ht.dynamics(model).pose([0.7], "tip")
    assert pose[:3] == pytest.approx(data.site("tip").xpos, abs=1e-12)
    assert rotation_matrix(pose[3:]).ravel() == pytest.approx(data.site("tip").xmat, abs=1e-12)


def test_names_of_frames_are_unique_and_unknown_ones_are_answered():
    def body(name, **frames):
        return ht.Body(name, 1.0, inertia=(1, 1, 1), frames=frames)

    def model(*bodies):
        return ht.Model(bodies, [ht.Weld(f"w{k}", "ground", b.name) for k, b in enumerate(bodies)])

    with pytest.raises(ModelError, match="body 'b': the name of its frame 'a' is used twice"):
        model(body("a"), body("b", a=(0, 0, 0)))
    with pytest.raises(ModelError, match="frame 't' is used twice"):
        model(body("a", t=(0, 0, 0)), body("b", t=(0, 0, 0)))
    with pytest.raises(ModelError, match="body 'a': frames = .* is no frame"):
        body("a", t=3.0)
    with pytest.raises(OptionError, match="no body and no frame 'tol'; did you mean 'tool'"):
        ht.dynamics(model(body("a", tool=(0, 0, 1)))).pose([], "tol")
    with pytest.raises(OptionError, match="the ground has no Jacobian"):
        ht.dynamics(model(body("a"))).jacobian([], "ground")
