"""Films: the frames that were asked for, whole or not at all."""

import os
import stat
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

import hamiltree as ht
from hamiltree.cli.app import app
from hamiltree.view.film import browser, film, writers

SMALL = {"fps": 4, "size": (160, 120), "renderer": "matplotlib", "progress": False}


@pytest.fixture(scope="module")
def run():
    model = ht.library.n_pendulum(3, angles=2.0)
    return ht.simulate(model, until=1.0, step=5e-3, save_every=1, progress=False)


@pytest.fixture
def no_ffmpeg(monkeypatch):
    monkeypatch.setattr(film, "find_ffmpeg", lambda: None)


def test_a_gif_has_the_frames_of_its_time(run, tmp_path):
    path = run.film(tmp_path / "motion.gif", **SMALL)
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size, picture.info["duration"]) == (4, (160, 120), 250)
        first = np.asarray(picture.convert("L"), dtype=float)
        picture.seek(3)
        last = np.asarray(picture.convert("L"), dtype=float)
    assert np.abs(first - last).max() > 50  # it moves
    assert [place.name for place in tmp_path.iterdir()] == ["motion.gif"]


@pytest.mark.parametrize("fps, delay", [(30.0, 30), (60.0, 20), (100.0, 20), (12.0, 80)])
def test_a_gif_lasts_as_long_as_its_run_whatever_its_frames_per_second(
    run, tmp_path, monkeypatch, fps, delay
):
    def blank(_run, times, pixels):
        return (Image.effect_noise(pixels, 50.0).convert("RGB") for _ in times)

    monkeypatch.setattr(film, "drawn_frames", blank)
    path = run.film(tmp_path / "motion.gif", **{**SMALL, "fps": fps})
    with Image.open(path) as picture:
        assert picture.info["duration"] == delay
        assert abs(picture.n_frames * delay - 1000) <= delay / 2


def test_short_and_long_runs_last_as_in_the_page(run):
    assert len(film.film_times(run, 10, 1.0)) == 10
    assert len(film.film_times(run, 10, 0.5)) == 20
    swift = ht.simulate(ht.library.andrews(), until=1e-3, step=1e-4, progress=False)
    times = film.film_times(swift, 10, 1.0)
    assert (len(times), times[0], times[-1]) == (150, 0.0, swift.t.values[-1])


@pytest.mark.parametrize(
    "options, message",
    [
        ({"fps": 0}, "fps = 0; give a number above 0"),
        ({"speed": -1.0}, "speed = -1.0"),
        ({"size": (10, 10)}, "64 to 4096 pixels"),
        ({"size": "large"}, "width and height in pixels"),
        ({"renderer": "chromum"}, "did you mean 'chromium'"),
        ({"speed": 1e-4}, "give a higher speed"),
        ({"speed": 0.002}, "too many for a GIF.*a higher speed.*fps.*a smaller size"),
    ],
)
def test_wrong_options_are_refused_and_nothing_is_written(run, tmp_path, options, message):
    with pytest.raises(ht.OptionError, match=message):
        run.film(tmp_path / "motion.gif", **options)
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_film_leaves_no_file_and_keeps_the_old_one(run, tmp_path, monkeypatch):
    def interrupted(*_):
        yield Image.new("RGB", (64, 64))
        raise KeyboardInterrupt

    monkeypatch.setattr(film, "drawn_frames", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run.film(tmp_path / "motion.gif", **SMALL)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "motion.gif").write_bytes(b"mine")
    with pytest.raises(KeyboardInterrupt):
        run.film(tmp_path / "motion.gif", **SMALL, force=True)
    assert (tmp_path / "motion.gif").read_bytes() == b"mine"


def test_without_ffmpeg_an_mp4_says_what_to_install(run, tmp_path, no_ffmpeg):
    with pytest.raises(ht.OptionError, match="needs ffmpeg.*apt install ffmpeg"):
        run.film(tmp_path / "motion.mp4", **SMALL)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="the program of this test is a shell script")
def test_an_mp4_is_what_ffmpeg_makes_of_all_frames(run, tmp_path, monkeypatch):
    """A program in its place that keeps what it gets: raw frames, 3 bytes per pixel."""
    program = tmp_path / "ffmpeg"
    program.write_text('#!/bin/sh\nfor last; do :; done\ncat > "$last"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    for module in (film, writers):
        monkeypatch.setattr(module, "find_ffmpeg", lambda: str(program))
    path = run.film(tmp_path / "motion.mp4", **SMALL)
    assert path.stat().st_size == 4 * 160 * 120 * 3
    program.write_text("#!/bin/sh\necho the disc is full >&2\nexit 1\n")
    with pytest.raises(ht.FileError, match="the disc is full"):
        run.film(tmp_path / "other.mp4", **SMALL)
    assert not (tmp_path / "other.mp4").exists()


def test_frames_of_the_page_are_taken_where_chromium_is_installed(run, tmp_path):
    if browser.find_browser()[1]:
        pytest.skip(f"no {browser.find_browser()[1]}")
    path = run.film(tmp_path / "motion.gif", **{**SMALL, "fps": 2, "renderer": "chromium"})
    with Image.open(path) as picture:
        assert (picture.n_frames, picture.size) == (2, (160, 120))
        first = np.asarray(picture.convert("RGB"), dtype=float)
        picture.seek(1)
        last = np.asarray(picture.convert("RGB"), dtype=float)
    assert np.abs(first - last).max() > 50


# ---- the shell -----------------------------------------------------------------------------------
def view(*arguments):
    return CliRunner().invoke(app, ["view", *map(str, arguments)])


def test_the_shell_writes_a_film(run, tmp_path):
    run.save(tmp_path / "run.nc")
    options = ["--fps", 2, "--size", "160x120", "--renderer", "matplotlib"]
    done = view(tmp_path / "run.nc", "--gif", tmp_path / "motion.gif", *options)
    assert done.exit_code == 0, done.output
    assert done.output == f"wrote {tmp_path / 'motion.gif'}\n"
    assert sorted(place.name for place in tmp_path.iterdir()) == ["motion.gif", "run.nc"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["four_bar", "--gif", "motion.gif"], "a film shows a run"),
        (["four_bar", "--gif", "motion.mp4"], "the file of --gif ends in .gif"),
        (["four_bar", "--mp4", "motion.mp4"], "needs ffmpeg"),
        (["run.nc", "--gif", "motion.gif", "--size", "wide"], "width and height in pixels"),
        (["run.nc", "--fps", "5"], "--fps is for films"),
        (["run.nc", "--gif", "motion.gif", "--reactions"], "--reactions is for pages"),
        (["run.nc", "--gif", "motion.gif", "--max-megabytes", "3"], "--max-megabytes is for pages"),
    ],
)
def test_the_shell_refuses_films_that_it_cannot_make(
    run, tmp_path, monkeypatch, no_ffmpeg, arguments, message
):
    monkeypatch.chdir(tmp_path)
    run.save("run.nc")
    done = view(*arguments)
    assert isinstance(done.exception, ht.HamiltreeError), done.output
    assert message in str(done.exception)
    assert [place.name for place in Path().iterdir()] == ["run.nc"]
