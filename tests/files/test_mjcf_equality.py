"""Equality constraints of MJCF files: rigid loops and couplings, whose accelerations are those of
MuJoCo's mass matrix, bias and Jacobians in one linear system.
"""

import warnings

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.errors import FileError
from hamiltree.files.meshes import ModelWarning
from hamiltree.files.mjcf import features_of, read_mjcf
from hamiltree.model import Coincident, Drive, Mimic, Weld

mujoco = pytest.importorskip("mujoco", reason="the extra 'mjcf' is not installed")
from tests.files import mjcf_constrained as reference  # noqa: E402

GEOM = '<geom type="box" size="0.1 0.2 0.3" pos="0.1 0.05 0" contype="0" conaffinity="0"/>'
BODIES = f"""
<body name="a" pos="0 0.1 1"><joint name="j" type="ball" damping="0.1"/>{GEOM}
  <site name="on_a" pos="0.1 0 0.2" quat="0.9 0.1 0.2 0.3"/>
  <body name="b" pos="0.5 0 0.1" quat="0.8 0.1 0.2 0.5"><joint name="k" axis="0 1 0.3" ref="0.4"/>
    {GEOM}
    <body name="c" pos="0.1 0.4 0"><joint name="l1" axis="1 0 0"/><joint name="l2" axis="0 0 1"
      pos="0.1 0 0" stiffness="3" springref="0.5"/>{GEOM}</body></body></body>
<body name="d" pos="1 0 1"><freejoint name="f"/>{GEOM}<site name="on_d" pos="0 0.1 0"/></body>
<body name="e" pos="-1 0 1"><joint name="m" type="slide" axis="1 1 0"/>{GEOM}</body>"""
CASES = {
    "connect": '<connect name="pin" body1="c" body2="d" anchor="0.3 0.1 0.2"/>',
    "connect to the world": '<connect body1="c" anchor="0.3 0.1 0.2"/>',
    "connect of sites": '<connect site1="on_a" site2="on_d"/>',
    "weld": '<weld name="glue" body1="c" body2="d"/>',
    "weld to the world": '<weld body1="d"/>',
    "weld at a pose": '<weld body1="c" body2="d" relpose="0.2 0.3 0.1 0.7 0.1 0.5 0.2"/>',
    "weld with an anchor": '<weld body1="b" body2="d" anchor="0.1 0.2 0"/>',
    "weld of sites": '<weld site1="on_a" site2="on_d"/>',
    "weld of points alone": '<weld body1="c" body2="d" torquescale="0"/>',
    "joints": '<joint joint1="l2" joint2="k" polycoef="0.2 -1.5 0 0 0"/>',
    "a joint that stays": '<joint joint1="l1" polycoef="0.3 0 0 0 0"/>',
    "a joint that follows nothing": '<joint joint1="l1" joint2="k" polycoef="0.3 0 0 0 0"/>',
    "two of one joint": '<joint joint1="l1" joint2="k" polycoef="0.1 2 0 0 0"/>'
    '<joint joint1="l1" joint2="m" polycoef="0.2 -3 0 0 0"/>',
    "joints that both follow": '<joint joint1="l1" joint2="k" polycoef="0.1 2 0 0 0"/>'
    '<joint joint1="l2" joint2="m" polycoef="0.3 3 0 0 0"/>'
    '<joint joint1="l1" joint2="l2" polycoef="0.2 -1 0 0 0"/>',
    "a follower that stays": '<joint joint1="l1" joint2="k" polycoef="0.1 2 0 0 0"/>'
    '<joint joint1="l1" polycoef="0.3 0 0 0 0"/>',
    "a joint that stays and follows": '<joint joint1="l1" polycoef="0.3 0 0 0 0"/>'
    '<joint joint1="l1" joint2="k" polycoef="0.1 2 0 0 0"/>',
    "several": '<connect body1="b" body2="d" anchor="0 0 0.2"/><joint joint1="m"/>'
    '<joint joint1="l1" joint2="k" polycoef="0 2 0 0 0"/>',
}

if tuple(map(int, mujoco.__version__.split(".")[:3])) < (3, 2, 3):  # it knows no sites there
    CASES = {name: text for name, text in CASES.items() if "site1" not in text}


def written(folder, equality, bodies=BODIES, head=""):
    path = folder / "model.xml"
    path.write_text(
        f'<mujoco><compiler angle="radian"/>{head}<worldbody>{bodies}</worldbody>'
        f"<equality>{equality}</equality></mujoco>"
    )
    return path


def read(path, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelWarning)
        return read_mjcf(path, **options)


def reduced(labels, all_labels, values):
    by_label = dict(zip(all_labels, values, strict=True))
    return np.array([by_label[label] for label in labels])


@pytest.mark.parametrize("case", CASES)
def test_accelerations_are_those_of_mujocos_matrices_with_rigid_constraints(tmp_path, case):
    path, rng = written(tmp_path, CASES[case]), np.random.default_rng(4)
    mj = mujoco.MjModel.from_xml_path(str(path))
    start = reference.moved(mj, mj.qpos0, 0.3 * rng.normal(size=mj.nv), 1.0)
    qpos = reference.consistent_position(mj, start)
    qvel = reference.consistent_velocity(mj, qpos, rng.normal(size=mj.nv))
    q = qpos.copy()
    is_axis = mj.jnt_type >= 2
    q[mj.jnt_qposadr[is_axis]] -= mj.qpos0[mj.jnt_qposadr[is_axis]]
    model, tree = read(path), read(path, drop="equality")
    found = ht.accelerations(
        model,
        q=reduced(model.coordinates, tree.coordinates, q),
        qdot=reduced(model.speeds, tree.speeds, qvel),
    )
    _, linear, angular = reference.accelerations(mj, qpos, qvel)
    scale = np.abs(linear).max() + np.abs(angular).max()
    np.testing.assert_allclose(found.acceleration, linear, rtol=0, atol=1e-9 * scale)
    np.testing.assert_allclose(found.angular_acceleration, angular, rtol=0, atol=1e-9 * scale)


def test_each_kind_becomes_its_part(tmp_path):
    model = read(written(tmp_path, CASES["connect"] + CASES["weld"] + CASES["joints"]))
    (pin,) = model.constraints
    assert isinstance(pin, Coincident) and (pin.name, pin.body_a, pin.body_b) == ("pin", "c", "d")
    assert isinstance(model.joints[-1], Weld) and model.closing == ("glue",)
    (follows,) = model.couplings
    assert isinstance(follows, Mimic) and (follows.joint, follows.of) == ("l1_l2.2", "k")
    assert (follows.ratio, follows.offset) == (-1.5, 0.2)
    (held,) = read(written(tmp_path, CASES["a joint that stays"])).constraints
    assert isinstance(held, Drive) and held.joint == "l1_l2.1" and float(str(held.position)) == 0.3


def test_constraints_are_kept_unless_named_and_inactive_ones_do_not_count(tmp_path):
    path = written(tmp_path, CASES["several"])
    assert features_of(path) == {}
    assert read(path) == read(path, drop="all")
    tree = read(path, drop="equality")
    assert not tree.closing and not tree.constraints and not tree.couplings
    assert read(path, drop=["contact", "equality"]) == tree
    for asleep in (
        CASES["several"]
        .replace(" body1", ' active="false" body1')
        .replace("joint1", 'active="false" joint1'),
        "",
    ):
        assert read(written(tmp_path, asleep)) == tree
    off = '<option><flag equality="disable"/></option>'
    assert read(written(tmp_path, CASES["several"], head=off)) == tree


def test_a_polynomial_of_a_higher_order_is_refused_by_the_name_of_its_joint(tmp_path):
    bent = CASES["joints"].replace("0.2 -1.5 0 0 0", "0 1 0 0.1 0")
    path = written(tmp_path, bent + CASES["connect"])
    with pytest.raises(FileError, match=r"nonlinear equality \(polynomial of 'l2'\)"):
        read(path)
    left = read(path, drop="nonlinear equality")
    assert not left.couplings and len(left.constraints) == 1 and left == read(path, drop="all")


@pytest.mark.parametrize(
    "more",
    [
        '<joint name="x" joint1="l1" polycoef="0.3 0 0 0 0"/>',
        '<joint name="x" joint1="k" joint2="m" polycoef="0.1 1 0 0 0"/>',
        '<joint name="x" joint1="k" polycoef="0.1 0 0 0 0"/>',
    ],
)
def test_a_constraint_of_joints_that_others_determine_is_refused_by_name(tmp_path, more):
    held = '<joint joint1="m"/><joint joint1="l1" joint2="m"/><joint joint1="k" joint2="l1"/>'
    path = written(tmp_path, held + more)
    with pytest.raises(FileError, match=r"excess equality \(one more of x\)"):
        read(path)
    kept = read(written(tmp_path, held))
    assert read(written(tmp_path, held + more), drop="excess equality") == kept


@pytest.mark.parametrize("held", ["", '<joint joint1="m" polycoef="0.4 0 0 0 0"/>'])
@pytest.mark.parametrize(
    ("polycoef", "is_same"),
    [("-0.2 -6 0 0 0", True), ("-0.3 -6 0 0 0", False), ("-0.2 -5 0 0 0", False)],
)
def test_a_constraint_that_follows_from_others_is_left_out(tmp_path, held, polycoef, is_same):
    """l1 = 0.1 + 2 m, k = 0.1 − 3 l1: k = −0.2 − 6 m; another offset or ratio contradicts it."""
    first = '<joint joint1="l1" joint2="m" polycoef="0.1 2 0 0 0"/>'
    second = '<joint joint1="k" joint2="l1" polycoef="0.1 -3 0 0 0"/>'
    more = f'<joint name="x" joint1="k" joint2="m" polycoef="{polycoef}"/>'
    kept = read(written(tmp_path, first + second + held))
    path = written(tmp_path, first + second + held + more)
    if is_same:
        with pytest.warns(ModelWarning, match="equality constraint x follows from others"):
            assert read_mjcf(path, drop="all") == kept
    else:
        with pytest.raises(FileError, match=r"excess equality \(one more of x\)"):
            read(path)


def test_a_joint_that_stays_twice_at_the_same_place_is_held_once(tmp_path):
    held = '<joint name="x" joint1="m" polycoef="0.4 0 0 0 0"/>'
    with pytest.warns(ModelWarning, match="follows from others"):
        twice = read_mjcf(written(tmp_path, held + held.replace('"x"', '"y"')), drop="all")
    assert [drive.name for drive in twice.constraints] == ["x"]


def test_an_offset_that_cancels_is_that_of_rounding(tmp_path):
    """l1 = 0.1 + m, k = 0.3 − 3 l1: k = −3 m, but 0.3 − 3 · 0.1 = −5.6e-17."""
    laws = '<joint joint1="l1" joint2="m" polycoef="0.1 1 0 0 0"/>'
    laws += '<joint joint1="k" joint2="l1" polycoef="0.3 -3 0 0 0"/>'
    same = '<joint joint1="k" joint2="m" polycoef="0 -3 0 0 0"/>'
    assert read(written(tmp_path, laws + same)) == read(written(tmp_path, laws))


def test_a_constraint_of_a_tendon_is_refused_with_the_tendons(tmp_path):
    tendon = '<tendon><fixed name="t"><joint joint="k" coef="1"/></fixed></tendon>'
    path = written(tmp_path, '<tendon tendon1="t"/>', head=tendon)
    assert features_of(path) == {"tendons": "1 equality constraint of tendons"}
    assert read(path, drop="tendons") == read(path, drop="equality,tendons")


def test_a_joint_that_its_constraint_moves_at_the_start_is_told(tmp_path):
    path = written(tmp_path, CASES["joints"])
    with pytest.warns(ModelWarning, match="starts joint 'l2' at 0.2 instead of 0$"):
        model = read_mjcf(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_mjcf(written(tmp_path, CASES["joints"].replace("0.2 -1.5", "0 -1.5")))
    assert model.couplings


def test_the_start_of_a_follower_is_that_of_a_leader_that_is_moved_itself(tmp_path):
    chain = '<joint joint1="l1" joint2="k"/><joint joint1="k" polycoef="0.3 0 0 0 0"/>'
    with pytest.warns(ModelWarning, match=r"starts joint 'l1' at 0.3 instead of 0 and 1 more$"):
        read_mjcf(written(tmp_path, chain))


def test_a_torquescale_is_told_to_mean_nothing(tmp_path):
    path = written(tmp_path, '<weld body1="c" body2="d" torquescale="2"/>')
    with pytest.warns(ModelWarning, match="torquescale of weld 'c_d_weld' has no meaning"):
        read_mjcf(path)


def test_a_run_keeps_the_loop_closed(tmp_path):
    """A four-bar linkage, as MuJoCo draws it: the points stay together and the energy is kept."""
    bar = '<geom type="capsule" size="0.02" fromto="0 0 0 {}" contype="0" conaffinity="0"/>'
    bodies = (
        f'<body name="crank" pos="0 0 0"><joint axis="0 1 0"/>{bar.format("0 0 0.2")}'
        f'<body name="rod" pos="0 0 0.2"><joint axis="0 1 0"/>{bar.format("0.5 0 0.1")}</body>'
        f'</body><body name="rocker" pos="0.6 0 0"><joint axis="0 1 0"/>{bar.format("-0.1 0 0.3")}'
        "</body>"
    )
    equality = '<connect body1="rod" body2="rocker" anchor="0.5 0 0.1"/>'
    model = read_mjcf(written(tmp_path, equality, bodies))
    run = ht.simulate(model, until=0.5, step=2e-3)
    assert [constraint.name for constraint in model.constraints] == ["rod_rocker_connect"]
    assert np.abs(run.constraint_residuals).max() < 1e-12
    assert np.ptp(run.energy.values) < 1e-9 * np.ptp(run.kinetic_energy.values)
