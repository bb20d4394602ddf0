"""Small good files that the mutations begin with; those of a kind share their compiled code."""

from tests.files.urdf_mutator import GOOD as URDF

ARM = """hamiltree = 1
name = "arm"
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "upper"
mass = 2.0
com = [0.0, 0.1, -0.25]
inertia = [0.04, 0.05, 0.01]

[[body]]
name = "fore"
mass = 1.2
com = [0.0, 0.0, -0.2]
inertia = [[0.03, 0.001, 0.0], [0.001, 0.03, 0.0], [0.0, 0.0, 0.005]]
[[body.visual]]
shape = "capsule"
radius = 0.03
length = 0.4

[[joint]]
kind = "revolute"
name = "shoulder"
parent = "ground"
child = "upper"
axis = [0.0, 1.0, 0.0]
q = 0.8

[[joint]]
kind = "revolute"
name = "elbow"
parent = "upper"
child = "fore"
on_parent = [0.0, 0.0, -0.5]
axis = [1.0, 0.0, 0.0]
q = 0.4
qdot = 2.0

[[force]]
kind = "joint_spring"
joint = "elbow"
stiffness = 3.0
rest = 0.1

[[force]]
kind = "joint_damper"
joint = "shoulder"
damping = 0.1
"""

CART = """hamiltree = 1
name = "cart"
gravity = [0.0, -9.81, 0.0]

[[body]]
name = "cart"
mass = 5.0
inertia = [0.1, 0.1, 0.1]

[[body]]
name = "rod"
[[body.part]]
shape = "cylinder"
radius = 0.02
length = 1.0
mass = 0.5
frame = { position = [0.0, -0.5, 0.0], rpy = [1.5707963, 0.0, 0.0] }

[[joint]]
kind = "prismatic"
name = "rail"
parent = "ground"
child = "cart"
axis = [1.0, 0.0, 0.0]
qdot = 0.3

[[joint]]
kind = "ball"
name = "hook"
parent = "cart"
child = "rod"

[[force]]
kind = "joint_spring"
joint = "rail"
stiffness = 20.0

[[force]]
kind = "joint_damper"
joint = "rail"
damping = 0.5
"""

MJCF_ARM = """<mujoco model="arm">
  <compiler angle="radian"/>
  <option timestep="0.001" gravity="0 0 -9.81"/>
  <default><joint damping="0.1"/><geom density="800"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" type="hinge" axis="0 1 0"/>
      <geom name="bar" type="capsule" size="0.05" fromto="0 0 0 0 0 -0.5" contype="0"
        conaffinity="0"/>
      <body name="fore" pos="0 0 -0.5" euler="0 0.4 0">
        <joint name="elbow" type="slide" axis="1 0 0" ref="0.1"/>
        <inertial pos="0 0 -0.2" mass="1.5" diaginertia="0.02 0.03 0.01"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""

MJCF_BALL = """<mujoco model="ball">
  <worldbody>
    <body name="ball" pos="0 0 1" quat="1 0.5 0 0">
      <freejoint name="flight"/>
      <inertial pos="0.01 0 0" mass="2" fullinertia="0.02 0.03 0.04 0.001 0 0"/>
      <body name="arm" pos="0 0.2 0">
        <joint name="socket" type="ball"/>
        <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.002 0.002 0.001"/>
      </body>
    </body>
  </worldbody>
  <keyframe><key name="home" qpos="0 0 1 1 0 0 0 1 0 0 0"/></keyframe>
</mujoco>
"""

KEPLER = """[hamiltonian]
H = "(px**2 + py**2)/2 - k/sqrt(x**2 + y**2)"
q = {x = 0.4, y = 0.0}
p = {px = 0.0, py = 2.0}
parameters = {k = 1.0}
invariants = {L = "x*py - y*px"}

[[section]]
expression = "y"
direction = 1
where = "x > 0"
"""

OSCILLATOR = """[ode]
rates = {x = "v", v = "mu*(1 - x**2)*v - x"}
y = {x = 2.0, v = 0.0}
parameters = {mu = 3.0}
name = "van der pol"
"""

GOOD = {
    "toml": ("toml", (ARM, CART)),
    "urdf": ("urdf", tuple(URDF.values())),
    "mjcf": ("xml", (MJCF_ARM, MJCF_BALL)),
    "hamiltonian": ("toml", (KEPLER, OSCILLATOR)),
}
