"""`run.film("motion.gif")`: times of the frames, who draws them, and a file that is whole or not
there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.console import ProgressBar
from hamiltree.errors import FileError, OptionError, suggest
from hamiltree.view.film.browser import find_browser, page_frames
from hamiltree.view.film.drawing import drawn_frames
from hamiltree.view.film.writers import GifWriter, Mp4Writer, find_ffmpeg, gif_delay
from hamiltree.view.plot_data import kind_of

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

SHORTEST, LONGEST = 1.0, 600.0  # s: a run within these lasts as long as it says, as in the page
OTHERS_LAST = 15.0  # s
MAX_FRAMES = 20_000
MAX_GIF_PIXELS = 2_000_000_000  # of all frames, which are in memory until a GIF is written: bytes
SMALLEST, LARGEST = 64, 4096  # pixels of a side
RENDERERS = ("chromium", "matplotlib")
ENDINGS = (".gif", ".mp4")


class RunFilm:
    """`run.film(…)`."""

    def __init__(self, run: Trajectory):
        self.run = run

    def __call__(self, path: str | os.PathLike, **options: Any) -> Path:
        """Write the motion as a film: .gif, or .mp4 where ffmpeg is installed.

        `fps`: frames per second; `speed`: seconds of the run per second of the film, in parts of
        what the page plays; `size`: (width, height) in pixels; `renderer`: "chromium" (frames of
        the page) or "matplotlib", whatever is installed unless it is given; `force` overwrites a
        file; `progress` shows how far it is after two seconds.
        """
        return write_film(self.run, path, **options)


def write_film(
    run: Trajectory,
    path: str | os.PathLike,
    *,
    fps: float = 25.0,
    speed: float = 1.0,
    size: tuple[int, int] = (800, 600),
    renderer: str | None = None,
    force: bool = False,
    progress: bool = True,
) -> Path:
    """The film of a run; nothing is written if it cannot be made."""
    target = check_film(path, force)
    is_gif = target.suffix.lower() == ".gif"
    fps = positive(fps, "fps")
    if is_gif:
        fps = 1000.0 / gif_delay(fps)
    times = film_times(run, fps, speed)
    pixels = check_pixels(size)
    if is_gif:
        check_memory(len(times), pixels)
    make_frames = choose_renderer(renderer)
    with part_file(target) as part:
        writer = GifWriter(part, fps) if is_gif else Mp4Writer(part, fps)
        with writer, ProgressBar(float(times[-1])) as bar:
            for time, frame in zip(times.tolist(), make_frames(run, times, pixels), strict=True):
                writer.add(frame)
                if progress:
                    bar.show(time)
    return target


# ---- options -------------------------------------------------------------------------------------
def check_film(path: str | os.PathLike, force: bool) -> Path:
    """A file that may be written in a format that something here can make."""
    from hamiltree.trajectory.netcdf import writable_path

    target = writable_path(path, force)
    if target.suffix.lower() not in ENDINGS:
        raise OptionError(f"{target}: a film ends in .gif or .mp4")
    if target.suffix.lower() == ".mp4" and find_ffmpeg() is None:
        raise OptionError(
            f"{target}: an MP4 film needs ffmpeg, which is not installed; install it (`apt install "
            "ffmpeg` or `pip install imageio-ffmpeg`), or write a GIF"
        )
    return target


def film_times(run: Trajectory, fps: Any, speed: Any) -> np.ndarray:
    """The times of the frames, from the first sample to the last."""
    if not run.has_bodies:
        raise OptionError(
            f"a run of {kind_of(run)} has no bodies to film; see plot.phase and view()"
        )
    fps, speed = positive(fps, "fps"), positive(speed, "speed")
    t = run.t.values
    span = float(t[-1] - t[0]) if len(t) else 0.0
    if span == 0.0:
        raise OptionError("this run has one time only, so there is no motion to film")
    seconds = (span if SHORTEST <= span <= LONGEST else OTHERS_LAST) / speed
    count = max(2, round(seconds * fps))
    if count > MAX_FRAMES:
        raise OptionError(
            f"a film of {seconds:g} s has {count} frames; {MAX_FRAMES} are the most, so give a "
            "higher speed or fewer frames per second (fps)"
        )
    return np.linspace(t[0], t[-1], count)


def positive(value: Any, name: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not 0.0 < value < float("inf"):
        raise OptionError(f"{name} = {value!r}; give a number above 0")
    return float(value)


def check_pixels(size: Any) -> tuple[int, int]:
    """Width and height, made even, as films need them."""
    try:
        width, height = (int(value) for value in size)
    except (TypeError, ValueError):
        raise OptionError(f"size = {size!r}; give width and height in pixels") from None
    if not all(SMALLEST <= side <= LARGEST for side in (width, height)):
        raise OptionError(f"size = {size!r}; sides have {SMALLEST} to {LARGEST} pixels")
    return width - width % 2, height - height % 2


def check_memory(count: int, pixels: tuple[int, int]) -> None:
    """Refuse a GIF whose frames together would need too much memory."""
    width, height = pixels
    if count * width * height > MAX_GIF_PIXELS:
        raise OptionError(
            f"{count} frames of {width} x {height} pixels are too many for a GIF, at most "
            f"{MAX_GIF_PIXELS // (width * height)} of this size; give a higher speed, fewer frames "
            "per second (fps), a smaller size, or write an MP4"
        )


def choose_renderer(name: str | None) -> Callable[..., Iterator[Any]]:
    """Who draws the frames: the page in Chromium where it is found, else Matplotlib."""
    if name is not None and name not in RENDERERS:
        raise OptionError(f"renderer = {name!r}; {suggest(str(name), RENDERERS)}")
    missing = find_browser()[1]
    if name == "chromium" and missing:
        raise OptionError(f"frames of the page need {missing}; or use renderer matplotlib")
    return drawn_frames if name == "matplotlib" or missing else page_frames


@contextmanager
def part_file(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its place when all went well, and else is removed."""
    place = Path(os.path.realpath(target))
    part = place.with_name(f".{place.stem}.{os.getpid()}.part{place.suffix}")
    try:
        yield part
        os.replace(part, place)
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        part.unlink(missing_ok=True)
