"""Damaged URDF files, made from four good ones by a seeded mutator.

Each damage says what must happen: "refused"; "same": loaded, with the masses of the undamaged file;
"either": refused, or loaded as what the file says.
"""

import random
import re
from typing import NamedTuple

ARM = """<?xml version="1.0"?>
<!-- two links and a slider -->
<robot name="arm">
  <material name="blue"><color rgba="0 0 0.8 1"/></material>
  <link name="base">
    <visual><geometry><box size="0.2 0.3 0.1"/></geometry><material name="blue"/></visual>
  </link>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0 -0.2" rpy="0.3 -0.4 1.1"/>
      <mass value="2.5"/>
      <inertia ixx="0.04" ixy="0.001" ixz="-0.002" iyy="0.05" iyz="0.003" izz="0.03"/>
    </inertial>
    <visual>
      <origin xyz="0 0 -0.2" rpy="0 0 0.5"/>
      <geometry><cylinder radius="0.05" length="0.4"/></geometry>
    </visual>
    <collision><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
  </link>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 0.3"/>
      <mass value="0.7"/>
      <inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.001"/>
    </inertial>
    <visual><geometry><mesh filename="meshes/rod.stl" scale="0.001 0.001 0.001"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0.1 0.5" rpy="0.2 0.1 -0.3"/>
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0.5"/>
    <limit lower="-1" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.3" friction="0.0"/>
  </joint>
  <joint name="slide" type="prismatic">
    <origin xyz="0 0 -0.4" rpy="0 1.2 0"/>
    <parent link="upper"/>
    <child link="rod"/>
    <limit lower="0" upper="0.2" effort="10" velocity="3"/>
  </joint>
  <transmission name="t"><type>simple</type></transmission>
  <gazebo reference="rod"><mu1>0.2</mu1></gazebo>
</robot>
"""  # noqa: E501

GRIPPER = """<robot name="gripper">
  <link name="world"/>
  <link name="palm">
    <inertial><mass value="0.9"/><inertia ixx="0.004" ixy="0" ixz="0" iyy="0.003" iyz="0" izz="0.002"/></inertial>
  </link>
  <link name="left">
    <inertial><origin xyz="0 0.02 0.05"/><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="9e-5" iyz="0" izz="3e-5"/></inertial>
    <visual><geometry><sphere radius="0.02"/></geometry></visual>
  </link>
  <link name="right">
    <inertial><origin xyz="0 -0.02 0.05"/><mass value="0.1"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="9e-5" iyz="0" izz="3e-5"/></inertial>
  </link>
  <joint name="mount" type="fixed"><origin xyz="0 0 1" rpy="0 3.1 0"/><parent link="world"/><child link="palm"/></joint>
  <joint name="close" type="prismatic">
    <origin xyz="0 0.03 0.1"/><parent link="palm"/><child link="left"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.03" effort="1" velocity="1"/>
  </joint>
  <joint name="close_too" type="prismatic">
    <origin xyz="0 -0.03 0.1"/><parent link="palm"/><child link="right"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.03" effort="1" velocity="1"/>
    <mimic joint="close" multiplier="0.8" offset="0.001"/>
  </joint>
</robot>
"""  # noqa: E501

SENSORS = """<robot name="sensors">
  <link name="trunk">
    <inertial><mass value="10"/><inertia ixx="0.5" ixy="0" ixz="0" iyy="0.6" iyz="0" izz="0.7"/></inertial>
  </link>
  <link name="camera">
    <inertial><origin xyz="0.01 0 0"/><mass value="0.2"/><inertia ixx="1e-4" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
  </link>
  <link name="lens">
    <inertial><mass value="0.05"/><inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-5" iyz="0" izz="1e-5"/></inertial>
    <visual><geometry><capsule radius="0.01" length="0.02"/></geometry></visual>
  </link>
  <link name="wheel">
    <inertial><mass value="1.5"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="camera_mount" type="fixed"><origin xyz="0.4 0 0.2" rpy="0 0.3 0"/><parent link="trunk"/><child link="camera"/></joint>
  <joint name="lens_mount" type="fixed"><origin xyz="0.02 0 0" rpy="1.5 0 0.1"/><parent link="camera"/><child link="lens"/></joint>
  <joint name="axle" type="continuous">
    <origin xyz="0 -0.3 -0.1"/><parent link="lens"/><child link="wheel"/><axis xyz="0 2 0"/><dynamics damping="0.01"/>
  </joint>
</robot>
"""  # noqa: E501

MOVING = """<robot name="moving">
  <link name="world"/>
  <link name="ground">
    <inertial><mass value="3"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>
  </link>
  <link name="puck">
    <inertial><mass value="0.4"/><inertia ixx="0.001" ixy="0" ixz="0" iyy="0.001" iyz="0" izz="0.002"/></inertial>
  </link>
  <link name="stick">
    <inertial><mass value="0.6"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.001"/></inertial>
  </link>
  <joint name="flight" type="floating"><origin xyz="0 0 2" rpy="0 0 1"/><parent link="world"/><child link="ground"/></joint>
  <joint name="glide" type="planar"><origin xyz="0 0 0.1"/><parent link="ground"/><child link="puck"/><axis xyz="0 0 1"/></joint>
  <joint name="socket" type="spherical"><origin xyz="0 0.5 0"/><parent link="ground"/><child link="stick"/></joint>
</robot>
"""  # noqa: E501

GOOD = {"arm": ARM, "gripper": GRIPPER, "sensors": SENSORS, "moving": MOVING}


class Damage(NamedTuple):
    name: str
    content: bytes
    outcome: str  # "refused", "same", "either"
    of: str  # the good file


TAG = re.compile(r"<[^>?!]+>")
NUMBERS = (
    r"(?:xyz|rpy|value|i[xyz]{2}|size|radius|length|damping|lower|upper|effort|velocity|multiplier|"
    r'offset|rgba|scale)="([^"]+)"'
)
NO_NUMBER = (
    "nan",
    "inf",
    "-Infinity",
    "1e999",
    "1e31",
    "",
    "1,0",
    "0x10",
    "1_0",
    "١",
    "--1",
    "1.5.2",
    "abc",
    "1e",
    "${x}",
    "1 2 3 4 5",
)
WORDS = (
    "link",
    "joint",
    "inertial",
    "origin",
    "mass",
    "inertia",
    "axis",
    "parent",
    "child",
    "mimic",
    "dynamics",
    "limit",
    "visual",
    "geometry",
)


def damages(seed: int = 1) -> list[Damage]:
    """All of them, the same for the same seed."""
    dice = random.Random(seed)
    made = []
    for of, text in GOOD.items():
        made += [Damage(f"{of}-cut-{k}", cut(text, dice), "refused", of) for k in range(12)]
        made += [
            Damage(f"{of}-deleted-{k}", without_tag(text, dice), "either", of) for k in range(14)
        ]
        made += [
            Damage(f"{of}-swapped-{k}", with_swapped_tags(text, dice), "either", of)
            for k in range(10)
        ]
        made += [
            Damage(f"{of}-number-{k}", with_wrong_number(text, word), "refused", of)
            for k, word in enumerate(wrong_places(text, dice))
        ]
        made += [
            Damage(f"{of}-misspelt-{k}", misspelt(text, dice), "refused", of) for k in range(8)
        ]
        made += [
            Damage(f"{of}-{name}", content, outcome, of)
            for name, content, outcome in disguises(text)
        ]
    made += [
        Damage(f"structure-{name}", text.encode(), "refused", of)
        for name, (text, of) in structures().items()
    ]
    made += [Damage(f"name-{k}", renamed(name), "same", "arm") for k, name in enumerate(NAMES)]
    made += [
        Damage(f"mesh-{k}", ARM.replace("meshes/rod.stl", name).encode(), "same", "arm")
        for k, name in enumerate(MESHES)
    ]
    made += [
        Damage(f"attack-{name}", content, "refused", "arm") for name, content in attacks().items()
    ]
    return made


def cut(text: str, dice: random.Random) -> bytes:
    return text.encode()[: dice.randrange(text.index("</robot>") + 8)]


def without_tag(text: str, dice: random.Random) -> bytes:
    tag = dice.choice(list(TAG.finditer(text)))
    return (text[: tag.start()] + text[tag.end() :]).encode()


def with_swapped_tags(text: str, dice: random.Random) -> bytes:
    first, second = sorted(
        dice.sample(list(TAG.finditer(text)), 2), key=lambda found: found.start()
    )
    return (
        text[: first.start()]
        + second[0]
        + text[first.end() : second.start()]
        + first[0]
        + text[second.end() :]
    ).encode()


def wrong_places(text: str, dice: random.Random) -> list[tuple[int, int, str]]:
    """For every word that is no number a place where one stood; what is skipped anyway is left
    alone.
    """
    skipped = [found.span() for found in re.finditer(r"<collision>.*</collision>", text)]
    places = [found.span(1) for found in re.finditer(NUMBERS, text)]
    places = [
        place for place in places if not any(begin <= place[0] < end for begin, end in skipped)
    ]
    return [(*dice.choice(places), word) for word in NO_NUMBER]


def with_wrong_number(text: str, place: tuple[int, int, str]) -> bytes:
    begin, end, word = place
    given = text[begin:end].split()
    given[len(given) // 2] = word
    return (text[:begin] + " ".join(given) + text[end:]).encode()


def misspelt(text: str, dice: random.Random) -> bytes:
    """One letter of one tag doubled, in its beginning and its end."""
    places = [
        found
        for found in re.finditer(r"<(\w+)\b", text)
        if found[1] in WORDS and "<collision>" not in text[: found.start()].split("\n")[-1]
    ]
    found = dice.choice(places)
    at = dice.randrange(len(found[1]))
    wrong = found[1][:at] + found[1][at] * 2 + found[1][at + 1 :]
    rest = text[found.end() :]
    if not re.match(r"[^<>]*/>", rest):
        rest = rest.replace(f"</{found[1]}>", f"</{wrong}>", 1)
    return (text[: found.start()] + "<" + wrong + rest).encode()


def disguises(text: str) -> list[tuple[str, bytes, str]]:
    """What looks odd and is right, and what is no UTF-8."""
    raw = text.encode()
    return [
        ("bom", b"\xef\xbb\xbf" + raw, "same"),
        ("windows", raw.replace(b"\n", b"\r\n"), "same"),
        ("comment", raw.replace(b"</robot>", b"<!-- <!DOCTYPE x> <link/> --></robot>"), "same"),
        ("cdata", raw.replace(b"</robot>", b"<![CDATA[ <link name='x'/> ]]></robot>"), "same"),
        (
            "extension",
            raw.replace(
                b"</robot>", b"<drake:joint xmlns:drake='d'><mass/></drake:joint><other/></robot>"
            ),
            "same",
        ),
        ("invalid-utf8", raw.replace(b"<link", b"<link type='\xff\xfe'", 1), "refused"),
        ("utf16", re.sub(r"<\?.*\?>\n", "", text).encode("utf-16"), "refused"),
        ("nul", raw.replace(b"</robot>", b"\0</robot>"), "refused"),
        ("twice-attribute", raw.replace(b'<child link="', b'<child link="a" link="', 1), "refused"),
        ("wrong-root", raw.replace(b"<robot", b"<sdf").replace(b"</robot>", b"</sdf>"), "refused"),
        ("two-documents", raw + raw[raw.index(b"<robot") :], "refused"),
    ]


def structures() -> dict[str, tuple[str, str]]:
    def arm(old: str, new: str) -> tuple[str, str]:
        assert old in ARM
        return ARM.replace(old, new), "arm"

    spare = '<link name="spare"/></robot>'
    return {
        "two-roots": arm("</robot>", spare),
        "circle": arm('<parent link="base"/>', '<parent link="rod"/>'),
        "own-parent": arm('<parent link="upper"/>', '<parent link="rod"/>'),
        "two-parents": arm(
            "</robot>",
            '<joint name="loop" type="fixed"><parent link="base"/><child '
            'link="rod"/></joint></robot>',
        ),
        "second-inertial": arm("</inertial>", "</inertial><inertial/>"),
        "missing-link": arm('<child link="rod"/>', '<child link="rud"/>'),
        "missing-link-of-two-lines": arm(
            '<child link="rod"/>', '<child link="a&#10;b&#13;c&#x2028;d"/>'
        ),
        "link-twice": arm("</robot>", '<link name="rod"/></robot>'),
        "joint-twice": arm('name="slide"', 'name="shoulder"'),
        "no-name": arm('<link name="rod">', "<link>"),
        "blank-name": arm('<link name="rod">', '<link name=" ">'),
        "endless-name": arm('<link name="rod">', f'<link name="{"x" * 2000}">'),
        "unknown-type": arm('type="prismatic"', 'type="prismatik"'),
        "no-type": arm(' type="prismatic"', ""),
        "zero-axis": arm('<axis xyz="0 1 0.5"/>', '<axis xyz="0 0 0"/>'),
        "negative-mass": arm('value="0.7"', 'value="-0.7"'),
        "radius-by-a-word": arm(
            '<cylinder radius="0.05" length="0.4"/></geometry>\n',
            '<cylinder radius="thin" length="0.4"/></geometry>\n',
        ),
        "negative-damping": arm('damping="0.3"', 'damping="-0.3"'),
        "wrong-inertia": arm('izz="0.001"', 'izz="0.1"'),
        "inertia-without-mass": arm('value="0.7"', 'value="0"'),
        "missing-inertia-entry": arm('ixy="0.001" ', ""),
        "foreign-attribute": arm(
            '<origin xyz="0 0 0.3"/>', '<origin xyz="0 0 0.3" quat="0 0 0 1"/>'
        ),
        "origin-of-a-link": arm('<link name="rod">', '<link name="rod"><origin xyz="0 0 1"/>'),
        "mass-of-a-link": arm('<link name="rod">', '<link name="rod"><mass value="1"/>'),
        "xacro-tag": arm("</robot>", "<xacro:arm xmlns:xacro='x'/></robot>"),
        "no-links": ('<robot name="empty"></robot>', "arm"),
        "mimic-of-nothing": (
            GRIPPER.replace('mimic joint="close"', 'mimic joint="clse"'),
            "gripper",
        ),
        "mimic-of-itself": (
            GRIPPER.replace('mimic joint="close"', 'mimic joint="close_too"'),
            "gripper",
        ),
        "mimic-in-a-circle": (
            GRIPPER.replace(
                '<axis xyz="0 -1 0"/>', '<axis xyz="0 -1 0"/><mimic joint="close_too"/>'
            ),
            "gripper",
        ),
        "mimic-of-a-fixed-joint": (
            GRIPPER.replace('mimic joint="close"', 'mimic joint="mount"'),
            "gripper",
        ),
        "mimic-by-zero": (GRIPPER.replace('multiplier="0.8"', 'multiplier="0"'), "gripper"),
        "mimic-by-a-word": (GRIPPER.replace('multiplier="0.8"', 'multiplyer="0.8"'), "gripper"),
        "damped-flight": (
            MOVING.replace(
                '<child link="ground"/>', '<child link="ground"/><dynamics damping="1"/>'
            ),
            "moving",
        ),
    }


NAMES = (
    "a&#10;b",
    "&lt;b&gt;&amp;",
    "&quot;'",
    "räd €",
    "ground",
    "x" * 900,
    "../../x",
    "%s{0}",
    "rod.x",
)


def renamed(name: str) -> bytes:
    return ARM.replace('"rod"', f'"{name}"').encode()


MESHES = (
    "../secret.stl",
    "meshes/../../secret.stl",
    "/etc/passwd",
    "file:///etc/passwd",
    "file://../../../etc/passwd",
    "http://example.com/x.stl",
    "package://nowhere/x.stl",
    "package://../x.stl",
    "package:///etc/passwd",
    "package://",
    "",
    "leak/passwd",
    "x" * 5000,
    "meshes/&#10;.stl",
    "\\\\host\\share\\x.stl",
)

LAUGHS = "".join(f'<!ENTITY l{k + 1} "{f"&l{k};" * 10}">' for k in range(9))


def attacks() -> dict[str, bytes]:
    big = "A" * 100_000
    robot = '<robot name="{}"><link name="a"/></robot>'
    return {
        "billion-laughs": (
            f'<!DOCTYPE r [<!ENTITY l0 "ha">{LAUGHS}]>{robot.format("&l9;")}'.encode()
        ),
        "quadratic": f'<!DOCTYPE r [<!ENTITY a "{big}">]>{robot.format("&a;" * 10_000)}'.encode(),
        "external": (
            b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot '
            b'name="r">&x;<link name="a"/></robot>'
        ),
        "external-dtd": (
            b'<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot name="r"><link name="a"/></robot>'
        ),
        "parameter": (
            b'<!DOCTYPE r [<!ENTITY % x SYSTEM "file:///etc/passwd"> %x;]><robot '
            b'name="r"><link name="a"/></robot>'
        ),
        "hidden": (
            b'<?x <!-- ?><!DOCTYPE r [<!ENTITY x "y">]><!-- --><robot name="&x;"><link '
            b'name="a"/></robot>'
        ),
        "undeclared": b'<robot name="&x;"><link name="a"/></robot>',
        "nesting": b"<robot>" + b"<a>" * 3_500_000,
        "closed-nesting": b"<robot>" + b"<link>" * 800_000 + b"</link>" * 800_000 + b"</robot>",
        "long-attribute": b'<robot name="' + b"x" * 10_000_000 + b'"><link name="a"/></robot>',
        "many-attributes": b"<robot " + b" ".join(b'a%d="1"' % k for k in range(300)) + b"/>",
        "long-tag": b"<" + b"x" * 1_000_000 + b"/>",
        "too-large": b"<robot>" + b" " * (33 * 2**20),
        "empty": b"",
        "blank": b"  \n\n",
        "comment-only": b"<!-- robot -->",
        "binary": bytes(range(256)) * 10,
        "text": b"hamiltree = 1\n",
    }
