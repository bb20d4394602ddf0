"""The exported page in a real Chromium: it opens from disk, and every control does what it says."""

from pathlib import Path

import numpy as np
import pytest

import hamiltree as ht
from tests.view.chromium import OpenPage, chromium

MARK = "#ff00ff"  # a colour that nothing else has
EVIL = "<script>alert(1)</script>"
SMALL = {"width": 560, "height": 420}

# Centroid of the pixels in which red and blue are above green: those of the marked body.
CENTROID = """(() => {
  const canvas = app.picture.stage.canvas;
  const copy = document.createElement("canvas");
  copy.width = canvas.width; copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const { data, width } = context.getImageData(0, 0, copy.width, copy.height);
  let count = 0, x = 0, y = 0;
  for (let k = 0; k < data.length; k += 4) {
    const [r, g, b, a] = data.slice(k, k + 4);
    if (a < 128 || Math.min(r, b) < 8 || g > 0.9 * Math.min(r, b)) continue;
    count++; x += (k / 4) % width + 0.5; y += Math.floor(k / 4 / width) + 0.5;
  }
  return { count, x: x / count, y: y / count };
})()"""


@pytest.fixture(scope="module")
def browser():
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def run():
    return ht.simulate(ht.library.n_pendulum(3, angles=2.0), until=3.0, step=1e-3, progress=False)


@pytest.fixture(scope="module")
def page(browser, pages, run):
    """A run of three rods, which most tests use; each leaves it as it was."""
    run.view(html=pages / "run.html")
    found = OpenPage(browser, pages / "run.html")
    yield found
    assert found.errors == []
    assert found.outside_requests == []


@pytest.fixture
def fresh(page):
    """The page at its start, dark, with nothing selected."""
    page.do(
        "app.player.play(false); app.player.seek(0); app.selection.choose('none', -1);"
        "app.setTheme('dark'); app.setOrthographic(false); app.resetCamera()"
    )
    return page


# ---- it opens ------------------------------------------------------------------------------------
def test_a_page_opens_from_disk_without_a_request_or_an_error(fresh):
    assert fresh.tab.title() == "n_pendulum(3) · hamiltree"
    assert fresh.tab.inner_text("h1") == "n_pendulum(3)"
    assert fresh("app.picture.stage.renderer.info.render.triangles") > 1000
    assert fresh.tab.locator(".plot").count() >= 3


def test_the_policy_forbids_everything_but_our_own_script_and_style(fresh):
    policy = fresh.tab.get_attribute("meta[http-equiv]", "content")
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy and "http" not in policy


def test_figures_of_the_run_are_shown(fresh, run):
    text = fresh.tab.inner_text(".figures")
    assert f"{run.statistics['evaluations']}" in text and "bodies" in text
    assert "energy error" not in text  # the report above has the energy balance


# ---- time ----------------------------------------------------------------------------------------
def test_space_plays_and_pauses(fresh):
    fresh.tab.locator("canvas.picture").focus()
    fresh.tab.keyboard.press("Space")
    fresh.wait("app.player.time > 0.05")
    fresh.tab.keyboard.press("Space")
    assert not fresh("app.player.isPlaying")


def test_the_play_button_shows_whether_it_plays(fresh):
    fresh.tab.click(".play")
    assert fresh.tab.get_attribute(".play", "aria-pressed") == "true"
    fresh.tab.click(".play")
    assert fresh.tab.get_attribute(".play", "aria-pressed") == "false"


def test_scrubbing_moves_the_picture_to_that_time(fresh):
    fresh.tab.locator(".scrub").fill("5000")
    assert fresh.time == pytest.approx(1.5, abs=1e-3)


def test_keys_step_to_the_frames_beside_and_to_the_ends(fresh):
    times = fresh("Array.from(app.world.motion.frames.t)")
    fresh.tab.locator("canvas.picture").focus()
    fresh.tab.keyboard.press("ArrowRight")
    assert fresh.time == times[1]
    fresh.tab.keyboard.press("End")
    assert fresh.time == times[-1]
    fresh.tab.keyboard.press("ArrowLeft")
    assert fresh.time == times[-2]


def test_a_click_in_a_plot_jumps_there(fresh):
    over = fresh.tab.locator('[data-plot="energies"] .u-over')
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    fresh.tab.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 20)
    assert fresh.time == pytest.approx(1.5, abs=0.05)


def test_any_coordinate_and_phase_portrait_can_be_added(fresh):
    before = fresh.tab.locator(".plot").count()
    for key in ("qdot/1", "phase/2"):
        fresh.tab.select_option('[aria-label="Add a plot"]', key)
    assert fresh.tab.locator(".plot").count() == before + 2
    for title in ("rate of hinge2", "phase portrait of hinge3"):
        fresh.tab.click(f'[data-plot="{title}"] .close')
    assert fresh.tab.locator(".plot").count() == before


# ---- parts ---------------------------------------------------------------------------------------
def test_a_click_on_a_body_selects_it_and_shows_its_mass(fresh):
    at = fresh("app.pixelOf(2, [0, 0, -0.5])")
    canvas = fresh.tab.locator("canvas.picture").bounding_box()
    fresh.tab.mouse.click(canvas["x"] + at["x"], canvas["y"] + at["y"])
    assert fresh("[app.selection.kind, app.selection.index]") == ["body", 2]
    fresh.tab.wait_for_selector(".details h3")
    text = fresh.tab.inner_text(".details")
    assert "body rod3" in text and "1 kg" in text


def test_a_click_in_the_tree_shows_the_value_of_a_joint(fresh, run):
    fresh.tab.click('.tree [data-kind="joint"][data-index="1"]')
    fresh.do("")
    text = fresh.tab.inner_text(".details")
    assert "joint hinge2" in text and "revolute" in text
    assert fresh.tab.locator('.tree [aria-selected="true"]').inner_text().startswith("hinge2")


# ---- looks ---------------------------------------------------------------------------------------
def test_the_theme_can_be_switched(fresh):
    fresh.tab.locator("canvas.picture").focus()
    fresh.tab.keyboard.press("d")
    assert fresh.tab.get_attribute("#hamiltree", "data-theme") == "light"
    fresh.tab.keyboard.press("d")
    assert fresh.tab.get_attribute("#hamiltree", "data-theme") == "dark"


def test_the_picture_fills_its_place_after_a_change_of_size(fresh):
    fresh.tab.set_viewport_size({"width": 760, "height": 900})
    fresh.wait("app.picture.stage.width === 760")
    fresh.tab.set_viewport_size({"width": 1000, "height": 640})
    fresh.wait("app.picture.stage.width < 760")


def test_dragging_turns_and_the_home_button_turns_back(fresh):
    home = fresh("app.picture.camera")
    box = fresh.tab.locator("canvas.picture").bounding_box()
    fresh.tab.mouse.move(box["x"] + 150, box["y"] + 300)
    fresh.tab.mouse.down()
    fresh.tab.mouse.move(box["x"] + 230, box["y"] + 330)
    fresh.tab.mouse.up()
    assert fresh("app.picture.camera.azimuth") == pytest.approx(home["azimuth"] - 80 * 0.008)
    fresh.tab.click("text=home")
    assert fresh("app.picture.camera") == home


def test_a_snapshot_is_a_png_of_the_picture(fresh):
    with fresh.tab.expect_download() as download:
        fresh.tab.click("text=PNG")
    assert download.value.suggested_filename == "n-pendulum-3.png"
    content = Path(download.value.path()).read_bytes()
    assert content.startswith(b"\x89PNG") and len(content) > 5000


def test_a_page_plays_by_itself_unless_motion_shall_be_reduced(browser, pages, page):
    playing = OpenPage(browser, pages / "run.html", reduced_motion="no-preference", viewport=SMALL)
    playing.wait("app.player.time > 0")
    playing.tab.close()
    assert page("app.player.isPlaying") is False


# ---- pixels move as bodies do --------------------------------------------------------------------
def ball(radius=0.16, at=(0.0, 0.0, 0.0)):
    return ht.Sphere(radius, frame=ht.Frame(at), color=MARK)


def tree_model():
    bar = ht.Body.solid("bar", ht.Box((0.1, 0.1, 1.0), frame=ht.Frame((0, 0, -0.5))), mass=1.0)
    bob = ht.Body.solid("bob", ball(at=(0.5, 0.0, 0.0)), mass=1.0)
    hinges = [
        ht.Revolute("a", "ground", "bar", axis=(0, 1, 0), q=0.7),
        ht.Revolute("b", "bar", "bob", ht.Frame((0, 0, -1)), axis=(0.3, 0, 1), qdot=3.0),
    ]
    return ht.Model([bar, bob], hinges, name="tree"), "bob", (0.5, 0.0, 0.0)


def loop_model():
    model = ht.library.four_bar()
    visuals = [ball(0.05), *model.bodies[1].visuals]
    bodies = {model.bodies[1].name: {"visuals": visuals}}
    plain = {b.name: {"visuals": [ht.Box((0.02,) * 3, color="#808080")]} for b in model.bodies}
    return model.with_(bodies=plain | bodies), model.bodies[1].name, (0.0, 0.0, 0.0)


def free_model():
    body = ht.Body("b", 1.0, inertia=(1.0, 2.0, 2.5), visuals=[ball(at=(0.4, 0.2, 0.1))])
    joint = ht.Free("j", "ground", "b", qdot=(0.3, -0.2, 0.4, 0.5, 2.0, 0.1))
    return ht.Model([body], [joint], gravity=(0, 0, 0), name="free"), "b", (0.4, 0.2, 0.1)


def particle_model():
    places = [(x, y, z) for k in range(3) for s in (-0.3, 0.3) for x, y, z in [np.eye(3)[k] * s]]
    body = ht.Body.of_particles("m", ht.Particles(places))
    joint = ht.Free("j", "ground", "m", qdot=(0.4, 0.3, -0.5, 1.0, 0.5, 2.0))
    return ht.Model([body], [joint], gravity=(0, 0, 0), name="particles"), "m", (0.0, 0.0, 0.0)


# right and up of the picture in each view, axes of the world
VIEWS = {"x": ((0, 1, 0), (0, 0, 1)), "y": ((1, 0, 0), (0, 0, 1)), "z": ((1, 0, 0), (0, 1, 0))}


def rotated(q, v):
    w, a = q[0], np.array(q[1:])
    return np.array(v) + 2 * (w * np.cross(a, v) + np.cross(a, np.cross(a, v)))


@pytest.mark.parametrize("make", [tree_model, loop_model, free_model, particle_model])
def test_the_pixels_of_a_body_move_as_the_body_does_in_three_views(browser, pages, make):
    model, name, at = make()
    motion = ht.simulate(model, until=1.0, step=1e-3, progress=False)
    path = motion.view(html=pages / f"{make.__name__}.html").path
    page = OpenPage(browser, path, "#theme=dark", viewport=SMALL)
    page.do(
        "app.picture.setJoints(false); app.picture.setGround(false); app.picture.setTrails(false);"
        "app.setOrthographic(true)"
    )
    if make is particle_model:
        page.do("app.picture.bodies.forEach(g => g.base.forEach(c => c.set(0xff00ff)))")
    poses = motion.poses.sel(body=name).values
    seen = []
    for view, (right, up) in VIEWS.items():
        page.do(f"app.lookAlong('{view}')")
        for sample in (0, 500, 1000):
            page.do(f"app.player.seek({motion.t.values[sample]})")
            centroid = page(CENTROID)
            stage = page("({w: app.picture.stage.width, h: app.picture.stage.height})")
            camera = page("app.picture.camera")
            # half the height of a wide picture: the distance by the tangent of half of 35 degrees
            metres = camera["distance"] * np.tan(np.radians(17.5)) * 2 / stage["h"]
            metres *= max(1.0, stage["h"] / stage["w"])
            place = poses[sample, :3] + rotated(poses[sample, 3:], at) - camera["target"]
            wanted = (
                stage["w"] / 2 + place @ right / metres,
                stage["h"] / 2 - place @ up / metres,
            )
            assert centroid["count"] > 30, (view, sample)
            assert np.hypot(centroid["x"] - wanted[0], centroid["y"] - wanted[1]) < 1.5
            seen.append((round(wanted[0]), round(wanted[1])))
    assert len(set(seen)) > 5  # it did move
    assert page.errors == [] and page.outside_requests == []
    page.tab.close()


# ---- names are data ------------------------------------------------------------------------------
def test_names_of_a_model_stay_text_everywhere(browser, pages):
    body = ht.Body(EVIL, 1.0, com=(0, 0, -1), inertia=0.1)
    joint = ht.Revolute(f"'\"></script>{EVIL}", "ground", EVIL, axis=(0, 1, 0), q=1.0)
    model = ht.Model([body], [joint], name=EVIL)
    run = ht.simulate(model, until=0.5, step=1e-2, progress=False)
    for number, source in enumerate((run, model)):
        path = source.view(html=pages / f"evil{number}.html").path
        assert EVIL not in path.read_text(encoding="utf-8")
        page = OpenPage(browser, path, viewport=SMALL)
        page.do("app.labels.set(true); app.selection.choose('joint', 0); app.showHelp()")
        assert page.tab.inner_text("h1") == EVIL
        assert EVIL in page.tab.title()
        assert page.tab.locator("script").count() == 3
        assert EVIL in page.tab.locator(".tree").text_content()
        assert EVIL in page.tab.locator(".details").text_content()
        assert page.dialogs == [] and page.errors == []
        page.tab.close()


# ---- other pages ---------------------------------------------------------------------------------
def test_sliders_move_a_tree_that_was_never_run(browser, pages):
    path = ht.library.n_pendulum(2).view(html=pages / "model.html").path
    page = OpenPage(browser, path, viewport=SMALL)
    before = page("Array.from(app.world.poses)")
    page.tab.locator('.slider input[aria-label="hinge1"]').fill("1.0")
    page.do("")
    after = page("Array.from(app.world.poses)")
    # a turn about y: the second rod hangs one metre along the first
    wanted = [-np.sin(1.0), 0.0, -np.cos(1.0)]
    assert np.allclose(before[7:10], [0, 0, -1]) and np.allclose(after[7:10], wanted)
    assert page.errors == []
    page.tab.close()


def test_a_mechanism_moves_along_positions_that_keep_its_loop_closed(pages):
    model = ht.library.four_bar()
    document, _ = model.view(html=pages / "loop.html").document
    assert document["motion"]["t"]["shape"][0] > 20


def test_a_run_of_a_hamiltonian_shows_its_plots(browser, pages):
    h = ht.hamiltonian("(p**2 + q**2)/2", q=["q"], p=["p"])
    run = ht.simulate(h, until=10.0, step=0.01, q=[1.0], p=[0.0], progress=False)
    page = OpenPage(browser, run.view(html=pages / "h.html").path)
    assert page.tab.locator("canvas.picture").count() == 0
    assert page.tab.locator('[data-plot="phase portrait of q"]').count() == 1
    assert page.errors == []
    page.tab.close()


def test_hundreds_of_bodies_are_a_few_draw_calls(browser, pages):
    page = OpenPage(browser, ht.library.chain(400).view(html=pages / "many.html").path)
    calls = page("app.picture.stage.renderer.info.render.calls")
    assert page("app.world.bodies") == 400 and calls <= 20
    assert page.errors == []
    page.tab.close()
