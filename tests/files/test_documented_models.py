"""The model files that the documentation and the examples show."""

import cmath
import re
from pathlib import Path

import pytest

from hamiltree.files import model_from_toml
from hamiltree.model import FORCES
from hamiltree.run.problem_files import load_problem

ROOT = Path(__file__).parents[2]


def test_the_model_file_of_the_documentation_is_right():
    (text,) = re.findall(
        r"```toml\n(.*?)```",
        (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    model = model_from_toml(text, "docs/model-files.md")
    assert {type(joint).__name__ for joint in model.joints} == {"Revolute", "Screw"}
    assert {force.kind for force in model.forces} == set(FORCES)


def test_the_loop_of_the_documentation_closes_and_stays_closed():
    (text,) = re.findall(
        r"```toml\n(.*?)```",
        (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    model = model_from_toml(text, "docs/mechanisms.md")
    assert model.closing == ("C",) and model.coordinates == ("A", "B", "D")
    (a, b, d), (a_dot, b_dot, d_dot) = model.start()
    crank, coupler, rocker = (
        0.2 * cmath.exp(1j * a),
        0.5 * cmath.exp(1j * (a + b)),
        0.4 * cmath.exp(1j * d),
    )
    assert abs(crank + coupler - 0.6 - rocker) < 1e-15
    assert abs(a_dot * crank + (a_dot + b_dot) * coupler - d_dot * rocker) < 1e-14
    assert a_dot == model.constraints[0].speed


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda path: path.name
)
def test_the_examples_can_be_read(path):
    problem, sections = load_problem(path)
    assert problem.coordinates
    assert all(section.name for section in sections)
