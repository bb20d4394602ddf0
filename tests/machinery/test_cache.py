"""Compiled code: once for every size of model, kept on disk, and thrown away when a source
changes.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from itertools import chain
from pathlib import Path

import pytest

import hamiltree
from hamiltree.compiled.cache import CACHE, from_bytes, is_private, kernel_folder
from hamiltree.compiled.lock import Lock

PACKAGE = Path(hamiltree.__file__).parent
# Python takes old bytecode for a file of the same size that changes within a second
NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
SOURCES = PACKAGE.parent

# Every dispatcher that the entry points reach: those of kernels, and those that generic functions
# keep as methods.
COUNT = """
import gc, json, sys
from numba.core.dispatcher import Dispatcher

def dispatchers():
    found = [thing for thing in gc.get_objects() if isinstance(thing, Dispatcher)]
    return [d for d in found if d.py_func.__module__.startswith("hamiltree")]

def signatures():
    return {
        f"{d.py_func.__module__}.{d.py_func.__qualname__}": len(d.signatures)
        for d in dispatchers()
        if d.signatures
    }

def counted():
    stats = [d.stats for d in dispatchers()]
    hits = sum(sum(s.cache_hits.values()) for s in stats)
    return hits, sum(sum(s.cache_misses.values()) for s in stats)
"""
USE = """
import numpy as np
from hamiltree.algorithms.evaluation import evaluate
from hamiltree.model import library
from hamiltree.run.simulate import simulate

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
    """What a second process counts: after a pendulum, and after models of other sizes, kinds and
    forces.
    """
    code = """
use(library.pendulum())
first = {"signatures": signatures(), "counted": counted()}
use(library.chain(7))
joints = ("revolute", "prismatic", "screw", "ball", "free", "universal", "weld")
use(library.tree(40, joints=joints))
larger = {"signatures": signatures(), "counted": counted()}
from hamiltree.model import BodyLoad, JointDamper, JointSpring
forces = [JointSpring("j1", 1.0), JointDamper("j2", 1.0), BodyLoad("b1", (1, 0, 0))]
use(library.chain(3).with_(forces=forces))
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
    # evaluation alone and in lanes, two families of integrators, the observer
    assert len(first["signatures"]) >= 5
    assert larger == first


def test_a_model_with_forces_compiles_its_laws_and_nothing_else(second_process):
    _, larger, forced = second_process
    more = {
        name
        for name, count in forced["signatures"].items()
        if count != larger["signatures"].get(name, 0)
    }
    assert more and all(
        name.startswith(("hamiltree.forces.", "hamiltree.algebra.", "hamiltree.compiled."))
        for name in more
    )


# ---- what a kernel contains, and what makes it stale ---------------------------------------------
RECORD = """
import json, sys
import hamiltree as ht
from hamiltree.compiled import cache

kept, load = [], cache.load
cache.load = lambda saved, path: kept.append(str(path)) or load(saved, path)
model = ht.library.pendulum().with_(forces=[ht.JointSpring("hinge", 2.0)])
for method in ("rk4", "gauss4"):
    ht.simulate(model, until=0.01, step=1e-3, integrator=method, progress=False)
H = ht.hamiltonian("p**2/2 - cos(q)*(1 - p/6)", q={"q": 1.0}, p={"p": 0.0})
ht.simulate(H, until=0.01, step=1e-3, integrator="rk4", progress=False)
print(json.dumps([[path for path in kept if "expression" not in path], cache.COUNTS["compiled"]]))
"""
STALE = """
import json, sys
from pathlib import Path
import hamiltree.run.simulate
from hamiltree.compiled.cache import read
from hamiltree.compiled.fingerprint import is_current
from hamiltree.compiled.kernel import current_method

kept = map(Path, json.loads(sys.stdin.read()))
stale = [path for path in kept if not is_current(read(path).contents, current_method)]
print(json.dumps([str(path) for path in stale]))
"""
SPRING_OF_ITS_OWN = """

from hamiltree.forces.laws import generalised_force_at_state


@generalised_force_at_state.method(JointSprings)
def spring_effort_at_once(springs, k, t, y, ydot):
    return (load(springs.rest, k) - load(y, springs.at[k])) * load(springs.stiffness, k)
"""


@pytest.fixture(scope="module")
def copied(python, tmp_path_factory):
    """A copy of the package in another place, and the kernels that it loads from the cache."""
    copy = tmp_path_factory.mktemp("copy") / "src" / "hamiltree"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "*.bin"))
    # whatever is missing is compiled by the package itself
    assert python("-c", RECORD).returncode == 0
    done = python("-c", RECORD, PYTHONPATH=str(copy.parent), **NO_BYTECODE)
    assert done.returncode == 0, done.stderr
    kept, compiled = json.loads(done.stdout)
    return copy, kept, compiled


def test_the_same_sources_in_another_place_compile_nothing(copied):
    _, kept, compiled = copied
    assert len(kept) > 10
    assert compiled == 0


def kernel_of(path: str) -> str:
    return Path(path).parts[-3]


# file, what stands there, what replaces it (appended if nothing stands there), kernels that are
# stale, kernels that are not
EDITS = {
    "a number of a tableau": (
        "integrators/tableaus.py",
        "(SIXTH, THIRD, THIRD, SIXTH)",
        "(THIRD, SIXTH, SIXTH, THIRD)",
        [],
        [".*"],
    ),
    "a docstring": (
        "formulations/tree/sweeps.py",
        '"""Outward: frames, and',
        '"""Outward: the frames, and',
        [],
        [".*"],
    ),
    "a comment": ("formulations/tree/sweeps.py", "", "\n# more words\n", [], [".*"]),
    "a constant read by one family": (
        "integrators/implicit_solver.py",
        "TRIAL_SWEEPS = 8",
        "TRIAL_SWEEPS = 9",
        [r"integrators\.advance\.advance"],
        [r"verbs\.", r"forces\.", r"formulations\."],
    ),
    "a helper of one formulation": (
        "formulations/tree/sweeps.py",
        "def forward_kinematics(system, work, y):",
        "def forward_kinematics(system, work, y, more=0):",
        [r"verbs\.rates", r"verbs\.energies"],
        [r"integrators\.", r"forces\.", r"formulations\.batch"],
    ),
    "vec3": (
        "algebra/vec3.py",
        "Vec3(a.x + b.x,",
        "Vec3(b.x + a.x,",
        [r"verbs\.rates"],
        [r"integrators\.", r"forces\.", r"formulations\.batch"],
    ),
    "a method added that wins over a fallback": (
        "forces/joint_spring.py",
        "",
        SPRING_OF_ITS_OWN,
        [r"forces\.dispatch\.add_generalised_forces_of"],
        [r"verbs\.", r"integrators\.", r"forces\.dispatch\.add_joint_energy_of"],
    ),
    "a verb declared before others": (
        "verbs.py",
        "@verb(has_lanes=False)\ndef flow(",
        "@verb\ndef another(system, work, t: Number, y: Array):\n    "
        "pass\n\n\n@verb(has_lanes=False)\ndef flow(",
        [r"integrators\.", r"formulations\.batch\.observe"],  # they call by place
        [r"verbs\.", r"forces\."],
    ),
    "a method removed": (
        "forces/joint_spring.py",
        "@joint_potential_energy.method(JointSprings)\n",
        "",
        [r"forces\.dispatch\.add_joint_energy_of"],
        [r"verbs\.", r"integrators\.", r"forces\.dispatch\.add_generalised_forces_of"],
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_makes_those_kernels_stale_that_contain_it(copied, python, edit):
    copy, kept, _ = copied
    name, old, new, stale, current = EDITS[edit]
    file = copy / name
    text = file.read_text(encoding="utf-8")
    assert not old or text.count(old) >= 1, f"{name} has changed: mend this test"
    file.write_text(text.replace(old, new, 1) if old else text + new, encoding="utf-8")
    try:
        done = python(
            "-c", STALE, PYTHONPATH=str(copy.parent), stdin=json.dumps(kept), **NO_BYTECODE
        )
    finally:
        file.write_text(text, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    found = {kernel_of(path) for path in json.loads(done.stdout)}
    missed = [pattern for pattern in stale if not any(re.match(pattern, name) for name in found)]
    lost = {name for name in found if any(re.match(pattern, name) for pattern in current)}
    assert not missed, f"still thought current: {missed}"
    assert not lost, f"stale without a reason: {lost}"
    assert all(any(re.match(pattern, kernel_of(path)) for path in kept) for pattern in current)


# file of the room that emits code, what stands there, what replaces it, whether all kernels are
# then another compiler's
ROOM_EDITS = {
    "a comment": ("kernel.py", "", "\n# more words\n", False),
    "a docstring": (
        "pointer.py",
        '"""The words of a structure in their order."""',
        '"""The words of a structure."""',
        False,
    ),
    "code": (
        "pointer.py",
        "def flatten(value, flat: list) -> None:",
        "def flatten(value, flat: list, more=0) -> None:",
        True,
    ),
}


@pytest.mark.parametrize("edit", ROOM_EDITS)
def test_an_edit_of_what_emits_code_counts_where_it_is_code(copied, python, edit):
    copy = copied[0]
    name, old, new, counts = ROOM_EDITS[edit]
    ask = "from hamiltree.compiled.cache import compiler; print(compiler().folder)"
    before = python("-c", ask, PYTHONPATH=str(copy.parent), **NO_BYTECODE).stdout
    file = copy / "compiled" / name
    text = file.read_text(encoding="utf-8")
    assert not old or text.count(old) == 1, f"{name} has changed: mend this test"
    file.write_text(text.replace(old, new) if old else text + new, encoding="utf-8")
    try:
        after = python("-c", ask, PYTHONPATH=str(copy.parent), **NO_BYTECODE).stdout
    finally:
        file.write_text(text, encoding="utf-8")
    assert before and (before != after) == counts


# ---- a small kernel of its own, for what is slow with large ones ---------------------------------
TINY = """
import sys, time
from hamiltree.compiled.cache import COUNTS
from hamiltree.compiled.kernel import kernel, outlined

FACTOR = 2.0


@outlined
def scaled(x):
    return FACTOR * x


@kernel
def tiny(x):
    return scaled(x) + 1.0


if __name__ == "__main__":
    import tiny as module

    print(module.tiny(3.0), COUNTS["compiled"], COUNTS["loaded"])
"""


@pytest.fixture
def tiny(python, tmp_path, environment):
    """tiny(**changes): a process that calls a small kernel with a cache of its own; what it gave,
    compiled and loaded.
    """
    (tmp_path / "tiny.py").write_text(TINY)
    places = {
        "HAMILTREE_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": f"{SOURCES}{os.pathsep}{tmp_path}",
    }
    places |= NO_BYTECODE

    def run(begin=False, **changes):
        if begin:
            command = [sys.executable, str(tmp_path / "tiny.py")]
            return subprocess.Popen(
                command, env=environment(**places, **changes), stdout=subprocess.PIPE, text=True
            )
        done = python(tmp_path / "tiny.py", **places, **changes)
        assert done.returncode == 0, done.stderr
        return read_counts(done.stdout)

    run.folder, run.source = tmp_path / "cache", tmp_path / "tiny.py"
    return run


def read_counts(text: str) -> tuple[float, int, int]:
    value, compiled, loaded = text.split()
    return float(value), int(compiled), int(loaded)


def test_a_kernel_is_compiled_once_and_loaded_afterwards(tiny):
    assert tiny() == (7.0, 1, 0)
    assert tiny() == (7.0, 0, 1)


def test_the_value_of_a_global_is_a_part_of_the_key(tiny):
    tiny()
    tiny.source.write_text(TINY.replace("FACTOR = 2.0", "FACTOR = 5.0"))
    assert tiny() == (16.0, 1, 0)
    tiny.source.write_text(TINY)
    assert tiny() == (7.0, 0, 1)  # both are kept


def test_two_processes_that_need_a_kernel_compile_it_once(tiny):
    both = [tiny(begin=True) for _ in range(2)]
    counts = [read_counts(process.communicate(timeout=120)[0]) for process in both]
    assert [value for value, _, _ in counts] == [7.0, 7.0]
    assert sorted(compiled for _, compiled, _ in counts) == [0, 1]


HOLDER = """
import sys, time
from pathlib import Path
from hamiltree.compiled.lock import Lock

lock = Lock(Path(sys.argv[1]))
lock.acquire()
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def holder(tiny, environment):
    """Another process that holds the lock of the small kernel."""
    tiny()
    (folder,) = {path.parent for path in tiny.folder.rglob("*.kernel")}
    for path in folder.glob("*.kernel"):
        path.unlink()
    command = [sys.executable, "-c", HOLDER, str(folder / "lock")]
    process = subprocess.Popen(
        command,
        env=environment(HAMILTREE_CACHE_DIR=str(tiny.folder)),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.wait()


def test_what_another_process_compiles_can_be_left_for_later(tiny, holder):
    (path,) = tiny.folder.rglob("lock")
    assert Lock(path).is_taken() and not Lock.held
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    assert not Lock(path).is_taken() and not Lock.held
    assert not Lock(path.with_name("none")).is_taken()


def test_an_owner_that_dies_is_noticed(tiny, holder):
    waiting = tiny(begin=True)
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.communicate(timeout=3)
    holder.send_signal(signal.SIGKILL)
    assert read_counts(waiting.communicate(timeout=60)[0]) == (7.0, 1, 0)


def test_an_owner_that_takes_too_long_is_not_waited_for(tiny, holder):
    tiny.source.write_text(
        TINY.replace(
            "FACTOR = 2.0",
            "FACTOR = 2.0\nimport hamiltree.compiled.lock as c\nc.MAX_WAIT_SECONDS = 0.2",
        )
    )
    assert tiny()[:2] == (7.0, 1)


@pytest.mark.parametrize("damage", ["cut", "one byte", "empty", "another format"])
def test_a_damaged_file_is_removed_and_compiled_anew(tiny, damage):
    tiny()
    (path,) = tiny.folder.rglob("*.kernel")
    raw = path.read_bytes()
    middle = len(raw) // 2
    path.write_bytes(
        {
            "cut": raw[:middle],
            "one byte": raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :],
            "empty": b"",
            "another format": b"something else" + raw,
        }[damage]
    )
    assert tiny() == (7.0, 1, 0)
    (path,) = tiny.folder.rglob("*.kernel")
    assert from_bytes(path.read_bytes()) is not None


def test_a_kernel_that_does_not_compile_leaves_no_lock_behind(tiny):
    broken = TINY.replace("return FACTOR * x", "return x.nothing")
    tiny.source.write_text(broken + "\n" + "    ")
    for _ in range(2):
        process = tiny(begin=True)
        process.communicate(timeout=60)
        assert process.returncode == 1
    tiny.source.write_text(TINY)
    assert tiny()[0] == 7.0


# ---- methods from outside the package ------------------------------------------------------------
LAW = """
from dataclasses import dataclass
from typing import ClassVar, NamedTuple
import numpy as np
from hamiltree.compiled.number import load
from hamiltree.forces.laws import column, generalised_force, joint_law, joint_potential_energy
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

@generalised_force.method(Cubics)
def cubic_effort(table, k, t, x, v):
    return FACTOR * x * x * x

@joint_potential_energy.method(Cubics)
def cubic_energy(table, k, t, x):
    return -FACTOR * x * x * x * x / 4.0
"""
LAW_USE = """
import law, hamiltree as ht
model = ht.library.n_pendulum(1).with_(gravity=(0, 0, 0), forces=[law.Cubic(joint="hinge1")])
print(ht.evaluate(model, [2.0], [0.0])[1][0])
"""


def test_an_edited_law_outside_the_package_is_compiled_anew_and_leaves_the_cache_whole(
    warmed, python, tmp_path, monkeypatch
):
    """The compiled equations hold the law's code; a process that does not know the law must still
    be able to use the cache.
    """
    monkeypatch.setenv("HAMILTREE_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "use.py").write_text(LAW_USE)
    # they know no laws
    for path in chain(
        *(kernel_folder().glob(f"{room}.*/*/*.kernel") for room in ("verbs", "formulations"))
    ):
        copy = tmp_path / "cache" / path.relative_to(CACHE)
        copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copy(path, copy)
    for factor in ("-1.0", "-100.0"):
        (tmp_path / "law.py").write_text(LAW.replace("FACTOR", factor))
        done = python(str(tmp_path / "use.py"))
        assert done.returncode == 0, done.stderr
        assert float(done.stdout) == 8 * float(factor)
    monkeypatch.delenv("PYTHONPATH")
    done = python(
        "-c",
        "import hamiltree as ht; print(ht.evaluate(ht.library.n_pendulum(1), [0.0], [1.0])[0][0])",
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == pytest.approx(3.0)


# ---- interpreted ---------------------------------------------------------------------------------
RUNS = """
import json, hamiltree as ht
model = ht.library.tree(3, seed=2, joints=("revolute", "prismatic", "screw"))
forces = [ht.JointDamper("j1", 0.1), ht.BodyLoad("b2", force=(1, 2, 3), at=(0.1, 0, 0))]
model = model.with_(forces=forces)
ends = []
for integrator in ("explicit_euler", "rk4", "midpoint", "gauss4", "gauss6", "gauss8"):
    run = ht.simulate(model, until=0.01, step=1e-3, integrator=integrator, progress=False)
    parts = (run.q, run.p, run.qdot, run.poses, run.twists, run.energy, run.work)
    last = [part[-1] for part in parts]
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


# ---- a light start -------------------------------------------------------------------------------
def test_importing_hamiltree_imports_nothing_heavy(python):
    code = (
        "import sys, hamiltree, json; hamiltree.library.chain(3); "
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = python("-c", code)
    assert done.returncode == 0, done.stderr
    heavy = {
        "numba",
        "llvmlite",
        "xarray",
        "matplotlib",
        "typer",
        "netCDF4",
        "scipy",
        "pandas",
        "rich",
    }
    assert not heavy & set(json.loads(done.stdout))


def test_importing_a_module_does_not_hide_the_public_name(python):
    """No module has the name of a public function, so no import puts itself in its place."""
    code = (
        "import hamiltree as ht; ht.evaluator; from hamiltree.run.simulate import simulate; "
        "print(callable(ht.evaluate), callable(ht.simulate))"
    )
    done = python("-c", code)
    assert done.stdout.split() == ["True", "True"]


# ---- where the cache is --------------------------------------------------------------------------
WHERE = "from hamiltree.compiled.cache import CACHE; print(CACHE)"


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
    assert Path(done.stdout.strip()) == tmp_path / "kept"


def opened(folder: Path, mode: int) -> Path:
    folder.mkdir(exist_ok=True)
    folder.chmod(mode)
    return folder


def test_a_folder_is_trusted_only_if_nobody_else_can_replace_it_or_one_above_it(tmp_path):
    safe = opened(tmp_path / "safe", 0o755)
    assert is_private(opened(safe / "cache", 0o700))
    assert not is_private(opened(safe / "open", 0o777))
    assert not is_private(opened(safe / "sticky itself", 0o1777))
    above = opened(safe / "above", 0o777)
    below = opened(above / "below", 0o700)
    assert not is_private(below)
    above.chmod(0o1777)
    assert is_private(below)  # in a sticky folder others cannot rename what is not theirs


@pytest.mark.skipif(
    not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give folders away"
)
def test_a_folder_of_another_user_or_group_is_not_trusted(tmp_path):
    theirs = opened(tmp_path / "theirs", 0o755)
    inside = opened(theirs / "cache", 0o700)
    os.chown(theirs, 12345, 0)
    assert not is_private(inside)
    os.chown(theirs, 0, 12345)
    assert is_private(inside)
    theirs.chmod(0o775)
    assert not is_private(inside)
    os.chown(theirs, 0, 0)
    assert is_private(inside)  # the user's own group
