"""The worked examples of CONTRIBUTING.md are true: made in a copy of the package, each addition can
be used by its name, and does what it should.
"""

import json
import os
import re
import subprocess
import sys

import pytest

from tests.additions.reading_time import MAX_MINUTES, PATH, reading_time, sections_of
from tests.additions.worked_examples import ROOT, SECTIONS, blocks, copy_package, files_of, section

MOST_FILES = {"joint": 1, "force": 2, "tableau": 1, "formulation": 2}

MODEL = """
hamiltree = 1
[[body]]
name = "one"
mass = 1.0
com = [0.2, 0.0, 0.1]
inertia = [[0.1, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.3]]

[[body]]
name = "two"
mass = 2.0
com = [0.0, 0.1, -0.3]
inertia = [[0.3, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.4]]

[[joint]]
kind = "pin_slot"
name = "base"
parent = "ground"
child = "one"
slot = [1.0, 0.0, 0.0]
pin = [0.0, 1.0, 0.0]
q = [0.1, 0.3]
qdot = [0.2, 1.0]

[[joint]]
kind = "pin_slot"
name = "wrist"
parent = "one"
child = "two"
on_parent = [0.3, 0.0, 0.0]
slot = [0.0, 0.0, 1.0]
pin = [1.0, 0.0, 0.0]
qdot = [0.1, -0.4]
"""
FORCES = """
[[force]]
kind = "cubic_spring"
joint = "base.slide"
stiffness = 30.0
rest = 0.1

[[force]]
kind = "cubic_spring"
joint = "wrist.angle"
stiffness = 3.0
"""


@pytest.fixture(scope="module")
def use(tmp_path_factory):
    """use(script): what the script prints as JSON, run with the package and all additions."""
    folder = tmp_path_factory.mktemp("package")
    sources = copy_package(folder)
    (folder / "joint.toml").write_text(MODEL)
    (folder / "force.toml").write_text(MODEL + FORCES)

    def run(script: str):
        done = subprocess.run(
            [sys.executable, "-c", f"import json\nimport hamiltree as ht\n{script}"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(sources)},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[-1])

    return run


@pytest.mark.parametrize("addition", SECTIONS)
def test_an_addition_touches_few_files(addition):
    assert 0 < len(files_of(addition)) <= MOST_FILES[addition]


def test_what_an_author_of_a_formulation_must_read_takes_less_than_twenty_minutes():
    """The sections are those that the table at the head of CONTRIBUTING.md names."""
    head = sections_of("CONTRIBUTING.md")[""]
    row = next(line for line in head.splitlines() if line.startswith("| a formulation |"))
    counted = {title.lower().replace(" ", "-") for title in PATH["CONTRIBUTING.md"] if title}
    assert set(re.findall(r"\(#([\w-]+)\)", row)) == counted
    assert set(sections_of("docs/architecture.md")) == set(PATH["docs/architecture.md"])
    assert reading_time() < MAX_MINUTES


def test_a_new_joint_is_read_from_toml_and_all_formulations_agree(use):
    found = use("""
model = ht.load("joint.toml")
assert type(model.joints[0]) is ht.PinSlot
found = ht.compare(model, until=0.0, progress=False)
print(json.dumps([found.agree, model.coordinates, list(found.formulations)]))
""")
    assert found[0] is True
    assert found[1] == ["base.slide", "base.angle", "wrist.slide", "wrist.angle"]
    assert {"hamiltonian_tree", "kane_relative", "cartesian_3"} <= set(found[2])


def test_a_new_force_is_minus_the_gradient_of_its_energy_and_keeps_the_total(use):
    law, gradient, error = use("""
import numpy as np
model = ht.load("force.toml")
assert type(model.forces[0]) is ht.CubicSpring
d, free = ht.dynamics(model), ht.dynamics(ht.load("joint.toml"))
q, rest, h = np.array([0.4, 0.2, -0.1, 0.7]), np.zeros(4), 1e-4
force = d.forces(q, rest)
energy = lambda q: d.energies(q, rest)[1] - free.energies(q, rest)[1]
slope = [(energy(q + h * e) - energy(q - h * e)) / (2 * h) for e in np.eye(4)]
expected = [-30.0 * (0.4 - 0.1)**3, 0.0, 0.0, -3.0 * 0.7**3]
run = ht.simulate(model, until=1.0, step=1e-3, progress=False)
differences = [np.abs(force - expected).max(), np.abs(force + slope).max()]
print(json.dumps([*differences, run.energy_error]))
""")
    assert law < 1e-14
    assert gradient < 1e-6
    assert abs(error) < 1e-12


def test_a_new_tableau_has_the_order_that_it_claims(use):
    slope, claims, order = use("""
from hamiltree.analysis.verification import measure
found = measure("ralston3")
print(json.dumps([found.slope, found.integrator.is_symplectic, found.integrator.order]))
""")
    assert order == 3
    assert 2.85 < slope < 3.5
    assert claims is False


def test_a_new_formulation_agrees_with_the_hamiltonian_tree(use):
    difference, refusal = use("""
import numpy as np
turning = ht.library.free_body(inertia=(2.0, 2.5, 3.0), omega=(0.3, 2.0, 0.1))
runs = [ht.simulate(turning, 0.2, 1e-3, name, "gauss8", progress=False).poses.values
        for name in ("free_body", "hamiltonian_tree")]
try:
    ht.simulate(ht.library.pendulum(), formulation="free_body", progress=False)
except ht.FitError as error:
    refusal = str(error)
print(json.dumps([float(np.abs(runs[0] - runs[1]).max()), refusal]))
""")
    assert difference < 1e-9
    assert "free_body takes free joints to the ground" in refusal


def test_a_new_formulation_feels_the_forces_of_a_model(use):
    agree, known, power, refusal = use("""
def model(*forces):
    inertia = ((0.1, 0, 0), (0, 0.2, 0), (0, 0, 0.28))
    bodies = [ht.Body(name, mass=2.0, inertia=inertia, com=(0.1, 0.2, -0.05)) for name in "ab"]
    joints = [ht.Free("j", "ground", "a", qdot=(1, 2, 3, 0.5, 2, 0.1)),
              ht.Free("k", "ground", "b", q=(1, 0, 0, 1, 0, 0, 0))]
    return ht.Model(bodies=bodies, joints=joints, forces=forces)
spring = ht.PointSpring("a", "b", (0.1, 0, 0), (0, 0.2, 0), 20.0, length=0.1, damping=0.4)
push = ht.BodyLoad("a", force=(1, 0, 2), at=(0.1, 0.3, 0), torque=(0.1, 0.2, 0.3), axes="body")
found = ht.compare(model(spring, push), until=0.1, progress=False)
run = ht.simulate(model(spring, push), 0.1, 1e-3, "free_body", "rk4", progress=False)
try:
    ht.simulate(model(ht.JointSpring("j.x", 1.0)), formulation="free_body", progress=False)
except ht.FitError as error:
    refusal = str(error)
known = "free_body" in found.formulations
print(json.dumps([found.agree, known, run.energy_error, refusal]))
""")
    assert agree is True
    assert known is True
    assert power < 1e-9
    assert "free_body has no joint coordinates" in refusal


def test_the_first_try_of_a_new_formulation_runs_as_it_stands(use):
    (script,) = re.findall(
        r"^```python\n(import hamiltree as ht\n.*?)^```$",
        section(SECTIONS["formulation"]),
        re.DOTALL | re.MULTILINE,
    )
    energy_error, constraint_error = use(
        f"{script}\nprint(json.dumps([run.energy_error, run.constraint_error]))"
    )
    assert energy_error < 1e-9
    assert constraint_error == 0.0


def test_the_formulation_of_the_page_is_the_one_of_the_examples():
    example = (ROOT / "examples" / "free_body_formulation.py").read_text()
    whole, *parts = (block for block in blocks("formulation") if block.language == "python")
    tables = whole.text[whole.text.index("class Rigid") :]
    assert all(text in example for text in (tables, *(part.text for part in parts)))
