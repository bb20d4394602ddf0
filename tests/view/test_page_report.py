"""The report of a run, its ledger and the limits of joints in the page."""

import json

import numpy as np
import pytest

import hamiltree as ht
from hamiltree.trajectory.lines import Line, Thresholds
from hamiltree.trajectory.recorded_lines import recorded_lines
from hamiltree.trajectory.trajectory import Trajectory
from hamiltree.view.page import report_data
from hamiltree.view.page.arrays import decode, read_array
from hamiltree.view.page.view import Page
from tests.view.chromium import OpenPage, chromium

SPRING, DAMPER = ht.JointSpring("hinge", 3.0), ht.JointDamper("hinge", 0.4)


def make_run():
    """A swing that passes a limit; its spring stores, its damper loses."""
    swing = ht.Model(
        [ht.Body("bar", 1.0, (0, 0, -0.5), 0.1)],
        [ht.Revolute("hinge", "ground", "bar", axis=(0, 1, 0), q=1.0, limits=ht.Limits(-9, 0.5))],
        forces=[SPRING, DAMPER],
        name="swing",
    )
    return ht.simulate(swing, until=2.0, step=1e-2, save_every=1, progress=False)


@pytest.fixture(scope="module")
def run():
    return make_run()


def report_of(run):
    return Page(run).document[0]["report"]


# ---- lines ---------------------------------------------------------------------------------------
def test_a_page_has_the_lines_of_what_was_recorded(run):
    expected = recorded_lines(run, Thresholds())
    shown = report_of(run)
    assert [line["name"] for line in shown["lines"]] == [line.name for line in expected]
    assert [line["sentence"] for line in shown["lines"]] == [line.sentence for line in expected]
    assert shown["verdict"] == run.verdict == "good"


def test_a_page_has_the_report_that_was_made_last():
    fresh = make_run()
    report = fresh.report()
    assert len(report.lines) > len(recorded_lines(fresh, Thresholds()))
    assert [line["name"] for line in report_of(fresh)["lines"]] == [each.name for each in report]


def test_a_page_of_a_file_has_the_report_of_the_file(run):
    lines = [
        Line("drift", 0.25, "of all", "bad", "It drifts."),
        Line("horizon", 3.0, "s", "determined", "Until then."),
        Line("broken", None, "", "doubtful", "No number."),
    ]
    text = json.dumps([line.as_dict() for line in lines])
    stored = Trajectory(run.dataset.assign_attrs(report=text, verdict="bad"), run.model)
    shown = report_of(stored)
    assert shown["verdict"] == "bad"
    assert shown["lines"][0] == {
        "name": "drift", "number": "0.25", "scale": "of all", "verdict": "bad",
        "sentence": "It drifts.",
    }  # fmt: skip
    assert shown["lines"][2]["number"] == ""


@pytest.mark.parametrize("text", ["no JSON", "[3]", '[{"name": 1}]', "[]"])
def test_a_stored_report_that_cannot_be_read_is_none(run, text):
    stored = Trajectory(run.dataset.assign_attrs(report=text), run.model)
    assert report_of(stored) == report_of(run)


# ---- ledger and limits ---------------------------------------------------------------------------
def channels(run):
    document, arrays = Page(run).document
    content = decode(arrays)
    series = document["series"]
    t = read_array(content, series["t"])
    return t, {(c["plot"], c["name"]): read_array(content, c["values"]) for c in series["channels"]}


def test_the_ledger_is_among_the_plots_of_a_page(run):
    t, found = channels(run)
    angle = np.interp(t, run.t.values, run.q.values[:, 0])
    spring = found[report_data.STORED, "joint_spring hinge"]
    np.testing.assert_allclose(spring, 1.5 * (angle**2 - 1.0), atol=1e-12)
    lost = found[report_data.WORK, "joint_damper hinge"]
    np.testing.assert_allclose(lost, np.interp(t, run.t.values, run.work.values), atol=1e-6)
    assert (report_data.WORK, "joint_spring hinge") not in found


def test_a_ledger_that_would_take_long_is_left_out(run, monkeypatch):
    monkeypatch.setattr(report_data, "MAX_LEDGER", 10)
    assert not any(plot == report_data.STORED for plot, _ in channels(run)[1])


def test_gravity_alone_is_no_ledger():
    alone = ht.simulate(ht.library.n_pendulum(2, angles=1.0), 0.1, 1e-2, progress=False)
    assert not any(plot == report_data.STORED for plot, _ in channels(alone)[1])


def test_a_page_knows_the_limits_of_its_coordinates(run):
    assert Page(run).document[0]["coordinates"]["limits"] == [[-9.0, 0.5]]


# ---- the panel -----------------------------------------------------------------------------------
def test_the_panel_says_verdicts_in_words_and_opens_what_is_wrong(run, tmp_path):
    lines = [
        Line("energy balance", 2e-14, "of 5 J exchanged", "good", "Kept."),
        Line("drift", 0.25, "of <b>all</b>", "bad", "It <i>drifts</i>."),
    ]
    text = json.dumps([line.as_dict() for line in lines])
    stored = Trajectory(run.dataset.assign_attrs(report=text), run.model)
    stored.view(html=tmp_path / "run.html", open=False)
    with chromium() as browser:
        page = OpenPage(browser, tmp_path / "run.html")
        words = page.tab.locator(".report .verdict").all_inner_texts()
        assert words == ["bad", "good", "bad"]  # of all, then of each line
        good, bad = page.tab.locator(".report details").all()
        assert good.inner_text().split("\n") == [
            "energy balance",
            "2.0e-14 of 5 J exchanged",
            "good",
        ]
        assert "It <i>drifts</i>." in bad.inner_text() and "of <b>all</b>" in bad.inner_text()
        good.locator("summary").click()
        assert "Kept." in good.inner_text()
        choices = page.tab.locator(".plot-chooser option").all_inner_texts()
        assert {report_data.STORED, report_data.WORK} <= set(choices)
        assert page.errors == [] and page.outside_requests == []
