"""Models as TOML: the schema, lines in errors, exact round trips, careful writing."""

import os
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from hamiltree.errors import FileError, ModelError
from hamiltree.files import model_from_toml, model_to_toml, read_model, write_model
from hamiltree.files import text as file_text
from hamiltree.model import (
    FORCES,
    JOINTS,
    Body,
    BodyLoad,
    Box,
    Capsule,
    Cylinder,
    Force,
    Frame,
    JointDamper,
    JointEffort,
    JointSpring,
    Model,
    Prismatic,
    Revolute,
    Screw,
    Sphere,
    Weld,
    library,
)

ARM = """\
hamiltree = 1
name = "arm"
gravity = [0, 0, -9.81]

[[body]]
name = "upper"
mass = 1.0
com = [0.0, 0.0, -0.5]
inertia = [[0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.0, 0.0, 0.01]]
[[body.visual]]
shape = "box"
size = [0.1, 0.1, 1.0]
frame = { position = [0, 0, -0.5], rotation = [1, 0, 0, 0] }
color = "#3366aa"

[[body]]
name = "lower"
[[body.part]]
shape = "cylinder"
radius = 0.1
length = 0.5
density = 1000
frame = [0, 0, -0.25]
[[body.part]]
shape = "sphere"
radius = 0.2
mass = 2
frame.position = [0, 0, -0.7]

[[joint]]
kind = "revolute"
name = "shoulder"
parent = "ground"
child = "upper"
on_parent = { position = [0, 0, 1], rotation = { axis = [0, 0, 1], angle = 0.5 } }
axis = [0, 1, 0]
q = 0.3

[[joint]]
kind = "screw"
name = "elbow"
parent = "upper"
child = "lower"
on_parent = [0, 0, -1]
on_child = { rpy = [0.1, 0.2, 0.3] }
pitch = 0.02

[[force]]
kind = "joint_spring"
joint = "shoulder"
stiffness = 10

[[force]]
kind = "body_load"
name = "push"
body = "lower"
force = [1, 2, 3]
axes = "body"
"""


def arm():
    rod, ball = Cylinder(0.1, 0.5, frame=(0, 0, -0.25)), Sphere(0.2, frame=(0, 0, -0.7))
    upper = Body(
        "upper",
        1,
        (0, 0, -0.5),
        (0.1, 0.1, 0.01),
        (Box((0.1, 0.1, 1), frame=(0, 0, -0.5), color="#3366aa"),),
    )
    return Model(
        name="arm",
        bodies=[upper, Body.solid("lower", (rod, 1000 * rod.volume), (ball, 2))],
        joints=[
            Revolute(
                "shoulder",
                "ground",
                "upper",
                Frame.about((0, 0, 1), 0.5, (0, 0, 1)),
                axis=(0, 1, 0),
                q=0.3,
            ),
            Screw("elbow", "upper", "lower", (0, 0, -1), Frame.rpy(0.1, 0.2, 0.3), pitch=0.02),
        ],
        forces=[
            JointSpring("shoulder", 10),
            BodyLoad("lower", (1, 2, 3), axes="body", name="push"),
        ],
    )


def test_every_form_of_the_schema_is_read():
    assert model_from_toml(ARM) == arm()


def test_a_rotation_may_be_a_matrix():
    matrix = Frame.rpy(0.1, 0.2, 0.3).matrix
    changed = ARM.replace("{ rpy = [0.1, 0.2, 0.3] }", f"{{ rotation = {matrix.tolist()} }}")
    assert model_from_toml(changed).joint("elbow").on_child == Frame(rotation=matrix)


def test_visuals_beside_parts_are_kept_too():
    text = ARM.replace(
        '[[body.part]]\nshape = "sphere"\nradius = 0.2\nmass = 2\n',
        '[[body.visual]]\nshape = "sphere"\nradius = 0.2\n',
    )
    assert [shape.kind for shape in model_from_toml(text).body("lower").visuals] == [
        "cylinder",
        "sphere",
    ]


def line_of(text, fragment):
    return text[: text.index(fragment)].count("\n") + 1


@pytest.mark.parametrize(
    ("old", "new", "at", "message", "part"),
    [
        (
            "mass = 1.0",
            "mas = 1.0",
            "mas = ",
            "body 'upper': unknown key 'mas'; did you mean 'mass'",
            ("body", "upper"),
        ),
        (
            "mass = 1.0",
            "mass = -1.0",
            "mass = -1",
            "body 'upper': mass = -1.0 is negative",
            ("body", "upper"),
        ),
        (
            "mass = 1.0",
            "mass = '1'",
            "mass = '1'",
            "body 'upper': mass = '1' is not a number",
            ("body", "upper"),
        ),
        ("mass = 1.0", "mass = true", "mass = true", "is not a number", ("body", "upper")),
        ("mass = 1.0", "mass = nan", "mass = nan", "is not finite", ("body", "upper")),
        ("mass = 1.0", "mass = 2024-01-01", "mass = 2024", "is not a number", ("body", "upper")),
        (
            "com = [0.0, 0.0, -0.5]",
            "com = [\n 0.0,\n 0.0]",
            "com = ",
            "body 'upper': com = .* has 2 entries",
            ("body", "upper"),
        ),
        (
            "inertia = [[0.1",
            "inertia = [[0.9",
            "inertia = ",
            "principal moments",
            ("body", "upper"),
        ),
        ('name = "upper"\n', "", "[[body]]", "body 1: the key 'name' is missing", ("body", 1)),
        (
            'name = "upper"',
            'name = "ground"',
            'name = "ground"',
            "the name of the world",
            ("body", "ground"),
        ),
        ('name = "upper"', "name = 3", "name = 3", "body 1: .*name = 3", ("body", 1)),
        (
            'shape = "box"',
            'shape = "bix"',
            'shape = "bix"',
            "body 'upper', visual 1: shape = 'bix' is unknown; did you mean 'box'",
            ("body", "upper"),
        ),
        (
            'shape = "box"\n',
            "",
            "[[body.visual]]",
            "body 'upper', visual 1: the key 'shape' is missing",
            ("body", "upper"),
        ),
        (
            "size = [0.1, 0.1, 1.0]",
            "size = [0.1, 0.1, 0]",
            "size = ",
            "body 'upper', visual 1: box: size = ",
            ("body", "upper"),
        ),
        (
            "size = [0.1, 0.1, 1.0]\n",
            "",
            "[[body.visual]]",
            "visual 1: the key 'size' is missing",
            ("body", "upper"),
        ),
        ('"#3366aa"', '"blue"', 'color = "blue"', "not a colour", ("body", "upper")),
        (
            "rotation = [1, 0, 0, 0] }",
            "rotation = [0, 0, 0, 0] }",
            "frame = {",
            "visual 1, frame: .*rotation = .*zero",
            ("body", "upper"),
        ),
        (
            "rotation = [1, 0, 0, 0] }",
            "rotatoin = [1, 0, 0, 0] }",
            "frame = {",
            "unknown key 'rotatoin'; did you mean 'rotation'",
            ("body", "upper"),
        ),
        (
            "density = 1000",
            "density = 1000\nmass = 1",
            "[[body.part]]",
            "body 'lower', part 1: .*either mass= or density=",
            ("body", "lower"),
        ),
        (
            "density = 1000\n",
            "",
            "[[body.part]]",
            "body 'lower', part 1: .*either mass= or density=",
            ("body", "lower"),
        ),
        (
            "density = 1000",
            "density = -1",
            "density = -1",
            "density = -1 is negative",
            ("body", "lower"),
        ),
        (
            'name = "lower"',
            'name = "lower"\nmass = 1',
            "mass = 1\n[[",
            "'mass' and .* keep one",
            ("body", "lower"),
        ),
        (
            "frame.position = [0, 0, -0.7]",
            "frame.position = [0, -0.7]",
            "frame.position",
            "part 2, frame: .*position = ",
            ("body", "lower"),
        ),
        (
            'kind = "revolute"',
            'kind = "revolut"',
            'kind = "revolut"',
            "joint 'shoulder': kind = 'revolut' is unknown; did you mean 'revolute'",
            ("joint", "shoulder"),
        ),
        ('kind = "revolute"', "kind = 3", "kind = 3", "kind = 3 is unknown", ("joint", "shoulder")),
        (
            'kind = "revolute"\n',
            "",
            "[[joint]]",
            "joint 'shoulder': the key 'kind' is missing; give one of 'revolute'",
            ("joint", "shoulder"),
        ),
        (
            "axis = [0, 1, 0]",
            "axis = [0, 0, 0]",
            "axis = [0, 0, 0]",
            "joint 'shoulder': axis = .*zero",
            ("joint", "shoulder"),
        ),
        (
            "axis = [0, 0, 1], angle = 0.5",
            "axis = [0, 0, 0], angle = 0.5",
            "on_parent = {",
            "joint 'shoulder', on_parent: .*axis = ",
            ("joint", "shoulder"),
        ),
        (
            "axis = [0, 0, 1], angle = 0.5",
            "axis = [0, 0, 1]",
            "on_parent = {",
            "needs both",
            ("joint", "shoulder"),
        ),
        (
            "axis = [0, 0, 1], angle = 0.5",
            "axis = [0, 0, 1], angel = 0.5",
            "on_parent = {",
            "did you mean 'angle'",
            ("joint", "shoulder"),
        ),
        (
            "rpy = [0.1, 0.2, 0.3]",
            "rpy = [0.1, 0.2]",
            "on_child = {",
            "rpy = .*three angles",
            ("joint", "elbow"),
        ),
        (
            "rpy = [0.1, 0.2, 0.3]",
            "rpy = [0, 0, 0], rotation = [1, 0, 0, 0]",
            "on_child = {",
            "keep one",
            ("joint", "elbow"),
        ),
        (
            "rpy = [0.1, 0.2, 0.3]",
            "rpy = [0, 0, 'x']",
            "on_child = {",
            "not a number",
            ("joint", "elbow"),
        ),
        (
            "on_parent = [0, 0, -1]",
            "on_parent = 3",
            "on_parent = 3",
            "joint 'elbow': on_parent = 3 is no frame",
            ("joint", "elbow"),
        ),
        (
            "pitch = 0.02\n",
            "",
            '[[joint]]\nkind = "screw"',
            "joint 'elbow': the key 'pitch' is missing",
            ("joint", "elbow"),
        ),
        (
            "q = 0.3",
            "pitch = 0.3",
            "pitch = 0.3",
            "joint 'shoulder': unknown key 'pitch'",
            ("joint", "shoulder"),
        ),
        (
            'parent = "upper"',
            'parent = "uper"',
            'parent = "uper"',
            "joint 'elbow': parent = 'uper' is not a body; did you mean 'upper'",
            ("joint", "elbow"),
        ),
        (
            'name = "elbow"',
            'name = "shoulder"',
            'name = "shoulder"\nparent = "upper"',
            "joint 'shoulder': the name is used twice",
            ("joint", "shoulder"),
        ),
        (
            'name = "lower"',
            'name = "upper"',
            'name = "upper"\n[[body.part]]',
            "body 'upper': the name is used twice",
            ("body", "upper"),
        ),
        (
            'child = "lower"',
            'child = "ground"',
            '[[body]]\nname = "lower"',
            "body 'lower': no joint holds it",
            ("body", "lower"),
        ),
        (
            'joint = "shoulder"',
            'joint = "sholder"',
            'joint = "sholder"',
            r"force 1 \(joint_spring on 'sholder'\): .*did you mean 'shoulder'",
            ("force", 1),
        ),
        (
            "stiffness = 10",
            "stiffness = -10",
            "stiffness = -10",
            "force 1: joint_spring: stiffness = -10 is negative",
            ("force", 1),
        ),
        (
            'axes = "body"',
            'axes = "local"',
            'axes = "local"',
            "force 'push': axes = 'local' is unknown",
            ("force", "push"),
        ),
        (
            'body = "lower"',
            'body = "lowr"',
            'body = "lowr"',
            "force 'push': body = 'lowr' .*did you mean 'lower'",
            ("force", "push"),
        ),
        (
            "gravity = [0, 0, -9.81]",
            "gravity = [0, 0]",
            "gravity = [0, 0]",
            "gravity = .* has 2 entries",
            ("model", "arm"),
        ),
        ('name = "arm"', "name = 3", "name = 3", "name = 3 is not a string", None),
        ('name = "arm"', 'naem = "arm"', "naem", "unknown key 'naem'; did you mean 'name'", None),
        (
            '[[force]]\nkind = "body_load"',
            '[[forces]]\nkind = "body_load"',
            "[[forces]]",
            "unknown key 'forces'; did you mean 'force'",
            None,
        ),
    ],
)
def test_every_error_names_its_line_its_part_and_a_remedy(old, new, at, message, part):
    assert old in ARM
    text = ARM.replace(old, new, 1)
    with pytest.raises(ModelError, match=f"^arm.toml:{line_of(text, at)}: .*{message}") as caught:
        model_from_toml(text, "arm.toml")
    assert caught.value.part == part


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "^<text>:1: the line 'hamiltree = 1' is missing"),
        ('name = "x"\n', "^<text>:1: the line 'hamiltree = 1' is missing"),
        ("# x\nhamiltree = 2\n", "^<text>:2: .*needs a newer hamiltree"),
        ("hamiltree = true\n", "^<text>:1: .*no version"),
        ('hamiltree = "1"\n', "^<text>:1: .*no version"),
        ("hamiltree = 0\n", "^<text>:1: .*no version"),
        ("hamiltree = 1\nname = \n", "^<text>:2: not valid TOML"),
        ('hamiltree = 1\nname = "x\n', "^<text>:2: not valid TOML"),
        ("hamiltree = 1\nname = 'x'\nname = 'y'\n", "^<text>:3: not valid TOML"),
        ("hamiltree = 1\n[[body]]\nname = 'x'\nmass = [1,\n", "^<text>:4: not valid TOML"),
        ("hamiltree = 1\nx = " + "[" * 20000 + "]" * 20000, "^<text>:1: nested too deeply"),
        ("hamiltree = " + "1" * 5000, "^<text>:1: not valid TOML"),
    ],
)
def test_what_is_no_model_file_is_refused_at_its_line(text, message):
    with pytest.raises(FileError, match=message):
        model_from_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "hamiltree = 1\n[body]\nname = 'x'\n",
        "hamiltree = 1\nbody = [1, 2]\n",
        "hamiltree = 1\nbody = 3\n",
    ],
)
def test_bodies_that_are_no_list_of_tables_are_refused(text):
    with pytest.raises(ModelError, match=r"^<text>:2: .*write \[\[body\]\] above each"):
        model_from_toml(text)


def test_a_body_whose_visual_is_no_list_of_tables_is_refused():
    with pytest.raises(ModelError, match=r"^<text>:4: body 'x': .*write \[\[body.visual\]\]"):
        model_from_toml("hamiltree = 1\n[[body]]\nname = 'x'\nvisual = { shape = 'box' }\n")


def test_a_model_without_bodies_is_refused():
    with pytest.raises(ModelError, match="^<text>:1: model 'model': it has no body"):
        model_from_toml("hamiltree = 1\n")


# ---- round trips


@pytest.mark.parametrize(
    "model",
    [
        library.pendulum(angle=0.3),
        library.n_pendulum(4, angles=(0.1, 0.2, 0.3, 0.4)),
        library.chain(10),
        library.tree(30, 3, joints=tuple(JOINTS)),
        library.ten_body_tree(),
        arm(),
    ],
    ids=lambda model: model.name,
)
def test_a_written_model_reads_back_equal(model):
    assert model_from_toml(model_to_toml(model)) == model


NAMES = [
    "plain",
    'with "quotes"',
    "it's",
    "back\\slash",
    "new\nline",
    "tab\t",
    "\x00\x01\x1f\x7f",
    "ünïcödé",
    "关节",
    "🦾",
    "a.b",
    "[[body]]",
    "# no comment",
    " ",
    "\r\n",
    "\u2028",
    '"""',
    "\ufeff",
]


def random_model(seed):
    rng = np.random.default_rng(seed)
    tree = library.tree(
        int(rng.integers(1, 12)), int(rng.integers(1, 4)), seed=seed, joints=tuple(JOINTS)
    )
    scale = 10.0 ** rng.integers(-12, 12)
    new_names = {body.name: f"{rng.choice(NAMES)}{i}" for i, body in enumerate(tree.bodies)} | {
        "ground": "ground"
    }
    bodies = [
        Body(
            new_names[b.name],
            b.mass * scale,
            b.com,
            np.array(b.inertia) * scale,
            random_shapes(rng),
        )
        for b in tree.bodies
    ]
    joints = [
        random_joint(rng, f"{rng.choice(NAMES)}{i}", new_names[j.parent], new_names[j.child])
        for i, j in enumerate(tree.joints)
    ]
    moving = [joint.name for joint in joints if joint.coordinates]
    forces = [
        BodyLoad(
            bodies[0].name,
            *rng.normal(size=(3, 3)) * scale,
            axes=str(rng.choice(["world", "body"])),
            name=str(rng.choice(NAMES)),
        )
    ]
    for name in moving:
        forces += [
            JointSpring(name, rng.random() * scale, rng.normal()),
            JointDamper(name, rng.random()),
            JointEffort(name, rng.normal(), name=name),
        ][: rng.integers(4)]
    names_taken = {forces[0].name}
    forces = forces[:1] + [force for force in forces[1:] if force.name not in names_taken]
    return Model(
        name=str(rng.choice(NAMES)),
        bodies=bodies,
        joints=joints,
        forces=forces,
        gravity=rng.normal(size=3) * scale,
    )


def random_frame(rng):
    return [
        Frame(),
        Frame(rng.normal(size=3)),
        Frame(rotation=rng.normal(size=4)),
        Frame(rng.normal(size=3), rng.normal(size=4)),
    ][rng.integers(4)]


def random_shapes(rng):
    sizes = rng.uniform(1e-3, 1e3, 3)
    color = f"#{rng.integers(2**24):06x}" if rng.random() < 0.5 else None
    shapes = [
        Box(sizes, frame=random_frame(rng), color=color),
        Sphere(sizes[0], frame=random_frame(rng)),
        Cylinder(*sizes[:2], color=color),
        Capsule(*sizes[:2], frame=random_frame(rng), color=color),
    ]
    return tuple(shapes[: rng.integers(5)])


def random_joint(rng, name, parent, child):
    frames = random_frame(rng), random_frame(rng)
    state = {"axis": rng.normal(size=3), "q": rng.normal(), "qdot": rng.normal()}
    made = [
        Revolute(name, parent, child, *frames, **state),
        Prismatic(name, child, parent, *frames, **state),
        Screw(name, parent, child, *frames, **state, pitch=rng.normal()),
        Weld(name, parent, child, *frames),
    ]
    return made[rng.integers(4)]


@pytest.mark.parametrize("seed", range(60))
def test_any_model_reads_back_equal(seed):
    model = random_model(seed)
    text = model_to_toml(model)
    assert model_from_toml(text) == model and model_to_toml(model_from_toml(text)) == text


def test_the_end_and_the_step_of_runs_are_kept():
    model = library.pendulum().with_(until=0.5, step=1)
    text = model_to_toml(model)
    assert "until = 0.5\nstep = 1.0\n" in text and model_from_toml(text) == model
    assert "until" not in model_to_toml(library.pendulum())
    with pytest.raises(ModelError, match=r":4: .*until = -0.5 is not positive"):
        model_from_toml(text.replace("until = 0.5", "until = -0.5"))


def test_defaults_are_not_written():
    text = model_to_toml(library.pendulum())
    assert (
        "inertia" not in text
        and "qdot" not in text
        and "on_child" not in text
        and "[[force]]" not in text
    )


# ---- kinds that others add


@dataclass(frozen=True)
class Law(Force):
    kind: ClassVar[str] = "law"
    references: ClassVar[dict] = {"joint": "joint"}
    joint: str
    law: object


def double(q):
    return 2 * q


def with_force(force):
    return library.pendulum().with_(forces=[force])


@pytest.mark.parametrize("is_registered", [True, False])
def test_a_part_that_holds_a_function_is_refused_by_name(monkeypatch, is_registered):
    if is_registered:
        monkeypatch.setitem(FORCES, "law", Law)
    for force, who in (
        (Law("hinge", double, name="muscle"), "force 'muscle'"),
        (Law("hinge", double), "force 1"),
    ):
        with pytest.raises(ModelError, match=f"^{who}: law is the Python function 'double'"):
            model_to_toml(with_force(force))


def test_an_unregistered_kind_is_not_written():
    with pytest.raises(ModelError, match="force 'muscle': Law is not a registered kind"):
        model_to_toml(with_force(Law("hinge", 3.0, name="muscle")))


def test_a_registered_kind_needs_nothing_here(monkeypatch):
    monkeypatch.setitem(FORCES, "law", Law)
    model = with_force(Law("hinge", 3.0, name="muscle"))
    assert model_from_toml(model_to_toml(model)) == model
    with pytest.raises(ModelError, match="force 'muscle': law holds a dict"):
        model_to_toml(with_force(Law("hinge", {}, name="muscle")))


# ---- files


def test_a_file_is_written_whole_and_read_back(tmp_path):
    write_model(arm(), tmp_path / "arm.toml")
    assert read_model(tmp_path / "arm.toml") == read_model(str(tmp_path / "arm.toml")) == arm()
    assert os.listdir(tmp_path) == ["arm.toml"]


def test_an_existing_file_is_kept_unless_forced(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("precious")
    with pytest.raises(FileError, match="arm.toml: exists already"):
        write_model(arm(), path)
    assert path.read_text() == "precious"
    write_model(arm(), path, force=True)
    assert read_model(path) == arm()


def test_a_model_that_cannot_be_written_leaves_the_old_file_alone(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text("precious")
    with pytest.raises(ModelError):
        write_model(with_force(Law("hinge", double)), path, force=True)
    assert path.read_text() == "precious" and os.listdir(tmp_path) == ["arm.toml"]


def test_a_failed_replacement_leaves_no_trace(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FileError, match="cannot be written: disk full"):
        write_model(arm(), tmp_path / "arm.toml")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileError, match="nowhere.*cannot be written"):
        write_model(arm(), tmp_path / "nowhere" / "arm.toml")
    with pytest.raises(FileError, match="nowhere.*cannot be read"):
        read_model(tmp_path / "nowhere" / "arm.toml")
    with pytest.raises(FileError, match="cannot be read"):
        read_model(tmp_path)


def test_text_that_is_not_utf8_is_refused_at_its_line(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_bytes(b'hamiltree = 1\nname = "\xff"\n')
    with pytest.raises(FileError, match=r"arm.toml:2: not UTF-8 \(byte 0xff\)"):
        read_model(path)


def test_a_byte_order_mark_and_windows_lines_are_read(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_bytes(b"\xef\xbb\xbf" + ARM.replace("\n", "\r\n").encode())
    assert read_model(path) == arm()


def test_a_huge_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(file_text, "SIZE_LIMIT", 100)
    (tmp_path / "arm.toml").write_text(ARM)
    with pytest.raises(FileError, match="larger than"):
        read_model(tmp_path / "arm.toml")


def test_errors_of_a_file_name_the_path(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(ARM.replace("q = 0.3", "q = 'x'"))
    with pytest.raises(ModelError) as caught:
        read_model(path)
    assert str(caught.value).startswith(
        f"{path}:{line_of(ARM, 'q = 0.3')}: joint 'shoulder': q = 'x'"
    )
