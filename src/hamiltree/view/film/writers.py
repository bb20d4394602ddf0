"""Files of frames: GIF by Pillow, which Matplotlib brings, MP4 by ffmpeg."""

from __future__ import annotations

import importlib
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hamiltree.errors import FileError

GIF_COLORS = 255
GIF_TICK = 10  # ms: delays of a GIF are whole hundredths of a second
LEAST_TICKS, MOST_TICKS = 2, 2**16 - 1  # browsers slow down what is faster; 16 bits of the format
QUALITY = "20"  # of H.264: lower is better and larger


def gif_delay(fps: float) -> int:
    """Milliseconds from frame to frame that a GIF can say, nearest to those asked for."""
    return GIF_TICK * min(max(LEAST_TICKS, round(1000.0 / fps / GIF_TICK)), MOST_TICKS)


class GifWriter:
    """Collects frames with few colours, then writes them."""

    def __init__(self, path: Path, fps: float):
        self.path = path
        self.delay = gif_delay(fps)
        self.frames: list[Any] = []

    def __enter__(self) -> GifWriter:
        return self

    def add(self, frame: Any) -> None:
        self.frames.append(frame.quantize(GIF_COLORS, dither=0))

    def __exit__(self, kind: Any, *_: Any) -> None:
        """Write the file, unless something went wrong."""
        if kind is None:
            first, *others = self.frames
            first.save(self.path, "GIF", save_all=True, append_images=others, duration=self.delay,
                       loop=0, optimize=False)  # fmt: skip


class Mp4Writer:
    """Sends frames to ffmpeg."""

    def __init__(self, path: Path, fps: float):
        self.path = path
        self.fps = fps
        self.process: subprocess.Popen | None = None

    def __enter__(self) -> Mp4Writer:
        return self

    def add(self, frame: Any) -> None:
        """Start ffmpeg with the first frame, and send each."""
        if self.process is None:
            command = ffmpeg_command(self.path, frame.size, self.fps)
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(frame.tobytes())
        except BrokenPipeError:
            self.finish()

    def __exit__(self, kind: Any, *_: Any) -> None:
        """Wait until the file is whole; end ffmpeg if something went wrong."""
        if self.process is None:
            return
        if kind is not None:
            self.process.kill()
            self.process.wait()
            return
        self.finish()

    def finish(self) -> None:
        """Close the pipe and read what ffmpeg says."""
        assert self.process is not None
        _, said = self.process.communicate()
        if self.process.returncode:
            lines = said.decode(errors="replace").strip().splitlines() or ["no reason given"]
            raise FileError(f"ffmpeg could not write the film: {lines[-1]}")


def ffmpeg_command(path: Path, size: tuple[int, int], fps: float) -> list[str]:
    """Raw RGB frames from standard input to H.264 that every player shows."""
    program = find_ffmpeg()
    assert program is not None
    width, height = size
    return [
        program, "-loglevel", "error", "-y",
        "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", f"{fps:g}",
        "-i", "-",
        "-c:v", "libx264", "-crf", QUALITY, "-pix_fmt", "yuv420p", "-movflags", "+faststart",
        str(path),
    ]  # fmt: skip


def find_ffmpeg() -> str | None:
    """The program on the path, or that of the package imageio-ffmpeg."""
    found = shutil.which("ffmpeg")
    if found:
        return found
    try:
        return importlib.import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        return None
