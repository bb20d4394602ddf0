"""Compiled code: once for every size of model, kept on disk, and thrown away when a source changes."""

import json
import re
import shutil
from pathlib import Path

import pytest

import hamiltree
from hamiltree.cache import kernel_sources

PACKAGE = Path(hamiltree.__file__).parent

# Every dispatcher that the entry points reach: those of kernels, and those that generic functions keep as methods.
COUNT = """
import gc, json, sys
from numba.core.dispatcher import Dispatcher

def dispatchers():
    return [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher) and thing.py_func.__module__.startswith("hamiltree")]

def signatures():
    return {f"{d.py_func.__module__}.{d.py_func.__qualname__}": len(d.signatures) for d in dispatchers() if d.signatures}

def counted():
    stats = [d.stats for d in dispatchers()]
    return sum(sum(s.cache_hits.values()) for s in stats), sum(sum(s.cache_misses.values()) for s in stats)
"""
USE = """
import numpy as np
from hamiltree.evaluation import evaluate
from hamiltree.model import library
from hamiltree.driver import simulate

def use(model):
    q = model.start()[0]
    evaluate(model, q, np.ones(len(q)))
    evaluate(model, np.tile(q, (5, 1)), np.ones((5, len(q))))
    for method in ("gauss8", "gauss4", "rk4"):
        simulate(model, 0.0105, 1e-3, integrator=method, progress=False)
"""


@pytest.fixture(scope="module")
def warmed(python, tmp_path_factory):
    """A first process has used a pendulum."""
    done = python("-c", COUNT + USE + "use(library.pendulum())")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def second_process(warmed, python):
    """What a second process counts: after a pendulum, and after models of other sizes, kinds and forces."""
    code = """
use(library.pendulum())
first = {"signatures": signatures(), "counted": counted()}
use(library.chain(7))
use(library.tree(40, joints=("revolute", "prismatic", "screw", "ball", "free", "universal", "weld")))
larger = {"signatures": signatures(), "counted": counted()}
from hamiltree.model import BodyLoad, JointDamper, JointSpring
use(library.chain(3).with_(forces=[JointSpring("j1", 1.0), JointDamper("j2", 1.0), BodyLoad("b1", (1, 0, 0))]))
print(json.dumps([first, larger, {"signatures": signatures(), "counted": counted()}]))
"""
    done = python("-c", COUNT + USE + code)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_second_process_loads_everything_and_compiles_nothing(second_process):
    hits, misses = second_process[0]["counted"]
    assert hits > 0
    assert misses == 0


def test_a_model_of_another_size_compiles_nothing(second_process):
    first, larger, _ = second_process
    assert len(first["signatures"]) >= 5  # evaluation alone and in lanes, two families of integrators, the observer
    assert larger == first


def test_a_model_with_forces_compiles_its_laws_and_nothing_else(second_process):
    _, larger, forced = second_process
    more = {name for name, count in forced["signatures"].items() if count != larger["signatures"].get(name, 0)}
    assert more and all(name.startswith(("hamiltree.forces.", "hamiltree.algebra.")) for name in more)


# ---- an edited source -------------------------------------------------------------------------------------------------------
CALLER = '''
"""A kernel that reaches the edited source through another file."""

import numpy as np

from hamiltree.algebra.number import load, store
from hamiltree.algebra.vec3 import Vec3
from hamiltree.cache import SOURCE_HASH
from hamiltree.kernel import kernel


@kernel
def scaled_sum(a, b, out):
    store(out, 0, load(a, 0, Vec3) + load(b, 0, Vec3) * 2.0)


def run():
    out = np.zeros((1, 3))
    scaled_sum(np.array([[1.0, 2.0, 3.0]]), np.array([[10.0, 20.0, 30.0]]), out)
    return out[0].tolist(), sum(scaled_sum.stats.cache_hits.values()), SOURCE_HASH
'''


def test_an_edited_source_in_another_file_recompiles_its_callers(python, tmp_path):
    copy = tmp_path / "src" / "hamiltree"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    (copy / "algebra" / "caller.py").write_text(CALLER, encoding="utf-8")
    script = "import json; from hamiltree.algebra.caller import run; print(json.dumps(run()))"

    def outcome():
        done = python("-c", script, PYTHONPATH=str(copy.parent), HAMILTREE_CACHE_DIR=str(tmp_path / "cache"))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    values, hits, before = outcome()
    assert (values, hits) == ([21.0, 42.0, 63.0], 0)
    assert outcome() == [values, 1, before]  # from the cache

    edited = copy / "algebra" / "vec3.py"
    text = edited.read_text(encoding="utf-8")
    assert text.count("a.x + b.x") == 1
    edited.write_text(text.replace("a.x + b.x", "a.x + b.x + 0.5"), encoding="utf-8")
    values, hits, after = outcome()
    assert (values, hits) == ([21.5, 42.0, 63.0], 0)
    assert after != before


def defines_kernels(path):
    return re.search(
        r"^@(kernel|guarded_kernel|inlined|outlined|\w+\.method)\b|\bnjit\b|\.method\(", path.read_text(encoding="utf-8"), re.MULTILINE
    )


def test_the_hash_covers_every_file_that_defines_compiled_code():
    """Whoever imports the tools of the compiler holds kernels, so a new room of kernels must be added to the hash."""
    tools = r"^from hamiltree\.(kernel|verbs|algebra|forces)\b.* import|\bnjit\b|\.method\("
    users = {"evaluation.py", "driver.py", "plan.py", "cli.py", "__init__.py", "events.py", "problems.py", "subjects.py", "services.py"}
    users |= {"symbolic/calculus.py"}  # they call kernels and hold none
    users |= {str(path.relative_to(PACKAGE)) for path in (PACKAGE / "analysis").glob("*.py") if not defines_kernels(path)}
    holding = {path for path in PACKAGE.rglob("*.py") if re.search(tools, path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert holding
    assert not {str(path.relative_to(PACKAGE)) for path in holding - set(kernel_sources())} - users


# ---- methods from outside the package -----------------------------------------------------------------------------------------
LAW = """
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
import numpy as np
from hamiltree.algebra.number import load
from hamiltree.forces.laws import column, effort, joint_law, stored
from hamiltree.model.forces import Force

@dataclass(frozen=True, slots=True)
class Cubic(Force):
    kind: ClassVar[str] = "cubic"
    references: ClassVar[dict] = {"joint": "joint"}
    is_conservative: ClassVar[bool] = True
    joint: str = ""

class Cubics(NamedTuple):
    at: np.ndarray

@joint_law(Cubic, Cubics)
def tabulate(parts, placement):
    return Cubics(column((placement.coordinate(part.joint) for part in parts), int))

@effort.method(Cubics)
def cubic_effort(table, k, t, x, v):
    return FACTOR * x * x * x

@stored.method(Cubics)
def cubic_energy(table, k, t, x):
    return -FACTOR * x * x * x * x / 4.0
"""
LAW_USE = """
import law, hamiltree as ht
model = ht.library.n_pendulum(1).with_(gravity=(0, 0, 0), forces=[law.Cubic(joint="hinge1")])
print(ht.evaluate(model, [2.0], [0.0])[1][0])
"""


def test_an_edited_law_outside_the_package_is_compiled_anew_and_leaves_the_cache_whole(python, tmp_path, monkeypatch):
    """The compiled equations hold the law's code; a process that does not know the law must still be able to use the cache."""
    monkeypatch.setenv("HAMILTREE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "use.py").write_text(LAW_USE)
    for factor in ("-1.0", "-100.0"):
        (tmp_path / "law.py").write_text(LAW.replace("FACTOR", factor))
        done = python(str(tmp_path / "use.py"))
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == 8 * float(factor)
    monkeypatch.delenv("PYTHONPATH")
    done = python("-c", "import hamiltree as ht; print(ht.evaluate(ht.library.n_pendulum(1), [0.0], [1.0])[0][0])")
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(3.0)


def test_a_damaged_file_of_the_cache_is_compiled_anew(python, tmp_path, monkeypatch):
    monkeypatch.setenv("HAMILTREE_CACHE_DIR", str(tmp_path))
    code = "from hamiltree.formulations.hamiltonian_tree import assemble; from hamiltree.model import library; assemble(library.pendulum())"
    assert python("-c", code).returncode == 0
    kept = list(tmp_path.rglob("*.nbc"))
    assert kept
    for path in kept:
        path.write_bytes(path.read_bytes()[:100])
    done = python("-c", code)
    assert done.returncode == 0, done.stderr


# ---- interpreted -----------------------------------------------------------------------------------------------------------------
RUNS = """
import json, hamiltree as ht
model = ht.library.tree(3, seed=2, joints=("revolute", "prismatic", "screw"))
model = model.with_(forces=[ht.JointDamper("j1", 0.1), ht.BodyLoad("b2", force=(1, 2, 3), at=(0.1, 0, 0))])
ends = []
for integrator in ("explicit_euler", "rk4", "midpoint", "gauss4", "gauss6", "gauss8"):
    run = ht.simulate(model, until=0.01, step=1e-3, integrator=integrator, progress=False)
    last = [run[-1] for run in (run.q, run.p, run.qdot, run.poses, run.twists, run.energy, run.work)]
    ends.append([float(x) for part in last for x in part.values.ravel()])
qdot, pdot = ht.evaluate(model, [[0.1, 0.2, 0.3]] * 5, [[1.0, 2.0, 3.0]] * 5)
print(json.dumps([*ends, list(qdot.ravel()), list(pdot.ravel())]))
"""


def test_every_entry_point_also_runs_interpreted_with_the_same_result(python, monkeypatch):
    compiled = json.loads(python("-c", RUNS).stdout)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    done = python("-c", RUNS)
    assert done.returncode == 0, done.stderr
    for a, b in zip(compiled, json.loads(done.stdout), strict=True):
        assert max(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1e-12 * max(map(abs, a))


# ---- a light start ----------------------------------------------------------------------------------------------------------
def test_importing_hamiltree_imports_nothing_heavy(python):
    code = "import sys, hamiltree, json; hamiltree.library.chain(3); print(json.dumps(sorted(sys.modules)))"
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    heavy = {"numba", "llvmlite", "xarray", "matplotlib", "typer", "netCDF4", "scipy", "pandas", "rich"}
    assert not heavy & set(json.loads(done.stdout))


def test_importing_a_module_does_not_hide_the_public_name(python):
    """No module has the name of a public function, so no import puts itself in its place."""
    code = (
        "import hamiltree as ht; ht.evaluator; from hamiltree.driver import simulate; print(callable(ht.evaluate), callable(ht.simulate))"
    )
    done = python("-c", code)
    assert done.stdout.split() == ["True", "True"]


# ---- where the cache is ---------------------------------------------------------------------------------------------------------
WHERE = "from hamiltree.cache import CACHE; print(CACHE)"


def test_a_cache_that_others_can_write_to_is_not_trusted(python, tmp_path):
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    open_folder.chmod(0o777)
    done = python("-c", WHERE, HAMILTREE_CACHE_DIR=str(open_folder))
    assert done.returncode == 0, done.stderr
    assert str(open_folder) not in done.stdout


def test_a_cache_that_cannot_be_made_is_replaced_by_another(python, tmp_path):
    (tmp_path / "file").write_text("no folder")
    done = python("-c", WHERE, HAMILTREE_CACHE_DIR=str(tmp_path / "file"))
    assert done.returncode == 0, done.stderr
    assert "file" not in Path(done.stdout.strip()).parts


def test_a_cache_named_with_a_tilde_is_in_the_home_folder(python, tmp_path):
    done = python("-c", WHERE, HAMILTREE_CACHE_DIR="~/kept", HOME=str(tmp_path), cwd=tmp_path)
    assert Path(done.stdout.strip()).parent == tmp_path / "kept"
