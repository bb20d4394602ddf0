"""Build two wheels into dist/: one without compiled code, and one for this Python on Linux x86-64.

The second holds the same files and hamiltree/compiled/kernels.bin: kernels compiled by the runs of
catalogue_runs.py for an x86-64-v3 processor. `--small` compiles what `hamiltree demo` needs.
"""

import argparse
import base64
import csv
import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "tools" / "catalogue_runs.py"
KERNELS = "hamiltree/compiled/kernels.bin"
PROCESSOR = "x86-64-v3"
LARGEST = 80e6  # bytes of a wheel


def main() -> int:
    """Build the wheel of Python files and, on Linux x86-64, the one with compiled code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="compile what a demo needs, no more")
    parser.add_argument("--keep", action="store_true", help="keep what the last build has compiled")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time")
    options = parser.parse_args()
    began = time.perf_counter()
    pure = build_pure(ROOT / "dist")
    print(f"{pure.name}: {pure.stat().st_size / 1e6:.1f} MB")
    if not is_supported():
        print("compiled code is built on Linux x86-64 with CPython only")
        return 0
    cache, packed = ROOT / "build" / "catalogue", ROOT / "build" / "kernels.bin"
    if not options.keep:
        shutil.rmtree(cache, ignore_errors=True)
    fill(cache, ["small"] if options.small else parts(cache), options.jobs)
    print(pack(cache, packed))
    made = with_kernels(pure, packed)
    size = made.stat().st_size
    print(f"{made.name}: {size / 1e6:.1f} MB, {time.perf_counter() - began:.0f} s")
    return 0 if size <= LARGEST else fail(f"{made.name} is larger than {LARGEST / 1e6:.0f} MB")


def fail(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def is_supported() -> bool:
    is_linux = sys.platform == "linux" and platform.machine() == "x86_64"
    return is_linux and platform.python_implementation() == "CPython"


def build_pure(folder: Path) -> Path:
    """The wheel without compiled code."""
    for old in folder.glob("hamiltree-*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder]
    subprocess.run([*command, ROOT], check=True)
    return next(folder.glob("hamiltree-*-none-any.whl"))


# ---- compiling -----------------------------------------------------------------------------------
def environment(cache: Path) -> dict[str, str]:
    """Of a process that compiles for the common processor, whatever the builder has set."""
    own = ("NUMBA_", "HAMILTREE_", "PYTHONPATH")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    return {
        **kept,
        "PYTHONPATH": str(ROOT / "src"),
        "HAMILTREE_CACHE_DIR": str(cache),
        "HAMILTREE_COMPILE_ALONE": "1",
        "NUMBA_CPU_NAME": PROCESSOR,
        "NUMBA_CPU_FEATURES": "",  # those of the processor named, and no others
    }


def parts(cache: Path) -> list[str]:
    return output_of(cache, str(RUNS)).split()


def output_of(cache: Path, *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env=environment(cache), check=True, stdout=subprocess.PIPE)
    return done.stdout.decode()


def fill(cache: Path, names: list[str], jobs: int) -> None:
    """The runs of each part in a process of its own, some at a time. The cache is shared."""
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    waiting, running = list(names), {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            running[name] = start(cache, name)
        name = next((name for name, process in running.items() if process.poll() is not None), None)
        if name is None:
            time.sleep(0.2)
            continue
        if running.pop(name).returncode != 0:
            raise SystemExit(f"{name} failed:\n{log_of(cache, name).read_text()}")
        print(f"ran {name}", flush=True)


def log_of(cache: Path, name: str) -> Path:
    return cache.parent / f"{name}.log"


def start(cache: Path, name: str) -> subprocess.Popen:
    command = [sys.executable, str(RUNS), name]
    with log_of(cache, name).open("w") as log:
        return subprocess.Popen(command, env=environment(cache), stdout=log, stderr=log)


def pack(cache: Path, packed: Path) -> str:
    """The kernels of the cache in one file; says how many there are."""
    folders = list(cache.glob("k2-*"))
    if len(folders) != 1:
        raise SystemExit(f"{cache} was not used: others can write to it or to a folder above it")
    module = "hamiltree.compiled.shipped_kernels"
    return output_of(cache, "-m", module, str(folders[0]), str(packed)).strip()


# ---- the second wheel ----------------------------------------------------------------------------
def with_kernels(pure: Path, packed: Path) -> Path:
    """A copy of the pure wheel with the kernels in it, for this Python and this system alone."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-linux_x86_64"
    made = pure.with_name(pure.name.replace("py3-none-any", tag))
    record: list[tuple[str, str, int | str]] = []
    with zipfile.ZipFile(pure) as source, zipfile.ZipFile(made, "w") as target:
        for info in source.infolist():
            if info.filename.endswith(".dist-info/RECORD"):
                last = info
                continue
            raw = source.read(info)
            if info.filename.endswith(".dist-info/WHEEL"):
                raw = tagged(raw.decode(), tag).encode()
            add(target, info, raw, record)
        kernels = zipfile.ZipInfo(KERNELS, last.date_time)
        kernels.external_attr = last.external_attr
        add(target, kernels, packed.read_bytes(), record)  # stored: it is compressed already
        record.append((last.filename, "", ""))
        target.writestr(last, as_table(record))
    return made


def tagged(text: str, tag: str) -> str:
    """The file WHEEL of a wheel that is not for every system."""
    changed = "Tag:", "Root-Is-Purelib:"
    lines = [line for line in text.splitlines() if line and not line.startswith(changed)]
    return "\n".join([*lines, "Root-Is-Purelib: false", f"Tag: {tag}", ""])


def add(target: zipfile.ZipFile, info: zipfile.ZipInfo, raw: bytes, record: list) -> None:
    target.writestr(info, raw)
    digest = base64.urlsafe_b64encode(hashlib.sha256(raw).digest()).decode().rstrip("=")
    record.append((info.filename, f"sha256={digest}", len(raw)))


def as_table(record: list) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(record)
    return text.getvalue()


if __name__ == "__main__":
    sys.exit(main())
