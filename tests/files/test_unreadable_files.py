"""Files that no reader should trust are refused in one short line: pipes, devices, files that are
too large, nested too deeply, or ask for more memory than there is.
"""

import io
import os
import struct

import pytest

import hamiltree as ht
from hamiltree.errors import MAX_MESSAGE, find_similar, shorten_message
from hamiltree.files import text, toml_source
from hamiltree.files.mjcf_files import check_files
from hamiltree.files.mjcf_limits import MAX_COUNT, MAX_DEPTH, MAX_PARTS
from hamiltree.trajectory.trajectory import Trajectory

ENDINGS = ("toml", "urdf", "xml", "mjcf")
BODY = '<body><joint name="j"/><geom size="1"/></body>'


def refuse(path, error=ht.HamiltreeError):
    """The message with which a file is refused: one short line."""
    with pytest.raises(error) as found:
        ht.load(path)
    message = str(found.value)
    assert "\n" not in message and len(message) <= MAX_MESSAGE + 10
    return message


def write(path, content):
    path.write_text(content)
    return path


# ---- what is no plain file -----------------------------------------------------------------------
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pipe_is_refused_without_waiting_for_it(tmp_path, ending):
    os.mkfifo(tmp_path / f"model.{ending}")
    assert "it is not a plain file" in refuse(tmp_path / f"model.{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_device_without_an_end_is_refused(tmp_path, ending):
    os.symlink("/dev/zero", tmp_path / f"model.{ending}")
    assert "it is not a plain file" in refuse(tmp_path / f"model.{ending}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_folder_is_no_model(tmp_path, ending):
    (tmp_path / f"model.{ending}").mkdir()
    assert "Is a directory" in refuse(tmp_path / f"model.{ending}")


def test_a_run_is_read_from_plain_files_only(tmp_path):
    os.mkfifo(tmp_path / "run.nc")
    os.symlink("/dev/zero", tmp_path / "zero.nc")
    for name in ("run.nc", "zero.nc"):
        with pytest.raises(ht.FileError, match="it is not a plain file"):
            Trajectory.load(tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_of_a_hundred_megabytes_is_refused_before_it_is_read(tmp_path, ending, monkeypatch):
    path = tmp_path / f"model.{ending}"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)  # takes no place on the disk
    monkeypatch.setattr(text, "open", UnreadFile, raising=False)
    assert f"model.{ending}:1: larger than" in refuse(path)


class UnreadFile(io.BytesIO):
    """Stands for an open file that nobody may read."""

    def __init__(self, *_):
        super().__init__()

    def read(self, *_):
        raise AssertionError("the file was read")


# ---- names with a null character -----------------------------------------------------------------
@pytest.mark.parametrize("ending", [*ENDINGS, "nc"])
def test_no_file_is_read_whose_name_has_a_null_character(ending):
    read = Trajectory.load if ending == "nc" else ht.load
    with pytest.raises(ht.FileError, match=r"a\\x00b"):
        read(f"a\0b.{ending}")


def test_no_file_is_written_whose_name_has_a_null_character(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = ht.library.pendulum()
    run = ht.simulate(model, until=0.01, step=1e-3, progress=False)
    attempts = (
        lambda: ht.simulate(model, until=0.01, step=1e-3, progress=False, output="a\0b.nc"),
        lambda: run.save("a\0b.nc"),
        lambda: ht.save(model, "a\0b.toml"),
        lambda: ht.save(model, "a\0b.urdf", drop="all"),
        lambda: model.view(html="a\0b.html"),
    )
    for attempt in attempts:
        with pytest.raises(ht.FileError, match=r"a\\x00b"):
            attempt()
    assert not os.listdir(tmp_path)


# ---- TOML ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["[", "{a="])
def test_toml_of_five_thousand_brackets_is_refused(tmp_path, kind):
    close = {"[": "]", "{a=": "}"}[kind]
    nested = write(tmp_path / "deep.toml", f"a = {kind * 5000}1{close * 5000}\n")
    assert refuse(nested) == f"{nested}:1: nested too deeply for a model"


@pytest.mark.parametrize("head", ["", "[hamiltonian]\n"])
def test_an_integer_of_six_thousand_digits_is_refused_at_its_line(tmp_path, head):
    path = write(tmp_path / "long.toml", f"{head}a = {'1' * 6000}\n")
    assert f"long.toml:{1 + len(head.splitlines())}: not valid TOML" in refuse(path)


@pytest.mark.parametrize("part", ["a", '"a b"', "'a'"])
def test_a_key_of_many_parts_is_refused_before_tomllib_sees_it(tmp_path, part, monkeypatch):
    path = write(tmp_path / "key.toml", "x = 1\n" + " . ".join([part] * 20_000) + " = 1\n")
    monkeypatch.setattr(toml_source, "tomllib", None)
    assert "key.toml:2: a key of more than 32 parts" in refuse(path)


def test_dots_in_numbers_and_sentences_are_no_long_keys():
    numbers = "at = [" + ", ".join(["1.25"] * 500) + "]"
    sentence = "text = '''" + "It is. So it is. " * 50 + ". " * 500 + "." * 500 + "'''"
    assert len(toml_source.parse(f"{numbers}\n{sentence}\n", "x")["at"]) == 500


# ---- MJCF ----------------------------------------------------------------------------------------
def mjcf(before="", world=BODY, after=""):
    return f"<mujoco>{before}<worldbody>{world}</worldbody>{after}</mujoco>"


HUGE = {
    "nkey": mjcf('<size nkey="2000000000"/>'),
    "nuser_body": mjcf('<size nuser_body="2000000000"/>'),
    "nuser_body is -5": mjcf('<size nuser_body="-5"/>'),
    "nuser_body is no number": mjcf('<size nuser_body="many"/>'),
    "memory": mjcf('<size memory="900E"/>'),
    "hfield": mjcf('<asset><hfield name="h" nrow="9999" ncol="9999" size="1 1 1 1"/></asset>'),
    "texture": mjcf('<asset><texture name="t" builtin="flat" width="30000"/></asset>'),
    "numeric": mjcf('<custom><numeric name="n" size="2000000000"/></custom>'),
    "sensor": mjcf(after='<sensor><user dim="2000000000"/></sensor>'),
    "nsample": mjcf(after='<actuator><motor joint="j" nsample="999999999"/></actuator>'),
    "mesh": mjcf('<asset><mesh name="m" builtin="cone" params="99999 1"/></asset>'),
    "replicate": mjcf(world=f'<replicate count="10000000">{BODY}</replicate>'),
    "replicates": mjcf(world=4 * '<replicate count="99">' + BODY + 4 * "</replicate>"),
    "composite": mjcf(world='<composite type="cable" count="99999999 1 1"/>'),
    "flexcomp": mjcf(world='<flexcomp name="f" type="grid" count="999 999 999"/>'),
}


@pytest.mark.parametrize("name", HUGE)
def test_mjcf_that_asks_for_too_much_is_refused_before_mujoco_allocates_it(tmp_path, name):
    pytest.importorskip("mujoco")
    path = write(tmp_path / "huge.xml", HUGE[name])
    assert refuse(path).startswith(f"{path}:1: ")


def test_attached_models_are_counted_as_often_as_they_are_attached(tmp_path):
    many = "".join(f'<attach model="m" body="b" prefix="p{k}"/>' for k in range(30))
    for level in range(4):
        asset = f'<asset><model name="m" file="level{level + 1}.xml"/></asset>'
        write(tmp_path / f"level{level}.xml", mjcf(asset, f'<body name="b">{many}</body>'))
    write(tmp_path / "level4.xml", mjcf(world='<body name="b"><joint/><geom size="1"/></body>'))
    assert f"more than {MAX_PARTS} parts" in refuse(tmp_path / "level0.xml")


def test_an_included_file_is_copied_with_what_includes_it(tmp_path):
    copies = '<replicate count="9000" offset="1 0 0">{}</replicate>'
    part = f"<mujocoinclude>{copies.format(BODY)}</mujocoinclude>"
    write(tmp_path / "part.xml", part)
    whole = mjcf(world=copies.format('<include file="part.xml"/>'))
    assert f"more than {MAX_PARTS} parts" in refuse(write(tmp_path / "whole.xml", whole))
    check_files(str(write(tmp_path / "one.xml", mjcf(world='<include file="part.xml"/>'))))


def test_a_scene_of_many_attached_models_is_counted_once_each(tmp_path):
    geoms = 20 * '<geom size="1"/>'
    models, attached = "", ""
    for k in range(6):
        write(tmp_path / f"m{k}.xml", mjcf(world=f'<body name="b">{geoms}</body>'))
        models += f'<model name="m{k}" file="m{k}.xml"/>'
        attached += 2 * f'<frame><attach model="m{k}" body="b" prefix="p{k}_"/></frame>'
    scene = mjcf(f"<asset>{models}</asset>", geoms + attached)
    assert check_files(str(write(tmp_path / "scene.xml", scene))) == 7


@pytest.mark.parametrize("length", [1, 2, MAX_DEPTH + 2])
def test_models_of_themselves_or_nested_too_deeply_are_refused(tmp_path, length):
    """MuJoCo follows such a circle until its process ends."""
    for k in range(length):
        model = f'<asset><model name="m" file="m{(k + 1) % length}.xml"/></asset>'
        write(tmp_path / f"m{k}.xml", mjcf(model))
    problem = "is a <model> of itself" if length <= 2 else f"more than {MAX_DEPTH} others"
    assert problem in refuse(tmp_path / "m0.xml")


def test_a_model_in_a_folder_may_have_the_name_of_the_file_that_names_it(tmp_path):
    (tmp_path / "parts").mkdir()
    write(tmp_path / "parts" / "arm.xml", mjcf())
    asset = '<asset><model name="m" file="parts/arm.xml"/></asset>'
    assert check_files(str(write(tmp_path / "arm.xml", mjcf(asset)))) == 2


def test_a_mesh_that_is_a_pipe_and_a_picture_of_four_billion_pixels_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.stl")
    size = struct.pack(">I4sII", 13, b"IHDR", 2**16, 2**16)
    (tmp_path / "large.png").write_bytes(b"\x89PNG\r\n\x1a\n" + size)
    mesh = write(tmp_path / "mesh.xml", mjcf('<asset><mesh file="pipe.stl"/></asset>'))
    assert "pipe.stl: cannot be read: it is not a plain file" in refuse(mesh)
    picture = mjcf('<asset><texture name="t" type="2d" file="large.png"/></asset>')
    assert "65536 × 65536 pixels" in refuse(write(tmp_path / "picture.xml", picture))


def test_sizes_within_the_limits_are_read(tmp_path):
    pytest.importorskip("mujoco")
    sizes = f'<size nkey="20" nuser_body="{MAX_COUNT // 100}" memory="10M"/>'
    field = '<asset><hfield name="h" nrow="200" ncol="200" size="1 1 1 1"/></asset>'
    copies = '<replicate count="3" offset="9 0 0">' + BODY + "</replicate>"
    model = ht.load(write(tmp_path / "small.xml", mjcf(sizes + field, copies)), drop="all")
    assert len(model.bodies) == 3


# ---- numbers -------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", ["1e61", "-1.5E+300", "1e6_1", "1" + 70 * "0"])
def test_a_number_that_no_model_has_is_refused_at_its_line(tmp_path, number):
    toml = f"hamiltree = 1\n[[body]]\nname = 'a'\nmass = 1.0\ncom = [0.0, {number}, 0.0]\n"
    plain = (
        toml.replace("'", '"')
        + '[[joint]]\nkind = "free"\nname = "j"\nparent = "ground"\nchild = "a"\n'
    )
    for text_of_file in (toml, plain):
        message = refuse(write(tmp_path / "huge.toml", text_of_file))
        assert "huge.toml:5: com = " in message and "is larger than 1e+60" in message
    world = f'<body pos="0 0 {number}"><joint/><geom size="1"/></body>'
    assert "is larger than 1e+60" in refuse(write(tmp_path / "huge.xml", mjcf(world=world)))


# ---- messages ------------------------------------------------------------------------------------
LONG = "n" * 1_000_000


@pytest.mark.parametrize(
    "lines",
    [
        f"[[body]]\nname = '{LONG}'\nmass = -1",
        f"[[body]]\nname = 'a'\n{LONG} = 1",
        f"[[body]]\nname = '{LONG}x'\nmass = 1\n[[joint]]\nkind = 'ball'\nname = 'j'\n"
        f"parent = 'ground'\nchild = '{LONG}'",
        f"[[joint]]\nkind = '{LONG}'\nname = 'j'",
    ],
)
def test_a_name_of_a_megabyte_is_not_repeated_in_full(tmp_path, lines):
    message = refuse(write(tmp_path / "long.toml", f"hamiltree = 1\n{lines}\n"))
    assert "long.toml:" in message and "nnn…" in message and len(message) < 1000


def test_short_messages_and_paths_are_left_as_they_are():
    path = "/" + "/".join(["folder" * 40] * 10) + "/model.toml:3: mass = -1 is negative"
    assert shorten_message(path) == path
    long = shorten_message("a " * 100_000 + "the remedy")
    assert len(long) <= MAX_MESSAGE + 3 and long.endswith("the remedy")


def test_control_characters_are_shown_and_not_sent():
    assert str(ht.FileError("a\x1b[31mb\0")) == r"a\x1b[31mb\x00"


def test_names_of_a_megabyte_are_not_compared_letter_by_letter():
    assert find_similar(LONG, [LONG + "x"]) is None
    assert find_similar("elbov", [LONG, "elbow"]) == "elbow"
