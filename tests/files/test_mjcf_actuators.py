"""Plain actuators of MJCF files as inputs, against qfrc_actuator of MuJoCo."""

import mujoco
import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FileError
from hamiltree.files.mjcf import features_of
from hamiltree.forces.inputs import Inputs, use_inputs

BODIES = """<compiler angle="radian"/><worldbody>
<body><joint name="a" axis="0 1 0" ref="0.4"/><joint name="b" type="slide" axis="1 0 0"/>
  <geom size="0.1" pos="0.2 0 0.3"/>
  <body pos="0 0 1"><joint name="c" axis="1 0 0" ref="-0.3" actuatorfrcrange="-2 1.5"/>
    <geom size="0.1" pos="0 0.2 0.3"/>
    <body pos="0 0 1"><joint name="d" type="slide" axis="0 0 1"/>
      <geom size="0.1" pos="0 0.1 0"/><site name="s"/></body></body></body></worldbody>"""
PLAIN = """<actuator>
<motor name="m" joint="a" gear="3" ctrlrange="-1 1"/>
<position name="p" joint="b" kp="20" kv="2" gear="-1.5" ctrlrange="-0.5 0.8" forcerange="-4 9"/>
<velocity name="v" joint="c" kv="6" gear="2" forcerange="-3 3"/>
<general joint="d" gainprm="2.5" biastype="affine" biasprm="0.7 -3 -0.4"/>
<position joint="a" kp="5" dampratio="1"/>
</actuator>"""
OTHERS = {
    "muscle": '<muscle name="x" joint="a" lengthrange="0 1"/>',
    "cylinder": '<cylinder name="x" joint="a"/>',
    "intvelocity": '<intvelocity name="x" joint="a" kp="3" actrange="-1 1"/>',
    "filter": '<position name="x" joint="a" timeconst="0.2"/>',
    "damper": '<damper name="x" joint="a" kv="3" ctrlrange="0 1"/>',
    "site": '<general name="x" site="s"/>',
    "driving": '<general name="x" joint="a" biastype="affine" biasprm="0 1 0"/>',
    "sum": '<motor name="x" joint="c"/><motor name="y" joint="c"/>',
}


@pytest.fixture
def write(tmp_path):
    def write(actuators, head=""):
        path = tmp_path / "arm.xml"
        path.write_text(f"<mujoco>{head}{BODIES}{actuators}</mujoco>")
        return path

    return write


def test_efforts_are_those_of_mujoco_at_random_states_and_controls(write):
    path = write(PLAIN)
    model = ht.load(path, drop="contact")
    inputs = Inputs(model)
    assert inputs.labels == ["m", "p", "v", "actuator3", "actuator4"]
    with use_inputs(inputs):
        d = ht.dynamics(model)
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    rng = np.random.default_rng(5)
    clipped = 0
    for _ in range(200):
        data.qpos[:], data.qvel[:] = rng.normal(size=(2, 4))
        data.ctrl[:] = inputs.values[:] = 2 * rng.normal(size=5)
        mujoco.mj_forward(mj, data)
        ours = d.forces(data.qpos - mj.qpos0, data.qvel)
        assert ours == pytest.approx(data.qfrc_actuator, abs=1e-12)
        clipped += abs(data.qfrc_actuator[2] - 1.5) < 1e-12
    assert 20 < clipped < 180


@pytest.mark.parametrize("kind", OTHERS)
def test_other_actuators_are_refused_by_name_and_may_be_dropped(write, kind):
    path = write(f'<actuator><motor name="m" joint="b"/>{OTHERS[kind]}</actuator>')
    with pytest.raises(FileError, match=r"other actuators \(\d actuators?: 'x'"):
        ht.load(path, drop="contact")
    for drop in ("all", ["contact", "other actuators"]):
        assert [force.name for force in ht.load(path, drop=drop).forces] == ["m"]
    assert not ht.load(path, drop=["contact", "actuators"]).forces


def test_what_a_file_switches_off_is_no_input(write):
    off = '<option actuatorgroupdisable="2"/>'
    path = write('<actuator><motor joint="a" group="2"/><motor joint="b"/></actuator>', off)
    assert [force.joint for force in ht.load(path, drop="all").forces] == ["a_b.2"]
    path = write(PLAIN, '<option><flag actuation="disable"/></option>')
    assert not ht.load(path, drop="all").forces and "other actuators" not in features_of(path)


def test_a_servo_is_set_by_a_simulator_and_kept_by_files(write, tmp_path):
    model = ht.load(write(PLAIN), drop="all")
    ht.save(model, tmp_path / "arm.toml")
    assert ht.load(tmp_path / "arm.toml") == model
    sim = ht.simulator(model, step=1e-3)
    ends = [sim.run(until=0.05, inputs={"m": u, "p": 0.3}) for u in (1.0, 7.0, 0.5)]
    assert (ends[0].q.values == ends[1].q.values).all()  # clipped at the range of its control
    assert not (ends[0].q.values == ends[2].q.values).all()
    assert ends[0].energy_error < 1e-9 and ends[0].inputs.values[0, 0] == 1.0
