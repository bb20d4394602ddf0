"""Runs and models in a notebook: traits, what a cell shows, and the widget in JupyterLab."""

import json
import os
import re
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

import hamiltree as ht
from hamiltree.view.notebook import display
from hamiltree.view.page import view as page_view
from tests.view.chromium import TIMEOUT, chromium

pytest.importorskip("anywidget", reason="anywidget is not installed")

from traitlets import TraitError

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def run():
    model = ht.library.n_pendulum(3, angles=2.0)
    return ht.simulate(model, until=1.0, step=5e-3, save_every=1, progress=False)


@pytest.fixture
def notebook(monkeypatch):
    for module in (display, page_view):
        monkeypatch.setattr(module, "in_notebook", lambda: True)


# ---- traits --------------------------------------------------------------------------------------
def test_time_and_frame_follow_each_other(run):
    widget = run.widget()
    seen = []
    widget.observe(lambda change: seen.append((change["name"], change["new"])), ["time", "frame"])
    widget.frame = 40
    assert widget.time == run.t.values[40]
    widget.time = 0.5012  # between samples: the time stays, the frame is the next one
    assert (widget.time, widget.frame) == (0.5012, 100)
    widget.frame = -1
    assert (widget.time, widget.frame) == (1.0, 200)
    assert {"time", "frame"} == {name for name, _ in seen}


def test_times_beyond_the_run_are_its_ends(run):
    widget = run.widget()
    widget.time = 9.0
    assert (widget.time, widget.frame) == (1.0, 200)
    widget.time = -1.0
    assert (widget.time, widget.frame) == (0.0, 0)


def test_parts_are_selected_by_name_and_others_refused(run):
    widget = run.widget()
    for name in ("rod2", "hinge1", ""):
        widget.selected = name
        assert widget.selected == name
    with pytest.raises(TraitError, match="did you mean 'rod3'"):
        widget.selected = "rod33"
    with pytest.raises(TraitError, match="there are 201 frames"):
        widget.frame = 201


def test_what_the_front_end_reads_is_synchronised_and_the_frame_is_not(run):
    """web/test/link.test.ts has the other side of the same names."""
    state = run.widget(height=400, theme="light").get_state()
    used = re.findall(r'model\.get\("(\w+)"\)|send\("(\w+)"', front_end())
    assert {one or two for one, two in used} <= set(state)
    assert "frame" not in state
    assert json.loads(state["_document"])["name"] == "n_pendulum(3)"
    assert (state["height"], state["theme"]) == (400, "light")


def front_end():
    folder = ROOT / "web" / "src"
    return (folder / "widget.ts").read_text() + (folder / "link.ts").read_text()


def test_a_model_has_a_widget_too():
    widget = ht.library.four_bar().widget()
    widget.frame = 3
    assert widget.time == pytest.approx(3 / 30)


@pytest.mark.parametrize(
    "options, message",
    [({"height": 10}, "200 to 4000 pixels"), ({"theme": "drak"}, "did you mean 'dark'")],
)
def test_wrong_options_are_refused_by_name(run, options, message):
    with pytest.raises(ht.OptionError, match=message):
        run.widget(**options)


# ---- what a cell shows ---------------------------------------------------------------------------
def test_runs_and_models_show_the_widget_and_their_text(run, notebook):
    for shown in (run, run.model):
        data, *_ = shown._repr_mimebundle_(include=None, exclude=None)
        assert data["text/plain"] == repr(shown)
        assert "application/vnd.jupyter.widget-view+json" in data


def test_without_anywidget_the_page_is_shown_in_a_frame_that_says_what_to_install(
    run, notebook, monkeypatch
):
    monkeypatch.setattr(display, "has_anywidget", lambda: False)
    text = run._repr_mimebundle_()["text/html"]
    assert text.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert "pip install anywidget" in text
    assert "<script" not in text and text.count("<iframe") == 1


def test_a_view_in_a_notebook_is_the_widget_or_the_page_in_a_frame(run, notebook, tmp_path):
    assert run.view().selected == ""  # a trait of the widget
    page = run.view(html=tmp_path / "page.html", open=False)
    assert page._repr_mimebundle_()["text/html"].startswith("<iframe")


def test_outside_a_notebook_text_is_enough(run):
    assert run._repr_mimebundle_() == {"text/plain": repr(run)}


# ---- JupyterLab ----------------------------------------------------------------------------------
CELLS = (
    "import hamiltree as ht\n"
    "run = ht.simulate(ht.library.n_pendulum(3, angles=2.0), 1.0, 5e-3, progress=False)\n"
    "w = run.widget(); w",
    "w.time = 0.5; w.selected = 'rod2'",
    "print('time is', round(w.time, 6), w.selected)",
    "run",
)


def notebook_of(cells):
    made = [
        {"cell_type": "code", "id": f"c{k}", "metadata": {}, "outputs": [],
         "execution_count": None, "source": source}
        for k, source in enumerate(cells)
    ]  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4,
                       "nbformat_minor": 5})  # fmt: skip


@pytest.fixture
def lab(tmp_path):
    """The address of a server of JupyterLab in a folder of its own."""
    if find_spec("jupyterlab") is None:
        pytest.skip("jupyterlab is not installed (the extra jupyter)")
    (tmp_path / "run.ipynb").write_text(notebook_of(CELLS))
    log = tmp_path / "lab.log"
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    own = {
        name: str(tmp_path / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR")
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
               "--IdentityProvider.token=secret", "--ServerApp.port_retries=50",
               "--ServerApp.open_browser=False", "--ip=127.0.0.1",
               f"--notebook-dir={tmp_path}"]  # fmt: skip
    with log.open("w") as file:
        server = subprocess.Popen(
            command, stdout=file, stderr=file, env={**os.environ, **own, "PYTHONPATH": paths}
        )
    try:
        end = time.monotonic() + TIMEOUT / 1000
        while not (found := re.search(r"http://127\.0\.0\.1:\d+/", log.read_text())):
            assert server.poll() is None and time.monotonic() < end, log.read_text()
            time.sleep(0.2)
        yield found[0]
    finally:
        server.terminate()
        server.wait(30)


def test_the_widget_renders_and_follows_python_in_jupyterlab(lab):
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": 1400, "height": 1000}, reduced_motion="reduce")
        tab.set_default_timeout(TIMEOUT)
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.goto(f"{lab}lab/tree/run.ipynb?token=secret")
        tab.locator(".jp-CodeCell .cm-content").first.click()
        tab.keyboard.press("Shift+Enter")
        widget = tab.locator(".hamiltree[data-ready]").first
        widget.wait_for()
        for _ in CELLS[1:3]:
            tab.keyboard.press("Shift+Enter")
        tab.get_by_text("time is 0.5 rod2").wait_for()
        tab.wait_for_function(
            "document.querySelector('.hamiltree[data-ready]').dataset.time === '0.5'"
        )
        assert widget.locator("canvas.picture").bounding_box()["width"] > 200
        assert not [error for error in errors if "hamiltree" in error]
