"""URDF files as people write them: what is forgiven with a warning, what is refused because it is
physics, and which remedy is named first.
"""

import warnings

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.files.meshes import ModelWarning
from hamiltree.files.urdf import read_urdf
from hamiltree.files.urdf_inertia import ROUNDING

POINT = '<inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/>'
BALL = '<inertia ixx="1" ixy="0.1" ixz="0.2" iyy="1" iyz="0.3" izz="1"/>'


def text(inertia=BALL, axis='<axis xyz="0 0 1"/>', visual="", dynamics="", more=""):
    """A base and an arm on a hinge."""
    return (
        '<robot name="r">\n<link name="base"/>\n'
        f'<link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>\n{inertia}'
        f"</inertial>{visual}</link>\n"
        '<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/>\n'
        f'<origin xyz="0 0 1"/>{axis}{dynamics}</joint>{more}</robot>'
    )


@pytest.fixture
def read(tmp_path):
    """Writes a text and reads it; the model and its warnings."""

    def of(content, **options):
        path = tmp_path / "robot.urdf"
        path.write_text(content)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ModelWarning)
            model = read_urdf(path, **options)
        return model, [str(warning.message) for warning in caught]

    return of


def refusal(read, content, **options):
    with pytest.raises(ht.HamiltreeError) as caught:
        read(content, **options)
    return str(caught.value).partition("robot.urdf:")[2]


def test_products_of_inertia_below_the_diagonal_stand_for_those_above(read):
    plain, _ = read(text())
    below = BALL.replace("ixy", "iyx").replace("ixz", "izx").replace("iyz", "izy")
    both = BALL.replace("/>", ' iyx="0.1" izx="0.2" izy="0.3"/>')
    assert read(text(below)) == read(text(both)) == (plain, [])


def test_contradicting_products_of_inertia_are_refused(read):
    message = refusal(read, text(BALL.replace("/>", ' iyx="-0.1"/>')))
    assert message.startswith("4: link 'arm': ixy = 0.1 and iyx = -0.1 of <inertia> contradict")
    missing = refusal(read, text(BALL.replace('ixy="0.1"', "")))
    assert missing == "4: link 'arm': <inertia> needs the attribute 'ixy'"


@pytest.mark.parametrize(
    "shape",
    [
        '<box size="0 0 0"/>',
        '<box size="0.1 0.2 0"/>',
        '<sphere radius="0"/>',
        '<cylinder radius="-1" length="1"/>',
        '<capsule radius="0.1" length="0"/>',
    ],
)
def test_a_visual_without_a_size_is_left_out_with_a_warning(read, shape):
    seen = '<visual><geometry><sphere radius="0.1"/></geometry></visual>'
    flat = f"<visual><geometry>{shape}</geometry></visual>"
    model, told = read(text(visual=seen + flat + flat))
    assert model == read(text(visual=seen))[0]
    tag = shape[1:].partition(" ")[0]
    assert [line.partition("robot.urdf:")[2] for line in told] == [
        f"4: link 'arm', visual: <{tag}> and 1 more: it has no size, left out"
    ]


def test_an_unknown_attribute_of_a_known_element_gives_a_warning(read):
    model, told = read(text(axis='<axis rpy="0 0 0" xyz="0 0 1"/>'))
    assert model == read(text())[0]
    assert len(told) == 1 and "6: joint 'hinge': <axis> has no attribute 'rpy'" in told[0]


@pytest.mark.parametrize(
    ("axis", "message"),
    [
        ('<axis xzy="0 0 1"/>', "<axis> has no attribute 'xzy'; did you mean 'xyz'?"),
        ('<axis direction="0 0 1"/>', "<axis> has no attribute 'direction'; known: 'xyz'"),
        (
            '<axis xyz="0 0 1"/><mimic joint="hinge" quat="x" ofset="1"/>',
            "<mimic> has no attribute 'ofset'; did you mean 'offset'?",
        ),
    ],
)
def test_a_misspelt_attribute_is_refused_as_before(read, axis, message):
    assert message in refusal(read, text(axis=axis))


def test_an_orientation_that_would_be_lost_is_refused(read):
    turned = text().replace('<origin xyz="0 0 1"/>', '<origin xyz="0 0 1" quat_xyzw="0 0 0 1"/>')
    assert "<origin> has no attribute 'quat_xyzw'; give the orientation as rpy" in refusal(
        read, turned
    )


def test_the_same_element_twice_is_one_but_two_different_ones_are_refused(read):
    twice = '<axis xyz="0 0 1"/>\n<axis xyz="0 0 1"/>'
    assert read(text(axis=twice)) == read(text())
    message = refusal(read, text(axis=twice.replace('"0 0 1"', '"0 1 0"', 1)))
    assert message == "7: joint 'hinge': <axis> is given twice; keep one of them"


def test_a_declaration_after_blank_lines_is_forgiven_and_no_line_moves(read):
    late = '\n \n<?xml version="1.0"\n encoding="utf-8"?>' + text()
    assert read(late) == read(text())
    assert refusal(read, late.replace('value="2"', 'value="-2"')).startswith("6: link 'arm': mass")


def test_an_inertia_that_is_rounding_of_mass_and_size_is_none(read):
    size = np.hypot(0.5, 0.0), 1.0  # the centre of mass, the joint
    small = 0.5 * ROUNDING * 2.0 * max(size) ** 2
    rounded = POINT.replace('ixz="0"', f'ixz="{small!r}"')
    model, told = read(text(rounded))
    assert model == read(text(POINT))[0] and told == []
    assert not np.any(model.body("arm").inertia)
    large = refusal(read, text(rounded.replace(repr(small), repr(4 * small))))
    assert "has the negative eigenvalue" in large


def test_a_physical_inertia_is_kept_however_small(read):
    tiny = POINT.replace('ixx="0"', 'ixx="1e-30"')
    tiny = tiny.replace('iyy="0"', 'iyy="1e-30"').replace('izz="0"', 'izz="1e-30"')
    assert read(text(tiny))[0].body("arm").inertia[0][0] == 1e-30


@pytest.mark.parametrize("key", ["damping", "friction"])
def test_negative_damping_and_friction_are_refused_with_the_joint_and_may_be_dropped(read, key):
    wrong = text(dynamics=f'\n<dynamics {key}="-0.0132"/>')
    message = refusal(read, wrong)
    assert message.startswith(f"7: joint 'hinge': {key} = -0.0132 of <dynamics> is negative")
    assert "add energy" in message and "dynamics='drop'" in message
    assert read(wrong, dynamics="drop") == read(text())


FLAT = '<inertia ixx="1e-6" ixy="0" ixz="0" iyy="1e-6" iyz="0" izz="1e-3"/>'
TOOL = (
    '<link name="tool"><inertial><mass value="0.1"/>{}</inertial></link>'
    '<joint name="flange" type="{}"><parent link="arm"/><child link="tool"/></joint>'
)


def test_merging_is_named_before_repair_where_it_helps_and_is_exact(read):
    held = text(axis='<axis xyz="1 0 0"/>', more=TOOL.format(FLAT, "fixed"))
    message = refusal(read, held)
    assert message.index("merge_fixed=True, which is exact") < message.index(
        "inertia='repair', which changes the motion"
    )
    merged, _ = read(held, merge_fixed=True)
    repaired, _ = read(held, inertia="repair")
    q = np.zeros(1)
    exact = 1.0 + 1e-6  # about x, of the arm and as the file says of the tool
    np.testing.assert_allclose(ht.dynamics(merged).mass_matrix(q), [[exact]], rtol=1e-14)
    assert abs(ht.dynamics(repaired).mass_matrix(q)[0, 0] / exact - 1.0) > 1e-4


def test_merging_is_not_named_where_it_does_not_help(read):
    moving = refusal(read, text(more=TOOL.format(FLAT, "continuous")))
    assert "or load with inertia='repair'" in moving
    assert "merge_fixed" not in moving
    heavy = refusal(read, text(FLAT.replace("1e-3", "50"), more=TOOL.format(BALL, "fixed")))
    assert "merge_fixed" not in heavy
    assert "merge_fixed" not in refusal(
        read, text(FLAT.replace("1e-3", "50"), more=TOOL.format(BALL, "fixed")), merge_fixed=True
    )
