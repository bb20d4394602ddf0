"""Pictures of the documentation, made by the page: python tools/page_pictures.py [names].

Each is a run, the time that is shown, a theme, and whether the whole page or the picture alone is
kept. They are written to docs/figures/view-NAME.png.
"""

import argparse
import io
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

import hamiltree as ht

ROOT = Path(__file__).resolve().parents[1]
FIGURES = ROOT / "docs" / "figures"
WHOLE = {"width": 1360, "height": 820}
ALONE = {"width": 920, "height": 760}


class Shot(NamedTuple):
    """What is shown of a run."""

    make: Callable[[], Any]
    time: float
    theme: str
    is_whole: bool = False
    statements: str = ""


def simulate(model: Any, until: float, step: float, **options: Any) -> Any:
    return ht.simulate(model, until=until, step=step, progress=False, **options)


def humanoid() -> Any:
    """A robot with meshes, floating and moving all its joints slowly."""
    folder = Path(sysconfig.get_path("purelib")) / "cmeel.prefix" / "share" / "example-robot-data"
    source = folder / "robots" / "talos_data" / "robots" / "talos_reduced.urdf"
    model = ht.load(source, packages={"example-robot-data": folder}, floating_base=True)
    still = model.with_(forces=())
    rng = np.random.default_rng(4)
    names = [name for name in still.speeds[6:] if "gripper" not in name]
    speeds = {name: 0.8 * rng.normal() for name in names}
    return simulate(still.with_(gravity=(0, 0, 0)), 1.0, 2e-3, qdot=speeds)


def tetrahedra() -> Any:
    return simulate(ht.load(ROOT / "examples" / "tetrahedra.toml"), 4.0, 1e-3)


SHOTS = {
    "chain": Shot(
        lambda: simulate(ht.library.chain(10), 100.0, 1e-3, save_every=5), 11.6, "dark", True
    ),
    "satellite": Shot(lambda: simulate(ht.library.satellite(), 40.0, 1e-2), 24.0, "dark"),
    "andrews": Shot(lambda: simulate(ht.library.andrews(), 0.05, 2e-5), 0.02, "light", True),
    "strandbeest": Shot(lambda: simulate(ht.library.strandbeest(), 6.0, 2e-3), 2.0, "light"),
    "stewart": Shot(lambda: simulate(ht.library.stewart(), 6.0, 2e-3), 2.0, "light"),
    "tetrahedra": Shot(tetrahedra, 0.5, "dark"),
    "molecules": Shot(lambda: simulate(ht.library.particle_box(), 2.0, 2e-3), 0.8, "dark"),
    "humanoid": Shot(humanoid, 0.55, "light"),
    "top": Shot(lambda: simulate(ht.library.top(), 2.0, 5e-4), 0.9, "light"),
}


def main() -> int:
    """Make the named pictures, or all."""
    from playwright.sync_api import sync_playwright

    sys.path.insert(0, str(ROOT))
    from tests.view.chromium import FLAGS, find_chromium

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[*SHOTS, []], metavar="name")
    chosen = parser.parse_args().names or list(SHOTS)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        for name in chosen:
            page = SHOTS[name].make().view(html=Path(folder) / f"{name}.html")
            picture = shoot(browser, page.path, SHOTS[name])
            picture.convert("RGB").save(FIGURES / f"view-{name}.png", optimize=True)
            print(f"view-{name}.png")
        browser.close()
    return 0


def shoot(browser: Any, path: Path, shot: Shot) -> Image.Image:
    """The page, or the picture in it, at a time."""
    size = WHOLE if shot.is_whole else ALONE
    tab = browser.new_page(viewport=size, reduced_motion="reduce")
    tab.set_default_timeout(300_000)
    tab.goto(f"{path.as_uri()}#t={shot.time}&theme={shot.theme}")
    tab.wait_for_selector("[data-ready]")
    if not shot.is_whole:
        tab.evaluate(
            """() => {
              const app = window.hamiltree;
              app.root.classList.add("no-left", "no-right", "filming");
              app.resize(); app.resetCamera(); app.draw();
            }"""
        )
    tab.wait_for_timeout(500)
    target = tab if shot.is_whole else tab.locator(".stage")
    picture = Image.open(io.BytesIO(target.screenshot()))
    tab.close()
    return picture


if __name__ == "__main__":
    sys.exit(main())
