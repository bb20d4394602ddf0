"""Kernels that come with the package: used where they fit, and left alone where they do not."""

import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import hamiltree
from hamiltree.compiled.internals import target
from hamiltree.compiled.shipped_kernels import FEATURES, has_needed_features
from tools import build_wheel, catalogue_runs

PACKAGE = Path(hamiltree.__file__).parent
RUNNER = build_wheel.ROOT / "tools" / "counted_run.py"
FILE = Path("hamiltree") / "compiled" / "kernels.bin"
pytestmark = pytest.mark.skipif(
    not build_wheel.is_supported(), reason="compiled code is for Linux x86-64"
)

# A kernel of the package that takes a moment to compile, and a function in it.
TRIED = """
from hamiltree.compiled.kernel import inlined, kernel


@inlined
def scaled(x):
    return 2.0 * x


@kernel
def tried(x):
    return scaled(x) + 1.0
"""
TRY = "from hamiltree.algebra.tried import tried; assert tried(2.0) == {answer}"
RUN = """
import hamiltree as ht
H = ht.hamiltonian("p**2/2 + {stiffness}*q**2/2", q="q", p="p")
ht.simulate(H, until=0.02, step=0.01, integrator="rk4", q=[1.0], p=[0.0], progress=False)
"""


class Installed:
    """A copy of the package with its kernels, and processes that use it."""

    def __init__(self, folder: Path):
        self.folder = folder

    def copy(self, folder: Path) -> "Installed":
        shutil.copytree(self.folder, folder)
        return Installed(folder)

    def environment(self, cache: Path) -> dict[str, str]:
        known = build_wheel.environment(cache)
        return {**known, "PYTHONPATH": str(self.folder)}

    def run(self, script: str, scratch: Path, **settings: str) -> list[str]:
        """What a script compiles with an empty cache, by the processor at hand unless settings say
        otherwise.
        """
        scratch.mkdir(parents=True, exist_ok=True)
        kept = {
            name: value
            for name, value in self.environment(scratch / "cache").items()
            if not name.startswith("NUMBA_")
        }
        (scratch / "script.py").write_text(script)
        command = [sys.executable, RUNNER, scratch / "report.json", "file", scratch / "script.py"]
        done = subprocess.run(
            command, env={**kept, **settings}, cwd=scratch, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return json.loads((scratch / "report.json").read_text())["functions"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Compiled for the common processor and packed, as `make wheel` does."""
    folder = tmp_path_factory.mktemp("wheel")
    made = Installed(folder / "package")
    shutil.copytree(
        PACKAGE,
        made.folder / "hamiltree",
        ignore=shutil.ignore_patterns("__pycache__", "kernels.bin"),
    )
    (made.folder / "hamiltree" / "algebra" / "tried.py").write_text(TRIED)
    environment = made.environment(folder / "cache")
    for script in (TRY.format(answer=5.0), RUN.format(stiffness=1)):
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    (kernels,) = (folder / "cache").glob("k2-*")
    command = [
        sys.executable,
        "-m",
        "hamiltree.compiled.shipped_kernels",
        kernels,
        made.folder / FILE,
    ]
    subprocess.run(command, env=environment, check=True)
    return made


def test_a_run_with_shipped_kernels_compiles_its_own_formula_and_nothing_else(installed, tmp_path):
    compiled = installed.run(RUN.format(stiffness=3), tmp_path)
    assert compiled and all(name.startswith("hamiltree_expression") for name in compiled), compiled


def test_a_shipped_kernel_is_used_with_an_empty_cache(installed, tmp_path):
    assert installed.run(TRY.format(answer=5.0), tmp_path) == []
    assert not list((tmp_path / "cache").rglob("*.kernel"))


def test_an_edited_function_is_compiled_anew(installed, tmp_path):
    other = installed.copy(tmp_path / "package")
    (other.folder / "hamiltree" / "algebra" / "tried.py").write_text(TRIED.replace("2.0", "3.0"))
    assert other.run(TRY.format(answer=7.0), tmp_path / "run") == ["hamiltree.algebra.tried.tried"]


def cut(raw: bytes) -> bytes:
    return raw[:200]


def changed_everywhere(raw: bytes) -> bytes:
    return bytes(byte ^ 1 for byte in raw)


def changed_kernels(raw: bytes) -> bytes:
    """The index as it was, every kernel damaged."""
    start = len(b"hamiltree catalogue 1\n")
    kernels = start + 8 + 32 + int.from_bytes(raw[start : start + 8], "little")
    return raw[:kernels] + bytes(byte ^ 1 for byte in raw[kernels:])


@pytest.mark.parametrize("damage", [cut, changed_everywhere, changed_kernels, lambda raw: b""])
def test_a_damaged_file_is_ignored(installed, tmp_path, damage):
    other = installed.copy(tmp_path / "package")
    raw = (other.folder / FILE).read_bytes()
    (other.folder / FILE).write_bytes(damage(raw))
    assert other.run(TRY.format(answer=5.0), tmp_path / "run") == ["hamiltree.algebra.tried.tried"]


@pytest.mark.parametrize(
    "name, value", [("CPU_NAME", "generic"), ("CPU_FEATURES", "+sse2"), ("OPT", "1")]
)
def test_other_settings_of_the_compiler_are_obeyed(installed, tmp_path, name, value):
    settings = {f"NUMBA_{name}": value}
    assert installed.run(TRY.format(answer=5.0), tmp_path, **settings) == [
        "hamiltree.algebra.tried.tried"
    ]


def test_nothing_is_loaded_where_the_compiler_is_switched_off(installed, tmp_path):
    assert installed.run(TRY.format(answer=5.0), tmp_path, NUMBA_DISABLE_JIT="1") == []


OWN = """
import numba
def known():
    return {name: repr(getattr(numba.config, name)) for name in dir(numba.config) if name.isupper()}
before = known()
from hamiltree.algebra.tried import tried
import hamiltree.run.simulate

@numba.njit(cache=True)
def own(x):
    return x + 1.0

assert own(tried(2.0)) == 6.0 and known() == before
"""


def test_a_users_own_compiled_code_and_settings_are_left_alone(installed, tmp_path):
    settings = {"NUMBA_CACHE_DIR": str(tmp_path / "own"), "NUMBA_NUM_THREADS": "1"}
    assert installed.run(OWN, tmp_path, **settings) == ["__main__.own"]
    assert list((tmp_path / "own").rglob("*.nbi"))


def test_features_are_named_as_the_compiler_names_them():
    known = {word[1:] for word in target()[2].split(",")}
    assert set(FEATURES) <= known
    assert has_needed_features(",".join(f"+{name}" for name in FEATURES))
    assert not has_needed_features(",".join(f"+{name}" for name in FEATURES[1:]))


def test_the_second_wheel_says_what_it_is_for_and_records_every_file(tmp_path):
    pure, kernels = tmp_path / "hamiltree-1.0-py3-none-any.whl", tmp_path / "kernels.bin"
    kernels.write_bytes(b"kernels")
    info = "hamiltree-1.0.dist-info"
    with zipfile.ZipFile(pure, "w") as wheel:
        wheel.writestr("hamiltree/__init__.py", "")
        wheel.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{info}/RECORD", "")
    made = build_wheel.with_kernels(pure, kernels)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert made.name == f"hamiltree-1.0-{python}-{python}-linux_x86_64.whl"
    with zipfile.ZipFile(made) as wheel:
        assert wheel.read(f"{info}/WHEEL").decode().split("\n")[1:3] == [
            "Root-Is-Purelib: false",
            f"Tag: {python}-{python}-linux_x86_64",
        ]
        assert wheel.getinfo(str(FILE)).compress_type == zipfile.ZIP_STORED
        recorded = [
            line.split(",")[0] for line in wheel.read(f"{info}/RECORD").decode().splitlines()
        ]
        assert sorted(recorded) == sorted(wheel.namelist())


def test_the_catalogue_of_the_wheel_has_every_force_and_potential():
    catalogue_runs.check_forces()
