"""Published problems: their data files, what is judged, and quick runs of most of them.

`hamiltree verify` runs all, with --full also those that take minutes.
"""

import importlib.util
import json
import math
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

import hamiltree as ht
from hamiltree.cli import app as cli
from hamiltree.errors import FileError, OptionError
from hamiltree.formulations import FORMULATIONS
from hamiltree.gallery import EXPERIMENTS
from hamiltree.integrators import find_integrator
from hamiltree.published import verify as verifying
from hamiltree.published.problem import FOLDER, Reference, Run, read_problem_file, references_of
from hamiltree.published.reading import read_end
from hamiltree.published.verdicts import AGREED, AS_FAR, DIFFERS, EXPLAINED, FAILED, judge
from hamiltree.published.verify import Finding, Verification, choose_problems, verify_problem

ROOT = Path(__file__).parents[2]
PROBLEMS = ht.published_problems()
# the rest takes longer, or is what tests of the documents and of Andrews' mechanism run as well
QUICK = (
    "bricard",
    "car_axis",
    "discrete_moser_veselov",
    "double_four_bar",
    "euler_top",
    "hamiltons_equations",
    "heavy_top",
    "henon_heiles",
    "iftomm_pendulum",
    "kepler",
    "nesc_brick",
    "table_11_1",
    "thesis_kepler",
    "thesis_oscillator",
)
# what has another digit, and where
BROKEN = ("discrete_moser_veselov", 'm1 = "1.76596251"', 'm1 = "1.76596261"')


# ---- data files ----------------------------------------------------------------------------------
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_says_where_it_comes_from_and_how_its_digits_were_checked(name):
    problem = PROBLEMS[name]
    assert problem.name == name and problem.title and problem.source and problem.parameters
    assert problem.checked or all(
        system.kind == "experiment" for system in problem.systems.values()
    )
    assert problem.runs_of(full=False)


@pytest.mark.parametrize("name", PROBLEMS)
def test_runs_name_what_there_is_and_allow_no_more_than_a_billionth(name):
    problem = PROBLEMS[name]
    for run in problem.runs:
        system = problem.systems[run.system]
        assert run.within <= 1e-9 and run.floor <= 1e-9
        if system.kind == "experiment":
            assert system.content in EXPERIMENTS and run.rows
        elif system.kind != "constraint":
            assert not run.formulation or run.formulation in FORMULATIONS
            find_integrator(run.integrator)
            assert references_of(problem, run)


def test_rigid_bodies_are_run_by_several_formulations():
    for name in ("andrews", "car_axis", "heavy_top", "nesc_brick", "bricard", "spatial_dynamics"):
        named = {run.formulation for run in PROBLEMS[name].runs if run.formulation}
        assert len(named) >= 3, name


def test_every_reference_is_compared_with_some_run():
    for name, problem in PROBLEMS.items():
        compared = [reference for run in problem.runs for reference in references_of(problem, run)]
        assert {one.what for one in problem.references} <= {one.what for one in compared}, name


def references_by_mpmath():
    spec = importlib.util.spec_from_file_location(
        "published_references", ROOT / "tools" / "published_references.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["iftomm_pendulum", "double_four_bar", "kepler", "nesc_brick"])
def test_stored_digits_are_those_of_elliptic_functions_and_keplers_equation(name, capsys):
    getattr(references_by_mpmath(), name)()
    printed = re.findall(r'"(-?[\d.]+)"', capsys.readouterr().out)
    stored = [one.digits for one in PROBLEMS[name].references if len(one.digits) > 17]
    assert stored
    for digits in stored:
        assert any(abs(float(digits) - float(other)) < 1e-15 for other in printed), digits


# ---- what is judged ------------------------------------------------------------------------------
def verdict(ours, good_to=0.0, within=1e-12, digits="1.25", by="published", reason=""):
    reference = Reference("x", digits, by, good_to, abs(float(digits)) or 1.0, reason=reason)
    return judge(reference, ours, Run("model", within=within), "a run")


def test_verdicts_tell_which_of_the_two_ends_the_agreement():
    assert verdict(1.25 + 1e-13).verdict == AGREED
    assert verdict(1.25 + 1e-9, good_to=5e-9).verdict == AS_FAR
    assert verdict(1.25 + 1e-11).verdict == DIFFERS
    assert verdict(math.nan).verdict == DIFFERS
    assert verdict(1.26, reason="misprint").verdict == EXPLAINED
    assert verdict(1.25, reason="misprint").verdict == AGREED


def test_digits_that_agree_are_no_more_than_the_reference_is_good_for():
    row = verdict(1.25, good_to=1.25e-8)
    assert row.digits == row.reference_digits == pytest.approx(8.0)
    assert verdict(1.25 + 1.25e-6).digits == pytest.approx(6.0)
    assert verdict(1.25).digits == 16.0 and verdict(-7.0).digits == 0.0


def test_printed_digits_are_good_to_half_of_the_last_one():
    published = {one.what: one for one in PROBLEMS["discrete_moser_veselov"].references}
    assert published["m1"].good_to == pytest.approx(5e-9)
    assert published["m2"].good_to == pytest.approx(5e-8)


# ---- runs ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", QUICK)
def test_a_quick_run_agrees_with_its_reference(name):
    finding = verify_problem(PROBLEMS[name])
    good = (AGREED, AS_FAR, EXPLAINED)
    bad = [row for row in finding.rows if row.verdict not in good]
    assert finding.rows and bad == []


def test_rows_of_table_11_1_as_printed_differ_and_as_corrected_agree():
    rows = {row.what: row for row in verify_problem(PROBLEMS["table_11_1"]).rows}
    for what in ("p2 J_wi 1 1", "ss gamma 1"):
        assert rows[what].verdict == AGREED
        assert rows[f"{what} as printed"].verdict == EXPLAINED
        assert "misprint" in rows[f"{what} as printed"].note


@pytest.fixture
def broken(tmp_path):
    """A file of the same form with one wrong digit."""
    name, right, wrong = BROKEN
    text = (FOLDER / f"{name}.toml").read_text(encoding="utf-8")
    assert text.count(right) == 1
    path = tmp_path / "broken.toml"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    return path


def test_a_wrong_digit_is_called_different(broken):
    found = ht.verify(str(broken), progress=False)
    wrong = [row for row in found["broken"].rows if row.verdict == DIFFERS]
    assert not found.agree and {row.what for row in wrong} == {"m1"} and len(wrong) == 3
    assert wrong[0].digits == pytest.approx(7.2, abs=0.1)
    assert "m1" in str(found) and "m2" not in str(found)  # only what does not agree


def test_a_run_that_fails_is_told_and_the_others_go_on(broken):
    text = broken.read_text(encoding="utf-8")
    broken.write_text(text.replace('"hamiltonian_tree"', '"free_bodies_rotation"'), "utf-8")
    finding = verify_problem(read_problem_file(broken))
    assert finding.verdict == FAILED and "gauss8 does not fit" in finding.rows[0].note
    assert len(finding.rows) > 1


# ---- files ---------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ('digits = "published"', 'digits = "publshed"', ":3: digits = 'publshed'; did you mean"),
        ('m1 = "1.76596251"', "m1 = 1.76", "write the digits in quotes, as printed"),
        ("[[reference]]", '[[reference]]\nvalue = "x"', "unknown key 'value'; did you mean"),
        ('system = "ode"', 'system = "odd"', "system = 'odd'; did you mean 'ode'?"),
        ("until = 10.0", "", "until is missing"),
        ("until = 10.0", "until = -1.0", "give a number that is not negative"),
        ('read = { m1 = "y m1"', "read = { m1 = 3", "give a table of texts"),
        ('library = "free_body"', "", "give one of library, hamiltonian, ode"),
        ("title", "tilte", "unknown key 'tilte'"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(tmp_path, right, wrong, message):
    text = (FOLDER / "discrete_moser_veselov.toml").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(right, wrong, 1), encoding="utf-8")
    with pytest.raises(FileError, match=re.escape(message)) as refused:
        read_problem_file(path)
    assert re.match(rf"{re.escape(str(path))}:\d+: ", str(refused.value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x of bod", "did you mean 'body'"),
        ("q fre", "did you mean 'free"),
        ("speed of light", "names no number of a run"),
    ],
)
def test_a_reading_that_names_nothing_is_refused(text, message):
    run = ht.simulate(ht.library.free_body(), until=0.01, step=0.01, progress=False)
    with pytest.raises(OptionError, match=message):
        read_end(run, text)


def test_readings_of_a_point_of_a_body_are_place_and_velocity_in_the_world():
    model = ht.library.pendulum(angle=0.3)
    run = ht.simulate(model, until=0.5, step=0.01, progress=False)
    angle, rate = float(run.q.values[-1, 0]), float(run.qdot.values[-1, 0])
    assert read_end(run, "x of bob at 0 0 -1") == pytest.approx(-math.sin(angle), abs=1e-14)
    assert read_end(run, "vz of bob at 0 0 -1") == pytest.approx(rate * math.sin(angle), abs=1e-14)
    assert read_end(run, "wy of bob in degrees") == pytest.approx(math.degrees(rate), abs=1e-12)


# ---- the command ---------------------------------------------------------------------------------
@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """command(*arguments) -> (code, out, err) of `hamiltree verify`, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["hamiltree", "verify", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code or 0, *capsys.readouterr()

    return call


def test_the_command_prints_every_number_of_a_named_problem(command):
    code, out, _ = command("iftomm-pendulum", "-q")
    assert code == 0 and "-0.275087462576116860" in out and "1 of 1 problems agree" in out


def test_a_number_that_differs_ends_with_1_and_is_in_the_data(command, broken):
    code, out, _ = command(broken, "iftomm_pendulum", "-q", "-o", "found.json")
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert code == 1 and "1 of 2 problems agree" in out and found["agree"] is False
    verdicts = {one["name"]: one["verdict"] for one in found["problems"]}
    assert verdicts == {"broken": DIFFERS, "iftomm_pendulum": AGREED}
    assert found["problems"][0]["numbers"][0]["reference"] == "1.76596261"


def test_an_unknown_problem_is_refused_with_the_nearest(command):
    code, out, error = command("andrew", "kepler")
    assert code == 2 and not out and "did you mean 'andrews'?" in error


@pytest.mark.parametrize(
    ("name", "message"),
    [("found.pdf", ".html, .md or .json"), ("here.md", "exists already"), ("no/a.md", "no folder")],
)
def test_an_output_that_cannot_be_is_refused_before_anything_is_run(command, name, message):
    Path("here.md").write_text("mine")
    code, out, error = command("kepler", "-o", name)
    assert code == 2 and not out and message in error


def test_the_list_has_every_problem(command):
    code, out, _ = command("--list")
    assert code == 0 and all(re.search(rf"^{name}\b", out, re.MULTILINE) for name in PROBLEMS)


def test_ctrl_c_leaves_what_is_done(command, monkeypatch):
    real = verifying.verify_problem

    def interrupted(problem, full):
        if problem.name == "kepler":
            raise KeyboardInterrupt
        return real(problem, full)

    monkeypatch.setattr(verifying, "verify_problem", interrupted)
    code, out, _ = command("iftomm_pendulum", "kepler", "-q", "-o", "found.json")
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert code == 130 and "interrupted" in out
    assert not found["complete"] and [one["name"] for one in found["problems"]] == [
        "iftomm_pendulum"
    ]
    assert not ht.verify("kepler", progress=False).is_complete


# ---- the page ------------------------------------------------------------------------------------
class Balance(HTMLParser):
    """Open tags, and whatever would be fetched."""

    def __init__(self):
        super().__init__()
        self.open, self.fetched = [], []

    def handle_starttag(self, tag, attrs):
        self.fetched += [
            value for key, value in attrs if key in ("src", "href") and not value.startswith("#")
        ]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing(tmp_path):
    findings = [verify_problem(one) for one in choose_problems(("table_11_1", "iftomm_pendulum"))]
    unrun = Finding(PROBLEMS["andrews"], ())
    found = Verification((*findings, unrun), is_complete=False)
    for name in ("found.html", "found.md"):
        found.write(tmp_path / name)
        text = (tmp_path / name).read_text(encoding="utf-8")
        for finding in found.findings:
            assert finding.problem.title.partition("'")[0] in text
        assert "misprint" in text and "-0.275087462576116860" in text and "interrupted" in text
    page = Balance()
    page.feed((tmp_path / "found.html").read_text(encoding="utf-8"))
    assert page.open == [] and page.fetched == []


# ---- documentation -------------------------------------------------------------------------------
PAGE = (ROOT / "docs" / "verify.md").read_text(encoding="utf-8")


def test_the_page_of_the_documentation_has_every_problem_and_its_code_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert [name for name in PROBLEMS if f"`{name}`" not in PAGE] == []
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(compile(code, "verify.md", "exec"), {})
    assert Path("found.html").is_file()


def test_the_file_of_the_documentation_is_a_problem_that_agrees(tmp_path):
    path = tmp_path / "oscillator.toml"
    path.write_text(re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL).group(1), encoding="utf-8")
    problem = read_problem_file(path)
    finding = verify_problem(problem, full=True)
    assert finding.verdict == AGREED and len(finding.rows) == 3
    assert len(verify_problem(problem).rows) == 2
