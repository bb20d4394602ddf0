"""Bodies without mass that are welded to others belong to them: every formulation moves them as it
moves the one body that they are.
"""

from dataclasses import replace

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.assembly.shared_inertias import share_inertias
from hamiltree.rotations import rotation_matrix

ABSOLUTE = ("cartesian_1", "cartesian_2", "cartesian_3", "cartesian_hamiltonian", "kane_absolute")
FORMULATIONS = ("hamiltonian_tree", "hamiltonian_loops", "kane_relative", *ABSOLUTE)
O = (0.0, 0.0, 0.0)
MOUNT = ht.Frame.about((1.0, 2.0, 3.0), 0.7, (0.0, 0.1, -0.5))
BRACKET = ht.Frame.about((3.0, -1.0, 0.5), 1.1, (0.1, 0.0, 0.2))
ARM = ht.Body("arm", 1.0, (0.0, 0.02, -0.3), (0.02, 0.03, 0.01))
TIP = ht.Body("tip", 0.5, (0.0, 0.0, -0.2), (0.01, 0.012, 0.005))


def robot(bodies=(), joints=(), forces=()):
    """An arm; on it a sensor and a bracket without mass, welded one to the other; on the bracket a
    tip, and on that a flag without mass. A lamp without mass stands on the ground.
    """
    return ht.Model(
        [
            ARM,
            ht.Body("sensor"),
            ht.Body("bracket"),
            TIP,
            ht.Body("flag"),
            ht.Body("lamp"),
            *bodies,
        ],
        [
            ht.Revolute("shoulder", "ground", "arm", axis=(0.0, 1.0, 0.0)),
            ht.Weld("mount", "arm", "sensor", on_parent=MOUNT),
            ht.Weld("clamp", "bracket", "sensor", on_child=BRACKET),
            ht.Revolute(
                "wrist", "bracket", "tip", axis=(1.0, 0.0, 0.0), on_parent=(0.0, 0.0, -0.1)
            ),
            ht.Weld("pin", "tip", "flag", on_parent=(0.0, 0.1, -0.3)),
            ht.Weld("post", "ground", "lamp", on_parent=(0.5, 0.4, -1.0)),
            *joints,
        ],
        forces,
        name="robot",
    )


def merged(model):
    """The robot without bodies that have no mass, by hand."""
    to_bracket = MOUNT @ BRACKET
    wrist = replace(
        model.joint("wrist"), parent="arm", on_parent=to_bracket @ ht.Frame((0.0, 0.0, -0.1))
    )
    return ht.Model([ARM, TIP], [model.joint("shoulder"), wrist], name="merged")


START = {"q": [0.3, 0.4], "qdot": [1.0, 2.0]}


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_massless_welded_bodies_move_as_parts_of_the_others(formulation):
    model = robot()
    options = START | {
        "until": 0.2,
        "step": 0.01,
        "formulation": formulation,
        "integrator": "spark6" if formulation.endswith(("loops", "n_hamiltonian")) else "rk4",
        "progress": False,
    }
    run, plain = ht.simulate(model, **options), ht.simulate(merged(model), **options)
    for name in ("arm", "tip"):
        pose, expected = run.poses.sel(body=name).values, plain.poses.sel(body=name).values
        np.testing.assert_allclose(pose, expected, rtol=0, atol=1e-12)
    energy = run.energy.values - plain.energy.values
    np.testing.assert_allclose(energy, 0.0, atol=1e-11)
    arm, bracket = run.poses.sel(body="arm").values, run.poses.sel(body="bracket").values
    R = rotation_matrix(arm[:, 3:])
    place = arm[:, :3] + R @ np.array((MOUNT @ BRACKET).position)
    np.testing.assert_allclose(bracket[:, :3], place, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        run.poses.sel(body="lamp").values[:, :3] - [0.5, 0.4, -1.0], 0.0, atol=1e-12
    )


def test_every_formulation_agrees_on_them_with_forces_and_with_masses_that_attract():
    """A spring on a massless body, and gravitation, which looks at the masses that bodies have."""
    model = robot(
        forces=[
            ht.PointSpring("lamp", "sensor", O, (0.0, 0.1, 0.0), stiffness=20.0, length=0.3),
            ht.PointSpring("flag", "ground", O, O, stiffness=5.0, length=0.5),
            ht.Gravitation(("arm", "tip"), constant=0.3),
        ]
    )
    found = ht.compare(model, (START["q"], START["qdot"]), until=0.1, progress=False)
    assert found.agree, str(found)
    assert set(FORMULATIONS) <= set(found.formulations), str(found)


def test_a_loop_may_close_on_a_massless_welded_body():
    """A four-bar whose coupler ends in a bracket."""
    bar = {"mass": 1.0, "inertia": (0.09, 0.09, 0.001)}
    y = (0.0, 1.0, 0.0)
    bodies = [
        ht.Body("crank", com=(0.0, 0.0, 0.5), **bar),
        ht.Body("coupler", com=(0.4, 0.0, 0.0), mass=1.0, inertia=(0.001, 0.09, 0.09)),
        ht.Body("bracket"),
        ht.Body("rocker", com=(0.0, 0.0, 0.5), **bar),
    ]
    joints = [
        ht.Revolute("a", "ground", "crank", axis=y, q=0.2, qdot=1.0),
        ht.Revolute("b", "crank", "coupler", axis=y, on_parent=(0.0, 0.0, 1.0)),
        ht.Weld("w", "coupler", "bracket", on_parent=(0.9, 0.0, 0.0)),
        ht.Revolute("d", "ground", "rocker", axis=y, on_parent=(1.5, 0.0, 0.0)),
        ht.Revolute(
            "c", "bracket", "rocker", axis=y, on_parent=(0.3, 0.0, 0.0), on_child=(0.0, 0.0, 1.3)
        ),
    ]
    model = ht.assemble(ht.Model(bodies, joints, name="four-bar"), hold=["a"])
    found = ht.compare(model, until=0.1, progress=False)
    assert found.agree, str(found)
    assert {"hamiltonian_loops", *ABSOLUTE} <= set(found.formulations), str(found)


def test_shares_are_the_whole_whatever_the_bodies_have():
    """Three point masses welded together have an inertia that none of them has."""
    frames = [ht.Frame.about((1.0, k, 2.0), 0.3 * k, (0.1 * k, 0.2, -0.1 * k**2)) for k in range(3)]
    bodies = [ht.Body(f"p{k}", 1.0 + k) for k in range(3)]
    joints = [
        ht.Free("free", "ground", "p0"),
        *(ht.Weld(f"w{k}", "p0", f"p{k}", on_parent=frames[k]) for k in (1, 2)),
    ]
    model = ht.Model(bodies, joints)
    at = [(np.eye(3), np.zeros(3))] + [
        (rotation_matrix(np.array(frame.rotation)), np.array(frame.position))
        for frame in frames[1:]
    ]
    sums = []
    for parts in (bodies, share_inertias(model)):
        mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        for body, (R, x) in zip(parts, at, strict=True):
            c = R @ np.array(body.com) + x
            mass += body.mass
            moment = moment + body.mass * c
            inertia += R @ np.array(body.inertia) @ R.T
            inertia += body.mass * (c @ c * np.eye(3) - np.outer(c, c))
        sums.append((mass, moment, inertia))
    for given, shared in zip(*sums, strict=True):
        np.testing.assert_allclose(shared, given, rtol=0, atol=1e-15)


def test_what_has_no_inertia_even_together_is_refused_by_name():
    rod = ht.Model(
        [ht.Body("rod"), ht.Body("clip"), TIP],
        [
            ht.Revolute("a", "ground", "rod", axis=(0.0, 1.0, 0.0)),
            ht.Weld("w", "rod", "clip"),
            ht.Revolute("b", "clip", "tip", axis=(0.0, 1.0, 0.0), on_parent=(0.0, 0.0, -1.0)),
        ],
    )
    with pytest.raises(ht.FitError, match="body 'rod' has no mass; cartesian_3.*weld it to a body"):
        ht.simulate(rod, until=0.01, formulation="cartesian_3", progress=False)
    with pytest.raises(
        ht.FitError, match="'sensor' has no mass of its own.*merge it with the body"
    ):
        ht.accelerations(robot())


def test_reactions_of_joints_on_massless_welded_bodies_are_those_of_the_merged_body():
    options = START | {"until": 0.05, "step": 0.01, "progress": False}
    run, plain = ht.simulate(robot(), **options), ht.simulate(merged(robot()), **options)
    for name in ("force", "moment"):
        own, expected = (each.reactions("wrist")[name].values for each in (run, plain))
        size = np.linalg.norm(expected, axis=-1)
        np.testing.assert_allclose(np.linalg.norm(own, axis=-1), size, rtol=1e-9, atol=1e-9)


def test_bodies_that_only_forces_join_may_have_massless_ones_on_the_ground():
    model = ht.Model(
        [ht.Body("ball", 1.0, inertia=0.1), ht.Body("post")],
        [
            ht.Free("free", "ground", "ball"),
            ht.Weld("w", "ground", "post", on_parent=(0.0, 0.0, 1.0)),
        ],
        [ht.PointSpring("post", "ball", O, O, stiffness=10.0, length=0.5)],
        name="ball",
    )
    found = ht.compare(model, until=0.1, progress=False)
    assert found.agree, str(found)
    assert {"free_bodies_quaternion", "cartesian_3"} <= set(found.formulations), str(found)


URDF = """<robot name="r"><link name="base"><inertial><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tool"/>
<link name="tip"><inertial><origin xyz="0 0 .2"/><mass value="1"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j0" type="continuous"><parent link="world"/><child link="base"/><axis xyz="0 1 0"/>
</joint><link name="world"/>
<joint name="f" type="fixed"><origin xyz=".1 0 .5"/><parent link="base"/><child link="tool"/>
</joint>
<joint name="j1" type="continuous"><parent link="tool"/><child link="tip"/><axis xyz="1 0 0"/>
</joint></robot>"""


def test_a_robot_file_with_a_massless_tool_runs_in_absolute_coordinates(tmp_path):
    """As with links of fixed joints merged, and after a way through TOML."""
    (tmp_path / "r.urdf").write_text(URDF)
    apart = ht.load(tmp_path / "r.urdf")
    ht.save(apart, tmp_path / "r.toml")
    together = ht.load(tmp_path / "r.urdf", merge_fixed=True)
    options = {
        "q": [0.3, 0.4],
        "qdot": [1.0, 2.0],
        "until": 0.1,
        "step": 0.01,
        "formulation": "cartesian_3",
        "integrator": "rk4",
        "progress": False,
    }
    expected = ht.simulate(together, **options).poses.sel(body="tip").values
    for model in (apart, ht.load(tmp_path / "r.toml")):
        found = ht.simulate(model, **options).poses.sel(body="tip").values
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
