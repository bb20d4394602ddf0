"""Frames of the page in Chromium without a window, driven by Playwright."""

from __future__ import annotations

import base64
import importlib.util
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hamiltree.errors import FileError

if TYPE_CHECKING:
    from hamiltree.trajectory.trajectory import Trajectory

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
)
TIMEOUT = 120_000  # ms
# the picture alone, as large as the window
PREPARE = """() => {
  const app = window.hamiltree;
  app.player.play(false);
  app.root.classList.add("no-left", "no-right", "filming");
  for (const part of app.root.querySelectorAll("header, .timeline")) part.style.display = "none";
  app.resize(); app.resetCamera(); app.draw();
}"""
# a canvas can be read in the same task in which it was drawn
SHOOT = """time => {
  const app = window.hamiltree;
  app.player.seek(time); app.draw();
  return app.picture.stage.canvas.toDataURL("image/png");
}"""
TOP, BOTTOM = np.array([255, 255, 255]), np.array([230, 235, 241])  # background, as the page's


def find_browser() -> tuple[str | None, str]:
    """The Chromium that $CHROMIUM names or one on the path, and what is missing to use it."""
    named = os.environ.get("CHROMIUM")
    path = named or next((found for name in NAMES if (found := shutil.which(name))), None)
    lacking = [] if path else ["Chromium"]
    if importlib.util.find_spec("playwright") is None:
        lacking.append("Playwright (`pip install playwright`)")
    return path, " and ".join(lacking)


def page_frames(run: Trajectory, times: np.ndarray, pixels: tuple[int, int]) -> Iterator[Any]:
    """RGB images of the picture of the page at these times."""
    from playwright.sync_api import Error, sync_playwright

    from hamiltree.view.page.view import Page

    page = Page(run)
    with tempfile.TemporaryDirectory(prefix="hamiltree-") as folder:
        place = page.save(Path(folder) / "page.html")
        try:
            with sync_playwright() as driver:
                tab = open_tab(driver, place, pixels)
                for time in times.tolist():
                    yield on_background(tab.evaluate(SHOOT, time), pixels)
        except Error as error:
            reason = str(error).splitlines()[0]
            raise FileError(
                f"Chromium cannot draw the page ({reason}); use the renderer matplotlib"
            ) from error


def open_tab(driver: Any, place: Path, pixels: tuple[int, int]) -> Any:
    """The page in a window without a screen, its picture as large as the window."""
    width, height = pixels
    browser = driver.chromium.launch(executable_path=find_browser()[0], args=list(FLAGS))
    tab = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    tab.set_default_timeout(TIMEOUT)
    tab.goto(f"{place.as_uri()}#theme=light")
    tab.wait_for_selector("[data-ready]")
    tab.evaluate(PREPARE)
    return tab


def on_background(address: str, pixels: tuple[int, int]) -> Any:
    """The image of a data: address on the background of the page."""
    from PIL import Image

    width, height = pixels
    content = base64.b64decode(address.partition(",")[2])
    picture = Image.open(io.BytesIO(content)).convert("RGBA")
    down = np.linspace(0.0, 1.0, height)[:, None]
    rows = np.round(TOP + down * (BOTTOM - TOP)).astype(np.uint8)
    back = Image.fromarray(np.repeat(rows[:, None], width, axis=1)).convert("RGBA")
    back.alpha_composite(picture.resize(pixels) if picture.size != pixels else picture)
    return back.convert("RGB")
