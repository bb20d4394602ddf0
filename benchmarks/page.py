"""Pages of runs: how large the files are, how long they take to write, and how long Chromium takes,
drawing by software, to show the first picture.

The times of Chromium are left out where there is none.
"""

import tempfile
import time
from pathlib import Path

import numpy as np

import hamiltree as ht
from benchmarks.measure import Row
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.page.html import bundle
from hamiltree.view.page.view import show
from hamiltree.view.scene.motion import ERROR_BOUND
from tests.view.chromium import FLAGS, find_chromium

MEGABYTE = 1e6
FEW, MANY = (10, 2000), (100, 5000)  # bodies and frames of the pages
UNTIL = 100.0  # s, of the demo
SMALL = {"FEW": (2, 20), "MANY": (3, 20), "UNTIL": 0.1}


def file_rows() -> list[Row]:
    """Sizes and seconds of writing."""
    with tempfile.TemporaryDirectory() as folder:
        return [*sizes(Path(folder)), *writing(Path(folder))]


def browser_rows() -> list[Row]:
    """Seconds of opening."""
    with tempfile.TemporaryDirectory() as folder:
        return opening(Path(folder))


def sizes(folder: Path) -> list[Row]:
    """Of the page without data, and of a few bodies with all of their frames."""
    empty = sum(len(bundle(name).encode()) for name in ("page.js", "page.css"))
    ten = restless_run(*FEW).view(html=folder / "ten.html")
    frames = ten.document[0]["motion"]["t"]["shape"][0]
    return [
        Row("page without data", "script and style", empty / MEGABYTE, "MB", at_most=0.9),
        Row(
            f"page of {FEW[0]} bodies",
            f"{frames} frames",
            size(ten.path) / MEGABYTE,
            "MB",
            at_most=2,
        ),
    ]


def writing(folder: Path) -> list[Row]:
    """The demo as a page: seconds of CPU, and how much of it is kept."""
    demo = ht.simulate(ht.library.chain(10), until=UNTIL, step=1e-3, save_every=5, progress=False)
    seconds = []
    for number in range(3):
        start = time.process_time()
        page = show(demo, folder / f"demo{number}.html")
        seconds.append(time.process_time() - start)
    motion = page.document[0]["motion"]
    frames, megabytes = motion["t"]["shape"][0], size(page.path) / MEGABYTE
    what = f"{frames} of {len(demo.t)} samples, {megabytes:.1f} MB"
    return [
        Row("run.view(html=…) of the demo", what, min(seconds), "s of CPU", at_most=1.5),
        Row(
            "largest error of its frames",
            "of the size of the model",
            motion["error"],
            "",
            at_most=ERROR_BOUND,
        ),
    ]


def opening(folder: Path) -> list[Row]:
    """Chromium opens many bodies with many frames."""
    from playwright.sync_api import sync_playwright

    chromium = find_chromium()
    if chromium is None:
        return []
    page = show(restless_run(*MANY), folder / "hundred.html", max_megabytes=40)
    frames = page.document[0]["motion"]["t"]["shape"][0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        tab = browser.new_page(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
        start = time.perf_counter()
        tab.goto(page.path.as_uri())
        tab.wait_for_selector("[data-ready]", timeout=300_000)
        seconds = time.perf_counter() - start
        browser.close()
    what = f"{frames} frames, {size(page.path) / MEGABYTE:.1f} MB, software rendering"
    return [Row(f"{MANY[0]} bodies opened to the first picture", what, seconds, "s", at_most=10)]


def restless_run(bodies: int, frames: int) -> Trajectory:
    """A chain that was run for one sample, whose poses are then replaced by noise, so that no frame
    can be left out.
    """
    import xarray as xr

    model = ht.library.chain(bodies)
    short = ht.simulate(model, until=1e-3, step=1e-3, progress=False).dataset
    rng = np.random.default_rng(0)
    sizes = {name: frames if name == "t" else count for name, count in short.sizes.items()}
    values = {}
    for name, variable in short.data_vars.items():
        shape = [sizes[dimension] for dimension in variable.dims]
        values[name] = (variable.dims, rng.normal(size=shape), variable.attrs)
    pose = values["pose"][1]
    pose[..., 3:] /= np.linalg.norm(pose[..., 3:], axis=-1, keepdims=True)
    coords = {name: short[name] for name in short.coords if name != "t"}
    noise = xr.Dataset(values, {**coords, "t": np.arange(frames) * 0.01}, short.attrs)
    return Trajectory(noise, model)


def size(path: Path | None) -> int:
    assert path is not None
    return path.stat().st_size
