"""URDF in and out: what a file says is in the model, what a model holds is in the file, and what
cannot be held is refused by name.
"""

import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.cli import app as cli
from hamiltree.errors import FileError, ModelError, OptionError
from hamiltree.files.meshes import ModelWarning
from hamiltree.files.urdf import merged_links, read_urdf
from hamiltree.files.urdf_writer import rpy, urdf_text, write_urdf
from hamiltree.model import (
    SHAPES,
    Ball,
    Body,
    Free,
    Gear,
    JointFriction,
    JointLimit,
    Limits,
    Model,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Weld,
)
from hamiltree.model.shapes import Box, Capsule, Cylinder, Mesh, Sphere
from hamiltree.model.values import Frame
from tests.files import urdf_mutator as mutator
from tests.files import urdf_reference as reference

GOOD = mutator.GOOD


@pytest.fixture
def robot(tmp_path):
    """Writes a text and reads it."""

    def read(text, **options):
        path = tmp_path / "robot.urdf"
        path.write_text(text)
        return read_urdf(path, **options)

    return read


def refusal(robot, text, **options):
    with pytest.raises(ht.HamiltreeError) as caught:
        robot(text, **options)
    place, _, message = str(caught.value).partition("robot.urdf:")[2].partition(": ")
    return int(place), message


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def assert_close(one, other):
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-13)


# ---- reading -------------------------------------------------------------------------------------
def test_each_type_of_joint_becomes_its_kind(robot):
    kinds = {
        joint.name: type(joint)
        for text in GOOD.values()
        for joint in robot(text).joints
        if joint.name != "root"
    }
    assert kinds == {
        "shoulder": Revolute, "slide": Prismatic, "mount": Weld, "close": Prismatic,
        "close_too": Prismatic, "camera_mount": Weld, "lens_mount": Weld, "axle": Revolute,
        "flight": Free, "glide": Planar, "socket": Ball,
    }  # fmt: skip


def test_an_axis_is_along_x_unless_given_and_made_a_unit_vector(robot):
    model = robot(GOOD["arm"])
    assert model.joint("slide").axis == (1.0, 0.0, 0.0)
    np.testing.assert_allclose(
        model.joint("shoulder").axis, np.array([0, 1, 0.5]) / np.sqrt(1.25), rtol=1e-15
    )


def test_the_root_is_welded_or_free_and_its_joint_never_takes_a_name(robot):
    assert robot(GOOD["arm"]).joint("root") == Weld("root", "ground", "base")
    assert robot(GOOD["arm"], floating_base=True).joint("root") == Free("root", "ground", "base")
    taken = robot(GOOD["arm"].replace('"slide"', '"root"'), floating_base=True)
    assert [type(taken.joint(name)) for name in ("root", "root_")] == [Prismatic, Free]


def test_gravity_is_that_of_the_earth_unless_given(robot):
    assert robot(GOOD["arm"]).gravity == (0.0, 0.0, -9.81)
    assert robot(GOOD["arm"], gravity=(0, 0, -1.62)).gravity == (0.0, 0.0, -1.62)


def test_a_mimic_joint_follows_or_moves_on_its_own(robot):
    model = robot(GOOD["gripper"])
    assert model.coordinates == ("close",)
    assert model.followers["close_too"] == ("close", 0.8, 0.001)
    assert robot(GOOD["gripper"], mimic="ignore").coordinates == ("close", "close_too")


def test_damping_is_kept_unless_dropped(robot):
    (damper,) = robot(GOOD["arm"]).forces
    assert (damper.kind, damper.joint, damper.damping) == ("joint_damper", "shoulder", 0.3)
    assert robot(GOOD["arm"], dynamics="drop").forces == ()


def test_friction_is_kept_as_a_force_unless_dropped(robot):
    text = GOOD["arm"].replace('friction="0.0"', 'friction="0.7"')
    assert robot(text).forces == (
        ht.JointDamper("shoulder", 0.3),
        JointFriction("shoulder", coulomb=0.7),
    )
    assert robot(text, dynamics="drop").forces == ()


def test_limits_are_data_are_left_out_or_become_springs_of_a_given_stiffness(robot):
    arm = robot(GOOD["arm"])
    bounds = {name: (limits.lower, limits.upper) for name, limits in arm.limits.items()}
    assert bounds == {"shoulder": (-1.0, 2.0), "slide": (0.0, 0.2)}
    assert not robot(GOOD["arm"], limits="drop").limits
    with pytest.raises(OptionError, match="limit_stiffness"):
        robot(GOOD["arm"], limits="spring")
    with pytest.raises(OptionError, match="limits='spring'"):
        robot(GOOD["arm"], limit_stiffness=100.0)
    limits = [
        force
        for force in robot(GOOD["arm"], limits="spring", limit_stiffness=1e3).forces
        if force.kind == "joint_limit"
    ]
    assert limits == [
        JointLimit("shoulder", -1.0, 2.0, stiffness=1e3),
        JointLimit("slide", 0.0, 0.2, stiffness=1e3),
    ]


def test_bounds_in_the_wrong_order_are_left_out_with_a_warning(robot):
    with pytest.warns(ModelWarning, match="both left out: joint 'shoulder'"):
        model = robot(GOOD["arm"].replace('lower="-1"', 'lower="5"'))
    assert not model.joint("shoulder").limits.bounds_position


def test_merged_bodies_weigh_what_their_links_weigh_together(robot, tmp_path):
    masses = reference.masses_of_text(GOOD["sensors"])
    merged = robot(GOOD["sensors"], merge_fixed=True)
    assert [body.name for body in merged.bodies] == ["trunk", "wheel"]
    assert merged_links(tmp_path / "robot.urdf") == {
        "trunk": ("trunk", "camera", "lens"),
        "wheel": ("wheel",),
    }
    ours = reference.masses_of_model(merged)
    assert_close(
        reference.together([ours["trunk"]]),
        reference.together([masses[name] for name in ("trunk", "camera", "lens")]),
    )
    assert_close(ours["wheel"], masses["wheel"])


def test_merged_bodies_keep_the_visuals_of_their_links_in_place(robot):
    apart, merged = robot(GOOD["sensors"]), robot(GOOD["sensors"], merge_fixed=True)
    (shape,), (same,) = apart.body("lens").visuals, merged.body("trunk").visuals
    place = reference.poses_of_model(apart)["lens"] @ reference.frame_pose(shape.frame)
    np.testing.assert_allclose(
        reference.poses_of_model(merged)["trunk"] @ reference.frame_pose(same.frame),
        place,
        atol=1e-14,
    )


def test_of_merged_links_only_the_whole_must_be_physical(robot):
    text = GOOD["sensors"].replace(
        'ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"',
        'ixx="1e-6" ixy="1e-6" ixz="0" iyy="0" iyz="0" izz="0"',
    )
    assert text != GOOD["sensors"]
    assert refusal(robot, text)[1].startswith("body 'lens': inertia")
    whole = reference.together(
        [reference.masses_of_text(text)[name] for name in ("trunk", "camera", "lens")]
    )
    assert_close(
        reference.together([reference.masses_of_model(robot(text, merge_fixed=True))["trunk"]]),
        whole,
    )


def test_a_repaired_inertia_is_the_nearest_physical_one_and_told(robot):
    """Clipped second moments: of all S' >= 0 the nearest to S in the norm of Frobenius (Higham
    1988).
    """
    # diag(0.02, 0.02, 0.1): S = diag(0.05, 0.05, -0.03)
    text = GOOD["arm"].replace('izz="0.001"', 'izz="0.1"')
    with pytest.warns(ModelWarning, match="inertia repaired of 'rod'"):
        rod = robot(text, inertia="repair").body("rod")
    np.testing.assert_allclose(rod.inertia, np.diag([0.05, 0.05, 0.1]), atol=1e-15)


def test_a_body_without_mass_loses_its_inertia_when_repaired(robot):
    with pytest.warns(ModelWarning, match="'rod'"):
        rod = robot(GOOD["arm"].replace('value="0.7"', 'value="0"'), inertia="repair").body("rod")
    assert (rod.mass, np.any(rod.inertia)) == (0.0, False)


def test_a_physical_inertia_is_left_alone_by_the_repair(robot):
    thin_rod = GOOD["arm"].replace('izz="0.001"', 'izz="0"')
    with warnings.catch_warnings():
        warnings.simplefilter("error", ModelWarning)
        assert robot(thin_rod, inertia="repair") == robot(thin_rod)


def test_a_link_called_ground_is_renamed(robot):
    assert {body.name for body in robot(GOOD["moving"]).bodies} == {
        "world",
        "ground_link",
        "puck",
        "stick",
    }
    twice = robot(GOOD["moving"].replace('"puck"', '"ground_link"'))
    assert {body.name for body in twice.bodies} == {"world", "ground_link_", "ground_link", "stick"}


def test_visuals_are_shapes_with_frames_and_colours(robot, tmp_path):
    model = robot(GOOD["arm"])
    assert model.body("base").visuals == (Box((0.2, 0.3, 0.1), color="#0000cc"),)
    assert model.body("upper").visuals == (
        Cylinder(0.05, 0.4, frame=Frame.rpy(0, 0, 0.5, (0, 0, -0.2))),
    )
    assert model.body("rod").visuals == (
        Mesh(str(tmp_path / "meshes" / "rod.stl"), (0.001, 0.001, 0.001)),
    )
    assert robot(GOOD["gripper"]).body("left").visuals == (Sphere(0.02),)
    assert robot(GOOD["sensors"]).body("lens").visuals == (Capsule(0.01, 0.02),)


# ---- meshes --------------------------------------------------------------------------------------
@pytest.fixture
def package(tmp_path):
    """my_robot/urdf/robot.urdf with one mesh; a link leads out of the package."""
    (tmp_path / "my_robot" / "urdf").mkdir(parents=True)
    os.symlink("/etc", tmp_path / "my_robot" / "leak")

    def mesh_of(filename, **options):
        path = tmp_path / "my_robot" / "urdf" / "robot.urdf"
        path.write_text(GOOD["arm"].replace("meshes/rod.stl", filename))
        return [mesh.filename for mesh in read_urdf(path, **options).body("rod").visuals]

    return mesh_of


def test_a_mesh_in_the_folder_or_in_the_package_around_it_is_kept(package, tmp_path):
    root = tmp_path / "my_robot"
    # a folder of that name is no package yet
    assert package("package://my_robot/meshes/x.stl") == []
    (root / "package.xml").write_text("<package/>")
    assert package("x.stl") == [str(root / "urdf" / "x.stl")]
    assert package(f"file://{root}/urdf/x.stl") == [str(root / "urdf" / "x.stl")]
    assert package("package://my_robot/meshes/x.stl") == [str(root / "meshes" / "x.stl")]
    assert package("package://my_robot/urdf/../meshes/x.stl") == [str(root / "meshes" / "x.stl")]


def test_a_mesh_of_a_given_package_is_kept(package, tmp_path):
    assert package("package://other/x.stl", packages={"other": tmp_path / "elsewhere"}) == [
        str(tmp_path / "elsewhere" / "x.stl")
    ]
    assert package("../meshes/x.stl", packages={"mine": tmp_path / "my_robot"}) == [
        str(tmp_path / "my_robot" / "meshes" / "x.stl")
    ]


@pytest.mark.parametrize(
    "filename",
    [
        "../x.stl",
        "/etc/passwd",
        "file:///etc/passwd",
        "file:///etc/%70asswd",
        "http://example.com/x.stl",
        "package://other/x.stl",
        "package://my_robot/../x.stl",
        "package://my_robot/leak/passwd",
        "package://my_robot//etc/passwd",
        "package://my_robot",
        "",
    ],
)
def test_a_mesh_that_leads_out_is_left_out_with_a_warning(package, filename):
    with pytest.warns(
        ModelWarning, match=r"robot.urdf:26: link 'rod', visual: mesh .* outside the model's folder"
    ):
        assert package(filename) == []


def test_a_mesh_weighs_nothing_and_can_be_written(tmp_path):
    with pytest.raises(OptionError, match="mesh 'x.stl' has no known"):
        Body.solid("b", Mesh("x.stl"), mass=1.0)
    with pytest.raises(ModelError, match="flattens the mesh"):
        Mesh("x.stl", (1, 0, 1))
    model = Model(
        Body("b", 1.0, visuals=(Mesh("x.stl", (2, 2, 2), color="#102030"),)),
        Revolute("j", "ground", "b"),
    )
    ht.save(model, tmp_path / "m.toml")
    assert ht.load(tmp_path / "m.toml") == model
    assert SHAPES["mesh"] is Mesh


# ---- errors --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("of", "old", "new", "message"),
    [
        (
            "arm",
            '<child link="rod"/>',
            '<child link="rud"/>',
            "joint 'slide': child 'rud' is no link; did you mean 'rod'?",
        ),
        (
            "arm",
            '<joint name="slide"',
            '<joint name="shoulder"',
            "joint 'shoulder': the name is used twice, first in line 28",
        ),
        (
            "arm",
            '<axis xyz="0 1 0.5"/>',
            '<axis xyz="0 0 0"/>',
            "joint 'shoulder': axis = (0.0, 0.0, 0.0) has length zero",
        ),
        (
            "arm",
            '<mass value="2.5"/>',
            '<mass value="nan"/>',
            "link 'upper': value = 'nan' of <mass>: 'nan' is not a finite number",
        ),
        (
            "arm",
            '<mass value="2.5"/>',
            '<massa value="2.5"/>',
            "link 'upper': <massa> is not known in <inertial>; did you mean <mass>?",
        ),
        (
            "arm",
            '<axis xyz="0 1 0.5"/>',
            '<Axis xyz="0 1 0.5"/>',
            "joint 'shoulder': <Axis> is not known in <joint>; did you mean <axis>?",
        ),
        (
            "arm",
            '<dynamics damping="0.3"',
            '<dynamics dampng="0.3"',
            "joint 'shoulder': <dynamics> has no attribute 'dampng'; did",
        ),
        (
            "gripper",
            '<mimic joint="close"',
            '<mimic joint="clos"',
            "joint 'close_too': mimic of 'clos', which is no joint; did you mean",
        ),
        (
            "arm",
            '<box size="0.2 0.3 0.1"/>',
            '<box size="0.2 0.3"/>',
            "link 'base', visual: size = '0.2 0.3' of <box> has 2 entries; give 3",
        ),
    ],
)
def test_an_error_names_the_line_the_part_and_the_remedy(robot, of, old, new, message):
    text = GOOD[of].replace(old, new)
    line, told = refusal(robot, text)
    assert told.startswith(message)
    assert line == line_of(GOOD[of], old)


def test_words_of_extensions_are_skipped(robot):
    extended = GOOD["arm"].replace(
        "<limit ", '<calibration rising="x"/><my_gear ratio="x"/><limit gear_velocity="x" ', 1
    )
    extended = extended.replace(
        '<link name="rod">', '<link name="rod" kind="x"><contact><mass/></contact><self_collide/>'
    )
    assert robot(extended.replace("<collision>", "<collision><origin xyz='x'/>")) == robot(
        GOOD["arm"]
    )


def test_unknown_options_are_refused_with_the_known_ones(tmp_path):
    (tmp_path / "robot.urdf").write_text(GOOD["arm"])
    with pytest.raises(OptionError, match="no option 'floating'.*did you mean 'floating_base'"):
        ht.load(tmp_path / "robot.urdf", floating=True)
    with pytest.raises(OptionError, match="mimic = 'lead' is unknown; give 'follow' or 'ignore'"):
        ht.load(tmp_path / "robot.urdf", mimic="lead")
    ht.save(read_urdf(tmp_path / "robot.urdf"), tmp_path / "robot.toml")
    with pytest.raises(
        OptionError, match="no option 'floating_base' for such a file; this format has no options"
    ):
        ht.load(tmp_path / "robot.toml", floating_base=True)


def test_a_format_is_told_by_the_ending_or_by_the_outermost_element(tmp_path):
    (tmp_path / "robot.xml").write_text(GOOD["arm"])
    (tmp_path / "robot.urdf").write_text(GOOD["arm"])
    assert ht.load(tmp_path / "robot.xml") == ht.load(tmp_path / "robot.urdf")
    (tmp_path / "other.xml").write_text("<!-- -->\n<sdf/>")
    with pytest.raises(
        FileError, match=r"other.xml:2: the outermost element is <sdf>; that of a model is <robot>"
    ):
        ht.load(tmp_path / "other.xml")
    (tmp_path / "robot.xacro").write_text(GOOD["arm"])
    with pytest.raises(FileError, match="xacro robot.xacro > robot.urdf"):
        ht.load(tmp_path / "robot.xacro")
    with pytest.raises(FileError, match="nowhere.urdf: cannot be read: No such file"):
        ht.load(tmp_path / "nowhere.urdf")


# ---- writing -------------------------------------------------------------------------------------
def crooked(seed=3):
    """Bodies on skew frames on either side, one joint declared the wrong way round, two bodies on
    the ground.
    """
    rng = np.random.default_rng(seed)

    def frame():
        return Frame(rng.normal(size=3), rng.normal(size=4))

    def body(name):
        moments = rng.uniform(1.0, 1.9, size=3)
        turn = Frame((0, 0, 0), rng.normal(size=4)).matrix
        return Body(
            name,
            rng.uniform(1, 2),
            rng.normal(size=3),
            turn @ np.diag(moments) @ turn.T,
            (Box((1, 2, 3), frame=frame()),),
        )

    axes = iter(rng.normal(size=(9, 3)))
    joints = [
        Revolute("a", "ground", "A", frame(), frame(), next(axes)),
        Prismatic(
            "b", "B", "A", frame(), frame(), next(axes)
        ),  # from A to B, declared against the tree
        Weld("c", "C", "B", frame(), frame()),
        Planar("d", "C", "D", frame(), frame()),
        Free("e", "ground", "E", frame(), frame()),
        Revolute("f", "E", "F", frame(), frame(), next(axes)),
    ]
    gear = Gear("f", "a", teeth=(10, 30))
    dampers = [ht.JointDamper("f", 0.25), ht.JointDamper("f", 0.5), ht.JointDamper("b", 0.125)]
    return Model(
        [body(name) for name in "ABCDEF"], joints, dampers, couplings=[gear], name="crooked <&>"
    )


def read_back(model, tmp_path, **options):
    write_urdf(model, tmp_path / "out.urdf", force=True, **options)
    return read_urdf(tmp_path / "out.urdf")


def assert_same_robot(model, back):
    """Masses in the world, moved looks and all; the link `world` may have come in addition."""
    ours, theirs = reference.masses_of_model(model), reference.masses_of_model(back)
    for name, values in ours.items():
        assert_close(theirs[name], values)
    assert theirs.keys() - ours.keys() <= {"world"}
    placed, again = reference.poses_of_model(model), reference.poses_of_model(back)
    for body in model.bodies:
        for shape, same in zip(body.visuals, back.body(body.name).visuals, strict=True):
            there = again[body.name] @ reference.frame_pose(same.frame)
            np.testing.assert_allclose(
                there, placed[body.name] @ reference.frame_pose(shape.frame), atol=1e-13
            )


def test_a_crooked_model_reads_back_with_every_mass_in_its_place(tmp_path):
    model = crooked()
    back = read_back(model, tmp_path)
    assert_same_robot(model, back)
    assert back.coordinates == model.coordinates
    assert back.followers == {"f": ("a", -3.0, 0.0)}
    assert {force.joint: force.damping for force in back.forces} == {"f": 0.75, "b": 0.125}
    assert back.name == "crooked <&>"


def test_an_independent_reader_finds_the_same_masses_in_what_is_written(tmp_path):
    """The planar joint is about z: how the directions of others are chosen, URDF does not say."""
    write_urdf(crooked(), tmp_path / "out.urdf")
    ours, theirs = (
        reference.masses_of_model(crooked()),
        reference.masses_of_text((tmp_path / "out.urdf").read_text()),
    )
    for name, values in ours.items():
        assert_close(theirs[name], values)


@pytest.mark.parametrize("name", ["arm", "gripper"])
def test_a_file_that_is_read_written_and_read_again_is_the_same_model(robot, tmp_path, name):
    model = robot(GOOD[name])
    back = read_back(model, tmp_path)
    assert_same_robot(model, back)
    assert (back.couplings, back.forces) == (model.couplings, model.forces)
    assert [(type(j), j.name, j.parent, j.child) for j in back.joints] == [
        (type(j), j.name, j.parent, j.child) for j in model.joints
    ]


def test_angles_keep_their_digits_where_the_pitch_is_a_right_angle():
    rng = np.random.default_rng(5)
    for gap in (0.0, 1e-16, 1e-12, 1e-9, 1e-8, 1e-7, 1e-4, -1e-8):
        for sign in (-1, 1):
            frame = Frame.rpy(rng.normal(), sign * (np.pi / 2 - gap), rng.normal())
            np.testing.assert_allclose(Frame.rpy(*rpy(frame)).matrix, frame.matrix, atol=4e-15)


def test_names_read_back_whatever_they_hold(tmp_path):
    names = ["<b>&\"'", "two\nlines\tand\rmore", " räd € 𝄞 "]
    joints = [
        Revolute(f"j{name}", parent, name)
        for parent, name in zip(["ground", *names], names, strict=False)
    ]
    back = read_back(Model([Body(name, 1.0, inertia=1.0) for name in names], joints), tmp_path)
    assert [body.name for body in back.bodies] == ["world", *names]
    assert [joint.name for joint in back.joints[1:]] == [joint.name for joint in joints]
    with pytest.raises(ModelError, match=r"body 'a\\x01': .* XML cannot"):
        urdf_text(Model(Body("a\x01", 1.0), Weld("w", "ground", "a\x01")))


def test_a_capsule_is_written_as_a_cylinder_with_a_ball_on_either_end(tmp_path):
    capsule = Capsule(0.1, 0.5, frame=Frame.about((1, 0, 0), 1.0, (1, 2, 3)))
    model = Model(Body("b", 1.0, visuals=(capsule,)), Weld("w", "ground", "b"))
    cylinder, *balls = read_back(model, tmp_path).body("b").visuals
    assert isinstance(cylinder, Cylinder) and (cylinder.radius, cylinder.length) == (0.1, 0.5)
    ends = [capsule.frame.matrix @ [0, 0, z] + capsule.frame.position for z in (-0.25, 0.25)]
    np.testing.assert_allclose([ball.frame.position for ball in balls], ends, atol=1e-15)


def pendulum(**joint):
    return Model(Body("b", 1.0, inertia=1.0), Revolute("j", "ground", "b", **joint))


@pytest.mark.parametrize(
    ("model", "kind", "message"),
    [
        (pendulum(q=0.5), "start", "joint 'j' starts at q = (0.5,)"),
        (pendulum(qdot=0.5), "start", "joint 'j' starts at"),
        (pendulum(armature=0.5), "armature", "joint 'j' has an armature"),
        (pendulum(limits=Limits(velocity=0)), "limits", "joint 'j' has a largest velocity of zero"),
        (pendulum(limits=Limits(effort=0)), "limits", "joint 'j' has a largest effort of zero"),
        (
            pendulum().with_(forces=[ht.JointSpring("j", 1.0)]),
            "forces",
            "force 1 (joint_spring on 'j') acts",
        ),
        (pendulum().with_(forces=[ht.BodyLoad("b", name="wind")]), "forces", "force 'wind' acts"),
    ],
)
def test_what_urdf_cannot_hold_is_refused_by_name_or_left_out_and_listed(model, kind, message):
    with pytest.raises(ModelError) as caught:
        urdf_text(model)
    assert str(caught.value).startswith(message) and f"drop={kind!r}" in str(caught.value)
    for drop in (kind, [kind], "all", True):
        text, dropped = urdf_text(model, drop)
        assert text == urdf_text(pendulum())[0]
        assert len(dropped) == 1 and dropped[0].startswith(message)
    with pytest.raises(ModelError):
        urdf_text(model, [other for other in ("start", "armature", "forces") if other != kind])


def test_joints_and_loops_that_urdf_has_not_are_refused_even_if_all_is_dropped():
    ball = Model(Body("b", 1.0, inertia=1.0), Ball("j", "ground", "b"))
    screw = Model(Body("b", 1.0, inertia=1.0), Screw("j", "ground", "b", pitch=0.1))
    for model, kind in ((ball, "ball"), (screw, "screw")):
        with pytest.raises(ModelError, match=f"joint 'j': URDF has no {kind} joint"):
            urdf_text(model, "all")
    with pytest.raises(ModelError, match="joint 'again' closes a loop"):
        urdf_text(
            Model(Body("b", 1.0), [Revolute("j", "ground", "b"), Revolute("again", "b", "ground")]),
            "all",
        )
    with pytest.raises(ModelError, match="'j': its child 'b' is on the ground's side"):
        urdf_text(Model([Body("a"), Body("b")], [Weld("w", "ground", "b"), Free("j", "a", "b")]))
    with pytest.raises(OptionError, match="drop = 'force'.*did you mean 'forces'"):
        urdf_text(ball, "force")


def test_a_hinge_is_continuous_and_a_slider_has_limits_far_away():
    assert 'type="continuous"' in urdf_text(pendulum())[0]
    slider = Model(Body("b", 1.0), Prismatic("j", "ground", "b"))
    assert '<limit lower="-1000000000.0" upper="1000000000.0"' in urdf_text(slider)[0]


def test_stops_and_friction_are_written_and_a_stiffness_is_noted(tmp_path):
    stops = [JointLimit("j", -1.0, None, stiffness=50.0), JointFriction("j", coulomb=0.25)]
    model = pendulum().with_(forces=stops)
    text, dropped = urdf_text(model)
    assert dropped == (
        "force 1 (joint_limit on 'j'): its bounds are written, its stiffness and damping are not",
    )
    assert (
        'type="revolute"' in text
        and "<!-- force 1 (joint_limit on 'j') has the stiffness 50.0" in text
    )
    write_urdf(model, tmp_path / "out.urdf")
    back = read_urdf(tmp_path / "out.urdf", limits="spring", limit_stiffness=50.0)
    assert back.forces == (
        JointFriction("j", coulomb=0.25),
        JointLimit("j", -1.0, 1e9, stiffness=50.0),
    )
    with pytest.raises(ModelError, match="joint_friction on 'j'.* acts"):
        urdf_text(pendulum().with_(forces=[JointFriction("j", coulomb=0.25, smoothing=0.5)]))


def test_a_name_cannot_end_a_comment(tmp_path):
    model = pendulum().with_(
        forces=[JointLimit("j", -1.0, 1.0, stiffness=50.0, name="--> <link name='x'/>")]
    )
    assert len(read_back(model, tmp_path).bodies) == 2


def test_other_gravity_is_noted_in_a_comment(tmp_path):
    assert (
        "<!-- gravity of the model: 0.0 0.0 -1.62 m/s²"
        in urdf_text(pendulum().with_(gravity=(0, 0, -1.62)))[0]
    )
    assert read_back(pendulum().with_(gravity=(0, 0, -1.62)), tmp_path).gravity == (0.0, 0.0, -9.81)
    assert "gravity" not in urdf_text(pendulum())[0]


def test_a_mesh_in_the_target_folder_is_written_relative_to_it(tmp_path):
    inside, outside = Mesh(str(tmp_path / "meshes" / "x.stl")), Mesh("/elsewhere/y.stl")
    model = Model(Body("b", 1.0, visuals=(inside, outside)), Weld("w", "ground", "b"))
    write_urdf(model, tmp_path / "out.urdf")
    assert 'filename="meshes/x.stl"' in (tmp_path / "out.urdf").read_text()
    with pytest.warns(ModelWarning, match=r"mesh 'file:///elsewhere/y.stl'"):
        assert read_urdf(tmp_path / "out.urdf").body("b").visuals == (inside,)


def test_an_existing_file_is_kept_unless_forced_and_never_half_written(tmp_path):
    path = tmp_path / "out.urdf"
    path.write_text("precious")
    with pytest.raises(FileError, match="out.urdf: exists already"):
        ht.save(pendulum(), path)
    with pytest.raises(ModelError):
        ht.save(pendulum(q=1.0), path, force=True)
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["out.urdf"]
    assert ht.save(pendulum(q=1.0), path, force=True, drop="start") == (
        "joint 'j' starts at q = (1.0,), qdot = (0.0,)",
    )
    assert ht.load(path).joint("j").q == 0.0


# ---- shell ---------------------------------------------------------------------------------------
@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    (tmp_path / "arm.urdf").write_text(GOOD["arm"])
    (tmp_path / "gripper.urdf").write_text(GOOD["gripper"])
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", *arguments])
        with pytest.raises(SystemExit) as done:
            cli.main()
        told = capsys.readouterr()
        return done.value.code or 0, told.out, told.err

    return run


def test_convert_writes_toml_from_urdf_and_urdf_from_toml(shell):
    assert shell("convert", "arm.urdf", "arm.toml") == (0, "wrote arm.toml\n", "")
    assert ht.load("arm.toml") == ht.load("arm.urdf")
    assert shell("convert", "arm.toml", "again.urdf")[0] == 0
    assert_same_robot(ht.load("arm.urdf"), ht.load("again.urdf"))


def test_convert_passes_the_options_of_the_reader(shell):
    shell("convert", "arm.urdf", "a.toml", "--floating-base")
    assert ht.load("a.toml") == ht.load("arm.urdf", floating_base=True)
    shell("convert", "gripper.urdf", "b.toml", "--merge-fixed", "--mimic", "ignore")
    assert ht.load("b.toml") == ht.load("gripper.urdf", merge_fixed=True, mimic="ignore")


def test_convert_refuses_with_exit_2_and_writes_nothing(shell, tmp_path):
    shell("convert", "arm.urdf", "arm.toml")
    before = sorted(os.listdir(tmp_path))
    for arguments, message in {
        ("arm.urdf", "arm.toml"): "arm.toml: exists already",
        ("arm.urdf", "arm.urdf", "--force"): "OUT arm.urdf is also IN",
        ("arm.urdf", "arm.stl"): "arm.stl: no model format that is written has the ending '.stl'",
        ("arm.toml", "b.toml", "--floating-base"): "arm.toml: there is no option 'floating_base'",
        ("arm.urdf", "b.urdf", "--drop", "everything"): "drop = 'everything' is nothing",
        ("none.urdf", "b.toml"): "none.urdf: cannot be read",
    }.items():
        code, _, told = shell("convert", *arguments)
        errors = [line for line in told.splitlines() if not line.startswith("hamiltree: warning: ")]
        assert (
            code == 2 and len(errors) == 1 and errors[0].startswith(f"hamiltree: error: {message}")
        )
    assert sorted(os.listdir(tmp_path)) == before


def test_convert_lists_what_it_leaves_out_and_warns_of_lost_meshes(shell):
    ht.save(pendulum(q=0.5, armature=0.1), "p.toml")
    code, told, _ = shell("convert", "p.toml", "p.urdf", "--drop", "start,armature")
    assert code == 0 and told.splitlines()[-1] == "wrote p.urdf"
    assert [line.split(":")[0] for line in told.splitlines()[:-1]] == ["left out", "left out"]
    Path("out.urdf").write_text(GOOD["arm"].replace("meshes/rod.stl", "/etc/passwd"))
    code, _, warned = shell("convert", "out.urdf", "out.toml")
    assert code == 0 and warned.startswith(
        "hamiltree: warning: out.urdf:26: link 'rod', visual: mesh '/etc/passwd'"
    )
